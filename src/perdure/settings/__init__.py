"""What the operator decides in the environment of a process, never what an author of workflows writes: `table.py` has it all."""
