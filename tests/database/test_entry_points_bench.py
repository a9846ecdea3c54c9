"""The benchmark's store is one that the product searches, and its raw statements are the product's own."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import Stores
from psycopg.conninfo import conninfo_to_dict

from evals.bench.entry_points import Bench
from evals.bench.peers import NAMES, OURS, Measured, Peers, plot, side_by_side
from evals.bench.questions import furnish, questions
from evals.bench.raw import recording, replay
from evals.bench.synthetic import load
from rag.store.database import Database
from retrieval.nodes import stored_jurisdictions


@pytest.fixture(scope="module")
def store(stores: Stores, empty_template: str):
    settings = stores.clone(empty_template)
    with Database(settings) as opened:
        load(opened, 1000, seed=3)
        furnish(opened, seed=3)
        yield opened
    stores.drop(settings)


def test_every_question_finds_the_node_that_it_is_about(store: Database) -> None:
    with store.read() as conn:
        bench = Bench(conn, conn, stored_jurisdictions(conn))
        asked = questions(conn, 8, seed=3)
        for one in asked:
            assert one.node in bench.lexical(one)
            assert bench.dense(one)[:10] == bench.exact(one)
            assert bench.question(one).status == "ok"
        assert sum(question.node in bench.ranked_or(question) for question in asked) >= 6
        assert len(questions(conn, 8, seed=3)) == 8
        assert [question.text for question in questions(conn, 8, seed=3)] == [question.text for question in asked]


def test_what_is_recorded_is_asked_again_and_gives_rows(store: Database) -> None:
    with store.read() as conn:
        one = questions(conn, 1, seed=3)[0]
        bench = Bench(conn, conn, stored_jurisdictions(conn))
    with recording(store.conninfo) as conn:
        bench.question(one, conn)
        statements = list(conn.statements)
    assert any("node_embeddings" in str(query) for query, _, _ in statements)
    with store.read() as conn:
        assert replay(conn, statements) > 20


def test_systems_that_are_not_installed_are_named_and_the_others_are_measured_in_turn(store: Database) -> None:
    with store.read() as conn:
        asked = questions(conn, 3, seed=3)
    with Peers(Path(sys.executable), store, asked, store.conninfo) as peers:
        assert {name: cause.split(":")[0] for name, cause in peers.missing.items()} == dict.fromkeys(
            NAMES, "not installed"
        )
        found = side_by_side(store, asked, peers, rounds=2)
    assert {name: (len(measured.took), measured.hits) for name, measured in found.items()} == {
        "entry_points": (6, 1.0),
        "question": (6, 1.0),
    }
    metrics = {row.metric for name, measured in found.items() for row in measured.rows("s", name)}
    assert {"question_ms_p50", "question_hit@10", "entry_points_ms_p95"} <= metrics


def test_the_plot_has_each_system_with_its_time_and_its_hits() -> None:
    found = {"question": Measured([4.0, 8.0], [2.0, 3.0], 0.9), "haystack": Measured([1.0, 3.0], [], 0.25)}
    drawn = ElementTree.fromstring(plot(found, "10 < 20"))
    told = " ".join("".join(drawn.itertext()).split())
    for part in ("10 < 20", OURS["question"], NAMES["haystack"], "0.90", "0.25", "6.0 ms", "2.5 ms", "2.0 ms"):
        assert part in told
    bars = [rect for rect in drawn.iter("{http://www.w3.org/2000/svg}rect") if rect.get("fill") != "white"]
    widths = [float(bar.attrib["width"]) for bar in bars]
    assert widths[0] == max(widths)
    assert widths[0] / widths[2] == pytest.approx(3.0, abs=0.01)


@pytest.mark.parametrize("keep", ["", "made of this"])
def test_the_tables_of_the_peers_stay_for_the_same_law_only_where_they_are_kept(store: Database, keep: str) -> None:
    with store.read() as conn:
        asked = questions(conn, 1, seed=3)
    name = f"{conninfo_to_dict(store.conninfo)['dbname']}_peers"

    def identity(kept_as: str) -> int | None:
        """The peers' database after a run; this interpreter has no peer, so that nothing is loaded."""
        with Peers(Path(sys.executable), store, asked, store.conninfo, keep=kept_as) as peers:
            assert peers.names == []
        with store.admin() as conn:
            row = conn.execute("select oid::bigint from pg_database where datname = %s", [name]).fetchone()
        return row[0] if row else None

    first = identity(keep)
    assert (first is not None) is bool(keep)
    assert identity(keep) == first
    if keep:
        assert identity("made of other law") not in (None, first)
    assert identity("") is None
