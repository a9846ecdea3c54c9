"""Pages of one verified text: verified once, kept for a while, never for long and never for another text."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import pytest

from rag.citecheck.model import VerifyResult, result_of
from rag.mcp.context import KEEP_SECONDS, MOST_TEXTS, VerifiedTexts
from retrieval.errors import InputError

DAY = "2026-01-01"


@dataclass
class Verifier:
    """Verifies nothing, and counts what it was asked."""

    asked: list[str] = field(default_factory=list[str])

    def verify(
        self,
        text: str,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        at_date: date | str | None = None,
    ) -> VerifyResult:
        self.asked.append(text)
        return result_of(date(2026, 1, 1), [], [], [f"{text} {len(self.asked)}"])


@dataclass
class Clock:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


def page(
    texts: VerifiedTexts, text: str, *, first: bool = False, at_date: str = DAY, language: str | None = None
) -> str:
    result = texts.verify(text, jurisdiction=None, language=language, at_date=at_date, first_page=first)
    return result.warnings[0]


def test_later_pages_are_of_the_first_pages_verification() -> None:
    verifier = Verifier()
    texts = VerifiedTexts(verifier, Clock())
    first = page(texts, "memo", first=True)
    assert [page(texts, "memo"), page(texts, "memo")] == [first, first]
    assert verifier.asked == ["memo"]


def test_a_first_page_is_always_verified_anew() -> None:
    texts = VerifiedTexts(Verifier(), Clock())
    assert page(texts, "memo", first=True) != page(texts, "memo", first=True)
    assert page(texts, "memo") == "memo 2"


@pytest.mark.parametrize("other", [{"text": "another"}, {"at_date": "2025-01-01"}, {"language": "fr"}])
def test_what_was_verified_otherwise_is_verified(other: dict[str, str]) -> None:
    verifier = Verifier()
    texts = VerifiedTexts(verifier, Clock())
    page(texts, "memo", first=True)
    page(texts, other.get("text", "memo"), at_date=other.get("at_date", DAY), language=other.get("language"))
    assert len(verifier.asked) == 2


def test_nothing_is_kept_for_long() -> None:
    verifier, clock = Verifier(), Clock()
    texts = VerifiedTexts(verifier, clock)
    page(texts, "memo", first=True)
    clock.seconds = KEEP_SECONDS + 1
    page(texts, "memo")
    assert verifier.asked == ["memo", "memo"]


def test_only_the_last_few_texts_are_kept() -> None:
    verifier = Verifier()
    texts = VerifiedTexts(verifier, Clock())
    for number in range(MOST_TEXTS + 1):
        page(texts, f"memo {number}", first=True)
    page(texts, f"memo {MOST_TEXTS}")
    assert len(verifier.asked) == MOST_TEXTS + 1
    page(texts, "memo 0")
    assert len(verifier.asked) == MOST_TEXTS + 2


def test_long_texts_are_kept_only_as_far_as_they_fit() -> None:
    verifier = Verifier()
    texts = VerifiedTexts(verifier, Clock())
    for letter in "abcde":
        page(texts, letter * 1_000_000, first=True)
    page(texts, "b" * 1_000_000)
    assert len(verifier.asked) == 5
    page(texts, "a" * 1_000_000)
    assert len(verifier.asked) == 6


def test_a_bad_date_is_refused_like_anywhere_else() -> None:
    with pytest.raises(InputError):
        page(VerifiedTexts(Verifier(), Clock()), "memo", at_date="yesterday")
