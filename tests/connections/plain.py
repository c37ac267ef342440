"""A server of the Python SDK. By stdio, or with PORT by streamable HTTP; it tells what it was sent."""

from __future__ import annotations

import logging
import os
import sys

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("plain", log_level="ERROR")


@server.tool()
def add(a: int, b: int) -> int:
    """The sum of two numbers."""
    return a + b


@server.tool()
def headers(name: str, ctx: Context) -> str:
    """What this header said."""
    return (ctx.headers or {}).get(name, "it was not there")


@server.tool()
def refuse(why: str) -> str:
    """Fails, and says why."""
    raise ToolError(why)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    if "PORT" in os.environ:
        server.run(
            "streamable-http", host="127.0.0.1", port=int(os.environ["PORT"]), json_response="--json" in sys.argv
        )
    else:
        server.run("stdio")
