"""What a hit says against a certain reading."""

from __future__ import annotations

import pytest

from retrieval.references.hits import Hit
from retrieval.references.pipeline import number_doubt


def _act(title: str, kind: str = "legislation") -> Hit:
    return Hit("gb", 1, 1, "urn:lex:gb:ukpga-2000-32:19", kind, "en", "", {}, None, None, [], title)


@pytest.mark.parametrize(
    ("reference", "doubtful"),
    [
        ("section 19 of the Police (Northern Ireland) Act 2000 (c. 32)", False),
        ("Police (Northern Ireland) Act 2000 (c. 32), s 19", False),
        ("s 19 Police (Northern Ireland) Act 2000 (c. 32)", False),
        ("2000 c. 32 s 19", False),
        ("section 19 of the Housing Act 2000 (c. 32)", True),
        ("section 19 of the Police Act 2000 (c. 32)", True),
        ("section 19 of the Transport Police (Northern Ireland) Act 2000 (c. 32)", True),
        ("section 19 of the Police (Northern Ireland) Act 2001 (c. 32)", True),
    ],
)
def test_a_law_found_by_its_number_is_doubtful_where_the_reference_gives_it_another_title(
    reference: str, doubtful: bool
) -> None:
    said = number_doubt(_act("Police (Northern Ireland) Act 2000"), reference)
    assert bool(said) is doubtful
    assert not doubtful or "Police (Northern Ireland) Act 2000" in said


def test_a_law_whose_title_the_store_lacks_is_not_doubted() -> None:
    assert number_doubt(_act(""), "Housing Act 2000 (c. 32)") == ""
