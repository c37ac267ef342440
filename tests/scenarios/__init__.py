"""One suite of scenarios for every host: what must come of a workflow, wherever it runs."""
