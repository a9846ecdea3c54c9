"""One document in United States Legislative Markup as nodes: containers, sections and their paragraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeAlias

from lxml import etree

from rag.ingest.formats import uslm_notes as notes
from rag.ingest.formats import uslm_text as words
from rag.ingest.formats.uslm_cites import sections_of
from rag.ingest.formats.uslm_defs import Defined, split_definitions
from rag.ingest.formats.uslm_text import Reader, Words
from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.nodes import Link, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import parse_urn

MAX_NESTING = 48  # levels of containers and paragraphs; published law reaches 16

_RULES = frozenset({"section", "courtRule"})
_LEVELS = _RULES | frozenset(
    {"article", "preliminary", "title", "subtitle", "chapter", "subchapter", "part", "subpart", "division",
     "subdivision", "subarticle", "level", "appendix", "schedule", "compiledAct", "courtRules", "reorganizationPlans",
     "reorganizationPlan", "presidentialDocs", "presidentialDoc", "subsection", "paragraph", "subparagraph", "clause",
     "subclause", "item", "subitem", "subsubitem"}
)  # fmt: skip
_TYPES = {
    "title": "TITLE", "subtitle": "TITLE", "chapter": "CHAPTER", "subchapter": "CHAPTER", "subsection": "SUBSECTION",
    "paragraph": "PARAGRAPH", "subparagraph": "SUBPARAGRAPH", "clause": "CLAUSE",
}  # fmt: skip
_BY_DEPTH = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM")
_PARAGRAPHS = frozenset(
    {"subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem", "subsubitem"}
)
_CITED = {"article": "ARTICLE", "appendix": "APPENDIX", "schedule": "APPENDIX"}
_NUMBER_TAGS = {"article": "article_number", "courtRule": "rule_number", "appendix": "appendix", "schedule": "schedule"}
# Acts, rules and plans printed together in one title: each numbers its sections anew.
_OWN_NUMBERS = frozenset({"compiledAct", "courtRules", "reorganizationPlan", "presidentialDoc"})
_HEADERS = frozenset({"num", "heading", "subheading"})


_Item: TypeAlias = Element | Words | Defined


@dataclass(frozen=True, slots=True)
class Plan:
    """What distinguishes one kind of document from another.

    Attributes:
        root: the document's root node, not yet given its text.
        numbers: the URN below which sections are numbered.
        tags: of every section.
        law: usc, cfr or act.
        running: container levels whose numbers run through the corpus, so that their URN follows `numbers`.
        edition: the publication's date; later dates in a history are not believed.
        enacted: first day in force of every node; None where each section states its own history.
        identifier: what the publisher's identifiers in this document begin with.
        appendix: whether it is an appendix of the U.S. Code, which prints several acts.
    """

    root: ParsedNode
    numbers: str
    tags: dict[str, str]
    law: str
    running: frozenset[str]
    edition: date | None
    enacted: date | None
    identifier: str
    appendix: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a child stands: its parent, the URN its own is built on, the URN that sections are numbered below."""

    parent: ParsedNode
    base: str
    numbers: str
    since: date | None = None
    nesting: int = 0
    depth: int = 0  # of a paragraph in its section
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
        self._plan, self._file = plan, file
        self._reader = Reader(quotes=quotes)
        self._seen: dict[str, ParsedNode] = {plan.root.urn: plan.root}
        self._aliases: set[str] = set(plan.root.aliases)
        self._parts: Counter[str] = Counter()
        self._also: list[tuple[str, ParsedNode]] = []
        self._numbers: Counter[str] = Counter()
        self._holding: set[Element] = set()  # levels that hold sections

    def read(self, tops: list[Element], title: Element | None) -> None:
        """Fill `nodes`, `links` and `warnings` from the document's body.

        Args:
            tops: the elements that make up the body; `main` and the title stand for what is in them.
            title: the element that the root node was made from, if any.

        Raises:
            IngestError: with file, line and cause.
        """
        plan = self._plan
        items: list[_Item] = []
        own_notes: list[Element] = []
        for top in tops:
            if top is title or local(top) not in _LEVELS:
                self._survey(list(top))
                found, below = self._items(top)
                items.extend(found)
                own_notes.extend(below)
            else:
                self._survey([top])
                items.append(top)
        self._body(items, own_notes, _Place(plan.root, plan.root.urn, plan.numbers, plan.enacted))
        if title is not None:
            self._beside(title, plan.root)
        self._finish()

    def _survey(self, levels: list[Element]) -> None:
        """Count the numbers of each body of law, and note which levels hold sections."""
        waiting = [(level, self._plan.numbers) for level in levels]
        while waiting:
            element, base = waiting.pop()
            name = local(element)
            if name not in _LEVELS or name in _PARAGRAPHS:
                continue
            own = words.citable(self._number(element))
            if name in _RULES or name == "article":
                held = element.getparent()
                while held is not None and held not in self._holding:
                    self._holding.add(held)
                    held = held.getparent()
            if name in _RULES:
                self._numbers[f"{base}:{own}"] += 1
                continue
            if name in self._plan.running:
                self._numbers[f"{base}:{name}_{own}"] += 1
            below = f"{base}:{self._container_segment(element)}" if self._restarts(element, base) else base
            waiting.extend((child, below) for child in element)

    def _restarts(self, element: Element, numbers: str) -> bool:
        """Whether the sections inside a level are numbered anew."""
        outermost = self._plan.appendix and numbers == self._plan.numbers
        return local(element) in _OWN_NUMBERS or (outermost and local(element) == "level")

    def _number(self, element: Element) -> str:
        num = notes.first(element, "num")
        return "" if num is None else words.designator(num)

    def _heading(self, element: Element) -> str:
        parts = [self._words(part).text for part in element if local(part) in ("heading", "subheading")]
        return words.heading_text(collapse(" ".join(parts)))

    def _words(self, element: Element) -> Words:
        try:
            return self._reader.read(element)
        except words.TooDeep as error:
            raise self._error(error.message, element) from None

    # -- levels ---------------------------------------------------------------------------------------------------

    def _level(self, element: Element, place: _Place) -> ParsedNode:
        if place.nesting > MAX_NESTING:
            raise self._error(f"levels are nested deeper than {MAX_NESTING}", element)
        if place.citing or local(element) in _PARAGRAPHS:
            return self._paragraph(element, place)
        if local(element) in _RULES or (element not in self._holding and self._has_words(element)):
            return self._section(element, place)
        return self._container(element, place)

    def _has_words(self, element: Element) -> bool:
        return any(local(part) not in _HEADERS and not self._reader.silent(part) for part in element)

    def _level_name(self, element: Element) -> str:
        name = local(element)
        if name != "level":
            return words.spoken(name)
        if "SUBJGRP" in (element.get("style") or ""):
            return "subjgrp"  # as the eCFR has it
        return words.spoken(((element.get("role") or name).split() or [name])[0])

    def _container_segment(self, element: Element) -> str:
        number = words.citable(self._number(element)) or words.word_slug(self._heading(element) or "unnamed")
        return f"{words.word_slug(self._level_name(element))}_{number}"

    def _container(self, element: Element, place: _Place) -> ParsedNode:
        level, last, plan = self._level_name(element), self._container_segment(element), self._plan
        running = level in plan.running and self._numbers[f"{place.numbers}:{last}"] < 2
        urn, suffix = self._free(f"{place.numbers if running else place.base}:{last}", element)
        node = ParsedNode(
            urn, place.parent.urn, _TYPES.get(local(element), "PART"), level,
            (self._number(element) or last.partition("_")[2]) + suffix, self._heading(element), kind="section",
            line=element.sourceline,
        )  # fmt: skip
        if level == "part" and plan.law == "cfr":
            node.tags = {**plan.tags, "part": node.number}
        self._append(node, element)
        numbers = urn if self._restarts(element, place.numbers) else place.numbers
        since = self._history(element, node) if plan.law == "cfr" else None
        inside = _Place(node, urn, numbers, since or place.since, place.nesting + 1)
        self._body(*self._items(element), inside)
        self._beside(element, node)
        return node

    def _section(self, element: Element, place: _Place) -> ParsedNode:
        name, number, plan = local(element), self._number(element), self._plan
        inferred = not number and name == "section" and self._opens_act(place)
        number = "1" if inferred else number
        base, own = place.base, words.citable(number)
        if name not in _RULES:
            own = self._container_segment(element)
        elif not own:
            own = self._next("p", base)
        elif self._numbers[f"{place.numbers}:{own}"] < 2 or plan.law != "act":
            base = place.numbers
        urn, suffix = self._free(f"{base}:{own}", element)
        node = ParsedNode(
            urn, place.parent.urn, _CITED.get(name, "SECTION"), self._level_name(element),
            (number or own.partition("_")[2] or own) + suffix, self._heading(element), tags=dict(plan.tags),
            line=element.sourceline,
        )  # fmt: skip
        if number:
            node.tags[_NUMBER_TAGS.get(name, "section_number")] = number
        if inferred:
            node.tags["number_inferred"] = "true"
        if plan.law == "cfr" and (part := place.parent.tags.get("part") or number.partition(".")[0]):
            node.tags["part"] = part
        self._append(node, element)
        self._also.extend((f"{base}:{words.citable(single)}", node) for single in sections_of(number))
        node.valid_from = plan.enacted or self._history(element, node) or (place.since if plan.law == "cfr" else None)
        self._reader.footnotes = words.footnote_numbers(element)
        inside = _Place(node, urn, place.numbers, node.valid_from, place.nesting + 1, citing=True)
        self._body(*self._items(element), inside)
        self._reader.footnotes = frozenset()
        self._beside(element, node)
        return node

    def _opens_act(self, place: _Place) -> bool:
        """Whether an unnumbered section here is the first of an act: the enacting clause runs into it."""
        first = not any(node.structure_type == "SECTION" for node in self.nodes)
        return self._plan.law == "act" and first and not self._numbers[f"{place.numbers}:1"]

    def _paragraph(self, element: Element, place: _Place) -> ParsedNode:
        number, by_depth = self._number(element), _BY_DEPTH[min(place.depth, 4)]
        kind = by_depth if self._plan.law == "cfr" or local(element) not in _PARAGRAPHS else "ITEM"
        if kind == "ITEM":
            kind = _TYPES.get(local(element), "ITEM")
        node = self._provision(element, place, number, self._level_name(element), kind)
        node.heading = self._heading(element)
        inside = replace(
            place, parent=node, base=node.urn, nesting=place.nesting + 1, depth=place.depth + 1, citing=True
        )
        self._body(*self._items(element), inside)
        if stub := notes.status(element, node.heading, words=bool(node.text) or self.nodes[-1] is not node):
            node.tags["status"] = stub
        self._editorial(element, node)
        return node

    def _provision(self, element: Element | None, place: _Place, number: str, level: str, kind: str) -> ParsedNode:
        """Append a numbered or unnumbered paragraph below its parent."""
        own = words.citable(number) or self._next("p", place.base)
        urn, suffix = self._free(f"{place.base}:{own}", element)
        node = ParsedNode(
            urn, place.parent.urn, kind, level, (number if words.citable(number) else own) + suffix,
            valid_from=place.since, line=place.parent.line if element is None else element.sourceline,
        )  # fmt: skip
        self._append(node, element)
        return node

    # -- the words of a level -------------------------------------------------------------------------------------

    def _items(self, element: Element) -> tuple[list[_Item], list[Element]]:
        """The levels and texts that make up a level, in order, and the notes in them that are law."""
        items: list[_Item] = [words.stray(element.text)]
        own_notes: list[Element] = []
        for part in element:
            if local(part) in _LEVELS:
                items.append(part)
            elif local(part) not in _HEADERS:
                own_notes.extend(self._rule_notes(part))
                if not self._reader.omits(part):
                    items.extend(self._text(part, element))
            items.append(words.stray(part.tail))
        return [item for item in items if not isinstance(item, Words) or item], own_notes

    def _rule_notes(self, part: Element) -> Iterator[Element]:
        if self._plan.law != "cfr":
            return
        for note in part.iter(etree.Element):
            if notes.is_rule_note(note) and not any(held in self._reader.kept for held in note.iterancestors()):
                self._reader.kept.add(note)
                yield note

    def _body(self, items: list[_Item], own_notes: list[Element], place: _Place) -> None:
        """Give `place.parent` its lead-in and flush text, and read what stands between them in order."""
        marks = [index for index, item in enumerate(items) if not isinstance(item, Words)] or [0, -1]
        lead, middle, flush = items[: marks[0]], items[marks[0] : marks[-1] + 1], items[marks[-1] + 1 :]
        self._set_text(place.parent, _joined(lead), _joined(flush))
        first, group = next((local(item) for item in middle if etree.iselement(item)), ""), place
        for item in middle:
            if isinstance(item, Defined):
                self._definition(item, place)
            elif isinstance(item, Words):
                loose = self._provision(None, place, "", "paragraph", _BY_DEPTH[min(place.depth, 4)])
                self._set_text(loose, Words(), item)
                group = replace(place, parent=loose, base=loose.urn, depth=place.depth + 1, nesting=place.nesting + 1)
            elif group is not place and place.citing and local(item) != first:
                # A list of another level after words of its own: those words are its lead-in.
                group.parent.intro_text, group.parent.content_text = group.parent.text, ""
                below = self._level(item, group)
                self._also.append((f"{place.base}:{below.urn.rpartition(':')[2]}", below))
            else:
                group = place
                self._level(item, place)
        for note in own_notes:
            self._note(note, place)

    def _set_text(self, node: ParsedNode, lead: Words, flush: Words) -> None:
        node.intro_text, node.content_text = lead.text, flush.text
        offset = len(lead.text) + 1 if lead.text else 0
        node.marks = [*lead.marks, *words.shifted(flush.marks, offset)]
        if images := lead.images + flush.images:
            self._warn(f"{node.urn}: {images} images have no words; {words.IMAGE} marks their place", None)

    def _text(self, part: Element, level: Element) -> list[_Item]:
        """The words of a part of a level; a list of definitions in the level's own text is split at its terms."""
        alone = self._plan.law != "act" and not any(local(one) in _LEVELS for one in level)
        if alone and local(part) == "content":
            split = split_definitions(part, self._heading(level), self._words)
            if split is not None:
                return [split[0], *split[1]]
        return [self._words(part)]

    def _definition(self, item: Defined, place: _Place) -> None:
        term = words.word_slug(item.term)
        urn, suffix = self._free(f"{place.base}:{term}", None)
        node = ParsedNode(
            urn, place.parent.urn, "DEFINITION", "definition", term + suffix, valid_from=place.since, line=item.line
        )
        self._append(node, None)
        self._set_text(node, Words(), item.words)

    def _note(self, element: Element, place: _Place) -> None:
        node = self._provision(element, place, self._next("note", place.base), "note", "NOTE")
        node.heading = self._heading(element)
        self._set_text(node, Words(), self._reader.read_note(element))

    # -- what stands beside them ----------------------------------------------------------------------------------

    def _beside(self, element: Element, node: ParsedNode) -> None:
        """Identifiers, status, flags and authority of a container or section whose words are read."""
        held = self.nodes[-1] is not node
        if stub := notes.status(element, node.heading, words=bool(node.text) or held):
            node.tags["status"] = stub
        node.tags.update(notes.flags(element))
        self._editorial(element, node)
        for statement, single in notes.authorities(element):
            node.tags["authority"] = f"{node.tags['authority']}; {statement}" if "authority" in node.tags else statement
            self.links.extend(Link(node.urn, "enabled_by", one) for one in single)

    def _editorial(self, element: Element, node: ParsedNode) -> None:
        if not node.text and (said := list(notes.editorial(element))):
            node.tags["editorial_note"] = " ".join(said)

    def _history(self, element: Element, node: ParsedNode) -> date | None:
        """The latest day that the history names: the nearest thing to a first day in force that it states."""
        days, edition = notes.history_dates(element), self._plan.edition
        late = [day for day in days if edition and day > edition]
        if late:
            self._warn(f"{node.urn}: its history names {max(late)}, after the edition of {edition}; left out", element)
        return max((day for day in days if day not in late), default=None)

    def _identify(self, node: ParsedNode, element: Element) -> None:
        """Keep the publisher's identifiers; a level that stands for several sections lists theirs."""
        ours = self._plan.identifier
        for identifier in (element.get("identifier") or "").split():
            if not ours or not identifier.startswith(f"{ours}/"):
                continue  # the rules of court of every title begin alike, `/us/usc/rule1`
            if identifier in self._aliases:
                self._warn(f"the identifier of {node.urn} stands on an earlier level too and resolves to it", element)
                continue
            for alias in dict.fromkeys((words.ascii_dashes(identifier), identifier)):
                self._aliases.add(alias)
                node.aliases.append(alias)

    def _next(self, kind: str, base: str) -> str:
        self._parts[f"{base}:{kind}"] += 1
        return f"{kind}.{self._parts[f'{base}:{kind}']}"

    def _append(self, node: ParsedNode, element: Element | None) -> None:
        try:
            parse_urn(node.urn)
        except InputError as error:
            raise self._error(f"{node.level} {node.number[:40]} has no URN. {error.message}", element) from None
        if "~" in node.urn.rpartition(":")[2]:
            node.tags["duplicate_of"] = node.urn.rpartition("~")[0]
        self._seen[node.urn] = node
        self.nodes.append(node)
        if element is not None:
            self._identify(node, element)

    def _free(self, urn: str, element: Element | None) -> tuple[str, str]:
        """A URN for this provision: its own, or with a suffix where an earlier one has the same number."""
        if urn not in self._seen:
            return urn, ""
        self._parts[urn] += 1
        suffix = f"~{self._parts[urn] + 1}"
        self._warn(f"a second {urn} (first at line {self._seen[urn].line}) is kept as {urn}{suffix}", element)
        return urn + suffix, suffix

    def _finish(self) -> None:
        claims = Counter(urn for urn, _ in self._also)
        for urn, node in self._also:
            if claims[urn] == 1 and urn not in self._seen:
                node.aliases.append(urn)
        for kind, count in sorted(self._reader.left_out.items()):
            self._warn(f"left out on purpose: {count} {kind}", None)

    def _warn(self, message: str, element: Element | None) -> None:
        line = "" if element is None else f":{element.sourceline}"
        self.warnings.append(f"{self._file}{line}: {message}")

    def _error(self, cause: str, element: Element | None) -> IngestError:
        return IngestError(cause, file=self._file, line=None if element is None else element.sourceline)


def _joined(items: list[_Item]) -> Words:
    return words.join(item for item in items if isinstance(item, Words))
