"""The verb doctor: what is set up and what is not, one finding a line, also where there is no server to ask."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from psycopg.conninfo import conninfo_to_dict

from rag import clock
from rag.cli.session import server_folder, session
from rag.ingest.formats import registry as formats
from rag.jurisdictions.registry import Registered
from rag.jurisdictions.tables import has_laws, read_laws
from rag.languages import registry as languages
from rag.models.choice import LOCAL_SERVERS, embedder_of, judge_of, remote_model
from rag.plugins import foreign_points
from rag.settings import Settings
from rag.store.database import Connection, Database
from rag.store.distribution import describe_distribution
from rag.store.embedded_server import server_state, stop_server
from rag.store.requirements import EXTENSIONS, WITHOUT_VECTOR, requirements
from rag.store.schema import check_schema
from rag.verification.judging import Passage, Question
from retrieval.entry_points.dense import check_embedder, model_of, stored_vectors
from retrieval.errors import ConfigurationError, LexscopeError, ProviderError, ProviderTimeout, StoreError
from retrieval.model import Record
from retrieval.providers.model_card import known_languages
from retrieval.providers.multilingual_embedding import MODEL as MULTILINGUAL_MODEL
from retrieval.providers.openai import KEY_REFUSED, UNREACHABLE, is_not_offered
from retrieval.providers.packaged_embedding import PackagedEmbedder
from retrieval.providers.packages import INSTALL, MULTILINGUAL
from retrieval.queries import QUERIES

if TYPE_CHECKING:
    from pathlib import Path

    from rag.models.openai import OpenAIModel, Probed

verbs = typer.Typer(rich_markup_mode=None)

UNCHECKED_DAYS = 180  # after which an override wants to be compared with the court's records again
FREE_BYTES = 1024**3  # less than this on the data folder's disk is worth a word

Status = Literal["ok", "warn", "fail"]


class Check(Record):
    """One finding. `detail` says what was found and, unless it is ok, what to do; it holds no secret."""

    name: str
    status: Status
    detail: str


class Diagnosis(Record):
    """All findings, in the order in which they depend on each other."""

    checks: list[Check]

    @property
    def exit_code(self) -> int:
        """1 where a check failed."""
        return int(any(check.status == "fail" for check in self.checks))


@verbs.command()
def doctor(
    ctx: typer.Context,
    stop: Annotated[bool, typer.Option("--stop", help="Stop an embedded server left by a killed process.")] = False,
    provider: Annotated[
        bool, typer.Option("--provider", help="Ask the configured models for one word each, and nothing else.")
    ] = False,
) -> int:
    """Check server, schema, law and providers.

    Each line is ok, warn or fail, with what to do. Nothing is changed and no model is asked without --provider.
    """
    given = session(ctx)
    try:
        settings = given.settings()
        if stop:
            result = Diagnosis(checks=[stop_leftover(settings)])
        else:
            result = Diagnosis(checks=list(ask_models(settings))) if provider else examine(settings)
    except ConfigurationError as error:
        result = Diagnosis(checks=[Check(name="settings", status="fail", detail=error.message)])
    given.show(result, lambda page: page.table([(check.status, check.name, check.detail) for check in result.checks]))
    return result.exit_code


def examine(settings: Settings) -> Diagnosis:
    """Look at settings, server, store and providers. Nothing is changed; an embedded server is started to be asked,
    but never made.

    Returns:
        The findings; a server that cannot be reached is one of them.
    """
    checks = [_data_folder(settings), *_embedded(settings)]
    if settings.database_url is None and not _is_folder(server_folder(settings)):
        missing = f"no store yet in {settings.data_dir}; `lexscope init` or the first `lexscope ingest` makes one"
        checks.append(_warn("server", missing))
    else:
        checks.extend(_store(settings))
    checks.extend(_providers(settings))
    checks.extend(registered_packages())
    checks.extend(further_laws(settings))
    return Diagnosis(checks=checks)


TEST_SECONDS = 120.0  # of one test call: a local server may have to load its model first
REPLY_TOKENS = 4_000  # what instructions and a reply take besides the scoped context


def ask_models(settings: Settings) -> Iterator[Check]:
    """Ask the model that drafts, and the one that judges where it is another, for one word each.

    Raises:
        ConfigurationError: a setting is missing or wrong.
    """
    if settings.drafts_with in ("extractive", "replay"):
        yield _warn(
            "provider",
            f"{settings.drafts_with}: no model is asked; set OPENAI_API_KEY, or LEXSCOPE_PROVIDER to "
            f"{', '.join(LOCAL_SERVERS)} and LEXSCOPE_OPENAI_MODEL",
        )
    else:
        yield from _asked("provider", remote_model(settings), settings)
    if settings.judges_with == "model" and settings.judge_model is not None:
        yield from _asked("judge", remote_model(settings, settings.judge_model), settings)
    elif settings.judges_with == "local":
        yield _local_judge(settings)


def _local_judge(settings: Settings) -> Check:
    """Load the sentence-pair model, and let it judge whether a sentence follows from itself."""
    sentence = "The landlord shall return the deposit within 30 days."
    question = Question(sentence, "law", (Passage("urn:lex:test", sentence),))
    judge = judge_of(settings)
    started = time.monotonic()
    try:
        found = judge.judge([question], seconds=TEST_SECONDS)[0] if judge else None
    except (ConfigurationError, ProviderError) as error:
        return _fail("judge", error.message)
    took = f"{judge.name if judge else 'none'}: loaded and asked in {time.monotonic() - started:.1f} s"
    if found is None or not found.holds:
        return _fail(
            "judge",
            f"{took}, and is not sure that a sentence follows from itself: another kind of model, or its "
            "config.json names its labels in another order",
        )
    return _ok("judge", took)


def _asked(name: str, model: OpenAIModel, settings: Settings) -> Iterator[Check]:
    from rag.models.openai import models_of, probe

    server = LOCAL_SERVERS.get(model.provider)
    who = f"{model.provider}, model {model.model}"
    try:
        found = probe(model, seconds=TEST_SECONDS, limits_path=server.limits if server else "")
    except ProviderError as error:
        yield _fail(name, f"{who}: {error.cause}; {_what_to_do(error, model, settings)}")
        if is_not_offered(error):
            names = models_of(model, seconds=10.0)
            if names:
                yield _warn(f"{name} models", f"the server has {', '.join(names[:8])}{', ...' * (len(names) > 8)}")
        return
    if found.declined:
        yield _fail(name, f"{who}: it declined a test question ({found.declined}); choose another model")
        return
    tokens = f", {found.usage['output_tokens']} tokens written" if "output_tokens" in found.usage else ""
    yield _ok(name, f"{who}: replied in {found.seconds:.1f} s{tokens}")
    for way, cause in found.passed.items():
        ignored = "the reply did not keep to the schema" if cause.startswith("the reply is unusable") else cause
        yield _warn(f"{name}, {way}", ignored)
    yield _way(name, found, settings)
    yield _limits(name, found, settings, server.more_context if server else "let the server read more")


def _way(name: str, found: Probed, settings: Settings) -> Check:
    way = found.way
    hint = ""
    if found.passed and way is not None and way.api == "chat" and settings.openai_api == "auto":
        hint = "; LEXSCOPE_OPENAI_API=chat saves finding that out each time"
    if way is not None and way.form != "json_schema":
        return _warn(f"{name} schema", f"asked by {way}: replies may be unusable more often{hint}")
    return _ok(f"{name} schema", f"asked by {way}{hint}")


def _limits(name: str, found: Probed, settings: Settings, more: str) -> Check:
    wanted = settings.context_tokens + REPLY_TOKENS
    if found.context_tokens is None:
        return _ok(f"{name} limits", f"the server does not say how much the model reads; {wanted:,} tokens are needed")
    told = f"the model reads {found.context_tokens:,} tokens"
    if found.context_tokens >= wanted:
        return _ok(f"{name} limits", told)
    fits = max(found.context_tokens - REPLY_TOKENS, 500)
    return _warn(
        f"{name} limits",
        f"{told}, and a question takes up to {wanted:,}: {more}, or set LEXSCOPE_CONTEXT_TOKENS={fits}",
    )


def _what_to_do(error: ProviderError, model: OpenAIModel, settings: Settings) -> str:
    server = LOCAL_SERVERS.get(model.provider)
    if isinstance(error, ProviderTimeout):
        return f"it had {TEST_SECONDS:.0f} s; look at the server's log, or choose a smaller model"
    if error.cause in UNREACHABLE.values():
        return (
            f"start {server.name} at {server.base_url}" if server else "check LEXSCOPE_OPENAI_BASE_URL and the network"
        )
    if is_not_offered(error):
        return "check LEXSCOPE_OPENAI_MODEL" + ("" if server else ", LEXSCOPE_OPENAI_BASE_URL and LEXSCOPE_OPENAI_API")
    if error.cause in {KEY_REFUSED.format(status=status) for status in (401, 403)}:
        return "the server wants a key; use LEXSCOPE_PROVIDER=openai" if server else "check OPENAI_API_KEY"
    if settings.openai_api == "responses":
        return "try LEXSCOPE_OPENAI_API=auto, or choose another model"
    return "choose another model, or look at the server's log"


def stop_leftover(settings: Settings) -> Check:
    """Stop an embedded server that a killed process left running.

    Returns:
        What was done; a failure where a living process still uses the server.

    Raises:
        ConfigurationError: its folder is another user's.
    """
    folder = server_folder(settings)
    if settings.database_url is not None:
        return _fail("stop", "the settings name an external server; only the embedded one can be stopped here")
    try:
        stopped = stop_server(folder)
    except StoreError as error:
        return _fail("stop", error.message)
    if not stopped:
        return _ok("stop", f"no embedded server runs in {settings.data_dir}")
    return _ok("stop", f"the embedded server in {settings.data_dir} was stopped")


def registered_packages() -> Iterator[Check]:
    """What other packages register, each loaded, or why it cannot be."""
    loaders: dict[str, Callable[[EntryPoint], object]] = {
        "format": formats.loaded_from,
        "country": lambda point: Registered(point).load(),
        "language": languages.loaded_from,
    }
    for kind, point in foreign_points():
        name = f"{kind} {point.name}"
        try:
            loaders[kind](point)
        except ConfigurationError as error:
            yield _fail(name, error.message)
        else:
            yield _ok(name, f"{point.value}, loaded")


def further_laws(settings: Settings) -> Iterator[Check]:
    """The files of the folder of further laws: whether a country has that name, and whether they can be read."""
    if settings.laws is None:
        return
    if not settings.laws.is_dir():
        yield _warn("laws", f"{settings.laws} is no folder; check LEXSCOPE_LAWS")
    registered = {point.name for kind, point in foreign_points() if kind == "country"}
    for file in sorted(settings.laws.glob("*")):
        name = f"laws {file.name}"
        if file.suffix != ".toml" or not (has_laws(file.stem) or file.stem in registered):
            yield _warn(name, f"{file}: no country reads it; a file is named by the code of one, such as de.toml")
            continue
        try:
            yield _ok(name, f"entries: {len(read_laws(file).laws):,}")
        except ConfigurationError as error:
            yield _fail(name, error.message)


def _ok(name: str, detail: str) -> Check:
    return Check(name=name, status="ok", detail=detail)


def _warn(name: str, detail: str) -> Check:
    return Check(name=name, status="warn", detail=detail)


def _fail(name: str, detail: str) -> Check:
    return Check(name=name, status="fail", detail=detail)


def _is_folder(path: Path) -> bool:
    """Whether there is such a folder; False where one above it may not be entered, which has a line of its own."""
    try:
        return path.is_dir()
    except PermissionError:
        return False


def _data_folder(settings: Settings) -> Check:
    folder = settings.data_dir.expanduser().absolute()
    existing = next(parent for parent in (folder, *folder.parents) if os.access(parent, os.F_OK))
    if not os.access(existing, os.W_OK):
        return _fail("data folder", f"{folder}: {existing} is not writable; set --data-dir or LEXSCOPE_DATA_DIR")
    free = shutil.disk_usage(existing).free
    detail = f"{folder}, {free / 1024**3:.1f} GiB free" + ("" if existing == folder else ", not made yet")
    return (
        _warn("data folder", f"{detail}; make room before ingesting")
        if free < FREE_BYTES
        else _ok("data folder", detail)
    )


def _embedded(settings: Settings) -> Iterator[Check]:
    folder = server_folder(settings)
    if settings.database_url is not None or not _is_folder(folder):
        return
    name, state, stays = "embedded server", server_state(folder), settings.server_idle_seconds
    if state is None:
        after = f"it stays for {stays:.0f} s after the last one" if stays else "it ends with the last one"
        yield _ok(name, f"does not run; the next verb starts it, and {after} (LEXSCOPE_SERVER_IDLE_SECONDS)")
        return
    runs = f"process {state.pid}, since {state.since:%Y-%m-%d %H:%M} UTC"
    if state.used:
        yield _ok(name, f"{runs}, in use; stays for {state.idle_seconds:.0f} s after its last client")
    elif state.idle_left is None:
        yield _warn(name, f"{runs}, left over by killed processes; `lexscope server stop` ends it")
    else:
        yield _ok(name, f"{runs}, not in use; ends in {state.idle_left:.0f} s, or with `lexscope server stop`")


def _store(settings: Settings) -> Iterator[Check]:
    try:
        with Database(settings) as database:
            yield from _reached(database, settings)
    except LexscopeError as error:
        where = "the embedded server" if settings.database_url is None else "the server that the database URL names"
        hint = (
            "look at its log in the data folder"
            if settings.database_url is None
            else "start it, or check --database-url, LEXSCOPE_DATABASE_URL and DATABASE_URL"
        )
        yield _fail("server", f"{where}: {error.message} ({hint})")


def _reached(database: Database, settings: Settings) -> Iterator[Check]:
    with database.admin() as conn:
        version, _, name, role = next(conn.execute(QUERIES["describe_server"]))
        yield _ok("server", _address(database, name, role))
        yield _ok("PostgreSQL", version)
        yield from _requirements(conn)
    try:
        check_schema(database)
    except LexscopeError as error:
        yield _fail("schema", error.message)
        return
    with database.admin() as conn:
        yield _ok("schema", f"version {next(conn.execute(QUERIES['read_schema_version']))[0]:04d}, current")
        above, reads, writes, records, reviews = next(conn.execute(QUERIES["describe_role"]))
        if not database.embedded:
            rights = {"read law": reads, "write law": writes, "record traces": records, "review traces": reviews}
            may = ", ".join(right for right, granted in rights.items() if granted) or "nothing here"
            yield (_warn if above else _ok)(
                "role", f"may {may}" + ("; a superuser: give it a login of the roles in sql/roles.sql" * bool(above))
            )
        rows = {str(one): int(count) for one, count in conn.execute(QUERIES["count_rows"])} if reads else {}
        if reviews:
            rows |= {str(one): int(count) for one, count in conn.execute(QUERIES["count_kept"])}
        yield _ok("rows", ", ".join(f"{one} {count:,}" for one, count in rows.items()))
        models = conn.execute(QUERIES["count_law_readings"]).fetchall() if reads else []
        if models:
            yield _ok("law readings", ", ".join(f"{count:,} windows by {model}" for model, count in models))
        yield from _distribution(conn)
        yield from _jurisdictions(conn)
        yield from _unchecked(conn) if reads else ()
        yield _embedding(conn, settings)
        yield _traces(settings, rows.get("full traces", 0))


def _address(database: Database, name: str, role: str) -> str:
    if database.embedded:
        return database.describe()
    parts = conninfo_to_dict(database.conninfo)
    host = parts.get("host") or parts.get("hostaddr") or "local socket"
    return f"{host}:{parts.get('port') or 5432}, database {name}, role {role}, password not shown"


def _requirements(conn: Connection) -> Iterator[Check]:
    lacking = requirements(conn)
    if lacking.faults:
        yield _fail("requirements", " ".join(lacking.faults))
    if not lacking.vectors:
        yield _warn("pgvector", WITHOUT_VECTOR)
    rows = conn.execute(QUERIES["list_extensions"], {"names": list(EXTENSIONS)}).fetchall()
    rows = [row for row in rows if row[0] != "vector" or lacking.vectors]
    waiting = [name for name, installed, *_ in rows if installed is None]
    moved = [statement for statement in lacking.statements if not statement.startswith("CREATE EXTENSION")]
    if waiting or moved:
        runs = f"an administrator runs: {' '.join(lacking.statements)}" if lacking.statements else "run `lexscope init`"
        absent = f"not created in this database: {', '.join(waiting)}; " if waiting else ""
        yield _warn("extensions", absent + runs)
    else:
        yield _ok("extensions", ", ".join(f"{name} {installed}" for name, installed, *_ in rows))


def _jurisdictions(conn: Connection) -> Iterator[Check]:
    found = conn.execute(QUERIES["count_documents"]).fetchall()
    if not found:
        yield _warn("law", "the store holds none yet; run `lexscope ingest` with a file or folder")
    for code, documents, last in found:
        word = "document" if documents == 1 else "documents"
        yield _ok(f"law {code}", f"{documents} {word}, last ingest {last:%Y-%m-%d %H:%M} UTC")


def _distribution(conn: Connection) -> Iterator[Check]:
    found = describe_distribution(conn)
    if found is None:
        return
    if not found.distributed:
        yield _warn(
            "cluster", "the store is on the coordinator alone; `lexscope init --distribute` distributes a new one"
        )
    elif found.faults:
        yield _fail("cluster", f"{' '.join(found.faults)} `lexscope init --distribute` goes on from here.")
    else:
        yield _ok("cluster", f"distributed by jurisdiction, workers: {found.workers}")


def _unchecked(conn: Connection) -> Iterator[Check]:
    """Overrides that nobody compared with the court's records for long: one that ended unnoticed halts what is law."""
    today = clock.today()
    values = {"today": today, "since": today - timedelta(days=UNCHECKED_DAYS)}
    found = conn.execute(QUERIES["find_unchecked_overrides"], values).fetchall()
    if found:
        named = ", ".join(f"{number} ({pattern})" for number, pattern, *_ in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        yield _warn(
            "overrides",
            f"not checked for {UNCHECKED_DAYS} days, or due: {named}{more}; compare them with the court's, then "
            "`lexscope override check NUMBER`, or import their file again",
        )


def _embedding(conn: Connection, settings: Settings) -> Check:
    vectors = stored_vectors(conn)
    stored, without = vectors.model, vectors.without
    try:
        embedder = embedder_of(settings)
        if embedder is None:
            kept = f"; the store's vectors ({stored.model}) are not searched" if stored else ""
            offered = "" if settings.embedding == "none" else f"; {INSTALL}"
            return _ok("embedding", f"none: the dense leg is off{kept}{offered}")
        wanted = f"{embedder.model}, {embedder.dimensions} dimensions"  # loads a local model
        if stored is None:
            return _warn("embedding", f"{wanted}; nothing is embedded yet, so the dense leg is off")
        if isinstance(embedder, PackagedEmbedder) and embedder.by_default and model_of(embedder) != stored:
            return _warn(
                "embedding",
                f"{wanted}, because no setting names another; the store's vectors come from {stored.model} and are "
                "not searched: set LEXSCOPE_EMBEDDING, or run `lexscope reembed`",
            )
        check_embedder(stored, embedder)
        known = known_languages(embedder)
    except ConfigurationError as error:
        return _fail("embedding", error.message)
    only = f", for law in {', '.join(sorted(known))} only" if known else ""
    if isinstance(embedder, PackagedEmbedder):
        apart = embedder.apart
        without_it = f"law in other languages is searched by words alone without {MULTILINGUAL} ({INSTALL})"
        only = f"; {f'other languages by {MULTILINGUAL_MODEL}' if apart else without_it}"
        if remade := sorted(code for code, edition in vectors.editions.items() if apart.get(code) != edition):
            then = ": run `lexscope reembed`" if apart else ""
            told = f"vectors for {', '.join(remade)} are none of this encoder's{then}"
            return _warn("embedding", f"{wanted}{only}; {told}")
    missing = [f"{code} {rules:,}" for (code, language), rules in without.items() if not known or language in known]
    if missing:
        return _warn("embedding", f"{wanted}{only}; rules without a vector: {', '.join(missing)}; run `lexscope embed`")
    return _ok("embedding", f"{wanted}{only}")


def _traces(settings: Settings, full: int) -> Check:
    held = f"; {full} stored ones hold scenarios" if full else ""
    if settings.traces == "full":
        return _warn("traces", f"full: new ones keep the scenario and the wording of claims{held}")
    return (_warn if full else _ok)("traces", f"{settings.traces}{held}")


def _providers(settings: Settings) -> Iterator[Check]:
    key = "set" if settings.openai_api_key else "not set"
    base = ", own base URL" if settings.openai_base_url else ""
    if settings.judges_with == "none":
        yield _ok("judge", "none: what code neither proves nor refutes is told in the law's own sentence")
    elif settings.judges_with == "model":
        yield _ok("judge", f"the provider's model {settings.judge_model or 'that drafts'}, in calls of its own")
    else:
        try:
            judge = judge_of(settings)
        except ConfigurationError as error:
            yield _fail("judge", error.message)
        else:
            yield _ok("judge", judge.name if judge else "none")
    if settings.drafts_with == "extractive":
        yield _ok("provider", f"extractive, no model; openai: key {key}")
    elif settings.drafts_with == "replay":
        state = "readable" if settings.recordings is not None and settings.recordings.is_file() else "not found"
        yield (_ok if state == "readable" else _fail)("provider", f"replay of recorded answers: file {state}")
    elif server := LOCAL_SERVERS.get(settings.drafts_with):
        try:
            model = remote_model(settings)
        except ConfigurationError as error:
            yield _fail("provider", error.message)
        else:
            yield _ok("provider", f"{server.name} at {server.base_url}, model {model.model}: no key is sent")
    elif settings.openai_api_key is None and settings.openai_base_url is None:
        yield _fail("provider", "openai: key not set; set OPENAI_API_KEY, or LEXSCOPE_PROVIDER=extractive")
    else:
        yield _ok("provider", f"openai, model {settings.openai_model}: key {key}{base}")
