"""Tasks that a model may call, which keep what they were called with."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from perdure import Engine, NonRetryable


class Sum(Struct):
    a: int
    b: int = 0


class Tools:
    """`tools(engine)` registers them."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Any]] = []

    def __call__(self, engine: Engine) -> None:
        @engine.task("add")
        async def add(given: Sum) -> int:
            self.calls.append(("add", (given.a, given.b)))
            return given.a + given.b

        @engine.task("crm.find")
        def find(given: dict[str, Any]) -> dict[str, Any]:
            self.calls.append(("crm.find", given))
            return {"name": f"Zoë {given.get('id')}"}

        @engine.task("break")
        async def broken(given: dict[str, Any]) -> None:
            self.calls.append(("break", given))
            raise NonRetryable("the shop is closed")

        @engine.task("forbidden")
        async def forbidden(given: dict[str, Any]) -> str:
            self.calls.append(("forbidden", given))
            return "done"

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]
