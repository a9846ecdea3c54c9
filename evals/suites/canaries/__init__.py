"""Whether facts of a user reach any record."""
