"""What a publisher's mark can and cannot judge, by rules over its words and its target alone, whatever was read.

A mark whose words name another number than its target contradicts itself: "regulation 6" marked as regulation 5.
Such marks are counted apart and judge nothing.
"""

from __future__ import annotations

import re

from rag.jurisdictions.grammar.kernel import below
from rag.law.jurisdiction import DocumentIndex, ReferencePart
from rag.law.nodes import Mark, ParsedNode

# United Kingdom, Welsh and Northern Irish instruments are numbered in one series: the number names one instrument.
_SERIES = re.compile(r"\A(urn:lex:gb:)(?:wsi|nisi)-")
_NUMBER = re.compile(r"(?<![\w(])\d\w*")
_BRACKETED = re.compile(r"\((\w+)\)")
_TOKEN = re.compile(r"[a-z]+|\d+[a-z]*")
# The list that a designator belongs to, and what it lies in: ", (2) and (3) of section 7".
_INSIDE = re.compile(r"(?:[\s,]|and\b|or\b|to\b|\(\w+\))*\b(?:of|to|in)\b")
_CHAPTER = re.compile(r"\(c\.\s?\d+\)")
_DEVOLVED = re.compile(r"urn:lex:gb:(?:asp|anaw|asc|mwa)-")
_CODE_BEFORE = re.compile(r"(?<!\d)(?P<title>\d{1,2})\s(?:(?P<usc>U\.?S\.?C)|C\.?F\.?R)\.?\s?§{0,2}\s?\Z")
_REGULATIONS_AFTER = re.compile(r",?\s(?:of\sthe\s)?Code\sof\sFederal\sRegulations\b")
_ET_SEQ = re.compile(r",?\set\sseq\b")
_YEAR = re.compile(r"-(\d{4})-\d+\Z")


def contradicts(mark: Mark, text: str, node: ParsedNode, index: DocumentIndex) -> bool:
    """Whether the words of a mark name another provision than its target.

    Four rules: none of the numbers in the words is in the target; the words are a paragraph of the provision they
    are in, and the target is in another provision that no word names; the words beside the mark say the code
    ("15 U.S.C."), and the target is in another; an act cited by its chapter ("c. 47") is marked as one of a
    legislature that numbers its own.
    """
    words = text[mark.start : mark.end].lower()
    _, _, _, corpus, *place = mark.target.split(":")
    if (_CHAPTER.search(words) and _DEVOLVED.match(mark.target)) or _in_other_code(mark, text, corpus):
        return True
    numbers = _NUMBER.findall(words)
    bracketed = _BRACKETED.findall(words)
    if not place or not (numbers or bracketed):
        return False
    tokens = {token for name in place for token in _TOKEN.findall(name)}
    named = [set(_TOKEN.findall(number)) for number in numbers or bracketed]
    if not any(group & tokens for group in named):
        return True
    return not numbers and _of_another_section(mark, text, bracketed, node, index)


def _in_other_code(mark: Mark, text: str, corpus: str) -> bool:
    before = _CODE_BEFORE.search(text, max(0, mark.start - 30), mark.start)
    if before is not None:
        return corpus != f"{before['title']}{'usc' if before['usc'] else 'cfr'}"
    return corpus.endswith("usc") and _REGULATIONS_AFTER.match(text, mark.end) is not None


def _of_another_section(mark: Mark, text: str, designators: list[str], node: ParsedNode, index: DocumentIndex) -> bool:
    section = index.section(node)
    alone = text[mark.start : mark.start + 1].isalpha() and not _INSIDE.match(text, mark.end)
    if section is None or not alone or index.node(below(section.urn, *designators)) is None:
        return False
    return not f"{mark.target}:".startswith(f"{section.urn}:") and index.node(mark.target) is not None


def fits(urn: str, target: str) -> bool:
    """Whether a reading is the target of a mark or lies in it: marks often end before the last designators."""
    return f"{_one_series(urn)}:".startswith(f"{_one_series(target)}:")


def _one_series(urn: str) -> str:
    return _SERIES.sub(r"\1uksi-", urn)


def is_end(part: ReferencePart, target: str) -> bool:
    """Whether a part is one end of a range that the publisher addresses as one: `21usc:151-158`."""
    corpus, _, number = part.urn.rpartition(":")
    ends = (f"{corpus}:{number}-", f"-{number}")
    return part.range != "" and target.startswith(corpus) and (target.startswith(ends[0]) or target.endswith(ends[1]))


def in_range(parts: list[ReferencePart], target: str, index: DocumentIndex) -> bool:
    """Whether a target is a member of a range that was read by its ends, by the order of the nodes."""
    start = next((index.node(part.urn) for part in parts if part.range == "start" and part.urn), None)
    end = next((index.node(part.urn) for part in parts if part.range == "end" and part.urn), None)
    node = index.node(target)
    if start is None or end is None or node is None or not start.parent_urn == end.parent_urn == node.parent_urn:
        return False
    alike = [child.urn for child in index.tree.children(node.parent_urn or "")]
    return alike.index(start.urn) < alike.index(node.urn) < alike.index(end.urn)


def titled(words: str, target: str) -> bool:
    """Whether words that hold no number of a law still name it, by a title with its year."""
    year = _YEAR.search(target)
    return year is not None and re.search(rf"(?<!\d){year[1]}(?!\d)", words) is not None


def wraps_beginning(part: ReferencePart, mark: Mark, text: str) -> bool:
    """Whether a mark stands for an act of which the reading is the first section: "(§ 2-1801.01 et seq.)" in it."""
    return mark.end > part.end and _ET_SEQ.match(text, part.end) is not None
