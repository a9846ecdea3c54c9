"""From the lines of printed pages to paragraphs: running lines dropped, parted words joined, page breaks closed."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from rag.ingest.formats.plain_blocks import Block, Cleaner
from rag.ingest.formats.plain_lines import heading_level

Line = tuple[str, int]  # words, page from 1

_EDGE = 2  # lines at the top and at the bottom of a page that may run through a document
_FEWEST_PAGES = 3
_NUMBER = re.compile(r"\d+")
_PARTED = re.compile(r"(?P<head>[^\W\d_]{2,})[-\u2010]\Z")
_GOES_ON = re.compile(r"[^\W\d_]+")
_CLOSED = re.compile(r"[.!?。！？:;：；][\"'”’»)\]]*\Z")
_ITEM = re.compile(
    r"(?:[(\[][0-9a-zA-Z]{1,4}[)\]]|\d{1,3}(?:\.\d{1,3})*[.)]?\s|[a-zA-Z][.)]\s|[ivx]{1,5}[.)]\s|[•▪◦‣–—-]\s|§|第\d*[条項])"
)
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60、。]")
_FULL = 0.8  # share of the usual width below which a line that ends a sentence ends a paragraph


def drop_running_lines(lines: Sequence[Line], cleaner: Cleaner) -> list[Line]:
    """Leave out headers, footers and page numbers, and count them.

    Such a line stands at the same edge of more than half of the pages, the same but for a number that counts pages.
    """
    pages: dict[int, list[int]] = defaultdict(list)
    for index, (words, page) in enumerate(lines):
        if words:
            pages[page].append(index)
    edges: dict[tuple[str, int, str], list[int]] = defaultdict(list)
    for page, indices in pages.items():
        for where, some in (("top", indices[:_EDGE]), ("bottom", indices[: -_EDGE - 1 : -1])):
            for position, index in enumerate(some):
                for key in _running_keys(lines[index][0], page):
                    edges[where, position, key].append(index)
    needed = max(_FEWEST_PAGES, len(pages) // 2 + 1)
    running = {index for found in edges.values() if len(found) >= needed for index in found}
    cleaner.counts["running"] += len(running)
    return [line for index, line in enumerate(lines) if index not in running]


def _running_keys(words: str, page: int) -> set[str]:
    """What a line has in common with its likes on other pages: its words, or those around the page's number."""
    keys = {words}
    # A heading such as "Article 3" may well be alone on the third page.
    if not heading_level(words) or words.replace(" ", "").isdecimal():
        for match in _NUMBER.finditer(words):
            if len(match[0]) < 6:
                keys.add(f"{words[: match.start()]}#{int(match[0]) - page}#{words[match.end() :]}")
    return keys


def join_lines(lines: Sequence[Line], cleaner: Cleaner) -> list[Block]:
    """Paragraphs from lines, each with the pages it lies on; words parted at line ends are joined and counted."""
    whole = Counter(word.lower() for words, _ in lines for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", words))
    widths = sorted(len(words) for words, _ in lines if words)
    width = widths[len(widths) * 9 // 10] if widths else 0
    blocks: list[Block] = []
    text, pages, before = "", list[tuple[int, int]](), ""
    gap = False
    for words, page in lines:
        if not words:
            gap = True
            continue
        if text and (_begins_paragraph(before, words, width) or (gap and not words[0].islower())):
            blocks.append(Block(text, pages=tuple(pages)))
            text, pages = "", []
        text = _joined(text, words, whole, cleaner)
        if not pages or pages[-1][1] != page:
            pages.append((len(text) - len(words), page))
        before, gap = words, False
    if text:
        blocks.append(Block(text, pages=tuple(pages)))
    return blocks


def _begins_paragraph(before: str, words: str, width: int) -> bool:
    """Whether a paragraph ends between two lines."""
    closed = _CLOSED.search(before) is not None
    if heading_level(before) and not words[:1].islower():
        return True
    if closed and (_ITEM.match(words) or heading_level(words)):
        return True
    if _ITEM.match(words) and re.search(r"[,;]\s*(?:and|or|et|ou|und|oder)?\s*\Z|\b(?:and|or)\Z", before):
        return True
    return closed and len(before) < _FULL * width


def _joined(text: str, words: str, whole: Counter[str], cleaner: Cleaner) -> str:
    if not text:
        return words
    parted, following = _PARTED.search(text), _GOES_ON.match(words)
    if parted and following and words[0].islower():
        together, hyphened = f"{parted['head']}{following[0]}".lower(), f"{parted['head']}-{following[0]}".lower()
        # The document itself may write the word in one line elsewhere; without a witness a hyphen parts a word.
        if text[-1] == "-" and whole[hyphened] > whole[together]:
            return text + words
        cleaner.counts["hyphens"] += 1
        return text[:-1] + words
    if _UNSPACED.match(text[-1]) and _UNSPACED.match(words[0]):
        return text + words
    return f"{text} {words}"
