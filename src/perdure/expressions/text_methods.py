"""The methods of texts. Each works on code units, so that lengths and places are JavaScript's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import effort, numbers, places, texts
from perdure.expressions.protocol import UNDEFINED


def _slice(text: str, start: Any = UNDEFINED, end: Any = UNDEFINED) -> str:
    size = texts.length(text)
    return texts.cut(text, places.place(start, 0, size), places.place(end, size, size))


def _substring(text: str, start: Any = UNDEFINED, end: Any = UNDEFINED) -> str:
    size = texts.length(text)
    first, last = _clamped(start, size), _clamped(size if end is UNDEFINED else end, size)
    return texts.cut(text, min(first, last), max(first, last))


def _clamped(value: Any, size: int) -> int:
    return int(min(max(places.whole(value), 0), size))


def _index_of(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    return texts.find(text, v.to_text(part), _clamped(start, texts.length(text)))


def _last_index_of(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    size = texts.length(text)
    return texts.find_last(text, v.to_text(part), size if math.isnan(v.to_number(start)) else _clamped(start, size))


def _includes(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    return _index_of(text, part, start) >= 0


def _starts_with(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    wanted = v.to_text(part)
    begins = _clamped(start, texts.length(text))
    return texts.cut(text, begins, begins + texts.length(wanted)) == wanted


def _ends_with(text: str, part: Any = UNDEFINED, end: Any = UNDEFINED) -> bool:
    wanted, size = v.to_text(part), texts.length(text)
    ends = size if end is UNDEFINED else _clamped(end, size)
    return texts.cut(text, max(ends - texts.length(wanted), 0), ends) == wanted


def _split(text: str, by: Any = UNDEFINED, most: Any = UNDEFINED) -> list[Any]:
    if by is UNDEFINED:
        found = [text]
    elif (separator := v.to_text(by)) == "":
        effort.fitting(len(text))
        found = list(texts.units(text))
    else:
        text, separator = _alike(text, separator)
        effort.fitting(text.count(separator))
        found = list(map(texts.combined, text.split(separator)))
    if most is UNDEFINED:
        return found
    return found[: int(places.whole(most)) % 2**32 if math.isfinite(places.whole(most)) else 0]


def _alike(text: str, part: str) -> tuple[str, str]:
    """Both so that the part is found where JavaScript finds it: a half of a character is in every character that has it."""
    if part and texts.mended(part) == part:
        return text, part
    return texts.units(text), texts.units(part)


def _replace(text: str, part: Any = UNDEFINED, by: Any = UNDEFINED) -> str:
    """The first occurrence; `$` in the replacement is just a dollar."""
    old, new = v.to_text(part), v.to_text(by)
    if not old:
        return texts.joined("", (new, text))
    text, old = _alike(text, old)
    return texts.combined(effort.sized(text.replace(old, new, 1)))


def _replace_all(text: str, part: Any = UNDEFINED, by: Any = UNDEFINED) -> str:
    new = v.to_text(by)
    text, old = _alike(text, v.to_text(part))
    if len(text) + text.count(old) * max(len(new) - len(old), 0) > effort.TEXT_MAX:
        raise EvaluationError("replaceAll would make a text that is longer than an expression may make")
    return texts.combined(text.replace(old, new))


def _pad(text: str, size: Any, filler: Any, *, front: bool) -> str:
    wanted, own = places.whole(size), texts.length(text)
    fill = " " if filler is UNDEFINED else v.to_text(filler)
    if wanted <= own or not fill:
        return text
    if wanted > effort.TEXT_MAX:
        raise EvaluationError("padding would make a text that is longer than an expression may make")
    missing = int(wanted) - own
    padding = texts.cut(fill * (missing // texts.length(fill) + 1), 0, missing)
    return texts.combined(padding + text if front else text + padding)


def _pad_start(text: str, size: Any = UNDEFINED, filler: Any = UNDEFINED) -> str:
    return _pad(text, size, filler, front=True)


def _pad_end(text: str, size: Any = UNDEFINED, filler: Any = UNDEFINED) -> str:
    return _pad(text, size, filler, front=False)


def _repeat(text: str, count: Any = UNDEFINED) -> str:
    times = places.whole(count)
    if times < 0 or math.isinf(times):
        raise EvaluationError(f"repeat needs a number of times, not {v.to_text(count)}")
    if len(text) * times > effort.TEXT_MAX:
        raise EvaluationError("repeat would make a text that is longer than an expression may make")
    return text * int(times) if text else ""


def _char_at(text: str, at: Any = UNDEFINED) -> str:
    number = places.whole(at)
    return texts.cut(text, int(number), int(number) + 1) if 0 <= number < texts.length(text) else ""


def _char_code_at(text: str, at: Any = UNDEFINED) -> Any:
    found = _char_at(text, at)
    return ord(found) if found else math.nan


def _concat_text(text: str, *others: Any) -> str:
    return texts.joined("", (text, *map(v.to_text, others)))


def _locale_compare(text: str, other: Any = UNDEFINED) -> int:
    one, second = texts.order(text), texts.order(v.to_text(other))
    return (one > second) - (one < second)


TEXTS: dict[str, Callable[..., Any]] = {
    "at": places.at,
    "charAt": _char_at,
    "charCodeAt": _char_code_at,
    "concat": _concat_text,
    "endsWith": _ends_with,
    "includes": _includes,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "localeCompare": _locale_compare,
    "padEnd": _pad_end,
    "padStart": _pad_start,
    "repeat": _repeat,
    "replace": _replace,
    "replaceAll": _replace_all,
    "slice": _slice,
    "split": _split,
    "startsWith": _starts_with,
    "substring": _substring,
    "toLowerCase": lambda text: text.lower(),
    "toString": lambda value: v.to_text(value),
    "toUpperCase": lambda text: text.upper(),
    "trim": lambda text: text.strip(numbers.SPACE),
    "trimEnd": lambda text: text.rstrip(numbers.SPACE),
    "trimStart": lambda text: text.lstrip(numbers.SPACE),
}
