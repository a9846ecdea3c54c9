"""One title of the D.C. Code as nodes: containers, sections and paragraphs in the publisher's order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from lxml import etree

from rag.ingest.formats import history
from rag.ingest.formats.dc_xml import text as words
from rag.ingest.formats.dc_xml.text import CORPUS_URN, section_path
from rag.ingest.formats.tree import LEVELS_BELOW, split_body
from rag.ingest.formats.xml import MAX_NESTING, Element, collapse, local
from rag.ingest.formats.xml_text import Rich, join, loose, set_text, shifted
from rag.law.nodes import Link, Mark, ParsedNode
from retrieval.errors import IngestError, InputError
from retrieval.paths import parse_urn, segment, slug

# Cite paths of the D.C. Code as URNs: sections by their number, containers by place, subheadings that group.

SUBHEADING = "subheading"

_LEVELS = ("title", "subtitle", "division", "chapter", "subchapter", "article", "part", "subpart", "unit", "subunit")
# What the places of a cite path mean where the words do not say: nearly every title is divided like this.
_USUAL_LEVELS = ("chapter", "subchapter", "part", "subpart")
_SECTION_PATH = re.compile(r"§+\s*(\d+[A-Za-z]?[:-].+)", re.DOTALL)
_TITLE_NUMBER = re.compile(r"\d+[A-Za-z]?", re.ASCII)
_LEVEL_AND_NUMBER = re.compile(rf"\b({'|'.join(_LEVELS[1:])})\s+([0-9A-Za-z-]+)", re.IGNORECASE)
_SUBHEADING = re.compile(rf"({'|'.join(_LEVELS[1:])})\s+([0-9A-Za-z][0-9A-Za-z-]*)\s*[.:—–]\s*(.*)", re.I | re.S)


def split_subheading(text: str) -> tuple[str, str, str]:
    """Level, number and heading of a subheading.

    `Unit A. Definitions.` gives `("unit", "A", "Definitions.")`; one without a designator is its own heading at
    the level `subheading`, number empty.
    """
    match = _SUBHEADING.fullmatch(text)
    return (match[1].lower(), match[2], match[3]) if match else (SUBHEADING, "", text)


def ends_group(group: str, level: str, *, subheading: bool) -> bool:
    """Whether a subheading's group of level `group` ends before what follows, a subheading or of level `level`.

    Any subheading ends a group without designator. Of two known levels the outer or an equal one ends the inner.
    A section (level empty) and a container of an unknown level belong to the group they are in.
    """
    if group == SUBHEADING:
        return subheading
    return level in _LEVELS and _LEVELS.index(level) <= _LEVELS.index(group)


class Containers:
    """The containers of one title, to find what a cite path such as `28|II|49` names."""

    def __init__(self, title: ParsedNode) -> None:
        self._title = title
        self._nodes = {title.urn: title}
        self._inside: dict[str, list[tuple[str, str]]] = {}
        self._groups: set[str] = set()

    def add(self, node: ParsedNode, number: str, *, group: bool) -> None:
        """Take a container in, with its printed number; `group` where a subheading and no container makes it."""
        self._nodes[node.urn] = node
        self._inside.setdefault(node.parent_urn or "", []).append((number.casefold(), node.urn))
        if group:
            self._groups.add(node.urn)

    def target(self, path: str, words: str, citing: str) -> str:
        """The URN that a cite path to a container names.

        Args:
            path: `42|35|III`, or relative to where it stands: `subtitle|36`.
            words: the words of the cite.
            citing: the URN of the container that the citing section is in.

        Returns:
            The URN; empty where this title has no such container, two of them, or the path is of another kind.
        """
        first, *rest = [place.strip().casefold() for place in path.split("|")]
        if first == self._title.number.casefold():
            return self._below(self._title.urn, rest)
        if first in _LEVELS:
            node = self._nodes.get(citing)
            while node is not None and node.level != first:
                node = self._nodes.get(node.parent_urn or "")
            return self._below(node.urn, rest) if node else ""
        return other_title(path.split("|"), words) if _TITLE_NUMBER.fullmatch(first) else ""

    def _below(self, urn: str, numbers: list[str]) -> str:
        for number in numbers:
            found = self._numbered(urn, number)
            if len(found) != 1:
                return ""
            urn = found[0]
        return urn

    def _numbered(self, urn: str, number: str) -> list[str]:
        """The containers of this number inside `urn`; a path may leave out a group but no container."""
        inside = self._inside.get(urn, [])
        found = [child for own, child in inside if own == number]
        if found:
            return found
        return [name for _, child in inside if child in self._groups for name in self._numbered(child, number)]


def section_cite(path: str) -> str:
    """The URN of a cite path to a section or below (`§42-3502.05|(a)|(4)`); empty where it is not one."""
    match = _SECTION_PATH.fullmatch(path.strip())
    if match is None:
        return ""
    number, *designators = match[1].split("|")
    try:
        return parse_urn(
            ":".join((CORPUS_URN, section_path(number), *(segment(designator) for designator in designators)))
        ).text
    except InputError:
        return ""


def other_title(numbers: list[str], words: str) -> str:
    """The URN of a cite path to a container of a title that is not at hand, so that its levels must be inferred.

    Args:
        numbers: the path's places, title first: `["2", "5", "I"]`.
        words: the cite's words, `subchapter I of Chapter 5 of Title 2`; they name the levels where they can.

    Returns:
        The URN, with the usual levels where the words name none; empty where there are more places than those.
    """
    said = [(level.lower(), number.casefold()) for level, number in reversed(_LEVEL_AND_NUMBER.findall(words))]
    agrees = [number for _, number in said] == [number.strip().casefold() for number in numbers[1:]]
    levels = [level for level, _ in said] if agrees else list(_USUAL_LEVELS[: len(numbers) - 1])
    if len(levels) != len(numbers) - 1:
        return ""
    try:
        places = [f"{level}_{segment(number)}" for level, number in zip(("title", *levels), numbers, strict=True)]
        return parse_urn(":".join((CORPUS_URN, *places))).text
    except InputError:
        return ""


XI_INCLUDE = "{http://www.w3.org/2001/XInclude}include"

_HEADERS = frozenset({"prefix", "num", "heading", "reason"})
_IN_SECTION = frozenset({"para", "subsection", "container"})
_IN_CONTAINER = _IN_SECTION | {"section", "subheading"}
_CONTAINER_TYPES = {"title": "TITLE", "subtitle": "TITLE", "chapter": "CHAPTER", "subchapter": "CHAPTER"}
# Notes that say the printed words are not, or not yet, or not for long, the law: a reader has to see them.
_FLAGS = ("Emergency Legislation", "Temporary Legislation", "Applicability", "Expiration of Law")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a child stands: its parent, the URNs it may be addressed below (its own first), and its file."""

    parent: ParsedNode
    bases: tuple[str, ...]
    file: Path
    nesting: int = 0
    since: date | None = None  # latest history date of the section
    depth: int = 0  # index into `LEVELS_BELOW`
    rank: int = 0  # 0 subsection, 1 paragraph ...


class TitleTree:
    """Builds the nodes of one title.

    Args:
        load: reads what an `xi:include` of a file names; gives its path and root element.
    """

    def __init__(self, load: Callable[[Element, Path], tuple[Path, Element]], name: Callable[[Path], str]) -> None:
        self.nodes: list[ParsedNode] = []
        self.links: list[Link] = []
        self.warnings: list[str] = []
        self._load, self._name = load, name
        self._seen: dict[str, tuple[ParsedNode, str]] = {}
        self._unnumbered: Counter[str] = Counter()
        self._also: list[tuple[str, ParsedNode]] = []

    def read(self, root: Element, file: Path) -> None:
        """Fill `nodes` and `warnings` from the title's root element."""
        number = words.designator(_word(root, "num"))
        node = ParsedNode(
            urn=f"{words.CORPUS_URN}:title_{self._citable(segment, number, root, file)}", parent_urn=words.CORPUS_URN,
            structure_type="TITLE", level="title", number=number, heading=_heading(root), kind="section",
            tags={"code": words.CODE, "title": number}, line=root.sourceline,
        )  # fmt: skip
        if root.get("enacted") == "true":
            node.tags["enacted"] = "true"
        self._containers = Containers(node)
        self._append(node, root, file)
        self._container_body(root, _Place(node, (node.urn,), file))
        self._finish()

    def _container(self, element: Element, place: _Place) -> None:
        level = collapse(_word(element, "prefix")).lower() or "container"
        number = words.designator(_word(element, "num"))
        inside = self._open(element, place, (level, number, _heading(element)), group=False)
        self._container_body(element, inside)

    def _open(self, element: Element, place: _Place, title: tuple[str, str, str], *, group: bool) -> _Place:
        """Append a container, or the group that a subheading makes; where its children stand."""
        level, number, heading = title
        own = self._citable(segment, number, element, place.file) if number else slug(heading)
        # A group is no part of its children's URNs, for cites leave it out, unless two groups hold one designator.
        urns = [f"{base}:{slug(level)}_{own}" for base in place.bases]
        free = [urn for urn in urns if urn not in self._seen]
        urn, suffix = (free[0], "") if free else self._second(urns[0], element, place.file)
        node = ParsedNode(
            urn=urn, parent_urn=place.parent.urn, structure_type=_CONTAINER_TYPES.get(level, "PART"), level=level,
            number=(number or own) + suffix, heading=heading, kind="section", line=element.sourceline,
        )  # fmt: skip
        self._append(node, element, place.file)
        self._mark_stub(node)
        self._also.extend((other, node) for other in free[1:])
        self._containers.add(node, number or own, group=group)
        if group:
            bases = (*place.bases, urn) if number else place.bases
            return replace(place, parent=node, bases=bases)
        return replace(place, parent=node, bases=(urn, *free[1:]), nesting=place.nesting + 1)

    def _container_body(self, element: Element, place: _Place) -> None:
        groups: list[_Place] = []

        def child(item: Element | Rich, place: _Place) -> None:
            file, part = place.file, item
            if isinstance(part, Rich):
                self._loose(part, element, groups[-1] if groups else place)
                return
            if part.tag == XI_INCLUDE:
                file, part = self._load(part, place.file)
            subheading = split_subheading(words.render(part).text) if local(part) == "subheading" else None
            level = collapse(_word(part, "prefix")).lower() if local(part) == "container" else ""
            level = subheading[0] if subheading else level
            while groups and ends_group(groups[-1].parent.level, level, subheading=subheading is not None):
                groups.pop()
            here = replace(groups[-1] if groups else place, file=file)
            if subheading:
                groups.append(self._open(part, here, subheading, group=True))
            elif local(part) == "container":
                self._container(part, here)
            elif local(part) == "section":
                self._section(part, here)
            else:
                self._paragraph(part, here)

        self._body(element, place, _IN_CONTAINER, child)

    def _section(self, element: Element, place: _Place) -> None:
        number = words.designator(_word(element, "num"))
        notes = [note for part in element.iter(etree.Element) if local(part) in words.NOTES for note in (part, *part)]
        node = ParsedNode(
            urn=f"{words.CORPUS_URN}:{self._citable(words.section_path, number, element, place.file)}",
            parent_urn=place.parent.urn, structure_type="SECTION",
            level=collapse(_word(element, "prefix")).lower() or "section", number=number, heading=_heading(element),
            tags={"code": words.CODE, "section_number": number, "title": self.nodes[0].number},
            valid_from=words.latest_date("".join(note.itertext()) for note in notes if note.get("type") == "History"),
            line=element.sourceline,
        )  # fmt: skip
        kinds = {note.get("type") for note in notes}
        node.tags.update({flag.lower().replace(" ", "_"): "true" for flag in _FLAGS if flag in kinds})
        self._append(node, element, place.file)
        rank = _first_rank(element)
        inside = _Place(node, (node.urn,), place.file, place.nesting + 1, node.valid_from, rank, rank)
        self._body(element, inside, _IN_SECTION, self._below_section)
        reason = collapse(_word(element, "reason"))
        if reason:
            node.tags["status"] = words.stub_status("", reason) or reason.lower()
            if not node.text.casefold().startswith(reason.casefold()):
                self._set_reason(node, reason)
        history_notes = [note for note in element.iter("{*}annotation") if note.get("type") == "History"]
        acts = [act for note in history_notes if (act := words.act_of(note)) and words.names_an_act(act)]
        self.links += history.in_order(node.urn, acts, repealed=node.tags.get("status") == "repealed")

    def _set_reason(self, node: ParsedNode, reason: str) -> None:
        """Put the reason before the section's own words, which its cites are then behind."""
        own = len(node.intro_text) + 1 if node.intro_text else 0
        node.marks = [mark if mark.start < own else shifted([mark], len(reason) + 1)[0] for mark in node.marks]
        node.content_text = f"{reason}\n{node.content_text}".rstrip("\n")

    def _below_section(self, item: Element | Rich, place: _Place) -> None:
        if isinstance(item, Rich):
            self._loose(item, None, place)
        else:
            self._paragraph(item, place)

    def _paragraph(self, element: Element, place: _Place) -> None:
        number, prefix = words.designator(_word(element, "num")), collapse(_word(element, "prefix")).lower()
        inside = self._provision(element, place, number, prefix or _level(place.rank))
        node, undesignated = inside.parent, _first(element, "num")
        node.heading = _heading(element)
        if undesignated is not None and undesignated.get("undesignated") == "true":
            # Printed nowhere, so cites pass it over; the publisher's own paths do.
            node.tags["undesignated"] = "true"
            inside = replace(inside, bases=(*inside.bases, *place.bases))
        if prefix:
            inside = replace(inside, rank=_first_rank(element))
        self._body(element, inside, _IN_SECTION, self._below_section)

    def _loose(self, text: Rich, element: Element | None, place: _Place) -> None:
        """Words between two children: an unnumbered paragraph, so that nothing changes its place."""
        inside = self._provision(element, place, "", _level(place.rank))
        set_text(inside.parent, Rich(), text)

    def _provision(self, element: Element | None, place: _Place, number: str, level: str) -> _Place:
        """Append a paragraph below its parent; where its children stand."""
        try:
            own = segment(number) if number else ""
        except InputError:
            own = ""
            self._warn(f"the designator {number!r} has no letter or digit to cite it by", element, place.file)
        if not own:
            self._unnumbered[place.parent.urn] += 1
            own = f"p.{self._unnumbered[place.parent.urn]}"
        urn, suffix = f"{place.bases[0]}:{own}", ""
        if urn in self._seen:
            urn, suffix = self._second(urn, element, place.file)
        node = ParsedNode(
            urn=urn, parent_urn=place.parent.urn, structure_type=LEVELS_BELOW[min(place.depth, len(LEVELS_BELOW) - 1)],
            level=level, number=(number or own) + suffix, valid_from=place.since,
            line=place.parent.line if element is None else element.sourceline,
        )  # fmt: skip
        if suffix:
            node.tags["duplicate_of"] = urn.rpartition("~")[0]
        self._append(node, element, place.file)
        # What a cite to a designator used twice means is not certain, so the second node has no other address.
        others = () if suffix else tuple(f"{base}:{own}" for base in place.bases[1:])
        self._also.extend((other, node) for other in others)
        return replace(
            place, parent=node, bases=(urn, *others), nesting=place.nesting + 1, depth=place.depth + 1,
            rank=place.rank + 1,
        )  # fmt: skip

    def _body(
        self, element: Element, place: _Place, names: frozenset[str],
        child: Callable[[Element | Rich, _Place], None],
    ) -> None:  # fmt: skip
        """Give `place.parent` its lead-in and flush text, and hand what is between them to `child` in order."""
        if place.nesting > MAX_NESTING:
            raise self._error(f"is nested deeper than {MAX_NESTING} levels", element, place.file)
        items = [item for item in self._items(element, place.file, names) if etree.iselement(item) or item]
        lead, middle, flush = split_body(items)
        set_text(place.parent, lead, flush)
        self._mark_stub(place.parent)
        run: list[Element | Rich] = []
        for item in middle:
            if isinstance(item, Rich):
                run.append(item)
                continue
            if run:
                child(_joined(run), place)
                run = []
            child(item, place)

    def _items(self, element: Element, file: Path, names: frozenset[str]) -> Iterator[Element | Rich]:
        """The element's children and the words between them, in order."""
        yield loose(element.text)
        for part in element:
            name = local(part)
            if part.tag == XI_INCLUDE or name == "section":
                if "section" not in names:
                    raise self._error(f"a section cannot hold the element {name}", part, file)
                yield part
            elif name == "include" and part.get("href"):
                raise self._error("an include is not XInclude, and what it names would be left out", part, file)
            elif etree.QName(part).namespace != words.NAMESPACE:
                if "".join(part.itertext()).strip():
                    self._warn(f"the instruction {name} is not law; its words are left out", part, file)
            elif name in names:
                yield part
            elif name == "include":
                yield from self._items(part, file, names)
            elif name not in _HEADERS and name not in words.NOTES:
                blocks = words.contents_lines(part) if name == "toc" else [words.render(part)]
                for image in (image for block in blocks for image in block.aside):
                    self._warn("an image has no text and is left out", part, file, image.sourceline)
                yield from (block for block in blocks if block.text)
            yield loose(part.tail)

    def _mark_stub(self, node: ParsedNode) -> None:
        status = words.stub_status(node.heading, node.text)
        if status:
            node.tags["status"] = status

    def _append(self, node: ParsedNode, element: Element | None, file: Path) -> None:
        place = f"{self._name(file)}:{node.line}"
        if node.urn in self._seen:
            raise self._error(f"duplicate URN {node.urn}, first at {self._seen[node.urn][1]}", element, file)
        try:
            parse_urn(node.urn)
        except InputError as error:
            raise self._error(f"{node.number} has no URN. {error.message}", element, file) from None
        self._seen[node.urn] = (node, place)
        self.nodes.append(node)

    def _second(self, urn: str, element: Element | None, file: Path) -> tuple[str, str]:
        """A URN for a second provision of one designator: the publisher's words are kept, and the reader told."""
        suffix = next(f"~{count}" for count in range(2, len(self._seen) + 3) if f"{urn}~{count}" not in self._seen)
        self._warn(f"a second {urn} (first at {self._seen[urn][1]}) is kept as {urn}{suffix}", element, file)
        return urn + suffix, suffix

    def _citable(self, rule: Callable[[str], str], number: str, element: Element, file: Path) -> str:
        try:
            return rule(number)
        except InputError:
            raise self._error(f"the {local(element)} has no number to cite it by", element, file) from None

    def _finish(self) -> None:
        """Settle the other addresses, then read every cite with them."""
        claims = Counter(urn for urn, _ in self._also)
        real: dict[str, str] = {}
        for urn, node in self._also:
            if claims[urn] == 1 and urn not in self._seen:
                node.aliases.append(urn)
                real[urn] = node.urn
        for node in self.nodes:
            targets = [self._target(node, mark) for mark in node.marks]
            node.marks = [
                replace(mark, target=real.get(target, target)) for mark, target in zip(node.marks, targets, strict=True)
            ]

    def _target(self, node: ParsedNode, cite: Mark) -> str:
        if cite.target.startswith("§"):
            return section_cite(cite.target)
        urn = node.urn
        while urn in self._seen and self._seen[urn][0].kind != "section":
            urn = self._seen[urn][0].parent_urn or ""
        return self._containers.target(cite.target, node.text[cite.start : cite.end], urn)

    def _warn(self, message: str, element: Element | None, file: Path, line: int | None = None) -> None:
        line = line if element is None else line or element.sourceline
        self.warnings.append(f"{self._name(file)}:{line}: {message}" if line else f"{self._name(file)}: {message}")

    def _error(self, cause: str, element: Element | None, file: Path) -> IngestError:
        return IngestError(cause, file=self._name(file), line=None if element is None else element.sourceline)


def _first(element: Element, name: str) -> Element | None:
    return next((part for part in element if local(part) == name), None)


def _word(element: Element, name: str) -> str:
    part = _first(element, name)
    return "" if part is None else words.render(part).text


def _heading(element: Element) -> str:
    return collapse(" ".join(words.render(part).text for part in element if local(part) == "heading"))


def _joined(items: list[Element | Rich]) -> Rich:
    return join(item for item in items if isinstance(item, Rich))


def _level(rank: int) -> str:
    """What the D.C. Code calls a paragraph of this rank."""
    return ("subsection", "paragraph")[rank] if rank < 2 else f"{'sub-' * (rank - 2)}subparagraph"


def _first_rank(element: Element) -> int:
    """Rank of the first paragraphs inside a section: subsections, or paragraphs where they only continue a lead-in.

    Drafting style: `(1)` below a lead-in is a paragraph. Older articles of the Uniform Commercial Code number
    subsections `(1)` and paragraphs `(a)`; measured on titles 28 and 42, these have no lead-in or have such children.
    """
    paragraphs = [part for part in element if local(part) in _IN_SECTION]
    if not paragraphs or not re.match(r"\(?\d", _word(paragraphs[0], "num").strip()):
        return 0
    lead = any(local(part) == "text" and words.render(part).text for part in element)
    below = [inner for part in paragraphs for inner in part if local(inner) in _IN_SECTION]
    letters = any(re.match(r"\(?[a-z]", _word(inner, "num")) for inner in below)
    return 1 if lead and not letters else 0
