"""Hostile values: as JSON, as text in paths, queries, forms and headers, and as bytes that are not UTF-8."""

from __future__ import annotations

import json
import random
import string
from typing import Any

LONG = 60_000
MANY = 10_000
DEEP = 150


def _nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def noise(length: int) -> str:
    """Text that cannot be compressed: Postgres puts a long text of one letter into an index, and refuses this one."""
    characters = random.Random(length)
    return "".join(characters.choice(string.ascii_letters + string.digits) for _ in range(length))


VALUES: dict[str, str] = {
    "noise": json.dumps(noise(9_000)),
    "noise of 3,000 characters": json.dumps(noise(3_000)),
    "NUL": r'"a\u0000b"',
    "NUL in a key": r'{"a\u0000": "\u0000"}',
    "lone surrogate": r'"\ud800"',
    "lone surrogate in a key": r'{"\udfff": 1}',
    "noncharacters": r'"\ufffe\uffff\udbff\udfff"',
    "bidi": r'"\u202e\u2066evil\u2069\u200f"',
    "C1 controls": r'"\u009b31m\u0085\u0090"',
    "C0 controls": r'"\u0001\u001b[31m\u007f\r\n"',
    "huge integer": "1" + "0" * 399,
    "64 bits and one": str(2**64),
    "below 64 bits": str(-(2**63) - 1),
    "1e400": "1e400",
    "1e308": "1e308",
    "1e18": "1e18",
    "minus zero": "-0",
    "minus zero as a float": "-0.0",
    "a small fraction": "5e-324",
    "deep": _nested(DEEP),
    "as deep as it may be": _nested(90),
    "long": json.dumps("x" * LONG),
    "many keys": json.dumps({f"k{number}": number for number in range(MANY)}),
    "empty text": '""',
    "blank text": r'" \t\n\u00a0\u2003"',
    "prototype": r'{"__proto__": {"admin": true}, "constructor": {"prototype": {"x": 1}}}',
    "__proto__": '"__proto__"',
    "constructor": '"constructor"',
    "null": "null",
    "true": "true",
    "empty array": "[]",
    "empty object": "{}",
    "year 0": '"0000-01-01T00:00:00Z"',
    "year 10000": '"10000-01-01T00:00:00Z"',
    "no day": '"2026-02-30T25:61:61Z"',
    "duration without end": '"P99999999999999999D"',
    "template": '"{{ constructor }} ${ x } @ref"',
    "quote": '"\' OR 1=1; DROP TABLE executions --"',
    "path": '"../../etc/passwd"',
    "emoji": r'"\ud83d\ude00\u200d\u2764"',
    "a key twice": '{"a": 1, "a": 2}',
    "no number": "NaN",
}
"""By name: JSON, or what only looks like it."""

BYTES: dict[str, bytes] = {
    "invalid UTF-8": b'"\xff\xfe"',
    "cut UTF-8": b'"\xf0\x9f\x98"',
    "surrogate in UTF-8": b'"\xed\xa0\x80"',
    "overlong NUL": b'"\xc0\x80"',
    "bare NUL": b'"\x00"',
}

TEXTS: dict[str, str] = {
    "noise": noise(6_000),
    "noise of 500 characters": noise(500),
    "NUL": "%00",
    "NUL inside": "a%00b",
    "surrogate": "%ED%A0%80",
    "invalid UTF-8": "%FF%FE",
    "noncharacter": "%EF%BF%BF",
    "bidi": "%E2%80%AE",
    "C1": "%C2%9B",
    "line end": "a%0D%0AX-Evil:%201",
    "slash": "a%2Fb",
    "our slash": "a%1Fb",
    "dots": "%2e%2e",
    "long": "x" * 3_000,
    "blank": "%20%09",
    "empty": "",
    "prototype": "__proto__",
    "number": "99999999999999999999999",
    "float": "1e400",
    "minus zero": "-0",
    "not a number": "NaN",
    "year 0": "0000-01-01T00:00:00Z",
    "year 10000": "10000-01-01T00:00:00Z",
    "quote": "%27%20OR%201%3D1--",
    "percent": "%25%zz",
    "plus": "a+b%2Bc",
}
"""By name: as they stand in a path, a query or a form."""


def readable() -> list[Any]:
    """The values that Python reads, as a task or a server can return them."""
    found = []
    for text in VALUES.values():
        try:
            found.append(json.loads(text))
        except ValueError:
            continue
    return [*found, float("inf"), float("nan"), 10**5_000, "\udcff", ("a", 1), b"bytes"]
