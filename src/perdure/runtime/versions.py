"""The versions of workflows that a worker has at hand, made ready; those that it has asked for; and those that it cannot read."""

from __future__ import annotations

from msgspec import Struct

from perdure.core.program import Program
from perdure.errors import InvalidWorkflow
from perdure.expressions.protocol import Compile
from perdure.model import codec
from perdure.runtime import ports
from perdure.runtime.faults import error_text


class Arrived(Struct, frozen=True):
    """`waiting` are those inputs that have waited for a version; `unreadable` says why it cannot be read, if so."""

    waiting: list[ports.Input]
    unreadable: str | None = None


class Versions:
    """By their digests."""

    def __init__(self, compile_: Compile) -> None:
        self.programs: dict[str, Program] = {}
        self._compile = compile_
        self._waiting: dict[str, list[ports.Input]] = {}
        self.unreadable: dict[str, str] = {}
        """And why."""

    @property
    def fetching(self) -> int:
        """How many inputs wait for a version."""
        return sum(map(len, self._waiting.values())) if self._waiting else 0

    @property
    def waiting(self) -> list[ports.Input]:
        return [each for waiting in self._waiting.values() for each in waiting]

    def wait(self, digest: str, then: ports.Input) -> bool:
        """`then` comes back with the version. Whether it is the first to wait for it: then it has to be asked for."""
        waiting = self._waiting.setdefault(digest, [])
        waiting.append(then)
        return len(waiting) == 1

    def arrive(self, digest: str, model: bytes) -> Arrived:
        """One that this program cannot read keeps nobody else from their turn: another worker may be newer."""
        waiting = self._waiting.pop(digest, [])
        try:
            self.programs[digest] = Program(codec.decode(model), self._compile)
        except InvalidWorkflow as error:
            self.unreadable[digest] = str(error)
            return Arrived(waiting, str(error))
        except Exception as error:  # noqa: BLE001  a bug, or values that no compiler expects: one version must not end the worker
            self.unreadable[digest] = error_text(error)
            return Arrived(waiting, self.unreadable[digest])
        self.unreadable.pop(digest, None)  # it may have been forgotten, and saved again
        return Arrived(waiting)
