"""The verifier against altered claims."""
