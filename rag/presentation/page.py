"""Results as lines for people: wrapped, never cut, plain where the output is no terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.text import Text

from rag.answering.answer import Answer, Claim, advice_for
from rag.answering.refusals import UNANSWERED, nearest
from rag.telemetry.review.view import UNSEEN
from rag.telemetry.review.words import ACTION_WORDS, WEAK_WORDS, status_in_words, worst_first
from rag.verification.model import DESCRIPTIONS
from retrieval.model import Block, ContextWarning, Omitted, OverrideNotice, ScopedContext

if TYPE_CHECKING:
    from rag.ingest.pipeline import Progress

PLAIN_WIDTH = 80
WIDEST = 100  # longer lines are hard to read
_STATUS_STYLES = {"answered": "bold green", "ok": "bold green", "halted": "bold red", "failed": "bold red"}
_LEVEL_STYLES = {"VERBATIM": "green", "CHECKED": "cyan"}
_NOTES = {str(code): words for code, words in DESCRIPTIONS.items()}


def visible(text: str) -> str:
    """The text with every character that a terminal obeys or hides written as an escape."""
    return UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def pace(progress: Progress) -> str:
    """How fast a long task goes and how long it still takes, as far as that can be told yet; starts with a comma."""
    out = ""
    if progress.nodes and progress.seconds:
        out += f", {progress.nodes / progress.seconds:,.0f} nodes/s"
    if progress.remaining and progress.done < progress.total:
        minutes, seconds = divmod(round(progress.remaining), 60)
        out += f", {minutes} min {seconds} s left" if minutes else f", {seconds} s left"
    return out


class Page:
    """Writes lines to a stream, wrapped to its width; styles reach terminals only."""

    def __init__(self, stream: TextIO) -> None:
        self._console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
        self.width = max(40, min(self._console.width, WIDEST)) if self._console.is_terminal else PLAIN_WIDTH

    def line(
        self, text: str = "", *, style: str = "", indent: int = 0, hang: int = 0, first: str = "", bar: str = ""
    ) -> None:
        """Write text, each of its own lines wrapped at spaces only: a URN stays in one piece.

        Args:
            text: what to write; may have several lines.
            style: a rich style.
            indent: columns before every line.
            hang: further columns before every line but the first.
            first: what the first line starts with, such as a bullet as wide as `hang`.
            bar: what every line starts with after its indent, such as the mark of a quote.
        """
        wrapped: list[str] = []
        for position, part in enumerate(visible(text).split("\n")):
            start = " " * indent + bar + (first if position == 0 else " " * hang)
            wrapped += textwrap.wrap(
                part, self.width, initial_indent=start, subsequent_indent=" " * indent + bar + " " * hang,
                break_long_words=False, break_on_hyphens=False,
            ) or [start.rstrip()]  # fmt: skip
        for one in wrapped:
            self._console.print(Text(one, style=style))

    def command(self, text: str) -> None:
        """Write a command in one line, however long, so that it can be copied."""
        self._console.print(Text(f"  {visible(text)}"))

    def gap(self) -> None:
        """An empty line."""
        self._console.print()

    def table(self, rows: list[tuple[str, ...]], *, indent: int = 0) -> None:
        """Columns two spaces apart; the last one wraps."""
        if not rows:
            return
        widths = [max(len(visible(row[column])) for row in rows) for column in range(len(rows[0]) - 1)]
        hang = min(sum(widths) + 2 * len(widths), self.width // 2)
        for row in rows:
            cells = (visible(cell).ljust(width) for cell, width in zip(row, widths, strict=False))
            start = "".join(f"{cell}  " for cell in cells)
            if len(start) > hang:
                self.line(start.rstrip(), indent=indent)
                start = " " * hang
            self.line(row[-1], indent=indent, hang=hang, first=start)


def show_answer(page: Page, answer: Answer) -> None:
    """An answer, a refusal, a halt or a failure: warnings first, then each claim with what it rests on."""
    _heading(page, answer.status, f"law at {answer.at_date.isoformat()}", [one.kind for one in answer.warnings])
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
    for one in answer.withheld:
        page.gap()
        page.line(f"Withheld: {one.verdict}; {', '.join(one.reasons)} ({', '.join(one.urns)})", style="yellow", hang=2)
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
    for one in context.definitions:
        scope = f"scope {one.scope_urn}" + (" (inferred)" if one.inferred else "")
        page.line(f"{one.term} ({one.relation}): {one.urn}, {scope}", indent=2, hang=2)
        for urn in one.shadows:
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
    for one in overrides:
        if one.action == "halt" and one.urn in told and one.court_citation in told:
            continue
        since = f", from {one.effective_from.isoformat()}" if one.effective_from else ""
        until = f" until {one.effective_to.isoformat()}" if one.effective_to else ""
        page.gap()
        page.line(f"OVERRIDE {one.status} {one.urn}", style="bold red")
        page.line(f"{one.court}, {one.court_citation}{since}{until}", indent=2)
        if one.message:
            page.line(one.message, indent=2)
        page.line(f"{ACTION_WORDS.get(one.action, one.action)}.", indent=2)


def _warnings(page: Page, warnings: list[ContextWarning]) -> None:
    if warnings:
        page.gap()
    places: dict[tuple[str, str], list[str]] = {}  # what is said of several provisions is said once
    for one in worst_first(warnings):
        urns = places.setdefault((one.kind, one.message), [])
        urns.extend([one.urn] if one.urn and one.urn not in one.message else [])
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
    for reason in dict.fromkeys(one.reason for one in omitted):
        urns = [one.urn for one in omitted if one.reason == reason]
        page.line(f"{reason}: {', '.join(urns)}", indent=2, hang=2)


def _footer(page: Page, digest: str | None, trace_id: str | None) -> None:
    if digest:
        page.line(f"digest  {digest}", style="dim")
    if trace_id:
        page.line(f"trace   {trace_id}", style="dim")
