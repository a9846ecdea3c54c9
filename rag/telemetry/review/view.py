"""What a reader is shown of a trace, whatever the format: the tree of C(R), claims beside the texts they cite,
rankings side by side, and what could be checked anew from the trace alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag.answering.answer import LEVELS, Citation, advice_for, advice_on
from rag.answering.citations import citation_of
from rag.answering.extractive.draft import LABEL
from rag.answering.limits.overridden import overridden_by
from rag.answering.refusals import heading_over
from rag.answering.run import PLACES_LABEL
from rag.telemetry.review.words import STATUS_TONES, STATUS_WORDS, worst_first
from rag.telemetry.trace import WITHOUT_USERS_WORDS, Trace, TracedHit, TracedStatement, scenario_sha256
from rag.verification.model import DESCRIPTIONS
from retrieval.errors import InputError
from retrieval.model import Block, PrevailsOver, ScopedContext, context_digest

# Browsers and XML readers stop nesting at a few hundred elements; deeper provisions stay in order at this level.
MAX_TREE_DEPTH = 24
FOLDED = 900  # characters around a quote that are shown without being asked for
LEG_ORDER = ("citation", "synonym", "lexical", "dense", "rerank")
SERVED_LEVELS = {level: words for level, words in LEVELS.items() if level != "WITHHELD"}
_NOT_KEPT = "What this warning says was not kept, for it may repeat words of the question."
_OPTIONS = re.compile(r" \(--[^()]*\)")
_SPACES = re.compile(r"\s+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}\Z")


@dataclass(frozen=True, slots=True)
class TreeItem:
    """One block at its place in the tree of C(R), in document order.

    `number` is the block's position in the context, from 1; ids in the file are made of it. `opens` says that the
    next item is a child; `closes` counts the lists that end after this item.
    """

    block: Block
    number: int
    depth: int
    parent_shown: bool  # its parent is the item that it is under
    opens: bool = False
    closes: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a node's text; `marked` where it is a quote, `after_parts` where the node's parts come before it."""

    text: str
    marked: bool
    after_parts: bool = False

    def folded(self, first: bool, last: bool) -> tuple[str, str, str]:
        """Words around quotes as what is right after one, what may be folded away, and what is before one.

        Args:
            first: no quote is before them.
            last: none is after them.
        """
        text, around = self.text, FOLDED // 3
        if len(text) <= FOLDED or (first and last):
            return text, "", ""
        start = 0 if first else text.find(" ", around) + 1
        end = len(text) if last else text.rfind(" ", start, len(text) - around) + 1
        return (text[:start], text[start:end], text[end:]) if end - start > around else (text, "", "")


@dataclass(slots=True)
class Exhibit:
    """A cited node's whole text with the quotes in it. `loose` are quotes that do not stand where they claim to."""

    urn: str
    number: int | None
    block: Block | None
    quotes: list[Citation] = field(default_factory=list[Citation])
    loose: list[Citation] = field(default_factory=list[Citation])

    @property
    def pieces(self) -> list[Piece]:
        """The text cut at the quotes, and where its parts come between words; joined, the pieces are the text."""
        text = self.block.text if self.block else ""
        quoted = [(quote.start, quote.end) for quote in self.quotes]
        after_parts = (self.block.after_children if self.block else None) or 0
        if any(low < after_parts < high for low, high in quoted):
            after_parts = 0
        cuts = sorted({0, after_parts, len(text), *(place for quote in quoted for place in quote)})
        return [
            Piece(text[start:end], any(low <= start < high for low, high in quoted), 0 < start == after_parts)
            for start, end in pairwise(cuts)
            if text[start:end]
        ]


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim with its exhibits and its reasons in words."""

    number: int
    claim: TracedStatement
    served: bool
    level_words: str
    reasons: list[tuple[str, str]]  # code, sentence (empty for an unknown code)
    exhibits: list[Exhibit]

    @property
    def own_words(self) -> bool:
        """Whether the statement is nothing but what its exhibits highlight, with the words around it."""
        if self.claim.level != "VERBATIM" or not self.exhibits or any(exhibit.loose for exhibit in self.exhibits):
            return False
        if self.claim.text is None:
            return True  # not kept beside the quotes, which are its words
        left = _SPACES.sub("", self.claim.text)
        for exhibit in self.exhibits:
            block = exhibit.block
            around = (block.lead_in, block.flush) if block else ()
            for shown in sorted((*around, *(quote.quote for quote in exhibit.quotes)), key=len, reverse=True):
                left = left.replace(_SPACES.sub("", shown), "", 1)
        return not left


@dataclass(frozen=True, slots=True)
class Check:
    """Something the file claims that was computed anew when it was written."""

    words: str
    holds: bool


@dataclass(frozen=True, slots=True)
class View:
    """A trace as a reader goes through it."""

    trace: Trace
    title: str
    status_words: str
    tone: str  # good, stop, notice
    language: str  # a language tag, or empty where the trace's is none
    held: list[str]
    left_out: list[str]
    checks: list[Check]
    claims: list[ShownClaim]
    tree: list[TreeItem]
    numbers: dict[str, int]  # URN -> number of its block
    legs: list[str]
    rankings: list[tuple[int, list[TracedHit | None]]]
    entry_legs: list[str]
    milliseconds: list[tuple[str, float]]
    usage: list[tuple[str, int]]
    prompt: str | None
    prompt_note: str
    told: list[tuple[str, str, str | None]]  # kind, message and URN of each warning beside the context's

    @property
    def advice(self) -> str:
        """What to do where there is no answer; empty where there is one."""
        status = self.trace.context.status if self.trace.context else "ok"
        advice = advice_on(self.trace.refusal_reason) if self.trace.refusal_reason else advice_for(status)
        return _OPTIONS.sub("", advice)  # whoever reads a file or a page has none

    def heading_of(self, exhibit: Exhibit) -> str:
        """The heading under which a cited node stands; empty where there is none."""
        told = next((quote.heading for quote in (*exhibit.quotes, *exhibit.loose) if quote.heading), "")
        # Traces that were stored before citations had headings.
        return told or (heading_over(self.trace.context, exhibit.urn) if self.trace.context else "")

    @property
    def label(self) -> str:
        """What kind of answer it is, where no model drafted it."""
        if self.trace.provider != "extractive":
            return ""
        return PLACES_LABEL if self.trace.status == "places" else LABEL if self.served else ""

    @property
    def served(self) -> list[ShownClaim]:
        """The claims an answer consists of."""
        return [claim for claim in self.claims if claim.served]

    @property
    def limiting(self) -> list[ShownClaim]:
        """Of these, the law's sentences that were added because they limit another."""
        return [claim for claim in self.served if "LIMITS" in claim.claim.reasons]

    @property
    def defining(self) -> list[ShownClaim]:
        """Of these, the law's sentences that were added because they say what a term of another means."""
        return [claim for claim in self.served if "DEFINES" in claim.claim.reasons]

    @property
    def rest(self) -> list[ShownClaim]:
        """Of these, the sentences that were added because their provisions are quoted."""
        return [claim for claim in self.served if "REST" in claim.claim.reasons]

    @property
    def stated(self) -> list[ShownClaim]:
        """Of these, all others."""
        return [claim for claim in self.served if not {"LIMITS", "DEFINES", "REST"}.intersection(claim.claim.reasons)]

    @property
    def overridden(self) -> list[PrevailsOver]:
        """What the provisions that these cite prevail over."""
        cited = (citation.urn for claim in self.stated for citation in claim.claim.citations)
        return overridden_by(self.trace.context, cited) if self.trace.context else []

    @property
    def levels(self) -> list[tuple[str, str]]:
        """The levels of the statements served, each with what it means."""
        there = {claim.claim.level for claim in self.served}
        return [(level, words) for level, words in SERVED_LEVELS.items() if level in there]

    def name_of(self, urn: str) -> str:
        """A provision as people cite it; the URN where that cannot be told."""
        try:
            return citation_of(urn, self.trace.context) if self.trace.context else urn
        except InputError:
            return urn

    @property
    def withheld(self) -> list[ShownClaim]:
        """The claims that were not served."""
        return [claim for claim in self.claims if not claim.served]


def tree_of(blocks: Sequence[Block]) -> list[TreeItem]:
    """The blocks as a tree by `parent_urn`, depth first; children and roots keep the order of the context.

    Every block is in it once. One whose parent is not in the context is a root; so is, after those, the first block
    of a circle of parents, which only a damaged trace has.
    """
    first: dict[str, int] = {}
    for index, block in enumerate(blocks):
        first.setdefault(block.urn, index)
    children: dict[int | None, list[int]] = {}
    for index, block in enumerate(blocks):
        parent = first.get(block.parent_urn) if block.parent_urn is not None else None
        children.setdefault(parent, []).append(index)
    order: list[tuple[int, int]] = []
    seen: set[int] = set()
    for start in (*children.get(None, []), *range(len(blocks))):
        stack = [(start, 0)]
        while stack:
            index, depth = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            order.append((index, depth))
            stack.extend((child, depth + 1) for child in reversed(children.get(index, [])))
    items: list[TreeItem] = []
    depths = [min(depth, MAX_TREE_DEPTH) for _, depth in order] + [0]
    for position, (index, depth) in enumerate(order):
        here, following = depths[position], depths[position + 1]
        block = blocks[index]
        items.append(
            TreeItem(
                block=block,
                number=index + 1,
                depth=here,
                parent_shown=0 < depth <= MAX_TREE_DEPTH,
                opens=following > here,
                closes=max(here - following, 0),
            )
        )
    return items


def exhibits(citations: Sequence[Citation], blocks: Sequence[Block]) -> list[Exhibit]:
    """The cited texts of one claim, in the order first cited.

    Quotes of one node share its text as long as they do not overlap, so that each mark holds exactly one quote.
    """
    out: list[Exhibit] = []
    for citation in sorted(citations, key=lambda cited: (_first_cited(cited, citations), cited.start, cited.end)):
        candidates = [(number, block) for number, block in enumerate(blocks, start=1) if block.urn == citation.urn]
        stands = next((pair for pair in candidates if stands_in(citation, pair[1])), None)
        number, block = stands or (candidates[0] if candidates else (None, None))
        shared = next(
            (
                exhibit
                for exhibit in out
                if exhibit.urn == citation.urn
                and exhibit.number == number
                and (stands is None or not exhibit.quotes or exhibit.quotes[-1].end <= citation.start)
            ),
            None,
        )
        if shared is None:
            shared = Exhibit(citation.urn, number, block)
            out.append(shared)
        (shared.quotes if stands else shared.loose).append(citation)
    return out


def _first_cited(citation: Citation, citations: Sequence[Citation]) -> int:
    return next(index for index, other in enumerate(citations) if other.urn == citation.urn)


def stands_in(citation: Citation, block: Block) -> bool:
    """Whether the quote is the block's own law at its offsets; a redacted block has none."""
    return (
        0 <= citation.start < citation.end <= len(block.text)
        and block.role != "warning"
        and block.text[citation.start : citation.end] == citation.quote
    )


def _shown_claim(number: int, claim: TracedStatement, blocks: Sequence[Block]) -> ShownClaim:
    sentences = {str(code): sentence for code, sentence in DESCRIPTIONS.items()}
    return ShownClaim(
        number=number,
        claim=claim,
        served=claim.level in SERVED_LEVELS,
        level_words=SERVED_LEVELS.get(claim.level, "not served"),
        reasons=[(code, sentences.get(code, "")) for code in claim.reasons],
        exhibits=exhibits(claim.citations, blocks),
    )


def _checks(trace: Trace, claims: Sequence[ShownClaim]) -> list[Check]:
    """What can be recomputed from the trace alone."""
    out: list[Check] = []
    if trace.context is not None:
        out.append(_context_check(trace.context))
    if trace.scenario is not None:
        same = scenario_sha256(trace.scenario) == trace.scenario_sha256
        out.append(Check("The scenario has the digest recorded for it.", same))
    quotes = [len(exhibit.quotes) for claim in claims if claim.served for exhibit in claim.exhibits]
    loose = [len(exhibit.loose) for claim in claims if claim.served for exhibit in claim.exhibits]
    if quotes:
        words = f"{sum(quotes)} of {sum(quotes) + sum(loose)} quotes of served statements stand in the cited text."
        out.append(Check(words, not sum(loose)))
    bare = sum(1 for claim in claims if claim.served and not claim.exhibits)
    if bare:
        out.append(Check(f"{bare} served statements cite nothing.", False))
    return out


def _context_check(context: ScopedContext) -> Check:
    same = context_digest(context) == context.digest
    return Check("The scoped context has the digest recorded for it.", same)


def build_view(trace: Trace) -> View:
    """Everything a reader's format needs of a trace, computed once and the same every time."""
    blocks = trace.context.blocks if trace.context else []
    claims = [_shown_claim(number, claim, blocks) for number, claim in enumerate(trace.statements, start=1)]
    kept = {
        "the scenario": trace.scenario is not None,
        "the whole prompt": trace.prompt is not None,
        "the wording of the statements": any(claim.text is not None for claim in trace.statements),
        "the phrases matched by synonyms": bool(trace.synonyms),
        "the parts of the question left open": bool(trace.unanswered),
        "the words of warnings": any(
            warning.message for warning in trace.told if warning.kind not in WITHOUT_USERS_WORDS
        ),
    }
    taken_out = {
        "the scenario": trace.scenario is None,
        "the prompt's scenario part": trace.prompt is None and trace.prompt_redacted is not None,
        "the wording of the statements": any(claim.text is None for claim in trace.statements),
        "the phrases matched by synonyms": trace.synonyms is None,
        "the parts of the question left open": trace.unanswered is None,
        "the words of warnings that repeat the question": any(not warning.message for warning in trace.told),
    }
    numbers: dict[str, int] = {}
    for number, block in enumerate(blocks, start=1):
        numbers.setdefault(block.urn, number)
    legs = sorted(trace.legs, key=_leg_key)
    length = max((len(trace.legs[leg]) for leg in legs), default=0)
    status = STATUS_WORDS.get(trace.status, "")
    return View(
        trace=trace,
        title=f"Lexscope dump: {(status or 'unknown status').lower()}, law as of {trace.at_date}",
        status_words=status or trace.status,
        tone=STATUS_TONES.get(trace.status, "notice"),
        language=trace.language if _LANGUAGE.match(trace.language) else "",
        held=[words for words, held in kept.items() if held],
        left_out=[words for words, missing in taken_out.items() if missing],
        checks=_checks(trace, claims),
        claims=claims,
        tree=tree_of(blocks),
        numbers=numbers,
        legs=legs,
        rankings=[
            (rank + 1, [trace.legs[leg][rank] if rank < len(trace.legs[leg]) else None for leg in legs])
            for rank in range(length)
        ],
        entry_legs=sorted({leg for point in trace.entry_points for leg in point.legs}, key=_leg_key),
        # A stored trace comes back with its keys in another order; the longest stage first is the same every time.
        milliseconds=sorted(trace.milliseconds.items(), key=lambda step: (-step[1], step[0])),
        usage=sorted(trace.usage.items()),
        prompt=trace.prompt if trace.prompt is not None else trace.prompt_redacted,
        prompt_note=_prompt_note(trace),
        told=[(warning.kind, warning.message or _NOT_KEPT, warning.urn) for warning in worst_first(trace.told)],
    )


def _leg_key(leg: str) -> tuple[int, str]:
    return (LEG_ORDER.index(leg) if leg in LEG_ORDER else len(LEG_ORDER), leg)


def _prompt_note(trace: Trace) -> str:
    if trace.prompt is not None:
        return "Exactly as it was built for the provider, the scenario included."
    if trace.prompt_redacted is not None:
        return "The scenario has been taken out; everything else is as it was built for the provider."
    return "There is none: no prompt was built for this request."
