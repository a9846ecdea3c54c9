"""Indexes that are built anew at the end of a large run."""

from __future__ import annotations

from pathlib import Path

import law
import pytest
from law import document, node, rows

from rag import Engine
from rag.ingest.pipeline import pack_indexes
from rag.settings import Settings
from rag.store.database import Database
from retrieval.errors import StoreError
from retrieval.queries import QUERIES

FILES = "select relname, relfilenode from pg_class where relkind = 'i' and relname ~ '^(legal|edges|lexeme)' order by 1"
BTREES = """select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where amname = 'btree' and indrelid::regclass::text ~ '^(legal_nodes|legal_definitions|edges|lexeme_stats)$'"""


def built_anew(database: Database, before: list[tuple[str, int]]) -> set[str]:
    return {name for (name, _), now in zip(before, rows(database, FILES), strict=True) if (name, _) != now}


def test_a_run_that_is_large_beside_the_store_packs_its_b_trees_and_no_other(sample_settings: Settings) -> None:
    with Database(sample_settings) as database:
        before = rows(database, FILES)
        assert pack_indexes(database, 1_999) == 0
        with database.admin() as conn:
            conn.execute("update pg_class set reltuples = 20001 where relname = 'legal_nodes'")
        assert pack_indexes(database, 2_000) == 0
        assert built_anew(database, before) == set()
        packed = {str(name) for (name,) in rows(database, BTREES)}
        assert pack_indexes(database, 2_001) == len(packed) > 10
        assert built_anew(database, before) == packed


def test_what_others_write_to_is_left_as_it_is(sample_settings: Settings) -> None:
    with Database(sample_settings) as database:
        before = rows(database, FILES)
        with database.admin() as conn, conn.transaction():
            conn.execute("lock table legal_nodes, legal_definitions, lexeme_stats in row exclusive mode")
            assert pack_indexes(database, 1_000_000) > 2
        assert {name.split("_")[0] for name in built_anew(database, before)} == {"edges"}


@pytest.mark.parametrize("index", ["traces_pkey", "legal_nodes", "nothing", "x; drop table traces"])
def test_only_indexes_of_law_are_packed(sample_settings: Settings, index: str) -> None:
    with Database(sample_settings) as database, pytest.raises(StoreError), database.write() as conn:
        conn.execute(QUERIES["pack_index"], {"index": index})


def test_a_large_ingest_leaves_full_pages(empty_settings: Settings, tmp_path: Path) -> None:
    urn = "urn:lex:us:tc:1"
    sections = [f"{urn}:{number}" for number in range(1, 400)]  # 10 before 2 in the index, and behind 9 in the law
    words = [one for section in sections for one in (section, *(f"{section}:{part}" for part in range(1, 7)))]
    file = law.write_file(
        tmp_path, "large.jsonl", document([node(urn), *(node(one, "Keep records.") for one in words)])
    )
    with Engine.open(empty_settings) as engine:
        report = engine.ingest([file])
        assert not report.rejected
        assert report.nodes > 2_000
        size = "select pg_relation_size('legal_nodes_path_idx')"
        (after,) = rows(engine.database, size)
        with engine.database.admin() as conn:
            conn.execute("reindex index legal_nodes_path_idx")
        assert rows(engine.database, size) == [after]
