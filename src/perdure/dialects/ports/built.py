"""What a step is lowered in, and what it becomes before its ports are known."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from perdure.dialects import values
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.policies import retry_policy, time_ms
from perdure.dialects.ports.document import StepDef
from perdure.dialects.ports.names import Names
from perdure.model.catalog import Catalog
from perdure.model.steps import Amounts, Retry, Step, Work
from perdure.model.values import Expression, Json, Value

SUCCESS: Final = "success"
WHERE_SECRETS_MAY_BE: Final = "the parameters of an action that calls something: a task, http, email"


class Around(Struct, frozen=True):
    """What a step is lowered in. `retry` is that of steps that say nothing themselves; `budget` that of the whole execution."""

    names: Names
    catalog: Catalog
    faults: Faults
    retry: Retry = Retry()
    strict: bool = False
    budget: Amounts = ()


class Built(Struct, frozen=True):
    """
    work     what the step itself does
    ports    what its outcomes are called; None: its task may name any
    meta     what is kept beside its output
    parts    steps before it that are parts of it; who leads to it leads to the first of them
    sealed   envelopes of variables that the step sets, by name
    """

    work: Work
    ports: tuple[str, ...] | None = (SUCCESS,)
    meta: Value | None = None
    parts: tuple[Step, ...] = ()
    sealed: tuple[tuple[str, Value], ...] = ()


def template(fields: Fields, key: str, around: Around, *, secrets: bool = False) -> Value:
    """A field of the document with `{{ }}` in it."""
    return rendered(fields.given.get(key), fields.at(key), fields, around, secrets=secrets)


def rendered(given: Json, path: str, fields: Fields, around: Around, *, secrets: bool = False) -> Value:
    no_secrets = None if secrets else WHERE_SECRETS_MAY_BE
    return values.template(given, around.names.rename, path, around.faults, step=fields.step, no_secrets=no_secrets)


def expression(given: str, path: str, fields: Fields, around: Around) -> Expression:
    return values.expression(
        given, around.names.rename, path, around.faults, step=fields.step, no_secrets=WHERE_SECRETS_MAY_BE
    )


def policy(step: StepDef, key: str) -> Fields | None:
    """Where `retryPolicy` or `timeout` stands: in the config of a step, or beside it."""
    return next((fields for fields in (step.config, step.beside) if fields.has(key)), None)


def retry_of(step: StepDef, around: Around) -> Retry:
    found = policy(step, "retryPolicy")
    return around.retry if found is None else retry_policy(found.within("retryPolicy"))


def timeout_of(step: StepDef) -> int | None:
    found = policy(step, "timeout")
    return None if found is None else time_ms(found, "timeout")
