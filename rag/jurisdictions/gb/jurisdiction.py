"""The United Kingdom: acts, instruments and their schedules, retained Union law, decisions by neutral citation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from weakref import WeakKeyDictionary

from rag.jurisdictions.gb import laws
from rag.jurisdictions.gb.acts import title_key
from rag.jurisdictions.grammar import union_law
from rag.jurisdictions.grammar.kernel import Item, Law, Reading, doubted, of_document
from rag.jurisdictions.grammar.parties import BY_PARTIES, party_queries
from rag.jurisdictions.grammar.provisions import Grammar
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.grammar.statutory import Cited, Passage, StatutoryJurisdiction
from rag.law.jurisdiction import (
    SEVERAL,
    DocumentIndex,
    Jurisdiction,
    ReferenceContext,
    queries_of_references,
)
from rag.law.nodes import ParsedNode
from rag.law.passages import without_quoted
from rag.law.patterns import lazy, verbose
from rag.law.scopes import WHOLE_LAW
from retrieval.tag_query import PART_NAMED, TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

_UNITS = ("section", "article", "regulation", "rule", "clause")
_BELOW_UNIT = frozenset({"subsection", "paragraph", "subparagraph", "point", "head"})

GRAMMAR = Grammar(
    words={
        "section": r"sections?|sects?\.|secs?\.|(?-i:ss?\.?|S[sS]?(?:\.|(?=\s)))(?=\s{0,2}[A-Z]{0,2}\d)",
        "article": r"articles?|arts?\.?(?=\s{0,2}\d)",
        "regulation": r"regulations?|regs?\.?(?=\s{0,2}\d)",
        "rule": r"rules?|(?-i:rr?\.?)(?=\s{0,2}\d)",
        "clause": r"clauses?",
        "schedule": r"schedules?|scheds?\.?|schs?\.?",
        "annex": r"annex(?:es)?|appendix",
        "part": r"parts?|pts?\.?(?=\s{0,2}[\dIVX])",
        "chapter": r"chapters?|chs?\.?(?=\s{0,2}[\dIVX])",
        "title": r"titles?",
        "subdivision": r"subdivisions?",
        "division": r"divisions?",
        "recital": r"recitals?",
        "subsection": r"sub-?(?:section|regulation|rule|clause|article)s?|sub-?ss?\.?(?=\s{0,2}\()",
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
    singular=r"section|sec\.|s\.?|article|art\.?|regulation|reg\.?|rule|r\.?|clause|schedule|sched\.?|sch\.?|part|chapter|"
             r"sub-?(?:section|regulation|rule|clause|article)|paragraph|para\.?|sub-?paragraph|point|annex|recital|head",
)  # fmt: skip

_LAW_STARTS = lazy(rf"{laws.STARTS}|{union_law.STARTS}")
_LEADING = lazy(r"\Athe\s{1,3}", re.IGNORECASE)
# The rules of court are cited by number alone: "CPR 3.4(2)(c)".
_CPR = lazy(r"(?<!\w)CPR(?=,?\s{1,3}(?:\d{1,2}\.\d|r|Part\s|Pt\s))")
_STARTS = rf"{_CPR.pattern}|(?<!\w)UK[ \u00a0-]GDPR(?!\w)|{laws.INITIALS}|{union_law.STARTS}"
_INSTRUMENT = lazy(r"S\.?\s?I|Statutory\s")
_SHORT = 80  # characters behind a number that are compared with what was read before
_ACTS = frozenset({"ukpga", "asp", "anaw", "asc", "nia", "mwa", "ukla", "ukcm", "aosp", "aep", "apgb", "apni", "mnia"})
_LISTING = lazy(r"\bprovisions\s(?:of|in|contained\sin)\s{1,3}(?:the\s{1,3})?(?=[A-Z\d])")
_NAMELY = lazy(r"(?:\s?\([^()]{0,80}\))?,?\s?(?:namely|that\sis\sto\ssay)?,?\s?[—–:-]")
_BARE_NEUTRAL = lazy(r"\(?(?P<year>(?:19|20)\d\d)\)?\s(?P<rest>[A-Z]{3,6}\s.{1,60})\Z")
# "2005 No. 263, reg. 12", as an instrument is headed: no word says in which series it has its number.
_BARE_INSTRUMENT = lazy(
    r"(?:\A|(?<=\sof\s)|(?<=,\s))(?P<year>(?:19|20)\d\d)\s(?:No\.?|n[o°])\s?(?P<number>\d{1,4})(?![\d/])", re.IGNORECASE
)
# "R (Miller) v Secretary of State [2017] UKSC 5": the name only repeats what the neutral citation says.
_CASE_NAME = lazy(r"[A-Z(][^\[\]§]{0,200}?\sv\.?\s[^\[\]§]{1,200}?,?\s(?=\[(?:19|20)\d\d\]\s[A-Z])")
_UK_GDPR = lazy(r"(?:the\s)?UK[ \u00a0-]GDPR(?!\w)")


# What a document says of the laws it names: "“the 1998 Act” means the Police (Northern Ireland) Act 1998 (c. 32)".

_MEANS = lazy(
    r"[“‘\"'](?:the\s)?(?P<name>[^“”‘’\"'\n]{2,60})[”’\"']\s{1,3}"
    r"(?:means|refers to|is a reference to)\s{1,3}(?:the\s{1,3})?"
)
# After a law's name: "(in this Act referred to as “the 1998 Act”)", "(“the principal Act”)".
_CALLED = lazy(
    r"\s{0,3}(?:\[\d{1,3}\]|"
    r"\(\d{1,3}\))?\s{0,3}\(\s?(?:[a-z ,]{0,60})?[“‘\"'](?:the\s)?(?P<name>[^“”‘’\"'\n]{2,60})[”’\"']\s?\)"
)
# What may be the number of an act or instrument after its title.
_NUMBER = lazy(r"\((?:c\.|ch\.|asp|anaw|asc|nawm|mwa|S\.|N\.|W\.)|/\d")
_LAW_WORD = lazy(
    r"\b(?:Act|Order|Regulations?|Rules|Directive|Decision|Measure|Scheme|Treaty|Convention|"
    r"Code)\b"
)

ReadTitle = Callable[[str, int], tuple[Law, int] | None]
FindTitles = Callable[[str], list[tuple[Law, int]]]  # a text -> the laws it names, each with the end of its name


@dataclass(frozen=True, slots=True)
class _Said:
    """What one document says of laws."""

    pattern: re.Pattern[str] | None  # its names
    standing: re.Pattern[str] | None  # its names with their article, as they stand alone in a sentence
    names: dict[str, Law]
    numbers: dict[str, Law]  # title as `title_key` gives it -> the law with the number that follows the title once


class _DocumentNames:
    """Names and numbers by document; read once for each."""

    def __init__(self, read: ReadTitle, find: FindTitles) -> None:
        self._read = read
        self._find = find
        self._said = of_document(self._collect)

    def at(self, text: str, position: int, index: DocumentIndex) -> tuple[Law, int] | None:
        """The law that the document calls by the name at this offset."""
        said = self._said(index)
        match = said.pattern.match(text, position) if said.pattern else None
        return (said.names[match["name"]], match.end()) if match else None

    def standing(self, text: str, index: DocumentIndex) -> Iterator[tuple[int, int, Law]]:
        """Begin, end and law of every name of the document that a text uses after "the"."""
        said = self._said(index)
        for match in said.standing.finditer(text) if said.standing else ():
            yield match.start("name"), match.end(), said.names[match["name"]]

    def numbered(self, law: Law, index: DocumentIndex) -> Law:
        """A law cited by its title alone, with the URN that its number gives it elsewhere in the document."""
        if law.urn or law.role != "named" or not law.title:
            return law
        known = self._said(index).numbers.get(title_key(law.title))
        return law if known is None else replace(law, urn=known.urn, certain=known.certain)

    def _collect(self, index: DocumentIndex) -> _Said:
        names: dict[str, set[Law]] = {}
        numbers: dict[str, set[Law]] = {}
        for node in index.tree.nodes:
            text = node.text
            quoted = any(quote in text for quote in "“‘\"'")
            if not quoted and not _NUMBER.search(text):
                continue
            for law, end in self._find(text):
                if law.urn and law.title:
                    numbers.setdefault(title_key(law.title), set()).add(replace(law, title=""))
                called = _CALLED.match(text, end) if quoted else None
                if called is not None and _LAW_WORD.search(called["name"]):
                    names.setdefault(called["name"], set()).add(law)
            for match in _MEANS.finditer(text) if quoted else ():
                read = self._read(text, match.end()) if _LAW_WORD.search(match["name"]) else None
                if read is not None and read[0].role == "named":
                    names.setdefault(match["name"], set()).add(read[0])
        # What parts of the document say differently tells nothing here.
        laws = {name: next(iter(found)) for name, found in names.items() if len({law.urn for law in found}) == 1}
        by_title = {
            title: next(iter(found)) for title, found in numbers.items() if len({law.urn for law in found}) == 1
        }
        named = {name: law if law.urn else by_title.get(title_key(law.title), law) for name, law in laws.items()}
        if not named:
            return _Said(None, None, named, by_title)
        either = "|".join(re.escape(name) for name in sorted(named, key=len, reverse=True))
        pattern = lazy(rf"(?:the\s)?(?P<name>{either})(?![\w’'-])")
        standing = lazy(rf"(?<![“‘\"'\w])[Tt]he\s{{1,3}}(?P<name>{either})(?![\w’”'-]|\s{{1,3}}\d{{4}})")
        return _Said(pattern, standing, named, by_title)


# Provisions that amend other law: a bare "section 5" in them is a section of the law that they amend.

_UNKNOWN = Law("", role="unread")
_AMENDING = verbose(r"""
    # "substitute the words", "there is inserted—"
    \b(?:substitut|insert|omit|add)(?:e|s|ed)?\b [\s\u2060]{0,3}
    (?: [“\"‘—–:,;] | \Z
    | (?:the\s)? (?:words?|figures?|entry|entries|definitions?|following|(?:sub-?)?paragraphs?|(?:sub)?sections?)\b )
    | \bfor\s (?:the\swords?\s)? [“\"‘]
    | \bafter\s [“\"‘]
    | \b(?:is|are|shall\sbe|be)\s (?:further\s)? amended [\s\u2060]? (?:as\b|in\saccordance|by\b|—|:|,|\.|\Z)
    | \b(?:is|are|shall\sbe)\s (?:hereby\s)? (?:repealed|omitted)\b
    | \b(?:Order|Regulations|Rules)\b [^.]{0,80} \b(?:is|are)\s (?:hereby\s)? revoked\b
    | \bthere\s(?:shall\sbe|is|are)\s (?:inserted|substituted|added)\b
    | \bshall\sbe\s (?:inserted|substituted|added)\b
    | \bcease\sto\shave\seffect\b
""")  # fmt: skip
_HEADING = lazy(r"\b(?:repeals?|revocations?|(?:minor |consequential )amendments?)\b", re.IGNORECASE)


class _AmendedLaws:
    """What the provisions of a document amend; worked out once for each node."""

    def __init__(self, find_laws: Callable[[str], list[tuple[Law, int]]]) -> None:
        self._find = find_laws
        self._known: WeakKeyDictionary[DocumentIndex, dict[str, Law | None]] = WeakKeyDictionary()
        self._own: WeakKeyDictionary[DocumentIndex, dict[str, tuple[bool, tuple[Law, ...]]]] = WeakKeyDictionary()

    def at(self, here: ReferenceContext) -> Law | None:
        """The law that the provision amends, without URN where it cannot be told; None where it amends none."""
        known = self._known.setdefault(here.index, {})
        if here.node.urn not in known:
            known[here.node.urn] = self._amended(here)
        return known[here.node.urn]

    def _amended(self, here: ReferenceContext) -> Law | None:
        amending = False
        for node in here.index.chain(here.node):
            if node is here.index.root:
                break
            own, laws = self._read(node, here.index)
            amending = amending or own
            if amending and laws:
                return laws[0] if len({law.urn or law.title for law in laws}) == 1 else _UNKNOWN
        return _UNKNOWN if amending else None

    def _read(self, node: ParsedNode, index: DocumentIndex) -> tuple[bool, tuple[Law, ...]]:
        own = self._own.setdefault(index, {})
        if node.urn not in own:
            text = f"{node.heading}\n{without_quoted(node)}"
            amends = _AMENDING.search(text) is not None or _HEADING.search(node.heading) is not None
            # What is inserted into other law names the law that inserts it.
            own[node.urn] = amends, tuple(law for law, _ in self._find(text) if law.urn != index.corpus_urn)
        return own[node.urn]


class UnitedKingdom(StatutoryJurisdiction):
    """The law of England and Wales, Scotland and Northern Ireland."""

    code = "gb"
    name = "United Kingdom"
    main_levels: Mapping[str, str] = {"": WHOLE_LAW}

    def __init__(self) -> None:
        super().__init__(GRAMMAR, f"{laws.STARTS}|{_STARTS}")
        self._names = _DocumentNames(_title_at, _titles_in)
        self._amended = _AmendedLaws(_titles_in)

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
            or laws.initialled_at(text, at)
            or union_law.ecli_at(text, at)
            or union_law.case_at(text, at)
            or union_law.journal_at(text, at)
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
        reference = _SHORTENED.sub(_in_full, _LEADING.sub("", unframed(reference, self.language)))
        if bare := _BARE_NEUTRAL.match(reference):
            queries = self.tag_queries(f"[{bare['year']}] {bare['rest']}")
            return doubted(queries, "neutral citation, its year without brackets")
        if name := _CASE_NAME.match(reference):
            return self.tag_queries(reference[name.end() :])
        if bare := _BARE_INSTRUMENT.search(reference):
            series = f"{reference[: bare.start()]}S.I. {bare['year']}/{bare['number']}{reference[bare.end() :]}"
            queries = [other for one in self.tag_queries(series) for other in (one, *_in_series(one, "ssi", "nisr"))]
            return doubted(queries, "instrument whose series is not named")
        cited = self.cited(reference, None)
        whole = reference.strip().rstrip(" .,;?")
        if len(cited) > 1 and _reported_too(cited, reference):
            cited, reference = cited[:1], cited[0].reference.text
            whole = reference
        if len(cited) > 1:
            together = queries_of_references([citation.reference for citation in cited], reference, self.language)
            return together or party_queries(reference, "v")
        if cited and (reported := _report_queries(whole, cited[0])):
            return reported
        if not cited or cited[0].reference.start or cited[0].reference.end < len(whole):
            if turned := _in_order(reference):
                return doubted(self.tag_queries(turned[0]), turned[1])
            return _title_without_year(reference) or party_queries(reference, "v")
        if _outside_union_law(cited[0]):
            return []
        by_title = _queries_by_title(cited[0])
        found = queries_of_references([cited[0].reference], reference, self.language)
        by_number = cited[0].law is not None and _INSTRUMENT.match(cited[0].law.title) is not None
        return by_title or (_with_other_series(found) if by_number else found)


# What is written short in a title: "Police (NI) Act 2000", "Control of Noise at Work Regs 2005".
_SHORTENED = lazy(
    r"\((?P<place>N\.?I\.?|S|W)\)(?=\s(?:Act|Order|Reg|Rules))|\b(?P<word>Regs)\b\.?(?=,?\s(?:19|20)\d\d)"
)
_PLACES = {"N": "(Northern Ireland)", "S": "(Scotland)", "W": "(Wales)"}


def _in_full(short: re.Match[str]) -> str:
    return _PLACES[short["place"][0]] if short["place"] else "Regulations"


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
        and all(cited.law is not None and not cited.law.urn and cited.reading is None for cited in others)
        and all(
            reference[one.reference.end : after.reference.start].strip(" ,;:") == "" for one, after in pairwise(cited)
        )
        and others[-1].reference.end >= len(reference.rstrip(" .,;"))
    )


def _with_other_series(found: list[TagQuery]) -> list[TagQuery]:
    """ "SI 2002/1357" may be Welsh or Northern Irish: the three series share their numbers, so that one can exist."""
    more: list[TagQuery] = []
    for tag_query in found:
        more.extend((tag_query, *_in_series(tag_query, "wsi", "nisi")))
    return more


def _in_series(tag_query: TagQuery, *kinds: str) -> Iterator[TagQuery]:
    """The query for an instrument of the United Kingdom by URN, for those of the same number in other series."""
    [urn] = tag_query.tag_filters.filters[0].values
    for kind in kinds if urn.startswith("urn:lex:gb:uksi-") else ():
        yield urn_query(urn.replace(":uksi-", f":{kind}-", 1), language=tag_query.language, hint=tag_query.hint)


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
        or laws.initialled_at(text, at)
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
        law = (read[0], read[2]) if read else laws.instrument_at(text, at) or union_law.act_at(text, at)
        if law is not None:
            found.append(law)
            floor = law[1]
    return found


def _union_at(text: str, at: int, *, after_article: bool) -> tuple[Law, int] | None:
    """An act of the Union. A bare "GDPR" may be the Union's or the United Kingdom's own version of it."""
    if match := _UK_GDPR.match(text, at):
        return Law("urn:lex:gb:eur-2016-679", match[0]), match.end()
    named = union_law.short_name_at(text, at, after_article=after_article)
    if named is not None:
        return replace(named[0], certain=False), named[1]
    treaty = union_law.treaty_at(text, at) if after_article else None
    return union_law.act_at(text, at) or union_law.celex_at(text, at) or treaty


# Provisions as queries by the title of their act, where no number tells its URN.

_NUMBER_IN_TITLE = lazy(r"\((?:c\.|asp|S\.|N\.)")
_TAGS = {
    "section": "section_number",
    "article": "article_number",
    "regulation": "regulation_number",
    "rule": "rule_number",
}
_CONTAINERS = ("part", "chapter")
_INSIDE = ("part_number", "chapter_number", "paragraph_number", "schedule_number", *_TAGS.values())


_UNIT = (
    r"(?:ss?\.?|sections?|regs?\.?|regulations?|sch(?:edule|\.)?|para(?:graph|\.)?|arts?\.?|articles?|rr?\.?|rules?)"
)
_LAW_FIRST = lazy(
    rf"(?P<law>[A-Z][A-Za-z]{{1,7}},?\s(?:18|19|20)\d\d),?\s(?P<unit>{_UNIT}\s?\d.{{0,60}})", re.IGNORECASE
)
_AMENDED = lazy(r",?\s\(?as\samended(?:\sby\s[^\d]{0,80})?\)?\Z", re.IGNORECASE)
_NAMED_DECISION = lazy(
    r"(?P<name>[A-Z(][^\[\]§]{1,200}?),?\s(?P<citation>\[(?:19|20)\d\d\]\s(?:UK|EW|CS|NI|HCJ|EAT)\w.{0,60})"
)
# One word before several sections: "s 1, 2 and 3 Theft Act 1968".
_ONE_WORD = verbose(r"""
    (?P<word> s|sec|section|reg|regulation|r|rule|art|article ) \.? \s?
    (?P<list> \d{1,3}[A-Z]{0,2} (?:\(\w{1,3}\)){0,4}
      (?: (?: ,\s(?:and\s)? | \s(?:and|or|&)\s ) \d{1,3}[A-Z]{0,2} (?:\(\w{1,3}\)){0,4} ){1,8} )
    (?= ,? \s (?:of\s)? (?:the\s)? [A-Z] )                     # the act's title
""")  # fmt: skip
_PLURALS = {
    "s": "ss", "sec": "sections", "section": "sections", "reg": "regs", "regulation": "regulations", "r": "rr",
    "rule": "rules", "art": "arts", "article": "articles",
}  # fmt: skip
_REPORT = lazy(
    r"(?:(?P<name>[^\[\]()§]{2,150}?\sv\.?\s[^\[\]()§]{2,150}?),?\s)?(?P<report>[\[(](?:18|19|20)\d\d[\])].{4,40})"
)
_PATH = r"(?:\(\w{1,4}\)){0,6}"
_TITLE = r"[A-Z][\w',()& -]{2,80}\sAct"
_NO_YEAR = verbose(rf"""
    # "s 1 of the Theft Act"
    (?: {_UNIT} \s? (?P<first>\d{{1,4}}[A-Z]{{0,3}}) (?P<path>{_PATH}) ,? \s (?:of\s)? (?:the\s)? ) (?P<title>{_TITLE})
    # "Theft Act, s 1"
    | (?P<title2>{_TITLE}) ,? \s {_UNIT} \s? (?P<second>\d{{1,4}}[A-Z]{{0,3}}) (?P<path2>{_PATH})
""")  # fmt: skip
_NAME_UNREAD = "decision by its citation; the name before it is not compared"
_YEAR_UNNAMED = "an act whose year is not named"


def _in_order(reference: str) -> tuple[str, str] | None:
    """A reference as the grammar reads it, with the doubt that this leaves; None for any other string.

    "CA 2006 s 172" has its act first, "Re Smith [2001] EWCA Civ 1" a name before it, and "as amended" says nothing.
    """
    if several := _ONE_WORD.match(reference):
        return f"{_PLURALS[several['word']]} {several['list']}{reference[several.end() :]}", ""
    if first := _LAW_FIRST.fullmatch(reference):
        return f"{first['unit']} {first['law']}", ""
    if amended := _AMENDED.search(reference):
        return reference[: amended.start()], ""
    if named := _NAMED_DECISION.fullmatch(reference):
        return named["citation"], _NAME_UNREAD
    return None


def _report_queries(reference: str, cited: Cited) -> list[TagQuery]:
    """The candidates for a decision that only a law report names: by the report, and by the parties before it."""
    match = _REPORT.fullmatch(reference.strip(" .,;?"))
    law = cited.law
    if match is None or law is None or law.urn or law.tags or not match["report"].startswith(law.title):
        return []
    filters = [TagFilter("alias", TagFilterOp.EQ, match["report"])]
    if match["name"]:
        filters.append(TagFilter("case_name", TagFilterOp.ILIKE, match["name"]))
    hint = "decision by the law report named"
    return [
        TagQuery(language="en", kind="decision", tag_filters=TagFilterSet((one,)), hint=hint if not at else BY_PARTIES)
        for at, one in enumerate(filters)
    ]


def _title_without_year(reference: str) -> list[TagQuery]:
    """The candidate for a section of an act named without its year: "s 1 Theft Act" may be of several."""
    match = _NO_YEAR.fullmatch(reference.rstrip(" .,;?"))
    if match is None:
        return []
    number, title = match["first"] or match["second"], match["title"] or match["title2"]
    filters = (
        TagFilter("section_number", TagFilterOp.EQ, number),
        TagFilter("act_title", TagFilterOp.ILIKE, f"{title} "),
    )
    hint = f"{_YEAR_UNNAMED}; {PART_NAMED}" if match["path"] or match["path2"] else _YEAR_UNNAMED
    return [TagQuery(language="en", kind="legislation", tag_filters=TagFilterSet(filters), hint=hint)]


def _queries_by_title(one: Cited) -> list[TagQuery]:
    """The queries for a provision of a law cited by its title.

    Returns:
        The specification's query for a whole section or its like; for a part of one whose law has no URN, the whole
        as a candidate that says so. Nothing for what a URN says better.
    """
    law, reading = one.law, one.reading
    if law is None:
        return []
    if "neutral_citation" in dict(law.tags):
        # The division is in brackets after the number, which is why the value ends in one.
        cited = TagFilter("neutral_citation", TagFilterOp.ILIKE, dict(law.tags)["neutral_citation"])
        filters = TagFilterSet((cited, TagFilter("case_name", TagFilterOp.EXISTS)))
        return [
            TagQuery(language="en", kind="decision", tag_filters=filters, hint="decision whose division is not named")
        ]
    if not law.title or law.role != "named" or not _is_title(law):
        return []
    if reading is None:
        return [] if law.urn else [_law_query(law)]
    queries = [_provision(law, reading, item) for item in reading.items]
    if any(query is None for query in queries):
        return []
    found = [query for query in queries if query is not None]
    smaller = any(query.hint for query in found)
    if law.urn and (smaller or len(found) > 1 or ("(" in one.reference.text[len(law.title) :] and not _plain(one))):
        return []
    if len(found) > 1:
        return [_with_hint(query, SEVERAL) for query in found]
    return found


def _plain(one: Cited) -> bool:
    return not _NUMBER_IN_TITLE.search(one.reference.text)


def _is_title(law: Law) -> bool:
    return re.search(r"\s\d{4}\Z", law.title) is not None and "/" not in law.title


def _law_query(law: Law) -> TagQuery:
    # Only the root of an act has its year among its tags.
    filters = (TagFilter("act_title", TagFilterOp.ILIKE, law.title), TagFilter("year", TagFilterOp.EXISTS))
    return TagQuery(language="en", tag_filters=TagFilterSet(filters))


def _provision(law: Law, reading: Reading, item: Item) -> TagQuery | None:
    """The whole section, schedule, schedule paragraph, part or chapter that an item is or lies in."""
    chain = [(reading.level, item.number, item.path), *((unit.level, unit.number, unit.path) for unit in reading.units)]
    filters: list[TagFilter] = []
    smaller = False
    schedule = next(
        (number or path[0].strip("~") for level, number, path in chain if level == "schedule" and (number or path)), ""
    )
    container = chain[0][0] in _CONTAINERS  # what a section lies in says no more than its number
    for level, number, path in chain:
        if level in _CONTAINERS and (container or not schedule):
            if container:
                filters.append(TagFilter(f"{level}_number", TagFilterOp.EQ, number))
        elif level in _TAGS:
            filters.append(TagFilter(_TAGS[level], TagFilterOp.EQ, number))
            smaller = smaller or bool(path)
        elif level == "paragraph" and schedule and path:
            filters.append(TagFilter("paragraph_number", TagFilterOp.EQ, path[0]))
            smaller = smaller or len(path) > 1
        elif level != "schedule":
            smaller = True
    if schedule:
        filters.append(TagFilter("schedule_number", TagFilterOp.EQ, schedule))
    if not filters:
        return None
    if chain[0][0] in (*_CONTAINERS, "schedule"):  # what lies in it has its number too
        named = {tag_filter.key for tag_filter in filters}
        filters.extend(TagFilter(key, TagFilterOp.NOT_EXISTS) for key in _INSIDE if key not in named)
    filters.append(TagFilter("act_title", TagFilterOp.ILIKE, law.title))
    hint = PART_NAMED if smaller else None
    kind = None if container else "legislation"  # a part without words of its own is none
    return TagQuery(language="en", kind=kind, tag_filters=TagFilterSet(tuple(filters)), hint=hint)


def _with_hint(query: TagQuery, hint: str) -> TagQuery:
    return TagQuery(language=query.language, kind=query.kind, tag_filters=query.tag_filters, hint=hint)


JURISDICTION: Jurisdiction = UnitedKingdom()
