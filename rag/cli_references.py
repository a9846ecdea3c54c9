"""Verbs about references: resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli_ask import NOTHING_FOUND, AtDate, Jurisdiction, Language
from rag.cli_session import EPILOG, question_text, session
from retrieval.errors import InputError

if TYPE_CHECKING:
    from rag.cli_output import Page
    from retrieval.model import Resolution

Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="A tag the provision must have; may be repeated.", metavar="KEY=VALUE")
]


def register(app: typer.Typer) -> None:
    """Add the verbs to the program."""
    app.command(epilog=EPILOG)(resolve)


def resolve(
    ctx: typer.Context,
    reference: Annotated[
        str, typer.Argument(help="As it is cited, or a URN or id; `-` is stdin.", metavar="REFERENCE")
    ],
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    at_date: AtDate = None,
    tag: Tags = None,
) -> int:
    """Find the provision that a reference names, or list what it may mean."""
    text = question_text(reference)
    tags = tag_pairs(tag or [])
    with session(ctx).engine() as engine:
        result = engine.resolve(text, jurisdiction=jurisdiction, language=language, at_date=at_date, tags=tags)
    session(ctx).show(result, lambda page: show_resolution(page, result))
    return 0 if result.urn is not None else NOTHING_FOUND


def tag_pairs(given: list[str]) -> dict[str, str]:
    """Options of the form KEY=VALUE.

    Raises:
        InputError: one has another form, or a key stands twice.
    """
    pairs: dict[str, str] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals or not key or not value or key in pairs:
            raise InputError("--tag has the form KEY=VALUE, each key once.")
        pairs[key] = value
    return pairs


def show_resolution(page: Page, result: Resolution) -> None:
    """A resolution for a reader on a terminal."""
    if result.urn is not None:
        [first] = [one for one in result.candidates if one.urn == result.urn][:1]
        page.line(result.urn, style="bold")
        if first.title:
            page.line(first.title, hang=2)
        page.line(f"{_force(first.valid_from, first.valid_to)}", hang=2)
    else:
        page.line(f"{result.status.replace('_', ' ')}: {result.message}", style="bold")
        for one in result.candidates:
            hint = f"  ({one.hint})" if one.hint else ""
            page.line(f"{one.urn}  {one.title}{hint}", hang=4)
        for urn in result.suggestions:
            page.line(f"near: {urn}", hang=4)
    for warning in result.warnings:
        page.line(f"warning: {warning}", style="yellow", hang=2)


def _force(valid_from: object, valid_to: object) -> str:
    start = f"in force from {valid_from}" if valid_from else "in force from an unknown date"
    return f"{start} until {valid_to}" if valid_to else start
