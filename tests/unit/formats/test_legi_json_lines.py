"""What both formats of French law share: numbers, headings, alinéas; and the HTML of LEGI."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.formats.french.legi_html import LegiHtml
from rag.ingest.formats.french.lines import Line
from rag.ingest.formats.french.tree import article_nodes
from rag.jurisdictions.fr.naming import article_number, article_segment, container_heading, law_identity
from rag.law.nodes import ParsedNode, Tree
from retrieval.paths import child_path, root_path

CODE = "urn:lex:fr:code-des-phares"


def outlined(*lines: str) -> list[ParsedNode]:
    root = ParsedNode(f"{CODE}:9", CODE, "ARTICLE", "article", "9")
    return article_nodes(root, [Line(line) for line in lines], [])


def shape(*lines: str) -> list[tuple[str, str]]:
    return [(node.urn.removeprefix(f"{CODE}:9"), node.text) for node in outlined(*lines)]


# Numbers, names, headings


@pytest.mark.parametrize(
    ("printed", "number", "urn"),
    [
        ("L111-1", "L111-1", "l111-1"),
        ("L. 111-1", "L111-1", "l111-1"),
        ("R. * 133-1", "R*133-1", "r133-1"),
        ("R*133-1", "R*133-1", "r133-1"),
        ("L.O. 12-3", "LO12-3", "lo12-3"),
        ("1er", "1er", "1er"),
        ("liminaire", "liminaire", "liminaire"),
        ("préliminaire", "préliminaire", "preliminaire"),
        ("1649 quater-0 B bis", "1649 quater-0 B bis", "1649-quater-0-b-bis"),
        ("34-1 A", "34-1 A", "34-1-a"),
        ("Annexe II", "Annexe II", "annexe-ii"),
        ("1240", "1240", "1240"),
    ],
)
def test_an_article_number_has_one_spelling_and_one_segment(printed: str, number: str, urn: str) -> None:
    assert (article_number(printed), article_segment(printed)) == (number, urn)


@pytest.mark.parametrize(
    ("title", "urn"),
    [
        ("Code civil", "urn:lex:fr:code-civil"),
        ("Code de procédure pénale", "urn:lex:fr:code-de-procedure-penale"),
        ("Code général des impôts, CGI.", "urn:lex:fr:code-general-des-impots"),
        (
            "Code de l'entrée et du séjour des étrangers et du droit d'asile",
            "urn:lex:fr:code-de-l-entree-et-du-sejour-des-etrangers-et-du-droit-d-asile",
        ),
        ("Loi n° 78-17 du 6 janvier 1978 relative à l'informatique", "urn:lex:fr:loi-78-17"),
        ("Décret n° 2015-1342 du 23 octobre 2015", "urn:lex:fr:decret-2015-1342"),
    ],
)
def test_a_law_is_named_by_its_title_or_number(title: str, urn: str) -> None:
    assert law_identity(title).urn == urn


@pytest.mark.parametrize(
    ("printed", "level", "number", "title", "segment"),
    [
        ("Livre Ier : LES PHARES", "livre", "I", "LES PHARES", "livre_i"),
        ("Livre premier : Assiette", "livre", "I", "Assiette", "livre_i"),
        ("Titre IV bis : De la preuve", "titre", "IV bis", "De la preuve", "titre_iv-bis"),
        ("Titre : XIV : Des mesures", "titre", "XIV", "Des mesures", "titre_xiv"),
        ("Titre préliminaire : De la publication", "titre", "préliminaire", "De la publication", "titre_preliminaire"),
        ("Sous-section 2 : Œuvres d'art", "sous-section", "2", "Œuvres d'art", "sous-section_2"),
        ("Chapitre unique", "chapitre", "unique", "", "chapitre_unique"),
        ("Première partie : De la communauté", "partie", "I", "De la communauté", "partie_i"),
        ("Partie législative", "partie", "legislative", "législative", "partie_legislative"),
        ("Section 1 - Généralités", "section", "1", "Généralités", "section_1"),
        ("I : Revenus fonciers", "division", "I", "Revenus fonciers", "division_i"),
        (
            "Dispositions générales",
            "division",
            "dispositions-generales",
            "Dispositions générales",
            "division_dispositions-generales",
        ),
    ],
)
def test_a_container_heading_has_kind_number_and_title(
    printed: str, level: str, number: str, title: str, segment: str
) -> None:
    heading = container_heading(printed)
    assert (heading.level, heading.number, heading.title, heading.segment) == (level, number, title, segment)


# Alinéas


def test_an_article_of_one_line_is_one_node_that_answers_to_first_alinea() -> None:
    (node,) = outlined("Nul n'est censé ignorer la marée.")
    assert (node.content_text, node.intro_text) == ("Nul n'est censé ignorer la marée.", "")
    assert node.aliases == [f"{CODE}:9:al.1"]


def test_lines_without_designator_are_counted_alineas() -> None:
    assert shape("Un.", "Deux.", "Trois.") == [("", ""), (":al.1", "Un."), (":al.2", "Deux."), (":al.3", "Trois.")]


def test_items_are_cited_by_their_designators_and_counted_as_lines() -> None:
    nodes = outlined(
        "On entend par :", "1° Phare : une tour ;", "2° Public :", "a) Un marin ;", "b) Un gardien.", "Fin."
    )
    assert [(node.urn.removeprefix(f"{CODE}:9"), node.intro_text, node.content_text) for node in nodes] == [
        ("", "On entend par :", ""),
        (":1", "", "Phare : une tour ;"),
        (":2", "Public :", ""),
        (":2:a", "", "Un marin ;"),
        (":2:b", "", "Un gardien."),
        (":al.6", "", "Fin."),
    ]
    known = {alias: node.urn for node in nodes for alias in node.aliases}
    assert known[f"{CODE}:9:al.1"] == f"{CODE}:9"
    assert known[f"{CODE}:9:al.5"] == f"{CODE}:9:2:b"
    assert known[f"{CODE}:9:2:al.2"] == f"{CODE}:9:2:a"


def test_the_lead_in_of_a_later_list_is_its_parent_and_not_part_of_its_address() -> None:
    nodes = {
        node.urn.removeprefix(f"{CODE}:9"): node for node in outlined("Texte.", "Sont exclus :", "1° A ;", "2° B.")
    }
    assert nodes[":al.2"].intro_text == "Sont exclus :"
    assert nodes[":1"].parent_urn == f"{CODE}:9:al.2"


def test_numbers_restart_under_roman_numerals() -> None:
    lines = ("I.-Sont visés :", "1° A ;", "2° B.", "Suite du I.", "II. - Sont exclus :", "1° C ;", "III bis.-Fin.")
    assert shape(*lines)[1:] == [
        (":i", "Sont visés :"),
        (":i:1", "A ;"),
        (":i:2", "B."),
        (":i:al.4", "Suite du I."),
        (":ii", "Sont exclus :"),
        (":ii:1", "C ;"),
        (":iii-bis", "Fin."),
    ]


def test_a_list_that_starts_again_is_cited_through_its_lead_in_and_marked_ambiguous() -> None:
    nodes = {node.urn.removeprefix(f"{CODE}:9"): node for node in outlined("A :", "1° x ;", "2° y.", "B :", "1° z.")}
    assert nodes[":al.4:1"].text == "z."
    assert nodes[":1"].tags == nodes[":al.4:1"].tags == {"ambiguous": "true"}
    assert nodes[":2"].tags == {}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("1° bis A la demande ;", "2° B."), [":1-bis", ":2"]),
        (("1° A la demande ;", "2° B."), [":1", ":2"]),
        (("h) Huit ;", "i) Neuf."), [":h", ":i"]),
        (("a) Un :", "i) x ;", "ii) y."), [":a", ":a:i", ":a:ii"]),
        (("A.-Un ;", "B.-Deux ;", "C.-Trois."), [":a", ":b", ":c"]),
        (("II.-A.-Un.", "B.-Deux."), [":ii", ":ii:a", ":ii:b"]),
        (("II. - 1° a) Un.", "b) Deux.", "2° Trois."), [":ii", ":ii:1", ":ii:1:a", ":ii:1:b", ":ii:2"]),
        (("1. Un.", "1° x ;", "2° y.", "2. Deux."), [":1", ":1:1", ":1:2", ":2"]),
        (("1° et 2° (Abrogés) ;", "3° Trois."), [":1-2", ":3"]),
        (("Texte.", "L. 511-4 et L. 521-3 de ce code."), [":al.1", ":al.2"]),
        (("1° du I de cet article.", "Fin."), [":al.1", ":al.2"]),
        (("1. Seul.", "Fin."), [":al.1", ":al.2"]),
        (("Texte :", "-un ;", "- deux."), [":al.2", ":al.3"]),
        (("1° Un :", "- x ;", "- y ;", "2° Deux."), [":1", ":1:al.2", ":1:al.3", ":2"]),
        (("1° Un ;", "Suite du 1°.", "2° Deux."), [":1", ":1:al.2", ":2"]),
        (("1° Un ;", "1° Deux."), [":1", ":1~2"]),
    ],
)
def test_designators_open_and_continue_levels(lines: tuple[str, ...], expected: list[str]) -> None:
    assert [urn for urn, _ in shape(*lines)][1:] == expected


def test_repealed_items_say_so_and_a_range_answers_to_its_ends() -> None:
    nodes = outlined("Sont visés :", "1° et 2° (Abrogés) ;", "3° (Supprimé).", "4° Le phare abrogé.")
    assert [node.tags.get("status") for node in nodes] == [None, "repealed", "repealed", None]
    assert {f"{CODE}:9:1", f"{CODE}:9:2"} <= set(nodes[1].aliases)


words = st.from_regex(r"[ék]{2}[ék .;]{0,9}[ék:;.]", fullmatch=True)
marks = st.sampled_from(
    ["", "I. - ", "II.-", "A. - ", "1° ", "2° ", "3° bis ", "a) ", "b) ", "i) ", "- ", "1. ", "V. "]
)


@given(st.lists(st.builds(lambda mark, text: mark + text, marks, words), min_size=1, max_size=14))
def test_every_line_is_in_exactly_one_node_in_order_with_one_address(lines: list[str]) -> None:
    nodes = outlined(*lines)
    assert len({node.urn for node in nodes}) == len(nodes)
    tree = Tree(nodes)
    paths = {nodes[0].urn: root_path(nodes[0].urn)}
    for node in nodes[1:]:
        assert node.parent_urn is not None
        paths[node.urn] = child_path(paths[node.parent_urn], node.level, node.number)
        if tree.children(node.urn):
            assert not node.content_text
    assert len(set(paths.values())) == len(paths)
    texts = [node.text for node in nodes if node.text]
    assert len(texts) == len(lines)
    for text, line in zip(texts, lines, strict=True):
        assert line.endswith(text)
    counted = {alias: node for node in nodes for alias in [*node.aliases, node.urn]}
    assert [counted[f"{CODE}:9:al.{place}"].text for place in range(1, len(lines) + 1)] == texts


def test_lists_in_lists_without_end_stay_shallow() -> None:
    nodes = outlined(*["1° Sont visés :"] * 500)
    assert len(nodes) == 501
    assert max(node.urn.count(":") for node in nodes) < 20


# HTML


def html(fragment: str) -> list[Line]:
    return LegiHtml(lambda attributes: attributes.get("href", "")).read(fragment)


@pytest.mark.parametrize(
    ("fragment", "lines"),
    [
        ("<p><br/>Un.<br/>Deux.</p><p></p>Trois.", ["Un.", "Deux.", "Trois."]),
        ("<div align='left'>Un\n  et\u00a0demi<p>Deux</p></div>", ["Un et demi", "Deux"]),
        ("a &amp; b &lt; c&nbsp;; n<sup>o</sup> 1<sup>er</sup>", ["a & b < c ; no 1er"]),
        ("10<sup>2</sup> m<sup>2</sup>", ["10^2 m2"]),
        ("<ul><li>Un</li><li>Deux</li></ul>", ["Un", "Deux"]),
        ("Un <b>gras</b>, <i>ita</i>lique", ["Un gras, italique"]),
        ("Un <img src='x.png'/>", ["Un [image]"]),
        ("<table><tr><th>A<br/>1</th><th>B</th></tr><tr><td></td><td>C</td></tr></table>", ["A 1 | B\nC"]),
        ("<table><tr><td>A<table><tr><td>B</td></tr></table></td></tr></table>après", ["A\nB", "après"]),
        ("<table><tr><td>jamais fermé", ["jamais fermé"]),
        ("<p>   </p><br/>", []),
        ("<script>x()</script>Un<!-- rien -->", ["Un"]),
    ],
)
def test_html_gives_lines_and_tables(fragment: str, lines: list[str]) -> None:
    assert [line.text for line in html(fragment)] == lines


def test_links_become_marks_on_their_words_and_go_on_over_a_break() -> None:
    lines = html("Voir <a href='x'> l'article 2 </a>.<br/><a href='y'>un<br/>deux</a>")
    found = [(line.text[mark.start : mark.end], mark.target) for line in lines for mark in line.marks]
    assert found == [("l'article 2", "x"), ("un", "y"), ("deux", "y")]
