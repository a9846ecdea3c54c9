"""What kind of answer a question asks for: an amount, a time, a permission, a duty, a person; and what can give it.

Read from how the question is put, in the languages whose operators are read; in any other nothing is asked for, and
every sentence is as good as another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from rag.languages.base import Kind, Language, Mark, Reading, Want
from rag.languages.registry import language_of

_MOMENTS = frozenset({
    "BEFORE", "AFTER", "WITHIN", "ON_OR_BEFORE", "ON_OR_AFTER", "EARLIER", "LATER", "SINCE", "DURING", "FROM", "LATEST",
    "EARLIEST",
})  # fmt: skip
_BEFORE_DATE = 3  # words before a date that tell how it limits
# What a sentence is worth that lacks what was asked for. One without a figure hardly says how much or how long; one
# without a modal verb may still say who is free to do what.
_LACKING = {Want.AMOUNT: 0.75, Want.TIME: 0.75, Want.PERMISSION: 0.9, Want.DUTY: 0.9, Want.PERSON: 0.95}


def wants_of(question: str, language: str) -> frozenset[Want]:
    """The kinds of answer that a question asks for; none where it only tells something.

    Args:
        question: one sentence, or more; what is no question among several tells and asks nothing.
        language: of the question.
    """
    asks = language_of(language).questions.asks
    sentences = [sentence for sentence in re.findall(r"[^.!?]+[.!?]*", question) if sentence.strip()]
    asked = [sentence for sentence in sentences if sentence.rstrip().endswith("?")] or sentences[:1]
    found = {want for want, way in asks.items() if any(way.search(sentence.strip()) for sentence in asked)}
    if Want.TIME in found:
        found -= {Want.AMOUNT}  # "how many days"
    return frozenset(found)


def asking_words(question: str, language: Language) -> frozenset[str]:
    """The words by which a question asks how much, how long, what may and what must be, in lower case."""
    found = language.questions.asking.finditer(question)
    return frozenset(word.lower() for match in found for word in match.groups() if word)


def counted_things(question: str, language: Language) -> list[frozenset[str]]:
    """What a question asks the amount of, as stems of which an answer has one: "how much notice".

    Times and money are left out: figures give them under any name.
    """
    words = language.questions
    plain = {language.stem(word) for word in words.times | words.money}
    found = (
        frozenset(language.stem(word.lower()) for word in match.groups() if word)
        for match in words.amount_of.finditer(question)
    )
    return [stems for stems in found if not stems & plain]


def worth(sentence: str, wants: frozenset[Want], language: str) -> float:
    """How good a sentence is as an answer of the kinds wanted: 1 where it has them all, less for what it lacks."""
    known = language_of(language)
    if not wants or known.read is None:
        return 1.0
    reading = _read(known, sentence)
    return min((_LACKING[want] for want in wants if not _gives(reading, want, known)), default=1.0)


def not_given(want: Want, question: str, answer: Sequence[str], language: str) -> bool:
    """Whether a question asks for this kind of answer and none of some sentences gives it.

    Never in a language whose operators are not read: what a sentence gives is not known there.
    """
    known = language_of(language)
    if known.read is None or want not in wants_of(known.questions.when.sub("", question), language):
        return False
    readings = [_read(known, sentence) for sentence in answer]
    if want is Want.TIME:  # "after the tenant leaves" says when, and not how long
        lasts = known.questions.lasts.search(question) is not None
        words = [known.questions.soon] if lasts else [known.questions.soon, known.questions.recurs]
        if any(way.search(sentence) for way in words for sentence in answer):
            return False
        if not lasts and any(_dated(sentence, known) for sentence in answer):
            return False
        gives = _lengths if lasts else _times
        return not any(gives(reading, known) for reading in readings)
    return not any(_gives(reading, want, known) for reading in readings)


@cache
def _dates(language: str) -> re.Pattern[str]:
    months = language_of(language).statements.months
    return re.compile(rf"\b(?:\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:{months})|(?:{months})\s\d{{1,2}})\b", re.IGNORECASE)


def _dated(text: str, language: Language) -> bool:
    """Whether a text gives a date by which, before or after which something is: "by 5 May", "no later than 5 May"."""
    for date in _dates(language.code).finditer(text):
        before = text[: date.start()].split()[-_BEFORE_DATE:]
        marks = _read(language, " ".join(before)).marks[-1:]
        by = before[-1:] and before[-1].lower() in language.questions.agents  # a date is no agent
        if by or any(mark.kind in (Kind.COMPARATOR, Kind.CONDITION) for mark in marks):
            return True
    return False


def _read(language: Language, text: str) -> Reading:
    return language.read(text, ()) if language.read is not None else Reading((), ())


def _gives(reading: Reading, want: Want, language: Language) -> bool:
    if want is Want.AMOUNT:
        return bool(reading.sequence(Kind.NUMBER)) or bool(reading.sequence(Kind.UNIT))
    if want is Want.TIME:
        return _times(reading, language) or bool(_MOMENTS.intersection(reading.sequence(Kind.COMPARATOR)))
    modal = reading.sequence(Kind.MODALITY) or reading.sequence(Kind.NEGATION)
    if want is Want.PERSON:
        return bool(modal) or bool(reading.sequence(Kind.PARTY))
    return bool(modal)


def _times(reading: Reading, language: Language) -> bool:
    units = {part for unit in reading.sequence(Kind.UNIT) for part in (unit, *unit.split())}
    return bool(units & language.questions.times)


def _lengths(reading: Reading, language: Language) -> bool:
    """Whether there is a length of time, and not only how often something is: "every six months", "twice a year"."""
    return any(
        mark.kind is Kind.UNIT
        and not language.questions.times.isdisjoint((mark.value, *mark.value.split()))
        and not _recurs(reading.marks[:at])
        for at, mark in enumerate(reading.marks)
    )


def _recurs(before: Sequence[Mark]) -> bool:
    """Whether a unit of time after these marks says how often: after a number of times, another unit or `every`."""
    last = before[-1] if before else Mark(None, "")
    if last.kind is Kind.NUMBER and not last.value.startswith("x"):
        return len(before) > 1 and before[-2].kind is Kind.ABSOLUTE
    return last.kind in (Kind.NUMBER, Kind.UNIT, Kind.ABSOLUTE)
