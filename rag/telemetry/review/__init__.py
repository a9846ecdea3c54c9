"""A trace as a reviewer reads it: HTML, Markdown, JSON."""
