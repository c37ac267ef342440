"""The program of a child: it locks itself in, then runs one transform after the other, each in a context of its own.

Started as `python -I -S child.py PARENT QUICKJS`, with a socket as its standard input: the id of the process that it ends with,
and the folder of the QuickJS binding. It is no part of the package: it knows what stands beside it, and nothing else of Perdure.
Of the binding it takes the part in C alone: the other has a thread, which nothing here would lock in.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from perdure.tasks.sandbox import kept, lockdown, wire
else:
    sys.path.append(os.path.dirname(__file__))  # noqa: PTH120  pathlib takes as long to import as all the rest
    import kept
    import lockdown
    import wire

SOCKET = 0
HEAP_BYTES_MAX = wire.HEAP_MB << 20
STACK_BYTES_MAX = 2 << 20
"""Enough for a function that goes down a value of 200 levels by way of `map`."""

SPARE_BYTES = 8 << 20
"""For what was logged, by a transform that has used up all it had."""

SPARE_SECONDS = 0.2
WRAPPED = "(function () { 'use strict';\n%s\nreturn $default; })()"


def main() -> None:
    parent, folder = int(sys.argv[1]), sys.argv[2]
    try:
        sys.path.append(folder)
        import _quickjs  # type: ignore[import-not-found]  # noqa: PLC0415  its folder is known by now

        serve = Serving(_quickjs)
        missing = lockdown.lock(parent)
        serve.get_ready()
        send(wire.READY, "\n".join(missing).encode())
    except Exception as error:  # whoever has started it is told
        send(wire.BROKEN, f"{type(error).__name__}: {error}".encode())
        raise
    while True:
        head = receive(wire.REQUEST.size)
        code_size, input_size, timeout_ms = wire.REQUEST.unpack(head)
        code, given = receive(code_size).decode(), receive(input_size).decode()
        send(*serve(code, given, timeout_ms / 1_000))
        del code, given
        serve.get_ready()
        send(wire.READY, b"")


class Serving:
    """`quickjs` has Context, which is a runtime with all that belongs to it, and JSException."""

    def __init__(self, quickjs: Any) -> None:
        self._quickjs = quickjs
        there: str = quickjs.Context().eval("Object.getOwnPropertyNames(globalThis).join()")
        absent = [name for name in there.split(",") if name not in kept.GLOBALS]
        given = (repr(absent), repr(beside("telling.js")), str(wire.LOGGED_LINES_MAX), str(wire.LOGGED_LETTERS_MAX))
        self._prelude = f"{beside('prelude.js')}({','.join(given)})"

    def get_ready(self) -> None:
        """Replace the context. Freeing the old one can take seconds: see `wire.READY`."""
        self._context: Any = None  # the one before goes first: there is not room for two
        self._run: Any = None
        self._context = context = self._quickjs.Context()
        context.set_memory_limit(HEAP_BYTES_MAX)
        context.set_max_stack_size(STACK_BYTES_MAX)
        self._run = context.eval(self._prelude)

    def __call__(self, code: str, given: str, seconds: float) -> tuple[bytes, bytes, bytes]:
        self._context.set_time_limit(seconds)
        try:
            answer: bytes = self._run(WRAPPED % code, given, wire.TEXT_BYTES_MAX).encode()
        except (self._quickjs.JSException, MemoryError) as error:
            answer = uncaught(str(error))
        except UnicodeError:
            answer = wire.THREW
        logged = self._logged()
        kind, body = answer[:1], answer[1:]
        return (wire.TOO_LARGE, b"", logged) if len(body) > wire.TEXT_BYTES_MAX else (kind, body, logged)

    def _logged(self) -> bytes:
        self._context.set_memory_limit(HEAP_BYTES_MAX + SPARE_BYTES)
        self._context.set_time_limit(SPARE_SECONDS)
        try:
            logged: str = self._run()
            return logged.encode()
        except (self._quickjs.JSException, MemoryError, UnicodeError):
            return b""


def beside(name: str) -> str:
    """A script that stands beside this program, in one line. (`repr` makes JavaScript of a text that is ASCII.)"""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="ascii") as file:  # noqa: PTH118, PTH120, PTH123
        return " ".join(line.strip() for line in file)


def uncaught(said: str) -> bytes:
    """What even the prelude could not catch: the end of the time, or of the memory. The stack may be used up as well."""
    return wire.OUT_OF_TIME if said.startswith("InternalError: interrupted") else wire.OUT_OF_MEMORY


def receive(size: int) -> bytes:
    parts = []
    while size:
        part = os.read(SOCKET, size)
        if not part:
            os._exit(0)  # nobody is there any more
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send(kind: bytes, body: bytes, logged: bytes = b"") -> None:
    data = memoryview(wire.ANSWER.pack(kind, len(body), len(logged)) + body + logged)
    while data:
        data = data[os.write(SOCKET, data) :]


if __name__ == "__main__":
    try:
        main()
    finally:
        os._exit(1)  # nothing is worth telling, and nobody could hear it
