"""What a graph says of secrets: by which names it calls them, and where one may not stand."""

from __future__ import annotations

from typing import Any

import pytest

from dialects.words import compiled, graph, model, node
from perdure import dialects
from perdure.model.catalog import Catalog
from perdure.model.problem import Problem
from perdure.model.secrets import SecretInline, SecretOf

CIPHER_TEXT = f"pse1.{'0a' * 8}.{'A' * 80}.{'B' * 40}"
INLINE = {"kind": "inlineEncrypted", "cipherText": CIPHER_TEXT, "keyId": "0a"}
TOKEN = "ghp_k3J9xQ0LmN4pR7sT2vW8yZ1aB5cD6eF"


def problems(document: Any) -> tuple[Problem, ...]:
    return compiled(document).problems


def calling(settings: Any, *names: str) -> Any:
    data = {name: f"{{{{secrets.{name}}}}}" for name in names}
    return {**graph(node("a", "WORK", data)), "settings": settings}


def test_a_name_stands_for_another_or_for_what_the_document_brings() -> None:
    document = calling({"secrets": {"KEY": "STRIPE_LIVE", "OWN": INLINE}}, "KEY", "OWN", "PLAIN")
    assert model(document).secrets == (SecretOf("KEY", "STRIPE_LIVE"), SecretInline("OWN", CIPHER_TEXT))
    assert dialects.requirements(document).secrets == ("STRIPE_LIVE", "PLAIN")
    found = compiled(document, Catalog(secrets=("STRIPE_LIVE",)))
    assert [(each.type, each.ref) for each in found.warnings if each.type == "unknown_secret"] == [
        ("unknown_secret", "PLAIN")
    ]


def test_without_any_the_model_is_as_it_was() -> None:
    assert model(calling({}, "KEY")).secrets == ()


@pytest.mark.parametrize(
    ("source", "type_"),
    [
        ("sk-live-hunter2", "plain_secret"),
        ("hunter2 hunter2", "plain_secret"),
        ("", "plain_secret"),
        (TOKEN, "plain_secret"),
        (7, "plain_secret"),
        (None, "plain_secret"),
        (["KEY"], "plain_secret"),
        ({"kind": "plain", "value": "hunter2"}, "unknown_kind"),
        ({"cipherText": CIPHER_TEXT}, "unknown_kind"),
        ({"kind": "inlineEncrypted"}, "plain_secret"),
        ({"kind": "inlineEncrypted", "cipherText": "hunter2"}, "plain_secret"),
        ({"kind": "inlineEncrypted", "cipherText": "pse1.hunter2"}, "plain_secret"),
        ({"kind": "inlineEncrypted", "cipherText": 7}, "plain_secret"),
    ],
)
def test_plain_text_is_a_problem_and_not_shown(source: Any, type_: str) -> None:
    (problem,) = problems(calling({"secrets": {"KEY": source}}, "KEY"))
    assert (problem.type, problem.path) == (type_, "/settings/secrets/KEY")
    assert "hunter2" not in problem.message
    assert TOKEN not in problem.message


def test_all_that_is_wrong_is_told_at_once() -> None:
    document = calling({"secrets": {"1": "KEY", "a-b": "KEY", "KEY": "no name"}})
    assert [each.type for each in problems(document)] == ["invalid_name", "invalid_name", "plain_secret"]
    assert [each.type for each in problems(calling({"secrets": ["KEY"]}))] == ["wrong_type"]


def test_names_of_every_style_are_names() -> None:
    names = ("stripe_key", "StripeKey2", "STRIPE_LIVE_KEY_2", "_x", "A" * 100)
    assert len(model(calling({"secrets": {f"K{number}": name for number, name in enumerate(names)}})).secrets) == len(
        names
    )
