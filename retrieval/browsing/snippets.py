"""Snippets: the part of a node's text where the words asked for stand closest together, with those words marked.

Words match as full-text search matches them, by stem and without accents, so the server says what the stems are: one
statement for a whole page of results. The text stays the law's own but for white space and the marks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrieval.languages import text_search_config
from retrieval.nodes import Connection
from retrieval.queries import QUERIES

SNIPPET = 240  # characters, without marks and ellipses
MARK = "**"
READ = 20_000  # characters of a text that are looked at for the best place
_WORD = re.compile(r"\w+(?:[.'’-]\w+)*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Lexemes:
    """What full-text search makes of words: word -> its lexemes."""

    of: Mapping[str, frozenset[str]]

    def matches(self, text: str, wanted: frozenset[str]) -> list[tuple[int, int, str]]:
        """Where wanted words stand in a text: (start, end, lexeme), in order."""
        found: list[tuple[int, int, str]] = []
        for match in _WORD.finditer(text):
            hit = self.of.get(match[0].lower(), frozenset()) & wanted
            if hit:
                found.append((match.start(), match.end(), min(hit)))
        return found


def read_lexemes(conn: Connection, texts: Iterable[str], language: str) -> Lexemes:
    """The lexemes of all words of some texts."""
    words = sorted({word[0].lower() for text in texts for word in _WORD.finditer(text[:READ])})
    if not words:
        return Lexemes({})
    values = {"words": words, "config": text_search_config(language)}
    return Lexemes({word: frozenset(found) for word, found in conn.execute(QUERIES["find_lexemes"], values)})


def wanted_lexemes(lexemes: Lexemes, texts: Iterable[str]) -> frozenset[str]:
    """The lexemes of what was asked for."""
    words = {word[0].lower() for text in texts for word in _WORD.finditer(text[:READ])}
    return frozenset(lexeme for word in words for lexeme in lexemes.of.get(word, ()))


def snippet(
    text: str, lexemes: Lexemes, wanted: frozenset[str], otherwise: frozenset[str] = frozenset(), query: str = ""
) -> str:
    """The best part of a text with the wanted words marked; its beginning where none stands in it.

    Args:
        lexemes: of the text's words at least.
        wanted: the lexemes asked for.
        otherwise: lexemes to mark where the text has none of those, such as those of statutory terms.
        query: what was asked, for scripts that write no spaces between words.
    """
    flat = " ".join(text[:READ].split())
    found = lexemes.matches(flat, wanted) or lexemes.matches(flat, otherwise)
    if not found and _UNSPACED.search(query):
        found = _shared_runs(flat, query)
    start, end = _window(flat, found)
    shown = _marked(flat, start, end, found)
    before = "… " if start else ""
    after = " …" if end < len(flat) or len(text) > READ else ""
    return f"{before}{shown}{after}"


def _window(text: str, found: Sequence[tuple[int, int, str]]) -> tuple[int, int]:
    """The window with most different wanted words, the earliest of equals; cut at spaces."""
    if len(text) <= SNIPPET:
        return 0, len(text)
    starts = [place[0] for place in found]
    best, best_score = 0, (0, 0)
    for index, start in enumerate(starts):
        inside = found[index : bisect_left(starts, start + SNIPPET - 40)]
        score = (len({place[2] for place in inside}), len(inside))
        if score > best_score:
            best, best_score = start, score
    first = max(0, min(best - 60, len(text) - SNIPPET)) if found else 0
    if first:
        space = text.find(" ", first, best + 1)
        first = space + 1 if space >= 0 else first
    last = min(len(text), first + SNIPPET)
    if last < len(text):
        space = text.rfind(" ", first + SNIPPET // 2, last)
        last = space if space > 0 else last
    return first, last


def _marked(text: str, start: int, end: int, found: Sequence[tuple[int, int, str]]) -> str:
    out: list[str] = []
    at = start
    for first, last, _ in found:
        if first >= at and last <= end:
            out += [text[at:first], MARK, text[first:last], MARK]
            at = last
    return "".join([*out, text[at:end]])


def _shared_runs(text: str, query: str) -> list[tuple[int, int, str]]:
    """Runs of at least two signs that a text shares with the beginning of a query, longest first at each place."""
    query = query[:500]
    grams = {query[at : at + 2] for at in range(len(query) - 1) if _UNSPACED.match(query[at : at + 2])}
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(text) - 1:
        if text[at : at + 2] not in grams:
            at += 1
            continue
        end = at + 2
        while text[at : end + 1] in query and end < len(text):
            end += 1
        found.append((at, end, text[at:end]))
        at = end
    return found
