"""Headings, wrapped lines and blocks of German law, whatever a section holds."""

from __future__ import annotations

import re
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.german.blocks import Block, Division, Item, Listing, Paragraph, text_lines
from rag.ingest.formats.german.body import LawTree
from rag.ingest.formats.german.de_md import BlockReader, read_lines, wrap_gap
from rag.jurisdictions.de.naming import read_heading
from rag.law.nodes import Corpus, ParsedNode, Tree
from retrieval.paths import parse_urn


@pytest.mark.parametrize(
    ("printed", "kind", "level", "number", "heading"),
    [
        ("§ 1", "unit", "paragraph", "1", ""),
        ("§ 823a Schadensersatzpflicht", "unit", "paragraph", "823a", "Schadensersatzpflicht"),
        ("§ 12 a Anderes", "unit", "paragraph", "12a", "Anderes"),
        ("§ 656b Anwendung der §§ 656c und 656d", "unit", "paragraph", "656b", "Anwendung der §§ 656c und 656d"),
        ("§ 5 - Zweck", "unit", "paragraph", "5", "Zweck"),
        ("§ 3 (weggefallen)", "unit", "paragraph", "3", "(weggefallen)"),
        ("§ 4 1. Halbjahr", "unit", "paragraph", "4", "1. Halbjahr"),
        ("Art 45d Kontrollgremium", "unit", "artikel", "45d", "Kontrollgremium"),
        ("Artikel IV", "unit", "artikel", "IV", ""),
        ("§§ 17 bis 19 (weggefallen)", "unit", "paragraph", "17-19", "(weggefallen)"),
        ("(XXXX) Art 74a und 75 (weggefallen)", "unit", "artikel", "74a-75", "(weggefallen)"),
        ("Anlage 2 (zu § 4 Absatz 1) Muster", "appendix", "anlage", "2", "(zu § 4 Absatz 1) Muster"),
        ("Anlage", "appendix", "anlage", "", ""),
        ("Anlage EV Auszug", "appendix", "anlage", "EV", "Auszug"),
        ("Anlagen und Betrieb", "container", "abschnitt", "", "Anlagen und Betrieb"),
        ("Präambel", "matter", "präambel", "", "Präambel"),
        ("Inhaltsübersicht", "contents", "inhaltsübersicht", "", "Inhaltsübersicht"),
        ("Buch 1 - Allgemeiner Teil", "container", "buch", "1", "Allgemeiner Teil"),
        ("Titel 2a - Daten - Dienste", "container", "titel", "2a", "Daten - Dienste"),
        ("VIIIa. - Aufgaben", "container", "abschnitt", "VIIIa", "Aufgaben"),
        ("1. - Voraussetzungen", "container", "abschnitt", "1", "Voraussetzungen"),
        ("Einundzwanzigster Abschnitt - Strafen", "container", "abschnitt", "21", "Strafen"),
        ("2. Unterabschnitt - Fristen", "container", "unterabschnitt", "2", "Fristen"),
        ("Allgemeiner Teil", "container", "teil", "", "Allgemeiner Teil"),
        ("Verfahren", "container", "abschnitt", "", "Verfahren"),
    ],
)
def test_headings_are_read_by_what_they_name(printed: str, kind: str, level: str, number: str, heading: str) -> None:
    read = read_heading(printed)
    assert (read.kind, read.level, read.number, read.heading) == (kind, level, number, heading)


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("Immobiliar-", "Verbraucherdarlehen", "Immobiliar-Verbraucherdarlehen"),
        ("öffentlich-", "rechtlichen", "öffentlich-rechtlichen"),
        ("Ost-", "und Westanteil", "Ost- und Westanteil"),
        ("Bau-", "bzw. Wohnrecht", "Bau- bzw. Wohnrecht"),
        ("Preis -", "Wert", "Preis - Wert"),
        ("nach §", "13 gilt", "nach § 13 gilt"),
        ("Ein-", "unddreißig", "Ein-unddreißig"),
        ("Bank-", "(Kredit-)", "Bank- (Kredit-)"),
    ],
)
def test_wrapped_lines_join_and_hyphens_stay(first: str, second: str, joined: str) -> None:
    assert first + wrap_gap(first, second) + second == joined


WORDS = st.lists(
    st.text("abcdeFGHäß§,;.", min_size=1, max_size=9).map(lambda word: f"w{word}"), min_size=1, max_size=40
)


@given(WORDS, st.integers(20, 90))
@settings(max_examples=60)
def test_where_a_line_was_wrapped_does_not_matter(words: list[str], width: int) -> None:
    wrapped = textwrap.wrap(" ".join(words), width, break_long_words=False, break_on_hyphens=False)
    blocks = BlockReader("x").blocks(read_lines(list(enumerate(wrapped))))
    assert blocks == [Paragraph(" ".join(words), 0)]


MARKERS = st.sampled_from(["1.", "2.", "2a.", "10.", "a)", "b)", "aa)", "-", "", "I.", "ß)", "?"])
TEXTS = st.sampled_from(["Alpha", "(1) Beta", "(2a) Gamma", "Delta", "(1) und (2) Epsilon", "(weggefallen)"])
LEAVES: st.SearchStrategy[Block] = TEXTS.map(lambda text: Paragraph(text, 1))


def listings(inner: st.SearchStrategy[Block]) -> st.SearchStrategy[Block]:
    item = st.builds(Item, MARKERS, st.lists(inner, min_size=1, max_size=3), st.just(1))
    return st.builds(Listing, st.lists(item, min_size=1, max_size=3))


BLOCKS = st.lists(st.recursive(LEAVES, listings, max_leaves=12), min_size=1, max_size=6)


@given(BLOCKS)
@settings(max_examples=80)
def test_whatever_a_section_holds_its_words_and_addresses_survive(blocks: list[Block]) -> None:
    tree = LawTree(Corpus("urn:lex:de:x", "X", "de"), "X", "x", {}, [])
    tree.read([Division(read_heading("§ 1 Titel"), 1, blocks)], [])
    urns = [node.urn for node in tree.nodes]
    assert len(set(urns)) == len(urns)
    assert all(parse_urn(urn).text == urn for urn in urns)
    siblings = [(node.parent_urn, node.level, node.number) for node in tree.nodes]
    assert len(set(siblings)) == len(siblings)
    words = re.compile("Alpha|Beta|Gamma|Delta|Epsilon|weggefallen")
    assert words.findall(printed(Tree(tree.nodes), tree.nodes[1])) == words.findall(" ".join(text_lines(blocks)))


def printed(tree: Tree, node: ParsedNode) -> str:
    below = " ".join(printed(tree, child) for child in tree.children(node.urn))
    return f"{node.heading} {node.intro_text} {below} {node.content_text}"
