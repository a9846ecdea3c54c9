from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from annotation_documents import DC, annotated, dc_document, par
from french_law import CODE
from french_law import annotated as annotated_french
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.definitions import LikelyDefinitions, read_likely
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.base import NEVER, Language
from rag.languages.definition_reader import Surroundings, Weights, likely_terms, pieces, sentences
from rag.languages.definition_reader import code as feature_code
from rag.languages.registry import known_language, language_rules
from rag.law.jurisdiction import DocumentIndex
from rag.law.passages import read_passage

LANGUAGES = ("de", "en", "fr", "ja")


def weights_of(code: str) -> Weights:
    language = known_language(code)
    assert isinstance(language, Language)
    assert language.defining is not None
    return language.defining()


@pytest.mark.parametrize(
    ("code", "text", "term"),
    [
        ("fr", "Est réputé glaneur quiconque ramasse des épis après la moisson.", "glaneur"),
        ("de", "Wer ein Floß vermietet, wird nachstehend Floßverleiher genannt.", "Floßverleiher"),
        ("en", "Any person who mends nets for reward is in this by-law called a mender.", "mender"),
        ("ja", "この条例にいう漂流物には、流木を含むものとする。", "漂流物"),
    ],
)
def test_a_definition_in_no_form_is_read_by_likeness(code: str, text: str, term: str) -> None:
    weights = weights_of(code)
    (found,) = likely_terms(text, 0, len(text), Surroundings(), weights)
    assert text[found.start : found.end] == term
    assert found.margin >= weights.doubtful


@pytest.mark.parametrize("text", ["Livre Ier : Locaux", "Titre XIV : Locaux"])
def test_the_number_of_a_heading_is_no_term(text: str) -> None:
    document = annotated_french({"9": (text,), "10": ("Fin.",)})
    index = DocumentIndex(document)
    (node,) = [node for node in document.nodes if node.text == text]
    passage = read_passage(node, index, jurisdiction_for("fr"))
    assert list(LikelyDefinitions(index, weights_of("fr")).terms(passage, [], NEVER)) == []


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("fr", "Est puni d'une amende quiconque ramasse des épis avant la moisson."),
        ("de", "Wer ein Floß vermietet, haftet für dessen Zustand."),
        ("en", "The means of escape shall be kept clear at all times."),
        ("ja", "何人も、みだりに火をたいてはならない。"),
    ],
)
def test_what_only_sounds_alike_defines_nothing(code: str, text: str) -> None:
    assert likely_terms(text, 0, len(text), Surroundings(), weights_of(code)) == []


_TEXT = st.text(st.sampled_from("abc ÄéIist réputé means wer. ;:\n«»“”()（）「」とは。をいう以下12'’"), max_size=120)


@given(st.sampled_from(LANGUAGES), _TEXT, _TEXT, _TEXT)
def test_whatever_the_text_terms_are_its_pieces_in_order(code: str, text: str, lead: str, heading: str) -> None:
    eager = replace(weights_of(code), least=-(10**6), least_whole=-(10**6), doubtful=-(10**6))
    around = Surroundings(lead, heading, len)
    spans = list(sentences(text))
    assert all(start < end for start, end in spans)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    for start, end in spans:
        places = pieces(text, start, end, spaced=eager.spaced)
        found = likely_terms(text, start, end, around, eager)
        assert found == likely_terms(text, start, end, around, eager)
        assert bool(found) == bool(places)  # a chain with a term in it, however unlikely
        assert all(first.end <= second.start for first, second in pairwise(found))
        assert {term.start for term in found} <= {first for first, _ in places}
        assert {term.end for term in found} <= {last for _, last in places}


def test_a_likely_definition_is_inferred_and_noted_as_one() -> None:
    text = "Est réputé glaneur quiconque ramasse des épis après la moisson."
    document = annotated_french({"9": (text,), "10": ("Le glaneur ne se sert d'aucun outil.",)})
    (found,) = (definition for definition in document.definitions if definition.term == "glaneur")
    assert (found.relation, found.inferred, found.phrase) == ("means", True, "")
    noted = [(link.source_urn, link.reference, link.target_urn) for link in document.links if link.kind == "may_define"]
    assert noted == [(found.node_urn, "glaneur", found.scope_urn)]
    assert "glaneur" in document.used_terms[f"{CODE}:10"]


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(*[st.integers(-(2**15), 2**15 - 1)] * 3)),
    st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=80), max_size=4),
)
def test_sums_are_those_of_the_weights(table: dict[str, tuple[int, int, int]], pieces_of: list[list[str]]) -> None:
    words, first, further = ({feature_code(name): row[place] for name, row in table.items()} for place in range(3))
    weights = Weights(True, 0, 0, 0, 0, ((0, 0, 0),) * 3, words, {}, first, further)
    for names in [*pieces_of, *pieces_of]:
        rows = [table.get(name, (0, 0, 0)) for name in names]
        assert weights.words_sum(names) == sum(row[0] for row in rows)
        assert weights.piece_sums(names) == (sum(row[1] for row in rows), sum(row[2] for row in rows))


def test_beside_a_meaning_that_a_form_tells_a_likely_one_adds_to_it() -> None:
    parsed = annotated(dc_document(
        par("a", "In this chapter, “mender” means a person who mends sails."),
        par("b", "Any person who mends nets for reward is in this chapter called a mender."), heading="Menders.",
    ))  # fmt: skip
    told = {definition.node_urn.rpartition(":")[2]: definition.relation for definition in parsed.definitions}
    assert told == {"a": "means", "b": "includes"}


def test_what_the_reader_is_not_sure_of_is_an_edge_alone() -> None:
    document = annotated_french({"9": ("Est réputé glaneur quiconque ramasse des épis après la moisson.",)})
    document.definitions.clear()
    index, language, rules = DocumentIndex(document), known_language("fr"), language_rules("fr")
    assert language is not None
    assert rules is not None
    passages = {node.urn: read_passage(node, index, jurisdiction_for("fr")) for node in document.nodes}
    finder = rules.definition_finder(index, jurisdiction_for("fr"), passages.__getitem__)
    unsure = replace(weights_of("fr"), sure=10**6)
    definitions, links = read_likely(index, language, unsure, rules.terms, finder, passages, ())
    assert definitions == []
    assert [(link.kind, link.reference) for link in links] == [("may_define", "glaneur")]


def test_what_a_form_tells_is_not_read_by_likeness() -> None:
    parsed = annotated(dc_document(par("a", "In this chapter, “rack” means a frame."), heading="Racks."))
    index = DocumentIndex(parsed)
    reader = LikelyDefinitions(
        index, replace(weights_of("en"), least=-(10**6), least_whole=-(10**6), doubtful=-(10**6))
    )
    section = index.node(f"{DC}:98-301:a")
    assert section is not None
    passage = read_passage(section, index, jurisdiction_for("us-dc"))
    known = [replace(definition, words=(0, None)) for definition in parsed.definitions]
    assert list(reader.terms(passage, known, NEVER)) == []
    assert list(reader.terms(passage, [], re.compile("means"))) == []  # in words of another act
    assert len(list(reader.terms(passage, [], NEVER))) > 0
    assert [link for link in parsed.links if link.kind == "may_define"] == []
