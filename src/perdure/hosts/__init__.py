"""Who supplies durability: our own runtime with a store, or another engine."""
