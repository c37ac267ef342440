"""Numbers as JavaScript has them: tables by hand, and a JavaScript engine asked about the rest."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from math import copysign, frexp, inf, isnan, nan
from random import Random
from time import process_time
from typing import Any

import pytest
import quickjs  # type: ignore[import-untyped]

from perdure.expressions.numbers import WHOLE_MAX, from_text, normal, parse_float, parse_int, to_fixed, to_text
from perdure.expressions.ready import ready

SAMPLES = 4_000
RADICES_THAT_ENGINES_MUST_READ_EXACTLY = (2, 4, 8, 10, 16, 32)

JAVASCRIPT = """
const view = new DataView(new ArrayBuffer(8));
const double = bits => { view.setBigUint64(0, BigInt('0x' + bits)); return view.getFloat64(0); };
const bits = number => {
    if (Number.isNaN(number)) return 'NaN';
    view.setFloat64(0, number);
    return view.getBigUint64(0).toString(16).padStart(16, '0');
};
const answers = (inputs, answer) => JSON.stringify(JSON.parse(inputs).map(input => answer(...input)));
"""


def same(one: float, other: float) -> bool:
    """Equal, of one type, with minus zero apart from zero and NaN like NaN."""
    if isnan(one) or isnan(other):
        return isnan(one) and isnan(other)
    return type(one) is type(other) and one == other and copysign(1, one) == copysign(1, other)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (5, "5"),
        (5.0, "5"),
        (-5.0, "-5"),
        (True, "1"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (-1.5, "-1.5"),
        (123.456, "123.456"),
        (0.05, "0.05"),
        (0.000001, "0.000001"),
        (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"),
        (-1.25e-7, "-1.25e-7"),
        (10000000000000000, "10000000000000000"),
        (WHOLE_MAX, "9007199254740991"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (-(2**53) - 1, "-9007199254740992"),
        (2**64, "18446744073709552000"),
        (123456789012345680000.0, "123456789012345680000"),
        (999999999999999900000.0, "999999999999999900000"),
        (1e21, "1e+21"),
        (10**21, "1e+21"),
        (1.5e21, "1.5e+21"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (2.0**89, "6.189700196426902e+26"),
        (2.0**-24, "5.960464477539063e-8"),
        (nan, "NaN"),
        (inf, "Infinity"),
        (-inf, "-Infinity"),
        (10**400, "Infinity"),
        (-(10**400), "-Infinity"),
    ],
)
def test_a_number_is_written_as_javascript_writes_it(number: float, text: str) -> None:
    assert to_text(number) == text


def test_a_whole_number_has_no_point() -> None:
    for number in (0.0, 1.0, -7.0, 1e15, float(WHOLE_MAX)):
        assert type(normal(number)) is int
        assert "." not in to_text(number)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (5.0, 5),
        (0.0, 0),
        (-0.0, -0.0),
        (5.5, 5.5),
        (float(WHOLE_MAX), WHOLE_MAX),
        (-float(WHOLE_MAX), -WHOLE_MAX),
        (2.0**53, 2.0**53),
        (-(2.0**53), -(2.0**53)),
        (1e300, 1e300),
        (inf, inf),
        (nan, nan),
        (7, 7),
        (True, 1),
        (2**53 + 1, 2.0**53),
        (10**400, inf),
    ],
)
def test_a_number_has_one_form(number: float, expected: float) -> None:
    assert same(normal(number), expected)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        (" \t\n\v\f\r\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff", 0),
        ("\ufeff 12\u2028", 12),
        ("5", 5),
        ("+5", 5),
        ("-5", -5),
        ("-0", -0.0),
        (".5", 0.5),
        ("5.", 5),
        ("-.5e1", -5),
        ("5.e-1", 0.5),
        ("1E3", 1000),
        ("007", 7),
        ("9007199254740993", 2.0**53),
        ("1e400", inf),
        ("Infinity", inf),
        ("+Infinity", inf),
        ("-Infinity", -inf),
        ("0x1F", 31),
        ("0XfF", 255),
        ("0o17", 15),
        ("0B101", 5),
        ("0x20000000000001", 2.0**53),
        ("0x" + "0" * 2000 + "1", 1),
        ("0b1" + "0" * 1023, 2.0**1023),
        ("0b1" + "0" * 1024, inf),
        ("0x" + "f" * 256, inf),
    ],
)
def test_text_that_is_a_number_becomes_it(text: str, number: float) -> None:
    assert same(from_text(text), number)


@pytest.mark.parametrize(
    "text",
    [
        *("abc", "5px", "1 2", "1,5", ".", "-", "+-1", "e5", "1e", "1e+", "1_000", "0x", "0b2", "0o8", "0xg"),
        *("-0x1", "+0b1", "0x_1", "0x-1", "infinity", "inf", "nan", "NaN", "Infinity1", "--5", "1n", "1f", "0x1p3"),
        *("\u0661", "\uff11", "\u180e1", "\x851", "\x1c1", "1\0", "\ud800"),
    ],
)
def test_text_that_is_no_number_is_nan(text: str) -> None:
    assert isnan(from_text(text))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3.14abc", 3.14),
        ("  -.5e1x", -5),
        ("5.", 5),
        ("5.e", 5),
        ("1e", 1),
        ("1e+", 1),
        ("1e-1.5", 0.1),
        ("-0", -0.0),
        ("0x1f", 0),
        ("1_000", 1),
        ("Infinityx", inf),
        ("-Infinity", -inf),
        ("infinity", nan),
        ("", nan),
        (".", nan),
        ("-", nan),
        ("px5", nan),
    ],
)
def test_parse_float_takes_the_number_that_the_text_begins_with(text: str, number: float) -> None:
    assert same(parse_float(text), number)


@pytest.mark.parametrize(
    ("text", "radix", "number"),
    [
        ("42px", 0, 42),
        ("\ufeff -42", 10, -42),
        ("+7", 10, 7),
        ("+-7", 10, nan),
        ("3.99", 10, 3),
        ("1e3", 10, 1),
        ("-0", 10, -0.0),
        ("0x1f", 0, 31),
        ("-0X1f", 16, -31),
        ("0x1f", 10, 0),
        ("0x", 16, nan),
        ("0b1", 0, 0),
        ("ff", 16, 255),
        ("FfG", 16, 255),
        ("z", 36, 35),
        ("\u212a", 36, nan),  # the Kelvin sign: Python makes it a small k
        ("\u0661", 10, nan),
        ("1_0", 10, 1),
        ("12", 2, 1),
        ("2", 2, nan),
        ("", 10, nan),
        ("1", 1, nan),
        ("1", 37, nan),
        ("1", -2, nan),
        ("11", 2.9, 3),
        ("11", nan, 11),
        ("11", inf, 11),
        ("11", 10**400, 11),
        ("11", 2**32 + 2, 3),
        ("9007199254740993", 10, 2.0**53),
        ("1" * 400, 10, inf),
        ("-" + "1" * 400, 10, -inf),
        ("1" * 5000, 3, inf),
    ],
)
def test_parse_int_takes_the_whole_number_that_the_text_begins_with(text: str, radix: float, number: float) -> None:
    assert same(parse_int(text, radix), number)


def test_parse_int_reads_decimals_unless_told_otherwise() -> None:
    assert parse_int("010") == 10


@pytest.mark.parametrize(
    ("number", "digits", "text"),
    [
        (1.005, 2, "1.00"),
        (2.5, 0, "3"),
        (-1.5, 0, "-2"),
        (0.5, 0, "1"),
        (1.45, 1, "1.4"),
        (8.345, 2, "8.35"),
        (0, 2, "0.00"),
        (-0.0, 2, "0.00"),
        (-0.0000001, 2, "-0.00"),
        (5, 3, "5.000"),
        (0.05, 1, "0.1"),
        (999.995, 2, "1000.00"),
        (123.456, 10, "123.4560000000"),
        (1e20, 2, "100000000000000000000.00"),
        (1e21, 2, "1e+21"),
        (-1e21, 0, "-1e+21"),
        (10**400, 2, "Infinity"),
        (nan, 2, "NaN"),
        (-inf, 100, "-Infinity"),
        (0.1, 55, "0.1000000000000000055511151231257827021181583404541015625"),
        (5e-324, 100, "0." + "0" * 100),
    ],
)
def test_fixed_digits_round_what_the_double_really_is(number: float, digits: int, text: str) -> None:
    assert to_fixed(number, digits) == text


@pytest.mark.parametrize("digits", [-1, 101])
def test_a_number_of_digits_that_javascript_refuses_is_refused(digits: int) -> None:
    with pytest.raises(ValueError, match=f"from 0 to 100 digits, not {digits}"):
        to_fixed(nan, digits)


@pytest.mark.parametrize(
    "hostile",
    [
        "1" * 1_000_000,
        "1" * 1_000_000 + "x",
        "0" * 1_000_000 + "1",
        "0." + "0" * 1_000_000 + "1",
        "0." + "1" * 1_000_000 + "e",
        "1e" + "9" * 1_000_000,
        "1e-" + "9" * 1_000_000,
        "0x" + "f" * 1_000_000,
        "0b" + "1" * 1_000_000 + "2",
        "0x" + "0" * 1_000_000 + "g",
        " " * 1_000_000 + "x",
        "." * 1_000_000,
    ],
    ids=lambda text: f"{text[:4].strip()}..{text[-1]}",
)
def test_a_megabyte_of_hostile_text_is_read_at_once(hostile: str) -> None:
    """Linear takes milliseconds here, quadratic takes minutes: the bound is far from both."""
    begin = process_time()
    from_text(hostile)
    parse_float(hostile)
    for radix in (0, 2, 7, 10, 16, 36):
        parse_int(hostile, radix)
    assert process_time() - begin < 2


# What follows asks JavaScript. A double travels as its 64 bits, so that nothing is lost on the way.


def ask(answer: str, inputs: list[list[Any]]) -> list[Any]:
    context = quickjs.Context()
    answers: list[Any] = json.loads(context.eval(f"{JAVASCRIPT} answers({json.dumps(json.dumps(inputs))}, {answer})"))
    assert len(answers) == len(inputs)
    return answers


def compare(answer: str, inputs: list[list[Any]], ours: Callable[..., Any]) -> None:
    theirs = ask(answer, inputs)
    differing = [
        (given, mine, other)
        for given, other in zip(inputs, theirs, strict=True)
        if (mine := ours(*given)) != other  # one at a time, to show what was given
    ]
    assert not differing, differing[:10]


def bits(number: float) -> str:
    return "NaN" if isnan(number) else struct.pack(">d", number).hex()


def double(hexadecimal: str) -> float:
    (number,) = struct.unpack(">d", bytes.fromhex(hexadecimal))
    return float(number)


def doubles(rng: Random, count: int) -> list[str]:
    """Of every size: any bits, a few decimal digits, whole numbers, halves, neighbours of powers."""
    kinds: tuple[Callable[[], float], ...] = (
        lambda: double(rng.randbytes(8).hex()),
        lambda: float(f"{rng.choice('+-')}{rng.randrange(10 ** rng.randint(1, 17))}e{rng.randint(-30, 30)}"),
        lambda: float(rng.randrange(-(2 ** rng.randint(1, 80)), 2 ** rng.randint(1, 80))),
        lambda: rng.randrange(-(10**6), 10**6) / 2 ** rng.randint(0, 12),
        lambda: double(f"{int(bits(rng.choice((2.0, 10.0)) ** rng.randint(-300, 300)), 16) + rng.randint(-2, 2):016x}"),
        lambda: rng.choice((0.0, -0.0, inf, -inf, nan, 5e-324, 2.0**53, 1e21, 1e-6, 1e-7)),
    )
    return [bits(rng.choice(kinds)()).replace("NaN", "7ff8000000000000") for _ in range(count)]


def but_powers_of_two(numbers: list[str]) -> list[str]:
    """The doubles that QuickJS writes well: it stumbles where the neighbour below is closer than the one above."""
    return [number for number in numbers if abs(frexp(double(number))[0]) != 0.5]


def texts(rng: Random, count: int) -> list[str]:
    """Numbers, nearly numbers, and noise in the alphabet of numbers."""
    spaces = ("", "", "", " ", "\ufeff", "\u2028\t", "\x85", "\u180e", "\x1c")

    def run(alphabet: str, length_max: int) -> str:
        return "".join(rng.choices(alphabet, k=rng.randint(0, length_max)))

    def decimal() -> str:
        point, exponent = rng.choice(("", ".")), rng.choice(("", "", "e", "E-", "e+"))
        last = str(rng.randint(0, 340)) if exponent and rng.random() < 0.9 else ""
        return run("0123456789", 25) + point + run("0123456789", rng.choice((3, 25))) + exponent + last

    kinds: tuple[Callable[[], str], ...] = (
        decimal,
        lambda: rng.choice(("0x", "0X")) + run("0123456789abcdefABCDEF", 20),
        lambda: rng.choice(("0b", "0B", "0o", "0O")) + run("01", 70),
        lambda: run("0123456789abcdefghijklmnopqrstuvwxyzABCXYZ", 12),
        lambda: run("0123456789.eExXoObB+-_ n", 8),
        lambda: rng.choice(("Infinity", "infinity", "NaN", "null", "")) + run("01 ", 2),
        lambda: str(2**53 + rng.randint(-9, 9)) + run("05", 3),
        lambda: to_text(double(doubles(rng, 1)[0])),
    )
    signs = ("", "", "", "-", "+", "--")
    return [
        rng.choice(spaces) + rng.choice(signs) + rng.choice(kinds)() + rng.choice((*spaces, "px")) for _ in range(count)
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_javascript_writes_the_same_text(seed: int) -> None:
    inputs = [[number] for number in but_powers_of_two(doubles(Random(seed), SAMPLES))]
    compare("number => String(double(number))", inputs, lambda number: to_text(double(number)))


def test_a_power_of_two_is_written_with_no_more_digits_than_needed() -> None:
    """QuickJS writes one digit too many for 54 of these, V8 for none; the standard asks for the fewest."""
    powers = [2.0**exponent for exponent in range(-1074, 1024)]
    theirs = ask("number => String(double(number))", [[bits(power)] for power in powers])
    differing = [(ours, text) for ours, text in zip(map(to_text, powers), theirs, strict=True) if ours != text]
    assert all(len(ours) < len(text) for ours, text in differing)
    assert len(differing) <= 54
    assert all(from_text(to_text(power)) == power for power in powers)


@pytest.mark.parametrize("seed", [3, 4])
def test_javascript_reads_the_same_number(seed: int) -> None:
    inputs = [[text] for text in texts(Random(seed), SAMPLES)]
    compare("text => bits(Number(text))", inputs, lambda text: bits(from_text(text)))
    compare("text => bits(parseFloat(text))", inputs, lambda text: bits(parse_float(text)))
    compare("text => bits(parseInt(text))", inputs, lambda text: bits(parse_int(text)))


def test_javascript_reads_the_same_number_in_every_radix() -> None:
    rng = Random(5)
    exact = [[text, rng.choice(RADICES_THAT_ENGINES_MUST_READ_EXACTLY)] for text in texts(rng, SAMPLES)]
    short = [[text[:8], rng.randint(-1, 38)] for text in texts(rng, SAMPLES)]
    compare("(text, radix) => bits(parseInt(text, radix))", exact + short, lambda *given: bits(parse_int(*given)))


def test_javascript_rounds_to_the_same_digits() -> None:
    rng = Random(6)
    inputs = [[number, rng.choice((0, 1, 2, 3, 7, 20, 100))] for number in but_powers_of_two(doubles(rng, SAMPLES))]
    compare(
        "(number, digits) => double(number).toFixed(digits)",
        inputs,
        lambda number, digits: to_fixed(double(number), digits),
    )


def test_what_is_written_is_read_back() -> None:
    for number in map(double, doubles(Random(7), SAMPLES)):
        assert same(from_text(to_text(number)), normal(number) or 0)


def test_a_whole_number_beyond_every_double_is_infinite() -> None:
    assert ready("huge > 1e308 && -huge < -1e308 && huge === 1 / 0").run({"huge": 10**400}) is True
    assert ready("-huge < -1e308").run({"huge": -(10**400)}) is False
