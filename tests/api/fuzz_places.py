"""Where a server of MCP is that nobody may call: what is asked of it is refused at once, whoever asks how often."""

from __future__ import annotations

NOWHERE = "http://127.0.0.1:9/mcp"
