"""When keys were last used. It is written at most once a minute for each key, and read with the list of them."""

from __future__ import annotations

from perdure.hosts.embedded import Host
from perdure.service.given import check_texts
from perdure.store.ledger import MINUTE_MS, UseKey

KEYS_MAX = 10_000
"""Of so many keys a process knows when it has said that they were used."""


class KeyUses:
    def __init__(self, host: Host) -> None:
        self._host = host
        self._said: dict[tuple[str, str], int] = {}

    async def used(self, key: str, *, organization: str = "default", at: int | None = None) -> None:
        """A key was used, by its id. `at` is now, in epoch milliseconds."""
        now = self._host.now_ms() if at is None else at
        if not self.is_to_be_said(key, organization, at=now):
            return
        if len(self._said) >= KEYS_MAX:
            self._said.clear()
        self._said[organization, key] = now
        await self._host.commit(UseKey(key, now, organization))

    def is_to_be_said(self, key: str, organization: str = "default", *, at: int | None = None) -> bool:
        """Whether it has not been said in this minute."""
        now = self._host.now_ms() if at is None else at
        said = self._said.get((organization, key))
        return said is None or not now - MINUTE_MS < said <= now

    async def list(self, *, organization: str = "default") -> dict[str, int]:
        """When each key was last used, to a minute, in epoch milliseconds, by its id. Those that never were are not in it."""
        check_texts(organization=organization)
        return await self._host.read(lambda store: store.key_uses(organization), organization)
