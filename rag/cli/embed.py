"""Verbs about vectors: embed what has none, and take the store over to another model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rag.cli.session import EPILOG, session, tell
from retrieval.errors import ConfigurationError, ProviderError

if TYPE_CHECKING:
    from rag.engine import Engine
    from rag.ingest.writing.embed import EmbedReport, Estimate
    from rag.presentation.page import Page
    from retrieval.providers.embedding import Embedder

EstimateOnly = Annotated[bool, typer.Option("--estimate", help="Say what it would take, and stop there.")]
Price = Annotated[
    float | None,
    typer.Option(help="US dollars for a million tokens; else as the provider lists it.", metavar="USD", min=0.0),
]


def register(app: typer.Typer) -> None:
    """Add the verbs to the program."""
    for verb in (embed, reembed):
        app.command(epilog=EPILOG)(verb)


def embed(ctx: typer.Context, estimate_only: EstimateOnly = False, price: Price = None) -> int:
    """Embed the law that has no vector yet, with the model that the settings name."""
    with session(ctx).engine() as engine:
        return _run(ctx, engine, over=False, estimate_only=estimate_only, price=price)


def reembed(
    ctx: typer.Context,
    model: Annotated[
        str | None, typer.Option(help="The new model: a name, or a local model's folder.", metavar="MODEL")
    ] = None,
    embedding: Annotated[str | None, typer.Option(help="Where it runs: openai or local.", metavar="WHERE")] = None,
    dimensions: Annotated[int | None, typer.Option(help="Size of its vectors.", metavar="N", min=1, max=4000)] = None,
    estimate_only: EstimateOnly = False,
    price: Price = None,
) -> int:
    """Take the store over to another embedding model; the old vectors are searched until all new ones are there."""
    from rag.engine import Engine

    settings = session(ctx).settings(embedding=embedding, embedding_model=model, embedding_dimensions=dimensions)
    with Engine.open(settings) as engine:
        return _run(ctx, engine, over=True, estimate_only=estimate_only, price=price)


def _run(ctx: typer.Context, engine: Engine, *, over: bool, estimate_only: bool, price: float | None) -> int:
    from rag.cli.store import progress
    from rag.ingest.writing.embed import embed_missing, estimate, reembed

    embedder = _configured(engine)
    before = estimate(engine.database, embedder, price=price)
    if estimate_only:
        session(ctx).show(before, lambda page: page.line(_estimated(before)))
        return 0
    tell(_estimated(before))
    run = reembed if over else embed_missing
    try:
        with progress() as report:
            result = run(engine.database, embedder, before=before, report=report)
    except ProviderError:
        tell("What is embedded so far is kept; the same command goes on from there.")
        raise
    session(ctx).show(result, lambda page: _show(page, result))
    return 0


def _configured(engine: Engine) -> Embedder:
    if engine.embedder is None:
        raise ConfigurationError(
            "No embedder is configured. Set OPENAI_API_KEY, or LEXSCOPE_EMBEDDING=local and LEXSCOPE_EMBEDDING_MODEL "
            "to a sentence-transformers model's folder or name."
        )
    return engine.embedder


def _estimated(one: Estimate) -> str:
    cost = "" if one.usd is None else f", about {one.usd:,.2f} USD at most"
    return f"{one.texts:,} texts to embed with {one.model} ({one.dimensions}), about {one.tokens:,} tokens{cost}"


def _show(page: Page, result: EmbedReport) -> None:
    rate = f", {result.texts / result.seconds:,.0f} texts/s" if result.texts and result.seconds else ""
    page.line(f"Embedded {result.texts:,} texts with {result.model} in {result.seconds:.1f} s{rate}")
    if result.reused:
        page.line(f"{result.reused:,} of them took over the vector of the same words", hang=2)
    if result.tokens:
        page.line(f"the provider counted {result.tokens:,} tokens", hang=2)
    if result.shortened:
        page.line(f"{result.shortened:,} texts are embedded by their beginning only", style="yellow", hang=2)
    if result.switched_from is not None:
        page.line(f"The store went over from {result.switched_from}; {result.removed:,} old vectors are gone.")
        page.line(f"Keep the settings in step: LEXSCOPE_EMBEDDING_MODEL and its dimensions, {result.dimensions}.")
