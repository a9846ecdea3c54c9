"""Parsers against published files."""
