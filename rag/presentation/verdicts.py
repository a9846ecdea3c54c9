"""Verdicts on a text as lines for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rag.law.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rag.citecheck.model import VerifyItem, VerifyResult
    from rag.presentation.page import Page

_STYLES = {"SUPPORTED": "green", "UNVERIFIED": "yellow", "AMBIGUOUS": "yellow", "OUTSIDE_CORPUS": "yellow"}


def show_verified(page: Page, result: VerifyResult, text: str = "") -> None:
    """The verdicts for a reader on a terminal: first the count, then item by item in the order of the text.

    What is to be read comes first: references that were found and need nothing said of them are listed below it.

    Args:
        text: what was checked, for the lines where things stand; empty where its reader needs none.
    """
    one = result.summary
    style = "bold red" if one.failed else "bold green" if one.supported and not one.unverified else "bold yellow"
    said = _counts([item for item in result.items if item.kind != "reference"])
    named = _counts([item for item in result.items if item.kind == "reference"])
    page.line(
        f"Checked at {result.at_date.isoformat()}, statements and quotations: {said}; references: "
        f"{named.replace('supported', 'found')}; {counted(one.not_checked, 'part')} not checked",
        style=style,
    )

    def line_of(start: int) -> str:
        return f", line {text.count(chr(10), 0, start) + 1}" if text else ""

    for warning in result.warnings:
        page.line(warning, style="yellow")
    plain: dict[tuple[str, str], list[str]] = {}  # a reference and what was found -> the lines that have it
    for item in result.items:
        if item.kind == "reference" and item.verdict == "SUPPORTED" and len(item.reasons) == 1:
            plain.setdefault((item.text, item.reasons[0].partition(": ")[2]), []).append(line_of(item.start))
        else:
            _item(page, item, line_of)
    if plain:
        page.gap()
        page.line("References found", style="bold")
    for (reference, found), lines in plain.items():
        page.line(f"{' '.join(reference.split())}{''.join(dict.fromkeys(lines))}: {found}", indent=2, hang=2)
    if result.not_checked:
        page.gap()
        page.line("Not checked", style="bold")
    for part in result.not_checked:
        page.line(f"{part.reason.removesuffix('.')}{line_of(part.start)}:", indent=2, hang=2)
        page.line(" ".join(part.text.split()), indent=4, bar="> ", style="dim")


def _counts(items: Sequence[VerifyItem]) -> str:
    """How many items have which verdict, the most frequent first."""
    of = Counter(item.verdict.lower().replace("_", " ") for item in items).most_common()
    return ", ".join(f"{count} {verdict}" for verdict, count in of) or "none"


def _item(page: Page, item: VerifyItem, line_of: Callable[[int], str]) -> None:
    page.gap()
    where = f"  {item.urn}" if item.urn else ""
    page.line(
        f"{item.verdict}  {item.kind}{line_of(item.start)}{where}", style=_STYLES.get(item.verdict, "bold red"), hang=2
    )
    page.line(" ".join(item.text.split()), indent=2, bar="> ")
    for reason in item.reasons:
        page.line(reason, indent=2, hang=2, style="dim")
