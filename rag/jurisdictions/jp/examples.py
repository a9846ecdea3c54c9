"""Written forms of Japanese references with what they must be read as; the contract test runs them."""

from __future__ import annotations

from rag.jurisdictions.jp.dates import CaseNumber
from retrieval.tag_query import NORMALIZE_PATTERNS, TagFilter, TagFilterOp, TagFilterSet, TagQuery, urn_query

_CIVIL = "urn:lex:jp:129ac0000000089"
_PENAL = "urn:lex:jp:140ac0000000045"
_CONSTITUTION = "urn:lex:jp:321constitution"
_COMPANIES = "urn:lex:jp:417ac0000000086"
_AVIATION = "urn:lex:jp:327ac0000000231"
_LABOUR = "urn:lex:jp:322ac0000000049"

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("民法第七百九条", (f"{_CIVIL}:709",)),
    ("民法709条", (f"{_CIVIL}:709",)),
    ("民法第７０９条", (f"{_CIVIL}:709",)),
    ("民法\u3000第\u00a0709\u00a0条", (f"{_CIVIL}:709",)),
    ("民法 第 七 百 九 条", (f"{_CIVIL}:709",)),
    ("民法第七〇九條", (f"{_CIVIL}:709",)),
    ("民法の415条1項", (f"{_CIVIL}:415:1",)),
    ("民法５４８条の２第１項第２号", (f"{_CIVIL}:548-2:1:2",)),
    ("民法第四百二十四条の九第一項ただし書", (f"{_CIVIL}:424-9:1",)),
    ("民法709条、710条及び715条1項", (f"{_CIVIL}:709", f"{_CIVIL}:710", f"{_CIVIL}:715:1")),
    ("民法第九百条から第九百二条まで", (f"{_CIVIL}:900", f"{_CIVIL}:902")),
    ("民法第九十五条第一項第一号又は第二号", (f"{_CIVIL}:95:1:1", f"{_CIVIL}:95:1:2")),
    ("民法第三条並びに同条第二項", (f"{_CIVIL}:3", f"{_CIVIL}:3:2")),
    ("憲法９条２項", (f"{_CONSTITUTION}:9:2",)),
    ("日本国憲法第十四条", (f"{_CONSTITUTION}:14",)),
    ("刑法199条及び民法709条", (f"{_PENAL}:199", f"{_CIVIL}:709")),
    ("会社法（平成十七年法律第八十六号）第二条第五号", (f"{_COMPANIES}:2:1:5",)),
    ("空港法（昭和三十一年法律第八十号）", ("urn:lex:jp:331ac0000000080",)),
    ("昭和27年法律第231号第131条の2の7第4項", (f"{_AVIATION}:131-2-7:4",)),
    ("航空法附則第2条第1項", (f"{_AVIATION}:sup:2:1",)),
    ("航空法附則（平成二十三年五月二五日法律第五〇号）第2条", (f"{_AVIATION}:sup.423ac50:2",)),
    ("航空法第百一条第一項第五号ホ", (f"{_AVIATION}:101:1:5:ho",)),
    ("労基法32条の4第1項", (f"{_LABOUR}:32-4:1",)),
    ("特商法9条", ("urn:lex:jp:351ac0000000057:9",)),
    ("ドイツ民法823条", ()),
    ("旧民法第五条", ()),
    ("海上衝突予防法第九条", ()),
    ("航空法施行規則（昭和二十七年運輸省令第五十六号）第五条", ()),
    ("平成30年(受)第269号", ()),
    ("民集72巻2号88頁", ()),
)  # fmt: skip


def _urn(urn: str, hint: str | None = None) -> TagQuery:
    return urn_query(urn, language="ja", hint=hint)


def _tags(tags: dict[str, str], hint: str | None = None) -> TagQuery:
    return TagQuery(language="ja", kind="legislation", tag_filters=TagFilterSet.from_tags(tags), hint=hint)


def _decision(hint: str, *filters: TagFilter) -> TagQuery:
    return TagQuery(language="ja", kind="decision", tag_filters=TagFilterSet(filters), hint=hint)


def _case(hint: str, case: CaseNumber, *filters: TagFilter) -> tuple[TagQuery, ...]:
    numbers = [TagFilter("case_number", TagFilterOp.NORMALIZE, form, _PLAIN) for form in case.forms]
    return tuple(_decision(hint, one, *filters) for one in numbers)


_PLAIN = NORMALIZE_PATTERNS["punctuation"]
_SEVERAL = "one of several provisions named"
_UNSURE = "an uncertain reading, or another edition of the law; this is the one in the store"
_SUPREME = "事件番号 平成30年(受)第269号 (最高裁判所)"
_ROOT = TagFilter("law_id", TagFilterOp.EXISTS)

_NO_WORD = "a number after the law's name, read as its article"

QUERY_EXAMPLES: tuple[tuple[str, tuple[TagQuery, ...]], ...] = (
    ("民法第七百九条", (_urn(f"{_CIVIL}:709"),)),
    ("民法 709 条", (_urn(f"{_CIVIL}:709"),)),
    ("民 法 第 七 百 九 条", (_urn(f"{_CIVIL}:709"),)),
    ("憲法９条２項の規定", (_urn(f"{_CONSTITUTION}:9:2"),)),
    ("民法", (_urn(_CIVIL),)),
    ("特商法", (_urn("urn:lex:jp:351ac0000000057"),)),
    ("昭和二十七年法律第二百三十一号", (_urn(_AVIATION),)),
    ("空港法（昭和三十一年法律第八十号）第二条", (_urn("urn:lex:jp:331ac0000000080:2"),)),
    ("民法（昭和27年法律第231号）第2条", (_urn(f"{_AVIATION}:2", _UNSURE),)),
    ("民法709条、710条", (_urn(f"{_CIVIL}:709", _SEVERAL), _urn(f"{_CIVIL}:710", _SEVERAL))),
    ("航空法附則第5項第2号", (_urn(f"{_AVIATION}:sup:5:2", _UNSURE),)),  # or of Article 5, its paragraph 2
    ("航空法附則第5条第2項", (_urn(f"{_AVIATION}:sup:5:2"),)),
    ("改正前の民法724条", (_urn(f"{_CIVIL}:724", _UNSURE),)),
    ("民709条", (_urn(f"{_CIVIL}:709", "民 is read as 民法"),)),
    ("海上衝突予防法第九条", (_tags({"article_number": "9", "code": "海上衝突予防法"}),)),
    ("海上衝突予防法第九条の二第一項第三号", (_tags({"provision": "9-2:1:3", "code": "海上衝突予防法"}),)),
    ("第709条", (_tags({"article_number": "709"}, "the law is not named"),)),
    ("海上衝突予防法", (
        TagQuery(language="ja", tag_filters=TagFilterSet((TagFilter("code", TagFilterOp.EQ, "海上衝突予防法"), _ROOT))),
        TagQuery(
            language="ja", hint="a law that is also called 海上衝突予防法",
            tag_filters=TagFilterSet((TagFilter("abbreviation", TagFilterOp.ILIKE, "海上衝突予防法"), _ROOT)),
        ),
    )),
    ("昭和27年運輸省令第56号", (
        TagQuery(language="ja", tag_filters=TagFilterSet.from_tags({"law_number": "昭和二十七年運輸省令第五十六号"})),
    )),
    ("平成30年(受)第269号", _case(_SUPREME, CaseNumber(4, 30, "受", 269))),
    ("平成三十年（受）第二百六十九号", _case(_SUPREME, CaseNumber(4, 30, "受", 269))),
    ("東京地裁 令和5年（ワ）第1号", _case("事件番号 令和5年(ワ)第1号 (東京地裁)", CaseNumber(5, 5, "ワ", 1),
                                TagFilter("court", TagFilterOp.ILIKE, "東京地"))),
    ("最高裁第三小法廷平成三十年五月三十一日判決", (
        _decision("最高裁判所 2018-05-31", TagFilter("court", TagFilterOp.ILIKE, "最高裁"),
                  TagFilter("date", TagFilterOp.EQ, "2018-05-31")),
    )),
    ("民法 709", (
        urn_query("urn:lex:jp:129ac0000000089:709", language="ja", hint=_NO_WORD),
    )),
    ("ドイツ民法823条", ()),
    ("平成30年5月31日", ()),
)  # fmt: skip
