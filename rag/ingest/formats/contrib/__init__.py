"""Formats of one data set or one act."""
