"""HTML and Markdown: what a reader sees becomes text, what is hidden does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from joined_text import joined_text

from rag.ingest.formats.plain.blocks import Block, Cleaner
from rag.ingest.formats.plain.html import PlainHtml, PlainMarkdown, read_html
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.law.nodes import ParsedDocument
from retrieval.errors import IngestError


def texts(html: str) -> list[str]:
    return [block.text for block in read_html(html, Cleaner(), "page.html").blocks]


def parse(folder: Path, name: str, data: bytes) -> ParsedDocument:
    path = folder / name
    path.write_bytes(data)
    form = PlainMarkdown() if path.suffix == ".md" else PlainHtml()
    return form.parse(PlainSource(path, folder, place=Place("us-dc", "en")))


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>var secret = 1</script>", "<!-- secret -->", "<p hidden>secret</p>", "<template>secret</template>",
        '<p style="color:red; DISPLAY : none">secret</p>', '<b style="visibility:hidden">secret <i>secret</i></b>',
        '<span style="font-size:0">secret</span>', '<span style="opacity: 0;">secret</span>',
        "<svg><text>secret</text></svg>",
        '<b style="position:absolute; left:-9999px">secret</b>', '<b style="left:\t-9999px ! important">secret</b>',
        '<b style="text-indent: -9999px !important">secret</b>',
        '<b style="margin-left:-999em">secret</b>', '<b style="clip: rect(0 0 0 0)">secret</b>',
        '<b style="clip:rect(1px, 1px, 1px, 1px)">secret</b>', '<b style="clip-path:inset(50%)">secret</b>',
        '<b style="font-size:0px">secret</b>', '<b style="color:#FFF;background:white url(x)">secret</b>',
        '<b style="color: rgb(255, 255, 255); background-color: #ffffff">secret</b>',
        '<b style="color: transparent">secret</b>', '<b style="color:rgba(0,0,0,0)">secret</b>',
        '<b class="far">secret</b>', "<del>secret</del>", "<s>secret</s>", "<strike>secret</strike>",
        '<b style="text-decoration: line-through red">secret</b>', '<b class="struck">secret</b>',
        '<b style="transform: translateX(-9999px)">secret</b>', '<b class="imported">secret</b>',
        '<p class="other gone">secret</p>', '<p id="off">secret</p>', "<noscript>secret</noscript>",
        "<aside>secret</aside>",
        '<input value="secret">', '<img alt="secret" src="x">', "<iframe>secret</iframe>", "<![CDATA[secret]]>",
        "<?php secret ?>",
    ],
)  # fmt: skip
def test_what_a_reader_does_not_see_is_no_text(hidden: str) -> None:
    style = "<style>/* .seen{display:none} */ .gone, h6 #x {display:none} aside, p#off{ visibility: hidden }"
    style += ".far { left: -10000px } .struck { text-decoration-line: line-through }</style>"
    style += "<style>@import 'x.css'; .imported { display: none } /* .seen { display: none }</style>"
    assert texts(f"<html><head>{style}</head><body><p>Before {hidden} after.") in (
        ["Before after."], ["Before", "after."],
    )  # fmt: skip


@pytest.mark.parametrize(
    "seen",
    [
        '<b style="font-size:0.9em">seen</b>', '<b style="opacity:0.5">seen</b>', '<b class="seen">seen</b>',
        '<b style="left:-10px">seen</b>', '<b style="color:rgb(9,9,0)">seen</b>',
        '<b style="color:inherit;background:inherit">seen</b>', '<b style="color:#fff;background:#000">seen</b>',
        '<b style="clip:rect(0,90px,20px,0)">seen</b>', '<b aria-hidden="true">seen</b>', "<ins>seen</ins>",
        '<b class="print">seen</b>', '<b style="display:inline">seen</b>', "<x-note>seen</x-note>",
    ],
)  # fmt: skip
def test_what_a_reader_sees_is_text(seen: str) -> None:
    style = "<style>@media print { .print { display: none } } .seen { color: red } .a .seen { display:none }</style>"
    assert texts(f"{style}<p>Before {seen} after.") == ["Before seen after."]


@pytest.mark.parametrize(
    ("html", "blocks"),
    [
        ("<h1>A <b>lease</b></h1><p>One\n two.<br>Three.<p>Four",
         [Block("A lease", 1), Block("One two.\nThree."), Block("Four")]),
        ("<ol start=3><li>c<li><p>d</p><p>more</p><ul><li>x</ul></ol>end",
         [Block("3. c"), Block("4. d", tight=True), Block("more"), Block("- x", indent=1), Block("end")]),
        ("<ol><li><ul><li>a</ul><li><del>b</del></ol>c", [Block("1. - a", indent=1), Block("c")]),
        ("<table><caption>Fees</caption><tr><th>Pet<th>Fee<tr><td>A<br>cat<td><p>10</p><p>20</p></table>",
         [Block("Fees\nPet | Fee\nA cat | 10 20", rows=True)]),
        ("<table><tr><td><h2>Layout</h2><table><tr><td>a<td>b</table></table>",
         [Block("Layout", 2), Block("a | b", rows=True)]),
        ("<table><tr><td>a<ul><li>b<li>c</ul></table>after", [Block("a - b - c", rows=True), Block("after")]),
        ("10<sup>2</sup> m, rent<sup><a href=#n>1</a></sup>, 1<sup>er</sup>", [Block("10² m, rent[1], 1er")]),
        ("<pre>a\n  b</pre>c", [Block("a\nb"), Block("c")]),
        ("a &lt;b&gt; &amp;amp; &nbsp;c", [Block("a <b> &amp; c")]),
        ("<ul><li>a<ul><li>b<br>c<br><br>d</ul></ul>", [Block("- a"), Block("- b\n  c\n\n  d", tight=True, indent=1)]),
        ("<dl><dt>Rent<dd>money</dl>", [Block("Rent"), Block("money")]),
        ("", []), ("<p></p>", []),
    ],
)  # fmt: skip
def test_structure_is_kept(html: str, blocks: list[Block]) -> None:
    assert read_html(html, Cleaner(), "page.html").blocks == blocks


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    page = "<title>T</title><p hidden>ab cd</p><p>Dear <Name of Tenant>, <img src=x> hello<o:p></o:p>"
    document = parse(tmp_path, "a.html", page.encode())
    assert document.warnings == [
        "4 characters of hidden text are left out", "1 images or drawings are not read",
        "1 tags that HTML does not have (placeholders in angle brackets?) are left out; write &lt; for <",
    ]  # fmt: skip
    assert document.nodes[0].heading == "T"


@pytest.mark.parametrize(
    ("html", "text", "struck"),
    [
        ("The deposit is <del>500</del><ins>900</ins> dollars", "The deposit is 900 dollars", 3),
        ("A tenant<del> may </del>must pay", "A tenant must pay", 3),
        ("A tenant<del><p>may</p></del>must pay", "A tenant must pay", 3),
        ("tenants<del> and guests</del>, who", "tenants, who", 9),
        ("20<del>23</del><ins>24</ins>", "2024", 2),
        ("pay <s>now <b>and</b></s>\x1f later", "pay later", 6),
    ],
)
def test_deleted_text_is_counted_and_parts_what_it_parted(html: str, text: str, struck: int) -> None:
    cleaner = Cleaner()
    assert [block.text for block in read_html(html, cleaner, "page.html").blocks] == [text]
    assert cleaner.counts["struck"] == struck


def test_words_hidden_from_screen_readers_only_are_kept_and_counted_once() -> None:
    cleaner = Cleaner()
    read_html('<p aria-hidden="true">ab <b aria-hidden="true">cd</b></p><i aria-hidden="false">e</i>', cleaner, "a")
    assert [remark for remark in cleaner.remarks() if "aria-hidden" in remark] == [
        "4 characters that are hidden from screen readers only (aria-hidden) are kept; check them"
    ]


@pytest.mark.parametrize(
    ("data", "text", "remark"),
    [
        ('<meta charset="windows-1252"><p>Straße'.encode("cp1252"), "Straße",
         "is read as cp1252, the encoding it declares"),
        ('<meta charset="iso-8859-1"><p>Straße “a”'.encode("cp1252"), "Straße “a”", "is read as cp1252"),
        ('<meta charset="shift_jis"><p>家賃'.encode("shift_jis"), "家賃", "is read as shift_jis"),
        ('<meta charset="iso-8859-1"><p>Straße'.encode(), "Straße", "declares another encoding and is UTF-8"),
        ('<?xml version="1.0" encoding="utf-8"?><html><p>Straße'.encode(), "Straße", ""),
        ("<p>Straße".encode("utf-16"), "Straße", ""),
        (b'<html lang="de-AT"><p>Rent', "Rent", "the file says that its language is de; it is taken as en"),
    ],
)  # fmt: skip
def test_a_page_is_read_in_the_encoding_it_has(data: bytes, text: str, remark: str, tmp_path: Path) -> None:
    document = parse(tmp_path, "a.html", data)
    assert joined_text(document) == text
    assert len(document.warnings) == bool(remark)
    assert remark in "".join(document.warnings)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.html", "<p>Straße".encode("cp1252"), "is not valid utf-8"),
        ("a.html", '<meta charset="utf-8"><p>Straße'.encode("cp1252"), "is not valid utf-8"),
        ("a.html", '<meta charset="rot13"><p>Straße'.encode("cp1252"), "an encoding that is not known"),
        ("a.html", b"<div>" * 5000 + b"deep", "nested too deeply"),
        ("a.html", b"<p hidden>secret", "holds no words"),
        ("a.md", b"> " * 5000 + b"deep", "nested too deeply"),
        ("a.md", b"[" * 20000, "nested too deeply"),
        ("a.md", b"---\ntitle: Lease\n---\n", "holds no words"),
    ],
)
def test_what_cannot_be_read_whole_is_refused(name: str, data: bytes, said: str, tmp_path: Path) -> None:
    with pytest.raises(IngestError, match=said):
        parse(tmp_path, name, data)


def test_html_is_known_by_how_it_opens() -> None:
    form = PlainHtml()
    for head, claimed in (
        (b"\xef\xbb\xbf<!-- a --><!DOCTYPE html><title>", True), (b"<?xml version='1.0'?>\n<html xmlns='x'>", True),
        (b"<akomaNtoso>", False), (b"<?xml version='1.0'?><law><html/></law>", False), (b'{"html": "<html>"}', False),
        (b"<!DOCTYPE html [<!ENTITY x 'y'>]>", False),
    ):  # fmt: skip
        assert form.claims(Path("any"), head) is claimed
    assert form.claims(Path("any.HTM"), b"")


# --- Markdown --------------------------------------------------------------------------------------------------------


def test_markdown_has_headings_lists_and_tables_and_hides_what_html_hides(tmp_path: Path) -> None:
    text = (
        '---\ntitle: "Model lease"\nauthor: x\n---\n# Lease\n\n## Rent\n\nThe *tenant* pays [on time](u) &amp; in\n'
        "full, 1 < 2.\n\n3. one\n4. two\n\n|Pet|Fee|\n|-|-|\n|cat|10|\n\n<!-- secret --><b hidden>secret</b>\n\n"
        "## Deposit\n\n    code  here\n"
    )
    document = parse(tmp_path, "lease.md", text.replace("\n", "\r\n").encode())
    assert joined_text(document) == (
        "Lease\n\nRent\n\nThe tenant pays on time & in full, 1 < 2.\n\n3. one\n4. two\n\nPet | Fee\ncat | 10\n\n"
        "Deposit\n\ncode here"
    )
    assert [node.heading for node in document.nodes] == ["Model lease", "Lease > Rent", "Lease > Deposit"]
    assert document.nodes[0].tags["chunk_count"] == "2"
    assert document.nodes[0].tags["author"] == "x"
    assert document.warnings == ["6 characters of hidden text are left out"]


def test_an_exception_in_a_nested_list_hangs_on_its_rule(tmp_path: Path) -> None:
    text = (
        "- no dogs\n  1. except guide dogs\n     - in a harness\n\n       at all times\n- no cats\n- ~~no fish~~\n\nEnd"
    )
    document = parse(tmp_path, "a.md", text.encode())
    assert joined_text(document) == (
        "- no dogs\n  1. except guide dogs\n    - in a harness\n\n    at all times\n\n- no cats\n\nEnd"
    )
    assert document.warnings == ["6 characters of deleted or struck-out text are left out"]


def test_a_rule_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    assert joined_text(parse(tmp_path, "a.md", b"---\nA rule.\n\n---\nAnother.")) == "A rule.\n\nAnother."


def test_nesting_never_loses_words(tmp_path: Path) -> None:
    nested = "".join(f"{'  ' * depth}- item{depth}\n" for depth in range(40))
    document = parse(tmp_path, "a.md", nested.encode())
    assert [f"item{depth}" in joined_text(document) for depth in range(40)] == [True] * 40


def test_what_belongs_to_the_page_is_left_out_and_counted() -> None:
    cleaner = Cleaner()
    page = """<body><nav><a>Home</a> | <a>Laws</a></nav><div role="navigation">Up</div><h1>Ferry Act</h1>
        <article><p>A ferry stops.</p><footer>Note: since 2020.</footer></article><ul role="menu"><li>Print</ul>
        <p>Fares rise.</p><footer>Imprint Page 1</footer></body>"""
    reading = read_html(page, cleaner, "page.html")
    assert [block.text for block in reading.blocks] == [
        "Ferry Act", "A ferry stops.", "Note: since 2020.", "Fares rise.",
    ]  # fmt: skip
    assert cleaner.remarks() == ["28 characters of navigation, menus and page footers are left out"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<dl><dt>1.</dt><dd>a van;</dd><dt>(b)</dt><dd>a car.</dd></dl>", ["1. a van;", "(b) a car."]),
        ("<dl><dt>1.</dt><dd>a van:<dl><dt>a)</dt><dd>blue;</dd></dl></dd></dl>", ["1. a van:", "a) blue;"]),
        ("<dl><dt>Van</dt><dd>a large car.</dd></dl>", ["Van", "a large car."]),
        ("<dl><dt>3.</dt><dd></dd></dl><p>After", ["3.", "After"]),
        ("<dl><dt>3.</dt></dl><p>After", ["3.", "After"]),
    ],
)
def test_the_mark_of_an_item_stays_with_its_words(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ol type=A><li>x<li>y</ol>", ["A. x", "B. y"]),
        ("<style>.law ol.b{list-style-type:lower-roman}</style><ol class=b start=4><li>x<li>y</ol>", ["4. x", "5. y"]),
        ("<style>.law ol.b{list-style-type:lower-roman}</style><div class=law><ol class=b start=4><li>x</ol></div>",
         ["iv. x"]),
        ("<ol style='list-style: upper-latin inside'><li>x</ol>", ["A. x"]),
        ("<ol class=breadcrumb><li>Home</ol><p>law</p>", ["law"]),
        ("<table><tr><td>UB 3<td>Access<tr><td><td>(1)<td>A road<tr><td><td>(2)<td>A gate</table>",
         ["UB 3 Access", "(1) A road", "(2) A gate"]),
        ("<table><tr><td>7<td>Dogs<tr><td>8<td>Cats</table>", ["7. Dogs", "8. Cats"]),
        ("<table><tr><td>7<td>Dogs<td>$5<tr><td>8<td>Cats<td>$4</table>", ["7 | Dogs | $5\n8 | Cats | $4"]),
        ("<table><tr><td>Dogs<td>are kept<tr><td>Cats<td>too</table>", ["Dogs | are kept\nCats | too"]),
    ],
)  # fmt: skip
def test_numbers_that_a_browser_makes_and_cells_of_layout_are_read_as_they_are_seen(
    html: str, expected: list[str]
) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<table><tr><td>5<td>Licences<table><tr><td>(1)<td>One is due.<tr><td>(b)<td>It costs 5.</table></table>",
         ["5. Licences", "(1) One is due.", "(b) It costs 5."]),
        ("<table role=none><tr><td>Table 5<tr><td>(2)<td></table><p>After", ["Table 5", "(2)", "After"]),
        ("<table><tr><td><p>(1)</p><td><p>No camp.</p><p>But see below.</p><tr><td>(2)<td>No fire.</table>",
         ["(1) No camp.", "But see below.", "(2) No fire."]),
        ("<table><tr><td>Title<td>1.<td>This Act may be cited.<tr><td>Aim<td>2.<td>It parts boats.</table>",
         ["Title", "1. This Act may be cited.", "Aim", "2. It parts boats."]),
        ("<table><tr><td>第一条<td>目的を定める。<tr><td>２<td>町長が行う。</table>",
         ["第一条 目的を定める。", "２ 町長が行う。"]),
        ("<table><tr><td>Art. 1er<td>Le port ouvre.<tr><td>Art. 2 bis<td>Il ferme.</table>",
         ["Art. 1er Le port ouvre.", "Art. 2 bis Il ferme."]),
        ("<table><tr><th>No<th>Offence<tr><td>1<td>Parking.<tr><td>2<td>Leaving.</table>",
         ["No | Offence\n1 | Parking.\n2 | Leaving."]),
        ("<table><tr><td>1<td>12 dollars<tr><td>2<td>31 dollars</table>", ["1 | 12 dollars\n2 | 31 dollars"]),
        ("<table><tr><td>boat<td>a thing.<tr><td>car<td>another.</table>", ["boat | a thing.\ncar | another."]),
        ("<div><div>(1)</div><div>Dogs.</div></div><div><span>(2)</span><div>Cats.</div></div>",
         ["(1) Dogs.", "(2) Cats."]),
        ("<span class=n>§ 1</span><span>Title</span>", ["§ 1 Title"]),
        ("<b>Article 1</b><sup>er</sup> Objet", ["Article 1er Objet"]),
        ("<b>(a)</b>dogs", ["(a) dogs"]),
        ("<table><tr><td><p>1. Dogs.</p><p>2. Cats.</p></table>", ["1. Dogs.", "2. Cats."]),
        ("<table><tr><td>Menu<td><p>Of pets.</p><p>1. Dogs.</p><p>2. Cats.</p></table>",
         ["Menu", "Of pets.", "1. Dogs.", "2. Cats."]),
        ("<div>(2)</div>", ["(2)"]), ("(2)<ul></ul>", ["(2)"]),
        ("<dl><dt>Section 5<dd>Fees.<dt>6<dd>Tax.<dt>7<dd></dl>", ["Section 5 Fees.", "6. Tax.", "7."]),
    ],
)  # fmt: skip
def test_numbers_in_elements_of_their_own_stand_before_their_words(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ol reversed><li>c<li>b<li value=7>x<li>y</ol>", ["4. c", "3. b", "7. x", "6. y"]),
        ("<style>ol{list-style-type:lower-alpha} ol>li>ol{list-style:upper-roman}</style><ol><li>x<ol><li>y</ol></ol>",
         ["a. x", "I. y"]),
        ("<style>.law li{list-style-type:upper-roman}</style><div class=law><ol><li>x</ol></div><ol><li>y</ol>",
         ["I. x", "1. y"]),
        ("<ol style='list-style:none'><li>(a) x<li><span>(b)</span>Yes", ["(a) x", "(b) Yes"]),
        ("<ol style='list-style:katakana'><li>x</ol><ol style='list-style:cjk-ideographic' start=11><li>y</ol>",
         ["ア x", "十一 y"]),
        ("<style>ol{list-style:none} ol>li::before{content:'(' counter(n, lower-alpha) ')\\00a0'}</style>"
         "<ol><li>x<li>y</ol><ol style='counter-reset:n 4'><li>z</ol>", ["(a) x", "(b) y", "(e) z"]),
        ("<style>li:before{content:counters(n, '.') ' '}</style><ol><li>x<li>y<ol><li>z</ol><li>w</ol>",
         ["1 x", "2 y", "2.1 z", "3 w"]),
        ("<ul style='list-style-type:lower-latin'><li>x</ul><ol style='list-style:square'><li>y</ol>", ["a. x", "- y"]),
    ],
)  # fmt: skip
def test_items_have_the_numbers_that_a_browser_shows(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><a href=/>Home</a> » <a href=/c>Code</a> » Title 5</p><p>Law", ["Law"]),
        ("<p>Law<p><a href=4>‹ Article 4</a> | <a href=6>Article 6 ›</a>", ["Law"]),
        ("<div id=nav><a href=i>Code</a></div><ul class=menu><li>Home</ul><div class='share-buttons'>Tweet</div>Law",
         ["Law"]),
        ("<div class=cookie-banner><p>We use cookies.</p></div><p>Law", ["Law"]),
        ("<h2>1. Fees <a href=#f>¶</a></h2><p>Due. <a href=#top>Top</a></p>", ["1. Fees", "Due."]),
        ("".join(f"<p>Fee {n}.</p><p><a href=#p>Back to top</a></p>" for n in (1, 2, 3)),
         ["Fee 1.", "Fee 2.", "Fee 3."]),
        ("<p>See <a href=/a>Act</a> | <a href=/b>Order</a> too.", ["See Act | Order too."]),
        ("<p>The <a href=#d>flat</a>, a <a href=#d>flat</a>, the <a href=#d>flat</a>.",
         ["The flat, a flat, the flat."]),
        ("<p><a href=#5>§ 5 Fees</a></p>", ["§ 5 Fees"]),
        ("<div class=nav-content><p>Law</p></div><div class=menu><h1>Menus Act</h1></div>", ["Law", "Menus Act"]),
        ("<p>pay<sup><a href=#n>F2</a></sup> it", ["pay[F2] it"]),
    ],
)  # fmt: skip
def test_what_leads_about_a_page_is_no_text(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Repair[^1]: see.\n\n[^1]: Repealed.\n[^b]: See\n    more.\n\nEnd",
         ["Repair[1]: see.", "[1] Repealed.", "[b] See more.", "End"]),
        ("See [F1] and [x].\n\n[F1]: Substituted\n[x]: /law/5", ["See [F1] and x.", "[F1]: Substituted"]),
        ("1. a\n3. c\n4. d\n\n1. x\n1. y", ["1. a", "3. c", "4. d", "1. x", "2. y"]),
        ("1. x\n1. y\n", ["1. x", "2. y"]),
        ("1) a\n2) b\n   1. c", ["1) a", "2) b", "1. c"]),
        ("**(a)** one\n**(b)**Two\n\n**§ 5.**Title", ["(a) one\n(b) Two", "§ 5. Title"]),
        ("(a) x:\n\n    (1) a **term** of y\n\n        (A) deep", ["(a) x:", "(1) a term of y", "(A) deep"]),
        ("## § 5 Fees {#fees .x}\n\n## § 6 Tax <a id=t></a>[#](#t)", ["§ 5 Fees", "§ 6 Tax"]),
        ("Boat\n: a thing", ["Boat\n: a thing"]),
        ("a <!-- b\n\nc --> d <!-- e", ["a d <!-- e"]),
        ("[Home](/) > [Code](/c) > Title 5\n\n# Law\n\n[« Back](a) [On »](b)", ["Law"]),
        ("Home » Code » Title 5\n\n# Law\n\nA » B » C", ["Law", "A » B » C"]),
        ("第１条 目的\n２ 町長\n（１） 号。\n次の", ["第１条 目的\n２ 町長\n（１） 号。\n次の"]),
        ("| | |\n|-|-|\n| **1** | All dogs. |\n| **2** | Cats. |", ["1. All dogs.", "2. Cats."]),
        ("> (1) y\n>> (A) z", ["(1) y", "(A) z"]),
    ],
)  # fmt: skip
def test_markdown_is_read_as_it_is_printed(text: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(text)
    source = PlainSource(path, tmp_path, place=Place("us-dc", "en"))
    assert [block.text for block in PlainMarkdown().read(source, Cleaner()).blocks] == expected


def test_markdown_may_state_its_title_in_toml(tmp_path: Path) -> None:
    text = '+++\ntitle = "Ferry Act"\neffective = 2020-01-02\ntags = ["x"]\n+++\nA ferry stops.'
    root = parse(tmp_path, "a.md", text.encode()).nodes[0]
    assert (root.heading, str(root.valid_from)) == ("Ferry Act", "2020-01-02")
    assert joined_text(parse(tmp_path, "b.md", b"+++\nno table\n+++\nA.")) == "+++ no table +++ A."
