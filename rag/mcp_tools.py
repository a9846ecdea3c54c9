"""What the MCP tools take and give back: checked arguments, and results cut to the size that clients accept.

Nothing is cut silently: a result that does not fit says so and says how to page on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from rag.answer import Answer
from rag.document_blocks import block_range
from rag.documents import REPLY_CHARACTERS, reply_characters
from retrieval.errors import InputError
from retrieval.model import Block, ContextWarning, Omitted, Record, ScopedContext, SearchResult
from retrieval.paths import is_urn

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MAX_FILTER = 400  # characters of a jurisdiction filter
MAX_RULES = 10

# Parameters and tags that the published tool description of this family knows and this server does not have yet. They
# are refused by name; a name that is not in these lists may be a user's words and is not repeated.
LATER_PARAMETERS: Mapping[str, tuple[object, ...]] = {  # with the values that ask for nothing
    "edges": (None, {}),
    "discover": (None,),
    "date_from": (None,),
    "date_to": (None,),
    "should_expand_synonyms": (None, True),
    "highlight": (None,),
    "rerank": (None, False),
}
LATER_TAGS = frozenset({
    "kind", "source", "language", "type", "document_form", "court_level", "enforcement_status", "importance_level",
    "formation_solemnity", "content_quality", "court", "formation", "nature", "idcc", "official_grade",
    "structure_type",
})  # fmt: skip

_R = TypeVar("_R", bound=Record)


class SearchReply(SearchResult):
    """One page of entry points. `total` counts the candidates found, of which there are at most 100."""

    limit: int  # as applied
    offset: int
    next_offset: int | None  # to ask for as `offset` to page on; None at the end
    message: str


class ContextReply(ScopedContext):
    """A scoped context, or one page of it. `digest` always covers the whole context.

    A later page holds the definitions whose blocks are on it; `omitted` stands on the first page.
    """

    total_blocks: int
    first_block: int  # 0 where there are none
    last_block: int
    truncated: bool  # whether blocks that were asked for are not here
    next_blocks: str | None  # what to ask for as `blocks` to read on; None at the end


class AskReply(Answer):
    """A verified answer, a refusal, a halt or an honest failure. Show only what is in `claims`."""

    context: SkipJsonSchema[ScopedContext | None] = Field(default=None, exclude=True)


# --- arguments -------------------------------------------------------------------------------------------------------


def refuse_unknown(arguments: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """The arguments that a tool has, once the others were found to ask for nothing.

    Raises:
        InputError: one asks for something that the tool does not do.
    """
    for name, value in arguments.items():
        if name in known:
            continue
        if name not in LATER_PARAMETERS:
            raise InputError(f"An argument is not one of this tool's: {', '.join(known)}.")
        if not any(value == one and type(value) is type(one) for one in LATER_PARAMETERS[name]):
            raise InputError(f"The parameter `{name}` is not supported yet; leave it out.")
    return {name: value for name, value in arguments.items() if name in known}


def jurisdiction_filter(jurisdiction: str | None, tags: Mapping[str, str] | None) -> str:
    """The jurisdictions of a search, from the parameter or the tag.

    Returns:
        A filter for the engine: `us-dc`, `eu|fr`, or `*`.

    Raises:
        InputError: none is given, the two differ, or another tag or an operator is used that is not supported yet.
    """
    for key in tags or {}:
        if key in LATER_TAGS:
            raise InputError(f"The tag `{key}` is not supported yet; the only tag is `jurisdiction`.")
        if key != "jurisdiction":
            raise InputError("A tag is not supported yet; the only tag is `jurisdiction`.")
    tagged = (tags or {}).get("jurisdiction")
    if tagged is not None and jurisdiction is not None and tagged.strip() != jurisdiction.strip():
        raise InputError("`jurisdiction` and tags[`jurisdiction`] differ; give one of them.")
    return checked_filter(tagged if tagged is not None else jurisdiction)


def checked_filter(jurisdiction: str | None) -> str:
    """A jurisdiction filter that is there and has no operator that is not supported yet.

    Raises:
        InputError: see `jurisdiction_filter`.
    """
    wanted = (jurisdiction or "").strip()
    if not wanted:
        raise InputError(
            "Name the jurisdiction: tags={'jurisdiction': 'us-ma'} in a search, or the parameter `jurisdiction`; "
            "`eu|fr` for several, `*` for all. A jurisdiction includes its subdivisions."
        )
    if len(wanted) > MAX_FILTER:
        raise InputError(f"The jurisdiction filter is longer than {MAX_FILTER} characters.")
    for operator, meaning in (("!*", "key absent"), ("!=", "negation"), ("!", "negation")):
        if operator in wanted:
            raise InputError(f"The operator `{operator}` ({meaning}) is not supported yet; name jurisdictions instead.")
    return wanted


def request_filter(question: str, jurisdiction: str | None) -> str | None:
    """The jurisdictions of a question; a URN names its own.

    Raises:
        InputError: see `jurisdiction_filter`.
    """
    return None if is_urn(question) and jurisdiction is None else checked_filter(jurisdiction)


def checked_rules(rules: int | None) -> int | None:
    """How many rules a context may join.

    Raises:
        InputError: not from 1 to 10.
    """
    if rules is not None and not 1 <= rules <= MAX_RULES:
        raise InputError(f"`rules` is a number from 1 to {MAX_RULES}.")
    return rules


def checked_page(limit: int, offset: int) -> int:
    """The limit as applied.

    Raises:
        InputError: a limit below 1 or an offset below 0.
    """
    if limit < 1:
        raise InputError(f"`limit` is a number from 1 to {MAX_LIMIT}.")
    if offset < 0:
        raise InputError("`offset` is 0 or more.")
    return min(limit, MAX_LIMIT)


# --- results ---------------------------------------------------------------------------------------------------------


def search_page(result: SearchResult, asked: int, limit: int, offset: int) -> SearchReply:
    """One page of a search.

    Args:
        result: all candidates, at most 100.
        asked: the limit that the caller gave.
        limit: the limit as applied.
        offset: how many candidates to leave out from the top.
    """
    total = len(result.results)
    warnings = list(result.warnings)
    if limit != asked:
        warnings.append(f"limit: {limit} applied, the most that one page has.")
    hits = result.results[offset : offset + limit]
    fitting = len(hits)
    while True:
        end = offset + fitting
        more = end if fitting and end < total else None
        reply = SearchReply.model_validate({
            **result.model_dump(exclude={"results", "warnings", "total"}),
            "results": hits[:fitting], "total": total, "limit": limit, "offset": offset, "next_offset": more,
            "warnings": [*warnings, *_cut_note(fitting, len(hits))], "message": _search_message(result, hits, total),
        })  # fmt: skip
        if fitting <= 1 or reply_characters(reply) <= REPLY_CHARACTERS:
            return reply
        fitting -= max(1, fitting // 20)


def _cut_note(fitting: int, wanted: int) -> list[str]:
    if fitting == wanted:
        return []
    return [f"size: {fitting} of {wanted} results fit in one reply; go on with next_offset."]


def _search_message(result: SearchResult, hits: Sequence[object], total: int) -> str:
    if hits:
        return ""
    if total:
        return f"`offset` is past the last of {total} candidates."
    if result.mode == "semantic" and any(one.startswith("dense: skipped") for one in result.warnings):
        return "The semantic search did not run: no embedder is configured, or it failed. Use keyword or hybrid."
    return "No provision in the store matches. That is not a statement that no law exists."


def context_page(context: ScopedContext, blocks: str | None) -> ContextReply:
    """A scoped context, cut to the blocks asked for and to what a reply holds.

    Raises:
        InputError: `blocks` is no range, or starts after the last block.
    """
    first, asked_last = block_range(blocks if context.blocks else None)
    total = len(context.blocks)
    if first > max(total, 1):
        raise InputError(f"The context has {total} blocks; `blocks` starts after the last one.")
    last = min(asked_last or total, total)
    chosen = context.blocks[first - 1 : last]
    while True:
        reply = _shortened(_context_part(context, chosen, first, last), ("omitted", "definitions", "suggestions"))
        if reply_characters(reply) <= REPLY_CHARACTERS or not chosen:
            return reply
        if len(chosen) == 1:
            reason = "larger than a reply; get_document reads it page by page"
            left_out = [Omitted(urn=chosen[0].urn, reason=reason), *reply.omitted]
            return reply.model_copy(update={"blocks": [], "omitted": left_out, "truncated": True})
        chosen = chosen[: len(chosen) - max(1, len(chosen) // 20)]


def _context_part(context: ScopedContext, chosen: list[Block], first: int, asked_last: int) -> ContextReply:
    total = len(context.blocks)
    last = first + len(chosen) - 1 if chosen else 0
    here = {one.urn for one in chosen}
    anywhere = {one.urn for one in context.blocks}
    opening = first == 1
    whole = len(chosen) == total
    definitions = [
        one for one in context.definitions if whole or one.urn in here or (opening and one.urn not in anywhere)
    ]
    return ContextReply.model_validate({
        **context.model_dump(exclude={"blocks", "definitions", "omitted"}),
        "blocks": chosen, "definitions": definitions, "omitted": context.omitted if opening else [],
        "total_blocks": total, "first_block": first if chosen else 0, "last_block": last,
        "truncated": last < asked_last,
        "next_blocks": f"{last + 1}-{min(total, last + len(chosen))}" if last < total else None,
    })  # fmt: skip


def answer_reply(answer: Answer) -> AskReply:
    """An answer without its context, cut to what a reply holds."""
    reply = AskReply.model_validate(answer.model_dump())
    return _shortened(reply, ("omitted", "withheld", "claims"), REPLY_CHARACTERS)


def _shortened(reply: _R, lists: Sequence[str], limit: int = REPLY_CHARACTERS // 2) -> _R:
    """A reply whose lists, in this order, were cut until it fits; a warning counts what each of them lost.

    Args:
        reply: a record with a field `warnings` of ContextWarning.
        lists: names of the fields that may be cut.
        limit: characters that everything but its blocks may have.
    """
    full: dict[str, list[object]] = {name: list(getattr(reply, name)) for name in lists}
    warnings: list[ContextWarning] = list(getattr(reply, "warnings"))  # noqa: B009
    kept = {name: len(items) for name, items in full.items()}

    def cut() -> _R:
        notes = [
            ContextWarning(kind="limit", message=f"{kept[name]} of {len(items)} entries of `{name}` fit in this reply.")
            for name, items in full.items()
            if kept[name] < len(items)
        ]
        parts = {name: items[: kept[name]] for name, items in full.items()}
        return reply.model_copy(update={**parts, "warnings": [*warnings, *notes]})

    def size() -> int:
        shown = cut()
        return reply_characters(shown.model_copy(update={"blocks": []}) if hasattr(shown, "blocks") else shown)

    for name in lists:
        while kept[name] and size() > limit:
            kept[name] -= max(1, kept[name] // 4)
    return cut()
