"""The core, driven by hand: events in, facts and commands out."""
