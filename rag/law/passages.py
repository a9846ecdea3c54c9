"""A node's text with what it cites: the grammar's reading, corrected by the publisher's own mark-up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.law.jurisdiction import (
    DocumentIndex,
    FoundReference,
    Jurisdiction,
    RangeEnd,
    ReferenceContext,
    ReferenceKind,
    ReferencePart,
)
from rag.law.nodes import Mark, ParsedNode
from rag.law.own_words import own_words
from rag.law.patterns import lazy

_OWN_NUMBER = lazy(
    r"\s*(?:\(\w{1,4}\)|\d{1,3}\s?[a-z]?(?:[.)](?!\d)|°(?:\s(?:bis|ter|quater))?)|[A-Za-z]\)|[IVXL]{1,6}\.(?=\s?[–—-]))(?:\s?[–—-]\s?|\s+)"
    r"|[一二三四五六七八九十]{1,4}[\s\u3000]+"
)


# How a plain document speaks of its own provisions; not "section 5 of the Housing Act 1988".
_COUNTED_NUMBER = r"\d{1,3}(?:[.-]\d{1,3})*[a-z]?(?!\w|[.,]\d)(?:\s?\([a-zA-Z0-9]{1,4}\))*"
_COUNTED = lazy(
    rf"(?<![\w-])(?:(?:clause|section|article|paragraph|rule|regulation|point|item)s?|Ziffern?|Ziff\.|Punkte?|Klauseln?"
    rf"|Artikeln?|Art\.|§{{1,2}})\s?{_COUNTED_NUMBER}(?:(?:,\s|,?\s(?:and|or|to|und|oder|bis|et|ou|à)\s){_COUNTED_NUMBER})*"
    r"(?!\s(?:of|in|under)\s(?:the|an?|that)\s(?-i:[A-Z]))",
    re.IGNORECASE,
)
# What a number is of, where it is said behind it: "of Part II", "der Anlage".
_OF_PART = lazy(
    r"\s(?:of|in|under|de|du|des|der|des|von|vom|im)\s(?:the\s|la\s)?(?P<level>[^\W\d_]+)(?:\s(?P<number>\w{1,6}))?",
    re.IGNORECASE,
)
_COUNTED_ONE = lazy(r"(?P<number>\d{1,3}(?:[.-]\d{1,3})*[a-z]?)(?P<path>(?:\s?\([a-zA-Z0-9]{1,4}\))*)", re.IGNORECASE)
_OF = lazy(r"[\s,]{1,3}(?:of|in|under|to|von|zu|des|der|de|du|dans)(?:\s(?:the|la|le))?\s{1,3}", re.IGNORECASE)
_BRACKETED = lazy(r"\(([a-zA-Z0-9]{1,4})\)")
# A number of several parts behind the name of a publication, and the other end of a range: "ORS 830.900 to 830.915".
_NAMED_NUMBER = lazy(
    r"(?P<name>[A-Z][A-Za-z.]{1,12})\s(?:§{1,2}\s?)?(?P<first>\d[\da-zA-Z]*(?:[.:–-]\d[\da-zA-Z]*)+)(?P<path>(?:\s?\([a-zA-Z0-9]{1,4}\))*)"
    r"(?:\s(?:to|through)\s(?P<last>\d[\da-zA-Z]*(?:[.:–-]\d[\da-zA-Z]*)+))?"
)


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited provision. `start` and `end` are its own place, `whole_*` that of the reference it belongs to."""

    start: int
    end: int
    whole_start: int
    whole_end: int
    reference: str  # the words of the whole reference
    urn: str  # empty where there is no URN scheme or the words could not be read
    kind: ReferenceKind
    confident: bool
    range: RangeEnd = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A node, its text, and what the text cites in order."""

    node: ParsedNode
    text: str
    citations: tuple[Citation, ...]


def read_passage(
    node: ParsedNode, index: DocumentIndex, jurisdiction: Jurisdiction, *, heading: bool = False
) -> Passage:
    """Find what a node's text, or its heading, cites.

    Mark-up of the text with a target is taken as the target instead of the grammar's reading.
    """
    text = node.heading if heading else without_quoted(node)
    # An opinion speaks of other law: its "§ 5" or "this chapter" is never a place in the opinion itself.
    here = None if node.kind == "decision" else ReferenceContext(node, index)
    found = jurisdiction.find_references(text, here) if text else []
    if here is not None and index.counts_itself:
        found = _by_own_numbers(text, found, node, index)
    elif here is not None:
        found = _by_own_name(text, found, index)
    if here is not None and index.root.structure_type == "ROOT":
        found = _with_own_words(text, found, index)
    marks = [] if heading else [mark for mark in node.marks if mark.kind == "reference"]
    citations = [
        _citation(reference, part, _mark_at(part, marks), index) for reference in found for part in reference.parts
    ]
    for mark in marks:
        # Inside a longer reference the mark names the unit that the cited provision lies in.
        if any(other.start < mark.end and mark.start < other.end for other in found):
            continue
        target = index.node(mark.target)
        urn = target.urn if target else mark.target
        words = text[mark.start : mark.end]
        kind: ReferenceKind = "explicit" if urn else "external"
        citations.append(Citation(mark.start, mark.end, mark.start, mark.end, words, urn, kind, confident=bool(urn)))
    return Passage(node, text, tuple(sorted(citations, key=lambda citation: (citation.start, citation.end))))


def _by_own_numbers(
    text: str, found: list[FoundReference], node: ParsedNode, index: DocumentIndex
) -> list[FoundReference]:
    """References with those to the document's own numbers: "clauses 2.2 and 3(a)", whatever word is before.

    They replace what the grammar read as relative to the place; what it read as another law's stays. A number with
    which more than one part begins again is that of the part named behind it, else of the part that the text is in.
    """
    own: list[FoundReference] = []
    for match in _COUNTED.finditer(text):
        around, end = _around(text, match.end(), node, index)
        counted = [
            (each, _counted_node(each["number"], each["path"], index, around))
            for each in _COUNTED_ONE.finditer(match[0])
        ]
        parts = [
            ReferencePart(match.start() + each.start(), match.start() + each.end(), known.urn if known else "")
            for each, known in counted
            if known is not None or index.repeats(each["number"])
        ]
        others = [one for one in found if one.start < match.end() and match.start() < one.end]
        if parts and all(one.kind == "relative" or not one.confident for one in others):
            sure = all(one.urn for one in parts)
            own.append(FoundReference(match.start(), end, text[match.start() : end], tuple(parts), "relative", sure))
    kept = [one for one in found if not any(mine.start < one.end and one.start < mine.end for mine in own)]
    return sorted([*kept, *own], key=lambda reference: reference.start)


def _around(text: str, end: int, node: ParsedNode, index: DocumentIndex) -> tuple[Sequence[ParsedNode], int]:
    """The parts in which a number is looked for, and where the reference ends: behind "of Part II" too."""
    around = index.chain(node)[1:-1]
    of = _OF_PART.match(text, end)
    if of is None:
        return around, end
    level, number = of["level"].lower(), (of["number"] or "").lower()
    if index.has_level(level):
        part = index.numbered(level, number, index.root)
        return ((part,), of.end()) if part is not None else ((), end)
    return (around if index.has_level(number) else ()), end  # "of this Part"; of another law


def _by_own_name(text: str, found: list[FoundReference], index: DocumentIndex) -> list[FoundReference]:
    """References with those that name the law by what its title calls it, where no grammar knows the name.

    "RCW 19.410.040" in a chapter with the title "Chapter 19.410 RCW" is its own section.
    """
    own: list[FoundReference] = []
    names = {word.strip(".") for word in re.split(r"[^\w.]+", index.title) if word[:1].isupper()}
    for match in _NAMED_NUMBER.finditer(text) if names else ():
        others = [one for one in found if one.start < match.end() and match.start() < one.end]
        if match["name"].strip(".") not in names or any(one.urns for one in others):
            continue
        if match["last"] and match[0] in index.title:  # the law calls itself by the range of its sections
            whole = (ReferencePart(*match.span(), index.root.urn),)
            own.append(FoundReference(*match.span(), match[0], whole, "relative", confident=True))
            continue
        first = _counted_node(match["first"], match["path"], index)
        if first is None:
            continue
        last = _counted_node(match["last"], "", index) if match["last"] else None
        parts = (ReferencePart(match.start(), match.end("path"), first.urn, "start" if last is not None else ""),)
        if last is not None:
            parts = (*parts, ReferencePart(*match.span("last"), last.urn, "end"))
        end = parts[-1].end
        own.append(FoundReference(match.start(), end, text[match.start() : end], parts, "relative", confident=True))
    kept = [one for one in found if not any(mine.start < one.end and one.start < mine.end for mine in own)]
    return sorted([*kept, *own], key=lambda reference: reference.start) if own else found


def _with_own_words(text: str, found: list[FoundReference], index: DocumentIndex) -> list[FoundReference]:
    """References with those to the document as a whole that no grammar read."""
    if index.own is None:
        return found
    words = own_words(text, index.own, index.title, index.levels, plain=index.counts_itself)
    own: list[FoundReference] = []
    for one in words:
        if any(other.start < one.end and one.start < other.end for other in found):
            continue
        before = next((other for other in found if _OF.fullmatch(text, other.end, one.start)), None)
        if before is not None:  # "section 2 of this Agreement" is one reference
            found = [replace(other, end=one.end) if other is before else other for other in found]
        elif not one.numbered:
            part = ReferencePart(one.start, one.end, index.root.urn)
            own.append(FoundReference(one.start, one.end, text[one.start : one.end], (part,), "relative", one.sure))
    return sorted([*found, *own], key=lambda reference: reference.start) if own else found


def _counted_node(number: str, path: str, index: DocumentIndex, around: Sequence[ParsedNode] = ()) -> ParsedNode | None:
    """The provision of a number and the path in brackets behind it; None where the document has no such provision."""
    node = index.counted(number, around)
    for part in _BRACKETED.findall(path or ""):
        node = index.node(f"{node.urn}:{part.lower()}") if node is not None else None
    return node


def unknown_numbers(reference: str, index: DocumentIndex) -> list[str]:
    """The numbers of a reference that counts provisions, "clauses 9 and 12(a)", that none of the document has."""
    if _COUNTED.fullmatch(reference) is None:
        return []
    found = (each["number"] for each in _COUNTED_ONE.finditer(reference))
    return [number for number in found if index.counted(number) is None and not index.repeats(number)]


def after_number(text: str) -> int:
    """Where the words of a provision begin behind its own number, which some publications print with them: "(1) "."""
    match = _OWN_NUMBER.match(text)
    return match.end() if match is not None else 0


_LONGEST_CLAUSE = 600  # characters on either side of a place in which its clause is looked for


def clause_start(text: str, end: int, signs: str = ",;:.()—、。（") -> int:
    """Where the clause begins that ends at a place: behind the last of some signs before it."""
    first = max(0, end - _LONGEST_CLAUSE)
    return max(first, *(text.rfind(sign, first, end) + 1 for sign in signs))


def clause_end(text: str, start: int, signs: str = ",;:.(—、。（") -> int:
    """Where the clause ends that goes on at a place: before the first of some signs behind it."""
    last = min(len(text), start + _LONGEST_CLAUSE)
    return min((at for sign in signs if (at := text.find(sign, start, last)) >= 0), default=last)


def without_quoted(node: ParsedNode) -> str:
    """A node's text with the words of other acts, which it quotes, blanked; every offset stays what it was."""
    text = node.text
    for mark in node.marks:
        if mark.kind == "quoted":
            text = text[: mark.start] + " " * (mark.end - mark.start) + text[mark.end :]
    return text


def _mark_at(part: ReferencePart, marks: list[Mark]) -> Mark | None:
    return next((mark for mark in marks if mark.target and mark.start < part.end and part.start < mark.end), None)


def _citation(reference: FoundReference, part: ReferencePart, mark: Mark | None, index: DocumentIndex) -> Citation:
    urn, confident = part.urn, reference.confident
    if mark is not None and not _names_other_code(reference, part, mark):
        node = index.node(mark.target)
        urn, confident = (node.urn if node else mark.target), True
    elif urn and (placed := index.placed(urn)) is not None and placed.urn != urn:
        urn, confident = placed.urn, True
    kind: ReferenceKind = "explicit" if urn and reference.kind == "external" else reference.kind
    return Citation(
        part.start, part.end, reference.start, reference.end, reference.text, urn, kind, confident, part.range
    )


def _names_other_code(reference: FoundReference, part: ReferencePart, mark: Mark) -> bool:
    """Whether words before the mark name another code: mark-up made by machine often overlooks "12 U.S.C."."""
    if reference.kind == "relative" or mark.start <= reference.start:
        return False
    return not part.urn or part.urn.split(":")[:4] != mark.target.split(":")[:4]
