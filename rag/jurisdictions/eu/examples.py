"""Written forms of references to Union law, with what they are read as; the contract test runs them."""

from __future__ import annotations

from retrieval.tag_query import TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

_GDPR = "urn:lex:eu:32016r0679"

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Article 6(1)(f) of Regulation (EU) 2016/679", (f"{_GDPR}:6:1:f",)),
    ("Art. 6(1)(f) GDPR", (f"{_GDPR}:6:1:f",)),
    ("Art. 6 (1) (f) of the GDPR", (f"{_GDPR}:6:1:f",)),
    ("Article\u00a017 of the GDPR", (f"{_GDPR}:17",)),
    ("point (f) of Article 6(1) GDPR", (f"{_GDPR}:6:1:f",)),
    ("point (f) of the first subparagraph of Article 6(1) of Regulation (EU) 2016/679", (f"{_GDPR}:6:1:f",)),
    ("Article 6, paragraph 1, point (f), GDPR", (f"{_GDPR}:6:1:f",)),
    ("Articles 15 to 22 GDPR", (f"{_GDPR}:15", f"{_GDPR}:22")),
    ("Articles 13(1) and (2) and 14 GDPR", (f"{_GDPR}:13:1", f"{_GDPR}:13:2", f"{_GDPR}:14")),
    ("recital 26 of the GDPR", (f"{_GDPR}:rec.26",)),
    ("GDPR Art. 6(1)(f)", (f"{_GDPR}:6:1:f",)),
    ("Art. 6 Abs. 1 UAbs. 1 lit. f DSGVO", (f"{_GDPR}:6:1:f",)),
    ("Artikel 6 Absatz 1 Buchstabe f der Verordnung (EU) 2016/679", (f"{_GDPR}:6:1:f",)),
    ("Erwägungsgrund 47 DS-GVO", (f"{_GDPR}:rec.47",)),
    ("article 6, paragraphe 1, point f), du RGPD", (f"{_GDPR}:6:1:f",)),
    ("l’article 17 du règlement (UE) 2016/679", (f"{_GDPR}:17",)),
    ("artículo 6, apartado 1, letra f), del RGPD", (f"{_GDPR}:6:1:f",)),
    ("Directive 95/46/EC", ("urn:lex:eu:31995l0046",)),
    ("Regulation (EC) No 765/2008", ("urn:lex:eu:32008r0765",)),
    ("REGULATION (EEC) No 2658/87", ("urn:lex:eu:31987r2658",)),
    ("Article 3(2) of Council Directive 93/13/EEC", ("urn:lex:eu:31993l0013:3:2",)),
    ("Council Framework Decision 2002/584/JHA", ("urn:lex:eu:32002f0584",)),
    ("Annex III to Directive 2011/83/EU", ("urn:lex:eu:32011l0083:annex.iii",)),
    ("Chapter IV of Regulation (EU) 2022/2065", ("urn:lex:eu:32022r2065:chapter_iv",)),
    ("Article 5 DSA", ("urn:lex:eu:32022r2065:5",)),
    ("32016R0679", (_GDPR,)),
    ("CELEX: 62012CJ0131", ("urn:lex:eu:62012cj0131",)),
    ("Article 101 TFEU", ()),
    ("ECLI:EU:C:2014:317", ()),
    ("OJ L 119, 4.5.2016, p. 1", ()),
    ("this Regulation and paragraph 2", ()),
)


def _treaty(number: str, treaty: str, language: str = "en", hint: str | None = None) -> TagQuery:
    tags = TagFilterSet.from_tags({"article_number": number, "treaty": treaty})
    return TagQuery(language=language, kind="legislation", tag_filters=tags, hint=hint)


_PART = "the whole article, of which a part is named"

QUERY_EXAMPLES: tuple[tuple[str, tuple[TagQuery, ...]], ...] = (
    ("Article 101 TFEU", (_treaty("101", "TFEU"),)),
    ("Art. 101 of the Treaty on the Functioning of the European Union", (_treaty("101", "TFEU"),)),
    ("Article 101(1) TFEU", (_treaty("101", "TFEU", hint=_PART),)),
    ("Art. 101 AEUV", (_treaty("101", "TFEU", "de"),)),
    ("article 101 TFUE", (_treaty("101", "TFEU", "fr"),)),
    ("Article 6 TEU", (_treaty("6", "TEU"),)),
    ("Article 8 of the Charter of Fundamental Rights of the European Union", (_treaty("8", "Charter"),)),
    ("Article 17 GDPR", (urn_query(f"{_GDPR}:17", language="en"),)),
    ("article 17 du RGPD", (urn_query(f"{_GDPR}:17", language="fr"),)),
    ("Art. 6 Abs. 1 lit. f DSGVO", (urn_query(f"{_GDPR}:6:1:f", language="de"),)),
    ("art. 6.1.f RGPD", (urn_query(f"{_GDPR}:6:1:f", language="fr"),)),
    ("Article 6.1(f) of the GDPR", (urn_query(f"{_GDPR}:6:1:f", language="en"),)),
    *(
        (
            written,
            (urn_query(f"{_GDPR}:6:1:f", language="en", hint="a number beside the act's name, read as its article"),),
        )
        for written in ("gdpr 6(1)(f)", "6(1)(f) GDPR", "6(1)f GDPR")
    ),
    ("Art. 6 (1) f) DSGVO", (urn_query(f"{_GDPR}:6:1:f", language="de"),)),
    (
        "Article 5(1)(a)-(c) GDPR",
        (
            urn_query(f"{_GDPR}:5:1:a", language="en", hint="one of several provisions named"),
            urn_query(f"{_GDPR}:5:1:c", language="en", hint="one of several provisions named"),
        ),
    ),
    ("Regulation (EU) 2016/679", (urn_query(_GDPR, language="en"),)),
    ("Regulation (EU) 2016/679 (GDPR), Article 6(1)", (urn_query(f"{_GDPR}:6:1", language="en"),)),
    ("Article 6 of Regulation (EU) 2016/679 of 27 April 2016", (urn_query(f"{_GDPR}:6", language="en"),)),
    ("Article 6 of Regulation (EU) 2016/679 of 27 April 2011", ()),
    (
        "Directive 2011/83/EU of 25 October 2011 on consumer rights, Article 9",
        (urn_query("urn:lex:eu:32011l0083:9", language="en"),),
    ),
    ("Article 6 of Regulation (EU) 2016/679 (Digital Services Act)", ()),
    ("32016R0679", (urn_query(_GDPR, language="en"),)),
    (
        "95/46/EC",
        (
            urn_query("urn:lex:eu:31995l0046", language="en", hint="directive 95/46/EC"),
            urn_query("urn:lex:eu:31995d0046", language="en", hint="decision 95/46/EC"),
        ),
    ),
    (
        "ECLI:EU:C:2014:317",
        (TagQuery(language="en", kind="decision", tag_filters=TagFilterSet.from_tags({"ecli": "ECLI:EU:C:2014:317"})),),
    ),
    (
        "Case C-131/12",
        (
            TagQuery(
                language="en",
                kind="decision",
                tag_filters=TagFilterSet((TagFilter("case_number", TagFilterOp.NORMALIZE, "C-131/12", r"[\s.\-/]"),)),
                hint="case of the Court of Justice of the European Union",
            ),
            urn_query("urn:lex:eu:62012cj0131", language="en", hint="judgment in case C-131/12"),
        ),
    ),
    (
        "Articles 5 and 6 GDPR",
        (
            urn_query(f"{_GDPR}:5", language="en", hint="one of several provisions named"),
            urn_query(f"{_GDPR}:6", language="en", hint="one of several provisions named"),
        ),
    ),
)
