"""References: precision, recall and wrong answers given as certain, on curated suites and on publishers' mark-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.rows import Row
from evals.suites.references.model import SUITE, Score
from evals.suites.references.suites import suite_score
from evals.suites.references.text import published_scores
from retrieval.errors import IngestError

__all__ = ["SOURCES", "SUITE", "Report", "measure"]

# Suites, and law whose publishers mark references, as folders of the real law that may be beside the checkout.
SOURCES = (
    "citations-citeurl", "citations-unitedstates", "citations-quantlaw-de", "reporters-db", "uscode-uslm",
    "dc-code-xml", "cfpb-regml", "uk-clml",
)  # fmt: skip


@dataclass(slots=True)
class Report:
    """Rows, notes, and every reference that was missed or misread."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[str] = field(default_factory=list[str])

    def add(self, score: Score, *, published: bool) -> None:
        """Take in one source's score."""
        self.rows += score.rows(published=published)
        self.notes += score.notes()
        self.misses += score.misses


def measure(places: Sequence[tuple[Path, str]]) -> Report:
    """Measure every folder that holds a citation suite or law with marked references.

    Args:
        places: files or folders, each with the name of its rows.

    Raises:
        IngestError: a path does not exist.
    """
    report = Report()
    for path, label in places:
        score = suite_score(path, label)
        if score is not None:
            # The table of reporters that the grammar uses is a later state of the suite's own.
            report.add(score, published=(path / "reporters.json").is_file())
            continue
        try:
            scores, notes = published_scores(path, label)
        except IngestError as error:
            report.notes.append(f"{label}: {error.message}")
            continue
        report.notes += notes
        for one in scores:
            report.add(one, published=True)
    return report
