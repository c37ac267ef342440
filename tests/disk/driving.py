"""Stores for worlds on bad disks: one that sees the power go, and one that gives every batch again until it is taken."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any, Literal, TypeAlias, TypeVar, cast

import apsw

from disk.scenarios import Scenario
from perdure.expressions.language import compile_value
from perdure.store import port as p
from perdure.store.sqlite.database import Checkpoints
from perdure.testing.disk import Disk, Fault
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.world import Crash, Point, World

FILE = "flows.db"
EMPTY = "nothing"
CRASHES_MAX = 1_000
PATIENCE = 3
"""How often somebody is refused before there is room again."""

Result = TypeVar("Result")
Caller: TypeAlias = Literal["worker", "newborn", "outside"]
"""Who writes: a worker at its work, one that says that it lives, or somebody outside."""


def opened(path: Path, pages: int, disk: Disk | None = None) -> InspectedSqlite:
    store = InspectedSqlite(str(path), crashes_max=CRASHES_MAX, vfs=None if disk is None else disk.name)
    store.checkpoints = Checkpoints(store.connection, pages)
    return store


def contents(connection: apsw.Connection) -> str:
    """A word for all that is in the tables."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
    if not tables:
        return EMPTY
    found = hashlib.sha256()
    for (name,) in tables:
        found.update(repr((name, connection.execute(f'SELECT * FROM "{name}"').fetchall())).encode())
    return found.hexdigest()


def written(image: dict[str, bytes], folder: Path) -> Path:
    """An image as files, in a folder of its own."""
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)
    return folder / FILE


class Stage:
    """What a world takes for its store: what only reads goes straight through, what writes is `tried`."""

    def __init__(self, scenario: Scenario) -> None:
        self.pages = scenario.pages
        self.inner: InspectedSqlite
        self.world: World | None = None
        self._by_worker = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def hook(self, point: Point) -> None:
        self._by_worker = point == "before commit"

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        caller: Caller = "worker" if self._by_worker else "outside"
        self._by_worker = False
        if all(isinstance(item, p.Beat) for item in items):
            caller = "newborn"
        return self.tried(lambda: self.inner.commit(items), caller)

    def claim(self, worker: str, *, now: int, limit: int) -> list[p.Claim]:
        return self.tried(lambda: self.inner.claim(worker, now=now, limit=limit), "worker")

    def save(self, workflow: Any, organization: str = "default") -> str:
        return self.tried(lambda: self.inner.save(workflow, organization), "outside")

    def tried(self, act: Callable[[], Result], caller: Caller) -> Result:
        raise NotImplementedError

    def played(self, scenario: Scenario) -> World:
        self.world = None
        world = World(compile_value, scenario.script, self.hook, store=cast("InspectedSqlite", self))
        self.world = world
        scenario.play(world)
        return world


class Recorded(Stage):
    """Nothing happens to it. It keeps what is in the file after each transaction, and images of every moment that is asked for."""

    def __init__(self, scenario: Scenario, folder: Path, wanted: Callable[[int], int] = lambda _: 0) -> None:
        super().__init__(scenario)
        self.disk = Disk()
        self.disk.watch = self._look
        self.moments = 0
        self.states = [EMPTY]
        self.images: list[tuple[int, int, dict[str, bytes]]] = []
        """(at which moment, how many transactions had been answered, what is left)"""
        self._wanted, self._name = wanted, scenario.name
        self.inner = self.prepared(opened(folder / FILE, self.pages, self.disk))
        self._answered()

    def prepared(self, store: InspectedSqlite) -> InspectedSqlite:
        return store

    def _look(self, disk: Disk) -> None:
        for number in range(self._wanted(self.moments)):
            random = Random(f"{self._name} {self.moments} {number}")
            self.images.append((self.moments, len(self.states) - 1, disk.after_power_loss(random)))
        self.moments += 1

    def _answered(self) -> None:
        self.states.append(contents(self.inner.connection))

    def tried(self, act: Callable[[], Result], caller: Caller) -> Result:
        del caller
        result = act()
        self._answered()
        return result


class Powered(Stage):
    """The power goes at this moment, and again so many moments later if there are more. All workers die with it; who is not
    one of them, and was not answered, asks again.
    """

    def __init__(self, scenario: Scenario, folder: Path, *cuts: int) -> None:
        super().__init__(scenario)
        self._folder, self._cuts = folder, list(cuts)
        self._random = Random(f"{scenario.name} {cuts}")
        self._left: dict[str, bytes] | None = None
        self._moments = 0
        self.losses = 0
        self._switch_on(folder / FILE)

    def _switch_on(self, path: Path) -> None:
        self._moments = 0
        self.disk = self.bought()
        self.disk.watch = self._look
        self.inner = opened(path, self.pages, self.disk)
        if self._left is not None:
            self._reboot()

    def bought(self) -> Disk:
        return Disk()

    def _look(self, disk: Disk) -> None:
        if self._cuts and self._moments == self._cuts[0]:
            self._cuts.pop(0)
            self._left = disk.after_power_loss(self._random)
        self._moments += 1

    def _reboot(self) -> None:
        assert self._left is not None
        self.disk.watch = lambda _: None
        self.inner.close()
        image, self._left = self._left, None
        self.losses += 1
        self._switch_on(written(image, self._folder / f"life-{self.losses}"))

    def tried(self, act: Callable[[], Result], caller: Caller) -> Result:
        result = act()
        if self._left is None:
            return result
        self._reboot()
        if caller == "worker":
            raise Crash
        if self.world is not None and caller == "outside":
            for worker in list(self.world.workers):
                self.world.kill(worker)
        return cast("Result", _taken(self.tried(act, caller)))


class Ended(Powered):
    """A sync fails: the process ends, and the next one finds the files as programs saw them."""

    def __init__(self, scenario: Scenario, folder: Path, fault: Fault) -> None:
        self._faults = [fault]
        self.told: list[str] = []
        super().__init__(scenario, folder)

    def bought(self) -> Disk:
        return Disk(self._faults.pop() if self._faults else None)

    def _switch_on(self, path: Path) -> None:
        self._path = path
        try:
            super()._switch_on(path)
        except p.Broken as broken:
            self._end(broken)
            self._switch_on(path)

    def _end(self, broken: p.Broken) -> None:
        self.told.append(str(broken))
        self.disk.mend()

    def tried(self, act: Callable[[], Result], caller: Caller) -> Result:
        def ending() -> Result | None:
            try:
                return act()
            except p.Broken as broken:
                beside = (self._path.with_name(f"{FILE}{more}") for more in ("", "-wal"))
                self._left = {file.name: file.read_bytes() for file in beside if file.exists()}
                self._end(broken)
                return None

        return cast("Result", super().tried(ending, caller))


def _taken(result: Any) -> Any:
    """Who asks again is glad to hear that it has been done."""
    if isinstance(result, list):
        return [p.Committed() if isinstance(one, p.Duplicate) else one for one in result]
    return result


class Stubborn(Stage):
    """Gives everything again until it is taken. A fault that lasts is mended after a while."""

    def __init__(self, scenario: Scenario, folder: Path, fault: Fault | None = None) -> None:
        super().__init__(scenario)
        self.disk = Disk(fault)
        self.refused = 0
        self.answers: list[Any] = []
        self.inner = self._persist(lambda: opened(folder / FILE, self.pages, self.disk))

    def tried(self, act: Callable[[], Result], caller: Caller) -> Result:
        del caller
        result = self._persist(act)
        self.answers.append(result)
        return result

    def _persist(self, act: Callable[[], Result]) -> Result:
        while True:
            try:
                return act()
            except p.Unavailable:
                self.refused += 1
                assert self.refused <= PATIENCE, "there is room again, and it does not go on"
            if self.world is not None:  # it can be read all the while, and nothing is half done
                assert not self.inner.connection.in_transaction
                self.inner.record("main")
            if self.refused == PATIENCE:
                self.disk.mend()


def emptied(folder: Path) -> Path:
    """A folder for the next try."""
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
