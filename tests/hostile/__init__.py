"""Hostile input at every edge, on every database."""
