"""The bridge from everyday words to statutory terms: phrases of a question looked up in `legal_synonyms`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.nodes import Connection
from retrieval.paths import is_urn
from retrieval.queries import QUERIES

LONGEST_PHRASE = 5  # words
_WORD = re.compile(r"\w+(?:[’'-]\w+)*")


@dataclass(frozen=True, slots=True)
class SynonymHit:
    """A colloquial phrase of the question and what the law calls it: a term, or a node's URN."""

    phrase: str
    target: str
    weight: float

    @property
    def is_urn(self) -> bool:
        """Whether the target is a node."""
        return is_urn(self.target)


def normalise_phrase(text: str) -> str:
    """Lower case, NFC, words joined by one space, without a leading article; what `legal_synonyms.phrase` holds."""
    folded = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    words = _WORD.findall(folded)
    return " ".join(words)


def question_phrases(question: str) -> list[str]:
    """All runs of one to five words of a question, and their singulars, each once."""
    words = _WORD.findall(normalise_phrase(question))
    found: dict[str, None] = {}
    for size in range(1, LONGEST_PHRASE + 1):
        for start in range(len(words) - size + 1):
            phrase = " ".join(words[start : start + size])
            found[phrase] = None
            if phrase.endswith("s") and not phrase.endswith("ss") and len(phrase) > 3:
                found[phrase[:-1]] = None
    return list(found)


def find_synonyms(conn: Connection, question: str, *, language: str, jurisdictions: Sequence[str]) -> list[SynonymHit]:
    """Statutory terms for the question's phrases; a phrase inside a longer one that hits is not used by itself."""
    values = {"phrases": question_phrases(question), "language": language, "jurisdictions": list(jurisdictions)}
    rows = [SynonymHit(*row) for row in conn.execute(QUERIES["find_synonyms"], values)]
    hits = {row.phrase for row in rows}
    inside = {one for one in hits for other in hits if one != other and f" {one} " in f" {other} "}
    return [row for row in rows if row.phrase not in inside]
