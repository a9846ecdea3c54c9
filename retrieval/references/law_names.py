"""How documents of the store are cited by their own names: "section 9(4) of the Harbor Moorings Code", "§ 5 LRadG".

Grammars know the law of a country; what other documents are called only the store knows. A document is called by its
title, by an abbreviation or short title beside that, and by its aliases. Japanese forms are not read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import NamedTuple

from retrieval.errors import InputError
from retrieval.nodes import Connection
from retrieval.paths import segment
from retrieval.queries import QUERIES
from retrieval.references.hits import folded_title
from retrieval.tag_query import PART_NAMED, TagQuery, urn_query

MOST = 5_000  # documents whose names are looked for in a text
ALL = 10_000_000
_LONGEST = 40  # words of a name
_BEFORE_NAME = 120  # characters in which a provision stands before the name of its law

_UNIT = (
    r"(?:(?:clause|section|article|paragraph|rule|regulation|point|item)s?|secs?\.|ss?\.?|paras?\.|regs?\.|arts?\.?"
    r"|ziff(?:ern?|\.)|klauseln?|punkte?|artikeln?|§{1,2})\s?"
)
_NUMBER = r"(?:[a-z]\.?\s?)?\d{1,5}(?:[.-]\d{1,5}){0,4}[a-z]{0,2}(?!\w|[.-]\d)"
_BRACKETS = r"\([a-z0-9]{1,4}\)"
# Parts named by words. A sentence is no part that a store has, so that the whole is found.
_PART = (
    r",?\s(?P<unit>abs\.|absatz|al\.|alinéa|para\.|paragraph|subsection|nr\.|nummer|lit\.|buchst\.|buchstabe|satz|s\.)"
    r"\s\(?(?P<part>[a-z0-9]{1,4})\)?"
)
_UNNAMED_PART = re.sub(r"[?]P<[a-z]+>", "?:", _PART)
_PARTS = rf"(?:{_UNNAMED_PART}){{0,4}}"
_PLACE = rf"{_NUMBER}(?:\s?{_BRACKETS})*"
_AND = r"(?:,\s|,?\s(?:and|or|und|oder|et|ou)\s)"
_LIST = rf"{_PLACE}(?:{_AND}(?:{_PLACE}|{_BRACKETS}(?:\s?{_BRACKETS})*))*"
_DECIMAL = rf"(?=\d+(?:[.-]\d|\s?{_BRACKETS})){_LIST}"  # needs no "clause" before it: "residential-lease, 3.2"
_OF = r",?\s(?P<of>(?:of|in|under|der|des|du|de)\s(?:the\s|la\s|l['’])?)?"

_FLAGS = re.IGNORECASE
_ONE = re.compile(rf"(?P<number>{_NUMBER})?(?P<below>(?:\s?{_BRACKETS})*)(?P<parts>{_PARTS})", _FLAGS)
_PART_ONE = re.compile(_PART, _FLAGS)
_BRACKETED = re.compile(r"\(([a-z0-9]{1,4})\)", _FLAGS)
_SPLIT = re.compile(_AND, _FLAGS)
_BEFORE = re.compile(rf"(?<![\w§.]){_UNIT}(?P<list>{_PLACE}{_PARTS}|{_LIST}){_OF}\Z", _FLAGS)
_AFTER = re.compile(
    rf",?\s(?:{_UNIT}(?=[a-z]?\.?\s?\d)|(?={_DECIMAL}))(?P<list>(?>{_LIST})(?!{_UNNAMED_PART})|(?>{_PLACE}){_PARTS})",
    _FLAGS,
)
_WHOLE = (
    re.compile(rf"{_UNIT}(?P<place>{_PLACE}{_PARTS}){_OF}(?P<name>[^\W\d_].*)", _FLAGS),
    re.compile(rf"(?P<name>[^\W\d_].*?),?\s(?:{_UNIT}|(?={_DECIMAL}))(?P<place>{_PLACE}{_PARTS})", _FLAGS),
)
_WORD = re.compile(r"[^\W_]+")
_ABBREVIATION = re.compile(r"[A-ZÄÖÜ][^\W_]*[A-ZÄÖÜ][^\W_]*")
_ENDING = re.compile(r"(?:es|en|er|em|e|s|n)\Z")
_LAST_BRACKET = re.compile(r"(?P<head>[^()]+?)\s*\((?P<last>[^()]+)\)\s*\Z")
_DASH = re.compile(r"\s[-–—]\s")
# Words with a capital at the beginning of a sentence, or of a title, that are no part of a law's name.
_OUTSIDE = frozenset(
    ["the", "of", "to", "in", "under", "by", "see", "and", "or", "per", "cf", "as", "at", "if", "nach", "gemäß", "laut"]
)


class Document(NamedTuple):
    """A document that may be cited by name."""

    urn: str
    language: str
    title: str
    others: Sequence[str]  # its heading, abbreviation, short title and aliases


class Written(NamedTuple):
    """A reference in a text: its place, and each provision's place and URN."""

    start: int
    end: int
    parts: tuple[tuple[int, int, str], ...]


@dataclass(slots=True)
class _Step:
    """A word of names: those that end with it, and what may follow."""

    urns: set[str] = field(default_factory=set[str])
    next: dict[str, _Step] = field(default_factory=dict[str, "_Step"])


def names_in(title: str) -> list[str]:
    """A title and the names in it beside an abbreviation: `LRadG - Leihradgesetz`, `Act on X (X Act - XA)`."""
    names, bracket = [title], _LAST_BRACKET.match(title)
    for text in (bracket["head"], bracket["last"]) if bracket else (title,):
        pieces = [piece.strip() for piece in _DASH.split(text)]
        if any(_ABBREVIATION.fullmatch(piece) for piece in pieces) and (bracket or len(pieces) > 1):
            names += pieces if text == title else [bracket["head"] if bracket else "", *pieces]
    return [name for name in names if name]


def stem(word: str) -> str:
    """A folded German word without the ending of its case: `leihradgesetzes`, `buergerlichen`."""
    return _ENDING.sub("", word) if len(word) > 5 else word


class LawNames:
    """What documents are called."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._names, self._german = _Step(), _Step()
        self._languages: dict[str, str] = {}
        for one in documents:
            self._languages[one.urn] = one.language
            known = [*names_in(one.title), *(name for name in one.others if name[:1].isalpha())]
            if ":doc:" in one.urn:  # by its file's name and by what it is, too: "the lease"
                slug = one.urn.rpartition(":")[2]
                known += [slug, *folded_title(one.title).split()[-1:]]
            for name in known:
                words = folded_title(name).split()
                if 0 < len(words) <= _LONGEST and "/" not in name and not name.startswith("urn:"):
                    _put(self._names, words, one.urn)
                    if one.language == "de":
                        _put(self._german, [stem(word) for word in words], one.urn)

    def urns_of(self, name: str) -> list[str]:
        """The documents of this name; of a German one in any case."""
        words = folded_title(name).split()
        return sorted(_get(self._names, words) or _get(self._german, [stem(word) for word in words]))

    def readings(self, reference: str) -> Mapping[str, list[TagQuery]]:
        """What a whole string may cite: the queries for a provision, by the document that has the name."""
        found: dict[str, list[TagQuery]] = {}
        for name, place in cited_by_name(reference):
            for urn in self.urns_of(name):
                found.setdefault(urn, []).extend(place.queries(urn, self._languages[urn]))
        return found

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string, as a grammar gives them. A name of two documents names neither."""
        read = self.readings(reference)
        return next(iter(read.values())) if len(read) == 1 else []

    def written_in(self, text: str) -> Iterator[Written]:
        """The references of a text by a name that one document alone has, in order.

        A document is referred to as a whole by a name of several words only: "the lease" may be any.
        """
        words = [(match.start(), match.end(), folded_title(match[0])) for match in _WORD.finditer(text)]
        at = ended = 0
        while at < len(words):
            size, urn = self._longest(words, at)
            if size and words[at][0] >= ended:
                found = _written(text, words[at][0], words[at + size - 1][1], urn)
                if found is not None:
                    yield found
                    ended = found.end
            at += size or 1

    def _longest(self, words: Sequence[tuple[int, int, str]], at: int) -> tuple[int, str]:
        """The number of words of the longest name that begins there, and its document; 0 where no one has it."""
        best = 0, ""
        for names, folded in ((self._names, str), (self._german, stem)):
            step: _Step | None = names
            for size, (_, _, word) in enumerate(words[at : at + _LONGEST], 1):
                step = step.next.get(folded(word))
                if step is None:
                    break
                if step.urns and size > best[0]:
                    best = size, next(iter(step.urns)) if len(step.urns) == 1 else ""
        return best if best[1] else (0, "")


def _put(names: _Step, words: Iterable[str], urn: str) -> None:
    for word in words:
        names = names.next.setdefault(word, _Step())
    names.urns.add(urn)


def _get(names: _Step, words: Iterable[str]) -> set[str]:
    for word in words:
        if word not in names.next:
            return set()
        names = names.next[word]
    return names.urns


class Place(NamedTuple):
    """A provision of a law: its number, the names of its parts from the outside, and whether it names a sentence."""

    number: str
    below: tuple[str, ...]
    sentence: bool

    def urns(self, law: str) -> list[str]:
        """Its URNs in a law, the likeliest first: the numbers of a list in German law have `nr.` before them."""
        try:
            spelled = [(part, f"nr.{part}") if part.isdigit() else (part,) for part in self.below]
            return [":".join((law, segment(self.number), *parts)) for parts in islice(product(*spelled), 8)]
        except InputError:
            return []

    def queries(self, law: str, language: str) -> list[TagQuery]:
        """What asks for it; with the hint that the whole is found where a sentence is named."""
        hint = PART_NAMED if self.sentence else None
        return [urn_query(urn, language=language, hint=hint) for urn in self.urns(law)]


def _place(match: re.Match[str]) -> Place:
    below = [part.lower() for part in _BRACKETED.findall(match["below"])]
    said = list(_PART_ONE.finditer(match["parts"]))
    sentences = [one for one in said if one["unit"].lower() in ("satz", "s.")]
    for one in said:
        if one not in sentences:
            part = one["part"].lower()
            below.append(f"al.{part.rstrip('er')}" if one["unit"].lower().startswith("al") else part)
    number = re.sub(r"\A([a-z])[.\s]+", r"\1", (match["number"] or "").lower())  # `L. 121-1`
    return Place(number, tuple(below), bool(sentences))


def cited_by_name(reference: str) -> list[tuple[str, Place]]:
    """What a whole string may be read as: the name of a law and a provision of it."""
    whole = reference.strip().rstrip(" .,;?")
    found = (match for pattern in _WHOLE if (match := pattern.fullmatch(whole)) is not None)
    places = ((match["name"], _ONE.fullmatch(match["place"])) for match in found)
    return [(name, _place(place)) for name, place in places if place is not None and place["number"]]


def _written(text: str, start: int, end: int, urn: str) -> Written | None:
    """The reference around a name of a document; None where the words are a part of a longer name, or name none."""
    low = max(0, start - _BEFORE_NAME)
    head = text[low:start]
    several = any(char.isspace() for char in text[start:end])  # a file's name is one word
    before, after = _BEFORE.search(head), _AFTER.match(text, end)
    if before and not before["of"] and not text[start].isupper():
        before = None
    if before is None and _goes_on_before(head) and several:
        return None
    if after is None and several and re.match(r"\s(?:[A-Z][a-z]|(?:1[6-9]|20)\d\d\b)", text[end : end + 6]):
        return None
    group, shift = (before, low) if before else (after, 0)
    if group is None:
        plain = several and ":doc:" in urn  # a law that is named whole is told by what cites it
        return Written(start, end, ((start, end, urn),)) if plain else None
    parts = tuple(_parts(group["list"], group.start("list") + shift, urn))
    return Written(group.start() + shift, end, parts) if before else Written(start, group.end(), parts)


def _goes_on_before(head: str) -> bool:
    """Whether the word right before a name has a capital and may belong to a longer one: "Boston Harbor Code"."""
    word = re.search(r"(?P<word>[A-Z][\w'’]*)\s\Z", head)
    return word is not None and word["word"].lower() not in _OUTSIDE


def _parts(places: str, offset: int, urn: str) -> Iterator[tuple[int, int, str]]:
    """Each provision of a list. Brackets alone name a part beside the one before: `9(1) and (4)`."""
    last, at = Place("", (), sentence=False), 0
    one_alone = _ONE.fullmatch(places) is not None  # its parts may stand behind a comma
    for split in (*(() if one_alone else _SPLIT.finditer(places)), None):
        one = _ONE.fullmatch(places, at, split.start() if split else len(places))
        if one is not None:
            own = _place(one)
            last = own if own.number else last._replace(below=(*last.below[: -len(own.below)], *own.below))
            yield offset + one.start(), offset + one.end(), next(iter(last.urns(urn)), "")
        at = split.end() if split else at


def law_names(conn: Connection, jurisdictions: Sequence[str], *, reference: str = "", most: int = MOST) -> LawNames:
    """The names of the documents of the store.

    Args:
        conn: a read connection.
        jurisdictions: whose documents.
        reference: only of documents that it may cite; all without it.
        most: documents; of more no name is known.
    """
    wanted = [max(map(stem, words), key=len) for name, _ in cited_by_name(reference) if (words := _folded(name))]
    if reference and not wanted:
        return LawNames(())
    asked = {"jurisdictions": list(jurisdictions), "words": wanted or None, "most": most + 1}
    rows = conn.execute(QUERIES["list_named_documents"], asked).fetchall()
    return LawNames(Document(*row) for row in rows) if len(rows) <= most else LawNames(())


def _folded(name: str) -> list[str]:
    return folded_title(name).split()
