"""What semantics §2 says of the orchestration dialect, case by case, as somebody sees it who types `perdure run --json`."""
