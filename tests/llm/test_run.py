"""`perdure run` of what asks a model: the environment says which, and what is missing there is told before anything begins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.typing import here, perdure, written
from llm.conftest import Spoken
from llm.model import KEY, NAME, Call, Says
from llm.words import SCHEMA, asking, ports

TASKS = """
from perdure import task

@task("add")
def add(given):
    return given["a"] + given["b"]
"""


def test_run_asks_the_model_that_the_environment_names(tmp_path: Path, spoken: Spoken) -> None:
    model = spoken(Says(calls=[Call("add", {"a": 1, "b": 2})]), Says('{"score": 0.3}'))
    (tmp_path / "tasks.py").write_text(TASKS)
    file = written(tmp_path, "ask.json", ports(asking(tools=["add"], outputSchema=SCHEMA)))
    ended = perdure("run", file, "--tasks", tmp_path / "tasks.py", "--db", f"sqlite:///{tmp_path}/f.db", "--json")
    assert ended.status == 0
    assert ended.object["status"] == "completed"
    assert model.asked[1].told == ["3"]
    assert model.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert model.asked[0].body["model"] == NAME
    assert KEY not in ended.out


@pytest.mark.parametrize("missing", ["OPENAI_API_KEY", "OPENAI_MODEL"])
@pytest.mark.parametrize("config", [{}, {"outputFormat": "json", "tokenBudget": 100}])
def test_run_refuses_what_nobody_could_be_asked(
    tmp_path: Path,
    spoken: Spoken,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    missing: str,
    config: dict[str, Any],
) -> None:
    model = spoken(Says("Yes."))
    monkeypatch.delenv(missing)
    ended = here(capsys, "run", written(tmp_path, "ask.json", ports(asking(**config))))
    assert ended.status == 2
    assert missing in ended.err
    assert "ask" in ended.err
    assert model.asked == []


def test_run_fails_with_what_the_provider_says(
    tmp_path: Path, spoken: Spoken, capsys: pytest.CaptureFixture[str]
) -> None:
    spoken(Says("not json"))
    ended = here(capsys, "run", written(tmp_path, "ask.json", ports(asking(outputSchema=SCHEMA))))
    assert ended.status == 1
    assert "it is not JSON" in ended.out + ended.err
