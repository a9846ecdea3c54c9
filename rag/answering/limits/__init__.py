"""The law's own sentences that limit a served statement."""
