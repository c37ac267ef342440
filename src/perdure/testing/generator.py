"""Random workflows: every kind of step, every modifier, and graphs that nobody would draw.

What is generated is valid, and comes to an end or to a wait: cycles are bounded by `steps_max`. Times are drawn from a
wide range, so that two things seldom happen in the same millisecond.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from perdure.model import check
from perdure.model import steps as m
from perdure.model.failure import Category
from perdure.model.values import Array, Constant, Expression, Json, Object, Text, Value
from perdure.model.workflow import Chain, Compensation, Entry, EventCancel, Workflow

INPUT: Json = {"n": 3, "items": [4, 5, 6], "flag": True}
SCHEMA: Json = {"anyOf": [{"type": "object", "maxProperties": 0}, {"type": "number", "minimum": 3}]}
TOPICS = ("order.paid", "order.*", "stock.low", "order.**")
VARIABLES = ("a", "b", "c")


def workflow(rng: random.Random, length: int = 5) -> tuple[Workflow, ...]:
    """A workflow, and the workflows that it may start."""
    children = tuple(_Builder(rng, f"child{n}", ()).build(rng.randint(1, 2)) for n in range(rng.choice((0, 1, 1, 2))))
    names = tuple(child.name for child in children)
    return (_Builder(rng, "main", names).build(rng.randint(1, length)), *children)


class _Builder:
    """Builds one workflow from its end to its beginning, so that every step knows where it leads."""

    def __init__(self, rng: random.Random, name: str, children: tuple[str, ...]) -> None:
        self.rng = rng
        self.name = name
        self.children = children
        self.steps: list[m.Step] = []
        self.count = 0
        self.cyclic = False

    def build(self, length: int) -> Workflow:
        rng = self.rng
        (entry,) = self.path((), length, 2) or (self.plain(()),)
        self.steps.reverse()
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            self.wild_edge()
        compensations = self.compensations() if self.rare(0.4) else ()
        return Workflow(
            name=self.name,
            steps=tuple(self.steps),
            entries=(Entry(entry),),
            variables=rng.choice(("shared", "flowing")),
            initial=Object(((Constant("a"), self.number()),)) if self.rare(0.3) else None,
            output=self.anything() if self.rare(0.4) else None,
            on_failure=rng.choice(("drain", "abandon")),
            parallel_max=rng.randint(1, 3) if self.rare(0.2) else None,
            steps_max=rng.randint(5, 40) if self.cyclic or self.rare(0.05) else None,
            deadline_ms=rng.randint(1_000, 25_000) if self.rare(0.15) else None,
            deadline_pauses=self.rare(0.5),
            budget=(("tokens", rng.randint(5, 60)),) if self.rare(0.15) else (),
            depth_max=rng.choice((0, 1, 2, 10, 10)),
            cancels=self.cancels() if self.rare(0.1) else (),
            compensations=compensations,
            compensate_on_failure=self.rare(0.5),
            settle_ms=rng.choice((0, 300, 3_000, 300_000)),
            chains=tuple(self.chain(own=not n and self.rare(0.1)) for n in range(rng.randint(1, 2)))
            if self.rare(0.25)
            else (),
            input_schema=self.input_schema(),
        )

    def input_schema(self) -> Json:
        """Of some children: by what they have become, not by chance, so that a seed stands for the workflow it always did."""
        return SCHEMA if self.name != "main" and self.count % 3 == 2 else None

    # Shapes.

    def path(self, then: tuple[str, ...], length: int, depth: int) -> tuple[str, ...]:
        for _ in range(length):
            shapes = (self.plain, self.fork, self.choice, self.loop, self.cycle)
            weights = (6, 2, 2, 2, 1) if depth and self.count < 12 else (1, 0, 0, 0, 0)
            shape = self.rng.choices(shapes, weights)[0]
            then = (self.plain(then) if shape == self.plain else shape(then, depth - 1),)  # type: ignore[arg-type]
        return then

    def new_id(self) -> str:
        self.count += 1
        return f"s{self.count}"

    def plain(self, then: tuple[str, ...], step_id: str | None = None) -> str:
        return self.add(self.work(), then, step_id)

    def add(self, work: m.Work, then: tuple[str, ...], step_id: str | None = None, **fields: Any) -> str:
        step_id = step_id or self.new_id()
        fields.setdefault("routes", self.routes(work, then))
        self.steps.append(m.Step(step_id, work, **{**self.modifiers(work, then), **fields}))
        return step_id

    def fork(self, then: tuple[str, ...], depth: int) -> str:
        join = self.plain(then)
        arms = [self.path((join,), self.rng.randint(1, 2), depth)[0] for _ in range(self.rng.randint(2, 3))]
        return self.plain(tuple(dict.fromkeys(arms)))

    def choice(self, then: tuple[str, ...], depth: int) -> str:
        yes = self.path(then, self.rng.randint(0, 2), depth)
        no = self.path(then, self.rng.randint(0, 1), depth)
        routes = (m.Route(yes, port="true"), m.Route(no, port="false"))
        return self.add(m.Condition(self.flag()), then, routes=routes)

    def loop(self, then: tuple[str, ...], depth: int) -> str:
        loop = self.new_id()
        body = self.path((loop,), self.rng.randint(0, 2), depth)
        work = m.Loop(
            self.items(),
            batch_size=self.rng.choice((1, 1, 2, 3)),
            iterations_max=2 if self.rare(0.05) else 1_000,
            continue_on_error=self.rare(0.4),
        )
        return self.add(work, then, loop, routes=(m.Route(body, port="loop"), m.Route(then, port="done")))

    def cycle(self, then: tuple[str, ...], depth: int) -> str:
        self.cyclic = True
        head, tail = self.new_id(), self.new_id()
        self.add(self.work(), then, tail, routes=(m.Route((head,), when=self.flag()), m.Route(then)))
        return self.plain(self.path((tail,), self.rng.randint(0, 2), depth), head)

    def wild_edge(self) -> None:
        """An edge from anywhere to anywhere."""
        self.cyclic = True
        place = self.rng.randrange(len(self.steps))
        step = self.steps[place]
        target = self.rng.choice(self.steps).id
        if self.rare(0.3):
            self.steps[place] = replace(step, on_error=(m.Route((target,)), *step.on_error))
        elif step.routes and self.rare(0.5):
            first = step.routes[0]
            wider = replace(first, to=tuple(dict.fromkeys((*first.to, target))))
            self.steps[place] = replace(step, routes=(wider, *step.routes[1:]))
        else:
            self.steps[place] = replace(step, routes=(m.Route((target,), when=self.flag()), *step.routes))

    def routes(self, work: m.Work, then: tuple[str, ...]) -> tuple[m.Route, ...]:
        if not then and self.rare(0.5):
            return ()
        if self.rare(0.2):
            port = {m.Approval: "approved", m.Task: "success"}.get(type(work), "odd")
            return (m.Route(then, port=port), *((m.Route(then[:1]),) if self.rare(0.7) else ()))
        if self.rare(0.1):
            return (m.Route(then[-1:], when=self.flag()), m.Route(then))
        return (m.Route(then),)

    # Work.

    def work(self) -> m.Work:
        kinds: tuple[Callable[[], m.Work], ...]
        kinds = (self.task, self.compute, self.condition, self.set_variables, self.publish, self.fail)
        kinds += (self.timer, self.event, self.approval, self.child)
        weights = (10, 2, 1, 2, 1, 0.3, 2, 2, 2, 2 if self.children else 0.1)
        return self.rng.choices(kinds, weights)[0]()

    def task(self) -> m.Task:
        return m.Task(
            "task",
            self.anything(),
            retry=self.retry() if self.rare(0.4) else m.Retry(jitter=0),
            timeout_ms=self.patience() if self.rare(0.2) else None,
            reserve=(("tokens", self.rng.randint(1, 9)),) if self.rare(0.3) else (),
            budget=(("tokens", self.rng.randint(1, 15)),) if self.rare(0.1) else (),
        )

    def retry(self) -> m.Retry:
        return m.Retry(
            attempts_max=self.rng.randint(2, 4),
            delay_ms=self.rng.randint(0, 3_000),
            multiplier=self.rng.choice((1.0, 2.0, 3.0)),
            delay_max_ms=self.rng.choice((2_000, 300_000)),
            jitter=0,
            only=self.rng.choice(((), (), ("E0", "TIMEOUT"), ("TRANSIENT",))),
            never=self.rng.choice(((), (), ("E1",))),
        )

    def compute(self) -> m.Compute:
        return m.Compute(self.anything()) if self.rare(0.8) else m.Compute()

    def condition(self) -> m.Condition:
        return m.Condition(self.flag())

    def set_variables(self) -> m.SetVariables:
        return m.SetVariables(tuple((self.rng.choice(VARIABLES), self.number()) for _ in range(self.rng.randint(1, 3))))

    def publish(self) -> m.Publish:
        return m.Publish(Constant(self.rng.choice(("order.paid", "order.sent.late", "stock.low"))), self.anything())

    def fail(self) -> m.Fail:
        return m.Fail(Text((Constant("on purpose "), self.number())), "E2", self.rng.choice(tuple(Category)))

    def timer(self) -> m.Timer:
        if self.rare(0.3):
            return m.Timer(
                delay_ms=Constant(self.time()), until=Expression(self.rng.choice((f"now + {self.time()}", "input.x")))
            )
        return m.Timer(delay_ms=Expression(f"{self.time()} + (index || 0) * 13") if self.rare(0.8) else Constant(0))

    def event(self) -> m.EventWait:
        return m.EventWait(
            Constant(self.rng.choice(TOPICS)),
            condition=self.rng.choice(
                (None, None, Expression("event.payload.flag"), Expression("event.payload.n + 1 < 6"))
            ),
            timeout_ms=Constant(self.patience()) if self.rare(0.6) else None,
            lookback=self.rare(0.7),
            output=Expression("event.payload.n") if self.rare(0.3) else None,
        )

    def approval(self) -> m.Approval:
        return m.Approval(
            self.anything(),
            due_at=Expression(f"now + {self.patience()}") if self.rare(0.5) else None,
            on_timeout=self.rng.choice(("stay", "fail", "approve", "reject", "escalate")),
            escalate_to=Constant("boss"),
            votes_required=self.rng.choice((1, 1, 2, 3, 4)),
        )

    def child(self) -> m.Child:
        return m.Child(
            Constant(self.rng.choice(self.children) if self.children and self.rare(0.95) else "nobody"),
            self.anything(),
            wait=self.rare(0.7),
            deadline_ms=self.time() * 2 if self.rare(0.1) else None,
            retries_max=self.rng.choice((0, 0, 1, 2)),
        )

    # Modifiers.

    def modifiers(self, work: m.Work, then: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if isinstance(work, check.REPEATABLE) and self.rare(0.2):
            found["each"] = self.each()
        if self.rare(0.4):
            found["on_error"] = self.error_routes(then)
        if self.rare(0.1):
            found["locals"] = Object(((Constant("x"), self.number()),))
        if self.rare(0.1):
            found["ports"] = (Expression("output.flag ? 'odd' : undefined"), Expression("output.step"))
        if self.rare(0.3):
            found["assign"] = Object(((Constant(self.rng.choice(VARIABLES)), self.result()),))
        if self.rare(0.06):
            found["unassign"] = Constant([self.rng.choice(VARIABLES)])
        if self.rare(0.08):
            found["pause_until"] = Expression(f"now + {self.time()}")
        if self.rare(0.1):
            found["unrouted"] = self.rng.choice(("warn", "fail"))
        if self.rare(0.1):
            found["join"] = "any"
        if self.rare(0.05):
            found["keep_output"] = False
        return found

    def each(self) -> m.ForEach:
        return m.ForEach(
            self.items(),
            concurrency=self.rng.randint(1, 3),
            items_max=2 if self.rare(0.1) else None,
            on_error=self.rng.choice(("fail", "continue")),
            in_flight=self.rng.choice(("drain", "abandon")),
        )

    def error_routes(self, then: tuple[str, ...]) -> tuple[m.Route, ...]:
        first = m.Route(then, port=self.rng.choice((None, None, "E0", "TRANSIENT", "TIMEOUT")))
        if self.rare(0.2):
            return (m.Route((), when=Expression("error.code == 'E1'")), first)
        return (first,)

    def compensations(self) -> tuple[Compensation, ...]:
        steps = list(self.steps)
        undo = self.add(self.task(), (), "undo", routes=(), each=None)
        other = self.add(m.Task("task", Expression("undone.output"), self.retry()), (), "undo2", routes=(), each=None)
        chosen = self.rng.sample(steps, min(len(steps), self.rng.randint(1, 4)))
        return tuple(
            Compensation(step.id, self.rng.choice((undo, other)), self.flag() if self.rare(0.2) else None)
            for step in chosen
        )

    def cancels(self) -> tuple[EventCancel, ...]:
        condition = Expression("event.payload.flag") if self.rare(0.5) else None
        return (EventCancel(self.rng.choice(TOPICS), condition, compensate=self.rare(0.5)),)

    def chain(self, *, own: bool) -> Chain:
        targets = (self.name,) if own else (*self.children * 3, "nobody")
        per_item = not own and self.rare(0.4)
        return Chain(
            self.rng.choice(targets),
            Object(((Constant("n"), Expression("item") if per_item else self.number()),)),
            items=self.items() if per_item else None,
            deadline_ms=self.time() if self.rare(0.1) else None,
            retries_max=self.rng.choice((0, 0, 1)),
        )

    # Values.

    def rare(self, probability: float) -> bool:
        return self.rng.random() < probability

    def time(self) -> int:
        return self.rng.randint(1, 6_000)

    def patience(self) -> int:
        """How long somebody waits: most often long enough for a script that answers within 5 s."""
        return self.time() + (0 if self.rare(0.3) else 5_000)

    def some_step(self) -> str:
        return f"s{self.rng.randint(1, self.count + 1)}"

    def number_source(self) -> str:
        sources = (
            str(self.rng.randint(0, 9)),
            "input.n",
            f"(vars.{self.rng.choice(VARIABLES)} || 0) + 1",
            f"(steps.{self.some_step()}.output.n || 0)",
            "(last.output.n || 1)",
            "(loop.item || 2)",
            "(item || 0) + (index || 0)",
            "(loop.state.currentIndex || 0)",
            "(local.x || 0)",
            "came.length",
        )
        fragile = f"(vars.{self.rng.choice(VARIABLES)} ?? 'unset').toFixed(0)"  # most often nobody has set it
        return fragile if self.rare(0.01) else self.rng.choice(sources)

    def number(self) -> Value:
        return Expression(self.number_source())

    def flag(self) -> Value:
        sources = (
            f"({self.number_source()}) % 2 == 0",
            f"({self.number_source()}) < 5",
            f"steps.{self.some_step()}.status == 'completed'",
            f"vars.{self.rng.choice(VARIABLES)} == undefined",
            "output.flag",
            "last.output.flag",
            "!input.flag",
        )
        return Expression(self.rng.choice(sources))

    def items(self) -> Value:
        choices = (
            Constant(list(range(self.rng.randint(0, 4)))),
            Constant(list(range(self.rng.randint(1, 3)))),
            Expression("input.items || [7, 8]"),
            Expression("last.output.items || [9]"),
            Array((self.number(), self.number())),
        )
        return Expression("last.output.items") if self.rare(0.03) else self.rng.choice(choices)

    def result(self) -> Value:
        """Of a step, from its output."""
        return Expression("output") if self.rare(0.1) else self.rng.choice((Expression("output.n"), self.number()))

    def anything(self) -> Value:
        choices = (
            self.number(),
            Constant({"n": self.rng.randint(0, 9), "items": [1, 2], "flag": self.rare(0.5)}),
            Object(
                ((Constant("n"), self.number()), (Constant("flag"), self.flag()), (Constant("items"), self.items()))
            ),
            Expression(f"steps.{self.some_step()}.output"),
            Expression("last.output"),
            Text((Constant("n = "), self.number())),
            Array((self.number(), Expression("came"))),
        )
        return self.rng.choice(choices)
