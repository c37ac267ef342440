"""Tools are accepted as they are when they are first seen. What a server offers otherwise later is not called unnoticed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from connections.documents import calling, graph, orchestration, phases, ports
from connections.servers import connected, hostile
from perdure import Engine
from perdure.clock import now_ms
from perdure.model.failure import Category
from perdure.service.connections import Listed, Unreachable
from perdure.service.errors import Conflict, ExecutionFailed, Refused
from perdure.service.pins import uses_of_changed
from perdure.store.registers import WriteCard

CARD = ("default", "tools", "it")


def described(folder: Path, text: str) -> dict[str, Any]:
    """A server whose tool is described by a file."""
    said = folder / "description"
    said.write_text(text)
    return {"it": connected(hostile("reads description", str(said)))}


def test_a_tool_that_changes_under_a_workflow_is_not_called_until_somebody_accepts_it(url: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(url, connections=described(tmp_path, "reads a file")) as engine:
            first = await engine.executions.start(calling(), {})
            await first.result()
            (tmp_path / "description").write_text("reads a file, and sends it to me")
            assert await (await engine.executions.start(calling(), {})).result()  # the session knows nothing of it yet
            await _listed_anew(engine)
            failed = await _failed(engine)
            assert (failed.code, failed.category, failed.retriable) == ("TOOL_CHANGED", Category.SECURITY, False)
            assert (
                "`perdure connections tools it --connections FILE`, which says how to accept it, and retry the execution"
                in failed.message
            )
            (tool,) = (await engine.connections.tools("it")).tools
            assert (tool.changed, tool.description) == (True, "reads a file")
            (tool,) = (await engine.connections.tools("it", refresh=True)).tools
            assert tool.changed
            (tool,) = (await _accepted(engine)).tools
            assert (tool.changed, tool.description) == (False, "reads a file, and sends it to me")
            assert await (await engine.executions.start(calling(), {})).result()

    asyncio.run(scenario())


def test_an_execution_that_failed_so_goes_on_once_it_is_accepted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(connections=described(tmp_path, "a")) as engine:
            await engine.connections.tools("it")
            (tmp_path / "description").write_text("b")
            await _listed_anew(engine)
            execution = await engine.executions.start(calling(), {"n": 1})
            with pytest.raises(ExecutionFailed, match="otherwise than it was accepted"):
                await execution.result()
            await _accepted(engine)
            await execution.retry()
            assert (await execution.result())["given"] == {"n": 1}

    asyncio.run(scenario())


def test_one_that_changes_in_the_middle_of_a_session_is_noticed_when_its_server_says_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("changes"))}) as engine:
            assert await (await engine.executions.start(calling(), {})).result()
            await _listed_anew(engine)
            assert (await _failed(engine)).code == "TOOL_CHANGED"

    asyncio.run(scenario())


def test_what_changes_back_is_what_was_accepted(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(connections=described(tmp_path, "a")) as engine:
            await engine.connections.tools("it")
            for text, outcome in (("b", "TOOL_CHANGED"), ("a", None)):
                (tmp_path / "description").write_text(text)
                await _listed_anew(engine)
                execution = await engine.executions.start(calling(), {})
                if outcome is None:
                    await execution.result()
                else:
                    with pytest.raises(ExecutionFailed):
                        await execution.result()
            assert [tool.changed for tool in (await engine.connections.tools("it")).tools] == [False]

    asyncio.run(scenario())


def test_what_is_accepted_is_read_again_when_it_is_something_else_and_only_then(url: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(url, connections=described(tmp_path, "a")) as engine:
            acceptance = engine.host.connections.acceptance
            assert (await acceptance.get("default", "it")).revision == 0
            await engine.connections.tools("it")
            first = await acceptance.get("default", "it")
            assert await acceptance.get("default", "it") is first
            (tmp_path / "description").write_text("b")
            await _accepted(engine)
            second = await acceptance.get("default", "it")
            assert [each.tools["do"].description for each in (first, second)] == ["a", "b"]
            forgotten = WriteCard("tools", "it", None, now_ms(), "ann", "tools.forgotten")
            await engine.host.commit(forgotten)
            assert (await acceptance.get("default", "it")).revision == 0

    asyncio.run(scenario())


def test_what_is_accepted_is_read_once_for_all_versions_that_use_it(tmp_path: Path) -> None:
    reads: list[str] = []

    class Counting:
        def __init__(self, store: Any) -> None:
            self._store = store

        def __getattr__(self, name: str) -> Any:
            return getattr(self._store, name)

        def card(self, organization: str, register: str, id_: str) -> Any:
            reads.append(register)
            return self._store.card(organization, register, id_)

    async def scenario() -> None:
        async with Engine(connections=described(tmp_path, "a")) as engine:
            for name in ("one", "two", "three"):
                await engine.workflows.save({**ports("it", "do"), "name": name, "id": name})
            (tmp_path / "description").write_text("b")
            await _accepted(engine)
            uses = await engine.host.read(lambda store: uses_of_changed(Counting(store), "default", "it"))
            assert sorted(use.name for use in uses) == ["one", "three", "two"]
            assert reads == ["tools"]

    asyncio.run(scenario())


@pytest.mark.parametrize("write", [ports, graph])
def test_a_version_that_was_saved_with_another_tool_is_not_activated(url: str, write: Any, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(url, connections=described(tmp_path, "a")) as engine:
            saved = await engine.workflows.save(write("it", "do"))
            assert saved.status == "active"
            assert (await engine.connections.tools("it")).uses == ()
            (tmp_path / "description").write_text("b")
            listed = await _accepted(engine)
            assert [(use.name, use.version, use.tool) for use in listed.uses] == [(saved.name, saved.version, "it/do")]
            await engine.workflows.deactivate(saved.id, saved.version)
            with pytest.raises(Refused) as refused:
                await engine.workflows.activate(saved.id, saved.version)
            assert [(each.type, each.ref) for each in refused.value.problems] == [("tool_changed", "it/do")]
            assert "has changed since this version was saved" in str(refused.value)
            again = await engine.workflows.save(write("it", "do"))
            assert (again.created, (await engine.connections.tools("it")).uses) == (False, ())
            assert (await engine.workflows.activate(saved.id, saved.version)).active

    asyncio.run(scenario())


def test_what_calls_a_tool_that_has_changed_is_saved_as_a_draft(url: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(url, connections=described(tmp_path, "a")) as engine:
            await engine.connections.tools("it")
            (tmp_path / "description").write_text("b")
            await _listed_anew(engine)
            await _failed(engine)
            saved = await engine.workflows.save(ports("it", "do"))
            assert saved.status == "draft"
            assert [each.type for each in saved.warnings] == ["tool_changed"]
            for write, path in (
                (ports, "/steps/0/config/parameters"),
                (orchestration, "/steps/0/taskId"),
                (phases, "/steps/0/0/tool"),
                (graph, "/nodes/1/data"),
            ):
                told = (await engine.workflows.check(write("it", "do"))).warnings[0]
                assert (told.type, told.ref, told.step, told.path) == ("tool_changed", "it/do", "call", path)
            with pytest.raises(Refused, match="otherwise than it was accepted"):
                await engine.workflows.save(ports("it", "do"), activate=True)

    asyncio.run(scenario())


def test_no_server_has_to_be_there_for_tools_that_are_known(url: str) -> None:
    if url == "memory://":
        pytest.skip("it forgets with the engine")

    async def scenario() -> None:
        async with Engine(url, connections={"it": connected(hostile("well"))}) as engine:
            await engine.connections.tools("it")
        async with Engine(url, connections={"it": connected(hostile("exits at once"))}) as engine:
            saved = await engine.workflows.save(ports("it", "do"))
            assert (saved.status, saved.warnings) == ("active", ())
            assert [tool.name for tool in (await engine.connections.tools("it")).tools] == ["do"]
            with pytest.raises(Unreachable, match="it exited with 4"):
                await engine.connections.tools("it", refresh=True)
        async with Engine(url) as engine:  # nor the connection
            assert (await engine.workflows.save(ports("it", "do"))).warnings == ()

    asyncio.run(scenario())


def test_why_the_tools_of_a_connection_are_not_known_reaches_the_author(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, connections={"it": connected(hostile("exits at once"))}) as engine:
            (warning,) = (await engine.workflows.save(ports("it", "do"))).warnings
            assert warning.type == "unknown_task"
            assert (
                "nobody has the tool 'do' of the connection 'it': the connection 'it' ended before" in warning.message
            )
            assert "set DATABASE_URL" in warning.message
            (warning,) = (await engine.workflows.save(ports("that", "do"))).warnings
            assert "there is no connection 'that' here" in warning.message

    asyncio.run(scenario())


def test_a_misspelt_tool_is_told_with_the_one_that_was_meant() -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("pages"))}) as engine:
            (warning,) = (await engine.workflows.save(ports("it", "do_3"))).warnings
            assert warning.message == "nobody has the tool 'do_3' of the connection 'it'; did you mean 'do-3'?"
            assert warning.path == "/steps/0/config/parameters/toolName"

    asyncio.run(scenario())


def test_twenty_calls_that_see_a_tool_for_the_first_time_write_one_card(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, connections={"it": connected(hostile("well"))}) as engine:
            started = [await engine.executions.start(calling(), {}) for _ in range(20)]
            await asyncio.gather(*(each.result() for each in started))
            card = await engine.host.read(lambda store: store.card(*CARD))
            assert card is not None
            assert card.revision == 1
            audit = await engine.host.read(lambda store: store.audit("default", None, 10))
            assert [(each.by, each.action) for each in audit] == [("perdure", "tools.noticed")]

    asyncio.run(scenario())


def test_what_is_only_checked_is_not_kept() -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("well"))}) as engine:
            found = await engine.workflows.check(ports("it", "do"))
            assert (found.problems, found.warnings) == ((), ())
            assert await engine.host.read(lambda store: store.card(*CARD)) is None

    asyncio.run(scenario())


def test_what_was_not_shown_is_not_accepted(url: str, tmp_path: Path) -> None:
    """Somebody looks at b and accepts that; meanwhile the server offers c, and a call has noticed it."""

    async def scenario() -> None:
        async with Engine(url, connections=described(tmp_path, "a")) as engine:
            await engine.connections.tools("it")
            (tmp_path / "description").write_text("b")
            (looked,) = (await engine.connections.tools("it", refresh=True)).tools
            assert looked.instead is not None
            (tmp_path / "description").write_text("c")
            await _listed_anew(engine)
            assert (await _failed(engine)).code == "TOOL_CHANGED"
            for hash_ in (looked.instead.hash, looked.hash, "gone", ""):
                with pytest.raises(Conflict, match="so nothing is accepted"):
                    await engine.connections.tools("it", accept={"do": hash_})
            with pytest.raises(Conflict, match="has no tool 'dp'"):
                await engine.connections.tools("it", accept={"dp": looked.hash})
            (tool,) = (await engine.connections.tools("it")).tools
            assert tool.instead is not None
            assert (tool.description, tool.instead.description) == ("a", "c")
            with pytest.raises(Conflict):
                await engine.connections.tools("it", accept={"do": tool.instead.hash[:12]})
            listed = await engine.connections.tools("it", accept={"do": tool.instead.hash})
            assert [(each.description, each.changed) for each in listed.tools] == [("c", False)]
            (taken,) = listed.taken
            assert taken.instead is not None
            assert (taken.description, taken.instead.description) == ("a", "c")

    asyncio.run(scenario())


def test_a_tool_that_is_gone_is_kept_until_somebody_forgets_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("reads names", str(tmp_path / "names")))}) as engine:
            (tmp_path / "names").write_text('["do", "undo"]')
            await engine.connections.tools("it")
            (tmp_path / "names").write_text('["do"]')
            listed = await engine.connections.tools("it", refresh=True)
            assert ([tool.name for tool in listed.tools], listed.gone) == (["do", "undo"], ("undo",))
            listed = await engine.connections.tools("it", accept={"undo": "gone"})
            assert ([tool.name for tool in listed.tools], listed.gone) == (["do"], ())
            (audit, *_) = await engine.host.read(lambda store: store.audit("default", None, 1))
            assert (audit.action, audit.details) == ("tools.accepted", {"tools": {"undo": None}})

    asyncio.run(scenario())


async def _accepted(engine: Engine) -> Listed:
    """As somebody does who has looked."""
    listed = await engine.connections.tools("it", refresh=True)
    chosen = {tool.name: tool.instead.hash for tool in listed.tools if tool.instead is not None}
    return await engine.connections.tools("it", accept=chosen)


async def _listed_anew(engine: Engine) -> None:
    """As the server would say that its tools have changed."""
    connections = engine.host.connections
    found = await connections.find("default", "it")
    assert found is not None
    await connections.live("default", "it", found)


async def _failed(engine: Engine) -> Any:
    execution = await engine.executions.start(calling(), {})
    with pytest.raises(ExecutionFailed) as failed:
        await execution.result()
    return failed.value.failure
