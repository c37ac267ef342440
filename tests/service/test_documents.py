"""Documents: how what an author wrote is kept and shown."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from perdure.model.workflow import Workflow
from perdure.service import paging
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, Refused
from service.words import running


def saying(what: Any, **more: Any) -> dict[str, Any]:
    """A graph that says something."""
    nodes = [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "say", "type": "SET", "data": {"values": {"said": what}}},
    ]
    return {"name": "hello", "nodes": nodes, "connections": [{"fromNodeId": "start", "toNodeId": "say"}], **more}


HELLO = saying("hi")
DANGLING = {**HELLO, "connections": [{"fromNodeId": "start", "toNodeId": "nobody"}]}
ODD = saying("hi", settings={"maxNode": 3})
"""There is no such setting."""


def test_a_document_is_kept_with_its_version_and_its_own_words(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            saved = await engine.workflows.save(HELLO)
            assert (saved.name, saved.dialect, saved.version) == ("hello", "graph", "1")
            assert saved.id.startswith("wf_")
            shown = await engine.workflows.show("hello")
            assert (shown.id, shown.document, shown.active) == (saved.id, HELLO, True)
            execution = await engine.executions.start("hello", {"_trigger": {"depth": 2}})
            assert (await execution.result())["said"] == "hi"
            record = (await execution.describe()).record
            assert (record.workflow, record.depth) == (saved.id, 2)
            view = await execution.view()
            assert (view["workflowId"], view["status"], view["triggerDepth"]) == (saved.id, "SUCCESS", 2)
            by_id = await engine.executions.start(saved.id)
            assert (await by_id.describe()).name == "hello"
            assert len((await engine.executions.list(workflow="hello")).items) == 2

    running(scenario)


@pytest.mark.parametrize(
    ("document", "path"),
    [
        (saying("hi", id='{"a": 1}'), "/id"),
        (saying("hi", name=" {draft} hello"), "/name"),
        (Workflow("{built}"), "/name"),
    ],
)
def test_what_could_not_be_started_by_its_name_is_not_saved_under_it(url: str, document: Any, path: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused, match="begins as a document does") as refused:
                await engine.workflows.save(document)
            assert [problem.path for problem in refused.value.problems] == [path]
            assert (await engine.workflows.list()).items == ()

    running(scenario)


def test_the_id_is_the_documents_own_or_follows_from_its_name_and_organization(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            own = await engine.workflows.save({**HELLO, "id": "mine"})
            assert own.id == "mine"
            here = await engine.workflows.save(HELLO, "acme")
            again = await engine.workflows.save(saying("hello"), "acme")
            there = await engine.workflows.save(HELLO, "globex")
            assert (here.id, again.version) == (again.id, "2")
            assert here.id != there.id

    running(scenario)


def test_spaces_make_no_new_version_and_a_change_does(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            plain = msgspec.json.encode(HELLO)
            for text, version in (
                (plain, "1"),
                (msgspec.json.format(plain, indent=4), "1"),
                (msgspec.json.encode(saying("ho")), "2"),
            ):
                assert (await engine.workflows.save(text)).version == version
            (change,) = await engine.workflows.diff("hello", "1", "2")
            assert (change.path, change.old, change.new) == ("/nodes/1/data/values/said", "hi", "ho")

    running(scenario)


def test_a_document_that_says_it_is_a_draft_is_one_unless_it_is_activated(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            assert (await engine.workflows.save({**HELLO, "status": "draft"})).status == "draft"
            assert (await engine.workflows.save({**HELLO, "status": "draft"}, activate=True)).status == "active"
            assert (await engine.workflows.save({**HELLO, "name": "other"}, activate=False)).status == "draft"

    running(scenario)


def test_what_is_wrong_is_told_with_its_line_and_nothing_is_changed(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            text = msgspec.json.format(msgspec.json.encode(DANGLING), indent=2)
            with pytest.raises(Refused, match="'nobody' is not a node") as refused:
                await engine.workflows.save(text)
            (problem,) = refused.value.problems
            lines = text.decode().splitlines()
            assert problem.path == "/connections/0/toNodeId"
            assert "nobody" in lines[(problem.line or 0) - 1]
            with pytest.raises(Refused, match="line 1"):
                await engine.executions.start(b"{")
            assert (await engine.workflows.list()).items == ()
            assert (await engine.executions.list()).items == ()

    running(scenario)


def test_warnings_are_told_and_keep_nobody_from_saving(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            saved = await engine.workflows.save(ODD)
            assert ["maxNode" in warning.message for warning in saved.warnings] == [True]

    running(scenario)


def test_a_document_is_validated_and_nothing_else() -> None:
    engine = Engine()
    found = engine.workflows.validate(msgspec.json.encode(ODD))
    assert (found.name, found.dialect, found.problems, len(found.warnings)) == ("hello", "graph", (), 1)
    assert [problem.path for problem in engine.workflows.validate(DANGLING).problems] == ["/connections/0/toNodeId"]
    assert [problem.line for problem in engine.workflows.validate(b"[").problems] == [1]


def test_a_document_that_is_not_saved_is_run_and_shown_in_its_words(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(HELLO)
            await execution.result()
            found = await execution.describe()
            assert (found.dialect, found.version) == ("graph", None)
            assert (found.name, (await execution.view())["status"]) == ("hello", "SUCCESS")
            assert (await engine.workflows.list()).items == ()

    running(scenario)


def test_the_synchronous_one_liner_takes_a_document(url: str) -> None:
    assert Engine(url).run(HELLO)["said"] == "hi"


def test_the_text_of_a_document_is_one(url: str) -> None:
    assert Engine(url).run(f"  {msgspec.json.encode(HELLO).decode()}")["said"] == "hi"


def test_an_input_that_is_no_context_is_refused_and_nothing_is_started(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused, match="has to be an object; this is an array"):
                await engine.executions.start(HELLO, [1])
            assert (await engine.executions.list()).items == ()

    running(scenario)


def test_the_same_input_is_refused_when_it_is_run_again(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(HELLO)
            await execution.result()
            with pytest.raises(Refused, match="has to be an object"):
                await execution.rerun(input=[1])
            assert len((await engine.executions.list()).items) == 1

    running(scenario)


def test_a_document_whose_model_a_program_has_saved_is_a_document_all_the_same(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            model = engine.workflows.validate(HELLO).workflow
            assert model is not None
            await engine.workflows.save(model)
            saved = await engine.workflows.save({**HELLO, "id": "mine"})
            with pytest.raises(Refused):
                await engine.executions.start(saved.id, [1])
            execution = await engine.executions.start(saved.id)
            await execution.result()
            assert (await execution.view())["status"] == "SUCCESS"

    running(scenario)


def test_what_was_never_saved_is_found_by_its_name(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(HELLO)
            await execution.result()
            assert [found.id for found in (await engine.executions.list(workflow="hello")).items] == [execution.id]
            assert (await engine.executions.list(workflow="hallo")).items == ()
            assert set((await engine.executions.names((await engine.executions.list()).items)).values()) == {"hello"}

    running(scenario)


def test_a_change_that_would_have_no_effect_is_refused(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(HELLO, {"a": 1})
            await execution.result()
            with pytest.raises(Conflict, match="change the variables instead"):
                await execution.fork(at_step="say", outputs={"say": {"said": "ho"}})
            with pytest.raises(Conflict, match="made of the input when it began"):
                await execution.rerun(from_step="say", input={"a": 2})
            fork = await execution.fork(at_step="say", variables={"a": 2})
            assert (await fork.result())["a"] == 2

    running(scenario)


@pytest.mark.parametrize(("status", "kept"), [("active", "active"), ("draft", "draft"), ("inactive", "draft")])
def test_only_what_says_nothing_else_becomes_active(url: str, status: str, kept: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            assert (await engine.workflows.save({**HELLO, "status": status})).status == kept
            with pytest.raises(Refused, match="archived"):
                await engine.workflows.save({**HELLO, "status": "bogus"})

    running(scenario)


def test_a_draft_under_another_name_takes_nothing_from_those_who_call_it_by_its_name(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save({**HELLO, "id": "one"})
            await engine.workflows.save({**HELLO, "id": "one", "name": "hello (wip)", "status": "draft"})
        async with Engine(url) if url.startswith("sqlite") else Engine() as engine:
            if url.startswith("sqlite"):
                assert (await (await engine.executions.start("hello")).result())["said"] == "hi"

    running(scenario)


def test_one_event_starts_a_workflow_once_and_by_the_trigger_that_it_fits(url: str) -> None:
    nodes = [
        {"id": "orders", "type": "EVENT_TRIGGER", "data": {"eventPattern": "order.*"}},
        {"id": "users", "type": "EVENT_TRIGGER", "data": {"eventPattern": "user.*"}},
        {"id": "made", "type": "EVENT_TRIGGER", "data": {"eventPattern": "user.made"}},
        *(
            {"id": f"by-{name}", "type": "SET", "data": {"values": {"by": name}}}
            for name in ("orders", "users", "made")
        ),
    ]
    edges = [{"fromNodeId": name, "toNodeId": f"by-{name}"} for name in ("orders", "users", "made")]

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save({"name": "several", "nodes": nodes, "connections": edges})
            await engine.publish("user.made", {"n": 1})
            while not (items := (await engine.executions.list(workflow="several")).items):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            (only,) = items
            result = await (await engine.executions.get(only.id)).result()
            assert result["by"] == "users"

    running(scenario)


def test_a_cursor_that_no_list_has_given_is_refused(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for cursor in (paging.cursor(10**25), paging.cursor(-1), "x"):
                with pytest.raises(Conflict, match="no cursor"):
                    await engine.executions.list(cursor=cursor)

    running(scenario)
