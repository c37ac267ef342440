"""What time it is. Who has to be told a time instead, so that it can be tested or told again, does not import this."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000
