"""What assembling C(R) asks of the server: two round trips and six statements, whatever the number of rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import law
import pytest
from hypothesis import given
from hypothesis import strategies as st
from law import document, node, override, preempt
from oracle import FEDERAL, STATE, Law, bodies_of_law
from psycopg import IsolationLevel
from test_context_oracle import EACH, build, some_rules

from evals.bench.context import LOOK_UPS
from evals.bench.counting import CountedConnection
from rag import Engine
from rag.ingest.writing.reach import close_terms
from rag.jurisdictions.grammars import GRAMMARS
from rag.law.nodes import Definition, Link, ParsedDocument
from retrieval.context.compose import OVER_BUDGET, assemble, assemble_read
from retrieval.context.lookups import look_up
from retrieval.model import ScopedContext
from retrieval.nodes import NodeVersion, versions_by_urn
from retrieval.queries import QUERIES

DAY = law.DAY
CODES = ["us", "us-dc"]
T = f"{STATE}:1"


@pytest.fixture(scope="module")
def store(stores, empty_template) -> Iterator[Engine]:
    with Engine.open(stores.clone(empty_template, traces="off", context_tokens=200_000)) as engine:
        yield engine


@pytest.fixture
def engine(store: Engine) -> Engine:
    law.empty(store.database)
    return store


def title(sections: int) -> ParsedDocument:
    """Sections with parts that all use a chain of definitions and yield to the one after."""
    nodes, links, used = [node(T)], [], {}
    for n in range(1, sections + 1):
        urn = f"{T}:{n}"
        nodes += [node(urn, f"A unit, see section {n + 1}."), node(f"{urn}:1", "A part.")]
        links.append(Link(urn, "subject_to", f"section {n + 1}", f"{T}:{n + 1}"))
        used[urn] = ["unit"]
    nodes += [node(f"{T}:90", "“Unit” means a part."), node(f"{T}:91", "“Part” means a share.")]
    definitions = [Definition("unit", f"{T}:90", T), Definition("part", f"{T}:91", T)]
    return document(nodes, definitions, links, {**used, f"{T}:90": ["part"]})


@pytest.mark.parametrize("candidates", [1, 10])
def test_a_context_takes_two_round_trips_and_six_statements(engine: Engine, candidates: int) -> None:
    federal = document([node(f"{FEDERAL}:1"), node(f"{FEDERAL}:1:1", "Federal words.")])
    law.store(engine.database, title(12), federal)
    override(engine, f"{T}:2", "STAYED")
    preempt(engine, f"{FEDERAL}:1:1", f"{T}:1")
    with CountedConnection.connect(engine.database.conninfo) as conn:
        targets = versions_by_urn(conn, [f"{T}:{n}" for n in range(1, candidates + 1)])
        conn.reset()
        context = assemble(conn, targets, DAY, jurisdictions=CODES, budget_tokens=100_000)
        assert (conn.round_trips, len(conn.statements)) == (2, 6)
    roles = {block.role for block in context.blocks}
    assert {"rule", "ancestor", "definition", "exception", "federal"} <= roles
    assert [definition.term for definition in context.definitions] == ["unit", "part"]
    assert len(context.targets) == candidates


def test_both_trips_see_one_snapshot(engine: Engine) -> None:
    law.store(engine.database, title(2))
    with engine.database.read() as conn:
        targets = versions_by_urn(conn, [f"{T}:1"])
        first = assemble(conn, targets, DAY, jurisdictions=CODES, budget_tokens=100_000)
        override(engine, f"{T}:90", "VOID")
        again = assemble(conn, targets, DAY, jurisdictions=CODES, budget_tokens=100_000)
        assert conn.isolation_level is IsolationLevel.REPEATABLE_READ
    assert first.digest == again.digest
    assert engine.context(f"{T}:1", at_date=DAY).digest != first.digest


def test_the_search_statements_keep_their_own_plans_after_an_assembly(engine: Engine) -> None:
    law.store(engine.database, title(1))
    with engine.database.read() as conn:
        assemble(conn, versions_by_urn(conn, [f"{T}:1"]), DAY, jurisdictions=CODES, budget_tokens=100_000)
        assert conn.execute("show plan_cache_mode").fetchone() == ("force_custom_plan",)
        assert conn.execute("show enable_seqscan").fetchone() == ("on",)


@pytest.mark.parametrize("name", LOOK_UPS)
def test_a_look_up_is_short_enough_for_the_driver_to_take_it_apart_only_once(name: str) -> None:
    assert len(QUERIES[name]) <= 4096


@EACH
@given(data=st.data(), body=bodies_of_law())
def test_what_is_read_by_ids_is_what_the_citation_path_says(store: Engine, data: st.DataObject, body: Law) -> None:
    build(store, body)
    for rule, at in some_rules(data, body, 6):
        with store.database.read() as conn:
            target = next(node_version for node_version in versions_by_urn(conn, [rule]) if node_version.in_force(at))
            found = look_up(conn, [target], at, jurisdictions=CODES)
            above, below = (
                {
                    row[0]
                    for row in conn.execute(
                        f"select id from legal_nodes where citation_path {operator} %s::ltree"
                        " and jurisdiction = %s and validity @> %s::date",
                        [target.path, target.jurisdiction, at],
                    )
                }
                for operator in ("@>", "<@")
            )
        assert {above.id for above in found.chain(target)} == above
        assert {tree.id for tree in found.trees[rule]} == below


@EACH
@given(data=st.data(), body=bodies_of_law(), budget=st.sampled_from([20, 60, 120]))
def test_the_last_rules_give_way_until_nothing_is_left_out(
    store: Engine, data: st.DataObject, body: Law, budget: int
) -> None:
    build(store, body)
    chosen = some_rules(data, body, 5)
    at = chosen[0][1]
    with store.database.read() as conn:
        found = (versions_by_urn(conn, [rule]) for rule in dict.fromkeys(rule for rule, _ in chosen))
        targets = [version for versions in found for version in versions if version.in_force(at)]

        def read(rules: Sequence[NodeVersion], *, first_whole: bool) -> ScopedContext:
            return assemble_read(
                conn, GRAMMARS, rules, at, jurisdictions=CODES, budget_tokens=budget, asked=frozenset(),
                first_whole=first_whole,
            )  # fmt: skip

        whole = read(targets, first_whole=False)
        kept, wanted = list(whole.targets), whole
        while len(kept) > 1 and any(omitted.reason == OVER_BUDGET for omitted in wanted.omitted):
            kept.pop()
            given_way = set(whole.targets) - set(kept)
            wanted = read([target for target in targets if target.urn not in given_way], first_whole=False)
        assert read(targets, first_whole=True) == wanted


@given(st.dictionaries(st.integers(0, 6), st.sets(st.integers(0, 8), max_size=4), max_size=6))
def test_the_closure_of_terms_is_what_can_be_reached(uses: dict[int, set[int]]) -> None:
    def reached(start: int) -> set[int]:
        seen: set[int] = set()
        waiting = [*uses[start]]
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += uses.get(one, ())
        return seen

    assert close_terms(uses) == {term: reached(term) for term in uses}
