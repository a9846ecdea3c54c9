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

from rag.languages.base import Kind
from rag.languages.operators import qualifiers, read_in
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


# What forbids without a negation.
_FORBIDS = {
    "en": r"\b(?:forbid|prohibit|unlawful|illegal|cannot|bans?\b|bars?\b|barred)",
    "de": r"\b(?:verboten|untersagt|unzulässig|ausgeschlossen)",
    "fr": r"\b(?:interdit|défendu|prohibé|null?e?s?\b)",
    "ja": r"禁止|な[いくけしらりるれろ]|ません|ず、|ぬ",
}
# What a thing may be done for limits it as a condition does; `for the purposes of this section` does not.
_PURPOSE = {
    "en": r"\b(?:for (?:the )?(?:sole )?purposes? of(?! this| these| the (?:act|part))|in order to|"
    r"with (?:a view|intent) to|with the (?:aim|object|intention) of|so as to)\b",
    "de": r"\b(?:zum zwecke?|zu dem zweck|zwecks|zur erfüllung|in der absicht|um(?=[^,;.]{3,80}\bzu\b))",
    "fr": r"\b(?:afin (?:de|d'|que|qu')|aux fins d|à des fins|en vue d|dans le but d|à seule fin)",
}
# Japanese limits by words that no list of operators has; its operators are not read.
_LIMITS_OF = {"ja": r"ただし|但し|除[くき]|場合|限[りる]|のみ|とき|際"}
# What happens without a thing still happens: the word limits as a condition does.
_WITHOUT = {"en": re.compile(r"\bwithout\b"), "de": re.compile(r"\bohne\b"), "fr": re.compile(r"\bsans\b")}
_LIMITS = (Kind.EXCEPTION, Kind.CONDITION)
_TURNING_VALUES = frozenset({"PROHIBITION", "NO_OBLIGATION"})
_LIMITING_VALUES = frozenset({"ONLY", "NEVER"})


@dataclass(frozen=True, slots=True)
class Weight:
    """What decides the meaning of some words: how often they negate, and how often they limit."""

    turning: Counter[str]
    limiting: Counter[str]
    rules: bool  # whether they say by themselves that something shall, may or must be
    long: bool  # whether they are enough for a clause


def weighs(language: str) -> bool:
    """Whether the words that decide a meaning are known in a language."""
    return language in _FORBIDS


def weigh(text: str, language: str) -> Weight:
    """What decides the meaning of a text in a language of which `weighs` holds."""
    folded = unicodedata.normalize("NFC", text).lower()
    folded, without = _WITHOUT[language].subn(" ", folded) if language in _WITHOUT else (folded, 0)
    reading = read_in(language, folded if without else text)
    modality = reading.sequence(Kind.MODALITY)
    turning = Counter(reading.sequence(Kind.NEGATION)) + Counter(re.findall(_FORBIDS[language], folded))
    turning += Counter(value for value in modality if value in _TURNING_VALUES)
    limiting = Counter(value for kind in _LIMITS for value in reading.sequence(kind))
    limiting += Counter(value for value in reading.sequence(Kind.ABSOLUTE) if value in _LIMITING_VALUES)
    limiting += Counter({"WITHOUT": without})
    limiting += Counter(re.findall(_LIMITS_OF.get(language, r"(?!)"), folded))
    limiting += Counter({"PURPOSE": len(re.findall(_PURPOSE.get(language, r"(?!)"), fold(folded)))})
    return Weight(turning, limiting, bool(modality), len(_WORDS.findall(text)) >= _CLAUSE_WORDS)


def negates(text: str, language: str) -> bool:
    """Whether a clause says that something shall not or may not be; `for illegal purposes` says nothing of the kind."""
    reading = read_in(language, text)
    forbidden = rf"\b(?:is|are|be|ist|sind|est|sont)\s(?:\w+\s){{0,2}}{_FORBIDS.get(language, '(?!)')}"
    prohibits = any(value in _TURNING_VALUES for value in reading.sequence(Kind.MODALITY))
    return bool(reading.sequence(Kind.NEGATION)) or prohibits or re.search(forbidden, text.lower()) is not None


_CLAUSE_WORDS = 12
_NARROWING = (Kind.COMPARATOR, Kind.NUMBER)
_RELATIVE = {
    "en": r"\b(?:who|whom|whose|which|that)\b",
    "de": r",\s(?:der|die|das|dem|den|deren|dessen|welche[rsmn]?)\b",
    "fr": r"\b(?:qui|que|qu'|dont|lequel|laquelle|lesquel(?:le)?s)\b",
}


def narrows(text: str, language: str) -> bool:
    """Whether words that an ellipsis leaves out may narrow what is quoted: an amount, a relative clause, a manner."""
    folded = fold(text).lower()
    relative = re.search(_RELATIVE.get(language, r"(?!)"), folded)
    manner = language == "en" and qualifiers(folded)
    return bool(relative or manner) or any(read_in(language, text).sequence(kind) for kind in _NARROWING)


_SUBORDINATE = {
    "en": "if|unless|where|when|whether|until|although|though|because|provided|except",
    "de": "wenn|falls|sofern|soweit|ob|obwohl|solange|bis|dass|weil",
    "fr": "si|s'ils?|lorsque|lorsqu|quand|sauf|où|tant que|quoique|bien que",
}
_ALTERNATIVE = {"en": "or", "de": "oder", "fr": "ou"}


def goes_on_narrowing(text: str, language: str) -> bool:
    """Whether the rest of a sentence begins with a relative clause or an alternative to what stands before it."""
    rest = fold(text).lower()
    opens = rf",?\s*\b{_ALTERNATIVE.get(language, '(?!)')}\b|{_RELATIVE.get(language, '(?!)')}"
    return re.match(rf"\s*(?:{opens})", rest) is not None


def main_clause(clause: str, language: str) -> str:
    """What stands in a clause before a relative clause or a condition opens in it."""
    folded = fold(clause).lower()
    opens = rf"{_RELATIVE.get(language, '(?!)')}|\b(?:{_SUBORDINATE.get(language, '(?!)')})\b"
    # German relative clauses are told by the comma before them.
    found = re.search(opens, f", {folded}" if language == "de" else folded)
    return clause if found is None else clause[: max(0, found.start() - (2 if language == "de" else 0))]


def _common(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON = {
    "en": _common("the of and to a in shall is or that by any for be may not such"),
    "de": _common("der die das und des den dem zu ist nicht ein eine einer oder im von wird kann so"),
    "fr": _common("le la les de des du et à est un une que qui dans ou par au aux il ne"),
}
_TELLING = 2  # common words by which one language has to lead


def guess_language(text: str) -> str:
    """The language of some words by their commonest ones: en, de, fr or ja; empty where that is not clear."""
    words = [match[0].casefold() for match in _WORDS.finditer(text)]
    if sum("\u3040" <= word[0] <= "\u9fff" for word in words) * 2 > len(words):
        return "ja"
    counts = sorted(((sum(word in table for word in words), code) for code, table in _COMMON.items()), reverse=True)
    return counts[0][1] if counts[0][0] - counts[1][0] >= _TELLING else ""


# What a memo adds to the law of its own matter: "hier also vom 14. Februar an", "here by 2 August 2006".
_OF_THE_MATTER = {
    "en": r"\b(?:here|in our case|in this case|in the present case|for our client)\b",
    "de": r"\b(?:hier|vorliegend|im vorliegenden fall|in unserem fall)\b",
    "fr": r"\b(?:ici|en l['’]espèce|dans notre cas|pour notre client)\b",
}
_MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|"
    r"juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)"
)
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s{_MONTHS}\b(?:,?\s\d{{4}}\b)?|\b{_MONTHS}\s\d{{1,2}},\s\d{{4}}", re.I
)


# A clause at the end of a sentence of law that tells what happened: "..., and no one did". Law has no past.
_HAPPENED = {
    "en": r"\b(?:did(?:n['’]t)?|was(?:n['’]t)?|were(?:n['’]t)?|had(?:n['’]t)?|has (?:not |never )?\w+ed)\b",
    "de": r"\b(?:war|waren|hatten?|wurden?|(?:ist|sind|hat|haben) (?:\w+ ){0,6}(?:ge|be|ver)\w+(?:t|en))\b",
    "fr": r"\b(?:était|étaient|avait|avaient|(?:a|ont|n['’]a|n['’]ont)(?: pas| jamais| rien)? (?:été|fait|\w+é))\b",
}
_LAST_CLAUSE = re.compile(
    r"(?:[,;]\s(?:and|but|und|aber|doch|et|mais|or)\s|\s[–—]\s|;\s)(?=[^,;–—]*\Z)"
    r"|\s(?:and|but|und|aber|doch|et|mais)\s(?=[^,;–—]{1,30}\Z)"  # after a reference that stood between commas
)


def without_facts(statement: str, law: str, language: str) -> str:
    """A statement without what it says of the matter at hand, and without calendar dates where its law has none."""
    told = re.compile(rf"[,;:(–—-]\s*(?:also\s)?{_OF_THE_MATTER.get(language, '(?!)')}[^;)]*", re.IGNORECASE)
    plain = told.sub("", statement)
    last = _LAST_CLAUSE.search(plain)
    if last is not None and re.search(_HAPPENED.get(language, "(?!)"), plain[last.end() :], re.IGNORECASE):
        plain = plain[: last.start()]
    return plain if _DATE.search(law) else _DATE.sub("", plain)


# Words by which a statement says that it holds without limit, for everybody or always.
_WITHOUT_LIMIT = {
    "en": r"any(?:one|body|thing)? at all|whatsoever|(?:without|no) exceptions?|in (?:every|all) (?:case|respect)s?|"
    r"always|never|in no (?:event|case)|under (?:all|no) circumstances|whatever the (?:circumstances|reason)|"
    r"no matter \w+|at any price|unconditionally",
    "de": r"ausnahmslos|(?:ohne|keine) ausnahmen?|stets|immer|niemals|nie|in (?:jedem|allen|keinem) f(?:all|ällen?)|"
    r"schlechthin|unter (?:allen|keinen) umständen|jede[rsmn]? beliebige[nrsm]?|gleich(?:gültig|viel)|uneingeschränkt",
    "fr": r"(?:sans (?:aucune )?|aucune )(?:exception|limite)|de quelque \w+ qu['’]\w+ soi(?:t|ent)|toujours|jamais|"
    r"en aucun cas|quel(?:le)?s? qu['’e]\s?\w* ?soi(?:t|ent)|en toutes? circonstances?|dans tous les cas|"
    r"n['’]importe (?!quand)\w+",
}


# What was never done is told of a fact, and "like any other at all" compares.
_TOLD_OF_FACTS = {
    "en": r"\b(?:was|were|had|has|have|been|than|as|like)\s\Z",
    "de": r"\b(?:war|waren|hatte|hatten|wurde|als|wie)\s\Z",
    "fr": r"\b(?:que|comme|n['’](?:a|ont|avait|était))\s\Z",
}


def without_limits(statement: str, language: str) -> tuple[str, str]:
    """A statement without the words by which it says that it holds without limit, and the first of them; or empty."""
    pattern = re.compile(rf"\b(?:{_WITHOUT_LIMIT.get(language, '(?!)')})\b", re.IGNORECASE)
    of_facts = re.compile(_TOLD_OF_FACTS.get(language, "(?!)"), re.IGNORECASE)
    found = (match for match in pattern.finditer(statement) if not of_facts.search(statement[: match.start()]))
    return pattern.sub(" ", statement), next((match[0] for match in found), "")


# What a sentence begins with that goes on with the provision cited before.
_SAME_PROVISION = {
    "en": r"(?:the\ssame|this|that|the)\s(?:section|subsection|provision|paragraph|article|regulation|rule)\b",
    "de": r"(?:die(?:se|selbe)?|der)\s(?:gleiche\s)?(?:vorschrift|bestimmung|norm|paragraph|absatz|artikel)\b",
    "fr": r"(?:le|la|l['’]|ce|cet|cette)\s?(?:même\s)?(?:texte|article|alinéa|disposition)\b",
}


def opens_with_provision(statement: str, language: str) -> bool:
    """Whether a statement begins with "the same section", "ce texte", "diese Vorschrift"."""
    return re.match(_SAME_PROVISION.get(language, "(?!)"), statement, re.IGNORECASE) is not None
