"""Annotation: definitions with their scope, references, exceptions and used terms of one parsed document.

Pure: it reads the nodes and fills the document's lists. The words it looks for are the jurisdiction's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rag.ingest.annotation.exceptions import LinkFinder
from rag.jurisdictions.by_language import annotating, reading_note
from rag.languages.registry import language_rules
from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import CONTAINER_TYPES, Definition, ParsedDocument, ParsedNode
from rag.law.passages import read_passage
from rag.law.term_uses import TermIndex, TermRules

# Several definitions of one term in one law that no phrase gives a scope: each governs its own part.

_DEFINING = re.compile(r"defin|définition|\bdéfini|begriff|interpretation|meaning|glossary|定義", re.IGNORECASE)
_GENERAL = re.compile(r"\bgeneral\b|preliminary|allgemein|gemeinsame|généra|préliminaire|communes|総則", re.IGNORECASE)


def without_competition(definitions: list[Definition], index: DocumentIndex, rules: TermRules) -> list[Definition]:
    """The definitions, none of which governs by its place alone what another one governs too.

    Of meanings of a term with one scope, one that a phrase gives it keeps it, and the others are their sections' alone.
    Else the only one in a section of definitions keeps it, else the only one among general provisions, and the others
    govern the largest unit that holds no other. Additions to a meaning ("includes") compete with nothing, nor do
    meanings of one section with each other.

    Args:
        definitions: of one document.
        index: of that document.
        rules: how its terms are compared.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for place, one in enumerate(definitions):
        if one.relation == "means":
            groups.setdefault((rules.normalise(one.term), one.scope_urn), []).append(place)
    out = list(definitions)
    for (_, scope), places in groups.items():
        sections = {place: _section(definitions[place], index) for place in places}
        if len({one.urn for one in sections.values() if one is not None}) < 2 or None in sections.values():
            continue
        known = {place: one for place, one in sections.items() if one is not None}
        stated = {section.urn for place, section in known.items() if not definitions[place].inferred}
        keeper = "" if stated else _keeper(known, index)
        for place, section in known.items():
            if definitions[place].inferred and section.urn not in (keeper, *stated):
                others = [one for one in known.values() if one is not section]
                unit = section.urn if stated else _alone(section, others, scope, index)
                out[place] = replace(definitions[place], scope_urn=unit)
    return out


def with_additions(definitions: list[Definition], index: DocumentIndex, rules: TermRules) -> list[Definition]:
    """The definitions, of which one that adds to a meaning of its section governs what that meaning does.

    "The term X does not include" without a phrase, beside "for the purposes of this chapter the term X means".
    """
    meanings: dict[tuple[str, str], set[str]] = {}
    keys: list[tuple[str, str]] = []
    for one in definitions:
        section = _section(one, index)
        keys.append((rules.normalise(one.term), section.urn if section is not None else one.node_urn))
        if one.relation == "means" and not one.inferred:
            meanings.setdefault(keys[-1], set()).add(one.scope_urn)
    out: list[Definition] = []
    for one, key in zip(definitions, keys, strict=True):
        scopes = meanings.get(key, set[str]())
        adds = one.inferred and not one.phrase and one.relation in ("includes", "excludes") and len(scopes) == 1
        out.append(replace(one, scope_urn=next(iter(scopes))) if adds else one)
    return out


def _section(definition: Definition, index: DocumentIndex) -> ParsedNode | None:
    node = index.node(definition.node_urn)
    return index.section(node) if node is not None else None


def _keeper(known: dict[int, ParsedNode], index: DocumentIndex) -> str:
    """The section whose meaning keeps the scope by its headings; empty where none is before the others."""
    for words in (_DEFINING, _GENERAL):
        found = {one.urn for one in known.values() if any(words.search(text) for text in _headings(one, index))}
        if len(found) == 1:
            return found.pop()
    return ""


def _headings(section: ParsedNode, index: DocumentIndex) -> Iterator[str]:
    return (one.heading for one in index.chain(section) if one is not index.root)


def _alone(section: ParsedNode, others: list[ParsedNode], scope: str, index: DocumentIndex) -> str:
    """The largest unit of a section, within a scope, that holds none of the others."""
    taken = {one.urn for other in others for one in index.chain(other)}
    best = section
    for one in index.chain(section)[1:]:
        if one.urn in taken or one.urn == scope or one.structure_type not in CONTAINER_TYPES:
            break
        best = one
    return best.urn


def annotate(document: ParsedDocument, jurisdiction: Jurisdiction) -> None:
    """Fill `definitions`, `links` and `used_terms` of a document.

    Links that the parser found are kept. Law of a jurisdiction without a module is read by the rules of its language;
    where that is not known either, nothing is looked for. A warning says so. Annotating twice adds everything twice.

    Args:
        document: at least its root node; `nodes` in document order.
        jurisdiction: the module that knows this law's words.
    """
    language = document.corpus.language
    if note := reading_note(jurisdiction, language):
        document.warnings.append(note)
    rules, reader = language_rules(language), annotating(jurisdiction, language)
    if rules is None or reader is None:
        return
    jurisdiction = reader
    index = DocumentIndex(document)
    passages = {node.urn: read_passage(node, index, jurisdiction) for node in document.nodes}
    finder = rules.definition_finder(index, jurisdiction, passages.__getitem__)
    links = LinkFinder(index, jurisdiction, rules.links)
    comments = commentary(document, index)
    for node in document.nodes:
        if node.urn not in comments and not is_editorial(node):
            document.definitions.extend(finder.definitions(passages[node.urn]))
        document.links.extend(links.heading_links(read_passage(node, index, jurisdiction, heading=True)))
        document.links.extend(links.links(passages[node.urn]))
    document.definitions[:] = _without_doubles(document.definitions, rules.terms)
    document.definitions[:] = without_competition(document.definitions, index, rules.terms)
    document.definitions[:] = with_additions(document.definitions, index, rules.terms)
    document.definitions.extend(_for_comments(document, index))
    document.used_terms.update(used_terms(document, index, rules.terms))


def is_editorial(node: ParsedNode) -> bool:
    """Whether a node is the publisher's note: it is no law and defines nothing, in whatever language it is written.

    A note that the law itself makes, such as guidance or a note to a paragraph, is not of the kind `notice`.
    """
    return node.structure_type == "NOTE" and node.kind == "notice"


def commentary(document: ParsedDocument, index: DocumentIndex) -> set[str]:
    """The nodes in which the publisher comments on the document's own law, by the links `interprets` of its parser.

    "The term X includes ..." in a comment elaborates what the law has defined; it is no second definition.
    """
    sources = {link.source_urn for link in document.links if link.kind == "interprets" and index.node(link.target_urn)}
    heads = [node for node in document.nodes if node.urn in sources]
    return {node.urn for head in heads for node in index.tree.subtree(head)}


def _without_doubles(definitions: list[Definition], rules: TermRules) -> list[Definition]:
    """One definition for each term, node and scope; an inferred scope gives way to one that a phrase states."""
    places = [(rules.normalise(one.term), one.node_urn) for one in definitions]
    stated = {place for place, one in zip(places, definitions, strict=True) if not one.inferred}
    kept: dict[tuple[str, str, str], Definition] = {}
    for place, one in zip(places, definitions, strict=True):
        if not one.inferred or place not in stated:
            kept.setdefault((*place, one.scope_urn), one)
    return list(kept.values())


def _for_comments(document: ParsedDocument, index: DocumentIndex) -> list[Definition]:
    """The definitions that govern a provision once more, for the comments on it: these stand elsewhere in the tree."""
    out: list[Definition] = []
    given: set[tuple[int, str]] = set()
    for link in document.links:
        target, comment = index.node(link.target_urn), index.node(link.source_urn)
        if link.kind != "interprets" or target is None or comment is None:
            continue
        interpreted = {one.urn for one in index.chain(target)}
        above = {one.urn for one in index.chain(comment)}
        for number, one in enumerate(document.definitions):
            covered = one.scope_urn in above or any((number, urn) in given for urn in above)
            if one.scope_urn in interpreted and not covered:
                given.add((number, comment.urn))
                out.append(replace(one, scope_urn=comment.urn))
    return out


@dataclass(frozen=True, slots=True)
class TermUse:
    """One use of a defined term: offsets into the node's text, or into its heading."""

    node_urn: str
    start: int
    end: int
    term: str  # normalised
    heading: bool


def used_terms(document: ParsedDocument, index: DocumentIndex, rules: TermRules) -> dict[str, list[str]]:
    """The terms that each node's own words and heading use, of those the document defines for it.

    Returns:
        Node URN -> sorted normalised terms; nodes that use none are left out.
    """
    used: dict[str, set[str]] = {}
    for use in term_uses(document, index, rules):
        used.setdefault(use.node_urn, set()).add(use.term)
    return {urn: sorted(terms) for urn, terms in used.items()}


def term_uses(document: ParsedDocument, index: DocumentIndex, rules: TermRules) -> Iterator[TermUse]:
    """Every use of a defined term in its scope, node by node in document order.

    A term is not used by the paragraph that defines it, nor by that paragraph's own parts.
    """
    by_scope: dict[str, dict[str, set[str]]] = {}  # scope URN -> normalised term -> URNs of defining nodes
    for definition in document.definitions:
        terms = by_scope.setdefault(definition.scope_urn, {})
        terms.setdefault(rules.normalise(definition.term), set()).add(definition.node_urn)
    terms = TermIndex((term for found in by_scope.values() for term in found), rules)
    in_scope: dict[str, frozenset[str]] = {}
    for node in document.nodes:
        wider = in_scope.get(node.parent_urn or "", frozenset[str]())
        own = by_scope.get(node.urn)
        allowed = in_scope[node.urn] = wider | own.keys() if own else wider
        if not allowed:
            continue
        chain = index.chain(node)
        above = {one.urn for one in chain}
        for heading, text in ((False, node.text), (True, node.heading)):
            for start, end, term in terms.find(text, allowed, heading=heading):
                if not _is_own(term, chain, above, by_scope):
                    yield TermUse(node.urn, start, end, term, heading)


def _is_own(
    term: str, chain: tuple[ParsedNode, ...], above: set[str], by_scope: dict[str, dict[str, set[str]]]
) -> bool:
    """Whether the definition that governs a term here stands in the node itself or in one it is part of."""
    governing = next((found[term] for one in chain if term in (found := by_scope.get(one.urn, {}))), set[str]())
    return bool(governing) and governing <= above
