"""Who may do what: every verb of the service, and every role. A verb that `acts.py` does not know is found here."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from perdure import Engine
from perdure.service.acting import ROLES, Actor, Member, find_member
from perdure.service.approvals import Approvals
from perdure.service.engine import Execution
from perdure.service.errors import Conflict, Forbidden
from service.acts import ACTOR, ACTS, ASKS, INLINE, LOOKS, OF_THE_PROGRAM, opened, place, standing
from service.seeing import examined
from service.words import begun, running, waiting

NONE = "none"
"""Of a member without a role."""


def verbs() -> Iterator[tuple[str, Any]]:
    """The public coroutines of the service, whatever it has."""
    engine = Engine("memory://")
    parts = [each for each in vars(engine).values() if type(each).__module__.startswith("perdure.service")]
    assert len(parts) > 10
    kinds: list[tuple[type, dict[str, Any]]] = [
        (Execution, {}),
        *((type(each), vars(each)) for each in (engine, *parts)),
    ]
    for owner, own in kinds:
        for name, found in {**dict(inspect.getmembers_static(owner)), **own}.items():
            if inspect.iscoroutinefunction(found) and not name.startswith("_"):
                yield f"{owner.__name__}.{name}", found


def plain(verb: str) -> str:
    return verb.partition(",")[0]


def test_of_every_verb_it_is_said_who_may() -> None:
    known = {plain(verb) for verb in ACTS}
    assert {name for name, _ in verbs()} == known | LOOKS | OF_THE_PROGRAM
    assert not known & LOOKS
    assert not (known | LOOKS) & OF_THE_PROGRAM


def test_every_verb_that_changes_something_asks_who_acts() -> None:
    found = dict(verbs())
    for name in {plain(verb) for verb in ACTS}:
        actor = inspect.signature(found[name]).parameters["actor"]
        assert (actor.kind, actor.default) == (inspect.Parameter.KEYWORD_ONLY, None), name


def roles(role: str) -> list[str]:
    return [] if role == NONE else [role]


async def both(engine: Engine) -> list[Actor]:
    """The actor as a name, and as somebody has found them."""
    found = await engine.host.read(lambda store: find_member(store, "default", ACTOR))
    assert found is not None
    return [ACTOR, found]


@pytest.mark.parametrize("verb", ACTS)
def test_who_has_no_role_for_it_is_told_who_may_and_changes_nothing(verb: str) -> None:
    async def scenario() -> None:
        async with opened() as engine:
            here = await place(engine, verb)
            await engine.members.add(ACTOR, roles=[])
            for role in [each for each in (NONE, *ROLES) if each not in ACTS[verb].roles]:
                await engine.members.change(ACTOR, roles=roles(role))
                before = await standing(here)
                for actor in await both(engine):
                    with pytest.raises(Forbidden, match=r"ann may not .*admin"):
                        await ACTS[verb].act(here, actor)
                assert await standing(here) == before, role

    running(scenario)


@pytest.mark.parametrize(("verb", "role"), [(verb, role) for verb, act in ACTS.items() for role in act.roles])
def test_who_has_a_role_for_it_may_and_is_in_the_audit(verb: str, role: str) -> None:
    async def scenario() -> None:
        act = ACTS[verb]
        async with opened() as engine:
            here = await place(engine, verb)
            await engine.members.add(ACTOR, roles=[role])
            before = {entry.place for entry in (await engine.audit.list()).items}
            actor = (await both(engine))[act.roles.index(role) % 2]
            if act.ends_in is None:
                await act.act(here, actor)
            else:
                with pytest.raises(act.ends_in):
                    await act.act(here, actor)
            new = [entry for entry in (await engine.audit.list()).items if entry.place not in before]
            done = {entry.action for entry in new if entry.by == ACTOR}
            assert (act.action in done) if act.action else not done

    running(scenario)


@pytest.mark.parametrize("verb", ACTS)
def test_who_is_no_member_or_one_of_another_organization_may_nothing(verb: str) -> None:
    async def scenario() -> None:
        async with opened() as engine:
            here = await place(engine, verb)
            strangers: list[Actor] = ["ghost", Member("root", "acme", ("admin",), revision=1)]
            before = await standing(here)
            for stranger in strangers:
                with pytest.raises(Forbidden, match="is no member of organization 'default'"):
                    await ACTS[verb].act(here, stranger)
            assert await standing(here) == before

    running(scenario)


@pytest.mark.parametrize("verb", ACTS)
def test_the_program_may_everything(verb: str) -> None:
    async def scenario() -> None:
        act = ACTS[verb]
        async with opened() as engine:
            here = await place(engine, verb if verb.startswith("Approvals.link") else "")
            await engine.members.add(ACTOR, roles=["admin"])
            if act.ends_in is None:
                await act.act(here, None)
            else:
                with pytest.raises(act.ends_in):
                    await act.act(here, None)
            entries = [each for each in (await engine.audit.list()).items if each.action != "session.begun"]
            assert {entry.by for entry in entries} <= {"program", "perdure", "system"}

    running(scenario)


@pytest.mark.parametrize("actor", [17, b"ann", "\ud800"])
def test_an_actor_that_is_none_is_refused_by_its_name(actor: Any) -> None:
    async def scenario() -> None:
        async with opened() as engine:
            await engine.workflows.save(ASKS)
            with pytest.raises(Conflict, match="actor"):
                await engine.executions.start("asks", actor=actor)

    running(scenario)


# What it costs.


def test_a_start_reads_once_more_for_a_name_and_not_for_a_member() -> None:
    async def scenario() -> None:
        async with opened() as engine:
            await engine.workflows.save(ASKS)
            await engine.members.add(ACTOR, roles=["operator"])
            actors: list[Actor] = [None, *reversed(await both(engine))]
            read, counted = engine.host.shell.read, 0

            async def counting(question: Any, organization: str | None = None) -> Any:
                nonlocal counted
                counted += 1
                return await read(question, organization)

            await engine.executions.start("asks", {})
            engine.host.shell.read = counting  # type: ignore[method-assign]
            reads = []
            for actor in actors:
                counted = 0
                await engine.executions.start("asks", {}, actor=actor)
                reads.append(counted)
            of_the_program, of_a_member, of_a_name = reads
            assert (of_a_member, of_a_name) == (of_the_program, of_the_program + 1)

    running(scenario)


# In whose name.


async def started_by(engine: Engine, execution: Execution) -> str | None:
    """Who may not decide what it asks."""
    await waiting(execution)
    (item,) = (await engine.approvals.list(execution=execution.id)).items
    return item.started_by


def test_who_starts_it_may_not_decide_about_it() -> None:
    async def scenario() -> None:
        async with opened() as engine:
            await engine.members.add(ACTOR, roles=["operator", "approver"])
            execution = await begun(engine, ASKS, {"n": 1}, actor=ACTOR)
            assert await started_by(engine, execution) == ACTOR
            (item,) = (await engine.approvals.list()).items
            with pytest.raises(Conflict, match=r"ann has started what approval .* is about"):
                await engine.approvals.decide(item.id, "approve", actor=ACTOR)

    running(scenario)


def test_nobody_acts_in_the_name_of_another() -> None:
    async def scenario() -> None:
        async with opened() as engine:
            await engine.members.add(ACTOR, roles=["admin"])
            await engine.workflows.save(ASKS)
            for_themselves = "'ann' acts for themselves; leave out by='bob'"
            with pytest.raises(Conflict, match=for_themselves):
                await engine.executions.start("asks", actor=ACTOR, by="bob")
            execution = await engine.executions.start("asks", {"n": 1}, actor=ACTOR, by=ACTOR)
            for refused in (execution.cancel(actor=ACTOR, by="bob"), execution.retry(actor=ACTOR, by="bob")):
                with pytest.raises(Conflict, match=for_themselves):
                    await refused

    running(scenario)


def test_who_changes_what_it_is_about_has_started_it_and_who_does_not_has_not() -> None:
    async def scenario() -> None:
        async with opened() as engine:
            for name in (ACTOR, "bob"):
                await engine.members.add(name, roles=["operator"])
            first = await begun(engine, ASKS, {"n": 1}, actor=ACTOR)
            await waiting(first)
            same = [
                await first.rerun(actor="bob"),
                await first.rerun(from_step="ask", actor="bob"),
                await first.fork(at_step="ask", actor="bob"),
            ]
            assert [await started_by(engine, each) for each in same] == [ACTOR] * 3
            changed = [
                await first.rerun(input={"n": 2}, actor="bob"),
                await first.rerun(from_step="ask", input={"n": 2}, actor="bob"),
                await first.fork(at_step="ask", input={"n": 2}, actor="bob"),
                await first.fork(at_step="ask", variables={"v": 2}, actor="bob"),
            ]
            assert [await started_by(engine, each) for each in changed] == ["bob"] * 4
            again = [await changed[1].rerun(), await changed[3].rerun(from_step="ask", input={"n": 3})]
            assert [await started_by(engine, each) for each in again] == ["bob"] * 2, "the program says no other"

    running(scenario)


# The audit.


def test_what_people_do_to_executions_and_workflows_is_in_the_audit(url: str) -> None:
    async def scenario() -> None:
        async with opened(url) as engine:
            here = await place(engine, "")
            await engine.members.add(ACTOR, roles=["admin"])
            before = len((await engine.audit.list(limit=500)).items)
            await here.asks.cancel("ordered twice", compensate=False, actor=ACTOR)
            await here.broken.retry(actor=ACTOR)
            await here.done.refire("trigger-0", actor=ACTOR)
            again = await here.done.rerun(input={"n": 2}, actor=ACTOR)
            fork = await here.done.fork(at_step="s0", variables={"v": 1}, actor=ACTOR)
            saved = await engine.workflows.save(INLINE, actor=ACTOR)
            await engine.workflows.save(INLINE, actor=ACTOR)
            await engine.workflows.deactivate("inline", "1", actor=ACTOR)
            await engine.workflows.activate("inline", "1", actor=ACTOR)
            entries = list(reversed((await engine.audit.list(limit=500)).items))[before:]
            assert {entry.by for entry in entries} == {ACTOR}
            version = {"name": "inline", "version": "1", "digest": (await engine.workflows.show("inline")).digest}
            assert [(entry.action, entry.register, entry.subject, entry.details) for entry in entries] == [
                *(
                    (
                        "execution.cancelled",
                        "executions",
                        here.asks.id,
                        {"reason": "ordered twice", "compensate": False},
                    ),
                ),
                ("execution.retried", "executions", here.broken.id, None),
                ("execution.refired", "executions", here.done.id, {"trigger": "trigger-0"}),
                ("execution.rerun", "executions", here.done.id, {"execution": again.id, "input": True}),
                (
                    *("execution.forked", "executions", here.done.id),
                    {"execution": fork.id, "step": "s0", "variables": ["v"]},
                ),
                ("workflow.saved", "workflows", saved.id, {**version, "status": "active"}),
                ("workflow.deactivated", "workflows", saved.id, {**version, "status": "inactive"}),
                ("workflow.activated", "workflows", saved.id, {**version, "status": "active"}),
            ]
        if url != "memory://":
            assert examined(url).findings == ()

    running(scenario)


def test_what_came_to_nothing_is_in_no_audit() -> None:
    async def scenario() -> None:
        async with opened() as engine:
            here = await place(engine, "")
            before = (await engine.audit.list()).items
            refused = [
                here.done.cancel(),
                here.done.retry(),
                here.asks.refire(),
                here.asks.cancel(if_version=99),
                here.done.fork(at_step="nowhere"),
                here.done.rerun(from_step="nowhere"),
            ]
            for each in refused:
                with pytest.raises(Exception, match=r"."):
                    await each
            assert (await engine.audit.list()).items == before

    running(scenario)


def test_who_loses_their_role_while_it_is_saved_saves_nothing() -> None:
    async def scenario() -> None:
        async with opened() as engine:
            await engine.members.add(ACTOR, roles=["editor"])
            ask, shell = engine.host.shell.ask, engine.host.shell

            async def late(question: Any, **more: Any) -> Any:
                shell.ask = ask  # type: ignore[method-assign]
                await engine.members.change(ACTOR, roles=["viewer"])
                return await ask(question, **more)

            shell.ask = late  # type: ignore[method-assign]
            with pytest.raises(Conflict, match="'ann' of members has been changed since"):
                await engine.workflows.save(INLINE, actor=ACTOR)
            assert (await engine.workflows.list()).items == ()

    running(scenario)


def test_a_member_who_is_on_no_card_is_believed() -> None:
    """Whoever embeds the engine may have people of their own."""

    async def scenario() -> None:
        async with opened() as engine:
            guest = Member("guest", "default", ("editor",))
            await engine.workflows.save(INLINE, actor=guest)
            await engine.secrets.set("KEY", "a-long-value", actor=guest)
            assert {entry.by for entry in (await engine.audit.list()).items} == {"guest"}

    running(scenario)


def test_approvals_say_of_whom_they_are_asked() -> None:
    """Their verbs are the only ones whose roles depend on what they are done to."""
    assert {verb for verb, act in ACTS.items() if "approver" in act.roles} == {
        f"{Approvals.__name__}.{verb}" for verb in ("decide", "claim", "release", "link")
    }
