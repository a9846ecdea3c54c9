"""How the time that grammars take grows with the text, on strings that they find hard.

A shared machine slows down for seconds at a time, which looks like growth. So texts of all sizes take turns, the least
time of each counts, and a pair that seems to grow is timed again before it is believed.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.law.jurisdiction import Jurisdiction

# Beginnings of references, lists without end and near misses: what a backtracking grammar would try again and again.
HARD = (
    "section 1(a)(1)", "§ 1 to 2, 3 and ", "title 1, ", "1 U.S.C. 1-", "Article 1 de la loi du ", "§ 1 Abs. 1 Satz 1 ",
    "第一条の二", "Act of the of the ", "1 A. 1 ", "(((((", "aaaaaaaaaa", "11111-11111-", "articles 1, 2, ",
    "[2024] ", "Act 1990 s 1 ", "第一条", "民法第一条、", "（第一条）", "十百千", "articles L. 1-1, R. 1 et ", "(1)",
    "section 1, ", "subsection (1), ", "§ 1, ", "Id. ", "ss. 1 A", "the ", "§ 1 BGB i.V.m. ",
    "2016/679/", "C-1/12 ", "Smith v Jones ", "para 1 of Schedule ", "第一項から第二号まで",
)  # fmt: skip
DEFAULT_SIZES = (8_000, 16_000)
_FIRST, _MOST = 3, 12  # rounds at first, and at most where a pair seems to grow
_SUSPECT = 2.2
_CLOCK = 0.001  # seconds; below this the clock is all that is measured


@dataclass(frozen=True, slots=True)
class Growth:
    """The worst of one grammar: time for twice the text over that for the text, and CPU milliseconds per kilobyte."""

    ratio: float
    cost: float
    at: str  # the string of the worst ratio


def growth_of(jurisdiction: Jurisdiction, sizes: Sequence[int] = DEFAULT_SIZES) -> Growth:
    """Time a grammar on all hard strings.

    Args:
        jurisdiction: the grammar.
        sizes: characters of the texts, each twice the one before.

    Returns:
        The worst ratio of two neighbouring sizes and the worst cost at the largest.
    """
    ratio, cost, at = 0.0, 0.0, ""
    for hard in HARD:
        texts = [(hard * (size // len(hard) + 1))[:size] for size in sizes]
        taken = [_seconds(jurisdiction, text) for text in texts]
        rounds = 1
        while rounds < _FIRST or (rounds < _MOST and _worst(taken) > _SUSPECT):
            taken = [min(one, _seconds(jurisdiction, text)) for one, text in zip(taken, texts, strict=True)]
            rounds += 1
        cost = max(cost, taken[-1] * 1e6 / sizes[-1])
        if _worst(taken) > ratio:
            ratio, at = _worst(taken), hard
    return Growth(ratio, cost, at)


def _worst(taken: Sequence[float]) -> float:
    return max(long / max(short, _CLOCK) for short, long in pairwise(taken))


def _seconds(jurisdiction: Jurisdiction, text: str) -> float:
    gc.disable()  # else one text pays for what another left
    try:
        since = time.process_time()
        jurisdiction.find_references(text, None)
        return time.process_time() - since
    finally:
        gc.enable()
