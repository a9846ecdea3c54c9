"""The European Union."""
