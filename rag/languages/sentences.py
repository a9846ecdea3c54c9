"""Sentence boundaries in legal text. Where in doubt the sentence goes on: a longer sentence hides nothing.

What ends a sentence:
* `.`, `!`, `?` with the quotes and brackets that close after it, before white space and a possible sentence start;
  not after an abbreviation, an initial, an ordinal or a leading designator (`1.`, `(a)`, `Sec. 5.`), and not inside
  matched brackets;
* the full stops of scripts that do not space words, outside brackets;
* a line feed after terminal punctuation; a line feed before a designated paragraph; a blank line. The last two only
  where the line before is not open, that is, does not end in `:`, `;`, `,`, a dash or a conjunction.
Lists joined by semicolons therefore stay one sentence, with their lead-in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from rag.languages.base import SentenceRules
from rag.languages.registry import language_of

# Abbreviations that all languages share, beside their own (`SentenceRules`).
_SHARED = SentenceRules(
    bound=frozenset({"v", "vs", "e.g", "i.e", "cf", "viz", "dr"}),
    counted=frozenset(
        {
            "§", "§§", "art", "arts", "no", "nos", "nr", "n", "ch", "cl", "s", "vol", "vols", "fig", "figs", "p", "pp",
            "cap", "ed", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
        }
    ),
    open=frozenset({"inc", "corp", "co", "ltd", "llc", "etc", "jr", "sr", "gmbh", "s.a", "art", "nr", "ed"}),
)  # fmt: skip
_CLOSERS = "\"'”’»)]}›」』）】〉》"
_QUOTES = "\"'“”‘’«»„‹›*"
_FULL_WIDTH = "。！？｡"
_TERMINATORS = re.compile(
    rf"[.!?…{_FULL_WIDTH}][.!?…{_FULL_WIDTH}]*[{re.escape(_CLOSERS)}]*(?:[ \u00a0\u202f]»(?=\s|\Z))?|\n+"
)
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«„,;:/]+\Z")
_LEADING_DESIGNATOR = re.compile(
    r"""[\s"'“‘«„(]*
        (?:(?:§{1,2}|sec(?:tion|\.)?|art(?:icle|ikel|\.)?|rule|chapter|part|title|schedule|appendix|regulation)\s*)?
        (?:[a-z]\.?\s?)??
        (?:\d[\w:~.-]{0,14}|[ivxlcdm]{1,7}|[a-z]{1,2})\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_DESIGNATED = re.compile(
    r"[\"'“‘«„]?(?:[(\[][0-9a-z]{1,6}(?:-[0-9a-z]{1,3})?[)\]]|\d{1,4}[a-z]{0,3}[.)]\s|[a-z]{1,4}[.)]\s|§|"
    r"(?:sec|art)\.\s?\w|(?:section|article|artikel)\s\d|[-•–—]\s|[①-⑳]|第[0-9０-９〇一二三四五六七八九十百千]+[条項号])",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<![\w.,])\d{1,2}\.(?=\s[^\W\d_])")
_SHORT = re.compile(r"[^\W\d_]{1,4}")
_SIGNED = re.compile(r"[^\W\d_]|[^\W\d_aeiouyäöüàâéèêëîïôûù]{2,6}")
_COUNTS = re.compile(r"\d(?!\d{0,2}[.)]\s+[\"“„«(]*[^\W\d_a-zà-ÿ])")
_PAIRS = {")": "(", "]": "[", "」": "「", "』": "『", "）": "（", "】": "【"}


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of a language with those that all share."""

    words: SentenceRules
    open_line: re.Pattern[str]


@cache
def _rules(tag: str) -> _Rules:
    own = language_of(tag).sentences
    joined = SentenceRules(
        own.bound | _SHARED.bound, own.counted | _SHARED.counted, own.open | _SHARED.open, own.starters, own.joints,
        own.ordinals,
    )  # fmt: skip
    joints = rf"|\b(?:{'|'.join(own.joints)})\b" if own.joints else ""
    return _Rules(joined, re.compile(rf"(?:[:;,\-–—―，、；：]{joints})[\"'”’»]?\s*\Z", re.IGNORECASE))


def _bracketed(text: str) -> list[tuple[int, int]]:
    """Outermost matched bracket spans in order; brackets without partner, and pairs over a blank line, are ignored."""
    stack: list[tuple[str, int]] = []
    spans: list[tuple[int, int]] = []
    for match in re.finditer(r"[()\[\]「」『』（）【】]|\n\s*\n", text):
        char, index = match[0], match.start()
        if char[0] == "\n":
            stack.clear()
        elif char not in _PAIRS:
            stack.append((char, index))
        elif stack and stack[-1][0] == _PAIRS[char]:
            opened = stack.pop()[1]
            while spans and spans[-1][0] > opened:
                spans.pop()
            spans.append((opened, index))
    return spans


def _abbreviated(text: str, start: int, stop: int, following: str, rules: SentenceRules) -> bool:
    """Whether the full stop at `stop` belongs to an abbreviation, initial, ordinal or leading designator."""
    window = text[max(start, stop - 40) : stop]
    found = _LAST_WORD.search(window)
    if found is None:
        return window.endswith("§")
    word = found[0].lower().strip(_QUOTES)
    next_word = re.match(r"\w+", following)
    starter = next_word is not None and next_word[0].lower() in rules.starters
    counted = re.match(r"[(\[]?(?:\d|[IVXLCDM]+\b|[A-Z]\b|[a-z]\b|[A-Z][.\s*-]{0,2}\d)|§", following) is not None
    if word in rules.bound:
        return True
    if word in rules.counted and counted and not (starter and following[:1].isupper() and len(following) > 1):
        return True
    if len(word) == 1 and f"{word}.{following[:1]}".lower() in rules.bound and following[1:2] == ".":
        return True
    if len(word) == 1 and re.search(r"\b(?:z|d|u|i|e)\.\s\w\Z", window):  # z. B., d. h., i. e.
        return f"{window[-4]}.{word}".lower() in rules.bound
    if len(word) == 1 and word.isalpha() and found[0].isupper():
        return not starter
    if re.fullmatch(r"(?:\w{1,4}\.)+\w{1,4}", word) and not word[0].isdigit():
        return not starter
    if rules.ordinals and re.fullmatch(r"\d{1,2}", word):
        return not starter
    if _counts(word, following):
        return True
    return word in rules.open and not starter and next_word is not None


def _counts(word: str, following: str) -> bool:
    """Whether a short token is an abbreviation by what follows it, in any language: a number that is no designator of
    the next sentence (`c. 186`), or after what is no word at all a section sign or a number in brackets (`s. § 3`).
    """
    if _SHORT.fullmatch(word) and _COUNTS.match(following):
        return True
    return _SIGNED.fullmatch(word) is not None and re.match(r"§|\d|\(\d+\)\s[^\W\d_A-ZÀ-Ý]", following) is not None


def _ends(text: str, start: int, match: re.Match[str], rules: _Rules) -> bool:
    """Whether the terminator found at `match` ends the sentence that began at `start`."""
    mark, end = match[0], match.end()
    if mark[0] == "\n":
        line = text[max(start, match.start() - 40) : match.start()].rstrip()
        following = text[end : end + 40].lstrip()
        if rules.open_line.search(line):
            return False
        return bool(_DESIGNATED.match(following)) or ("\n" in mark[1:] and not following[:1].islower())
    if mark[0] in _FULL_WIDTH:
        return True
    rest = text[end : end + 48]
    if not rest or rest.isspace():
        return True
    if not rest[0].isspace():
        return False
    line_break = "\n" in rest[: len(rest) - len(rest.lstrip())]
    following = rest.lstrip()
    if mark == ".":
        if _abbreviated(text, start, match.start(), following, rules.words):
            return False
        head = text[start : min(match.start(), start + 31)]
        if len(head) <= 30 and _LEADING_DESIGNATOR.fullmatch(head) and re.search(r"\d|\A\W*\w{1,4}\Z", head):
            return False
    if mark.startswith(("...", "…")) and following[:1].islower():
        return False
    return line_break or not following.lstrip(_QUOTES)[:1].islower()


def split_at(text: str, span: tuple[int, int], breaks: Sequence[int]) -> list[tuple[int, int]]:
    """Cut a span of a text at some offsets; the pieces carry no outer white space, and none is empty."""
    edges = [span[0], *(place for place in sorted(breaks) if span[0] < place < span[1]), span[1]]
    pieces: list[tuple[int, int]] = []
    for start, end in pairwise(edges):
        piece = text[start:end]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            pieces.append((left, left + len(piece.strip())))
    return pieces


def split_sentences(text: str, language: str = "en") -> list[tuple[int, int]]:
    """Split a text into sentences by the rules of the module's docstring. Linear time.

    Args:
        text: any text; nothing is changed or left out.
        language: of the text, a tag such as `de` or `en-GB`; its abbreviations and sentence starts count.

    Returns:
        Half-open spans in order, without surrounding space, that cover every non-space character once.
    """
    rules = _rules(language)
    brackets = _bracketed(text)
    spans: list[tuple[int, int]] = []
    start, bracket = 0, 0

    def close(end: int) -> None:
        nonlocal start
        piece = text[start:end]
        left = len(piece) - len(piece.lstrip())
        if left < len(piece):
            spans.append((start + left, start + len(piece.rstrip())))
            start = end

    while start < len(text) and text[start].isspace():
        start += 1
    for match in _TERMINATORS.finditer(text):
        position = match.start()
        while bracket < len(brackets) and brackets[bracket][1] < position:
            bracket += 1
        if bracket < len(brackets) and brackets[bracket][0] < position < brackets[bracket][1]:
            # A full stop just before the last closing bracket still ends the sentence that the bracket belongs to.
            if match.end() <= brackets[bracket][1]:
                continue
            # A particle behind a quotation goes on with its sentence: 「…。」とされる.
            if text[start] in "「『" and text[match.end() : match.end() + 1] in tuple("とのはをがに"):
                continue
            if text[start] not in '([（「『【"“' or brackets[bracket][0] > start + 1:
                rest = text[match.end() : match.end() + 8].lstrip()
                if rest and not rest[0].isupper() and rest[0] not in '(["“‘«':
                    continue
        if position >= start and _ends(text, start, match, rules):
            close(match.end())
            while start < len(text) and text[start].isspace():
                start += 1
    close(len(text))
    return spans


@lru_cache(maxsize=64)
def sentences_of(text: str, language: str = "en") -> tuple[tuple[int, int], ...]:
    """The same, kept: one request asks for the sentences of a provision many times."""
    return tuple(split_sentences(text, language))


INNER_STOP = "\u2024"  # what `with_inner_stops` puts for the full stop of an ordinal


def with_inner_stops(text: str, language: str) -> str:
    """A text of the same length in which the full stops of ordinals ("14. Lebensjahr") end no clause for a pattern."""
    if INNER_STOP in text or not _rules(language).words.ordinals or _ORDINAL.search(text) is None:
        return text
    ends = {end for _, end in split_sentences(text, language)}
    return _ORDINAL.sub(lambda found: found[0] if found.end() in ends else f"{found[0][:-1]}{INNER_STOP}", text)
