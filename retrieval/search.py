"""One search request run in one snapshot: ranked, browsed or discovered; and what to say where nothing fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from retrieval.browsing.browse import ALL_KEYS, EDGE_KINDS, Browsed, ServedAs, browse, discover, served_as, stored_keys
from retrieval.browsing.snippets import Lexemes, read_lexemes, snippet, wanted_lexemes
from retrieval.cluster import send_each
from retrieval.entry_points.filters import VIRTUAL_KEYS, Part, syntax_parts, unit_part
from retrieval.entry_points.finding import EmbeddedFor, QuestionVector, Searcher, find_points
from retrieval.entry_points.legs import EntryPoint, EntryPoints
from retrieval.entry_points.lexical import LEG_LIMIT, Filters
from retrieval.entry_points.operators import ANY_KIND, edge_targets
from retrieval.entry_points.request import Scope, SearchRequest, near_keys, scope_of
from retrieval.entry_points.sources import sources_and_vectors
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.entry_points.syntax import Syntax, parse_syntax
from retrieval.errors import InputError
from retrieval.model import FacetValue, Legs, RemovedBy, SearchHit, SearchResult
from retrieval.nodes import Connection, NodeVersion, nodes_by_ids, versions_by_urn
from retrieval.paths import is_path, is_urn, parse_urn, subtree_end, urn_spellings
from retrieval.queries import QUERIES
from retrieval.references.hits import Request
from retrieval.references.pipeline import MAX_REFERENCE, checked_reference
from retrieval.references.resolution import resolve_reference, with_citing_counts
from retrieval.references.store_finder import StoreFinder
from retrieval.standing import gone_since
from retrieval.texts import with_gap
from retrieval.uncertain_dates import uncertain_dates

# Edge filters of a search: from the ids, URNs or references given as targets to the units that cite them.

_FIRST = 1000  # numbers the values of these filters past those of the tags


def edge_parts(
    conn: Connection, searcher: Searcher, edges: Mapping[str, str], scope: Scope, stored: Sequence[str]
) -> tuple[list[Part], list[str]]:
    """One filter for each kind of edge, and warnings about targets that the store does not have.

    Args:
        edges: kind of edge, or `*`, -> targets: `a|b` either, `a&b` both.
        scope: the jurisdictions and the date of the nodes that cite.
        stored: all jurisdictions of the store; a target may lie in any.

    Raises:
        InputError: a filter cannot be used.
    """
    parts: list[Part] = []
    warnings: list[str] = []
    for position, (kind, text) in enumerate(edges.items()):
        units: set[tuple[str, int]] | None = None
        name = f"edges[{kind}]"
        for group in edge_targets(kind, text):
            citing: set[tuple[str, int]] = set()
            for target in group:
                found, note = _citing(conn, searcher, kind, target, scope, stored)
                citing |= found
                if note:
                    warnings.append(f"{name}: {note}")
            units = citing if units is None else units & citing
        parts.append(unit_part(name, _FIRST + position, sorted(units or ())))
    return parts, warnings


def _citing(
    conn: Connection, searcher: Searcher, kind: str, target: str, scope: Scope, stored: Sequence[str]
) -> tuple[set[tuple[str, int]], str]:
    """The units with an edge to a target, and what to say of how the target was read."""
    nodes, note = _target_nodes(conn, searcher, target, scope.at_date, stored)
    urns = {node.urn for node in nodes}
    if is_urn(target):
        urns.update(urn_spellings(parse_urn(target)))
    codes = {parse_urn(urn).jurisdiction for urn in urns} | {node.jurisdiction for node in nodes}
    values = {
        "jurisdictions": list(scope.jurisdictions),
        "target_jurisdictions": sorted(codes),
        "at_date": scope.at_date,
        "kind": None if kind == ANY_KIND else kind,
        "lows": sorted({node.path for node in nodes}),
        "highs": [subtree_end(path) for path in sorted({node.path for node in nodes})],
        "urns": sorted(urns),
    }  # fmt: skip
    return set(conn.execute(QUERIES["find_edge_units"], values).fetchall()), note


def _target_nodes(
    conn: Connection, searcher: Searcher, target: str, at_date: date, stored: Sequence[str]
) -> tuple[list[NodeVersion], str]:
    """All versions of the nodes that a target names: a URN, an id of another system, else a reference."""
    text = checked_reference(target)
    today = searcher.today
    request = Request(text, tuple(stored), None, None, today, {})
    urns = sorted({hit.urn for hit in StoreFinder(conn).direct(request)})
    note = ""
    if not urns and not is_urn(text):
        found = resolve_reference(conn, searcher.grammars, text, today=today, at_date=at_date)
        if found.status == "ambiguous":
            named = ", ".join(candidate.urn for candidate in found.candidates[:5])
            raise InputError(f"A target in `edges` may mean several provisions: {named}. Give one of them by its URN.")
        urns = [found.urn] if found.urn else []
        note = f"a target was read as {found.urn}." if found.urn else ""
    if not urns:
        note = "a target is not in the store; only edges that name its URN count." if is_urn(text) else (
            "a target is not in the store. Give a URN, or an id or reference that `resolve` finds."
        )  # fmt: skip
    return (versions_by_urn(conn, urns) if urns else []), note


# From nodes to the public results of a search: snippets, dates, documents.


def search_hits(
    conn: Connection, asked: Asked, points: Sequence[EntryPoint], synonyms: Sequence[SynonymHit]
) -> list[SearchHit]:
    """Entry points as hits, each with the part of its words that the query is about."""
    at_date, query = asked.request.at_date, asked.syntax.text
    shown = [point.hit or point.rule for point in points]
    below = _first_words(conn, [version for version in shown if not version.text and not version.heading], at_date)
    said = {
        version.id: with_gap(version.text, version.after_children)
        or version.heading
        or below.get((version.jurisdiction, version.node_id), "")
        for version in shown
    }
    terms = [synonym.target for synonym in synonyms if not synonym.is_urn]
    words: dict[str, tuple[Lexemes, frozenset[str], frozenset[str]]] = {}
    for language in sorted({version.language for version in shown}):
        texts = [said[version.id] for version in shown if version.language == language]
        lexemes = read_lexemes(conn, [query, *terms, *texts], language)
        words[language] = lexemes, wanted_lexemes(lexemes, [query]), wanted_lexemes(lexemes, terms)
    facts = _Facts(conn, asked, [(point.rule, node) for point, node in zip(points, shown, strict=True)])
    return [
        facts.hit(point.rule, snippet(said[node.id], *words[node.language], query=query), point)
        for point, node in zip(points, shown, strict=True)
    ]


def browsed_hits(conn: Connection, asked: Asked, browsed: Browsed) -> list[SearchHit]:
    """Browsed nodes as hits, in their order; a node without words of its own shows the first below it."""
    at_date = asked.request.at_date
    nodes = {
        (node_version.jurisdiction, node_version.node_id): node_version
        for node_version in nodes_by_ids(conn, ((code, node) for code, node, _ in browsed.nodes), at_date)
    }
    rows = [nodes[code, node] for code, node, _ in browsed.nodes]
    facts = _Facts(conn, asked, [(row, row) for row in rows])
    nothing = Lexemes({})
    below = _first_words(conn, [row for row in rows if not row.text], at_date)
    return [
        facts.hit(
            row,
            snippet(
                with_gap(row.text, row.after_children) or below.get((row.jurisdiction, row.node_id), row.heading),
                nothing,
                frozenset(),
            ),
        )
        for row in rows
    ]


def _first_words(conn: Connection, nodes: Sequence[NodeVersion], at_date: date) -> dict[tuple[str, int], str]:
    """The first words below nodes that have none themselves, by (jurisdiction, node id)."""
    if not nodes:
        return {}
    codes = sorted({node.jurisdiction for node in nodes})
    values = {"jurisdictions": codes, "ids": [node.node_id for node in nodes], "at_date": at_date}
    rows = send_each(conn, QUERIES["find_first_words"], values).fetchall()
    return {(code, node): words for code, node, words in rows}


class _Facts:
    """What a hit says of its node beside its words, read once for a page."""

    def __init__(self, conn: Connection, asked: Asked, nodes: Sequence[tuple[NodeVersion, NodeVersion]]) -> None:
        """Read it for rules, each with the node that is shown of it."""
        self._at_date = at_date = asked.request.at_date
        keys = {(node.jurisdiction, node.node_id) for pair in nodes for node in pair}
        self._served = served_as(conn, keys, at_date)
        chains = {
            rule.urn: served.line
            for rule, node in nodes
            if (served := self._served.get((node.jurisdiction, node.node_id))) is not None and served.line
        }
        self._overrides: Mapping[str, str] = asked.searcher.struck(conn, chains, at_date) if chains else {}

    def hit(self, node: NodeVersion, words: str, point: EntryPoint | None = None) -> SearchHit:
        served = self._served.get((node.jurisdiction, node.node_id), ServedAs(None, node.kind, node.urn, []))
        return SearchHit(
            urn=node.urn,
            document_urn=served.document_urn,
            heading=node.heading,
            snippet=words,
            score=point.score if point else 0.0,
            relevance_score=point.relevance_score if point else None,
            legs=Legs(**point.legs) if point else Legs(),
            hit_urn=point.hit_urn if point else node.urn,
            kind=served.kind,
            jurisdiction=node.jurisdiction,
            language=node.language,
            day=served.day,
            uncertain=" ".join(uncertain_date.message for uncertain_date in uncertain_dates([node], self._at_date)),
            override=self._overrides.get(node.urn, ""),
        )


NO_MATCH = "No provision in the store matches. That is not a statement that no law exists."

NO_DENSE = "The semantic search did not run: no embedder is configured, or it failed. Use keyword or hybrid."


@dataclass(frozen=True, slots=True)
class Asked:
    """A request in the store it is asked of."""

    searcher: Searcher
    request: SearchRequest
    scope: Scope
    syntax: Syntax
    stored: tuple[str, ...]  # all jurisdictions of the store


def run_search(
    conn: Connection, searcher: Searcher, request: SearchRequest, embedded: EmbeddedFor | None = None
) -> SearchResult:
    """Run a checked request.

    Args:
        conn: a read connection; its transaction is the snapshot.
        searcher: grammars, the reranker, and what names law of other days.
        request: what is asked for; its query was checked.
        embedded: gives the query's embedding; None where nothing is ranked.

    Raises:
        InputError: a filter cannot be used in this store.
    """
    sources, vectors = sources_and_vectors(conn)
    vector = embedded(vectors) if embedded else QuestionVector()
    scope = scope_of(request, ((source.jurisdiction, source.language) for source in sources))
    stored = tuple(sorted({source.jurisdiction for source in sources}))
    if request.edges:
        scope = scope.with_parts(*edge_parts(conn, searcher, request.edges, scope, stored))
    asked = Asked(searcher, request, scope, query_syntax(request.query), stored)
    if request.discover is not None:
        return _discover(conn, asked, request.discover)
    result = with_citing_counts(conn, _rank(conn, asked, vector) if asked.syntax.text else _browse(conn, asked), stored)
    told = list(dict.fromkeys(hit.uncertain for hit in result.results if hit.uncertain))
    return result.model_copy(update={"warnings": [*result.warnings, *told]}) if told else result


def query_syntax(query: str | None) -> Syntax:
    """A query taken apart; a URN is one whatever signs it holds."""
    if query is None:
        return Syntax("")
    return Syntax(query) if is_urn(query) else parse_syntax(query)


# --- with a query ----------------------------------------------------------------------------------------------------


def _rank(conn: Connection, asked: Asked, vector: QuestionVector) -> SearchResult:
    """Languages are searched one by one, each with its own words' statistics, and merged by score."""
    request, reranking = asked.request, asked.searcher.reranking
    named, notes = _named(conn, asked)
    reach = max(request.offset + request.limit, reranking.candidates if request.rerank else 0)

    def count(other: Asked) -> int:
        words = replace(other, request=replace(other.request, mode="keyword", offset=0, limit=1))
        found = (_points(conn, words, language, QuestionVector(), 1) for language in other.scope.languages)
        return sum(run.total for run in found)

    runs = [_points(conn, asked, language, vector, reach, named) for language in asked.scope.languages]
    if not any(run.total for run in runs) and (left := _without_quotes(asked, count)) is not None:
        asked = left
        runs = [_points(conn, asked, language, vector, reach, named) for language in asked.scope.languages]
    languages = asked.scope.languages
    spoken = asked.searcher.spoken(asked.syntax.text, languages) if len(languages) > 1 else ""
    points = _merged(runs, languages, spoken)
    total = sum(run.total for run in runs) - sum(len(run.points) for run in runs) + len(points)
    judged: list[str] = []
    if request.rerank:
        reranked = reranking.apply(conn, points, asked.syntax.text, request.at_date)
        points, judged = reranked.points, reranked.warnings
        total = len(points) if reranked.judged else total  # the others were not kept
    page = points[request.offset : request.offset + request.limit]
    told = {
        note.partition(" ")[0] for note in notes if note.startswith("urn:")
    }  # URNs of which it is said why they are not among the hits
    warnings = [
        *judged,
        *notes,
        *asked.scope.warnings,
        *asked.syntax.warnings,
        *(warning for run in runs for warning in run.warnings if warning.partition(" ")[0] not in told),
    ]
    warnings += [said for point in page if (said := gone_since(point.rule.urn, point.rule))]
    if any(len(hits) >= LEG_LIMIT for run in runs for hits in run.legs.values()):
        warnings.append(f"More may match: of each way of searching only the best {LEG_LIMIT} provisions are counted.")
    synonyms = [synonym for run in runs for synonym in run.synonyms]
    result = _result(asked, request.mode, total, warnings).model_copy(
        update={"results": search_hits(conn, asked, page, synonyms)}
    )
    if total:
        return _paged(result, len(page))

    if request.mode == "semantic" and any(warning.startswith("dense: skipped") for warning in warnings):
        return result.model_copy(update={"message": NO_DENSE})

    searched = [_filters(asked, language) for language in asked.scope.languages]
    other_days = " ".join(
        told
        for filters, found in zip(searched, runs, strict=True)
        if (told := asked.searcher.other_days(conn, asked.syntax.text, filters, found, request.at_date))
    )
    return _nothing(conn, asked, result.model_copy(update={"message": f"{NO_MATCH} {other_days}".rstrip()}), count)


def _without_quotes(asked: Asked, count: Callable[[Asked], int]) -> Asked | None:
    """The request without the quoted phrases that leave nothing, which its warnings name; None where it has none.

    People quote what they were told; only an operator says that a phrase has to be there.
    """
    syntax = asked.syntax
    quoted = [group for group in syntax.required if len(group) == 1 and group[0] in syntax.quoted]
    if not quoted:
        return None
    gone = [pair for pair in quoted if not count(replace(asked, syntax=replace(syntax, required=(pair,))))] or quoted
    phrases = " and ".join(f"“{pair[0]}”" for pair in gone)
    note = f"syntax: no provision searched has {phrases}; the words alone were looked for."
    kept = tuple(group for group in syntax.required if group not in gone)
    return replace(asked, syntax=replace(syntax, required=kept, warnings=(*syntax.warnings, note)))


def _points(
    conn: Connection, asked: Asked, language: str, vector: QuestionVector, limit: int, named: Sequence[str] = ()
) -> EntryPoints:
    request = asked.request
    return find_points(
        conn, asked.searcher, asked.syntax.text, _filters(asked, language), request.mode, vector, limit,
        expand_synonyms=request.should_expand_synonyms, named=named, depth=LEG_LIMIT,
        with_hits=True,
    )  # fmt: skip


def _filters(asked: Asked, language: str) -> Filters:
    return asked.scope.filters(language, syntax_parts(asked.syntax, language))


def _merged(runs: Sequence[EntryPoints], languages: Sequence[str], spoken: str = "") -> list[EntryPoint]:
    """The entry points of all languages by score; what the question cites first, once, in the question's order.

    The best of each language has the score 1, whether the law in that language has the question's words or not: where
    several are searched, a score counts by how much of the question one of the first hits has, and whole in the
    language that is `spoken` in the question.
    """
    several = len(runs) > 1 and any(run.most for run in runs)
    points: dict[tuple[str, int], EntryPoint] = {}
    for run, language in reversed([*zip(runs, languages, strict=True)]):
        worth = run.most if several and language != spoken else 1.0
        for point in reversed(run.points):
            if point.rule.language in languages:
                own = point if "citation" in point.legs else replace(point, score=round(point.score * worth, 9))
                points[point.rule.jurisdiction, point.rule.node_id] = own
    cited = [point for point in runs[0].points if "citation" in point.legs and point.rule.language in languages]
    rest = [point for point in points.values() if "citation" not in point.legs]
    if len(runs) > 1:
        rest.sort(key=lambda one: (-one.score, one.rule.urn, one.rule.jurisdiction))
    else:
        rest.reverse()
    return [*cited, *rest]


def _named(conn: Connection, asked: Asked) -> tuple[list[str], list[str]]:
    """The provisions that the whole query names, as `resolve` finds them, and what it says of its reading."""
    text, codes = asked.syntax.text.rstrip(" ?."), asked.scope.jurisdictions
    if is_urn(text) or not text or len(text) > MAX_REFERENCE:
        return [], []
    read = (parser.tag_queries(text) for code in codes for parser in asked.searcher.grammars.parsers_for(code))
    if not is_path(text) and not any(read):
        return [], []
    language = asked.scope.languages[0] if len(asked.scope.languages) == 1 else None
    found = resolve_reference(
        conn, asked.searcher.grammars, text, today=asked.searcher.today, jurisdiction="|".join(codes),
        language=language, at_date=asked.request.at_date,
    )  # fmt: skip
    return [candidate.urn for candidate in found.candidates], found.warnings


# --- without one -----------------------------------------------------------------------------------------------------


def _browse(conn: Connection, asked: Asked) -> SearchResult:
    request = asked.request

    def scope(one: Asked) -> Scope:
        return one.scope.with_parts(syntax_parts(one.syntax, one.scope.languages[0]))

    found = browse(conn, scope(asked), request.limit, request.offset)
    warnings = [*asked.scope.warnings, *asked.syntax.warnings]
    if asked.syntax.excluded:
        warnings.append("query: it only excludes words, so what fits is listed by date.")
    result = _result(asked, "browse", found.total, warnings).model_copy(
        update={"results": browsed_hits(conn, asked, found)}
    )
    if found.total:
        return _paged(result, len(found.nodes))
    return _nothing(conn, asked, result, lambda other: browse(conn, scope(other), 1, 0).total)


def _discover(conn: Connection, asked: Asked, key: str) -> SearchResult:
    request = asked.request
    total, values = discover(conn, asked.scope, key, request.limit, request.offset)
    warnings = [*asked.scope.warnings]
    if request.query is not None:
        warnings.append("query: values are counted over all that fits the filters, whatever the query.")
    if key == ALL_KEYS and total and request.offset + len(values) >= total:
        warnings.append(f"keys: these can be filtered by as well: {', '.join(VIRTUAL_KEYS)}.")
    result = _result(asked, "discover", total, warnings).model_copy(update={"values": values})
    if total:
        return _paged(result, len(values))
    keys = [] if key in (ALL_KEYS, EDGE_KINDS) else stored_keys(conn, asked.scope)
    known = f" Keys spelled like it: {', '.join(near)}." if (near := near_keys(key, keys)) else ""
    return _nothing(
        conn, asked, result.model_copy(update={"message": f"Nothing that fits has such a key.{known}"}),
        lambda other: discover(conn, other.scope, key, 1, 0)[0],
    )  # fmt: skip


# --- the result ------------------------------------------------------------------------------------------------------


def _result(asked: Asked, mode: str, total: int, warnings: Iterable[str]) -> SearchResult:
    request = asked.request
    return SearchResult.model_validate({
        "query": request.query or "", "at_date": request.at_date, "mode": mode, "total": total, "results": [],
        "warnings": list(dict.fromkeys(warnings)), "limit": request.limit, "offset": request.offset,
    })  # fmt: skip


def _paged(result: SearchResult, shown: int) -> SearchResult:
    end = result.offset + shown
    return result.model_copy(
        update={
            "next_offset": end if shown and end < result.total else None,
            "message": "" if shown else f"`offset` is past the last of {result.total}; begin with offset 0.",
        }
    )


def _nothing(conn: Connection, asked: Asked, result: SearchResult, count: Callable[[Asked], int]) -> SearchResult:
    """The result without hits: which filter alone stands in the way, and keys or kinds that do not exist."""
    removed = [RemovedBy(filter=name, total=total) for name, other in _variants(asked) if (total := count(other))]
    message = result.message or NO_MATCH
    if removed:
        counts = ", ".join(f"{removed_by.total:,} without `{removed_by.filter}`" for removed_by in removed)
        message = f"{message} There would be hits without one of the filters: {counts}."
    elif asked.scope.parts and (total := count(_free(asked))):
        removed = [RemovedBy(filter="all filters but jurisdiction and language", total=total)]
        message = f"{message} No single filter stands in the way; without all of them there are {total} hits."
    elif asked.request.query:
        message = f"{message} Try other words, another jurisdiction or another date."
    return result.model_copy(
        update={"removed_by": removed, "message": message, "warnings": [*result.warnings, *_unknown(conn, asked)]}
    )


def _variants(asked: Asked) -> list[tuple[str, Asked]]:
    """The request without each of its filters, under the filter's name."""
    scope, syntax, today = asked.scope, asked.syntax, asked.searcher.today
    names = dict.fromkeys(part.name for part in scope.parts)
    out = [(name, replace(asked, scope=scope.without(name))) for name in names]
    if syntax.required:
        out.append(("required words", replace(asked, syntax=replace(syntax, required=()))))
    if syntax.excluded and syntax.text:
        out.append(("excluded words", replace(asked, syntax=replace(syntax, excluded=()))))
    if set(scope.jurisdictions) != set(asked.stored):
        out.append(("tags[jurisdiction]", replace(asked, scope=replace(scope, jurisdictions=asked.stored))))
    if asked.request.at_date != today and not asked.request.edges:  # edges were looked up at the date
        request = replace(asked.request, at_date=today)
        out.append(("at_date", replace(asked, request=request, scope=replace(scope, at_date=today))))
    return out


def _free(asked: Asked) -> Asked:
    scope = asked.scope
    for name in dict.fromkeys(part.name for part in scope.parts):
        scope = scope.without(name)
    return replace(asked, scope=scope, syntax=replace(asked.syntax, required=(), excluded=()))


def _unknown(conn: Connection, asked: Asked) -> list[str]:
    """Keys and kinds of edges that nothing in the chosen jurisdictions has, with those spelled like them."""
    tagged = [key for key in asked.request.tags if key not in VIRTUAL_KEYS]
    keys = stored_keys(conn, asked.scope) if tagged else []
    kinds = [kind for kind in asked.request.edges if kind != ANY_KIND]
    existing = [kind.value for kind in _edge_kinds(conn, asked.scope)] if kinds else []
    return [
        _near(f"tags[{key}]: no node of the chosen jurisdictions has this key", key, keys)
        for key in tagged if key not in keys
    ] + [
        _near(f"edges[{kind}]: there are no edges of this kind", kind, existing)
        for kind in kinds if kind not in existing
    ]  # fmt: skip


def _edge_kinds(conn: Connection, scope: Scope) -> list[FacetValue]:
    everything = Scope(scope.jurisdictions, scope.languages, scope.at_date, scope.kinds)
    return discover(conn, everything, EDGE_KINDS, 200, 0)[1]


def _near(what: str, name: str, names: list[str]) -> str:
    near = near_keys(name, names) or names[:20]
    return f"{what}; there are {', '.join(near)}." if near else f"{what}."
