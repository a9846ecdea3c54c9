"""Editions of a document become its history, in whatever order they are ingested."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import law
import pytest
from edition_oracle import DAYS, File, files, timelines
from hypothesis import given, settings
from hypothesis import strategies as st
from law import C, document, node, rows, timeline, two_sections

from rag import Engine
from rag.ingest.formats.base import Source
from rag.ingest.formats.clml.parser import Clml
from rag.law.nodes import Definition, Link, ParsedDocument
from rag.store.database import Database

# How many random histories share a store, and how many there are in all: the environment's HISTORIES runs more.
TOGETHER = 10
HISTORIES = int(os.environ.get("HISTORIES", "30"))
FIRST, SECOND, THIRD = date(2011, 12, 30), date(2016, 7, 11), date(2022, 1, 1)


def edition(day: date, texts: dict[int, str], title: str = "Title 1") -> ParsedDocument:
    """Title 1 with numbered sections, each of which defines, cites and uses a term."""
    urns = {f"{C}:1:{number}": text for number, text in texts.items()}
    return replace(
        document(
            [node(f"{C}:1", heading=title), *(node(urn, text) for urn, text in urns.items())],
            [Definition("unit", urn, f"{C}:1") for urn in urns],
            [Link(urn, "cites", "title 1", f"{C}:1") for urn in urns],
            {urn: ["unit"] for urn in urns},
        ),
        edition_date=day,
        source=f"{day}.test",
    )


def write_edition(file: Path, day: str, text: str, valid_from: str | None = None) -> None:
    """A file of the native format: two sections, of which the first one's words are given."""
    lines = law.as_lines(two_sections(first=text)).replace('"lexscope": 1', f'"lexscope": 1, "edition_date": "{day}"')
    if valid_from is not None:
        lines = lines.replace('"content_text"', f'"valid_from": "{valid_from}", "content_text"')
    file.write_text(lines, encoding="utf-8")


def published(number: int, file: File) -> ParsedDocument:
    """A file of the oracle as an edition of the title of a number, whose sections each define, cite and use a term."""
    title = f"{C}:{number}"
    nodes = [node(title)]
    for urn, periods in file.shows.items():
        nodes += [
            node(f"{title}:{urn.rpartition(':')[2]}", f"“Unit” {words}.", valid_from=start, valid_to=end)
            for words, start, end in periods
        ]
    urns = dict.fromkeys(node.urn for node in nodes[1:])
    one = document(
        nodes,
        [Definition("unit", urn, title) for urn in urns],
        [Link(urn, "cites", "the title", title) for urn in urns],
        {urn: ["unit"] for urn in urns},
        edition=file.own,
    )
    return replace(one, source=file.name)


@settings(max_examples=max(1, HISTORIES // TOGETHER))
@given(histories=st.lists(files, min_size=TOGETHER, max_size=TOGETHER))
def test_every_order_leaves_the_timeline_of_the_editions(database: Database, histories: list[list[File]]) -> None:
    """Each history is a title of one store; of each up to six orders are ingested."""
    told = {
        f"{C}:{number}:{urn.rpartition(':')[2]}": days
        for number, history in enumerate(histories)
        for urn, days in timelines(history).items()
    }
    orders = [[*islice(permutations(history), 6)] for history in histories]
    first: list[tuple[object, ...]] = []
    for turn in range(max(map(len, orders))):
        law.empty(database)
        shown = [(number, file) for number, each in enumerate(orders) for file in each[turn % len(each)]]
        law.store(database, *(published(number, file) for number, file in shown))
        stored = rows(
            database,
            "select urn, lower(validity), upper(validity), content_text from legal_nodes where kind = 'legislation'"
            " order by 1, 2 nulls first",
        )
        first = first or stored
        assert stored == first
        found = {urn: dict.fromkeys(DAYS) for urn in told}
        for urn, start, end, text in stored:
            for day in DAYS:
                if (start is None or start <= day) and (end is None or day < end):
                    assert found[str(urn)][day] is None, "two versions are in force at once"
                    found[str(urn)][day] = str(text).removeprefix("“Unit” ").removesuffix(".")
        assert found == told
        assert law.recorded(database) == law.recount(database)
        wrong = "select n.urn from legal_nodes n join {} p on p.node_version_id = n.id where p.validity <> n.validity"
        for part in ("legal_definitions", "edges"):
            assert rows(database, wrong.format(part)) == []
            assert rows(database, f"select count(*) from {part}") == [(len(stored),)]


def test_an_edition_between_two_splits_what_they_share(database: Database) -> None:
    law.store(database, edition(FIRST, {1: "“Unit” A."}), edition(THIRD, {1: "“Unit” A."}))
    with database.write() as conn:
        conn.execute(
            "insert into node_embeddings select jurisdiction, id, 'm', 'h', validity,"
            " array[1, 2]::real[]::halfvec from legal_nodes"
            " where kind = 'legislation'"
        )
    law.store(database, edition(SECOND, {2: "Other."}))
    assert timeline(database, f"{C}:1:1") == [(None, SECOND, "“Unit” A."), (THIRD, None, "“Unit” A.")]
    assert timeline(database, f"{C}:1:2") == [(SECOND, THIRD, "Other.")]
    spans = [(None, SECOND), (THIRD, None)]
    for part in ("legal_definitions", "edges", "node_embeddings"):
        found = rows(
            database,
            f"select lower(p.validity), upper(p.validity) from {part} p join legal_nodes n on n.id = p.node_version_id"
            " and n.urn = %s order by 1 nulls first",
            f"{C}:1:1",
        )
        assert found == spans, part
    assert rows(database, "select count(distinct node_id) from legal_nodes where urn = %s", f"{C}:1:1") == [(1,)]


def test_the_document_and_its_corpus_are_described_by_the_latest_edition(database: Database) -> None:
    old = replace(edition(FIRST, {1: "A."}), corpus=replace(law.corpus(), title="Old code"))
    for order in ([old, edition(THIRD, {1: "B.", 2: "C."})], [edition(THIRD, {1: "B.", 2: "C."}), old]):
        law.empty(database)
        law.store(database, *order)
        assert rows(database, "select title from sources") == [(law.corpus().title,)]
        assert rows(database, "select edition_date, nodes from documents where urn = %s", f"{C}:1") == [(THIRD, 3)]


def test_an_edition_without_a_date_is_dated_by_its_latest_change(database: Database) -> None:
    changed = [two_sections(first=f"Of {year}.", valid_from=date(year, 1, 1)) for year in (2010, 2000)]
    law.store(database, *(replace(one, source=f"{n}.test") for n, one in enumerate(changed)))
    assert timeline(database, f"{C}:1:1") == [
        (date(2000, 1, 1), date(2010, 1, 1), "Of 2000."),
        (date(2010, 1, 1), None, "Of 2010."),
    ]
    later = replace(two_sections(first="Other words.", valid_from=date(2010, 1, 1)), source="later.test")
    law.store(database, later)  # of the same day as another
    assert timeline(database, f"{C}:1:1")[1] == (date(2010, 1, 1), None, "Other words.")


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_stated_beats_edition_dated_beats_undated_and_undated_fills_only_the_unknown(
    database: Database, order: tuple[int, ...]
) -> None:
    files = [
        replace(two_sections(first="Stated.", valid_from=SECOND), source="nodes.test"),
        replace(two_sections(first="Old."), edition_date=FIRST, source="old.test"),
        replace(two_sections(first="New layout."), edition_date=THIRD, source="new.test"),
        replace(two_sections(first="Undated.", second="Undated."), source="undated.test"),
    ]
    law.store(database, *(files[n] for n in order))
    assert timeline(database, f"{C}:1:1") == [
        (None, FIRST, "Undated."), (FIRST, SECOND, "Old."), (SECOND, None, "Stated."),
    ]  # fmt: skip
    bounds = rows(
        database,
        "select from_basis::text, to_basis::text, uncertain::text from legal_nodes where urn = %s"
        " order by lower(validity) nulls first",
        f"{C}:1:1",
    )
    assert bounds == [
        ("unknown", "edition", f"{{(,{FIRST})}}"), ("edition", "stated", None),
        ("stated", "unknown", f"{{[{THIRD},)}}"),
    ]  # fmt: skip


def test_tags_make_no_version_and_are_those_of_the_latest_edition(database: Database) -> None:
    for day, tag in ((SECOND, "new"), (FIRST, "old")):
        nodes = [node(f"{C}:1"), node(f"{C}:1:1", "Words.", tags={"topic": tag})]
        law.store(database, replace(document(nodes), edition_date=day, source=f"{day}.test"))
    assert rows(database, "select tags ->> 'topic' from legal_nodes where urn = %s", f"{C}:1:1") == [("new",)]


def test_two_files_that_give_one_edition_are_told_and_both_known(empty_settings: Any, tmp_path: Path) -> None:
    for number, text in enumerate(("First file.", "Second file."), start=1):
        lines = law.as_lines(two_sections(first=text)).replace(
            '"lexscope": 1', '"lexscope": 1, "edition_date": "2020-01-01"'
        )
        (tmp_path / f"{number}.jsonl").write_text(lines, encoding="utf-8")
    with Engine.open(empty_settings) as engine:
        first = engine.ingest([tmp_path])
        assert [warning for warning in first.warnings if "differ" in warning] == [
            "2.jsonl: where 1.jsonl and 2.jsonl differ, both of 2020-01-01, the words of 2.jsonl stand. If another is "
            "the later one, ingest it again with --effective and its day"
        ]
        assert timeline(engine.database, f"{C}:1:1") == [(None, None, "Second file.")]
        again = engine.ingest([tmp_path])
        assert (again.documents, again.unchanged, again.warnings) == (0, 2, [])


def test_an_edition_whose_words_are_needed_again_is_asked_for_and_read_again(
    empty_settings: Any, tmp_path: Path
) -> None:
    with Engine.open(empty_settings) as engine:
        write_edition(tmp_path / "old.jsonl", "2011-01-01", "Old.", "2000-01-01")
        write_edition(tmp_path / "new.jsonl", "2016-01-01", "New.", "2000-01-01")
        assert engine.ingest([tmp_path]).warnings == []
        assert timeline(engine.database, f"{C}:1:1") == [(date(2000, 1, 1), None, "New.")]
        write_edition(tmp_path / "new.jsonl", "2016-01-01", "New.", "2014-01-01")
        corrected = engine.ingest([tmp_path / "new.jsonl"])
        assert [
            warning for warning in corrected.warnings if "Ingest the other editions of the document again" in warning
        ]
        assert engine.ingest([tmp_path]).documents == 1
        assert timeline(engine.database, f"{C}:1:1") == [
            (date(2000, 1, 1), date(2014, 1, 1), "Old."),
            (date(2014, 1, 1), None, "New."),
        ]


def test_sources_tell_coverage_and_last_ingest(empty_settings: Any, tmp_path: Path) -> None:
    for title in law.linked_titles():
        law.write_file(tmp_path, f"{title.source}.jsonl", title)
    with Engine.open(empty_settings) as engine:
        engine.ingest([tmp_path])
        covered = "select title, documents, nodes, last_ingest > now() - interval '1 hour' from sources where urn = %s"
        assert rows(engine.database, covered, C) == [(f"Test code {C}", 4, 13, True)]


@pytest.mark.parametrize("back", [False, True])
def test_real_editions_give_each_date_its_text_whatever_the_order(
    shared_data: Path, empty_settings: Any, back: bool
) -> None:
    section = "urn:lex:gb:ukpga-2000-38:19"
    files = [shared_data / "uk-clml" / f"ukpga-2000-38-section-19{day}.xml" for day in ("-2014-04-01", "")]
    with Engine.open(empty_settings) as engine:
        for file in reversed(files) if back else files:
            assert engine.ingest([file]).rejected == []
        words = {day: engine.context(section, at_date=day).blocks for day in ("2015-01-01", "2023-01-01")}
        assert words["2015-01-01"] != words["2023-01-01"]
        for file, day in zip(files, words, strict=True):
            parsed = Clml().parse(Source(file, file.parent))
            told = {node.urn: node.content_text for node in parsed.nodes if node.content_text}
            at = "select urn, content_text from legal_nodes where content_text <> '' and validity @> %s::date"
            assert {str(urn): text for urn, text in rows(engine.database, at, day)} == told


@pytest.mark.parametrize(("day", "since", "told"), [("2022-01-01", "2015-01-01", True), ("2022-01-01", None, False)])
def test_words_that_a_later_edition_gives_the_days_of_other_words_are_told(
    engine: Engine, tmp_path: Path, day: str, since: str | None, told: bool
) -> None:
    write_edition(tmp_path / "first.jsonl", "2016-07-11", "The fee is 12 dollars.", "2015-01-01")
    write_edition(tmp_path / "second.jsonl", day, "The fee is 15 dollars.", since)
    assert not [one for one in engine.ingest(tmp_path / "first.jsonl").warnings if "on no day" in one]
    report = engine.ingest(tmp_path / "second.jsonl")
    assert [one for one in report.warnings if "in force on no day" in one and f"{C}:" in one] == report.warnings
    assert bool(report.warnings) is told
