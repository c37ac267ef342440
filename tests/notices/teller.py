"""A worker that opens approvals and tells of them, until it is killed."""

from __future__ import annotations

import asyncio
import sys

from perdure.service.engine import Engine


async def main() -> None:
    async with Engine(sys.argv[1], crashes_max=1_000) as engine:
        print("here", flush=True)
        await engine.serve()


if __name__ == "__main__":
    asyncio.run(main())
