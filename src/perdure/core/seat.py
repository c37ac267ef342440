"""Where a piece of work sits."""

from __future__ import annotations

from msgspec import Struct

from perdure.core.program import Node
from perdure.core.state import Token


class Seat(Struct, frozen=True, gc=False):
    """Where a piece of work sits: before or at which step, on which path, for which item of which forEach."""

    node: Node
    token: Token
    scope: int = 0
    item: int = -1
