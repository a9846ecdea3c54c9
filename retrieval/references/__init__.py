"""From what people write to the one right node."""
