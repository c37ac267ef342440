"""What a workflow must come to, worked out a second time: slowly, plainly, and without the core.

A list of future happenings sorted by time, dicts, sets and recursion: no facts, no store, no crash. Work is a generator
that yields how long it waits (None: until it is told) and returns what it came to. Ids are written as names, and the
engine's own failures have their code for a message.

If happenings of different causes reach an execution in one millisecond, their order means nothing: the case is `tied`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.model import steps as m
from perdure.model.failure import Category, Failure
from perdure.model.values import NOTHING, Json, Value
from perdure.model.workflow import Chain, EventCancel, Workflow
from perdure.testing.expressions import compile_value
from perdure.testing.script import Place, Script
from perdure.testing.summary import Account

START = 1_000_000
NEVER = float("inf")
Edges: TypeAlias = Mapping[str, Sequence[str]]
Doing: TypeAlias = Generator[float | None, Any, Any]


class Happening(Struct, frozen=True):
    """Something that somebody outside does to the execution `main`, so long after its start."""

    after_ms: int
    act: Literal["cancel", "retry"]
    compensate: bool = True


class Expected(Struct, frozen=True):
    """The accounts of all executions by their names: `main`, `main/step.run.item`, `main/chain number.place`."""

    accounts: dict[str, Account]
    tied: bool


def expected(
    workflows: Mapping[str, Workflow], name: str, given: Json, script: Script, happenings: Iterable[Happening] = ()
) -> Expected:
    """What comes of starting workflow `name`, when nothing more can happen."""
    world = _World(workflows, script)
    main = world.start("main", name, given)
    for happening in happenings:
        act = (main.cancel, "no longer wanted", happening.compensate) if happening.act == "cancel" else (main.retry,)
        world.later(happening.after_ms, main, _act(*act))
    world.run()
    return Expected({name: found.account() for name, found in world.executions.items()}, world.tied)


class _Thing(SimpleNamespace):
    """Anything with fields: a piece of work, a token, a loop. Two are equal only if they are one."""

    __eq__ = object.__eq__
    turn = 0


class _Broken(EvaluationError):
    """The work failed for good; it holds the failure."""


def _act(act: Callable[..., Any], *given: Any) -> _Thing:
    """A piece of work that is done at once."""

    def doing() -> Doing:
        yield from ()
        act(*given)

    return _Thing(work=doing())


def _refusal(code: str, category: Category = Category.VALIDATION) -> Failure:
    return Failure(code, category, code, retriable=False)


def _failure(error: EvaluationError) -> Failure:
    return error.args[0] if isinstance(error, _Broken) else _refusal("EXPRESSION")


def _failed(failure: Failure) -> dict[str, Json]:
    names = ("message", "category", "code", "retriable", "details")
    return {"status": "failed", "error": {name: getattr(failure, name) for name in names}}


def _fits(pattern: Sequence[str], segments: Sequence[str]) -> bool:
    if not pattern or not segments:
        return not segments and all(part in ("**", "#") for part in pattern)
    if pattern[0] in ("**", "#"):
        return _fits(pattern[1:], segments) or _fits(pattern, segments[1:])
    return pattern == ["*"] or (pattern[0] in ("*", segments[0]) and _fits(pattern[1:], segments[1:]))


def _reach(step: str, edges: Edges) -> set[str]:
    """The steps that control can come to."""
    found, todo = set[str](), [step]
    while todo:
        new = [target for target in edges[todo.pop()] if target not in found]
        found.update(new)
        todo += new
    return found


def _tick(loop: Any) -> dict[str, Json]:
    """What a tick of a loop answers with."""
    size, total, before = loop.step.work.batch_size, len(loop.items), loop.ticks - (not loop.complete)
    start = total if loop.complete else before * size
    state = {"currentIndex": start, "totalItems": total, "iterations": before, "batchesProcessed": before}
    answer: dict[str, Json] = {"state": {**state, "isComplete": loop.complete}, "batch": None}
    if not loop.complete:
        batch = loop.items[start : start + size]
        place = {"index": before, "startIndex": start, "endIndex": start + len(batch) - 1}
        answer |= {"batch": {**place, "size": len(batch), "items": batch}, **({"item": batch[0]} if size == 1 else {})}
    return answer


def _loop(loop: Any) -> dict[str, Json]:
    """The loop that control is in."""
    view = {"owner": loop.step.id, "items": loop.items, **_tick(loop)}
    view |= {"index": view["state"]["currentIndex"]} if "item" in view else {}
    view |= {"errors": loop.errors} if loop.errors else {}
    return view | ({"parent": _loop(loop.parent)} if loop.parent else {})


class _World:
    """The clock, the agenda and what executions know of each other."""

    def __init__(self, workflows: Mapping[str, Workflow], script: Script) -> None:
        self.workflows, self.script, self.now, self.tied = workflows, script, START, False
        self.order = self.cause = self.turns = 0
        self.agenda, self.events = list[tuple[Any, ...]](), list[dict[str, Json]]()
        self.reached, self.compiled = dict[tuple[float, str], int](), dict[int, Any]()
        self.executions: dict[str, _Execution] = {}

    def start(self, name: str, workflow: str, given: Json, **more: Any) -> _Execution:
        found = self.executions[name] = _Execution(self, name, self.workflows[workflow], given, **more)
        self.later(0, found, _Thing(work=found.begin()))
        return found

    def later(self, wait: float, of: _Execution, piece: Any, value: Any = None) -> None:
        """Let a piece of work go on after a while, unless it has gone on before."""
        self.order += 1
        cause = self.order if wait > 0 else self.cause
        self.agenda.append((self.now + max(wait, 0), self.order, cause, of, piece, piece.turn, value))

    def run(self) -> None:
        while self.agenda:
            self.agenda.sort(key=lambda entry: entry[:2])
            time, _, self.cause, of, piece, turn, value = self.agenda.pop(0)
            self.now, self.turns = int(time), self.turns + 1
            if piece.turn == turn:
                near = {cause for at, _, cause, o, p, t, _ in self.agenda if at == time and o is of and p.turn == t}
                self.tied |= near | {self.reached.setdefault((time, of.name), self.cause)} != {self.cause}
                of.resume(piece, value)
                of.play()

    def publish(self, event_type: str, data: Json) -> None:
        self.events.append({"id": "event", "type": event_type, "at": self.now, "payload": data})
        for execution in self.executions.values():
            if execution.awaits(self.events[-1], len(self.events) - 1):
                self.later(0, execution, _act(execution.arrived, self.events[-1], len(self.events) - 1))


class _Execution:
    def __init__(self, world: _World, name: str, workflow: Workflow, given: Json, **more: Any) -> None:
        self.world, self.name, self.workflow, self.given = world, name, workflow, given
        self.parent, self.depth, self.retries = more.get("parent"), more.get("depth", 0), more.get("retries", 0)
        self.allowed_ms = workflow.deadline_ms if more.get("deadline_ms") is None else more["deadline_ms"]
        self.begun, self.since, self.retried, self.entered, self.count = False, len(world.events), 0, 0, 0
        self.status, self.retrying, self.flowing = "running", False, workflow.variables == "flowing"
        self.output: Any = None
        self.error: Failure | None = None
        self.left_ms: float | None = None
        self.clock: Any = None
        self.undone: Any = None
        self.failures, self.failed_steps = list[tuple[str, Failure]](), tuple[str, ...]()
        self.vars, self.past, self.completed = dict[str, Any](), {"": 0}, dict[str, Any]()
        self.outcomes: dict[str, Any] = {}
        self.tokens, self.live, self.chains = dict[str, Any](), dict[str, Any](), dict[str, str]()
        self.halted, self.pieces, self.consumed = list[Any](), list[Any](), set[int]()
        self.runs, self.opened, self.spent = Counter[str](), Counter[str](), Counter[str]()
        self.steps = {step.id: step for step in workflow.steps}
        self.edges = {s.id: [t for r in (*s.routes, *s.on_error) for t in r.to] for s in workflow.steps}
        self.found, self.closing, self.held = list[str](), set[tuple[str, str]](), dict[tuple[str, str], bool]()
        for step in (*(entry.step for entry in workflow.entries), *self.steps):
            self.search(step, [])
        ahead = {step: [t for t in self.edges[step] if (step, t) not in self.closing] for step in self.steps}
        self.rank: list[str] = []
        while left := [step for step in self.steps if step not in self.rank]:
            self.rank.append(next(step for step in left if not any(step in _reach(u, ahead) for u in left)))

    # The graph.

    def search(self, step: str, path: list[str]) -> None:
        """Depth first: an edge that leads back into the path it comes from closes a cycle."""
        if step not in self.found:
            self.found.append(step)
            for target in self.edges[step]:
                if target in (*path, step):
                    self.closing.add((step, target))
                self.search(target, [*path, step])

    def cycles(self, step: str, edges: Edges) -> list[tuple[str, Edges]]:
        """The cycles that a step is in, the widest first: the header that control enters by, and the edges inside."""
        cycle = {u for u in _reach(step, edges) if step in _reach(u, edges)}
        if not cycle:
            return []
        header = min(cycle, key=self.found.index)
        inside = {u: [target for target in edges[u] if target in cycle and target != header] for u in cycle}
        return [(header, inside), *self.cycles(step, inside)]

    def holds_up(self, one: str, step: str) -> bool:
        """Whether control at one step can still come to another, without going back to the header of a cycle of both."""
        if (one, step) not in self.held:
            shared = [inside for _, inside in self.cycles(step, self.edges) if one in inside]
            self.held[one, step] = step in _reach(one, [self.edges, *shared][-1])
        return self.held[one, step]

    def may_enter(self, step: str) -> bool:
        """No live step can still come to it; and where control came back to begin a cycle again, that is quiet."""
        token, live = self.tokens.get(step), {*self.tokens, *self.live} - {step}
        if token is None or step in self.live or len(self.live) >= (self.workflow.parallel_max or NEVER):
            return False
        if token.step.join == "any":
            return True
        headers = dict(self.cycles(step, self.edges))
        if token.back and step in headers and live & headers[step].keys():
            return False
        again = {u for u, other in self.tokens.items() if other.back and u not in self.live and u in headers}
        return not any(self.holds_up(u, step) for u in live - again - {*(headers.get(step, ()) if token.back else ())})

    def ready(self) -> list[str]:
        """What may be entered now, in the order of the workflow; where only so many may be open, in order of arrival."""
        if self.status != "running" or self.failures or self.retrying:
            return []
        found = [step for step in self.steps if self.may_enter(step)]
        return sorted(found, key=lambda step: self.tokens[step].since) if self.workflow.parallel_max else found

    # Values.

    def value(self, value: Value | None, at: Any = None, **extra: Json) -> Json:
        """Computed as seen from a token, from a piece of work, or from the execution as a whole."""
        if value is None:
            return UNDEFINED
        if id(value) not in self.world.compiled:
            self.world.compiled[id(value)] = compile_value(value)
        found = self.world.compiled[id(value)]
        return found.evaluate(self.scope(at, extra, local=any(path[0] == "local" for path in found.reads)))

    def json(self, value: Value | None, at: Any = None, **extra: Json) -> Json:
        found = self.value(value, at, **extra)
        return None if found is UNDEFINED else found

    def time(self, value: Value | None, at: Any, **extra: Json) -> int | None:
        found = self.json(value, at, **extra)
        if found is not None and (isinstance(found, bool) or not isinstance(found, int | float)):
            raise EvaluationError
        return None if found is None else int(found)

    def text(self, value: Value, at: Any) -> str:
        if isinstance(found := self.value(value, at), str) and found:
            return found
        raise EvaluationError

    def items(self, value: Value, token: Any, most: int | None, size: int = 1) -> list[Json]:
        found = self.value(value, token)
        if not isinstance(found, list):
            raise _Broken(_refusal("NOT_AN_ARRAY"))
        if most is not None and len(found) > most * size:
            raise _Broken(_refusal("LIMIT", Category.PERMANENT))
        return found

    def holds(self, condition: Value | None, at: Any, **extra: Json) -> bool:
        """A condition that cannot be computed is false."""
        try:
            return condition is None or truthy(self.value(condition, at, **extra))
        except EvaluationError:
            return False

    def scope(self, at: Any, extra: dict[str, Json], *, local: bool = False) -> dict[str, Json]:
        live = getattr(at, "live", None)
        token = live.token if live else at
        last = next(reversed(token.came if token else self.completed), None)
        scope: dict[str, Json] = {"input": self.given, "steps": self.outcomes, "now": self.world.now}
        scope |= {"execution": {"id": self.name, "workflow": self.workflow.name, "depth": self.depth}}
        scope |= {"came": token.came if token else [], "vars": self.seen(token.vars if token else self.vars)}
        scope |= {"last": {"step": last, **self.outcomes[last]}} if last else {}
        scope |= {"loop": _loop(self.around(token.loop)[0])} if token and self.around(token.loop) else {}
        scope |= {"item": live.items[at.item], "index": at.item} if live and live.items is not None else {}
        if local and token and token.step.locals is not None and "local" not in extra:
            extra = {"local": self.value(token.step.locals, at, **extra, local={}), **extra}
        return scope | extra

    def seen(self, variables: dict[str, Any]) -> dict[str, Json]:
        return {name: write.value for name, write in variables.items() if write.value is not UNDEFINED}

    # Tokens.

    def activate(self, step: str, token: Any) -> None:
        """Two tokens before one step are one."""
        if there := self.tokens.get(step):
            token.vars, token.past = self.merged(there, token)
            token.came = [*(other for other in there.came if other not in token.came), *token.came]
            token.since, token.back = there.since, there.back and token.back
            token.loop = next((f for f in self.around(token.loop) if f in self.around(there.loop)), None)
        self.tokens[step] = token

    def merged(self, there: Any, arriving: Any) -> tuple[dict[str, Any], dict[str, int]]:
        """A write that the other path has seen gives way to its; of two unseen ones the later in the graph stays."""
        past = {s: max(there.past.get(s, 0), arriving.past.get(s, 0)) for s in there.past | arriving.past}
        found = {**there.vars, **arriving.vars} if self.flowing else self.vars
        for name in there.vars.keys() & arriving.vars.keys() if self.flowing else ():
            old, new = there.vars[name], arriving.vars[name]
            if old.order > arriving.past.get(old.step, 0):
                stays = new.order <= there.past.get(new.step, 0)
                found[name] = old if stays or self.rank.index(old.step) > self.rank.index(new.step) else new
        return found, past

    def around(self, loop: Any) -> list[Any]:
        return [*([] if loop.gone else [loop]), *self.around(loop.parent)] if loop else []

    def leave(self, token: Any, targets: Iterable[str], *, back: bool = False) -> None:
        self.count += 1
        step = token.step.id
        for target in dict.fromkeys(targets):
            closes = back or (step, target) in self.closing
            more = {"vars": dict(token.vars) if self.flowing else self.vars, "past": token.past, "loop": token.loop}
            self.activate(target, _Thing(step=self.steps[target], came=[step], back=closes, since=self.count, **more))
        if not targets:
            self.vars, self.past = self.merged(self, token)

    # Entering.

    def begin(self) -> Doing:
        yield 0  # what is published with a start comes before it
        self.begun, self.left_ms, variables = True, self.allowed_ms, self.vars
        for entry in self.workflow.entries[:1]:
            variables = {} if self.flowing else self.vars
            more = {"vars": variables, "past": {"": 0}, "loop": None, "back": False, "since": 0}
            self.activate(entry.step, _Thing(step=self.steps[entry.step], came=[], **more))
        try:
            self.write(variables, "", self.json(self.workflow.initial) or {})
        except EvaluationError:
            self.fail([("", _refusal("EXPRESSION"))])

    def write(self, into: dict[str, Any], step: str, values: dict[str, Json]) -> None:
        into.update({name: _Thing(value=value, step=step, order=self.count) for name, value in values.items()})

    def play(self) -> None:
        """Enter what may be entered; then see what that means for the whole."""
        while steps := self.ready():
            for step in steps:  # what is ready together is entered together
                if self.may_enter(step):
                    self.enter(step)
        if self.failures and (self.workflow.on_failure == "abandon" or all(p.kind == "pause" for p in self.pieces)):
            self.fail(self.failures)
        elif self.status == "running" and self.begun and not (self.live or self.tokens or self.retrying):
            self.complete()
        if self.undone and self.undone["phase"] == "settling" and not self.pieces:
            self.open(None, self.compensation, lambda *_: None)
        self.set_clock()

    def enter(self, step: str) -> None:
        if self.entered >= (self.workflow.steps_max or NEVER):
            self.failures.append((step, _refusal("LIMIT", Category.PERMANENT)))
            self.outcomes[step] = _failed(self.failures[-1][1])
            return
        token = self.tokens.pop(step)
        self.entered += 1
        self.runs[step] += 1
        try:
            self.work(token, token.step, token.step.work)
        except EvaluationError as error:
            self.broken(token, _failure(error))

    def work(self, token: Any, step: m.Step, work: m.Work) -> None:
        match work:
            case m.Compute():
                self.done(token, self.json(work.output, token))
            case m.Condition():
                if not isinstance(found := self.json(work.test, token), bool | None):
                    raise _Broken(_refusal("NOT_BOOLEAN"))
                self.done(token, bool(found), "true" if found else "false")
            case m.SetVariables():
                found = {}
                for name, value in work.values:
                    new = self.value(value, token, vars=self.seen(token.vars) | found)
                    found |= {} if new is UNDEFINED else {name: new}
                self.done(token, found, assigned=found)
            case m.Publish():
                kind, data = self.text(work.type, token), self.json(work.data, token)
                if self.done(token, {"eventId": "event", "type": kind}):
                    self.world.later(0, self, _act(self.world.publish, kind, data))
            case m.Fail():
                message = str(self.value(work.message, token))
                raise _Broken(Failure(message, work.category, work.code, retriable=False))
            case m.Loop():
                self.loop(token, work)
            case _:
                items = None if step.each is None else self.items(step.each.items, token, step.each.items_max)
                todo = [-1] if items is None else list(range(len(items)))
                live = _Thing(token=token, step=step, items=items, todo=todo, results={}, kept=[], error=None)
                self.live[step.id], live.open = live, True
                if items is not None:
                    self.opened[step.id] += 1
                    live.run = self.opened[step.id]
                self.hand_out(live)

    def loop(self, token: Any, work: m.Loop) -> None:
        around = self.around(token.loop)
        loop = next((f for f in around if f.step is token.step and not f.complete), None)
        if loop:
            self.leave_loops(around[: around.index(loop)])
        else:
            items = self.items(work.items, token, work.iterations_max, work.batch_size)
            parent = around[0] if around and not around[0].complete else None
            loop = _Thing(step=token.step, items=items, ticks=0, complete=False, gone=False, parent=parent, errors=[])
        if loop.ticks * work.batch_size < len(loop.items):
            loop.ticks, token.loop = loop.ticks + 1, loop
            self.outcomes[token.step.id] = {"status": "running", "output": _tick(loop), "port": "loop"}
            targets = self.chosen(token.step.routes, token, ["loop"])
            self.leave(token, (token.step.id,) if targets is None else targets)
        else:
            loop.complete = True
            self.done(token, _tick(loop), "done", {"errors": loop.errors} if loop.errors else None, loop=loop)

    def leave_loops(self, loops: Iterable[Any]) -> None:
        for loop in loops:
            loop.gone = True
            self.forget_ticks(loop.step.id)

    def forget_ticks(self, *steps: str) -> None:
        """Of a loop that was left before it was done, no tick stays."""
        for step in steps:
            if self.outcomes[step]["status"] == "running":
                self.outcomes[step]["output"] = None

    # Open work.

    def hand_out(self, live: Any) -> None:
        """Begin the work, or of a forEach as many items as may be under way; end the step when all are over."""
        step, each = live.step, live.step.each or m.ForEach(NOTHING)
        while live.open and live.todo and not live.error and len(self.of(live)) < each.concurrency:
            self.open(live, getattr(self, type(step.work).__name__.lower()), self.ended, live.todo.pop(0))
        if not live.open or (self.of(live) and not (live.error and each.in_flight == "abandon")):
            return
        if live.error or not live.todo:
            live.open = False
            del self.live[step.id]
            if live.error:
                self.broken(live.token, live.error, live)
            elif live.items is None:
                self.done(live.token, **live.results[-1], live=live)
            else:
                results = [live.results.get(n, {"output": None})["output"] for n in range(len(live.items))]
                self.done(live.token, results, live=live)

    def of(self, live: Any) -> list[Any]:
        return [piece for piece in self.pieces if live and piece.live is live]

    def open(self, live: Any, doing: Any, then: Any, item: int = -1, due: int | None = None) -> None:
        self.count += 1
        piece = _Thing(live=live, kind=doing.__name__, item=item, order=self.count, doing=doing, then=then, due=due)
        piece.child = piece.pattern = piece.place = None
        piece.calls, piece.asked, piece.dues, piece.spent, piece.reserved = 0, 0, {}, Counter[str](), {}
        self.take_up(piece)

    def take_up(self, piece: Any) -> None:
        piece.work = piece.doing(piece)
        self.pieces.append(piece)
        self.resume(piece)

    def resume(self, piece: Any, value: Any = None) -> None:
        """Let the work go on until it waits again or is over."""
        piece.turn += 1
        try:
            wait = piece.work.send(value)
        except StopIteration as end:
            result = end.value
        except EvaluationError as error:
            result = _failure(error)
        else:
            if wait is not None:
                self.world.later(wait, self, piece)
            return
        if piece in self.pieces:
            self.pieces.remove(piece)
            piece.then(piece, result)

    def ended(self, piece: Any, result: Any) -> None:
        """A piece of work is over, with what `done` takes or with a failure."""
        live, single = piece.live, piece.live.items is None
        if self.status != "running":  # it settled after the end: nothing follows from it
            if single:
                self.record(live.step.id, result)
            return
        if not isinstance(result, Failure):
            live.results[piece.item] = result
        elif single or live.step.each.on_error == "fail":
            live.error = live.error or (
                result if single else replace(result, message=f"item {piece.item}: {result.message}")
            )
        if single or (live.error and isinstance(result, Failure)):
            self.keep(piece)
        self.hand_out(live)

    def record(self, step: str, result: Any) -> None:
        if isinstance(result, Failure):
            self.outcomes[step] = _failed(result)
        else:
            self.outcomes[step] = {"status": "completed", "port": None, **result}
            self.completed = {**{s: o for s, o in self.completed.items() if s != step}, step: self.outcomes[step]}

    def opens(self, p: Any) -> Place:
        """The work has really begun: the step has been opened once more, unless its forEach has been."""
        if p.live.items is None:
            self.opened[p.live.step.id] += 1
            p.live.run = self.opened[p.live.step.id]
        return Place(self.workflow.name, p.live.step.id, p.live.run, p.item)

    def task(self, p: Any, **extra: Json) -> Doing:
        work, retry, failures = p.live.step.work, p.live.step.work.retry, 0
        if not p.place:
            self.reserve(p, work)
            p.given = self.json(work.input, p, **extra)
            p.place = self.opens(p)
        p.reserved = dict(work.reserve)
        while True:
            now, p.in_flight, p.asked = self.world.now, True, self.world.turns
            answer = self.world.script.task(replace(p.place, failures=p.calls), p.given)
            # Asked again under the same key, it answers or is too late when it would have been; what is overdue comes
            # when nothing else can happen at this time.
            dues = p.dues.setdefault(p.calls, (now + answer.after_ms, now + (work.timeout_ms or NEVER)))
            wait, limit = (max(due - now, 0.5) for due in dues)
            late = limit < wait
            yield min(limit, wait)
            error = Failure("TIMEOUT", Category.TIMEOUT, "TIMEOUT") if late else answer.error
            for amounts in (self.spent, p.spent):
                amounts.update(dict(() if late else answer.usage))
            if error is None:
                return {"output": answer.output, "port": answer.port}
            failures, names = failures + 1, set(error.names)
            fits = not names & set(retry.never) and (not retry.only or names & set(retry.only))
            over = self.status != "running" and not extra
            if over and error.category == Category.TIMEOUT:  # it may have had its effect, and nobody knows
                self.lose(p)
            if over or not error.retriable or not fits or failures >= retry.attempts_max:
                raise _Broken(error)
            self.reserve(p, work)
            p.calls, p.in_flight = p.calls + 1, False
            yield int(min(retry.delay_ms * retry.multiplier ** (failures - 1), retry.delay_max_ms))

    def reserve(self, p: Any, work: m.Task) -> None:
        """What the next call may spend must be there, beside what others have set aside."""
        for unit, amount in work.reserve:
            others = sum(other.reserved.get(unit, 0) for other in self.pieces if other is not p)
            whole, own = dict(self.workflow.budget).get(unit, NEVER), dict(work.budget).get(unit, NEVER)
            if self.spent[unit] + others + amount > whole or p.spent[unit] + amount > own:
                raise _Broken(_refusal("BUDGET", Category.BUSINESS))

    def timer(self, p: Any) -> Doing:
        now, until = self.world.now, self.time(p.live.step.work.until, p)
        if until is None:
            delay = self.time(p.live.step.work.delay_ms, p)
            if delay is None:
                raise EvaluationError
            until = now + delay
        if until > now:
            self.opens(p)
            p.due = until
            yield until - now
        return {"output": {"slept": True, "ms": max(until - now, 0)}}

    def eventwait(self, p: Any) -> Doing:
        work, world = p.live.step.work, self.world
        pattern, limit = self.text(work.pattern, p), self.time(work.timeout_ms, p)
        p.pattern, p.due = pattern, None if limit is None else world.now + limit
        p.since = self.since if work.lookback else len(world.events)
        for number, event in enumerate(world.events):
            if self.awaits(event, number, p):
                world.later(0, self, _act(self.arrived, event, number))
        if answer := world.script.event(self.opens(p)):
            kind = pattern.replace("**", "any").replace("*", "any")
            world.later(answer.after_ms, self, _act(world.publish, kind, answer.data))
        event = yield limit
        if event is None:
            raise _Broken(_refusal("TIMEOUT", Category.TIMEOUT))
        output = event["payload"] if work.output is None else self.json(work.output, p, event=event)
        return {"output": output, "event": event}

    def awaits(self, event: dict[str, Json], number: int, *waits: Any) -> list[Any]:
        """The cancellations and waits that the event is for: once per execution, the oldest first."""
        if self.status != "running" or not self.begun or number in self.consumed:
            return []
        cancels = [] if waits else [cancel for cancel in self.workflow.cancels if self.fits(cancel, None, event)]
        opened = [p for p in waits or self.pieces if p.pattern and number >= p.since and self.fits(p, p, event)]
        return cancels + sorted(opened, key=lambda p: p.order)

    def fits(self, wait: Any, at: Any, event: dict[str, Json]) -> bool:
        condition = at.live.step.work.condition if at else wait.condition
        fits = _fits(wait.pattern.split("."), event["type"].split("."))
        return fits and self.holds(condition, at, event=event)

    def arrived(self, event: dict[str, Json], number: int) -> None:
        for wait in self.awaits(event, number)[:1]:
            self.consumed.add(number)
            if isinstance(wait, EventCancel):
                self.cancel(wait.reason, wait.compensate)
            else:
                self.resume(wait, event)

    def approval(self, p: Any) -> Doing:
        work, now = p.live.step.work, self.world.now
        request, p.due = self.json(work.request, p), self.time(work.due_at, p)
        answer, decided, decision, by = self.world.script.approval(self.opens(p)), NEVER, "", ""
        if answer and len(answer.voters) >= work.votes_required:
            decided, decision, by = now + answer.after_ms, answer.decision, answer.voters[work.votes_required - 1]
        if p.due is not None and p.due <= decided:
            self.world.tied |= p.due == decided
            yield p.due - now
            p.due = None
            if work.on_timeout == "fail":
                raise _Broken(_refusal("TIMEOUT", Category.TIMEOUT))
            if work.on_timeout in ("approve", "reject"):
                decided, decision, by = self.world.now, work.on_timeout, "system"
        if decided > self.world.now:
            yield None if decided == NEVER else decided - self.world.now
        status = "approved" if decision == "approve" else "rejected"
        output = {"approvalId": f"approval of {p.live.step.id}", "status": status, "decision": decision}
        return {"output": {**output, "decidedBy": by, "comments": None, "request": request}, "port": status}

    def child(self, p: Any) -> Doing:
        work = p.live.step.work
        name, given = self.text(work.workflow, p), self.json(work.input, p)
        if self.depth >= self.workflow.depth_max:
            self.chains["-1"] = "skipped"
            return {"output": None}
        if name not in self.world.workflows:
            raise _Broken(_refusal("UNKNOWN_WORKFLOW"))
        place = self.opens(p)
        child = f"{self.name}/{place.step}.{place.run}.{place.item}"
        more = {"deadline_ms": work.deadline_ms, "retries": work.retries_max, "depth": self.depth + 1}
        p.child = self.world.start(child, name, given, parent=(self, p) if work.wait else None, **more)
        if not work.wait:
            return {"output": child}
        output, error = yield None
        if error is None:
            return {"output": output}
        details = {"execution": child, "error": error.details}
        message = f"the workflow it started failed: {error.message}"
        raise _Broken(replace(error, message=message, retriable=False, details=details))

    def pause(self, p: Any) -> Doing:
        yield p.due - self.world.now

    def paused(self, piece: Any, _: Any) -> None:
        del self.live[piece.live.step.id]
        self.leave(piece.live.token, piece.live.targets)

    # Leaving.

    def done(self, token: Any, output: Json, port: str | None = None, meta: Json = None, **more: Any) -> bool:
        """Whether the step really is done: values that cannot be computed break it even now."""
        step, loop = token.step, more.get("loop")
        at = _Thing(**{**vars(token), "loop": loop}) if loop else token
        extra = {"output": output, "port": port, "meta": meta, "event": more.get("event")}
        extra |= {"steps": {**self.outcomes, step.id: {"status": "completed", "output": output, "port": port}}}
        try:
            writes = {**more.get("assigned", {}), **(self.json(step.assign, at, **extra) or {})}
            writes |= dict.fromkeys(self.json(step.unassign, at, **extra) or (), UNDEFINED)
            now = {name: value for name, value in {**self.seen(token.vars), **writes}.items() if value is not UNDEFINED}
            extra |= {"vars": now}
            ports = [port, *(self.json(value, at, **extra) for value in step.ports)]
            targets, until = self.chosen(step.routes, at, ports, **extra), self.time(step.pause_until, at, **extra)
            if targets is None and step.routes and step.unrouted == "fail":
                raise _Broken(_refusal("UNROUTED", Category.PERMANENT))
        except EvaluationError as error:
            if loop:
                loop.complete = False
            self.broken(token, _failure(error), more.get("live"))
            return False
        kept = {"output": output if step.keep_output else None, "port": port}
        self.record(step.id, kept if meta is None else {**kept, "meta": meta})
        self.count += 1
        self.write(token.vars, step.id, writes)
        token.past = {**token.past, step.id: self.count}
        if loop:
            loop.gone, token.loop = loop.parent is not None, loop.parent or loop
        if until is None or until <= self.world.now:
            self.leave(token, targets or ())
        else:
            live = self.live[step.id] = _Thing(token=token, step=step, items=None, kept=[], targets=targets or ())
            self.open(live, self.pause, self.paused, due=until)
        return True

    def broken(self, token: Any, failure: Failure, live: Any = None) -> None:
        step, around, back = token.step, self.around(token.loop), False
        self.outcomes[step.id] = _failed(failure)
        targets = self.chosen(step.on_error, token, [*failure.names, "error"], error=_failed(failure)["error"])
        for loop in around if targets is None else ():
            if loop.step.work.continue_on_error and not loop.complete and loop.step is not step:
                self.leave_loops(around[: around.index(loop)])
                loop.errors.append(_failed(failure)["error"])
                token.loop, targets, back = loop, (loop.step.id,), True
                break
        if targets is not None:
            self.give_up(self.of(live))
            self.leave(token, targets, back=back)
        else:
            self.failures.append((step.id, failure))
            self.halt(live or _Thing(token=token, step=step, items=None, kept=[]))

    def chosen(self, routes: Iterable[m.Route], token: Any, ports: Sequence[Json], **extra: Json) -> Any:
        for route in routes:
            if (route.port is None or route.port in ports) and self.holds(route.when, token, **extra):
                return route.to
        return None

    # Stopping, and going on.

    def keep(self, piece: Any) -> None:
        """A retry takes up a task or a pause as it was; of anything else it does the item, or the step, anew."""
        if piece.kind == "pause" or piece.place:
            piece.live.kept.append(piece)
        elif piece.live.items is not None:
            piece.live.todo.insert(0, piece.item)

    def halt(self, live: Any) -> None:
        """Nobody waits for what is open of this step; a retry can go on from here."""
        for piece in self.give_up(self.of(live)):
            self.keep(piece)
        if live.items is None and not live.kept:
            self.activate(live.step.id, live.token)
        else:
            self.halted.append(live)

    def give_up(self, pieces: Iterable[Any]) -> Iterable[Any]:
        for piece in pieces:
            piece.turn += 1
            self.pieces.remove(piece)
            self.tell(piece)
            if piece.asked == self.world.turns:  # opened and given up in one turn: nobody has been asked
                piece.dues.pop(piece.calls, None)
        return pieces

    def tell(self, piece: Any) -> None:
        if piece.child:
            self.world.later(0, piece.child, _act(piece.child.cancel, "the execution that started it ended"))

    def fail(self, failures: list[tuple[str, Failure]]) -> None:
        """The execution fails, unless it may try again by itself after a while."""
        failures = sorted(failures, key=lambda failure: [*self.steps, ""].index(failure[0]))
        error = failures[0][1]
        if len(failures) > 1:
            message = "; ".join(f"{step}: {failure.message}" for step, failure in failures)
            error = replace(error, message=message, retriable=all(failure.retriable for _, failure in failures))
        if self.retries and error.retriable:
            self.stop([])
            self.retrying = True
            self.world.later(min(5_000 * 2**self.retried, 300_000), self, _act(self.retry, self.retried))
        else:
            self.failed_steps = tuple(step for step, _ in failures if step)
            self.end("failed", error, undo=self.workflow.compensate_on_failure)

    def cancel(self, reason: str, compensate: bool = True) -> None:
        if self.status == "running":
            self.end("cancelled", Failure(reason, Category.BUSINESS, "CANCELLED", retriable=False), undo=compensate)

    def stop(self, settling: list[Any]) -> None:
        for piece in settling:
            self.pieces.remove(piece)
            self.tell(piece)
        for live in self.live.values():
            live.open = False
            self.halt(live)
        self.live, self.pieces, self.failures = {}, settling, []

    def end(self, status: str, error: Failure | None = None, *, undo: bool = False) -> None:
        """For good, but for a retry. What is in flight may settle first if what was done is to be undone."""
        undo = undo and bool(self.workflow.compensations)
        settling = [p for p in self.pieces if undo and (p.child or (p.place and p.in_flight))]
        for p in settling:
            limit = (p.live.step.work.timeout_ms if p.place else None) or self.workflow.settle_ms
            self.world.later(limit, self, _act(self.lose, p))
        self.stop(settling)
        self.status, self.error, self.retrying = status, error, False
        self.undone = {"phase": "settling", "plan": [], "failed": [], "unknown": []} if undo else None
        if status != "failed" or undo:
            self.tokens, self.halted = {}, []
            self.forget_ticks(*self.outcomes)
        if self.parent:
            of, piece = self.parent
            self.world.later(0, of, piece, (self.output, error))

    def lose(self, piece: Any) -> None:
        if piece in self.pieces:
            piece.turn += 1
            self.pieces.remove(piece)
            self.undone["unknown"] = sorted({*self.undone["unknown"], piece.live.step.id})

    def retry(self, number: int | None = None) -> None:
        """A failed execution goes on where it failed: by itself for the `number`th time, or because somebody asks."""
        by_itself, failed = self.retrying, self.status == "failed" and not self.undone
        if not (by_itself or (failed and number is None)) or number not in (None, self.retried):
            return
        self.left_ms = self.left_ms if by_itself else self.allowed_ms
        self.retries, self.retried = self.retries - by_itself, self.retried + by_itself
        self.status, self.error, self.retrying, self.entered = "running", None, False, 0
        halted, self.halted = self.halted, []
        for live in halted:
            kept, live.kept, live.error, live.open, self.live[live.step.id] = live.kept, [], None, True, live
            for piece in kept:
                self.take_up(piece)
            if live.items is not None:
                self.hand_out(live)

    def complete(self) -> None:
        try:
            last = next(reversed(self.completed.values()), {"output": None})["output"]
            self.output = last if self.workflow.output is None else self.json(self.workflow.output)
        except EvaluationError:
            self.fail([("", _refusal("EXPRESSION"))])
        else:
            self.end("completed")
            self.world.later(0, self, _act(self.fire))

    def fire(self) -> None:
        for number, chain in enumerate(self.workflow.chains):
            try:
                self.chains[str(number)] = self.chain(number, chain)
            except EvaluationError:
                self.chains[str(number)] = "failed"

    def chain(self, number: int, chain: Chain) -> str:
        def missing(*without: str, **extra: Json) -> bool:
            scope = self.scope(None, {"output": self.output, **extra})
            return bool(compile_value(chain.input).missing(scope, frozenset(without)))

        if self.depth >= self.workflow.depth_max:
            return "skipped"
        items = None if chain.items is None else self.value(chain.items, output=self.output)
        if items is not UNDEFINED and not isinstance(items, list | None):
            return "failed"
        if items is UNDEFINED or missing(*([] if items is None else ["item", "index"])):
            return "skipped"
        each = [{}] if items is None else [{"item": item, "index": n} for n, item in enumerate(items)]
        given = {n: self.value(chain.input, output=self.output, **e) for n, e in enumerate(each) if not missing(**e)}
        if each and chain.workflow not in self.world.workflows:
            return "failed"
        more = {"deadline_ms": chain.deadline_ms, "retries": chain.retries_max, "depth": self.depth + 1}
        for n, one in given.items():
            self.world.start(f"{self.name}/chain {number}.{n}", chain.workflow, one, **more)
        return f"planned {len(each)}"

    def compensation(self, p: Any) -> Doing:
        """What has completed is undone, the last first; a failure to undo does not keep the next from its turn."""
        first = {c.of: c for c in reversed(self.workflow.compensations)}
        done = {step: {"step": step, **outcome} for step, outcome in reversed(self.completed.items()) if step in first}
        plan = [[first[step].by, step] for step in done if self.holds(first[step].when, None, undone=done[step])]
        self.undone |= {"phase": "running", "plan": plan}
        for by, step in plan:
            token = _Thing(step=self.steps[by], came=[], vars=self.vars, loop=None)
            p.live, p.place, p.calls = _Thing(token=token, step=self.steps[by], items=None), None, 0
            p.dues, p.spent, p.reserved = {}, Counter[str](), {}
            try:
                self.record(by, (yield from self.task(p, undone=done[step])))
            except EvaluationError as error:
                self.record(by, _failure(error))
                self.undone["failed"].append(by)
        self.undone["phase"] = "done"

    # How it stands.

    def busy(self) -> bool:
        return self.retrying or bool(self.ready()) or any(p.kind in ("task", "child") for p in self.pieces)

    def set_clock(self) -> None:
        """The time that is left runs, but not while people and events are all that is waited for."""
        asking = any(p.kind in ("eventwait", "approval") for p in self.pieces) and not self.busy()
        stopped = self.status != "running" or (self.workflow.deadline_pauses and asking)
        if self.clock and stopped:
            self.clock.turn, self.left_ms = 1, self.clock.due - self.world.now
            self.clock = None
        elif not self.clock and not stopped and self.left_ms is not None:
            self.clock = _act(self.fail, [("", _refusal("TIMEOUT", Category.TIMEOUT))])
            self.clock.due = self.world.now + self.left_ms
            self.world.later(self.left_ms, self, self.clock)

    def account(self) -> Account:
        status, waiting = self.status, None
        if status == "running" and not self.busy():
            first = min(self.pieces, key=lambda p: (NEVER if p.due is None else p.due, p.order))
            kind = {"approval": "approval", "eventwait": "event"}.get(first.kind, "timer")
            status, waiting = "waiting", f"{kind} {first.live.step.id}"
        error = None if self.error is None else self.error.message
        came_to = (self.workflow.name, status, waiting, self.output, error, dict(self.runs), self.outcomes)
        return Account(*came_to, self.seen(self.vars), self.failed_steps, self.undone, self.chains)
