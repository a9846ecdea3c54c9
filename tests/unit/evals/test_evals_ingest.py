"""The ingest suite finds what a parser lost, doubled, moved or numbered wrongly, and explains only what is so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_laws import LAWS, write

from evals.rows import Row
from evals.suites.ingest.model import LAYOUT, LEFT_OUT, difference, first_difference
from evals.suites.ingest.pairs import Edition, compare, pairs
from evals.suites.ingest.readers import READERS
from evals.suites.ingest.suite import measure, read
from rag.ingest.formats.base import Format, Source
from rag.ingest.formats.registry import all_formats, discover
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode


def parsed(law: str, folder: Path) -> tuple[Format, Source, list[ParsedDocument]]:
    write(law, folder)
    ((one, source),) = discover(folder).sources
    return one, source, read(one, source)


def found(rows: list[Row]) -> dict[str, float]:
    return {row.metric: row.value for row in rows}


def test_every_reader_is_of_a_format_and_has_a_table_of_what_it_leaves_out() -> None:
    assert set(READERS) <= {reader.name for reader in all_formats()}
    assert set(READERS) == set(LEFT_OUT) == set(LAYOUT) == set(LAWS)


@pytest.mark.parametrize("law", LAWS)
def test_a_law_nobody_has_seen_equals_its_source(law: str, tmp_path: Path) -> None:
    write(law, tmp_path)
    report = measure([(tmp_path, law)])
    assert report.misses == []
    assert found(report.rows) == {
        "documents_equal": 1.0, "characters_lost": 0.0, "characters_doubled": 0.0,
    } | {row.metric: 1.0 for row in report.rows if row.metric == "sections_equal"}  # fmt: skip


def lost(nodes: list[ParsedNode]) -> None:
    last = next(node for node in reversed(nodes) if node.text)
    last.content_text = last.content_text[:-4] + "."


def doubled(nodes: list[ParsedNode]) -> None:
    last = next(node for node in reversed(nodes) if node.text)
    last.content_text += f" {last.content_text}"


def moved(nodes: list[ParsedNode]) -> None:
    first, second = [node for node in nodes if node.content_text][:2]
    first.content_text, second.content_text = second.content_text, first.content_text


@pytest.mark.parametrize("spoil", [lost, doubled, moved])
@pytest.mark.parametrize("law", LAWS)
def test_words_lost_doubled_or_moved_by_a_parser_are_found(
    law: str, spoil: Callable[[list[ParsedNode]], None], tmp_path: Path
) -> None:
    one, source, documents = parsed(law, tmp_path)
    spoil(documents[-1].nodes)
    assert any(case.source != case.kept for case in READERS[one.name](source, documents))


NUMBERED = sorted(set(LAWS) - {"courtlistener_jsonl"})  # opinions have no levels


@pytest.mark.parametrize("law", NUMBERED)
def test_a_section_that_a_parser_dropped_is_missed(law: str, tmp_path: Path) -> None:
    one, source, documents = parsed(law, tmp_path)
    document = documents[-1]
    gone = next(node for node in reversed(document.nodes) if node.text)
    document.nodes.remove(gone)
    (case,) = READERS[one.name](source, documents)
    assert len(case.kept_outline) < len(case.source_outline)


@pytest.mark.parametrize("law", ["akn", "clml", "dc_xml", "egov_xml", "gdpr_json", "regml", "uslm"])
def test_a_section_under_the_wrong_parent_is_missed(law: str, tmp_path: Path) -> None:
    one, source, documents = parsed(law, tmp_path)
    nodes = documents[0].nodes
    last = next(node for node in reversed(nodes) if node.text)
    before = next(node for node in reversed(nodes[: nodes.index(last)]) if node.text)
    last.parent_urn = before.urn
    (case,) = READERS[one.name](source, documents)
    assert case.kept_outline != case.source_outline


def test_a_refused_file_counts_as_a_document_that_is_not_equal(tmp_path: Path) -> None:
    write("uslm", tmp_path / "good")
    path = write("uslm", tmp_path / "bad")
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    report = measure([(tmp_path, "laws")])
    assert found(report.rows)["documents_equal"] == 0.5
    assert any("bad/law.xml" in miss for miss in report.misses)


def test_a_folder_without_law_measures_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing", encoding="utf-8")
    report = measure([(tmp_path, "empty")])
    assert (report.rows, report.notes) == ([], ["empty: holds no law that a format reads"])


# --- differences ------------------------------------------------------------------------------------------------------


@given(st.text("abcdefgh", max_size=60), st.text("xyz", min_size=1, max_size=9), st.data())
def test_one_cut_or_one_addition_is_counted_to_the_character(text: str, more: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    longer = text[:at] + more + text[at:]
    assert difference(longer, text) == (len(more), 0)
    assert difference(text, longer) == (0, len(more))
    assert first_difference(text, text) == ""
    assert f"at {len(_common(longer, text))}:" in first_difference(longer, text)


def _common(one: str, other: str) -> str:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return one[:same]


def test_a_difference_in_a_long_text_is_counted_by_pieces() -> None:
    text = "".join(f"Satz{number}." for number in range(2000))
    assert difference(text, text.replace("Satz7.", "").replace("Satz1800.", "")) == (15, 0)


# --- one law in two formats -------------------------------------------------------------------------------------------

LAW = "urn:lex:de:drachg"
LONG = "Ein Drachen fliegt nur, wenn der Wind weht und die Schnur hält"


def edition(name: str, *sections: tuple[str, str], day: date | None = None, source: str | None = None) -> Edition:
    corpus = Corpus(LAW, "Drachengesetz", "de")
    nodes = [ParsedNode(LAW, None, "ROOT", "gesetz", "DrachG")]
    nodes += [
        ParsedNode(f"{LAW}:{number}", LAW, "SECTION", "paragraph", number, content_text=text)
        for number, text in sections
    ]
    document = ParsedDocument(corpus, nodes, f"{name}.xml", name, "0", 1, edition_date=day)
    return Edition(name, document, "".join(text for _, text in sections) if source is None else source)


@pytest.mark.parametrize(
    ("one", "other", "kinds"),
    [
        (edition("a", ("1", LONG)), edition("b", ("1", f"  {LONG}")), {}),
        (edition("a", ("1", LONG)), edition("b", ("1", f"{LONG} oder nicht")), {"wording": 1}),
        (
            edition("a", ("1", LONG), day=date(2014, 1, 1)),
            edition("b", ("1", f"{LONG} oder nicht"), day=date(2022, 1, 1)),
            {"edition": 1},
        ),
        # What the other source has, its parser lost.
        (edition("a", ("1", LONG)), edition("b", ("1", LONG[:30]), source=LONG), {"unexplained": 1}),
        (edition("a", ("1", LONG)), edition("b", source=LONG), {"unexplained": 1}),
        (edition("a", ("1", LONG)), edition("b"), {"absent": 1}),
        (edition("a", ("1", LONG)), edition("b", ("2", LONG)), {"unexplained": 2}),
        (
            edition("a", ("1", LONG), ("2", LONG.upper() * 2)),
            edition("b", ("1", LONG.upper() * 2), ("2", LONG)),
            {"renumbered": 2},
        ),
    ],
)
def test_a_difference_is_explained_by_the_sources_or_not_at_all(
    one: Edition, other: Edition, kinds: dict[str, int]
) -> None:
    report = compare(one, other)
    assert dict(report.kinds) == kinds
    assert report.equal + sum(kinds.values()) == report.sections


def test_a_range_covers_the_sections_that_the_other_publication_lists() -> None:
    one, other = edition("a", ("3-6", "(weggefallen)")), edition("b", ("3", "(weggefallen)"))
    one.document.nodes[1].aliases.append(f"{LAW}:3")
    assert set(compare(one, other).kinds) == {"range"}


def test_unnumbered_paragraphs_may_be_cut_elsewhere_but_numbers_may_not() -> None:
    one, other = edition("a", ("1", LONG)), edition("b", ("1", LONG[:30]))
    rest = ParsedNode(f"{LAW}:1:text.2", f"{LAW}:1", "PARAGRAPH", "textteil", "text.2", content_text=LONG[30:])
    other.document.nodes[1].intro_text, other.document.nodes[1].content_text = LONG[:30], ""
    other.document.nodes.append(rest)
    assert dict(compare(one, other).kinds) == {"division": 1}
    other.document.nodes[-1] = replace(rest, urn=f"{LAW}:1:2", number="2", level="absatz")
    assert dict(compare(one, other).kinds) != {"division": 1}


def test_editions_of_one_day_are_compared_else_the_latest() -> None:
    day, later = date(2020, 1, 1), date(2021, 1, 1)
    assert pairs([("a", day, 0), ("a", later, 1), ("b", day, 2)]) == [(0, 2)]
    assert pairs([("a", day, 0), ("a", later, 1), ("b", None, 2)]) == [(1, 2)]
    assert pairs([("a", day, 0), ("a", later, 1)]) == []


# --- the folders of published law -------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize(
    "folder",
    ["cfpb-regml", "de-gesetze-tei", "ecfr-xml", "eu-gdpr", "fr-legi-json", "fr-legalize-md", "jp-egov-xml", "obliqa",
     "uk-akn-lawmaker", "uk-clml", "uk-judgments-akn", "us-scotus-opinions", "us-uslm2", "uscode-md-chunks",
     "uscode-uslm", "cfpb-regs-json", "dc-code-xml", "de-gesetze-md"],
)  # fmt: skip
def test_every_published_document_equals_its_source(folder: str, shared_data: Path) -> None:
    report = measure([(shared_data / folder, folder)])
    assert report.misses == []
    assert all(row.gate.meets(row.value) for row in report.rows)
    assert {"documents_equal", "characters_lost", "characters_doubled"} <= set(found(report.rows))
