"""What provisions take from others that they do not name: by the thing that they lift, and by its place in the law.

"A school is exempt from keeping a ledger" limits the provision that asks for ledgers, wherever that stands in the law;
"a person is released from the duties of this Part" all that asks for something there. The second says what it limits
and is an exception; the first is told only as what may limit (`may_limit`), and of the nearest provisions that have the
thing: in its own section, else in the law, if it is short. In a long one the words of a thing are those of many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Literal

from rag.languages.base import Language
from rag.languages.stems import families, telling_stems
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Link, ParsedNode
from rag.law.passages import Citation, Passage, after_number
from rag.law.phrases import LiftPhrases, LinkPhrases

_SENTENCE_END = re.compile(r"[.;:](?=\s|\Z)|[。；]|\n")
_LONGEST_THING = 90  # characters of the words that say what is lifted
_MOST_SECTIONS = 40  # of the law in which a thing is looked for that no words place; of a unit that is named, ten times
_FEW, _SEVERAL = 2, 8  # sections that may be meant: where nothing says where they stand, and where a unit is named
_SAME, _ALL = 0.65, 0.99  # of the weight of a thing's words that a provision has: in the same section, and elsewhere
_BEHIND = 40  # characters after a thing in which a reference says under which law it is asked for
_COMMON = 0.34  # share of the sections that a word occurs in which tells nothing
_MASK = "§"  # what a citation's characters become: it has brackets and dots that end no words and no sentence
_PREFIX, _INSIDE = 5, 6  # characters that two words of one family have in common: "benutz", "benutzungsrecht"


@dataclass(slots=True)
class _Scope:
    """The sections among which a thing is looked for, and in how many of them each word occurs."""

    sections: list[ParsedNode]
    counts: Counter[str]

    def weight(self, word: str) -> float:
        """How much a word tells: nothing where half of the sections have it."""
        return log((len(self.sections) + 1) / max(1, self.counts[word]))


class LimitFinder:
    """Finds what the provisions of one document take from others without naming them."""

    def __init__(
        self,
        index: DocumentIndex,
        phrases: LinkPhrases,
        language: Language,
        passages: Mapping[str, Passage],
        defining: Collection[str],
    ) -> None:
        """`passages` by URN; `defining`: URNs of nodes that say what words mean, which limit nothing."""
        self._index, self._phrases, self._language = index, phrases, language
        self._passages, self._defining = passages, defining
        self._words: dict[str, frozenset[str]] = {}
        self._places = {node.urn: place for place, node in enumerate(index.document.nodes)}
        self._scopes: dict[str, _Scope] = {}
        self._within: dict[str, list[ParsedNode]] = {}  # the sections of a unit

    def links(self, known: Collection[tuple[str, str]]) -> Iterator[Link]:
        """Links `may_limit` and `excepts`, in document order.

        Args:
            known: source and target of the exceptions that the document's words state.
        """
        lifts = self._phrases.lifts
        if lifts is None:
            return
        taken = set(known)
        for node in self._index.document.nodes:
            section = self._index.section(node)
            if section is None or not node.text or node.kind in ("decision", "notice") or node.urn in self._defining:
                continue
            for link in self._lifted(node, section, lifts, taken):
                if (link.source_urn, link.target_urn) not in taken:
                    taken.add((link.source_urn, link.target_urn))
                    yield link

    def _lifted(
        self, node: ParsedNode, section: ParsedNode, lifts: LiftPhrases, known: Collection[tuple[str, str]]
    ) -> Iterator[Link]:
        passage = self._passages[node.urn]
        text = passage.text
        start = after_number(text)
        if lifts.words.search(text, start) is None:
            return
        citations = _in_order(passage)
        masked = _masked(passage)
        at = 0  # of the first citation of a sentence
        for stop in [*_SENTENCE_END.finditer(masked, start), None]:
            end = stop.start() if stop is not None else len(text)
            cited: list[Citation] = []
            while at < len(citations) and citations[at].whole_start <= end:
                if start <= citations[at].whole_start and citations[at].whole_end <= end:
                    cited.append(citations[at])
                at += 1
            for found in lifts.words.finditer(text, start, end):
                if not lifts.aside.search(text[start : found.start()].lstrip()):
                    yield from self._lifted_here(passage, section, found, masked, (start, end), cited, lifts, known)
            start = stop.end() if stop is not None else end

    def _lifted_here(
        self,
        passage: Passage,
        section: ParsedNode,
        found: re.Match[str],
        masked: str,
        sentence: tuple[int, int],
        cited: Sequence[Citation],
        lifts: LiftPhrases,
        known: Collection[tuple[str, str]],
    ) -> Iterator[Link]:
        """What one lifting word takes away: of the provision that its sentence names near it, else of those that have
        the thing."""
        start, end = sentence
        refused = self._phrases.not_possible
        if refused is not None and refused.search(passage.text, start, end):
            return
        if any((passage.node.urn, one.urn) in known for one in cited):
            return  # its words say already what they take away
        own = {unit.urn for unit in self._index.chain(passage.node)}
        place = self._thing_span(masked, found, sentence, lifts)
        units = [unit for one in cited if (unit := self._index.node(one.urn)) is not None]
        behind = place[1] + (_BEHIND if found["after"] else 0)
        near = [
            one
            for one in cited
            if place[0] <= one.whole_start <= behind
            and (unit := self._index.node(one.urn)) is not None
            and self._index.section(unit) is not None
        ]
        if near:
            carve = self._phrases.carve
            targets = (
                one.urn
                for one in near
                if not one.range
                and one.urn not in own
                # "exempt from this chapter, other than section 5"
                and not (carve is not None and carve.search(masked, start, one.whole_start))
            )
            yield from (_link(passage.node, "may_limit", found, urn) for urn in targets)
            return
        units = [unit for unit in units if self._index.section(unit) is None]
        if any(not self._index.node(one.urn) and place[0] <= one.whole_start <= place[1] + _BEHIND for one in cited):
            return
        thing = masked[slice(*place)].replace(_MASK, "")
        general = lifts.general.search(thing)
        words = self._of(lifts.general.sub(" ", thing))
        if units and general is not None and not words:
            scope, ban = self._scope(units[0]), general.groupdict().get("ban") is not None
            meant = [unit for unit in scope.sections if unit is not section and self._asks(unit, lifts, ban=ban)]
            for unit in meant if len(meant) <= _SEVERAL else ():
                yield _link(passage.node, "excepts", found, unit.urn)
            return
        for unit in units[:1] or (section, self._index.root):
            if len(self._sections(unit)) > _MOST_SECTIONS * (10 if units else 1):
                return
            meant = self._having(passage.node, unit, words, lifts, _SAME if unit is section or units else _ALL)
            if meant:
                sections = {one.urn for part in meant if (one := self._index.section(part)) is not None}
                if len(meant) > _FEW and sections == {section.urn}:
                    meant = self._last_before(passage.node, meant)
                if len(sections) <= (_SEVERAL if units else _FEW):
                    yield from (_link(passage.node, "may_limit", found, part.urn) for part in meant)
                return

    def _having(
        self, node: ParsedNode, unit: ParsedNode, words: Collection[str], lifts: LiftPhrases, share: float
    ) -> list[ParsedNode]:
        """The provisions of a unit that ask for, forbid or allow something and have the words of a thing."""
        scope = self._scope(self._around(unit))
        weights = {word: scope.weight(word) for word in words}
        if sum(weights.values()) <= 0:
            return []
        apart = {one.urn for one in (*self._index.chain(node), *self._index.tree.subtree(node))}
        most_common = max(2.0, _COMMON * len(scope.sections))
        meant: list[ParsedNode] = []
        for part in self._index.tree.subtree(unit):
            if not part.text or part.urn in apart or part.urn in self._defining or self._index.section(part) is None:
                continue
            shared = {word for word in words if _has(self._of_node(part), word)}
            telling = any(scope.counts[word] <= most_common for word in shared)
            enough = sum(weights[word] for word in shared) >= share * sum(weights.values())
            if telling and enough and self._rules(part, lifts):
                meant.append(part)
        return meant

    def _last_before(self, node: ParsedNode, parts: list[ParsedNode]) -> list[ParsedNode]:
        """The last of some parts of a node's section that stands before it."""
        place = self._places[node.urn]
        return [part for part in parts if self._places[part.urn] < place][-1:]

    def _rules(self, part: ParsedNode, lifts: LiftPhrases) -> bool:
        """Whether a provision asks for something, forbids or allows it."""
        asks = self._phrases.duty
        return any(words is not None and words.search(part.text) for words in (asks, lifts.bans, lifts.allows))

    def _around(self, unit: ParsedNode) -> ParsedNode:
        """The unit in which words are counted: what contains a section, else the unit itself."""
        parent = self._index.tree.parent(unit)
        return parent if parent is not None and self._index.section(unit) is not None else unit

    def _asks(self, unit: ParsedNode, lifts: LiftPhrases, *, ban: bool) -> bool:
        """Whether a section asks for something, or forbids it."""
        pattern = lifts.bans if ban else self._phrases.duty
        parts = self._index.tree.subtree(unit)
        return pattern is not None and any(pattern.search(part.text) for part in parts if part.text)

    def _thing_span(
        self, text: str, found: re.Match[str], sentence: tuple[int, int], lifts: LiftPhrases
    ) -> tuple[int, int]:
        """Where the words stand that say what a lifting word takes away."""
        if found["after"] is not None:
            start, end = found.end(), min(sentence[1], found.end() + _LONGEST_THING)
            stop = lifts.ends.search(text, start, end)
            return start, stop.start() if stop is not None else end
        start = max(sentence[0], found.start() - _LONGEST_THING)
        for begun in lifts.begins.finditer(text, start, found.start()):
            start = begun.end()
        return start, found.start()

    def _scope(self, unit: ParsedNode) -> _Scope:
        """The sections of a unit, with the words of the first of them."""
        known = self._scopes.get(unit.urn)
        if known is None:
            sections = self._sections(unit)
            words = (
                frozenset[str]().union(*(self._of_node(part) for part in self._index.tree.subtree(one) if part.text))
                for one in sections[: 10 * _MOST_SECTIONS]
            )
            known = self._scopes[unit.urn] = _Scope(sections, Counter(word for each in words for word in each))
        return known

    def _sections(self, unit: ParsedNode) -> list[ParsedNode]:
        known = self._within.get(unit.urn)
        if known is None:
            found = [node for node in self._index.tree.subtree(unit) if self._index.section(node) is node]
            known = self._within[unit.urn] = found
        return known

    def _of_node(self, node: ParsedNode) -> frozenset[str]:
        known = self._words.get(node.urn)
        if known is None:
            text = _masked(self._passages[node.urn])
            known = self._words[node.urn] = self._of(text.replace(_MASK, " "))
        return known

    def _of(self, text: str) -> frozenset[str]:
        found = families(telling_stems(text, self._language), self._language)
        return frozenset(word for word in found if len(word) > 1 and not word.isdigit())


def _has(words: Collection[str], one: str) -> bool:
    """Whether one of some words is of a word's family; a compound is of the families of its parts."""
    if one in words:
        return True
    for other in words:
        short, long = (one, other) if len(one) <= len(other) else (other, one)
        if (len(short) >= _PREFIX and long.startswith(short)) or (len(short) >= _INSIDE and short in long):
            return True
    return False


def _in_order(passage: Passage) -> list[Citation]:
    return sorted(passage.citations, key=lambda citation: citation.whole_start)


def _masked(passage: Passage) -> str:
    """A passage's text with `_MASK` for each character of its citations."""
    text, parts, at = passage.text, list[str](), 0
    for citation in _in_order(passage):
        if citation.whole_end > at:
            start = max(at, citation.whole_start)
            parts += (text[at:start], _MASK * (citation.whole_end - start))
            at = citation.whole_end
    return "".join((*parts, text[at:]))


def _link(node: ParsedNode, kind: Literal["may_limit", "excepts"], found: re.Match[str], target: str) -> Link:
    place = {"start": str(found.start()), "end": str(found.end())}
    said = {"phrase": found[0], "phrase_start": place["start"], "phrase_end": place["end"]}
    return Link(node.urn, kind, found[0], target, {**place, **said})
