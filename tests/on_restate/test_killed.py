"""What is killed loses nothing: a node of a cluster, and a process of our own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from on_restate.server import Cluster, free_ports
from on_restate.workflows import errands, notes, register
from perdure.core import facts as f
from perdure.hosts.restate.host import RestateHost
from perdure.store.questions import Questions, Wanted
from perdure.store.sqlite.reader import SqliteReader

COUNT, SOON_SECONDS = 100, 60.0
Answer = TypeVar("Answer")
TESTS = Path(__file__).parents[1]


def test_a_node_of_three_is_killed_and_all_executions_end(tmp_path: Path) -> None:
    with Cluster(tmp_path, 3) as cluster:
        asyncio.run(_while_a_node_is_killed(cluster, tmp_path))
    _all_have_ended_once(tmp_path)


async def _while_a_node_is_killed(cluster: Cluster, folder: Path) -> None:
    host = RestateHost(f"sqlite:///{folder}/read.db", cluster.ingress, f"127.0.0.1:{free_ports(1)[0]}")
    register(host.tasks, folder)
    async with host:
        await host.register(cluster.nodes[0].admin)
        await host.library.ask(lambda store: store.save(errands()))
        await asyncio.gather(*(host.start("errands", {"n": n}) for n in range(COUNT)))
        await _until(lambda: len(notes(folder)) > 3 * COUNT)  # they are in the middle of it
        cluster.nodes[0].kill()
        killed_at = time.monotonic()
        while await host.library.read(_ended) < COUNT:
            assert time.monotonic() < killed_at + SOON_SECONDS
            await asyncio.sleep(0.05)
        print(f"all had ended {time.monotonic() - killed_at:.1f} s after the node was killed")


def test_a_process_of_ours_is_killed_and_what_it_called_is_called_again(one_node: Cluster, tmp_path: Path) -> None:
    bind = f"127.0.0.1:{free_ports(1)[0]}"
    with _endpoint(one_node, tmp_path, bind, COUNT) as process:
        asyncio.run(_until((tmp_path / "started").exists))
        asyncio.run(_until(lambda: len(notes(tmp_path)) > 3 * COUNT))
        process.kill()
        process.wait()
    under_way = _noted(tmp_path, "begun") - _noted(tmp_path, "done")
    assert under_way, "it was killed in the middle of calls"
    with _endpoint(one_node, tmp_path, bind, 0):
        asyncio.run(_until(lambda: _in_file(tmp_path, _ended) == COUNT))
    _all_have_ended_once(tmp_path)
    assert under_way <= _in_file(tmp_path, _lost), "a call that was lost is told"
    again = {f"{call.removesuffix(' 1')} 2" for call in under_way}
    assert again <= _noted(tmp_path, "done")


@contextmanager
def _endpoint(cluster: Cluster, folder: Path, bind: str, count: int) -> Iterator[subprocess.Popen[bytes]]:
    url = f"sqlite:///{folder}/read.db"
    arguments = [url, bind, str(count), str(folder), cluster.nodes[0].admin, *cluster.ingress]
    with (folder / "endpoint.log").open("ab") as told:
        process = subprocess.Popen(
            [sys.executable, "-m", "on_restate.endpoint", *arguments], cwd=TESTS, stdout=told, stderr=told
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


async def _until(holds: Callable[[], bool]) -> None:
    last = time.monotonic() + SOON_SECONDS
    while not holds():
        assert time.monotonic() < last
        await asyncio.sleep(0.02)


def _all_have_ended_once(folder: Path) -> None:
    """Each completed, each step of it once, and no call was made twice as the same attempt."""
    histories = _in_file(folder, _histories)
    assert len(histories) == COUNT
    for facts in histories:
        done = [fact.step for fact in facts if isinstance(fact, f.StepCompleted)]
        assert done == [0, 1, 2, 3]
        assert isinstance(facts[-1], f.ExecutionCompleted)
    begun = Counter(line for line in notes(folder) if line.endswith("begun"))
    assert set(begun.values()) == {1}


def _in_file(folder: Path, question: Callable[[Questions], Answer]) -> Answer:
    """Read as anybody may, whoever writes."""
    reader = SqliteReader(f"{folder}/read.db")
    try:
        return question(reader)
    finally:
        reader.close()


def _ended(store: Questions) -> int:
    return sum(each.record.status == "completed" for each in store.executions(Wanted("default", 2 * COUNT)))


def _histories(store: Questions) -> list[list[f.Fact]]:
    ids = [each.record.id for each in store.executions(Wanted("default", 2 * COUNT))]
    return [[entry.fact for entry in store.history(id_, 0, 1_000)] for id_ in ids]  # type: ignore[misc]


def _lost(store: Questions) -> set[str]:
    """Calls that were lost, by key and attempt."""
    found = set()
    for facts in _histories(store):
        assert isinstance(facts[0], f.ExecutionStarted)
        found |= {f"{facts[0].execution}:{each.op} {each.attempt}" for each in facts if isinstance(each, f.StepLost)}
    return found


def _noted(folder: Path, what: str) -> set[str]:
    """Calls that have begun, or are done, by key and attempt."""
    return {line.removesuffix(f" {what}") for line in notes(folder) if line.endswith(what)}
