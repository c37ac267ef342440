"""Idempotency keys over a client: those that cannot be sent are refused at once, and those that can are the server's."""

from __future__ import annotations

import pytest

from api.house import GREET, house, run
from perdure import Client
from perdure.service.answers import KEY_LENGTH_MAX
from perdure.service.errors import Conflict

BAD = ("", " ", "\t", " a", "a ", "a\nb", "a\x00b", "é", "schlüssel", "鍵", "k" * (KEY_LENGTH_MAX + 1))


@pytest.mark.parametrize("key", BAD)
def test_a_key_that_cannot_be_sent_is_refused_at_once_by_its_name(key: str) -> None:
    async def scenario() -> None:
        async with Client("http://127.0.0.1:1") as client:
            with pytest.raises(Conflict, match=r"^idempotency_key .* cannot be sent.* leave it out"):
                await client.executions.start("greet", idempotency_key=key)

    run(scenario(), seconds=5)


@pytest.mark.parametrize("key", ["0", "a b", '";,=', "k" * KEY_LENGTH_MAX])
def test_a_key_is_the_same_over_a_client_as_in_the_engine(key: str) -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, Client(there.url) as client:
            await there.engine.workflows.save(GREET)
            first = await client.executions.start("greet", {"name": "Ada"}, idempotency_key=key)
            again = await client.executions.start("greet", {"name": "Ada"}, idempotency_key=key)
            inside = await there.engine.executions.start("greet", {"name": "Ada"}, idempotency_key=key)
            assert [(each.id, each.created) for each in (again, inside)] == [(first.id, False)] * 2

    run(scenario())
