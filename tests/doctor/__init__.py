"""The doctor: whoever is well is told so, and whatever is broken is found."""
