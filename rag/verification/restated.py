"""A sentence of the law that a statement tells word for word, but for one thing. Pure.

A paraphrase leaves open which sentence it is held against. What has all words of one sentence in their order does not:
if it then has another number, unit, negation, duty or limit at one place, it says that sentence wrongly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.languages.base import Contrasts, Kind, Mark
from rag.languages.registry import known_language
from rag.verification.checks import MAX_PARAPHRASE
from rag.verification.refuters import (
    MOST_CHARACTERS,
    Line,
    Quantity,
    comparators,
    force_of,
    listed,
    opposes,
    read_lines,
    reverses,
    same_quantity,
)

_FEW = 5  # words by which a part of a sentence is recognised
_FEWEST = 3  # and a whole one
_AS_NEAR = 0.5  # share of a statement's words from which another sentence may be meant
_COVERED = 0.5  # share of the law's sentence that has to be told
_AMOUNTS = frozenset({Kind.NUMBER, Kind.UNIT})
_FORCES = frozenset({Kind.MODALITY, Kind.NEGATION})
_UNSEEN = frozenset({Kind.REFERENCE, Kind.VOICE})  # references are taken out of a memo before it is compared
_TURNS = frozenset({Kind.EXCEPTION, Kind.CONDITION, Kind.ABSOLUTE, Kind.NEGATION, Kind.MODALITY})
_LIMITED = frozenset({"ONLY", "ONLY_IF"})  # "may only if" allows no more than "shall only if"


@dataclass(frozen=True, slots=True)
class _Run:
    """Where all words of a statement's sentence stand in one of the law; `first` is the place of its first word."""

    ours: Line
    law: Line
    first: int

    def differing(self) -> list[tuple[int, int]]:
        """The gaps between the same words in which the two have other operators. At its ends a statement may have none:
        what goes before and after them in the law is left out.
        """
        ends = (0, len(self.ours.words))
        pairs = ((at, self.first + at) for at in range(len(self.ours.gaps)))
        return [
            (at, place)
            for at, place in pairs
            if _seen(self.ours, at) != _seen(self.law, place) and (at not in ends or _seen(self.ours, at))
        ]

    @property
    def is_whole(self) -> bool:
        """Whether what the law has before and after these words turns nothing."""
        end = self.first + len(self.ours.words)
        before = self.law.gaps[: self.first + (not _seen(self.ours, 0))]
        after = self.law.gaps[end + bool(_seen(self.ours, len(self.ours.words))) :]
        return not any(mark.kind in _TURNS for gap in (*before, *after) for mark in gap)


def changed(statement: str, sentences: Sequence[str], around: Sequence[str], language: str) -> str:
    """What a statement says otherwise than the one sentence of its law that it repeats; empty where it is not so.

    Args:
        statement: one or more sentences, without the references that it cites.
        sentences: of the provision that it cites, with their lead-ins and flush.
        around: the law of its section, of which no sentence may say what the statement says.
        language: ISO 639-1 code of the law.

    Returns:
        The end of a sentence in English: "says 5 percent where that says 3 percent".
    """
    known = known_language(language)
    size = sum(map(len, (*sentences, *around)))
    if known is None or len(statement) > MAX_PARAPHRASE or size > MOST_CHARACTERS:
        return ""
    contrasts = known.contrasts()
    cited = [line for text in sentences for line in read_lines(text, language, ())]
    near = [*cited, *(line for text in around for line in read_lines(text, language, ()))]
    for ours in read_lines(statement, language, ()):
        runs = [run for law in cited for run in _runs(ours, law)]
        told = [_change(run, contrasts, language) for run in runs]
        if told and all(told) and not any(_says_it(ours, runs[0].law, other, contrasts, language) for other in near):
            return told[0]
    return ""


def _says_it(ours: Line, law: Line, other: Line, contrasts: Contrasts, language: str) -> bool:
    """Whether another sentence of the law has a statement's words without the change, or the changed amount beside as
    many of its words that it may be meant.
    """
    if any(not _change(run, contrasts, language) for run in _runs(ours, other)):
        return True
    lacking = [one for one in ours.quantities if not any(same_quantity(one, has, contrasts) for has in law.quantities)]
    has = any(same_quantity(one, has, contrasts) for one in lacking for has in other.quantities)
    return has and len(set(ours.words).intersection(other.words)) >= _AS_NEAR * len(set(ours.words))


def _runs(ours: Line, law: Line) -> Iterator[_Run]:
    """Where the law's sentence has all words of a statement's, one after the other, and not much more."""
    size = len(ours.words)
    if size < (_FEWEST if size == len(law.words) else _FEW) or size < _COVERED * len(law.words):
        return
    for first in range(len(law.words) - size + 1):
        if law.words[first : first + size] == ours.words:
            yield _Run(ours, law, first)


def _seen(line: Line, at: int) -> list[Mark]:
    return [mark for mark in line.gaps[at] if mark.kind not in _UNSEEN]


def _change(run: _Run, contrasts: Contrasts, language: str) -> str:
    """What the two say otherwise between the same words, where all else is the same there; or empty."""
    differing = run.differing()
    # What stands where a part of the sentence begins may take the place of the words that are left out.
    size, after = len(run.ours.words), run.first + len(run.ours.words)
    if any((at == 0 and run.first) or (at == size and after < len(run.law.words)) for at, _ in differing):
        return ""
    kinds = {mark.kind for at, place in differing for mark in _besides(_seen(run.ours, at), _seen(run.law, place))}
    if differing and kinds <= _AMOUNTS:
        return _other_amount(run, differing, contrasts, language)
    if len(differing) != 1 or not run.is_whole:
        return ""
    (at, place), limits = differing[0], {*run.ours.values(Kind.ABSOLUTE), *run.ours.values(Kind.EXCEPTION)}
    ours, law = force_of(run.ours.gaps[at]), force_of(run.law.gaps[place])
    if kinds <= _FORCES and not limits & _LIMITED:
        if ours and law and opposes(ours, law):
            return f"says {listed([ours])} where that says {listed([law])}"
        if ours == law and abs(run.ours.may_deny - run.law.may_deny) == 1:
            denies = run.ours.may_deny > run.law.may_deny
            return "denies what that does not deny" if denies else "does not deny what that denies"
    if kinds == {Kind.COMPARATOR}:
        said, there = comparators(run.ours, at), comparators(run.law, place)
        if reverses(said, there):
            return f"says {listed(sorted(said - there))} where that says {listed(sorted(there - said))}"
    return ""


def _other_amount(run: _Run, differing: Sequence[tuple[int, int]], contrasts: Contrasts, language: str) -> str:
    ours, law = _by_gap(run.ours), _by_gap(run.law)
    told: list[str] = []
    for at, place in differing:
        amounts, there = ours.get(at, []), law.get(place, [])
        pairs = [] if len(amounts) != len(there) else [*zip(amounts, there, strict=True)]
        other = [pair for pair in pairs if not same_quantity(*pair, contrasts) or pair[0].per != pair[1].per]
        if not other:
            return ""
        told += [f"says {one.told(language)} where that says {has.told(language)}" for one, has in other]
    return ", and ".join(told)


def _by_gap(line: Line) -> Mapping[int, list[Quantity]]:
    found: dict[int, list[Quantity]] = {}
    for quantity in line.quantities:
        found.setdefault(quantity.gap, []).append(quantity)
    return found


def _besides(one: Sequence[Mark], other: Sequence[Mark]) -> list[Mark]:
    """The marks that only one of two gaps has."""
    return [mark for mark in one if mark not in other] + [mark for mark in other if mark not in one]
