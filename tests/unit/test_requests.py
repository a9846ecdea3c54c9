"""What a request says, checked before anything else; messages never repeat what was typed."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from rag.jurisdictions.grammars import GRAMMARS
from rag.languages.registry import language_told
from rag.requests import MAX_QUESTION, checked_date, checked_question
from rag.store.reference_data import NewOverride, NewPreemption, NewSynonym, read_rows
from retrieval.entry_points.sources import SourceRow, search_filters
from retrieval.errors import InputError
from retrieval.languages import checked_language


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("  May I?  ", "May I?"),
        ("a\tb\nc", "a\tb\nc"),
        ("a\x00b\x1bc", "a b c"),
        ("e\u0301te\u0301", "été"),
        ("con\u00adtract", "contract"),  # a soft hyphen only says where a line may break
        ("a\u202eb\u200bc", "abc"),  # nor does what is not seen at all part a word
        ("a\x00b", "a b"),
    ],
)
def test_a_question_is_kept_without_what_no_reader_sees(text: str, kept: str) -> None:
    assert checked_question(text) == kept


@pytest.mark.parametrize("text", ["", "  \n ", "?!", "\u200b", "\ud800", "x" * (MAX_QUESTION + 1)])
def test_a_question_without_words_or_beyond_the_limit_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        checked_question(text)


@given(st.text(max_size=60))
def test_checking_again_changes_nothing(text: str) -> None:
    try:
        kept = checked_question(text)
    except InputError:
        return
    assert checked_question(kept) == kept


@requirement("P8")
def test_a_refusal_never_repeats_the_question() -> None:
    with pytest.raises(InputError) as caught:
        checked_question("Mr Smith " * 5000)
    assert "Smith" not in caught.value.message


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2024-02-29", date(2024, 2, 29)), ("0001-01-01", date(1, 1, 1)), ("9999-12-31", date(9999, 12, 31)),
        (date(2020, 5, 5), date(2020, 5, 5)),
    ],
)  # fmt: skip
def test_a_date_is_a_day_of_the_calendar(value: str | date, day: date) -> None:
    assert checked_date(value) == day


@pytest.mark.parametrize(
    "value",
    [
        "",
        "20240101",
        "2024-W01-1",
        "2023-02-29",
        "06/07/2015",
        "now",
        "infinity",
        "2024-1-1",
        "2024-01-01T00:00",
        "２０２４-01-01",
        "2024-01-01\n",
        "0000-01-01",
    ],
)
def test_anything_else_is_no_date(value: str) -> None:
    with pytest.raises(InputError):
        checked_date(value)


def test_a_moment_is_no_day() -> None:
    with pytest.raises(InputError, match="time of day"):
        checked_date(datetime(2024, 1, 1, 23, 30, tzinfo=UTC))


def test_no_date_means_today_in_utc() -> None:
    before = datetime.now(UTC).date()
    assert before <= checked_date(None) <= datetime.now(UTC).date()


def source(code: str, language: str) -> SourceRow:
    return SourceRow(f"urn:lex:{code}:x", code, "", language, "", "", datetime(2026, 1, 1, tzinfo=UTC))


SOURCES = [source("us", "en"), source("us-dc", "en"), source("fr", "fr"), source("eu", "en"), source("eu", "fr")]
DAY = date(2026, 1, 1)


@pytest.mark.parametrize(
    ("jurisdiction", "language", "codes", "spoken"),
    [
        ("us", None, ("us", "us-dc"), "en"),
        ("us-dc", None, ("us-dc",), "en"),
        ("fr", None, ("fr",), "fr"),
        ("eu", "fr", ("eu",), "fr"),
        ("us|fr", "fr", ("fr", "us", "us-dc"), "fr"),
        (None, "en", ("eu", "fr", "us", "us-dc"), "en"),
    ],
)
def test_filters_name_every_stored_jurisdiction_that_is_meant(
    jurisdiction: str | None, language: str | None, codes: tuple[str, ...], spoken: str
) -> None:
    filters, _ = search_filters(SOURCES, jurisdiction, language, DAY, lambda _: "")
    assert (filters.jurisdictions, filters.language, filters.at_date) == (codes, spoken, DAY)


@pytest.mark.parametrize(
    ("jurisdiction", "language", "says"),
    [
        ("de", None, "no law of jurisdiction de"),
        ("us", "fr", "no law in that language"), ("not a code", None, "not a code"),
    ],
)  # fmt: skip
def test_filters_that_select_nothing_or_too_much_are_refused(
    jurisdiction: str | None, language: str | None, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        search_filters(SOURCES, jurisdiction, language, DAY, lambda _: "")


@pytest.mark.parametrize(
    ("told", "jurisdiction", "language", "says"),
    [
        ("fr", "eu", "fr", "Of the law in en, fr only fr was searched, the question's language;"),
        ("", None, "en", "Of the law in en, fr only en was searched, in which the store has most;"),
        ("fr", "us", "en", ""),
    ],
)
def test_of_several_languages_the_one_of_the_question_is_searched_and_said(
    told: str, jurisdiction: str | None, language: str, says: str
) -> None:
    filters, note = search_filters(SOURCES, jurisdiction, None, DAY, lambda _: told)
    assert filters.language == language
    assert " ".join(note).partition(" `")[0] == says


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("How long can I withdraw from a contract that I made on the web?", "en"),
        ("Wie lange kann ich einen Vertrag widerrufen?", "de"),
        ("Dans quel délai puis-je me rétracter ?", "fr"),
        ("契約はいつ取り消せますか", "ja"),
        ("940 CMR 3.17", ""),
    ],
)
def test_the_language_of_a_question_is_told_by_the_words_of_every_sentence(question: str, code: str) -> None:
    assert language_told(question, ["de", "en", "fr", "ja"]) == code


@pytest.mark.parametrize(("given", "code"), [("EN", "en"), (" Fr ", "fr"), ("de", "de"), (None, None)])
def test_a_language_is_read_in_any_case(given: str | None, code: str | None) -> None:
    assert checked_language(given) == code


@pytest.mark.parametrize("given", ["", "english", "e", "en-John-Smith", "ﬁ", "1a"])
def test_what_is_no_code_of_a_language_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="is not a code of two or three letters"):
        checked_language(given)


@requirement("P7")
def test_an_empty_store_says_so_and_not_that_there_is_no_law() -> None:
    with pytest.raises(InputError, match="holds no law yet"):
        search_filters([], "us", None, DAY, lambda _: "")


def test_references_in_a_question_are_read_by_all_its_grammars() -> None:
    question = "Does 16 CFR 310.4(b)(1) apply, or 17 U.S.C. 106, or “Smith” maybe?"
    read = GRAMMARS.cited_in(question, ["us", "us-dc"])
    assert {urn for reference in read for urn in reference.urns} == {
        "urn:lex:us:16cfr:310.4:b:1",
        "urn:lex:us:17usc:106",
    }
    assert {question[reference.start : reference.end] for reference in read} == {"16 CFR 310.4(b)(1)", "17 U.S.C. 106"}


# --- reference data -------------------------------------------------------------------------------------------------


def test_a_csv_is_read_with_its_quoted_lines_whole(tmp_path) -> None:
    file = tmp_path / "o.csv"
    head = "urn_pattern,status,court,court_citation,message"
    line = 'URN:LEX:us:x:*,VOID,Court,1 X 1,"two\nlines, one\u2028field"'
    file.write_text(f"{head}\r\n{line}\r\n", encoding="utf-8-sig", newline="")
    assert [(row.urn_pattern, row.message) for row in read_rows(file, NewOverride)] == [
        ("urn:lex:us:x:*", "two\nlines, one\u2028field")
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("urn:lex:us:x,VOIDED,Court,1,", "status"), ("urn:isbn:1,VOID,Court,1,", "urn_pattern"),
        ("urn:lex:us:x,VOID,,1,", "court"), ("urn:lex:us:x,VOID,Court,1,2024-13-01", "effective_from"),
        ("urn:lex:us:x,VOID,Court,1,2024-01-01,surplus", "o.csv:2"), ("urn:lex:us:x,VOID", "court"),
    ],
)  # fmt: skip
def test_a_csv_row_that_cannot_be_used_is_named_by_line_and_field(tmp_path, line: str, says: str) -> None:
    file = tmp_path / "o.csv"
    file.write_text(f"urn_pattern,status,court,court_citation,effective_from\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=says) as caught:
        read_rows(file, NewOverride)
    assert "o.csv:2" in caught.value.message


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (NewOverride, {"urn_pattern": "urn:lex:us:x", "status": "VOID", "court": "C", "court_citation": "1",
                       "effective_from": "2020-01-01", "effective_to": "2020-01-01"}),
        (NewPreemption, {"federal_pattern": "urn:lex:us:x", "state_pattern": "x", "kind": "field"}),
        (NewSynonym, {"phrase": "?!", "target": "rent", "language": "en"}),
        (NewSynonym, {"phrase": "rent", "target": "urn:lex:us", "language": "en"}),
        (NewSynonym, {"phrase": "rent", "target": "?", "language": "en"}),
        (NewSynonym, {"phrase": "rent", "target": "lease", "language": "english"}),
        (NewSynonym, {"phrase": "rent", "target": "lease", "language": "en", "weight": 11}),
    ],
)  # fmt: skip
def test_a_row_that_would_never_work_is_refused(kind: type, values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        kind.model_validate(values)
