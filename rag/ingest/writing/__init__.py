"""Annotated documents into the store: editions, versions, vectors, edges."""
