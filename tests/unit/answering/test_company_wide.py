"""What reaches a whole chapter or law, and conditions that hold together, are told whole and shortly."""

from __future__ import annotations

from datetime import date

import pytest
from company_cases import BAN, RULE, SECTION, answer, block
from requirements import requirement

from rag.answering.limits.provisions import MOST_WIDE, Grounds, with_companions
from rag.answering.synthesis import evidence_of
from rag.verification.claims import verbatim_fallback, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import Reason
from retrieval.model import ScopedContext

CHAPTER = "urn:lex:us:x:chapter_3"


@requirement("P3")
def test_what_reaches_a_whole_chapter_is_told_once_after_all_claims() -> None:
    other, wide = "The harbormaster keeps the list.", "This chapter does not apply to vessels of the state."
    near = "However, a vessel in distress may use any mooring."
    told, warned = answer(
        block(1, RULE, f"{BAN} {near}"),
        block(2, "urn:lex:us:x:5:3", other),
        block(3, "urn:lex:us:x:9:1", wide, role="exception"),
        also=(("urn:lex:us:x:5:3", other),),
    )
    assert told == [(BAN, False), (near, True), (other, False), (wide, True)]
    assert warned == []


@requirement("P10")
@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("This chapter does not apply to vessels of the state.", True),
        (f"This chapter does not apply to vessels of the state, {'of a city, ' * 30}or of a county.", False),
        ("Sales under this subsection are exempt from this chapter.", False),
        ("This chapter does not apply to:", False),
    ],
)
def test_a_long_or_leaning_sentence_about_a_whole_chapter_is_named_and_not_quoted(text: str, quoted: bool) -> None:
    nine = "urn:lex:us:x:9:1"
    told, warned = answer(block(1, RULE, BAN), block(2, nine, text, role="exception"))
    assert [said for said, _ in told[1:]] == ([text] if quoted else [])
    assert [nine in text for text in warned] == ([] if quoted else [True])


@requirement("P10")
def test_of_sentences_about_a_whole_chapter_those_nearest_to_the_claims_are_told_and_the_others_named() -> None:
    texts = ["vessels of kind 1", "moorings used without a licence", "vessels of kind 2", "a mooring of a person"]
    blocks = [
        block(2 + at, f"urn:lex:us:x:{9 + at}:1", f"This chapter does not apply to {text}.", role="exception")
        for at, text in enumerate(texts)
    ]
    told, warned = answer(block(1, RULE, BAN), *blocks)
    assert [said for said, _ in told] == [BAN, *(blocks[at].text for at in (1, 3))]
    assert len(told) == 1 + MOST_WIDE
    assert [[block_.urn in warned[0] for block_ in blocks]] == [[True, False, True, False]]


@pytest.mark.parametrize(
    ("text", "told_of"),
    [
        ("Chapter 3 of this title does not apply to vessels of the state.", True),
        ("Chapters 2, 3 and 4 do not apply to vessels of the state.", True),
        ("Chapter 31 does not apply to vessels of the state.", False),
        ("Sections 40 and 41 of this title do not apply to vessels of the state.", False),
        ("Section 40(b) of this chapter does not apply to vessels of the state.", False),
        ("The provisions of this title do not apply to vessels of the state.", True),
        ("These Regulations shall not apply to vessels of the state.", True),
        ("This Order does not apply to vessels of the state.", True),
        ("These vessels do not apply for a berth, which does not apply to the state.", False),
    ],
)
def test_a_chapter_is_named_by_its_number_and_not_by_a_section_in_it(text: str, told_of: bool) -> None:
    above = block(3, CHAPTER, "", role="ancestor")
    told, warned = answer(block(1, RULE, BAN), block(2, "urn:lex:us:x:77:1", text, role="exception"), above)
    assert told == [(BAN, False), *([(text, True)] if told_of else [])]
    assert warned == []


def test_what_prevails_over_a_whole_law_in_the_same_section_limits_whatever_it_is_about() -> None:
    limit = "Notwithstanding any other provision of this title, nobody need disclose a religion."
    told, _ = answer(block(1, RULE, BAN), block(2, "urn:lex:us:x:5:3", limit))
    assert told == [(BAN, False), (limit, True)]


@requirement("P3")
@pytest.mark.parametrize(
    ("cited", "limit", "follows"),
    [
        ("l231-1", "Par dérogation à l'article L. 231-1, le silence vaut rejet.", True),
        ("l231-1", "Par dérogation à l'article L.231-1, le silence vaut rejet.", True),
        ("r311-10", "L'article R. 311-10 ne s'applique pas aux communes.", True),
        ("lo141", "L'article LO 141 ne s'applique pas aux communes.", True),
        ("l231-1", "Par dérogation à l'article L. 231-12, le silence vaut rejet.", False),
        ("l231-1", "Par dérogation à l'article R. 231-1, le silence vaut rejet.", False),
    ],
)
def test_the_letter_of_a_french_article_is_read_as_texts_write_it(cited: str, limit: str, follows: bool) -> None:
    says = "Le silence vaut acceptation."
    told, _ = answer(
        block(1, f"urn:lex:fr:code-y:{cited}", says),
        block(2, "urn:lex:fr:code-y:l231-4", limit, role="exception"),
        says=says,
        language="fr",
    )
    assert told == [(says, False), *([(limit, True)] if follows else [])]


@requirement("P3")
@pytest.mark.parametrize(
    ("language", "opens", "items", "alone"),
    [
        ("en", "A vessel is exempt, provided:", ("it has one owner; and", "it has no engine."), False),
        ("en", "A vessel is exempt if:", ("it has one owner; or", "it has no engine."), True),
        ("en", "A vessel is exempt as long as—", ("it has one owner;", "it has no engine; and", "it floats."), False),
        ("en", "A vessel is exempt where each of the following holds:", ("it floats;", "it has no engine."), False),
        ("en", "A vessel shall satisfy each of the following:", ("it floats;", "it has no engine."), False),
        ("en", "No vessel may moor unless:", ("it is in distress; or", "it has a licence."), False),
        ("en", "Every vessel shall pay except:", ("a vessel in distress;", "a vessel of the state."), False),
        ("en", "A fee is due; provided, however, that:", ("it is small; and", "it is paid."), False),
        ("en", "The fee shall not exceed the lesser of:", ("20 dollars, and", "a day's rent."), False),
        ("en", "The harbormaster shall:", ("keep a list; and", "hear complaints."), True),
        ("en", "If a vessel is late, the owner shall:", ("pay the fee; and", "move the vessel."), True),
        ("fr", "Le navire est exempté si :", ("il a un seul propriétaire ; et", "il n'a pas de moteur."), False),
        ("fr", "Le navire paie sauf :", ("en cas de détresse ;", "en cas de grève."), False),
        ("de", "Das Schiff ist befreit, wenn", ("es einen Eigentümer hat und", "es keinen Motor hat."), False),
        ("ja", "次の各号のいずれにも該当する船は、", ("係留中の船", "動力のない船"), False),
    ],
)
def test_one_condition_of_several_and_one_exception_come_with_their_whole_list(
    language: str, opens: str, items: tuple[str, ...], alone: bool
) -> None:
    parent = block(1, RULE, opens)
    parts = [block(2 + at, f"{RULE}:{at}", text, lead_in=opens) for at, text in enumerate(items)]
    context = ScopedContext(
        status="ok", targets=[SECTION], at_date=date(2026, 1, 1), digest="d", blocks=[parent, *parts], definitions=[],
        overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    evidence = evidence_of(context, language)
    cited = DraftCitation(parts[0].urn, parts[0].text)
    draft = DraftClaim(f"{opens} {items[0]}", (cited,))
    checked = verify_claim(draft, evidence)
    assert (checked.level, Reason.LIST_INCOMPLETE in checked.reasons) == (
        ("VERBATIM", False) if alone else ("WITHHELD", True)
    )
    served = checked if alone else verbatim_fallback(draft, evidence)
    assert served is not None
    claims, warnings = with_companions([served], Grounds(context, evidence))
    assert [claim.text for claim in claims] == [f"{opens} {items[0]}" if alone else " ".join((opens, *items))]
    assert [len(claim.citations) for claim in claims] == [1 if alone else len(items)]
    assert [claim.limited for claim in claims] == [False]
    assert warnings == []


@requirement("P10")
def test_conditions_too_long_to_be_told_together_are_named() -> None:
    opens = "A vessel is exempt, provided:"
    items = [f"it has {at} {'very ' * 200}owners; and" for at in range(8)]
    parts = [block(2 + at, f"{RULE}:{at}", text, lead_in=opens) for at, text in enumerate(items)]
    context = ScopedContext(
        status="ok", targets=[SECTION], at_date=date(2026, 1, 1), digest="d", blocks=[block(1, RULE, opens), *parts],
        definitions=[], overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    evidence = evidence_of(context, "en")
    served = verify_claim(DraftClaim(f"{opens} {items[0]}", (DraftCitation(parts[0].urn, items[0]),)), evidence)
    claims, warnings = with_companions([served], Grounds(context, evidence))
    assert [claim.text for claim in claims] == [served.text]
    assert Reason.LIST_GOES_ON in served.reasons
    assert served.limited
    assert all(part.urn in warnings[0].message for part in parts)
