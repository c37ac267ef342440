"""Whether something is a schema, and what is wrong with a value by it."""

from __future__ import annotations

from typing import Any, Final

import jsonschema_rs
import msgspec
from jsonschema_rs import ValidationError
from jsonschema_rs import ValidationErrorKind as Kind

from perdure.schemas.effort import DEPTH_MAX, EFFORT_MAX, Effort
from perdure.schemas.graph import Graph
from perdure.schemas.nullable import is_used, without_nullable
from perdure.schemas.violation import Violation, pointer

VIOLATIONS_MAX: Final = 50
SCHEMA_BYTES_MAX: Final = 128 * 1024
_MESSAGE_MAX: Final = 300
_SHOWN_MAX: Final = 80
_DETAILS_MAX: Final = 100_000
"""More than this to tell, and it is the first violation alone: all are gathered before there is one, at 2 microseconds."""

_BRANCHES_MAX: Final = 3
_THE_VALUE: Final = "\ue000"
"""Stands for the value in a message, and is replaced with how that is shown."""

_NEWEST: Final = "https://json-schema.org/draft/2020-12/schema"
_LINEAR: Final = (
    "is no pattern that can be used: it is matched in linear time, without looking ahead or behind, without references back, and "
    "without repetitions of thousands"
)
_TYPES: Final = "array, boolean, integer, null, number, object and string"
_PATTERNS: Final = jsonschema_rs.RegexOptions(size_limit=4_000_000)
_DRAFTS: Final = {
    jsonschema_rs.Draft4Validator: "http://json-schema.org/draft-04/schema#",
    jsonschema_rs.Draft6Validator: "http://json-schema.org/draft-06/schema#",
    jsonschema_rs.Draft7Validator: "http://json-schema.org/draft-07/schema#",
    jsonschema_rs.Draft201909Validator: "https://json-schema.org/draft/2019-09/schema",
    jsonschema_rs.Draft202012Validator: _NEWEST,
}


class Checker:
    """A schema that is one, compiled."""

    def __init__(self, schema: Any, graph: Graph) -> None:
        self._compiled = _compiled(schema)
        self._effort, self._has_choices = Effort(graph), graph.has_choices

    def violations(self, value: Any, most: int = VIOLATIONS_MAX) -> tuple[Violation, ...]:
        """What is wrong with a value: nothing, if it fits. Of all that is wrong, so many are told."""
        effort = self._effort.of(value)
        if effort.too_deep:
            return (Violation("", f"it is more than {DEPTH_MAX} levels deep, and cannot be checked"),)
        if effort.check > EFFORT_MAX:
            message = (
                "its schema leads to the same parts of it again and again, too often to be checked; make either smaller"
            )
            return (Violation("", message),)
        if self._compiled.is_valid(value):
            return ()
        if effort.tell <= _DETAILS_MAX:
            return tuple(_told(error, value) for error in self._first(value, most))
        if self._has_choices:
            return (Violation("", "it does not fit its schema, and is too large to find out where"),)
        try:
            self._compiled.validate(value)
        except ValidationError as error:
            return (_told(error, value),)
        raise AssertionError("what is not valid does not validate")

    def _first(self, value: Any, most: int) -> list[ValidationError]:
        found = self._compiled.iter_errors(value)
        return [error for _, error in zip(range(most), found, strict=False)]


def checker(schema: Any) -> Checker:
    """Raises `ValueError` for what is no schema, or none that can be used; `problems` says all that is wrong with it."""
    found, graph, value = _examined(schema)
    if found:
        raise ValueError("; ".join(map(str, found)))
    assert graph is not None, "there is nothing wrong with it"
    return Checker(value, graph)


def problems(schema: Any) -> tuple[Violation, ...]:
    """All that is wrong with a schema, each with its path into it: nothing, if it can be used."""
    return _examined(schema)[0]


def _examined(schema: Any) -> tuple[tuple[Violation, ...], Graph | None, Any]:
    """What is wrong with it; if nothing is, what is in it, and a copy that nobody can change."""
    try:
        data = msgspec.json.encode(schema)
    except (TypeError, ValueError, RecursionError) as error:
        return (Violation("", _short(f"it is not JSON: {error}")),), None, None
    if len(data) > SCHEMA_BYTES_MAX:
        message = f"it has {len(data):,} bytes, and {SCHEMA_BYTES_MAX:,} are the most; make it smaller"
        return (Violation("", message),), None, None
    value = msgspec.json.decode(data)
    if not isinstance(value, dict | bool):
        return (Violation("", f"a schema is an object, true or false, not {_shown(value)}"),), None, None
    faults = _unlike_a_schema(value)
    if not faults and is_used(data):
        try:
            value = without_nullable(value)
        except RecursionError:
            return (Violation("", "it is nested too deeply; make it flatter"),), None, None
    graph = Graph(value)
    found = faults or tuple(dict.fromkeys(graph.violations)) or _too_much(graph) or _uncompiled(value)
    return found[:VIOLATIONS_MAX], graph, value


def _too_much(graph: Graph) -> tuple[Violation, ...]:
    """Even for the least of all values."""
    if Effort(graph).of(None).check <= EFFORT_MAX:
        return ()
    message = (
        "nobody can wait for it: it leads to the same parts again and again, and each time to more; refer to each once"
    )
    return (Violation("", message),)


def _unlike_a_schema(schema: Any) -> tuple[Violation, ...]:
    """By the schema of schemas."""
    try:
        draft = _DRAFTS[jsonschema_rs.validator_cls_for(schema)]
        errors = _compiled({"$schema": draft, "$ref": draft}).iter_errors(schema)
        return tuple(_told_of_schema(error, schema) for _, error in zip(range(VIOLATIONS_MAX), errors, strict=False))
    except ValueError:  # an unknown `$schema`, or too deep: compiling it says so
        return _uncompiled(schema)


def _uncompiled(schema: Any) -> tuple[Violation, ...]:
    try:
        _compiled(schema)
    except ValidationError as error:
        return (_told_of_schema(error, schema),)
    except ValueError as error:
        return (Violation("", _short(str(error))),)
    return ()


def _compiled(schema: Any) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        schema, validate_formats=True, pattern_options=_PATTERNS, mask=_THE_VALUE, offline=True
    )


def _told(error: ValidationError, value: Any) -> Violation:
    missing = error.kind.property if isinstance(error.kind, Kind.Required) else ""
    return Violation(pointer(error.instance_path), _message(error, value), missing)


def _told_of_schema(error: ValidationError, schema: Any) -> Violation:
    message, path = _message(error, schema), error.instance_path
    if _is_of_pattern(error):
        is_name = path[-2:-1] == ["patternProperties"]
        pattern = path[-1] if is_name else _part(schema, path)
        message = f"{_shown(pattern)} {_LINEAR}" if isinstance(pattern, str) else f"{message}: it {_LINEAR}"
    elif isinstance(error.kind, Kind.AnyOf) and path[-1:] == ["type"]:
        message = f"{_shown(_part(schema, path))} is no type; there are {_TYPES}"
    return Violation(pointer(path), message)


def _is_of_pattern(error: ValidationError) -> bool:
    match error.kind:
        case Kind.Format(format="regex"):
            return True
        case Kind.PropertyNames(error=inner):
            return _is_of_pattern(inner)
        case _:
            return False


def _message(error: ValidationError, value: Any) -> str:
    shown = _shown(_part(value, error.instance_path))
    match error.kind:
        case Kind.AnyOf(context=branches) | Kind.OneOfNotValid(context=branches):
            wrong = (
                f"{_below(error, branch[0])}{_message(branch[0], value)}"
                for branch in branches[:_BRANCHES_MAX]
                if branch
            )
            return _short(f"{shown} fits none of {len(branches)} possible schemas: {'; or '.join(wrong)}")
        case _:
            return _short(error.message.replace(_THE_VALUE, shown))


def _below(error: ValidationError, inner: ValidationError) -> str:
    """Where in the value of the one the other is."""
    path = pointer(inner.instance_path[len(error.instance_path) :])
    return f"{path}: " if path else ""


def _part(value: Any, path: list[str | int]) -> Any:
    for key in path:
        match value, key:
            case (dict(), str()) if key in value:  # a name that is wrong is not a part
                value = value[key]
            case (list(), int()):
                value = value[key]
            case _:
                pass
    return value


def _shown(value: Any) -> str:
    """A number or a text as JSON has it, not too long; of the rest, what it is."""
    match value:
        case dict():
            return "an object"
        case list():
            return "an array"
        case str():
            return msgspec.json.encode(value if len(value) <= _SHOWN_MAX else f"{value[:_SHOWN_MAX]}…").decode()
        case _:
            return msgspec.json.encode(value).decode()


def _short(text: str) -> str:
    line = text.splitlines()[0] if text else text
    return line if len(line) <= _MESSAGE_MAX else f"{line[:_MESSAGE_MAX]}…"
