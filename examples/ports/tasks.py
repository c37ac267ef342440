"""Tasks for the examples in this folder. A real one would call a shop, a mailbox, a database."""

from typing import Any

from perdure import task

CUSTOMERS = {"c1": {"id": "c1", "name": "Ada", "history": ["lamp", "desk"]}}
CATALOG = ["chair", "shelf", "rug", "clock"]
SHOP = {"products": 230, "customers": 120}


@task("conversation")
def conversation(given: dict[str, Any]) -> dict[str, Any]:
    return {"conversationId": f"{given['channel']}-{given['customerId']}", "subject": given["subject"]}


@task("shopify_sync")
def shopify_sync(given: dict[str, Any]) -> dict[str, Any]:
    total, size = SHOP[given["resource"]], given["batchSize"]
    return {"resource": given["resource"], "synced": total, "batches": -(-total // size)}


@task("send_retention_email")
def send_retention_email(given: dict[str, Any]) -> dict[str, Any]:
    return {"sent": True, "template": given["template"]}


@task("load_customer")
def load_customer(given: dict[str, Any]) -> dict[str, Any]:
    return {"customer": CUSTOMERS[given["customerId"]], "catalog": CATALOG}


@task("book_refund")
def book_refund(given: dict[str, Any]) -> dict[str, Any]:
    if given["item"].get("sku") == "gone":
        raise ValueError("there is no such item in the order")
    return {"booked": f"{given['order']}/{given['item']['sku']}"}


@task("find_stale")
def find_stale(given: dict[str, Any]) -> list[int]:
    return [number for number in range(1, 26) if number + given["days"] > 0]


@task("archive")
def archive(given: dict[str, Any]) -> dict[str, Any]:
    return {"archived": len(given["ids"])}
