"""Two dates of one scoped context, compared, as lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.law.wording import counted

if TYPE_CHECKING:
    from rag.presentation.page import Page
    from retrieval.context.diff import BlockChange, ContextDiff, DefinitionChange, TextChange
    from retrieval.model import Block

# The roles as a reader meets them, the rule first; a redacted block is under what it was.
ROLES = {
    "rule": "Rule", "ancestor": "What contains it", "definition": "Definitions", "exception": "Exceptions",
    "possible_exception": "Possible exceptions",
    "authority": "Enabling authority", "federal": "Federal law that overlaps", "warning": "Struck by a court",
}  # fmt: skip
REASONS = {
    "shadowing": "a closer definition came or went",
    "scope": "the definition governs another scope",
    "validity": "the words that define began or ended",
    "use": "the words that need the term changed",
    "wording": "the definition is read otherwise",
}
# A provision of which less stayed is more likely another one under the same number than an amended one.
_SAME_PROVISION = 0.5


def show_diff(page: Page, result: ContextDiff) -> None:
    """A comparison for a reader on a terminal: `-` what only the earlier date has, `+` the later, `~` what changed."""
    days = f"{result.before.at_date.isoformat()} -> {result.after.at_date.isoformat()}"
    targets = list(dict.fromkeys([*result.before.targets, *result.after.targets]))
    page.line(f"{', '.join(targets)}  {days}" if targets else days, style="bold")
    if result.equal and result.status == "compared":
        page.line(
            f"No difference: the context is the same at both dates, {counted(result.unchanged, 'block')}.",
            style="green",
        )
    for message in dict.fromkeys(side.message for side in (result.before, result.after) if side.message):
        page.line(message, style="bold yellow", hang=2)
    if result.message:
        page.line(result.message, style="yellow", hang=2)
    for urn in result.suggestions:
        page.line(f"near: {urn}", hang=4)
    if result.before.status == result.after.status:
        for role, title in ROLES.items():
            _role(page, result, role, title)
        _definitions(page, result.definitions)
    else:
        _one_sided(page, result)
    _notices(page, result)
    if result.before.status == result.after.status == "ok" and not result.equal:
        page.gap()
        order = "; the blocks of both dates are in a different order" if result.reordered else ""
        page.line(f"unchanged: {counted(result.unchanged, 'block')}{order}", style="dim")


def _one_sided(page: Page, result: ContextDiff) -> None:
    """The rule where it has a context at one date only; a rule that a court halts at the other is not gone there."""
    halted = "halted" in (result.before.status, result.after.status)
    _role(page, result, "rule", "Rule, in force at both dates" if halted else "Rule", marked=not halted)
    blocks = sum(block.role != "rule" for block in (*result.added, *result.removed))
    notices = sum(
        not change.compared for change in (*result.preemption, *result.warnings, *result.omitted, *result.prevails_over)
    )
    rest = [counted(count, name) for count, name in ((blocks, "block"), (notices, "notice")) if count]
    if rest:
        here = result.before if result.before.status == "ok" else result.after
        read = f"`lexscope context {here.targets[0]} --at-date {here.at_date.isoformat()}` shows them"
        page.line(f"and {' and '.join(rest)} of its context at {here.at_date.isoformat()}; {read}", style="dim", hang=2)


def _role(page: Page, result: ContextDiff, role: str, title: str, *, marked: bool = True) -> None:
    removed = [block for block in result.removed if block.role == role]
    added = [block for block in result.added if block.role == role]
    changed = [change for change in result.changed if _home(change) == role]
    if not (removed or added or changed):
        return
    page.gap()
    page.line(title, style="bold")
    told = {block.urn for block in (*removed, *added, *changed)}
    around = [change for change in changed if _only_around(change, told)]
    for change in changed:
        if change not in around:
            _change(page, change, rules=result.after.targets, told=told)
    for block in removed:
        _block(page, block, *(("- ", "red") if marked else ("  ", "")), told)
    for block in added:
        _block(page, block, *(("+ ", "green") if marked else ("  ", "")), told)
    if around:
        page.line(
            f"{counted(len(around), 'block')} more changed only by the words around them, shown above", style="dim"
        )


def _only_around(change: BlockChange, told: set[str]) -> bool:
    """Whether nothing but lead-in and flush changed, and they are shown where they stand."""
    own = {"heading", "text", "role", "reason"}.isdisjoint(change.fields)
    return own and bool(change.texts) and change.to_block.parent_urn in told


def _home(change: BlockChange) -> str:
    """The role under which a changed block is shown."""
    return change.to_block.role if change.from_block.role == "warning" else change.from_block.role


def _block(page: Page, block: Block, mark: str, style: str, told: set[str]) -> None:
    """A whole block; its lead-in only where the block that it comes from is not shown anyway."""
    page.line(f"{block.urn}  {block.heading}".rstrip(), style=style, hang=2, first=mark)
    around = block.parent_urn not in told
    for text in (block.lead_in if around else "", block.text, block.flush if around else ""):
        if text:
            page.line(text, style=style, indent=4)


def _change(page: Page, change: BlockChange, *, rules: list[str], told: set[str]) -> None:
    old, new = change.from_block, change.to_block
    shown = [text for text in change.texts if text.field not in ("lead_in", "flush") or new.parent_urn not in told]
    page.line(f"{change.urn}  {new.heading}".rstrip(), style="yellow", hang=2, first="~ ")
    if old.role != new.role:
        page.line(f"{old.role} -> {new.role}", indent=4)
        for block, mark, style in ((old, "- ", "red"), (new, "+ ", "green")):
            if block.text:
                page.line(block.text, style=style, indent=4, hang=2, first=mark)
    for text in shown:
        if text.field == "text" and change.urn in rules and old.text and new.text and text.similarity < _SAME_PROVISION:
            note = f"{text.similarity:.0%} of the words stayed: perhaps another provision under the same number"
            page.line(note, indent=4, hang=2)
        _text(page, text)
    if (old.valid_from, old.valid_to) != (new.valid_from, new.valid_to):
        same = "" if change.texts or old.role != new.role else "a new version with the same words; "
        page.line(f"{same}{_force(old)}, then {_force(new)}", indent=4, hang=2, style="dim")
    if old.reason != new.reason:
        page.line(f"{old.reason} -> {new.reason}", indent=4, hang=2, style="dim")


def _text(page: Page, change: TextChange) -> None:
    """A changed text as it was and as it became; long pieces that are the same are shortened."""
    label = "" if change.field == "text" else f"{change.field.replace('_', '-')}: "
    spans = change.spans
    old = new = ""
    for position, one in enumerate(spans):
        if one.op == "equal":
            kept = _shortened(one.from_text, start=position > 0, end=position < len(spans) - 1)
            old, new = old + kept, new + kept
        else:
            old += f"[-{one.from_text}-]" if one.from_text else ""
            new += f"[+{one.to_text}+]" if one.to_text else ""
    if "[-" in old:
        page.line(label + old, style="red", indent=4, hang=2, first="- ")
    if "[+" in new:
        page.line(label + new, style="green", indent=4, hang=2, first="+ ")


def _shortened(text: str, *, start: bool, end: bool, words: int = 8) -> str:
    """A text that is the same on both sides with no more than its first and last words.

    Args:
        start: a change is before it, so its first words matter.
        end: a change is after it.
        words: how many stay at each end.
    """
    parts = text.split(" ")
    if len(parts) <= words * 2:
        return text
    head = " ".join(parts[:words]) + " " if start else ""
    tail = " " + " ".join(parts[-words:]) if end else ""
    return f"{head}...{tail}"


def _force(block: Block) -> str:
    since = block.valid_from.isoformat() if block.valid_from else "an unknown date"
    until = f" until {block.valid_to.isoformat()}" if block.valid_to else ""
    return f"in force from {since}{until}"


def _definitions(page: Page, changes: list[DefinitionChange]) -> None:
    if changes:
        page.gap()
        page.line("Governing definitions", style="bold")
    for change in changes:
        old, new = (
            ", ".join(f"{each.urn} (scope {each.scope_urn})" for each in side) or "none"
            for side in (change.from_definitions, change.to_definitions)
        )
        page.line(f"{change.term}, for {change.user}: {REASONS[change.reason]} ({change.reason})", hang=2, first="~ ")
        page.line(old, style="red", indent=4, hang=2, first="- ")
        page.line(new, style="green", indent=4, hang=2, first="+ ")


def _notices(page: Page, result: ContextDiff) -> None:
    """Overrides, preemption, other warnings and what is left out, where they are at one date only.

    What belongs to a context that the other date has none beside is counted with its blocks.
    """
    told: list[tuple[str, str]] = []
    for notice in result.overrides:
        it = notice.override
        note = "" if notice.reason == "validity" else "; in effect at both dates"
        told.append((notice.change, f"OVERRIDE {it.status} {it.urn}: {it.court}, {it.court_citation}{note}"))
    told += [(overlap.change, overlap.warning.message) for overlap in result.preemption if overlap.compared]
    told += [
        (notice.change, f"{notice.warning.kind}: {notice.warning.message}")
        for notice in result.warnings
        if notice.compared
    ]
    told += [
        (notice.change, f"left out: {notice.omitted.urn}, {notice.omitted.reason}")
        for notice in result.omitted
        if notice.compared
    ]
    told += [
        (notice.change, f"{notice.prevails_over.by} applies notwithstanding {notice.prevails_over.urn}")
        for notice in result.prevails_over
        if notice.compared
    ]
    if told:
        page.gap()
        page.line("Overrides, preemption and warnings", style="bold")
    for change, text in told:
        began = change == "began"
        page.line(f"{change}: {text}", style="green" if began else "red", hang=2, first="+ " if began else "- ")
