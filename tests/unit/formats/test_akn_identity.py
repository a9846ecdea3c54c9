"""What an Akoma Ntoso document is, says of itself and points at: claims, URNs, titles, targets, designators."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_akn import ACT, FORMAT, UKL, act, judgment, meta, p, para, parse, section

from rag.ingest.formats.akn.meta import address_corpus, neutral_corpus
from rag.ingest.formats.akn.parser import NAMESPACE, reference_urn
from rag.ingest.formats.akn.text import designator
from rag.ingest.formats.base import Source, title_slug
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.paths import parse_urn


def test_identity_comes_from_the_metadata_and_never_from_the_file(tmp_path: Path) -> None:
    document = parse(tmp_path, f"<act>{meta(language='fra')}<body>{section('1', p('Words.'))}</body></act>")
    assert document.urn == document.corpus.urn == "urn:lex:za:act-1980-10"
    assert (document.corpus.title, document.corpus.language) == ("Ferries Act", "fr")
    assert document.edition_date == date(2020, 2, 1)
    assert document.nodes[0].parent_urn is None
    assert document.nodes[0].aliases == [ACT]
    assert document.source == "law.xml"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("/akn/za/act/1980-05-03/10", ("za", "act-1980-10")),
        ("/akn/za/act/1980-05-03/10/eng@2020-02-01/!main", ("za", "act-1980-10")),
        ("/za-cpt/act/by-law/2010/2010-1234", ("za-cpt", "act-by-law-2010-2010-1234")),
        ("/akn/za/judgment/zasca/2020/12", ("za", "zasca-2020-12")),
        ("/akn/ke/act/2010/constitution", ("ke", "act-2010-constitution")),
        ("/akn/it/act/1948-01-01/nn", ("it", "act-1948-01-01-nn")),
        ("http://www.legislation.gov.uk/id/ukpga/1968/60", ("gb", "ukpga-1968-60")),
        ("http://www.legislation.gov.uk/id/ukpga/Geo6/12-13-14/97", ("gb", "ukpga-geo6-12-13-14-97")),
        (
            "https://caselaw.nationalarchives.gov.uk/id/uksc/2024/1/press-summary/1",
            ("gb", "uksc-2024-1-press-summary-1"),
        ),
        ("https://caselaw.nationalarchives.gov.uk/uksc/2024/1/data.xml", ("gb", "uksc-2024-1")),
        ("https://caselaw.nationalarchives.gov.uk/id/uksc/2024/1", ("gb", "uksc-2024-1")),
        ("https://caselaw.nationalarchives.gov.uk/ewca/civ/2022/840", ("gb", "ewca-civ-2022-840")),
        # The Union's acts have their CELEX number, whatever the address.
        ("http://data.europa.eu/eli/reg/2031/7", ("eu", "32031r0007")),
        ("http://data.europa.eu/eli/dir_impl/2031/1234/oj/eng", ("eu", "32031l1234")),
        ("/akn/eu/act/decision/2031-05-03/7", ("eu", "32031d0007")),
        ("https://example.org/eli/reg/2031/7", ("", "")),
        ("https://example.org/act/1968/60", ("", "")),
        ("/akn/za/act/1980/eng", ("", "")),
        ("", ("", "")),
    ],
)
def test_addresses_name_jurisdiction_and_corpus(address: str, expected: tuple[str, str]) -> None:
    assert address_corpus(address) == expected


@pytest.mark.parametrize(
    ("citation", "corpus"),
    [
        ("[2024] UKSC 1", "uksc-2024-1"),
        ("[2022] EWHC 621 (Ch)", "ewhc-ch-2022-621"),
        ("[2022] EWCA Civ 840", "ewca-civ-2022-840"),
        ("(2022) 3 WLR 1", ""),
    ],
)
def test_neutral_citations_name_a_corpus(citation: str, corpus: str) -> None:
    assert neutral_corpus(citation) == corpus


def test_a_bill_without_number_is_named_by_its_title_through_all_stages(tmp_path: Path) -> None:
    references = '<references><TLCConcept eId="varBillTitle" showAs="The Oars (No. 2) Bill 2031"/></references>'

    def bill(stage: str) -> ParsedDocument:
        body = f"<body>{section('1', p(stage))}</body>"
        cover = '<coverPage><p><docTitle><ref href="#varBillTitle" class="placeholder"/></docTitle></p></coverPage>'
        return parse(tmp_path, f'<bill name="ukpubb"><meta>{references}</meta>{cover}{body}</bill>', UKL)

    first, second = bill("As introduced."), bill("As amended.")
    assert first.urn == second.urn == "urn:lex:gb:ukpubb-oars-no-2-bill"
    assert first.corpus.title == "The Oars (No. 2) Bill 2031"
    assert first.nodes[0].tags["document_type"] == "ukpubb"
    assert "left out on purpose: cover page (1)" in first.warnings


def test_a_body_without_any_title_is_named_by_its_headings_and_says_so(tmp_path: Path) -> None:
    document = parse(
        tmp_path, f'<bill name="sppubb"><meta/><body>{section("1", p("Words."), "Of oars")}</body></bill>', UKL
    )
    assert document.urn == "urn:lex:gb:sppubb-untitled-of-oars"
    assert "neither number nor title" in document.warnings[0]


@pytest.mark.parametrize(
    ("document", "cause"),
    [
        ("<act><meta/><body/></act>", "names no country"),
        (f"<act>{meta(country='za')}</act>", "no body"),
        (f"<act>{meta()}<body/></act><act>{meta()}<body/></act>", "more than one"),
        (f"<act>{meta()}<wild>Words.</wild><body/></act>", "wild is not expected"),
        (f"<act>{meta()}<body>{p('<b>' * 150 + '</b>' * 150)}</body></act>", "text is nested deeper"),
        (f"<act>{meta()}<body/><attachments><attachment><doc/></attachment></attachments></act>", "no body"),
        (f"<act>{meta()}<body>{'<level>' * 70}{'</level>' * 70}</body></act>", "nested deeper"),
        (f'<act>{meta()}<body><section period="#p"><num>1</num></section></body></act>', "do not declare"),
        (f"<act>{meta(uri='x', title='T', language='')}<body/></act>", "names no language"),
    ],
)
def test_what_is_no_readable_law_is_refused_by_name(tmp_path: Path, document: str, cause: str) -> None:
    with pytest.raises(IngestError, match=cause) as error:
        parse(tmp_path, document)
    assert error.value.file == "law.xml"
    assert "Words" not in error.value.message


def test_a_doctype_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "law.xml"
    path.write_text(f'<!DOCTYPE a [<!ENTITY b "c">]><akomaNtoso xmlns="{NAMESPACE}"/>', encoding="utf-8")
    with pytest.raises(IngestError, match="DOCTYPE"):
        FORMAT.parse(Source(path, tmp_path))


@pytest.mark.parametrize(
    ("head", "claimed", "skipped"),
    [
        (f'<?xml version="1.0"?><!-- a --><akomaNtoso xmlns="{NAMESPACE}">\n<act name="a">', True, False),
        (f'\ufeff<a:akomaNtoso xmlns:a="{NAMESPACE}/CSD13"><a:judgment>', True, False),
        (f'<akomaNtoso xmlns="{NAMESPACE}"><debate>', False, True),
        (f'<akomaNtoso xmlns="{NAMESPACE}"><documentCollection>', False, True),
        ('<akomaNtoso xmlns="http://www.akomantoso.org/2.0"><act>', False, True),
        ('<Legislation xmlns="http://www.legislation.gov.uk/namespaces/legislation">', False, False),
        ('<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0"><meta>', False, False),
        ('<statuteCompilation xmlns="http://schemas.gpo.gov/xml/uslm">', False, False),
        ('<regulation xmlns="eregs">', False, False),
        ('<Law Era="Showa" Num="1">', False, False),
        ('<TEI xmlns="http://www.tei-c.org/ns/1.0">', False, False),
        ('<container xmlns="https://code.dccouncil.us/schemas/dc-library">', False, False),
        ('<?xml version="1.0" ?><DLPSTEXTCLASS><HEADER>', False, False),
        (f"<html>{NAMESPACE} <akomaNtoso><act>", False, False),
        ('{"urn": "akomaNtoso"}', False, False),
        ("# Akoma Ntoso\n", False, False),
        ("", False, False),
    ],
)
def test_only_law_in_akoma_ntoso_3_is_claimed(head: str, claimed: bool, skipped: bool) -> None:
    path = Path("any")
    assert FORMAT.claims(path, head.encode()) is claimed
    assert bool(FORMAT.skips(path, head.encode())) is skipped


@pytest.mark.parametrize(
    ("href", "urn"),
    [
        ("#sec_4", "urn:lex:za:act-1980-10:4"),
        ("#unknown", ""),
        (f"{ACT}#sec_4", "urn:lex:za:act-1980-10:4"),
        (f"{ACT}/~sec_9", ""),
        ("/akn/za/act/1990/4", "urn:lex:za:act-1990-4"),
        ("/akn/za/act/1990/4#art_5__para_2__point_a", "urn:lex:za:act-1990-4:5:2:a"),
        ("/akn/za/act/1990/4#sched_1__para_2", "urn:lex:za:act-1990-4:sch.1:2"),
        ("/akn/za/act/1990/4#part_2", ""),
        ("/akn/za/act/1990/4#dcc0", ""),
        ("http://www.legislation.gov.uk/id/ukpga/1968/60/section/1/1", "urn:lex:gb:ukpga-1968-60:1:1"),
        ("http://www.legislation.gov.uk/ukpga/1968/60/schedule/2/paragraph/3", "urn:lex:gb:ukpga-1968-60:sch.2:3"),
        ("http://www.legislation.gov.uk/ukpga/1968/60/schedule/paragraph/3", "urn:lex:gb:ukpga-1968-60:sch:3"),
        ("http://www.legislation.gov.uk/ukpga/1968/60/section/3/enacted", "urn:lex:gb:ukpga-1968-60:3"),
        ("http://www.legislation.gov.uk/ukpga/1968/60#section-3", "urn:lex:gb:ukpga-1968-60:3"),
        ("http://www.legislation.gov.uk/ukpga/1968/60#wild", ""),
        ("https://caselaw.nationalarchives.gov.uk/uksc/2024/1", "urn:lex:gb:uksc-2024-1"),
        ("mailto:clerk@example.org", ""),
        ("", ""),
    ],
)
def test_targets_are_read_where_that_is_certain(href: str, urn: str) -> None:
    assert reference_urn(href, {"sec_4": "urn:lex:za:act-1980-10:4"}, ACT) == urn


@settings(max_examples=60)
@given(
    host=st.sampled_from(["", "http://[", "/akn/za/act/1990/4#", "http://www.legislation.gov.uk/ukpga/1968/60/"]),
    rest=st.text(max_size=40),
)
def test_whatever_stands_in_a_target_gives_a_urn_or_nothing(host: str, rest: str) -> None:
    found = reference_urn(host + rest, {})
    assert not found or parse_urn(found).text == found


def test_a_target_outside_the_grammar_of_urns_is_no_target() -> None:
    assert reference_urn(f"/akn/za/act/1990/4#sec_{'9' * 600}", {}) == ""


def test_an_ecli_is_alias_and_tag(tmp_path: Path) -> None:
    ecli = "ECLI:NL:HR:2031:7"
    uri = "/akn/nl/judgment/hr/2031/7"
    metadata = meta(uri=uri, country="nl", language="nld", more=f"<proprietary><e>{ecli}</e></proprietary>")
    body = f"<judgmentBody><motivation>{para('1.')}</motivation><decision>{para('2.')}</decision></judgmentBody>"
    document = parse(tmp_path, f"<judgment>{metadata}{body}</judgment>")
    assert (document.urn, document.corpus.language) == ("urn:lex:nl:hr-2031-7", "nl")
    assert document.nodes[0].aliases == [uri, ecli]
    assert document.nodes[0].tags["ecli"] == ecli
    assert [node.level for node in document.nodes[1:]] == ["motivation", "paragraph", "decision", "paragraph"]


@pytest.mark.parametrize(
    ("printed", "number"),
    [
        ("(1)", "1"), ("1.", "1"), ("[12]", "12"), ("Part 2A", "2A"), ("§ 4", "4"), ("Art. 3-bis.", "3-bis"),
        ("Article 5", "5"), ("CHAPITRE II", "II"), ("First Schedule", "1"), ("Schedule", ""), ("—", ""), ("a)", "a"),
        ("Section 12–14", "12–14"), ("(s)", "s"), ("(no)", "no"),
    ],
)  # fmt: skip
def test_designators_lose_their_brackets_and_level_words(printed: str, number: str) -> None:
    assert designator(printed) == number


def test_cut_and_foreign_titles_never_share_a_slug() -> None:
    long = "Oars " * 40
    titles = [f"{long}one", f"{long}two", "Νόμος περί κουπιών", "Νόμος περί πανιών", "Oars Act"]
    assert len({title_slug(title) for title in titles}) == 5
    assert title_slug("Oars Act") == "oars-act"


def test_a_judgment_without_citation_is_named_by_its_case_number(tmp_path: Path) -> None:
    assert judgment(tmp_path, para("1."), cite="unreported").urn == "urn:lex:gb:judgment-2031-ab-1"


def test_coming_into_force_is_read_from_the_preface(tmp_path: Path) -> None:
    preface = '<preface><block name="commenceDate"><docDate date="1981-01-02">2 January</docDate></block></preface>'
    document = parse(tmp_path, f"<act>{meta()}{preface}<body>{section('1', p('Own.'))}</body></act>")
    assert {node.valid_from for node in document.nodes} == {date(1981, 1, 2)}


def test_only_paragraph_without_number_is_not_in_the_urns_of_its_points(tmp_path: Path) -> None:
    points = (
        "<list><intro><p>In this act:</p></intro><point><num>(a)</num><content><p>kite;</p></content></point></list>"
    )
    alone = act(tmp_path, f"<article><num>Article 3</num><paragraph>{points}</paragraph></article>")
    assert [alone[urn].parent_urn for urn in ("3:p.1", "3:a")] == [alone["3"].urn, alone["3:p.1"].urn]
    two = act(tmp_path, f"<article><num>Article 3</num><paragraph>{points}</paragraph>{para('2.')}</article>")
    assert {"3:p.1", "3:p.1:a", "3:2"} <= two.keys()


def test_modifications_and_the_life_cycle_are_edges_with_their_day_and_direction(tmp_path: Path) -> None:
    other = "/akn/za/act/1968/60"
    more = (
        '<lifecycle source="#p"><eventRef eId="e1" date="1980-05-03" source="#r0" type="generation"/>'
        '<eventRef eId="e2" date="2020-02-01" source="#r1" type="amendment"/></lifecycle>'
        '<analysis source="#p"><activeModifications>'
        '<textualMod type="substitution" eId="a1"><source href="#sec_1"/>'
        f'<destination href="{other}#sec_4"/><force period="#t1"/></textualMod>'
        f'<textualMod type="repeal" eId="a2"><source href="#sec_2"/><destination href="{other}#sec_5"/></textualMod>'
        f'<forceMod type="entryIntoForce" eId="a3"><source href="#sec_2"/><destination href="{other}"/></forceMod>'
        "</activeModifications><passiveModifications>"
        '<textualMod type="insertion" eId="p1"><source href="/akn/za/act/2019/9#sec_3"/>'
        '<destination href="#sec_2"/><force period="#t1"/></textualMod></passiveModifications></analysis>'
        '<temporalData source="#p"><temporalGroup eId="t1"><timeInterval start="#e2"/></temporalGroup></temporalData>'
        f'<references source="#p"><original eId="r0" href="{ACT}" showAs="Act"/>'
        '<passiveRef eId="r1" href="/akn/za/act/2019/9" showAs="Act 9"/></references>'
    )
    body = section("1", p("Words.")) + section("2", p("Words."))
    parsed = parse(tmp_path, f"<act>{meta(more=more)}<body>{body}</body></act>")
    urn, law = parsed.urn, "urn:lex:za:act-1968-60"
    assert [(link.source_urn, link.kind, link.target_urn, link.properties) for link in parsed.links] == [
        (f"{urn}:1", "amends", f"{law}:4", {"place": "history", "date": "2020-02-01"}),
        (f"{urn}:2", "repeals", f"{law}:5", {"place": "history"}),
        (f"{urn}:2", "amended_by", "urn:lex:za:act-2019-9:3", {"place": "history", "date": "2020-02-01"}),
        (urn, "amended_by", "urn:lex:za:act-2019-9", {"place": "history", "date": "2020-02-01"}),
    ]
