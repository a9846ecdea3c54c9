"""The scope suite: definitions, their scopes and uses, exceptions and editions against published ground truth.

Nothing of the data is kept here. Each part looks for the mark-up it knows and is silent where a source has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evals.suites.scope.detection import measure_detection
from evals.suites.scope.exceptions import measure_conditions, measure_exceptions
from evals.suites.scope.model import SUITE, Report, read_folders
from evals.suites.scope.phrases import measure_phrases, pooled
from evals.suites.scope.terms import measure_terms
from evals.suites.scope.time import measure_time

__all__ = ["SOURCES", "SUITE", "measure"]
# Folders of the shared data with something to compare with.
SOURCES = (
    "cfpb-regs-json", "cfpb-regml", "us-uslm2", "uk-akn-lawmaker", "uk-clml", "uscode-uslm", "dc-code-xml", "ecfr-xml",
    "uscode-md-chunks", "eu-gdpr",
)  # fmt: skip
_PARTS = (measure_terms, measure_detection, measure_exceptions, measure_time)


def measure(places: Iterable[tuple[Path, str]]) -> Report:
    """Measure all law in English under some folders.

    Args:
        places: files or folders, each with the name of its rows.

    Raises:
        IngestError: a path does not exist, or is one file of no known format.
    """
    report = Report()
    phrases: list[Report] = []
    for path, label in places:
        for folder in read_folders(path, label):
            report.notes += folder.notes
            for part in _PARTS:
                report.add(part(folder))
            phrases.append(measure_phrases(folder))
            report.add(phrases[-1])
        report.add(measure_conditions(path, label))
    whole = pooled(phrases)
    if whole is not None:
        report.rows.append(whole)
    return report
