from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.base import Source
from rag.ingest.formats.egov.xml import EgovXml
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, FoundReference, ReferenceContext
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.paths import parse_urn
from retrieval.tag_query import TagFilterSet

JP = jurisdiction_for("jp")
LAW = "urn:lex:jp:501ac0000000999"
_TYPES = {
    "chapter": "CHAPTER", "section": "PART", "article": "ARTICLE", "paragraph": "PARAGRAPH", "item": "ITEM",
    "subitem1": "CLAUSE", "supplementary": "PART", "appended table": "APPENDIX",
}  # fmt: skip


def law(*rows: tuple[str, str, str], texts: dict[str, str] | None = None) -> DocumentIndex:
    """An index over an invented law; a row is the path below the law, the path of its parent, and the level."""
    nodes = [ParsedNode(LAW, None, "ROOT", "law", heading="凧揚げ法", aliases=["urn:lex:jp:501ac1000000999"])]
    for path, parent, level in rows:
        above = f"{LAW}:{parent}" if parent else LAW
        node = ParsedNode(f"{LAW}:{path}", above, _TYPES[level], level, path.split(":")[-1].split("_")[-1])
        node.content_text = (texts or {}).get(path, "")
        if level == "supplementary":
            amending = "" if path == "sup" else "令和三年五月十九日法律第三十七号"
            node.tags["supplementary_provision"] = amending or "original"
        nodes.append(node)
    return DocumentIndex(ParsedDocument(Corpus(LAW, "凧揚げ法", "ja"), nodes, "a.xml", "egov_xml", "0" * 64, 1))


KITES = law(
    ("chapter_1", "", "chapter"), ("chapter_2", "", "chapter"), ("chapter_2:section_1", "chapter_2", "section"),
    ("1", "chapter_1", "article"), ("1:1", "1", "paragraph"),
    ("2", "chapter_1", "article"), ("2:1", "2", "paragraph"), ("2:2", "2", "paragraph"), ("2:3", "2", "paragraph"),
    ("2:2:1", "2:2", "item"), ("2:2:1:i", "2:2:1", "subitem1"), ("2:2:1:ro", "2:2:1", "subitem1"),
    ("2:2:2", "2:2", "item"), ("2:2:3", "2:2", "item"),
    ("3", "chapter_2:section_1", "article"), ("3:1", "3", "paragraph"),
    ("3:1:1", "3:1", "item"), ("3:1:2", "3:1", "item"),
    ("3-2", "chapter_2:section_1", "article"), ("3-2:1", "3-2", "paragraph"), ("3-2:2", "3-2", "paragraph"),
    ("4", "chapter_2:section_1", "article"), ("4:1", "4", "paragraph"),
    ("table.1", "", "appended table"),
    ("sup", "", "supplementary"), ("sup:1", "sup", "article"), ("sup:1:1", "sup:1", "paragraph"),
    ("sup:2", "sup", "article"), ("sup:2:1", "sup:2", "paragraph"),
    ("sup.503ac37", "", "supplementary"), ("sup.503ac37:1", "sup.503ac37", "article"),
    ("sup.503ac37:1:1", "sup.503ac37:1", "paragraph"), ("sup.503ac37:2", "sup.503ac37", "article"),
    ("sup.503ac37:2:1", "sup.503ac37:2", "paragraph"),
    ("sup.503ac37:9", "sup.503ac37", "article"), ("sup.503ac37:9:1", "sup.503ac37:9", "paragraph"),
    texts={"1:1": "こま回し法（昭和二十七年法律第九百九十八号。以下「こま法」という。）第三条による。"},
)  # fmt: skip


def found_at(at: str, text: str) -> list[FoundReference]:
    node = KITES.node(f"{LAW}:{at}")
    assert node is not None
    return JP.find_references(text, ReferenceContext(node, KITES))


def short(found: list[FoundReference]) -> list[tuple[str, ...]]:
    return [tuple(part.urn.removeprefix(f"{LAW}:") for part in reference.parts) for reference in found]


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        ("2:2", "第三条の規定", [("3",)]),
        ("2:2", "第三条の二第二項", [("3-2:2",)]),
        ("2:2", "第三条第二号", [("3:1:2",)]),
        ("2:2", "第三条の一部を改正する", [("3",)]),
        ("2:2", "第三条の三年間", [("3",)]),
        ("2:2", "前条及び次条", [("1", "3")]),
        ("2:2", "前条第一項ただし書", [("1:1",)]),
        ("2:2", "前項の規定", [("2:1",)]),
        ("2:3", "前二項の規定", [("2:1", "2:2")]),
        ("2:3", "前各項の規定", [("2:1", "2:2")]),
        ("2:1", "次項第一号イ", [("2:2:1:i",)]),
        ("2:2:1", "前項", [("2:1",)]),
        ("2:2:3", "前二号に掲げるもの", [("2:2:1", "2:2:2")]),
        ("2:2:3", "前号", [("2:2:2",)]),
        ("2:2", "次の各号のいずれか", [("2:2",)]),
        ("2:3", "第一項", [("2:1",)]),
        ("2:2", "第一号イ又はロ", [("2:2:1:i", "2:2:1:ro")]),
        ("2:3", "前項第一号若しくは第二号", [("2:2:1", "2:2:2")]),
        ("2:3", "第二項各号", [("2:2",)]),
        ("1:1", "第二条第二項第一号又は第三項", [("2:2:1", "2:3")]),
        ("1:1", "第二条第一項から第三項まで", [("2:1", "2:3")]),
        ("1:1", "第二条第二項の者は、同項の", [("2:2",), ("2:2",)]),
        ("1:1", "第二条第二項の者が第三条の期間に同項の", [("2:2",), ("3",), ("2:2",)]),
        ("2:3", "第三条の規定は第一項の者に、同条第一項の", [("3",), ("2:1",), ("3:1",)]),
        ("2:3", "第二条（第一項を除く。）の規定及び", [("2",), ("2:1",)]),
        ("1:1", "第三条（第一号に係る部分を除く。）", [("3",), ("3:1:1",)]),
        ("1:1", "第二条第一項（第三条において準用する場合を含む。）又は第二項", [("2:1",), ("3",), ("2:2",)]),
        ("1:1", "第二条第二項（第三条第一項を除く。）の者は、同項の", [("2:2",), ("3:1",), ("2:2",)]),
        ("2:2", "この章及び次章", [("chapter_1", "chapter_2")]),
        ("3:1", "この節", [("chapter_2:section_1",)]),
        ("1:1", "第二章第一節", [("chapter_2:section_1",)]),
        ("2:2", "この条及びこの項", [("2", "2:2")]),
        ("1:1", "別表に掲げる", [("table.1",)]),
        ("1:1", "附則第二条", [("sup:2",)]),
        ("1:1", "凧揚げ法第三条", [("3",)]),
        ("1:1", "令和元年法律第九百九十九号", [(LAW,)]),
        ("sup:2:1", "前条", [("sup:1",)]),
        ("sup:2:1", "第三条", [("3",)]),
        ("sup:2:1", "附則第一条", [("sup:1",)]),
        ("sup.503ac37:2:1", "前条及び附則第一条", [("sup.503ac37:1", "sup.503ac37:1")]),
        ("sup.503ac37:2:1", "凧揚げ法第三条", [("3",)]),
        ("1:1", "凧揚げ法附則第二条", [("sup:2",)]),
    ],
)
def test_reference_is_read_from_its_place(at: str, text: str, expected: list[tuple[str, ...]]) -> None:
    found = found_at(at, text)
    assert short(found) == [tuple(name if name != LAW else LAW for name in group) for group in expected]
    assert all(reference.confident for reference in found)


@pytest.mark.parametrize(
    ("at", "text", "urn"),
    [
        ("sup.503ac37:2:1", "この法律", "urn:lex:jp:503ac0000000037"),
        ("sup.503ac37:2:1", "第三条の規定", "urn:lex:jp:503ac0000000037:3"),
        ("2:2", "こま法第四条", "urn:lex:jp:327ac0000000998:4"),
        ("2:2", "民法（明治二十九年法律第八十九号）第九十条", "urn:lex:jp:129ac0000000089:90"),
    ],
)
def test_other_law_is_read_by_what_the_text_calls_it(at: str, text: str, urn: str) -> None:
    [found] = found_at(at, text)
    assert (found.urns, found.confident) == ((urn,), True)


@pytest.mark.parametrize(
    ("at", "text"),
    [
        ("2:2", "第九十九条"),
        ("2:2", "第三条第九項"),
        ("2:1", "前項"),
        ("1:1", "前条"),
        ("2:2", "同条第一項"),
        ("2:2:1", "前二号"),
        ("2:2", "改正前の凧揚げ法第三条"),
        ("1:1", "第二条（第二項を除く。）の者は、同項の"),
        ("2:2", "民法第三条及び附則第二条"),
        ("2:2", "民法第三章"),
        ("sup.503ac37:1:1", "第三条の改正規定"),
        ("sup.503ac37:1:1", "第三条の改正規定、同条の規定"),
        ("sup.503ac37:1:1", "凧揚げ法第三条の改正規定、第一項の規定"),
        ("sup.503ac37:2:1", "次条"),  # articles 3 to 8 are not printed
        ("sup.503ac37:9:1", "前条"),
        ("sup.503ac37:9:1", "前二条"),
    ],
)
def test_doubtful_reading_is_not_presented_as_certain(at: str, text: str) -> None:
    assert [reference.confident for reference in found_at(at, text)][-1] is False


@pytest.mark.parametrize(
    "text", ["四条を加える", "「前項」とあるのは「第三条第一項」とする", "第三条件", "この条件", "十項目"]
)
def test_what_is_no_reference_is_left_alone(text: str) -> None:
    assert [reference for reference in found_at("2:2", text) if reference.kind != "external"] == []


@pytest.mark.parametrize(
    "text",
    [
        "ドイツ民法823条", "ドイツの民法第823条", "中国の会社法第三条", "旧民法第五条", "大日本帝国憲法第三条",
        "住民法第三条",
        "信託会社法第三条", "民法施行法第三条", "凧たこ法施行規則第三条", "昭和二十七年運輸省令第五十六号",
        "令和5年(ワ)第1号",
        "国際凧条約第三条", "民集72巻2号88頁",
    ],
)  # fmt: skip
def test_other_law_is_recognised_as_other(text: str) -> None:
    for found in (JP.find_references(text, None), found_at("2:2", f"また、{text}の規定")):
        assert found
        assert all(reference.kind == "external" and not reference.urns for reference in found), text


@pytest.mark.parametrize("text", ["第709条", "前条第一項", "同法第三条", "この法律", "その方法第三条"])
def test_provision_without_a_law_is_left_out_of_a_question(text: str) -> None:
    assert [urn for reference in JP.find_references(text, None) for urn in reference.urns] == []


def test_alias_of_the_law_is_its_own_urn() -> None:
    assert short(found_at("1:1", "令和元年法律第九百九十九号第三条")) == [("3",)]


def test_ends_of_a_range_are_marked_and_not_filled() -> None:
    [found] = JP.find_references("民法第七百二十条、第七百二十一条から第七百二十四条の二まで", None)
    assert [part.range for part in found.parts] == ["", "start", "end"]
    assert found.urns[-1] == "urn:lex:jp:129ac0000000089:724-2"


@pytest.mark.parametrize(
    ("text", "urns", "confident"),
    [
        ("民法７０９条，７１５条", ["709", "715"], True),
        ("民法709条、同715条1項及び同2項", ["709", "715:1", "715:2"], True),
        ("民法（以下「法」という。）第九十条", ["90"], True),
        ("民法（平成29年法律第44号による改正前のもの。以下同じ。）724条", ["724"], False),
        ("平成29年法律第44号による改正前の民法724条", ["724"], False),
        ("我が国の民法第90条", ["90"], True),
        ("民法１条ないし３条", ["1", "3"], True),
        ("第三条の民法第九十条", ["90"], True),
    ],
)
def test_law_of_a_question_is_the_one_its_words_name(text: str, urns: list[str], confident: bool) -> None:
    found = [reference for reference in JP.find_references(text, None) for urn in reference.urns if "129ac" in urn]
    civil = [urn.partition("089:")[2] for reference in dict.fromkeys(found) for urn in reference.urns if "129ac" in urn]
    assert civil == urns
    assert all(urn.confident == confident for urn in found)


def test_same_article_of_a_question_is_that_of_the_law_named_before() -> None:
    found = JP.find_references("民法709条によれば、第3条と異なり、同法710条は同条1項と", None)
    assert [reference.urns[0].rpartition("089:")[2] for reference in found if reference.urns] == ["709", "710", "710:1"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "第",
        "（（（",
        "こんにちは",
        "民法709条と言われた",
        "民法709条により賠償すべき損害の範囲は416条",
        "2018-05-31",
        "平成30年",
        "号",
        "第一項",
        "ワ",
    ],
)
def test_string_that_is_no_reference_gives_no_query(text: str) -> None:
    assert JP.tag_queries(text) == []


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("たばこ事業法第二条", {"article_number": "2", "code": "たばこ事業法"}),
        ("たばこ・事業法第2条第1項", {"provision": "2:1", "code": "たばこ・事業法"}),
        ("凧に関する法律2条3号", {"provision": "2:1:3", "code": "凧に関する法律"}),
        ("凧揚げ法附則第二条", {
            "supplementary_article_number": "2", "code": "凧揚げ法", "supplementary_provision": "original",
        }),
        ("凧揚げ法附則第二条第一項", {"provision": "sup:2:1", "code": "凧揚げ法"}),
        ("凧揚げ法第三項", {"paragraph_number": "3", "code": "凧揚げ法"}),
    ],
)  # fmt: skip
def test_law_that_no_table_has_is_asked_for_by_its_title(text: str, tags: dict[str, str]) -> None:
    [query] = JP.tag_queries(text)
    assert query.tag_filters == TagFilterSet.from_tags(tags)
    assert query.hint is None


@pytest.mark.parametrize("text", ["改正前の民法724条", "民709条", "第709条", "平成30年(受)第269号", "民法709条、710条"])
def test_uncertain_string_is_a_candidate_with_its_reading(text: str) -> None:
    queries = JP.tag_queries(text)
    assert queries
    assert all(query.hint for query in queries)


_PIECES = st.sampled_from([
    *"第一百9９条項号の二イ（）「」、\x00\ud800\u202eⅢ㈠\nｲ　", "及び", "から", "まで", "前条", "同項", "附則",
    "次の各号",
    "別表第一", "この法律", "同法", "民法", "法", "（昭和二十七年法律第二百三十一号）", "第三章", "この節", "元年",
    "平成30年(受)第1号", "改正前の", "ドイツの", "に関する法律", "第十百条", "第99999999999999条", "以下「法」という。",
    "民集1巻1号1頁", "前十条", "第〇条",
])  # fmt: skip
_TEXTS = st.lists(_PIECES | st.text(max_size=4), max_size=30).map("".join)


@given(_TEXTS)
@settings(max_examples=share_of(150))
def test_any_text_gives_ordered_well_formed_references(text: str) -> None:
    node = KITES.node(f"{LAW}:2:2:1")
    assert node is not None
    for here in (None, ReferenceContext(node, KITES)):
        found = JP.find_references(text, here)
        assert all(before.end <= after.start for before, after in pairwise(found))
        for reference in found:
            assert text[reference.start : reference.end] == reference.text
            assert all(reference.start <= part.start <= part.end <= reference.end for part in reference.parts)
            assert all(parse_urn(urn).text == urn for urn in reference.urns)
            assert here is not None or reference.kind != "relative"


@given(_TEXTS)
@settings(max_examples=share_of(150))
def test_any_string_gives_queries_with_confident_ones_first(text: str) -> None:
    hints = [query.hint is not None for query in JP.tag_queries(text)]
    assert hints == sorted(hints)


def _work(text: str) -> int:
    """Calls that reading a text takes."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    JP.find_references(text, None)
    JP.tag_queries(text)
    sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "（",
        "第一条（",
        "第一条、",
        "同項",
        "に関する法律",
        "昭和二十七年法律",
        "令和5年(ワ)",
        "第三章",
        "「甲」又は",
    ],
)
def test_work_grows_with_the_text_and_not_faster(unit: str) -> None:
    few, many = (_work(unit * (size // len(unit))) for size in (2_000, 4_000))
    assert many <= 2.5 * few + 1_000


@cache
def aviation(path: Path) -> tuple[DocumentIndex, list[tuple[ParsedNode, FoundReference]]]:
    document = EgovXml().parse(Source(path, path.parent))
    index = DocumentIndex(document)
    return index, [
        (node, reference)
        for node in document.nodes
        for reference in JP.find_references(node.text, ReferenceContext(node, index))
    ]


@pytest.mark.data
def test_references_of_a_published_law_name_provisions_it_has(shared_data: Path) -> None:
    index, found = aviation(next((shared_data / "jp-egov-xml").glob("*.xml")))
    exists: Counter[tuple[str, bool]] = Counter()
    for node, one in found:
        if ":sup" in node.urn or not one.confident:
            continue
        own = (urn for urn in one.urns if JP.document_urn(urn) == index.root.urn)
        exists.update((one.kind, index.node(urn) is not None) for urn in own)
    assert exists["explicit", False] == exists["relative", False] == 0
    assert exists["explicit", True] >= 700
    assert exists["relative", True] >= 700


@pytest.mark.data
def test_signs_of_a_published_law_are_references_that_are_certain(shared_data: Path) -> None:
    index, found = aviation(next((shared_data / "jp-egov-xml").glob("*.xml")))
    main = [(node, one) for node, one in found if ":sup" not in node.urn]
    sure = sum(one.confident for _, one in main)
    assert sure / len(main) >= 0.98
    places = {(node.urn, at) for node, one in found for at in range(one.start, one.end)}
    signs = [
        (node.urn, at)
        for node in index.tree.nodes
        for sign in ("前項", "前条", "次条", "同条第", "この法律")
        for at in range(len(node.text))
        if node.text.startswith(sign, at) and "「" not in node.text[max(0, at - 30) : at]
    ]
    assert sum(sign in places for sign in signs) / len(signs) >= 0.99


@pytest.mark.data
@pytest.mark.parametrize(
    ("at", "words", "urns"),
    [
        ("87:1", "第六十五条及び第六十六条", ("65", "66")),
        ("157:1:2", "前条第一項第二号", ("156:1:2",)),
        ("56-3:3", "同条第三項から第八項まで", ("49:3", "49:8")),
        ("109:2", "第一項第五号", ("101:1:5",)),
        ("2:4", "空港法（昭和三十一年法律第八十号）第二条", ("urn:lex:jp:331ac0000000080:2",)),
    ],
)
def test_reference_of_the_published_law_is_read_as_by_hand(
    shared_data: Path, at: str, words: str, urns: tuple[str, ...]
) -> None:
    index, found = aviation(next((shared_data / "jp-egov-xml").glob("*.xml")))
    [one] = [one for node, one in found if node.urn == f"{index.corpus_urn}:{at}" and one.text == words]
    assert tuple(urn.removeprefix(f"{index.corpus_urn}:") for urn in one.urns) == urns
