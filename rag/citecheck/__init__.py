"""`verify` for any text: its references, quotations and claims, each with a verdict."""
