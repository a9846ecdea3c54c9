"""Which law an e-Gov file holds: ids, names, editions, and the files that are refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from egov_laws import ACT, NUMBER, U, article, law, main, nodes, paragraph, parse, refused


def test_the_root_names_the_law_by_all_its_names(tmp_path: Path) -> None:
    document = parse(tmp_path, main(article("1", "第一条", paragraph(1, "凧。"))))
    root = document.nodes[0]
    assert (document.corpus.urn, document.corpus.title, document.corpus.language) == (U, "凧揚げ法", "ja")
    assert (root.structure_type, root.parent_urn, root.heading) == ("ROOT", None, "凧揚げ法")
    assert root.aliases == ["501AC0000000999", NUMBER, "501AC0000000999_20240401_505AC0000000063"]
    assert root.tags["promulgated"] == "2019-06-19"
    assert root.tags["amended_by"] == "505AC0000000063"
    assert document.edition_date == date(2024, 4, 1)
    assert not document.warnings


@pytest.mark.parametrize(
    ("attributes", "number", "name", "law_id"),
    [
        (ACT, NUMBER, "law.xml", "501AC0000000999"),
        (ACT, NUMBER, "501AC1000000999.xml", "501AC1000000999"),
        (ACT, NUMBER, "327AC0000000231_20240401_505AC0000000063.xml", "501AC0000000999"),
        ('Era="Showa" Year="21" Num="" LawType="Constitution"', "昭和二十一年憲法", "x.xml", "321CONSTITUTION"),
        ('Era="Meiji" Year="05" Num="337" LawType="CabinetOrder"', "明治五年太政官布告第三百三十七号", "x.xml",
         "105DF0000000337"),
        ('Era="Showa" Year="18" Num="618" LawType="ImperialOrder"', "昭和十八年勅令第六百十八号", "x.xml",
         "318IO0000000618"),
        ('Era="Heisei" Year="27" Num="1" LawType="MinisterialOrdinance"', "平成二十七年文部科学省・環境省令第一号",
         "427M60001080001_20150401_000000000000000.xml", "427M60001080001"),
        ('Era="Showa" Year="33" Num="" LawType="Rule"', "昭和三十三年人事院規則九―二四", "333RJNJ09024000.xml",
         "333RJNJ09024000"),
    ],
)  # fmt: skip
def test_the_law_id_comes_from_the_law_and_takes_its_category_from_the_name(
    tmp_path: Path, attributes: str, number: str, name: str, law_id: str
) -> None:
    document = parse(tmp_path, law("<MainProvision/>", attributes=attributes, number=number), name)
    assert document.corpus.urn == f"urn:lex:jp:{law_id.lower()}"
    assert law_id in document.nodes[0].aliases


def test_a_members_bill_is_found_by_its_plain_number_too(tmp_path: Path) -> None:
    document = parse(tmp_path, law("<MainProvision/>"), "501AC1000000999.xml")
    assert U in document.nodes[0].aliases


def test_the_file_says_what_it_does_not_know(tmp_path: Path) -> None:
    document = parse(tmp_path, law("<MainProvision/>"), "law.xml")
    assert document.edition_date is None
    assert [part in "\n".join(document.warnings) for part in ("taken as 0", "came into force")] == [True, True]
    other = parse(tmp_path, law("<MainProvision/>"), "327AC0000000231.xml")
    assert "not that of the law inside" in other.warnings[0]


def test_an_answer_of_the_interface_states_id_and_date(tmp_path: Path) -> None:
    body = law(f"<MainProvision>{article('1', '第一条', paragraph(1, '凧。'))}</MainProvision>")
    first = f"<DataRoot><ApplData><LawId>501AC1000000999</LawId><LawFullText>{body}</LawFullText></ApplData></DataRoot>"
    second = (
        "<law_data_response><law_info><law_id>501AC1000000999</law_id></law_info><revision_info><law_revision_id>"
        "501AC1000000999_20250601_504AC0000000068</law_revision_id></revision_info>"
        f"<law_full_text>{body}</law_full_text></law_data_response>"
    )
    assert parse(tmp_path, first, "x.xml").corpus.urn == "urn:lex:jp:501ac1000000999"
    document = parse(tmp_path, second, "x.xml")
    assert document.corpus.urn == "urn:lex:jp:501ac1000000999"
    assert document.edition_date == date(2025, 6, 1)
    assert "1:1" in nodes(document)


def test_a_law_with_its_id_and_date_in_attributes_needs_no_wrapper(tmp_path: Path) -> None:
    attributes = (
        'Era="Heisei" Year="13" Num="001" LawType="MinisterialOrdinance" LawId="413M60000080001" '
        'EnforcementDate="2023/10/01"'
    )
    document = parse(
        tmp_path, law("<MainProvision/>", attributes=attributes, number="平成十三年文部科学省令第一号"), "x.xml"
    )
    assert document.corpus.urn == "urn:lex:jp:413m60000080001"
    assert document.edition_date == date(2023, 10, 1)
    assert not document.warnings


def test_a_repealed_law_ends_on_the_day_of_its_repeal(tmp_path: Path) -> None:
    body = law(f"<MainProvision>{article('1', '第一条', paragraph(1, '凧。'))}</MainProvision>")
    repeal = "<repeal_status>Repeal</repeal_status><repeal_date>{}</repeal_date>"
    wrapped = "<law_data_response><revision_info>{}</revision_info>{}</law_data_response>"
    document = parse(tmp_path, wrapped.format(repeal.format("2022-04-01"), body), "x.xml")
    assert {node.valid_to for node in document.nodes} == {date(2022, 4, 1)}
    assert document.nodes[0].tags["status"] == "repealed"
    undated = parse(tmp_path, wrapped.format(repeal.format(""), body), "x.xml")
    assert {node.valid_to for node in undated.nodes} == {None}
    assert any("does not say since when" in warning for warning in undated.warnings)


@pytest.mark.parametrize(
    ("xml", "cause"),
    [
        ("<DataRoot><ApplData/></DataRoot>", "holds 0 laws"),
        (f"<DataRoot>{law('')}{law('')}</DataRoot>", "holds 2 laws"),
        (law("", attributes='Era="Kanei" Year="1" Num="1" LawType="Act"'), "do not name a law"),
        (law("", attributes='Era="Reiwa" Year="1" Num="1" LawType="Ballad"'), "do not name a law"),
        (law("", number="令和二年法律第九百九十九号"), "name different laws"),
        (law("", number="令和元年法律第九百九十八号"), "name different laws"),
        (f"<DataRoot><LawId>502AC0000000999</LawId>{law('')}</DataRoot>", "does not fit"),
        (law("", attributes='Era="Reiwa" Year="1" Num="1" LawType="MinisterialOrdinance"', number=""), "law id cannot"),
        (f"<Law {ACT}><LawNum>{NUMBER}</LawNum></Law>", "no LawBody"),
        (main("<Article><ArticleTitle>某条</ArticleTitle></Article>"), "article without a number"),
        (main("<Chapter><ChapterTitle>総則</ChapterTitle></Chapter>"), "chapter without a number"),
        (main("<Part>" * 100 + "</Part>" * 100), "nested deeper"),
        ('<!DOCTYPE Law [<!ENTITY x "y">]>' + main("&x;"), "DOCTYPE"),
        (main("<Article>"), "not well-formed"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(tmp_path: Path, xml: str, cause: str) -> None:
    assert cause in refused(tmp_path, xml).cause
