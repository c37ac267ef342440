"""Redirects are answers. Wherever they lead, and over however many servers, nobody goes there."""

from __future__ import annotations

import asyncio

import pytest

from outbound.canary import Canary, Watch
from outbound.clients import CLIENTS
from perdure.service.oidc.provider import WELL_KNOWN
from tasks.servers import Received, Reply, http_server

STATUSES = (300, 301, 302, 303, 304, 305, 306, 307, 308)
PLACES = (
    "http://127.0.0.1:{port}/", "http://127.0.0.2:{port}/x?y#z", "http://[::1]:{port}/", "//127.0.0.1:{port}/", "//127.0.0.2:{port}",
    "https://127.0.0.1:{port}/", "http://user:password@127.0.0.1:{port}/", "http://localhost:{port}/", "http://inside.example:{port}/",
    "http://0x7f000001:{port}/", "http://2130706433:{port}/", "\\\\127.0.0.1:{port}\\", "http:\\\\127.0.0.1:{port}/",
    "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd", "gopher://127.0.0.1:{port}/_x", "unix:{file}", "/again", "?again",
    "../../again", "", "http://", "javascript:alert(1)", "http://127.0.0.1:{port}/\t", "HTTP://127.0.0.1:{port}",
)  # fmt: skip


@pytest.mark.parametrize("client", CLIENTS)
def test_no_redirect_is_followed(client: str, canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    watch.rest = lambda _: ["127.0.0.1"]
    places = [place.format(port=canary.port, file=canary.file) for place in PLACES]

    def reply(received: Received) -> Reply:
        _, status, number, *_ = received.path.split("?")[0].split("/")
        told = {"location": places[int(number)], "refresh": f"0; url={canary.url()}", "uri": canary.url()}
        return Reply(int(status), {**told, "content-location": canary.url(), "alt-svc": f'http/1.1=":{canary.port}"'})

    with http_server(reply) as server:
        watch.expected = {server.port}
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")
        urls = [server.url(f"/{status}/{number}") for status in STATUSES for number in range(len(places))]
        came = asyncio.run(CLIENTS[client](urls))

        assert len(came) == len(urls) == 225
        assert (canary.heard, watch.tried) == ([], [])
        paths = [each.path.removesuffix(WELL_KNOWN) for each in server.received]
        assert sorted(paths) == sorted(url.partition(f":{server.port}")[2] for url in urls)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_chain_of_redirects_ends_with_its_first(
    client: str, canary: Canary, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where every link of it may be called, but the last."""
    with (
        http_server(Reply(307, {"location": canary.url()})) as last,
        http_server(Reply(302, {"location": last.url()})) as middle,
        http_server(Reply(308, {"location": middle.url()})) as first,
    ):
        watch.expected = {first.port, middle.port, last.port}
        allowed = ",".join(f"127.0.0.1:{server.port}" for server in (first, middle, last))
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", allowed)
        asyncio.run(CLIENTS[client]([first.url()]))

    assert [len(server.received) for server in (first, middle, last)] == [1, 0, 0]
    assert (canary.heard, watch.tried) == ([], [])
