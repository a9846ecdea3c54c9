"""The MCP tools that assemble, answer and check: what a rule has to be read with, and answers that prove it."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import date
from typing import Annotated, Protocol

from mcp.server.mcpserver.tools import Tool
from pydantic import Field, PrivateAttr
from pydantic.json_schema import SkipJsonSchema

from rag import requests
from rag.answering.answer import Answer, advice_for
from rag.citecheck.model import NotChecked, VerifyItem, VerifyResult
from rag.documents.model import REPLY_CHARACTERS, reply_characters
from rag.engine import Engine
from rag.law.blocks import block_range
from rag.mcp.tools import (
    CITE,
    READ_ONLY,
    AtDate,
    Blocks,
    Exchange,
    Jurisdiction,
    Language,
    Place,
    Rules,
    Terms,
    checked_filter,
    checked_rules,
    make_tool,
    place_of,
    shortened,
)
from retrieval.errors import InputError
from retrieval.model import Block, Omitted, ScopedContext
from retrieval.references.cases import MAX_CASES, CaseResolution

# Verified texts kept for a while, so that the next page of verdicts does not verify the text again.

MOST_TEXTS = 8
MOST_CHARACTERS = 4_000_000  # of all texts together; their verdicts take a few times as much
KEEP_SECONDS = 900.0


class Verifies(Protocol):
    """What verifies a text, such as an `Engine`."""

    @property
    def verify(self) -> Callable[..., VerifyResult]:
        """The verdicts on a text."""
        ...


class VerifiedTexts:
    """The last few verified texts of one server. Safe for several threads.

    Args:
        engine: verifies what is not kept.
        now: seconds of a clock that never goes back.
    """

    def __init__(self, engine: Verifies, now: Callable[[], float] = time.monotonic) -> None:
        self._engine = engine
        self._now = now
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[float, int, VerifyResult]] = OrderedDict()

    def verify(
        self,
        text: str,
        *,
        jurisdiction: str | None,
        language: str | None,
        at_date: date | str | None,
        first_page: bool,
    ) -> VerifyResult:
        """The verdicts on a text: of a new verification for the first page, else of the one that is kept, if any.

        Args:
            jurisdiction: what it may rely on, as given.
            at_date: as given; today in UTC by default.
            first_page: whether nothing was shown of it yet.

        Raises:
            InputError: what `Engine.verify` refuses.
            StoreError: the store failed.
        """
        day = requests.checked_date(at_date).isoformat()
        said = json.dumps([text, jurisdiction, language, day])
        key = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
        if not first_page and (kept := self._get(key)) is not None:
            return kept
        result = self._engine.verify(text, jurisdiction=jurisdiction, language=language, at_date=at_date)
        self._put(key, len(text), result)
        return result

    def _get(self, key: str) -> VerifyResult | None:
        with self._lock:
            self._drop_old()
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found[2] if found else None

    def _put(self, key: str, size: int, result: VerifyResult) -> None:
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = (self._now(), size, result)
            self._drop_old()
            while len(self._kept) > MOST_TEXTS or sum(one for _, one, _ in self._kept.values()) > MOST_CHARACTERS:
                self._kept.popitem(last=False)

    def _drop_old(self) -> None:
        """Forget what nobody asked the next page of: memory is not held for a client that went away."""
        oldest = self._now() - KEEP_SECONDS
        for key in [key for key, (since, _, _) in self._kept.items() if since < oldest]:
            del self._kept[key]


ITEM_CHARACTERS = 1_000  # shown of an item that would fill a reply
_CUT = f"CUT: the first {ITEM_CHARACTERS} characters are shown; `start` and `end` say where it stands."


class ContextReply(ScopedContext):
    """A scoped context, or one page of it. `digest` always covers the whole context.

    A later page holds the definitions whose blocks are on it, each page the `prevails_over` of its blocks; `omitted`
    stands on the first page.
    """

    advice: str  # what to do where no context could be assembled; empty where it stands
    total_blocks: int
    first_block: int  # 0 where there are none
    last_block: int
    truncated: bool  # whether blocks that were asked for are not here
    next_blocks: str | None  # what to ask for as `blocks` to read on; None at the end
    _whole: bool = PrivateAttr(default=False)

    @property
    def whole(self) -> bool:
        """Whether its text for a model gives every block, as where they were asked for by number."""
        return self._whole


class AskReply(Answer):
    """A verified answer, places to look, a refusal, a halt or an honest failure.

    Show `short_answer`, `statements` with their levels, `limits` and `places`, and nothing else as law.
    """

    context: SkipJsonSchema[ScopedContext | None] = Field(default=None, exclude=True)


class VerifyReply(VerifyResult):
    """Verdicts on a text, or one page of them. `summary` counts the whole text; `not_checked` stands on page one.

    `complete` is false where the deadline left no time for a part of the text.
    """

    offset: int  # items passed over
    truncated: bool  # whether items after these are not here
    next_offset: int | None  # to ask for as `offset` to read on; None at the end


def tools(engine: Engine, exchange: Exchange) -> list[Tool]:
    """The tools of this group, in the order in which they are listed."""
    verified = VerifiedTexts(engine)

    def get_context(
        reference: Annotated[str, Field(description="a URN, a citation path, a reference or a question")],
        jurisdiction: Jurisdiction = None,
        language: Language = None,
        at_date: AtDate = None,
        rules: Rules = None,
        terms: Terms = None,
        blocks: Blocks = None,
    ) -> ContextReply:
        place = place_of(engine, reference, jurisdiction)
        context = engine.context(
            reference, jurisdiction=place.where, language=language, at_date=at_date, rules=checked_rules(rules),
            terms=terms,
        )  # fmt: skip
        return context_page(context.model_copy(update={"warnings": place.told(context.warnings)}), blocks)

    def ask(
        question: Annotated[str, Field(description="the scenario or question in plain words")],
        jurisdiction: Annotated[
            str | list[str] | None,
            Field(description="us-ma, fr; eu|fr together; a list: side by side"),
        ] = None,
        language: Language = None,
        at_date: AtDate = None,
        rules: Rules = None,
        terms: Terms = None,
        follow_up: Annotated[str | None, Field(description="of an earlier answer: keeps its rules, date")] = None,
    ) -> AskReply:
        where: str | list[str] | None = None
        place = Place(None)
        if isinstance(jurisdiction, list):
            where = [checked_filter(engine, name) for name in jurisdiction]
        elif follow_up is None:
            place = place_of(engine, question, jurisdiction)
            where = place.where
        answer = engine.ask(
            question, jurisdiction=where or (jurisdiction if follow_up else None), language=language, at_date=at_date,
            rules=checked_rules(rules), terms=terms, follow_up=follow_up,
        )  # fmt: skip
        exchange.answered(answer)
        return answer_reply(answer.model_copy(update={"warnings": place.told(answer.warnings)}))

    def verify_citations(
        text: Annotated[str, Field(description="the draft, with its citations and quotations")],
        jurisdiction: Annotated[
            str | None, Field(description="what the text may rely on; law from elsewhere is a fault")
        ] = None,
        language: Language = None,
        at_date: AtDate = None,
        offset: Annotated[int, Field(description="to page on, copy `next_offset`")] = 0,
    ) -> VerifyReply:
        result = verified.verify(
            text, jurisdiction=jurisdiction, language=language, at_date=at_date, first_page=offset == 0
        )
        return verify_page(result, offset)

    def resolve_case(
        court: Annotated[str | None, Field(description="part of the court's name")] = None,
        date: Annotated[str | None, Field(description="2023, 2023-05 or 2023-05-17")] = None,
        case_number: Annotated[str | None, Field(description="the best clue")] = None,
        case_name: Annotated[str | None, Field(description="part of the name")] = None,
        limit: Annotated[int, Field(description="cases, at most 10")] = 5,
        jurisdiction: Jurisdiction = None,
    ) -> CaseResolution:
        return case_reply(
            engine.resolve_case(
                court=court, date=date, case_number=case_number, case_name=case_name, limit=min(limit, MAX_CASES),
                jurisdiction=jurisdiction,
            )
        )  # fmt: skip

    # A configured provider drafts the answer, which is a call to the outside.
    remote = READ_ONLY.model_copy(update={"open_world_hint": engine.model is not None})
    return [
        make_tool(get_context, "Assemble the scoped context of a rule", _GET_CONTEXT, READ_ONLY),
        make_tool(ask, "Answer a scenario from verified law", _ASK, remote),
        make_tool(verify_citations, "Check the citations and quotations of a text", _VERIFY, READ_ONLY),
        make_tool(resolve_case, "Find a decision by what is remembered of it", _RESOLVE_CASE, READ_ONLY),
    ]


_GET_CONTEXT = f"""\
Assemble the scoped context of a rule: the rule, its ancestors, the definitions that govern its words (the closest \
scope wins), exceptions, authority, federal overlap and court overrides, at a date, with a digest. Use it before you \
reason about what a rule means. Give a URN, or a reference or question with its jurisdiction. Status halted means that \
a court stopped the rule: say so and stop. While `next_blocks` is not null there is more. {CITE}"""
_ASK = """\
Answer a scenario from the scoped context. Each statement has the level at which it was checked: VERBATIM and CHECKED \
by code, EXPLAINED and APPLIED by code and a judge, APPLIED on facts that nobody checked; pass the level on. Status \
places means that nothing is sure: show `places` as rules to read. Use it for a finished, cited answer; use \
get_context to reason yourself. Give the jurisdiction, and `terms`: everyday words alone find little. Status refused, \
halted or failed is the answer: pass on its message, do not answer from memory."""


_VERIFY = """\
Check a text that you or somebody else wrote: each reference, quotation and claim gets a verdict against the store at \
a date. Use it on your draft before you show it. SUPPORTED holds; NOT_FOUND, NOT_IN_FORCE, OVERRIDDEN, OUT_OF_SCOPE, \
MISQUOTED and ALTERED are faults to mend or take out, and `reasons` say why; AMBIGUOUS, OUTSIDE_CORPUS and UNVERIFIED \
mean that it could not be compared, which is no support; NOT_CONFIRMED tells what the law may say instead. \
`not_checked` lists what no verdict speaks of: never say that the whole text was verified while it is not empty."""
_RESOLVE_CASE = """\
Find decisions by what someone remembers of them: a case number, else a case name (with the court, if known), else a \
court (with the date, if known); latest decision first. Clues that a better one makes needless are listed in \
`ignored`. Status no_clue: ask the user for a number, a name, a court or a date. Status no_candidate means that no \
decision of this store fits, not that there is none. Read a case with get_document and its `urn`."""


# --- replies ---------------------------------------------------------------------------------------------------------


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
        reply = shortened(
            _context_part(context, chosen, first, last), ("omitted", "prevails_over", "definitions", "suggestions")
        )
        reply._whole = blocks is not None  # pyright: ignore[reportPrivateUsage]
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
    here = {block.urn for block in chosen}
    anywhere = {block.urn for block in context.blocks}
    opening = first == 1
    whole = len(chosen) == total
    definitions = [
        definition
        for definition in context.definitions
        if whole or definition.urn in here or (opening and definition.urn not in anywhere)
    ]
    return ContextReply.model_validate({
        **context.model_dump(exclude={"blocks", "definitions", "omitted", "prevails_over"}),
        "blocks": chosen, "definitions": definitions, "omitted": context.omitted if opening else [],
        "prevails_over": [one for one in context.prevails_over if one.by in here],
        "total_blocks": total, "first_block": first if chosen else 0, "last_block": last,
        "truncated": last < asked_last, "advice": advice_for(context.status),
        "next_blocks": f"{last + 1}-{min(total, last + len(chosen))}" if last < total else None,
    })  # fmt: skip


def verify_page(result: VerifyResult, offset: int) -> VerifyReply:
    """One page of verdicts.

    Args:
        offset: how many items to pass over.

    Raises:
        InputError: the offset is not that of an item.
    """
    total = len(result.items)
    if offset < 0 or (offset and offset >= total):
        raise InputError(f"`offset` is 0 or more and below the {total} items of the text.")
    unchecked = list(result.not_checked) if offset == 0 else []
    shown = list(result.items)

    def page(items: int, parts: int) -> VerifyReply:
        end = offset + items
        notes = [f"size: {parts} of {len(unchecked)} parts in `not_checked` fit."] if parts < len(unchecked) else []
        return VerifyReply.model_validate({
            **result.model_dump(exclude={"items", "not_checked", "warnings"}),
            "items": shown[offset:end], "not_checked": unchecked[:parts], "offset": offset,
            "warnings": [*result.warnings, *notes], "truncated": end < total,
            "next_offset": end if end < total else None,
        })  # fmt: skip

    parts = len(unchecked)
    if parts and reply_characters(page(0, parts)) > REPLY_CHARACTERS // 2:
        unchecked = [_cut_part(one) for one in unchecked]
    while parts and reply_characters(page(0, parts)) > REPLY_CHARACTERS // 2:
        parts -= max(1, parts // 4)
    if total > offset and reply_characters(page(1, 0)) > REPLY_CHARACTERS // 2:
        shown[offset] = _cut_item(shown[offset])
    items = total - offset
    while items > 1 and reply_characters(page(items, parts)) > REPLY_CHARACTERS:
        items -= max(1, items // 4)
    return page(items, parts)


def _cut_part(part: NotChecked) -> NotChecked:
    """A part that has no verdict, with no more of it than the beginning."""
    if len(part.text) <= ITEM_CHARACTERS:
        return part
    return part.model_copy(update={"text": part.text[:ITEM_CHARACTERS], "reason": f"{part.reason} {_CUT}"})


def _cut_item(item: VerifyItem) -> VerifyItem:
    """An item whose own text does not fit a reply, with the beginning of it."""
    return item.model_copy(update={"text": item.text[:ITEM_CHARACTERS], "reasons": [*item.reasons, _CUT]})


def case_reply(found: CaseResolution) -> CaseResolution:
    """Cases, as many as a reply holds; `more` says whether there are others."""
    while reply_characters(found) > REPLY_CHARACTERS and len(found.cases) > 1:
        found = found.model_copy(update={"cases": found.cases[:-1], "more": True})
    return found


_CUT_FIRST = ("omitted", "withheld", "prevails_over", "definitions", "limits", "statements")


def answer_reply(answer: Answer) -> AskReply:
    """An answer without its context, cut to what a reply holds; its parts share the room."""
    # The text for a model names the terms that the context defines; the record leaves the context out.
    reply = AskReply.model_validate(answer.model_dump()).model_copy(update={"context": answer.context})
    room = REPLY_CHARACTERS // max(1, len(answer.parts))
    reply = reply.model_copy(
        update={"parts": {code: shortened(one, _CUT_FIRST, room) for code, one in reply.parts.items()}}
    )
    return shortened(reply, _CUT_FIRST, REPLY_CHARACTERS)
