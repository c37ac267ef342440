"""Actions: what the engine does itself, and tasks that users register."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from perdure.dialects.fields import Fields
from perdure.dialects.ports.built import Around, Built, rendered, retry_of, template, timeout_of
from perdure.dialects.ports.document import StepDef
from perdure.dialects.ports.setting import is_free, refuse_sealed, refuse_secure, set_listed
from perdure.dialects.tools import tell_of_tool
from perdure.expressions.wording import nearest, shown
from perdure.model.catalog import LOCAL, called
from perdure.model.executors import LLM, NODE
from perdure.model.steps import Child, Publish, SetVariables, Task
from perdure.model.values import EMPTY, Value

Build: TypeAlias = Callable[[StepDef, Fields, Around], Built]

_OWN: Final = ("type", "parameters", "retryPolicy", "timeout")
_HTTP_KEYS: Final = ("url", "method", "headers", "query", "body", "json", "failOnError", "timeout")
_PLAIN: Final = {
    "log": ("message", "level", "data"),
    "http": _HTTP_KEYS,
    "webhook": _HTTP_KEYS,
    "email": ("to", "subject", "text", "html", "cc", "bcc", "replyTo"),
}
_NEEDED: Final = {"http": ("url",), "webhook": ("url",), "email": ("to", "subject")}
TOOL_ACTIONS: Final = ("mcp", "platform_integration")
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def action(step: StepDef, around: Around) -> Built:
    type_ = step.config.word("type", required=True)
    if type_ is None:
        return Built(Task("undefined"))
    if type_ == LLM:
        message = 'a language model is asked by a step of its own: write "stepType": "llm"'
        step.config.problem("unknown_type", "type", message)
        return Built(Task("undefined"))
    parameters = _parameters(step)
    build = _BUILT_IN.get(type_)
    if build is not None:
        return build(step, parameters, around)
    if type_ in _PLAIN:
        return _plain(step, type_, parameters, around)
    return _task(step, type_, parameters, around)


def _parameters(step: StepDef) -> Fields:
    """`config.parameters`, else the rest of `config`."""
    config = step.config
    if config.has("parameters"):
        return config.within("parameters")
    rest = {key: value for key, value in config.given.items() if key not in _OWN}
    return Fields(rest, config.path, config.faults, step.slug)


def _task(step: StepDef, type_: str, parameters: Fields, around: Around) -> Built:
    _warn_of_unknown(step, type_, around)
    return _called(step, type_, parameters, around)


def _called(step: StepDef, task: str, parameters: Fields, around: Around) -> Built:
    given = rendered(parameters.given, parameters.path, parameters, around, secrets=True)
    work = Task(task, given, retry=retry_of(step, around), timeout_ms=timeout_of(step))
    return Built(work, None)


def _plain(step: StepDef, type_: str, parameters: Fields, around: Around) -> Built:
    known = (*_PLAIN[type_], "name", "description")
    parameters.faults.unknown_keys(parameters.given, known, parameters.path, step=step.slug)
    for key in _NEEDED.get(type_, ()):
        if not parameters.has(key):
            parameters.missing(key)
    method = parameters.given.get("method")
    if type_ in ("http", "webhook") and isinstance(method, str) and "{{" not in method:
        parameters.choice("method", (*_METHODS, *(each.lower() for each in _METHODS)), "GET")
    if parameters.has("body") and parameters.has("json"):
        parameters.problem("contradiction", "json", "give 'body' or 'json', not both")
    return _called(step, type_, parameters, around)


def _set_variables(step: StepDef, parameters: Fields, around: Around) -> Built:
    """`variables`: an object, or a list of `{name, value, secure?}`; else the parameters themselves."""
    given = parameters.given.get("variables")
    if isinstance(given, list):
        return set_listed(step, parameters, given, around)
    values = parameters.within("variables") if parameters.has("variables") else parameters
    free = [name for name in values.given if is_free(values, name, name)]
    refuse_secure(values)
    for name in free:
        refuse_sealed(values, name, name, around.names)
    return Built(SetVariables(tuple((name, template(values, name, around)) for name in free)))


def _workflow(step: StepDef, parameters: Fields, around: Around) -> Built:
    """Starts another one. `wait`: the step ends with it and has its output; else its output is the id."""
    key = next((key for key in ("workflowId", "workflow", "name") if parameters.has(key)), "workflowId")
    known = ("workflowId", "workflow", "name", "input", "wait")
    parameters.faults.unknown_keys(parameters.given, known, parameters.path, step=step.slug)
    parameters.text(key, required=True)
    retry = retry_of(step, around)
    work = Child(
        template(parameters, key, around),
        template(parameters, "input", around) if parameters.has("input") else EMPTY,
        wait=parameters.flag("wait"),
        deadline_ms=timeout_of(step),
        retries_max=retry.attempts_max - 1,
    )
    return Built(work)


def _event(step: StepDef, parameters: Fields, around: Around) -> Built:
    key = next((key for key in ("type", "eventType", "event", "pattern") if parameters.has(key)), "eventType")
    data = next((key for key in ("payload", "data") if parameters.has(key)), None)
    known = ("type", "eventType", "event", "pattern", "payload", "data")
    parameters.faults.unknown_keys(parameters.given, known, parameters.path, step=step.slug)
    parameters.text(key, required=True)
    work = Publish(template(parameters, key, around), EMPTY if data is None else template(parameters, data, around))
    return Built(work)


def _mcp(step: StepDef, parameters: Fields, around: Around) -> Built:
    """A tool of a connection, or the Python task that stands in for it."""
    known = ("connectionId", "toolName", "input")
    parameters.faults.unknown_keys(parameters.given, known, parameters.path, step=step.slug)
    connection = parameters.word("connectionId", required=True)
    tool = parameters.word("toolName", required=True)
    given = _input(parameters, around)
    if connection is None or tool is None:
        return Built(Task("undefined"))
    tell_of_tool(parameters, connection, tool, around.catalog)
    work = Task(called(tool, connection), given, retry=retry_of(step, around), timeout_ms=timeout_of(step))
    return Built(work, None)


def _input(parameters: Fields, around: Around) -> Value:
    return template(parameters, "input", around, secrets=True) if parameters.has("input") else EMPTY


def _warn_of_unknown(step: StepDef, type_: str, around: Around) -> None:
    if around.catalog.task(type_) is not None:
        return
    there = [task.name for task in around.catalog.tasks if task.connection == LOCAL and not task.name.startswith(NODE)]
    hint = nearest(type_, (*_BUILT_IN, *_PLAIN, *there))
    message = (
        f"nobody has registered the task {shown(type_)}; register one, or executions wait at this step for a worker that "
        f"has it{hint}"
    )
    step.config.shared_warning("unknown_task", "type", message)


_BUILT_IN: Final[dict[str, Build]] = {
    "set_variables": _set_variables,
    "workflow": _workflow,
    "event": _event,
    **dict.fromkeys(TOOL_ACTIONS, _mcp),
}
"""What the engine does itself, but for tasks that come with it."""

BUILT_IN: Final = (*_BUILT_IN, *_PLAIN)
