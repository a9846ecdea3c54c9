"""References in German texts: written forms, places, lists, other law, hostile input."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from conftest import share_of
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, FoundReference, ReferenceContext
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.paths import parse_urn
from retrieval.tag_query import TagFilterSet, TagQuery

DE = jurisdiction_for("de")
LAW = "urn:lex:de:apfelg"
ARTICLES = "urn:lex:de:egapfelg"
_TYPES = {
    "gesetz": "ROOT", "buch": "TITLE", "titel": "TITLE", "paragraph": "SECTION", "artikel": "ARTICLE",
    "absatz": "SUBSECTION", "nummer": "PARAGRAPH", "buchstabe": "SUBPARAGRAPH", "textteil": "PARAGRAPH",
    "anhang": "APPENDIX",
}  # fmt: skip


def law(corpus: str, *rows: tuple[str, str, str]) -> DocumentIndex:
    """An index over a law; a row is the path below the corpus, the path of its parent, and the level."""
    nodes = [ParsedNode(corpus, None, "ROOT", "gesetz")]
    for path, parent, level in rows:
        urn = f"{corpus}:{path}"
        number = path.split(":")[-1].split("_")[-1].removeprefix("nr.").removeprefix("par.")
        above = f"{corpus}:{parent}" if parent else corpus
        nodes.append(ParsedNode(urn, above, _TYPES[level], level, number))
    return DocumentIndex(ParsedDocument(Corpus(corpus, "Apfelgesetz", "de"), nodes, "a.md", "de_md", "0" * 64, 1))


PARAGRAPHS = law(
    LAW,
    ("buch_1", "", "buch"), ("buch_1:titel_1", "buch_1", "titel"), ("buch_1:titel_2", "buch_1", "titel"),
    ("1", "buch_1:titel_1", "paragraph"),
    ("2", "buch_1:titel_1", "paragraph"), ("2:1", "2", "absatz"), ("2:2", "2", "absatz"),
    ("2:2:1", "2:2", "nummer"), ("2:2:1:a", "2:2:1", "buchstabe"), ("2:2:2", "2:2", "nummer"), ("2:3", "2", "absatz"),
    ("3", "buch_1:titel_2", "paragraph"), ("3:nr.1", "3", "nummer"), ("3:nr.5", "3", "nummer"),
    ("4", "buch_1:titel_2", "paragraph"), ("4:1", "4", "absatz"), ("4:1:1", "4:1", "nummer"),
    ("4:1:text.1", "4:1", "textteil"), ("4:1:text.1:1", "4:1:text.1", "nummer"),
    ("4a", "buch_1:titel_2", "paragraph"),
)  # fmt: skip
NESTED = law(
    ARTICLES,
    ("5", "", "artikel"), ("5:par.1", "5", "paragraph"), ("5:par.2", "5", "paragraph"),
    ("5:par.2:1", "5:par.2", "absatz"),
    ("6", "", "artikel"), ("6:par.1", "6", "paragraph"), ("7", "", "artikel"), ("7:1", "7", "absatz"),
    ("anhang", "", "anhang"), ("anhang:1", "anhang", "nummer"),
)  # fmt: skip


def found_at(index: DocumentIndex, at: str, text: str) -> list[FoundReference]:
    node = index.node(f"{index.corpus_urn}:{at}")
    assert node is not None
    return DE.find_references(text, ReferenceContext(node, index))


def short(index: DocumentIndex, found: list[FoundReference]) -> list[tuple[str, ...]]:
    return [tuple(part.urn.removeprefix(f"{index.corpus_urn}:") for part in reference.parts) for reference in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("§ 1", [("1",)]),
        ("§ 2 Abs. 2 Nr. 1 Buchst. a", [("2:2:1:a",)]),
        ("§ 2 Absatz 2 Nummer 1 Buchstabe a", [("2:2:1:a",)]),
        ("§ 2 Abs.2 Nr.1 lit. a", [("2:2:1:a",)]),
        ("§ 2 II Nr. 1", [("2:2:1",)]),
        ("§ 2 Abs. II", [("2:2",)]),
        ("§ 2 (2)", [("2:2",)]),
        ("§ 3 Nr. 5", [("3:nr.5",)]),
        ("§ 3 Satz 2", [("3",)]),
        ("§ 2 Abs. 1 Satz 2 zweiter Halbsatz", [("2:1",)]),
        ("§ 2 Abs. 1 Satz 1, 2 und Abs. 3", [("2:1", "2:1", "2:3")]),
        ("§§ 2, 3 und 4a", [("2", "3", "4a")]),
        ("§ 4 a", [("4a",)]),
        ("§§ 2 Abs. 1, 4 Abs. 1", [("2:1", "4:1")]),
        ("Absatz 2", [("2:2",)]),
        ("Absatz 2 Nummer 1 und 2", [("2:2:1", "2:2:2")]),
        ("Nummer 1 Buchstabe a", [("2:2:1:a",)]),
        ("Satz 1", [("2:2",)]),
        ("Buchstabe a der Nummer 1", [("2:2:1:a",)]),
        ("Satz 1 des § 1", [("1",)]),
        ("Absatz 1 Satz 2 des § 4", [("4:1",)]),
        ("§ 1 und Absatz 3", [("1",), ("2:3",)]),
        ("diese Vorschrift und dieses Titels", [("buch_1:titel_1",)]),
        ("im Sinne dieser Vorschrift", [("2",)]),
        ("die Vorschriften des Titels 2 dieses Buches", [("buch_1:titel_2",), ("buch_1",)]),
        ("nach dem Zweiten Titel", [("buch_1:titel_2",)]),
        ("der vorstehende Absatz", [("2:1",)]),
        ("§ 1 dieses Gesetzes", [("1",)]),
        ("§ 1 des Apfelkuchens", [("1",)]),
        ("innerhalb von § 1 und 14 Tagen", [("1",)]),
        ("nach § 1 und 3. Mai 2020", [("1",)]),
        ("§\n1 und §\u00a03", [("1",), ("3",)]),
    ],
)
def test_reference_is_read_from_its_place(text: str, expected: list[tuple[str, ...]]) -> None:
    found = found_at(PARAGRAPHS, "2:2", text)
    assert short(PARAGRAPHS, found) == expected
    assert all(reference.confident for reference in found)


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        ("5:par.1", "§ 2 Abs. 1", [("5:par.2:1",)]),
        ("5:par.1", "Artikel 6 § 1", [("6:par.1",)]),
        ("7:1", "Artikel 5 § 1 und § 2 Absatz 1", [("5:par.1",), ("5:par.2:1",)]),
        ("7:1", "Artikel 5 §§ 1 und 2", [("5:par.1", "5:par.2")]),
        ("7:1", "Artikel 7 Absatz 1", [("7:1",)]),
    ],
)
def test_paragraph_inside_an_artikel_is_found_there(at: str, text: str, expected: list[tuple[str, ...]]) -> None:
    assert short(NESTED, found_at(NESTED, at, text)) == expected


@pytest.mark.parametrize(
    ("index", "at", "text"),
    [
        (PARAGRAPHS, "1", "§ 99"),
        (PARAGRAPHS, "1", "§§ 2 Abs. 1, 3 Nr. 5"),
        (PARAGRAPHS, "1", "§ 2 Abs. 9"),
        (PARAGRAPHS, "1", "§ 4 Abs. 1 Satz 2 Nr. 1"),  # the Absatz has two lists
        (PARAGRAPHS, "1", "§ 1 in der bis zum 31. Dezember 2001 geltenden Fassung"),
        (PARAGRAPHS, "1", "§ 1 a. F."),
        (PARAGRAPHS, "2:3", "Nummer 1"),  # only another Absatz has one
        (NESTED, "anhang:1", "Artikel 7"),  # an Anhang holds other law
        (NESTED, "7", "§ 1 EGApfelG"),
    ],
)
def test_doubtful_reading_is_not_presented_as_certain(index: DocumentIndex, at: str, text: str) -> None:
    assert [reference for reference in found_at(index, at, text) if reference.confident and reference.urns] == []


@pytest.mark.parametrize(
    "text",
    [
        "Art. 41 OR", "§ 1295 ABGB", "Art. 12 StGB", "§ 6 EGBGB", "§ 35 VwVfG NRW", "§ 8 Abs. 1 BauO NRW",
        "§ 52 des Hessischen Verwaltungsverfahrensgesetzes", "§ 5 des Apfelmostgesetzes", "Art. 8 EMRK",
        "§ 3 des Strafgesetzbuchs der Deutschen Demokratischen Republik", "§ 5 SGB", "§ 5 SGB XIII", "§ 2 VOB/B",
        "Artikel 3 des Beschlusses 2001/470/EG", "BGBl. 2021 I S. 850", "VIII ZR 277/16", "1 BvR 357/05",
        "ECLI:DE:BGH:2017:081117UVIIIZR13.17.0", "Artikel 136 der deutschen Verfassung vom 11. August 1919",
    ],
)  # fmt: skip
def test_other_law_is_recognised_as_other(text: str) -> None:
    for found in (DE.find_references(text, None), found_at(PARAGRAPHS, "2:2", f"nach {text}, wenn")):
        assert found
        assert all(reference.kind == "external" and not reference.urns for reference in found), text


@pytest.mark.parametrize("text", ["§ 705 BGB-Gesellschaft", "Artikel 5 Grundgesetzkommentar", "§ 5 NJW", "§ 823"])
def test_number_without_a_law_is_left_out_of_a_question(text: str) -> None:
    assert DE.find_references(text, None) == []


@pytest.mark.parametrize(
    ("text", "urn"),
    [
        ("§ 12 ApfelG", "urn:lex:de:apfelg:12"),
        ("§ 463 BGB a.F.", "urn:lex:de:bgb:463"),
        ("§ 463 BGB alter Fassung", "urn:lex:de:bgb:463"),
        ("§ 5 Abs. 1 Satz 2 Nr. 1 EStG", "urn:lex:de:estg:5:1:1"),
    ],
)
def test_uncertain_law_or_edition_is_a_candidate(text: str, urn: str) -> None:
    [found] = DE.find_references(text, None)
    assert (found.urns, found.confident) == ((urn,), False)
    [query] = DE.tag_queries(text)
    assert query.hint


@pytest.mark.parametrize(
    ("text", "certain"),
    [("§ 90a Satz 1 BGB", True), ("§ 90a Satz 9 BGB", False), ("§ 823 Abs. 1 Satz 2 BGB", False)],
)
def test_sentence_that_may_not_exist_is_the_whole_provision_as_a_candidate(text: str, certain: bool) -> None:
    [query] = DE.tag_queries(text)
    assert (query.hint is None) == certain


def test_chain_shares_the_law_at_its_end() -> None:
    text = "§ 19 Abs. 2 in Verbindung mit § 20 und den §§ 3, 4 des Gesetzes über die Kontrolle von Kriegswaffen"
    urns = [urn.rpartition("kontrg:")[2] for reference in DE.find_references(text, None) for urn in reference.urns]
    assert urns == ["19:2", "20", "3", "4"]


def test_other_way_of_counting_breaks_the_chain() -> None:
    found = found_at(PARAGRAPHS, "1", "§ 2 und Artikel 247 des Einführungsgesetzes zum Bürgerlichen Gesetzbuche")
    assert [reference.urns for reference in found] == [(f"{LAW}:2",), ("urn:lex:de:egbgb:247",)]


def test_ends_of_a_range_are_marked_and_not_filled() -> None:
    [found] = DE.find_references("§§ 434 bis 442, 475 BGB", None)
    assert [part.range for part in found.parts] == ["start", "end", ""]


def test_list_that_can_be_read_two_ways_is_not_certain() -> None:
    [found] = DE.find_references("§§ 1 Abs. 1, 2 BGB", None)
    assert not found.confident
    assert [query.hint is None for query in DE.tag_queries("Art. 1 Abs. 1, 3 GG")] == [False, False]


@pytest.mark.parametrize(
    ("text", "urn"),
    [
        ("Verordnung (EU) 2016/679", "urn:lex:eu:32016r0679"),
        ("Verordnung (EG) Nr. 44/2001", "urn:lex:eu:32001r0044"),
        ("Verordnung (EU) Nr. 1215/2012", "urn:lex:eu:32012r1215"),
        ("Richtlinie 95/46/EG", "urn:lex:eu:31995l0046"),
        ("Richtlinie 2011/83/EU", "urn:lex:eu:32011l0083"),
        ("Artikel 2 Buchstabe a der Verordnung (EG) Nr. 1107/2006", "urn:lex:eu:32006r1107:2:a"),
    ],
)
def test_european_act_is_read_by_its_number(text: str, urn: str) -> None:
    assert [reference.urns for reference in DE.find_references(f"nach der {text} des Rates", None)] == [(urn,)]


def test_example_of_the_specification_is_met_exactly() -> None:
    tags = TagFilterSet.from_tags({"paragraph": "823", "code": "BGB"})
    assert DE.tag_queries("§ 823 BGB") == [TagQuery(language="de", kind="legislation", tag_filters=tags)]


@pytest.mark.parametrize(
    "text", ["", "§", "§§§", "hallo", "12/10", "2016/679", "Absatz 2", "§ 218 BGB und mehr", "SGB"]
)
def test_string_that_is_no_reference_gives_no_query(text: str) -> None:
    assert DE.tag_queries(text) == []


_PIECES = st.sampled_from([
    "§ ", "§§ ", "Art. ", "Artikel ", "1", "23a", " ", ", ", "und ", "bis ", "Abs. ", "Satz ", "Nr. ", "Buchst. a ",
    "BGB ", "SGB II ", "des ", "Grundgesetzes ", "EGBGB ", "i.V.m. ", "(1) ", "ff. ", "VIII ZR 1/10 ",
    "BGBl. I S. 5 ", "\x00", "\ud800", "\u202e", "Ｂ", "dieses Titels ", "Anlage ", "Verordnung (EU) 2016/679 ",
    "a.F. ", "\n", "II ", "XIII ",
])  # fmt: skip
_TEXTS = st.lists(_PIECES | st.text(max_size=4), max_size=30).map("".join)


@given(_TEXTS)
@settings(max_examples=share_of(150))
def test_any_text_gives_ordered_well_formed_references(text: str) -> None:
    node = PARAGRAPHS.node(f"{LAW}:2:2")
    assert node is not None
    for here in (None, ReferenceContext(node, PARAGRAPHS)):
        found = DE.find_references(text, here)
        assert all(before.end <= after.start for before, after in pairwise(found))
        for reference in found:
            assert text[reference.start : reference.end] == reference.text
            assert all(reference.start <= part.start <= part.end <= reference.end for part in reference.parts)
            assert all(parse_urn(urn).text == urn for urn in reference.urns)
            assert here is not None or reference.kind != "relative"


@given(_TEXTS)
@settings(max_examples=share_of(150))
def test_any_string_gives_queries_with_confident_ones_first(text: str) -> None:
    hints = [query.hint is not None for query in DE.tag_queries(text)]
    assert hints == sorted(hints)


def _work(text: str) -> int:
    """Calls that reading a text takes."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    DE.find_references(text, None)
    sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "unit",
    ["1", "(", "§", "§ 1 ", "§ 1, ", "Absatz 1 des Satzes ", "Art. 1 § ", "§ 1 des großen ", "Nr. 1/", "§ 1 und "],
)
def test_work_grows_with_the_text_and_not_faster(unit: str) -> None:
    few, many = (_work(unit * (size // len(unit))) for size in (2_000, 4_000))
    assert many <= 2.5 * few + 1_000
