"""What stores over SQL have in common: what is decided, how rows are read, which questions there are. The statements themselves
are each database's own, by name.
"""
