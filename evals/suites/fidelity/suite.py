"""Citation fidelity: truth-known claims over real norms, and what the verifier makes of them (E1 to E4, E9 to E12).

Every mutant has to be withheld, and for a reason that names what is wrong with it: a claim refused by luck is counted
as missed. Every claim that is served, here and through the verbatim fallback, is checked again by other code.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from evals.law import Law
from evals.rows import Gate, Row, share_row
from evals.suites.fidelity.fuzz import hostile_drafts
from evals.suites.fidelity.mutators_plain import plain_operators, reword, tables_of
from evals.suites.fidelity.norms import Norm, draw, first_norms
from evals.suites.fidelity.operators import OPERATORS, SCOPE_OPERATORS, Operator
from evals.suites.fidelity.paraphrases import paraphrase
from evals.suites.fidelity.structural import CITATION_MUTATORS, Mutant
from rag.answering.extractive.draft import draft_extractive
from rag.languages.operators import is_english
from rag.verification.claims import CHECKS, Check, verbatim_fallback, verify_claim
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import CheckedClaim, Evidence, Reason
from retrieval.paths import parse_urn

SUITE = "fidelity"
DEFAULT_LIMIT = 70  # cases of one kind per corpus
# Sections drawn per case of a limit: rare operators (a leading condition, two parties) need many sentences.
SECTIONS_PER_CASE = 12
DRAFTS_PER_SECTION = 100  # hostile drafts by chance over one section
EXACT = Gate(">=", 1.0)
FALSE_ALARMS = Gate("<=", 0.04)
NONE = Gate("<=", 0.0)
# A sentence that is withheld as drafted is still served by the fallback: style, not truth.
SOFT_NONE = Gate("<=", 0.0, hard=False)


@dataclass(slots=True)
class Miss:
    """A case that went wrong, for whoever repairs it."""

    source: str
    metric: str
    kind: str
    claim: str
    norm: str
    outcome: str


@dataclass(slots=True)
class Report:
    """What one corpus gave."""

    rows: list[Row] = field(default_factory=list[Row])
    misses: list[Miss] = field(default_factory=list[Miss])
    notes: list[str] = field(default_factory=list[str])
    lines: list[str] = field(default_factory=list[str])  # misses of suites whose cases are no claims


@dataclass(slots=True)
class Tally:
    """Hits and cases per metric."""

    cases: Counter[str] = field(default_factory=Counter[str])
    hits: Counter[str] = field(default_factory=Counter[str])

    def count(self, metric: str, hit: bool) -> None:
        """Count one case."""
        self.cases[metric] += 1
        self.hits[metric] += hit

    def add(self, other: Tally) -> None:
        """Count another's cases too."""
        self.cases.update(other.cases)
        self.hits.update(other.hits)


class _Run:
    """One corpus under one verifier."""

    def __init__(self, law: Law, seed: int, limit: int, checks: Sequence[Check]) -> None:
        self.law, self.seed, self.limit, self.checks = law, seed, limit, checks
        self.tally = Tally()
        self.report = Report()
        self.empty: list[str] = []
        drawn = islice(draw(law, self.random("sections")), limit * SECTIONS_PER_CASE)
        self.drawn = list(drawn)
        self.norms = first_norms(self.drawn)
        self.orders = [norm for norm in self.norms if norm.orders]

    def random(self, kind: str) -> random.Random:
        """A generator of its own for each kind, so that a new kind of case leaves the others as they were."""
        return random.Random(f"{self.seed}:{self.law.source}:{kind}")

    def verify(self, claim: DraftClaim, evidence: Evidence) -> CheckedClaim:
        """Verify as an answer is verified, fallback included, and look at what would be served."""
        checked, audited = answered(claim, evidence, self.checks)
        for metric, holds in audited:
            self.tally.count(metric, holds)
        return checked

    def caught(
        self, metrics: Iterable[str], kind: str, norm: Norm, mutant: Mutant, expected: frozenset[Reason]
    ) -> None:
        """Count a mutant as caught where it is withheld for one of the reasons expected."""
        checked = self.verify(*mutant)
        hit = checked.level == "WITHHELD" and not expected.isdisjoint(checked.reasons)
        for metric in metrics:
            self.tally.count(metric, hit)
        if not hit:
            self.miss(list(metrics)[-1], kind, mutant[0], norm, checked)

    def miss(self, metric: str, kind: str, claim: DraftClaim, norm: Norm, checked: CheckedClaim) -> None:
        outcome = " ".join((checked.level, *checked.reasons))
        self.report.misses.append(Miss(self.law.source, metric, kind, claim.text, norm.text, outcome))

    def citations(self) -> None:
        """E9, all kinds together and each alone."""
        for kind in CITATION_MUTATORS:
            rng = self.random(kind.name)
            found = 0
            for norm in self.norms:
                mutant = kind.change(norm, rng)
                if mutant is None:
                    continue
                self.caught(("E9", f"E9:{kind.name}"), kind.name, norm, mutant, kind.expected)
                found += 1
                if found == self.limit:
                    break
            self.note_empty(found, f"E9:{kind.name}")

    def operators(self, metric: str, operators: Sequence[Operator]) -> None:
        """E10 or E11, each operator alone."""
        for operator in operators:
            name = f"{metric}:{operator.name}"
            found = 0
            for norm, mutant in islice(self.mutants(operator), self.limit):
                self.caught((name,), operator.name, norm, (mutant, norm.evidence), operator.expected)
                found += 1
            self.note_empty(found, name)

    def mutants(self, operator: Operator) -> Iterator[tuple[Norm, DraftClaim]]:
        """The operator's mutants of the norms, lazily."""
        rng = self.random(operator.name)
        for norm in self.orders:
            text = operator.mutate(norm.sentence if operator.cut else norm.text, rng)
            if text is not None:
                yield norm, DraftClaim(text, (DraftCitation(norm.block.urn, text if operator.cut else norm.sentence),))

    def list_items(self) -> None:
        """E11: one item of a list stated alone, reworded, where the items hold only together or as alternatives."""
        rng, name, found = self.random("list_item_alone"), "E11:list_item_alone", 0
        for norm in self.orders:
            reworded = paraphrase(norm.text, rng) if norm.stands_for_a_list else None
            if reworded is None:
                continue
            mutant = DraftClaim(reworded, norm.claim.citations), norm.evidence
            self.caught((name,), "list_item_alone", norm, mutant, frozenset({Reason.LIST_INCOMPLETE}))
            found += 1
            if found == self.limit:
                break
        self.note_empty(found, name)

    def reworded(self, text: str, rng: random.Random) -> str | None:
        return paraphrase(text, rng) if is_english(self.law.language) else reword(text, self.law.language, rng)

    def paraphrases(self) -> None:
        """E12: rewordings by rule that say the same."""
        rng, found = self.random("paraphrase"), 0
        for norm in self.orders:
            text = None if norm.stands_for_a_list else self.reworded(norm.text, rng)
            if text is None:
                continue
            claim = DraftClaim(text, norm.claim.citations)
            checked = self.verify(claim, norm.evidence)
            lost = checked.level == "WITHHELD" and not told_with_its_list(claim, checked, norm.evidence)
            self.tally.count("E12", lost)
            if lost:
                self.miss("E12", "paraphrase", claim, norm, checked)
            found += 1
            if found == 2 * self.limit:
                break
        self.note_empty(found, "E12")

    def verbatim(self) -> None:
        """E12:verbatim: norms word for word. E12:extractive: what is offered for their sections without a model."""
        for norm in self.norms[: 2 * self.limit]:
            self.clean("E12:verbatim", norm.claim, norm)
        for drawn in self.drawn[: self.limit]:
            words = dict.fromkeys(re.findall(r"\w+", drawn.norms[0].sentence.lower()), 1.0)
            drafted = draft_extractive(drawn.context, drawn.norms[0].sentence, (), words, self.law.language)
            for claim in drafted.claims:
                self.clean("E12:extractive", claim, drawn.norms[0])

    def clean(self, metric: str, claim: DraftClaim, norm: Norm) -> None:
        """Count a claim in the law's own words as a false alarm where it is not served as such."""
        checked = self.verify(claim, norm.evidence)
        lost = checked.level != "VERBATIM" and not told_with_its_list(claim, checked, norm.evidence)
        self.tally.count(metric, lost)
        if lost:
            self.miss(metric, "verbatim", claim, norm, checked)

    def note_empty(self, found: int, name: str) -> None:
        if not found:
            self.empty.append(name)


def told_with_its_list(claim: DraftClaim, checked: CheckedClaim, evidence: Evidence) -> bool:
    """Whether a claim is withheld for being a part of a list alone, and the whole list is served with what it cites."""
    whole = verbatim_fallback(claim, evidence) if set(checked.reasons) == {Reason.LIST_INCOMPLETE} else None
    return whole is not None and all(
        any(citation.urn == cited.urn and cited.quote in citation.sentence for citation in whole.citations)
        for cited in claim.citations
    )


def answered(
    claim: DraftClaim, evidence: Evidence, checks: Sequence[Check] = CHECKS
) -> tuple[CheckedClaim, list[tuple[str, bool]]]:
    """A claim verified as an answer's is, and the audit of what would be served, the fallback included."""
    checked = verify_claim(claim, evidence, checks=checks)
    served = verbatim_fallback(claim, evidence) if checked.level == "WITHHELD" else checked
    return checked, audit(served, evidence) if served is not None else []


def fuzz(law: Law, *, seed: int, chunk: int, count: int) -> Tally:
    """E1 to E4 over hostile drafts by chance.

    Args:
        law: the corpus.
        seed: with the chunk's number, decides everything.
        chunk: which part of a longer run this is.
        count: drafts; a hundred over each of as many sections.
    """
    rng = random.Random(f"{seed}:{law.source}:fuzz:{chunk}")
    tally = Tally()
    sections = list(islice(draw(law, rng), -(-count // DRAFTS_PER_SECTION)))
    for section in sections:
        for mutant in hostile_drafts(section, rng, -(-count // len(sections))):
            for metric, holds in answered(*mutant)[1]:
                tally.count(metric, holds)
    return tally


def audit(served: CheckedClaim, evidence: Evidence) -> list[tuple[str, bool]]:
    """What is true of a served claim, told from the claim and the evidence alone, by code that is not the verifier's.

    Returns:
        Per citation E1 (its node is in the evidence and not overridden), E2 (the quote is the span it claims to be)
        and E4 (in force at the date); once for the claim E3 (a citation of which all three hold).
    """
    out: list[tuple[str, bool]] = []
    covered = False
    for citation in served.citations:
        blocks = [block for block in evidence.blocks if _same_node(block.urn, citation.urn)]
        exists = any(not block.overridden for block in blocks)
        span = slice(citation.start, citation.end)
        quoted = any(bool(citation.quote) and block.text[span] == citation.quote for block in blocks)
        in_force = any(
            (block.valid_from is None or block.valid_from <= evidence.at_date)
            and (block.valid_to is None or evidence.at_date < block.valid_to)
            for block in blocks
        )
        out += [("E1", exists), ("E2", quoted), ("E4", in_force)]
        covered = covered or (exists and quoted and in_force)
    return [*out, ("E3", covered)]


def _same_node(one: str, other: str) -> bool:
    return _node(one) == _node(other)


@lru_cache(maxsize=4096)
def _node(urn: str) -> tuple[str, str, tuple[str, ...]]:
    parsed = parse_urn(urn)
    return parsed.jurisdiction, parsed.corpus, parsed.segments


GATES = {
    "E1": EXACT, "E2": EXACT, "E3": EXACT, "E4": EXACT, "E9": EXACT, "E12": FALSE_ALARMS, "E12:verbatim": NONE,
    "E12:extractive": SOFT_NONE, "E10:words_swapped": Gate(">=", 0.99),
    "E11:list_item_alone": Gate(">=", 0.99, hard=False),
    **{f"E9:{citation_mutator.name}": EXACT for citation_mutator in CITATION_MUTATORS},
    **{f"E10:{operator.name}": Gate(">=", operator.goal, operator.hard) for operator in OPERATORS},
    **{
        f"E11:{operator.name}": Gate(">=", operator.goal, operator.hard)
        for operator in SCOPE_OPERATORS
    },
}  # fmt: skip


def measure(law: Law, *, seed: int = 7, limit: int = DEFAULT_LIMIT, checks: Sequence[Check] = CHECKS) -> Report:
    """Measure the verifier on one corpus.

    The mutators and rewordings know English, French and German; of law in another language only E1 to E4, E9 and
    E12:verbatim are measured, and a note says so.

    Args:
        law: the corpus.
        seed: decides which sections and which mutants are drawn; the same seed gives the same cases.
        limit: most cases of one kind.
        checks: the verifier's; tests leave one out.

    Returns:
        Rows in the order E1 to E12, the cases that went wrong, and notes on what had no case.
    """
    run = _Run(law, seed, limit, checks)
    run.citations()
    run.verbatim()
    if is_english(law.language):
        run.operators("E10", OPERATORS)
        run.operators("E11", SCOPE_OPERATORS)
        run.list_items()
        run.paraphrases()
    elif tables_of(law.language) is not None:
        operators, scope = plain_operators(law.language)
        run.operators("E10", operators)
        run.operators("E11", scope)
        run.paraphrases()
    else:
        run.report.notes.append(
            f"{law.source}: E10, E11 and E12 are measured in English, French and German; this is {law.language}"
        )
    if run.empty:
        run.report.notes.append(f"{law.source}: no sentence gave a case for {', '.join(run.empty)}")
    tally = run.tally
    for metric in sorted(tally.cases, key=_order):
        run.report.rows.append(
            share_row(SUITE, law.source, metric, tally.hits[metric], tally.cases[metric], GATES[metric])
        )
    return run.report


def _order(metric: str) -> tuple[int, int]:
    head, _, kind = metric.partition(":")
    named = [citation_mutator.name for citation_mutator in (*CITATION_MUTATORS, *OPERATORS, *SCOPE_OPERATORS)]
    return int(head[1:]), named.index(kind) + 1 if kind in named else len(named) + 1 if kind else 0
