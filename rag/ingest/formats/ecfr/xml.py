"""The eCFR in XML: a title of the Code of Federal Regulations, as GPO's bulk data or ecfr.gov's versioner publish it.

Both shapes nest DIV1 (title) to DIV9 (appendix) with the level's name in TYPE; levels are skipped freely. A title in
several volumes repeats its upper levels in every volume: they are one node here. The title node is the corpus itself.
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.ecfr.paragraph import RESERVED
from rag.ingest.formats.ecfr.section import ANNOTATIONS, build, displayed
from rag.ingest.formats.ecfr.text import lines, rich
from rag.ingest.formats.tree import Draft
from rag.ingest.formats.xml import Element, local, read_xml
from rag.ingest.formats.xml_text import loose
from rag.law.nodes import Corpus, Link, ParsedDocument, ParsedNode, node_text
from retrieval.errors import IngestError
from retrieval.paths import segment, slug

_ROOT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*"
    rb"<(?:DLPSTEXTCLASS|ECFR|DIV[1-9]\s[^>]*\bTYPE=\"(?:TITLE|SUBTITLE|CHAPTER|SUBCHAP|PART|SUBPART|SUBJGRP|SECTION|APPENDIX)\")",
    re.DOTALL,
)
_DIV = re.compile(r"DIV[1-9]\Z")
# TYPE -> structure type and the publication's own word for the level.
_CONTAINERS = {
    "TITLE": ("TITLE", "title"),
    "SUBTITLE": ("TITLE", "subtitle"),
    "CHAPTER": ("CHAPTER", "chapter"),
    "SUBCHAP": ("CHAPTER", "subchapter"),
    "PART": ("PART", "part"),
    "SUBPART": ("PART", "subpart"),
    "SUBJGRP": ("PART", "subjgrp"),
}
_IN_TITLE = frozenset({"subtitle", "chapter", "part"})  # their numbers are unique in a title
_WORDS = r"(?:SUBTITLE|TITLE|SUBCHAPTER|CHAPTER|SUBPARTS?|PARTS?)"
_CONTAINER_HEAD = re.compile(
    rf"{_WORDS}S?\s+[^\s—]+?\s*(?:—|–|--|:|-(?=\s)|(?=\[)|\Z)\s*(.*)", re.IGNORECASE | re.DOTALL
)
_VOLUME = re.compile(r"\s*--\s*Volume\s+\d+\s*\Z", re.IGNORECASE)
_CONTINUED = re.compile(r"\s*\(CONTINUED\)", re.IGNORECASE)
_TITLE_NUMBER = re.compile(r"Title\s+(\d+)\b", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(
    rf"\b({'|'.join(_MONTHS)})[a-z]*\.?\s+(\d{{1,2}}),\s*(\d{{4}})\b|\b(\d{{4}})-(\d\d)-(\d\d)\b", re.IGNORECASE
)
_APPENDIX = re.compile(
    r"(appendix|appendices|supplement|exhibit|attachment|schedule|table|figure|form|annex)e?s?\s+([A-Z0-9][A-Z0-9.-]*)"
    r"(.*?)(?:\s*,?\s+(?:to|of)\s+part\s+\S+)?\s*\Z",
    re.IGNORECASE,
)


class EcfrXml(FileFormat):
    """Format `ecfr_xml`: one file is one title, or one part of it downloaded alone."""

    name = "ecfr_xml"
    version = 4

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root element is `DLPSTEXTCLASS`, `ECFR` or a DIV with one of the eCFR's level names."""
        return _ROOT.match(head) is not None

    def read(self, source: Source) -> ParsedDocument:
        """Read a title.

        Returns:
            Its nodes, one Link `enabled_by` per authority statement, and warnings that name the URN they concern.

        Raises:
            IngestError: not readable as XML, no title number, a section number used twice, or an unknown level.
        """
        root = read_xml(source.path, name=source.name)
        return _Title(root, source).document()


def dates(text: str) -> list[date]:
    """Every date in the words of a history note (`Sept. 29, 1976`, `2022-12-29`); an impossible one is left out."""
    found: list[date] = []
    for month, day, year, iso_year, iso_month, iso_day in _DATE.findall(text):
        numbers = (int(iso_year), int(iso_month), int(iso_day)) if iso_year else (int(year), _month(month), int(day))
        try:
            found.append(date(*numbers))
        except ValueError:
            continue
    return found


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


class _Title:
    """One run over one file."""

    def __init__(self, root: Element, source: Source) -> None:
        self.source = source
        self.tops = [root] if _DIV.match(local(root)) else _tops(root)
        if not self.tops:
            raise IngestError("no DIV1 to DIV9 in it: not a title of the eCFR", file=source.name)
        self.number = self._title_number(root)
        self.urn = f"urn:lex:us:{self.number}cfr"
        stated = [found for one in root.iter("AMDDATE") for found in dates(rich(one).text)]
        self.edition = max(stated, default=None)
        self.nodes: dict[str, ParsedNode] = {}
        self.children: dict[str, list[str]] = {}
        self.volume: dict[str, int] = {}  # the DIV1 a container was last seen in
        self.links: list[Link] = []
        self.warnings: list[str] = []

    def document(self) -> ParsedDocument:
        """Read everything and return the document."""
        title = ParsedNode(self.urn, None, "TITLE", "title", self.number, kind="section", line=self.tops[0].sourceline)
        title.tags = {"code": "CFR", "title": self.number}
        self._add(title)
        for volume, top in enumerate(self.tops):
            if top.get("TYPE") == "TITLE":
                heading = _heading(top)
                title.heading = title.heading or heading
                self._status(title, top)
                self._inside(top, title, volume, None)
            else:
                self._div(top, title, volume, None)
        name = f"Code of Federal Regulations, Title {self.number}"
        corpus = Corpus(
            self.urn, f"{name} ({title.heading})" if title.heading else name, "en",
            publisher="Office of the Federal Register; Government Publishing Office",
            licence="Public domain (17 U.S.C. 105)", url=f"https://www.ecfr.gov/current/title-{self.number}",
        )  # fmt: skip
        if self.edition is None:
            self.warnings.append(f"{self.urn}: the file states no amendment date (AMDDATE)")
        return ParsedDocument(
            corpus, self._in_order(self.urn), self.source.name, EcfrXml.name, self.source.sha256(), EcfrXml.version,
            edition_date=self.edition, links=self.links, warnings=self.warnings,
        )  # fmt: skip

    def _title_number(self, root: Element) -> str:
        """From NODE, the title's own heading, the bulk header, or the versioner's metadata, in that order.

        DIV1's N comes last: in the bulk files it counts volumes.
        """
        stated: list[str] = []
        for top in self.tops:
            node = (top.get("NODE") or "").partition(":")
            head = _TITLE_NUMBER.match(_head(top)) if top.get("TYPE") == "TITLE" else None
            meta = re.search(r"title-(\d+)", top.get("hierarchy_metadata") or "")
            heading = head[1] if head else ""
            stated.extend(one for one in (node[0] if node[1] else "", heading, meta[1] if meta else "") if one)
        stated = stated or [rich(found).text for found in root.iter("IDNO") if found.get("TYPE") == "title"]
        stated = stated or [top.get("N") or "" for top in self.tops if top.get("TYPE") == "TITLE"]
        numbers = {
            str(int(statement)) if statement.isdecimal() and statement.isascii() else statement for statement in stated
        }
        if len(numbers) != 1 or not re.fullmatch(r"[1-9]\d{0,2}", next(iter(numbers))):
            cause = (
                "states several title numbers" if len(numbers) > 1 else "does not say which title of the C.F.R. it is"
            )
            raise IngestError(f"the file {cause}", file=self.source.name, line=self.tops[0].sourceline)
        return next(iter(numbers))

    def _add(self, node: ParsedNode) -> None:
        self.nodes[node.urn] = node
        if node.parent_urn is not None:
            self.children.setdefault(node.parent_urn, []).append(node.urn)

    def _in_order(self, urn: str) -> list[ParsedNode]:
        out: list[ParsedNode] = []
        waiting = [urn]
        while waiting:
            current = waiting.pop()
            out.append(self.nodes[current])
            waiting.extend(reversed(self.children.get(current, [])))
        return out

    def _div(self, element: Element, parent: ParsedNode, volume: int, since: date | None) -> None:
        kind = element.get("TYPE") or ""
        if kind in ("SECTION", "APPENDIX"):
            self._rule(element, parent, since, appendix=kind == "APPENDIX")
        elif kind in _CONTAINERS and kind != "TITLE":
            self._container(element, parent, volume, since)
        else:
            raise IngestError(
                f'<{local(element)} TYPE="{kind}"> is no level this parser knows',
                file=self.source.name, line=element.sourceline,
            )  # fmt: skip

    def _container(self, element: Element, parent: ParsedNode, volume: int, since: date | None) -> None:
        structure, level = _CONTAINERS[element.get("TYPE") or ""]
        heading = _heading(element)
        printed = _printed(element) if level != "subjgrp" else slug(heading)
        last = f"{level}_{segment(printed) if printed.strip(' .§[]()') else slug(heading)}"
        urn = f"{self.urn if level in _IN_TITLE else parent.urn}:{last}"
        known = self.nodes.get(urn)
        if known is not None and self.volume[urn] < volume and known.parent_urn == parent.urn:
            node = known  # goes on in the next volume
        else:
            free = self._free(urn, parent)
            suffix = free.rpartition("~")[2] if free.rpartition(":")[2] != last else ""
            node = ParsedNode(
                free, parent.urn, structure, level, f"{printed}~{suffix}" if suffix else printed, heading,
                kind="section", line=element.sourceline,
            )  # fmt: skip
            if level == "part":
                node.tags = {"code": "CFR", "title": self.number, "part": printed}
            self._add(node)
        self.volume[node.urn] = volume
        self._status(node, element)
        self._inside(element, node, volume, since)

    def _free(self, urn: str, parent: ParsedNode) -> str:
        if urn not in self.nodes:
            return urn
        count = 2
        while f"{urn}~{count}" in self.nodes:
            count += 1
        self.warnings.append(f"{urn}~{count}: its number occurs {count} times (under {parent.urn})")
        return f"{urn}~{count}"

    def _inside(self, element: Element, node: ParsedNode, volume: int, since: date | None) -> None:
        """The content of a container: levels below, authority and source, and whatever words stand there."""
        own = [one for child in element if local(child) == "SOURCE" for one in self._past(rich(child).text, node.urn)]
        since = max(own, default=since)
        self._words(node, loose(element.text).text)
        for child in element:
            name = local(child)
            if _DIV.match(name):
                self._div(child, node, volume, since)
            elif name == "SOURCE":
                node.tags["source_note"] = _without_label(child)
            elif name == "AUTH":
                self._authority(child, node)
            elif name in ("NOTE", "FTNT"):
                self._note(child, node)
            elif name not in ANNOTATIONS:
                self._words(node, "\n".join(line.text for line in lines(child)))
            self._words(node, loose(child.tail).text)

    def _words(self, node: ParsedNode, words: str) -> None:
        """Words directly in a container: its lead-in before the first level below, else its flush text."""
        if self.children.get(node.urn):
            node.content_text = node_text(node.content_text, words)
        else:
            node.intro_text = node_text(node.intro_text, words)

    def _note(self, element: Element, node: ParsedNode) -> None:
        count = sum(self.nodes[one].level == "note" for one in self.children.get(node.urn, [])) + 1
        heading = next((rich(child).text for child in element if local(child) == "HED"), "")
        words = "\n".join(line.text for line in lines(element, headed=False))
        note = ParsedNode(f"{node.urn}:note.{count}", node.urn, "NOTE", "note", f"note.{count}", heading)
        note.content_text, note.line = words, element.sourceline
        self._add(note)

    def _authority(self, element: Element, node: ParsedNode) -> None:
        words = _without_label(element)
        node.tags["authority"] = words
        for statement in re.split(r";\s+", words.rstrip(" .")):
            if statement:
                self.links.append(Link(node.urn, "enabled_by", statement))

    def _rule(self, element: Element, parent: ParsedNode, since: date | None, *, appendix: bool) -> None:
        printed = _printed(element)
        head = _head(element)
        if appendix:
            urn, level, number = _appendix_place(parent.urn, printed or head)
            heading = re.sub(rf"\A{re.escape(printed)}\s*[—–-]*\s*", "", head) if printed else head
            urn = self._free(urn, parent)
            number += urn[urn.rindex("~") :] if "~" in urn.rpartition(":")[2] else ""
            draft = Draft(urn, number, "APPENDIX", level, heading or head, element.sourceline)
        else:
            number = printed or _number_of(head)
            if not re.search(r"[A-Za-z0-9]", number):
                raise IngestError("a section without a number", file=self.source.name, line=element.sourceline)
            urn = f"{self.urn}:{segment(number)}"
            if urn in self.nodes:
                raise IngestError(
                    f"section {number} occurs twice in one edition", file=self.source.name, line=element.sourceline
                )
            draft = Draft(urn, number, "SECTION", "section", _after_number(head, number), element.sourceline)
        valid_from = self._valid_from(element, urn, since)
        nodes = build(draft, element, valid_from=valid_from, warnings=self.warnings, dotted=appendix)
        first = nodes[0]
        first.parent_urn = parent.urn
        part = self._part(parent) or (number.partition(".")[0] if not appendix else "")
        first.tags |= {"code": "CFR", "title": self.number} | ({} if appendix else {"section_number": number})
        if part:
            first.tags["part"] = part
        if RESERVED.fullmatch(first.heading) and not first.text:
            first.tags["status"] = "reserved"
        for child in element:
            if local(child) in ("AUTH", "SECAUTH", "PARAUTH") and not displayed(child):
                self._authority(child, first)
        for node in nodes:
            self._add(node)

    def _part(self, node: ParsedNode) -> str:
        current: ParsedNode | None = node
        while current is not None and current.level != "part":
            current = self.nodes[current.parent_urn] if current.parent_urn else None
        return current.tags["part"] if current else ""

    def _valid_from(self, element: Element, urn: str, since: date | None) -> date | None:
        """The latest date of the amendment history: when the Federal Register published it, which is the nearest thing
        to a first day in force that the eCFR states. None where a note says that the history stands elsewhere."""
        if any(local(child) == "EDNOTE" and "citations affecting" in rich(child).text for child in element):
            return None
        history = [found for child in element if local(child) == "CITA" for found in self._past(rich(child).text, urn)]
        return max(history, default=since)

    def _past(self, text: str, urn: str) -> list[date]:
        found = dates(text)
        if self.edition is None:
            return found
        late = [one for one in found if one > self.edition]
        if late:
            self.warnings.append(f"{urn}: its history names {max(late)}, after the edition of {self.edition}; left out")
        return [one for one in found if one <= self.edition]

    def _status(self, node: ParsedNode, element: Element) -> None:
        if RESERVED.search(_head(element)) and re.search(r"\[[^\]]*reserved\]\s*\Z", _head(element), re.IGNORECASE):
            node.tags["status"] = "reserved"


def _tops(root: Element) -> list[Element]:
    """The outermost DIVs: one a volume, or the part that was downloaded."""
    found: list[Element] = []
    waiting = [root]
    while waiting:
        current = waiting.pop()
        if _DIV.match(local(current)):
            found.append(current)
        else:
            waiting.extend(reversed(current))
    return found


def _head(element: Element) -> str:
    return next((rich(child).text for child in element if local(child) == "HEAD"), "")


def _heading(element: Element) -> str:
    head = _CONTINUED.sub("", _VOLUME.sub("", _head(element)))
    match = _CONTAINER_HEAD.fullmatch(head)
    # "PART 7KITES", a dash lost, has no words after its number; then all of it is the heading.
    counted = match is not None and (match[1].strip() or _printed(element).casefold() in head.casefold().split())
    return match[1].strip() if match is not None and counted else head


def _printed(element: Element) -> str:
    number = re.sub(r"[‐‑–—]", "-", element.get("N") or "")
    return re.sub(r"\s+", " ", number).strip(" §")


def _number_of(head: str) -> str:
    match = re.match(r"§+\s*(\S+)", head)
    return re.sub(r"[‐‑–—]", "-", match[1]).rstrip(".") if match else ""


def _after_number(head: str, number: str) -> str:
    """A section's heading without the section sign and its number."""
    spaced = r"\s*".join("[-‐‑–—]" if char == "-" else re.escape(char) for char in number if not char.isspace())
    match = re.match(rf"§*\s*{spaced}(?![0-9A-Za-z])\.?\s*[—–]?\s*", head) or re.match(r"§+\s*\S+\s*", head)
    return head[match.end() :] if match else head


def _appendix_place(parent: str, printed: str) -> tuple[str, str, str]:
    """URN, level and number of an appendix: `appendix_a`, `appendix_a-to-subpart-g`, `supplement_i`, `table_1`."""
    match = _APPENDIX.match(printed)
    if match is None:
        return f"{parent}:appendix_{slug(printed)}", "appendix", slug(printed)
    level = match[1].lower() if match[1].lower() != "appendices" else "appendix"
    rest = slug(match[3]) if re.search(r"[A-Za-z0-9]", match[3]) else ""
    key = f"{segment(match[2])}-{rest}" if rest else segment(match[2])
    return f"{parent}:{level}_{key}", level, match[2] if not rest else key


def _without_label(element: Element) -> str:
    """The words of AUTH or SOURCE without their `Authority:`."""
    return " ".join(rich(child).text for child in element if local(child) != "HED") or rich(element).text
