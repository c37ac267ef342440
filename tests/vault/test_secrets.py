"""Secrets of an organization, from being set to the call of a task, on every store."""

from __future__ import annotations

import pytest

from perdure.model.failure import Category
from perdure.service.errors import ExecutionFailed, NotFound, Refused
from perdure.store.registers import WriteCard
from vault.words import OLD, SECRET, calling, engine, key_id, run, seeing


def test_a_secret_is_set_listed_and_removed_with_an_audit(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            kept = await used.secrets.set("TOKEN", SECRET, actor="ann")
            await used.secrets.set("OTHER", "x", actor="bob")
            page = await used.secrets.list()
            assert [each.name for each in page.items] == ["OTHER", "TOKEN"]
            assert page.items[1] == kept
            assert (kept.key_id, kept.set_by) == (key_id(OLD), "ann")
            first = await used.secrets.list(limit=1)
            assert [each.name for each in (await used.secrets.list(cursor=first.next)).items] == ["TOKEN"]
            await used.secrets.remove("OTHER", actor="eve")
            assert [each.name for each in (await used.secrets.list()).items] == ["TOKEN"]
            audit = await used.host.read(lambda store: store.audit("default", None, 10))
            assert [(each.by, each.action, each.subject) for each in audit] == [
                ("eve", "secret.removed", "OTHER"),
                ("bob", "secret.set", "OTHER"),
                ("ann", "secret.set", "TOKEN"),
            ]
            cards = await used.host.read(lambda store: store.cards("default", "secrets", "", 10))
            assert SECRET not in repr((kept, page, audit, cards))

    run(scenario())


def test_what_cannot_be_set_is_told_at_once_and_not_shown(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            with pytest.raises(Refused) as refused:
                await used.secrets.set("1-bad", "\ud800hunter")
            assert [each.type for each in refused.value.problems] == ["invalid_name", "not_a_character"]
            assert "hunter" not in str(refused.value)
            for value, type_ in (("", "empty_value"), ("x" * 32_769, "too_long")):
                with pytest.raises(Refused) as refused:
                    await used.secrets.set("TOKEN", value)
                assert [each.type for each in refused.value.problems] == [type_]
            with pytest.raises(NotFound, match="there is no secret 'TOKEN' in organization 'default'"):
                await used.secrets.remove("TOKEN")
            assert (await used.secrets.list()).items == ()

    run(scenario())


def test_a_task_is_given_the_value_and_history_is_not(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        seen = seeing(used)
        async with used:
            await used.secrets.set("TOKEN", SECRET)
            data = {"auth": "Bearer {{ secrets.TOKEN }}", "deep": [{"a": "{{secrets.TOKEN}}"}], "plain": "{{ count }}"}
            saved = await used.workflows.save(calling(data))
            assert saved.warnings == ()
            execution = await used.executions.start("calling", {"count": 1})
            assert await execution.result() == {"count": 1}
            assert seen == [{"auth": f"Bearer {SECRET}", "deep": [{"a": SECRET}], "plain": 1}]
            history = await used.host.read(lambda store: store.history(execution.id, 0, 100))
            assert SECRET not in repr(history)
            assert "Bearer ***" in repr(history)

    run(scenario())


def test_secrets_of_another_organization_do_not_exist(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        seen = seeing(used)
        async with used:
            await used.secrets.set("TOKEN", "of-default-12345")
            await used.secrets.set("TOKEN", "of-acme-12345678", organization="acme")
            await used.secrets.set("ONLY", "of-default-12345")
            for organization in ("default", "acme"):
                await used.workflows.save(calling({"a": "{{secrets.TOKEN}}"}), organization)
                execution = await used.executions.start("calling", {}, organization=organization)
                await execution.result()
            assert seen == [{"a": "of-default-12345"}, {"a": "of-acme-12345678"}]
            warned = await used.workflows.save(calling({"a": "{{secrets.ONLY}}"}), "acme")
            assert [each.type for each in warned.warnings] == ["unknown_secret"]
            execution = await used.executions.start("calling", {}, organization="acme")
            with pytest.raises(
                ExecutionFailed, match="needs the secret 'ONLY', which organization 'acme' does not have"
            ):
                await execution.result()
            assert [each.name for each in (await used.secrets.list(organization="acme")).items] == ["TOKEN"]
            with pytest.raises(NotFound):
                await used.secrets.remove("ONLY", organization="acme")

    run(scenario())


def test_a_value_that_was_moved_to_another_card_does_not_open(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        seen = seeing(used)
        async with used:
            await used.secrets.set("TOKEN", SECRET, organization="acme")
            card = await used.host.read(lambda store: store.card("acme", "secrets", "TOKEN"))
            assert card is not None
            await used.host.commit(WriteCard("secrets", "TOKEN", card.data, 1, "thief", "copied"))
            execution = await used.executions.start(calling({"a": "{{secrets.TOKEN}}"}), {})
            with pytest.raises(ExecutionFailed, match="belongs to another organization or name"):
                await execution.result()
            assert seen == []

    run(scenario())


def test_a_missing_secret_fails_the_step_by_name_and_is_not_tried_again(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        seen = seeing(used)
        async with used:
            document = calling({"a": "{{secrets.TOKEN}}"}, retry={"maxAttempts": 5, "delay": 1})
            execution = await used.executions.start(document, {})
            with pytest.raises(ExecutionFailed) as failed:
                await execution.result()
            failure = failed.value.failure
            assert failure is not None
            assert failure.message == (
                "step 'n' needs the secret 'TOKEN', which organization 'default' does not have; set it, "
                "perdure secrets set TOKEN, and retry the execution"
            )
            assert (failure.category, failure.code, failure.retriable) == (Category.SECURITY, "MISSING_SECRET", False)
            assert seen == []
            await used.secrets.set("TOKEN", SECRET)
            await execution.retry()
            await execution.result()
            assert seen == [{"a": SECRET}]

    run(scenario())


def test_a_value_that_is_set_anew_counts_for_the_next_call(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        seen = seeing(used)
        async with used:
            for value in ("first-value", "second-value"):
                await used.secrets.set("TOKEN", value)
                await (await used.executions.start(calling({"a": "{{secrets.TOKEN}}"}), {})).result()
            assert seen == [{"a": "first-value"}, {"a": "second-value"}]

    run(scenario())


def test_a_document_may_call_a_secret_otherwise_or_bring_its_own(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        seen = seeing(used)
        async with used:
            await used.secrets.set("STRIPE_LIVE", "live-value-1")
            await used.secrets.set("OWN", "not this one")
            own = used.secrets.encrypt("OWN", "own-value-1")
            document = calling(
                {"a": "{{secrets.KEY}} {{secrets.OWN}}"}, {"secrets": {"KEY": "STRIPE_LIVE", "OWN": own}}
            )
            assert used.workflows.requirements(document).secrets == ("STRIPE_LIVE",)
            saved = await used.workflows.save(document)
            assert saved.warnings == ()
            execution = await used.executions.start("calling", {})
            await execution.result()
            assert seen == [{"a": "live-value-1 own-value-1"}]
            await used.secrets.remove("STRIPE_LIVE")
            failing = await used.executions.start("calling", {})
            with pytest.raises(ExecutionFailed, match=r"secret 'STRIPE_LIVE' \(which this workflow calls 'KEY'\)"):
                await failing.result()

    run(scenario())


def test_what_a_document_brings_opens_in_its_organization_and_under_its_name_alone(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        seen = seeing(used)
        async with used:
            own = used.secrets.encrypt("OWN", "own-value-1")
            for organization, name in (("acme", "OWN"), ("default", "OTHER")):
                document = calling({"a": f"{{{{secrets.{name}}}}}"}, {"secrets": {name: own}})
                await used.workflows.save(document, organization)
                execution = await used.executions.start("calling", {}, organization=organization)
                with pytest.raises(ExecutionFailed, match="belongs to another organization or name"):
                    await execution.result()
            assert seen == []

    run(scenario())
