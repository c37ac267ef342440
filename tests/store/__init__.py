"""What every store keeps of its contract, told once and shown of each."""
