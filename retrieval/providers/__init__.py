"""Calls to model providers, under one deadline."""
