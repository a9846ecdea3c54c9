"""Which blocks of a document hold some words, and how a decision is announced to a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from rag import requests
from rag.law.blocks import Piece
from retrieval.browsing.snippets import read_lexemes, wanted_lexemes
from retrieval.errors import InputError
from retrieval.languages import text_search_config
from retrieval.nodes import Connection, NodeVersion
from retrieval.paths import subtree_end
from retrieval.queries import QUERIES
from retrieval.texts import node_text

MAX_HIGHLIGHT = 500  # characters
MOST_BLOCKS = 40  # matching ones and their neighbours together


@dataclass(frozen=True, slots=True)
class Highlighted:
    """Numbers of blocks, from 1, in order."""

    numbers: tuple[int, ...]  # to be shown
    matching: frozenset[int] = frozenset()  # those of them that hold the words
    total: int = 0  # blocks that hold the words, shown or not
    some: bool = False  # no node holds all the words; these hold one at least


def checked_highlight(words: str | None) -> str | None:
    """The words to look for.

    Raises:
        InputError: empty, too long, or no text.
    """
    if words is None:
        return None
    if len(words) > MAX_HIGHLIGHT:
        raise InputError(f"`highlight` has {len(words)} characters; the limit is {MAX_HIGHLIGHT}.")
    if not any(char.isalnum() for char in words):
        raise InputError("`highlight` holds no word; give words of the text, or leave it out.")
    return requests.checked_question(words)


def highlighted(
    conn: Connection, node: NodeVersion, pieces: Sequence[Piece], within: range, words: str, on: date
) -> Highlighted:
    """The blocks that hold the words, with one block before and after each.

    A node counts where its own words hold all of the words, in any form; where none does, where it holds one.

    Args:
        conn: a read connection.
        node: the root of the document.
        pieces: its blocks.
        within: the numbers of the blocks that were asked for.
        words: what to look for.
        on: the date of the law.
    """
    values = {
        "jurisdictions": [node.jurisdiction], "low": node.path, "high": subtree_end(node.path), "at_date": on,
        "config": text_search_config(node.language), "words": words,
    }  # fmt: skip
    rows = conn.execute(QUERIES["find_highlighted"], values).fetchall()
    every = {one for one, whole in rows if whole}
    nodes = every or {one for one, _ in rows}
    found = [number for number in within if pieces[number - 1].node.id in nodes]
    found = _holding(conn, node, pieces, found, words)
    shown: list[int] = []
    for number in found:
        around = [one for one in (number - 1, number, number + 1) if one in within and one not in shown]
        if len(shown) + len(around) > MOST_BLOCKS:
            break
        shown += around
    kept = tuple(sorted(shown))
    return Highlighted(kept, frozenset(found) & frozenset(kept), len(found), some=bool(found) and not every)


def _holding(
    conn: Connection, node: NodeVersion, pieces: Sequence[Piece], found: Sequence[int], words: str
) -> list[int]:
    """Of the blocks of nodes that hold the words, those that hold one themselves: a node may have several blocks."""
    several = {
        one.node.id
        for one in pieces
        if one.end - one.start < one.node.length
    } & {pieces[number - 1].node.id for number in found}  # fmt: skip
    if not several:
        return list(found)
    rows = conn.execute(QUERIES["find_texts"], {"jurisdictions": [node.jurisdiction], "ids": sorted(several)})
    texts = {row[0]: node_text(row[2], row[3]) for row in rows}
    parts = {
        number: texts[piece.node.id][piece.start : piece.end]
        for number in found
        if (piece := pieces[number - 1]).node.id in several
    }
    lexemes = read_lexemes(conn, [words, *parts.values()], node.language)
    wanted = wanted_lexemes(lexemes, [words])
    return [
        number for number in found
        if number not in parts or lexemes.matches(parts[number], wanted) or words.lower() in parts[number].lower()
    ]  # fmt: skip


def decision_display(chain: Sequence[NodeVersion]) -> list[str]:
    """How a decision is announced: its grade and its formation, as far as its tags say."""
    tags: dict[str, str] = {}
    for one in chain:
        tags.update({key: str(value) for key, value in one.tags.items()})
    grade = _line(
        "Grade", tags, ("official_grade", "grade"), ("official_grade_label", "publication"), "importance_level"
    )
    formation = _line("Formation", tags, ("formation",), (), "formation_solemnity")
    return [one for one in (grade, formation) if one]


def _line(name: str, tags: Mapping[str, str], keys: Sequence[str], labels: Sequence[str], level: str) -> str:
    said = [tags[key] for key in (*keys, *labels) if tags.get(key)]
    ranked = tags.get(level, "")
    if not said and not ranked:
        return ""
    shown = " — ".join(dict.fromkeys(said))
    if name == "Formation":
        return f"{name} : {shown} ({ranked})" if shown and ranked else f"{name} : {shown or ranked}"
    return f"{name} : {' → '.join(one for one in (shown, ranked) if one)}"
