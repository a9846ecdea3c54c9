"""Akoma Ntoso 3."""
