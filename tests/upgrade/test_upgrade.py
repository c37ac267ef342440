"""Databases written by commit 6c8bed6 (`data/README.md`): the current code opens them, `doctor` finds them clean, every execution
comes to the end that was written down then, and answers, webhooks, secrets, schedules, keys and the audit still hold.

Only public names are used here: commands, `perdure.Client`, REST. When one of them is renamed, the test follows; the files in
`data/` never change.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from api.house import run
from cli.typing import perdure
from perdure import Client
from postgres import run as run_postgres
from postgres import start as start_postgres
from postgres import stop as stop_postgres
from upkeep.test_restart import server

DATA = Path(__file__).parent / "data"
TASKS = Path(__file__).parent / "tasks.py"
SECRET_KEY = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
SETTINGS = {"PERDURE_SECRET_KEY": SECRET_KEY, "PERDURE_KEEP_ANSWERS": "36500d"}
SIGNING_SECRET = b"signed-with-this-0123456789"
SUMS_DIGEST = "5af35e5070e46e99817a288901f3bceac8dd673c2046927c4f3b784b6dc40a35"
LONG_WRITER_DIGEST = "9cc2b981f391fb08f3037766b34983f1117d257858ee315be35388c4c8c4d72b"
DATA_FILES = {
    *("README.md", "SHA256SUMS", "ends.json", "writer.py.txt", "long_writer.py.txt"),
    *("flows.postgres.sql", "flows.sqlite", "postgres.json", "sqlite.json"),
    *("long.postgres.sql", "long.sqlite", "long.postgres.json", "long.sqlite.json"),
}
NOT_SUMMED = {"README.md", "SHA256SUMS", "long_writer.py.txt"}
ENDED = ("completed", "failed", "cancelled")
COUNT = 26
LEFT_BY_THE_WRITER = {"parked", "overdue", "unrouted", "dead_owners"}
"""What the doctor draws attention to: the writer was killed, and left a parked execution and an event that nothing had routed."""


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def young_server() -> Iterator[tuple[str, Path]]:
    """A Postgres server that has counted fewer transactions than the one that the dump is from, as after a restore elsewhere."""
    with tempfile.TemporaryDirectory(prefix="perdure-upgrade-") as folder:
        sockets = Path(folder)
        sockets.chmod(0o755)
        start_postgres(sockets / "data", sockets)
        yield f"postgresql://postgres@/postgres?host={folder}", sockets
        stop_postgres(sockets / "data", "immediate")


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    return _copied("flows", kind, tmp_path, request)


@pytest.fixture
def long_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    return _copied("long", kind, tmp_path, request)


def _copied(database: str, kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Return the address of a copy of the database of this kind."""
    if kind == "sqlite":
        copy = tmp_path / "flows.db"
        shutil.copy(DATA / f"{database}.sqlite", copy)
        copy.chmod(0o600)
        return f"sqlite:///{copy}"
    url, folder = _young_server_of(request)
    name = f"upgrade_{tmp_path.name}".lower().replace("-", "_")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}".encode())
        connection.execute(f"CREATE DATABASE {name}".encode())
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'perdure_tenant_postgres'").fetchall():
            connection.execute("CREATE ROLE perdure_tenant_postgres NOLOGIN")  # roles are not part of a dump
    dump = folder / f"{name}.sql"
    shutil.copy(DATA / f"{database}.postgres.sql", dump)
    dump.chmod(0o644)
    run_postgres("psql", "-qX", "-v", "ON_ERROR_STOP=1", "-h", str(folder), "-U", "postgres", "-f", str(dump), name)
    return url.replace("/postgres?", f"/{name}?")


def _young_server_of(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Start the server only for tests that need it."""
    found: tuple[str, Path] = request.getfixturevalue("young_server")
    return found


@pytest.fixture
def notes(kind: str) -> dict[str, Any]:
    """What only the writer of the database knew: ids, tokens, answers."""
    known: dict[str, Any] = json.loads((DATA / f"{kind}.json").read_text())
    return known


def test_the_data_files_are_as_they_were_written() -> None:
    assert {path.name for path in DATA.iterdir()} == DATA_FILES
    lines = [line.split() for line in (DATA / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in lines} == DATA_FILES - NOT_SUMMED
    for digest, name in ((SUMS_DIGEST, "SHA256SUMS"), (LONG_WRITER_DIGEST, "long_writer.py.txt"), *lines):
        assert sha256((DATA / name).read_bytes()).hexdigest() == digest, (
            f"{name} has changed; restore it, and fix the code"
        )


def test_the_doctor_finds_the_upgraded_database_clean(url: str) -> None:
    upgraded = perdure("db", "upgrade", "--db", url)
    assert upgraded.status == 0, upgraded.err
    examined = perdure("doctor", "--db", url, "--json")
    assert examined.status == 0, examined.out + examined.err
    report = json.loads(examined.out)
    assert report["broken"] == []
    assert {item["check"] for item in report["attention"]} <= LEFT_BY_THE_WRITER


def test_every_execution_comes_to_its_end(url: str, notes: dict[str, Any], tmp_path: Path) -> None:
    async def scenario() -> None:
        async with server(tmp_path, url, "--tasks", str(TASKS), **SETTINGS) as served:
            base = await served.url()
            async with Client(base, notes["root"]) as root, Client(base, notes["ann"]) as ann:
                await _take_everything_on(root, ann, notes)
                executions = await _wait_until_all_ended(root)
                assert {record.id for record in executions} >= set(notes["executions"])
                names = await root.executions.names(executions)
                ends = [
                    [names[record.workflow], record.correlation_id, record.status, _end(record)]
                    for record in executions
                ]
                expected = json.loads((DATA / "ends.json").read_text())
                assert sorted(ends, key=json.dumps) == sorted(expected, key=json.dumps)
        examined = perdure("doctor", "--db", url, "--json")
        assert examined.status == 0, examined.out + examined.err
        attention = [item["check"] for item in json.loads(examined.out)["attention"]]
        assert attention == ["retention_held"], "as its newest row was over a day old when it was opened"

    run(scenario(), 180)


def test_stored_answers_are_given_again_byte_by_byte(url: str, notes: dict[str, Any], tmp_path: Path) -> None:
    async def ask(client: httpx2.AsyncClient) -> None:
        for answer in notes["answers"]:
            response = await client.request(
                answer["method"],
                answer["path"],
                content=answer["body"],
                headers={
                    "Authorization": f"Bearer {notes['root']}",
                    "Content-Type": "application/json",
                    "Idempotency-Key": answer["key"],
                },
            )
            assert (response.status_code, response.text) == (answer["status"], answer["answer"]), answer["key"]

    _while_served(url, tmp_path, ask)


def test_a_key_that_has_started_an_execution_stands_for_it(url: str, notes: dict[str, Any], tmp_path: Path) -> None:
    started = {label: execution for execution, (label, _, _) in notes["executions"].items()}

    async def ask(client: httpx2.AsyncClient) -> None:
        async with Client(str(client.base_url), notes["root"]) as root:
            for label, workflow, input_ in (
                ("timer", "timer", {"name": "ada"}),
                ("secret", "secret", {}),
                ("parallel", "parallel", {"order": "o9"}),
            ):
                again = await root.executions.start(
                    workflow, input_, correlation_id=label, idempotency_key=f"key-{label}"
                )
                assert again.id == started[label], label
            listed = await root.executions.list(limit=500)
            assert len(listed.items) == COUNT

    _while_served(url, tmp_path, ask)


def test_webhooks_take_requests_and_know_deliveries_again(url: str, notes: dict[str, Any], tmp_path: Path) -> None:
    before = next(execution for execution, (label, _, _) in notes["executions"].items() if label is None)

    async def ask(client: httpx2.AsyncClient) -> None:
        again = await client.post(f"/hooks/{notes['hook']}", json={"n": 6}, headers={"Idempotency-Key": "delivery-1"})
        assert again.status_code in (200, 202), again.text
        assert again.json()["id"] == before
        new = await client.post(f"/hooks/{notes['hook']}", json={"n": 7}, headers={"Idempotency-Key": "delivery-2"})
        assert new.status_code == 202, new.text
        assert new.json()["id"] not in notes["executions"]
        body = b'{"n": 8}'
        signature = hmac.new(SIGNING_SECRET, body, sha256).hexdigest()
        for token, status in ((f"sha256={signature}", 202), ("sha256=" + "0" * 64, 401)):
            signed = await client.post(
                f"/hooks/{notes['signed_hook']}",
                content=body,
                headers={
                    "Content-Type": "application/json",
                    "X-Hub-Signature-256": token,
                    "X-GitHub-Delivery": f"d-{status}",
                },
            )
            assert signed.status_code == status, signed.text

    _while_served(url, tmp_path, ask)


def test_secrets_schedules_members_and_the_audit_are_there(url: str, notes: dict[str, Any], tmp_path: Path) -> None:
    async def ask(client: httpx2.AsyncClient) -> None:
        async with Client(str(client.base_url), notes["root"]) as root:
            used = await root.executions.start("secret", {})
            assert await used.result() == {"length": 27, "token": "Bearer ***"}, "the value opens, and is redacted"
            schedules = {schedule.schedule.id: schedule for schedule in (await root.schedules.list()).items}
            assert set(schedules) == {"start", "leap"}
            assert schedules["leap"].paused
            assert await root.schedules.next("yearly/start", count=1)
            assert {member.id for member in (await root.members.list()).items} >= {"root", "ann", "ed"}
            versions = await root.workflows.versions("timer")
            assert len(versions) == 2
            audit = (await root.audit.list(limit=500)).items
            assert len(audit) >= 20

    _while_served(url, tmp_path, ask)


def test_an_execution_whose_state_was_stored_as_a_snapshot_goes_on(kind: str, long_url: str, tmp_path: Path) -> None:
    known = json.loads((DATA / f"long.{kind}.json").read_text())

    async def ask(client: httpx2.AsyncClient) -> None:
        async with (
            Client(str(client.base_url), known["ann"]) as ann,
            Client(str(client.base_url), known["root"]) as root,
        ):
            (asked,) = (await ann.approvals.list(execution=known["execution"])).items
            await ann.approvals.decide(asked.id, "approve")
            execution = await root.executions.get(known["execution"])
            assert await execution.result() == {"count": 400, "last": 798}

    _while_served(long_url, tmp_path, ask)
    examined = perdure("doctor", "--db", long_url, "--json")
    assert examined.status == 0, examined.out + examined.err


def _while_served(url: str, tmp_path: Path, ask: Callable[[httpx2.AsyncClient], Awaitable[None]]) -> None:
    async def scenario() -> None:
        async with server(tmp_path, url, "--tasks", str(TASKS), **SETTINGS) as served:
            base = await served.url()
            async with httpx2.AsyncClient(base_url=base, trust_env=False, timeout=20) as client:
                await ask(client)

    run(scenario(), 120)


async def _take_everything_on(root: Client, ann: Client, notes: dict[str, Any]) -> None:
    """Do what people and senders have to do, so that nothing waits any more."""
    approvals = notes["approvals"]
    await ann.approvals.decide(approvals["10"], "approve", comments="after the upgrade")
    await ann.approvals.decide(approvals["11"], "reject")
    await ann.approvals.decide(approvals["20"], "approve")
    for label in ("parked", "failed"):
        (execution,) = (await root.executions.list(correlation_id=label)).items
        await (await root.executions.get(execution.id)).retry()
    payment = {"order": "o1", "payment": {"method": "transfer"}}
    await root.events.send({"type": "payment.authorized", "id": "paid-2", "payload": payment})
    (late,) = (await root.executions.list(correlation_id="pending-approval")).items
    async with asyncio.timeout(60):
        while not (asked := (await ann.approvals.list(execution=late.id)).items):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    await ann.approvals.decide(asked[0].id, "approve")


async def _wait_until_all_ended(root: Client) -> list[Any]:
    listed: Any = ()
    try:
        async with asyncio.timeout(60):
            while True:
                listed = (await root.executions.list(limit=500)).items
                if all(record.status in ENDED for record in listed) and await _is_undone(root, listed):
                    return list(listed)
                await asyncio.sleep(0.1)
    except TimeoutError:
        pytest.fail(f"not ended: {[record for record in listed if record.status not in ENDED]}")


async def _is_undone(root: Client, listed: Any) -> bool:
    """Whether the cancelled executions have been compensated."""
    for record in listed:
        if record.status == "cancelled":
            view: Any = await (await root.executions.get(record.id)).view()
            if (view["compensationState"] or {}).get("status") not in ("COMPLETED", "COMPLETED_WITH_ERRORS"):
                return False
    return True


def _end(record: Any) -> Any:
    """The output without the time of the trigger, or the code of the error."""
    if record.error is not None:
        return record.error.code
    output = record.output
    if isinstance(output, dict) and "_trigger" in output:
        trigger = {key: value for key, value in output["_trigger"].items() if key != "firedAt"}
        return {**output, "_trigger": trigger}
    return output
