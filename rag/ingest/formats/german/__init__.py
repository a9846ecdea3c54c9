"""German federal law: Markdown, TEI and gii-norm XML."""
