"""Tasks against real servers on loopback, and the door against those who want to get around it."""
