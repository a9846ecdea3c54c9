"""The legs on real PostgreSQL: scripts without spaces, words that only ask, similarities of what others found."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest
from conftest import SAMPLE
from fakes.openai_server import FakeOpenAI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag import Engine
from rag.settings import Settings
from rag.store.database import Database
from retrieval.entry_points.dense import search_dense, stored_model, with_similarities
from retrieval.entry_points.finding import embed_question
from retrieval.entry_points.legs import find_entry_points
from retrieval.entry_points.lexical import Filters, WordLegs, search_words
from retrieval.entry_points.question_words import inverse_frequency, read_question_words
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.nodes import Connection
from retrieval.providers.openai_embedding import OpenAIEmbedder
from retrieval.queries import QUERIES

DAY = date(2026, 1, 1)
LAW = {
    ("jp", "ja"): [
        "借地権者は、更新料を支払う義務を負わない。",
        "建物の賃貸人は、敷金を返還しなければならない。",
        "更新の請求は、書面でしなければならない。",
    ],
    ("us", "en"): [
        "The landlord must return the deposit.",
        "The tenant may explain, elaborate and clarify the context of a complaint.",
        "A complaint is heard within ten days.",
    ],
    ("de", "de"): [
        "Die Kündigung bedarf der Schriftform.",
        "Der Vermieter gibt die Kaution nach dem Ende der Miete heraus.",
        "Wer bauen will, zeigt es an.",
        "Der Schuldner leistet Schadenersatz.",
        "Der Ersatz umfasst die Kosten.",
    ],
    ("fr", "fr"): ["Le vendeur délivre la chose.", "Le bailleur entretient la chose louée."],
}


def write_law(path: Path, jurisdiction: str, language: str, sections: list[str]) -> Path:
    corpus = f"urn:lex:{jurisdiction}:law"
    head: dict[str, object] = {"lexscope": 1, "corpus": {"urn": corpus, "title": "Law", "language": language}}
    root = {"urn": corpus, "structure_type": "ROOT", "level": "corpus", "number": "law", "kind": "section"}
    lines = [head, dict[str, object](root)]
    lines += [
        {
            "urn": f"{corpus}:{number}", "parent_urn": corpus, "structure_type": "SECTION", "level": "section",
            "number": str(number), "content_text": text,
        }
        for number, text in enumerate(sections, start=1)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def by_words(conn: Connection, question: str, filters: Filters, synonyms: Sequence[SynonymHit] = ()) -> WordLegs:
    words = read_question_words(
        conn, question, synonyms, language=filters.language, jurisdictions=filters.jurisdictions
    )
    return search_words(conn, words, filters)


@pytest.mark.parametrize(
    ("place", "question", "wanted"),
    [
        (("jp", "ja"), "更新料を払わなければなりませんか", "1"),  # not the third, which only shares "更新"
        (("jp", "ja"), "敷金", "2"),
        (("us", "en"), "Can you explain and clarify, in this context, when a complaint is heard?", "3"),
        (("us", "en"), "deposit", "1"),
        # Words that this law never uses: other forms of its own, and compounds of them.
        (("de", "de"), "Er hat gekündigt.", "1"),
        (("de", "de"), "Wann bekomme ich meine Mietkaution?", "2"),
        (("de", "de"), "Wer hat den Schaden?", "4"),  # the law has the word in compounds only
        (("fr", "fr"), "A-t-il vendu ?", "1"),
    ],
)
def test_a_question_finds_the_section_it_is_about(
    empty_settings: Settings, tmp_path: Path, place: tuple[str, str], question: str, wanted: str
) -> None:
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([write_law(tmp_path / "law.jsonl", *place, LAW[place])]).rejected
        with engine.database.read() as conn:
            found = by_words(conn, question, Filters((place[0],), place[1], DAY)).lexical
    assert found[0].urn == f"urn:lex:{place[0]}:law:{wanted}"


QUOTATION_SIGNS = [
    ("«", "»"), ("« ", " »"), ("‹", "›"), ("»", "«"), ("›", "‹"), ("<", ">"), ("“", "”"), ("„", "“"),
    ("‘", "’"), ("‚", "‘"), ('"', '"'), ("'", "'"), ("「", "」"), ("『", "』"),
    ("《", "》"), ("〈", "〉"), ("＜", "＞"), ("≪", "≫"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("english", "occupant of the flat"),
        ("french", "le propriétaire du bien loué"),
        ("german", "Überlassung der Mietsache"),
        ("italian", "il danno"),
        ("simple", "借地権者"),
    ],
)
def test_words_between_any_quotation_signs_are_words(database: Database, config: str, words: str) -> None:
    query = "select tsvector_to_array(to_tsvector(%s::regconfig, lex_words(%s)))"
    with database.admin() as conn:

        def read(text: str) -> list[str]:
            [(found,)] = conn.execute(query.encode(), [config, text]).fetchall()
            return found

        bare = read(words)
        assert bare
        assert {signs: read(f"{signs[0]}{words}{signs[1]}") for signs in QUOTATION_SIGNS} == dict.fromkeys(
            QUOTATION_SIGNS, bare
        )


@pytest.mark.parametrize(
    ("place", "section", "question"),
    [
        (("us", "en"), "Nothing applies to an <occupant>.", "What about an ‹occupant›?"),
        (("fr", "fr"), "Est «locataire» qui loue.", "Qui est «locataire» ?"),
        (("de", "de"), "«Bewohner» ist, wer wohnt.", "Wer ist ‹Bewohner›?"),
        (("it", "it"), "«danno» significa perdita.", "Che cosa è il danno?"),
    ],
)
def test_a_word_in_guillemets_is_found(
    empty_settings: Settings, tmp_path: Path, place: tuple[str, str], section: str, question: str
) -> None:
    with Engine.open(empty_settings) as engine:
        law = write_law(tmp_path / "law.jsonl", *place, ["Rien.", section])
        assert not engine.ingest([law]).rejected
        with engine.database.read() as conn:
            found = by_words(conn, question, Filters((place[0],), place[1], DAY)).lexical
    assert [hit.urn for hit in found] == [f"urn:lex:{place[0]}:law:2"]


_LETTERS = st.sampled_from("abß%_\\zé\U0001f600")
_LEXEMES = st.text(_LETTERS, min_size=1, max_size=4)


@given(
    stored=st.lists(st.tuples(st.sampled_from(["de", "at"]), _LEXEMES), unique=True, max_size=12),
    exact=st.lists(_LEXEMES, max_size=3),
    inside=st.lists(_LEXEMES, max_size=3),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lexemes_that_begin_or_end_with_a_word_are_all_found_and_counted_once(
    database: Database, stored: list[tuple[str, str]], exact: list[str], inside: list[str]
) -> None:
    with database.admin() as conn:
        conn.execute("delete from lexeme_stats")
        for number, (code, lexeme) in enumerate(stored, start=1):
            conn.execute("insert into lexeme_stats values (%s, 'de', %s, %s)", [code, lexeme, number])
        values = {"jurisdictions": ["de", "at"], "language": "de", "lexemes": exact, "inside": inside}
        found = dict(conn.execute(QUERIES["find_question_forms"], values).fetchall())
    wanted: dict[str, int] = {}
    for number, (_, lexeme) in enumerate(stored, start=1):
        if lexeme in exact or any(lexeme.startswith(word) or lexeme.endswith(word) for word in inside):
            wanted[lexeme] = wanted.get(lexeme, 0) + number
    assert found == wanted


def test_the_ends_of_lexemes_are_looked_up_in_indexes(database: Database) -> None:
    """Whatever the planner expects: among a million lexemes a scan takes half a second."""
    with database.admin() as conn:
        conn.execute(
            "insert into lexeme_stats select 'de', 'de', 'wort' || n || 'teil', 1 from generate_series(1, 20000) n"
        )
        conn.execute("analyze lexeme_stats")
        conn.execute("set plan_cache_mode = force_generic_plan")
        values = {"jurisdictions": ["de"], "language": "de", "lexemes": ["wort"], "inside": ["teil", "miet"]}
        plan = " ".join(row[0] for row in conn.execute(f"explain {QUERIES['find_question_forms']}", values))
    assert (
        "Index Cond: ((jurisdiction = ANY ('{de}'::text[])) AND (language = 'de'::text) AND (lexeme >= w.word)" in plan
    )
    assert "lexeme_stats_ending_idx" in plan
    assert "Seq Scan" not in plan


def test_of_very_many_compounds_with_a_word_the_commonest_are_searched_beside_it(database: Database) -> None:
    with database.admin() as conn:
        conn.execute(
            "insert into lexeme_stats select 'de', 'de', 'bahn' || chr(97 + n / 676) || chr(97 + n / 26 % 26)"
            " || chr(97 + n % 26) || 'hof', n from generate_series(1, 2000) n"
        )
        conn.execute("insert into lexeme_stats values ('de', 'de', 'hof', 1)")
        conn.execute("insert into language_stats values ('de', 'de', 10000, 100000)")
    with database.read() as conn:
        words = read_question_words(conn, "Bahn", [], language="de", jurisdictions=["de"]).words
    assert len(words) <= 500
    assert all(word.kin == "bahn" for word in words)


def test_other_forms_of_a_word_that_the_law_uses_are_searched_beside_it_where_asked_for(
    empty_settings: Settings, tmp_path: Path
) -> None:
    law = [
        "Die Kündigung bedarf der Schriftform.",
        "Der Mieter kündigt zum Ende des Monats.",
        "Die Miete ist zu zahlen.",
    ]
    filters = Filters(("de",), "de", DAY)
    with Engine.open(empty_settings) as engine:
        assert not engine.ingest([write_law(tmp_path / "law.jsonl", "de", "de", law)]).rejected
        with engine.database.read() as conn:
            alone, beside = (
                read_question_words(conn, "Kündigung", [], language="de", jurisdictions=["de"], with_kin=with_kin)
                for with_kin in (False, True)
            )
            found = search_words(conn, beside, filters).lexical
            assert [hit.urn for hit in search_words(conn, alone, filters).lexical] == ["urn:lex:de:law:1"]
    assert [(word.lexeme, word.kin) for word in beside.words] == [("kundig", ""), ("kundigt", "kundig")]
    assert beside.words[1].idf < beside.words[0].idf
    assert [hit.urn for hit in found] == ["urn:lex:de:law:1", "urn:lex:de:law:2"]


def test_what_another_leg_found_gets_its_similarity_and_keeps_the_order_of_the_nearest(
    empty_settings: Settings,
) -> None:
    with FakeOpenAI() as server, Engine.open(empty_settings) as engine:
        embedder = OpenAIEmbedder("key", "text-embedding-3-small", 64, base_url=server.base_url)
        engine = engine.using(embedder=embedder)
        engine.ingest([SAMPLE], embed=True)
        vector = embedder.embed(["interest on a security deposit"]).vectors[0]
        filters = Filters(("us-ma",), "en", DAY)
        with engine.database.read() as conn:
            stored = stored_model(conn)
            assert stored is not None
            whole = search_dense(conn, vector, stored, filters)
            nearest, others = whole[:3], [*whole[2:9], *by_words(conn, "security deposit", filters).lexical]
            similarities = {(leg_hit.jurisdiction, leg_hit.id): leg_hit.score for leg_hit in whole}
            completed = with_similarities(nearest, others, similarities)
    assert completed[:3] == nearest
    scores = {leg_hit.id: leg_hit.score for leg_hit in whole}
    assert {leg_hit.id for leg_hit in completed} == {other.id for other in [*nearest, *others]}
    assert [leg_hit.score for leg_hit in completed] == sorted((leg_hit.score for leg_hit in completed), reverse=True)
    assert {leg_hit.id: leg_hit.score for leg_hit in completed if leg_hit.id in scores} == pytest.approx(
        {leg_hit.id: scores[leg_hit.id] for leg_hit in completed if leg_hit.id in scores}, abs=1e-6
    )


def test_what_the_dense_leg_found_is_ranked_by_its_words_too(empty_settings: Settings) -> None:
    question = "How is the interest on a security deposit paid to the tenant?"
    with FakeOpenAI() as server, Engine.open(empty_settings) as engine:
        embedder = OpenAIEmbedder("key", "text-embedding-3-small", 64, base_url=server.base_url)
        engine = engine.using(embedder=embedder)
        engine.ingest([SAMPLE], embed=True)
        vector = embedder.embed([question]).vectors[0]
        filters = Filters(("us-ma",), "en", DAY)
        with engine.database.read() as conn:
            stored = stored_model(conn)
            by_word = find_entry_points(conn, question, filters, mode="keyword", depth=2).legs["lexical"]
            legs = find_entry_points(conn, question, filters, vector=vector, model=stored, depth=2).legs
            everything = {leg.id for leg in find_entry_points(conn, question, filters, depth=500).legs["lexical"]}
    near = {leg.id for leg in legs["dense"]}
    assert len(by_word) == 2
    assert {hit.id for hit in by_word} < {leg.id for leg in legs["lexical"]} <= near & everything
    assert everything & near == {leg.id for leg in legs["lexical"]}


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("May a landlord keep the security deposit of a tenant?", ["security deposit", "return of the deposit"]),
        (
            "written notice, e-mail and/or first-class mail to the manufactured-housing owner",
            ["first-class mail", "written notice"],
        ),
        ("How is the last month's rent paid in advance counted?", ["rent", "the", "not in the law at all"]),
    ],
)
def test_the_synonym_leg_finds_what_postgresql_says_holds_a_phrase(
    empty_settings: Settings, question: str, terms: list[str]
) -> None:
    synonyms = [SynonymHit(f"phrase {number}", term, 1.0) for number, term in enumerate(terms)]
    filters = Filters(("us-ma",), "en", DAY)
    with Engine.open(empty_settings) as engine:
        engine.ingest([SAMPLE])
        with engine.database.read() as conn:
            found = by_words(conn, question, filters, synonyms)
            holding = conn.execute(
                "select n.id, count(distinct t.phrase)::float8 from unnest(%s::text[]) as t (phrase)"
                " join legal_nodes n on n.fts @@ phraseto_tsquery('english', lex_words(t.phrase))"
                " where n.id = any(%s) group by n.id",
                [sorted(terms), [hit.id for hit in found.lexical]],
            ).fetchall()
    assert holding
    assert {hit.id for hit in found.synonym} == {one for one, _ in holding}
    assert all(0 < hit.score <= dict(holding)[hit.id] for hit in found.synonym)


def test_what_the_law_says_all_the_time_is_not_searched_by_its_synonyms(empty_settings: Settings) -> None:
    spoken = [SynonymHit("tenant", "occupant", 1.0), SynonymHit("crib", "security deposit", 1.0)]
    with Engine.open(empty_settings) as engine:
        engine.ingest([SAMPLE])
        with engine.database.read() as conn:
            asked = read_question_words(conn, "tenant crib", spoken, language="en", jurisdictions=["us-ma"])
    assert [(phrase.name, [lexeme for _, lexeme in phrase.lexemes]) for phrase in asked.phrases] == [
        ("crib", ["secur", "deposit"])
    ]
    assert {word.lexeme for word in asked.words} == {"tenant", "secur", "deposit"}
    assert 0 < asked.phrases[0].weight < 1  # something holds it
    said = {matter.lexeme: matter.weight for matter in asked.matters}
    assert said["crib"] == said["tenant"] == asked.rarity["tenant"]  # nothing here is rarer


def test_words_are_as_rare_as_the_law_searched_says(empty_settings: Settings) -> None:
    with Engine.open(empty_settings) as engine:
        engine.ingest([SAMPLE])
        with engine.database.read() as conn:
            asked = read_question_words(
                conn, "Is the deposit a frobnication?", [], language="en", jurisdictions=["us-ma"]
            )
            [(holding, nodes, words)] = conn.execute(
                "select count(*) filter (where fts @@ 'deposit'), count(*), sum(fts_length) from legal_nodes"
                " where fts_length > 0 and jurisdiction = 'us-ma' and language = 'en'"
            ).fetchall()
            elsewhere = read_question_words(conn, "deposit", [], language="en", jurisdictions=["fr"])
    assert asked.frequencies == {"deposit": holding}
    assert asked.rarity == {"deposit": inverse_frequency(holding, nodes)}
    assert [(word.lexeme, word.idf) for word in asked.words] == [("deposit", inverse_frequency(holding, nodes))]
    assert (asked.nodes, asked.average_length) == (nodes, words / nodes)
    assert (elsewhere.words, elsewhere.rarity) == ([], {})


def test_terms_that_a_model_names_count_for_half_of_the_vector(empty_settings: Settings) -> None:
    with FakeOpenAI() as server, Engine.open(empty_settings) as engine:
        embedder = OpenAIEmbedder("key", "text-embedding-3-small", 64, base_url=server.base_url)
        engine = engine.using(embedder=embedder)
        engine.ingest([SAMPLE], embed=True)

        def vector(question: str, *terms: str) -> list[float]:
            found = embed_question(engine.database, embedder, question, "hybrid", terms).vector
            assert found is not None
            return found

        asked, named = vector("They kept my money."), vector("security deposit; interest")
        both = vector("They kept my money.", "security deposit", "interest")
    assert cosine(asked, named) < 0.9
    assert cosine(both, asked) == pytest.approx(cosine(both, named))
    assert cosine(both, asked) > cosine(asked, named)


def cosine(first: list[float], second: list[float]) -> float:
    product = sum(a * b for a, b in zip(first, second, strict=True))
    return product / (math.hypot(*first) * math.hypot(*second))
