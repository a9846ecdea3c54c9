"""Reading the law itself: one node with everything below it, in the order of the publication, page by page.

A document is cut into numbered blocks. A node that has children is read as printed: its lead-in, its children, then
the words that follow the list, so one node may have two blocks; a very long text has more. The numbers depend on the
store and the date only, so a page can be asked for again. Chunks of a plain document are its blocks, in the order of
their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol

from rag import requests
from rag.documents.find import find_node
from rag.documents.highlight import Highlighted, checked_highlight, decision_display, highlighted
from rag.documents.model import (
    BLOCK_OVERHEAD,
    REPLY_CHARACTERS,
    REPLY_TOKENS,
    DocumentBlock,
    DocumentSource,
    DocumentText,
    Heading,
    reply_characters,
    short_labels,
)
from rag.law.blocks import Outline, Piece, block_range, cut_at_space, cut_blocks
from rag.store.database import Connection, Database
from retrieval.context.overrides import overrides_for
from retrieval.errors import InputError, StoreError
from retrieval.languages import checked_language
from retrieval.model import OverrideNotice
from retrieval.nodes import NodeVersion, nodes_by_ids
from retrieval.paths import subtree_end
from retrieval.queries import QUERIES

__all__ = [
    "REPLY_CHARACTERS",
    "REPLY_TOKENS",
    "DocumentBlock",
    "DocumentText",
    "Documents",
    "read_document",
    "reply_characters",
]  # fmt: skip


class HoldsStore(Protocol):
    """What has a database, such as an engine."""

    database: Database


class Documents:
    """Reading the law of a store; `Engine.documents`."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def document(
        self,
        reference: str,
        *,
        language: str | None = None,
        highlight: str | None = None,
        blocks: str | None = None,
        at_date: date | str | None = None,
        jurisdiction: str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> DocumentText:
        """A provision, decision or document in document order; see `read_document`."""
        return read_document(
            self.database, reference, language=language, highlight=highlight, blocks=blocks, at_date=at_date,
            jurisdiction=jurisdiction, tags=tags,
        )  # fmt: skip


def read_document(
    store: HoldsStore | Database,
    reference: str,
    *,
    language: str | None = None,
    highlight: str | None = None,
    blocks: str | None = None,
    at_date: date | str | None = None,
    jurisdiction: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> DocumentText:
    """Read a node and its subtree in document order.

    Args:
        store: an engine, or its database.
        reference: a URN, an id of another system, an alias of the publication, or a reference such as `16 CFR 310.4`.
        language: ISO 639-1; restricts which language's law the reference may mean.
        highlight: words; only the blocks that hold them are given, each with one block before and after, 40 at most.
        blocks: `30-50`, `30-` or `30`; from the first one by default.
        at_date: the date of the law; today in UTC by default.
        jurisdiction: narrows what the reference may mean.
        tags: tags that the provision must have, which narrow it too.

    Returns:
        The text, as many blocks as a reply of 20,000 tokens holds; or `not_found`, `not_in_force` or `ambiguous` with
        a message and URNs to ask for instead.

    Raises:
        InputError: a part of the request cannot be used.
        StoreError: the store failed; never shown as "not found".
    """
    on = requests.checked_date(at_date)
    language = checked_language(language)
    wanted = block_range(blocks)
    words = checked_highlight(highlight)
    database = store if isinstance(store, Database) else store.database
    with database.read() as conn:
        node, reply = find_node(
            conn, reference, at_date=None if at_date is None else on, jurisdiction=jurisdiction, language=language,
            tags=tags,
        )  # fmt: skip
        return reply if node is None else _read(conn, node, reply, wanted, words)


# --- its blocks ------------------------------------------------------------------------------------------------------


def _read(
    conn: Connection, node: NodeVersion, reply: DocumentText, wanted: tuple[int, int | None], words: str | None
) -> DocumentText:
    on = reply.at_date
    outline = _outline(conn, node, on)
    pieces = cut_blocks(outline)
    first, last = wanted[0], min(wanted[1] or len(pieces), len(pieces))
    if first > len(pieces):
        raise InputError(f"The document has {len(pieces)} blocks; `blocks` starts after the last one.")
    chosen = Highlighted(tuple(range(first, last + 1)))
    if words is not None:
        chosen = highlighted(conn, node, pieces, range(first, last + 1), words, on)
    above = nodes_by_ids(conn, ((node.jurisdiction, one) for one in node.ancestor_ids), on)
    chain = sorted(above, key=lambda one: node.ancestor_ids.index(one.node_id))
    document_urn, source = _source(conn, node)
    empty = DocumentText(
        status="ok",
        at_date=on,
        warnings=reply.warnings,
        display=decision_display(chain) if node.kind == "decision" else [],
        matches=chosen.total if words is not None else None,
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
    if not chosen.numbers:
        message = f"None of the blocks {first} to {last} holds these words. Read on without `highlight`."
        return empty.model_copy(update={"message": message})
    shown = _fetch(conn, node.jurisdiction, pieces, chosen)
    urns = {one.node_id: one.urn for one in (*chain, *outline)}
    notices = _notices(conn, [one for one, _ in shown], urns, on)
    blocks = [block for _, block in shown]
    while True:
        reply = _page(empty, blocks, notices, chosen, last)
        if reply_characters(reply) <= REPLY_CHARACTERS or len(blocks) == 1:
            return short_labels(reply)
        # Overshooting by a few blocks only: `_fetch` stopped where the words alone fill the reply.
        blocks = blocks[: max(1, len(blocks) - max(1, len(blocks) // 20))]


def _page(
    empty: DocumentText,
    blocks: list[DocumentBlock],
    notices: Sequence[OverrideNotice],
    chosen: Highlighted,
    asked_last: int,
) -> DocumentText:
    """The reply with these blocks."""
    first, last, total = blocks[0].number, blocks[-1].number, empty.total_blocks
    here = {one.urn for one in blocks}
    if empty.matches is None:
        following = f"{last + 1}-{min(total, last + len(blocks))}" if last < total else None
        truncated = last < asked_last
        notes = [f"Blocks {first} to {last} of {total}."] if (first, last) != (1, total) else []
    else:
        given = sum(one.matched for one in blocks)
        truncated = given < empty.matches
        following = f"{last + 1}-{asked_last}" if truncated and last < asked_last else None
        notes = [f"{given} of {empty.matches} blocks that hold the words, each with one before and after, of {total}."]
        notes += ["No block holds all the words; these hold some of them."] if chosen.some else []
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
    conn: Connection, jurisdiction: str, pieces: Sequence[Piece], wanted: Highlighted
) -> list[tuple[Outline, DocumentBlock]]:
    """The wanted blocks with their words, until those fill a reply."""
    chosen: list[tuple[int, Piece]] = []
    size = 0
    for number in wanted.numbers:
        if chosen and size > REPLY_CHARACTERS:
            break
        piece = pieces[number - 1]
        chosen.append((number, piece))
        size += piece.end - piece.start + len(piece.node.urn) + BLOCK_OVERHEAD
    ids = sorted({piece.node.id for _, piece in chosen})
    values = {"jurisdictions": [jurisdiction], "ids": ids}
    words = {row[0]: (row[1], row[2], row[3]) for row in conn.execute(QUERIES["find_texts"], values)}
    out: list[tuple[Outline, DocumentBlock]] = []
    for number, piece in chosen:
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
            matched=number in wanted.matching,
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
