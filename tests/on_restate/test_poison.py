"""An event that cannot be read, or whose delivery cannot be stored, is declined; all others go on to Restate."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from on_restate.server import Cluster, free_ports
from perdure import Engine
from perdure.hosts.restate.host import RestateHost
from perdure.model.steps import Compute, EventWait, Step
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.testing.words import k, x
from poison.injection import MARKER, Fault, until

STARTED = Workflow(
    "started", (Step("a", Compute(x("input"))),), (Entry("a"),), starts=(EventStart("order", input=x("event")),)
)
WAITS = Workflow("waits", (Step("a", EventWait(k("paid"))),), (Entry("a"),))


def test_an_event_that_cannot_be_forwarded_keeps_no_other_waiting(one_node: Cluster, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/read.db"
    fault = Fault(lambda: ValueError("injected: cannot be stored"))

    def fail_deliveries(store: Any) -> None:
        store.connection.create_scalar_function("fail_if_marked", fault, 1)
        store.connection.execute(
            "CREATE TEMP TRIGGER fault BEFORE INSERT ON main.inbox BEGIN SELECT fail_if_marked(NEW.data); END"
        )

    async def scenario() -> None:
        async with Engine(url, works=False) as engine:
            for workflow in (STARTED, WAITS):
                await engine.workflows.save(workflow)
            await engine.publish("order", "unreadable", id_="unreadable")
            await engine.host.shell.ask(
                lambda store: store.connection.execute("UPDATE events SET data = '{' WHERE id = 'unreadable'")
            )
            host = RestateHost(url, one_node.ingress, f"127.0.0.1:{free_ports(1)[0]}")
            async with host:
                await host.register(one_node.nodes[0].admin)
                await host.library.ask(fail_deliveries)
                waiting = await engine.executions.get(await host.start("waits"))

                async def waits() -> bool:
                    return (await waiting.describe()).status == "waiting"

                await until(waits)
                await engine.publish("paid", MARKER, id_="cannot-be-stored")

                async def is_declined() -> bool:
                    states = [(await engine.events.get(id_)).state for id_ in ("unreadable", "cannot-be-stored")]
                    return states == ["declined", "declined"]

                await until(is_declined)
                await engine.publish("order", "fine")
                await engine.publish("paid", "fine")

                async def have_ended() -> bool:
                    ended = (await engine.executions.list(status="completed")).items
                    return sorted(record.workflow for record in ended) == ["started", "waits"]

                await until(have_ended)
                assert (await waiting.describe()).output == "fine"

    asyncio.run(scenario())
    assert fault.raised >= 2
