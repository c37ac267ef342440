"""Perdure on Restate: each execution is a virtual object, and Restate supplies what is durable. Why so: decision 0008."""
