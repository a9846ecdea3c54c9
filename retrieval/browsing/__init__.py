"""What the store holds: structure, documents, facets, snippets."""
