"""HTML, made of elements. What is a text is a text: it becomes an element or an attribute nowhere, whoever has written it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, TypeAlias

from msgspec import Struct

VOID: Final = frozenset({"meta", "input", "br"})
"""Elements that have no end."""


class Html(Struct, frozen=True):
    """What is HTML already. Only this module makes it."""

    text: str


Inside: TypeAlias = Html | str | None
"""None: nothing stands there."""


def element(name: str, /, *inside: Inside, **attributes: str | bool | None) -> Html:
    """Its name and those of attributes are ours, never what somebody else has written; `class_` is `class`. An attribute that
    is True has no value; one that is False or None is not there.
    """
    said = "".join(_attribute(key, value) for key, value in attributes.items() if value not in (None, False))
    start = f"<{name}{said}>"
    return Html(start if name in VOID else f"{start}{together(*inside).text}</{name}>")


def together(*inside: Inside) -> Html:
    """One after the other."""
    return Html("".join(each.text if isinstance(each, Html) else escape(each) for each in inside if each is not None))


def each_in(name: str, all_: Iterable[Inside], /, **attributes: str | bool | None) -> Html | None:
    """All of them in one element, if there are any."""
    found = [one for one in all_ if one is not None]
    return element(name, *found, **attributes) if found else None


def style(css: str) -> Html:
    """Of our own: what stands in it is not escaped, for HTML does not read it."""
    assert "<" not in css
    return Html(f"<style>{css}</style>")


def document(title: str, head: Html, body: Html) -> bytes:
    whole = element("html", element("head", head, element("title", title)), element("body", body), lang="en")
    return f"<!doctype html>{whole.text}".encode("utf-8", "replace")


def _attribute(key: str, value: str | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
