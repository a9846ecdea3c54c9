from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.french.legi_json import OPEN_END, LegiJson, legi_date
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

CODE = "urn:lex:fr:code-des-phares"
CANARY = "Quillfeather 4711"
DAY = 86_400_000
JAN_2020 = 18_262 * DAY


def ident(kind: str, number: int) -> str:
    return f"LEGI{kind}{number:012d}"


def article(number: int, num: str | None, html: str, **fields: Any) -> dict[str, Any]:
    data = {
        "id": ident("ARTI", number),
        "cid": ident("ARTI", number),
        "num": num,
        "texteHtml": html,
        "texte": "",
        "etat": "VIGUEUR",
        "dateDebut": JAN_2020,
        "dateFin": OPEN_END,
    }
    return {"type": "article", "data": data | fields}


def section(number: int, title: str, *children: dict[str, Any], **fields: Any) -> dict[str, Any]:
    data = {"id": ident("SCTA", number), "cid": ident("SCTA", number), "title": title, "etat": "VIGUEUR"}
    return {"type": "section", "data": data | fields, "children": list(children)}


def code(*children: dict[str, Any], **fields: Any) -> dict[str, Any]:
    data = {
        "id": ident("TEXT", 1),
        "cid": ident("TEXT", 1),
        "title": "Code des phares",
        "dateDebutVersion": "2024-05-01",
    }
    return {"data": data, "type": "code", "children": list(children)} | fields


def parsed(folder: Path, tree: object) -> ParsedDocument:
    path = folder / "code.json"
    path.write_bytes(tree if isinstance(tree, bytes) else json.dumps(tree, ensure_ascii=False).encode())
    document = LegiJson().parse(Source(path, folder))
    build_rows(document, None)  # one address each, or it raises
    return document


def by_urn(document: ParsedDocument) -> dict[str, ParsedNode]:
    return {node.urn.removeprefix(f"{CODE}:"): node for node in document.nodes}


def test_a_code_is_its_own_root_with_containers_articles_and_tags(tmp_path: Path) -> None:
    one = article(10, "L111-1", "<p>Un phare éclaire.</p>")
    document = parsed(
        tmp_path,
        code(section(2, "Livre Ier : DES FEUX ", section(3, "Titre II : Des lampes\n", one), dateDebut="2019-01-01")),
    )
    nodes = by_urn(document)
    assert document.urn == document.corpus.urn == CODE
    assert (document.corpus.title, document.corpus.language) == ("Code des phares", "fr")
    assert document.edition_date == date(2024, 5, 1)
    titre = nodes["livre_i:titre_ii"]
    assert (titre.kind, titre.structure_type, titre.level, titre.heading) == ("section", "TITLE", "titre", "Des lampes")
    assert nodes["livre_i"].valid_from == date(2019, 1, 1)
    found = nodes["l111-1"]
    assert (found.structure_type, found.level, found.parent_urn) == ("ARTICLE", "article", titre.urn)
    assert found.tags["article_number"] == "L111-1"
    assert found.tags["code"] == "Code des phares"
    assert (found.valid_from, found.valid_to) == (date(2020, 1, 1), None)
    assert {"fr.legiarti000000000010", "LEGIARTI000000000010"} <= set(found.aliases)


def test_ids_of_versions_that_were_in_force_are_aliases_and_others_are_counted(tmp_path: Path) -> None:
    versions = [
        {"id": ident("ARTI", 8), "etat": "MODIFIE", "dateDebut": 0, "dateFin": JAN_2020},
        {"id": ident("ARTI", 7), "etat": "MODIFIE_MORT_NE", "dateDebut": JAN_2020, "dateFin": 0},
        {"id": ident("ARTI", 6), "etat": "MODIFIE", "dateDebut": DAY, "dateFin": DAY},
    ]
    change = {
        "linkType": "MODIFIE", "linkOrientation": "cible", "textTitle": "LOI n°2026-403", "articleNum": "- art. 11",
        "articleId": ident("ARTI", 44),
    }  # fmt: skip
    one = article(
        10, "1", "<p>Texte.</p>", cid=ident("ARTI", 8), articleVersions=versions, lienModifications=[{}, change]
    )
    document = parsed(tmp_path, code(one))
    node = by_urn(document)["1"]
    assert "fr.legiarti000000000008" in node.aliases
    assert not {"fr.legiarti000000000007", "fr.legiarti000000000006"} & set(node.aliases)
    assert node.tags["cid"] == ident("ARTI", 8)
    assert any(warning.startswith("2 versions in the lists") for warning in document.warnings)
    assert any(warning.startswith("1 other versions") for warning in document.warnings)
    assert [(link.kind, link.reference, link.properties["id"]) for link in document.links] == [
        ("amended_by", "LOI n°2026-403 - art. 11", "fr.legiarti000000000044")
    ]


def test_articles_never_in_force_are_dropped_with_a_count(tmp_path: Path) -> None:
    dead = article(11, "2", CANARY, dateDebut=DAY, dateFin=DAY)
    unborn = article(12, "3", CANARY, etat="MODIFIE_MORT_NE")
    document = parsed(tmp_path, code(article(10, "1", "Un."), dead, unborn))
    assert set(by_urn(document)) == {CODE, "1"}
    assert any(warning.startswith("2 articles were never in force") for warning in document.warnings)


def test_versions_of_one_number_are_nodes_of_one_urn_with_disjoint_dates(tmp_path: Path) -> None:
    now = article(10, "1", "<p>Un.</p><p>Deux.</p>", dateDebut=0, dateFin=JAN_2020)
    later = article(11, "1", "<p>Tout autre chose.</p>", etat="VIGUEUR_DIFF")
    document = parsed(tmp_path, code(later, now))
    found = [(n.urn, n.valid_from, n.valid_to) for n in document.nodes if n.level == "article"]
    # In the order of time, wherever they stand in the source.
    assert found == [
        (f"{CODE}:1", date(1970, 1, 1), date(2020, 1, 1)),
        (f"{CODE}:1", date(2020, 1, 1), None),
    ]
    assert [n.tags.get("status") for n in document.nodes if n.level == "article"] == [None, "not_yet_in_force"]


def test_two_texts_in_force_under_one_number_are_kept_as_ambiguous(tmp_path: Path) -> None:
    document = parsed(tmp_path, code(article(10, "1", "Un."), article(11, "1", "Tout autre chose.")))
    nodes = by_urn(document)
    assert (nodes["1"].text, nodes["1~2"].text) == ("Un.", "Tout autre chose.")
    assert nodes["1"].tags["ambiguous"] == nodes["1~2"].tags["ambiguous"] == "true"
    assert any("1~2" in warning for warning in document.warnings)


def test_a_repeated_article_is_kept_once(tmp_path: Path) -> None:
    document = parsed(tmp_path, code(article(10, "1", "Un."), article(10, "1", "Un.")))
    assert set(by_urn(document)) == {CODE, "1"}
    assert any("printed twice" in warning for warning in document.warnings)


def test_containers_of_one_number_are_kept_apart_and_marked(tmp_path: Path) -> None:
    first, second = section(2, "Section 1 : A", article(10, "1", "Un.")), section(3, "Section 1 : B")
    nodes = by_urn(parsed(tmp_path, code(first, second)))
    assert nodes["section_1"].tags == {"ambiguous": "true"}
    assert nodes["section_1~2"].tags == {"ambiguous": "true", "empty": "true"}


def test_a_nota_is_a_note_beside_the_text(tmp_path: Path) -> None:
    document = parsed(tmp_path, code(article(10, "1", "Un.", notaHtml="<p>Conformément à la loi.<br/>Voir.</p>")))
    nodes = by_urn(document)
    assert nodes["1"].text == "Un."
    note = nodes["1:nota"]
    assert (note.structure_type, note.kind, note.text) == ("NOTE", "notice", "Conformément à la loi.\nVoir.")


def test_a_table_is_a_node_of_rows_and_no_alinea(tmp_path: Path) -> None:
    html_text = "<p>Voici :</p><table><tr><td>A</td><td>B</td></tr><tr><td>C</td><td>D</td></tr></table><p>Fin.</p>"
    nodes = by_urn(parsed(tmp_path, code(article(10, "1", html_text))))
    assert nodes["1"].intro_text == "Voici :"
    assert (nodes["1:tab.1"].structure_type, nodes["1:tab.1"].text) == ("TABLE", "A | B\nC | D")
    assert nodes["1:al.2"].text == "Fin."


def test_links_point_to_urns_where_the_publisher_names_the_article(tmp_path: Path) -> None:
    base = "/affichCodeArticle.do?cidTexte=X&idArticle="
    text = (
        f"<p>1° <a href='{base}{ident('ARTI', 11)}'>article 2</a>, "
        f"<a href='{base}{ident('ARTI', 99)}' title='Code civil - art. 28 (M)'>article 28</a>, "
        f"<a href='{base}{ident('ARTI', 98)}' title='Code des ports et de la navi... - art. 3 (V)'>article 3</a></p>"
    )
    node = by_urn(parsed(tmp_path, code(article(10, "1", text), article(11, "2", "Deux."))))["1:1"]
    assert [(node.text[mark.start : mark.end], mark.target) for mark in node.marks] == [
        ("article 2", f"{CODE}:2"),
        ("article 28", "urn:lex:fr:code-civil:28"),
        ("article 3", ""),
    ]


def test_an_article_without_number_is_cited_by_its_id(tmp_path: Path) -> None:
    assert "legiarti000000000010" in by_urn(parsed(tmp_path, code(article(10, None, "Un."))))


def test_article_one_er_answers_to_one_where_no_article_one_exists(tmp_path: Path) -> None:
    assert f"{CODE}:1" in by_urn(parsed(tmp_path, code(article(10, "1er", "Un."))))["1er"].aliases
    both = by_urn(parsed(tmp_path, code(article(10, "1er", "Un."), article(11, "1", "Deux."))))
    assert f"{CODE}:1" not in both["1er"].aliases


def test_text_without_markup_is_kept_and_reported(tmp_path: Path) -> None:
    document = parsed(tmp_path, code(article(10, "1", "", texte="Un. Deux.")))
    assert by_urn(document)["1"].text == "Un. Deux."
    assert any("no texteHtml" in warning for warning in document.warnings)


def test_the_layout_with_type_first_and_a_section_as_root_is_read(tmp_path: Path) -> None:
    tree = {"type": "section", "data": code()["data"], "children": [article(10, "1 A", "<p></p>Un.<p></p>")]}
    assert by_urn(parsed(tmp_path, tree))["1-a"].text == "Un."


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (JAN_2020, date(2020, 1, 1)),
        (-DAY, date(1969, 12, 31)),
        (JAN_2020 - 3_600_000, date(2020, 1, 1)),
        (OPEN_END, None),
        ("2999-01-01", None),
        ("1804-03-21", date(1804, 3, 21)),
        (JAN_2020 + 1, None),
        (10**30, None),
        (True, None),
        ("21 mars 1804", None),
    ],
)
def test_dates_are_days_at_midnight(value: object, expected: date | None) -> None:
    assert legi_date(value) == expected


@pytest.mark.parametrize(
    ("tree", "cause"),
    [
        (b'{"data": {"id": "LEGITEXT000000000001", "id": "x"}}', "duplicate keys"),
        (b'{"data": {"id": NaN}}', "not valid JSON"),
        (b'{"data":\n{"id": "\xff"}}', "not valid UTF-8"),
        (b"[" * 3000 + b"]" * 3000, "nested too deeply"),
        (b"[]", "no JSON object"),
        (json.dumps(code(article(10, "1", "Un\ufffd.")), ensure_ascii=False).encode(), "wrong encoding"),
        (code(type="article"), "root"),
        (code(children={}), "children"),
        (code({"type": "section", "data": []}), "data"),
        (code({"type": "table", "data": {"id": ident("ARTI", 1)}}), "neither"),
        (code(article(10, "1", "Un.", dateDebut=1)), "midnight"),
        (code(article(10, "1", "Un.", dateDebut=CANARY)), "midnight"),
        (code(article(10, "***", CANARY)), "no letters or digits"),
        (code(article(10, "1", "Un.", id=CANARY)), "LEGI id"),
        (code(article(10, "1", "Un.", texteHtml=[CANARY])), "texteHtml"),
        (section(1, "Livre Ier"), "part of a text"),
    ],
)
def test_what_is_no_such_tree_is_refused_by_name_without_its_text(tmp_path: Path, tree: object, cause: str) -> None:
    with pytest.raises(IngestError) as caught:
        parsed(tmp_path, tree)
    assert caught.value.file == "code.json"
    assert cause in caught.value.cause
    assert CANARY not in caught.value.message


def test_a_broken_byte_is_named_by_line(tmp_path: Path) -> None:
    with pytest.raises(IngestError) as caught:
        parsed(tmp_path, b'{"data":\n{"id": "\xff"}}')
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (json.dumps(code()), True),
        (json.dumps({"type": "section", "data": code()["data"]}), True),
        (json.dumps(section(1, "Livre Ier")), False),
        ('{"lexscope": 1, "corpus": {"urn": "urn:lex:fr:x"}, "id": "LEGITEXT000006070721"}', False),
        ('{"data": [1, 2], "children": [{"id": "LEGITEXT000006070721"}]}', False),
        ('{"label": ["1002"], "node_type": "regtext", "children": []}', False),
        ('[{"ID": "a", "Passage": "b"}]', False),
        ("<akomaNtoso>", False),
        ("---\ntitle: x\n---\n# x", False),
        ("", False),
    ],
)
def test_only_legi_trees_are_claimed(head: str, claimed: bool) -> None:
    assert LegiJson().claims(Path("x.json"), head.encode()[:HEAD_BYTES]) is claimed


def test_a_part_of_a_code_is_skipped_with_its_reason() -> None:
    form = LegiJson()
    assert "part" in form.skips(Path("x.json"), json.dumps(section(1, "Livre Ier")).encode())
    assert "part" in form.skips(Path("x.json"), json.dumps({"type": "article", **article(1, "1", "Un.")}).encode())
    assert form.skips(Path("x.json"), json.dumps(code(section(1, "Livre Ier"))).encode()) == ""
    assert form.skips(Path("x.json"), b'{"id": "LEGISCTA000000000001"}') == ""
