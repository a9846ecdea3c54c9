"""An answer on a terminal: what it lacks comes first, nothing is said twice, a refusal names what came nearest."""

from __future__ import annotations

import io
from datetime import date

from dump_traces import DEPOSIT, RENT, cite, make_context

from rag.answering.answer import Answer, Claim, Refusal
from rag.presentation.answers import show_answer
from rag.presentation.page import Page
from retrieval.model import ContextWarning

TREBLE = "A landlord who keeps a deposit in violation of this section is liable for three times its amount."


def shown(answer: Answer) -> str:
    out = io.StringIO()
    show_answer(Page(out), answer)
    return " ".join(one for one in out.getvalue().split() if one != ">")  # the bar of a quote, at every line


def answer(*warnings: ContextWarning, refusal: Refusal | None = None) -> Answer:
    cited = cite(f"{DEPOSIT}:c", TREBLE).model_copy(update={"heading": "Return of security deposits"})
    claim = Claim(text=TREBLE, level="VERBATIM", verdict="SUPPORTED", reasons=[], citations=[cited])
    return Answer(
        status="answered" if refusal is None else "refused", at_date=date(2026, 1, 1), targets=[DEPOSIT, RENT],
        claims=[claim] if refusal is None else [], withheld=[], unanswered=[], refusal=refusal,
        warnings=list(warnings), overrides=[], omitted=[], context_digest=None, prompt_digest=None,
        provider="extractive", model="none", label="", trace_id=None, context=make_context(),
    )  # fmt: skip


def test_a_weak_match_is_no_answer_in_the_first_line_and_its_warning_comes_first() -> None:
    weak = ContextWarning(kind="weak_match", message="It lacks “mould”.")
    others = [ContextWarning(kind="search", message="s."), ContextWarning(kind="budget", message="b.")]
    text = shown(answer(*others, weak))
    assert text.startswith("Places to look, law at 2026-01-01")
    assert text.index("“mould”") < text.index("budget") < text.index("Search: s.") < text.index(TREBLE)
    assert shown(answer(*others)).startswith("Answered, law at 2026-01-01")


def test_what_is_said_of_several_provisions_is_said_once() -> None:
    start = [
        ContextWarning(kind="unknown_start", message="It does not say since when.", urn=one) for one in (RENT, DEPOSIT)
    ]
    text = shown(answer(*start))
    assert text.count("It does not say since when.") == 1
    assert f"({RENT}, {DEPOSIT})" in text


def test_a_sentence_of_the_law_is_printed_once_under_its_heading() -> None:
    text = shown(answer())
    assert text.count(TREBLE) == 1
    assert f"{DEPOSIT}:c Return of security deposits" in text


def test_a_paraphrase_is_printed_beside_the_words_it_rests_on() -> None:
    free = Claim(
        text="Three times the deposit is owed.", level="CHECKED", verdict="SUPPORTED", reasons=[],
        citations=[cite(f"{DEPOSIT}:c", TREBLE)],
    )  # fmt: skip
    text = shown(answer().model_copy(update={"claims": [free]}))
    assert free.text in text
    assert text.count("three times its amount") == 1


def test_a_refusal_names_what_came_nearest_with_its_heading() -> None:
    text = shown(answer(refusal=Refusal(reason="insufficient_context", message="Nothing answers.")))
    assert f"{DEPOSIT} Return of security deposits {RENT} Increases of rent" in text
    assert "came nearest, which does" not in shown(answer(refusal=Refusal(reason="model_declined", message="No.")))
