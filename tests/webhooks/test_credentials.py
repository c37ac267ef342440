"""Credentials of requests to webhooks: not stored, and removed from what is stored already."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from cli.typing import perdure
from perdure.clock import now_ms
from perdure.model.steps import Compute, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service.credentials import is_credential, removed_names, scrubbed_trigger_data
from perdure.service.engine import Engine
from perdure.service.signatures import standard_headers
from perdure.testing.words import x
from webhooks.words import engine, run

ECHO = Workflow("echo", (Step("s", Compute(x("{data: trigger.data}"))),), (Entry("s"),))
HIDDEN = "credential-7f3a91"
CREDENTIALS = [
    *("Authorization", "Proxy-Authorization", "X-Forwarded-Authorization", "Cookie", "Cookie2", "X-Api-Key", "Api-Key"),
    *("X-Forwarded-Client-Cert", "X-Client-Cert", "X-Client-Certificate", "Client-Cert", "Client-Cert-Chain"),
    *("X-SSL-Client-Cert", "SSL_CLIENT_CERT", "X-Ssl-Cert", "X-ARR-ClientCert", "X-Amzn-Mtls-Clientcert"),
    *("X-Forwarded-Tls-Client-Cert", "X-Forwarded-Tls-Client-Cert-Info", "X-Tls-Client-Cert", "Ssl-Client-S-Dn"),
    *("X-Shopify-Hmac-Sha256", "X-Square-Hmacsha256-Signature", "X-Hub-Signature", "X-Hub-Signature-256"),
    *("Stripe-Signature", "X-Slack-Signature", "X-Twilio-Signature", "X-GitLab-Token", "Paypal-Transmission-Sig"),
    *("X-Amz-Security-Token", "X-Amz-Signature", "X-Amz-Credential", "X-Goog-Iap-Jwt-Assertion", "X-Auth-Token"),
    *("X-Vault-Token", "X-Telegram-Bot-Api-Secret-Token", "X-Functions-Key", "Ocp-Apim-Subscription-Key", "DPoP"),
    *("X-RapidAPI-Key", "X-Hook-Secret", "X-Csrf-Token", "X-Ms-Client-Principal", "X-Session-Id", "X-Otp"),
    *("api_key", "apiKey", "apikey", "api.key", "APIKEY", "key", "code", "auth_code", "access_token", "accessToken"),
    *("token", "id_token", "refresh_token", "sig", "signature", "sign", "hmac", "client_secret", "clientSecret"),
    *("password", "passwd", "pwd", "pass", "passphrase", "secret", "credential", "credentials", "auth", "jwt"),
    *("PHPSESSID", "JSESSIONID", "sessionid", "SAMLResponse", "SAMLRequest", "AWSAccessKeyId", "private_key"),
    *("subscription-key", "access-key", "accesskey", "webhook_key", "license_key", "X-Webhook-Key"),
    *("appkey", "X-AppKey", "app_key", "clientkey", "consumerkey", "serverkey", "consumer_key", "hapikey", "secretkey"),
    *("host_key", "signing_key", "functions-key", "api_key_2", "authcode", "oauthcode", "code_verifier", "user_pass"),
    *("userpass", "pw", "X-Trello-Webhook", "Plaid-Verification", "X-Sign", "X-Kc-Sign", "Authentication"),
]
PLAIN = [
    *("Content-Type", "User-Agent", "X-Request-Id", "Webhook-Id", "Webhook-Timestamp", "X-GitHub-Delivery"),
    *("X-GitHub-Event", "Idempotency-Key", "X-Idempotency-Key", "X-Shopify-Topic", "X-Forwarded-For", "Traceparent"),
    *("country_code", "zip_code", "error_code", "keyword", "monkey", "author", "authority", "design", "signal"),
    *("routing_key", "partition_key", "X-Message-Key", "event_key", "passenger", "compass", "certain", "id", "page"),
    *("issue_key", "issueKey", "project_key", "space_key", "file_key", "s3_key", "template_key", "lookup_key", "keys"),
    *("external_key", "tenant_key", "retry_key", "X-Line-Retry-Key", "user_key", "metric_key", "objectKey", "repo_key"),
    *(
        "certificateId",
        "cert_id",
        "authenticated",
        "authenticator",
        "auth_type",
        "authMethod",
        "sid",
        "pin",
        "MessageSid",
    ),
    *("hmac_algorithm", "hmac-algo", "PAYPAL-CERT-URL", "Paypal-Auth-Algo", "isAuthenticated", "whatsapp_id"),
]


@pytest.mark.parametrize("name", CREDENTIALS)
def test_a_credential_is_known_by_its_name(name: str) -> None:
    assert all(is_credential(each) for each in (name, name.lower(), name.lower().replace("-", "_")))


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_no_credential_stays(name: str) -> None:
    assert not is_credential(name)
    assert not is_credential(name.lower())


def test_no_credential_of_a_request_is_stored_and_its_signature_is_still_checked(url: str) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.workflows.save(ECHO)
            issued = await used.webhooks.create("echo", scheme="standard")
            assert issued.token is not None
            assert issued.signing_secret is not None
            signed = standard_headers(issued.signing_secret, "m1", now_ms() // 1_000, b"{}")
            once = ("idempotency-key", "webhook-id", "webhook-timestamp")
            headers = [
                *((name, HIDDEN) for name in CREDENTIALS if name != "key"),
                *((n, "v") for n in PLAIN),
            ]
            headers += [
                ("Referer", f"https://kim:{HIDDEN}@example.com/?page=2&api_key={HIDDEN}"),
                ("X-Original-URL", f"/hooks/x?code={HIDDEN}&page=2"),
                ("X-Forwarded-Uri", f"/hooks/x?api%5Fkey={HIDDEN}"),
            ]
            headers = [(name, value) for name, value in headers if name.lower() not in once]
            headers += signed.items()
            query = "&".join(
                [*(f"{name}={HIDDEN}" for name in CREDENTIALS), "page=2", "page=3", f"next=/x?sig={HIDDEN}"]
            )
            received = await used.webhooks.receive(issued.token, headers, b"{}", query=query)
            result: Any = await (await used.executions.get(received.execution)).result()
            told = json.dumps(result)
            assert HIDDEN not in told, [each for each in told.split(",") if HIDDEN in each]
            data = result["data"]
            assert data["query"] == {"page": ["2", "3"], "next": "/x?sig=***"}
            assert data["headers"]["referer"] == "https://kim:***@example.com/?page=2&api_key=***"
            assert data["headers"]["x-original-url"] == "/hooks/x?code=***&page=2"
            assert data["webhook"]["signed"] is True
            for entry in (await used.triggers.list()).items:
                assert HIDDEN not in str(entry)

    run(scenario())


def test_only_trigger_data_of_webhooks_is_scrubbed() -> None:
    webhook = {"id": "w", "node": None, "signed": False, "deliveryId": None}
    assert scrubbed_trigger_data({"headers": {"token": "x"}, "query": {}}) is None
    assert scrubbed_trigger_data({"webhook": webhook, "headers": {"a": "b"}, "query": {}}) is None
    assert scrubbed_trigger_data({"webhook": webhook, "headers": {"a": "b", "Token": "x"}}) == {
        "webhook": webhook,
        "headers": {"a": "b"},
    }
    assert scrubbed_trigger_data(
        {"webhook": webhook, "headers": {}, "query": {"code": "1"}, "body": {"code": "2"}}
    ) == {
        "webhook": webhook,
        "headers": {},
        "query": {},
        "body": {"code": "2"},
    }


WAITS: dict[str, Any] = {
    "name": "waits",
    "nodes": [
        {"id": "start", "type": "MANUAL_TRIGGER"},
        {"id": "ask", "type": "APPROVAL", "data": {"approverRole": "finance", "title": "Go on?"}},
        {"id": "end", "type": "SET", "data": {"values": {"done": "yes"}}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "ask"}, {"fromNodeId": "ask", "toNodeId": "end"}],
}


def _as_stored_before(size: int) -> dict[str, Any]:
    """What a delivery with credentials left in the database."""
    return {
        "webhook": {"id": "wh_1", "node": None, "signed": False, "deliveryId": "d"},
        "method": "POST",
        "headers": {"x-client-cert": HIDDEN, "x-shopify-hmac-sha256": HIDDEN, "user-agent": "shop"},
        "query": {"api_key": HIDDEN, "code": [HIDDEN, HIDDEN], "page": "2"},
        "body": {"note": "ä" * size},
    }


def test_credentials_that_are_stored_are_removed_and_everything_goes_on(sql_url: str, tmp_path: Path) -> None:
    async def before() -> list[str]:
        async with engine(sql_url) as used:
            await used.workflows.save(WAITS)
            started = []
            for size in (0, 200_000, 63_900):
                execution = await used.executions.start(
                    "waits", {"n": size}, triggered_by="webhook", trigger_data=_as_stored_before(size)
                )
                started.append(execution.id)
            plain = await used.executions.start("waits", {}, trigger_data={"headers": {"token": "of the user"}})
            while len((await used.approvals.list()).items) < len(started) + 1:
                pass
            origin = await used.executions.get(started[0])
            started.append((await origin.rerun()).id)
            started.append((await origin.fork(at_step="ask")).id)
            while len((await used.approvals.list()).items) < len(started) + 1:
                pass
        async with engine(sql_url, works=False) as used:
            left = await used.executions.start("waits", {}, triggered_by="webhook", trigger_data=_as_stored_before(0))
            return [*started, left.id, plain.id]

    ids: list[str] = []

    async def fill() -> None:
        ids.extend(await before())

    run(fill())
    count = len(ids) - 1
    assert HIDDEN in _content(sql_url)
    dry = perdure("db", "scrub-triggers", "--dry-run", "--json", "--db", sql_url, cwd=tmp_path).object
    assert (dry["read"], dry["withCredentials"], dry["dryRun"]) == (len(ids), count, True)
    assert dry["names"] == dict.fromkeys(
        ["header x-client-cert", "header x-shopify-hmac-sha256", "parameter api_key", "parameter code"], count
    )
    assert HIDDEN in _content(sql_url)
    told = perdure("db", "scrub-triggers", "--db", sql_url, cwd=tmp_path)
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(f"credentials removed from {count} executions of {len(ids)} in ")
    assert f"\n  parameter api_key: {count} executions\n" in told.out
    assert HIDDEN not in _content(sql_url)
    again = perdure("db", "scrub-triggers", "--json", "--db", sql_url, cwd=tmp_path).object
    assert again["withCredentials"] == 0
    assert perdure("doctor", "--db", sql_url, cwd=tmp_path).status == 0

    async def after() -> None:
        async with engine(sql_url) as used:
            await _decide_all(used, len(ids))
            for id_ in ids:
                execution = await used.executions.get(id_)
                await execution.ended()
                assert (await execution.describe()).status == "completed"
                first = (await execution.history(limit=1)).items[0].data["trigger_data"]
                if id_ == ids[-1]:
                    assert first == {"headers": {"token": "of the user"}}
                else:
                    assert first["headers"] == {"user-agent": "shop"}
                    assert first["query"] == {"page": "2"}
            large = (await (await used.executions.get(ids[1])).history(limit=1)).items[0].data["trigger_data"]
            assert large["body"] == {"note": "ä" * 200_000}

    run(after())


async def _decide_all(used: Engine, count: int) -> None:
    while len(waiting := (await used.approvals.list()).items) < count:
        pass
    for each in waiting:
        await used.approvals.decide(each.id, "approve")


def _content(url: str) -> str:
    """All that the database tells of executions."""
    queries = [f"SELECT * FROM {each}" for each in ("executions", "history", "payloads", "inbox", "trigger_log")]
    if url.startswith("sqlite"):
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as file:
            return "".join(str(file.execute(each).fetchall()) for each in queries)
    with psycopg.connect(url) as connection:
        return "".join(str(connection.execute(each).fetchall()) for each in queries)


def test_what_is_removed_is_named() -> None:
    before = {
        "webhook": {"deliveryId": "d"},
        "headers": {"x-api-key": "k", "referer": "https://x.example/?code=1", "accept": "*/*"},
        "query": {"issue_key": "A-1", "sig": ["1", "2"]},
    }
    after = scrubbed_trigger_data(before)
    assert after is not None
    assert removed_names(before, after) == ["header x-api-key", "header referer (in part)", "parameter sig"]
    assert removed_names({"headers": {}}, {"headers": {}}) == []
