"""A sentence that the law limits elsewhere is never served without what limits it."""

from __future__ import annotations

from datetime import date

import pytest
from requirements import requirement

from rag.company import MOST, with_companions
from rag.draft import DraftCitation, DraftClaim
from rag.synthesis import evidence_of
from rag.verification import verify_claim
from rag.verification_model import Reason
from retrieval.model import Block, ScopedContext

SECTION = "urn:lex:us:x:5"
RULE = "urn:lex:us:x:5:1"
BAN = "No person may use a mooring without a licence."


def block(number: int, urn: str, text: str, role: str = "rule", applies_to: str = SECTION) -> Block:
    return Block.model_validate(
        {
            "id": f"b{number}", "urn": urn, "role": role, "heading": "", "text": text, "lead_in": "", "flush": "",
            "valid_from": None, "valid_to": None, "parent_urn": urn.rpartition(":")[0], "applies_to": [applies_to],
            "reason": "r",
        }
    )  # fmt: skip


def answer(
    *blocks: Block, says: str = BAN, also: tuple[tuple[str, str], ...] = (), language: str = "en"
) -> tuple[list[tuple[str, bool]], list[str]]:
    """What an answer that says the first block's sentence, and perhaps others, comes to: texts, whether added; URNs."""
    context = ScopedContext(
        status="ok", targets=[SECTION], at_date=date(2026, 1, 1), digest="d", blocks=list(blocks), definitions=[],
        overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    evidence = evidence_of(context, "", language)
    drafted = [DraftClaim(text, (DraftCitation(urn, text),)) for urn, text in ((blocks[0].urn, says), *also)]
    served = [verify_claim(one, evidence) for one in drafted]
    assert {one.level for one in served} == {"VERBATIM"}
    claims, warnings = with_companions(served, context, evidence)
    return [(one.text, Reason.LIMITS in one.reasons) for one in claims], [one.message for one in warnings]


@requirement("P3")
@pytest.mark.parametrize(
    ("language", "says", "limit"),
    [
        ("en", BAN, "However, a vessel in distress may use any mooring."),
        ("en", BAN, "No licence is required for a vessel in distress."),
        ("en", BAN, "This section does not apply to a vessel in distress."),
        ("en", "The owner must return the deposit.", "The owner may keep it if the hirer has damaged the vessel."),
        ("fr", "Le bailleur doit rendre le dépôt.", "Toutefois, cette obligation ne s'applique pas aux meublés."),
        ("fr", "Le bailleur doit rendre le dépôt.", "Cette règle n'est pas applicable aux meublés."),
        ("de", "Der Mieter muss die Miete zahlen.", "Eine Mahnung ist nicht erforderlich."),
        ("de", "Der Mieter muss die Miete zahlen.", "Dies gilt nicht, wenn die Wohnung unbewohnbar ist."),
        ("ja", "何人も船を係留してはならない。", "ただし、遭難した船については、この限りでない。"),
    ],
)
def test_the_next_sentence_that_takes_something_back_follows_the_claim(language: str, says: str, limit: str) -> None:
    whole = block(1, RULE, f"{says} {limit} The fee is 20 dollars.")
    told, warned = answer(whole, says=says, language=language)
    assert told == [(says, False), (limit, True)]
    assert warned == []


@pytest.mark.parametrize(
    ("language", "says", "following"),
    [
        ("en", BAN, "The harbourmaster shall keep a list. However, it is secret."),
        ("fr", "Le bailleur doit rendre le dépôt.", "Le dépôt n'est pas un loyer."),
        ("de", "Der Mieter muss die Miete zahlen.", "Die Wohnung ist im Vertrag nicht beschrieben."),
    ],
)
def test_a_next_sentence_that_takes_nothing_back_does_not_follow(language: str, says: str, following: str) -> None:
    told, _ = answer(block(1, RULE, f"{says} {following}"), says=says, language=language)
    assert told == [(says, False)]


@requirement("P3")
@pytest.mark.parametrize(
    ("urn", "role", "text", "added"),
    [
        ("urn:lex:us:x:5:2", "rule", "Subsection (1) does not apply to a vessel in distress.", True),
        ("urn:lex:us:x:5:2", "exception", "Subsection (1) does not apply to a vessel in distress.", True),
        ("urn:lex:us:x:5:2:b", "rule", "Despite subsection (1), a council may use a mooring.", True),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 5, a council may use a mooring.", True),
        ("urn:lex:us:x:8", "rule", "Notwithstanding section 5, a council may use a mooring.", True),
        ("urn:lex:us-dc:y:8", "exception", "Notwithstanding 9 X.Y. 5, a council may use a mooring.", True),
        ("urn:lex:us:x:5:2", "rule", "Subsection (3) does not apply to a vessel in distress.", False),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 51, a council may use a mooring.", False),
        ("urn:lex:us:x:8", "exception", "Notwithstanding section 5.2, a council may use a mooring.", False),
        ("urn:lex:us:x:8", "rule", "Subsection (1) does not apply to a council.", False),
        ("urn:lex:us:x:8", "rule", "Section 5 shall be read with this section.", False),
        ("urn:lex:us-dc:y:8", "rule", "Notwithstanding section 5, a council may use a mooring.", False),
    ],
)
def test_what_sets_the_cited_provision_aside_by_name_follows_the_claim(
    urn: str, role: str, text: str, added: bool
) -> None:
    told, _ = answer(block(1, RULE, BAN), block(2, urn, text, role=role))
    assert told == [(BAN, False), *([(text, True)] if added else [])]


def test_what_the_answer_tells_anyway_is_not_told_twice() -> None:
    limit = "Subsection (1) does not apply to a vessel in distress."
    other = "urn:lex:us:x:5:2"
    told, _ = answer(block(1, RULE, BAN), block(2, other, limit), also=((other, limit),))
    assert told == [(BAN, False), (limit, False)]


def test_of_a_federal_rule_that_may_preempt_the_nearest_sentence_follows_the_claim() -> None:
    says = "A ferry may carry 150 passengers."
    federal = "A ticket is personal. No ferry shall carry more than 90 passengers."
    state = block(1, "urn:lex:us-or:f:1", says)
    told, _ = answer(state, block(2, "urn:lex:us:49x:1", federal, role="federal"), says=says)
    assert told == [(says, False), ("No ferry shall carry more than 90 passengers.", True)]
    elsewhere = block(2, "urn:lex:us:49x:1", federal, role="federal", applies_to="urn:lex:us:x:9")
    told, _ = answer(state, elsewhere, says=says)
    assert told == [(says, False)]


@requirement("P10")
def test_provisions_beyond_the_most_that_an_answer_takes_are_named() -> None:
    others = [
        block(one, f"urn:lex:us:x:5:{one}", f"Subsection (1) does not apply to a boat of kind {one}.")
        for one in range(2, MOST + 4)
    ]
    told, warned = answer(block(1, RULE, BAN), *others)
    assert len(told) == 1 + MOST
    assert len(warned) == 1
    assert all(one.urn in warned[0] for one in others[MOST:])
    assert others[0].urn not in warned[0].split()
