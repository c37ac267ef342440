"""Documents: read, recognised, compiled, run, and seen in the words of their dialect."""
