"""Filters of a search on a real store, against a brute-force reading of the same law."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from conftest import Stores
from hypothesis import given, settings
from hypothesis import strategies as st
from search_law import ALSACE, CODE_DU_THE, EDICT, TEA, Row, nodes, write_law

from rag import Engine
from retrieval.errors import InputError
from retrieval.model import SearchResult

KINDS = ("legislation", "decision", "record", "notice")
TODAY = "2024-01-01"
HIGH, CUP, LATE = "urn:lex:gb:teacourt-11", "urn:lex:gb:teacourt-12", "urn:lex:gb:teacourt-13"


@pytest.fixture(scope="module")
def engine(stores: Stores, empty_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = write_law(tmp_path_factory.mktemp("law"))
    with Engine.open(stores.clone(empty_template)) as opened:
        report = opened.ingest([folder], jurisdiction="us-dc")
        assert not report.rejected
        yield opened


def urns(result: SearchResult) -> list[str]:
    return [search_hit.urn for search_hit in result.results]


# --- the six operators against brute force -------------------------------------------------------------------------


def tag_of(line: list[Row], key: str) -> list[str]:
    """The values of a tag along a line from root to node."""
    found = (cast("dict[str, str]", row.get("tags", {})) for row in line)
    return [tags[key] for tags in found if key in tags]


def holds(line: list[Row], key: str, value: str) -> bool:
    """What a filter means, read off its description."""
    values = tag_of(line, key)
    if value == "*":
        return bool(values)
    if value == "!*":
        return not values
    if value.startswith("!="):
        return bool(values) and not set(values) & set(value[2:].split("|"))
    return bool(set(values) & set(value.split("|")))


def fits(language: str, line: list[Row], tags: dict[str, str]) -> bool:
    row = line[-1]
    start, end = str(row.get("valid_from", "0000")), str(row.get("valid_to", "9999"))
    return (
        language == "en" and row["kind"] in KINDS and start <= TODAY < end
        and all(holds(line, key, value) for key, value in tags.items())
    )  # fmt: skip


def topmost(tags: dict[str, str]) -> set[object]:
    """The nodes that fit and lie in none that fits."""
    lines = {row["urn"]: line for language, row, line in nodes() if fits(language, line, tags)}
    return {urn for urn, line in lines.items() if not any(row["urn"] in lines for row in line[:-1])}


values = st.sampled_from(
    ["High Tea Court", "Cup Tribunal", "supreme", "first_instance", "repealed", "codes", "edicts", "1", "2", "nobody"]
)
several = st.lists(values, min_size=1, max_size=3, unique=True).map("|".join)
operators = st.one_of(several, several.map(lambda one: f"!={one}"), st.sampled_from(["*", "!*"]))
keys = st.sampled_from(["court", "court_level", "status", "collection", "section_number", "nothing"])


@given(st.dictionaries(keys, operators, max_size=3))
@settings(max_examples=60)
def test_tag_filters_find_what_brute_force_finds(engine: Engine, tags: dict[str, str]) -> None:
    kinds = {"kind": "legislation|decision|notice"}  # the plain document is not in the oracle's files
    found = engine.search(language="en", tags={"jurisdiction": "*", **kinds, **tags}, at_date=TODAY, limit=100)
    assert set(urns(found)) == topmost(tags)
    assert found.total == len(found.results)


# --- virtual keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("jurisdiction", "codes"),
    [
        ("fr", {"fr", "fr-alsace"}), ("fr-alsace", {"fr-alsace"}), ("us", {"us", "us-dc"}),
        ("gb|fr-alsace", {"gb", "fr-alsace"}), ("*", {"us", "us-dc", "gb", "fr", "fr-alsace"}),
        ("!=fr", {"us", "us-dc", "gb"}), ("!=us|gb", {"fr", "fr-alsace"}), ("FR", {"fr", "fr-alsace"}),
    ],
)  # fmt: skip
def test_a_jurisdiction_covers_its_subdivisions_and_can_be_negated(
    engine: Engine, jurisdiction: str, codes: set[str]
) -> None:
    found = engine.search(tags={"jurisdiction": jurisdiction, "language": "*"}, limit=100)
    assert {result.jurisdiction for result in found.results} == codes


def test_kinds_are_those_that_search_serves_and_a_chunk_has_its_documents(engine: Engine) -> None:
    def kinds(value: str) -> set[str]:
        return {result.kind for result in engine.search(language="en", tags={"kind": value}, limit=100).results}

    assert kinds("legislation|decision") == {"legislation", "decision"}
    assert kinds("!=record|notice") == {"legislation", "decision"}
    assert kinds("*") == set(KINDS)
    chunk = engine.search("kombucha", language="en", tags={"kind": "record"}).results[0]
    assert (chunk.kind, chunk.document_urn) == ("record", "urn:lex:us-dc:doc:menu")
    assert chunk.urn.startswith("urn:lex:us-dc:doc:menu:0")
    assert chunk.score > 0
    assert engine.search("kombucha", language="en", tags={"kind": "decision"}).results == []


@pytest.mark.parametrize(
    "value", ["section", "chunk", "!=section", "statute", "!*", "!=legislation|decision|record|notice"]
)
def test_other_kinds_are_refused(engine: Engine, value: str) -> None:
    with pytest.raises(InputError, match="kind"):
        engine.search("tea", language="en", tags={"kind": value})


def test_the_language_tag_overrides_the_parameter(engine: Engine) -> None:
    both = engine.search("tea thé", language="en", tags={"language": "fr|en"})
    assert {result.language for result in both.results} == {"en", "fr"}
    french = engine.search("thé", language="en", tags={"language": "fr"})
    assert {result.language for result in french.results} == {"fr"}
    assert any("in place of the parameter" in warning for warning in french.warnings)
    every = engine.search("tea thé")  # without either, all languages that the store has
    assert {result.language for result in every.results} == {"en", "fr"}


def test_a_source_is_a_format_its_family_a_file_or_a_document(engine: Engine) -> None:
    def found(value: str) -> set[str]:
        hits = engine.search(language="en", tags={"jurisdiction": "us-dc", "source": value}, limit=100).results
        return {hit.document_urn for hit in hits}

    assert found("plain") == found("plain_markdown") == found("Menu.md") == {"urn:lex:us-dc:doc:menu"}
    assert found("!=plain") == found(TEA) == {TEA}
    assert found("!=acco|kali") == {TEA, "urn:lex:us-dc:doc:menu"}
    assert found("tea") == {TEA}  # the file's name without its ending


def test_what_may_not_be_filtered_by_is_refused(engine: Engine) -> None:
    refused: list[tuple[Any, str]] = [
        ({"jurisdiction": "!*"}, "not allowed"), ({"jurisdiction": "zz"}, "no law of jurisdiction zz"),
        ({"jurisdiction": "!=us|gb|fr"}, "any but us, gb, fr"), ({"court": "<supreme"}, "operator that does not exist"),
        ({"court": "!supreme"}, "operator that does not exist"), ({"court": "sup*"}, "operator that does not exist"),
        ({"court": "a||b"}, "empty value"), ({"court": ""}, "empty value"), ({"court": "!="}, "empty value"),
        ({"Court": "a"}, "lower-case"), ({"court; drop table x": "a"}, "lower-case"), ({"court": "a\0b"}, "NUL"),
        ({"court": "a\ud800"}, "surrogate"), ({"court": "x" * 100_000}, "100000 characters"),
        ({"court": "|".join(map(str, range(60)))}, "60 values"), ({"court": 5}, "not text"), ("court", "an object"),
        ({f"k{n}": "a" for n in range(30)}, "30 entries"),
    ]  # fmt: skip
    for tags, said in refused:
        with pytest.raises(InputError, match=said):
            engine.search("tea", language="en", tags=tags)


def test_like_patterns_and_quotes_are_plain_text_in_values(engine: Engine) -> None:
    for value in ("%", "_igh Tea Court", "High%", "'; select 1; --", "{court}", "%(court)s", "\\", '"', "$.court"):
        assert engine.search(language="en", tags={"court": value}).results == []


# --- dates -----------------------------------------------------------------------------------------------------------


def test_dates_are_those_of_the_decision_else_of_the_version(engine: Engine) -> None:
    found = engine.search(language="en", date_from="2010-05-01", date_to="2011-04-05", at_date=TODAY)
    assert [(result.urn, result.day) for result in found.results] == [(HIGH, "2011-04-05"), (f"{TEA}:2", "2010-05-01")]
    later = engine.search("oolong", language="en", date_from="2012-01-01", at_date=TODAY)
    # 2023-02-30 is no day of any calendar, yet later than all others as it is written.
    assert {result.document_urn for result in later.results} == {TEA, CUP, LATE}
    assert any("no date of its own" in warning for warning in later.warnings)


def test_browsing_is_latest_first_with_undated_last_and_at_a_date(engine: Engine) -> None:
    found = engine.search(language="en", tags={"jurisdiction": "us|gb", "kind": "!=record"}, at_date=TODAY)
    days = [result.day for result in found.results]
    dated = [day for day in days if day is not None]
    assert found.mode == "browse"
    assert dated == sorted(dated, reverse=True)
    assert None not in days[: len(dated)]
    assert f"{TEA}:3" not in urns(found)
    before = engine.search(language="en", tags={"jurisdiction": "us-dc"}, at_date="2016-01-01")
    assert f"{TEA}:3" in urns(before)


# --- edges -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({"cites": f"{EDICT}:1"}, {HIGH, CUP, f"{TEA}:1"}),
        ({"cites": "xx.edict000000000001"}, {HIGH, CUP, f"{TEA}:1"}),  # an id of another system
        ({"cites": EDICT}, {HIGH, CUP, f"{TEA}:1"}),  # what lies within it counts
        ({"cites": f"{EDICT}:1&{TEA}:1:a"}, {HIGH}),
        ({"cites": f"{EDICT}:1&{TEA}:1"}, {HIGH}),
        ({"subject_to": f"{TEA}:1:a"}, {f"{TEA}:2"}),
        ({"*": f"{TEA}:1:a"}, {HIGH, f"{TEA}:2"}),
        ({"cites": f"{EDICT}:1", "*": f"{TEA}:1:a"}, {HIGH}),
        ({"cites": f"{TEA}:2|{TEA}:1:a"}, {HIGH}),
        ({"subject_to": f"{EDICT}:1"}, set[str]()),
    ],
)
def test_an_edge_filter_finds_the_documents_that_have_the_edge(
    engine: Engine, edges: dict[str, str], expected: set[str]
) -> None:
    found = engine.search(language="en", tags={"jurisdiction": "*"}, edges=edges, at_date=TODAY)
    assert set(urns(found)) == expected


def test_edges_compose_with_a_query_and_say_what_they_do_not_know(engine: Engine) -> None:
    found = engine.search("steeped", language="en", tags={"kind": "decision"}, edges={"cites": f"{TEA}:1:a"})
    assert {result.document_urn for result in found.results} == {HIGH}
    none = engine.search(language="en", edges={"sites": f"{TEA}:1:a"})
    assert any("no edges of this kind" in warning and "cites" in warning for warning in none.warnings)
    unknown = engine.search(language="en", edges={"cites": "urn:lex:us:edict:99"})
    assert any("not in the store" in warning for warning in unknown.warnings)


@pytest.mark.parametrize("value", ["", "a&", "|", "!=a", "!*", "*", "urn:lex:", "a\0", "|".join(map(str, range(60)))])
def test_edge_filters_that_cannot_be_used_are_refused(engine: Engine, value: str) -> None:
    with pytest.raises(InputError):
        engine.search(language="en", edges={"cites": value})


# --- the query's own syntax ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "inside", "outside"),
    [
        ('"hot water" tea', {f"{TEA}:1", f"{TEA}:2"}, {HIGH}),
        ('"green tea"', {f"{TEA}:1", f"{HIGH}:1"}, {f"{TEA}:2"}),
        ("tea -pot", {f"{TEA}:1"}, {f"{TEA}:2"}),
        ("tea -lemon", {f"{TEA}:2"}, {f"{TEA}:1"}),  # the lemon is in another paragraph of the rule
        ('tea -"hot water"', {f"{EDICT}:1"}, {f"{TEA}:1", f"{TEA}:2"}),
        ("permit AND tea", {f"{EDICT}:1"}, {f"{TEA}:2"}),
        ("pot OR permit", {f"{EDICT}:1", f"{TEA}:2"}, {f"{TEA}:1"}),
        ("brewer AND pot OR lemon", {f"{TEA}:1", f"{TEA}:2"}, {f"{EDICT}:1"}),
        ("water AND lemon", {f"{TEA}:1"}, {f"{TEA}:2"}),  # in two paragraphs of one rule
    ],
)
def test_phrases_and_exclusions_are_honoured_over_the_whole_rule(
    engine: Engine, query: str, inside: set[str], outside: set[str]
) -> None:
    found = set(urns(engine.search(query, language="en", at_date=TODAY)))
    assert inside <= found
    assert not outside & found


def test_a_query_that_only_excludes_lists_the_rest(engine: Engine) -> None:
    found = engine.search("-oolong", language="en", tags={"kind": "legislation"}, at_date="2016-01-01")
    assert found.mode == "browse"
    assert set(urns(found)) == {f"{TEA}:1", f"{TEA}:2", f"{EDICT}:1"}


def test_a_cited_provision_is_filtered_like_any_other(engine: Engine) -> None:
    assert urns(engine.search(f"{TEA}:2", language="en"))[0] == f"{TEA}:2"
    found = engine.search(f"{TEA}:2", language="en", tags={"kind": "decision"})
    assert found.results == []
    assert any("left out by a filter" in warning for warning in found.warnings)


def test_a_query_that_is_a_reference_gives_its_provision_first(engine: Engine) -> None:
    found = engine.search("article 1", language="fr", tags={"jurisdiction": "fr"})
    assert urns(found)[0] == f"{CODE_DU_THE}:1"
    assert found.results[0].legs.citation == 1.0
    assert any(warning.startswith("Read as") for warning in found.warnings)
    both = engine.search(f"{EDICT}:1", tags={"jurisdiction": "*", "language": "*"})
    assert urns(both).count(f"{EDICT}:1") == both.total == 1
    assert engine.search(f"{EDICT}:1", language="fr").results == []  # no hit is in another language than asked for


# --- nothing found ---------------------------------------------------------------------------------------------------


def test_where_nothing_fits_the_filter_in_the_way_is_named(engine: Engine) -> None:
    tags = {"jurisdiction": "gb", "kind": "decision", "court": "High Tea Court"}
    found = engine.search("permit", language="en", tags=tags)
    assert {removed_by.filter: removed_by.total for removed_by in found.removed_by} == {"tags[court]": 1}
    assert "1 without `tags[court]`" in found.message
    assert "not a statement that no law exists" in found.message
    browsed = engine.search(language="en", tags={**tags, "court_level": "first_instance"})
    assert {removed_by.filter: removed_by.total for removed_by in browsed.removed_by} == {
        "tags[court]": 2,
        "tags[court_level]": 1,
    }
    dated = engine.search("permit", language="en", tags={"jurisdiction": "us"}, at_date="1990-01-01")
    assert [removed_by.filter for removed_by in dated.removed_by] == ["tags[jurisdiction]", "at_date"]
    jointly = engine.search(language="en", tags={**tags, "court_level": "nobody", "status": "repealed"})
    assert [removed_by.filter for removed_by in jointly.removed_by] == ["all filters but jurisdiction and language"]
    words = engine.search('permit AND "oolong tea"', language="en")
    assert [removed_by.filter for removed_by in words.removed_by] == ["required words"]


def test_a_quotation_that_nothing_has_does_not_empty_a_search(engine: Engine) -> None:
    plain = engine.search("permit oolong tea", language="en")
    quoted = engine.search('permit "oolong tea"', language="en")
    assert quoted.total == plain.total > 0
    assert [result.urn for result in quoted.results] == [result.urn for result in plain.results]
    assert "syntax: no provision searched has “oolong tea”; the words alone were looked for." in quoted.warnings
    held = engine.search('"hot water" "oolong tea"', language="en")
    assert held.total == engine.search('"hot water" oolong tea', language="en").total < plain.total + held.total
    assert {result.urn for result in held.results} == {
        result.urn for result in engine.search('"hot water"', language="en").results
    }


def test_an_unknown_key_is_named_with_those_spelled_like_it(engine: Engine) -> None:
    found = engine.search(language="en", tags={"court_lvl": "supreme"})
    assert any("court_level" in warning and "no node" in warning for warning in found.warnings)
    assert engine.search(language="en", tags={"court_lvl": "!*"}).results


# --- discover --------------------------------------------------------------------------------------------------------


def test_values_are_counted_most_frequent_first(engine: Engine) -> None:
    found = engine.search(language="en", tags={"jurisdiction": "gb"}, discover="court")
    assert [(value.value, value.count) for value in found.values] == [("Cup Tribunal", 2), ("High Tea Court", 1)]
    assert (found.mode, found.total, found.results) == ("discover", 2, [])
    narrowed = engine.search(language="en", tags={"jurisdiction": "gb", "court_level": "supreme"}, discover="court")
    assert [value.value for value in narrowed.values] == ["High Tea Court"]
    page = engine.search(language="en", tags={"jurisdiction": "gb"}, discover="court", limit=1)
    assert (len(page.values), page.next_offset) == (1, 1)
    keys = {value.value for value in engine.search(language="en", tags={"kind": "decision"}, discover="*").values}
    assert keys == {"court", "court_level", "date", "case_number", "official_grade", "importance_level", "formation",
                    "formation_solemnity", "type"}  # fmt: skip
    kinds = engine.search(language="en", discover="edge_kinds")
    assert {value.value: value.count for value in kinds.values} == {"cites": 4, "subject_to": 1}
    served = engine.search(language="en", discover="kind", at_date=TODAY)
    assert {value.value: value.count for value in served.values} == {
        "legislation": 3,
        "decision": 3,
        "notice": 1,
        "record": 1,
    }
    nothing = engine.search(language="en", discover="cuort")
    assert "court" in nothing.message
    for key in ("", "Court!", "x" * 64, "a\0", "court\n"):
        with pytest.raises(InputError):
            engine.search(language="en", discover=key)


# --- pages -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [None, "tea oolong water"])
def test_pages_join_to_the_whole_in_one_order(engine: Engine, query: str | None) -> None:
    def page(limit: int, offset: int) -> SearchResult:
        return engine.search(
            query, language="en", tags={"jurisdiction": "*"}, limit=limit, offset=offset, at_date=TODAY
        )

    whole = page(100, 0)
    assert whole.total == len(whole.results) > 4
    assert whole.next_offset is None
    joined: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part = page(3, offset)
        assert part.total == whole.total
        joined += urns(part)
        offset = part.next_offset
    assert joined == urns(whole)
    past = page(3, 500)
    assert (past.results, past.next_offset) == ([], None)
    assert "past the last" in past.message


@pytest.mark.parametrize(("limit", "offset"), [(0, 0), (-1, 0), (5, -1), (5, 10**9)])
def test_pages_that_cannot_be_are_refused(engine: Engine, limit: int, offset: int) -> None:
    with pytest.raises(InputError, match="is a number from"):
        engine.search("tea", language="en", limit=limit, offset=offset)


def test_a_limit_above_the_most_is_applied_and_said(engine: Engine) -> None:
    found = engine.search("tea", language="en", limit=5000)
    assert (found.limit, found.warnings[0]) == (100, "limit: 100 applied, the most that one page has.")


@pytest.mark.parametrize("day", ["now", "2015-W24-1", "2015-06", "2015-02-30", "", "2015-06-15T00:00", "15.6.2015"])
@pytest.mark.parametrize("name", ["at_date", "date_from", "date_to"])
def test_dates_that_are_none_are_refused(engine: Engine, name: str, day: str) -> None:
    with pytest.raises(InputError, match="date"):
        engine.search("tea", language="en", **{name: day})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "query", ["", "   ", "?!", "\0", "a\ud800", "x" * 100_000, "-", '"', "%", "_", "\\"]
)  # fmt: skip
def test_queries_without_words_are_refused(engine: Engine, query: str) -> None:
    with pytest.raises(InputError):
        engine.search(query, language="en")


@pytest.mark.parametrize(
    "query", ['tea "', '"" tea', "tea & | ! ( ) :* <->", "tea' OR 1=1 --", "AND OR NOT", "%tea_", "--tea"]
)
def test_signs_of_any_query_language_are_no_error(engine: Engine, query: str) -> None:
    assert isinstance(engine.search(query, language="en").total, int)


def test_the_corpora_of_a_country_and_its_region_are_one_filter(engine: Engine) -> None:
    found = engine.search("thé", language="fr", tags={"jurisdiction": "fr"})
    assert {result.document_urn for result in found.results} == {CODE_DU_THE, ALSACE}
