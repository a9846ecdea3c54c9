"""Published law of every format goes through the whole ingest, and a second run finds nothing to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine
from rag.ingest.formats.base import HEAD_BYTES
from rag.ingest.formats.registry import all_formats

# Published law, a folder or a file of it -> a question's worth of what must be findable in it afterwards.
PUBLISHED = {
    "cfpb-regs-json": "urn:lex:us:12cfr:1013.2",
    "de-gesetze-tei/BJNR000010949.xml": "urn:lex:de:gg:1",
    "eu-gdpr": "urn:lex:eu:32016r0679:4:1",
    "fr-legi-json": "urn:lex:fr:code-des-relations-entre-le-public-et-l-administration:l100-3",
    "jp-egov-xml": "urn:lex:jp:327ac0000000231:2:1",
    "uk-akn-lawmaker": "",
    "uk-clml/ukpga-2000-38-section-19.xml": "urn:lex:gb:ukpga-2000-38:19",
    "us-uslm2": "",
    "uscode-uslm/usc09.xml": "urn:lex:us:9usc:2",
}
LONG = ("cfpb-regs-json", "jp-egov-xml", "uk-akn-lawmaker", "us-uslm2")


@pytest.mark.parametrize(
    ("path", "urn"),
    [pytest.param(*case, marks=[pytest.mark.thorough] * (case[0] in LONG)) for case in PUBLISHED.items()],
)
def test_published_law_is_stored_and_then_unchanged(
    path: str, urn: str, stores: Stores, empty_template: str, shared_data: Path
) -> None:
    with Engine.open(stores.clone(empty_template)) as engine:
        report = engine.ingest([shared_data / path])
        assert not report.rejected
        assert report.documents > 0
        again = engine.ingest([shared_data / path])
        assert (again.documents, again.rejected) == (0, [])
        if urn:
            context = engine.context(urn)
            assert context.status == "ok"
            assert context.blocks


def test_no_published_file_is_claimed_by_two_formats(shared_data: Path) -> None:
    formats = all_formats()
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        for file in files[:: max(1, len(files) // 40)]:
            with file.open("rb") as stream:
                head = stream.read(HEAD_BYTES)
            assert len([reader.name for reader in formats if reader.claims(file, head)]) <= 1, file.name
