"""What each type of step becomes, but for actions and LLMs."""

from __future__ import annotations

from typing import Final

from perdure.dialects.approvals import KEYS as APPROVAL_KEYS
from perdure.dialects.approvals import read_approval
from perdure.dialects.fields import Fields
from perdure.dialects.ports.built import Around, Built, expression, rendered, template, timeout_of
from perdure.dialects.ports.document import StepDef
from perdure.dialects.ports.names import ROOTS
from perdure.dialects.values import constants, note
from perdure.errors import InvalidExpression
from perdure.expressions import tree as t
from perdure.expressions.ready import LOWERED_MAX, ready
from perdure.model.steps import Compute, Condition, Loop
from perdure.model.values import Constant, Expression, Object, Value

POLICIES: Final = ("name", "description", "retryPolicy", "timeout")
"""What every config may say."""

_TRIGGERED: Final = Constant("Trigger executed successfully")
_ITERATIONS_MAX: Final = 1_000
_LOOP_KEYS: Final = (
    *("items", "collection", "batchSize", "maxIterations", "itemVariable", "indexVariable", "continueOnError"),
    *POLICIES,
)


def trigger(step: StepDef, around: Around) -> Built:
    """What starts the workflow is told of it where triggers are read; the step itself only passes on."""
    del around
    given = step.config.given.get("type")
    told = constants(
        type=given if isinstance(given, str) else "manual", receivedAt=Expression("execution.startedAt|isoDate")
    )
    return Built(Compute(_TRIGGERED), meta=constants(trigger=told))


def condition(step: StepDef, around: Around) -> Built:
    config = step.config
    config.faults.unknown_keys(
        config.given, ("expr", "expression", *POLICIES), config.path, step=step.slug, only_near=True
    )
    key = "expr" if config.has("expr") or not config.has("expression") else "expression"
    if config.has("expr") and config.has("expression"):
        config.problem("contradiction", "expression", "give 'expr' or 'expression', not both")
    given = config.given.get(key)
    ports = ("true", "false")
    if isinstance(given, bool):
        return Built(Condition(Constant(given)), ports, constants(expression=str(given).lower()))
    source = config.text(key, required=True)
    if source is None:
        return Built(Condition(Constant(False)), ports)
    test = expression(source, config.at(key), config, around)
    asked = _coerced(test)
    note(source, asked.source, config.faults)
    return Built(Condition(asked), ports, constants(expression=source))


def _coerced(test: Expression) -> Expression:
    """`a && b`, `a || b` and `!a` are meant as true or false, whatever `a` and `b` are."""
    try:
        node = ready(test.source, LOWERED_MAX).node
    except InvalidExpression:  # which has been told
        return test
    is_logical = isinstance(node, t.Logical) and node.operator in ("&&", "||")
    return Expression(f"!!({test.source})") if is_logical else test


def approval(step: StepDef, around: Around) -> Built:
    config = step.config
    known = (*APPROVAL_KEYS, *POLICIES)
    config.faults.unknown_keys(config.given, known, config.path, step=step.slug, only_near=True)

    def render(fields: Fields, key: str) -> Value:
        return template(fields, key, around)

    work = read_approval(config, render, Expression("latest.output"), timeout_ms=timeout_of(step))
    return Built(work, ("approved", "rejected"))


def loop(step: StepDef, around: Around) -> Built:
    config = step.config
    config.faults.unknown_keys(config.given, _LOOP_KEYS, config.path, step=step.slug)
    key = "items" if config.has("items") or not config.has("collection") else "collection"
    items = template(config, key, around)
    if not config.has(key):
        config.missing("items")
    elif isinstance(items, Constant) and not isinstance(items.value, list):
        config.wrong(key, "an array, or a template like '{{ input.orders }}'")
    for name in ("itemVariable", "indexVariable"):
        _extra_name(config, name)
    limit = config.whole("maxIterations", least=1)
    work = Loop(
        items,
        batch_size=config.whole("batchSize", least=1) or 1,
        iterations_max=_ITERATIONS_MAX if limit is None else limit,
        continue_on_error=config.flag("continueOnError"),
    )
    return Built(work, ("loop", "done"))


def _extra_name(config: Fields, key: str) -> None:
    name = config.word(key)
    if name is None:
        return
    if not name.isidentifier():
        config.problem("invalid_name", key, f"{key!r} has to be a name, like customer; this is {name!r}")
    elif name in ROOTS:
        config.problem("reserved_key", key, f"{name!r} belongs to the engine; take another name")


def output(step: StepDef, around: Around) -> Built:
    """Build an output step: `mapping` or `outputMapping` is the output of the workflow; without one it is the last data."""
    config = step.config
    has_mapping = config.has("mapping") or config.has("outputMapping") or step.beside.has("outputMapping")
    config.faults.unknown_keys(
        config.given, ("mapping", "outputMapping", *POLICIES), config.path, step=step.slug, only_near=has_mapping
    )
    for fields, key in ((config, "mapping"), (config, "outputMapping"), (step.beside, "outputMapping")):
        if fields.has(key):
            given = fields.given[key]
            if not isinstance(given, dict):
                return Built(Compute(rendered(given, fields.at(key), fields, around)))
            return Built(Compute(_mapped(fields.within(key), around)))
    return Built(Compute(Expression("latest.output")))


def _mapped(given: Fields, around: Around) -> Value:
    return Object(
        tuple((rendered(key, given.at(key), given, around), template(given, key, around)) for key in given.given)
    )
