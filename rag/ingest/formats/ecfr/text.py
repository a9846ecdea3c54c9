"""Mixed content of an eCFR element as plain text with its italic spans; the words of blocks, tables and notes.

Kept as printed: superscripts and fractions (`<SU>`, `<FR>`) are plain text where they stand, with the white space of
the source. A picture has no words: `[image]` marks its place. What can be read of a formula in a line stands as
`[formula: ...]`. The caller warns of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rag.ingest.formats.xml import Element, local

IMAGE = "[image]"
_IMAGES = frozenset({"img", "GID", "GRAPHIC", "MATH"})
_ITALIC_E = frozenset({"03", "7462", "8052"})  # GPO typeface codes for italic
_ITALIC = frozenset({"I", "i", "EM", "em"})
_BLOCKS = frozenset(
    {"TABLE", "THEAD", "TBODY", "TFOOT", "GPOTABLE", "BOXHD", "TR", "ROW", "DIV", "EXTRACT", "NOTE", "EXAMPLE", "P",
     "PSPACE", "HED", "FTNT", "TTITLE", "TNOTE", "TDESC", "CAPTION", "LI", "UL", "OL", "FRP"}
)  # fmt: skip
_BREAKS = frozenset({"BR", "br"})


@dataclass(frozen=True, slots=True)
class Rich:
    """Text with white space collapsed, and the italic spans in it as half-open character offsets."""

    text: str = ""
    italics: tuple[tuple[int, int], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    def cut(self, start: int, end: int | None = None) -> Rich:
        """The part from `start` to `end`, without white space around it; spans are clipped and shifted."""
        stop = len(self.text) if end is None else end
        part = self.text[start:stop]
        begin = start + len(part) - len(part.lstrip())
        part = part.strip()
        finish = begin + len(part)
        spans = ((max(a, begin) - begin, min(b, finish) - begin) for a, b in self.italics)
        return Rich(part, tuple((a, b) for a, b in spans if a < b))

    def italic_at(self, position: int) -> tuple[int, int] | None:
        """The italic span that covers this character."""
        return next(((a, b) for a, b in self.italics if a <= position < b), None)


def join(parts: Iterable[Rich], separator: str = "\n") -> Rich:
    """Several texts as one, the empty ones left out."""
    text, spans = "", list[tuple[int, int]]()
    for part in parts:
        if part:
            text = f"{text}{separator}" if text else ""
            spans.extend((a + len(text), b + len(text)) for a, b in part.italics)
            text += part.text
    return Rich(text, tuple(spans))


def has_image(element: Element) -> bool:
    """Whether something in the element is a picture and has no words."""
    return any(local(one) in _IMAGES for one in element.iter("*"))


def rich(element: Element) -> Rich:
    """All text of an element; adjacent italic spans with only white space between them are one span."""
    runs: list[tuple[str, bool]] = []
    _collect(element, italic=False, runs=runs)
    spans: list[tuple[int, int]] = []
    pieces: list[str] = []
    length, solid, spaced = 0, 0, True
    for raw, italic in runs:
        run = re.sub(r"\s+", " ", raw)
        if spaced and run.startswith(" "):
            run = run[1:]
        if not run:
            continue
        pieces.append(run)
        start, end = length + (run[0] == " "), length + len(run.rstrip())
        length += len(run)
        spaced = run[-1] == " "
        if start >= end:
            continue
        if italic and spans and spans[-1][1] == solid:
            spans[-1] = (spans[-1][0], end)
        elif italic:
            spans.append((start, end))
        solid = end
    text = "".join(pieces).rstrip()
    return Rich(text, tuple(spans))


def _collect(element: Element, *, italic: bool, runs: list[tuple[str, bool]]) -> None:
    name = local(element)
    if name in _IMAGES:
        words = " ".join("".join(str(one) for one in element.itertext()).split())
        runs.append((f" [formula: {words}] " if words else f" {IMAGE} ", italic))
        return
    inside = italic or name in _ITALIC or (name == "E" and element.get("T") in _ITALIC_E)
    if name == "E" and element.get("T") == "01":  # upright inside an italic run
        inside = False
    if element.text:
        runs.append((element.text, inside))
    for child in element:
        following = child.getnext()
        reference = local(child) == "SU" and following is not None and local(following) == "FTREF"
        if local(child) in _BREAKS or reference:  # a footnote's number is no part of the word before it
            runs.append((" ", inside))
        _collect(child, italic=inside, runs=runs)
        if child.tail:
            runs.append((child.tail, inside))


def loose(text: str | None) -> Rich:
    """Words that stand directly in a block, outside every element."""
    return Rich(re.sub(r"\s+", " ", text or "").strip())


def lines(element: Element, *, headed: bool = True) -> list[Rich]:
    """The words of a block with structure of its own, one entry a line.

    A table's rows are `cell | cell`; a heading and its paragraph (`<HED>` and `<PSPACE>`) are one line; every other
    block is a line, and so are words loose between blocks.

    Args:
        element: the block.
        headed: whether its `<HED>` is part of the words; a note's is its heading instead.
    """
    if local(element) in ("TR", "ROW", "BOXHD") and not any(loose(cell.tail) for cell in element):
        return [join((loose(element.text), *(rich(cell) for cell in element)), " | ")]
    if not any(_is_block(child) for child in element):
        own = rich(element)
        return [own] if own else []
    out = [loose(element.text)]
    heading = Rich()
    for child in element:
        if local(child) == "HED":
            heading = rich(child) if headed else Rich()
        else:
            found = lines(child) if _is_block(child) else [rich(child)]
            out.extend([join((heading, found[0]), " "), *found[1:]] if found else [])
            heading = Rich() if found else heading
        if loose(child.tail):
            out.extend((heading, loose(child.tail)))
            heading = Rich()
    return [line for line in (*out, heading) if line]


def _is_block(element: Element) -> bool:
    name = local(element)
    return name.upper() in _BLOCKS or name.startswith(("FP", "HD"))
