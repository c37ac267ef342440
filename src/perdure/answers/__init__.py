"""What programs read: the API answers with it, and commands print it with `--json`. One shape for each thing, in one place."""
