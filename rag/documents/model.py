"""What reading a document gives: records, and how large a reply may be."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, TypeVar, cast

from pydantic import Field
from pydantic_core import to_json

from retrieval.model import Basis, OverrideNotice, Record

# A reply has to stay below what clients cut off: 20,000 tokens, estimated at three characters a token, less a margin.
REPLY_TOKENS = 20_000
REPLY_CHARACTERS = REPLY_TOKENS * 3 - 3_000
MAX_CANDIDATES = 20
BLOCK_OVERHEAD = 100  # characters of a block's JSON beside its words, at least
LABEL_CHARACTERS = 300  # of a heading, a title or a tag that has to be cut
LABELS = frozenset({"heading", "title", "corpus_title", "publisher", "licence", "url"})

_R = TypeVar("_R", bound=Record)

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
    matched: bool = False  # holds words of `highlight`; the other blocks stand beside one that does


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
    from_basis: Basis = "unknown"  # what these rest on: stated by the source, between two editions, unknown
    to_basis: Basis = "unknown"
    tags: dict[str, Any] = Field(default_factory=dict[str, Any])
    display: list[str] = Field(default_factory=list[str])  # of a decision: its grade and its formation, for a reader
    source: DocumentSource | None = None
    overrides: list[OverrideNotice] = Field(default_factory=list[OverrideNotice])
    total_blocks: int = 0
    first_block: int = 0  # 0 where there are none
    last_block: int = 0
    truncated: bool = False  # whether blocks that were asked for are not here
    next_blocks: str | None = None  # what to ask for as `blocks` to read on; None at the end
    matches: int | None = None  # blocks that hold words of `highlight`, shown or not; None without one
    message: str = ""
    warnings: list[str] = Field(default_factory=list[str])  # such as the reading by which the reference was found
    suggestions: list[str] = Field(default_factory=list[str])  # URNs to ask for instead
    blocks: list[DocumentBlock] = Field(default_factory=list[DocumentBlock])


def reply_characters(record: Record) -> int:
    """How long a record is as the indented JSON that a client's model reads."""
    return len(to_json(record, indent=2).decode())


def cut_label(text: str) -> str:
    """A heading, title or tag as far as it is a label; what is cut ends with an ellipsis."""
    return text if len(text) <= LABEL_CHARACTERS else f"{text[:LABEL_CHARACTERS]}…"


def short_labels(reply: _R) -> _R:
    """A reply that is too large whatever is paged, with its headings, titles and tags cut; a warning counts them.

    Args:
        reply: a record with a field `warnings` of texts.
    """
    if reply_characters(reply) <= REPLY_CHARACTERS:
        return reply
    values = reply.model_dump()
    count = _cut_labels(values)
    note = f"size: {count} headings, titles or tags are cut at {LABEL_CHARACTERS} characters."
    return type(reply).model_validate({**values, "warnings": [*values["warnings"], note]}) if count else reply


def _cut_labels(value: object, inside: bool = False) -> int:
    """Cut the labels within dumped records in place, and count them."""
    count = 0
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        for key, field in fields.items():
            if isinstance(field, str) and (inside or key in LABELS) and len(field) > LABEL_CHARACTERS:
                fields[key] = cut_label(field)
                count += 1
            else:
                count += _cut_labels(field, inside or key == "tags")
    elif isinstance(value, list):
        count += sum(_cut_labels(item, inside) for item in cast("list[object]", value))
    return count
