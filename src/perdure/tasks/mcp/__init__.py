"""MCP: connections to servers whose tools steps can call. `connection.py` says what one is, `pool.py` has the sessions.

The library that speaks the protocol takes as long to import as all the rest of an engine: only `session.py` and what it stands on
import it, and they are imported when the first session is opened.
"""
