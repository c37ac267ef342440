"""How each fact takes effect. `core.apply` chooses; the functions here compute. They evaluate nothing."""
