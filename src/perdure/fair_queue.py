"""Queue that serves organizations in turn, and the share that each may have of a limited number of slots."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

SHARE_OF_FREE: Final = 9
"""An organization may take a slot while it has fewer than this many times the slots that are free. One organization alone gets
nine tenths of all slots. Further ones find some free; as slots are freed, organizations with fewer take them, until all have
the same number.
"""

T = TypeVar("T")


def slots_for(per_organization: int) -> int:
    """Return the number of slots of which one organization alone gets `per_organization`."""
    return per_organization + max(per_organization // SHARE_OF_FREE, 1) if per_organization else 0


def has_share(count: int, taken: int, per_organization: int) -> bool:
    """Return whether an organization that has `count` of the `taken` slots has its share, and must not take another one."""
    return count >= min(per_organization, SHARE_OF_FREE * (slots_for(per_organization) - taken))


class FairQueue(Generic[T]):
    """Items in a FIFO queue for each organization. `pop` serves the organizations round robin, one item each, and skips those
    that are paused. Every operation is O(1), except `pause` and `remove_first`.
    """

    def __init__(self) -> None:
        self._queues: dict[str, deque[T]] = {}
        self._turns: deque[str] = deque()
        """Organizations that have items and are not paused, the next one first."""
        self._paused: set[str] = set()
        self._count = 0
        self.active = 0
        """Number of items that `pop` can return."""

    def __len__(self) -> int:
        return self._count

    @property
    def paused(self) -> tuple[str, ...]:
        return tuple(self._paused)

    def append(self, organization: str, item: T) -> None:
        items = self._queues.get(organization)
        if items is None:
            items = self._queues[organization] = deque()
            if organization not in self._paused:
                self._turns.append(organization)
        items.append(item)
        self._count += 1
        if organization not in self._paused:
            self.active += 1

    def pop(self) -> T:
        """Raises IndexError if no item is active."""
        turns = self._turns
        organization = turns[0]
        items = self._queues[organization]
        item = items.popleft()
        if items:
            turns.rotate(-1)
        else:
            turns.popleft()
            del self._queues[organization]
        self._count -= 1
        self.active -= 1
        return item

    def pause(self, organization: str) -> None:
        """Keep the items of this organization until it is resumed."""
        if organization in self._paused:
            return
        self._paused.add(organization)
        items = self._queues.get(organization)
        if items is not None:
            self._turns.remove(organization)
            self.active -= len(items)

    def resume(self, organization: str) -> None:
        self._paused.remove(organization)
        items = self._queues.get(organization)
        if items is not None:
            self._turns.append(organization)
            self.active += len(items)

    def remove_first(self, fits: Callable[[T], bool]) -> T | None:
        """Remove the first item that fits, and return it."""
        for organization, items in self._queues.items():
            for item in items:
                if fits(item):
                    self._remove(organization, items, item)
                    return item
        return None

    def _remove(self, organization: str, items: deque[T], item: T) -> None:
        items.remove(item)
        self._count -= 1
        is_active = organization not in self._paused
        self.active -= is_active
        if not items:
            del self._queues[organization]
            if is_active:
                self._turns.remove(organization)

    def clear(self) -> list[T]:
        """Remove all items, and return them."""
        items = [item for queue in self._queues.values() for item in queue]
        self._queues.clear()
        self._turns.clear()
        self._count = self.active = 0
        return items


class Slots:
    """Slots that the items of a queue take once they have been popped. An organization that has its share is paused in the queue,
    and resumed when enough slots are free again.
    """

    def __init__(self, queue: FairQueue[Any], per_organization: int) -> None:
        self._queue, self._per_organization = queue, per_organization
        self._total = slots_for(per_organization)
        self._taken: dict[str, int] = {}
        self._taken_count = 0

    @property
    def is_full(self) -> bool:
        return self._taken_count >= self._total

    def take(self, organization: str) -> None:
        self._taken[organization] = self._taken.get(organization, 0) + 1
        self._taken_count += 1
        if self._has_share(organization):
            self._queue.pause(organization)

    def free(self, organization: str) -> None:
        self._taken_count -= 1
        count = self._taken[organization] - 1
        if count:
            self._taken[organization] = count
        else:
            del self._taken[organization]
        for paused in self._queue.paused:
            if not self._has_share(paused):
                self._queue.resume(paused)

    def _has_share(self, organization: str) -> bool:
        return has_share(self._taken.get(organization, 0), self._taken_count, self._per_organization)
