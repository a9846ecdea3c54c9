"""Words with marks: what RegML's mixed content says, white space collapsed, and the edits both eRegs formats need.

Offsets are into the collapsed text. A picture has no words: `[image]` marks its place, with its description where
there is one. A blank to be filled in stands as `_____`. A table's rows are `cell | cell`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from rag.ingest.formats.xml import Element, local, plain

BLANK = "_____"
MAX_CAPTION = 400
_ROWS = frozenset({"row", "columnHeaderRow", "tr"})
_BLOCKS = frozenset({"table", "header", "callout", "line", "extract", "list", "item", "p", "li", "ul", "ol"}) | _ROWS
_CAPTION_END = re.compile(r"[.:;?!—–]\Z")


@dataclass(frozen=True, slots=True)
class TextMark:
    """A marked span. `kind` is `def`, or a reference's own type (`term`, `internal`, `external`)."""

    start: int
    end: int
    kind: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """Text and its marks; `images` are the names of the pictures in it."""

    text: str = ""
    marks: tuple[TextMark, ...] = ()
    images: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    def after(self, length: int) -> Words:
        """The words after the first `length` characters, without white space before them."""
        start = length + len(self.text[length:]) - len(self.text[length:].lstrip())
        kept = (
            replace(one, start=max(one.start, start) - start, end=one.end - start)
            for one in self.marks
            if one.end > start
        )
        return Words(self.text[start:], tuple(kept), self.images)


def join(parts: Iterable[Words]) -> Words:
    """Several texts as one, a line each, the empty ones left out."""
    text = ""
    marks: list[TextMark] = []
    images: list[str] = []
    for part in parts:
        if part:
            text = f"{text}\n" if text else ""
            marks.extend(replace(one, start=one.start + len(text), end=one.end + len(text)) for one in part.marks)
            images.extend(part.images)
            text += part.text
    return Words(text, tuple(marks), tuple(images))


def without_repeat(heading: str, words: Words) -> tuple[Words, str]:
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
            return words.after(len(tail)), tail
        first = False
        tail = tail.partition(" ")[2]
    return words, ""


def is_dash(said: Words) -> bool:
    """Whether the words are only the dash between a caption and the paragraphs below it."""
    return said.text in ("—", "–", "-")


@dataclass(slots=True)
class _Reader:
    out: list[str] = field(default_factory=list[str])
    length: int = 0
    marks: list[TextMark] = field(default_factory=list[TextMark])
    images: list[str] = field(default_factory=list[str])
    notes: list[Element] = field(default_factory=list[Element])

    def say(self, raw: str | None) -> None:
        text = re.sub(r"\s+", " ", raw or "")
        if text.startswith(" ") and (not self.out or self.out[-1][-1] in " \n"):
            text = text[1:]
        self._append(text)

    def end_line(self) -> None:
        if self.out and self.out[-1][-1] == " ":
            self.out[-1] = self.out[-1][:-1] + "\n"
        elif self.out and self.out[-1][-1] != "\n":
            self._append("\n")

    def _append(self, text: str) -> None:
        if text:
            self.out.append(text)
            self.length += len(text)

    def read(self, element: Element) -> None:
        name = local(element)
        start = self.length
        if name == "graphic":
            self._picture(element)
        elif name == "footnote":
            self.notes.append(element)
        elif name in _BLOCKS:
            self.end_line()
            self._inside(element, " | " if name in _ROWS else "")
            self.end_line()
        else:
            self._inside(element, "")
            if name == "dash":
                self._append(BLANK)
        if name == "ref" and self.length > start:
            self.marks.append(
                TextMark(start, self.length, element.get("reftype") or "internal", element.get("target") or "")
            )
        elif name == "def" and self.length > start:
            self.marks.append(TextMark(start, self.length, "def", element.get("term") or ""))

    def _inside(self, element: Element, separator: str) -> None:
        self.say(element.text)
        for position, child in enumerate(element):
            if separator and position:
                self._append(separator)
            self.read(child)
            self.say(child.tail)

    def _picture(self, element: Element) -> None:
        described = {local(one): plain(one) for one in element}
        linked = re.fullmatch(r"!\[(.*?)\]\((.*?)\)", described.get("text", ""))
        alt = described.get("altText") or (linked[1] if linked else described.get("text", ""))
        self.images.append(linked[2] if linked else described.get("url", ""))
        self._append(image(alt))

    def words(self) -> Words:
        whole = "".join(self.out)
        text = whole.rstrip()
        marks: list[TextMark] = []
        for one in self.marks:
            start, end = one.start, min(one.end, len(text))
            while start < end and whole[start].isspace():
                start += 1
            while start < end and whole[end - 1].isspace():
                end -= 1
            if start < end:
                marks.append(replace(one, start=start, end=end))
        return Words(text, tuple(marks), tuple(one for one in self.images if one))


def image(description: str) -> str:
    """What stands for a picture: `[image]`, or `[image: words]` where the source describes it."""
    described = " ".join(description.split())
    return f"[image: {described}]" if described else "[image]"


def words(element: Element) -> tuple[Words, list[Element]]:
    """All words of an element with mixed content, and the footnotes in it, whose words are not among them."""
    reader = _Reader()
    reader.say(element.text)
    for child in element:
        reader.read(child)
        reader.say(child.tail)
    return reader.words(), reader.notes


def loose(text: str | None) -> Words:
    """Words that stand outside every element."""
    return Words(" ".join((text or "").split()))
