"""The operators of E10 and E11: each text mutator with the reasons expected of a verifier, its goal and its filter."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from evals.suites.fidelity.mutators import (
    TextMutator,
    absolute_added,
    adds_no_word,
    and_or_changed,
    comparator_flipped,
    condition_dropped,
    condition_turned,
    consequence_added,
    cut_condition,
    cut_exception,
    cut_no,
    cut_not,
    exception_dropped,
    forbids_either_way,
    manner_dropped,
    modal_changed,
    not_added,
    not_dropped,
    number_changed,
    parties_swapped,
    party_replaced,
    reference_changed,
    restriction_dropped,
    roles_reversed,
    second_duty_dropped,
    swaps_a_pair,
    unit_changed,
)
from evals.suites.fidelity.mutators_order import not_moved, relation_changed, words_exchanged
from rag.verification.checks import CHECKS, ParaphraseCheck
from rag.verification.model import Reason


@dataclass(frozen=True, slots=True)
class Operator:
    """One mutator with what is expected of the verifier.

    Attributes:
        change: text and random source to mutant; None where the text has nothing to change.
        expected: a verdict that names none of these reasons missed what was wrong.
        goal: the least share of mutants to be caught.
        hard: whether a share below the goal fails the run.
        equivalent: whether a mutant says the same as the text (text, mutant); it then leaves the denominator.
        label: its name where the function has none of its own.
        cut: the mutant is a quote cut out of the sentence and repeated as the claim.
    """

    change: TextMutator
    expected: frozenset[Reason]
    goal: float
    equivalent: Callable[[str, str], bool]
    cut: bool = False
    hard: bool = True
    label: str = ""

    @property
    def name(self) -> str:
        """The mutator's name."""
        return self.label or self.change.__name__

    def mutate(self, text: str, rng: random.Random) -> str | None:
        """A mutant that says something else; None where there is none."""
        mutant = self.change(text, rng)
        if mutant is None or mutant.split() == text.split() or self.equivalent(text, mutant):
            return None
        return mutant


def never(text: str, mutant: str) -> bool:
    """No mutant of this operator says the same."""
    return False


def _operator(
    change: TextMutator,
    *expected: Reason,
    goal: float = 0.99,
    equivalent: Callable[[str, str], bool] = never,
    hard: bool = True,
) -> Operator:
    return Operator(change, frozenset(expected), goal, equivalent, change.__name__.startswith("cut_"), hard)


# E10 of the metric set: operators of the norm.
OPERATORS: tuple[Operator, ...] = (
    _operator(number_changed, Reason.NUMBER_CHANGED, Reason.REFERENCE_CHANGED),
    _operator(unit_changed, Reason.UNIT_CHANGED),
    _operator(not_dropped, Reason.NEGATION_CHANGED, Reason.MODALITY_CHANGED, Reason.COMPARATOR_CHANGED),
    _operator(not_added, Reason.NEGATION_CHANGED, Reason.MODALITY_CHANGED, Reason.COMPARATOR_CHANGED),
    _operator(modal_changed, Reason.MODALITY_CHANGED, equivalent=forbids_either_way),
    _operator(and_or_changed, Reason.CONNECTIVE_CHANGED),
    _operator(comparator_flipped, Reason.COMPARATOR_CHANGED),
    _operator(exception_dropped, Reason.EXCEPTION_CHANGED),
    _operator(condition_dropped, Reason.CONDITION_CHANGED, Reason.EXCEPTION_CHANGED),
    _operator(condition_turned, Reason.CONDITION_CHANGED, Reason.EXCEPTION_CHANGED),
    _operator(party_replaced, Reason.PARTY_CHANGED),
    _operator(parties_swapped, Reason.PARTY_CHANGED, equivalent=swaps_a_pair),
    _operator(roles_reversed, Reason.VOICE_CHANGED),
    _operator(reference_changed, Reason.REFERENCE_CHANGED),
    _operator(relation_changed, Reason.RELATION_CHANGED, Reason.PARTY_CHANGED),
    _operator(
        words_exchanged,
        Reason.WORDS_MOVED,
        Reason.PARTY_CHANGED,
        Reason.COMPARATOR_CHANGED,
        # One of the words may be an operator, such as "required", or name the provision that a reference leads to.
        Reason.MODALITY_CHANGED,
        Reason.REFERENCE_CHANGED,
    ),
    _operator(not_moved, Reason.WORDS_MOVED, Reason.MODALITY_CHANGED, Reason.NEGATION_CHANGED),
    _operator(cut_no, Reason.QUOTE_CUT),
    _operator(cut_not, Reason.QUOTE_CUT),
    _operator(cut_exception, Reason.QUOTE_CUT),
    _operator(cut_condition, Reason.QUOTE_CUT, goal=0.98),
)
# A clause that is gone takes its own operators with it, whichever they are.
_ALTERED = tuple(check.reason for check in CHECKS if isinstance(check, ParaphraseCheck))
# E11: what the rule reaches.
SCOPE_OPERATORS: tuple[Operator, ...] = (
    _operator(restriction_dropped, *(reason for reason in _ALTERED if reason != Reason.CONTENT_OMITTED), goal=0.95),
    _operator(second_duty_dropped, Reason.CONTENT_OMITTED, goal=0.95),
    _operator(manner_dropped, Reason.QUALIFIER_DROPPED, goal=0.95),
    _operator(consequence_added, Reason.NEW_CONTENT, goal=1.0, equivalent=adds_no_word),
    _operator(absolute_added, Reason.ABSOLUTE_CHANGED, goal=0.995),
)
