"""Which server is asked, and with which key: what is given, else what the environment says, as it does to commands.

A key of the environment is for the server of the environment, and is sent to no other.
"""

from __future__ import annotations

import re
from typing import Final

import httpx2

from perdure.client.errors import NoServer
from perdure.settings.environment import environment
from perdure.settings.table import KEY, SERVER

_PLACE: Final = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]+)?")
"""A name or a number, and a port: somebody has left out how it is spoken to."""


def meant(url: str | None, key: str | None) -> tuple[str, str | None]:
    """The address, checked, and the key. Raises `NoServer`; `BadSetting` if the environment has a key that cannot be read."""
    settings = environment()
    own = SERVER.read(settings)
    given = own if url is None else url
    if given is None:
        raise NoServer(f"which server? give its address, as http://127.0.0.1:8400, or set {SERVER.name}")
    asked = _checked(given)
    if key is None and own is not None and _is_same(asked, own):
        key = KEY.read(settings)
    return asked, key


def _is_same(asked: str, own: str) -> bool:
    try:
        return asked == _checked(own)
    except NoServer:  # whoever means that one is told so
        return False


def _checked(url: str) -> str:
    try:
        found = httpx2.URL(url)
        is_sound = found.scheme in ("http", "https") and bool(found.host)
    except (httpx2.InvalidURL, TypeError, ValueError):
        is_sound = False
    if not is_sound:
        meant_ = f"http://{url}" if _PLACE.fullmatch(str(url)) else "http://127.0.0.1:8400"
        raise NoServer(f"{url!r} is not the address of a server; write it as {meant_}")
    if found.userinfo:
        raise NoServer("the address of a server has no name and no password in it; give a key")
    if found.query or found.fragment:
        raise NoServer(f"{url!r}: the address of a server ends with its path; leave out what comes after it")
    return str(found).rstrip("/")
