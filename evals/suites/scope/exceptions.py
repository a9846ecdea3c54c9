"""Exceptions against the publisher's own reference mark-up, phrases without a target, and conditions that travel along.

The mark-up is hidden from annotation. A target that is deeper than the mark's counts as right: many publishers mark the
section alone and leave its paragraphs to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from evals.law import read_law
from evals.rows import Gate, share_row
from evals.suites.references.marks import contradicts
from evals.suites.scope.model import LANGUAGE, SUITE, Folder, Miss, Report, without_marks, words_around
from rag.ingest.links import LinkFinder
from rag.jurisdictions.by_language import annotating
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.registry import language_rules
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Link, Mark, ParsedDocument, ParsedNode
from rag.law.passages import read_passage
from retrieval.context.blocks import BlockDraft
from retrieval.nodes import ContextNode
from retrieval.paths import parse_urn

_RECALL = Gate(">=", 0.95, hard=False)
_PRECISION, _ALL = Gate(">=", 0.95), Gate(">=", 1.0)
_KINDS = frozenset({"subject_to", "notwithstanding", "disapplies"})
_ANY_LAW = re.compile(r"\bnotwithstanding (?:any|all) (?:other )?(?:provisions? of )?(?:the )?laws?\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:unless|except(?: that)?|provided that|only if|but not)\b", re.IGNORECASE)
# The plainest wordings, with the marked reference right after them.
_PLAIN = re.compile(
    r"\b(?:except as (?:otherwise )?provided (?:in|by|under)|subject to|notwithstanding)"
    r"(?: the (?:provisions|requirements) of)? \(?(?:(?:sub)?sections? |§{1,2}\s?|(?:sub)?paragraphs? )?\Z",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:through|to|[-–—])\s*(?:(?:sub)?sections?|paragraphs?|§{1,2})?\s*", re.IGNORECASE)
_ENDED = re.compile(r"[.!?][\"'”’)\]]*\Z")


def measure_exceptions(folder: Folder) -> Report:
    """The targets of exception edges, and what must have none."""
    report = Report()
    right = n = silent = phrases = plain = linked = wrong = 0
    for document in folder.documents:
        index = DocumentIndex(document)
        links = [link for link in _links(document) if link.kind in _KINDS and "start" in link.properties]
        for link in links:
            node = index.tree.by_urn[link.source_urn]
            mark = _mark(node, link)
            if mark is None:
                continue
            if contradicts(mark, node.text, node, index):
                wrong += 1
                continue
            n += 1
            target = index.node(mark.target)
            expected = target.urn if target is not None else mark.target
            named = {expected, *_between(node, mark, target, index)}
            if any(link.target_urn == urn or link.target_urn.startswith(f"{urn}:") for urn in named):
                right += 1
            else:
                words = f"{expected} marked, {link.target_urn or 'nothing'} found: "
                words += words_around(node, _phrase_start(link))
                cause = "no target" if not link.target_urn else f"another target ({link.kind})"
                report.misses.append(Miss(folder.label, "exception_precision", cause, node.urn, words))
        plain, linked = _plain(folder.label, document, links, report, plain, linked)
        phrases, silent = _any_law(folder.label, document, links, report, phrases, silent)
    if wrong:
        report.notes.append(f"{folder.label}: {wrong} marks after excepting words contradict their own words, left out")
    if n:
        report.rows.append(share_row(SUITE, folder.label, "exception_precision", right, n, _PRECISION))
    if plain:
        report.rows.append(share_row(SUITE, folder.label, "exception_recall", linked, plain, _RECALL))
    if phrases:
        metric = "notwithstanding_law_without_target"
        report.rows.append(share_row(SUITE, folder.label, metric, silent, phrases, _ALL))
    return report


def _links(document: ParsedDocument) -> list[Link]:
    """What annotation reads from the words of each node, without the publisher's references."""
    language = document.corpus.language
    rules = language_rules(language)
    reader = annotating(jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction), language)
    if rules is None or reader is None:
        return []
    hidden = without_marks(document, ("reference",))
    index = DocumentIndex(hidden, rules.links.own)
    finder = LinkFinder(index, reader, rules.links)
    return [link for node in hidden.nodes for link in finder.links(read_passage(node, index, reader))]


def _mark(node: ParsedNode, link: Link) -> Mark | None:
    start, end = int(link.properties["start"]), int(link.properties["end"])
    return next((reference for reference in _references(node) if reference.start < end and start < reference.end), None)


def _references(node: ParsedNode) -> list[Mark]:
    return [mark for mark in node.marks if mark.kind == "reference" and mark.target]


def _between(node: ParsedNode, mark: Mark, target: ParsedNode | None, index: DocumentIndex) -> list[str]:
    """What lies between the target of a mark and that of the mark before it, where the two are the ends of a range."""
    before = max(
        (reference for reference in _references(node) if reference.end <= mark.start),
        key=lambda one: one.end,
        default=None,
    )
    if target is None or before is None or not _RANGE.fullmatch(node.text[before.end : mark.start]):
        return []
    first = index.node(before.target)
    return [between.urn for between in index.between(first.urn, target)] if first is not None else []


def _plain(
    label: str, document: ParsedDocument, links: list[Link], report: Report, plain: int, linked: int
) -> tuple[int, int]:
    """Count the marked references that follow a plain excepting phrase, and those among them that became exceptions."""
    spans: dict[str, list[tuple[int, int]]] = {}
    targets = {(link.source_urn, link.target_urn) for link in links}
    for link in links:
        spans.setdefault(link.source_urn, []).append((int(link.properties["start"]), int(link.properties["end"])))
    for node in document.nodes:
        for mark in _references(node):
            if not _PLAIN.search(node.text[max(0, mark.start - 80) : mark.start]):
                continue
            plain += 1
            if any(start < mark.end and mark.start < end for start, end in spans.get(node.urn, ())) or (
                (node.urn, mark.target) in targets  # a target named twice is one edge
            ):
                linked += 1
            else:
                words = words_around(node, max(0, mark.start - 60))
                report.misses.append(Miss(label, "exception_recall", "no exception", node.urn, words))
    return plain, linked


def _phrase_start(link: Link) -> int:
    """Where the excepting phrase begins; the reference itself where the phrase is in a list's lead-in."""
    return int(link.properties.get("phrase_start", link.properties["start"]))


def _any_law(
    label: str, document: ParsedDocument, links: list[Link], report: Report, phrases: int, silent: int
) -> tuple[int, int]:
    """Count "notwithstanding any other provision of law", and how often it has no target."""
    starts = {(link.source_urn, _phrase_start(link)): link for link in links}
    for node in document.nodes:
        for match in _ANY_LAW.finditer(node.text):
            phrases += 1
            link = starts.get((node.urn, match.start()))
            silent += link is None
            if link is not None:
                words = f"{link.target_urn}: {words_around(node, match.start())}"
                report.misses.append(Miss(label, "notwithstanding_law_without_target", "a target", node.urn, words))
    return phrases, silent


def measure_conditions(path: Path, label: str) -> Report:
    """Whether a condition in the open words around a list reaches every item of the list."""
    report = Report()
    whole = n = 0
    sections = [section for law in read_law(path).laws if law.language == LANGUAGE for section in law.sections]
    for section in sections:
        for draft, holder, words in _conditions({draft.node.urn: draft for draft in section.drafts}):
            n += 1
            if words in draft.lead_in or words in draft.flush:
                whole += 1
            else:
                shown = f"{holder.urn}: {' '.join(words.split())[:160]}"
                report.misses.append(Miss(label, "conditions_whole", "cut off", draft.node.urn, shown))
    if n:
        report.rows.append(share_row(SUITE, label, "conditions_whole", whole, n, _ALL))
    return report


def _conditions(drafts: dict[str, BlockDraft]) -> Iterator[tuple[BlockDraft, ContextNode, str]]:
    """Each block with a condition that an ancestor's open words put on it: the block, the ancestor, the words.

    A lead-in is open where it ends without a full stop, words after a list where they begin in lower case.
    """
    for draft in drafts.values():
        parent = drafts.get(draft.parent_urn or "")
        if parent is None:
            continue
        holder = parent.node
        lead, flush = holder.intro_text.strip(), holder.content_text.strip()
        if lead and not _ENDED.search(lead) and _CONDITION.search(lead):
            yield draft, holder, lead
        if lead and flush[:1].islower() and _CONDITION.search(flush):
            yield draft, holder, flush
