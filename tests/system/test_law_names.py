"""Laws of one's own are cited by their titles, abbreviations and aliases, as other law is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine
from rag.answering.citations import named
from rag.citecheck.references import OwnDocuments
from rag.citecheck.run import verify_text
from retrieval.references.law_names import Document, LawNames, names_in

QUAY = "urn:lex:us-dc:act:quay"
CODE = [
    {"lexscope": 1, "corpus": {"urn": QUAY, "title": "Quay Code", "language": "en"}, "edition_date": "2022-01-01"},
    {"urn": QUAY, "structure_type": "ROOT", "level": "act", "heading": "Quay Code",
     "aliases": ["Quays of the City Code"]},
    {"urn": f"{QUAY}:4", "parent_urn": QUAY, "structure_type": "SECTION", "level": "section", "number": "4"},
    {"urn": f"{QUAY}:4:a", "parent_urn": f"{QUAY}:4", "structure_type": "SUBSECTION", "level": "subsection",
     "number": "a", "content_text": "No barge may exceed 5 knots at the quay."},
]  # fmt: skip
GERMAN = """<html><head><title>KahnG - Kahngesetz</title></head><body><h1>Kahngesetz</h1>
<h3>§ 1 Zweck</h3><p>(1) Dieses Gesetz gilt für Kähne.</p><p>(2) Es gilt nicht für Boote.</p>
<h3>§ 2 Begriffe</h3><p>(1) Ein Kahn ist ein Lastschiff.</p><p>(2) Ein Boot ist kein Kahn.</p></body></html>"""
ENGLISH = """BARGES ACT 2019

1. Interpretation
(1) In this Act "barge" means a flat boat.

2. Licences
(1) A barge needs a licence.
(2) A licence lasts 3 years.
"""
KAHN, BARGES = "urn:lex:de:doc:kahngesetz", "urn:lex:gb:doc:barges"
MARKET, FERRY = "urn:lex:us-or:doc:market", "urn:lex:jp:doc:ferry"
CHAPTER = """MBMC 9.12

9.12.010 Purpose.

This chapter keeps the market clean.

9.12.020 Stalls.

A. A stall needs a licence.

B. A table needs no licence.

9.12.030 Fees.

The fee is $20.
"""
ORDINANCE = """渡し船の運航に関する条例

第１条　この条例は、渡し船の運航について定める。

第２条　町長は、強風のときは、渡し船を休航とする。
２　前項の規定により渡し船を休航とする場合は、その理由を乗り場に掲示しなければならない。
"""


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine on a store of laws that no grammar knows."""
    folder = tmp_path_factory.mktemp("laws")
    (folder / "quay.jsonl").write_text("\n".join(json.dumps(line) for line in CODE))
    (folder / "kahngesetz.html").write_text(GERMAN)
    (folder / "barges.txt").write_text(ENGLISH)
    (folder / "market.txt").write_text(CHAPTER)
    (folder / "ferry.txt").write_text(ORDINANCE, encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([folder / "quay.jsonl"])
        opened.ingest([folder / "kahngesetz.html"], jurisdiction="de")
        opened.ingest([folder / "barges.txt"], jurisdiction="gb")
        opened.ingest([folder / "market.txt"], jurisdiction="us-or")
        opened.ingest([folder / "ferry.txt"], jurisdiction="jp")
        yield opened


@pytest.mark.parametrize(
    ("reference", "urn"),
    [
        ("Quay Code, section 4", f"{QUAY}:4"), ("Quay Code § 4(a)", f"{QUAY}:4:a"),
        ("section 4(a) of the Quay Code", f"{QUAY}:4:a"), ("s. 4(a) Quays of the City Code", f"{QUAY}:4:a"),
        ("§ 1 Abs. 2 KahnG", f"{KAHN}:1:2"), ("§ 1 Absatz 2 des Kahngesetzes", f"{KAHN}:1:2"),
        ("Kahngesetz § 2 Abs. 1", f"{KAHN}:2:1"),
        ("渡し船の運航に関する条例第２条第２項", f"{FERRY}:2:2"), ("渡し船の運航に関する条例 第2条", f"{FERRY}:2"),
        ("MBMC 9.12.020(A)", f"{MARKET}:9.12.020:a"), ("MBMC § 9.12.030", f"{MARKET}:9.12.030"),
        ("s 2(2) Barges Act 2019", f"{BARGES}:2:2"), ("Barges Act 2019, s 2(2)", f"{BARGES}:2:2"),
    ],
)  # fmt: skip
def test_a_law_of_ones_own_is_cited_by_its_names(engine: Engine, reference: str, urn: str) -> None:
    one, [many] = engine.resolve(reference), engine.resolve_many([reference])
    assert (one.status, one.urn) == (many.status, many.urn) == ("resolved", urn)


@pytest.mark.parametrize(
    "reference",
    ["Quay Code, section 9", "section 4(c) of the Quay Code", "§ 1 Abs. 7 KahnG", "section 4 of the Pier Code",
     "section 4 of the Boston Quay Code", "section 4 of the Quay Code Repeal Act 1999"],
)  # fmt: skip
def test_what_the_law_does_not_have_is_not_found(engine: Engine, reference: str) -> None:
    one, [many] = engine.resolve(reference), engine.resolve_many([reference])
    assert (one.status, one.urn) == (many.status, many.urn) == ("not_found", None)


def test_a_missing_provision_is_told_with_what_is_near(engine: Engine) -> None:
    assert f"The nearest node that is: {QUAY}:4." in engine.resolve("section 4(c) of the Quay Code").message
    assert engine.resolve("Quay Code § 4", jurisdiction="de").urn is None


def test_a_sentence_of_a_provision_is_told_as_its_whole(engine: Engine) -> None:
    found = engine.resolve("§ 1 Abs. 2 Satz 1 KahnG")
    assert (found.status, found.urn) == ("candidates", f"{KAHN}:1:2")


def test_a_memo_on_laws_of_ones_own_is_checked(engine: Engine) -> None:
    memo = "Under the Quay Code, § 4(a), no barge may exceed 7 knots at the quay. § 2 Abs. 1 KahnG gilt."
    found = {item.urn: item for item in verify_text(engine, memo).items if item.kind == "claim"}
    assert found[f"{QUAY}:4:a"].verdict == "ALTERED"
    assert "says 7 where that says 5" in " ".join(found[f"{QUAY}:4:a"].reasons)
    missing = verify_text(engine, "Under section 9 of the Quay Code, barges pay 5 dollars a day.")
    verdicts = {item.verdict for item in missing.items if item.urn == f"{QUAY}:9"}
    assert verdicts
    assert verdicts <= {"NOT_FOUND", "OUTSIDE_CORPUS"}


@pytest.mark.parametrize(
    ("memo", "jurisdiction", "urn"),
    [
        ("“A table needs no licence.” MBMC 9.12.020(B).", "us-or", f"{MARKET}:9.12.020:b"),
        ("“A table needs no licence.” TMC 9.12.020(B).", "us-or", f"{MARKET}:9.12.020:b"),
        ("Barges Act 2019\n\nThe law says: “A licence lasts 3 years.” (para 2(2)).", "gb", f"{BARGES}:2:2"),
        (
            "The law says: “A barge needs a licence.” (para 2(1)), “A licence lasts 3 years.” (para 2(2)).",
            "gb",
            f"{BARGES}:2:2",
        ),
        (
            "「前項の規定により渡し船を休航とする場合は、その理由を乗り場に掲示しなければならない。」とされる（条例第2条第2項）。",
            "jp",
            f"{FERRY}:2:2",
        ),
        (
            "「前項の規定により渡し船を休航とする場合は、その理由を乗り場に掲示しなければならない。」とされる（第二条第二項）。",
            "jp",
            f"{FERRY}:2:2",
        ),
    ],
)
def test_a_quotation_is_found_by_the_number_of_its_section(
    engine: Engine, memo: str, jurisdiction: str, urn: str
) -> None:
    found = [(item.kind, item.verdict, item.urn) for item in engine.verify(memo, jurisdiction=jurisdiction).items]
    assert ("quote", "SUPPORTED", urn) in found
    altered = (
        memo.replace("needs no", "needs a")
        .replace("lasts 3", "lasts 4")
        .replace("しなければならない", "することができる")
    )
    verdicts = [
        item.verdict for item in engine.verify(altered, jurisdiction=jurisdiction).items if item.kind == "quote"
    ]
    assert "SUPPORTED" not in verdicts


def read(text: str, *documents: Document) -> list[str]:
    own = OwnDocuments(LawNames(documents))
    return [urn for found in own.find_references(text, None) if found.confident for urn in found.urns]


FLEET, PORT = "urn:lex:us-dc:doc:fleet", "urn:lex:fr:doc:port"
CODES = (
    Document(QUAY, "en", "Quay Code", (), "section"), Document(KAHN, "de", "KahnG - Kahngesetz", (), "section"),
    Document(BARGES, "en", "Barges Act 2019", (), "section"),
    Document(PORT, "fr", "Code du port de Brest", (), "article"),
    Document(FLEET, "en", "Fleet Use Policy", (), "clause"), Document("urn:lex:us-dc:doc:pier", "en", "Pier Code", ()),
    Document("urn:lex:us-md:act:x", "en", "Code", ("Act", "Title 5", "Act 2019", "Local Law", "IT"), "section"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        ("Sections 4(a) and (b) and 5 of the Quay Code apply.", [f"{QUAY}:4:a", f"{QUAY}:4:b", f"{QUAY}:5"]),
        ("Quay Code § 9 (2019) and Pier Code § 3.", [f"{QUAY}:9", "urn:lex:us-dc:doc:pier:3"]),
        ("subsection (4) of section 9 of the Quay Code", [f"{QUAY}:9:4"]),
        ("However, Quay Code § 9 applies.", [f"{QUAY}:9"]), ("See also Quay Code § 9(4).", [f"{QUAY}:9:4"]),
        ("He violated Quay Code § 9.", [f"{QUAY}:9"]), ("Under the Quay Code, § 9, he pays.", [f"{QUAY}:9"]),
        ("Fire Code § 3 and Quay Code § 9", [f"{QUAY}:9"]), ("(1) Quay Code § 9", [f"{QUAY}:9"]),
        ("the rule (Quay Code, § 9)", [f"{QUAY}:9"]), ("under the quay code § 9", [f"{QUAY}:9"]),
        ("Nach § 1 Abs. 2 des Kahngesetzes haftet er.", [f"{KAHN}:1:2"]), ("§ 1 KahnG, § 7 BGB", [f"{KAHN}:1"]),
        ("Gemäß Kahngesetz § 5 Absatz 2 haftet er.", [f"{KAHN}:5:2"]), ("§ 5 Kahngesetz (KahnG)", [f"{KAHN}:5"]),
        ("Section 10 of the KahnG", [f"{KAHN}:10"]), ("selon l'article 3 du Code du port de Brest", [f"{PORT}:3"]),
        ("clause 2.2 of the policy", [f"{FLEET}:2.2"]), ("s 2(1) Barges Act 2019", [f"{BARGES}:2:1"]),
    ],
)  # fmt: skip
def test_names_in_running_text(text: str, urns: list[str]) -> None:
    assert read(text, *CODES) == urns


@pytest.mark.parametrize(
    "text",
    [
        "Cal. Civ. Code § 1950.5", "Cal. Quay Code § 9", "N.Y. Quay Code § 9", "Consol. Quay Code § 9", "Code § 5",
        "Bad Quay Code § 9", "The New Quay Code, § 9(4), applies.", "section 9 of the New Quay Code",
        "section 9 of the Quay Code Amendment Act", "section 9 of the Quay Code (Amendment) Act 2020",
        "Section 4 of the Quay Code Repeal Act 1999 and the Boston Quay Code, § 4.", "Quay Code of Boston § 9",
        "section 9 of the Quay Code of Boston", "section 9 of the Quay Code, 2020", "Quay Code 2020 § 9",
        "Streets and Quay Code § 9", "Health, Safety, and Quay Code § 9", "Safety & Quay Code § 9",
        "Boston-Quay Code § 9",
        "Boston's Quay Code § 9", "City of Boston Quay Code § 9", "Springfield, Quay Code § 9", "2019 Quay Code § 9",
        "Guide to the Quay Code § 9", "Regulations under the Quay Code § 9", "the municipal Quay Code § 9",
        "Fire Code § 12 Quay Code", "See Fire Code, § 12 Quay Code.", "Quay Code, § 5 BGB", "bad quay code § 9",
        "Under the Quay Code, section 5 of the Fire Code applies.", "at the quay, Code § 9 applies",
        "BAD QUAY CODE § 9",
        "the quay. Code § 9 applies.", 'Bad "Quay" Code § 5', "section 9 of the Quay Code/Pier Code",
        "section 2 of the Barges Act 2018", "Barges Act 2018, s 2", "Small Barges Act 2019, s 2",
        "section 2 of the Barges Act 2019 Regulations", "section 5 of it", "Section 3 of the Act",
        "section 9 of Title 5",
        "section 3 of the Act 2019", "section 3 of Local Law", "Article 9 of the Quay Code", "insurance policy § 2",
        "Berliner Kahngesetz § 5", "§ 5 KahnG Bln", "§ 5 KahnG NRW", "das bayerische Kahngesetz § 5", "§ 5 KahnG-E",
        "§ 5 KahnG Hamburg", "Verordnung zum Kahngesetz § 5", "Gesetz zur Änderung des Kahngesetzes § 5",
        "KahnG, Section 10 applies.", "KahnG S. 9", "Under the KahnG, Section 10 of the Fire Code applies.",
        "le nouveau Code du port de Brest, article 3", "article 3 du Code du port de Brest-Ouest",
        "Das Kahngesetz gilt, 5 Kähne.", "§ 1 Abs. 1 und 2 KahnG",
    ],
)  # fmt: skip
def test_a_part_of_the_name_of_other_law_is_no_name(text: str) -> None:
    assert read(text, *CODES) == []


def test_a_name_of_two_laws_names_neither_for_certain() -> None:
    other = Document("urn:lex:gb:act:quay", "en", "The Quay Code", ())
    assert read("section 4 of the Quay Code", *CODES, other) == []
    assert LawNames((*CODES, other)).tag_queries("section 4 of the Quay Code") == []
    read_as = LawNames((*CODES, other)).readings("section 4 of the Quay Code")
    assert len(read_as) == 2
    assert all(query.hint for queries in read_as.values() for query in queries)


def test_the_names_in_a_title() -> None:
    assert {"Gesetz über Kähne", "Kahngesetz", "KahnG"} < set(names_in("Gesetz über Kähne (Kahngesetz - KahnG)"))
    assert names_in("Land Reform (Scotland) Act 2003") == ["Land Reform (Scotland) Act 2003"]
    assert names_in("Order on fees (repealed)") == ["Order on fees (repealed)"]


def test_the_unit_of_another_language_names_a_provision_of_a_law_for_certain_only_where_of_joins_them(
    engine: Engine,
) -> None:
    beside, joined = engine.resolve("KahnG Section 2"), engine.resolve("Section 2 of the KahnG")
    assert (beside.status, beside.urn) == ("candidates", f"{KAHN}:2")
    assert (joined.status, joined.urn) == ("resolved", f"{KAHN}:2")


def test_a_law_of_two_is_found_by_its_jurisdiction(stores: Stores, empty_template: str, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text("\n".join(json.dumps(line) for line in CODE))
    twin = json.dumps(CODE[:3]).replace("us-dc", "us-md")
    (tmp_path / "two.jsonl").write_text("\n".join(json.dumps(line) for line in json.loads(twin)))
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([tmp_path])
        both = engine.resolve("Quay Code § 4")
        assert (both.status, len(both.candidates)) == ("ambiguous", 2)
        alone = engine.resolve("Quay Code § 4(a)")  # the other has no such part
        assert alone.status == "candidates"
        assert engine.resolve("Quay Code § 4", jurisdiction="us-md").urn == "urn:lex:us-md:act:quay:4"


def nodes_of(law: str, title: str, places: dict[str, str]) -> list[dict[str, object]]:
    """A law as `lexjsonl` writes it, of places with their levels."""
    lines: list[dict[str, object]] = [
        {"lexscope": 1, "corpus": {"urn": law, "title": title, "language": "en"}, "edition_date": "2022-01-01"},
        {"urn": law, "structure_type": "ROOT", "level": "act", "heading": title},
    ]
    for place, level in places.items():
        above, _, number = f"{law}:{place}".rpartition(":")
        structure = {"section": "SECTION", "part": "PART", "article": "ARTICLE"}.get(level, "SUBSECTION")
        lines.append(
            {"urn": f"{law}:{place}", "parent_urn": above, "structure_type": structure, "level": level,
             "number": number.rpartition("_")[2], "content_text": f"Text of {place}."}
        )  # fmt: skip
    return lines


SECTIONS = {"9": "section", "9:4": "subsection", "9:4:a": "paragraph", "9a": "section", "10-2": "section"}
LAWS = {
    "us-dc:act:harbor": ("Harbor Code", SECTIONS), "us-dc:act:new": ("New Harbor Code", SECTIONS),
    "us-md:act:harbor": ("Mooring Code", SECTIONS), "us-va:act:harbor": ("Mooring Code", {"9": "section"}),
    "us-dc:act:code": ("Code", SECTIONS), "us-dc:act:year": ("Act 2019", SECTIONS),
    "us-dc:pilots": ("Pilots Act", SECTIONS),
    "us-dc:act:parts": ("Dredging Code", {"part_1": "part", "part_1:9": "section", "9": "section"}),
    "us-dc:act:short": ("Act on Tolls (Tolls Act - TA)", {"1": "article", "1:2": "subsection"}),
    "us-dc:act:bgb": ("BGB", SECTIONS), "us-dc:act:etang": ("Règlement de l'Étang", SECTIONS),
}  # fmt: skip


OWN = {
    KAHN: "KahnG - Kahngesetz", BARGES: "BARGES ACT 2019", MARKET: "MBMC 9.12", FERRY: "渡し船の運航に関する条例",
}  # fmt: skip


def test_what_is_printed_is_resolved_to_what_it_was_printed_for_or_not_for_certain(
    stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    for name, (title, places) in LAWS.items():
        lines = nodes_of(f"urn:lex:{name}", title, places)
        (tmp_path / f"{name.replace(':', '-')}.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    with Engine.open(stores.clone(empty_template)) as engine:
        engine.ingest([tmp_path])
        (tmp_path / "kahngesetz.html").write_text(GERMAN)
        (tmp_path / "barges.txt").write_text(ENGLISH)
        engine.ingest([tmp_path / "kahngesetz.html"], jurisdiction="de")
        engine.ingest([tmp_path / "barges.txt"], jurisdiction="gb")
        (tmp_path / "market.txt").write_text(CHAPTER)
        (tmp_path / "ferry.txt").write_text(ORDINANCE, encoding="utf-8")
        engine.ingest([tmp_path / "market.txt"], jurisdiction="us-or")
        engine.ingest([tmp_path / "ferry.txt"], jurisdiction="jp")
        roots = {f"urn:lex:{name}": title for name, (title, _) in LAWS.items()}
        printed = {
            block.urn: named(block.urn, title, root)
            for root, title in {**roots, **OWN}.items()
            for block in engine.document(root).blocks
            if block.urn != root
        }
        found = {urn: engine.resolve(text) for urn, text in printed.items()}
        assert {urn: one.urn for urn, one in found.items() if one.status == "resolved" and one.urn != urn} == {}
        sure = [urn for urn, one in found.items() if one.status == "resolved"]
    own = [urn for urn in printed if not any(law in urn for law in ("act:code", "act:year", "act:bgb", "part_1"))]
    once = [urn for urn in own if ":act:harbor:9" not in urn or "us-dc" in urn]
    assert printed["urn:lex:us-dc:act:harbor:9:4"] == "Harbor Code § 9(4)"
    assert printed[f"{KAHN}:1:2"] == "KahnG § 1(2)"
    assert printed[f"{MARKET}:9.12.020:a"] == "MBMC 9.12.020(a)"
    assert printed[f"{FERRY}:2:2"] == "渡し船の運航に関する条例第2条第2項"
    assert set(once) <= set(sure) | {"urn:lex:us-md:act:harbor:10-2"}


@pytest.mark.parametrize(
    ("text", "longer"),
    [
        ("May I moor under the New Quay Code?", ["New Quay Code"]),
        ("May I moor under the Quay Code?", []),
        ("Does Quay Code § 4 apply?", []),
        ("Does Section 4, Quay Code apply?", []),
        ("May I moor under the new quay code?", []),
    ],
)
def test_a_longer_name_than_that_of_a_document_is_one_that_the_store_lacks(text: str, longer: list[str]) -> None:
    assert LawNames(CODES).longer_in(text) == longer


def test_a_longer_name_is_found_wherever_it_stands_in_a_long_text() -> None:
    names = LawNames(CODES)
    assert names.longer_in(f"{'It rained all day. ' * 500}Does the New Quay Code apply?") == ["New Quay Code"]
