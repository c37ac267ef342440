"""Stack traces of failures: complete for admins and for programs on the database, for others only the frames of user code.

A stored trace stays complete. What a caller sees is decided when it is read, so that it holds for old failures too.
"""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from perdure.model.failure import Failure

_COMPLETE: Final[ContextVar[bool]] = ContextVar("perdure.complete_stack_traces", default=True)
_FRAME: Final = re.compile(r'  File "([^"\n]*)"')
_LIBRARY: Final = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python3[^/\\]*[/\\]|^<frozen ")
_DIRECTORIES: Final = (
    f"{Path(__file__).parents[1]}/",
    *(f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib")),
)
"""Where the engine and the standard library are in this process; other processes are told by `_LIBRARY`."""

Holder = TypeVar("Holder", bound=Struct)


@contextmanager
def visible_to(*, admin: bool) -> Iterator[None]:
    """Within this, traces are as this caller may see them."""
    token = _COMPLETE.set(admin)
    try:
        yield
    finally:
        _COMPLETE.reset(token)


def are_complete() -> bool:
    """Whether the current caller sees complete traces. Threads of readers do not know: ask before the question goes there."""
    return _COMPLETE.get()


def visible_stack(stack: str | None) -> str | None:
    """Return the trace as the current caller may see it."""
    return stack if stack is None or are_complete() else own_frames(stack)


def visible_data(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a fact as the current caller may see it."""
    error = data.get("error")
    if are_complete() or not isinstance(error, dict) or not isinstance(error.get("stack"), str):
        return data
    return {**data, "error": {**error, "stack": own_frames(error["stack"])}}


def with_own_frames(holder: Holder) -> Holder:
    """Return a record or a fact whose failure, if it has one, has only the frames of user code."""
    error = getattr(holder, "error", None)
    if not isinstance(error, Failure) or error.stack is None:
        return holder
    return replace(holder, error=replace(error, stack=own_frames(error.stack)))


def own_frames(stack: str) -> str | None:
    """Return the frames of user code, each with the name of its file instead of its path; None, if there are none.

    A trace of JavaScript has no paths of the server, and stays as it is.
    """
    if _FRAME.search(stack) is None:
        return stack
    kept: list[str] = []
    is_own = False
    for line in stack.splitlines(keepends=True):
        frame = _FRAME.match(line)
        if frame is not None:
            is_own = not _LIBRARY.search(frame[1]) and not frame[1].startswith(_DIRECTORIES)
            line = f'  File "{_file_name(frame[1])}"{line[frame.end() :]}'  # noqa: PLW2901
        if is_own:
            kept.append(line)
    return "".join(kept) or None


def _file_name(path: str) -> str:
    return PureWindowsPath(path).name if "\\" in path else PurePath(path).name
