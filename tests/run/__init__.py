"""What people get from `perdure run`."""
