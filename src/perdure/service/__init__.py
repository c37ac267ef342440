"""The use cases, on a host and a store. What a program, the command line and the API call is here, and nothing else is.

Everything takes an organization, and what belongs to another one does not exist.
"""
