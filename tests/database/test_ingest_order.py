"""What ingest leaves does not depend on order: contexts, edges, ids, ancestors and statistics."""

from __future__ import annotations

import random
from datetime import date, timedelta
from pathlib import Path

import law
import pytest
from conftest import Stores
from hypothesis import given, settings
from hypothesis import strategies as st
from law import DAY, C, document, linked_titles, node, rows, timeline, two_sections
from published_law import write_published
from requirements import requirement

from evals.suites.ingest.crash import content_hash
from rag import Engine
from rag.ingest.formats.registry import discover
from rag.law.nodes import Link, ParsedNode
from rag.store.database import Database
from retrieval.paths import subtree_end

EACH = settings(max_examples=20)
MOST_BYTES = 200_000  # of a file of real law that is ingested in every order


def digests(engine: Engine, most: int = 1000) -> dict[str, str]:
    """URN -> digest of its context, of at most so many nodes, evenly by URN."""
    urns = sorted(str(urn) for (urn,) in rows(engine.database, "select distinct urn from legal_nodes"))
    return {urn: engine.context(urn, at_date=DAY).digest for urn in urns[:: -(-len(urns) // most)]}


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


@pytest.mark.thorough
@requirement("P1")
def test_real_law_in_mixed_formats_leaves_one_store_in_every_order(
    shared_data: Path, stores: Stores, empty_template: str, tmp_path: Path
) -> None:
    """Laws, editions and decisions as their publishers print them, shuffled and ingested in batches of random size."""
    sources = [each for path in write_published(shared_data, tmp_path) for each in discover(path).sources]
    sources = [(form, source) for form, source in sources if source.path.stat().st_size < MOST_BYTES]
    files = [source.path for _, source in sources]
    found: list[tuple[str, dict[str, str]]] = []
    for seed in range(4):
        chosen = random.Random(seed)
        order = chosen.sample(files, len(files)) if seed else files
        store = stores.clone(empty_template, traces="off")
        with Engine.open(store) as engine:
            while order:
                batch = chosen.randint(1, len(order))
                assert engine.ingest(order[:batch]).rejected == []
                order = order[batch:]
            found.append((content_hash(engine.database), digests(engine, 150)))
            assert law.recorded(engine.database) == law.recount(engine.database)
        stores.drop(store)
    assert len({form.name for form, _ in sources}) > 5
    assert len(found[0][1]) > 100
    assert [each for each in found if each != found[0]] == []


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
        document(
            [node(f"{C}:1"), node(f"{C}:1:1", "See.")], links=[Link(f"{C}:1:1", "cites", "5 X 5", "urn:lex:fr:x:5")]
        ),
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
    assert set(paths) == {unknown.urn for unknown in tree}
    wrong = rows(
        database,
        """select n.urn from legal_nodes n where n.ancestor_ids <>
            (select array_agg(a.node_id order by nlevel(a.citation_path)) from legal_nodes a
             where a.citation_path @> n.citation_path)""",
    )
    assert wrong == []
    listed = [str(path) for path in paths.values()]
    ranged = rows(
        database,
        """select p.root, n.urn, n.citation_path::text collate "C" >= p.root
                and n.citation_path::text collate "C" < p.high as ranged,
            n.citation_path <@ p.root::ltree as inside
        from legal_nodes n cross join unnest(%s::text[], %s::text[]) as p (root, high)""",
        listed, [subtree_end(name) for name in listed],
    )  # fmt: skip
    assert [(root, urn) for root, urn, one, other in ranged if one != other] == []
    ids = [one for (one,) in rows(database, "select id from legal_nodes order by id")]
    in_order = [urn for (urn,) in rows(database, "select urn from legal_nodes order by node_id")]
    assert ids == list(range(ids[0], ids[0] + len(ids)))
    assert in_order == [unknown.urn for unknown in tree]


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
        edition.urn for edition in editions[-1]
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
