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
    units = texts.code_units(text)
    return texts.from_code_units(units[places.place(start, 0, len(units)) : places.place(end, len(units), len(units))])


def _substring(text: str, start: Any = UNDEFINED, end: Any = UNDEFINED) -> str:
    units = texts.code_units(text)
    size = len(units)
    first, last = (int(min(max(places.whole(part), 0), size)) for part in (start, size if end is UNDEFINED else end))
    return texts.from_code_units(units[min(first, last) : max(first, last)])


def _index_of(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    units = texts.code_units(text)
    return units.find(texts.code_units(v.to_text(part)), int(min(max(places.whole(start), 0), len(units))))


def _last_index_of(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    units, wanted = texts.code_units(text), texts.code_units(v.to_text(part))
    number = v.to_number(start)
    last = len(units) if math.isnan(number) else int(min(max(places.whole(start), 0), len(units)))
    return units.rfind(wanted, 0, last + len(wanted))


def _includes(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    return _index_of(text, part, start) >= 0


def _starts_with(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    units = texts.code_units(text)
    return units.startswith(texts.code_units(v.to_text(part)), int(min(max(places.whole(start), 0), len(units))))


def _ends_with(text: str, part: Any = UNDEFINED, end: Any = UNDEFINED) -> bool:
    units = texts.code_units(text)
    stop = len(units) if end is UNDEFINED else int(min(max(places.whole(end), 0), len(units)))
    return units[:stop].endswith(texts.code_units(v.to_text(part)))


def _split(text: str, by: Any = UNDEFINED, most: Any = UNDEFINED) -> list[Any]:
    if by is UNDEFINED:
        found = [text]
    elif (separator := v.to_text(by)) == "":
        effort.fitting(len(text))
        found = list(texts.code_units(text))
    else:
        units, separator = texts.code_units(text), texts.code_units(separator)
        effort.fitting(units.count(separator))
        found = [texts.from_code_units(part) for part in units.split(separator)]
    if most is UNDEFINED:
        return found
    return found[: int(places.whole(most)) % 2**32 if math.isfinite(places.whole(most)) else 0]


def _replace(text: str, part: Any = UNDEFINED, by: Any = UNDEFINED) -> str:
    """The first occurrence; `$` in the replacement is just a dollar."""
    units, old = texts.code_units(text), texts.code_units(v.to_text(part))
    return texts.from_code_units(effort.sized(units.replace(old, v.to_text(by), 1)))


def _replace_all(text: str, part: Any = UNDEFINED, by: Any = UNDEFINED) -> str:
    units, old, new = texts.code_units(text), texts.code_units(v.to_text(part)), v.to_text(by)
    if len(units) + units.count(old) * max(len(new) - len(old), 0) > effort.TEXT_MAX:
        raise EvaluationError("replaceAll would make a text that is longer than an expression may make")
    return texts.from_code_units(units.replace(old, new))


def _pad(text: str, size: Any, filler: Any, *, front: bool) -> str:
    wanted = places.whole(size)
    units, fill = texts.code_units(text), texts.code_units(" " if filler is UNDEFINED else v.to_text(filler))
    if wanted <= len(units) or not fill:
        return text
    if wanted > effort.TEXT_MAX:
        raise EvaluationError("padding would make a text that is longer than an expression may make")
    missing = int(wanted) - len(units)
    padding = (fill * (missing // len(fill) + 1))[:missing]
    return texts.from_code_units(padding + units if front else units + padding)


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
    units, number = texts.code_units(text), places.whole(at)
    return units[int(number)] if 0 <= number < len(units) else ""


def _char_code_at(text: str, at: Any = UNDEFINED) -> Any:
    found = _char_at(text, at)
    return ord(found) if found else math.nan


def _concat_text(text: str, *others: Any) -> str:
    return texts.joined("", (text, *map(v.to_text, others)))


def _locale_compare(text: str, other: Any = UNDEFINED) -> int:
    second = v.to_text(other)
    return (texts.code_units(text) > texts.code_units(second)) - (texts.code_units(text) < texts.code_units(second))


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
