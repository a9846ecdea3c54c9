"""French terms in use: elision, plurals of every word of a term, capitals."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rag.ingest.term_uses import Token, WordTerms

_ELIDED = r"(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’ʼ]"
_TOKEN = re.compile(rf"{_ELIDED}(?=[^\W\d_])|[^\W_]+(?:['’ʼ][^\W_]+)*|[^\w\s]|_", re.IGNORECASE)
_LEADING = re.compile(r"(?:[ld]['’]|(?:les?|la|une?|des|du|de|ledit|ladite|lesdits|lesdites)\s)\s*")
# Words that end in s or x in the singular too; their last letter is no plural.
_INVARIABLE_WORDS = """
abus accès acquis avis bas bois bras cas choix colis compromis concours congrès corps cours croix débours
décès dépens discours dos époux excès exprès faux flux fois fonds frais gros heureux huis indivis jus laps
legs mois noix nous os palais parcours pays permis poids prix procès progrès propos puis recours refus
relais repos secours sens sous sursis taux temps tiers toujours travers univers vers voix
"""
_INVARIABLE = frozenset(_INVARIABLE_WORDS.split())
_TO_AIL = {"travaux": "travail", "baux": "bail", "vitraux": "vitrail", "émaux": "émail", "coraux": "corail"}


class FrenchTerms(WordTerms):
    """See `TermRules`. Every word of a term takes the plural: "acte administratif", "actes administratifs"."""

    def normalise(self, term: str) -> str:
        """As other languages, and without a leading article, an elided one included."""
        text = super().normalise(term)
        while (lead := _LEADING.match(text)) is not None and len(text) > lead.end():
            text = super().normalise(text[lead.end() :])
        return text

    def key(self, word: str) -> str:
        """The word in lower case and in the singular."""
        return _key(word)

    def tokens(self, text: str) -> list[Token]:
        """Words and signs; an elided article or conjunction is a token of its own."""
        return [Token(m.start(), m.start() + len(m[0]), self.key(m[0]), m[0]) for m in _TOKEN.finditer(text)]

    def is_use(self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool) -> bool:
        """Not as a part of a word with hyphens ("avant-contrat" does not use "contrat")."""
        start, end = tokens[first].start, tokens[last].end
        before = start > 1 and text[start - 1] == "-" and text[start - 2].isalnum()
        after = text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha()
        return not before and not after


@lru_cache(maxsize=50_000)  # a law's words are few, and each is asked for at every place
def _key(word: str) -> str:
    return _singular(unicodedata.normalize("NFC", word).casefold().replace("’", "'").replace("ʼ", "'"))


def _singular(word: str) -> str:
    """The singular, as far as the ending tells; equal for all forms of one word is all that is needed."""
    if len(word) < 4 or word in _INVARIABLE or not word.isalpha():
        return word
    if word in _TO_AIL:
        return _TO_AIL[word]
    if word.endswith("aux") and not word.endswith("eaux"):
        return f"{word[:-3]}al"
    if word.endswith(("eaux", "eux", "oux")):
        return word[:-1]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
