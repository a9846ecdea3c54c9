"""France."""
