"""The words of a quotation and of the law it is compared with, and what decides the meaning of a sentence in them.

Words are compared without case and accents of spelling style (NFC, soft hyphens, dashes); punctuation is compared
apart, because a quotation may run over several nodes, whose texts hold no designators.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple, overload

from rag.languages.base import NOTHING, Kind, StatementWords
from rag.languages.operators import qualifiers, read_in
from rag.languages.registry import known_language, language_codes
from rag.languages.text import fold

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = rf"[{_UNSPACED}]|\d+(?:[.,:/\u2010-\u2015-]\d+)*|(?:(?![{_UNSPACED}\d])[\w\u00ad])+|[$€£¥%‰§]"
_WORDS = re.compile(_WORD)
_ELLIPSIS = (
    r"[\[(〔（]\s?(?:…+|\.\s?\.\s?\.(?:\s?\.)?|\*\s?\*\s?\*|中略)\s?[\])〕）]|…+|\.\s?\.\s?\.(?:\s?\.)?|\*\s\*\s\*"
)
_ELEMENTS = re.compile(rf"(?P<gap>{_ELLIPSIS})|(?P<edit>\w{{0,200}}\[[^\[\]]{{0,200}}\]\w*)|(?P<word>{_WORD})")
_EMPHASIS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_QUOTE_LINES = re.compile(r"(?m)^[ \t]*>+[ \t]?")
_LONE_LETTER = re.compile(r"\[(\w)\](\w+)\Z")
_ADDED_NOTE = re.compile(r"\A(?:sic!?|emphasis\b.*|hervorhebung\b.*|herv\.?\b.*|italics\b.*|nous soulignons)\Z", re.I)

ElementKind = Literal["word", "gap", "edit"]


@dataclass(frozen=True, slots=True)
class Element:
    """A word of a quotation, an ellipsis, or words in brackets, which are the author's own."""

    kind: ElementKind
    text: str  # compared form of a word; the author's words in brackets


@dataclass(frozen=True, slots=True)
class SourceWord:
    """A word of the law: its compared form, which node it stands in and where."""

    text: str
    node: int
    start: int
    end: int


def compared(word: str) -> str:
    """The form in which words are compared."""
    if word.isascii():
        return word.lower()
    folded = re.sub("[\u2010-\u2015]", "-", word.replace("\u00ad", ""))
    return unicodedata.normalize("NFC", folded).casefold()


def clean_quotation(text: str) -> str:
    """The quoted words without what marks them up: the `>` of block lines, emphasis, white space at the ends."""
    plain = _QUOTE_LINES.sub("", text).replace("\x00", " ")  # no law holds it, and no statement can carry it
    if plain.count("*") > 1 and "* * *" not in plain:
        plain = _EMPHASIS.sub("", plain)
    return unicodedata.normalize("NFC", " ".join(plain.split()))


def elements_of(quotation: str) -> list[Element]:
    """The words, ellipses and brackets of a cleaned quotation, without ellipses at its ends.

    `[t]he` is the word, for only its case was changed; `[sic]` and a note on emphasis are nothing.
    """
    found: list[Element] = []
    for match in _ELEMENTS.finditer(quotation):
        kind, words = match.lastgroup, match[0]
        if kind == "gap":
            found.append(Element("gap", words))
        elif kind == "edit":
            letter = _LONE_LETTER.match(words)
            inside = words.replace("[", "").replace("]", "").strip()
            if letter:
                found.append(Element("word", compared(letter[1] + letter[2])))
            elif not _ADDED_NOTE.match(inside):
                found.append(Element("edit", inside))
        else:
            found.append(Element("word", compared(words)))
    while found and found[0].kind == "gap":
        del found[0]
    while found and found[-1].kind == "gap":
        del found[-1]
    return found


_LETTER_IN_BRACKETS = re.compile(r"\[(\w)\](?=\w)")
_NOTE_IN_BRACKETS = re.compile(r"\s*\[(?:sic!?|emphasis[^\[\]]*)\]", re.IGNORECASE)


def without_edits(quotation: str) -> str:
    """A cleaned quotation as the text may have it: `[t]he` without the brackets, and no `[sic]`."""
    return _LETTER_IN_BRACKETS.sub(r"\1", _NOTE_IN_BRACKETS.sub("", quotation))


_DESIGNATORS = re.compile(r"(?:(?<=[.;:,\u2013\u2014-])|(?<=\band)|(?<=\bor)|\A)(?:\s*\(\w{1,4}\))+")


def without_designators(quotation: str) -> str:
    """A cleaned quotation without the designators that begin its items: `(1)` stands in no node's text."""
    return _DESIGNATORS.sub("", quotation).strip()


class SourceWords(Sequence[SourceWord]):
    """The words of some nodes' texts, in their order; made one by one, for a provision may have a million."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._nodes = [_split(text) for text in texts]
        self._firsts = [0, *accumulate(len(words.texts) for words in self._nodes)]  # positions where nodes begin
        self.texts = [word for words in self._nodes for word in words.texts]

    def __len__(self) -> int:
        return len(self.texts)

    @overload
    def __getitem__(self, position: int) -> SourceWord: ...
    @overload
    def __getitem__(self, position: slice) -> list[SourceWord]: ...
    def __getitem__(self, position: int | slice) -> SourceWord | list[SourceWord]:
        if isinstance(position, slice):
            return [self[one] for one in range(*position.indices(len(self)))]
        text = self.texts[position]
        position %= len(self)
        node = bisect_right(self._firsts, position) - 1
        words, place = self._nodes[node], position - self._firsts[node]
        return SourceWord(text, node, words.starts[place], words.ends[place])


class _NodeWords(NamedTuple):
    """The words of one node in their compared form, and where they stand."""

    texts: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]


@lru_cache(maxsize=1024)
def _split(text: str) -> _NodeWords:
    """The words of one node, which several provisions of one section share."""
    known: dict[str, str] = {}  # of a million words few differ
    texts: list[str] = []
    starts, ends = array("I"), array("I")
    for match in _WORDS.finditer(text):
        word = compared(match[0])
        texts.append(known.setdefault(word, word))
        starts.append(match.start())
        ends.append(match.end())
    return _NodeWords(texts, starts, ends)


_LIMITS = (Kind.EXCEPTION, Kind.CONDITION)
_TURNING_VALUES = frozenset({"PROHIBITION", "NO_OBLIGATION"})
_LIMITING_VALUES = frozenset({"ONLY", "NEVER"})


@dataclass(frozen=True, slots=True)
class Weight:
    """What decides the meaning of some words: how often they negate, and how often they limit."""

    turning: Counter[str]
    limiting: Counter[str]


def _words_of(language: str) -> StatementWords:
    known = known_language(language)
    return known.statements if known is not None else StatementWords()


def weighs(language: str) -> bool:
    """Whether the words that decide a meaning are known in a language."""
    return _words_of(language).forbids != NOTHING


def weigh(text: str, language: str) -> Weight:
    """What decides the meaning of a text in a language of which `weighs` holds."""
    words = _words_of(language)
    text = re.sub(words.either, " ", text)
    folded = unicodedata.normalize("NFC", text).lower()
    folded, without = re.subn(words.without, " ", folded)
    reading = read_in(language, folded if without else text)
    modality = reading.sequence(Kind.MODALITY)
    turning = Counter(reading.sequence(Kind.NEGATION)) + Counter(re.findall(words.forbids, folded))
    turning += Counter(value for value in modality if value in _TURNING_VALUES)
    limiting = Counter(value for kind in _LIMITS for value in reading.sequence(kind))
    limiting += Counter(value for value in reading.sequence(Kind.ABSOLUTE) if value in _LIMITING_VALUES)
    limiting += Counter({"WITHOUT": without})
    limiting += Counter(re.findall(words.limits, folded))
    limiting += Counter({"PURPOSE": len(re.findall(words.purpose, fold(folded)))})
    return Weight(turning, limiting)


_NARROWING = (Kind.COMPARATOR, Kind.NUMBER)


def narrows(text: str, language: str) -> bool:
    """Whether words that an ellipsis leaves out may narrow what is quoted: an amount, a relative clause, a manner."""
    folded = fold(text).lower()
    relative = re.search(_words_of(language).relative, folded)
    manner = language == "en" and qualifiers(folded)
    return bool(relative or manner) or any(read_in(language, text).sequence(kind) for kind in _NARROWING)


def goes_on_narrowing(text: str, language: str) -> bool:
    """Whether the rest of a sentence begins with a relative clause or an alternative to what stands before it."""
    rest = fold(text).lower()
    words = _words_of(language)
    opens = rf",?\s*\b(?:{words.alternative})\b|{words.relative}"
    return re.match(rf"\s*(?:{opens})", rest) is not None


_TELLING = 2  # common words by which one language has to lead


def guess_language(text: str) -> str:
    """The language of some words by their commonest ones: en, de, fr or ja; empty where that is not clear."""
    words = [match[0].casefold() for match in _WORDS.finditer(text)]
    if sum("\u3040" <= word[0] <= "\u9fff" for word in words) * 2 > len(words):
        return "ja"
    tables = [(code, _words_of(code).common) for code in language_codes()]
    counts = sorted(((sum(word in table for word in words), code) for code, table in tables), reverse=True)
    return counts[0][1] if counts[0][0] - counts[1][0] >= _TELLING else ""


def without_facts(statement: str, law: str, language: str) -> str:
    """A statement without what it says of the matter at hand, and without calendar dates where its law has none."""
    words = _words_of(language)
    date = re.compile(
        rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:{words.months})\b(?:,?\s\d{{4}}\b)?"
        rf"|\b(?:{words.months})\s\d{{1,2}},\s\d{{4}}",
        re.IGNORECASE,
    )
    # A clause at the end of a sentence of law may tell what happened; a short one after a reference between commas.
    last_clause = re.compile(
        rf"(?:[,;]\s(?:{words.joins})\s|\s[–—]\s|;\s)(?=[^,;–—]*\Z)|\s(?:{words.joins})\s(?=[^,;–—]{{1,30}}\Z)",
        re.IGNORECASE,
    )
    plain = re.sub(rf"[,;:(–—-]\s*(?:also\s)?{words.matter}[^;)]*", "", statement, flags=re.IGNORECASE)
    last = last_clause.search(plain)
    if last is not None and re.search(words.happened, plain[last.end() :], re.IGNORECASE):
        plain = plain[: last.start()]
    return plain if date.search(law) else date.sub("", plain)


def opens_with_provision(statement: str, language: str) -> bool:
    """Whether a statement begins with "the same section", "ce texte", "diese Vorschrift"."""
    return re.match(_words_of(language).same_provision, statement, re.IGNORECASE) is not None
