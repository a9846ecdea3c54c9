"""The engine's methods that show what the store holds: the structure of the law, and its documents."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from rag import requests
from rag.finding.resolution import resolve_reference
from rag.store.database import Database
from rag.telemetry.trace import utc_now
from retrieval.browsing.browse import DocumentPage, StructurePage, browse_sections, checked_depth, list_documents
from retrieval.entry_points.operators import checked_mapping, tag_filter
from retrieval.entry_points.request import Scope, SearchRequest, checked_page, scope_of
from retrieval.errors import InputError
from retrieval.nodes import Connection, NodeVersion
from retrieval.references import lookup
from retrieval.tag_query import TagFilterOp

PAGE = 50  # nodes or documents, where no limit is given


class ListMethods:
    """Part of `rag.engine.Engine`."""

    database: Database

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
            language: ISO 639-1; no tree mixes languages. Needed where the jurisdictions have law in several.
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
        applied, notes = checked_page(limit, offset)
        levels, more = checked_depth(depth)
        filters = _with_jurisdiction(checked_mapping("tags", tags), jurisdiction)
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


def _with_jurisdiction(filters: dict[str, str], jurisdiction: str | None) -> dict[str, str]:
    given = (jurisdiction or "").strip()
    if jurisdiction is not None and filters.setdefault("jurisdiction", given).strip() != given:
        raise InputError("`jurisdiction` and tags[jurisdiction] differ; give one of them.")
    return filters


def _scope(conn: Connection, request: SearchRequest) -> Scope:
    return scope_of(request, ((one.jurisdiction, one.language) for one in requests.stored_sources(conn)))


def _types(text: str | None) -> tuple[str, ...] | None:
    if text is None or text.strip() == "*":
        return None
    one = tag_filter("type", text, "`type`")
    if one.op is not TagFilterOp.IN:
        raise InputError("`type` is a type, or `a|b` for several; other operators are not for it.")
    return one.values


def _root(conn: Connection, root_id: str, day: date) -> tuple[NodeVersion | None, str]:
    """The node that a root names, or why there is none."""
    found = resolve_reference(conn, root_id, today=utc_now().date(), at_date=day)
    if found.urn is None:
        near = found.suggestions or [one.urn for one in found.candidates]
        known = f" Known: {', '.join(near[:10])}." if near else ""
        return None, f"`root_id` names no node. {found.message}{known}"
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
