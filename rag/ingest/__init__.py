"""From source bytes to the store: parse, annotate, stage, merge, embed, resolve edges."""
