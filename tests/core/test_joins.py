"""The rule of joins, on random graphs and on the shapes that other engines stumble over."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

import pytest

from core.drive import Drive, flow
from perdure.core.joins import Graph, may_enter
from perdure.core.state import State
from perdure.model.steps import Route, Step, Task
from perdure.testing.reference.joins import Joins

CHUNKS = range(10)
Edges = dict[int, list[int]]


def graph_of(edges: Edges, nodes: int, **more: int) -> Drive:
    """Every node is a task; the port it answers with says which of its edges are taken."""
    steps = tuple(Step(f"n{node}", Task("t"), _routes(edges.get(node, []))) for node in range(nodes))
    return Drive(flow(*steps, **more))


def _routes(targets: list[int]) -> tuple[Route, ...]:
    subsets = chain.from_iterable(combinations(targets, size) for size in range(len(targets) + 1))
    return tuple(Route(tuple(f"n{target}" for target in subset), port=_port(subset)) for subset in subsets)


def _port(targets: tuple[int, ...] | list[int]) -> str:
    return ",".join(map(str, sorted(targets)))


def _finish_one(drive: Drive, rng: Random, edges: Edges) -> tuple[int, list[int]]:
    op = rng.choice(sorted(drive.state.ops))
    node = drive.state.ops[op].step
    taken = [target for target in edges.get(node, []) if rng.random() < 0.7]
    drive.done(f"n{node}", port=_port(taken))
    return node, taken


@pytest.mark.parametrize("part", CHUNKS)
def test_random_cyclic_graphs_never_deadlock(part: int) -> None:
    for seed in range(part * 500, part * 500 + 500):
        rng = Random(seed)
        nodes = rng.randint(2, 9)
        pairs = {(rng.randrange(nodes), rng.randrange(nodes)) for _ in range(rng.randint(1, 14))}
        edges: Edges = {}
        for source, target in sorted(pairs):
            if len(edges.setdefault(source, [])) < 4:
                edges[source].append(target)
        drive = graph_of(edges, nodes, steps_max=40)
        while drive.state.status == "running":
            assert drive.state.ops, f"seed {seed}: tokens at {list(drive.state.tokens)} and nothing runs"
            _finish_one(drive, rng, edges)


@pytest.mark.parametrize("part", CHUNKS)
def test_in_random_acyclic_graphs_every_activated_node_runs_once_after_its_active_predecessors(part: int) -> None:
    for seed in range(part * 500, part * 500 + 500):
        rng = Random(seed)
        nodes = rng.randint(2, 10)
        pairs = {tuple(sorted(rng.sample(range(nodes), 2))) for _ in range(rng.randint(1, 18))}
        edges: Edges = {}
        for source, target in sorted(pairs):
            if len(edges.setdefault(source, [])) < 4:
                edges[source].append(target)
        drive = graph_of(edges, nodes)
        finished: list[int] = []
        activated = {0}
        while drive.state.status == "running":
            started = {op.step for op in drive.state.ops.values()}
            node, taken = _finish_one(drive, rng, edges)
            late = started.intersection(taken)
            assert not late, f"seed {seed}: {late} ran before {node}, which leads to it"
            finished.append(node)
            activated.update(taken)
        assert sorted(finished) == sorted(activated), f"seed {seed}"


def test_a_diamond_merges_once() -> None:
    drive = graph_of({0: [1, 2], 1: [3], 2: [3]}, 4)
    drive.done("n0", port="1,2").done("n1", port="3")
    assert drive.open_steps == {"n2"}
    drive.done("n2", port="3")
    assert drive.open_steps == {"n3"}


def test_a_merge_behind_a_branch_not_taken_does_not_hang() -> None:
    drive = graph_of({0: [1, 2], 1: [3], 2: [3]}, 4)
    drive.done("n0", port="1").done("n1", port="3")
    assert drive.open_steps == {"n3"}


def test_an_uneven_merge_waits_for_the_longer_arm() -> None:
    drive = graph_of({0: [1, 4], 1: [2], 2: [3], 3: [4]}, 5)
    drive.done("n0", port="1,4")
    assert drive.open_steps == {"n1"}
    drive.done("n1", port="2").done("n2", port="3")
    assert drive.open_steps == {"n3"}
    drive.done("n3", port="4")
    assert drive.open_steps == {"n4"}


def test_a_cycle_runs_its_parallel_body_again_and_merges_each_time() -> None:
    drive = graph_of({0: [1], 1: [2, 3], 2: [4], 3: [4], 4: [1, 5]}, 6)
    drive.done("n0", port="1")
    for last in (False, False, True):
        drive.done("n1", port="2,3").done("n3", port="4")
        assert drive.open_steps == {"n2"}
        drive.done("n2", port="4").done("n4", port="5" if last else "1")
    assert drive.open_steps == {"n5"}
    assert drive.state.runs[1] == 3


def test_an_edge_that_closes_a_cycle_never_holds_up_a_join() -> None:
    drive = graph_of({0: [1], 1: [2], 2: [1]}, 3)
    drive.done("n0", port="1")
    assert drive.open_steps == {"n1"}


def test_a_step_that_leads_to_itself_runs_again() -> None:
    drive = graph_of({0: [0, 1]}, 2)
    drive.done("n0", port="0").done("n0", port="0").done("n0", port="1")
    assert drive.state.runs[0] == 3
    assert drive.open_steps == {"n1"}


def test_two_ways_back_into_one_cycle_wait_for_it_to_be_quiet() -> None:
    # 1 and 2 both lead back to 0, which fans out to both: the second pass begins when the first is over.
    drive = graph_of({0: [1, 2], 1: [0], 2: [0]}, 3, steps_max=20)
    drive.done("n0", port="1,2").done("n1", port="0")
    assert drive.open_steps == {"n2"}
    drive.done("n2", port="0")
    assert drive.open_steps == {"n0"}
    assert drive.state.runs[0] == 2


def test_a_cycle_inside_a_cycle_holds_up_what_comes_after_it() -> None:
    # 1 and 2 run side by side and meet in 4; 1 may lead to 3 and back; 4 leads back to 0.
    drive = graph_of({0: [1, 2], 1: [3, 4], 2: [4], 3: [1], 4: [0, 5]}, 6)
    for last in (False, True):
        drive.done("n0", port="1,2").done("n2", port="4").done("n1", port="3")
        assert drive.open_steps == {"n3"}
        drive.done("n3", port="1")
        assert drive.open_steps == {"n1"}
        drive.done("n1", port="4")
        assert drive.open_steps == {"n4"}
        drive.done("n4", port="5" if last else "0")
    assert drive.open_steps == {"n5"}
    assert drive.state.runs[4] == 2


def test_a_join_of_any_runs_for_each_arrival() -> None:
    steps = (
        Step("a", Task("t"), (Route(("b", "c")),)),
        Step("b", Task("t"), (Route(("d",)),)),
        Step("c", Task("t"), (Route(("d",)),)),
        Step("d", Task("t"), join="any"),
    )
    drive = Drive(flow(*steps)).done("a").done("b")
    assert drive.open_steps == {"c", "d"}
    drive.done("c")
    assert drive.open_steps == {"d"}
    drive.done("d")
    assert drive.open_steps == {"d"}
    drive.done("d")
    assert drive.state.status == "completed"
    assert drive.state.runs[3] == 2


def test_a_long_workflow_is_analysed_without_recursion() -> None:
    length = 3_000
    graph = Graph(tuple((node + 1,) if node + 1 < length else () for node in range(length)), [0])
    assert graph.gates[length - 1].before.bit_count() == length - 1
    assert graph.gates[0].before == 0
    assert graph.order == tuple(range(length))


@pytest.mark.parametrize("part", CHUNKS)
def test_joins_are_as_a_naive_reading_of_the_rule_has_them(part: int) -> None:
    """Whatever is live, in whatever graph: the gates, which are bits, say the same as a search through the graph."""
    for seed in range(part * 50, part * 50 + 50):
        rng = Random(seed)
        nodes = rng.randint(2, 9)
        edges = [sorted({rng.randrange(nodes) for _ in range(rng.randint(0, 3))}) for _ in range(nodes)]
        graph = Graph(tuple(map(tuple, edges)), [0])
        naive = Joins({str(node): list(map(str, targets)) for node, targets in enumerate(edges)}, (), ["0"])
        assert {(str(one), str(other)) for one, other in graph.closing} == naive.closing
        assert [str(node) for node in sorted(range(nodes), key=graph.order.__getitem__)] == naive.order
        for _ in range(20):
            tokens = {node: rng.random() < 0.3 for node in rng.sample(range(nodes), rng.randint(1, nodes))}
            running = {node for node in range(nodes) if rng.random() < 0.2}
            state = State(
                forward=sum(1 << node for node, back in tokens.items() if not back),
                backward=sum(1 << node for node, back in tokens.items() if back),
                running=sum(1 << node for node in running),
            )
            for node in tokens.keys() - running:
                said = naive.may_enter(str(node), {str(n): b for n, b in tokens.items()}, set(map(str, running)))
                assert may_enter(graph, state, node) is said, (seed, edges, tokens, running, node)
