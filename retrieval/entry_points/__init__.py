"""From a question to candidate rules: legs, fusion, reranking, filters."""
