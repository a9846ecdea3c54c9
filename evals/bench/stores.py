"""Databases that live as long as one benchmark: those of the suites."""

from evals.scratch import scratch_store

__all__ = ["scratch_store"]
