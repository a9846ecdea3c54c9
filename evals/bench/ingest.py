"""`python -m evals bench ingest`: what bringing real law into a store costs, beside one big COPY of the same rows.

Each round has two fresh stores with all indexes but the vectors' one. Both are given rows that are made already. The
first takes the documents one transaction each, as the pipeline does, up to the commit that waits for the disk: it also
looks up what the store has, compares, counts words and derives which terms definitions need. The second takes the rows
that came of it, those included, in a single transaction: staged by COPY, their search vectors made by the same
expression, then inserted. So search vectors are computed on both sides. Parsing, annotation and the making of rows are
timed apart and together. Ratios are of medians. The bytes are those of the first store before anything changes in it.

`--into N` asks something else: what one document of about 3,000 nodes costs in a store of N nodes, as a ratio to the
same in an empty store. The store has invented law with search vectors and unresolved references. Costs are CPU seconds
of this process and of the server's processes that serve it, where they can be read, and seconds of the clock elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from evals.bench.ingest_copy import Export, export_rows, load_at_once
from evals.bench.stores import scratch_store
from evals.bench.synthetic import load
from evals.bench.timing import peak_memory_mb, timing
from evals.rows import REPORTED, Gate, Row, json_rows, table
from evals.suites.catalogue import SAMPLE, SHARED
from evals.suites.ingest.suite import read
from rag.ingest.formats.registry import discover
from rag.ingest.pipeline import IngestReport, ingest, ingest_document
from rag.ingest.reading import annotate_once
from rag.ingest.writing.store import Corpora, document_rows
from rag.law.nodes import ParsedDocument
from rag.settings import Settings, load_settings
from rag.store.database import Database
from retrieval.errors import ConfigurationError, IngestError
from retrieval.providers.embedding import EmbeddingBatch, Progress

SUITE = "bench ingest"
TODAY = date(2026, 1, 1)
CHANGED = 0.01
DIMENSIONS = 64
LAW = (
    "documents", "edges", "edition_nodes", "editions", "language_stats", "legal_definitions", "legal_nodes",
    "lexeme_stats",
)  # fmt: skip
_TITLE_NODES = 3_000
GOALS = {
    "per_document_ratio_to_one_copy": Gate(">=", 0.85, hard=False),
    "read_ratio_to_one_copy": Gate("<=", 4.0, hard=False),
    "unchanged_speedup": Gate(">=", 20.0, hard=False),
    "unchanged_embedding_calls": Gate("<=", 0.0, hard=False),
    "vectors_into_live_index": Gate("<=", 0.0, hard=False),
    "peak_memory_mb": Gate("<=", 1024.0, hard=False),
    "ratio_to_empty_store": Gate("<=", 1.3, hard=False),
    "bytes_to_bytes_of_text": Gate("<=", 6.0, hard=False),
}


@dataclass(slots=True)
class Round:
    """Seconds of one round, and how many rows it wrote."""

    parse: float = 0.0
    annotate: float = 0.0
    make_rows: float = 0.0
    database: float = 0.0
    one_copy: float = 0.0
    changed: float = 0.0
    rows: int = 0
    documents: int = 0
    bytes: float = 0.0  # of tables and indexes without vectors, to a byte of the law's text


@dataclass(slots=True)
class CountingEmbedder:
    """Vectors made of hashes, without a model: counts its calls, and the texts it got while an index was there."""

    store: Database
    model: str = "counting"
    dimensions: int = DIMENSIONS
    calls: int = 0
    texts: int = 0
    into_index: int = 0
    seen: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        """One vector a text, the same for the same text."""
        with self.store.read() as conn:
            row = conn.execute("select count(*) from pg_indexes where indexdef like '%USING hnsw%'").fetchone()
        self.calls += 1
        self.texts += len(texts)
        self.into_index += len(texts) if row and row[0] else 0
        vectors: list[list[float]] = []
        for text in texts:
            rng = random.Random(text)
            vectors.append([rng.uniform(-1, 1) for _ in range(self.dimensions)])
        if progress:
            progress(len(texts))
        return EmbeddingBatch(vectors, 0)


def run_round(server: Database, settings: Settings, folder: Path, number: int) -> Round:
    """One round over a folder.

    Raises:
        IngestError: a document cannot be stored.
    """
    out = Round()
    documents: list[ParsedDocument] = []
    for one, source in discover(folder).sources:
        since = time.perf_counter()
        documents += read(one, source)
        out.parse += time.perf_counter() - since
    for document in documents:
        since = time.perf_counter()
        annotate_once(document)
        out.annotate += time.perf_counter() - since
    since = time.perf_counter()
    rows = [document_rows(document) for document in documents]
    out.make_rows = time.perf_counter() - since
    with scratch_store(server, settings, f"single{number}") as store:
        _warm(store)
        corpora = Corpora(store)
        since = time.perf_counter()
        for document, made in zip(documents, rows, strict=True):
            ingest_document(
                store, document, today=TODAY, effective=None, result=IngestReport(), rows=made, corpora=corpora
            )
        _flush(store)
        out.database = time.perf_counter() - since
        out.bytes = stored_bytes(store)
        export = export_rows(store, documents)
        out.changed = _one_per_cent(store, documents, number)
    with scratch_store(server, settings, f"copy{number}") as store:
        out.one_copy = _copied(store, export)
    out.rows, out.documents = export.rows, len(documents)
    return out


def stored_bytes(store: Database) -> float:
    """Bytes of the tables of law and their indexes, without vectors, to a byte of headings and texts."""
    with store.admin() as conn:
        (ratio,) = next(conn.execute(
            "select (select sum(pg_total_relation_size(name::regclass)) from unnest(%s::text[]) as t (name))::float8"
            " / greatest(sum(octet_length(heading) + octet_length(intro_text) + octet_length(content_text)), 1)"
            " from legal_nodes",
            [list(LAW)],
        ))  # fmt: skip
    return float(ratio)


def _warm(store: Database) -> None:
    """Open the connection that is timed, and let it load what it knows of the schema."""
    with store.write() as conn:
        conn.execute("select from legal_nodes n join documents d on d.id = n.document_id limit 0")


def _flush(store: Database) -> None:
    """Commit something that waits for the disk, and with it for all that was committed before."""
    with store.write() as conn:
        conn.execute("update sources set last_ingest = now()")


def _copied(store: Database, export: Export) -> float:
    _warm(store)
    since = time.perf_counter()
    with store.write() as conn:
        load_at_once(conn, export)
    return time.perf_counter() - since


def _one_per_cent(store: Database, documents: list[ParsedDocument], seed: int) -> float:
    """Seconds to store the next edition of the documents that one per cent of the nodes changes in."""
    rng = random.Random(seed)
    changed: list[ParsedDocument] = []
    for document in documents:
        drawn = [node for node in document.nodes if node.content_text and rng.random() < CHANGED]
        for node in drawn:
            node.content_text += " And so on."
        if drawn:
            day = document.edition_date or TODAY
            document.edition_date = day + timedelta(days=1)
            document.source_hash = f"{document.source_hash}+"
            changed.append(document)
    since = time.perf_counter()
    corpora = Corpora(store)
    for document in changed:
        ingest_document(store, document, today=TODAY, effective=None, result=IngestReport(), corpora=corpora)
    _flush(store)
    return time.perf_counter() - since


def run_twice(server: Database, settings: Settings, folder: Path) -> tuple[float, float, int, CountingEmbedder]:
    """The whole ingest and its repetition: seconds of each, embedding calls of the second, and the embedder."""
    with scratch_store(server, settings, "twice") as store:
        embedder = CountingEmbedder(store)
        seconds: list[float] = []
        calls: list[int] = []
        for _ in range(2):
            since = time.perf_counter()
            ingest(store, [folder], today=TODAY, embedder=embedder)
            seconds.append(time.perf_counter() - since)
            calls.append(embedder.calls)
    return seconds[0], seconds[1], calls[1] - calls[0], embedder


def largest(folder: Path) -> Path:
    """The source with the most bytes, parts included."""
    sources = [source for _, source in discover(folder).sources]
    return max(sources, key=lambda one: sum(file.stat().st_size for file in (one.path, *one.parts))).path


def child_memory(path: Path) -> float:
    """The peak memory in MB of a process of its own that ingests one file."""
    command = [sys.executable, "-m", "evals", "bench", "ingest", "--data", str(path), "--memory-of-this-process"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:] or ["nothing"]
        raise ConfigurationError(f"the process that measures memory failed; it said: {said[0][:200]}")
    return float(json.loads(done.stdout)["peak_memory_mb"])


def _memory(path: Path) -> int:
    settings = load_settings()
    with Database(settings) as server, scratch_store(server, settings, "memory") as store:
        report = ingest(store, [path], today=TODAY)
    print(json.dumps({"peak_memory_mb": peak_memory_mb(), "documents": report.documents}))
    return 0 if report.documents else 1


def into(server: Database, settings: Settings, size: int, rounds: int) -> list[Row]:
    """What adding a document costs in a store of `size` nodes, and in an empty one."""
    taken: dict[str, list[float]] = {"empty": [], "full": []}
    with scratch_store(server, settings, "full") as full, tempfile.TemporaryDirectory() as place:
        built = load(full, size)
        with full.admin() as conn:
            conn.execute("update legal_nodes set fts = to_tsvector('english', content_text), fts_length = 40")
            conn.execute("select setval('node_ids', %s)", [1000 * built.nodes])  # above the ids it was loaded with
            conn.execute(
                "insert into edges (jurisdiction, id, node_version_id, source_id, kind, reference, target_jurisdiction,"
                " target_urn, validity) select jurisdiction, nextval('node_ids'), id, node_id, 'cites', 'there',"
                " jurisdiction, urn || ':elsewhere', validity from legal_nodes where mod(id, 3) = 0"
            )
            conn.execute("update documents set summarised = generation")
            conn.execute("vacuum analyze")
        for number in range(rounds):
            with scratch_store(server, settings, f"empty{number}") as empty:
                for name, store in (("empty", empty), ("full", full)):
                    file = Path(place) / f"{name}{number}.jsonl"
                    file.write_text(_title(number), encoding="utf-8")
                    _warm(store)
                    since = _cost(store)
                    report = ingest(store, [file], today=TODAY)
                    taken[name].append(_cost(store) - since)
                    if report.documents != 1 or report.nodes < _TITLE_NODES:
                        raise ConfigurationError("the document that is measured was not stored")
    middle = {name: timing(costs).p50 for name, costs in taken.items()}
    source = f"{built.nodes} nodes"
    return [
        _row(source, "ratio_to_empty_store", middle["full"] / middle["empty"], rounds),
        _row(source, "seconds_in_empty_store", middle["empty"], rounds),
        _row(source, "seconds_in_full_store", middle["full"], rounds),
    ]


def _title(number: int) -> str:
    """A title of invented law in the native format: sections of ten paragraphs with references inside and outside."""
    urn = "urn:lex:us:bench"
    node = {"kind": "legislation", "structure_type": "SECTION", "level": "section"}
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": urn, "title": "Bench code", "language": "en"}},
        {"urn": f"{urn}:{number}", "parent_urn": urn, "structure_type": "TITLE", "level": "title", "kind": "section",
         "number": str(number), "heading": f"Title {number}"},
    ]  # fmt: skip
    for section in range(_TITLE_NODES // 11 + 1):
        above = f"{urn}:{number}:{number}-{section}"
        lines.append({"urn": above, "parent_urn": f"{urn}:{number}", "number": f"{number}-{section}",
                      "heading": f"Records {section}", "intro_text": "Every person shall:", **node})  # fmt: skip
        for part in range(1, 11):
            text = f"keep record{part} of place{section}, as section {number}-{part} and 17 U.S.C. {section} say."
            lines.append({**node, "urn": f"{above}:{part}", "parent_urn": above, "number": str(part),
                          "structure_type": "PARAGRAPH", "level": "paragraph", "content_text": text})  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)


def _cost(store: Database) -> float:
    """CPU seconds that this process and the server's processes for this store have used; else the clock's."""
    with store.admin() as conn:
        rows = conn.execute("select pid from pg_stat_activity where datname = current_database()").fetchall()
    try:
        stats = [Path(f"/proc/{row[0]}/stat").read_text(encoding="ascii").rpartition(")")[2].split() for row in rows]
    except OSError:
        return time.perf_counter()
    return time.process_time() + sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def _row(source: str, metric: str, value: float, n: int) -> Row:
    return Row(SUITE, source, metric, value, n, None, None, GOALS.get(metric, REPORTED))


def rows_of(source: str, rounds: Sequence[Round]) -> list[Row]:
    """Medians over the rounds, as ratios and rates."""
    middle = {
        name: timing([getattr(one, name) for one in rounds]).p50
        for name in ("parse", "annotate", "make_rows", "database", "one_copy", "changed", "bytes")
    }
    copy, n = middle["one_copy"], rounds[0].rows
    return [
        _row(source, "per_document_ratio_to_one_copy", copy / middle["database"], n),
        _row(source, "read_ratio_to_one_copy", (middle["parse"] + middle["annotate"] + middle["make_rows"]) / copy, n),
        _row(source, "parse_ratio_to_one_copy", middle["parse"] / copy, n),
        _row(source, "annotate_ratio_to_one_copy", middle["annotate"] / copy, n),
        _row(source, "make_rows_ratio_to_one_copy", middle["make_rows"] / copy, n),
        _row(source, "one_copy_rows_per_second", n / copy, n),
        _row(source, "per_document_rows_per_second", n / middle["database"], n),
        _row(source, "changed_ratio_to_first", middle["changed"] / middle["database"], n),
        _row(source, "bytes_to_bytes_of_text", middle["bytes"], n),
    ]


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; see `--help`. Returns 0: its goals are reported, and judged by who reads them."""
    parser = argparse.ArgumentParser(prog="python -m evals bench ingest", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[], metavar="PATH", help="a folder of law")
    parser.add_argument("--rounds", type=int, choices=range(1, 100), default=3, metavar="N", help="(%(default)s)")
    parser.add_argument("--into", type=int, metavar="N", help="one document into a store of N nodes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows as JSON")
    parser.add_argument("--memory-of-this-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    folders: list[Path] = options.data or [path for path in (SHARED / "uscode-uslm", SAMPLE) if path.is_dir()][:1]
    try:
        if options.memory_of_this_process:
            return _memory(folders[0])
        if options.into:
            settings = load_settings()
            with Database(settings) as server:
                rows = into(server, settings, options.into, options.rounds)
        else:
            rows = [row for folder in folders for row in _folder(folder, options.rounds)]
    except (IngestError, ConfigurationError) as error:
        parser.error(error.message)
    print(table(rows))
    if options.json:
        options.json.write_text(json_rows(rows) + "\n", encoding="utf-8")
    return 0


def _folder(folder: Path, rounds: int) -> list[Row]:
    source = folder.resolve().name
    settings = load_settings()
    memory = child_memory(largest(folder))
    with Database(settings) as server:
        done = [run_round(server, settings, folder, number) for number in range(rounds)]
        first, second, calls, embedder = run_twice(server, settings, folder)
    n = done[0].documents
    return [
        *rows_of(source, done),
        _row(source, "unchanged_speedup", first / second, n),
        _row(source, "unchanged_embedding_calls", float(calls), n),
        _row(source, "vectors_into_live_index", embedder.into_index / max(1, embedder.texts), embedder.texts),
        _row(source, "peak_memory_mb", memory, 1),
    ]
