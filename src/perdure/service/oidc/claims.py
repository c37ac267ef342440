"""What a provider says of somebody, when it has been found to be good."""

from __future__ import annotations

from msgspec import Struct


class Claims(Struct, frozen=True):
    """`email`: only if the provider says that it is theirs. `groups`: None, if they are not asked for."""

    subject: str
    email: str | None
    name: str | None
    groups: tuple[str, ...] | None
