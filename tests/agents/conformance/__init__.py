"""The conformance suite of MCP itself, from npm at the version of `package-lock.json`, against our server."""
