"""German federal law in TEI: nested divisions whose first head is the designator and whose second is the title."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from lxml import etree

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.german.blocks import Block, Division, Item, Listing, Paragraph, Table
from rag.ingest.formats.german.body import LawTree
from rag.ingest.formats.xml import Element, collapse, local, plain, read_xml  # pyright: ignore[reportPrivateUsage]
from rag.jurisdictions.de.naming import cited_abbreviation, law_corpus, other_urns, read_heading
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError

NAMESPACE = "http://www.tei-c.org/ns/1.0"

_HEAD = re.compile(rb"(?>\xef\xbb\xbf|\s+|<\?.*?\?>|<!--.*?-->)*+<(?:[\w.-]+:)?TEI\b([^>]*)>", re.DOTALL)
_LAW = re.compile(rb"""xml:id\s*=\s*["']BJNR\w+["']""")
_BLOCK_TAGS = frozenset({"list", "p", "table", "note", "lg", "ab"})
_OFFICIAL = re.compile(r"Amtliche[rn]? Hinweise?\s*:")


class DeTei(FileFormat):
    """A German law in TEI, as converted from the publisher's XML; one file is one law."""

    name = "de_tei"
    version = 4

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root is a TEI element with the publisher's document number (BJNR...) as its id."""
        match = _HEAD.match(head)
        return match is not None and NAMESPACE.encode() in match[1] and _LAW.search(match[1]) is not None

    def read(self, source: Source) -> ParsedDocument:
        """Read a law.

        Raises:
            IngestError: not such XML, no title or abbreviation, an element that is unknown here, or no provision.
        """
        root = read_xml(source.path, name=source.name)
        reader = _Reader(source.name)
        if etree.QName(root).namespace != NAMESPACE or local(root) != "TEI":
            raise IngestError("its root element is not TEI", file=source.name)
        titles = [(found.get("type", ""), plain(found)) for found in root.iterfind(f".//{{{NAMESPACE}}}titleStmt/*")]
        title = next((text for kind, text in titles if kind != "short" and text), "")
        short = next((text for kind, text in titles if kind == "short" and text), "")
        if not title or not short:
            raise IngestError("its header lacks the title or the abbreviation of the law", file=source.name)
        number = root.get("{http://www.w3.org/XML/1998/namespace}id", "")
        tags = {"abbreviation": short}
        enacted = root.findtext(f".//{{{NAMESPACE}}}publicationStmt/{{{NAMESPACE}}}date")
        if enacted and enacted.strip():
            tags["enacted"] = reader.day(enacted.strip())
        corpus = law_corpus(short, title)
        aliases = [*([number] if number else []), *other_urns(short, title)]
        tree = LawTree(corpus, cited_abbreviation(short, title), source.name, tags, aliases)
        front, divisions = reader.text(root)
        tree.read(divisions, front)
        return ParsedDocument(
            corpus, tree.nodes, source.name, self.name, source.sha256(), self.version,
            links=tree.history(), warnings=[*reader.warnings, *tree.warnings],
        )  # fmt: skip


class _Reader:
    """Reads the text element of one file."""

    def __init__(self, name: str) -> None:
        self.warnings: list[str] = []
        self._name = name

    def day(self, text: str) -> str:
        """The date as ISO text.

        Raises:
            IngestError: it is none.
        """
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise IngestError("the date in its header is no date", file=self._name) from None

    def text(self, root: Element) -> tuple[list[Block], list[Division]]:
        front: list[Block] = []
        divisions: list[Division] = []
        for part in root.iterfind(f"{{{NAMESPACE}}}text/*"):
            if local(part) not in ("front", "body", "back"):
                raise self._unknown(part)
            for child in part:
                if local(child) == "div":
                    divisions.append(self._division(child))
                else:
                    front.extend(self._blocks(child))
            self._no_loose_text(part)
        return front, divisions

    def _division(self, element: Element) -> Division:
        heads = [child for child in element if local(child) == "head"]
        subtitles = [plain(head) for head in heads if head.get("type") == "subtitle"]
        names = [plain(head) for head in heads if head.get("type") != "subtitle"]
        heading = read_heading(
            " ".join(name for name in names if name), " ".join(subtitle for subtitle in subtitles if subtitle)
        )
        division = Division(heading, element.sourceline)
        self._loose(division, element.text, element.sourceline)
        for child in element:
            name = local(child)
            if name == "div":
                division.children.append(self._division(child))
            elif name == "note":
                division.notes.extend(self._inside(child))
            elif name != "head":
                if division.children:
                    self.warnings.append(f"line {child.sourceline}: words after a division are kept before it")
                division.blocks.extend(self._blocks(child))
            self._loose(division, child.tail, child.sourceline)
        return division

    def _loose(self, division: Division, text: str | None, line: int | None) -> None:
        """Words that are in no paragraph: the legislator's own footnotes are published so."""
        words = collapse(text or "")
        if not words:
            return
        if _OFFICIAL.match(words):
            division.notes.append(Paragraph(words, line))
        else:
            self.warnings.append(f"line {line}: words outside any paragraph are kept as one")
            division.blocks.append(Paragraph(words, line))

    def _no_loose_text(self, element: Element) -> None:
        if (element.text or "").strip() or any((child.tail or "").strip() for child in element):
            raise IngestError("words stand outside any paragraph", file=self._name, line=element.sourceline)

    def _blocks(self, element: Element) -> list[Block]:
        name = local(element)
        if name == "list":
            return [self._list(element)]
        if name == "table":
            return [self._table(element)]
        if name in ("p", "note", "ab", "lg"):
            return self._inside(element)
        raise self._unknown(element)

    def _inside(self, element: Element) -> list[Block]:
        """Mixed content as blocks: words, and the lists, tables and paragraphs between them."""
        blocks: list[Block] = []
        words = [element.text or ""]

        def flush(line: int | None) -> None:
            text = collapse("".join(words))
            words.clear()
            if text:
                blocks.append(Paragraph(text, line))

        for child in element:
            name = local(child)
            if name in _BLOCK_TAGS:
                flush(element.sourceline)
                blocks.extend(self._blocks(child))
            elif name in ("hi", "ref", "emph", "term", "seg", "num", "foreign"):
                words.append("".join(child.itertext()))
            elif name in ("lb", "br"):
                words.append(" ")
            else:
                raise self._unknown(child)
            words.append(child.tail or "")
        flush(element.sourceline)
        return blocks

    def _list(self, element: Element) -> Listing:
        items: list[Item] = []
        self._no_loose_text(element)
        for child in element:
            if local(child) != "item":
                raise self._unknown(child)
            marker = collapse(child.get("n", ""))
            items.append(Item(marker, self._inside(child), child.sourceline))
        if not items:
            raise IngestError("a list has no item", file=self._name, line=element.sourceline)
        return Listing(items)

    def _table(self, element: Element) -> Table:
        rows: list[str] = []
        for row in element:
            if local(row) not in ("row", "head"):
                raise self._unknown(row)
            cells = [plain(cell) for cell in row] or [plain(row)]
            rows.append(" | ".join(cells))
        return Table([row for row in rows if row.strip(" |")], element.sourceline)

    def _unknown(self, element: Element) -> IngestError:
        return IngestError(
            f"the element {local(element)[:40]} is unknown in this format", file=self._name, line=element.sourceline
        )
