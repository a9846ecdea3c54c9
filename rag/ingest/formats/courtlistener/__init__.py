"""Opinions of CourtListener's API."""
