"""A server, asked from a program: the verbs of an engine, over HTTP. It knows the shapes of answers, and no database."""
