"""The United States: federal law, the District of Columbia, Massachusetts."""
