"""What a step is lowered in, and what it becomes before its ways on are known."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from perdure.dialects import values
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.orchestration.names import Names
from perdure.expressions.scanner import Form
from perdure.model.catalog import Catalog
from perdure.model.steps import Retry, Step, Work
from perdure.model.values import Expression, Json, Value

FORM: Final[Form] = "${"
WHERE_SECRETS_MAY_BE: Final = "the input of a TASK"
PATH: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$-]*|\.\d+|\[(?:\d+|'[^']*'|\"[^\"]*\")\])*")
"""A path of names, as people write it without `${ }` around it."""

OF_INPUT: Final = ("workflow",)
OF_INPUT_MAPPING: Final = ("workflow", "error", "steps", "variables")
"""What such a path begins with: in the input of a step, and in what a handler is given."""

_PARTS: Final = re.compile(r"\[(\d+)\]|\['([^']*)'\]|\[\"([^\"]*)\"\]|([^.\[\]]+)")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")


class Around(Struct, frozen=True):
    """What a step is lowered in. `retry` is that of steps that say nothing themselves."""

    names: Names
    catalog: Catalog
    faults: Faults
    retry: Retry = Retry()

    def at(self, own: str, output: str = "output") -> Around:
        """The same, as seen from a step."""
        return replace(self, names=replace(self.names, own=own, output=output))


class Built(Struct, frozen=True):
    """
    work      what the step itself does
    ports     further names of its outcome, that its ways on may have
    assign    variables that it sets
    parts     steps before it that are parts of it; who leads to it leads to the first of them
    unrouted  what an outcome that no way on fits means
    join      as in the model
    """

    work: Work
    ports: tuple[Value, ...] = ()
    assign: Value | None = None
    parts: tuple[Step, ...] = ()
    fails_unrouted: bool = False
    waits_for_all: bool = False


def rendered(given: Json, path: str, fields: Fields, around: Around, *, secrets: bool = False) -> Value:
    """A part of the document with `${ }` in it; a text that is nothing but a path that begins with `workflow.` is one, too."""
    no_secrets = None if secrets else WHERE_SECRETS_MAY_BE
    given = with_templates(given, OF_INPUT)
    return values.template(
        given, around.names.rename, path, around.faults, step=fields.step, no_secrets=no_secrets, form=FORM
    )


def template(fields: Fields, key: str, around: Around, *, secrets: bool = False) -> Value:
    return rendered(fields.given.get(key), fields.at(key), fields, around, secrets=secrets)


def condition(given: str, path: str, fields: Fields, around: Around) -> Expression:
    """`${ }` around it, or around its operands, may be there or not."""
    return values.expression(
        given, around.names.rename, path, around.faults, step=fields.step, no_secrets=WHERE_SECRETS_MAY_BE, form=FORM
    )


def with_templates(given: Json, roots: tuple[str, ...]) -> Json:
    """Texts that are nothing but a path into one of the roots, as templates."""
    match given:
        case str():
            is_path = given.startswith(tuple(f"{root}." for root in roots)) and PATH.fullmatch(given) is not None
            return f"${{{path_source(given)}}}" if is_path else given
        case list():
            return [with_templates(item, roots) for item in given]
        case dict():
            return {key: with_templates(item, roots) for key, item in given.items()}
        case _:
            return given


def path_source(path: str) -> str:
    """A path as people write it, as an expression: `lines.0` and `fetch-users` are none there."""
    root, *parts = _PARTS.findall(path)
    return "".join((root[3], *(_part(*part) for part in parts)))


def _part(index: str, one: str, two: str, name: str) -> str:
    if index or name.isdigit():
        return f"[{index or name}]"
    return f".{name}" if _NAME.fullmatch(name) else f"[{values.quoted(one or two or name)}]"
