"""The schema: one shape from both sources, the rules that let it grow, and migrations that take turns."""

from __future__ import annotations

import json
import multiprocessing
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import law
import psycopg
import pytest
from law import two_sections
from psycopg import errors
from psycopg.types.json import Jsonb

from rag import Engine
from rag.cli.app import app, run
from rag.settings import Settings, load_settings
from rag.store.database import Database
from rag.store.schema import check_schema, ensure_partition, migrate, migrations
from rag.store.starter import set_up_store
from retrieval.errors import SchemaMismatch, StoreError
from retrieval.paths import subtree_end
from retrieval.queries import QUERIES, sql_folder

GROWING = (
    "documents",
    "edges",
    "edition_nodes",
    "editions",
    "language_stats",
    "legal_definitions",
    "legal_nodes",
    "lexeme_stats",
    "node_embeddings",
    "section_vectors",
)
CATALOGUE = {
    "tables": """select relname, relkind::text, relpersistence::text, pg_get_partkeydef(oid) from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') order by 1""",
    "columns": """select c.relname, a.attname, a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull,
            a.attidentity::text, a.attstorage::text, a.attcollation::regcollation::text, pg_get_expr(d.adbin, d.adrelid)
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 order by 1, 3""",
    "indexes": "select tablename, indexname, indexdef from pg_indexes where schemaname = 'public' order by 1, 2",
    "constraints": """select conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid)
        from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2""",
    "functions": """select p.proname, pg_get_functiondef(p.oid) from pg_proc p
        where p.pronamespace = 'public'::regnamespace and not exists
            (select from pg_depend d where d.objid = p.oid and d.deptype = 'e') order by 1, 2""",
    "sequences": """select sequencename, data_type::text, start_value, increment_by, cycle from pg_sequences
        where schemaname = 'public' order by 1""",
    "extensions": "select extname from pg_extension order by 1",
}


@pytest.fixture(scope="module")
def store(stores: Any, empty_template: str) -> Iterator[Database]:
    with Database(stores.clone(empty_template)) as opened:
        yield opened


@pytest.fixture
def blank(stores: Any) -> Settings:
    """Settings of a database without any schema."""
    return stores.clone("template1")


def rows(database: Database, query: str, *values: object) -> list[tuple[Any, ...]]:
    with database.admin() as conn:
        return conn.execute(query.encode(), values).fetchall()


def catalogue(database: Database) -> dict[str, list[tuple[object, ...]]]:
    return {name: rows(database, query) for name, query in CATALOGUE.items()}


def test_schema_sql_and_the_migrations_build_the_same_store(store: Database, blank: Settings) -> None:
    with Database(blank) as whole:
        with whole.admin() as conn:
            conn.execute((sql_folder() / "schema.sql").read_text(encoding="utf-8").encode())
        one, other = catalogue(store), catalogue(whole)
    for part in CATALOGUE:
        assert one[part] == other[part], part
        assert one[part], part


def test_no_table_exists_that_the_rules_below_do_not_know(store: Database) -> None:
    small = {
        "schema_migrations",
        "store_settings",
        "sources",
        "source_files",
        "legal_synonyms",
        "judicial_overrides",
        "override_proposals",
        "law_readings",
        "federal_preemption",
        "traces",
        "trace_verdicts",
        "quality_checks",
    }
    found = rows(
        store, "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"
    )
    assert {name for (name,) in found} == {*GROWING, *small}


def test_a_cluster_distributes_what_grows_and_copies_what_keys_lead_to(store: Database) -> None:
    """Without a cluster at hand: the statements name each table once, and parents before those that refer to them."""
    text = (sql_folder() / "distribute.sql").read_text(encoding="utf-8")
    distributed = re.findall(r"^SELECT create_distributed_table\('(\w+)', 'jurisdiction', colocate_with", text, re.M)
    copied = re.findall(r"^SELECT create_reference_table\('(\w+)'\)", text, re.M)
    alone = re.search(r"-- On the coordinator alone: (.*)\.\n", text)
    assert sorted(distributed) == sorted(GROWING)
    assert alone is not None
    found = rows(
        store,
        "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')"
        " and not relispartition",
    )
    assert sorted([*distributed, *copied, *alone[1].split(", ")]) == sorted(str(name) for (name,) in found)
    local, order = alone[1].split(", "), [*copied, *distributed]
    keys = rows(
        store, "select conrelid::regclass::text, confrelid::regclass::text from pg_constraint where contype = 'f'"
    )
    assert keys
    for table, parent in keys:
        if table in local:
            assert parent in local
            continue
        assert parent in copied or order.index(str(parent)) < order.index(str(table)), (table, parent)


@pytest.mark.parametrize("table", GROWING)
def test_a_growing_table_has_the_jurisdiction_in_all_its_keys(store: Database, table: str) -> None:
    column = rows(
        store,
        "select format_type(atttypid, atttypmod), attnotnull from pg_attribute"
        " where attrelid = %s::regclass and attname = 'jurisdiction'",
        table,
    )
    assert column == [("text", True)]
    keys = rows(
        store,
        """select c.contype::text, c.conname,
            (select array_agg(a.attname::text order by k.n) from unnest(c.conkey) with ordinality k (num, n)
             join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.num),
            (select array_agg(o.oprname::text order by k.n) from unnest(c.conexclop) with ordinality k (oid, n)
             join pg_operator o on o.oid = k.oid)
        from pg_constraint c where c.conrelid = %s::regclass and c.contype in ('p', 'u', 'x')""",
        table,
    )
    assert [columns[0] for kind, _, columns, _ in keys if kind == "p"] == ["jurisdiction"]
    for _, name, columns, operators in keys:
        assert "jurisdiction" in columns, name
        assert operators is None or operators[columns.index("jurisdiction")] == "=", name
    unique_indexes = rows(
        store,
        "select pg_get_indexdef(indexrelid) from pg_index where indrelid = %s::regclass and indisunique",
        table,
    )
    assert all("(jurisdiction" in definition for (definition,) in unique_indexes)


def test_every_table_has_a_primary_key(store: Database) -> None:
    without = rows(
        store,
        """select c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')""",
    )
    assert without == []


def test_foreign_keys_stay_within_a_jurisdiction_or_lead_to_the_sources(store: Database) -> None:
    keys = rows(
        store,
        """select conname, confrelid::regclass::text,
            (select array_agg(a.attname::text order by k.n) from unnest(conkey) with ordinality k (num, n)
             join pg_attribute a on a.attrelid = conrelid and a.attnum = k.num),
            (select array_agg(a.attname::text order by k.n) from unnest(confkey) with ordinality k (num, n)
             join pg_attribute a on a.attrelid = confrelid and a.attnum = k.num)
        from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace""",
    )
    assert keys
    for name, target, columns, referenced in keys:
        if target == "sources":
            continue
        assert len(columns) == 2, name
        assert columns[0] == "jurisdiction", name
        assert referenced == ["jurisdiction", "id"], name


def test_there_are_no_triggers_and_no_rules(store: Database) -> None:
    assert rows(store, "select tgname from pg_trigger where not tgisinternal") == []
    assert (
        rows(
            store,
            "select rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class"
            " where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')",
        )
        == []
    )


@pytest.mark.parametrize("table", GROWING)
def test_no_growing_table_takes_ids_from_a_default(store: Database, table: str) -> None:
    defaults = rows(
        store,
        "select a.attname, a.attidentity::text, pg_get_expr(d.adbin, d.adrelid) from pg_attribute a"
        " left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum"
        " where a.attrelid = %s::regclass and a.attnum > 0",
        table,
    )
    assert defaults
    assert [name for name, identity, value in defaults if identity or "nextval" in (value or "")] == []


def test_embeddings_are_partitioned_by_jurisdiction(store: Database) -> None:
    assert rows(store, "select pg_get_partkeydef('node_embeddings'::regclass)") == [("LIST (jurisdiction)",)]


def test_a_partition_is_made_once_however_many_ask_for_it(store: Database) -> None:
    found: list[str] = []

    def ask() -> None:
        ensure_partition(store, "us-test")
        found.append("made")

    together(ask, 4)
    partitions = rows(
        store, "select inhrelid::regclass::text from pg_inherits where inhparent = 'node_embeddings'::regclass"
    )
    assert found == ["made"] * 4
    assert partitions == [("node_embeddings_us_test",)]


# --- unique_active_version ------------------------------------------------------------------------------------------

NODE = """insert into legal_nodes (jurisdiction, id, node_id, document_id, urn, citation_path, language, corpus, kind,
    structure_type, level, number, ordinal, validity, ancestor_ids, rule_id, source, source_hash, search_hash)
    values (%(jurisdiction)s, %(id)s, 1, 1, %(urn)s, 'root.us.x', 'en', 'urn:lex:us:x', 'legislation', 'SECTION',
    'section', '1', 0, daterange(%(valid_from)s, %(valid_to)s), '{1}', 1, '', '', '')"""


def insert_versions(database: Database, *versions: Mapping[str, object]) -> None:
    with database.admin() as conn, conn.transaction(force_rollback=True):
        conn.execute("insert into sources (urn, jurisdiction, title, language) values ('urn:lex:us:x', 'us', '', 'en')")
        for code in ("us", "us-dc"):
            conn.execute(
                "insert into documents (jurisdiction, id, urn, corpus_urn, source, format, source_hash,"
                " parser_version, nodes) values (%s, 1, 'urn:lex:us:x', 'urn:lex:us:x', '', '', '', '', 1)",
                [code],
            )
        for number, version in enumerate(versions, start=1):
            given = {"jurisdiction": "us", "id": number, "urn": "urn:lex:us:x", "valid_from": None, "valid_to": None}
            conn.execute(NODE.encode(), {**given, **version})


def test_unique_active_version_is_an_exclusion_over_jurisdiction_urn_and_validity(store: Database) -> None:
    definition = rows(
        store, "select pg_get_constraintdef(oid) from pg_constraint where conname = 'unique_active_version'"
    )
    assert definition == [
        ("EXCLUDE USING gist (jurisdiction WITH =, hashtextextended(urn, (0)::bigint) WITH =, validity WITH &&)",)
    ]


YEAR = {"valid_from": date(2020, 1, 1), "valid_to": date(2021, 1, 1)}


@pytest.mark.parametrize(
    "second",
    [
        {},
        YEAR,
        {"valid_from": date(2020, 12, 31)},
        {"valid_to": date(2020, 1, 2)},
        {"valid_from": date(2020, 6, 1), "valid_to": date(2020, 6, 2)},
    ],
)
def test_versions_of_a_urn_that_overlap_are_refused(store: Database, second: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="23P01"):
        insert_versions(store, YEAR, second)


@pytest.mark.parametrize(
    "second",
    [
        {"valid_from": date(2021, 1, 1)},
        {"valid_to": date(2020, 1, 1)},
        {**YEAR, "urn": "urn:lex:us:x:2"},
        {**YEAR, "jurisdiction": "us-dc"},
    ],
)
def test_versions_that_do_not_overlap_are_accepted(store: Database, second: dict[str, object]) -> None:
    insert_versions(store, YEAR, second)


def test_a_version_that_is_never_in_force_is_refused(store: Database) -> None:
    with pytest.raises(StoreError, match="23514"):
        insert_versions(store, {"valid_from": date(2020, 1, 1), "valid_to": date(2020, 1, 1)})


# --- migrations -----------------------------------------------------------------------------------------------------


def together(work: object, count: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(count)]  # pyright: ignore[reportArgumentType]
    for one in threads:
        one.start()
    for thread in threads:
        thread.join()


def migrate_in_a_process(url: str, results: Any) -> None:
    with Database(load_settings(database_url=url)) as database:
        results.put(len(migrate(database)))


def test_migrating_again_changes_nothing(blank: Settings) -> None:
    with Database(blank) as database:
        assert migrate(database) == migrations()
        before = catalogue(database)
        assert migrate(database) == []
        assert catalogue(database) == before
        check_schema(database)


def test_threads_that_migrate_at_once_take_turns(blank: Settings) -> None:
    applied: list[int] = []

    def work() -> None:
        with Database(blank) as database:
            applied.append(len(migrate(database)))

    together(work, 4)
    assert sorted(applied) == [0, 0, 0, len(migrations())]


def test_processes_that_migrate_at_once_take_turns(blank: Settings) -> None:
    assert blank.database_url is not None
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    children = [
        context.Process(target=migrate_in_a_process, args=(blank.database_url.get_secret_value(), results))
        for _ in range(2)
    ]
    for spawn_process in children:
        spawn_process.start()
    applied = sorted(results.get(timeout=60) for _ in children)
    for child in children:
        child.join()
    assert applied == [0, len(migrations())]
    with Database(blank) as database:
        check_schema(database)


def test_a_migration_that_fails_leaves_nothing_of_itself(blank: Settings) -> None:
    with Database(blank) as database:
        with database.admin() as conn:
            conn.execute("create table traces (id integer)")  # one of the last statements will find its name taken
        with pytest.raises(StoreError, match="refused a statement"):
            migrate(database)
        assert rows(database, "select to_regclass('legal_nodes'), to_regclass('schema_migrations')") == [(None, None)]
        with database.admin() as conn:
            conn.execute("drop table traces")
            assert conn.execute("select count(*) from pg_locks where locktype = 'advisory'").fetchone() == (0,)
        assert migrate(database) == migrations()


def test_hashes_of_before_are_brought_over_and_known_again(stores: Any, empty_template: str) -> None:
    held = (
        "select urn, id, validity, source_hash, search_hash, word_weights::text from legal_nodes order by 1, 2",
        "select urn, since, stated, source_hash from edition_nodes order by 1, 2, 3",
    )
    editions = [
        replace(two_sections(second=second), edition_date=date(year, 1, 1), source=f"{year}.test", parser_version=1)
        for year, second in ((2011, "A tenant may."), (2016, ""))
    ]
    with Database(stores.clone(empty_template)) as database:
        law.store(database, *editions)
        before = [rows(database, query) for query in held]
        with database.admin() as conn:
            law.take_back(conn, 6)
        assert migrate(database)[0].version == 6
        assert [rows(database, query) for query in held] == before
        law.store(database, *(replace(edition, parser_version=2) for edition in editions))
        assert [rows(database, query) for query in held] == before


def test_words_that_begin_with_another_are_found_in_a_store_of_before(stores: Any, sample_template: str) -> None:
    values = {"jurisdictions": ["us", "us-ma"], "language": "en", "lexemes": ["deposit"], "inside": ["rent", "de"]}
    with Database(stores.clone(sample_template)) as database:
        with database.admin() as conn:
            law.take_back(conn, 8)
            held = sorted(conn.execute("select * from lexeme_stats").fetchall())
        assert migrate(database)[0].version == 8
        with database.admin() as conn:
            found = dict(conn.execute(QUERIES["find_question_forms"], values).fetchall())
            assert sorted(conn.execute("select * from lexeme_stats").fetchall()) == held
    wanted: dict[str, int] = {}
    for code, language, lexeme, count in held:
        fits = lexeme == "deposit" or lexeme.startswith(("rent", "de")) or lexeme.endswith(("rent", "de"))
        if fits and code in values["jurisdictions"] and language == "en" and count:
            wanted[lexeme] = wanted.get(lexeme, 0) + count
    assert found == wanted
    assert len(wanted) > 10


def quoted_law(folder: Path) -> list[Path]:
    """A law whose lead-ins, headings and items have words in guillemets, in one more than an index takes, with two
    editions, and a plain document."""
    urn = "urn:lex:fr:bail"
    shape = [
        ("", "ROOT", "corpus", {"kind": "section", "heading": "Loi «baux»"}),
        (":1", "ARTICLE", "article", {"heading": "Du «bailleur»", "intro_text": "Par ‹la présente loi›, <on> lit:"}),
        (":1:a", "ITEM", "item", {"content_text": "«locataire»"}),
        (":1:b", "ITEM", "item", {"heading": "“Dépôt”", "content_text": "la somme remise"}),
        (":1:b:i", "ITEM", "item", {"content_text": "en espèces"}),
        (":2", "ARTICLE", "article", {"content_text": "é" + " ".join(f"«{number:0>200}m»" for number in range(6_000))}),
        (":3", "ARTICLE", "article", {"content_text": "Rien n'est dû."}),
    ]  # fmt: skip
    found: list[Path] = []
    for year, added in ((2011, ""), (2016, " Il «répare».")):
        head: dict[str, object] = {
            "lexscope": 1,
            "corpus": {"urn": urn, "title": "Loi", "language": "fr"},
            "edition_date": f"{year}-01-01",
        }
        lines = [head]
        for end, kind, level, words in shape:
            given: dict[str, object] = {"urn": urn + end, "structure_type": kind, "level": level, **words}
            if end:
                given["parent_urn"] = (urn + end).rpartition(":")[0]
                given["number"] = end.rpartition(":")[2]
            if end == ":1:a":
                given["content_text"] = f"{given['content_text']}{added}"
            lines.append(given)
        found.append(folder / f"{year}.jsonl")
        found[-1].write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    found.append(folder / "regles.txt")
    found[-1].write_text("«Règles» de la maison\n\nLe «gardien» ferme la porte.\n", encoding="utf-8")
    return found


@pytest.mark.thorough
def test_words_in_guillemets_of_before_are_found_as_if_ingested_today(
    stores: Any, empty_template: str, tmp_path: Path
) -> None:
    files = quoted_law(tmp_path)
    held: list[list[Any]] = []
    for before in (False, True):
        settings = stores.clone(empty_template)
        with Engine.open(settings) as engine:
            if before:
                with engine.database.admin() as conn:
                    law.take_back(conn, 11)
            for file in files:
                plain = "fr" if file.suffix == ".txt" else None
                assert not engine.ingest([file], jurisdiction=plain).rejected
        with Database(settings) as database:
            queries = (
                "select urn, lower(validity), md5(fts::text), fts_length, md5(word_weights::text)"
                " from legal_nodes order by 1, 2",
                "select language, lexeme, document_frequency from lexeme_stats"
                " where document_frequency > 0 order by 1, 2",
                "select language, nodes, words from language_stats order by 1",
            )
            touched = "select urn, lower(validity), xmin::text from legal_nodes order by 1, 2"
            old, was = [rows(database, query) for query in queries], rows(database, touched)
            if before:
                assert old != held[0]
                with database.admin() as conn:
                    conn.execute(
                        "insert into section_vectors select distinct jurisdiction, node_id, 'm', '(,)'::daterange,"
                        " node_id, 0, 1, 1 from legal_nodes where urn in ('urn:lex:fr:bail:1', 'urn:lex:fr:bail:3')"
                    )
                with database.admin() as conn, conn.transaction():  # alone: a later one writes all rows anew
                    step = migrations()[10]
                    conn.execute(step.statements.encode())
                    done = [step.version, step.name, step.sha256]
                    conn.execute("insert into schema_migrations values (%s, %s, %s)", done)
                made = "select distinct n.urn from section_vectors s join legal_nodes n on n.node_id = s.node_id"
                assert rows(database, made) == [("urn:lex:fr:bail:3",)]
                kept = {urn for (urn, *_), now in zip(was, rows(database, touched), strict=True) if (urn, *_) == now}
                assert "urn:lex:fr:bail:3" in kept
                assert migrate(database)[0].version == 12
            held.append([rows(database, query) for query in queries])
    assert held[1] == held[0]


def test_parts_are_read_by_the_keys_of_their_rule_in_a_store_of_before(stores: Any, sample_template: str) -> None:
    columns = "select urn, id, validity, line_terms, scope_ids, context_ids from legal_nodes order by 1, 2"
    settings = stores.clone(sample_template, traces="off")
    with Database(settings) as database:
        held = rows(database, columns)
        parts = [urn for (urn,) in rows(database, "select urn from legal_nodes where line_terms is null order by 1")]
        assert len(parts) > 10
    asked = []
    for before in (False, True):
        with Engine.open(settings) as engine:
            if before:
                with engine.database.admin() as conn:
                    law.take_back(conn, 12)
                    own = "select from legal_nodes where rule_id <> node_id and context_ids <> '{}'"
                    assert conn.execute(own).rowcount > 10
                assert migrate(engine.database)[0].version == 12
            asked.append([engine.context(urn).model_dump_json(exclude={"trace_id"}) for urn in parts[::3]])
    assert asked[0] == asked[1]
    with Database(settings) as database:
        assert rows(database, columns) == held


def test_shorter_keys_hold_in_a_store_of_before(stores: Any, sample_template: str) -> None:
    settings = stores.clone(sample_template, traces="off")
    with Database(settings) as database:
        urns = [urn for (urn,) in rows(database, "select urn from legal_nodes where subtree_ids <> '{}' order by 1")]
        paths = rows(database, "select distinct jurisdiction, citation_path::text from legal_nodes order by 1, 2")
    asked: list[object] = []
    for before in (False, True):
        with Engine.open(settings) as engine:
            if before:
                with engine.database.admin() as conn:
                    law.take_back(conn, 13)
                assert migrate(engine.database)[0].version == 13
            asked.append([engine.document(urn).model_dump_json() for urn in urns[::5]])
            values = {
                "jurisdictions": sorted({code for code, _ in paths}), "at_date": date(2026, 1, 1),
                "path_jurisdictions": [code for code, _ in paths], "starts": [path for _, path in paths],
                "ends": [subtree_end(path) for _, path in paths],
            }  # fmt: skip
            with engine.database.read() as conn:
                conn.execute(QUERIES["use_generic_plans"])
                asked.append(sorted(row[:4] for row in conn.execute(QUERIES["find_subtrees"], values)))
    assert asked[:2] == asked[2:]
    assert len(asked[1]) > len(paths)


def test_a_store_that_an_earlier_text_of_a_migration_brought_to_the_same_schema_is_served(
    sample_settings: Settings,
) -> None:
    change = "update schema_migrations set sha256 = %s where version = %s"
    with Database(sample_settings) as database:
        with database.admin() as conn:
            conn.execute(change, ["9e0240201af5a3215afbe8bde963c1c680e6fed5ba054a40103eb7df4d54ac37", 11])
        check_schema(database)
        with database.admin() as conn:
            conn.execute(change, ["0" * 64, 11])
        with pytest.raises(SchemaMismatch):
            check_schema(database)


# What the development versions before the first release wrote of their migrations.
DEVELOPMENT = [
    (1, "initial_schema", "546f12e94972f06e3502108a0c39a0b8bbbf648d551c40c3ff4166cb9ae250a2"),
    (2, "word_weights", "28aeed2bd5522f81dd44e79d215636fd7fed57f94e5eeefe7a85340bca3d7d31"),
    (3, "context_ids", "5c71f18e612ee17b942ea28d77ab301c9db38d1b1ae998891b0181b2770fd908"),
]


@pytest.mark.parametrize("applied", [DEVELOPMENT[:1], DEVELOPMENT])
def test_a_store_of_a_development_version_is_left_as_it_is_and_says_how_to_make_a_new_one(
    sample_settings: Settings, applied: list[tuple[int, str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    told = r"earlier development version .* Nothing in it was changed.*`lexscope init --data-dir .*`lexscope ingest "
    assert sample_settings.database_url is not None
    with Database(sample_settings) as database:
        with database.admin() as conn, conn.transaction():
            conn.execute("delete from schema_migrations")
            for row in applied:
                conn.execute("insert into schema_migrations (version, name, sha256) values (%s, %s, %s)", row)
        counts = QUERIES["count_rows"]
        before = catalogue(database), rows(database, counts), rows(database, "table schema_migrations")
        for refused in (check_schema, migrate, set_up_store):
            with pytest.raises(SchemaMismatch, match=told):
                refused(database)
        assert run(app, ["init", "--database-url", sample_settings.database_url.get_secret_value()]) != 0
        assert re.search(told, " ".join(capsys.readouterr().err.split()))
        assert before == (catalogue(database), rows(database, counts), rows(database, "table schema_migrations"))


KINDS = ("[1]", '"x"', "7", "null", "true")  # of JSON that is no object
SPOILED = {
    f"legal_nodes.tags of {law.C}:1:1": ("legal_nodes", "tags", f"urn = '{law.C}:1:1'", KINDS),
    "edges.properties of us": ("edges", "properties", "kind = 'subject_to'", (*KINDS, '{"start": "x"}', '{"end": -1}')),
    "store_settings.value of analyzed_nodes": ("store_settings", "value", "key = 'analyzed_nodes'", ('"x"', "{}")),
    "law_readings of aa": ("law_readings", "items", "digest = 'aa'", KINDS),
    "traces.body of t": ("traces", "body", "id = 't'", (*KINDS, '{"told": 1}', '{"context": {"warnings": {}}}')),
}  # fmt: skip


def test_json_of_another_kind_is_refused_by_the_store_and_found_in_one_of_before(
    stores: Any, empty_template: str
) -> None:
    with Database(stores.clone(empty_template)) as database:
        law.store(database, *law.linked_titles())
        with database.admin() as conn:
            conn.execute("insert into store_settings values ('analyzed_nodes', '1') on conflict do nothing")
            conn.execute("insert into law_readings values ('aa', '1', 'p', 'm', now(), '{}')")
            conn.execute("insert into traces values ('t', now(), 'x', 'full', 'answered', '', '{}')")
        kept = {place: rows(database, f"select {column} from {table} where {where}")
                for place, (table, column, where, _) in SPOILED.items()}  # fmt: skip
        assert all(kept.values())
        for table, column, where, values in SPOILED.values():
            for value in values:
                with database.admin() as conn, pytest.raises(errors.CheckViolation, match=f"{table}_.*check"):
                    conn.execute(f"update {table} set {column} = '{value}' where {where}".encode())
        with database.admin() as conn:
            law.take_back(conn, 10)
            for table, column, where, values in SPOILED.values():
                conn.execute(f"update {table} set {column} = '{values[0]}' where {where}".encode())
        with pytest.raises(SchemaMismatch) as refused:
            migrate(database)
        told = str(refused.value)
        assert all(place in told for place in SPOILED)
        assert "Nothing was changed" in told
        assert "lexscope init" in told
        with pytest.raises(SchemaMismatch, match=f"lacks {len(migrations()) - 9} migration"):
            check_schema(database)
        with database.admin() as conn:
            for place, (table, column, where, _) in SPOILED.items():
                conn.execute(f"update {table} set {column} = %s where {where}".encode(), [Jsonb(kept[place][0][0])])
        assert migrate(database)[0].version == 10


def test_a_store_of_a_newer_program_is_refused(empty_settings: Settings) -> None:
    newer = len(migrations()) + 1
    with Database(empty_settings) as database:
        with database.admin() as conn:
            conn.execute("insert into schema_migrations values (%s, 'from_the_future', '')", [newer])
        for refused in (check_schema, migrate):
            with pytest.raises(SchemaMismatch, match="newer Lexscope"):
                refused(database)


def test_a_store_without_schema_is_told_what_to_run(blank: Settings) -> None:
    with Database(blank) as database, pytest.raises(SchemaMismatch, match="lexscope init"):
        check_schema(database)


def test_migrations_are_numbered_without_a_gap() -> None:
    names = sorted(Path(file.name).stem for file in (sql_folder() / "migrations").iterdir())
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


# --- PostgreSQL's ltree ---------------------------------------------------------------------------------------------


def test_the_bound_of_a_subtree_sorts_in_postgresql_as_it_is_meant_to(store: Database) -> None:
    labels = ["a", "a0", "a00", "a1", "aa", "a_", "a_0", "b", "sec_1", "sec_10", "sec_1_1", "z"]
    known = [f"root.{label}" for label in labels] + [f"root.{label}.{other}" for label in labels for other in labels]
    found = rows(
        store,
        """select p.root, q.path, q.path collate "C" >= p.root and q.path collate "C" < p.high as ranged,
            q.path::ltree <@ p.root::ltree as inside
        from unnest(%s::text[], %s::text[]) as p (root, high) cross join unnest(%s::text[]) as q (path)""",
        known, [subtree_end(name) for name in known], known,
    )  # fmt: skip
    assert len(found) == len(known) ** 2
    assert [(root, path) for root, path, ranged, inside in found if ranged != inside] == []


def test_psycopg_and_the_server_are_of_versions_the_schema_was_made_for(store: Database) -> None:
    assert rows(store, "select current_setting('server_version_num')::integer >= 150000") == [(True,)]
    assert psycopg.pq.version() >= 150000
