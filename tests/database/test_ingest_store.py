"""What ingest leaves in the store: versions, ids, statistics and edges, whatever the order and whoever else writes."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from datetime import date, timedelta

import law
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from law import DAY, corpus, document, node, rows, timeline
from requirements import requirement

from rag import Engine
from rag.database import Database
from rag.ingest.nodes import Definition, Link, ParsedDocument, ParsedNode
from rag.ingest.pipeline import IngestReport, ingest_document
from retrieval.errors import IngestError
from retrieval.paths import subtree_end

C = "urn:lex:us:tc"
EACH = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def two_sections(first: str = "No landlord shall.", second: str = "A tenant may.", **given: object) -> ParsedDocument:
    """Title 1 of the test code with two sections; an empty text leaves the section out."""
    nodes = [node(f"{C}:1")]
    nodes += [node(f"{C}:1:{n}", text, **given) for n, text in enumerate((first, second), start=1) if text]
    return document(nodes)


# --- generations ----------------------------------------------------------------------------------------------------


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


def test_a_change_takes_the_date_of_the_source_before_that_of_the_edition_before_today(database: Database) -> None:
    law.store(database, two_sections())
    dated = document(
        [node(f"{C}:1"), node(f"{C}:1:1", "Dated.", valid_from=date(2025, 5, 5)), node(f"{C}:1:2", "Edition.")],
        edition=date(2025, 7, 1),
    )
    law.store(database, dated)
    assert timeline(database, f"{C}:1:1")[-1] == (date(2025, 5, 5), None, "Dated.")
    assert timeline(database, f"{C}:1:2")[-1] == (date(2025, 7, 1), None, "Edition.")
    law.store(database, two_sections(first="Dated.", second="Undated."))
    assert timeline(database, f"{C}:1:2")[-1] == (DAY, None, "Undated.")


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


def test_an_older_edition_never_ends_a_newer_one(database: Database) -> None:
    law.store(database, replace(two_sections(first="New."), edition_date=date(2025, 1, 1)))
    with pytest.raises(IngestError, match="2020-01-01.*2025-01-01"):
        law.store(database, replace(two_sections(first="Old."), edition_date=date(2020, 1, 1)))
    assert timeline(database, f"{C}:1:1") == [(None, None, "New.")]


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
    before = [rows(database, f"select * from {table}") for table in ("legal_nodes", "documents", "lexeme_stats", "edges")]
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
            "insert into node_embeddings select jurisdiction, id, 'm', 'h', validity, '[1,2]' from legal_nodes"
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
        conn.execute("insert into node_embeddings select jurisdiction, id, 'm', 'h', validity, '[1,2]' from legal_nodes")
    law.store(database, two_sections(valid_to=date(2027, 1, 1)))
    wrong = rows(
        database,
        "select n.urn from legal_nodes n join node_embeddings e on e.jurisdiction = n.jurisdiction"
        " and e.node_version_id = n.id where e.validity <> n.validity",
    )
    assert timeline(database, f"{C}:1:1") == [(None, date(2027, 1, 1), "No landlord shall.")]
    assert wrong == []


# --- order ----------------------------------------------------------------------------------------------------------


def linked_titles() -> list[ParsedDocument]:
    """Three titles whose sections except, cite and define across and within."""
    other = {1: 2, 2: 3, 3: 1}
    return [
        document(
            [
                node(f"{C}:{n}"), node(f"{C}:{n}:1", f"“Unit” means flat {n}."),
                node(f"{C}:{n}:2", f"A unit under title {n} is subject to title {other[n]}."),
                node(f"{C}:{n}:3", "Notwithstanding the first section, a unit may be let."),
            ],
            [Definition("unit", f"{C}:{n}:1", f"{C}:{n}")],
            [
                Link(f"{C}:{n}:2", "subject_to", f"section 2 of title {other[n]}", f"{C}:{other[n]}:2"),
                Link(f"{C}:{n}:3", "notwithstanding", "section 2 of title 1", f"{C}:1:2"),
            ],
            {f"{C}:{n}:2": ["unit"], f"{C}:{n}:3": ["unit"]},
        )
        for n in (1, 2, 3)
    ]  # fmt: skip


def digests(engine: Engine) -> dict[str, str]:
    urns = [row[0] for row in rows(engine.database, "select distinct urn from legal_nodes")]
    return {str(urn): engine.context(str(urn), at_date=DAY).digest for urn in urns}


@requirement("P1")
def test_the_order_of_ingest_changes_no_context(stores, empty_template) -> None:
    found: list[dict[str, str]] = []
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        with Engine.open(stores.clone(empty_template, traces="off")) as engine:
            law.store(engine.database, *(linked_titles()[n] for n in order))
            found.append(digests(engine))
    assert len(found[0]) == 13
    assert found[0] == found[1] == found[2]


@requirement("P1")
def test_ingesting_again_changes_no_context(empty_settings) -> None:
    with Engine.open(empty_settings) as engine:
        law.store(engine.database, *linked_titles())
        before = digests(engine)
        law.store(engine.database, *reversed(linked_titles()))
        assert digests(engine) == before


def test_edges_find_their_targets_whatever_came_first(database: Database) -> None:
    documents = linked_titles()
    assert law.store(database, documents[0]).resolved == 1
    assert law.store(database, documents[2]).resolved == 2
    assert law.store(database, documents[1]).resolved == 3
    wrong = rows(
        database,
        "select e.id from edges e left join legal_nodes n on n.node_id = e.target_id and n.urn = e.target_urn"
        " where e.target_urn <> '' and n.id is null",
    )
    assert wrong == []


def test_an_edge_to_what_is_not_stored_keeps_its_words_and_stays_unresolved(database: Database) -> None:
    law.store(
        database,
        document([node(f"{C}:1"), node(f"{C}:1:1", "See.")], links=[Link(f"{C}:1:1", "cites", "5 X 5", "urn:lex:fr:x:5")]),
    )
    assert rows(database, "select reference, target_jurisdiction, target_urn, target_id from edges") == [
        ("5 X 5", "fr", "urn:lex:fr:x:5", None)
    ]


def test_an_edge_finds_its_target_again_after_that_was_taken_out_and_came_back(database: Database) -> None:
    citing = document(
        [node(f"{C}:2"), node(f"{C}:2:1", "See.")], links=[Link(f"{C}:2:1", "subject_to", "1:2", f"{C}:1:2")]
    )
    today = date(2026, 5, 1)
    law.store(database, two_sections(valid_from=today), citing, today=today)
    law.store(database, two_sections(second="", valid_from=today), today=today)  # never came into force: deleted
    assert timeline(database, f"{C}:1:2") == []
    law.store(database, two_sections(valid_from=today), today=today)
    assert rows(
        database, "select count(*) from edges e join legal_nodes n on n.node_id = e.target_id and n.urn = e.target_urn"
    ) == [(1,)]


# --- ids and ancestors ----------------------------------------------------------------------------------------------


@st.composite
def trees(draw: st.DrawFn) -> list[ParsedNode]:
    """A random tree below the corpus, in document order, of up to twenty nodes."""
    nodes = [node(C)]
    numbers = st.sampled_from(["1", "10", "1-1", "1.1", "a", "a0", "z", "2"])

    def grow(parent: ParsedNode, depth: int) -> None:
        for number in draw(st.lists(numbers, unique=True, max_size=3 if depth < 3 else 1)):
            if len(nodes) < 20 and depth < 6:
                child = node(f"{parent.urn}:{number}", f"Text {number}")
                nodes.append(child)
                grow(child, depth + 1)

    grow(nodes[0], 1)
    return nodes


@EACH
@given(tree=trees())
def test_ids_of_ancestors_and_ranges_of_subtrees_say_what_the_citation_path_says(database, tree) -> None:
    law.empty(database)
    law.store(database, document(tree))
    paths = dict(rows(database, "select urn, citation_path::text from legal_nodes"))
    assert set(paths) == {one.urn for one in tree}
    wrong = rows(
        database,
        """select n.urn from legal_nodes n where n.ancestor_ids <> (select array_agg(a.node_id order by nlevel(a.citation_path))
            from legal_nodes a where a.citation_path @> n.citation_path)""",
    )
    assert wrong == []
    listed = [str(one) for one in paths.values()]
    ranged = rows(
        database,
        """select p.root, n.urn, n.citation_path >= p.root::ltree and n.citation_path < p.high::ltree as ranged,
            n.citation_path <@ p.root::ltree as inside
        from legal_nodes n cross join unnest(%s::text[], %s::text[]) as p (root, high)""",
        listed, [subtree_end(one) for one in listed],
    )  # fmt: skip
    assert [(root, urn) for root, urn, one, other in ranged if one != other] == []
    ids = [one for (one,) in rows(database, "select id from legal_nodes order by id")]
    in_order = [urn for (urn,) in rows(database, "select urn from legal_nodes order by node_id")]
    assert ids == list(range(ids[0], ids[0] + len(ids)))
    assert in_order == [one.urn for one in tree]


@EACH
@given(before=trees(), after=trees(), back=st.booleans())
def test_a_tree_that_changed_shape_keeps_ancestors_and_paths_in_agreement(database, before, after, back) -> None:
    law.empty(database)
    editions = [before, after, before] if back else [before, after]
    for number, tree in enumerate(editions):
        law.store(database, document(tree), today=DAY + timedelta(days=number))
    at = DAY + timedelta(days=len(editions))
    wrong = rows(
        database,
        """select n.urn from legal_nodes n where n.validity @> %s::date and n.ancestor_ids <>
            (select array_agg(distinct a.node_id order by a.node_id) from legal_nodes a where a.urn = n.urn or
                (n.urn like a.urn || ':%%')) and cardinality(n.ancestor_ids) <> nlevel(n.citation_path) - 2""",
        at,
    )
    assert wrong == []
    assert {urn for (urn,) in rows(database, "select urn from legal_nodes where validity @> %s::date", at)} == {
        one.urn for one in editions[-1]
    }
    assert law.recorded(database) == law.recount(database)


# --- statistics -----------------------------------------------------------------------------------------------------

words = st.sampled_from(["landlord", "tenants", "rent", "rents", "deposit", "shall", "the", ""])
texts = st.lists(words, max_size=5).map(" ".join)


@EACH
@given(editions=st.lists(st.tuples(st.integers(1, 2), texts, texts, st.booleans()), min_size=1, max_size=6))
def test_statistics_equal_a_recount_after_any_sequence_of_ingests(database, editions) -> None:
    law.empty(database)
    for number, (title, one, two, correction) in enumerate(editions):
        nodes = [node(f"{C}:{title}", heading=one)]
        nodes += [node(f"{C}:{title}:{n}", text, heading=two) for n, text in enumerate((one, two), start=1) if text]
        law.store(
            database,
            document(nodes, source_hash="same" if correction else f"{number}"),
            today=DAY + timedelta(days=number // 2),
        )
        assert law.recorded(database) == law.recount(database)


# --- many at once ---------------------------------------------------------------------------------------------------


def at_once(work: list[object]) -> list[BaseException]:
    """Run callables in threads; what they raised."""
    raised: list[BaseException] = []

    def run(one: object) -> None:
        try:
            one()  # pyright: ignore[reportCallIssue]
        except BaseException as error:  # every failure of a thread is the test's to judge
            raised.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in work]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return raised


def test_threads_that_ingest_the_same_documents_leave_one_generation(database: Database) -> None:
    def work(seed: int) -> None:
        documents = linked_titles()
        random.Random(seed).shuffle(documents)
        for one in documents:
            ingest_document(database, one, today=DAY, effective=None, result=IngestReport())

    assert at_once([lambda seed=seed: work(seed) for seed in range(4)]) == []
    assert rows(database, "select urn, count(*) from legal_nodes group by urn having count(*) > 1") == []
    assert rows(database, "select count(*) from legal_definitions") == [(3,)]
    assert rows(database, "select count(*) from edges") == [(6,)]
    assert law.recorded(database) == law.recount(database)
    assert law.locks(database) == []


def test_threads_that_amend_different_documents_never_deadlock(database: Database) -> None:
    halves = [[f"{letter}{n:03}" for n in range(400)] for letter in "az"]

    def edition(title: int, number: int) -> ParsedDocument:
        # Every other document takes back the words that the others bring in, and the other way round.
        chosen = random.Random(f"{title}/{number}").sample(halves[(title + number) % 2], 300)
        return document([node(f"{C}:{title}"), node(f"{C}:{title}:1", " ".join(chosen), heading="")])

    def amend(title: int) -> None:
        for number in range(12):  # all of one day, so that each takes the last one's versions back
            ingest_document(database, edition(title, number), today=DAY, effective=None, result=IngestReport())

    assert at_once([lambda title=title: amend(title) for title in range(1, 5)]) == []
    assert law.recorded(database) == law.recount(database)


def test_a_reader_never_sees_two_generations_of_a_document_at_once(database: Database) -> None:
    done = threading.Event()
    mixed: list[object] = []

    def edition(number: int) -> ParsedDocument:
        return document([node(f"{C}:1"), *(node(f"{C}:1:{n}", f"Generation {number}.") for n in range(1, 6))])

    def write() -> None:
        try:
            for number in range(12):
                day = DAY + timedelta(days=number)
                ingest_document(database, edition(number), today=day, effective=None, result=IngestReport())
        finally:
            done.set()

    def read() -> None:
        while not done.is_set():
            seen = rows(
                database, "select content_text from legal_nodes where upper_inf(validity) and kind = 'legislation'"
            )
            if len(set(seen)) > 1 or len(seen) not in (0, 5):
                mixed.append(seen)

    ingest_document(database, edition(99), today=DAY - timedelta(days=1), effective=None, result=IngestReport())
    assert at_once([write, read, read]) == []
    assert mixed == []


def test_a_corpus_has_one_root_whoever_stored_the_first_document(database: Database) -> None:
    assert corpus().urn == C
    work = [lambda n=n: law.store(database, document([node(f"{C}:{n}"), node(f"{C}:{n}:1", "x")])) for n in range(1, 5)]
    assert at_once(list(work)) == []
    assert rows(database, "select count(*) from legal_nodes where urn = %s", C) == [(1,)]
    roots = rows(database, "select distinct ancestor_ids[1] from legal_nodes")
    assert roots == rows(database, "select node_id from legal_nodes where urn = %s", C)
