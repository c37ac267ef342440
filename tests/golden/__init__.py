"""Public and stored names that clients, operators and databases rely on."""
