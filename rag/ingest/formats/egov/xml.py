"""Japanese law in the standard law XML of e-Gov: one file is one law in one edition.

A file is the bare `Law` element, as bulk downloads have it, or an answer of the e-Gov interface that wraps one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path, PurePath

from lxml import etree

from rag.ingest.formats import history
from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.tree import TreeBuilder
from rag.ingest.formats.xml import MAX_NESTING, Element, collapse, local, read_xml
from rag.jurisdictions.jp.kanji import (
    ERA_NAMES,
    NUMERAL,
    LawNumber,
    article_designators,
    designator,
    law_number,
    western_year,
)
from rag.law.nodes import Corpus, Link, ParsedDocument, ParsedNode, node_text
from retrieval.errors import IngestError

# The words of e-Gov law XML: sentences, columns, tables and formulas as lines, and what is left out of them.

# Mark-up inside a sentence; every other element begins lines of its own.
_INLINE = frozenset({"Ruby", "Line", "Sup", "Sub", "QuoteStruct", "ArithFormula"})
_ROWS = frozenset({"TableRow", "TableHeaderRow", "FigRow", "StyleRow", "FormatRow", "NoteRow", "RemarkRow"})
_SUPERSCRIPT = dict(zip("0123456789+-=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPT = dict(zip("0123456789+-=()aeoxhklmnpstijruv", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ", strict=True))
_SENTENCE_ENDS = ("。", "」", "）")

# What is left out on purpose, and how the warning calls it.
READINGS = "ruby readings"
FIGURES = "figures, which have no text"
QUOTED = "quoted provisions of other acts"
CONTENTS = "tables of contents"


class Words:
    """Turns elements into text. `left_out` counts what had no place in it."""

    def __init__(self) -> None:
        self.left_out: Counter[str] = Counter()

    def lines(self, element: Element) -> list[str]:
        """The element's words, one line for each sentence container, table row or loose run of words."""
        name = local(element)
        if name == "Fig":
            self.left_out[FIGURES] += 1
        elif name == "NewProvision":
            self.left_out[QUOTED] += 1
            return []
        elif name == "TOC":
            self.left_out[CONTENTS] += 1
            return []
        elif name == "Rt":
            self.left_out[READINGS] += 1
            return []
        if name in _ROWS:
            return self._row(element)
        parts = self._parts(element)
        if name.endswith("Sentence") and name != "Sentence":
            return self._sentences(element, parts)
        return [line for part in parts for line in part if line]

    def text(self, element: Element) -> str:
        """The element's words on one line."""
        return " ".join(self.lines(element))

    def _parts(self, element: Element) -> list[list[str]]:
        """Lines of each block inside the element, and of each run of words between blocks."""
        parts: list[list[str]] = []
        run = element.text or ""
        for child in element:
            if local(child) in _INLINE:
                run += self._inline(child)
            else:
                parts.extend(([collapse(run)], self.lines(child)))
                run = ""
            run += child.tail or ""
        parts.append([collapse(run)])
        return [part for part in parts if any(part)]

    def _sentences(self, element: Element, parts: list[list[str]]) -> list[str]:
        """Sentences of one paragraph run on; columns are parted by a space; a table has lines of its own."""
        if any(local(child) not in ("Sentence", "Column") for child in element):
            return [line for part in parts for line in part]
        out, columns = "", any(local(child) == "Column" for child in element)
        for part in parts:
            words = " ".join(part)
            out += words if not columns and (not out or out.endswith(_SENTENCE_ENDS)) else f" {words}"
        return [out.strip()] if out else []

    def _row(self, row: Element) -> list[str]:
        cells = [collapse(row.text)] if row.text and row.text.strip() else []
        for cell in row:
            cells.append(self.text(cell))
            cells.extend([collapse(cell.tail)] if cell.tail and cell.tail.strip() else [])
        return [" | ".join(cells).strip()] if any(cells) else []

    def _inline(self, element: Element) -> str:
        name = local(element)
        if name in ("Sup", "Sub"):
            return _raised(self._inside(element), up=name == "Sup")
        if name == "QuoteStruct":
            return " ".join(line for part in self._parts(element) for line in part)
        return self._inside(element)

    def _inside(self, element: Element) -> str:
        out = element.text or ""
        for child in element:
            out += self._inline(child) if local(child) in _INLINE else " ".join(self.lines(child))
            out += child.tail or ""
        return out


def _raised(text: str, *, up: bool) -> str:
    """A superscript or subscript that cannot be mistaken for the digits beside it."""
    text = collapse(text)
    signs = _SUPERSCRIPT if up else _SUBSCRIPT
    if all(char in signs for char in text):
        return "".join(signs[char] for char in text)
    return f"{'^' if up else '_'}({text})"


_LAW_ID = (
    r"[1-5]\d{2}(?:CONSTITUTION|(?:AC|CO|IO|DF|DT|DH)\d{10}|M[0-9A-F]{8}\d{3}|RJNJ\d{8}|RPMD\d{8}|R[0-9A-F]{8}\d{3})"
)
_REVISION = re.compile(rf"({_LAW_ID})(?:_(\d{{8}})_(\w{{3,20}}))?\Z", re.ASCII)
_KINDS = {
    "Constitution": ("CONSTITUTION",),
    "Act": ("AC", "DF", "DT", "DH"),
    "CabinetOrder": ("CO", "DF", "DT", "DH"),
    "ImperialOrder": ("IO",),
    "MinisterialOrdinance": ("M",),
    "Rule": ("R", "RJNJ", "RPMD"),
    "Misc": ("CONSTITUTION", "AC", "CO", "IO", "DF", "DT", "DH", "M", "RJNJ", "RPMD", "R"),
}
# Kinds whose id can be written from the attributes where no category but the usual one is likely.
_UNCATEGORISED = frozenset({"AC", "CO", "IO", "DF", "DT", "DH"})
_NO_AMENDMENT = re.compile(r"0+\Z")
_ID_ELEMENTS = ("{*}LawId", "{*}law_id", "{*}law_revision_id")
_REPEALS = {
    "repeal": "repealed", "expire": "expired", "lossofeffectiveness": "expired", "suspend": "suspended",
}  # fmt: skip
_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})\Z", re.ASCII)


@dataclass(slots=True)
class LawIdentity:
    """One law as one file names it."""

    law_id: str
    title: str
    number: str  # as printed: 昭和二十七年法律第二百三十一号
    kind: str  # of its law id: AC, CO, IO, M, R ...
    language: str
    edition: date | None = None
    repealed_on: date | None = None
    tags: dict[str, str] = field(default_factory=dict[str, str])
    aliases: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])

    @property
    def corpus(self) -> Corpus:
        """The law as a corpus of its own."""
        return Corpus(
            urn=f"urn:lex:jp:{self.law_id.lower()}", title=self.title, language=self.language,
            publisher="Digital Agency of Japan (e-Gov)",
            licence="Not subject to copyright (Copyright Act of Japan, article 13)",
            url=f"https://laws.e-gov.go.jp/law/{self.law_id}",
        )  # fmt: skip


def find_law(root: Element, name: str) -> Element:
    """The law in a file: its root element, or the only one that an answer of the e-Gov interface wraps.

    Raises:
        IngestError: none, or several.
    """
    laws = [root] if local(root) == "Law" else [found for found in root.iter("{*}Law") if _wrapped(found)]
    if len(laws) != 1:
        raise IngestError(f"holds {len(laws)} laws; a document is one law", file=name, line=root.sourceline)
    return laws[0]


def _wrapped(law: Element) -> bool:
    return all(local(ancestor) != "Law" for ancestor in law.iterancestors())


def identify(root: Element, law: Element, name: str) -> LawIdentity:
    """Read which law it is, and which edition.

    The law id is the one that the file's wrapper states, or the one in the file's name where that agrees with the
    law's own attributes, or the one that the attributes give.

    Raises:
        IngestError: attributes missing, contradicted by the printed law number or the stated id, or a law whose id
            holds the code of a ministry that nothing in the file states.
    """

    def refused(cause: str) -> IngestError:
        return IngestError(cause, file=name, line=law.sourceline)

    era, year, kind = ERA_NAMES.get(law.get("Era", "")), law.get("Year", ""), law.get("LawType", "")
    if era is None or not re.fullmatch(r"\d{1,2}", year, re.ASCII) or kind not in _KINDS:
        raise refused("the law's attributes Era, Year and LawType do not name a law")
    num = law.get("Num", "")
    digits = int(num) if re.fullmatch(r"\d{1,6}", num, re.ASCII) else None
    words = Words()
    body = next((child for child in law if local(child) == "LawBody"), None)
    if body is None:
        raise refused("the law has no LawBody")
    printed = next((words.text(child) for child in law if local(child) == "LawNum"), "")
    heading = next((child for child in body if local(child) == "LawTitle"), None)
    title = "" if heading is None else words.text(heading)
    read = law_number(printed) if printed else None
    if read and ((read.era, read.year) != (era, int(year)) or (read.number or digits) != (digits or read.number)):
        raise refused("the printed law number and the law's attributes name different laws")
    found = LawIdentity("", title or printed, printed, "", law.get("Lang") or "ja")
    prefix = f"{era}{int(year):02d}"
    stated = _stated(root, law)
    if not all(_agrees(match[1], prefix, kind, digits) for match in stated):
        raise refused("the law id that the file states does not fit the law's attributes")
    by_name = _REVISION.match(PurePath(name).stem.split(".")[0])
    if by_name and not _agrees(by_name[1], prefix, kind, digits):
        found.warnings.append(f"{name}: the law id in the file's name is not that of the law inside; it is not used")
        by_name = None
    ids = [match[1] for match in (*stated, *([by_name] if by_name else []))]
    found.law_id = ids[0] if ids else _derived(prefix, kind, digits, read)
    if not found.law_id:
        raise refused("its law id cannot be told from the file: name the file as e-Gov does (law id first)")
    if not ids and kind == "Act":
        found.warnings.append(
            f"{name}: the law id is written from the law's attributes; the digit that says who introduced the bill is "
            "taken as 0"
        )
    found.kind = next(code for code in _KINDS["Misc"] if found.law_id[3:].startswith(code))
    _describe(found, law, heading, prefix, digits)
    _set_edition(found, root, law, [*stated, *([by_name] if by_name else [])])
    return found


def _stated(root: Element, law: Element) -> list[re.Match[str]]:
    """Law ids and revision ids that the law's attribute or a wrapper around the law writes out."""
    texts = [law.get("LawId", ""), *(found.text or "" for found in root.iter(*_ID_ELEMENTS))]
    written = (_REVISION.match(collapse(text)) for text in texts)
    return [match for match in written if match]


def _agrees(law_id: str, prefix: str, kind: str, digits: int | None) -> bool:
    rest = law_id[3:]
    known = any(rest.startswith(code) for code in _KINDS[kind])
    counted = not rest.startswith(("CONSTITUTION", "RJNJ", "RPMD")) and digits is not None
    return law_id.startswith(prefix) and known and (not counted or int(law_id[-3:]) == digits)


def _derived(prefix: str, kind: str, digits: int | None, read: LawNumber | None) -> str:
    """The id that the attributes give; empty where they cannot, for a ministry's code is in none of them."""
    if kind == "Constitution":
        return f"{prefix}CONSTITUTION"
    code = read.kind if read and read.kind in _KINDS[kind] else _KINDS[kind][0]
    return f"{prefix}{code}{digits:010d}" if code in _UNCATEGORISED and digits is not None and digits < 1000 else ""


def _describe(found: LawIdentity, law: Element, heading: Element | None, prefix: str, digits: int | None) -> None:
    found.tags = {"code": found.title, "law_id": found.law_id, "law_type": law.get("LawType", "")}
    if found.number:
        found.tags["law_number"] = found.number
    month, day = law.get("PromulgateMonth", ""), law.get("PromulgateDay", "")
    promulgated = _date(western_year(int(prefix[0]), int(prefix[1:])), month, day)
    if promulgated:
        found.tags["promulgated"] = promulgated.isoformat()
    abbreviated = "" if heading is None else heading.get("Abbrev", "")
    short = [collapse(part) for part in re.split("[,，、;；]", abbreviated)]
    if any(short):
        found.tags["abbreviation"] = ", ".join(name for name in short if name)
    names = [found.law_id, found.number, *short]
    if found.kind in _UNCATEGORISED and digits is not None:
        # What a reader makes of the law number alone, who cannot know the category either.
        plain = f"{found.law_id[:5]}{digits:010d}"
        names.extend([] if plain == found.law_id else [f"urn:lex:jp:{plain.lower()}"])
    found.aliases = list(dict.fromkeys(name for name in names if name))


def _date(year: int, month: str, day: str) -> date | None:
    # Before 1873 the months are lunar.
    return history.day_of(str(year), month, day) if year >= 1873 and month.isdecimal() else None


def _set_edition(found: LawIdentity, root: Element, law: Element, stated: list[re.Match[str]]) -> None:
    """The day this text came into force: in the revision's id, or stated by a wrapper."""
    for match in stated:
        if match[2]:
            found.edition = found.edition or _date(int(match[2][:4]), match[2][4:6], match[2][6:])
            found.aliases.append(match[0])
            if not _NO_AMENDMENT.match(match[3]):
                found.tags["amended_by"] = match[3]
    dates = [_stated_date(text) for text in _texts(root, law, "EnforcementDate", "amendment_enforcement_date")]
    found.edition = found.edition or next((day for day in dates if day), None)
    repeals = [text.lower() for text in _texts(root, law, "RepealType", "repeal_status")]
    status = next((_REPEALS[repeal] for repeal in repeals if repeal in _REPEALS), "")
    if status:
        found.tags["status"] = status
        ends = [_stated_date(text) for text in _texts(root, law, "RepealDate", "repeal_date")]
        # A law that is suspended still stands.
        found.repealed_on = None if status == "suspended" else next((end for end in ends if end), None)
        if found.repealed_on is None and status != "suspended":
            found.warnings.append(f"{found.law_id}: the law is {status}, but the file does not say since when")
    if found.edition is None:
        found.warnings.append(f"{found.law_id}: neither the file nor its name says when this text came into force")
    found.aliases = list(dict.fromkeys(found.aliases))


def _texts(root: Element, law: Element, attribute: str, element: str) -> list[str]:
    """What the law's attribute and the wrapper's elements say of one thing."""
    return [law.get(attribute, "").strip(), *(collapse(found.text or "") for found in root.iter(f"{{*}}{element}"))]


def _stated_date(text: str) -> date | None:
    match = _DATE.match(text)
    return _date(int(match[1]), match[2], match[3]) if match else None


# From the elements of one e-Gov law to nodes: containers, articles, paragraphs, items, appended tables.

_CONTAINERS = {"Part": "PART", "Chapter": "CHAPTER", "Section": "PART", "Subsection": "PART", "Division": "PART"}
# What the appended parts are called; also the first half of their URN segment.
_APPENDED = {
    "AppdxTable": "table", "AppdxNote": "note", "AppdxStyle": "style", "AppdxFormat": "format", "AppdxFig": "fig",
    "Appdx": "appdx", "SupplProvisionAppdxTable": "table", "SupplProvisionAppdxStyle": "style",
    "SupplProvisionAppdx": "appdx",
}  # fmt: skip
_NOTES = {"Remarks": "remarks", "SupplNote": "note"}
_NUMBERED = re.compile(r"Paragraph|Item|Subitem\d+|Class")
_LEVELS = {"Paragraph": "PARAGRAPH", "Item": "ITEM", "Class": "SUBPARAGRAPH"}
_NUM = re.compile(r"[1-9]\d*(?:_\d+)*(?::[1-9]\d*(?:_\d+)*)?\Z", re.ASCII)
_TITLE = re.compile(rf"第({NUMERAL})[編章節款目]((?:の{NUMERAL})*)\s*")
_TABLE_TITLE = re.compile(rf"第({NUMERAL})[号表図]?((?:の{NUMERAL})*)")
_BRACKETS = re.compile(r"[（(](.*)[）)]\Z", re.DOTALL)
_DELETED = re.compile(r"(?:第\S*\s)?削除。?\Z")
MAX_RANGE = 1000


@dataclass(frozen=True, slots=True)
class _Place:
    """Where children stand: their parent, what their URNs begin with, and whether the parent is a container."""

    parent: ParsedNode
    base: str  # of articles and of paragraphs that are in no article
    supplementary: dict[str, str]  # tags that tell a supplementary provision's articles from the law's own
    container: bool = True


class LawTree(TreeBuilder):
    """Reads the body of one law. `nodes`, `warnings` and `words.left_out` are its results."""

    def __init__(self, identity: LawIdentity, name: str) -> None:
        self.links: list[Link] = []
        super().__init__(name)
        self.words = Words()
        self._identity = identity
        self._ranges: list[tuple[ParsedNode, str, str]] = []
        # The law's URN as its number alone gives it, where the law id holds more; see `LawIdentity.aliases`.
        self._plain = next((alias for alias in identity.aliases if alias.startswith("urn:lex:")), "")

    def read(self, body: Element) -> None:
        """Read a LawBody into the law's root node and all below.

        Raises:
            IngestError: an article or a container without a number.
        """
        identity = self._identity
        root = ParsedNode(
            identity.corpus.urn, None, "ROOT", "law", identity.law_id, identity.title, kind="section",
            tags=dict(identity.tags), aliases=list(identity.aliases), line=body.sourceline,
        )  # fmt: skip
        self._append(root)
        self._body(body, _Place(root, root.urn, {}))
        for node, base, ends in self._ranges:
            node.aliases.extend(self._members(node, base, ends))

    def _body(self, element: Element, place: _Place) -> None:
        """Give the parent its lead-in and flush text, and read what is between them in order."""
        node = place.parent
        own = {f"{local(element)}{part}" for part in ("Title", "Num", "Caption", "Label")} | {"LawTitle"}
        if local(element) in _APPENDED:
            own.add("RelatedArticleNum")  # part of its heading
        items = list(self._items(element, own))
        places = [index for index, item in enumerate(items) if not isinstance(item, str)]
        first, last = (places[0], places[-1]) if places else (len(items), len(items))
        lead = "\n".join(item for item in items[:first] if isinstance(item, str))
        flush = "\n".join(item for item in items[last + 1 :] if isinstance(item, str))
        node.intro_text, node.content_text = (lead, flush) if places else ("", lead)
        waiting: list[str] = []
        for item in items[first : last + 1]:
            if isinstance(item, str):
                waiting.append(item)
                continue
            if waiting:
                self._loose(waiting, item, place)
                waiting = []
            self._child(item, place)

    def _items(self, element: Element, own: set[str]) -> Iterator[Element | str]:
        """Lines of text and the elements that become nodes, in order."""
        yield from _stray(element.text)
        for child in element:
            name = local(child)
            if name in ("MainProvision", "TableStruct", "NoteStruct", "StyleStruct", "FormatStruct", "FigStruct"):
                if name == "MainProvision" and child.get("Extract") == "true":
                    self.nodes[0].tags["extract"] = "true"
                yield from self._items(child, set())
            elif _is_node(name):
                yield child
            elif name not in own:
                yield from self.words.lines(child)
            yield from _stray(child.tail)

    def _child(self, element: Element, place: _Place) -> None:
        name = local(element)
        if name in _CONTAINERS:
            self._container(element, place)
        elif name == "Article":
            self._article(element, place)
        elif name == "SupplProvision":
            self._supplementary(element, place)
        elif name == "Preamble":
            self._preamble(element, place)
        elif name in _APPENDED:
            self._appended(element, place)
        elif name in _NOTES:
            self._note(element, place)
        else:
            self._unit(element, place)

    def _container(self, element: Element, place: _Place) -> None:
        name = local(element)
        printed = self._own(element, "Title")
        title = _TITLE.match(printed)
        number = designator(title[1] + title[2]) if title else None
        number = self._number(element, [number] if number else [], f"{name.lower()}_")
        heading = printed[title.end() :] if title else printed
        last = f"{name.lower()}_{number}"
        # Citations pass over nothing here: 第九章第二節 names both, so the URN does too.
        urn = f"{place.parent.urn if place.container else place.base}:{last}"
        node = self._add(element, place, urn, _CONTAINERS[name], name.lower(), number, heading, kind="section")
        if _DELETED.match(printed):
            node.tags["status"] = "repealed"
        self._body(element, replace(place, parent=node))
        self._range(node, number, f"{urn.rpartition(':')[0]}:{name.lower()}_")

    def _article(self, element: Element, place: _Place) -> None:
        printed = article_designators(self._own(element, "Title"))
        number = self._number(element, printed, "")
        caption = self._own(element, "Caption")
        urn = f"{place.base}:{number}"
        node = self._add(element, place, urn, "ARTICLE", "article", number, _unbracketed(caption))
        plain = number.replace("..", ":")
        key = "supplementary_article_number" if place.supplementary else "article_number"
        node.tags |= {key: plain, "code": self._identity.title, **place.supplementary}
        self._body(element, replace(place, parent=node, base=node.urn, container=False))
        self._repealed(node)
        self._range(node, number, f"{place.base}:")

    def _supplementary(self, element: Element, place: _Place) -> None:
        amending = collapse(element.get("AmendLawNum", ""))
        read = law_number(amending) if amending else None
        own = f"sup.{read.slug}" if read else "sup"
        if amending and read is None:
            own = f"sup.n{1 + sum(node.level == 'supplementary' for node in self.nodes)}"
            self._warn(
                f"the amending law's number is of no known kind; the provision is kept as {own}", element.sourceline
            )
        heading = self._own(element, "Label")
        node = self._add(element, place, f"{place.parent.urn}:{own}", "PART", "supplementary", own, heading,
                         kind="section")  # fmt: skip
        tags = {"supplementary_provision": amending or "original"}
        node.tags |= tags | ({"promulgated": read.promulgated.isoformat()} if read and read.promulgated else {})
        if element.get("Extract") == "true":
            node.tags["extract"] = "true"
        if amending:
            # An amending law's supplementary provisions are at the end of the law that it amended.
            target = "" if read is None or read.number is None else law_urn(read)
            day = read.promulgated if read else None
            self.links.append(history.made(self.nodes[0].urn, "amended_by", amending, target, day))
        self._body(element, _Place(node, node.urn, tags))

    def _preamble(self, element: Element, place: _Place) -> None:
        node = self._add(element, place, f"{place.base}:preamble", "ARTICLE", "preamble", "preamble", "")
        node.tags["code"] = self._identity.title
        self._body(element, replace(place, parent=node, base=node.urn, container=False))

    def _appended(self, element: Element, place: _Place) -> None:
        level, heading = _APPENDED[local(element)], self._own(element, "Title")
        title = _TABLE_TITLE.search(unicodedata.normalize("NFKC", heading).partition("(")[0])
        number = designator(title[1] + title[2]) if title else _from_num(element.get("Num", ""))
        related = self._own(element, "", "RelatedArticleNum")
        own = f"{level}.{number}" if number else level
        node = self._add(element, place, f"{place.base}:{own}", "APPENDIX", f"appended {level}", own, heading + related)
        node.tags |= {"code": self._identity.title, **place.supplementary}
        self._body(element, replace(place, parent=node, base=node.urn, container=False))
        self._repealed(node)

    def _note(self, element: Element, place: _Place) -> None:
        level, label = _NOTES[local(element)], self._own(element, "Label")
        node = self._add(element, place, f"{place.parent.urn}:{level}", "NOTE", level, level, label)
        self._body(element, replace(place, parent=node, base=node.urn, container=False))

    def _unit(self, element: Element, place: _Place) -> None:
        """A paragraph, an item, or an item below it."""
        name = local(element)
        printed = self._own(element, "Num" if name == "Paragraph" else "Title")
        read, given = designator(printed), _from_num(element.get("Num", ""))
        if printed and read is None and given and ".." not in given:
            self._warn(
                f"the designator of {place.parent.urn}:{given} cannot be read; its Num is used", element.sourceline
            )
        if read and given and read[0].isdecimal() and read != given:
            self._warn(f"{place.parent.urn}:{read} has another number in its attribute Num", element)
        number = read or given or ""
        own = (f"class.{number}" if name == "Class" else number) if number else self._numbered(place.parent.urn, "p")
        kind = _LEVELS.get(name, "CLAUSE")
        if place.container:
            kind = "ARTICLE"  # nothing above it is cited as one rule
        caption = _unbracketed(self._own(element, "Caption"))
        base = place.base if place.container else place.parent.urn
        node = self._add(element, place, f"{base}:{own}", kind, name.lower(), number or own, caption)
        if place.container:
            key = "supplementary_paragraph_number" if place.supplementary else "paragraph_number"
            node.tags |= {key: number, "code": self._identity.title, **place.supplementary}
        else:
            # What a reference to a law known by its title alone is found by: 第九条第一項 is 9:1.
            below = node.urn.removeprefix(f"{self._identity.corpus.urn}:")
            node.tags |= {"provision": below, "code": self._identity.title}
        self._body(element, replace(place, parent=node, base=node.urn, container=False))
        self._repealed(node)
        self._range(node, number, f"{base}:")

    def _loose(self, lines: list[str], before: Element, place: _Place) -> None:
        """Words between two children: an unnumbered paragraph, so that nothing changes its place."""
        own = self._numbered(place.parent.urn, "p")
        node = self._add(before, place, f"{place.parent.urn}:{own}", "SUBPARAGRAPH", "text", own, "")
        node.content_text = "\n".join(lines)

    def _add(
        self, element: Element, place: _Place, urn: str, structure: str, level: str, number: str, heading: str, *,
        kind: str = "legislation",
    ) -> ParsedNode:  # fmt: skip
        urn, suffix = self._free(urn, element)
        node = ParsedNode(
            urn, place.parent.urn, structure, level, number + suffix, heading, kind=kind,
            line=element.sourceline,
        )  # fmt: skip
        self._append(node)
        if element.get("Delete") == "true":
            node.tags["status"] = "repealed"
        if element.get("Hide") == "true":
            node.tags["hidden"] = "true"
        if self._plain:
            node.aliases.append(node.urn.replace(self._identity.corpus.urn, self._plain, 1))
        return node

    def _number(self, element: Element, printed: list[str], what: str) -> str:
        """The number to cite by: the printed one, which the attribute must not contradict without a word."""
        given = _from_num(element.get("Num", ""))
        shown = printed[0] if printed else given
        if len(printed) > 1:
            shown = f"{printed[0]}..{printed[-1]}"
        if shown is None:
            raise self._error(f"a {local(element).lower()} without a number to cite it by", element)
        if given and given != shown:
            self._warn(f"{what}{shown} has another number in its attribute Num", element)
        return shown

    def _range(self, node: ParsedNode, number: str, base: str) -> None:
        if ".." in number:
            self._ranges.append((node, base, number))

    def _members(self, node: ParsedNode, base: str, ends: str) -> list[str]:
        """URNs of the provisions that one node stands for, none of which is a node of its own."""
        low, _, high = (end.split("-") for end in (ends.partition("..")))
        first, last = int(low[-1]), int(high[-1])
        if low[:-1] != high[:-1] or not 0 <= last - first < MAX_RANGE:
            self._warn(f"{node.urn}: only the ends of the range resolve to it", node.line)
            names = ["-".join(low), "-".join(high)]
        else:
            names = ["-".join((*low[:-1], str(number))) for number in range(first, last + 1)]
        return [urn for urn in (f"{base}{name}" for name in names) if urn not in self._seen]

    def _repealed(self, node: ParsedNode) -> None:
        """Mark a node whose only word, its own or its paragraphs', is 削除 (deleted)."""
        at = next(index for index in range(len(self.nodes) - 1, -1, -1) if self.nodes[index] is node)
        words = [text for node in self.nodes[at:] if (text := node_text(node.intro_text, node.content_text))]
        if words and all(_DELETED.match(text) for text in words):
            node.tags["status"] = "repealed"

    def _own(self, element: Element, part: str, name: str = "") -> str:
        """The text of an element's own title, number, caption or label."""
        wanted = name or f"{local(element)}{part}"
        return "".join(self.words.text(child) for child in element if local(child) == wanted)


def _is_node(name: str) -> bool:
    return (
        name in _CONTAINERS or name in _APPENDED or name in _NOTES or name in ("Article", "SupplProvision", "Preamble")
    ) or _NUMBERED.fullmatch(name) is not None  # fmt: skip


def _stray(text: str | None) -> Iterator[str]:
    if text and text.strip():
        yield collapse(text)


def _unbracketed(caption: str) -> str:
    match = _BRACKETS.match(caption)
    return match[1] if match else caption


def _from_num(num: str) -> str | None:
    """The attribute Num as a URN segment: `2_3` is `2-3`, the range `121:122` is `121..122`."""
    num = num.strip()
    return num.replace("_", "-").replace(":", "..") if _NUM.match(num) else None


_WRAPPERS = (b"DataRoot", b"law_data_response", b"lawdata_response")

_ROOT = re.compile(rb"\A(?:\xef\xbb\xbf)?(?>\s+|<\?.*?\?>|<!--.*?-->)*+<([A-Za-z_][\w.-]*+)([^>]*)>", re.DOTALL)
_LAW_ATTRIBUTE = re.compile(rb"\s(?:LawType|Era)\s*=")
_LIST = re.compile(rb"<(?:LawNameListInfo|Category|laws|total_count)\b")


def law_urn(number: LawNumber) -> str:
    """The URN of a law or an order by its number: 昭和二十七年法律第二百三十一号 is 327ac0000000231."""
    return f"urn:lex:jp:{number.era}{number.year:02d}{number.kind.lower()}{number.number:010d}"


class EgovXml(FileFormat):
    """Format `egov_xml`."""

    name = "egov_xml"
    version = 4

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root element is a `Law` with an era or a law type, or an e-Gov answer that may wrap one."""
        root = _ROOT.match(head)
        if root is None:
            return False
        if root[1] == b"Law":
            return _LAW_ATTRIBUTE.search(root[2]) is not None
        return root[1] in _WRAPPERS and not self.skips(path, head)

    def skips(self, path: Path, head: bytes) -> str:
        """Why an answer of the e-Gov interface is no law: it is a list of laws. Empty for every other file."""
        root = _ROOT.match(head)
        listed = root is not None and root[1] in (b"DataRoot", b"laws_response") and _LIST.search(head, root.end())
        return "a list of laws from the e-Gov interface, not a law" if listed else ""

    def read(self, source: Source) -> ParsedDocument:
        """Read a law.

        Returns:
            Its nodes; the root is the law itself. `edition_date` is the day its text came into force, and
            nodes end with the day the law was repealed, where the file says so. Warnings name
            the file and line, and sum up what was left out on purpose.

        Raises:
            IngestError: not readable as XML, no law or several, no law id, nested too deeply, or an article or a
                container without a number.
        """
        root = read_xml(source.path, name=source.name)
        law = find_law(root, source.name)
        _check_depth(law, source.name)
        identity = identify(root, law, source.name)
        tree = LawTree(identity, source.name)
        body = next(child for child in law if local(child) == "LawBody")
        if any(text and text.strip() for text in (law.text, *(child.tail for child in law), body.text)):
            raise IngestError("has words outside the law's title and provisions", file=source.name, line=law.sourceline)
        tree.read(body)
        for node in tree.nodes:
            node.valid_to = identity.repealed_on
        warnings = [*identity.warnings, *tree.warnings]
        if tree.words.left_out:
            counts = ", ".join(f"{count} {what}" for what, count in sorted(tree.words.left_out.items()))
            warnings.append(f"{source.name}: left out on purpose: {counts}")
        return ParsedDocument(
            identity.corpus, tree.nodes, source.name, self.name, source.sha256(), self.version,
            edition_date=identity.edition, links=tree.links, warnings=warnings,
        )  # fmt: skip


def _check_depth(law: Element, name: str) -> None:
    depth = 0
    for event, element in etree.iterwalk(law, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_NESTING:
            raise IngestError(f"nested deeper than {MAX_NESTING} elements", file=name, line=element.sourceline)
