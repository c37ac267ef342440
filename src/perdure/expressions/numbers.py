"""Numbers as JavaScript has them, over Python's.

JavaScript has one kind of number, the double. Here a whole number that a double holds exactly is an `int`, so that 5 is
written "5" in JSON and not "5.0"; every other number is a `float`, also minus zero, which no `int` can be.

Text may come from anyone, so nothing here takes more than linear time: `int()` only ever sees a bounded number of digits.
"""

from __future__ import annotations

import re
import string
from math import copysign, inf, isfinite, isinf, isnan, nan
from typing import Final, TypeAlias

Number: TypeAlias = int | float

WHOLE_MAX: Final = 2**53 - 1
"""Up to here each whole number is a double of its own: Number.MAX_SAFE_INTEGER."""

SPACE: Final = "\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What JavaScript trims: not what Python does, which knows no U+FEFF but trims U+001C and U+0085."""

_DECIMAL: Final = re.compile(r"[+-]?(?:Infinity|(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?)")
_PREFIXED: Final = re.compile(r"0(?:[xX](?P<x>[0-9a-fA-F]++)|[oO](?P<o>[0-7]++)|[bB](?P<b>[01]++))")
_RADIX_OF: Final = {"x": 16, "o": 8, "b": 2}

_RADIX_MIN, _RADIX_MAX = 2, 36
_FINITE_DIGITS_MAX: Final = 1024
"""2**1024 is beyond every double, so a number of more digits than this is infinite in any radix."""

_FIXED_DIGITS_MAX: Final = 100
_PLAIN_MAX = 1e21
"""From here on JavaScript writes an exponent, also where a fixed number of digits is asked for."""
_PLAIN_WHOLE_DIGITS_MAX, _PLAIN_ZEROS_MAX = 21, 5


def normal(number: float) -> Number:
    """The one way to write this number down: as `int` where it is whole and safe, else as the double that it is."""
    if isinstance(number, int):
        return int(number) if abs(number) <= WHOLE_MAX else double(number)
    if number.is_integer() and abs(number) <= WHOLE_MAX and (number or copysign(1, number) > 0):
        return int(number)
    return number


_SAME_IN_PYTHON_FROM, _SAME_IN_PYTHON_BELOW = 1e-4, 1e15
"""Where Python writes a number that is not whole as JavaScript does: the common case."""


def to_text(number: float) -> str:
    """As `Number.prototype.toString()`: the fewest digits that no other double has."""
    if type(number) is int and -WHOLE_MAX <= number <= WHOLE_MAX:
        return str(number)
    number = normal(number) or 0  # minus zero has no sign in text
    if isinstance(number, int):
        return str(number)
    if _SAME_IN_PYTHON_FROM <= abs(number) < _SAME_IN_PYTHON_BELOW:
        return repr(number)
    if isnan(number):
        return "NaN"
    sign = "-" if number < 0 else ""
    if isinf(number):
        return sign + "Infinity"
    return sign + _layout(*_shortest(abs(number)))


def from_text(text: str) -> Number:
    """As `Number(text)`: the whole text is a number, or the answer is NaN. Nothing at all is 0."""
    text = text.strip(SPACE)
    if not text:
        return 0
    if prefixed := _PREFIXED.fullmatch(text):
        kind = prefixed.lastgroup or ""
        return normal(_whole(prefixed[kind], _RADIX_OF[kind]))
    return normal(float(text)) if _DECIMAL.fullmatch(text) else nan


def parse_float(text: str) -> Number:
    """As `parseFloat(text)`: the number that the text begins with."""
    begin = _DECIMAL.match(text.lstrip(SPACE))
    return normal(float(begin[0])) if begin else nan


def parse_int(text: str, radix: float = 0) -> Number:
    """As `parseInt(text, radix)`: the whole number that the text begins with. Radix 0 is 10, or 16 after "0x"."""
    text = text.lstrip(SPACE)
    sign = -1.0 if text.startswith("-") else 1.0
    if text.startswith(("+", "-")):
        text = text[1:]
    radix = _int32(radix)
    if radix in {0, 16} and text.startswith(("0x", "0X")):
        radix, text = 16, text[2:]
    radix = radix or 10
    if not _RADIX_MIN <= radix <= _RADIX_MAX:
        return nan
    lower = (string.digits + string.ascii_lowercase)[:radix]
    known = lower + lower.upper()
    number = text[: len(text) - len(text.lstrip(known))]
    return normal(sign * _whole(number, radix)) if number else nan


def to_fixed(number: float, digits: int) -> str:
    """As `number.toFixed(digits)`: rounds what the double really is, halves away from zero. 1.005 is a little less."""
    if not 0 <= digits <= _FIXED_DIGITS_MAX:
        raise ValueError(f"toFixed takes from 0 to {_FIXED_DIGITS_MAX} digits, not {digits}")
    number = double(number)
    if not abs(number) < _PLAIN_MAX:  # NaN too
        return to_text(number)
    above, below = abs(number).as_integer_ratio()
    rounded = (2 * above * 10**digits + below) // (2 * below)
    text = str(rounded).zfill(digits + 1)
    point = len(text) - digits
    sign = "-" if number < 0 else ""
    return f"{sign}{text[:point]}.{text[point:]}" if digits else sign + text


def double(number: float) -> float:
    """The double that it means; a whole number beyond all of them is infinite."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _whole(text: str, radix: int) -> float:
    """The double nearest to what these digits say."""
    text = text.lstrip("0")
    return inf if len(text) > _FINITE_DIGITS_MAX else double(int(text or "0", radix))


def _int32(number: float) -> int:
    """What JavaScript makes of a number where it wants one of 32 bits: it wraps around."""
    number = double(number)
    if not isfinite(number):
        return 0
    return (int(number) + 2**31) % 2**32 - 2**31


def _shortest(number: float) -> tuple[str, int]:
    """The digits of a positive number, without zeros at either end, and where the point is: 0.05 is ("5", -1)."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    every = whole + fraction
    significant = every.lstrip("0")
    return significant.rstrip("0"), len(whole) + int(exponent or 0) - (len(every) - len(significant))


def _layout(significant: str, point: int) -> str:
    count = len(significant)
    if count <= point <= _PLAIN_WHOLE_DIGITS_MAX:
        return significant + "0" * (point - count)
    if 0 < point <= _PLAIN_WHOLE_DIGITS_MAX:
        return f"{significant[:point]}.{significant[point:]}"
    if -_PLAIN_ZEROS_MAX <= point <= 0:
        return f"0.{'0' * -point}{significant}"
    fraction = f".{significant[1:]}" if count > 1 else ""
    return f"{significant[0]}{fraction}e{point - 1:+d}"
