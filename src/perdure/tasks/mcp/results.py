"""What comes of a call: the value that the tool gave. Everything in it is somebody else's, and only ever data."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from perdure.model.values import Json
from perdure.tasks.decoding import decode_json
from perdure.tasks.mcp.failing import McpToolFailed

_TOLD_MAX: Final = 1_500
_SILENT: Final = "it did not say why"


def value_of(answer: dict[str, Any], about: str) -> Json:
    """`structuredContent` if there is, else the content: a single text as it is, parsed if it is JSON; several blocks as a list.

    Raises `McpToolFailed` if the tool says that it has failed.
    """
    content = answer.get("content") or []
    if answer.get("isError"):
        raise McpToolFailed(f"{about} failed: {_said(content)}")
    structured = answer.get("structuredContent")
    if structured is not None:
        return structured
    if len(content) == 1 and content[0].get("type") == "text":
        return _parsed(str(content[0].get("text", "")))
    return content or None


def _parsed(text: str) -> Json:
    try:
        return decode_json(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def _said(content: list[dict[str, Any]]) -> str:
    texts = [str(each.get("text", "")) for each in content if each.get("type") == "text"]
    told = "\n".join(text for text in texts if text.strip())
    return told[:_TOLD_MAX] if told else _SILENT
