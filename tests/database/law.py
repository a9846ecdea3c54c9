"""Small bodies of invented law for tests: documents built in a line, stored through the real pipeline."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
from conftest import owner_of

from rag import Engine
from rag.ingest.pipeline import IngestReport, ingest_document, summarise
from rag.law.nodes import Corpus, Definition, Link, ParsedDocument, ParsedNode
from rag.store.database import Database
from rag.store.reference_data import NewOverride, NewPreemption, add_override, add_preemption

Span = tuple[date | None, date | None]
DAY = date(2026, 1, 1)
C = "urn:lex:us:tc"
TYPES = {"title": "TITLE", "part": "PART", "chapter": "CHAPTER", "section": "SECTION", "paragraph": "PARAGRAPH"}


def corpus(urn: str = "urn:lex:us:tc") -> Corpus:
    return Corpus(urn=urn, title=f"Test code {urn}", language="en")


def node(urn: str, text: str = "", **given: object) -> ParsedNode:
    """A node; its parent is the URN without the last segment, its level what its depth below the corpus says."""
    parent, _, number = urn.rpartition(":")
    depth = urn.count(":") - 3
    level = str(given.pop("level", ("", "title", "section", "paragraph")[depth] if depth < 4 else f"paragraph{depth}"))
    if depth == 0:
        return ParsedNode(urn, None, "ROOT", "corpus", heading="Code", kind="section", **given)  # pyright: ignore[reportArgumentType]
    structure = TYPES.get(level, "PARAGRAPH")
    values: dict[str, object] = {
        "number": number, "heading": f"Heading {number}", "content_text": text,
        "kind": "section" if structure in ("TITLE", "PART", "CHAPTER") else "legislation",
    }  # fmt: skip
    return ParsedNode(urn, str(given.pop("parent_urn", parent)), structure, level, **{**values, **given})  # pyright: ignore[reportArgumentType]


def document(
    nodes: Sequence[ParsedNode],
    definitions: Iterable[Definition] = (),
    links: Iterable[Link] = (),
    used: dict[str, list[str]] | None = None,
    *,
    in_corpus: Corpus | None = None,
    source_hash: str | None = None,
    parser_version: int = 1,
    edition: date | None = None,
) -> ParsedDocument:
    """An annotated document; its source hash is the hash of what it says unless one is given."""
    found = [*definitions]
    said = json.dumps([asdict(node) for node in [*nodes, *found, *links]], default=str)
    return ParsedDocument(
        corpus=in_corpus or corpus(":".join(nodes[0].urn.split(":")[:4])),
        nodes=[*nodes],
        source=f"{nodes[0].urn.rpartition(':')[2]}.test",
        format="test",
        source_hash=source_hash if source_hash is not None else hashlib.sha256(said.encode()).hexdigest(),
        parser_version=parser_version,
        edition_date=edition,
        definitions=found,
        links=[*links],
        used_terms=used or {},
        annotated=True,
    )


def two_sections(first: str = "No landlord shall.", second: str = "A tenant may.", **given: object) -> ParsedDocument:
    """Title 1 of the test code with two sections; an empty text leaves the section out."""
    nodes = [node(f"{C}:1")]
    nodes += [node(f"{C}:1:{n}", text, **given) for n, text in enumerate((first, second), start=1) if text]
    return document(nodes)


def linked_titles() -> list[ParsedDocument]:
    """Three titles whose sections except, cite and define across and within."""
    other = {1: 2, 2: 3, 3: 1}
    return [
        document(
            [
                node(f"{C}:{n}"), node(f"{C}:{n}:1", f"“Unit” means flat {n}."),
                node(f"{C}:{n}:2", f"A unit under title {n} is subject to title {other[n]}."),
                node(f"{C}:{n}:3", "Notwithstanding the first section, a unit may be let."),
            ],
            [Definition("unit", f"{C}:{n}:1", f"{C}:{n}")],
            [
                Link(f"{C}:{n}:2", "subject_to", f"section 2 of title {other[n]}", f"{C}:{other[n]}:2"),
                Link(f"{C}:{n}:3", "notwithstanding", "section 2 of title 1", f"{C}:1:2"),
            ],
            {f"{C}:{n}:2": ["unit"], f"{C}:{n}:3": ["unit"]},
        )
        for n in (1, 2, 3)
    ]  # fmt: skip


def store(
    database: Database, *documents: ParsedDocument, today: date = DAY, effective: date | None = None
) -> IngestReport:
    """Store documents as the pipeline does, with what is derived across them at the end."""
    report = IngestReport()
    for document in documents:
        ingest_document(database, document, today=today, effective=effective, result=report)
    report.resolved += summarise(database)
    return report


def rows(database: Database, query: str, *values: object) -> list[tuple[object, ...]]:
    """What a statement of the test's own says."""
    with database.read() as conn:
        return conn.execute(query.encode(), values).fetchall()


def timeline(database: Database, urn: str) -> list[tuple[object, ...]]:
    """A node's versions: (first day, first day no longer in force, text), oldest first."""
    return rows(
        database,
        "select lower(validity), upper(validity), content_text from legal_nodes where urn = %s"
        " order by lower(validity) nulls first",
        urn,
    )


def recount(database: Database) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Lexeme and language statistics counted anew from the nodes."""
    lexemes = rows(
        database,
        "select n.jurisdiction, n.language, u.lexeme, count(*)::integer"
        " from legal_nodes n cross join lateral unnest(n.fts) u"
        ' group by n.jurisdiction, n.language, u.lexeme order by n.jurisdiction, n.language, u.lexeme collate "C"',
    )
    languages = rows(
        database,
        "select jurisdiction, language, count(*)::integer, sum(fts_length)::bigint from legal_nodes"
        " where fts_length > 0 group by 1, 2 order by 1, 2",
    )
    return lexemes, languages


def recorded(database: Database) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """The same as the store keeps it; a count that fell to zero says nothing."""
    lexemes = rows(
        database,
        "select jurisdiction, language, lexeme, document_frequency from lexeme_stats where document_frequency <> 0"
        " order by jurisdiction, language, lexeme",
    )
    languages = rows(
        database, "select jurisdiction, language, nodes, words from language_stats where nodes <> 0 order by 1, 2"
    )
    return lexemes, languages


def empty(database: Database) -> None:
    """Take everything out of a store, faster than making another one."""
    with psycopg.connect(owner_of(database), autocommit=True) as conn:
        conn.execute(
            "truncate legal_nodes, node_embeddings, section_vectors, legal_definitions, edges, documents, sources,"
            " lexeme_stats, language_stats, judicial_overrides, federal_preemption, legal_synonyms, traces"
            " restart identity cascade"
        )


def as_lines(one: ParsedDocument) -> str:
    """The document in the native format, for tests that need a file."""
    head: dict[str, object] = {
        "lexscope": 1, "corpus": {"urn": one.corpus.urn, "title": one.corpus.title, "language": one.corpus.language},
        "annotated": True,
    }  # fmt: skip
    nodes: list[dict[str, object]] = [
        {
            "urn": each.urn, "structure_type": each.structure_type, "level": each.level, "kind": each.kind,
            "heading": each.heading, "content_text": each.content_text,
            **({"parent_urn": each.parent_urn, "number": each.number} if each.parent_urn else {}),
        }
        for each in one.nodes
    ]  # fmt: skip
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [head, *nodes])


def write_file(folder: Path, name: str, one: ParsedDocument) -> Path:
    """The document as a file of the native format."""
    file = folder / name
    file.write_text(as_lines(one), encoding="utf-8")
    return file


def locks(database: Database) -> list[tuple[object, ...]]:
    """Advisory locks held in this database."""
    return rows(
        database,
        "select classid, objid, pid from pg_locks where locktype = 'advisory'"
        " and database = (select oid from pg_database where datname = current_database())",
    )


def override(engine: Engine, pattern: str, status: str = "VOID", span: Span = (None, None)) -> int:
    return add_override(
        engine.database,
        NewOverride.model_validate({
            "urn_pattern": pattern, "status": status, "court": "Test Court", "court_citation": "1 T.C. 1",
            "effective_from": span[0], "effective_to": span[1],
        }),
    )  # fmt: skip


def preempt(engine: Engine, federal: str, state: str, span: Span = (None, None)) -> int:
    return add_preemption(
        engine.database,
        NewPreemption.model_validate({
            "federal_pattern": federal, "state_pattern": state, "kind": "conflict", "effective_from": span[0],
            "effective_to": span[1],
        }),
    )  # fmt: skip


def take_back(conn: psycopg.Connection[Any], version: int) -> None:
    """Make a store one of before a migration, taking back the later ones first."""
    for number in range(max(_TAKEN_BACK), version - 1, -1):
        for statement in _TAKEN_BACK[number]:
            conn.execute(statement.encode())
        conn.execute("delete from schema_migrations where version = %s", [number])


_TAKEN_BACK = {
    6: [
        f"alter table {table} alter {column} type text using encode({column}, 'hex')"
        for table, column in (
            ("legal_nodes", "source_hash"),
            ("legal_nodes", "search_hash"),
            ("edition_nodes", "source_hash"),
        )
    ],
    7: ["drop table section_vectors"],
    8: [
        'alter table lexeme_stats alter lexeme type text collate "default"',
        "create index lexeme_stats_beginning_idx on lexeme_stats (jurisdiction, language, lexeme text_pattern_ops)",
    ],
    9: [
        "update legal_nodes set context_ids = array(select distinct i.id from unnest(ancestor_ids || subtree_ids"
        " || context_ids) as i (id) order by i.id) where subtree_ids <> '{}'"
    ],
    10: [
        f"alter table {table} drop constraint {table}_{name}_check"
        for table, name in (
            ("legal_nodes", "tags"), ("edges", "properties"), ("store_settings", "value"), ("law_readings", "json"),
            ("traces", "body"),
        )
    ],
    11: [
        "create or replace function lex_words(text) returns text language sql immutable parallel safe strict return"
        " regexp_replace(lex_unaccent($1), '(?<=[\\u3005\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff])"
        "([\\u3005\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff])"
        "(?=[\\u3005\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff])', '\\1 \\1', 'g')"
    ],
    12: [
        # A part had keys of its own: those of its rule with the rule's parts are as good.
        "update legal_nodes n set line_terms = coalesce(r.line_terms, '{}'), scope_ids = coalesce(r.scope_ids, '{}'),"
        " context_ids = coalesce(r.context_ids || r.subtree_ids, '{}') from legal_nodes m left join legal_nodes r"
        " on r.jurisdiction = m.jurisdiction and r.node_id = m.rule_id and r.line_terms is not null"
        " where n.line_terms is null and n.jurisdiction = m.jurisdiction and n.id = m.id",
        "drop index legal_nodes_aliases_idx",
        "create index legal_nodes_aliases_idx on legal_nodes using gin (jurisdiction, aliases)",
        "alter index legal_nodes_fts_idx reset (gin_pending_list_limit)",
        "alter index legal_nodes_tags_idx reset (gin_pending_list_limit)",
    ],
    13: [
        "drop index legal_nodes_path_idx",
        "create index legal_nodes_path_idx on legal_nodes (jurisdiction, citation_path)",
        "alter table legal_nodes drop constraint unique_active_version",
        "alter table legal_nodes add constraint unique_active_version exclude using gist"
        " (jurisdiction with =, urn with =, validity with &&)",
    ],
    14: ["drop function lex_pack_index"],
}  # fmt: skip
