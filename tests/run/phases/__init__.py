"""What semantics §3 says of the phases dialect, case by case, as somebody sees it who types `perdure run --json` or `validate`."""
