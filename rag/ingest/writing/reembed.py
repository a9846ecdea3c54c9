"""Embedding a whole store: what has no vector yet, and going over to another model.

    estimate -> embed page by page, each written at once -> index -> switch -> remove the old model's vectors

The new model's vectors are written beside the old ones, which are searched until the switch: one row of one
transaction, so that every reader sees the one or the other. A run that ends before it, however it ends, leaves the
store as it was, and the next one goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg import sql
from psycopg.types.json import Jsonb

from rag.ingest.writing.embed import Embed, Embedded, Vectors, drop_index, index_vectors
from rag.ingest.writing.progress import Progress
from rag.store.database import Database
from retrieval.entry_points.dense import StoredModel, check_embedder, model_of, stored_model
from retrieval.errors import ProviderError, StoreError
from retrieval.model import Record
from retrieval.nodes import stored_jurisdictions
from retrieval.providers.embedding import Embedder, EmbeddingBatch
from retrieval.queries import QUERIES

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

    def asking(self, embedder: Embedder) -> Embed:
        """An embedder's `embed` that is this patient; raises what it raises in the end."""

        def embed(texts: list[str]) -> EmbeddingBatch:
            for attempt in range(self.tries - 1):
                try:
                    return embedder.embed(texts)
                except ProviderError as error:
                    if not error.retryable:
                        raise
                time.sleep(min(self.pause_seconds * 2**attempt, LONGEST_PAUSE_SECONDS))
            return embedder.embed(texts)

        return embed


def estimate(database: Database, embedder: Embedder, *, price: float | None = None) -> Estimate:
    """What an embedder would have to embed, before anything is sent.

    Args:
        database: an open store.
        embedder: asked for its model only.
        price: US dollars for a million tokens; the listed price of a known model by default.
    """
    model = model_of(embedder)
    statement = sql.SQL(QUERIES["count_texts_to_embed"]).format(texts=sql.SQL(QUERIES["find_texts_to_embed"]))
    texts = tokens = 0
    with database.read() as conn:
        for jurisdiction in stored_jurisdictions(conn):
            values = {
                "jurisdiction": jurisdiction, "document_id": None, "after": -1, "stale": True,
                "model": model.space, "limit": None,
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
        database: an open store.
        embedder: the store's model, or any where the store has none yet.
        before: the estimate, for the report and for the progress.
        report: called after each page.
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
    embed = (patience or Patience()).asking(embedder)
    done = _embed_all(database, Vectors(database, embedder, embed=embed), before, report, started)
    index_vectors(database)
    return _report(before, done, started)


def reembed(
    database: Database, embedder: Embedder, *, before: Estimate, report: Report | None = None,
    patience: Patience | None = None,
) -> EmbedReport:  # fmt: skip
    """Take the store over to an embedder's model; see `embed_missing` for the arguments.

    Raises:
        StoreError: another process does so at this moment.
        ProviderError: the provider failed; the old vectors are searched, and the next run goes on from here.
    """
    started = time.monotonic()
    target = model_of(embedder)
    with _alone(database):
        with database.read() as conn:
            current = stored_model(conn)
        embed = (patience or Patience()).asking(embedder)
        vectors = Vectors(database, embedder, embed=embed, beside=True)
        done = _embed_all(database, vectors, before, report, started)
        index_vectors(database, target)
        while (late := _embed_all(database, vectors, before, None, started)).texts:  # what was ingested meanwhile
            _add(done, late)
            index_vectors(database, target)
        _switch(database, target)
        removed = _remove_others(database, target)
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
        return conn.execute(QUERIES["delete_embeddings"], values).rowcount


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
