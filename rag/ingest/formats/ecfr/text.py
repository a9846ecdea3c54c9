"""Mixed content of an eCFR element as plain text with its italic spans; the words of blocks, tables and notes.

Kept as printed: superscripts and fractions (`<SU>`, `<FR>`) are plain text where they stand, with the white space of
the source. A picture has no words: `[image]` marks its place. What can be read of a formula in a line stands as
`[formula: ...]`. The caller warns of both.
"""

from __future__ import annotations

from typing import ClassVar

from rag.ingest.formats.xml import Element, local
from rag.ingest.formats.xml_text import IMAGE, Rich, Writer, join, loose
from rag.law.nodes import Mark

_IMAGES = frozenset({"img", "GID", "GRAPHIC", "MATH"})
_ITALIC_E = frozenset({"03", "7462", "8052"})  # GPO typeface codes for italic
_BLOCKS = frozenset(
    {"TABLE", "THEAD", "TBODY", "TFOOT", "GPOTABLE", "BOXHD", "TR", "ROW", "DIV", "EXTRACT", "NOTE", "EXAMPLE", "P",
     "PSPACE", "HED", "FTNT", "TTITLE", "TNOTE", "TDESC", "CAPTION", "LI", "UL", "OL", "FRP"}
)  # fmt: skip


def has_image(element: Element) -> bool:
    """Whether something in the element is a picture and has no words."""
    return any(local(found) in _IMAGES for found in element.iter("*"))


class _Writer(Writer):
    ROLES: ClassVar = {
        **dict.fromkeys(("I", "i", "EM", "em", "E"), "face"),
        **dict.fromkeys(("BR", "br"), "apart"),
        **dict.fromkeys(_IMAGES, "image"),
        "SU": "raised",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._italic = False

    def special(self, element: Element, role: str) -> None:
        name, italic = local(element), self._italic
        following = element.getnext()
        if role == "image":
            words = " ".join("".join(element.itertext()).split())
            self.gap = self.gap or " "
            self.put(f"[formula: {words}]" if words else IMAGE)
            self.gap = " "
            return
        if role == "face":
            self._italic = name != "E" or element.get("T") in _ITALIC_E or (italic and element.get("T") != "01")
        elif following is not None and local(following) == "FTREF":  # a footnote's number is no part of the word
            self.gap = self.gap or " "
        self.inside(element)
        self._italic = italic

    def put(self, piece: str) -> None:
        """Adjacent italic words with only white space between them are one span."""
        before = self.size
        super().put(piece)
        if self._italic:
            goes_on = bool(self.marks) and self.marks[-1].end == before
            start = self.marks.pop().start if goes_on else self.size - len(piece)
            self.marks.append(Mark(start, self.size, "italic"))


def rich(element: Element) -> Rich:
    """All text of an element, its own typeface included."""
    return _Writer().read(element, whole=True)


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
