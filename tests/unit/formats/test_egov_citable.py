"""What the e-Gov parser writes so that references can find a provision: tags, and the URN of the law number alone."""

from __future__ import annotations

from pathlib import Path

from egov_laws import article, item, law, main, nodes, paragraph, parse

_BODY = article(
    "2", "第二条", paragraph(1, "凧は、次による。", item("1", "一", "赤い凧")), paragraph(2, "糸。", printed="２")
)


def test_paragraphs_and_items_bear_their_place_in_the_law(tmp_path: Path) -> None:
    found = nodes(parse(tmp_path, main(_BODY)))
    assert found["2:1:1"].tags == {"provision": "2:1:1", "code": "凧揚げ法"}
    assert found["2:2"].tags["provision"] == "2:2"
    assert "provision" not in found["2"].tags


def test_supplementary_provisions_bear_theirs(tmp_path: Path) -> None:
    body = f"<MainProvision>{_BODY}</MainProvision><SupplProvision>{_BODY}</SupplProvision>"
    found = nodes(parse(tmp_path, law(body)))
    assert found["sup:2:1"].tags["provision"] == "sup:2:1"


def test_law_of_a_members_bill_has_the_urns_that_its_number_gives(tmp_path: Path) -> None:
    found = nodes(parse(tmp_path, main(_BODY), "501AC1000000999_20240401_505AC0000000063.xml"))
    assert found["2:1:1"].urn == "urn:lex:jp:501ac1000000999:2:1:1"
    assert found["2:1:1"].aliases == ["urn:lex:jp:501ac0000000999:2:1:1"]


def test_law_whose_id_is_its_number_has_no_second_urns(tmp_path: Path) -> None:
    found = nodes(parse(tmp_path, main(_BODY)))
    assert found["2:1:1"].aliases == []
