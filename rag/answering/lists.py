"""A sentence with its list: the items that other blocks hold, and whether one of them may stand without the others.

Pure; for drafts and for the sentences that code adds to a served claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from rag.languages.registry import language_of
from rag.verification.draft import DraftCitation, DraftClaim
from retrieval.model import Block

# What may follow words at the end of a lead-in that say what its items are.
_TAIL = re.compile(r"[^.;,:]{0,80}[:—–-]?\s*\Z")


def claim_of(block: Block, sentence: str) -> DraftClaim:
    """A claim that is the sentence; the block's first comes after its lead-in, its last before its flush text."""
    parts = (
        block.lead_in if block.text.startswith(sentence) else "",
        sentence,
        block.flush if block.text.rstrip().endswith(sentence.rstrip()) else "",
    )
    return DraftClaim(" ".join(part for part in parts if part), (DraftCitation(block.urn, sentence),))


def whole(block: Block, sentence: str, blocks: Sequence[Block]) -> list[DraftClaim]:
    """Claims that say a sentence; one that opens a list whose items stand in other blocks, with all of them.

    Items that share their lead-in are one claim: a flat list is one, a nested one has another for each inner list.

    Args:
        block: the one that has the sentence.
        sentence: of its text.
        blocks: of the context, with those that have no text of their own.
    """
    kids = [one for one in blocks if one.parent_urn == block.urn and _continues(sentence, one)]
    return _listed(kids, blocks) or [claim_of(block, sentence)]


def held_together(block: Block, blocks: Sequence[Block], language: str) -> list[DraftClaim]:
    """A list of which one item alone would mislead, whole: conditions that hold together, or any exceptions.

    Args:
        block: an item with its lead-in.
        blocks: of the context, with those that have no text of their own.
        language: of the law.

    Returns:
        Nothing where the item may stand alone, as a duty among duties does, or has no sisters.
    """
    row = [one for one in blocks if one.parent_urn == block.parent_urn and one.lead_in == block.lead_in]
    if not block.lead_in or block not in row or len(row) < 2:
        return []
    opening, phrases = block.lead_in, language_of(language).limits
    joined = _ends_with(phrases.conditions, opening) and any(
        phrases.cumulative.search(_last_words(item, blocks)) for item in row
    )
    whole_only = _ends_with(phrases.together, opening) or _ends_with(phrases.exceptions, opening)
    return _listed(row, blocks) if joined or whole_only else []


def _ends_with(phrase: re.Pattern[str], text: str) -> bool:
    """Whether a text ends with a phrase and a few words after it."""
    return any(_TAIL.match(text, match.end()) for match in phrase.finditer(text))


def _last_words(block: Block, blocks: Sequence[Block]) -> str:
    """How an item ends, its own list included."""
    return next(reversed([leaf.text.rstrip() for leaf in _leaves(block, blocks)]), "")


def _listed(items: Sequence[Block], blocks: Sequence[Block]) -> list[DraftClaim]:
    leaves = [leaf for item in items for leaf in _leaves(item, blocks)]
    drafts: list[DraftClaim] = []
    for (lead_in, flush), group in groupby(leaves, key=lambda one: (one.lead_in, one.flush)):
        row = list(group)
        text = " ".join(part for part in (lead_in, *(item.text for item in row), flush) if part)
        drafts.append(DraftClaim(text, tuple(DraftCitation(item.urn, item.text) for item in row)))
    return drafts


def _continues(opening: str, child: Block) -> bool:
    """Whether the lead-in of a child ends with these words of its parent."""
    return bool(opening.strip()) and _spaced(child.lead_in).endswith(_spaced(opening))


def _leaves(block: Block, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks that say a list item: itself, or where its words only lead into a list, that list's items."""
    kids = [one for one in blocks if one.parent_urn == block.urn]
    if block.text and not any(_continues(block.sides[0], one) for one in kids):
        yield block
    for kid in kids:
        yield from _leaves(kid, blocks)


def _spaced(text: str) -> str:
    return " ".join(text.split())
