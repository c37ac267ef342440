"""What goes between the sandbox and its children. Both sides read this file, and a child has nothing of Perdure but this and what
stands beside it.

A request: how long the code, the input are, and how many milliseconds it may take; then both texts. An answer: what became of it,
how long its body and what was logged are; then both.
"""

from __future__ import annotations

from struct import Struct

REQUEST = Struct("<III")
ANSWER = Struct("<cII")

TEXT_BYTES_MAX = 8 << 20
"""Of an input, and of an output: as much as the engine takes of any value."""

CODE_BYTES_MAX = 1 << 20

HEAP_MB = 64
"""What a child gives to a transform, and the engine tells of."""

LOGGED_LINES_MAX = 1_000
LOGGED_LETTERS_MAX = 64 << 10
LOGGED_BYTES_MAX = 1 << 20
"""As JSON, in which one letter may be six bytes, and each line has a frame."""

READY = b"R"
"""The child waits for a request. It is sent once at the start, with the parts that the child could not lock as its body, one a
line; and after every answer, without a body, once the context of that transform has been freed.
"""

VALUE = b"V"
THREW = b"E"
NOT_A_FUNCTION = b"F"
PROMISE = b"P"
NOT_JSON = b"J"
NO_JSON = b"U"
"""Of a function, a symbol: JSON has no word for it. Its body is what it is."""
TOO_LARGE = b"L"
OUT_OF_MEMORY = b"M"
THREW_NULL = b"N"
"""As QuickJS does when there is no memory left for an error. Hardly anybody else does."""
OUT_OF_TIME = b"T"
BROKEN = b"B"
"""The child itself. Its body says why."""
