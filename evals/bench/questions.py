"""Words and vectors for the invented law of `synthetic`, and natural questions about it whose answer is known.

Texts follow Zipf's law: words common to all statutes, words of the section's topic, and rare ones; the same topics
occur in every jurisdiction. Vectors are a topic, a jurisdiction and noise of 64 hidden dimensions in 384. A question
has four content words of one node and two that every statute has; its vector is the node's own, disturbed.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from pgvector import HalfVector
from psycopg.types.json import Jsonb

from evals.bench.kept import Furnish, without_slow_indexes
from rag.ingest.writing.embed import index_vectors
from rag.ingest.writing.sections import make_sections
from rag.store.database import Connection, Database
from rag.store.schema import ensure_partition
from retrieval.entry_points.dense import StoredModel
from retrieval.nodes import stored_jurisdictions

AT = date(2026, 1, 1)
MODEL = StoredModel("bench", 384)
TOPICS, TOPIC_WORDS, RARE_WORDS, HIDDEN, NOISES = 400, 60, 30_000, 64, 2048
WORDS_OF_A_TEXT = 40
STATUTORY = [
    *("person", "shall", "section", "any", "under", "agency", "within", "days", "notice", "record", "written", "part"),
    *("subsection", "required", "order", "license", "provided", "commission", "before", "after", "term", "such"),
    *("application", "state", "board", "department", "rule", "may", "upon", "date", "purpose", "report", "pursuant"),
    *("authority", "request", "information", "made", "other", "received", "approval", "hearing", "issue", "period"),
]
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en", "il", "or")]

UPDATE = """update legal_nodes n set content_text = w.words, intro_text = '',
    fts = setweight(to_tsvector('english', n.heading), 'A') || setweight(to_tsvector('english', w.words), 'D'),
    fts_length = length(to_tsvector('english', w.words))
from bench_words w where n.jurisdiction = w.jurisdiction and n.id = w.id"""
STATISTICS = """insert into lexeme_stats (jurisdiction, language, lexeme, document_frequency)
    select n.jurisdiction, n.language, u.lexeme, count(*) from legal_nodes n cross join lateral unnest(n.fts) u
    group by 1, 2, 3;
insert into language_stats (jurisdiction, language, nodes, words)
    select jurisdiction, language, count(*), sum(fts_length) from legal_nodes where fts_length > 0 group by 1, 2"""
VECTORS = """insert into node_embeddings (jurisdiction, node_version_id, model, text_hash, validity, embedding)
select n.jurisdiction, n.id, %(model)s, md5(n.id::text), n.validity, t.v + j.v + a.v + b.v
from bench_words w
join legal_nodes n on n.jurisdiction = w.jurisdiction and n.id = w.id
join bench_parts t on t.kind = 'topic' and t.name = w.topic::text
join bench_parts j on j.kind = 'jurisdiction' and j.name = w.jurisdiction
join bench_parts a on a.kind = 'noise' and a.name = (n.id * 7919 %% %(noises)s)::text
join bench_parts b on b.kind = 'noise' and b.name = (n.id * 104729 / 64 %% %(noises)s)::text"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one node: its words, the node's jurisdiction, version id and URN, and vectors.

    `vector` is near the node's own; `foreign` is near a node of another jurisdiction, as when the words fit other law
    better than the law that is searched.
    """

    text: str
    jurisdiction: str
    node: int
    urn: str
    vector: list[float]
    foreign: list[float]


class Vocabulary:
    """The words that there are, by seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        words = list(dict.fromkeys(self._word() for _ in range(3 * (RARE_WORDS + TOPICS * TOPIC_WORDS) // 2)))
        self.topics = [words[at * TOPIC_WORDS : (at + 1) * TOPIC_WORDS] for at in range(TOPICS)]
        self.rare = words[TOPICS * TOPIC_WORDS :][:RARE_WORDS]
        self.weights = {n: list(itertools.accumulate(1 / (k + 2) for k in range(n))) for n in (
            len(STATUTORY), TOPIC_WORDS, len(self.rare)
        )}  # fmt: skip

    def _word(self) -> str:
        return "".join(self.rng.choices(SYLLABLES, k=self.rng.choice((2, 3, 3, 4))))

    def text(self, topic: int) -> str:
        """A text of a topic."""
        drawn = [
            *self._drawn(STATUTORY, WORDS_OF_A_TEXT * 9 // 20),
            *self._drawn(self.topics[topic], WORDS_OF_A_TEXT * 6 // 20),
            *self._drawn(self.rare, WORDS_OF_A_TEXT * 5 // 20),
        ]
        self.rng.shuffle(drawn)
        return " ".join(drawn)

    def _drawn(self, words: Sequence[str], count: int) -> list[str]:
        return self.rng.choices(words, cum_weights=self.weights[len(words)], k=count)


def furnish(database: Database, *, seed: int = 7) -> None:
    """Give the nodes of a `synthetic` store words, search vectors, statistics and embeddings, and index them."""
    with database.read() as conn:
        jurisdictions = stored_jurisdictions(conn)
    for jurisdiction in jurisdictions:
        ensure_partition(database, jurisdiction)
    with without_slow_indexes(database):
        _fill(database, seed, jurisdictions)
    index_vectors(database)
    make_sections(database)


# For `kept_store`: stores that outlive a benchmark.
WITH_WORDS = Furnish("words", 1, lambda database, seed: furnish(database, seed=seed))


def _fill(database: Database, seed: int, jurisdictions: Sequence[str]) -> None:
    words = Vocabulary(seed)
    with database.write() as conn:
        conn.execute("create table bench_words (jurisdiction text, id bigint, topic integer, words text)")
        conn.execute("create table bench_parts (kind text, name text, v halfvec)")
        rows = list(_words(conn, words))  # read before the connection is busy with copying
        with conn.cursor() as cursor, cursor.copy("copy bench_words from stdin") as copy:
            for row in rows:
                copy.write_row(row)
        with conn.cursor() as cursor, cursor.copy("copy bench_parts from stdin") as copy:
            for kind, name, vector in _parts(words.rng, jurisdictions):
                copy.write_row((kind, name, HalfVector(vector)))
        conn.execute("analyze bench_words; analyze bench_parts")
        conn.execute(UPDATE)
        conn.execute(STATISTICS)
        conn.execute(VECTORS.encode(), {"model": MODEL.space, "noises": NOISES})
        conn.execute("drop table bench_words, bench_parts")
        value = Jsonb({"model": MODEL.model, "dimensions": MODEL.dimensions})
        conn.execute("insert into store_settings (key, value) values ('embedding_model', %s)", [value])
    with database.admin() as conn:
        # As an ingest leaves it: a document's nodes side by side, and no dead rows.
        conn.execute("cluster legal_nodes using legal_nodes_pkey")


def _words(conn: Connection, words: Vocabulary) -> Iterator[tuple[str, int, int, str]]:
    """Texts of all searchable versions; the nodes of a section share its topic, and versions all but three words."""
    found = conn.execute(
        "select jurisdiction, id, node_id, rule_id from legal_nodes where kind <> 'section' order by jurisdiction, id"
    ).fetchall()
    topics: dict[tuple[str, int], int] = {}
    texts: dict[tuple[str, int], str] = {}
    for jurisdiction, version, node, rule in found:
        topic = topics.setdefault((jurisdiction, rule), words.rng.randrange(TOPICS))
        text = texts.get((jurisdiction, node))
        if text is None:
            text = words.text(topic)
            if version == node:
                texts[jurisdiction, node] = text
        else:
            text = " ".join([*text.split()[3:], *words.text(topic).split()[:3]])
        yield jurisdiction, version, topic, text


def _parts(rng: random.Random, jurisdictions: Sequence[str]) -> Iterator[tuple[str, str, list[float]]]:
    basis = [[rng.gauss(0, 1) for _ in range(HIDDEN)] for _ in range(MODEL.dimensions)]
    for kind, names, size in (
        ("topic", [str(number) for number in range(TOPICS)], 1.0),
        ("jurisdiction", list(jurisdictions), 0.5),
        ("noise", [str(number) for number in range(NOISES)], 0.5),
    ):
        for name in names:
            hidden = [rng.gauss(0, size / 100) for _ in range(HIDDEN)]
            yield kind, name, [sum(a * b for a, b in zip(row, hidden, strict=True)) for row in basis]


def questions(conn: Connection, count: int, *, seed: int = 7) -> list[Question]:
    """Questions about nodes in force, drawn by seed."""
    rng = random.Random(seed)
    rows = conn.execute(
        "select n.jurisdiction, n.id, n.urn, n.content_text, e.embedding"
        " from legal_nodes n join node_embeddings e on e.jurisdiction = n.jurisdiction and e.node_version_id = n.id"
        " where n.validity @> %s::date order by md5(n.id::text || %s::text) limit %s",
        [AT, str(seed), 2 * count],
    ).fetchall()
    common = set(STATUTORY)
    found: list[Question] = []
    for jurisdiction, node, urn, text, embedding in rows[:count]:
        content = sorted({word for word in text.split() if word not in common})
        asked = [*rng.sample(content, min(4, len(content))), *rng.sample(STATUTORY, 2)]
        rng.shuffle(asked)
        foreign = next((row[4] for row in rows if row[0] != jurisdiction and rng.random() < 0.2), rows[-1][4])
        found.append(
            Question(" ".join(asked), jurisdiction, node, urn, _disturbed(embedding, rng), _disturbed(foreign, rng))
        )
    return found


def _disturbed(vector: HalfVector, rng: random.Random) -> list[float]:
    numbers = vector.to_list()
    size = 0.3 * (sum(number * number for number in numbers) / len(numbers)) ** 0.5
    return [number + rng.gauss(0, size) for number in numbers]
