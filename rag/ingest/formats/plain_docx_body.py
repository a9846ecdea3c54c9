"""Walks the XML of a Word document in reading order: its body, then its footnotes and endnotes."""

from __future__ import annotations

from collections.abc import Iterator

from rag.ingest.formats.plain_blocks import SUPERSCRIPTS, Block, Cleaner, close_gaps, gap_of
from rag.ingest.formats.plain_docx_styles import Numbering, Styles, W, value
from rag.ingest.formats.xml import Element

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_GONE = frozenset([f"{W}del", f"{W}moveFrom"])
_SAID = {f"{W}tab": " ", f"{W}ptab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_NOTES = {f"{W}footnoteReference": "", f"{W}endnoteReference": "e"}
_PICTURES = frozenset([f"{W}drawing", f"{W}pict"])
_EMBEDDED = frozenset([f"{W}object", f"{W}altChunk", f"{W}subDoc", f"{W}sym"])
_TEXTS = f".//{W}t"


class BodyReader:
    """One run over a document.

    Args:
        stories: XML of the parts by kind; `document` at least.
        cleaner: counts what is left out.
    """

    def __init__(self, stories: dict[str, Element], cleaner: Cleaner) -> None:
        self.stories = stories
        self.cleaner = cleaner
        self.styles = Styles(stories.get("styles"))
        self.numbering = Numbering(stories.get("numbering"), self.styles)
        self.blocks: list[Block] = []
        self.boxes: list[Element] = []  # text boxes of the paragraph at hand; their words follow it
        self.notes: list[tuple[str, str]] = []  # (kind, id) in the order of their marks
        self.title = ""
        self.warnings: list[str] = []

    def read(self) -> list[Block]:
        """The blocks of the whole document."""
        body = self.stories["document"].find(f"{W}body")
        if body is not None:
            self._container(body)
        self._read_notes()
        for kind, story in self.stories.items():
            if kind.startswith(("header", "footer")):
                lines = ["".join(one.text or "" for one in each.iterfind(_TEXTS)) for each in story.iter(f"{W}p")]
                self.cleaner.counts["running"] += sum(bool(line.strip()) for line in lines)
        for form, count in sorted(self.numbering.unread.items()):
            self.warnings.append(f"{count} numbers of the form {form[:40]!r} are shown as digits")
        return self.blocks

    def _container(self, container: Element) -> None:
        """Paragraphs and tables of a body, cell, text box or note."""
        for child in container:
            if child.tag == f"{W}p":
                self._paragraph(child)
            elif child.tag == f"{W}tbl":
                rows = [row for row in self._rows(child) if row]
                if rows:
                    self.blocks.append(Block("\n".join(rows), rows=True))
            elif child.tag in _EMBEDDED:
                self.cleaner.counts["embedded"] += 1
            elif child.tag in _GONE:
                self._leave_out(child, "deleted")
            elif isinstance(child.tag, str) and child.tag != f"{W}sectPr":
                # Content controls, custom XML and accepted insertions wrap what stands in the body.
                self._container(child)

    def _paragraph(self, paragraph: Element) -> None:
        raw = close_gaps("".join(self._inline(paragraph)))
        label = self.numbering.label(paragraph) if raw.strip() else ""
        level = self.styles.level(paragraph)
        if level:
            heading = self.cleaner.heading(label + raw, level)
            if heading is not None:
                self.blocks.append(heading)
                self.title = self.title or (heading.text if level == 1 else "")
        else:
            text = self.cleaner.clean(label + raw)
            if text:
                self.blocks.append(Block(text))
        while self.boxes:
            self._container(self.boxes.pop(0))

    def _rows(self, table: Element) -> Iterator[str]:
        for row in table.iter(f"{W}tr"):
            if next(row.iterancestors(f"{W}tbl")) is not table:
                continue  # of a table inside a cell, which is part of that cell's words
            if row.find(f"{W}trPr/{W}del") is not None:
                self._leave_out(row, "deleted")
                continue
            cells = [one for one in row.iter(f"{W}tc") if next(one.iterancestors(f"{W}tr")) is row]
            words = [self._cell(one) for one in cells]
            yield " | ".join(words) if any(words) else ""

    def _cell(self, cell: Element) -> str:
        """The words of a cell on one line."""
        outer, self.blocks = self.blocks, []
        self._container(cell)
        inner, self.blocks = self.blocks, outer
        return " ".join(" ".join(block.text.split()) for block in inner)

    def _inline(self, element: Element) -> Iterator[str]:
        """The words of a paragraph, in order."""
        for child in element:
            tag = child.tag
            if tag == f"{W}r" and self.styles.hides(child):
                self.cleaner.counts["hidden"] += sum(len((one.text or "").strip()) for one in child.iterfind(_TEXTS))
            elif tag == f"{W}r" and self.styles.strikes(child):
                yield self._leave_out(child, "struck")
            elif tag in (f"{W}t", f"{_MATH}t"):
                yield child.text or ""
            elif tag in _SAID:
                yield _SAID[str(tag)]
            elif tag in _GONE:
                yield self._leave_out(child, "deleted")
            elif tag in _NOTES:
                yield f"[{self._note(str(tag), child.get(f'{W}id', ''))}]"
            elif tag in _EMBEDDED:
                self.cleaner.counts["embedded"] += 1
            elif tag in _PICTURES:
                boxes = list(child.iter(f"{W}txbxContent"))
                self.boxes.extend(boxes)
                self.cleaner.counts["images"] += not boxes
            elif tag == f"{_COMPATIBLE}AlternateContent":
                yield from self._inline(_preferred(child))
            elif tag == f"{W}ruby":
                yield from self._ruby(child)
            elif tag == f"{W}r" and value(child, f"{W}rPr/{W}vertAlign") == "superscript":
                words = "".join(self._inline(child))
                yield words.translate(SUPERSCRIPTS) if words.isascii() and words.isdecimal() else words
            elif isinstance(tag, str) and tag not in (f"{W}pPr", f"{W}rPr", f"{W}instrText"):
                if tag == f"{W}r" and self.styles.is_white(child):
                    self.cleaner.counts["white"] += sum(len((one.text or "").strip()) for one in child.iterfind(_TEXTS))
                yield from self._inline(child)

    def _ruby(self, ruby: Element) -> Iterator[str]:
        base, reading = ruby.find(f"{W}rubyBase"), ruby.find(f"{W}rt")
        yield from self._inline(base) if base is not None else ()
        spoken = "".join(self._inline(reading)) if reading is not None else ""
        yield f"({spoken})" if spoken else ""

    def _note(self, tag: str, identifier: str) -> str:
        kind = "endnotes" if _NOTES[tag] else "footnotes"
        if (kind, identifier) not in self.notes:
            self.notes.append((kind, identifier))
        same = [one for one in self.notes if one[0] == kind]
        return f"{_NOTES[tag]}{same.index((kind, identifier)) + 1}"

    def _read_notes(self) -> None:
        """The notes behind the body, each with the mark it has there."""
        position = 0
        while position < len(self.notes):  # a note may have marks of its own
            kind, identifier = self.notes[position]
            position += 1
            story = self.stories.get(kind)
            named = () if story is None else (one for one in story if one.get(f"{W}id") == identifier)
            note = next(iter(named), None)
            mark = self._note(f"{W}{kind[:-1]}Reference", identifier)
            if note is None:
                self.warnings.append(f"the note [{mark}] has a mark and no text")
                continue
            words = self._cell(note)
            if words:
                self.blocks.append(Block(f"[{mark}] {words}"))

    def _leave_out(self, element: Element, kind: str) -> str:
        """Count deleted text; what it leaves between its neighbours."""
        texts = [one.text or "" for one in element.iter(f"{W}delText", f"{W}t")]
        self.cleaner.counts[kind] += sum(len(one.strip()) for one in texts)
        return gap_of("".join(texts))


def _preferred(alternatives: Element) -> Element:
    """One of the forms in which the same words are stored for newer and for older programs."""
    choice = alternatives.find(f"{_COMPATIBLE}Choice")
    fallback = alternatives.find(f"{_COMPATIBLE}Fallback")
    return next((one for one in (choice, fallback) if one is not None), alternatives)
