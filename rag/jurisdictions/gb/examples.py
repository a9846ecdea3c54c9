"""Written forms of references to British law, with what they are read as; the contract test runs them."""

from __future__ import annotations

from rag.jurisdictions.grammar.parties import BY_PARTIES
from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

_THEFT = "urn:lex:gb:ukpga-1968-60"

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("section 1 of the Theft Act 1968", (f"{_THEFT}:1",)),
    ("s 1(2)(a) Theft Act 1968", (f"{_THEFT}:1:2:a",)),
    ("Theft Act 1968, s. 1", (f"{_THEFT}:1",)),
    ("s. 1 of the Theft Act, 1968", (f"{_THEFT}:1",)),
    ("S.1 THEFT ACT 1968", (f"{_THEFT}:1",)),
    ("ss 1 and 2 of the Theft Act 1968", (f"{_THEFT}:1", f"{_THEFT}:2")),
    ("sections 1 to 6 of the Theft Act 1968", (f"{_THEFT}:1", f"{_THEFT}:6")),
    ("section\u00a01(1) of the Theft Act\u00a01968", (f"{_THEFT}:1:1",)),
    ("paragraph (a) of subsection (2) of section 1 of the Theft Act 1968", (f"{_THEFT}:1:2:a",)),
    ("1968 c. 60", (_THEFT,)),
    ("Widgets (Control) Act 1999 (c. 12)", ("urn:lex:gb:ukpga-1999-12",)),
    ("section 12A(3) of the Widgets (Control) Act 1999 (c. 12)", ("urn:lex:gb:ukpga-1999-12:12a:3",)),
    ("Sch 2 para 3(1) Data Protection Act 2018", ("urn:lex:gb:ukpga-2018-12:sch.2:3:1",)),
    ("paragraph 3(1) of Schedule 2 to the Data Protection Act 2018", ("urn:lex:gb:ukpga-2018-12:sch.2:3:1",)),
    ("Part 2 of the Equality Act 2010", ("urn:lex:gb:ukpga-2010-15:part_2",)),
    ("Chapter 1 of Part 2 of the Equality Act 2010", ("urn:lex:gb:ukpga-2010-15:part_2:chapter_1",)),
    ("SI 2013/3134, reg 5", ("urn:lex:gb:uksi-2013-3134:5",)),
    ("S.I. 2013 No. 3134", ("urn:lex:gb:uksi-2013-3134",)),
    ("S.S.I. 2004/12", ("urn:lex:gb:ssi-2004-12",)),
    ("S.I. 2002/1357 (W. 133)", ("urn:lex:gb:wsi-2002-1357",)),
    ("S.I. 1998/1504 (N.I. 9)", ("urn:lex:gb:nisi-1998-1504",)),
    ("section 6 of the Land Reform (Scotland) Act 2003 (asp 2)", ("urn:lex:gb:asp-2003-2:6",)),
    ("rule 3.4(2)(c) of the Civil Procedure Rules 1998", ("urn:lex:gb:uksi-1998-3132:3.4:2:c",)),
    ("[2024] UKSC 1", ("urn:lex:gb:uksc-2024-1",)),
    ("[2024] UKSC 1 at [12]", ("urn:lex:gb:uksc-2024-1:12",)),
    ("[2019] EWCA Civ 10", ("urn:lex:gb:ewca-civ-2019-10",)),
    ("[2022] EWHC 621 (Ch)", ("urn:lex:gb:ewhc-ch-2022-621",)),
    ("[2003] EWHC 2527 (Admin)", ("urn:lex:gb:ewhc-admin-2003-2527",)),
    ("[2022] UKFTT 00226 (TC)", ("urn:lex:gb:ukftt-tc-2022-226",)),
    ("[2015] CSIH 64", ("urn:lex:gb:csih-2015-64",)),
    ("Article 6(1)(f) of the UK GDPR", ("urn:lex:gb:eur-2016-679:6:1:f",)),
    ("Article 65(1) of Regulation (EC) No 216/2008", ("urn:lex:eu:32008r0216:65:1",)),
    ("section 3 of the Invented Things Act 1987", ()),
    ("[1992] Ch 560 and [2019] EWHC 3177", ()),
    ("subsection (2) of this section", ()),
)


def _by_title(title: str, hint: str | None = None, **numbers: str) -> TagQuery:
    tags = [TagFilter(f"{key}_number", TagFilterOp.EQ, value) for key, value in numbers.items()]
    filters = TagFilterSet((*tags, TagFilter("act_title", TagFilterOp.ILIKE, title)))
    return TagQuery(language="en", kind="legislation", tag_filters=filters, hint=hint)


def _urn(urn: str, hint: str | None = None) -> TagQuery:
    return urn_query(urn, language="en", hint=hint)


_PART = "the whole provision, of which a part is named"
_LIST = "one of several provisions named"

QUERY_EXAMPLES: tuple[tuple[str, tuple[TagQuery, ...]], ...] = (
    ("section 1 of the Theft Act 1968", (_by_title("Theft Act 1968", section="1"),)),
    ("Theft Act 1968, s. 1", (_by_title("Theft Act 1968", section="1"),)),
    ("s 1 Theft Act 1968", (_by_title("Theft Act 1968", section="1"),)),
    ("s 1(2)(a) Theft Act 1968", (_urn(f"{_THEFT}:1:2:a"),)),
    ("section 1 of the Theft Act 1968 (c. 60)", (_urn(f"{_THEFT}:1"),)),
    ("section 3 of the Invented Things Act 1987", (_by_title("Invented Things Act 1987", section="3"),)),
    ("section 3(1) of the Invented Things Act 1987", (_by_title("Invented Things Act 1987", _PART, section="3"),)),
    ("Sch 2 para 3 Invented Things Act 1987", (_by_title("Invented Things Act 1987", paragraph="3", schedule="2"),)),
    (
        "regulation 5 of the Invented Things Regulations 1987",
        (_by_title("Invented Things Regulations 1987", regulation="5"),),
    ),
    ("Theft Act 1968", (_urn(_THEFT),)),
    (
        "Invented Things Act 1987",
        (
            TagQuery(
                language="en",
                tag_filters=TagFilterSet(
                    (
                        TagFilter("act_title", TagFilterOp.ILIKE, "Invented Things Act 1987"),
                        TagFilter("year", TagFilterOp.EXISTS),
                    )
                ),
            ),
        ),
    ),
    (
        "SI 2013/3134, reg 5",
        tuple(_urn(f"urn:lex:gb:{kind}-2013-3134:5") for kind in ("uksi", "wsi", "nisi")),
    ),
    ("[2024] UKSC 1", (_urn("urn:lex:gb:uksc-2024-1"),)),
    ("[2022] EWHC 621 (Ch)", (_urn("urn:lex:gb:ewhc-ch-2022-621"),)),
    ("R (Miller) v Prime Minister [2019] UKSC 41", (_urn("urn:lex:gb:uksc-2019-41"),)),
    ("section 1 of the Theft Act 1968 (c. 61)", (_urn("urn:lex:gb:ukpga-1968-61:1", "an uncertain reading"),)),
    (
        "[2019] EWHC 3177",
        (
            TagQuery(
                language="en",
                kind="decision",
                tag_filters=TagFilterSet(
                    (
                        TagFilter("neutral_citation", TagFilterOp.ILIKE, "[2019] EWHC 3177 ("),
                        TagFilter("case_name", TagFilterOp.EXISTS),
                    )
                ),
                hint="decision whose division is not named",
            ),
        ),
    ),
    ("1949 c. 30", (_urn("urn:lex:gb:ukpga-1949-30", "an uncertain reading"),)),
    ("ss 1 and 2 of the Theft Act 1968", (_urn(f"{_THEFT}:1", _LIST), _urn(f"{_THEFT}:2", _LIST))),
    ("2024 UKSC 1", (_urn("urn:lex:gb:uksc-2024-1", "neutral citation, its year without brackets"),)),
    (
        "R (Miller) v The Prime Minister",
        (
            TagQuery(
                language="en",
                kind="decision",
                tag_filters=TagFilterSet(
                    (TagFilter("case_name", TagFilterOp.ILIKE, "R (Miller) v The Prime Minister"),)
                ),
                hint=BY_PARTIES,
            ),
        ),
    ),
    (
        "[1992] Ch 560",
        (
            TagQuery(
                language="en",
                kind="decision",
                tag_filters=TagFilterSet((TagFilter("alias", TagFilterOp.EQ, "[1992] Ch 560"),)),
                hint="decision by the law report named",
            ),
        ),
    ),
)
