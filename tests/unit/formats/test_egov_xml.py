"""The e-Gov parser on small invented laws: every shape of the standard law XML."""

from __future__ import annotations

from pathlib import Path

import pytest
from egov_laws import U, article, item, law, main, nodes, paragraph, parse, read
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from rag.ingest.formats.base import HEAD_BYTES
from rag.ingest.formats.egov.xml import EgovXml, Words


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        ('<?xml version="1.0" encoding="UTF-8"?>\n<Law Era="Showa" Lang="ja" LawType="Act" Num="1">', True),
        ('\ufeff<!-- x --><Law\n  LawType="Rule" Era="Heisei">', True),
        ("<DataRoot><Result><Code>0</Code></Result><ApplData><LawId>501AC0000000999</LawId>", True),
        ("<law_data_response><attached_files_info/>", True),
        ("<lawdata_response><law_full_text><Law>", True),
        ("<DataRoot><Result/><ApplData><Category>1</Category><LawNameListInfo>", False),
        ("<laws_response><total_count>7</total_count>", False),
        ("<Law>", False),
        ('<LawBody Era="Showa">', False),
        ('<Legislation DocumentURI="x">', False),
        ('<akomaNtoso><Law Era="Showa">', False),
        ('<uscDoc xmlns="x">', False),
        ('{"Law": "Era="}', False),
        ("", False),
    ],
)
def test_a_file_is_claimed_by_its_root_element(head: str, claimed: bool) -> None:
    assert EgovXml().claims(Path("any.xml"), head.encode()) is claimed


def test_a_list_of_laws_is_skipped_with_a_reason() -> None:
    head = b"<DataRoot><Result/><ApplData><Category>1</Category>"
    assert "list of laws" in EgovXml().skips(Path("x.xml"), head)
    assert not EgovXml().skips(Path("x.xml"), b"<DataRoot><ApplData><LawFullText><Law Era='Showa'>")


def test_containers_articles_paragraphs_and_items_have_their_addresses(tmp_path: Path) -> None:
    below = item(
        "1_2", "一の二", "凧", item("1", "イ", "糸", item("1", "（１）", "麻", name="Subitem2"), name="Subitem1")
    )
    rule = article("2_3", "第二条の三", paragraph(1, "次に掲げる物をいう。", below), caption="（定義）")
    found = read(
        tmp_path,
        '<Part Num="1"><PartTitle>第一編　総則</PartTitle>'
        '<Chapter Num="2_2"><ChapterTitle>第二章の二　凧</ChapterTitle>'
        f'<Section Num="1"><SectionTitle>第一節　紙</SectionTitle>{rule}</Section></Chapter></Part>',
    )
    assert found["part_1:chapter_2-2:section_1"].heading == "紙"
    assert found["part_1:chapter_2-2"].heading == "凧"
    assert found["part_1:chapter_2-2:section_1"].structure_type not in ("SECTION", "ARTICLE")
    assert found["2-3"].parent_urn == f"{U}:part_1:chapter_2-2:section_1"
    assert (found["2-3"].heading, found["2-3"].number) == ("定義", "2-3")
    assert found["2-3"].tags == {"article_number": "2-3", "code": "凧揚げ法"}
    assert (found["2-3:1"].intro_text, found["2-3:1"].content_text) == ("次に掲げる物をいう。", "")
    assert [found[value].structure_type for value in ("2-3:1", "2-3:1:1-2", "2-3:1:1-2:i", "2-3:1:1-2:i:1")] == [
        "PARAGRAPH", "ITEM", "CLAUSE", "CLAUSE",
    ]  # fmt: skip
    assert found["2-3:1:1-2:i:1"].content_text == "麻"


def test_supplementary_provisions_are_apart_and_named_by_the_amending_law(tmp_path: Path) -> None:
    label = "<SupplProvisionLabel>附　則</SupplProvisionLabel>"
    rule = article("1", "第一条", paragraph(1, "凧。"))
    found = nodes(
        parse(
            tmp_path,
            law(
                f"<MainProvision>{rule}</MainProvision><SupplProvision>{label}{rule}</SupplProvision>"
                f'<SupplProvision AmendLawNum="令和三年五月一九日法律第三七号" Extract="true">{label}'
                f"{paragraph(7, '施行する。', printed='７')}</SupplProvision>"
            ),
        )
    )
    assert {"1", "1:1", "sup", "sup:1", "sup:1:1", "sup.503ac37", "sup.503ac37:7"} <= found.keys()
    assert found["sup:1"].tags["supplementary_article_number"] == "1"
    assert "article_number" not in found["sup:1"].tags
    assert found["sup.503ac37"].tags == {
        "supplementary_provision": "令和三年五月一九日法律第三七号", "promulgated": "2021-05-19", "extract": "true",
    }  # fmt: skip
    # No article stands above it, so it is the unit that people cite.
    assert found["sup.503ac37:7"].structure_type == "ARTICLE"


def test_an_amending_law_of_unknown_kind_is_named_by_its_place_and_reported(tmp_path: Path) -> None:
    rule = paragraph(1, "凧。")
    document = parse(tmp_path, law(f'<SupplProvision AmendLawNum="某覚書">{rule}</SupplProvision>'))
    assert "sup.n1:1" in nodes(document)
    assert "sup.n1" in document.warnings[0]


@pytest.mark.parametrize(
    ("num", "title", "urn", "aliases"),
    [
        ("121:122", "第百二十一条及び第百二十二条", "121..122", ["121", "122"]),
        ("138:142", "第百三十八条から第百四十二条まで", "138..142", ["138", "140", "141", "142"]),
        ("10_2:10_4", "第十条の二から第十条の四まで", "10-2..10-4", ["10-2", "10-3", "10-4"]),
        ("10_9:12", "第十条の九から第十二条まで", "10-9..12", ["10-9", "12"]),
    ],
)
def test_a_range_of_deleted_articles_answers_for_each(
    tmp_path: Path, num: str, title: str, urn: str, aliases: list[str]
) -> None:
    alive = article("139", "第百三十九条", paragraph(1, "凧。"))
    found = read(tmp_path, article(num, title, paragraph(1, "削除")) + alive)
    assert found[urn].aliases == [f"{U}:{aliase}" for aliase in aliases]
    assert found[urn].tags["status"] == "repealed"
    assert "status" not in found["139"].tags


def test_deleted_items_and_chapters_are_marked(tmp_path: Path) -> None:
    below = item("1", "一", "凧") + item("2", "二及び三", "削除").replace('Num="2"', 'Num="2:3"')
    found = read(
        tmp_path,
        article("1", "第一条", paragraph(1, "次の物", below))
        + '<Chapter Num="3" Delete="true"><ChapterTitle>第三章　削除</ChapterTitle></Chapter>',
    )
    assert found["1:1:2..3"].tags["status"] == "repealed"
    assert found["1:1:2..3"].aliases == [f"{U}:1:1:2", f"{U}:1:1:3"]
    assert found["chapter_3"].tags["status"] == "repealed"
    assert "status" not in found["1"].tags


def test_ruby_readings_are_dropped_and_counted(tmp_path: Path) -> None:
    document = parse(tmp_path, main(article("1", "第一条", paragraph(1, "禁<Ruby>錮<Rt>こ</Rt></Ruby>以上"))))
    assert nodes(document)["1:1"].content_text == "禁錮以上"
    assert document.warnings == [f"{document.source}: left out on purpose: 1 ruby readings"]


def test_sentences_run_on_and_columns_are_parted(tmp_path: Path) -> None:
    two = "<ParagraphSentence><Sentence>揚げる。</Sentence>\n<Sentence Function='proviso'>ただし、夜を除く。</Sentence>"
    columns = "<Column Num='1'><Sentence>凧</Sentence></Column><Column Num='2'><Sentence>紙</Sentence></Column>"
    found = read(
        tmp_path,
        article(
            "1", "第一条",
            f'<Paragraph Num="1"><ParagraphNum/>{two}</ParagraphSentence><Item Num="1"><ItemTitle>一</ItemTitle>'
            f"<ItemSentence>{columns}</ItemSentence></Item></Paragraph>",
        ),
    )  # fmt: skip
    assert found["1:1"].intro_text == "揚げる。ただし、夜を除く。"
    assert found["1:1:1"].content_text == "凧 紙"


def test_tables_are_rows_and_words_after_items_are_flush_text(tmp_path: Path) -> None:
    cell = "<TableColumn><Sentence>{}</Sentence></TableColumn>"
    rows = "".join(f"<TableRow>{cell.format(one)}{cell.format(two)}</TableRow>" for one, two in ("甲乙", "丙丁"))
    table = f"<TableStruct><TableStructTitle>表</TableStructTitle><Table>{rows}</Table></TableStruct>"
    below = item("1", "一", "凧") + "<List><ListSentence><Sentence>以上</Sentence></ListSentence></List>"
    found = read(tmp_path, article("1", "第一条", paragraph(1, "次の表", table), paragraph(2, "次の物", below)))
    assert found["1:1"].content_text == "次の表\n表\n甲 | 乙\n丙 | 丁"
    assert (found["1:2"].intro_text, found["1:2"].content_text) == ("次の物", "以上")


def test_words_between_items_keep_their_place(tmp_path: Path) -> None:
    words = "<List><ListSentence><Sentence>並びに</Sentence></ListSentence></List>"
    document = parse(tmp_path, main(article("1", "第一条", paragraph(1, "", item("1", "一", "凧") + words
                                                                  + item("2", "二", "糸")))))  # fmt: skip
    assert [node.text for node in document.nodes[3:]] == ["凧", "並びに", "糸"]
    assert "1:1:p.1" in nodes(document)


def test_appended_tables_notes_and_remarks_are_nodes(tmp_path: Path) -> None:
    row = "<TableStruct><Table><TableRow><TableColumn><Sentence>凧</Sentence></TableColumn></TableRow></Table>"
    remarks = f"<Remarks><RemarksLabel>備考</RemarksLabel>{item('1', '一', '紙に限る。')}</Remarks>"
    related = "<RelatedArticleNum>（第一条関係）</RelatedArticleNum>"
    found = nodes(
        parse(
            tmp_path,
            law(
                f'<AppdxTable Num="1"><AppdxTableTitle>別表第二の三</AppdxTableTitle>{related}{row}{remarks}'
                "</TableStruct></AppdxTable><AppdxStyle><AppdxStyleTitle>様式</AppdxStyleTitle><StyleStruct><Style>"
                "<Fig src='x.jpg'/></Style></StyleStruct></AppdxStyle>"
            ),
        )
    )
    assert found["table.2-3"].heading == "別表第二の三（第一条関係）"
    assert found["table.2-3"].intro_text == "凧"
    assert found["table.2-3"].structure_type == "APPENDIX"
    assert (found["table.2-3:remarks"].structure_type, found["table.2-3:remarks"].heading) == ("NOTE", "備考")
    assert found["table.2-3:remarks:1"].content_text == "紙に限る。"
    assert found["style"].heading == "様式"


def test_quoted_provisions_of_other_acts_are_left_out_and_counted(tmp_path: Path) -> None:
    quoted = article("5", "第五条", paragraph(1, "他法。"))
    amending = (
        "<AmendProvision><AmendProvisionSentence><Sentence>第五条を次のように改める。</Sentence></AmendProvisionSentence>"
        f"<NewProvision>{quoted}</NewProvision></AmendProvision>"
    )
    document = parse(tmp_path, main(article("1", "第一条", paragraph(1, "改正する。", amending))))
    found = nodes(document)
    assert found["1:1"].content_text == "改正する。\n第五条を次のように改める。"
    assert "5" not in found
    assert "1 quoted provisions" in document.warnings[-1]


def test_the_table_of_contents_and_figures_are_counted(tmp_path: Path) -> None:
    fig = "<FigStruct><Fig src='x'/></FigStruct>"
    toc = "<TOC><TOCLabel>目次</TOCLabel></TOC>"
    document = parse(tmp_path, law(f"{toc}<MainProvision>{article('1', '第一条', paragraph(1, '図', fig))}"
                                   "</MainProvision>"))  # fmt: skip
    assert "1 figures" in document.warnings[-1]
    assert "1 tables of contents" in document.warnings[-1]
    assert all("目次" not in node.text for node in document.nodes)


def test_enacting_words_and_the_preamble_are_kept(tmp_path: Path) -> None:
    found = nodes(
        parse(
            tmp_path,
            law(f"<EnactStatement>ここに公布する。</EnactStatement><Preamble>{paragraph(1, '日本国民は、')}</Preamble>"
                "<MainProvision/>"),
        )
    )  # fmt: skip
    assert found[""].intro_text == "ここに公布する。"
    assert found["preamble:1"].content_text == "日本国民は、"


def test_paragraphs_of_a_law_without_articles_are_its_units(tmp_path: Path) -> None:
    found = read(tmp_path, paragraph(1, "凧。") + paragraph(2, "糸。", printed="②"))
    assert (found["2"].structure_type, found["2"].tags["paragraph_number"]) == ("ARTICLE", "2")


def test_a_second_provision_of_one_number_is_kept_and_reported(tmp_path: Path) -> None:
    rule = article("1", "第一条", paragraph(1, "凧。"))
    document = parse(tmp_path, main(rule + rule.replace("凧", "糸")))
    assert nodes(document)["1~2:1"].content_text == "糸。"
    assert f"a second {U}:1 " in document.warnings[0]


def test_the_printed_number_wins_over_the_attribute_and_is_reported(tmp_path: Path) -> None:
    document = parse(tmp_path, main(article("3", "第四条", paragraph(1, "凧", item("1", "二", "糸")))))
    assert {"4", "4:1:2"} <= nodes(document).keys()
    assert len(document.warnings) == 2


def test_designators_that_cannot_be_read_are_cited_by_their_attribute(tmp_path: Path) -> None:
    below = item("1", "甲", "凧") + "<Item><ItemSentence><Sentence>糸</Sentence></ItemSentence></Item>"
    document = parse(tmp_path, main(article("1", "第一条", paragraph(1, "次の物", below))))
    assert nodes(document)["1:1:1"].content_text == "凧"
    assert nodes(document)["1:1:p.1"].content_text == "糸"
    assert "cannot be read" in document.warnings[0]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("十平方メートル（m<Sup>2</Sup>）", "十平方メートル（m²）"),
        ("H<Sub>2</Sub>O", "H₂O"),
        ("10<Sup>甲</Sup>", "10^(甲)"),
        ("<Line Style='solid'>下線</Line>部", "下線部"),
        ("前<QuoteStruct><Sentence>引用</Sentence></QuoteStruct>後", "前引用後"),
        ("<ArithFormula>a＝b<Fig src='x'/></ArithFormula>", "a＝b"),
    ],
)
def test_mark_up_inside_a_sentence_never_changes_its_meaning(tmp_path: Path, markup: str, text: str) -> None:
    assert read(tmp_path, article("1", "第一条", paragraph(1, markup)))["1:1"].content_text == text


@pytest.mark.parametrize(
    ("title", "urn"),
    [
        ("別表", "style.7"), ("第一号様式（第五条関係）", "style.1"), ("様式第１", "style.1"),
        ("別記様式第三号の二", "style.3-2"),
        ("別記第二（第三条関係）", "style.2"), ("様式（第四条関係）", "style.7"),
    ],
)  # fmt: skip
def test_appended_parts_are_numbered_as_printed(tmp_path: Path, title: str, urn: str) -> None:
    xml = f'<AppdxStyle Num="7"><AppdxStyleTitle>{title}</AppdxStyleTitle></AppdxStyle>'
    found = nodes(parse(tmp_path, law(xml)))
    assert found[urn].heading == title


NAMES = ("Note", "Sentence", "Line", "List", "Column", "Unheard", "TableRow", "TableColumn", "ItemSentence", "Ruby")
TEXT = st.text(alphabet="凧糸紙、。 ", max_size=4)


def wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    several = st.lists(inner, max_size=3).map("".join)
    return st.tuples(TEXT, st.sampled_from(NAMES), several, TEXT).map(lambda t: f"{t[0]}<{t[1]}>{t[2]}</{t[1]}>{t[3]}")


@settings(max_examples=60)
@given(st.recursive(TEXT, wrapped, max_leaves=10))
def test_no_word_of_any_mark_up_is_lost_or_moved(inside: str) -> None:
    element = etree.fromstring(f"<Style>{inside}</Style>")
    kept = "".join(Words().text(element).replace("|", "").split())
    assert kept == "".join("".join(element.itertext()).split())


@pytest.mark.data
def test_of_all_shared_folders_only_the_law_is_claimed(shared_data: Path) -> None:
    claimed: list[str] = []
    for folder in sorted(path for path in shared_data.iterdir() if path.is_dir()):
        for path in [path for path in sorted(folder.rglob("*")) if path.is_file()][:40]:
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
            if EgovXml().claims(path, head) or EgovXml().skips(path, head):
                claimed.append(folder.name)
    assert claimed == ["jp-egov-xml"]
