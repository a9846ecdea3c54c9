"""Where each article of a LEGI text stands: the links of its structure, followed from the text to its articles.

Sections and articles have versions, and a version of an article can be linked from several sections, past and present.
Each is placed once: in a section in force before one that is not, then where it stands longest, then where it stood
last. The versions of a section share a `cid` and are one container with the latest heading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from rag.ingest.formats.legi_xml_files import LegiFiles, Link, value
from rag.ingest.formats.xml import Element

MAX_DEPTH = 40  # sections in sections; published codes reach 9
_VISITS = 20  # times that each file of a text may be come by on average


@dataclass(slots=True)
class Place:
    """A link to a version of an article. `rank` decides between several; only the best one is `chosen`."""

    link: Link
    rank: tuple[bool, bool, date, date]
    chosen: bool = False

    @property
    def current(self) -> bool:
        """Whether the version is in force, or will be, in a section that is."""
        return self.rank[0] and self.rank[1]


@dataclass(slots=True)
class Section:
    """A section with all its versions; `current` says whether it is in force or will be."""

    title: str
    ids: list[str]
    start: date | None
    end: date | None
    state: str
    current: bool
    children: list[Section | Place] = field(default_factory=list["Section | Place"])

    def holds_articles(self) -> bool:
        """Whether an article was placed in it, or further down."""
        return any(one.chosen if isinstance(one, Place) else one.holds_articles() for one in self.children)


class Outline:
    """Follows the links of one text.

    Attributes:
        top: what stands directly in the text.
        places: the chosen place of each version of an article, by id.
        never: ids of sections that were never in force, and are not followed.
        missing: ids of sections of the past that have no file.
        headings: how many earlier headings of sections were not kept.
    """

    def __init__(self, files: LegiFiles, root: Element, identifier: str) -> None:
        self.places: dict[str, Place] = {}
        self.never: list[str] = []
        self.missing: list[str] = []
        self.headings = 0
        self._files = files
        self._visits = _VISITS * (len(files.paths) + 1)
        self.top = self._children(list(files.links(root, identifier)), frozenset(), 1, current=True)
        for place in self.places.values():
            place.chosen = True

    def _children(
        self, links: list[Link], above: frozenset[str], depth: int, *, current: bool
    ) -> list[Section | Place]:
        found: list[Section | Place] = []
        sections: dict[str, list[Link]] = {}
        for link in links:
            if link.is_article:
                found.append(self._place(link, current=current))
            elif link.span.never:
                self.never.append(link.id)
            else:
                sections.setdefault(link.cid, []).append(link)
        made = [self._section(versions, above, depth, current=current) for versions in sections.values()]
        # What is in force comes first, so that it has the address that people cite.
        return [*found, *(one for one in made if one.current), *(one for one in made if not one.current)]

    def _place(self, link: Link, *, current: bool) -> Place:
        span = link.span
        place = Place(link, (current, span.current, span.end or date.max, span.start or date.min))
        known = self.places.get(link.id)
        if known is None or place.rank > known.rank:
            self.places[link.id] = place
        return place

    def _section(self, versions: list[Link], above: frozenset[str], depth: int, *, current: bool) -> Section:
        latest = max(versions, key=lambda one: (one.span.current, one.span.start or date.min))
        here = current and latest.span.current
        ids = list(dict.fromkeys([latest.id, *(one.id for one in versions)]))
        if above & set(ids):
            raise self._files.error(f"{latest.id} is a section of itself")
        if depth > MAX_DEPTH:
            raise self._files.error(f"sections are nested deeper than {MAX_DEPTH}")
        links: list[Link] = []
        title = latest.words
        for identifier in ids:
            self._visits -= 1
            if self._visits < 0:
                raise self._files.error("its sections are linked from each other too often to be a text")
            if not self._files.has(identifier) and not (here and identifier == latest.id):
                self.missing.append(identifier)
                continue
            root = self._files.section(identifier)
            title = title or value(root, "TITRE_TA")
            links.extend(self._files.links(root, identifier))
        if not title:
            raise self._files.error(f"{latest.id} has no title")
        self.headings += len({one.words for one in versions if one.words} - {title})
        starts, ends = [one.span.start for one in versions], [one.span.end for one in versions]
        section = Section(title, ids, _least(starts), _most(ends), latest.span.state, here)
        section.children = self._children(links, above | set(ids), depth + 1, current=here)
        return section


def _least(days: list[date | None]) -> date | None:
    known = [one for one in days if one is not None]
    return min(known) if len(known) == len(days) else None


def _most(days: list[date | None]) -> date | None:
    known = [one for one in days if one is not None]
    return max(known) if len(known) == len(days) else None
