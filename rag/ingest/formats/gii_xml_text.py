"""The texts of gii-norm XML as blocks: paragraphs, lists (DL), CALS tables, footnotes and the publisher's remarks.

Mixed content is the rule: a list or a table may stand between the words of one P. `Citation`, `Revision` and `noindex`
only group what is inside them. Two elements were never seen in a file, only named in descriptions of the document type:
`QuoteL` and `QuoteR` are taken for empty quotation marks, and become the German ones.
"""

from __future__ import annotations

from collections import Counter

from rag.ingest.formats.german_blocks import Block, Item, Listing, Paragraph, Table, flatten
from rag.ingest.formats.xml import Element, collapse, local

IMAGE = "[image]"  # as the readers of other publications mark a picture: its words, if any, cannot be read

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
        return [one for one in self._blocks if not (isinstance(one, Paragraph) and not one.text)]


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isascii() and text.isdigit() else otherwise
