"""`--expires` is written as every other duration is."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from cli.typing import here
from perdure.clock import now_ms
from perdure.expressions.times import FIRST_MS, LAST_MS
from perdure.service.times import local_time

DAY_MS = 24 * 60 * 60 * 1_000


@pytest.mark.parametrize("written", ["90d", "2160h", "P90D"])
def test_as_settings_and_as_documents_write_it(
    written: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = f"sqlite:///{tmp_path}/flows.db"
    made = here(capsys, "keys", "create", "ops", "--role", "admin", "--expires", written, "--db", db, "--json")
    assert made.status == 0
    (key,) = here(capsys, "keys", "list", "--db", db, "--json").object["items"]
    assert key["expiresAt"] is not None
    ends = datetime.fromisoformat(key["expiresAt"]).timestamp() * 1_000
    assert abs(ends - now_ms() - 90 * DAY_MS) < 60_000


def test_what_is_no_duration_is_told_how_to_write_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused = here(capsys, "keys", "create", "ops", "--expires", "soon", "--db", f"sqlite:///{tmp_path}/flows.db")
    assert refused.status == 2
    assert "--expires soon:" in refused.err
    assert "90d or 12h" in refused.err


@pytest.mark.parametrize("written", ["P3000000D", "999999w"])
def test_what_expires_after_the_year_9999_is_refused(
    written: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = here(capsys, "keys", "create", "ops", "--expires", written, "--db", f"sqlite:///{tmp_path}/flows.db")
    assert refused.status == 2
    assert f"--expires {written} from now is after the year 9999; give a shorter duration" in refused.err


def test_times_are_told_in_every_year() -> None:
    assert local_time(FIRST_MS) == local_time(FIRST_MS - DAY_MS) == "0000-01-01 00:00:00 UTC"
    assert local_time(LAST_MS + DAY_MS) == "9999-12-31 23:59:59 UTC"
