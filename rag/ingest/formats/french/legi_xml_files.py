"""The files of one text in a dump of LEGI, read by id: its structure, its sections and the versions of its articles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from lxml import etree

from rag.ingest.formats.base import Source
from rag.ingest.formats.french.legi_members import LEGI_ID
from rag.ingest.formats.xml import Element, collapse, local, plain, read_xml
from rag.jurisdictions.fr.naming import iso_date
from retrieval.errors import IngestError

CURRENT = frozenset({"VIGUEUR", "VIGUEUR_DIFF", "ABROGE_DIFF"})
_NEVER_IN_FORCE = "MODIFIE_MORT_NE"
_OPEN_YEAR = 2999


@dataclass(frozen=True, slots=True)
class Span:
    """When something is in force; `never` where it was and will not be. `state` is the publication's own word."""

    start: date | None
    end: date | None
    state: str
    never: bool

    @property
    def current(self) -> bool:
        """Whether it is in force or will be."""
        return not self.never and (self.state in CURRENT if self.state else self.end is None)


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of a structure. `cid` is what the versions of one section share; `words` its title or number."""

    id: str
    cid: str
    words: str
    span: Span

    @property
    def is_article(self) -> bool:
        """Whether it leads to an article and not to a section."""
        return "ARTI" in self.id


class LegiFiles:
    """Reads the files of one text. Every method raises IngestError, with file and cause, where one is not right.

    Args:
        source: the file with the structure (TEXTELR), and all other files of the text's folder as its parts.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.paths: dict[str, Path] = {}
        for path in source.parts:
            if path.parent.name == "version":
                self.paths[f"version {path.stem}"] = path
            elif self.paths.setdefault(path.stem, path) != path:
                raise IngestError("stands twice in the text's folder", file=self._name(path))

    def has(self, identifier: str) -> bool:
        """Whether there is a file of this section or article."""
        return identifier in self.paths

    def articles(self) -> set[str]:
        """The ids of all article files."""
        return {one for one in self.paths if "ARTI" in one}

    def structure(self) -> Element:
        """The root of the TEXTELR file."""
        root = read_xml(self.source.path, name=self.source.name)
        if local(root) != "TEXTELR":
            raise IngestError("its root element is not TEXTELR", file=self.source.name)
        return root

    def version(self, identifier: str) -> Element:
        """The root of the TEXTE_VERSION file, which has the text's title."""
        return self._read(f"version {identifier}", "TEXTE_VERSION", "META/META_COMMUN/ID")

    def section(self, identifier: str) -> Element:
        """The root of a SECTION_TA file."""
        return self._read(identifier, "SECTION_TA", "ID")

    def article(self, identifier: str) -> Element:
        """The root of an ARTICLE file: one version of an article."""
        return self._read(identifier, "ARTICLE", "META/META_COMMUN/ID")

    def links(self, root: Element, identifier: str) -> Iterator[Link]:
        """The entries of a structure, in order.

        Args:
            root: of a TEXTELR or SECTION_TA file.
            identifier: whose it is.
        """
        structure = root.find("STRUCT" if local(root) == "TEXTELR" else "STRUCTURE_TA")
        for child in structure if structure is not None else ():
            kind, found = local(child), child.get("id", "")
            if kind not in ("LIEN_ART", "LIEN_SECTION_TA"):
                continue
            if not LEGI_ID.fullmatch(found) or ("ARTI" in found) != (kind == "LIEN_ART"):
                raise self.error(f"a {kind} of {identifier} has no LEGI id of its kind")
            words = collapse(child.get("num", "")) if kind == "LIEN_ART" else plain(child)
            span = self.span(child.get("debut", ""), child.get("fin", ""), child.get("etat", ""), found)
            yield Link(found, child.get("cid") or found, words, span)

    def span(self, start: str, end: str, state: str, identifier: str) -> Span:
        """The dates and the state of a link or an article."""
        first, last = self.day(start, identifier), self.day(end, identifier)
        never = state == _NEVER_IN_FORCE or re.match(rf"{_OPEN_YEAR}-", start) is not None
        empty = first is not None and last is not None and first >= last
        return Span(first, last, state, never or empty)

    def day(self, text: str, identifier: str) -> date | None:
        """A date; None where there is none, or the open end."""
        try:
            return iso_date(text.strip()) if text.strip() else None
        except ValueError:
            raise self.error(f"a date of {identifier} is no date") from None

    def error(self, cause: str) -> IngestError:
        """The refusal of this text."""
        return IngestError(cause, file=self.source.name)

    def _read(self, key: str, kind: str, place: str) -> Element:
        path = self.paths.get(key)
        if path is None:
            raise self.error(
                f"{key} is part of the text, and its file is missing; a daily update is no whole text, "
                f"unpack the full dump first"
            )
        root = read_xml(path, name=self._name(path))
        if local(root) != kind or value(root, place) != path.stem:
            raise IngestError(f"is no {kind} with the id of its file name", file=self._name(path))
        return root

    def _name(self, path: Path) -> str:
        return path.relative_to(self.source.root).as_posix()


def value(root: Element, place: str) -> str:
    """The words at a path below an element; empty where there is nothing."""
    found = root.find(place)
    return "" if found is None else plain(found)


def fragment(root: Element, place: str) -> str:
    """The mark-up at a path below an element, for the reader of LEGI's HTML; empty where there is nothing."""
    found = root.find(place)
    return "" if found is None else etree.tostring(found, encoding="unicode", with_tail=False)
