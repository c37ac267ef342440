"""What many routes are given: pages, versions, keys of requests."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias, TypeVar

from fastapi import Header, Path, Query
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.alias_generators import to_camel
from starlette.datastructures import Headers

from perdure.api.door import SLASH
from perdure.api.problems import Wrong
from perdure.errors import EvaluationError
from perdure.expressions.times import instant_ms
from perdure.service.answers import KEY_LENGTH_MAX
from perdure.service.paging import LIMIT_MAX

WAIT_SECONDS_MAX = 60.0
"""So long one request waits for an execution."""

DIGITS_MAX = 18
UNKNOWN_MAX = 50

Limit: TypeAlias = Annotated[int, Query(ge=1, le=LIMIT_MAX, description="how many at most")]
Cursor: TypeAlias = Annotated[
    str | None, Query(max_length=1_000, description="go on after a page: what it said is next")
]
Id: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=500), AfterValidator(lambda text: text.replace(SLASH, "/"))
]
IfMatch: TypeAlias = Annotated[
    str | None, Header(description='only if it is still so: the ETag that it was answered with, as "17"')
]
KEY_HEADER: Final = "idempotency-key"
KEY_ABOUT = f"the same key twice is one request, answered the same; 1 to {KEY_LENGTH_MAX} characters"
IdempotencyKey: TypeAlias = Annotated[str | None, Header(description=KEY_ABOUT)]
TRACEPARENT: Final = "traceparent"
TRACEPARENT_ABOUT = "of which trace this is, by W3C Trace Context; what is none is left out"
Traceparent: TypeAlias = Annotated[str | None, Header(description=TRACEPARENT_ABOUT)]

Item = TypeVar("Item")
Several: TypeAlias = Annotated[tuple[Item, ...], Field(strict=False, max_length=1_000)]
"""A list. JSON has no tuples, and nothing is coerced but that."""


def _instant(given: object) -> int:
    if not isinstance(given, str):
        raise ValueError("an instant is a text, as 2026-11-16T09:30:00Z")  # noqa: TRY004  pydantic takes it so
    try:
        return instant_ms(given)
    except EvaluationError as error:
        raise ValueError("an instant is written as 2026-11-16T09:30:00Z") from error


Time: TypeAlias = Annotated[
    int, BeforeValidator(_instant), WithJsonSchema({"type": "string", "format": "date-time"}, mode="validation")
]
"""An instant as ISO 8601 writes it; in milliseconds."""


WHOLE = BeforeValidator(lambda given: int(given) if isinstance(given, float) and given.is_integer() else given)
"""Of a whole number, after what it is bounded by: JSON has one kind of numbers, and 3.0 is 3."""


class Body(BaseModel):
    """What a request brings: in camel case, and nothing that is not known."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _has_not_too_many_fields(cls, given: object) -> object:
        """A few that are not known are told one by one."""
        most = len(cls.model_fields) + UNKNOWN_MAX
        if isinstance(given, dict) and len(given) > most:
            raise ValueError(f"there are {len(given):,} fields here, and those that are known are {_names(cls)}")
        return given


def _names(body: type[Body]) -> str:
    return ", ".join(each.alias or name for name, each in body.model_fields.items())


def version_of(if_match: str | None) -> int | None:
    """The number that an ETag of ours has. Raises `Wrong`: 412 for a tag that nothing of ours ever had, a weak one say."""
    if if_match is None or if_match.strip() == "*":
        return None
    tag = if_match.strip()
    number = tag[1:-1]
    if tag == f'"{number}"' and number.isascii() and number.isdecimal() and len(number) <= DIGITS_MAX:
        return int(number)
    if "," in tag:
        raise Wrong(400, "bad_if_match", f"If-Match has one ETag here, not several: {if_match[:80]!r}")
    raise Wrong(412, "outdated", f'it has no version with the ETag {if_match[:80]}; it is answered with one, as "17"')


def key_sent(headers: Headers) -> str | None:
    """What stands in `Idempotency-Key`. Raises `Wrong`, if it is said twice: nobody knows which of them counts."""
    sent = headers.get(KEY_HEADER)
    if sent is not None and len(headers.getlist(KEY_HEADER)) > 1:
        raise Wrong(400, "bad_idempotency_key", "there are two Idempotency-Keys here; send one")
    return sent


def key_of(idempotency_key: str | None) -> str | None:
    """Raises `Wrong`, if there is one that says nothing."""
    if idempotency_key is None:
        return None
    if not idempotency_key.strip() or len(idempotency_key) > KEY_LENGTH_MAX or not idempotency_key.isprintable():
        raise Wrong(
            400,
            "bad_idempotency_key",
            f"an Idempotency-Key has 1 to {KEY_LENGTH_MAX} characters that can be shown; or leave it out",
        )
    return idempotency_key


def etag(number: int) -> dict[str, str]:
    return {"ETag": f'"{number}"'}
