"""Answers and scoped contexts as lines for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.answering.answer import LEVELS, NO_MODEL, Answer, Computation, Place, Statement, advice_for
from rag.answering.limits.overridden import overridden_lines
from rag.answering.meanings import governing_cited
from rag.jurisdictions.citing import cited_as
from rag.presentation.page import provision
from rag.telemetry.review.words import ACTION_WORDS, STATUS_WORDS, search_note, worst_first
from rag.verification.computations import OPERATIONS
from rag.verification.model import DESCRIPTIONS
from retrieval.model import BY_RULES, BY_RULES_BRIEF, Block, ContextWarning, Omitted, OverrideNotice, ScopedContext

if TYPE_CHECKING:
    from rag.presentation.page import Page

_STATUS_STYLES = {"answered": "bold green", "ok": "bold green", "halted": "bold red", "failed": "bold red"}
_LEVEL_STYLES = {"VERBATIM": "green", "CHECKED": "cyan", "EXPLAINED": "cyan", "APPLIED": "blue"}
_ITEM, _GOES_ON = "LIST_ITEM", "LIST_GOES_ON"
_SAID_BY_LEVEL, _ADDED = "JUDGED", ("LIMITS", "REST")  # codes that the level or the heading above says already
_NOTES = {str(code): words for code, words in DESCRIPTIONS.items()}
# Between the words of a provision before its parts and those after them: run together they would say something else.
AFTER_PARTS = "[its parts stand in blocks of their own; after them:]"
_DIGITS = 16  # of a digest, enough to compare by eye; a record has all 64
_PLACE_CHARACTERS = 220  # of a sentence of a place, for a reader who can ask for the whole
_LEAD_CHARACTERS = 80  # a longer lead-in that was told with another block is only begun
_NAMED = 3  # rules that a follow-up is said to be about
# Warnings that limit no statement by themselves; they follow all of them.
_AFTERWARDS = frozenset(
    {
        "definition_elsewhere",
        "general_exceptions",
        "inferred_scope",
        "law_elsewhere",
        "limits_of_limits",
        "rest",
        "search",
        "unread_definitions",
    }
)
# Warnings of the context of a rule, which get_context gives with that rule.
OF_CONTEXTS = frozenset({
    "conflicting_definitions", "definition_elsewhere", "exception_elsewhere", "general_exceptions", "inferred_scope",
    "law_elsewhere", "likely_definitions", "limits", "possible_exceptions", "unknown_start", "unread_definitions",
    "void_definition", "wide_limits",
})  # fmt: skip
_TERM = re.compile(r"“(.{1,80}?)”")


def show_answer(page: Page, answer: Answer) -> None:
    """An answer, places to look, a refusal, a halt or a failure; of jurisdictions side by side one after the other."""
    if answer.parts:
        _heading(page, answer.status, f"law at {answer.at_date.isoformat()}")
        page.line(answer.label, style="dim")
    for place, part in answer.parts.items():
        page.gap()
        page.line(f"=== {place} ===", style="bold")
        _show_one(page, part)
    if not answer.parts:
        _show_one(page, answer)
    if answer.follow_up and answer.parts:
        page.detail("Ask on about all of these:")
        page.command(f'ask --follow {answer.follow_up} "YOUR QUESTION"')


def _show_one(page: Page, answer: Answer) -> None:
    """What was asked first, then what it rests on."""
    if answer.context is not None:
        page.titles = {block.urn: block.heading for block in answer.context.blocks if block.parent_urn is None}
    _heading(page, answer.status, f"law at {answer.at_date.isoformat()}")
    if answer.label and (answer.statements or answer.status == "places"):
        # A model that reads it is one itself.
        page.line(answer.label.removesuffix(f" {NO_MODEL}") if page.brief else answer.label, style="dim")
    if answer.short_answer is not None:
        page.gap()
        page.line(answer.short_answer.text, style="bold")
        page.line(f"rests on {_ids(answer.short_answer.rests_on)}; {LEVELS[answer.short_answer.level]}", style="dim")
    if answer.refusal is not None:
        page.gap()
        page.line(answer.refusal.message, style="bold")
        page.line(answer.refusal.advice)
        page.detail(f"reason  {answer.refusal.reason}")
    if answer.refusal is not None and answer.context is not None:
        _known_near(page, answer.context)
    show_overrides(page, answer.overrides, answer.refusal.message if answer.refusal else "")
    if answer.places and answer.refusal is not None:
        page.gap()
        page.line("What came nearest:")
    for number, place in enumerate(answer.places, start=1):
        _place(page, number, place)
    # Where nothing is served of a context, what is unsure in it belongs to the context and comes with it.
    untold = page.brief and not answer.statements
    warnings = [
        warning
        for warning in answer.warnings
        if not (untold and warning.kind in OF_CONTEXTS)
        and not (warning.kind == "cited_missing" and answer.label.startswith(warning.message))
    ]
    undated = [warning for warning in warnings if warning.kind == "unknown_start"]
    if undated:
        warnings = [*(warning for warning in warnings if warning.kind != "unknown_start"), _undated(undated)]
    show_warnings(page, [warning for warning in warnings if warning.kind not in _AFTERWARDS])
    shown: dict[tuple[str, str], str] = {}
    explained: set[str] = set()
    behind = _rest_behind(answer)
    for statement in answer.statements:
        _statement(page, statement, shown, explained, _told_by(statement, answer.statements) if page.brief else "")
        _rest(page, behind[statement.id])
    if answer.definitions:
        page.gap()
        page.line(f"Their terms as the law defines them: {defined_terms(answer)}", hang=2)
    if answer.limits:
        page.gap()
        page.line(f"The law's own sentences that limit what is said above ({len(answer.limits)})", style="bold")
    for statement in answer.limits:
        _limit(page, statement)
    over = overridden_lines(answer.prevails_over, cited_as)
    if over:
        page.gap()
    for urn, told in over.items():
        page.line(f"{cited_as(urn) or urn} {told}.", hang=2)
    show_warnings(page, [warning for warning in warnings if warning.kind in _AFTERWARDS])
    for text in answer.unanswered:
        page.gap()
        page.line(f"Not settled by the context: {text}", style="yellow")
    for withheld in answer.withheld:
        page.gap()
        of = f", a statement on {', '.join(cited_as(urn) or urn for urn in withheld.urns)}" if withheld.urns else ""
        why = " ".join(withheld.details or (_NOTES.get(code, code) for code in withheld.reasons))
        page.line(f"Withheld{of}: {why} ({', '.join(withheld.reasons)})", style="yellow", hang=2)
    if untold:
        _warned_of_contexts(page, answer)
    else:
        _omitted(page, answer.omitted, answer.overrides)
    page.gap()
    if answer.how_read:
        page.line(BY_RULES_BRIEF if answer.how_read == BY_RULES else answer.how_read, style="dim", hang=2)
    _footer(page, answer.context_digest, answer.trace_id)
    if answer.follow_up:
        rules = "; ".join(cited_as(urn) or urn for urn in answer.targets[:_NAMED])
        more = f" and {len(answer.targets) - _NAMED} more" if len(answer.targets) > _NAMED else ""
        page.detail(f"Ask on about {rules}{more}:")
        page.command(f'ask --follow {answer.trace_id or answer.follow_up} "YOUR QUESTION"')


def show_context(page: Page, context: ScopedContext) -> None:
    """C(R), block by block, and what was left out of it."""
    _heading(page, context.status, f"law at {context.at_date.isoformat()}")
    if context.message:
        page.line(context.message, style="bold")
    if advice := advice_for(context.status):
        page.line(advice)
    _known_near(page, context)
    show_overrides(page, context.overrides, context.message)
    show_warnings(page, context.warnings)
    told: dict[str, str] = {}
    above = ""
    over = overridden_lines(context.prevails_over, cited_as)
    for block in context.blocks:
        above = _block(page, block, told, above)
        if block.urn in over:
            page.line(over[block.urn], indent=5, hang=2)
    noted = [definition for definition in context.definitions if definition.shadows or definition.inferred]
    if noted:
        page.gap()
        page.line("Definitions that shadow wider ones, or whose scope is inferred", style="bold")
    for definition in noted:
        doubt = f", {definition.doubt}" if definition.doubt else ""
        scope = f"scope {definition.scope_urn}" + (" (inferred)" if definition.inferred else "") + doubt
        page.line(f"{definition.term} ({definition.relation}): {definition.urn}, {scope}", indent=2, hang=2)
        for urn in definition.shadows:
            page.line(f"shadows {urn}", indent=4, style="dim")
    _omitted(page, context.omitted, context.overrides)
    page.gap()
    if context.how_read:
        page.line(context.how_read, style="dim")
    _footer(page, context.digest, context.trace_id)


def _known_near(page: Page, context: ScopedContext) -> None:
    if context.suggestions:
        page.line("Known near it:")
    for urn in context.suggestions:
        page.line(urn, indent=2)


def defined_terms(answer: Answer) -> str:
    """The defined terms of an answer's sentences by what defines them: `“Lessor”, “Owner” (940 CMR 3.01)`.

    A list of meanings is told whole; entries of it that do not govern the sentences are not named.
    """
    told = (citation.urn for statement in answer.statements for citation in statement.citations)
    known = answer.context.definitions if answer.context is not None else []
    theirs = governing_cited(answer.context, told) if answer.context is not None else []
    terms = {definition.urn: definition.term for definition in reversed(theirs)}  # of several the nearest
    others = {definition.urn for definition in known} - terms.keys()
    cited = dict.fromkeys(citation.urn for meaning in answer.definitions for citation in meaning.citations)
    places: dict[str, list[str]] = {}
    for urn in cited:
        if urn in others:
            continue
        places.setdefault(cited_as(urn) or urn, []).extend([f"“{terms[urn]}”"] if urn in terms else [])
    return ", ".join(f"{', '.join(words)} ({place})" if words else place for place, words in places.items())


def _heading(page: Page, status: str, rest: str) -> None:
    page.line(f"{STATUS_WORDS.get(status, status)}, {rest}", style=_STATUS_STYLES.get(status, "bold yellow"))


def _told_by(statement: Statement, others: Sequence[Statement]) -> str:
    """The number of a longer statement that has all words of this one, both the law's own; empty where none has."""
    verbatim = [other for other in others if other.level == statement.level == "VERBATIM"]
    longer = (other for other in verbatim if statement.text in other.text and len(other.text) > len(statement.text))
    return next((other.id.removeprefix("s") for other in longer), "")


def _warned_of_contexts(page: Page, answer: Answer) -> None:
    """Which doubts the contexts of places have: a reader who goes on to one of them is told of each there."""
    kinds = dict.fromkeys(warning.kind for warning in answer.warnings if warning.kind in OF_CONTEXTS)
    kinds |= {"left_out": None} if answer.omitted else {}
    if answer.places:
        page.gap()
        warned = f": it warns of {', '.join(kinds)}" if kinds else ""
        page.line(f"Read a place with get_context before you rely on it{warned}.")


def _statement(
    page: Page, statement: Statement, shown: dict[tuple[str, str], str], explained: set[str], told_by: str
) -> None:
    """A statement with what it rests on.

    Args:
        shown: the law's sentences told with earlier ones, each with the number of its statement; changed here.
        explained: levels whose meaning is told; changed here.
        told_by: the number of a statement whose words begin or contain this one's; empty where they are to be told.
    """
    page.gap()
    title = f"{statement.id.removeprefix('s')}. {statement.level}"
    if statement.level not in explained:
        title += f": {LEVELS[statement.level]}"
    explained.add(statement.level)
    page.line(title, style=_LEVEL_STYLES.get(statement.level, "yellow"), hang=3)
    words = f"(words of {told_by})" if told_by else statement.text
    page.line(words, indent=3, bar="> " if statement.level == "VERBATIM" else "")
    if statement.kind == "application":
        _grounds(page, statement)
    else:
        _citations(page, statement, shown)
    for code in statement.reasons:
        if code != _SAID_BY_LEVEL and not (code == _ITEM and _GOES_ON in statement.reasons):  # that says both
            page.line(f"note: {_NOTES.get(code, code)} ({code})", indent=5, hang=6, style="dim")


def _citations(page: Page, statement: Statement, shown: dict[tuple[str, str], str]) -> None:
    above, number = "", statement.id.removeprefix("s")
    whole = statement.level == "VERBATIM" and all(citation.quote in statement.text for citation in statement.citations)
    if whole and len(statement.citations) > 1:  # items of a list, told as one sentence
        first, *others = dict.fromkeys(citation.urn for citation in statement.citations)
        page.line(page.provision(first, statement.citations[0].heading), indent=5, hang=2, style="bold")
        page.line(f"with {', '.join(cited_as(urn) or urn for urn in others)}", indent=5, hang=2, style="dim")
        return
    for citation in statement.citations:
        verbatim = statement.level == "VERBATIM" and citation.quote in statement.text  # the statement is the quote
        earlier = shown.setdefault((citation.urn, citation.quote), number)
        if earlier != number and not verbatim:
            page.line(f"{page.provision(citation.urn)}, the words beside {earlier}", indent=5, hang=2, style="bold")
            continue
        heading = citation.heading if citation.heading != above else ""
        page.line(page.provision(citation.urn, heading), indent=5, hang=2, style="bold")
        above = citation.heading
        if not verbatim:
            page.line(citation.quote, indent=5, bar="> ")


def _grounds(page: Page, statement: Statement) -> None:
    """What an application follows from; the law itself stands with the statements that it rests on."""
    page.line(f"follows from {_ids(statement.rests_on)}", indent=5)
    for fact in statement.facts:
        page.line(f"you told: “{fact}”", indent=5, hang=2)
    for step in statement.computations:
        page.line(f"computed: {_step(step)}", indent=5, hang=2)
    cited = dict.fromkeys(cited_as(citation.urn) or citation.urn for citation in statement.citations)
    page.line(", ".join(cited), indent=5, style="dim")


def _step(step: Computation) -> str:
    """A step of arithmetic in words: `10 days added to 14 September 2026 = 24 September 2026`."""
    known = OPERATIONS.get(step.operation)
    if known is None or (not known.joint and len(step.inputs) != known.most):
        return f"{step.operation}({', '.join(step.inputs)}) = {step.result}"
    words = known.joint.join(step.inputs) if known.joint else known.words.format(*step.inputs)
    return f"{words.removeprefix('that ')}{': ' if words.startswith('that ') else ' = '}{step.result}"


def _rest_behind(answer: Answer) -> dict[str, list[Statement]]:
    """By the id of each statement what else its provisions, and those around them, say: behind the last that cites."""
    found = {statement.id: list[Statement]() for statement in answer.statements}
    for one in answer.rest:
        own = f"{one.citations[0].urn}:"
        quoting = (
            statement.id
            for statement in reversed(answer.statements)
            if statement.kind == "law" and any(f"{cited.urn}:".startswith(own) for cited in statement.citations)
        )
        found[next(quoting, answer.statements[-1].id)].append(one)
    return found


def _rest(page: Page, rest: Sequence[Statement]) -> None:
    if rest:
        page.line(f"What else the law quoted above says ({len(rest)})", indent=3, style="dim")
    for one in rest:
        page.line(one.text, indent=5, bar="> ")
        for urn in dict.fromkeys(citation.urn for citation in one.citations):
            page.line(page.provision(urn), indent=5, style="dim")


def _limit(page: Page, statement: Statement) -> None:
    page.gap()
    page.line(statement.text, indent=3, bar="> ")
    for urn in dict.fromkeys(citation.urn for citation in statement.citations):
        page.line(page.provision(urn), indent=5, style="dim")
    for code in statement.reasons:
        if code not in _ADDED:
            page.line(f"note: {_NOTES.get(code, code)} ({code})", indent=5, hang=6, style="dim")


def _place(page: Page, number: int, place: Place) -> None:
    page.gap()
    heading = "" if place.citation.startswith(place.heading) else place.heading  # a document is cited by its title
    page.line(
        f"{number}. {'  '.join(part for part in (place.citation, heading, place.urn) if part)}", style="bold", hang=3
    )
    if place.path:
        page.detail(place.path, 3)
    page.line(_beginning(place.sentence, _PLACE_CHARACTERS) if page.brief else place.sentence, indent=3, bar="> ")
    if place.rest:
        page.line("and says beside it:", indent=3, style="dim")
        page.line(place.rest, indent=3, bar="> ")
    if place.why:
        page.detail(place.why, 5)


def _beginning(sentence: str, characters: int) -> str:
    """A sentence, or whole words of its beginning and a mark that it goes on."""
    if len(sentence) <= characters:
        return sentence
    cut = sentence.rfind(" ", 0, characters)
    return f"{sentence[: cut if cut > 0 else characters]} [...]"


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(name.removeprefix("s") for name in ids)


def _block(page: Page, block: Block, told: dict[str, str], above: str) -> str:
    """A block with what it is there for, which is returned.

    Args:
        told: a lead-in, or words that may be one, to the block with which they were told; changed here.
        above: what the block before it is there for, and since when it is in force.
    """
    page.gap()
    page.line(f"[{block.id}] {block.role}  {provision(block.urn, block.heading)}", hang=5, style="bold")
    if block.lead_in:
        earlier = told.setdefault(block.lead_in, block.id)
        whole = earlier == block.id or len(block.lead_in) <= _LEAD_CHARACTERS
        lead = block.lead_in if whole else f"{_beginning(block.lead_in, _LEAD_CHARACTERS // 2)} as in {earlier}"
        page.line(f"{lead} ...", indent=5, style="dim")
    told.setdefault(" ".join(filter(None, (block.lead_in, *block.sides[:1]))), block.id)
    for number, words in enumerate(block.sides):
        if number:
            page.line(AFTER_PARTS, indent=5, style="dim")
        page.line(words, indent=5)
    if block.flush:
        page.line(f"... {block.flush}", indent=5, style="dim")
    since = block.valid_from.isoformat() if block.valid_from else "an unknown date"
    until = f" until {block.valid_to.isoformat()}" if block.valid_to else ""
    why = f"{block.reason}; in force from {since}{until}"
    page.line("(reason and date as above)" if why == above else why, indent=5, style="dim")
    return why


def show_overrides(page: Page, overrides: list[OverrideNotice], told: str) -> None:
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


def show_warnings(page: Page, warnings: list[ContextWarning]) -> None:
    """The warnings, worst first, but for those of overrides, which `show_overrides` tells.

    What is said of several provisions is said once.
    """
    warnings = [warning for warning in warnings if warning.kind != "override"]
    if warnings:
        page.gap()
    places: dict[tuple[str, str], list[str]] = {}
    elsewhere = [warning for warning in warnings if warning.kind == "definition_elsewhere"]
    terms = dict.fromkeys(match[1] for warning in elsewhere if (match := _TERM.search(warning.message)))
    if len(terms) > 1:
        page.line(
            f"WARNING definition_elsewhere: {len(terms)} terms are defined in law that the store does not have: "
            f"{', '.join(f'“{term}”' for term in terms)}.",
            style="bold yellow", hang=2,
        )  # fmt: skip
        warnings = [warning for warning in warnings if warning.kind != "definition_elsewhere"]
    for warning in worst_first(warnings):
        urns = places.setdefault((warning.kind, warning.message), [])
        urns.extend([warning.urn] if warning.urn and warning.urn not in warning.message else [])
    for (kind, message), urns in places.items():
        where = f" ({', '.join(dict.fromkeys(urns))})" if urns else ""
        if kind == "search":
            page.line(search_note(message), style="dim", hang=2)
        else:
            page.line(f"WARNING {kind}: {message}{where}", style="bold yellow", hang=2)


def _undated(warnings: Sequence[ContextWarning]) -> ContextWarning:
    """The warnings of documents whose text has no first day, as one: beside an answer their names are enough."""
    titled = ((_TERM.match(warning.message), warning.urn or "") for warning in warnings)
    names = dict.fromkeys(match[0] if match else urn for match, urn in titled)
    return ContextWarning(
        kind="unknown_start", message=f"not known since when the text of {', '.join(names)} is in force"
    )


def _omitted(page: Page, omitted: list[Omitted], overrides: list[OverrideNotice]) -> None:
    """What is not there, by reason; every URN is named, here or with the override that left it out."""
    told = {override.urn for override in overrides if override.action == "left_out"}
    omitted = [item for item in omitted if item.urn not in told]
    if omitted:
        page.gap()
        page.line("Left out", style="bold")
    for reason in dict.fromkeys(item.reason for item in omitted):
        urns = [item.urn for item in omitted if item.reason == reason]
        page.line(f"{reason}: {', '.join(urns)}", indent=2, hang=2)


def _footer(page: Page, digest: str | None, trace_id: str | None) -> None:
    told = [f"trace {trace_id}"] if trace_id else []
    told += [f"context {digest[:_DIGITS]}"] if digest else []
    if told:
        page.detail(", ".join(told))
    if trace_id:
        page.detail("All that it rests on:")
        page.command(f"dump {trace_id}")
