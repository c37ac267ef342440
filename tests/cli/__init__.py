"""The command, as people and programs type it."""
