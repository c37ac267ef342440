"""A conversation with tools, whose process is killed at each of its stages: what was answered and recorded is not bought again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from cli.typing import environment
from llm.model import Answer, Asked, Call, Model, Replies, Says, model

ROUNDS = 4
"""Two in which tools are asked for, one answer that does not fit, and one that does."""

STAGES = [
    *(f"asked {number}" for number in range(ROUNDS)),
    *(f"answered {number}" for number in range(ROUNDS)),
    *(f"tool {number}" for number in range(3)),
]
SOON = 40


class Stages:
    """What the model says: by how far the conversation has come, with the number of the question, so that each answer is known."""

    def __init__(self) -> None:
        self.kills = True
        self.reached: set[str] = set()
        self.all_reached = threading.Event()
        self.lock = threading.Lock()

    def reach(self, stage: str) -> None:
        with self.lock:
            self.reached.add(stage)
            if len(self.reached) == len(STAGES):
                self.all_reached.set()

    def __call__(self, asked: Asked) -> Answer:
        stage, number = stage_of(asked), round_of(asked)
        if self.kills and stage == f"asked {number}":
            self.reach(stage)
            return Replies(hang=True)
        if self.kills and stage == f"answered {number}":
            self.reach(stage)
        elif self.kills and stage == f"answered {number - 1}":
            return Replies(hang=True)  # what was answered before is recorded, and it goes no further
        return self._answer(stage, number, asked.number)

    def _answer(self, stage: str, number: int, answer: int) -> Says:
        match number:
            case 0:
                return Says(calls=[Call("look", {"stage": stage, "n": 0, "answer": answer}, f"a{answer}-0")])
            case 1:
                given = [{"stage": stage, "n": n, "answer": answer} for n in (1, 2)]
                return Says(calls=[Call("look", each, f"a{answer}-{each['n']}") for each in given])
            case 2:
                return Says(json.dumps({"score": answer}))
            case _:
                return Says(json.dumps({"score": 0.5, "why": f"answer {answer}"}))


def stage_of(asked: Asked) -> str:
    stage: str = asked.messages[1]["content"]
    return stage


def round_of(asked: Asked) -> int:
    return asked.roles.count("assistant")


def worker(url: str, folder: Path, speaking: Model) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "llm.worker", url, str(folder), *STAGES]
    found = os.pathsep.join(filter(None, (str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", ""))))
    given = environment(**speaking.environment, PYTHONPATH=found)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=given)


def test_no_answer_is_bought_twice(url: str, tmp_path: Path) -> None:
    stages, calls = Stages(), tmp_path / "calls"
    with model(script=stages) as speaking:
        kill = tmp_path / "kill"
        kill.touch()
        with worker(url, tmp_path, speaking) as first:
            while not stages.all_reached.wait(0.01):
                assert first.poll() is None, first.communicate()[1]
                for given in tool_calls(calls):
                    if given["stage"] == f"tool {given['n']}":
                        stages.reach(given["stage"])
            first.kill()
        stages.kills = False
        kill.unlink()
        with worker(url, tmp_path, speaking) as second:
            out, err = second.communicate(timeout=SOON)
            assert second.returncode == 0, err
    came = {stage: (status, data, about) for stage, status, data, about in map(json.loads, out.splitlines())}
    for stage in STAGES:
        _check(stage, [asked for asked in speaking.asked if stage_of(asked) == stage], came[stage])
    made = Counter((given["stage"], given["n"]) for given in tool_calls(calls))
    assert {key for key, count in made.items() if count > 1} == {(f"tool {n}", n) for n in range(3)}
    assert set(made.values()) == {1, 2}
    assert len(made) == 3 * len(STAGES)


def _check(stage: str, asked: list[Asked], came: tuple[str, Any, Any]) -> None:
    status, data, about = came
    assert status == "completed"
    rounds = Counter(map(round_of, asked))
    again = {number for number, count in rounds.items() if count > 1}
    kind, _, number = stage.partition(" ")
    if kind == "tool":
        assert again == set(), f"{stage}: no question was under way"
    else:
        under_way = {int(number), int(number) + 1} if kind == "answered" else {int(number)}
        assert again <= under_way, stage
        assert sum(rounds.values()) <= ROUNDS + 1, stage
    if kind == "asked":
        assert again == {int(number)}
    last = asked[-1]
    assert data == {"score": 0.5, "why": f"answer {last.number}"}
    said = [turn for turn in last.messages if turn["role"] in ("assistant", "tool")]
    used = [int(call["id"][1:].split("-")[0]) for turn in said for call in turn.get("tool_calls", ())]
    told = [int(turn["content"].strip('"').removeprefix("seen ")) for turn in said if turn["role"] == "tool"]
    assert told == used
    assert about["usage"]["totalTokens"] == _cost(asked, {*used, _repaired(said), last.number})


def _repaired(said: list[dict[str, Any]]) -> int:
    found: int = json.loads(said[-1]["content"])["score"]
    return found


def _cost(asked: list[Asked], used: set[int]) -> int:
    return sum(each.spent for each in asked if each.number in used)


def tool_calls(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text().splitlines() if line.endswith("}")]
