"""Searches, structures and documents as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.jurisdictions.citing import cited_as
from rag.law.wording import counted
from rag.presentation.page import provision
from rag.telemetry.review.words import search_note

if TYPE_CHECKING:
    from rag.documents.model import DocumentText
    from rag.presentation.page import Page
    from retrieval.browsing.browse import DocumentPage, StructurePage
    from retrieval.model import SearchResult
    from retrieval.references.cases import CaseResolution


NEAREST = "No rule has a word of the question: these are only the nearest to it by meaning."


def by_meaning_alone(result: SearchResult) -> bool:
    """Whether a search for words and meaning found nothing by words, nor by a citation or a synonym."""
    if result.mode != "hybrid" or result.offset or not result.results:
        return False
    legs = [hit.legs for hit in result.results]
    return all(leg.citation is None and leg.synonym is None and leg.lexical is None for leg in legs)


def show_search(page: Page, result: SearchResult) -> None:
    """Entry points, best first, each with the legs that found it; or the values of a tag."""
    if result.message:
        page.line(result.message, style="bold")
    if by_meaning_alone(result):
        page.line(NEAREST, style="bold yellow")
    page.table([(value.value, f"{value.count:,}") for value in result.values])
    for rank, one in enumerate(result.results, start=result.offset + 1):
        undated = result.mode == "browse"  # what only fits filters is listed by its date
        page.line(
            f"{rank}. {provision(one.urn, one.heading)}" + (f"  {one.day or 'undated'}" if undated else ""),
            style="bold", hang=3,
        )  # fmt: skip
        if one.override:
            page.line(one.override, style="bold red", indent=3, hang=2)
        if one.snippet != one.heading:
            page.line(one.snippet.replace("**", "") if page.brief else one.snippet, indent=3)
        found = cited_as(one.hit_urn) or one.hit_urn
        if found not in (cited_as(one.urn), one.urn):
            page.detail(f"found by {found}", 3)
    for warning in result.warnings:
        page.line(search_note(warning), style="dim", hang=2)
    shown = len(result.results) + len(result.values)
    of = "values" if result.mode == "discover" else "documents" if result.mode == "browse" else "candidate rules"
    page.line(f"{shown} of {result.total} {of}, law at {result.at_date.isoformat()}", style="dim")
    _next(page, result.next_offset)


def show_structure(page: Page, result: StructurePage) -> None:
    """The tree, each level indented."""
    if result.message:
        page.line(result.message, style="bold")
    for section in result.sections:
        name = " ".join(part for part in (section.level, section.number) if part)
        below = ", ".join(
            counted(count, word)
            for count, word in ((section.sections, "heading"), (section.provisions, "provision"))
            if count
        )
        indent = 2 * section.depth
        page.line(f"{name}: {section.heading}" if section.heading else name, indent=indent, hang=2)
        page.line(f"{section.urn}{f' ({below})' if below else ''}", indent=indent + 2, style="dim")
    for warning in result.warnings:
        page.line(warning, style="dim")
    root = result.root_id is not None and any(section.depth == 0 for section in result.sections)
    below = f"{len(result.sections)} of {result.total} entries"
    page.line(f"{below}{', the root included' if root else ''}, law at {result.at_date.isoformat()}", style="dim")
    _next(page, result.next_offset)


def show_documents(page: Page, result: DocumentPage) -> None:
    """The documents, one entry each."""
    if result.message:
        page.line(result.message, style="bold")
    for document in result.documents:
        page.line(document.urn, style="bold")
        page.line(document.title, indent=2)
        chunks = counted(document.chunk_count, "chunk")
        page.line(f"{document.type}, {document.language}, {chunks}", indent=2, style="dim")
        page.detail(f"from {document.source}", 2)
    kinds = ", ".join(f"{kind.value} {kind.count:,}" for kind in result.types)
    for warning in result.warnings:
        page.line(warning, style="dim")
    page.line(f"{len(result.documents)} of {result.total} documents; types: {kinds or 'none'}", style="dim")
    _next(page, result.next_offset)


def show_document(page: Page, result: DocumentText) -> None:
    """A document's text, with where it comes from first."""
    if result.status != "ok":
        page.line(f"{result.status.replace('_', ' ')}: {result.message}", style="bold")
        for urn in result.suggestions:
            page.line(f"near: {urn}", hang=4)
        return
    page.line(" > ".join(node.heading or cited_as(node.urn) or node.urn for node in result.chain), style="dim")
    cited = cited_as(result.urn) if result.urn else ""
    page.line(f"{result.urn}, cited as {cited}" if cited else result.urn or "", style="bold")
    since = result.valid_from.isoformat() if result.valid_from else "an unknown date"
    until = f" until {result.valid_to.isoformat()}" if result.valid_to else ""
    page.line(f"in force from {since}{until}", style="dim")
    for line in result.display:
        page.line(line)
    for override in result.overrides:
        page.line(
            f"OVERRIDE {override.status} {override.urn}: {override.court}, {override.court_citation}",
            style="bold red",
            hang=2,
        )
    for warning in result.warnings:
        page.line(f"warning: {warning}", style="yellow", hang=2)
    last = 0
    for block in result.blocks:
        page.gap()
        if last and block.number != last + 1:
            page.line(f"[blocks {last + 1} to {block.number - 1} are not shown]", style="dim")
        last = block.number
        mark = "* " if block.matched else ""
        page.line(f"{mark}[{block.number}] {block.urn}", style="dim")
        if block.heading:
            page.line(block.heading, style="bold")
        page.line(block.text)
    page.gap()
    if result.message:
        page.line(result.message, style="dim")
    if result.next_blocks:
        page.line(f"Go on with {page.option('blocks')} {result.next_blocks}.", style="yellow")


def show_cases(page: Page, result: CaseResolution) -> None:
    """Decisions for a reader on a terminal."""
    for case in result.cases:
        page.line(case.urn, style="bold")
        page.line(
            " / ".join(part for part in (case.court, case.date, case.case_number, case.case_name) if part), hang=2
        )
    if result.message:
        page.line(f"{result.status.replace('_', ' ')}: {result.message}", style="bold")
    if result.more:
        page.line(f"More cases fit; give another clue, or raise {page.option('limit')}.", style="yellow")
    if result.ignored:
        page.line(f"not used, for the {result.basis} decides: {', '.join(result.ignored)}", style="yellow")


def _next(page: Page, offset: int | None) -> None:
    if offset is not None:
        page.line(f"Go on with {page.option('offset')} {offset}.", style="yellow")
