"""A disk for SQLite that fails to order and that can lose its power: a VFS over the default one.

It knows what has been synced and what has not. What a power cut leaves behind is what had been synced, and of the rest an
arbitrary part: writes that are there, that are not, that are there in some of their sectors; sizes that changed or did not;
names that were made or removed, as far as the folder was written. What is shared in memory (`-shm`) is gone.

It syncs nothing really: it is the disk that is simulated, and the machine underneath stays on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

import apsw
from msgspec import Struct

SECTOR = 512
FULL, WRITE_FAILED = apsw.SQLITE_FULL, apsw.SQLITE_IOERR_WRITE
READ_FAILED, SYNC_FAILED = apsw.SQLITE_IOERR_READ, apsw.SQLITE_IOERR_FSYNC

Kind: TypeAlias = Literal["write", "sync", "read", "delete"]
"""A change of the size counts as a write."""

_JOURNALS = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL
_SAID = {
    FULL: "database or disk is full",
    WRITE_FAILED: "disk I/O error: write",
    READ_FAILED: "disk I/O error: read",
    SYNC_FAILED: "disk I/O error: fsync",
}


class Fault(Struct, frozen=True):
    """The so-manieth operation of a kind fails, counted from 0; a lasting one fails until the disk is mended."""

    kind: Kind
    number: int
    code: int
    lasting: bool = False


class Disk(apsw.VFS):
    """`watch` is called before every operation that changes something, and after every sync: there the power may go."""

    def __init__(self, fault: Fault | None = None, *, default: bool = False) -> None:
        self.name = f"perdure-disk-{id(self):x}"
        self.watch: Callable[[Disk], None] = lambda _: None
        self.counts: Counter[Kind] = Counter()
        self.failed = 0
        """How many operations have failed."""
        self._fault = fault
        self._synced: dict[str, Content] = {}
        """The folder as it is on the disk for good."""
        self._named: list[tuple[str, Content | None]] = []
        """Names that were made, or removed, since."""
        self.below = apsw.vfs_names()[0]
        super().__init__(self.name, self.below, makedefault=default)

    def fail(self, fault: Fault) -> None:
        """From now on. The numbers are counted from the beginning of the disk."""
        self._fault = fault

    def mend(self) -> None:
        self._fault = None

    def meet(self, kind: Kind) -> None:
        """Something is about to be done; it may fail here."""
        if kind != "read":
            self.watch(self)
        number = self.counts[kind]
        self.counts[kind] += 1
        fault = self._fault
        if (
            fault is None
            or fault.kind != kind
            or number < fault.number
            or (number > fault.number and not fault.lasting)
        ):
            return
        self.failed += 1
        error = apsw.exception_for(fault.code)
        error.args = (_SAID[fault.code],)
        raise error

    # What SQLite asks for.

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if name is None:
            return super().xOpen(name, flags)
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        content = self.folder().get(path)
        before = Path(path).read_bytes() if content is None and Path(path).exists() else b""
        opened = DiskFile(self, name, flags)
        if content is None:
            content = Content(before)
            if before:  # it was there before this disk was
                self._synced[path] = content
            else:
                self._named.append((path, content))
        opened.content = content
        return opened

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.meet("delete")
        super().xDelete(filename, syncdir)
        self._named.append((filename, None))
        if syncdir:
            self.sync_names()

    # What is on it.

    def folder(self) -> dict[str, Content]:
        """The files as programs see them."""
        return _renamed(self._synced, self._named)

    def sync_names(self) -> None:
        self._synced, self._named = self.folder(), []

    def after_power_loss(self, random: Random) -> dict[str, bytes]:
        """What the disk may hold if the power goes now, by name."""
        kept = random.choice((0.0, 0.1, 0.5, 0.9, 1.0))
        names = random.randint(0, len(self._named)) if 0.0 < kept < 1.0 else len(self._named) * int(kept)
        left = _renamed(self._synced, self._named[:names])
        return {Path(path).name: content.after_power_loss(random, kept) for path, content in left.items()}


def _renamed(before: dict[str, Content], changes: list[tuple[str, Content | None]]) -> dict[str, Content]:
    found = dict(before)
    for path, content in changes:
        if content is None:
            found.pop(path, None)
        else:
            found[path] = content
    return found


class Content:
    """A file: what has been synced, and what has been done to it since: bytes at a place, or a new size."""

    def __init__(self, synced: bytes) -> None:
        self._synced = bytearray(synced)
        self._since: list[tuple[int, bytes | None]] = []

    def write(self, offset: int, data: bytes) -> None:
        self._since.append((offset, data))

    def resize(self, size: int) -> None:
        self._since.append((size, None))

    def sync(self) -> None:
        for offset, data in self._since:
            _apply(self._synced, offset, data)
        self._since.clear()

    def forget(self) -> None:
        """A sync failed: programs still see what they wrote, and it will never be on the disk, whatever is synced later."""
        self._since.clear()

    def after_power_loss(self, random: Random, kept: float) -> bytes:
        """With this share of what has not been synced; of what is neither there nor not there, sectors."""
        left = bytearray(self._synced)
        for offset, data in self._since:
            if random.random() < kept:
                if data is None or kept == 1.0 or random.random() < 0.7:
                    _apply(left, offset, data)
                else:
                    _tear(left, offset, data, random)
            elif data is not None and kept > 0.0 and random.random() < 0.3:
                left.extend(bytes(max(0, offset + len(data) - len(left))))  # the size is there, and the bytes are not
        return bytes(left)


def _apply(content: bytearray, offset: int, data: bytes | None) -> None:
    """`data`: these bytes there; None: a size."""
    size = offset if data is None else offset + len(data)
    content.extend(bytes(max(0, size - len(content))))
    if data is None:
        del content[size:]
    else:
        content[offset:size] = data


def _tear(content: bytearray, offset: int, data: bytes, random: Random) -> None:
    """Each sector is new, or old, or nonsense."""
    at = 0
    while at < len(data):
        size = min(SECTOR - (offset + at) % SECTOR, len(data) - at)
        fate = random.random()
        if fate < 0.5:
            _apply(content, offset + at, data[at : at + size])
        elif fate < 0.6:
            _apply(content, offset + at, random.randbytes(size))
        at += size


class DiskFile(apsw.VFSFile):
    content: Content

    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        self._new_name = bool(flags[0] & _JOURNALS)
        """SQLite syncs the folder with the first sync of a journal."""
        super().__init__(disk.below, name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        whole = bytes(data)
        try:
            self._disk.meet("write")
        except apsw.Error:
            part = whole[: len(whole) // 2]  # what fails may have been done in part
            self.content.write(offset, part)
            super().xWrite(part, offset)
            raise
        self.content.write(offset, whole)
        super().xWrite(whole, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.meet("write")
        self.content.resize(newsize)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        del flags
        try:
            self._disk.meet("sync")
        except apsw.Error:
            self.content.forget()
            raise
        self.content.sync()
        if self._new_name:
            self._new_name = False
            self._disk.sync_names()
        self._disk.watch(self._disk)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._disk.meet("read")
        return super().xRead(amount, offset)
