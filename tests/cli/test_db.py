"""`perdure db`: a copy while others write, and a file brought up to date."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from cli.typing import here, perdure
from perdure.store.sqlite.copying import back_up
from perdure.store.sqlite.database import known_version
from perdure.store.sqlite.doctor import examine
from perdure.store.sqlite.store import SqliteStore

VICTIM = Path(__file__).parent.parent / "hosts" / "victim.py"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    SqliteStore(str(tmp_path / "flows.db")).close()
    return tmp_path / "flows.db"


def test_a_copy_is_made_and_checked_and_is_a_database(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = database.with_name("copy.db")
    ended = here(capsys, "db", "backup", target, "--db", f"sqlite:///{database}")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith(f"{database} was copied to {target}: ")
    assert target.stat().st_mode & 0o777 == 0o600
    assert not examine(str(target), now=0).broken
    assert [path.name for path in database.parent.glob("*copy*")] == ["copy.db"]


def test_a_copy_for_programs_is_told_as_one_object(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = database.with_name("copy.db")
    told = here(capsys, "db", "backup", target, "--json", "--db", f"sqlite:///{database}").object
    assert told == {"database": str(database), "backup": str(target), "bytes": target.stat().st_size, "checked": True}


def test_what_is_there_is_not_overwritten(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = database.with_name("copy.db")
    target.write_text("precious")
    ended = here(capsys, "db", "backup", target, "--db", f"sqlite:///{database}")
    assert ended.status == 2
    assert "is there already, and is not overwritten" in ended.err
    assert target.read_text() == "precious"


def test_what_came_while_it_was_copied_is_not_overwritten_either(database: Path) -> None:
    target = database.with_name("copy.db")

    def meanwhile(done: int, total: int) -> None:
        target.write_text("precious")

    with pytest.raises(Exception, match="has come into being meanwhile"):
        back_up(str(database), str(target), meanwhile)
    assert target.read_text() == "precious"
    assert sorted(path.name for path in database.parent.glob("*copy*")) == ["copy.db"]


@pytest.mark.parametrize(
    ("target", "said"), [("nowhere/copy.db", "No such file or directory"), (".", "is there already")]
)
def test_where_it_cannot_be_written_is_told(
    target: str, said: str, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = here(capsys, "db", "backup", database.parent / target, "--db", f"sqlite:///{database}")
    assert ended.status == 2
    assert said in ended.err


def test_a_copy_made_while_workers_write_is_of_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "flows.db"
    command = [sys.executable, str(VICTIM), str(path), f"{path}.effects"]
    with subprocess.Popen(command, cwd=VICTIM.parent.parent, stdout=subprocess.PIPE) as busy:
        assert busy.stdout is not None
        assert busy.stdout.readline() == b"begun\n"
        copies = [tmp_path / f"copy{number}.db" for number in range(3)]
        for copy in copies:
            assert perdure("db", "backup", copy, "--db", f"sqlite:///{path}").status == 0
        assert busy.communicate(timeout=60)[0] == b"done\n"
    for copy in copies:
        found = examine(str(copy), now=0)
        assert found.broken == ()
        assert found.counts is not None
        assert found.counts.executions > 0


def test_an_old_file_is_brought_up_to_date_and_told_from_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "old.db"
    apsw.Connection(str(path)).execute("PRAGMA user_version = 0; VACUUM")
    known = known_version()
    told = here(capsys, "db", "upgrade", "--json", "--db", f"sqlite:///{path}").object
    assert told == {"database": str(path), "from": 0, "to": known}
    again = here(capsys, "db", "upgrade", "--db", f"sqlite:///{path}")
    assert again.out == f"{path} is up to date: version {known}\n"


def test_a_file_of_somebody_else_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "theirs.db"
    apsw.Connection(str(path)).execute("CREATE TABLE songs (title)")
    before = path.read_bytes()
    ended = here(capsys, "db", "upgrade", "--db", f"sqlite:///{path}")
    assert (ended.status, path.read_bytes()) == (2, before)
    assert "is not a database of Perdure" in ended.err


def test_a_missing_file_is_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "db", "upgrade", "--db", f"sqlite:///{tmp_path / 'flows.db'}")
    assert ended.status == 2
    assert "there is no such file" in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_newer_file_is_refused(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    apsw.Connection(str(database)).execute("PRAGMA user_version = 99")
    ended = here(capsys, "db", "upgrade", "--json", "--db", f"sqlite:///{database}")
    assert ended.status == 2
    assert "install a newer Perdure" in ended.object["problems"][0]["message"]
