"""Every reader of foreign text takes time in proportion to it, however hostile: each at n and at 2n characters.

Readers and not single patterns, since most patterns are anchored by how they are used, or read a window.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from lxml import etree
from processor_time import seconds_of

from rag.answering.extractive.kinds import wants_of
from rag.citecheck.references import find_mentions
from rag.ingest.formats.plain.blocks import Block, Cleaner, Reading
from rag.ingest.formats.plain.docx import BodyReader
from rag.ingest.formats.plain.html import read_html
from rag.ingest.formats.plain.printed import drop_running_lines, join_lines
from rag.ingest.formats.plain.source import Place, PlainSource
from rag.ingest.formats.plain.text import PlainText
from rag.ingest.reading import annotate_once
from rag.jurisdictions.registry import all_jurisdictions
from rag.languages.sentences import split_sentences
from rag.languages.text import fold
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode
from rag.verification.figures import read_figures
from retrieval.references.law_names import Document, LawNames, cited_by_name

# What a text repeats to keep a reader busy: beginnings that never end, and separators that may stand anywhere.
UNITS = (
    "a", " ", "\n", "1", "(", "((a) ", "a-1-", "§", "§ 1 ", "1, ", "1.", "sections 1 and ", "section 1(a) or ",
    "art. ", "Art. 1 Abs. 2 und ", "article L. 1-", "第一条", "第", "の", "“a", '"a ', "a, b or ", "not ", "if ",
    "the the ", "1 U.S.C. ", "no. 1 ", "§§ 1-2, ", "of the ", "means ", "shall ", "[", "...", "a;", "1/2 ", "$1,",
    "1,000,", "et ",
)  # fmt: skip
FIGURES = (
    "9", "1,", "1 ", "two ", "hundred and ", "deux ", "section 1, ", "§ 1 und ", "(1)", "1/", "March 1 ", "May ", "$",
    "-", "一", "1年", "mille et ", "1-", "a1", "ein", "zwei Tage ", "x's ", "1 234 ",
)  # fmt: skip
PRINTED = (
    "aa-\n", "a\f", "A line 1\f", "[[Page 1]]\n", "1\n", "1.1.1.1\n", "Note     1.  Some\n", "Note     1.  Some\nab\n",
    "a     ", "a\n\n", "     AAA BBB\n    AAA BBB C\n", "\ta\n", "(a)\n", "§ 1\n\n",
)  # fmt: skip
SIZE = 8000  # characters; n
LEAST = 0.1  # seconds of processor time at 2n that are worth a comparison
MOST_GROWTH = 3.4  # of the time from n to 2n; 2 is in proportion, 4 the square
WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
LANGUAGES = {"en": "us", "de": "de", "fr": "fr", "ja": "jp"}


def slow_units(read: Callable[[str], object], units: Sequence[str] = UNITS, size: int = SIZE) -> list[str]:
    """The units of which twice the text takes far more than twice the time, three times over."""

    def seconds(unit: str, size: int) -> float:
        return seconds_of(read, unit * (size // len(unit)))

    def grows(unit: str) -> bool:
        long = seconds(unit, 2 * size)
        return long > LEAST and long > MOST_GROWTH * seconds(unit, size)

    read("a")  # what is loaded at first use
    return [unit for unit in units if all(grows(unit) for _ in range(3))]


def annotated(language: str) -> Callable[[str], object]:
    """What looks for definitions, exceptions, references and uses of terms in a provision."""
    root = f"urn:lex:{LANGUAGES[language]}:tc"

    def read(text: str) -> ParsedDocument:
        nodes = [
            ParsedNode(root, None, "ROOT", "corpus", heading="Code", kind="section"),
            ParsedNode(f"{root}:1", root, "SECTION", "section", number="1", content_text=text),
        ]
        document = ParsedDocument(Corpus(root, "Code", language), nodes, "x", "test", "0", 1)
        annotate_once(document)
        return document

    return read


@pytest.mark.parametrize("code", [jurisdiction.code for jurisdiction in all_jurisdictions()])
def test_a_grammar_reads_hostile_text_in_linear_time(code: str) -> None:
    grammar = next(jurisdiction for jurisdiction in all_jurisdictions() if jurisdiction.code == code)
    assert slow_units(lambda text: grammar.find_references(text, None)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_reads_hostile_law_in_linear_time(language: str) -> None:
    assert slow_units(annotated(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_verifier_reads_hostile_text_in_linear_time(language: str) -> None:
    assert slow_units(lambda text: read_figures(text, language), (*UNITS, *FIGURES)) == []
    assert slow_units(lambda text: split_sentences(text, language)) == []


def test_verification_finds_the_references_of_a_hostile_text_in_linear_time() -> None:
    assert slow_units(fold) == []
    assert slow_units(lambda text: find_mentions(text, all_jurisdictions())) == []


def test_names_of_laws_are_found_in_a_hostile_text_in_linear_time() -> None:
    titles = ("Harbor Code", "the the the Harbor", "LRadG - Leihradgesetz")
    documents = [Document(f"urn:lex:de:act:{number}", "de", title, ()) for number, title in enumerate(titles)]
    units = (
        "Harbor Code ",
        "Harbor ",
        "§ 9 Harbor Code, ",
        "Harbor Code § 9 and ",
        "section 1 of the ",
        "Harbor Code (",
    )
    assert slow_units(lambda text: list(LawNames(documents).written_in(text)), (*UNITS, *units)) == []
    assert slow_units(cited_by_name, (*UNITS, *units)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_hostile_question_asks_for_is_read_in_linear_time(language: str) -> None:
    assert slow_units(lambda text: wants_of(text, language), (*UNITS, ", ", "- ", "§ 1, ")) == []


SHEETS = ("a", "@", "/*", "{", "}", "@{", "a{b{", "a{}", "@a{b{}}", "a;", "a,", "x{display:none}")
VALUES = ("transform:translate(-{}", "left:-{}", "clip:rect({}", "color:rgb({}", "font-size:{}")
PAGES = ("<sup>a</sup>", "a<sup>1</sup>", "<del> a </del>", "<li>a", "<td>a", "<br>", "&lt;", "<!-- ")
RUNS = (
    '<w:footnoteReference w:id="{}"/>',
    '<w:footnoteReference w:id="1"/>',
    "<w:pict><w:txbxContent/></w:pict>",
    "<w:t>a</w:t>",
)


def test_a_page_is_read_in_linear_time() -> None:
    def read(html: str) -> Reading:
        return read_html(html, Cleaner(), "page.html")

    assert slow_units(lambda text: read(f"<style>{text}</style><p>a"), SHEETS) == []
    for value in VALUES:
        assert slow_units(lambda text, value=value: read(f'<p style="{value.format(text)}">a'), ("9", ".9", "1,")) == []
    assert slow_units(lambda text: read(f"<p>{30 * text}"), PAGES) == []


@pytest.mark.parametrize("unit", RUNS)
def test_a_paragraph_of_many_runs_is_read_in_linear_time(unit: str) -> None:
    def read(text: str) -> None:
        runs = "".join(f"<w:r>{unit.format(number)}</w:r>" for number in range(len(text)))
        body = f"<w:document {WORD}><w:body><w:p>{runs}</w:p></w:body></w:document>"
        notes = "".join(f'<w:footnote w:id="{number}"/>' for number in range(len(text)))
        footnotes = etree.fromstring(f"<w:footnotes {WORD}>{notes}</w:footnotes>")
        BodyReader({"document": etree.fromstring(body), "footnotes": footnotes}, Cleaner()).read()

    assert slow_units(read, ("a",)) == []


def test_printed_pages_are_read_in_linear_time(tmp_path: Path) -> None:
    def read_text(text: str) -> Reading:
        path = tmp_path / "a.txt"
        path.write_text(text, encoding="utf-8")
        return PlainText().read(PlainSource(path, tmp_path, place=Place("us-dc", "en")), Cleaner())

    def read_pages(text: str) -> list[Block]:
        lines = [(line, number) for number, page in enumerate(text.split("\f")) for line in page.split("\n")]
        return join_lines(drop_running_lines(lines, Cleaner()), Cleaner())

    assert slow_units(read_text, PRINTED, 10 * SIZE) == []
    assert slow_units(read_pages, PRINTED, 10 * SIZE) == []


def test_what_takes_the_square_is_noticed() -> None:
    """A busy machine may hide it once: of three comparisons in a row each has to show it."""
    assert any(slow_units(re.compile("(?:a|xy)*b").findall, ["a"], SIZE // 2) for _ in range(3))


def test_definitions_that_follow_one_another_in_one_provision_take_time_in_proportion_to_them() -> None:
    """Each looks for the words that say where it holds in the sentences before it."""

    def seconds(count: int) -> float:
        text = " ".join(f"“Thing {number}” means a deposit of class {number}." for number in range(count))
        return seconds_of(annotated("en"), text)

    seconds(10)
    assert any(seconds(1600) <= max(LEAST, MOST_GROWTH * seconds(800)) for _ in range(3))
