"""A writer that is killed in the middle of an ingest leaves one generation of its document, and no lock."""

from __future__ import annotations

import multiprocessing
import random
from datetime import timedelta
from multiprocessing.connection import Connection

import law
from law import DAY, document, node, rows

from evals.suites.ingest.crash import CrashReport, crash
from rag.ingest.pipeline import IngestReport, ingest_document
from rag.law.nodes import Definition, Link, ParsedDocument
from rag.settings import load_settings
from rag.store.database import Database
from retrieval.queries import QUERIES

C = "urn:lex:us:tc"
SECTIONS = 25
KILLS = 4


def edition(number: int) -> ParsedDocument:
    """A title of which every section, definition and edge says its edition."""
    urns = [f"{C}:1:{n}" for n in range(1, SECTIONS + 1)]
    return document(
        [node(f"{C}:1"), *(node(urn, f"Edition {number} of “unit”.") for urn in urns)],
        [Definition(f"unit of edition {number}", urn, f"{C}:1") for urn in urns],
        [Link(urn, "cites", f"edition {number}", f"{C}:1") for urn in urns],
    )


def amend_for_ever(url: str, started: Connection) -> None:
    """Store one edition after the other, each a day later, until killed."""
    with Database(load_settings(database_url=url, pool_size=2)) as database:
        with database.read() as conn:
            row = conn.execute(
                "select coalesce(max(generation), 0) from documents where urn = %s", [f"{C}:1"]
            ).fetchone()
        assert row is not None
        number = int(row[0])
        while True:
            number += 1
            today = DAY + timedelta(days=number // 2)  # every other edition takes back the one before
            ingest_document(database, edition(number), today=today, effective=None, result=IngestReport())
            started.send(number)


def test_a_writer_killed_at_any_point_leaves_one_generation_and_no_lock(database: Database) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rag.ingest.pipeline"])
    url = database.conninfo
    chosen = random.Random(20260101)
    last = 0
    for _ in range(KILLS):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=amend_for_ever, args=(url, sender))
        child.start()
        sender.close()
        assert receiver.poll(60)  # it is at work
        child.join(timeout=chosen.uniform(0.0, 0.15))
        assert child.is_alive()
        child.kill()
        child.join()
        with database.write() as conn:  # each waits until the server has noticed and undone what was begun
            conn.execute(QUERIES["lock_document"], {"urn": f"{C}:1"})
            conn.execute(QUERIES["lock_document"], {"urn": C})
            conn.execute(QUERIES["lock_statistics"], {"jurisdiction": "us"})
        current = rows(
            database,
            "select d.generation, n.content_text, e.reference, f.term from documents d"
            " join legal_nodes n on n.document_id = d.id and n.kind = 'legislation' and upper_inf(n.validity)"
            " left join edges e on e.node_version_id = n.id left join legal_definitions f on f.node_version_id = n.id"
            " where d.urn = %s",
            f"{C}:1",
        )
        assert len(current) == SECTIONS
        assert len(set(current)) == 1
        generation, text, reference, term = current[0]
        assert (text, reference, term) == (
            f"Edition {generation} of “unit”.", f"edition {generation}", f"unit of edition {generation}"
        )  # fmt: skip
        assert isinstance(generation, int)
        assert generation > last
        last = generation
        assert law.locks(database) == []
        assert law.recorded(database) == law.recount(database)
    law.store(database, edition(last + 1), today=DAY + timedelta(days=last))
    assert law.recorded(database) == law.recount(database)


def test_an_ingest_killed_at_random_points_ends_where_an_undisturbed_one_does(stores, empty_template) -> None:
    def new_store() -> str:
        return stores.clone(empty_template).database_url.get_secret_value()

    found = crash(new_store, points=3, seed=20260101)
    assert found == CrashReport(3, found.too_late, 0, 0, 0, 0, found.run_seconds)
