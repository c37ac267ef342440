"""The store in Postgres: many workers on one database."""
