"""What an approval link says, in its URL: which approval, in whose name, until when. Signed, and so nobody else can write one.

A token is base64url of a MessagePack array and an HMAC over it, under a key that is derived from each key of the operator: the
current one signs, and what any of them has signed counts. It is read in one way alone: of each link there is one spelling.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from perdure.hosts.envelopes import Keys
from perdure.service.acting import Role

FORMAT: Final = 2
"""Those of 1 do not say since when their member is one. They are refused: nobody can know whose they were."""

PURPOSE: Final = b"approval links 1"
PATH: Final = "/a/"
MAC_BYTES: Final = sha256().digest_size
TOKEN_MAX: Final = 4_000
"""What is longer is no token. Names of organizations and members are much shorter."""


class Link(Struct, frozen=True, array_like=True):
    """
    id         what it is known by, and used up by; the token is not kept anywhere
    member     in whose name it decides
    since      when they were added; somebody else who is added under that id later decides nothing by it
    is_name    there was no member of that name when it was made, for the organization had none
    scopes     what the key was limited to that it was asked for with; none: to nothing
    """

    format: int
    id: str
    organization: str
    approval: str
    member: str
    since: int
    expires_at: int
    is_name: bool = False
    scopes: tuple[Role, ...] = ()


class Signing:
    """Signs links, and reads those that were signed."""

    def __init__(self, keys: Keys) -> None:
        self._keys: Sequence[bytes] = keys.derived(PURPOSE)

    def signed(self, link: Link) -> str:
        said = msgspec.msgpack.encode(link)
        return _encoded(said + _mac(self._keys[0], said))

    def read(self, token: str, at: int) -> Link | None:
        """None: nobody has signed that here, or its time is over."""
        blob = _decoded(token)
        said, mac = blob[:-MAC_BYTES], blob[-MAC_BYTES:]
        # All keys are tried, whichever fits: how long it takes tells nothing.
        if not sum([hmac.compare_digest(_mac(key, said), mac) for key in self._keys]):
            return None
        try:
            link = msgspec.msgpack.decode(said, type=Link)
        except msgspec.DecodeError:  # a format of a later version
            return None
        return link if link.format == FORMAT and at < link.expires_at else None


def _mac(key: bytes, said: bytes) -> bytes:
    return hmac.digest(key, said, sha256)


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(token: str) -> bytes:
    """Empty, if it is nothing that was encoded here. Base64 can be written in several ways, of which one counts."""
    if len(token) > TOKEN_MAX or not token.isascii():
        return b""
    try:
        data = urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except (Error, ValueError):
        return b""
    return data if _encoded(data) == token else b""
