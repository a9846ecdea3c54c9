"""The verb `verify`: the references, quotations and claims of a file or of standard input."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.session import EPILOG, MAX_STDIN_BYTES, AtDate, Jurisdiction, Language, question_text, session
from retrieval.errors import InputError

if TYPE_CHECKING:
    from rag.citecheck.model import NotChecked, VerifyItem, VerifyResult
    from rag.presentation.page import Page

verbs = typer.Typer(rich_markup_mode=None)

_STYLES = {"SUPPORTED": "green", "UNVERIFIED": "yellow", "AMBIGUOUS": "yellow", "OUTSIDE_CORPUS": "yellow"}


@verbs.command(epilog=EPILOG)
def verify(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(help="A text file in UTF-8; `-` is stdin.", metavar="FILE")],
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    at_date: AtDate = None,
) -> int:
    """Check every reference, quote and claim of a memo or of a model's reply.

    Exit status 0 where something was supported and nothing failed, else 3.
    """
    text = question_text("-") if file == "-" else read_text(Path(file))
    with session(ctx).engine() as engine:
        result = engine.verify(text, jurisdiction=jurisdiction, language=language, at_date=at_date)
    session(ctx).show(result, lambda page: show_verified(page, result))
    return result.exit_code


def read_text(file: Path) -> str:
    """The text of a file, its byte order mark left out.

    Raises:
        InputError: it cannot be read, is not UTF-8, or is too large.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_STDIN_BYTES + 1)
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) else "its name cannot be used"
        raise InputError(f"The file cannot be read: {cause}. To verify a text itself, pipe it to `verify -`.") from None
    if len(data) > MAX_STDIN_BYTES:
        raise InputError(f"The file has more than {MAX_STDIN_BYTES} bytes; verify it in parts.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"The file is not UTF-8 text (byte {error.start + 1}).") from None


def show_verified(page: Page, result: VerifyResult) -> None:
    """The verdicts for a reader on a terminal: first the count, then item by item in the order of the text."""
    one = result.summary
    style = "bold red" if one.failed else "bold green" if one.supported and not one.unverified else "bold yellow"
    page.line(
        f"{one.items} checked at {result.at_date.isoformat()}: {one.supported} supported, {one.failed} failed, "
        f"{one.unverified} unverified; {one.not_checked} parts not checked",
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
