"""What chat models write: headings, tables and lists in Markdown."""

from __future__ import annotations

import pytest

from rag.citecheck.ties import Sentence, sentences_of


def said(text: str) -> list[str]:
    """The sentences that claim something."""
    found: list[Sentence] = sentences_of(text, [], [], "en")
    return [text[sentence.start : sentence.end] for sentence in found if sentence.claims]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("# Works made for hire today\n\nThe employer owns all rights.", ["The employer owns all rights."]),
        ("## What the law says here\nThe employer owns all rights.", ["The employer owns all rights."]),
        (
            "| Topic of this row | Rule |\n|---|:-:|\n| Damages | at least 750 dollars |\n| Wilful | up to 250,000 |\n",
            ["| Damages | at least 750 dollars |", "| Wilful | up to 250,000 |"],
        ),
        ("The sign # stands | for a number here.", ["The sign # stands | for a number here."]),
        (
            "Of the loan over four years I found this:\n\n- **Period:** It ends in May of this year.",
            ["Of the loan over four years I found this:", "- **Period:** It ends in May of this year."],
        ),
    ],
)
def test_a_marked_line_says_what_it_says_by_itself(text: str, claims: list[str]) -> None:
    assert said(text) == claims


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("- **Ownership:** The employer owns all rights.", "The employer owns all rights."),
        ("- Ownership: The employer owns all rights.", "The employer owns all rights."),
        ("2. **Term**: The term is ten years.", "The term is ten years."),
        ("- The term is: ten years.", "- The term is: ten years."),
        ("The rule is: no dogs are allowed here.", "The rule is: no dogs are allowed here."),
    ],
)
def test_the_label_of_an_item_is_no_part_of_what_it_claims(text: str, claim: str) -> None:
    assert sentences_of(text, [], [], "en")[0].texts == (claim,)
