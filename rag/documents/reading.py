"""Reading the law itself: one node with everything below it, in the order of the publication, page by page.

A document is cut into numbered blocks. A node that has children is read as printed: its lead-in, its children, then
the words that follow the list, so one node may have two blocks; a very long text has more. The numbers depend on the
store and the date only, so a page can be asked for again. Chunks of a plain document are its blocks, in the order of
their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from rag import clock, requests
from rag.documents.model import (
    BLOCK_OVERHEAD,
    MAX_CANDIDATES,
    REPLY_CHARACTERS,
    DocumentBlock,
    DocumentSource,
    DocumentText,
    Heading,
    reply_characters,
    short_labels,
)
from rag.jurisdictions.grammars import GRAMMARS
from rag.law.blocks import Outline, Piece, block_range, cut_at_space, cut_blocks
from rag.store.database import Database
from retrieval.browsing.snippets import read_lexemes, wanted_lexemes
from retrieval.context.overrides import overrides_for
from retrieval.entry_points.sources import stored_sources
from retrieval.errors import InputError, StoreError
from retrieval.languages import checked_language, text_search_config
from retrieval.model import OverrideNotice, Resolution
from retrieval.nodes import Connection, NodeVersion, nodes_by_ids
from retrieval.paths import is_urn, subtree_end
from retrieval.queries import QUERIES
from retrieval.references import lookup
from retrieval.references.resolution import resolve_reference
from retrieval.tag_query import SEVERAL
from retrieval.texts import node_text
from retrieval.uncertain_dates import uncertain_dates


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
        """Read a node and its subtree in document order.

        Args:
            reference: a URN, an id of another system, an alias of the publication, or a reference (`16 CFR 310.4`).
            language: ISO 639-1; restricts which language's law the reference may mean.
            highlight: words; only the blocks that hold them are given, each with one before and after, 40 at most.
            blocks: `30-50`, `30-` or `30`; from the first one by default.
            at_date: the date of the law; today in UTC by default.
            jurisdiction: narrows what the reference may mean.
            tags: tags that the provision must have, which narrow it too.

        Returns:
            The text, as many blocks as a reply of 20,000 tokens holds; or `not_found`, `not_in_force` or `ambiguous`
            with a message and URNs to ask for instead.

        Raises:
            InputError: a part of the request cannot be used.
            StoreError: the store failed; never shown as "not found".
        """
        on = requests.checked_date(at_date)
        language = checked_language(language)
        wanted = block_range(blocks)
        words = checked_highlight(highlight)
        with self.database.read() as conn:
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
    above = nodes_by_ids(conn, ((node.jurisdiction, id_) for id_ in node.ancestor_ids), on)
    chain = sorted(above, key=lambda ancestor: node.ancestor_ids.index(ancestor.node_id))
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
        chain=[Heading(urn=ancestor.urn, heading=ancestor.heading) for ancestor in chain],
        valid_from=node.valid_from,
        valid_to=node.valid_to,
        from_basis=node.from_basis,
        to_basis=node.to_basis,
        tags=node.tags,
        source=source,
        total_blocks=len(pieces),
    )
    if not chosen.numbers:
        message = f"None of the blocks {first} to {last} holds these words. Read on without `highlight`."
        return empty.model_copy(update={"message": message})
    shown = _fetch(conn, node.jurisdiction, pieces, chosen)
    urns = {part.node_id: part.urn for part in (*chain, *outline)}
    notices = _notices(conn, [part for part, _ in shown], urns, on)
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
    here = {block.urn for block in blocks}
    if empty.matches is None:
        following = f"{last + 1}-{min(total, last + len(blocks))}" if last < total else None
        truncated = last < asked_last
        notes = [f"Blocks {first} to {last} of {total}."] if (first, last) != (1, total) else []
    else:
        given = sum(block.matched for block in blocks)
        truncated = given < empty.matches
        following = f"{last + 1}-{asked_last}" if truncated and last < asked_last else None
        notes = [f"{given} of {empty.matches} blocks that hold the words, each with one before and after, of {total}."]
        notes += ["No block holds all the words; these hold some of them."] if chosen.some else []
    if truncated:
        notes.append(f"A reply holds no more. Read on with blocks={following}.")
    kept = [notice for notice in notices if notice.urn in here or notice.urn == empty.urn]
    halting = sorted({notice.status for notice in kept if notice.status in ("VOID", "ENJOINED")})
    if halting:
        notes.insert(
            0, f"Legal Override active ({', '.join(halting)}). Read what the court did before relying on this text."
        )
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
    rows = [row for row in rows if node.node_id in row.ancestor_ids]
    ordinals = {row.node_id: row.ordinal for row in rows}
    return sorted(rows, key=lambda row: ([ordinals.get(each, -1) for each in row.ancestor_ids], row.path, row.urn))


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
    chains = {part.urn: [urns[each] for each in part.ancestor_ids if each in urns] for part in shown}
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


# Which node a reader means: a URN, an id of another system, or a reference as people write it.

NO_REFERENCE = (
    "This is no id in this store, and it was not read as a reference. Give a URN or the usual citation of a provision, "
    "or look for it with a search. That is not a statement that no law exists."
)


def find_node(
    conn: Connection,
    reference: str,
    *,
    at_date: date | None,
    jurisdiction: str | None = None,
    language: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> tuple[NodeVersion | None, DocumentText]:
    """The one node that a reference means, in force at the date; or the reply that says why there is none.

    Returns:
        The node and a reply that holds what is to be said of how it was found; without a node the whole reply.

    Raises:
        InputError: a part of the request cannot be used.
    """
    today = clock.today()
    narrowed = dict(tags or {})
    named = narrowed.pop("jurisdiction", None)  # as in a search, where it includes its subdivisions
    if named is not None and jurisdiction is not None and named.strip() != jurisdiction.strip():
        raise InputError("`jurisdiction` and tags[jurisdiction] differ; give one of them.")
    jurisdiction = jurisdiction if named is None else named.strip()
    _check_language(conn, language)
    text = reference.strip().rstrip(".?")
    found = resolve_reference(
        conn, GRAMMARS, text, today=today, jurisdiction=jurisdiction, language=language, at_date=at_date, tags=narrowed
    )
    if found.status == "not_found" and at_date is not None:
        # It may be in the store at other dates only, which is worth saying.
        found = resolve_reference(
            conn, GRAMMARS, text, today=today, jurisdiction=jurisdiction, language=language, tags=narrowed
        )
    on = at_date or found.at_date  # the day that the words name, or today
    empty = DocumentText(status="not_found", at_date=on)
    if found.urn is None:
        return None, _missing(found, empty, jurisdiction)
    nodes, why = lookup.find_targets(conn, [found.urn], on)
    if why is not None:
        status = "not_in_force" if why.status == "not_in_force" else "not_found"
        told = {"status": status, "message": why.message, "suggestions": list(why.suggestions)}
        return None, empty.model_copy(update=told)
    [node] = nodes
    if language is not None and node.language != language:
        message = f"The store has this provision, but not in the language asked for; it is in {node.language}."
        return None, empty.model_copy(update={"message": message, "suggestions": [node.urn]})
    told = (warning.message for warning in uncertain_dates([node], on))
    warnings = list(dict.fromkeys((*found.warnings, *told)))
    return node, empty.model_copy(update={"warnings": warnings})


def _check_language(conn: Connection, language: str | None) -> None:
    sources = stored_sources(conn)
    languages = sorted({source.language for source in sources})
    if sources and language is not None and language not in languages:
        raise InputError(f"The store has no law in that language; it has {', '.join(languages)}.")


def _missing(found: Resolution, empty: DocumentText, jurisdiction: str | None) -> DocumentText:
    if found.status == "ambiguous":
        urns = [candidate.urn for candidate in found.candidates]
        several = all(candidate.hint == SEVERAL for candidate in found.candidates)
        hints = [
            f"{candidate.urn} ({candidate.hint})" for candidate in found.candidates if candidate.hint and not several
        ]
        message = (
            f"The reference names {len(urns)} provisions; ask for one of them at a time."
            if several
            else f"The reference fits {len(urns)} provisions of the store; ask for one of them by its URN."
        )
        update = {
            "status": "ambiguous", "message": message, "suggestions": urns[:MAX_CANDIDATES],
            "warnings": [f"It may be: {', '.join(hints[:MAX_CANDIDATES])}."] if hints else [],
        }  # fmt: skip
        return empty.model_copy(update=update)
    read = bool(found.tag_queries) or found.suggestions or is_urn(found.reference)
    read = read or GRAMMARS.recognised_by(found.reference, jurisdiction)  # law that has no identifier
    message = f"{found.message} That is not a statement that no such law exists." if read else NO_REFERENCE
    return empty.model_copy(update={"message": message, "suggestions": found.suggestions[:MAX_CANDIDATES]})


# Which blocks of a document hold some words, and how a decision is announced to a reader.

MAX_HIGHLIGHT = 500  # characters
MOST_BLOCKS = 40  # matching ones and their neighbours together


@dataclass(frozen=True, slots=True)
class Highlighted:
    """Numbers of blocks, from 1, in order."""

    numbers: tuple[int, ...]  # to be shown
    matching: frozenset[int] = frozenset()  # those of them that hold the words
    total: int = 0  # blocks that hold the words, shown or not
    some: bool = False  # no node holds all the words; these hold one at least


def checked_highlight(words: str | None) -> str | None:
    """The words to look for.

    Raises:
        InputError: empty, too long, or no text.
    """
    if words is None:
        return None
    if len(words) > MAX_HIGHLIGHT:
        raise InputError(f"`highlight` has {len(words)} characters; the limit is {MAX_HIGHLIGHT}.")
    if not any(char.isalnum() for char in words):
        raise InputError("`highlight` holds no word; give words of the text, or leave it out.")
    return requests.checked_question(words)


def highlighted(
    conn: Connection, node: NodeVersion, pieces: Sequence[Piece], within: range, words: str, on: date
) -> Highlighted:
    """The blocks that hold the words, with one block before and after each.

    A node counts where its own words hold all of the words, in any form; where none does, where it holds one.

    Args:
        within: the numbers of the blocks that were asked for.
    """
    values = {
        "jurisdictions": [node.jurisdiction], "low": node.path, "high": subtree_end(node.path), "at_date": on,
        "config": text_search_config(node.language), "words": words,
    }  # fmt: skip
    rows = conn.execute(QUERIES["find_highlighted"], values).fetchall()
    every = {node_id for node_id, whole in rows if whole}
    nodes = every or {node_id for node_id, _ in rows}
    found = [number for number in within if pieces[number - 1].node.id in nodes]
    found = _holding(conn, node, pieces, found, words)
    shown: list[int] = []
    for number in found:
        around = [near for near in (number - 1, number, number + 1) if near in within and near not in shown]
        if len(shown) + len(around) > MOST_BLOCKS:
            break
        shown += around
    kept = tuple(sorted(shown))
    return Highlighted(kept, frozenset(found) & frozenset(kept), len(found), some=bool(found) and not every)


def _holding(
    conn: Connection, node: NodeVersion, pieces: Sequence[Piece], found: Sequence[int], words: str
) -> list[int]:
    """Of the blocks of nodes that hold the words, those that hold one themselves: a node may have several blocks."""
    several = {
        part.node.id
        for part in pieces
        if part.end - part.start < part.node.length
    } & {pieces[number - 1].node.id for number in found}  # fmt: skip
    if not several:
        return list(found)
    rows = conn.execute(QUERIES["find_texts"], {"jurisdictions": [node.jurisdiction], "ids": sorted(several)})
    texts = {row[0]: node_text(row[2], row[3]) for row in rows}
    parts = {
        number: texts[piece.node.id][piece.start : piece.end]
        for number in found
        if (piece := pieces[number - 1]).node.id in several
    }
    lexemes = read_lexemes(conn, [words, *parts.values()], node.language)
    wanted = wanted_lexemes(lexemes, [words])
    return [
        number for number in found
        if number not in parts or lexemes.matches(parts[number], wanted) or words.lower() in parts[number].lower()
    ]  # fmt: skip


def decision_display(chain: Sequence[NodeVersion]) -> list[str]:
    """How a decision is announced: its grade and its formation, as far as its tags say."""
    tags: dict[str, str] = {}
    for ancestor in chain:
        tags.update({key: str(value) for key, value in ancestor.tags.items()})
    grade = _line(
        "Grade", tags, ("official_grade", "grade"), ("official_grade_label", "publication"), "importance_level"
    )
    formation = _line("Formation", tags, ("formation",), (), "formation_solemnity")
    return [line for line in (grade, formation) if line]


def _line(name: str, tags: Mapping[str, str], keys: Sequence[str], labels: Sequence[str], level: str) -> str:
    said = [tags[key] for key in (*keys, *labels) if tags.get(key)]
    ranked = tags.get(level, "")
    if not said and not ranked:
        return ""
    shown = " — ".join(dict.fromkeys(said))
    if name == "Formation":
        return f"{name} : {shown} ({ranked})" if shown and ranked else f"{name} : {shown or ranked}"
    return f"{name} : {' → '.join(text for text in (shown, ranked) if text)}"
