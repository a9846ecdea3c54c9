from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.lexjsonl import parser as lexjsonl
from rag.ingest.formats.lexjsonl.parser import MAX_LINE_BYTES, HeaderLine, LexJsonl, NodeLine, write_lexjsonl
from rag.law.nodes import CONTAINER_TYPES, STRUCTURE_TYPES, Corpus, Definition, Link, Mark, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError

BASE = "urn:lex:us:demo"
CANARY = "Quillfeather 4711"
Line = dict[str, Any] | str | bytes
HEADER: dict[str, Any] = {"lexscope": 1, "corpus": {"urn": BASE, "title": "Demo", "language": "en"}}
ROOT: dict[str, Any] = {"urn": BASE, "structure_type": "ROOT", "level": "code", "content_text": CANARY}


def node(name: str, parent: str = BASE, /, **fields: Any) -> dict[str, Any]:
    return {
        "urn": f"{parent}:{name}",
        "parent_urn": parent,
        "structure_type": "SECTION",
        "level": "section",
        "content_text": CANARY,
    } | fields


def marked(start: int, end: int) -> dict[str, Any]:
    return {"start": start, "end": end, "kind": "term"}


def encoded(*lines: Line) -> bytes:
    texts = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    raw = [text.encode() if isinstance(text, str) else text for text in texts]
    return b"\n".join(raw) + b"\n"


def parsed(folder: Path, data: bytes, name: str = "law.jsonl") -> ParsedDocument:
    path = folder / name
    path.write_bytes(data)
    return LexJsonl().parse(Source(path, folder))


def fault(folder: Path, *lines: Line) -> IngestError:
    with pytest.raises(IngestError) as caught:
        parsed(folder, encoded(*lines))
    return caught.value


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
some_words = words.filter(lambda text: bool(text.strip()))
tables = st.dictionaries(words, words, max_size=2)
days = st.dates(min_value=date(1800, 1, 1), max_value=date(2200, 1, 1))


@st.composite
def periods(draw: st.DrawFn, count: int) -> list[tuple[date | None, date | None]]:
    """Disjoint half-open periods in order, open at either end or not."""
    borders: list[date | None] = sorted(draw(st.lists(days, min_size=count + 1, max_size=count + 1, unique=True)))
    if draw(st.booleans()):
        borders[0] = None
    if draw(st.booleans()):
        borders[-1] = None
    return list(pairwise(borders))


@st.composite
def marks(draw: st.DrawFn, length: int) -> list[Mark]:
    if length == 0:
        return []
    spans = draw(st.lists(st.tuples(st.integers(0, length - 1), st.integers(1, length)), max_size=2))
    kinds = st.sampled_from(["term", "italic", "reference"])
    return [Mark(a, b, draw(kinds), draw(words)) for a, b in spans if a < b]


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    """Any document a parser may yield: a tree in document order, some nodes with several versions."""
    below_corpus = draw(st.booleans())
    root = f"{BASE}:title_1" if below_corpus else BASE
    nodes: list[ParsedNode] = []
    document = ParsedDocument(
        corpus=Corpus(BASE, draw(some_words), "en", draw(words), draw(words), draw(st.sampled_from(["", "https://a.example"]))),
        nodes=nodes, source="law.jsonl", format="lexjsonl", source_hash="", parser_version=1,
        edition_date=draw(st.none() | days), warnings=draw(st.lists(words, max_size=2)), annotated=draw(st.booleans()),
    )  # fmt: skip

    def grow(urn: str, parent: str | None, number: str, depth: int) -> None:
        structure_type = draw(
            st.sampled_from([structure_type for structure_type in STRUCTURE_TYPES if structure_type != "ROOT"])
        )
        level = draw(st.sampled_from(["section", "partie législative", "第"]))
        for begin, end in draw(periods(draw(st.integers(1, 2)))):
            lead_in, flush = draw(words), draw(words)
            one = ParsedNode(
                urn=urn, parent_urn=parent, structure_type=structure_type, level=level, number=number,
                heading=draw(words), intro_text=lead_in, content_text=flush,
                kind=draw(st.sampled_from(["legislation", "section", "notice"])), tags=draw(tables),
                aliases=draw(st.lists(some_words, max_size=2)), valid_from=begin, valid_to=end, line=len(nodes) + 2,
            )  # fmt: skip
            one.marks = draw(marks(len(one.text)))
            nodes.append(one)
        if draw(st.booleans()):
            document.used_terms[urn] = draw(st.lists(some_words, max_size=2))
        scopes = st.sampled_from(nodes).map(lambda one: one.urn)
        relations = st.sampled_from(["means", "includes", "excludes", "reference"])
        for _ in range(draw(st.integers(0, 1))):
            document.definitions.append(
                Definition(draw(some_words), urn, draw(scopes), draw(relations), draw(st.booleans()), draw(words),
                           draw(st.sampled_from(["", "urn:lex:us:17usc:101"])))
            )  # fmt: skip
            document.links.append(Link(urn, "cites", draw(words), draw(st.sampled_from(["", BASE])), draw(tables)))
        for child in range(draw(st.integers(0, 2)) if depth < 3 else 0):
            printed = draw(st.sampled_from(["", "A-", "§ "])) + str(child)
            grow(f"{urn}:{child}", urn, printed, depth + 1)

    grow(root, BASE if below_corpus else None, "1", 0)
    return document


@settings(max_examples=60)
@given(documents())
def test_what_is_written_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, document: ParsedDocument) -> None:
    stream = io.BytesIO()
    assert write_lexjsonl(document, stream) == len(document.nodes)
    again = parsed(tmp_path_factory.getbasetemp(), stream.getvalue())
    assert again == replace(document, source_hash=again.source_hash)
    second = io.BytesIO()
    write_lexjsonl(again, second)
    assert second.getvalue() == stream.getvalue()


@settings(max_examples=share_of(150))
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode) | st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*ROOT, *HEADER, "marks"]), inner),
    max_leaves=8).map(lambda value: json.dumps(value).encode()))  # fmt: skip
def test_any_line_is_read_or_refused_with_its_place(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    place = None
    try:
        parsed(tmp_path_factory.getbasetemp(), encoded(HEADER, ROOT, raw))
    except IngestError as error:
        place = (error.file, (error.line or 0) >= 3)
    assert place in (None, ("law.jsonl", True))


SECOND = node("1")
BROKEN_FILES: dict[str, tuple[tuple[Line, ...], int, str]] = {
    "no header": ((ROOT,), 1, 'field "lexscope" is missing; add it'),
    "a later version of the format": ((HEADER | {"lexscope": 2}, ROOT), 1, 'field "lexscope" is not 1'),
    "a version that is no number": ((HEADER | {"lexscope": True}, ROOT), 1, 'field "lexscope" must be a whole number'),
    "a corpus without language": (
        ({"lexscope": 1, "corpus": {"urn": BASE, "title": CANARY}}, ROOT),
        1,
        "corpus.language",
    ),
    "a script address": (
        ({"lexscope": 1, "corpus": HEADER["corpus"] | {"url": f"javascript:{CANARY}"}}, ROOT),
        1,
        "corpus.url",
    ),
    "a header and nothing else": ((HEADER,), 1, "at least its root node"),
    "two titles in one file": ((HEADER, node("1"), node("2")), 3, "is a second root"),
    "a root without its corpus": ((HEADER, node("1", parent_urn=None)), 2, "must be the URN of the corpus"),
    "a corpus with a parent": ((HEADER, ROOT | {"parent_urn": BASE}), 2, 'field "parent_urn" must be left out'),
}

# Below a header and a root: the cause that line 3 gets.
BROKEN_LINES: dict[str, tuple[Line, str]] = {
    "not JSON": (f'{{"urn": {CANARY}', "is not JSON at column 9"),
    "a list": (f'["{CANARY}"]', "is not an object in braces"),
    "not UTF-8": (f'{{"{CANARY}": "\xe9"}}'.encode("latin-1"), "is not UTF-8 at byte"),
    "a name given twice": (f'{{"heading": "{CANARY}", "heading": "b"}}', 'gives "heading" twice'),
    "a strange name given twice": (f'{{"{CANARY}": 1, "{CANARY}": 2}}', "gives a field twice"),
    "NaN": (f'{{"urn": NaN, "heading": "{CANARY}"}}', "holds NaN or Infinity"),
    "minus infinity": ('{"urn": -Infinity}', "holds NaN or Infinity"),
    "an endless number": ('{"urn": ' + "9" * 5000 + "}", "a number that is too long"),
    "a nesting bomb": ('{"tags": ' + "[" * 200_000, "is nested too deeply"),
    "a line over the limit": (node("1", heading="x" * MAX_LINE_BYTES), "is longer than 16777216 bytes"),
    "a missing field": ({"urn": f"{BASE}:1", "heading": CANARY}, 'field "structure_type" is missing'),
    "a misspelt field": (node("1", heeding=CANARY), 'did you mean "heading"?'),
    "a field of one's own": (node("1", **{CANARY: 1}), 'under "tags" of a node'),
    "two faults": (node("1", heading=1, level=2), "(and 1 more in this line)"),
    "a number as text": (node("1", heading=4711), 'field "heading" must be text in double quotes'),
    "a tag that is no text": (node("1", tags={CANARY: 1}), 'field "tags" must be text'),
    "an unknown structure type": (node("1", structure_type=CANARY), "must be one of ROOT, TITLE, PART"),
    "an unknown kind": (node("1", kind=CANARY), "must be one of legislation, decision"),
    "an unknown relation": (
        node("1", definitions=[{"term": CANARY, "scope_urn": BASE, "relation": CANARY}]),
        "field \"definitions[0].relation\" must be 'means', 'includes', 'excludes' or 'reference'",
    ),
    "a level in capitals": (node("1", level=CANARY), 'field "level" must be the publication\'s own word'),
    "a malformed URN": (node("1", urn=f"urn:lex:us:demo:{CANARY}"), 'field "urn" is not a URN'),
    "a URN in capitals": (node("1", urn="urn:lex:us:demo:A"), "must be a URN in lower case"),
    "a pattern as URN": (node("1", urn="urn:lex:us:demo:*"), 'field "urn" is not a URN'),
    "a URN outside the corpus": (node("1", urn="urn:lex:us:demolition:1"), "must begin with the URN of the corpus"),
    "a date with a time": (node("1", valid_from="2020-01-01T00:00:00"), 'field "valid_from" must be a date'),
    "a compact date": (node("1", valid_from="20200101"), "written yyyy-mm-dd"),
    "a date in other digits": (node("1", valid_from="２０２０-01-01"), "written yyyy-mm-dd"),
    "a date with a newline": (node("1", valid_from="2020-01-01\n"), "written yyyy-mm-dd"),
    "a day that never was": (node("1", valid_to="2021-02-29"), "is not a day of the calendar"),
    "an empty period": (node("1", valid_from="2020-01-01", valid_to="2020-01-01"), '"valid_to" must be later'),
    "a NUL character": (node("1", heading=f"{CANARY}\0"), 'field "heading" holds a NUL character'),
    "a NUL character in a tag's name": (node("1", tags={f"{CANARY}\0": "x"}), "holds a NUL character"),
    "half a surrogate pair": (node("1", heading=f"{CANARY}\ud800"), "holds half of a surrogate pair"),
    "half a surrogate pair in a name": (node("1", **{"\ud800": CANARY}), "holds half of a surrogate pair"),
    "a mark past the text": (node("1", marks=[marked(0, len(CANARY) + 1)]), '"marks" has offsets outside'),
    "a mark before the text": (node("1", marks=[marked(-1, 2)]), '"marks" has offsets'),
    "an empty mark": (node("1", marks=[marked(2, 2)]), '"marks" has offsets'),
    "a parent that is missing": (node("1", f"{BASE}:9"), "names no node of this file"),
    "a node that is its own parent": (node("1", parent_urn=f"{BASE}:1"), "makes a circle"),
    "two roots": (node("1", parent_urn=None), "is a second root"),
    "a second node of type ROOT": (node("1", structure_type="ROOT"), "is a second root"),
    "an empty number": (node("1", number=" "), 'field "number" must not be empty'),
    "a path the store cannot index": (node("1", number="é" * 300), "A citation path would exceed"),
    "a scope outside the file": (
        node("1", definitions=[{"term": CANARY, "scope_urn": f"{BASE}:9"}]),
        "names no node of this file",
    ),
    "a link of no kind": (node("1", links=[{"kind": CANARY, "reference": CANARY}]), 'field "links[0].kind"'),
}

# Below a header and a root: the line that is refused, and why.
BROKEN_TREES: dict[str, tuple[tuple[Line, ...], int, str]] = {
    "a parent that comes later": ((node("2", f"{BASE}:1"), SECOND), 3, "stands before its parent in line 4"),
    "two nodes within each other": (
        (node("1", parent_urn=f"{BASE}:2"), node("2", parent_urn=f"{BASE}:1")),
        3,
        "makes a circle",
    ),
    "a node apart from its parent": (
        (SECOND, node("2"), node("a", f"{BASE}:1")),
        5,
        "stands apart from its parent in line 3",
    ),
    "one URN twice": ((SECOND, SECOND), 4, "is in force on the same days"),
    "versions that overlap": (
        (node("1", valid_from="2020-01-01"), node("2"), node("1", valid_to="2020-01-02")),
        5,
        "has the URN of line 3 and is in force on the same days",
    ),
    "a version at another place": (
        (node("1", valid_to="2020-01-01"), node("1", valid_from="2020-01-01", number="2")),
        4,
        "at another place",
    ),
    "two nodes with one citation path": (
        (node("1"), node("2", number="1")),
        4,
        "give the citation path of the node in line 3",
    ),
}

REFUSED = (
    BROKEN_FILES
    | {name: ((HEADER, ROOT, line), 3, message) for name, (line, message) in BROKEN_LINES.items()}
    | {name: ((HEADER, ROOT, *lines), number, message) for name, (lines, number, message) in BROKEN_TREES.items()}
)


@pytest.mark.parametrize("case", REFUSED)
def test_a_broken_file_is_refused_with_line_and_cause_and_without_its_text(tmp_path: Path, case: str) -> None:
    lines, line, message = REFUSED[case]
    error = fault(tmp_path, *lines)
    assert message in error.cause
    assert (error.file, error.line) == ("law.jsonl", line)
    assert not any(word in str(error) for word in CANARY.split())
    assert str(tmp_path) not in str(error)


def test_an_empty_and_a_vanished_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="is empty; the first line must be the header"):
        parsed(tmp_path, b"\n \n")
    with pytest.raises(IngestError, match="cannot be read"):
        LexJsonl().parse(Source(tmp_path / "gone.jsonl", tmp_path))


def test_a_deep_chain_of_nodes_is_refused_where_the_path_ends(tmp_path: Path) -> None:
    chain = [node("1", BASE + ":1" * depth) for depth in range(240)]
    error = fault(tmp_path, HEADER, ROOT, *chain)
    assert "nest less deeply" in error.cause


def test_versions_of_a_node_with_disjoint_validity_are_kept(tmp_path: Path) -> None:
    old, new = node("1", valid_to="2019-07-01"), node("1", valid_from="2019-07-01")
    document = parsed(tmp_path, encoded(HEADER, ROOT, new, node("2"), old))
    assert [(place_.urn, place_.valid_from, place_.valid_to) for place_ in document.nodes[1:]] == [
        (f"{BASE}:1", date(2019, 7, 1), None), (f"{BASE}:2", None, None), (f"{BASE}:1", None, date(2019, 7, 1)),
    ]  # fmt: skip


@pytest.mark.parametrize("structure_type", STRUCTURE_TYPES)
def test_what_a_line_leaves_out_follows_from_its_structure(tmp_path: Path, structure_type: str) -> None:
    root = node("title_1", structure_type=structure_type)
    (only,) = parsed(tmp_path, encoded(HEADER, root)).nodes
    assert only.number == "title_1"
    assert only.kind == ("section" if structure_type in CONTAINER_TYPES else "legislation")
    assert only.line == 2


def test_blank_lines_and_a_byte_order_mark_change_nothing_but_the_line_numbers(tmp_path: Path) -> None:
    document = parsed(tmp_path, b"\xef\xbb\xbf" + encoded(HEADER, "", ROOT, " \r", SECOND))
    assert [place_.line for place_ in document.nodes] == [3, 5]


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\x85d\x1ce"
    lines = [json.dumps(entry, ensure_ascii=False) for entry in (HEADER, ROOT | {"content_text": text})]
    document = parsed(tmp_path, encoded(*lines))
    assert document.nodes[0].text == text
    stream = io.BytesIO()
    write_lexjsonl(document, stream)
    assert len(stream.getvalue().decode().replace("\x1c", "").splitlines()) == 2


def test_links_and_definitions_belong_to_the_node_of_their_line(tmp_path: Path) -> None:
    line = node(
        "1",
        definitions=[{"term": "Owner", "scope_urn": BASE, "relation": "includes", "phrase": "in this code"}],
        links=[{"kind": "enabled_by", "reference": "section 2", "target_urn": "urn:lex:us:17usc:2"}],
        used_terms=["owner"],
    )
    document = parsed(tmp_path, encoded(HEADER | {"annotated": True}, ROOT, line))
    assert document.annotated
    assert document.definitions == [Definition("Owner", f"{BASE}:1", BASE, "includes", False, "in this code")]
    assert document.links == [Link(f"{BASE}:1", "enabled_by", "section 2", "urn:lex:us:17usc:2")]
    assert document.used_terms == {f"{BASE}:1": ["owner"]}


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (encoded(HEADER, ROOT), True),
        (b"\xef\xbb\xbf" + encoded(HEADER), True),
        (b'{"lexscope": 2}\n', True),
        (b'{"corpus": {}, "lexscope": 1}\n', True),
        (b'{"lexscope": 1, "corpus": {"title": "' + b"x" * HEAD_BYTES, True),
        (encoded(ROOT), False),
        (b'["lexscope"]\n', False),
        (b'{"text": "lexscope"}\n', False),
        (b"{lexscope\n", False),
        (b"[" * HEAD_BYTES, False),
        (b"<lexscope/>\n", False),
        (b"", False),
    ],
)
def test_a_file_is_claimed_by_its_first_line_alone(head: bytes, claimed: bool) -> None:
    assert LexJsonl().claims(Path("anything.txt"), head[:HEAD_BYTES]) is claimed
    assert LexJsonl().skips(Path("anything.txt"), head[:HEAD_BYTES]) == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: one.definitions.append(Definition("x", f"{BASE}:9", BASE)), "name 1 URNs that are no nodes"),
        (lambda one: one.links.append(Link(f"{BASE}:9", "cites", "x")), "name 1 URNs that are no nodes"),
        (lambda one: one.used_terms.update({f"{BASE}:9": ["x"]}), "name 1 URNs that are no nodes"),
        (lambda one: one.nodes.append(one.nodes[0]), "line 3 of it: has the URN of line 2"),
        (lambda one: one.nodes.clear(), "at least its root node"),
        (lambda one: setattr(one.nodes[0], "heading", "a\0"), 'field "heading" holds a NUL character'),
        (lambda one: setattr(one.nodes[0], "heading", "x" * MAX_LINE_BYTES), "the limit is 16777216"),
    ],
    ids=["stray definition", "stray link", "stray terms", "one URN twice", "no node", "NUL", "too long"],
)
def test_a_document_that_could_not_be_read_again_is_not_written_at_all(change: Any, message: str) -> None:
    nodes = [ParsedNode(BASE, None, "ROOT", "code", "1")]
    document = ParsedDocument(Corpus(BASE, "Demo", "en"), nodes, "law.xml", "other", "", 3)
    change(document)
    stream = io.BytesIO()
    with pytest.raises(InputError) as caught:
        write_lexjsonl(document, stream)
    assert message in caught.value.message
    assert stream.getvalue() == b""


def test_the_example_of_the_format_page_reads_and_the_page_names_every_field(tmp_path: Path) -> None:
    page = Path(lexjsonl.__file__).with_name("LEXJSONL.md").read_text(encoding="utf-8")
    example = page.split("```json\n")[1].split("```")[0]
    document = parsed(tmp_path, example.encode())
    assert [place_.number for place_ in document.nodes] == ["house-rules", "1", "a"]
    for model in (HeaderLine, NodeLine):
        assert not [name for name in model.model_fields if f"`{name}" not in page and name != "corpus"]
