"""Tasks for the examples in this folder. A real one would call a warehouse, a bank, a carrier, a mailbox."""

from __future__ import annotations

import hashlib
from typing import Any

from perdure import NonRetryable, TaskContext, task

IN_STOCK = 100
PARCEL_FROM = 2
"""So many things are a parcel, which can be followed and called back. One alone goes as a letter."""


def number(ctx: TaskContext) -> str:
    """The same in every attempt of a step, so that whoever is called can tell that it is the same wish again."""
    return hashlib.sha256(ctx.idempotency_key.encode()).hexdigest()[:8]


@task("stock.reserve")
def reserve(given: dict[str, Any], ctx: TaskContext) -> dict[str, Any]:
    items = given["items"]
    for item in items:
        if item["count"] > IN_STOCK:
            raise NonRetryable(f"there are not {item['count']} of {item['sku']}", code="SOLD_OUT")
    return {"reservation": f"R-{number(ctx)}", "items": items}


@task("stock.release")
def release(given: dict[str, Any]) -> dict[str, Any]:
    return {"released": given["reservation"]}


@task("payment.charge")
def charge(given: dict[str, Any], ctx: TaskContext) -> dict[str, Any]:
    if given["token"] == "tok_declined":  # noqa: S105  it is a card that nobody has
        raise NonRetryable("the card was declined", code="DECLINED")
    return {"chargeId": f"C-{number(ctx)}", "amount": given["amount"], "method": given["method"]}


@task("payment.refund")
def refund(given: dict[str, Any]) -> dict[str, Any]:
    """Is given no input of its own in the document: what it undoes is `originalOutput`."""
    paid = given["originalOutput"]
    if paid["method"] == "gift card":
        raise NonRetryable("nothing can be paid back to a gift card", code="NOT_REFUNDABLE")
    return {"refunded": paid["chargeId"], "amount": paid["amount"], "why": given["cancellation"]["reason"]}


@task("parcel.send")
def send_parcel(given: dict[str, Any], ctx: TaskContext) -> dict[str, Any]:
    things = sum(item["count"] for item in given["items"])
    sent = {"orderId": given["orderId"], "things": things}
    return {**sent, "tracking": f"T-{number(ctx)}"} if things >= PARCEL_FROM else sent


@task("parcel.recall")
def recall(given: dict[str, Any]) -> dict[str, Any]:
    return {"recalled": given["tracking"], "why": given["why"]}


@task("mail.send")
def send_mail(given: dict[str, Any]) -> dict[str, Any]:
    return {"sent": True, **given}


@task("review.remind")
def remind(given: dict[str, Any]) -> dict[str, Any]:
    return {"to": given["to"], "about": given["about"], "sent": given["before"] + 1}


@task("document.publish")
def publish(given: dict[str, Any]) -> dict[str, Any]:
    return {"published": given["documentId"]}


@task("subscription.renew")
def renew(given: dict[str, Any], ctx: TaskContext) -> dict[str, Any]:
    paid, limit = given["paid"] + 1, given["card"].get("limit")
    if limit is not None and paid * given["amount"] > limit:
        raise NonRetryable("the limit of the card is reached", code="DECLINED")
    return {"chargeId": f"C-{number(ctx)}", "amount": given["amount"], "paid": paid}


@task("subscription.end")
def end(given: dict[str, Any]) -> dict[str, Any]:
    return {"ended": given["subscriptionId"], "why": given["why"]}
