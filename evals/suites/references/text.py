"""References in running text against the publisher's mark-up, which the grammar does not see.

A mark names a provision and the words that stand for it. It is found where the grammar reads a reference over those
words as that provision or, since marks often end before the last designators, as one inside it. Readings where the
publisher marked nothing are counted and not judged, and so are marks that contradict their own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evals.suites.references.marks import contradicts, fits, in_range, is_end, titled, wraps_beginning
from evals.suites.references.model import Score
from rag.ingest.formats.registry import discover
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, FoundReference, Jurisdiction, ReferenceContext, ReferencePart
from rag.law.nodes import Mark, ParsedDocument, ParsedNode
from rag.law.passages import without_quoted
from retrieval.errors import IngestError
from retrieval.paths import parse_urn


@dataclass(frozen=True, slots=True)
class Reading:
    """What the grammar read in one text."""

    text: str
    found: list[FoundReference]

    def parts(self) -> Iterator[tuple[FoundReference, ReferencePart]]:
        """Every cited provision with the reference it belongs to."""
        return ((reference, part) for reference in self.found for part in reference.parts)


def published_scores(path: Path, label: str) -> tuple[list[Score], list[str]]:
    """One score for each corpus under a path whose publisher marks references, and notes on what was not judged.

    Args:
        path: a file or folder of law.
        label: what the sources are called, before the corpus.

    Raises:
        IngestError: the path holds no law at all.
    """
    scores: dict[str, Score] = {}
    notes: list[str] = []
    seen: set[str] = set()
    unmarked = 0
    for format_, source in discover(path).sources:
        try:
            document = format_.parse(source)
        except IngestError as error:
            notes.append(f"{label}: {error.message}")
            continue
        if document.urn in seen or not any(mark.kind == "reference" for node in document.nodes for mark in node.marks):
            continue
        seen.add(document.urn)
        name = f"{label}/{document.urn.removeprefix('urn:lex:')}"
        unmarked += judge_document(document, scores.setdefault(name, Score(name)))
    if unmarked:
        notes.append(f"{label}: {unmarked} readings stand where the publisher marks nothing; they are not judged")
    return [score for score in scores.values() if score.expected], notes


def judge_document(document: ParsedDocument, score: Score) -> int:
    """Compare all texts of a document with their marks.

    Returns:
        How many readings no mark can judge.
    """
    jurisdiction = jurisdiction_for(parse_urn(document.corpus.urn).jurisdiction)
    index = DocumentIndex(document)
    unmarked = 0
    for node in document.nodes:
        text = without_quoted(node)
        marks = [
            Mark(mark.start, mark.end, mark.kind, target.urn if (target := index.node(mark.target)) else mark.target)
            for mark in node.marks
            if mark.kind == "reference" and mark.target.startswith("urn:lex:")
        ]
        if text:
            unmarked += judge_text(node, text, marks, read(jurisdiction, text, node, index), index, score)
    return unmarked


def read(jurisdiction: Jurisdiction, text: str, node: ParsedNode, index: DocumentIndex) -> Reading:
    """What the grammar reads in a node's text without its marks."""
    here = None if node.kind == "decision" else ReferenceContext(node, index)
    return Reading(text, jurisdiction.find_references(text, here))


def judge_text(
    node: ParsedNode, text: str, marks: list[Mark], reading: Reading, index: DocumentIndex, score: Score
) -> int:
    """Compare one text with its marks; returns how many readings no mark can judge."""
    false = [mark for mark in marks if contradicts(mark, text, node, index)]
    for mark in marks:
        over = [(one, part) for one, part in reading.parts() if _meet(one.start, one.end, mark)]
        parts = [part for _, part in over]
        found = any(fits(part.urn, mark.target) for part in parts) or _is_range(parts, mark.target)
        given = [part.urn or one.kind for one, part in over]
        words = f"{node.urn}: {text[max(0, mark.start - 40) : mark.start]}[{text[mark.start : mark.end]}]"
        words += text[mark.end :][:30]
        if mark in false:
            score.contradicting += 1
            score.miss("mark contradicts its words", words, mark.target, ", ".join(given) or "nothing")
            continue
        score.expected += 1
        if found or in_range(parts, mark.target, index):
            score.found += 1
            continue
        named = any(titled(one.text, mark.target) for one, part in over if not part.urn)
        score.titled += named
        cause = "read by its title, without a number" if named else _cause(given, mark)
        score.miss(cause, words, mark.target, ", ".join(given) or "nothing")
    unmarked = 0
    for one, part in reading.parts():
        over = [mark for mark in marks if _meet(part.start, part.end, mark)]
        judging = [mark for mark in over if mark not in false and not wraps_beginning(part, mark, text)]
        if not judging or not part.urn:
            unmarked += not over
            continue
        score.read += 1
        score.certain += one.confident
        if any(_agrees(one, part, mark) for mark in judging):
            score.right += 1
        else:
            score.certain_wrong += one.confident
            certainty = "wrong with certainty" if one.confident else "read as another, not certain"
            score.misses.append(
                f"{score.source}: {certainty}\n  words:    {node.urn}: {one.text}\n  read:     {part.urn}"
            )
    return unmarked


def _meet(start: int, end: int, mark: Mark) -> bool:
    return start < mark.end and mark.start < end


def _is_range(parts: Iterable[ReferencePart], target: str) -> bool:
    return sum(is_end(part, target) for part in parts) >= 2


def _agrees(one: FoundReference, part: ReferencePart, mark: Mark) -> bool:
    """Whether a mark confirms a reading; one that stands for a whole range may name its first provision."""
    if fits(part.urn, mark.target) or is_end(part, mark.target):
        return True
    starts = (each for each in one.parts if each.range == "start" and _meet(each.start, each.end, mark))
    return part.range == "end" and any(fits(each.urn, mark.target) for each in starts)


def _cause(given: list[str], mark: Mark) -> str:
    named = [name for name in given if name.startswith("urn:")]
    if not given:
        return "nothing read"
    if not named:
        return "recognised, without a URN"
    if all(name.split(":")[2:4] != mark.target.split(":")[2:4] for name in named):
        return "the words name another code than the mark"
    return "read as another provision"
