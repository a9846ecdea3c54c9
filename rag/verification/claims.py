"""The verifier: a claim and the evidence it may rest on give a verdict. Pure, deterministic, usable without a store.

A claim is VERBATIM when it is the whole sentences of its citations, CHECKED when it is a paraphrase in which every
operator and content word of those sentences is accounted for, and WITHHELD otherwise. Operators are read in English,
French and German, the latter two word for word: a paraphrase may only use other operators that mean the same. In any
other language a paraphrase is WITHHELD with `LANGUAGE_NOT_CHECKED`, and only VERBATIM is served.

What it cannot know: whether the right rule was cited, whether it applies to the facts, and whether a paraphrase that
passes every check is equivalent in law.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from rag.languages.operators import read_in, reads
from rag.languages.registry import known_language
from rag.languages.sentences import sentences_of, split_at
from rag.languages.stems import telling_stems
from rag.languages.text import fold, is_plain, locate
from rag.verification.checks import (
    CHECKS,
    MAX_PARAPHRASE,
    PARAPHRASE_NOTES,
    Check,
    CitationCheck,
    CitationFacts,
    ClaimCheck,
    Comparison,
    ParaphraseCheck,
    omits_content,
    words_moved,
)
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.forms import Form, forms, with_parts_moved
from rag.verification.lists import LONGEST_LIST, finishes_list, opened_by
from rag.verification.model import (
    DESCRIPTIONS,
    LIMITING,
    VERDICTS,
    CheckedCitation,
    CheckedClaim,
    Evidence,
    EvidenceBlock,
    Level,
    Reason,
    Refutation,
    Verdict,
)
from rag.verification.norm import (
    Unit,
    by_sentence,
    conjunction,
    distinct,
    make_unit,
    norm_text,
    part_of_list,
    resting_on,
    stated_units,
    unit_notes,
    whole_sentences,
)
from rag.verification.refuters import REFUTERS, Quantity, Refuter, read_lines, refute, same_quantity

__all__ = [
    "CHECKS", "DESCRIPTIONS", "LIMITING", "VERDICTS", "Check", "CheckedCitation", "CheckedClaim", "CitationCheck",
    "ClaimCheck", "Evidence", "EvidenceBlock", "Level", "ParaphraseCheck", "Reason", "Verdict", "fold", "is_plain",
    "verbatim_fallback", "verify_claim", "whole_sentences",
]  # fmt: skip

_MOST_LISTS = 4

Expansion = Callable[[str, int, int, str], tuple[tuple[int, int], ...]]


def _facts(citation: DraftCitation, evidence: Evidence) -> CitationFacts:
    """Choose the version a citation means: one in force, an overridden one first (fail closed), then by its quote."""
    versions = evidence.versions(citation.urn)
    pool = [block for block in versions if block.in_force(evidence.at_date)] or versions
    pool = [block for block in pool if block.overridden] or pool
    chosen: EvidenceBlock | None = None
    spans: list[tuple[int, int]] = []
    for block in pool:
        # What goes on after the node's parts is no run of words with what stands before them.
        found = [
            (start, end)
            for start, end in locate(citation.quote, block.text)
            if not any(start < place < end and finishes_list(block.text, place, block.breaks) for place in block.breaks)
        ]
        if chosen is None or (found and not spans):
            chosen, spans = block, found
    return CitationFacts(citation, evidence, chosen, tuple(spans))


def _check_citation(
    facts: CitationFacts, checks: Sequence[Check], expand: Expansion
) -> tuple[list[Reason], CheckedCitation | None, Unit | None]:
    """One citation's reasons, and what it gives where nothing speaks against it."""
    reasons = [check.reason for check in checks if isinstance(check, CitationCheck) and check.fails(facts)]
    block = facts.block
    if reasons or block is None or not block.text.strip():
        return reasons, None, None
    start, end = facts.spans[0] if facts.spans else (0, len(block.text))
    sentences = expand(block.text, start, end, facts.evidence.language)
    pieces = [piece for span in sentences for piece in split_at(block.text, span, block.breaks)]
    sentences = tuple(piece for piece in pieces if piece[0] < end and start < piece[1]) or sentences
    unit = make_unit(block, sentences, language=facts.evidence.language)
    checked = CheckedCitation(
        urn=block.urn,
        quote=block.text[start:end],
        start=start,
        end=end,
        sentence_start=sentences[0][0],
        sentence_end=sentences[-1][1],
        sentence=unit.text,
        lead_in=unit.lead_in,
        flush=unit.flush,
    )
    return [Reason.QUOTE_REPEATED] if len(facts.spans) > 1 else [], checked, unit


def _own_references(units: Sequence[Unit]) -> frozenset[str]:
    """Letters and digits of the designators by which the cited URNs can be named, whole or in part."""
    names: set[str] = set()
    for unit in units:
        parts = [re.sub(r"[^a-z0-9]", "", part) for part in unit.block.urn.lower().split(":")[3:]]
        names |= {
            "".join(parts[first:last]) for first in range(len(parts)) for last in range(first + 1, len(parts) + 1)
        }
    return frozenset(names)


def _comparisons(
    claim: DraftClaim, units: Sequence[Unit], evidence: Evidence
) -> Iterator[tuple[Comparison, list[Reason], str]]:
    """The claim beside each form of its norm in which it may be right, what a reader is told of the form, and the
    claim as it would be served.
    """
    language, quotes = evidence.language, tuple(citation.quote for citation in claim.citations)
    norms = [norm_text(units), norm_text(units, bare=True)]
    if join := conjunction(units, evidence):
        norms.append(norm_text(units, join=join))
    norms = list(dict.fromkeys(norms))
    listed = any(unit.lead_in or unit.flush for unit in units)
    own, incomplete = _own_references(units), part_of_list(units, evidence) is not None

    def compare(form: Form) -> Comparison:
        return Comparison(
            claim_text=claim.text,
            norm_text=form.norm,
            claim=read_in(language, form.claim, evidence.terms),
            norm=read_in(language, form.norm, evidence.terms),
            own_references=own,
            quotes=quotes,
            readable=reads(language),
            incomplete_list=incomplete,
        )

    for form in forms(claim.text, norms, language, quotes, listed=listed):
        comparison = compare(form)
        yield comparison, _told(form), form.served
        if words_moved(comparison) and not omits_content(comparison):
            for turned in with_parts_moved(form, language):
                yield compare(turned), _told(turned), turned.served


def _told(form: Form) -> list[Reason]:
    """What a reader is told of a form."""
    told = [Reason.PART_STATED] if form.part else []
    told += [Reason.PRONOUN_EXPLAINED] if form.explained else []
    return told + ([Reason.ORDER_CHANGED] if form.turned else [])


_MOST_SPACED = 2  # characters of a claim for one of its law, white space and line feeds included
_ENDS = frozenset({Reason.LANGUAGE_NOT_CHECKED, Reason.CLAIM_TOO_LONG})  # after them nothing is compared


def _failures(comparison: Comparison, checks: Sequence[Check]) -> list[Reason]:
    """The reasons of all paraphrase checks; only the first two stages' where the rest cannot apply."""
    reasons: list[Reason] = []
    for check in checks:
        if isinstance(check, ParaphraseCheck) and check.fails(comparison):
            reasons.append(check.reason)
            if check.reason in _ENDS:
                break
    return reasons


def _withheld(
    claim: DraftClaim,
    reasons: list[Reason],
    citations: Sequence[CheckedCitation],
    refuted: tuple[Refutation, ...] = (),
) -> CheckedClaim:
    order = list(VERDICTS.values())
    verdict = order[min(order.index(VERDICTS[reason]) for reason in reasons if reason in VERDICTS)]
    return CheckedClaim(
        claim.text,
        "WITHHELD",
        "ALTERED" if any(refutation.decides for refutation in refuted) else verdict,
        tuple(dict.fromkeys([*reasons, *(refutation.reason for refutation in refuted)])),
        tuple(citations),
        refuted=refuted,
    )


def _refuted(
    claim: DraftClaim, units: Sequence[Unit], evidence: Evidence, refuters: Sequence[Refuter]
) -> tuple[Refutation, ...]:
    """What the whole sentences of all citations, and the headings over them, contradict of a claim."""
    law = [norm_text([unit]) for unit in units]
    headings = [unit.block.heading for unit in units if unit.block.heading]
    segments = {part for unit in units for part in unit.block.urn.lower().split(":")[3:]}
    named = segments | {part for segment in segments for part in re.findall(r"\d+|[^\W\d_]+", segment)}
    return refute(
        claim.text, law, frozenset(named), evidence.language, evidence.terms, headings=headings, refuters=refuters
    )


def _served(
    text: str, level: Level, notes: Sequence[Reason], citations: Sequence[CheckedCitation], *, partial: bool
) -> CheckedClaim:
    # The law's own whole sentence needs no reservation for being an item of a list, unless the items depend on another.
    limiting = LIMITING - {Reason.LIST_ITEM} if level == "VERBATIM" and not partial else LIMITING
    limited = any(note in limiting for note in notes)
    if limited and level == "CHECKED":
        # What was not checked can only be judged by the whole sentence, so that is what the claim is shown with.
        citations = [
            replace(citation, quote=citation.sentence, start=citation.sentence_start, end=citation.sentence_end)
            for citation in citations
        ]
    return CheckedClaim(text, level, "SUPPORTED", tuple(dict.fromkeys(notes)), tuple(citations), limited)


def verify_claim(
    claim: DraftClaim,
    evidence: Evidence,
    *,
    checks: Sequence[Check] = CHECKS,
    refuters: Sequence[Refuter] = REFUTERS,
    expand: Expansion = whole_sentences,
) -> CheckedClaim:
    """Check one claim. Never raises on any text; the same input gives the same output.

    A claim with one citation that fails is withheld, whatever the others say. A paraphrase with several citations
    may also rest on one of them alone; the served claim then keeps only that one.

    Args:
        checks: the checks in order; evals leave one out.
        refuters: those that decide make a claim ALTERED, the others only doubt it; evals leave one out.
        expand: (text, start, end, language) to the spans a quote is judged with.

    Returns:
        The claim, without soft hyphens, with level, verdict, reasons and the citations that hold. One that code neither
        proves nor finds fault with in its citations has the sentences beside them that it needs as well.
    """
    # Publishers' soft hyphens come along when a sentence is copied; they print nothing, and must not hide an address.
    claim = DraftClaim(claim.text.replace("\u00ad", ""), claim.citations)
    # What is longer than all that it cites is neither its sentences nor a paraphrase that is compared.
    whole = sum(
        len(part)
        for citation in claim.citations
        for block in evidence.versions(citation.urn)
        for part in (block.lead_in, block.text, block.flush)
    )
    reasons: list[Reason] = []
    if len(claim.text) > MAX_PARAPHRASE + _MOST_SPACED * whole:
        reasons = [Reason.CLAIM_TOO_LONG, *(() if claim.citations else (Reason.NO_CITATION,))]
    else:
        reasons = [check.reason for check in checks if isinstance(check, ClaimCheck) and check.fails(claim)]
    citations: list[CheckedCitation] = []
    units: list[Unit] = []
    notes: list[Reason] = []
    for citation in claim.citations:
        found, checked, unit = _check_citation(_facts(citation, evidence), checks, expand)
        (notes if checked else reasons).extend(found)
        if checked is not None and unit is not None:
            citations.append(checked)
            units.append(unit)
    if reasons:
        return _withheld(claim, reasons, citations)
    once = distinct(units)
    partial = part_of_list(once, evidence) is not None
    whole_lists = any(check.reason is Reason.LIST_INCOMPLETE for check in checks)
    for candidate in (units, once):
        if (stated := stated_units(claim.text, candidate)) is None:
            continue
        cut = part_of_list(stated, evidence)
        if cut is not None and cut.whole and whole_lists:
            return _withheld(claim, [Reason.LIST_INCOMPLETE, *notes], citations)
        notes += [*unit_notes(once, evidence), *([Reason.LIST_GOES_ON] if cut is not None else [])]
        return _served(claim.text, "VERBATIM", notes, citations, partial=cut is not None)

    if len(claim.text) > MAX_PARAPHRASE and any(check.reason is Reason.CLAIM_TOO_LONG for check in checks):
        return _withheld(claim, [Reason.CLAIM_TOO_LONG, *notes], citations)

    first: list[Reason] = []
    # A claim may rest on one of several citations, or on one of the sentences that a quote runs over.
    sentences = [part for unit in once for part in by_sentence(unit, language=evidence.language)]
    subsets = [once, *([unit] for unit in (*(once if len(once) > 1 else ()), *sentences))]
    for subset in subsets:
        for comparison, told, served in _comparisons(claim, subset, evidence):
            failed = _failures(comparison, checks)
            if Reason.NEW_CONTENT in failed and comparison.norm_text == norm_text(subset):
                first = first or failed
                break  # the other forms have less in them, never a word more
            if not failed:
                also = [*told, *(check.reason for check in PARAPHRASE_NOTES if check.fails(comparison))]
                kept = citations if subset is once else resting_on(subset[0], citations, units)
                return _served(served, "CHECKED", [*notes, *unit_notes(subset, evidence), *also], kept, partial=partial)
            first = first or failed
    for needed in needed_sentences(claim.text, once, evidence):
        _, checked, unit = _check_citation(_facts(needed, evidence), checks, expand)
        if checked is not None and unit is not None:
            citations.append(checked)
            units.append(unit)
    refuted = _refuted(claim, once, evidence, refuters)
    if refuted and len(units) > len(once):
        # What a needed sentence says is no contradiction ("before the five years run out", which it gives).
        still = {refutation.reason for refutation in _refuted(claim, distinct(units), evidence, refuters)}
        refuted = tuple(refutation for refutation in refuted if refutation.reason in still)
    return _withheld(claim, [*first, *notes], citations, refuted)


def verbatim_fallback(claim: DraftClaim, evidence: Evidence) -> CheckedClaim | None:
    """What can be served instead of a paraphrase that failed: the whole sentences that it validly cites.

    Citations that fail a check are left out, and a list that must not be told in part is told whole. The text is the
    node's own, with lead-in and flush and white space run together; verifying it again with the same citations gives
    VERBATIM.

    Returns:
        A VERBATIM claim, or None where no citation holds or the sentences themselves are not plain text.
    """
    citations, units, notes = _resting(claim.citations, evidence)
    completed = list[EvidenceBlock]()
    # Each round completes one list; a claim that cites items of many lists is no claim about them.
    for _ in range(_MOST_LISTS):
        cut = part_of_list(distinct(units), evidence)
        if cut is None or not cut.whole:
            break
        completed = [*cut.items]
        listed = {item.urn for item in completed}
        inside = [at for at, unit in enumerate(units) if unit.block.urn in listed]
        first = inside[0] if inside else 0
        kept = [DraftCitation(citation.urn, citation.quote) for citation in citations if citation.urn not in listed]
        items = [DraftCitation(item.urn, item.text) for item in completed]
        citations, units, notes = _resting([*kept[:first], *items, *kept[first:]], evidence)
    closing = _after_list(completed, evidence)
    if closing is not None and closing.urn not in {citation.urn for citation in citations}:
        told = [DraftCitation(citation.urn, citation.quote) for citation in citations]
        end = 1 + max(place for place, citation in enumerate(told) if citation.urn == completed[-1].urn)
        citations, units, notes = _resting([*told[:end], closing, *told[end:]], evidence)
    if not units:
        return None
    once = distinct(units)
    text = norm_text(once, verbatim=True)
    if not is_plain(text) or not re.search(r"[^\W_]", text):
        return None
    cut = part_of_list(once, evidence)
    if cut is not None and cut.whole:
        return None
    notes = [Reason.REPLACED_BY_SENTENCE, *notes, *unit_notes(once, evidence), *([Reason.LIST_GOES_ON] if cut else [])]
    return _served(text, "VERBATIM", notes, citations, partial=cut is not None)


def _after_list(items: Sequence[EvidenceBlock], evidence: Evidence) -> DraftCitation | None:
    """The sentences that a provision has after its list, which may limit it or say what follows; None without any, or
    where they are too long to be told with it.
    """
    for block in evidence.versions(opened_by(items)) if items else ():
        apart = block.breaks and not finishes_list(block.text, block.breaks[-1], block.breaks)
        closing = block.text[block.breaks[-1] :].strip() if apart else ""
        if closing and len(closing) + sum(len(item.text) for item in items) <= LONGEST_LIST:
            return DraftCitation(block.urn, closing)
    return None


def _resting(
    cited: Sequence[DraftCitation], evidence: Evidence
) -> tuple[list[CheckedCitation], list[Unit], list[Reason]]:
    """The citations that hold with their units, and what is to be told of them."""
    citations: list[CheckedCitation] = []
    units: list[Unit] = []
    notes: list[Reason] = []
    for citation in cited:
        found, checked, unit = _check_citation(_facts(citation, evidence), CHECKS, whole_sentences)
        if checked is not None and unit is not None:
            notes.extend(found)
            citations.append(checked)
            units.append(unit)
    return citations, units, notes


Span = tuple[int, int]

_MOST_NEEDED = 2  # sentences that are added to one statement
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

    "The Mayor may propose rules, but the Council reviews them" quotes the sentence about the review, and the one before
    it says who proposes. Whoever is to judge the statement, or reads it, has to see both. A sentence of the same node,
    or of one around it, is needed where it has two words of the statement that no cited sentence has; one beside or
    below it only where it has a number that they do not have, for words are shared by chance.

    Returns:
        At most `_MOST_NEEDED`, the one that adds most first; none where the language has no stems.
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
    while candidates and len(found) < _MOST_NEEDED:
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
