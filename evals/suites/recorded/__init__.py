"""Recorded answers."""
