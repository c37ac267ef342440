"""What the database itself keeps an organization from, table by table, whatever it is asked. The tables are those that its catalog
has: a new one cannot be forgotten.
"""

from __future__ import annotations

import psycopg
import pytest

from perdure.store.postgres.tenants import role_of
from tenants.rows import ANN, BOB, connected, filled_schema, seen, tables

SHARED = {"workers": "the operator's: who lives and with which tasks, which says why an execution waits"}
"""Rows that are no organization's, and that every one of them may read."""

CLOSED = {
    "leavings": "numbers of executions that are no more",
    "models": "content without an owner, called by its digest: `model_with` gives the one that is named",
    "perdure": "the version of the schema",
}
"""Tables that readers of an organization cannot read at all."""


@pytest.fixture(scope="module")
def url() -> str:
    return filled_schema()


def test_every_table_has_a_policy_or_a_reason(url: str) -> None:
    with connected(url) as connection:
        found = connection.execute("""
            SELECT relname FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid
            WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity AND polname = 'perdure_tenant' AND NOT polpermissive
        """).fetchall()
        assert {table for (table,) in found} == set(tables(connection)) - set(CLOSED)
        known = connection.execute("SELECT count(*) FROM executions").fetchone()
    assert known == (2,)


@pytest.mark.parametrize(("organization", "other"), [(ANN, BOB), (BOB, ANN)])
def test_no_row_of_another_organization_is_seen_in_any_table_without_any_predicate(
    url: str, organization: str, other: str
) -> None:
    with connected(url) as connection:
        names = tables(connection)
    for table in set(names) - set(SHARED) - set(CLOSED):
        rows = seen(url, f'SELECT row_to_json("{table}")::text FROM "{table}"', organization)
        assert len(rows) == 1, table
        whose = seen(
            url,
            f"""SELECT count(*) FROM "{table}" AS each WHERE '{organization}' =
            coalesce(to_json(each) ->> 'organization', (SELECT organization FROM executions WHERE eid::text = to_json(each) ->> 'eid'))""",
            organization,
        )
        assert whose == [(1,)], table
        assert other not in rows[0][0], table


def test_on_behalf_of_nobody_nothing_is_seen(url: str) -> None:
    with connected(url) as connection:
        names = set(tables(connection)) - set(SHARED) - set(CLOSED)
    for table in names:
        assert seen(url, f'SELECT 1 FROM "{table}"') == [], table
        assert seen(url, f'SELECT 1 FROM "{table}"', "") == [], table
        assert seen(url, f'SELECT 1 FROM "{table}"', "carol") == [], table


def test_what_is_said_in_a_transaction_is_forgotten_with_it(url: str) -> None:
    """The server then has an empty text where it had nothing before: an organization of that name sees nothing either."""
    with connected(url) as connection:
        role = role_of(connection).name
        with connection.transaction():
            connection.execute(
                "SELECT set_config('perdure.organization', 'ann', true), set_config('role', $1, true)", (role,)
            )
            assert connection.execute("SELECT count(*) FROM cards").fetchone() == (1,)
        with connection.transaction():
            connection.execute("SELECT set_config('role', $1, true)", (role,))
            assert connection.execute("SELECT count(*) FROM cards").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM cards").fetchone() == (2,), "the owner sees all"


@pytest.mark.parametrize("table", CLOSED)
def test_what_is_closed_cannot_be_read(url: str, table: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen(url, f"SELECT 1 FROM {table}", ANN)


def test_a_model_is_found_by_its_digest_alone(url: str) -> None:
    assert seen(url, "SELECT data, dialect FROM model_with('ann digest')", ANN) == [(b"ann", "ann dialect")]
    assert seen(url, "SELECT data FROM model_with('carol')", ANN) == []


def test_nothing_can_be_written(url: str) -> None:
    for statement in (
        "DELETE FROM executions",
        "UPDATE cards SET revision = 7",
        "INSERT INTO consumed VALUES (1, 'x')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            seen(url, statement, ANN)


def test_no_view_can_be_read_and_no_other_function_has_the_rights_of_the_owner(url: str) -> None:
    """Our views see what their owner does."""
    with connected(url) as connection:
        role = role_of(connection).name
        views = connection.execute(
            "SELECT relname, has_table_privilege($1, oid, 'SELECT') FROM pg_class "
            "WHERE relkind IN ('v', 'm') AND relnamespace = current_schema()::regnamespace",
            (role,),
        ).fetchall()
        lent = connection.execute(
            "SELECT proname FROM pg_proc WHERE prosecdef AND pronamespace = current_schema()::regnamespace"
        ).fetchall()
    assert len(views) >= 16
    assert [view for view, may in views if may] == []
    assert lent == [("model_with",)]


def test_only_readers_of_an_organization_may_ask_for_models_so(url: str) -> None:
    with connected(url) as connection:
        asked = "SELECT has_function_privilege($1, 'model_with(text)', 'EXECUTE')"
        assert connection.execute(asked, (role_of(connection).name,)).fetchone() == (True,)
        assert connection.execute(
            "SELECT proacl::text ~ '[{,]=' FROM pg_proc WHERE oid = 'model_with'::regproc"
        ).fetchone() == (False,)
