"""Lexscope: scoped-context legal RAG. `Engine` is the door; `Settings` says where the store is."""
