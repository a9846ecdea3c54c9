"""The grammars of all jurisdictions as one value, as `retrieval` takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date
from functools import cache
from typing import TYPE_CHECKING

from rag.jurisdictions.registry import all_jurisdictions, jurisdiction_for
from rag.languages.registry import known_language
from rag.law.patterns import lazy
from retrieval.errors import InputError
from retrieval.paths import named_jurisdictions, parse_urn, urns_in, without_urns
from retrieval.references.grammars import Grammars, NamedPlaces

if TYPE_CHECKING:
    from rag.law.jurisdiction import FoundReference
    from retrieval.references.pipeline import ReferenceParser


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


# How people ask what a provision says that they name: "What does section 5 say?".
_NAMED = (
    _pattern(
        r"\A\W*(?:please\s)?(?:what\s(?:does|do|did)\s(?P<en>.+?)\s(?:say|state|provide|require|mean|cover|contain)s?"
        r" | (?:what(?:['’]s|\sis)\sin|show\sme|quote|cite|read\sme|tell\sme\swhat\sis\sin)\s(?P<en2>.+?)"
        r" | que\s(?:dit|prévoit|dispose|énonce|stipule|contient)\s(?P<fr>.+?)"
        r" | que\sprévoient\s(?P<fr2>.+?) | qu['’]est-ce\sque\s(?:dit|prévoit)\s(?P<fr3>.+?)"
        r" | (?:citez|montrez)(?:-moi)?\s(?P<fr4>.+?)"
        r" | was\s(?:steht\sin|steht\sim|sagt|regelt|besagt|bestimmt)\s(?P<de>.+?) | wie\slautet\s(?P<de2>.+?)"
        r")\W*\Z"
    ),
    _pattern(
        r"\A(?P<ja>.+?(?:条|項|号)[^、。？?]{0,12}?)"
        r"(?:は何(?:を|と).{0,12}|には何が.{0,12}|の(?:内容|条文).{0,12}|とは.{0,8})[？?。]?\Z"
    ),
)


def provision_asked_for(question: str) -> str:
    """What a question names that only asks what something says; the question itself where it asks anything else."""
    for pattern in _NAMED:
        if (match := pattern.match(question.strip())) is not None:
            return next(group for group in match.groups() if group)
    return question


# How people ask for a provision as it was on a day: "§ 573 BGB in der Fassung vom 1. Januar 2020". A grammar that knows
# other words for it reads them itself.
_ON_A_DAY = lazy(
    r"[\s,(]{1,3}(?:as\s(?:of|at|in\s(?:force|effect)(?:\s(?:on|at))?)|in\sder\s(?:Fassung\svom|am)|Stand:?)\s(?:"
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"|(?P<day2>\d{1,2})\.\s?(?P<month2>\d{1,2})\.\s?(?P<year2>\d{4})"
    r"|(?P<day3>\d{1,2})(?:st|nd|rd|th|\.)?\s(?P<name3>[^\W\d_]{3,12}),?\s(?P<year3>\d{4})"
    r"|(?P<name4>[^\W\d_]{3,12})\s(?P<day4>\d{1,2})(?:st|nd|rd|th)?,?\s(?P<year4>\d{4})"
    r")(?:\sgeltenden\sFassung)?[)\s.?]*\Z",
    re.IGNORECASE,
)
_LONGEST_DAY = 80  # characters


@cache
def _months() -> dict[str, int]:
    """The names of months, in small letters, with their numbers. Loads two languages: ask where a name stands."""
    spoken = (known_language(code) for code in ("en", "de"))
    names = (language.statements.months.split("|") for language in spoken if language is not None)
    return {name: number for row in names for number, name in enumerate(row, 1)}


def dated_reference(reference: str) -> tuple[str, date | None]:
    """A reference without the day at its end on which it asks for the law, and that day."""
    match = _ON_A_DAY.search(reference, max(0, len(reference) - _LONGEST_DAY))
    if match is None:
        return reference, None
    said = {key.rstrip("234"): value for key, value in match.groupdict().items() if value}
    month = _months().get(said["name"].lower(), 0) if "name" in said else int(said["month"])
    try:
        return reference[: match.start()], date(int(said["year"]), month, int(said["day"]))
    except ValueError:
        return reference, None  # no day of the calendar


# The words of a provision's number in the languages of the grammars.
_UNIT_WORDS = (
    "section sections sec secs ss article articles artikel artikels artikeln art arts absatz abs satz nr nummer lit "
    "buchst buchstabe alinéa alinéas al paragraphe paragraphes paragraph paragraphs para paras subsection subsections "
    "rule rules regulation reg schedule sch chapter kapitel chapitre part und oder and or et ou to bis no of the de la"
)
_UNITS = frozenset(_UNIT_WORDS.split())
_WORDS = re.compile(r"§{1,4}|\d[a-z0-9]{0,6}|[^\W\d_]{1,40}")


def _written_urns(text: str) -> Iterator[FoundReference]:
    """The URNs of a text as references; one that is cut off or misspelled names nothing."""
    from rag.law.jurisdiction import FoundReference, ReferencePart

    for start, end, urn in urns_in(text):
        with suppress(InputError):
            parts = (ReferencePart(start, end, parse_urn(urn).text),)
            yield FoundReference(start, end, text[start:end], parts, "explicit", confident=True)


class AllGrammars:
    """See `retrieval.references.grammars.Grammars`, whose methods these are."""

    @property
    def addresses(self) -> ReferenceParser:
        """Reads the addresses of official publications; loaded with the first reference."""
        from rag.jurisdictions.grammar.web_addresses import ADDRESSES

        return ADDRESSES

    def parsers_for(self, jurisdiction: str | None) -> list[ReferenceParser]:
        """The grammars that may read a reference: those of the named jurisdictions (`fr`, `eu|fr`, `!=fr`), else all.

        Raises:
            InputError: a malformed code.
        """
        known = all_jurisdictions()
        if jurisdiction is None or jurisdiction.strip() == "*":
            return list(known)
        others, codes = named_jurisdictions(jurisdiction)
        if others:
            return [
                jurisdiction
                for jurisdiction in known
                if not any(f"{jurisdiction.code}-".startswith(f"{code}-") for code in codes)
            ]
        # A filter includes its subdivisions, and a subdivision without a grammar is read by the wider one's.
        return [
            jurisdiction
            for jurisdiction in known
            if any(
                f"{code}-".startswith(f"{jurisdiction.code}-") or jurisdiction.code.startswith(f"{code}-")
                for code in codes
            )
        ]

    def cited_in(self, text: str, jurisdictions: Sequence[str]) -> list[FoundReference]:
        """The references inside a text that the grammars of the chosen jurisdictions read with confidence, and URNs."""
        words = without_urns(text)  # a grammar would read the number inside a URN once more
        found = [
            reference
            for code in jurisdictions
            for reference in jurisdiction_for(code).find_references(words, None)
            if reference.confident
        ]
        return [*_written_urns(text), *found]

    def places_in(self, question: str, searched: Sequence[str]) -> NamedPlaces:
        """The countries and states that a question names as where it happens, beside the jurisdictions searched."""
        from rag.jurisdictions.places import places_in  # with the first question

        return places_in(question, searched)

    def recognised_by(self, reference: str, jurisdiction: str | None) -> str:
        """The jurisdiction whose grammar takes the whole string for law it has no URN for: "90 Stat. 2541"."""
        whole = reference.rstrip(" .,;?")
        for one in all_jurisdictions():
            if jurisdiction is None or one in self.parsers_for(jurisdiction):
                found = one.find_references(reference, None)
                if len(found) == 1 and found[0].start == 0 and found[0].end >= len(whole):
                    return one.name
        return ""

    def names_no_law(self, reference: str) -> bool:
        """Whether a reference is a provision's number and no law: "§ 535 Abs. 2", "section 12(3)"."""
        words = _WORDS.findall(reference.lower())
        first = words[:1] and (words[0] in _UNITS or words[0].startswith("§"))
        numbered = any(word[0].isdigit() for word in words)
        return bool(first and numbered) and all(_is_part_of_number(word) for word in words)

    provision_asked_for = staticmethod(provision_asked_for)
    dated = staticmethod(dated_reference)

    def reading_note(self, jurisdiction: str, language: str) -> str:
        """What readers of a jurisdiction's law must know of how it was read; empty where its own module read it."""
        from rag.jurisdictions.by_language import reading_note  # with the first provision that is shown

        return reading_note(jurisdiction_for(jurisdiction), language)


def _is_part_of_number(word: str) -> bool:
    return word[0].isdigit() or word[0] == "§" or word in _UNITS or len(word) == 1 or set(word) <= set("ivx")


GRAMMARS: Grammars = AllGrammars()
