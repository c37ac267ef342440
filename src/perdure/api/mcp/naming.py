"""What tools are called: what every client of MCP accepts, the same as long as the workflow is the same, and no two alike.

A workflow is called by its name, if that name is its own and is one for a tool. Else by what can be kept of its name, and ten
digits that follow from its id; a name that ends as if it had such digits gets them as well, so that the two kinds never meet.
None begins as ours do. So whichever workflows come and go, the others are called as before.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from typing import Final

from perdure.service.offers import Offer

OURS: Final = "perdure_"
LENGTH_MAX: Final = 64
DIGITS: Final = 10
_PLAIN: Final = re.compile(rf"[A-Za-z0-9_-]{{1,{LENGTH_MAX}}}")
_MADE: Final = re.compile(rf"-[0-9a-f]{{{DIGITS}}}\Z")


def tool_name(offer: Offer) -> str:
    name = offer.name
    if offer.has_own_name and _PLAIN.fullmatch(name) and not name.startswith(OURS) and not _MADE.search(name):
        return name
    digits = sha256(offer.id.encode()).hexdigest()[:DIGITS]
    return f"{_kept(name)[: LENGTH_MAX - DIGITS - 1]}-{digits}"


def _kept(name: str) -> str:
    """`Prüfung: Rechnung` is `Prufung-Rechnung`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    kept = re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-") or "workflow"
    return f"workflow-{kept}" if kept.startswith(OURS) else kept
