"""Verdicts on a text as lines for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rag.law.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rag.citecheck.model import NotChecked, VerifyItem, VerifyResult
    from rag.presentation.page import Page

_STYLES = {"SUPPORTED": "green", "UNVERIFIED": "yellow", "AMBIGUOUS": "yellow", "OUTSIDE_CORPUS": "yellow"}


def show_verified(page: Page, result: VerifyResult) -> None:
    """The verdicts for a reader on a terminal: first the count, then item by item in the order of the text."""
    one = result.summary
    style = "bold red" if one.failed else "bold green" if one.supported and not one.unverified else "bold yellow"
    said = _counts([item for item in result.items if item.kind != "reference"])
    named = _counts([item for item in result.items if item.kind == "reference"])
    page.line(
        f"Checked at {result.at_date.isoformat()}, statements and quotations: {said}; references: "
        f"{named.replace('supported', 'found')}; {counted(one.not_checked, 'part')} not checked",
        style=style,
    )
    for warning in result.warnings:
        page.line(warning, style="yellow")
    for item in result.items:
        _item(page, item)
    if result.not_checked:
        page.gap()
        page.line("Not checked", style="bold")
    for part in result.not_checked:
        _part(page, part)


def _counts(items: Sequence[VerifyItem]) -> str:
    """How many items have which verdict, the most frequent first."""
    of = Counter(item.verdict.lower().replace("_", " ") for item in items).most_common()
    return ", ".join(f"{count} {verdict}" for verdict, count in of) or "none"


def _item(page: Page, item: VerifyItem) -> None:
    page.gap()
    where = f"  {item.urn}" if item.urn else ""
    page.line(
        f"{item.verdict}  {item.kind} at {item.start}{where}", style=_STYLES.get(item.verdict, "bold red"), hang=2
    )
    page.line(" ".join(item.text.split()), indent=2, bar="> ")
    for reason in item.reasons:
        page.line(reason, indent=2, hang=2, style="dim")


def _part(page: Page, part: NotChecked) -> None:
    page.line(f"at {part.start}: {part.reason}", indent=2, hang=2)
    page.line(" ".join(part.text.split()), indent=4, bar="> ", style="dim")
