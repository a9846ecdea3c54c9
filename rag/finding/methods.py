"""The engine's methods that find: search, browse, discover; with those that list and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import get_args

from rag import requests
from rag.documents.reading import DocumentMethods
from rag.finding.lists import ListMethods
from rag.finding.rules import QuestionVector, embed_question
from rag.finding.search import query_syntax, run_search
from rag.settings import Settings
from rag.store.database import Database
from retrieval.entry_points.operators import checked_mapping
from retrieval.entry_points.request import Mode, SearchRequest, checked_page
from retrieval.entry_points.reranking import Reranking
from retrieval.errors import InputError
from retrieval.model import SearchResult
from retrieval.providers.embedding import Embedder

MODES: tuple[Mode, ...] = get_args(Mode)


class SearchMethods(ListMethods, DocumentMethods):
    """Part of `rag.engine.Engine`."""

    database: Database
    settings: Settings
    embedder: Embedder | None
    reranking: Reranking

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
            language: ISO 639-1; needed only where the jurisdictions have law in several.
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
        request = self._search_request(
            query, jurisdiction=jurisdiction, language=language, tags=tags, edges=edges, discover=discover,
            at_date=at_date, date_from=date_from, date_to=date_to, should_expand_synonyms=should_expand_synonyms,
            mode=mode, rerank=rerank,
        )  # fmt: skip
        applied, notes = checked_page(self.settings.candidates if limit is None else limit, offset)
        request = replace(request, limit=applied, offset=offset)
        text = query_syntax(request.query).text
        ranked = bool(text) and request.discover is None
        vector = embed_question(self.database, self.embedder, text, request.mode) if ranked else QuestionVector()
        with self.database.read() as conn:
            result = run_search(conn, request, vector, self.reranking)
        return result.model_copy(update={"warnings": [*notes, *result.warnings]}) if notes else result

    def _search_request(
        self,
        query: str | None,
        *,
        jurisdiction: str | None,
        language: str | None,
        tags: Mapping[str, str] | None,
        edges: Mapping[str, str] | None,
        discover: str | None,
        at_date: date | str | None,
        date_from: date | str | None,
        date_to: date | str | None,
        should_expand_synonyms: bool,
        mode: Mode,
        rerank: bool,
    ) -> SearchRequest:
        """A checked request.

        Raises:
            InputError: a part of it cannot be used; the message says which.
        """
        if mode not in MODES:
            raise InputError(f"`mode` is one of {', '.join(MODES)}.")
        filters = checked_mapping("tags", tags)
        given = (jurisdiction or "").strip()
        if jurisdiction is not None and filters.setdefault("jurisdiction", given).strip() != given:
            raise InputError("`jurisdiction` and tags[jurisdiction] differ; give one of them.")
        if discover is not None and (len(discover) > 63 or not discover.isprintable()):
            raise InputError("`discover` is the key of a tag, `*` for all keys, or `edge_kinds`.")
        return SearchRequest(
            query=None if query is None else requests.checked_question(query),
            language=language,
            tags=filters,
            edges=checked_mapping("edges", edges),
            discover=discover,
            at_date=requests.checked_date(at_date),
            date_from=None if date_from is None else requests.checked_date(date_from),
            date_to=None if date_to is None else requests.checked_date(date_to),
            should_expand_synonyms=should_expand_synonyms,
            mode=mode,
            rerank=rerank,
        )
