"""`perdure doctor` as people type it, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copy, rmtree

import pytest

from doctor.patients import Patient, SqlitePatient
from perdure.cli.main import main
from perdure.clock import now_ms
from perdure.store.sqlite.doctor import examine

HEALTHY, FOUND, REFUSED = 0, 1, 2
VICTIM = Path(__file__).parent.parent / "hosts" / "victim.py"
NOBODY = 65_534


def perdure(*arguments: str, database: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "DATABASE_URL" not in name}
    if database is not None:
        environment["PERDURE_DATABASE_URL"] = database
    return subprocess.run(
        [f"{sys.prefix}/bin/perdure", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
    )


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def test_a_healthy_database_is_told_to_be_so_with_what_there_is(patient: Patient) -> None:
    done = perdure("doctor", "--db", patient.url)
    assert (done.returncode, done.stderr) == (HEALTHY, "")
    assert done.stdout.startswith(f"{patient.name}: healthy")
    assert "12: 1 running, 5 waiting, 5 completed, 1 failed" in done.stdout
    assert "6, 6 compared with their histories" in done.stdout


def test_what_is_broken_is_told_with_whose_it_is_and_what_to_do(patient: Patient) -> None:
    patient.operate("DELETE FROM history WHERE seq = 12 AND eid = (SELECT eid FROM executions WHERE id = 'done')")
    done = perdure("doctor", "--quick", "--db", patient.url)
    assert done.returncode == FOUND
    assert f"{patient.name}: not healthy. 1 check failed." in done.stdout
    assert "done: 23 facts, numbered 1 to 24" in done.stdout
    assert "restore it from a backup" in done.stdout


def test_the_database_may_come_from_the_environment(patient: Patient) -> None:
    assert perdure("doctor", "--quick", database=patient.url).returncode == HEALTHY


def test_as_json_it_is_one_object(patient: Patient) -> None:
    patient.operate(
        "UPDATE executions SET seq = 7 WHERE id = 'done'", "UPDATE executions SET crashes = 3 WHERE id = 'hears'"
    )
    done = perdure("doctor", "--json", "--db", patient.url)
    told = json.loads(done.stdout)
    assert (done.returncode, told["healthy"], told["database"]) == (FOUND, False, patient.name)
    assert told["counts"]["executions"] == 12
    assert told["counts"]["statuses"] == {"completed": 5, "failed": 1, "running": 1, "waiting": 5}
    (broken,) = told["broken"]
    assert (broken["check"], broken["count"]) == ("last_number", 1)
    assert broken["examples"] == [{"whose": "done", "what": "fact 7 in the row, 24 in the history"}]
    assert [one["check"] for one in told["attention"] if one["check"] == "parked"] == ["parked"]


def test_what_needs_attention_is_told_and_is_no_failure(patient: Patient) -> None:
    patient.operate("UPDATE executions SET crashes = 3 WHERE id = 'hears'")
    done = perdure("doctor", "--db", patient.url)
    assert done.returncode == HEALTHY
    assert "Needs attention (1): an execution is parked" in done.stdout
    assert "3 workers died in a row, after fact 2 (wait.opened)" in done.stdout


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("flows.db", "did you mean sqlite:///flows.db?"),
        ("memory://", "in the memory of another process"),
        ("postgresql://localhost:9/x", "no server answers at localhost:9"),
        ("mysql://localhost/x", "no database that this command knows"),
        ("sqlite:///nowhere/flows.db", "there is no such file"),
        ("sqlite:///", "no database that this command knows"),
    ],
)
def test_a_mistake_is_told_in_one_line(given: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--db", given]) == REFUSED
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("perdure doctor: ")
    assert says in told.err
    assert told.err.count("\n") == 1


def test_a_mistake_is_told_as_json_on_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json", "--db", "sqlite:///nowhere.db"]) == REFUSED
    told = capsys.readouterr()
    assert told.err == ""
    assert "no such file" in json.loads(told.out)["problems"][0]["message"]


def test_without_a_database_it_asks_which(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("PERDURE_DATABASE_URL", raising=False)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert main(["doctor"]) == REFUSED
    assert "--db sqlite:///flows.db" in capsys.readouterr().err


def test_it_makes_no_file_and_shows_no_traceback(tmp_path: Path) -> None:
    done = perdure("doctor", "--db", url(tmp_path / "flows.db"))
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("a letter to a friend\n" * 500)
    done = perdure("doctor", "--db", url(tmp_path / "letter"))
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert "is not a database" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_newer_database_is_refused(file: SqlitePatient) -> None:
    file.operate("PRAGMA user_version = 99")
    done = perdure("doctor", "--db", file.url)
    assert done.returncode == REFUSED
    assert "version 99" in done.stderr
    assert "install a newer Perdure" in done.stderr


@pytest.fixture
def open_folder(file: SqlitePatient) -> Iterator[Path]:
    """A folder that everybody can look into, with a database that everybody may read."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    Path(copy(file.path, folder / "flows.db")).chmod(0o644)
    yield folder
    folder.chmod(0o755)
    rmtree(folder)


def _as_nobody(path: Path) -> subprocess.CompletedProcess[str]:
    """Whoever may do everything is nobody for this. What it needs is imported before: nobody may not read it."""
    code = (
        "import locale, os, sys; from perdure.cli.app import application; from perdure.cli.main import main\n"
        "application().parse_args(['doctor'])\n"
        f"if os.getuid() == 0: os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "doctor", "--quick", "--db", url(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_folder_that_cannot_be_written_is_told_plainly(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    done = _as_nobody(open_folder / "flows.db")
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert f"{open_folder} cannot be written" in done.stderr
    assert "copy the database" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_may_not_be_read_is_told_plainly(open_folder: Path) -> None:
    (open_folder / "flows.db").chmod(0o000)
    done = _as_nobody(open_folder / "flows.db")
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert "Permission denied; run this as the user whose file it is" in done.stderr


def test_a_folder_that_may_not_be_looked_into_is_told_plainly(open_folder: Path) -> None:
    open_folder.chmod(0o700 if os.getuid() == 0 else 0o000)
    done = _as_nobody(open_folder / "flows.db")
    assert (done.returncode, done.stdout) == (REFUSED, "")
    assert "Permission denied" in done.stderr
    assert "Traceback" not in done.stderr


def test_beside_workers_and_after_their_deaths_the_database_is_healthy(tmp_path: Path) -> None:
    path = tmp_path / "flows.db"
    for seconds in (0.02, 0.05, 0.1):
        victim = _victim(path)
        with pytest.raises(subprocess.TimeoutExpired):
            victim.communicate(timeout=seconds)
        victim.kill()
        victim.communicate()
        killed = examine(str(path), now=now_ms(), crashes_max=1_000)
        assert killed.broken == ()
        assert {one.complaint.check for one in killed.attention} <= {"dead_owners", "overdue"}
    last = _victim(path)
    beside = json.loads(perdure("doctor", "--json", "--db", url(path)).stdout)
    assert last.communicate(timeout=60)[0] == b"done\n"
    ended = json.loads(perdure("doctor", "--json", "--db", url(path)).stdout)
    assert (beside["broken"], ended["broken"], ended["attention"]) == ([], [], [])
    assert ended["counts"]["statuses"] == {"completed": 300}


def _victim(path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(VICTIM), str(path), f"{path}.effects"]
    victim = subprocess.Popen(command, cwd=VICTIM.parent.parent, stdout=subprocess.PIPE)
    assert victim.stdout is not None
    assert victim.stdout.readline() == b"begun\n"
    return victim
