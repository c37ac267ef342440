"""A model that asks for thousands of calls at once does not stop the loop."""

from __future__ import annotations

import asyncio
from typing import Any

from llm.conftest import Spoken
from llm.model import Call, Says
from llm.tooling import Tools
from llm.words import Came, asking, come, ports
from perdure import Engine
from perdure.tasks.answering import CALLS_MAX
from stalls import Stall, longest_stall

MANY = 5_000


def _described(name: str, properties: int) -> dict[str, Any]:
    """A tool with a large schema."""
    names = {f"p{number}": {"type": "string", "pattern": "^[a-z]{3,9}$"} for number in range(properties)}
    return {"name": name, "parameters": {"type": "object", "properties": names | {"id": {"type": "integer"}}}}


def test_thousands_of_calls_at_once_do_not_stop_the_loop(url: str, spoken: Spoken) -> None:
    model = spoken(Says(calls=[Call("crm_find", {"id": number}) for number in range(MANY)]), Says("Done."))
    tools = Tools()
    document = ports(asking(tools=[_described("crm.find", 500)]))

    async def scenario() -> tuple[Came, Stall]:
        engine = Engine(url)
        tools(engine)
        async with engine:
            return await longest_stall(come(await engine.executions.start(document, None)))

    came, stall = asyncio.run(scenario())
    print(f"\n{stall}")
    assert came.data() == "Done."
    assert tools.calls == [("crm.find", {"id": number}) for number in range(CALLS_MAX)]
    refused = f"error: {CALLS_MAX} calls at once are the most, and there were 5,000"
    assert model.asked[1].told.count(refused) == len(model.asked[1].told) - CALLS_MAX == 32
    assert stall.cpu_seconds < 0.5, stall
