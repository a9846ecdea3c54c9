"""Honest and altered drafts by authors who have not seen the verifier, through synthesis with recorded judgements."""
