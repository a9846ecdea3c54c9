"""Definitions in forms that no pattern knows, by the language's learned reader; they are marked, and never certain.

A sentence in which a definition was read by its form is not read again. What the reader is sure of becomes a
definition with an inferred scope and an edge `may_define` that tells so with every context; of what it is less sure,
the edge alone is left.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from rag.languages.base import DefinitionFinder, Language
from rag.languages.definition_reader import (
    Likely,
    Surroundings,
    Weights,
    is_worth_reading,
    likely_terms,
    sentences,
    stems,
)
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Definition, Link, ParsedNode
from rag.law.passages import Passage
from rag.law.term_uses import TermRules

_FOLLOWING = 15  # provisions after one in which its words are looked for
_WHOLE = 400  # nodes of a law all of which a definition without a phrase governs
_MANY_LAWS = ("title", "code")
# "Livre Ier : Dispositions": the number of a heading before a colon is no term.
_NUMERAL = re.compile(r"(?:\d+|(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3}))\s?(?:er|re|ère|e|°)?")


class LikelyDefinitions:
    """Reads the nodes of one document."""

    def __init__(self, index: DocumentIndex, weights: Weights) -> None:
        self._index, self._weights = index, weights
        self._nodes = index.document.nodes
        self._places = {node.urn: place for place, node in enumerate(self._nodes)}
        self._known: dict[int, frozenset[str]] = {}  # the stems of a node, by its place

    def _stems(self, place: int) -> frozenset[str]:
        if place not in self._known:
            self._known[place] = stems(self._nodes[place].text)
        return self._known[place]

    def surroundings(self, node: ParsedNode) -> Surroundings:
        """What stands around a node's text."""
        parent, section = self._index.tree.parent(node), self._index.section(node)
        headings = dict.fromkeys((node.heading, section.heading if section is not None else ""))
        first = self._places[node.urn] + 1

        def following(word: str) -> int:
            return sum(word in self._stems(at) for at in range(first, min(first + _FOLLOWING, len(self._nodes))))

        return Surroundings(parent.intro_text if parent is not None else "", " ".join(headings), following)

    def terms(
        self, passage: Passage, known: Sequence[Definition], amending: re.Pattern[str]
    ) -> Iterator[tuple[tuple[int, int], Likely]]:
        """The terms that a node likely defines, each with its sentence.

        Args:
            passage: the node and its text.
            known: what it defines by form.
            amending: matches in a sentence that changes the words of another act, and defines nothing here.
        """
        if any(definition.words is None for definition in known):
            return
        starts = [definition.words[0] for definition in known if definition.words is not None]
        text, around = passage.text, None
        for start, end in sentences(text):
            if not is_worth_reading(text, start, end, self._weights) or any(start <= at < end for at in starts):
                continue
            if amending.search(text, start, end):
                continue
            around = around or self.surroundings(passage.node)
            for found in likely_terms(text, start, end, around, self._weights):
                if _NUMERAL.fullmatch(text, found.start, found.end) is None:
                    yield (start, end), found


def read_likely(
    index: DocumentIndex,
    language: Language,
    weights: Weights,
    rules: TermRules,
    finder: DefinitionFinder,
    passages: Mapping[str, Passage],
    skipped: Collection[str],
) -> tuple[list[Definition], list[Link]]:
    """The definitions that a document likely makes beside those that it has, and their edges.

    Args:
        index: of a document whose definitions by form are read.
        language: that it is written in.
        weights: of the language's reader.
        finder: of its language, for what scope phrases say.
        skipped: URNs of nodes that define nothing.
    """
    reader = LikelyDefinitions(index, weights)
    own: dict[str, list[Definition]] = {}
    meant: set[str] = set()
    for definition in index.document.definitions:
        own.setdefault(definition.node_urn, []).append(definition)
        meant.add(rules.normalise(definition.term))
    definitions: list[Definition] = []
    links: list[Link] = []
    for node in index.document.nodes:
        if not node.text or node.urn in skipped or node.structure_type in ("NOTE", "TABLE", "ROOT"):
            continue
        here = own.get(node.urn, [])
        named = {rules.normalise(definition.term) for definition in here}
        for (start, end), likely in reader.terms(passages[node.urn], here, language.limits.amending):
            term = node.text[likely.start : likely.end]
            plain = rules.normalise(term)
            if plain in named or not any(char.isalpha() for char in plain):
                continue
            named.add(plain)
            around = index.tree.parent(index.section(node) or node)
            if likely.margin < weights.sure:
                links += [Link(node.urn, "may_define", term, around.urn)] if around is not None else []
                continue
            urns, phrase = _scope(index, node, finder, passages, start, end)
            links += [Link(node.urn, "may_define", term, urn) for urn in urns]
            # Beside a meaning that a form tells, or one before it, this one may only add to it.
            relation = "includes" if plain in meant else "means"
            definitions += [
                Definition(term, node.urn, urn, relation, True, phrase, words=(start, None)) for urn in urns
            ]
            meant.add(plain)
    return definitions, links


def _scope(
    index: DocumentIndex,
    node: ParsedNode,
    finder: DefinitionFinder,
    passages: Mapping[str, Passage],
    start: int,
    end: int,
) -> tuple[tuple[str, ...], str]:
    """What a definition governs: what its sentence or the words above say, else its law or its section's container."""
    urns, phrase, _ = finder.scope_said(passages[node.urn], start, end)
    section = index.section(node)
    for unit in index.chain(node)[1:] if not urns else ():
        if unit.intro_text:
            urns, phrase, _ = finder.scope_said(passages[unit.urn], 0, len(unit.intro_text))
        if urns or unit is section:
            break
    if urns:
        return urns, phrase
    around = index.tree.parent(section or node)
    whole = len(index.tree.nodes) <= _WHOLE and index.root.level not in _MANY_LAWS
    return (index.root.urn if around is None or whole else around.urn,), ""
