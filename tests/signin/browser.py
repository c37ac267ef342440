"""A browser, as far as a server can tell: it keeps cookies, and says with each request from which page it comes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx2
from msgspec import Struct, field

from api.house import House, said

COOKIE = "__Host-perdure"


class Browser(Struct):
    """`jar`: its cookies, by name. It follows no redirect by itself: the tests look at each."""

    client: httpx2.AsyncClient
    url: str
    jar: dict[str, str] = field(default_factory=dict)
    csrf: str = ""

    async def ask(self, method: str, path: str, *, page: bool = True, **more: Any) -> httpx2.Response:
        """`page`: as a page of the server does, which knows its token; else nothing is said but the cookies."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.jar.items())} if self.jar else {}
        if page:
            headers |= {"Origin": self.url, "Sec-Fetch-Site": "same-origin"}
            headers |= {"X-CSRF-Token": self.csrf} if self.csrf else {}
        headers |= more.pop("headers", {})
        response = await self.client.request(method, path, headers=headers, **more)
        for line in response.headers.get_list("set-cookie"):
            self._keep(line)
        return response

    async def sign_in(self, key: str) -> httpx2.Response:
        response = await self.ask("POST", "/api/session", json={"key": key})
        if response.status_code == 200:
            self.csrf = said(response)["csrfToken"]
        return response

    def _keep(self, line: str) -> None:
        pair, *attributes = line.split("; ")
        name, _, value = pair.partition("=")
        if "Max-Age=0" in attributes:
            self.jar.pop(name, None)
        else:
            self.jar[name] = value


@contextlib.asynccontextmanager
async def browser(there: House) -> AsyncIterator[Browser]:
    async with there.ask() as client:
        yield Browser(client, there.url)
