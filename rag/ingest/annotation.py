"""Annotation: definitions with their scope, references, exceptions and used terms of one parsed document, and what it
states of itself as a whole: the name by which it is cited, and the day from which it is in force.

Pure: it reads the nodes and fills the document's lists. The words it looks for are the jurisdiction's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from rag.ingest.definitions import define, own_terms, parts_apart, without_doubles
from rag.ingest.limits import LimitFinder, limit_model
from rag.ingest.links import LinkFinder
from rag.ingest.used_terms import uses_of
from rag.jurisdictions.by_language import annotating, reading_note
from rag.languages.registry import checked_finder, known_language, language_rules
from rag.law.entries import with_entries
from rag.law.jurisdiction import PLAIN_LEVEL, DocumentIndex, Jurisdiction
from rag.law.nodes import ParsedDocument, ParsedNode
from rag.law.own_words import OwnPhrases, own_words
from rag.law.passages import read_passage, unknown_numbers, without_quoted
from rag.law.patterns import lazy
from rag.law.term_uses import WordPlaces
from rag.verification.figures import read_value


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


SHORT_TITLE = "short_title"  # the tag of a root by which the law is cited, beside its title
_BEFORE = 8  # characters in which that stands
_NUMBER = lazy(r"(?:\(?\w{1,3}[.)]\s*)?")
_SENTENCE = lazy(r"[^.;]*+(?:[.;](?!\s|\Z)[^.;]*+)*+[.;]?\s*")  # the rest of one
# Before the subject of a sentence: the end of another, a number, and an article.
_OPENS = lazy(r"(?:\A|[.;:)\]\n—–]|\d)\s*(?:les?\s|la\s)?\Z", re.IGNORECASE)


def add_own_statements(document: ParsedDocument) -> None:
    """Give the root its short title, and all nodes the day, that the document's own sentences state of the whole.

    A name is taken where the sentences state one alone and the source gives none. A day is taken of a plain document of
    which nothing else is dated, and only where no other sentence speaks of coming into force or of an amendment: a
    provision may then have begun on another day.
    """
    root, rules = document.nodes[0], language_rules(document.corpus.language)
    phrases = rules.links.own if rules is not None else None
    if phrases is None or root.structure_type != "ROOT" or root.kind == "decision":
        return
    plain = root.level == PLAIN_LEVEL and root.kind != "record"
    stated = list(_statements(document, phrases, plain=plain))
    names = {name for name, _, _ in stated if name} - {document.corpus.title}
    if len(names) == 1:
        root.tags.setdefault(SHORT_TITLE, names.pop())
    days = [(day, node) for _, day, node in stated if day is not None]
    dated = document.edition_date or any(node.valid_from or node.valid_to for node in document.nodes)
    if dated or not plain or len(days) != 1:
        return
    if sum(1 for node in document.nodes for _ in phrases.in_force.finditer(node.text)) != 1:
        return
    [(day, said)] = days
    for node in document.nodes:
        node.valid_from = day
    told = f"its own words say that it comes into force on {day.isoformat()} ({said.urn})"
    document.warnings.append(f"{told}; its provisions are dated by that")


def _statements(
    document: ParsedDocument, phrases: OwnPhrases, *, plain: bool
) -> Iterator[tuple[str, date | None, ParsedNode]]:
    """The names and days that the sentences about the whole document state, each with its node."""
    levels, language = frozenset(node.level for node in document.nodes), document.corpus.language[:2]
    about = False  # whether the sentence before is about the whole document, so that a pronoun takes it up
    for node in document.nodes:
        text = without_quoted(node)
        if about and not node.heading and (day := _day(text, 0, phrases, language)) is not None:
            yield "", day, node
        about = about and not node.heading and not text.strip()
        for one in own_words(text, phrases, document.corpus.title, levels, plain=plain):
            if not _OPENS.search(text, max(0, one.start - _BEFORE), one.start):
                continue  # "section 3 of this Act", "an order under this Act"
            called = phrases.called.match(text, one.end)
            name = " ".join((called["quoted"] or called["name"]).split()).rstrip(" ,") if called else ""
            said = _SENTENCE.match(text, called.end() if called else one.end)
            rest = said.end() if said else len(text)
            day = None
            if one.titled:
                day = _read(phrases.begins.match(text, called.end() if called else one.end), language)
                day = day or _day(text, rest, phrases, language)
            about = one.titled and rest == len(text)
            yield name, day, node


def _day(text: str, start: int, phrases: OwnPhrases, language: str) -> date | None:
    """The day of a sentence that begins at a place with a pronoun: "They come into force on 1 May 2021."."""
    number = _NUMBER.match(text, start)
    again = phrases.again.match(text, number.end() if number else start)
    return _read(phrases.begins.match(text, again.end()), language) if again else None


def _read(begins: re.Match[str] | None, language: str) -> date | None:
    read = read_value(begins["day"], language) if begins else None
    return read if isinstance(read, date) else None
