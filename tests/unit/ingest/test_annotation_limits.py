"""What annotation must leave alone: words of other acts, and places that an opinion does not have."""

from __future__ import annotations

from rag.ingest.annotation import annotate
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import Corpus, Mark, ParsedDocument, ParsedNode


def annotated(text: str, *marks: Mark, kind: str = "legislation") -> ParsedDocument:
    urn = "urn:lex:us:17usc"
    nodes = [
        ParsedNode(urn, None, "TITLE", "title", kind="section"),
        ParsedNode(f"{urn}:1", urn, "SECTION", "section", "1", kind=kind, content_text=text, marks=list(marks)),
    ]
    document = ParsedDocument(Corpus(urn, "t", "en"), nodes, "f", "x", "h", 1)
    annotate(document, jurisdiction_for("us"))
    return document


def test_a_quoted_act_defines_and_cites_nothing_here() -> None:
    text = "In that Act insert: In this section, “lender” means a bank under section 106 of title 17. It ends."
    quoted = Mark(text.index("In this"), text.index(" It ends."), "quoted")
    plain, masked = annotated(text), annotated(text, quoted)
    assert [definition.term for definition in plain.definitions] == ["lender"]
    assert any(link.target_urn for link in plain.links)
    assert (masked.definitions, masked.links) == ([], [])


def test_a_bare_section_in_an_opinion_is_no_place_in_the_opinion() -> None:
    text = "The court relied on subsection (b) of section 238 and on 17 U.S.C. § 106."
    law = {link.target_urn for link in annotated(text).links}
    opinion = {link.target_urn for link in annotated(text, kind="decision").links}
    assert any(urn.startswith("urn:lex:us:17usc:238") for urn in law)
    assert {urn for urn in opinion if urn} == {"urn:lex:us:17usc:106"}
