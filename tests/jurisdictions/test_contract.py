from __future__ import annotations

import pytest

from rag.jurisdictions.registry import all_jurisdictions, jurisdiction_for
from rag.law.jurisdiction import Jurisdiction
from retrieval.errors import InputError
from retrieval.paths import canonical_jurisdiction, parse_urn
from retrieval.tag_query import TagQuery

_CASES = [
    pytest.param(jurisdiction, text, urns, id=f"{jurisdiction.code}: {text}")
    for jurisdiction in all_jurisdictions()
    for text, urns in jurisdiction.examples
]


@pytest.mark.parametrize("jurisdiction", all_jurisdictions(), ids=lambda one: one.code)
def test_module_describes_itself(jurisdiction: Jurisdiction) -> None:
    assert canonical_jurisdiction(jurisdiction.code) == jurisdiction.code
    assert jurisdiction_for(jurisdiction.code) is jurisdiction
    assert jurisdiction.name
    assert len(jurisdiction.language) == 2
    assert jurisdiction.examples
    assert jurisdiction.supports_annotation


@pytest.mark.parametrize(("jurisdiction", "text", "urns"), _CASES)
def test_example_resolves_to_its_urns(jurisdiction: Jurisdiction, text: str, urns: tuple[str, ...]) -> None:
    found = jurisdiction.find_references(text, None)
    assert tuple(urn for reference in found for urn in reference.urns) == urns


@pytest.mark.parametrize(("jurisdiction", "text", "urns"), _CASES)
def test_example_inside_a_sentence_is_found_at_its_place(
    jurisdiction: Jurisdiction, text: str, urns: tuple[str, ...]
) -> None:
    sentence = f"Does {text} apply, please?"
    found = jurisdiction.find_references(sentence, None)
    assert tuple(urn for reference in found for urn in reference.urns) == urns
    assert all(sentence[reference.start : reference.end] == reference.text for reference in found)
    assert all(
        reference.start <= part.start <= part.end <= reference.end for reference in found for part in reference.parts
    )


@pytest.mark.parametrize(("jurisdiction", "text", "urns"), _CASES)
def test_urns_of_examples_are_well_formed(jurisdiction: Jurisdiction, text: str, urns: tuple[str, ...]) -> None:
    assert all(parse_urn(urn).text == urn for urn in urns)


@pytest.mark.parametrize(
    ("jurisdiction", "reference", "queries"),
    [
        pytest.param(one, reference, queries, id=f"{one.code}: {reference}")
        for one in all_jurisdictions()
        for reference, queries in one.query_examples
    ],
)
def test_reference_is_read_as_its_queries(
    jurisdiction: Jurisdiction, reference: str, queries: tuple[TagQuery, ...]
) -> None:
    assert tuple(jurisdiction.tag_queries(reference)) == queries


@pytest.mark.parametrize("jurisdiction", all_jurisdictions(), ids=lambda one: one.code)
def test_text_without_law_gives_nothing(jurisdiction: Jurisdiction) -> None:
    assert jurisdiction.find_references("My landlord kept 500 dollars in May 2024 and will not answer.", None) == []


def test_unknown_subdivision_is_read_by_the_wider_module() -> None:
    assert jurisdiction_for("us-ca").code == "us"
    assert jurisdiction_for("ma").code == "us-ma"


def test_jurisdiction_without_module_says_that_nothing_is_looked_for() -> None:
    unknown = jurisdiction_for("zz-top")
    assert (unknown.code, unknown.supports_annotation) == ("zz-top", False)
    assert unknown.find_references("16 CFR 310.4(b)", None) == []
    assert unknown.tag_queries("16 CFR 310.4(b)") == []


def test_malformed_code_is_refused() -> None:
    with pytest.raises(InputError):
        jurisdiction_for("U$A")
