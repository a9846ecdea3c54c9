"""Laws of one's own are cited by their titles, abbreviations and aliases, as other law is."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from conftest import Stores

from rag import Engine
from rag.citecheck.own_documents import OwnDocuments
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


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine on a store of three laws that no grammar knows."""
    folder = tmp_path_factory.mktemp("laws")
    (folder / "quay.jsonl").write_text("\n".join(json.dumps(line) for line in CODE))
    (folder / "kahngesetz.html").write_text(GERMAN)
    (folder / "barges.txt").write_text(ENGLISH)
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([folder / "quay.jsonl"])
        opened.ingest([folder / "kahngesetz.html"], jurisdiction="de")
        opened.ingest([folder / "barges.txt"], jurisdiction="gb")
        yield opened


@pytest.mark.parametrize(
    ("reference", "urn"),
    [
        ("Quay Code, section 4", f"{QUAY}:4"), ("Quay Code § 4(a)", f"{QUAY}:4:a"),
        ("section 4(a) of the Quay Code", f"{QUAY}:4:a"), ("s. 4(a) Quays of the City Code", f"{QUAY}:4:a"),
        ("article 4 de la Quay Code", f"{QUAY}:4"),
        ("§ 1 Abs. 2 KahnG", f"{KAHN}:1:2"), ("§ 1 Absatz 2 des Kahngesetzes", f"{KAHN}:1:2"),
        ("Kahngesetz § 2 Abs. 1", f"{KAHN}:2:1"),
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


def read(text: str, *documents: Document) -> list[str]:
    own = OwnDocuments(LawNames(documents))
    return [urn for found in own.find_references(text, None) for urn in found.urns]


CODES = (Document(QUAY, "en", "Quay Code", ()), Document(KAHN, "de", "KahnG - Kahngesetz", ()))


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        ("Sections 4(a) and (b) and 5 of the Quay Code apply.", [f"{QUAY}:4:a", f"{QUAY}:4:b", f"{QUAY}:5"]),
        ("Nach § 1 Abs. 2 des Kahngesetzes haftet er.", [f"{KAHN}:1:2"]),
        ("Section 4 of the Quay Code Repeal Act 1999 and the Boston Quay Code, § 4.", []),
        ("Das Kahngesetz gilt, 5 Kähne.", []), ("§ 1 Abs. 1 und 2 KahnG", []),
    ],
)  # fmt: skip
def test_names_in_running_text(text: str, urns: list[str]) -> None:
    assert read(text, *CODES) == urns


def test_a_name_of_two_laws_names_neither_for_certain() -> None:
    other = Document("urn:lex:gb:act:quay", "en", "The Quay Code", ())
    assert read("section 4 of the Quay Code", *CODES, other) == []
    assert LawNames((*CODES, other)).tag_queries("section 4 of the Quay Code") == []
    assert len(LawNames((*CODES, other)).readings("section 4 of the Quay Code")) == 2


def test_the_names_in_a_title() -> None:
    assert {"Gesetz über Kähne", "Kahngesetz", "KahnG"} < set(names_in("Gesetz über Kähne (Kahngesetz - KahnG)"))
    assert names_in("Land Reform (Scotland) Act 2003") == ["Land Reform (Scotland) Act 2003"]
    assert names_in("Order on fees (repealed)") == ["Order on fees (repealed)"]
