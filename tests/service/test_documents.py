"""Documents: how what an author wrote is kept and shown. The dialect here is a small one, made for these tests."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from perdure.model.problem import Problem
from perdure.model.steps import Compute, Step
from perdure.model.values import Constant
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import Refused
from service.words import running


class Document(Struct, frozen=True):
    value: Any
    text: str


class Compiled(Struct, frozen=True):
    workflow: Workflow | None
    name: str
    dialect: str | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


class Seen(Struct, frozen=True):
    record: Any
    facts: tuple[Any, ...]
    workflow: Workflow
    document: Any = None
    version: str | None = None


class BadDocument(Exception):
    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems


def read(text: bytes) -> Document:
    try:
        return Document(msgspec.json.decode(text), text.decode())
    except msgspec.DecodeError as error:
        raise BadDocument((Problem("not_json", str(error), line=1),)) from error


def compile_(value: Any, catalog: Any, *, name: str | None = None, id: str | None = None) -> Compiled:
    """`{"name", "say"}` says that."""
    called = value.get("name") or name or "?"
    warnings = (Problem("odd", "it says nothing", path="/say"),) if value.get("say") == "" else ()
    if "say" not in value:
        return Compiled(None, called, "tiny", (Problem("missing", "say something", path="/say"),), warnings)
    model = Workflow(called, (Step("say", Compute(Constant([value["say"], id]))),), (Entry("say"),))
    return Compiled(model, called, "tiny", (), warnings)


def located(problems: tuple[Problem, ...], document: Document) -> tuple[Problem, ...]:
    return tuple(msgspec.structs.replace(each, line=7) if document.text else each for each in problems)


def view(dialect: str, seen: Seen) -> Any:
    return {"dialect": dialect, "said": seen.record.output, "document": seen.document, "version": seen.version}


def depth(dialect: str, given: Any) -> int:
    return int(given.get("depth", 0)) if isinstance(given, dict) else 0


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("perdure.dialects")
    module.Document, module.Compiled, module.Seen, module.BadDocument = Document, Compiled, Seen, BadDocument
    module.read, module.compile, module.located, module.view = read, compile_, located, view
    module.depth = depth
    monkeypatch.setitem(sys.modules, "perdure.dialects", module)


HELLO = {"name": "hello", "say": "hi"}


def test_a_document_is_kept_with_its_version_and_its_own_words(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            saved = await engine.workflows.save(HELLO)
            assert (saved.name, saved.dialect, saved.version) == ("hello", "tiny", "1")
            assert saved.id.startswith("wf_")
            shown = await engine.workflows.show("hello")
            assert (shown.id, shown.document, shown.active) == (saved.id, HELLO, True)
            execution = await engine.executions.start("hello", {"depth": 2})
            assert await execution.result() == ["hi", saved.id]
            record = (await execution.describe()).record
            assert (record.workflow, record.depth) == (saved.id, 2)
            assert await execution.view() == {
                "dialect": "tiny",
                "said": ["hi", saved.id],
                "document": HELLO,
                "version": "1",
            }
            by_id = await engine.executions.start(saved.id)
            assert (await by_id.describe()).name == "hello"
            assert len((await engine.executions.list(workflow="hello")).items) == 2

    running(scenario)


def test_the_id_is_the_documents_own_or_follows_from_its_name_and_organization(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            own = await engine.workflows.save({**HELLO, "id": "mine"})
            assert own.id == "mine"
            here = await engine.workflows.save(HELLO, "acme")
            again = await engine.workflows.save({"name": "hello", "say": "hello"}, "acme")
            there = await engine.workflows.save(HELLO, "globex")
            assert (here.id, again.version) == (again.id, "2")
            assert here.id != there.id

    running(scenario)


def test_spaces_make_no_new_version_and_a_change_does(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for text, version in (
                (b'{"name":"hello","say":"hi"}', "1"),
                (b'{ "name": "hello",\n "say": "hi" }', "1"),
                (b'{"name":"hello","say":"ho"}', "2"),
            ):
                assert (await engine.workflows.save(text)).version == version
            (change,) = await engine.workflows.diff("hello", "1", "2")
            assert (change.path, change.old, change.new) == ("/say", "hi", "ho")

    running(scenario)


def test_a_document_that_says_it_is_a_draft_is_one_unless_it_is_activated(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            assert (await engine.workflows.save({**HELLO, "status": "draft"})).status == "draft"
            assert (await engine.workflows.save({**HELLO, "status": "draft"}, activate=True)).status == "active"
            assert (await engine.workflows.save({"name": "other", "say": 1}, activate=False)).status == "draft"

    running(scenario)


def test_what_is_wrong_is_told_with_its_line_and_nothing_is_changed(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused, match="line 7: say something") as refused:
                await engine.workflows.save(b'{"name": "hello"}')
            (problem,) = refused.value.problems
            assert (problem.type, problem.path, problem.line) == ("missing", "/say", 7)
            with pytest.raises(Refused, match="line 1"):
                await engine.executions.start(b"{")
            assert (await engine.workflows.list()).items == ()
            assert (await engine.executions.list()).items == ()

    running(scenario)


def test_warnings_are_told_and_keep_nobody_from_saving(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            saved = await engine.workflows.save({"name": "hello", "say": ""})
            assert [warning.type for warning in saved.warnings] == ["odd"]

    running(scenario)


def test_a_document_is_validated_and_nothing_else() -> None:
    engine = Engine()
    found = engine.workflows.validate(b'{"name": "hello", "say": ""}')
    assert (found.name, found.dialect, found.problems, len(found.warnings)) == ("hello", "tiny", (), 1)
    assert [problem.type for problem in engine.workflows.validate({"name": "x"}).problems] == ["missing"]
    assert [problem.line for problem in engine.workflows.validate(b"[").problems] == [1]


def test_a_document_that_is_not_saved_is_run_and_shown_in_its_words(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            execution = await engine.executions.start(HELLO)
            await execution.result()
            found = await execution.describe()
            assert (found.dialect, found.version) == ("tiny", None)
            assert (await execution.view())["document"] is None
            assert (await engine.workflows.list()).items == ()

    running(scenario)


def test_the_synchronous_one_liner_takes_a_document(url: str) -> None:
    said = Engine(url).run(HELLO)
    assert said[0] == "hi"
