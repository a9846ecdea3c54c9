"""The MCP tools that find and read: search, get_document, browse_structure, list_documents."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from rag.documents.model import REPLY_CHARACTERS, DocumentText, reply_characters, short_labels
from rag.engine import Engine
from rag.mcp.tools import CITE, MAX_FILTER, READ_ONLY, AtDate, Blocks, Exchange, Language, checked_filter, make_tool
from rag.searching import PAGE
from retrieval.browsing.browse import DocumentPage, StructurePage
from retrieval.entry_points.request import DEFAULT_LIMIT
from retrieval.model import SearchResult

Tags = Annotated[
    dict[str, str] | None,
    Field(
        description="filters; keys: kind (legislation, decision, record, notice), source, those that discover lists; "
        "values: a, !=a, a|b, * (has the key), !* (has it not)"
    ),
]
SameFilter = Annotated[str | None, Field(description="REQUIRED: us-ma, eu|fr, !=eu, * for all")]
Limit = Annotated[int, Field(description="results per page, at most 100")]
Offset = Annotated[int, Field(description="to page on, copy `next_offset`")]
Page = TypeVar("Page", SearchResult, StructurePage, DocumentPage)


def tools(engine: Engine, exchange: Exchange) -> list[Tool]:
    """The tools of this group, in the order in which they are listed."""

    def search(
        query: Annotated[
            str | None,
            Field(
                description="a question in plain words with the terms a statute would use, or a reference. "
                '"a phrase" and a AND b are required, a OR b one of them, -word excluded. None: list what fits the tags'
            ),
        ] = None,
        language: Language = None,
        tags: Tags = None,
        edges: Annotated[
            dict[str, str] | None,
            Field(description="kind of edge (cites, amends ...; * for any) -> URN of its target; a|b or a&b"),
        ] = None,
        discover: Annotated[
            str | None, Field(description="a tag key: its values with counts; * for the keys; edge_kinds")
        ] = None,
        at_date: AtDate = None,
        date_from: Annotated[str | None, Field(description="dated on this day or later")] = None,
        date_to: Annotated[str | None, Field(description="dated on this day or earlier")] = None,
        should_expand_synonyms: Annotated[
            bool, Field(description="also search the statutory terms of colloquial words")
        ] = True,
        jurisdiction: SameFilter = None,
        mode: Annotated[
            Literal["keyword", "semantic", "hybrid"],
            Field(description="keyword: words and synonyms; semantic: vectors; hybrid: both"),
        ] = "hybrid",
        rerank: Annotated[bool, Field(description="order anew by the reranker, where one is set")] = False,
        limit: Limit = DEFAULT_LIMIT,
        offset: Offset = 0,
    ) -> SearchResult:
        found = engine.search(
            query, jurisdiction=named_jurisdiction(engine, jurisdiction, tags, query), language=language, tags=tags,
            edges=edges, discover=discover, at_date=at_date, date_from=date_from, date_to=date_to,
            should_expand_synonyms=should_expand_synonyms, mode=mode, rerank=rerank, limit=limit, offset=offset,
        )  # fmt: skip
        return fitting(found, "values" if found.values else "results")

    def get_document(
        reference: Annotated[str, Field(description="a URN, or a reference such as 940 CMR 3.17(4)")],
        language: Language = None,
        highlight: Annotated[
            str | None,
            Field(description="words: only the blocks that hold them"),
        ] = None,
        blocks: Blocks = None,
        at_date: AtDate = None,
        tags: Annotated[
            dict[str, str] | None, Field(description="tags it must have, where a reference fits several")
        ] = None,
    ) -> DocumentText:
        return engine.document(
            reference, language=language, highlight=highlight, blocks=blocks, at_date=at_date, tags=tags
        )

    def browse_structure(
        language: Language = None,
        tags: Annotated[dict[str, str] | None, Field(description="filters, as in search")] = None,
        root_id: Annotated[
            str | None, Field(description="URN, id or reference to begin at; the roots by default")
        ] = None,
        depth: Annotated[int | None, Field(description="levels below the root; all by default")] = None,
        jurisdiction: SameFilter = None,
        at_date: AtDate = None,
        provisions: Annotated[bool, Field(description="list articles and sections too")] = False,
        limit: Limit = PAGE,
        offset: Offset = 0,
    ) -> StructurePage:
        where = jurisdiction if root_id else named_jurisdiction(engine, jurisdiction, tags)
        found = engine.browse_structure(
            language=language, tags=tags, jurisdiction=where, root_id=root_id, depth=depth, at_date=at_date,
            provisions=provisions, limit=limit, offset=offset,
        )  # fmt: skip
        return fitting(found, "sections")

    def list_documents(
        jurisdiction: Annotated[str | None, Field(description="us-dc, eu|fr, !=eu; all by default")] = None,
        language: Language = None,
        type: Annotated[
            str | None,
            Field(description="a type that the reply lists, or legislation, decision, record, notice"),
        ] = None,
        tags: Annotated[dict[str, str] | None, Field(description="further filters, as in search")] = None,
        at_date: AtDate = None,
        limit: Limit = PAGE,
        offset: Offset = 0,
    ) -> DocumentPage:
        found = engine.list_documents(
            jurisdiction=jurisdiction, language=language, type=type, tags=tags, at_date=at_date, limit=limit,
            offset=offset,
        )  # fmt: skip
        return fitting(found, "documents")

    return [
        make_tool(search, "Search the law", _SEARCH, READ_ONLY),
        make_tool(get_document, "Read a provision", _GET_DOCUMENT, READ_ONLY),
        make_tool(browse_structure, "Browse the structure of the law", _BROWSE_STRUCTURE, READ_ONLY),
        make_tool(list_documents, "List the documents", _LIST_DOCUMENTS, READ_ONLY),
    ]


_SEARCH = f"""\
Find candidate rules for a question, best first; without a query list what fits the tags, latest first; with \
`discover` list the values of a tag. Use it when you do not know which provision applies; then read the best ones with \
get_document, or get_context for everything they depend on: these two take a reference without a jurisdiction. Here \
`jurisdiction` is REQUIRED, unless the query is a reference that is certain. \
Snippets are parts of a text: do not quote or conclude from them. An empty list \
means that this store has no match, not that no law exists; `removed_by` names the filters that exclude matches. \
{CITE}"""
_GET_DOCUMENT = f"""\
Read the text of a provision, decision or document, or of any container such as a part or a title, in document order. \
Use it when you can name what you want: a URN from another result, an id, or a reference. Long texts come in numbered \
blocks: while `next_blocks` is not null there is more. Read `overrides` first: a court may have stopped the text. It \
does not bring definitions or exceptions from elsewhere; get_context does. {CITE}"""
_BROWSE_STRUCTURE = """\
Navigate the headings of codes, acts and regulations as a table of contents, depth first. `jurisdiction` or `root_id` \
is REQUIRED. Begin with depth 1, then pass a node's URN as `root_id`."""
_LIST_DOCUMENTS = """\
List the documents that the store holds, each once, with its type. Use it to see what can be found at all; \
get_document reads one."""


def named_jurisdiction(
    engine: Engine, jurisdiction: str | None, tags: dict[str, str] | None, query: str | None = None
) -> str | None:
    """The parameter, once the jurisdiction stands there or among the tags, or the query is a certain reference.

    Raises:
        InputError: it is named nowhere, or the filter is too long.
    """
    given = (tags or {}).get("jurisdiction") or jurisdiction
    if not (given or "").strip() and query and len(query) <= MAX_FILTER and engine.resolve(query).status == "resolved":
        return None
    checked_filter(engine, given)
    return jurisdiction


def fitting(page: Page, name: str) -> Page:
    """A page cut to the size of a reply; what does not fit is on the next page.

    Args:
        name: the field that holds them.
    """
    items: list[object] = list(getattr(page, name))
    count = len(items)
    reply = page
    while reply_characters(reply) > REPLY_CHARACTERS and count > 1:
        count -= max(1, count // 20)
        note = f"size: {count} of {len(items)} results fit in one reply; go on with next_offset."
        reply = page.model_copy(
            update={name: items[:count], "next_offset": page.offset + count, "warnings": [*page.warnings, note]}
        )
    return short_labels(reply)
