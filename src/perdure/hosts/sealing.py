"""The task that seals variables: it encrypts values, so that facts and variables hold envelopes only."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

import msgspec

from perdure.expressions.results import rendered
from perdure.hosts.envelopes import Keys, about
from perdure.model.executors import SealSetup
from perdure.model.failure import Category
from perdure.model.secrets import VALUE_BYTES_MAX
from perdure.model.values import Json
from perdure.tasks.context import TaskContext
from perdure.tasks.failing import NonRetryable

KIND: Final = "variable"
"""What an envelope of a variable is bound to, beside its organization and name."""


class NoKey(NonRetryable, public_name="NoKey"):
    """This process cannot encrypt."""

    category = Category.SECURITY


class NoValue(NonRetryable, public_name="NoValue"):
    """There is nothing to encrypt."""

    category = Category.VALIDATION


class TooLarge(NonRetryable, public_name="TooLarge"):
    """A value is too large: every fact of a call that uses it holds its envelope."""

    category = Category.VALIDATION


class Sealing:
    """`keys` None: this process cannot encrypt, and the step fails."""

    def __init__(self, keys: Keys | None, organization: Callable[[str], Coroutine[Any, Any, str]]) -> None:
        self._keys, self._organization = keys, organization

    async def perform(self, given: dict[str, Json], context: TaskContext) -> dict[str, Json]:
        """Return an envelope for each name of the setup. No message has a value in it."""
        setup = msgspec.convert(context.setup, SealSetup)
        step, names = setup.step, setup.names
        told = ", ".join(map(repr, names))
        if self._keys is None:
            raise NoKey(
                f"step {step!r} sets {told} with 'secure', and this worker has no key to encrypt with; start workers with "
                "PERDURE_SECRET_KEY or PERDURE_SECRET_KEY_FILE (make a key: perdure secrets new-key), and retry the execution",
                code="NO_SECRET_KEY",
            )
        empty = [name for name in names if given.get(name) in (None, "")]
        if empty:
            raise NoValue(
                f"step {step!r} sets {', '.join(map(repr, empty))} with 'secure', and the value is null, undefined or empty; "
                "check the template of 'value'",
                code="NO_VALUE",
            )
        values = {name: rendered(given[name], free=True) for name in names}
        for name, value in values.items():
            if (size := len(value.encode())) > VALUE_BYTES_MAX:
                raise TooLarge(
                    f"step {step!r} sets {name!r} with 'secure', and the value has {size:,} bytes; the limit is "
                    f"{VALUE_BYTES_MAX:,}: seal only the part that is secret",
                    code="LIMIT",
                )
        organization = await self._organization(context.execution_id)
        return {name: self._keys.seal(value, about(KIND, organization, name)) for name, value in values.items()}
