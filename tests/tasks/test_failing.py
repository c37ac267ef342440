"""What history keeps of an exception."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from perdure.errors import PerdureError, UnknownExecution
from perdure.model.failure import Category
from perdure.tasks import NonRetryable, Retryable, failure_of
from perdure.tasks.targets import OutboundRefused


class CardDeclined(NonRetryable):
    category = Category.BUSINESS


def failed(exception: Exception) -> None:
    raise exception


def raised(exception: Exception) -> Exception:
    with pytest.raises(type(exception)) as caught:
        failed(exception)
    return caught.value


@pytest.mark.parametrize(
    ("exception", "category", "code", "retriable"),
    [
        (TypeError("no"), Category.UNKNOWN, "TypeError", True),
        (KeyError("k"), Category.UNKNOWN, "KeyError", True),
        (ValueError("no"), Category.UNKNOWN, "ValueError", True),
        (TimeoutError("late"), Category.TIMEOUT, "TimeoutError", True),
        (ConnectionResetError("gone"), Category.TRANSIENT, "ConnectionResetError", True),
        (msgspec.ValidationError("bad"), Category.VALIDATION, "ValidationError", True),
        (NonRetryable("never"), Category.PERMANENT, "NonRetryable", False),
        (NonRetryable("never", code="NEVER"), Category.PERMANENT, "NEVER", False),
        (CardDeclined("no money"), Category.BUSINESS, "CardDeclined", False),
        (Retryable("later"), Category.TRANSIENT, "Retryable", True),
        (Retryable("later", code="BUSY"), Category.TRANSIENT, "BUSY", True),
    ],
)
def test_every_exception_has_its_category_code_and_chance(
    exception: Exception, category: Category, code: str, retriable: bool
) -> None:
    failure = failure_of(raised(exception))

    assert (failure.category, failure.code, failure.retriable) == (category, code, retriable)
    if not isinstance(exception, TypeError | KeyError):  # what is most likely a bug says more: below
        assert failure.message == str(exception)
    assert failure.exception == type(exception).__name__


@pytest.mark.parametrize("kind", [OutboundRefused, UnknownExecution])
def test_an_exception_of_the_package_keeps_its_public_name_when_its_class_is_renamed(kind: type[Exception]) -> None:
    name = kind.__name__
    kind.__name__ = "Renamed"
    try:
        failure = failure_of(kind("no"))
    finally:
        kind.__name__ = name

    assert (failure.code, failure.exception) == (name, name)


def test_an_exception_of_a_user_is_called_by_its_class() -> None:
    class MyRefusal(OutboundRefused):
        pass

    class MyError(PerdureError, code="mine"):
        pass

    assert failure_of(MyRefusal("no")).exception == "MyRefusal"
    assert failure_of(MyError("no")).exception == "MyError"


def test_an_exception_without_a_message_has_its_name() -> None:
    assert failure_of(ValueError()).message == "ValueError"


def test_the_time_to_wait_is_in_the_details() -> None:
    assert failure_of(Retryable("later", retry_after_ms=1500)).retry_after_ms == 1500
    assert failure_of(Retryable("later", details={"a": 1})).details == {"a": 1}
    assert failure_of(Retryable("later")).retry_after_ms is None


def test_a_failure_is_small_whatever_was_raised() -> None:
    def deep(depth: int) -> None:
        if depth:
            deep(depth - 1)
        raise NonRetryable("m" * 1_000_000, code="c" * 1_000_000, details={"d": "d" * 1_000_000})

    with pytest.raises(NonRetryable) as caught:
        deep(500)
    failure = failure_of(caught.value)

    assert len(msgspec.json.encode(failure)) < 16_000
    assert failure.details is None
    assert failure.message.endswith("…")
    assert failure.stack is not None
    assert "deep" in failure.stack


def test_the_stack_holds_no_messages_which_may_be_secrets() -> None:
    exception = ValueError("plain")
    exception.__cause__ = raised(KeyError("hunter2"))
    failure = failure_of(raised(exception))
    assert failure.stack is not None
    assert "hunter2" not in failure.stack
    assert "plain" not in failure.stack


def test_details_that_are_not_json_are_left_out() -> None:
    assert failure_of(NonRetryable("no", details={"a": object()})).details is None


def test_texts_that_no_store_can_write_are_made_sound() -> None:
    details: Any = {"a\0": ["\ud800", {"b": "\0"}]}
    failure = failure_of(raised(NonRetryable("\ud800 \0", code="c\0", details=details)))
    assert (failure.message, failure.code) == ("\ufffd \ufffd", "c\ufffd")
    assert failure.details == {"a\ufffd": ["\ufffd", {"b": "\ufffd"}]}


def test_an_exception_whose_text_cannot_be_made_is_still_a_failure() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert failure_of(Broken()).message == "Broken"


@pytest.mark.parametrize(
    "exception", [KeyError("items"), TypeError("not callable"), ZeroDivisionError(), AssertionError()]
)
def test_what_is_most_likely_a_bug_says_what_it_is_and_where(exception: Exception) -> None:
    failure = failure_of(raised(exception))
    assert failure.message.startswith(type(exception).__name__)
    assert "test_failing.py:" in failure.message


def test_what_somebody_says_on_purpose_is_told_as_it_is() -> None:
    assert failure_of(raised(ValueError("no such card"))).message == "no such card"
