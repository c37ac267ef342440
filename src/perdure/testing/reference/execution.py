"""One execution, from its beginning to where nothing can happen any more: where control goes, and what values it sees.

No facts, no store, no crash: dicts, recursion, and a list of what is under way. What happens next is that the first of
that list ends. The engine's own failures have their code for a message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

from msgspec.structs import replace

from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED
from perdure.model import steps as m
from perdure.model.failure import Category, Failure
from perdure.model.inputs import Inputs
from perdure.model.values import Json, Value
from perdure.model.workflow import Workflow
from perdure.testing.reference.joins import joins_of
from perdure.testing.reference.paths import Loop, Thing, Token, around, join, merge, variables, write
from perdure.testing.reference.sight import Sight
from perdure.testing.reference.work import NEVER, Broken, Done, Seat, broken, coming, failure_of
from perdure.testing.script import Place, Script

ENDLESS = 500
"""After so many steps it is not worth to go on."""


def _failed(failure: Failure) -> dict[str, Any]:
    names = ("message", "category", "code", "retriable", "details")
    error = {name: getattr(failure, name) for name in names}
    return {"status": "failed", "error": error | ({"executionId": failure.origin} if failure.origin else {})}


class Reference(Sight):
    """One execution. `play` brings it to its end; how it stands then is in its fields."""

    def __init__(self, workflows: Mapping[str, Workflow], name: str, given: Json, script: Script) -> None:
        super().__init__(given)
        self.workflows, self.workflow, self.script = workflows, workflows[name], script
        self.name, self.depth, self.unclear = "main", 0, False
        self.status, self.output, self.failures = "running", None, dict[str, Failure]()
        self.error: Failure | None = None
        self.tokens, self.inside, self.late = dict[str, Any](), list[Any](), dict[str, float]()
        self.ticked, self.stopped = dict[str, Any](), list[Any]()
        self.runs, self.opened, self.count = Counter[str](), Counter[str](), 0
        self.flowing, self.past = self.workflow.variables == "flowing", {"": 0}
        self.steps = {step.id: step for step in self.workflow.steps}
        self.joins = joins_of(self.workflow)

    def play(self) -> Reference:
        """From the beginning until nothing can happen any more."""
        first = self.steps[self.workflow.entries[0].step]
        token = Token(step=first, came=[], vars={} if self.flowing else self.vars, past={"": 0}, since=0)
        self.tokens[first.id] = token
        unfit = Inputs(self.workflow.input_schema).failure(self.given)
        if unfit is not None:
            self.fail({"": unfit})
            return self
        try:
            initial = None if self.workflow.initial is None else self.value(self.workflow.initial)
            write(token, "", initial or {}, 0)
            while not self.unclear and self.status == "running" and (self.enter() or self.is_over() or self.go_on()):
                self.unclear |= self.runs.total() > ENDLESS
        except EvaluationError as error:
            self.fail({"": failure_of(error)})
        return self

    def is_over(self) -> bool:
        abandon, ended = self.workflow.on_failure == "abandon", all(token.paused for token in self.inside)
        if self.failures and (abandon or ended):
            self.fail(self.failures)
        elif not self.tokens and not self.inside and not self.failures:
            last = [None, *self.completed.values()][-1]
            found = last if self.workflow.output is None else self.value(self.workflow.output)
            self.status, self.output = "completed", None if found is UNDEFINED else found
            self.forget_ticks(*self.outcomes)
        return self.status != "running"

    def fail(self, failures: dict[str, Failure]) -> None:
        found = [failures[step] for step in (*self.steps, "") if step in failures]
        self.status, self.failures = "failed", failures
        self.error = replace(found[0], retriable=all(failure.retriable for failure in found))

    def enter(self) -> bool:
        """What is ready together is entered together; where only so many may be open, as they came."""
        ready = [] if self.failures else [step for step in self.steps if self.may_enter(step)]
        if self.workflow.parallel_max:
            ready.sort(key=lambda step: self.tokens[step].since)
        for step in filter(self.may_enter, ready):
            if self.runs.total() >= (self.workflow.steps_max or NEVER):
                self.failures[step] = failure_of(broken("LIMIT", Category.PERMANENT))
                self.outcomes[step] = _failed(self.failures[step])
            else:
                self.runs[step] += 1
                self.begin(self.tokens.pop(step))
        return bool(ready)

    def may_enter(self, step: str) -> bool:
        running = {token.step.id for token in self.inside}
        if step not in self.tokens or step in running or len(running) >= (self.workflow.parallel_max or NEVER):
            return False
        backs = {other: token.back for other, token in self.tokens.items()}
        return self.steps[step].join == "any" or self.joins.may_enter(step, backs, running)

    def go_on(self) -> bool:
        """The first of what is under way ends, unless it waits for ever. If two end at once, their order means nothing."""
        first = min(self.inside, key=lambda token: token.due)
        if first.due == NEVER:
            busy = any(isinstance(token.step.work, m.Task | m.Child) and not token.paused for token in self.inside)
            self.status = "running" if busy else "waiting"
            return False
        self.inside.remove(first)
        self.unclear |= any(other.due == first.due for other in self.inside)
        self.now = int(first.due)
        if first.paused:
            self.leave(first, first.targets)
        elif first.whole:
            self.item_over(first, first.outcome)
            self.hand_out(first.whole)
        else:
            self.over(first, first.outcome)
        return True

    # In a step.

    def begin(self, token: Any) -> None:
        each, work = token.step.each, token.step.work
        try:
            if isinstance(work, m.Loop):
                self.loop(token, work)
            elif each:
                items = self.items(each.items, token, NEVER if each.items_max is None else each.items_max)
                self.opened[token.step.id] += 1
                todo, results = list(range(len(items))), [None] * len(items)
                self.hand_out(Thing(token=token, items=items, todo=todo, results=results, error=None))
            else:
                self.open(token, self.over)
        except EvaluationError as error:
            self.over(token, failure_of(error))

    def open(self, token: Any, then: Any) -> None:
        try:
            wait, outcome = coming(Seat(self, token), token.step.work)
        except EvaluationError as error:
            wait, outcome = None, failure_of(error)
        if wait is None:
            then(token, outcome)
        else:
            token.due, token.outcome = self.now + wait, outcome
            self.inside.append(token)

    def hand_out(self, whole: Any) -> None:
        """As many items of a forEach as may be under way. It is over when they are, or when one failed."""
        each = whole.token.step.each
        while whole.todo and not whole.error and sum(part.whole is whole for part in self.inside) < each.concurrency:
            part = copy(whole.token)
            part.whole, part.item = whole, whole.todo.pop(0)
            self.open(part, self.item_over)
        others = [token for token in self.inside if token.whole is not whole]
        if whole.error and (each.in_flight == "abandon" or others == self.inside):
            self.inside = others
            self.over(whole.token, whole.error)
        elif not whole.todo and others == self.inside:
            self.over(whole.token, Done(whole.results))

    def item_over(self, part: Any, outcome: Any) -> None:
        if isinstance(outcome, Done):
            part.whole.results[part.item] = outcome.output
        elif part.step.each.on_error == "fail":
            part.whole.error = part.whole.error or replace(outcome, message=f"item {part.item}: {outcome.message}")

    def loop(self, token: Any, work: m.Loop) -> None:
        loops = around(token.loop)
        loop = next((loop for loop in loops if loop.step is token.step and not loop.complete), None)
        if loop:
            self.leave_loops(loops[: loops.index(loop)])
        else:
            items = self.items(work.items, token, work.iterations_max * work.batch_size)
            parent = loops[0] if loops and not loops[0].complete else None
            loop = Loop(step=token.step, items=items, ticks=0, parent=parent, errors=[])
            paths = (token, *self.tokens.values(), *self.inside, *self.stopped)
            seen = [other for path in paths for other in around(path.loop)]
            self.forget_ticks(*(step for step, other in self.ticked.items() if other not in seen))
        if loop.ticks * work.batch_size < len(loop.items):
            loop.ticks, token.loop = loop.ticks + 1, loop
            self.ticked[token.step.id] = loop
            meta = {"meta": {"errors": loop.errors}} if loop.errors else {}
            self.outcomes[token.step.id] = {"status": "running", "output": loop.tick(), "port": "loop", **meta}
            targets = self.chosen(token.step.routes, token, ["loop"], output=loop.tick(), port="loop")
            self.leave(token, (token.step.id,) if targets is None else targets)
        else:
            loop.complete = True
            self.over(token, Done(loop.tick(), "done", {"errors": loop.errors} if loop.errors else None), loop)

    def leave_loops(self, loops: Sequence[Any]) -> None:
        for loop in loops:
            loop.gone = True
            self.forget_ticks(loop.step.id)

    def forget_ticks(self, *steps: str) -> None:
        """Of a loop that was left before it was done, no tick stays."""
        for step in steps:
            if self.outcomes[step]["status"] == "running":
                self.outcomes[step]["output"] = None
                self.outcomes[step].pop("meta", None)

    # After a step.

    def over(self, token: Any, outcome: Any, loop: Any = None) -> None:
        """What it has come to may still break: its mappings and routes are computed now."""
        try:
            if isinstance(outcome, Failure):
                raise Broken(outcome)
            self.done(token, outcome, loop)
        except EvaluationError as error:
            if loop:
                loop.complete = False
            self.broken(token, failure_of(error))

    def done(self, token: Any, done: Done, loop: Any) -> None:
        step, at = token.step, copy(token)
        at.loop = loop or token.loop
        extra = {"output": done.output, "port": done.port, "meta": done.meta}
        extra |= {
            "steps": {**self.outcomes, step.id: {"status": "completed", "output": done.output, "port": done.port}}
        }

        def computed(value: Value | None) -> Any:
            found = None if value is None else self.value(value, at, **extra)
            return None if found is UNDEFINED else found

        writes = {**done.assigned, **(computed(step.assign) or {})}
        writes |= dict.fromkeys(computed(step.unassign) or (), UNDEFINED)
        now = variables(token) | writes
        extra |= {"vars": {name: value for name, value in now.items() if value is not UNDEFINED}}
        targets = self.chosen(step.routes, at, [done.port, *map(computed, step.ports)], **extra)
        until = computed(step.pause_until)
        if targets is None and step.routes and step.unrouted == "fail":
            raise broken("UNROUTED", Category.PERMANENT)
        kept = {"output": done.output if step.keep_output else None, "port": done.port}
        self.outcomes[step.id] = {"status": "completed", **kept, **({"meta": done.meta} if done.meta else {})}
        self.completed = {**{s: o for s, o in self.completed.items() if s != step.id}, step.id: kept["output"]}
        self.count += 1
        write(token, step.id, writes, self.count)
        if loop:
            loop.gone, token.loop = loop.parent is not None, loop.parent or loop
        if until is None or until <= self.now:
            self.leave(token, targets or ())
        else:
            token.due, token.paused, token.targets, token.whole = until, True, targets or (), None
            self.inside.append(token)

    def broken(self, token: Any, failure: Failure) -> None:
        """On to a route for errors, back to a loop that goes on after errors, or the execution fails."""
        step, loops, outcome = token.step, around(token.loop), _failed(failure)
        self.outcomes[step.id], error = outcome, outcome["error"]
        targets = self.chosen(step.on_error, token, [*failure.names, "error"], error=error)
        going_on = (loop for loop in loops if loop.step.work.continue_on_error and not loop.complete)
        loop = next((loop for loop in going_on if loop.step is not step), None)
        if targets is not None:
            self.leave(token, targets)
        elif loop:
            self.leave_loops(loops[: loops.index(loop)])
            loop.errors.append(error)
            self.outcomes[loop.step.id]["meta"] = {"errors": loop.errors}
            token.loop = loop
            self.leave(token, (loop.step.id,))
        else:
            self.failures[step.id] = failure
            self.stopped.append(token)

    def leave(self, token: Any, targets: Sequence[str]) -> None:
        self.count += 1
        step = token.step.id
        for target in dict.fromkeys(targets):
            carried = {"vars": dict(token.vars) if self.flowing else self.vars, "past": token.past, "loop": token.loop}
            closes = (step, target) in self.joins.closing
            onward = Token(step=self.steps[target], came=[step], back=closes, since=self.count, **carried)
            if target in self.tokens:
                join(self.tokens[target], onward, self.joins.order.index)
            self.tokens[target] = onward
        if not targets:
            end = Thing(vars=dict(token.vars) if self.flowing else self.vars, past=token.past)
            merge(self, end, self.joins.order.index)
            self.vars, self.past = end.vars, end.past

    def child(self, workflow: str, given: Json, place: Place) -> Reference:
        child = Reference(self.workflows, workflow, given, self.script)
        child.name, child.depth = f"{self.name}/{place.step}.{place.run}.{place.item}", self.depth + 1
        child.now = self.now
        self.unclear |= child.play().unclear
        return child

    def account(self) -> dict[str, Any]:
        """How it stands."""
        return {
            "status": self.status,
            "output": self.output,
            "error": self.error and _failed(self.error)["error"],
            "runs": dict(self.runs),
            "outcomes": self.outcomes,
            "variables": variables(self),
            "failed_steps": [step for step in self.steps if step in self.failures and self.status == "failed"],
        }
