"""Treatments of references in decisions against labels: precision and recall."""
