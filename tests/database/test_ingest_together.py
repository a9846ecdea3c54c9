"""Many writers and readers at once: one generation, no deadlock, no mixture."""

from __future__ import annotations

import multiprocessing
import random
import threading
from datetime import timedelta
from pathlib import Path

import law
from law import DAY, C, corpus, document, linked_titles, node, rows

from evals.suites.ingest.crash import content_hash, write_law
from rag.ingest.pipeline import IngestReport, ingest, ingest_document
from rag.law.nodes import ParsedDocument
from rag.settings import load_settings
from rag.store.database import Database


def at_once(work: list[object]) -> list[BaseException]:
    """Run callables in threads; what they raised."""
    raised: list[BaseException] = []

    def run(one: object) -> None:
        try:
            one()  # pyright: ignore[reportCallIssue]
        except BaseException as error:  # every failure of a thread is the test's to judge
            raised.append(error)

    threads = [threading.Thread(target=run, args=(entry,)) for entry in work]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return raised


def test_threads_that_ingest_the_same_documents_leave_one_generation(database: Database) -> None:
    def work(seed: int) -> None:
        documents = linked_titles()
        random.Random(seed).shuffle(documents)
        for parsed in documents:
            ingest_document(database, parsed, today=DAY, effective=None, result=IngestReport())

    assert at_once([lambda seed=seed: work(seed) for seed in range(4)]) == []
    assert rows(database, "select urn, count(*) from legal_nodes group by urn having count(*) > 1") == []
    assert rows(database, "select count(*) from legal_definitions") == [(3,)]
    assert rows(database, "select count(*) from edges") == [(6,)]
    assert law.recorded(database) == law.recount(database)
    assert law.locks(database) == []


def ingest_shuffled(url: str, folder: Path, seed: int) -> None:
    """One process of several; it ends with an exit code other than 0 where anything was rejected or failed."""
    files = sorted(folder.iterdir())
    random.Random(seed).shuffle(files)
    with Database(load_settings(database_url=url, pool_size=2)) as database:
        assert ingest(database, files, today=DAY).rejected == []


def test_eight_processes_that_ingest_the_same_files_leave_what_one_leaves(stores, empty_template, tmp_path) -> None:
    write_law(tmp_path)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["rag.ingest.pipeline"])
    hashes: list[str] = []
    for workers in (1, 8):
        given = stores.clone(empty_template)
        url = given.database_url.get_secret_value()
        started = [context.Process(target=ingest_shuffled, args=(url, tmp_path, n)) for n in range(workers)]
        for process in started:
            process.start()
        for process in started:
            process.join()
        assert [process.exitcode for process in started] == [0] * workers
        with Database(given) as database:
            hashes.append(content_hash(database))
            assert law.locks(database) == []
            assert law.recorded(database) == law.recount(database)
    assert hashes[0] == hashes[1]


def test_threads_that_amend_different_documents_never_deadlock(database: Database) -> None:
    halves = [[f"{letter}{n:03}" for n in range(400)] for letter in "az"]

    def edition(title: int, number: int) -> ParsedDocument:
        # Every other document takes back the words that the others bring in, and the other way round.
        chosen = random.Random(f"{title}/{number}").sample(halves[(title + number) % 2], 300)
        return document([node(f"{C}:{title}"), node(f"{C}:{title}:1", " ".join(chosen), heading="")])

    def amend(title: int) -> None:
        for number in range(12):  # all of one day, so that each takes the last one's versions back
            ingest_document(database, edition(title, number), today=DAY, effective=None, result=IngestReport())

    assert at_once([lambda title=title: amend(title) for title in range(1, 5)]) == []
    assert law.recorded(database) == law.recount(database)


def test_a_reader_never_sees_two_generations_of_a_document_at_once(database: Database) -> None:
    done = threading.Event()
    mixed: list[object] = []

    def edition(number: int) -> ParsedDocument:
        return document([node(f"{C}:1"), *(node(f"{C}:1:{n}", f"Generation {number}.") for n in range(1, 6))])

    def write() -> None:
        try:
            for number in range(12):
                day = DAY + timedelta(days=number)
                ingest_document(database, edition(number), today=day, effective=None, result=IngestReport())
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            seen = rows(
                database, "select content_text from legal_nodes where upper_inf(validity) and kind = 'legislation'"
            )
            if len(set(seen)) > 1 or len(seen) not in (0, 5):
                mixed.append(seen)

    ingest_document(database, edition(99), today=DAY - timedelta(days=1), effective=None, result=IngestReport())
    assert at_once([write, read, read]) == []
    assert mixed == []


def test_a_corpus_has_one_root_whoever_stored_the_first_document(database: Database) -> None:
    assert corpus().urn == C
    work = [lambda n=n: law.store(database, document([node(f"{C}:{n}"), node(f"{C}:{n}:1", "x")])) for n in range(1, 5)]
    assert at_once(list(work)) == []
    assert rows(database, "select count(*) from legal_nodes where urn = %s", C) == [(1,)]
    roots = rows(database, "select distinct ancestor_ids[1] from legal_nodes")
    assert roots == rows(database, "select node_id from legal_nodes where urn = %s", C)
