"""Durable facts, ownership, inbox and queries. `port` is the contract; every store keeps it in its own way."""
