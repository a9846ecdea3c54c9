"""Whole answers."""
