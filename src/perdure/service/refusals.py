"""Why a request to a webhook is refused. Nothing has been started then.

WebhookRefused
├── UnknownWebhook    there is none of this token: never was, was removed, or its token has been changed
├── BadSignature      the request is not signed, or not with a secret of this webhook
├── StaleDelivery     it was signed too long ago: somebody may send it again
├── BodyTooLarge      more than this webhook takes
├── BadBody           the body is not what its content type says, or the workflow cannot be started with it
├── CannotVerify      this process has no key to open the signing secret
└── Challenged        nothing is wrong: the sender asks whether anybody is there, and wants `.challenge` back
"""

from __future__ import annotations

from typing import ClassVar

from perdure.errors import PerdureError


class WebhookRefused(PerdureError, code="webhook_refused"):
    """`status`: as HTTP says it."""

    status: ClassVar[int] = 400


class UnknownWebhook(WebhookRefused, code="unknown_webhook"):
    """There is no webhook of this token. Whether there has been one is not told."""

    status = 404

    def __init__(self) -> None:
        super().__init__(
            "there is no such webhook; look at the URL, or make another one with `perdure webhooks create`"
        )


class BadSignature(WebhookRefused, code="bad_signature"):
    """The request is not signed, or not by whom this webhook is for."""

    status = 401


class StaleDelivery(WebhookRefused, code="stale_delivery"):
    """It was signed too long ago, or in the future."""

    status = 401


class BodyTooLarge(WebhookRefused, code="body_too_large"):
    """There is more of it than this webhook takes."""

    status = 413


class BadBody(WebhookRefused, code="bad_body"):
    """The body cannot be the input of an execution."""

    status = 400


class CannotVerify(WebhookRefused, code="cannot_verify"):
    """The signing secret cannot be opened here. Whoever sent it may try again."""

    status = 503


class Challenged(WebhookRefused, code="challenged"):
    """The sender, who has signed it, wants to know whether this is the right address before it sends anything: it is answered
    with the challenge, and is not in the log of triggers.
    """

    status = 200

    def __init__(self, challenge: str) -> None:
        super().__init__(
            "the sender asks whether this address is right, and is answered with its challenge; nothing is started"
        )
        self.challenge = challenge
