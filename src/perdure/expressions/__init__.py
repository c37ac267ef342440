"""How a value is computed: one closed language. `protocol` is what the core needs of it, `language` is where it begins."""
