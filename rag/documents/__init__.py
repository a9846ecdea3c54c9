"""Reading a document block by block."""
