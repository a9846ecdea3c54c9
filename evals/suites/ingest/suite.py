"""The ingest suite: does a parse have the words and the structure of its source, and is one law one in two formats?

Every file under the folders given that a format claims is parsed, and read again by the reader of `ingest_readers`
that knows the mark-up alone. What the readers leave out is in `ingest_model.LEFT_OUT` and `LAYOUT`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from evals.rows import Gate, Row, share_row
from evals.suites.ingest.model import Comparison, difference, first_difference
from evals.suites.ingest.pairs import EXPLANATIONS, UNEXPLAINED, Edition, PairReport, compare, pairs
from evals.suites.ingest.readers import READERS
from rag.ingest.formats.base import Format, ManyDocuments, Source
from rag.ingest.formats.registry import discover
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.paths import root_path

SUITE = "ingest"
_ALL = Gate(">=", 1.0)
_NONE = Gate("<=", 0.0)


@dataclass(slots=True)
class Report:
    """What was measured: rows, notes on what was not compared, and every case that went wrong."""

    rows: list[Row] = field(default_factory=list[Row])
    notes: list[str] = field(default_factory=list[str])
    misses: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Tally:
    """Counts over the documents of one source."""

    documents: int = 0
    equal: int = 0
    characters: int = 0
    lost: int = 0
    doubled: int = 0
    sections: int = 0
    sections_equal: int = 0

    def rows(self, source: str) -> Iterator[Row]:
        yield share_row(SUITE, source, "documents_equal", self.equal, self.documents, _ALL)
        if self.characters:
            for metric, value in (("characters_lost", self.lost), ("characters_doubled", self.doubled)):
                yield Row(SUITE, source, metric, float(value), self.characters, None, None, _NONE)
        if self.sections:
            yield share_row(SUITE, source, "sections_equal", self.sections_equal, self.sections, _ALL)


@dataclass(frozen=True, slots=True)
class _Parse:
    """Where a document came from, kept in place of the document itself so that a folder of any size fits."""

    form: Format
    source: Source
    day: date | None


def measure(places: Iterable[tuple[Path, str]]) -> Report:
    """Compare all law under some folders with its sources.

    Args:
        places: files or folders, each with the name of its rows.

    Raises:
        IngestError: a path does not exist, or is one file of no known format.
    """
    report = Report()
    parses: dict[str, list[_Parse]] = {}
    for path, label in places:
        _folder(path, label, report, parses)
    _same_law(parses, report)
    return report


def _folder(path: Path, label: str, report: Report, parses: dict[str, list[_Parse]]) -> None:
    found = discover(path)
    names = {one.name for one, _ in found.sources}
    tallies: dict[str, _Tally] = {}
    for one, source in found.sources:
        name = label if len(names) == 1 else f"{label}/{one.name}"
        if one.name not in READERS:
            report.notes.append(f"{name}: {source.name} is not compared: the format {one.name} has no reader here")
            continue
        tally = tallies.setdefault(name, _Tally())
        try:
            documents = read(one, source)
        except IngestError as error:
            tally.documents += 1
            report.misses.append(f"{name} documents_equal: refused: {error.message}")
            continue
        for document in documents:
            parses.setdefault(document.urn, []).append(_Parse(one, source, document.edition_date))
        _compare(one, source, documents, name, tally, report)
    for error in found.rejected:
        tallies.setdefault(label, _Tally()).documents += 1
        report.misses.append(f"{label} documents_equal: refused: {error.message}")
    for name, tally in tallies.items():
        report.rows.extend(tally.rows(name))
    if not tallies:
        report.notes.append(f"{label}: holds no law that a format reads")


def read(one: Format, source: Source) -> list[ParsedDocument]:
    """All documents of a source.

    Raises:
        IngestError: it cannot be read as law.
    """
    return list(one.documents(source)) if isinstance(one, ManyDocuments) else [one.parse(source)]


def _compare(
    one: Format, source: Source, documents: list[ParsedDocument], name: str, tally: _Tally, report: Report
) -> None:
    stored = {document.urn: _stored_as_parsed(document) for document in documents}
    for found in READERS[one.name](source, documents):
        lost, doubled = difference(found.source, found.kept)
        same, sections = _outlines(found)
        tally.documents += 1
        tally.equal += lost == doubled == 0 and stored[found.urn]
        tally.characters += len(found.source)
        tally.lost += lost
        tally.doubled += doubled
        tally.sections += sections
        tally.sections_equal += same
        if lost or doubled:
            report.misses.append(
                f"{name} documents_equal: {found.file} {found.urn}: {lost} characters lost, {doubled} doubled; "
                f"{first_difference(found.source, found.kept)}"
            )
        if not stored[found.urn]:
            report.misses.append(f"{name} documents_equal: {found.file} {found.urn}: its rows differ from its nodes")
        if same != sections:
            report.misses.append(f"{name} sections_equal: {found.file} {found.urn}: {_first_chain(found)}")


def _stored_as_parsed(document: ParsedDocument) -> bool:
    """Whether the rows for the store have the words of the nodes."""
    above = root_path(document.corpus.urn) if document.nodes[0].parent_urn is not None else None
    rows = build_rows(document, above)
    kept = [(row.node.urn, row.node.text) for row in rows]
    return kept == [(node.urn, node.text) for node in document.nodes]


def _outlines(found: Comparison) -> tuple[int, int]:
    """Chains that are in both outlines, and chains in the longer one; a mere change of order costs one."""
    one, other = found.source_outline, found.kept_outline
    sections = max(len(one), len(other))
    if one == other:
        return sections, sections
    return min((Counter(one) & Counter(other)).total(), sections - 1), sections


def _first_chain(found: Comparison) -> str:
    one, other = found.source_outline, found.kept_outline
    at = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    at = min(len(one), len(other)) if at is None else at
    return f"at {at}: source {' > '.join(*one[at : at + 1])!r}, kept {' > '.join(*other[at : at + 1])!r}"


def _same_law(parses: dict[str, list[_Parse]], report: Report) -> None:
    results: list[PairReport] = []
    for urn, found in parses.items():
        for one, other in pairs((parse.form.name, parse.day, at) for at, parse in enumerate(found)):
            results.append(compare(_edition(found[one], urn), _edition(found[other], urn)))
    for result in results:
        source = f"{result.urn.removeprefix('urn:lex:')} {' = '.join(result.names)}"
        report.rows.append(share_row(SUITE, source, "same_law", result.equal, result.sections))
        unexplained = float(result.kinds[UNEXPLAINED])
        report.rows.append(Row(SUITE, source, "same_law_unexplained", unexplained, result.sections, None, None, _NONE))
        for kind, meaning in EXPLANATIONS.items():
            if result.kinds[kind]:
                report.notes.append(f"{source}: {result.kinds[kind]} of {result.sections} {kind}: {meaning}")
        report.misses += [f"{source} same_law: {line}" for line in result.lines]


def _edition(parse: _Parse, urn: str) -> Edition:
    documents = read(parse.form, parse.source)
    document = next(document for document in documents if document.urn == urn)
    words = next(
        comparison.source for comparison in READERS[parse.form.name](parse.source, documents) if comparison.urn == urn
    )
    return Edition(f"{parse.form.name}:{parse.source.path.name}", document, words)
