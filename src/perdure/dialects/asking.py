"""Steps that ask a language model, as ports and graph write them: what the author has written, read and told of.

A plain question is one task. One that may call tools, has to answer in JSON, or has a budget is a small graph of steps, all parts
of the one that the author wrote (`conversing`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from perdure.dialects.approvals import Render
from perdure.dialects.conversing import Conversation, Tool
from perdure.dialects.fields import Fields
from perdure.dialects.tools import missing_tool
from perdure.expressions.wording import kind, nearest, shown
from perdure.model.catalog import LOCAL, Catalog, called
from perdure.model.executors import LLM, NODE, OURS
from perdure.model.steps import Retry, Step, Work
from perdure.model.values import Json, Value

KEYS: Final = (
    *("systemPrompt", "userPrompt", "prompt", "temperature", "maxTokens", "outputFormat", "outputSchema", "tools"),
    *("threadId", "maxToolRounds", "tokenBudget", "onBudget", "approverRole", "approverMemberId", "name", "model"),
)
_ROUNDS: Final = 8
_ROUNDS_MAX: Final = 50
_TOOLS_MAX: Final = 128
_DESCRIPTION_MAX: Final = 1_000
"""Providers refuse what is longer."""

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
    schema = _schema(fields, "outputSchema")
    if form == "text" and schema is not None:
        fields.warning("no_effect", "outputSchema", 'a schema has an effect only with "outputFormat": "json"')
    _tell(fields)
    budget = fields.whole("tokenBudget", least=1)
    has_budget = budget is not None or question.has_budget
    asks_people = fields.choice("onBudget", ("fail", "approve"), "fail") == "approve"
    if asks_people:
        _tell_of_people(fields, has_budget=has_budget)
    conversation = Conversation(
        question.id,
        _prompts(fields, question.render),
        form,
        schema if form == "json" else None,
        _tools(fields, question.catalog),
        _rounds(fields),
        question.retry,
        question.timeout_ms,
        has_budget,
        budget,
        _approver(fields, question.render) if has_budget and asks_people else None,
    )
    if conversation.is_plain:
        return Asked(conversation.question())
    return Asked(conversation.answer(), conversation.meta(), conversation.parts(), is_object=form == "json")


def _prompts(fields: Fields, render: Render) -> dict[str, Value]:
    """What is asked, under the names that the task has for it."""
    names = {"systemPrompt": "system", "userPrompt": "prompt", "prompt": "prompt"}
    keys = (*names, "temperature", "maxTokens", "threadId")
    return {names.get(key, key): render(fields, key) for key in keys if fields.has(key)}


def _tell_of_people(fields: Fields, *, has_budget: bool) -> None:
    if not has_budget:
        message = "nobody is ever asked: neither the step nor the workflow has a tokenBudget"
        fields.warning("no_effect", "onBudget", message)
    elif not fields.has("approverMemberId") and not fields.has("approverRole"):
        message = "nobody in particular is asked: whoever has the role approver can decide; name approverMemberId or approverRole"
        fields.warning("unassigned", "onBudget", message)


def _approver(fields: Fields, render: Render) -> dict[str, Value]:
    names = {"approverMemberId": "member", "approverRole": "role"}
    return {name: render(fields, key) for key, name in names.items() if fields.has(key)}


def _rounds(fields: Fields) -> int:
    rounds = fields.whole("maxToolRounds")
    if rounds is not None and rounds > _ROUNDS_MAX:
        fields.problem("out_of_range", "maxToolRounds", f"'maxToolRounds' is {rounds}; the most is {_ROUNDS_MAX}")
    return _ROUNDS if rounds is None else rounds


def _schema(fields: Fields, key: str) -> dict[str, Json] | None:
    """A JSON Schema, if there is one; what is none is a problem."""
    given = fields.object(key)
    if not given:
        return None
    from perdure import schemas  # noqa: PLC0415  most documents have no schema, and need not wait for it

    for violation in schemas.problems(given):
        message = f"{key!r} is not a JSON Schema: {violation.message}"
        fields.faults.problem("invalid_schema", f"{fields.at(key)}{violation.path}", message, step=fields.step)
    return given


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
    given_tools = fields.array("tools")
    if len(given_tools) > _TOOLS_MAX:
        fields.problem("out_of_range", "tools", f"there are {len(given_tools)} tools; the most is {_TOOLS_MAX}")
        return ()
    for number, item in enumerate(given_tools):
        path = f"{fields.at('tools')}/{number}"
        given = {"name": item} if isinstance(item, str) else item
        if not isinstance(given, dict):
            fields.faults.problem(
                "wrong_type", path, f"a tool is a name or an object, not {kind(item)}", step=fields.step
            )
            continue
        for each in _each(Fields(given, path, fields.faults, fields.step), catalog):
            tool = _tool(each, catalog, taken=tools)
            if tool is not None:
                tools[tool.name] = tool
    if len(tools) > _TOOLS_MAX:
        message = (
            f"with all of its connections there are {len(tools)} tools; the most is {_TOOLS_MAX}; name those it needs"
        )
        fields.problem("out_of_range", "tools", message)
        return ()
    return tuple(tools.values())


def _each(given: Fields, catalog: Catalog) -> Iterator[Fields]:
    """A connection alone stands for all of its tools, as they are known when the document is saved."""
    connection = given.given.get("connectionId")
    if not isinstance(connection, str) or any(given.has(key) for key in ("name", "toolName")):
        yield given
        return
    there = [task.name for task in catalog.tasks if task.connection == connection]
    if not there:
        why = catalog.why_not(connection) or "nobody has asked the server for them"
        message = (
            f"the tools of the connection {shown(connection)} are not known, and the model would be given none: {why}"
        )
        given.faults.obstacle("unknown_tools", given.path, message, step=given.step, ref=connection)
    for name in there:
        yield Fields({**given.given, "name": name}, given.path, given.faults, given.step)


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
    task = called(name, connection)
    if _is_part(task):
        # What it is given is made by the step: whoever gives it something else reads the threads of others, beside the budget.
        message = f"{shown(name)} is a part of steps, and no tool: a model may call tasks that somebody has registered"
        given.faults.problem("not_a_tool", given.path, message, step=given.step, ref=name)
        return None
    schema = catalog.task(name, connection)
    if schema is None:
        near = nearest(name, [task.name for task in catalog.tasks if task.connection == LOCAL])
        message = (
            f"nobody has registered the task {shown(name)}, which the model may call{near}"
            if connection == LOCAL
            else missing_tool(connection, name, catalog)
        )
        given.faults.shared_warning("unknown_task", given.path, message, step=given.step, ref=name)
    short = _OTHER_CHARACTER.sub("_", name)[:64]
    if short in taken:
        given.faults.problem(
            "duplicate_id", given.path, f"two tools have the name {shown(short)} for the model", step=given.step
        )
        return None
    written = _schema(given, "parameters") or _schema(given, "inputSchema")
    parameters = written or _resolved(schema.input if schema else None)
    described = given.text("description") or (schema.description if schema else "") or name
    return Tool(short, task, described[:_DESCRIPTION_MAX], parameters)


def _is_part(task: str) -> bool:
    own = task.removeprefix(f"{LOCAL}/")
    return own == LLM or own.startswith((NODE, OURS))


def _resolved(schema: Json) -> dict[str, Json]:
    """What a task takes, as a model has to be told it: an object, not a reference to one."""
    if not isinstance(schema, dict):
        return {"type": "object"}
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/$defs/"):
        definitions = schema.get("$defs", {})
        found = definitions.get(reference.removeprefix("#/$defs/"))
        schema = {**found, "$defs": definitions} if isinstance(found, dict) else schema
    return schema if schema.get("type") == "object" else {"type": "object"}
