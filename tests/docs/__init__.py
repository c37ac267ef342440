"""What the pages say is what happens."""
