"""What a peer's process is told (as its one argument) and answers (as its one line): JSON of these."""

from __future__ import annotations

import sys

import msgspec
from msgspec import Struct

from perdure.bench.driving import Load
from perdure.bench.results import Run, Settings


class Order(Struct, frozen=True):
    """`load` is what counts; `warm_up` runs before it."""

    mode: str
    folder: str
    load: Load
    warm_up: Load


class Answer(Struct, frozen=True):
    run: Run
    settings: Settings


def received() -> Order:
    return msgspec.json.decode(sys.argv[1], type=Order)


def answered(answer: Answer) -> None:
    """The last line counts: a library may have printed before."""
    sys.stdout.write(f"{msgspec.json.encode(answer).decode()}\n")
    sys.stdout.flush()
