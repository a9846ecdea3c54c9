"""The command line: one module a group of verbs; `app` puts them together."""
