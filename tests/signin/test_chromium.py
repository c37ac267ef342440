"""A real browser keeps the cookie over plain HTTP on its own machine, and sends it for pages of others too."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from api.house import house, run
from links.browser import CHROMIUM, Browser, browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium; make test installs it")

OWN_PAGE = """(async () => {
  const json = {"content-type": "application/json"}, event = JSON.stringify({type: "own.page"});
  const signed = await fetch("/api/session", {method: "POST", headers: json, body: JSON.stringify({key: "KEY"})});
  const token = (await signed.json()).csrfToken;
  const who = await (await fetch("/api/session")).json();
  const bare = await fetch("/api/events", {method: "POST", headers: json, body: event});
  const sound = await fetch("/api/events", {method: "POST", headers: {...json, "x-csrf-token": token}, body: event});
  const stream = await new Promise((tell) => {
    const source = new EventSource("/api/stream");
    source.addEventListener("live", () => { source.close(); tell("live"); });
    source.onerror = () => { source.close(); tell("refused"); };
  });
  return [signed.status, who.member, document.cookie, bare.status, sound.status, stream];
})()"""
FOREIGN_PAGE = """(async () => {
  const given = {method: "POST", mode: "no-cors", credentials: "include", body: JSON.stringify({type: "foreign.page"})};
  try { await fetch("SERVER/api/events", given); } catch {}  // it is sent, and what comes back is kept from the page
  let read = "nothing";
  try { read = await (await fetch("SERVER/api/session", {credentials: "include"})).text(); } catch {}
  return read;
})()"""


def ran(page: Browser, script: str) -> Any:
    found = page.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in found, found
    return found["result"].get("value")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_the_server_signs_in_and_one_from_elsewhere_can_do_nothing_with_that(
    name: str, tmp_path: Path
) -> None:
    """The other page is of the same site, for which browsers send the cookie: it has another port, and no more."""

    def use(here: str, elsewhere: str, key: str) -> list[Any]:
        with browser(tmp_path / "profile") as page:
            page.open(f"{here}/healthz")
            own = ran(page, OWN_PAGE.replace("KEY", key))
            page.open(f"{elsewhere}/healthz")
            foreign = ran(page, FOREIGN_PAGE.replace("SERVER", here))
            page.open(f"{here}/healthz")
            return [own, foreign, ran(page, "fetch('/api/session').then((found) => found.status)")]

    async def scenario() -> None:
        async with house() as there, house() as other:
            key = await there.key("ada", "operator")
            urls = [each.url.replace("127.0.0.1", name) for each in (there, other)]
            own, foreign, after = await asyncio.to_thread(use, urls[0], urls[1], key)
            assert own == [200, "ada", "", 403, 202, "live"]
            assert (foreign, after) == ("nothing", 200)
            assert [each.event.type for each in (await there.engine.events.list()).items] == ["own.page"]

    run(scenario())
