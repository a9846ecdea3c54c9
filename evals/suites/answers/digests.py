"""Digests as another process computes them; apart, so that a new process imports the engine and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from rag.engine import Engine
from rag.settings import Settings


def digests(settings: Settings, urns: Sequence[str]) -> dict[str, str]:
    """The digest of C(R) of each URN, from a store opened anew."""
    with Engine.open(settings) as engine:
        return {urn: engine.context(urn).digest or "" for urn in urns}
