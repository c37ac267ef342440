"""The settings of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from perdure.dialects.faults import at
from perdure.dialects.fields import Fields
from perdure.dialects.policies import retry_policy, time_ms
from perdure.dialects.secrets import sources
from perdure.expressions.wording import kind
from perdure.model.secrets import SecretSource
from perdure.model.steps import Retry

NODES_MAX: Final = 50
DEPTH_MAX: Final = 3
_KNOWN: Final = (
    *("maxNodes", "maxDepth", "sequential", "strict", "triggers", "retry", "retryPolicy", "timeout", "secrets"),
)


class Settings(Struct, frozen=True):
    """
    nodes_max   how many nodes an execution may run; the trigger counts, and each pass of a cycle
    depth_max   how deep in a chain of starts it may still start others
    sequential  one node after the other, over one shared context
    strict      cycles are refused
    retry       of nodes that say nothing themselves
    timeout_ms  of the whole execution
    secrets     what it calls secrets by
    triggers    types of nodes that count as triggers, beside those that say so by their name
    """

    nodes_max: int = NODES_MAX
    depth_max: int = DEPTH_MAX
    sequential: bool = False
    strict: bool = False
    retry: Retry = Retry()
    timeout_ms: int | None = None
    secrets: tuple[SecretSource, ...] = ()
    triggers: frozenset[str] = frozenset()


def read_settings(given: Fields) -> Settings:
    given.faults.unknown_keys(given.given, _KNOWN, given.path)
    nodes_max, depth_max = given.whole("maxNodes", least=1), given.whole("maxDepth")
    key = next((key for key in ("retry", "retryPolicy") if given.has(key)), None)
    return Settings(
        nodes_max=NODES_MAX if nodes_max is None else nodes_max,
        depth_max=DEPTH_MAX if depth_max is None else depth_max,
        sequential=given.flag("sequential"),
        strict=given.flag("strict"),
        retry=Retry() if key is None else retry_policy(given.within(key)),
        timeout_ms=time_ms(given, "timeout"),
        secrets=tuple(sources(given.within("secrets"))),
        triggers=frozenset(_triggers(given)),
    )


def _triggers(given: Fields) -> Iterator[str]:
    for number, type_ in enumerate(given.array("triggers")):
        if isinstance(type_, str) and type_:
            yield type_
        else:
            said = '""' if type_ == "" else kind(type_)
            message = f"each of 'triggers' must be the type of a node, like PAYMENT_RECEIVED, not {said}"
            given.faults.problem("wrong_type", at(given.at("triggers"), number), message, field="triggers")
