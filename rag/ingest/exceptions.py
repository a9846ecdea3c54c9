"""Edges from a node to what it cites, and how it relates to it: subject to, notwithstanding, disapplies, cites.

The source is always the provision in which the words stand; the kind is the source's relation to the target.
"""

from __future__ import annotations

import re

from rag.ingest.citations import Citation, Passage
from rag.ingest.nodes import Link
from rag.jurisdictions.base import DocumentIndex, Jurisdiction
from rag.jurisdictions.phrases import ExceptionPhrase, LinkPhrases

_MAX_GAP = 90  # characters between an excepting phrase and its reference


class LinkFinder:
    """Finds the links of one document's nodes."""

    def __init__(self, index: DocumentIndex, jurisdiction: Jurisdiction, phrases: LinkPhrases) -> None:
        self._index = index
        self._jurisdiction = jurisdiction
        self._phrases = phrases

    def links(self, passage: Passage) -> list[Link]:
        """The node's links: one for each target and kind, in the order of the text.

        A citation that an excepting phrase governs becomes the exception and not also a plain citation. Plain
        citations of the node itself or of its ancestors are left out: they are in every context of the node anyway.
        """
        governed = self._exceptions(passage)
        above = {one.urn for one in self._index.chain(passage.node)}
        links: list[Link] = []
        seen: set[tuple[str, str, str]] = set()
        for position, citation in enumerate(passage.citations):
            kind, phrase, start, end = governed.get(position, ("cites", "", 0, 0))
            if citation.urn == passage.node.urn or (kind == "cites" and citation.urn in above):
                continue
            key = (kind, citation.urn, "" if citation.urn else citation.reference)
            if key in seen:
                continue
            seen.add(key)
            properties = self._properties(citation)
            if phrase:
                properties |= {"phrase": phrase, "phrase_start": str(start), "phrase_end": str(end)}
            links.append(Link(passage.node.urn, kind, citation.reference, citation.urn, properties))
        return links

    def heading_links(self, passage: Passage) -> list[Link]:
        """What the node's heading cites, with `place = heading`; offsets are into the heading."""
        known: set[str] = set()
        links: list[Link] = []
        for citation in passage.citations:
            if citation.urn and citation.urn not in known:
                known.add(citation.urn)
                properties = {**self._properties(citation), "place": "heading"}
                links.append(Link(passage.node.urn, "cites", citation.reference, citation.urn, properties))
        return links

    def _properties(self, citation: Citation) -> dict[str, str]:
        properties = {"start": str(citation.start), "end": str(citation.end)}
        if citation.range:
            properties["range"] = citation.range
        if citation.kind == "external":
            properties["external"] = "true"
        if not citation.confident:
            properties["confident"] = "false"
        if citation.urn and self._is_missing(citation.urn):
            properties["exists"] = "false"
        return properties

    def _is_missing(self, urn: str) -> bool:
        """Whether a target belongs to this document and is not in it; nothing is known about other documents."""
        if self._index.node(urn) is not None:
            return False
        if self._jurisdiction.document_urn(urn) == self._index.root.urn:
            return True
        parent = urn.rpartition(":")[0]
        return parent != self._index.corpus_urn and self._index.node(parent) is not None

    def _exceptions(self, passage: Passage) -> dict[int, tuple[str, str, int, int]]:
        """For the position of each governed citation: kind, phrase, and the phrase's span."""
        governed: dict[int, tuple[str, str, int, int]] = {}
        if not passage.citations:
            return governed
        taken: list[tuple[int, int]] = []
        for phrase in self._phrases.exceptions:
            for match in phrase.pattern.finditer(passage.text):
                if any(start < match.end() and match.start() < end for start, end in taken):
                    continue
                positions = self._governed(passage, phrase, match)
                new = [one for one in positions if one not in governed]
                if not new:
                    continue
                taken.append(match.span())
                for position in new:
                    governed[position] = (phrase.kind, match[0], match.start(), match.end())
        return governed

    def _governed(self, passage: Passage, phrase: ExceptionPhrase, match: re.Match[str]) -> list[int]:
        text, citations = passage.text, passage.citations
        if phrase.side == "after":
            if self._phrases.no_target.match(text, match.end()):
                return []
            first = next((i for i, one in enumerate(citations) if one.whole_start >= match.end()), None)
            if first is None or citations[first].whole_start - match.end() > _MAX_GAP:
                return []
            if not phrase.gap.fullmatch(text, match.end(), citations[first].whole_start):
                return []
            return self._list_from(passage, first)
        last = next((i for i in reversed(range(len(citations))) if citations[i].whole_end <= match.start()), None)
        if last is None or not phrase.gap.fullmatch(text, citations[last].whole_end, match.start()):
            return []
        positions = self._list_up_to(passage, last)
        opening = text[: citations[positions[0]].whole_start]
        return [] if self._phrases.governed_clause.search(opening[-60:]) else positions

    def _list_from(self, passage: Passage, first: int) -> list[int]:
        """The citation and those that the same list goes on with."""
        positions = [first]
        for position in range(first + 1, len(passage.citations)):
            if not self._joined(passage, position - 1, position):
                break
            positions.append(position)
        return positions

    def _list_up_to(self, passage: Passage, last: int) -> list[int]:
        positions = [last]
        for position in range(last, 0, -1):
            if not self._joined(passage, position - 1, position):
                break
            positions.insert(0, position - 1)
        return positions

    def _joined(self, passage: Passage, before: int, after: int) -> bool:
        first, second = passage.citations[before], passage.citations[after]
        if first.whole_start == second.whole_start:
            return True
        between = passage.text[first.whole_end : second.whole_start]
        return len(between) < 40 and self._phrases.list_joint.fullmatch(between) is not None
