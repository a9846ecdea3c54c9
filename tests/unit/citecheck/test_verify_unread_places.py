"""A law's name with an unread place before it stands for that place, never for the whole law as checked."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.citecheck.references import Mention, find_mentions, with_places_before
from rag.jurisdictions.registry import all_jurisdictions

GDPR = "urn:lex:eu:32016r0679"


def read(text: str) -> list[Mention]:
    return with_places_before(text, find_mentions(text, all_jurisdictions())[0])


@pytest.mark.parametrize(
    ("text", "words", "urn", "confident"),
    [
        ("The controller under Art. 4 no. 7 GDPR must act.", "Art. 4 no. 7 GDPR", f"{GDPR}:4:7", True),
        ("We rely on art 6 (1) f GDPR here.", "art 6 (1) f GDPR", f"{GDPR}:6:1:f", True),
        ("We rely on 6(1)f GDPR here.", "6(1)f GDPR", f"{GDPR}:6:1:f", False),
        ("See Art. 9(2)(a), (b) GDPR.", "Art. 9(2)(a), (b) GDPR", GDPR, False),
        ("See Art 12 et seq. GDPR.", "Art 12 et seq. GDPR", GDPR, False),
        ("See section 999(1) of the GDPR.", "section 999(1) of the GDPR", GDPR, False),
        ("Voir art. 6 al. 1 RGPD.", "art. 6 al. 1 RGPD", f"{GDPR}:6:1", False),
        ("See art. 999 no.\n7 GDPR.", "art. 999 no.\n7 GDPR", f"{GDPR}:999:7", True),
        # No place.
        ("Since 2018 GDPR applies to 27 states.", "GDPR", GDPR, True),
        ("The 99 GDPR articles", "GDPR", GDPR, True),
        ("It is a GDPR duty.", "GDPR", GDPR, True),
        ("See Article 6(1)(f) GDPR.", "Article 6(1)(f) GDPR", f"{GDPR}:6:1:f", True),
    ],
)
def test_a_place_before_a_laws_name_is_part_of_the_reference(text: str, words: str, urn: str, confident: bool) -> None:
    (one,) = read(text)
    assert (text[one.start : one.end], one.words, one.urns, one.confident) == (words, words, (urn,), confident)
    assert bool(one.note) == (urn == GDPR and not confident)


def test_a_place_that_another_reference_has_is_not_taken_twice() -> None:
    text = "Article 5(1)(a) GDPR, GDPR"
    assert [(mention.words, mention.urns) for mention in read(text)] == [
        ("Article 5(1)(a) GDPR", (f"{GDPR}:5:1:a",)),
        ("GDPR", (GDPR,)),
    ]


PIECES = st.sampled_from(
    ["Art. ", "6", "(1)", " f", " no. 7", " GDPR", "GDPR", " and ", ", ", " of the ", "s 1 ", "; "]
)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_references_stay_in_order_and_apart(text: str) -> None:
    found = read(text)
    spans = list(dict.fromkeys((mention.whole_start, mention.whole_end) for mention in found))
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert all(text[mention.whole_start : mention.whole_end] == mention.words for mention in found)
