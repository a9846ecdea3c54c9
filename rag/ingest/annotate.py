"""Annotation: definitions with their scope, references, exceptions and used terms of one parsed document.

Pure: it reads the nodes and fills the document's lists. The words it looks for are the jurisdiction's.
"""

from __future__ import annotations

from rag.ingest.citations import read_passage
from rag.ingest.exceptions import LinkFinder
from rag.ingest.nodes import ParsedDocument, ParsedNode
from rag.ingest.term_uses import TermIndex, TermRules
from rag.jurisdictions.base import DocumentIndex, Jurisdiction
from rag.jurisdictions.languages import language_rules


def annotate(document: ParsedDocument, jurisdiction: Jurisdiction) -> None:
    """Fill `definitions`, `links` and `used_terms` of a document.

    Links that the parser found are kept. Where its law or its language is not known, nothing is looked for, and a
    warning says so. Annotating twice adds everything twice.

    Args:
        document: at least its root node; `nodes` in document order.
        jurisdiction: the module that knows this law's words.
    """
    rules = language_rules(document.corpus.language)
    if not jurisdiction.supports_annotation or rules is None:
        unknown = f"jurisdiction {jurisdiction.code}" if rules else f"the language {document.corpus.language}"
        document.warnings.append(
            f"definitions, references and exceptions were not looked for: no module knows {unknown}"
        )
        return
    index = DocumentIndex(document)
    passages = {node.urn: read_passage(node, index, jurisdiction) for node in document.nodes}
    finder = rules.definition_finder(index, jurisdiction, passages.__getitem__)
    links = LinkFinder(index, jurisdiction, rules.links)
    for node in document.nodes:
        document.definitions.extend(finder.definitions(passages[node.urn]))
        document.links.extend(links.heading_links(read_passage(node, index, jurisdiction, heading=True)))
        document.links.extend(links.links(passages[node.urn]))
    document.used_terms.update(used_terms(document, index, rules.terms))


def used_terms(document: ParsedDocument, index: DocumentIndex, rules: TermRules) -> dict[str, list[str]]:
    """The terms that each node's own words and heading use, of those the document defines for it.

    Returns:
        Node URN -> sorted normalised terms; nodes that use none are left out. A term is not used by the paragraph
        that defines it, nor by that paragraph's own parts.
    """
    by_scope: dict[str, dict[str, set[str]]] = {}  # scope URN -> normalised term -> URNs of defining nodes
    for definition in document.definitions:
        terms = by_scope.setdefault(definition.scope_urn, {})
        terms.setdefault(rules.normalise(definition.term), set()).add(definition.node_urn)
    terms = TermIndex((term for found in by_scope.values() for term in found), rules)
    in_scope: dict[str, frozenset[str]] = {}
    used: dict[str, list[str]] = {}
    for node in document.nodes:
        wider = in_scope.get(node.parent_urn or "", frozenset[str]())
        own = by_scope.get(node.urn)
        allowed = wider | own.keys() if own else wider
        in_scope[node.urn] = frozenset(allowed)
        if not allowed:
            continue
        chain = index.chain(node)
        above = {one.urn for one in chain}
        found = {term for _, _, term in terms.find(node.text, allowed)}
        found.update(term for _, _, term in terms.find(node.heading, allowed, heading=True))
        kept = sorted(term for term in found if not _is_own(term, chain, above, by_scope))
        if kept:
            used[node.urn] = kept
    return used


def _is_own(
    term: str, chain: tuple[ParsedNode, ...], above: set[str], by_scope: dict[str, dict[str, set[str]]]
) -> bool:
    """Whether the definition that governs a term here stands in the node itself or in one it is part of."""
    governing = next((found[term] for one in chain if term in (found := by_scope.get(one.urn, {}))), set[str]())
    return bool(governing) and governing <= above
