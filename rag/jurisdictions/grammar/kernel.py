"""What all readers of references share: their records, how they read lists and ranges, and what a reading becomes.

A country's module says what is its own: the words for its units, their order, and how its laws are named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import pairwise
from typing import Literal, TypeVar
from weakref import WeakKeyDictionary

from rag.jurisdictions.tables import WithExamples
from rag.law.designators import Path
from rag.law.jurisdiction import (
    DocumentIndex,
    FoundReference,
    Jurisdiction,
    RangeEnd,
    ReferenceContext,
    ReferenceKind,
    ReferencePart,
)
from rag.law.patterns import lazy
from retrieval.errors import InputError
from retrieval.paths import segment
from retrieval.tag_query import TagQuery

# Units of a reference with their numbers, outermost first: (("§", "823"), ("abs", "1")).
Units = tuple[tuple[str, str], ...]
_DASH = lazy(r"\s{0,3}[-\u2010-\u2015\u2212]\s{0,3}")


# Records are not frozen, since very many are made and a frozen one takes three times as long to make.
@dataclass(slots=True, unsafe_hash=True)
class Span:
    """A stretch of text that names one provision; `range` where it is an end of a range."""

    start: int
    end: int
    range: RangeEnd = field(default="", kw_only=True)


@dataclass(slots=True, unsafe_hash=True)
class Item(Span):
    """One member of a list: a number with the designators below it, a container's number, or designators alone."""

    number: str = ""
    path: Path = ()


@dataclass(slots=True, unsafe_hash=True)
class Unit:
    """What items lie in. `level` is a level of the grammar, or a word of its own (`this`, `code`, `before section`)."""

    level: str
    number: str = ""
    path: Path = ()


@dataclass(slots=True, unsafe_hash=True)
class Law:
    """A law as a text names it.

    `role`: `named`; `unread`, a name that stands for no law that could be told; `own`, the law that the text stands
    in; `unknown`, known by its title only; `external`, law that no store can hold (foreign law, another edition).
    """

    urn: str = ""  # its corpus; empty where it has no URN scheme or is not known
    title: str = ""  # as written, for a search by title
    tags: tuple[tuple[str, str], ...] = ()  # tags that name it instead of a URN
    certain: bool = True
    role: Literal["named", "unread", "own", "unknown", "external"] = "named"


@dataclass(slots=True)
class Reading:
    """A reference taken apart: its items, all of one level, and the units they lie in, innermost first."""

    start: int
    end: int
    level: str
    items: list[Item]
    units: list[Unit] = field(default_factory=lambda: [])
    law: Law | None = None
    word: str = ""  # the level's word as printed, lower case, singular
    unread: bool = False  # what the items lie in could not be read


@dataclass(slots=True, unsafe_hash=True)
class Target:
    """What a unit, an item or a law was resolved to; an empty `urn` is law without one, or words not understood."""

    urn: str
    kind: ReferenceKind
    confident: bool = True


OTHER = Target("", "external")
UNREAD = Target("", "relative", confident=False)

_Made = TypeVar("_Made")
_Span = TypeVar("_Span", bound=Span)
# (text, offset, the members before, the joint behind the last of them) -> the member that begins there
Member = Callable[[str, int, Sequence[_Span], "re.Match[str] | None"], "_Span | None"]


def read_list(text: str, at: int, member: Member[_Span], joint: re.Pattern[str]) -> list[_Span]:
    """The members of a list from an offset on, with the ends of its ranges marked.

    Args:
        at: where the first member would begin.
        member: reads one; None ends the list.
        joint: what is between two; its group `range` says "to".
    """
    items: list[_Span] = []
    between: re.Match[str] | None = None
    while (item := member(text, at, items, between)) is not None:
        if between is not None and between["range"]:
            item.range = "end"
        items.append(item)
        between = joint.match(text, item.end)
        if between is None:
            break
        at = between.end()
    mark_starts(items)
    return items


def mark_starts(items: Iterable[Span]) -> None:
    """Mark what begins each range whose end is marked."""
    for first, second in pairwise(items):
        if second.range == "end" and not first.range:
            first.range = "start"


def range_ends(item: Item, first: str, last: str) -> list[Item]:
    """The two ends of a range that is printed like one number."""
    middle = item.start + len(first)
    return [Item(item.start, middle, first, range="start"), Item(middle + 1, item.end, last, range="end")]


def reference_of(
    text: str, start: int, end: int, items: Sequence[Span], targets: Sequence[Target], *, certain: bool = True
) -> FoundReference:
    """The reference that items and their targets make; as many targets as items."""
    if len(targets) == 1:  # most references name one provision
        [item], [target] = items, targets
        part = ReferencePart(item.start, item.end, target.urn, item.range)
        return FoundReference(start, end, text[start:end], (part,), target.kind, certain and target.confident)
    parts = tuple(
        ReferencePart(item.start, item.end, target.urn, item.range) for item, target in zip(items, targets, strict=True)
    )
    confident = certain and all(target.confident for target in targets)
    return FoundReference(start, end, text[start:end], parts, kind_of(target.kind for target in targets), confident)


def kind_of(kinds: Iterable[ReferenceKind]) -> ReferenceKind:
    """The kind of a reference whose provisions are of these kinds."""
    found = set(kinds)
    return "relative" if "relative" in found else "explicit" if "explicit" in found else "external"


def apart(found: Iterable[FoundReference]) -> list[FoundReference]:
    """In order, without overlap: where two readings meet, the one that begins first, then the longer."""
    kept: list[FoundReference] = []
    for reference in sorted(found, key=lambda reference: (reference.start, -reference.end)):
        if not kept or reference.start >= kept[-1].end:
            kept.append(reference)
    return kept


def stands_before(pattern: re.Pattern[str], text: str, at: int, reach: int) -> re.Match[str] | None:
    r"""The words right before an offset that a pattern with `\Z` at its end matches, within `reach` characters."""
    return pattern.search(text, max(0, at - reach), at)


def corpus_of(urn: str) -> str:
    """The corpus part of a URN: `urn:lex:us:16cfr`."""
    return ":".join(urn.split(":")[:4])


def plain_number(number: str) -> str:
    """A number with hyphens for typographic dashes, and no spaces around them: `96 \u2013 164` -> `96-164`."""
    return number if number.isalnum() else _DASH.sub("-", number)


def below(urn: str, *designators: str) -> str:
    """The URN of a provision below another; an empty string where a designator has no citable character."""
    try:
        return ":".join([urn, *[segment(designator) for designator in designators]]) if urn else ""
    except InputError:
        return ""


Exists = Callable[[str, Path], bool]  # (number of a unit or "", path) -> whether the document has it


def existence(here: ReferenceContext | None, urn_of: Callable[[str], str]) -> Exists | None:
    """What tells whether the document of a place has a provision; None without a place.

    Args:
        here: the place; a path without a number is looked for in everything around it.
        urn_of: the URN of a section of the document by its number.
    """
    if here is None:
        return None
    index, around = here.index, here.index.chain(here.node)

    def exists(number: str, path: Path) -> bool:
        if number:
            return index.node(below(urn_of(number), *path)) is not None
        return any(index.node(below(node.urn, *path)) is not None for node in around)

    return exists


def of_document(make: Callable[[DocumentIndex], _Made]) -> Callable[[DocumentIndex], _Made]:
    """What is made from a document, made once for each and kept as long as the document."""
    known: WeakKeyDictionary[DocumentIndex, _Made] = WeakKeyDictionary()

    @wraps(make)
    def made(index: DocumentIndex) -> _Made:
        found = known.get(index)
        if found is None:
            found = known[index] = make(index)
        return found

    return made


def doubted(queries: Iterable[TagQuery], doubt: str) -> list[TagQuery]:
    """Queries with a doubt as the hint of those that have none; as they are where the doubt is empty."""
    return [query if query.hint or not doubt else replace(query, hint=doubt) for query in queries]


class CountryLaw(WithExamples):
    """What the modules of all jurisdictions have alike; `rag.law.jurisdiction.Jurisdiction` describes the members."""

    code = ""
    name = ""
    language = "en"
    supports_annotation = True
    main_levels: Mapping[str, str] = {}
    # How another jurisdiction's grammar is asked for, since countries do not know one another: the registry says it.
    grammar_of: Callable[[str], Jurisdiction] | None = None

    def document_urn(self, urn: str) -> str:
        """The URN of the document that a provision belongs to: its law, which is its corpus."""
        return corpus_of(urn) if urn.count(":") >= 3 else ""
