"""Which dialect a document is written in, by the keys that only this one has.

An explicit `"dialect"` wins. What fits none, or two, is refused, and the problem says which keys were looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from perdure.dialects.faults import at
from perdure.dialects.phases.document import KINDS
from perdure.dialects.ports.document import TEMPLATES
from perdure.expressions.wording import kind, listed, nearest, shown
from perdure.model.problem import Problem
from perdure.model.values import Json


class Sign(Struct, frozen=True):
    """What a dialect is known by, for programs and in words."""

    dialect: str
    words: str
    fits: Callable[[dict[str, Json]], bool]


def recognise(value: Json, dialect: str | None = None) -> str | Problem:
    """The name of the dialect of a document, or why it has none. `dialect`: somebody says so, and is believed."""
    if isinstance(value, list) and _is_template_and_steps(value):
        return "ports" if dialect is None else _named(dialect)
    if not isinstance(value, dict):
        return Problem("not_an_object", f"a document is an object, not {kind(value)}; {_looked_for()}")
    said = value.get("dialect") if dialect is None else dialect
    if said is not None:
        return _named(said)
    fitting = [sign for sign in SIGNS if sign.fits(value)]
    if len(fitting) == 1:
        return fitting[0].dialect
    if not fitting:
        keys = listed([shown(key) for key in value]) or "none"
        message = f"which dialect this is cannot be told: {_looked_for()}; the keys are {keys}"
        return Problem("unknown_dialect", message, expected=list(DIALECT_NAMES))
    both = " and ".join(f"{sign.words} ({sign.dialect})" for sign in fitting)
    message = f'the document fits more than one dialect, it has {both}; say which with "dialect"'
    return Problem("ambiguous_dialect", message, actual=[sign.dialect for sign in fitting])


def _named(said: Json) -> str | Problem:
    if isinstance(said, str) and said in DIALECT_NAMES:
        return said
    if not isinstance(said, str):
        message = f"'dialect' is a text, not {kind(said)}; known are {', '.join(DIALECT_NAMES)}"
    else:
        message = (
            f"there is no dialect {shown(said)}{nearest(said, DIALECT_NAMES)}; known are {', '.join(DIALECT_NAMES)}"
        )
    return Problem("unknown_dialect", message, at("", "dialect"), field="dialect", expected=list(DIALECT_NAMES))


def _looked_for() -> str:
    return "looked for were " + ", ".join(f"{sign.words} ({sign.dialect})" for sign in SIGNS)


def _lists(value: dict[str, Json], *keys: str) -> Iterator[Json]:
    for key in keys:
        found = value.get(key)
        if isinstance(found, list):
            yield from found
        elif isinstance(found, dict):
            yield from found.values()


def _is_ports(value: dict[str, Json]) -> bool:
    """In the document itself, or in the definition that stands apart in it."""
    parts = [value, *(part for part in (value.get(key) for key in TEMPLATES) if isinstance(part, dict))]
    if "workflowConfig" in value and "stepsConfig" in value:
        return True
    return any(_has_slug(step) for part in parts for step in _lists(part, "steps", "stepsConfig"))


def _has_slug(step: Json) -> bool:
    return isinstance(step, dict) and "stepSlug" in step


def _is_template_and_steps(value: list[Json]) -> bool:
    """A definition, and the list of its steps after it."""
    match value:
        case [dict(), list() as steps]:
            return any(map(_has_slug, steps))
        case _:
            return False


def _is_orchestration(value: dict[str, Json]) -> bool:
    return any(isinstance(step, dict) and "stepId" in step for step in _lists(value, "steps"))


def _is_phases(value: dict[str, Json]) -> bool:
    """Phases, or steps that stand alone and each are one."""
    steps = value.get("steps")
    if not isinstance(steps, list) or not steps:
        return False
    return all(isinstance(step, list) or (isinstance(step, dict) and _does_something(step)) for step in steps)


def _does_something(step: dict[str, Json]) -> bool:
    return "name" in step and any(kind in step for kind in KINDS)


def _is_graph(value: dict[str, Json]) -> bool:
    return "nodes" in value and "connections" in value


SIGNS = (
    Sign("ports", "steps with 'stepSlug' in 'steps' or 'stepsConfig'", _is_ports),
    Sign("orchestration", "steps with 'stepId' in 'steps'", _is_orchestration),
    Sign("phases", "'steps' as a list of lists", _is_phases),
    Sign("graph", "'nodes' and 'connections'", _is_graph),
)
DIALECT_NAMES = tuple(sign.dialect for sign in SIGNS)
