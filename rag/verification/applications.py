"""Statements that apply the law to the facts told, and the short answer: what code can check before a judge looks.

A premise is a statement that is served. An application that passes here is ready for a judge and for nothing else: code
knows that it rests on served statements and on facts that the user told, that every figure in it comes from one of
them or from a computation that was repeated, and that it does not turn `may` into `must`. Whether it follows is left
to the judge (`question`), as is everything of which code is not certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, Self

from rag.languages.base import Kind, WordFile
from rag.languages.operators import primary_language, qualifiers, read_in
from rag.languages.registry import language_of
from rag.languages.text import fold, is_plain, locate
from rag.verification.computations import BusinessDays, Repeated, is_conversion, repeat
from rag.verification.draft import DraftComputation, DraftShortAnswer, DraftStatement, StatementKind
from rag.verification.figures import (
    DURATIONS,
    Amount,
    Designator,
    Figure,
    Key,
    PartDate,
    Value,
    found_key,
    offered,
    plain,
    read_figures,
    with_year,
    write,
)
from rag.verification.judging import Passage, Question, distinct_passages
from rag.verification.model import DESCRIPTIONS, VERDICTS, Reason, Verdict
from rag.verification.norm import whole_sentences

MAX_TEXT = 8_000  # characters of a statement
MAX_PARTS = 60  # premises, facts or computations of one statement
MAX_FIGURES = 200  # in its text
_MOST_TOLD = 6_000  # characters of a scenario that a judge is shown with each application


@dataclass(frozen=True, slots=True)
class Premise:
    """A statement that is served, as others may rest on it.

    Attributes:
        text: as the reader sees it: the draft's words, or the law's own sentence in their place; empty for an
            application that is not served, in whose place stands what it rests on.
        kind: `law` or `application`.
        passages: of a statement of law, the whole sentences that it cites, with lead-ins, and what limits them.
        rests_on: of an application, the ids of its own premises.
        facts: of an application, what it takes from the scenario.
        computations: of an application, repeated.
    """

    text: str
    kind: StatementKind
    passages: tuple[Passage, ...] = ()
    rests_on: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    computations: tuple[Repeated, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A span of the scenario.

    Attributes:
        start: first character.
        end: one past the last.
        text: `scenario[start:end]`.
        sentence: the whole sentences that it lies in, which a judge sees: a span may leave out a `not`.
        named: whether the draft names it; otherwise it is the sentence in which code found a figure of the statement.
    """

    start: int
    end: int
    text: str
    sentence: str
    named: bool = True

    @classmethod
    def at(cls, scenario: str, start: int, end: int, language: str) -> Self:
        """The span of a scenario that the draft names."""
        sentences = whole_sentences(scenario, start, end, language)
        return cls(start, end, scenario[start:end], scenario[sentences[0][0] : sentences[-1][1]])


@dataclass(frozen=True, slots=True)
class CheckedApplication:
    """An application or a short answer with what code found.

    Attributes:
        text: a reader may see it only where `passes`, and a judge has found that it follows.
        kind: which of the two it is.
        verdict: SUPPORTED where it is ready for a judge, or that of the first reason.
        reasons: why it is withheld, each once; empty where it is ready.
        details: one line for each thing found, which a reader can act on: `5 percent of $1,200 is $60, not $50.`
        rests_on: the ids of its premises, each once.
        facts: what it takes from the scenario.
        computations: repeated; with those that were wrong or could not be repeated.
        sound: those of them whose result is right and whose inputs are founded.
    """

    text: str
    kind: Literal["application", "short_answer"]
    verdict: Verdict
    reasons: tuple[Reason, ...]
    details: tuple[str, ...]
    rests_on: tuple[str, ...]
    facts: tuple[ToldFact, ...] = ()
    computations: tuple[Repeated, ...] = ()
    sound: tuple[Repeated, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether a judge may be asked."""
        return not self.reasons

    @property
    def premise(self) -> Premise:
        """What other statements may rest on once this one is served."""
        return Premise(
            self.text, "application", rests_on=self.rests_on, facts=tuple(fact.text for fact in self.facts),
            computations=self.computations,
        )  # fmt: skip

    @property
    def stand_in(self) -> Premise:
        """What is left of it for others where it is not served: what it rests on, and the steps that are sound."""
        return Premise(
            "", "application", rests_on=self.rests_on, facts=tuple(fact.sentence for fact in self.facts),
            computations=self.sound,
        )  # fmt: skip


# --- what a statement may rest on ------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Case:
    """One statement while it is checked, with all that it may take figures from."""

    own_id: str
    text: str
    rests_on: tuple[str, ...]
    premises: Mapping[str, Premise]
    scenario: str
    language: str
    jurisdiction: str
    facts: list[ToldFact]
    computations: tuple[Repeated, ...]
    given: tuple[Premise, ...]  # its premises and theirs
    at_date: date | None = None
    sound: tuple[Repeated, ...] = ()  # its computations whose result is right and whose inputs are founded

    def figures(self, text: str) -> tuple[Figure, ...]:
        return read_figures(text, self.language, self.jurisdiction)

    def grounds(self) -> Iterator[str]:
        """Every text that it rests on, the scenario as a whole left out."""
        for premise in self.given:
            yield premise.text
            yield from premise.facts
            for passage in premise.passages:
                yield from (passage.lead_in, passage.text, passage.flush, passage.heading)
        yield from (fact.text for fact in self.facts if fact.named)


def _all_premises(rests_on: Iterable[str], premises: Mapping[str, Premise]) -> tuple[Premise, ...]:
    """The premises, and what they rest on in their turn, each once."""
    return tuple(premises[name] for name in _names_below(rests_on, premises))


def _names_below(rests_on: Iterable[str], premises: Mapping[str, Premise]) -> tuple[str, ...]:
    """The ids of the premises, and of what they rest on in their turn, each once."""
    found: dict[str, None] = {}
    waiting = list(rests_on)
    while waiting:
        name = waiting.pop(0)
        if name in premises and name not in found:
            found[name] = None
            waiting.extend(premises[name].rests_on)
    return tuple(found)


Found = Iterator[tuple[Reason, str]]


def told_premises(rests_on: Iterable[str], premises: Mapping[str, Premise]) -> tuple[str, ...]:
    """The ids of the premises that have a text, those without one replaced by what they rest on; each once."""
    names: dict[str, None] = {}
    waiting, seen = list(rests_on), set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        premise = premises.get(name)
        if premise is not None and not premise.text:
            waiting = [*premise.rests_on, *waiting]
        else:
            names[name] = None
    return tuple(names)


def premise_not_served(own_id: str, rests_on: Sequence[str], premises: Mapping[str, Premise]) -> Found:
    """It rests on no statement, on itself, or on one that is not served.

    An application on whose way to its premises it stands itself is never served, for it waits for itself.
    """
    if not rests_on:
        yield Reason.PREMISE_NOT_SERVED, "It rests on no statement of law."
    elif any(name == own_id or name not in premises for name in rests_on):
        yield Reason.PREMISE_NOT_SERVED, "A statement that it rests on was withheld."


def fact_not_told(
    facts: Sequence[str], scenario: str, language: str
) -> tuple[list[ToldFact], list[tuple[Reason, str]]]:
    """The facts as spans of the scenario, and a finding for each that is none.

    White space, typographic marks and the case of the first letter may differ, and a full stop at the end.
    """
    told: list[ToldFact] = []
    missing: list[tuple[Reason, str]] = []
    for number, fact in enumerate(facts, start=1):
        spans = next(
            (found for spelling in _spellings(fact) if (found := locate(spelling, scenario))), list[tuple[int, int]]()
        )
        if spans:
            told.append(ToldFact.at(scenario, *spans[0], language))
        else:
            missing.append((Reason.FACT_NOT_TOLD, f"Fact {number} that it names is not in the question."))
    return told, missing


def _spellings(fact: str) -> Iterator[str]:
    fact = fold(fact)
    for part in (fact, fact.rstrip(".").strip()):
        if any(char.isalnum() for char in part):
            yield from (part, part[0].swapcase() + part[1:])


def computation_fails(computations: Sequence[Repeated], *, needed: bool) -> Found:
    """A computation has another result, or cannot be repeated.

    Args:
        computations: repeated.
        needed: whether the statement has a figure that nothing gives it. Where it has none, a step whose operation
            is not known is left out like all else that is not of a draft's form.
    """
    for computation in computations:
        if computation.reason is not None and (computation.operation or needed):
            yield computation.reason, computation.detail


# --- figures ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Sources:
    """The figures that a statement may have: of premises, facts and computations."""

    known: set[Key]
    unreadable: set[str]  # figures without a value, as they are written
    counted: dict[tuple[str, bool], set[Fraction]]  # stems of nouns, whether ordinals, and the numbers before them
    designators: set[tuple[str, ...]]  # of references, and of the URNs of the law

    @classmethod
    def of(cls, case: _Case) -> _Sources:
        """Those of one statement, its own computations left out."""
        sources = cls(set(), set(), {}, set())
        for text in case.grounds():
            sources.read(text, case)
        for premise in case.given:
            for passage in premise.passages:
                sources.designators.add(_urn_designators(passage.urn))
            for computation in premise.computations:
                sources.add(computation)
        return sources

    def read(self, text: str, case: _Case) -> None:
        for figure in _joined(text, case.figures(text)):
            if figure.value is None:
                self.unreadable.add(plain(figure.text))
            elif isinstance(figure.value, Designator):
                self.designators.add(figure.value.atoms)
            else:
                self.known.update(_keys(figure.value, case.at_date))
            if isinstance(figure.value, Amount) and figure.noun:
                noun = _stem(figure.noun, case.language), figure.ordinal
                self.counted.setdefault(noun, set()).add(figure.value.value)

    def add(self, computation: Repeated) -> None:
        """Add the inputs and the result of a computation; the one that a number is compared with gives no figure."""
        for value in (*computation.values, computation.result):
            if value is not None and not (value == Amount(Fraction(1)) and isinstance(computation.result, bool)):
                self.known.update(offered(value))

    def has(self, value: Value | None, written: str) -> bool:
        """Whether a figure is one of these."""
        if value is None:
            return plain(written) in self.unreadable
        if isinstance(value, Designator):
            return self.names(value)
        return found_key(self.known, value) is not None

    def names(self, value: Designator) -> bool:
        """Whether a provision is named: with its parts where they name it with parts, or else each part somewhere."""
        first = value.atoms[:1]
        named = [atoms for atoms in self.designators if set(first) <= set(atoms)]
        if len(value.atoms) > 1 and any(len(atoms) > 1 for atoms in named):
            return any(set(value.atoms) <= set(atoms) for atoms in named)
        return set(value.atoms) <= {atom for atoms in self.designators for atom in atoms}

    def counts_otherwise(self, figure: Figure, language: str) -> bool:
        """Whether a small number in words is before a noun before which these have only other numbers."""
        idle = language_of(language).idle
        if not isinstance(figure.value, Amount) or figure.value.unit or len(figure.noun) < 4 or figure.noun in idle:
            return False
        known = self.counted.get((_stem(figure.noun, language), figure.ordinal), set[Fraction]())
        return bool(known) and figure.value.value > 1 and figure.value.value not in known


@lru_cache(maxsize=1024)
def _urn_designators(urn: str) -> tuple[str, ...]:
    """The designators in a URN: `42-3104` and `a`; `11` and `100.20` of title 11 of the CFR."""
    corpus, *segments = urn.lower().split(":")[3:] or [""]
    title = [corpus.removesuffix("cfr").removesuffix("usc")]
    return (*(part for part in title if part.isdigit()), *(re.sub(r"\A[a-z]+[._]", "", part) for part in segments))


def _joined(text: str, figures: Sequence[Figure]) -> list[Figure]:
    """The figures, with designators that follow each other as one: `§ 684 Satz 1`."""
    out: list[Figure] = []
    for figure in figures:
        last = out[-1] if out else None
        if (
            last is not None
            and isinstance(last.value, Designator)
            and isinstance(figure.value, Designator)
            and text[last.end : figure.start].strip() in {"", ","}
        ):
            atoms = Designator((*last.value.atoms, *figure.value.atoms))
            out[-1] = replace(last, end=figure.end, text=text[last.start : figure.end], value=atoms)
        else:
            out.append(figure)
    return out


@lru_cache(maxsize=4096)
def _stem(word: str, language: str) -> str:
    return language_of(language).stem(word)


def figure_unfounded(case: _Case, sources: _Sources) -> Found:
    """A number, amount, date, percentage, period or designator of the text that nothing it rests on has.

    A figure that no named fact has, but the scenario, adds the sentence of the scenario to the facts.
    """
    own = replace(sources, known=set(sources.known))
    for computation in case.computations:
        own.add(computation)
    for figure in _joined(case.text, case.figures(case.text)):
        if (figure.weak and _is_small(figure)) or not (
            own.has(figure.value, figure.text)
            or _counts_own(case, figure)
            or _add_told(case, figure.value, figure.text)
            or _add_premise(case, figure.value, figure.text)
            or _bounds_known_period(case, figure.value, own)
            or _lies_between_known_days(case, figure.value, own)
        ):
            what = "cites" if isinstance(figure.value, Designator) else "says"
            if not figure.weak:
                detail = f"It {what} {figure.text}, which no premise, fact or computation of it has."
                yield Reason.FIGURE_UNFOUNDED, detail
            elif own.counts_otherwise(figure, case.language):
                detail = f"It says {figure.text} {figure.noun}; what it rests on counts otherwise."
                yield Reason.FIGURE_UNFOUNDED, detail


def _is_small(figure: Figure) -> bool:
    """Whether it is one or two, which are said of much that nobody counts, or counts nothing."""
    return not isinstance(figure.value, Amount) or figure.value.value <= _SMALL


_SMALL = 2


def _counts_own(case: _Case, figure: Figure) -> bool:
    """Whether a number counts the statement's own premises or facts: `all three conditions are met`."""
    if not isinstance(figure.value, Amount) or figure.value.unit or not 2 < figure.value.value <= _MAX_COUNTED:
        return False
    return figure.value.value in {len(case.rests_on), sum(fact.named for fact in case.facts)}


_MAX_COUNTED = 12


def input_unfounded(case: _Case, sources: _Sources) -> Found:
    """An input of a computation that comes from no premise, fact or earlier computation.

    One input may come of the others and a known result: 24 instalments of 600 make 14,400.
    """
    earlier = replace(sources, known=set(sources.known))
    for computation in case.computations:
        unknown = [
            value
            for value in computation.values
            if not isinstance(value, bool)
            and not _is_constant(value, computation, case)
            and not _is_part_of_share(value, computation, earlier)
            and not any(_is_founded(case, one, earlier) for one in _as_taken(value, computation.operation))
            and not _is_bare_of_text(case, value, earlier)
        ]
        if len(unknown) == 1 and _turned_round(case, computation, earlier):
            unknown = []
        for value in unknown:
            what = "The day" if isinstance(value, date) else "The figure"
            told = f"{write(value, case.language)}, with which it computes ({computation.operation})"
            detail = f"{what} {told}, is in no fact told and no law cited."
            yield Reason.FIGURE_UNFOUNDED, detail
        if computation.agrees and not unknown:
            case.sound = (*case.sound, computation)
        if computation.agrees:
            earlier.add(computation)


def _is_founded(case: _Case, value: Amount | date, sources: _Sources) -> bool:
    """Whether a value comes from what a statement may take figures from."""
    return (
        sources.has(value, "")
        or _add_told(case, value, "")
        or _add_premise(case, value, "")
        or _bounds_known_period(case, value, sources)
    )


def _as_taken(value: Amount | date, operation: str) -> Iterator[Amount | date]:
    """A value, and what else it may be in an operation: `minus 0.13` of a told 0.13, `14` days of a told two weeks."""
    yield value
    if isinstance(value, Amount):
        unit = _UNITS.get(operation, "")
        if unit and not value.unit:
            yield value._replace(unit=unit)
        if value.value < 0:
            yield value._replace(value=-value.value)


_UNITS = {"percent": "percent", "add_days": "day", "add_weeks": "week", "add_months": "month", "add_years": "year"}


def _is_bare_of_text(case: _Case, value: Amount | date, sources: _Sources) -> bool:
    """Whether a bare number is one of the text, where it has a unit and is founded: `24` of `24 months` (two years)."""
    return isinstance(value, Amount) and any(
        isinstance(figure.value, Amount) and figure.value.value == value.value and sources.has(figure.value, "")
        for figure in case.figures(case.text)
        if not value.unit
    )


def _turned_round(case: _Case, computation: Repeated, sources: _Sources) -> bool:
    """Whether the result of a step is known before it, so that the step tells one of its inputs."""
    if not isinstance(computation.result, Amount) or computation.operation not in _INVERTIBLE:
        return False
    return bool(computation.agrees) and _is_founded(case, computation.result, sources)


_INVERTIBLE = frozenset({"add", "subtract", "multiply", "divide"})


def _is_constant(value: Amount | date | bool, computation: Repeated, case: _Case) -> bool:
    """Whether a number needs no source: a hundred of a percentage, what one unit has of another, or the one that a
    number is compared with.

    The units are those of the step, or the periods of rates in the text: `900 euros a month, 10,800 euros a year`.
    """
    if not isinstance(value, Amount) or value.unit:
        return False
    if computation.operation not in {"multiply", "divide"}:
        return value.value == 1 and isinstance(computation.result, bool)
    rates = {
        figure.value.per for figure in case.figures(case.text) if isinstance(figure.value, Amount) and figure.value.per
    }
    lengths = [Amount(Fraction(1), unit).base for unit in rates]
    ratios = {length[0] / other[0] for length in lengths for other in lengths if length[1] == other[1]}
    return value.value == 100 or is_conversion(computation) or value.value in ratios - {Fraction(1)}


def _is_part_of_share(value: Amount | date, computation: Repeated, sources: _Sources) -> bool:
    """Whether a number is the upper or lower one of a share that these have: a third of 48 is 48 divided by 3."""
    if not isinstance(value, Amount) or value.unit or computation.operation not in {"multiply", "divide"}:
        return False
    shares = (key[1] for key in sources.known if key[0] == "number" and isinstance(key[1], Fraction))
    parts = {
        share.denominator if computation.operation == "divide" else share.numerator
        for share in shares
        if 1 < share.denominator <= _MAX_COUNTED and 0 < share < 1
    }
    return value.value in parts


def _add_told(case: _Case, value: Value | None, written: str) -> bool:
    """Whether the scenario has a figure; its sentence is then one of the facts."""
    known = _told_figures(case.scenario, case.language, case.jurisdiction, case.at_date)
    if value is None:
        key = ("written", plain(written))
    elif isinstance(value, Designator):
        key = next((key for key in known if key[0] == "names" and {*value.atoms} <= {*key[1:]}), None)
    else:
        key = found_key(known, value)
    figure = known.get(key) if key is not None else None
    if figure is None:
        return False
    start, end = whole_sentences(case.scenario, figure.start, figure.end, case.language)[0]
    if not any(fact.start <= figure.start and figure.end <= fact.end for fact in case.facts):
        sentence = case.scenario[start:end]
        case.facts.append(ToldFact(start, end, sentence, sentence, named=False))
    return True


def _add_premise(case: _Case, value: Value | None, written: str) -> bool:
    """Whether another statement that is served has a figure; it is then one of the premises. Law comes first."""
    for name in sorted(case.premises, key=lambda name: case.premises[name].kind != "law"):
        below = _names_below((name,), case.premises)
        if name not in case.rests_on and case.own_id not in below:
            given = tuple(case.premises[word] for word in below)
            if _Sources.of(replace(case, rests_on=(name,), given=given, facts=[])).has(value, written):
                case.rests_on = (*case.rests_on, name)
                case.given = tuple(dict.fromkeys((*case.given, *given)))
                return True
    return False


_PERIODS = (1, 3, 6, 12)  # months: a month, a quarter, half a year, a year


def _bounds_known_period(case: _Case, value: Value | None, sources: _Sources) -> bool:
    """Whether a day ends a calendar period that a known day lies in, or follows such a period.

    Law counts from the end of the year or the month in which something happened; whether this one does, a judge says.
    """
    if not isinstance(value, date):
        return False
    try:
        ends = next(day for day in (value, value - timedelta(days=1)) if (day + timedelta(days=1)).day == 1)
    except (StopIteration, OverflowError):
        return False
    for length in _PERIODS:
        if ends.month % length == 0:
            months = [PartDate(ends.year, ends.month - back, None) for back in range(length)]
            if any(sources.has(month, "") or _add_told(case, month, "") for month in months):
                return True
    return False


def _lies_between_known_days(case: _Case, value: Value | None, sources: _Sources) -> bool:
    """Whether a period is the time between two known days; that it is becomes one of the computations."""
    if not isinstance(value, Amount) or value.base[1] not in {"day", "month"}:
        return False
    count, unit = (value.value, "year") if value.unit == "year" else value.base
    told = _told_figures(case.scenario, case.language, case.jurisdiction, case.at_date)
    days: set[date] = set()
    for key in (*sources.known, *told):
        match key:
            case ("date", int(year), int(month), int(day)):
                days.add(date(year, month, day))
            case _:
                pass
    for first, second in combinations(sorted(days)[:_MOST_DAYS], 2):
        step = DraftComputation(f"{unit}s_between", (first.isoformat(), second.isoformat()), str(count))
        repeated = repeat(step, "en")
        if repeated.agrees:
            case.computations, case.sound = (*case.computations, repeated), (*case.sound, repeated)
            return True
    return False


_MOST_DAYS = 12  # of a question, of which each two are compared


def _keys(value: Value, at_date: date | None) -> Iterator[Key]:
    """The keys of a figure; a day without its year also stands for those around the date of the question."""
    yield from offered(value)
    if isinstance(value, PartDate) and at_date is not None:
        for day in with_year(value, at_date):
            yield from offered(day)


@lru_cache(maxsize=8)
def _told_figures(scenario: str, language: str, jurisdiction: str, at_date: date | None) -> Mapping[Key, Figure]:
    """The first figure of a scenario for each key under which one is found."""
    known: dict[Key, Figure] = {}
    for figure in _joined(scenario, read_figures(scenario, language, jurisdiction)):
        if figure.value is None:
            keys: Iterable[Key] = [("written", plain(figure.text))]
        elif isinstance(figure.value, Designator):
            keys = [("names", *figure.value.atoms)]
        else:
            keys = _keys(figure.value, at_date)
        for key in keys:
            known.setdefault(key, figure)
    return known


# --- modality --------------------------------------------------------------------------------------------------------

_CLAUSE_ENDS = re.compile(r"[;:()]|[.,](?!\d)")  # a mark within a number ends no clause
_CERTAIN = frozenset({"ALWAYS", "UNCONDITIONAL"})
_RIGHTS = frozenset({"PERMISSION", "ABILITY"})


@lru_cache(maxsize=512)
def _acts(text: str, language: str) -> frozenset[tuple[str, str]]:
    """The acts of a text with how they are meant: `duty`, `right`, or `other` (forbidden, recommended, denied).

    An act is the stem of the verb that a modal verb governs: the next content word, in German the last before the next
    modal verb or the end of its clause, or before the modal verb where the clause ends with that. A verb that its text
    has once more than it gives a right to it is `other` as well: "may arrange, or require the clerk to arrange".
    """
    found: set[tuple[str, str]] = set()
    code = primary_language(language)
    forms, idle = _table(language).get("modal_forms", {}), _idle(language)
    words: list[str] = []  # of the text, its operators left out
    rights: list[str] = []
    for clause in _CLAUSE_ENDS.split(text):
        told = " ".join(forms.get(word, word) for word in clause.lower().split()) if forms else clause
        reading = read_in(language, told)
        # English and French deny a modal verb by a phrase of its own; in German the clause does.
        denied = code == "de" and bool(reading.sequence(Kind.NEGATION))
        parts: list[list[str]] = [[]]  # before the first modal verb, and after each
        for word in reading.order:
            if word == f"({Kind.MODALITY})":
                parts.append([])
            elif word[0] != "(" and word not in idle:
                parts[-1].append(word)
        words += (word for part in parts for word in part)
        for before, after, modal in zip(parts, parts[1:], reading.sequence(Kind.MODALITY), strict=False):
            governed = (after if parts[-1] else before)[-1:] if code == "de" else after[:1]
            if governed and modal != "HAS_TO":
                meant = "duty" if modal == "OBLIGATION" else "right" if modal in _RIGHTS else "other"
                meant = "other" if denied else meant
                found.add((governed[0], meant))
                rights += governed if meant == "right" else []
    return frozenset(found | {(verb, "other") for verb in rights if words.count(verb) > rights.count(verb)})


@lru_cache(maxsize=8)
def _idle(language: str) -> frozenset[str]:
    """Words that are no verb, and what the reading makes of them."""
    idle = language_of(language).idle
    return idle | {word.rstrip("sx") for word in idle if len(word) > 3}


def stronger_than_premises(case: _Case) -> Found:
    """It says that somebody must do what its premises say only that somebody may do, or is certain where they are not.

    Only where that is certain: the same verb is a right in the premises and nowhere an obligation, and the sentence has
    no limit or form that a right may have to be used in; the word for certainty
    (`always`, `certainly`) is nowhere in them, they have a condition or an exception, and the statement has none.
    """
    language = case.language
    grounds = [text for text in case.grounds() if text]
    known = frozenset[tuple[str, str]]().union(*(_acts(text, language) for text in grounds))
    for start, end in whole_sentences(case.text, 0, len(case.text), language):
        sentence = case.text[start:end]
        for verb, meant in sorted(_acts(sentence, language)):
            if (
                meant == "duty"
                and {how for act, how in known if act == verb} == {"right"}
                and _is_plain_duty(sentence, case)
            ):
                yield Reason.STRONGER_THAN_PREMISES, "It says must where what it rests on says may."
    reading = read_in(language, case.text)
    if reading.sequence(Kind.CONDITION) or reading.sequence(Kind.EXCEPTION):
        return
    certain = _certainties(case.text, language)
    if certain and not certain <= frozenset[str]().union(*(_certainties(text, language) for text in grounds)):
        law = [passage.text for premise in case.given for passage in premise.passages]
        read = [read_in(language, text) for text in law]
        if any(reading.sequence(Kind.CONDITION) or reading.sequence(Kind.EXCEPTION) for reading in read):
            yield Reason.STRONGER_THAN_PREMISES, "It is certain where what it rests on has conditions."


def _is_plain_duty(sentence: str, case: _Case) -> bool:
    """Whether a sentence says a duty as such, not how or until when a right has to be used.

    From `may appeal within 30 days` follows `must appeal by 5 August`, and from `may, in writing,` `must in writing`.
    """
    reading = read_in(case.language, sentence)
    limited = (Kind.CONDITION, Kind.EXCEPTION, Kind.COMPARATOR)
    if any(reading.sequence(kind) for kind in limited) or "ONLY" in reading.sequence(Kind.ABSOLUTE):
        return False
    values = [figure.value for figure in case.figures(sentence)]
    timed = any(
        isinstance(value, (date, PartDate)) or (isinstance(value, Amount) and value.base[1] in DURATIONS)
        for value in values
    )
    return not timed and not qualifiers(fold(sentence))


@lru_cache(maxsize=512)
def _certainties(text: str, language: str) -> frozenset[str]:
    words = frozenset(plain(text).replace(",", " ").replace(".", " ").split())
    return frozenset(read_in(language, text).sequence(Kind.ABSOLUTE)) & _CERTAIN | (words & _certain_words(language))


@lru_cache(maxsize=8)
def _certain_words(language: str) -> frozenset[str]:
    return frozenset(map(plain, str(_table(language).get("certain", "")).split()))


@lru_cache(maxsize=8)
def _table(language: str) -> Mapping[str, Any]:
    """What the language has for applications; nothing for one that is not this project's own."""
    code = primary_language(language)
    return WordFile(f"rag.languages.{code}.language").table("applications") if code in {"en", "fr", "de"} else {}


# --- checking --------------------------------------------------------------------------------------------------------


def verify_application(
    statement: DraftStatement,
    premises: Mapping[str, Premise],
    scenario: str,
    language: str,
    *,
    jurisdiction: str = "",
    at_date: date | None = None,
    business_days: BusinessDays | None = None,
) -> CheckedApplication:
    """Check by code an application of the law to the facts told. Never raises on any text; bounded time.

    Args:
        statement: of the kind `application`.
        premises: the statements that are served, by their ids in the draft.
        scenario: the question as the user asked it.
        language: ISO 639-1 code of draft and law.
        jurisdiction: its code; see `rag.verification.figures.read_figures`.
        at_date: the date of the question, which gives the year to a day that is told without one.
        business_days: what the law in question counts as business days, where it says it.

    Returns:
        What code found; `passes` where the statement is ready for a judge (`question`).
    """
    parts = max(len(statement.rests_on), len(statement.facts), len(statement.computations))
    stopped = _unfit(statement.text, parts)
    if stopped is not None:
        return _checked(statement.text, "application", statement.rests_on[:MAX_PARTS], [stopped])
    told, missing = fact_not_told(statement.facts, scenario, language)
    computations = tuple(
        repeat(computation, language, jurisdiction, business_days) for computation in statement.computations
    )
    rests_on = tuple(dict.fromkeys(statement.rests_on))
    given = _all_premises((name for name in rests_on if name != statement.id), premises)
    case = _Case(
        statement.id,
        statement.text,
        rests_on,
        premises,
        scenario,
        language,
        jurisdiction,
        told,
        computations,
        given,
        at_date,
    )
    found = [*premise_not_served(statement.id, rests_on, premises), *missing, *_content(case)]
    return replace(
        _checked(statement.text, "application", case.rests_on, found, told, case.computations), sound=case.sound
    )


def verify_short_answer(
    short: DraftShortAnswer,
    premises: Mapping[str, Premise],
    scenario: str,
    language: str,
    *,
    jurisdiction: str = "",
    at_date: date | None = None,
) -> CheckedApplication:
    """Check by code a short answer: what it rests on is served, and its figures are theirs or the scenario's.

    Arguments and result are as for `verify_application`.
    """
    stopped = _unfit(short.text, len(short.rests_on))
    if stopped is not None:
        return _checked(short.text, "short_answer", short.rests_on[:MAX_PARTS], [stopped])
    rests_on = tuple(dict.fromkeys(short.rests_on))
    told: list[ToldFact] = []
    given = _all_premises(rests_on, premises)
    case = _Case("", short.text, rests_on, premises, scenario, language, jurisdiction, told, (), given, at_date)
    found = [*premise_not_served("", rests_on, premises), *_content(case)]
    return replace(
        _checked(short.text, "short_answer", case.rests_on, found, told, case.computations), sound=case.sound
    )


def _unfit(text: str, parts: int) -> tuple[Reason, str] | None:
    """What keeps a statement from being checked at all."""
    reason = (
        Reason.CLAIM_TOO_LONG if len(text) > MAX_TEXT or parts > MAX_PARTS
        else Reason.EMPTY_CLAIM if not any(char.isalnum() for char in text)
        else Reason.ACTIVE_CONTENT if not is_plain(text)
        else None
    )  # fmt: skip
    return None if reason is None else (reason, DESCRIPTIONS[reason])


def _content(case: _Case) -> Found:
    """The checks of what a statement says, in their order."""
    if len(case.figures(case.text)) > MAX_FIGURES:
        yield Reason.CLAIM_TOO_LONG, f"It has more than {MAX_FIGURES} figures."
        return
    sources = _Sources.of(case)
    unfounded = [*input_unfounded(case, sources), *figure_unfounded(case, sources)]
    yield from computation_fails(case.computations, needed=bool(unfounded))
    yield from unfounded
    yield from stronger_than_premises(case)


def _checked(
    text: str,
    kind: Literal["application", "short_answer"],
    rests_on: tuple[str, ...],
    found: Sequence[tuple[Reason, str]],
    facts: Sequence[ToldFact] = (),
    computations: tuple[Repeated, ...] = (),
) -> CheckedApplication:
    reasons = tuple(dict.fromkeys(reason for reason, _ in found))
    order = list(VERDICTS.values())
    verdict = order[min(order.index(VERDICTS[reason]) for reason in reasons)] if reasons else "SUPPORTED"
    details = tuple(dict.fromkeys(detail for _, detail in found))
    return CheckedApplication(text, kind, verdict, reasons, details, rests_on, tuple(facts), computations)


# --- the judge -------------------------------------------------------------------------------------------------------


def question(
    checked: CheckedApplication, premises: Mapping[str, Premise], language: str, scenario: str = ""
) -> Question:
    """What a judge is asked of a statement that passed.

    Args:
        checked: see `verify_application` and `verify_short_answer`.
        premises: the statements that are served.
        language: ISO 639-1 code of the law.
        scenario: as the user asked it; of a long one a judge sees the facts that an application names, and no more.
    """
    given = _all_premises(checked.rests_on, premises)
    short = checked.kind == "short_answer"
    behind = [premise for premise in given if short or not premise.text]
    steps = [*(computation for premise in behind for computation in premise.computations), *checked.computations]
    facts = [
        *(fact for premise in behind if not short for fact in premise.facts),
        *(fact.sentence for fact in checked.facts),
    ]
    told = told_premises(checked.rests_on, premises)
    return Question(
        statement=checked.text,
        kind=checked.kind,
        passages=distinct_passages(passage for premise in given for passage in premise.passages),
        premises=tuple(premises[name].text for name in told if name in premises),
        facts=tuple(dict.fromkeys(facts)),
        computations=tuple(dict.fromkeys(step.line for step in steps if step.line)),
        scenario=scenario if short or len(scenario) <= _MOST_TOLD else "",
        language=language,
    )


def rounds(statements: Iterable[DraftStatement]) -> list[list[DraftStatement]]:
    """The applications of a draft in the order in which they can be checked: each rests on earlier rounds only.

    Those of one round can be judged in one call. What rests on itself, on a circle or on an unknown id is in the last
    round, where it fails for a premise that is not served.
    """
    waiting = [statement for statement in statements if statement.kind == "application"]
    out: list[list[DraftStatement]] = []
    while waiting:
        open_ids = {statement.id for statement in waiting}
        ready = [statement for statement in waiting if not open_ids & set(statement.rests_on)]
        if not ready:
            return [*out, waiting]
        out.append(ready)
        waiting = [statement for statement in waiting if open_ids & set(statement.rests_on)]
    return out
