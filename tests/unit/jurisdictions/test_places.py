"""Countries and states that questions name as where it happens."""

from __future__ import annotations

import pytest

from rag.jurisdictions.places import codes_named, places_in

STORED = ("de", "eu", "fr", "gb", "us", "us-dc")


@pytest.mark.parametrize(
    ("question", "kept", "absent"),
    [
        ("How fast must a landlord in D.C. return a deposit?", ("us", "us-dc"), ()),
        ("My flat is in Washington, DC. May they enter?", ("us", "us-dc"), ()),
        ("I rent in the district of columbia", ("us", "us-dc"), ()),
        ("How much notice must a landlord give in Massachusetts?", ("us",), ("Massachusetts",)),
        ("I live in Austin, Texas. Can he evict me?", ("us",), ("Texas",)),
        ("what does a tenant owe in new york", ("us",), ("new york",)),
        ("Is this legal in Japan?", (), ("Japan",)),
        ("Who owns a find in Scotland?", ("gb",), ()),
        ("Is a will valid in the United States?", ("us", "us-dc"), ()),
        ("Wie lange haftet ein Händler in Deutschland?", ("de", "eu"), ()),
        ("Gilt das auch in der Schweiz?", (), ("Schweiz",)),
        ("Quel délai de rétractation au Canada ?", (), ("Canada",)),
        ("Puis-je rompre le bail en France ou en Belgique ?", ("eu", "fr"), ("Belgique",)),
        ("I bought it in Texas and live in the UK", ("gb", "us"), ("Texas",)),
    ],
)
def test_a_place_is_taken_where_law_of_it_is_searched_and_named_where_not(
    question: str, kept: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    found = places_in(question, STORED)
    assert (found.kept, found.absent) == (kept, absent)
    assert len(found.matter) == len(question)
    assert not any(name in found.matter for name in absent)


@pytest.mark.parametrize(
    "question",
    [
        "My cousin from Canada wants to give money to a candidate.",  # a person's origin
        "He sold us the goods; who pays us?",
        "What did he put in us?",
        "I work in it since May.",
        "Madison in accounting says that the rent rises.",  # a name that no table has as a place
        "Goods from China broke. What now?",
        "in indianapolis",  # begins like a name and is none
    ],
)
def test_what_names_no_place_of_the_matter_changes_nothing(question: str) -> None:
    assert places_in(question, STORED) == ((), (), question)


def test_a_filter_on_one_state_is_not_widened() -> None:
    assert places_in("in Massachusetts", ("us-dc",))[:2] == ((), ("Massachusetts",))
    assert places_in("in Massachusetts", ("us-dc", "us-ma"))[:2] == (("us-ma",), ())
    assert places_in("in the European Union", ("fr",))[:2] == (("fr",), ())


def test_a_name_of_several_places_is_each_of_them() -> None:
    assert places_in("in Georgia", ("us", "us-ga"))[:2] == (("us", "us-ga"), ())
    assert places_in("in Georgia", ("ge",))[:2] == (("ge",), ())


@pytest.mark.parametrize(
    ("given", "code"),
    [("Massachusetts", "us-ma"), ("D.C.", "us-dc"), ("dc", "us-dc"), ("!=Germany", "!=de"), ("all", "*"), ("ma", "ma"),
     ("Austin, Texas", "us-tx"), ("eu|France", "eu|fr"), ("nowhere", "nowhere"), ("us-ma", "us-ma")],
)  # fmt: skip
def test_a_filter_that_names_places_is_one_of_their_codes(given: str, code: str) -> None:
    assert codes_named(given) == code
