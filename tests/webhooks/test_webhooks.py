"""Webhooks: made, listed, changed and removed, on every store."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.model.steps import Compute, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service.errors import Conflict, NotFound, WorkflowNotFound
from perdure.service.hooks import token_hash
from perdure.service.refusals import BadSignature, UnknownWebhook
from perdure.service.signatures import standard_headers
from perdure.testing.words import x
from webhooks.words import GRAPH, TWO, engine, run

HOUR_MS = 3_600_000


def test_a_webhook_starts_its_workflow_and_its_token_is_nowhere(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            saved = await used.workflows.save(GRAPH)
            assert saved.warnings == ()
            issued = await used.webhooks.create("hooked", actor="ann")
            assert issued.token is not None
            assert (issued.signing_secret, issued.webhook.node, issued.webhook.signed) == (None, "hook", False)
            assert len(issued.token) >= 40
            assert issued.token not in repr(issued)
            (listed,) = await used.webhooks.list()
            assert listed == issued.webhook
            assert (listed.workflow, listed.created_by, listed.scheme) == (saved.id, "ann", None)
            assert listed.name == "hooked"
            received = await used.webhooks.receive(issued.token, {}, b'{"n": 1}')
            execution = await used.executions.get(received.execution)
            result: Any = await execution.result()
            assert (result["n"], result["way"], result["_trigger"]["type"]) == (1, "a", "WEBHOOK_TRIGGER")
            cards = await used.host.read(lambda store: store.cards("default", "webhooks", "", 9))
            audit = await used.host.read(lambda store: store.audit("default", None, 9))
            assert [(each.by, each.action, each.subject) for each in audit] == [
                ("ann", "webhook.created", token_hash(issued.token)),
                ("program", "workflow.saved", saved.id),
            ]
            history = await used.host.read(lambda store: store.history(received.execution, 0, 99))
            assert issued.token not in repr((cards, audit, history))

    run(scenario())


def test_of_several_nodes_the_one_is_started_that_it_was_made_for(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(TWO)
            for node in ("one", "other"):
                issued = await used.webhooks.create("two", node=node)
                assert issued.token is not None
                received = await used.webhooks.receive(issued.token, {}, b"")
                result: Any = await (await used.executions.get(received.execution)).result()
                assert result["way"] == node
            with pytest.raises(Conflict, match="several nodes of 'two' are started by webhooks: one, other; say which"):
                await used.webhooks.create("two")
            with pytest.raises(
                NotFound, match="'othr' is no node of 'two' that is started by webhooks; did you mean 'other'"
            ):
                await used.webhooks.create("two", node="othr")
            with pytest.raises(WorkflowNotFound):
                await used.webhooks.create("nothing")

    run(scenario())


def test_a_workflow_that_a_program_built_can_have_one(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            flow = Workflow(
                "built", (Step("s", Compute(x("[input, trigger.type, trigger.data.method]"))),), (Entry("s"),)
            )
            await used.workflows.save(flow)
            issued = await used.webhooks.create("built")
            assert issued.token is not None
            received = await used.webhooks.receive(issued.token, {"content-type": "text/plain"}, b"hello", method="put")
            assert await (await used.executions.get(received.execution)).result() == ["hello", "webhook", "PUT"]

    run(scenario())


def test_an_unknown_a_removed_and_an_expired_token_are_told_the_same(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            removed, changed = [await used.webhooks.create("hooked") for _ in range(2)]
            await used.webhooks.remove(removed.webhook.id)
            await used.webhooks.rotate(changed.webhook.id, keep_hours=1)
            later = now_ms() + HOUR_MS + 1
            told = set()
            for token in ("whk_nothing", "", "\ud800", "x" * 100_000, removed.token, changed.token):
                assert token is not None
                with pytest.raises(UnknownWebhook) as refused:
                    await used.webhooks.receive(token, {}, b"{}", at=later)
                told.add((str(refused.value), refused.value.status))
            assert len(told) == 1
            assert (await used.executions.list()).items == ()
            with pytest.raises(NotFound, match="there is no webhook"):
                await used.webhooks.remove(removed.webhook.id)

    run(scenario())


def test_webhooks_of_another_organization_do_not_exist(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH, "acme")
            issued = await used.webhooks.create("hooked", organization="acme")
            assert await used.webhooks.list() == ()
            for refused in (used.webhooks.remove(issued.webhook.id), used.webhooks.rotate(issued.webhook.id)):
                with pytest.raises(NotFound):
                    await refused
            assert issued.token is not None
            received = await used.webhooks.receive(issued.token, {}, b"{}")
            record = (await used.executions.list(organization="acme")).items[0]
            assert (record.id, record.trigger) == (received.execution, "webhook")
            assert (await used.executions.list()).items == ()

    run(scenario())


def test_while_a_token_is_changed_both_count_and_then_the_new_one(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            first = await used.webhooks.create("hooked")
            second = await used.webhooks.rotate(first.webhook.id, keep_hours=2)
            assert (second.webhook.id, second.webhook.tokens) == (first.webhook.id, 2)
            for token in (first.token, second.token):
                assert token is not None
                await used.webhooks.receive(token, {"webhook-id": "same"}, b"{}")
            assert len((await used.executions.list()).items) == 1  # the same webhook, the same delivery
            third = await used.webhooks.rotate(first.webhook.id, keep_hours=0)
            assert third.webhook.tokens == 1
            for token in (first.token, second.token):
                assert token is not None
                with pytest.raises(UnknownWebhook):
                    await used.webhooks.receive(token, {}, b"{}")
            assert third.token is not None
            await used.webhooks.receive(third.token, {}, b"{}", at=now_ms() + 1_000 * HOUR_MS)
            assert len(await used.host.read(lambda store: store.cards("default", "webhooks", "", 9))) == 1
            await used.webhooks.remove(first.webhook.id)
            assert await used.webhooks.list() == ()

    run(scenario())


def test_while_a_signing_secret_is_changed_both_count_and_then_the_new_one(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            issued = await used.webhooks.create("hooked", scheme="standard")
            changed = await used.webhooks.rotate(issued.webhook.id, "signing", keep_hours=1)
            assert (issued.webhook.secrets, changed.webhook.secrets, changed.token) == (1, 2, None)
            assert issued.token is not None
            for at, secrets in ((now_ms(), [issued, changed]), (now_ms() + HOUR_MS + 1_000, [changed])):
                for each in (issued, changed):
                    assert each.signing_secret is not None
                    headers = standard_headers(each.signing_secret, f"{at}{id(each)}", at // 1_000, b"{}")
                    if each in secrets:
                        assert (await used.webhooks.receive(issued.token, headers, b"{}", at=at)).created
                    else:
                        with pytest.raises(BadSignature):
                            await used.webhooks.receive(issued.token, headers, b"{}", at=at)
            cards = await used.host.read(lambda store: store.cards("default", "webhooks", "", 9))
            for each in (issued, changed):
                assert str(each.signing_secret) not in repr((cards, issued, changed))
            both = await used.webhooks.rotate(issued.webhook.id)
            given = await used.webhooks.rotate(issued.webhook.id, "signing", signing_secret=issued.signing_secret)
            assert (both.webhook.tokens, given.webhook.tokens, given.signing_secret) == (2, 2, None)

    run(scenario())


def test_signing_secrets_are_rotated_with_all_others(sql_url: str) -> None:
    async def scenario() -> None:
        new = bytes(range(1, 33)).hex()
        async with engine(sql_url) as used:
            await used.workflows.save(GRAPH)
            issued = await used.webhooks.create("hooked", scheme="standard")
            await used.webhooks.rotate(issued.webhook.id, "signing")
        async with engine(sql_url, secret_keys=f"{new},{bytes(range(32)).hex()}") as both:
            assert (await both.secrets.rotate()).rotated == 1
        async with engine(sql_url, secret_keys=new) as after:
            assert issued.token is not None
            assert issued.signing_secret is not None
            headers = standard_headers(issued.signing_secret, "m1", now_ms() // 1_000, b"{}")
            assert (await after.webhooks.receive(issued.token, headers, b"{}")).created

    run(scenario())


def test_what_cannot_be_made_is_told(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(GRAPH)
            cases: list[tuple[dict[str, Any], str]] = [
                ({"scheme": "standrad"}, "is no way to sign; did you mean 'standard'"),
                ({"scheme": "slack"}, "slack makes the signing secret itself; give it"),
                ({"signing_secret": "plain"}, "the signing secret is not whsec_"),
            ]
            for options, why in cases:
                with pytest.raises(Conflict, match=why):
                    await used.webhooks.create("hooked", **options)
            unsigned = await used.webhooks.create("hooked")
            with pytest.raises(Conflict, match="is not signed; make another one"):
                await used.webhooks.rotate(unsigned.webhook.id, "signing")
            github = await used.webhooks.create("hooked", scheme="github")
            assert github.signing_secret is not None
            assert [each.scheme for each in await used.webhooks.list(workflow="hooked")] == ["github", None]
            assert await used.webhooks.list(workflow="another") == ()

    run(scenario())


def test_two_who_change_a_webhook_at_once_do_not_undo_each_other(sql_url: str) -> None:
    async def scenario() -> None:
        async with engine(sql_url) as one, engine(sql_url, works=False) as other:
            await one.workflows.save(GRAPH)
            issued = await one.webhooks.create("hooked", scheme="standard")
            done = await asyncio.gather(
                *(each.webhooks.rotate(issued.webhook.id, "signing") for each in (one, other) for _ in range(4)),
                return_exceptions=True,
            )
            made = [each for each in done if not isinstance(each, BaseException)]
            assert made
            assert all(isinstance(each, Conflict) for each in done if isinstance(each, BaseException))
            (webhook,) = await one.webhooks.list()
            assert webhook.secrets == len(made) + 1

    run(scenario())
