"""German federal law in the publisher's own XML (gii-norm), as gesetze-im-internet.de offers it: one file is one law.

A law is a flat run of `norm` elements. The first one has the law's own data; one with a `gliederungseinheit` opens a
container, whose `gliederungskennzahl` (three digits a level) begins with those of the containers around it; one with
an `enbez` is a §, Artikel or annex. Some laws number their Artikel as containers, with the text in them; such a norm is
an Artikel. What is known of the format comes from public files and parsers: the document type itself was not at hand,
so an element that is unknown here keeps its words and is counted in a warning.

Footnotes of the publisher (`fussnoten`) are no law: those on validity ("(+++ ... +++)") become the tag
`editorial_note`, as in the other readers of German law, the others a NOTE below the provision. The date of the edition
is the latest date of a change named in `standangabe`; `builddate` only says when the file was made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.german.blocks import Block, Division, Item, Listing, Paragraph, Table, flatten
from rag.ingest.formats.german.body import LawTree
from rag.ingest.formats.history import day_of
from rag.ingest.formats.xml import Element, collapse, local, read_xml
from rag.ingest.formats.xml_text import IMAGE
from rag.jurisdictions.de.naming import Heading, cited_abbreviation, fold, law_corpus, other_urns, read_heading
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.paths import slug

# The texts of gii-norm XML as blocks: paragraphs, lists (DL), CALS tables, footnotes and the publisher's remarks.

_INLINE = frozenset({"B", "I", "U", "F", "SP", "small", "SUB", "SUP", "NB", "span", "FnZ", "noindex"})
_GROUPS = frozenset({"P", "Content", "LA", "DD", "Citation", "Revision", "text", "entry", "Footnote"})
_HEADINGS = frozenset({"Title", "Subtitle", "Ident"})
# Marks of the print: where a footnote is called or printed, where a line may part, how a run is shaped.
_EMPTY = frozenset({"FnR", "FnArea", "kw", "KW", "Split", "ABWFORMAT", "Accolade", "colspec", "spanspec"})
_QUOTES = {"QuoteL": "„", "QuoteR": "“"}


class TextReader:
    """Reads the texts of one law.

    Attributes:
        left_out: what was not kept, by kind, with its count.
        unknown: elements with no known meaning whose words were kept where they stand, with their count.
    """

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()
        self._remarks: list[Block] = []
        self._footnotes: list[Block] = []

    def read(self, element: Element) -> tuple[list[Block], list[Block]]:
        """The blocks of a `text` or `fussnoten` element, and the notes in it.

        Notes are the legislator's own footnotes, with their marks, and the publisher's remarks (`kommentar`).
        """
        self._remarks, self._footnotes = [], []
        blocks = self._inside(element)
        return blocks, [*self._remarks, *self._footnotes]

    def words(self, element: Element | None) -> str:
        """All words of an element in one line, lists and tables included; empty for no element."""
        return "" if element is None else flatten(self._inside(element))

    def _inside(self, element: Element) -> list[Block]:
        run = _Run(element.sourceline)
        self._mixed(element, run)
        return run.finished()

    def _mixed(self, element: Element, run: _Run) -> None:
        run.add(element.text)
        for child in element:
            self._child(child, run)
            run.add(child.tail)

    def _child(self, child: Element, run: _Run) -> None:
        name = local(child)
        if name == "DL":
            run.block(self._list(child))
        elif name == "table":
            run.block(self._table(child))
        elif name == "TOC":
            self.left_out["tables of contents"] += 1
        elif name == "kommentar":
            self._remarks.extend(self._inside(child))
        elif name == "Footnotes":
            self._footnotes.extend(self._footnotes_of(child))
        elif name in ("IMG", "FILE"):
            self.left_out["pictures and files, their places marked in the text"] += 1
            run.add(f" {IMAGE} ")
        elif name == "BR":
            run.add(" ")
        elif name in _QUOTES:
            run.add(_QUOTES[name])
        elif name == "SUP":
            # 10<SUP>2</SUP> is not 102.
            raised = "".join(child.itertext())
            run.add(f"^{raised}" if raised[:1].isdigit() and run.ends_in_digit() else raised)
        elif name in _INLINE:
            self._mixed(child, run)
        elif name in _GROUPS or name in _HEADINGS or name == "pre":
            run.flush(child.sourceline)
            self._mixed(child, run)
            run.flush(child.sourceline)
        elif name not in _EMPTY:
            self.unknown[name[:40]] += 1
            self._mixed(child, run)

    def _list(self, element: Element) -> Block:
        """A list as DT and DD alternate in it. Words beside the items are kept as items without a designator."""
        items: list[Item] = []
        loose = _Run(element.sourceline)
        loose.add(element.text)
        marker = ""
        for child in element:
            name = local(child)
            if name == "DT":
                marker = self.words(child)
            elif name == "DD":
                items.append(Item(marker, self._inside(child), child.sourceline))
                marker = ""
            else:
                self._child(child, loose)
            loose.add(child.tail)
        beside = loose.finished()
        if marker or beside:
            items.append(Item(marker, beside, element.sourceline))
        return Listing(items) if items else Paragraph("", element.sourceline)

    def _footnotes_of(self, element: Element) -> list[Block]:
        found: list[Block] = []
        for child in element:
            blocks = self._inside(child)
            mark = collapse(child.get("FnZ", ""))
            first = blocks[0] if blocks else None
            if mark and isinstance(first, Paragraph):
                blocks[0] = Paragraph(f"{mark} {first.text}", first.line)
            found.extend(blocks)
        return found

    def _table(self, element: Element) -> Block:
        rows: list[str] = []
        for part in element:
            if local(part) == "tgroup":
                rows.extend(self._group(part))
            else:
                rows.append(self.words(part))
        return Table([row for row in rows if row.strip(" |")], element.sourceline)

    def _group(self, group: Element) -> list[str]:
        """Rows of a CALS table; a cell that spans others leaves their places empty, so that columns stay columns."""
        names = {
            one.get("colname", ""): _number(one.get("colnum"), at)
            for at, one in enumerate(group.iterfind("colspec"), start=1)
        }
        rows: list[str] = []
        for part in group:
            if local(part) not in ("thead", "tbody", "tfoot"):
                continue
            taken: dict[int, int] = {}  # column -> rows below that a cell above still fills
            rows.extend(" | ".join(self._cells(row, names, taken)) for row in part.iterfind("row"))
        return rows

    def _cells(self, row: Element, names: dict[str, int], taken: dict[int, int]) -> list[str]:
        cells: list[str] = []
        reach: dict[int, int] = {}
        column = 1

        def skip() -> None:
            nonlocal column
            while taken.get(column, 0) > 0:
                cells.append("")
                column += 1

        for entry in row:
            skip()
            start = names.get(entry.get("namest", ""), column)
            width = max(1, names.get(entry.get("nameend", ""), start) - start + 1)
            cells.extend(["", *[""] * (width - 1)])
            cells[-width] = self.words(entry)
            reach |= dict.fromkeys(range(column, column + width), _number(entry.get("morerows"), 0))
            column += width
        skip()
        for place in taken:
            taken[place] -= 1
        taken.update(reach)
        return cells


class _Run:
    """Words as they come, cut into paragraphs by the blocks between them."""

    def __init__(self, line: int | None) -> None:
        self._blocks: list[Block] = []
        self._words: list[str] = []
        self._line = line

    def add(self, text: str | None) -> None:
        if text:
            self._words.append(text)

    def ends_in_digit(self) -> bool:
        return bool(self._words) and self._words[-1][-1:].isdigit()

    def block(self, block: Block) -> None:
        self.flush(self._line)
        self._blocks.append(block)

    def flush(self, line: int | None) -> None:
        """End the paragraph; the next one begins on `line` of the source."""
        text = collapse("".join(self._words))
        self._words.clear()
        if text:
            self._blocks.append(Paragraph(text, self._line))
        self._line = line

    def finished(self) -> list[Block]:
        self.flush(self._line)
        return [block for block in self._blocks if not (isinstance(block, Paragraph) and not block.text)]


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else otherwise


# Atomic and possessive: a hostile run of comments must not be tried in every division.
_PROLOG = rb"(?>\xef\xbb\xbf|\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*+"
_HEAD = re.compile(_PROLOG + rb"<dokumente\b([^>]*)>", re.DOTALL)
_NUMBERED = re.compile(rb"""\bdoknr\s*=\s*["']\w+["']""")
_CONTENTS = re.compile(_PROLOG + rb"<items\b[^>]*>\s*<item>\s*<title>", re.DOTALL)
_DAY = re.compile(r"\bv\. ?(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})\b")
_CHANGE = {
    "neugefasst durch": "restated", "zuletzt geändert durch": "last_amended", "änderung durch": "pending_amendment",
}  # fmt: skip


class GiiXml(FileFormat):
    """A German law in gii-norm XML."""

    name = "gii_xml"
    version = 3

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root is `dokumente` with a document number, behind a DOCTYPE without a subset of its own."""
        match = _HEAD.match(head)
        return match is not None and _NUMBERED.search(match[1]) is not None

    def skips(self, path: Path, head: bytes) -> str:
        """The publisher's table of contents (gii-toc.xml) names laws and holds none."""
        return "the publisher's list of laws, which holds none" if _CONTENTS.match(head) else ""

    def read(self, source: Source) -> ParsedDocument:
        """Read a law.

        Raises:
            IngestError: not such XML, no title or abbreviation, a date that is none, a container without or with
                another kind of number, or no provision.
        """
        root = read_xml(source.path, name=source.name, doctype=True)
        norms = [child for child in root if local(child) == "norm"]
        if local(root) != "dokumente" or not norms:
            raise IngestError("its root element is not dokumente with norms in it", file=source.name)
        reader = _Reader(source.name)
        law = reader.law(norms[0])
        front, divisions = reader.norms(norms)
        short, title = law["abbreviation"], law.pop("title")
        corpus = law_corpus(short, title)
        number = root.get("doknr", "") or norms[0].get("doknr", "")
        aliases = [*([number] if number else []), *other_urns(short, title)]
        tree = LawTree(corpus, cited_abbreviation(short, title), source.name, law, aliases)
        tree.read(divisions, front)
        return ParsedDocument(
            corpus, tree.nodes, source.name, self.name, source.sha256(), self.version, edition_date=reader.edition,
            links=tree.history(), warnings=[*reader.counts(), *tree.warnings],
        )  # fmt: skip


class _Reader:
    """Reads the norms of one file."""

    def __init__(self, name: str) -> None:
        self.warnings: list[str] = []
        self.edition: date | None = None
        self._name = name
        self._text = TextReader()

    def counts(self) -> Iterator[str]:
        """What was odd or left out, one sentence each."""
        yield from self.warnings
        for what, count in sorted(self._text.left_out.items()):
            yield f"left out: {count} {what}"
        for name, count in sorted(self._text.unknown.items()):
            yield f"{count} elements {name} are unknown in this format; their words are kept where they stand"

    def law(self, norm: Element) -> dict[str, str]:
        """The law's data as tags, with its `title` and `abbreviation`."""
        data = self._data(norm)
        short = self._words(data, "jurabk") or self._words(data, "amtabk")
        title = self._words(data, "langue") or self._words(data, "kurzue")
        if not short or not title:
            raise self._error("its first norm lacks the title or the abbreviation of the law", norm)
        tags = {"title": title, "abbreviation": short}
        enacted = self._words(data, "ausfertigung-datum")
        if enacted:
            tags["enacted"] = self._day(enacted, norm)
        published = data.find("fundstelle")
        if published is not None:
            place = [self._words(published, "periodikum"), self._words(published, "zitstelle")]
            tags["publication"] = ": ".join(name for name in place if name)
        for found in data.iterfind("standangabe"):
            remark = self._words(found, "standkommentar")
            what, by, rest = remark.partition(" durch ")
            key = _CHANGE.get(f"{what}{by}".strip().lower(), "")
            value = rest if key else remark
            key = key or slug(fold(self._words(found, "standtyp") or "Stand")).replace("-", "_")
            if value:
                tags[key] = f"{tags[key]}\n{value}" if key in tags else value
        self.edition = max(_days("\n".join(tags.values())), default=None)
        return tags

    def norms(self, norms: list[Element]) -> tuple[list[Block], list[Division]]:
        text, notes = self._texts(norms[0])
        outermost: list[Division] = []
        stack: list[tuple[str, Division]] = []
        last: Division | None = None
        for norm in norms[1:]:
            data = self._data(norm)
            blocks, beside = self._texts(norm)
            unit = data.find("gliederungseinheit")
            if unit is not None:
                last = self._open(unit, stack, outermost)
            name, title = self._words(data, "enbez"), self._words(data, "titel")
            if name or (title and unit is None):
                last = Division(read_heading(name, title) if name else read_heading(title), norm.sourceline)
                (stack[-1][1].children if stack else outermost).append(last)
            elif unit is None and last is not None and (blocks or beside):
                self.warnings.append(f"line {norm.sourceline}: a norm without a name is kept with the one before it")
            (text if last is None else last.blocks).extend(blocks)
            (notes if last is None else last.notes).extend(beside)
        if outermost:
            return [*text, *notes], outermost
        # A law without §§ has its text in the first norm.
        own = Division(Heading("matter", "text", "", "", ""), norms[0].sourceline, text, notes)
        return [], [own] if any(not _on_validity(block) for block in text) else []

    def _open(self, unit: Element, stack: list[tuple[str, Division]], outermost: list[Division]) -> Division:
        """The container that a `gliederungseinheit` names, which may be open already; deeper ones are closed."""
        number = self._words(unit, "gliederungskennzahl")
        if not re.fullmatch(r"(?:\d{3})+", number, re.ASCII):
            raise self._error("a gliederungskennzahl is not three digits a level", unit)
        name, title = self._words(unit, "gliederungsbez").strip("-–— "), self._words(unit, "gliederungstitel")
        if not name and not title:
            raise self._error("a gliederungseinheit has neither a designation nor a title", unit)
        heading = read_heading(name, title) if name else read_heading(title)
        while stack and not number.startswith(stack[-1][0]):
            stack.pop()
        if stack and stack[-1][0] == number:
            # A § may repeat the container that it is in.
            if stack[-1][1].heading == heading:
                return stack[-1][1]
            stack.pop()
        division = Division(heading, unit.sourceline)
        (stack[-1][1].children if stack else outermost).append(division)
        stack.append((number, division))
        return division

    def _texts(self, norm: Element) -> tuple[list[Block], list[Block]]:
        """A norm's blocks and notes. Remarks on validity stay among the blocks, where they are told by their form."""
        blocks: list[Block] = []
        notes: list[Block] = []
        for part in norm.iterfind("textdaten/*"):
            found, beside = self._text.read(part)
            if local(part) == "fussnoten":
                blocks.extend(block for block in found if _on_validity(block))
                notes.extend(block for block in found if not _on_validity(block))
            else:
                blocks.extend(found)
            notes.extend(beside)
        return blocks, notes

    def _data(self, norm: Element) -> Element:
        data = norm.find("metadaten")
        if data is None:
            raise self._error("a norm has no metadaten", norm)
        return data

    def _words(self, element: Element, name: str) -> str:
        return self._text.words(element.find(name))

    def _day(self, text: str, norm: Element) -> str:
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise self._error("its ausfertigung-datum is no date", norm) from None

    def _error(self, cause: str, element: Element) -> IngestError:
        return IngestError(cause, file=self._name, line=element.sourceline)


def _on_validity(block: Block) -> bool:
    return isinstance(block, Paragraph) and block.text.startswith("(+++")


def _days(text: str) -> Iterator[date]:
    # "v. 31.2.2020" is a slip of the publisher; the other dates still tell the edition.
    found = (day_of(year, month, day) for day, month, year in _DAY.findall(text))
    return (day for day in found if day is not None)
