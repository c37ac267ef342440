"""What must not stand in the list of processes: secrets, typed without an echo, or read from a file or from stdin."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

from cyclopts import Parameter

from perdure.cli.files import read_bytes
from perdure.cli.saying import refusal

BYTES_MAX = 100_000

ValueFrom = Annotated[
    str | None,
    Parameter(
        name="--value-from",
        metavar="FILE|-",
        allow_leading_hyphen=True,
        help="where the value is: a file, or - for stdin (default: ask)",
    ),
]


def secret_text(value_from: str | None, what: str) -> str:
    """One line break at its end is not part of it: editors and `echo` add one."""
    if value_from is None and sys.stdin.isatty():
        return _asked(what)
    data = sys.stdin.buffer.read(BYTES_MAX + 1) if value_from in (None, "-") else read_bytes(str(value_from), BYTES_MAX)
    if len(data) > BYTES_MAX:
        raise refusal("too_large", f"stdin has more than {BYTES_MAX:,} bytes, which is the most that is read")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        where = "stdin" if value_from in (None, "-") else value_from
        raise refusal(
            "not_text", f"{where} is not UTF-8; a secret is a text: encode it first, as base64 say"
        ) from error
    return text.removesuffix("\n").removesuffix("\r")


def _asked(what: str) -> str:
    first = getpass.getpass(f"{what}: ")
    if getpass.getpass("once more: ") != first:
        raise refusal("not_the_same", "these two were not the same; nothing is changed")
    return first
