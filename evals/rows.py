"""What a measurement is: one row per suite, source and metric, with its interval and the gate it has to meet."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

# Two-sided 95 % quantile of the standard normal distribution.
Z95 = 1.959963984540054
# Values are compared after rounding, so that a baseline that went through JSON equals the value it came from.
DIGITS = 6


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % score interval (Wilson 1927) of a share.

    Args:
        hits: how often it happened, 0 to n.
        n: trials, at least 1.

    Returns:
        Lower and upper bound, within 0 to 1. Unlike the normal interval it has a width at 0 and at n hits.

    Raises:
        ValueError: n is not positive, or hits lie outside 0 to n.
    """
    if n < 1 or not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is not a share")
    share = hits / n
    square = Z95 * Z95
    centre = share + square / (2 * n)
    spread = Z95 * math.sqrt((share * (1 - share) + square / (4 * n)) / n)
    scale = 1 + square / n
    # The exact bound is 0 or 1 at the ends; rounding must not move it off.
    low = 0.0 if hits == 0 else max(0.0, (centre - spread) / scale)
    high = 1.0 if hits == n else min(1.0, (centre + spread) / scale)
    return low, high


@dataclass(frozen=True, slots=True)
class Gate:
    """A bound that a value has to keep. `>=` says that higher is better, `<=` that lower is.

    `bound` None is for a metric that has no goal of its own, only an accepted baseline. A gate that is not hard is
    reported when missed, and fails nothing. A gate of a sample is missed where the whole 95 % interval lies on its
    worse side: drawing other cases must not fail a run.
    """

    sense: Literal[">=", "<="] = ">="
    bound: float | None = None
    hard: bool = True
    sample: bool = False

    def meets(self, value: float) -> bool:
        """Whether the value keeps the bound; the bound itself does."""
        if self.bound is None:
            return True
        value = round(value, DIGITS)
        return value >= self.bound if self.sense == ">=" else value <= self.bound

    def __str__(self) -> str:
        if self.bound is None:
            return ""
        kinds = [kind for kind, there in (("soft", not self.hard), ("sample", self.sample)) if there]
        return f"{self.sense} {self.bound:g}" + (f" ({', '.join(kinds)})" if kinds else "")


REPORTED = Gate(hard=False)


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value.

    Attributes:
        suite: which suite measured it.
        source: the corpus it was measured on.
        metric: its stable name.
        value: a share (0 to 1) or, in other suites, a mean or ratio.
        n: cases behind the value.
        low: lower end of the 95 % interval; None where the metric has none.
        high: upper end.
        gate: the bound it has to keep.
        baseline: the accepted value; None where none was accepted.
    """

    suite: str
    source: str
    metric: str
    value: float
    n: int
    low: float | None
    high: float | None
    gate: Gate
    baseline: float | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies the row from run to run."""
        return self.suite, self.source, self.metric

    @property
    def gain(self) -> float | None:
        """Change to the baseline, positive where the value got better; None without a baseline."""
        if self.baseline is None:
            return None
        change = round(self.value - self.baseline, DIGITS)
        return change if self.gate.sense == ">=" or change == 0 else -change

    @property
    def regression(self) -> str:
        """Why the row fails the run; empty where it does not.

        A hard gate is judged by the value, that of a sample by the interval. The baseline is judged by the interval
        too: a value that is worse by chance alone is no regression, one whose whole interval lies on the worse side
        of the baseline is.
        """
        if not self.gate.hard:
            return ""
        nearest = self.high if self.gate.sense == ">=" else self.low
        nearest = self.value if nearest is None else nearest
        if not self.gate.meets(nearest if self.gate.sample else self.value):
            return f"misses its gate {self.gate}"
        if self.baseline is not None and self.gain is not None and self.gain < 0:
            worse = nearest < self.baseline if self.gate.sense == ">=" else nearest > self.baseline
            if worse:
                return f"is worse than the accepted {self.baseline:.4f} by more than chance"
        return ""

    def with_baseline(self, baseline: float | None) -> Row:
        """The row beside its accepted value."""
        return replace(self, baseline=baseline)

    def as_json(self) -> dict[str, object]:
        """The row as `--json` prints it; `gate` is a text such as `>= 0.99`, None where there is no bound."""
        return {
            "suite": self.suite,
            "source": self.source,
            "metric": self.metric,
            "value": round(self.value, DIGITS),
            "n": self.n,
            "low": None if self.low is None else round(self.low, DIGITS),
            "high": None if self.high is None else round(self.high, DIGITS),
            "gate": str(self.gate) or None,
            "baseline": self.baseline,
        }


def share_row(suite: str, source: str, metric: str, hits: int, n: int, gate: Gate = REPORTED) -> Row:
    """A row for a share, with its Wilson interval.

    Raises:
        ValueError: there is no case, or more hits than cases.
    """
    low, high = wilson(hits, n)
    return Row(suite, source, metric, hits / n, n, low, high, gate)


def json_rows(rows: Iterable[Row]) -> str:
    """A JSON array, one row a line."""
    lines = [json.dumps(row.as_json(), ensure_ascii=False) for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


_HEAD = ("source", "metric", "value", "n", "95 %", "gate", "baseline", "change", "")


def _cells(row: Row) -> tuple[str, ...]:
    interval = "" if row.low is None or row.high is None else f"{row.low:.4f}..{row.high:.4f}"
    gain = row.gain
    change = "new" if gain is None else "=" if gain == 0 else f"{gain:+.4f} {'gain' if gain > 0 else 'loss'}"
    mark = "FAIL" if row.regression else "" if row.gate.meets(row.value) else "below goal"
    baseline = "" if row.baseline is None else f"{row.baseline:.4f}"
    return row.source, row.metric, f"{row.value:.4f}", str(row.n), interval, str(row.gate), baseline, change, mark


def table(rows: Sequence[Row]) -> str:
    """Rows as aligned plain text, one block a suite. `change` is signed so that a gain is positive."""
    blocks: list[str] = []
    for suite in dict.fromkeys(row.suite for row in rows):
        cells = [_HEAD, *(_cells(row) for row in rows if row.suite == suite)]
        widths = [max(len(line[column]) for line in cells) for column in range(len(_HEAD))]
        right = {2, 3, 6}
        lines = [
            "  ".join(
                text.rjust(width) if column in right else text.ljust(width)
                for column, (text, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in cells
        ]
        blocks.append("\n".join([suite, *lines]))
    return "\n\n".join(blocks)
