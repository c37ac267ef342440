"""What a child can do that somebody has taken over: compute, and answer. Each is tried for real, in a process that is locked in."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from perdure.tasks.sandbox import children, lockdown

FOLDER = Path(lockdown.__file__).parent
INTRUDER = Path(__file__).with_name("intruder.py")
NOBODY = 65_534

DEADLY = (
    *("read a file", "open a socket", "fork", "clone", "execute", "trace", "read the memory of another", "mount"),
    *("load a program into the kernel", "io_uring"),
)
REFUSED = (
    *(
        "list a folder",
        "remove a file",
        "make a folder",
        "rename",
        "signal its parent",
        "signal all",
        "who is its parent",
    ),
    *("which machine", "raise a limit", "take back prctl", "another filter", "become root", "another root"),
    *("a file in memory", "hold of a process", "another descriptor", "receive a descriptor", "send a descriptor"),
    *("shared memory", "userfaultfd", "perf", "keys", "memory to execute"),
)


class Came(NamedTuple):
    missing: str
    to: str
    exit_code: int


def attempted(what: str, user: int | None = None, python: str = sys.executable) -> Came:
    """As `children` starts one, but with another program."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = subprocess.Popen(
                [python, "-I", "-S", str(INTRUDER), str(FOLDER), str(os.getpid()), what],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={},
                cwd="/",
                user=user,
            )
        said = b""
        while part := ours.recv(65_536):
            said += part
    assert process.stderr is not None
    with process.stderr:
        trouble = process.stderr.read().decode()
    code = process.wait()
    assert said.startswith(b"locked; missing: "), (said, trouble)
    missing, _, rest = said.decode().removeprefix("locked; missing: ").partition("\n")
    return Came(missing, rest.rstrip("\n"), code)


@pytest.fixture(scope="module")
def kernel() -> None:
    if "seccomp" in attempted("the environment").missing:
        pytest.skip("this kernel filters no system calls, or another filter forbids it")


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("what", DEADLY)
def test_what_only_an_intruder_does_ends_the_process(what: str) -> None:
    came = attempted(what)
    assert (came.to, came.exit_code) == ("", -signal.SIGSYS)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("what", REFUSED)
def test_all_that_is_not_needed_is_refused(what: str) -> None:
    came = attempted(what)
    assert (came.to, came.exit_code) == ("EPERM", 0)


@pytest.mark.usefixtures("kernel")
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="there is no such call elsewhere")
def test_the_old_way_to_open_a_file_ends_it_as_well() -> None:
    assert attempted("read a file, as of old").exit_code == -signal.SIGSYS


def test_nothing_is_inherited_but_a_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "hush")
    assert attempted("the environment").to == "[{}, None, None]"
    assert attempted("open descriptors").to == "[0]"


def test_memory_has_an_end() -> None:
    assert attempted("400 MB").to == "MemoryError"


def test_nothing_is_missing_here() -> None:
    """On Linux, as root and as anybody."""
    if sys.platform != "linux":
        pytest.skip("only Linux has all of it")
    assert attempted("the environment").missing == ""


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("what", ["read a file", "execute", "fork"])
def test_it_is_the_same_for_a_plain_user(what: str) -> None:
    python = next((each for each in (sys.executable, "/usr/bin/python3") if _is_for_all(Path(each))), None)
    if python is None or not _is_for_all(INTRUDER):
        pytest.skip("there is no interpreter here that a plain user may start")
    came = attempted(what, user=NOBODY, python=python)
    assert (came.missing, came.exit_code) == ("", -signal.SIGSYS)


def _is_for_all(path: Path) -> bool:
    found = path.resolve()
    return found.exists() and all(each.stat().st_mode & 0o004 for each in (found, *found.parents))


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_leads_to_an_end_whatever_is_called(machine: str) -> None:
    """Played by hand: the kernel takes such a program only if it can, but aarch64 is not always at hand."""
    column = ("x86_64", "aarch64").index(machine)
    architecture = (0xC000_003E, 0xC000_00B7)[column]
    allowed = {numbers[column]: name for name, numbers in lockdown.ALLOWED.items()}
    deadly = {numbers[column]: name for name, numbers in lockdown.DEADLY.items()}
    for number in range(600):
        end = played(lockdown.filter_of(machine), number, architecture)
        expected = "allow" if number in allowed else "kill" if number in deadly else "refuse"
        assert end == expected, number
    mapping = next(number for number, name in allowed.items() if name == "mmap")
    assert played(lockdown.filter_of(machine), mapping, architecture, third=4) == "refuse"
    assert played(lockdown.filter_of(machine), 0, 0x4000_0003) == "kill"
    assert played(lockdown.filter_of(machine), 0x4000_0000, architecture) == "kill"


def played(code: bytes, number: int, architecture: int, third: int = 3) -> str:
    loaded = {0: number, 4: architecture, 32: third}
    at, register = 0, 0
    while True:
        kind = int.from_bytes(code[8 * at : 8 * at + 2], "little")
        then, otherwise = code[8 * at + 2], code[8 * at + 3]
        value = int.from_bytes(code[8 * at + 4 : 8 * at + 8], "little")
        at += 1
        match kind:
            case 0x20:
                register = loaded[value]
            case 0x15:
                at += then if register == value else otherwise
            case 0x35:
                at += then if register >= value else otherwise
            case 0x45:
                at += then if register & value else otherwise
            case 0x06:
                return {0x7FFF_0000: "allow", 0x8000_0000: "kill", 0x0005_0001: "refuse"}[value]
            case _:
                pytest.fail(f"{kind:#x} is no instruction of such a program")


def test_no_child_works_for_as_long_as_the_kernel_would_let_it() -> None:
    assert children.RETIRES_AFTER_SECONDS + 20 < lockdown.CPU_SECONDS_MAX
