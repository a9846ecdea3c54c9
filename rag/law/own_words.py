"""How a document speaks of itself as a whole: "this Regulation", "these terms", "diese Satzung", "le présent contrat".

One table of words for each language serves scopes, exceptions and references, whatever country the document is from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.law.patterns import lazy

# Singular forms without their endings. A document of more than one rule, term or condition is "these rules".
ENGLISH_KINDS = (
    r"act|code|law|regulation|rule|order|ordinance|instrument|statute|by-?law|bye-law|charter|compact|proclamation|decree"
    r"|convention|treaty|protocol|agreement|covenant|contract|polic(?:y|ie)|lease|licence|license|deed|term|condition"
    r"|document|handbook|manual|plan|scheme|guideline|resolution|constitution"
)
_ONE_OF_MANY = frozenset({"rule", "term", "condition", "guideline"})
_MIDDLE = r"(?P<middle>(?:(?-i:[A-Z])[\w’'&-]+\s){0,3}?)"
# What a document may call itself; in German and French with the endings of a whole word.
_KINDS = {
    "en": rf"(?P<word>{ENGLISH_KINDS})s?",
    "de": r"(?P<word>(?-i:[A-ZÄÖÜ])\w*"
    r"(?:gesetz|(?<!an)(?<!zu)ordnung|satzung|vertrag|vereinbarung"
    r"|richtlinie|reglement|statut|bedingung|abkommen|konkordat)|Gesetz|Ordnung|Verordnung|Satzung|Vertrag"
    r"|Vereinbarung|Richtlinie|Reglement|Statut|(?P<many>Statuten|Bedingungen|AGB)|Abkommen|Konkordat)(?:e?s|en?)?",
    "fr": r"(?P<word>loi|code|ordonnance|décret|arrêté|règlement|contrat|accord|convention|bail|charte|statut|décision"
    r"|délibération|condition|protocole|politique|directive|circulaire|instruction)s?",
    "ja": r"(?P<word>規約|契約|約款|規則|規程|条例|要綱|協定|内規|細則)(?![人書金者])",
}
_WORDS = {
    "en": rf"\b(?:this|(?P<many>these)|the\spresent)\s{_MIDDLE}{_KINDS['en']}(?![\w-])",
    "de": rf"\bdies(?:e[rsnm]?)\s(?P<middle>){_KINDS['de']}(?![\w-])",
    "fr": rf"\bprésent(?P<many>e?s)?e?\s(?P<middle>){_KINDS['fr']}(?![\w-])",
    "ja": rf"(?:この|本)(?P<middle>){_KINDS['ja']}(?P<many>)",
}
_PATTERNS = {language: lazy(words, re.IGNORECASE) for language, words in _WORDS.items()}
_NAMING = {
    language: lazy(words if language == "ja" else rf"\b{words}(?![\w-])", re.IGNORECASE)
    for language, words in _KINDS.items()
}
# What ends before "of this Agreement" has a number of its own: "section 99 of", "Part B to", "Anlage 2 zu".
_NUMBERED = lazy(
    r"(?:\d[\w.]*|\(\w{1,5}\)|\b[A-Z]|\b[IVXL]{1,6})[,\s]{1,3}(?:of|in|under|to|zu|von|de|du|des|der|dans)"
    r"(?:\s(?:the|la|le))?\s{1,3}\Z"
)
_BEFORE = 40  # characters in which such a number stands


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Where a text names the whole of its document.

    `sure` unless only the table tells that it is one of that kind; `numbered` where a number before says which part.
    """

    start: int
    end: int
    sure: bool
    numbered: bool


def names_a_kind(text: str, language: str) -> bool:
    """Whether a title or a line has a word for what a document may be: "Moped Rental Ordinance", "Hallensatzung"."""
    pattern = _NAMING.get(language)
    return pattern is not None and pattern.search(text) is not None


def one_of_many(word: str, title: str) -> bool:
    """Whether "this rule" is one of the document's own: its title does not call the whole so."""
    return word in _ONE_OF_MANY and re.search(rf"\b{word}\b", title.casefold()) is None


def own_words(text: str, language: str, title: str, levels: frozenset[str], *, plain: bool) -> list[OwnWords]:
    """Where a text speaks of its document as a whole, by the words of its language or those of its title.

    Args:
        text: of one node.
        language: of the document, two letters; one without a table has no such words.
        title: of the document.
        levels: what its own parts are called: "this rule" is one of them, "these rules" are all.
        plain: whether it is a contract, a policy or the like, which may call itself what its title does not say.
    """
    pattern = _PATTERNS.get(language)
    named, found = title.casefold(), list[OwnWords]()
    for match in pattern.finditer(text) if pattern is not None else ():
        word = match["word"].casefold().replace("policie", "policy")
        many, middle = bool(match["many"]), (match["middle"] or "").casefold().strip()
        titled = word in named if language in ("de", "ja") else bool(re.search(rf"\b{re.escape(word)}", named))
        if (word in levels and not many) or not (titled or plain):
            continue
        if not many and one_of_many(word, named):
            continue
        numbered = _NUMBERED.search(text[max(match.start() - _BEFORE, 0) : match.start()]) is not None
        capital = language == "en" and match["word"][0].isupper()
        sure = middle in named and (titled or many or capital or language in ("fr", "ja"))
        found.append(OwnWords(match.start(), match.end(), sure, numbered))
    return found
