"""What PRAGMA synchronous answers, in words."""

from __future__ import annotations

SYNCHRONOUS = ("OFF", "NORMAL", "FULL", "EXTRA")
