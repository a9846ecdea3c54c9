"""How a document speaks of itself as a whole: "this Regulation", "these terms", "diese Satzung", "le présent contrat".

One mechanism serves scopes, exceptions and references in law of every country; the words are a language's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rag.law.patterns import lazy

NOWHERE = lazy(r"(?!)")


@dataclass(frozen=True, slots=True)
class OwnPhrases:
    """A language's words for the whole of a document.

    Attributes:
        itself: "this Act", in groups: `word`, the kind without its ending, `many` for a plural, and `middle`, the words
            between.
        kind: a word for what a document may be, in a title or a line: "Moped Rental Ordinance", "Hallensatzung".
        told_by: what makes such words certain where the title does not have their kind: a capital, any use, or nothing.
        in_compounds: whether a title has a kind as a part of a word: "Büchereisatzung".
        one_of_many: kinds of which a document may have several, its own provisions: "this rule".
        spelled: kinds whose plural has another stem: `policie`, which is `policy`.
        called: behind such words, the name by which the document is cited, `name`: "may be cited as the Harbour Act".
        begins: behind such words, or behind that, the day on which the document comes into force, `day`, and no more.
        again: a pronoun that opens a sentence and may take up the document: "They come into force on".
        in_force: words by which any provision comes into force, or by which a text says that it was amended.
    """

    itself: re.Pattern[str]
    kind: re.Pattern[str]
    told_by: Literal["capital", "use", "title"] = "title"
    in_compounds: bool = False
    one_of_many: frozenset[str] = frozenset()
    spelled: Mapping[str, str] = field(default_factory=dict[str, str])
    called: re.Pattern[str] = NOWHERE
    begins: re.Pattern[str] = NOWHERE
    again: re.Pattern[str] = NOWHERE
    in_force: re.Pattern[str] = NOWHERE

    def is_one_of_many(self, word: str, title: str) -> bool:
        """Whether "this rule" is one of the document's own: its title does not call the whole so."""
        return word in self.one_of_many and re.search(rf"\b{word}\b", title.casefold()) is None


# What ends before "of this Agreement" has a number of its own: "section 99 of", "Part B to", "Anlage 2 zu".
_NUMBERED = lazy(
    r"(?:\d[\w.]*|\(\w{1,5}\)|\b[A-Z]|\b[IVXL]{1,6})[,\s]{1,3}(?:of|in|under|to|zu|von|de|du|des|der|dans)"
    r"(?:\s(?:the|la|le))?\s{1,3}\Z"
)
_BEFORE = 40  # characters in which such a number stands


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Where a text names the whole of its document.

    `sure` unless only the table tells that it is one of that kind, `titled` where the title does; `numbered` where a
    number before says which part.
    """

    start: int
    end: int
    sure: bool
    numbered: bool
    titled: bool


def own_words(text: str, phrases: OwnPhrases, title: str, levels: frozenset[str], *, plain: bool) -> list[OwnWords]:
    """Where a text speaks of its document as a whole, by the words of its language or those of its title.

    Args:
        text: of one node.
        title: of the document.
        levels: what its own parts are called: "this rule" is one of them, "these rules" are all.
        plain: whether it is a contract, a policy or the like, which may call itself what its title does not say.
    """
    named, found = title.casefold(), list[OwnWords]()
    for match in phrases.itself.finditer(text):
        word = match["word"].casefold()
        word = phrases.spelled.get(word, word)
        many, middle = bool(match["many"]), (match["middle"] or "").casefold().strip()
        titled = word in named if phrases.in_compounds else bool(re.search(rf"\b{re.escape(word)}", named))
        if (word in levels and not many) or not (titled or plain):
            continue
        if not many and phrases.is_one_of_many(word, title):
            continue
        numbered = _NUMBERED.search(text[max(match.start() - _BEFORE, 0) : match.start()]) is not None
        told = phrases.told_by == "use" or (phrases.told_by == "capital" and match["word"][0].isupper())
        sure = middle in named and (titled or many or told)
        found.append(OwnWords(match.start(), match.end(), sure, numbered, titled))
    return found
