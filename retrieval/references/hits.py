"""What looking references up gives and takes: hits, requests, and the names that a reference may have. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from retrieval.model import Basis
from retrieval.paths import is_urn, parse_urn, urn_spellings
from retrieval.tag_query import TagQuery

LIMIT = 10  # hits of one query
MOST_NODES = 200  # that may bear one id


@dataclass(frozen=True, slots=True)
class Hit:
    """One version of a node that a query found."""

    jurisdiction: str
    node_id: int
    id: int
    urn: str
    kind: str
    language: str
    heading: str
    tags: dict[str, Any]
    valid_from: date | None
    valid_to: date | None
    aliases: list[str]
    corpus_title: str | None
    from_basis: Basis = "unknown"
    to_basis: Basis = "unknown"
    uncertain: str | None = None

    @property
    def key(self) -> tuple[str, int]:
        """The node, whatever the version."""
        return self.jurisdiction, self.node_id

    def in_force(self, at_date: date) -> bool:
        """Whether `valid_from <= at_date < valid_to`."""
        return (self.valid_from is None or self.valid_from <= at_date) and (
            self.valid_to is None or at_date < self.valid_to
        )


@dataclass(frozen=True, slots=True)
class Request:
    """One reference to resolve."""

    reference: str
    jurisdictions: tuple[str, ...]  # those of the store that may answer
    language: str | None
    at_date: date | None  # None: the version in force today is preferred, others are found too
    today: date
    tags: Mapping[str, str]


class Finder(Protocol):
    """Where nodes are looked up: in the store at once, or in what a batch fetched before."""

    def direct(self, request: Request) -> list[Hit]:
        """The nodes that bear the reference as URN or alias, each in the version asked for.

        With a date, an id of one version leads to the version in force at that date; without, to the version it names.

        Raises:
            InputError: it looks like a URN and is none.
        """
        ...

    def run(self, query: TagQuery, request: Request) -> list[Hit]:
        """The nodes a query finds, at most ten, each in the version at the date."""
        ...


def names_of(reference: str) -> list[str]:
    """The spellings under which a node may bear the reference as its URN or alias.

    Raises:
        InputError: it looks like a URN and is none.
    """
    if is_urn(reference):
        return urn_spellings(parse_urn(reference))
    return sorted({reference, reference.lower(), reference.upper()})


def names_urn(query: TagQuery) -> bool:
    """Whether a query asks for URNs or other ids, which mean the same in every language."""
    return any(filter_.key in ("urn", "alias") for filter_ in query.tag_filters.filters)


def named_urns(queries: Iterable[TagQuery]) -> list[str]:
    """The URNs that queries ask for, each once, in order."""
    found = (
        value
        for query in queries
        for filter_ in query.tag_filters.filters
        if filter_.key == "urn"
        for value in filter_.values
    )
    return list(dict.fromkeys(found))


def asked_versions(versions: Iterable[Hit], names: Sequence[str], request: Request) -> list[Hit]:
    """Of the versions of nodes, oldest first, one a node: that of the date, else the one a name belongs to."""
    by_node: dict[tuple[str, int], list[Hit]] = {}
    for version in versions:
        if all(str(version.tags.get(key)) == value for key, value in request.tags.items()):
            by_node.setdefault(version.key, []).append(version)
    return [_version(history, names, request) for history in by_node.values()]


def _version(history: list[Hit], names: Sequence[str], request: Request) -> Hit:
    at = request.at_date or request.today
    current = next((version for version in history if version.in_force(at)), history[-1])
    if request.at_date is not None:
        return current
    named = [version for version in history if version.urn in names or set(names) & set(version.aliases)]
    return current if current in named or not named else named[-1]


def folded_words(text: str) -> list[str]:
    """The words of a text as they are compared: no accents or signs, one case."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char if char.isalnum() else " " for char in plain if not unicodedata.combining(char)).split()


def folded_title(text: str) -> str:
    """A title as it is compared: its folded words with single spaces, no article before them."""
    words = folded_words(text)
    return " ".join(words[1:] if words[:1] == ["the"] else words)
