"""One module per jurisdiction: citation grammar, the words that define and except, and examples."""
