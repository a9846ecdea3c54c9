"""The sentences beside those that a statement cites which it needs as well. Pure.

"The Mayor may propose rules, but the Council reviews them" quotes the sentence about the review, and the one before it
says who proposes. Whoever is to judge the statement, or reads it, has to see both. A sentence of the same node, or of
one around it, is needed where it has two words of the statement that no cited sentence has; one beside or below it only
where it has a number that they do not have, for words are shared by chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.languages.registry import known_language
from rag.languages.sentences import split_at
from rag.languages.stems import telling_stems
from rag.verification.draft import DraftCitation
from rag.verification.model import Evidence, EvidenceBlock
from rag.verification.norm import Unit, norm_text, sentences_of
from rag.verification.refuters import Quantity, read_lines, same_quantity

MOST_NEEDED = 2  # sentences that are added to one statement
_LEAST = 2  # words of the statement that a sentence must add
_LONGEST = 8_000  # characters of a statement, or of a sentence, that is looked at
_MOST_BLOCKS = 60  # blocks around the cited ones that are looked at


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
        for whole in sentences_of(block.text, evidence.language):
            for start, end in split_at(block.text, whole, block.breaks):
                if (block.urn, (start, end)) not in cited and end - start <= _LONGEST:
                    yield _Sentence(block.urn, block.text[start:end], above)


def _near(block: EvidenceBlock, other: EvidenceBlock) -> bool:
    """Whether a block contains another one, lies within it, or stands beside it with the same role."""
    around = block.urn.startswith(f"{other.urn}:") or other.urn.startswith(f"{block.urn}:")
    beside = block.urn.rpartition(":")[0] == other.urn.rpartition(":")[0]
    return around or (beside and block.role == other.role)
