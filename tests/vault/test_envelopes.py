"""Encryption at rest: what is moved, changed or locked with another key does not open."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perdure.hosts.envelopes import BadKey, CannotOpen, KeyNotHere, Keys, about, key_id_of, new_key, read_keys

OLD, NEW = bytes(range(32)), bytes(range(1, 33))
HERE = about("secret", "default", "TOKEN")


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_was_sealed_opens_as_it_was(value: str) -> None:
    assert Keys(OLD).open(Keys(OLD).seal(value, HERE), HERE) == value


@settings(deadline=None)
@given(st.text('abc/|\x00",', max_size=6), st.text('abc/|\x00",', max_size=6), st.sampled_from(["secret", "inline"]))
def test_it_opens_nowhere_else(organization: str, name: str, kind: str) -> None:
    elsewhere = about(kind, organization, name)
    sealed = Keys(OLD).seal("value", about("secret", "a|b", "c"))
    if (kind, organization, name) == ("secret", "a|b", "c"):
        assert Keys(OLD).open(sealed, elsewhere) == "value"
    else:
        with pytest.raises(CannotOpen, match="belongs to another organization or name"):
            Keys(OLD).open(sealed, elsewhere)


def test_no_character_of_it_can_be_changed() -> None:
    keys = Keys(OLD)
    sealed = keys.seal("hunter2-hunter2!", HERE)  # no bits are left over at the ends
    for at in range(len(sealed)):
        for other in "Ab0-_.":
            changed = f"{sealed[:at]}{other}{sealed[at + 1 :]}"
            if _bytes(changed) != _bytes(sealed):
                with pytest.raises(CannotOpen):
                    keys.open(changed, HERE)


def _bytes(sealed: str) -> Any:
    """Base64 may spell the same bytes in several ways: bits at its end that belong to nothing."""
    try:
        return [
            base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in sealed.split(".")[2:]
        ], sealed.split(".")[:2]
    except ValueError:
        return sealed


def test_parts_of_two_values_do_not_make_a_third() -> None:
    keys = Keys(OLD)
    one, other = keys.seal("one", HERE).split("."), keys.seal("other", HERE).split(".")
    with pytest.raises(CannotOpen):
        keys.open(".".join([*one[:3], other[3]]), HERE)


def test_no_nonce_and_no_key_comes_twice() -> None:
    keys = Keys(OLD)
    sealed = [keys.seal("same", HERE).split(".") for _ in range(2_000)]
    assert len({each[2][:16] for each in sealed}) == len({each[3][:16] for each in sealed}) == 2_000


def test_any_of_the_keys_opens_and_the_first_one_seals() -> None:
    sealed = Keys(OLD).seal("value", HERE)
    both = Keys(NEW, OLD)
    assert both.open(sealed, HERE) == "value"
    assert key_id_of(both.seal("value", HERE)) == both.current == Keys(NEW).current


def test_a_key_that_is_not_here_is_named() -> None:
    sealed = Keys(OLD).seal("value", HERE)
    with pytest.raises(KeyNotHere, match=f"with key {Keys(OLD).current}, and here is {Keys(NEW).current}"):
        Keys(NEW).open(sealed, HERE)


def test_wrapping_anew_keeps_the_value_and_needs_the_old_key_no_more() -> None:
    sealed = Keys(OLD).seal("value", HERE)
    again = Keys(NEW, OLD).wrapped_anew(sealed, HERE)
    assert Keys(NEW).open(again, HERE) == "value"
    assert again.split(".")[3] == sealed.split(".")[3]
    with pytest.raises(KeyNotHere):
        Keys(OLD).open(again, HERE)


def test_what_does_not_open_is_not_wrapped_anew() -> None:
    sealed = Keys(OLD).seal("value", HERE)
    with pytest.raises(CannotOpen):
        Keys(NEW, OLD).wrapped_anew(sealed, about("secret", "default", "OTHER"))


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(OLD).decode(),
        base64.b64encode(OLD).decode().rstrip("="),
        base64.urlsafe_b64encode(OLD).decode(),
        OLD.hex(),
        OLD.hex().upper(),
        f"  {OLD.hex()}\n",
        f"{OLD.hex()},{OLD.hex()}",
    ],
)
def test_ways_to_write_a_key(text: str) -> None:
    assert read_keys(text).ids == Keys(OLD).ids


@pytest.mark.parametrize("between", [",", ", ", "\n", " ,\n"])
def test_several_keys_in_their_order(between: str) -> None:
    assert read_keys(f"{NEW.hex()}{between}{OLD.hex()}").ids == Keys(NEW, OLD).ids


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no key in it"),
        (" , ", "there is no key in it"),
        ("correct horse", "neither base64 nor hex|has 5 bytes"),
        ("pässword", "neither base64 nor hex"),
        (base64.b64encode(OLD[:31]).decode(), "the key has 31 bytes, and must have 32"),
        (base64.b64encode(OLD + b"!").decode(), "the key has 33 bytes"),
        (OLD.hex()[:-2], "the key has 46 bytes"),
        ("00" * 32, "one byte over and over"),
        (f"{OLD.hex()},abc!", "key 2 is neither"),
    ],
)
def test_what_is_no_key_is_refused_and_not_shown(text: str, why: str) -> None:
    with pytest.raises(BadKey, match=why) as refused:
        read_keys(text)
    assert "perdure secrets new-key" in str(refused.value)
    for word in text.replace(",", " ").split():
        assert word not in str(refused.value)
    assert refused.value.__cause__ is None


def test_keys_are_never_shown() -> None:
    text = new_key()
    keys = read_keys(text)
    assert repr(keys) == f"Keys({keys.current})"
    assert text not in repr(keys)
    assert len(keys.current) == 16


@pytest.mark.parametrize("text", ["", "plain", "pse1.x.y.z", "pse2" + Keys(OLD).seal("v", HERE)[4:]])
def test_what_is_not_encrypted_by_us_is_told(text: str) -> None:
    with pytest.raises(CannotOpen, match="it is no encrypted value"):
        Keys(OLD).open(text, HERE)
