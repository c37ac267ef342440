"""What an example is, and what all of them have in common: the ids of things, and the times at which they happened."""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET, Struct

WORKFLOW: Final = "wf_52c122f5d2b1a61c99bf541c"
EXECUTION: Final = "01a1e7e50f1ba606b815dc6e3510db47"
ANOTHER: Final = "01a1e7e511af82853ca0c20b94511051"
APPROVAL: Final = "b414d96c17e507474b108bc1"
WEBHOOK: Final = "wh_ad16e03f567f8d38"
HOOKED: Final = "wf_26e55eb716c47f0de8902ab0"
KEY: Final = "ywyr5dweg8"
SESSION: Final = "bfste5wxg9"
CURSOR: Final = "WzE2XQ"
BEGUN: Final = "2026-11-16T09:30:00.000Z"
DECIDED: Final = "2026-11-16T11:05:00.000Z"
BEGUN_MS, DECIDED_MS = 1_794_821_400_000, 1_794_827_100_000
SUBMITTED: Final = {"order": "o-17", "amount": 40}


class Example(Struct, frozen=True):
    """Of one operation: what it is sent, and what it answers with when it goes well; `others`, by status, where that can be
    something else.
    """

    body: Any = UNSET
    answer: Any = UNSET
    others: dict[str, Any] = {}


def page(*items: Any, next: str | None = None) -> dict[str, Any]:
    return {"items": list(items), "next": next}
