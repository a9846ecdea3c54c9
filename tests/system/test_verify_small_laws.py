"""Verified texts over small laws written here: how lawyers of three countries name and cut what they quote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Stores

from rag import Engine
from rag.citecheck.model import FAILED
from rag.citecheck.run import verify_text

KITES = "urn:lex:gb:ukpga-2001-77"
BGB = "urn:lex:de:bgb"
CIVIL = "urn:lex:fr:code-civil"


def law(urn: str, language: str, title: str, *nodes: dict[str, object]) -> str:
    head = {"lexscope": 1, "corpus": {"urn": urn, "title": title, "language": language}, "edition_date": "2024-01-01"}
    root = {"urn": urn, "structure_type": "ROOT", "level": "act", "heading": title, "tags": {"act_title": title}}
    return "".join(f"{json.dumps(entry)}\n" for entry in (head, root, *nodes))


def part(urn: str, text: str, kind: str = "SECTION", **more: object) -> dict[str, object]:
    return {
        "urn": urn, "parent_urn": urn.rpartition(":")[0], "structure_type": kind, "level": kind.lower(),
        "content_text": text, **more,
    }  # fmt: skip


LAWS = {
    "kites": law(
        KITES, "en", "Kite Registers Act 2001",
        part(f"{KITES}:1", "", tags={"act_title": "Kite Registers Act 2001", "section_number": "1"}),
        part(f"{KITES}:1:1", "A keeper shall enter each kite in a register.", "SUBSECTION"),
        part(f"{KITES}:1:2", "If the owner agrees, the keeper may lend a kite, for a term that begins on the day of "
             "the entry and ends twenty days after the register was closed, unless it rains.", "SUBSECTION"),
        part(f"{KITES}:2", "", tags={"act_title": "Kite Registers Act 2001", "section_number": "2"}),
        part(f"{KITES}:2:1", "A record of flights does not include a kite on loan.", "SUBSECTION"),
        part(f"{KITES}:2:2", "A “kite on loan” is one that its keeper has lent.", "SUBSECTION"),
        part(f"{KITES}:3", "", intro_text="A flight over water is no flight of this Act. In deciding whether "
             "a kite was flown the keeper looks at—",
             tags={"act_title": "Kite Registers Act 2001", "section_number": "3"}),
        part(f"{KITES}:3:1", "the length and the colour of its line,", "SUBSECTION"),
        part(f"{KITES}:3:2", "the strength and the direction of the wind.", "SUBSECTION"),
    ),
    "bgb": law(
        BGB, "de", "Bürgerliches Gesetzbuch",
        part(f"{BGB}:3001", "Die Frist für Drachen beträgt drei Jahre."),
        part(f"{BGB}:3002", "Der Halter ist verpflichtet, dem Eigner die vereinbarte Miete zu entrichten."),
    ),
    "civil": law(
        CIVIL, "fr", "Code civil",
        part(f"{CIVIL}:3001", "Les gardiens peuvent, sans préjudice de la réparation du dommage subi, prescrire "
             "toutes mesures, telles que séquestre, saisie et autres, propres à empêcher une atteinte au "
             "registre.", "ARTICLE"),
        part(f"{CIVIL}:3002", "Les registres légalement tenus font foi.", "ARTICLE"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("laws")
    for name, lines in LAWS.items():
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    with Engine.open(stores.clone(empty_template)) as opened:
        opened.ingest([folder])
        yield opened


def verdicts(engine: Engine, text: str) -> dict[str, str]:
    return {item.kind: item.verdict for item in engine.verify(text).items}


@pytest.mark.parametrize(
    "text",
    [
        "Die Frist für Drachen beträgt nach § 3001 BGB drei Jahre.",
        "Die Frist für Drachen beträgt gemäß § 3001 BGB drei Jahre.",
        "Der Halter ist nach § 3002 BGB verpflichtet, dem Eigner die vereinbarte Miete zu entrichten.",
        "L’article 3002 du code civil dispose que les registres légalement tenus font foi.",
        "A keeper shall, under section 1(1) of the Kite Registers Act 2001, enter each kite in a register.",
    ],
)
def test_words_that_introduce_a_reference_are_none_of_the_claim(engine: Engine, text: str) -> None:
    assert verdicts(engine, text) == {"reference": "SUPPORTED", "claim": "SUPPORTED"}


@pytest.mark.parametrize(
    "text",
    [
        "Die Frist für Drachen beträgt nach § 3001 BGB fünf Jahre.",
        "Die Frist für Drachen endet nach § 3001 BGB nach drei Jahren.",
        "Der Halter ist nach § 3002 BGB nicht verpflichtet, dem Eigner die vereinbarte Miete zu entrichten.",
        "Der Eigner ist nach § 3002 BGB verpflichtet, dem Halter die vereinbarte Miete zu entrichten.",
    ],
)
def test_what_a_claim_changes_beside_its_reference_is_seen(engine: Engine, text: str) -> None:
    found = verdicts(engine, text)
    assert (found["reference"], found["claim"] == "SUPPORTED") == ("SUPPORTED", False)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        # A later part of a sentence leans on the author's own words.
        ("The term is “for a term that begins on the day of the entry and ends twenty days after the register was "
         "closed”. Kite Registers Act 2001, s 1(2).", "UNVERIFIED"),
        ("Les gardiens peuvent « prescrire toutes mesures, telles que séquestre, saisie et autres, propres à empêcher "
         "une atteinte au registre » (art. 3001 C. civ.).", "UNVERIFIED"),
        # A rule without what limits it is another rule.
        ("“the keeper may lend a kite, for a term that begins on the day of the entry and ends twenty days after the "
         "register was closed”. Kite Registers Act 2001, s 1(2).", "UNVERIFIED"),
        ("“Les gardiens peuvent … prescrire toutes mesures, telles que séquestre, saisie et autres, propres à empêcher "
         "une atteinte au registre.” (art. 3001 C. civ.)", "UNVERIFIED"),
    ],
)  # fmt: skip
def test_a_quotation_without_what_limits_it_is_not_confirmed(engine: Engine, text: str, quote: str) -> None:
    assert verdicts(engine, text)["quote"] == quote


def test_an_act_named_by_title_is_compared_in_the_subsection_it_is_cited_by(engine: Engine) -> None:
    right = "“A keeper shall enter each kite in a register.” Kite Registers Act 2001, s 1(1)."
    assert verdicts(engine, right) == {"quote": "SUPPORTED", "reference": "SUPPORTED"}
    assert verdicts(engine, right.replace("shall", "may"))["quote"] in FAILED
    assert verdicts(engine, right.replace("1(1)", "1(2)"))["quote"] == "UNVERIFIED"
    assert verdicts(engine, "See Kite Registers Act 2001, s 1(9).") != {"reference": "SUPPORTED"}


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("A [guardian] shall enter each kite in a register.", "UNVERIFIED"),
        ("A keeper shall enter each [balloon] in a register.", "UNVERIFIED"),
        ("A keeper shall enter each [toy] in a register.", "UNVERIFIED"),
        ("A keeper shall enter each [red] kite in a [public] register.", "UNVERIFIED"),
        ("A keeper shall [not] enter each kite in a register.", "ALTERED"),
        ("A keeper shall enter each kite in [a public] register.", "UNVERIFIED"),
        ("A keeper shall enter[ing] each kite in a register.", "SUPPORTED"),
        ("[a] keeper shall enter each kite in [the] register.", "SUPPORTED"),
    ],
)
def test_words_in_brackets_that_the_provision_does_not_have_are_not_supported(
    engine: Engine, words: str, verdict: str
) -> None:
    assert verdicts(engine, f"“{words}” Kite Registers Act 2001, s 1(1).")["quote"] == verdict


@pytest.mark.parametrize(
    ("memo", "urn", "reason"),
    [
        ('Section 2 of the Kite Registers Act 2001 calls it a "kite on loan".', f"{KITES}:2:2",
         "QUOTE: The provision has these words as a term of its own."),
        ('By section 3 of the Kite Registers Act 2001 "the length and the colour of its line" count.', f"{KITES}:3:1",
         "QUOTE: The provision has these words, as a part of a sentence."),
    ],
)  # fmt: skip
def test_what_denies_elsewhere_turns_no_quotation(engine: Engine, memo: str, urn: str, reason: str) -> None:
    quotes = [item for item in verify_text(engine, memo).items if item.kind == "quote"]
    assert [(item.verdict, item.urn, item.reasons[0]) for item in quotes] == [("SUPPORTED", urn, reason)]
