"""What provisions take from others that they do not name, and references by what a law's title calls it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cited_laws import law

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for

_DUTIES = {
    "gb": ("A keeper must hold a licence.", "A keeper must keep a ledger of ducks.", "No person may fish at night."),
    "de": (
        "Der Halter bedarf der Genehmigung.",
        "Der Halter hat ein Entenbuch zu führen.",
        "Es ist verboten, nachts zu fischen.",
    ),
    "fr": ("L'exploitant demande une licence.", "L'exploitant tient un registre.", "Il est interdit de pêcher."),
    "jp": (
        "飼養者は、免許を受けなければならない。",
        "飼養者は、帳簿を備えなければならない。",
        "何人も、夜間に釣りをしてはならない。",
    ),
}
_LANGUAGES = {"gb": "en", "de": "de", "fr": "fr", "jp": "ja"}


@pytest.mark.parametrize(
    ("country", "text", "found"),
    [
        # The thing that is lifted is what another provision asks for.
        ("gb", "A school is exempt from keeping a ledger.", [("may_limit", "2")]),
        ("gb", "The council may waive the licence in a frost.", [("may_limit", "1")]),
        ("gb", "The requirement to keep a ledger is suspended in a frost.", [("may_limit", "2")]),
        ("gb", "The council may by rule shorten the period in section 2.", [("may_limit", "2")]),
        ("gb", "In an act of charity a school is relieved of any obligation under section 2.", [("may_limit", "2")]),
        ("gb", "A school is released from the prohibitions of this Act.", [("excepts", "3")]),
        ("gb", "If the licence is refused, a keeper must sell the ducks.", []),  # a condition lifts nothing
        ("gb", "A school that is exempt from tax must keep ducks.", []),  # nothing here asks for it
        ("gb", "No school is released from the prohibitions of this Act.", []),
        ("gb", "A school is exempt from keeping a ledger under the Farm Act 1990.", []),  # it is another law's
        ("de", "Bei Frost entfällt die Genehmigung.", [("may_limit", "1")]),
        ("de", "Die Behörde kann vom Entenbuch absehen.", [("may_limit", "2")]),
        ("de", "Schulen sind von den Beschränkungen dieses Gesetzes frei.", [("excepts", "3")]),
        ("de", "Die Genehmigung kann nicht ausgeschlossen werden.", []),
        ("de", "Wird die Genehmigung versagt, so hat der Halter zu verkaufen.", []),
        ("fr", "Les écoles sont dispensées du registre.", [("may_limit", "2")]),
        ("fr", "La licence n'est pas exigée des écoles.", [("may_limit", "1")]),
        ("fr", "Si la licence est refusée, l'exploitant vend.", []),
        ("jp", "国は、帳簿に関する規定は、適用しない。", [("may_limit", "2")]),
        ("jp", "帳簿を備える者は、届け出る。", []),
    ],
)
def test_what_is_lifted_may_limit_the_provision_that_has_it(
    country: str, text: str, found: list[tuple[str, str]]
) -> None:
    document = law(
        f"urn:lex:{country}:ponds",
        *((str(at), "section", duty, "") for at, duty in enumerate((*_DUTIES[country], text), start=1)),
    )
    document.corpus = replace(document.corpus, language=_LANGUAGES[country], title="Pond Act")
    annotate(document, jurisdiction_for(country))
    limits = [link for link in document.links if link.kind in ("may_limit", "excepts")]
    assert [(link.kind, link.target_urn.rpartition(":")[2]) for link in limits] == found


def test_in_a_long_law_only_words_that_say_where_it_stands_lift_a_thing() -> None:
    others = [(str(at), "section", "Ducks swim.", "") for at in range(2, 60)]
    document = law(
        "urn:lex:gb:ponds", ("1", "section", "A keeper must hold a licence.", ""), *others,
        ("60", "section", "The council may waive the licence in a frost.", ""),
    )  # fmt: skip
    annotate(document, jurisdiction_for("gb"))
    assert "may_limit" not in {link.kind for link in document.links}


@pytest.mark.parametrize(
    ("title", "text", "targets"),
    [
        ("Chapter 9.20 RCW", "RCW 9.20.010 does not apply to a pond.", [("disapplies", "9.20.010")]),
        ("Ponds, ORS 9.20.010 to 9.20.030", "ORS 9.20.010 to 9.20.030 do not apply to a lake.", [
            ("disapplies", ""), ("confines", ""),
        ]),
        ("Chapter 9.20", "RCW 9.20.010 does not apply to a pond.", [("disapplies", "")]),  # who knows what RCW is
    ],
)  # fmt: skip
def test_a_law_is_cited_by_what_its_title_calls_it(title: str, text: str, targets: list[tuple[str, str]]) -> None:
    corpus = "urn:lex:us-wa:ponds"
    document = law(
        corpus, ("9.20.010", "section", "A keeper must hold a licence.", ""), ("9.20.020", "section", text, "")
    )
    document.corpus = replace(document.corpus, title=title)
    document.nodes[0].level = "chapter"
    for node in document.nodes[1:]:
        node.number = node.urn.rpartition(":")[2]
    annotate(document, jurisdiction_for("us-wa"))
    found = [(link.kind, link.target_urn.removeprefix(corpus).lstrip(":")) for link in document.links]
    assert [pair for pair in found if pair[0] in ("disapplies", "confines")] == targets
