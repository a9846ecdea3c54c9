from __future__ import annotations

import re
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest
from french_law import CODE, FRANCE, cited, references, velo_code
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.formats.base import Source
from rag.ingest.formats.french.legalize_md import LegalizeMd
from rag.ingest.formats.french.legi_json import LegiJson
from rag.jurisdictions.fr.jurisdiction import luhn
from rag.jurisdictions.fr.text import fold, read_date
from rag.law.jurisdiction import DocumentIndex, ReferenceContext
from rag.law.nodes import ParsedDocument
from retrieval.paths import parse_urn
from retrieval.tag_query import TagFilterOp, TagFilterSet, TagQuery

CIVIL = "urn:lex:fr:code-civil"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prévu à l'article 4", ["4"]),
        ("prévu à l'article 1er", ["1"]),
        ("aux articles 1 à 4", ["1", "4"]),
        ("à l'article R. 6-1", ["r6-1"]),
        ("aux articles L. 5-1 et L.5-2", ["l5-1", "l5-2"]),
        ("au deuxième alinéa de l'article 2", ["2:al.2"]),
        ("aux deux premiers alinéas de l'article 2", ["2:al.1", "2:al.2"]),
        ("au dernier alinéa de l'article 2", ["2:al.3"]),
        ("à l'avant-dernier alinéa de l'article 2", ["2:al.2"]),
        ("aux deux derniers alinéas de l'article 2", ["2:al.2", "2:al.3"]),
        ("la première phrase du troisième alinéa de l'article 2", ["2:al.3"]),
        ("l'article 2, deuxième alinéa", ["2:al.2"]),
        ("l'article 2, alinéa 2", ["2:al.2"]),
        ("l'article 2, alinéa second", ["2:al.2"]),
        ("au a du 2 du I de l'article 3", ["3:i:2:a"]),
        ("l'article 6 § 1 de la convention européenne", ["-"]),
        ("l'ancien article 4", ["4 unsure"]),
        ("article 1240 et 1241 du code civil", ["urn:lex:fr:code-civil:1240", "urn:lex:fr:code-civil:1241"]),
        ("l'article 4 de la loi du 10 juillet 1991", ["-"]),
        ("Titre II\nArticle 4 du présent code", ["4"]),
        ("articles 12 - 3 du code civil", ["urn:lex:fr:code-civil:12-3 unsure"]),
        ("au a du 2° du I de l'article 3", ["3:i:2:a"]),
        ("aux 1° et 2° du II de l'article 3", ["3:ii:1", "3:ii:2"]),
        ("au 1° du présent II", ["3:ii:1"]),
        ("au 1°", ["3:ii:1"]),
        ("du I", ["3:i"]),
        ("du présent II", ["3:ii"]),
        ("au I et au 1° du II de l'article 3", ["3:i unsure", "3:ii:1"]),
        ("l'article 4 et son deuxième alinéa", ["4", "4:al.2 unsure"]),
        ("à l'article L. 5-1, à l'exception de son deuxième alinéa", ["l5-1", "l5-1:al.2"]),
        ("le présent article", ["3"]),
        ("l'article précédent", ["2"]),
        ("les deux articles précédents", ["1", "2"]),
        ("l'article suivant", ["4"]),
        ("l'alinéa précédent", ["3:ii:1"]),
        ("au premier alinéa", ["3:i"]),
        ("du présent titre", ["titre_i"]),
        ("au titre II", ["titre_ii"]),
        ("aux titres Ier et II du présent code", ["titre_i", "titre_ii"]),
        ("du présent code", [CODE]),
        ("à l'article 4 du présent code", ["4"]),
        ("à l'article 4, puis au même article", ["4", "4"]),
        ("l'article 99", ["99 unsure"]),
        ("l'article 1240 du code civil et l'article 16 du même code", [f"{CIVIL}:1240", f"{CIVIL}:16"]),
        ("l'article 1240 du code civil et le deuxième alinéa du même article", [f"{CIVIL}:1240", f"{CIVIL}:1240:al.2"]),
        ("à l'article 16 et à l'article 1240 du code civil", [f"{CIVIL}:16", f"{CIVIL}:1240"]),
        ("à l'article 4 et à l'article 1240 du code civil", [f"{CIVIL}:4 unsure", f"{CIVIL}:1240"]),
        ("articles 80 à 88 du code civil local applicable aux départements du Bas-Rhin", ["-", "-"]),
        ("l'article 4 du règlement intérieur", ["-"]),
        ("l'article 4 de la convention de Genève", ["-"]),
        ("à l'article 4 du code des phares et balises", ["-"]),
        (
            "la loi n° 78-17 du 6 janvier 1978 et l'article 8 de la même loi",
            ["urn:lex:fr:loi-78-17", "urn:lex:fr:loi-78-17:8"],
        ),
        (
            "l'article 8 de la loi n° 78-17, puis la loi du 6 janvier 1978 précitée",
            ["urn:lex:fr:loi-78-17:8", "urn:lex:fr:loi-78-17"],
        ),
        ("l'article 2 de l'ordonnance précitée", ["? unsure"]),
        ("par dérogation aux articles 1 à 4, sauf disposition contraire", ["1", "4"]),
        ("l'article 2 et suivants", ["2"]),
        ("à titre gratuit, la section locale et le livre du chapitre", []),
        ("ceux qui les a reçus, avec le respect dû à la propriété", []),
        ("l'article 5 ans", ["5 unsure"]),
        ('les mots : " à l\'article 4 " sont remplacés', []),
    ],
)
def test_reference_in_a_provision_is_read_from_its_place(text: str, expected: list[str]) -> None:
    assert cited(text) == expected


def test_sentence_of_an_article_without_alineas_stands_for_the_article() -> None:
    assert cited("la première phrase de l'article 4") == ["4"]


def test_place_of_the_last_named_law_is_found_in_an_earlier_alinea() -> None:
    parsed = velo_code({"2": ("Il applique la loi n° 78-17 du 6 janvier 1978.", "L'article 8 de la même loi vaut.")})
    assert cited("L'article 8 de la même loi vaut.", "2:al.2", parsed) == ["urn:lex:fr:loi-78-17:8"]


def test_ambiguous_container_is_not_certain() -> None:
    parsed = velo_code()
    next(node for node in parsed.nodes if node.urn == f"{CODE}:titre_i").tags["ambiguous"] = "true"
    assert cited("du présent titre", parsed=parsed) == ["titre_i unsure"]


def test_open_range_is_marked_at_its_only_end() -> None:
    [one] = references("les articles 2 et suivants")
    assert [(part.urn, part.range) for part in one.parts] == [(f"{CODE}:2", "start")]


def test_question_gives_only_references_that_name_their_law() -> None:
    text = "Selon l'article 4, le présent code et l'article 1240 du code civil, qui paie ?"
    assert [reference.urns for reference in FRANCE.find_references(text, None)] == [(f"{CIVIL}:1240",)]


def test_european_law_is_read_by_its_own_grammar() -> None:
    found = FRANCE.find_references("l'article 17 du règlement (UE) 2016/679 et l'article 9 du code civil", None)
    assert found[-1].urns == (f"{CIVIL}:9",)
    assert all(urn.startswith("urn:lex:eu:32016r0679") for reference in found[:-1] for urn in reference.urns)


def test_weightless_characters_do_not_hide_a_reference() -> None:
    text = "l’arti\u00adcle 12\u200b40 du code ci\u0301vil"
    [one] = FRANCE.find_references(text, None)
    assert one.urns == (f"{CIVIL}:1240",)
    assert text[one.start : one.end] == one.text


@pytest.mark.parametrize(
    "text",
    ["аrticle 1240 du code civil", "article 1240 du соde civil", "l'artіcle 12 de la loi n° 78-17"],
)
def test_confusable_letters_are_not_taken_for_a_code_article(text: str) -> None:
    assert f"{CIVIL}:1240" not in [urn for reference in FRANCE.find_references(text, None) for urn in reference.urns]


# Queries


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bonjour",
        "le bail",
        "12345",
        "732829321",
        "articles",
        "code",
        "n°",
        "99/1",
        "ECLI:DE:BGH:2020:1",
        "règlement (UE) 2016/679",
        "article 1240 du code civil et le reste de la phrase",
        "x" * 2000,
    ],
)
def test_string_that_is_no_french_reference_gives_no_query(text: str) -> None:
    assert FRANCE.tag_queries(text) == []


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("ART. L 121-1 C. CONSOM.", {"article_number": "L121-1", "code": "Code de la consommation"}),
        ("l'article 39 DECIES A du CGI", {"article_number": "39 decies A", "code": "Code général des impôts"}),
        ("CGI, art. 39", {"article_number": "39", "code": "Code général des impôts"}),
        ("code civil article 1240", {"article_number": "1240", "code": "Code civil"}),
        ("1240 d'autres codes", None),
        ("ordonnance n° 2016-131 du 10 février 2016 portant réforme", {"nature": "ORDONNANCE", "number": "2016-131"}),
        ("loi n° 1978-17", {"nature": "LOI", "number": "78-17"}),
        ("BOI-RPPM-RCM-10-10-20120912", {"bofip": "BOI-RPPM-RCM-10-10-20120912"}),
        ("convention collective nationale IDCC 16", {"idcc": "16", "in_force": "true"}),
    ],
)
def test_written_form_is_read_as_tags(text: str, tags: dict[str, str] | None) -> None:
    found = FRANCE.tag_queries(text)
    if tags is None:
        assert found == []
        return
    assert {tag_filter.key: tag_filter.value for tag_filter in found[0].tag_filters.filters} == tags
    assert found[0].hint is None


@pytest.mark.parametrize("text", ["1240 du code civil", "code civil 1240", "C. civ. 1240"])
def test_number_beside_a_code_is_a_candidate(text: str) -> None:
    [query] = FRANCE.tag_queries(text)
    assert query.hint
    assert {tag_filter.key: tag_filter.value for tag_filter in query.tag_filters.filters} == {
        "article_number": "1240",
        "code": "Code civil",
    }


def test_paragraph_named_after_its_code_is_the_paragraph_of_the_article() -> None:
    [query] = FRANCE.tag_queries("article 9-1 du code civil, alinéa 2")
    assert (query.hint, query.tag_filters.filters[0].value) == (None, f"{CIVIL}:9-1:al.2")


def test_code_that_the_grammar_lacks_is_a_candidate_by_its_name() -> None:
    [query] = FRANCE.tag_queries("article L. 12-3 du code des phares et balises")
    assert query.hint
    assert [(tag_filter.key, tag_filter.op, tag_filter.value) for tag_filter in query.tag_filters.filters] == [
        ("article_number", TagFilterOp.EQ, "L12-3"),
        ("code", TagFilterOp.ILIKE, "Code des phares et balises"),
    ]


@pytest.mark.parametrize(
    "text", ["ancien article 1382 du code civil", "article 1382 ancien du code civil", "art. 9 CC"]
)
def test_reading_that_another_text_could_be_meant_by_is_a_candidate(text: str) -> None:
    assert all(tag_query.hint for tag_query in FRANCE.tag_queries(text))
    assert FRANCE.tag_queries(text)


def test_number_of_a_law_without_its_nature_is_a_candidate_of_each() -> None:
    found = FRANCE.tag_queries("2019-486")
    assert [tag_query.tag_filters.filters[0].value for tag_query in found] == ["LOI", "ORDONNANCE", "DECRET"]
    assert all(tag_query.hint for tag_query in found)


def test_foreign_law_is_external_in_a_question_too() -> None:
    for text in ("article 12 du code civil belge", "articles 2 et 3 du décret-loi du 30 octobre 1935"):
        [one] = FRANCE.find_references(text, None)
        assert (one.kind, one.urns) == ("external", ())


def test_abbreviation_of_two_codes_gives_both_as_candidates() -> None:
    found = FRANCE.tag_queries("art. L. 111-1 CPCE")
    assert len(found) == 2
    assert all(tag_query.hint for tag_query in found)


def test_date_asked_about_is_told_from_a_laws_own_date() -> None:
    [own] = FRANCE.tag_queries("loi n° 78-17 du 6 janvier 1978")
    [asked] = FRANCE.tag_queries("loi n° 78-17 au 1er juin 2018")
    assert (own.at_date, asked.at_date) == (None, date(2018, 6, 1))


@pytest.mark.parametrize(("number", "right"), [("732829320", True), ("732829321", False), ("000000000", False)])
def test_siren_is_checked_by_its_last_digit(number: str, right: bool) -> None:
    assert luhn(number) is right


@pytest.mark.parametrize("written", ["732829320", "732 829 320", "732829321"])
def test_nine_digits_with_their_check_digit_are_a_candidate_and_no_others(written: str) -> None:
    companies = [
        (tag_query.kind, tag_query.hint, tag_filter.value)
        for tag_query in FRANCE.tag_queries(written)
        for tag_filter in tag_query.tag_filters.filters
        if tag_filter.key == "siren"
    ]
    assert companies == ([] if written.endswith("1") else [("record", "SIREN", "732829320")])


# Any text

_PIECES = st.sampled_from(
    [
        "article",
        "articles ",
        " 1240",
        "L. 111-1",
        " du code civil",
        "§§§",
        "1°",
        " du ",
        "I",
        "alinéa ",
        "premier ",
        "((",
        "et ",
        ", ",
        "à ",
        "«",
        "même ",
        "code ",
        "loi n° 78-17",
        "\ud800",
        "\x00",
        "\u202e",
        "0" * 40,
        " " * 30,
        "annexe I au ",
        "présent ",
        "section 2",
        "de l'",
        "R*",
        "bis",
        "\n",
    ]
)
_TEXTS = st.one_of(st.text(max_size=120), st.lists(_PIECES, max_size=25).map("".join))
_PLACE = velo_code()
_INDEX = DocumentIndex(_PLACE)
_HERE = ReferenceContext(next(node for node in _PLACE.nodes if node.urn == f"{CODE}:3:ii:2"), _INDEX)


@given(_TEXTS)
def test_any_text_gives_ordered_references_with_valid_urns(text: str) -> None:
    for here in (None, _HERE):
        found = FRANCE.find_references(text, here)
        assert all(reference.text == text[reference.start : reference.end] for reference in found)
        assert all(first.end <= second.start for first, second in pairwise(found))
        assert all(
            reference.start <= part.start <= part.end <= reference.end
            for reference in found
            for part in reference.parts
        )
        assert all(parse_urn(urn).text == urn for reference in found for urn in reference.urns)


@given(_TEXTS)
def test_any_string_gives_confident_queries_before_candidates(text: str) -> None:
    found: list[TagQuery] = FRANCE.tag_queries(text)
    hints = [tag_query.hint is not None for tag_query in found]
    assert hints == sorted(hints)
    for tag_query in found:
        for each in tag_query.tag_filters.filters:
            assert each.key != "urn" or parse_urn(each.values[0])


@given(st.text(max_size=80))
def test_folding_keeps_the_way_back(text: str) -> None:
    folded = fold(text)
    places = [folded.original(at) for at in range(len(folded.text))]
    assert places == sorted(set(places))
    assert len(folded.text) + len(folded.dropped) == len(text)
    assert not set(places) & set(folded.dropped)


@given(st.dates(min_value=date(1000, 1, 1)))
def test_written_dates_are_read_back(day: date) -> None:
    assert read_date(f"{day:%d/%m/%Y}") == read_date(day.isoformat()) == day


# Published law


def _read(folder: Path, name: str) -> ParsedDocument:
    reader = LegiJson() if name.endswith(".json") else LegalizeMd()
    return reader.parse(Source(folder / name, folder))


@pytest.mark.parametrize(
    ("folder", "name", "least"),
    [
        ("fr-legalize-md", "LEGITEXT000006070721.md", 0.98),
        ("fr-legi-json", "LEGITEXT000031366350.json", 0.98),
    ],
)
def test_published_references_name_provisions_that_exist(
    shared_data: Path, folder: str, name: str, least: float
) -> None:
    parsed = _read(shared_data / folder, name)
    index = DocumentIndex(parsed)
    own = there = 0
    for node in parsed.nodes:
        for reference in FRANCE.find_references(node.text, ReferenceContext(node, index)) if node.text else []:
            mine = [urn for urn in reference.urns if urn.startswith(f"{index.corpus_urn}:")]
            own += len(mine)
            there += sum(index.node(urn) is not None for urn in mine)
            assert all(index.node(urn) is not None for urn in mine) or not reference.confident
    assert own > 900
    assert there / own >= least


def test_published_links_of_the_administrative_code_are_found_with_the_mark_up_hidden(shared_data: Path) -> None:
    parsed = _read(shared_data / "fr-legi-json", "LEGITEXT000031366350.json")
    index = DocumentIndex(parsed)
    right = wrong = missed = 0
    for node in parsed.nodes:
        marks = [mark for mark in node.marks if mark.kind == "reference" and mark.target]
        found = FRANCE.find_references(node.text, ReferenceContext(node, index)) if marks else []
        for mark in marks:
            over = [reference for reference in found if reference.start < mark.end and mark.start < reference.end]
            same = any(
                urn == mark.target or urn.startswith(f"{mark.target}:") for reference in over for urn in reference.urns
            )
            right += same
            missed += not over
            wrong += bool(over) and not same
    assert right / (right + wrong) >= 0.98
    assert right / (right + missed) >= 0.98


def test_laws_that_a_publisher_names_by_number_are_read_with_its_nature_and_number(shared_data: Path) -> None:
    text = (shared_data / "fr-legi-json" / "LEGITEXT000031366350.json").read_text(encoding="utf-8")
    links = re.findall(r'"textTitle": "([^"]+?) - art[^"]*",[^{}]*"natureText": "([A-Z]+)"', text)
    named = {(title, nature, number[1]) for title, nature in links if (number := re.search(r"n°\s?(\d+-\d+)", title))}
    civil = (shared_data / "fr-legalize-md" / "LEGITEXT000006070721.md").read_text(encoding="utf-8")
    for title, nature, number in re.findall(
        r"\b((loi|ordonnance|décret) n° (\d\d(?:\d\d)?-\d+) du \d+ \w+ \d{4})", civil
    ):
        named.add((title, fold(nature).text.upper(), number))
    assert {nature for _, nature, _ in named} == {"LOI", "ORDONNANCE", "DECRET"}
    assert len(named) > 40
    for title, nature, number in named:
        [query] = FRANCE.tag_queries(title)
        assert query == TagQuery(
            language="fr", kind="legislation", tag_filters=TagFilterSet.from_tags({"nature": nature, "number": number})
        )
