"""Two scoped contexts of one rule compared by role: what a reader of the law at both dates must know. Pure.

Everything that a context says is compared but its digest, its trace and the numbers of its blocks. So `equal` means
that nothing else differs, and what is told of the differences turns the one context into the other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal, TypeVar

from retrieval.context.compose import assemble_read
from retrieval.errors import InputError
from retrieval.model import (
    Block,
    ContextStatus,
    ContextWarning,
    DefinitionInScope,
    Omitted,
    OverrideNotice,
    PrevailsOver,
    Record,
    Resolution,
    ScopedContext,
)
from retrieval.nodes import Connection, stored_jurisdictions
from retrieval.paths import is_urn
from retrieval.references import lookup
from retrieval.references.grammars import Grammars
from retrieval.references.resolution import resolve_reference
from retrieval.uncertain_dates import UNCERTAIN_DATES

# What changed between two texts, word by word. Pure.

SpanOp = Literal["equal", "insert", "delete", "replace"]
# Passages in which more pairs of pieces are equal are shown as replaced whole: aligning them costs that much and more.
MOST_PAIRS = 100_000
FEW_WORDS = 3

_CLAUSE = re.compile(r"[^.;:!?。；\n]*[.;:!?。；\n]+\s*|[^.;:!?。；\n]+")
# Scripts that are written without spaces count by the character.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"\s+|[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+|[^\w\s]")


class TextSpan(Record):
    """A piece of two texts. All `from_text` joined are the earlier text, all `to_text` the later one."""

    op: SpanOp
    from_text: str  # empty for `insert`
    to_text: str  # empty for `delete`


def word_spans(before: str, after: str) -> list[TextSpan]:
    """The differences of two texts in reading order, equal pieces included.

    The spans of (after, before) are those of (before, after) with the sides exchanged.

    Returns:
        Spans, coarse where texts are huge and alike everywhere (`MOST_PAIRS`); of two neighbours one is equal and the
        other changed. No span for two empty texts.
    """
    if (len(after), after) < (len(before), before):  # the matcher breaks ties by its first side
        return [_turned(span) for span in _spans(after, before)]
    return _spans(before, after)


def similarity(spans: Sequence[TextSpan]) -> float:
    """The share of the characters of two texts that stand in equal spans, 0 to 1; 1 for equal texts only."""
    total = sum(len(span.from_text) + len(span.to_text) for span in spans)
    kept = sum(2 * len(span.from_text) for span in spans if span.op == "equal")
    return 10_000 * kept // total / 10_000 if total else 1.0


def _turned(span: TextSpan) -> TextSpan:
    turned: dict[SpanOp, SpanOp] = {"insert": "delete", "delete": "insert"}
    return TextSpan(op=turned.get(span.op, span.op), from_text=span.to_text, to_text=span.from_text)


def _spans(before: str, after: str) -> list[TextSpan]:
    pieces: list[tuple[str, str]] = []
    for old, new in _aligned(_CLAUSE.findall(before), _CLAUSE.findall(after)):
        if old == new or not old or not new:
            pieces.append((old, new))
        else:
            pieces.extend(_aligned(_TOKEN.findall(old), _TOKEN.findall(new)))
    return _joined(pieces)


def _aligned(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of pieces, equal or not, that make up both sides."""
    start = _common(before, after)
    end = _common(reversed(before[start:]), reversed(after[start:]))
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    yield "".join(before[:start]), "".join(after[:start])
    counts = Counter(word for word in new if not word.isspace())
    if sum(counts[word] for word in old) > MOST_PAIRS:
        yield "".join(old), "".join(new)
    else:
        # White space alone aligns nothing: it stands everywhere.
        for _, low, high, new_low, new_high in SequenceMatcher(str.isspace, old, new, autojunk=False).get_opcodes():
            yield "".join(old[low:high]), "".join(new[new_low:new_high])
    yield "".join(before[len(before) - end :]), "".join(after[len(after) - end :])


def _common(before: Iterable[str], after: Iterable[str]) -> int:
    """How many pieces two sides have in common at their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))


def _joined(pieces: Sequence[tuple[str, str]]) -> list[TextSpan]:
    """Spans of alternating kind.

    Equal words between two changes join them where they are a blank or a comma, or few words inside much that changed:
    nobody reads those by themselves.
    """
    runs = _alternating(pieces)
    out: list[list[str]] = []
    for position, (old, new) in enumerate(runs):
        between = old == new and 0 < position < len(runs) - 1
        joins = _too_little(old, out[-1], runs[position + 1]) if between else bool(out) and old != new
        if joins and out[-1][0] != out[-1][1]:
            out[-1] = [out[-1][0] + old, out[-1][1] + new]
        else:
            out.append([old, new])
    return [_span(old, new) for old, new in out]


def _alternating(pieces: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Neighbouring pieces of one kind as one: equal ones, and changed ones."""
    runs: list[list[str]] = []
    for old, new in pieces:
        if not old and not new:
            continue
        if runs and (runs[-1][0] == runs[-1][1]) == (old == new):
            runs[-1] = [runs[-1][0] + old, runs[-1][1] + new]
        else:
            runs.append([old, new])
    return runs


def _too_little(equal: str, before: Sequence[str], after: Sequence[str]) -> bool:
    if not any(char.isalnum() for char in equal):
        return True
    return len(equal.split()) <= FEW_WORDS and all(
        len(equal.strip()) < max(map(len, words)) for words in (before, after)
    )


def _span(old: str, new: str) -> TextSpan:
    op: SpanOp = "equal" if old == new else "replace" if old and new else "delete" if old else "insert"
    return TextSpan(op=op, from_text=old, to_text=new)


Change = Literal["began", "ended"]
DefinitionReason = Literal["shadowing", "scope", "validity", "use", "wording"]
TextField = Literal["heading", "lead_in", "text", "flush"]
TEXT_FIELDS: tuple[TextField, ...] = ("heading", "lead_in", "text", "flush")


class ComparedContext(Record):
    """The context at one of the two dates, without its blocks."""

    at_date: date
    status: ContextStatus
    targets: list[str]
    # Where the status is not ok: why, such as when the rule was in force; else which changes around the date have an
    # unknown day.
    message: str
    digest: str  # of the whole context, which no token budget cut


class TextChange(Record):
    """What changed in one text of a block, word by word."""

    field: TextField
    similarity: float  # share of the words that stayed, by characters, 0 to 1
    spans: list[TextSpan]


class BlockChange(Record):
    """A block that is in the context at both dates and differs."""

    urn: str
    from_block: Block
    to_block: Block
    fields: list[str]  # those of the block that differ; its number in the context is not compared
    texts: list[TextChange]  # empty where one side is redacted: the warning in its place is not the law's text


class DefinitionChange(Record):
    """A term to which other definitions apply at the two dates, or the same ones in a different way.

    `shadowing`: a definition of a closer scope was added or removed. `scope`: the same definition governs another
    subtree. `validity`: a definition came into force or ended. `use`: the definitions are in force at both dates, but
    the words that use the term are not. `wording`: the same definition applies, and its text is read differently.
    """

    term: str
    user: str  # the rule, or the part of it that defines the term for itself
    reason: DefinitionReason
    from_definitions: list[DefinitionInScope]  # with those that add to a meaning; empty where none applies
    to_definitions: list[DefinitionInScope]


class OverrideChange(Record):
    """A court's override that affects the context at one date only.

    `validity`: it began or ended between the dates. `context`: it is in effect at both, but its node is in the context
    at one date only, or its effect on the context differs.
    """

    change: Change
    reason: Literal["validity", "context"]
    override: OverrideNotice


class WarningChange(Record):
    """A warning of the context at one date only."""

    change: Change
    compared: bool  # False where there is no context at the other date: then it neither began nor ended
    warning: ContextWarning


class OmittedChange(Record):
    """A block that is listed as omitted at one date only."""

    change: Change
    compared: bool  # as in WarningChange
    omitted: Omitted


class PrevailsOverChange(Record):
    """What yields to the rule at one date and is not said to at the other."""

    change: Change
    compared: bool  # as in WarningChange
    prevails_over: PrevailsOver


class ContextDiff(Record):
    """What differs between C(R) at two dates.

    `compared`: at one date at least the rule is in force. Otherwise `not_in_force` or `not_found`, and `before` and
    `after` say what is the case.
    """

    status: Literal["compared", "not_in_force", "not_found"]
    before: ComparedContext
    after: ComparedContext
    equal: bool  # whether the status and all that follows are the same
    added: list[Block]  # in their order at the later date
    removed: list[Block]  # in their order at the earlier date
    changed: list[BlockChange]
    unchanged: int  # number of blocks that are the same at both dates
    reordered: bool  # whether the blocks of both dates are in a different order
    definitions: list[DefinitionChange]
    overrides: list[OverrideChange]
    preemption: list[WarningChange]
    warnings: list[WarningChange]  # all others; those of overrides are not repeated
    omitted: list[OmittedChange]
    prevails_over: list[PrevailsOverChange]
    message: str  # what could not be compared, and why; else empty
    suggestions: list[str]  # for not_found: similar URNs of the store


def compare(before: ScopedContext, after: ScopedContext) -> ContextDiff:
    """Compare two contexts of one rule.

    `compare(b, a)` says the same as `compare(a, b)` with the sides exchanged.

    Args:
        after: at another, by custom the later one.

    Returns:
        The differences. A halted context has no blocks: those of the other side then count as removed or added, and
        `message` says why.
    """
    olds, news = _by_urn(before.blocks), _by_urn(after.blocks)
    both = sorted(olds.keys() & news.keys(), key=lambda urn: (_place(olds[urn]) + _place(news[urn]), urn))
    changed = [change for urn in both if (change := _block_change(olds[urn], news[urn])) is not None]
    order = [urn for urn in olds if urn in news]
    diff = ContextDiff(
        status=_status(before, after),
        before=_compared(before),
        after=_compared(after),
        equal=False,
        added=[block for urn, block in news.items() if urn not in olds],
        removed=[block for urn, block in olds.items() if urn not in news],
        changed=changed,
        unchanged=len(both) - len(changed),
        reordered=order != [urn for urn in news if urn in olds],
        definitions=_definition_changes(before, after),
        overrides=_override_changes(before, after),
        preemption=_warning_changes(before, after, {"preemption"}),
        warnings=_warning_changes(before, after, _other_kinds(before, after)),
        omitted=[
            OmittedChange(change=change, compared=_both_stand(before, after), omitted=omission)
            for change, omission in _changes(before.omitted, after.omitted)
        ],
        prevails_over=[
            PrevailsOverChange(change=change, compared=_both_stand(before, after), prevails_over=one)
            for change, one in _changes(before.prevails_over, after.prevails_over)
        ],
        message=_message(before, after),
        suggestions=list(dict.fromkeys([*before.suggestions, *after.suggestions])),
    )
    return diff.model_copy(update={"equal": _is_equal(diff)})


def _both_stand(before: ScopedContext, after: ScopedContext) -> bool:
    """Whether there are two contexts: of a rule that is halted or not in force there is none."""
    return before.status == after.status == "ok"


def _is_equal(diff: ContextDiff) -> bool:
    lists = (
        diff.added, diff.removed, diff.changed, diff.definitions, diff.overrides, diff.preemption, diff.warnings,
        diff.omitted, diff.prevails_over,
    )  # fmt: skip
    same = diff.before.status == diff.after.status and diff.before.targets == diff.after.targets
    return same and not diff.reordered and not any(lists)


def _status(before: ScopedContext, after: ScopedContext) -> Literal["compared", "not_in_force", "not_found"]:
    found = {before.status, after.status}
    if found & {"ok", "halted"}:
        return "compared"
    return "not_in_force" if "not_in_force" in found else "not_found"


def _compared(context: ScopedContext) -> ComparedContext:
    unknown = [warning.message for warning in context.warnings if warning.kind == UNCERTAIN_DATES]
    return ComparedContext(
        at_date=context.at_date,
        status=context.status,
        targets=context.targets,
        message=context.message or " ".join(unknown),
        digest=context.digest,
    )


def _message(before: ScopedContext, after: ScopedContext) -> str:
    halted = [side.at_date.isoformat() for side in (before, after) if side.status == "halted"]
    if not halted:
        return ""
    return f"A court override halts the rule at {' and '.join(sorted(halted))}: its context there is not compared."


def _by_urn(blocks: Iterable[Block]) -> dict[str, Block]:
    return {block.urn: block for block in blocks}


def _place(block: Block) -> int:
    return int(block.id[1:])


def _block_change(old: Block, new: Block) -> BlockChange | None:
    fields = [name for name in Block.model_fields if name != "id" and getattr(old, name) != getattr(new, name)]
    if not fields:
        return None
    redacted = "warning" in (old.role, new.role)
    texts: list[TextChange] = []
    for name in TEXT_FIELDS:
        if name in fields and not redacted:
            spans = word_spans(getattr(old, name), getattr(new, name))
            texts.append(TextChange(field=name, similarity=similarity(spans), spans=spans))
    return BlockChange(urn=old.urn, from_block=old, to_block=new, fields=fields, texts=texts)


_Term = tuple[str, str]  # user, term
_Same = TypeVar("_Same", bound=Record)


def _governing(context: ScopedContext) -> dict[_Term, list[DefinitionInScope]]:
    """What governs each term for each rule or part that uses it, each definition as if it served that one only."""
    found: dict[_Term, list[DefinitionInScope]] = {}
    for definition in context.definitions:
        for user in definition.applies_to:
            alone = definition.model_copy(update={"applies_to": [user]})
            found.setdefault((user, definition.term.lower()), []).append(alone)
    return found


def _definition_changes(before: ScopedContext, after: ScopedContext) -> list[DefinitionChange]:
    olds, news = _governing(before), _governing(after)
    out: list[DefinitionChange] = []
    for key in sorted(olds.keys() | news.keys()):
        old, new = olds.get(key, []), news.get(key, [])
        if old != new:
            reason = _reason(before, after, old, new)
            term = min(definition.term for definition in (*old, *new))
            out.append(
                DefinitionChange(term=term, user=key[0], reason=reason, from_definitions=old, to_definitions=new)
            )
    return out


def _reason(
    before: ScopedContext, after: ScopedContext, old: Sequence[DefinitionInScope], new: Sequence[DefinitionInScope]
) -> DefinitionReason:
    """Why other definitions govern a term, or the same ones in another way. Symmetric in its sides."""
    old_urns, new_urns = {definition.urn for definition in old}, {definition.urn for definition in new}
    if old_urns != new_urns:
        shadowed = {urn for definition in new for urn in definition.shadows} & old_urns
        returned = {urn for definition in old for urn in definition.shadows} & new_urns
        if shadowed or returned:
            return "shadowing"
        came = [_began_after(after, urn, before.at_date) for urn in new_urns - old_urns]
        went = [_began_after(before, urn, after.at_date) for urn in old_urns - new_urns]
        return "validity" if any((*came, *went)) else "use"
    if [(definition.urn, definition.scope_urn) for definition in old] != [
        (definition.urn, definition.scope_urn) for definition in new
    ]:
        return "scope"
    if [definition.shadows for definition in old] != [definition.shadows for definition in new]:
        return "shadowing"
    return "use" if [definition.depth for definition in old] != [definition.depth for definition in new] else "wording"


def _began_after(context: ScopedContext, urn: str, day: date) -> bool:
    """Whether the version of a node in a context is not the one in force on another day."""
    block = next((found for found in context.blocks if found.urn == urn), None)
    return block is not None and not _holds(block.valid_from, block.valid_to, day)


def _holds(start: date | None, end: date | None, day: date) -> bool:
    return (start is None or start <= day) and (end is None or day < end)


def _override_changes(before: ScopedContext, after: ScopedContext) -> list[OverrideChange]:
    out: list[OverrideChange] = []
    for change, notice in _changes(before.overrides, after.overrides):
        other = before.at_date if change == "began" else after.at_date
        still = _holds(notice.effective_from, notice.effective_to, other)
        out.append(OverrideChange(change=change, reason="context" if still else "validity", override=notice))
    return out


def _other_kinds(before: ScopedContext, after: ScopedContext) -> set[str]:
    return {warning.kind for warning in (*before.warnings, *after.warnings)} - {
        "preemption",
        "override",
        UNCERTAIN_DATES,
    }


def _warning_changes(before: ScopedContext, after: ScopedContext, kinds: set[str]) -> list[WarningChange]:
    return [
        WarningChange(change=change, compared=_both_stand(before, after), warning=warning)
        for change, warning in _changes(before.warnings, after.warnings)
        if warning.kind in kinds
    ]


def _changes(before: Sequence[_Same], after: Sequence[_Same]) -> list[tuple[Change, _Same]]:
    """What stands on one side only, in an order that does not depend on which side is the later one."""
    olds, news = ({entry.model_dump_json(): entry for entry in side} for side in (before, after))
    found: dict[str, tuple[Change, _Same]] = {said: ("ended", old) for said, old in olds.items() if said not in news}
    found.update({said: ("began", new) for said, new in news.items() if said not in olds})
    return [found[said] for said in sorted(found)]


# The scoped context of one rule at two dates, both read from one snapshot of the store.

# The budget is for prompts. Here it would show a block that it leaves out as one that the law lost.
_WHOLE = 10**9
_MOST_NAMED = 10  # URNs in a message


def compare_dates(
    conn: Connection, grammars: Grammars, reference: str, from_date: date, to_date: date, *, today: date
) -> ContextDiff:
    """Compare C(R) at two dates.

    Args:
        conn: a read connection; its transaction is the snapshot of both contexts.
        reference: a URN, or a reference that names one provision for certain.
        today: the date of "in force" where a reference does not tell.

    Returns:
        The comparison; of status `not_found` or `not_in_force` where there is nothing to compare.

    Raises:
        InputError: the reference may mean several provisions, or cannot be used.
    """
    urn = reference.strip()
    if not is_urn(urn):
        found = resolve_reference(conn, grammars, reference, today=today, at_date=to_date)
        if found.status == "not_found" or found.urn is None or found.hint is not None:
            return _nothing(found, from_date, to_date)
        urn = found.urn
    codes = stored_jurisdictions(conn)
    return compare(_context(conn, grammars, urn, from_date, codes), _context(conn, grammars, urn, to_date, codes))


def _context(conn: Connection, grammars: Grammars, urn: str, at_date: date, jurisdictions: list[str]) -> ScopedContext:
    targets, missing = lookup.find_targets(conn, [urn], at_date)
    if missing is not None:
        return missing
    return assemble_read(conn, grammars, targets, at_date, jurisdictions=jurisdictions, budget_tokens=_WHOLE)


def _nothing(found: Resolution, from_date: date, to_date: date) -> ContextDiff:
    """What comes of a reference that names no provision.

    Raises:
        InputError: it may mean one of several, or one by an uncertain reading.
    """
    if found.status != "not_found":
        urns = [candidate.urn for candidate in found.candidates]
        more = f" and {len(urns) - _MOST_NAMED} more" if len(urns) > _MOST_NAMED else ""
        named = ", ".join(urns[:_MOST_NAMED])
        raise InputError(f"The reference does not name one provision for certain. Give the URN: {named}{more}.")
    sides = (
        lookup.empty_context("not_found", [], day, found.message, found.suggestions) for day in (from_date, to_date)
    )
    return compare(*sides)
