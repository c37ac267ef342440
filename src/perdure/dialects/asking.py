"""Steps that ask a language model, as ports and graph write them.

A plain question is one task. One that may call tools, has to answer in JSON, or has a budget is a small graph of steps, all parts
of the one that the author wrote, so that each call of the model and of a tool is an operation of its own, and not bought twice:

    begin ──▶ turns ──▶ ask ──answer──▶ (the step itself)
                ▲        │├──repair──▶ turns
                └─ tools ◀┘
                         └─ over budget ─▶ budget ─approved─▶ granted, which leads on as ask does

`begin` renders the prompts, `turns` is what has been said so far; each tool has a step that calls it, once for each call: what
the model names that is not among them has no step to go to. `said` is where ask and granted come together, if there are both.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from perdure.dialects.approvals import Render
from perdure.dialects.fields import Fields
from perdure.dialects.values import constants, objects, quoted
from perdure.expressions.wording import kind, nearest, shown
from perdure.model.catalog import LOCAL, Catalog, called
from perdure.model.executors import LLM
from perdure.model.failure import Category
from perdure.model.steps import Approval, Compute, Fail, ForEach, Retry, Route, Step, Task, Work
from perdure.model.values import Constant, Expression, Json, Value

KEYS: Final = (
    *("systemPrompt", "userPrompt", "prompt", "temperature", "maxTokens", "outputFormat", "outputSchema", "tools"),
    *("threadId", "maxToolRounds", "tokenBudget", "onBudget", "approverRole", "approverMemberId", "name", "model"),
)
_ROUNDS: Final = 8
_ROUNDS_MAX: Final = 50
_TOKENS: Final = 4_096
"""So long an answer may be, if there is a budget and nobody says how long."""

_TOOL_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_OTHER_CHARACTER: Final = re.compile(r"[^A-Za-z0-9_-]")


class Question(Struct, frozen=True):
    """`render` makes a value of a field; `has_budget`: the execution has one."""

    id: str
    fields: Fields
    render: Render
    catalog: Catalog
    retry: Retry = Retry()
    timeout_ms: int | None = None
    has_budget: bool = False


class Asked(Struct, frozen=True):
    """What the step itself does, what is kept beside its output, and the steps that are parts of it. `is_object`: the answer is
    JSON, and not text.
    """

    work: Work
    meta: Value | None = None
    parts: tuple[Step, ...] = ()
    is_object: bool = False


class Tool(Struct, frozen=True):
    """What the model calls it by, and the task that it is."""

    name: str
    task: str
    description: str
    parameters: Json


def asked(question: Question) -> Asked:
    fields = _unwrapped(question.fields)
    fields.faults.unknown_keys(
        fields.given,
        (*KEYS, "retryPolicy", "timeout", "description", "variableName", "label"),
        fields.path,
        step=fields.step,
        only_near=True,
    )
    form = fields.choice("outputFormat", ("text", "json"), "json" if fields.has("outputSchema") else "text")
    schema = fields.object("outputSchema") or None
    if form == "text" and schema is not None:
        fields.warning("no_effect", "outputSchema", 'a schema has an effect only with "outputFormat": "json"')
    _tell(fields)
    tools = _tools(fields, question.catalog)
    asks = _Asks(question, fields, form, schema if form == "json" else None, tools)
    if form == "text" and not tools and not asks.has_budget:
        return Asked(asks.task(asks.prompts() | {"plain": True}))
    return Asked(
        Compute(Expression(f"{asks.said}.output.answer")),
        asks.meta(),
        asks.parts(),
        is_object=form == "json",
    )


def _unwrapped(fields: Fields) -> Fields:
    """`{llmNode: {…}}` is the same as what is in it."""
    return fields.within("llmNode") if isinstance(fields.given.get("llmNode"), dict) else fields


def _tell(fields: Fields) -> None:
    for key in ("systemPrompt", "userPrompt", "prompt", "threadId"):
        fields.text(key)
    if fields.has("userPrompt") and fields.has("prompt"):
        fields.problem("contradiction", "prompt", "give 'userPrompt' or 'prompt', not both")
    if not any(fields.has(key) for key in ("systemPrompt", "userPrompt", "prompt")):
        fields.faults.problem(
            "missing_field",
            fields.path,
            "give 'systemPrompt', 'userPrompt' or both",
            step=fields.step,
            field="systemPrompt",
        )
    if fields.has("model"):
        message = "the model is the one that OPENAI_MODEL names, for all steps; this has no effect"
        fields.warning("no_effect", "model", message)
    temperature = fields.given.get("temperature")
    if temperature is not None and not _is_between(temperature, 0, 2) and not _is_template(temperature):
        fields.wrong("temperature", "a number from 0 to 2")
    if not _is_template(fields.given.get("maxTokens")):
        fields.whole("maxTokens", least=1)


def _is_between(value: Json, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def _is_template(value: Json) -> bool:
    return isinstance(value, str) and "{{" in value


def _tools(fields: Fields, catalog: Catalog) -> tuple[Tool, ...]:
    tools: dict[str, Tool] = {}
    for number, item in enumerate(fields.array("tools")):
        path = f"{fields.at('tools')}/{number}"
        given = {"name": item} if isinstance(item, str) else item
        if not isinstance(given, dict):
            fields.faults.problem(
                "wrong_type", path, f"a tool is a name or an object, not {kind(item)}", step=fields.step
            )
            continue
        tool = _tool(Fields(given, path, fields.faults, fields.step), catalog, taken=tools)
        if tool is not None:
            tools[tool.name] = tool
    return tuple(tools.values())


def _tool(given: Fields, catalog: Catalog, taken: dict[str, Tool]) -> Tool | None:
    given.faults.unknown_keys(
        given.given,
        ("name", "toolName", "connectionId", "description", "parameters", "inputSchema"),
        given.path,
        step=given.step,
    )
    name = given.word("name") or given.word("toolName")
    if name is None:
        given.missing("name")
        return None
    connection = given.word("connectionId") or LOCAL
    schema = catalog.task(name, connection)
    if schema is None:
        near = nearest(name, [task.name for task in catalog.tasks if task.connection == connection])
        message = f"nobody has registered the task {shown(name)}, which the model may call{near}"
        given.faults.warning("unknown_task", given.path, message, step=given.step, ref=name)
    short = _OTHER_CHARACTER.sub("_", name)[:64]
    if short in taken:
        given.faults.problem(
            "duplicate_id", given.path, f"two tools have the name {shown(short)} for the model", step=given.step
        )
        return None
    parameters = given.object("parameters") or given.object("inputSchema") or (schema.input if schema else None)
    if not isinstance(parameters, dict) or parameters.get("type") != "object":
        parameters = {"type": "object"}
    return Tool(short, called(name, connection), given.text("description") or name, parameters)


class _Asks:
    """Builds the parts of one step."""

    def __init__(self, question: Question, fields: Fields, form: str, schema: Json, tools: tuple[Tool, ...]) -> None:
        self.question, self.fields, self.form, self.schema, self.tools = question, fields, form, schema, tools
        self.step_budget = fields.whole("tokenBudget", least=1)
        self.has_budget = self.step_budget is not None or question.has_budget
        self.on_budget = fields.choice("onBudget", ("fail", "approve"), "fail")
        rounds = fields.whole("maxToolRounds")
        if rounds is not None and rounds > _ROUNDS_MAX:
            fields.problem("out_of_range", "maxToolRounds", f"'maxToolRounds' is {rounds}; the most is {_ROUNDS_MAX}")
        self.rounds = _ROUNDS if rounds is None else rounds
        self.asks_people = self.has_budget and self.on_budget == "approve"

    def part(self, name: str) -> str:
        return f"{self.question.id}/{name}"

    def outcome(self, name: str) -> str:
        """An expression: the last outcome of a part."""
        return f"steps[{quoted(self.part(name))}]"

    @property
    def said(self) -> str:
        return self.outcome("said" if self.asks_people else "ask")

    def prompts(self) -> dict[str, Json]:
        fields, render = self.fields, self.question.render
        prompt = next((key for key in ("userPrompt", "prompt") if fields.has(key)), None)
        found: dict[str, Json] = {}
        if fields.has("systemPrompt"):
            found["system"] = render(fields, "systemPrompt")
        if prompt is not None:
            found["prompt"] = render(fields, prompt)
        for key in ("temperature", "maxTokens", "threadId"):
            if fields.has(key):
                found[key] = render(fields, key)
        return found

    def task(self, given: dict[str, Json], **more: Json) -> Task:
        question = self.question
        return Task(LLM, objects(given), retry=question.retry, timeout_ms=question.timeout_ms, **more)

    def parts(self) -> tuple[Step, ...]:
        tools = self._tool_steps()
        steps = [
            self._step("begin", Compute(objects(self.prompts() or {"system": None})), Route((self.part("turns"),))),
            self._step("turns", Compute(self._turns(tools)), Route((self.part("ask"),))),
            self._step("ask", self._ask(reserves=True), *self._onward(), on_error=self._over_budget()),
            *tools,
            *self._people(),
        ]
        return tuple(steps)

    def _step(self, name: str, work: Work, *routes: Route, **more: Json) -> Step:
        return Step(self.part(name), work, routes, join="any", part_of=self.question.id, **more)

    def _onward(self) -> tuple[Route, ...]:
        if self.asks_people:
            return (Route((self.part("said"),)),)
        return self._by_kind()

    def _by_kind(self) -> tuple[Route, ...]:
        first = self.part("tool-1" if self.tools else "turns")
        return (
            Route((self.question.id,), "answer"),
            Route((first,), "tools"),
            Route((self.part("turns"),), "repair"),
        )

    def _ask(self, *, reserves: bool) -> Task:
        begin, turns = self.outcome("begin"), self.outcome("turns")
        given: dict[str, Json] = {
            key: Expression(f"{begin}.output.{key}")
            for key in ("system", "prompt", "temperature", "maxTokens", "threadId")
        }
        if self.has_budget:
            given["maxTokens"] = Expression(self._most())
        given |= {
            "turns": Expression(f"{turns}.output.turns"),
            "format": self.form,
            "schema": self.schema,
            "tools": [
                {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                for tool in self.tools
            ],
            "mayCall": Expression(f"{turns}.output.round < {self.rounds}"),
            "mayRepair": Expression(f"!{turns}.output.repaired"),
        }
        if not (reserves and self.has_budget):
            return self.task(given)
        more: dict[str, Json] = {"reserve": (("tokens", Expression(self._estimate())),)}
        if self.step_budget is not None:
            more["budget"] = (("tokens", Expression(f"{self.step_budget} - {turns}.output.spent")),)
        return self.task(given, **more)

    def _most(self) -> str:
        return f"({self.outcome('begin')}.output.maxTokens ?? {_TOKENS})"

    def _estimate(self) -> str:
        """What the call may cost: the longest answer, and the question. A token is mostly four letters, and hardly ever less than
        two.
        """
        begin, turns = f"{self.outcome('begin')}.output", f"{self.outcome('turns')}.output.turns"
        texts = " + ".join(f"(({begin}.{key} ?? '')|string).length" for key in ("system", "prompt"))
        fixed = len(str([tool.parameters for tool in self.tools])) + len(str(self.schema or ""))
        return f"{self._most()} + 16 + ({texts} + JSON.stringify({turns}).length + {fixed}) / 2"

    def _turns(self, tools: list[Step]) -> Value:
        own, said = self.outcome("turns"), f"{self.said}.output"
        meta = f"{self.said}.meta.llm"
        spent = (
            f"usage: {{promptTokens: {own}.output.usage.promptTokens + {meta}.usage.promptTokens,"
            f" completionTokens: {own}.output.usage.completionTokens + {meta}.usage.completionTokens,"
            f" totalTokens: {own}.output.usage.totalTokens + {meta}.usage.totalTokens}},"
            f" spent: {own}.output.spent + {meta}.usage.totalTokens, latencyMs: {own}.output.latencyMs + {meta}.latencyMs"
        )
        asker = self.part("said" if self.asks_people else "ask")
        repaired = (
            f"{{turns: [...{own}.output.turns, {said}.message, {said}.correction], round: {own}.output.round,"
            f" repaired: true, {spent}}}"
        )
        begun = (
            "{turns: [], round: 0, repaired: false, usage: {promptTokens: 0, completionTokens: 0, totalTokens: 0}, spent: 0,"
            " latencyMs: 0}"
        )
        source = f"came.includes({quoted(asker)}) ? {repaired} : {begun}"
        if tools:
            answers = "".join(f", ...{self._answers(number)}" for number in range(1, len(tools) + 1))
            called_ = (
                f"{{turns: [...{own}.output.turns, {said}.message, ...{said}.refused{answers}],"
                f" round: {own}.output.round + 1, repaired: {own}.output.repaired, {spent}}}"
            )
            source = f"came.includes({quoted(tools[-1].id)}) ? {called_} : {source}"
        return Expression(source)

    def _answers(self, number: int) -> str:
        """What the calls of one tool came to, as turns."""
        tool, outcome = self.tools[number - 1], self.outcome(f"tool-{number}")
        return (
            f"{self.said}.output.calls.filter(call => call.name == {quoted(tool.name)}).map((call, at) => ({{role: 'tool',"
            f" tool_call_id: call.id, content: {outcome}.meta?.errors?.[at] != null"
            f" ? 'error: ' + {outcome}.meta.errors[at].message : JSON.stringify({outcome}.output[at] ?? null)}}))"
        )

    def _tool_steps(self) -> list[Step]:
        steps: list[Step] = []
        for number, tool in enumerate(self.tools, 1):
            after = f"tool-{number + 1}" if number < len(self.tools) else "turns"
            calls = Expression(f"{self.said}.output.calls.filter(call => call.name == {quoted(tool.name)})")
            work = Task(
                tool.task, Expression("item.arguments"), retry=self.question.retry, timeout_ms=self.question.timeout_ms
            )
            failed = Expression("errors.some(error => error != null) ? {errors: errors} : {}")
            each = ForEach(calls, on_error="continue")
            steps.append(self._step(f"tool-{number}", work, Route((self.part(after),)), each=each, meta=failed))
        return steps

    def _over_budget(self) -> tuple[Route, ...]:
        return (Route((self.part("budget"),), "BUDGET"),) if self.asks_people else ()

    def _people(self) -> list[Step]:
        if not self.asks_people:
            return []
        fields, render = self.fields, self.question.render
        request = constants(
            step=self.question.id,
            reason=Expression(f"{self.outcome('ask')}.error.message"),
            spent=Expression(f"{self.outcome('turns')}.output.spent"),
        )
        approval = Approval(
            request,
            member=render(fields, "approverMemberId") if fields.has("approverMemberId") else None,
            role=render(fields, "approverRole") if fields.has("approverRole") else None,
            details=constants(resourceType="budget"),
            fixed=True,
        )
        refused = Fail(
            Constant(f"step {self.question.id!r} was not given more tokens: the request for them was rejected"),
            "BUDGET",
            Category.BUSINESS,
        )
        both = Expression("last.output")
        return [
            self._step(
                "budget",
                approval,
                Route((self.part("granted"),), "approved"),
                Route((self.part("refused"),), "rejected"),
            ),
            self._step("granted", self._ask(reserves=False), Route((self.part("said"),))),
            self._step("refused", refused),
            self._step(
                "said",
                Compute(both),
                *self._by_kind(),
                ports=(Expression("output.kind"),),
                meta=Expression("last.meta"),
            ),
        ]

    def meta(self) -> Value:
        own, meta = f"{self.outcome('turns')}.output", f"{self.said}.meta.llm"
        usage = ", ".join(
            f"{key}: {own}.usage.{key} + {meta}.usage.{key}"
            for key in ("promptTokens", "completionTokens", "totalTokens")
        )
        return Expression(
            f"{{llm: {{...{meta}, usage: {{{usage}}}, latencyMs: {own}.latencyMs + {meta}.latencyMs}},"
            f" threadId: {self.outcome('begin')}.output.threadId}}"
        )
