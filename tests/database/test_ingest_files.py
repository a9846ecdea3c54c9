"""Files of several documents: what is known of one is told without reading it again; which tags become facets."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from law import DAY, C, document, node, rows

from rag import Engine
from rag.ingest.formats.base import Source
from rag.ingest.pipeline import IngestReport, ingest
from rag.law.nodes import ParsedDocument
from rag.store.database import Database
from retrieval.errors import IngestError, InputError


@dataclass
class Lines:
    """A format of one document a line, `number text`; counts how often a file was read."""

    name: str = "lines"
    version: int = 1
    reads: int = 0

    def claims(self, path: Path, head: bytes) -> bool:
        return True

    def skips(self, path: Path, head: bytes) -> str:
        return ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        return next(self.documents(source))

    def documents(self, source: Source) -> Iterator[ParsedDocument]:
        self.reads += 1
        for line in source.path.read_text().splitlines():
            number, _, text = line.partition(" ")
            if text == "damaged":
                raise IngestError("a damaged line", file=source.name)
            one = document([node(f"{C}:{number}"), node(f"{C}:{number}:1", text)])
            one.format, one.source = self.name, source.name
            one.warnings += [f"{source.name}:{number}: told with its line", "told"] if text == "warned" else []
            one.source_hash = hashlib.sha256(line.encode()).hexdigest()
            yield one


@pytest.fixture
def read(database: Database, tmp_path: Path):
    form = Lines()

    def once(name: str, text: str) -> tuple[int, int, int]:
        """Write a file and ingest it: documents stored, documents unchanged, times the format read it."""
        (tmp_path / name).write_text(text)
        before = form.reads
        report: IngestReport = ingest(database, [tmp_path / name], today=DAY, only=form)
        return report.documents, report.unchanged, form.reads - before

    return once


def test_what_leaves_nothing_in_the_store_says_so(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(InputError, match="nothing to ingest"):
        ingest(database, [], today=DAY)
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "missing"):
        caplog.clear()
        report = ingest(database, [path], today=DAY)
        assert [len(report.rejected), len(report.warnings)] == [1, 1]
        assert "nothing of what was named" in caplog.text
        assert path.name not in caplog.text


def test_one_path_alone_is_taken_as_itself(database: Database, tmp_path: Path) -> None:
    report = Engine(database, database.settings).ingest(str(tmp_path))
    assert [rejected.file for rejected in report.rejected] == [tmp_path.name]


def test_an_unchanged_file_of_several_documents_is_not_read_again(read) -> None:
    assert read("a.txt", "1 One.\n2 Two.\n3 Three.\n") == (3, 0, 1)
    assert read("a.txt", "1 One.\n2 Two.\n3 Three.\n") == (0, 3, 0)


def test_of_a_file_with_one_changed_document_only_that_one_is_stored(read) -> None:
    read("a.txt", "1 One.\n2 Two.\n")
    assert read("a.txt", "1 One.\n2 Zwei.\n") == (1, 1, 1)
    assert read("a.txt", "1 One.\n2 Zwei.\n") == (0, 2, 0)


@pytest.mark.parametrize("order", [("a.txt", "b.txt", "a.txt"), ("b.txt", "a.txt", "b.txt")])
def test_of_undated_files_with_one_document_the_last_by_name_stands(
    database: Database, read, order: tuple[str, ...]
) -> None:
    written = {"a.txt": "1 One.\n2 Two.\n", "b.txt": "2 Zwei.\n"}
    for name in order:
        read(name, written[name])
    found = rows(database, "select content_text from legal_nodes where urn = %s and upper_inf(validity)", f"{C}:2:1")
    assert found == [("Zwei.",)]


def test_a_file_that_could_not_be_read_to_its_end_is_tried_again(read) -> None:
    assert read("a.txt", "1 One.\n2 damaged\n") == (1, 0, 1)
    assert read("a.txt", "1 One.\n2 damaged\n") == (0, 1, 1)


def test_a_warning_names_its_file_once(database: Database, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 warned\n")
    report = ingest(database, [tmp_path], today=DAY, only=Lines())
    assert report.warnings == ["a.txt:1: told with its line", "a.txt: told"]
