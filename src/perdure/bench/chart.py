"""A bar chart of plain characters. The scale is logarithmic when the figures are far apart, and says so."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from msgspec import Struct

COLUMNS = 100
FAR_APART = 30
FIGURE = 9


class Bar(Struct, frozen=True):
    label: str
    value: float
    mark: str = "#"


def chart(title: str, bars: Sequence[Bar]) -> list[str]:
    """Its lines, none longer than `COLUMNS`."""
    shown = [bar for bar in bars if bar.value > 0]
    if not shown:
        return []
    low, high = min(bar.value for bar in shown), max(bar.value for bar in shown)
    logarithmic = high / low > FAR_APART
    labels = max(len(bar.label) for bar in shown)
    room = COLUMNS - labels - FIGURE - 2
    lines = [f"{title}{' (logarithmic: each tenfold is as long as the one before)' if logarithmic else ''}"[:COLUMNS]]
    for bar in shown:
        share = _log_share(bar.value, low, high) if logarithmic else bar.value / high
        length = max(round(share * room), 1)
        lines.append(f"{bar.label:{labels}} {bar.value:{FIGURE},.0f} {bar.mark * length}")
    return lines


def _log_share(value: float, low: float, high: float) -> float:
    """From the power of ten below the least, so that the least has a bar too."""
    floor = log10(low) // 1
    return (log10(value) - floor) / (log10(high) - floor)
