"""Orchestrations as people use them: the example of an order, from its event to its end, whatever befalls it."""
