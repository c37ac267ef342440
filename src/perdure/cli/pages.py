"""How every list and every removal is told: an object for programs, columns or a line for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from perdure.cli.saying import print_json
from perdure.cli.tables import table
from perdure.cli.wording import printable
from perdure.service.paging import Page

Item = TypeVar("Item")


def tell_page(
    page: Page[Item],
    headings: Sequence[str],
    row: Callable[[Item], Sequence[str]],
    as_object: Callable[[Item], Any],
    *,
    empty: str,
    as_json: bool,
) -> int:
    """`empty` is what people read where there is nothing."""
    if as_json:
        print_json({"items": [as_object(item) for item in page.items], "next": page.next})
        return 0
    print(table(headings, [row(item) for item in page.items]) if page.items else empty)
    if page.next is not None:
        print(f"there are more: --cursor {page.next}")
    return 0


def tell_removed(id_: str, said: str, *, as_json: bool, named: str = "id") -> int:
    """`named`: what a program knows it by."""
    if as_json:
        print_json({named: id_, "removed": True})
    else:
        print(printable(f"{id_} {said}"))
    return 0
