"""One document in United States Legislative Markup as nodes: containers, sections and their paragraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from lxml import etree

from rag.ingest.formats import uslm_text as words
from rag.ingest.formats.ecfr_xml import dates
from rag.ingest.formats.uslm_cites import sections_of
from rag.ingest.formats.uslm_defs import Definitions, split_definitions
from rag.ingest.formats.uslm_text import Reader, TooDeep, Words
from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.nodes import Link, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import parse_urn

MAX_NESTING = 48  # levels of containers and paragraphs; published law reaches 16

CITING = frozenset({"section", "courtRule", "article"})
_LEVELS = frozenset(
    {"preliminary", "title", "subtitle", "chapter", "subchapter", "part", "subpart", "division", "subdivision",
     "subarticle", "level", "appendix", "schedule", "compiledAct", "courtRules", "reorganizationPlans",
     "reorganizationPlan", "presidentialDocs", "presidentialDoc", "subsection", "paragraph", "subparagraph", "clause",
     "subclause", "item", "subitem", "subsubitem", "crossheading"}
) | CITING  # fmt: skip
_TYPES = {
    "title": "TITLE", "subtitle": "TITLE", "chapter": "CHAPTER", "subchapter": "CHAPTER", "subsection": "SUBSECTION",
    "paragraph": "PARAGRAPH", "subparagraph": "SUBPARAGRAPH", "clause": "CLAUSE", "article": "ARTICLE",
    "appendix": "APPENDIX", "schedule": "APPENDIX",
}  # fmt: skip
_BY_DEPTH = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM")
# Acts, rules and plans printed together in one title: each numbers its sections anew.
_OWN_NUMBERS = frozenset({"compiledAct", "courtRules", "reorganizationPlan", "presidentialDoc", "preliminary"})
_HEADERS = frozenset({"num", "heading", "subheading"})
_STATUS_NOTES = {
    "prospectiveAmendment": "prospective_amendment", "effectiveDate": "effective_date_note",
    "effectiveDateOfAmendment": "effective_date_note", "constitutionality": "constitutionality_note",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plan:
    """What distinguishes one kind of document from another.

    Attributes:
        root: the document's root node, not yet given its text.
        numbers: the URN below which sections are numbered.
        tags: of every section.
        law: the key of the source in `tags`: usc, cfr or act.
        running: container levels whose numbers run through the corpus, so that their URN follows `numbers`.
        edition: the publication's date; later dates in a history are not believed.
        enacted: first day in force of every node; None where each section states its own history.
        identifier: what the publisher's identifiers in this document begin with.
    """

    root: ParsedNode
    numbers: str
    tags: dict[str, str]
    law: str
    running: frozenset[str]
    edition: date | None
    enacted: date | None
    identifier: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a child stands: its parent, the URN its own is built on, the URN that sections are numbered below."""

    parent: ParsedNode
    base: str
    numbers: str
    nesting: int = 0
    depth: int = 0  # of a paragraph, in its section
    since: date | None = None
    citing: bool = False  # inside a section


class UslmTree:
    """Builds the nodes of one document.

    Args:
        plan: what kind of document it is.
        file: what to call it in messages.
        quotes: whether quoted content is law of this document.
    """

    def __init__(self, plan: Plan, file: str, *, quotes: bool) -> None:
        self.nodes = [plan.root]
        self.links: list[Link] = []
        self.warnings: list[str] = []
        self.left_out: Counter[str] = Counter()
        self._plan, self._file = plan, file
        self._reader = Reader(quotes=quotes, left_out=self.left_out)
        self._seen: dict[str, ParsedNode] = {plan.root.urn: plan.root}
        self._parts: Counter[tuple[str, str]] = Counter()
        self._also: list[tuple[str, ParsedNode]] = []
        self._numbers: Counter[str] = Counter()
        self._inner: set[Element] = set()

    def read(self, tops: list[Element]) -> None:
        """Fill `nodes`, `links` and `warnings` from the elements that make up the document's body.

        Raises:
            IngestError: with file, line and cause.
        """
        plan = self._plan
        for top in tops:
            self._survey(top, plan.numbers)
        place = _Place(plan.root, plan.root.urn, plan.numbers, since=plan.enacted)
        self._body([item for top in tops for item in self._items(top)], place)
        self._finish()

    def number_of(self, element: Element) -> str:
        """The designator of a level; empty where it has none."""
        num = _first(element, "num")
        return "" if num is None else words.designator(num, self._words)

    def heading_of(self, element: Element) -> str:
        """The heading of a level, subheadings included."""
        parts = [self._words(part).text for part in element if local(part) in ("heading", "subheading")]
        return words.heading_text(collapse(" ".join(parts)))

    def _survey(self, top: Element, numbers: str) -> None:
        """Count the section numbers of each body of law, and note which elements hold sections."""
        waiting = [(top, numbers)]
        while waiting:
            element, base = waiting.pop()
            for child in element:
                name = local(child)
                if name in words.LEFT_OUT or name == "quotedContent":
                    continue
                if name in CITING:
                    held = child.getparent()
                    while held is not None and held not in self._inner:
                        self._inner.add(held)
                        held = held.getparent()
                if name in ("section", "courtRule"):
                    self._numbers[f"{base}:{words.citable(self.number_of(child))}"] += 1
                elif name == "chapter" and name in self._plan.running:
                    self._numbers[f"{base}:chapter_{words.citable(self.number_of(child))}"] += 1
                if name in _LEVELS and name not in ("section", "courtRule"):
                    own = self._restarts(child, base)
                    waiting.append((child, f"{base}:{self._container_segment(child)}" if own else base))

    def _restarts(self, element: Element, base: str) -> bool:
        name = local(element)
        if name == "level" and self._plan.identifier.endswith("a") and self._plan.law == "usc":
            return base == self._plan.numbers  # an act in an appendix that the publisher marks as a mere level
        return name in _OWN_NUMBERS

    # -- levels ---------------------------------------------------------------------------------------------------

    def _level(self, element: Element, place: _Place) -> ParsedNode:
        if place.nesting > MAX_NESTING:
            raise self._error(f"levels are nested deeper than {MAX_NESTING}", element)
        name = local(element)
        if place.citing:
            return self._paragraph(element, place)
        if name in ("section", "courtRule") or (element not in self._inner and self._has_words(element)):
            return self._section(element, place)
        return self._container(element, place)

    def _has_words(self, element: Element) -> bool:
        return any(local(part) not in _HEADERS and not self._silent(part) for part in element)

    def _silent(self, element: Element) -> bool:
        return local(element) in words.LEFT_OUT

    def _container_segment(self, element: Element) -> str:
        level, number = self._level_name(element), words.citable(self.number_of(element))
        return f"{words.word_slug(level)}_{number or words.word_slug(self.heading_of(element) or 'unnamed')}"

    def _level_name(self, element: Element) -> str:
        name = local(element)
        if name != "level":
            return words.spoken(name)
        if "SUBJGRP" in (element.get("style") or ""):
            return "subjgrp"
        return words.spoken((element.get("role") or name).split()[0])

    def _container(self, element: Element, place: _Place) -> ParsedNode:
        level, last = self._level_name(element), self._container_segment(element)
        base = place.base
        if level in self._plan.running and self._numbers[f"{place.numbers}:{last}"] < 2:
            base = place.numbers
        urn, suffix = self._free(f"{base}:{last}", element)
        number = self.number_of(element) or last.partition("_")[2]
        node = ParsedNode(
            urn, place.parent.urn, _TYPES.get(level, "PART") if level != "appendix" else "PART", level, number + suffix,
            self.heading_of(element), kind="section", line=element.sourceline,
        )  # fmt: skip
        if level == "part" and self._plan.law == "cfr":
            node.tags = {**self._plan.tags, "part": number}
        self._append(node, element)
        self._identify(node, element)
        self._annotations(node, element)
        numbers = urn if self._restarts(element, place.numbers) else place.numbers
        since = self._history(element) if self._plan.law == "cfr" else None
        inside = replace(
            place, parent=node, base=urn, numbers=numbers, nesting=place.nesting + 1, since=since or place.since
        )
        self._body(list(self._items(element)), inside)
        return node

    def _section(self, element: Element, place: _Place) -> ParsedNode:
        name, number, plan = local(element), self.number_of(element), self._plan
        inferred = not number and name == "section" and self._opens_act(place)
        if inferred:
            number = "1"
        own = words.citable(number)
        kind = _TYPES.get(name, "SECTION") if name in ("article", "appendix", "schedule") else "SECTION"
        if kind != "SECTION" or name not in CITING:
            base, own = place.base, self._container_segment(element)
        elif not own:
            base, own = place.base, self._next("p", place.base)
        else:
            base = place.numbers
            restarts = self._numbers[f"{base}:{own}"] > 1 and base != place.base and plan.law == "act"
            base = place.base if restarts else base
        urn, suffix = self._free(f"{base}:{own}", element)
        node = ParsedNode(
            urn, place.parent.urn, kind, self._level_name(element), (number or own.partition("_")[2] or own) + suffix,
            self.heading_of(element), tags=dict(plan.tags), line=element.sourceline,
        )  # fmt: skip
        key = {"ARTICLE": "article_number", "APPENDIX": "appendix"}.get(kind, "section_number")
        if number:
            node.tags["rule_number" if name == "courtRule" else key] = number
        if inferred:
            node.tags["number_inferred"] = "true"
        if part := place.parent.tags.get("part") or (number.partition(".")[0] if plan.law == "cfr" else ""):
            node.tags["part"] = part
        if suffix:
            node.tags["duplicate_of"] = urn.rpartition("~")[0]
        self._append(node, element)
        self._identify(node, element)
        self._annotations(node, element)
        for single in sections_of(number):
            self._also.append((f"{base}:{words.citable(single)}", node))
        node.valid_from = plan.enacted or self._history(element) or (place.since if plan.law == "cfr" else None)
        self._reader.footnotes = words.footnote_numbers(element)
        inside = _Place(node, urn, place.numbers, place.nesting + 1, 0, node.valid_from, citing=True)
        self._body(list(self._items(element)), inside)
        self._reader.footnotes = frozenset()
        return node

    def _opens_act(self, place: _Place) -> bool:
        """Whether an unnumbered section here is the first of an act, which the enacting clause runs into."""
        first = not any(node.structure_type == "SECTION" for node in self.nodes)
        return self._plan.law == "act" and first and not self._numbers[f"{place.numbers}:1"]

    def _paragraph(self, element: Element, place: _Place) -> ParsedNode:
        name, number = local(element), self.number_of(element)
        level = self._level_name(element)
        kind = _BY_DEPTH[min(place.depth, 4)] if self._plan.law == "cfr" else _TYPES.get(name, "ITEM")
        if kind in ("TITLE", "CHAPTER", "ARTICLE", "APPENDIX") or name in ("section", "level"):
            kind = _BY_DEPTH[min(place.depth, 4)]
        own = words.citable(number)
        node = self._provision(element, place, own, number, level, kind)
        node.heading = self.heading_of(element)
        self._identify(node, element)
        inside = replace(place, parent=node, base=node.urn, nesting=place.nesting + 1, depth=place.depth + 1)
        self._body(list(self._items(element)), inside)
        return node

    def _provision(
        self, element: Element, place: _Place, own: str, number: str, level: str, kind: str
    ) -> ParsedNode:  # fmt: skip
        urn, suffix = self._free(f"{place.base}:{own or self._next('p', place.base)}", element)
        node = ParsedNode(
            urn, place.parent.urn, kind, level, (number or urn.rpartition(":")[2].partition("~")[0]) + suffix,
            valid_from=place.since, line=element.sourceline,
        )  # fmt: skip
        if suffix:
            node.tags["duplicate_of"] = urn.rpartition("~")[0]
        self._append(node, element)
        return node

    # -- the words of a level -------------------------------------------------------------------------------------

    def _items(self, element: Element) -> Iterator[Element]:
        """The parts of a level that make up its text and children, in order."""
        if loose := words.stray(element.text):
            yield _carrier(element, loose.text)
        for part in element:
            name = local(part)
            if name not in _HEADERS and not (name != "quotedContent" and self._note_of_law(part)):
                if name in words.LEFT_OUT or name == "quotedContent":
                    if not self._reader.omits(part):
                        yield part
                else:
                    yield part
            elif self._note_of_law(part):
                yield part
            if loose := words.stray(part.tail):
                yield _carrier(element, loose.text)

    def _note_of_law(self, element: Element) -> bool:
        """Whether it is a note or footnote of the C.F.R., which its agency wrote."""
        name = local(element)
        if self._plan.law != "cfr" or name not in ("note", *words.FOOTNOTES):
            return False
        heading = _first(element, "heading")
        said = collapse("".join(heading.itertext())).lower() if heading is not None else ""
        editorial = said.startswith(("cross reference", "editorial note", "effective date"))
        return not editorial and element.get("role") != "approval" and element.get("topic") is None
