"""The checks, each a named function over plain facts; `CHECKS` is their order.

Three stages: over the claim alone, over one citation, and over a paraphrase beside the whole sentences it rests on.
Evals delete one entry at a time and expect a case to notice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from rag.languages.base import Kind, Reading
from rag.languages.operators import is_meant_otherwise, qualifiers
from rag.languages.text import MIN_QUOTE_WORDS, common_positions, count_words, fold, is_plain
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import Evidence, EvidenceBlock, Reason, urn_key

MAX_PARAPHRASE = 8_000
_MOST_SHORT = 10_000  # characters of a quote in which its first words are looked for
OPERATOR_KINDS = tuple(kind for kind in Kind if kind not in {Kind.NEUTRAL, Kind.VOICE, Kind.DESIGNATOR})


@dataclass(frozen=True, slots=True)
class CitationFacts:
    """One citation beside what it may mean: the version chosen, and where its quote is in that version."""

    citation: DraftCitation
    evidence: Evidence
    block: EvidenceBlock | None
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paraphrase beside the norm: the whole sentences, with lead-in and flush, that its citations lie in."""

    claim_text: str
    norm_text: str
    claim: Reading
    norm: Reading
    own_references: frozenset[str]  # letters and digits of the ways to name the cited nodes themselves
    quotes: tuple[str, ...]
    readable: bool  # whether operators of the language are read
    incomplete_list: bool


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """A check of the claim alone."""

    reason: Reason
    fails: Callable[[DraftClaim], bool]


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """A check of one citation."""

    reason: Reason
    fails: Callable[[CitationFacts], bool]


@dataclass(frozen=True, slots=True)
class ParaphraseCheck:
    """A check of a paraphrase against its norm."""

    reason: Reason
    fails: Callable[[Comparison], bool]


Check = ClaimCheck | CitationCheck | ParaphraseCheck


def cites_nothing(claim: DraftClaim) -> bool:
    """No citation at all."""
    return not claim.citations


def is_empty(claim: DraftClaim) -> bool:
    """No letter or digit in the claim."""
    return not re.search(r"[^\W_]", claim.text)


def has_active_content(claim: DraftClaim) -> bool:
    """Anything but plain text in the claim."""
    return not is_plain(claim.text)


def urn_is_malformed(facts: CitationFacts) -> bool:
    """Not a URN of the grammar (ASCII, at most 512 characters)."""
    return urn_key(facts.citation.urn) is None


def urn_is_outside(facts: CitationFacts) -> bool:
    """A URN, but not one of the evidence."""
    return urn_key(facts.citation.urn) is not None and facts.block is None


def is_out_of_force(facts: CitationFacts) -> bool:
    """No version of the node is in force at the date."""
    return facts.block is not None and not facts.block.in_force(facts.evidence.at_date)


def is_overridden(facts: CitationFacts) -> bool:
    """The version is overridden."""
    return facts.block is not None and facts.block.overridden


def quote_is_too_short(facts: CitationFacts) -> bool:
    """Under three words, unless the node has no more than the quote."""
    if count_words(facts.citation.quote[:_MOST_SHORT]) >= MIN_QUOTE_WORDS:
        return False
    whole = facts.block is not None and fold(facts.citation.quote).strip(" .;,:") == fold(facts.block.text).strip(
        " .;,:"
    )
    return not (whole and count_words(facts.citation.quote[:_MOST_SHORT]))


def quote_is_foreign(facts: CitationFacts) -> bool:
    """Not a run of whole words of the version."""
    return facts.block is not None and not facts.spans


def language_is_unchecked(comparison: Comparison) -> bool:
    """Operators of this language are not read."""
    return not comparison.readable


def claim_is_too_long(comparison: Comparison) -> bool:
    """Longer than paraphrases are compared for."""
    return len(comparison.claim_text) > MAX_PARAPHRASE


def _differs(kind: Kind) -> Callable[[Comparison], bool]:
    def fails(comparison: Comparison) -> bool:
        return comparison.claim.sequence(kind) != comparison.norm.sequence(kind)

    fails.__doc__ = f"The sequence of values of kind {kind.value} differs."
    fails.__name__ = f"{kind.value}_differs"
    return fails


numbers_differ = _differs(Kind.NUMBER)
units_differ = _differs(Kind.UNIT)
negations_differ = _differs(Kind.NEGATION)
comparators_differ = _differs(Kind.COMPARATOR)
connectives_differ = _differs(Kind.CONNECTIVE)
exceptions_differ = _differs(Kind.EXCEPTION)
voice_differs = _differs(Kind.VOICE)


def modality_differs(comparison: Comparison) -> bool:
    """Duties, permissions or prohibitions differ, or the claim asks what the norm says."""
    asks = _ASKS.search(comparison.claim_text) is not None and _ASKS.search(comparison.norm_text) is None
    return asks or comparison.claim.sequence(Kind.MODALITY) != comparison.norm.sequence(Kind.MODALITY)


_ASKS = re.compile(r"[?？]")


def conditions_differ(comparison: Comparison) -> bool:
    """Conditions differ; `when` may say `if` and `at the time`, which do not say each other."""
    claim, norm = comparison.claim.sequence(Kind.CONDITION), comparison.norm.sequence(Kind.CONDITION)
    if len(claim) != len(norm):
        return True
    return any(one != other and {one, other} not in _SAME_CONDITION for one, other in zip(claim, norm, strict=True))


_SAME_CONDITION = ({"WHEN", "IF"}, {"WHEN", "AT_TIME"})


def parties_differ(comparison: Comparison) -> bool:
    """Parties, their order or their direction differ, or `by`, `to`, `from` or `against` before any other word does."""
    if comparison.claim.sequence(Kind.PARTY) != comparison.norm.sequence(Kind.PARTY):
        return True
    norm = set(comparison.norm.directed)
    words = {word.partition(" ")[2] for word in norm}
    return any(word not in norm and word.partition(" ")[2] in words for word in comparison.claim.directed)


def absolutes_differ(comparison: Comparison) -> bool:
    """An absolute is added or dropped, unless `all` or `each` that opens the sentence or `either` of two is."""
    claim = Counter(comparison.claim.sequence(Kind.ABSOLUTE))
    norm = Counter(comparison.norm.sequence(Kind.ABSOLUTE))
    opens = comparison.norm.order[:1]
    opening = {name for name in ("ALL", "EVERY") if opens == (f"({name})",)}
    return bool(claim - norm) or any(norm[word] > 1 or word not in opening | {"EITHER"} for word in norm - claim)


def references_differ(comparison: Comparison) -> bool:
    """References to other provisions differ, or list designators do without all being gone."""

    def foreign(reading: Reading) -> list[str]:
        return [
            value
            for value in reading.sequence(Kind.REFERENCE)
            if re.sub(r"[^a-z0-9]|[a-z]*section\s|^[a-z]+\s", "", value) not in comparison.own_references
        ]

    numbers = comparison.claim.sequence(Kind.DESIGNATOR)
    renumbered = bool(numbers) and numbers != comparison.norm.sequence(Kind.DESIGNATOR)
    return renumbered or foreign(comparison.claim) != foreign(comparison.norm)


def has_new_content(comparison: Comparison) -> bool:
    """A content word, or a phrase of form, intent or manner, that the norm lacks.

    The facts and definitions lend none: `the illegal deposit`, `in the premises excluding ...` and `You win` say more
    than the rule does, whoever else has the words.
    """
    if _qualifiers(comparison.claim_text) - _qualifiers(comparison.norm_text):
        return True
    return bool(set(comparison.claim.content) - set(comparison.norm.content))


def omits_content(comparison: Comparison) -> bool:
    """A content word of the norm is gone: `residential`, `written` and `initial` decide cases like any other word."""
    norm, claim = comparison.norm, comparison.claim
    return bool(Counter(norm.content) - Counter(claim.content) or Counter(norm.named) - Counter(claim.named))


def words_moved(comparison: Comparison) -> bool:
    """A word or an operator of the norm is elsewhere, or more often: what it says something of is another thing."""
    norm = comparison.norm.order
    known = set(norm)
    own = [word for word in comparison.claim.order if word in known]
    return len(common_positions(norm, own)) < len(own)


def is_meant_differently(comparison: Comparison) -> bool:
    """A word is in its place, and a small word beside it, or in English its ending, says that something else is
    meant.
    """
    norm = comparison.norm
    known = set(norm.content)
    own = [at for at, stem in enumerate(comparison.claim.content) if stem in known]
    if not norm.places or [comparison.claim.content[at] for at in own] != [*norm.content]:
        return False  # other checks say what differs
    modal = norm.sequence(Kind.MODALITY)
    denied = bool(norm.sequence(Kind.NEGATION)) or "PROHIBITION" in modal
    return any(
        is_meant_otherwise(comparison.claim.places[at], place, denied=denied)
        for at, place in zip(own, norm.places, strict=True)
    )


def drops_restriction(comparison: Comparison) -> bool:
    """A relative clause is gone: fewer relative pronouns, and at least one content word less."""
    claim = Counter(comparison.claim.sequence(Kind.RELATIVE))
    norm = Counter(comparison.norm.sequence(Kind.RELATIVE))
    return bool(norm - claim) and bool(Counter(comparison.norm.content) - Counter(comparison.claim.content))


def drops_qualifier(comparison: Comparison) -> bool:
    """A word of form, intent, manner or frequency is gone, such as `in writing`, `knowingly`, `monthly`."""
    return bool(_qualifiers(comparison.norm_text) - _qualifiers(comparison.claim_text))


def _qualifiers(text: str) -> Counter[str]:
    return Counter(qualifiers(fold(text)))


def states_part_of_list(comparison: Comparison) -> bool:
    """One alternative of an obligation, or one of several conditions that hold only together."""
    return comparison.incomplete_list


def plain_words(text: str) -> str:
    """A text's words for equality: folded, lower case, without outer punctuation."""
    return fold(text).lower().strip(" .;,:-\"'")


def repeats_a_cut_quote(comparison: Comparison) -> bool:
    """The claim is the quote, and the sentence around the quote has operators that it lacks."""
    claim = plain_words(comparison.claim_text)
    if not any(claim == plain_words(quote) for quote in comparison.quotes):
        return False
    return any(comparison.claim.sequence(kind) != comparison.norm.sequence(kind) for kind in OPERATOR_KINDS)


CHECKS: tuple[Check, ...] = (
    ClaimCheck(Reason.EMPTY_CLAIM, is_empty),
    ClaimCheck(Reason.ACTIVE_CONTENT, has_active_content),
    ClaimCheck(Reason.NO_CITATION, cites_nothing),
    CitationCheck(Reason.URN_MALFORMED, urn_is_malformed),
    CitationCheck(Reason.URN_NOT_IN_CONTEXT, urn_is_outside),
    CitationCheck(Reason.NOT_IN_FORCE, is_out_of_force),
    CitationCheck(Reason.OVERRIDDEN, is_overridden),
    CitationCheck(Reason.QUOTE_TOO_SHORT, quote_is_too_short),
    CitationCheck(Reason.QUOTE_NOT_IN_NODE, quote_is_foreign),
    ParaphraseCheck(Reason.LANGUAGE_NOT_CHECKED, language_is_unchecked),
    ParaphraseCheck(Reason.CLAIM_TOO_LONG, claim_is_too_long),
    ParaphraseCheck(Reason.QUOTE_CUT, repeats_a_cut_quote),
    ParaphraseCheck(Reason.NUMBER_CHANGED, numbers_differ),
    ParaphraseCheck(Reason.UNIT_CHANGED, units_differ),
    ParaphraseCheck(Reason.MODALITY_CHANGED, modality_differs),
    ParaphraseCheck(Reason.NEGATION_CHANGED, negations_differ),
    ParaphraseCheck(Reason.COMPARATOR_CHANGED, comparators_differ),
    ParaphraseCheck(Reason.CONNECTIVE_CHANGED, connectives_differ),
    ParaphraseCheck(Reason.EXCEPTION_CHANGED, exceptions_differ),
    ParaphraseCheck(Reason.CONDITION_CHANGED, conditions_differ),
    ParaphraseCheck(Reason.PARTY_CHANGED, parties_differ),
    ParaphraseCheck(Reason.RELATION_CHANGED, is_meant_differently),
    ParaphraseCheck(Reason.VOICE_CHANGED, voice_differs),
    ParaphraseCheck(Reason.ABSOLUTE_CHANGED, absolutes_differ),
    ParaphraseCheck(Reason.REFERENCE_CHANGED, references_differ),
    ParaphraseCheck(Reason.NEW_CONTENT, has_new_content),
    ParaphraseCheck(Reason.CONTENT_OMITTED, omits_content),
    ParaphraseCheck(Reason.WORDS_MOVED, words_moved),
    ParaphraseCheck(Reason.RESTRICTION_DROPPED, drops_restriction),
    ParaphraseCheck(Reason.QUALIFIER_DROPPED, drops_qualifier),
    ParaphraseCheck(Reason.LIST_INCOMPLETE, states_part_of_list),
)


def has_cross_reference(comparison: Comparison) -> bool:
    """The norm rests on another provision."""
    return bool(comparison.norm.sequence(Kind.REFERENCE))


def has_several_negations(comparison: Comparison) -> bool:
    """More than one negation or prohibition."""
    modal = comparison.norm.sequence(Kind.MODALITY)
    return len(comparison.norm.sequence(Kind.NEGATION)) + modal.count("PROHIBITION") + modal.count("NO_OBLIGATION") > 1


def pairs_items(comparison: Comparison) -> bool:
    """`respectively`: items are paired by their order."""
    return "respectively" in fold(comparison.norm_text).lower()


def has_table(comparison: Comparison) -> bool:
    """A table cell border or an arithmetic sign."""
    return re.search(r"[|\t=×÷√∑]|\d\s*[+*]\s*\d", comparison.norm_text) is not None


# What a paraphrase that passed all checks was not checked for.
PARAPHRASE_NOTES: tuple[ParaphraseCheck, ...] = (
    ParaphraseCheck(Reason.CROSS_REFERENCE, has_cross_reference),
    ParaphraseCheck(Reason.NEGATION_SCOPE, has_several_negations),
    ParaphraseCheck(Reason.RESPECTIVELY, pairs_items),
    ParaphraseCheck(Reason.TABLE_OR_FORMULA, has_table),
)
