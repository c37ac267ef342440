"""Keys: where they come from, what is done without one or with the wrong one, and how they are changed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure.hosts.vault import WrongKey
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, ExecutionFailed
from perdure.settings.setting import BadSetting
from perdure.store.port import Unavailable
from perdure.store.registers import WriteCard
from vault.words import NEW, OLD, SECRET, calling, engine, key_id, run, seeing


def test_without_a_key_the_engine_starts_and_what_needs_a_secret_fails_by_name(sql_url: str) -> None:
    async def scenario() -> None:
        async with engine(sql_url) as before:
            await before.secrets.set("TOKEN", SECRET)
        used = Engine(sql_url, secret_keys="")
        seen = seeing(used)
        async with used:
            await (await used.executions.start(calling({"a": "plain"}), {})).result()
            assert seen == [{"a": "plain"}]
            execution = await used.executions.start(calling({"a": "{{secrets.TOKEN}}"}), {})
            with pytest.raises(
                ExecutionFailed, match=r"this worker has no key to open it; start workers with PERDURE_SECRET_KEY"
            ):
                await execution.result()
            with pytest.raises(
                Conflict, match=r"set PERDURE_SECRET_KEY, or PERDURE_SECRET_KEY_FILE .*perdure secrets new-key"
            ):
                await used.secrets.set("TOKEN", "x")
            assert [each.name for each in (await used.secrets.list()).items] == ["TOKEN"]

    run(scenario())


def test_the_wrong_key_refuses_to_start_and_says_what_to_do(sql_url: str) -> None:
    async def scenario() -> None:
        async with engine(sql_url) as before:
            await before.secrets.set("TOKEN", SECRET)
            await before.secrets.set("TOKEN", SECRET, organization="acme")
        with pytest.raises(WrongKey) as refused:
            async with engine(sql_url, NEW):
                pytest.fail("it has started")
        assert f"({key_id(NEW)}) do not open: 2 with key {key_id(OLD)}; add the missing key" in str(refused.value)
        async with engine(sql_url, NEW, OLD) as both:
            assert len((await both.secrets.list()).items) == 1

    run(scenario())


def test_a_value_whose_key_a_worker_does_not_have_may_be_tried_again(sql_url: str) -> None:
    """Another one may have it, while keys are changed."""

    async def scenario() -> None:
        used = engine(sql_url)
        seeing(used)
        async with used, engine(sql_url, NEW, works=False) as newer:
            await newer.secrets.set("TOKEN", SECRET)
            execution = await used.executions.start(calling({"a": "{{secrets.TOKEN}}"}), {})
            with pytest.raises(
                ExecutionFailed, match=f"is encrypted with key {key_id(NEW)}, and here is {key_id(OLD)}"
            ) as failed:
                await execution.result()
            assert failed.value.failure is not None
            assert (failed.value.failure.code, failed.value.failure.retriable) == ("SECRET_NOT_OPENED", True)

    run(scenario())


def test_rotation_wraps_everything_anew_and_the_old_key_is_needed_no_more(sql_url: str) -> None:
    async def scenario() -> None:
        async with engine(sql_url) as before:
            for organization in ("default", "acme"):
                for number in range(5):
                    await before.secrets.set(f"S{number}", f"{organization}-{number}-value", organization=organization)
            set_at = (await before.secrets.list()).items[0].set_at
        async with engine(sql_url, NEW, OLD) as both:
            await both.secrets.set("S9", "new already")
            done = await both.secrets.rotate(actor="ann")
            assert (done.key_id, done.rotated, done.current, done.failed) == (key_id(NEW), 10, 1, ())
            again = await both.secrets.rotate()
            assert (again.rotated, again.current) == (0, 11)
            audit = await both.host.read(lambda store: store.audit("acme", None, 5))
            assert {(each.by, each.action) for each in audit} == {("ann", "secret.rotated")}
        used = engine(sql_url, NEW)
        seen = seeing(used)
        async with used:
            assert (await used.secrets.list()).items[0].set_at == set_at
            await used.workflows.save(calling({"a": "{{secrets.S3}}"}), "acme")
            await (await used.executions.start("calling", {}, organization="acme")).result()
            assert seen == [{"a": "acme-3-value"}]

    run(scenario())


def test_what_is_set_while_keys_are_rotated_is_not_overwritten(url: str) -> None:
    async def scenario() -> None:
        if url == "memory://":
            return
        async with engine(url) as before:
            for number in range(20):
                await before.secrets.set(f"S{number:02}", "old value")
        async with engine(url, NEW, OLD) as one, engine(url, NEW, OLD, works=False) as other:
            names = [f"S{number:02}" for number in range(20)]
            rotated: Any
            rotated, *_ = await asyncio.gather(
                one.secrets.rotate(), other.secrets.rotate(), *(other.secrets.set(name, "new value") for name in names)
            )
            assert rotated.failed == ()
            seen = seeing(one)
            await (
                await one.executions.start(calling({name: f"{{{{secrets.{name}}}}}" for name in names}), {})
            ).result()
            assert seen == [dict.fromkeys(names, "new value")]

    run(scenario())


def test_a_damaged_value_is_told_and_the_others_are_rotated(sql_url: str) -> None:
    async def scenario() -> None:
        async with engine(sql_url) as before:
            await before.secrets.set("GOOD", SECRET)
            await before.secrets.set("BAD", SECRET, organization="acme")
            card = await before.host.read(lambda store: store.card("acme", "secrets", "BAD"))
            assert card is not None
            await before.host.commit(WriteCard("secrets", "WORSE", card.data, 1, "x", "copied"))
        async with engine(sql_url, NEW, OLD) as both:
            done = await both.secrets.rotate()
            assert (done.rotated, [(whose, id_) for whose, id_, _ in done.failed]) == (2, [("default", "WORSE")])

    run(scenario())


def test_a_key_comes_from_the_environment_or_from_a_file(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PERDURE_SECRET_KEY", "PERDURE_SECRET_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "key"
    url = f"sqlite:///{tmp_path}/flows.db"
    assert Engine(url).host.keys is None
    monkeypatch.setenv("PERDURE_SECRET_KEY", f"{NEW.hex()},{OLD.hex()}")
    keys = Engine(url).host.keys
    assert keys is not None
    assert keys.ids == (key_id(NEW), key_id(OLD))
    monkeypatch.setenv("PERDURE_SECRET_KEY_FILE", str(file))
    with pytest.raises(BadSetting, match="are both set; which one is meant"):
        Engine(url)
    monkeypatch.delenv("PERDURE_SECRET_KEY")
    with pytest.raises(BadSetting, match=r"PERDURE_SECRET_KEY_FILE \(.*key\) cannot be read: No such file"):
        Engine(url)
    file.write_bytes(b"\xff" * 32)
    with pytest.raises(BadSetting, match="is not text: write the setting in it"):
        Engine(url)
    file.write_text("")
    with pytest.raises(BadSetting, match="there is no key in it"):
        Engine(url)
    file.write_text(f"{OLD.hex()}\n")
    keys = Engine(url).host.keys
    assert keys is not None
    assert keys.ids == (key_id(OLD),)
    monkeypatch.setenv("PERDURE_SECRET_KEY", "hunter2")
    monkeypatch.delenv("PERDURE_SECRET_KEY_FILE")
    with pytest.raises(BadSetting, match=r"^PERDURE_SECRET_KEY: the key ") as refused:
        Engine(url)
    assert "hunter2" not in str(refused.value)


def test_a_database_that_is_away_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("perdure.hosts.reading.AGAIN_SECONDS", 0.0)

    async def scenario() -> None:
        used = engine("memory://")
        seen = seeing(used)
        async with used:
            await used.secrets.set("TOKEN", SECRET)
            read, away = used.host.vault._read, iter([True, True, False])

            async def reading(question: Any) -> Any:
                if next(away):
                    raise Unavailable("the server is away")
                return await read(question)

            used.host.vault._read = reading
            await (await used.executions.start(calling({"a": "{{secrets.TOKEN}}"}), {})).result()
            assert seen == [{"a": SECRET}]

    run(scenario())
    assert caplog.text.count("secrets cannot be read for now: the server is away") == 2


def test_what_goes_wrong_before_a_call_is_its_failure() -> None:
    async def scenario() -> None:
        used = engine("memory://")
        seen = seeing(used)
        async with used:

            async def reading(question: Any) -> Any:
                raise ValueError("nobody has thought of this")

            used.host.vault._read = reading
            execution = await used.executions.start(calling({"a": "{{secrets.TOKEN}}"}), {})
            with pytest.raises(ExecutionFailed, match="nobody has thought of this"):
                await execution.result()
            assert seen == []

    run(scenario())


def test_what_forgets_with_the_process_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERDURE_SECRET_KEY", raising=False)
    one, other = Engine().host.keys, Engine().host.keys
    assert one is not None
    assert other is not None
    assert one.ids != other.ids
