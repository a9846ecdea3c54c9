"""Alterations of an application of law to facts, by operator; each makes a sound one unsound in a known way.

They read nothing with the code that they test: figures are digits, and words of number, unit and duty come from tables
of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from rag.verification.draft import DraftStatement

_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:[.,\u202f\u00a0 ]\d{3})*(?:[.,]\d{1,2})?(?![\d])")
_DATE = re.compile(
    r"\b(\d{1,2})(\.|er)? (January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|"
    r"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre) (\d{4})"
)
_WORDS: Mapping[str, tuple[str, ...]] = {
    "en": ("two", "three", "four", "five", "six", "seven", "ten", "twelve", "fourteen", "thirty", "sixty"),
    "de": ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "zehn", "zwölf", "vierzehn", "dreißig"),
    "fr": ("deux", "trois", "quatre", "cinq", "six", "sept", "dix", "douze", "quinze", "trente"),
}
_UNITS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "en": (("days", "months"), ("months", "years"), ("years", "months"), ("weeks", "months"), ("percent", "dollars")),
    "de": (("Tage", "Monate"), ("Tagen", "Monaten"), ("Monate", "Jahre"), ("Monaten", "Jahren"), ("Jahre", "Monate"),
           ("Jahren", "Monaten"), ("Wochen", "Monaten"), ("Prozent", "Euro")),
    "fr": (("jours", "mois"), ("mois", "ans"), ("ans", "mois"), ("semaines", "mois")),
}  # fmt: skip
_DUTIES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "en": (("may", "must"), ("can", "must")),
    "de": (("darf", "muss"), ("dürfen", "müssen"), ("kann", "muss"), ("können", "müssen")),
    "fr": (("peut", "doit"), ("pouvez", "devez"), ("peuvent", "doivent")),
}
_MONTHS = {"March": "April", "September": "October", "März": "April", "mars": "avril"}
_Item = TypeVar("_Item")
Altered = Iterator[tuple[str, DraftStatement]]


def altered(statement: DraftStatement, language: str) -> Altered:
    """Every alteration of one application, each with the name of its operator.

    `figure`, `date`, `number_word`, `unit` and `duty` change the text, `fact` a fact span, `result` and `input` a
    computation, `premise` what it rests on.
    """
    for operator, text in altered_text(statement.text, language):
        yield operator, replace(statement, text=text)
    for position, fact in enumerate(statement.facts):
        for operator, changed in altered_fact(fact):
            yield operator, replace(statement, facts=_with(statement.facts, position, changed))
    for position, step in enumerate(statement.computations):
        for result in altered_value(step.result):
            changed = replace(step, result=result)
            yield "result", replace(statement, computations=_with(statement.computations, position, changed))
        for place, value in enumerate(step.inputs):
            for other in altered_value(value):
                changed = replace(step, inputs=_with(step.inputs, place, other))
                yield "input", replace(statement, computations=_with(statement.computations, position, changed))
    yield "premise", replace(statement, rests_on=(*statement.rests_on, "s99"))
    yield "premise", replace(statement, rests_on=())
    yield "premise", replace(statement, rests_on=(statement.id,))


def altered_text(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Every alteration of a text, each with the name of its operator."""
    dated: list[tuple[int, int]] = []
    for match in _DATE.finditer(text):
        dated.append(match.span())
        for date in _dates(match):
            yield "date", text[: match.start()] + date + text[match.end() :]
    for match in _NUMBER.finditer(text):
        if not any(start <= match.start() < end for start, end in dated):
            yield "figure", text[: match.start()] + _next(match[0]) + text[match.end() :]
    words = _WORDS[language]
    for position, word in enumerate(words):
        for match in re.finditer(rf"\b{word}\b", text, re.IGNORECASE):
            yield "number_word", text[: match.start()] + words[position - 1] + text[match.end() :]
    for operator, pairs in (("unit", _UNITS[language]), ("duty", _DUTIES[language])):
        for word, other in pairs:
            for match in re.finditer(rf"\b{word}\b(?! not)", text):
                if operator == "duty" or re.search(r"[\w%] ?\Z", text[: match.start()]):
                    yield operator, text[: match.start()] + other + text[match.end() :]


def altered_fact(fact: str) -> Iterator[tuple[str, str]]:
    """A fact with another number, or with a word more."""
    for match in _NUMBER.finditer(fact):
        yield "fact", fact[: match.start()] + _next(match[0]) + fact[match.end() :]
    words = fact.split()
    yield "fact", " ".join([*words[:-1], "not", words[-1]])


def altered_value(value: str) -> Iterator[str]:
    """An input or a result of a computation with another value."""
    if value in {"true", "false"}:
        yield "false" if value == "true" else "true"
        return
    match = _DATE.search(value)
    if match is not None:
        for date in _dates(match):
            yield value[: match.start()] + date + value[match.end() :]
        return
    match = _NUMBER.search(value)
    if match is not None:
        yield value[: match.start()] + _next(match[0]) + value[match.end() :]


def _dates(match: re.Match[str]) -> Iterator[str]:
    day, mark, month, year = match.groups()
    other = int(day) + 1 if int(day) < 28 else int(day) - 1
    yield f"{other}{'' if mark == 'er' else mark or ''} {month} {year}"
    yield match[0].replace(year, str(int(year) + 1))
    if month in _MONTHS:
        yield match[0].replace(month, _MONTHS[month])


def _next(number: str) -> str:
    """Another number of the same look: its first digit raised by one."""
    first = int(number[0])
    return f"{first + 1 if first < 9 else 8}{number[1:]}"


def _with(items: tuple[_Item, ...], position: int, item: _Item) -> tuple[_Item, ...]:
    return (*items[:position], item, *items[position + 1 :])
