"""Lists of definitions without numbers: one paragraph after another that opens with its term."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from rag.ingest.formats.uslm_text import LEFT_OUT, Words, join
from rag.ingest.formats.xml import Element, local

_HEADING = re.compile(r"\b(?:definitions?|defined|meanings?\s+of|words\s+and\s+phrases)\b", re.IGNORECASE)
_QUOTED = re.compile(
    r"(?:(?:An?|The|To|In|As used in this \w+,)\s+)?(?:terms?\s+)?(?:[\w’'-]+ ){0,3}?“([^“”]{1,80}?),?”"
)
_INDENT = re.compile(r"(?:\A|\s)indent(\d)")


@dataclass(frozen=True, slots=True)
class Defined:
    """One definition: its term as printed, its words, and the line it begins on."""

    term: str
    words: Words
    line: int | None


def split_definitions(
    content: Element, heading: str, read: Callable[[Element], Words], omits: Callable[[Element], bool]
) -> tuple[Words, list[Defined]] | None:
    """Split a list of definitions at its terms; a paragraph that opens with no term goes on with the one before it.

    Args:
        content: an element whose children are paragraphs.
        heading: of its section; only one that speaks of definitions has such a list.
        read: the words of an element.
        omits: whether an element is left out of the text; told of every one that is.

    Returns:
        The words before the first definition, and the definitions: none where fewer than two paragraphs open with a
        term, and then all words come first. None where the element is of another kind; it is then not yet read.
    """
    parts = list(content)
    whole = not (content.text or "").strip() and not any((part.tail or "").strip() for part in parts)
    if (
        not whole
        or not _HEADING.search(heading)
        or not all(local(part) == "p" or local(part) in LEFT_OUT for part in parts)
    ):
        return None
    lead: list[Words] = []
    outer = 0
    found: list[tuple[str, list[Words], int | None]] = []
    for part in parts:
        if omits(part):
            continue
        text = read(part)
        indent = _INDENT.search(part.get("class") or "")
        inset = int(indent[1]) if indent else 0
        # A paragraph set in further than the first term is an item of the definition it stands in.
        term = _term(text) if not found or inset <= outer else ""
        outer = outer if found or not term else inset
        if term:
            found.append((term, [text], part.sourceline))
        elif found:
            found[-1][1].append(text)
        else:
            lead.append(text)
    if len(found) < 2:
        return join([*lead, *(text for _, texts, _ in found for text in texts)]), []
    return join(lead), [Defined(term, join(texts), line) for term, texts, line in found]


def _term(text: Words) -> str:
    quoted = _QUOTED.match(text.text)
    if quoted:
        return quoted[1]
    for mark in text.marks:
        if mark.start == 0 and mark.kind in ("italic", "term") and mark.end < len(text.text):
            return text.text[: mark.end].strip(" .:—,")
    return ""
