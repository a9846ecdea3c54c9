"""What references are judged by: expected against read, counted alike for every source of truth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from evals.rows import REPORTED, Gate, Row, share_row

SUITE = "references"
PRECISION, RECALL, NONE = Gate(">=", 0.98), Gate(">=", 0.95), Gate("<=", 0.0)
FEWER = Gate("<=", hard=False)
# Publishers' mark-up holds errors of its own, some much of it: what contradicts it is listed and fails nothing.
SOFT_PRECISION, SOFT_RECALL, SOFT_NONE = (
    Gate(gate.sense, gate.bound, hard=False) for gate in (PRECISION, RECALL, NONE)
)


@dataclass(slots=True)
class Score:
    """Counts of one source; a miss is a text with its cause."""

    source: str
    expected: int = 0
    found: int = 0
    read: int = 0  # readings that the truth can judge
    right: int = 0
    certain: int = 0  # of those read, presented as certain
    certain_wrong: int = 0
    contradicting: int = 0  # marks whose words name another provision than they do; not among those expected
    titled: int = 0  # of those not found: laws that the words name by title, and the truth by number
    causes: Counter[str] = field(default_factory=Counter[str])
    misses: list[str] = field(default_factory=list[str])

    def miss(self, cause: str, words: str, expected: str, given: str) -> None:
        """Note a reference that was not found, or read as another one."""
        self.causes[cause] += 1
        self.misses.append(f"{self.source}: {cause}\n  words:    {words}\n  expected: {expected}\n  read:     {given}")

    def rows(self, *, published: bool) -> list[Row]:
        """The metrics; `published` where the truth is mark-up and not a curated suite."""
        recall, precision, wrong = (SOFT_RECALL, SOFT_PRECISION, SOFT_NONE) if published else (RECALL, PRECISION, NONE)
        rows: list[Row] = []
        if self.expected:
            rows.append(share_row(SUITE, self.source, "recall", self.found, self.expected, recall))
            if self.titled:
                named = self.found + self.titled
                rows.append(share_row(SUITE, self.source, "recall_or_title", named, self.expected, REPORTED))
        if marks := self.contradicting and self.expected + self.contradicting:
            rows.append(share_row(SUITE, self.source, "marks_contradicting_words", self.contradicting, marks, FEWER))
        if self.read:
            rows.append(share_row(SUITE, self.source, "precision", self.right, self.read, precision))
            rows.append(share_row(SUITE, self.source, "wrong_with_certainty", self.certain_wrong, self.read, wrong))
        return rows

    def notes(self) -> list[str]:
        """The causes of what was missed, most frequent first."""
        return [f"{self.source}: {count} x {cause}" for cause, count in self.causes.most_common()]
