"""The outbound door: what may be called, what is connected to, and how much comes back."""

from __future__ import annotations

import asyncio
import gzip
import re
import socket
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path

import httpx2
import pytest

from perdure.model.failure import Category
from perdure.tasks import failure_of
from perdure.tasks.addresses import refusal_of
from perdure.tasks.connecting import CheckedConnections
from perdure.tasks.disguises import Disguises
from perdure.tasks.door import (
    Allowed,
    Answer,
    Call,
    Door,
    Limits,
    OutboundFailed,
    OutboundRefused,
    OutboundTimedOut,
    ResponseTooLarge,
)
from perdure.tasks.outbound import WATCHING
from perdure.tasks.redaction import Redactor, hidden, hiding
from perdure.tasks.resolving import SystemNames
from tasks.servers import Reply, http_server, trusting_tls

LOOPBACK = Allowed(networks=["127.0.0.1/32"])
TLS = trusting_tls()


class Names:
    """A resolver with answers written down, one after the other; it counts how often it was asked."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers, self.asked = list(answers), 0

    async def __call__(self, _host: str, _port: int) -> Sequence[str]:
        self.asked += 1
        return self._answers[min(self.asked, len(self._answers)) - 1]


def sent(door: Door, call: Call | str) -> Answer:
    return asyncio.run(door.send(Call(call) if isinstance(call, str) else call))


def refusal(url: str, *addresses: str) -> str:
    """What the door says to a URL whose host, if it is a name, has these addresses."""
    with pytest.raises(OutboundRefused) as caught:
        sent(Door(resolve=Names(addresses) if addresses else None, ssl_context=TLS), url)
    return str(caught.value)


SPELLINGS = (Path(__file__).parent / "spellings.txt").read_text("utf-8").split()


def test_the_table_has_no_double_and_is_long() -> None:
    assert len(SPELLINGS) == len(set(SPELLINGS)) >= 130


@pytest.mark.parametrize("url", SPELLINGS)
def test_no_spelling_gets_around_the_door(url: str) -> None:
    # Every socket that could be opened by mistake would be one of this machine: loopback listens, the door must not try.
    assert refusal(url)


@pytest.mark.parametrize("url", [f"http://127.0.0.1{character}.example" for character in "\t\n\r\0\x7f "])
def test_invisible_characters_are_refused(url: str) -> None:
    assert refusal(url, "8.8.8.8")


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.20.0.1", "192.168.0.1", "100.127.255.255", "169.254.169.254",
        "169.254.0.9", "224.0.0.251", "255.255.255.255", "198.19.0.1", "::", "::1", "::ffff:1.1.1.1", "::1.1.1.1", "fe80::1",
        "fe80::1%eth0", "fd00:ec2::254", "fc00::", "ff05::2", "64:ff9b::10.0.0.1", "64:ff9b:1::1.1.1.1", "2002:101:101::1",
        "2001::1", "2001:db8::", "168.63.129.16", "not an address", "",
    ],
)  # fmt: skip
def test_a_name_that_resolves_to_such_an_address_is_refused(address: str) -> None:
    assert "looks.public" in refusal("https://looks.public/", address)


def test_one_bad_address_among_good_ones_refuses_the_name() -> None:
    assert "10.0.0.1" in refusal("https://mixed.example/", "8.8.8.8", "2606:4700::1111", "10.0.0.1")


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700::1111", "64:ff9b::8.8.8.8"]
)
def test_public_addresses_are_not_refused(address: str) -> None:
    assert refusal_of(ip_address(address)) is None


@pytest.mark.parametrize("host", ["2130706433", "127.1", "0x7f.1", "017700000001", "localhost"])
def test_below_the_reading_of_urls_every_address_is_judged_again(host: str) -> None:
    """What the system's resolver makes of such a host is what counts, had the URL been let through."""
    with pytest.raises(OutboundRefused, match="loopback"):
        asyncio.run(CheckedConnections(Allowed(), SystemNames()).connect_tcp(host, 80, 5))


def test_no_socket_file_is_opened() -> None:
    with pytest.raises(OutboundRefused, match="socket files"):
        asyncio.run(CheckedConnections(Allowed(), SystemNames()).connect_unix_socket("/run/docker.sock"))


def test_a_refusal_says_which_address_and_how_to_allow_it() -> None:
    said = refusal("https://intranet.example/?token=secret", "10.0.0.5")

    assert "'intranet.example' resolves to 10.0.0.5, a private address" in said
    assert (
        "operator can allow it, as host 'intranet.example:443' or as network '10.0.0.5/32', in PERDURE_ALLOW_ADDRESSES"
        in said
    )
    assert "secret" not in said
    assert "as host '[::1]:80' or as network '::1/128'" in refusal("http://[::1]")


def test_a_refusal_is_a_security_failure_that_is_not_repeated() -> None:
    with pytest.raises(OutboundRefused) as caught:
        sent(Door(), "http://127.0.0.1")
    failure = failure_of(caught.value)
    assert (failure.category, failure.retriable, failure.code) == (Category.SECURITY, False, "OutboundRefused")
    assert failure.details == {"host": "127.0.0.1", "port": 80, "address": "127.0.0.1"}


def test_without_permission_nothing_reaches_a_server_on_loopback() -> None:
    with http_server() as server:
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(OutboundRefused):
                sent(Door(), server.url(host=host))
        assert server.received == []


@pytest.mark.parametrize(
    ("allowed", "host"),
    [
        (Allowed(networks=["127.0.0.0/8"]), "127.0.0.1"),
        (Allowed(networks=["127.0.0.1/32"]), "named.example"),
        (Allowed(hosts=["127.0.0.1"]), "127.0.0.1"),
        (Allowed(hosts=["Named.Example."]), "named.example"),
        (Allowed(hosts=["named.example"]), "NAMED.example."),
    ],
)
def test_what_the_operator_allows_can_be_called(allowed: Allowed, host: str) -> None:
    with http_server(Reply(body=b"hello")) as server:
        answer = sent(Door(allowed, resolve=Names(["127.0.0.1"])), server.url(host=host))
    assert (answer.status, answer.body) == (200, b"hello")
    assert server.received[0].headers["host"] == f"{host.lower().removesuffix('.')}:{server.port}"


def test_a_port_can_be_allowed_alone() -> None:
    with http_server() as server, http_server() as other:
        door = Door(Allowed(hosts=[f"localhost:{server.port}"]), resolve=Names(["127.0.0.1"]))
        assert sent(door, server.url(host="localhost")).status == 200
        with pytest.raises(OutboundRefused):
            sent(door, other.url(host="localhost"))
        with pytest.raises(OutboundRefused):
            sent(door, server.url(host="127.0.0.1"))
    assert Allowed(hosts=["[::1]:8080"]).covers(ip_address("::1"), "::1", 8080)
    assert not Allowed(hosts=["[::1]:8080"]).covers(ip_address("::1"), "::1", 80)
    assert Allowed(hosts=["0:0::1"]).covers(ip_address("::1"), "::1", 80)


@pytest.mark.parametrize("address", ["169.254.169.254", "fd00:ec2::254", "168.63.129.16"])
def test_metadata_is_opened_only_by_its_own_address(address: str) -> None:
    metadata = ip_address(address)
    everything = Allowed(networks=["0.0.0.0/0", "::/0"], hosts=["friendly.example"])
    assert not everything.covers(metadata, "friendly.example", 80)
    assert not everything.covers(metadata, address, 80)
    assert Allowed(networks=[address]).covers(metadata, "friendly.example", 80)
    assert Allowed(hosts=[address]).covers(metadata, address, 80)


@pytest.mark.parametrize(
    "disguise",
    [
        "::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254", "64:ff9b::169.254.169.254",
        "64:ff9b:1::169.254.169.254", "2002:a9fe:a9fe::", "2001:0:a9fe:a9fe::", "fd00:ec2::254%1", "fd00:ec2::254%lo",
        "fe80::a9fe:a9fe%2",
    ],
)  # fmt: skip
def test_metadata_in_disguise_is_not_opened_by_what_is_allowed_for_another_reason(disguise: str) -> None:
    everything = Allowed(networks=["0.0.0.0/0", "::/0"], hosts=["friendly.example", "friendly.example:80"])
    assert not everything.covers(ip_address(disguise), "friendly.example", 80)
    assert not everything.covers(ip_address(disguise), disguise, 80)
    with pytest.raises(OutboundRefused, match="keeps the credentials"):
        sent(Door(everything, resolve=Names([disguise])), "http://friendly.example/")


def test_an_address_that_looks_like_another_with_a_port_is_not_that() -> None:
    one, other = ip_address("fd00::1"), ip_address("fd00::1:8080")
    assert not Allowed(hosts=["fd00::1:8080"]).covers(one, "fd00::1", 8080)
    assert not Allowed(hosts=["[fd00::1]:8080"]).covers(other, "fd00::1:8080", 80)
    assert Allowed(hosts=["fd00::1:8080"]).covers(other, "fd00::1:8080", 80)


def test_a_network_that_is_none_is_told_to_the_operator() -> None:
    with pytest.raises(ValueError, match=r"10\.0\.0\.1/8"):
        Allowed(networks=["10.0.0.1/8"])


def test_a_name_is_resolved_once_and_the_checked_address_is_called() -> None:
    names = Names(["127.0.0.1"], ["10.0.0.1"])
    with http_server(Reply(body=b"first")) as server:
        assert sent(Door(LOOPBACK, resolve=names), server.url(host="rebinding.example")).body == b"first"
    assert names.asked == 1


def test_a_name_that_changes_its_mind_does_not_lead_elsewhere() -> None:
    # The first answer is allowed and nobody listens there; the second is where the attacker wants to go.
    names = Names(["127.0.0.2"], ["127.0.0.1"])
    with http_server() as server:
        with pytest.raises(OutboundFailed, match=r"GET http://rebinding\.example"):
            sent(Door(Allowed(networks=["127.0.0.2/32"]), resolve=names), server.url(host="rebinding.example"))
        assert server.received == []
    assert names.asked == 1


def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    with http_server(Reply(body=b"second")) as server:
        door = Door(Allowed(networks=["127.0.0.0/8"]), resolve=Names(["127.0.0.2", "127.0.0.1"]))
        assert sent(door, server.url(host="two.example")).body == b"second"


def test_tls_is_for_the_name_and_not_for_the_address() -> None:
    with http_server(Reply(body=b"safe"), tls=True) as server:
        door = Door(LOOPBACK, resolve=Names(["127.0.0.1"]), ssl_context=TLS)
        assert sent(door, server.url(host="perdure.test")).body == b"safe"
        assert sent(door, server.url(host="perdure.test.")).body == b"safe"
        with pytest.raises(OutboundFailed, match="certificate"):
            sent(door, server.url(host="other.test"))
        assert server.server_names == ["perdure.test", "perdure.test", "other.test"]
        assert [each.headers["host"] for each in server.received] == [f"perdure.test:{server.port}"] * 2


def test_a_client_cannot_have_the_certificate_checked_for_another_name() -> None:
    async def fetched(url: str) -> httpx2.Response:
        door = Door(LOOPBACK, resolve=Names(["127.0.0.1"]), ssl_context=TLS)
        async with httpx2.AsyncClient(transport=door.transport(), trust_env=False) as client:
            return await client.get(url, extensions={"sni_hostname": "perdure.test"})

    with http_server(tls=True) as server, pytest.raises(httpx2.ConnectError, match="certificate"):
        asyncio.run(fetched(server.url(host="other.test")))


def test_a_certificate_nobody_trusts_is_a_failure() -> None:
    with http_server(tls=True) as server, pytest.raises(OutboundFailed, match="certificate"):
        sent(Door(LOOPBACK), server.url(host="127.0.0.1"))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_an_answer_and_is_not_followed(status: int) -> None:
    with http_server() as target, http_server(Reply(status, {"location": target.url("/secret")})) as server:
        answer = sent(Door(LOOPBACK), server.url())
        assert (answer.status, answer.headers["location"]) == (status, target.url("/secret"))
        assert target.received == []
        assert len(server.received) == 1


def test_environment_proxies_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with http_server(Reply(body=b"direct")) as server, http_server() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url())
        assert sent(Door(LOOPBACK), server.url()).body == b"direct"
        assert proxy.received == []


def test_cookies_of_one_call_are_not_sent_with_the_next() -> None:
    with http_server(Reply(headers={"set-cookie": "session=of-another"})) as server:
        door = Door(LOOPBACK)
        sent(door, server.url())
        sent(door, server.url())
        assert "cookie" not in server.received[1].headers


def capped(reply: Reply) -> None:
    with http_server(reply) as server:
        sent(Door(LOOPBACK, Limits(response_bytes_max=1000)), server.url())


def test_a_body_may_be_as_large_as_the_cap_and_no_larger() -> None:
    capped(Reply(body=b"x" * 1000))
    with pytest.raises(ResponseTooLarge, match="1000 bytes"):
        capped(Reply(body=b"x" * 1001))


def test_a_body_that_does_not_announce_its_size_is_stopped() -> None:
    with pytest.raises(ResponseTooLarge):
        capped(Reply(body=b"x" * 5_000_000, announce=False))


def test_an_announced_size_is_believed_before_the_body_is_read() -> None:
    # The server hangs after the headers: only they can be what was decided on.
    with pytest.raises(ResponseTooLarge):
        capped(Reply(headers={"content-length": "99999999999"}, announce=False, hang=True))


def test_a_small_body_that_unpacks_to_a_large_one_is_stopped() -> None:
    packed = gzip.compress(b"\0" * 900_000)
    assert len(packed) < 1000
    with pytest.raises(ResponseTooLarge):
        capped(Reply(headers={"content-encoding": "gzip"}, body=packed))
    with http_server(Reply(headers={"content-encoding": "gzip"}, body=gzip.compress(b"small"))) as server:
        assert sent(Door(LOOPBACK), server.url()).body == b"small"


@pytest.mark.parametrize("body", [b"", b"the beginning"])
def test_a_server_that_stops_talking_is_given_up(body: bytes) -> None:
    slow = Reply(headers={"content-length": "100"}, body=body, announce=False, hang=True)
    with http_server(slow) as server:
        door = Door(LOOPBACK, Limits(total_ms=150))
        with pytest.raises(OutboundTimedOut, match="took too long") as caught:
            sent(door, server.url())
    failure = failure_of(caught.value)
    assert (failure.category, failure.retriable) == (Category.TIMEOUT, True)


def test_a_server_that_keeps_talking_a_little_is_given_up_too() -> None:
    # Every single read is in time; only all of them together are not.
    with http_server(Reply(announce=False, drip=True)) as server, pytest.raises(OutboundTimedOut, match="150 ms"):
        sent(Door(LOOPBACK, Limits(total_ms=150, response_bytes_max=500)), server.url())


def test_a_call_can_shorten_the_time_but_not_lengthen_it() -> None:
    with http_server(Reply(headers={"content-length": "9"}, announce=False, hang=True)) as server:
        with pytest.raises(OutboundTimedOut):
            sent(Door(LOOPBACK), Call(server.url(), timeout_ms=100))
        with pytest.raises(OutboundTimedOut):
            sent(Door(LOOPBACK, Limits(total_ms=100)), Call(server.url(), timeout_ms=3_600_000))


def test_a_server_that_accepts_and_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, pytest.raises(OutboundTimedOut):
        sent(Door(LOOPBACK, Limits(total_ms=100)), f"http://127.0.0.1:{listening.getsockname()[1]}/")


def test_a_resolver_that_does_not_answer_is_given_up() -> None:
    async def silent(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    with pytest.raises(OutboundTimedOut, match="not resolved in time"):
        sent(Door(limits=Limits(connect_ms=50), resolve=silent), "http://slow.example")


def test_a_name_that_does_not_resolve_may_resolve_later() -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    with pytest.raises(OutboundFailed, match=r"'gone.example' cannot be resolved: .*not known"):
        sent(Door(resolve=unknown), "http://gone.example")
    with pytest.raises(OutboundFailed, match="no address"):
        sent(Door(resolve=Names([])), "http://empty.example")


def test_nobody_listening_is_a_failure_that_can_be_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with pytest.raises(OutboundFailed) as caught:
        sent(Door(LOOPBACK), f"http://127.0.0.1:{port}/")
    assert failure_of(caught.value).retriable


def test_a_server_that_speaks_no_http_is_a_failure() -> None:
    with http_server(Reply(headers={"bad\x01name": "x"})) as server, pytest.raises(OutboundFailed):
        sent(Door(LOOPBACK), server.url())


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"x-a": "1\r\nx-b: 2"}, "line break"),
        ({"x-a": "1\nx-b: 2"}, "line break"),
        ({"x-a": "1\r"}, "line break"),
        ({"x-a": "1\0"}, "control character"),
        ({"x-a": "\ud800"}, "control character"),
        ({"x-a\r\nx-b": "1"}, "not the name of a header"),
        ({"x a": "1"}, "not the name of a header"),
        ({"x-a:": "1"}, "not the name of a header"),
        ({"": "1"}, "not the name of a header"),
        ({"Host": "internal"}, "set by the door"),
        ({"Transfer-Encoding": "chunked"}, "set by the door"),
        ({"CONTENT-LENGTH": "0"}, "set by the door"),
        ({"Connection": "upgrade"}, "set by the door"),
    ],
)
def test_headers_that_would_change_the_request_are_refused(headers: dict[str, str], said: str) -> None:
    with http_server() as server:
        with pytest.raises(OutboundRefused, match=said):
            sent(Door(LOOPBACK), Call(server.url(), headers=headers))
        assert server.received == []


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "GET / HTTP/1.1\r\nx: y", "get", "", "G T"])
def test_methods_that_are_none_are_refused(method: str) -> None:
    with pytest.raises(OutboundRefused, match=re.escape(repr(method))):
        sent(Door(LOOPBACK), Call("http://127.0.0.1", method))


def test_texts_of_headers_are_sent_as_utf8_and_names_of_hosts_as_idna() -> None:
    with http_server() as server:
        door = Door(LOOPBACK, resolve=Names(["127.0.0.1"]))
        sent(door, Call(server.url(host="bücher.example"), headers={"x-name": "Zoë"}))
        assert server.received[0].headers["x-name"].encode("latin-1").decode() == "Zoë"
        assert server.received[0].headers["host"].startswith("xn--bcher-kva.example")


def test_clients_of_others_leave_by_the_same_door() -> None:
    async def fetched(url: str) -> httpx2.Response:
        door = Door(Allowed(hosts=["named.example"]), Limits(response_bytes_max=100), resolve=Names(["127.0.0.1"]))
        async with httpx2.AsyncClient(transport=door.transport(), trust_env=False) as client:
            return await client.get(url)

    with http_server(lambda received: Reply(body=b"x" * (200 if "large" in received.path else 10))) as server:
        assert asyncio.run(fetched(server.url(host="named.example"))).content == b"x" * 10
        with pytest.raises(ResponseTooLarge):
            asyncio.run(fetched(server.url("/large", host="named.example")))
        with pytest.raises(OutboundRefused, match="loopback"):
            asyncio.run(fetched(server.url(host="other.example")))
        with pytest.raises(OutboundRefused, match="user name"):
            asyncio.run(fetched(server.url(host="user@named.example")))
    with pytest.raises(httpx2.ConnectError):
        asyncio.run(fetched(server.url(host="named.example")))


class _Calls:
    """Told of calls that leave, as traces are."""

    traceparent = "00-1-1-00"

    def __init__(self) -> None:
        self.hosts: list[str] = []

    def leaving(self, _method: str, _scheme: str, host: str, _port: int | None) -> _Calls:
        self.hosts.append(host)
        return self

    def ended(self, status: int) -> None: ...

    def failed(self, error: BaseException) -> None: ...


class _Unknown:
    async def __call__(self, host: str, _port: int) -> Sequence[str]:
        raise OSError(f"no such name: {host}")


@pytest.mark.parametrize("secret", ["Tenant-Key-0815", "AcMe", "Zx9"])
def test_no_message_names_a_host_that_holds_a_secret(secret: str) -> None:
    host = f"{secret}.example.com"
    calls = _Calls()
    watched = WATCHING.set(calls)
    found: list[tuple[Exception, str]] = []
    with http_server(lambda _: Reply(), tls=True) as server, hiding(Redactor([Disguises(secret)])):
        doors = {
            f"https://{host}:{server.port}/": Door(LOOPBACK, resolve=Names(["127.0.0.1"]), ssl_context=TLS),
            f"https://{host}/a": Door(resolve=Names(["10.0.0.1"])),
            f"https://{host}/b": Door(resolve=Names([])),
            f"https://{host}/c": Door(resolve=Names(["nonsense"])),
            f"https://{host}/d": Door(resolve=_Unknown()),
            f"https://{secret}.1/": Door(),
            f"https://{secret}.$/": Door(),
            f"https://{secret}.exa mple:x/": Door(),
        }
        for url, door in doors.items():
            with pytest.raises((OutboundRefused, OutboundFailed)) as caught:
                sent(door, url)
            found.append((caught.value, hidden(str(caught.value))))
    WATCHING.reset(watched)
    for error, message in found:
        assert secret.lower() not in f"{message} {getattr(error, 'details', '')}".lower()
    assert "certificate" in found[0][1]
    assert set(calls.hosts) == {"***"}
