"""The recorded answers: what stands in the file, how it is graded, and that a stale one fails."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.measures import kappa
from evals.suites.answers.models import good_reply
from evals.suites.recorded.altered import Altered, read_altered, served_altered
from evals.suites.recorded.suite import ANSWERS, Built, Entry, Grade, Report, count_entry, read_entries
from rag.answering.prompts import Prompt
from rag.answering.synthesis import evidence_of
from rag.models.drafting import parse_draft
from rag.models.replay import ReplayedModel, prompt_key
from rag.verification.draft import DraftCitation, DraftClaim
from retrieval.errors import ConfigurationError
from retrieval.model import Block, ScopedContext

URN = "urn:lex:us:tc:1"
TEXT = "No landlord shall enter the dwelling unit without notice."
GRADE = Grade(answer="correct", grounding="grounded", claims=[True])


def test_there_are_sixty_answers_over_four_corpora_and_every_kind_of_question() -> None:
    entries = read_entries()
    assert len(entries) >= 60
    assert len({entry.prompt_sha256 for entry in entries}) == len(entries)
    assert {entry.kind for entry in entries} == {"answerable", "unanswerable", "override", "shadowing", "date"}
    assert len({entry.source for entry in entries}) == 4
    assert all("not by an API call" in entry.produced for entry in entries)


def test_every_recorded_reply_is_a_draft_and_is_graded_twice_claim_by_claim() -> None:
    for entry in read_entries():
        claims = parse_draft(entry.reply).claims
        assert len(entry.grades) == 2
        assert all(len(grade.claims) == len(claims) for grade in entry.grades), entry.id
        assert all((grade.answer == "refusal") >= (not claims) for grade in entry.grades), entry.id
        assert all(claim.citations for claim in claims), entry.id


@pytest.mark.parametrize(
    ("answer", "grounding", "label"),
    [
        ("correct", "grounded", "accurate"),
        ("correct", "misgrounded", "hallucinated"),
        ("incorrect", "grounded", "hallucinated"),
        ("correct", "ungrounded", "incomplete"),
        ("refusal", "grounded", "incomplete"),
        ("refusal", "ungrounded", "incomplete"),
    ],
)
def test_the_labels_are_those_of_the_study(answer: str, grounding: str, label: str) -> None:
    assert Grade.model_validate({"answer": answer, "grounding": grounding, "claims": []}).label == label


LABELS = st.sampled_from(["accurate", "incomplete", "hallucinated"])


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30))
def test_kappa_is_agreement_beyond_chance(pairs: list[tuple[str, str]]) -> None:
    n = len(pairs)
    agreed = sum(one == other for one, other in pairs) / n
    chance = sum(one == other for one, _ in pairs for _, other in pairs) / (n * n)
    found = kappa(pairs)
    assert found == pytest.approx(1.0 if chance == 1.0 else (agreed - chance) / (1 - chance))
    assert found == pytest.approx(kappa([(other, one) for one, other in pairs]))


def built(text: str, *, stale: bool = False, grade: Grade = GRADE) -> Built:
    """An entry over one invented rule, as today's prompt has it or as another one had."""
    block = Block(
        id="b1", urn=URN, role="rule", heading="", text=TEXT, lead_in="", flush="", valid_from=None, valid_to=None,
        parent_urn=None, applies_to=[URN], reason="the rule",
    )  # fmt: skip
    context = ScopedContext(
        status="ok", targets=[URN], at_date=date(2026, 1, 1), digest="c" * 64, blocks=[block], definitions=[],
        overrides=[], warnings=[], omitted=[],
    )  # fmt: skip
    prompt = Prompt("Rules.", f"The law: {TEXT}", "", "d" * 64, "===")
    claim = DraftClaim(text, (DraftCitation(URN, TEXT),))
    reply = good_reply(claim)
    key = prompt_key(prompt.instructions, prompt.input)
    entry = Entry(
        id="x-1", source="x", kind="answerable", target=URN, at_date=context.at_date, question="May I?", provider="p",
        model="m", params={}, produced="here", prompt_sha256="0" * 64 if stale else key, context_sha256=context.digest,
        law_sha256="",
        reply=reply, grades=[grade, grade],
    )  # fmt: skip
    return Built(entry, context, "en", prompt)


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (built(TEXT), {"entries": 1, "graded": 1, "accurate": 1, "true": 1}),
        (built(TEXT, stale=True), {"entries": 1, "stale": 1}),
        (built("Landlords need notice."), {"entries": 1, "graded": 1, "accurate": 1, "true": 1, "flagged": 1}),
        (
            built(TEXT, grade=GRADE.model_copy(update={"claims": [False]})),
            {"entries": 1, "graded": 1, "accurate": 1, "false": 1, "misleading_verbatim": 1},
        ),
        (
            built(
                "No landlord must enter the dwelling unit without notice.",
                grade=GRADE.model_copy(update={"claims": [False]}),
            ),
            {"entries": 1, "graded": 1, "accurate": 1, "false": 1, "false_served": 1},
        ),
        (
            built("Under section 13 no landlord shall enter the dwelling unit without notice."),
            {"entries": 1, "graded": 1, "accurate": 1, "true": 1, "flagged": 1, "told_altered": 1},
        ),
    ],
    ids=["served", "stale", "flagged", "false verbatim", "false", "told altered"],
)
def test_an_answer_is_counted_by_what_the_verifier_does_and_a_stale_one_as_stale(
    one: Built, expected: dict[str, int]
) -> None:
    counts: Counter[str] = Counter()
    count_entry(one, ReplayedModel.of([one.entry]), counts, Report())
    assert {name.partition(":")[2]: count for name, count in counts.items() if name.startswith("all:")} == expected


def test_the_file_of_answers_is_where_the_readme_of_it_is() -> None:
    told = (ANSWERS.parent / "README.md").read_text(encoding="utf-8")
    assert "none came from an API call" in told


def test_there_are_sixty_altered_claims_and_each_alters_a_recorded_one() -> None:
    answers = {entry.id: parse_draft(entry.reply).claims for entry in read_entries()}
    altered = read_altered()
    assert sum(map(len, altered.values())) >= 60
    for name, changed in altered.items():
        for one in changed:
            assert one.text != answers[name][one.claim - 1].text


def test_an_altered_claim_that_is_served_is_told() -> None:
    one = built(TEXT)
    draft = parse_draft(one.entry.reply)
    evidence = evidence_of(one.context, "en")
    harmless = Altered(
        id="x-1", claim=1, change="nothing", text="A landlord must not enter the dwelling unit without notice."
    )
    caught = Altered(
        id="x-1", claim=1, change="negation", text="A landlord must enter the dwelling unit without notice."
    )
    assert served_altered([harmless, caught], draft, evidence) == [harmless]
    with pytest.raises(ConfigurationError, match="claim 2"):
        served_altered([caught.model_copy(update={"claim": 2})], draft, evidence)


def test_a_bad_line_of_altered_claims_is_named(tmp_path: Path) -> None:
    file = tmp_path / "altered.jsonl"
    file.write_text('{"id": "x", "claim": 0, "change": "c", "text": "t"}\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"altered.jsonl:1 .*claim"):
        read_altered(file)
