"""Definitions whose meaning an annex of their law gives: "an area whose bounds are set out in table 1 to this part".

An annex is named by the word that its publisher calls it ("schedule", "anlage", 別表), and by its number where it has
one; no list of such words is needed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag.languages.stems import unspaced
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Definition, ParsedNode
from rag.law.passages import Passage
from rag.law.term_uses import TermRules

_NUMBER = re.compile(r"(?:\d+[a-z]?|[a-z]|[ivxl]+)(?![^\W_])", re.IGNORECASE)
_FOLLOWING = re.compile(r"\s{1,3}(?:[A-Za-z]{1,2}[.°]\s{0,2})?(?P<number>\d+[a-z]?|[IVXL]+|[A-Z])\b")
_PART = re.compile(r"(?<![\w.])(\d+[a-z]?)[.°)]?\s{1,2}(?:[^\W\d_]+['’]?\s{0,2}){1,2}\Z", re.IGNORECASE)
_LABEL = re.compile(r"[^\W\d_]+(?=\s?[(（])|[^\W\d_]+\Z")  # what a heading in a script without spaces begins with
_LONGEST = 4_000  # characters of an annex that is shown whole with a definition


def with_annexes(
    definitions: Sequence[Definition], index: DocumentIndex, rules: TermRules, passages: Mapping[str, Passage]
) -> list[Definition]:
    """The definitions, those that name an annex with what they point to, and an entry of their term in a short one.

    What such an annex says of the term in no known scope is that meaning, and no other one.

    Args:
        definitions: of the document, with the places of their words.
        index: of it.
        rules: how its terms are compared.
        passages: of its nodes, by URN.
    """
    annexes: dict[str, list[ParsedNode]] = {}  # by the word for them
    for node in index.document.nodes:
        if node.structure_type == "APPENDIX" and (word := _word(node)):
            annexes.setdefault(word, []).append(node)
    if not annexes:
        return [*definitions]
    names = [(word, _pattern(word)) for word in sorted(annexes, key=lambda word: (-len(word), word))]
    starts: dict[str, list[int]] = {}
    for definition in definitions:
        if definition.words is not None:
            starts.setdefault(definition.node_urn, []).append(definition.words[0])
    pointed = [
        None if definition.reference_urn else _named(definition, starts, annexes, names, index, passages)
        for definition in definitions
    ]
    given = {
        (rules.normalise(definition.term), part.urn)
        for definition, annex in zip(definitions, pointed, strict=True)
        for part in (index.tree.subtree(annex) if annex is not None else ())
    }
    out: list[Definition] = []
    for definition, annex in zip(definitions, pointed, strict=True):
        if annex is None:
            if not definition.inferred or (rules.normalise(definition.term), definition.node_urn) not in given:
                out.append(definition)
            continue
        out.append(replace(definition, reference_urn=annex.urn))
        if sum(len(part.text) for part in index.tree.subtree(annex)) <= _LONGEST:
            entry = Definition(
                definition.term, annex.urn, annex.urn, "includes", definition.inferred, definition.phrase
            )
            out.append(entry)
    return out


def _named(
    definition: Definition,
    starts: Mapping[str, Sequence[int]],
    annexes: Mapping[str, Sequence[ParsedNode]],
    names: Sequence[tuple[str, re.Pattern[str]]],
    index: DocumentIndex,
    passages: Mapping[str, Passage],
) -> ParsedNode | None:
    """The annex that a definition's own words name; None where they name none of what contains the definition."""
    node = index.tree.by_urn[definition.node_urn]
    above = {unit.urn for unit in index.chain(node)}
    start, end = definition.words or (0, None)
    text = passages[node.urn].text
    last = min([at for at in starts.get(node.urn, ()) if at > start], default=len(text)) if end is None else end
    parts = [part for part in index.tree.children(node.urn) if last == len(text)]
    for urn, words in [(node.urn, text[start:last]), *((part.urn, passages[part.urn].text) for part in parts)]:
        shift = start if urn == node.urn else 0
        for word, found in ((word, found) for word, name in names for found in name.finditer(_folded(words))):
            number = _FOLLOWING.match(words, found.end())
            wanted = number["number"].lower() if number is not None else ""
            cited = [
                citation for citation in passages[urn].citations
                if citation.whole_start <= found.start() + shift < citation.whole_end
            ]  # fmt: skip
            if any(citation.kind != "relative" and index.node(citation.urn) is None for citation in cited):
                continue  # of another law
            of_unit = [annex for annex in annexes[word] if annex.parent_urn in above]
            same = [annex for annex in of_unit if _number(annex) == wanted] if wanted else of_unit
            if len(same) == 1 and same[0].urn not in above:
                return _part(same[0], words[: found.start()], index)
    return None


def _part(annex: ParsedNode, before: str, index: DocumentIndex) -> ParsedNode:
    """The part of an annex that words name right before it, "paragraph 1 of the Schedule"; else the annex."""
    number = _PART.search(before)
    parts = index.tree.children(annex.urn) if number is not None else ()
    return next((part for part in parts if number is not None and part.number.lower() == number[1].lower()), annex)


def _word(annex: ParsedNode) -> str:
    """The word that an annex is called by: its level, or where no spaces part words what its heading begins with."""
    label = _LABEL.match(annex.heading) if unspaced(annex.heading) else None
    return _folded(label[0] if label is not None and unspaced(label[0]) else annex.level.rpartition(" ")[2])


def _number(annex: ParsedNode) -> str:
    found = _NUMBER.match(annex.number)
    return found[0].lower() if found is not None else ""


def _pattern(word: str) -> re.Pattern[str]:
    """A word in singular or plural; of a script without spaces anywhere."""
    return re.compile(re.escape(word) if unspaced(word) else rf"\b{re.escape(word)}(?:e?[sn]?)\b")


def _folded(text: str) -> str:
    """Small letters without accents, as many as there were."""
    return "".join(unicodedata.normalize("NFD", char)[0].lower()[:1] or char for char in text)
