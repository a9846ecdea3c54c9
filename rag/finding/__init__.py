"""From a request to its rules, and what the store holds."""
