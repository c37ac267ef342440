"""Perdure as a server of MCP, at `/mcp`: what an agent may start, look at and decide, with the keys and roles that REST has.

Nothing is kept between two requests: each says who asks, and is answered by whichever server it comes to.
"""
