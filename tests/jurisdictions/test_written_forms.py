"""The forms that memos, chats, journals and courts write, by what is unusual in them; the numbers are invented."""

from __future__ import annotations

import pytest
from asked_queries import asked_for, queries_of
from requirements import requirement

from rag.jurisdictions.grammar.signals import unframed
from rag.jurisdictions.registry import all_jurisdictions, jurisdiction_for
from rag.law.jurisdiction import Jurisdiction
from retrieval.references.pipeline import checked_reference

_BGB = "paragraph=812&code=BGB"
_CIVIL = "article_number=1199&code=Code civil"
_MINPO = "urn:lex:jp:129ac0000000089"

# (jurisdiction, what is unusual, how it is written, what is asked for with certainty)
CERTAIN = (
    ("us", "signal", ("See 17 U.S.C. § 999", "see also 17 USC 999", "But see 17 U.S.C. § 999",
     "See, e.g., 17 U.S.C. § 999",
                      "pursuant to 17 U.S.C. 999", "cf. 17 U.S.C.A. § 999"), "urn:lex:us:17usc:999"),
    ("us", "frame", ("(17 U.S.C. § 999)", '"17 U.S.C. § 999"', "“17 U.S.C. § 999”."), "urn:lex:us:17usc:999"),
    ("us", "part before its code", ("paragraph (2) of 17 U.S.C. § 999", "paragraph (2) of 17 USC section 999"),
     "urn:lex:us:17usc:999:2"),
    ("us", "order", ("§ 999, 17 U.S.C.", "section 999 17 U.S.C.", "Title 17, Section 999 of the United States Code",
                     "17 USC sec 999"), "urn:lex:us:17usc:999"),
    ("us", "container", ("17 U.S.C. ch. 9", "17 USC chapter 9"), "urn:lex:us:17usc:chapter_9"),
    ("us", "parallel", ("Pub. L. No. 199-24, 116 Stat. 745 (1999)", "Pub. L. 199–24, 116 Stat. 745"),
     "urn:lex:us:pl-199-24"),
    ("us", "pinpoint", ("Doe v. Roe of Ed., 347 U.S. 483, 495 (1954)",
                        "Doe v. Roe, 347 U.S. 483 (1954) (Smith, J., dissenting)"), "alias=347 U.S. 483"),
    ("us-dc", "order", ("section 28-9904 D.C. Code", "§ 28-9904, D.C. Code", "28 D.C. Code § 9904",
                        "under D.C.Code § 28-9904"), "urn:lex:us-dc:code:28-9904"),
    ("us-dc", "container", ("D.C. Code Title 28, Chapter 99", "D.C. Code tit. 28, ch. 99"),
     "urn:lex:us-dc:code:title_28:chapter_99"),
    ("us-ma", "abbreviation", ("MGL c 99B § 9(3)", "M.G.L. 99B § 9(3)", "ALM GL ch. 99B, § 9(3)",
     "See G.L. c. 99B, § 9 (3)"),
     "urn:lex:ma:mgl-99b:9:3"),
    ("gb", "initials", ("s 999 PACE", "PACE s 999", "section 999 of PACE", "PACE 1984, s.999", "s. 999 PACE 1984"),
     "urn:lex:gb:ukpga-1984-60:999"),
    ("gb", "initials of any case", ("EqA 2010 s 999", "s. 999 EqA 2010"), "urn:lex:gb:ukpga-2010-15:999"),
    ("gb", "instrument", ("reg 99 TUPE 2006", "TUPE 2006 reg 99"), "urn:lex:gb:uksi-2006-246:99"),
    ("gb", "court", ("[2015] EWCA Civ. 999", "R (Doe) v Roe [2015] EWCA Civ 999, [2016] AC 99"),
     "urn:lex:gb:ewca-civ-2015-999"),
    ("gb", "number", ("2099 Chapter 60", "2099 c. 60"), "urn:lex:gb:ukpga-2099-60"),
    ("eu", "abbreviation", ("Rec. 99 GDPR", "GDPR rec. 99", "ErwG 99 DSGVO", "Erwgr. 99 DS-GVO", "EG 99 DSGVO",
     "cons. 99 RGPD"),
     "urn:lex:eu:32016r0679:rec.99"),
    ("eu", "point", ("Article 99 no. 7 GDPR", "Art. 99 No. 7 GDPR", "Art. 99 Nr. 7 DSGVO"),
     "urn:lex:eu:32016r0679:99:7"),
    ("eu", "letter", ("Art. 99(1)f GDPR", "article 99.1 f) du RGPD", "Artikel 99 lid 1 onder f AVG",
     "art. 99, § 1, f) RGPD",
                      "Article 99(1) subpara 1 lit. f GDPR", "Art. 99 sec. 1 lit. f GDPR"),
     "urn:lex:eu:32016r0679:99:1:f"),
    ("eu", "law", ("Article 99 EU GDPR", "Reg 2016/679, art. 99", "Art. 99 Regulation (EU) No 2016/679",
     "Vgl. Art. 99 DSGVO",
                   "see Article 99 GDPR"), "urn:lex:eu:32016r0679:99"),
    ("eu", "law first", ("AI Act Art. 99", "Art. 99 AI Act"), "urn:lex:eu:32024r1689:99"),
    ("eu", "treaty first", ("TFEU art 999", "Art. 999 TFEU"), "article_number=999&treaty=TFEU"),
    ("eu", "judgment", ("Doe, C-999/12, EU:C:2014:999", "EU:C:2014:999, para 80"), "ecli=ECLI:EU:C:2014:999"),
    ("de", "signal", ("siehe § 812 BGB", "s. § 812 BGB", "Vgl § 812 BGB", "im Sinne von § 812 BGB", "aus § 812 BGB",
     "iSv § 812 BGB",
                      "(§ 812 BGB)", "„§ 812 BGB“"), _BGB),
    ("de", "manner", ("§ 812 BGB analog", "§ 812 BGB (analog)"), _BGB),
    ("de", "sign", ("Par. 812 BGB", "para 812 bgb", "§ 812 Bürgerliches Gesetzbuch (BGB)"), _BGB),
    ("de", "letter", ("§ 99 Abs. 2 Nr. 3b) UStG", "§ 99 Abs. 2 Nr. 3 lit. b UStG"), "urn:lex:de:ustg:99:2:3:b"),
    ("fr", "signal", ("selon l'article 1199 du code civil", "aux termes de l’article 1199 du Code civil",
     "V. C. civ., art. 1199",
                      "conformément à l'article 1199 du code civil", "(art. 1199 C. civ.)"), _CIVIL),
    ("fr", "journal", ("D. n° 2099-360, 25 mars 2099", "Décr. n° 2099-360", "décret n° 2099-360"),
     "nature=DECRET&number=2099-360"),
    ("fr", "law first", ("L. n° 99-462, 6 juill. 1999, art. 15", "art. 15, loi n° 99-462 du 6 juillet 1999"),
     "urn:lex:fr:loi-99-462:15"),
    ("fr", "constitution", ("Const., art. 99", "article 99 de la Constitution", "Constitution, article 99"),
     "urn:lex:fr:constitution-du-4-octobre-1958:99"),
    ("fr", "point", ("au 2° de l'article L. 999-1 du code de la consommation",
     "article L. 999-1, 2° du code de la consommation"),
     "urn:lex:fr:code-de-la-consommation:l999-1:2"),
    ("jp", "roman", ("民法999条Ⅱ", "民法999Ⅱ", "民法第999条②"), f"{_MINPO}:999:2"),
    ("jp", "item", ("民法999条Ⅱ③", "民法第九百九十九条第二項第三号"), f"{_MINPO}:999:2:3"),
    ("jp", "words", ("民法999条参照", "参照：民法999条", "「民法第999条」", "民法第999条により"), f"{_MINPO}:999"),
)  # fmt: skip

# (jurisdiction, how it is written, every reading, each of which is a candidate)
CANDIDATES = (
    ("us", "15 U.S.C. §§ 1681-1681x", ("urn:lex:us:15usc:1681", "urn:lex:us:15usc:1681x")),
    ("us", "29 C.F.R. pts. 9900-9999", ("urn:lex:us:29cfr:part_9900", "urn:lex:us:29cfr:part_9999")),
    ("us", "35 U.S.C. § 999(f) and 36 U.S.C. § 101", ("urn:lex:us:35usc:999:f", "urn:lex:us:36usc:101")),
    ("us", "Reg. E, 12 CFR 9905.6", ("urn:lex:us:12cfr:9905.6",)),
    ("us", "17 U.S.C. § 999 (fair use)", ("urn:lex:us:17usc:999",)),
    ("us", "IRC 999(c)(3)", ("urn:lex:us:26usc:999:c:3",)),
    ("us-ma", "chapter 99B, section 2", ("urn:lex:ma:mgl-99b:2",)),
    ("us-ma", "Section 2 of Chapter 99B", ("urn:lex:ma:mgl-99b:2",)),
    ("us-dc", "28-9904 DC Code", ("urn:lex:us-dc:code:28-9904",)),
    ("gb", "CA 2006 s 999", ("urn:lex:gb:ukpga-2006-46:999",)),
    ("gb", "s. 999 ERA", ("urn:lex:gb:ukpga-1996-18:999",)),
    ("gb", "section 999 Theft Act", ("section_number=999&act_title=Theft Act ",)),
    ("gb", "Re Doe [2015] EWCA Civ 999", ("urn:lex:gb:ewca-civ-2015-999",)),
    ("eu", "gdpr 99(1)(f)", ("urn:lex:eu:32016r0679:99:1:f",)),
    ("eu", "Art. 97/98 GDPR", ("urn:lex:eu:32016r0679:97", "urn:lex:eu:32016r0679:98")),
    ("eu", "Article 99(2)(a), (b) and (c) GDPR", tuple(f"urn:lex:eu:32016r0679:99:2:{letter}" for letter in "abc")),
    ("eu", "EuGH, Urt. v. 13.5.2014 - C-999/12", ("case_number=C-999/12", "urn:lex:eu:62012cj0999")),
    ("eu", "Joined Cases C-293/12 and C-594/12", ("urn:lex:eu:62012cj0293", "urn:lex:eu:62012cj0594")),
    ("de", "812 bgb", (_BGB,)),
    ("de", "Müller/Meier, § 812 BGB Rn. 5", (_BGB,)),
    ("de", "§§ 812 I, III, 999 BGB", ("urn:lex:de:bgb:812:1", "urn:lex:de:bgb:812:3", "urn:lex:de:bgb:999")),
    ("de", "§ 812 Nr. 2, 999 BGB", ("urn:lex:de:bgb:812:nr.2", "urn:lex:de:bgb:999")),
    ("fr", "art. 1199 CC", ("urn:lex:fr:code-civil:1199",)),
    ("fr", "art. 999-3 CP", ("urn:lex:fr:code-penal:999-3",)),
    ("fr", "1199 al. 1 C. civ.", ("urn:lex:fr:code-civil:1199:al.1",)),
    ("fr", "art. L. 9999-1 et suiv. C. trav.", ("urn:lex:fr:code-du-travail:l9999-1",)),
    ("fr", "Cass. soc. 13 décembre 2099, n°99-12397", ("case_number=99-12397&court=cour_cassation",)),
    ("jp", "民法999の2", (f"{_MINPO}:999-2",)),
    ("jp", "民法999条以下", (f"{_MINPO}:999",)),
    ("jp", "民法999条2、3項", (f"{_MINPO}:999:2", f"{_MINPO}:999:3")),
    ("jp", "平成29年改正前民法999条", (f"{_MINPO}:999",)),
    ("jp", "大判大正3年3月4日", ("court=大審院&date=1914-03-04",)),
)  # fmt: skip

# (jurisdiction, what its grammar must leave to others)
OTHERS = (
    ("de", "§ 2-999"), ("de", "§ 2-999 UCC"), ("de", "UCC § 2-999"), ("de", "PL 111-148"), ("de", "IDCC 1486"),
    ("de", "Art. 99 GDPR"), ("de", "TFEU art 99"), ("de", "ErwG 99"),
    ("gb", "Section 2 of Chapter III GDPR"), ("gb", "CA 1999 s 1"), ("gb", "s 5 of the ZZZ"),
    ("eu", "OJ C 131/12"), ("us", "See v. City"), ("us-dc", "D.C. Code 1981, § 28-9904"),
    ("us", "In 2012 we paid under 17 U.S.C. § 999 and lost"),
)  # fmt: skip

# (jurisdiction, a text, the provisions that it cites with certainty)
IN_TEXT = (
    ("eu", "Rec. 99 GDPR and Arts 97 and 98 GDPR apply.",
     ("32016r0679:rec.99", "32016r0679:97", "32016r0679:98")),
    ("eu", "UK GDPR art 97, EU GDPR art 98", ("32016r0679:98",)),
    ("eu", "Article 97, GDPR recital 98", ("32016r0679:rec.98",)),
    ("gb", "He relied on PACE s 999 and HRA 1998, s 999(1).", ("ukpga-1984-60:999", "ukpga-1998-42:999:1")),
    ("gb", "s 999, Theft Act 1968 s 998", ("ukpga-1968-60:998",)),
    ("gb", "s 999 of the Irish DPA 2018, the Maltese DPA 2018, s 999 and s 999 DPA 2018 (Ireland)", ()),
    ("gb", "the Irish DPA 2018 s 999", ()),
    ("gb", "section 999 Theft Act 1968 (NI)", ()),
    ("gb", "s 999 CA 2006, POCA s 999", ()),
    ("de", "nach §§ 812 I, III, 999 BGB", ("bgb:812:1", "bgb:812:3", "bgb:999")),
    ("de", "§ 812 Abs. 1 BGB (alt), UCC § 2-999, Art. 99 GDPR", ()),
    ("fr", "l'art. 1199 CC et l'art. 999-3 CP", ()),
    ("fr", "l'article 999 bis CC du code général des impôts", ("code-general-des-impots:999-bis-cc",)),
    ("us", "former 17 U.S.C. § 999 and proposed 16 CFR 999.4", ()),
    ("us", "15 U.S.C. §§ 9681-9681x", ("15usc:9681", "15usc:9681x")),
    ("us", "41 CFR part 60-250", ("41cfr:part_60-250",)),
)  # fmt: skip


@requirement("P12")
@pytest.mark.parametrize(
    ("code", "written", "asked"),
    [
        pytest.param(code, form, asked, id=f"{code} {what}: {form}")
        for code, what, forms, asked in CERTAIN
        for form in forms
    ],
)
def test_unusual_forms_of_one_provision_ask_for_it_with_certainty(code: str, written: str, asked: str) -> None:
    first, *_ = queries_of(code, written)
    assert (asked_for(first), first.hint) == (asked, None)


@requirement("P12")
@pytest.mark.parametrize(("code", "written", "asked"), CANDIDATES)
def test_forms_that_leave_a_doubt_are_candidates(code: str, written: str, asked: tuple[str, ...]) -> None:
    read = queries_of(code, written)
    assert tuple(asked_for(tag_query) for tag_query in read) == asked
    assert all(tag_query.hint for tag_query in read)


@pytest.mark.parametrize(("code", "written"), OTHERS)
def test_forms_of_other_law_are_left_to_its_grammar(code: str, written: str) -> None:
    assert [tag_query for tag_query in queries_of(code, written) if "case_name" not in asked_for(tag_query)] == []


@pytest.mark.parametrize(("code", "text", "urns"), IN_TEXT)
def test_a_text_cites_with_certainty_what_it_names_and_no_more(code: str, text: str, urns: tuple[str, ...]) -> None:
    found = [reference for reference in jurisdiction_for(code).find_references(text, None) if reference.confident]
    assert tuple(urn.removeprefix(f"urn:lex:{code}:") for reference in found for urn in reference.urns) == urns


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja", "eu"])
@pytest.mark.parametrize("kept", ["Seesen 5", "(a) and (b)", "percent 5", "17 U.S.C. § 5", "第五条", ""])
def test_words_that_only_begin_like_a_signal_stay(language: str, kept: str) -> None:
    assert unframed(kept, language) == kept


@pytest.mark.parametrize("jurisdiction", all_jurisdictions(), ids=lambda one: one.code)
@pytest.mark.parametrize(
    "hard",
    ["See, e.g., ", "((1", "art. 1, ", "C-1/12 ", "民法1Ⅰ", "1の2の", "n° 1-1, ", "§ 1 I, II, ", "s 1 AB 1999 "],
)
def test_long_strings_of_short_forms_give_no_certain_reading(jurisdiction: Jurisdiction, hard: str) -> None:
    text = (hard * 400)[:1000]
    assert all(tag_query.hint for tag_query in jurisdiction.tag_queries(checked_reference(text)))
