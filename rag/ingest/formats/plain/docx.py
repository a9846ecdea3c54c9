"""Word documents (.docx): paragraphs, numbers, tables, notes. What is deleted or hidden is left out and counted."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import etree

from rag.ingest.formats.plain.blocks import SUPERSCRIPTS, Block, Cleaner, Reading, close_gaps, gap_of
from rag.ingest.formats.plain.bytes import read_bytes
from rag.ingest.formats.plain.document import PlainFormat, not_installed
from rag.ingest.formats.plain.layout import is_sign, list_number, marked, places_numbers
from rag.ingest.formats.plain.source import MAX_BYTES, PlainSource
from rag.ingest.formats.xml import MAX_DEPTH, Element
from retrieval.errors import IngestError

# What Word computes instead of storing: a paragraph's heading rank and the number printed before it.

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)")
_MOST_STYLES = 50  # of a chain of styles that rest on each other; a cycle has no end


def value(element: Element | None, path: str) -> str | None:
    """The `w:val` of a descendant; None where there is none, empty where it states none."""
    found = element.find(path) if element is not None else None
    return None if found is None else found.get(f"{W}val", "")


def counted(text: str | None, default: int) -> int:
    """A number as an attribute states it; the default where it states none that a document can mean."""
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,6}", text) else default


def switched_on(element: Element | None, path: str) -> bool:
    """Whether a property such as `w:vanish` is set: present without a value that takes it back."""
    return value(element, path) not in (None, "0", "false", "off", "none")


def _own_properties(element: Element) -> Element | None:
    """The properties that a paragraph or a cell states for itself."""
    return element.find(f"{element.tag}Pr")


class Styles:
    """Look-ups in `styles.xml`; a style answers from those it rests on."""

    def __init__(self, root: Element | None) -> None:
        found = [] if root is None else root.findall(f"{W}style")
        # Each run asks what holds for all of its paragraph, whose properties are to be found among all of its runs.
        self._own = lru_cache(maxsize=MAX_DEPTH)(_own_properties)
        self._by_id = {element.get(f"{W}styleId", ""): element for element in found}
        self._default = next(
            (element.get(f"{W}styleId", "") for element in found
             if element.get(f"{W}type") == "paragraph" and element.get(f"{W}default") in ("1", "true")), ""
        )  # fmt: skip

    def chain(self, style: str | None) -> list[Element]:
        """The style and those it rests on, nearest first; the default paragraph style where none is named."""
        out: list[Element] = []
        name: str | None = style or self._default
        while name in self._by_id and len(out) < _MOST_STYLES:
            out.append(self._by_id[name])
            name = value(out[-1], f"{W}basedOn")
        return out

    def level(self, paragraph: Element) -> int:
        """The rank of a paragraph as a heading, from 1, the document's title first; 0 for other text."""
        properties = paragraph.find(f"{W}pPr")
        direct = value(properties, f"{W}outlineLvl")
        if counted(direct, 9) < 9:
            return counted(direct, 9) + 2
        for element in self.chain(value(properties, f"{W}pStyle")):
            name = (value(element, f"{W}name") or "").lower()
            if name == "title":
                return 1
            if match := _HEADING.fullmatch(name):
                return int(match[1]) + 1
            outline = value(element, f"{W}pPr/{W}outlineLvl")
            if counted(outline, 9) < 9:
                return counted(outline, 9) + 2
        return 0

    def hides(self, run: Element) -> bool:
        """Whether a run's text is hidden, by itself or by a style."""
        return self._is_on(run, "vanish")

    def strikes(self, run: Element) -> bool:
        """Whether a run's text is struck out, by itself or by a style."""
        return self._is_on(run, "strike") or self._is_on(run, "dstrike")

    def is_white(self, run: Element) -> bool:
        """Whether a run's text is white and nothing says that its background is not."""
        colour = next(
            (found for element in self._properties(run) if (found := value(element, f"{W}color")) is not None), ""
        )
        shaded = any(
            element.find(f"{W}{name}") is not None for element in self._properties(run) for name in ("shd", "highlight")
        )
        around = any(
            (own := self._own(ancestor)) is not None and own.find(f"{W}shd") is not None
            for ancestor in run.iterancestors(f"{W}p", f"{W}tc")
        )
        return colour.upper() == "FFFFFF" and not shaded and not around

    def _is_on(self, run: Element, name: str) -> bool:
        said = next((element for element in self._properties(run) if element.find(f"{W}{name}") is not None), None)
        return said is not None and switched_on(said, f"{W}{name}")

    def _properties(self, run: Element) -> Iterator[Element]:
        """What is said of a run, nearest first: by itself, its character style, its paragraph's style."""
        direct = run.find(f"{W}rPr")
        if direct is not None:
            yield direct
        paragraph = next(run.iterancestors(f"{W}p"), None)
        named = value(direct, f"{W}rStyle")
        own = self._own(paragraph) if paragraph is not None else None
        styles = [*(self.chain(named) if named else ()), *self.chain(value(own, f"{W}pStyle"))]
        yield from (found for style in styles if (found := style.find(f"{W}rPr")) is not None)


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str
    legal: bool  # shows the numbers of all levels as figures
    restart: (
        int | None
    )  # begins again behind this level, from 1, and those above it; 0 for never, None behind all above
    style: str  # whose paragraphs have this level


class Numbering:
    """Counts the paragraphs of numbered lists as Word does: `label` is to be asked once for each, in order."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()
        self.unread: Counter[str] = Counter()  # forms of numbers that are shown as digits instead
        abstract = (
            {} if root is None else {found.get(f"{W}abstractNumId"): found for found in root.findall(f"{W}abstractNum")}
        )
        numbers = [] if root is None else root.findall(f"{W}num")
        by_id = {element.get(f"{W}numId", ""): value(element, f"{W}abstractNumId") or "" for element in numbers}
        for key, element in abstract.items():
            # A list may leave its levels to a style, which has them in another list.
            linked = value(element, f"{W}numStyleLink")
            for style in styles.chain(linked)[:1] if linked else ():
                other = by_id.get(value(style, f"{W}pPr/{W}numPr/{W}numId") or "")
                abstract[key] = abstract.get(other, element)
        self._lists: dict[str, str] = {}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        self._by_style: dict[tuple[str, str], int] = {}
        for element in numbers:
            number, key = element.get(f"{W}numId", ""), value(element, f"{W}abstractNumId") or ""
            self._lists[number] = key
            base = abstract.get(key)
            self._levels[number] = {} if base is None else _levels(base.findall(f"{W}lvl"))
            for change in element.findall(f"{W}lvlOverride"):
                level = counted(change.get(f"{W}ilvl"), 0)
                self._levels[number].update(_levels(change.findall(f"{W}lvl")))
                start = value(change, f"{W}startOverride")
                if start is not None:
                    self._restarts[number, level] = counted(start, 1)
            self._by_style.update({(number, level.style): at for at, level in self._levels[number].items()})

    def label(self, paragraph: Element) -> str:
        """The number or bullet printed before a paragraph, with a space after it; empty where it has none."""
        place = self._place(paragraph)
        if place is None:
            return ""
        number, depth = place
        levels = self._levels.get(number, {})
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(self._lists[number], {})
        if (number, depth) in self._restarts and (number, depth) not in self._begun:
            counts[depth] = self._restarts[number, depth] - 1
        self._begun.add((number, depth))
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [count for count in counts if count > depth]:
            restart = levels[deeper].restart if deeper in levels else None
            if restart is None or depth < restart:
                del counts[deeper]
        if level.form == "bullet":
            return "- "
        if level.form == "none":
            return ""

        def printed(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            other = levels.get(at, level)
            return self._number(counts.get(at, other.start), "decimal" if level.legal else other.form)

        label = re.sub(r"%([1-9])", printed, level.text).strip()
        return f"{label} " if label else ""

    def _place(self, paragraph: Element) -> tuple[str, int] | None:
        properties = paragraph.find(f"{W}pPr")
        styles = self._styles.chain(value(properties, f"{W}pStyle"))
        sources = [properties, *(element.find(f"{W}pPr") for element in styles)]
        depth = next((found for source in sources if (found := value(source, f"{W}numPr/{W}ilvl"))), None)
        number = next((found for source in sources if (found := value(source, f"{W}numPr/{W}numId"))), "0")
        if number not in self._levels:
            return None
        if depth is None:
            names = (style.get(f"{W}styleId", "") for style in styles)
            return number, next((self._by_style[number, name] for name in names if (number, name) in self._by_style), 0)
        return number, counted(depth, 0)

    def _number(self, count: int, form: str) -> str:
        shown = list_number(count, form)
        if shown is None:
            self.unread[form] += 1
            return str(count)
        return shown


def _levels(found: list[Element]) -> dict[int, _Level]:
    return {
        counted(element.get(f"{W}ilvl"), 0): _Level(
            counted(value(element, f"{W}start"), 1),
            value(element, f"{W}numFmt") or "decimal",
            value(element, f"{W}lvlText") or "",
            switched_on(element, f"{W}isLgl"),
            None if (restart := value(element, f"{W}lvlRestart")) is None else counted(restart, 0),
            value(element, f"{W}pStyle") or "",
        )
        for element in found
    }


# Walks the XML of a Word document in reading order: its body, then its footnotes and endnotes.

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_GONE = frozenset([f"{W}del", f"{W}moveFrom"])
_SAID = {f"{W}tab": "\t", f"{W}ptab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_NOTES = {f"{W}footnoteReference": "", f"{W}endnoteReference": "e"}
_PICTURES = frozenset([f"{W}drawing", f"{W}pict"])
_EMBEDDED = frozenset([f"{W}object", f"{W}altChunk", f"{W}subDoc", f"{W}sym"])
_BOX = f"{W}txbxContent"
_GALLERY = f"{W}sdtPr/{W}docPartObj/{W}docPartGallery"
_TEXTS = f".//{W}t"
_TABBED = re.compile(r"\s*(\d{1,3}[A-Z]?)\t(?=[^\W\d_][^\t]*\Z)")  # a number beside its words
_CONTENTS = re.compile(r"toc (?:\d|heading)")  # styles


class BodyReader:
    """One run over a document.

    Args:
        stories: XML of the parts by kind; `document` at least.
    """

    def __init__(self, stories: dict[str, Element], cleaner: Cleaner) -> None:
        self.stories = stories
        self.cleaner = cleaner
        self.styles = Styles(stories.get("styles"))
        self.numbering = Numbering(stories.get("numbering"), self.styles)
        self.blocks: list[Block] = []
        self.boxes: list[Element] = []  # text boxes of the paragraph at hand; their words follow it
        self.notes: list[tuple[str, str]] = []  # (kind, id) in the order of their marks
        self._marks: dict[tuple[str, str], str] = {}  # (kind, id) -> mark
        self._counts: Counter[str] = Counter()  # marks by kind
        self._joined: list[str] = []  # the words of paragraphs whose ends are deleted, which begin the next one
        self._contents = _contents_of(stories["document"])
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
                lines = ["".join(found.text or "" for found in each.iterfind(_TEXTS)) for each in story.iter(f"{W}p")]
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
                self._table(child)
            elif child.tag == f"{W}sdt" and value(child, _GALLERY) == "Table of Contents":
                self._leave_contents(child)
            elif child.tag in _EMBEDDED:
                self.cleaner.counts["embedded"] += 1
            elif child.tag in _GONE:
                self._leave_out(child, "deleted")
            elif isinstance(child.tag, str) and child.tag != f"{W}sectPr":
                # Content controls, custom XML and accepted insertions wrap what is in the body.
                self._container(child)
        self._end_joined()

    def _paragraph(self, paragraph: Element) -> None:
        styles = self.styles.chain(value(paragraph, f"{W}pPr/{W}pStyle"))
        if paragraph in self._contents or any(
            _CONTENTS.match((value(one, f"{W}name") or "").lower()) for one in styles
        ):
            self._leave_contents(paragraph)
            return
        self._joined.extend(self._inline(paragraph))
        end = paragraph.find(f"{W}pPr/{W}rPr")
        if end is not None and any(end.find(name) is not None for name in _GONE):
            return
        raw = _TABBED.sub(r"\1. ", close_gaps("".join(self._joined)), count=1)
        self._joined.clear()
        label = "" if switched_on(end, f"{W}vanish") and not raw.strip() else self.numbering.label(paragraph)
        if not raw.strip() and next(paragraph.iterancestors(f"{W}tc"), None) is None:
            label = ""  # a number without words, which counts; in a cell it numbers what is beside it
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
        boxes, self.boxes = self.boxes, []
        for box in boxes:
            self._container(box)

    def _end_joined(self) -> None:
        text = self.cleaner.clean(close_gaps("".join(self._joined)))
        self._joined.clear()
        if text:
            self.blocks.append(Block(text))

    def _table(self, table: Element) -> None:
        """A table as a block of rows; one that only places numbers, or all words in one column, as its paragraphs."""
        rows = list(self._rows(table))
        lines = [[_on_one_line(cell) for cell in row] for row in rows]
        if all(sum(map(bool, row)) < 2 for row in lines):
            self.blocks += [block for row in rows for cell in row for block in cell]
        elif not places_numbers(lines):
            text = "\n".join(" | ".join(row) for row in lines if any(row))
            self.blocks.append(Block(text, rows=True))
        else:
            for row, texts in zip(rows, lines, strict=True):
                self._numbered_row([(cell, text) for cell, text in zip(row, texts, strict=True) if text])

    def _numbered_row(self, cells: list[tuple[list[Block], str]]) -> None:
        """What is in the last cell, with the numbers in those before it, and a caption before these on its own."""
        if len(cells) > 1 and not is_sign(cells[0][1]):
            self.blocks += cells.pop(0)[0]
        signs = "".join(f"{marked(text)} " for _, text in cells[:-1])
        for block in cells[-1][0] if cells else ():
            if signs and block.rows:
                self.blocks.append(Block(signs.strip()))
            self.blocks.append(block if block.rows else replace(block, text=signs + block.text))
            signs = ""

    def _rows(self, table: Element) -> Iterator[list[list[Block]]]:
        """The blocks of each cell of each row."""
        for row in table.iter(f"{W}tr"):
            if next(row.iterancestors(f"{W}tbl")) is not table:
                continue  # of a table inside a cell, which is part of that cell's words
            if row.find(f"{W}trPr/{W}del") is not None:
                self._leave_out(row, "deleted")
                continue
            yield [self._cell(found) for found in row.iter(f"{W}tc") if next(found.iterancestors(f"{W}tr")) is row]

    def _cell(self, cell: Element) -> list[Block]:
        """The blocks of a cell or a note."""
        outer, self.blocks = self.blocks, []
        self._container(cell)
        inner, self.blocks = self.blocks, outer
        return inner

    def _leave_contents(self, element: Element) -> None:
        """Leave a table of contents out, line by line."""
        lines = ("".join(found.text or "" for found in each.iterfind(_TEXTS)) for each in element.iter(f"{W}p"))
        self.cleaner.counts["contents"] += sum(bool(line.strip()) for line in lines)

    def _inline(self, element: Element) -> Iterator[str]:
        """The words of a paragraph, in order."""
        for child in element:
            tag = child.tag
            if tag == f"{W}r" and self.styles.hides(child):
                self.cleaner.counts["hidden"] += sum(
                    len((found.text or "").strip()) for found in child.iterfind(_TEXTS)
                )
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
                around = next(child.iterancestors(_BOX), None)  # a box inside another is one of its words
                boxes = [box for box in child.iter(_BOX) if next(box.iterancestors(_BOX), None) is around]
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
                    self.cleaner.counts["white"] += sum(
                        len((found.text or "").strip()) for found in child.iterfind(_TEXTS)
                    )
                yield from self._inline(child)

    def _ruby(self, ruby: Element) -> Iterator[str]:
        base, reading = ruby.find(f"{W}rubyBase"), ruby.find(f"{W}rt")
        yield from self._inline(base) if base is not None else ()
        spoken = "".join(self._inline(reading)) if reading is not None else ""
        yield f"({spoken})" if spoken else ""

    def _note(self, tag: str, identifier: str) -> str:
        kind = "endnotes" if _NOTES[tag] else "footnotes"
        key = (kind, identifier)
        if key not in self._marks:
            self._counts[kind] += 1
            self._marks[key] = f"{_NOTES[tag]}{self._counts[kind]}"
            self.notes.append(key)
        return self._marks[key]

    def _read_notes(self) -> None:
        """The notes behind the body, each with the mark it has there."""
        texts: dict[tuple[str, str], Element] = {}
        for kind in ("footnotes", "endnotes"):
            for element in self.stories.get(kind, ()):
                if (identifier := element.get(f"{W}id")) is not None:
                    texts.setdefault((kind, identifier), element)
        for key in self.notes:  # which grows: a note may have marks of its own
            note, mark = texts.get(key), self._marks[key]
            if note is None:
                self.warnings.append(f"the note [{mark}] has a mark and no text")
                continue
            words = _on_one_line(self._cell(note))
            if words:
                self.blocks.append(Block(f"[{mark}] {words}"))

    def _leave_out(self, element: Element, kind: str) -> str:
        """Count deleted text; what it leaves between its neighbours."""
        texts = [found.text or "" for found in element.iter(f"{W}delText", f"{W}t")]
        self.cleaner.counts[kind] += sum(len(text.strip()) for text in texts)
        return gap_of("".join(texts))


def _on_one_line(blocks: Sequence[Block]) -> str:
    return " ".join(" ".join(block.text.split()) for block in blocks)


def _contents_of(document: Element) -> frozenset[Element]:
    """The paragraphs of tables of contents that are fields with an end."""
    paragraphs: list[Element] = []
    spans: list[tuple[int, int]] = []  # of tables of contents: the places of the first paragraph and behind the last
    fields: list[tuple[int, list[str]]] = []  # which are open: the place of the first paragraph, instructions
    for element in document.iter(f"{W}p", f"{W}fldChar", f"{W}instrText", f"{W}t"):
        kind = element.get(f"{W}fldCharType")
        if element.tag == f"{W}p":
            paragraphs.append(element)
        elif element.tag == f"{W}t" and spans and spans[-1][1] == len(paragraphs) and (element.text or "").strip():
            spans[-1] = spans[-1][0], len(paragraphs) - 1  # words behind it in its last paragraph
        elif element.tag == f"{W}instrText" and fields:
            fields[-1][1].append(element.text or "")
        elif kind == "begin":
            fields.append((max(len(paragraphs) - 1, 0), []))
        elif kind == "end" and fields:
            first, instructions = fields.pop()
            if "".join(instructions).split()[:1] == ["TOC"]:
                spans.append((first, len(paragraphs)))
    found: set[Element] = set()
    reached = 0
    for first, last in sorted(spans):
        found.update(paragraphs[max(first, reached) : last])
        reached = max(reached, last)
    return frozenset(found)


def _preferred(alternatives: Element) -> Element:
    """One of the forms in which the same words are stored for newer and for older programs."""
    choice = alternatives.find(f"{_COMPATIBLE}Choice")
    fallback = alternatives.find(f"{_COMPATIBLE}Fallback")
    return next((element for element in (choice, fallback) if element is not None), alternatives)


if TYPE_CHECKING:
    from docx.document import Document

# Bytes as the archive states them, which reading never exceeds: of all members together, and of one that is XML.
MAX_UNPACKED = 256 * 1024 * 1024
MAX_XML = 64 * 1024 * 1024
MAX_MEMBERS = 10_000
_ZIP = b"PK\x03\x04"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of encrypted and of older Word documents
_DOCTYPE = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_XML_MEMBER = re.compile(r"\.(?:xml|rels)\Z", re.IGNORECASE)


class PlainDocx(PlainFormat):
    """Format `plain_docx`. Needs the extra `documents`."""

    name = "plain_docx"
    version = 12

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether it is an archive that holds a Word document, or is named as one."""
        if path.suffix.lower() == ".docx":
            return True
        if not head.startswith(_ZIP):
            return False
        try:
            with zipfile.ZipFile(path) as archive:
                return "word/document.xml" in archive.namelist()
        except (zipfile.BadZipFile, OSError, ValueError):
            return False

    def read(self, source: PlainSource, cleaner: Cleaner) -> Reading:
        """Read the document's body, footnotes and endnotes.

        Raises:
            IngestError: empty, too large, damaged, encrypted, a zip bomb, with a document type or entities; or the
                extra is not installed.
        """
        try:
            from docx import Document as open_document

        except ModuleNotFoundError as error:
            raise not_installed(error, source) from None
        data = read_bytes(source, MAX_BYTES)
        if data.startswith(_OLE):
            cause = "is encrypted or of Word's older format; save it as .docx without a password"
            raise IngestError(cause, file=source.name)
        try:
            _check_archive(data, source.name)
            document = open_document(io.BytesIO(data))
            stories = _stories(document, source.name)
            stated = document.core_properties.title or ""
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise IngestError(f"its archive is damaged ({type(error).__name__})", file=source.name) from None
        except etree.XMLSyntaxError as error:
            cause = f"a part of it is not well-formed XML (libxml2 error {error.code})"
            raise IngestError(cause, file=source.name, line=error.lineno) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # python-docx has no error of its own for a package that lacks or misnames its parts.
            cause = f"is no Word document that can be read ({type(error).__name__}); save it as .docx again"
            raise IngestError(cause, file=source.name) from None
        reader = BodyReader(stories, cleaner)
        return Reading(reader.read(), reader.title or stated, reader.warnings)


def _check_archive(data: bytes, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        if len(members) > MAX_MEMBERS or unpacked > MAX_UNPACKED:
            cause = f"unpacks to {len(members):,} parts of {unpacked:,} bytes; at most {MAX_UNPACKED:,} are read"
            raise IngestError(cause, file=name)
        if any(member.flag_bits & 1 for member in members):
            raise IngestError("its archive is encrypted; save it as .docx without a password", file=name)
        for member in members:
            if not _XML_MEMBER.search(member.filename):
                continue
            if member.file_size > MAX_XML:
                cause = f"has a part of {member.file_size:,} bytes of XML; at most {MAX_XML:,} are read. Split it"
                raise IngestError(cause, file=name)
            if _DOCTYPE.search(archive.read(member)):
                raise IngestError("a part of it has a DOCTYPE; it is read without DTD and entities only", file=name)


def _stories(document: Document, name: str) -> dict[str, Element]:
    """The XML of the parts with words: `document`, and where they exist `styles`, `numbering`, `footnotes` ..."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    stories: dict[str, Element] = {"document": document.element}
    for relation in document.part.rels.values():
        kind = relation.reltype.rpartition("/")[2]
        if not relation.is_external and kind in ("styles", "numbering", "footnotes", "endnotes", "header", "footer"):
            key = f"{kind} {relation.rId}" if kind in ("header", "footer") else kind
            stories[key] = etree.fromstring(relation.target_part.blob, parser)
    # An entity that is not resolved would vanish from the text; another encoding would hide it from the check above.
    if any(story.getroottree().docinfo.internalDTD is not None for story in stories.values()):
        raise IngestError("a part of it has a DOCTYPE; it is read without DTD and entities only", file=name)
    return stories
