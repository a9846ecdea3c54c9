"""Provisions that amend other law: a bare "section 5" in them is a section of the law that they amend."""

from __future__ import annotations

import re
from collections.abc import Callable
from weakref import WeakKeyDictionary

from rag.ingest.citations import without_quoted
from rag.ingest.nodes import ParsedNode
from rag.jurisdictions.base import DocumentIndex, ReferenceContext
from rag.jurisdictions.provisions import Law

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
