"""One package a subject that is measured; `catalogue` lists them."""
