"""What contradicts the law that a claim cites, told from what is only worded otherwise. Pure.

A claim and its law are read as content words with the operators that are in the gaps between them. Where both have
the same words on either side of a gap, they speak of the same thing there, and an operator that differs in the gap is
a contradiction. Where the words differ nothing is shown, and the claim is unknown. Numbers and references need no
place: one that the law does not have at all is refuted wherever it stands.

`REFUTERS` is the table. Each entry is silent unless it can say what the claim says and what the law says instead.
`rag/verification/ledger.py` has which of them decide, and which only doubt: nobody is asked about a claim that is
refuted for certain, so that a false alarm costs a true statement.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

from rag.languages.base import Contrasts, Kind, Language, Mark
from rag.languages.operators import is_english, read_in, reads
from rag.languages.registry import known_language, primary_language
from rag.languages.sentences import split_sentences
from rag.languages.text import common_positions, fold
from rag.verification.checks import MAX_PARAPHRASE
from rag.verification.figures import unit_names
from rag.verification.model import Reason, Refutation

MOST_CHARACTERS = 60_000  # of the law that one claim is held against; more of it is not searched for contradictions
GOVERNED, SHARED = 4, 2  # words after an operator that it governs, and how many of them tell that it is the same act
ALIGNED, COVERED = 0.85, 0.5  # shares of a sentence's words from which it is the other one, but for what differs
_COUNTED = 12  # up to here a number without a unit may count what the claim itself lists
_START, _END = "^", "$"
_IGNORED = frozenset({Kind.DESIGNATOR, Kind.PARTY, Kind.RELATIVE, Kind.NEUTRAL})
_Gap = tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit (the reading's name, empty without one), the gap that it is in, and of a rate the
    unit of time after its own: `5 percent a month`.
    """

    value: Fraction
    unit: str
    gap: int
    per: str = ""

    def told(self, language: str) -> str:
        """As a message in English gives it, the unit as the language does: `25 Prozent`, `30 days`."""
        number = str(self.value.numerator) if self.value.denominator == 1 else f"{float(self.value):g}"
        ordinal, unit = self.unit.startswith("#"), self.unit.removeprefix("#")
        unit = unit if ordinal or self.value == 1 else unit_names(language).get(unit, unit)
        return f"{number}{'.' if ordinal else ''} {unit}{f' for each {self.per}' if self.per else ''}".strip()


class Line:
    """One sentence as content words with the operators before, between and after them."""

    def __init__(self, marks: Iterable[Mark | None], times: Container[str] = ()) -> None:
        """From its marks, with None between clauses; `times` are the units of time."""
        self.times = times
        self.words: list[str] = []
        self.denials = 0
        gaps: list[list[Mark]] = [[]]
        self.clauses: list[int] = [0]  # for each gap, the number of the clause that it is in
        self.conditional: set[int] = set()  # clauses under a condition
        self.denying: set[int] = set()  # clauses that deny
        # Gaps whose number ends a clause, and counts nothing that the next one begins with.
        self.parted: set[int] = set()
        clause, neither = 0, False
        for mark in marks:
            if mark is None:
                clause += 1
                if any(mark.kind is Kind.NUMBER for mark in gaps[-1]):
                    self.parted.add(len(self.words))
                self.clauses[-1] = clause
                continue
            neither = neither or mark.value == "NEITHER"
            if mark.kind is Kind.NEGATION and mark.value == "NOR" and not neither:
                continue  # German `noch` denies after `weder` alone
            if mark.kind is Kind.CONDITION:
                self.conditional.add(clause)
            if _denies(mark):
                self.denying.add(clause)
            if mark.kind is None:
                self.words.append(mark.value)
                gaps.append([])
                self.clauses.append(clause)
            elif mark.kind not in _IGNORED:
                gaps[-1].append(mark)
        self.gaps: list[_Gap] = [_limited(gap) for gap in gaps]
        self.turned = sum(tuple(gap) != limited for gap, limited in zip(gaps, self.gaps, strict=True))

    def word(self, at: int) -> str:
        """The word at a place; the signs for the sentence's beginning and end outside of it."""
        return _START if at < 0 else _END if at >= len(self.words) else self.words[at]

    def values(self, kind: Kind) -> list[str]:
        """The values of one kind in the order of the sentence."""
        return [mark.value for gap in self.gaps for mark in gap if mark.kind is kind]

    @cached_property
    def places(self) -> Mapping[str, list[int]]:
        """Where each of its words stands."""
        out: dict[str, list[int]] = defaultdict(list)
        for at, word in enumerate(self.words):
            out[word].append(at)
        return out

    @cached_property
    def denied(self) -> int:
        """How many negations, prohibitions and exceptions it has, words that deny included."""
        count = self.denials
        for gap in self.gaps:
            # `no sale and no lease` denies once, as `no sale or lease`.
            again = count > 0 and any(mark.kind is Kind.CONNECTIVE for mark in gap)
            count += sum(_denies(mark) and not (again and mark.kind is Kind.NEGATION) for mark in gap)
        return count

    @property
    def may_deny(self) -> int:
        """As `denied`, with the limits that are told by a negation (`not more than`)."""
        return self.denied + self.turned

    @cached_property
    def quantities(self) -> list[Quantity]:
        """Its numbers with their units; a unit without a number counts once (`a month`)."""
        return list(_quantities(self.gaps, self.times))


# --- reading ---------------------------------------------------------------------------------------------------------

_CLAUSE = re.compile(r"(?<=[,;:])\s|(?<=\s)-(?=\s)")
_PART = re.compile(r"\d[\w.:~-]*|(?<=\()\w+")


@lru_cache(maxsize=512)
def read_lines(text: str, language: str, terms: tuple[str, ...]) -> tuple[Line, ...]:
    """The sentences of a text as lines; none in a language that is not read."""
    known = known_language(language)
    if known is None or (known.marks is None and not reads(language)):
        return ()
    contrasts = known.contrasts()
    # A word of the law's grammar in quotation marks is named and not used: indicating "none"; `or not` denies nothing.
    text = re.sub(known.statements.either, " ", fold(text), flags=re.IGNORECASE)
    text = _QUOTED.sub(lambda match: " " if _is_operator(match[1], language) else match[0], text)
    lines: list[Line] = []
    for start, end in split_sentences(text, language):
        sentence = contrasts.forces.sub(lambda match: contrasts.read_as[match.lastgroup or ""], text[start:end])
        sentence = contrasts.restricts.sub(lambda match: f"{match['kept']} {contrasts.only}", sentence)
        found: list[Mark | None] = []
        for clause in _CLAUSE.split(sentence):
            if known.marks is None:
                found += read_in(language, clause, terms).marks
            else:
                found += known.marks(clause)
            found.append(None)
        # English reads a reference as one operator and has words in stems; the others have them one by one.
        marks = found if is_english(language) else _stemmed(_references_whole(found), known)
        line = Line(marks, contrasts.lengths)
        prefixes = contrasts.denying_prefixes
        line.denials = sum(word in contrasts.denying or word.startswith(prefixes) for word in line.words)
        lines.append(line)
    return tuple(lines)


_QUOTED = re.compile(r'["„“«]\s?([^\W\d_]+)[.,;]?\s?["”“»]')


@lru_cache(maxsize=512)
def _is_operator(word: str, language: str) -> bool:
    known = known_language(language)
    marks = known.marks(word) if known is not None and known.marks is not None else read_in(language, word).marks
    return all(mark.kind is not None for mark in marks)


def _references_whole(marks: Iterable[Mark | None]) -> Iterator[Mark | None]:
    """Numbers that follow the word for a provision are no amounts: `§ 312 Absatz 2`, `articles 4 et 5`."""
    referring = False
    for mark in marks:
        if mark is None:
            yield mark
        elif mark.kind is Kind.REFERENCE:
            referring = True
            if _PART.search(mark.value):
                yield mark
        elif referring and mark.kind is Kind.NUMBER:
            yield Mark(Kind.REFERENCE, mark.value)
        else:
            link = mark.kind is Kind.CONNECTIVE or mark.value == "UNTIL"
            referring = referring and (link or (mark.kind is None and len(mark.value) == 1))
            yield mark


def _stemmed(marks: Iterable[Mark | None], language: Language) -> Iterator[Mark | None]:
    """The marks with stems for words, without words that carry nothing."""
    for mark in marks:
        if mark is None or mark.kind is not None:
            yield mark
        elif mark.value not in language.idle and len(mark.value) > 1:
            yield Mark(None, language.stem(mark.value))


def _quantities(gaps: Sequence[_Gap], times: Container[str]) -> Iterator[Quantity]:
    flat = [(mark, place) for place, gap in enumerate(gaps) for mark in gap if mark.kind in {Kind.NUMBER, Kind.UNIT}]
    taken: set[int] = set()
    for at, (mark, place) in enumerate(flat):
        ordinal = "#" if mark.value.startswith("#") else ""
        value = _value(mark.value.lstrip("#")) if mark.kind is Kind.NUMBER else None
        if value is None:
            continue
        unit = ordinal
        after, before = at + 1, at - 1
        # A currency may be before its number; `30 consecutive days`: one word may be between.
        follows = after < len(flat) and flat[after][0].kind is Kind.UNIT
        precedes = (
            before >= 0 and flat[before][0].kind is Kind.UNIT and before not in taken and flat[before][1] == place
        )
        # What stands before a number and measures no time is its currency: `$500 for each day`.
        money = precedes and flat[before][0].value not in times
        if follows and not money and flat[after][1] - place <= (0 if precedes else 1):
            unit = ordinal + flat[after][0].value
            taken.add(after)
            after += 1
        elif precedes:
            unit = ordinal + flat[before][0].value
            taken.add(before)
        rate = unit and after < len(flat) and flat[after][0].kind is Kind.UNIT and flat[after][1] - place <= 1
        yield Quantity(value, unit, place, flat[after][0].value if rate else "")
    for at, (mark, place) in enumerate(flat):
        if mark.kind is Kind.UNIT and at not in taken:
            yield Quantity(Fraction(1), mark.value, place)


_TURNED = {"MORE": "AT_MOST", "OVER": "AT_MOST", "LESS": "AT_LEAST", "UNDER": "AT_LEAST"}


def _limited(gap: Sequence[Mark]) -> _Gap:
    """A gap in which `is not more than`, `does not exceed` and `may not exceed` are limits, and deny nothing."""
    out: list[Mark] = []
    denied: int | None = None
    for mark in gap:
        turned = _TURNED.get(mark.value, "") if mark.kind is Kind.COMPARATOR else ""
        if turned and denied is not None:
            out[denied:] = [*out[denied + 1 :], Mark(Kind.COMPARATOR, turned)]
            denied = None
            continue
        if mark.kind in {Kind.CONDITION, Kind.EXCEPTION, Kind.CONNECTIVE}:
            denied = None
        elif mark.value in {"NOT", "PROHIBITION"}:
            denied = len(out)
        out.append(mark)
    return tuple(out)


def _value(number: str) -> Fraction | None:
    """The value of a number as readings write it; None for an ordinal, a multiple and what is too long to be one."""
    try:
        return Fraction(number.replace(",", ".")) if len(number) <= 24 else None
    except (ValueError, ZeroDivisionError):
        return None


# --- a claim beside its law ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beside:
    """A claim's sentences beside those of the law that it rests on.

    Attributes:
        claim: its sentences.
        law: the whole sentences of all its citations, each with its lead-in and flush.
        headings: those over them. They have numbers, units and references of the law, and contradict nothing.
        named: parts of references by which the cited provisions can be named.
    """

    claim: tuple[Line, ...]
    law: tuple[Line, ...]
    headings: tuple[Line, ...]
    named: frozenset[str]
    contrasts: Contrasts
    language: str

    @cached_property
    def places(self) -> Mapping[tuple[str, ...], list[tuple[Line, int]]]:
        """The law's gaps by the words around them: (before, after), and with a second word on one side."""
        out: dict[tuple[str, ...], dict[tuple[int, _Gap], tuple[Line, int]]] = defaultdict(dict)
        for index, line in enumerate(self.law):
            for at in range(len(line.gaps)):
                for context in _contexts(line, at):
                    # Hostile law says one thing a thousand times; each gap is kept once for its sentence.
                    out[context].setdefault((index, line.gaps[at]), (line, at))
        return {context: list(there.values()) for context, there in out.items()}

    def alike(self, line: Line, at: int, *, beside: bool = False) -> list[tuple[Line, int]]:
        """The law's gaps with the words that a claim's gap has: on both sides, or else two of them on one side."""
        contexts = _contexts(line, at)
        found = self.places.get(contexts[0], [])
        if found or not beside:
            return found
        plain = (context for context in contexts[1:] if _START not in context and _END not in context)
        governed = set(_governed(line, at))
        # The same two words before a gap are often the subject alone: `the housing provider may raise, shall disclose`.
        return [
            (law, place)
            for row in plain
            for law, place in self.places.get(row, ())
            if row[0] != "before" or not governed.isdisjoint(_governed(law, place))
        ]

    @cached_property
    def quantities(self) -> list[Quantity]:
        """All quantities of the law, each once."""
        return list(
            {
                (quantity.value, quantity.unit): quantity
                for line in (*self.law, *self.headings)
                for quantity in line.quantities
            }.values()
        )

    @cached_property
    def amounts(self) -> Mapping[tuple[Fraction, str], list[tuple[Line, int]]]:
        """The law's gaps by value and unit of the quantities that are in them."""
        out: dict[tuple[Fraction, str], dict[tuple[object, ...], tuple[Line, int]]] = defaultdict(dict)
        for index, line in enumerate(self.law):
            for quantity in line.quantities:
                same = (index, line.gaps[quantity.gap], line.word(quantity.gap))
                out[quantity.value, quantity.unit].setdefault(same, (line, quantity.gap))
        return {amount: list(there.values()) for amount, there in out.items()}

    @cached_property
    def counted(self) -> Mapping[str, list[tuple[Line, int]]]:
        """The law's gaps with a number and no unit, by the word after them."""
        out: dict[str, dict[_Gap, tuple[Line, int]]] = defaultdict(dict)
        for line in self.law:
            for at, gap in enumerate(line.gaps):
                kinds = {mark.kind for mark in gap}
                if Kind.NUMBER in kinds and Kind.UNIT not in kinds and at not in line.parted:
                    out[line.word(at)].setdefault(gap, (line, at))
        return {word: list(there.values()) for word, there in out.items()}

    @cached_property
    def governed(self) -> Mapping[str, list[tuple[Line, int]]]:
        """The law's gaps that say what may or shall be, by the word after them; one for each word before."""
        out: dict[str, dict[tuple[_Gap, str], tuple[Line, int]]] = defaultdict(dict)
        for line in self.law:
            for at, gap in enumerate(line.gaps):
                if force_of(gap):
                    out[line.word(at)].setdefault((gap, line.word(at - 1)), (line, at))
        return {word: list(there.values()) for word, there in out.items()}

    def restates(self, ours: Line, law: Line) -> bool:
        """Whether a sentence of a claim is a sentence of the law but for a few words and what is in its gaps."""
        pair = id(ours), id(law)
        if pair not in self._restated:
            common = len(common_positions(law.words, ours.words)) if ours.words and law.words else 0
            close = common >= ALIGNED * len(ours.words) and common >= COVERED * len(law.words)
            self._restated[pair] = common > 0 and close
        return self._restated[pair]

    @cached_property
    def _restated(self) -> dict[tuple[int, int], bool]:
        return {}

    def is_nearer(self, line: Line, law: Line, others: Iterable[Line]) -> bool:
        """Whether a sentence of the law has at least as many of a claim's words as each of some others."""
        ours = line.places.keys()
        return law not in others and len(ours & law.places.keys()) >= max(
            (len(ours & other.places.keys()) for other in others), default=len(ours) + 1
        )

    def akin(self, line: Line, at: int) -> list[tuple[Line, int]]:
        """The law's gaps with an operator that governs two or more of the words that a claim's gap governs."""
        shared: Counter[tuple[int, int]] = Counter()
        for word in set(_governed(line, at)):
            shared.update(self._governing.get(word, ()))
        return [(self.law[index], place) for (index, place), count in shared.items() if count >= SHARED]

    @cached_property
    def _governing(self) -> Mapping[str, set[tuple[int, int]]]:
        """Sentence and place of the law's gaps with an operator, by each of the words that they govern."""
        out: dict[str, set[tuple[int, int]]] = defaultdict(set)
        seen: set[tuple[object, ...]] = set()
        for index, line in enumerate(self.law):
            for at, gap in enumerate(line.gaps):
                words = tuple(_governed(line, at)) if force_of(gap) else ()
                if words and (index, gap, words) not in seen:
                    seen.add((index, gap, words))
                    for word in words:
                        out[word].add((index, at))
        return out


def _governed(line: Line, at: int) -> list[str]:
    """The words after an operator in its clause, up to a condition or an exception."""
    words: list[str] = []
    for place in range(at, min(at + GOVERNED, len(line.words))):
        opens = place > at and any(mark.kind in {Kind.CONDITION, Kind.EXCEPTION} for mark in line.gaps[place])
        if opens or line.clauses[place] != line.clauses[at]:
            break
        words.append(line.words[place])
    return words


def _speaks_of(line: Line, words: Iterable[str], shared: int, *, plainly: bool = False) -> bool:
    """Whether a clause under no condition has some of the words that an operator governs, near each other.

    Args:
        shared: how many of them.
        plainly: only clauses that deny nothing count.
    """
    wanted = set(words)
    if sum(word in line.places for word in wanted) < shared:
        return False
    hidden = line.conditional | line.denying if plainly else line.conditional
    everywhere = (at for word in wanted for at in line.places.get(word, ()))
    places = sorted(at for at in everywhere if line.clauses[at] not in hidden)
    runs = (places[at : at + shared] for at in range(len(places) - shared + 1))
    return any(
        run[-1] - run[0] <= GOVERNED
        and line.clauses[run[0]] == line.clauses[run[-1]]
        and len({line.words[at] for at in run}) == shared
        for run in runs
    )


def _contexts(line: Line, at: int) -> list[tuple[str, ...]]:
    """The words around a gap: one on both sides (two on the other where a side has none), two after, two before."""
    before, after = line.word(at - 1), line.word(at)
    if before == _START:
        both = (_START, after, line.word(at + 1))
    elif after == _END:
        both = (line.word(at - 2), before, _END)
    else:
        both = (before, after)
    return [both, ("after", after, line.word(at + 1)), ("before", line.word(at - 2), before)]


def _denies(mark: Mark) -> bool:
    # `Notwithstanding any other provision` takes nothing from what it opens, and `is not subject to` denies once.
    exception = mark.kind is Kind.EXCEPTION and mark.value not in {"NOTWITHSTANDING", "SUBJECT"}
    return mark.kind is Kind.NEGATION or exception or (mark.kind is Kind.MODALITY and mark.value in _DENIALS)


_FORCES = {"ABILITY": "PERMISSION", "NO_OBLIGATION": "NO_OBLIGATION"}
_DENIED = {"PERMISSION": "PROHIBITION", "OBLIGATION": "NO_OBLIGATION"}
_AGAINST = {
    frozenset(pair)
    for pair in (
        ("OBLIGATION", "PERMISSION"), ("OBLIGATION", "PROHIBITION"), ("OBLIGATION", "NO_OBLIGATION"),
        ("PERMISSION", "PROHIBITION"), ("PROHIBITION", "NO_OBLIGATION"),
    )
}  # fmt: skip
_DENIALS = frozenset({"PROHIBITION", "NO_OBLIGATION"})
_KNOWN_FORCES = {"OBLIGATION", "PERMISSION", "PROHIBITION", "NO_OBLIGATION"}


def force_of(gap: _Gap) -> str:
    """What a gap says may, shall or shall not be; empty where it says nothing of the kind, or several things."""
    forces = {_FORCES.get(mark.value, mark.value) for mark in gap if mark.kind is Kind.MODALITY} & _KNOWN_FORCES
    if len(forces) != 1:
        return ""
    (force,) = forces
    return _DENIED.get(force, force) if any(mark.kind is Kind.NEGATION and _denies(mark) for mark in gap) else force


def opposes(one: str, other: str) -> bool:
    """Whether what one force says of an act another one denies; see `force_of`."""
    return frozenset((one, other)) in _AGAINST


def _negated(gap: _Gap) -> bool:
    return any(_denies(mark) and mark.kind is not Kind.EXCEPTION for mark in gap)


def _says_only(line: Line) -> bool:
    return "ONLY" in line.values(Kind.ABSOLUTE)


def _only_if(line: Line) -> bool:
    return "ONLY_IF" in line.values(Kind.EXCEPTION)


def _only(line: Line) -> bool:
    return _says_only(line) or bool(line.values(Kind.EXCEPTION))


# --- the refuters ----------------------------------------------------------------------------------------------------


def number_differs(facts: Beside) -> str:
    """A number, amount, date or share that the law does not have."""
    for line in facts.claim:
        for ours in line.quantities:
            if ours.value in (0, 1) or any(same_quantity(ours, law, facts.contrasts) for law in facts.quantities):
                continue
            known = any(ours.value == law.value for law in facts.quantities)
            if known or (ours.unit in ("", "#") and ours.value.denominator == 1 and ours.value <= _COUNTED):
                continue
            # A sum beside law that has periods alone is one of the case: only what measures the same thing contradicts.
            there = [law for law in facts.quantities if _measures_the_same(ours, law, facts.contrasts)]
            if there or not facts.quantities:
                law = _told_once(there, facts.language) or "no number"
                return f"It says {ours.told(facts.language)}; the law has {law}."
        for at, gap in enumerate(line.gaps):
            ours = {mark.value for mark in gap if mark.kind is Kind.NUMBER}
            law = [_numbers(there, place) for there, place in _same_noun(facts, line, at) if ours - {"1"}]
            law = [] if any(_meets(line, at, *row) for row in _same_noun(facts, line, at)) else law
            law = [group for group in law if group]
            if law and not any(ours & group for group in law) and not _converted(facts, line, at):
                return f"It says {listed(ours)} where the law says {listed(set[str]().union(*law))}."
            there = [_numbers(law, place) for law, place in facts.alike(line, at)]
            mine = _numbers(line, at)
            if there and ((_multiplies(mine) and not any(there)) or (not mine and all(map(_multiplies, there)))):
                return f"It says {listed(mine) or 'no multiple'} where the law says {listed(there[0]) or 'none'}."
        if other := _in_its_place(facts, line, Kind.NUMBER):
            return f"It says {listed(line.values(Kind.NUMBER))} where the law says {listed(other)}."
    return ""


def _measures_the_same(ours: Quantity, law: Quantity, contrasts: Contrasts) -> bool:
    """Whether two quantities are of one unit, both times, or both shares."""
    times = ours.unit in contrasts.lengths and law.unit in contrasts.lengths
    shares = (_share(quantity, contrasts) is not None for quantity in (ours, law))
    return ours.unit == law.unit or times or all(shares)


def _says(ours: Quantity, law: Iterable[Quantity], language: str) -> str:
    return f"It says {ours.told(language)}; the law says {_told_once(law, language)}."


def _told_once(law: Iterable[Quantity], language: str) -> str:
    return ", ".join(list(dict.fromkeys(quantity.told(language) for quantity in law))[:_FEW])


def _in_its_place(facts: Beside, line: Line, kind: Kind) -> list[str]:
    """The law's values of a kind where the claim has all words of a sentence in their order, and other values."""
    same = [law.values(kind) for law in facts.law if law.words == line.words and len(law.words) >= _FEW]
    return same[0] if same and line.values(kind) and all(group and group != line.values(kind) for group in same) else []


def _multiplies(numbers: Iterable[str]) -> bool:
    """Whether one of the numbers is a multiple, such as `double`."""
    return any(number.startswith("x") and number != "x1" for number in numbers)


def _numbers(line: Line, at: int) -> set[str]:
    return {mark.value for mark in line.gaps[at] if mark.kind is Kind.NUMBER}


def _same_noun(facts: Beside, line: Line, at: int) -> list[tuple[Line, int]]:
    """The law's gaps with the claim's words around them; of a number without a unit, with the word after it."""
    if any(mark.kind is Kind.UNIT for mark in line.gaps[at]) or line.word(at) == _END or at in line.parted:
        return facts.alike(line, at)
    return facts.counted.get(line.word(at), [])


def _meets(line: Line, at: int, law: Line, place: int) -> bool:
    """Whether a number of things, told as a fact, meets a limit of the law: `eleven units`, `more than 3 units`."""
    if comparators(line, at) or any(mark.kind is Kind.UNIT for mark in (*line.gaps[at], *law.gaps[place])):
        return False
    ours, limits = (
        [number for word in _numbers(side, there) if (number := _value(word)) is not None]
        for side, there in ((line, at), (law, place))
    )
    compared = comparators(law, place)
    if len(ours) != 1 or len(limits) != 1:
        return False
    return bool(compared & _LOW and ours[0] > limits[0]) or bool(compared & _HIGH and ours[0] < limits[0])


def _converted(facts: Beside, line: Line, at: int) -> bool:
    """Whether the law has the quantities of a gap in other units."""
    ours = [quantity for quantity in line.quantities if quantity.gap == at and quantity.unit]
    return bool(ours) and all(
        any(same_quantity(quantity, law, facts.contrasts) for law in facts.quantities) for quantity in ours
    )


def same_quantity(ours: Quantity, law: Quantity, contrasts: Contrasts) -> bool:
    """Whether two quantities are, or may be, the same: `a month` and 30 days may."""
    if ours.unit == law.unit:
        return ours.value == law.value
    if not ours.unit or not law.unit:
        left, right = (_share(quantity, contrasts) for quantity in (ours, law))
        return ours.value == law.value or (left is not None and left == right)
    one, other = contrasts.lengths.get(ours.unit), contrasts.lengths.get(law.unit)
    if one is None or other is None:
        left, right = (_share(each, contrasts) for each in (ours, law))
        return left is not None and left == right
    return ours.value * _exact(one[0]) <= law.value * _exact(other[1]) and law.value * _exact(
        other[0]
    ) <= ours.value * _exact(one[1])


@lru_cache(maxsize=64)
def _exact(days: float) -> Fraction:
    return Fraction(days).limit_denominator(10**6)


def _share(quantity: Quantity, contrasts: Contrasts) -> Fraction | None:
    if quantity.unit == contrasts.hundredth:
        return quantity.value / 100
    return quantity.value if not quantity.unit and quantity.value < 1 else None


def unit_differs(facts: Beside) -> str:
    """A number of the law with another unit."""
    for line in facts.claim:
        for ours in line.quantities:
            if (
                not ours.unit
                or ours.value == 1
                or any(same_quantity(ours, law, facts.contrasts) for law in facts.quantities)
            ):
                continue
            there = [law for law in facts.quantities if law.value == ours.value]
            if there and all(law.unit.strip("#") for law in there):
                return _says(ours, there, facts.language)
        for ours in line.quantities:
            rates = [law for law in facts.quantities if (law.value, law.unit) == (ours.value, ours.unit)]
            if ours.per and rates and all(law.per not in {"", ours.per} for law in rates):
                return _says(ours, rates, facts.language)
        for at, gap in enumerate(line.gaps):
            units = [mark.value for mark in gap if mark.kind is Kind.UNIT]
            law = [
                [mark.value for mark in there.gaps[place] if mark.kind is Kind.UNIT]
                for there, place in facts.alike(line, at)
                if units and _numbers(there, place) == _numbers(line, at)
            ]
            if law and all(len(group) == len(units) and group != units for group in law):
                return f"It says {listed(units)} where the law says {listed(law[0])}."
    return ""


_LOW = frozenset({"AT_LEAST", "MORE", "MINIMUM", "EARLIEST", "OVER"})
_HIGH = frozenset({"AT_MOST", "LESS", "MAXIMUM", "WITHIN", "LATEST", "UNDER"})
_BEFORE = frozenset({"BEFORE", "ON_OR_BEFORE", "EARLIER"})
_AFTER = frozenset({"AFTER", "ON_OR_AFTER", "LATER", "SINCE", "FROM"})


def comparator_reversed(facts: Beside) -> str:
    """A limit turned round (`at least`, `at most`), or before and after, at one place or beside the same number."""
    for line in facts.claim:
        for at in range(len(line.gaps)):
            ours = comparators(line, at)
            if not ours:
                continue
            alike = [(law, place) for law, place in facts.alike(line, at) if law.denied == line.denied]
            same = [] if alike else _same_amount(facts, line, at)
            there = [comparators(law, place) for law, place in same]
            if any(ours & group and not reverses(ours, group) for group in there):
                continue  # one of the sentences with the amount limits it so, whatever else that one denies
            # Before or after is said of what follows; of a limit it is enough that nothing in either sentence denies.
            alike = alike or [(law, place) for law, place in same if law.word(place) == line.word(at)]
            told = ours if alike else ours - _BEFORE - _AFTER
            alike = alike or [(law, place) for law, place in same if not law.denied and not line.denied]
            law = [one for there, place in alike if (one := comparators(there, place))]
            # `within a period of two months`: a word may stand between the limit and its number.
            plain = [(there, place) for there, place in same if place and not comparators(there, place)]
            law += [one for there, place in plain if (one := comparators(there, place - 1) & ours)]
            if law and all(reverses(told, group) for group in law) and not _of_other_number(line, at, alike):
                return f"It says {listed(told)} where the law says {listed(law[0])}."
    return ""


def comparators(line: Line, at: int) -> set[str]:
    """The limits and relations of time in a gap."""
    return {mark.value for mark in line.gaps[at] if mark.kind is Kind.COMPARATOR}


def _of_other_number(line: Line, at: int, alike: Sequence[tuple[Line, int]]) -> bool:
    """Whether a gap has several numbers, and its limit is of one that the law does not have there.

    `more within any 24 hours than 125 percent` does not limit the percentage.
    """
    limited = _limited_numbers(line, at)
    law = [_numbers(there, place) for there, place in alike]
    return len(_numbers(line, at)) > 1 and bool(limited) and all(group and not limited & group for group in law)


def _limited_numbers(line: Line, at: int) -> set[str]:
    """The numbers of a gap that follow a limit."""
    marks = [mark for mark in line.gaps[at] if mark.kind in {Kind.COMPARATOR, Kind.NUMBER}]
    pairs = pairwise(marks)
    return {mark.value for limit, mark in pairs if limit.kind is Kind.COMPARATOR and mark.kind is Kind.NUMBER}


def _same_amount(facts: Beside, line: Line, at: int) -> list[tuple[Line, int]]:
    """The law's gaps with the same quantity."""
    ours = {
        (quantity.value, quantity.unit) for quantity in line.quantities if quantity.gap == at and quantity.value != 1
    }
    there = [place for row in ours for place in facts.amounts.get(row, ())]
    # Of several sentences with the amount those that have most of the claim's words.
    shared = [len(line.places.keys() & law.places.keys()) for law, _ in there]
    return [place for place, count in zip(there, shared, strict=True) if count >= ALIGNED * max(shared)]


def reverses(ours: set[str], law: set[str]) -> bool:
    """Whether two sets of limits, or of relations of time, are each other's reverse."""

    def against(one: frozenset[str], other: frozenset[str]) -> bool:
        mine, theirs = ours & (one | other), law & (one | other)
        return bool(mine and theirs) and ((mine <= one and theirs <= other) or (mine <= other and theirs <= one))

    return against(_LOW, _HIGH) or against(_BEFORE, _AFTER)


def modality_differs(facts: Beside) -> str:
    """May for shall, shall for need not, and so on, of the same act."""
    for line in facts.claim:
        for at, gap in enumerate(line.gaps):
            ours = force_of(gap)
            if not ours:
                continue
            alike = facts.alike(line, at, beside=True)
            # `no estate, ..., shall` is `no estate shall`: as much is denied in both, at another place.
            alike = [(law, place) for law, place in alike if not _denied_elsewhere(line, at, law, place)]
            there = [(law, place) for law, place in alike if force_of(law.gaps[place])]
            if not there:
                # In other words only what is denied is compared: `may be made by mail` and `shall be made by mail` are.
                akin = [
                    (law, place)
                    for law, place in facts.akin(line, at)
                    if force_of(law.gaps[place]) and not _denied_elsewhere(line, at, law, place)
                ]
                there = [(law, place) for law, place in akin if _denies_there(law, place) != (ours in _DENIALS)]
                there = there if len(there) == len(akin) else []
                # `None may be held before it ends` is `it has to end before one is held`.
                timed = [
                    any(not _TIMES.isdisjoint(one.values(Kind.COMPARATOR)) for one in (line, law)) for law, _ in there
                ]
                there = [] if any(timed) else there
            # Another sentence says it of this verb, with more of the words that are around it.
            same = [row for row in facts.governed.get(line.word(at), ()) if force_of(row[0].gaps[row[1]]) == ours]
            said, against = (
                max((_common_around(line, at, law, place) for law, place in rows), default=0) for rows in (same, there)
            )
            there = [(law, force_of(law.gaps[place])) for law, place in there] if said <= against else []
            if not there or not all(opposes(ours, force) for _, force in there):
                continue
            # `The Centre must, if required, pay` is nearer than the sentence that says `may pay` of something else.
            others = [law for law, _ in there]
            same = [law for law in facts.law if line.word(at) in law.places and _bears(law, line.word(at - 1), ours)]
            if any(facts.is_nearer(line, law, others) for law in same):
                continue
            # `may not, unless`, `may only if` and `may if` state one rule; so do `may only by mail` and `must by mail`.
            denies = ours in _DENIALS or any(force in _DENIALS for _, force in there)
            limited = _only if denies else _says_only
            turned = any(limited(law) or limited(line) for law, _ in there) and not any(
                facts.restates(line, law) and law.values(Kind.EXCEPTION) == line.values(Kind.EXCEPTION)
                for law, _ in there
            )
            # "shall take place only if" allows what "may take place only if" does.
            turned = turned or all(_only_if(law) and _only_if(line) for law, _ in there)
            if not turned:
                return f"It says {listed([ours])} where the law says {listed(force for _, force in there)}."
    return ""


def _bears(line: Line, subject: str, force: str) -> bool:
    """Whether a sentence says right after a word that it may, shall or shall not, of whatever follows."""
    return any(force_of(line.gaps[place + 1]) == force for place in line.places.get(subject, ()))


def _common_around(line: Line, at: int, law: Line, place: int) -> int:
    """How many words two gaps govern alike, and whether they have one subject, as `and shall not` may have any."""
    joined = any(mark.kind is Kind.CONNECTIVE for mark in law.gaps[place])
    same = joined or line.word(at - 1) == law.word(place - 1)
    return len(set(_governed(line, at)) & set(_governed(law, place))) + same


def _denied_elsewhere(line: Line, at: int, law: Line, place: int) -> bool:
    """Whether one of two gaps denies and the other sentence denies as much, but before its own gap."""
    one, other = _denies_there(line, at), _denies_there(law, place)
    if one == other or line.denied != law.denied:
        return False
    # `must be neither an officer nor ...` is `shall be a person who is not an officer or ...`.
    said, own = (law, place) if one else (line, at)
    return any(
        _negated(said.gaps[at])
        and said.clauses[at] not in said.conditional
        and (at < own or not force_of(said.gaps[at]))
        for at in range(min(own + GOVERNED, len(said.gaps)))
    )


def _denies_there(line: Line, at: int) -> bool:
    return force_of(line.gaps[at]) in _DENIALS


def negation_differs(facts: Beside) -> str:
    """A negation that the law has there and the claim nowhere, or the other way round."""
    for line in facts.claim:
        for at, gap in enumerate(line.gaps):
            ours = _negated(gap)
            alike = [law for law, place in facts.alike(line, at) if _negated(law.gaps[place]) != ours]
            if not alike or len(alike) < len(facts.alike(line, at)) or any(_turns_round(line, law) for law in alike):
                continue
            # What denies elsewhere in the sentence may say it too (`unlawful`, `nothing in this section`).
            more = line.denied if ours else min(law.denied for law in alike)
            less = max(law.may_deny for law in alike) if ours else line.may_deny
            if any(facts.is_nearer(line, law, alike) for law in facts.law if (law.may_deny > 0) == ours):
                continue
            if not less or (more > less and any(facts.restates(line, law) for law in alike)):
                place = " ".join(part for part in (line.word(at - 1), line.word(at)) if part not in (_START, _END))
                return f"It {'denies' if ours else 'does not deny'}, beside “{place}”, what the law {_does(not ours)}."
    for told, ones, others in (("does not deny", facts.law, facts.claim), ("denies", facts.claim, facts.law)):
        seen: set[tuple[object, ...]] = set()
        for line in ones:
            for at, gap in enumerate(line.gaps):
                if not _negated(gap) or line.clauses[at] in line.conditional:
                    continue
                words = _governed(line, at)
                shared = SHARED if force_of(gap) else SHARED + 1
                known = (*words, shared) in seen
                seen.add((*words, shared))
                if known or any(_speaks_of(line, words, SHARED, plainly=True) for line in ones):
                    continue
                alike = [side for side in others if _speaks_of(side, words, shared) and not _turns_round(side, line)]
                if told == "denies" and any(facts.is_nearer(line, law, alike) for law in facts.law if law.may_deny):
                    continue
                if alike and not any(line.may_deny or _only(line) or _turned_in_time(line, gap) for line in alike):
                    return f"It {told} what the law {_does(told != 'denies')}: “{' '.join(words)}”."
    return ""


def _turns_round(line: Line, law: Line) -> bool:
    """Whether a sentence that denies nothing may say the reverse of one that denies with and without its condition: "no
    one is liable if it does not send notice" is "to be liable, one has to send notice".
    """
    return not line.may_deny and law.denied > 1 and bool(law.values(Kind.CONDITION))


_TIMES = frozenset({"BEFORE", "ON_OR_BEFORE", "EARLIER", "UNTIL"})


def _turned_in_time(line: Line, gap: _Gap) -> bool:
    """Whether a sentence says of time what a denial says: `none is held before it ends`, `it has to end before`."""
    return not _TIMES.isdisjoint(line.values(Kind.COMPARATOR)) and force_of(gap) in {"PROHIBITION", ""}


def _does(denies: bool) -> str:
    return "denies" if denies else "does not deny"


_IF = frozenset({"IF", "WHEN", "UPON", "AT_TIME", "IN_CASE", "ONCE"})
_UNLESS = frozenset({"UNLESS", "EXCEPT"})


def exception_differs(facts: Beside) -> str:
    """An exception made a condition, or the other way round; or left out of a sentence that is otherwise restated."""
    for line in facts.claim:
        for at, gap in enumerate(line.gaps):
            ours = _clause(gap)
            law = [_clause(there.gaps[place]) for there, place in facts.alike(line, at) if _balanced(line, there)]
            if ours and law and all(word and word != ours for word in law):
                return f"It says {listed([ours])} where the law says {listed(law)}."
        if line.values(Kind.EXCEPTION):
            continue
        for law in facts.law:
            lost = [
                mark.value for place in left_out(line, law) for mark in law.gaps[place] if mark.kind is Kind.EXCEPTION
            ]
            if lost:
                return f"It leaves out what the law says after {listed(lost)}."
    return ""


def _clause(gap: _Gap) -> str:
    values = {mark.value for mark in gap if mark.kind in {Kind.CONDITION, Kind.EXCEPTION}}
    if values & _UNLESS:
        return "UNLESS"
    return "IF" if values & _IF else ""


def _balanced(line: Line, law: Line) -> bool:
    """Whether as much is denied in both, exceptions apart."""
    return line.denied - len(line.values(Kind.EXCEPTION)) == law.denied - len(law.values(Kind.EXCEPTION))


def left_out(line: Line, law: Line) -> range:
    """The gaps of the one run of words that a claim leaves out of a sentence which it otherwise restates.

    Empty where it leaves out several runs, or has words or an order of its own.
    """
    ends = [line.words[:1] == law.words[:1], line.words[-1:] == law.words[-1:]]
    if len(line.words) >= len(law.words) or len(line.words) < _FEW or not any(ends):
        return range(0)
    head = 0
    while head < len(line.words) and line.words[head] == law.words[head]:
        head += 1
    tail = 0
    while tail < len(line.words) - head and line.words[-1 - tail] == law.words[-1 - tail]:
        tail += 1
    kept, gone = head + tail, range(head, len(law.words) - tail)
    # The law's own words up to its exception are the rule without the exception, however long that is.
    cut = kept == head == len(line.words) and any(mark.kind is Kind.EXCEPTION for mark in law.gaps[head])
    close = kept >= ALIGNED * len(line.words) and kept >= COVERED * len(law.words)
    return gone if close or cut else range(0)


_FEW = 4  # words of a sentence that has to be recognised


def reference_differs(facts: Beside) -> str:
    """A reference to a provision that neither the law nor the name of what is cited has, or another in its place."""
    lines = (*facts.law, *facts.headings)
    known = facts.named | {part for line in lines for word in line.values(Kind.REFERENCE) for part in _parts(word)}
    for line in facts.claim:
        for at, gap in enumerate(line.gaps):
            ours = {part for mark in gap if mark.kind is Kind.REFERENCE for part in _parts(mark.value)}
            if not ours:
                continue
            if not ours <= known:
                return f"It refers to {listed(sorted(ours - known))}, which the law it cites does not name."
            law = [_referred(there, place) for there, place in facts.alike(line, at)]
            law = [group for group in law if group]
            if law and not any(ours & group for group in law) and not ours <= facts.named:
                return f"It refers to {listed(sorted(ours))} where the law refers to {listed(sorted(law[0]))}."
        if other := _in_its_place(facts, line, Kind.REFERENCE):
            return f"It refers to {listed(line.values(Kind.REFERENCE))} where the law refers to {listed(other)}."
    return ""


def _parts(reference: str) -> list[str]:
    return [part.rstrip(".:-") for part in _PART.findall(reference.lower())]


def _referred(line: Line, at: int) -> set[str]:
    return {part for mark in line.gaps[at] if mark.kind is Kind.REFERENCE for part in _parts(mark.value)}


def listed(values: Iterable[object]) -> str:
    """Some values of operators as a message in English gives them."""
    told = (re.sub(r"\Ax(?=\d)", "times ", str(value)) for value in values)
    names = dict.fromkeys(value.lower().replace("_", " ") for value in told)
    return ", ".join(list(names)[:_FEW])


@dataclass(frozen=True, slots=True)
class Refuter:
    """A named refuter: `contradicts` says what is contradicted, in one sentence; empty where nothing is shown."""

    name: str
    reason: Reason
    contradicts: Callable[[Beside], str]


REFUTERS: tuple[Refuter, ...] = (
    Refuter("number", Reason.NUMBER_CHANGED, number_differs),
    Refuter("unit", Reason.UNIT_CHANGED, unit_differs),
    Refuter("comparator", Reason.COMPARATOR_CHANGED, comparator_reversed),
    Refuter("modality", Reason.MODALITY_CHANGED, modality_differs),
    Refuter("negation", Reason.NEGATION_CHANGED, negation_differs),
    Refuter("exception", Reason.EXCEPTION_CHANGED, exception_differs),
    Refuter("reference", Reason.REFERENCE_CHANGED, reference_differs),
)


def _distinct(lines: Iterable[Line]) -> tuple[Line, ...]:
    return tuple({(tuple(line.words), tuple(line.gaps)): line for line in lines}.values())


def refute(
    claim: str,
    law: Iterable[str],
    named: frozenset[str],
    language: str,
    terms: tuple[str, ...] = (),
    *,
    headings: Iterable[str] = (),
    refuters: Sequence[Refuter] = REFUTERS,
) -> tuple[Refutation, ...]:
    """What the law contradicts of a claim. Never raises on any text; linear in the claim and in the law.

    Args:
        law: the whole sentences of all its citations with lead-ins and flush.
        named: parts of references by which the cited provisions can be named (`42-3502.17`, `b`).
        terms: defined terms, which count as parties.
        refuters: the table; evals leave one out.

    Returns:
        One refutation of each refuter that fires, in the table's order. None where the language is not read or a text
        is too long.
    """
    texts, over = list(dict.fromkeys(law)), list(dict.fromkeys(headings))
    known = known_language(language)
    if known is None or sum(map(len, (*texts, *over))) > MOST_CHARACTERS or len(claim) > MAX_PARAPHRASE:
        return ()
    # A term in small letters, such as `functions`, is no party unless the language knows it as one.
    terms = tuple(term for term in terms if not term[:1].islower())
    facts = Beside(
        _distinct(read_lines(claim, language, terms)),
        _distinct(line for text in texts for line in read_lines(text, language, terms)),
        _distinct(line for text in over for line in read_lines(text, language, terms)),
        named,
        known.contrasts(),
        primary_language(language),
    )
    found = ((refuter, refuter.contradicts(facts)) for refuter in refuters if facts.claim and facts.law)
    return tuple(Refutation(one.reason, told) for one, told in found if told)
