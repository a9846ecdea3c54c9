"""Paragraphs and headings of text without mark-up, by what the lines look like.

Only a line that stands alone can be a heading, and it never parts from what follows it. Whatever is taken for a heading
stays in the text, so a wrong guess costs a cut between chunks and no words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rag.ingest.formats.plain.blocks import Block

_MOST = 100  # characters of a heading line
# Words that count what provisions stand in, and never provisions where something is counted below them.
_TOPS = ("part", "title", "book", "division", "teil", "buch", "hauptstück", "partie", "titre", "livre")
_MIDDLES = (
    "subtitle", "subpart", "subdivision", "chapter", "subchapter", "titel", "untertitel", "kapitel", "unterkapitel",
    "chapitre", "abschnitt", "unterabschnitt",
)  # fmt: skip
CONTAINERS = frozenset((*_TOPS, *_MIDDLES))
_UNIT = re.compile(
    rf"(?:(?P<top>{'|'.join(_TOPS)})|(?P<middle>{'|'.join(_MIDDLES)})"
    r"|article|artikel|section|schedule|annex|appendix|anlage|anhang|annexe|exhibit|clause)"
    r"\s+(?:\d[\w.]*|[ivxlcdm]+|[a-z])\b(?P<rest>.*)",
    re.IGNORECASE,
)
_SIGN = re.compile(r"(?:§+\s?\d[\w.]*|第[0-9０-９〇一二三四五六七八九十百千]+(?P<kanji>[編章節款条]))(?P<rest>.*)")
_NUMBERED = re.compile(r"(?P<number>\d{1,3}[A-Z]?(?:\.\d{1,3}){0,4})\.?\s+(?=[^\W\d_a-zß-ÿ])(?P<rest>.*)")
ENDED = re.compile(r"[.!?。！？;:,；：，][\"'”’»)\]]*\Z")
_OPEN = re.compile(r"[:;,：；，–—-]\s*\Z")
_SMALL_ITEM = re.compile(r"(?:[(（]?[a-z\d]{1,4}[)）]|[a-z\d]{1,3}\.|[•–-])\s+[a-zß-ÿ]")
_MOST_LETTERS = 8
_MOST_BEFORE = 40  # numbered lines before a table of contents
_LEAST_CONTENTS = 3  # numbered lines of a table of contents
_MOST_NAME = 3  # words of what it is called
_WORDS = re.compile(r"\w+")
_LEADING = re.compile(r"(?:[^\W\d_]+\.?\s|§\s?)?(\d+(?:[.-]\d+)*[A-Za-z]?)(?!\w)")  # the number that a line begins with
_PROVISIONS_TOLD = re.compile(r"\s?[（(]第[^（）()]{1,20}条(?:の\w{1,3})?[)）]\s*\Z")  # "第１章 総則（第１条―第４条）"
_SPACED = re.compile(r"附\s則")
_COUNTS = re.compile(
    r"\W*(?:[^\W\d_]+\.?\s+)?(?:[A-Z]{0,3}[.\s]?\d|[A-Z](?=[.:)])|[IVXLC]+\b)|第"
)  # how a line with a number begins
_MOST_WORDS = 6  # of a caption in capitals
_KANJI = {"編": 1, "章": 2, "節": 3, "款": 4, "条": 5}


def heading_level(line: str) -> int:
    """The rank that a line would have as a heading, from 1; 0 where it does not look like one."""
    if not line or len(line) > _MOST or ENDED.search(line):
        return 0
    if match := _UNIT.fullmatch(line):
        # "Section 5 applies" is the beginning of a sentence: what follows a number in a heading has a capital.
        if re.match(r"\s+[a-zß-ÿ]", match["rest"]):
            return 0
        return 1 if match["top"] else 2 if match["middle"] else 3
    if match := _SIGN.fullmatch(line):
        return _KANJI[match["kanji"]] if match["kanji"] else 3
    if match := _NUMBERED.fullmatch(line):
        return 3 + match["number"].count(".")
    letters = [char for char in line if char.isalpha()]
    return 1 if len(letters) >= 4 and line.isupper() else 0


def is_title(caption: str) -> bool:
    """Whether words are a caption by their capitals: no more than six, each long one with a capital."""
    return len(caption.split()) <= _MOST_WORDS and in_capitals(caption)


def in_capitals(text: str) -> bool:
    """Whether each long word has a capital."""
    return all(word[0].isupper() or len(word) <= 3 for word in text.split())


def without_contents(blocks: Sequence[Block]) -> tuple[list[Block], int]:
    """The blocks without a table of contents before the law, and how many lines that are.

    It is a run of lines most of which have a number, where nothing numbered is before it, and all of which are lines
    of the law below it again, between which something stands: two forms with the same fields are none. A page number
    may be behind each.
    """
    lines = [(at, line) for at, block in enumerate(blocks) for line in block.text.split("\n")]
    keys = [_WORDS.findall(_SPACED.sub("附則", line.casefold())) for _, line in lines]
    places: dict[str, list[int]] = {}  # the lines by their words, and with those of the next one: "PART I", "LETTING"
    for place, (key, below) in enumerate(zip(keys, [*keys[1:], list[str]()], strict=False)):
        unnamed = key[1:] if len(key) > 2 and key[0].isalpha() and key[1].isdigit() else key  # "Sec. 1187.1 Fees"
        for words in {tuple(key), tuple(key + below), tuple(unnamed)}:
            places.setdefault(" ".join(words), []).append(place)

    above: dict[tuple[str, str], list[int]] = {}  # the lines by their words and the first of the next line
    for place, (key, below) in enumerate(pairwise(keys)):
        above.setdefault((" ".join(key), " ".join(below[:1])), []).append(place)
    begins: dict[str, list[int]] = {}
    for place, (_, line) in enumerate(lines):
        if number := _LEADING.match(line):
            begins.setdefault(number[1], []).append(place)

    def again(place: int) -> int | None:
        """The place of the line that one repeats below it."""
        key = keys[place]
        paged = [key[:-1]] if len(key) > 2 and key[-1].isdigit() else []
        if told := _PROVISIONS_TOLD.search(lines[place][1]):
            paged.append(_WORDS.findall(lines[place][1][: told.start()].casefold()))
        for words in (*paged, key) if key else ():
            alike = places.get(" ".join(words), [])
            if (at := bisect_right(alike, place + 1)) < len(alike):
                return alike[at]
        # "1. Interpretation", which stands above "1. In this Order" without its number.
        for words in (words for words in (*paged, key) if len(words) > 1):
            captions = above.get((" ".join(words[1:]), words[0]), [])
            if (at := bisect_right(captions, place + 1)) < len(captions):
                return captions[at]
        return None

    def numbered_again(place: int) -> int | None:
        """The place of the next line below one that begins with its number: a repealed section has no caption."""
        number = _LEADING.match(lines[place][1])
        alike = begins.get(number[1], []) if number else []
        at = bisect_right(alike, place + 1)
        return alike[at] if at < len(alike) else None

    def is_word(place: int) -> bool:
        """Whether a line is what stands above a column of numbers: "Sec.", "Page"."""
        return len(lines[place][1]) <= _MOST_LETTERS

    numbered = [place for place, (_, line) in enumerate(lines) if _COUNTS.match(line)]
    for first in numbered[:_MOST_BEFORE]:
        start = end = first
        while start and (again(start - 1) is not None or (start > 1 and is_word(start - 1) and again(start - 2))):
            start -= 1
        targets: list[int] = []
        nearest = len(lines)
        for end in range(start, len(lines) + 1):
            target = again(end) if end < nearest else None
            if target is None and targets and end < nearest:
                target = numbered_again(end)
            if target is None and is_word(end) and end + 1 < nearest and again(end + 1) is not None:
                continue
            if target is None:
                break
            nearest = min(nearest, target)
            targets.append(target)
        counted = bisect_left(numbered, end) - bisect_left(numbered, start)
        apart = sum(later - earlier > 1 for earlier, later in pairwise(sorted(targets)))
        if counted >= _LEAST_CONTENTS and 2 * counted >= end - start and 2 * apart >= counted:
            named = start > 1 and len(keys[start - 1]) <= _MOST_NAME and not ENDED.search(lines[start - 1][1])
            start -= named  # what the table is called
            gone: dict[int, list[bool]] = {}
            for place, (at, _) in enumerate(lines):
                gone.setdefault(at, []).append(start <= place < end)
            kept = [_without(block, gone[at]) if any(gone.get(at, ())) else block for at, block in enumerate(blocks)]
            return [block for block in kept if block.text], end - start
    return list(blocks), 0


def _without(block: Block, gone: Sequence[bool]) -> Block:
    """A block without some of its lines; its pages begin where they began."""
    at, text, starts = 0, "", list[tuple[int, int]]()  # of each line: its place, and that of what is kept of it
    for line, left_out in zip(block.text.split("\n"), gone, strict=True):
        starts.append((at, len(text)))
        text += "" if left_out else f"{line}\n"
        at += len(line) + 1
    text = text.removesuffix("\n")
    pages = [
        (min(new + offset - old, len(text)), page)
        for offset, page in block.pages
        for old, new in starts[bisect_right(starts, (offset, at)) - 1 :][:1]
    ]
    return replace(block, text=text, pages=tuple(pages))


def mark_headings(blocks: Sequence[Block]) -> list[Block]:
    """Give paragraphs of one line that look like headings their rank.

    Not where the text before is open, nor where the next paragraph looks like a heading of the same or a higher rank:
    such lines are items of a list or of a table of contents. A sentence that goes on in its items, "2.1 A guest may,
    except", is no heading either.
    """
    levels = [0 if "\n" in block.text or block.rows else heading_level(block.text) for block in blocks]
    marked: list[Block] = []
    for index, one in enumerate(blocks):
        following = levels[index + 1] if index + 1 < len(blocks) else 1
        after_open = index > 0 and not marked[-1].level and _OPEN.search(blocks[index - 1].text) is not None
        below = blocks[index + 1].text if index + 1 < len(blocks) else ""
        goes_on = _SMALL_ITEM.match(below) is not None and not is_title(one.text.lstrip("0123456789. "))
        level = levels[index] if not (after_open or goes_on) and (not following or following > levels[index]) else 0
        marked.append(replace(one, level=level) if level else one)
    return marked
