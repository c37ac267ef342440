"""The server: what others reach over HTTP. The only place that knows of it."""
