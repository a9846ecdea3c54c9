"""Whether a claim that cannot be served is shown to say something else, or only not shown to say the same. Pure.

A claim that speaks of a sentence and has an operator that the sentence lacks says something else. So does one that
states most of it without its negation, exception or condition, and one that restates it all and differs anyhow. What
sums up, leaves out or puts otherwise may well be true: it is UNVERIFIED, and the law's own sentence stands for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rag.languages.base import Kind, Reading
from rag.verification.model import Reason

MEANT = 0.7  # share of a claim's words that a sentence has, from which the claim speaks of that sentence
WHOLE = 0.5  # share of a sentence's words that a claim has, from which it speaks of all of it
_RESTATED = 0.85  # from which it says all of it again
_FEW_WORDS = 2  # or all of it but so many, with no more of its own
_MOVED_WORDS = 2  # or operators, of each of two parts that change places
_ADDED = (Kind.NUMBER, Kind.UNIT, Kind.MODALITY, Kind.NEGATION, Kind.COMPARATOR, Kind.ABSOLUTE)
_DROPPED = (Kind.NEGATION, Kind.EXCEPTION, Kind.CONDITION)
# Each of these is wrong by itself, whatever else the claim says.
_BY_ITSELF = frozenset({Reason.EMPTY_CLAIM, Reason.ACTIVE_CONTENT, Reason.QUOTE_CUT, Reason.LIST_INCOMPLETE})


@dataclass(frozen=True, slots=True)
class Change:
    """Operators of one kind that a claim has and its sentence lacks, or the other way round."""

    kind: Kind
    values: tuple[str, ...]
    added: bool


def changed_operators(
    claim: Reading, norm: Reading, *, meant: float, whole: float, parties_differ: bool
) -> tuple[Change, ...]:
    """What a claim changes of the sentence that it speaks of; nothing where it may speak of something else.

    Args:
        claim: its reading.
        norm: the sentence's, with lead-in and flush.
        meant: the share of the claim's words that the sentence has.
        whole: the share of the sentence's words that the claim has.
        parties_differ: whether the check of the parties failed.
    """
    if meant < MEANT:
        return ()
    found = [Change(kind, more, True) for kind in _ADDED if (more := _more(claim, norm, kind))]
    if whole >= WHOLE:
        found += [Change(kind, more, False) for kind in _DROPPED if (more := _more(norm, claim, kind))][:1]
        # With a condition or an exception, another order of the clauses is another order of the parties too.
        turned = any(norm.sequence(kind) for kind in (Kind.CONDITION, Kind.EXCEPTION))
        more = _more(claim, norm, Kind.PARTY)
        if parties_differ and (not turned or more):
            found.append(Change(Kind.PARTY, more, True))
    return tuple(found)


def says_otherwise(claim: Reading, norm: Reading, reasons: Sequence[Reason]) -> bool:
    """Whether the reasons for which a claim cannot be served show that it says something else than its norm."""
    if not _BY_ITSELF.isdisjoint(reasons):
        return True
    if moves_a_part(claim.order, norm.order):
        return False
    ours, law = Counter(claim.content), Counter(norm.content)
    common = (ours & law).total()
    meant, whole = common / max(ours.total(), 1), common / max(law.total(), 1)
    few = ours.total() - common <= _FEW_WORDS >= law.total() - common
    if common and (few or (whole >= _RESTATED and meant >= MEANT)):
        return True
    differ = Reason.PARTY_CHANGED in reasons
    return bool(changed_operators(claim, norm, meant=meant, whole=whole, parties_differ=differ))


def moves_a_part(claim: Sequence[str], norm: Sequence[str]) -> bool:
    """Whether a claim has all words and operators of its norm, and one part of several words stands elsewhere."""
    if len(claim) != len(norm) or Counter(claim) != Counter(norm):
        return False
    differ = [at for at, (one, other) in enumerate(zip(claim, norm, strict=True)) if one != other]
    if not differ:
        return False
    first, last = differ[0], differ[-1] + 1
    ours, law = [*claim[first:last]], [*norm[first:last]]
    # Two parts that change places: both have more than one word, so that no word alone has got another meaning.
    return any(ours == law[cut:] + law[:cut] for cut in range(_MOVED_WORDS, len(law) - _MOVED_WORDS + 1))


def _more(one: Reading, other: Reading, kind: Kind) -> tuple[str, ...]:
    ours, theirs = ([_PLAINLY.get(value, value) for value in each.sequence(kind)] for each in (one, other))
    return tuple((Counter(ours) - Counter(theirs)).elements())


_PLAINLY = {"WHEN": "IF", "AT_TIME": "IF"}  # a condition told otherwise is not gone
