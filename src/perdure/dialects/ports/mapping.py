"""`inputMapping` gives a step names of its own; `outputMapping` makes variables of its result."""

from __future__ import annotations

import re
from typing import Final

from perdure.dialects import values
from perdure.dialects.fields import Fields
from perdure.dialects.ports.built import WHERE_SECRETS_MAY_BE, Around, rendered
from perdure.dialects.ports.document import StepDef
from perdure.dialects.ports.names import ROOTS, VARIABLES
from perdure.dialects.ports.setting import refuse_sealed
from perdure.dialects.values import objects
from perdure.expressions.wording import shown
from perdure.model.values import Value

_PATH: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[(?:\d+|'[^']*'|\"[^\"]*\")\])*")
OF_RESULT: Final = ("output", "data", "result", "port")


def locals_of(step: StepDef, around: Around) -> Value | None:
    """A text is a template, or a path that begins with a root: `input.customer`."""
    given = step.beside.within("inputMapping")
    found: dict[str, Value] = {}
    for name in given.given:
        if _is_name(given, name):
            found[name] = _read(given, name, around)
    return objects(found) if found else None


def _read(given: Fields, name: str, around: Around) -> Value:
    value = given.given[name]
    if isinstance(value, str) and _PATH.fullmatch(value) and _is_read(value):
        value = f"{{{{ {value} }}}}"
    return rendered(value, given.at(name), given, around)


def _is_read(path: str) -> bool:
    """Return whether a path begins with a root. The words `now`, `nowMs` and `variables` alone are text."""
    return path not in ("now", "nowMs", VARIABLES) and _root(path) in (*ROOTS, VARIABLES)


def assigned(step: StepDef, around: Around) -> Value | None:
    """Of an output step, it is what the workflow comes to."""
    given = step.beside.within("outputMapping")
    if step.type == "output" or not given.given:
        return None
    for name in given.given:
        refuse_sealed(given, name, name, around.names)
    found = {name: _written(step, given, name, around) for name in given.given if _is_name(given, name)}
    return objects(found) if found else None


def _written(step: StepDef, given: Fields, name: str, around: Around) -> Value:
    """A template, or a path: over the result if it begins there, else into its data."""
    value = given.given[name]
    if isinstance(value, str) and "{{" not in value:
        if not _PATH.fullmatch(value):
            message = f"{shown(value)} is neither a path, like data.score, nor a template, like '{{{{ data.score }}}}'"
            given.problem("invalid_path", name, message)
            return values.UNDEFINED
        value = f"{{{{ {_path_of_result(value)} }}}}"
    return values.template(
        value,
        lambda source: around.names.rename_result(source, step.type),
        given.at(name),
        around.faults,
        step=step.slug,
        no_secrets=WHERE_SECRETS_MAY_BE,
    )


def _path_of_result(path: str) -> str:
    """The expression of a path: over the result, over what a template reads, else into the data of the result."""
    match _root(path):
        case root if root in (*OF_RESULT, *ROOTS):
            return path
        case root if root == VARIABLES:  # of the result, if it has a key of that name; else as in a template
            return f"data.{VARIABLES} !== undefined ? data.{path} : {path}"
        case _:
            return f"data.{path}"


def _root(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _is_name(given: Fields, name: str) -> bool:
    if name in ROOTS:
        given.problem("reserved_key", name, f"{shown(name)} belongs to the engine; take another name")
        return False
    if not name or "{{" in name or "/" in name:
        given.problem("invalid_name", name, f"{shown(name)} is no name for a variable; write it out, without '/'")
        return False
    return True
