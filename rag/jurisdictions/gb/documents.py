"""What a document says of the laws it names: "“the 1998 Act” means the Police (Northern Ireland) Act 1998 (c. 32)"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from rag.jurisdictions.gb.acts import title_key
from rag.jurisdictions.grammar.provisions import Law
from rag.law.jurisdiction import DocumentIndex, ReferenceContext
from rag.law.nodes import ParsedNode
from rag.law.passages import without_quoted

_MEANS = re.compile(
    r"[“‘\"'](?:the\s)?(?P<name>[^“”‘’\"'\n]{2,60})[”’\"']\s{1,3}"
    r"(?:means|refers to|is a reference to)\s{1,3}(?:the\s{1,3})?"
)
# After a law's name: "(in this Act referred to as “the 1998 Act”)", "(“the principal Act”)".
_CALLED = re.compile(
    r"\s{0,3}(?:\[\d{1,3}\]|"
    r"\(\d{1,3}\))?\s{0,3}\(\s?(?:[a-z ,]{0,60})?[“‘\"'](?:the\s)?(?P<name>[^“”‘’\"'\n]{2,60})[”’\"']\s?\)"
)
# What may be the number of an act or instrument after its title.
_NUMBER = re.compile(r"\((?:c\.|ch\.|asp|anaw|asc|nawm|mwa|S\.|N\.|W\.)|/\d")
_LAW_WORD = re.compile(
    r"\b(?:Act|Order|Regulations?|Rules|Directive|Decision|Measure|Scheme|Treaty|Convention|"
    r"Code)\b"
)

ReadTitle = Callable[[str, int], tuple[Law, int] | None]
FindTitles = Callable[[str], list[tuple[Law, int]]]  # a text -> the laws it names, each with the end of its name


@dataclass(frozen=True, slots=True)
class _Said:
    """What one document says of laws."""

    pattern: re.Pattern[str] | None  # its names
    standing: re.Pattern[str] | None  # its names with their article, as they stand alone in a sentence
    names: dict[str, Law]
    numbers: dict[str, Law]  # title as `title_key` gives it -> the law with the number that follows the title once


class DocumentNames:
    """Names and numbers by document; read once for each."""

    def __init__(self, read: ReadTitle, find: FindTitles) -> None:
        self._read = read
        self._find = find
        self._known: WeakKeyDictionary[DocumentIndex, _Said] = WeakKeyDictionary()

    def at(self, text: str, position: int, index: DocumentIndex) -> tuple[Law, int] | None:
        """The law that the document calls by the name at this offset."""
        said = self._said(index)
        match = said.pattern.match(text, position) if said.pattern else None
        return (said.names[match["name"]], match.end()) if match else None

    def standing(self, text: str, index: DocumentIndex) -> Iterator[tuple[int, int, Law]]:
        """Begin, end and law of every name of the document that a text uses after "the"."""
        said = self._said(index)
        for match in said.standing.finditer(text) if said.standing else ():
            yield match.start("name"), match.end(), said.names[match["name"]]

    def numbered(self, law: Law, index: DocumentIndex) -> Law:
        """A law cited by its title alone, with the URN that its number gives it elsewhere in the document."""
        if law.urn or law.role != "named" or not law.title:
            return law
        known = self._said(index).numbers.get(title_key(law.title))
        return law if known is None else replace(law, urn=known.urn, certain=known.certain)

    def _said(self, index: DocumentIndex) -> _Said:
        said = self._known.get(index)
        if said is None:
            said = self._known[index] = self._collect(index)
        return said

    def _collect(self, index: DocumentIndex) -> _Said:
        names: dict[str, set[Law]] = {}
        numbers: dict[str, set[Law]] = {}
        for node in index.tree.nodes:
            text = node.text
            quoted = any(quote in text for quote in "“‘\"'")
            if not quoted and not _NUMBER.search(text):
                continue
            for law, end in self._find(text):
                if law.urn and law.title:
                    numbers.setdefault(title_key(law.title), set()).add(replace(law, title=""))
                called = _CALLED.match(text, end) if quoted else None
                if called is not None and _LAW_WORD.search(called["name"]):
                    names.setdefault(called["name"], set()).add(law)
            for match in _MEANS.finditer(text) if quoted else ():
                read = self._read(text, match.end()) if _LAW_WORD.search(match["name"]) else None
                if read is not None and read[0].role == "named":
                    names.setdefault(match["name"], set()).add(read[0])
        # What parts of the document say differently tells nothing here.
        laws = {name: next(iter(found)) for name, found in names.items() if len({one.urn for one in found}) == 1}
        by_title = {
            title: next(iter(found)) for title, found in numbers.items() if len({one.urn for one in found}) == 1
        }
        named = {name: law if law.urn else by_title.get(title_key(law.title), law) for name, law in laws.items()}
        if not named:
            return _Said(None, None, named, by_title)
        either = "|".join(re.escape(one) for one in sorted(named, key=len, reverse=True))
        pattern = re.compile(rf"(?:the\s)?(?P<name>{either})(?![\w’'-])")
        standing = re.compile(rf"(?<![“‘\"'\w])[Tt]he\s{{1,3}}(?P<name>{either})(?![\w’”'-]|\s{{1,3}}\d{{4}})")
        return _Said(pattern, standing, named, by_title)


# Provisions that amend other law: a bare "section 5" in them is a section of the law that they amend.

_UNKNOWN = Law("", role="unread")
_AMENDING = re.compile(
    r"\b(?:substitut|insert|omit|add)(?:e|s|ed)?\b[\s\u2060]{0,3}(?:[“\"‘—–:,;]|\Z|(?:the\s)?(?:words?|figures?|entry|entries|definitions?|"
    r"following|(?:sub-?)?paragraphs?|(?:sub)?sections?)\b)|"
    r"\bfor\s(?:the\swords?\s)?[“\"‘]|\bafter\s[“\"‘]|"
    r"\b(?:is|are|shall\sbe|be)\s(?:further\s)?amended[\s\u2060]?(?:as\b|in\saccordance|by\b|—|:|,|\.|\Z)|"
    r"\b(?:is|are|shall\sbe)\s(?:hereby\s)?(?:repealed|omitted)\b|"
    r"\b(?:Order|Regulations|Rules)\b[^.]{0,80}\b(?:is|are)\s(?:hereby\s)?revoked\b|"
    r"\bthere\s(?:shall\sbe|is|are)\s(?:inserted|substituted|added)\b|\bshall\sbe\s(?:inserted|substituted|added)\b|"
    r"\bcease\sto\shave\seffect\b"
)
_HEADING = re.compile(r"\b(?:repeals?|revocations?|(?:minor |consequential )amendments?)\b", re.IGNORECASE)


class AmendedLaws:
    """What the provisions of a document amend; worked out once for each node."""

    def __init__(self, find_laws: Callable[[str], list[tuple[Law, int]]]) -> None:
        self._find = find_laws
        self._known: WeakKeyDictionary[DocumentIndex, dict[str, Law | None]] = WeakKeyDictionary()
        self._own: WeakKeyDictionary[DocumentIndex, dict[str, tuple[bool, tuple[Law, ...]]]] = WeakKeyDictionary()

    def at(self, here: ReferenceContext) -> Law | None:
        """The law that the provision amends, without URN where it cannot be told; None where it amends none."""
        known = self._known.setdefault(here.index, {})
        if here.node.urn not in known:
            known[here.node.urn] = self._amended(here)
        return known[here.node.urn]

    def _amended(self, here: ReferenceContext) -> Law | None:
        amending = False
        for node in here.index.chain(here.node):
            if node is here.index.root:
                break
            own, laws = self._read(node, here.index)
            amending = amending or own
            if amending and laws:
                return laws[0] if len({law.urn or law.title for law in laws}) == 1 else _UNKNOWN
        return _UNKNOWN if amending else None

    def _read(self, node: ParsedNode, index: DocumentIndex) -> tuple[bool, tuple[Law, ...]]:
        own = self._own.setdefault(index, {})
        if node.urn not in own:
            text = f"{node.heading}\n{without_quoted(node)}"
            amends = _AMENDING.search(text) is not None or _HEADING.search(node.heading) is not None
            # What is inserted into other law names the law that inserts it.
            own[node.urn] = amends, tuple(law for law, _ in self._find(text) if law.urn != index.corpus_urn)
        return own[node.urn]
