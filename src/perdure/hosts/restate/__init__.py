"""Perdure on Restate: each execution is a virtual object, and Restate supplies what is durable (docs/decisions/0008-restate.md)."""
