"""The headers of a request, read once for all who ask for one."""

from __future__ import annotations

from typing import Any, Final

from starlette.datastructures import Headers
from starlette.types import Scope

_KEPT: Final = "perdure.headers"


class KnownHeaders(Headers):
    """Starlette goes through all of them for each that is asked for, and raises within for one that is not there. A request is
    asked for a dozen, most of which it does not have.
    """

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope=scope)
        self._first = {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(self._list)}
        """By name; of several, the first counts."""

    def get(self, key: str, default: Any = None) -> Any:
        return self._first.get(key.lower(), default)

    def __getitem__(self, key: str) -> str:
        return self._first[key.lower()]

    def __contains__(self, key: Any) -> bool:
        return key.lower() in self._first


def headers_of(scope: Scope) -> KnownHeaders:
    found: KnownHeaders | None = scope.get(_KEPT)
    if found is None:
        found = scope[_KEPT] = KnownHeaders(scope)
    return found
