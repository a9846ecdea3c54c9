"""Annotation: definitions with their scope, references, exceptions and used terms of one parsed document.

Pure: it reads the nodes and fills the document's lists. The words it looks for are the jurisdiction's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rag.ingest.definitions import define, own_terms, parts_apart, without_doubles
from rag.ingest.limits import LimitFinder, limit_model
from rag.ingest.links import LinkFinder
from rag.ingest.used_terms import uses_of
from rag.jurisdictions.by_language import annotating, reading_note
from rag.languages.registry import checked_finder, known_language, language_rules
from rag.law.entries import with_entries
from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import ParsedDocument
from rag.law.passages import read_passage, unknown_numbers
from rag.law.term_uses import WordPlaces


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
    whole = DocumentIndex(document, rules.links.own)
    links = LinkFinder(whole, jurisdiction, rules.links)
    read = {node.urn: read_passage(node, whole, jurisdiction) for node in document.nodes}
    reading = with_entries(document, rules.lists)
    index = DocumentIndex(reading.document, rules.links.own) if reading.changed else whole
    passages = {
        node.urn: read_passage(node, index, jurisdiction) if node.urn in reading.changed else read[node.urn]
        for node in reading.document.nodes
    }
    for node in document.nodes:
        document.links.extend(links.heading_links(read_passage(node, whole, jurisdiction, heading=True)))
        document.links.extend(links.links(read[node.urn]))
    document.warnings.extend(_dangling(document, whole))
    finder = checked_finder(rules.definition_finder(index, jurisdiction, passages.__getitem__), language)
    words = WordPlaces((node.text for node in reading.document.nodes), rules.terms)
    define(reading, index, rules, finder, passages, words)
    if (spoken := known_language(language)) is not None and (model := limit_model(spoken.code)) is not None:
        telling = (link for link in document.links if link.kind not in ("cites", "may_define"))
        stated = {(link.source_urn, link.target_urn) for link in telling}
        noted = {(link.source_urn, link.reference) for link in document.links if link.kind == "may_define"}
        defining = {
            urn
            for definition in document.definitions
            if ((urn := reading.origins.get(definition.node_urn, definition.node_urn)), definition.term) not in noted
        }  # for certain
        document.links.extend(LimitFinder(whole, spoken, model, read, defining).links(stated))
    uses = uses_of(reading.document, index, rules.terms, words)
    origin = reading.origins
    cut = {*origin, *origin.values()}
    document.definitions[:] = [
        replace(
            definition,
            node_urn=origin.get(definition.node_urn, definition.node_urn),
            scope_urn=origin.get(definition.scope_urn, definition.scope_urn),
            reference_urn=origin.get(definition.reference_urn, definition.reference_urn),
            used_terms=terms,
            apart=apart,
            words=None,
        )
        for definition, terms, apart in zip(
            document.definitions,
            own_terms(document.definitions, index, uses, cut),
            parts_apart(document.definitions, index, rules.terms, reading.origins),
            strict=True,
        )
    ]
    document.definitions[:] = without_doubles(document.definitions, rules.terms)
    for urn, found in uses.items():
        known = document.used_terms.get(origin.get(urn, urn), ())
        document.used_terms[origin.get(urn, urn)] = sorted({*known, *(use.term for use in found)})


_OWN_FORMAT = "lexjsonl"  # in which people write law of their own
_DANGLING_NAMED = 3  # provisions that a warning names


def _dangling(document: ParsedDocument, index: DocumentIndex) -> Iterator[str]:
    """A warning where law of one's own that is one document cites provisions of its own that are not in it.

    What a publisher has printed so is for nobody to put right who ingests it.
    """
    if index.root.urn != index.corpus_urn or not (index.counts_itself or document.format == _OWN_FORMAT):
        return
    own, missing = f"{index.root.urn}:", list[str]()
    for link in document.links:
        if link.target_urn.startswith(own) and index.node(link.target_urn) is None:
            number, *below = link.target_urn.removeprefix(own).split(":")
            missing.append(number + "".join(f"({part})" for part in below))
        elif not link.target_urn and "external" not in link.properties:
            missing += unknown_numbers(link.reference, index)
    if missing:
        named = list(dict.fromkeys(missing))
        more = ", ..." if len(named) > _DANGLING_NAMED else ""
        said = "1 reference is" if len(missing) == 1 else f"{len(missing)} references are"
        yield f"{said} to provisions that the document does not have: {', '.join(named[:_DANGLING_NAMED])}{more}"
