"""French law: LEGI in XML and JSON, and Markdown."""
