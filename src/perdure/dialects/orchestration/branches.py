"""Branches of a PARALLEL: which steps belong to one, what comes next in it, and whether it can end.

In a branch, a step that does not say where it leads leads to the next one. A handler, of a timeout or a failure, is entered only
by steps that name it: control never falls into it from the step before. The exception is one that stands before all that it
handles, and from which control comes back to that: it is a step like any other, which they lead back to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from perdure.dialects.orchestration.document import BranchId, Orchestration, StepDef, with_inner
from perdure.dialects.orchestration.transitions import Ways, is_end
from perdure.dialects.walks import cycles, reached
from perdure.expressions.wording import shown

_ENTRY: Final = ""
"""What enters the first step of a list: the start of the execution, or the PARALLEL."""
_STEPS_WALKED_MAX: Final = 1_000_000
"""Maximum number of steps that are walked to see where handlers lead: the others run in their turn."""

_JOIN: Final = "/"
"""Where the branches meet; no step has such an id."""


def followers(steps: Sequence[StepDef], ways: Mapping[str, Ways]) -> dict[str, str]:
    """For each step of a branch, the one that control falls into after it, if there is one. Handlers are passed by, unless they
    lead back to what they handle; a handler that stands outside of the PARALLEL leads to the end of its branch.
    """
    return _falling(steps, _passed_by(steps, ways))


def _falling(steps: Sequence[StepDef], passed_by: Collection[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    following = ""
    for step in reversed(steps):
        if following and not step.is_outside:
            found[step.id] = following
        if step.id not in passed_by and not step.is_outside:
            following = step.id
    return found


def _passed_by(steps: Sequence[StepDef], ways: Mapping[str, Ways]) -> set[str]:
    """The steps of a list that handle timeouts or failures of others, or of steps in those: all that stand behind one that they
    handle, and of the rest those from which no way leads back to one.
    """
    handled: dict[str | None, set[str]] = {}
    behind: set[str] = set()
    for step in steps:
        if step.id in handled:
            behind.add(step.id)
        for inner in with_inner((step,)):
            for way in ways[inner.id].handlers:
                handled.setdefault(way.to, set()).add(step.id)
    before = [step.id for step in steps if step.id in handled and step.id not in behind]
    return behind | _leading_away(before, steps, handled, ways, _falling(steps, behind)) if before else behind


def _leading_away(
    handlers: Iterable[str],
    steps: Sequence[StepDef],
    handled: Mapping[str | None, set[str]],
    ways: Mapping[str, Ways],
    following: Mapping[str, str],
) -> set[str]:
    """Of the handlers, those from which no way leads to a step that they handle."""
    after: dict[str, list[str]] = {}
    for step in steps:
        targets = [way.to for inner in with_inner((step,)) for way in ways[inner.id].every if way.to is not None]
        own = ways[step.id]
        falls = not own.goes_on or (own.on_failure.continues and own.default is None)
        after[step.id] = [*targets, following[step.id]] if falls and step.id in following else targets
    found: set[str] = set()
    left = _STEPS_WALKED_MAX
    for handler in handlers:
        if left <= 0:
            break
        reach = reached([handler], lambda id_: after.get(id_, ()))
        left -= len(reach)
        if reach.isdisjoint(handled[handler]):
            found.add(handler)
    return found


def with_handlers(document: Orchestration, ways: Mapping[str, Ways]) -> Orchestration:
    """Move handlers that stand outside of a PARALLEL into the branch that they belong to: the only one that enters them. What
    such a handler alone leads to goes with it.
    """
    steps = {step.id: step for step in document.every_step}
    owners = _owners(steps, ways)
    entered_by = _entered_by(document, ways)
    pruned = True
    while pruned:
        foreign = [
            id_
            for id_, branch in owners.items()
            if any(source == _ENTRY or owners.get(source, steps[source].branch) != branch for source in entered_by[id_])
        ]
        for id_ in foreign:
            del owners[id_]
        pruned = bool(foreign)
    return replace(document, steps=_moved(document.steps, steps, owners)) if owners else document


def _owners(steps: Mapping[str, StepDef], ways: Mapping[str, Ways]) -> dict[str, BranchId]:
    """For each handler outside of a branch, and each step that it leads to there, the branch that may own it."""
    owners: dict[str, BranchId] = {}
    for step in steps.values():
        if step.branch is None:
            continue
        around = tuple(_around(step.branch, steps))
        outside = [steps[way.to] for way in ways[step.id].handlers if way.to is not None and way.to in steps]
        ahead = [each for each in outside if each.branch != step.branch and each.branch in _levels(around, steps)]
        while ahead:
            target = ahead.pop()
            if target.id in around or target.id in owners:
                continue
            owners[target.id] = step.branch
            further = (steps[way.to] for way in ways[target.id].every if way.to is not None and way.to in steps)
            ahead.extend(each for each in further if each.branch == target.branch)
    return owners


def _around(branch: BranchId, steps: Mapping[str, StepDef]) -> Iterator[str]:
    """The PARALLELs that a branch stands in, the innermost first."""
    inner: BranchId | None = branch
    while inner is not None:
        yield inner.of
        inner = steps[inner.of].branch if inner.of in steps else None


def _levels(around: Sequence[str], steps: Mapping[str, StepDef]) -> list[BranchId | None]:
    """The branches around a branch; None is the top."""
    return [steps[parallel].branch for parallel in around if parallel in steps]


def _entered_by(document: Orchestration, ways: Mapping[str, Ways]) -> dict[str, set[str]]:
    """For each step, those that lead to it, also by being followed by it."""
    found: dict[str, set[str]] = {step.id: set() for step in document.every_step}
    for id_, each in ways.items():
        for way in each.every:
            if way.to in found:
                found[way.to].add(id_)
    for steps in _lists(document):
        for step in steps[:1]:
            found[step.id].add(_ENTRY)
            after = followers(steps, ways) if step.branch is not None else {}
            for id_, following in after.items():
                if not ways[id_].goes_on:
                    found[following].add(id_)
    return found


def _lists(document: Orchestration) -> Iterator[tuple[StepDef, ...]]:
    yield document.steps
    for step in document.every_step:
        yield from (branch.steps for branch in step.branches)


def _moved(
    listed: Sequence[StepDef], steps: Mapping[str, StepDef], owners: Mapping[str, BranchId]
) -> tuple[StepDef, ...]:
    kept = (step for step in listed if step.id not in owners)
    return tuple(_with_owned(step, steps, owners) for step in kept)


def _with_owned(step: StepDef, steps: Mapping[str, StepDef], owners: Mapping[str, BranchId]) -> StepDef:
    branches = []
    for number, branch in enumerate(step.branches):
        own = BranchId(step.id, number)
        taken = [replace(steps[id_], branch=own, is_outside=True) for id_ in steps if owners.get(id_) == own]
        inner = _moved(branch.steps, steps, owners)
        branches.append(replace(branch, steps=(*inner, *(_with_owned(each, steps, owners) for each in taken))))
    return replace(step, branches=tuple(branches))


def tell_of_endless(document: Orchestration, ways: Mapping[str, Ways]) -> None:
    """Report branches with steps from which no way leads to where the branches meet: the PARALLEL could not wait for them."""
    for parallel in document.every_step:
        for branch in parallel.branches:
            circle = _circle(branch.steps, ways)
            if circle:
                names = " and ".join(shown(step.id) for step in circle)
                verb = "leads only to itself" if len(circle) == 1 else "lead only to one another"
                message = (
                    f"branch {shown(branch.name)} of {shown(parallel.id)} can never end: {names} {verb}, and what comes after "
                    "the PARALLEL waits for the end of every branch; let a condition, a timeout or 'default' lead to END"
                )
                first = circle[0]
                first.fields.faults.problem("endless_branch", first.fields.path, message, step=first.id)


def _circle(steps: Sequence[StepDef], ways: Mapping[str, Ways]) -> list[StepDef]:
    """Steps of a branch that lead to one another, and from which no way leads to its end."""
    known = {step.id: step for step in steps}
    following = followers(steps, ways)
    after = {id_: tuple(_after(step, known, ways[id_], following.get(id_, _JOIN))) for id_, step in known.items()}
    before: dict[str, list[str]] = {}
    for id_, targets in after.items():
        for target in targets:
            before.setdefault(target, []).append(id_)
    ending = reached([_JOIN], lambda id_: before.get(id_, ()))
    begun = reached([step.id for step in steps[:1]], lambda id_: after.get(id_, ()))
    endless = [step.id for step in steps if step.id in begun and step.id not in ending]
    circle = next(cycles(endless, after.__getitem__), ())
    return [known[id_] for id_ in circle[:-1]]


def _after(step: StepDef, known: Mapping[str, StepDef], ways: Ways, onward: str) -> Iterator[str]:
    """Where a step of a branch leads: to others of it, and to where the branches meet. `onward` is where control falls to."""
    for way in ways.every:
        if way.to is None or is_end(way.to, known):
            yield _JOIN
        else:
            yield way.to if way.to in known else _JOIN  # what leads out of the branch is a problem of its own
    if not ways.goes_on:
        yield onward
    elif ways.ends_unrouted(step) and not ways.names_both_decisions(step):
        yield _JOIN
    if ways.on_failure.continues and ways.default is None:
        yield _JOIN if ways.goes_on else onward
