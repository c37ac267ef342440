"""What runs on a real Restate."""
