"""What a rule prevails over by its own words is named once, on every face, beside the provision that says so."""

from __future__ import annotations

import io
from datetime import date

import pytest

from rag.answering.limits.overridden import overridden_by, overridden_lines
from rag.answering.prompts import build_prompt
from rag.presentation.answers import show_context
from rag.presentation.for_models import text_for_model
from rag.presentation.page import Page
from retrieval.model import Block, PrevailsOver, ScopedContext

ROOT = "urn:lex:us-dc:code"
RULE, FEES = f"{ROOT}:42-3502.05", f"{ROOT}:42-3502.06"


def over(urn: str = FEES, by: str = RULE, *, in_force: bool = True) -> PrevailsOver:
    return PrevailsOver(
        urn=urn, heading="Fees" if in_force else "", path="", in_force=in_force, by=by, reference="section 206",
        applies_to=[RULE],
    )  # fmt: skip


def context(*found: PrevailsOver) -> ScopedContext:
    above: list[tuple[str, str | None]] = [(ROOT, None), (RULE, ROOT), (f"{RULE}:a", RULE), (f"{RULE}:b", RULE)]
    blocks = [
        Block(
            id=f"b{number}", urn=urn, role="rule", heading="", text="Words.", lead_in="", flush="", valid_from=None,
            valid_to=None, parent_urn=parent, applies_to=[RULE], reason="the rule",
        )
        for number, (urn, parent) in enumerate(above, start=1)
    ]  # fmt: skip
    return ScopedContext(
        status="ok", targets=[RULE], at_date=date(2026, 1, 1), digest="", blocks=blocks, definitions=[], overrides=[],
        warnings=[], omitted=[], prevails_over=[*found],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("by", "cited", "told"),
    [
        (f"{RULE}:a", f"{RULE}:a", True), (RULE, f"{RULE}:a", True), (ROOT, f"{RULE}:a", True),
        (f"{RULE}:b", f"{RULE}:a", False), (f"{RULE}:a", RULE, False), (RULE, "urn:lex:us:x", False),
    ],
)  # fmt: skip
def test_what_is_cited_prevails_by_its_own_words_and_by_those_above_it(by: str, cited: str, told: bool) -> None:
    assert overridden_by(context(over(by=by)), [cited]) == [over(by=by)] * told


def test_each_provision_that_says_so_has_one_line_and_a_long_range_is_counted() -> None:
    found = [over(f"{ROOT}:{number}") for number in range(1, 13)] + [over("urn:lex:x:y:1", ROOT, in_force=False)]
    lines = overridden_lines(found, lambda urn: f"§ {urn.rpartition(':')[2]}")
    assert list(lines) == [RULE, ROOT]
    assert lines[RULE].startswith(f"applies notwithstanding § 1, {ROOT}:1 (Fees); § 2, ")
    assert lines[RULE].endswith(f"§ 8, {ROOT}:8 (Fees) and 4 more")
    assert lines[ROOT] == "applies notwithstanding § 1, urn:lex:x:y:1 (not in the store in force at the date)"


def test_every_face_names_it_beside_the_block_that_says_so() -> None:
    found = context(over(by=f"{RULE}:a"))
    people, line = io.StringIO(), f"applies notwithstanding D.C. Code § 42-3502.06, {FEES} (Fees)"
    show_context(Page(people), found)
    assert line in " ".join(people.getvalue().split())
    assert f"{RULE}:a\nWords.\n[{line}]" in text_for_model(found)
    prompt = build_prompt(found, "May I?", language="en").input
    assert prompt.count(f"It applies notwithstanding {FEES} (Fees)\n") == 1
    assert prompt.index(f"{RULE}:a (rule") < prompt.index("It applies") < prompt.index(f"{RULE}:b (rule")
    assert FEES not in found.allow_list
