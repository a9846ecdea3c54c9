"""Federal law of the United States: U.S.C., C.F.R., public laws, and what it recognises without a URN scheme."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, cast

from rag.jurisdictions.grammar.kernel import Item, below, corpus_of, plain_number, range_ends
from rag.jurisdictions.grammar.parties import party_queries
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.tables import LawEntry, laws_of
from rag.jurisdictions.us.american import AmericanJurisdiction
from rag.jurisdictions.us.own import CodeName, state_externals, state_queries
from rag.law.designators import read_designators
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext, ReferencePart
from rag.law.nodes import ParsedNode
from rag.law.patterns import lazy
from retrieval.tag_query import PART_NAMED, TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

if TYPE_CHECKING:
    from eyecite.models import Edition, FullCaseCitation, TokenExtractor
    from eyecite.tokenizers import Tokenizer

# Rules of procedure of the federal courts: "Fed. R. Civ. P. 12(b)(6)", "FRE 403", "Federal Rule of Evidence 403".

_PROCEDURE = r"P(?:roc(?:edure|\.)|\.|\b)"
_KINDS = {
    "Civil Procedure": rf"Civ(?:il|\.)\s?{_PROCEDURE}",
    "Criminal Procedure": rf"Crim(?:inal|\.)\s?{_PROCEDURE}",
    "Evidence": r"Evid(?:ence|\.)",
    "Appellate Procedure": rf"App(?:ellate|\.)\s?{_PROCEDURE}",
    "Bankruptcy Procedure": rf"Bankr(?:uptcy|\.)\s?{_PROCEDURE}",
}
_LAWS = laws_of("us").laws
_RULES = "Federal Rules of "
_INITIALS = {
    initials: entry.title.removeprefix(_RULES) for entry in _LAWS if not entry.id for initials in entry.abbreviations
}
_NAME = rf"(?:Fed(?:eral|\.)\s?R(?:ules?|\.)\s?(?:of\s)?(?:{'|'.join(_KINDS.values())}))"
_SHORT = r"(?:F\.?\s?R\.?\s?(?:C(?:iv|r|rim)?\.?\s?P|E|A\.?\s?P|B\.?\s?P)\b\.?)"
_NUMBER = r"(?P<number>\d{1,4}(?:\.\d{1,2})?)"
# The number of a reporter's page follows a volume: "2 F.R.D. 10"; no volume is before a rule.
_PLACE = r"\d{1,4}(?:\.\d)?(?:\(\w{1,4}\)){0,6}"
RULES = (
    rf"(?<!\d )\b(?:{_NAME}|F\.?R\.?(?:C\.?P|E|A\.?P|B\.?P)\b\.?),?\s(?:[Rr]ule\s)?{_PLACE}"
    rf"|\b[Rr]ules?\s{_PLACE}(?:,|\sof\sthe)\s{_NAME}"
)
_FIRST = lazy(
    rf"(?:the\s)?(?P<name>{_NAME}|{_SHORT}),?\s(?:rule\s|r\.\s)?{_NUMBER}(?![\d/-])(?=\(|\s\(|\Z)", re.IGNORECASE
)
_LAST = lazy(
    rf"(?:rule|r\.)\s{_NUMBER}(?P<path>(?:\s?\(\w{{1,4}}\))*)(?:,|\sof\sthe)?\s(?P<name>{_NAME}|{_SHORT})\Z",
    re.IGNORECASE,
)


def rule_queries(reference: str) -> list[TagQuery]:
    """The query for a string that names a rule; empty where it names none."""
    text = reference.strip().rstrip(" ,;?")
    match = _FIRST.match(text)
    path, end = read_designators(text, match.end()) if match else ((), 0)
    if match is None or text[end:].strip(" ."):
        match = _LAST.match(text.rstrip("."))
        path = read_designators(match["path"], 0)[0] if match else ()
    if match is None:
        return []
    title = f"Federal Rules of {_kind(match['name'])}"
    number = TagFilter("rule_number", TagFilterOp.EQ, match["number"])
    part = f"; {PART_NAMED}" if path else ""
    return [
        TagQuery(
            language="en", kind="legislation", tag_filters=TagFilterSet((number, *named)), hint=f"{words} {title}{part}"
        )
        for words, named in (
            ("a rule of the", (TagFilter("act_title", TagFilterOp.ILIKE, title),)),
            ("a rule of this number; the store does not say whether it is of the", ()),
        )
    ]


def _kind(name: str) -> str:
    """The subject of the rules that a name or its initials stand for."""
    letters = re.sub(r"[^A-Z]", "", name.upper())
    if letters in _INITIALS:
        return _INITIALS[letters]
    return next(kind for kind, words in _KINDS.items() if re.search(words, name, re.IGNORECASE))


# References that name no URN: decisions by reporter, and section numbers without their code.

# What may be a volume, a reporter and a page: cheap to test before the reporters' own tables, which load in a second.
_REPORTED = lazy(r"(?:\d{1,4}[A-Z]?(?:-\d{1,2})?[\s-]{0,3})?[A-Z][^§]{1,120}\d[\w-]{0,4}(?:\s\([^()]{1,40}\))?\Z")
_LOOSE = lazy(r"(?P<volume>\d{1,4})\s(?P<reporter>[A-Za-z][\w.'’& ]{0,30}?)\s(?P<page>\d{1,5})\Z")
_COURT_AND_YEAR = lazy(r"\s{0,3}\([^()]{0,60}\d{4}\)\s{0,3}\.?\Z")
_PINPOINT = lazy(r",\s{0,3}(?:at\s)?\*?\d{1,5}(?:\s?[-–]\s?\d{1,5})?(?:\s?(?:&\s)?nn?\.\s?\d{1,3})?\Z")
_BESIDE = lazy(r"(?:,\s?\d{1,4}(?:[-–]\d{1,4})?)?,?\s\Z")  # between parallel citations, the page of a passage included
_CASE_NAME = lazy(r".{1,200}?\sv\.?\s.{1,200}?,\s{1,3}(?=\d{1,4}\s)")
_OPINION = lazy(r"\s\([^()]{0,60}\b(?:concurring|dissenting|plurality|curiam|opinion|quoting|citing)\b[^()]{0,60}\)\Z")
_LETTERED = lazy(
    r"Reg(?:ulation|\.)?\s[A-Z]{1,2}(?:-[A-Z]{1,2})?,?\s(?:§{1,2}\s?|sec(?:tion|\.)\s)?(?P<number>\d{2,4}\.\d{1,4})"
)
_OF_LETTERED = lazy(
    r"(?:§\s?|sec(?:tion|\.)\s)(?P<place>\d{2,4}\.\d{1,4}(?:\(\w{1,5}\)){0,6})\sof\s"
    r"(?P<regulation>Reg(?:ulation|\.)?\s[A-Z]{1,2}(?:-[A-Z]{1,2})?)",
    re.IGNORECASE,
)
_BY_LETTER = "section of a lettered regulation, its title not named"
_BARE = lazy(
    r"(?P<word>§{1,2}\s?|sections?\s|secs?\.\s?)?(?P<number>\d{1,5}[a-z]{0,3}(?:[.-]\d{1,4}[a-z]{0,3}){0,2})"
    r"(?=\(|\s\(|\Z)",
    re.IGNORECASE,
)
_TITLES = {"usc": range(1, 55), "cfr": range(1, 51)}
_NO_TITLE = {
    "usc": "section of the U.S. Code, its title not named",
    "cfr": "section of the C.F.R., its title not named",
}


@cache
def _tokenizer() -> Tokenizer:
    from eyecite.tokenizers import EXTRACTORS, Tokenizer, default_tokenizer  # pyright: ignore[reportUnknownVariableType]

    extractors = cast("list[TokenExtractor]", EXTRACTORS)
    places = {id(extractor): place for place, extractor in enumerate(extractors)}

    class InOrder(Tokenizer):
        """The library keeps what may read a text in a set, and takes the first reading of the same words.

        Of "1 Ill. (Breese) 456" that is the reporter named first, the official one.
        """

        def get_extractors(self, text: str) -> list[TokenExtractor]:
            words = _folded(text.lstrip("0123456789 "))

            def place(extractor: TokenExtractor) -> tuple[bool, int]:
                known = cast("dict[str, list[Edition]]", extractor.extra)  # pyright: ignore[reportUnknownMemberType]
                editions = (*known.get("exact_editions", ()), *known.get("variation_editions", ()))
                first = any(words.startswith(_folded(edition.short_name)) for edition in editions)
                return not first, places[id(extractor)]

            return sorted(default_tokenizer.get_extractors(text), key=place)

    return InOrder()


def reporter_queries(reference: str) -> list[TagQuery]:
    """The decision that a string names by volume, reporter and page, whatever its spelling: `347 US 483 (1954)`.

    Returns:
        One confident query by the reporter's standard abbreviation; nothing where the string is more than that.
    """
    # A name before the citation and a court after it only repeat what the numbers say.
    core = _COURT_AND_YEAR.sub("", _OPINION.sub("", reference))
    name = _CASE_NAME.match(core)
    core = core[name.end() :] if name else core
    # After a comma may stand the page of the passage, but in old citations the first page as well.
    for text in dict.fromkeys((core, _PINPOINT.sub("", core))):
        if _REPORTED.match(text) and (found := _reported(text)):
            return list(found)
        if (loose := _LOOSE.match(text)) and (reporter := _reporters().get(_folded(loose["reporter"]))):
            return list(_reported(f"{loose['volume']} {reporter} {loose['page']}"))
    return []


@cache
def _reporters() -> dict[str, str]:
    """Reporters by their letters and digits, as people leave out full stops, spaces and capitals: "45 Cal App 4th 123".

    What several reporters are called is left out, unless it is the standard abbreviation of one.
    """
    tables = cast("Any", importlib.import_module("reporters_db"))  # which has no types
    editions: dict[str, str] = tables.EDITIONS
    variations: dict[str, list[str]] = tables.VARIATIONS_ONLY
    named: dict[str, set[str]] = {}
    for variation, standards in variations.items():
        named.setdefault(_folded(variation), set()).update(standards)
    standard: dict[str, set[str]] = {}
    for edition in editions:
        standard.setdefault(_folded(edition), set()).add(edition)
    return {words: next(iter(meant)) for words, meant in (named | standard).items() if len(meant) == 1}


def _folded(words: str) -> str:
    return "".join(char for char in words.casefold() if char.isalnum())


@lru_cache(maxsize=4096)
def _reported(citation: str) -> tuple[TagQuery, ...]:
    from eyecite import get_citations
    from eyecite.models import FullCaseCitation

    found = [
        candidate
        for candidate in get_citations(citation, tokenizer=_tokenizer())
        if isinstance(candidate, FullCaseCitation)
    ]
    if not _in_one_row(citation, [citation.span() for citation in found]):
        return ()
    case = found[0]
    names = list(dict.fromkeys(name for citation in found for name in _names(citation)))
    tag = TagFilter("alias", TagFilterOp.IN, names) if len(names) > 1 else TagFilter("alias", TagFilterOp.EQ, names[0])
    # "1 Ill. (Breese) 456" names two reporters, and either may be what the store knows the decision by.
    doubtful = "(" in case.matched_text() and "(" not in _reporter(case)
    hint = "decision in the reporter named in brackets" if doubtful else None
    return (TagQuery(language="en", kind="decision", tag_filters=TagFilterSet((tag,)), hint=hint),)


def _in_one_row(citation: str, spans: list[tuple[int, int]]) -> bool:
    """Whether citations make up a string: one, or the same decision in parallel reporters, with commas between."""
    ends = [0, *(end for _, end in spans)]
    between = [citation[end:start] for end, (start, _) in zip(ends, spans, strict=False)]
    whole = bool(spans) and ends[-1] == len(citation.rstrip(" ."))
    return whole and not between[0] and all(_BESIDE.match(name) for name in between[1:])


def _names(case: FullCaseCitation) -> tuple[str, str]:
    groups = cast("dict[str, str | None]", case.groups)  # pyright: ignore[reportUnknownMemberType]
    parts = (groups.get("volume"), _reporter(case), groups.get("page"))
    return case.corrected_citation(), " ".join(part for part in parts if part)


def _reporter(case: FullCaseCitation) -> str:
    return cast("str", case.corrected_reporter())  # pyright: ignore[reportUnknownMemberType]


def regulation_queries(reference: str) -> list[TagQuery]:
    """What a section of a lettered regulation may be: `Reg. Z § 1026.17(c)`, by bank or securities regulators."""
    if turned := _OF_LETTERED.fullmatch(reference.rstrip(" .")):
        reference = f"{turned['regulation']} § {turned['place']}"
    match = _LETTERED.match(reference)
    if match is None:
        return []
    path, end = read_designators(reference, match.end())
    if reference[end:].strip(" ."):
        return []
    place = below("urn", match["number"], *path).removeprefix("urn")
    tag = TagFilter("urn", TagFilterOp.IN, [f"urn:lex:us:{title}cfr{place}" for title in (12, 17)])
    return [TagQuery(language="en", tag_filters=TagFilterSet((tag,)), hint=_BY_LETTER)]


def bare_section_queries(reference: str) -> list[TagQuery]:
    """What a federal section number without its title may mean: `§ 106`, `1026.17(c)(1)`.

    Returns:
        One candidate over all titles of the code that numbers like this; nothing for a bare whole number, which may
        be anything.
    """
    match = _BARE.match(reference)
    if match is None:
        return []
    number = match["number"]
    path, end = read_designators(reference, match.end())
    pointed = "." in number
    if reference[end:].strip(" .") or not (match["word"] or pointed or path):
        return []
    code = "cfr" if pointed else "usc"
    place = below("urn", number, *path).removeprefix("urn")
    if not place:
        return []
    tag = TagFilter("urn", TagFilterOp.IN, [f"urn:lex:us:{title}{code}{place}" for title in _TITLES[code]])
    return [TagQuery(language="en", tag_filters=TagFilterSet((tag,)), hint=_NO_TITLE[code])]


# Official interpretations of a part of the C.F.R., and how they cite: comments, `paragraph 15(c)(3)`, model forms. One
# is in a supplement of its part and comments on a section: its "this section" is that section.

_PATH = r"(?:\([A-Za-z0-9]{1,5}\)){0,6}"
_SUPPLEMENT = "supplement_i"
# A comment is cited by what it comments on, a hyphen, and its number: comment 2(c)(1)(ii)-1.i.
_COMMENT = lazy(
    rf"\bcomments?\s(?P<place>\d{{1,3}}{_PATH})(?:-(?P<number>\d{{1,3}}(?:\.[A-Za-z0-9]{{1,4}}){{0,3}}))?(?![\w(-])"
)
# The number of the section without that of the part: paragraph 15(c)(3) is § 1002.15(c)(3).
_PARAGRAPH = lazy(rf"\b[Pp]aragraphs?\s(?P<place>(?P<section>\d{{1,3}})(?=\(){_PATH})(?![\w(-])")
_FORM = lazy(
    r"\b(?:[Mm]odels?|(?:[Mm]odel\s|[Ss]ample\s)?[Ff]orms?|[Mm]odel\s[Nn]otices?|[Ss]amples?)\s"
    r"(?P<place>(?P<appendix>[A-Z])-(?P<number>\d{1,2}))(?![\w-])"
)
_COMMENTARY = lazy(r"\b(?:[Cc]ommentary|[Oo]fficial\s[Ii]nterpretations?)\s(?:to|on|of)\s(?:the\s)?\Z")
_REACH = 40  # characters that the words before a section have at most
_WORDS_AND_DIGITS = lazy(r"\w+")


def with_comments(found: list[FoundReference], text: str, here: ReferenceContext | None) -> list[FoundReference]:
    """References as read elsewhere, with those of official interpretations added and put right.

    Args:
        found: what the grammar of the code read, in order.
        here: where it stands; without a place, nothing is added, and what is only commented on is no longer certain.
    """
    read = [_of_commentary(reference, text, here) for reference in found]
    part = here.index.nearest(here.node, "part") if here is not None else None
    if here is None or part is None:
        return read
    read = [_of_commented_section(reference, part, here) for reference in read]
    own = [*_matches(_COMMENT, text, part, here, _comment), *_matches(_PARAGRAPH, text, part, here, _paragraph)]
    own.extend(_matches(_FORM, text, part, here, _form))
    apart = [match for match in own if not any(match.start < two.end and two.start < match.end for two in read)]
    return sorted((*read, *apart), key=lambda one: one.start) if apart else read


def _of_commentary(one: FoundReference, text: str, here: ReferenceContext | None) -> FoundReference:
    """ "commentary to § 1013.7(a)" names what is said of the section, not the section."""
    own = one.text[:5].lower() == "this "  # "the commentary to this paragraph (e)" does name the paragraph
    if own or _COMMENTARY.search(text, max(0, one.start - _REACH), one.start) is None:
        return one
    parts = tuple(replace(part, urn=_commentary_urn(part.urn, here)) for part in one.parts)
    sure = here is not None and all(part.urn for part in parts)
    return replace(one, parts=parts, confident=one.confident and sure) if sure else replace(one, confident=False)


def _commentary_urn(urn: str, here: ReferenceContext | None) -> str:
    *corpus, number = urn.split(":")[:5]
    part, _, section = number.partition(".")
    commented = "-".join((section, *urn.split(":")[5:]))
    if here is None or not section:
        return ""
    node = here.index.node(below(f"{':'.join(corpus)}:part_{part}", _SUPPLEMENT, commented))
    return node.urn if node is not None else ""


def _of_commented_section(one: FoundReference, part: ParsedNode, here: ReferenceContext) -> FoundReference:
    """ "paragraph (p)(1) of this section" in an interpretation: of the section it comments on."""
    supplement = f"{part.urn}:{_SUPPLEMENT}:"
    if not here.node.urn.startswith(supplement):
        return one
    parts = tuple(_commented(each, supplement, part, here) for each in one.parts)
    moved = parts != one.parts
    return replace(one, parts=parts, confident=all(each.urn for each in parts)) if moved else one


def _commented(one: ReferencePart, supplement: str, part: ParsedNode, here: ReferenceContext) -> ReferencePart:
    if not one.urn.startswith(supplement) or here.index.node(one.urn) is not None:
        return one
    section, *path = one.urn.removeprefix(supplement).split(":")
    node = here.index.node(_section_urn(part, section.split("-")[0], *path))
    return one if node is None else replace(one, urn=node.urn)


def _section_urn(part: ParsedNode, section: str, *path: str) -> str:
    corpus, _, number = part.urn.rpartition(":part_")
    return below(corpus, f"{number}.{section}", *path) if corpus else ""


Locate = Callable[[re.Match[str], ParsedNode, ReferenceContext], ParsedNode | None]


def _matches(
    pattern: re.Pattern[str], text: str, part: ParsedNode, here: ReferenceContext, locate: Locate
) -> Iterator[FoundReference]:
    for match in pattern.finditer(text):
        node = locate(match, part, here)
        if node is not None:
            given = ReferencePart(match.start("place"), match.end(), node.urn)
            yield FoundReference(match.start(), match.end(), match[0], (given,), "relative", True)


def _comment(match: re.Match[str], part: ParsedNode, here: ReferenceContext) -> ParsedNode | None:
    numbers = match["number"].split(".") if match["number"] else []
    commented = "-".join(_WORDS_AND_DIGITS.findall(match["place"]))
    return here.index.node(below(part.urn, _SUPPLEMENT, commented, *numbers))


def _paragraph(match: re.Match[str], part: ParsedNode, here: ReferenceContext) -> ParsedNode | None:
    section, *path = _WORDS_AND_DIGITS.findall(match["place"])
    return here.index.node(_section_urn(part, section, *path))


def _form(match: re.Match[str], part: ParsedNode, here: ReferenceContext) -> ParsedNode | None:
    """The form that bears this name in its heading: paragraphs of an appendix are numbered as well."""
    node = here.index.node(below(part.urn, f"appendix_{match['appendix']}", match["number"]))
    named = node is not None and re.search(rf"(?<![\w-]){match['place']}(?![\w-])", node.heading)
    return node if named else None


USC = "urn:lex:us:usc"  # the codes as wholes; only their titles are corpora
CFR = "urn:lex:us:cfr"

_LAW_NUMBER = r"(?:No\.?\s?)?(?P<title>\d{1,3}\s?[-\u2010-\u2015]\s?\d{1,4})(?!\w)"
_PUBLIC = r"(?:\bPub(?:lic|\.)?\s{0,3}L(?:aw|\.)?|\bP\.?\s?L\.?)\s{0,3}" + _LAW_NUMBER
_PRIVATE = r"\bPriv(?:ate|\.)?\s{0,3}L(?:aw|\.)?\s{0,3}" + _LAW_NUMBER
# A title's appendix was numbered on its own; it is no part of the title.
_APPENDIX = r"(?<![\w.])\d{1,2}\s?U\.?\s?S\.?\s?C\.?(?:\s?A\.)?,?\s?App(?:endix|\.|(?!\w))"
_CODE_TITLE = lazy(r"urn:lex:us:\d{1,2}[a-z]?(?P<code>usc|cfr)")
_NOT_THE_PRESENT = lazy(r"\b(?:former(?:ly)?|proposed|old|prior|then)\s{1,2}\Z", re.IGNORECASE)
_WORD_AFTER_POINT = lazy(r"\.\D")
_DOTTED_RANGE = lazy(r"(\d{1,9}\.)(\d{1,9}[a-z]?)-(?:\1|\.)?(\d{1,9}[a-z]?)\Z")
_HYPHENED = lazy(r"(\d{1,9})([A-Za-z]{0,3})-(\d{1,9})([A-Za-z]{0,3})\Z")


def _by_name(entry: LawEntry) -> tuple[str, str]:
    """The pattern of an act that is a title of the U.S.C. in positive law, or shares its numbers, and its URN.

    An earlier act of the same name numbered its sections differently and is none of these.
    """
    own = rf"(?:\sof\s{entry.number})?" if entry.number else ""
    another = r"(?!\sof\s\d)" if entry.title.endswith("Code") else r"(?!,?\s(?:of\s)?\d)"
    initials = [r"\b" + r"\s?".join(rf"{letter}\.?" for letter in letters) for letters in entry.abbreviations]
    title = r"\s".join(map(re.escape, entry.title.split()))
    return "|".join([*initials, rf"\b{title}{own}{another}"]), f"urn:lex:us:{entry.id}"


def act_queries(reference: str) -> list[TagQuery]:
    """The title of the U.S.C. that an act is, by its name and year: `Copyright Act of 1976`; a candidate without it."""
    plain = reference.strip(" .,;?").removeprefix("the ")
    for entry, (pattern, urn) in zip(_TITLED, _TITLES_BY_NAME, strict=True):
        if re.fullmatch(pattern, plain, re.IGNORECASE):
            certain = not entry.number or plain.endswith(entry.number) or entry.title.endswith("Code")
            return [urn_query(urn, language="en", hint=None if certain else "an act whose year is not named")]
    return []


_TITLED = tuple(entry for entry in _LAWS if entry.id)
_TITLES_BY_NAME = tuple(_by_name(entry) for entry in _TITLED)


class UnitedStates(AmericanJurisdiction):
    """Federal law."""

    code = "us"
    name = "United States"
    main_levels: Mapping[str, str] = {"cfr": "part"}
    codes = (
        CodeName(_APPENDIX, lambda _: ""),
        CodeName(_PUBLIC, lambda number: f"urn:lex:us:pl-{plain_number(number)}", alone=True, act=True),
        CodeName(_PRIVATE, lambda number: f"urn:lex:us:pvtl-{plain_number(number)}", alone=True, act=True),
        CodeName(
            r"(?:\bTitle\s)?(?<![\w.])(?P<title>\d{1,2})\s?"
            r"(?:U\.?\s?S\.?\s?C(?:\.|ode\b|[AS]\b|(?!\w))(?:\s?[AS]\.)?|U\.S\. Code\b)",
            lambda title: f"urn:lex:us:{title}usc",
            alone=True,
        ),
        CodeName(
            r"(?:\bTitle\s)?(?<![\w.])(?P<title>\d{1,2})\s?C\.?\s?F\.?\s?R(?:\.|(?!\w))",
            lambda title: f"urn:lex:us:{title}cfr",
        ),
        *(CodeName(rf"(?:{name})(?=,?\s(?:§|sec))", lambda _, urn=urn: urn, act=True) for name, urn in _TITLES_BY_NAME),
        CodeName(r"\bTreas(?:ury|\.)?\sReg(?:ulations?\b|s?\.)", lambda _: "urn:lex:us:26cfr"),
    )
    named_codes = (
        (r"United States Code\b|U\.\s?S\.\s?C(?:ode\b|\.)|U\.S\. Code\b", USC),
        (r"Code of Federal Regulations\b|C\.F\.R\.", CFR),
        (r"(?P<title>\d{1,2})\s?U\.?\s?S\.?\s?C(?:\.(?:\s?A\.)?|ode\b|(?!\w))", "urn:lex:us:{title}usc"),
        *_TITLES_BY_NAME,
        (_PUBLIC, "urn:lex:us:pl-{title}"),
        (_PRIVATE, "urn:lex:us:pvtl-{title}"),
    )
    externals = (
        RULES,
        r"(?<![\w.])\d{1,3}\s(?:Stat\.|Fed\.\s?Reg\.|FR|F\.R\.)\s\d{1,6}\b",
        r"(?<![\w.])\d{1,4}\s(?:U\.\s?S\.|S\.\s?Ct\.|F\.(?:\s?(?:2d|3d|4th))?|"
        r"F\.\s?Supp\.(?:\s?(?:2d|3d))?|A\.(?:2d|3d))\s\d{1,5}\b",
        r"\b(?:U\.S\.|United States) Const(?:itution|\.),?\s(?:art(?:icle|\.)|amend(?:ment|\.))\s?"
        r"[IVXL]+\b(?:,?\s§\s?\d+)?",
        *state_externals(),
    )

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """Provisions by URN, decisions by reporter, and what a section number without its code may mean."""
        reference = unframed(reference, self.language)
        own = (act_queries, reporter_queries, rule_queries, regulation_queries, bare_section_queries, state_queries)
        for read in (super().tag_queries, *own):
            if queries := read(reference):
                return queries
        return party_queries(reference, "v.")

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """As everywhere; inside a part of the C.F.R., its official interpretations, too."""
        found = super().find_references(text, here)
        for reference in found:
            if (
                reference.start
                and reference.confident
                and _NOT_THE_PRESENT.search(text, max(0, reference.start - 12), reference.start)
            ):
                reference.confident = False
        return with_comments(found, text, here)

    def section_urn(self, corpus: str, number: str, within: str) -> str:
        """The URN of a section; a C.F.R. number without a point is a part, and the U.S.C. has no numbers with one."""
        plain = number.replace("–", "-").replace("—", "-")
        if corpus in (USC, CFR):
            return ""
        if not corpus.endswith("cfr"):
            title = _CODE_TITLE.match(corpus)
            pointed = "." in plain and (title is not None or _WORD_AFTER_POINT.search(plain) is not None)
            return "" if pointed else below(corpus, plain)
        if "." in plain:
            return below(corpus, plain)
        # Inside a title of the C.F.R. "section 315" is a section of the act that the regulation implements.
        return below(corpus, f"part_{plain}") if within == corpus else ""

    def split(self, corpus: str, item: Item) -> list[Item]:
        """A range printed as one number.

        In the U.S.C. `2011-2030`, `10a-10c` and `1681-1681x`, and not `288-1`, `1735f-7` or `2000e-5`; in the C.F.R.
        `1002.5-1002.7` and `1002.5-.7`, and not `301.6103-1`; parts as `1600-1699`, but title 41 has parts `60-250`.
        """
        if item.path or item.number.isalnum():
            return [item]
        number = plain_number(item.number)
        if corpus.endswith("cfr") and (dotted := _DOTTED_RANGE.match(number)):
            part, first, last = dotted.groups()
            if item.number.count(".") < 2 or int(first.rstrip(ascii_lowercase)) > int(last.rstrip(ascii_lowercase)):
                return [item]
            return range_ends(item, part + first, part + last)
        match = _HYPHENED.match(number)
        law = ":pl-" in corpus and match is not None and not match[2] and not match[4]
        if match is None or corpus.endswith(":41cfr") or not (law or corpus.endswith(("usc", "cfr"))):
            return [item]
        first, last = int(match[1]), int(match[3])
        if (last > first and not match[2]) or (last >= first and match[4]):
            return range_ends(item, match[1] + match[2], match[3] + match[4])
        return [item]

    def doubtful(self, corpus: str, number: str) -> bool:
        """A plain number with two digits after the hyphen that count on from its own last two."""
        match = _HYPHENED.match(plain_number(number)) if corpus.endswith("usc") else None
        if match is None or match[2] or match[4] or not 1 < len(match[3]) < len(match[1]):
            return False
        return int(match[3]) > int(match[1][-len(match[3]) :])

    def title_urn(self, number: str, code: str, here: ReferenceContext | None) -> str:
        """The corpus of a title; without a named code, of the United States Code, but only in the federal codes."""
        if not number.isdigit() or code not in ("", USC, CFR):
            return ""
        if not code and here is not None and not _CODE_TITLE.match(here.index.corpus_urn):
            return ""
        return f"urn:lex:us:{number}{'cfr' if code == CFR else 'usc'}"

    def container_urn(self, within: str, level: str, number: str) -> str:
        """The URN of a container; parts of the C.F.R. are numbered through their title."""
        if level == "part" and corpus_of(within).endswith("cfr"):
            return below(corpus_of(within), f"part_{number}")
        return super().container_urn(within, level, number)

    def bare_container(self, level: str, number: str, here: ReferenceContext) -> str:
        """A part of the same title of the C.F.R., as "part 114" says inside it."""
        corpus = here.index.corpus_urn
        return (
            below(corpus, f"part_{number}")
            if level == "part" and corpus.endswith("cfr") and number[0].isdigit()
            else ""
        )


JURISDICTION: Jurisdiction = UnitedStates()
