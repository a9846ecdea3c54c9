"""A sentence with its list: claims that tell the items that other blocks hold, and the list that an item belongs to.

Pure; for drafts and for the sentences that code adds to a served claim. Which lists are told whole, the verifier says
(`rag/verification/lists.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.languages.sentences import sentences_of
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.lists import LONGEST_LIST, Told, cut_list, opened_by, words_around, words_before
from retrieval.model import Block

MOST_TOLD = 6_000  # characters of a list that is shown beside one of its sentences


def claim_of(block: Block, sentence: str, language: str) -> DraftClaim:
    """A claim that is the sentence; the block's first comes after its lead-in, its last before its flush text, and what
    goes on after the block's parts behind the words before them, with a mark between.
    """
    breaks = () if block.after_children is None else (block.after_children,)
    parts = (
        words_before(block.lead_in, block.text, max(block.text.find(sentence), 0), breaks, language),
        sentence,
        block.flush if block.text.rstrip().endswith(sentence.rstrip()) else "",
    )
    return DraftClaim(" ".join(part for part in parts if part), (DraftCitation(block.urn, sentence),))


def whole(block: Block, sentence: str, blocks: Sequence[Block], language: str) -> DraftClaim:
    """A claim that says a sentence: with all its items where it opens a list, and with its sisters where it is one.

    Args:
        block: the one that has the sentence.
        sentence: of its text.
        blocks: of the context, with those that have no text of their own.

    Returns:
        One claim; an inner list follows its own lead-in, and the provision's sentences after the list come last. A list
        too long to be told, or not all there, is not completed: what the sentence says of it stays alone, and the
        verifier says that the list goes on.
    """
    before, after = (*block.sides, "", "")[:2]
    if after[:1].islower() and after.startswith(sentence) and (last := sentences_of(before, language)):
        sentence_before = before[slice(*last[-1])]
        told = whole(block, sentence_before, blocks, language)
        return told if told.citations[0].urn != block.urn else claim_of(block, sentence, language)
    items = opened(block, sentence, blocks)
    first = block.text.startswith(sentence)
    cut = cut_list([item.urn for item in items] or ([block.urn] if first else []), blocks, language)
    if cut is not None and cut.whole:
        items = [*cut.items]
    return _listed(_in_order(items), _closing(items, blocks)) if items else claim_of(block, sentence, language)


def told_whole(block: Block, sentence: str, blocks: Sequence[Block], language: str) -> str:
    """A sentence in its list as `whole` tells it; empty where it is no part of one, or the list is too long."""
    claim = whole(block, sentence, blocks, language)
    return claim.text if len(claim.citations) > 1 and len(claim.text) <= MOST_TOLD else ""


def opened(block: Block, sentence: str, blocks: Sequence[Block]) -> list[Block]:
    """The blocks that say the list that a sentence opens; none where it opens none, as most sentences do."""
    kids = [block_ for block_ in blocks if block_.parent_urn == block.urn and _continues(sentence, block_)]
    return [leaf for kid in kids for leaf in _leaves(kid, blocks)]


def _closing(items: Sequence[Block], blocks: Sequence[Block]) -> DraftCitation | None:
    """The sentences that the provision has after its list, no item of it; None where it has none, or the list no room
    for them. What goes on with the list's own sentence is its flush.
    """
    above = opened_by(items)
    for block in blocks:
        if block.urn == above and len(block.sides) > 1 and not block.sides[1][:1].islower():
            size = sum(len(item.text) for item in items) + len(block.sides[1])
            return DraftCitation(block.urn, block.sides[1].strip()) if size <= LONGEST_LIST else None
    return None


def _in_order(items: Sequence[Block]) -> Sequence[Block]:
    """The items by their numbers and letters, for a context has those first that a rule uses; else as they are."""
    parts = [item.urn.split(":") for item in items]
    common = next((at for at, level in enumerate(zip(*parts, strict=False)) if len(set(level)) > 1), 0)
    ranks = [[_rank(part) for part in own[common:]] for own in parts]
    if not all(map(all, ranks)):
        return items
    return [items[at] for at in sorted(range(len(items)), key=ranks.__getitem__)]


def _rank(part: str) -> tuple[int, ...]:
    """What sorts a part of a URN that is a number or one letter; nothing for any other, such as a Roman numeral."""
    name = part.removeprefix("nr.")
    if name.isdecimal():
        return 0, int(name)
    return (1, ord(name)) if len(name) == 1 and name.isalpha() else ()


def _listed(items: Sequence[Block], closing: DraftCitation | None) -> DraftClaim:
    around = words_around([Told(item.urn, item.text, item.lead_in, item.flush) for item in items])
    parts = [
        part for item, words in zip(items, around, strict=True) for part in (words.lead_in, item.text, words.flush)
    ]
    cited = [*(DraftCitation(item.urn, item.text) for item in items), *([closing] if closing else [])]
    return DraftClaim(" ".join([*filter(None, parts), *([closing.quote] if closing else [])]), tuple(cited))


def _continues(opening: str, child: Block) -> bool:
    """Whether the lead-in of a child ends with these words of its parent."""
    return bool(opening.strip()) and _spaced(child.lead_in).endswith(_spaced(opening))


def _leaves(block: Block, blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks that say a list item: itself, or where its words only lead into a list, that list's items."""
    kids = [block_ for block_ in blocks if block_.parent_urn == block.urn]
    if block.text and not any(_continues(block.sides[0], kid) for kid in kids):
        yield block
    for kid in kids:
        yield from _leaves(kid, blocks)


def _spaced(text: str) -> str:
    return " ".join(text.split())
