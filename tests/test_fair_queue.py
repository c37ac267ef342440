"""Organizations are served in turn, and each has a share of the slots, however many items one of them has."""

from __future__ import annotations

from collections import Counter

import pytest

from perdure.fair_queue import FairQueue, Slots, has_share, slots_for


def filled(**counts: int) -> FairQueue[str]:
    queue: FairQueue[str] = FairQueue()
    for organization, count in counts.items():
        for number in range(count):
            queue.append(organization, f"{organization}{number}")
    return queue


def test_organizations_are_served_in_turn_and_each_in_its_own_order() -> None:
    queue = filled(a=4, b=1, c=2)
    assert [queue.pop() for _ in range(7)] == ["a0", "b0", "c0", "a1", "c1", "a2", "a3"]
    assert not queue


def test_an_organization_that_comes_later_waits_for_one_item_of_each_of_the_others() -> None:
    queue = filled(a=1_000, b=1_000)
    queue.append("c", "c0")
    assert [queue.pop() for _ in range(3)] == ["a0", "b0", "c0"]


def test_a_queue_that_is_empty_has_nothing_to_pop() -> None:
    with pytest.raises(IndexError):
        FairQueue().pop()


def test_what_is_paused_is_kept_until_it_is_resumed() -> None:
    queue = filled(a=2, b=1)
    queue.pause("a")
    queue.append("a", "a2")
    assert (len(queue), queue.active) == (4, 1)
    assert queue.pop() == "b0"
    queue.resume("a")
    assert [queue.pop() for _ in range(queue.active)] == ["a0", "a1", "a2"]


def test_the_first_item_that_fits_is_removed_whether_or_not_it_is_paused() -> None:
    queue = filled(a=2, b=1, c=1)
    queue.pause("b")
    assert queue.remove_first(lambda item: item == "a1") == "a1"
    assert queue.remove_first(lambda item: item == "b0") == "b0"
    assert queue.remove_first(lambda item: item == "c0") == "c0"
    assert queue.remove_first(lambda item: item == "d0") is None
    assert (len(queue), queue.active, queue.pop()) == (1, 1, "a0")


def test_all_that_is_left_can_be_taken_at_once() -> None:
    queue = filled(a=2, b=1)
    queue.pause("a")
    assert sorted(queue.clear()) == ["a0", "a1", "b0"]
    assert (len(queue), queue.active) == (0, 0)


@pytest.mark.parametrize("most", [1, 2, 20, 1_000])
def test_one_organization_alone_has_all_slots_that_it_may_have(most: int) -> None:
    count = 0
    while not has_share(count, count, most):
        count += 1
    assert count == most
    assert slots_for(most) > most


def test_without_slots_every_organization_has_its_share() -> None:
    assert has_share(0, 0, 0)


def test_a_slot_is_free_for_others_after_one_organization_has_its_share() -> None:
    queue: FairQueue[str] = FairQueue()
    slots, taken = Slots(queue, 1_000), Counter[str]()
    for number in range(3):
        organization = f"flood-{number}"
        for _ in range(2_000):
            queue.append(organization, organization)
        while queue.active:
            taken[queue.pop()] += 1
            slots.take(organization)
            assert not slots.is_full
    assert taken["flood-0"] == 1_000
    assert all(taken.values())


def test_slots_that_become_free_are_taken_by_those_who_have_fewer() -> None:
    queue = filled(a=200)
    slots, taken = Slots(queue, 100), Counter[str]()

    def take_all() -> None:
        while queue.active and not slots.is_full:
            organization = queue.pop()[0]
            taken[organization] += 1
            slots.take(organization)

    take_all()
    for number in range(200):
        queue.append("b", f"b{number}")
    take_all()
    for _ in range(100):
        slots.free("a")
        taken["a"] -= 1
        take_all()
    assert abs(taken["a"] - taken["b"]) <= 15
