"""A program that changes the key of all secrets, and kills itself on the way: `python -m vault.rotating URL STEP`.

Each card is written in one step; before and after each, it may die: step 2n is before the write of card n, 2n + 1 after it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import Any

from perdure.store.registers import WriteCard
from vault.words import NEW, OLD, engine


async def main(url: str, dies_at: int) -> None:
    async with engine(url, NEW, OLD, works=False) as used:
        shell, written = used.host.shell, 0
        commit = shell.commit

        async def dying(item: Any, **more: Any) -> Any:
            nonlocal written
            if isinstance(item, WriteCard):
                _die_if(2 * written == dies_at)
                outcome = await commit(item, **more)
                _die_if(2 * written + 1 == dies_at)
                written += 1
                return outcome
            return await commit(item, **more)

        shell.commit = dying  # type: ignore[method-assign]
        done = await used.secrets.rotate(actor="rotating")
        print(done.rotated, done.current, len(done.failed))


def _die_if(now: bool) -> None:
    if now:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
