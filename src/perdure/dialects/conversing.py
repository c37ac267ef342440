"""What a step becomes that asks a language model more than one plain question: a small graph of steps, all parts of the one that
the author wrote, so that each call of the model and of a tool is an operation of its own, and is not bought twice.

    begin ──▶ turns ──▶ ask ──answer──▶ (the step itself)
                ▲        │├──repair──▶ turns
                └── call ◀┘
                    ▲  └──▶ tool-1, tool-2, …, which lead to told
                    └─ told
    With a budget:    turns ──▶ weigh ──▶ ask ──over budget──▶ budget ──approved──▶ granted, which leads on as ask does

`begin` renders the prompts, `turns` is what has been said so far, `weigh` finds out what the question may cost. `call` hands out
what the model asks for, one by one and in its order; each tool has a step that calls it: what the model names that is not among
them has no step to go to. `told` keeps what came of it. `said` is where ask and granted come together, if there are both.
`refused` fails if people reject; whoever has the execution tried again after that has them asked again.

What tools answer and models say may be large, and what an expression makes may not. So it is only passed on here, by paths and as
it is: each answer of a tool holds those before it, and the task `llm` makes messages of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from perdure.dialects.values import constants, objects, quoted
from perdure.model.executors import LLM
from perdure.model.steps import Approval, Compute, Retry, Route, Step, Task, Work
from perdure.model.values import Expression, Json, Value

_TOKENS: Final = 4_096
"""So long an answer may be, if there is a budget and nobody says how long."""

_ONCE: Final = Retry(attempts_max=1)
"""Who lets a call be made that is over the budget lets one be made."""

_TOOL: Final = "tool-"


def part_of(step: str, name: str) -> str:
    """The id of a part."""
    return f"{step}/{name}"


class Tool(Struct, frozen=True):
    """What the model calls it by, and the task that it is."""

    name: str
    task: str
    description: str
    parameters: dict[str, Json]


class Conversation(Struct, frozen=True):
    """
    prompts   what is asked, under the names of `LlmInput`
    rounds    so many times the model may ask for tools
    budget    that of the step; `has_budget` also if only the execution has one
    approver  of whom it is asked whether more may be spent; None: nobody is
    """

    id: str
    prompts: Mapping[str, Value]
    form: str
    schema: Json
    tools: tuple[Tool, ...]
    rounds: int
    retry: Retry
    timeout_ms: int | None
    has_budget: bool
    budget: int | None
    approver: Mapping[str, Value] | None

    @property
    def is_plain(self) -> bool:
        return self.form == "text" and not self.tools and not self.has_budget

    def question(self) -> Task:
        """All of it, if it is plain."""
        return self._task({**self.prompts, "plain": True})

    def answer(self) -> Work:
        """What the step itself does, when its parts have done theirs."""
        return Compute(Expression(f"{self._said}.output.answer"))

    def meta(self) -> Value:
        return Expression(f"{self._said}.meta")

    def parts(self) -> tuple[Step, ...]:
        asked = "weigh" if self.has_budget else "ask"
        return (
            self._step("begin", Compute(objects(dict(self.prompts))), Route((self._part("turns"),))),
            self._step("turns", Compute(self._turns()), Route((self._part(asked),))),
            *self._weighing(),
            self._step("ask", self._ask(), *self._onward(), on_error=self._over_budget()),
            *self._calls(),
            *self._people(),
        )

    def _part(self, name: str) -> str:
        return part_of(self.id, name)

    def _outcome(self, name: str) -> str:
        """An expression: the last outcome of a part."""
        return f"steps[{quoted(self._part(name))}]"

    @property
    def _asker(self) -> str:
        return "ask" if self.approver is None else "said"

    @property
    def _said(self) -> str:
        return self._outcome(self._asker)

    def _came(self, name: str) -> str:
        return f"came.includes({quoted(self._part(name))})"

    def _step(self, name: str, work: Work, *routes: Route, **more: Any) -> Step:
        return Step(self._part(name), work, routes, join="any", part_of=self.id, **more)

    def _task(self, given: dict[str, Json], **more: Any) -> Task:
        return Task(LLM, objects(given), **{"retry": self.retry, "timeout_ms": self.timeout_ms, **more})

    def _onward(self) -> tuple[Route, ...]:
        return self._by_kind() if self.approver is None else (Route((self._part("said"),)),)

    def _by_kind(self) -> tuple[Route, ...]:
        calls = (Route((self._part("call"),), "tools"),) if self.tools else ()
        return (Route((self.id,), "answer"), *calls, Route((self._part("turns"),), "repair"))

    def _turns(self) -> Value:
        """turns, answers: what was said since the prompt, unless it is there that this `begins` · round: how often tools were
        asked for · about: what it has cost so far.
        """
        own = f"{self._outcome('turns')}.output"
        begins, called = self._came("begin"), self._came("call")
        return constants(
            begins=Expression(begins),
            turns=Expression(f"{self._said}.output.turns"),
            answers=Expression("last.output.answers"),
            round=Expression(f"{begins} ? 0 : {own}.round + ({called} ? 1 : 0)"),
            repaired=Expression(f"!{begins} && ({own}.repaired || !{called})"),
            about=Expression(f"{begins} ? null : {self._said}.meta.llm"),
        )

    def _asked(self) -> dict[str, Json]:
        """What the task is given, each time."""
        begin, turns = f"{self._outcome('begin')}.output", f"{self._outcome('turns')}.output"
        given: dict[str, Json] = {key: Expression(f"{begin}.{key}") for key in self.prompts}
        if self.has_budget:
            given["maxTokens"] = Expression(f"{begin}.maxTokens ?? {_TOKENS}")
        tools = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in self.tools
        ]
        return given | {
            "begins": Expression(f"{turns}.begins"),
            "turns": Expression(f"{turns}.turns"),
            "answers": Expression(f"{turns}.answers"),
            "soFar": Expression(f"{turns}.about"),
            "format": self.form,
            "schema": self.schema,
            "tools": tools,
            "mayCall": Expression(f"{turns}.round < {self.rounds}"),
            "mayRepair": Expression(f"!{turns}.repaired"),
        }

    def _most(self) -> str:
        """As the task reads it: a template may make a text of digits."""
        return f"Number({self._outcome('begin')}.output.maxTokens ?? {_TOKENS})"

    def _weighing(self) -> list[Step]:
        if not self.has_budget:
            return []
        return [self._step("weigh", self._task(self._asked() | {"weigh": True}), Route((self._part("ask"),)))]

    def _ask(self, *, reserves: bool = True) -> Task:
        if not self.has_budget:
            return self._task(self._asked())
        weight = f"{self._outcome('weigh')}.output.tokens"
        given = self._asked() | {"weight": Expression(weight)}
        if not reserves:
            return self._task(given, retry=_ONCE)
        more: dict[str, Any] = {"reserve": (("tokens", Expression(f"{weight} + {self._most()}")),)}
        if self.budget is not None:
            spent = f"({self._outcome('turns')}.output.about?.usage.totalTokens ?? 0)"
            more["budget"] = (("tokens", Expression(f"{self.budget} - {spent}")),)
        return self._task(given, **more)

    def _calls(self) -> list[Step]:
        """Who hands out the calls, and who makes them. A tool that fails is no failure of the step: the model is told."""
        if not self.tools:
            return []
        own, said = f"{self._outcome('call')}.output", f"{self._said}.output"
        begins = self._came(self._asker)
        output = constants(at=Expression(f"{begins} ? 0 : {own}.at + 1"), answers=Expression("last.output.answers"))
        answer = constants(
            id=Expression(f"{said}.calls[{own}.at].id"),
            value=Expression("last.output"),
            error=Expression("last.error.message"),
            before=Expression(f"{own}.answers"),
        )
        following = Expression(
            f"output.at < {said}.calls.length ? 'tool ' + {said}.calls[output.at].name : 'all are made'"
        )
        tools = {tool.name: f"{_TOOL}{number}" for number, tool in enumerate(self.tools, 1)}
        routes = [Route((self._part(part),), f"tool {name}") for name, part in tools.items()]
        back = Route((self._part("told"),))
        call = self._step(
            "call", Compute(output), *routes, Route((self._part("turns"),), "all are made"), ports=(following,)
        )
        given = Expression(f"{said}.calls[{own}.at].arguments")
        works = [Task(tool.task, given, retry=self.retry, timeout_ms=self.timeout_ms) for tool in self.tools]
        steps = zip(tools.values(), works, strict=True)
        told = self._step("told", Compute(constants(answers=answer)), Route((self._part("call"),)))
        return [call, *(self._step(part, work, back, on_error=(back,)) for part, work in steps), told]

    def _over_budget(self) -> tuple[Route, ...]:
        return () if self.approver is None else (Route((self._part("budget"),), "BUDGET"),)

    def _people(self) -> list[Step]:
        if self.approver is None:
            return []
        spent = f"{self._outcome('turns')}.output.about?.usage.totalTokens ?? 0"
        request = constants(
            step=self.id,
            reason=Expression(f"{self._outcome('ask')}.error.message"),
            spent=Expression(spent),
        )
        approval = Approval(
            request,
            member=self.approver.get("member"),
            role=self.approver.get("role"),
            details=constants(resourceType="budget"),
            fixed=True,
        )
        message = f"step {self.id!r} was not given more tokens: the request for them was rejected"
        refused = Task(LLM, constants(refused=message), retry=_ONCE)
        ways = (Route((self._part("granted"),), "approved"), Route((self._part("refused"),), "rejected"))
        kinds = (Expression("output.kind"),)
        return [
            self._step("budget", approval, *ways),
            self._step("granted", self._ask(reserves=False), Route((self._part("said"),))),
            self._step("refused", refused, Route((self._part("weigh"),))),
            self._step(
                "said", Compute(Expression("last.output")), *self._by_kind(), ports=kinds, meta=Expression("last.meta")
            ),
        ]


def _parts() -> Iterator[str]:
    """Of a step that has them all, but for the tools: what they fail of is told to the model."""
    every = Conversation(
        id="",
        prompts={},
        form="json",
        schema=None,
        tools=(Tool("", "", "", {}),),
        rounds=0,
        retry=_ONCE,
        timeout_ms=None,
        has_budget=True,
        budget=1,
        approver={},
    )
    names = (step.id.removeprefix(part_of("", "")) for step in every.parts())
    return (name for name in names if not name.startswith(_TOOL))


PARTS: Final = tuple(_parts())
"""What a step can fail in, beside itself."""
