"""Source formats: one parser a module, chosen by content."""
