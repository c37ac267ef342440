"""How a child shuts itself in, before it reads the first line that somebody else has written.

Whoever breaks out of QuickJS is in a process that can compute, and write to the one socket it has. Each lock is tried for
itself: where a kernel or a container refuses one, the others hold, and the sandbox says which is missing.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import struct
import sys

AS_BYTES_MAX = 320 << 20
"""64 MB for QuickJS, the interpreter, and texts of 8 MB in up to four forms each."""

CPU_SECONDS_MAX = 120
"""In its life. A backstop for when nobody is there to kill it: a child is replaced long before (see `children`)."""

STACK_BYTES_MAX = 8 << 20
NOBODY = 65_534

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_ALLOW, _REFUSE, _KILL = 0x7FFF_0000, 0x0005_0001, 0x8000_0000  # _REFUSE: EPERM

ALLOWED = {
    # name: number on x86_64, on aarch64
    "read": (0, 63),  # the next request
    "write": (1, 64),  # its answer
    "mmap": (9, 222),  # memory; never to be executed, see below
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "brk": (12, 214),
    "madvise": (28, 233),  # how the C library gives memory back
    "futex": (202, 98),  # locks of the interpreter
    "rt_sigaction": (13, 134),  # the interpreter, when it ends
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "restart_syscall": (219, 128),  # a process that was stopped goes on
    "clock_gettime": (228, 113),  # the time limit of QuickJS counts CPU
    "gettimeofday": (96, 169),  # QuickJS, for every context; mostly without the kernel
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""All else is refused with EPERM, for a newer interpreter may ask for things that it can do without."""

DEADLY = {
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "clone3": (435, 435),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "unshare": (272, 97),
    "mount": (165, 40),
}
"""What nobody calls there but an intruder. It ends the process at once, with SIGSYS, and the log tells of it."""

_MACHINES = {"x86_64": (0xC000_003E, 0), "aarch64": (0xC000_00B7, 1)}
_X32 = 0x4000_0000
_PROT_EXEC = 4


def lock(parent: int) -> list[str]:
    """Answers with what could not be locked, and why. `parent`: with whom it ends."""
    missing: list[str] = []

    def attempt(name: str, lock_it: object, *arguments: object) -> None:
        assert callable(lock_it)
        try:
            lock_it(*arguments)
        except (OSError, ValueError, AttributeError) as error:
            missing.append(f"{name} ({error})")

    os.chdir("/")
    os.environ.clear()
    os.closerange(1, 65_536)
    if os.geteuid() == 0:
        attempt("another user than root", _become_nobody)
    for name, limit in _LIMITS.items():
        attempt(name, _limit, name, limit)
    if sys.platform != "linux":
        return [*missing, f"seccomp (this is {sys.platform})"]
    attempt(
        "PR_SET_PDEATHSIG", _prctl, _PR_SET_PDEATHSIG, signal.SIGKILL
    )  # after the user: changing that takes it back
    if os.getppid() != parent:
        os._exit(0)
    attempt("PR_SET_DUMPABLE", _prctl, _PR_SET_DUMPABLE, 0)
    attempt("PR_SET_NO_NEW_PRIVS", _prctl, _PR_SET_NO_NEW_PRIVS, 1)
    attempt("seccomp", _filter_system_calls)
    return missing


_LIMITS = {
    "RLIMIT_AS": AS_BYTES_MAX,
    "RLIMIT_CPU": CPU_SECONDS_MAX,
    "RLIMIT_STACK": STACK_BYTES_MAX,
    "RLIMIT_NOFILE": 0,
    "RLIMIT_NPROC": 0,
    "RLIMIT_FSIZE": 0,
    "RLIMIT_CORE": 0,
    "RLIMIT_MEMLOCK": 0,
    "RLIMIT_MSGQUEUE": 0,
}


def _limit(name: str, most: int) -> None:
    kind = getattr(resource, name)
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (most, most))


def _become_nobody() -> None:
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def _prctl(option: int, value: int, more: object = 0) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [more if isinstance(more, ctypes.c_void_p) else ctypes.c_ulong(0)]
    if libc.prctl(option, ctypes.c_ulong(value), *arguments, ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _filter_system_calls() -> None:
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise ValueError(f"the system calls of {machine} are not known here")
    code = filter_of(machine)
    # struct sock_fprog: how many instructions there are, and where.
    instructions = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(instructions))
    kept = ctypes.create_string_buffer(program, len(program))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.c_void_p(ctypes.addressof(kept)))


def filter_of(machine: str) -> bytes:
    """The filter as the kernel reads it, a program of the old Berkeley kind: 8 bytes for each instruction."""
    architecture, column = _MACHINES[machine]
    allowed = {name: numbers[column] for name, numbers in ALLOWED.items()}
    deadly = [number for numbers in DEADLY.values() if (number := numbers[column]) is not None]
    memory = [allowed.pop("mmap"), allowed.pop("mprotect")]
    harmless = list(allowed.values())
    # The ends, from behind: …, memory check (2), refuse, kill, allow.
    total = 5 + len(memory) + len(harmless) + len(deadly) + 5
    check, refuse, kill, allow = total - 5, total - 3, total - 2, total - 1
    code: list[tuple[int, int, int, int]] = []

    def unless(kind: int, value: int, then: int | None, otherwise: int | None) -> None:
        """To `then` if it is so, to `otherwise` if not; None: to the next one."""
        here = len(code) + 1
        code.append((kind, 0 if then is None else then - here, 0 if otherwise is None else otherwise - here, value))

    load, equal, greater, has_bits, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    code.append((load, 0, 0, 4))  # the architecture
    unless(equal, architecture, None, kill)
    code.append((load, 0, 0, 0))  # the number of the call
    unless(greater, _X32, kill, None)
    for number in memory:
        unless(equal, number, check, None)
    for number in harmless:
        unless(equal, number, allow, None)
    for number in deadly:
        unless(equal, number, kill, None)
    code.append((answer, 0, 0, _REFUSE))
    code.append((load, 0, 0, 16 + 2 * 8))  # the third argument: what may be done with this memory
    unless(has_bits, _PROT_EXEC, refuse, allow)
    code += [(answer, 0, 0, end) for end in (_REFUSE, _KILL, _ALLOW)]
    assert len(code) == total
    return b"".join(struct.pack("<HBBI", *each) for each in code)
