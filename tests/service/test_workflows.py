"""Workflows and their versions, through the service."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.model.steps import Compute, EventWait, Step
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, NotFound, Refused, WorkflowNotFound
from perdure.testing.words import k
from service.words import adding, begun, one, running, sequence, until


def version(number: int, name: str = "orders") -> Workflow:
    return one(Step("say", Compute(k(number))), name)


def test_what_is_saved_first_is_version_1_and_active(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            saved = await engine.workflows.save(version(1))
            assert (saved.id, saved.name, saved.version, saved.status) == ("orders", "orders", "1", "active")
            assert (saved.dialect, saved.created, saved.warnings) == ("model", True, ())

    running(scenario)


def test_the_same_again_makes_no_new_version(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(version(1))
            again = await engine.workflows.save(version(1))
            assert (again.version, again.created) == ("1", False)
            assert len(await engine.workflows.versions("orders")) == 1

    running(scenario)


def test_a_changed_one_is_the_active_version_and_the_one_before_is_not(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(version(1))
            changed = await engine.workflows.save(version(2))
            assert (changed.version, changed.status, changed.created) == ("2", "active", True)
            found = await engine.workflows.versions("orders")
            assert [(each.version, each.status, each.active) for each in found] == [
                ("2", "active", True),
                ("1", "inactive", False),
            ]
            assert await (await engine.executions.start("orders")).result() == 2

    running(scenario)


def test_a_draft_is_not_started_unless_it_is_named(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(version(1))
            draft = await engine.workflows.save(version(2), activate=False)
            assert (draft.version, draft.status) == ("2", "draft")
            assert await (await engine.executions.start("orders")).result() == 1
            assert await (await engine.executions.start("orders", version="2")).result() == 2

    running(scenario)


def test_what_has_only_drafts_cannot_be_started_by_its_name(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(version(1), activate=False)
            with pytest.raises(WorkflowNotFound, match="no active version; activate one"):
                await engine.executions.start("orders")
            (listed,) = (await engine.workflows.list()).items
            assert (listed.status, listed.active) == ("draft", None)
            assert (await engine.workflows.show("orders")).version == "1"

    running(scenario)


def test_an_older_version_can_be_made_the_active_one(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for number in (1, 2):
                await engine.workflows.save(version(number))
                assert await (await engine.executions.start("orders")).result() == number
            activated = await engine.workflows.activate("orders", "1")
            assert (activated.version, activated.active) == ("1", True)
            assert await (await engine.executions.start("orders")).result() == 1
            (listed,) = (await engine.workflows.list()).items
            assert (listed.version, listed.status, listed.active) == ("2", "inactive", "1")

    running(scenario)


def test_an_execution_finishes_on_the_version_that_it_began_with(url: str) -> None:
    def waits(answer: int) -> Workflow:
        return one(Step("wait", EventWait(k("go"), output=k(answer))), "orders")

    async def scenario() -> None:
        async with Engine(url) as engine:
            first = await begun(engine, waits(1))
            second = await begun(engine, waits(2))
            await engine.publish("go", id_="1")
            assert (await first.result(), await second.result()) == (1, 2)
            assert [(await each.describe()).version for each in (first, second)] == ["1", "2"]

    running(scenario)


def test_events_start_the_active_version(url: str) -> None:
    def on_paid(answer: int) -> Workflow:
        return Workflow("orders", (Step("a", Compute(k(answer))),), (Entry("a"),), starts=(EventStart("paid"),))

    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(on_paid(1))
            await engine.workflows.save(on_paid(2))
            await engine.workflows.activate("orders", "1")
            await engine.publish("paid")

            async def ended() -> list[int]:
                return [each.output for each in (await engine.executions.list(status="completed")).items]

            assert await until(ended) == [1]

    running(scenario)


def test_versions_and_workflows_that_are_not_there_are_named(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(version(1))
            for asked in (
                engine.workflows.show("orders", "9"),
                engine.workflows.activate("orders", "9"),
                engine.workflows.diff("orders", "1", "9"),
                engine.executions.start("orders", version="9"),
            ):
                with pytest.raises(NotFound, match="has no version '9'; it has 1"):
                    await asked
            for unknown in (
                engine.workflows.show("nobody"),
                engine.workflows.versions("nobody"),
                engine.executions.start("nobody"),
                engine.executions.start("nobody", version="1"),
            ):
                with pytest.raises(NotFound, match="there is no workflow 'nobody'"):
                    await unknown

    running(scenario)


def test_what_belongs_to_another_organization_is_not_there(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(version(1), "acme")
            await engine.workflows.save(version(2), "globex")
            for whose, answer in (("acme", 1), ("globex", 2)):
                execution = await engine.executions.start("orders", organization=whose)
                assert await execution.result() == answer
                assert len((await engine.workflows.list(organization=whose)).items) == 1
            with pytest.raises(NotFound):
                await engine.workflows.show("orders")
            assert (await engine.workflows.list()).items == ()

    running(scenario)


def test_a_long_list_comes_in_pages_by_name(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            for name in "dbeac":
                await engine.workflows.save(version(1, name))
            pages, cursor = [], None
            while True:
                page = await engine.workflows.list(limit=2, cursor=cursor)
                pages.append("".join(item.name for item in page.items))
                cursor = page.next
                if cursor is None:
                    break
            assert pages == ["ab", "cd", "e"]
            with pytest.raises(Conflict, match="is no cursor"):
                await engine.workflows.list(cursor="nonsense!")
            with pytest.raises(Conflict, match="1 to 500"):
                await engine.workflows.list(limit=0)

    running(scenario)


def test_two_versions_are_compared(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(version(1))
            await engine.workflows.save(version(2))
            (change,) = await engine.workflows.diff("orders", "1", "2")
            assert (change.path, change.kind) == ("/steps/0/work/output/value", "changed")
            assert (change.old, change.new) == (1, 2)
            assert await engine.workflows.diff("orders", "1", "1") == ()

    running(scenario)


def test_what_cannot_run_is_refused_with_all_that_is_wrong_and_changes_nothing(url: str) -> None:
    wrong = Workflow("orders", (Step("a", Compute()), Step("a", Compute())), (Entry("b"),))

    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused) as refused:
                await engine.workflows.save(wrong)
            assert len(refused.value.problems) >= 2
            assert (await engine.workflows.list()).items == ()
            with pytest.raises(Refused):
                await engine.executions.start(wrong)

    running(scenario)


def test_a_workflow_is_validated_without_a_running_engine() -> None:
    engine = Engine()
    assert engine.workflows.validate(version(1)).problems == ()
    assert engine.workflows.validate(Workflow("x", (), (Entry("a"),))).workflow is None


def test_a_version_that_another_program_has_saved_is_started(sql_url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(sql_url)) as mine, Engine(sql_url, works=False) as theirs:
            assert await (await begun(mine, sequence(1), {"n": 1})).result() == 2
            await theirs.workflows.save(sequence(3))
            assert await (await mine.executions.start("sequence", {"n": 1})).result() == 4
            await theirs.workflows.activate("sequence", "1")
            assert await (await mine.executions.start("sequence", {"n": 1})).result() == 2

    running(scenario)


def test_a_name_that_has_become_the_id_of_another_workflow_means_that_one(sql_url: str) -> None:
    named: dict[str, Any] = {"name": "orders", "nodes": [{"id": "t", "type": "MANUAL_TRIGGER"}], "connections": []}

    async def scenario() -> None:
        async with Engine(sql_url) as engine, Engine(sql_url, works=False) as another:
            first = await engine.workflows.save(named)
            await (await engine.executions.start("orders")).result()
            second = await another.workflows.save({**named, "id": "orders", "name": "others"})
            execution = await engine.executions.start("orders")
            assert (await execution.describe()).record.workflow == second.id != first.id

    running(scenario)
