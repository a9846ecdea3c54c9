"""Short direct questions, answered without a model."""
