"""One table of settings: what is read is in it, what is in it is told, and what cannot be used is told all at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import perdure
from cli.typing import here
from cli.typing import perdure as typed
from perdure.hosts.settings import kept, wrong
from perdure.runtime.tidying import Kept
from perdure.settings import table
from perdure.settings.environment import OF_THE_SUITE, unknown
from perdure.settings.setting import BadSetting
from perdure.settings.table import SETTINGS

ROOT = Path(perdure.__file__).parent
NAME = re.compile(r"\b(?:PERDURE|OPENAI|OTEL|SMTP)_[A-Z_]*[A-Z]\b|\b(?:PERDURE|OTEL)_(?=\W)|\bDATABASE_URL\b")

FAMILIES = {
    "hosts/tracing/exporting.py": "names of OpenTelemetry",
    "service/oidc/settings.py": "whether one of its names is set and the first is not",
}

REASONS = {
    "settings/environment.py": "the one place that has it",
    "bench/peers/running.py": "a peer that is measured gets it whole, but for one setting of its own",
    "tasks/mcp/stdio.py": "a program gets a few names of it that the operator's system sets",
    "tasks/sandbox/children.py": "a child gets where its libraries are, and nothing else",
    "tasks/sandbox/lockdown.py": "a child clears its own",
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(ROOT.rglob("*.py")):
        yield file.relative_to(ROOT).as_posix(), ast.parse(file.read_text("utf-8"))


def test_no_module_reads_the_environment_but_by_the_table() -> None:
    found = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in ("environ", "environb", "getenv", "putenv"))
        or (isinstance(node, ast.ImportFrom) and any(each.name in ("environ", "getenv") for each in node.names))
    }
    assert found == set(REASONS), "read a setting by `table.NAME.read(environment())`, or give the reason here"


def test_what_is_read_of_an_environment_is_a_row_of_the_table() -> None:
    """`environment.get("…")` would be a setting that nobody is told of. Notifiers have names that people choose."""
    found = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call | ast.Subscript) and re.match(r"environment(\(\))?(\.get\(|\[)", ast.unparse(node))
    }
    assert found == {"service/notifying.py", "settings/setting.py", "hosts/settings.py", *FAMILIES}


def test_every_name_that_the_source_speaks_of_is_in_the_table() -> None:
    for module, tree in modules():
        texts = (
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        for name in (name for text in texts for name in NAME.findall(text)):
            known = name in OF_THE_SUITE or any(each.is_named(name) for each in SETTINGS)
            assert known, f"{module} speaks of {name}, which is in no table"


def test_names_are_there_once_and_every_one_says_what_it_is() -> None:
    names = [name for each in SETTINGS for name in each.names()]
    assert len(set(names)) == len(names)
    assert all((each.about and each.about[0].islower()) or each.about.startswith("`") for each in SETTINGS)


def test_the_defaults_of_the_table_are_those_of_the_code() -> None:
    """What is told of a default could be read as it is told, and would be the same."""
    told = {each.name: each.default for each in SETTINGS}
    assert (
        kept(
            {
                "PERDURE_KEEP_TRIGGERS": told["PERDURE_KEEP_TRIGGERS"],
                "PERDURE_KEEP_ANSWERS": told["PERDURE_KEEP_ANSWERS"],
            }
        )
        == Kept()
    )
    from perdure.hosts.settings import CONNECTIONS_MAX, RATE_DEFAULT, STREAMS_MAX  # noqa: PLC0415
    from perdure.store.port import LEASE_MS  # noqa: PLC0415

    assert told["PERDURE_RATE_PER_MINUTE"] == str(RATE_DEFAULT)
    assert told["PERDURE_STREAMS_MAX"].startswith(f"{STREAMS_MAX}, or a quarter")
    assert told["PERDURE_CONNECTIONS_MAX"] == str(CONNECTIONS_MAX)
    assert told["PERDURE_LEASE_SECONDS"] == f"{LEASE_MS / 1_000:g}"


def test_how_long_things_are_kept() -> None:
    assert kept({}).executions is None
    day = 86_400_000
    found = kept({"PERDURE_KEEP_EXECUTIONS": " 90d ", "PERDURE_KEEP_EVENTS": "12h", "PERDURE_KEEP_ANSWERS": "2w"})
    assert found == Kept(90 * day, day // 2, 14 * day, 14 * day)


@pytest.mark.parametrize("given", ["90", "d", "-1d", "0d", "1.5d", "90 d", "9999999d", "٣d", "1s"])
def test_what_is_no_duration_is_refused_with_one_that_is(given: str) -> None:
    with pytest.raises(BadSetting, match="write a duration like 12h, 90d or 2w, 1m at least"):
        kept({"PERDURE_KEEP_EXECUTIONS": given})


def test_a_secret_may_be_in_a_file_and_is_never_in_a_message(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("postgresql://perdure:hunter2@db/flows\n")
    assert table.DATABASE.read({"PERDURE_DATABASE_URL_FILE": str(file)}) == "postgresql://perdure:hunter2@db/flows"
    assert table.SMTP.read({"SMTP_URL_FILE": str(file)}) == "postgresql://perdure:hunter2@db/flows"
    said = wrong({"PERDURE_SECRET_KEY": "hunter2", "PERDURE_PUBLIC_URL_FILE": str(file)})
    assert set(said) == {"PERDURE_SECRET_KEY", "PERDURE_PUBLIC_URL"}
    assert "hunter2" not in str(said)


def test_the_other_name_of_the_database_holds_where_ours_is_not_set() -> None:
    assert table.DATABASE.read({"DATABASE_URL": "sqlite:///a.db"}) == "sqlite:///a.db"
    assert table.DATABASE.read({"DATABASE_URL": "a", "PERDURE_DATABASE_URL": "sqlite:///b.db"}) == "sqlite:///b.db"


def test_names_that_nobody_reads_are_found_and_those_of_notifiers_are_theirs() -> None:
    assert unknown(
        {"PERDURE_KEEP_EXECUTION": "1d", "PERDURE_NOTIFIER_DESK": "x", "PATH": "/", "PERDURE_KEY_FILE": "k"}
    ) == ["PERDURE_KEEP_EXECUTION"]


BAD = {
    "PERDURE_RATE_PER_MINUTE": "many",
    "PERDURE_KEEP_EXECUTIONS": "90 days",
    "PERDURE_SECRET_KEY": "hunter2",
    "PERDURE_PUBLIC_URL": "flows.example.com",
    "PERDURE_KEEP_EXECUTION": "90d",
}


@pytest.mark.parametrize("command", ["serve", "dev", "worker"])
def test_nothing_starts_with_settings_that_cannot_be_used_and_all_of_them_are_told(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in BAD.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PERDURE_SECRET_KEY_FILE", raising=False)
    ended = here(capsys, command, "--db", f"sqlite:///{tmp_path}/flows.db")
    assert ended.status == 2
    assert f"perdure {command}: the environment has 4 problems" in ended.err
    for name in sorted(set(BAD) - {"PERDURE_KEEP_EXECUTION"}):
        assert name in ended.err
    assert "PERDURE_KEEP_EXECUTIONS is '90 days'; write a duration like 12h, 90d or 2w" in ended.err
    assert "hunter2" not in ended.err
    assert list(tmp_path.iterdir()) == []


def test_a_misspelt_name_is_warned_of_with_the_one_that_was_meant(tmp_path: Path) -> None:
    ended = typed(
        "worker",
        "--until-idle",
        "--db",
        f"sqlite:///{tmp_path}/flows.db",
        PERDURE_KEEP_EXECUTION="90d",
    )
    assert ended.status == 0
    assert "nobody reads the setting PERDURE_KEEP_EXECUTION; did you mean 'PERDURE_KEEP_EXECUTIONS'?" in ended.err


def test_what_is_set_is_told_and_of_secrets_only_that_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERDURE_KEY", "prd_hunter2")
    monkeypatch.setenv("SMTP_URL", "smtp://me:hunter2@mail")
    monkeypatch.setenv("PERDURE_KEEP_TRIGGERS", "3d")
    ended = here(capsys, "settings")
    assert ended.status == 0
    assert "  PERDURE_KEY = set\n" in ended.out
    assert "  PERDURE_KEEP_TRIGGERS = 3d\n" in ended.out
    assert "  PERDURE_STREAMS_MAX (default: 500, or a quarter of the connections if that is less)\n" in ended.out
    assert "hunter2" not in ended.out
    told = {each["id"]: each for each in here(capsys, "settings", "--json").object["settings"]}
    assert set(told) == {each.name for each in SETTINGS}
    assert (told["SMTP_URL"]["value"], told["PERDURE_KEEP_TRIGGERS"]["value"]) == ("set", "3d")
    monkeypatch.setenv("PERDURE_KEEP_TRIGGERS", "3 days")
    assert here(capsys, "settings").status == 2
