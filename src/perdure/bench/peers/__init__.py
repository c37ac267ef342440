"""Other libraries at the same work. Each run is a process of its own, since each library wants the process for itself.

A peer is used as its own documentation says, and nothing of it is tuned but the syncing, where it differs from ours.
"""
