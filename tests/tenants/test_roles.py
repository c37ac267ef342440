"""Where the role comes from: whoever may make one does, an administrator can, and without it everything goes on."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from itertools import count

import psycopg
import pytest
from psycopg import errors

from perdure.service.engine import Engine
from perdure.store.postgres.doctor import examine
from perdure.store.postgres.reaching import bring_up_to_date
from perdure.store.postgres.reader import PostgresReader
from perdure.store.postgres.store import PostgresStore
from perdure.store.postgres.tenants import role_of
from perdure.store.sql.doctor import Finding
from postgres import server
from tenants.rows import connected

_numbers = count()


def _say(*statements: str) -> None:
    with psycopg.connect(server(), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


class Owner:
    """A user of the server with a schema of its own."""

    def __init__(self, rights: str) -> None:
        self.name = f"o{os.getpid()}_{time.time_ns()}_{next(_numbers)}"
        self.url = f"{server().replace('postgres@', f'{self.name}@', 1)}&options=-csearch_path%3D{self.name}"
        self.role = f"perdure_tenant_{self.name}"
        _say(f"CREATE ROLE {self.name} LOGIN {rights}", f"CREATE SCHEMA {self.name} AUTHORIZATION {self.name}")

    def drop(self) -> None:
        _say(f"DROP SCHEMA {self.name} CASCADE")
        for each in (self.role, self.name):
            try:
                _say(f"DROP OWNED BY {each}", f"DROP ROLE {each}")
            except errors.UndefinedObject:
                continue

    def takes_on(self) -> str | None:
        reader = PostgresReader(self.url, by_its_clock=True)
        try:
            with reader.on_behalf_of("ann") as narrow:
                narrow.record("nobody's")
                found = reader._connected().execute("SELECT current_user::text").fetchone()
            return None if found == (self.name,) else str(found[0]) if found else None
        finally:
            reader.close()

    def complaint(self) -> Finding | None:
        found = examine(self.url, now=0, quick=True).findings
        return next((each for each in found if each.complaint.check == "organizations_apart"), None)


@pytest.fixture
def plain() -> Iterator[Owner]:
    """As a managed database gives it: it owns its schema, and makes no roles."""
    owner = Owner("NOCREATEROLE")
    yield owner
    owner.drop()


@pytest.fixture
def maker() -> Iterator[Owner]:
    owner = Owner("CREATEROLE")
    yield owner
    owner.drop()


def test_who_may_make_roles_makes_it_once(maker: Owner) -> None:
    for _ in range(2):
        PostgresStore(maker.url).close()
        assert maker.takes_on() == maker.role
        assert maker.complaint() is None


def test_a_superuser_takes_it_on_and_sees_no_more_than_others() -> None:
    """Superusers pass every policy; as this role they are none."""
    with connected(server()) as connection, connection.transaction():
        assert connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone() == (True,)
        connection.execute("CREATE ROLE perdure_tenant_trial; SET LOCAL ROLE perdure_tenant_trial")
        found = connection.execute(
            "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
        ).fetchone()
        assert found == (False, False)
        raise psycopg.Rollback


def test_without_the_right_everything_goes_on_and_the_doctor_says_what_an_administrator_has_to_do(plain: Owner) -> None:
    async def used() -> None:
        async with Engine(plain.url, works=False) as engine:
            with engine.host.on_behalf_of("ann"):
                assert (await engine.executions.list(organization="ann")).items == ()

    asyncio.run(used())
    assert plain.takes_on() is None
    found = plain.complaint()
    assert found is not None
    assert found.complaint.severity == "attention"
    ((role, text),) = found.examples
    assert role == plain.role
    told = f'CREATE ROLE "{plain.role}" NOLOGIN; GRANT "{plain.role}" TO "{plain.name}" WITH INHERIT FALSE, SET TRUE;'
    assert text == f"is not there; an administrator of the server has to say: {told}"

    _say(*filter(None, told.split(";")))
    found = plain.complaint()
    assert found is not None
    assert found.count == 25, "the tables are still without"
    assert plain.takes_on() is None
    bring_up_to_date(plain.url)
    assert plain.complaint() is None
    assert plain.takes_on() == plain.role


def test_a_role_that_was_made_and_not_given_is_told(plain: Owner) -> None:
    _say(f"CREATE ROLE {plain.role} NOLOGIN")
    PostgresStore(plain.url).close()
    found = plain.complaint()
    assert found is not None
    role, text = found.examples[0]
    assert role == plain.role
    assert text.startswith(f"cannot be taken on by {plain.name}; an administrator of the server has to say: ")
    assert text.endswith(f': GRANT "{plain.role}" TO "{plain.name}" WITH INHERIT FALSE, SET TRUE;')


def test_a_policy_that_was_taken_away_is_told_and_made_again(maker: Owner) -> None:
    PostgresStore(maker.url).close()
    with connected(maker.url) as connection:
        connection.execute("DROP POLICY perdure_tenant ON history")
        connection.execute("ALTER TABLE audit DISABLE ROW LEVEL SECURITY")
    found = maker.complaint()
    assert found is not None
    assert [table for table, _ in found.examples] == ["audit", "history"]
    assert maker.takes_on() is None, "it is all of them, or none"
    PostgresStore(maker.url).close()
    assert maker.complaint() is None
    assert maker.takes_on() == maker.role


def test_owners_of_other_tables_on_the_server_cannot_take_it_on(maker: Owner, plain: Owner) -> None:
    PostgresStore(maker.url).close()
    PostgresStore(plain.url).close()
    with connected(plain.url) as connection, pytest.raises(errors.InsufficientPrivilege):
        connection.execute(f'SET ROLE "{maker.role}"'.encode())


def test_a_user_with_rights_on_the_tables_works_as_before_and_sees_every_organization(
    maker: Owner, plain: Owner
) -> None:
    """An engine need not be the owner, and reports are made by others: policies are for that one role."""
    PostgresStore(maker.url).close()
    _say(
        f"GRANT USAGE ON SCHEMA {maker.name} TO {plain.name}",
        f"GRANT ALL ON ALL TABLES IN SCHEMA {maker.name} TO {plain.name}",
    )
    theirs = maker.url.replace(f"{maker.name}@", f"{plain.name}@", 1)
    written = "INSERT INTO cards VALUES ($1, 'register', 'id', 1, 1, '1')"
    with connected(theirs) as connection:
        for organization in ("ann", "bob"):
            connection.execute(written, (organization,))
        assert connection.execute("SELECT organization FROM cards ORDER BY 1").fetchall() == [("ann",), ("bob",)]
    _say(f"GRANT {maker.role} TO {plain.name} WITH INHERIT FALSE, SET TRUE")
    with connected(theirs) as connection:
        assert connection.execute("SELECT count(*) FROM cards").fetchone() == (2,)
    reader = PostgresReader(theirs, by_its_clock=True)
    with reader.on_behalf_of("ann") as narrow:
        assert narrow.card("bob", "register", "id") is None
        assert narrow.card("ann", "register", "id") is not None
    reader.close()


def test_a_long_name_of_an_owner_is_shortened_to_one_that_fits() -> None:
    name = "o" + "x" * 62
    _say(f"CREATE ROLE {name} LOGIN", f"CREATE SCHEMA {name} AUTHORIZATION {name}")
    try:
        url = f"{server()}&options=-csearch_path%3D{name}"
        with connected(url) as connection:
            connection.execute(f"CREATE TABLE executions (); ALTER TABLE executions OWNER TO {name}".encode())
            role = role_of(connection)
        assert len(role.name) == len("perdure_tenant_") + 32
        assert role.owner == name
    finally:
        _say(f"DROP SCHEMA {name} CASCADE", f"DROP ROLE {name}")
