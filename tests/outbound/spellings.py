# ruff: noqa: RUF001 -- letters and digits that look like others are what this is about
"""Places that nobody may call, spelled in every way that some parser somewhere reads as that place.

Those of the file stand as they are; the others lead to the port that a canary listens on.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from outbound.canary import PUBLIC

WRITTEN = (Path(__file__).parent.parent / "tasks" / "spellings.txt").read_text("utf-8").split()

FORBIDDEN = (
    "127.0.0.1", "127.0.0.2", "127.255.255.255", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.169.254",
    "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200", "192.0.0.192", "169.254.42.42", "169.254.0.23", "198.18.0.1",
    "224.0.0.1", "240.0.0.1", "255.255.255.255",
)  # fmt: skip
FORBIDDEN_IPV6 = (
    "::1", "::", "0:0:0:0:0:0:0:1", "::0001", "fe80::1", "fe80::a9fe:a9fe", "fec0::1", "fc00::1", "fd00:ec2::254", "fd00:ec2::23",
    "fd20:ce::254", "fd00:42::42", "ff02::1", "ff01::1", "100::1", "2001:db8::1", "2001:10::1", "2001:20::1", "3fff::1", "5f00::1",
    "4000::1", "::2", "fe80::1%lo", "fe80::1%25lo", "fe80::1%251", "::1%lo", "::1%25lo", "fd00:ec2::254%251",
)  # fmt: skip
METADATA_NAMES = (
    "metadata.google.internal", "metadata", "metadata.goog", "instance-data", "instance-data.ec2.internal", "metadata.azure.internal",
    "metadata.tencentyun.com", "metadata.packet.net", "kubernetes.default.svc", "kubernetes.default", "host.docker.internal",
    "gateway.docker.internal", "consul.service.consul", "vault.service.consul", "169.254.169.254.nip.io", "127.0.0.1.nip.io",
    "7f000001.nip.io", "localtest.me", "lvh.me", "spoofed.burpcollaborator.net", "a.localhost", "localhost6", "ip6-localhost",
    "ip6-loopback", "localhost.localdomain", "broadcasthost", "router", "xn--bcher-kva.internal", "bücher.internal",
)  # fmt: skip
"""Names that lead inside somewhere; here all of them lead to the canary."""

_WIDE = str.maketrans("0123456789.", "０１２３４５６７８９．")
_CIRCLED = str.maketrans("123456789", "①②③④⑤⑥⑦⑧⑨")
_ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
_BOLD = str.maketrans("0123456789", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗")


def spelled(port: int) -> list[str]:
    """All of them, each once."""
    hosts = [host for address in FORBIDDEN for host in _dressed(IPv4Address(address))]
    hosts += [f"[{address}]" for address in FORBIDDEN_IPV6]
    hosts += METADATA_NAMES
    found = [*WRITTEN, *(f"http://{host}:{port}/" for host in hosts), *_odd(f"127.0.0.1:{port}", port)]
    return list(dict.fromkeys(found))


def harmless(port: int) -> set[str]:
    """Those of them that look as bad, and have the other host in their path, query or fragment: they lead to a public one."""
    return {f"http://{PUBLIC}{between}127.0.0.1:{port}/" for between in ("/@", "#@", "?@")}


def _dressed(address: IPv4Address) -> Iterator[str]:
    number, parts = int(address), [int(part) for part in str(address).split(".")]
    a, b, c, d = parts
    yield str(address)
    yield f"{address}."
    yield str(number)
    yield hex(number)
    yield f"0{number:o}"
    yield str(number + 2**32)
    yield f"{a}.{b}.{(c << 8) + d}"
    yield f"{a}.{(b << 16) + (c << 8) + d}"
    yield ".".join(hex(part) for part in parts)
    yield ".".join(f"0{part:o}" for part in parts)
    yield ".".join(f"{part:03}" for part in parts)
    yield f"{hex(a)}.{b}.0{c:o}.{d}"
    for digits in (_WIDE, _CIRCLED, _ARABIC, _BOLD):
        yield str(address).translate(digits)
    yield str(address).replace(".", "。")
    yield str(address).replace(".", "｡")
    yield str(address).replace(".", "%2e")
    yield "".join(f"%{ord(character):02x}" for character in str(address))
    for above in (0, 0xFFFF << 32, 0xFFFF << 48, 0x64_FF9B << 96, (0x64_FF9B_0001 << 80)):
        yield f"[{IPv6Address(above + number)}]"
    yield f"[::ffff:{address}]"
    yield f"[::ffff:{address}%25lo]"
    yield f"[{IPv6Address((0x2002 << 112) + (number << 80) + 1)}]"
    yield f"[{IPv6Address((0x2001 << 112) + (number ^ 0xFFFF_FFFF))}]"


def _odd(place: str, port: int) -> Iterator[str]:
    """What confuses those who read URLs in two ways."""
    public = PUBLIC
    for between in (
        "@",
        ":80@",
        "%40",
        "\\@",
        "/@",
        "#@",
        "?@",
        "%00@",
        "\t@",
        "\n@",
        "\r\n@",
        " @",
        "&@",
        ";@",
        "%0d%0a@",
    ):
        yield f"http://{public}{between}{place}/"
        yield f"http://{place}{between}{public}/"
    for before in (
        "http:",
        "http:/",
        "http:///",
        "http:\\\\",
        "http:/\\",
        "\\\\",
        "//",
        "http://\t",
        " http://",
        "\thttp://",
        "\x00http://",
    ):
        yield f"{before}{place}/"
    for scheme in (
        "file", "ftp", "gopher", "dict", "ldap", "tftp", "sftp", "ws", "wss", "jar", "netdoc", "phar", "unix", "http+unix", "https+unix",
        "data", "javascript", "view-source", "httpx", "hTTp+x", "socks5", "telnet", "imap", "smb", "redis", "mysql",
    ):  # fmt: skip
        yield f"{scheme}://{place}/"
    for host in (
        "localhost",
        "LOCALHOST",
        "localhost.",
        "ｌocalhost",
        "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
        "loca\u00adlhost",
        "local\u200bhost",
        "lo%63alhost",
    ):
        yield f"http://{host}:{port}/"
        yield f"https://{host}:{port}/"
    for text in ("\r\nHost: x", "%0d%0aHost:%20x", "\nx", "\0"):
        yield f"http://{place}{text}/"
        yield f"http://{place}/{text}"
    yield from (
        f"http://{place}:{port}/",
        f"http://{place}:/",
        f"http://[{place}]/",
        f"http://:{port}/",
        f"http://@:{port}/",
    )
    yield from (
        "",
        " ",
        "http",
        ":",
        "http:",
        "http:?",
        "http://#",
        "http://?",
        "http://@",
        "http://:80",
        "http://%",
        "http://[]/",
    )
