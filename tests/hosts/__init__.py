"""Perdure as programs use it."""
