"""Verbs that find and read: search, browse, documents, document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from rag.cli.session import NOTHING_FOUND, AtDate, Jurisdiction, Language, one_of, question_text, session
from retrieval.errors import InputError

if TYPE_CHECKING:
    from retrieval.entry_points.request import Mode

verbs = typer.Typer(rich_markup_mode=None)

MODES = ("keyword", "semantic", "hybrid")

Tags = Annotated[
    list[str] | None,
    typer.Option(
        "--tag", metavar="KEY=VALUE",
        help="A filter, such as kind=decision; may be repeated. Values: a, !=a, a|b, !=a|b, * (has it), !* (has not).",
    ),
]  # fmt: skip
Limit = Annotated[int | None, typer.Option(help="Entries on a page. [50]", metavar="N", min=1, max=100)]
Offset = Annotated[int, typer.Option(help="Entries to pass over.", metavar="N", min=0)]


def filters(name: str, given: list[str] | None, form: str = "KEY=VALUE") -> dict[str, str]:
    """Options of the form KEY=VALUE; the value may begin with an operator that has an equals sign itself.

    Args:
        name: of the option, for messages.
        form: how its help calls that form.

    Raises:
        InputError: one has another form, or a key stands twice.
    """
    pairs: dict[str, str] = {}
    for option in given or []:
        key, equals, value = option.partition("=")
        if key.endswith("!"):  # kind!=record is what people write for kind=!=record
            key, value = key[:-1], f"!={value}"
        if not equals or not key or not value or key in pairs:
            raise InputError(f"{name} has the form {form}, each {form.partition('=')[0].lower()} once.")
        pairs[key] = value
    return pairs


@verbs.command()
def search(
    ctx: typer.Context,
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION",
            help='Words, in quotes; `-` reads them from stdin. "a phrase" and a AND b are required, a OR b one of '
            "them, -word excluded. Without it: what fits the filters, latest first.",
        ),
    ] = None,
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    tag: Tags = None,
    edge: Annotated[
        list[str] | None,
        typer.Option(help="Has an edge to it: cites=URN; *=ID for any kind; a|b either, a&b both.", metavar="KIND=ID"),
    ] = None,
    discover: Annotated[
        str | None,
        typer.Option(
            help="Count the values of this tag in place of results: `*` lists the tags, edge_kinds the kinds of edges.",
            metavar="KEY",
        ),
    ] = None,
    at_date: AtDate = None,
    date_from: Annotated[str | None, typer.Option(help="Dated on this day or later.", metavar="YYYY-MM-DD")] = None,
    date_to: Annotated[str | None, typer.Option(help="Dated on this day or earlier.", metavar="YYYY-MM-DD")] = None,
    no_synonyms: Annotated[bool, typer.Option("--no-synonyms", help="Search the question's own words alone.")] = False,
    mode: Annotated[
        str,
        typer.Option(help="By words (keyword), meaning (semantic, after `embed`) or both (hybrid).", metavar="MODE"),
    ] = "hybrid",
    rerank: Annotated[bool, typer.Option("--rerank", help="Order the best anew by LEXSCOPE_RERANKER.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(help="Results on a page. [LEXSCOPE_CANDIDATES, 10]", metavar="N", min=1, max=100),
    ] = None,
    offset: Offset = 0,
) -> int:
    """Find candidate rules for a question, or what fits filters.

    By citations, synonyms and words, and by meaning where `lexscope embed` has run. It lists; `ask` answers.
    """
    from rag.presentation.listing import show_search

    chosen = cast("Mode", one_of("--mode", mode, MODES))
    tags, edges = filters("--tag", tag), filters("--edge", edge, "KIND=ID")
    text = None if question is None else question_text(question)
    if text is None and not (tags or edges or discover or date_from or date_to):
        raise InputError("Give a question, or --tag, --edge, --date-from, --date-to or --discover.")
    result = session(ctx).asked(
        lambda engine: engine.search(
            text, jurisdiction=jurisdiction, language=language, tags=tags, edges=edges, discover=discover,
            at_date=at_date, date_from=date_from, date_to=date_to, should_expand_synonyms=not no_synonyms, mode=chosen,
            rerank=rerank, limit=limit, offset=offset,
        )
    )  # fmt: skip
    session(ctx).show(result, lambda page: show_search(page, result))
    return 0 if result.results or result.values else NOTHING_FOUND


@verbs.command()
def browse(
    ctx: typer.Context,
    root: Annotated[
        str | None, typer.Argument(help="URN, id or reference to begin at; all roots without.", metavar="URN")
    ] = None,
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    tag: Tags = None,
    depth: Annotated[int, typer.Option(help="Levels below the root, 0 to 20.", metavar="N", min=0)] = 2,
    provisions: Annotated[bool, typer.Option("--provisions", help="List articles and sections too.")] = False,
    at_date: AtDate = None,
    limit: Limit = None,
    offset: Offset = 0,
) -> int:
    """Show the structure of the law: titles, parts and chapters."""
    from rag.presentation.listing import show_structure
    from rag.searching import PAGE

    result = session(ctx).asked(
        lambda engine: engine.browse_structure(
            language=language, tags=filters("--tag", tag), jurisdiction=jurisdiction, root_id=root, depth=depth,
            provisions=provisions, at_date=at_date, limit=PAGE if limit is None else limit, offset=offset,
        )
    )  # fmt: skip
    return session(ctx).show(result, lambda page: show_structure(page, result), 0 if result.sections else NOTHING_FOUND)


@verbs.command()
def documents(
    ctx: typer.Context,
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    type: Annotated[
        str | None, typer.Option(help="legislation, decision, record ... or a tag `type`; a|b.", metavar="TYPE")
    ] = None,
    tag: Tags = None,
    at_date: AtDate = None,
    limit: Limit = None,
    offset: Offset = 0,
) -> int:
    """List the documents of the store, each with its number of chunks."""
    from rag.presentation.listing import show_documents
    from rag.searching import PAGE

    result = session(ctx).asked(
        lambda engine: engine.list_documents(
            jurisdiction=jurisdiction, language=language, type=type, tags=filters("--tag", tag), at_date=at_date,
            limit=PAGE if limit is None else limit, offset=offset,
        )
    )  # fmt: skip
    session(ctx).show(result, lambda page: show_documents(page, result))
    return 0 if result.documents else NOTHING_FOUND


@verbs.command()
def document(
    ctx: typer.Context,
    reference: Annotated[
        str, typer.Argument(help="As it is cited, or a URN or id; `-` is stdin.", metavar="REFERENCE")
    ],
    jurisdiction: Jurisdiction = None,
    language: Language = None,
    highlight: Annotated[
        str | None, typer.Option(help="Only blocks with these words, and one beside each.", metavar="WORDS")
    ] = None,
    blocks: Annotated[str | None, typer.Option(help="Only these blocks, such as 30-50.", metavar="RANGE")] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", help="A tag it must have; may be repeated.", metavar="KEY=VALUE")
    ] = None,
    at_date: AtDate = None,
) -> int:
    """Read a provision, a decision or a whole document.

    The text as published, block by block; what courts did to it is told with it.
    """
    from rag.presentation.listing import show_document

    text = question_text(reference)
    result = session(ctx).asked(
        lambda engine: engine.document(
            text, jurisdiction=jurisdiction, language=language, highlight=highlight, blocks=blocks, at_date=at_date,
            tags=filters("--tag", tag),
        )
    )  # fmt: skip
    session(ctx).show(result, lambda page: show_document(page, result))
    return 0 if result.status == "ok" else NOTHING_FOUND
