"""One request value for every way of searching, and what it comes to in a given store.

With a query: search. With tags and no query: browse, latest first. With `discover`: the values of a tag.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal

from retrieval.entry_points.filters import (
    CHUNK,
    KIND,
    SEARCHABLE_KINDS,
    VIRTUAL_KEYS,
    Part,
    date_parts,
    joined,
    kind_part,
    tag_part,
)
from retrieval.entry_points.lexical import Filters
from retrieval.entry_points.operators import tag_filter
from retrieval.errors import EmptyStore, InputError, NotInStore
from retrieval.paths import exactly_named, named_jurisdictions
from retrieval.tag_query import TagFilter, TagFilterOp

Mode = Literal["keyword", "semantic", "hybrid"]
DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MAX_OFFSET = 1_000_000


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked for; checked by `rag.finding.methods` before it is run."""

    query: str | None = None
    language: str | None = None  # ISO 639-1; needed where the jurisdictions have law in several
    tags: dict[str, str] = field(default_factory=dict[str, str])  # values with operators
    edges: dict[str, str] = field(default_factory=dict[str, str])  # kind of edge, or `*` -> target ids
    discover: str | None = None  # a tag's key, `*` for the keys, or `edge_kinds`
    at_date: date = date.max
    date_from: date | None = None
    date_to: date | None = None
    should_expand_synonyms: bool = True
    mode: Mode = "hybrid"
    rerank: bool = False
    limit: int = DEFAULT_LIMIT
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """A request in a given store: what every statement restricts itself to."""

    jurisdictions: tuple[str, ...]
    languages: tuple[str, ...]
    at_date: date
    kinds: tuple[str, ...]
    parts: tuple[Part, ...] = ()  # the other filters, in the caller's order
    warnings: tuple[str, ...] = ()
    named: tuple[str, ...] = ()  # as `Filters.named`

    def filters(self, language: str, more: Sequence[Part] = ()) -> Filters:
        """The filters of the legs, which search one language at a time."""
        parts = [*self.parts, *more]
        where = joined(parts) if parts else None
        return Filters(self.jurisdictions, language, self.at_date, self.kinds, self.named, where)

    def without(self, name: str) -> Scope:
        """The scope without the filters of one name."""
        kinds = (*SEARCHABLE_KINDS, CHUNK) if name == KIND else self.kinds
        return replace(self, parts=tuple(part for part in self.parts if part.name != name), kinds=kinds)

    def with_parts(self, parts: Iterable[Part], warnings: Iterable[str] = ()) -> Scope:
        """The scope with further filters."""
        return replace(self, parts=(*self.parts, *parts), warnings=(*self.warnings, *warnings))


def checked_page(limit: int, offset: int) -> tuple[int, list[str]]:
    """The limit as applied, and what to say of it.

    Raises:
        InputError: a limit below 1, or an offset that is negative or absurd.
    """
    if isinstance(limit, bool) or limit < 1:
        raise InputError(f"`limit` is a number from 1 to {MAX_LIMIT}.")
    if isinstance(offset, bool) or not 0 <= offset <= MAX_OFFSET:
        raise InputError(f"`offset` is a number from 0 to {MAX_OFFSET}.")
    if limit > MAX_LIMIT:
        return MAX_LIMIT, [f"limit: {MAX_LIMIT} applied, the most that one page has."]
    return limit, []


def scope_of(request: SearchRequest, known: Iterable[tuple[str, str]]) -> Scope:
    """The scope of a request without its edges, which need the store.

    Args:
        request: what is asked for.
        known: (jurisdiction, language) of every corpus of the store.

    Raises:
        InputError: a filter cannot be used; the message says which, and what can.
    """
    stored = sorted(set(known))
    if not stored:
        raise EmptyStore
    warnings: list[str] = []
    present = sorted({code for code, _ in stored})
    codes, missing = chosen_jurisdictions(request.tags.get("jurisdiction"), present)
    if missing:
        warnings.append(f"jurisdiction: the store has no law of {', '.join(missing)}.")
    spoken = sorted({language for code, language in stored if code in codes})
    languages = _languages(request, spoken)
    if request.language is not None and "language" in request.tags and request.language not in languages:
        warnings.append("language: tags[language] is applied in place of the parameter.")
    parts: list[Part] = []
    kinds = SEARCHABLE_KINDS
    for position, (key, text) in enumerate(request.tags.items()):
        if key == "kind":
            kinds = _kinds(text)
            parts.append(kind_part(kinds))
        elif key not in ("jurisdiction", "language"):
            where = (
                f"tags[{key}]" if key in VIRTUAL_KEYS else f"Filter {position + 1} of `tags`"
            )  # a key may be private
            parts.append(tag_part(tag_filter(key, text, where), position))
    if request.date_from and request.date_to and request.date_from > request.date_to:
        raise InputError("`date_from` is after `date_to`.")
    parts += date_parts(request.date_from, request.date_to)
    if request.date_from or request.date_to:
        warnings.append("dates: what has no date of its own is in no range of dates and left out.")
    named = exactly_named(request.tags.get("jurisdiction"), present)
    return Scope(tuple(codes), tuple(languages), request.at_date, (*kinds, CHUNK), tuple(parts), tuple(warnings), named)


def chosen_jurisdictions(text: str | None, present: Sequence[str]) -> tuple[list[str], list[str]]:
    """The stored jurisdictions that a filter selects, and codes it names that the store has nothing of.

    `fr` selects `fr` and `fr-*`, `eu|fr` both, `!=eu` all others, `*` or None all.

    Raises:
        InputError: a malformed code, `!*`, or nothing of the store selected.
    """
    if text is None or text.strip() == "*":
        return list(present), []
    if text.strip() == "!*":
        raise InputError("`!*` is not allowed for the jurisdiction: everything has one. Name it, or `*` for all.")
    one = tag_filter("jurisdiction", text, "The filter on the jurisdiction")
    _, codes = named_jurisdictions("|".join(one.values), present)

    def within(stored: str, code: str) -> bool:
        return f"{stored}-".startswith(f"{code}-")

    hit = [stored for stored in present if any(within(stored, code) for code in codes)]
    chosen = [stored for stored in present if stored not in hit] if one.op is TagFilterOp.NOT_IN else hit
    if not chosen:
        raise NotInStore(codes, present, excluded=one.op is TagFilterOp.NOT_IN)
    return chosen, [code for code in codes if not any(within(stored, code) for stored in present)]


def _languages(request: SearchRequest, spoken: Sequence[str]) -> list[str]:
    text = request.tags.get("language")
    has = ", ".join(spoken)
    if text is None:
        if request.language is None:
            if len(spoken) > 1:
                raise InputError(f"The chosen jurisdictions have law in {has}. Name one (--language, `language`).")
            return list(spoken)
        named = [language for language in spoken if language.lower() == request.language.strip().lower()]
        if not named:
            raise InputError(f"The chosen jurisdictions have no law in that language; they have {has}.")
        return named
    one = tag_filter("language", text, "The filter on the language")
    if one.op is TagFilterOp.NOT_EXISTS:
        raise InputError("`!*` is not allowed for the language: everything has one.")
    chosen = [language for language in spoken if _fits(one, language)]
    if not chosen:
        raise InputError(f"The chosen jurisdictions have no law in such a language; they have {has}.")
    return chosen


def _kinds(text: str) -> tuple[str, ...]:
    one = tag_filter("kind", text, "The filter on `kind`")
    if one.op is TagFilterOp.NOT_EXISTS or any(value not in SEARCHABLE_KINDS for value in one.values):
        raise InputError(
            f"The kinds that can be searched are {', '.join(SEARCHABLE_KINDS)}. Headings (section) are read with "
            "browse_structure; a chunk is found as a piece of its document, under the document's kind."
        )
    kinds = tuple(kind for kind in SEARCHABLE_KINDS if _fits(one, kind))
    if not kinds:
        raise InputError("The filter on `kind` leaves nothing to search.")
    return kinds


def _fits(one: TagFilter, value: str) -> bool:
    match one.op:
        case TagFilterOp.EXISTS:
            return True
        case TagFilterOp.NOT_IN:
            return value not in one.values
        case _:
            return value in one.values


def near_keys(key: str, keys: Iterable[str]) -> list[str]:
    """The keys, at most five, that are spelled most like one."""
    return difflib.get_close_matches(key, sorted(set(keys)), n=5, cutoff=0.5)
