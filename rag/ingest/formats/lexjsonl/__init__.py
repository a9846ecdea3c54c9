"""The native format: JSON Lines, one node per line."""
