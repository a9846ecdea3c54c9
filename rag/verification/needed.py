"""The sentences beside those that a statement cites which it needs as well. Pure.

"The Mayor may propose rules, but the Council reviews them" quotes the sentence about the review, and the one before it
says who proposes. Whoever is to judge the statement, or reads it, has to see both. A sentence of the same node, or of
one around it, is needed where it has two words of the statement that no cited sentence has; one beside or below it only
where it has a number that they do not have, for words are shared by chance.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from rag.languages.registry import known_language
from rag.languages.sentences import sentences_of, split_at
from rag.languages.stems import telling_stems
from rag.verification.draft import DraftCitation
from rag.verification.model import Evidence, EvidenceBlock
from rag.verification.norm import Unit, norm_text
from rag.verification.refuters import Quantity, read_lines, same_quantity

Span = tuple[int, int]

MOST_NEEDED = 2  # sentences that are added to one statement
_LEAST = 2  # words of the statement that a sentence must add
_LONGEST = 8_000  # characters of a statement, or of a sentence, that is looked at
_MOST_BLOCKS = 60  # blocks around the cited ones that are looked at
_MOST_SENTENCES = 500  # sentences of one block before the cited ones, after them, or from its beginning


@dataclass(frozen=True, slots=True)
class _Said:
    """The words and numbers of a text."""

    words: frozenset[str]
    numbers: tuple[Quantity, ...]


def needed_sentences(text: str, units: Sequence[Unit], evidence: Evidence) -> list[DraftCitation]:
    """The sentences that a statement needs besides those it cites, each as a citation of the whole sentence.

    Args:
        text: the statement.
        units: the sentences that it cites.
        evidence: what it may cite.

    Returns:
        At most `MOST_NEEDED`, the one that adds most first; none where the language has no stems.
    """
    language = known_language(evidence.language)
    if language is None or len(text) > _LONGEST or not units:
        return []

    def read(part: str) -> _Said:
        lines = read_lines(part, evidence.language, evidence.terms)
        return _Said(telling_stems(part, language), tuple(quantity for line in lines for quantity in line.quantities))

    cited = read(" ".join((norm_text(units), *(unit.block.heading for unit in units))))
    claim = read(text)
    contrasts = language.contrasts()

    def lacking(numbers: Sequence[Quantity], have: Sequence[Quantity]) -> tuple[Quantity, ...]:
        return tuple(
            number
            for number in numbers
            if number.value > 1 and not any(same_quantity(number, law, contrasts) for law in have)
        )

    words = frozenset(word for word in claim.words - cited.words if not word.isdigit())
    numbers = lacking(claim.numbers, cited.numbers)
    candidates = [(sentence, read(sentence.quote)) for sentence in _around(units, evidence) if words or numbers]
    found: list[DraftCitation] = []
    while candidates and len(found) < MOST_NEEDED:
        gains = [
            (len(numbers) - len(lacking(numbers, said.numbers)), len(words & said.words) if one.above else 0)
            for one, said in candidates
        ]
        best = max(gains)
        if best < (0, _LEAST):
            break
        one, said = candidates.pop(gains.index(best))
        found.append(DraftCitation(one.urn, one.quote))
        words -= said.words
        numbers = lacking(numbers, said.numbers)
    return found


@dataclass(frozen=True, slots=True)
class _Sentence:
    urn: str
    quote: str
    above: bool  # of a cited node, or of one around it


def _around(units: Sequence[Unit], evidence: Evidence) -> Iterator[_Sentence]:
    """The other sentences of the cited nodes, then those of the nodes around, below and beside them."""
    cited = {(unit.block.urn, span) for unit in units for span in unit.sentences}
    blocks = list(dict.fromkeys(unit.block for unit in units))
    own = {block.urn for block in blocks}
    near = [other for other in evidence.blocks if other.urn not in own and any(_near(block, other) for block in blocks)]
    for block in (*blocks, *near[:_MOST_BLOCKS]):
        if block.overridden or not block.in_force(evidence.at_date):
            continue
        above = block.urn in own or any(urn.startswith(f"{block.urn}:") for urn in own)
        for whole in _nearby(block, cited, evidence.language):
            for start, end in split_at(block.text, whole, block.breaks):
                if (block.urn, (start, end)) not in cited and end - start <= _LONGEST:
                    yield _Sentence(block.urn, block.text[start:end], above)


def _nearby(block: EvidenceBlock, cited: AbstractSet[tuple[str, Span]], language: str) -> Sequence[Span]:
    """The sentences of a block that stand near those cited of it, or near its beginning."""
    spans = sentences_of(block.text, language)
    starts = sorted(start for urn, (start, _) in cited if urn == block.urn) or [0]
    first = bisect_left(spans, (starts[0], 0)) - _MOST_SENTENCES
    last = bisect_left(spans, (starts[-1], 0)) + _MOST_SENTENCES
    return spans[max(0, first) : last + 1]


def _near(block: EvidenceBlock, other: EvidenceBlock) -> bool:
    """Whether a block contains another one, lies within it, or is beside it with the same role."""
    around = block.urn.startswith(f"{other.urn}:") or other.urn.startswith(f"{block.urn}:")
    beside = block.urn.rpartition(":")[0] == other.urn.rpartition(":")[0]
    return around or (beside and block.role == other.role)
