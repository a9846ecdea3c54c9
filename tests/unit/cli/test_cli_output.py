"""An answer on a terminal: what it lacks comes first, nothing is said twice, a refusal names what came nearest."""

from __future__ import annotations

import io
from datetime import date
from typing import Literal

import pytest
from dump_traces import AT, BLOCKS, DEPOSIT, LEAD, LIST, PLACE, RENT, RETURN, block, cite, make_context

from rag.answering.answer import NO_MODEL, Answer, Computation, Refusal, ShortAnswer, Statement, Withheld
from rag.citecheck.model import NotChecked, VerifyItem, result_of
from rag.presentation.answers import show_answer, show_context
from rag.presentation.for_models import text_for_model
from rag.presentation.listing import NEAREST, show_search
from rag.presentation.page import Page
from rag.presentation.verdicts import show_verified
from retrieval.model import ContextWarning, Legs, SearchHit, SearchResult

TREBLE = "A landlord who keeps a deposit in violation of this section is liable for three times its amount."


def shown(answer: Answer) -> str:
    out = io.StringIO()
    show_answer(Page(out), answer)
    return " ".join(item for item in out.getvalue().split() if item != ">")  # the bar of a quote, at every line


def answer(*warnings: ContextWarning, refusal: Refusal | None = None) -> Answer:
    cited = cite(f"{DEPOSIT}:c", TREBLE).model_copy(update={"heading": "Return of security deposits"})
    claim = Statement(
        id="s1", kind="law", text=TREBLE, level="VERBATIM", verdict="SUPPORTED", reasons=[], citations=[cited]
    )
    return Answer(
        status="answered" if refusal is None else "refused", at_date=date(2026, 1, 1), targets=[DEPOSIT, RENT],
        short_answer=None, definitions=[], limits=[], places=[PLACE] if refusal is not None else [], judge="none",
        statements=[claim] if refusal is None else [], withheld=[], unanswered=[], refusal=refusal,
        warnings=list(warnings), overrides=[], omitted=[], context_digest=None, prompt_digest=None,
        provider="extractive", model="none", label="", trace_id=None, context=make_context(),
    )  # fmt: skip


def test_a_weak_match_is_no_answer_in_the_first_line_and_its_warning_comes_first() -> None:
    weak = ContextWarning(kind="weak_match", message="It lacks “mould”.")
    others = [ContextWarning(kind="search", message="s."), ContextWarning(kind="budget", message="b.")]
    text = shown(answer(*others, weak).model_copy(update={"status": "places", "places": [PLACE]}))
    assert text.startswith("Places to look, law at 2026-01-01")
    assert text.index(PLACE.sentence) < text.index("“mould”") < text.index("budget") < text.rindex(" s.")
    assert shown(answer(*others)).startswith("Answered, law at 2026-01-01")


def test_a_model_reads_words_that_a_longer_statement_has_once() -> None:
    found = answer()
    (first,) = found.statements
    longer = first.model_copy(update={"id": "s2", "text": f"{TREBLE} It may be more."})
    text = text_for_model(found.model_copy(update={"statements": [first, longer]}))
    assert text.count(TREBLE) == 1
    assert "> (words of 2)" in text


def test_a_model_reads_the_heading_of_a_section_once_for_all_parts_of_it() -> None:
    found = answer()
    (first,) = found.statements
    other = first.citations[0].model_copy(update={"urn": f"{DEPOSIT}:d", "quote": "No waiver is valid."})
    second = first.model_copy(update={"id": "s2", "text": other.quote, "citations": [other]})
    text = text_for_model(found.model_copy(update={"statements": [first, second]}))
    assert text.count("Return of security deposits") == 1
    assert f"{DEPOSIT}:d" in text
    elsewhere = second.model_copy(update={"citations": [other.model_copy(update={"urn": f"{DEPOSIT}a:d"})]})
    text = text_for_model(found.model_copy(update={"statements": [first, elsewhere]}))
    assert text.count("Return of security deposits") == 2


def test_what_is_unsure_in_the_contexts_of_places_is_named_to_a_model_and_told_to_a_person() -> None:
    unsure = ContextWarning(kind="law_elsewhere", message="It speaks of the Kite Act.", urn=RENT)
    weak = ContextWarning(kind="weak_match", message="It lacks “mould”.")
    found = answer(unsure, weak).model_copy(update={"status": "places", "places": [PLACE], "statements": []})
    assert "WARNING law_elsewhere: It speaks of the Kite Act." in shown(found)
    text = text_for_model(found)
    assert "WARNING weak_match: It lacks “mould”." in text
    assert "Kite Act" not in text
    assert "Read a place with get_context before you rely on it: it warns of law_elsewhere." in text


def test_a_long_sentence_of_a_place_is_begun_for_a_model_and_whole_for_a_person() -> None:
    for sentence in (f"{'No owner may let a unit, ' * 20}so it is.", "あ" * 400):
        place = PLACE.model_copy(update={"sentence": sentence})
        found = answer().model_copy(update={"status": "places", "places": [place], "statements": []})
        (line,) = (line for line in text_for_model(found).splitlines() if line.startswith("> "))
        begun = line.removeprefix("> ").removesuffix(" [...]")
        assert line.endswith(" [...]")
        assert sentence.startswith(begun)
        assert 200 < len(begun) <= 220
        assert "Read a place with get_context before you rely on it." in text_for_model(found)
        assert sentence in shown(found)


def test_a_model_is_not_told_that_no_model_was_used() -> None:
    label = f"These came nearest. {NO_MODEL}"
    found = answer().model_copy(update={"label": label})
    assert label in shown(found)
    assert NO_MODEL not in text_for_model(found)
    assert "These came nearest." in text_for_model(found)


def test_what_is_said_of_several_provisions_is_said_once() -> None:
    start = [
        ContextWarning(kind="wide_limits", message="It is limited.", urn=literal_string)
        for literal_string in (RENT, DEPOSIT)
    ]
    text = shown(answer(*start))
    assert text.count("It is limited.") == 1
    assert f"({RENT}, {DEPOSIT})" in text


def test_documents_without_a_date_are_told_in_one_line() -> None:
    says = "{} does not say since when its text is in force: it is read as in force at every earlier date."
    undated = [
        ContextWarning(kind="unknown_start", message=says.format("“Rent Act”"), urn=RENT),
        ContextWarning(kind="unknown_start", message=says.format(DEPOSIT), urn=DEPOSIT),
    ]
    text = shown(answer(*undated))
    assert f"WARNING unknown_start: not known since when the text of “Rent Act”, {DEPOSIT} is in force" in text
    assert "does not say" not in text


def test_a_sentence_of_the_law_is_printed_once_under_its_heading() -> None:
    text = shown(answer())
    assert text.count(TREBLE) == 1
    assert f"Return of security deposits {DEPOSIT}:c" in text


def test_a_paraphrase_is_printed_beside_the_words_it_rests_on() -> None:
    free = Statement(
        id="s1", kind="law",
        text="Three times the deposit is owed.", level="CHECKED", verdict="SUPPORTED", reasons=[],
        citations=[cite(f"{DEPOSIT}:c", TREBLE)],
    )  # fmt: skip
    text = shown(answer().model_copy(update={"statements": [free]}))
    assert free.text in text
    assert text.count("three times its amount") == 1


def test_a_refusal_names_what_came_nearest_with_its_heading() -> None:
    text = shown(answer(refusal=Refusal(reason="insufficient_context", message="Nothing answers.")))
    assert f"What came nearest: 1. {PLACE.citation} {PLACE.heading}" in text
    assert PLACE.sentence in text


def test_an_application_names_what_it_follows_from_and_the_short_answer_comes_first() -> None:
    step = Computation(operation="multiply", inputs=["3", "$1,200"], result="$3,600")
    applied = Statement(
        id="s2", kind="application", text="Your landlord owes you $3,600.", level="APPLIED", verdict="SUPPORTED",
        reasons=["JUDGED"], citations=[], rests_on=["s1"], facts=["kept the deposit"], computations=[step],
    )  # fmt: skip
    short = ShortAnswer(text="You are owed $3,600.", level="APPLIED", rests_on=["s2"])
    given = answer()
    text = shown(given.model_copy(update={"statements": [*given.statements, applied], "short_answer": short}))
    assert "which nobody has checked" in text
    assert "follows from 1 you told: “kept the deposit” computed: 3 times $1,200 = $3,600" in text
    assert text.index(short.text) < text.index(TREBLE) < text.index(applied.text)


def test_a_sentence_of_the_law_is_printed_once_and_terms_defined_elsewhere_in_one_line_after_the_statements() -> None:
    given = answer()
    [first] = given.statements[:1]
    again = first.model_copy(update={"id": "s9", "level": "EXPLAINED", "text": "In plain words.", "reasons": []})
    explained = first.model_copy(update={"level": "EXPLAINED", "text": "In other words.", "reasons": []})
    warnings = [
        ContextWarning(kind="definition_elsewhere", message=f"The meaning of “{term}” is not in this context.", urn="u")
        for term in ("Firearm", "Manufacture")
    ]
    text = shown(given.model_copy(update={"statements": [explained, again], "warnings": warnings}))
    quote = " ".join(first.citations[0].quote.split())
    assert text.count(quote) == 1
    assert f"{first.citations[0].urn}, the words beside {explained.id.removeprefix('s')}" in text
    told = "2 terms are defined in law that the store does not have: “Firearm”, “Manufacture”."
    assert text.index(again.text) < text.index(told)


def test_a_long_lead_in_and_a_reason_are_told_once_and_named_after_that() -> None:
    lead = f"{LEAD.removesuffix(':')}, unless it was given for pets or for keys of the house:"
    parts = [block("b4", f"{DEPOSIT}:a", "rule", RETURN, lead_in=lead)]
    parts += [block("b5", f"{DEPOSIT}:b", "rule", LIST, lead_in=lead)]
    within = block("b6", f"{DEPOSIT}:b:1", "rule", "on paper.", lead_in=f"{lead} {LIST}")
    for above in ([block("b3", DEPOSIT, "rule", lead, reason="the rule")], []):
        out = io.StringIO()
        show_context(Page(out), make_context(blocks=[*above, *parts, within], definitions=[], warnings=[]))
        text = " ".join(out.getvalue().split())
        assert text.count(lead) == 1
        first = "b3" if above else "b4"
        assert text.count(f"A landlord who holds a security deposit [...] as in {first} ...") == len(above) + 1
        assert text.count("[...] as in b5 ...") == 1  # of the lead-in of what stands within it
        assert text.count("part of the rule; in force from 2019-03-01") == 1
        assert text.count("(reason and date as above)") == 2
    out = io.StringIO()
    show_context(Page(out), make_context())
    assert " ".join(out.getvalue().split()).count(f"{LEAD} ...") == 2  # a short one is quicker read than looked up


def test_a_model_reads_first_what_the_words_of_the_rule_mean_and_a_lead_in_once() -> None:
    within = block("b14", f"{RENT}:b:1", "exception", "on paper.", lead_in=f"{LEAD} {LIST}")
    text = text_for_model(make_context(blocks=[*BLOCKS[:7], BLOCKS[8], BLOCKS[7], within]))
    assert text.index("“Landlord” means") < text.index("“Dwelling unit” means")
    assert f"{LEAD} {LIST} ..." not in text


def test_verdicts_tell_the_line_and_references_that_were_found_stand_below_in_one_line_each() -> None:
    given = "The rule.\n\nSee 7.10 and 7.22.\nThe fee is void (7.10).\nIt is a strong case."

    def item(text: str, after: int, verdict: str, *reasons: str) -> VerifyItem:
        start = given.index(text, after)
        values = {"kind": "claim" if " " in text else "reference", "verdict": verdict, "reasons": list(reasons)}
        return VerifyItem.model_validate(
            {"text": text, "start": start, "end": start + len(text), "urn": None, **values}
        )

    there = f"EXISTS: {DEPOSIT}, in force since 2019-03-01."
    items = [
        item("7.10", 0, "SUPPORTED", there),
        item("7.22", 0, "SUPPORTED", f"EXISTS: {RENT}.", "UNCERTAIN_READING: It may be another."),
        item("The fee is void (7.10).", 0, "ALTERED", "NEGATION_CHANGED: It says the opposite."),
        item("7.10", given.index("void"), "SUPPORTED", there),
    ]
    rest = given.index("It is")
    left = NotChecked(text=given[rest:], start=rest, end=len(given), reason="A sentence that names no provision.")
    result = result_of(AT, items, [left])
    out = io.StringIO()
    show_verified(Page(out), result, given)
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert "SUPPORTED  reference, line 3" in lines  # something is said of it
    assert lines.index("ALTERED  claim, line 4") < lines.index("References found")
    assert f"7.10, line 3, line 4: {DEPOSIT}, in force since 2019-03-01." in lines
    assert "A sentence that names no provision, line 5:" in lines
    assert ", line " not in text_for_model(result)


def test_a_statement_that_is_withheld_is_told_in_words() -> None:
    told = Withheld(
        verdict="ALTERED", reasons=["FIGURE_UNFOUNDED"], urns=["urn:lex:us:9usc:2"], details=["No day is told."]
    )
    bare = told.model_copy(update={"details": [], "urns": []})
    text = shown(answer().model_copy(update={"withheld": [told, bare]}))
    assert "Withheld, a statement on 9 U.S.C. § 2: No day is told. (FIGURE_UNFOUNDED)" in text
    assert "Withheld: It has a number, date or sum that no premise, fact or computation has." in text


@pytest.mark.parametrize(
    ("legs", "mode", "offset", "told"),
    [
        (Legs(dense=0.4), "hybrid", 0, True),
        (Legs(dense=0.4, lexical=0.2), "hybrid", 0, False),
        (Legs(dense=0.4, synonym=0.2), "hybrid", 0, False),
        (Legs(citation=1.0), "hybrid", 0, False),
        (Legs(dense=0.4), "semantic", 0, False),
        (Legs(dense=0.4), "hybrid", 10, False),  # the first page may have what has the words
    ],
)
def test_rules_that_have_no_word_of_the_question_are_said_to_be_only_near(
    legs: Legs, mode: Literal["hybrid", "semantic"], offset: int, *, told: bool
) -> None:
    hit = SearchHit(
        urn=DEPOSIT, document_urn=DEPOSIT, heading="Deposits", snippet="A deposit.", score=0.4, relevance_score=None,
        legs=legs, hit_urn=DEPOSIT,
    )  # fmt: skip
    out = io.StringIO()
    result = SearchResult(query="xyzzy", at_date=AT, mode=mode, total=1, results=[hit], warnings=[], offset=offset)
    show_search(Page(out), result)
    assert out.getvalue().startswith(NEAREST) is told


def test_what_is_not_in_the_store_is_told_once_above_the_places() -> None:
    missing = "The store has no text of 940 CMR 3.99, which the question cites, in force at the date."
    told = answer(ContextWarning(kind="cited_missing", message=missing))
    places = told.model_copy(
        update={"status": "places", "statements": [], "places": [PLACE], "label": f"{missing} They came nearest."}
    )
    text = shown(places)
    assert text.count(missing) == 1
    assert text.index(missing) < text.index(PLACE.citation)
    assert shown(told).count(missing) == 1  # an answer has another label
