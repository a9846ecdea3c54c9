"""The keys that reading C(R) starts from, against what the stored nodes and definitions say themselves."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import law
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law import document, node
from oracle import STATE, TERMS

from rag import Engine
from rag.ingest.writing.reach import Defines, Placed, reach_of, store_term_closures
from rag.ingest.writing.rows import term_id
from rag.law.nodes import Definition, ParsedDocument

T = f"{STATE}:1"
PLACES = [f"{T}:1", f"{T}:1:1", f"{T}:1:1:1", f"{T}:1:2", f"{T}:2", f"{T}:2:1"]
EDITIONS = [date(2000, 1, 1), date(2010, 1, 1), date(2020, 1, 1)]

# Of a provision, over all versions: its parts, by the ancestors that each version names.
PARTS = """select n.id, n.urn, n.kind, n.subtree_ids, array(
    select distinct p.node_id from legal_nodes p where n.node_id = any(p.ancestor_ids) order by 1)
from legal_nodes n"""
# Terms that a provision, its parts or its lead-ins use or define, the definitions' scopes on its line, and of the
# definitions that it needs what their words use and where they stand: each as far as its document says it.
NEEDS = """with line as (
    select n.id, p.node_id, p.used_terms from legal_nodes n join legal_nodes p
        on n.node_id = any(p.ancestor_ids) or (p.kind <> 'section' and p.node_id = any(n.ancestor_ids))
    where n.kind <> 'section' and n.rule_id = n.node_id
), scopes as (
    select n.id, d.scope_id, d.term_id from legal_nodes n join legal_definitions d
        on d.scope_id = any(n.ancestor_ids) or d.scope_id = any(n.subtree_ids)
    where n.kind <> 'section' and not d.beyond_document
), meanings as (
    select n.id, d.used_terms, d.ancestor_ids, d.subtree_ids from legal_nodes n join legal_definitions d
        on d.term_id = any(n.line_terms) and d.scope_id = any(n.scope_ids)
    where n.kind <> 'section' and not d.beyond_document
), uses as (
    select id, unnest(used_terms) as term from line
    union select line.id, d.term_id from line join legal_definitions d on d.node_id = line.node_id
    union select id, unnest(used_terms) from meanings
), needs as (
    select id, term from uses where exists (select from scopes where scopes.id = uses.id and term_id = term)
)
select n.urn, array(select term from needs where needs.id = n.id) <@ n.line_terms,
    array(select scope_id from scopes where scopes.id = n.id) <@ n.scope_ids,
    array(
        select unnest(ancestor_ids || subtree_ids) from meanings where meanings.id = n.id
    ) <@ (n.ancestor_ids || n.subtree_ids || n.context_ids) and not n.subtree_ids && n.context_ids
from legal_nodes n where n.kind <> 'section' and n.rule_id = n.node_id"""
# A part of a rule has no other keys than its parts, and its rule has them in every version in force with it.
WITHOUT = """select n.urn, bool_and(r.line_terms is not null and r.scope_ids is not null and r.context_ids is not null)
from legal_nodes n left join legal_nodes r on r.node_id = n.rule_id and r.validity && n.validity
where n.line_terms is null or n.scope_ids is null or n.context_ids is null group by n.urn"""
DEFINED = """select d.urn = n.urn and d.ancestor_ids = n.ancestor_ids
    and d.subtree_ids = array(
        select distinct p.node_id from legal_nodes p where d.node_id = any(p.ancestor_ids) order by 1)
from legal_definitions d join legal_nodes n on n.id = d.node_version_id"""


@st.composite
def editions(draw: st.DrawFn) -> list[ParsedDocument]:
    """One title as several editions show it, in some order of ingest."""
    found: list[ParsedDocument] = []
    for day in draw(st.lists(st.sampled_from(EDITIONS), min_size=1, max_size=3, unique=True)):
        kept = draw(st.sets(st.sampled_from(PLACES), min_size=1))
        urns = [urn for urn in PLACES if any(f"{name}:".startswith(f"{urn}:") for name in kept)]
        terms = {urn: draw(st.lists(st.sampled_from(TERMS), unique=True, max_size=2)) for urn in urns}
        defining = draw(st.lists(st.sampled_from(urns), max_size=2, unique=True))
        definitions = [
            Definition(draw(st.sampled_from(TERMS)), urn, draw(st.sampled_from([STATE, T, *urns]))) for urn in defining
        ]  # fmt: skip
        nodes = [node(T), *(node(urn, f"{draw(st.sampled_from('xy'))} {' '.join(TERMS)}") for urn in urns)]
        found.append(document(nodes, definitions, used=terms, edition=day))
    return found


@pytest.fixture(scope="module")
def store(stores, empty_template) -> Iterator[Engine]:
    with Engine.open(stores.clone(empty_template, traces="off")) as engine:
        yield engine


def derived_anew(store: Engine) -> int:
    """How many definitions the store itself says other needs of than were written with them."""
    documents = law.rows(store.database, "select jurisdiction, id from documents")
    with store.database.write() as conn:
        return sum(store_term_closures(conn, code, number) for code, number in documents)


@settings(max_examples=25)
@given(editions())
def test_derived_columns_say_what_the_store_says_whatever_editions_came(
    store: Engine, shown: list[ParsedDocument]
) -> None:
    law.empty(store.database)
    law.store(store.database, *shown)
    for _, urn, kind, listed, parts in law.rows(store.database, PARTS):
        assert listed == ([] if kind == "section" else parts), urn
    for urn, terms, scopes, context in law.rows(store.database, NEEDS):
        assert (terms, scopes, context) == (True, True, True), urn
    assert all(row[0] for row in law.rows(store.database, DEFINED))
    for urn, told in law.rows(store.database, WITHOUT):
        assert told, urn
    assert derived_anew(store) == 0


def test_a_definition_has_its_own_words_and_none_of_the_parts_that_are_apart(store: Engine) -> None:
    one, two = Definition("tenant", f"{T}:1", T, used_terms=("landlord",)), Definition("lessor", f"{T}:1", T)
    wide = Definition("rent", f"{T}:1", T, apart=(f"{T}:1:1",))
    nodes = [node(T), *(node(urn, "x") for urn in (f"{T}:1", f"{T}:1:1", f"{T}:1:1:1", f"{T}:1:2"))]
    used = {f"{T}:1": ["landlord", "unit"], f"{T}:1:1:1": ["notice"], f"{T}:1:2": ["lease"]}
    law.empty(store.database)
    law.store(store.database, document(nodes, [one, two, wide], used=used))
    query = """select term, d.used_terms, array(
        select urn from legal_nodes where node_id = any(d.subtree_ids) order by urn
    ) from legal_definitions d order by term"""
    whole = [f"{T}:1", f"{T}:1:1", f"{T}:1:1:1", f"{T}:1:2"]
    assert law.rows(store.database, query) == [
        ("lessor", sorted(map(term_id, ("landlord", "unit", "notice", "lease"))), whole),
        ("rent", sorted(map(term_id, ("landlord", "unit", "lease"))), [f"{T}:1", f"{T}:1:2"]),
        ("tenant", [term_id("landlord")], whole),
    ]  # fmt: skip
    assert derived_anew(store) == 0


def test_the_reach_of_a_provision_has_its_parts_and_what_its_words_need_of_the_scopes_around_it() -> None:
    title, section, part, item, entry, below_entry, other = 1, 2, 3, 4, 5, 6, 7
    lead, old, new, unit, inner, alone = map(term_id, ("lead", "old", "new", "unit", "inner", "alone"))
    versions = [
        Placed(title, [title], True, [term_id("never")], title),
        Placed(section, [title, section], False, [lead], section),
        Placed(part, [title, section, part], False, [old], part),
        Placed(part, [title, section, part], False, [new], part),
        Placed(item, [title, section, part, item], False, [term_id("undefined")], part),
        Placed(entry, [title, entry], False, [], entry),
        Placed(below_entry, [title, entry, below_entry], False, [inner], entry),
        Placed(other, [title, other], False, [], other),
    ]  # fmt: skip
    definitions = [
        Defines(item, unit, title), Defines(entry, lead, title), Defines(other, inner, title),
        Defines(other, alone, title), Defines(other, new, other), Defines(99, term_id("elsewhere"), 98),
    ]  # fmt: skip
    found = reach_of(versions, definitions)
    assert title not in found
    assert found[part] == (
        [part, item], sorted([lead, unit, inner]), [title],
        [entry, below_entry, other],
    )  # fmt: skip
    assert found[item] == ([item], None, None, None)
    assert found[other].line_terms == sorted([inner, alone, new])


def test_definitions_that_need_each_other_are_found_and_end() -> None:
    title, rule, one, two = 1, 2, 3, 4
    first, second = term_id("first"), term_id("second")
    versions = [
        Placed(title, [title], True, [], title), Placed(rule, [title, rule], False, [first], rule),
        Placed(one, [title, one], False, [second], one), Placed(two, [title, two], False, [first], two),
    ]  # fmt: skip
    found = reach_of(versions, [Defines(one, first, title), Defines(two, second, title)])
    assert found[rule] == ([rule], sorted([first, second]), [title], [one, two])
