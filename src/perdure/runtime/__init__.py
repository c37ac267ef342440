"""The only loop: turns, commits, performing, wake-ups, event routing, chains. No input or output of its own."""
