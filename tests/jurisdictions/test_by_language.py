"""Law of a country that no module knows: what its language alone lets us find, and what readers are told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cited_laws import law

from rag.ingest.annotation import annotate
from rag.jurisdictions.by_language import annotating, reading_note
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.nodes import Corpus, ParsedDocument, ParsedNode


def annotated(corpus: str, language: str, level: str, *texts: str) -> ParsedDocument:
    """An act whose provisions 1, 2, ... have these texts."""
    document = law(corpus, *((f"{n}", level, text) for n, text in enumerate(texts, start=1)))
    document.corpus = replace(document.corpus, language=language)
    annotate(document, jurisdiction_for(corpus.split(":")[2]))
    return document


@pytest.mark.parametrize(
    ("corpus", "language", "level", "texts", "term", "link"),
    [
        (
            "urn:lex:ie:act-2031-5", "en", "section",
            ("In this Act, “kite” means a toy.", "Subject to section 1, no kite may be flown."), "kite", "subject_to",
        ),
        (
            "urn:lex:at:drachg", "de", "section",
            ("Drachen im Sinne dieses Gesetzes ist ein Spielzeug.", "§ 1 gilt nicht für Kinder."),
            "Drachen", "disapplies",
        ),
        (
            "urn:lex:be:loi-2031-5", "fr", "article",
            ("Au sens de la présente loi, on entend par « vol » un jeu.", "Sous réserve de l'article 1, il vole."),
            "vol", "subject_to",
        ),
    ],
)  # fmt: skip
def test_definitions_and_exceptions_within_the_law_are_found_and_the_reader_is_told(
    corpus: str, language: str, level: str, texts: tuple[str, str], term: str, link: str
) -> None:
    document = annotated(corpus, language, level, *texts)
    assert [(definition.term, definition.scope_urn) for definition in document.definitions] == [(term, corpus)]
    assert [(link.kind, link.target_urn) for link in document.links] == [(link, f"{corpus}:1")]
    assert [corpus.split(":")[2] in warning and "general rules" in warning for warning in document.warnings] == [True]


def test_german_words_for_units_are_found_whatever_a_format_calls_them() -> None:
    corpus = "urn:lex:ch:act-2031-5"
    document = law(
        corpus, ("1", "article", "", "Flug"), ("1:1", "paragraph", "Drachen fliegen bei:"), ("1:1:a", "point", "Wind."),
        ("1:2", "paragraph", "Abweichend von Absatz 1 und Artikel 1 Absatz 1 Buchstabe a landen sie."),
    )  # fmt: skip
    document.corpus = replace(document.corpus, language="de")
    annotate(document, jurisdiction_for("ch"))
    found = [(link.kind, link.target_urn) for link in document.links]
    assert found == [("notwithstanding", f"{corpus}:1:1"), ("notwithstanding", f"{corpus}:1:1:a")]


def test_austrian_ziffer_is_a_number_and_no_opening_of_its_own() -> None:
    corpus = "urn:lex:at:act-2031-5"
    document = law(
        corpus, ("1", "section", "", "Flug"), ("1:1", "subsection", "Drachen sind:"), ("1:1:1", "paragraph", "Toys."),
        ("2", "section", "§ 1 Abs. 1 Z 1 gilt nicht für Zone Z 5."),
    )  # fmt: skip
    document.corpus = replace(document.corpus, language="de")
    annotate(document, jurisdiction_for("at"))
    assert [(link.kind, link.target_urn) for link in document.links] == [("disapplies", f"{corpus}:1:1:1")]


def test_numbered_alinea_is_the_paragraph_of_that_number() -> None:
    corpus = "urn:lex:ch:act-2031-5"
    document = law(
        corpus, ("1", "article", "", "Vol"), ("1:1", "paragraph", "Il vole."), ("1:2", "paragraph", "Il atterrit."),
        ("2", "article", "Nonobstant l'art. 1, al. 2, il tombe."),
    )  # fmt: skip
    document.corpus = replace(document.corpus, language="fr")
    annotate(document, jurisdiction_for("ch"))
    assert [(link.kind, link.target_urn) for link in document.links] == [("notwithstanding", f"{corpus}:1:2")]


@pytest.mark.parametrize(
    ("title", "text", "targets"),
    [
        ("Drachengesetz", "Dieses Bundesgesetz gilt nicht für Vögel.", ["urn:lex:at:drachg"]),
        ("Drachenverordnung", "Diese Verordnung gilt nicht für Vögel.", ["urn:lex:at:drachg"]),
        # A statute that says so speaks of a regulation that it has named.
        ("Drachengesetz", "Diese Verordnung gilt nicht für Vögel.", []),
    ],
)
def test_german_law_names_itself_by_its_kind(title: str, text: str, targets: list[str]) -> None:
    document = law("urn:lex:at:drachg", ("1", "section", text, "Flug"))
    document.corpus = replace(document.corpus, language="de", title=title)
    annotate(document, jurisdiction_for("at"))
    assert [link.target_urn for link in document.links if link.kind == "disapplies"] == targets


@pytest.mark.parametrize(
    ("language", "level", "text"),
    [
        ("en", "section", "Subject to section 1 of the Data Protection Act 1998, kites fly."),
        ("en", "section", "This applies to processing under Article 6 of Regulation (EU) 2016/679."),
        ("de", "section", "§ 823 BGB bleibt unberührt."),
        ("fr", "article", "Sous réserve de l'article 1240 du code civil, il vole."),
    ],
)
def test_what_reads_like_another_countrys_law_is_cited_without_a_target(language: str, level: str, text: str) -> None:
    links = annotated("urn:lex:zz:act-1", language, level, text).links
    assert links
    assert all(not link.target_urn for link in links)


def test_without_module_and_language_nothing_is_looked_for_and_that_is_said() -> None:
    document = annotated(
        "urn:lex:pt:lei-1", "pt", "article", "Para efeitos da presente lei, «papagaio» é um brinquedo."
    )
    assert (document.definitions, document.links) == ([], [])
    assert document.warnings == [
        "definitions, references and exceptions were not looked for: no module knows the language pt"
    ]


def test_law_with_a_module_is_read_by_it_and_needs_no_note() -> None:
    module = jurisdiction_for("fr-alsace")
    assert annotating(module, "fr") is module
    assert reading_note(module, "fr") == ""
    assert "language pt" in reading_note(module, "pt")


@pytest.mark.parametrize(("title", "read"), [("Kite Regulations 2020 (WA)", True), ("Kite Act 2020", False)])
def test_regulations_whose_source_says_section_are_read_by_their_title(title: str, read: bool) -> None:
    urn = "urn:lex:au:kites"
    nodes = [
        ParsedNode(urn, None, "ROOT", "act", "", title, kind="section"),
        ParsedNode(f"{urn}:1", urn, "SECTION", "section", "1", "", "", "A kite must be red."),
        ParsedNode(
            f"{urn}:2", urn, "SECTION", "section", "2", "", "", "Regulation 1 does not apply to the Air Act 1920 (Cth)."
        ),
    ]
    document = ParsedDocument(Corpus(urn, title, "en"), nodes, "kites", "lexjsonl", "0" * 64, 1)
    annotate(document, jurisdiction_for("au"))
    assert [link.target_urn for link in document.links if link.kind == "disapplies" and link.target_urn] == [
        f"{urn}:1"
    ] * read
    assert "Air Act 1920 (Cth)" in {link.reference for link in document.links}
