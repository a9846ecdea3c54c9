"""Definitions and exceptions against published ground truth."""
