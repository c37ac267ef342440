"""The cases, each by the command itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.typing import here
from postgres import fresh_schema
from run.case import Case, Warned, named
from run.ports.actions import ACTIONS
from run.ports.approvals import APPROVALS
from run.ports.conditions import CONDITIONS
from run.ports.corners import CORNERS
from run.ports.documents import DOCUMENTS
from run.ports.ending import ENDING
from run.ports.failing import FAILING
from run.ports.loops import LOOPS
from run.ports.mappings import MAPPINGS
from run.ports.nested import NESTED
from run.ports.outputs import OUTPUTS
from run.ports.policies import POLICIES
from run.ports.refused import REFUSED
from run.ports.routing import ROUTING
from run.ports.secrets import SECRETS
from run.ports.starting import STARTING
from run.ports.templates import TEMPLATES
from run.ports.triggers import TRIGGERS
from run.ports.variables import VARIABLES
from run.ports.views import VIEWS
from run.ports.warned import WARNED
from run.typed import EACH, command, is_as_told, is_refused, is_run_apart, is_warned
from sql_views import row

CASES = (
    *STARTING,
    *ROUTING,
    *ENDING,
    *FAILING,
    *VARIABLES,
    *MAPPINGS,
    *CONDITIONS,
    *LOOPS,
    *NESTED,
    *APPROVALS,
    *ACTIONS,
    *OUTPUTS,
    *POLICIES,
    *TRIGGERS,
    *DOCUMENTS,
    *SECRETS,
    *TEMPLATES,
    *VIEWS,
    *REFUSED,
    *CORNERS,
)
REFUSALS = [case for case in CASES if case.exit == 2]
VALUES = (*VARIABLES, *MAPPINGS, *CONDITIONS, *TEMPLATES)
RUN = [case for case in CASES if case.exit != 2 and case not in VALUES]
APART = [case for case in RUN[::EACH] if not case.name.startswith("sealed:")]
SEEN = (*LOOPS, *NESTED, *MAPPINGS, *VIEWS, *CORNERS)


def test_there_are_enough_and_each_has_its_own_name() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 170


@pytest.fixture(autouse=True)
def key(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sealed needs a key; all others are run without one."""
    if "sealed:" in request.node.name:
        request.getfixturevalue("alone")  # which takes away what the environment has
        monkeypatch.setenv("PERDURE_SECRET_KEY", bytes(range(32)).hex())


@pytest.mark.parametrize("case", APART, ids=named)
def test_case(case: Case, tmp_path: Path) -> None:
    is_run_apart(case, tmp_path, "ports")


@pytest.mark.parametrize("case", [*VALUES, *(case for case in RUN if case not in APART)], ids=named)
def test_case_in_this_process(case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    """Kept in a file, where SQL finds what the dialect tells."""
    url = f"sqlite:///{tmp_path}/flows.db"
    ended = here(alone, *command(case, tmp_path), "--db", url)
    assert ended.status == case.exit, ended.out
    is_as_told(case, ended.object, "ports")
    assert row(url, ended.object["id"]) == ended.object["view"]


@pytest.mark.parametrize("case", [case for case in SEEN if case.exit != 2], ids=named)
def test_what_postgres_tells_of_a_case(
    case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str], on_postgres: str
) -> None:
    told = here(alone, *command(case, tmp_path), "--db", on_postgres).object
    assert row(on_postgres, told["id"]) == told["view"]


@pytest.mark.parametrize("case", REFUSALS, ids=named)
def test_refused(case: Case, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    is_refused(case, tmp_path, alone)


@pytest.mark.parametrize("case", WARNED, ids=named)
def test_warning(case: Warned, tmp_path: Path, alone: pytest.CaptureFixture[str]) -> None:
    is_warned(case, tmp_path, alone)


@pytest.fixture(scope="module")
def on_postgres() -> str:
    return fresh_schema()
