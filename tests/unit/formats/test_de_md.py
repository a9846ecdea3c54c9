"""The Markdown parser for German law on invented laws: wrapped lines, lists, headings, tables, refusals."""

from __future__ import annotations

import textwrap
from datetime import date
from pathlib import Path

import pytest

from rag.ingest.formats.base import HEAD_BYTES, Source
from rag.ingest.formats.german.de_md import DeMd
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from retrieval.errors import IngestError

META = (
    "---\nTitle: Birnengesetz\njurabk: BirnG 1990\nlayout: default\norigslug: birng_1990\nslug: birng_1990\n\n---\n\n"
)
FACTS = "# Birnengesetz (BirnG 1990)\n\nAusfertigungsdatum\n:   1990-05-06\n\n"
LAW = "urn:lex:de:birng"


def law(folder: Path, body: str, *, top: str = META + FACTS) -> ParsedDocument:
    path = folder / "law.md"
    path.write_text(top + textwrap.dedent(body), encoding="utf-8")
    return DeMd().parse(Source(path, folder))


def nodes(document: ParsedDocument) -> dict[str, ParsedNode]:
    found = {node.urn: node for node in document.nodes}
    assert len(found) == len(document.nodes)
    return found


def test_metadata_becomes_title_tags_address_and_edition(tmp_path: Path) -> None:
    facts = FACTS + (
        "Fundstelle\n:   BGBl I: 1990, 1\n\nZuletzt geändert durch\n:   Art. 2 G v. 3.4.2020 I 5;\n    vgl. Nr. 2\n\n"
        "Änderung durch\n:   Art. 1 G v. 30.4.2021 I 7\n\nÄnderung durch\n:   Art. 9 G v. 31.2.2022 I 7\n\n"
    )
    meta = META.replace("Title: Birnengesetz\n", "Title: Gesetz über\n  Birnen\n")
    document = law(tmp_path, "## § 1 Zweck\n\nText.\n", top=meta + facts)
    assert document.corpus == Corpus(
        LAW, "Gesetz über Birnen", "de", document.corpus.publisher, document.corpus.licence,
        "https://www.gesetze-im-internet.de/birng_1990/",
    )  # fmt: skip
    assert document.edition_date == date(2021, 4, 30)
    assert document.nodes[0].tags == {
        "code": "BirnG", "abbreviation": "BirnG 1990", "enacted": "1990-05-06", "publication": "BGBl I: 1990, 1",
        "last_amended": "Art. 2 G v. 3.4.2020 I 5; vgl. Nr. 2",
        "pending_amendment": "Art. 1 G v. 30.4.2021 I 7\nArt. 9 G v. 31.2.2022 I 7",
    }  # fmt: skip
    assert nodes(document)[f"{LAW}:1"].heading == "Zweck"


def test_without_its_abbreviation_the_title_line_gives_it(tmp_path: Path) -> None:
    meta = META.replace("jurabk: BirnG 1990\n", "")
    assert law(tmp_path, "## § 1\n\nText.\n", top=meta + FACTS).corpus.urn == LAW


def test_running_lines_that_look_like_items_are_running_text(tmp_path: Path) -> None:
    body = """\
        ## § 1 Zweck

        (1) Nach § 4
        1 Abs. 2 und der Verordnung
        2016/679 des Rates vom
        13\\. Juni, Nummer
        10. Vor allem aber
        (EU) gilt
        (2) nicht.
        """
    found = nodes(law(tmp_path, body))
    assert found[f"{LAW}:1:1"].text == (
        "Nach § 4 1 Abs. 2 und der Verordnung 2016/679 des Rates vom 13. Juni, Nummer 10. Vor allem aber (EU) gilt "
        "(2) nicht."
    )
    assert list(found) == [LAW, f"{LAW}:1", f"{LAW}:1:1"]


def test_lists_nest_by_indent_and_flush_text_goes_to_its_level(tmp_path: Path) -> None:
    body = """\
        ### § 2 Sorten

        (1) Sorten sind

        1.  runde

            a)  rote
                Birnen oder


            b)  (Kerne)

                ohne Kern;

                aa) klein,


                bb) groß,



            jedenfalls reife,


        10a. lange.



        Sie sind frei.

        (1a) (weggefallen)

        *   "Ich schwöre."
        """
    found = nodes(law(tmp_path, body))
    top = f"{LAW}:2:1"
    assert (found[top].intro_text, found[top].content_text) == ("Sorten sind", "Sie sind frei.")
    assert (found[f"{top}:1"].intro_text, found[f"{top}:1"].content_text) == ("runde", "jedenfalls reife,")
    assert found[f"{top}:1:a"].text == "rote Birnen oder"
    assert (found[f"{top}:1:b"].heading, found[f"{top}:1:b"].intro_text) == ("(Kerne)", "ohne Kern;")
    assert found[f"{top}:1:b:bb"].text == "groß,"
    assert found[f"{top}:10a"].text == "lange."
    assert found[f"{LAW}:2:1a:strich.1"].text == '"Ich schwöre."'


def test_designators_without_words_and_nameless_wrappers_hold_their_list(tmp_path: Path) -> None:
    body = """\
        ## § 3

        (1) Frei sind

        3.
            a)  Äpfel,


            b)  Birnen,



            wenn reif,


        4.  Rüben.



        (2) Es entfällt

        *
            1.  der Name;


            2.  der Titel.
        """
    found = nodes(law(tmp_path, body))
    assert (found[f"{LAW}:3:1:3:b"].text, found[f"{LAW}:3:1:3"].content_text) == ("Birnen,", "wenn reif,")
    assert found[f"{LAW}:3:1:4"].text == "Rüben."
    assert found[f"{LAW}:3:2:2"].text == "der Titel."


def test_a_paragraph_that_begins_with_a_dash_is_no_list(tmp_path: Path) -> None:
    body = "## Anhang EV\n\n- Vertrag v. 1.2.1990, -\nsieht vor:\n\n-   erstens\n\n\n-   zweitens\n"
    found = nodes(law(tmp_path, body))
    assert found[f"{LAW}:anhang.ev"].intro_text == "- Vertrag v. 1.2.1990, - sieht vor:"
    assert found[f"{LAW}:anhang.ev:strich.2"].text == "zweitens"


def test_sentence_numbers_and_images_are_left_out_and_counted(tmp_path: Path) -> None:
    body = """\
        ## § 1

        (1)
        1             Wer isst, zahlt.
        2             Das gilt ![b.jpg](b.jpg) nicht
        18 Jahre lang.
        """
    document = law(tmp_path, body)
    assert nodes(document)[f"{LAW}:1:1"].text == "Wer isst, zahlt. Das gilt nicht 18 Jahre lang."
    assert document.warnings == ["left out: 1 images", "left out: 2 sentence numbers"]


def test_stars_in_stars_are_a_table(tmp_path: Path) -> None:
    body = """\
        ## § 1

        (1) Die Sätze sind

        *    *   Jahr

            *   **Satz**


        *    *   1991

            *        ![x.jpg](x.jpg)
            *   55 vom
                Hundert

                1.  brutto



        *    *   1992

            *

        fest.
        """
    found = nodes(law(tmp_path, body))
    table = found[f"{LAW}:1:1:tabelle.1"]
    assert table.structure_type == "TABLE"
    assert table.text.splitlines() == ["Jahr | Satz", "1991 |  | 55 vom Hundert 1. brutto", "1992 |"]
    assert found[f"{LAW}:1:1"].content_text == "fest."


def test_footnotes_are_notes_and_their_marks_leave_the_text(tmp_path: Path) -> None:
    body = """\
        ## Titel 1 - Obst

        [^B1]

        [^B1]:     **Amtlicher Hinweis:**              Dieser Titel dient
            1\\.            der Richtlinie


            2\\.            dem Rat.



        ### § 1 Zweck

        [^B2]

        Der Zweck[^B3] ist Obst.

        [^B2]:     Gilt ab morgen.
        """
    found = nodes(law(tmp_path, body))
    note = found[f"{LAW}:titel_1:hinweis.1"]
    assert note.text == "Amtlicher Hinweis: Dieser Titel dient 1. der Richtlinie\n2. dem Rat."
    assert found[f"{LAW}:1"].text == "Der Zweck ist Obst."
    assert found[f"{LAW}:1:hinweis.1"].text == "Gilt ab morgen."


def test_containers_nest_by_kind_where_signs_run_out(tmp_path: Path) -> None:
    body = """\
        ##### Untertitel 1 - U

        ###### Kapitel 1 - K1

        ###### § 1 A

        a

        ###### Unterkapitel 1 - UK

        ###### § 2 B

        b

        ###### Kapitel 2 - K2

        ###### § 3

        c

        ##### Untertitel 2 - V

        ###### § 4

        d
        """
    found = nodes(law(tmp_path, body))
    parents = {urn: (found[f"{LAW}:{urn}"].parent_urn or "").removeprefix(f"{LAW}:") for urn in ("1", "2", "3", "4")}
    assert parents == {
        "1": "untertitel_1:kapitel_1", "2": "untertitel_1:kapitel_1:unterkapitel_1", "3": "untertitel_1:kapitel_2",
        "4": "untertitel_2",
    }  # fmt: skip


def test_sections_of_an_article_lie_below_it_though_the_signs_are_equal(tmp_path: Path) -> None:
    body = """\
        ## Art 1 Zweck

        Text.

        ## Art 2 - Zweites Buch

        ## § 1 Grundsatz

        (1) Eins.

        ## § 2

        Zwei.

        ## Art 3

        Drei.
        """
    found = nodes(law(tmp_path, body))
    assert found[f"{LAW}:2"].heading == "Zweites Buch"
    assert found[f"{LAW}:2:par.1:1"].text == "Eins."
    assert found[f"{LAW}:2:par.2"].tags == {
        "code": "BirnG", "designation": "§ 2", "article_number": "2", "paragraph": "2"
    }  # fmt: skip
    assert found[f"{LAW}:3"].parent_urn == LAW


def test_a_section_with_as_many_signs_as_a_used_container_stands_beside_it(tmp_path: Path) -> None:
    body = "## Abschnitt 1\n\n### Titel 1 - T\n\n#### § 1\n\na\n\n## § 2 Ende\n\nb\n"
    assert nodes(law(tmp_path, body))[f"{LAW}:2"].parent_urn == LAW


def test_preamble_is_law_and_contents_are_counted(tmp_path: Path) -> None:
    body = "## Inhaltsübersicht\n\nAlles\n\n## Präambel\n\nIm Bewußtsein\nder Birnen.\n\n## § 1\n\n-\n"
    document = law(tmp_path, body)
    found = nodes(document)
    assert (found[f"{LAW}:praeambel"].text, found[f"{LAW}:praeambel"].structure_type) == (
        "Im Bewußtsein der Birnen.",
        "SECTION",
    )
    assert "left out: 1 tables of contents" in document.warnings
    assert found[f"{LAW}:1"].tags["status"] == "repealed"


def test_a_law_without_headings_keeps_its_text(tmp_path: Path) -> None:
    assert nodes(law(tmp_path, "Birnen sind frei.\n"))[f"{LAW}:text"].text == "Birnen sind frei."


def test_the_reference_above_an_annex_goes_with_the_annex(tmp_path: Path) -> None:
    found = nodes(law(tmp_path, "## § 1\n\nText.\n\n(zu § 1 Absatz 2)\n\n## Anlage 1 Muster\n\nForm.\n"))
    assert found[f"{LAW}:1"].text == "Text."
    assert found[f"{LAW}:anlage.1"].text == "(zu § 1 Absatz 2)\nForm."


def test_an_annex_that_counts_anew_is_running_text_and_says_so(tmp_path: Path) -> None:
    document = law(tmp_path, "## § 1\n\nT.\n\n## Anlage\n\n(1) Eins.\n\n(1) Noch eins.\n")
    assert nodes(document)[f"{LAW}:anlage"].text == "(1) Eins.\n(1) Noch eins."
    assert len(document.warnings) == 1


@pytest.mark.parametrize(
    ("data", "cause", "line"),
    [
        (META.encode() + b"\n## \xa7 1\n", "UTF-8", 11),
        (META.encode() + "\n## § 1\n\nText \ufffd\n".encode(), "wrong encoding", 13),
        (b"# Gesetz\n", "metadata", 1),
        ((META + FACTS).encode(), "no provision", None),
        (META.replace("Title: Birnengesetz\n", "").encode() + "## § 1\n\nT\n".encode(), "title", 1),
        ((META + "## § 1\n\n" + "".join(f"{'    ' * n}1.  x\n\n" for n in range(70))).encode(), "nested", None),
    ],
)
def test_broken_files_are_refused_with_file_line_and_cause(
    tmp_path: Path, data: bytes, cause: str, line: int | None
) -> None:
    path = tmp_path / "law.md"
    path.write_bytes(data)
    with pytest.raises(IngestError, match=cause) as caught:
        DeMd().parse(Source(path, tmp_path))
    assert caught.value.file == "law.md"
    if line is not None:
        assert caught.value.line == line


@pytest.mark.parametrize(
    ("head", "claimed"),
    [
        (META + FACTS, True),
        ((META + FACTS).replace("\n", "\r\n"), True),
        (META + "# Titel\n", False),
        ('---\ntitle: "Code civil"\nidentifier: "X"\ncountry: "fr"\n---\n# Code civil\n', False),
        ("---\nTitle: x\nlayout: default\nslug: x\n---\n\nBlog\n", False),
        ("# 42 USC 1437\n\nText", False),
        ("<TEI/>", False),
        ("", False),
    ],
)
def test_claims_only_this_collection(head: str, claimed: bool) -> None:
    assert DeMd().claims(Path("x"), head.encode()[:HEAD_BYTES]) is claimed


def test_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    body = "## § 1 Zweck\n\n(1) Frei\nsind\n\n1.  Äpfel.\n"
    plain = law(tmp_path, body)
    other = law(tmp_path, body.replace("\n", "\r\n"), top=(META + FACTS).replace("\n", "\r\n"))
    assert other.nodes == plain.nodes
