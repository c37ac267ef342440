"""Conditions that degrade a worker without stopping it: clock skew, a failed integrity check, unrouted events.

A component sets a condition under its code and clears it when it is over. `/readyz`, `/metrics` and `doctor` read them.
"""

from __future__ import annotations

import threading


class Conditions:
    """Active conditions, by code. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._active: dict[str, str] = {}

    def set(self, code: str, reason: str) -> None:
        """Report a condition, or replace its reason."""
        with self._lock:
            self._active[code] = reason

    def clear(self, code: str) -> None:
        with self._lock:
            self._active.pop(code, None)

    def active(self) -> dict[str, str]:
        """Return a copy: code to reason, in the order in which they were first reported."""
        with self._lock:
            return dict(self._active)
