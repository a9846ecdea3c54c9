"""The benchmark of scoped contexts runs from end to end on a small store; what it says of time is not judged here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from psycopg import sql

from evals.bench.kept import kept_store, without_slow_indexes
from evals.bench.synthetic import add_unrelated_patterns, remove_unrelated_patterns
from evals.command import main
from rag.settings import load_settings
from rag.store.database import Database

METRICS = {
    "context_ratio_to_floor", "context_ratio_to_lean_floor", "context_objects_ratio_to_floor",
    "defaults_ratio_to_tuned", "statements", "round_trips", "definitions_20x_to_5x", "whole_table_reads",
    "peak_memory_mb", "assembly_memory_mb", "load_average",
}  # fmt: skip


@pytest.mark.thorough
def test_the_context_benchmark_runs_and_writes_rows_and_a_plot(server: str, tmp_path: Path) -> None:
    rows, picture = tmp_path / "rows.json", tmp_path / "plot.svg"
    sizes = [
        "--sizes",
        "1000",
        "--definitions",
        "1000",
        "--cases",
        "2",
        "--rounds",
        "1",
        "--candidates",
        "3",
        "--database-url",
        server,
    ]
    assert main(["bench", "context", *sizes, "--json", str(rows), "--plot", str(picture)]) == 0
    found = {row["metric"]: row["value"] for row in json.loads(rows.read_text(encoding="utf-8"))}
    assert set(found) >= METRICS
    assert (found["statements"], found["round_trips"], found["whole_table_reads"]) == (6, 2, 0)
    assert picture.read_text(encoding="utf-8").startswith("<svg")


SIZE, SEED = 1000, 11
KEPT = f"lexscope_bench_kept_{SIZE}_{SEED}"
INDEXES = "select indexdef from pg_indexes where schemaname = 'public' order by 1"
CONSTRAINTS = "select conname, pg_get_constraintdef(oid) from pg_constraint order by 1, 2"


def test_a_kept_store_serves_the_next_run_and_one_that_was_not_finished_is_made_anew(server: str) -> None:
    settings = load_settings(database_url=server)
    said: list[str] = []
    with Database(settings) as database:
        with kept_store(database, settings, SIZE, seed=SEED, say=said.append) as (store, built):
            add_unrelated_patterns(store, 3)
            remove_unrelated_patterns(store)
            with store.admin() as conn:
                patterns = conn.execute("select count(*) from judicial_overrides").fetchone()
        with kept_store(database, settings, SIZE, seed=SEED, say=said.append) as (store, again):
            assert again == built
            assert built.rules
            with store.admin() as conn:
                assert conn.execute("select count(*) from judicial_overrides").fetchone() == patterns
                conn.execute("delete from edges")
        with database.admin() as conn:
            conn.execute(f"comment on database {KEPT} is null".encode())
        with kept_store(database, settings, SIZE, seed=SEED, say=said.append) as (store, anew), store.admin() as conn:
            assert anew == built
            assert conn.execute("select count(*) from edges").fetchone() == (built.edges,)
    assert ["kept" in text for text in said] == [True, True, True]
    assert ["earlier run" in text for text in said] == [False, True, False]


def test_a_kept_store_of_another_schema_is_brought_up_to_date_where_its_migrations_are_ours(server: str) -> None:
    settings = load_settings(database_url=server)
    said: list[str] = []

    def served_as_of_another_schema() -> bool:
        with Database(settings) as database:
            with database.admin() as conn:
                told = conn.execute(
                    "select shobj_description(oid, 'pg_database') from pg_database where datname = %s", [KEPT]
                ).fetchone()
                assert told
                other = sql.Literal(json.dumps({**json.loads(told[0]), "schema": "another"}))
                conn.execute(sql.SQL("comment on database {} is {}").format(sql.Identifier(KEPT), other))
            with kept_store(database, settings, SIZE, seed=SEED, say=said.append):
                return "earlier run" in said[-1]

    with Database(settings) as database, kept_store(database, settings, SIZE, seed=SEED, say=said.append) as (store, _):
        pass
    assert served_as_of_another_schema()
    with Database(settings) as database, kept_store(database, settings, SIZE, seed=SEED, say=said.append) as (store, _):
        assert "earlier run" in said[-1]  # and says now that it has this schema
        with store.admin() as conn:
            conn.execute("update schema_migrations set sha256 = 'changed since'")
    assert not served_as_of_another_schema()


def test_a_store_has_the_same_indexes_after_a_load_without_them(database: Database) -> None:
    with database.admin() as conn:
        before = conn.execute(INDEXES).fetchall(), conn.execute(CONSTRAINTS).fetchall()
        with without_slow_indexes(database):
            assert conn.execute(INDEXES).fetchall() != before[0]
        assert (conn.execute(INDEXES).fetchall(), conn.execute(CONSTRAINTS).fetchall()) == before
