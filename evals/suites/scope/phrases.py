"""Is the scope that position gives the one that the law's own words give, where they do?

Definitions with a phrase ("as used in this chapter") are the only published truth about those without one. The phrase
is withheld from the finder, and what it then infers is compared with what the phrase said. One source has few of them
and drafts in its own way, so the gate is on all sources together. A section in which the numbers of subsections go back
was put together from several, as test files are: the place of a definition says nothing there, and it is no case.

A scope that is too wide or too narrow by provisions that do not use the term changes no context. `scope_inferred_uses`
counts the cases in which the definition reaches the same uses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from evals.rows import Gate, Row, share_row
from evals.suites.scope.model import SUITE, Folder, Miss, Report, words_around
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.en.definitions import EnglishDefinitions
from rag.languages.en.exceptions import ENGLISH_LINKS
from rag.languages.en.rules import ENGLISH
from rag.languages.registry import term_rules
from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import Definition, ParsedDocument, ParsedNode
from rag.law.passages import Passage, read_passage
from rag.law.scopes import ScopeFinder
from rag.law.term_uses import TermIndex
from retrieval.paths import parse_urn

_GOAL, _GATE = Gate(">=", 0.80, hard=False), Gate(">=", 0.80)
_NUMBER = re.compile(r"\d+")
_NEVER = re.compile(r"(?!)")
_WITHOUT = replace(
    ENGLISH, scope_lead=_NEVER, scope_start=_NEVER, scope_near=_NEVER, scope_following=_NEVER, scope_unread=_NEVER,
    scope_anaphora=_NEVER, scope_unit_missing=_NEVER, scope_sentence=_NEVER,
)  # fmt: skip


def measure_phrases(folder: Folder) -> Report:
    """Inferred against stated scope, over all definitions whose scope is stated."""
    report = Report()
    right = alike = n = mixed = 0
    for document in folder.documents:
        stated = _by_place(folder.annotated(document).definitions, document)
        inferred = _by_place(_without_phrases(document), document)
        index = DocumentIndex(document)
        users = _users(document, {term for _, term in stated})
        for place, found in stated.items():
            other = inferred.get(place)
            if found[0].inferred or other is None or _same_phrase(found[0], other[0]) or _is_pointed_to(found[0]):
                continue
            if _is_put_together(index, place[0]):
                mixed += 1
                continue
            urns, default = ({definition.scope_urn for definition in group} for group in (found, other))
            n += 1
            using = users.get(place[1], ())
            alike += _reached(index, using, place[0], urns) == _reached(index, using, place[0], default)
            if default & urns:
                right += 1
                continue
            way = _way(index, next(iter(default)), next(iter(sorted(urns))))
            node = index.tree.by_urn[place[0]]
            words = f"{place[1]}: {sorted(urns)[0]} stated, {sorted(default)[0]} inferred: {words_around(node)}"
            report.misses.append(Miss(folder.label, "scope_inferred", way, place[0], words))
    if n:
        report.rows.append(share_row(SUITE, folder.label, "scope_inferred", right, n, _GOAL))
        report.rows.append(share_row(SUITE, folder.label, "scope_inferred_uses", alike, n))
    if mixed:
        report.notes.append(f"{folder.label}: {mixed} stated scopes in sections put together from several, left out")
    return report


def pooled(reports: Iterable[Report]) -> Row | None:
    """The share over all sources; None where none has a case."""
    rows = [row for report in reports for row in report.rows if row.metric == "scope_inferred"]
    n = sum(row.n for row in rows)
    hits = sum(round(row.value * row.n) for row in rows)
    return share_row(SUITE, "all sources", "scope_inferred", hits, n, _GATE) if n else None


def _is_put_together(index: DocumentIndex, urn: str) -> bool:
    """Whether the numbers of the subsections around a node go back: "(8)", then "(2)"."""
    section = index.section(index.tree.by_urn[urn])
    children = index.tree.children(section.urn) if section is not None else ()
    numbers = [int(found[0]) for child in children if (found := _NUMBER.match(child.number))]
    return numbers != sorted(numbers)


def _users(document: ParsedDocument, terms: set[str]) -> dict[str, list[ParsedNode]]:
    """The nodes that use each of some normalised terms."""
    users: dict[str, list[ParsedNode]] = {}
    found = TermIndex(terms, term_rules(document.corpus.language))
    for node in document.nodes:
        for term in {term for _, _, term in found.find(node.text)}:
            users.setdefault(term, []).append(node)
    return users


def _reached(index: DocumentIndex, users: Iterable[ParsedNode], defining: str, scopes: set[str]) -> set[str]:
    """Of the nodes that use a term, those in a scope and not part of its definition."""
    chains = {node.urn: {parsed.urn for parsed in index.chain(node)} for node in users}
    return {urn for urn, chain in chains.items() if chain & scopes and defining not in chain}


def _is_pointed_to(stated: Definition) -> bool:
    """Whether the words that give a scope are those of a provision that points to the definition: "as defined in".

    They say nothing of where the definition governs by its own words.
    """
    return ENGLISH_LINKS.meaning_at is not None and ENGLISH_LINKS.meaning_at.search(f" {stated.phrase} ") is not None


def _way(index: DocumentIndex, inferred: str, stated: str) -> str:
    """How an inferred scope differs from the stated one."""
    one, other = index.tree.by_urn[inferred], index.tree.by_urn[stated]
    if any(above is one for above in index.chain(other)):
        return f"{other.level} stated, the wider {one.level} inferred"
    if any(above is other for above in index.chain(one)):
        return f"{other.level} stated, the narrower {one.level} inferred"
    return f"{other.level} elsewhere stated, {one.level} inferred"


def _same_phrase(stated: Definition, other: Definition) -> bool:
    """Whether the heading said it, which was not withheld: it stands whether the text repeats it or not."""
    return not other.inferred and other.phrase == stated.phrase


def _by_place(definitions: list[Definition], document: ParsedDocument) -> dict[tuple[str, str], list[Definition]]:
    normalise = term_rules(document.corpus.language).normalise
    out: dict[tuple[str, str], list[Definition]] = {}
    for definition in definitions:
        if definition.relation != "reference":
            out.setdefault((definition.node_urn, normalise(definition.term)), []).append(definition)
    return out


def _without_phrases(document: ParsedDocument) -> list[Definition]:
    jurisdiction: Jurisdiction = jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction)
    index = DocumentIndex(document, ENGLISH_LINKS.own)
    passages: dict[str, Passage] = {node.urn: read_passage(node, index, jurisdiction) for node in document.nodes}
    scopes = ScopeFinder(index, jurisdiction, _WITHOUT, passages.__getitem__)
    finder = EnglishDefinitions(index, ENGLISH, scopes, term_rules(document.corpus.language))
    return [found for node in document.nodes for found in finder.definitions(passages[node.urn])]
