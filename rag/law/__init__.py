"""The records that all readers share: nodes, passages, scopes, term uses, blocks."""
