"""Rich with marks: what RegML's mixed content says, white space collapsed, and the edits both eRegs formats need.

Offsets are into the collapsed text. A picture has no words: `[image]` marks its place, with its description where
there is one. A blank to be filled in stands as `_____`. A table's rows are `cell | cell`.
"""

from __future__ import annotations

import re
from typing import ClassVar

from rag.ingest.formats.xml import Element, local, plain
from rag.ingest.formats.xml_text import IMAGE, Rich, Writer
from rag.law.nodes import Mark

BLANK = "_____"
MAX_CAPTION = 400
_ROWS = frozenset({"row", "columnHeaderRow", "tr"})
_CAPTION_END = re.compile(r"[.:;?!—–]\Z")


def pictures(said: Rich) -> list[str]:
    """The names of the pictures in a text."""
    return [mark.target for mark in said.marks if mark.kind == "image"]


def without_repeat(heading: str, words: Rich) -> tuple[Rich, str]:
    """The words without what they repeat of the heading above them, and what that was.

    Publishing software repeats a caption, or the end of one in which a term is linked (`Other accounts of the
    applicant.` above `accounts of the applicant. A creditor may ...`). A repeat is the whole caption with its full
    stop, or at least two words of its end where they begin in lower case, which no sentence does.
    """
    tail = heading.strip()
    if len(tail) > MAX_CAPTION or not _CAPTION_END.search(tail):
        return words, ""
    first = True
    while tail:
        if words.text.startswith(tail) and (first or (tail[:1].islower() and " " in tail)):
            return words.cut(len(tail)), tail
        first = False
        tail = tail.partition(" ")[2]
    return words, ""


def is_dash(said: Rich) -> bool:
    """Whether the words are only the dash between a caption and the paragraphs below it."""
    return said.text in ("—", "–", "-")


class _Writer(Writer):
    # Marks are of the kind `def`, `image`, or a reference's own type (`term`, `internal`, `external`).
    ROLES: ClassVar = {
        **dict.fromkeys(
            ("table", "header", "callout", "line", "extract", "list", "item", "p", "li", "ul", "ol"), "block"),
        **dict.fromkeys(_ROWS, "row"),
        "footnote": "aside", "graphic": "picture", "dash": "blank", "ref": "pointer", "def": "pointer",
    }  # fmt: skip

    def role(self, element: Element, name: str) -> str:
        parent = element.getparent()
        role = super().role(element, name)
        return "cell" if role in ("inline", "block") and parent is not None and local(parent) in _ROWS else role

    def special(self, element: Element, role: str) -> None:
        if role == "picture":
            self._picture(element)
        elif role == "blank":
            self.inside(element)
            self.put(BLANK)
        else:
            self.marked(element, (element.get("reftype") or "internal") if local(element) == "ref" else "def")

    def target(self, element: Element, role: str) -> str:
        return element.get("term" if role == "def" else "target") or ""

    def row(self, row: Element) -> None:
        super().row(row)
        if self.pieces and self.pieces[-1] == " | ":  # an empty cell ends the line, which ends in no white space
            self.pieces[-1], self.size = " |", self.size - 1

    def _picture(self, element: Element) -> None:
        described = {local(part): plain(part) for part in element}
        linked = re.fullmatch(r"!\[(.*?)\]\((.*?)\)", described.get("text", ""))
        alt = described.get("altText") or (linked[1] if linked else described.get("text", ""))
        shown, name = image(alt), linked[2] if linked else described.get("url", "")
        self.put(shown)
        if name:
            self.marks.append(Mark(self.size - len(shown), self.size, "image", name))


def image(description: str) -> str:
    """What stands for a picture: `[image]`, or `[image: words]` where the source describes it."""
    described = " ".join(description.split())
    return f"[image: {described}]" if described else IMAGE


def words(element: Element) -> tuple[Rich, tuple[Element, ...]]:
    """All words of an element with mixed content, and the footnotes in it, whose words are not among them."""
    said = _Writer().read(element)
    return said, said.aside
