"""The TEI parser for German law on invented laws: structure, addresses, notes, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.german.de_tei import DeTei
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

TEI = """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0" xml:id="BJNR009990999"><teiHeader><fileDesc><titleStmt>
<title>{title}</title><title type="short">{short}</title></titleStmt>
<publicationStmt><date>{day}</date></publicationStmt></fileDesc></teiHeader>
<text><front>{front}</front><body>{body}</body></text></TEI>"""
LAW = "urn:lex:de:apfelg"


def law(
    folder: Path, body: str, *, title: str = "Apfelgesetz", short: str = "ApfelG", day: str = "1999-01-02",
    front: str = "",
) -> ParsedDocument:  # fmt: skip
    path = folder / "law.xml"
    path.write_text(TEI.format(title=title, short=short, day=day, front=front, body=body), encoding="utf-8")
    return DeTei().parse(Source(path, folder))


def nodes(document: ParsedDocument) -> dict[str, ParsedNode]:
    found = {node.urn: node for node in document.nodes}
    assert len(found) == len(document.nodes)
    return found


def unit(head: str, inner: str) -> str:
    return f"<div><head>{head}</head>{inner}</div>"


def test_a_law_is_a_corpus_whose_root_carries_its_ids(tmp_path: Path) -> None:
    document = law(tmp_path, unit("§ 1", "<p>Äpfel sind rund.</p>"))
    root = document.nodes[0]
    assert (document.corpus.urn, document.corpus.language, document.corpus.title) == (LAW, "de", "Apfelgesetz")
    assert (root.urn, root.parent_urn, root.structure_type) == (LAW, None, "ROOT")
    assert root.aliases == ["BJNR009990999"]
    assert root.tags == {"code": "ApfelG", "abbreviation": "ApfelG", "enacted": "1999-01-02"}
    assert document.edition_date is None


@pytest.mark.parametrize(
    ("short", "title", "urn", "code"),
    [
        ("BGB", "Bürgerliches Gesetzbuch", "urn:lex:de:bgb", "BGB"),
        ("SGB 2", "Sozialgesetzbuch", "urn:lex:de:sgb-2", "SGB 2"),
        ("SGB 9 2018", "Sozialgesetzbuch", "urn:lex:de:sgb-9", "SGB 9"),
        ("StVO 2013", "Straßenverkehrs-Ordnung", "urn:lex:de:stvo", "StVO"),
        ("GräbG", "Gräbergesetz", "urn:lex:de:graebg", "GräbG"),
        ("BGBEG", "Einführungsgesetz zum Bürgerlichen Gesetzbuche", "urn:lex:de:egbgb", "EGBGB"),
        ("BEEG", "Bundeselterngeldgesetz", "urn:lex:de:beeg", "BEEG"),
    ],
)
def test_the_urn_is_the_abbreviation_without_edition_year(
    tmp_path: Path, short: str, title: str, urn: str, code: str
) -> None:
    document = law(tmp_path, unit("§ 1", "<p>Text.</p>"), short=short, title=title)
    assert document.corpus.urn == urn
    assert nodes(document)[f"{urn}:1"].tags["code"] == code


def test_the_publishers_own_abbreviation_stays_an_alias(tmp_path: Path) -> None:
    document = law(tmp_path, unit("Art 1", "<p>T.</p>"), short="BGBEG", title="Einführungsgesetz zum BGB")
    assert document.nodes[0].aliases == ["BJNR009990999", "urn:lex:de:bgbeg"]


def test_absatz_nummer_buchstabe_nest_and_flush_text_stays_with_the_absatz(tmp_path: Path) -> None:
    body = unit(
        "§ 3a",
        "<p>(1) Der Apfel ist</p><list><item n='1.'>rund<list><item n='a)'>rot</item><item n='b)'>grün"
        "<list><item n='aa)'>hell</item></list></item></list>oder</item><item n='1a.'>süß,</item></list>"
        "<p>wenn er reif ist.</p><p>(2a) Er fällt.</p>",
    )
    found = nodes(law(tmp_path, body))
    first = found[f"{LAW}:3a:1"]
    assert (first.intro_text, first.content_text, first.level) == ("Der Apfel ist", "wenn er reif ist.", "absatz")
    assert (found[f"{LAW}:3a:1:1"].intro_text, found[f"{LAW}:3a:1:1"].content_text) == ("rund", "oder")
    levels = [(f"{LAW}:3a:1:1a", "nummer"), (f"{LAW}:3a:1:1:b", "buchstabe"), (f"{LAW}:3a:1:1:b:aa", "doppelbuchstabe")]
    assert [(urn, found[urn].level) for urn, _ in levels] == levels
    assert found[f"{LAW}:3a:2a"].content_text == "Er fällt."
    assert found[f"{LAW}:3a"].tags == {"code": "ApfelG", "designation": "§ 3a", "paragraph": "3a"}


def test_a_number_directly_under_a_section_is_no_absatz(tmp_path: Path) -> None:
    body = unit("§ 5", "<p>Frei sind</p><list><item n='5.'>Birnen,<list><item n='a)'>gelbe</item></list></item></list>")
    found = nodes(law(tmp_path, body))
    assert found[f"{LAW}:5:nr.5:a"].text == "gelbe"
    assert f"{LAW}:5:5" not in found


def test_letters_after_z_are_letters(tmp_path: Path) -> None:
    items = "".join(f"<item n='{label})'>x{label}</item>" for label in ("y", "z", "aa"))
    found = nodes(law(tmp_path, unit("§ 1", f"<p>Es gilt</p><list>{items}</list>")))
    assert [found[f"{LAW}:1:{label}"].level for label in ("y", "z", "aa")] == ["buchstabe"] * 3


def test_a_list_that_starts_anew_hangs_on_the_words_before_it(tmp_path: Path) -> None:
    body = unit(
        "§ 1",
        "<p>(1) Erstens</p><list><item n='1.'>A</item></list><p>Zweitens</p>"
        "<list><item n='1.'>B</item><item n='2.'>C</item></list><p>immer.</p>",
    )
    document = law(tmp_path, body)
    found = nodes(document)
    assert found[f"{LAW}:1:1:text.2"].intro_text == "Zweitens"
    assert [found[f"{LAW}:1:1:text.2:{number}"].text for number in (1, 2)] == ["B", "C"]
    assert found[f"{LAW}:1:1:1"].text == "A"
    assert found[f"{LAW}:1:1"].content_text == "immer."
    assert document.warnings == []


def test_a_list_that_goes_on_after_words_keeps_its_numbers(tmp_path: Path) -> None:
    body = unit("§ 1", "<p>(1) Frei</p><list><item n='1.'>A</item></list><p>so</p><list><item n='2.'>B</item></list>")
    found = nodes(law(tmp_path, body))
    assert found[f"{LAW}:1:1:2"].parent_urn == f"{LAW}:1:1"
    assert found[f"{LAW}:1:1:text.2"].content_text == "so"


def test_words_between_a_list_and_the_first_absatz_keep_their_place(tmp_path: Path) -> None:
    body = unit("§ 1", "<p>Frei</p><list><item n='1.'>A</item></list><p>so.</p><p>(1) Eins.</p>")
    document = law(tmp_path, body)
    assert [node.text for node in document.nodes[1:]] == ["Frei", "A", "so.", "Eins."]


def test_containers_are_addressed_by_kind_and_number_and_sections_are_not_below_them(tmp_path: Path) -> None:
    body = (
        "<div><head>Besonderer Teil</head><head type='subtitle'/><div><head>Zweiter Abschnitt</head>"
        "<head type='subtitle'>Obst</head><div><head>IV a.</head><head type='subtitle'>Kerne</head>"
        + unit("Art 7", "<p>T.</p>")
        + "</div></div></div>"
    )
    found = nodes(law(tmp_path, body))
    inner = found[f"{LAW}:teil_besonderer-teil:abschnitt_2:abschnitt_iva"]
    assert (inner.heading, inner.kind, inner.tags["designation"]) == ("Kerne", "section", "IV a.")
    article = found[f"{LAW}:7"]
    assert (article.parent_urn, article.structure_type, article.tags["article_number"]) == (inner.urn, "ARTICLE", "7")
    middle = found[f"{LAW}:teil_besonderer-teil:abschnitt_2"]
    assert (middle.number, middle.heading, middle.tags["designation"]) == ("2", "Obst", "Zweiter Abschnitt")


@pytest.mark.parametrize(
    ("head", "urn", "aliases"),
    [
        ("(XXXX) §§ 17 bis 19", "17-19", ["17", "18", "19"]),
        ("(XXXX) §§ 114, 115", "114-115", ["114", "115"]),
        ("(XXXX) §§ 8a bis 8c", "8a-8c", ["8a", "8b", "8c"]),
        ("(XXXX) §§ 8 bis 9a", "8-9a", ["8", "9", "9a"]),
        ("(XXXX) §§ 3, 5 bis 7", "3-7", ["3", "5", "6", "7"]),
    ],
)
def test_a_range_is_one_stub_that_all_its_numbers_name(tmp_path: Path, head: str, urn: str, aliases: list[str]) -> None:
    found = nodes(law(tmp_path, unit(head, "")))
    assert found[f"{LAW}:{urn}"].aliases == [f"{LAW}:{aliase}" for aliase in aliases]
    assert found[f"{LAW}:{urn}"].tags["status"] == "omitted"


def test_a_number_of_a_range_that_stands_elsewhere_is_no_alias(tmp_path: Path) -> None:
    found = nodes(law(tmp_path, unit("(XXXX) §§ 1 bis 3", "") + unit("§ 2", "<p>T.</p>")))
    assert found[f"{LAW}:1-3"].aliases == [f"{LAW}:1", f"{LAW}:3"]


def test_repealed_provisions_say_so(tmp_path: Path) -> None:
    body = (
        unit("§ 1", "<p>(weggefallen)</p>")
        + unit("§ 2", "<p>-</p>")
        + unit("§ 3", "<p>(1)(weggefallen)</p><p>(2) u. (3) (weggefallen)</p><p>(4) Gilt.</p>")
        + unit("§ 4", "<p>Der Grund ist weggefallen.</p>")
    )
    document = law(tmp_path, body)
    found = nodes(document)
    gone = [node.urn.removeprefix(f"{LAW}:") for node in document.nodes if node.tags.get("status") == "repealed"]
    assert gone == ["1", "2", "3:1", "3:2-3"]
    assert found[f"{LAW}:3:2-3"].aliases == [f"{LAW}:3:2", f"{LAW}:3:3"]
    assert document.warnings == ["left out: 1 dashes in place of a repealed provision"]


def test_editorial_notes_leave_the_text_and_stay_as_a_tag(tmp_path: Path) -> None:
    body = unit(
        "§ 9",
        "<p>(1) Es gilt § 8: immer.</p><p>§ 9 Abs. 1: Mit dem GG vereinbar gem. BVerfGE v. 1.1.1990 I 1</p>"
        "<p>(+++ § 9: Zur Anwendung vgl. § 10 +++)</p>",
    )
    document = law(tmp_path, body, front="<p>(+++ Textnachweis ab: 1.1.1980 +++)</p>")
    found = nodes(document)
    assert found[f"{LAW}:9:1"].text == "Es gilt § 8: immer."
    assert found[f"{LAW}:9"].tags["editorial_note"].splitlines() == [
        "§ 9 Abs. 1: Mit dem GG vereinbar gem. BVerfGE v. 1.1.1990 I 1",
        "(+++ § 9: Zur Anwendung vgl. § 10 +++)",
    ]
    assert document.warnings == ["left out: 3 editorial notes"]


def test_official_footnotes_and_the_front_are_notes_beside_the_text(tmp_path: Path) -> None:
    body = unit("§ 1", "<p>Text.</p>Amtlicher Hinweis:Dient der Umsetzung.") + unit("§ 2", "<p>Text.</p>")
    front = "<p>Dient folgenden Richtlinien:<list><item n='1.'>EWG</item></list></p>"
    found = nodes(law(tmp_path, body, front=front))
    assert found[f"{LAW}:1"].text == "Text."
    note = found[f"{LAW}:1:hinweis.1"]
    assert (note.structure_type, note.text) == ("NOTE", "Amtlicher Hinweis:Dient der Umsetzung.")
    assert found[f"{LAW}:hinweis.1"].text == "Dient folgenden Richtlinien:\n1. EWG"


def test_a_caption_in_brackets_heads_its_item(tmp_path: Path) -> None:
    body = unit("§ 1", "<p>Unwirksam ist</p><list><item n='1.'>(Fristen) eine Klausel</item></list>")
    item = nodes(law(tmp_path, body))[f"{LAW}:1:nr.1"]
    assert (item.heading, item.text) == ("(Fristen)", "eine Klausel")


def test_dashes_and_unnumbered_items_are_counted(tmp_path: Path) -> None:
    body = unit("§ 1", "<p>Der Eid:</p><list><item n=''>Ich schwöre.</item><item n='-'>So.</item></list><p>Ende.</p>")
    found = nodes(law(tmp_path, body))
    assert [found[f"{LAW}:1:strich.{n}"].text for n in (1, 2)] == ["Ich schwöre.", "So."]
    assert found[f"{LAW}:1"].content_text == "Ende."


def test_an_annex_with_sections_of_its_own_keeps_them_apart(tmp_path: Path) -> None:
    body = unit("§ 1", "<p>T.</p>") + f"<div><head>Anhang EV</head><p>- Vertrag</p>{unit('§ 1', '<p>U.</p>')}</div>"
    found = nodes(law(tmp_path, body))
    assert found[f"{LAW}:anhang.ev"].structure_type == "APPENDIX"
    assert found[f"{LAW}:anhang.ev:par.1"].text == "U."


def test_a_section_printed_twice_is_kept_twice_and_reported(tmp_path: Path) -> None:
    document = law(tmp_path, unit("§ 1", "<p>A</p>") + unit("§ 1", "<p>B</p>"))
    assert nodes(document)[f"{LAW}:1~2"].text == "B"
    assert len(document.warnings) == 1


def test_a_table_becomes_rows(tmp_path: Path) -> None:
    table = "<table><row><cell>Jahr</cell><cell>Satz</cell></row><row><cell>1991</cell><cell>55</cell></row></table>"
    found = nodes(law(tmp_path, unit("§ 1", f"<p>(1) Sätze:</p>{table}<p>fest.</p>")))
    assert found[f"{LAW}:1:1:tabelle.1"].text == "Jahr | Satz\n1991 | 55"
    assert found[f"{LAW}:1:1"].content_text == "fest."


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (unit("§ 1", "<p>T</p><figure/>"), "figure"),
        (unit("§ 1", "<list><p>T</p></list>"), "unknown"),
        ("", "no provision"),
        (unit("§ 1", "<list>lose<item n='1.'>T</item></list>"), "outside any paragraph"),
        (unit("§ 1", "<list/>"), "no item"),
        ("<list><item n='1.'>" * 40 + "T" + "</item></list>" * 40 + unit("§ 1", "<p>T</p>"), ""),
        (unit("§ 1", "<list><item n='1.'>" * 70 + "T" + "</item></list>" * 70), "nested"),
    ],
)
def test_what_cannot_be_read_without_loss_is_refused_by_name(tmp_path: Path, body: str, cause: str) -> None:
    if not cause:
        assert nodes(law(tmp_path, body))[f"{LAW}:hinweis.1"].text.endswith("T")
        return
    with pytest.raises(IngestError, match=cause) as caught:
        law(tmp_path, body)
    assert caught.value.file == "law.xml"


def test_a_bad_date_or_missing_title_is_refused(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="date"):
        law(tmp_path, unit("§ 1", "<p>T</p>"), day="gestern")
    with pytest.raises(IngestError, match="abbreviation"):
        law(tmp_path, unit("§ 1", "<p>T</p>"), short="")


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (TEI, True),
        ("<TEI xmlns='http://www.tei-c.org/ns/1.0' xml:id='BJNR1'/>", True),
        ("<TEI xmlns='http://www.tei-c.org/ns/1.0' xml:id='novel'/>", False),
        ("<TEI xml:id='BJNR1'/>", False),
        ("<akomaNtoso xmlns='http://docs.oasis-open.org/legaldocml/ns/akn/3.0'/>", False),
        ("<!-- <TEI xmlns='http://www.tei-c.org/ns/1.0' xml:id='BJNR1'> --><Law/>", False),
        ("---\nTitle: x\n---\n", False),
        ("", False),
    ],
)
def test_claims_only_publishers_tei(head: str, claimed: bool) -> None:
    assert DeTei().claims(Path("x"), head.encode()[:HEAD_BYTES]) is claimed
