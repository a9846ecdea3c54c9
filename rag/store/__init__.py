"""Where PostgreSQL comes from, its schema, and the reference data that people record."""
