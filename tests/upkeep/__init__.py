"""A server over the years: its settings, what it forgets, its copies, its restarts."""
