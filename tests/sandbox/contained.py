"""A process in a container that forbids filters of system calls, with a sandbox in it. With `all` as an argument, it requires them."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import struct
import sys

from perdure.tasks.sandbox import Sandbox, SandboxBroken

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_READ = 22, 38, 23
PRCTL, SECCOMP = ((157, 317), (167, 277))[os.uname().machine == "aarch64"]


def forbid_filters() -> None:
    """As containers do: EPERM for `seccomp`, and for `prctl` if it is asked for the same."""
    code = [
        (0x20, 0, 0, 0),
        (0x15, 4, 0, SECCOMP),
        (0x15, 0, 2, PRCTL),
        (0x20, 0, 0, 16),
        (0x15, 1, 0, PR_SET_SECCOMP),
        (0x06, 0, 0, 0x7FFF_0000),
        (0x06, 0, 0, 0x0005_0001),
    ]
    data = b"".join(struct.pack("<HBBI", *each) for each in code)
    kept = ctypes.create_string_buffer(data, len(data))
    program = struct.pack("@HP", len(code), ctypes.addressof(kept))
    held = ctypes.create_string_buffer(program, len(program))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    assert libc.prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero) == 0
    assert libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(2), ctypes.c_void_p(ctypes.addressof(held)), zero, zero) == 0


async def main() -> None:
    sandbox = Sandbox(2)
    codes = (f"const $default = (input) => input + {number}" for number in range(10))
    print([(await sandbox.run(code, 1, organization="acme")).value for code in codes])
    both = ("const $default = () => { for (let i = 0; i < 1e6; i++); return 1 }",) * 2
    await asyncio.gather(*(sandbox.run(code, 1, organization=str(at)) for at, code in enumerate(both)))
    await sandbox.close()


async def required() -> None:
    sandbox = Sandbox(2, requires_all=True)
    try:
        await sandbox.run("const $default = () => 1", None, organization="acme")
    except SandboxBroken as error:
        print(error)
    await sandbox.close()


if __name__ == "__main__":
    logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
    forbid_filters()
    asyncio.run(required() if sys.argv[1:] == ["all"] else main())
