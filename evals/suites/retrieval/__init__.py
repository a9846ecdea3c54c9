"""Search against questions with known answers."""
