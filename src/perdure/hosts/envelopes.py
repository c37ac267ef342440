"""Encryption at rest: each value has a key of its own, which is wrapped by the key of the installation (AES-256-GCM, twice).

What a value is about (organization and name) is bound to it: moved elsewhere, it does not open. Which key it was wrapped with
stands in it, so that several keys can be in use while they are changed; to change one, only the wrapping is made anew.

    pse1.<id of the key>.<nonce and wrapped key>.<nonce and encrypted value>
"""

from __future__ import annotations

import binascii
import os
import re
from base64 import b64encode, urlsafe_b64decode, urlsafe_b64encode
from functools import cache
from hashlib import sha256
from typing import Any, Final

import msgspec

from perdure.errors import PerdureError
from perdure.model.secrets import CIPHER_TEXT

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
_HEX: Final = re.compile(r"[0-9a-fA-F]{64}")
_TEXT: Final = re.compile(r"pse1\.([0-9a-f]{16})\.([A-Za-z0-9_-]{80})\.([A-Za-z0-9_-]{38,})")
MAKE_ONE: Final = "make one with: perdure secrets new-key"


class BadKey(PerdureError, code="bad_key"):
    """What was given is no key. The message never holds it."""


class CannotOpen(PerdureError, code="cannot_open"):
    """A value that does not open. The message says why, and what can be done."""


class KeyNotHere(CannotOpen, code="key_not_here"):
    """It was wrapped with a key that this process does not have."""


def new_key() -> str:
    """As `PERDURE_SECRET_KEY` has it."""
    return b64encode(os.urandom(KEY_BYTES)).decode()


def about(kind: str, organization: str, name: str) -> bytes:
    """What a value is bound to."""
    return msgspec.json.encode(["perdure", kind, organization, name])


def key_id_of(sealed: str) -> str:
    """Of the key that it is wrapped with. Raises `CannotOpen`."""
    return _parts(sealed)[0]


class Keys:
    """The keys of an installation: the first is used for what is new, the others only open. They are never shown. `place`: where
    they were found, for messages.
    """

    __slots__ = ("_by_id", "place")

    def __init__(self, *keys: bytes, place: str = "PERDURE_SECRET_KEY") -> None:
        self._by_id, self.place = {_id(key): key for key in keys}, place

    def __repr__(self) -> str:
        return f"Keys({', '.join(self._by_id)})"

    @property
    def ids(self) -> tuple[str, ...]:
        """The current one first."""
        return tuple(self._by_id)

    @property
    def current(self) -> str:
        return next(iter(self._by_id))

    def derived(self, purpose: bytes) -> tuple[bytes, ...]:
        """A key of its own for each of them, by HKDF, from which that cannot be found out. The current one first."""
        return tuple(_hkdf(key, purpose) for key in self._by_id.values())

    def seal(self, value: str, bound_to: bytes) -> str:
        own = os.urandom(KEY_BYTES)
        wrapped = _encrypted(self._by_id[self.current], own, _wrapping(self.current, bound_to))
        return _written(self.current, wrapped, _encrypted(own, value.encode(), bound_to))

    def open(self, sealed: str, bound_to: bytes) -> str:
        """Raises `CannotOpen`."""
        key_id, wrapped, value = _parts(sealed)
        own = self._unwrapped(key_id, wrapped, bound_to)
        return _decrypted(own, value, bound_to).decode()

    def wrapped_anew(self, sealed: str, bound_to: bytes) -> str:
        """The same value, wrapped with the current key. Raises `CannotOpen`: also if what is wrapped does not open."""
        key_id, wrapped, value = _parts(sealed)
        own = self._unwrapped(key_id, wrapped, bound_to)
        _decrypted(own, value, bound_to)
        again = _encrypted(self._by_id[self.current], own, _wrapping(self.current, bound_to))
        return _written(self.current, again, value)

    def _unwrapped(self, key_id: str, wrapped: bytes, bound_to: bytes) -> bytes:
        key = self._by_id.get(key_id)
        if key is None:
            raise KeyNotHere(
                f"it is encrypted with key {key_id}, and here is {', '.join(self.ids)}; add that key to {self.place}, "
                "after a comma"
            )
        return _decrypted(key, wrapped, _wrapping(key_id, bound_to))


def read_keys(text: str, place: str = "PERDURE_SECRET_KEY") -> Keys:
    """Keys with commas between them, or in lines: base64 or hex of 32 bytes each. Raises `BadKey`."""
    words = [word for word in re.split(r"[\s,]+", text) if word]
    if not words:
        raise BadKey(f"there is no key in it; {MAKE_ONE}")
    return Keys(*(_read(word, number) for number, word in enumerate(words, 1)), place=place)


def _read(word: str, number: int) -> bytes:
    which = "the key" if number == 1 else f"key {number}"
    try:
        padded = word.replace("+", "-").replace("/", "_").rstrip("=")
        key = bytes.fromhex(word) if _HEX.fullmatch(word) else _decoded(padded)
    except (binascii.Error, ValueError):
        raise BadKey(f"{which} is neither base64 nor hex; {MAKE_ONE}") from None  # which would show it
    if len(key) != KEY_BYTES:
        raise BadKey(f"{which} has {len(key)} bytes, and must have {KEY_BYTES}, as base64 or hex; {MAKE_ONE}")
    if len(set(key)) == 1:
        raise BadKey(f"{which} is one byte over and over, which anybody can guess; {MAKE_ONE}")
    return key


def _id(key: bytes) -> str:
    """It tells keys apart, and nothing about them."""
    return sha256(b"perdure key id\0" + key).hexdigest()[:16]


def _wrapping(key_id: str, bound_to: bytes) -> bytes:
    return b"key\0" + key_id.encode() + b"\0" + bound_to


def _written(key_id: str, wrapped: bytes, value: bytes) -> str:
    return f"{CIPHER_TEXT}{key_id}.{_encoded(wrapped)}.{_encoded(value)}"


def _parts(sealed: str) -> tuple[str, bytes, bytes]:
    found = _TEXT.fullmatch(sealed)
    if found is None:
        raise CannotOpen(
            f"it is no encrypted value, which begins with {CIPHER_TEXT!r}; make one: perdure secrets encrypt"
        )
    return found[1], _decoded(found[2]), _decoded(found[3])


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError("not base64")
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _encrypted(key: bytes, data: bytes, bound_to: bytes) -> bytes:
    nonce = os.urandom(NONCE_BYTES)
    sealed: bytes = _aes()(key).encrypt(nonce, data, bound_to)
    return nonce + sealed


def _decrypted(key: bytes, data: bytes, bound_to: bytes) -> bytes:
    try:
        opened: bytes = _aes()(key).decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], bound_to)
    except _invalid_tag() as error:
        raise CannotOpen(
            "it does not open: it was damaged, or belongs to another organization or name; set it again"
        ) from error
    return opened


def _hkdf(key: bytes, purpose: bytes) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415  as `_aes` has it
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

    return HKDF(SHA256(), KEY_BYTES, salt=None, info=b"perdure\0" + purpose).derive(key)


@cache
def _aes() -> Any:
    """Not before it is needed: most commands have no use for it, and it takes its time to import."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    return AESGCM


@cache
def _invalid_tag() -> type[Exception]:
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415

    return InvalidTag
