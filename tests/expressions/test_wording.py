"""How messages speak of names."""

from __future__ import annotations

import json

import pytest

from perdure.errors import TOLD_MAX
from perdure.expressions.wording import escape_unprintable, listed, near, nearest
from perdure.model.similarity import COMPARED_MAX, KNOWN_MAX


def test_names_for_which_there_is_no_room_are_counted() -> None:
    names = [f"n{number}" for number in range(TOLD_MAX)]
    assert listed(names) == "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9"
    assert listed([*names, "x", "y"]) == f"{listed(names)}, … and 2 more"
    assert listed([]) == ""


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain\n  äß😀", "plain\n  äß😀"),
        ("a\x9bb\x85", "a\\u009bb\\u0085"),
        ("\u202e\u2066\u200b\u061c\ufeff", "\\u202e\\u2066\\u200b\\u061c\\ufeff"),
        ("\U000e0041", "\\udb40\\udc41"),
    ],
)
def test_what_cannot_be_seen_is_escaped_as_json_has_it(text: str, escaped: str) -> None:
    written = json.dumps({"a": text}, ensure_ascii=False, indent=1).replace("\\n", "\n")
    assert escape_unprintable(text) == escaped
    assert json.loads(escape_unprintable(written), strict=False) == {"a": text}


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("ecko", ("echo", "email"), "echo"),
        ("HTTP_REQEST", ("SET", "HTTP_REQUEST"), "HTTP_REQUEST"),
        ("user_prompt", ("userPrompt",), "userPrompt"),
        ("wrok", ("WORK",), "WORK"),
        ("approverRol", ("approverRole", "approverMemberId"), "approverRole"),
        ("steps", ("step",), "step"),
        ("notfiy_user", ("notify_users", "modify_users"), "notify_users"),
        ("send_sms", ("send_email", "send_mail"), None),
        ("create_order", ("create_user", "delete_order"), None),
        ("fetch_invoice", ("fetch_orders", "match_invoice_line"), None),
        ("quantum", ("query", "quantity_of"), None),
        ("charge", ("change",), "change"),
        ("lvl", ("label", "level"), "level"),
        ("qty", ("quit", "quantity", "amount_y"), None),
        ("cust_id", ("customer_id", "customer"), "customer_id"),
        ("abc", ("a_long_name_with_c",), None),
        ("msg", ("marriage", "messing"), None),
        ("charge", ("merge", "search"), None),
        ("get", ("put", "set"), "set"),
        ("a", ("b",), None),
        ("a", ("A",), "A"),
        ("ab", ("a", "abc"), "abc"),
        ("bd", ("db", "be"), "db"),
        ("s9", ("s0", "s1"), None),
        ("", ("a", ""), None),
        ("--", ("", "_"), None),
        ("x" * 81, ("x" * 81,), None),
    ],
)
def test_a_suggestion_is_close(name: str, known: tuple[str, ...], meant: str | None) -> None:
    assert near(name, known) == meant
    assert nearest(name, known) == ("" if meant is None else f"; did you mean {meant!r}?")


def test_of_very_many_names_those_with_the_same_ends_are_compared() -> None:
    many = [f"task_{number:03}" for number in range(500)]
    assert near("tsak_499", many) == "task_499"
    assert near("another thing", many) is None
    assert near("task", (f"task{number}" for number in range(COMPARED_MAX * 100))) == "task0"
    assert near("zzzz", (*(f"n{number}" for number in range(KNOWN_MAX)), "zzzy")) is None
