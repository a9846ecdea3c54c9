"""When a first rule leads, and when what was found is near enough to be shown at all."""

from __future__ import annotations

import pytest

from retrieval.entry_points.finding import EVIDENCE, NEAR, NEAR_APART, comes_near, leads
from retrieval.entry_points.legs import EntryPoint, EntryPoints
from retrieval.entry_points.lexical import LegHit, Section
from retrieval.nodes import NodeVersion


def point(number: int, score: float, **legs: float) -> EntryPoint:
    """A paragraph `number` of the section 100."""
    rule = NodeVersion(
        "us", number, number, f"urn:lex:us:code:{number:03}", "root", "legislation", "PARAGRAPH", "paragraph", "", 0,
        "", "", "", None, None, [100, number], number, [], {}, "en", "", 1,
    )  # fmt: skip
    return EntryPoint(rule, rule.urn, score, legs)


def hit(number: int, score: float = 0.6) -> LegHit:
    return LegHit("us", number, number, f"urn:lex:us:code:{number:03}", number, score)


@pytest.mark.parametrize(
    ("second", "nearest", "section", "led"),
    [
        (0.89, 1, 100, True),
        (0.91, 1, 100, False),
        (0.89, 7, 100, True),  # another paragraph of the same section
        (0.89, 7, 200, False),  # another section is nearer by meaning
        (0.75, 7, 200, True),
        (0.76, 7, 200, False),
    ],
)
def test_beside_vectors_distance_decides_and_more_of_it_where_they_disagree(
    second: float, nearest: int, section: int, led: bool
) -> None:
    found = EntryPoints([point(1, 1.0), point(2, second)], {"dense": [hit(nearest)]})
    found.sections = {("us", nearest): Section(section, 0.5)}
    assert leads(found) == led


def test_by_words_alone_the_first_has_the_most_words_and_what_is_cited_leads() -> None:
    assert leads(EntryPoints([point(1, 1.0, lexical=1.0), point(2, 0.99)], {"lexical": [hit(1)]}))
    assert not leads(EntryPoints([point(1, 1.0, lexical=0.9, synonym=1.0), point(2, 0.1)], {"lexical": [hit(1)]}))
    assert leads(EntryPoints([point(1, 1.0, citation=1.0), point(2, 1.0)], {"dense": [hit(7)]}))
    assert not leads(EntryPoints())


def test_similarity_tells_how_near_something_is_and_words_where_there_is_none() -> None:
    assert comes_near(EntryPoints([point(1, 1.0)], {"dense": [hit(1, NEAR)]}))
    assert not comes_near(EntryPoints([point(1, 1.0)], {"dense": [hit(1, NEAR - 0.01)]}, evidence=30.0))
    # Among few nodes the nearest is further away.
    for nodes, score in ((50, 0.25), (100, 0.25), (316, 0.3), (1_000, NEAR), (1_000_000, NEAR)):
        assert comes_near(EntryPoints([point(1, 1.0)], {"dense": [hit(1, score + 1e-9)]}, nodes=nodes))
        assert not comes_near(EntryPoints([point(1, 1.0)], {"dense": [hit(1, score - 0.01)]}, nodes=nodes))
    by_words = {"lexical": [hit(1, 30.0)]}
    assert comes_near(EntryPoints([point(1, 1.0, lexical=1.0)], by_words, evidence=EVIDENCE))
    assert not comes_near(EntryPoints([point(1, 1.0, lexical=1.0)], by_words, evidence=EVIDENCE - 0.01))
    assert not comes_near(EntryPoints())


def test_beside_vectors_of_another_languages_model_either_tells_how_near_something_is() -> None:
    for score, evidence, near in (
        (NEAR_APART, 0.0, True),
        (NEAR_APART - 0.01, EVIDENCE, True),
        (NEAR_APART - 0.01, 1.9, False),
    ):
        found = EntryPoints([point(1, 1.0)], {"dense": [hit(1, score)]}, evidence=evidence, apart=True)
        assert comes_near(found) == near
