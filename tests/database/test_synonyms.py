"""Synonyms in a real store: recorded, found whatever their inflection, imported with every bad line named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.store.database import Database
from rag.store.reference_data import NewSynonym, add_synonyms, import_synonyms, list_synonyms
from rag.store.starter import load_starter, starter_languages
from retrieval.entry_points.synonyms import APART, LONGEST_PHRASE, SynonymHit, find_synonyms
from retrieval.errors import InputError
from retrieval.queries import QUERIES


def record(database: Database, *rows: tuple[str, str, str] | tuple[str, str, str, str, float]) -> None:
    """Rows of phrase, target, language, and where given jurisdiction and weight."""
    names = ("phrase", "target", "language", "jurisdiction", "weight")
    add_synonyms(database, [NewSynonym.model_validate(dict(zip(names, row, strict=False))) for row in rows])


def found(database: Database, question: str, language: str = "en", place: str = "us-dc") -> list[tuple[str, str]]:
    """Phrases of the question with their targets."""
    with database.read() as conn:
        hits = find_synonyms(conn, question, language=language, jurisdictions=[place])
    return [(hit.phrase, hit.target) for hit in hits]


@pytest.mark.parametrize(
    ("phrase", "language", "question", "said"),
    [
        ("kick me out", "en", "He is kicking me out tomorrow", "kicking me out"),
        ("kept my deposit", "en", "The landlord keeps the deposits.", None),  # another stem: an irregular verb
        ("keeps deposit", "en", "The landlord is keeping our deposits!", "keeping our deposits"),
        ("bed bug", "en", "BED-BUGS everywhere", "bed-bugs"),
        ("landlord won't fix", "en", "My landlord will not fix it", "landlord will not fix"),
        ("cafe", "en", "a café", "café"),
        ("rendre la caution", "fr", "il refuse de rendre ma caution", "rendre ma caution"),
        ("appartement humide", "fr", "L’appartement humide", "l'appartement humide"),
        ("cautions", "fr", "la caution", "caution"),
        ("kündigung", "de", "zwei Kündigungen", "kündigungen"),
        ("mieter", "de", "meines Untermieters", "untermieters"),  # the end of a compound
        ("unter", "de", "meines Untermieters", None),  # its beginning
        ("zahlt zurück", "de", "Er zahlt die Kaution nicht zurück.", "zahlt … zurück"),  # a verb that parts
        ("zahlt zurück", "de", "Wann zurück? Er zahlt.", "zurück … zahlt"),  # turned round
        ("zahlt zurück", "de", "Er zahlt seit zwei Jahren keinen Cent zurück.", None),  # too far apart
        ("zahlt nicht zurück", "de", "Er zahlt die Kaution nicht zurück.", None),  # only phrases of two words
        ("ware", "de", "Es war gut.", None),  # no more than the stem of an idle word
        ("sous", "fr", "Et mes sous ?", "sous"),  # an idle word that somebody recorded
        ("ドローン", "ja", "家の近くで ドローンを飛ばす", "ドローン"),
        ("deposit", "fr", "le deposit", "deposit"),
        ("gato", "es", "dos gatos", "gatos"),
        ("ένοικος", "el", "ο ένοικος", "ένοικος"),  # a language without a stemmer
    ],
)
def test_a_phrase_is_found_whatever_its_inflection(
    database: Database, phrase: str, language: str, question: str, said: str | None
) -> None:
    record(database, (phrase, "term of art", language))
    assert found(database, question, language) == ([(said, "term of art")] if said else [])
    other = "en" if language != "en" else "de"
    assert found(database, question, other) == []


def test_the_longest_phrase_is_used_and_its_renderings_come_by_weight(database: Database) -> None:
    record(
        database, ("deposit", "security deposit", "en"), ("interest on my deposit", "interest", "en", "", 0.5),
        ("interest on my deposit", "accrued interest", "en", "*", 0.9),
    )  # fmt: skip
    assert found(database, "Deposit: no interest on the deposit") == [
        ("deposit", "security deposit"),
        ("interest on the deposit", "accrued interest"),
        ("interest on the deposit", "interest"),
    ]


def test_words_that_stand_apart_are_less_sure_and_tell_nothing_that_others_tell(database: Database) -> None:
    record(database, ("rent back", "refund", "en"), ("rent back", "remedy", "en"), ("rent", "remedy", "en", "", 0.5))
    with database.read() as conn:
        hits = find_synonyms(conn, "my rent: can I have it back", language="en", jurisdictions=["us-dc"])
        side_by_side = find_synonyms(conn, "rent back", language="en", jurisdictions=["us-dc"])
    assert [(hit.phrase, hit.target) for hit in hits] == [("rent", "remedy")]
    assert {(synonym_hit.phrase, synonym_hit.target, synonym_hit.weight) for synonym_hit in side_by_side} == {
        ("rent back", "refund", 1.0), ("rent back", "remedy", 1.0),
    }  # fmt: skip
    with database.read() as conn:
        apart = find_synonyms(conn, "the rent is back", language="en", jurisdictions=["us-dc"])
    assert [str(synonym_hit) for synonym_hit in apart] == [
        "rent -> remedy (weight 0.5)", "rent … back -> refund (weight 0.75)",
    ]  # fmt: skip


def test_a_phrase_of_one_jurisdiction_applies_there_only_and_goes_before_the_general_one(database: Database) -> None:
    record(database, ("landlord", "lessor", "en", "", 1.0), ("landlord", "lessor", "en", "us-dc", 0.2),
           ("landlord", "housing provider", "en", "us-dc", 1.0))  # fmt: skip
    with database.read() as conn:
        here = find_synonyms(conn, "landlord", language="en", jurisdictions=["us-dc"])
        there = find_synonyms(conn, "landlord", language="en", jurisdictions=["us-ma"])
    assert [(synonym_hit.target, round(synonym_hit.weight, 3)) for synonym_hit in here] == [
        ("housing provider", 1.0),
        ("lessor", 0.2),
    ]
    assert there == [SynonymHit("landlord", "lessor", 1.0)]


@pytest.mark.parametrize(
    ("recorded", "asked", "applies"),
    [
        ("us", "us-dc", True), ("us", "us", True), ("gb-eng-lnd", "gb-eng-lnd", True), ("gb-eng", "gb-eng-lnd", True),
        ("us-dc", "us", False), ("us-dc", "us-ma", False), ("fr", "de", False), ("*", "us-dc", True),
    ],
)  # fmt: skip
def test_a_phrase_of_a_country_applies_in_all_that_lies_in_it(
    database: Database, recorded: str, asked: str, applies: bool
) -> None:
    record(database, ("flat", "dwelling unit", "en", recorded, 1.0), ("まち", "市街地", "ja", recorded, 1.0))
    assert bool(found(database, "a flat", "en", asked)) is applies
    assert bool(found(database, "まちの上", "ja", asked)) is applies


def test_of_one_term_the_nearest_jurisdiction_gives_the_weight(database: Database) -> None:
    record(database, ("flat", "unit", "en", "*", 0.9), ("flat", "unit", "en", "us", 0.5),
           ("flat", "unit", "en", "us-dc", 0.2))  # fmt: skip
    with database.read() as conn:
        weights = {
            place: [
                round(synonym.weight, 3)
                for synonym in find_synonyms(conn, "flat", language="en", jurisdictions=[place])
            ]
            for place in ("us-dc", "us-ma", "us", "gb")
        }
    assert weights == {"us-dc": [0.2], "us-ma": [0.5], "us": [0.5], "gb": [0.9]}


def outermost(spans: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that lie inside no other."""
    return [
        span
        for span in spans
        if not any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in spans)
    ]


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.sampled_from(("aa", "bb", "cc")), min_size=1, max_size=3), min_size=1, max_size=5),
    st.lists(st.sampled_from(("aa", "bb", "cc", "dd")), max_size=9),
)
def test_what_is_found_is_what_a_search_by_hand_finds(
    database: Database, phrases: list[list[str]], words: list[str]
) -> None:
    with database.write() as conn:
        conn.execute("delete from legal_synonyms")
    record(database, *((" ".join(phrase), "t", "it") for phrase in phrases))
    pairs = [phrase for phrase in phrases if len(phrase) == 2]
    side_by_side = {
        (at, at + len(phrase))
        for phrase in phrases
        for at in range(len(words))
        if words[at : at + len(phrase)] == phrase
    }
    apart = {
        (min(first, last), max(first, last) + 1)
        for pair in pairs
        for first in range(len(words))
        for last in range(len(words))
        if [words[first], words[last]] == pair and last not in (first, first + 1) and abs(last - first) < APART
    }
    expected = {" ".join(words[start:end]) for start, end in outermost(side_by_side)}
    if not side_by_side:  # all stand for one term, and what others tell, words that stand apart do not
        expected = {f"{words[start]} … {words[end - 1]}" for start, end in outermost(apart)}
    assert {phrase for phrase, _ in found(database, " ".join(words), "it")} == expected


_MANY = """insert into legal_synonyms (phrase, phrase_key, target, language)
select 'w' || n, 'w' || n, 'term', 'de' from generate_series(1, 20000) as n"""


def test_a_look_up_reads_the_phrases_of_the_question_and_not_the_thesaurus(database: Database) -> None:
    """In a language of compounds too, where the planner expects far more ends of words than there are."""
    values = {
        "language": "de", "jurisdictions": ["de"], "words": ["wohnung", "w17"], "dictionary": "german_stem",
        "longest": LONGEST_PHRASE, "compounds": True, "shortest": 4, "apart": APART,
    }  # fmt: skip
    with database.write() as conn:
        conn.execute(_MANY)
        conn.execute("analyze legal_synonyms")
    with database.read() as conn:
        plan = "\n".join(row[0] for row in conn.execute("explain " + QUERIES["find_synonyms"], values).fetchall())
    assert re.search(r"Index Cond: .*phrase_key = ", plan), plan
    assert ("w17", "term") in found(database, "Wohnung w17", "de", "de")


def test_hostile_questions_are_looked_up_as_text(database: Database) -> None:
    record(database, ("ende", "schluss", "de"))
    for question in ("'; drop table legal_synonyms; --", "%_\\", "x" * 20_000, "-" * 500, "a " * 5_000, "''"):
        assert found(database, question, "de") == []
        assert found(database, question, "ja") == []


# --- files ------------------------------------------------------------------------------------------------------------


def test_csv_and_json_lines_say_the_same(database: Database, tmp_path: Path) -> None:
    row = {"phrase": "Kicked Out", "target": "eviction", "language": "en", "jurisdiction": "*", "weight": 0.5}
    lines, table = tmp_path / "a.jsonl", tmp_path / "b.csv"
    lines.write_text(json.dumps({**row, "note": "seen in a letter"}) + "\n\n", encoding="utf-8")
    table.write_text(",".join(row) + "\n" + ",".join(map(str, row.values())) + "\n", encoding="utf-8")
    for file in (lines, table):
        with database.write() as conn:
            conn.execute("delete from legal_synonyms")
        assert import_synonyms(database, file).recorded == 1
        assert [synonym.model_dump() for synonym in list_synonyms(database)] == [
            {"phrase": "kicked out", "target": "eviction", "language": "en", "jurisdiction": "", "weight": 0.5}
        ]


BAD = (
    ('{"phrase": "a b", "target": "t", "language": "en"}', None),
    ("{", "is not JSON"),
    ('["phrase"]', "is no JSON object"),
    ('{"phrase": "a", "phrase": "b", "target": "t", "language": "en"}', "is not JSON"),
    ('{"phrase": "?!", "target": "t", "language": "en"}', "phrase: the phrase has no words"),
    ('{"phrase": "a", "target": "t", "language": "english"}', "language"),
    ('{"phrase": "a", "target": "t", "language": "en", "weight": 0}', "weight"),
    ('{"phrase": "a", "target": "t", "language": "en", "weight": "NaN"}', "weight"),
    ('{"phrase": "a", "target": "t", "language": "en", "jurisdiction": "not one"}', "jurisdiction"),
    ('{"phrase": "a", "target": "urn:lex:us:16cfr:*", "language": "en"}', "target"),
    ('{"phrase": "a", "target": "t", "language": "en", "wieght": 1}', "wieght"),
    ('{"phrase": "家", "target": "建物", "language": "ja"}', "one sign"),
    (f'{{"phrase": "{"w " * (LONGEST_PHRASE + 1)}", "target": "t", "language": "en"}}', "words that it is compared by"),
    ('{"phrase": "c", "target": "t", "language": "en"}', None),
)


def test_every_bad_line_is_named_and_nothing_is_recorded(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(line for line, _ in BAD), encoding="utf-8")
    with pytest.raises(InputError) as error:
        import_synonyms(database, file)
    for number, (_, cause) in enumerate(BAD, start=1):
        assert (f"rows.jsonl:{number}: " in error.value.message) is (cause is not None)
        assert cause is None or cause in error.value.message
    assert list_synonyms(database) == []


def test_bad_lines_can_be_left_out(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(line for line, _ in BAD), encoding="utf-8")
    done = import_synonyms(database, file, skip_rejected=True)
    assert done.recorded == 2
    assert [rejected_line.line for rejected_line in done.rejected] == [
        n for n, (_, cause) in enumerate(BAD, start=1) if cause
    ]
    assert [synonym.phrase for synonym in list_synonyms(database)] == ["a b", "c"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("phrase,language\na,en\n", "target is missing"),
        ("phrase,target,language\na,b,en,,,x\n", "more fields"),
        ('phrase,target,language\n"a,b,en\n', "is not CSV"),
        ("", "must name the columns"),
    ],
)
def test_a_table_that_is_none_says_why(database: Database, tmp_path: Path, text: str, cause: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=cause):
        import_synonyms(database, file)


def test_a_list_can_be_narrowed(database: Database) -> None:
    record(database, ("flat", "dwelling", "en"), ("flat", "unit", "en", "us-dc", 1.0), ("flach", "x", "de"),
           ("50%_off", "discount", "en"), ("pad", "home", "en", "us", 1.0))  # fmt: skip
    assert [synonym.target for synonym in list_synonyms(database, "flat")] == ["dwelling", "unit"]
    assert [synonym.target for synonym in list_synonyms(database, "pad", jurisdiction="us-dc")] == ["home"]
    assert list_synonyms(database, "pad", jurisdiction="gb") == []
    assert [synonym.target for synonym in list_synonyms(database, "fla", language="de")] == ["x"]
    assert [synonym.target for synonym in list_synonyms(database, "fla", jurisdiction="*", language="en")] == [
        "dwelling"
    ]
    assert [synonym.target for synonym in list_synonyms(database, "fla", jurisdiction="us-dc")] == [
        "x",
        "dwelling",
        "unit",
    ]
    assert list_synonyms(database, "50x") == []
    assert len(list_synonyms(database, limit=2)) == 2


# --- what ships -------------------------------------------------------------------------------------------------------


def test_the_starter_thesauri_are_recorded_as_often_as_one_likes(database: Database) -> None:
    assert starter_languages() == ["de", "en", "fr", "ja"]
    count = load_starter(database)
    assert load_starter(database, ["ja"]) == len(list_synonyms(database, limit=100_000, language="ja"))
    assert len(list_synonyms(database, limit=100_000)) == count
    for language, least in (("en", 3000), ("fr", 2000), ("de", 2000), ("ja", 300)):
        assert len({synonym.phrase for synonym in list_synonyms(database, limit=100_000, language=language)}) >= least
    assert ("kicked me out", "eviction") in found(database, "My landlord kicked me out of my flat")
    assert ("rauswerfen", "kündigung") in found(database, "Er will mich rauswerfen", "de", "de")
    assert ("menti", "dol") in found(database, "Le vendeur m'a menti", "fr", "fr")
    assert ("ドローン", "無人航空機") in found(database, "ドローンを飛ばす", "ja", "jp")
    with pytest.raises(InputError, match="no starter thesaurus for xx"):
        load_starter(database, ["xx"])
