"""What a node becomes before its edges are known."""

from __future__ import annotations

from msgspec import Struct

from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.graph.settings import Settings
from perdure.dialects.values import quoted
from perdure.model.catalog import Catalog
from perdure.model.executors import CONTROL_KEYS
from perdure.model.steps import Step


class Built(Struct, frozen=True):
    """
    outputs  those that the node can lead by, beside its default one if there are none; None: it may name any
    wrote    an expression: what it wrote into the context, when it last ran
    took     an expression: the output that it led by, if it named one
    parts    steps before it that are parts of it
    fails    False: it never fails, so that nothing is ever led by its output `error`
    """

    step: Step
    outputs: frozenset[str] | None = frozenset()
    wrote: str = "{}"
    took: str = "undefined"
    parts: tuple[Step, ...] = ()
    fails: bool = True


class Surroundings(Struct, frozen=True):
    """What a node is lowered in."""

    settings: Settings
    catalog: Catalog
    faults: Faults


def of_step(node_id: str, rest: str) -> str:
    """An expression: a part of the last outcome of a node."""
    return f"steps[{quoted(node_id)}].{rest}"


def variable_name(data: Fields, *, required: bool = False) -> str | None:
    name = data.word("variableName", required=required)
    if name in CONTROL_KEYS:
        data.problem("reserved_key", "variableName", f"{name!r} belongs to the engine; take another name")
        return None
    return name
