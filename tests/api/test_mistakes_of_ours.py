"""What goes wrong in the server is not told as a mistake of whoever asks, and is in the log."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from api.house import house, run, said
from perdure.errors import PerdureError
from perdure.hosts.envelopes import CannotOpen
from perdure.store.port import Unavailable


class NobodyKnowsIt(PerdureError):
    """One that somebody adds to the tree, and forgets here."""


def test_what_asks_for_another_organizations_is_a_mistake_of_the_server(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            listed = there.engine.workflows.list

            async def mistaken(**_: Any) -> Any:
                return await listed(organization="acme")

            there.engine.workflows.list = mistaken  # type: ignore[method-assign]
            failed = await client.get("/api/workflows")
            assert (failed.status_code, said(failed)["code"]) == (500, "failed")
            assert "acme" not in failed.text
            assert failed.headers["x-request-id"] in caplog.text

    run(scenario())
    assert "OnBehalfOfAnother" in caplog.text


@pytest.mark.parametrize(
    ("error", "status", "code", "is_logged"),
    [
        (NobodyKnowsIt("a bug"), 500, "failed", True),
        (CannotOpen("there is no key"), 503, "cannot_open", True),
        (Unavailable("the disk is full"), 503, "unavailable", False),
    ],
)
def test_what_only_the_operator_can_mend_is_in_the_log(
    error: PerdureError, status: int, code: str, is_logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def failing(**_: Any) -> Any:
        raise error

    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            there.engine.workflows.list = failing  # type: ignore[method-assign]
            failed = await client.get("/api/workflows")
            assert (failed.status_code, said(failed)["code"]) == (status, code)

    with caplog.at_level(logging.WARNING, "perdure.api"):
        run(scenario())
    assert (str(error) in caplog.text) is is_logged
