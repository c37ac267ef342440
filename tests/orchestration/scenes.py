"""What can become of an order: who pays, who calls it off and when, and what must have come of it in the end."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, field

Place: TypeAlias = Literal["await_payment", "charge", "ship"]

PARCEL: Final = {"orderId": "O1", "amount": 40, "items": [{"sku": "lamp", "count": 2}]}
LETTER: Final = {"orderId": "O1", "amount": 15, "items": [{"sku": "card", "count": 1}]}
CARD: Final = {"method": "card", "token": "tok_1"}
GIFT_CARD: Final = {"method": "gift card", "token": "tok_2"}
DECLINED: Final = {"method": "card", "token": "tok_declined"}


class Scene(Struct, frozen=True):
    """
    order       what is ordered
    payment     how it is paid; None: it is not
    called_off  where it is when the customer calls it off; None: nobody does
    status      how it ends, in the words of the dialect
    steps       what becomes of each of its steps
    undoing     the state of the compensation, without times: status, plan, completed, and what failed
    """

    name: str
    order: dict[str, Any] = field(default_factory=lambda: PARCEL)
    payment: dict[str, str] | None = field(default_factory=lambda: CARD)
    called_off: Place | None = None
    status: str = "COMPLETED"
    steps: dict[str, str] = {}
    undoing: dict[str, Any] | None = None

    @property
    def placed(self) -> dict[str, Any]:
        return {"type": "order.placed", "id": "placed", "payload": self.order}

    @property
    def paid(self) -> dict[str, Any]:
        payload = {"orderId": self.order["orderId"], "payment": self.payment}
        return {"type": "payment.authorized", "id": "paid", "payload": payload}

    @property
    def cancellation(self) -> dict[str, Any]:
        return {"type": "order.cancelled", "id": "off", "payload": {"orderId": self.order["orderId"]}}


def undone(*plan: str, failed: str | None = None) -> dict[str, Any]:
    return {
        "status": "COMPLETED" if failed is None else "COMPLETED_WITH_ERRORS",
        "plan": list(plan),
        "completed": [step for step in plan if step != failed],
        "failed": [] if failed is None else [failed],
    }


RESERVED: Final = {"reserve_stock": "COMPLETED"}
PAID: Final = {**RESERVED, "await_payment": "COMPLETED"}
CHARGED: Final = {**PAID, "charge": "COMPLETED"}
SHIPPED: Final = {**CHARGED, "ship": "COMPLETED"}
GIVEN_UP: Final = {"give_up": "COMPLETED", "tell_not_paid": "COMPLETED"}

SCENES: Final = (
    Scene("paid", steps=SHIPPED),
    Scene(
        "not paid in time",
        {**PARCEL, "payWithin": "PT0.1S"},
        payment=None,
        steps={**RESERVED, "await_payment": "FAILED", **GIVEN_UP},
    ),
    Scene("declined", payment=DECLINED, steps={**PAID, "charge": "FAILED", **GIVEN_UP}),
    Scene(
        "called off while it waits",
        payment=None,
        called_off="await_payment",
        status="CANCELLED",
        steps={**RESERVED, "await_payment": "FAILED"},
        undoing=undone("release_stock"),
    ),
    Scene(
        "called off while it is charged",
        called_off="charge",
        status="CANCELLED",
        steps=CHARGED,
        undoing=undone("refund", "release_stock"),
    ),
    Scene(
        "called off while it is shipped, and the gift card takes nothing back",
        payment=GIFT_CARD,
        called_off="ship",
        status="CANCELLED",
        steps=SHIPPED,
        undoing=undone("recall_parcel", "refund", "release_stock", failed="refund"),
    ),
    Scene(
        "called off while a letter is shipped, which nobody can call back",
        LETTER,
        called_off="ship",
        status="CANCELLED",
        steps=SHIPPED,
        undoing=undone("refund", "release_stock"),
    ),
)
BY_NAME: Final = {scene.name: scene for scene in SCENES}
