"""eRegulations: RegML and JSON."""
