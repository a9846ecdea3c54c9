"""One law in CLML as nodes: parts and crossheadings, sections and their paragraphs, schedules, recitals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rag.ingest.formats import history
from rag.ingest.formats.clml import levels
from rag.ingest.formats.clml.items import HEADERS, Items
from rag.ingest.formats.clml.levels import Validity
from rag.ingest.formats.clml.text import repealed_in
from rag.ingest.formats.tree import split_body
from rag.ingest.formats.xml import MAX_NESTING, Element, collapse, local, plain
from rag.ingest.formats.xml_text import Rich, set_text
from rag.jurisdictions.gb.addresses import annex_kind, bare_number, target_urn
from rag.law.designators import annex_segment, container_segment
from rag.law.nodes import Link, Mark, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import segment, slug

_NUMBERS = frozenset({"part_number", "schedule_number"})  # tags of a part or schedule that its chapters have, too
_PRELIMS = frozenset({"PrimaryPrelims", "SecondaryPrelims", "EUPrelims"})


@dataclass(frozen=True, slots=True)
class Law:
    """What the whole document says of itself. `unit` is what its citing units are called where nothing else says."""

    urn: str
    title: str
    unit: str
    eu: bool
    file: str
    footnotes: Mapping[str, Element]
    citations: Mapping[str, Element]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a child stands: its parent, the URN its own is built on, and what holds for it."""

    parent: ParsedNode
    base: str
    valid: Validity
    chain: tuple[tuple[Element, str], ...] = ()  # containers whose numbers may repeat, with the base they give
    counts: Mapping[tuple[Element, str], int] = field(default_factory=dict[tuple[Element, str], int])
    annex: str = ""  # number of the schedule, its word where it has none; empty in the body
    unit: str = ""
    level: int = 1  # CLML's, of the parent: 1 is the unit
    nesting: int = 0
    depth: int = 0


class LawTree:
    """Builds the nodes of one law."""

    def __init__(self, law: Law, root: ParsedNode) -> None:
        self.nodes: list[ParsedNode] = []
        self.warnings: list[str] = []
        self.links: list[Link] = []
        self._law = law
        self._reader = Items(law.footnotes, law.citations)
        self.left_out = self._reader.left_out
        self._seen: dict[str, list[ParsedNode]] = {}
        self._copies: Counter[str] = Counter()
        self._unnumbered: Counter[tuple[str, Validity]] = Counter()
        self._ids: dict[str, ParsedNode] = {}
        self._root = root

    def read(self, content: Element, valid: Validity) -> None:
        """Fill `nodes` from Primary, Secondary or EURetained.

        Raises:
            IngestError: with file, line and cause.
        """
        self._append(self._root, content, valid)
        for part in content:
            if local(part) in ("Body", "EUBody"):
                valid = levels.standing(part, valid)
        base = self._law.urn
        counts = levels.ambiguous_numbers(content)
        self._body(content, _Place(self._root, base, valid, ((content, base),), counts))
        for node in self.nodes:
            node.marks = [replace(mark, target=self._resolved(mark)) for mark in node.marks]
        self._note_changes(content)

    def _note_changes(self, content: Element) -> None:
        """What the publisher's annotations say of the provisions they are at: F of amendments, M of citations."""
        notes = {note.get("id", ""): note for note in content.getroottree().iterfind(".//{*}Commentary")}
        seen: set[tuple[str, str]] = set()
        for place in content.iter("{*}CommentaryRef", "{*}Repeal", "{*}Substitution", "{*}Addition"):
            key = place.get("Ref") or place.get("CommentaryRef") or ""
            node = self._standing_at(place)
            note = notes.get(key)
            if note is None or node is None or (node.urn, key) in seen:
                continue
            seen.add((node.urn, key))
            self.links += changes(node.urn, note, whole=local(place) == "CommentaryRef")

    def _standing_at(self, place: Element) -> ParsedNode | None:
        above = (self._ids.get(element.get("id", "")) for element in place.iterancestors())
        return next((node for node in above if node is not None), None)

    # What elements become

    def _child(self, element: Element, place: _Place) -> None:
        name = local(element)
        if place.depth > MAX_NESTING:
            raise self._error(f"is nested deeper than {MAX_NESTING} levels", element)
        place = replace(place, depth=place.depth + 1)
        if name in levels.CONTAINERS:
            self._container(element, place)
        elif name in levels.ANNEXES or name == "Attachment":
            self._annex(element, place)
        elif name in ("Schedules", "Attachments"):
            self._annexes(element, place)
        elif name in _PRELIMS:
            self._named(element, place, "introduction", "introduction")
        elif name == "SignedSection":
            self._named(element, place, "signature", "signature")
        elif name == "P1":
            self._unit(element, place, None)
        elif name in levels.GROUPS:
            self._group(element, place)
        elif name == "Division":
            self._division(element, place)
        elif name == "Form":
            printed = _first_text(element, "Number")
            match = re.match(r"form\s+(\w+)", printed, re.IGNORECASE)
            number = match[1] if match else slug(printed)
            self._provision(element, place, f"form_{slug(number)}", number, "PARAGRAPH", "form", printed)
        elif name == "ListItem":
            self._list_item(element, place)
        else:
            level = levels.NUMBERED[name]
            word = self._word(place, level)
            self._paragraph(element, place, level, word, self._reader.header(element, "Pnumber"))

    def _container(self, element: Element, place: _Place) -> None:
        level, type_ = levels.CONTAINERS[local(element)]
        number = _first_text(element, "Number")
        title = collapse(f"{self._reader.header(element, 'Title')} {self._reader.header(element, 'Subtitle')}")
        match = re.fullmatch(rf"{level}\s+([^\s–—]+)", number, re.IGNORECASE)
        if match:
            number, heading = match[1], title
            own = self._citable(container_segment, level, match[1])
        else:
            heading = collapse(f"{number} {title}")
            number, own = "", f"{slug(level)}_{slug(heading, limit=80)}"
        node = ParsedNode(
            urn=f"{place.parent.urn}:{own}", parent_urn=place.parent.urn, structure_type=type_, level=level,
            number=number or own.partition("_")[2], heading=heading, kind="section", line=element.sourceline,
        )  # fmt: skip
        if match and level in ("part", "chapter"):
            above = {key: value for key, value in place.parent.tags.items() if key in _NUMBERS}
            node.tags = {**above, f"{level}_number": number, "act_title": self._law.title}
        valid = levels.standing(element, place.valid)
        node.tags.update(valid.tags if element.get("RestrictExtent") or element.get("Status") else {})
        self._append(node, element, valid)
        # A container is no part of its units' URNs, except where their numbers repeat: `chain` decides.
        chain = (*place.chain, (element, node.urn))
        self._body(element, replace(place, parent=node, base=node.urn, chain=chain, valid=valid))

    def _annexes(self, element: Element, place: _Place) -> None:
        title = self._reader.header(element, "Title")
        if title:
            node = ParsedNode(
                urn=f"{place.parent.urn}:schedules", parent_urn=place.parent.urn, structure_type="PART",
                level="schedules", number="schedules", heading=title, kind="section", line=element.sourceline,
            )  # fmt: skip
            self._append(node, element, place.valid)
            place = replace(place, parent=node)
        self._body(element, replace(place, valid=levels.standing(element, place.valid)))

    def _annex(self, element: Element, place: _Place) -> None:
        printed = _first_text(element, "Number")
        level, kind, number = annex_kind(printed or local(element))
        block = element.find("{*}TitleBlock")
        titles = [] if block is None else [self._reader.render([part]).text for part in block]
        own, title = self._citable(annex_segment, kind, number), self._reader.header(element, "Title")
        number = own.partition(".")[2]
        node = ParsedNode(
            urn=f"{self._law.urn}:{own}", parent_urn=place.parent.urn, structure_type="APPENDIX", level=level,
            number=number or level, heading=collapse(" ".join([*titles, title])),
            tags={"schedule_number": number or level, "act_title": self._law.title}, line=element.sourceline,
        )  # fmt: skip
        valid = levels.standing(element, place.valid)
        if element.find(".//{*}P1") is None:
            valid = levels.read_validity([element], place.valid, self._law.file)
        node.tags.update(valid.tags)
        self._append(node, element, valid)
        counts = levels.ambiguous_numbers(element)
        inside = _Place(node, node.urn, valid, ((element, node.urn),), counts, number or level, depth=place.depth)
        self._body(element, inside)

    def _named(self, element: Element, place: _Place, own: str, level: str) -> None:
        node = ParsedNode(
            urn=f"{self._law.urn}:{own}", parent_urn=place.parent.urn, structure_type="NOTE", level=level, number=own,
            line=element.sourceline,
        )  # fmt: skip
        self._append(node, element, place.valid)
        self._body(element, replace(place, parent=node, base=node.urn, unit="introduction"))

    def _group(self, element: Element, place: _Place) -> None:
        """A heading over units or paragraphs: over one, it is that one's; over several, a node above them."""
        title = self._reader.header(element, "Title")
        makers = [part for part in element if local(part) not in HEADERS[local(element)]]
        valid = levels.read_validity([element], place.valid, self._law.file)
        if len(makers) == 1 and local(makers[0]) == "P1":
            self._unit(makers[0], place, element)
        elif len(makers) == 1 and local(makers[0]) in levels.NUMBERED:
            part = makers[0]
            level = levels.NUMBERED[local(part)]
            self._paragraph(part, replace(place, valid=valid), level, self._word(place, level),
                            self._reader.header(part, "Pnumber"), title)  # fmt: skip
        else:
            top = local(element) == "P1group"
            node = ParsedNode(
                urn=f"{place.parent.urn}:heading_{slug(title, limit=80)}", parent_urn=place.parent.urn,
                structure_type="PART" if top else levels.type_of(levels.GROUPS[local(element)]), level="heading",
                number=slug(title, limit=80), heading=title, kind="section" if top else "legislation",
                line=element.sourceline,
            )  # fmt: skip
            self._append(node, element, valid)
            inside = replace(place, parent=node, valid=valid)
            if top:
                inside = replace(inside, base=node.urn, chain=(*place.chain, (element, node.urn)))
            self._body(element, inside)

    def _unit(self, element: Element, place: _Place, group: Element | None) -> None:
        printed = self._reader.header(element, "Pnumber")
        number = bare_number(printed)
        word = levels.unit_word(element, printed, self._law.unit, annex=bool(place.annex))
        wrappers = [element] if group is None else [group, element]
        valid = levels.read_validity(wrappers, place.valid, self._law.file)
        own = self._number_segment(number, place)
        node = ParsedNode(
            urn=f"{self._unit_base(place, number)}:{own}", parent_urn=place.parent.urn,
            structure_type="ARTICLE" if word == "article" else "SECTION", level=word, number=number or own,
            heading="" if group is None else self._reader.header(group, "Title"), line=element.sourceline,
            tags={f"{word}_number": number, "act_title": self._law.title, **valid.tags},
        )  # fmt: skip
        if place.annex:
            node.tags["schedule_number"] = place.annex
        self._append(node, element, valid)
        if group is not None and group.get("id"):
            self._ids.setdefault(group.get("id", ""), node)
        inside = replace(place, parent=node, base=node.urn, valid=valid, unit=word, level=1, nesting=0)
        self._body(element, inside)
        if levels.only_dots(node.text) and "status" not in node.tags:
            node.tags["status"] = "repealed"

    def _unit_base(self, place: _Place, number: str) -> str:
        """The URN a unit is addressed below: its law or schedule, or the container where its number repeats."""
        for container, base in place.chain:
            if place.counts.get((container, number), 1) <= 1:
                return base
        return place.chain[-1][1] if place.chain else place.base

    def _paragraph(
        self, element: Element, place: _Place, level: int, word: str, printed: str, heading: str = ""
    ) -> None:
        number = bare_number(printed)
        own = self._number_segment(number, place)
        self._provision(element, place, own, number, type_=levels.type_of(level), level=word, heading=heading,
                        inside=level)  # fmt: skip

    def _division(self, element: Element, place: _Place) -> None:
        number, title = bare_number(_first_text(element, "Number")), self._reader.header(element, "Title")
        if place.parent.level == "introduction":
            own = f"rec.{segment(number)}" if re.search(r"\w", number) else self._number_segment("", place)
            self._provision(element, replace(place, base=self._law.urn), own, number, "NOTE", "recital", title)
            return
        level = min(max(place.level, 1) + 1, 7)
        own = self._number_segment(number, place) if number else f"division_{slug(title)}" if title else ""
        own = own or self._number_segment("", place)
        self._provision(element, place, own, number, levels.type_of(level), "division", title, inside=level)

    def _list_item(self, element: Element, place: _Place) -> None:
        designator = self._reader.designators.get(element, "")
        term = levels.defined_term(element)
        owner = element.getparent()
        defines = owner is not None and local(owner) == "UnorderedList"  # a stray designator does not make it a limb
        if term and (defines or not re.search(r"\w", designator)):
            self._provision(element, place, f"def.{slug(term)}", "", "DEFINITION", "definition", inside=2)
            return
        level = min(max(place.level, 2) + 1, 7)
        self._paragraph(element, place, level, self._word(place, level), designator)

    def _loose(self, text: Rich, place: _Place) -> None:
        """Words between two children: an unnumbered paragraph, so that nothing changes its place."""
        own = self._number_segment("", place)
        node = ParsedNode(
            urn=f"{place.base}:{own}", parent_urn=place.parent.urn, level="paragraph", number=own,
            structure_type=levels.type_of(min(place.level + 1, 7)), line=place.parent.line,
        )  # fmt: skip
        self._append(node, None, place.valid)
        self._set_text(node, Rich(), text)

    def _provision(
        self, element: Element, place: _Place, own: str, number: str, type_: str, level: str, heading: str = "",
        inside: int = 1,
    ) -> None:  # fmt: skip
        """Append a node below its parent and read what is in it."""
        valid = levels.read_validity([element], place.valid, self._law.file)
        node = ParsedNode(
            urn=f"{place.base}:{own}", parent_urn=place.parent.urn, structure_type=type_, level=level,
            number=number or own, heading=heading, line=element.sourceline,
            tags={} if valid.status == place.valid.status else {"status": valid.status},
        )  # fmt: skip
        self._append(node, element, valid)
        nesting = place.nesting + (type_ != "DEFINITION")  # a definition's limbs are called as a paragraph's
        below = replace(place, parent=node, base=node.urn, valid=valid, level=inside, nesting=nesting)
        self._body(element, below)

    # Text and order

    def _body(self, element: Element, place: _Place) -> None:
        """Give the parent its lead-in and flush text, and read what is between them in order."""
        lead, middle, flush = split_body(list(self._reader.items(element)))
        node = place.parent
        self._set_text(node, lead, flush)
        if node.text and node.kind == "section":
            node.kind = "legislation"  # a container with words of its own is to be found by them
        for item in middle:
            if isinstance(item, Rich):
                self._loose(item, place)
            else:
                self._child(item, place)

    def _set_text(self, node: ParsedNode, lead: Rich, flush: Rich) -> None:
        set_text(node, lead, flush)
        if repealed := sorted(repealed_in(lead) | repealed_in(flush)):
            node.tags["repealed_words"] = ", ".join(repealed)

    # Identity

    def _word(self, place: _Place, level: int) -> str:
        return levels.level_word(place.unit, level, place.nesting + 1, annex=bool(place.annex), eu=self._law.eu)

    def _citable(self, rule: Callable[[str, str], str], kind: str, number: str) -> str:
        try:
            return rule(kind, number)
        except InputError:
            return f"{slug(kind)}_{slug(number)}"

    def _number_segment(self, number: str, place: _Place) -> str:
        try:
            return segment(number)
        except InputError:
            key = (place.base, place.valid)  # each version of a provision counts its own
            self._unnumbered[key] += 1
            return f"p.{self._unnumbered[key]}"

    def _append(self, node: ParsedNode, element: Element | None, valid: Validity) -> None:
        node.valid_from, node.valid_to = valid.since, valid.until
        same = self._seen.get(node.urn, [])
        if same and not all(_apart(node, parsed) for parsed in same):
            self._copies[node.urn] += 1
            count = self._copies[node.urn] + 1
            place = f"first at line {same[0].line}" if same[0].line else "first without line"
            self.warnings.append(f"line {node.line}: a second {node.urn} ({place}) is kept as {node.urn}~{count}")
            node.tags["duplicate_of"] = node.urn
            node.urn, node.number = f"{node.urn}~{count}", f"{node.number}~{count}"
        self._seen.setdefault(node.urn, []).append(node)
        self.nodes.append(node)
        if element is None:
            return
        if element.get("IdURI") and "duplicate_of" not in node.tags:
            node.aliases.append(element.get("IdURI", ""))
        if element.get("id"):
            self._ids.setdefault(element.get("id", ""), node)

    def _resolved(self, mark: Mark) -> str:
        if not mark.target.startswith("#"):
            return mark.target
        node = self._ids.get(mark.target[1:])
        return node.urn if node is not None else ""

    def _error(self, cause: str, element: Element) -> IngestError:
        return IngestError(f"the {local(element)} {cause}", file=self._law.file, line=element.sourceline)


_WORDS_ONLY = re.compile(r"\b(?:words?|figures?|entry|entries|definitions?|sum|sidenote|heading)\b", re.IGNORECASE)
_NOTED_DAY = re.compile(r"\((?:[a-z ]*?)(\d{1,2})\.(\d{1,2})\.(\d{4})")


def changes(urn: str, note: Element, *, whole: bool) -> Iterator[Link]:
    """The edges of one annotation: what was done to a provision and by what, or what its words cite.

    Args:
        note: a Commentary; F says what amended the text, M what it cites.
        whole: False where the annotation is at changed words inside the provision.
    """
    words, kind = plain(note), note.get("Type", "")
    laws = {law.get("id", ""): law for law in note.iter("{*}Citation")}
    places = [place for place in note.iter("{*}CitationSubRef") if place.get("CitationRef") in laws]
    if kind == "M":
        for law in laws.values():
            yield history.made(urn, "cites", plain(law), citation_urn(law, law))
        return
    said, acting, _ = words.partition(" by ")
    if kind != "F" or not acting or not laws:
        return
    happened = history.happened(said)
    if happened in ("repealed_by", "created_by") and (not whole or _WORDS_ONLY.search(said)):
        happened = "amended_by"
    day = _NOTED_DAY.search(said)
    first = next(iter(laws.values()))  # what follows a semicolon commences it
    doers = [place for place in places if place.get("CitationRef") == first.get("id")]
    doer = next((place for place in doers if place.get("Operative") == "true"), doers[-1] if doers else first)
    on = history.day_of(day[3], day[2], day[1]) if day else None
    yield history.made(urn, happened or "amended_by", words, citation_urn(doer, first), on)


def citation_urn(place: Element, law: Element) -> str:
    """The URN of what a citation or a part of one points at; empty where it has none."""
    return target_urn(place.get("URI", ""), law.get("Class", ""), law.get("Year", ""), law.get("Number", ""))


def _apart(one: ParsedNode, other: ParsedNode) -> bool:
    """Whether two texts of one provision are never in force together."""
    if one.valid_to is not None and other.valid_from is not None and one.valid_to <= other.valid_from:
        return True
    return other.valid_to is not None and one.valid_from is not None and other.valid_to <= one.valid_from


def _first_text(element: Element, name: str) -> str:
    part = next((child for child in element if local(child) == name), None)
    return "" if part is None else plain(part)
