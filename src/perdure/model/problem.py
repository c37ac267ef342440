"""A fault in a document, told to its author with the place and the way out."""

from __future__ import annotations

from msgspec import Struct

from perdure.model.values import Json

LEFT_OUT = "left_out"
"""The type of one that only says that there are more than are told."""


class Problem(Struct, frozen=True, omit_defaults=True):
    """`type` is a word a program can match; `path` leads into the author's own JSON."""

    type: str
    message: str
    path: str = ""
    step: str = ""
    field: str = ""
    ref: str | None = None
    expected: Json = None
    actual: Json = None
    line: int | None = None
    column: int | None = None
