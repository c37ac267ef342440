"""What the task `http` makes of an answer: a value that JSON can hold, and how long to wait before the next try."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final

import msgspec

from perdure.model.values import Json
from perdure.tasks.decoding import decode_json
from perdure.tasks.door import Answer

_JSON: Final = re.compile(r"application/(?:[\w.+-]+\+)?json|text/json")
_TEXTUAL: Final = re.compile(
    r"text/.*|application/(?:[\w.+-]+\+)?xml|.*\+xml"
    r"|application/(?:javascript|x-www-form-urlencoded|graphql|sql|yaml|x-yaml|toml|x-ndjson|ndjson)"
)
_RETRY_AFTER_MS_MAX: Final = 24 * 60 * 60 * 1000
"""A server that asks for more is not waited for longer: it may have meant something else."""


def result_of(answer: Answer) -> dict[str, Json]:
    """`{status, headers, body}`; where the body is binary, `base64: true` says that it had to be encoded."""
    body, is_binary = _body(answer)
    result: dict[str, Json] = {"status": answer.status, "headers": answer.headers, "body": body}
    return {**result, "base64": True} if is_binary else result


def retry_after_ms(answer: Answer, now_ms: int) -> int | None:
    """What `Retry-After` asks for, in seconds or as a date; a date is held against the server's own clock if it tells."""
    asked = answer.headers.get("retry-after", "").strip()
    if asked.isascii() and asked.isdecimal():
        return min(int(asked[:9]) * 1000, _RETRY_AFTER_MS_MAX)
    until_ms = _date_ms(asked)
    if until_ms is None:
        return None
    server_ms = _date_ms(answer.headers.get("date", ""))
    return max(0, min(until_ms - (now_ms if server_ms is None else server_ms), _RETRY_AFTER_MS_MAX))


def _body(answer: Answer) -> tuple[Json, bool]:
    if not answer.body:
        return None, False
    media, charset = _content_type(answer)
    if _JSON.fullmatch(media):
        try:
            return decode_json(answer.body), False
        except (msgspec.DecodeError, RecursionError):
            pass  # an error page that calls itself JSON is still worth showing
    if not media or charset or _JSON.fullmatch(media) or _TEXTUAL.fullmatch(media):
        text = _text(answer.body, charset or "utf-8")
        if text is not None:
            return text, False
    return b64encode(answer.body).decode("ascii"), True


def _text(body: bytes, charset: str) -> str | None:
    try:
        text = body.decode(charset)
    except (LookupError, ValueError):  # unknown charsets, those that are none for text, and bytes that do not fit
        return None
    return None if "\0" in text else text


def _content_type(answer: Answer) -> tuple[str, str]:
    message = Message()
    given = answer.headers.get("content-type", "")[:1000]
    message["content-type"] = re.sub(r"[\x00-\x1f]", " ", given)
    charset = message.get_param("charset")
    return (message.get_content_type() if given else ""), (charset if isinstance(charset, str) else "")


def _date_ms(text: str) -> int | None:
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return None
    return int(_in_utc(date).timestamp() * 1000)


def _in_utc(date: datetime) -> datetime:
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
