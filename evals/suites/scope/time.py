"""Editions of one law: is each edition's text what is in force on its day, when all of them are one history?"""

from __future__ import annotations

from datetime import date

from evals.rows import Gate, share_row
from evals.suites.scope.model import SUITE, Folder, Miss, Report
from rag.ingest.writing.editions import History, Key, Shown
from rag.ingest.writing.rows import build_rows, shown_by_urn
from rag.law.nodes import ParsedDocument
from retrieval.paths import root_path

_ALL = Gate(">=", 1.0)


def measure_time(folder: Folder) -> Report:
    """Every node of every edition, at that edition's day, in the history of all editions."""
    report = Report()
    for urn, editions in sorted(folder.editions.items()):
        days = {edition.edition_date: edition for edition in editions if edition.edition_date is not None}
        if len(editions) < 2:
            continue
        if len(days) < 2:
            report.notes.append(f"{folder.label}: {urn}: {len(editions)} files speak of one day; the last is measured")
            continue
        _history(f"{folder.label} {urn.rpartition(':')[2]}", days, report)
    return report


def _history(name: str, editions: dict[date, ParsedDocument], report: Report) -> None:
    history = History()
    shown: dict[date, dict[str, Shown]] = {}
    for day, document in sorted(editions.items(), reverse=True):  # the order of ingest is not to matter
        above = root_path(document.corpus.urn) if document.nodes[0].parent_urn is not None else None
        shown[day] = shown_by_urn(build_rows(document, above))
        history.add(Key(True, day, document.source), "own", shown[day])
    urns = sorted({urn for entry in shown.values() for urn in entry})
    right = n = changed = 0
    for urn in urns:
        spans = history.timeline(urn)
        changed += len({_hash_at(one.get(urn, ()), day) for day, one in shown.items()}) > 1
        for day, one in shown.items():
            expected = _hash_at(one.get(urn, ()), day)
            found = next((span.source_hash for span in spans if _holds(span.valid_from, span.valid_to, day)), "")
            n += 1
            right += found == expected
            if found != expected:
                cause = "another text" if found and expected else "a text too many" if found else "no text"
                report.misses.append(Miss(name, "text_at_date", cause, urn, day.isoformat()))
    report.rows.append(share_row(SUITE, name, "text_at_date", right, n, _ALL))
    report.notes.append(f"{name}: {changed} of {len(urns)} nodes differ between {len(shown)} editions")


def _hash_at(shown: Shown, day: date) -> str:
    return next((showing.source_hash for showing in shown if _holds(showing.valid_from, showing.valid_to, day)), "")


def _holds(start: date | None, end: date | None, day: date) -> bool:
    return (start is None or start <= day) and (end is None or day < end)
