"""`python -m evals bench crash`: kill an ingest at random points; what is left, and what does a second run make of it?

Each point is a store of its own: a process ingests a folder of editions, is killed with SIGKILL at a random moment of
its run, and the folder is ingested again. Nothing may be torn after the kill, no lock may be left, and the second run
must end at the content of a run that nobody disturbed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from rag.ingest.pipeline import ingest
from rag.settings import load_settings
from rag.store.database import Database
from rag.store.embedded_server import embedded_server
from rag.store.schema import migrate

CORPUS = "urn:lex:us:crash"
TITLES, EDITIONS, SECTIONS = 3, 3, 20
FIRST_DAY = date(2020, 1, 1)
TODAY = date(2026, 1, 1)
NOTICE_SECONDS = 10.0  # within which a server must have noticed that its client died

_CONTENT = (
    "select urn, validity::text, source_hash, citation_path::text, ordinal, used_terms from legal_nodes",
    "select term, scope_urn, node_path::text, validity::text from legal_definitions",
    "select kind, reference, target_urn, target_id is null, validity::text from edges",
    "select urn, source_hash, parser_version, edition_date, nodes from documents",
    "select day, source, source_hash from editions",
    "select urn, since, stated::text, source_hash from edition_nodes",
    "select language, lexeme, document_frequency from lexeme_stats where document_frequency <> 0",
    "select language, nodes, words from language_stats where nodes <> 0",
    "select urn, documents, nodes from sources where nodes <> 0",  # a corpus is described before its first document
)
# Sections that an edition in the store shows and that are not in force on its day, or are with other words.
_TORN = """
    select count(*) from editions e join documents d on d.jurisdiction = e.jurisdiction and d.id = e.document_id
    where d.urn <> d.corpus_urn and (
        (select count(*) from legal_nodes n where n.document_id = d.id and n.kind = 'legislation'
            and n.validity @> e.day and (n.content_text like 'Always %%'
            or n.content_text like 'Edition ' || e.day || ' %%')) <> %s
        or (select count(*) from legal_nodes n where n.document_id = d.id and n.kind = 'legislation'
            and n.validity @> e.day) <> %s)"""
_WRONG_STATISTICS = """
    select count(*) from (
        select language, lexeme, document_frequency from lexeme_stats where document_frequency <> 0
        except select n.language, u.lexeme, count(*) from legal_nodes n cross join lateral unnest(n.fts) u group by 1, 2
    ) wrong"""
_LOCKS = """
    select count(*) from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())"""


@dataclass(frozen=True, slots=True)
class CrashReport:
    """What was found over all points; from `torn_documents` to `other_content` all is 0 where the promise holds."""

    points: int
    too_late: int  # further runs that had ended when their signal came
    torn_documents: int
    wrong_statistics: int
    locks_left: int
    other_content: int  # stores that the second run did not bring to the undisturbed content
    run_seconds: float  # an undisturbed run


def write_law(folder: Path) -> None:
    """Editions of titles of which every second section says its edition, in an order that no date gives."""
    for number in range(EDITIONS):
        day = FIRST_DAY + timedelta(days=100 * ((number * 2) % EDITIONS))
        for title in range(1, TITLES + 1):
            urn = f"{CORPUS}:{title}"
            corpus = {"urn": CORPUS, "title": "Crash Code", "language": "en"}
            lines: list[dict[str, object]] = [
                {"lexscope": 1, "corpus": corpus, "edition_date": day.isoformat()},
                {"urn": urn, "parent_urn": CORPUS, "structure_type": "TITLE", "level": "title", "kind": "section",
                 "number": f"{title}", "heading": f"Title {title}"},
            ]  # fmt: skip
            for section in range(1, SECTIONS + 1):
                says = f"Edition {day}" if section % 2 else "Always"
                text = f"{says} of this title: “unit {section}” means flat {title}. A unit {section} may be let."
                lines.append({
                    "urn": f"{urn}:{section}", "parent_urn": urn, "structure_type": "SECTION", "level": "section",
                    "number": f"{section}", "heading": f"Section {section}", "content_text": text,
                })  # fmt: skip
            words = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"{number}-{title}.jsonl").write_text(words, encoding="utf-8")


def content_hash(database: Database) -> str:
    """SHA-256 over everything that the store says, without ids and times."""
    digest = hashlib.sha256()
    with database.read() as conn:
        for query in _CONTENT:
            rows = conn.execute(query.encode()).fetchall()
            digest.update(repr(sorted(map(repr, rows))).encode())  # no two runs have one order of equal rows
    return digest.hexdigest()


def _ingest(url: str, folder: Path, started: Connection | None = None) -> None:
    with Database(load_settings(database_url=url, pool_size=2)) as database:
        database.describe()
        if started is not None:
            started.send(None)
        ingest(database, [folder], today=TODAY)


def crash(
    new_store: Callable[[], str], points: int, seed: int, report: Callable[[int], None] = lambda _: None
) -> CrashReport:
    """Kill and repeat.

    Args:
        new_store: makes an empty store and returns its connection string.
        points: how often.
        seed: which moments are chosen.
        report: called after each point.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rag.ingest.pipeline"])
    chosen = random.Random(seed)
    points_left, late = points, 0
    torn = statistics = locks = other = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_law(folder)
        url = new_store()
        _ingest(new_store(), folder)  # the first run of a process is slower
        since = time.monotonic()
        _ingest(url, folder)
        seconds = time.monotonic() - since
        with Database(load_settings(database_url=url)) as database:
            expected = content_hash(database)
        while points_left:
            url = new_store()
            receiver, sender = context.Pipe(duplex=False)
            child = context.Process(target=_ingest, args=(url, folder, sender))
            child.start()
            sender.close()
            receiver.recv()  # it is at work
            child.join(timeout=chosen.uniform(0.0, seconds))
            child.kill()
            child.join()
            if child.exitcode == 0:
                late += 1
                continue
            points_left -= 1
            with Database(load_settings(database_url=url, pool_size=2)) as database:
                locks += _left(database)
                torn += _count(database, _TORN, SECTIONS, SECTIONS)
                statistics += _count(database, _WRONG_STATISTICS) > 0
                ingest(database, [folder], today=TODAY)
                other += content_hash(database) != expected
            report(points - points_left)
    return CrashReport(points, late, torn, statistics, locks, other, round(seconds, 2))


def _left(database: Database) -> int:
    """Locks that are still held when the server has had time to notice the death."""
    until = time.monotonic() + NOTICE_SECONDS
    while (found := _count(database, _LOCKS)) and time.monotonic() < until:
        time.sleep(0.01)
    return found


def _count(database: Database, query: str, *values: object) -> int:
    with database.read() as conn:
        row = conn.execute(query.encode(), values or None).fetchone()
    return int(row[0]) if row else 0


def _create(conn: psycopg.Connection, conninfo: str, name: str, template: str) -> str:
    create = sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template))
    conn.execute(create)
    return make_conninfo(conninfo, dbname=name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the points on an embedded server of its own, and print the report.

    Args:
        arguments: without the program's name; the process's own where None.

    Returns:
        0 where every promise held, else 1.
    """
    parser = argparse.ArgumentParser(prog="python -m evals bench crash", description="Kill an ingest at random points.")
    parser.add_argument("--points", type=int, default=200, metavar="N", help="how often (%(default)s)")
    parser.add_argument("--seed", type=int, default=20260101, metavar="N", help="which moments (%(default)s)")
    given = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="lexscope-crash-", ignore_cleanup_errors=True) as name,
        embedded_server(Path(name) / "pg18", idle_seconds=0) as conninfo,
        psycopg.connect(make_conninfo(conninfo, dbname="postgres"), autocommit=True) as conn,
    ):
        template = _create(conn, conninfo, "template_crash", "template1")
        with Database(load_settings(database_url=template)) as database:
            migrate(database)
        made: list[str] = []

        def new_store() -> str:
            if len(made) > 1:  # the one before last is done with
                conn.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(made[-2])))
            made.append(f"point_{len(made)}")
            return _create(conn, conninfo, made[-1], "template_crash")

        def tell(done: int) -> None:
            print(f"\r{done}/{given.points}", end="", file=sys.stderr, flush=True)

        found = crash(new_store, given.points, given.seed, tell)
    print(file=sys.stderr)
    print(json.dumps(asdict(found), indent=2))
    wrong = found.torn_documents or found.wrong_statistics or found.locks_left or found.other_content
    return 1 if wrong or not found.points else 0


if __name__ == "__main__":
    sys.exit(main())
