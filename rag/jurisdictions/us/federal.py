"""Federal law of the United States: U.S.C., C.F.R., public laws, and what it recognises without a URN scheme."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_lowercase

from rag.jurisdictions.grammar.parties import party_queries
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.grammar.targets import below, corpus_of, plain_number, range_ends
from rag.jurisdictions.tables import LawEntry, laws_of
from rag.jurisdictions.us.american import AmericanJurisdiction
from rag.jurisdictions.us.comments import with_comments
from rag.jurisdictions.us.own import CodeName
from rag.jurisdictions.us.queries import bare_section_queries, regulation_queries, reporter_queries
from rag.jurisdictions.us.reader import Item
from rag.law.designators import read_designators
from rag.law.jurisdiction import FoundReference, Jurisdiction, ReferenceContext
from retrieval.references.doubts import PART_NAMED
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery

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
# The number of a reporter's page follows a volume: "2 F.R.D. 10"; no volume stands before a rule.
_PLACE = r"\d{1,4}(?:\.\d)?(?:\(\w{1,4}\)){0,6}"
RULES = (
    rf"(?<!\d )\b(?:{_NAME}|F\.?R\.?(?:C\.?P|E|A\.?P|B\.?P)\b\.?),?\s(?:[Rr]ule\s)?{_PLACE}"
    rf"|\b[Rr]ules?\s{_PLACE}(?:,|\sof\sthe)\s{_NAME}"
)
_FIRST = re.compile(
    rf"(?:the\s)?(?P<name>{_NAME}|{_SHORT}),?\s(?:rule\s|r\.\s)?{_NUMBER}(?![\d/-])(?=\(|\s\(|\Z)", re.IGNORECASE
)
_LAST = re.compile(
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


USC = "urn:lex:us:usc"  # the codes as wholes; only their titles are corpora
CFR = "urn:lex:us:cfr"

_LAW_NUMBER = r"(?:No\.?\s?)?(?P<title>\d{1,3}\s?[-\u2010-\u2015]\s?\d{1,4})(?!\w)"
_PUBLIC = r"(?:\bPub(?:lic|\.)?\s{0,3}L(?:aw|\.)?|\bP\.?\s?L\.?)\s{0,3}" + _LAW_NUMBER
_PRIVATE = r"\bPriv(?:ate|\.)?\s{0,3}L(?:aw|\.)?\s{0,3}" + _LAW_NUMBER
# A title's appendix was numbered on its own; it is no part of the title.
_APPENDIX = r"(?<![\w.])\d{1,2}\s?U\.?\s?S\.?\s?C\.?(?:\s?A\.)?,?\s?App(?:endix|\.|(?!\w))"
_CODE_TITLE = re.compile(r"urn:lex:us:\d{1,2}[a-z]?(?P<code>usc|cfr)")
_NOT_THE_PRESENT = re.compile(r"\b(?:former(?:ly)?|proposed|old|prior|then)\s{1,2}\Z", re.IGNORECASE)
_WORD_AFTER_POINT = re.compile(r"\.\D")
_DOTTED_RANGE = re.compile(r"(\d+\.)(\d+[a-z]?)-(?:\1|\.)?(\d+[a-z]?)\Z")
_HYPHENED = re.compile(r"(\d+)([A-Za-z]{0,3})-(\d+)([A-Za-z]{0,3})\Z")


def _by_name(entry: LawEntry) -> tuple[str, str]:
    """The pattern of an act that is a title of the U.S.C. in positive law, or shares its numbers, and its URN.

    An earlier act of the same name numbered its sections differently and is none of these.
    """
    own = rf"(?:\sof\s{entry.number})?" if entry.number else ""
    another = r"(?!\sof\s\d)" if entry.title.endswith("Code") else r"(?!,?\s(?:of\s)?\d)"
    initials = [r"\b" + r"\s?".join(rf"{letter}\.?" for letter in letters) for letters in entry.abbreviations]
    title = r"\s".join(map(re.escape, entry.title.split()))
    return "|".join([*initials, rf"\b{title}{own}{another}"]), f"urn:lex:us:{entry.id}"


_TITLES_BY_NAME = tuple(_by_name(entry) for entry in _LAWS if entry.id)


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
    )

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """Provisions by URN, decisions by reporter, and what a section number without its code may mean."""
        reference = unframed(reference, self.language)
        for read in (super().tag_queries, reporter_queries, rule_queries, regulation_queries, bare_section_queries):
            if queries := read(reference):
                return queries
        return party_queries(reference, "v.")

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """As everywhere; inside a part of the C.F.R., its official interpretations, too."""
        found = super().find_references(text, here)
        for one in found:
            if one.start and one.confident and _NOT_THE_PRESENT.search(text, max(0, one.start - 12), one.start):
                one.confident = False
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
