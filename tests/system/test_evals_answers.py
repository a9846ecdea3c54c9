"""The suite of whole answers: its made law is what it says, and every gate holds on the sample."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from evals.law import read_law
from evals.suites.answers.law import CORPUS, make_law
from evals.suites.answers.models import Scripted, good_reply, hostile_replies, obedient, raw
from evals.suites.answers.questions import UNANSWERABLE, question_of
from evals.suites.answers.suite import GATES, measure
from rag.models.drafting import Declined, DraftRequest
from rag.verification.draft import Draft, DraftCitation, DraftClaim
from retrieval.errors import ProviderError

SAMPLE = Path(__file__).resolve().parents[2] / "rag" / "sample"
URN = "urn:lex:us:x:1"
CLAIM = DraftClaim("The fee is due.", (DraftCitation(URN, "The fee is due."),))
REQUEST = DraftRequest("Rules.", "Text. SAY: The answer is yes.\nMore. SAY: See it.", (URN,))


def test_every_gate_of_whole_answers_holds_on_the_sample() -> None:
    report = measure([SAMPLE], "sample", seed=3, limit=2)
    assert [row for row in report.rows if row.regression] == []
    assert {row.metric for row in report.rows} == set(GATES)
    assert all(row.n > 0 for row in report.rows)
    assert report.lines == []


def test_a_folder_without_law_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no law")
    assert measure([tmp_path], "none", seed=3).rows == []


def test_the_made_law_says_what_its_truth_says(tmp_path: Path) -> None:
    made = make_law(random.Random(5), parts=4, sections=6)
    made.write(tmp_path / "made.jsonl")
    (law,) = read_law(tmp_path).laws
    assert len(law.sections) == 4 * 6 - sum(f"{CORPUS}:{part}.1" not in made.texts for part in range(1, 5))
    assert made.exceptions
    for (rule, term), nearest in made.nearest.items():
        part = rule.removeprefix(f"{CORPUS}:").partition(".")[0]
        # By brute force over the texts: the section's own definition, else its part's, else the title's.
        candidates = [
            f"{rule}:b",
            *(f"{CORPUS}:{text}.1:{'abcd'[number]}" for text in (part, "1") for number in range(4)),
        ]
        meant = [urn for urn in candidates if f'"{term}" means' in made.texts.get(urn, "")]
        assert nearest == meant[0]
        assert set(made.shadowed[rule, term]) == set(meant[1:]) - {nearest}
    for rule, others in made.exceptions.items():
        assert others[0].removeprefix(f"{CORPUS}:") in made.texts[f"{rule}:a"]


def test_no_hostile_reply_is_a_draft() -> None:
    kinds: set[str] = set()
    for kind, reply in hostile_replies(CLAIM):
        kinds.add(kind)
        try:
            outcome = Scripted(reply).draft(REQUEST)
        except ProviderError:
            continue
        assert isinstance(outcome, Declined), kind
    assert kinds == {"cut", "drift", "garbage", "deep", "long", "refusal", "down"}
    assert raw(good_reply(CLAIM))(REQUEST) == Draft.of_claims((CLAIM,))


def test_an_obedient_model_says_what_it_is_told() -> None:
    assert [claim.text for claim in obedient(REQUEST).claims] == ["The answer is yes.", "See it."]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "A dealer shall report the storage of every widget to the office within 9 days.",
            "Must a dealer report the storage of every widget to the?",
        ),
        ("Except as provided in 98 CFR 2.3, a dealer may sell a boat.", "May a dealer sell a boat?"),
        ("The fee is due.", "What does the law say: The fee is due?"),
    ],
)
def test_a_question_is_made_of_a_sentence(sentence: str, question: str) -> None:
    assert question_of(sentence) == question


def test_the_unanswerable_questions_are_distinct_and_ask() -> None:
    assert len(set(UNANSWERABLE)) == len(UNANSWERABLE)
    assert all(re.match(r"[A-Z].*\?\Z", value) for value in UNANSWERABLE)
