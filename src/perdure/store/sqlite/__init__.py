"""A store in a SQLite file: the default, and meant to be relied on."""
