"""eRegs JSON on small invented regulations, and beside the RegML of the same regulation."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.base import Source
from rag.ingest.formats.cfpb.eregs_json import ERegsJson, split_caption
from rag.ingest.formats.cfpb.regml import RegMl
from rag.ingest.formats.xml_text import Rich
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

U = "urn:lex:us:99cfr"
META = {"7": [{"cfr_title_number": 99, "effective_date": "2020-02-01", "reg_letter": "K", "cfr_title_text": "TOYS"}]}


def write(root: Path, tree: Any, meta: Any = META, version: str = "2020-1") -> Path:
    file = root / "regulation" / "7" / version
    layer = root / "layer" / "meta" / "7" / version
    for one, value in ((file, tree), (layer, meta)):
        one.parent.mkdir(parents=True, exist_ok=True)
        one.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


def parse(root: Path, tree: Any, meta: Any = META) -> ParsedDocument:
    file = write(root, tree, meta)
    return ERegsJson().parse(Source(file, root, ERegsJson().parts(file, root)))


def node(label: str, text: str = "", kind: str = "regtext", *children: Any, **more: str) -> dict[str, Any]:
    return {"children": list(children), "label": label.split("-"), "node_type": kind, "text": text, **more}


def part(*children: Any) -> dict[str, Any]:
    return node("7", "", "regtext", *children, title="KITES")


def section(*children: Any, text: str = "") -> dict[str, Any]:
    return part(node("7-Subpart", "", "emptypart", node("7-1", text, "regtext", *children, title="§ 7.1 Kites.")))


def found(document: ParsedDocument) -> dict[str, ParsedNode]:
    return {parsed.urn.removeprefix(U).lstrip(":"): parsed for parsed in document.nodes}


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (json.dumps(section(node("7-1-a", "(a) Fly.", marker="(a)"))).encode(), True),
        (b'{"label": ["7"], "node_type": "regtext", "text": "", "children": []}', True),
        (b'{"label": "7", "node_type": "regtext"}', False),
        (b'{"7-1-a": [{"offsets": [[1, 2]], "ref": "kite:7-1-b"}]}', False),
        (b'{"type": "section", "title": "Titre", "sections": []}', False),
        (b'{"lexscope": 1, "corpus": {"urn": "urn:lex:us:99cfr"}}', False),
        (b'[{"label": ["7"], "node_type": "regtext"}]', False),
        (b'<regulation xmlns="eregs">', False),
        (b"", False),
    ],
)
def test_a_file_is_claimed_as_a_tree_of_regulation_nodes(head: bytes, claimed: bool) -> None:
    assert ERegsJson().claims(Path("regulation/7/2020-1"), head) is claimed


@pytest.mark.parametrize(
    ("path", "head", "reason"),
    [
        ("layer/terms/7/2020-1", b'{"7-1-a": [{"offsets": [[1, 2]], "ref": "kite:7-1-b"}]}', "uses of defined terms"),
        ("layer/meta/7/2020-1", b'{"7": [{"cfr_title_number": 99}]}', "effective date"),
        ("layer/toc/7/2020-1", b"{}", "tables of contents"),
        ("elsewhere/7", b'{\n "7-1-a": [\n {\n "citation": ["7", "2"]', "layer of eRegulations"),
        ("data/7.json", b"{}", ""),
        ("data/7.json", b'{"7-1-a": {"offsets": 1}}', ""),
        ("regulation/7/2020-1", b'{"children": [], "label": ["7"], "node_type": "regtext"}', ""),
    ],
)
def test_a_layer_is_skipped_with_its_reason(path: str, head: bytes, reason: str) -> None:
    told = ERegsJson().skips(Path(path), head)
    assert (reason in told) if reason else not told


def test_a_regulation_and_its_meta_layer_are_one_document(tmp_path: Path) -> None:
    tree = section(
        node("7-1-a", "(a) Scope.This part applies:", "regtext",
             node("7-1-a-1", "(1) To kites.", marker="(1)"), marker="(a)"),
        node("7-1-b", "(b) Kite means a toy.", marker="(b)", title="Kite."),
        text="For this part:",
    )  # fmt: skip
    document = parse(tmp_path, tree)
    shapes = {urn: (one.structure_type, one.number, one.heading, one.text) for urn, one in found(document).items()}
    assert shapes == {
        "part_7": ("PART", "7", "KITES", ""),
        "7.1": ("SECTION", "7.1", "Kites.", "For this part:"),
        "7.1:a": ("SUBSECTION", "a", "Scope.", "This part applies:"),
        "7.1:a:1": ("PARAGRAPH", "1", "", "To kites."),
        "7.1:b": ("SUBSECTION", "b", "Kite.", "Kite means a toy."),
    }
    assert document.corpus.title == "Code of Federal Regulations, Title 99 (Toys)"
    assert document.edition_date == date(2020, 2, 1)
    assert {parsed.valid_from for parsed in document.nodes} == {date(2020, 2, 1)}
    assert document.nodes[0].tags["regulation"] == "K"


@pytest.mark.parametrize(
    ("text", "parent", "caption", "rest"),
    [
        ("Authority and scope.This part applies.", False, "Authority and scope.", "This part applies."),
        ("Credit vs. sale.A sale is none.", False, "Credit vs. sale.", "A sale is none."),
        ("No increase in the CPI-W.If it rises, act.", False, "No increase in the CPI-W.", "If it rises, act."),
        ("“Usually.”Section 1 applies.", False, "“Usually.”", "Section 1 applies."),
        ("Limits.—", True, "Limits.", "—"),
        ("Preemption—New York.The Bureau agrees.", False, "Preemption—New York.", "The Bureau agrees."),
        ("Exceptions.", True, "Exceptions.", ""),
        ("Exceptions.", False, "", "Exceptions."),
        ("Other kites of the owner.kites of the owner. Fly.", False, "Other kites of the owner.",
         "kites of the owner. Fly."),
        ("Section 1002.5(b) concerns sex.", False, "", "Section 1002.5(b) concerns sex."),
        ("Kite means a toy. It flies.See there.", False, "", "Kite means a toy. It flies.See there."),
        ("Under the U.S.C. it flies.", False, "", "Under the U.S.C. it flies."),
        ("See www.example.gov for kites", False, "", "See www.example.gov for kites"),
        ("", True, "", ""),
    ],
)  # fmt: skip
def test_a_caption_ends_where_the_next_sentence_is_glued_to_it(
    text: str, parent: bool, caption: str, rest: str
) -> None:
    told, said = split_caption(Rich(text), parent=parent)
    assert (told, said.text) == (caption, rest)


def test_pictures_and_tables_are_marked_and_laid_out(tmp_path: Path) -> None:
    tree = section(
        node("7-1-a", "(a) ![A kite](K1.001)", marker="(a)"),
        node("7-1-b", "(b) Sizes:\n|Kite|Tail|\n|---|---|\n|Box|2 m|\nas drawn", marker="(b)"),
    )
    nodes = found(parse(tmp_path, tree))
    assert nodes["7.1:a"].text == "[image: A kite]"
    assert nodes["7.1:a"].tags["image"] == "K1.001"
    assert nodes["7.1:b"].text == "Sizes:\nKite | Tail\nBox | 2 m\nas drawn"


def test_commentary_stands_under_the_supplement_and_names_its_provision(tmp_path: Path) -> None:
    tree = section(node("7-1-a", "(a) Fly.", "regtext", node("7-1-a-2", "(2) High.", marker="(2)"), marker="(a)"))
    inner = node("7-1-a-Interp", "", "interp", node("7-1-a-2-Interp-1", "Height.It counts.", "interp", marker="1."),
                 title="1(a) Flying", marker="")  # fmt: skip
    tree["children"].append(
        node("7-Interp", "", "interp", node("7-1-Interp", "", "interp", inner, title="Section 7.1—Kites"),
             title="Supplement I to Part 7—Official Interpretations")
    )  # fmt: skip
    document = parse(tmp_path, tree)
    nodes = found(document)
    comment = nodes["part_7:supplement_i:1-a-2:1"]
    assert (comment.kind, comment.heading, comment.text) == ("notice", "Height.", "It counts.")
    assert comment.parent_urn == f"{U}:part_7:supplement_i:1-a"
    assert [(link.source_urn, link.target_urn) for link in document.links] == [
        (f"{U}:part_7:supplement_i:1", f"{U}:7.1"),
        (f"{U}:part_7:supplement_i:1-a", f"{U}:7.1:a"),
        (f"{U}:part_7:supplement_i:1-a-2:1", f"{U}:7.1:a:2"),
    ]


def test_subparts_are_addressed_by_letter_or_name_and_kept_where_reserved(tmp_path: Path) -> None:
    tree = part(
        node("7-Subpart-B", "", "subpart", title="[Reserved]"), node("7-Subpart", "", "emptypart", title="All Kites")
    )
    nodes = found(parse(tmp_path, tree))
    assert list(nodes) == ["part_7", "part_7:subpart_b", "part_7:subpart_all-kites"]
    subpart = nodes["part_7:subpart_b"]
    assert (subpart.kind, subpart.number, subpart.tags) == ("section", "B", {"status": "reserved"})


@pytest.mark.parametrize(
    ("tree", "meta", "cause"),
    [
        ('{"children": [], "children": []}', META, "duplicate keys"),
        ('{"label": NaN}', META, "not valid JSON"),
        ('{"children":' * 200 + "{}" + "}" * 200, META, "nested too deeply"),
        ("{", META, "not valid JSON"),
        ({"label": ["7"], "text": "", "children": "none"}, META, 'the root: its "children"'),
        ({"label": "7", "text": "", "children": []}, META, 'the root: its "label"'),
        ({"label": ["7", "1"], "text": "", "children": []}, META, "not that of a part"),
        (section(node("7-1-a", "secret", "poem")), META, r"children\[0\].*node_type is unknown"),
        (section({"label": ["7"], "node_type": "regtext", "text": 5, "children": []}), META, 'its "text"'),
        (section(node("-".join("7" * 60))), META, "more than 40 levels"),
        (section(), {"8": []}, "does not describe this part"),
        (section(), {"7": [{"cfr_title_number": "xii"}]}, "which title"),
        (section(), {"7": [{"cfr_title_number": 99, "effective_date": "soon"}]}, "not a date"),
        (part(node("7", "", "regtext")), META, "section without a number"),
        (part(node("7-Subpart", "Words.", "emptypart")), META, "text of its own"),
    ],
)
def test_what_cannot_be_read_as_law_is_refused_by_name(tmp_path: Path, tree: Any, meta: Any, cause: str) -> None:
    with pytest.raises(IngestError, match=cause) as refused:
        parse(tmp_path, tree, meta)
    assert "2020-1" in refused.value.file
    assert "secret" not in str(refused.value)


def test_bytes_that_are_no_utf8_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path, section())
    file.write_bytes(b'{"label": ["\xff"]}')
    with pytest.raises(IngestError, match="not valid UTF-8"):
        ERegsJson().parse(Source(file, tmp_path, ERegsJson().parts(file, tmp_path)))


def test_without_its_meta_layer_a_regulation_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, section())
    with pytest.raises(IngestError, match="lies outside"):
        ERegsJson().parts(file, tmp_path / "regulation")
    (tmp_path / "layer" / "meta" / "7" / "2020-1").unlink()
    with pytest.raises(IngestError, match="is missing"):
        ERegsJson().parts(file, tmp_path)


def test_a_missing_effective_date_is_a_warning(tmp_path: Path) -> None:
    document = parse(tmp_path, section(), {"7": [{"cfr_title_number": 99}]})
    assert document.edition_date is None
    assert any("no effective date" in warning for warning in document.warnings)


WORDS = st.text("abc ,;", min_size=1, max_size=12).map(lambda one: f"A{' '.join(one.split())} x.")


@st.composite
def trees(draw: st.DrawFn, depth: int = 1) -> list[tuple[str, str, list[Any]]]:
    """Paragraphs of one list: caption or empty, text, and what is below."""
    count = draw(st.integers(0, 3 if depth < 4 else 0))
    caption = st.one_of(st.just(""), st.just("Named part."))
    return [(draw(caption), draw(WORDS), draw(trees(depth + 1))) for _ in range(count)]


STYLES = ("abc", "123", ("i", "ii", "iii"), "ABC")


def as_xml(tree: list[Any], label: str, depth: int = 0) -> str:
    out = ""
    for designator, (caption, text, below) in zip(STYLES[depth % 4], tree, strict=False):
        own = f"{label}-{designator}"
        title = f'<title type="keyterm">{caption}</title>' if caption else ""
        out += f'<paragraph label="{own}" marker="({designator})">{title}<content>{escape(text)}</content>'
        out += as_xml(below, own, depth + 1) + "</paragraph>"
    return out


def as_json(tree: list[Any], label: str, depth: int = 0) -> list[Any]:
    return [
        node(f"{label}-{designator}", f"({designator}) {caption}{text}", "regtext",
             *as_json(below, f"{label}-{designator}", depth + 1), marker=f"({designator})")
        for designator, (caption, text, below) in zip(STYLES[depth % 4], tree, strict=False)
    ]  # fmt: skip


@settings(max_examples=25)
@given(trees())
def test_both_publications_of_one_regulation_give_the_same_nodes(
    tmp_path_factory: pytest.TempPathFactory, tree: list[Any]
) -> None:
    root = tmp_path_factory.mktemp("eregs")
    file = root / "7.xml"
    file.write_text(
        '<regulation xmlns="eregs"><fdsys><cfrTitleNum>99</cfrTitleNum><title>KITES</title></fdsys><preamble>'
        '<effectiveDate>2020-02-01</effectiveDate></preamble><part label="7"><content><subpart><content>'
        f'<section label="7-1"><subject>§ 7.1 Kites.</subject>{as_xml(tree, "7-1")}</section>'
        "</content></subpart></content></part></regulation>",
        encoding="utf-8",
    )
    one = RegMl().parse(Source(file, root))
    other = parse(root, section(*as_json(tree, "7-1")))
    shapes = [
        [(a.urn, a.parent_urn, a.structure_type, a.number, a.heading, a.intro_text, a.content_text) for a in b.nodes]
        for b in (one, other)
    ]
    # A few words with children below and no caption look like one.
    assert [a[:4] for a in shapes[0]] == [a[:4] for a in shapes[1]]
    assert [" ".join(a[4:]).split() for a in shapes[0]] == [" ".join(a[4:]).split() for a in shapes[1]]
