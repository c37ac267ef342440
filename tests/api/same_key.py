"""Starts with one key: `python -m api.same_key PORT TOKEN COUNT` prints the ids that it was told, each once."""

from __future__ import annotations

import asyncio
import json
import sys

import httpx2

AT_ONCE = 16


async def main(port: int, token: str, count: int) -> None:
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "the-one"}
    told: set[str] = set()
    statuses: set[int] = set()
    left = iter(range(count))
    async with httpx2.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=60, trust_env=False
    ) as client:

        async def some() -> None:
            for _ in left:
                answer = await client.post("/api/executions", json={"name": "greet", "input": {"name": "Ada"}})
                statuses.add(answer.status_code)
                told.add(answer.json().get("id", ""))

        await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    print(json.dumps({"ids": sorted(told), "statuses": sorted(statuses)}))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
