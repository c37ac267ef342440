"""Examples of every operation, for the OpenAPI document: one small world, in which ada has an office that refunds orders, and bob
of finance approves. `table.py` has all of them, by method and path, and writes them into the document.
"""
