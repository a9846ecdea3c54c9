"""The dense leg: nearest nodes by the store's one embedding model.

A partition with an index is searched through it, approximately, unless the planner finds it cheaper to compare all; a
small one has none, and is searched exactly. The nearest vectors come first, and the first of their nodes that pass the
filters are taken. Where too few of them do, more are looked at, and in the end all nodes that pass are compared: there
are never fewer than match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from operator import itemgetter
from typing import Any, LiteralString

from pgvector import HalfVector
from psycopg import sql

from retrieval.cluster import Sent, Several, is_distributed, send_each
from retrieval.entry_points.bm25 import Candidate
from retrieval.entry_points.lexical import LEG_LIMIT, Filters, LegHit, Section, send
from retrieval.errors import ConfigurationError
from retrieval.nodes import Connection, id_array, name_array, record_row
from retrieval.providers.embedding import Embedder
from retrieval.queries import QUERIES, fill

# Similarities of nodes that another leg found, so that fusion compares like with like. Pure.


def similar_hits(found: Iterable[Candidate]) -> list[LegHit]:
    """Nodes that have a similarity, scored by it, in their order."""
    return [
        LegHit._make((*candidate[:5], candidate.similarity)) for candidate in found if candidate.similarity is not None
    ]


def with_similarities(
    nearest: Sequence[LegHit], others: Sequence[LegHit], similarities: Mapping[tuple[str, int], float]
) -> list[LegHit]:
    """The dense leg's ranking, followed by the nodes of other legs that it did not reach, by their similarity.

    A node without a vector has no similarity and is left out.

    Args:
        nearest: what the dense leg found.
        others: what other legs found.
        similarities: of these by jurisdiction and version id, where they have one.
    """
    known = {(leg_hit.jurisdiction, leg_hit.id) for leg_hit in nearest}
    missing = {key: leg_hit for leg_hit in others if (key := (leg_hit.jurisdiction, leg_hit.id)) not in known}
    scored = [one._replace(score=similarities[key]) for key, one in missing.items() if key in similarities]
    return [*nearest, *sorted(scored, key=lambda one: (-one.score, one.urn, one.id))]


# How many of the nearest vectors are looked at for the leg's limit of nodes in the language searched: as many as the
# search of an index has at hand anyway (hnsw.ef_search). Where these are too few, an index goes on as far as it takes
# about as long as to compare all nodes that pass.
_REACH, _FAR_REACH = 4 * LEG_LIMIT, 40 * LEG_LIMIT


# The store's setting that says how many rules have no vector: a list of (jurisdiction, language, rules).
WITHOUT_VECTORS = "rules_without_vectors"
# The store's setting that names what made the vectors of the languages that stand apart (`PackagedEmbedder.apart`):
# language -> edition. Dictionaries did once.
EDITIONS = "dictionaries"


@dataclass(frozen=True, slots=True)
class StoredModel:
    """The model that the store's vectors come from."""

    model: str
    dimensions: int

    @property
    def space(self) -> str:
        """What tells its vectors from another model's, and from its own of another size."""
        return f"{self.model}/{self.dimensions}"


def stored_model(conn: Connection) -> StoredModel | None:
    """The store's embedding model; None where nothing is embedded."""
    row = conn.execute(QUERIES["read_store_setting"], {"key": "embedding_model"}).fetchone()
    return StoredModel(**row[0]) if row else None


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """What a store says of its vectors.

    Attributes:
        model: where they come from; None where there are none.
        without: how many rules have none, by jurisdiction and language, as the last ingest or `embed` left them; what
            has all its vectors is left out.
        editions: by language, what made its vectors where that is not the model; see `EDITIONS`.
    """

    model: StoredModel | None
    without: Mapping[tuple[str, str], int]
    editions: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> StoredVectors:
        """From the settings that `VECTOR_SETTINGS` names."""
        model = settings.get("embedding_model")
        without = {(code, language): rules for code, language, rules in settings.get(WITHOUT_VECTORS, [])}
        return cls(StoredModel(**model) if model else None, without, settings.get(EDITIONS, {}))


VECTOR_SETTINGS = ("embedding_model", WITHOUT_VECTORS, EDITIONS)


def stored_vectors(conn: Connection) -> StoredVectors:
    """What the store says of its vectors."""
    rows = conn.execute(QUERIES["read_store_settings"], {"keys": list(VECTOR_SETTINGS)}).fetchall()
    return StoredVectors.of(dict(rows))


def stored_editions(conn: Connection) -> dict[str, str]:
    """By language, what made the store's vectors where that is not the model; see `EDITIONS`."""
    row = conn.execute(QUERIES["read_store_setting"], {"key": EDITIONS}).fetchone()
    return row[0] if row else {}


def model_of(embedder: Embedder) -> StoredModel:
    """The model that an embedder's vectors come from."""
    return StoredModel(embedder.model, embedder.dimensions)


def check_embedder(stored: StoredModel, embedder: Embedder) -> None:
    """Refuse a vector of another model.

    Raises:
        ConfigurationError: the embedder is not the store's model.
    """
    if model_of(embedder) != stored:
        raise ConfigurationError(
            f"This store's vectors come from {stored.model} ({stored.dimensions} dimensions), the settings say "
            f"{embedder.model} ({embedder.dimensions}). Set LEXSCOPE_EMBEDDING, LEXSCOPE_EMBEDDING_MODEL and "
            "LEXSCOPE_EMBEDDING_DIMENSIONS to the store's, or take the store over to the new model with "
            "`lexscope reembed`."
        )


def vector_values(vector: list[float], stored: StoredModel) -> dict[str, object]:
    """What the statements of the legs bind for a question's embedding by the store's model."""
    return {"vector": HalfVector(vector), "model": stored.space}


@dataclass(frozen=True, slots=True)
class DenseSearch:
    """A search for the nearest nodes that was sent; in a pipeline the server works on it while the caller goes on."""

    _conn: Connection
    _dimensions: int
    _filters: Filters
    _values: Mapping[str, object]
    _read: int
    _sent: Sent[Candidate]
    _beside: Sent[Candidate] | None = None

    def by_words(self) -> list[Candidate]:
        """What words find, in any order, where it was sent with this search."""
        return self._beside.fetchall() if self._beside else []

    def nearest(self) -> list[Candidate]:
        """Nearest nodes by cosine similarity, nearest first, ties by URN: as many as match, up to the leg's limit."""
        found = self._merged(self._sent)
        if len(found) < LEG_LIMIT and self._values["reach"] == _REACH:
            found = self._again(QUERIES["search_nearest"], _FAR_REACH)
        if len(found) < LEG_LIMIT:
            found = self._again(QUERIES["search_all_vectors"], 0)
        return found

    def _again(self, search: LiteralString, reach: int) -> list[Candidate]:
        statement = _statement(search, self._filters.predicate, self._dimensions)
        return self._merged(_send(self._conn, statement, {**self._values, "reach": reach}))

    def _merged(self, sent: Sent[Candidate]) -> list[Candidate]:
        """The rows of one statement as they are; those for several jurisdictions as one statement would give them."""
        found = sent.fetchall()
        if isinstance(sent, Several):
            found = sorted(found, key=lambda one: (-(one.similarity or 0.0), one.urn, one.id))[:LEG_LIMIT]
            found[self._read :] = [row._replace(words="") for row in found[self._read :]]
        return found


def send_dense(
    conn: Connection,
    near: Mapping[str, object],
    dimensions: int,
    filters: Filters,
    *,
    lexemes: Sequence[str] = (),
    read: int = 0,
    beside: tuple[LiteralString, Mapping[str, object]] | None = None,
) -> DenseSearch:
    """Send a search for the nearest nodes.

    Args:
        near: the question's embedding and its space, as `vector_values` makes them.
        dimensions: of the store's model.
        filters: jurisdictions, language, date and further predicates.
        lexemes: words whose places in the nearest nodes are wanted.
        read: of how many of the nearest.
        beside: what finds candidates by words, for the same filters and lexemes, as `candidates_statement` makes it;
            sent in one statement with the search for the nearest, but on a cluster, which sends that to each worker.
    """
    # A filter may leave few of the nearest, and what it asks for costs more than to look at more of them.
    reach = _FAR_REACH if filters.where else _REACH
    values = {
        **near, "limit": LEG_LIMIT, "reach": reach, "lexemes": list(lexemes), "read": read, **filters.values
    }  # fmt: skip
    statement = _statement(QUERIES["search_nearest"], filters.predicate, dimensions)
    if beside is None:
        return DenseSearch(conn, dimensions, filters, values, read, _send(conn, statement, values))
    by_words, more = beside
    if is_distributed(conn):
        found = send(conn, by_words, more)
        return DenseSearch(conn, dimensions, filters, values, read, _send(conn, statement, values), found)
    rows = _send_both(conn, by_words, statement, {**more, **values})
    return DenseSearch(conn, dimensions, filters, values, read, _Half(rows, nearest=True), _Half(rows, nearest=False))


def _send_both(
    conn: Connection, by_words: LiteralString, nearest: LiteralString, values: Mapping[str, object]
) -> Callable[[], Sequence[tuple[Any, ...]]]:
    """Send both searches as one statement; the rows, waited for where they are read first."""
    statement = fill(QUERIES["search_both"], candidates=by_words, ranked=nearest)
    return cache(conn.cursor(binary=True).execute(statement, values).fetchall)


class _Half:
    """The rows of one leg, of the statement that searches both."""

    def __init__(self, rows: Callable[[], Sequence[tuple[Any, ...]]], *, nearest: bool) -> None:
        self._rows, self._nearest = rows, nearest

    def fetchall(self) -> list[Candidate]:
        """The candidates in any order, or the nearest in theirs."""
        rows = [row for row in self._rows() if (row[-1] is not None) == self._nearest]
        if self._nearest:
            rows.sort(key=itemgetter(-1))
        return [Candidate._make(row[:-1]) for row in rows]


def _send(conn: Connection, statement: LiteralString, values: Mapping[str, object]) -> Sent[Candidate]:
    return send_each(conn, statement, values, rows=record_row(Candidate), binary=True)


def find_sections(
    conn: Connection, near: Mapping[str, object], legs: Mapping[str, Sequence[LegHit]], filters: Filters
) -> dict[tuple[str, int], Section]:
    """Where the nodes that legs found stand; of each section how near the mean of its vectors lies to the question, how
    long it is, and what it is part of.

    Args:
        near: the question's embedding and its space, as `vector_values` makes them.
        legs: what each found; those of the dense leg are scored by their similarity.
    """
    rules = {(hit.jurisdiction, hit.id): hit.rule_id for hits in legs.values() for hit in hits}
    asked = sorted({(code, rule) for (code, _), rule in rules.items()})
    values = {
        **near, "codes": name_array(code for code, _ in asked), "rules": id_array(rule for _, rule in asked),
        "jurisdictions": filters.values["jurisdictions"], "at_date": filters.at_date,
    }  # fmt: skip
    rows = send_each(conn, QUERIES["find_section_vectors"], values, binary=True).fetchall() if asked else []
    stored = {(code, rule): (Section(*told), parts) for code, rule, *told, parts in rows}
    own = {(hit.jurisdiction, hit.id): hit.score for hit in legs.get("dense", ())}
    sections: dict[tuple[str, int], Section] = {}
    for key, rule in rules.items():
        if known := stored.get((key[0], rule)):
            section, parts = known
            alone = parts == 1 and section.similarity is None
            sections[key] = section._replace(similarity=own.get(key)) if alone else section
    if missing := sorted(rules.keys() - sections.keys()):
        sections |= _derived_sections(conn, near, missing, filters)
    return sections


def _derived_sections(
    conn: Connection, near: Mapping[str, object], keys: Sequence[tuple[str, int]], filters: Filters
) -> dict[tuple[str, int], Section]:
    """The same of nodes of which nothing is stored, made of the vectors themselves."""
    values = {
        **near, "codes": name_array(code for code, _ in keys), "ids": id_array(node for _, node in keys),
        "days": [filters.at_date] * len(keys), "jurisdictions": filters.values["jurisdictions"],
    }  # fmt: skip
    rows = send_each(
        conn, fill(QUERIES["find_sections"], sections=QUERIES["derive_sections"]), values, binary=True
    ).fetchall()
    return {(code, node): Section(*told) for code, nodes, *told in rows for node in nodes}


def search_dense(conn: Connection, vector: list[float], stored: StoredModel, filters: Filters) -> list[LegHit]:
    """Nearest nodes by cosine similarity, as `DenseSearch.nearest`.

    Args:
        vector: the question's embedding, `stored.dimensions` long.
        filters: jurisdictions, language, date and further predicates.
    """
    search = send_dense(conn, vector_values(vector, stored), stored.dimensions, filters)
    return similar_hits(search.nearest())


@lru_cache(maxsize=64)
def _statement(search: LiteralString, predicate: LiteralString, dimensions: int) -> LiteralString:
    """The whole of a search for the nearest, made once for all questions with the same filters."""
    nearest = fill(search, filters=predicate, dimensions=sql.Literal(dimensions))
    return fill(QUERIES["read_nearest"], nearest=nearest)
