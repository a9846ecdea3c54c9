"""The citation graph: edges get their targets by URN and by their words, are listed and counted, and end provisions."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from conftest import Stores
from law import DAY, document, node, rows, store

from rag import Engine
from rag.ingest.writing.edges import resolve_all_edges
from rag.jurisdictions.grammars import GRAMMARS
from rag.law.nodes import Corpus, Link, ParsedDocument, ParsedNode
from rag.store.database import Database
from retrieval.errors import InputError
from retrieval.references.citation_graph import edges_of
from retrieval.references.resolution import resolve_reference

U = "urn:lex:us:98usc"
T = date(2020, 1, 1)


def opinion(name: str, alias: str) -> ParsedDocument:
    urn = f"urn:lex:us:scotus-{name}"
    root = ParsedNode(urn, None, "ROOT", "decision", heading=name, kind="decision", aliases=[alias])
    return document([root], in_corpus=Corpus(urn=urn, title=name, language="en"))


def citing(*links: tuple[str, str, str, str]) -> ParsedDocument:
    nodes = [node(U), *(node(f"{U}:{n}", f"Section {n}.", level="section") for n in range(1, 5))]
    nodes.append(node(f"{U}:5", "Old.", level="section", valid_to=T, tags={"status": "repealed"}))
    return document(nodes, links=[Link(f"{U}:{at}", kind, words, target) for at, kind, words, target in links])


@pytest.fixture
def graph(database: Database) -> Database:
    store(
        database,
        opinion("347-us-483", "347 U.S. 483"),
        opinion("1-us-1", "1 U.S. 1"),
        opinion("1-us-1b", "1 U.S. 1"),
        citing(
            ("1", "cites", "section 2", f"{U}:2"),
            ("1", "cites", "347 US 483", ""),
            ("2", "cites", "1 U.S. 1", ""),
            ("2", "cites", "98 U.S.C. 9", f"{U}:9"),
            ("3", "subject_to", "section 2", f"{U}:2"),
            ("3", "repeals", "section 5", f"{U}:5"),
            ("3", "cites", "347 U.S. 483 and more", ""),
            ("4", "cites", "§ 2", ""),
            ("4", "cites", "section 2 of title 98", f"{U}:777"),
        ),
    )
    return database


def unresolved(database: Database) -> set[object]:
    return {row[0] for row in rows(database, "select reference from edges where target_id is null")}


def test_job_fills_targets_that_are_certain_and_leaves_all_others(graph: Database) -> None:
    report = resolve_all_edges(graph)
    left = {"1 U.S. 1", "98 U.S.C. 9", "347 U.S. 483 and more", "§ 2", "section 2 of title 98"}
    assert unresolved(graph) == left
    assert (report.by_words, report.unresolved) == (1, len(left))
    [(target,)] = rows(
        graph,
        "select n.urn from edges e join legal_nodes n on n.node_id = e.target_id and n.jurisdiction ="
        " e.target_jurisdiction where e.reference = '347 US 483'",
    )
    assert target == "urn:lex:us:scotus-347-us-483"


def test_job_run_again_changes_nothing_and_finds_what_came_since(graph: Database) -> None:
    resolve_all_edges(graph)
    again = resolve_all_edges(graph)
    assert (again.by_urn, again.by_words) == (0, 0)
    with graph.write() as conn:
        conn.execute("update legal_nodes set aliases = '{}' where urn = 'urn:lex:us:scotus-1-us-1b'")
    assert resolve_all_edges(graph).by_words == 1
    assert "1 U.S. 1" not in unresolved(graph)


@pytest.mark.parametrize(
    ("urn", "direction", "kind", "expected"),
    [
        ("1", "outgoing", None, [("cites", "1", "2", True), ("cites", "1", "", False)]),
        ("2", "incoming", None, [("cites", "1", "2", True), ("subject_to", "3", "2", True)]),
        ("2", "incoming", "subject_to", [("subject_to", "3", "2", True)]),
        ("2", "outgoing", None, [("cites", "2", "", False), ("cites", "2", "9", False)]),
        ("4", "incoming", None, []),
    ],
)
def test_edges_are_listed_from_either_end(
    graph: Database, urn: str, direction: str, kind: str | None, expected: list[tuple[object, ...]]
) -> None:
    with graph.read() as conn:
        page = edges_of(conn, f"{U}:{urn}", direction, at_date=DAY, kind=kind)  # pyright: ignore[reportArgumentType]
    short = [
        (edge.kind, edge.source_urn.removeprefix(f"{U}:"), edge.target_urn.removeprefix(f"{U}:"), edge.resolved)
        for edge in page.edges
    ]
    assert sorted(short, key=repr) == sorted(expected, key=repr)
    assert bool(page.message) == (not expected)
    assert page.total == len(expected)


def test_message_names_the_kinds_of_edges_that_exist(graph: Database) -> None:
    with graph.read() as conn:
        page = edges_of(conn, f"{U}:2", "incoming", at_date=DAY, kind="nonsense")
    assert page.message.endswith("of the kind nonsense at this date; kinds that exist: cites, subject_to.")


def test_pages_together_are_the_whole_graph_of_a_subtree(graph: Database) -> None:
    with graph.read() as conn:
        whole = edges_of(conn, U, "outgoing", at_date=DAY).edges
        pages = [edges_of(conn, U, "outgoing", at_date=DAY, limit=2, offset=at) for at in range(0, len(whole), 2)]
        beyond = edges_of(conn, U, "outgoing", at_date=DAY, offset=100)
        missing = edges_of(conn, f"{U}:99", "outgoing", at_date=DAY)
        with pytest.raises(InputError):
            edges_of(conn, U, "outgoing", at_date=DAY, limit=501)
    assert len(whole) == 9
    assert [edge for page in pages for edge in page.edges] == whole
    assert all(page.total == 9 for page in pages)
    assert beyond.edges == []
    assert "offset" in beyond.message
    assert "not in the store" in missing.message


def test_resolution_counts_what_cites_a_provision_and_says_what_ended_one(graph: Database) -> None:
    with graph.read() as conn:
        cited = resolve_reference(conn, GRAMMARS, f"{U}:2", today=DAY)
        ended = resolve_reference(conn, GRAMMARS, "98 U.S.C. 5", today=DAY)
    assert cited.candidates[0].cited_by == 2
    assert ended.urn == f"{U}:5"
    assert any("repealed since 2020-01-01" in warning for warning in ended.warnings)
    assert any(f"ended by {U}:3" in warning for warning in ended.warnings)


@pytest.mark.parametrize(
    ("reference", "near"),
    [
        ("98 U.S.C. 10", [f"{U}:9a", f"{U}:9b", f"{U}:11", f"{U}:12"]),
        (f"{U}:10", [f"{U}:9a", f"{U}:9b", f"{U}:11", f"{U}:12"]),
    ],
)
def test_neighbours_of_what_is_missing_are_near_by_number(database: Database, reference: str, near: list[str]) -> None:
    numbers = ("1", "2", "9a", "9b", "11", "12", "100", "101", "1000")
    store(
        database, document([node(U), *(node(f"{U}:{number}", f"S {number}.", level="section") for number in numbers)])
    )
    with database.read() as conn:
        found = resolve_reference(conn, GRAMMARS, reference, today=DAY)
    assert found.status == "not_found"
    places = [found.suggestions.index(name) for name in near]
    assert places == sorted(places)


def test_neighbours_by_tags_keep_everything_but_the_number(database: Database) -> None:
    urn = "urn:lex:fr:code-civil"
    nodes = [ParsedNode(urn, None, "ROOT", "corpus", heading="Code civil", kind="section")]
    for number, code in (("8", "Code civil"), ("9", "Code civil"), ("1239", "Code civil"), ("1240", "Code pénal")):
        tags = {"article_number": number, "code": code}
        own = f"{urn}:{number}" if code == "Code civil" else f"{urn}:x-{number}"
        nodes.append(ParsedNode(own, urn, "ARTICLE", "article", number, content_text=number, tags=tags))
    store(database, document(nodes, in_corpus=Corpus(urn=urn, title="Code civil", language="fr")))
    with database.read() as conn:
        found = resolve_reference(conn, GRAMMARS, "article 1240 du code civil", today=DAY)
    assert (found.status, found.suggestions) == ("not_found", [f"{urn}:8", f"{urn}:9", f"{urn}:1239"])


def test_every_reference_whose_target_is_in_the_store_is_resolved_on_real_law(
    stores: Stores, empty_template: str, shared_data: Path
) -> None:
    law = shared_data / "uscode-uslm"
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([law / "usc09.xml", law / "usc04.xml"])
        resolve_all_edges(engine.database)
        missed = rows(
            engine.database,
            "select e.target_urn from edges e where e.target_id is null and exists (select from legal_nodes n"
            " where n.urn = e.target_urn or e.target_urn = any(n.aliases))",
        )
        [(resolved,)] = rows(engine.database, "select count(*) from edges where target_id is not null")
    assert missed == []
    assert int(str(resolved)) > 50
