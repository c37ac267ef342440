"""Which addresses may be called: public ones, and what the operator allows.

Written out from IANA's registries of special addresses, because what `ipaddress` calls global changes with the version
of Python; its judgement is asked last, and can only refuse more. Of IPv6 only 2000::/3 is handed out to the public.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

from perdure.settings import table

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

ALLOW: Final = table.ALLOW.name
"""Where the operator says what may be called beyond public addresses; messages name it."""

# Where clouds hand out the credentials of the machine: AWS (also ECS, EKS), Azure, Alibaba, Oracle, Google, Scaleway, Tencent,
# OpenStack.
_METADATA: Final = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd20:ce::254",
        "169.254.42.42",
        "fd00:42::42",
        "169.254.0.23",
        "fe80::a9fe:a9fe",
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
_PUBLIC_IPV6: Final = IPv6Network("2000::/3")
_ENDS_IN_IPV4: Final = tuple(
    IPv6Network(network) for network in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")
)

# The first that fits gives the reason.
_REFUSED: Final[tuple[tuple[Network, str], ...]] = tuple(
    (ip_network(network), reason)
    for network, reason in (
        ("0.0.0.0/32", "the unspecified address"),
        ("0.0.0.0/8", "an address of this network"),
        ("10.0.0.0/8", "a private address"),
        ("100.64.0.0/10", "an address of a carrier's own network"),
        ("127.0.0.0/8", "a loopback address"),
        ("169.254.0.0/16", "a link-local address"),
        ("172.16.0.0/12", "a private address"),
        ("192.0.0.0/24", "a reserved address"),
        ("192.0.2.0/24", "an address for documentation"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "a private address"),
        ("198.18.0.0/15", "an address for benchmarks"),
        ("198.51.100.0/24", "an address for documentation"),
        ("203.0.113.0/24", "an address for documentation"),
        ("224.0.0.0/4", "a multicast address"),
        ("255.255.255.255/32", "the broadcast address"),
        ("240.0.0.0/4", "a reserved address"),
        ("::/128", "the unspecified address"),
        ("::1/128", "a loopback address"),
        ("::ffff:0:0/96", "an IPv4 address dressed as IPv6"),
        ("::ffff:0:0:0/96", "an IPv4 address dressed as IPv6"),
        ("::/96", "an IPv4 address dressed as IPv6"),
        ("64:ff9b:1::/48", "a local NAT64 address"),
        ("fc00::/7", "a private address"),
        ("fe80::/10", "a link-local address"),
        ("fec0::/10", "a site-local address"),
        ("ff00::/8", "a multicast address"),
        ("2001::/32", "a Teredo address, which embeds an IPv4 address"),
        ("2001::/23", "a reserved address"),
        ("2001:db8::/32", "an address for documentation"),
        ("2002::/16", "a 6to4 address, which embeds an IPv4 address"),
        ("3fff::/20", "an address for documentation"),
    )
)


class Allowed:
    """What the operator opens beyond the public internet; never what an author of workflows writes.

    `hosts` are names or addresses as they stand in URLs, with a port if only that one is meant: `intranet`,
    `localhost:11434`. `networks` are like `10.1.0.0/16`. Metadata addresses are opened only by their own address.
    """

    def __init__(self, networks: Iterable[str] = (), hosts: Iterable[str] = ()) -> None:
        self._networks = tuple(ip_network(network) for network in networks)
        self._hosts = frozenset(_host_and_port(host) for host in hosts)

    def with_host(self, host: str) -> Allowed:
        """The same, and one host more."""
        allowed = Allowed()
        allowed._networks, allowed._hosts = self._networks, self._hosts | {_host_and_port(host)}
        return allowed

    def covers(self, address: Address, host: str, port: int) -> bool:
        named = {(host, None), (host, port)} & self._hosts
        networks = [network for network in self._networks if address in network]
        if _is_metadata(address):
            # A name or a network that was allowed for another reason must not give the machine's credentials away.
            return any(network.num_addresses == 1 for network in networks) or bool(named and host == str(address))
        return bool(named or networks)


def is_own_machine(name: str) -> bool:
    """Whether a name or an address leads to this very machine, and to no other."""
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def refusal_of(address: Address) -> str | None:
    """What an address is that nobody may call unless the operator allows it; None for a public one."""
    if _is_metadata(address):
        return "where the cloud keeps the credentials of this machine"
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return "an address of one network interface"
        if address in _NAT64:
            embedded = refusal_of(IPv4Address(int(address) & 0xFFFF_FFFF))
            return None if embedded is None else f"a NAT64 address for {embedded}"
    for network, reason in _REFUSED:
        if address in network:
            return reason
    if isinstance(address, IPv6Address) and address not in _PUBLIC_IPV6:
        return "a reserved address"
    return None if address.is_global else "not a public address"


def _is_metadata(address: Address) -> bool:
    """Also in disguise: what is allowed for another reason leads to the same place, whatever it is dressed as."""
    if isinstance(address, IPv4Address):
        return address in _METADATA
    plain = IPv6Address(int(address))  # without the interface, which is no part of where it leads
    worn: list[Address | None] = [plain, plain.sixtofour, *(plain.teredo or ())]
    if any(plain in network for network in _ENDS_IN_IPV4):
        worn.append(IPv4Address(int(plain) & 0xFFFF_FFFF))
    return any(each in _METADATA for each in worn if each is not None)


def _host_and_port(host: str) -> tuple[str, int | None]:
    """The host as `targets.checked` writes it: lower case, no brackets, no dot at the end. Without a port, all are meant."""
    name, colon, port = host.strip().lower().rpartition(":")
    if not colon or not (port.isascii() and port.isdecimal()) or (":" in name and not name.endswith("]")):
        name, port = host.strip().lower(), ""
    name = name.removeprefix("[").removesuffix("]").removesuffix(".")
    with suppress(ValueError):
        name = str(ip_address(name))
    return name, int(port) if port else None
