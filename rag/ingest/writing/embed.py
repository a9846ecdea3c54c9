"""Vectors for the dense leg: one model per store, unchanged text never embedded twice, indexes built last.

To put a vector into an HNSW index costs about six times as much as its share of building the index over all vectors
at once. So the first vectors of a jurisdiction, and as many new ones as make it cheaper to build the index anew, are
written without one. Until the run's end search compares them all, which is exact and slower; a run that was killed
before its end leaves the building to the next one. Few vectors need no index at all.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pgvector import HalfVector
from psycopg.types.json import Jsonb

from rag.ingest.writing.progress import Progress
from rag.ingest.writing.sections import make_sections
from rag.store.database import Connection, Database
from rag.store.requirements import WITHOUT_VECTOR
from rag.store.schema import partition_name
from retrieval.entry_points.dense import (
    EDITIONS,
    WITHOUT_VECTORS,
    StoredModel,
    check_embedder,
    model_of,
    stored_editions,
    stored_model,
)
from retrieval.entry_points.sources import stored_sources
from retrieval.errors import ConfigurationError, ProviderError, StoreError
from retrieval.model import Record
from retrieval.nodes import stored_jurisdictions
from retrieval.providers.embedding import Embedder, EmbeddingBatch, embedded, in_language
from retrieval.providers.model_card import known_languages
from retrieval.providers.packaged_embedding import PackagedEmbedder
from retrieval.queries import QUERIES, fill

LIVE_VECTORS = 1000  # so many new vectors of a run go into an index whatever it holds
_SHARE = 0.25  # new vectors for each one in the index, from which on building it anew is cheaper
# Fewer vectors are compared one by one in as many milliseconds as an index takes, and exactly.
EXACT_BELOW = 5000
PAGE = 1000  # texts that are embedded and written at once: what a killed run loses at most

Advance = Callable[[int], None]
Embed = Callable[[Embedder, list[str], Advance | None], EmbeddingBatch]


@dataclass(slots=True)
class Embedded:
    """What embedding came to."""

    texts: int = 0  # versions that have a vector now and had none of this text before
    reused: int = 0  # of them, with a vector that the same words had already
    shortened: int = 0  # too long for the model, and represented by their beginning only
    tokens: int = 0  # as the provider counted them; 0 where it does not


class Vectors:
    """Writes the vectors of one run; `index_vectors` ends it.

    Args:
        embedder: whose vectors are written.
        embed: asks the embedder; by default once, and a failure is the caller's.
        beside: write them beside those of the store's model, as what the store is to go over to.
    """

    def __init__(
        self, database: Database, embedder: Embedder, *, embed: Embed | None = None, beside: bool = False
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._embed = embed or embedded
        self._beside = beside
        self._written: Counter[str] = Counter()  # jurisdiction -> vectors of this run
        self._before: dict[str, int] = {}  # jurisdiction -> vectors ahead of this run

    def embed_document(self, jurisdiction: str, document_id: int, *, changed: bool = False) -> Embedded:
        """Embed what of a document has no vector yet, each node with what `find_texts_to_embed` says.

        Args:
            changed: whether it was written just now: a new heading or part changes the texts of others.

        Raises:
            ConfigurationError: the store has another model.
            ProviderError: the provider failed; the law stays stored and searchable without vectors.
        """
        return self._embed_pages(jurisdiction, document_id, stale=changed)

    def embed_jurisdiction(self, jurisdiction: str, advance: Advance | None = None) -> Embedded:
        """Embed what has no vector yet, or one of words that it no longer has; see `embed_document`.

        Args:
            advance: called with the number of texts, as they are embedded.
        """
        return self._embed_pages(jurisdiction, None, stale=True, advance=advance)

    def _embed_pages(
        self, jurisdiction: str, document_id: int | None, *, stale: bool, advance: Advance | None = None
    ) -> Embedded:
        done, after = Embedded(), -1
        model: StoredModel | None = None
        while True:
            with self._database.read() as conn:
                if model is None:
                    model = self._checked_model(conn)
                values = {
                    "jurisdiction": jurisdiction, "document_id": document_id, "after": after, "stale": stale,
                    "model": model.space, "languages": sorted(known_languages(self._embedder)), "limit": PAGE,
                }  # fmt: skip
                rows = conn.execute(QUERIES["find_texts_to_embed"], values).fetchall()
            if rows:
                self._embed_page(jurisdiction, model, rows, done, advance)
                after = rows[-1][0]
            if len(rows) < PAGE:
                return done

    def _checked_model(self, conn: Connection) -> StoredModel:
        """The embedder's model.

        Raises:
            ConfigurationError: it is not the store's, and is not to be beside it; or the store has no vectors at all.
        """
        if conn.adapters.types.get("vector") is None:
            raise ConfigurationError(f"No vectors can be made: {WITHOUT_VECTOR}.")
        known = stored_model(conn)
        if known is not None and not self._beside:
            check_embedder(known, self._embedder)
        return model_of(self._embedder)

    def _embed_page(
        self,
        jurisdiction: str,
        model: StoredModel,
        rows: list[tuple[int, str, str, str]],
        done: Embedded,
        advance: Advance | None,
    ) -> None:
        ids, hashes = [row[0] for row in rows], [row[2] for row in rows]
        values = {"jurisdiction": jurisdiction, "model": model.space, "hashes": hashes}
        with self._database.read() as conn:
            vectors = dict[str, str](conn.execute(QUERIES["find_embeddings_by_text"], values).fetchall())
        missing: dict[str, dict[str, str]] = defaultdict(dict)  # language -> text by its hash, which tells the language
        for _, text, digest, language in rows:
            if digest not in vectors:
                missing[language][digest] = text
        absent = sum(map(len, missing.values()))
        done.reused += sum(digest in vectors for digest in hashes)
        told = 0

        def tell(count: int) -> None:
            nonlocal told
            count = min(count, absent - told)  # what a second try embeds again was told
            told += count
            if advance is not None and count > 0:
                advance(count)

        for language, texts in missing.items():
            batch = self._embed(in_language(self._embedder, language), list(texts.values()), tell)
            done.shortened += batch.shortened
            done.tokens += batch.tokens
            vectors.update(zip(texts, (HalfVector(vector).to_text() for vector in batch.vectors), strict=True))
        with self._database.write() as conn:
            conn.execute(QUERIES["lock_vectors"], {"jurisdiction": jurisdiction})
            if not self._beside:
                self._claim_store(conn, model, {row[3] for row in rows})
            self._make_way(conn, jurisdiction, model, len(rows))
            values = {**values, "ids": ids, "vectors": [vectors[digest] for digest in hashes]}
            conn.execute(QUERIES["forget_sections"], values)
            conn.execute(QUERIES["write_embeddings"], values)
        done.texts += len(rows)
        if advance is not None and len(rows) > told:
            advance(len(rows) - told)

    def _claim_store(self, conn: Connection, model: StoredModel, languages: Collection[str]) -> None:
        """Make sure that the store has this model and keeps it until these vectors are written.

        Raises:
            ConfigurationError: it went over to another one meanwhile.
        """
        value = Jsonb({"model": model.model, "dimensions": model.dimensions})
        conn.execute(QUERIES["write_store_setting"], {"key": "embedding_model", "value": value})
        editions = _editions(self._embedder)
        if editions := {code: editions[code] for code in sorted(editions.keys() & languages)}:
            conn.execute(QUERIES["complete_store_setting"], {"key": EDITIONS, "value": Jsonb(editions)})
        row = conn.execute(QUERIES["lock_store_setting"], {"key": "embedding_model"}).fetchone()
        if row is not None:
            check_embedder(StoredModel(**row[0]), self._embedder)

    def _make_way(self, conn: Connection, jurisdiction: str, model: StoredModel, count: int) -> None:
        """Drop the index that vectors are about to go into, where it is cheaper to build it anew."""
        if jurisdiction not in self._before:
            values = {"jurisdiction": jurisdiction, "model": model.space}
            row = conn.execute(QUERIES["count_embeddings"], values).fetchone()
            self._before[jurisdiction] = row[0] if row else 0
        self._written[jurisdiction] += count
        if self._written[jurisdiction] > max(LIVE_VECTORS, self._before[jurisdiction] * _SHARE):
            drop_index(conn, jurisdiction, model)


def index_vectors(database: Database, model: StoredModel | None = None, *, exact_below: int = EXACT_BELOW) -> list[str]:
    """Build the vector indexes that are missing, whichever run left them to be built.

    Args:
        model: whose vectors; the store's by default.
        exact_below: a jurisdiction with fewer vectors gets none.

    Returns:
        The jurisdictions whose index was built now.
    """
    with database.read() as conn:
        wanted = model or stored_model(conn)
        if wanted is None:
            return []
        stored = stored_jurisdictions(conn)
        indexes = {"jurisdictions": stored, "indexes": [index_name(code, wanted) for code in stored]}
        missing = [
            code
            for (code,) in conn.execute(QUERIES["find_missing_indexes"], indexes).fetchall()
            if _has_vectors(conn, code, wanted, max(exact_below, 1))
        ]
    for jurisdiction in missing:
        with database.write() as conn:
            conn.execute(QUERIES["lock_vector_index"], {"jurisdiction": jurisdiction})
            index = {
                "partition": partition_name(jurisdiction), "index": index_name(jurisdiction, wanted),
                "dimensions": wanted.dimensions, "model": wanted.space,
            }  # fmt: skip
            conn.execute(QUERIES["create_vector_index"], index)
    return missing


def count_rules_without_vectors(database: Database, documents: Mapping[str, Sequence[int]] | None = None) -> None:
    """Note how many rules of each jurisdiction and language have no vector, for searches to say so.

    Args:
        documents: jurisdiction -> ids of the documents that changed; all documents where it does not say, which takes
            as long as reading all nodes.
    """
    with database.read() as conn:
        model = stored_model(conn)
        if model is None:
            return
        jurisdictions = stored_jurisdictions(conn)
    for code in documents if documents is not None else jurisdictions:
        changed = None if documents is None else documents[code]
        with database.write() as conn:
            values = {"jurisdiction": code, "model": model.space, "document_ids": changed}
            conn.execute(QUERIES["count_rules_without_vectors"], values)
    with database.read() as conn:
        rows = conn.execute(QUERIES["sum_rules_without_vectors"], {"jurisdictions": jurisdictions}).fetchall()
    with database.write() as conn:
        conn.execute(
            QUERIES["change_store_setting"], {"key": WITHOUT_VECTORS, "value": Jsonb([list(row) for row in rows])}
        )


def _has_vectors(conn: Connection, jurisdiction: str, model: StoredModel, least: int) -> bool:
    values = {"jurisdiction": jurisdiction, "model": model.space, "least": least}
    return next(conn.execute(QUERIES["has_vectors"], values))[0]


def drop_index(conn: Connection, jurisdiction: str, model: StoredModel) -> None:
    """Drop a jurisdiction's index over a model's vectors, if there is one."""
    conn.execute(QUERIES["drop_vector_index"], {"index": index_name(jurisdiction, model)})


def index_name(jurisdiction: str, model: StoredModel) -> str:
    """The name of a jurisdiction's index over a model's vectors."""
    digest = hashlib.sha256(model.space.encode()).hexdigest()[:8]
    return f"{partition_name(jurisdiction)}_{digest}_hnsw_idx"


# Embedding a whole store: what has no vector yet, and going over to another model.
#
#     estimate -> embed page by page, each written at once -> index -> switch -> remove the old model's vectors
#
# The new model's vectors are written beside the old ones, which are searched until the switch: one row of one
# transaction, so that every reader sees the one or the other. A run that ends before it, however it ends, leaves the
# store as it was, and the next one goes on where it stopped.

# US dollars for a million tokens, as OpenAI listed them in 2026; `--price` overrides.
PRICES = {"text-embedding-3-small": 0.02, "text-embedding-3-large": 0.13, "text-embedding-ada-002": 0.10}
TRIES, PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 6, 2.0, 60.0

Report = Callable[[Progress], None]


class Estimate(Record):
    """What is to be embedded. Tokens are rather too many than too few; texts that repeat are counted each time."""

    model: str
    dimensions: int
    texts: int
    tokens: int
    usd: float | None  # at the price given, or the listed one of a known model


class EmbedReport(Record):
    """What `embed` or `reembed` did."""

    model: str
    dimensions: int
    estimate: Estimate
    texts: int = 0  # that have a vector now and had none of these words before
    reused: int = 0  # of them, with a vector that the same words had already
    shortened: int = 0  # too long for the model, and represented by their beginning only
    tokens: int = 0  # as the provider counted them; 0 where it does not
    switched_from: str | None = None  # the model whose vectors were searched before, where the store went over
    removed: int = 0  # vectors of other models that are gone now
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a provider that fails for the moment is asked again, beyond its own retry."""

    tries: int = TRIES
    pause_seconds: float = PAUSE_SECONDS  # doubled each time, up to a minute

    def asking(self) -> Embed:
        """What `Embedder.embed` does, this patiently; raises what it raises in the end."""

        def embed(embedder: Embedder, texts: list[str], advance: Advance | None) -> EmbeddingBatch:
            for attempt in range(self.tries - 1):
                try:
                    return embedded(embedder, texts, advance)
                except ProviderError as error:
                    if not error.retryable:
                        raise
                time.sleep(min(self.pause_seconds * 2**attempt, LONGEST_PAUSE_SECONDS))
            return embedded(embedder, texts, advance)

        return embed


def estimate(database: Database, embedder: Embedder, *, price: float | None = None) -> Estimate:
    """What an embedder would have to embed, before anything is sent.

    Args:
        embedder: asked for its model only.
        price: US dollars for a million tokens; the listed price of a known model by default.
    """
    model = model_of(embedder)
    statement = fill(QUERIES["count_texts_to_embed"], texts=QUERIES["find_texts_to_embed"])
    texts = tokens = 0
    with database.read() as conn:
        for jurisdiction in stored_jurisdictions(conn):
            values = {
                "jurisdiction": jurisdiction, "document_id": None, "after": -1, "stale": True,
                "model": model.space, "languages": sorted(known_languages(embedder)), "limit": None,
            }  # fmt: skip
            row = conn.execute(statement, values).fetchone()
            texts, tokens = (texts + row[0], tokens + row[1]) if row else (texts, tokens)
    rate = PRICES.get(model.model) if price is None else price
    usd = None if rate is None else round(tokens * rate / 1_000_000, 4)
    return Estimate(model=model.model, dimensions=model.dimensions, texts=texts, tokens=tokens, usd=usd)


def embed_missing(
    database: Database, embedder: Embedder, *, before: Estimate, report: Report | None = None,
    patience: Patience | None = None,
) -> EmbedReport:  # fmt: skip
    """Embed what has no vector yet, or one of words that it no longer has.

    Args:
        embedder: the store's model, or any where the store has none yet.
        before: the estimate, for the report and for the progress.
        report: called as texts are embedded.
        patience: with a provider that fails for the moment.

    Raises:
        ConfigurationError: the store has another model.
        ProviderError: the provider failed; what is embedded stays so.
    """
    with database.read() as conn:
        known = stored_model(conn)
    if known is not None:
        check_embedder(known, embedder)
    started = time.monotonic()
    embed = (patience or Patience()).asking()
    done = _embed_all(database, Vectors(database, embedder, embed=embed), before, report, started)
    index_vectors(database)
    make_sections(database)
    count_rules_without_vectors(database)
    return _report(before, done, started)


def reembed(
    database: Database, embedder: Embedder, *, before: Estimate, report: Report | None = None,
    patience: Patience | None = None,
) -> EmbedReport:  # fmt: skip
    """Take the store over to an embedder's model; see `embed_missing` for the arguments.

    Vectors of languages that something else makes now are removed first, and what they were of is searched by words
    until it is embedded anew.

    Raises:
        StoreError: another process does so at this moment.
        ProviderError: the provider failed; the old vectors are searched, and the next run goes on from here.
    """
    started = time.monotonic()
    target = model_of(embedder)
    with _alone(database):
        with database.read() as conn:
            current = stored_model(conn)
        _remove_remade(database, embedder)
        embed = (patience or Patience()).asking()
        vectors = Vectors(database, embedder, embed=embed, beside=True)
        done = _embed_all(database, vectors, before, report, started)
        index_vectors(database, target)
        while (late := _embed_all(database, vectors, before, None, started)).texts:  # what was ingested meanwhile
            _add(done, late)
            index_vectors(database, target)
        make_sections(database, model=target)
        _switch(database, target)
        removed = _remove_others(database, target)
        count_rules_without_vectors(database)
    switched = current.model if current is not None and current != target else None
    return _report(before, done, started).model_copy(update={"switched_from": switched, "removed": removed})


def _embed_all(
    database: Database, vectors: Vectors, before: Estimate, report: Report | None, started: float
) -> Embedded:
    done = Embedded()
    with database.read() as conn:
        jurisdictions = stored_jurisdictions(conn)
    behind = 0
    for jurisdiction in jurisdictions:

        def advance(count: int, label: str = jurisdiction) -> None:
            nonlocal behind
            behind += count
            if report is not None:
                seconds = time.monotonic() - started
                ahead = max(before.texts - behind, 0)
                total = max(before.texts, behind)
                report(Progress(behind, total, label, behind, seconds, seconds * ahead / behind))

        _add(done, vectors.embed_jurisdiction(jurisdiction, advance))
    return done


def _add(done: Embedded, more: Embedded) -> None:
    done.texts += more.texts
    done.reused += more.reused
    done.shortened += more.shortened
    done.tokens += more.tokens


def _report(before: Estimate, done: Embedded, started: float) -> EmbedReport:
    return EmbedReport(
        model=before.model, dimensions=before.dimensions, estimate=before, texts=done.texts, reused=done.reused,
        shortened=done.shortened, tokens=done.tokens, seconds=round(time.monotonic() - started, 3),
    )  # fmt: skip


def _switch(database: Database, target: StoredModel) -> None:
    value = Jsonb({"model": target.model, "dimensions": target.dimensions})
    with database.write() as conn:
        conn.execute(QUERIES["change_store_setting"], {"key": "embedding_model", "value": value})


def _remove_others(database: Database, target: StoredModel) -> int:
    """Remove vectors and indexes of all models but one, in one transaction; returns how many vectors."""
    with database.write() as conn:
        jurisdictions = stored_jurisdictions(conn)
        values = {"jurisdictions": jurisdictions, "kept": [target.space]}
        for (space,) in conn.execute(QUERIES["find_vector_models"], values).fetchall():
            model, _, dimensions = space.rpartition("/")
            if space != target.space and dimensions.isdecimal():
                for jurisdiction in jurisdictions:
                    drop_index(conn, jurisdiction, StoredModel(model, int(dimensions)))
        conn.execute(QUERIES["forget_sections_of_models"], values)
        return conn.execute(QUERIES["delete_embeddings"], values).rowcount


def _editions(embedder: Embedder) -> dict[str, str]:
    return dict(embedder.apart) if isinstance(embedder, PackagedEmbedder) else {}


def _remove_remade(database: Database, embedder: Embedder) -> None:
    """Remove the vectors of languages that something else makes now."""
    editions = _editions(embedder)
    if not editions:
        return
    with database.write() as conn:
        stored = stored_editions(conn)
        held = {source.language for source in stored_sources(conn)}
        editions = {code: editions[code] for code in editions.keys() & held}
        languages = sorted(code for code, edition in editions.items() if stored.get(code, edition) != edition)
        if not languages:
            return
        for jurisdiction in stored_jurisdictions(conn):
            values = {"jurisdiction": jurisdiction, "model": model_of(embedder).space, "languages": languages}
            conn.execute(QUERIES["lock_vectors"], {"jurisdiction": jurisdiction})
            conn.execute(QUERIES["forget_sections_of_languages"], values)
            conn.execute(QUERIES["delete_embeddings_of_languages"], values)
        value = Jsonb({**stored, **{code: editions[code] for code in languages}})
        conn.execute(QUERIES["change_store_setting"], {"key": EDITIONS, "value": value})


@contextmanager
def _alone(database: Database) -> Generator[None]:
    """Only one process takes a store over to another model at a time.

    Raises:
        StoreError: another one does.
    """
    with database.admin() as conn:
        row = conn.execute(QUERIES["try_reembed_lock"]).fetchone()
        if row is None or not row[0]:
            raise StoreError("Another process is taking this store over to another embedding model; wait for its end.")
        yield
