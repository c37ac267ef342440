"""One organization never sees the rows of another: what the database sees to by itself, and what is refused at the door."""
