"""Every spelling of every place that is not public, through every client: nobody connects to anything."""

from __future__ import annotations

import asyncio

import pytest

from outbound.canary import Canary, Watch
from outbound.clients import CLIENTS
from outbound.spellings import FORBIDDEN, METADATA_NAMES, harmless, spelled
from perdure.tasks.addresses import ALLOW


@pytest.mark.parametrize("client", CLIENTS)
def test_no_spelling_leads_inside(client: str, canary: Canary, watch: Watch) -> None:
    watch.rest = lambda _: ["127.0.0.1"]
    urls = spelled(canary.port)
    assert len(urls) >= 800

    came = dict(zip(urls, asyncio.run(CLIENTS[client](urls)), strict=True))

    assert {url for url in urls if not came[url].is_refused} <= harmless(canary.port)
    assert (canary.heard, watch.wrongly) == ([], [])
    assert not [each for each in came.values() if "Traceback" in each.said or not each.said]
    for host in (*FORBIDDEN, *METADATA_NAMES):
        if host.isascii():
            assert ALLOW in came[f"http://{host}:{canary.port}/"].said
