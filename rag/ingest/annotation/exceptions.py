"""Edges from a node to what it cites, and how it relates to it: subject to, notwithstanding, disapplies, cites.

The source is always the provision in which the words stand; the kind is the source's relation to the target.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from itertools import accumulate

from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import Link
from rag.law.passages import Citation, Passage
from rag.law.phrases import ExceptionPhrase, LinkPhrases, ListPhrase

_MAX_GAP = 90  # characters between an excepting phrase and its reference
_MAX_JOINT = 120  # characters between two references of one list, remarks in brackets included
_MAX_CLAUSE = 200  # characters before an excepting phrase in which its subject and verb stand
_OPENING = re.compile(r"\s*[:—–]")  # between words that introduce a list and its first item
# The number of an item and the word that joins it to the one before.
_ITEM = re.compile(r"\s*(?:(?:and|or|und|oder|sowie|et|ou)\s+)?(?:(?:\(?\w{1,4}\)|\d{1,3}\.|[•–-])\s*)?")
_SENTENCE_END = re.compile(r"\.(?:\s|\Z)")
# A provision that no grammar could read, by its unit and number: the reference after it is not what the words govern.
_UNREAD = re.compile(
    r"(?:\b(?i:art\.|sec\.|(?:sub-?|sous-)?(?:articles?|sections?|paragra(?:ph|phe)s?|chap(?:ter|itre)s?|parts?|tit(?:le|re)s?"
    r"|divisions?|clauses?)|alinéas?|livres?|books?|rules?|regulations?|schedules?|annex(?:es?)?|appendi(?:x|ces)"
    r"|artikels?|absatz(?:es)?|abs\.|nummer|nr\.|kapitels?)\s{1,2}|§{1,2}\s{0,2})"
    r"(?:\d|[IVXLC]+\b|[A-Z]\b|(?i:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b)"
)  # fmt: skip


def _introduces(words: str, end: int) -> bool:
    """Whether a list follows what ends there: nothing more stands between."""
    return not words[end:].strip(" :—–-\n")


def _said(match: re.Match[str]) -> str:
    """The words of a phrase; where the verb stands far from them, with it."""
    verb = match.groupdict().get("verb")
    return f"{match[0]}…{verb}" if verb else match[0]


class _Places:
    """Finds citations by where their references stand; a node may have thousands of them and of phrases."""

    def __init__(self, citations: Sequence[Citation]) -> None:
        # One reference may hold others, so neither starts nor ends need be in order; these are.
        self._starts = list(accumulate((one.whole_start for one in citations), max))
        self._ends = list(accumulate((one.whole_end for one in reversed(citations)), min))[::-1]

    def first_from(self, place: int) -> int | None:
        """The position of the first citation whose reference begins at a place or after it."""
        position = bisect_left(self._starts, place)
        return position if position < len(self._starts) else None

    def last_up_to(self, place: int) -> int | None:
        """The position of the last citation whose reference has ended at a place."""
        position = bisect_right(self._ends, place) - 1
        return position if position >= 0 else None


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
            if (
                kind == "subject_to"
                and citation.urn in above
                and self._covers(passage.text[max(0, end - _MAX_GAP) : end])
            ):
                continue
            if citation.urn == passage.node.urn or (kind == "cites" and citation.urn in above):
                continue
            key = (kind, citation.urn, "" if citation.urn else citation.reference)
            if key in seen:
                continue
            seen.add(key)
            properties = self._properties(citation)
            if phrase and end:
                properties |= {"phrase": phrase, "phrase_start": str(start), "phrase_end": str(end)}
            elif phrase:  # it stands in the words that introduce the list
                properties["lead_phrase"] = phrase
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
        places = _Places(passage.citations)
        taken: list[tuple[int, int]] = []  # spans of phrases, in order; none overlaps another
        for phrase in self._phrases.exceptions:
            for match in phrase.pattern.finditer(passage.text):
                following = bisect_left(taken, (match.end(),))
                if following and match.start() < taken[following - 1][1]:
                    continue
                positions = self._governed(passage, places, phrase, match)
                new = [one for one in positions if one not in governed]
                if not new:
                    continue
                insort(taken, match.span())
                for position in new:
                    governed[position] = (phrase.kind, _said(match), match.start(), match.end())
        for position, said in self._listed(passage):
            governed.setdefault(position, said)
        return governed

    def _listed(self, passage: Passage) -> Iterator[tuple[int, tuple[str, str, int, int]]]:
        """Citations that are items of a list whose introducing words except them: in the node's own text, or as a part
        of the node that the words stand in."""
        parent = self._index.tree.parent(passage.node)
        intro = passage.node.intro_text
        for phrase in self._phrases.lists:
            above = phrase.pattern.search(parent.intro_text) if parent is not None else None
            if parent is not None and above is not None and _introduces(parent.intro_text, above.end()):
                for position in self._items(passage, phrase, 0, 0):
                    yield position, (phrase.kind, above[0], 0, 0)
            for match in phrase.pattern.finditer(passage.text):
                opening = _OPENING.match(passage.text, match.end())
                if opening is None:
                    continue
                stop = _SENTENCE_END.search(passage.text, opening.end())
                end = stop.start() if stop else len(passage.text)
                if match.start() < len(intro):
                    end = min(end, len(intro))
                for position in self._items(passage, phrase, opening.end(), end):
                    yield position, (phrase.kind, match[0], match.start(), match.end())

    def _items(self, passage: Passage, phrase: ListPhrase, start: int, end: int) -> Iterator[int]:
        """The citations that items begin with, and what each item's own list goes on with; `end` 0: one item only."""
        reached = start
        for position, citation in enumerate(passage.citations):
            if citation.whole_start < reached or (end and citation.whole_end > end):
                continue
            signs = ";,\n" if end else ""
            opening = max([start, *(passage.text.rfind(sign, reached, citation.whole_start) + 1 for sign in signs)])
            item = _ITEM.match(passage.text, opening, citation.whole_start)
            if item is None or not phrase.gap.fullmatch(passage.text, item.end(), citation.whole_start):
                if not end:
                    return  # the item begins with other words: what it cites later is not the item
                continue
            found = self._list_from(passage, position)
            yield from found
            if not end:
                return
            reached = passage.citations[found[-1]].whole_end

    def _governed(self, passage: Passage, places: _Places, phrase: ExceptionPhrase, match: re.Match[str]) -> list[int]:
        text, citations = passage.text, passage.citations
        if phrase.side == "after":
            if self._phrases.no_target.match(text, match.end()) or self._describes(passage, phrase, match.start()):
                return []
            first = places.first_from(match.end())
            if first is None or citations[first].whole_start - match.end() > _MAX_GAP:
                return []
            opening = citations[first].whole_start
            if not phrase.gap.fullmatch(text, match.end(), opening) or _UNREAD.search(text, match.end(), opening):
                return []
            return self._list_from(passage, first)
        end = self._before_aside(text, match.start())
        last = places.last_up_to(end)
        if last is None or not phrase.gap.fullmatch(text, citations[last].whole_end, end):
            return []
        positions = self._list_up_to(passage, last)
        opening = citations[positions[0]].whole_start
        return [] if self._phrases.governed_clause.search(text[max(0, opening - 60) : opening]) else positions

    def _covers(self, words: str) -> bool:
        """Whether words say that the unit around them governs something: "operators subject to this part"."""
        return self._phrases.coverage is not None and self._phrases.coverage.search(words) is not None

    def _before_aside(self, text: str, place: int) -> int:
        """Where the words before a place end when a clause in commas is left out: "Part 2, except section 5, does"."""
        aside = self._phrases.aside
        start = max(0, place - _MAX_CLAUSE)
        found = aside.search(text[start:place]) if aside is not None else None
        return start + found.start() if found is not None else place

    def _describes(self, passage: Passage, phrase: ExceptionPhrase, start: int) -> bool:
        """Whether an excepting phrase only describes a thing: "persons who are not subject to section 5"."""
        before = passage.text[max(0, start - _MAX_CLAUSE) : start]
        if not before.strip():
            parent = self._index.tree.parent(passage.node)
            before = parent.intro_text[-_MAX_CLAUSE:].rstrip(" :—–-") + " " if parent and parent.intro_text else ""
        stated = phrase.predicate is None or phrase.predicate.search(before) is not None
        return not stated or (phrase.described is not None and phrase.described.search(before) is not None)

    def _list_from(self, passage: Passage, first: int) -> list[int]:
        """The citation and those that the same list goes on with.

        After bare commas they count where ", and" closes the list: "Despite section 5, section 6 applies" has one.
        """
        comma = self._phrases.list_comma
        positions, pending, opened = [first], list[int](), False
        for position in range(first + 1, len(passage.citations)):
            before, after = passage.citations[position - 1], passage.citations[position]
            between = passage.text[before.whole_end : after.whole_start]
            if self._joined(passage, position - 1, position):
                opened = opened and (before.whole_start == after.whole_start or not between.startswith(","))
            elif comma is not None and comma.fullmatch(between):
                opened = True
            else:
                break
            pending.append(position)
            if not opened:
                positions += pending
                pending.clear()
        return positions

    def _list_up_to(self, passage: Passage, last: int) -> list[int]:
        positions = [last]
        while True:
            # A bracket between two members may cite what it takes out of the first: 第二条（第三項を除く。）及び第四条.
            before = range(positions[-1] - 1, max(-1, positions[-1] - 4), -1)
            found = next((one for one in before if self._joined(passage, one, positions[-1])), None)
            if found is None:
                return positions[::-1]
            positions.append(found)

    def _joined(self, passage: Passage, before: int, after: int) -> bool:
        first, second = passage.citations[before], passage.citations[after]
        if first.whole_start == second.whole_start:
            return True
        between = passage.text[first.whole_end : second.whole_start]
        return len(between) < _MAX_JOINT and self._phrases.list_joint.fullmatch(between) is not None
