"""What is kept of requests, and how a reviewer reads it."""
