"""Values of a graph document. The names in its expressions are keys of the context, which the model has as `vars`."""

from __future__ import annotations

from typing import Final

from perdure.dialects import values
from perdure.dialects.faults import Faults
from perdure.dialects.graph.handlebars import without_handlebars
from perdure.dialects.values import quoted
from perdure.expressions.renaming import under
from perdure.model.values import NOTHING, Expression, Json, Value

CONTEXT: Final = "vars"
WHERE_SECRETS_MAY_BE: Final = "the data of a node that calls something: an executor or a request"


def template(given: Json, path: str, faults: Faults, *, step: str = "", secrets: bool = False) -> Value:
    """A part of the document with `{{ }}` in it. `secrets`: they may stand there, because a task is given it."""
    no_secrets = None if secrets else WHERE_SECRETS_MAY_BE
    given = without_handlebars(given, path, faults, step=step)
    return values.template(given, in_context, path, faults, step=step, no_secrets=no_secrets)


def expression(given: str, path: str, faults: Faults, *, step: str = "") -> Expression:
    """An expression as such. Each `{{ }}` in it is an operand, not text that is pasted in: `{{status}} == 'active'`."""
    given = str(without_handlebars(given, path, faults, step=step)) or "undefined"
    return values.expression(given, in_context, path, faults, step=step, no_secrets=WHERE_SECRETS_MAY_BE)


def in_context(source: str) -> str:
    return under(source, CONTEXT)


def field(given: str, path: str, faults: Faults, *, step: str = "") -> Value:
    """A path into the context, like `user.tags.0`; or a template, which is its value."""
    if "{{" in given:
        return template(given, path, faults, step=step)
    keys = field_keys(given)
    if not all(keys):
        faults.problem("invalid_field", path, "a field is a path into the context, like user.name", step=step)
        return NOTHING
    value = Expression(CONTEXT + "".join(f"[{quoted(key)}]" for key in keys))
    return values.checked(value, path, faults, step, no_secrets=WHERE_SECRETS_MAY_BE)


def field_keys(given: str) -> list[str]:
    """Split a path into the context, like `user.tags[0]`."""
    return [part for piece in given.split(".") for part in piece.replace("]", "").split("[")]
