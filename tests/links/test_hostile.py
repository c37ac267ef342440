"""Whatever others have written stays text: no element and no attribute comes of it, wherever the page shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from api.house import House, house, run
from links.words import asked, link, parsed, read, sent
from perdure.api.html import element

HOSTILE = [
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</pre></dd></dl><img src=x onerror=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "<!-- ",
    "--><iframe src=javascript:alert(1)></iframe>",
    "]]><b>",
    "<![CDATA[<b>",
    "<?php ?>",
    "<form action=https://evil.example.com><button>",
    "<base href=https://evil.example.com>",
    "<meta http-equiv=refresh content=0;url=https://evil.example.com>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;",
    "{{constructor.constructor('alert(1)')()}}",
    "javascript:alert(1)",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "<scr\x00ipt>alert(1)</scr\x00ipt>",
    "\u202etpircs<\u2066",
    "<\u200bscript>",
    "\r\n\r\n<script>alert(1)</script>",
    "<a href='https://evil.example.com'>click</a>",
    "<plaintext>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
]
PLAIN = "plain"


async def pages(there: House, text: str) -> Iterator[tuple[str, httpx2.Response]]:
    """Every page, with the text in every field that it shows."""
    engine, found = there.engine, []
    data: Any = {text: text, "nested": {text: [text, {"x": text}]}, "list": [text]}
    metadata = {"title": text, "message": text}
    more: dict[str, Any] = {
        "metadata": {"title": "{{m.title}}", "message": "{{m.message}}"},
        "submittedData": "{{d}}",
        "resourceType": "{{t}}",
        "resourceId": "{{t}}",
        "allowDataModification": True,
    }
    given = {"m": metadata, "d": data, "t": text}
    # Names of members have only characters that can be seen.
    id_ = "".join(each for each in text if each.isprintable()).strip() or "x"
    await engine.members.add(id_, groups=["finance"], name=id_)
    await engine.members.add("two", groups=["finance"], name="Two")
    async with there.ask() as client:
        open_ = await asked(engine, dict(given), **more)
        path = await link(there, open_, id_)
        found.append(("open", await client.get(path)))
        found.append(("again", await sent(client, path, comments=text, data=f"{text} no json")))
        found.append(("settled", await sent(client, path, "reject", comments=text)))
        found.append(("settled, to another", await client.get(await _before(there, given, more, id_, text, client))))
        voting = await asked(engine, dict(given), votesRequired=2, **more)
        path = await link(there, voting, id_)
        keepable = text.replace("\0", "")
        changed = json.dumps({keepable: keepable})
        found.append(("voted", await sent(client, path, comments=text, data=changed)))
        found.append(("votes", await client.get(await link(there, voting, "two"))))
        claimed = await asked(engine, dict(given), **more)
        path = await link(there, claimed, "two")
        await engine.approvals.claim(claimed, actor=id_)
        found.append(("claimed", await client.get(path)))
        left = await asked(engine, dict(given), **more)
        path = await link(there, left, id_)
        await engine.members.change(id_, groups=[])
        found.append(("not asked", await client.get(path)))
        await engine.members.remove(id_)
        found.append(("gone", await client.get(path)))
        line = "".join(f"%{byte:02x}" for byte in keepable.strip().encode())
        found.append(("unknown", await client.get(f"/a/{line}")))
    return iter(found)


async def _before(
    there: House, given: dict[str, Any], more: dict[str, Any], id_: str, text: str, client: httpx2.AsyncClient
) -> str:
    """A link to what somebody else has decided."""
    approval = await asked(there.engine, dict(given), **more)
    path = await link(there, approval, "two")
    await sent(client, await link(there, approval, id_), comments=text)
    return path


@pytest.fixture(scope="module")
def sound() -> dict[str, Any]:
    """The pages with a harmless text: what they are made of."""
    found: dict[str, Any] = {}

    async def scenario() -> None:
        async with house() as there:
            found.update({name: _made_of(response) for name, response in await pages(there, PLAIN)})

    run(scenario())
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_text(text: str, sound: dict[str, Any]) -> None:
    async def scenario() -> None:
        async with house() as there:
            for name, response in await pages(there, text):
                assert _made_of(response) == sound[name], name
                if name in ("open", "again", "votes"):
                    assert text.strip().replace("\x00", "\ufffd").splitlines()[-1] in read(response).text.replace(
                        "\x00", "\ufffd"
                    ), name

    run(scenario())


@pytest.mark.parametrize("text", HOSTILE)
def test_text_in_an_attribute_is_its_value(text: str) -> None:
    """No page has one by now; the elements that pages are made of keep it so even if one does."""
    page = parsed(element("p", text, title=text).text)
    assert page.elements == [("p", (("title", text),))]


def test_names_of_workflows_and_steps_are_text() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await there.engine.members.add("ann", groups=["finance"])
            made = []
            for name in (PLAIN, "<img src=x onerror=alert(1)>", '"><script>alert(1)</script>'):
                approval = await asked(there.engine, {"sum": 1}, name=name, step=name)
                page = await client.get(await link(there, approval))
                assert f"{name} asks for a decision" in read(page).text
                assert read(page).text.count(name) >= 3
                made.append(_made_of(page))
            assert made[0] == made[1] == made[2]

    run(scenario())


def _made_of(response: httpx2.Response) -> list[tuple[str, tuple[str, ...]]]:
    """The elements, and the names of their attributes; values of attributes are ours, but for times."""
    found = read(response).elements
    for _, attributes in found:
        for name, value in attributes:
            assert name in ALLOWED, name
            assert value is None or name == "datetime" or value in VALUES, (name, value)
    return [(name, tuple(each for each, _ in attributes)) for name, attributes in found]


ALLOWED = {
    *("charset", "name", "content", "class", "datetime", "method", "autocomplete", "for", "id", "maxlength", "value"),
    *("spellcheck", "open", "role", "lang"),
}
VALUES = {
    *("utf-8", "viewport", "width=device-width, initial-scale=1", "color-scheme", "light dark", "robots"),
    *("noindex, nofollow", "soft small", "soft", "said", "mark", "yes", "no", "wait", "wrong", "choices", "code"),
    *("post", "off", "comments", "data", "decision", "approve", "reject", "10000", "false", "alert", "en"),
}
