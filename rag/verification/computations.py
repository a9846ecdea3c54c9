"""Arithmetic and the calendar, repeated: what a model says that it computed, computed again by code.

Exact: numbers are fractions, and no float is made. Units are kept: money is not added to days. A result may be written
rounded to the cent (two decimals or more), and in another unit that the same is counted in (`12 months`, `1 year`).

The calendar, as these operations understand it, whatever a law says about the first or the last day of a period:

* Days are counted from the day after the first: 1 March and 30 days is 31 March. Between 1 and 31 March are 30 days.
* A month after the 31st is the last day of a shorter month: 31 January and one month is 28 or 29 February; a year
  after 29 February is 28 February. Months and years between two dates are the whole ones by the same rule.
* No period is moved off a weekend or a holiday at its end.
* Business days are Monday to Friday, or Monday to Saturday where the text counts them so (`Werktage`, `jours
  ouvrables`), unless the caller gives the rule of the law in question. Holidays are only known from such a rule;
  without one the result is marked (`caveat`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction

from rag.languages.registry import primary_language
from rag.verification.draft import DraftComputation
from rag.verification.figures import (
    BUSINESS_DAYS,
    CURRENCIES,
    DURATIONS,
    Amount,
    Unreadable,
    read_value,
    write,
)
from rag.verification.model import Reason

MAX_INPUTS = 20
MAX_AMOUNT = 10**18
MAX_BUSINESS_DAYS = 5_000  # of one step: 20 years
_CENT = 2  # decimals from which on a result may be rounded

Known = Amount | date | bool
_Result = Known | Unreadable


@dataclass(frozen=True, slots=True)
class BusinessDays:
    """What the law in question counts as a business day.

    Attributes:
        closed: the weekdays that are none, Monday being 0.
        holidays: the days that are none besides.
    """

    closed: frozenset[int] = frozenset({5, 6})
    holidays: Container[date] = frozenset[date]()


@dataclass(frozen=True, slots=True)
class Repeated:
    """A computation, repeated.

    Attributes:
        operation: its name.
        inputs: as the draft writes them.
        values: what they were read as, as far as they could be.
        said: the result that the draft gives.
        result: what comes of it; None where it cannot be computed.
        agrees: whether the draft's result is right; None where that cannot be said.
        reason: `COMPUTATION_WRONG` or `COMPUTATION_UNREADABLE`; None where it agrees.
        detail: one line for a reader where it does not: `5 percent of $1,200 is $60, not $50.` Values in it are written
            anew, so that nothing else that a draft has among its inputs is shown.
        line: the step for a judge, written anew as well: `percent(5 percent, $1,200) = $60`.
        caveat: what the result depends on beside the inputs; empty where on nothing.
    """

    operation: str
    inputs: tuple[str, ...]
    values: tuple[Known, ...]
    said: str
    result: Known | None
    agrees: bool | None
    reason: Reason | None = None
    detail: str = ""
    caveat: str = ""
    line: str = ""


class _Cannot(Exception):
    """The operation has no result; the message says why, to follow "it": `divides by zero`."""


@dataclass(slots=True)
class _Calendar:
    """What a step may use beside its inputs, and what it says of its result."""

    business_days: BusinessDays | None
    caveats: list[str] = field(default_factory=list[str])


# --- operations ------------------------------------------------------------------------------------------------------


def _amounts(values: Sequence[Known]) -> list[Amount]:
    amounts = [value for value in values if isinstance(value, Amount)]
    if len(amounts) < len(values):
        raise _Cannot("takes numbers and amounts, no dates")
    return amounts


def _two_dates(values: Sequence[Known]) -> tuple[date, date]:
    if not isinstance(values[0], date) or not isinstance(values[1], date):
        raise _Cannot("takes two dates")
    return values[0], values[1]


def _date_and_count(values: Sequence[Known]) -> tuple[date, Amount]:
    """A date and what is added to it, in either order."""
    dates = [value for value in values if isinstance(value, date)]
    counts = [value for value in values if isinstance(value, Amount)]
    if len(dates) != 1 or len(counts) != 1:
        raise _Cannot("takes a date and a number")
    return dates[0], counts[0]


def _alike(amounts: Sequence[Amount], *, bare: bool) -> tuple[list[Fraction], str]:
    """The values in one unit, and that unit: the one written where all have the same.

    Args:
        amounts: at least one.
        bare: whether a number without a unit has the unit of the others.

    Raises:
        _Cannot: they count different things.
    """
    units = {amount.unit for amount in amounts}
    named = units - {""}
    if bare and len(named) == 1:
        return [amount.value for amount in amounts], named.pop()
    if len(units) == 1:
        return [amount.value for amount in amounts], units.pop()
    bases = {amount.base[1] for amount in amounts}
    if len(bases) > 1:
        raise _Cannot(f"mixes {_listed(sorted(unit or 'bare numbers' for unit in units))}")
    return [amount.base[0] for amount in amounts], bases.pop()


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _add(values: Sequence[Known], calendar: _Calendar) -> Known:
    if any(isinstance(value, date) for value in values) and len(values) == 2:
        return _shift(values, calendar, sign=1)
    amounts = _amounts(values)
    numbers, unit = _alike(amounts, bare=_times(amounts))
    return Amount(sum(numbers, Fraction(0)), unit)


def _subtract(values: Sequence[Known], calendar: _Calendar) -> Known:
    if isinstance(values[0], date) and isinstance(values[1], date):
        return Amount(Fraction((values[0] - values[1]).days), "day")
    if isinstance(values[0], date):
        return _shift(values, calendar, sign=-1)
    amounts = _amounts(values)
    (first, second), unit = _alike(amounts, bare=_times(amounts))
    return Amount(first - second, unit)


def _times(amounts: Sequence[Amount]) -> bool:
    """Whether the amounts with a unit are periods, beside which a bare number is one too."""
    return all(not amount.unit or amount.base[1] in DURATIONS for amount in amounts)


def _multiply(values: Sequence[Known], calendar: _Calendar) -> Known:
    """At most one of the factors has a unit, beside percentages and the period that a rate is paid for."""
    amounts = _amounts(values)
    product, unit = Fraction(1), ""
    rates = {amount.per for amount in amounts if amount.per}
    money = any(amount.unit in CURRENCIES for amount in amounts)
    for amount in amounts:
        product *= amount.value
        if amount.unit in {"percent", "percentage point"} and len(amounts) > 1:
            product /= 100
        elif money and amount.base[1] in DURATIONS:
            if rates and {amount.unit} != rates:
                raise _Cannot(f"multiplies what is paid for one {' and '.join(sorted(rates))} by {amount.unit}s")
        elif amount.unit:
            if unit:
                raise _Cannot(f"multiplies {unit}s by {amount.unit}s")
            unit = amount.unit
    return Amount(product, unit)


def _divide(values: Sequence[Known], calendar: _Calendar) -> Known:
    first, second = _amounts(values)
    if not second.value:
        raise _Cannot("divides by zero")
    if not second.unit:
        return Amount(first.value / second.value, first.unit)
    if second.unit == "percent":
        return Amount(first.value * 100 / second.value, first.unit)
    (above, below), _ = _alike((first, second), bare=False)
    return Amount(above / below)


def _percent(values: Sequence[Known], calendar: _Calendar) -> Known:
    """The share first, then what it is a share of; the other way round where only the second is a percentage."""
    share, whole = _amounts(values)
    if whole.unit == "percent" and share.unit != "percent":
        share, whole = whole, share
    if share.unit not in {"", "percent", "percentage point"}:
        raise _Cannot("takes a percentage and what it is a percentage of")
    return Amount(share.value * whole.value / 100, whole.unit)


def _compare(holds: Callable[[Fraction, Fraction], bool]) -> Callable[[Sequence[Known], _Calendar], Known]:
    def compare(values: Sequence[Known], calendar: _Calendar) -> Known:
        if all(isinstance(value, date) for value in values):
            first, second = _two_dates(values)
            return holds(Fraction(first.toordinal()), Fraction(second.toordinal()))
        (above, below), _ = _alike(_amounts(values), bare=True)
        return holds(above, below)

    return compare


def _shifted(unit: str) -> Callable[[Sequence[Known], _Calendar], Known]:
    def shifted(values: Sequence[Known], calendar: _Calendar) -> Known:
        if unit == "year" and (year := _calendar_year(values)) is not None:
            return year
        day, count = _date_and_count(values)
        if count.unit and unit == "business day":
            if count.unit not in BUSINESS_DAYS:
                raise _Cannot(f"takes business days, not {count.unit}s")
        elif count.unit and count.base[1] != Amount(Fraction(1), unit).base[1]:
            raise _Cannot(f"takes {unit}s, not {count.unit}s")
        return _moved(day, count if count.unit else Amount(count.value, unit), calendar)

    return shifted


def _calendar_year(values: Sequence[Known]) -> Amount | None:
    """A calendar year some years after another: 2015 and 4 years is 2019; None where a date is meant."""
    amounts = [value for value in values if isinstance(value, Amount) and value.unit in {"", "year"}]
    years = [
        amount
        for amount in amounts
        if not amount.unit and amount.value.denominator == 1 and 1000 <= amount.value <= 9999
    ]
    if len(amounts) < 2 or len(years) != 1:
        return None
    return Amount(amounts[0].value + amounts[1].value)


def _shift(values: Sequence[Known], calendar: _Calendar, *, sign: int) -> date:
    """A date and a period that has a unit."""
    day, count = _date_and_count(values)
    if not count.unit:
        raise _Cannot("adds a bare number to a date")
    return _moved(day, Amount(sign * count.value, count.unit), calendar)


def _moved(day: date, count: Amount, calendar: _Calendar) -> date:
    """The day that is a period after another, or before it where the period is negative."""
    if count.unit in BUSINESS_DAYS:
        return _after_business_days(day, _whole(count.value), count.unit, calendar)
    value, unit = count.base
    try:
        if unit == "day":
            return day + timedelta(days=_whole(value))
        if unit == "month":
            return _after_months(day, _whole(value))
    except (OverflowError, ValueError):
        raise _Cannot("leaves the calendar, which ends with the year 9999") from None
    raise _Cannot(f"cannot add {count.unit}s to a date")


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise _Cannot("counts a part of a day or a month")
    return int(value)


def _after_months(day: date, months: int) -> date:
    """The same day of another month, or its last where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = date(year + month // 11, (month + 1) % 12 + 1, 1) if (year, month) != (9999, 11) else None
    last = 31 if following is None else (following - timedelta(days=1)).day
    return date(year, month + 1, min(day.day, last))


def _after_business_days(day: date, count: int, unit: str, calendar: _Calendar) -> date:
    if abs(count) > MAX_BUSINESS_DAYS:
        raise _Cannot(f"counts more than {MAX_BUSINESS_DAYS:,} business days")
    rule = calendar.business_days
    closed = rule.closed if rule is not None else frozenset({6} if unit == "weekday with Saturday" else {5, 6})
    if rule is None:
        calendar.caveats.append("weekends only are left out; each public holiday in between moves the day on")
    if len(closed) > 6:
        raise _Cannot("has no business day in the week")
    step, left, tried = timedelta(days=1 if count > 0 else -1), abs(count), 0
    try:
        while left:
            day += step
            tried += 1
            if day.weekday() not in closed and (rule is None or day not in rule.holidays):
                left -= 1
            if tried > 20 * MAX_BUSINESS_DAYS:
                raise _Cannot("finds too few business days")
    except OverflowError:
        raise _Cannot("leaves the calendar, which ends with the year 9999") from None
    return day


def _days_between(values: Sequence[Known], calendar: _Calendar) -> Known:
    first, second = _two_dates(values)
    return Amount(Fraction(abs((second - first).days)), "day")


def _whole_between(unit: str) -> Callable[[Sequence[Known], _Calendar], Known]:
    """The whole months or years between two dates in either order."""

    def between(values: Sequence[Known], calendar: _Calendar) -> Known:
        first, second = sorted(_two_dates(values))
        months = (second.year - first.year) * 12 + second.month - first.month
        if _after_months(first, months) > second:
            months -= 1
        size = 12 if unit == "year" else 1
        last = _after_months(first, months - months % size)
        if last == second and last.day < first.day:
            calendar.caveats.append(f"the last month has no day {first.day}; its last day was taken")
        return Amount(Fraction(months // size), unit)

    return between


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation.

    Attributes:
        compute: the values and what the calendar knows to the result.
        words: how a reader is told, with the inputs as `{0}` and `{1}`.
        least: how many inputs it takes at least.
        most: how many at most.
        joint: between inputs of which there may be many, in place of `words`.
    """

    compute: Callable[[Sequence[Known], _Calendar], Known]
    words: str
    least: int = 2
    most: int = 2
    joint: str = ""


OPERATIONS: Mapping[str, Operation] = {
    "add": Operation(_add, "", most=MAX_INPUTS, joint=" plus "),
    "subtract": Operation(_subtract, "{0} less {1}"),
    "multiply": Operation(_multiply, "", most=MAX_INPUTS, joint=" times "),
    "divide": Operation(_divide, "{0} divided by {1}"),
    "percent": Operation(_percent, "{0} of {1}"),
    "less_than": Operation(_compare(lambda one, other: one < other), "that {0} is less than {1}"),
    "at_most": Operation(_compare(lambda one, other: one <= other), "that {0} is at most {1}"),
    "more_than": Operation(_compare(lambda one, other: one > other), "that {0} is more than {1}"),
    "at_least": Operation(_compare(lambda one, other: one >= other), "that {0} is at least {1}"),
    "equal": Operation(_compare(lambda one, other: one == other), "that {0} equals {1}"),
    "before": Operation(_compare(lambda one, other: one < other), "that {0} is before {1}"),
    "after": Operation(_compare(lambda one, other: one > other), "that {0} is after {1}"),
    "on_or_before": Operation(_compare(lambda one, other: one <= other), "that {0} is on or before {1}"),
    "on_or_after": Operation(_compare(lambda one, other: one >= other), "that {0} is on or after {1}"),
    "add_days": Operation(_shifted("day"), "{1} added to {0}"),
    "add_business_days": Operation(_shifted("business day"), "{1} added to {0}"),
    "add_weeks": Operation(_shifted("week"), "{1} added to {0}"),
    "add_months": Operation(_shifted("month"), "{1} added to {0}"),
    "add_years": Operation(_shifted("year"), "{1} added to {0}"),
    "days_between": Operation(_days_between, "the time between {0} and {1}"),
    "months_between": Operation(_whole_between("month"), "the time between {0} and {1}"),
    "years_between": Operation(_whole_between("year"), "the time between {0} and {1}"),
    "age": Operation(_whole_between("year"), "the age on {1} of someone born on {0}"),
}
_DATES_ONLY = frozenset({"before", "after", "on_or_before", "on_or_after"})


# --- repeating -------------------------------------------------------------------------------------------------------


def repeat(
    computation: DraftComputation,
    language: str,
    jurisdiction: str = "",
    business_days: BusinessDays | None = None,
) -> Repeated:
    """Compute again what a draft says that it computed. Never raises; bounded time.

    Args:
        computation: operation, inputs and result as the draft has them.
        language: ISO 639-1 code of inputs and result.
        jurisdiction: its code; see `rag.verification.figures.read_figures`.
        business_days: the rule of the law in question, where it has one.

    Returns:
        `agrees` is None, with `COMPUTATION_UNREADABLE`, for an unknown operation, an input that is no single number,
        amount or date, units that do not go together, a division by zero, a day that does not exist, and what leaves
        the calendar or `MAX_AMOUNT`; and where a result is later than weekends alone make it, which holidays might.
    """
    inputs = tuple(" ".join(text.split())[:200] for text in computation.inputs[: MAX_INPUTS + 1])
    said_text = " ".join(computation.result.split())[:200]
    values: list[Known] = []

    def unreadable(why: str, result: Known | None = None, caveat: str = "") -> Repeated:
        return Repeated(
            operation if known is not None else "", inputs, tuple(values), said_text, result, None,
            Reason.COMPUTATION_UNREADABLE, why, caveat,
        )  # fmt: skip

    operation = computation.operation if len(computation.operation) <= 40 else ""
    known = OPERATIONS.get(operation)
    if known is None:
        return unreadable("A computation names an operation that is not known.")
    if not known.least <= len(computation.inputs) <= known.most:
        return unreadable(f"The operation {operation} takes {_count(known)}, not {len(computation.inputs)}.")
    for text in computation.inputs:
        value = _read(text, language, jurisdiction)
        if isinstance(value, Unreadable):
            return unreadable(f"An input of {operation} cannot be read: {value.problem}.")
        values.append(value)
    calendar = _Calendar(business_days)
    try:
        if operation in _DATES_ONLY:
            _two_dates(values)
        result = known.compute(values, calendar)
        if isinstance(result, Amount) and abs(result.value) > MAX_AMOUNT:
            raise _Cannot(f"gives more than {MAX_AMOUNT:,}")
    except _Cannot as error:
        return unreadable(f"The operation {operation} {error}.")
    said = _read(computation.result, language, jurisdiction)
    caveat = "; ".join(calendar.caveats)
    if isinstance(said, Unreadable):
        return unreadable(f"The result of {operation} cannot be read: {said.problem}.", result, caveat)
    if type(said) is not type(result):
        kinds = {Amount: "a number or an amount", date: "a date", bool: "true or false"}
        return unreadable(f"The result of {operation} is {kinds[type(result)]}.", result, caveat)
    told = [write(value, language) for value in values]
    line = f"{operation}({', '.join(told)}) = {write(said, language)}" + (f" [{caveat}]" if caveat else "")
    if _converts(operation, values, said) or _agrees(result, said):
        # `120 of 400 is 30 percent`: what follows may take it in the unit in which it is written.
        shared = {known.unit for known in (result, said) if isinstance(known, Amount)} == {"", "percent"}
        result = said if shared or _converts(operation, values, said) else result
        return Repeated(operation, inputs, tuple(values), said_text, result, True, caveat=caveat, line=line)
    words = known.joint.join(told) if known.joint else known.words.format(*told)
    if isinstance(result, bool):
        detail = f"It is {'true' if result else 'not true'} {words}."
    else:
        detail = f"{words[:1].upper()}{words[1:]} is {write(result, language)}, not {write(said, language)}."
    if caveat and isinstance(result, date) and isinstance(said, date) and said > result and business_days is None:
        return unreadable(f"{detail[:-1]}, unless public holidays lie between.", result, caveat)
    return Repeated(
        operation, inputs, tuple(values), said_text, result, False, Reason.COMPUTATION_WRONG, detail, caveat
    )  # fmt: skip


def _read(text: str, language: str, jurisdiction: str) -> _Result:
    """A value in its language, or as English where only that gives a unit or a date: `14 days` beside German law."""
    own = read_value(text, language, jurisdiction)
    if primary_language(language) == "en" or not (
        isinstance(own, Unreadable) or (isinstance(own, Amount) and not own.unit)
    ):
        return own
    english = read_value(text, "en", jurisdiction)
    if isinstance(own, Unreadable):
        return english if isinstance(english, date) else own
    return english if isinstance(english, Amount) and english.value == own.value else own


def _count(operation: Operation) -> str:
    return f"{operation.least} inputs" if operation.least == operation.most else f"2 to {operation.most} inputs"


def _agrees(result: Known, said: Known) -> bool:
    """Whether a result is the one given: exactly, or rounded half up to the decimals written, two at least."""
    if not isinstance(result, Amount) or not isinstance(said, Amount):
        return result == said
    if said.unit and result.unit:
        (have, base), (want, other) = result.base, said.base
        if base != other:
            return False
        scale = want / said.value if said.value else Fraction(1)
        have, want = have / scale, said.value
    else:
        have, want = result.value, said.value
        if {result.unit, said.unit} == {"", "percent"}:
            return result.base[0] * (100 if said.unit else 1) == want * (100 if result.unit else 1) or have == want
    if have == want:
        return True
    decimals = said.decimals if said.decimals >= _CENT else None
    return decimals is not None and _half_up(have, decimals) == want


def _half_up(value: Fraction, decimals: int) -> Fraction:
    scaled = abs(value) * 10**decimals
    rounded = Fraction((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator), 10**decimals)
    return -rounded if value < 0 else rounded


def _converts(operation: str, values: Sequence[Known], said: Known) -> bool:
    """Whether a step only turns one unit into another, by the number that the one has of the other.

    `123,000 pence` divided by 100 is `£1,230`, `24 months` divided by 12 `2 years`.
    """
    if operation not in {"multiply", "divide"} or len(values) != 2 or not isinstance(said, Amount) or not said.unit:
        return False
    first, second = values
    if not isinstance(first, Amount) or not isinstance(second, Amount):
        return False
    if operation == "multiply" and second.unit and not first.unit:
        first, second = second, first
    if second.unit or not first.unit or first.unit == said.unit or first.base != said.base or not said.value:
        return False
    ratio = first.value / said.value
    return second.value == (ratio if operation == "divide" else 1 / ratio)


def is_conversion(repeated: Repeated) -> bool:
    """Whether the step only turns one unit into another, so that its bare number needs no source."""
    return isinstance(repeated.result, Amount) and _converts(repeated.operation, repeated.values, repeated.result)
