"""Bringing the official publication of a law to a folder, from where `ingest` reads it."""
