"""The norm a claim is held against: the whole sentences of its citations, with lead-in and flush.

Every citation is expanded to the sentences its quote touches. A list leaf (`charge a pet fee; or`) has no modality of
its own: the open sentence of its ancestors goes before it and the words after the list follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rag.languages.base import Kind
from rag.languages.operators import is_english, read_in
from rag.languages.sentences import sentences_of
from rag.languages.text import fold, without_break_hints
from rag.verification.lists import (
    LONGEST_LIST,
    Around,
    CutList,
    Told,
    continues_a_list,
    cut_list,
    finishes_list,
    tells_whole_lists,
    words_around,
    words_before,
)
from rag.verification.model import CheckedCitation, Evidence, EvidenceBlock, Reason

_GLUE = re.compile(r"[\s;,]+(?:and/or|and|or|et/ou|et|ou|und/oder|und|oder)\s*\Z", re.IGNORECASE)
_CONJUNCTION = re.compile(r"[;,]\s*(and|or|et|ou|und|oder)\s*\Z", re.IGNORECASE)
_OPEN_END = re.compile(r"[:\-–—―]\s*(?:\Z|\n)")
_CLOSED_END = re.compile(r"[.!?。][\"'”’»)\]]*\s*\Z")
_LETTER = re.compile(r"[^\W_]")
_PART = re.compile(r"\w+|[^\w\s]")
_TRAILING = frozenset(".;,:-")
_CONJUNCTIONS = frozenset({"and", "or", "et", "ou", "und", "oder"})
_HOLDS_ALONE = (Kind.MODALITY, Kind.NEGATION, Kind.EXCEPTION, Kind.CONDITION, Kind.COMPARATOR, Kind.ABSOLUTE)


@dataclass(frozen=True, slots=True)
class Unit:
    """One citation's sentences. `sentences` are spans of the block's text; lead-in and flush only where they apply."""

    block: EvidenceBlock
    sentences: tuple[tuple[int, int], ...]
    lead_in: str
    flush: str
    lead_in_optional: bool
    is_leaf: bool = False  # an item of a list

    @property
    def text(self) -> str:
        """The sentences in the node's own words."""
        return self.block.text[self.sentences[0][0] : self.sentences[-1][1]]

    @property
    def is_open(self) -> bool:
        """Whether other nodes continue the sentence."""
        return not self.flush and _OPEN_END.search(self.text) is not None


def whole_sentences(text: str, start: int, end: int, language: str) -> tuple[tuple[int, int], ...]:
    """The sentences that a span touches, in order; the span itself where it touches none."""
    touched = tuple(span for span in sentences_of(text, language) if span[0] < end and start < span[1])
    return touched or ((start, end),)


def make_unit(block: EvidenceBlock, sentences: tuple[tuple[int, int], ...], *, language: str) -> Unit:
    """Add to the sentences the lead-in and flush that they belong to."""
    last = not block.text[sentences[-1][1] :].strip()
    before = words_before(block.lead_in, block.text, sentences[0][0], block.breaks, language)
    lead_in = before if _LETTER.search(before) else ""
    flush = block.flush if last and _LETTER.search(block.flush) else ""
    text = block.text[slice(*sentences[0])]
    finishes = finishes_list(block.text, sentences[0][0], block.breaks)
    leaf = not finishes and continues_a_list(lead_in, language)
    optional = bool(lead_in) and not leaf and not finishes
    begins = _LETTER.search(text)
    whole = begins is not None and begins[0].isupper() and _CLOSED_END.search(text) is not None
    if lead_in and is_english(language) and not optional and whole:
        reading = read_in(language, lead_in)
        optional = not any(reading.sequence(kind) for kind in _HOLDS_ALONE)
    return Unit(block, sentences, lead_in, flush, optional, leaf)


def by_sentence(unit: Unit, *, language: str) -> list[Unit]:
    """A unit for each of its sentences, where it has several."""
    if len(unit.sentences) < 2:
        return []
    return [make_unit(unit.block, (sentence,), language=language) for sentence in unit.sentences]


def resting_on(unit: Unit, citations: Sequence[CheckedCitation], units: Sequence[Unit]) -> list[CheckedCitation]:
    """The citations that a unit came from, cut down to it where it is one sentence of theirs."""
    first, last = unit.sentences[0][0], unit.sentences[-1][1]
    kept: list[CheckedCitation] = []
    for citation, other in zip(citations, units, strict=True):
        if other == unit:
            kept.append(citation)
        elif other.block == unit.block and set(unit.sentences) < set(other.sentences):
            start, end = max(first, citation.start), min(last, citation.end)
            kept.append(
                replace(
                    citation, quote=unit.block.text[start:end], start=start, end=end, sentence_start=first,
                    sentence_end=last, sentence=unit.text, lead_in=unit.lead_in, flush=unit.flush,
                )
            )  # fmt: skip
    return kept


def distinct(units: Iterable[Unit]) -> list[Unit]:
    """Without repeated units, and without those whose words are another's lead-in or flush."""
    once: list[Unit] = []
    for unit in units:
        if unit not in once:
            once.append(unit)

    def covered(unit: Unit) -> bool:
        words = fold(unit.text)
        return any(
            words in fold(part)
            for other in once
            if other is not unit and other.block.urn != unit.block.urn
            for part in (other.lead_in, other.flush)
            if part
        )

    return [unit for unit in once if not covered(unit)] or once


def _continues(before: Unit | None, unit: Unit) -> bool:
    """Whether a unit is the next item of the same list."""
    return before is not None and bool(unit.lead_in) and before.lead_in == unit.lead_in


def _around(units: Sequence[Unit]) -> list[Around]:
    return words_around([Told(unit.block.urn, unit.text, unit.lead_in, unit.flush) for unit in units])


def norm_text(units: Sequence[Unit], *, bare: bool = False, verbatim: bool = False, join: str = "") -> str:
    """The norm in words: each list's lead-in once, its cited items, its flush.

    Args:
        units: in the order of the citations.
        bare: leave out lead-ins that the sentences do not need.
        verbatim: keep the conjunction that joins the last cited item to the next (`; or`).
        join: the list's conjunction, to be before the last of several items cited.
    """
    parts: list[str] = []
    for index, (unit, around) in enumerate(zip(units, _around(units), strict=True)):
        before = units[index - 1] if index else None
        after = units[index + 1] if index + 1 < len(units) else None
        if around.lead_in and not (bare and unit.lead_in_optional):
            parts.append(around.lead_in)
        last_item = after is None or not _continues(unit, after)
        if join and last_item and _continues(before, unit) and not _CONJUNCTION.search(parts[-1]):
            parts.append(join)
        parts.append(_GLUE.sub("", unit.text) if last_item and unit.is_leaf and not verbatim else unit.text)
        if around.flush:
            parts.append(around.flush)
    return without_break_hints(" ".join(" ".join(part.split()) for part in parts))


@dataclass(frozen=True, slots=True)
class _Piece:
    unit: int
    begins: bool  # with the beginning of its unit, its lead-in apart
    core: tuple[str, ...]
    tail: tuple[str, ...]  # closing punctuation and conjunction: may be left out
    optional: bool
    may_start: bool
    may_end: bool
    continues: bool  # its first letter's case may be changed


def _piece(
    text: str, unit: int, *, begins: bool = False, optional: bool, may_start: bool, may_end: bool, continues: bool
) -> _Piece:
    tokens: list[str] = _PART.findall(fold(text))
    cut = len(tokens)
    while cut and tokens[cut - 1] in _TRAILING:
        cut -= 1
    if cut > 1 and tokens[cut - 1] in _CONJUNCTIONS and tokens[cut - 2] in {";", ","}:
        cut -= 1
        while cut and tokens[cut - 1] in _TRAILING:
            cut -= 1
    return _Piece(unit, begins, tuple(tokens[:cut]), tuple(tokens[cut:]), optional, may_start, may_end, continues)


def _pieces(units: Sequence[Unit]) -> list[_Piece]:
    out: list[_Piece] = []
    for index, (unit, around) in enumerate(zip(units, _around(units), strict=True)):
        for words, repeated in ((around.shared_lead_in, True), (around.lead_in, False)):
            optional = repeated or unit.lead_in_optional
            may_start = repeated or not around.shared_lead_in
            out.append(_piece(words, index, optional=optional, may_start=may_start, may_end=False, continues=False))
        for number, span in enumerate(unit.sentences):
            leaf = number == 0 and bool(unit.lead_in)
            last = number == len(unit.sentences) - 1
            out.append(
                _piece(
                    unit.block.text[slice(*span)],
                    index,
                    begins=number == 0,
                    optional=False,
                    may_start=not leaf or unit.lead_in_optional,
                    may_end=not (last and unit.flush),
                    continues=leaf,
                )
            )
        for words, repeated in ((around.flush, False), (around.shared_flush, True)):
            may_end = repeated or not around.shared_flush
            out.append(_piece(words, index, optional=repeated, may_start=False, may_end=may_end, continues=True))
    return [piece for piece in out if piece.core]


def _consume(claim: tuple[str, ...], position: int, piece: _Piece) -> int | None:
    """The position in the claim after this piece, or None where the claim says something else."""
    size = len(piece.core)
    found = claim[position : position + size]
    if found != piece.core:
        same_but_case = found[1:] == piece.core[1:] and [*found[:1]] and found[0].lower() == piece.core[0].lower()
        if not (piece.continues and same_but_case and len(found) == size):
            return None
    position += size
    for token in piece.tail:
        if position < len(claim) and claim[position] == token:
            position += 1
    return position


def stated_units(claim: str, units: Sequence[Unit]) -> list[Unit] | None:
    """The units whose beginnings a claim states word for word; None where it is no run of whole sentences of them.

    Each stands with its lead-in and flush, in the order given. White space, typographic marks, punctuation at the end
    of a sentence and of a lead-in, and the case of a list item's first letter may differ; nothing else may.
    """
    tokens: tuple[str, ...] = tuple(_PART.findall(fold(claim)))
    pieces = _pieces(units)
    for start, first in enumerate(pieces):
        if not first.may_start:
            continue
        positions = {0}
        for place, piece in enumerate(pieces[start:], start=start):
            reached = {after for position in positions if (after := _consume(tokens, position, piece)) is not None}
            if piece.may_end and any(all(token in _TRAILING for token in tokens[after:]) for after in reached):
                return [units[piece.unit] for piece in pieces[start : place + 1] if piece.begins]
            positions = reached | (positions if piece.optional and piece is not first else set[int]())
            if not positions:
                break
    return None


def conjunction(units: Sequence[Unit], evidence: Evidence) -> str:
    """The word that joins the items of the list that several units are cited from; empty where there is none."""
    if not any(_continues(before, unit) for before, unit in pairwise(units)):
        return ""
    leaves = [unit for unit in units if unit.is_leaf]
    return " ".join({word for unit in leaves for word in _joins(unit, evidence)}) if leaves else ""


def _family(unit: Unit, evidence: Evidence) -> list[EvidenceBlock]:
    return [other for other in evidence.siblings(unit.block) if other.lead_in == unit.block.lead_in]


def _joins(unit: Unit, evidence: Evidence) -> set[str]:
    """The conjunctions that the items of a unit's list end with."""
    items = (unit.block, *_family(unit, evidence))
    return {match[1].lower() for item in items if (match := _CONJUNCTION.search(item.text))}


def part_of_list(units: Sequence[Unit], evidence: Evidence) -> CutList[EvidenceBlock] | None:
    """The list of which units state a part that may not stand alone; None where they state none.

    Args:
        units: what a claim states, each with its lead-in.
        evidence: what else the list has.
    """
    for unit in units:
        if finishes_list(unit.block.text, unit.sentences[0][0], unit.block.breaks):
            listed = [
                block for block in evidence.blocks if block.urn.startswith(f"{unit.block.urn}:") and block.lead_in
            ]
            if listed and not any(other.block in listed for other in units):
                size = sum(len(block.text) for block in listed) + len(unit.lead_in) + len(unit.text)
                return CutList(tuple(listed), size <= LONGEST_LIST)
    told = [unit.block.urn for unit in units if not unit.block.text[: unit.sentences[0][0]].strip()]
    alone = {unit.block.urn for unit in units if unit.lead_in and not unit.is_leaf}
    return cut_list([urn for urn in told if urn not in alone], evidence.blocks, evidence.language) if told else None


def _is_entry(block: EvidenceBlock, evidence: Evidence) -> bool:
    """Whether a block is an entry of a list of definitions, which others leave as it is; a part of an entry is none."""
    above = evidence.versions(block.urn.rpartition(":")[0])
    return block.role == "definition" and not any(other.role == "definition" for other in above)


def unit_notes(units: Sequence[Unit], evidence: Evidence) -> list[Reason]:
    """What the reader should know of the sentences themselves."""
    notes: list[Reason] = []
    if any(unit.is_open for unit in units):
        notes.append(Reason.OPEN_SENTENCE)
    items = [
        unit.block.urn
        for unit in units
        if unit.is_leaf and not unit.lead_in_optional and not _is_entry(unit.block, evidence)
    ]
    if items and not tells_whole_lists(items, evidence.blocks, evidence.language):
        notes.append(Reason.LIST_ITEM)
    return notes
