"""Parts that are named by a Roman number or a degree sign: "article 8, I, 1°", "§ 5 II Nr. 3"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine
from rag.citecheck.run import verify_text

CAMPINGS, RADG = "urn:lex:fr:doc:campings", "urn:lex:de:doc:leihrad"
FRENCH = """# Règlement des campings

## Article 8

I. – L'exploitant d'un camping :

1° Affiche le règlement à l'entrée ;

2° Tient un registre des emplacements.

II. – Les tarifs sont affichés chaque année.

## Article 10

I. – L'ouverture est soumise à une autorisation du maire.

II. – L'autorisation est valable cinq ans.

III. – Le maire peut retirer l'autorisation après deux avertissements.

## Article 11

Le bruit est interdit après vingt-deux heures.
"""
GERMAN = """# LRadG - Leihradgesetz

## § 5 Pflichten

(1) Der Verleiher hält jedes Leihrad verkehrssicher.

(2) Der Verleiher hat

1. jedes Leihrad jährlich zu prüfen,

2. Mängel binnen drei Tagen zu beheben,

3. die Prüfung in ein Buch einzutragen.

## § 6 Entgelt

(1) Das Entgelt beträgt höchstens zwei Euro für eine Stunde.

(2) Kinder unter sechs Jahren fahren unentgeltlich. Die Begleitperson zahlt einen Euro.
"""


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("laws")
    (folder / "campings.md").write_text(FRENCH, encoding="utf-8")
    (folder / "leihrad.md").write_text(GERMAN, encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([folder / "campings.md"], jurisdiction="fr")
        opened.ingest([folder / "leihrad.md"], jurisdiction="de")
        yield opened


@pytest.mark.parametrize(
    ("reference", "urn"),
    [
        ("article 10 III du Règlement des campings", f"{CAMPINGS}:10:iii"),
        ("Règlement des campings, article 10 III", f"{CAMPINGS}:10:iii"),
        ("article 8, I, 1° du Règlement des campings", f"{CAMPINGS}:8:i:1"),
        ("art. 8 I 1° du Règlement des campings", f"{CAMPINGS}:8:i:1"),
        ("article 8-I, 2° du Règlement des campings", f"{CAMPINGS}:8:i:2"),
        ("§ 5 II LRadG", f"{RADG}:5:2"),
        ("§ 5 II des Leihradgesetzes", f"{RADG}:5:2"),
        ("§ 5 II Nr. 3 LRadG", f"{RADG}:5:2:3"),
        ("LRadG § 5 II Nr. 3", f"{RADG}:5:2:3"),
    ],
)
def test_a_point_is_resolved_by_the_name_of_its_law(engine: Engine, reference: str, urn: str) -> None:
    one, [many] = engine.resolve(reference), engine.resolve_many([reference])
    assert (one.status, one.urn) == (many.status, many.urn) == ("resolved", urn)


@pytest.mark.parametrize(
    ("reference", "urn"),
    [
        ("article 10, V du Règlement des campings", f"{CAMPINGS}:10"),
        ("article 11 II du Règlement des campings", f"{CAMPINGS}:11"),
        ("§ 5 IX LRadG", f"{RADG}:5"),
        ("§ 6 II 2 LRadG", f"{RADG}:6:2"),  # the second sentence of Absatz 2
    ],
)
def test_of_a_point_that_the_store_does_not_have_the_whole_is_a_candidate(
    engine: Engine, reference: str, urn: str
) -> None:
    found = engine.resolve(reference)
    assert (found.status, found.urn) == ("candidates", urn)


@pytest.mark.parametrize("before", ["", "Le Règlement des campings s'applique. "])
@pytest.mark.parametrize(
    ("quote", "cited", "urn"),
    [
        ("Le maire peut retirer l'autorisation après deux avertissements.", "article 10 III", f"{CAMPINGS}:10:iii"),
        ("Affiche le règlement à l'entrée", "article 8, I, 1°", f"{CAMPINGS}:8:i:1"),
        ("Affiche le règlement à l'entrée", "art. 8-I-1°", f"{CAMPINGS}:8:i:1"),
    ],
)
def test_a_quotation_rests_on_a_point_without_the_name_of_its_law(
    engine: Engine, before: str, quote: str, cited: str, urn: str
) -> None:
    found = verify_text(engine, f"{before}« {quote} » [{cited}]", jurisdiction="fr")
    assert [(item.verdict, item.urn) for item in found.items if item.kind == "quote"] == [("SUPPORTED", urn)]
    other = quote.replace("deux", "trois").replace("règlement", "tarif")
    found = verify_text(engine, f"{before}« {other} » [{cited}]", jurisdiction="fr")
    assert [item.verdict for item in found.items if item.kind == "quote"] != ["SUPPORTED"]


def test_an_absatz_is_read_by_its_roman_number(engine: Engine) -> None:
    found = verify_text(engine, "„Mängel binnen drei Tagen zu beheben“ [§ 5 II Nr. 2]", jurisdiction="de")
    assert [(one.verdict, one.urn) for one in found.items if one.kind == "quote"] == [("SUPPORTED", f"{RADG}:5:2:2")]
    found = verify_text(engine, "Nach § 5 I LRadG gilt dies. Nach § 5 II Nr. 1 ist zu prüfen.", jurisdiction="de")
    assert [one.urn for one in found.items if one.kind == "reference"] == [f"{RADG}:5:1", f"{RADG}:5:2:1"]


def test_a_pronoun_is_no_number(engine: Engine) -> None:
    found = verify_text(engine, "Under § 6 I think that the fee is two euros (LRadG).", jurisdiction="de")
    assert [one.urn for one in found.items if one.kind == "reference"] == [f"{RADG}:6"]


def test_of_a_point_that_is_not_there_nothing_is_confirmed(engine: Engine) -> None:
    text = "Règlement des campings, article 8, I. « Le bruit est interdit après vingt-deux heures. » [article 11 II]"
    found = {
        item.verdict for item in verify_text(engine, text, jurisdiction="fr").items if item.urn == f"{CAMPINGS}:11"
    }
    assert "SUPPORTED" not in found
    assert "AMBIGUOUS" in found
