"""Many references at once: each distinct string is parsed once, and a group of like queries is one statement.

The decisions are those of `pipeline` and `resolution`; only the look-ups differ. Memory is bounded by the chunk and by
the number of results kept for strings that come again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from itertools import islice, tee
from typing import LiteralString, NamedTuple

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from retrieval.cluster import ask_each
from retrieval.errors import InputError
from retrieval.languages import checked_language
from retrieval.model import Resolution
from retrieval.nodes import Connection
from retrieval.paths import expand_jurisdictions, is_path, is_urn, parse_urn, urn_spellings
from retrieval.queries import QUERIES
from retrieval.references.grammars import Grammars
from retrieval.references.hits import LIMIT, MOST_NODES, Hit, Request, asked_versions, names_of
from retrieval.references.law_names import ALL, law_names
from retrieval.references.pipeline import (
    Readings,
    ReferenceParser,
    checked_reference,
    queries_of,
    resolve_readings,
    resolve_urn,
)
from retrieval.references.resolution import (
    act_codified,
    by_name,
    checked_limits,
    codified_queries,
    of_a_known_form,
    only_urn_named,
    part_named,
    pinpointed,
    with_ranges,
)
from retrieval.references.store_finder import StoreFinder
from retrieval.references.tag_sql import check_storable
from retrieval.tag_query import VIRTUAL_KEYS, TagFilterOp, TagQuery

CHUNK = 2_000  # references whose look-ups are made together
_MOST = 200  # versions of one set of tags that are chosen from here
KEPT = 50_000  # results kept for strings that come again


Tags = frozenset[tuple[str, str]]


class Cited(NamedTuple):
    """A reference with what limits it alone; what is None is as the batch has it."""

    reference: str
    at_date: date | None = None
    language: str | None = None


@dataclass(slots=True)
class _Fetched:
    """What the statements of one chunk brought."""

    names: set[str] = field(default_factory=set[str])  # that were looked up
    by_name: dict[str, list[Hit]] = field(default_factory=dict[str, list[Hit]])
    by_node: dict[tuple[str, int], list[Hit]] = field(default_factory=dict[tuple[str, int], list[Hit]])
    by_tags: dict[Tags, list[Hit]] = field(default_factory=dict[Tags, list[Hit]])  # sets that were looked up
    asked: dict[TagQuery, list[str] | Tags] = field(default_factory=dict[TagQuery, list[str] | Tags])  # names, or tags


class BatchFinder:
    """Answers from what `fetch` brought; queries of no group are asked one by one. See `Finder`.

    The statements bring all versions that bear a name or a set of tags; which of them a query means is chosen here,
    by the rules of the statement for one query.
    """

    def __init__(self, conn: Connection, jurisdictions: Sequence[str], today: date) -> None:
        self._conn = conn
        self._jurisdictions = list(jurisdictions)
        self._today = today
        self._single = StoreFinder(conn)
        self._fetched = _Fetched()

    def fetch(self, references: Iterable[str], queries: Iterable[TagQuery]) -> None:
        """Look up everything that references and their readings may name, in a statement a group.

        Args:
            references: checked; each is tried as an id.
            queries: what parsers read, each once.
        """
        self._fetched = _Fetched()
        asked = self._fetched.asked
        names = {name for reference in references for name in names_of(reference)}
        tags: set[Tags] = set()
        for query in queries:
            if _is_named(query):
                asked[query] = found = _names(query)
                names.update(found)
            elif _is_equal(query):
                asked[query] = equal = _equal_tags(query)
                tags.add(equal)
        self._fetched.names = names
        if names:
            self._fetch_named(names)
        if tags:
            self._fetch_tagged(list(tags))

    def _fetch_named(self, wanted: set[str]) -> None:
        names = sorted(wanted)
        self._fetch_urns(names, wanted)
        values = {"jurisdictions": self._jurisdictions, "names": names}
        others = [urn for (urn,) in self._conn.execute(QUERIES["find_urns_of_aliases"], values) if urn not in wanted]
        if others:
            self._fetch_urns(others, wanted)

    def _fetch_urns(self, urns: list[str], wanted: set[str]) -> None:
        values = {"jurisdictions": self._jurisdictions, "urns": urns}
        with self._conn.cursor(row_factory=class_row(Hit)) as cursor:
            for hit in cursor.execute(QUERIES["find_versions_of_urns"], values).fetchall():
                self._fetched.by_node.setdefault(hit.key, []).append(hit)
                for name in {hit.urn, *hit.aliases} & wanted if hit.aliases else (hit.urn,):
                    self._fetched.by_name.setdefault(name, []).append(hit)

    def _fetch_tagged(self, wanted: list[Tags]) -> None:
        often = Counter(pair for tags in wanted for pair in tags)
        probes = {
            tags: {"all": dict(tags), "one": dict([min(tags, key=lambda pair: (often[pair], pair))])} for tags in wanted
        }
        ids: dict[Tags, list[int]] = {}
        crowded: list[Tags] = []
        for tags, (probed, found) in zip(
            wanted, self._ask_tags(QUERIES["probe_many_tags"], probes.values()), strict=True
        ):
            if probed > _MOST:
                crowded.append(tags)
            else:
                ids[tags] = found
        if crowded:
            rows = self._ask_tags(QUERIES["find_ids_by_tags"], [probes[tags] for tags in crowded])
            # What fits too many rows is asked one by one: the store sorts it better.
            ids.update((tags, found) for tags, (_, found) in zip(crowded, rows, strict=True) if len(found) <= _MOST)
        values = {
            "jurisdictions": self._jurisdictions,
            "ids": sorted({number for found in ids.values() for number in found}),
        }
        with self._conn.cursor(row_factory=class_row(Hit)) as cursor:
            hits = {hit.id: hit for hit in cursor.execute(QUERIES["find_versions_by_id"], values).fetchall()}
        self._fetched.by_tags = {tags: [hits[number] for number in found] for tags, found in ids.items()}

    def _ask_tags(
        self, statement: LiteralString, probes: Iterable[dict[str, dict[str, str]]]
    ) -> list[tuple[int, list[int]]]:
        """For each set of tags how many rows were probed, and the ids of those that hold it."""
        values = {"jurisdictions": self._jurisdictions, "tags": Jsonb(list(probes)), "most": _MOST + 1}
        asked = ask_each(self._conn, statement, values)
        return [
            (sum(probed for probed, _ in rows), [entry for _, ids in rows for entry in ids or ()])
            for rows in zip(*asked, strict=True)
        ]

    def direct(self, request: Request) -> list[Hit]:
        """See `Finder`."""
        names = names_of(request.reference)
        if is_path(request.reference) or not self._fetched.names.issuperset(names):
            return self._single.direct(request)
        keys = sorted({hit.key for name in names for hit in self._fetched.by_name.get(name, ())})
        versions = (hit for key in keys[:MOST_NODES] for hit in self._fetched.by_node[key])
        return asked_versions(versions, names, request)

    def run(self, query: TagQuery, request: Request) -> list[Hit]:
        """See `Finder`."""
        asked = self._fetched.asked.get(query)
        if isinstance(asked, list):
            return self._chosen(query, [hit for name in asked for hit in self._fetched.by_name.get(name, ())])
        hits = self._fetched.by_tags.get(asked) if asked is not None else None
        if hits is None:
            return self._single.run(query, request)
        return self._chosen(query, [hit for hit in hits if hit.language == query.language])

    def _chosen(self, query: TagQuery, hits: list[Hit]) -> list[Hit]:
        """What the statement for one query would give, from the versions at hand."""
        best: dict[tuple[str, int], Hit] = {}
        for hit in hits:
            if query.kind not in (None, hit.kind) or (query.at_date and not hit.in_force(query.at_date)):
                continue
            known = best.get(hit.key)
            if known is None or self._rank(hit) > self._rank(known):
                best[hit.key] = hit
        found = list(best.values())
        if len(found) > 1:
            first = query.should_sort_in_force_first
            found.sort(key=lambda hit: (first and not self._said_in_force(hit), -_start(hit), hit.urn))
        return found[:LIMIT]

    def _rank(self, hit: Hit) -> tuple[bool, int]:
        return hit.in_force(self._today), _start(hit)

    def _said_in_force(self, hit: Hit) -> bool:
        """What the tag says; one that is neither true nor false says nothing, and the dates do."""
        said = str(hit.tags.get("in_force", "")).lower()
        return said == "true" if said in ("true", "false") else hit.in_force(self._today)


def _start(hit: Hit) -> int:
    return hit.valid_from.toordinal() if hit.valid_from else 0


def _is_named(query: TagQuery) -> bool:
    """Whether a query asks for one set of URNs or aliases and nothing else."""
    filters = query.tag_filters.filters
    return (
        len(filters) == 1 and filters[0].key in ("urn", "alias") and filters[0].op in (TagFilterOp.EQ, TagFilterOp.IN)
    )


def _names(query: TagQuery) -> list[str]:
    [one] = query.tag_filters.filters
    if one.key == "alias":
        return list(one.values)
    return sorted({spelling for value in one.values for spelling in urn_spellings(parse_urn(value))})


def _is_equal(query: TagQuery) -> bool:
    """Whether all filters are equalities of tags that do not contradict each other."""
    filters = query.tag_filters.filters
    equal = all(tag_filter.op is TagFilterOp.EQ and tag_filter.key not in VIRTUAL_KEYS for tag_filter in filters)
    return bool(filters) and equal and len({tag_filter.key for tag_filter in filters}) == len(filters)


def _equal_tags(query: TagQuery) -> Tags:
    for tag_filter in query.tag_filters.filters:
        check_storable(tag_filter)
    return frozenset((tag_filter.key, tag_filter.values[0]) for tag_filter in query.tag_filters.filters)


def resolve_many(
    conn: Connection,
    references: Iterable[str | Cited],
    parsers: Sequence[ReferenceParser],
    *,
    jurisdictions: Sequence[str],
    today: date,
    language: str | None = None,
    at_date: date | None = None,
    tags: Mapping[str, str] | None = None,
    ids: bool = True,
    chunk: int = CHUNK,
    finish: Callable[[BatchFinder, dict[Cited, Request], dict[Cited, Resolution]], None] | None = None,
) -> Iterator[Resolution]:
    """Resolve references by what parsers read in them, many at once.

    Args:
        conn: a read connection, used until the iterator ends.
        references: as people write them; any number, read as they are needed.
        parsers: of the jurisdictions that may be meant, in a fixed order.
        jurisdictions: those of the store that may answer.
        today: the date of "in force" where none is given.
        language: narrows the readings.
        at_date: the version in force at this date.
        tags: further tags that the provisions must have.
        ids: whether a reference may be an id or alias as it stands.
        chunk: how many are looked up together.
        finish: looks once more at what a chunk came to.

    Yields:
        One resolution for each reference, in their order. One that cannot be used is `not_found`, with the reason.
    """
    base = Request("", tuple(jurisdictions), language, at_date, today, tags or {})
    finder = BatchFinder(conn, jurisdictions, today)
    kept: dict[Cited, Resolution] = {}
    rest = (Cited(reference) if isinstance(reference, str) else reference for reference in references)
    while part := list(islice(rest, chunk)):
        known = {cited: kept[cited] for cited in part if cited in kept}
        new = [cited for cited in dict.fromkeys(part) if cited not in known]
        found, requests = _resolve_chunk(finder, base, new, parsers, ids)
        if finish is not None:
            finish(finder, requests, found)
        known.update(found)
        yield from (known[cited] for cited in part)
        kept.update(known)
        while len(kept) > KEPT:
            del kept[next(iter(kept))]


def resolve_references(
    conn: Connection,
    grammars: Grammars,
    references: Iterable[str | Cited],
    *,
    today: date,
    jurisdiction: str | None = None,
    language: str | None = None,
    at_date: date | None = None,
    tags: Mapping[str, str] | None = None,
    chunk: int = CHUNK,
) -> Iterator[Resolution]:
    """Resolve references as `resolve_reference` does, many at once; what is near a missing one is not looked for.

    Neither is counted what cites a provision (`cited_by` is 0). For the arguments see there and `resolve_many`.

    Raises:
        InputError: the jurisdiction, the language or a tag cannot be used; before the first result.
    """
    language = checked_language(language)
    stored = checked_limits(conn, grammars, jurisdiction, tags)
    single = StoreFinder(conn)
    places = expand_jurisdictions(jurisdiction, stored)
    # All documents are read once, and only where a reference may cite one by its name.
    names = cache(lambda: law_names(conn, places, most=ALL))

    def finish(finder: BatchFinder, requests: dict[Cited, Request], found: dict[Cited, Resolution]) -> None:
        _take_parts(finder, requests, found)
        for cited, one in found.items():
            if one.status == "ambiguous":
                found[cited] = with_ranges(conn, single, grammars, requests[cited], jurisdiction, one)
            if cited in requests:
                found[cited] = by_name(single, requests[cited], names, found[cited])
        missing = {cited: one for cited, one in found.items() if one.status == "not_found" and cited in requests}
        _take_acts(finder, requests, found, missing)
        for cited, one in missing.items():
            if found[cited] is one:
                found[cited] = of_a_known_form(grammars, one, jurisdiction)

    written = (Cited(reference) if isinstance(reference, str) else reference for reference in references)
    given, asked = tee((cited, _on_its_day(cited, grammars)) for cited in written)
    found = resolve_many(
        conn, (dated for _, dated in asked), (*grammars.parsers_for(jurisdiction), grammars.addresses),
        jurisdictions=places, today=today, language=language, at_date=at_date,
        tags=tags, chunk=chunk, finish=finish,
    )  # fmt: skip
    return (
        one if dated is cited else one.model_copy(update={"reference": checked_reference(cited.reference)})
        for one, (cited, dated) in zip(found, given, strict=True)
    )


def _on_its_day(cited: Cited, grammars: Grammars) -> Cited:
    """What is cited, with the day that its words name beside them."""
    words, day = grammars.dated(cited.reference)
    return cited if day is None else cited._replace(reference=words, at_date=day)


def _take_parts(finder: BatchFinder, requests: dict[Cited, Request], found: dict[Cited, Resolution]) -> None:
    """Put the part that a reference names in brackets in place of its provision, where the store has it."""
    parts = {cited: urn for cited, one in found.items() if (urn := part_named(one))}
    if parts:
        finder.fetch(parts.values(), ())
        found.update({cited: pinpointed(finder, requests[cited], found[cited]) for cited in parts})


def _take_acts(
    finder: BatchFinder,
    requests: dict[Cited, Request],
    found: dict[Cited, Resolution],
    missing: Mapping[Cited, Resolution],
) -> None:
    """Put the act that is codified where a reference points in place of what the store does not have."""
    named = {cited: urn for cited, one in missing.items() if one.tag_queries and (urn := only_urn_named(one))}
    queries = {
        undated
        for cited, urn in named.items()
        for query in codified_queries(requests[cited], urn, missing[cited])
        for undated in (query, replace(query, at_date=None))
    }
    if not queries:
        return
    finder.fetch((), sorted(queries, key=repr))
    for cited, urn in named.items():
        found[cited] = act_codified(finder, requests[cited], urn, missing[cited]) or missing[cited]


def _resolve_chunk(
    finder: BatchFinder, base: Request, references: list[Cited], parsers: Sequence[ReferenceParser], ids: bool
) -> tuple[dict[Cited, Resolution], dict[Cited, Request]]:
    """What references come to, and the requests that those of them are that can be used."""
    out: dict[Cited, Resolution] = {}
    requests: dict[Cited, Request] = {}
    readings: dict[Cited, Readings] = {}
    for cited in references:
        try:
            request = replace(
                base, reference=checked_reference(cited.reference), at_date=cited.at_date or base.at_date,
                language=checked_language(cited.language) or base.language,
            )  # fmt: skip
            names_of(request.reference)
        except InputError as error:
            out[cited] = _refused(base, cited.reference, error.message)
            continue
        requests[cited] = request
        readings[cited] = Readings() if is_urn(request.reference) else queries_of(request, parsers)
    queries = {query for reading in readings.values() for query in (*reading.listed(), *reading.names.values())}
    queries |= {replace(query, at_date=None) for query in queries if query.at_date}
    direct = {cited for cited, one in requests.items() if ids or is_urn(one.reference)}
    finder.fetch((requests[cited].reference for cited in sorted(direct, key=repr)), sorted(queries, key=repr))
    for cited, request in requests.items():
        named = resolve_urn(finder, request, readings[cited]) if cited in direct else None
        out[cited] = named or resolve_readings(finder, request, readings[cited])
    return out, requests


def _refused(base: Request, text: str, message: str) -> Resolution:
    shown = text[:200].encode("utf-8", "replace").decode()
    return Resolution(
        reference=shown, status="not_found", urn=None, hint=None, at_date=base.at_date or base.today, candidates=[],
        tag_queries=[], warnings=[], message=message,
    )  # fmt: skip
