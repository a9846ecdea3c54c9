"""One document in United States Legislative Markup as nodes: containers, sections and their paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeAlias

from lxml import etree

from rag.ingest.formats import history
from rag.ingest.formats.tree import LEVELS_BELOW, TreeBuilder, split_body
from rag.ingest.formats.uscode import levels, notes
from rag.ingest.formats.uscode import text as words
from rag.ingest.formats.uscode.cites import sections_of
from rag.ingest.formats.uscode.levels import Plan, Survey
from rag.ingest.formats.uscode.text import LEFT_OUT, Reader
from rag.ingest.formats.xml import MAX_NESTING, Element, local
from rag.ingest.formats.xml_text import IMAGE, Rich, join, set_text
from rag.law.nodes import Link, ParsedNode
from retrieval.paths import slug

# Lists of definitions without numbers: one paragraph after another that opens with its term.

_HEADING = re.compile(r"\b(?:definitions?|defined|meanings?\s+of|words\s+and\s+phrases)\b", re.IGNORECASE)
_QUOTED = re.compile(
    r"(?:(?:An?|The|To|In|As used in this \w+,)\s+)?(?:terms?\s+)?(?:[\w’'-]+ ){0,3}?“([^“”]{1,80}?),?”"
)
_INDENT = re.compile(r"(?:\A|\s)indent(\d)")


@dataclass(frozen=True, slots=True)
class Defined:
    """One definition: its term as printed, its words, and the line it begins on."""

    term: str
    words: Rich
    line: int | None


def split_definitions(
    content: Element, heading: str, read: Callable[[Element], Rich], omits: Callable[[Element], bool]
) -> tuple[Rich, list[Defined]] | None:
    """Split a list of definitions at its terms; a paragraph that opens with no term goes on with the one before it.

    Args:
        content: an element whose children are paragraphs.
        heading: of its section; only one that speaks of definitions has such a list.
        omits: whether an element is left out of the text; told of every one that is.

    Returns:
        The words before the first definition, and the definitions: none where fewer than two paragraphs open with a
        term, and then all words come first. None where the element is of another kind; it is then not yet read.
    """
    parts = list(content)
    whole = not (content.text or "").strip() and not any((part.tail or "").strip() for part in parts)
    if (
        not whole
        or not _HEADING.search(heading)
        or not all(local(part) == "p" or local(part) in LEFT_OUT for part in parts)
    ):
        return None
    lead: list[Rich] = []
    outer = 0
    found: list[tuple[str, list[Rich], int | None]] = []
    for part in parts:
        if omits(part):
            continue
        text = read(part)
        indent = _INDENT.search(part.get("class") or "")
        inset = int(indent[1]) if indent else 0
        # A paragraph set in further than the first term is an item of the definition it is in.
        term = _term(text) if not found or inset <= outer else ""
        outer = outer if found or not term else inset
        if term:
            found.append((term, [text], part.sourceline))
        elif found:
            found[-1][1].append(text)
        else:
            lead.append(text)
    if len(found) < 2:
        return join([*lead, *(text for _, texts, _ in found for text in texts)]), []
    return join(lead), [Defined(term, join(texts), line) for term, texts, line in found]


def _term(text: Rich) -> str:
    quoted = _QUOTED.match(text.text)
    if quoted:
        return quoted[1]
    for mark in text.marks:
        if mark.start == 0 and mark.kind in ("italic", "term") and mark.end < len(text.text):
            return text.text[: mark.end].strip(" .:—,")
    return ""


_Item: TypeAlias = Element | Rich | Defined


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


class UslmTree(TreeBuilder):
    """Builds the nodes of one document.

    Args:
        quotes: whether quoted content is law of this document.
    """

    def __init__(self, plan: Plan, file: str, *, quotes: bool) -> None:
        super().__init__(file)
        self.nodes.append(plan.root)
        self._seen[plan.root.urn] = plan.root
        self.links: list[Link] = []
        self._plan = plan
        self._reader = Reader(quotes=quotes)
        self._aliases: set[str] = set(plan.root.aliases)
        self._survey = Survey(plan, self._reader.read)
        self._opened = False  # a section was read

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
            if top is title or local(top) not in levels.LEVELS:
                self._survey.add(list(top))
                found, below = self._items(top)
                items.extend(found)
                own_notes.extend(below)
            else:
                self._survey.add([top])
                items.append(top)
        self._body(items, own_notes, _Place(plan.root, plan.root.urn, plan.numbers, plan.enacted))
        if title is not None:
            self._beside(title, plan.root)
        self._settle()
        for kind, count in sorted(self._reader.left_out.items()):
            self._warn(f"left out on purpose: {count} {kind}", None)

    # -- levels ---------------------------------------------------------------------------------------------------

    def _level(self, element: Element, place: _Place) -> ParsedNode:
        if place.nesting > MAX_NESTING:
            raise self._error(f"levels are nested deeper than {MAX_NESTING}", element)
        if place.citing or local(element) in levels.PARAGRAPHS:
            return self._paragraph(element, place)
        if local(element) in levels.RULES or self._is_rule(element):
            return self._section(element, place)
        return self._container(element, place)

    def _is_rule(self, element: Element) -> bool:
        """Whether a level that could hold sections has words or paragraphs of its own instead."""
        parts = [part for part in element if local(part) not in levels.HEADERS and not self._reader.silent(part)]
        inner = any(local(part) in levels.LEVELS - levels.PARAGRAPHS for part in parts)
        return bool(parts) and not inner and element not in self._survey.holding

    def _container(self, element: Element, place: _Place) -> ParsedNode:
        level, last, plan = levels.level_name(element), self._survey.segment(element), self._plan
        running = level in plan.running and self._survey.numbers[f"{place.numbers}:{last}"] < 2
        urn, suffix = self._free(f"{place.numbers if running else place.base}:{last}", element)
        node = ParsedNode(
            urn, place.parent.urn, levels.TYPES.get(local(element), "PART"), level,
            (levels.number(element) or last.partition("_")[2]) + suffix, self._survey.heading(element), kind="section",
            line=element.sourceline,
        )  # fmt: skip
        if level == "part" and plan.law == "cfr":
            node.tags = {**plan.tags, "part": node.number}
        self._append(node)
        self._identify(node, element)
        numbers = urn if self._survey.restarts(element, place.numbers) else place.numbers
        since = self._history(element, node) if plan.law == "cfr" else None
        inside = _Place(node, urn, numbers, since or place.since, place.nesting + 1)
        self._body(*self._items(element), inside)
        self._beside(element, node)
        return node

    def _section(self, element: Element, place: _Place) -> ParsedNode:
        name, number, plan = local(element), levels.number(element), self._plan
        inferred = not number and name == "section" and self._opens_act(place)
        self._opened = True
        number = "1" if inferred else number
        base, own = place.base, words.citable(number)
        if name not in levels.RULES:
            own = self._survey.segment(element)
        elif not own:
            own = self._numbered(base, "p")
        elif self._survey.numbers[f"{place.numbers}:{own}"] < 2 or plan.law != "act":
            base = place.numbers
        urn, suffix = self._free(f"{base}:{own}", element)
        node = ParsedNode(
            urn, place.parent.urn, levels.CITED.get(name, "SECTION"), levels.level_name(element),
            (number or own.partition("_")[2] or own) + suffix, self._survey.heading(element), tags=dict(plan.tags),
            line=element.sourceline,
        )  # fmt: skip
        if number:
            node.tags[levels.NUMBER_TAGS.get(name, "section_number")] = number
        if inferred:
            node.tags["number_inferred"] = "true"
        if plan.law == "cfr" and (part := place.parent.tags.get("part") or number.partition(".")[0]):
            node.tags["part"] = part
        self._append(node)
        self._identify(node, element)
        self._also.extend((f"{base}:{words.citable(single)}", node) for single in sections_of(number))
        node.valid_from = plan.enacted or self._history(element, node)
        if plan.law == "cfr" and node.valid_from is None and not notes.history_elsewhere(element):
            node.valid_from = place.since  # what a part's source note says holds for its sections
        self._reader.footnotes = words.footnote_numbers(element)
        inside = _Place(node, urn, place.numbers, node.valid_from, place.nesting + 1, citing=True)
        self._body(*self._items(element), inside)
        self._reader.footnotes = frozenset()
        self._beside(element, node)
        return node

    def _opens_act(self, place: _Place) -> bool:
        """Whether an unnumbered section here is the first of an act: the enacting clause runs into it."""
        return self._plan.law == "act" and not self._opened and not self._survey.numbers[f"{place.numbers}:1"]

    def _paragraph(self, element: Element, place: _Place) -> ParsedNode:
        number, by_depth = levels.number(element), LEVELS_BELOW[min(place.depth, 4)]
        kind = by_depth if self._plan.law == "cfr" or local(element) not in levels.PARAGRAPHS else "ITEM"
        if kind == "ITEM":
            kind = levels.TYPES.get(local(element), "ITEM")
        node = self._provision(element, place, number, levels.level_name(element), kind)
        node.heading = self._survey.heading(element)
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
        own = words.citable(number) or self._numbered(place.base, "p")
        line = place.parent.line if element is None else element.sourceline
        urn, suffix = self._free(f"{place.base}:{own}", line)
        node = ParsedNode(
            urn, place.parent.urn, kind, level, (number if words.citable(number) else own) + suffix,
            valid_from=place.since, line=line,
        )  # fmt: skip
        self._append(node)
        if element is not None:
            self._identify(node, element)
        return node

    # -- the words of a level -------------------------------------------------------------------------------------

    def _items(self, element: Element) -> tuple[list[_Item], list[Element]]:
        """The levels and texts that make up a level, in order, and the notes in them that are law."""
        items: list[_Item] = [words.stray(element.text)]
        own_notes: list[Element] = []
        for part in element:
            if local(part) in levels.LEVELS:
                items.append(part)
            elif local(part) not in levels.HEADERS:
                own_notes.extend(self._rule_notes(part))
                if not self._reader.omits(part):
                    items.extend(self._text(part, element))
            items.append(words.stray(part.tail))
        return [item for item in items if not isinstance(item, Rich) or item], own_notes

    def _rule_notes(self, part: Element) -> Iterator[Element]:
        if self._plan.law != "cfr":
            return
        for note in part.iter(etree.Element):
            if notes.is_rule_note(note) and not any(held in self._reader.kept for held in note.iterancestors()):
                self._reader.kept.add(note)
                yield note

    def _body(self, items: list[_Item], own_notes: list[Element], place: _Place) -> None:
        """Give `place.parent` its lead-in and flush text, and read what is between them in order."""
        lead, middle, flush = split_body(items)
        self._set_text(place.parent, lead, flush)
        first, group = next((local(item) for item in middle if etree.iselement(item)), ""), place
        for item in middle:
            if isinstance(item, Defined):
                self._definition(item, place)
            elif isinstance(item, Rich):
                loose = self._provision(None, place, "", "paragraph", LEVELS_BELOW[min(place.depth, 4)])
                self._set_text(loose, Rich(), item)
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

    def _set_text(self, node: ParsedNode, lead: Rich, flush: Rich) -> None:
        set_text(node, lead, flush)
        if images := len(lead.aside) + len(flush.aside):
            self._warn(f"{node.urn}: {images} images have no words; {IMAGE} marks their place", None)

    def _text(self, part: Element, level: Element) -> list[_Item]:
        """The words of a part of a level; a list of definitions in the level's own text is split at its terms."""
        alone = self._plan.law != "act" and not any(local(child) in levels.LEVELS for child in level)
        if alone and local(part) == "content":
            split = split_definitions(part, self._survey.heading(level), self._reader.read, self._reader.omits)
            if split is not None:
                return [split[0], *split[1]]
        return [self._reader.read(part)]

    def _definition(self, item: Defined, place: _Place) -> None:
        term = slug(item.term)
        urn, suffix = self._free(f"{place.base}:{term}", item.line)
        node = ParsedNode(
            urn, place.parent.urn, "DEFINITION", "definition", term + suffix, valid_from=place.since, line=item.line
        )
        self._append(node)
        self._set_text(node, Rich(), item.words)

    def _note(self, element: Element, place: _Place) -> None:
        node = self._provision(element, place, self._numbered(place.base, "note"), "note", "NOTE")
        node.heading = self._survey.heading(element)
        self._set_text(node, Rich(), self._reader.read_note(element))

    # -- what is beside them ----------------------------------------------------------------------------------

    def _beside(self, element: Element, node: ParsedNode) -> None:
        """Identifiers, status, flags and authority of a container or section whose words are read."""
        held = self.nodes[-1] is not node
        if stub := notes.status(element, node.heading, words=bool(node.text) or held):
            node.tags["status"] = stub
        node.tags.update(notes.flags(element))
        self._editorial(element, node)
        self.links += history.in_order(node.urn, notes.credits(element), repealed=node.tags.get("status") == "repealed")
        for statement, single in notes.authorities(element):
            node.tags["authority"] = f"{node.tags['authority']}; {statement}" if "authority" in node.tags else statement
            self.links.extend(Link(node.urn, "enabled_by", name) for name in single)

    def _editorial(self, element: Element, node: ParsedNode) -> None:
        if not node.text and (said := list(notes.editorial(element))):
            node.tags["editorial_note"] = " ".join(said)

    def _history(self, element: Element, node: ParsedNode) -> date | None:
        """The latest day that the history names: the nearest thing to a first day in force that it states."""
        if notes.history_elsewhere(element):
            return None
        days, edition = notes.history_dates(element), self._plan.edition
        late = [day for day in days if edition and day > edition]
        if late:
            self._warn(
                f"{node.urn}: its history names {max(late)}, after the edition of {edition}; left out",
                element.sourceline,
            )
        return max((day for day in days if day not in late), default=None)

    def _identify(self, node: ParsedNode, element: Element) -> None:
        """Keep the publisher's identifiers; a level that stands for several sections lists theirs."""
        ours = self._plan.identifier
        for identifier in (element.get("identifier") or "").split():
            if not ours or not identifier.startswith(f"{ours}/"):
                continue  # the rules of court of every title begin alike, `/us/usc/rule1`
            if identifier in self._aliases:
                self._warn(
                    f"the identifier of {node.urn} stands on an earlier level too and resolves to it",
                    element.sourceline,
                )
                continue
            for alias in dict.fromkeys((words.ascii_dashes(identifier), identifier)):
                self._aliases.add(alias)
                node.aliases.append(alias)
