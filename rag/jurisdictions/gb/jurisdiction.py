"""The United Kingdom: acts, instruments and their schedules, retained Union law, decisions by neutral citation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from rag.jurisdictions.eu import laws as union_laws
from rag.jurisdictions.gb import laws
from rag.jurisdictions.gb.documents import AmendedLaws, DocumentNames
from rag.jurisdictions.gb.examples import EXAMPLES, QUERY_EXAMPLES
from rag.jurisdictions.gb.initials import STARTS as INITIALS
from rag.jurisdictions.gb.initials import initialled_at
from rag.jurisdictions.gb.queries import in_order, queries_by_title, report_queries, title_without_year
from rag.jurisdictions.grammar.parties import party_queries
from rag.jurisdictions.grammar.provisions import Grammar, Law
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.grammar.statutory import StatutoryJurisdiction
from rag.jurisdictions.grammar.statutory_places import Cited, Passage
from rag.law.jurisdiction import Jurisdiction, queries_of_references
from rag.law.scopes import WHOLE_LAW
from retrieval.tag_query import TagQuery, urn_query

_UNITS = ("section", "article", "regulation", "rule")
_BELOW_UNIT = frozenset({"subsection", "paragraph", "subparagraph", "point", "head"})

GRAMMAR = Grammar(
    words={
        "section": r"sections?|sects?\.|secs?\.|(?-i:ss?\.?|S[sS]?(?:\.|(?=\s)))(?=\s{0,2}[A-Z]{0,2}\d)",
        "article": r"articles?|arts?\.?(?=\s{0,2}\d)",
        "regulation": r"regulations?|regs?\.?(?=\s{0,2}\d)",
        "rule": r"rules?|(?-i:rr?\.?)(?=\s{0,2}\d)",
        "schedule": r"schedules?|scheds?\.?|schs?\.?",
        "annex": r"annex(?:es)?|appendix",
        "part": r"parts?|pts?\.?(?=\s{0,2}[\dIVX])",
        "chapter": r"chapters?|chs?\.?(?=\s{0,2}[\dIVX])",
        "title": r"titles?",
        "subdivision": r"subdivisions?",
        "division": r"divisions?",
        "recital": r"recitals?",
        "subsection": r"sub-?sections?|sub-?ss?\.?(?=\s{0,2}\()",
        "subparagraph": r"sub-?paragraphs?|sub-?paras?\.?(?=\s{0,2}[(\d])",
        "paragraph": r"paragraphs?|paras?\.?(?=\s{0,2}[(\d])",
        "point": r"points?",
        "head": r"heads?|items?|limbs?",
    },
    units=frozenset(_UNITS),
    annexes={"schedule": "sch", "annex": "annex"},
    containers=frozenset({"part", "chapter", "title", "division", "subdivision"}),
    descents={
        **dict.fromkeys(_UNITS, _BELOW_UNIT),
        "subsection": frozenset({"paragraph", "subparagraph", "point"}),
        "paragraph": frozenset({"subparagraph", "point", "head"}),
        "schedule": frozenset({"paragraph", "part", "chapter"}),
        "annex": frozenset({"paragraph", "part", "point", "chapter"}),
        "part": frozenset({"chapter", "paragraph", *_UNITS}),
        "chapter": frozenset(_UNITS),
    },
    this=r"this|these|the\s+present",
    that=r"that|those|the\s+said",
    acts=r"Act|Order|Regulations?|Rules|Measure|Scheme|Directive|Decision|Byelaws|Code|Bill",
    counted=frozenset(),
    ordinals={
        "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
        "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
    },
    neighbours={
        r"(?:(?:last|next|immediately)\s)?(?:preceding|foregoing)": "before",
        r"(?:next|immediately)\sfollowing": "after",
    },
    pointed=False,
    below_only="",
    singular=r"section|sec\.|s\.?|article|art\.?|regulation|reg\.?|rule|r\.?|schedule|sched\.?|sch\.?|part|chapter|"
             r"sub-?section|paragraph|para\.?|sub-?paragraph|point|annex|recital|head",
)  # fmt: skip

_LAW_STARTS = re.compile(rf"{laws.STARTS}|{union_laws.STARTS}")
_LEADING = re.compile(r"\Athe\s{1,3}", re.IGNORECASE)
# The rules of court are cited by number alone: "CPR 3.4(2)(c)".
_CPR = re.compile(r"(?<!\w)CPR(?=,?\s{1,3}(?:\d{1,2}\.\d|r|Part\s|Pt\s))")
_STARTS = rf"{_CPR.pattern}|(?<!\w)UK[ \u00a0-]GDPR(?!\w)|{INITIALS}|{union_laws.STARTS}"
_INSTRUMENT = re.compile(r"S\.?\s?I|Statutory\s")
_SHORT = 80  # characters behind a number that are compared with what was read before
_ACTS = frozenset({"ukpga", "asp", "anaw", "asc", "nia", "mwa", "ukla", "ukcm", "aosp", "aep", "apgb", "apni", "mnia"})
_LISTING = re.compile(r"\bprovisions\s(?:of|in|contained\sin)\s{1,3}(?:the\s{1,3})?(?=[A-Z\d])")
_NAMELY = re.compile(r"(?:\s?\([^()]{0,80}\))?,?\s?(?:namely|that\sis\sto\ssay)?,?\s?[—–:-]")
_BARE_NEUTRAL = re.compile(r"\(?(?P<year>(?:19|20)\d\d)\)?\s(?P<rest>[A-Z]{3,6}\s.{1,60})\Z")
# "R (Miller) v Secretary of State [2017] UKSC 5": the name only repeats what the neutral citation says.
_CASE_NAME = re.compile(r"[A-Z(][^\[\]§]{0,200}?\sv\.?\s[^\[\]§]{1,200}?,?\s(?=\[(?:19|20)\d\d\]\s[A-Z])")
_UK_GDPR = re.compile(r"(?:the\s)?UK[ \u00a0-]GDPR(?!\w)")


class UnitedKingdom(StatutoryJurisdiction):
    """The law of England and Wales, Scotland and Northern Ireland."""

    code = "gb"
    name = "United Kingdom"
    examples = EXAMPLES
    query_examples = QUERY_EXAMPLES
    main_levels: Mapping[str, str] = {"": WHOLE_LAW}

    def __init__(self) -> None:
        super().__init__(GRAMMAR, f"{laws.STARTS}|{_STARTS}")
        self._names = DocumentNames(_title_at, _titles_in)
        self._amended = AmendedLaws(_titles_in)

    def law_at(self, text: str, at: int, passage: Passage) -> tuple[Law, int] | None:
        """An act or instrument by title or number, a name that this document gives it, or an act of the Union."""
        called = self._names.at(text, at, passage.here.index) if passage.here else None
        if called is not None:
            return called
        read = _title_at(text, at)
        if read is None or passage.here is None:
            return read
        return self._names.numbered(read[0], passage.here.index), read[1]

    def called_laws(self, text: str, passage: Passage) -> list[tuple[int, int, Law]]:
        """Laws by the names that the document gives them: "under the Administration Act"."""
        return list(self._names.standing(text, passage.here.index)) if passage.here else []

    def cited_law(self, text: str, match: re.Match[str], floor: int, passage: Passage) -> tuple[Law, int, int] | None:
        """An act, instrument, decision or report."""
        at = match.start()
        if (found := laws.titled_before(text, at, floor)) is not None:
            law, begin, end = found
            return (self._names.numbered(law, passage.here.index) if passage.here else law), begin, end
        if _CPR.match(text, at):
            return Law("urn:lex:gb:uksi-1998-3132", "CPR"), at, at + len("CPR")
        read = (
            laws.neutral_at(text, at)
            or laws.report_at(text, at)
            or laws.instrument_at(text, at)
            or laws.chapter_at(text, at)
            or _union_at(text, at, after_article=False)
            or initialled_at(text, at)
            or union_laws.ecli_at(text, at)
            or union_laws.case_at(text, at)
            or union_laws.journal_at(text, at)
        )
        return (read[0], at, read[1]) if read else None

    def has_units(self, urn: str, level: str) -> bool:
        """Acts have sections, and articles or rules in schedules only; acts of the Union have articles."""
        _, _, country, law, *smaller = urn.split(":")
        kind = law.partition("-")[0]
        if country == "eu" or kind in ("eur", "eudr"):
            return level in ("article", "recital")
        return level == "section" or bool(smaller) or kind not in _ACTS

    def bare_level(self, law: Law) -> str:
        """A number after "CPR" is a rule."""
        return "rule" if law.title == "CPR" else ""

    def ambient_law(self, text: str, passage: Passage) -> Law | None:
        """In amending provisions, the law that is amended; below "provisions of the X Act, namely—", that law."""
        return (self._listed(passage) or self._amended.at(passage.here)) if passage.here is not None else None

    def _listed(self, passage: Passage) -> Law | None:
        here = passage.here
        parent = here.index.tree.parent(here.node) if here is not None else None
        listing = _LISTING.search(parent.intro_text or parent.text) if parent is not None else None
        if parent is None or listing is None:
            return None
        text = parent.intro_text or parent.text
        law = self.law_at(text, listing.end(), passage)
        return law[0] if law is not None and law[0].role == "named" and _NAMELY.match(text, law[1]) else None

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """Provisions of a law known by its number by URN, of one known by its title alone by that title."""
        reference = _LEADING.sub("", unframed(reference, self.language))
        if bare := _BARE_NEUTRAL.match(reference):
            queries = self.tag_queries(f"[{bare['year']}] {bare['rest']}")
            return [replace(one, hint=one.hint or "neutral citation, its year without brackets") for one in queries]
        if name := _CASE_NAME.match(reference):
            return self.tag_queries(reference[name.end() :])
        cited = self.cited(reference, None)
        whole = reference.strip().rstrip(" .,;?")
        if len(cited) > 1 and _reported_too(cited, reference):
            cited, reference = cited[:1], cited[0].reference.text
            whole = reference
        if len(cited) > 1:
            together = queries_of_references([one.reference for one in cited], reference, self.language)
            return together or party_queries(reference, "v")
        if cited and (reported := report_queries(whole, cited[0])):
            return reported
        if not cited or cited[0].reference.start or cited[0].reference.end < len(whole):
            if turned := in_order(reference):
                return [replace(one, hint=one.hint or turned[1] or None) for one in self.tag_queries(turned[0])]
            return title_without_year(reference) or party_queries(reference, "v")
        if _outside_union_law(cited[0]):
            return []
        by_title = queries_by_title(cited[0])
        found = queries_of_references([cited[0].reference], reference, self.language)
        by_number = cited[0].law is not None and _INSTRUMENT.match(cited[0].law.title) is not None
        return by_title or (_with_other_series(found) if by_number else found)


def _outside_union_law(one: Cited) -> bool:
    """Whether an act of the Union is named with a unit that it has not: its sections are parts of chapters."""
    union = one.law is not None and one.law.urn.startswith(("urn:lex:eu:", "urn:lex:gb:eu"))
    return union and one.reading is not None and one.reading.level in ("section", "regulation", "rule", "schedule")


def _reported_too(cited: list[Cited], reference: str) -> bool:
    """Whether only law reports follow a neutral citation: "[2019] UKSC 41, [2020] AC 373"."""
    first, *others = cited
    return (
        first.reference.start == 0
        and first.reference.text[0] == "["
        and bool(first.reference.urns)
        and all(one.law is not None and not one.law.urn and one.reading is None for one in others)
        and all(
            reference[one.reference.end : after.reference.start].strip(" ,;:") == "" for one, after in pairwise(cited)
        )
        and others[-1].reference.end >= len(reference.rstrip(" .,;"))
    )


def _with_other_series(found: list[TagQuery]) -> list[TagQuery]:
    """ "SI 2002/1357" may be Welsh or Northern Irish: the three series share their numbers, so that one can exist."""
    more: list[TagQuery] = []
    for one in found:
        more.append(one)
        [urn] = one.tag_filters.filters[0].values
        if urn.startswith("urn:lex:gb:uksi-"):
            others = (urn.replace(":uksi-", f":{kind}-", 1) for kind in ("wsi", "nisi"))
            more.extend(urn_query(other, language=one.language, hint=one.hint) for other in others)
    return more


def _title_at(text: str, at: int) -> tuple[Law, int] | None:
    """A law by title, number or short name, as after "section 1 of the"."""
    if len(text) - at > _SHORT:
        return _read_title(text, at)
    before = min(at, len("UK "))  # "UK GDPR" is another law than the one that follows "UK"
    read = _read_tail(text[at - before :], before)
    return (read[0], read[1] + at - before) if read is not None else None


@lru_cache(maxsize=4096)  # what a reference ends with is the name of a law, and few are cited again and again
def _read_tail(text: str, at: int) -> tuple[Law, int] | None:
    return _read_title(text, at)


def _read_title(text: str, at: int) -> tuple[Law, int] | None:
    return (
        _union_at(text, at, after_article=True)
        or laws.titled_at(text, at)
        or laws.instrument_at(text, at)
        or laws.chapter_at(text, at)
        or initialled_at(text, at)
    )


def _titles_in(text: str) -> list[tuple[Law, int]]:
    """The laws that a text names by title or number, each with the end of its name."""
    found: list[tuple[Law, int]] = []
    floor = 0
    for match in _LAW_STARTS.finditer(text):
        at = match.start()
        if at < floor:
            continue
        read = laws.titled_before(text, at, floor)
        law = (read[0], read[2]) if read else laws.instrument_at(text, at) or union_laws.act_at(text, at)
        if law is not None:
            found.append(law)
            floor = law[1]
    return found


def _union_at(text: str, at: int, *, after_article: bool) -> tuple[Law, int] | None:
    """An act of the Union. A bare "GDPR" may be the Union's or the United Kingdom's own version of it."""
    if match := _UK_GDPR.match(text, at):
        return Law("urn:lex:gb:eur-2016-679", match[0]), match.end()
    named = union_laws.short_name_at(text, at, after_article=after_article)
    if named is not None:
        return replace(named[0], certain=False), named[1]
    treaty = union_laws.treaty_at(text, at) if after_article else None
    return union_laws.act_at(text, at) or union_laws.celex_at(text, at) or treaty


JURISDICTION: Jurisdiction = UnitedKingdom()
