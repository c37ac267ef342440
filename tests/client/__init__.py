"""The client: a server in a process of its own, asked by a program and by commands."""
