"""The parser of U.S. Code chunks on invented law: every oddity of the publication, and what it refuses."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.contrib.md_statutes_jsonl import MdStatutesJsonl, Paragraph, is_caption, place, ranks
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError
from retrieval.roman import to_roman

TITLE = "# Title 90— KITES AND LANTERNS"
CHAPTER = "### CHAPTER 1— KITES"


def chunk(*lines: str, chapter: str = CHAPTER, title: str = TITLE) -> str:
    return "\n" + "\n".join((title, chapter)) + "\n" + "\n\n".join(lines) + "\n"


def write(folder: Path, *texts: str) -> Source:
    rows = [{"n": n, "path": f"chunks/title-90/chunk-{n}.md", "text": text} for n, text in enumerate(texts, start=1)]
    path = folder / "title-90.jsonl"
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return Source(path, folder)


def parse(folder: Path, *texts: str) -> ParsedDocument:
    document = MdStatutesJsonl().parse(write(folder, *texts))
    assert len(build_rows(document, None)) == len(document.nodes)
    return document


def section(folder: Path, *lines: str) -> dict[str, ParsedNode]:
    """The nodes of one section, by their URN after `urn:lex:us:90usc:`."""
    document = parse(folder, chunk("#### §\u202f5. Flying of kites", *lines))
    return {node.urn.removeprefix("urn:lex:us:90usc:"): node for node in document.nodes}


def test_a_section_stands_directly_under_its_title_by_urn_and_under_its_chapter_by_parent(tmp_path: Path) -> None:
    document = parse(tmp_path, chunk("#### §\u202f7a–1. Night flights", "No kite flies at night."))
    title, chapter, rule = document.nodes
    assert (title.urn, title.parent_urn, title.kind) == ("urn:lex:us:90usc", None, "section")
    assert (chapter.urn, chapter.level, chapter.heading) == ("urn:lex:us:90usc:chapter_1", "chapter", "KITES")
    assert (rule.urn, rule.parent_urn) == ("urn:lex:us:90usc:7a-1", chapter.urn)
    assert (rule.heading, rule.content_text) == ("Night flights", "No kite flies at night.")
    assert rule.tags == {"code": "USC", "title": "90", "section_number": "7a-1"}
    assert rule.aliases == ["/us/usc/t90/s7a-1", "/us/usc/t90/s7a–1"]
    assert document.corpus.title == "United States Code, Title 90 (KITES AND LANTERNS)"


def test_levels_follow_the_order_of_the_code(tmp_path: Path) -> None:
    lines = ("##### (a) General", "(1) One", "(A) alpha", "(i) first", "(I) deep", "(aa) deeper", "(AA) deepest.")
    nodes = section(tmp_path, *lines)
    assert [node.level for node in list(nodes.values())[3:]] == [
        "subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem",
    ]  # fmt: skip
    assert nodes["5:a:1:a:i:i:aa:aa"].content_text == "deepest."


def test_a_heading_is_a_caption_and_a_lead_in_whose_dash_is_lost_is_not(tmp_path: Path) -> None:
    nodes = section(
        tmp_path, "##### (a) Duties of flyers", "A flyer shall not fly unless", "(1) the wind is fair; and",
        "(2) Permit", "The permit is carried.", "###### (b) Whenever used in this section", "(1) kite means a toy;",
    )  # fmt: skip
    assert (nodes["5:a"].heading, nodes["5:a"].intro_text) == ("Duties of flyers", "A flyer shall not fly unless")
    assert (nodes["5:a:1"].heading, nodes["5:a:1"].content_text) == ("", "the wind is fair; and")
    assert (nodes["5:a:2"].heading, nodes["5:a:2"].content_text) == ("Permit", "The permit is carried.")
    assert (nodes["5:b"].heading, nodes["5:b"].intro_text) == ("", "Whenever used in this section")


@pytest.mark.parametrize(
    ("words", "before_list", "before_words", "expected"),
    [
        ("In general", True, False, True), ("Antitrust Division", False, True, True),
        ("High-cost kite .", True, False, True),
        ("The term “kite” means", True, False, False), ("in the case of rain", False, True, False),
        ("Any person who flies", True, False, False), ("Records, except those of", False, True, False),
        ("Records;", False, True, False), ("Records", False, False, False),
    ],
)  # fmt: skip
def test_captions_are_told_from_sentences(words: str, before_list: bool, before_words: bool, expected: bool) -> None:
    assert is_caption(words, before_list=before_list, before_words=before_words) is expected


def test_headings_that_the_next_chunk_repeats_are_one(tmp_path: Path) -> None:
    heading = "#### §\u202f5. Flying"
    document = parse(
        tmp_path,
        chunk(heading, "##### (d) Penalties", "(1)", "######## (A) A flyer pays if", "(i) careless; or", "(B)"),
        chunk(heading, "##### (d) Penalties", "######## (A) A flyer pays if", "######### (i) a court may ask",
              "(2) end."),
    )  # fmt: skip
    nodes = {node.urn.removeprefix("urn:lex:us:90usc:5"): node for node in document.nodes[2:]}
    assert list(nodes) == ["", ":d", ":d:1", ":d:1:a", ":d:1:a:i", ":d:1:b", ":d:1:b:i", ":d:2"]
    assert nodes[":d:1:a"].intro_text == "A flyer pays if"
    assert nodes[":d:1:b:i"].content_text == "a court may ask"


def test_a_caption_awaited_by_a_bare_designator_is_not_a_repetition(tmp_path: Path) -> None:
    heading = "#### §\u202f5. Flying"
    document = parse(
        tmp_path,
        chunk(heading, "##### (a) Rules", "(1) Day", "######## (A) In general", "Fly.", "(2)"),
        chunk(heading, "##### (a) Rules", "######## (A) In general", "Do not fly."),
    )
    texts = {node.urn.removeprefix("urn:lex:us:90usc:5:"): node.text for node in document.nodes}
    assert (texts["a:1:a"], texts["a:2:a"]) == ("Fly.", "Do not fly.")


def test_subchapters_announced_by_the_last_lines_of_a_chunk_hold_what_follows(tmp_path: Path) -> None:
    document = parse(
        tmp_path,
        chunk("SUBCHAPTER I— STRINGS", "Part A— Short Strings"),
        chunk("#### §\u202f1. Length", "Short.", "Part B— Long Strings"),
        chunk("#### §\u202f2. Length", "Long.", "SUBCHAPTER II–A— TAILS"),
        chunk("#### §\u202f3. Tails", "Red."),
        chunk("#### §\u202f9. Wicks", "Dry.", chapter="### CHAPTER 2— LANTERNS"),
    )
    parents = {node.number: node.parent_urn for node in document.nodes if node.level == "section"}
    stem = "urn:lex:us:90usc:chapter_1"
    assert parents == {
        "1": f"{stem}:subchapter_i:part_a", "2": f"{stem}:subchapter_i:part_b", "3": f"{stem}:subchapter_ii-a",
        "9": "urn:lex:us:90usc:chapter_2",
    }  # fmt: skip
    assert all("Part B" not in node.text for node in document.nodes)


def test_a_roman_i_after_h_is_a_letter_and_before_ii_a_numeral(tmp_path: Path) -> None:
    letters = [f"({chr(97 + at)}) Rule." for at in range(8)]
    nodes = section(tmp_path, *letters, "(i) Next rule.", "(j) Last rule.")
    assert "5:i" in nodes
    nodes = section(tmp_path, *letters[:-1], "(h) These:", "(1) one", "(A) alpha", "(i) first;", "(ii) second.")
    assert "5:h:1:a:ii" in nodes


def test_older_acts_print_letters_below_numerals(tmp_path: Path) -> None:
    nodes = section(tmp_path, "(1) Whoever shall", "(a) fly; or", "(b) land,", "(2) Whoever shall", "(A) light.")
    assert nodes["5:1:b"].content_text == "land,"
    assert nodes["5:2:a"].content_text == "light."


def test_flush_text_closes_its_list_and_a_second_list_gets_a_node_of_its_own(tmp_path: Path) -> None:
    nodes = section(
        tmp_path, "The word “kite” means a toy", "(1) flown, or", "(2) kept,", "to please a person.",
        "The word “string” means a line", "(1) of silk, or", "(2) of hemp,", "to hold a kite.",
    )  # fmt: skip
    assert nodes["5"].intro_text == "The word “kite” means a toy"
    assert nodes["5:p.1"].text == "to please a person."
    assert (nodes["5:p.2"].intro_text, nodes["5:p.2"].content_text) == (
        "The word “string” means a line", "to hold a kite.",
    )  # fmt: skip
    assert nodes["5:p.2:2"].content_text == "of hemp,"


def test_a_second_item_of_one_number_is_kept_and_reported(tmp_path: Path) -> None:
    document = parse(tmp_path, chunk("#### §\u202f5. Words", "In this title:", "(1) one;", "(2) two;", "(2) more."))
    assert [node.number for node in document.nodes[3:]] == ["1", "2", "2~2"]
    assert any("5:2~2" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("heading", "number", "status"),
    [
        ("#### §\u202f3. Repealed. Pub. L. 99–1", "3", "repealed"),
        ("#### §§\u202f31, 32. Omitted", "31, 32", "omitted"),
        ("#### [§\u202f4. Transferred]", "4", "transferred"),
        ("#### §§\u202f71 to 77. Reserved", "71 to 77", "reserved"),
        ("#### §\u202f1437z–3. Grants", "1437z-3", None),
    ],
)  # fmt: skip
def test_stubs_are_tagged_with_their_status(tmp_path: Path, heading: str, number: str, status: str | None) -> None:
    rule = parse(tmp_path, chunk(heading)).nodes[-1]
    assert rule.tags["section_number"] == number
    assert rule.tags.get("status") == status


def test_the_heading_of_a_repealed_chapter_loses_its_brackets(tmp_path: Path) -> None:
    chapter = parse(tmp_path, chunk("#### §\u202f9. Omitted", chapter="### [CHAPTER 2B–1— REPEALED]")).nodes[1]
    assert (chapter.urn, chapter.heading) == ("urn:lex:us:90usc:chapter_2b-1", "REPEALED")


def test_white_space_is_collapsed_and_soft_hyphens_are_no_letters(tmp_path: Path) -> None:
    rule = parse(tmp_path, chunk("#### §\u202f5. Fly\xading", "A\u202f kite\xa0 fl\xadies.")).nodes[-1]
    assert (rule.heading, rule.text) == ("Flying", "A kite flies.")


def test_chunks_are_read_in_the_order_of_their_numbers_and_empty_ones_are_counted(tmp_path: Path) -> None:
    source = write(tmp_path, "", chunk("#### §\u202f1. One", "First."), chunk("#### §\u202f2. Two", "Second."))
    lines = source.path.read_text(encoding="utf-8").splitlines(keepends=True)
    source.path.write_text("".join((lines[0], lines[2], lines[1])), encoding="utf-8")
    document = MdStatutesJsonl().parse(source)
    assert [node.number for node in document.nodes if node.level == "section"] == ["1", "2"]
    assert any("1 chunks are empty" in warning for warning in document.warnings)


def test_a_section_number_used_twice_is_kept_and_reported(tmp_path: Path) -> None:
    document = parse(tmp_path, chunk("#### §\u202f5. One", "First."), chunk("#### §\u202f5. Two", "Second."))
    assert [node.urn for node in document.nodes[2:]] == ["urn:lex:us:90usc:5", "urn:lex:us:90usc:5~2"]
    assert any("5~2" in warning for warning in document.warnings)


def test_a_file_of_two_titles_gives_two_documents(tmp_path: Path) -> None:
    source = write(
        tmp_path, chunk("#### §\u202f1. One", "A."), chunk("#### §\u202f1. One", "B.", title="# Title 91— BOATS")
    )
    assert [document.urn for document in MdStatutesJsonl().documents(source)] == [
        "urn:lex:us:90usc",
        "urn:lex:us:91usc",
    ]
    with pytest.raises(IngestError, match="2 documents"):
        MdStatutesJsonl().parse(source)


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b'{"n": 1, "path": "a", "text": "x", "n": 2}', "duplicate keys"), (b'{"n": NaN}', "not valid JSON"),
        (b"[" * 5000, "nested too deeply|not valid JSON"), (b'{"n": 1, "path": "\xff"}', "UTF-8"),
        (b'["no object"]', "not a JSON object"), (b'{"n": "1", "path": "a", "text": "SECRET"}', "whole number|title"),
        (b'{"n": 1, "path": "a", "text": "SECRET words"}', "outside a section"),
        (b'{"n": 1, "path": "a", "text": "# Title 1\\nSECRET"}', "outside a section"),
    ],
)  # fmt: skip
def test_what_is_no_chunk_is_refused_with_its_line_and_without_its_words(
    tmp_path: Path, line: bytes, cause: str
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(write(tmp_path, chunk("#### §\u202f1. One", "A.")).path.read_bytes() + line + b"\n")
    with pytest.raises(IngestError, match=cause) as caught:
        MdStatutesJsonl().parse(Source(path, tmp_path))
    assert caught.value.line == 2
    assert "SECRET" not in caught.value.message


def test_a_chunk_number_used_twice_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path, chunk("#### §\u202f1. One", "A."))
    source.path.write_bytes(source.path.read_bytes() * 2)
    with pytest.raises(IngestError, match="twice"):
        MdStatutesJsonl().parse(source)


@pytest.mark.parametrize(
    "head",
    [
        b'{"n": 1, "path": "a.md", "text": "' + b"\\n# Title 15\\u2014 X" + b'"}\n',
        b'{"n": 1, "path": "a.md", "text": ""}\n{"n": 2', b'{"text": "# Title 1\\u2014 X", "n": 3, "path": "b.md"}\n',
        b'{"n": 1, "path": "a.md", "text": "\\n# Title 15\\u2014 ' + b"x" * HEAD_BYTES,
    ],
)  # fmt: skip
def test_chunks_are_claimed_by_their_content(head: bytes) -> None:
    assert MdStatutesJsonl().claims(Path("anything"), head[:HEAD_BYTES])


@pytest.mark.parametrize(
    "head",
    [
        b'{"lexscope": 1, "corpus": {}}\n', b'<?xml version="1.0"?><Law/>', b"# Title 15\n## Chapter 1\n",
        b'[{"ID": "a", "DocumentID": 1, "PassageID": "1", "Passage": "x"}]', b'{"source": "a", "provision": "b"}\n',
        b'{"id": 1, "absolute_url": "/opinion/1/a-v-b/", "text": "x"}\n', b'{"n": 1, "path": "a", "text": "Hello"}\n',
        b'{"data": {"cid": "LEGITEXT"}}', b'{"children": [], "node_type": "regtext"}', b"", b"---\ntitle: x\n---\n",
    ],
)  # fmt: skip
def test_files_of_other_formats_are_not_claimed(head: bytes) -> None:
    assert not MdStatutesJsonl().claims(Path("chunks.jsonl"), head)
    assert MdStatutesJsonl().skips(Path("chunks.jsonl"), head) == ""


def labels(level: int, count: int) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {
        1: list(letters[:count]), 2: [str(at + 1) for at in range(count)], 3: list(letters[:count].upper()),
        4: [to_roman(at + 1) for at in range(count)], 5: [to_roman(at + 1).upper() for at in range(count)],
    }[level]  # fmt: skip


@st.composite
def outlines(draw: st.DrawFn, level: int = 1) -> list[tuple[int, str]]:
    out: list[tuple[int, str]] = []
    for label in labels(level, draw(st.integers(2, 11 if level < 3 else 4))):
        out.append((level, label))
        if level < 5 and draw(st.integers(0, 3)) == 0:
            out.extend(draw(outlines(level=level + 1)))
    return out


@given(outlines())
@settings(max_examples=40)
def test_any_regular_outline_is_placed_as_it_was_printed(outline: list[tuple[int, str]]) -> None:
    announced = [False, *(two[0] > one[0] for one, two in pairwise(outline))]
    steps = [Paragraph(label, announced=flag) for (_, label), flag in zip(outline, announced, strict=True)]
    found = place(steps)
    assert [one.level if one else None for one in found] == [level for level, _ in outline]


@given(st.text(alphabet="abivxIA1-0", max_size=8))
def test_every_reading_of_a_designator_has_a_level_and_a_positive_value(label: str) -> None:
    assert all(1 <= level <= 7 and value[0] > 0 for level, value in ranks(label))
