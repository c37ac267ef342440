"""Ours and the peers at the same sequence, in turns: ours, peer, ours, peer; a slow minute of the machine meets both."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from time import perf_counter

from perdure.bench.driving import Load
from perdure.bench.machine import settle
from perdure.bench.ours import measured
from perdure.bench.peers.running import Mode, Peer, PeerFailed, missing, run_peer
from perdure.bench.plan import Plan
from perdure.bench.progress import Progress
from perdure.bench.results import LeftOut, Measurement, Run, Settings, gathered
from perdure.bench.workloads import NOTATIONS, Workload, document, sequence

HOW_TO_ADD = "`make bench` runs with it"


class Beside:
    """`left_out`: the peers that were asked for and not measured."""

    def __init__(self, plan: Plan, folder: Path, progress: Progress) -> None:
        self._plan = plan
        self._folder = folder
        self._progress = progress
        self._workload = sequence(plan.beside_length)
        self._ours: list[tuple[Run, Settings]] = []
        self._documents = [document(notation, plan.beside_length) for notation in NOTATIONS]
        self._of_documents: dict[str, list[tuple[Run, Settings]]] = {}
        self._theirs: dict[tuple[Peer, Mode], list[tuple[Run, Settings]]] = {}
        self.left_out: list[LeftOut] = []

    def measure(self, parts: Collection[str]) -> None:
        peers = [peer for peer in self._plan.peers if peer.system in parts and self._is_there(peer)]
        if "documents" not in parts:
            self._documents = []
        began = perf_counter()
        for number in range(self._plan.rounds if peers else 0):
            spent = perf_counter() - began
            if number > 0 and spent * (number + 1) / number > self._plan.beside_seconds_max:
                self._progress.tell(f"this machine is slow now: {number} of {self._plan.rounds} rounds")
                return
            self._round(peers, number)

    def _round(self, peers: Sequence[Peer], number: int) -> None:
        for peer in peers:
            for mode in peer.modes:
                if mode.counts or number == 0:  # what does not count is told once
                    self._turn(peer, mode, f"round {number + 1}")
        for workload in self._documents:
            self._of_documents.setdefault(workload.notation or "", []).append(
                self._our_turn(workload, f"round {number + 1}")
            )

    def measurements(self) -> tuple[Measurement, ...]:
        gone = {left.system for left in self.left_out}
        theirs = [
            self._gathered(peer, mode, runs) for (peer, mode), runs in self._theirs.items() if peer.system not in gone
        ]
        if not theirs:
            return ()
        documents = [
            self._gathered_ours(f"Perdure, {notation}", runs, notation) for notation, runs in self._of_documents.items()
        ]
        return (self._gathered_ours("Perdure", self._ours), *documents, *theirs)

    def _is_there(self, peer: Peer) -> bool:
        absent = missing(peer)
        if absent:
            verb = "is" if len(absent) == 1 else "are"
            self._leave_out(peer, f"{' and '.join(absent)} {verb} not installed; {HOW_TO_ADD}")
        return not absent

    def _leave_out(self, peer: Peer, reason: str) -> None:
        self.left_out.append(LeftOut(peer.system, reason))
        self._progress.tell(f"{peer.title} is left out: {reason}")

    def _turn(self, peer: Peer, mode: Mode, round_: str) -> None:
        """One run of ours, then one of theirs."""
        if any(left.system == peer.system for left in self.left_out):
            return
        plan = self._plan
        self._ours.append(self._our_turn(self._workload, round_))
        load = Load(plan.concurrency, plan.peer_seconds, plan.beside_length)
        try:
            with self._progress.of(f"{round_}: {peer.title} {mode.name}, {self._workload.name}") as done:
                settle()
                answer = run_peer(peer, mode, load, self._folder)
                done(f"{answer.run.steps_per_second:,.0f} steps/s")
        except PeerFailed as failed:
            self._leave_out(peer, str(failed))
        else:
            self._theirs.setdefault((peer, mode), []).append((answer.run, answer.settings))

    def _our_turn(self, workload: Workload, round_: str) -> tuple[Run, Settings]:
        with self._progress.of(f"{round_}: Perdure, {workload.name}") as done:
            settle()
            ours = measured(workload, self._plan.concurrency, self._plan.seconds, self._folder)
            done(f"{ours[0].steps_per_second:,.0f} steps/s")
        return ours

    def _gathered_ours(self, name: str, runs: list[tuple[Run, Settings]], notation: str | None = None) -> Measurement:
        rounds = [run for run, _ in runs]
        return gathered("perdure", name, self._plan.concurrency, runs[0][1], rounds, notation=notation)

    def _gathered(self, peer: Peer, mode: Mode, runs: list[tuple[Run, Settings]]) -> Measurement:
        return gathered(
            peer.system,
            f"{peer.title} {mode.name}",
            self._plan.concurrency,
            runs[0][1],
            [run for run, _ in runs],
            counts=mode.counts,
        )
