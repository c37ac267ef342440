"""Disks that fail, fill up and lose their power."""
