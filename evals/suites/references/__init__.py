"""Grammars against published references."""
