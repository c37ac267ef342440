"""Who answers a request says once on whose behalf it is: all stores refuse what then asks for another organization's."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import perdure.service
from perdure.hosts.behalf import OnBehalfOfAnother
from perdure.model.steps import Step, Task
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionNotFound
from perdure.store.postgres.statements import parsed, statements
from perdure.store.sql.statements import queries
from postgres import fresh_schema
from service.words import one, sequence

OF_EVERYBODY = {
    ("keys.py", "caller_by_hash"): "whose a key is, it says itself",
    ("keys.py", "exist"): "whether anybody can ask a server at all",
    ("listening.py", "listen"): "the feed is one for all",
    ("missing_tasks.py", "_take_up"): "of all that was started here, whatever its organization",
    (
        "listening.py",
        "page",
    ): "the same, of which a listener is told what is its organization's: readers of one have no index for it",
    ("listening.py", "_begin"): "the feed is one for all",
    ("listening.py", "_look"): "one follower for the listeners of all organizations, each of whom is told its own",
    ("organizations.py", "list"): "the list of organizations",
    ("receiving.py", "_card"): "whose a webhook is, its token says",
    ("sessions.py", "caller"): "whose a session is, it says itself",
    ("sessions.py", "sign_in"): "whose a key is, it says itself",
    ("sessions.py", "sign_out"): "whose a session is, it says itself",
    ("secrets.py", "rotate"): "a key is changed for the secrets of all",
}
"""What the service reads that is no organization's, and why."""


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        return fresh_schema()
    return "memory://" if request.param == "memory" else f"sqlite:///{tmp_path}/flows.db"


def _engine(url: str, scenario: Callable[[Engine], Awaitable[None]]) -> None:
    async def whole() -> None:
        engine = Engine(url)

        @engine.task("add")
        async def add(given: Any) -> Any:
            return given

        async with engine:
            await scenario(engine)

    asyncio.run(whole())


async def _started(engine: Engine, organization: str) -> str:
    await engine.workflows.save(sequence(1, "flow"), organization)
    execution = await engine.executions.start("flow", {"n": 1}, organization=organization)
    await execution.result()
    return execution.id


def test_what_asks_for_another_organization_is_refused(url: str) -> None:
    async def scenario(engine: Engine) -> None:
        await _started(engine, "ann")
        await _started(engine, "bob")
        with engine.host.on_behalf_of("ann"):
            assert len((await engine.executions.list(organization="ann")).items) == 1
            said = "on behalf of organization 'ann', and asks for organization 'bob'; name 'ann'"
            with pytest.raises(OnBehalfOfAnother, match=said):
                await engine.executions.list(organization="bob")
            with pytest.raises(OnBehalfOfAnother, match="asks for everybody's"):
                await engine.organizations.list()
            with pytest.raises(OnBehalfOfAnother), engine.host.on_behalf_of("bob"):
                pass
            with engine.host.on_behalf_of("ann"):
                await engine.members.list(organization="ann")
        await engine.executions.list(organization="bob")
        await engine.organizations.list()

    _engine(url, scenario)


def test_requests_that_are_answered_at_once_do_not_know_of_each_other(url: str) -> None:
    async def scenario(engine: Engine) -> None:
        ids = {organization: await _started(engine, organization) for organization in ("ann", "bob", "carol")}

        async def request(organization: str) -> None:
            with engine.host.on_behalf_of(organization):
                (found,) = (await engine.executions.list(organization=organization)).items
                assert found.id == ids[organization]
                assert (await engine.executions.get(found.id, organization=organization)).id == found.id
                for other in set(ids) - {organization}:
                    with pytest.raises(ExecutionNotFound):
                        await engine.executions.get(ids[other], organization=organization)

        await asyncio.gather(*(request(organization) for organization in [*ids] * 20))

    _engine(url, scenario)


def test_what_is_started_on_behalf_of_one_is_worked_on_in_the_name_of_nobody(url: str) -> None:
    """The turn of the worker that begins it begins what others wait for as well."""

    async def scenario(engine: Engine) -> None:
        seen: list[int] = []

        @engine.task("look")
        async def look(given: Any) -> Any:
            seen.append(len((await engine.executions.list(organization="bob")).items))
            return given

        with engine.host.on_behalf_of("ann"):
            await engine.workflows.save(one(Step("look", Task("look")), "flow"), "ann")
            execution = await engine.executions.start("flow", {"n": 1}, organization="ann")
            await execution.result()
        assert seen == [0]

    _engine(url, scenario)


def test_a_list_of_the_service_that_forgets_its_predicate_shows_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    text = queries("perdure.store.postgres", "questions.sql")["all_of_them"]
    forgetful = parsed(text.replace("organization = :organization", ":organization::text IS NOT NULL"))

    async def scenario(engine: Engine) -> None:
        ids = {organization: await _started(engine, organization) for organization in ("ann", "bob")}
        monkeypatch.setitem(statements("questions.sql"), "all_of_them", forgetful)
        await engine.host.__aexit__(None, None, None)
        await engine.host.__aenter__()  # with readers that have forgotten
        assert [found.id for found in (await engine.executions.list(organization="ann")).items] == [ids["ann"]]
        assert (await engine.executions.list(organization="carol")).items == ()

    _engine(fresh_schema(), scenario)


def test_a_document_that_is_not_saved_is_read_back(url: str) -> None:
    """Its model is no version's; it is called by its digest alone."""

    async def scenario(engine: Engine) -> None:
        execution = await engine.executions.start(sequence(1, "alone"), {"n": 1}, organization="ann")
        await execution.result()
        with engine.host.on_behalf_of("ann"):
            again = await engine.executions.get(execution.id, organization="ann")
            assert (await again.describe()).name == "alone"
            assert (await again.history()).items

    _engine(url, scenario)


def test_every_question_of_the_service_says_whose_rows_it_asks_for() -> None:
    assert perdure.service.__file__ is not None
    found: set[tuple[str, str]] = set()
    asked = 0
    for file in sorted(Path(perdure.service.__file__).parent.rglob("*.py")):
        for function in ast.walk(ast.parse(file.read_text())):
            if not isinstance(function, ast.AsyncFunctionDef):
                continue
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(("_host.read", "host.shell.read")):
                    asked += 1
                    if len(call.args) + len(call.keywords) < 2 or ast.unparse(call.func).endswith("shell.read"):
                        found.add((file.name, function.name))
    assert asked > 50
    assert found == set(OF_EVERYBODY)
