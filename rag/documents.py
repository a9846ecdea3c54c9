"""Reading the law itself: one node with everything below it, in the order of the publication, page by page.

A document is cut into numbered blocks. A node that has children is read as printed: its lead-in, its children, then
the words that follow the list, so one node may have two blocks; a very long text has more. The numbers depend on the
store and the date only, so a page can be asked for again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal

from pydantic import Field
from pydantic_core import to_json

from rag import lookup, requests
from rag.database import Connection, Database
from rag.document_blocks import Outline, Piece, block_range, cut_at_space, cut_blocks
from rag.engine import Engine
from retrieval.errors import InputError, StoreError
from retrieval.model import OverrideNotice, Record
from retrieval.nodes import NodeVersion, nodes_by_ids
from retrieval.overrides import overrides_for
from retrieval.paths import is_urn, subtree_end
from retrieval.queries import QUERIES

# A reply has to stay below what clients cut off: 20,000 tokens, estimated at three characters a token, less a margin.
REPLY_TOKENS = 20_000
REPLY_CHARACTERS = REPLY_TOKENS * 3 - 3_000
MAX_REFERENCE = 1_000  # characters
MAX_CANDIDATES = 20
BLOCK_OVERHEAD = 100  # characters of a block's JSON beside its words, at least

DocumentStatus = Literal["ok", "not_found", "not_in_force", "ambiguous"]


class Heading(Record):
    """One step of the way from the corpus's root to the node."""

    urn: str
    heading: str


class DocumentBlock(Record):
    """A piece of a document: `text` is the node's own text from the character `start` on."""

    number: int  # from 1, in document order
    urn: str
    heading: str  # on a node's first block only
    start: int
    text: str


class DocumentSource(Record):
    """Where the text was taken from."""

    urn: str
    title: str
    publisher: str
    licence: str
    url: str
    last_ingest: datetime


class DocumentText(Record):
    """A node with its subtree, or why there is none.

    `text` of the blocks is as published: an override of a court does not redact it, so read `overrides` with it.
    """

    status: DocumentStatus
    at_date: date
    urn: str | None = None
    document_urn: str | None = None
    jurisdiction: str | None = None
    language: str | None = None
    kind: str | None = None
    structure_type: str | None = None
    heading: str = ""
    chain: list[Heading] = Field(default_factory=list[Heading])  # root first, the node itself last
    valid_from: date | None = None
    valid_to: date | None = None  # first day no longer in force
    tags: dict[str, Any] = Field(default_factory=dict[str, Any])
    source: DocumentSource | None = None
    overrides: list[OverrideNotice] = Field(default_factory=list[OverrideNotice])
    total_blocks: int = 0
    first_block: int = 0  # 0 where there are none
    last_block: int = 0
    truncated: bool = False  # whether blocks that were asked for are not here
    next_blocks: str | None = None  # what to ask for as `blocks` to read on; None at the end
    message: str = ""
    suggestions: list[str] = Field(default_factory=list[str])  # URNs to ask for instead
    blocks: list[DocumentBlock] = Field(default_factory=list[DocumentBlock])


def read_document(
    store: Engine | Database,
    reference: str,
    *,
    language: str | None = None,
    at_date: date | str | None = None,
    blocks: str | None = None,
) -> DocumentText:
    """Read a node and its subtree in document order.

    Args:
        store: an engine, or its database.
        reference: a URN, an alias of the publication, or a reference such as `16 CFR 310.4`.
        language: ISO 639-1; restricts which language's law the reference may mean.
        at_date: the date of the law; today in UTC by default.
        blocks: `30-50`, `30-` or `30`; from the first one by default.

    Returns:
        The text, as many blocks as a reply of 20,000 tokens holds; or `not_found`, `not_in_force` or `ambiguous` with
        a message and URNs to ask for instead.

    Raises:
        InputError: the reference, the language, the date or the range cannot be used.
        StoreError: the store failed; never shown as "not found".
    """
    if len(reference) > MAX_REFERENCE:
        raise InputError(f"The reference has {len(reference)} characters; the limit is {MAX_REFERENCE}.")
    text = " ".join(requests.checked_question(reference).split())
    on = requests.checked_date(at_date)
    wanted = block_range(blocks)
    database = store.database if isinstance(store, Engine) else store
    with database.read() as conn:
        node = _find_node(conn, text, language, on)
        return node if isinstance(node, DocumentText) else _read(conn, node, on, wanted)


def reply_characters(record: Record) -> int:
    """How long a record is as the indented JSON that a client's model reads."""
    return len(to_json(record, indent=2).decode())


# --- which node ------------------------------------------------------------------------------------------------------


def _find_node(conn: Connection, text: str, language: str | None, on: date) -> NodeVersion | DocumentText:
    """The one node that a reference means, in force at the date; or the reply that says why there is none."""
    sources = requests.stored_sources(conn)
    if not sources:
        raise InputError("The store holds no law yet. Run `lexscope ingest` with a file or folder.")
    languages = sorted({one.language for one in sources})
    if language is not None and language not in languages:
        raise InputError(f"The store has no law in that language; it has {', '.join(languages)}.")
    codes = sorted({one.jurisdiction for one in sources if language is None or one.language == language})
    readings = [[text]] if is_urn(text) else _readings(conn, text, codes, language)
    if not readings:
        message = (
            "This was not read as a reference to a provision. Give a URN or the usual citation of a provision, "
            "or look for it with a search. That is not a statement that no law exists."
        )
        return DocumentText(status="not_found", at_date=on, message=message)
    several = next((one for one in readings if len(one) > 1), None)
    if several is not None:
        message = f"The reference names {len(several)} provisions; ask for one of them at a time."
        return DocumentText(status="ambiguous", at_date=on, message=message, suggestions=several[:MAX_CANDIDATES])
    found: dict[tuple[str, int], NodeVersion] = {}
    missing: list[DocumentText] = []
    for urns in readings:
        nodes, why = lookup.find_targets(conn, urns, on)
        found.update({(one.jurisdiction, one.node_id): one for one in nodes})
        if why is not None:
            status = "not_in_force" if why.status == "not_in_force" else "not_found"
            missing.append(
                DocumentText(status=status, at_date=on, message=why.message, suggestions=list(why.suggestions))
            )
    fitting = [one for one in found.values() if language is None or one.language == language]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        urns = sorted(one.urn for one in fitting)
        message = f"The reference fits {len(urns)} provisions of the store; ask for one of them by its URN."
        return DocumentText(status="ambiguous", at_date=on, message=message, suggestions=urns[:MAX_CANDIDATES])
    if found:
        message = f"The store has this provision, but not in the language asked for; it has {', '.join(languages)}."
        return DocumentText(
            status="not_found", at_date=on, message=message, suggestions=sorted(one.urn for one in found.values())
        )
    # A provision that is only not in force tells more than one that other grammars would have meant.
    return min(missing, key=lambda one: one.status == "not_found")


def _readings(conn: Connection, text: str, codes: Sequence[str], language: str | None) -> list[list[str]]:
    """What a text that is no URN may mean: names that nodes bear, else the readings of the grammars; each once."""
    values = {"jurisdictions": list(codes), "names": _spellings(text), "limit": MAX_CANDIDATES + 1}
    rows = conn.execute(QUERIES["find_urns_by_alias"], values).fetchall()
    named = [[urn] for _, urn, spoken in rows if language is None or spoken == language]
    if named:
        return named
    readings = (requests.names_only_a_reference(text, [code]) for code in codes)
    return [list(one) for one in dict.fromkeys(tuple(one) for one in readings if one)]


def _spellings(text: str) -> list[str]:
    stripped = text.rstrip(".?")
    return sorted({text, stripped, stripped.upper(), stripped.lower()})


# --- its blocks ------------------------------------------------------------------------------------------------------


def _read(conn: Connection, node: NodeVersion, on: date, wanted: tuple[int, int | None]) -> DocumentText:
    outline = _outline(conn, node, on)
    pieces = cut_blocks(outline)
    first, last = wanted[0], min(wanted[1] or len(pieces), len(pieces))
    if first > len(pieces):
        raise InputError(f"The document has {len(pieces)} blocks; `blocks` starts after the last one.")
    above = nodes_by_ids(conn, ((node.jurisdiction, one) for one in node.ancestor_ids), on)
    chain = sorted(above, key=lambda one: node.ancestor_ids.index(one.node_id))
    document_urn, source = _source(conn, node)
    empty = DocumentText(
        status="ok",
        at_date=on,
        urn=node.urn,
        document_urn=document_urn,
        jurisdiction=node.jurisdiction,
        language=node.language,
        kind=node.kind,
        structure_type=node.structure_type,
        heading=node.heading,
        chain=[Heading(urn=one.urn, heading=one.heading) for one in chain],
        valid_from=node.valid_from,
        valid_to=node.valid_to,
        tags=node.tags,
        source=source,
        total_blocks=len(pieces),
    )
    shown = _fetch(conn, node.jurisdiction, pieces, first, last)
    urns = {one.node_id: one.urn for one in (*chain, *outline)}
    notices = _notices(conn, [one for one, _ in shown], urns, on)
    blocks = [block for _, block in shown]
    while True:
        reply = _page(empty, blocks, notices, last)
        if reply_characters(reply) <= REPLY_CHARACTERS or len(blocks) == 1:
            return reply
        # Overshooting by a few blocks only: `_fetch` stopped where the words alone fill the reply.
        blocks = blocks[: max(1, len(blocks) - max(1, len(blocks) // 20))]


def _page(
    empty: DocumentText, blocks: list[DocumentBlock], notices: Sequence[OverrideNotice], asked_last: int
) -> DocumentText:
    """The reply with these blocks."""
    first, last, total = blocks[0].number, blocks[-1].number, empty.total_blocks
    following = f"{last + 1}-{min(total, last + len(blocks))}" if last < total else None
    truncated = last < asked_last
    here = {one.urn for one in blocks}
    notes = [f"Blocks {first} to {last} of {total}."] if (first, last) != (1, total) else []
    if truncated:
        notes.append(f"A reply holds no more. Read on with blocks={following}.")
    kept = [one for one in notices if one.urn in here or one.urn == empty.urn]
    halting = sorted({one.status for one in kept if one.status in ("VOID", "ENJOINED")})
    if halting:
        notes.insert(0, f"Legal Override active ({', '.join(halting)}): see `overrides` before relying on this text.")
    return empty.model_copy(
        update={
            "blocks": blocks, "overrides": kept, "first_block": first, "last_block": last,
            "truncated": truncated, "next_blocks": following, "message": " ".join(notes),
        }
    )  # fmt: skip


def _outline(conn: Connection, node: NodeVersion, on: date) -> list[Outline]:
    """The subtree in document order, by the same rule as `retrieval.nodes.document_order`."""
    values = {
        "jurisdictions": [node.jurisdiction],
        "low": node.path,
        "high": subtree_end(node.path),
        "at_date": on,
    }
    rows = [Outline(*row) for row in conn.execute(QUERIES["find_outline"], values)]
    rows = [one for one in rows if node.node_id in one.ancestor_ids]
    ordinals = {one.node_id: one.ordinal for one in rows}
    return sorted(rows, key=lambda one: ([ordinals.get(each, -1) for each in one.ancestor_ids], one.path, one.urn))


def _fetch(
    conn: Connection, jurisdiction: str, pieces: Sequence[Piece], first: int, last: int
) -> list[tuple[Outline, DocumentBlock]]:
    """Blocks from `first` on, with their words, until those fill a reply or `last` is reached."""
    chosen: list[Piece] = []
    size = 0
    for piece in pieces[first - 1 : last]:
        if chosen and size > REPLY_CHARACTERS:
            break
        chosen.append(piece)
        size += piece.end - piece.start + len(piece.node.urn) + BLOCK_OVERHEAD
    ids = sorted({piece.node.id for piece in chosen})
    values = {"jurisdictions": [jurisdiction], "ids": ids}
    words = {row[0]: (row[1], row[2], row[3]) for row in conn.execute(QUERIES["find_texts"], values)}
    out: list[tuple[Outline, DocumentBlock]] = []
    for number, piece in enumerate(chosen, start=first):
        heading, intro, content = words[piece.node.id]
        text = f"{intro}\n{content}" if intro and content else intro or content
        bounds = (0, piece.node.intro_length, piece.node.length - piece.node.content_length, piece.node.length)
        start, end = (at if at in bounds else cut_at_space(text, at) for at in (piece.start, piece.end))
        block = DocumentBlock(
            number=number,
            urn=piece.node.urn,
            heading=heading if piece.first else "",
            start=start,
            text=text[start:end],
        )
        out.append((piece.node, block))
    return out


def _notices(conn: Connection, shown: Sequence[Outline], urns: dict[int, str], on: date) -> list[OverrideNotice]:
    """Overrides in effect on what is shown, each at the first node of the page that it covers."""
    chains = {one.urn: [urns[each] for each in one.ancestor_ids if each in urns] for one in shown}
    covered = overrides_for(conn, chains, on)
    seen: set[int] = set()
    notices: list[OverrideNotice] = []
    for urn in chains:
        for override in covered.get(urn, []):
            if override.id not in seen:
                seen.add(override.id)
                notices.append(override.notice(urn, "warn"))
    return notices


def _source(conn: Connection, node: NodeVersion) -> tuple[str, DocumentSource]:
    values = {"jurisdictions": [node.jurisdiction], "ids": [node.document_id]}
    row = conn.execute(QUERIES["find_document_source"], values).fetchone()
    if row is None:
        # The schema's foreign keys promise both rows.
        raise StoreError("The store has a node without its document; run `lexscope doctor`.")
    names = ("urn", "title", "publisher", "licence", "url", "last_ingest")
    return row[0], DocumentSource.model_validate(dict(zip(names, row[1:], strict=True)))
