"""Redaction: what a call with secrets brings back is searched for them, by value, before anybody else sees it.

The second line of defence: a secret is a reference everywhere but in the call itself (`sealed.py`). Whoever is called may still
say it back, in an answer, an error or a log. So a secret of 8 characters or more is found within any text, also as base64, URL,
JSON, HTML or hex have it, from 12 characters on in any case, and as a number. A shorter one would be found where it is not meant:
it is hidden where it stands alone, where the whole text stands that it was filled into, and in errors and logs as a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar
from typing import Final

import msgspec

from perdure.expressions.sealing import MASK
from perdure.model.failure import Failure
from perdure.model.values import Json
from perdure.tasks.disguises import LENGTH_MIN, WORD_LENGTH_MIN, Disguises
from perdure.tasks.host_names import HostNames


class Redactor:
    """Of one call. `filled` are the texts that secrets were filled into, each with what it was before; `hosts` the hosts of
    those that are URLs, if a secret stands in the host.
    """

    __slots__ = ("_exact", "_hides", "_hosts", "_needles", "_needles_in_any_case", "_numbers", "_short", "_within")

    def __init__(
        self, secrets: Iterable[Disguises], filled: Iterable[tuple[str, str]] = (), hosts: Iterable[str] = ()
    ) -> None:
        longest_first = sorted({each.value: each for each in secrets}.values(), key=lambda each: -len(each.value))
        self._hides = longest_first
        self._hosts = HostNames(hosts)
        self._within = [each for each in longest_first if each.is_long]
        self._short = [each for each in longest_first if not each.is_long]
        self._exact = {each.value: MASK for each in self._short} | {
            text: mask for text, mask in filled if any(each.value in text for each in self._short)
        }
        self._numbers = {number for each in self._within for number in each.numbers}
        self._needles = [needle for each in self._within for needle in each.needles]
        self._needles_in_any_case = [needle for each in self._within for needle in each.needles_in_any_case]

    def __repr__(self) -> str:
        return f"Redactor({len(self._within) + len(self._short)} secrets)"

    def beside(self, other: Redactor | None) -> Redactor:
        """One that hides what either does."""
        if other is None:
            return self
        hosts = self._hosts.hosts | other._hosts.hosts  # noqa: SLF001  of the same class
        both = Redactor((*self._hides, *other._hides), hosts=hosts)  # noqa: SLF001  of the same class
        both._exact |= self._exact | other._exact  # noqa: SLF001  of the same class
        return both

    def text(self, text: str) -> str:
        """Of an error or a log: short secrets are hidden as words, too, and so are hosts that secrets were filled into."""
        text = self._hidden(self._hosts.without(text, MASK))
        for each in self._short:
            if len(each.value) >= WORD_LENGTH_MIN:
                text = each.without_words(text, MASK)
        return text

    def value(self, value: Json) -> Json:
        """The same, if there is nothing to hide in it."""
        return value if self._is_free(value) else self._walked(value)

    def host(self, host: str) -> str:
        """The name of a host as messages may have it: hidden as a whole if a secret, however short, is in it."""
        return MASK if self._hosts.has(host) or any(each.is_in_host(host) for each in self._hides) else host

    def failure(self, failure: Failure) -> Failure:
        """Its message and its stack went through `text` before they were cut: half a secret cannot be found."""
        details = self.value(failure.details)
        return msgspec.structs.replace(failure, details=self._without_hosts(details) if self._hosts.hosts else details)

    def _without_hosts(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._hosts.without(value, MASK)
        if isinstance(value, dict):
            return {self._hosts.without(key, MASK): self._without_hosts(part) for key, part in value.items()}
        return [self._without_hosts(item) for item in value] if isinstance(value, list) else value

    def _is_free(self, value: Json) -> bool:
        """Whether it certainly holds nothing. Most answers do not, and need not be gone through piece by piece."""
        if self._exact or not all(self._needles) or not all(self._needles_in_any_case):
            return value is None or isinstance(value, bool)
        encoded = msgspec.json.encode(value)
        if any(needle in encoded for needle in self._needles):
            return False
        lowered = encoded.lower()
        return not any(needle in lowered for needle in self._needles_in_any_case)

    def _walked(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._hidden(value)
        if isinstance(value, dict):
            return {self._hidden(key): self._walked(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self._walked(item) for item in value]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if is_number and value in self._numbers else value

    def _hidden(self, text: str) -> str:
        if not self._exact:
            return self._hidden_within(text)
        exact = self._exact.get(text)
        if exact is not None:
            return exact
        for filled, mask in self._exact.items():
            if len(filled) >= LENGTH_MIN:
                text = text.replace(filled, mask)
        return self._hidden_within(text)

    def _hidden_within(self, text: str) -> str:
        lowered = text.lower()
        for each in self._within:
            text = each.without(text, lowered, MASK)
        return text


_CURRENT: Final[ContextVar[Redactor | None]] = ContextVar("perdure.redactor", default=None)
"""Of the call that this code belongs to, also in its threads."""


def current() -> Redactor | None:
    return _CURRENT.get()


def hidden(text: str) -> str:
    """The text without the secrets of the call that this code belongs to. For whoever cuts a text: half a secret is not found."""
    redactor = _CURRENT.get()
    return text if redactor is None else redactor.text(text)


def hidden_host(host: str) -> str:
    """The name of a host without the secrets of the call that this code belongs to."""
    redactor = _CURRENT.get()
    return host if redactor is None else redactor.host(host)


@contextmanager
def hiding(redactor: Redactor) -> Iterator[None]:
    """While a call lasts."""
    before = _CURRENT.set(redactor)
    try:
        yield
    finally:
        _CURRENT.reset(before)


def apart(redactor: Redactor | None) -> Context:
    """A context for what outlives the call that began it: with these secrets to hide, and nothing of the call."""
    context = Context()
    context.run(_CURRENT.set, redactor)
    return context
