"""What people type. The only place that prints."""
