"""The verb `synonyms`: everyday phrases and what the law calls them; import, list, starter, suggest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup

from rag.cli.session import EPILOG, session, tell
from rag.law.wording import counted

if TYPE_CHECKING:
    from rag.presentation.page import Page

Limit = Annotated[int, typer.Option(help="Rows at most.", metavar="N", min=1, max=100_000)]
Language = Annotated[str | None, typer.Option(help="Only this language, such as en.", metavar="CODE")]
RowsFile = Annotated[
    Path, typer.Argument(help="CSV with a header line, or a JSON object on each line.", metavar="FILE")
]


def register(app: typer.Typer, group: type[TyperGroup]) -> None:
    """Add the verb to the program, as a group of this class."""
    summary = "Everyday phrases and what the law calls them."
    part = typer.Typer(cls=group, no_args_is_help=True, rich_markup_mode=None, help=summary)
    for name, verb in (
        ("import", synonyms_import), ("list", synonyms_list), ("suggest", synonyms_suggest),
        ("starter", synonyms_starter),
    ):  # fmt: skip
        part.command(name, epilog=EPILOG)(verb)
    app.add_typer(part, name="synonyms")


def synonyms_import(
    ctx: typer.Context,
    file: RowsFile,
    skip_rejected: Annotated[
        bool, typer.Option("--skip-rejected", help="Leave bad lines out, and name them, instead of recording nothing.")
    ] = False,
) -> int:
    """Record synonyms: phrase, target (a term or a URN), language, jurisdiction (* for all), weight, note."""
    from rag.store.reference_data import import_synonyms

    with session(ctx).database() as database:
        found = import_synonyms(database, file, skip_rejected=skip_rejected)
    for one in found.rejected:
        tell(f"rejected {file.name}:{one}")
    session(ctx).show(found, lambda page: page.line(f"Recorded {counted(found.recorded, 'row')}."))
    return 0


def synonyms_list(
    ctx: typer.Context,
    beginning: Annotated[
        str, typer.Argument(help="Only phrases that start so.", metavar="[WORDS]", show_default=False)
    ] = "",
    language: Language = None,
    jurisdiction: Annotated[
        str | None, typer.Option(help="Only what applies in this one; * for what applies in all.", metavar="CODE")
    ] = None,
    limit: Limit = 1000,
) -> int:
    """List synonyms in the order of their phrases."""
    from rag.cli.records import Synonyms
    from rag.store.reference_data import list_synonyms

    with session(ctx).database() as database:
        rows = list_synonyms(database, beginning, limit + 1, language=language, jurisdiction=jurisdiction)
    found = Synonyms(synonyms=rows[:limit], more=len(rows) > limit)

    def lines(page: Page) -> None:
        page.table([
            (one.phrase, one.language, one.jurisdiction or "all", f"{one.weight:g}", one.target)
            for one in found.synonyms
        ])  # fmt: skip
        if found.more:
            page.line(f"The first {limit}; there are more (--limit).", style="bold")
        if not found.synonyms:
            page.line("No synonym is recorded.")

    session(ctx).show(found, lines)
    return 0


def synonyms_suggest(
    ctx: typer.Context,
    language: Language = None,
    jurisdiction: Annotated[
        str | None, typer.Option(help="Only law of this one, such as us-dc.", metavar="CODE")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write a CSV to review, which `import` takes.", metavar="FILE")
    ] = None,
    limit: Limit = 200,
) -> int:
    """Print candidates found in the store's definitions and headings, to be reviewed; nothing is recorded."""
    from rag.store.synonym_suggestions import suggest_synonyms, write_suggestions

    with session(ctx).database() as database:
        found = suggest_synonyms(database, language=language, jurisdiction=jurisdiction, limit=limit)
    if output is not None:
        write_suggestions(found, output)

    def lines(page: Page) -> None:
        page.table([
            (one.phrase, one.language, one.jurisdiction, one.target, f"{one.kind}, {one.urn}")
            for one in found.suggestions
        ])  # fmt: skip
        if found.more:
            page.line(f"The first {limit}; there are more (--limit).", style="bold")
        page.line(
            "Candidates only: nothing was recorded. Review them, then `lexscope synonyms import FILE`."
            if found.suggestions
            else "No candidate was found."
        )

    session(ctx).show(found, lines)
    return 0


def synonyms_starter(
    ctx: typer.Context,
    language: Annotated[
        list[str] | None, typer.Option(help="Only this language; may be given several times.", metavar="CODE")
    ] = None,
) -> int:
    """Record the starter thesauri that ship with the program; a new store has them already."""
    from rag.cli.records import Recorded
    from rag.store.starter import load_starter

    with session(ctx).database() as database:
        result = Recorded(recorded=load_starter(database, language or None))
    session(ctx).show(result, lambda page: page.line(f"Recorded {counted(result.recorded, 'row')}."))
    return 0
