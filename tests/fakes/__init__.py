"""Stand-ins for the world outside, spoken to through the real clients."""
