"""TagQuery: what every reference parser says, whatever its law. Field names follow the specification.

A parser turns "article 1240 du code civil" into a `TagQuery`; the store runs it (`references/tag_sql.py`) without
knowing any jurisdiction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from functools import lru_cache

from retrieval.errors import InputError

# Keys that are columns of a node and not tags of it.
VIRTUAL_KEYS = frozenset({"urn", "alias", "source", "jurisdiction", "language", "kind", "in_force"})
PART_NAMED = "the whole provision, of which a part is named"  # the hint of a provision for its part
SEVERAL = "one of several provisions named"  # the hint of each member of a list or range
# The only patterns NORMALIZE may strip from both sides: a caller's own regular expression never reaches the server.
NORMALIZE_PATTERNS: Mapping[str, str] = {
    "punctuation": r"[\s.\-/]",
    "space": r"\s",
}
_KEY = re.compile(r"[a-z][a-z0-9_]{0,62}\Z", re.ASCII)


class TagFilterOp(Enum):
    """How a filter compares a tag."""

    EQ = "eq"
    IN = "in"
    NOT_IN = "not_in"  # the tag is there and has none of the values
    ILIKE = "ilike"  # contains the value, whatever the case and the accents
    EXISTS = "exists"
    NOT_EXISTS = "not_exists"
    NORMALIZE = "normalize"  # equal after both sides lost what the pattern names


_EQ, _ILIKE = TagFilterOp.EQ, TagFilterOp.ILIKE  # looked up once: batches build millions of filters


@lru_cache(maxsize=256)  # the keys of grammars are a few dozen
def _check_key(key: str) -> None:
    if not _KEY.match(key):
        raise InputError("A tag's name has lower-case letters, digits and underscores only.")


@dataclass(frozen=True, slots=True)
class TagFilter:
    """One predicate on a tag or a virtual key.

    Raises:
        InputError: a malformed key, a value that the operator does not take, or a pattern out of the closed set.
    """

    key: str
    op: TagFilterOp
    value: str | Sequence[str] | None = None
    normalize_pattern: str | None = None  # only for NORMALIZE; one of NORMALIZE_PATTERNS

    def __post_init__(self) -> None:
        """Check the fields; a list of values becomes a tuple, so that filters can be compared and hashed."""
        _check_key(self.key)
        if (self.op is _EQ or self.op is _ILIKE) and isinstance(self.value, str) and self.normalize_pattern is None:
            return  # most filters are this
        if self.value is not None and not isinstance(self.value, str):
            object.__setattr__(self, "value", tuple(self.value))
        several = self.op in (TagFilterOp.IN, TagFilterOp.NOT_IN)
        none = self.op in (TagFilterOp.EXISTS, TagFilterOp.NOT_EXISTS)
        fits = self.value is None if none else isinstance(self.value, tuple) if several else isinstance(self.value, str)
        if not fits:
            wanted = "no value" if none else "a list of values" if several else "one value"
            raise InputError(f"The filter {self.op.value} on a tag takes {wanted}.")
        known = self.normalize_pattern in NORMALIZE_PATTERNS.values()
        if known != (self.op is TagFilterOp.NORMALIZE):
            raise InputError(f"NORMALIZE takes one of the patterns {', '.join(sorted(NORMALIZE_PATTERNS))}.")

    @property
    def values(self) -> tuple[str, ...]:
        """The values as a tuple; empty for EXISTS and NOT_EXISTS."""
        if self.value is None:
            return ()
        return (self.value,) if isinstance(self.value, str) else tuple(self.value)


@dataclass(frozen=True, slots=True)
class TagFilterSet:
    """Predicates that all have to hold."""

    filters: tuple[TagFilter, ...] = ()

    @classmethod
    def from_tags(cls, tags: Mapping[str, str]) -> TagFilterSet:
        """EQ filters, in the mapping's order."""
        return cls(tuple([TagFilter(key, _EQ, value) for key, value in tags.items()]))

    def merged(self, tags: Mapping[str, str]) -> TagFilterSet:
        """With further EQ filters, which narrow."""
        return TagFilterSet((*self.filters, *TagFilterSet.from_tags(tags).filters))


@dataclass(frozen=True, slots=True)
class TagQuery:
    """A reading of a reference as a query.

    Without `hint` it is confident: the first hit wins. With one it is a candidate, tried beside all others: one hit
    is served with a warning that names the reading, several are listed.
    """

    language: str = field(kw_only=True)  # ISO 639-1; tells language variants of one text apart
    kind: str | None = None
    tag_filters: TagFilterSet = field(default_factory=TagFilterSet)
    should_sort_in_force_first: bool = False
    at_date: date | None = None
    hint: str | None = None


def urn_query(urn: str, *, language: str, hint: str | None = None) -> TagQuery:
    """The query for a reference that a grammar reads as a URN; aliases count as the URN."""
    return TagQuery(language=language, tag_filters=TagFilterSet((TagFilter("urn", _EQ, urn),)), hint=hint)
