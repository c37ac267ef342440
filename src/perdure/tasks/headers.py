"""Which headers may be given for a call that leaves through the door. Some decide where a request ends and whom it is for; that
is the door's business.
"""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}")
_VALUE_REFUSED: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
FRAMING: Final = frozenset(["host", "content-length", "transfer-encoding", "connection"])
"""What a library that sends requests writes itself, from the URL and the body."""

_REFUSED: Final = FRAMING | {"upgrade", "keep-alive", "te", "trailer", "expect"}


def refusal(name: str, value: str) -> str | None:
    """Why the door does not let it out, if it does not; the value is never told."""
    lowered = name.lower()
    if not _NAME.fullmatch(name):
        return f"{name!r} is not the name of a header"
    if lowered in _REFUSED or lowered.startswith("proxy-"):
        return f"the header {name!r} is set by the door, from the URL and the body; leave it out"
    if _VALUE_REFUSED.search(value):
        return f"the value of header {name!r} has a line break or control character; remove it"
    return None
