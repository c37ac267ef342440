"""What the task `http` is given. By itself, so that whoever only has to know that does not wait for an HTTP library."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType

from perdure.model.values import Json

Scalar: TypeAlias = str | int | float | bool | None


class HttpInput(Struct, frozen=True, rename="camel", omit_defaults=True):
    """`body` is sent as text if it is text, and as JSON otherwise; `json` is always sent as JSON.

    `timeout` is in milliseconds, or a duration like PT5S. `failOnError`: true, every status that is not a success is a
    failure; false, none is. Without it, only 429 and 503 that say when to come back are: they ask for a retry.
    """

    url: str
    method: str | None = None
    headers: dict[str, Scalar] = {}
    query: dict[str, Scalar | list[Scalar]] = {}
    body: Json | UnsetType = UNSET
    json: Json | UnsetType = UNSET
    timeout: int | float | str | None = None
    fail_on_error: bool | None = None
