"""The command line: one module a group of verbs, loaded when one of them is called; `app` has the list."""
