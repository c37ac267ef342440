"""The ratios that are promised, and whether they hold. A figure that falls short is told as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perdure.bench.results import Measurement, Serial, Target

DBOS_AT_LEAST, DBOS_AIM = 60, 100
COMMITS_AT_MOST = 2


def targets(serial: Serial | None, beside: Sequence[Measurement]) -> tuple[Target, ...]:
    marginal = None if serial is None else serial.marginal_us / serial.commit_us
    whole = None if serial is None else serial.many_steps_us / (serial.commit_us * serial.length)
    return (
        *_of_documents(beside, "dbos", "DBOS"),
        judged(
            "times the steps/s of DBOS: a model built by hand",
            _times(beside, "dbos"),
            at_least=DBOS_AT_LEAST,
            aim=DBOS_AIM,
        ),
        *_of_documents(beside, "langgraph", "LangGraph"),
        judged("times the steps/s of LangGraph: a model built by hand", _times(beside, "langgraph")),
        judged("raw commits: what one step more costs in a sequence", marginal, at_most=COMMITS_AT_MOST),
        judged("times 40 raw commits: 40 light tasks in one execution", whole, at_most=COMMITS_AT_MOST),
    )


def judged(
    name: str,
    ratio: float | None,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    aim: float | None = None,
) -> Target:
    met: bool | None = None
    if ratio is not None and (at_least is not None or at_most is not None):
        met = (at_most is None or ratio <= at_most) and (at_least is None or ratio >= at_least)
    return Target(name, ratio, at_least, at_most, aim, met)


def best(beside: Sequence[Measurement], system: str) -> Measurement | None:
    """Of the ways to use it that count, the quickest; of ours, the model built by hand."""
    counting = [one for one in beside if one.system == system and one.counts and one.notation is None]
    return max(counting, key=lambda measured: measured.steps_per_second, default=None)


def _times(beside: Sequence[Measurement], peer: str) -> float | None:
    ours, theirs = best(beside, "perdure"), best(beside, peer)
    return None if ours is None or theirs is None else ours.steps_per_second / theirs.steps_per_second


def _of_documents(beside: Sequence[Measurement], peer: str, title: str) -> Iterator[Target]:
    """One ratio for each notation, the lowest first: that is the one to quote."""
    theirs = best(beside, peer)
    documents = sorted((one for one in beside if one.notation is not None), key=lambda one: one.steps_per_second)
    if theirs is None:
        return
    for place, one in enumerate(documents):
        which = " (the lowest of the notations)" if place == 0 else ""
        yield judged(
            f"times the steps/s of {title}: a document in {one.notation}{which}",
            one.steps_per_second / theirs.steps_per_second,
        )
