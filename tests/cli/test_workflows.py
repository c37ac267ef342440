"""`perdure workflows`: saved, listed, shown, activated, compared."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from cli.documents import GREETING, UNKNOWN
from cli.typing import Ended, here, written

SALUT = copy.deepcopy(GREETING)
SALUT["nodes"][1]["data"]["values"]["greeting"] = "Salut, {{ name }}!"


class Shop:
    """A folder with documents and a database, and whoever types there."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.database = f"sqlite:///{folder / 'flows.db'}"
        self.hello, self.salut = written(folder, "hello.json", GREETING), written(folder, "salut.json", SALUT)

    def type(self, *typed: str | Path) -> Ended:
        return here(self._capsys, "workflows", *typed, "--db", self.database)


@pytest.fixture
def shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shop:
    return Shop(tmp_path, capsys)


def test_what_is_saved_is_listed_and_shown(shop: Shop) -> None:
    saved = shop.type("save", shop.hello)
    assert (saved.status, saved.err) == (0, "")
    assert saved.out.startswith("hello saved as version 1, active  (id wf_")
    listed = shop.type("list").out.splitlines()
    assert listed[0].split() == ["NAME", "NEWEST", "ACTIVE", "STATUS", "DIALECT", "CHANGED", "ID"]
    assert listed[1].split()[:5] == ["hello", "1", "1", "active", "graph"]
    shown = shop.type("show", "hello").out
    assert "version   1, active" in shown
    assert '"greeting": "Hello, {{ name }}!"' in shown


def test_the_same_again_makes_no_new_version_and_a_change_does(shop: Shop) -> None:
    first = shop.type("save", shop.hello, "--json").object
    assert list(first) == ["id", "name", "version", "status", "dialect", "created", "warnings"]
    assert (first["version"], first["created"]) == ("1", True)
    again = shop.type("save", shop.hello, "--json").object
    assert (again["version"], again["created"], again["id"]) == ("1", False, first["id"])
    changed = shop.type("save", shop.salut, "--json").object
    assert (changed["version"], changed["created"], changed["id"]) == ("2", True, first["id"])
    shown = shop.type("show", "hello", "--json").object
    assert (shown["version"], [each["version"] for each in shown["versions"]]) == ("2", ["2", "1"])
    assert shown["document"] == SALUT
    assert shop.type("show", first["id"], "--version", "1", "--json").object["document"] == GREETING


def test_a_draft_is_kept_and_not_started(shop: Shop) -> None:
    shop.type("save", shop.hello)
    assert shop.type("save", shop.salut, "--draft", "--json").object["status"] == "draft"
    assert shop.type("list", "--json").object["items"][0]["active"] == "1"
    assert shop.type("activate", "hello", "2").out == "hello: version 2 is active\n"
    assert shop.type("list", "--json").object["items"][0]["active"] == "2"


def test_a_version_that_is_deactivated_is_not_started_any_more(shop: Shop) -> None:
    shop.type("save", shop.hello)
    shop.type("save", shop.salut)
    assert shop.type("deactivate", "hello", "1").out == "hello: version 1 is inactive; version 2 is active\n"
    ended = shop.type("deactivate", "hello", "2")
    assert ended.out == "hello: version 2 is inactive; no version is active, and it cannot be started by name\n"
    assert shop.type("list", "--json").object["items"][0]["active"] is None
    assert shop.type("deactivate", "hello", "2", "--json").object["status"] == "inactive"


def test_two_versions_are_compared_by_places_in_the_document(shop: Shop) -> None:
    shop.type("save", shop.hello)
    shop.type("save", shop.salut)
    assert shop.type("diff", "hello", "1", "2").out.splitlines() == [
        "~ /nodes/1/data/values/greeting",
        '    - "Hello, {{ name }}!"',
        '    + "Salut, {{ name }}!"',
    ]
    assert shop.type("diff", "hello", "1", "2", "--json").object == {
        "changes": [
            {
                "path": "/nodes/1/data/values/greeting",
                "kind": "changed",
                "old": "Hello, {{ name }}!",
                "new": "Salut, {{ name }}!",
            }
        ]
    }
    assert shop.type("diff", "hello", "2", "2").out == "versions 2 and 2 are the same\n"


def test_a_warning_is_shown_with_its_place_and_does_not_refuse(shop: Shop) -> None:
    document = written(shop.folder, "unknown.json", UNKNOWN)
    saved = shop.type("save", document)
    assert saved.status == 0
    assert "FROBNICATE" in saved.out
    assert f"{document}:" in saved.out
    assert shop.type("save", document, "--json").object["warnings"][0]["line"] > 1


def test_a_long_list_comes_in_pages(shop: Shop) -> None:
    for number in range(3):
        shop.type("save", written(shop.folder, "any.json", {**GREETING, "name": f"flow{number}"}))
    first = shop.type("list", "--limit", "2", "--json").object
    assert [item["name"] for item in first["items"]] == ["flow0", "flow1"]
    assert f"there are more: --cursor {first['next']}" in shop.type("list", "--limit", "2").out
    second = shop.type("list", "--limit", "2", "--cursor", first["next"], "--json").object
    assert ([item["name"] for item in second["items"]], second["next"]) == (["flow2"], None)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["show", "helo"], "did you mean 'hello'?"),
        (["activate", "helo", "1"], "did you mean 'hello'?"),
        (["deactivate", "helo", "1"], "did you mean 'hello'?"),
        (["deactivate", "hello", "9"], "has no version '9'; it has 1"),
        (["diff", "Hello", "1", "2"], "did you mean 'hello'?"),
        (["show", "hello", "--version", "9"], "has no version '9'; it has 1"),
        (["list", "--limit", "0"], "1 to 500"),
        (["list", "--cursor", "nonsense"], "is no cursor"),
    ],
)
def test_what_is_not_there_is_told_with_what_there_is(typed: list[str], said: str, shop: Shop) -> None:
    shop.type("save", shop.hello)
    ended = shop.type(*typed)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.err
    assert said in shop.type(*typed, "--json").object["error"]["message"]


def test_what_belongs_to_another_organization_is_not_there(shop: Shop) -> None:
    shop.type("save", shop.hello, "--organization", "acme")
    save_one = f"`perdure workflows save FILE --db {shop.database}`"
    assert shop.type("list").out == f"there are no workflows; save one with {save_one}\n"
    assert shop.type("show", "hello").status == 2
    assert shop.type("show", "hello", "--organization", "acme").status == 0


def test_a_refused_document_leaves_no_database(shop: Shop) -> None:
    bad = written(shop.folder, "bad.json", {"nodes": [], "connections": [{"fromNodeId": "a", "toNodeId": "b"}]})
    ended = shop.type("save", bad)
    assert ended.status == 2
    assert not (shop.folder / "flows.db").exists()
