"""Scoped contexts of small laws by others: what has to be there, what must not be, and what is stated as certain."""
