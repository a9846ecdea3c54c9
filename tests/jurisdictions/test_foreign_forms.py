"""References in another country's words, rules of court, collections of decisions, and parts that no node is."""

from __future__ import annotations

import pytest
from asked_queries import asked_for, queries_of

from rag.jurisdictions.grammars import GRAMMARS
from rag.jurisdictions.registry import jurisdiction_for

_GDPR = "urn:lex:eu:32016r0679"
_RULE = "rule_number={}&act_title=Federal Rules of {}"

# (jurisdiction, how it is written, what is asked for with certainty)
CERTAIN = (
    ("de", "section 999 of the German Civil Code", "paragraph=999&code=BGB"),
    ("de", "Sec. 999(2) BGB", "urn:lex:de:bgb:999:2"),
    ("de", "Article 99 GG", "urn:lex:de:gg:99"),
    ("de", "Article 99(3) of the Basic Law of the Federal Republic of Germany", "urn:lex:de:gg:99:3"),
    ("de", "Section 999 of the German Criminal Code (StGB)", "paragraph=999&code=StGB"),
    ("de", "section 999a(2) no. 1 BGB", "urn:lex:de:bgb:999a:2:1"),
    ("fr", "article 1999 of the French Civil Code", "article_number=1999&code=Code civil"),
    ("fr", "French Commercial Code, art. L. 999-1", "article_number=L999-1&code=Code de commerce"),
    ("fr", "II de l'article L. 999-1 du code de la consommation", "urn:lex:fr:code-de-la-consommation:l999-1:ii"),
    ("jp", "Article 999 of the Civil Code of Japan", "urn:lex:jp:129ac0000000089:999"),
    ("jp", "Japanese Civil Code, Article 999-2", "urn:lex:jp:129ac0000000089:999-2"),
    ("jp", "Article 99, paragraph 2 of the Japanese Constitution", "urn:lex:jp:321constitution:99:2"),
    ("de", "Art. 99 I f DSGVO", f"{_GDPR}:99:1:f"),
    ("de", "Art. 99 I 1 f DSGVO", f"{_GDPR}:99:1:f"),
    ("de", "Art. 99 Abs. 1 UAbs. 1 lit. f DSGVO", f"{_GDPR}:99:1:f"),
    ("de", "Art. 99 UAbs. 2 DSGVO", f"{_GDPR}:99:sub.2"),
    ("de", "Art. 99 Abs. 1 zweiter Unterabsatz DSGVO", f"{_GDPR}:99:1:sub.2"),
    ("de", "§ 99 Ia StVO", "urn:lex:de:stvo:99:1a"),
    ("eu", "article 1er, paragraphe 1er, point f), du RGPD", f"{_GDPR}:1:1:f"),
    ("eu", "art. 99, § 1er, f) RGPD", f"{_GDPR}:99:1:f"),
    ("eu", "Art. 99 par. 1 let. f GDPR", f"{_GDPR}:99:1:f"),
    ("gb", "Offences Against the Person Act 1861 s 999",
     "section_number=999&act_title=Offences Against the Person Act 1861"),
)  # fmt: skip

# (jurisdiction, how it is written, what is asked for, never with certainty)
CANDIDATES = (
    ("us", "Fed. R. Civ. P. 99(b)(6)", (_RULE.format(99, "Civil Procedure"), "rule_number=99")),
    ("us", "Rule 99 of the Federal Rules of Evidence", (_RULE.format(99, "Evidence"), "rule_number=99")),
    ("us", "FRE 99", (_RULE.format(99, "Evidence"), "rule_number=99")),
    ("us", "Fed. R. Crim. P. 99", (_RULE.format(99, "Criminal Procedure"), "rule_number=99")),
    ("us", "35 U.S.C. §997, 998", ("urn:lex:us:35usc:997", "urn:lex:us:35usc:998")),
    ("us", "28 U.S.C. § 9971 or 9972", ("urn:lex:us:28usc:9971", "urn:lex:us:28usc:9972")),
    ("de", "§ 999 Abs. 2", ("paragraph=999",)),
    ("de", "Art. 99 Abs. 1 letzter Unterabsatz DSGVO", (f"{_GDPR}:99:1", f"{_GDPR}:99:1")),
    ("de", "§ 999 Abs. 1 Unterabs. 2 BGB", ("urn:lex:de:bgb:999:1",)),
    ("de", "Art. 99 I a GG", ("urn:lex:de:gg:99:1:a", "urn:lex:de:gg:99:1a")),
    ("de", "BVerfGE 99, 198 (205)", ("alias=BVerfGE 99, 198",)),
    ("eu", "Case 6/64 Doe v ROE", ("case_number=6/64", "urn:lex:eu:61964cj0006")),
    ("eu", "Joined Cases 117/76 and 16/77", ("case_number=117/76", "urn:lex:eu:61976cj0117", "case_number=16/77",
                                             "urn:lex:eu:61977cj0016")),
    ("eu", "art. 99 al. 1 let. f RGPD", (f"{_GDPR}:99:1:f",)),
    ("eu", "art. 99, al. 1er, f) RGPD", (f"{_GDPR}:99:1:f",)),
    ("eu", "Annex I, Part A, point 3 of Regulation (EU) 2017/745", ("urn:lex:eu:32017r0745:annex.i:3",)),
    ("eu", "Article 14(1) of Directive 2000/31/EC on electronic commerce", ("urn:lex:eu:32000l0031:14:1",)),
    ("fr", "Article 1999(2) of the French Civil Code", ("urn:lex:fr:code-civil:1999:al.2",)),
    ("gb", "s 997, 998 and 999 Theft Act 1968",
     tuple(f"urn:lex:gb:ukpga-1968-60:{section}" for section in (997, 998, 999))),
    ("gb", "Doe v Roe (1998) 75 P & CR 1", ("alias=(1998) 75 P & CR 1", "case_name=Doe v Roe")),
    ("jp", "民集99巻4号572頁", ("alias=民集99巻4号572頁",)),
)  # fmt: skip

# What no grammar of the country reads: its law is not named, or another country's is.
UNREAD = (
    ("de", "section 999 of the Civil Code"), ("de", "Article 1 of the Basic Law"),
    ("de", "Section 242 of the German Criminal Code (GG)"), ("de", "section 5 of the German Act"),
    ("fr", "article 1999 of the Civil Code"), ("fr", "article 1999 of the Belgian Civil Code"),
    ("jp", "Article 709 of the Swiss Civil Code"), ("eu", "Case 265/95"), ("us", "2 FRE 403"),
)  # fmt: skip

# (jurisdiction, a text, what is cited with certainty in it)
IN_TEXT = (
    ("us", "42 U.S.C. § 9983 and section 5 of the FTC Act", ("urn:lex:us:42usc:9983",)),
    ("us", "15 U.S.C. § 45(a); section 3 of the Lease", ("urn:lex:us:15usc:45:a",)),
    ("us", "15 U.S.C. § 2, and § 5 of the lease", ("urn:lex:us:15usc:2",)),
    ("us", "17 U.S.C. § 996 and § 997", ("urn:lex:us:17usc:996", "urn:lex:us:17usc:997")),
    ("us-ma", "M.G.L. c. 99A, § 2 and section 9 of the lease", ("urn:lex:ma:mgl-99a:2",)),
    ("us", "The motion under Fed. R. Civ. P. 12(b)(6) and FRE 403 fails.", ()),
    ("de", "Unter Art. 99 Abs. 1 UAbs. 2 DSGVO fällt es.", (f"{_GDPR}:99:1:sub.2",)),
    ("de", "§ 99 Abs. 1 Unterabs. 2 BGB", ()),
    ("eu", "Art. 99 no. 7 GDPR defines it, and no. 8 follows.", (f"{_GDPR}:99:7",)),
    ("eu", "See Case 6/64 and Case 6/54.", ()),
    ("us", "Pub. L. No. 199-58, §§ 60101-60105", ("urn:lex:us:pl-199-58:60101", "urn:lex:us:pl-199-58:60105")),
    ("us", "Title VII, 42 U.S.C. § 9992; title 42 U.S.C. § 9993", ("urn:lex:us:42usc:9992", "urn:lex:us:42usc:9993")),
    ("us", "section 106 of the Copyright Act 1968 (Cth)", ()),
    ("us-dc", "Idaho Code § 18-9901, Neb. Rev. Stat. § 28-993 and N.J. Stat. § 2C:11-3 in the District", ()),
    ("us-dc", "In the District, § 42-9905.01(b) rules.", ("urn:lex:us-dc:code:42-9905.01:b",)),
    ("us-dc", "§ 42-9905.01(b) rules.", ()),
    ("us-ma", "R.I. Gen. Laws ch. 93A, § 9", ()),
    ("de", "§ 138 StPO (Österreich), § 12 BGB (Schweiz) und § 5 UWG Österreich", ()),
    ("fr", "l'article 996, I, 2, de la loi n° 2004-575", ("urn:lex:fr:loi-2004-575:996:i:2",)),
    ("fr", "l'article 996, I, 2 et 3 de la loi n° 2004-575", ("urn:lex:fr:loi-2004-575",)),
    ("gb", "art 8 HRA 1998; rule 3 of the Theft Act 1968; section 5 of Regulation (EU) 2016/679", ()),
    ("gb", "Sch 1 para 8 HRA 1998", ("urn:lex:gb:ukpga-1998-42:sch.1:8",)),
    ("gb", "s.1(1)(a), (2) and (3) Misrepresentation Act 1967", ("urn:lex:gb:ukpga-1967-7",)),
    ("gb", "Theft Act 1968, as amended by the Fraud Act 2006, s 999",
     ("urn:lex:gb:ukpga-1968-60", "urn:lex:gb:ukpga-2006-35")),
    ("eu", "Directive 2002/58/EC, as amended by Directive 2009/136/EC, Article 99(3)",
     ("urn:lex:eu:32002l0058", "urn:lex:eu:32009l0136")),
    ("eu", "Article 99 of the AI Act of Utah", ()),
    ("gb", "section 20 Offences against the Person Act 1861", ("urn:lex:gb:ukpga-1861-100:20",)),
)  # fmt: skip


@pytest.mark.parametrize(("code", "written", "asked"), CERTAIN)
def test_forms_of_other_languages_and_journals_are_certain_where_they_name_one_law(
    code: str, written: str, asked: str
) -> None:
    first, *_ = queries_of(code, written)
    assert (asked_for(first), first.hint) == (asked, None)


@pytest.mark.parametrize(("code", "written", "asked"), CANDIDATES)
def test_forms_that_cannot_be_checked_are_candidates(code: str, written: str, asked: tuple[str, ...]) -> None:
    read = queries_of(code, written)
    assert tuple(asked_for(tag_query) for tag_query in read) == asked
    assert all(tag_query.hint for tag_query in read)


@pytest.mark.parametrize(("code", "written"), UNREAD)
def test_law_that_is_not_named_is_not_guessed(code: str, written: str) -> None:
    assert [tag_query for tag_query in queries_of(code, written) if "case_name" not in asked_for(tag_query)] == []


@pytest.mark.parametrize(("code", "text", "urns"), IN_TEXT)
def test_a_list_ends_where_another_law_begins(code: str, text: str, urns: tuple[str, ...]) -> None:
    found = [reference for reference in jurisdiction_for(code).find_references(text, None) if reference.confident]
    assert tuple(urn for reference in found for urn in reference.urns) == urns


@pytest.mark.parametrize(
    ("reference", "missing"),
    [
        ("§ 535 Abs. 2", True), ("§ 1331 or 1332", True), ("section 12(3)(a)", True), ("art. 12, al. 3", True),
        ("§ 535 BGB", False), ("Art. 5 GG", False), ("s 1 Theft Act", False), ("347 U.S. 483", False), ("12", False),
    ],
)  # fmt: skip
def test_a_provision_without_a_law_is_told_from_one_with_a_law(reference: str, missing: bool) -> None:
    assert GRAMMARS.names_no_law(reference) is missing
