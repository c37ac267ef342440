"""Rows in columns, for people."""

from __future__ import annotations

from collections.abc import Sequence

from perdure.cli.wording import shown

CELL_MAX, LAST_MAX = 60, 200


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned, without lines: it can be cut and searched. The last column is as long as it is."""
    cells = [list(headings)]
    cells += [[*(shown(cell, CELL_MAX) for cell in row[:-1]), shown(row[-1], LAST_MAX)] for row in rows]
    widths = [max(len(row[number]) for row in cells) for number in range(len(headings))]
    widths[-1] = 0
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def fields(pairs: Sequence[tuple[str, str]]) -> str:
    """Names and values, one below the other; what has no value is left out."""
    said = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in said), default=0)
    return "\n".join(f"{name:<{width}}  {shown(value, 2_000)}" for name, value in said)
