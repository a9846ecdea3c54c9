"""A length of time is not how often something is."""

from __future__ import annotations

import pytest

from rag.answering.extractive.kinds import not_given
from rag.languages.base import Want

LONG, OFTEN = "How long must the clerk keep the register?", "How often must the clerk publish the register?"


@pytest.mark.parametrize(
    ("question", "answer", "language", "given"),
    [
        (LONG, "Every clerk must keep the register and publish it at least once every six months.", "en", False),
        (LONG, "The clerk publishes it twice a year.", "en", False),
        (LONG, "The clerk reports monthly.", "en", False),
        (LONG, "Every clerk must keep the register for six months.", "en", True),
        (LONG, "It is kept for a period of 5 years, and published each quarter.", "en", True),
        (LONG, "It is kept within a year.", "en", True),
        (LONG, "It is kept for life.", "en", True),
        (OFTEN, "Every clerk must keep the register and publish it at least once every six months.", "en", True),
        (OFTEN, "The clerk publishes it monthly.", "en", True),
        ("When is the rent due?", "The rent is 85 pounds a year.", "en", True),
        ("Wie lange sind die Akten aufzubewahren?", "Die Akten sind alle sechs Monate zu prüfen.", "de", False),
        ("Wie lange sind die Akten aufzubewahren?", "Die Akten sind sechs Jahre aufzubewahren.", "de", True),
        ("Wie oft sind die Akten zu prüfen?", "Die Akten sind monatlich zu prüfen.", "de", True),
        ("Combien de temps le registre est-il conservé ?", "Le registre est publié tous les six mois.", "fr", False),
        ("Combien de temps le registre est-il conservé ?", "Le registre est conservé pendant cinq ans.", "fr", True),
    ],
)
def test_a_length_of_time_is_not_how_often_something_is(question: str, answer: str, language: str, given: bool) -> None:
    assert not_given(Want.TIME, question, [answer], language) is not given
