"""A child that has been taken over: it locks itself in as every child does, and then tries one thing, by the system call itself.

Started as a child is, `python -I -S intruder.py FOLDER PARENT ATTEMPT`, with a socket as its standard input. It says what it
could not lock, and then what came of the attempt: the name of the error, or what it was given.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

sys.path.append(sys.argv[1])
import lockdown  # type: ignore[import-not-found]

libc = ctypes.CDLL(None, use_errno=True)
machine = os.uname().machine
AT_FDCWD, O_RDONLY, AF_INET, SOCK_STREAM = -100, 0, 2, 1
NUMBERS = {
    # name: on x86_64, on aarch64
    "openat": (257, 56),
    "open": (2, 56),
    "socket": (41, 198),
    "clone": (56, 220),
    "fork": (57, 220),
    "execve": (59, 221),
    "ptrace": (101, 117),
    "getdents64": (217, 61),
    "unlinkat": (263, 35),
    "mkdirat": (258, 34),
    "renameat": (264, 38),
    "kill": (62, 129),
    "getppid": (110, 173),
    "uname": (63, 160),
    "setrlimit": (160, 164),
    "prctl": (157, 167),
    "seccomp": (317, 277),
    "setuid": (105, 146),
    "chroot": (161, 51),
    "mount": (165, 40),
    "bpf": (321, 280),
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),
    "pidfd_open": (434, 434),
    "dup": (32, 23),
    "recvmsg": (47, 212),
    "sendmsg": (46, 211),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "shmget": (29, 194),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "process_vm_readv": (310, 270),
}


def called(name: str, *arguments: int | bytes) -> str:
    number = NUMBERS[name][machine == "aarch64"]
    given = [ctypes.c_char_p(each) if isinstance(each, bytes) else ctypes.c_long(each) for each in arguments]
    ctypes.set_errno(0)
    answer = libc.syscall(ctypes.c_long(number), *given)
    return errno.errorcode[ctypes.get_errno()] if answer == -1 else f"got {answer}"


def executable_memory() -> str:
    """What would run code that was written there: read, write and execute (7), private and of nobody (0x22)."""
    return called("mmap", 0, 4096, 7, 0x22, -1, 0)


def environment() -> str:
    getenv = libc.getenv
    getenv.restype = ctypes.c_char_p
    return repr([dict(os.environ), getenv(b"CANARY"), getenv(b"PATH")])


def descriptors() -> str:
    """Of all that may be open, which are? `fstat` would not be let through; a write of nothing is, and changes nothing."""
    found = []
    for each in range(1_000):
        try:
            os.write(each, b"")
        except OSError as error:
            found += [each] if error.errno != errno.EBADF else []
        else:
            found.append(each)
    return repr(found)


def memory() -> str:
    try:
        return f"got {len(bytearray(400 << 20))}"
    except MemoryError:
        return "MemoryError"


ATTEMPTS = {
    "read a file": lambda: called("openat", AT_FDCWD, b"/etc/passwd", O_RDONLY),
    "read a file, as of old": lambda: called("open", b"/etc/passwd", O_RDONLY),
    "open a socket": lambda: called("socket", AF_INET, SOCK_STREAM, 0),
    "fork": lambda: called("fork") if machine == "x86_64" else called("clone", 17, 0, 0, 0, 0),
    "clone": lambda: called("clone", 17, 0, 0, 0, 0),
    "execute": lambda: called("execve", b"/bin/true", 0, 0),
    "trace": lambda: called("ptrace", 16, 1, 0, 0),
    "read the memory of another": lambda: called("process_vm_readv", 1, 0, 0, 0, 0, 0),
    "mount": lambda: called("mount", b"none", b"/tmp", b"tmpfs", 0, 0),
    "load a program into the kernel": lambda: called("bpf", 0, 0, 0),
    "io_uring": lambda: called("io_uring_setup", 8, 0),
    "list a folder": lambda: called("getdents64", 0, 0, 0),
    "remove a file": lambda: called("unlinkat", AT_FDCWD, b"/tmp/x", 0),
    "make a folder": lambda: called("mkdirat", AT_FDCWD, b"/tmp/perdure-intruder", 0o777),
    "rename": lambda: called("renameat", AT_FDCWD, b"/tmp/a", AT_FDCWD, b"/tmp/b"),
    "signal its parent": lambda: called("kill", int(sys.argv[2]), 0),
    "signal all": lambda: called("kill", -1, 9),
    "who is its parent": lambda: called("getppid"),
    "which machine": lambda: called("uname", 0),
    "raise a limit": lambda: called("setrlimit", 9, 0),
    "take back prctl": lambda: called("prctl", 38, 0, 0, 0, 0),
    "another filter": lambda: called("seccomp", 1, 0, 0),
    "become root": lambda: called("setuid", 0),
    "another root": lambda: called("chroot", b"/tmp"),
    "a file in memory": lambda: called("memfd_create", b"x", 0),
    "hold of a process": lambda: called("pidfd_open", int(sys.argv[2]), 0),
    "another descriptor": lambda: called("dup", 0),
    "receive a descriptor": lambda: called("recvmsg", 0, 0, 0),
    "send a descriptor": lambda: called("sendmsg", 0, 0, 0),
    "shared memory": lambda: called("shmget", 1, 4096, 0o1666),
    "userfaultfd": lambda: called("userfaultfd", 0),
    "perf": lambda: called("perf_event_open", 0, 0, -1, -1, 0),
    "keys": lambda: called("keyctl", 0, 0, 0),
    "memory to execute": executable_memory,
    "the environment": environment,
    "open descriptors": descriptors,
    "400 MB": memory,
}


def main() -> None:
    missing = lockdown.lock(int(sys.argv[2]))
    os.write(0, ("locked; missing: " + "; ".join(missing) + "\n").encode())
    os.write(0, (ATTEMPTS[sys.argv[3]]() + "\n").encode())
    os._exit(0)


if __name__ == "__main__":
    main()
