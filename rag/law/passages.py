"""A node's text with what it cites: the grammar's reading, corrected by the publisher's own mark-up."""

from __future__ import annotations

from dataclasses import dataclass

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
from rag.law.patterns import lazy

_OWN_NUMBER = lazy(
    r"\s*(?:\(\w{1,4}\)|\d{1,3}\s?[a-z]?(?:[.)](?!\d)|°(?:\s(?:bis|ter|quater))?)|[A-Za-z]\)|[IVXL]{1,6}\.(?=\s?[–—-]))(?:\s?[–—-]\s?|\s+)"
    r"|[一二三四五六七八九十]{1,4}[\s\u3000]+"
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


def after_number(text: str) -> int:
    """Where the words of a provision begin behind its own number, which some publications print with them: "(1) "."""
    match = _OWN_NUMBER.match(text)
    return match.end() if match is not None else 0


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
