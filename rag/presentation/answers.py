"""Answers and scoped contexts as lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.answering.answer import Answer, Claim, advice_for
from rag.answering.refusals import UNANSWERED, nearest
from rag.telemetry.review.words import ACTION_WORDS, WEAK_WORDS, status_in_words, worst_first
from rag.verification.model import DESCRIPTIONS
from retrieval.model import Block, ContextWarning, Omitted, OverrideNotice, ScopedContext

if TYPE_CHECKING:
    from rag.presentation.page import Page

_STATUS_STYLES = {"answered": "bold green", "ok": "bold green", "halted": "bold red", "failed": "bold red"}
_LEVEL_STYLES = {"VERBATIM": "green", "CHECKED": "cyan"}
_NOTES = {str(code): words for code, words in DESCRIPTIONS.items()}


def show_answer(page: Page, answer: Answer) -> None:
    """An answer, a refusal, a halt or a failure: warnings first, then each claim with what it rests on."""
    _heading(page, answer.status, f"law at {answer.at_date.isoformat()}", [warning.kind for warning in answer.warnings])
    if answer.label and answer.claims:
        page.line(answer.label, style="dim")
    if answer.refusal is not None:
        page.gap()
        page.line(answer.refusal.message, style="bold")
        page.line(answer.refusal.advice)
        page.line(f"reason  {answer.refusal.reason}", style="dim")
        if answer.refusal.reason in UNANSWERED and answer.context is not None and answer.targets:
            page.gap()
            page.line("What came nearest, which does not answer by itself:")
            for urn, heading in nearest(answer.context):
                page.line(f"{urn}  {heading}".rstrip(), indent=2, hang=2)
    if answer.refusal is not None and answer.context is not None:
        _known_near(page, answer.context)
    _overrides(page, answer.overrides, answer.refusal.message if answer.refusal else "")
    _warnings(page, answer.warnings)
    for number, claim in enumerate(answer.claims, start=1):
        _claim(page, number, claim)
    for text in answer.unanswered:
        page.gap()
        page.line(f"Not settled by the context: {text}", style="yellow")
    for claim in answer.withheld:
        page.gap()
        page.line(
            f"Withheld: {claim.verdict}; {', '.join(claim.reasons)} ({', '.join(claim.urns)})", style="yellow", hang=2
        )
    _omitted(page, answer.omitted)
    page.gap()
    if answer.targets and answer.refusal is None:
        page.line(f"rules   {', '.join(answer.targets)}", style="dim", hang=8)
    _footer(page, answer.context_digest, answer.trace_id)


def show_context(page: Page, context: ScopedContext) -> None:
    """C(R), block by block, and what was left out of it."""
    _heading(page, context.status, f"law at {context.at_date.isoformat()}")
    if context.message:
        page.line(context.message, style="bold")
    if advice := advice_for(context.status):
        page.line(advice)
    _known_near(page, context)
    _overrides(page, context.overrides, context.message)
    _warnings(page, context.warnings)
    for block in context.blocks:
        _block(page, block)
    if context.definitions:
        page.gap()
        page.line("Definitions", style="bold")
    for definition in context.definitions:
        scope = f"scope {definition.scope_urn}" + (" (inferred)" if definition.inferred else "")
        page.line(f"{definition.term} ({definition.relation}): {definition.urn}, {scope}", indent=2, hang=2)
        for urn in definition.shadows:
            page.line(f"shadows {urn}", indent=4, style="dim")
    _omitted(page, context.omitted)
    page.gap()
    _footer(page, context.digest, context.trace_id)


def _known_near(page: Page, context: ScopedContext) -> None:
    if context.suggestions:
        page.line("Known near it:")
    for urn in context.suggestions:
        page.line(urn, indent=2)


def _heading(page: Page, status: str, rest: str, warnings: Sequence[str] = ()) -> None:
    words = status_in_words(status, warnings) or status
    style = "bold yellow" if words == WEAK_WORDS else _STATUS_STYLES.get(status, "bold yellow")
    page.line(f"{words}, {rest}", style=style)


def _claim(page: Page, number: int, claim: Claim) -> None:
    page.gap()
    page.line(f"{number}. {claim.level}", style=_LEVEL_STYLES.get(claim.level, "yellow"))
    page.line(claim.text, indent=3, bar="> " if claim.level == "VERBATIM" else "")
    above = ""
    for citation in claim.citations:
        page.line(citation.urn, indent=5, style="bold")
        if citation.heading != above:
            page.line(citation.heading, indent=5, style="dim")
        above = citation.heading
        if claim.level != "VERBATIM" or citation.quote not in claim.text:  # else the claim is the quote
            page.line(citation.quote, indent=5, bar="> ")
    for code in claim.reasons:
        page.line(f"note: {_NOTES.get(code, code)} ({code})", indent=5, hang=6, style="dim")


def _block(page: Page, block: Block) -> None:
    page.gap()
    page.line(f"[{block.id}] {block.role}  {block.urn}", style="bold")
    if block.heading:
        page.line(block.heading, indent=5)
    if block.lead_in:
        page.line(f"{block.lead_in} ...", indent=5, style="dim")
    for number, words in enumerate(block.sides):
        if number:
            page.line("[its parts stand in blocks of their own; after them:]", indent=5, style="dim")
        page.line(words, indent=5)
    if block.flush:
        page.line(f"... {block.flush}", indent=5, style="dim")
    since = block.valid_from.isoformat() if block.valid_from else "an unknown date"
    until = f" until {block.valid_to.isoformat()}" if block.valid_to else ""
    page.line(f"{block.reason}; in force from {since}{until}", indent=5, style="dim")


def _overrides(page: Page, overrides: list[OverrideNotice], told: str) -> None:
    """The overrides, but for one that the message of a halt already tells in full."""
    for override in overrides:
        if override.action == "halt" and override.urn in told and override.court_citation in told:
            continue
        since = f", from {override.effective_from.isoformat()}" if override.effective_from else ""
        until = f" until {override.effective_to.isoformat()}" if override.effective_to else ""
        page.gap()
        page.line(f"OVERRIDE {override.status} {override.urn}", style="bold red")
        page.line(f"{override.court}, {override.court_citation}{since}{until}", indent=2)
        if override.message:
            page.line(override.message, indent=2)
        page.line(f"{ACTION_WORDS.get(override.action, override.action)}.", indent=2)


def _warnings(page: Page, warnings: list[ContextWarning]) -> None:
    if warnings:
        page.gap()
    places: dict[tuple[str, str], list[str]] = {}  # what is said of several provisions is said once
    for warning in worst_first(warnings):
        urns = places.setdefault((warning.kind, warning.message), [])
        urns.extend([warning.urn] if warning.urn and warning.urn not in warning.message else [])
    for (kind, message), urns in places.items():
        where = f" ({', '.join(dict.fromkeys(urns))})" if urns else ""
        if kind == "search":
            page.line(f"Search: {message}", style="dim", hang=8)
        else:
            page.line(f"WARNING {kind}: {message}{where}", style="bold yellow", hang=2)


def _omitted(page: Page, omitted: list[Omitted]) -> None:
    """What is not there, by reason; every URN is named."""
    if omitted:
        page.gap()
        page.line("Left out", style="bold")
    for reason in dict.fromkeys(item.reason for item in omitted):
        urns = [item.urn for item in omitted if item.reason == reason]
        page.line(f"{reason}: {', '.join(urns)}", indent=2, hang=2)


def _footer(page: Page, digest: str | None, trace_id: str | None) -> None:
    if digest:
        page.line(f"digest  {digest}", style="dim")
    if trace_id:
        page.line(f"trace   {trace_id}", style="dim")
