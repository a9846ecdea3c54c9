"""Written forms of German references with what they must be read as; the contract test runs them."""

from __future__ import annotations

from retrieval.tag_query import (
    NORMALIZE_PATTERNS,
    TagFilter,
    TagFilterOp,
    TagFilterSet,
    TagQuery,
    urn_query,
)

_DE = "urn:lex:de"

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("§ 823 BGB", (f"{_DE}:bgb:823",)),
    ("§ 823 Abs. 1 BGB", (f"{_DE}:bgb:823:1",)),
    ("§823 Absatz 1 BGB", (f"{_DE}:bgb:823:1",)),
    ("§\u00a0433\u00a0Abs.\u00a02\u00a0BGB", (f"{_DE}:bgb:433:2",)),
    ("§ 823 I BGB", (f"{_DE}:bgb:823:1",)),
    ("§ 312 a Abs. 2 Satz 1 BGB", (f"{_DE}:bgb:312a:2",)),
    ("§ 308 Nr. 5 BGB", (f"{_DE}:bgb:308:nr.5",)),
    ("§ 312 Abs. 2 Nr. 1 Buchst. a BGB", (f"{_DE}:bgb:312:2:1:a",)),
    ("Art. 20a GG", (f"{_DE}:gg:20a",)),
    ("ART. 1 ABS. 1 GG", (f"{_DE}:gg:1:1",)),
    ("Art. 2 Abs. 1 i.V.m. Art. 1 Abs. 1 GG", (f"{_DE}:gg:2:1", f"{_DE}:gg:1:1")),
    ("§ 123 Abs. 3 des Bürgerlichen Gesetzbuchs", (f"{_DE}:bgb:123:3",)),
    ("Artikel 247 § 13 Absatz 2 des Einführungsgesetzes zum Bürgerlichen Gesetzbuche",
     (f"{_DE}:egbgb:247:par.13:2",)),
    ("§ 7 SGB II", (f"{_DE}:sgb-2:7",)),
    ("§ 7 Abs. 1 des Zweiten Buches Sozialgesetzbuch", (f"{_DE}:sgb-2:7:1",)),
    ("§§ 280, 281 BGB", (f"{_DE}:bgb:280", f"{_DE}:bgb:281")),
    ("§§ 434 bis 442, 475 Absatz 3 Satz 1, Absatz 4 BGB",
     (f"{_DE}:bgb:434", f"{_DE}:bgb:442", f"{_DE}:bgb:475:3", f"{_DE}:bgb:475:4")),
    ("BGB § 823", (f"{_DE}:bgb:823",)),
    ("§ 138 der Strafprozeßordnung", (f"{_DE}:stpo:138",)),
    ("Art. 6 Abs. 1 Buchst. f DSGVO", ("urn:lex:eu:32016r0679:6:1:f",)),
    ("Artikel 3 der Verordnung (EG) Nr. 593/2008", ("urn:lex:eu:32008r0593:3",)),
    ("Art. 41 OR und § 1295 ABGB", ()),
    ("Art. 12 StGB", ()),
    ("§ 35 VwVfG NRW und § 52 des Hessischen Verwaltungsverfahrensgesetzes", ()),
    ("BGBl. I S. 1234", ()),
)  # fmt: skip


def _paragraph(number: str, code: str, hint: str | None = None) -> TagQuery:
    tags = TagFilterSet.from_tags({"paragraph": number, "code": code})
    return TagQuery(language="de", kind="legislation", tag_filters=tags, hint=hint)


def _case(number: str, courts: str | tuple[str, ...], hint: str) -> TagQuery:
    court = (
        TagFilter("court", TagFilterOp.EQ, courts)
        if isinstance(courts, str)
        else TagFilter("court", TagFilterOp.IN, courts)
    )
    written = TagFilter("case_number", TagFilterOp.NORMALIZE, number, NORMALIZE_PATTERNS["punctuation"])
    return TagQuery(language="de", kind="decision", tag_filters=TagFilterSet((written, court)), hint=hint)


def _urn(urn: str, hint: str | None = None) -> TagQuery:
    return urn_query(urn, language="de", hint=hint)


_SEVERAL = "one of several provisions named"

QUERY_EXAMPLES: tuple[tuple[str, tuple[TagQuery, ...]], ...] = (
    ("§ 823 BGB", (_paragraph("823", "BGB"),)),
    ("§ 823 bgb", (_paragraph("823", "BGB"),)),
    ("Paragraph 823 BGB", (_paragraph("823", "BGB"),)),
    ("§ 7 SGB II", (_paragraph("7", "SGB 2"),)),
    ("§ 823 Abs. 1 BGB", (_urn(f"{_DE}:bgb:823:1"),)),
    ("Art. 1 GG", (_urn(f"{_DE}:gg:1"),)),
    ("BGB", (_urn(f"{_DE}:bgb"),)),
    ("Grundgesetz", (_urn(f"{_DE}:gg"),)),
    ("§§ 280, 281 BGB", (_urn(f"{_DE}:bgb:280", _SEVERAL), _urn(f"{_DE}:bgb:281", _SEVERAL))),
    ("§§ 812 ff. BGB", (_paragraph("812", "BGB", "the first of the provisions named (ff.)"),)),
    ("§ 463 BGB a.F.",
     (_paragraph("463", "BGB", "another edition of the law is named; this is the one in the store"),)),
    ("§ 12 ApfelG", (_paragraph("12", "ApfelG", "the abbreviation ApfelG is not a known law"),)),
    ("§ 823", (TagQuery(
        language="de", kind="legislation", tag_filters=TagFilterSet.from_tags({"paragraph": "823"}),
        hint="the law is not named",
    ),)),
    ("Art. 41 OR", ()),
    ("Anlage 1 zu § 312g BGB", ()),
    ("§ 433 bgb abs. 2", (_urn(f"{_DE}:bgb:433:2"),)),
    ("Bürgerliches Gesetzbuch § 823 Abs. 1", (_urn(f"{_DE}:bgb:823:1"),)),
    ("GG 3", (_urn(f"{_DE}:gg:3", "a number beside the law's name, read as its provision"),)),
    ("VIII ZR 277/16", (_case("VIII ZR 277/16", "bgh", "Aktenzeichen BGH"),)),
    ("BGH, Urteil vom 8. November 2017 - VIII ZR 13/17", (_case("VIII ZR 13/17", "bgh", "Aktenzeichen BGH"),)),
    ("1 BvR 357/05", (_case("1 BvR 357/05", "bverfg", "Aktenzeichen BVerfG"),)),
    ("OLG Köln, 5 U 12/10", (_case("5 U 12/10", ("olg_koeln", "olg"), "Aktenzeichen OLG Köln"),)),
    ("ECLI:DE:BGH:2017:081117UVIIIZR13.17.0", (TagQuery(
        language="de", kind="decision",
        tag_filters=TagFilterSet.from_tags({"ecli": "ECLI:DE:BGH:2017:081117UVIIIZR13.17.0"}),
    ),)),
    ("Art. 6 DSGVO",
     tuple(urn_query("urn:lex:eu:32016r0679:6", language=language) for language in ("de", "en"))),
)  # fmt: skip
