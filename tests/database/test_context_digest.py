"""One digest for one state of the store: over runs, workers, connections and restarts of the server."""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

from conftest import SAMPLE, share_of
from requirements import requirement

from rag import Engine
from rag.settings import Settings, load_settings

AT = date(2026, 1, 1)


def rules(engine: Engine) -> list[str]:
    with engine.database.read() as conn:
        found = conn.execute(
            "select distinct urn from legal_nodes where structure_type = 'SECTION' and validity @> %s order by urn",
            [AT],
        )
        return [row[0] for row in found][:3]


def digests(engine: Engine, urns: list[str]) -> list[str]:
    return [engine.context(urn, at_date=AT).digest for urn in urns]


def worker(settings: Settings, urns: list[str]) -> list[str]:
    """The digests as another process has them."""
    with Engine.open(settings) as engine:
        return digests(engine, urns)


@requirement("P1")
def test_a_hundred_runs_and_two_workers_give_one_digest(engine: Engine) -> None:
    urns = rules(engine)
    first = digests(engine, urns)
    assert len(set(first)) == len(urns) == 3
    with ThreadPoolExecutor(2) as threads:
        runs = list(threads.map(lambda _: digests(engine, urns), range(share_of(100))))
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        runs += processes.map(worker, [engine.settings] * 2, [urns] * 2)
    assert all(found == first for found in runs)


@requirement("P1")
def test_restarts_of_the_server_change_no_digest() -> None:
    # Not under pytest's own folder: as root the server runs as another user.
    with tempfile.TemporaryDirectory(prefix="lexscope-test-", ignore_cleanup_errors=True) as folder:
        settings = load_settings(data_dir=Path(folder), traces="off")
        with Engine.open(settings) as engine:
            assert not engine.ingest([SAMPLE]).rejected
            urns = rules(engine)
            first = digests(engine, urns)
        for _ in range(3):
            assert worker(settings, urns) == first
