"""Lists inside one text, cut into nodes of their own for annotation.

Publishers print a list of definitions as paragraphs, as lines of one paragraph, or run on in one line. Annotation reads
all three alike: an entry of a list is then a node below the text that introduces it, with nothing else to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rag.law.nodes import CONTAINER_TYPES, Mark, ParsedDocument, ParsedNode
from rag.law.patterns import lazy

# The designator that an entry begins with; its group tells the shape that all entries of one list share.
_DESIGNATOR = lazy(
    r"[ \t\u3000]*(?:\((?P<digits_in>\d{1,3})\)|\((?P<letters_in>[a-z]{1,4})\)|(?P<digits>\d{1,3})[.)°](?![\d])"
    r"|(?P<letters>[a-z]{1,2})\)|(?P<kanji>[一二三四五六七八九十]{1,3})(?=[ \u3000])"
    r"|(?P<kana>[イロハニホヘト])(?=[ \u3000])"
    r"|(?P<wide>[1-9１-９])(?=[ \u3000])|(?P<dash>[-–—•·*]))[ \t\u3000]*"
)
_FIRST = frozenset(("1", "a", "i", "一", "イ", "１", "-", "–", "—", "•", "·", "*"))
_OPENS = (":", "：", "—", "–")
_CLOSES = frozenset('.;:,—–-)。、）」”"’»：；')
_QUOTE = ("“", '"', "‘", "„", "«", "「")
# What a text repeats of its own number: "(1) ", "Section 5. ", "§ 3 ", "I. – ", "３　".
_OWN = lazy(
    r"\s*(?P<unit>(?:section|sec\.|s\.|§|art(?:icle|ikel)?\.?|regulation|reg\.|rule|clause|absatz|abs\.|第)\s*)?"
    r"(?P<number>\(\w{1,5}\)|(?:[A-Z]\.\s?(?=\d))?[\w.-]*\w)(?P<stop>[条項号]?(?:の\S)?[.)°]?(?:\s?[–—-])?)"
    r"(?:[ \t\u3000\n]+|\Z)",
    re.IGNORECASE,
)
_HEADING_STOP = lazy(r"\.?(?:\s?[—–-]|\s|\Z)\s*")
# What a list that runs on in one line is introduced by, and what its entries end with.
_RUN_ON = lazy(r"(?:[:：—–]|\b(?:ist|sind))\s*(?=\(?(?:1|a|i)[.)])")
_NEXT = lazy(r"[;,.](?:\s(?:and|or|und|oder|sowie|et|ou))?\s+(?=\(?(?:\d{1,3}|[a-z]{1,4})[.)])")
_QUOTED_ENTRY = lazy(r"(?<=[;.])(?:\s(?:and|et|und))?\s+(?=[“\"‘„«][^“”\"‘’„«»\n]{1,80}[”\"’“»])")
_BARE_ENTRY = lazy(r"(?<=\w{3}[.;])\s+(?=[a-z])")
_SHORTEST = 12  # characters of an entry that runs on; "paragraphs (a), (b) and (c)" is no list
_LEAD = 160  # characters of words that introduce a list by a comma


@dataclass(frozen=True, slots=True)
class TermLists:
    """How a language sets lists of definitions.

    Attributes:
        lead: found at the end of words that introduce one.
        item: matches what an entry begins with that has neither a number nor quotation marks.
    """

    lead: re.Pattern[str]
    item: re.Pattern[str] = re.compile(r"(?!)")


@dataclass(slots=True)
class _Line:
    start: int  # behind its designator
    end: int
    shape: str  # of its designator; empty where it has none
    designator: str


@dataclass(slots=True)
class _Entry:
    start: int
    end: int  # of its own words, before its list
    designator: str
    shape: str = ""  # that the entries of its list share
    entries: list[_Entry] = field(default_factory=list["_Entry"])


@dataclass(frozen=True, slots=True)
class Reading:
    """A document as annotation reads it for definitions.

    Attributes:
        document: its lists are those of the document as it was parsed, its nodes are not.
        origins: by the URN of each node that is in it only for annotation, that of the node it is a part of.
        changed: URNs of nodes whose own words are fewer or begin elsewhere than those that were parsed, and of entries.
    """

    document: ParsedDocument
    origins: dict[str, str]
    changed: set[str]


def with_entries(document: ParsedDocument, lists: TermLists) -> Reading:
    """The document without the designators that its texts repeat, and with the entries of lists in a text as nodes.

    Args:
        document: as it was parsed; it is not changed.
        lists: how the law's language sets lists of definitions.
    """
    parents = {node.parent_urn for node in document.nodes}
    above = {node.urn: node for node in document.nodes}
    nodes: list[ParsedNode] = []
    origins: dict[str, str] = {}
    changed: set[str] = set()
    for parsed in document.nodes:
        node = parsed
        if node.kind not in ("decision", "chunk") and (cut := _own_designators(node, above)):
            node = _without_beginning(node, cut)
        leaf = node.urn not in parents and node.kind not in ("decision", "chunk", "notice")
        entry = _read(node.text, lists) if leaf and node.structure_type not in ("NOTE", "TABLE", "ROOT") else None
        if entry is None:
            nodes.append(node)
        else:
            nodes += _nodes(node, entry, node.urn, node.parent_urn)
            found = nodes[-1].urn
            changed.add(found)
            origins.update((unit.urn, node.urn) for unit in nodes[-_size(entry) :] if unit.urn != node.urn)
        if node is not parsed or entry is not None:
            changed.add(node.urn)
    changed |= origins.keys()
    return Reading(replace(document, nodes=nodes), origins, changed) if changed else Reading(document, {}, set())


def _size(entry: _Entry) -> int:
    return 1 + sum(map(_size, entry.entries))


def _own_designators(node: ParsedNode, nodes: dict[str, ParsedNode]) -> int:
    """How many characters a text begins with that repeat the node's own number and heading: "2 (1) ", "Section 5. "."""
    text, end = node.text, 0
    numbers: set[str] = set()
    unit: ParsedNode | None = node
    while unit is not None and unit.structure_type not in CONTAINER_TYPES:
        numbers.add(_plain(unit.number))
        unit = nodes.get(unit.parent_urn or "")
    while (match := _OWN.match(text, end)) is not None and _plain(match["number"]) in numbers:
        bare = match["unit"] is None and match["stop"] == "" and not match["number"].startswith("(")
        if bare and text[match.end() : match.end() + 1].islower():
            break  # "2 persons"
        end = match.end()
        numbers.discard(_plain(match["number"]))
    heading = node.heading.rstrip(" .")
    if end and heading and text.startswith(heading, end):
        stop = _HEADING_STOP.match(text, end + len(heading))
        end = stop.end() if stop is not None else end
    return end


def _plain(number: str) -> str:
    plain = re.sub(r"[\W_]|(?<=\d)er\Z", "", unicodedata.normalize("NFKC", number).casefold())
    value = unicodedata.numeric(plain, None) if len(plain) == 1 else None  # "三"
    return f"{value:.0f}" if value is not None else plain


def _without_beginning(node: ParsedNode, cut: int) -> ParsedNode:
    marks = [Mark(mark.start - cut, mark.end - cut, mark.kind, mark.target) for mark in node.marks if mark.start >= cut]
    if node.intro_text:
        return replace(node, intro_text=node.intro_text[cut:], marks=marks)
    return replace(node, content_text=node.content_text[cut:], marks=marks)


def _nodes(node: ParsedNode, entry: _Entry, urn: str, parent: str | None) -> Iterator[ParsedNode]:
    words = node.text[entry.start : entry.end]
    marks = [
        Mark(mark.start - entry.start, mark.end - entry.start, mark.kind, mark.target)
        for mark in node.marks
        if entry.start <= mark.start and mark.end <= entry.end
    ]
    intro, content = (words, "") if entry.entries else ("", words)
    if urn == node.urn:
        yield replace(node, intro_text=intro, content_text=content, marks=marks)
    else:
        yield ParsedNode(
            urn, parent, "ITEM", "entry", entry.designator, "", intro, content, node.kind, marks=marks, line=node.line
        )
    for place, below in enumerate(entry.entries):
        yield from _nodes(node, below, f"{urn}~{place}", urn)


def _read(text: str, lists: TermLists) -> _Entry | None:
    """A text as its introducing words with the entries of their lists; None where it has no list."""
    if len(text) < 2 * _SHORTEST:
        return None
    lines = list(_lines(text, lists.item))
    if len(lines) < 2:
        return None
    if lines[0].shape and lines[0].designator in _FIRST and lines[1].shape == lines[0].shape:
        lines.insert(0, _Line(0, 0, "", ""))  # numbered from the start: there are no introducing words
    parts = [_Entry(0, lines[0].end, "")]  # stretches of the text, each with the list that it introduces
    shapes = {lines[0].shape}  # of the lines before the last part's list
    opened = [parts[0]]  # entries that the next line can go on with, outermost first
    for before, line in pairwise(lines):
        holder = next((entry for entry in reversed(opened) if entry.entries and entry.shape == line.shape), None)
        if _opens(text, before, line, lists.lead) and (holder is None or not line.shape):
            holder = opened[-1]
        elif holder is None and line.shape not in shapes and line.designator not in _FIRST:
            # The first entry of a list has lost its number.
            holder = next((entry for entry in reversed(opened) if entry.entries and not entry.shape), None)
        if holder is not None:
            holder.shape = line.shape
            holder.entries.append(_Entry(line.start, line.end, line.designator))
            opened[opened.index(holder) + 1 :] = [holder.entries[-1]]
        elif parts[-1].entries and (not line.shape or line.shape in shapes):
            parts.append(_Entry(line.start, line.end, ""))
            shapes, opened = {line.shape}, [parts[-1]]
        else:
            opened[-1].end = line.end
            shapes |= {line.shape} if opened[-1] is parts[-1] else set[str]()
    if not any(part.entries for part in parts):
        return None
    return parts[0] if len(parts) == 1 else _Entry(0, 0, "", entries=parts)


def _opens(text: str, line: _Line, following: _Line, lead: re.Pattern[str]) -> bool:
    """Whether a line introduces a list that begins with the next one."""
    words = text[line.start : line.end]
    if words.endswith(_OPENS) or (following.shape != line.shape and following.designator in _FIRST):
        return True
    said = lead.search(words[-_LEAD:]) is not None
    by_comma = words.endswith((",", "-")) and len(words) <= _LEAD and text.startswith(_QUOTE, following.start)
    return not following.shape and (by_comma or said)


def _lines(text: str, item: re.Pattern[str]) -> Iterator[_Line]:
    """The lines of a text, one that a publisher wrapped joined with the next, and entries that run on taken apart."""
    spans: list[tuple[int, int]] = []
    start = 0
    for raw in text.split("\n"):
        end = start + len(raw.rstrip())
        begin = start + len(raw) - len(raw.lstrip(" \t"))
        if begin < end:
            wrapped = spans and text[spans[-1][1] - 1] not in _CLOSES and _DESIGNATOR.match(text, begin, end) is None
            if wrapped:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((begin, end))
        start += len(raw) + 1
    for begin, end in spans:
        for first, last in _apart(text, begin, end, item):
            number = _DESIGNATOR.match(text, first, last)
            if number is None or number.end() >= last:
                yield _Line(first, last, "", "")
            else:
                yield _Line(number.end(), last, number.lastgroup or "", number[number.lastindex or 0])


def _apart(text: str, start: int, end: int, item: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The spans of a line: its introducing words and the entries that run on behind them; else the line."""
    cuts = _numbered(text, start, end) or _unnumbered(text, start, end, item)
    for begin, stop in zip([start, *cuts], [*cuts, end], strict=True):
        stop = begin + len(text[begin:stop].rstrip())
        if begin < stop:
            yield begin, stop


def _numbered(text: str, start: int, end: int) -> list[int]:
    """Where numbered entries begin that run on in one line, from its start or behind words that introduce them."""
    lead = _RUN_ON.search(text, start, end)
    first = start if _DESIGNATOR.match(text, start, end) else lead.end() if lead is not None else end
    shape = _DESIGNATOR.match(text, first, end)
    if shape is None or shape[shape.lastindex or 0] not in _FIRST or shape.lastgroup == "dash":
        return []
    cuts = [first]
    for found in _NEXT.finditer(text, first, end):
        following = _DESIGNATOR.match(text, found.end(), end)
        if following is not None and following.lastgroup == shape.lastgroup and _follows(text, cuts[-1], found.end()):
            cuts.append(found.end())
    return cuts if len(cuts) > 1 else []


def _unnumbered(text: str, start: int, end: int, item: re.Pattern[str]) -> list[int]:
    """The same of entries without numbers: quoted terms, or what a language's items of such a list begin with."""
    opening = next((at + 1 for sign in _OPENS if (at := text.find(sign, start, end)) >= 0), -1)
    if opening < 0:
        return []
    first = opening + len(text[opening:end]) - len(text[opening:end].lstrip())
    quoted = text.startswith(_QUOTE, first)
    if not quoted and item.match(text, first, end) is None:
        return []
    ways = _QUOTED_ENTRY if quoted else _BARE_ENTRY
    cuts = [found.end() for found in ways.finditer(text, first, end) if quoted or item.match(text, found.end(), end)]
    return [first, *cuts] if cuts else []


def _follows(text: str, before: int, at: int) -> bool:
    """Whether the designator at a place is the one after that of the entry before, which has words of its own."""
    first, second = _DESIGNATOR.match(text, before), _DESIGNATOR.match(text, at)
    if first is None or second is None or at - first.end() < _SHORTEST:
        return False
    one, other = first[first.lastindex or 0], second[second.lastindex or 0]
    if one.isdigit():
        return other.isdigit() and int(other) == int(one) + 1
    return len(other) > 1 or ord(other[0]) == ord(one[-1]) + 1
