"""Codes of the states that have no grammar: which state each citation of a published table is of, and what holds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Stores
from law import document, node, store

from rag import Engine
from rag.jurisdictions.us.own import state_queries
from rag.store.database import Database

SHARE = 0.95


def states_of(reference: str) -> list[str]:
    return [
        str(tag_filter.value) for query in state_queries(reference) for tag_filter in query.tag_filters.filters
        if tag_filter.key == "jurisdiction"
    ]  # fmt: skip


def test_the_statutes_of_a_published_table_are_of_the_state_that_it_says(shared_data: Path) -> None:
    laws = json.loads((shared_data / "reporters-db" / "laws.json").read_text(encoding="utf-8"))
    codes = {"us-" + code.lower(): name for code, name in NAMES.items()}
    examples = [
        (example, law["jurisdiction"])
        for entries in laws.values() for law in entries
        if law["cite_type"] == "leg_statute" and law["jurisdiction"] in codes.values()
        for example in law["examples"]
    ]  # fmt: skip
    read = [([codes.get(code, code) for code in states_of(example)], state) for example, state in examples]
    assert len(examples) > 80
    assert [pair for pair in read if pair[0] not in ([], [pair[1]])] == []
    assert sum(bool(found) for found, _ in read) >= SHARE * len(read)


NAMES = {
    "CA": "California", "NY": "New York", "TX": "Texas", "FL": "Florida", "IL": "Illinois", "OH": "Ohio", "WA":
    "Washington", "OR": "Oregon", "VA": "Virginia", "WV": "West Virginia", "NJ": "New Jersey", "PA": "Pennsylvania",
    "CT": "Connecticut", "MI": "Michigan", "GA": "Georgia", "NC": "North Carolina", "LA": "Louisiana", "MD": "Maryland",
    "RI": "Rhode Island", "TN": "Tennessee", "MN": "Minnesota", "CO": "Colorado", "AZ": "Arizona", "NV": "Nevada",
    "NE": "Nebraska", "KS": "Kansas", "KY": "Kentucky", "IN": "Indiana", "IA": "Iowa", "OK": "Oklahoma", "UT": "Utah",
    "VT": "Vermont", "WI": "Wisconsin", "WY": "Wyoming", "ME": "Maine", "NH": "New Hampshire", "PR": "Puerto Rico",
    "SD": "South Dakota", "ND": "North Dakota", "SC": "South Carolina", "MS": "Mississippi", "MO": "Missouri",
    "MT": "Montana", "NM": "New Mexico", "ID": "Idaho", "HI": "Hawaii", "DE": "Delaware", "AR": "Arkansas",
    "AL": "Alabama", "AK": "Alaska",
}  # fmt: skip


@pytest.mark.parametrize(
    "text", ["New York is large", "Texas 2019", "Virginia Woolf 1925", "Or. 12", "Washington, D.C. 20001", "Code § 5"]
)
def test_words_that_are_no_code_are_none(text: str) -> None:
    assert states_of(text) == []


def test_held_law_of_a_state_is_a_candidate_and_other_law_is_outside_the_store(
    stores: Stores, empty_template: str
) -> None:
    settings = stores.clone(empty_template)
    root = "urn:lex:us-wa:rcw"
    with Database(settings) as database:
        section = node(f"{root}:59.18.280", "The landlord returns the deposit.", level="section")
        section.tags = {"section_number": "59.18.280"}
        store(database, document([node(root), section]))
    with Engine.open(settings) as engine:
        for text in ("RCW 59.18.280", "Wash. Rev. Code § 59.18.280", "Wash Rev Code Ann 59.18.280(1)"):
            found = engine.resolve(text)
            assert (found.status, found.urn) == ("candidates", section.urn)
        missing = engine.resolve("Cal. Civ. Code § 1950.5")
        assert missing.status == "not_found"
        assert "us-ca" in missing.message
        verdicts = {
            item.text: item.verdict
            for item in engine.verify("Cal. Civ. Code § 1950.5 differs from Tex. Prop. Code § 92.103.").items
            if item.kind == "reference"
        }
    assert verdicts == {"Cal. Civ. Code § 1950.5": "OUTSIDE_CORPUS", "Tex. Prop. Code § 92.103": "OUTSIDE_CORPUS"}
