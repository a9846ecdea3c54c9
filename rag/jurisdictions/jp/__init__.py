"""Japan."""
