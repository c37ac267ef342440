"""Signatures of webhooks: the examples that those who defined them published, and everything that must be refused."""

from __future__ import annotations

import base64
import hmac
from hashlib import sha256
from typing import Any

import pytest

from perdure.service.errors import Conflict
from perdure.service.refusals import BadSignature, StaleDelivery
from perdure.service.signatures import SCHEMES, SchemeName, check_secret, new_secret, standard_headers, verify

STANDARD = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
AT = 1_614_265_330
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(AT),
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
SLACK_BODY = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar"
    b"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
    b"%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
    b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)
STRIPE = hmac.new(b"whsec_test_secret", f"{AT}.".encode() + BODY, sha256).hexdigest()


def judge(
    headers: dict[str, str], body: bytes = BODY, *secrets: str, at: int = AT, scheme: SchemeName = "standard"
) -> None:
    verify(SCHEMES[scheme], headers, body, secrets or (STANDARD,), at * 1_000, 300)


def test_the_example_of_standard_webhooks() -> None:
    judge(HEADERS)
    assert standard_headers(STANDARD, HEADERS["webhook-id"], AT, BODY) == HEADERS


def test_the_example_of_github() -> None:
    signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    judge({"x-hub-signature-256": signature}, b"Hello, World!", "It's a Secret to Everybody", scheme="github")


def test_the_example_of_slack() -> None:
    headers = {
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
        "x-slack-request-timestamp": "1531420618",
    }
    judge(headers, SLACK_BODY, "8f742231b10e8888abcd99yyyzzz85a5", at=1_531_420_618, scheme="slack")


def test_stripe_signs_the_time_and_may_sign_twice() -> None:
    headers = {"stripe-signature": f"t={AT},v1={'0' * 64},v1={STRIPE},v0=abc"}
    judge(headers, BODY, "whsec_test_secret", scheme="stripe")


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "msg_other"},
        {"webhook-timestamp": str(AT + 1)},
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "yesterday"},
        {"webhook-timestamp": f"{AT}.0"},
        {"webhook-timestamp": f" {AT}"},
        {"webhook-timestamp": "-1"},
        {"webhook-timestamp": "٣"},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1"},
        {"webhook-signature": "v1,!!!"},
        {"webhook-signature": "v1,ä"},
        {"webhook-signature": "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
        {"webhook-signature": "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
        {"webhook-signature": "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
        {"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OA="},
        {"webhook-signature": f"v1,{base64.b64encode(bytes(32)).decode()}"},
        {"webhook-signature": "v1,g0hM"},
    ],
)
def test_whatever_is_changed_in_the_headers_is_refused(changed: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        judge({**HEADERS, **changed})


@pytest.mark.parametrize("missing", list(HEADERS))
def test_a_header_that_is_missing_is_named(missing: str) -> None:
    with pytest.raises(BadSignature, match=f"it has no header {missing}"):
        judge({name: value for name, value in HEADERS.items() if name != missing})


@pytest.mark.parametrize("body", [b"", BODY + b" ", BODY.replace(b" ", b""), b'{"test":2432232314}', BODY[:-1]])
def test_the_bytes_count_not_what_they_mean(body: bytes) -> None:
    with pytest.raises(BadSignature):
        judge(HEADERS, body)


def test_another_secret_is_refused_and_one_of_several_is_enough() -> None:
    with pytest.raises(BadSignature):
        judge(HEADERS, BODY, new_secret())
    judge(HEADERS, BODY, new_secret(), STANDARD)
    judge({**HEADERS, "webhook-signature": f"v1,{'A' * 43}= v1a,xyz {HEADERS['webhook-signature']}"})


def test_no_more_than_twenty_signatures_are_looked_at() -> None:
    many = " ".join([f"v1,{'A' * 43}="] * 20)
    with pytest.raises(BadSignature):
        judge({**HEADERS, "webhook-signature": f"{many} {HEADERS['webhook-signature']}"})


@pytest.mark.parametrize("late", [-300, -299, 0, 299, 300])
def test_within_five_minutes_it_counts(late: int) -> None:
    judge(HEADERS, at=AT + late)


@pytest.mark.parametrize("late", [-86_400, -301, 301, 86_400])
def test_what_was_signed_long_ago_or_in_the_future_is_refused(late: int) -> None:
    with pytest.raises(StaleDelivery, match="more than 300 seconds"):
        judge(HEADERS, at=AT + late)


def test_the_age_of_what_is_not_signed_by_the_sender_is_not_told() -> None:
    with pytest.raises(BadSignature):
        judge({**HEADERS, "webhook-timestamp": "1"})


@pytest.mark.parametrize(
    ("scheme", "headers"),
    [
        ("github", {"x-hub-signature-256": "sha1=757107ea0eb2509fc211221cce984b8a37570b6d"}),
        ("github", {"x-hub-signature-256": "sha256="}),
        ("github", {"x-hub-signature-256": f"sha256={'0' * 64}"}),
        ("github", {"x-hub-signature": "sha1=abc"}),
        ("stripe", {"stripe-signature": f"v1={STRIPE}"}),
        ("stripe", {"stripe-signature": f"t={AT}"}),
        ("stripe", {"stripe-signature": f"t={AT + 1},v1={STRIPE}"}),
        ("stripe", {"stripe-signature": "nonsense"}),
        ("slack", {"x-slack-signature": "v1=00", "x-slack-request-timestamp": str(AT)}),
        ("slack", {"x-slack-signature": "v0=00", "x-slack-request-timestamp": str(AT)}),
        ("slack", {"x-slack-signature": "v0=00", "x-slack-request-timestamp": "now"}),
        ("slack", {"x-slack-signature": "v0=00"}),
    ],
)
def test_the_other_schemes_refuse_as_well(scheme: SchemeName, headers: dict[str, str]) -> None:
    with pytest.raises(BadSignature):
        judge(headers, BODY, "whsec_test_secret", scheme=scheme)


def test_signatures_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[Any] = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    monkeypatch.setattr("perdure.service.signatures.hmac.compare_digest", compare)
    judge({**HEADERS, "webhook-signature": f"{HEADERS['webhook-signature']} v1,AAAA"}, BODY, STANDARD, new_secret())
    assert len(compared) == 4


@pytest.mark.parametrize(
    "secret", ["", "whsec_", "whsec_short", "whsec_!!!!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_" + "A" * 92]
)
def test_what_is_no_signing_secret_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(Conflict) as refused:
        check_secret("standard", secret)
    assert not secret or secret == "whsec_" or secret not in str(refused.value)


def test_signing_secrets_that_are_taken() -> None:
    for secret in (STANDARD, new_secret()):
        check_secret("standard", secret)
    check_secret("github", "It's a Secret to Everybody")
    with pytest.raises(Conflict, match="less than 8 characters"):
        check_secret("github", "short")
