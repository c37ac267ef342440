"""What semantics §1 says of the ports dialect, case by case, as somebody sees it who types `perdure run --json`."""
