"""What leaves the store in the native format comes back as the same law."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Stores
from requirements import requirement

from rag import Engine
from rag.cli.app import app as program
from rag.cli.app import run
from rag.cli.store import ExportReport, file_name
from rag.settings import Settings

PROJECT = Path(__file__).resolve().parent.parent.parent
SAMPLE = PROJECT / "rag" / "sample"
REGULATION = "urn:lex:ma:940cmr"
CORPORA = (REGULATION, "urn:lex:ma:mgl-93a", "urn:lex:us:16cfr")
DATES = ("1999-01-01", "2019-06-30", "2019-07-01", "2026-01-01")

Export = Callable[..., int]


def address(settings: Settings) -> str:
    assert settings.database_url is not None
    return settings.database_url.get_secret_value()


def lexscope(settings: Settings, *arguments: str) -> int:
    return run(program, ["--database-url", address(settings), *arguments])


def digests(settings: Settings, dates: tuple[str, ...], *, every: int = 1) -> dict[tuple[str, str], str]:
    """The digest of every rule's context at every date; of one in so many rules only where `every` says so."""
    with Engine.open(settings) as engine:
        with engine.database.read() as conn:
            rows = conn.execute(
                "select distinct urn from legal_nodes where structure_type in ('SECTION', 'SUBSECTION') order by urn"
            ).fetchall()
        return {(urn, day): engine.context(urn, at_date=day).digest for (urn,) in rows[::every] for day in dates}


def amended(folder: Path) -> Path:
    """The sample regulation with one provision changed, one removed, one moved down and one new."""
    lines = [json.loads(line) for line in (SAMPLE / "massachusetts_like_regulation.jsonl").read_text().splitlines()]
    lines[0]["edition_date"] = "2025-03-01"
    kept = [line for line in lines if not line.get("urn", "").startswith(f"{REGULATION}:3.18")]
    for entry in kept:
        if entry.get("urn") == f"{REGULATION}:3.17:2":
            entry["content_text"] = f"{entry['content_text']} The tenant may then withhold rent."
    new = dict(next(line for line in kept if line.get("urn") == f"{REGULATION}:3.12"))
    new |= {"urn": f"{REGULATION}:3.13", "number": "13", "heading": "New", "aliases": [], "valid_from": "2025-03-01"}
    kept.insert(kept.index(next(line for line in kept if line.get("urn") == f"{REGULATION}:3.11")), new)
    file = folder / "amended.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    return file


@requirement("P1")
def test_exported_and_ingested_elsewhere_the_sample_gives_the_same_contexts_at_every_date(
    sample_settings: Settings, stores: Stores, empty_template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for urn in CORPORA:
        assert lexscope(sample_settings, "export", urn, "--output", str(tmp_path / file_name(urn))) == 0
    other = stores.clone(empty_template)
    assert lexscope(other, "ingest", str(tmp_path)) == 0
    for name in ("override", "preemption"):
        file = SAMPLE / f"{name}s.csv" if name == "override" else SAMPLE / f"{name}.csv"
        assert lexscope(other, name, "import", str(file)) == 0
    assert "resolved" in capsys.readouterr().out
    before = digests(sample_settings, DATES)
    assert len(set(before.values())) > 100
    assert digests(other, DATES) == before


@requirement("P1")
def test_earlier_versions_and_removed_provisions_survive_the_round_trip(
    sample_settings: Settings, stores: Stores, empty_template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lexscope(sample_settings, "ingest", str(amended(tmp_path))) == 0
    out = tmp_path / "out"
    out.mkdir()
    for urn in CORPORA:
        assert lexscope(sample_settings, "export", urn, "--output", str(out)) == 0
    other = stores.clone(empty_template)
    assert lexscope(other, "ingest", str(out)) == 0
    for name in ("overrides", "preemption"):
        assert lexscope(other, name.removesuffix("s"), "import", str(SAMPLE / f"{name}.csv")) == 0
    days = ("2024-06-01", "2025-02-28", "2025-03-01")
    before = digests(sample_settings, days)
    assert before[f"{REGULATION}:3.17:2", days[1]] != before[f"{REGULATION}:3.17:2", days[2]]
    assert digests(other, days) == before
    assert "rejected" not in capsys.readouterr().out


def test_an_export_of_an_export_is_the_same_file(
    sample_settings: Settings,
    stores: Stores,
    empty_template: str,
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    file = tmp_path / "regulation.jsonl"
    assert lexscope(sample_settings, "export", REGULATION, "--output", str(file)) == 0
    capfdbinary.readouterr()
    assert lexscope(sample_settings, "export", REGULATION) == 0
    assert capfdbinary.readouterr().out == file.read_bytes()
    other = stores.clone(empty_template)
    assert lexscope(other, "ingest", str(file)) == 0
    again = tmp_path / "again.jsonl"
    assert lexscope(other, "export", REGULATION, "--output", str(again)) == 0
    assert again.read_bytes() == file.read_bytes()


def two_documents(folder: Path) -> None:
    corpus = {"urn": "urn:lex:us:1xyz", "title": "T", "language": "en"}
    for number in ("1", "2"):
        root = {
            "urn": f"urn:lex:us:1xyz:title_{number}", "parent_urn": "urn:lex:us:1xyz", "structure_type": "TITLE",
            "level": "title", "number": number, "heading": f"Title {number}",
        }  # fmt: skip
        lines = [{"lexscope": 1, "corpus": corpus}, root]
        (folder / f"{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_a_corpus_of_several_documents_needs_a_folder_and_gets_one_file_each(
    empty_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two_documents(tmp_path)
    assert lexscope(empty_settings, "ingest", str(tmp_path)) == 0
    capsys.readouterr()
    assert lexscope(empty_settings, "export", "urn:lex:us:1xyz") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "has 2 documents; name a folder" in said.err
    out = tmp_path / "out"
    assert lexscope(empty_settings, "export", "urn:lex:us:1xyz", "--output", str(out), "--json") == 0
    report = ExportReport.model_validate_json(capsys.readouterr().out)
    assert sorted(path.name for path in out.iterdir()) == ["us_1xyz_title_1.jsonl", "us_1xyz_title_2.jsonl"]
    assert [document.file for document in report.documents] == sorted(path.as_posix() for path in out.iterdir())
    assert lexscope(empty_settings, "export", "urn:lex:us:1xyz:title_2") == 0
    assert '"Title 2"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("urn", "status", "words"),
    [
        (f"{REGULATION}:3.17", 3, f"is a node of the corpus {REGULATION}"),
        ("urn:lex:fr:code-civil", 3, "urn:lex:fr:code-civil is not in the store"),
        ("nonsense", 2, "A URN looks like"),
    ],
)
def test_what_is_no_document_is_refused_and_leaves_no_file(
    sample_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str], urn: str, status: int, words: str
) -> None:
    assert lexscope(sample_settings, "export", urn, "--output", str(tmp_path / "x.jsonl")) == status
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_bad_input(
    sample_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lexscope(sample_settings, "export", REGULATION, "--output", str(tmp_path / "no" / "x.jsonl")) == 2
    assert "cannot be written there" in capsys.readouterr().err


@requirement("P10")
def test_what_the_format_cannot_say_per_version_is_said_in_a_warning(
    empty_settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = {"urn": "urn:lex:us:1xyz", "title": "T", "language": "en"}
    file = tmp_path / "law.jsonl"
    for text, terms, day in (("Fees are due.", ["fee"], "2020-01-01"), ("Dues are due.", ["due"], "2021-01-01")):
        lines = [
            {"lexscope": 1, "corpus": corpus, "annotated": True, "edition_date": day},
            {
                "urn": "urn:lex:us:1xyz", "structure_type": "ROOT", "level": "title", "heading": "T",
                "definitions": [{"term": name, "scope_urn": "urn:lex:us:1xyz"} for name in ("fee", "due")],
            },
            {
                "urn": "urn:lex:us:1xyz:1", "parent_urn": "urn:lex:us:1xyz", "structure_type": "SECTION",
                "level": "section", "content_text": text, "used_terms": terms, "valid_from": day,
            },
        ]  # fmt: skip
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        assert lexscope(empty_settings, "ingest", str(file)) == 0
    capsys.readouterr()
    assert lexscope(empty_settings, "export", "urn:lex:us:1xyz") == 0
    said = capsys.readouterr()
    assert "the versions of 1 nodes use different terms" in said.err
    header, *nodes = (json.loads(line) for line in said.out.splitlines())
    assert header["warnings"] == ["the versions of 1 nodes use different terms; here each has all of them"]
    assert [node.get("used_terms") for node in nodes] == [None, ["due", "fee"], None]


@pytest.mark.data
def test_real_law_survives_the_round_trip(
    shared_data: Path, stores: Stores, empty_template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = stores.clone(empty_template), stores.clone(empty_template)
    assert lexscope(first, "ingest", str(shared_data / "ecfr-xml" / "ECFR-title1.xml")) == 0
    assert lexscope(first, "export", "urn:lex:us:1cfr", "--output", str(tmp_path / "title.jsonl")) == 0
    assert lexscope(second, "ingest", str(tmp_path / "title.jsonl")) == 0
    before = digests(first, ("2026-01-01",), every=17)
    assert len(set(before.values())) > 50
    assert digests(second, ("2026-01-01",), every=17) == before
    capsys.readouterr()
