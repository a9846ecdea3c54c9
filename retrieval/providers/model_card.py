"""What an embedding model says of itself: the languages that it knows.

A model that knows English only puts other law in an order of chance. Where it says so itself, its leg stays out of what
it does not know; where it says nothing, it is believed to know all.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol, runtime_checkable

from retrieval.errors import ConfigurationError
from retrieval.providers.embedding import Embedder

CARD = "README.md"
_FRONT = re.compile(r"\A---\s*\n(.*?\n)---\s*$", re.DOTALL | re.MULTILINE)
# `language: en`, `language: [en, de]`, or a list on lines of its own.
_LANGUAGE = re.compile(r"^languages?:[ \t]*(\[[^\]]*\]|[^\n\[]*)\n((?:[ \t]*-[ \t][^\n]*\n)*)", re.MULTILINE)
_CODE = re.compile(r"[a-z]{2,3}")


@runtime_checkable
class Knowing(Protocol):
    """An embedder that says which languages its model knows."""

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639 codes; none where the model does not say."""
        ...


def known_languages(embedder: Embedder) -> frozenset[str]:
    """The languages that an embedder's model says it knows, as ISO 639 codes; none where it does not say."""
    return embedder.languages if isinstance(embedder, Knowing) else frozenset()


def card_languages(folder: Path) -> frozenset[str]:
    """The languages of a model card in a model's folder; none without a card, or where it names anything else.

    Raises:
        ConfigurationError: the card is there and cannot be read.
    """
    card = folder / CARD
    if not card.is_file():
        return frozenset()
    try:
        front = _FRONT.match(card.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise ConfigurationError(f"The local embedding model's {CARD} cannot be read ({error.strerror}).") from None
    listed = _LANGUAGE.search(front[1]) if front else None
    names = re.findall(r"[\w-]+", f"{listed[1]} {listed[2].replace('- ', ' ')}".lower()) if listed else []
    return frozenset(names) if all(_CODE.fullmatch(name) for name in names) else frozenset()
