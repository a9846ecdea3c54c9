"""Documents that are not law: text, Markdown, HTML, PDF, Word."""
