"""Plain text: paragraphs parted by blank lines, pages by form feeds, headings by what a line looks like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path

from rag.ingest.formats.plain.blocks import Block, Cleaner, Reading
from rag.ingest.formats.plain.bytes import decode, read_bytes
from rag.ingest.formats.plain.document import PlainFormat
from rag.ingest.formats.plain.lines import heading_level, mark_headings, without_contents
from rag.ingest.formats.plain.printed import Line, page_marks, running_lines, unparted, usual_width, whole_words
from rag.ingest.formats.plain.source import PlainSource

_SIDES = frozenset("│┃║")
_DRAWN = _SIDES | frozenset("┌├└┏┣┗╔╠╚╟┠╞")
_BARS = re.compile("[│┃║]")
_ENDED = re.compile(r"[.!?。！？][\"'”’»)\]]*\Z")
_FULL = 0.8  # share of the usual width from which on a line may go on behind the end of a page
_LONGEST = 400  # characters of a line that is wrapped
_TAB = 8
_COUNTED = r"(?:§\s?|[A-Z][a-z]{2}\.\s)?(?P<number>\d{1,3})[A-Z]{0,2}(?:[.)]|\.?[\u2013\u2014-]?\(1\)|\s)\s{0,8}\S"
_MARGIN = re.compile(rf"(?P<note>[^\W\d_].{{0,40}}?)\s{{2,}}(?=(?P<counted>{_COUNTED}))")
_COUNTED_AT = re.compile(_COUNTED)
_LEAST_NOTES = 3
_GUTTER = 2  # spaces, at the least, between a note in the margin and the text
_CENTRED = 0.3  # of half the usual width, by which the middle of a line may lie beside it
_RISING = 0.8  # share of the numbers beside notes that follow the one before
_NUMBERED = re.compile(r"[(\[]?(?:§|\d|[IVXLC]{1,6}[.)]|[A-Za-z][.)])")
_WRAPPED = 0.5  # share of the usual width from which on a centred line may go on below


class PlainText(PlainFormat):
    """Format `plain_text`."""

    name = "plain_text"
    version = 9

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether it is named as text, which has no signature of its own; reading refuses what is none."""
        return path.suffix.lower() in (".txt", ".text")

    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the file into paragraphs; lines stay as they are.

        Raises:
            IngestError: empty, too large, or no text in UTF-8 or with a byte order mark.
        """
        text, warnings = decode(read_bytes(source), source)
        pages = _line_ends(text).split("\f")
        lines = [
            (line.rstrip().expandtabs(_TAB), number)
            for number, page in enumerate(pages, start=1)
            for line in page.split("\n")
        ]
        lines = _with_notes(_with_centred(_without_running(lines, cleaner)))
        blocks: list[Block] = []
        for part in _paragraphs(_unparted(lines, cleaner)):
            words, starts = "", list[tuple[int, int]]()
            for page, some in groupby(part, key=lambda line: line[1]):
                if cleaned := cleaner.clean("\n".join(line for line, _ in some)):
                    words += "\n" * bool(words)
                    starts.append((len(words), page))
                    words += cleaned
            if words:
                blocks.extend(_with_tables(Block(words, pages=tuple(starts) if len(pages) > 1 else ())))
        blocks, cleaner.counts["contents"] = without_contents(blocks)
        return Reading(mark_headings(blocks), warnings=warnings)


def _paragraphs(lines: Iterable[Line]) -> Iterator[list[Line]]:
    """Runs of lines without a blank one."""
    for blank, run in groupby(lines, key=lambda line: not line[0]):
        if not blank:
            yield list(run)


def _without_running(lines: Sequence[Line], cleaner: Cleaner) -> list[Line]:
    """The lines as they are printed, without those that pages repeat; a paragraph goes on behind the end of a page."""
    plain = [(" ".join(words.split()), page) for words, page in lines]
    running = running_lines(plain) if plain[-1][1] > 1 else set[int]()
    running |= page_marks([("" if place in running else words, page) for place, (words, page) in enumerate(plain)])
    cleaner.counts["running"] += len(running)
    width = usual_width(plain)
    found: list[Line] = []
    before, ended, page_before = "", False, 1
    for place, (words, page) in enumerate(plain):
        ended = ended or place in running or page != page_before
        page_before = page
        if place in running:
            continue
        if words:
            goes_on = _goes_on(before, words, width)
            while ended and goes_on and not found[-1][0]:
                found.pop()
            if ended and not goes_on:
                found.append(("", page))
            before, ended = words, False
        found.append(lines[place])
    return found


def _goes_on(before: str, words: str, width: int) -> bool:
    """Whether a paragraph goes on from the last line of a page to the first one of the next."""
    if not before or _ENDED.search(before) or heading_level(words) or heading_level(before):
        return False
    return words[0].islower() or len(before) >= _FULL * width


def _unparted(lines: Sequence[Line], cleaner: Cleaner) -> Iterator[Line]:
    """The lines; of a word that is parted by a hyphen at the end of one, the rest is put behind its beginning."""
    whole = whole_words(lines)
    before: Line | None = None
    for line, page in lines:
        words = line.lstrip()
        if before and words and len(before[0]) <= _LONGEST and (parts := unparted(before[0], words, whole)) is not None:
            cleaner.counts["hyphens"] += parts[1]
            rest, _, words = words.partition(" ")
            before = parts[0] + rest, before[1]
            if not words:
                continue
            line = words
        if before:
            yield before
        before = line, page
    if before:
        yield before


def _with_notes(lines: Sequence[Line]) -> list[Line]:
    """The lines, the notes in the margin left of the numbers as captions above them: "Grazing.    5.  No person".

    They are there where the numbers that notes stand beside begin in one column and rise, and text goes on below or
    ends in a mark, as that of a table does not.
    """
    columns: dict[int, list[tuple[int, bool]]] = {}
    for place, (line, _) in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if match := _MARGIN.match(line, indent):
            column = match.start("counted")
            below = lines[place + 1][0] if place + 1 < len(lines) else ""
            goes_on = below[column:].strip() != "" and not _COUNTED_AT.match(below, column)
            columns.setdefault(column, []).append((int(match["number"]), goes_on or _ENDED.search(line) is not None))
    column, found_at = max(columns.items(), key=lambda one: len(one[1]), default=(0, list[tuple[int, bool]]()))
    rising = sum(0 <= later - earlier <= _LEAST_NOTES for (earlier, _), (later, _) in pairwise(found_at))
    texts = sum(text for _, text in found_at)
    if len(found_at) < _LEAST_NOTES or rising + 1 < _RISING * len(found_at) or 2 * texts < len(found_at):
        return list(lines)
    found: list[Line] = []
    last = 0
    for _, some in groupby(lines, key=lambda line: not line[0]):
        run = list(some)
        if not any(_parts_at(line, column, last) and _COUNTED_AT.match(line, column) for line, _ in run):
            found.extend(run)
            continue
        note: list[Line] = []
        text: list[Line] = []
        goes_on = False  # whether the line before has a part of the note, and no end of it
        for line, page in run:
            beside, counted = _parts_at(line, column, last), _COUNTED_AT.match(line, column)
            last = int(counted["number"]) if beside and counted else last
            if beside and not (goes_on and not counted):
                found.extend((*_caption(note), *text))
                note, text = [], []
            if beside:
                note.append((line[:column].strip(), page))
                text.append((" " * column + line[column:], page))
            elif goes_on and len(line) < column:
                note.append((line.strip(), page))
            else:
                text.append((line, page))
            goes_on = (beside or (goes_on and len(line) < column)) and not note[-1][0].endswith(".")
        found.extend((*_caption(note), *text))
    return found


def _parts_at(line: str, column: int, last: int) -> bool:
    """Whether a line has words left of a column, and from it on others behind a gap, or the number after the last."""
    note, text = line[:column].rstrip(), line[column:].lstrip()
    if not (note and text) or len(note) == column:
        return False
    counted = _COUNTED_AT.match(line, column)
    follows = counted is not None and 0 <= int(counted["number"]) - last <= _LEAST_NOTES
    return len(line) - len(text) - len(note) >= _GUTTER or follows


def _caption(note: Sequence[Line]) -> Iterator[Line]:
    words = ""
    for line, _ in note:
        words = f"{words[:-1]}{line}" if words.endswith("-") and line[:1].islower() else f"{words} {line}".strip()
    if words:
        yield "", note[0][1]
        yield words.removesuffix("."), note[0][1]


def _with_centred(lines: Sequence[Line]) -> list[Line]:
    """The lines; a centred caption that goes on below on one line, a title that does in small letters in one block."""
    width = usual_width(lines)
    found: list[Line] = []
    over, gap = "", False  # the last line with words as it is printed, and whether a blank one is below it
    for line, page in lines:
        if not line:
            found.append((line, page))
            gap = bool(over)
            continue
        words, before = line.strip(), over.strip()
        centred = bool(over) and _are_centred(over, line, width / 2)
        numbered = any(_NUMBERED.match(one) or heading_level(one) > 1 for one in (words, before) if one)
        wraps = (
            bool(found)
            and len(found[-1][0].strip()) >= _WRAPPED * width
            and before.isupper() == words.isupper()
            and not _ENDED.search(before)
        )
        if centred and not gap and wraps and not numbered and before[0].isupper() and len(found[-1][0]) <= _LONGEST:
            found[-1] = f"{found[-1][0]} {words}", found[-1][1]
        elif centred and gap and words[0].islower() and not numbered and len(found) > 1 and found[-2][0]:
            found[-1] = line, page
        else:
            found.append((line, page))
        over, gap = line, False
    return found


def _are_centred(over: str, line: str, middle: float) -> bool:
    """Whether two lines have the same middle, near that of the text, and begin in different columns."""
    left, above = len(line) - len(line.lstrip()), len(over) - len(over.lstrip())
    off = (left + len(line)) / 2 - (above + len(over)) / 2
    return (
        abs(off) <= 1
        and left != above
        and min(left, above) > 0
        and abs((left + len(line)) / 2 - middle) <= _CENTRED * middle
    )


def _with_tables(block: Block) -> Iterator[Block]:
    """A paragraph in its order, the tables in it that are drawn with lines as blocks of rows: "│Fee │£5 │"."""
    for number, (drawn, lines) in enumerate(groupby(block.text.split("\n"), lambda line: line[:1] in _DRAWN)):
        text = "\n".join(_cells(line) for line in lines if line[:1] in _SIDES) if drawn else "\n".join(lines)
        if text:
            yield replace(block, text=text, rows=drawn, tight=bool(number))


def _cells(line: str) -> str:
    return " | ".join(cell.strip() for cell in _BARS.split(line)[1:-1])


def _line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
