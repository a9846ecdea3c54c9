"""One claim against its evidence. Pure, usable without a store."""
