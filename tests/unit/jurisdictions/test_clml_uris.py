"""Which files the CLML parser takes, how addresses and numbers are read, and that no nesting loses words."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.formats.base import Source
from rag.ingest.formats.clml.parser import Clml
from rag.jurisdictions.gb.addresses import bare_number, read_uri, target_urn
from rag.law.nodes import ParsedNode, Tree

SITE = "http://www.legislation.gov.uk"
ACT = "urn:lex:gb:ukpga-1999-7"
NS = 'xmlns="http://www.legislation.gov.uk/namespaces/legislation"'


@pytest.mark.parametrize(
    ("head", "claimed", "skipped"),
    [
        (f"<?xml version='1.0'?><!-- a --><Legislation {NS}>", True, ""),
        (f"\ufeff<l:Fragment {NS.replace('xmlns', 'xmlns:l')}>", True, ""),
        (f"<Legislation {NS}><dc:identifier>{SITE}/ukpga/1999/7/contents</dc:identifier>", False, "contents"),
        (f"<EN {NS}>", False, "explanatory notes"),
        (f'<feed xmlns="http://www.w3.org/2005/Atom"><id>{SITE}/new</id>', False, "Atom feed"),
        (f"<PublicationLog {NS}>", False, "PublicationLog"),
        ('<akomaNtoso xmlns="http://docs.oasis-open.org/legaldocml/ns/akn/3.0">', False, ""),
        ('<feed xmlns="http://www.w3.org/2005/Atom"><id>elsewhere</id>', False, ""),
        ('<container xmlns="https://code.dccouncil.us/schemas/dc-library">', False, ""),
        ('<uscDoc xmlns="http://xml.house.gov/schemas/uslm/1.0">', False, ""),
        ("<DLPSTEXTCLASS>", False, ""), ("<regulation xmlns='eregs'>", False, ""), ("<Law Era='Heisei'>", False, ""),
        ('<TEI xmlns="http://www.tei-c.org/ns/1.0">', False, ""), ('{"a": 1}', False, ""), ("# BGB", False, ""),
    ],
)  # fmt: skip
def test_files_are_told_by_root_and_namespace(head: str, claimed: bool, skipped: str) -> None:
    parser = Clml()
    assert parser.claims(Path("x.xml"), head.encode()) is claimed
    assert (
        (skipped in parser.skips(Path("x.xml"), head.encode()))
        if skipped
        else not parser.skips(Path("x"), head.encode())
    )


@pytest.mark.parametrize(
    ("uri", "urn"),
    [
        ("/id/ukpga/1968/60/section/1/1", "urn:lex:gb:ukpga-1968-60:1:1"),
        ("/ukpga/1968/60/section/1/enacted", "urn:lex:gb:ukpga-1968-60:1"),
        ("/ukpga/1968/60/section/3/e", "urn:lex:gb:ukpga-1968-60:3:e"),
        ("/ukpga/1968/60/section/3/england", "urn:lex:gb:ukpga-1968-60:3"),
        ("/id/ukpga/1968/60/schedule/2/paragraph/3/1/a", "urn:lex:gb:ukpga-1968-60:sch.2:3:1:a"),
        ("/id/ukpga/1968/60/schedule/paragraph/3", "urn:lex:gb:ukpga-1968-60:sch:3"),
        ("/id/ukpga/1968/60/schedule/FIRST/part/2", "urn:lex:gb:ukpga-1968-60:sch.1:part_2"),
        ("/id/ukpga/1968/60/part/II/crossheading/tea-pots", "urn:lex:gb:ukpga-1968-60:part_ii:crossheading_tea-pots"),
        ("/id/uksi/2005/1643/regulation/4/2/2006-04-06", "urn:lex:gb:uksi-2005-1643:4:2"),
        ("/id/ukpga/Geo6/12-13-14/30/section/2", "urn:lex:gb:ukpga-geo6-12-13-14-30:2"),
        ("/european/regulation/2016/0679", "urn:lex:eu:32016r0679"), ("/browse/uk", ""), ("/id/ukpga/1968", ""),
    ],
)  # fmt: skip
def test_addresses_become_urns(uri: str, urn: str) -> None:
    assert target_urn(SITE + uri) == urn
    assert target_urn("https://example.org" + uri) == ""


@given(st.text(max_size=60))
def test_no_address_breaks_the_reader(path: str) -> None:
    address = read_uri(f"{SITE}/id/ukpga/1999/7/{path}")
    if address is not None:
        assert address.urn == "" or address.urn.startswith(ACT)


@given(
    st.from_regex(r"[0-9]{1,3}[A-Z]{0,2}", fullmatch=True), st.sampled_from(["{}", "({})", "{}.", "{}.—", "Article {}"])
)
def test_a_number_is_the_same_however_it_is_printed(number: str, printed: str) -> None:
    assert bare_number(printed.format(number)) == number


# Words before the children, children, words after them and after each child.
Paragraph = tuple[str, list["Paragraph"], str]
WORDS = st.sampled_from(["", "Hot tea;", "cold, or", "boil"])
PARAGRAPHS = st.recursive(
    st.tuples(WORDS, st.just([]), st.just("")),
    lambda inner: st.tuples(WORDS, st.lists(inner, min_size=1, max_size=3), WORDS),
    max_leaves=8,
)


def written(paragraph: Paragraph, level: int, number: int) -> tuple[str, list[str]]:
    """The XML of a paragraph and its words in order."""
    before, children, after = paragraph
    xml, words = f"<Text>{before}</Text>", [str(number), before]
    for index, child in enumerate(children, start=1):
        inner, more = written(child, min(level + 1, 7), index)
        xml, words = f"{xml}{inner}<Text>{after}</Text>", [*words, *more, after]
    return f"<P{level}><Pnumber>{number}</Pnumber><P{level}para>{xml}</P{level}para></P{level}>", words


def said(tree: Tree, node: ParsedNode) -> str:
    number = "" if node.number.startswith("p.") or node.parent_urn is None else node.number
    below = "".join(said(tree, child) for child in tree.children(node.urn))
    return number + node.intro_text + below + node.content_text


@settings(max_examples=50)
@given(st.lists(PARAGRAPHS, min_size=1, max_size=3))
def test_no_nesting_of_paragraphs_loses_doubles_or_moves_words(sections: list[Paragraph]) -> None:
    pairs = [written(section, 1, index) for index, section in enumerate(sections, start=1)]
    meta = f"<Metadata><identifier>{SITE}/id/ukpga/1999/7</identifier><title>Tea Act</title></Metadata>"
    body = "".join(xml for xml, _ in pairs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "law.xml"
        path.write_text(f"<Legislation {NS}>{meta}<Primary><Body>{body}</Body></Primary></Legislation>")
        document = Clml().parse(Source(path, Path(folder)))
    expected = "".join(word for _, words in pairs for word in words)
    found = said(Tree(document.nodes), document.nodes[0])
    assert "".join(found.split()) == "".join(expected.split())
    assert len({node.urn for node in document.nodes}) == len(document.nodes)
