"""Definitions, scopes, references and exceptions of a parsed document. Pure."""
