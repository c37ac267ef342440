"""Texts of errors, and what a database can store of them."""

from __future__ import annotations

from perdure.store.port import storable


def error_text(error: BaseException) -> str:
    """Return the type and the message of an error as text that can be stored anywhere."""
    return storable(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)


def is_storable(text: str) -> bool:
    """Whether every database can store a text: neither U+0000 nor a lone surrogate is in it."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
