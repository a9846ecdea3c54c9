"""Official interpretations of a part of the C.F.R.: what they cite is what they comment on."""

from __future__ import annotations

import pytest

from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import DocumentIndex, FoundReference, ReferenceContext
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode

PART = "urn:lex:us:98cfr:part_77"
SECTION = "urn:lex:us:98cfr:77.15"
COMMENTS = f"{PART}:supplement_i"
ROWS = (
    (SECTION, PART, "SECTION", "section", "77.15", "Testing"),
    (f"{SECTION}:c", SECTION, "SUBSECTION", "paragraph", "c", ""),
    (f"{SECTION}:c:3", f"{SECTION}:c", "PARAGRAPH", "paragraph", "3", ""),
    (f"{PART}:appendix_b", PART, "APPENDIX", "appendix", "B", "Model forms"),
    (f"{PART}:appendix_b:1", f"{PART}:appendix_b", "SUBSECTION", "appendix section", "1", "B-1—Model of a kite"),
    (f"{PART}:appendix_b:2", f"{PART}:appendix_b", "SUBSECTION", "appendix section", "2", "How to fill in forms"),
    (COMMENTS, PART, "PART", "supplement", "I", "Official Interpretations"),
    (f"{COMMENTS}:15", COMMENTS, "SECTION", "interpretation", "15", "Section 77.15"),
    (f"{COMMENTS}:15-c", f"{COMMENTS}:15", "SUBSECTION", "interpretation", "15-c", "15(c)"),
    (f"{COMMENTS}:15-c:1", f"{COMMENTS}:15-c", "SUBPARAGRAPH", "comment", "1", ""),
)


def read(text: str, at: str | None = f"{COMMENTS}:15-c:1") -> list[FoundReference]:
    if at is None:
        return jurisdiction_for("us").find_references(text, None)
    nodes = [ParsedNode(PART, "urn:lex:us:98cfr", "PART", "part", "77", "Kites", kind="section")]
    for urn, parent, structure, level, number, heading in ROWS:
        nodes.append(ParsedNode(urn, parent, structure, level, number, heading, content_text="Words."))
    index = DocumentIndex(ParsedDocument(Corpus("urn:lex:us:98cfr", "Title 98", "en"), nodes, "t", "t", "0" * 64, 1))
    here = index.node(at)
    assert here is not None
    return jurisdiction_for("us").find_references(text, ReferenceContext(here, index))


@pytest.mark.parametrize(
    ("text", "urns", "confident"),
    [
        ("See the commentary to § 77.15(c).", [f"{COMMENTS}:15-c"], True),
        ("See the official interpretation of § 77.15(c).", [f"{COMMENTS}:15-c"], True),
        ("See the commentary to § 77.15(d).", [f"{SECTION}:d"], False),
        ("the commentary to this section", [f"{COMMENTS}:15"], True),
        ("as § 77.15(c) says", [f"{SECTION}:c"], True),
        ("comment 15(c)-1", [f"{COMMENTS}:15-c:1"], True),
        ("comment 15(c)-7", [], True),
        ("under paragraph 15(c)(3).", [f"{SECTION}:c:3"], True),
        ("under paragraph 16(c)(3).", [], True),
        ("paragraph (c)(3) of this section", [f"{SECTION}:c:3"], True),
        ("Model form B-1 may be used", [f"{PART}:appendix_b:1"], True),
        ("form B-2 may be used", [], True),
    ],
)
def test_words_of_an_interpretation_lead_to_what_they_name(text: str, urns: list[str], confident: bool) -> None:
    found = read(text)
    assert [urn for reference in found for urn in reference.urns] == urns
    assert all(reference.confident is confident for reference in found)


def test_paragraph_of_this_section_outside_an_interpretation_stays_there() -> None:
    [found] = read("paragraph (c)(3) of this section", at=f"{SECTION}:c")
    assert found.urns == (f"{SECTION}:c:3",)


def test_commentary_without_its_document_is_no_certain_reading_of_the_section() -> None:
    [found] = read("the commentary to 12 CFR 1013.7(a)", at=None)
    assert (found.urns, found.confident) == (("urn:lex:us:12cfr:1013.7:a",), False)
