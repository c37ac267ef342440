"""What a workflow is, and the records everybody shares: frozen data, closed unions, no behaviour.

This layer knows nothing of running: no state, no store, no dialect.
"""
