"""Federal law of the United States: U.S.C., C.F.R., public laws, and what it recognises without a URN scheme."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_lowercase

from rag.jurisdictions.grammar.parties import BY_PARTIES, party_queries
from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.grammar.targets import below, corpus_of, plain_number, range_ends
from rag.jurisdictions.us.american import AmericanJurisdiction
from rag.jurisdictions.us.comments import with_comments
from rag.jurisdictions.us.own import CodeName
from rag.jurisdictions.us.queries import bare_section_queries, regulation_queries, reporter_queries
from rag.jurisdictions.us.reader import Item
from rag.law.designators import read_designators
from rag.law.jurisdiction import ONWARDS, FoundReference, Jurisdiction, ReferenceContext
from retrieval.references.doubts import PART_NAMED
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

# Rules of procedure of the federal courts: "Fed. R. Civ. P. 12(b)(6)", "FRE 403", "Federal Rule of Evidence 403".

_PROCEDURE = r"P(?:roc(?:edure|\.)|\.|\b)"
_KINDS = {
    "Civil Procedure": rf"Civ(?:il|\.)\s?{_PROCEDURE}",
    "Criminal Procedure": rf"Crim(?:inal|\.)\s?{_PROCEDURE}",
    "Evidence": r"Evid(?:ence|\.)",
    "Appellate Procedure": rf"App(?:ellate|\.)\s?{_PROCEDURE}",
    "Bankruptcy Procedure": rf"Bankr(?:uptcy|\.)\s?{_PROCEDURE}",
}
_INITIALS = {
    "FRCP": "Civil Procedure", "FRCIVP": "Civil Procedure", "FRCRP": "Criminal Procedure",
    "FRCRIMP": "Criminal Procedure", "FRE": "Evidence", "FRAP": "Appellate Procedure", "FRBP": "Bankruptcy Procedure",
}  # fmt: skip
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
_DOTTED_RANGE = re.compile(r"(\d{1,9}\.)(\d{1,9}[a-z]?)-(?:\1|\.)?(\d{1,9}[a-z]?)\Z")
_HYPHENED = re.compile(r"(\d{1,9})([A-Za-z]{0,3})-(\d{1,9})([A-Za-z]{0,3})\Z")

# Acts that are a title of the U.S.C. in positive law, or share its numbers, by name. An earlier act of the same name
# numbered its sections differently and is none of these.
_TITLES_BY_NAME = (
    (r"\bI\.?\s?R\.?\s?C\.?|\bInternal\sRevenue\sCode(?:\sof\s1986)?(?!\sof\s\d)", "urn:lex:us:26usc"),
    (r"\bBankruptcy\sCode(?!\sof\s\d)", "urn:lex:us:11usc"),
    (r"\bCopyright\sAct(?:\sof\s1976)?(?!,?\s(?:of\s)?\d)", "urn:lex:us:17usc"),
    (r"\bPatent\sAct(?:\sof\s1952)?(?!,?\s(?:of\s)?\d)", "urn:lex:us:35usc"),
)

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("16 CFR 310.4(b)", ("urn:lex:us:16cfr:310.4:b",)),
    ("16 C.F.R. § 310.4(b)(1)(i)", ("urn:lex:us:16cfr:310.4:b:1:i",)),
    ("12 CFR part 1002", ("urn:lex:us:12cfr:part_1002",)),
    ("12 CFR part 1002, subpart B", ("urn:lex:us:12cfr:part_1002:subpart_b",)),
    ("17 U.S.C. § 106(1)(A)", ("urn:lex:us:17usc:106:1:a",)),
    ("section 106 of title 17", ("urn:lex:us:17usc:106",)),
    ("title 17, United States Code, section 106", ("urn:lex:us:17usc:106",)),
    ("paragraph (1) of section 106 of title 17, United States Code", ("urn:lex:us:17usc:106:1",)),
    ("5 U.S.C. §§ 8344 and 8468", ("urn:lex:us:5usc:8344", "urn:lex:us:5usc:8468")),
    (
        "11 CFR 100.5 (b), (c) and (d)",
        ("urn:lex:us:11cfr:100.5:b", "urn:lex:us:11cfr:100.5:c", "urn:lex:us:11cfr:100.5:d"),
    ),
    (
        "52 U.S.C. 30101(4), (5), and (6)",
        ("urn:lex:us:52usc:30101:4", "urn:lex:us:52usc:30101:5", "urn:lex:us:52usc:30101:6"),
    ),
    ("26 CFR § 1.1031(a)-1", ("urn:lex:us:26cfr:1.1031-a--1",)),
    ("Pub. L. 115–264, title I, § 103(b)", ("urn:lex:us:pl-115-264:103:b",)),
    ("section 1000(a)(9) of Public Law 106-113", ("urn:lex:us:pl-106-113:1000:a:9",)),
    ("Priv. L. 96-164", ("urn:lex:us:pvtl-96-164",)),
    ("7 U.S.C. §§ 2011-2030", ("urn:lex:us:7usc:2011", "urn:lex:us:7usc:2030")),
    ("12 CFR 1002.5-1002.7", ("urn:lex:us:12cfr:1002.5", "urn:lex:us:12cfr:1002.7")),
    ("12 C.F.R. pt. 1002, subpt. A", ("urn:lex:us:12cfr:part_1002:subpart_a",)),
    ("12 CFR part 1002, Appendix B", ("urn:lex:us:12cfr:part_1002:appendix_b",)),
    ("26 CFR 301.6103-1", ("urn:lex:us:26cfr:301.6103-1",)),
    ("I.R.C. § 61(a)", ("urn:lex:us:26usc:61:a",)),
    ("section 107 of the Copyright Act", ("urn:lex:us:17usc:107",)),
    ("section 24 of the Copyright Act of 1909", ()),
    ("50 U.S.C. App. 595 and section 5 of the Clayton Act", ()),
    ("pursuant to this section and paragraph (b)", ()),
)


def _decision(citation: str) -> TagQuery:
    tag = TagFilter("alias", TagFilterOp.EQ, citation)
    return TagQuery(language="en", kind="decision", tag_filters=TagFilterSet((tag,)))


def _bare(code: str, titles: int, rest: str, hint: str) -> TagQuery:
    urns = [f"urn:lex:us:{title}{code}:{rest}" for title in range(1, titles + 1)]
    tags = TagFilterSet((TagFilter("urn", TagFilterOp.IN, urns),))
    return TagQuery(language="en", tag_filters=tags, hint=f"section of the {hint}, its title not named")


QUERY_EXAMPLES: tuple[tuple[str, tuple[TagQuery, ...]], ...] = (
    ("16 CFR 310.4(b)", (urn_query("urn:lex:us:16cfr:310.4:b", language="en"),)),
    ("347 U.S. 483", (_decision("347 U.S. 483"),)),
    ("347 US 483 (1954)", (_decision("347 U.S. 483"),)),
    ("Brown v. Board of Education, 347 U. S. 483 (1954)", (_decision("347 U.S. 483"),)),
    ("158 F.3d 674 (2d Cir. 1998)", (_decision("158 F.3d 674"),)),
    ("310.4(b)", (_bare("cfr", 50, "310.4:b", "C.F.R."),)),
    ("§ 106(1)", (_bare("usc", 54, "106:1", "U.S. Code"),)),
    (
        "4 How., 12",
        (
            TagQuery(
                language="en",
                kind="decision",
                tag_filters=TagFilterSet((TagFilter("alias", TagFilterOp.IN, ["4 How., 12", "4 How. 12"]),)),
            ),
        ),
    ),
    ("259 US 188, 190", (_decision("259 U.S. 188"),)),
    ("410 U.S. 113, 120-21 (1973)", (_decision("410 U.S. 113"),)),
    (
        "Brown vs. Board of Education",
        (
            TagQuery(
                language="en",
                kind="decision",
                tag_filters=TagFilterSet((TagFilter("case_name", TagFilterOp.ILIKE, "Brown v. Board of Education"),)),
                hint=BY_PARTIES,
            ),
        ),
    ),
    (
        "17 U.S.C. § 107 (2018)",
        (
            urn_query(
                "urn:lex:us:17usc:107",
                language="en",
                hint="the edition of 2018 is named; this is the text in the store",
            ),
        ),
    ),
    ("Title 11 CFR 100.5(b)", (urn_query("urn:lex:us:11cfr:100.5:b", language="en"),)),
    ("17 U.S.C. § 106 et seq.", (urn_query("urn:lex:us:17usc:106", language="en", hint=ONWARDS),)),
    ("7 U.S.C. 612c note", (urn_query("urn:lex:us:7usc:612c", language="en", hint="an uncertain reading"),)),
    ("486329", ()),
    ("347 apples 483", ()),
)


class UnitedStates(AmericanJurisdiction):
    """Federal law."""

    code = "us"
    name = "United States"
    examples = EXAMPLES
    query_examples = QUERY_EXAMPLES
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
