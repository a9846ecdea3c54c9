"""The stored weights of a node's words, `legal_nodes.word_weights`, and a question's to multiply them with.

Both are sparse vectors of whole numbers in which each word has a place of its own, by a hash. Their inner product tells
which nodes are worth a closer look; that two words share a place, one time in millions, costs one such look.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from retrieval.bm25 import Word

_PLACES = 1 << 28  # as `lex_weights` of sql/schema.sql has them
# A product stays below what a float of four bytes holds exactly, so that its sum does not depend on its order.
_RARITY = 64


def word_place(lexeme: str) -> int:
    """A word's place in the vectors, from 1 to 2 ** 28."""
    return int(hashlib.md5(lexeme.encode(), usedforsecurity=False).hexdigest()[:7], 16) + 1


def question_weights(words: Iterable[Word]) -> str:
    """How much each word of a question weighs, as the text of a `sparsevec`."""
    weights = {word_place(one.lexeme): max(round(one.idf * _RARITY), 1) for one in words}
    listed = ",".join(f"{place}:{weight}" for place, weight in sorted(weights.items()))
    return f"{{{listed}}}/{_PLACES}"
