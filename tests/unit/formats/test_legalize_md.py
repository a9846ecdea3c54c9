from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.french.legalize_md import LegalizeMd
from rag.ingest.writing.rows import build_rows
from rag.law.nodes import ParsedDocument, ParsedNode
from retrieval.errors import IngestError

CODE = "urn:lex:fr:code-des-phares"
CANARY = "Quillfeather 4711"
FRONT = """---
title: "Code des phares"
identifier: "LEGITEXT000000000001"
country: "fr"
rank: "code"
last_updated: "2024-05-01"
status: "in_force"
source: "https://law.example/phares"
---
# Code des phares

"""
LONG = (
    "Le gardien allume la lampe au coucher du soleil et la laisse brûler jusqu'au matin, sauf si le vent la souffle "
    "ou si la brume rend toute lumière inutile aux navires qui passent au large"
)


def parsed(folder: Path, text: str | bytes) -> ParsedDocument:
    path = folder / "code.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    document = LegalizeMd().parse(Source(path, folder))
    build_rows(document, None)  # one address each, or it raises
    return document


def by_urn(document: ParsedDocument) -> dict[str, ParsedNode]:
    return {node.urn.removeprefix(f"{CODE}:"): node for node in document.nodes}


def urns(folder: Path, body: str) -> list[str]:
    return [node.urn.removeprefix(f"{CODE}:") for node in parsed(folder, FRONT + body).nodes][1:]


def test_a_code_is_its_own_root_with_its_front_matter(tmp_path: Path) -> None:
    document = parsed(tmp_path, f"{FRONT}## Livre Ier : Des feux\n\n##### Article R*1-1\n\nUn phare éclaire.\n")
    assert document.urn == document.corpus.urn == CODE
    assert document.corpus.url == "https://law.example/phares"
    assert document.edition_date == date(2024, 5, 1)
    assert "fr.legitext000000000001" in document.nodes[0].aliases
    nodes = by_urn(document)
    assert (nodes["livre_i"].level, nodes["livre_i"].heading, nodes["livre_i"].line) == ("livre", "Des feux", 12)
    assert nodes["r1-1"].tags == {"article_number": "R*1-1", "code": "Code des phares"}
    assert (nodes["r1-1"].text, nodes["r1-1"].parent_urn) == ("Un phare éclaire.", f"{CODE}:livre_i")
    assert document.warnings == []


@pytest.mark.parametrize("body", ["Un.\n\n\n   Deux.\n\nTrois.", "Un.\nDeux. \nTrois.\n", "Un.\r\n\r\nDeux.\r\nTrois."])
def test_blank_lines_and_single_line_ends_both_end_an_alinea(tmp_path: Path, body: str) -> None:
    nodes = by_urn(parsed(tmp_path, f"{FRONT}##### Article 1\n\n{body}"))
    assert [nodes[f"1:al.{place}"].text for place in (1, 2, 3)] == ["Un.", "Deux.", "Trois."]


def test_containers_are_ranked_by_kind_and_not_by_their_number_of_marks(tmp_path: Path) -> None:
    body = """## Titre préliminaire : P

##### Article 1

Un.

## Livre Ier : L

#### Chapitre Ier : C

#### Section 1 : S

#### Sous-section 1 : T

##### Article 2

Deux.

#### Section 2 : U

##### Article liminaire

Trois.

### Titre Ier : V

#### Chapitre Ier : W
"""
    assert urns(tmp_path, body) == [
        "titre_preliminaire",
        "1",
        "livre_i",
        "livre_i:chapitre_i",
        "livre_i:chapitre_i:section_1",
        "livre_i:chapitre_i:section_1:sous-section_1",
        "2",
        "livre_i:chapitre_i:section_2",
        "liminaire",
        "livre_i:titre_i",
        "livre_i:titre_i:chapitre_i",
    ]


def test_parts_of_a_chapter_stay_in_it_and_parts_of_a_code_hold_its_books(tmp_path: Path) -> None:
    heads = ("## Livre Ier : L", "#### Chapitre II : C", "#### Première partie : A", "#### Section 1 : S")
    local = "\n\n".join((*heads, "#### Deuxième partie : B"))
    chapter = "livre_i:chapitre_ii"
    assert urns(tmp_path, local) == [
        "livre_i",
        chapter,
        f"{chapter}:partie_i",
        f"{chapter}:partie_i:section_1",
        f"{chapter}:partie_ii",
    ]
    outer = "## Partie législative\n\n### Livre Ier : L\n\n## Partie réglementaire\n\n### Livre Ier : M\n"
    assert urns(tmp_path, outer) == [
        "partie_legislative",
        "partie_legislative:livre_i",
        "partie_reglementaire",
        "partie_reglementaire:livre_i",
    ]


def test_headings_without_a_kind_end_at_the_next_heading_of_their_depth(tmp_path: Path) -> None:
    body = (
        "## Dispositions préliminaires\n\n##### Article 1\n\nUn.\n\n## Livre Ier : L\n\n"
        "### Dispositions générales\n\n### Titre Ier : T\n"
    )
    assert urns(tmp_path, body) == [
        "division_dispositions-preliminaires",
        "1",
        "livre_i",
        "livre_i:division_dispositions-generales",
        "livre_i:titre_i",
    ]


def test_the_layout_without_marks_gives_the_same_tree(tmp_path: Path) -> None:
    marked = """## Livre Ier : Des feux

### Titre IV bis : Des lampes

##### Article L. 1-1

Sont visés :

1° Les feux ;

2° Les lampes.

Partie de ces feux brûle toujours.

## Livre II : Des cornes

##### Article 2

Titre de transport exigé.
"""
    flat = "\n".join(line.lstrip("# ") for line in marked.split("\n"))
    first, second = parsed(tmp_path, FRONT + marked), parsed(tmp_path, FRONT + flat)
    keys = [(node.urn, node.parent_urn, node.number, node.heading, node.text) for node in first.nodes]
    assert keys == [(node.urn, node.parent_urn, node.number, node.heading, node.text) for node in second.nodes]


def test_general_provisions_are_a_heading_without_marks_only_right_before_an_article(tmp_path: Path) -> None:
    heads = "Livre Ier : L\n\nDispositions générales\n\nArticle 1\n\nDispositions générales\n\nFin."
    found = ["livre_i", "livre_i:division_dispositions-generales", "1", "1:al.1", "1:al.2"]
    assert urns(tmp_path, heads) == found


def test_a_line_that_speaks_of_an_article_is_no_heading_where_nothing_is_marked(tmp_path: Path) -> None:
    body = "Article 1\n\nArticle 2 du présent code s'applique.\n\nTitre Ier du livre II : sans effet sur la présente.\n"
    assert urns(tmp_path, body)[:2] == ["1", "1:al.1"]


def test_a_number_printed_twice_with_a_reworded_text_keeps_the_later(tmp_path: Path) -> None:
    body = f"##### Article 1\n\n{LONG}.\n\n##### Article 1\n\n{LONG}, ni aux pêcheurs.\n"
    document = parsed(tmp_path, FRONT + body)
    assert by_urn(document)["1"].text.endswith("ni aux pêcheurs.")
    assert len(document.nodes) == 2
    assert any("earlier texts" in warning and f"{CODE}:1" in warning for warning in document.warnings)


def test_a_number_printed_twice_with_unlike_texts_stays_twice_and_ambiguous(tmp_path: Path) -> None:
    body = f"##### Article 1\n\n{LONG}.\n\n##### Article 2\n\nUn.\n\n##### Article 1\n\nA Mayotte, tout est autre.\n"
    document = parsed(tmp_path, FRONT + body)
    nodes = by_urn(document)
    assert nodes["1"].text == f"{LONG}."
    assert nodes["1~2"].text == "A Mayotte, tout est autre."
    assert nodes["1"].tags["ambiguous"] == nodes["1~2"].tags["ambiguous"] == "true"
    assert "ambiguous" not in nodes["2"].tags
    assert nodes["1~2"].tags["article_number"] == "1"


def test_a_half_reworded_text_is_a_version_only_beside_the_other(tmp_path: Path) -> None:
    words = LONG.split()
    shorter = " ".join(words[: len(words) // 2])
    rewritten = f"{shorter} {'Le préfet peut toutefois en décider autrement chaque année par un arrêté motivé. ' * 3}"
    beside = f"##### Article 1\n\n{shorter}\n\n##### Article 1\n\n{rewritten}\n"
    apart = beside.replace(
        "\n\n##### Article 1\n\n" + rewritten, f"\n\n##### Article 2\n\nX.\n\n##### Article 1\n\n{rewritten}"
    )
    assert "1~2" not in by_urn(parsed(tmp_path, FRONT + beside))
    assert "1~2" in by_urn(parsed(tmp_path, FRONT + apart))


def test_repeated_container_headings_are_kept_apart_marked_and_counted(tmp_path: Path) -> None:
    body = "#### Section 1 : A\n\n#### Section 1 : B\n\n##### Article 1\n\nUn.\n"
    document = parsed(tmp_path, FRONT + body)
    nodes = by_urn(document)
    assert nodes["section_1"].tags == {"ambiguous": "true", "empty": "true"}
    assert nodes["section_1~2"].tags == {"ambiguous": "true"}
    assert nodes["1"].parent_urn == nodes["section_1~2"].urn
    assert len(document.warnings) == 2


def test_words_before_the_first_article_are_the_lead_in_of_their_container(tmp_path: Path) -> None:
    nodes = by_urn(
        parsed(tmp_path, f"{FRONT}Vu la mer ;\n\n## Livre Ier : L\n\nPréambule.\n\n##### Article 1\n\nUn.\n")
    )
    assert (nodes[CODE].intro_text, nodes["livre_i"].intro_text) == ("Vu la mer ;", "Préambule.")


def test_tables_are_nodes_and_lost_ones_are_reported(tmp_path: Path) -> None:
    body = """##### Article 1

Voici le tableau ci-après :

| A | B |
|---|:-:|
| C | D |

Fin.

##### Article 2

Voir le tableau ci-après.

##### Annexe I

Liste.
"""
    document = parsed(tmp_path, FRONT + body)
    nodes = by_urn(document)
    assert (nodes["1:tab.1"].structure_type, nodes["1:tab.1"].text) == ("TABLE", "A | B\nC | D")
    assert nodes["1:al.2"].text == "Fin."
    assert nodes["2"].tags["incomplete"] == "true"
    assert "incomplete" not in nodes["1"].tags
    assert any("do not print" in warning or "does not print" in warning for warning in document.warnings)
    assert (nodes["annexe-i"].structure_type, nodes["annexe-i"].text) == ("APPENDIX", "Liste.")


def test_an_article_without_text_is_kept_and_reported(tmp_path: Path) -> None:
    document = parsed(tmp_path, f"{FRONT}##### Article 1\n\n##### Article 2\n\n(Abrogé)\n")
    nodes = by_urn(document)
    assert nodes["1"].text == ""
    assert nodes["2"].tags["status"] == "repealed"
    assert any("no text" in warning and f"{CODE}:1" in warning for warning in document.warnings)


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        (b"# Code des phares\n", 1, "front matter"),
        (b"---\ntitle: x\n", 1, "no end"),
        (b'---\ntitle: "x\nidentifier: y\n---\n', 2, "quotation mark"),
        (b"---\ntitle: x\ntitle: y\n---\n", 3, "twice"),
        (b"---\ntitle: x\n- item\n---\n", 3, "no key"),
        (b"---\ntitle: x\n---\n", 1, "identifier"),
        (f"---\ntitle: x\nidentifier: {CANARY}\n---\n".encode(), 1, "LEGI id"),
        (FRONT.replace("2024-05-01", CANARY).encode(), 1, "date"),
        (FRONT.encode() + b"##### Article 1\n\n\xff", 14, "UTF-8"),
        (FRONT.encode() + f"##### Article 1\n\n{CANARY}\ufffd".encode(), 14, "encoding"),
        (FRONT.encode() + b"##### Article ***\n", 12, "letters or digits"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name_and_line(tmp_path: Path, text: bytes, line: int, cause: str) -> None:
    with pytest.raises(IngestError) as caught:
        parsed(tmp_path, text)
    assert (caught.value.file, caught.value.line) == ("code.md", line)
    assert cause in caught.value.cause
    assert CANARY not in caught.value.message


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (FRONT, True),
        (FRONT.replace("\n", "\r\n"), True),
        (FRONT.replace("LEGITEXT", "JORFTEXT"), True),
        (FRONT.replace('"fr"', '"es"'), False),
        (FRONT.replace("LEGITEXT000000000001", "BOE-A-1889-4763"), False),
        ("---\nTitle: Bürgerliches Gesetzbuch\njurabk: BGB\nlayout: default\n---\n# BGB\n", False),
        ("# fr-legalize-md\n\n- identifier: LEGITEXT000006070721\n", False),
        ("## § 101. Definitions\n", False),
        ('{"data": {"id": "LEGITEXT000006070721"}}', False),
        ("<akomaNtoso>", False),
        ("", False),
    ],
)
def test_only_french_law_of_this_project_is_claimed(head: str, claimed: bool) -> None:
    assert LegalizeMd().claims(Path("x.md"), head.encode()[:HEAD_BYTES]) is claimed
