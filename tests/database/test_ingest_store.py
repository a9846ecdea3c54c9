"""What ingest makes of editions: which versions begin, end, stay or go, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from random import Random

import law
import pytest
from law import DAY, C, document, node, rows, timeline, two_sections

from rag import Engine
from rag.ingest.pipeline import IngestReport, ingest_document
from rag.law.nodes import Corpus, Definition, Link, ParsedDocument
from rag.store.database import Database
from retrieval.errors import IngestError


def test_a_file_that_did_not_change_is_skipped(empty_settings, tmp_path) -> None:
    law.write_file(tmp_path, "one.jsonl", two_sections())
    with Engine.open(empty_settings) as engine:
        first = engine.ingest([tmp_path])
        before = rows(engine.database, "select * from legal_nodes order by id")
        second = engine.ingest([tmp_path])
        assert (first.documents, first.nodes, first.unchanged, first.rejected) == (1, 3, 0, [])
        assert (second.documents, second.nodes, second.unchanged) == (0, 0, 1)
        assert rows(engine.database, "select * from legal_nodes order by id") == before
        assert rows(engine.database, "select generation from documents where urn = %s", f"{C}:1") == [(1,)]
        again = engine.ingest([tmp_path], again=True)  # its words are the same, and so are its nodes
        assert (again.documents, again.unchanged) == (1, 0)
        assert len(rows(engine.database, "select id from legal_nodes")) == len(before)


def test_a_file_that_changed_back_is_read_again(empty_settings, tmp_path) -> None:
    with Engine.open(empty_settings) as engine:
        for text in ("One.", "Two.", "One."):
            law.write_file(tmp_path, "one.jsonl", two_sections(first=text))
            assert engine.ingest([tmp_path]).documents == 1
        current = rows(
            engine.database, "select content_text from legal_nodes where urn = %s and upper_inf(validity)", f"{C}:1:1"
        )
        assert current == [("One.",)]


def test_storing_the_same_document_twice_changes_no_row(database: Database) -> None:
    law.store(database, two_sections())
    before = rows(database, "select * from legal_nodes order by id")
    law.store(database, two_sections(), today=DAY + timedelta(days=9))
    assert rows(database, "select * from legal_nodes order by id") == before
    assert law.recorded(database) == law.recount(database)


def test_a_changed_node_ends_and_its_successor_begins_on_the_effective_date(database: Database) -> None:
    law.store(database, two_sections())
    law.store(database, two_sections(first="No landlord may."), effective=date(2026, 3, 1))
    assert timeline(database, f"{C}:1:1") == [
        (None, date(2026, 3, 1), "No landlord shall."),
        (date(2026, 3, 1), None, "No landlord may."),
    ]
    assert timeline(database, f"{C}:1:2") == [(None, None, "A tenant may.")]
    assert rows(database, "select count(distinct node_id) from legal_nodes where urn = %s", f"{C}:1:1") == [(1,)]


def test_a_change_takes_the_date_of_the_source_before_that_of_the_edition_and_none_without(database: Database) -> None:
    law.store(database, two_sections())
    dated = document(
        [node(f"{C}:1"), node(f"{C}:1:1", "Dated.", valid_from=date(2025, 5, 5)), node(f"{C}:1:2", "Edition.")],
        edition=date(2025, 7, 1),
    )
    law.store(database, dated)
    assert timeline(database, f"{C}:1:1")[-1] == (date(2025, 5, 5), None, "Dated.")
    assert timeline(database, f"{C}:1:2")[-1] == (date(2025, 7, 1), None, "Edition.")
    law.store(database, two_sections(first="Dated.", second="Undated."))
    assert timeline(database, f"{C}:1:2")[-1] == (date(2025, 7, 1), None, "Edition.")  # undated never replaces dated


def test_a_removed_node_is_closed_and_not_deleted(database: Database) -> None:
    law.store(database, two_sections())
    law.store(database, two_sections(second=""), today=date(2026, 6, 1))
    assert timeline(database, f"{C}:1:2") == [(None, date(2026, 6, 1), "A tenant may.")]
    assert law.recorded(database) == law.recount(database)


def test_a_removed_node_that_comes_back_keeps_its_identity(database: Database) -> None:
    law.store(database, two_sections())
    law.store(database, two_sections(second=""), today=date(2026, 6, 1))
    law.store(database, two_sections(), today=date(2026, 9, 1))
    assert timeline(database, f"{C}:1:2") == [
        (None, date(2026, 6, 1), "A tenant may."),
        (date(2026, 9, 1), None, "A tenant may."),
    ]
    assert rows(database, "select count(distinct node_id) from legal_nodes where urn = %s", f"{C}:1:2") == [(1,)]


def test_a_newer_parser_corrects_and_does_not_amend(database: Database) -> None:
    law.store(database, replace(two_sections(first="No landl0rd."), source_hash="same"))
    law.store(database, replace(two_sections(second=""), source_hash="same", parser_version=2))
    assert timeline(database, f"{C}:1:1") == [(None, None, "No landlord shall.")]
    # The section that only the older parser saw never was law.
    assert timeline(database, f"{C}:1:2") == []
    assert law.recorded(database) == law.recount(database)


@pytest.mark.parametrize(("first", "then"), [(2000, 2010), (2010, 2000)])
def test_the_earliest_known_start_of_unchanged_words_stays_true(database: Database, first: int, then: int) -> None:
    for year in (first, then):
        law.store(database, two_sections(valid_from=date(year, 1, 1)))
    assert timeline(database, f"{C}:1:1") == [(date(2000, 1, 1), None, "No landlord shall.")]


def test_a_source_with_a_history_is_the_authority_on_it(database: Database) -> None:
    def history(*versions: tuple[str, date | None, date | None]) -> ParsedDocument:
        return document([
            node(f"{C}:1"),
            *(node(f"{C}:1:1", text, valid_from=start, valid_to=end) for text, start, end in versions),
        ])  # fmt: skip

    old, new = date(2000, 1, 1), date(2010, 1, 1)
    law.store(database, history(("A.", None, old), ("B.", old, new), ("C.", new, None)))
    ids = rows(database, "select content_text, id from legal_nodes where urn = %s", f"{C}:1:1")
    law.store(database, history(("A.", None, old), ("B2.", old, new), ("C.", new, None)))
    assert timeline(database, f"{C}:1:1") == [(None, old, "A."), (old, new, "B2."), (new, None, "C.")]
    kept = dict(rows(database, "select content_text, id from legal_nodes where urn = %s", f"{C}:1:1"))
    assert {text: kept[text] for text in ("A.", "C.")} == {text: one for text, one in ids if text != "B."}
    assert law.recorded(database) == law.recount(database)


def test_versions_that_overlap_in_one_source_are_refused_and_leave_nothing(database: Database) -> None:
    overlapping = document([
        node(f"{C}:1"),
        node(f"{C}:1:1", "A.", valid_from=date(2000, 1, 1), valid_to=date(2010, 1, 2)),
        node(f"{C}:1:1", "B.", valid_from=date(2010, 1, 1)),
    ])  # fmt: skip
    with pytest.raises(IngestError, match="in force at once"):
        law.store(database, overlapping)
    assert rows(database, "select urn from legal_nodes where urn like %s", f"{C}:%") == []


@pytest.mark.parametrize("end", [date(2020, 1, 1), date(2019, 1, 1)])
def test_a_node_that_ends_before_it_begins_is_refused_by_name(database: Database, end: date) -> None:
    with pytest.raises(IngestError, match=f"{C}:1:1"):
        law.store(database, two_sections(valid_from=date(2020, 1, 1), valid_to=end))
    assert rows(database, "select urn from documents where urn = %s", f"{C}:1") == []


@pytest.mark.parametrize("text", ["half a pair \ud800", "a \x00 inside"])
def test_text_that_the_store_cannot_keep_is_a_rejected_document_and_not_a_lost_connection(
    database: Database, text: str
) -> None:
    with pytest.raises(IngestError, match=f"{C}:1:1"):
        law.store(database, two_sections(first=text))


def test_a_document_that_fails_leaves_nothing_of_itself(database: Database) -> None:
    law.store(database, two_sections())
    before = [
        rows(database, f"select * from {table}") for table in ("legal_nodes", "documents", "lexeme_stats", "edges")
    ]
    bad = document(
        [node(f"{C}:1"), node(f"{C}:1:1", "Changed."), node(f"{C}:1:3", "New.")],
        definitions=[Definition("unit", f"{C}:1:1", "urn:lex:us:elsewhere:1")],
    )
    with pytest.raises(IngestError, match="not in the document"):
        law.store(database, bad)
    assert [
        rows(database, f"select * from {table}") for table in ("legal_nodes", "documents", "lexeme_stats", "edges")
    ] == before


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (document([node(f"{C}:1"), node("urn:lex:us:other:1:1", parent_urn=f"{C}:1")]), "not one of the corpus"),
        (document([node(f"{C}:1"), node("urn:lex:fr:tc:1:1", parent_urn=f"{C}:1")]), "of jurisdiction fr"),
        (document([node(f"{C}:1"), node(f"{C}:1:2:1")]), "does not stand before it"),
        (document([node(f"{C}:1"), node(f"{C}:1:1", number="7"), node(f"{C}:1:2", number="7")]), "one citation path"),
        (document([node(f"{C}:1"), node(f"{C}:1:1", kind="poem")]), "poem|kind"),
        (
            document([node(f"{C}:1"), node(f"{C}:1:1", "A."), node(f"{C}:1:1", "A.")]),
            f"versions of {C}:1:1 are in force",
        ),
        (document([node(f"{C}:1"), replace(node(f"{C}:2"), parent_urn=None)]), f"{C}:2.*no parent"),
        (document([node(f"{C}:1"), node(f"{C}:1:1", parent_urn=f"{C}:1:1")]), f"{C}:1:1.*before it"),
        (
            document(
                [node(f"{C}:1"), node(f"{C}:1:1", parent_urn=f"{C}:1:2"), node(f"{C}:1:2", parent_urn=f"{C}:1:1")]
            ),
            f"{C}:1:1.*before it",
        ),
    ],
)
def test_a_document_that_contradicts_itself_is_refused(database: Database, wrong: ParsedDocument, says: str) -> None:
    with pytest.raises(IngestError, match=says):
        law.store(database, wrong)


def test_a_urn_of_another_document_is_refused(database: Database) -> None:
    law.store(database, two_sections())
    intruder = document([node(f"{C}:2"), node(f"{C}:1:1", parent_urn=f"{C}:2")])
    with pytest.raises(IngestError, match="belongs to another document"):
        law.store(database, intruder)
    assert rows(database, "select urn from legal_nodes where urn = %s", f"{C}:2") == []


def test_a_second_document_of_a_corpus_leaves_a_whole_corpus_document_as_it_is(database: Database) -> None:
    whole = document([node(C), node(f"{C}:1"), node(f"{C}:1:1", "Old law.")])
    law.store(database, whole)
    law.store(database, document([node(f"{C}:2"), node(f"{C}:2:1", "More law.")]), today=date(2026, 6, 1))
    assert timeline(database, f"{C}:1:1") == [(None, None, "Old law.")]
    assert timeline(database, f"{C}:2:1") == [(None, None, "More law.")]
    paths = dict(rows(database, "select urn, citation_path::text from legal_nodes"))
    assert paths[f"{C}:2"].startswith(f"{paths[C]}.")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", " ".join(f"w{number:x}" for number in range(160_000))),
        # Overlapping pairs of signs, hardly two alike: the most that an index has to hold of a text.
        ("ja", "".join(map(chr, Random(7).choices(range(0x4E00, 0x9000), k=150_000)))),
    ],
)
def test_a_text_too_long_for_the_index_is_stored_whole_and_searched_by_its_beginning(
    database: Database, language: str, words: str
) -> None:
    urn = f"{C}:1:1"
    nodes = [node(f"{C}:1"), node(urn, words), node(f"{C}:1:2", "A tenant may.")]
    written = document(nodes, in_corpus=Corpus(C, "Code", language))
    report = IngestReport()
    for _ in range(2):
        ingest_document(database, written, today=DAY, effective=None, result=report)
    assert rows(database, "select content_text = %s from legal_nodes where urn = %s", words, urn) == [(True,)]
    stored = rows(database, "select fts_length > 10000 from legal_nodes where urn = %s", urn)
    assert stored == [(True,)]
    assert rows(database, "select count(*) from legal_nodes where urn = %s", f"{C}:1:2") == [(1,)]
    assert f"{urn}: search finds the first " in report.warnings[0]
    assert "it is stored whole" in report.warnings[0]


def test_definitions_edges_and_embeddings_end_with_their_version(database: Database) -> None:
    def edition(text: str) -> ParsedDocument:
        return document(
            [node(f"{C}:1"), node(f"{C}:1:1", text), node(f"{C}:1:2", "Unit is used.")],
            [Definition("unit", f"{C}:1:1", f"{C}:1")],
            [Link(f"{C}:1:1", "cites", "section 2", f"{C}:1:2")],
            {f"{C}:1:2": ["unit"]},
        )

    law.store(database, edition("“Unit” means a flat."))
    with database.write() as conn:
        conn.execute(
            "insert into node_embeddings select jurisdiction, id, 'm', 'h', validity,"
            " array[1, 2]::real[]::halfvec from legal_nodes"
            " where urn = %s",
            [f"{C}:1:1"],
        )
    law.store(database, edition("“Unit” means a house."), effective=date(2026, 3, 1))
    spans = [(None, date(2026, 3, 1)), (date(2026, 3, 1), None)]
    for table in ("legal_definitions", "edges"):
        found = rows(database, f"select lower(validity), upper(validity) from {table} order by 1 nulls first")
        assert found == spans, table
    assert rows(database, "select lower(validity), upper(validity) from node_embeddings") == spans[:1]


def test_the_embedding_of_a_version_whose_end_became_known_ends_with_it(database: Database) -> None:
    law.store(database, two_sections())
    with database.write() as conn:
        conn.execute(
            "insert into node_embeddings select jurisdiction, id, 'm', 'h', validity,"
            " array[1, 2]::real[]::halfvec from legal_nodes"
        )
    law.store(database, two_sections(valid_to=date(2027, 1, 1)))
    wrong = rows(
        database,
        "select n.urn from legal_nodes n join node_embeddings e on e.jurisdiction = n.jurisdiction"
        " and e.node_version_id = n.id where e.validity <> n.validity",
    )
    assert timeline(database, f"{C}:1:1") == [(None, date(2027, 1, 1), "No landlord shall.")]
    assert wrong == []
