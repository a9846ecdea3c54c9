"""Definitions, their scope, exceptions and terms in use in Japanese law, on invented laws and a published one."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from annotation_documents import by_form
from conftest import share_of
from egov_laws import NUMBER, U, article, item, law, paragraph, parse
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.annotation import annotate
from rag.ingest.formats.base import Source
from rag.ingest.formats.egov.xml import EgovXml
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.ja.rules import JapaneseTerms
from rag.law.nodes import Definition, ParsedDocument
from rag.law.term_uses import TermIndex


def document(folder: Path, *articles: str, after: str = "") -> ParsedDocument:
    """The law of these articles, all but the last in chapter 1, annotated."""
    chapters = "".join(
        f'<Chapter Num="{n}"><ChapterTitle>第{title}章　凧</ChapterTitle>{"".join(part)}</Chapter>'
        for n, title, part in ((1, "一", articles[:-1]), (2, "二", articles[-1:]))
    )
    parsed = parse(folder, law(f"<MainProvision>{chapters}</MainProvision>{after}", number=NUMBER))
    annotate(parsed, jurisdiction_for("jp"))
    return parsed


def one(text: str, below: str = "") -> str:
    return article("1", "第一条", paragraph(1, text, below))


LAST = article("9", "第九条", paragraph(1, "凧は、空を飛ぶ。"))


def definitions(folder: Path, *articles: str) -> list[Definition]:
    return by_form(document(folder, *articles, LAST))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("この法律において「凧」とは、糸で揚げる具をいう。", ["凧"]),
        ("この法律において「大凧」又は「小凧」とは、それぞれ次に定めるものをいう。", ["大凧", "小凧"]),
        ("「凧」とは大きいものをいい、「糸」とは細いものをいう。", ["凧", "糸"]),
        ("風の強い場所（以下「凧揚げ場」という。）で揚げる。", ["凧揚げ場"]),
        ("凧又は独楽（以下「凧等」と総称する。）を用いる。", ["凧等"]),
        ("凧を揚げる者（以下この条において単に「揚げ手」という。）は、走る。", ["揚げ手"]),
        ("揚げ手（凧を揚げる者をいう。以下同じ。）は、走る。", []),  # where the noun begins is a guess
        ("管理人（場所を守る者をいう。以下同じ。）は、走る。", ["管理人"]),
        ("凧は、管理人（場所を守る者をいう。以下同じ。）が見る。", ["管理人"]),
        ("場所の管理人（場所を守る者をいう。以下同じ。）は、走る。", []),
        ("管理人（場所を守る者をいう。）は、走る。", []),
        ("凧は、鳥とみなす。", []),
        ("凧は、鳥と推定する。", []),
        ("「凧」とはいえない。", []),
        ("「凧」とあるのは、「鳥」とする。", []),
        ("第三条中「鳥（以下「凧」という。）」とあるのは、「魚」とする。", []),
        ("「凧」という文字を書く。", []),
    ],
)
def test_terms_that_a_text_defines(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert [found.term for found in definitions(tmp_path, one(text))] == expected


@pytest.mark.parametrize(
    ("text", "scopes", "inferred"),
    [
        ("この法律において「凧」とは、具をいう。", ["law"], False),
        ("この章において「凧」とは、具をいう。", ["chapter_1"], False),
        ("この章及び第二章において「凧」とは、具をいう。", ["chapter_1", "chapter_2"], False),
        ("この条において「凧」とは、具をいう。", ["1"], False),
        ("「凧」とは、具をいう。", ["law"], True),
        ("この法律（第八十条を除く。）において「凧」とは、具をいう。", ["law"], False),
        ("この章（第二条を除く。）において「凧」とは、具をいう。", ["1"], False),
        ("この章において空について「凧」とは、具をいう。", ["chapter_1"], False),
        ("第二条第一項の「風」とは、空気をいう。", ["2:1"], False),
        ("第九条に規定する「凧」とは、具をいう。", ["9"], False),
        ("具（以下「凧」という。）", ["law"], False),
        ("具（以下この項、第二条及び第九条第一項において「凧」という。）", ["1:1", "2", "9:1"], False),
        ("具（第九条において「凧」という。）", ["9"], False),
        ("具（附則第八十条において「凧」という。）", ["1"], True),
    ],
)
def test_scope_is_what_the_phrase_names(tmp_path: Path, text: str, scopes: list[str], inferred: bool) -> None:
    second = article("2", "第二条", paragraph(1, "風が吹く。"))
    found = definitions(tmp_path, one(text), second)
    assert [each.scope_urn.removeprefix(f"{U}:").replace(U, "law") for each in found] == scopes
    assert {each.inferred for each in found} == {inferred}


def test_phrase_of_what_holds_from_its_place_on_says_so(tmp_path: Path) -> None:
    [found] = definitions(tmp_path, one("具（以下単に「凧」という。）"))
    assert found.phrase == "以下単に「凧」という"


def test_list_of_terms_takes_the_scope_of_its_lead_in(tmp_path: Path) -> None:
    below = item("1", "一", "大凧　大きい凧をいう。") + item("2", "二", "小凧　第九条に規定する凧をいう。")
    lead = "この章において、次の各号に掲げる用語の意義は、当該各号に定めるところによる。"
    found = definitions(tmp_path, one(lead, below))
    numbered = item("1", "一", "一 大凧　大きい凧をいう。")
    assert [each.term for each in definitions(tmp_path, one(lead, numbered))] == ["大凧"]
    assert [(each.term, each.scope_urn, each.inferred) for each in found] == [
        ("大凧", f"{U}:chapter_1", False),
        ("小凧", f"{U}:chapter_1", False),
    ]


def test_meaning_that_another_provision_has_is_a_reference(tmp_path: Path) -> None:
    text = "この法律において「空港」とは、空港法（昭和三十一年法律第八十号）第二条に規定する空港をいう。"
    [found] = definitions(tmp_path, one(text))
    assert (found.relation, found.reference_urn) == ("reference", "urn:lex:jp:331ac0000000080:2")


@pytest.mark.parametrize(("verb", "relation"), [("糸を含む", "includes"), ("糸を除く", "excludes")])
def test_bracket_that_widens_or_narrows_a_term_adds_to_it(tmp_path: Path, verb: str, relation: str) -> None:
    [found] = definitions(tmp_path, one(f"大凧（{verb}。以下この章において同じ。）を揚げる。"))
    assert (found.term, found.relation, found.scope_urn) == ("大凧", relation, f"{U}:chapter_1")


def test_supplementary_provision_defines_for_itself(tmp_path: Path) -> None:
    after = (
        '<SupplProvision AmendLawNum="令和三年五月一九日法律第三七号"><SupplProvisionLabel>附　則</SupplProvisionLabel>'
        + article("1", "第一条", paragraph(1, "この法律による改正前の凧揚げ法（以下「旧法」という。）第九条"))
        + "</SupplProvision>"
    )
    [found] = document(tmp_path, one("風が吹く。"), LAST, after=after).definitions
    assert (found.term, found.scope_urn) == ("旧法", f"{U}:sup.503ac37")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第二条及び第三条の規定にかかわらず、揚げる。", [("notwithstanding", "2"), ("notwithstanding", "3")]),
        ("第二条第一項に規定する場合を除き、揚げる。", [("subject_to", "2:1")]),
        ("第二条に該当する場合を除くほか、揚げる。", [("subject_to", "2")]),
        ("第二条に定めるものを除くほか、揚げる。", [("cites", "2")]),
        (
            "第三条（第二条に係る部分を除く。）の規定により取り消された者は、揚げる。",
            [("cites", "3"), ("cites", "2")],
        ),
        ("第三条（第二条に係る部分を除く。）の規定を準用する。", [("cites", "3"), ("disapplies", "2")]),
        ("第二条の期日から起算して変更するときは、許可を受けることを要しない。", [("cites", "2")]),
        ("第二条に別段の定めがある場合を除き、揚げる。", [("subject_to", "2")]),
        ("第二条から第九条まで（第三条を除く。）を準用する。", [("cites", "2"), ("cites", "9"), ("disapplies", "3")]),
        ("第二条の規定は、凧には、適用しない。", [("disapplies", "2")]),
        ("凧については、第二条の規定を適用しない。", [("disapplies", "2")]),
        ("凧については、第二条の規定を適用する。", [("cites", "2")]),
        ("第二条の規定は、第三条の場合には適用しない。", [("disapplies", "2"), ("cites", "3")]),
        ("第二条の規定は、凧に適用する。", [("cites", "2")]),
        (
            "第二条（第三条を除く。）及び第九条の規定は、凧には、適用しない。",
            [("disapplies", "2"), ("cites", "3"), ("disapplies", "9")],
        ),
        # What is taken out of the words that are not applied goes on to apply.
        ("第二条の規定（第三条を除く。）は、凧には、適用しない。", [("disapplies", "2"), ("cites", "3")]),
        ("第二条（第三条を除く。）の規定は、凧には、適用しない。", [("disapplies", "2"), ("cites", "3")]),
        (
            "第二条から第九条まで（第三条を除く。）の規定は、凧には、適用しない。",
            [("disapplies", "2"), ("disapplies", "9"), ("cites", "3")],
        ),
        ("第二条に規定する数については、条例で別段の定めをすることを妨げない。", [("limits", "2")]),
        ("第二条に規定する数については、条例で定めをすることができる。", [("cites", "2")]),
        ("第二条の規定により揚げる者は、鳥には適用しない。", [("cites", "2")]),
        ("第二条の凧であるとないとにかかわらず、揚げる。", [("cites", "2")]),
        ("揚げる。ただし、第二条に定める場合は、この限りでない。", [("subject_to", "2")]),
        ("市長は、第二条の登録を免除することができる。", [("limits", "2")]),
        ("第二条の登録は、凧には、受けることを要しない。", [("limits", "2")]),
        ("市長は、第二条の登録をすることができる。", [("cites", "2")]),
        ("第二条の規定は、凧に限り、適用する。", [("limits", "2")]),
        (
            "凧についての第二条の規定の適用については、同条中「鳥」とあるのは「凧」とする。",
            [("limits", "2"), ("cites", "2")],
        ),
        ("この条は、第二条に優先する。", [("notwithstanding", "2")]),
        ("第二条の規定は、凧については、この限りでない。", [("disapplies", "2")]),
        ("ただし、大きい凧は、この限りでない。", []),
        # A bracket may hold a sentence of its own.
        ("第二条の規定は、凧（鳥を含む。以下同じ。）には、適用しない。", [("disapplies", "2")]),
        ("第二条の規定は、凧に適用する。第三条の規定は、適用しない。", [("cites", "2"), ("disapplies", "3")]),
        ("この規定は、第二条の規定の適用を妨げない。", [("subject_to", "2")]),
    ],
)
def test_phrase_and_reference_give_kind_and_target(tmp_path: Path, text: str, expected: list[tuple[str, str]]) -> None:
    others = [article(str(n), f"第{sign}条", paragraph(1, "風が吹く。")) for n, sign in ((2, "二"), (3, "三"))]
    links = document(tmp_path, one(text), *others, LAST).links
    assert [(link.kind, link.target_urn.removeprefix(f"{U}:")) for link in links] == expected


@pytest.mark.parametrize(
    ("terms", "text", "expected"),
    [
        (["航空機"], "航空機は、当該航空機又は各航空機及び他の航空機等", ["航空機"] * 4),
        (["航空機"], "航空機使用者、有人航空機、航空機乗組員", []),
        (["航空機", "無人航空機"], "無人航空機は、航空機", ["無人航空機", "航空機"]),
        (["航空機", "航空機使用事業"], "航空機使用事業を", ["航空機使用事業"]),
        (["航空機", "航空機使用事業"], "航空機使用事業者を", []),
        (["ロケット"], "ロケットエンジンとロケット", ["ロケット"]),
        (["空港等の設置者", "空港等"], "空港等の設置者は、空港等を", ["空港等の設置者", "空港等"]),
        (["取締り"], "取締りをする", ["取締り"]),
        (["ＳＮＳ"], "ＳＮＳとSNSと", ["sns", "sns"]),
        (["法"], "方法は法による。法令", ["法"]),
        (["凧"], "第三条の凧", ["凧"]),
    ],
)
def test_term_is_used_where_its_script_ends(terms: list[str], text: str, expected: list[str]) -> None:
    rules = JapaneseTerms()
    index = TermIndex([rules.normalise(term) for term in terms], rules)
    assert [term for _, _, term in index.find(text)] == expected


@given(st.text(max_size=30))
@settings(max_examples=share_of(100))
def test_normalising_twice_changes_nothing(text: str) -> None:
    rules = JapaneseTerms()
    once = rules.normalise(text)
    assert rules.normalise(once) == once


def test_definition_reaches_the_provision_that_uses_its_term(tmp_path: Path) -> None:
    used = document(tmp_path, one("この法律において「凧」とは、糸で揚げる具をいう。"), LAST).used_terms
    assert used[f"{U}:9:1"] == ["凧"]


@cache
def aviation(path: Path) -> ParsedDocument:
    parsed = EgovXml().parse(Source(path, path.parent))
    annotate(parsed, jurisdiction_for("jp"))
    return parsed


@pytest.mark.data
def test_definitions_and_exceptions_of_a_published_law_are_those_counted_by_hand(shared_data: Path) -> None:
    parsed = aviation(next((shared_data / "jp-egov-xml").glob("*.xml")))
    root = parsed.urn
    places = {
        (definition.node_urn.removeprefix(f"{root}:"), definition.term): definition for definition in parsed.definitions
    }
    assert sum(place.phrase == "この法律において" for place in places.values()) == 22
    called = [place for place in places.values() if "という" in place.phrase]
    assert len(called) >= 0.95 * 61
    scopes = {(definition.term, definition.scope_urn.removeprefix(f"{root}:")) for definition in parsed.definitions}
    assert {("技能証明", f"chapter_{n}") for n in (4, 6, 8, 11)} <= scopes
    assert not any(definition.term.startswith("この") for definition in parsed.definitions)
    edges = {
        (link.source_urn.removeprefix(f"{root}:"), link.kind, link.target_urn.removeprefix(f"{root}:"))
        for link in parsed.links
    }
    assert {
        ("87:1", "notwithstanding", "65"), ("87:1", "notwithstanding", "66"), ("157:1:2", "subject_to", "156:1:2"),
        ("35:1", "disapplies", "28:1"), ("50:2", "subject_to", "49:4"),
    } <= edges  # fmt: skip
    kinds = Counter(kind for source, kind, _ in edges if not source.startswith("sup"))
    assert kinds["notwithstanding"] >= 16
    assert kinds["disapplies"] >= 20


@pytest.mark.parametrize(
    "text",
    [
        "第九条の規定の適用については、凧には、紙の鳥を含むものとする。",
        "第九条の規定の適用については、紙の鳥は、凧とみなす。",
    ],
)
def test_a_provision_adds_to_a_term_for_the_article_that_it_names(tmp_path: Path, text: str) -> None:
    meaning = one("この法律において「凧」とは、糸で揚げる具をいう。")
    found = definitions(tmp_path, meaning, article("2", "第二条", paragraph(1, text)))
    assert [(each.relation, each.scope_urn.rpartition(":")[2]) for each in found] == [
        ("means", U.rpartition(":")[2]),
        ("includes", "9"),
    ]
