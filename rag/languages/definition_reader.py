"""A learned reader of definitions: where in a sentence the terms stand whose meaning it fixes.

Two sums say whether a sentence defines anything: one over its distinct words, which tells most apart at little cost,
one over its features as a whole. Where a term stands is a linear chain over its pieces (words and signs; of a
script without spaces its characters), each outside of a term, its first or a further one; the best chain is found by
Viterbi. Features are hashed and weights are integers: the same text gives the same terms on any machine.
`evals/definition_reader.py` trains it.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import islice, pairwise
from struct import iter_unpack
from typing import Any

# Where a sentence ends: at a point behind a word and before a capital, at a semicolon, at a line's end, at 。
# outside of brackets.
_SENTENCE = re.compile(
    r"(?<=[^\W\d_]{3}\.)\s+(?=\W{0,2}[A-ZÀ-ÝŒ])|(?<=[»”\")\]\d]\.)\s+(?=\W{0,2}[A-ZÀ-ÝŒ])|(?<=;)\s+|\n+"
    r"|(?<=。)(?![^（）()\n]{0,200}[）)])"
)
_PIECE = re.compile(r"\d+|[^\W\d_]+[’']?|[^\w\s]|_")
_SIGN = re.compile(r"[\d〇一二三四五六七八九十百千]+|[A-Za-zＡ-Ｚａ-ｚ]+|\S")
_WORD = re.compile(r"[^\W\d_]+")
_PAIRS = {"“": "”", "„": "“", "«": "»", "「": "」", "‘": "’", '"': '"', "(": ")", "（": "）"}
_MOST = 80  # pieces of a sentence that are read; what a long one defines stands in front mostly
_WIDEST = 40  # pieces between two quotation marks or brackets
_SEVERAL = 3  # provisions from which on it does not matter in how many more a word is
_STEM = 5  # characters that stand for a word's forms
_LONG = 7  # the same where a sentence's words are summed up
_LEAD = 5  # pieces at the end of the words above
_AROUND = {True: 6, False: 10}  # pieces on either side that are taken together, by whether the script spaces words
_KEPT = 100_000  # features whose weights are remembered, of the words and of the pieces of sentences each
_UPPER = 1 << 40  # what a piece's weight as the first of a term is multiplied by, beside the one as a further piece
OUT, FIRST, FURTHER = range(3)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a node's text.

    Attributes:
        lead: words right above, which its own go on with.
        heading: its own and its section's.
        following: in how many of the next provisions a word is, by its `stem`; negative where that is not known.
    """

    lead: str = ""
    heading: str = ""
    following: Callable[[str], int] = lambda word: -1


@dataclass(frozen=True, slots=True)
class Likely:
    """A term that a text likely defines: its span in the text, and how sure that is, in units of the weights."""

    start: int
    end: int
    margin: int


class _Memory(dict[str, int]):
    """Weights of features by their names, each looked up by its `code` once; those of a law come again and again."""

    def __init__(self, weight: Callable[[int], int]) -> None:
        super().__init__()
        self._weight = weight

    def __missing__(self, feature: str) -> int:
        if len(self) >= _KEPT:
            self.clear()
        weight = self[feature] = self._weight(code(feature))
        return weight


@dataclass(frozen=True, slots=True)
class Weights:
    """What a reader has learned of one language; features by their `code`.

    Attributes:
        spaced: whether the script spaces words.
        sure, doubtful: the margins from which on a term is taken to be defined, and from which on it may be.
        least, least_whole: the sums over a sentence's words and over its features from which on it is read.
        words: of a sentence's words.
        whole: of a sentence's features as a whole.
        first, further: of the features of a piece that is a term's first or a further one.
        steps: of a tag after another, `steps[before][after]`; at a sentence's start the one before is `OUT`.
    """

    spaced: bool
    sure: int
    doubtful: int
    least: int
    least_whole: int
    steps: tuple[tuple[int, int, int], ...]
    words: Mapping[int, int]
    whole: Mapping[int, int]
    first: Mapping[int, int]
    further: Mapping[int, int]
    _words: _Memory = field(init=False, repr=False, compare=False)
    _pieces: _Memory = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        words, first, further = self.words, self.first, self.further
        object.__setattr__(self, "_words", _Memory(lambda key: words.get(key, 0)))
        object.__setattr__(self, "_pieces", _Memory(lambda key: first.get(key, 0) * _UPPER + further.get(key, 0)))

    def words_sum(self, features: Iterable[str]) -> int:
        """The sum over a sentence's words."""
        return sum(map(self._words.__getitem__, features))

    def piece_sums(self, features: Iterable[str]) -> tuple[int, int]:
        """The sums over the features of a piece, as the first of a term and as a further one."""
        both = sum(map(self._pieces.__getitem__, features))
        further = (both + _UPPER // 2) % _UPPER - _UPPER // 2
        return (both - further) // _UPPER, further


TABLES = ("words", "whole", "first", "further")
ENTRY = "<Ih"  # a feature's code and its weight


@cache
def read_weights(module: str) -> Weights:
    """The weights beside a module: `definitions.weights`, a line of JSON and the tables that it counts."""
    data = resources.files(module.rpartition(".")[0]).joinpath("definitions.weights").read_bytes()
    head, _, packed = data.partition(b"\n")
    values: dict[str, Any] = json.loads(head)
    values["steps"] = tuple((out, first, further) for out, first, further in values["steps"])
    entries: Iterator[Any] = iter_unpack(ENTRY, zlib.decompress(packed))
    for name in TABLES:
        values[name] = dict(islice(entries, values[name]))
    return Weights(**values)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Spans of a text's sentences."""
    start = 0
    for end in _SENTENCE.finditer(text):
        if end.start() > start:
            yield start, end.start()
        start = end.end()
    if start < len(text):
        yield start, len(text)


def pieces(text: str, start: int, end: int, *, spaced: bool) -> list[tuple[int, int]]:
    """Spans of the first words and signs of a sentence; of a script without spaces each character is one."""
    found = (_PIECE if spaced else _SIGN).finditer(text, start, end)
    return [match.span() for match in islice(found, _MOST)]


def code(feature: str) -> int:
    """The hash of a feature: CRC-32 of its name."""
    return zlib.crc32(feature.encode(errors="surrogatepass"))


def stem(word: str) -> str:
    """What a word is counted by: the beginning of its lower case; digits are all alike."""
    word = word.lower().rstrip("'’")
    return "0" if word[:1].isdigit() else word[:_STEM]


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    return frozenset(map(stem, _WORD.findall(text)))


def plain_features(text: str, *, spaced: bool) -> set[str]:
    """What a sentence is summed up by at first: its words; of a script without spaces its pairs of characters."""
    if not spaced:
        return {sign + following for sign, following in pairwise(text)}
    return {word[:_LONG] for word in _WORD.findall(text.lower())} | {sign for sign in _PAIRS if sign in text}


def whole_features(words: Sequence[str], around: Surroundings, *, spaced: bool) -> set[str]:
    """The features of a sentence as a whole; `words` are its pieces."""
    low = [word.lower() for word in words]
    first = _first_word(words)
    found = {f"Sa{word} {after}" for word, after in pairwise([*low, "$"])}
    found |= {f"Sb{word} {after} {last}" for word, after, last in zip(low, low[1:], low[2:], strict=False)}
    found |= {f"Sc{stem(word)}" for word in words} | {f"Sd{word}" for word in low}
    found |= {f"Se{low[first]} {word}" for word in low[first + 1 : first + 30]}
    second = low[first + 1] if first + 1 < len(low) else "$"
    found |= {f"Sf{low[first]}", f"Sg{low[first]} {second}", f"Sh{_shape(words[first])}"}
    found |= {f"Si{_distance(len(words))}", f"Sj{low[-1]}"}
    if not spaced:
        found |= {f"S{size}{''.join(low[at : at + size])}" for size in (4, 5) for at in range(len(low))}
    found |= {f"Sm{word}" for word in _parts(around.lead, spaced=spaced)[-_LEAD:]}
    found |= {f"Sn{word}" for word in _parts(around.heading, spaced=spaced)}
    return found


def piece_features(words: Sequence[str], around: Surroundings, *, spaced: bool) -> list[list[str]]:
    """The features of each piece of a sentence."""
    size, near = len(words), _AROUND[spaced]
    low = ["^", "^", "^", *(word.lower() for word in words), "$", "$", "$"]  # the piece at a place is three further on
    forms = ["^", *map(stem, words), "$"]
    shapes = ["^", *map(_shape, words), "$"]
    quoted, bracketed = _enclosed(words)
    first = _first_word(words)
    one, two = low[first + 3], low[first + 4]
    lead = _parts(around.lead, spaced=spaced)[-_LEAD:]
    heading = _parts(around.heading, spaced=spaced)
    known = set(heading)
    left, right = [f"F{form}" for form in forms], [f"G{form}" for form in forms]
    out: list[list[str]] = []
    for at in range(size):
        before3, before2, before, word, after, after2, after3 = low[at : at + 7]
        form, shape, following = forms[at + 1], shapes[at + 1], shapes[at + 2]
        quote, bracket = quoted[at], bracketed[at]
        place = _distance(at - first) if at >= first else "-"
        used = min(_SEVERAL, around.following(form)) if spaced and words[at][0].isalpha() else 9
        found = [
            f"w{word}", f"a{before}", f"b{after}", f"c{before2}", f"d{after2}", f"e{before3}", f"f{after3}",
            f"g{before} {word}", f"h{word} {after}", f"i{before2} {before}", f"j{after} {after2}", f"k{before} {after}",
            f"l{form}", f"m{forms[at]}", f"n{forms[at + 2]}", f"o{word[-3:]}",
            f"p{shape}", f"q{shape} {shapes[at]}", f"r{shape} {following}", f"s{place}", f"t{place} {shape}",
            f"u{quote}", f"v{bracket}", f"x{quote} {bracket} {shape} {place}", f"y{one} {place}",
            f"z{one} {two} {place}",
            f"A{used} {shape}", f"B{used} {place}", f"C{form in known} {shape}", f"D{form in known} {place}",
            f"E{quote} {before2 if quote else before}", f"I{shape} {before} {following}",
        ]  # fmt: skip
        found += left[max(1, at + 1 - near) : at + 1] + right[at + 2 : min(size + 1, at + 2 + near)]
        if place in "0123":
            found += [f"H{other} {place}" for other in lead] + [f"J{other} {place}" for other in heading]
        if not spaced:
            found += [f"K{width}{''.join(low[max(3, at + 3 - width) : at + 3])}" for width in (3, 4)]
            found += [f"L{width}{''.join(low[at + 4 : at + 4 + width])}" for width in (3, 4)]
            found += [f"O{''.join(low[at + 3 : at + 6])}", f"P{''.join(low[at + 1 : at + 4])}"]
        out.append(found)
    return out


def is_worth_reading(text: str, start: int, end: int, weights: Weights) -> bool:
    """Whether the words of a sentence are like those of sentences that define."""
    return weights.words_sum(plain_features(text[start:end], spaced=weights.spaced)) >= weights.least


def likely_terms(text: str, start: int, end: int, around: Surroundings, weights: Weights) -> list[Likely]:
    """The terms that a sentence of a text may define, with one margin; none where that is below `doubtful`."""
    if not is_worth_reading(text, start, end, weights):
        return []
    spans = pieces(text, start, end, spaced=weights.spaced)
    words = [text[first:last] for first, last in spans]
    if not words:
        return []
    get = weights.whole.get
    score = sum(get(code(name), 0) for name in whole_features(words, around, spaced=weights.spaced))
    if score < weights.least_whole:
        return []
    chain, margin = _best_chain(piece_features(words, around, spaced=weights.spaced), weights)
    margin += score
    if margin < weights.doubtful:
        return []
    places = [at for at, tag in enumerate(chain) if tag == FIRST]
    ends = [next((at for at in range(place + 1, len(chain)) if chain[at] != FURTHER), len(chain)) for place in places]
    return [Likely(spans[place][0], spans[last - 1][1], margin) for place, last in zip(places, ends, strict=True)]


def _best_chain(features: Sequence[Sequence[str]], weights: Weights) -> tuple[list[int], int]:
    """The best chain with a term in it, and by how much it is better than the one without."""
    steps = weights.steps
    silent = 0  # the sum of the chain that is outside up to here
    sums: list[int | None] = [None] * 3  # of the best chains with a term, by their last tag
    back: list[list[int]] = []  # the tag before each tag of a piece; -1: no term before
    for names in features:
        own = (0, *weights.piece_sums(names))
        found: list[int | None] = [None] * 3
        came = [-1] * 3
        for tag in (OUT, FIRST, FURTHER):
            ways = [(sums[last], last) for last in (OUT, FIRST, FURTHER) if (last, tag) != (OUT, FURTHER)]
            reached = [(total + steps[last][tag], last) for total, last in ways if total is not None]
            if tag == FIRST:
                reached.append((silent + steps[OUT][FIRST], -1))
            if reached:
                total, came[tag] = max(reached)
                found[tag] = total + own[tag]
        silent += steps[OUT][OUT]
        sums = found
        back.append(came)
    margin, tag = max((total, tag) for tag, total in enumerate(sums) if total is not None)
    chain: list[int] = []
    for came in reversed(back):
        chain.append(max(tag, OUT))
        tag = came[tag] if tag >= 0 else tag
    return chain[::-1], margin - silent


def _first_word(words: Sequence[str]) -> int:
    return next((at for at, word in enumerate(words) if word[0].isalpha()), 0)


def _parts(text: str, *, spaced: bool) -> list[str]:
    return [stem(word) for word in _PIECE.findall(text)] if spaced else list(text)


def _enclosed(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Of each piece whether it is the first, the last or another one inside quotation marks, and inside brackets."""
    quoted, bracketed = [""] * len(words), [""] * len(words)
    for at, word in enumerate(words):
        close = _PAIRS.get(word)
        if close is None or quoted[at]:
            continue
        last = next((place for place in range(at + 1, min(len(words), at + _WIDEST)) if words[place] == close), at)
        marks = bracketed if word in "(（" else quoted
        for place in range(at + 1, last):
            marks[place] = ("f" if place == at + 1 else "i") + ("l" if place == last - 1 else "")
    return quoted, bracketed


def _shape(word: str) -> str:
    if word[0].isdigit():
        return "0"
    if not word[0].isalpha():
        return word
    if len(word) > 1 and word.isupper():
        return "AA"
    if word[0] > "\u3000":
        return "ひ" if word[0] < "ァ" else "カ" if word[0] < "㐀" else "字"
    return "A" if word[0].isupper() else "a"


def _distance(pieces_between: int) -> str:
    near = str(pieces_between)
    return near if pieces_between < 4 else "5" if pieces_between < 8 else "9" if pieces_between < 20 else "x"
