"""`quality_check`: debriefs, detectors, alerts and guidelines."""
