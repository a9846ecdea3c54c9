"""Every statement of the program is known by name, used, and accepted by PostgreSQL on the real schema."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import LiteralString

import pytest
from psycopg import sql

from rag.store.database import Database
from rag.store.schema import ensure_partition, partition_name
from retrieval.queries import QUERIES, fill, parse_queries, sql_folder

PROJECT = Path(__file__).resolve().parent.parent.parent
SOURCES = sorted([*PROJECT.glob("rag/**/*.py"), *PROJECT.glob("retrieval/**/*.py")])
COPIES = sorted(name for name, statement in QUERIES.items() if statement.lower().startswith("copy "))
# PREPARE takes queries only; these are run as they are.
UTILITIES = sorted(
    name
    for name, statement in QUERIES.items()
    if re.match(r"(analyze|create|drop|truncate|set|vacuum)\b", statement, re.I)
)
# Statements about Citus, which has tables of its own; tests/database/test_cluster.py sends them where it is.
CLUSTER = set(parse_queries((sql_folder() / "queries" / "cluster.sql").read_text("utf-8"), file="cluster.sql"))
UTILITIES = sorted(set(UTILITIES) - CLUSTER)
PREPARED = sorted(set(QUERIES) - set(COPIES) - set(UTILITIES) - CLUSTER)
# Predicates over a node `n` and expressions of it, prepared inside a statement.
PREDICATES = sorted(
    parse_queries((sql_folder() / "queries" / "predicates.sql").read_text("utf-8"), file="predicates.sql")
)
CHECKED = "checked"  # the jurisdiction that has a partition
# What the slots of statements are filled with here; other slots hold bound values.
TEXTS: dict[str, LiteralString | sql.Composable] = {
    "filters": "n.ordinal > 0", "filter": "n.ordinal > 0", "predicate": "n.ordinal > 0", "field": "n.level",
    "has_date": "n.ordinal > 0", "has_fitting_date": "n.ordinal > 1", "compare": ">=", "dimensions": sql.Literal(8),
    "model": sql.Literal("m/8"), "jurisdiction": sql.Literal(CHECKED), "index": sql.Identifier("checked_index"),
    "partition": sql.Identifier(partition_name(CHECKED)), "texts": QUERIES["find_texts_to_embed"],
    "candidates": fill(QUERIES["search_lexical"], filters="true"),
    "nearest": fill(QUERIES["search_nearest"], filters="true", dimensions=sql.Literal(8)),
    "ranked": fill(
        QUERIES["read_nearest"], nearest=fill(QUERIES["search_nearest"], filters="true", dimensions=sql.Literal(8))
    ),
    "sections": QUERIES["derive_sections"], "nodes": fill(QUERIES["nodes_with"], predicate="true"),
}  # fmt: skip
# Statements whose tables exist only inside the transaction that makes them.
STAGES = ("create_stage", "create_lexeme_stage")


def filled(name: str) -> LiteralString:
    """A named statement with a text in each of its slots."""
    slots = set(re.findall(r"/[*]slot:(\w+)[*]/", QUERIES[name]))
    return fill(QUERIES[name], **{slot: TEXTS.get(slot, sql.Placeholder(slot)) for slot in slots})


def numbered(statement: str) -> str:
    """The statement with $1, $2 ... for its named parameters."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    return re.sub(r"%\((\w+)\)[sb]", number, statement).replace("%%", "%")


@pytest.fixture(scope="module")
def store(stores, empty_template):
    with Database(stores.clone(empty_template)) as opened:
        ensure_partition(opened, CHECKED)
        yield opened


@pytest.mark.parametrize("name", PREPARED)
def test_a_named_query_is_accepted_on_the_real_schema(store: Database, name: str) -> None:
    with store.write() as conn:
        for stage in STAGES:
            if stage in QUERIES and stage not in name:
                conn.execute(QUERIES[stage])
        statement = f"select ({filled(name)}) from legal_nodes n" if name in PREDICATES else filled(name)
        if re.search(r"halfvec|\bavg\(", statement):
            known = conn.execute("select from pg_extension where extname = 'vector'").fetchone()
            if known is None:
                pytest.skip("the server has no pgvector: no statement about vectors is sent to it")
        conn.execute(f"prepare checked as {numbered(statement)}".encode())
        conn.execute("deallocate checked")


@pytest.mark.parametrize("name", UTILITIES)
def test_a_utility_statement_runs(store: Database, name: str) -> None:
    with store.write() as conn:
        conn.execute(filled(name))


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_statement_names_existing_columns(store: Database, name: str) -> None:
    with store.write() as conn:
        for stage in STAGES:
            if stage in QUERIES:
                conn.execute(QUERIES[stage])
        with conn.cursor() as cursor, cursor.copy(QUERIES[name]):
            assert cursor.rowcount <= 0


def used_names(tree: ast.AST) -> list[str]:
    """The names that a module looks up in QUERIES, and literals that may be such names on the way there."""
    return [
        node.slice.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "QUERIES"
        and isinstance(node.slice, ast.Constant)
    ]


@cache
def trees() -> dict[str, ast.Module]:
    """Every module of the program, by its path; read by the tests that look at them, and not by every worker."""
    return {file.relative_to(PROJECT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in SOURCES}


def test_every_query_that_python_names_exists() -> None:
    wrong = [(file, name) for file, tree in trees().items() for name in used_names(tree) if name not in QUERIES]
    assert wrong == []


def test_every_named_query_is_used() -> None:
    literals = {
        node.value for tree in trees().values() for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }  # fmt: skip
    assert sorted(set(QUERIES) - literals) == []


def _harmless(node: ast.expr, assigned: dict[str, list[ast.expr]], depth: int = 0) -> bool:
    """Whether a statement's text can hold nothing that a user or a source file wrote."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and node.value.id == "QUERIES"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "fill" and _harmless(node.args[0], assigned, depth)  # what fills a slot is of a type
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "format":  # sql.SQL(...).format(sql.Identifier(...)): composed, never pasted
            return _is_composable(node.func.value) and all(_is_composable(arg) for arg in (
                *node.args, *(keyword.value for keyword in node.keywords)
            ))  # fmt: skip
        return _is_composable(node)
    if isinstance(node, ast.Name) and depth < 3:
        values = assigned.get(node.id, [])
        return bool(values) and all(_harmless(value, assigned, depth + 1) for value in values)
    return False


def _is_composable(node: ast.expr) -> bool:
    """`sql.SQL(constant or QUERIES[...])`, `sql.Identifier(...)`, `sql.Literal(...)`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "sql"):
        return False
    if node.func.attr == "SQL":
        return len(node.args) == 1 and _harmless(node.args[0], {})
    return node.func.attr in ("Identifier", "Literal")


def pasted_statements(tree: ast.Module) -> list[str]:
    """Calls of `.execute`, `.copy` and `.stream` whose statement is not fixed text, a named query or composed SQL."""
    wrong: list[str] = []
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef):
            continue
        # A parameter comes from a caller that is itself checked.
        assigned: dict[str, list[ast.expr]] = {arg.arg: [ast.Constant("")] for arg in scope.args.args}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, []).append(node.value)
        for node in ast.walk(scope):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            if node.func.attr not in ("execute", "executemany", "copy", "stream"):
                continue
            statement = node.args[0]
            # A migration ships with the program, and so does sql/distribute.sql.
            migration = ast.unparse(statement) in ("step.statements.encode()", "shipped.encode()")
            if not (migration or _harmless(statement, assigned)):
                wrong.append(f"{scope.name}: {ast.unparse(statement)}")
    return sorted(set(wrong))


def test_no_module_pastes_text_into_a_statement() -> None:
    found = {file: pasted_statements(tree) for file, tree in trees().items()}
    assert {file: pasted for file, pasted in found.items() if pasted} == {}


def test_pasted_statements_are_found() -> None:
    source = """
def bad(conn, name, fixed):
    conn.execute(f"select * from {name}")
    conn.execute("select " + name)
    statement = "select %s" % name
    conn.execute(statement)
    conn.execute(sql.SQL(name))
    conn.execute(fill(f"select {name} /*slot:x*/", x="1"))
def good(conn, query):
    conn.execute("select 1")
    conn.execute(query)
    conn.execute(QUERIES["x"], {})
    conn.execute(fill(QUERIES["x"], x="1"), {})
    conn.execute(fill(query, x="1"), {})
    conn.execute(sql.SQL("select {}").format(sql.Literal(1)))
"""
    found = pasted_statements(ast.parse(source))
    assert len(found) == 5
    assert all(text.startswith("bad") for text in found)


GROWING = ("legal_nodes", "node_embeddings", "legal_definitions", "edges", "documents", "lexeme_stats",
           "language_stats", "editions", "edition_nodes")  # fmt: skip


def unbound_tables(statement: str) -> list[str]:
    """Growing tables that a statement reads or updates without naming their jurisdiction."""
    found = re.findall(
        rf"\b(?:from|join|update)\s+({'|'.join(GROWING)})\b(?:\s+(?!where|set|cross|left|join|on)(\w+))?", statement
    )
    return [
        table
        for table, alias in found
        if not re.search(
            rf"\b{alias + '[.]' if alias else ''}(?:target_)?jurisdiction = (?:any\()?%\(\w+\)s", statement
        )
    ]


@pytest.mark.parametrize("name", PREPARED)
def test_a_statement_names_the_jurisdiction_of_every_growing_table(name: str) -> None:
    # On a cluster it would be asked of every worker. Those that may be find out what the jurisdictions are, or count
    # everything for the operator.
    if name not in ("find_document_hashes", "count_documents", "count_rows"):
        assert unbound_tables(QUERIES[name]) == []


def test_tables_without_a_jurisdiction_are_found() -> None:
    joined = "select 1 from edges e join legal_nodes n on n.id = e.id where e.jurisdiction = any(%(codes)s)"
    assert unbound_tables(joined) == ["legal_nodes"]
    assert unbound_tables("update edges set validity = null where id = 1") == ["edges"]
    assert unbound_tables("select 1 from documents where jurisdiction = %(code)s") == []
