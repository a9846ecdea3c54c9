"""Acts, bills and judgments in Akoma Ntoso 3, whatever country publishes them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from itertools import chain, product
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote

from lxml import etree

from rag.ingest.formats.akn.meta import Identity, address_corpus, identify, parse_date
from rag.ingest.formats.akn.tree import CONTAINER, INSIDE, NOTE, UNIT, Draft, TreeReader, ids
from rag.ingest.formats.base import FileFormat, Source, plain_ascii
from rag.ingest.formats.history import made
from rag.ingest.formats.tree import LEVELS_BELOW
from rag.ingest.formats.xml import Element, local, opening, read_xml  # pyright: ignore[reportPrivateUsage]
from rag.ingest.formats.xml_text import Rich, join, set_text
from rag.jurisdictions.gb.addresses import target_urn
from rag.law.nodes import Link, Mark, ParsedDocument, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import parse_urn, path_label, segment, slug, urn_below

NAMESPACE = "http://docs.oasis-open.org/legaldocml/ns/akn/3.0"
DOCUMENTS = frozenset({"act", "bill", "doc", "judgment", "statement"})

_DOCUMENT = re.compile(r">(?>\s+|<!--.*?-->|<\?.*?\?>)*+<(?:[\w.-]+:)?+([A-Za-z]+)\b", re.DOTALL)


class AkomaNtoso(FileFormat):
    """Akoma Ntoso 3 (LegalDocML). A document is one file; a schedule in the same file is part of it."""

    name = "akn"
    version = 5

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the file is an act, bill, judgment or plain document, by its namespace and first two elements."""
        namespaces, document = _opening(head)
        return NAMESPACE in namespaces and document in DOCUMENTS

    def skips(self, path: Path, head: bytes) -> str:
        """Why an Akoma Ntoso file holds no law to read; empty for other files and for law."""
        namespaces, document = _opening(head)
        if not namespaces or self.claims(path, head):
            return ""
        if NAMESPACE not in namespaces:
            return "Akoma Ntoso of an older version; only 3.0 is read"
        if document in ("documentCollection", "officialGazette"):
            return f"Akoma Ntoso, but a {document} of several; save each act or judgment in it as a file of its own"
        return f"Akoma Ntoso, but a {document or 'document of unknown kind'} and no act, bill or judgment"

    def read(self, source: Source) -> ParsedDocument:
        """Read a document.

        Raises:
            IngestError: no such XML, no law, no country or nothing to name it by, a body that is missing, or a
                nesting too deep.
        """
        root = read_xml(source.path, name=source.name)
        document = self._document(root, source.name)
        try:
            identity = identify(document)
        except InputError as error:
            raise IngestError(error.message, file=source.name, line=document.sourceline) from None
        reader = TreeReader(identity.words, source.name, decision=identity.kind == "decision")
        drafts = reader.read(document)
        for components in root.iterfind("{*}components"):
            drafts.extend(reader.attached(components))
        placer = Placer(identity, Periods(document, source.name), source.name)
        placer.place(drafts, document.sourceline)
        left_out = [
            f"left out on purpose: {what} ({count})" for what, count in sorted(identity.words.left_out.items()) if count
        ]
        return ParsedDocument(
            identity.corpus, placer.nodes, source.name, self.name, source.sha256(), self.version,
            edition_date=identity.edition_date, links=placer.history(document),
            warnings=[*identity.warnings, *reader.warnings, *placer.warnings, *left_out],
        )  # fmt: skip

    def _document(self, root: Element, name: str) -> Element:
        namespace = etree.QName(root).namespace or ""
        if local(root) != "akomaNtoso" or not namespace.startswith(NAMESPACE):
            raise IngestError("not a document of Akoma Ntoso 3.0", file=name, line=root.sourceline)
        found = [child for child in root if local(child) in DOCUMENTS]
        others = [local(child) for child in root if local(child) not in (*DOCUMENTS, "components")]
        if len(found) != 1 or others:
            raise IngestError("holds no act, bill or judgment, or more than one", file=name, line=root.sourceline)
        return found[0]


def _opening(head: bytes) -> tuple[str, str]:
    """The attributes of the root element and the name of the first element in it; empty for other files."""
    root = opening(head)
    if root.name != "akomaNtoso":
        return "", ""
    document = _DOCUMENT.match(root.rest)
    return " ".join(root.attributes.values()) or " ", document[1] if document else ""


# Addresses for the drafts of a document: URNs, tags, validity, and marks that point at URNs. A citing unit is addressed
# by its number alone. Where a law numbers anew in every part or chapter, a bare number names nothing with certainty, so
# all units that share one are addressed below their container.

Period: TypeAlias = tuple[date | None, date | None]


class Periods:
    """The periods that a document's metadata declare.

    Raises:
        IngestError: an interval ends before it begins.
    """

    def __init__(self, document: Element, file: str) -> None:
        self._file = file
        self._events = {
            found.get("eId", ""): parse_date(found.get("date", ""))
            for found in document.iterfind("{*}meta/{*}lifecycle/{*}eventRef")
        }
        self._groups: dict[str, Period] = {}
        for group in document.iterfind("{*}meta/{*}temporalData/{*}temporalGroup"):
            intervals = [self._interval(found) for found in group.iterfind("{*}timeInterval")]
            if intervals:
                starts, ends = zip(*intervals, strict=True)
                begin = None if None in starts else min(start for start in starts if start is not None)
                end = None if None in ends else max(end for end in ends if end is not None)
                self._groups[group.get("eId", "")] = (begin, end)

    def of(self, element: Element | None) -> Period:
        """The period an element names itself, `(None, None)` where it names none.

        Raises:
            IngestError: it names a period that the metadata do not declare.
        """
        if element is None:
            return None, None
        if name := element.get("period", "").removeprefix("#"):
            if name not in self._groups:
                raise IngestError(
                    "an element names a period that the metadata do not declare", file=self._file,
                    line=element.sourceline,
                )  # fmt: skip
            return self._groups[name]
        if element.get("start", "").startswith("#") or element.get("end", "").startswith("#"):
            return self._interval(element)
        return None, None

    def begin(self, modification: Element) -> date | None:
        """The day on which a modification takes effect, as its `force` (or else itself) names it."""
        force = modification.find("{*}force")
        named = (modification if force is None else force).get("period", "").removeprefix("#")
        return self._groups.get(named, (None, None))[0]

    def _interval(self, element: Element) -> Period:
        begin, end = (self._events.get(element.get(key, "").removeprefix("#")) for key in ("start", "end"))
        if begin and end and begin >= end:
            raise IngestError("a period ends before it begins", file=self._file, line=element.sourceline)
        return begin, end


def within(own: Period, outer: Period) -> Period:
    """An element's own period; where a bound of it is open, that of its parent holds.

    A parent's bound that would leave no day of its own period is disregarded.
    """
    begin, end = own[0] or outer[0], own[1] or outer[1]
    return own if begin and end and begin >= end else (begin, end)


def disjoint(one: Period, other: Period) -> bool:
    """Whether no day lies in both half-open periods."""
    return _ends_before(one, other) or _ends_before(other, one)


def _ends_before(one: Period, other: Period) -> bool:
    return one[1] is not None and other[0] is not None and one[1] <= other[0]


# What an Akoma Ntoso reference points at, as URNs: ids of the same document, addresses of other laws and decisions.

# Abbreviations that the naming convention builds ids from: containers are no part of a URN, the others are segments.
_CONTAINERS = frozenset({"book", "tome", "title", "subtitle", "part", "pt", "subpart", "chp", "chap", "ch", "subchap",
                         "subchp", "dvs", "div", "body", "hcontainer", "xhdg"})  # fmt: skip
_PROVISIONS = frozenset({"sec", "art", "rule", "subsec", "subrule", "para", "subpara", "clause", "subclause", "point",
                         "indent", "list", "item", "level", "alinea", "section", "article", "paragraph", "subsection",
                         "regulation", "subparagraph"})  # fmt: skip
_APPENDICES = frozenset({"sch", "sched", "schedule", "annex", "att", "appendix"})
_COMPONENT = re.compile(r"(?P<kind>[a-zA-Z]+)_?(?P<number>.*)\Z")


def reference_urn(href: str, own_ids: dict[str, str], base: str = "") -> str:
    """The URN a reference's target has; empty where it cannot be read with certainty.

    Args:
        href: the publisher's target: `#sec_4`, `/akn/za/act/1980/10#sec_4`, `https://www.legislation.gov.uk/...`.
        own_ids: URNs of this document's elements by id.
        base: this document's own address; a reference to it is one to its ids.
    """
    href = href.strip()
    if href.startswith("#"):
        return own_ids.get(href[1:], "")
    target, _, fragment = href.partition("#")
    target, _, portion = target.partition("~")
    fragment = fragment or portion.strip("/")
    if base and target.rstrip("/") == base.rstrip("/") and fragment:
        return own_ids.get(fragment, "")
    if law := target_urn(target):  # an address of legislation.gov.uk names the provision itself
        urn = law
    else:
        jurisdiction, corpus = address_corpus(target)
        urn = f"urn:lex:{jurisdiction}:{corpus}" if corpus else ""
    below = _provision(fragment) if fragment else []
    return urn_below(urn, *below) if urn and below is not None else ""


def _provision(fragment: str) -> list[str] | None:
    """Segments of an id built by the naming convention (`part_A__sec_5__subsec_2` -> 5, 2); None for other ids."""
    segments: list[str] = []
    for component in re.split(r"__|(?<=\d)-(?=[a-z]+\d)", unquote(fragment)):
        match = _COMPONENT.match(component)
        if match is None:
            return None
        kind = match["kind"].lower()
        if kind in _CONTAINERS:
            continue
        if kind not in _PROVISIONS and kind not in _APPENDICES:
            return None
        if kind == "list" or (kind in _APPENDICES and not match["number"]):
            continue
        try:
            number = segment(match["number"])
        except InputError:
            return None
        segments.append(f"sch.{number}" if kind in _APPENDICES else number)
    return segments or None


_RANKS = {"paragraph": 1, "subparagraph": 2, "sub-paragraph": 2, "clause": 3, "subclause": 4}
_CONTAINER_TYPES = {
    "title": "TITLE", "subtitle": "TITLE", "book": "TITLE", "tome": "TITLE", "chapter": "CHAPTER",
    "subchapter": "CHAPTER",
}  # fmt: skip
_APPENDIX_SEGMENTS = {"schedule": "sch", "annex": "annex", "appendix": "app"}
_EVENTS = {"amendment": "amended_by", "repeal": "repealed_by"}
_KINDS = {
    "activeModifications": {"text": "amends", "end": "repeals", "meaning": "interprets"},
    "passiveModifications": {"text": "amended_by", "end": "repealed_by", "meaning": "interpreted_by"},
}


def _change(modification: Element) -> str:
    """What a modification does to law: ends it, changes its text or its meaning; empty for its coming into force."""
    name, what = local(modification), modification.get("type", "")
    if what in ("repeal", "endOfEnactment"):
        return "end"
    return {"textualMod": "text", "meaningMod": "meaning"}.get(name, "")


_SPENT = re.compile(r"\W*(?:(?:section|article|paragraph|schedule|part|chapter)\s+\S+\s+)?(repealed|deleted)\b", re.I)
_PLAIN_STATUS = frozenset({"", "edited", "editorial", "verbatim", "translated"})
_HEADING_SEGMENT = "h"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a draft stands: its parent node, the URN that unit numbers follow, the one that containers follow."""

    parent: ParsedNode
    base: str
    above: str
    period: Period = (None, None)
    rank: int = -1  # index into `LEVELS_BELOW` of the parent
    schedule: str = ""
    stem: str = ""  # the URN that designators follow, where it is not the parent's
    only: bool = False  # the parent has one child


class Placer:
    """Makes nodes of drafts.

    Args:
        periods: validity of elements that name a period.
    """

    def __init__(self, identity: Identity, periods: Periods, file: str) -> None:
        self._identity, self._periods, self._file = identity, periods, file
        self._decision = identity.kind == "decision"
        self._seen: dict[str, list[ParsedNode]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()
        self._shared: set[tuple[int, str]] = set()
        self._labels: dict[tuple[str, str], str] = {}
        self._ids: dict[str, str] = {}
        self._style = ""
        self.nodes: list[ParsedNode] = []
        self.warnings: list[str] = []

    def place(self, drafts: list[Draft], line: int | None) -> None:
        """Fill `nodes` with the root and everything below it.

        Raises:
            IngestError: a node cannot be addressed.
        """
        identity = self._identity
        root = ParsedNode(
            urn=identity.corpus.urn, parent_urn=None, structure_type="ROOT",
            level="decision" if self._decision else identity.tags.get("document_type", "act").lower(),
            heading=identity.corpus.title, kind="decision" if self._decision else "section", tags=identity.tags,
            aliases=identity.aliases, valid_from=identity.valid_from, line=line,
        )  # fmt: skip
        self._append(root, None)
        self._style = self._main_style(drafts)
        self._find_shared(drafts)
        place = _Place(root, root.urn, root.urn, (identity.valid_from, None))
        for draft in drafts:
            self._draft(draft, place)
        self._resolve_marks()

    def history(self, document: Element) -> list[Link]:
        """What the metadata say this document does to other law, and other law to it: edges from this document.

        `activeModifications` lead from the provision that modifies, `passiveModifications` from the one that is
        modified. An event of the life cycle leads from the document to the act that it names.
        """
        links: list[Link] = []
        for direction, kinds in _KINDS.items():
            for modification in document.iterfind(f"{{*}}meta/{{*}}analysis/{{*}}{direction}/*"):
                kind = kinds.get(_change(modification), "")
                ends = (modification.iterfind("{*}source"), modification.iterfind("{*}destination"))
                for source, target in product(*ends) if kind else ():
                    own, other = (source, target) if direction == "activeModifications" else (target, source)
                    day = self._periods.begin(modification)
                    links += self._made(own.get("href", ""), kind, other.get("href", ""), day)
        acts = {found.get("eId", ""): found.get("href", "") for found in document.iterfind("{*}meta/{*}references/*")}
        for event in document.iterfind("{*}meta/{*}lifecycle/{*}eventRef"):
            kind = _EVENTS.get(event.get("type", ""))
            act = acts.get(event.get("source", "").removeprefix("#"), "")
            if kind and act:
                day = parse_date(event.get("date", ""))
                links.append(made(self.nodes[0].urn, kind, act, reference_urn(act, {}), day))
        return links

    def _made(self, own: str, kind: str, other: str, day: date | None) -> list[Link]:
        """An edge between a part of this document and other law; none where the part cannot be told."""
        base = self._identity.uri
        urn = self.nodes[0].urn if base and own.rstrip("/") == base.rstrip("/") else reference_urn(own, self._ids, base)
        target = reference_urn(other, self._ids, base)
        return [made(urn, kind, other, target, day)] if other and any(node.urn == urn for node in self.nodes) else []

    def _main_style(self, drafts: list[Draft]) -> str:
        """How most paragraphs of a decision are numbered; lists of headings between them are numbered otherwise."""
        styles = Counter(_style(unit) for unit in _units(drafts) if unit.number) if self._decision else Counter[str]()
        return styles.most_common(1)[0][0] if styles else ""

    def _find_shared(self, drafts: list[Draft]) -> None:
        """Numbers that units in different containers of one numbering share."""
        holders: dict[tuple[int, str], set[int]] = {}

        def walk(some: list[Draft], parent: int, base: int) -> None:
            for draft in some:
                if draft.appendix:
                    walk(draft.children, id(draft), id(draft))
                elif draft.role == CONTAINER:
                    walk(draft.children, id(draft), base)
                elif draft.role == UNIT and (own := self._own(draft)):
                    holders.setdefault((base, own), set()).add(parent)

        walk(drafts, 0, 0)
        self._shared = {key for key, parents in holders.items() if len(parents) > 1}

    def _own(self, draft: Draft) -> str:
        """The segment that a draft's number or name gives it; empty where it has neither."""
        if draft.own:
            prefix, _, rest = draft.own.partition(" ")
            return f"{prefix}.{slug(plain_ascii(rest))}" if rest else segment(prefix)
        try:
            own = segment(plain_ascii(draft.number)) if draft.number else ""
        except InputError:
            return ""
        if own and self._style and draft.role == UNIT and not draft.appendix and _style(draft) != self._style:
            return f"{_HEADING_SEGMENT}.{own}"
        return own

    def _draft(self, draft: Draft, place: _Place, base_key: int = 0) -> None:
        own = self._own(draft)
        if draft.number and not own:
            self._warn(f"the designator {draft.number!r} has no letter or digit to cite it by", draft)
        if draft.role == CONTAINER:
            name = own or _words_segment(draft.heading.text) or self._counted(place.above, slug(draft.name))
            urn = f"{place.above}:{slug(draft.name)}_{name}"
            own = own or name
        elif draft.appendix:
            prefix = _APPENDIX_SEGMENTS.get(draft.name, "att")
            urn, own = f"{place.base}:{prefix}.{own}" if own else f"{place.base}:{prefix}", own or prefix
        elif draft.role == UNIT:
            holder = place.above if (base_key, own) in self._shared else place.base
            own = own or self._counted(place.base, "p")
            urn = f"{holder}:{own}"
        else:
            letter = "note" if draft.role == NOTE else "al" if draft.name == "alinea" else "p"
            stem = place.stem if own and place.stem else place.parent.urn
            own = own or self._counted(place.parent.urn, letter)
            urn = f"{stem}:{own}"
        period = within(self._periods.of(draft.source), place.period)
        urn, suffix = self._free(urn, period, draft)
        node = ParsedNode(
            urn=urn, parent_urn=place.parent.urn, structure_type=self._type(draft, place), level=draft.name or "level",
            number=self._number(urn, draft, place.parent.urn, _shown(draft, own) + suffix), heading=draft.heading.text,
            kind="section" if draft.role == CONTAINER else self._identity.kind, valid_from=period[0],
            valid_to=period[1], line=draft.line,
        )  # fmt: skip
        if suffix:
            node.tags["duplicate_of"] = urn.rpartition("~")[0]
        self._tag(node, draft, place)
        self._text(node, draft)
        self._append(node, draft)
        rank = LEVELS_BELOW.index(node.structure_type) if node.structure_type in LEVELS_BELOW else -1
        base, above = place.base, place.above
        if draft.appendix:
            base, above = urn, urn
        elif draft.role == CONTAINER:
            above = urn
        elif draft.role == UNIT:
            base, above = urn, urn
        # "Article 3(a)": the only paragraph of an article has no number and is cited by none.
        alone = draft.role == INSIDE and not draft.number and not draft.own and place.only
        stem = (place.stem or place.parent.urn) if alone else ""
        schedule = node.number if draft.appendix else place.schedule
        inside = _Place(node, base, above, period, rank, schedule, stem, only=len(draft.children) == 1)
        key = id(draft) if draft.appendix else base_key
        for child in draft.children:
            self._draft(child, inside, key)
        for note in (*draft.heading.aside, *draft.lead.aside, *draft.flush.aside):
            self._draft(self._note(note), inside, key)

    def _number(self, urn: str, draft: Draft, parent: str, number: str) -> str:
        """The printed number; another one where a sibling of another kind has it, for their paths must differ."""
        last = urn.rpartition(":")[2]
        for name in chain([number, last], (f"{last}~{count}" for count in range(2, len(self.nodes) + 4))):
            if self._labels.setdefault((parent, path_label(draft.name or "level", name)), urn) == urn:
                return name
        raise IngestError(f"the {draft.name} {number[:40]!r} has no path", file=self._file, line=draft.line)

    def _note(self, element: Element) -> Draft:
        lead = self._identity.words.render(element)
        return Draft(NOTE, "note", lead=lead, source=element, line=element.sourceline)

    def _counted(self, urn: str, letter: str) -> str:
        self._counts[urn, letter] += 1
        return f"{letter}.{self._counts[urn, letter]}"

    def _type(self, draft: Draft, place: _Place) -> str:
        if draft.role == CONTAINER:
            return _CONTAINER_TYPES.get(draft.name, "PART")
        if draft.appendix:
            return "APPENDIX"
        if draft.role == NOTE:
            return "NOTE"
        if draft.name == "definition":
            return "DEFINITION"
        if draft.role == UNIT:
            return "ARTICLE" if draft.name == "article" else "SECTION"
        return LEVELS_BELOW[min(max(place.rank + 1, _RANKS.get(draft.name, 0)), len(LEVELS_BELOW) - 1)]

    def _tag(self, node: ParsedNode, draft: Draft, place: _Place) -> None:
        shared = self._identity.tags
        if draft.role == UNIT and draft.number and not draft.appendix:
            key = "paragraph" if self._decision else f"{draft.name}_number"
            node.tags[key] = draft.number
        if draft.role == UNIT:
            named = ("neutral_citation", "case_number") if self._decision else ("act_title",)
            node.tags.update({key: shared[key] for key in named if key in shared})
            if schedule := node.number if draft.appendix else place.schedule:
                node.tags["schedule_number"] = schedule
        if draft.role == CONTAINER and draft.number and draft.name in ("part", "chapter") and "act_title" in shared:
            above = {key: value for key, value in place.parent.tags.items() if key == "part_number"}
            node.tags |= {**above, f"{draft.name}_number": draft.number, "act_title": shared["act_title"]}
            if place.schedule:
                node.tags["schedule_number"] = place.schedule
        if draft.source is None:
            return
        status = draft.source.get("status", "")
        if status not in _PLAIN_STATUS:
            node.tags["status"] = "repealed" if status == "removed" else status
        if draft.role == NOTE:
            for key in ("class", "marker", "status"):
                if value := draft.source.get(key, ""):
                    node.tags[key] = value
        elif any(_SPENT.match("".join(note.itertext())) for note in draft.lead.aside) and not draft.lead.text:
            # An editor's remark in place of the words.
            node.tags.setdefault("status", "repealed")

    def _text(self, node: ParsedNode, draft: Draft) -> None:
        if draft.children:
            set_text(node, draft.lead, draft.flush)
        else:
            set_text(node, Rich(), join([draft.lead, draft.flush]))

    def _free(self, urn: str, period: Period, draft: Draft) -> tuple[str, str]:
        """The URN, or one with `~2` where another node of the same time has it; and that suffix."""
        others = self._seen.get(urn, [])
        if not others or all(disjoint((other.valid_from, other.valid_to), period) for other in others):
            return urn, ""
        count = 2
        while f"{urn}~{count}" in self._seen:
            count += 1
        self._warn(f"a second {urn}; it is kept as {urn}~{count}", draft)
        return f"{urn}~{count}", f"~{count}"

    def _append(self, node: ParsedNode, draft: Draft | None) -> None:
        try:
            parse_urn(node.urn)
        except InputError as error:
            cause = f"the {node.level} {node.number[:40]!r} has no URN. {error.message}"
            raise IngestError(cause, file=self._file, line=node.line) from None
        first = node.urn not in self._seen
        self._seen.setdefault(node.urn, []).append(node)
        self.nodes.append(node)
        if draft is None or not (own := ids(draft.source)):
            return
        if first:
            self._ids.setdefault(own, node.urn)
            if self._identity.uri and draft.role in (UNIT, INSIDE) and self._ids[own] == node.urn:
                node.aliases.append(f"{self._identity.uri}#{own}")

    def _resolve_marks(self) -> None:
        for node in self.nodes:
            node.marks = [
                Mark(mark.start, mark.end, mark.kind, reference_urn(mark.target, self._ids, self._identity.uri))
                if mark.kind == "reference"
                else mark
                for mark in node.marks
            ]

    def _warn(self, cause: str, draft: Draft) -> None:
        place = f"line {draft.line}: " if draft.line is not None else ""
        self.warnings.append(place + cause)


def _shown(draft: Draft, own: str) -> str:
    return own if own.startswith(f"{_HEADING_SEGMENT}.") else draft.number or own


def _words_segment(text: str) -> str:
    """A segment for a heading; empty where it has no Latin letter or digit."""
    return slug(plain_ascii(text)) if re.search(r"[A-Za-z0-9]", plain_ascii(text)) else ""


def _units(drafts: list[Draft]) -> list[Draft]:
    found: list[Draft] = []
    for draft in drafts:
        if draft.role == UNIT and not draft.appendix:
            found.append(draft)
        elif draft.role == CONTAINER:
            found.extend(_units(draft.children))
    return found


def _style(draft: Draft) -> str:
    """How a number is printed: `1.` and `[1]` are digits, `(1)` is `(digits`, `I.` and `A.` are letters."""
    kind = "digits" if draft.number[:1].isdigit() else "letters"
    return f"({kind}" if draft.printed.startswith("(") else kind
