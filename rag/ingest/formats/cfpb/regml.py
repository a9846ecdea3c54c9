"""RegML, the XML of eRegulations: one file is one part of the Code of Federal Regulations as it is from one day on.

What is not the regulation's own text is left out and named in the warnings: tables of contents, which repeat the
headings, and the agency's analysis, which is the preamble of a Federal Register notice. Official interpretations are
commentary: nodes of kind `notice` below the part's supplement, each linked to the provision that it interprets.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.cfpb.labels import (
    INTERP,
    MAX_WORDS,
    cfr_corpus,
    container_number,
    is_reserved,
    rule_heading,
    split_label,
    supplement_number,
)
from rag.ingest.formats.cfpb.text import is_dash, without_repeat, words
from rag.ingest.formats.cfpb.tree import build_part
from rag.ingest.formats.cfpb.unit import Unit
from rag.ingest.formats.xml import Element, local, plain, read_xml
from rag.ingest.formats.xml_text import Rich, join, loose
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError

_PROLOG = rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*)*"
_NAMESPACE = rb"\s[^>]*\bxmlns(?::\w+)?=[\"'](?:eregs|[^\"']*\bregml\b[^\"']*)[\"']"
_REGULATION = re.compile(_PROLOG + rb"<(?:\w+:)?regulation" + _NAMESPACE, re.DOTALL | re.IGNORECASE)
_NOTICE = re.compile(_PROLOG + rb"<(?:\w+:)?(?:notice|analysis)" + _NAMESPACE, re.DOTALL | re.IGNORECASE)
_LEVELS = {
    "subpart": "subpart",
    "subjectGroup": "subjgrp",
    "section": "section",
    "appendix": "appendix",
    "appendixSection": "appendix section",
    "paragraph": "paragraph",
    "interpretations": "supplement",
    "interpSection": "interpretation section",
    "interpParagraph": "comment",
}
_HEADINGS = frozenset({"title", "subject", "appendixTitle", "keyterm"})


class RegMl(FileFormat):
    """Format `regml`: one file is one edition of one part."""

    name = "regml"
    version = 1

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root element is a `regulation` in the namespace of eRegulations."""
        return _REGULATION.match(head) is not None

    def skips(self, path: Path, head: bytes) -> str:
        """Why a change notice is no document of its own; empty for any other file."""
        return "a RegML notice: changes to a regulation, not its text" if _NOTICE.match(head) else ""

    def read(self, source: Source) -> ParsedDocument:
        """Read a part.

        Returns:
            Its nodes, all in force from the stated effective date; links `interprets` and `uses_term`; warnings.

        Raises:
            IngestError: not readable as XML, no part, no title number or two, a date that is none, or a section or
                appendix without a number.
        """
        return _Regulation(read_xml(source.path, name=source.name), source).document()


class _Regulation:
    """One run over one file."""

    def __init__(self, root: Element, source: Source) -> None:
        self.root, self.source = root, source
        self.warnings: list[str] = []
        self.contents = 0
        self.head = {
            f"{local(block)}/{local(child)}": child
            for block in root
            if local(block) in ("fdsys", "preamble")
            for child in block
        }
        part = next((child for child in root if local(child) == "part"), None)
        if part is None or not (part.get("label") or "").strip():
            raise IngestError("no part with a label in it: not a regulation", file=source.name, line=root.sourceline)
        self.part = part
        self.number = (part.get("label") or "").strip()

    def document(self) -> ParsedDocument:
        title, since = self._title(), self._effective()
        part = Unit("part", (self.number,), self.number, heading=self._said("fdsys/title"), line=self.part.sourceline)
        named = (
            ("regulation", "preamble/regLetter"),
            ("agency", "preamble/agency"),
            ("document_number", "preamble/documentNumber"),
            ("url", "preamble/federalRegisterURL"),
        )
        part.tags = {name: self._said(place) for name, place in named if self._said(place)}
        self._children(self.part, part)
        analysis = [child for child in self.root if local(child) not in ("fdsys", "preamble", "part")]
        if any(plain(analysi) for analysi in analysis):
            sections = sum(len(analysi) for analysi in analysis)
            self.warnings.append(f"left out: the agency's analysis ({sections} sections), which is not the regulation")
        if self.contents:
            self.warnings.append(f"left out: {self.contents} tables of contents, which repeat the headings")
        built = build_part(part, title=title, valid_from=since, file=self.source.name)
        return ParsedDocument(
            cfr_corpus(title, self._said("fdsys/cfrTitleText"), self._said("preamble/agency")), built.nodes,
            self.source.name, RegMl.name, self.source.sha256(), RegMl.version, edition_date=since, links=built.links,
            warnings=self.warnings + built.warnings,
        )  # fmt: skip

    def _said(self, place: str) -> str:
        element = self.head.get(place)
        return plain(element) if element is not None else ""

    def _title(self) -> str:
        cfr = self.head.get("preamble/cfr")
        stated = [self._said("fdsys/cfrTitleNum")]
        stated += [plain(child) for child in cfr if local(child) == "title"] if cfr is not None else []
        numbers = {statement.lstrip("0") for statement in stated if statement}
        if len(numbers) != 1 or not re.fullmatch(r"[1-9]\d{0,2}", next(iter(numbers)), re.ASCII):
            cause = (
                "states several title numbers" if len(numbers) > 1 else "does not say which title of the C.F.R. it is"
            )
            raise IngestError(f"the file {cause}", file=self.source.name, line=self.root.sourceline)
        return next(iter(numbers))

    def _effective(self) -> date | None:
        said = self._said("preamble/effectiveDate")
        if not said:
            self.warnings.append("the file states no effective date; from when on it is in force is unknown")
            return None
        try:
            return date.fromisoformat(said)
        except ValueError:
            line = self.head["preamble/effectiveDate"].sourceline
            raise IngestError("the effective date is not a date", file=self.source.name, line=line) from None

    def _unit(self, element: Element, parent: Unit) -> Unit:
        role = _LEVELS[local(element)]
        label = split_label(element.get("label") or "", self.number)
        if len(label) > MAX_WORDS:
            raise IngestError(
                f"a label of more than {MAX_WORDS} levels", file=self.source.name, line=element.sourceline
            )
        if role == "comment" and label and label[-1] == INTERP:
            role = "interpretation"
        unit = Unit(role, label, marker=(element.get("marker") or "").strip(), line=element.sourceline)
        unit.target = (element.get("target") or "").strip()
        self._children(element, unit)
        if role == "section":
            number = "-".join(label[1:]) or element.get("sectionNum") or ""
            unit.number = f"{self.number}.{number}" if number else ""
        elif role in ("subpart", "appendix"):
            unit.number = element.get(f"{role}Letter") or container_number(label, unit.heading)
        elif role == "supplement":
            unit.number = supplement_number(unit.heading)
        unit.heading = rule_heading(role, unit.heading)
        if role in ("section", "appendix section"):
            unit.take_first_paragraph()
        if is_reserved(unit.heading) and not unit.children:
            unit.tags["status"] = "reserved"
        return unit

    def _children(self, element: Element, unit: Unit) -> None:
        self._words(unit, loose(element.text))
        for child in element:
            name = local(child)
            if name == "tableOfContents":
                self.contents += 1
            elif name == "content" and unit.role in ("part", "subpart", "subjgrp"):
                self._children(child, unit)
            elif name == "subpart" and not (
                child.get("subpartLetter") or any(local(element) == "title" for element in child)
            ):
                self._children(child, unit)  # a wrapper that nobody printed
            elif name in _LEVELS:
                unit.children.append(self._unit(child, unit))
            elif name in _HEADINGS:
                unit.heading = f"{unit.heading} {plain(child)}".strip()
            elif name == "reserved":
                unit.tags["status"] = "reserved"
                self._words(unit, loose(plain(child)))
            else:
                self._content(child, unit, known=name == "content")
            self._words(unit, loose(child.tail))

    def _content(self, element: Element, unit: Unit, *, known: bool) -> None:
        said, notes = words(element)
        if unit.heading and not join(unit.before) and not unit.children:
            said, repeated = without_repeat(unit.heading, said)
            if repeated:
                label = "-".join(unit.label) or "no label"
                self.warnings.append(f"{label}: its words repeat the end of its caption; the repeat is left out")
        if not unit.heading or not is_dash(said):
            self._words(unit, said)
        if not known and (said or notes):
            self.warnings.append(
                f"<{local(element)}> (line {element.sourceline}) is unknown; its words are kept as text"
            )
        for note in notes:
            held, inner = words(note)
            if inner:
                raise IngestError("a footnote inside a footnote", file=self.source.name, line=note.sourceline)
            unit.children.append(Unit("note", (), before=[held], marker="", line=note.sourceline))

    @staticmethod
    def _words(unit: Unit, said: Rich) -> None:
        if said:
            (unit.after if any(child.role != "note" for child in unit.children) else unit.before).append(said)
