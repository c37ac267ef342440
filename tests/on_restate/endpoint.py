"""A process that runs on Restate, to be killed: it serves, starts so many executions, and goes on until it is.

python -m on_restate.endpoint URL BIND COUNT FOLDER ADMIN INGRESS…
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from on_restate.workflows import errands, register
from perdure.hosts.restate.host import RestateHost


async def main(url: str, bind: str, count: str, folder: str, admin: str, *ingress: str) -> None:
    host = RestateHost(url, ingress, bind)
    register(host.tasks, Path(folder))
    async with host:
        await host.register(admin)
        await host.library.ask(lambda store: store.save(errands()))
        await asyncio.gather(*(host.start("errands", {"n": n}) for n in range(int(count))))
        (Path(folder) / "started").touch()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
