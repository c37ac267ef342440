"""What the disk and SQLite can do without an engine: nobody who keeps every step can be faster than this."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import apsw

from perdure.bench.results import Limits

ROW = b"x" * 128
"""About what one fact of ours weighs."""

BATCH = 200
CHECKED_EVERY = 10


class RawCommits:
    """A table in a file of its own, with the journal and the syncing that ours has. Every insert is a commit."""

    def __init__(self, folder: str) -> None:
        self.connection = apsw.Connection(f"{folder}/raw.db")
        self.connection.pragma("journal_mode", "WAL")
        self.connection.pragma("synchronous", "FULL")
        self.connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")

    def one(self) -> None:
        self.connection.execute("INSERT INTO rows (body) VALUES (?)", (ROW,))

    def batch(self) -> None:
        with self.connection:
            self.connection.executemany("INSERT INTO rows (body) VALUES (?)", [(ROW,)] * BATCH)


def limits(seconds: float, folder: Path) -> Limits:
    with tempfile.TemporaryDirectory(prefix="limits-", dir=folder) as fresh:
        raw = RawCommits(fresh)
        try:
            return Limits(
                syncs_per_second=_syncs(seconds, fresh),
                commits_per_second=_rate(raw.one, seconds),
                rows_per_second=_rate(raw.batch, seconds) * BATCH,
                batch=BATCH,
            )
        finally:
            raw.connection.close()


def _syncs(seconds: float, folder: str) -> float:
    sync = getattr(os, "fdatasync", os.fsync)  # a Mac has only the latter
    file = os.open(f"{folder}/appended", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    try:
        return _rate(lambda: (os.write(file, ROW), sync(file)), seconds)
    finally:
        os.close(file)


def _rate(once: Callable[[], object], seconds: float) -> float:
    for _ in range(CHECKED_EVERY):  # warm-up
        once()
    done, began = 0, perf_counter()
    while True:
        for _ in range(CHECKED_EVERY):
            once()
        done += CHECKED_EVERY
        spent = perf_counter() - began
        if spent >= seconds:
            return done / spent
