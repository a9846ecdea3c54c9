"""How documents of the store are cited by their own names: "section 9(4) of the Harbor Moorings Code", "§ 5 LRadG".

Grammars know the law of a country; what other documents are called only the store knows. A document is called by its
title, by an abbreviation or short title beside that, and by its aliases. A name is read only where it stands alone:
within a longer run of words of a name ("Bad Harbor Code", "Harbor Code Amendment Act") it is the name of other law.
Japanese forms are read where they are a whole string.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from retrieval.cluster import send_each
from retrieval.nodes import Connection
from retrieval.queries import QUERIES
from retrieval.references.hits import folded_title, folded_words
from retrieval.references.law_words import (
    ARTICLES,
    CONTAINERS,
    GENERAL,
    JOINS,
    KINDS,
    OUTSIDE,
    names_in,
    tells,
    words_of,
)  # fmt: skip
from retrieval.references.parts import BRACKETS, IN_ENGLISH, NAMED, POINT, SENTENCE, Place, named_part, place_of
from retrieval.tag_query import TagQuery

MOST = 5_000  # documents whose names are looked for in a text
ALL = 10_000_000
_SHORT = 4  # characters of a name from which on it may be written in any case
_STEM = 5  # letters by which a word is taken for another form of one: `Nordhagener`
_LONGEST = 40  # words of a name
_LONGEST_SHORT = 7  # letters of an abbreviation with a period: "Consol."
_BEFORE_NAME = 120  # characters in which a provision, or a word of a longer name, stands before the name of a law


_QUOTES = "\"'“”„«»‘’"
_OPENS = ";!?([|—•*\ufffc"  # before what begins anew
# Before an adjective of a name: "under former Harbor Code § 9", and not "to violate Harbor Code § 9".
_LEADING = ARTICLES | words_of("under in of see per from with by nach gemass im laut unter selon")

_UNIT_WORDS = {
    "": r"art(?:icle|ikel)?s?n?\.?|§{1,2}",
    "en": r"(?:clause|section|paragraph|rule|regulation|point|item)s?|secs?\.|ss?\.?|paras?\.|regs?\.",
    "de": r"ziff(?:ern?|\.)|klauseln?|punkte?",
}
_UNITS = {language: re.compile(words) for language, words in _UNIT_WORDS.items()}
_UNIT = rf"(?:{'|'.join(_UNIT_WORDS.values())})\s?"
_NUMBER = r"(?:[a-z]{1,2}[.-]?\s?)?\d{1,5}(?:[./-]\d{1,5}){0,4}[a-z]{0,2}(?!\w|[./-]\d)"
_PART = named_part(f"{NAMED}|{SENTENCE}|{IN_ENGLISH}")
_PLACE = rf"{_NUMBER}(?:\s?{BRACKETS})*"
_AND = r"(?:,\s|,?\s(?:and|or|und|oder|et|ou)\s)"
_LIST = rf"{_PLACE}(?:{_AND}(?:{_PLACE}|{BRACKETS}(?:\s?{BRACKETS})*))*"
_DECIMAL = rf"(?=\d+(?:[.-]\d|\s?{BRACKETS})){_LIST}"  # needs no "clause" before it: "residential-lease, 3.2"
_OF = r"(?:,?\s(?P<of>of|in|under|der|des|du|de)\s(?:the\s|la\s|l['’])?|\s)"
_FLAGS = re.IGNORECASE
_ONE = re.compile(rf"(?P<number>{_NUMBER})?(?P<parts>(?:\s?{BRACKETS})*(?:{_PART}|{POINT}){{0,5}})", _FLAGS)
_SPLIT = re.compile(_AND, _FLAGS)
_PLACES = re.compile(_LIST, _FLAGS)
_NUMBER_LAST = re.compile(r"(?<![\w.-])\d[\d.-]*\Z")
_JAPANESE = re.compile(
    r"(?P<name>\S+?)\s?第(?P<article>\d{1,4})条(?:の(?P<branch>\d{1,3}))?(?:第(?P<paragraph>\d{1,3})項)?(?:第(?P<item>\d{1,3})号)?"
)
_CODED = re.compile(r"(?P<code>[^\W\d_].*?\s)(?:§\s?)?(?P<place>(?P<chapter>\d{1,3}(?:[.-]\d{1,4})+)[.-]\d.*)")
_INNER = rf"(?:(?:sub)?(?:section|paragraph|clause)\s(?P<inner>{BRACKETS}|[a-z0-9]{{1,4}})\s(?:of|in|to)\s)?"


def _around(part: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What names a provision before and behind the name of its law, with parts of some form."""
    parts = rf"(?:{part}){{0,5}}"
    return (
        re.compile(rf"(?<![\w§.]){_INNER}(?P<unit>{_UNIT})(?P<list>{_PLACE}{parts}|{_LIST}){_OF}\Z", _FLAGS),
        re.compile(
            rf",?\s(?:(?P<unit>{_UNIT})(?=[a-z]?\.?\s?\d)|(?={_DECIMAL}))"
            rf"(?P<list>(?>{_LIST})(?!{part})|(?>{_PLACE}){parts})",
            _FLAGS,
        ),
    )


_ENGLISH, _OTHERS = _around(_PART), _around(rf"(?:{_PART}|{POINT})")  # in English "I" is a pronoun
_PARTS = rf"(?:{_PART}|{POINT}){{0,5}}"
_WHOLE = (
    re.compile(rf"{_INNER}(?P<unit>{_UNIT})(?P<place>{_PLACE}{_PARTS}){_OF}(?P<name>[^\W\d_].*)", _FLAGS),
    re.compile(rf"(?P<name>[^\W\d_].*?),?\s(?P<unit>{_UNIT})?(?P<place>{_PLACE}{_PARTS})", _FLAGS),
)
_WORD = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?:es|en|er|em|e|s|n)\Z")
_STEP = re.compile(r"(?P<word>[^\W\d_][\w'’]*)(?P<sign>[^\w]*)\Z")
_COUNTED = re.compile(
    r"(?:\A|[.;:,\n\ufffc]\s?|\b(?:and|or|und|oder)\s)(?:\(?\w{1,3}\)|\d{1,3}\.)\s?\Z", _FLAGS
)  # "(1) "
_CAPITALS = re.compile(r"\b[^\W\d_a-zß-ÿ][^\W\d_]*(?:\s[^\W\d_a-zß-ÿ][^\W\d_]*)+")  # "New Harbor Code"
# What goes on in a name: a capital, a year, a bracket with one, or "of Boston".
_GOES_ON = re.compile(
    r"[-–/&]\w|,?\s(?:1[6-9]|20)\d\d\b|\s(?:(?:of|for|on|to|de|du|des|der|für|zum|zur|über)\s(?:the\s|la\s)?|[&(–-]\s?)?"
    r"[A-ZÄÖÜÀ-Ý\d]"
)
_NOUN = re.compile(r"\s[A-ZÄÖÜ][a-zäöüß]{3,}")
_OF_OTHER = re.compile(r",?\s(?:(?:of|der|des|du|de|zum|zur)\s|[A-ZÄÖÜÀ-Ý])")  # "Harbor Code, § 5 BGB": not § 5 of it


class Document(NamedTuple):
    """A document that may be cited by name."""

    urn: str
    language: str
    title: str
    others: Sequence[str]  # its heading, abbreviation, short title and aliases
    level: str = ""  # of its provisions


class Written(NamedTuple):
    """A reference in a text: its place, each provision's place and URN, and whether no word casts doubt on it."""

    start: int
    end: int
    parts: tuple[tuple[int, int, str], ...]
    certain: bool = True


@dataclass(slots=True)
class _Step:
    """A word of names: those that end with it, and what may follow."""

    urns: set[str] = field(default_factory=set[str])
    next: dict[str, _Step] = field(default_factory=dict[str, "_Step"])


def stem(word: str) -> str:
    """A folded German word without the ending of its case: `leihradgesetzes`, `buergerlichen`."""
    return _ENDING.sub("", word) if len(word) > 5 else word


class LawNames:
    """What documents are called."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._names, self._german = _Step(), _Step()
        self._documents: dict[str, Document] = {}
        self._short = set[str]()  # names that are written as they are only: "It" is no "IT"
        for one in documents:
            self._documents[one.urn] = one
            known = [*names_in(one.title), *(name for name in one.others if name[:1].isalpha())]
            if ":doc:" in one.urn:  # by its file's name and by what it is, too: "the lease"
                slug = one.urn.rpartition(":")[2]
                known += [slug, *folded_title(one.title).split()[-1:]]
            for name in known:
                words = folded_title(name).split()
                if len(words) <= _LONGEST and "/" not in name and not name.startswith("urn:") and tells(name):
                    if len(name) < _SHORT:
                        self._short.add(name)
                    _put(self._names, words, one.urn)
                    if one.language == "de":
                        _put(self._german, [stem(word) for word in words], one.urn)

    @property
    def urns(self) -> Collection[str]:
        """The documents."""
        return self._documents.keys()

    def urns_of(self, name: str) -> list[str]:
        """The documents of this name; of a German one in any case."""
        words = folded_title(name).split() if self._is_spelled(name) else []
        return sorted(_get(self._names, words) or _get(self._german, [stem(word) for word in words]))

    def _is_spelled(self, name: str) -> bool:
        return len(name) >= _SHORT or name in self._short

    def readings(self, reference: str) -> Mapping[str, list[TagQuery]]:
        """What a whole string may cite: the queries for a provision, by the document that has the name.

        None is certain where several have it, or where the document counts its provisions by another unit.
        """
        found: dict[str, list[TagQuery]] = {}
        for cited in cited_by_name(reference):
            urns = self.urns_of(cited.name)
            for one in map(self._documents.__getitem__, urns):
                urn, doubt = one.urn, f"one of {len(urns)} documents of this name" if len(urns) > 1 else ""
                if not _fits(one, cited.unit, is_joined=cited.is_joined):
                    doubt = f"the provision of {urn} with this number, which is not cited by that unit"
                queries = cited.place.queries(urn, one.language)
                found.setdefault(urn, []).extend(replace(query, hint=doubt) if doubt else query for query in queries)
        return found

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string, as a grammar gives them. A name of two documents names neither."""
        read = self.readings(reference)
        return next(iter(read.values())) if len(read) == 1 else []

    def written_in(self, text: str) -> Iterator[Written]:
        """The references of a text by a name that one document alone has, in order.

        A document is referred to as a whole by a name of several words only: "the lease" may be any.
        """
        words = [(match.start(), match.end(), "".join(folded_words(match[0]))) for match in _WORD.finditer(text)]
        at = ended = 0
        while at < len(words):
            size, urn = self._longest(text, words, at)
            if urn and words[at][0] >= ended:
                found = self._written(text, words[at][0], words[at + size - 1][1], self._documents[urn])
                if found is not None:
                    yield found
                    ended = found.end
            at += size or 1

    def longer_in(self, text: str) -> list[str]:
        """The names in a text that go on before that of a document and are of none: "the New Harbor Code".

        Words before a name that its own document or its URN has tell where its law holds, and name no other law.
        """
        words = [(match.start(), match.end(), "".join(folded_words(match[0]))) for match in _WORD.finditer(text)]
        found, at = list[str](), 0
        while at < len(words):
            size, urn = self._longest(text, words, at)
            if urn and text[words[at][0]].isupper():
                one, first = self._documents[urn], at
                known = folded_title(" ".join((one.urn.replace(":", " ").replace("-", " "), one.title, *one.others)))
                while (
                    first > at - _LONGEST
                    and first
                    and _names_on(text[words[first - 1][0] : words[first][0]], known, begins=first == 1)
                ):
                    first -= 1
                name = text[words[first][0] : words[at + size - 1][1]]
                if first < at and not self.urns_of(name):
                    found.append(name)
            at += size or 1
        return found

    def _longest(self, text: str, words: Sequence[tuple[int, int, str]], at: int) -> tuple[int, str]:
        """The number of words of the longest name that begins there, and its document, if it is of one; or 0."""
        best = 0, ""
        began = ended = 0
        for names, folded in ((self._names, str), (self._german, stem)):
            step: _Step | None = names
            for size, (start, end, word) in enumerate(words[at : at + _LONGEST], 1):
                if size > 1 and not _goes_together(text[ended:start], text[began:ended]):
                    break
                step = step.next.get(folded(word))
                if step is None:
                    break
                began, ended = start, end
                if step.urns and size > best[0] and self._is_spelled(text[words[at][0] : end]):
                    best = size, next(iter(step.urns)) if len(step.urns) == 1 else ""
        return best

    def _written(self, text: str, start: int, end: int, one: Document) -> Written | None:
        """The reference around a name; None where the words are a part of a longer name, or name none."""
        low = max(0, start - _BEFORE_NAME)
        head, name = text[low:start], text[start:end]
        if "," in name and not any("," in known for known in (one.title, *one.others)):
            return None
        number = _NUMBER_LAST.search(name)
        if number is not None and text[end : end + 1] in ".-" and text[end + 1 : end + 2].isdigit():
            # "TFMC 12.44.100(C)": a section of "TFMC 12.44", which is numbered within it.
            places = _PLACES.match(text, start + number.start())
            parts = tuple(_parts(places[0], places.start(), one.urn, ())) if places is not None else ()
            return Written(start, places.end(), parts) if places is not None else None
        leads, follows = _ENGLISH if one.language == "en" else _OTHERS
        before, after = leads.search(head), follows.match(text, end)
        several = any(char.isspace() for char in name)  # a file's name is one word
        goes_on = self._goes_on(text, end, one)
        # Behind an abbreviation any German noun may follow, and the name of a state that has an own law.
        noun = goes_on and one.language == "de" and not several and _NOUN.match(text, end)
        if before and (
            not _fits(one, before["unit"], is_joined=bool(before["of"]))
            or (not before["of"] and (not name[0].isupper() or _is_of_another(head[: before.start()])))
            or (goes_on and not noun)
        ):
            before = None
        if after and (
            not _fits(one, after["unit"] or "", is_joined=False)
            or not _stands_alone(head, small=name[0].islower())
            or _OF_OTHER.match(text, after.end())
        ):
            after = None
        group, shift = (before, low) if before else (after, 0)
        if group is None:
            # A law that is named whole is told by what cites it.
            plain = several and ":doc:" in one.urn and _stands_alone(head, small=name[0].islower())
            return Written(start, end, ((start, end, one.urn),)) if plain and not goes_on else None
        parts = tuple(_parts(group["list"], group.start("list") + shift, one.urn, _inner(group)))
        if before:
            return Written(group.start() + shift, end, parts, certain=not noun)
        return Written(start, group.end(), parts)

    def _goes_on(self, text: str, end: int, one: Document) -> bool:
        """Whether what is behind a name may belong to a longer one: "Harbor Code Amendment Act", "... of Boston"."""
        match = _GOES_ON.match(text, end)
        if match is None:
            return False
        bracket = re.match(r"\s\(([^()]{1,80})\)", text[end : end + 84])
        return bracket is None or self.urns_of(bracket[1]) != [one.urn]


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


def _goes_together(gap: str, before: str) -> bool:
    """Whether two words may be of one name; no sentence or paragraph ends between them."""
    if "." in gap:
        return len(gap) == 1 or (len(gap) == 2 and len(before) <= 4 and before[0].isupper())  # "U.S.", "No. 5"
    return len(gap) <= 3 and not any(
        sign in gap for sign in (":", *_OPENS.replace("(", ""), *_QUOTES.replace("'", "").replace("’", ""), "\n\n")
    )


def _names_on(step: str, known: str, *, begins: bool) -> bool:
    """Whether a word and what is behind it belong to the name that follows and to none that is known.

    Args:
        known: folded words that tell nothing new before that name.
        begins: whether the word is the first of its text, where any has a capital.
    """
    word = "".join(folded_words(step))
    plain = step[0].isupper() and step[-1].isspace() and step.strip().isalpha() and not begins
    return plain and word not in OUTSIDE and word not in CONTAINERS and f" {word[:_STEM]}" not in f" {known}"


def _stands_alone(head: str, *, small: bool) -> bool:
    """Whether no word before a name belongs to a longer one.

    Words that may stand between names, such as articles and prepositions, are gone over: "the Boston Harbor Code" and
    "the Guide to the Harbor Code" go on before "Harbor Code"; "under the Harbor Code" does not.

    Args:
        head: the text before the name.
        small: whether the name is written in small letters, so that small words before it may belong to it.
    """
    over, joined, begins = False, False, False
    if _COUNTED.search(head):
        return True
    while match := _STEP.search(head):
        word, sign, folded = match["word"], match["sign"], "".join(folded_words(match["word"]))
        capital, kind = word[0].isupper(), folded in KINDS
        opened = any(char in _OPENS for char in sign) or "\n\n" in sign or sign[-1:] in _QUOTES
        if opened or (begins and "." in sign):
            return True
        if "." in sign and (over or folded not in OUTSIDE):
            return not capital or kind or len(word) > _LONGEST_SHORT  # else an abbreviation, as in "Cal. Civ."
        if sign.strip(f".: {_QUOTES}\n,–"):
            return False  # "Boston-Harbor Code", "(Fees) Code", "Safety & Harbor Code"
        if folded in OUTSIDE:
            if ("," in sign or ":" in sign) and not joined:
                return True  # "However, Harbor Code § 9"
            over, joined, begins = True, joined or folded in JOINS, capital
            head = head[: match.start()]
            continue
        if joined or any(char in sign for char in ",:–"):
            return kind or not (capital or small)
        if capital or over:
            return not capital
        before = _STEP.search(head[: match.start()])
        named = before is None or before["word"].lower() in _LEADING
        return not (small or (named and not word.endswith("ing")))
    return over or not re.search(r"[\d)]\s?\Z", head)


def _is_of_another(head: str) -> bool:
    """Whether a provision right behind some words is one of the law that they name: "Fire Code § 12 Harbor Code"."""
    match = _STEP.search(head)
    if match is None or not match["word"][0].isupper():
        return False
    folded = "".join(folded_words(match["word"]))
    return folded in KINDS or (match["sign"].isspace() and folded not in OUTSIDE)


def _fits(one: Document, unit: str, *, is_joined: bool) -> bool:
    """Whether provisions of a document may be cited by a unit.

    An article is no section, which the articles of a law may contain. The unit of another language stands before or
    behind a name for its own sake, unless "of" joins them: "the LRadG, Section 10 of which ...".
    """
    word = unit.strip().lower()
    language = next(code for code, pattern in _UNITS.items() if pattern.fullmatch(word)) if word else ""
    if language not in ("", one.language) and not is_joined:
        return False
    article = word.startswith("art")
    return not one.level or not (article or word.startswith("s")) or article == one.level.startswith("art")


def _place(match: re.Match[str]) -> Place:
    number = re.sub(r"\A([a-z])[.\s]+", r"\1", (match["number"] or "").lower())  # `L. 121-1`
    return place_of(number, match["parts"])


class Cited(NamedTuple):
    """A name and a provision that a whole string may be read as."""

    name: str
    place: Place
    unit: str
    is_joined: bool  # by "of"


def cited_by_name(reference: str) -> list[Cited]:
    """What a whole string may be read as: the name of a law and a provision of it."""
    whole = reference.strip().rstrip(" .,;?")
    found: list[Cited] = []
    for match in (match for pattern in _WHOLE if (match := pattern.fullmatch(whole)) is not None):
        place = _ONE.fullmatch(match["place"])
        if place is not None and place["number"]:
            read = _place(place)
            read = read._replace(below=(*read.below, *_inner(match)))
            found.append(Cited(match["name"], read, match["unit"] or "", bool(match.groupdict().get("of"))))
    if (match := _JAPANESE.fullmatch(unicodedata.normalize("NFKC", whole))) is not None:
        number = "-".join(filter(None, (match["article"], match["branch"])))
        within = [match["paragraph"] or "1"] if match["paragraph"] or match["item"] else []
        place = Place(number, (*within, *filter(None, [match["item"]])))
        found.append(Cited(match["name"], place, "", is_joined=False))
    if (match := _CODED.fullmatch(whole)) is not None and (place := _ONE.fullmatch(match["place"])) is not None:
        found.append(Cited(f"{match['code']}{match['chapter']}", _place(place), "", is_joined=False))
    return found


def _inner(match: re.Match[str]) -> tuple[str, ...]:
    """The part that is named before its provision: "subsection (4) of section 9"."""
    named = match.groupdict().get("inner")
    return (named.strip("()").lower(),) if named else ()


def _parts(places: str, offset: int, urn: str, inner: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """Each provision of a list. Brackets alone name a part beside the one before: `9(1) and (4)`."""
    last, at = Place("", ()), 0
    one_alone = _ONE.fullmatch(places) is not None  # its parts may stand behind a comma
    for split in (*(() if one_alone else _SPLIT.finditer(places)), None):
        one = _ONE.fullmatch(places, at, split.start() if split else len(places))
        if one is not None:
            own = _place(one)
            last = own if own.number else last._replace(below=(*last.below[: -len(own.below)], *own.below))
            whole = last._replace(below=(*last.below, *inner))
            yield offset + one.start(), offset + one.end(), next(iter(whole.urns(urn)), "")
        at = split.end() if split else at


def unheld_in(conn: Connection, jurisdictions: Sequence[str], text: str) -> list[str]:
    """The names of laws in a text that go on before that of a document of the store; see `LawNames.longer_in`."""
    words = [word for run in _CAPITALS.findall(text) for word in folded_title(run).split()[1:]]
    wanted = [stem(word) for word in dict.fromkeys(words) if word not in KINDS | GENERAL | OUTSIDE]
    return _named(conn, jurisdictions, wanted, MOST).longer_in(text) if wanted else []


def law_names(conn: Connection, jurisdictions: Sequence[str], *, reference: str = "", most: int = MOST) -> LawNames:
    """The names of the documents of the store.

    Args:
        jurisdictions: whose documents.
        reference: only of documents that it may cite; all without it.
        most: documents; of more no name is known.
    """
    names = [folded_title(cited.name).split() for cited in cited_by_name(reference)]
    wanted = [max(map(stem, words), key=len) for words in names if words]
    return LawNames(()) if reference and not wanted else _named(conn, jurisdictions, wanted, most)


def _named(conn: Connection, jurisdictions: Sequence[str], words: Sequence[str], most: int) -> LawNames:
    """The names of the documents that have one of some words in a name; of all without words."""
    asked = {"jurisdictions": list(jurisdictions), "words": list(words) or None, "most": most + 1}
    rows = send_each(conn, QUERIES["list_named_documents"], asked).fetchall()
    return LawNames(Document(*row) for row in rows) if len(rows) <= most else LawNames(())
