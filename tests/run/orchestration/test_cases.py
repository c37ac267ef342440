"""The cases, each by the command itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from cli.typing import here
from run.case import Case, Judged, Warned, named
from run.orchestration.afterwards import AFTERWARDS
from run.orchestration.calling import CALLING
from run.orchestration.cancelling import CANCELLING
from run.orchestration.compensating import COMPENSATING
from run.orchestration.documents import DOCUMENTS
from run.orchestration.failing import FAILING
from run.orchestration.handlers import EVENTS, HANDLERS, JUDGED
from run.orchestration.names import NAMES
from run.orchestration.parallels import PARALLELS
from run.orchestration.people import PEOPLE
from run.orchestration.routing import ROUTING
from run.orchestration.starting import STARTING
from run.orchestration.starts import STARTS
from run.orchestration.timeouts import TIMEOUTS
from run.orchestration.variables import SECRETS, VARIABLES
from run.orchestration.views import VIEWS
from run.orchestration.waiting import WAITING
from run.orchestration.warned import WARNED
from run.orchestration.words import echo, flow, waits
from run.stories import Act, Desk, Story, runs
from run.typed import EACH, apart, command, is_as_told, is_judged, is_refused, is_run_apart, is_warned

CASES = (
    *STARTING,
    *CALLING,
    *ROUTING,
    *NAMES,
    *FAILING,
    *TIMEOUTS,
    *PARALLELS,
    *HANDLERS,
    *VARIABLES,
    *SECRETS,
    *VIEWS,
    *DOCUMENTS,
)
STORIES = (*WAITING, *STARTS, *CANCELLING, *COMPENSATING, *PEOPLE, *AFTERWARDS, *EVENTS)
REFUSALS = [case for case in CASES if case.exit == 2]
SEVERAL = EACH if EACH == 1 else 3 * EACH
"""A story is several commands."""
RUN = [case for case in CASES if case.exit != 2]


def test_there_are_enough_and_each_has_its_own_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 250
    assert len({told.name for told in STORIES}) == len(STORIES) >= 100


@pytest.mark.parametrize("case", RUN[::EACH], ids=named)
def test_case(case: Case, tmp_path: Path) -> None:
    is_run_apart(case, tmp_path, "orchestration")


@pytest.mark.parametrize("case", [case for case in RUN if case not in RUN[::EACH]], ids=named)
def test_case_in_this_process(case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    ended = here(alone, *command(case, tmp_path))
    assert ended.status == case.exit, ended.out
    is_as_told(case, ended.object, "orchestration")


@pytest.mark.parametrize("case", REFUSALS, ids=named)
def test_refused(case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    is_refused(case, tmp_path, alone)


@pytest.mark.parametrize("case", WARNED, ids=named)
def test_warning(case: Warned, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    is_warned(case, tmp_path, alone)


@pytest.mark.parametrize("case", JUDGED, ids=named)
def test_judged(case: Judged, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    is_judged(case, tmp_path, alone)


@pytest.mark.parametrize("told", STORIES[::SEVERAL], ids=named)
def test_story(told: Story, tmp_path: Path) -> None:
    Desk(tmp_path, apart).plays(told.acts)


@pytest.mark.parametrize("told", [told for told in STORIES if told not in STORIES[::SEVERAL]], ids=named)
def test_story_in_this_process(told: Story, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    Desk(tmp_path, partial(here, alone)).plays(told.acts)


def test_a_secret_is_filled_in_for_the_call_and_hidden_everywhere_else(
    tmp_path: Path, alone: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERDURE_SECRET_KEY", bytes(range(32)).hex())
    document = flow(echo("a", "w", key="Bearer ${secrets.KEY}"), waits("w", "x"), secrets={"KEY": "CRM_KEY"})
    acts = (
        runs(flow(echo("a")), exit=0),
        Act(("secrets", "set", "CRM_KEY", "--value", "hunter2-hunter2")),
        runs(document, state__steps__a__output={"key": "Bearer ***"}),
    )
    Desk(tmp_path, partial(here, alone)).plays(acts)
    database = (tmp_path / "flows.db").read_bytes()
    assert b"hunter2" not in database
