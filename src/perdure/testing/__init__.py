"""What Perdure is tested with, for its users too: a virtual clock, scripted tasks, a simulated world with faults."""
