"""Reads the store: references, entry points and scoped context, deterministic given store and vectors."""
