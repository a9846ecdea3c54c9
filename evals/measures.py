"""The field's measures of a ranking at a cut-off, as trec_eval and `ir-measures` compute them, and kappa. Pure.

    nDCG@k  discounted cumulative gain over the best possible one; the grade is the gain, log2(rank + 1) the discount
    R@k     share of the relevant documents among the first k
    MAP@k   mean of the precision at each relevant document's rank among the first k, over all relevant ones (AP@k)
    RR@k    1 / rank of the first relevant document among the first k, else 0

A document is relevant from grade 1 on. A question without a relevant document scores 0 by every measure.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from evals.rows import REPORTED, Z95, Gate, Row

CUT = 10
Grades = Mapping[str, int]


def ndcg(ranked: Sequence[str], grades: Grades, k: int = CUT) -> float:
    """Normalised discounted cumulative gain of one question, 0 to 1.

    Args:
        ranked: documents, best first, each once.
        grades: the judged documents; what is not judged has grade 0.
        k: the cut-off, from 1 on.
    """
    best = _gain(sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:k])
    return _gain([max(grades.get(name, 0), 0) for name in ranked[:k]]) / best if best else 0.0


def recall(ranked: Sequence[str], grades: Grades, k: int = CUT) -> float:
    """Share of the relevant documents among the first k; arguments as `ndcg`."""
    relevant = {one for one, grade in grades.items() if grade >= 1}
    return len(relevant.intersection(ranked[:k])) / len(relevant) if relevant else 0.0


def average_precision(ranked: Sequence[str], grades: Grades, k: int = CUT) -> float:
    """Average precision at k over all relevant documents; arguments as `ndcg`."""
    relevant = {one for one, grade in grades.items() if grade >= 1}
    found, total = 0, 0.0
    for rank, one in enumerate(ranked[:k], start=1):
        if one in relevant:
            found += 1
            total += found / rank
    return total / len(relevant) if relevant else 0.0


def reciprocal_rank(ranked: Sequence[str], grades: Grades, k: int = CUT) -> float:
    """One over the rank of the first relevant document among the first k; arguments as `ndcg`."""
    return next((1 / rank for rank, one in enumerate(ranked[:k], start=1) if grades.get(one, 0) >= 1), 0.0)


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def area_under(right: Sequence[float], wrong: Sequence[float]) -> float:
    """How often a right case scores above a wrong one, ties counting half: the area under the ROC curve, 0 to 1.

    Args:
        right: scores of right cases; at least one.
        wrong: scores of wrong cases; at least one.
    """
    pairs = [(number > other) + 0.5 * (number == other) for number in right for other in wrong]
    return sum(pairs) / len(pairs)


MEASURES: dict[str, Callable[[Sequence[str], Grades], float]] = {
    "nDCG@10": ndcg, "R@1": partial(recall, k=1), "R@3": partial(recall, k=3), "R@10": recall,
    "MAP@10": average_precision, "RR@10": reciprocal_rank,
}  # fmt: skip


def in_order(scores: Mapping[str, float]) -> list[str]:
    """The documents of a run, best first; equal scores in the order that trec_eval gives them, the last name first."""
    return sorted(sorted(scores, reverse=True), key=lambda one: -scores[one])


def mean_row(suite: str, source: str, metric: str, values: Sequence[float], gate: Gate = REPORTED) -> Row:
    """A row for the mean of a measure over questions, with its normal 95 % interval within 0 to 1.

    Args:
        suite: its name.
        source: the set and the leg.
        metric: a name of `MEASURES`.
        values: one a question, 0 to 1; at least one.
        gate: the bound that the mean has to keep.

    Raises:
        ValueError: there is no question.
    """
    n = len(values)
    if not n:
        raise ValueError(f"{source} has no question to take a mean over")
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1) if n > 1 else 0.25
    spread = Z95 * math.sqrt(variance / n)
    return Row(suite, source, metric, mean, n, max(mean - spread, 0.0), min(mean + spread, 1.0), gate)


def rows_of(
    suite: str,
    source: str,
    runs: Mapping[str, Sequence[str]],
    qrels: Mapping[str, Grades],
    gates: Mapping[str, Gate] | None = None,
) -> list[Row]:
    """One row a measure, over all judged questions; one that the run has no ranking for counts 0.

    Args:
        suite: its name.
        source: the set and the leg.
        runs: question -> documents, best first; questions that are not judged are ignored.
        qrels: question -> grades.
        gates: metric -> its bound; metrics that are not named are reported only.
    """
    out: list[Row] = []
    for metric, measure in MEASURES.items():
        values = [measure(runs.get(question, ()), grades) for question, grades in qrels.items()]
        out.append(mean_row(suite, source, metric, values, (gates or {}).get(metric, REPORTED)))
    return out


def kappa(pairs: Sequence[tuple[str, str]]) -> float:
    """Cohen's kappa of two gradings; 1 where they agree on everything.

    Raises:
        ValueError: there is no pair.
    """
    if not pairs:
        raise ValueError("no pair of grades")
    n = len(pairs)
    agreed = sum(one == other for one, other in pairs) / n
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(first[label] * second[label] for label in first) / (n * n)
    return 1.0 if chance == 1.0 else (agreed - chance) / (1 - chance)
