"""Databases written by an earlier commit, opened by this one: every execution comes to its end, and nothing stored is lost."""
