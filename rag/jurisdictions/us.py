"""Federal law of the United States: U.S.C., C.F.R., public laws, and what it recognises without a URN scheme."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rag.jurisdictions.american import AmericanJurisdiction, CodeName, below, corpus_of
from rag.jurisdictions.base import Jurisdiction, ReferenceContext

USC = "urn:lex:us:usc"  # the codes as wholes; only their titles are corpora
CFR = "urn:lex:us:cfr"

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
    ("Pub. L. 101-505 and section 5 of the Clayton Act", ()),
    ("pursuant to this section and paragraph (b)", ()),
)


class UnitedStates(AmericanJurisdiction):
    """Federal law."""

    code = "us"
    name = "United States"
    examples = EXAMPLES
    main_levels: Mapping[str, str] = {"cfr": "part"}
    codes = (
        CodeName(
            r"(?<![\w.])(?P<title>\d{1,2})\s?(?:U\.?\s?S\.?\s?C(?:\.|ode\b|(?!\w))(?:\s?A\.)?|U\.S\. Code\b)",
            lambda title: f"urn:lex:us:{title}usc",
            alone=True,
        ),
        CodeName(
            r"(?<![\w.])(?P<title>\d{1,2})\s?C\.?\s?F\.?\s?R(?:\.|(?!\w))", lambda title: f"urn:lex:us:{title}cfr"
        ),
    )
    named_codes = (
        (r"United States Code\b|U\.\s?S\.\s?C(?:ode\b|\.)|U\.S\. Code\b", USC),
        (r"Code of Federal Regulations\b|C\.F\.R\.", CFR),
    )
    externals = (
        r"\b(?:Pub(?:lic|\.)\s?L(?:aw|\.)|P\.\s?L\.)\s?(?:No\.\s?)?\d{1,3}[-–]\d{1,4}",
        r"(?<![\w.])\d{1,3}\s(?:Stat\.|Fed\.\s?Reg\.|FR|F\.R\.)\s\d{1,6}\b",
        r"(?<![\w.])\d{1,4}\s(?:U\.\s?S\.|S\.\s?Ct\.|F\.(?:\s?(?:2d|3d|4th))?|"
        r"F\.\s?Supp\.(?:\s?(?:2d|3d))?|A\.(?:2d|3d))\s\d{1,5}\b",
        r"\b(?:U\.S\.|United States) Const(?:itution|\.),?\s(?:art(?:icle|\.)|amend(?:ment|\.))\s?"
        r"[IVXL]+\b(?:,?\s§\s?\d+)?",
    )

    def section_urn(self, corpus: str, number: str, within: str) -> str:
        """The URN of a section; a C.F.R. number without a point is a part."""
        plain = re.sub("[–—]", "-", number)
        if corpus in (USC, CFR):
            return ""
        if not corpus.endswith("cfr"):
            return below(corpus, plain) if "." not in plain else ""
        if "." in plain:
            return below(corpus, plain)
        # Inside a title of the C.F.R. "section 315" is a section of the act that the regulation implements.
        return below(corpus, f"part_{plain}") if within == corpus else ""

    def title_urn(self, number: str, code: str, here: ReferenceContext | None) -> str:
        """The corpus of a title; without a named code, of the United States Code."""
        if not number.isdigit() or code not in ("", USC, CFR):
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
