"""Results as plain text for a language model: what people read, without wrapping, styles, scores and digests.

A reply of a tool has two parts: the whole record, for programs, and this text. Nothing in the text is empty or told
twice; what a context has beyond `CONTEXT_BYTES` is listed, so that a model can ask for it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from rag.answering.answer import Answer, advice_for
from rag.answering.limits.overridden import overridden_lines
from rag.citecheck.model import VerifyResult
from rag.documents.model import DocumentText
from rag.jurisdictions.citing import cited_as
from rag.presentation.answers import AFTER_PARTS, show_answer, show_overrides, show_warnings
from rag.presentation.listing import show_cases, show_document, show_documents, show_search, show_structure
from rag.presentation.page import Page, provision, visible
from rag.presentation.verdicts import show_verified
from rag.telemetry.quality.guidelines import Guidelines
from rag.telemetry.quality.model import QualityReply
from retrieval.browsing.browse import DocumentPage, StructurePage
from retrieval.model import BY_RULES, BY_RULES_BRIEF, Block, Record, ScopedContext, SearchResult
from retrieval.references.cases import CaseResolution

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT_BYTES = 10_000  # in UTF-8, of the blocks of a context that are shown unasked: some 2,500 tokens in any script
_SECTION = 5  # segments of a URN that name a provision with its law: "urn:lex:us-dc:code:28-3904"
_LISTED = 40  # blocks that are named where their text is not shown

# What a model needs of a context, the most needed first; blocks of one role keep their order, but for definitions.
_GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Rule", ("rule",)),
    ("Contained in", ("ancestor",)),
    ("Struck by a court", ("warning",)),
    ("Exceptions, and what the rule yields to", ("exception",)),
    ("Definitions that govern its words", ("definition",)),
    ("Possible exceptions, which is not certain", ("possible_exception",)),
    ("Federal law that overlaps", ("federal",)),
    ("Enabling authority", ("authority",)),
)
_SAY_WHY = ("exception", "possible_exception", "federal", "authority", "warning")


class ModelPage(Page):
    """Keeps lines as they are: no width, no style, nothing that only a person wants to know."""

    brief = True

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self._lines: list[str] = []
        self._headings: set[tuple[str, str]] = set()  # with the sections that have them

    @property
    def text(self) -> str:
        """Everything written, in lines."""
        return "\n".join(self._lines).strip("\n")

    def line(
        self, text: str = "", *, style: str = "", indent: int = 0, hang: int = 0, first: str = "", bar: str = ""
    ) -> None:
        """Write text as it is, with the mark of a quote and without any layout."""
        del style, indent, hang
        start = bar + first.lstrip()
        self._lines += [f"{start}{part}" for part in visible(text).split("\n")]

    def gap(self) -> None:
        """An empty line, never two."""
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def detail(self, text: str, indent: int = 0) -> None:
        """Nothing: it is in the record beside this text."""

    def provision(self, urn: str, heading: str = "") -> str:
        """A provision in one line; a heading, of whatever parts of a section, the first time only."""
        key = ":".join(urn.split(":")[:_SECTION]), heading
        told = key in self._headings
        self._headings.add(key)
        return provision(urn, "" if told else heading, self.titles)

    def option(self, name: str) -> str:
        """A parameter of a tool."""
        return f"`{name}`"


def text_for_model(record: Record, *, whole: bool = False) -> str:
    """What a model reads of a result.

    Args:
        record: what a tool returns.
        whole: whether a context is given in full, as where its blocks were asked for by number.

    Raises:
        TypeError: no tool returns such a record.
    """
    page = ModelPage()
    if isinstance(record, ScopedContext):
        _context(page, record, whole)
        return page.text
    for kind, show in _SHOWN.items():
        if isinstance(record, kind):
            show(page, record)
            return page.text
    raise TypeError(f"no text for a model is known of {type(record).__name__}")


def _context(page: ModelPage, context: ScopedContext, whole: bool) -> None:
    rules = ", ".join(cited for urn in context.targets if (cited := cited_as(urn)))
    page.line(f"Status {context.status}, law at {context.at_date.isoformat()}{f', {rules}' if rules else ''}")
    for text in (context.message, advice_for(context.status)):
        if text:
            page.line(text)
    if context.suggestions:
        page.line(f"Known near it: {', '.join(context.suggestions)}")
    show_overrides(page, context.overrides, context.message)
    show_warnings(page, context.warnings)
    if context.how_read:
        page.line(BY_RULES_BRIEF if context.how_read == BY_RULES else context.how_read)
    left = CONTEXT_BYTES
    kept: set[str] = set()
    told: set[str] = set()
    over = overridden_lines(context.prevails_over, cited_as)
    # What the rule's own words mean before what the words of such a definition mean.
    depths = {definition.urn: definition.depth for definition in reversed(context.definitions)}
    ordered = sorted(context.blocks, key=lambda block: depths.get(block.urn, 0) if block.role == "definition" else 0)
    for title, roles in _GROUPS:
        shown: list[str] = []
        why = ""
        for block in ordered:
            if block.role not in roles:
                continue
            text, said = _block(context, block, told, why)
            text += f"\n[{over[block.urn]}]" if block.urn in over else ""
            size = len(text.encode())
            if not whole and size > left and kept:
                continue
            left -= size
            kept.add(block.id)
            told |= {block.lead_in, *block.sides, " ".join(filter(None, (block.lead_in, *block.sides[:1])))}
            why = said
            shown.append(text)
        if shown:
            page.gap()
            page.line(f"## {title}")
            for text in shown:
                page.line(text)
    _not_shown(page, context, [block for block in context.blocks if block.id not in kept])


def _block(context: ScopedContext, block: Block, told: Set[str], above: str) -> tuple[str, str]:
    """A block as lines, and what it is there for: its URN, that, and its words.

    Args:
        told: what is above already; a lead-in that is there is not told again.
        above: what the block before it is there for.
    """
    terms = ", ".join(
        f"“{definition.term}”"
        + (f" ({definition.doubt})" if definition.doubt else " (scope inferred)" if definition.inferred else "")
        for definition in context.definitions
        if definition.urn == block.urn
    )
    rules = f" for {', '.join(block.applies_to)}" if len(context.targets) > 1 and block.role != "rule" else ""
    why = terms or (block.reason if block.role in _SAY_WHY else "")
    said = f"{why}{rules}"
    note = "" if not said else " [as the one above]" if said == above else f" [{said}]"
    lines = [f"{block.urn}{note} {block.heading}".rstrip()]
    goes_on = bool(block.lead_in) and block.role != "rule"
    lines += [f"{block.lead_in} ..."] if goes_on and block.lead_in not in told else []
    for number, words in enumerate(block.sides):
        lines += [AFTER_PARTS] if number else []
        lines.append(f"... {words}" if not number and goes_on and block.lead_in in told else words)
    lines += [f"... {block.flush}"] if block.flush and block.role != "rule" else []
    if block.valid_to:
        lines.append(f"(no longer in force from {block.valid_to.isoformat()})")
    return "\n".join(lines), said


def _not_shown(page: ModelPage, context: ScopedContext, hidden: Sequence[Block]) -> None:
    if hidden:
        page.gap()
        page.line(f"## Not shown ({len(hidden)} of {len(context.blocks)} blocks)")
        page.line('Read one with get_document and its URN, or several with `blocks`, such as "12-20".')
        page.line("\n".join(_ranges(hidden[:_LISTED])))
        if len(hidden) > _LISTED:
            page.line(f"and {len(hidden) - _LISTED} more, up to block {hidden[-1].id.removeprefix('b')}")
    for reason in dict.fromkeys(item.reason for item in context.omitted):
        urns = [item.urn for item in context.omitted if item.reason == reason]
        more = f" and {len(urns) - _LISTED} more" if len(urns) > _LISTED else ""
        page.gap()
        page.line(f"Left out, {reason}: {', '.join(urns[:_LISTED])}{more}")
    further: str | None = getattr(context, "next_blocks", None)
    if further:
        page.line(f"Go on with {page.option('blocks')} {further}.")


def _ranges(blocks: Sequence[Block]) -> Iterator[str]:
    """A line for each block: its number, role and URN, and its heading where it has one."""
    for block in blocks:
        yield f"{block.id.removeprefix('b')} {block.role} {block.urn} {block.heading}".rstrip()


def _guidelines(page: Page, found: Guidelines) -> None:
    page.line(found.text)


def _quality(page: Page, reply: QualityReply) -> None:
    recorded = "Recorded." if reply.recorded else "Not recorded."
    page.line(f"{recorded} Highest alert: {reply.highest_alert_severity or 'none'}. {reply.relay}")
    for alert in reply.alerts:
        seen = " and ".join(word for word, so in (("declared", alert.declared), ("detected", alert.detected)) if so)
        page.line(f"{alert.tier} {alert.flag} ({seen or 'by rule'}): tell the user: {alert.tell_the_user} {alert.do}")
    for warning in reply.warnings:
        page.line(f"WARNING {warning}")
    if reply.kept.dropped_fields:
        page.line(f"Dropped, since it could be a fact of a person: {reply.kept.dropped_fields}.")


def _answer(page: Page, answer: Answer) -> None:
    show_answer(page, answer)
    if answer.follow_up:
        page.line(f"Ask on: follow_up={answer.trace_id or answer.follow_up}")


_SHOWN: Mapping[type[Record], Callable[[Page, Any], None]] = {
    Answer: _answer,
    VerifyResult: show_verified,
    SearchResult: show_search,
    DocumentText: show_document,
    StructurePage: show_structure,
    DocumentPage: show_documents,
    CaseResolution: show_cases,
    Guidelines: _guidelines,
    QualityReply: _quality,
}
