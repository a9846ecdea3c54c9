"""A quotation beside the law's text: where it stands, what an ellipsis leaves out, how it differs. Pure.

Brackets and ellipses are read as the legal convention has them: `[t]he` changes the case of a letter, words in
brackets are the author's and may stand for a few of the text's, and an ellipsis leaves words out. What it leaves out
must not turn the meaning.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import groupby, pairwise

from rag.citecheck.words import Element, SourceWords, clean_quotation, compared, elements_of, without_edits
from rag.languages.base import Kind
from rag.languages.operators import read_in
from rag.languages.text import fold, locate

MAX_EDIT = 12  # words of the text that words in brackets may stand for
_MAX_STARTS = 200  # places looked at for the first run of words
_ALIGNED = 400  # words that a nearest passage is aligned over
NEAR = 0.6  # share of common words from which a passage counts as what was meant
_SHOWN = 3  # differences named
_STRAY = 2  # words: a common run no longer than this counts only close to the others
_ADDED = re.compile(r"\s*\[[^\[\]]*\]\s*")
_OUTER = " .,;:!?\"'()-"


@dataclass(frozen=True)
class Passage:
    """The law's texts that a quotation is looked for in, in document order; their words are split when first needed."""

    urns: tuple[str, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, nodes: Sequence[tuple[str, str]]) -> Passage:
        """A passage of (URN, text) pairs."""
        return cls(tuple(urn for urn, _ in nodes), tuple(text for _, text in nodes))

    @cached_property
    def words(self) -> SourceWords:
        """All words in order."""
        return SourceWords(self.texts)

    def places(self, word: str) -> list[int]:
        """Positions in `words` of a word in its compared form."""
        if word not in self._places:
            self._places[word] = [position for position, other in enumerate(self.words.texts) if other == word]
        return self._places[word]

    def lacks(self, words: Iterable[str]) -> bool:
        """Whether one of some words in their compared form is in no text, which is known before they are split."""
        return not all(word in self._compared for word in words)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        return {}

    @cached_property
    def _compared(self) -> str:
        return " ".join(map(compared, self.texts))


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words of the text: positions in `Passage.words`, half-open."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Found:
    """Where a quotation stands: its runs of words, and what the author put in place of the words between two runs."""

    runs: tuple[Run, ...]
    between: tuple[Element, ...]  # one less than runs; an ellipsis or words in brackets
    added: tuple[str, ...] = ()  # words in brackets before the first run or after the last


@dataclass(frozen=True, slots=True)
class Nearest:
    """The passage most like a quotation that is nowhere: how like, where, and how it differs."""

    share: float
    urn: str
    differences: tuple[str, ...]


def find_in(passage: Passage, elements: Sequence[Element]) -> Found | None:
    """Where a quotation's words are in a passage, in order: the first of `places_in`; None where they do not."""
    return next(iter(places_in(passage, elements)), None)


def places_in(passage: Passage, elements: Sequence[Element]) -> list[Found]:
    """The places where a quotation's words are in a passage, in order, with the fewest words left out."""
    runs: list[list[str]] = []
    between: list[Element] = []
    added: list[str] = []
    for is_word, group in groupby(elements, key=lambda one: one.kind == "word"):
        part = list(group)
        if is_word:
            runs.append([element.text for element in part])
            continue
        if not runs:
            added += [element.text for element in part if element.kind == "edit"]
        else:
            # Brackets beside an ellipsis: the ellipsis says that more was left out, the brackets what was put in.
            edits = " ".join(element.text for element in part if element.kind == "edit")
            gap = any(element.kind == "gap" for element in part)
            between.append(Element("gap" if gap else "edit", edits))
    if len(between) == len(runs) and between:
        added.append(between.pop().text)
    if not runs or passage.lacks(word for run in runs for word in run):
        return []
    found = [
        placed
        for first in passage.places(runs[0][0])[:_MAX_STARTS]
        if (placed := _place(passage, runs, between, first)) is not None
    ]
    shortest = min((placed[-1].last - placed[0].first for placed in found), default=0)
    return [
        Found(placed, tuple(between), tuple(word for word in added if word))
        for placed in found
        if placed[-1].last - placed[0].first == shortest
    ]


def _place(passage: Passage, runs: list[list[str]], between: list[Element], first: int) -> tuple[Run, ...] | None:
    placed: list[Run] = []
    for index, run in enumerate(runs):
        if index == 0:
            at = first if _stands(passage, run, first) else None
        else:
            after = placed[-1].last
            limit = len(passage.words) if between[index - 1].kind == "gap" else after + MAX_EDIT
            at = _next(passage, run, after, limit)
        if at is None:
            return None
        placed.append(Run(at, at + len(run)))
    return tuple(placed)


def _stands(passage: Passage, run: Sequence[str], at: int) -> bool:
    return passage.words.texts[at : at + len(run)] == [*run]


def _next(passage: Passage, run: Sequence[str], after: int, limit: int) -> int | None:
    places = passage.places(run[0])
    ahead = places[bisect_left(places, after) : bisect_right(places, limit)]
    return next((at for at in ahead[:_MAX_STARTS] if _stands(passage, run, at)), None)


def is_exact(passage: Passage, found: Found, quotation: str) -> tuple[bool, bool]:
    """Whether a quotation in one run has the text's punctuation, and whether it has its capitals too.

    Punctuation at its ends does not count, for English quotations take the sentence's own inside the marks; nor does
    punctuation where the words run over several nodes, for the designators between them are not part of the texts.
    """
    [run] = found.runs
    touched = {word.node for word in passage.words[run.first : run.last]}
    if len(touched) > 1:
        return True, True
    text = passage.texts[touched.pop()]
    wanted = _ADDED.sub(" ", without_edits(quotation)).strip(_OUTER)  # of one run what is put in stands at its ends
    if locate(wanted, text):
        return True, True
    return fold(wanted).casefold() in fold(text).casefold(), False


def words_between(passage: Passage, left: Run, right: Run) -> str:
    """What is in the text between two runs."""
    return _text_of(passage, left.last, right.first)


def _text_of(passage: Passage, first: int, last: int) -> str:
    pieces: list[str] = []
    for node, group in groupby(passage.words[first:last], key=lambda word: word.node):
        words = list(group)
        pieces.append(passage.texts[node][words[0].start : words[-1].end])
    return " ".join(pieces)


def run_text(passage: Passage, run: Run) -> str:
    """The text of a run."""
    return _text_of(passage, run.first, run.last)


def changes_by_brackets(replaced: str, inserted: str) -> bool:
    """Whether words in brackets have another operator, number or party than the words they stand for (English)."""
    if not inserted:
        return False
    old, new = read_in("en", replaced), read_in("en", inserted)
    kinds = [kind for kind in Kind if kind not in (Kind.NEUTRAL, Kind.VOICE, Kind.DESIGNATOR, Kind.PARTY)]
    if any(old.sequence(kind) != new.sequence(kind) for kind in kinds):
        return True
    # A pronoun may be explained by a party; a party may not become another one.
    return bool(old.sequence(Kind.PARTY)) and old.sequence(Kind.PARTY) != new.sequence(Kind.PARTY)


def nearest(passage: Passage, quotation: str) -> Nearest | None:
    """The passage most like a quotation, where at least `NEAR` of the words are common; None where there is none."""
    wanted = [element.text for element in elements_of(clean_quotation(quotation)) if element.kind == "word"]
    source = passage.words.texts
    if not wanted or not source:
        return None
    size = min(len(wanted), len(source))
    first = _densest(source, Counter(wanted), size)
    slack = max(3, size // 3)
    low, high = max(0, first - slack), min(len(source), first + size + slack)
    wanted, window = wanted[:_ALIGNED], source[low:high][: _ALIGNED + 2 * slack]
    blocks = _aligned(wanted, window)
    common = sum(size for _, _, size in blocks)
    # "retention of title" is not like "retention by the seller of the title": two of its words have to be in a row.
    if common / len(wanted) < NEAR or max(size for _, _, size in blocks) < min(2, len(wanted) - 1):
        return None
    # Words that differ at the ends stand beside as many words of the text.
    begin = max(0, blocks[0][1] - blocks[0][0])
    end = min(len(window), blocks[-1][1] + len(wanted) - blocks[-1][0])
    told: list[str] = []
    for left, right in pairwise([(0, begin, 0), *blocks, (len(wanted), end, 0)]):
        quoted = " ".join(wanted[left[0] + left[2] : right[0]])
        text = _text_of(passage, low + left[1] + left[2], low + right[1])
        if quoted or text:
            told.append(_difference(quoted, text))
    shown = told[:_SHOWN] + ([f"and {len(told) - _SHOWN} more differences"] if len(told) > _SHOWN else [])
    urn = passage.urns[passage.words[low + blocks[0][1]].node]
    return Nearest(common / len(wanted), urn, tuple(shown))


def _aligned(wanted: Sequence[str], window: Sequence[str]) -> list[tuple[int, int, int]]:
    """Common runs as (place in the quotation, place in the window, length), in order.

    From the longest outwards: a single word far off is no part of the passage, but the same word by chance.
    """
    found = SequenceMatcher(None, wanted, window, autojunk=False).get_matching_blocks()
    blocks = [
        (matching_block.a, matching_block.b, matching_block.size) for matching_block in found if matching_block.size
    ]
    if not blocks:
        return []
    longest = max(range(len(blocks)), key=lambda place: blocks[place][2])
    kept = [blocks[longest]]
    for block in blocks[longest + 1 :]:
        last = kept[-1]
        if block[2] > _STRAY or block[1] - last[1] - last[2] <= block[0] - last[0] - last[2] + _STRAY:
            kept.append(block)
    for block in reversed(blocks[:longest]):
        next_ = kept[0]
        if block[2] > _STRAY or next_[1] - block[1] - block[2] <= next_[0] - block[0] - block[2] + _STRAY:
            kept.insert(0, block)
    return kept


def _densest(source: Sequence[str], wanted: Counter[str], size: int) -> int:
    """Where the window of `size` words begins that has most of the wanted words."""
    have: Counter[str] = Counter()
    score = best = place = 0
    for position, word in enumerate(source):
        have[word] += 1
        score += have[word] <= wanted[word]
        if position >= size:
            gone = source[position - size]
            score -= have[gone] <= wanted[gone]
            have[gone] -= 1
        if score > best:
            best, place = score, max(0, position - size + 1)
    return place


def _difference(quoted: str, text: str) -> str:
    """A difference in words, without the words that both sides begin with."""
    ours, theirs = quoted.split(), text.split()
    while ours and theirs and ours[0] == compared(theirs[0]):
        del ours[0], theirs[0]
    quoted, text = " ".join(ours), " ".join(theirs)
    if quoted and text:
        return f"the text has “{text}” where the quotation has “{quoted}”"
    return f"the text also has “{text}”" if text else f"the text does not have “{quoted}”"
