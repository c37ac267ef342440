"""Pages, as they come: a shape for each kind of item, made into what the service tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from perdure.client.channel import Channel, Query
from perdure.service import paging
from perdure.service.paging import Page

Answer = TypeVar("Answer")
Item = TypeVar("Item")


async def page(
    channel: Channel, *path: str, shape: type[Answer], read: Callable[[Answer], Item], query: Query | None = None
) -> Page[Item]:
    wanted: Any = Page[shape]  # type: ignore[valid-type]
    found: Page[Answer] = await channel.get(*path, shape=wanted, query=query)
    return Page(tuple(map(read, found.items)), found.next)


def bounds(limit: int, cursor: str | None) -> dict[str, str | int | None]:
    """Raises `Conflict` as an engine does."""
    return {"limit": paging.checked(limit), "cursor": cursor}
