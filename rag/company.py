"""What a served sentence must not stand without: the law's own sentences beside it that limit it.

"No person may moor" is half the truth where the next sentence, a sister provision or another section says "subsection
(1) does not apply to a vessel in distress", and a state's rule is where federal law that may preempt it says otherwise.
Each sentence of a claim can be true and the answer still mislead; so code adds these sentences, word for word, however
the claim was drafted. One that opens a list comes with its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from rag.company_words import (
    names,
    names_what_precedes,
    prevails_over_much,
    sets_aside,
    speaks_against,
    takes_back,
)
from rag.draft import DraftCitation, DraftClaim
from rag.extractive import block_sentences, claim_of
from rag.verification import verify_claim
from rag.verification_model import CheckedCitation, CheckedClaim, Evidence, Reason
from rag.verification_tokens import stem
from retrieval.languages import IDLE_WORDS
from retrieval.model import Block, ContextWarning, ScopedContext

MOST = 6  # limiting sentences added to one answer, a list counting as one; the provisions of further ones are named
LONGEST = 4_000  # characters of a sentence that is added, its list included; the provision of a longer one is named
_OPEN = (":", "—", "–")
SAME_MATTER = 3  # words in common by which two sentences of one chapter are about the same matter
_RULES = frozenset({"rule", "federal", "exception"})
_ITEM = re.compile(r"\W{0,2}(?:[a-z]{1,4}|\d{1,3})[).]\s", re.IGNORECASE)


def with_companions(
    served: Sequence[CheckedClaim], context: ScopedContext, evidence: Evidence
) -> tuple[list[CheckedClaim], list[ContextWarning]]:
    """The claims of an answer, each followed by the sentences that limit it and are not told elsewhere in the answer.

    Args:
        served: verified claims, in their order.
        context: what they were verified against.
        evidence: the verifier's view of it.

    Returns:
        The claims with those added, which carry `Reason.LIMITS`; and a warning that names provisions of which a
        limiting sentence is not among them, because there are too many or because it could not be verified.
    """
    told = {(cited.urn, cited.sentence) for one in served for cited in one.citations}
    blocks = [block for block in context.blocks if block.role in _RULES]
    with_words = [block for block in blocks if block.text]
    possible = _possible(with_words, evidence.language)
    texts = {one.text for one in served}
    out: list[CheckedClaim] = []
    left: dict[str, None] = {}
    added = 0
    for claim in served:
        out.append(claim)
        for block, sentence in _limits(with_words, possible, claim, evidence.language):
            if any(urn == block.urn and sentence in known for urn, known in told):
                continue
            drafts = [one for one in _whole(block, sentence, blocks) if one.text not in texts]
            if not drafts:
                continue
            too_much = added == MOST or sum(len(one.text) for one in drafts) > LONGEST
            checked = [] if too_much else [verify_claim(one, evidence) for one in drafts]
            if too_much or any(one.level != "VERBATIM" or one.text.rstrip().endswith(_OPEN) for one in checked):
                left[block.urn] = None
                continue
            told.update((cited.urn, cited.sentence) for one in checked for cited in one.citations)
            texts.update(one.text for one in checked)
            out.extend(replace(one, reasons=(*one.reasons, Reason.LIMITS)) for one in checked)
            added += 1
    if not left:
        return out, []
    message = f"Further provisions of the context limit what is said here: {', '.join(left)}. Read them too."
    return out, [ContextWarning(kind="limits", message=message)]


# --- a sentence with its list ----------------------------------------------------------------------------------------


def _whole(block: Block, sentence: str, blocks: Sequence[Block]) -> list[DraftClaim]:
    """Claims that say a sentence; one that opens a list whose items stand in other blocks, with all of them.

    Items that share their lead-in are one claim: a flat list is one, a nested one has another for each inner list.
    """
    kids = [one for one in _children(block, blocks) if _continues(sentence, one)]
    leaves = [leaf for kid in kids for leaf in _leaves(kid, blocks)]
    if not leaves:
        return [claim_of(block, sentence)]
    drafts: list[DraftClaim] = []
    for (lead_in, flush), group in groupby(leaves, key=lambda one: (one.lead_in, one.flush)):
        items = list(group)
        text = " ".join(part for part in (lead_in, *(one.text for one in items), flush) if part)
        drafts.append(DraftClaim(text, tuple(DraftCitation(one.urn, one.text) for one in items)))
    return drafts


def _children(block: Block, blocks: Sequence[Block]) -> list[Block]:
    return [one for one in blocks if one.parent_urn == block.urn]


def _continues(opening: str, child: Block) -> bool:
    """Whether the lead-in of a child ends with these words of its parent."""
    return bool(opening.strip()) and _spaced(child.lead_in).endswith(_spaced(opening))


def _leaves(block: Block, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks that say a list item: itself, or where its words only lead into a list, that list's items."""
    kids = _children(block, blocks)
    if block.text and not any(_continues(block.sides[0], one) for one in kids):
        yield block
    for kid in kids:
        yield from _leaves(kid, blocks)


def _spaced(text: str) -> str:
    return " ".join(text.split())


# --- what limits a claim ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Limit:
    """A sentence that may limit provisions other than its own."""

    block: Block
    sentence: str
    said: str  # with its lead-in
    lead_in: str  # what another block says that comes with all its items
    aside: bool  # it sets something aside that it may name
    nearby: bool  # it limits the provision right before its own, whatever it names


def _possible(blocks: Sequence[Block], language: str) -> list[_Limit]:
    """The sentences of a context that limit something, in its order."""
    found: list[_Limit] = []
    urns = {block.urn for block in blocks}
    for block in blocks:
        lead_in = block.lead_in if block.parent_urn in urns else ""
        for number, sentence in enumerate(_sentences(block, language)):
            said = sentence if number else f"{block.lead_in} {sentence}".lstrip()
            aside = sets_aside(said, language)
            nearby = (aside and names_what_precedes(said)) or (number == 0 and speaks_against(sentence))
            if aside or nearby:
                found.append(_Limit(block, sentence, said, lead_in, aside, nearby))
    return found


def _limits(
    blocks: Sequence[Block], possible: Sequence[_Limit], claim: CheckedClaim, language: str
) -> Iterator[tuple[Block, str]]:
    """The blocks and sentences that limit a claim, nearest first."""
    for cited in claim.citations:
        for block in (one for one in blocks if one.urn == cited.urn):
            yield from _after(block, cited, language)
            for one in possible:
                named = one.aside and names(one.said, block, one.block) and not names(one.lead_in, block, one.block)
                if named and prevails_over_much(one.said):
                    named = len(_stems(claim.text) & _stems(one.sentence) - _IDLE) >= SAME_MATTER
                if named or (one.nearby and _is_next(block, one.block, blocks)):
                    yield one.block, one.sentence
            yield from _federal(block, blocks, claim)


def _after(block: Block, cited: CheckedCitation, language: str) -> Iterator[tuple[Block, str]]:
    """The sentences that follow the cited ones and take something back, up to the first that does not."""
    place = cited.sentence_end
    for sentence in _sentences(block, language):
        start = block.text.find(sentence, place)
        if start < 0 or block.text[place:start].strip():
            continue
        if not takes_back(sentence):
            return
        yield block, sentence
        place = start + len(sentence)


def _is_next(block: Block, other: Block, blocks: Sequence[Block]) -> bool:
    """Whether a block is the next one under the same parent."""
    row = [one.urn for one in blocks if one.parent_urn == block.parent_urn]
    return bool(block.parent_urn) and other.urn in row and row.index(other.urn) == row.index(block.urn) + 1


def _sentences(block: Block, language: str) -> list[str]:
    """A block's sentences; the designated items of a list in its own text stay with the words that open the list."""
    found: list[str] = []
    place = 0
    for sentence in block_sentences(block, language):
        start = block.text.index(sentence, place)
        place = start + len(sentence)
        if found and _ITEM.match(sentence) and ":" in found[-1]:
            opened = block.text.rindex(found[-1], 0, start)
            found[-1] = block.text[opened:place]
        else:
            found.append(sentence)
    return found


def _federal(block: Block, blocks: Sequence[Block], claim: CheckedClaim) -> Iterator[tuple[Block, str]]:
    """Of each federal provision that may preempt the block, the sentence with most of the claim's words."""
    if block.role != "rule":
        return
    words = _stems(claim.text)
    for other in blocks:
        if other.role != "federal" or not set(other.applies_to) & set(block.applies_to):
            continue
        sentences = _sentences(other, "en")
        if sentences:
            yield other, max(sentences, key=lambda one: len(words & _stems(one)))


_IDLE = frozenset(stem(word) for word in (*IDLE_WORDS, "shall", "may", "must", "provision", "chapter", "section"))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"\w+", text.lower()))
