"""English terms in use: possessives, plurals, verbs that look like terms, and proper names; the rules of annotation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from rag.languages.en.definitions import EnglishDefinitions
from rag.languages.en.exceptions import ENGLISH_LINKS
from rag.languages.en.rules import ENGLISH
from rag.languages.en.rules import ENGLISH_WORDS as WORDS
from rag.languages.en.tokens import IRREGULAR
from rag.law.entries import TermLists
from rag.law.scopes import ScopeFinder
from rag.law.term_uses import NO_SENSES, Sense, Senses, TermRules, Token, WordTerms, is_another_word

if TYPE_CHECKING:
    from rag.law.jurisdiction import DocumentIndex, Jurisdiction
    from rag.law.passages import Passage

_POSSESSIVE = re.compile(r"[’']s\Z")
_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)*|[^\w\s]|_")
_HYPHENS = "-‐‑"
_ADJECTIVE = ("ing", "ed", "al", "ous", "ic", "ive", "able", "ible", "ful", "less", "ary", "ant", "ent")
_HAVE = frozenset(("have", "has", "had", "having"))
_BE = frozenset(("be", "is", "are", "was", "were", "been", "being"))


def _phrases() -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """Fixed phrases by each word that they have, with its place in them."""
    found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for phrase in WORDS.fixed_phrases:
        words = tuple(phrase.split())
        for place, word in enumerate(words):
            found.setdefault(word, []).append((words, place))
    return found


_PHRASES = _phrases()


class EnglishTerms(WordTerms):
    """See `TermRules`."""

    articles = WORDS.articles

    def tokens(self, text: str) -> list[Token]:
        """Words and signs; a possessive ending belongs to no token."""
        tokens: list[Token] = []
        for match in _WORD.finditer(text):
            word = match[0]
            if word.isascii() and "'" not in word:
                tokens.append(Token(match.start(), match.end(), word.lower(), word))
                continue
            base = _POSSESSIVE.sub("", word)
            key = unicodedata.normalize("NFC", base).casefold().replace("’", "'")
            tokens.append(Token(match.start(), match.start() + len(base), key, word))
        return tokens

    def forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The term with its last word, or its head noun before "in charge" or "general", in singular and plural."""
        heads = {len(keys) - 1}
        heads.add(next((at - 1 for at in range(1, len(keys)) if keys[at] in WORDS.after_head), len(keys) - 1))
        return sorted({(*keys[:at], form, *keys[at + 1 :]) for at in heads for form in _forms(keys[at], len(keys))})

    def verb_forms(self, keys: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The term with its first word in all forms of a verb."""
        return [(form, *keys[1:]) for form in _verb_forms(keys[0])]

    def is_use(
        self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool, senses: Senses = NO_SENSES
    ) -> bool:
        """Not as part of a hyphenated word, a proper name or a fixed phrase, nor as another part of speech."""
        start = tokens[first].start
        if start and text[start - 1] in _HYPHENS and text[start - 2 : start - 1].isalnum():
            return False
        if Sense.ACTION in senses:
            either = Sense.EITHER in senses and not tokens[first].key.endswith("ing")
            if not either and _is_noun(tokens, first, last, heading=heading):
                return False
        elif Sense.STATE in senses:
            if _is_active(tokens, first, last):
                return False
        elif Sense.GERUND in senses and not tokens[first].key.endswith("ing"):
            if _is_noun(tokens, first, last, heading=heading):
                return False
        elif first == last and (_is_verb(tokens, first) or _in_fixed_phrase(tokens, first)):
            return False
        return heading or not (_in_proper_name(tokens, first, last) or is_another_word(tokens, first, senses))


def _forms(word: str, length: int) -> set[str]:
    """A noun in singular and plural, as one word of a term with so many words."""
    forms = {word, *_plurals(word)}
    for singular, plural in WORDS.irregular_suffixes:
        if word.endswith(singular):
            forms.add(word.removesuffix(singular) + plural)
        if length > 1 and word.endswith(plural):
            forms.add(word.removesuffix(plural) + singular)
    # A term defined in the plural is used in the singular too, but for words whose singular is another one: goods.
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and (length > 1 or word not in WORDS.plural_only):
        forms.update(
            word.removesuffix(plural) + singular for singular, plural in WORDS.plural_suffixes if word.endswith(plural)
        )
    return {form for form in forms if len(form) > 1}


def _verb_forms(word: str) -> Iterable[str]:
    """The forms of a verb beside its own; the last consonant doubled as well, where a vowel is before it."""
    base = word[:-1] if word.endswith("e") and not word.endswith("ee") else word
    past = f"{word[:-1]}i" if word.endswith("y") and word[-2:-1] not in "aeiou" else base
    forms: set[str] = {*_plurals(word), f"{base}ing", f"{past}ed"}
    if word[-1:] not in "aeiouwxy" and word[-2:-1] in "aeiou":
        forms |= {f"{word}{word[-1:]}ing", f"{word}{word[-1:]}ed"}
    if word.endswith("ate"):
        forms |= {f"{base}ion", f"{base}ions"}  # "agitate", "agitation"
    if word.endswith("ing") and len(word) > len("being"):
        forms |= _verb_forms_of_gerund(word)
    return forms | {form for form, verb in IRREGULAR.items() if verb == word}


def _verb_forms_of_gerund(word: str) -> set[str]:
    """The forms of the verb behind a term such as "firing"; forms that no word has are found nowhere."""
    base = word.removesuffix("ing")
    single = base[:-1] if base[-1:] == base[-2:-1] else base
    return {f"{stem}{ending}" for stem in {base, single} for ending in ("", "e", "s", "es", "ed")}


def _plurals(word: str) -> list[str]:
    """The plural forms of a singular word, by the first suffix rule that fits; a vowel before y keeps it."""
    for singular, plural in WORDS.plural_suffixes:
        if word.endswith(singular) and not (singular == "y" and word[-2:-1] in "aeiou"):
            return [word[: len(word) - len(singular)] + plural] if word[-1:].isalpha() else []
    return []


def _is_verb(tokens: Sequence[Token], at: int) -> bool:
    """Whether a one-word term is a verb here: "may lease the unit", "fails to act", "that states any", "states his"."""
    before = tokens[at - 1].key if at else ""
    earlier = tokens[at - 2].key if at > 1 else ""
    after = tokens[at + 1].key if at + 1 < len(tokens) else ""
    if before in WORDS.modals:
        return True
    if before == "[" and after in WORDS.determiners:
        return True
    if before in WORDS.subjects and after in WORDS.determiners:
        return True
    if after in WORDS.possessives and before not in WORDS.determiners:
        return True
    return before == "to" and (after in WORDS.determiners or earlier in WORDS.refusals)


def _is_noun(tokens: Sequence[Token], first: int, last: int, *, heading: bool) -> bool:
    """Whether the form of a verb is a thing here: "a building", "the adjoining moors", "every store", as a heading.

    "The discharge of oil" is an action, and so is "Discharging".
    """
    before = tokens[first - 1].key if first else ""
    earlier = tokens[first - 2].key if first > 1 else ""
    after = tokens[last + 1].key if last + 1 < len(tokens) else ""
    word = tokens[first].key
    if word.endswith("ing"):
        return before in WORDS.articles and after != "of"
    if word.endswith("ed") or word in IRREGULAR:
        return False
    led = before in WORDS.determiners or (earlier in WORDS.determiners and before.endswith(_ADJECTIVE))
    return after != "of" and ((led and after not in WORDS.determiners) or (heading and first == 0))


def _is_active(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether a participle is what somebody did: "has prescribed a diet", "the clerk certified the letter"."""
    before = first - 1
    while before > 0 and tokens[before].key.endswith("ly"):
        before -= 1
    word = tokens[before].key if before >= 0 else ""
    after = tokens[last + 1].key if last + 1 < len(tokens) else ""
    return word in _HAVE or (after in WORDS.determiners and word not in _BE)


def _in_fixed_phrase(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is part of words that mean nothing by themselves: "a lot of", "in the event of"."""
    return any(
        tuple(token.key for token in tokens[at - place : at - place + len(phrase)]) == phrase
        for phrase, place in _PHRASES.get(tokens[at].key, ())
        if at >= place
    )


def _in_proper_name(tokens: Sequence[Token], first: int, last: int) -> bool:
    """Whether capitals around the words show a name: "Equal Credit Opportunity Act" does not use "act"."""
    if not tokens[first].text[:1].isupper():
        return False
    after = tokens[last + 1].text if last + 1 < len(tokens) else ""
    if after[:1].isupper() and not after.isupper() and after not in WORDS.openers:
        return True
    # "Secretary of State" is another officer than "the Secretary".
    following = tokens[last + 2].text if last + 2 < len(tokens) else ""
    if after == "of" and following[:1].isupper() and following not in WORDS.openers:
        return True
    before = first - 1
    while before > 0 and tokens[before].text in WORDS.name_joints:
        before -= 1
    word = tokens[before].text if before >= 0 else ""
    opens = before <= 0 or tokens[before - 1].text in ".;:!?—()"
    return word[:1].isupper() and word not in WORDS.openers and not (opens and before == first - 1)


class English:
    """See `LanguageRules`."""

    language = "en"
    links = ENGLISH_LINKS
    lists = TermLists(ENGLISH.listed_lead, ENGLISH.bare_item)
    terms: TermRules = EnglishTerms()

    def definition_finder(
        self, index: DocumentIndex, jurisdiction: Jurisdiction, passage_of: Callable[[str], Passage]
    ) -> EnglishDefinitions:
        """See `LanguageRules`."""
        return EnglishDefinitions(index, ENGLISH, ScopeFinder(index, jurisdiction, ENGLISH, passage_of), self.terms)
