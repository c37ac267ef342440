"""With a cookie alone nothing is changed: every route that changes something, asked as pages from elsewhere can ask it."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from starlette.requests import Request

from api.house import House, house, run, said
from api.test_matrix import SOUND, asked, furnish, routes, state
from perdure.api.browsers import Pages
from perdure.api.problems import Wrong
from signin.browser import COOKIE, Browser, browser

CHANGING = [(method, path) for method, path in routes() if method != "GET"]
OWN = "{own}"
FOREIGN: dict[str, dict[str, str | None]] = {
    "no token": {"X-CSRF-Token": None},
    "an empty token": {"X-CSRF-Token": ""},
    "a wrong token": {"X-CSRF-Token": "0" * 64},
    "the token of another session": {"X-CSRF-Token": "{other}"},
    "no token, and the page of nobody": {"X-CSRF-Token": None, "Origin": None, "Sec-Fetch-Site": None},
    "a page from elsewhere": {"Origin": "https://evil.example"},
    "a page of another port": {"Origin": "http://127.0.0.1:1"},
    "a page whose name ends alike": {"Origin": f"{OWN}.evil.example"},
    "a page without a place": {"Origin": "null"},
    "no place at all": {"Origin": ""},
    "cross-site": {"Origin": None, "Sec-Fetch-Site": "cross-site"},
    "same-site": {"Origin": None, "Sec-Fetch-Site": "same-site"},
    "by nobody's page": {"Origin": None, "Sec-Fetch-Site": "none"},
    "cross-site, with a good origin": {"Sec-Fetch-Site": "cross-site"},
}


@pytest.mark.parametrize("how", FOREIGN)
def test_no_page_from_elsewhere_changes_anything(how: str) -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page, browser(there) as other:
            things = await furnish(there, "default")
            await page.sign_in(await there.key("ada", "admin"))
            await other.sign_in(await there.key("bob", "admin"))
            before = await state(there, "default")
            headers = _headers(there, page, other, FOREIGN[how])
            assert len(CHANGING) == len(SOUND) > 30
            for method, path in [*CHANGING, ("DELETE", "/api/session")]:
                response = await asked(page.client, method, path, things.path(path), **headers)
                assert (response.status_code, said(response)["code"]) == (403, "bad_csrf"), (method, path)
                assert "set-cookie" not in response.headers
            assert await state(there, "default") == before
            assert (await page.ask("GET", "/api/session")).status_code == 200

    run(scenario())


def _headers(there: House, page: Browser, other: Browser, changed: dict[str, str | None]) -> dict[str, str]:
    """What a page of the server would send, but for what is changed."""
    sound: dict[str, str | None] = {
        "Cookie": f"{COOKIE}={page.jar[COOKIE]}",
        "Origin": there.url,
        "Sec-Fetch-Site": "same-origin",
        "X-CSRF-Token": page.csrf,
    }
    merged = {**sound, **changed}
    return {
        name: text.replace("{other}", other.csrf).replace(OWN, there.url)
        for name, text in merged.items()
        if text is not None
    }


def test_with_all_that_a_page_of_the_server_sends_each_of_them_is_let_through() -> None:
    """So that the test above shows what it shows: nothing else keeps these requests from their handlers."""

    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            things = await furnish(there, "default")
            await page.sign_in(await there.key("ada", "admin"))
            for headers in (_headers(there, page, page, {}), _headers(there, page, page, {"Origin": None})):
                for method, path in CHANGING:
                    response = await asked(page.client, method, path, things.path(path), **headers)
                    assert response.status_code not in (401, 403), (method, path, response.text)

    run(scenario())


def test_nobody_is_signed_in_by_a_page_from_elsewhere() -> None:
    """Who is signed in as somebody else without knowing it gives away what they write."""

    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            body = {"key": await there.key("mallory", "admin")}
            for headers in (
                {"Origin": "https://evil.example"},
                {"Origin": "null"},
                {"Sec-Fetch-Site": "cross-site"},
                {"Sec-Fetch-Site": "same-site"},
            ):
                refused = await page.ask("POST", "/api/session", page=False, headers=headers, json=body)
                assert (refused.status_code, said(refused)["code"]) == (403, "bad_csrf")
            form = await page.ask("POST", "/api/session", page=False, data=body)
            text = await page.ask(
                "POST", "/api/session", page=False, content=b"{}", headers={"Content-Type": "text/plain"}
            )
            assert [form.status_code, text.status_code] == [415, 415]
            assert (await there.engine.sessions.list()).items == ()
            assert page.jar == {}

    run(scenario())


PLACES = [
    ("", "flows.example.com", "https://flows.example.com", True),
    ("", "flows.example.com", "http://flows.example.com", True),
    ("", "FLOWS.example.com:443", "https://flows.example.com", True),
    ("", "flows.example.com:443", "http://flows.example.com", False),
    ("", "127.0.0.1:8400", "http://127.0.0.1:8400", True),
    ("", "127.0.0.1:8400", "http://localhost:8400", False),
    ("", "[::1]:8400", "http://[::1]:8400", True),
    ("", "", "http://", False),
    ("https://flows.example.com", "10.0.0.7:8400", "https://flows.example.com", True),
    ("https://flows.example.com:443/", "10.0.0.7:8400", "https://flows.example.com", True),
    ("https://flows.example.com", "flows.example.com", "https://flows.example.com", True),
    ("https://flows.example.com", "flows.example.com", "http://flows.example.com", False),
    ("https://flows.example.com", "127.0.0.1:8400", "http://127.0.0.1:8400", True),
    ("https://flows.example.com", "flows.example.com", "https://flows.example.com.evil.example", False),
    ("https://flows.example.com", "flows.example.com", "https://flows.example.com:8443", False),
    ("https://flows.example.com", "flows.example.com", "https://evil.example", False),
    ("https://flows.example.com", "flows.example.com", "file://flows.example.com", False),
    ("https://flows.example.com", "flows.example.com", "null", False),
    ("https://flows.example.com", "flows.example.com", "https://flows.example.com:x", False),
]


@pytest.mark.parametrize(("public", "host", "origin", "good"), PLACES)
def test_which_origin_is_its_own(public: str, host: str, origin: str, *, good: bool) -> None:
    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    with contextlib.nullcontext() if good else pytest.raises(Wrong, match="from elsewhere"):
        Pages(public).require_own(Request(scope))
