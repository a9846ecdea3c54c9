"""What provisions may take from others that they do not name, and references by what a law's title calls it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cited_laws import law
from hypothesis import given
from hypothesis import strategies as st

from rag.ingest.annotation import annotate
from rag.ingest.limits import LimitFinder, LimitModel, clauses_of, limit_model, sentence_node, token_runs
from rag.jurisdictions.registry import jurisdiction_for
from rag.languages.registry import language_of
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Link, ParsedDocument
from rag.law.passages import Passage

_DUTIES = {
    "gb": (
        "A person who fishes in a pond must hold a ticket.",
        "The owner of a pond must keep a ledger of every fish that is taken.",
        "No boat may be used on a pond at night.",
    ),
    "de": (
        "Wer in einem Teich angelt, bedarf einer Angelkarte.",
        "Der Eigentümer eines Teiches hat ein Fischbuch zu führen.",
        "Es ist verboten, Teiche bei Nacht mit Booten zu befahren.",
    ),
    "fr": (
        "Quiconque pêche dans un étang doit être muni d'une carte.",
        "Le propriétaire d'un étang tient un registre des poissons capturés.",
        "La navigation sur les étangs est interdite la nuit.",
    ),
    "jp": (
        "池で釣りをする者は、遊漁券を携帯しなければならない。",
        "池の所有者は、捕獲した魚の帳簿を備えなければならない。",
        "何人も、夜間に池で船を使用してはならない。",
    ),
}
_LANGUAGES = {"gb": "en", "de": "de", "fr": "fr", "jp": "ja"}


def _ponds(country: str, *texts: str, paragraphs: bool = False) -> ParsedDocument:
    """A law of the texts, each a section, or each a subsection of section 1."""
    root = f"urn:lex:{country}:ponds"
    places = [f"1:{at}" if paragraphs else str(at) for at in range(1, len(texts) + 1)]
    lead = [("1", "section", "", "Ponds")] if paragraphs else []
    kind = "subsection" if paragraphs else "section"
    document = law(root, *lead, *((place, kind, text, "") for place, text in zip(places, texts, strict=True)))
    document.corpus = replace(document.corpus, language=_LANGUAGES[country], title="Pond Act")
    return document


def _possible(document: ParsedDocument, country: str) -> list[tuple[str, str]]:
    annotate(document, jurisdiction_for(country))
    links = [link for link in document.links if link.kind == "may_limit"]
    return [(link.source_urn.rpartition(":")[2], link.target_urn.rpartition(":")[2]) for link in links]


@pytest.mark.parametrize(
    ("country", "text", "limited"),
    [
        ("gb", "The council may allow a boat to be used on a pond at night in an emergency.", "3"),
        ("gb", "The council must publish an annual report.", ""),
        ("gb", "A ticket is blue and bears the name of the pond.", ""),
        ("de", "Abweichend davon dürfen Rettungskräfte Teiche auch bei Nacht mit Booten befahren.", "3"),
        ("de", "Die Gemeinde veröffentlicht jährlich einen Bericht.", ""),
        ("fr", "Les bateaux de secours ne sont pas soumis à l'interdiction de naviguer la nuit sur les étangs.", "3"),
        ("fr", "Le conseil publie chaque année un rapport.", ""),
        ("jp", "ただし、非常の場合は、夜間に池で船を使用することができる。", "3"),
        ("jp", "市は、毎年報告書を公表する。", ""),
    ],
)
def test_what_reads_like_a_limit_may_limit_the_rule_that_it_is_about(country: str, text: str, limited: str) -> None:
    found = _possible(_ponds(country, *_DUTIES[country], text), country)
    assert {source for source, _ in found} <= {"4"}
    assert ("4", limited) in found if limited else not found


def test_what_is_stated_is_not_told_as_possible_too() -> None:
    text = "Section 3 does not apply in an emergency: the council may allow a boat to be used on a pond at night."
    document = _ponds("gb", *_DUTIES["gb"], text)
    assert ("4", "3") not in _possible(document, "gb")
    assert ("disapplies", "urn:lex:gb:ponds:3") in {(link.kind, link.target_urn) for link in document.links}


def _finder(document: ParsedDocument, model: LimitModel | None = None) -> LimitFinder:
    index, model = DocumentIndex(document), model or limit_model("en")
    assert model is not None
    passages = {node.urn: Passage(node, node.text, ()) for node in document.nodes}
    return LimitFinder(index, language_of("en"), model, passages, ())


def _links(document: ParsedDocument, known: frozenset[tuple[str, str]] = frozenset()) -> list[Link]:
    return [*_finder(document).links(known)]


_SENTENCES = (
    *_DUTIES["gb"], "A ticket is not required for a child.", "However, a boat may be used at night in an emergency:",
    "This section does not apply to a pond of a school.", "the boat of a rescuer;", "a ticket of the council; and",
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(_SENTENCES), st.integers(0, 2)), min_size=2, max_size=12))
def test_limits_join_two_sentences_of_which_none_contains_the_other(rows: list[tuple[str, int]]) -> None:
    paths: list[list[int]] = []
    for _, depth in rows:
        above = paths[-1] if paths else []
        depth = min(depth, len(above))
        paths.append([*above[:depth], (above[depth] if depth < len(above) else 0) + 1])
    kinds = ("section", "subsection", "paragraph")
    document = law(
        "urn:lex:gb:ponds",
        *(
            (":".join(map(str, path)), kinds[len(path) - 1], text, "")
            for path, (text, _) in zip(paths, rows, strict=True)
        ),
    )
    links, tree = _links(document), DocumentIndex(document).tree
    assert links == _links(document)
    pairs = [(link.source_urn, link.target_urn) for link in links]
    assert len(set(pairs)) == len(pairs)
    compared = [(limit.node, rule.node) for limit, rule, _ in _finder(document).pairs(())]
    assert set(pairs) <= {(source.urn, target.urn) for source, target in compared}
    for source, target in compared:
        assert source is not target
        assert not source.urn.startswith(f"{target.urn}:")
        assert not target.urn.startswith(f"{source.urn}:")
        assert [sentence_node(source, tree), sentence_node(target, tree)] == [source, target]
    for link in links:
        source = tree.by_urn[link.source_urn]
        place = slice(int(link.properties["phrase_start"]), int(link.properties["phrase_end"]))
        assert source.text[place] == link.properties["phrase"] == link.reference
    others = {(link.source_urn, link.target_urn) for link in _links(document, frozenset(pairs))}
    assert others.isdisjoint(pairs)


@given(st.lists(st.sampled_from(_SENTENCES), min_size=2, max_size=12))
def test_of_what_one_provision_may_limit_the_three_likeliest_are_kept(texts: list[str]) -> None:
    model = limit_model("en")
    assert model is not None
    finder = _finder(_ponds("gb", *texts), replace(model, least=-(10**6)))
    likely: dict[str, list[int]] = {}
    scores: dict[tuple[str, str], int] = {}
    for limit, rule, said in finder.pairs(()):
        scores[limit.node.urn, rule.node.urn] = model.score(said)
        likely.setdefault(limit.node.urn, []).append(model.score(said))
    kept: dict[str, list[int]] = {}
    for link in finder.links(()):
        kept.setdefault(link.source_urn, []).append(scores[link.source_urn, link.target_urn])
    assert kept == {urn: sorted(found, reverse=True)[:3] for urn, found in likely.items()}


def test_runs_are_of_one_sentence_and_numbers_and_citations_are_alike() -> None:
    assert token_runs(["A fee of 5 euros under §§§§."], "") == token_runs(["a fee of 70 euros under §§."], "")
    assert token_runs(["One", "Two"], "") == token_runs(["Two", "One"], "") != token_runs(["One two"], "")
    assert token_runs(["One"], "Two") != token_runs(["One two"], "")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Sie tritt am 1. Januar 2025 in Kraft. Sie gilt: immer.",
         ["Sie tritt am 1. Januar 2025 in Kraft", "Sie gilt", "immer"]),
        ("de", "Kinder bis zur Vollendung des 14. Lebensjahres zahlen nichts; Vereine, auch e. V., zahlen.",
         ["Kinder bis zur Vollendung des 14. Lebensjahres zahlen nichts", "Vereine, auch e. V., zahlen"]),
        ("en", "The fee is 5. It is due under No. 7 at once.", ["The fee is 5", "It is due under No. 7 at once"]),
        ("ja", "納付する。返さない。", ["納付する", "返さない"]),
    ],
)  # fmt: skip
def test_clauses_end_where_the_languages_sentences_do(language: str, text: str, expected: list[str]) -> None:
    found = (text[start:end].strip() for start, end in clauses_of(text, language))
    assert [clause for clause in found if clause] == expected


def test_a_language_without_a_model_has_no_limits() -> None:
    assert limit_model("es") is None


@pytest.mark.parametrize(
    ("title", "text", "targets"),
    [
        ("Chapter 9.20 RCW", "RCW 9.20.010 does not apply to a pond.", [("disapplies", "9.20.010")]),
        ("Ponds, ORS 9.20.010 to 9.20.030", "ORS 9.20.010 to 9.20.030 do not apply to a lake.", [("disapplies", "")]),
        ("Chapter 9.20", "RCW 9.20.010 does not apply to a pond.", [("disapplies", "")]),  # who knows what RCW is
    ],
)  # fmt: skip
def test_a_law_is_cited_by_what_its_title_calls_it(title: str, text: str, targets: list[tuple[str, str]]) -> None:
    corpus = "urn:lex:us-wa:ponds"
    document = law(
        corpus, ("9.20.010", "section", "A keeper must hold a licence.", ""), ("9.20.020", "section", text, "")
    )
    document.corpus = replace(document.corpus, title=title)
    document.nodes[0].level = "chapter"
    for node in document.nodes[1:]:
        node.number = node.urn.rpartition(":")[2]
    annotate(document, jurisdiction_for("us-wa"))
    found = [(link.kind, link.target_urn.removeprefix(corpus).lstrip(":")) for link in document.links]
    assert [pair for pair in found if pair[0] == "disapplies"] == targets


def test_a_link_quotes_a_long_sentence_by_its_beginning_and_says_so() -> None:
    long = "The council may allow a boat to be used on a pond at night in an emergency"
    document = _ponds(
        "gb", *_DUTIES["gb"], f"{long}, {'if the crew is trained and the lamp is lit, ' * 4}and on a feast."
    )
    annotate(document, jurisdiction_for("gb"))
    (link,) = {link.reference: link for link in document.links if link.kind == "may_limit"}.values()
    assert link.reference.startswith(long)
    assert link.reference == f"{link.properties['phrase']}…"
    assert len(link.reference) <= 121
