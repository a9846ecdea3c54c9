"""The tags that mean the same everywhere: what follows from a source is written, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from french_law import velo_code
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.conventions import VALUES, add_convention_tags, convention_tags
from rag.ingest.reading import annotate_once
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode

DAY = date(2020, 1, 1)


def law(
    urn: str, title: str = "", kind: str = "section", nodes: Sequence[ParsedNode] = (), **tags: str
) -> ParsedDocument:
    """A document of one root, whose tags are given, and the nodes below it."""
    root = ParsedNode(urn, None, "ROOT", "law", heading=title, kind=kind, tags=tags)
    return ParsedDocument(Corpus(urn, title, "en"), [root, *nodes], "law.xml", "sample", "0" * 64, 1)


def decision(urn: str, tags: dict[str, str]) -> ParsedDocument:
    """A decision with these tags."""
    document = law(urn, kind="decision")
    document.nodes[0].tags = tags
    return document


def node(urn: str, parent: str, structure_type: str = "SECTION", **given: object) -> ParsedNode:
    kind = "legislation" if structure_type in ("SECTION", "ARTICLE", "PARAGRAPH") else "section"
    return ParsedNode(urn, parent, structure_type, structure_type.lower(), kind=kind, **given)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (law("urn:lex:us:15usc"), ("statute", "code")),
        (law("urn:lex:us:11ausc"), ("statute", "code")),
        (law("urn:lex:us:12cfr"), ("regulation", "code")),
        (law("urn:lex:us:pl-115-7"), ("statute", "act")),
        (law("urn:lex:us-dc:code"), ("statute", "code")),
        (law("urn:lex:ma:940cmr"), ("regulation", "code")),
        (law("urn:lex:us-ny:code"), ("", "")),  # a series is its own jurisdiction's
        (law("urn:lex:us:16cfr-notes"), ("", "")),
        (law("urn:lex:eu:32016r0679"), ("regulation", "")),
        (law("urn:lex:eu:31995l0046"), ("directive", "")),
        (law("urn:lex:eu:32004d0605"), ("decision", "")),
        (law("urn:lex:eu:32002f0584"), ("", "")),
        (law("urn:lex:eu:12012e"), ("treaty", "")),
        (law("urn:lex:gb:ukpga-1998-42"), ("statute", "act")),
        (law("urn:lex:gb:uksi-1998-1566", "The Meters Regulations 1998"), ("regulation", "instrument")),
        (law("urn:lex:gb:ssi-2001-2", "The Ferries (Fares) Order 2001"), ("order", "instrument")),
        (law("urn:lex:gb:uksi-1998-3132", "The Civil Procedure Rules 1998"), ("", "instrument")),
        (law("urn:lex:gb:uksi-2000-1", "The Law and Order Grants Scheme 2000"), ("", "instrument")),
        (law("urn:lex:gb:nipubb-justice-bill", document_type="nipubb"), ("bill", "")),
        (law("urn:lex:za:act-1980-10", document_type="act"), ("statute", "act")),
        (law("urn:lex:za:act-by-law-2014-parks", document_type="act"), ("", "")),
        (law("urn:lex:fr:loi-78-17", "Loi n° 78-17", nature="LOI", number="78-17"), ("statute", "act")),
        (law("urn:lex:fr:decret-2020-1", "Décret n° 2020-1", nature="DECRET"), ("decree", "instrument")),
        (law("urn:lex:fr:ordonnance-2016-131", "Ordonnance n° 2016-131", nature="ORDONNANCE"), ("ordinance", "")),
        (law("urn:lex:fr:loi-2008-724", "Loi constitutionnelle n° 2008-724", nature="LOI"),
         ("constitutional_amendment", "act")),
        (law("urn:lex:fr:code-civil", "Code civil", code="Code civil"), ("", "code")),  # may be acts, decrees or both
        (law("urn:lex:fr:usages", "Usages", nature="USAGES"), ("", "")),
        (law("urn:lex:jp:327ac0000000231", "航空法", law_type="Act"), ("statute", "act")),
        (law("urn:lex:jp:327co0000000421", "航空法施行令", law_type="CabinetOrder"),
         ("enforcement_decree", "instrument")),
        (law("urn:lex:jp:327co0000000001", "凧揚げ令", law_type="CabinetOrder"), ("order", "instrument")),
        (law("urn:lex:jp:321constitution", "日本国憲法", law_type="Constitution"), ("constitution", "constitution")),
        (law("urn:lex:de:bgb", "Bürgerliches Gesetzbuch"), ("statute", "code")),
        (law("urn:lex:de:gg", "Grundgesetz für die Bundesrepublik Deutschland"), ("constitution", "constitution")),
        (law("urn:lex:de:agg", "Allgemeines Gleichbehandlungsgesetz"), ("statute", "act")),
        (law("urn:lex:de:x", "Zweite Verordnung zum Gesetz über Drachen"), ("ordinance", "instrument")),
        (law("urn:lex:de:y", "Bekanntmachung zum Drachengesetz"), ("", "")),
        (law("urn:lex:de:z", "Zivilprozessordnung"), ("", "")),
        (law("urn:lex:us:doc:15usc", kind="record"), ("", "")),
    ],
    ids=lambda one: one.corpus.urn if isinstance(one, ParsedDocument) else None,
)  # fmt: skip
def test_type_and_form_follow_from_the_series_or_the_nature_of_a_law(
    document: ParsedDocument, expected: tuple[str, str]
) -> None:
    tags = convention_tags(document)[0]
    assert (tags.get("type", ""), tags.get("document_form", "")) == expected


def test_articles_of_a_french_code_are_of_the_act_or_decree_that_their_letter_names() -> None:
    document = velo_code()
    add_convention_tags(document)
    kinds = {parsed.number: parsed.tags.get("type") for parsed in document.nodes if parsed.structure_type == "ARTICLE"}
    assert kinds == {
        "1": None,
        "2": None,
        "3": None,
        "4": None,
        "L5-1": "statute",
        "L5-2": "statute",
        "R*6-1": "decree",
    }
    assert (document.nodes[0].tags["document_form"], document.nodes[0].tags.get("type")) == ("code", None)


@pytest.mark.parametrize(
    ("number", "kind"),
    [("LO132", "statute"), ("D312-1", "decree"), ("R**1-1", "decree"), ("A123", "order"), ("39 A", None),
     ("Lp111-1", None), ("1-L", None), ("", None)],
)  # fmt: skip
def test_only_a_letter_before_the_number_tells(number: str, kind: str | None) -> None:
    urn = "urn:lex:fr:code-du-velo"
    articles = [node(f"{urn}:1", urn, "ARTICLE", tags={"article_number": number})]
    assert convention_tags(law(urn, code="Code du vélo", nodes=articles))[1].get("type") == kind
    # A law that is of one type is not of another in its parts.
    articles = [node(f"{urn}:1", urn, "ARTICLE", tags={"article_number": number})]
    assert "type" not in convention_tags(law(urn, nature="LOI", nodes=articles))[1]


@pytest.mark.parametrize(
    ("code", "court", "level"),
    [
        ("us", "Supreme Court of the United States", "supreme"),
        ("us", "SCOTUS", "supreme"),
        ("us", "United States Court of Appeals for the Ninth Circuit", "appellate"),
        ("us", "United States District Court for the District of Columbia", "first_instance"),
        ("us", "Supreme Court of Florida", "supreme"),
        ("us", "Supreme Court of the State of New York, Kings County", ""),  # a trial court
        ("us-dc", "District of Columbia Court of Appeals", "supreme"),
        ("us-ma", "Supreme Judicial Court of Massachusetts", "supreme"),
        ("gb", "UKSC", "supreme"),
        ("gb", "EWCA-Civil", "appellate"),
        ("gb", "EWHC-Chancery", ""),  # first cases and appeals
        ("gb", "UKFTT-TC", "first_instance"),
        ("fr", "Cour de cassation", "supreme"),
        ("fr", "cassation", "supreme"),
        ("fr", "Conseil d’État", "supreme"),
        ("fr", "conseil_constitutionnel", "constitutional"),
        ("fr", "Cour d'appel de Paris", "appellate"),
        ("fr", "Cour administrative d'appel de Nantes", "appellate"),
        ("fr", "Tribunal judiciaire de Lyon", "first_instance"),
        ("fr", "Tribunal des conflits", ""),
        ("eu", "General Court", "supranational"),
        ("coe", "European Court of Human Rights", "supranational"),
        ("de", "BVerfG", "constitutional"),
        ("de", "BGH", "supreme"),
        ("de", "OLG Köln", "appellate"),
        ("de", "LG Köln", ""),
        ("de", "AG Köln", "first_instance"),
        ("jp", "最高裁判所第三小法廷", "supreme"),
        ("jp", "最高裁第三小法廷", "supreme"),
        ("jp", "東京高裁", "appellate"),
        ("jp", "東京地方裁判所", ""),
        ("us", "Cour de cassation", ""),  # a name means something in its own jurisdiction
        ("gb", "High Tea Court", ""),
        ("fr", "", ""),
    ],
)
def test_the_level_of_a_court_follows_from_its_name(code: str, court: str, level: str) -> None:
    tags = convention_tags(decision(f"urn:lex:{code}:case-1", {"court": court}))[0]
    assert tags.get("court_level", "") == level


@pytest.mark.parametrize(
    ("urn", "tags", "kind"),
    [
        ("urn:lex:gb:uksc-2024-1", {}, "judgment"),
        ("urn:lex:fr:case-1", {"nature": "ARRÊT"}, "judgment"),
        ("urn:lex:fr:case-1", {"nature": "Ordonnance"}, "order"),
        ("urn:lex:fr:case-1", {"nature": "AVIS"}, "advisory_opinion"),
        ("urn:lex:fr:case-1", {"nature": "QPC"}, ""),
        ("urn:lex:us:scotus-1", {"opinion_type": "010combined"}, "judgment"),
        ("urn:lex:us:scotus-1", {"opinion_type": "040dissent"}, ""),
        ("urn:lex:eu:62012cj0131", {}, "judgment"),
        ("urn:lex:eu:62012co0131", {}, "order"),
        ("urn:lex:eu:62012cc0131", {}, ""),  # an advocate general's
    ],
)
def test_a_decision_is_a_judgment_unless_its_source_says_otherwise(urn: str, tags: dict[str, str], kind: str) -> None:
    assert convention_tags(decision(urn, tags))[0].get("type", "") == kind


@pytest.mark.parametrize(
    ("code", "given", "expected"),
    [
        ("fr", {"official_grade": "A"}, {"importance_level": "highest_importance"}),
        ("fr", {"official_grade": "B"}, {"importance_level": "high_importance"}),
        ("fr", {"official_grade": "C"}, {}),
        ("gb", {"official_grade": "A"}, {}),
        ("fr", {"formation": "Assemblée du contentieux"}, {"formation_solemnity": "full_court"}),
        ("fr", {"formation": "ASSEMBLEE PLENIERE"}, {"formation_solemnity": "full_court"}),
        ("fr", {"formation": "Chambre mixte"}, {"formation_solemnity": "enlarged_panel"}),
        ("fr", {"formation": "Juge unique"}, {"formation_solemnity": "single_judge"}),
        ("fr", {"formation": "1ère chambre civile"}, {}),
        ("eu", {"formation": "Grand Chamber"}, {"formation_solemnity": "enlarged_panel"}),
    ],
)
def test_grades_and_formations_count_only_where_they_are_stated(
    code: str, given: dict[str, str], expected: dict[str, str]
) -> None:
    tags = convention_tags(decision(f"urn:lex:{code}:case-1", given))[0]
    found = {key: tags[key] for key in ("importance_level", "formation_solemnity") if key in tags}
    assert found == expected


def test_standing_is_in_force_where_dated_and_otherwise_what_the_source_marks() -> None:
    urn = "urn:lex:us-dc:code"
    marks = {
        "1": {}, "2": {"status": "repealed"}, "3": {"status": "repeal_pending"}, "4": {"status": "not_yet_in_force"},
        "5": {"status": "superseded"}, "6": {"status": "severed"}, "7": {"status": "reserved"},
        "8": {"status": "prospective"},
    }  # fmt: skip
    sections = [node(f"{urn}:{key}", urn, tags=tags, valid_from=DAY) for key, tags in marks.items()]
    undated = node(f"{urn}:9", urn)
    ended = node(f"{urn}:10", urn, valid_from=DAY, valid_to=date(2021, 1, 1))
    found = convention_tags(law(urn, nodes=[*sections, undated, ended]))
    assert [entry.get("enforcement_status") for entry in found] == [
        None, "in_force", "repealed", "deferred_repeal", "deferred_enforcement", "superseded", "disjoined", None,
        "deferred_enforcement", None, "in_force",
    ]  # fmt: skip


def test_what_stands_above_holds_below_and_only_a_difference_is_written() -> None:
    urn = "urn:lex:us-dc:code"
    nodes = [
        node(f"{urn}:c1", urn, "CHAPTER", tags={"status": "repealed"}),
        node(f"{urn}:1", f"{urn}:c1", valid_from=DAY),
        node(f"{urn}:1:a", f"{urn}:1", "PARAGRAPH", tags={"status": "expired"}),
        node(f"{urn}:1:b", f"{urn}:1", "PARAGRAPH", tags={"status": "repealed"}),
        node(f"{urn}:c2", urn, "CHAPTER"),
        node(f"{urn}:2", f"{urn}:c2", valid_from=DAY),
        node(f"{urn}:2:a", f"{urn}:2", "PARAGRAPH", valid_from=DAY),
        node(f"{urn}:2:b", f"{urn}:2", "PARAGRAPH", tags={"status": "repealed"}),
        node(f"{urn}:c3", urn, "CHAPTER", tags={"status": "reserved"}),
        node(f"{urn}:3", f"{urn}:c3", valid_from=DAY),
    ]
    found = [convention_tag.get("enforcement_status") for convention_tag in convention_tags(law(urn, nodes=nodes))]
    assert found == [None, "repealed", None, "expired", None, None, "in_force", None, "repealed", None, None]


def test_a_tag_that_the_parser_wrote_stays() -> None:
    document = law("urn:lex:gb:ukpga-1998-42", type="ukpga", enforcement_status="denounced")
    add_convention_tags(document)
    assert document.nodes[0].tags == {"type": "ukpga", "enforcement_status": "denounced", "document_form": "act"}


def test_parts_of_a_text_are_marked_as_such() -> None:
    urn = "urn:lex:fr:code-civil"
    nodes = [node(f"{urn}:1", urn, "ARTICLE", tags={"incomplete": "true"}), node(f"{urn}:2", urn, "ARTICLE")]
    assert [convention_tag.get("content_quality") for convention_tag in convention_tags(law(urn, nodes=nodes))] == [
        None,
        "incomplete",
        None,
    ]


def test_reading_a_document_writes_its_tags_even_where_it_came_annotated() -> None:
    document = law("urn:lex:us:15usc")
    document.annotated = True
    annotate_once(document)
    assert document.nodes[0].tags == {"type": "statute", "document_form": "code"}


_STATUS = st.sampled_from(["", "", "repealed", "superseded", "reserved", "not_yet_in_force"])
_DRAFT = st.tuples(st.integers(0, 99), st.sampled_from(["CHAPTER", "SECTION", "PARAGRAPH"]), _STATUS, st.booleans())


@given(st.lists(_DRAFT, max_size=12))
def test_standing_is_what_the_nearest_mark_or_date_says_and_a_second_run_changes_nothing(
    drafts: list[tuple[int, str, str, bool]],
) -> None:
    urn = "urn:lex:us:15usc"
    document = law(urn)
    for number, (parent, structure, status, dated) in enumerate(drafts):
        above = document.nodes[parent % len(document.nodes)].urn
        tags = {"status": status} if status else {}
        day = DAY if dated else None
        document.nodes.append(node(f"{urn}:{number}", above, structure, tags=tags, valid_from=day))
    add_convention_tags(document)
    by_urn = {parsed.urn: parsed for parsed in document.nodes}
    values = {"not_yet_in_force": "deferred_enforcement", "reserved": ""}
    for parsed in document.nodes:
        line = [parsed]
        while line[-1].parent_urn is not None:
            line.append(by_urn[line[-1].parent_urn])
        marks = [up.tags["status"] for up in line if "status" in up.tags]
        held = next((up.tags["enforcement_status"] for up in line if "enforcement_status" in up.tags), "")
        dated = any(up.structure_type == "SECTION" and up.valid_from for up in line)
        if not marks:
            assert held == ("in_force" if dated else "")
        elif marks[0] != "reserved":
            assert held == values.get(marks[0], marks[0])
        assert held in ("", *VALUES["enforcement_status"])
    before = [dict(parsed.tags) for parsed in document.nodes]
    add_convention_tags(document)
    assert [parsed.tags for parsed in document.nodes] == before


def test_every_value_is_lower_case_and_documented() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "tags.md").read_text(encoding="utf-8")
    for key, values in VALUES.items():
        assert f"`{key}`" in page
        assert all(value == value.lower() and f"`{value}`" in page for value in values)
