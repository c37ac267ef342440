"""How a value is computed. What the core needs of it stands in `protocol`; the language itself comes next."""
