"""The passages parser on invented rulebooks: the hierarchy from ids, headings, tables, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.contrib.passages_json import PassagesJson, component_key, split_id
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.paths import root_path


def write(folder: Path, passages: list[tuple[str, str]], **fields: object) -> Source:
    path = folder / "1.json"
    rows = [
        {"ID": f"id-{at}", "DocumentID": 1, "PassageID": one, "Passage": text, **fields}
        for at, (one, text) in enumerate(passages)
    ]
    path.write_text(json.dumps(rows, indent=4), encoding="utf-8")
    return Source(path, folder)


def parse(folder: Path, *passages: tuple[str, str]) -> ParsedDocument:
    document = PassagesJson().parse(write(folder, list(passages)))
    assert len(build_rows(document, root_path(document.corpus.urn))) == len(document.nodes)
    return document


def nodes(folder: Path, *passages: tuple[str, str]) -> dict[str, ParsedNode]:
    """The nodes by their URN after `urn:lex:ae:doc:passages-1:`."""
    document = parse(folder, *passages)
    return {node.urn.removeprefix("urn:lex:ae:doc:passages-1:"): node for node in document.nodes[1:]}


@pytest.mark.parametrize(
    ("identifier", "parts", "key"),
    [
        ("1.1.2", ("1", "1", "2"), "1:1:2"), ("1.1.1.(1)", ("1", "1", "1", "(1)"), "1:1:1:1"),
        ("3.2.1(2)(b)", ("3", "2", "1", "(2)", "(b)"), "3:2:1:2:b"), ("12)", ("12)",), "12"),
        ("Part 3.Chapter 1.7.(1)", ("Part 3", "Chapter 1", "7", "(1)"), "part_3:chapter_1:7:1"),
        ("PART 5.13A.1", ("PART 5", "13A", "1"), "part_5:13a:1"),
        ("APP2.A2.1.2", ("APP2", "A2", "1", "2"), "app2:a2:1:2"),
        ("7.1.3.Guidance on high-risk customers .1.", ("7", "1", "3", "Guidance on high-risk customers", "1"),
         "7:1:3:guidance-on-high-risk-customers:1"),
        ("APPENDIX.Appendix A:.65)", ("APPENDIX", "Appendix A:", "65)"), "appendix:appendix_a:65"),
        ("SECTION VIII.ANNEX 1", ("SECTION VIII", "ANNEX 1"), "section_viii:annex_1"), ("A.1.", ("A", "1"), "a:1"),
    ],
)  # fmt: skip
def test_ids_are_cut_into_levels(identifier: str, parts: tuple[str, ...], key: str) -> None:
    assert split_id(identifier) == parts
    assert ":".join(component_key(part) for part in parts) == key


def test_chapters_and_rules_and_paragraphs_have_their_ranks(tmp_path: Path) -> None:
    found = nodes(
        tmp_path, ("1.", "INTRODUCTION\n"), ("1.1", "Application"), ("1.1.1", ""), ("1.1.1.(1)", "A kite is red."),
        ("1.1.1.Guidance", ""), ("1.1.1.Guidance.1.", "Red means red."), ("1.1.2", "A kite flies if:\n(a)\tit is new."),
    )  # fmt: skip
    assert [(key, node.structure_type, node.level, node.kind) for key, node in found.items()] == [
        ("1", "CHAPTER", "chapter", "section"), ("1:1", "PART", "part", "section"),
        ("1:1:1", "SECTION", "rule", "legislation"), ("1:1:1:1", "SUBSECTION", "paragraph", "legislation"),
        ("1:1:1:guidance", "NOTE", "guidance", "legislation"),
        ("1:1:1:guidance:1", "PARAGRAPH", "paragraph", "legislation"), ("1:1:2", "SECTION", "rule", "legislation"),
    ]  # fmt: skip
    assert (found["1"].heading, found["1:1"].heading) == ("INTRODUCTION", "Application")
    assert found["1:1:2"].content_text == "A kite flies if:\n(a) it is new."
    assert found["1:1:1:1"].tags == {"passage_id": "1.1.1.(1)", "document_id": "1"}
    assert found["1:1:1:1"].aliases == ["id-3"]


def test_parts_of_an_act_hold_its_sections(tmp_path: Path) -> None:
    found = nodes(
        tmp_path, ("KITE REGULATIONS 2018", "\nRegulations on kites."), ("Part 1", "General"),
        ("Part 1.Chapter 2", "Strings"), ("Part 1.Chapter 2.5A.", "Length of strings"),
        ("Part 1.Chapter 2.5A.(1)", "A string is long."), ("Part 1.Chapter 2.6.", "Colours\n(1)\tA string is white."),
    )  # fmt: skip
    assert found["part_1:chapter_2"].level == "chapter"
    assert (found["part_1:chapter_2:5a"].structure_type, found["part_1:chapter_2:5a"].heading) == (
        "SECTION", "Length of strings",
    )  # fmt: skip
    assert (found["part_1:chapter_2:6"].heading, found["part_1:chapter_2:6"].text) == (
        "Colours", "(1) A string is white.",
    )  # fmt: skip
    assert parse(tmp_path, ("KITE REGULATIONS 2018", "A."), ("1", "B.")).nodes[0].heading == "KITE REGULATIONS 2018"


def test_a_missing_level_is_not_invented(tmp_path: Path) -> None:
    document = parse(tmp_path, ("1.", "KITES"), ("1.1.1.(1)", "A kite is red."))
    assert [(node.urn.rpartition("-1:")[2], node.number) for node in document.nodes[1:]] == [
        ("1", "1"), ("1:1:1:1", "1.1.1"),
    ]  # fmt: skip


def test_items_that_lost_the_beginning_of_their_id_follow_what_they_belong_to(tmp_path: Path) -> None:
    found = nodes(
        tmp_path, ("1.", "KITES"), ("1.1", "Red kites"), ("1.1.1", "A kite is red."), ("2.", "STRINGS"),
        ("2.1", "White strings"), ("2.1.Guidance", "Strings are white where:"), ("1.", "they are new;"),
        ("2.", "they are clean;"), ("3.", "they are dry."), ("3.", "LANTERNS"), ("3.1", "Lanterns burn."),
    )  # fmt: skip
    assert [key for key in found if "guidance" in key] == [f"2:1:guidance{value}" for value in ("", ":1", ":2", ":3")]
    assert found["3"].heading == "LANTERNS"


def test_two_passages_with_one_id_are_kept_and_reported(tmp_path: Path) -> None:
    document = parse(tmp_path, ("1.", "KITES"), ("1.1", "One kite."), ("1.1", "Another kite."))
    assert [node.number for node in document.nodes[2:]] == ["1", "1~2"]
    assert any("2 passages" in warning for warning in document.warnings)


def test_a_passage_apart_from_its_parent_is_moved_to_it_and_reported(tmp_path: Path) -> None:
    document = parse(tmp_path, ("1.", "KITES"), ("1.1", "One."), ("2.", "BOATS"), ("2.1", "Two."), ("1.2", "Three."))
    assert [node.text or node.heading for node in document.nodes[1:]] == ["KITES", "One.", "Three.", "BOATS", "Two."]
    assert any("stands apart" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("text", "heading", "words"),
    [
        ("INTRODUCTION\nThis Guidance is new.", "INTRODUCTION", "This Guidance is new."),
        ("A Person must\n(a)\tfly; or\n(b)\tland.", "", "A Person must\n(a) fly; or\n(b) land."),
        ("The Regulator may act\n(1)\tsoon.", "", "The Regulator may act\n(1) soon."),
        ("It applies to:\n(1)\tkites.", "", "It applies to:\n(1) kites."), ("One short line", "", "One short line"),
        ("/Table Start\nNo.\tKITE\n1.\tRed kite\n/Table End", "", "No. | KITE\n1. | Red kite"),
        ("Chapter \u200e2 sets out\xa0kites.", "", "Chapter 2 sets out kites."),
    ],
)  # fmt: skip
def test_headings_tables_and_marks_inside_a_passage(tmp_path: Path, text: str, heading: str, words: str) -> None:
    node = parse(tmp_path, ("1.1", text)).nodes[1]
    assert (node.heading, node.content_text) == (heading, words)


def test_a_file_of_two_documents_gives_two(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    rows = [{"ID": "a", "DocumentID": name, "PassageID": "1", "Passage": "A."} for name in (3, "7b")]
    path.write_text(json.dumps(rows), encoding="utf-8")
    source = Source(path, tmp_path)
    assert [document.urn for document in PassagesJson().documents(source)] == [
        "urn:lex:ae:doc:passages-3", "urn:lex:ae:doc:passages-7b",
    ]  # fmt: skip
    assert len({document.source_hash for document in PassagesJson().documents(source)} - {source.sha256()}) == 2
    with pytest.raises(IngestError, match="2 documents"):
        PassagesJson().parse(source)


@pytest.mark.parametrize(
    ("raw", "cause"),
    [
        (b'[{"ID": "a", "ID": "b"}]', "duplicate keys"), (b"[1]", "not a JSON object"), (b"{}", "array"),
        (b"[]", "no passage"), (b'["\xff"]', "UTF-8"), (b"[" * 9000, "nested too deeply|not valid JSON"),
        (b'[{"DocumentID": NaN}]', "not valid JSON"), (b'[{"DocumentID": null}]', "DocumentID"),
        (b'[{"DocumentID": 1, "PassageID": 3, "Passage": "SECRET"}]', "PassageID"),
        (b'[{"DocumentID": 1, "PassageID": "...", "Passage": "SECRET"}]', "no id"),
        (b'[{"DocumentID": 1, "PassageID": "' + b"1." * 60 + b'", "Passage": "SECRET"}]', "levels"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_passages_is_refused_without_its_words(tmp_path: Path, raw: bytes, cause: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(raw)
    with pytest.raises(IngestError, match=cause) as caught:
        PassagesJson().parse(Source(path, tmp_path))
    assert caught.value.file == "bad.json"
    assert "SECRET" not in caught.value.message


QUESTIONS = b'[{"QuestionID": "a", "Question": "Who?", "Passages": [{"DocumentID": 1, "PassageID": "1"}]}]'


@pytest.mark.parametrize(
    ("head", "claimed", "skipped"),
    [
        (b'[\n {\n "ID": "a",\n "DocumentID": 1,\n "PassageID": "1."', True, False),
        (b'[{"PassageID": "1", "Passage": "x", "DocumentID": "9"}]', True, False), (QUESTIONS, False, True),
        (b'[{"PassageID": "1", "Passage": "x"}]', False, False), (b'{"lexscope": 1}', False, False),
        (b'[ { "name": "i_number.json", "expect": "either" } ]', False, False), (b"<law/>", False, False),
        (b'{"n": 1, "path": "a", "text": "PassageID"}', False, False), (b"", False, False),
        (b'{"title": "General Data Protection Regulation", "regulation": "2016/679"}', False, False),
    ],
)  # fmt: skip
def test_passages_are_claimed_questions_skipped_and_other_files_left(head: bytes, claimed: bool, skipped: bool) -> None:
    one = PassagesJson()
    assert one.claims(Path("1.json"), head[:HEAD_BYTES]) is claimed
    assert bool(one.skips(Path("1.json"), head)) is skipped


IDS = st.lists(st.sampled_from(["1", "2", "(1)", "(a)", "A1", "Guidance", "Part 2"]), min_size=1, max_size=4)


@given(st.lists(IDS, min_size=1, max_size=25))
@settings(max_examples=60)
def test_every_passage_has_one_node_and_one_address(
    tmp_path_factory: pytest.TempPathFactory, ids: list[list[str]]
) -> None:
    passages = [(".".join(one), f"Passage number {at}.") for at, one in enumerate(ids)]
    document = parse(tmp_path_factory.mktemp("ids"), *passages)
    assert sorted(node.text for node in document.nodes[1:]) == sorted(text for _, text in passages)
    assert len({node.urn for node in document.nodes}) == len(passages) + 1
