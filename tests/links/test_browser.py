"""A real browser opens a link and presses the button: without a script, under the policy of the page, on one's own machine too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from api.house import house, run
from links.browser import CHROMIUM, browser
from links.words import asked, item, link

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium; make test installs it")
TITLE = "<img src=x onerror=document.title=1> and </textarea>"


@pytest.mark.parametrize("needs_key", [True, False])
def test_a_browser_decides_by_the_form(needs_key: bool, tmp_path: Path) -> None:
    def press(url: str) -> list[str]:
        with browser(tmp_path / "profile") as page:
            page.open(url)
            seen = [page.run("document.querySelector('h1').innerText")]
            assert page.run("getComputedStyle(document.querySelector('button.yes')).borderRadius") == "8px"
            assert page.run("document.documentElement.scrollWidth <= innerWidth")
            page.run("document.querySelector('#comments').value = 'fine'")
            page.run("document.querySelector('#data').value = '{\"sum\": 40}'")
            page.run("document.querySelector('button.yes').click()")
            page.until_loaded()
            return [*seen, page.run("document.querySelector('main').innerText")]

    async def scenario() -> None:
        async with house(needs_key=needs_key) as there:
            approval = await asked(
                there.engine,
                {"sum": 90},
                submittedData={"sum": 90},
                metadata={"title": TITLE},
                allowDataModification=True,
            )
            seen = await asyncio.to_thread(press, there.url + await link(there, approval))
            assert seen[0] == TITLE
            assert "Approved by you, ann" in seen[1]
            found = await item(there, approval)
            assert (found.decided_by, found.comments, found.modified_data) == ("ann", "fine", {"sum": 40})

    run(scenario())
