"""A record of a log as one line, whatever is in it: what it is about, without what must not be read there, and without what a
terminal or whoever reads lines would act on.

Secrets of calls are gone before a record comes here (`tasks.logged`). What is hidden here is known by its form or by its name:
our own keys and tokens, what is sent as `Authorization`, and fields that are called as headers with secrets are.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Final

import msgspec
import structlog

from perdure.api.about import asked
from perdure.expressions.sealing import MASK
from perdure.tasks.about import about

Fields = MutableMapping[str, Any]

NAMES: Final = frozenset(
    {
        "authorization",
        "proxyauthorization",
        "cookie",
        "setcookie",
        "xapikey",
        "apikey",
        "xauthtoken",
        "xcsrftoken",
        "password",
        "passwd",
        "secret",
        "secrets",
        "token",
        "accesstoken",
        "refreshtoken",
        "clientsecret",
        "privatekey",
        "webhooksignature",
        "xhubsignature256",
        "stripesignature",
        "xslacksignature",
    }
)
"""Fields whose values are nobody's business, without case, `-` and `_`."""

FORMS: Final = (
    (re.compile(r"\bprd_[A-Za-z0-9]+_[A-Za-z0-9_-]{8,}"), f"prd_{MASK}"),
    (re.compile(r"\b(whk_|whsec_)[A-Za-z0-9_+/=-]{8,}"), rf"\1{MASK}"),
    (re.compile(r"(/hooks/|/a/)[^\s/?#\"']{8,}"), rf"\1{MASK}"),
    (re.compile(r"(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{8,}"), rf"\1\2{MASK}"),
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://[^\s/:@]*):[^\s/@]+@"), rf"\1:{MASK}@"),
)
"""What is a secret by its form, and what stands there instead."""

ACTED_ON: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")
"""Ends a line, moves the cursor, turns the direction of text, cannot be seen, or is half a character."""

SHORT: Final = {9: "\\t", 10: "\\n", 13: "\\r"}
LATIN_MAX: Final = 0xFF
DEPTH_MAX: Final = 6
BELOW: Final = "    | "
"""What the lines of a traceback begin with, so that none can be taken for a record."""


def safe(text: str) -> str:
    for form, instead in FORMS:
        text = form.sub(instead, text)
    return ACTED_ON.sub(_written, text)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    return SHORT.get(code) or (f"\\x{code:02x}" if code <= LATIN_MAX else f"\\u{code:04x}")


def with_what_it_is_about(_: Any, __: str, fields: Fields) -> Fields:
    request, call = asked(), about()
    if request is not None:
        fields.setdefault("request_id", request.request_id)
        if request.organization is not None:
            fields.setdefault("organization", request.organization)
    if call is not None:
        for name in ("execution_id", "step", "attempt"):
            fields.setdefault(name, getattr(call, name))
    return fields


def with_its_traceback(_: Any, __: str, fields: Fields) -> Fields:
    """As the record has it: where secrets were hidden, it is a text already."""
    record: logging.LogRecord = fields["_record"]
    fields.pop("exc_info", None)
    fields.pop("stack_info", None)
    text = record.exc_text
    if not text and record.exc_info and record.exc_info[0] is not None:
        text = logging.Formatter().formatException(record.exc_info)
    told = "\n".join(each for each in (text, record.stack_info) if each)
    return {**fields, "exception": told} if told else fields


def made_safe(_: Any, __: str, fields: Fields) -> Fields:
    """In every field, however deep. A traceback keeps its lines."""
    told = fields.pop("exception", None)
    found: dict[str, Any] = _safe_value(fields, 0)
    if told is not None:
        found["exception"] = "\n".join(BELOW + safe(line) for line in told.split("\n"))
    return found


def _safe_value(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return safe(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth < DEPTH_MAX and isinstance(value, Mapping):
        return {safe(str(name)): _of_name(str(name), part, depth) for name, part in value.items()}
    if depth < DEPTH_MAX and isinstance(value, list | tuple | set | frozenset):
        return [_safe_value(part, depth + 1) for part in value]
    return safe(repr(value))


def _of_name(name: str, value: Any, depth: int) -> Any:
    is_hidden = value is not None and name.lower().replace("-", "").replace("_", "") in NAMES
    return MASK if is_hidden else _safe_value(value, depth + 1)


def formatter(*, as_json: bool, colors: bool) -> logging.Formatter:
    """`colors`: on a terminal."""
    chain: list[Callable[..., Any]] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        with_what_it_is_about,
        with_its_traceback,
    ]
    time = structlog.processors.TimeStamper(fmt="iso" if as_json else "%H:%M:%S", utc=as_json, key="timestamp")
    last: list[Callable[..., Any]] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, made_safe]
    if as_json:
        last += [_with_plain_traceback, structlog.processors.JSONRenderer(serializer=_json)]
    else:
        plain = structlog.dev.plain_traceback
        last.append(structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain, pad_event_to=0))
    return structlog.stdlib.ProcessorFormatter(foreign_pre_chain=[*chain, time], processors=last)


def _with_plain_traceback(_: Any, __: str, fields: Fields) -> Fields:
    """In JSON nothing can be taken for a record."""
    if "exception" in fields:
        fields["exception"] = "\n".join(line.removeprefix(BELOW) for line in fields["exception"].split("\n"))
    return fields


def _json(fields: Fields, **_: Any) -> str:
    return msgspec.json.encode(fields, enc_hook=repr).decode()
