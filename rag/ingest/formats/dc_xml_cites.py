"""Cite paths of the D.C. Code as URNs: sections by their number, containers by place, subheadings that group."""

from __future__ import annotations

import re

from rag.ingest.formats.dc_xml_text import CORPUS_URN, section_path
from rag.ingest.nodes import ParsedNode
from retrieval.errors import InputError
from retrieval.paths import parse_urn, segment

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
    A section (level empty) and a container of an unknown level belong to the group they stand in.
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
            citing: the URN of the container that the citing section stands in.

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
        return [one for _, child in inside if child in self._groups for one in self._numbered(child, number)]


def section_cite(path: str) -> str:
    """The URN of a cite path to a section or below (`§42-3502.05|(a)|(4)`); empty where it is not one."""
    match = _SECTION_PATH.fullmatch(path.strip())
    if match is None:
        return ""
    number, *designators = match[1].split("|")
    try:
        return parse_urn(":".join((CORPUS_URN, section_path(number), *(segment(one) for one in designators)))).text
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
