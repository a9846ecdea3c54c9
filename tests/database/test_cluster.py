"""A store over the workers of a Citus cluster: the rules that its statements keep, and that it serves what one does.

The cluster is that of LEXSCOPE_TEST_CITUS_URL. Without one, the same tests run on one server whose connections are told
that the store is distributed, which tries what is sent for each jurisdiction and merged, and nothing of Citus itself.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cluster_rules import broken_rules
from conftest import CITUS, SAMPLE, Stores
from psycopg import errors
from search_law import write_law
from test_queries_compile import CLUSTER, PREDICATES, PREPARED, filled, trees

from rag import Engine
from rag.cli.app import app, run
from rag.settings import load_settings
from rag.store.database import Database
from rag.store.distribution import distribute
from rag.store.reference_data import import_overrides, import_preemption, import_synonyms
from retrieval.cluster import StoreConnection
from retrieval.errors import ConfigurationError
from retrieval.providers.embedding import EmbeddingBatch, Progress
from retrieval.queries import QUERIES

SENDERS = ("send_each", "ask_each", "ask_page", "_send", "_ask_tags", "_asked", "_facets", "_statement", "_again")
# They find out what the jurisdictions are, or count everything: one table each, or joined by jurisdiction.
OF_EVERYTHING = {"count_documents", "count_rows", "find_document_hashes"}
# Two searches in one statement, of which a cluster sends each by itself (`send_dense`).
OF_BOTH = {"search_both"}
# What switches between plans of one server is not sent to a cluster (`use_plans`).
ONE_SERVER = {"use_generic_plans", "use_custom_plans"}

# --- the rules ------------------------------------------------------------------------------------------------------


def _named_by(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _names(trees: Sequence[ast.AST]) -> set[str]:
    return {
        node.slice.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "QUERIES"
        and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    }  # fmt: skip


@cache
def sent_each() -> dict[str, tuple[str, ...]]:
    """Statements that only functions of `retrieval.cluster` send, or that hand them on, and by which values."""
    calls = [node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    each: dict[str, tuple[str, ...]] = {}
    for call in calls:
        if _named_by(call) in SENDERS:
            [by] = [keyword.value for keyword in call.keywords if keyword.arg == "by"] or [
                ast.Constant(("jurisdictions",))
            ]
            each |= dict.fromkeys(_names([call]), ast.literal_eval(by))
    returned = [
        node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value
    ]
    # Chosen or completed by a function, and then sent so.
    chosen = _names(returned) & {"find_wide_definitions", "find_context_definitions", "read_nearest"}
    each |= dict.fromkeys(chosen, ("jurisdictions",))
    otherwise = _names([call for call in calls if _named_by(call) == "execute"]) | {
        "search_lexical",
        "add_similarities",
    }
    return {name: by for name, by in each.items() if name not in otherwise}


@cache
def _volatility(conninfo: str) -> dict[tuple[str, int], bool]:
    with psycopg.connect(conninfo) as conn:
        functions = conn.execute(
            "select proname, n, bool_and(provolatile = 'i') from pg_proc, generate_series(0, 40) n"
            " where n between pronargs - pronargdefaults and case when provariadic = 0 then pronargs else 40 end"
            " group by 1, 2"
        ).fetchall()
        types = conn.execute(
            "select typname || '()', 0, bool_and(provolatile = 'i') from pg_type join pg_proc p on p.oid = typinput"
            " group by 1"
        ).fetchall()
    return {(name, number): immutable for name, number, immutable in [*functions, *types]}


@pytest.fixture(scope="module")
def is_immutable(stores: Stores, empty_template: str) -> Any:
    with Database(stores.clone(empty_template)) as database:
        known = _volatility(database.conninfo)
    return lambda name, number: known[name, number]


@pytest.mark.parametrize("name", sorted({*PREPARED, *CLUSTER} - OF_EVERYTHING - OF_BOTH))
def test_a_statement_keeps_the_rules_of_a_cluster(is_immutable: Any, name: str) -> None:
    statement = filled(name)
    if name in PREDICATES:
        statement = f"select from legal_nodes n where n.jurisdiction = any(%(jurisdictions)s) and ({statement})"
    assert broken_rules(statement, is_immutable, sent_each().get(name, ())) == []


def test_settings_are_not_made_by_functions_that_reach_no_worker() -> None:
    assert {name for name, statement in QUERIES.items() if "set_config" in statement} == ONE_SERVER


BROKEN = {
    "without a condition on its jurisdiction": "select 1 from edges where id = 1",
    "without equality of jurisdiction": "select 1 from edges e join legal_nodes n on n.node_id = e.target_id"
    " where e.jurisdiction = any(%(a)s) and n.jurisdiction = any(%(b)s)",
    "for several jurisdictions": "select 1 from edges e join legal_nodes n on n.jurisdiction = e.jurisdiction"
    " where e.jurisdiction = any(%(a)s) and n.jurisdiction = any(%(a)s)",
    "a lateral outer join": "select 1 from unnest(%(ids)s::bigint[]) as i (id) left join lateral ("
    "select from documents d where d.jurisdiction = any(%(a)s) and d.id = i.id) d on true",
    "a limit, an offset": "select 1 from unnest(%(ids)s::bigint[]) as i (id) cross join lateral ("
    "select from documents d where d.jurisdiction = any(%(a)s) and d.id = i.id offset 0) d",
    "an outer join": "select 1 from unnest(%(ids)s::bigint[]) as i (id) left join documents d on d.id = i.id"
    " and d.jurisdiction = any(%(a)s)",
    "in the list of columns": "select (select count(*) from edges e where e.jurisdiction = any(%(a)s) and e.id = d.id)"
    " from documents d where d.jurisdiction = any(%(a)s)",
    "for each row": "select 1 from unnest(%(ids)s::bigint[]) as i (id) where exists (select from documents d"
    " where d.jurisdiction = any(%(a)s) and d.id = i.id)",
    "a recursive query": "with recursive t as (select id from documents where jurisdiction = any(%(a)s) union all"
    " select id from t) select * from t",
    "locks rows": "select 1 from documents where jurisdiction = any(%(a)s) for update",
    "not immutable, where a row is changed": "update legal_nodes n set used_terms = v.t::integer[]"
    " from unnest(%(t)s::text[]) as v (t) where n.jurisdiction = %(a)s",
    "CASE or COALESCE": "update sources set last_ingest = case when nodes = 1 then now() end",
}  # fmt: skip


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_found(is_immutable: Any, rule: str) -> None:
    assert any(rule in told for told in broken_rules(BROKEN[rule], is_immutable))


@pytest.mark.parametrize("rule", [
    "a lateral outer join", "a limit, an offset", "an outer join", "in the list of columns", "for each row",
    "a recursive query", "locks rows", "for several jurisdictions",
])  # fmt: skip
def test_for_one_jurisdiction_a_worker_may_do_all_that_postgresql_can(is_immutable: Any, rule: str) -> None:
    one = re.sub(r"any\((%\(\w\)s)\)", r"\1", BROKEN[rule])
    assert broken_rules(one, is_immutable) == broken_rules(BROKEN[rule], is_immutable, "a") == []


# --- the same store, distributed ------------------------------------------------------------------------------------


class Hashed:
    """Vectors made of hashes."""

    model, dimensions = "hashed", 8

    def embed(self, texts: Sequence[str], progress: Progress | None = None) -> EmbeddingBatch:
        digests = (hashlib.sha256(text.encode()).digest() for text in texts)
        return EmbeddingBatch([[number / 255 - 0.5 for number in digest[:8]] for digest in digests])


class ToldToSpread(Database):
    """One server, whose connections are told that the store is distributed."""

    def _configure(self, conn: StoreConnection, conninfo: str) -> None:
        super()._configure(conn, conninfo)
        conn.distributed = True


def _filled(database: Database, folder: Path) -> Engine:
    engine = Engine(database, database.settings, embedder=Hashed())
    report = engine.ingest([SAMPLE, write_law(folder)])
    assert not report.rejected
    import_overrides(database, SAMPLE / "overrides.csv")
    import_preemption(database, SAMPLE / "preemption.csv")
    import_synonyms(database, SAMPLE / "synonyms.csv")
    return engine


@pytest.fixture(scope="module")
def plain(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    settings = stores.clone(empty_template, traces="off")
    with Database(settings) as database:
        yield _filled(database, tmp_path_factory.mktemp("law"))
    stores.drop(settings)


@pytest.fixture(scope="module", params=["one server", "Citus"])
def spread(
    request: pytest.FixtureRequest, stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("law")
    if request.param == "one server":
        settings = stores.clone(empty_template, traces="off")
        with ToldToSpread(settings) as database:
            yield _filled(database, folder)
        stores.drop(settings)
        return
    if not CITUS:
        pytest.skip("no Citus cluster: LEXSCOPE_TEST_CITUS_URL does not name an empty database on a coordinator")
    with psycopg.connect(CITUS, autocommit=True) as conn:
        assert conn.execute("select to_regclass('legal_nodes')").fetchone() == (None,), "its database is not empty"
    try:
        for _ in range(2):  # what is distributed stays as it is
            assert run(app, ["init", "--distribute", "--database-url", CITUS]) == 0
        with Database(load_settings(database_url=CITUS, traces="off")) as database:
            with database.read() as conn:
                assert isinstance(conn, StoreConnection)
                assert conn.distributed
            yield _filled(database, folder)
    finally:
        with psycopg.connect(CITUS, autocommit=True) as conn:
            conn.execute("drop schema public cascade")
            conn.execute("create schema public")


QUESTIONS = (
    "security deposit interest", "how much may a landlord keep", "tenant last month rent", "lease", "green tea",
    "oolong", "wann ist der Tee zu kochen", "thé vert", "brewer", "record keeping",
)  # fmt: skip
PLACES = ("us-ma", "us", "us|us-ma", "us-dc", "gb", "fr", None)


def _urns(engine: Engine) -> list[str]:
    with engine.database.read() as conn:
        rows = conn.execute("select distinct urn from legal_nodes where rule_id = node_id order by 1").fetchall()
    return [row[0] for row in rows]


def test_contexts_are_those_of_one_server(plain: Engine, spread: Engine) -> None:
    urns = _urns(plain)
    assert urns == _urns(spread)
    assert len(urns) > 40
    told = [[(context.status, context.digest) for context in map(engine.context, urns)] for engine in (plain, spread)]
    assert told[0] == told[1]


def test_searches_are_in_the_order_of_one_server(plain: Engine, spread: Engine) -> None:
    for words in QUESTIONS:
        for place in PLACES:
            for mode in ("keyword", "semantic", "hybrid"):
                shown = [
                    [
                        (hit.urn, hit.score, hit.snippet)
                        for hit in engine.search(words, jurisdiction=place, mode=mode).results
                    ]
                    for engine in (plain, spread)
                ]
                assert shown[0] == shown[1], (words, place, mode)


def test_answers_are_those_of_one_server(plain: Engine, spread: Engine) -> None:
    for words in QUESTIONS:
        told = [engine.ask(words).model_dump(exclude={"trace_id"}) for engine in (plain, spread)]
        assert told[0] == told[1], words


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("page", [{}, {"limit": 3}, {"limit": 3, "offset": 2}, {"limit": 2, "offset": 500}])
def test_lists_and_their_pages_are_those_of_one_server(
    plain: Engine, spread: Engine, place: str | None, page: dict[str, int]
) -> None:
    for ask in (
        lambda engine: engine.search(jurisdiction=place, **page),
        lambda engine: engine.search(jurisdiction=place, tags={"in_force": "true"}, **page),
        *(
            lambda engine, key=key: engine.search(jurisdiction=place, discover=key, **page)
            for key in ("*", "edge_kinds", "court", "kind", "source", "jurisdiction")
        ),
        lambda engine: engine.list_documents(jurisdiction=place, **page),
        lambda engine: engine.list_documents(jurisdiction=place, type="decision", **page),
        lambda engine: engine.browse_structure(jurisdiction=place, provisions=True, **page),
    ):
        told = [ask(engine).model_dump() for engine in (plain, spread)]
        assert told[0] == told[1]


def test_references_decisions_and_edges_are_those_of_one_server(plain: Engine, spread: Engine) -> None:
    urns = _urns(plain)
    for ask in (
        *(lambda engine, urn=urn: engine.edges(urn, "outgoing") for urn in urns),
        *(lambda engine, urn=urn: engine.edges(urn, "incoming") for urn in urns),
        *(lambda engine, urn=urn: engine.search("tea", edges={"*": urn}) for urn in urns[:10]),
        *(lambda engine, number=number: engine.resolve_case(case_number=number) for number in ("T 1/20", "T", "1")),
        lambda engine: engine.resolve_case(case_name="Kettle"),
        lambda engine: engine.resolve("940 CMR 3.17(4)"),
        lambda engine: engine.document(urns[0]).model_copy(update={"source": None}),  # which says when it was read
    ):
        told = [ask(engine).model_dump() for engine in (plain, spread)]
        assert told[0] == told[1]


# NULL fits every type; what a statement finds with it does not matter.
def _values(statement: str, each: Sequence[str]) -> dict[str, Any]:
    names = set(re.findall(r"%\((\w+)\)[sb]", statement))
    lists = {
        name: ["us"] if name in each else ["us", "us-dc"]
        for name in re.findall(r"jurisdiction = any\(%\((\w+)\)s", statement)
    }
    one = dict.fromkeys(re.findall(r"jurisdiction = %\((\w+)\)s", statement), "us")
    return {**dict.fromkeys(names), **lists, **one, **({"jurisdiction": "us"} if "jurisdiction" in names else {})}


@pytest.mark.parametrize("name", sorted(set(PREPARED) - set(PREDICATES)))
def test_every_statement_is_accepted(spread: Engine, name: str) -> None:
    statement = filled(name)
    with spread.database.write() as conn:
        conn.execute(QUERIES["create_stage"])
        try:
            conn.execute(statement, _values(statement, sent_each().get(name, ())))
        except (errors.FeatureNotSupported, errors.InternalError_) as error:
            pytest.fail(str(error))
        except psycopg.Error:  # a column that may not be NULL, say: it was planned
            pass
        raise psycopg.Rollback


# --- making one, where it cannot be made ------------------------------------------------------------------------------


def test_without_the_extension_nothing_is_distributed_and_it_is_said(
    stores: Stores, empty_template: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = stores.clone(empty_template)
    with Database(settings) as database, pytest.raises(ConfigurationError, match=r"no extension citus.*every worker"):
        distribute(database)
    assert settings.database_url is not None
    assert run(app, ["init", "--distribute", "--database-url", settings.database_url.get_secret_value()]) == 2
    assert "shared_preload_libraries" in " ".join(capsys.readouterr().err.split())
    stores.drop(settings)
