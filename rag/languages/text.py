"""Text comparison for the verifier: folding with offsets, quote location, and the plain-text rule for claims.

Folding makes two spellings of the same printed words equal and nothing else: Unicode NFC, typographic quotation
marks, hyphens and dashes, runs of white space, and the invisible characters that publishers use as break hints.
Letter case, digits, words and all other punctuation stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

_SINGLE_QUOTES = "‘’‚‛′ʼ`´"
_DOUBLE_QUOTES = "“”„‟″«»"
_DASHES = "‐‑‒–—―"
_BREAK_HINTS = "\u00ad\u200b\u2060\ufeff"
_NO_HINTS = {ord(char): None for char in _BREAK_HINTS}
_FOLDED: dict[str, str] = {
    **dict.fromkeys(_SINGLE_QUOTES, "'"),
    **dict.fromkeys(_DOUBLE_QUOTES, '"'),
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_BREAK_HINTS, ""),
}
_FOLD_TABLE = str.maketrans(_FOLDED)

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_WORD = re.compile(r"\w+")
MIN_QUOTE_WORDS = 3
_MOST_FOLDED, _SLACK = 4, 1_000  # characters that a quote may have for one of the text, and beside that


# White space that does not stay one space, and break hints: what folding makes shorter.
_UNEVEN = re.compile(rf" [\s{_BREAK_HINTS}]+|\A | \Z|[^\S ][\s{_BREAK_HINTS}]*|[{_BREAK_HINTS}][\s{_BREAK_HINTS}]*")
# The same, and letters that NFC may compose with their marks: these are not ASCII, the letter before them may be.
_UNEVEN_OR_MARKED = re.compile(rf"{_UNEVEN.pattern}|[!-~]?[^\x00-\x7f\s{_BREAK_HINTS}]+")


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A folded text, and where its characters come from.

    It is made of runs that are as long as their source and of pieces that are not; `pieces` are the latter, in order:
    the folded span, then the source span.
    """

    text: str
    pieces: tuple[tuple[int, int, int, int], ...]

    def source_start(self, position: int) -> int:
        """Where the source of the folded character at a position starts."""
        piece, shift = self._before(position)
        return piece[2] if piece is not None and position < piece[1] else position + shift

    def source_end(self, position: int) -> int:
        """Where the source of the folded character at a position ends."""
        piece, shift = self._before(position)
        return piece[3] if piece is not None and position < piece[1] else position + shift + 1

    def _before(self, position: int) -> tuple[tuple[int, int, int, int] | None, int]:
        """The last piece that begins at or before a position, and how far the source lies ahead after it."""
        found = bisect_right(self.pieces, position, key=lambda piece: piece[0])
        if not found:
            return None, 0
        piece = self.pieces[found - 1]
        return piece, piece[3] - piece[1]


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Spans that NFC can be applied to one by one: no composition reaches across two of them."""
    start = 0
    for index, char in enumerate(text):
        # Marks and the second and third letters of a Korean syllable are all that can join what is before them.
        joins = unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff"
        if index and not joins:
            yield start, index
            start = index
    if text:
        yield start, len(text)


def _uneven(text: str) -> Iterator[tuple[int, int, str]]:
    """The spans of a text that fold to something of another length or order, and what they fold to."""
    pattern = _UNEVEN if unicodedata.is_normalized("NFC", text) else _UNEVEN_OR_MARKED
    for match in pattern.finditer(text):
        start, end = match.span()
        words = match[0].translate(_NO_HINTS)
        if not words or words.isspace():
            yield start, end, " " if words and start > 0 and end < len(text) else ""
            continue
        for first, last in _clusters(match[0]):
            composed = unicodedata.normalize("NFC", match[0][first:last])
            if composed != match[0][first:last]:
                yield start + first, start + last, composed.translate(_FOLD_TABLE)


@lru_cache(maxsize=64)
def fold_with_offsets(text: str) -> FoldedText:
    """Fold a text and keep which source spans it stands for. Linear time; memory for what changes its length alone."""
    folded: list[str] = []
    pieces: list[tuple[int, int, int, int]] = []
    place = length = 0
    for start, end, words in _uneven(text):
        run = text[place:start].translate(_FOLD_TABLE)
        folded += run, words
        length += len(run)
        pieces.append((length, length + len(words), start, end))
        length += len(words)
        place = end
    folded.append(text[place:].translate(_FOLD_TABLE))
    return FoldedText("".join(folded), tuple(pieces))


def fold(text: str) -> str:
    """The folded form of a text, without surrounding space; two texts with the same form print the same words."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_FOLD_TABLE).split())


def without_break_hints(text: str) -> str:
    """The text without the invisible characters that only tell a browser where a word may break."""
    return text.translate(_NO_HINTS)


def count_words(text: str) -> int:
    """How many words a text has; two characters count as one word in scripts that do not space words."""
    unspaced = len(_UNSPACED.findall(text))
    return len(_WORD.findall(_UNSPACED.sub(" ", text))) + (unspaced + 1) // 2


def _cuts_word(text: str, position: int) -> bool:
    """Whether a cut at this position would split a word or a figure (`5 days` out of `15 days` or `1.5 days`)."""
    if not 0 < position < len(text):
        return False
    before, after = text[position - 1], text[position]
    if before.isalnum() and after.isalnum():
        return not (_UNSPACED.match(before) or _UNSPACED.match(after))
    if unicodedata.category(after)[0] == "M":
        return True
    if before in ".,:/-" and after.isdigit() and position > 1 and text[position - 2].isdigit():
        return True
    return before.isdigit() and after in ".,:/-" and position + 1 < len(text) and text[position + 1].isdigit()


def locate(quote: str, text: str) -> list[tuple[int, int]]:
    """Where a quote is in a text, as spans of the original text, in order; at most two are looked for.

    Only whole words match. For each span `fold(text[start:end]) == fold(quote)` holds, but for the case of the first
    letter: whoever quotes the middle of a sentence begins it with a capital, and the other way round. A text that has
    the quote as it is written is not searched for the other.
    """
    if len(quote) > _MOST_FOLDED * len(text) + _SLACK:
        return []  # folding makes no text that much shorter
    wanted, there = fold(quote), fold(text)
    # Offsets cost a hundred times as much as the words, and most quotes that fail are not there at all.
    found = _locate(wanted, text) if wanted and wanted in there else []
    other = wanted[:1].swapcase() + wanted[1:]
    return found or (_locate(other, text) if other != wanted and len(other) == len(wanted) and other in there else [])


def _locate(wanted: str, text: str) -> list[tuple[int, int]]:
    source = fold_with_offsets(text)
    found: list[tuple[int, int]] = []
    position = source.text.find(wanted)
    while position >= 0 and len(found) < 2:
        last = position + len(wanted)
        if not _cuts_word(source.text, position) and not _cuts_word(source.text, last):
            span = (source.source_start(position), source.source_end(last - 1))
            if fold(text[span[0] : span[1]]) == wanted:
                found.append(span)
        position = source.text.find(wanted, position + 1)
    return found


def common_positions(one: Sequence[str], other: Sequence[str]) -> list[int]:
    """Positions in `one` of a longest common subsequence with `other`, ascending.

    Bit-parallel (Hyyrö 2004): `len(other)` operations on integers of `len(one)` bits, and as many kept.
    """
    masks: dict[str, int] = {}
    for index, word in enumerate(one):
        masks[word] = masks.get(word, 0) | 1 << index
    full = (1 << len(one)) - 1
    state, rows = full, list[int]()
    for word in other:
        shared = state & masks.get(word, 0)
        state = ((state + shared) | (state - shared)) & full
        rows.append(state)
    found: list[int] = []
    row, column = len(other), len(one)
    while row and column:
        bit = 1 << (column - 1)
        if rows[row - 1] & bit:
            column -= 1
            continue
        row -= 1
        if row and not rows[row - 1] & bit:
            continue
        column -= 1
        found.append(column)
    return found[::-1]


_ACTIVE = re.compile(
    r"""[a-z][a-z0-9+.-]{0,30}://            # any scheme with an authority
      | (?<![a-z])(?:javascript|vbscript|data|mailto|file|tel|ftp|https?):\S
      | (?<![a-z0-9])www\.
      | [a-z0-9-]{1,63}\.(?:com|org|net|io|gov|edu|info|biz|xyz|app|dev|top|site|online|ru|cn)(?![a-z0-9])
      | [a-z0-9-]{2,63}\.[a-z]{2,24}/[a-z0-9]
      | [a-z0-9]@[a-z0-9-]{1,63}\.[a-z]
      | \][(\[] | !\[ | ^\s{0,3}\[[^\]\n]{1,200}\]:
      | <[a-z/!?]
      | &(?:\#[0-9]{1,8}|\#x[0-9a-f]{1,8}|[a-z][a-z0-9]{1,30});
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_ACTIVE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def is_plain(text: str) -> bool:
    """Whether a text may leave as a claim: words and punctuation only.

    Refused are addresses (URL, e-mail, bare host), markdown links and images, HTML tags and entities, and control,
    bidirectional, zero-width, tag, private-use and variation-selector characters, and marks that strike letters out
    or put signs around them. A line feed is allowed.
    """
    if _ACTIVE.search(text):
        return False
    for char in text:
        if char.isascii() and (char.isprintable() or char == "\n"):
            continue
        if unicodedata.category(char) in _ACTIVE_CATEGORIES:
            return False
        if "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
            return False
        if "\u0334" <= char <= "\u0338" or "\u20d0" <= char <= "\u20ff":
            return False
    return True
