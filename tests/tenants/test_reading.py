"""A reader on behalf of one organization, also where a question has forgotten to say whose rows it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from perdure.store.port import Unavailable
from perdure.store.postgres.reader import PostgresReader
from perdure.store.postgres.statements import parsed, statements
from perdure.store.questions import Wanted
from perdure.store.sql.statements import queries
from tenants.rows import ANN, BOB, connected, filled_schema


@pytest.fixture(scope="module")
def url() -> str:
    return filled_schema()


@pytest.fixture
def reader(url: str) -> Iterator[PostgresReader]:
    reader = PostgresReader(url, by_its_clock=True)
    yield reader
    reader.close()


def _forgetful(monkeypatch: pytest.MonkeyPatch, file: str, name: str, predicate: str, instead: str) -> None:
    """The same question, but for whose rows it asks for."""
    text = queries("perdure.store.postgres", file)[name]
    assert predicate in text
    monkeypatch.setitem(statements(file), name, parsed(text.replace(predicate, instead)))


def test_an_execution_of_another_organization_is_not_there(reader: PostgresReader) -> None:
    assert reader.record("bob id") is not None
    with reader.on_behalf_of(ANN) as narrow:
        assert narrow.record("bob id") is None
        assert narrow.history("bob id", 0, 10) == []
        assert narrow.record("ann id") is not None


def test_the_token_of_another_organization_is_found_by_nobody_else(reader: PostgresReader) -> None:
    assert reader.card_anywhere("bob register", "bob id") is not None
    with reader.on_behalf_of(ANN) as narrow:
        assert narrow.card_anywhere("bob register", "bob id") is None


def test_a_list_that_forgets_whose_executions_are_wanted_shows_nobody_elses(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _forgetful(
        monkeypatch, "questions.sql", "all_of_them", "organization = :organization", ":organization::text IS NOT NULL"
    )
    reader = PostgresReader(url, by_its_clock=True)
    wanted = Wanted(ANN, 10)
    assert [found.record.organization for found in reader.executions(wanted)] == [BOB, ANN], "it has forgotten"
    with reader.on_behalf_of(ANN) as narrow:
        assert [found.record.organization for found in narrow.executions(wanted)] == [ANN]
    reader.close()


def test_a_register_that_forgets_whose_cards_are_wanted_shows_nobody_elses(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _forgetful(
        monkeypatch, "registers.sql", "card", "register = ? AND organization = ? AND id = ?", "? <> ? AND ? <> ''"
    )
    reader = PostgresReader(url, by_its_clock=True)
    assert reader.card(ANN, "any", "any") is not None, "it has forgotten"
    with reader.on_behalf_of("carol") as narrow:
        assert narrow.card(ANN, "any", "any") is None
    reader.close()


def test_what_is_asked_after_it_is_asked_of_everything_again(reader: PostgresReader) -> None:
    for organization, other in ((ANN, BOB), (BOB, ANN), (ANN, BOB)):
        with reader.on_behalf_of(organization) as narrow:
            assert narrow.record(f"{other} id") is None
            assert narrow.record(f"{organization} id") is not None
        assert reader.record("ann id") is not None
        assert reader.record("bob id") is not None


def test_so_it_is_after_a_question_that_has_failed(reader: PostgresReader) -> None:
    with pytest.raises(KeyError), reader.on_behalf_of(ANN) as narrow:
        narrow.model("nothing")
    with pytest.raises(ValueError, match="NUL"), reader.on_behalf_of(ANN) as narrow:
        narrow.record("\0")
    with pytest.raises(ValueError, match="NUL"), reader.on_behalf_of(ANN) as narrow:
        (narrow.record("ann id"), narrow.record("\0"))
    with reader.on_behalf_of(BOB) as narrow:
        assert narrow.record("ann id") is None
    assert reader.record("ann id") is not None


def test_a_connection_that_is_lost_on_the_way_is_not_replaced_by_one_that_sees_everything(
    url: str, reader: PostgresReader
) -> None:
    def pid(of: Any) -> int:
        return int(of._connected().execute("SELECT pg_backend_pid()").fetchone()[0])

    def lost_on_the_way() -> None:
        with reader.on_behalf_of(ANN) as narrow:
            assert narrow.record("bob id") is None
            with connected(url) as another:
                another.execute("SELECT pg_terminate_backend($1)", (pid(reader),))
            with pytest.raises(Unavailable):
                narrow.record("bob id")
            narrow.record("bob id")

    with pytest.raises(Unavailable):
        lost_on_the_way()
    with reader.on_behalf_of(ANN) as narrow:
        assert narrow.record("bob id") is None
        assert narrow.record("ann id") is not None


def test_models_are_read_by_their_digests(reader: PostgresReader) -> None:
    with reader.on_behalf_of(ANN) as narrow:
        assert narrow.model("ann digest") == b"ann"
        assert narrow.dialect("ann digest") == "ann dialect"
