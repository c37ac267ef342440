"""Faults to order: workers that die at chosen points, and worlds where anything may go wrong at any time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random

from msgspec.structs import replace

from perdure.expressions.protocol import Compile
from perdure.runtime import ports
from perdure.store.port import Beat
from perdure.testing.invariants import violations
from perdure.testing.script import Script
from perdure.testing.world import Crash, Point, Worker, World

COMMITS: tuple[Point, ...] = ("before commit", "after commit")
EVERYWHERE: tuple[Point, ...] = (*COMMITS, "after perform", "after claim")


CALM_ROUNDS_MAX = 3_000


class CrashAt:
    """A hook that kills the worker at the points with these numbers, counted from 0 over the whole world."""

    def __init__(self, *numbers: int, points: tuple[Point, ...] = COMMITS) -> None:
        self._numbers = set(numbers)
        self._points = points
        self.passed = 0

    def __call__(self, point: Point) -> None:
        if point not in self._points:
            return
        number = self.passed
        self.passed += 1
        if number in self._numbers:
            raise Crash


def crash_plans(points: int, pairs_max: int) -> Iterator[tuple[int, ...]]:
    """Every single point, and every pair; where there are more than `pairs_max` pairs, so many spread over all."""
    for point in range(points):
        yield (point,)
    pairs = [pair for pair in combinations(range(points + 2), 2) if pair[0] < points]
    step = max(1, -(-len(pairs) // pairs_max))
    yield from pairs[::step]


class ChaosWorld(World):
    """Anything may happen at any time: crashes, paused workers, late, doubled and reordered answers, lost requests."""

    def __init__(self, compile_: Compile, script: Script, seed: int, workers: int = 2) -> None:
        self.rng = Random(seed)
        self._calm = False
        self.endless = False
        """It goes on for ever, as time does: what would have ended it came before it was there."""
        self._paused: dict[str, int] = {}
        super().__init__(compile_, script, self._strike, workers)

    def _strike(self, point: Point) -> None:
        del point
        if not self._calm and self.rng.random() < 0.03:
            raise Crash

    def run(self) -> None:
        """Chaos for a while; then calm, so that everything can end."""
        for _ in range(self.rng.randrange(20, 400)):
            if not self.step():
                break
        self._calm = True
        for worker in self.workers:
            self._resume(worker)
        if all(self.step() for _ in range(CALM_ROUNDS_MAX // 2)):
            half_time = self.now
            self.endless = all(self.step() for _ in range(CALM_ROUNDS_MAX // 2))
            assert not self.endless or self.now > half_time, f"it runs in circles, and time stands still at {self.now}"

    def step(self) -> bool:
        if self._calm:
            return super().step()
        choice = self.rng.random()
        if choice < 0.04:
            self._pause(self.rng.choice(self.workers))
        elif choice < 0.08:
            self._resume(self.rng.choice(self.workers))
        awake = [worker for worker in self.workers if worker.name not in self._paused]
        if not awake:
            return self._pass_time()
        worker = self.rng.choice(awake)
        if choice < 0.5:
            self._disturb(worker)
            self.turn(worker)
            return True
        if choice < 0.8:
            self.poll(worker)
            return True
        return self._pass_time() or any(other.inputs for other in self.workers)

    def _pause(self, worker: Worker) -> None:
        """It stops, its lease runs out, and it does not know."""
        self._paused[worker.name] = self.now
        self.store.commit([Beat(worker.name, 0)])

    def _resume(self, worker: Worker) -> None:
        if self._paused.pop(worker.name, None) is not None:
            self.store.commit([Beat(worker.name, 1 << 60)])

    def _disturb(self, worker: Worker) -> None:
        """Reports come in any order, and some of them twice."""
        reports = [given for given in worker.inputs if isinstance(given, ports.Report)]
        others = [given for given in worker.inputs if not isinstance(given, ports.Report)]
        reports += [replace(given) for given in reports if self.rng.random() < 0.2]
        self.rng.shuffle(reports)
        worker.inputs = [*others, *reports]


def faults(world: ChaosWorld) -> list[str]:
    """What must not be. Of an endless world it is not asked that everything has come to its end."""
    found = violations(world)
    return [text for text in found if "I1:" not in text and "I6:" not in text] if world.endless else found
