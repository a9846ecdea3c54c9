"""Several processes read, one stores: the same store and report for every number, and a death costs one file."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import law
import pytest
from conftest import Stores
from law import rows
from line_format import Lines, write_titles

from rag import Engine
from rag.ingest.pipeline import IngestReport
from rag.ingest.writing.progress import Progress
from rag.settings import Settings
from retrieval.errors import InputError

CONTENT = (
    "select urn, validity::text, source_hash, used_terms from legal_nodes order by 1, 2",
    "select term, scope_urn, phrase, node_path::text from legal_definitions order by 1, 2, 4",
    "select kind, reference, target_urn, target_id is null from edges order by 1, 2, 3",
    "select urn, source_hash, parser_version, nodes from documents order by 1",
    "select urn, documents, nodes from sources order by 1",
)


def content(engine: Engine) -> list[list[tuple[object, ...]]]:
    return [rows(engine.database, query) for query in CONTENT]


def report_of(result: IngestReport) -> dict[str, object]:
    return result.model_dump(exclude={"seconds"})


def test_store_and_report_are_the_same_for_every_number_of_processes(
    stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    folder = write_titles(tmp_path, 7, t3="fail")
    found: list[tuple[object, object]] = []
    for jobs in (1, 3):
        with Engine.open(stores.clone(empty_template, traces="off")) as engine:
            first = engine.ingest([folder], only=Lines(), jobs=jobs)
            again = engine.ingest([folder], only=Lines(), jobs=jobs)
            assert (first.documents, first.nodes, again.unchanged, again.documents) == (6, 36, 6, 0)
            assert [(rejected.file, rejected.line) for rejected in first.rejected] == [("title-03.lines", 1)]
            assert first.definitions > 0
            assert law.recorded(engine.database) == law.recount(engine.database)
            found.append((content(engine), report_of(first)))
    assert found[0] == found[1]


def test_a_process_that_dies_costs_the_file_it_was_reading(empty_settings: Settings, tmp_path: Path) -> None:
    folder = write_titles(tmp_path, 5, t2="die", t5="die")
    seen: list[Progress] = []
    with Engine.open(empty_settings) as engine:
        result = engine.ingest([folder], only=Lines(), jobs=2, report=seen.append)
        assert [(rejected.file, "SIGKILL" in rejected.cause) for rejected in result.rejected] == [
            ("title-02.lines", True), ("title-05.lines", True)
        ]  # fmt: skip
        assert result.documents == 3
        assert [(progress.done, progress.total) for progress in seen if not progress.step] == [
            (n, 5) for n in range(1, 6)
        ]
    assert multiprocessing.active_children() == []


def test_an_ingest_that_is_interrupted_leaves_no_process(empty_settings: Settings, tmp_path: Path) -> None:
    folder = write_titles(tmp_path, 6)

    def interrupt(told: Progress) -> None:
        if not told.step:
            raise KeyboardInterrupt

    with Engine.open(empty_settings) as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.ingest([folder], only=Lines(), jobs=2, report=interrupt)
        assert multiprocessing.active_children() == []
        assert rows(engine.database, "select count(*) from documents where format = 'lines'") == [(1,)]
        assert engine.ingest([folder], only=Lines()).documents == 5


def test_no_number_of_processes_below_zero_is_taken(empty_settings: Settings, tmp_path: Path) -> None:
    with Engine.open(empty_settings) as engine, pytest.raises(InputError, match="-1"):
        engine.ingest([tmp_path], jobs=-1)


def test_progress_tells_rate_remaining_time_and_what_is_being_done(empty_settings: Settings, tmp_path: Path) -> None:
    seen: list[Progress] = []
    with Engine.open(empty_settings) as engine:
        engine.ingest([write_titles(tmp_path, 2)], only=Lines(), jobs=0, report=seen.append)
    ends = [progress for progress in seen if not progress.step]
    assert [(end.nodes, end.seconds > 0, (end.remaining or 0) > 0) for end in ends] == [
        (6, True, True), (12, True, False)
    ]  # fmt: skip
    assert [(progress.done, progress.step) for progress in seen] == [
        (0, "reading"), (0, "storing 6 nodes"), (1, ""), (1, "reading"), (1, "storing 6 nodes"), (2, ""),
        (2, "looking up their references"),
    ]  # fmt: skip
