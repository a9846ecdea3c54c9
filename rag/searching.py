"""Search, browse, discover, and lists of what the store holds: the structure of the law, and its documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, get_args

from rag import clock, requests
from rag.answering.earlier_law import law_of_other_days
from rag.jurisdictions.grammars import GRAMMARS
from rag.languages.registry import language_of, language_told, term_rules
from rag.settings import Settings
from rag.store.database import Database
from retrieval.context.overrides import overrides_for
from retrieval.entry_points.finding import Searcher, embedding_of
from retrieval.entry_points.operators import checked_mapping, tag_filter
from retrieval.entry_points.request import Mode, Scope, SearchRequest, checked_page, scope_of
from retrieval.entry_points.reranking import NO_RERANKING, Reranking
from retrieval.entry_points.sources import stored_sources
from retrieval.errors import InputError
from retrieval.model import SearchResult
from retrieval.nodes import Connection, NodeVersion
from retrieval.providers.embedding import Embedder
from retrieval.references import lookup
from retrieval.references.resolution import resolve_reference
from retrieval.tag_query import TagFilterOp

if TYPE_CHECKING:
    from retrieval.browsing.browse import DocumentPage, StructurePage

MODES: tuple[Mode, ...] = get_args(Mode)
PAGE = 50  # nodes or documents, where no limit is given


class Searching:
    """Searching a store and listing what it holds; `Engine.searching`."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        embedder: Embedder | None = None,
        reranking: Reranking = NO_RERANKING,
    ) -> None:
        self.database = database
        self.settings = settings
        self.embedder = embedder
        self.reranking = reranking

    def searcher(self, beside: Sequence[str] = ()) -> Searcher:
        """What looking for rules takes; the jurisdictions `beside` are asked the same question, each for itself."""
        return Searcher(
            GRAMMARS, law_of_other_days, self.reranking, clock.today(), _struck, language_told, meanings_asked,
            tuple(beside),
        )  # fmt: skip

    def search(
        self,
        query: str | None = None,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        tags: Mapping[str, str] | None = None,
        edges: Mapping[str, str] | None = None,
        discover: str | None = None,
        at_date: date | str | None = None,
        date_from: date | str | None = None,
        date_to: date | str | None = None,
        should_expand_synonyms: bool = True,
        mode: Mode = "hybrid",
        rerank: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> SearchResult:
        """Candidate rules for a query, best first; what fits filters, latest first; or the values of a tag.

        Args:
            query: words or a reference; `"a phrase"` and `a AND b` are required, `a OR b` one of them, `-word`
                excluded. None lists what fits the filters.
            jurisdiction: the same as the tag: `us-dc`, `fr` (with its subdivisions), `eu|fr`, `!=eu`; None for all.
            language: ISO 639-1; all by default.
            tags: filters by key: `value`, `!=value`, `a|b`, `!=a|b`, `*` (there), `!*` (not there). A node has the
                tags of what contains it. Also `kind`, `jurisdiction`, `source`, `language` and other columns.
            edges: kind of edge, or `*` -> the URN or id of its target; `a|b` either, `a&b` both.
            discover: a key whose values are counted in place of a search; `*` for the keys, or `edge_kinds`.
            at_date: the date of the law; today in UTC by default.
            date_from: only what is dated on this day or later: the decision, the document, else the version.
            date_to: only what is dated on this day or earlier.
            should_expand_synonyms: False searches the query's own words alone.
            mode: `keyword`, `semantic` or `hybrid`.
            rerank: order the best candidates anew by the configured reranker.
            limit: results on a page, 1 to 100; the settings' `candidates` by default.
            offset: results to pass over.

        Raises:
            InputError: the request cannot be used.
            StoreError: the store failed.
        """
        from retrieval.search import query_syntax, run_search

        if mode not in MODES:
            raise InputError(f"`mode` is one of {', '.join(MODES)}.")
        filters = _with_jurisdiction(checked_mapping("tags", tags), jurisdiction)
        if language is None:
            filters.setdefault("language", "*")
        if discover is not None and (len(discover) > 63 or not discover.isprintable()):
            raise InputError("`discover` is the key of a tag, `*` for all keys, or `edge_kinds`.")
        request = SearchRequest(
            query=None if query is None else requests.checked_question(query), language=language, tags=filters,
            edges=checked_mapping("edges", edges), discover=discover, at_date=requests.checked_date(at_date),
            date_from=None if date_from is None else requests.checked_date(date_from),
            date_to=None if date_to is None else requests.checked_date(date_to),
            should_expand_synonyms=should_expand_synonyms, mode=mode, rerank=rerank,
        )  # fmt: skip
        applied, notes = checked_page(self.settings.candidates if limit is None else limit, offset)
        request = replace(request, limit=applied, offset=offset)
        text = query_syntax(request.query).text
        ranked = bool(text) and request.discover is None
        embedded = embedding_of(self.database, self.embedder, text, request.mode) if ranked else None
        with self.database.read() as conn:
            result = run_search(conn, self.searcher(), request, embedded)
        return result.model_copy(update={"warnings": [*notes, *result.warnings]}) if notes else result

    def browse_structure(
        self,
        *,
        language: str | None = None,
        tags: Mapping[str, str] | None = None,
        jurisdiction: str | None = None,
        root_id: str | None = None,
        depth: int | None = None,
        limit: int = PAGE,
        offset: int = 0,
        at_date: date | str | None = None,
        provisions: bool = False,
    ) -> StructurePage:
        """The headings of the law as a tree, depth first, in the order of the publications.

        Args:
            language: ISO 639-1; all by default. No tree mixes languages.
            tags: `jurisdiction` and other filters, with the operators of `search`; they hold for every node listed.
            jurisdiction: the same as the tag.
            root_id: a URN, id or reference to begin at; None for all top-level roots.
            depth: levels below the top, 0 to 20; all by default.
            limit: nodes on a page, 1 to 100.
            offset: nodes to pass over.
            at_date: the date of the law; today in UTC by default.
            provisions: whether the provisions directly below headings are listed too.

        Raises:
            InputError: the request cannot be used.
            StoreError: the store failed.
        """
        from retrieval.browsing.browse import StructurePage, browse_sections, checked_depth

        applied, notes = checked_page(limit, offset)
        levels, more = checked_depth(depth)
        filters = _with_jurisdiction(checked_mapping("tags", tags), jurisdiction)
        if language is None:
            filters.setdefault("language", "*")
        kind = filters.pop("kind", "section")
        if kind != "section":
            raise InputError("The structure consists of headings: the only `kind` is section. Use search for others.")
        day = requests.checked_date(at_date)
        with self.database.read() as conn:
            scope = _scope(conn, SearchRequest(language=language, tags=filters, at_date=day))
            root, missing = (None, "") if root_id is None else _root(conn, root_id, day)
            if missing:
                empty = StructurePage(
                    at_date=day, root_id=None, depth=levels, total=0, limit=applied, offset=offset, sections=[]
                )
                return empty.model_copy(update={"message": missing})
            page = browse_sections(conn, scope, root, levels, applied, offset, provisions=provisions)
        return page.model_copy(
            update={"warnings": [*notes, *more, *page.warnings], "message": _why_no_section(page, root, scope)}
        )

    def list_documents(
        self,
        *,
        jurisdiction: str | None = None,
        language: str | None = None,
        type: str | None = None,
        tags: Mapping[str, str] | None = None,
        at_date: date | str | None = None,
        limit: int = PAGE,
        offset: int = 0,
    ) -> DocumentPage:
        """The documents of the store, each once, with the number of its chunks.

        Args:
            jurisdiction: `us-dc`, `fr` (with its subdivisions), `eu|fr`, `!=eu`; None or `*` for all.
            language: ISO 639-1; all by default.
            type: only documents of this type, or `a|b` for several: the tag `type` of a document, or legislation,
                decision, record, notice, whatever its tag.
            tags: further filters on the documents, with the operators of `search`.
            at_date: the date of the law; today in UTC by default.
            limit: documents on a page, 1 to 100.
            offset: documents to pass over.

        Raises:
            InputError: the request cannot be used.
            StoreError: the store failed.
        """
        from retrieval.browsing.browse import list_documents

        applied, notes = checked_page(limit, offset)
        filters = _with_jurisdiction(checked_mapping("tags", tags), jurisdiction)
        kind = filters.pop("kind", None)
        if kind is not None and type is not None:
            raise InputError("`type` and tags[kind] say the same; give one of them.")
        types = _types(type if type is not None else kind)
        if language is None:
            filters.setdefault("language", "*")
        day = requests.checked_date(at_date)
        with self.database.read() as conn:
            scope = _scope(conn, SearchRequest(language=language, tags=filters, at_date=day))
            page = list_documents(conn, scope, types, applied, offset)
        return page.model_copy(update={"warnings": [*notes, *page.warnings]})


def _struck(conn: Connection, chains: dict[str, list[str]], at_date: date) -> dict[str, str]:
    """What courts did to provisions or to what contains them, in effect at a date."""
    return {
        urn: "; ".join(f"{one.status}: {one.court}, {one.court_citation}" for one in law)
        for urn, law in overrides_for(conn, chains, at_date).items()
    }


def _with_jurisdiction(filters: dict[str, str], jurisdiction: str | None) -> dict[str, str]:
    given = (jurisdiction or "").strip()
    if jurisdiction is not None and filters.setdefault("jurisdiction", given).strip() != given:
        raise InputError("`jurisdiction` and tags[jurisdiction] differ; give one of them.")
    return filters


def _scope(conn: Connection, request: SearchRequest) -> Scope:
    return scope_of(request, ((source.jurisdiction, source.language) for source in stored_sources(conn)))


def _types(text: str | None) -> tuple[str, ...] | None:
    if text is None or text.strip() == "*":
        return None
    one = tag_filter("type", text, "`type`")
    if one.op is not TagFilterOp.IN:
        raise InputError("`type` is a type, or `a|b` for several; other operators are not for it.")
    return one.values


def _root(conn: Connection, root_id: str, day: date) -> tuple[NodeVersion | None, str]:
    """The node that a root names, or why there is none."""
    found = resolve_reference(conn, GRAMMARS, root_id, today=clock.today(), at_date=day)
    if found.urn is None:
        near = found.suggestions or [candidate.urn for candidate in found.candidates]
        known = f" Known: {', '.join(near[:10])}." if near else ""
        return None, f"The root names no node. {found.message}{known}"
    nodes, why = lookup.find_targets(conn, [found.urn], day)
    return (nodes[0], "") if why is None else (None, why.message)


def _why_no_section(page: StructurePage, root: NodeVersion | None, scope: Scope) -> str:
    if page.sections:
        return ""
    if page.total:
        return f"`offset` is past the last of {page.total}; begin with offset 0."
    if root is not None and root.jurisdiction not in scope.jurisdictions:
        return f"The root is law of {root.jurisdiction}, which the filter on the jurisdiction leaves out."
    if root is not None and root.language not in scope.languages:
        return f"The root is in {root.language}; no tree mixes languages."
    if scope.parts:
        return "No heading fits the filters; leave some of them out."
    return "The chosen law has no headings; search and list_documents find what it has."


_LONGEST = 100  # characters of a term
_WORD = re.compile(r"[^\W\d_]+")


def meanings_asked(question: str, language: str) -> list[str]:
    """What the term may be whose meaning the whole of a question asks for, normalised, the likeliest first.

    Args:
        question: with blanks in place of the provisions and places that it names.
        language: of the question and of the law.

    Returns:
        Nothing where it asks for something else or for more: "What is a tenant liable for?".
    """
    words = language_of(language).questions
    asked = words.meaning.match(question)
    if asked is None:
        return []
    groups = asked.groupdict()
    limits = " ".join(text for name, text in groups.items() if text and name.startswith("where"))
    term = next((text for name, text in groups.items() if text and not name.startswith("where")), "")
    # "Tenancy in common" is a term, and "tenancy in this act" names the law.
    parts = [(term, ""), *((term[: match.start()], term[match.start() :]) for match in words.under.finditer(term))]
    rules = term_rules(language)
    found: dict[str, None] = {}
    for part, rest in parts:
        plain = rules.normalise(part.strip().rstrip("?？!.。"))
        if not plain or len(plain) > _LONGEST or not _only_names_law(f"{rest} {limits}", words.under, language):
            continue
        found[plain] = None
        keys = tuple(token.key for token in rules.tokens(plain))
        found.update(dict.fromkeys(" ".join(form) for form in rules.forms(keys)))
    return [*found]


def _only_names_law(rest: str, under: re.Pattern[str], language: str) -> bool:
    """Whether words behind a term do nothing but name a law or a place, which are blank."""
    idle = language_of(language).idle
    left = under.sub(" ", f" {' '.join(rest.split())}")
    return all(word.lower() in idle for word in _WORD.findall(left))
