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
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from rag.ingest.formats.base import Source
from rag.ingest.formats.german import Heading, cited_abbreviation, fold, law_corpus, other_urns, read_heading
from rag.ingest.formats.german_blocks import Block, Division, Paragraph
from rag.ingest.formats.german_body import LawTree
from rag.ingest.formats.gii_xml_text import TextReader
from rag.ingest.formats.xml import Element, local, read_xml
from rag.ingest.nodes import ParsedDocument
from retrieval.errors import IngestError
from retrieval.paths import slug

# Atomic and possessive: a hostile run of comments must not be tried in every division.
_PROLOG = rb"(?>\xef\xbb\xbf|\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*>)*+"
_HEAD = re.compile(_PROLOG + rb"<dokumente\b([^>]*)>", re.DOTALL)
_NUMBERED = re.compile(rb"""\bdoknr\s*=\s*["']\w+["']""")
_CONTENTS = re.compile(_PROLOG + rb"<items\b[^>]*>\s*<item>\s*<title>", re.DOTALL)
_DAY = re.compile(r"\bv\. ?(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})\b")
_CHANGE = {
    "neugefasst durch": "restated", "zuletzt geändert durch": "last_amended", "änderung durch": "pending_amendment",
}  # fmt: skip


class GiiXml:
    """A German law in gii-norm XML."""

    @property
    def name(self) -> str:
        """The format's name."""
        return "gii_xml"

    @property
    def version(self) -> int:
        """Raised whenever the nodes change."""
        return 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root is `dokumente` with a document number, behind a DOCTYPE without a subset of its own."""
        match = _HEAD.match(head)
        return match is not None and _NUMBERED.search(match[1]) is not None

    def skips(self, path: Path, head: bytes) -> str:
        """The publisher's table of contents (gii-toc.xml) names laws and holds none."""
        return "the publisher's list of laws, which holds none" if _CONTENTS.match(head) else ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """None; a law is one file. The pictures beside it carry no words that could be read."""
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        """Read a law.

        Raises:
            IngestError: not such XML, no title or abbreviation, a date that is none, a container without or with
                another kind of number, or no provision.
        """
        root = read_xml(source.path, name=source.name, doctype=True)
        norms = [one for one in root if local(one) == "norm"]
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
            warnings=[*reader.counts(), *tree.warnings],
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
            tags["publication"] = ": ".join(one for one in place if one)
        for one in data.iterfind("standangabe"):
            remark = self._words(one, "standkommentar")
            what, by, rest = remark.partition(" durch ")
            key = _CHANGE.get(f"{what}{by}".strip().lower(), "")
            value = rest if key else remark
            key = key or slug(fold(self._words(one, "standtyp") or "Stand")).replace("-", "_")
            if value:
                tags[key] = f"{tags[key]}\n{value}" if key in tags else value
        self.edition = max(_days("\n".join(tags.values())), default=None)
        return tags

    def norms(self, norms: list[Element]) -> tuple[list[Block], list[Division]]:
        """What stands before the first division, and the divisions."""
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
        return [], [own] if any(not _on_validity(one) for one in text) else []

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
            # A § may repeat the container that it stands in.
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
                blocks.extend(one for one in found if _on_validity(one))
                notes.extend(one for one in found if not _on_validity(one))
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
    for day, month, year in _DAY.findall(text):
        try:
            yield date(int(year), int(month), int(day))
        except ValueError:
            # "v. 31.2.2020" is a slip of the publisher; the other dates still tell the edition.
            continue
