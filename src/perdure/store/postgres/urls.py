"""URLs of Postgres, for whoever need not have its driver."""

from __future__ import annotations

import re

_PREFIXES = ("postgresql://", "postgres://")


def is_postgres(url: str) -> bool:
    return url.startswith(_PREFIXES)


def without_password(url: str) -> str:
    """The URL as it may be shown, and typed by whoever gives the password another way. In doubt, too much is left out."""
    url = re.sub(r"^(\w+://[^:/?@]*):.*@", r"\1@", url)
    url = re.sub(r"(?<=[?&])\w*password=[^&]*(&|$)", "", url, flags=re.IGNORECASE)
    return url.rstrip("?&")
