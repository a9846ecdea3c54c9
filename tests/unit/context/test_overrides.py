"""Which overrides cover a node, and the digest of what a context says: fast forms against their definitions."""

from __future__ import annotations

import hashlib
import json
from datetime import date

from hypothesis import given
from hypothesis import strategies as st
from requirements import requirement

from retrieval.context.overrides import Override, covering_overrides, covers, overrides_along
from retrieval.model import (
    Block,
    ContextWarning,
    DefinitionInScope,
    Omitted,
    OverrideNotice,
    PrevailsOver,
    ScopedContext,
    context_digest,
)

STATUSES = st.sampled_from(["VOID", "STAYED"])
URNS = st.lists(st.sampled_from("ab1"), min_size=1, max_size=3).map(lambda parts: ":".join(["urn:lex:ma:x", *parts]))
PATTERNS = st.one_of(
    URNS,
    URNS.map(lambda urn: urn.replace(":ma:", ":us-ma:")),
    URNS.map(lambda urn: f"{urn}*"),
    st.tuples(URNS, URNS).map(lambda two: f"{two[0]}:*{two[1][-2:]}"),
    st.sampled_from(["urn:lex:*", "urn:lex:us-ma:*", "urn:lex:m*:x:a", "urn:lex:us:*"]),
)


@st.composite
def orders(draw: st.DrawFn) -> list[Override]:
    drawn = draw(st.lists(st.tuples(PATTERNS, STATUSES), max_size=6))
    return [
        Override(number, pattern, status, "CRITICAL", "Court", "1 C. 1", "", None, None)
        for number, (pattern, status) in enumerate(drawn)
    ]


@requirement("P4")
@given(orders(), st.lists(URNS, min_size=1, max_size=4))
def test_the_overrides_of_a_node_are_those_whose_pattern_covers_it_or_what_contains_it(
    rows: list[Override], chain: list[str]
) -> None:
    wanted = {row.id for row in rows if any(covers(row.urn_pattern, urn) for urn in chain)}
    found = overrides_along(covering_overrides(rows, chain), chain)
    assert sorted(override.id for override in found) == sorted(wanted)
    assert [override.halts for override in found] == sorted((override.halts for override in found), reverse=True)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
DAY = st.one_of(st.none(), st.dates())
BLOCKS = st.builds(
    Block, id=TEXT, urn=TEXT, role=st.sampled_from(["rule", "warning"]), heading=TEXT, text=TEXT, lead_in=TEXT,
    flush=TEXT, after_children=st.one_of(st.none(), st.integers(0, 9)), valid_from=DAY, valid_to=DAY,
    parent_urn=st.one_of(st.none(), TEXT), applies_to=st.lists(TEXT, max_size=2), reason=TEXT,
)  # fmt: skip
DEFINITIONS = st.builds(
    DefinitionInScope, term=TEXT, urn=TEXT, scope_urn=TEXT, applies_to=st.lists(TEXT, max_size=2),
    shadows=st.lists(TEXT, max_size=2), relation=TEXT, inferred=st.booleans(), phrase=TEXT, depth=st.integers(0, 3),
)  # fmt: skip


@st.composite
def notices(draw: st.DrawFn) -> OverrideNotice:
    court = Override(1, draw(PATTERNS), "VOID", "CRITICAL", "Court", "1 C. 1", "", date(2020, 1, 1), None)
    return court.notice("urn:lex:ma:x:a", draw(st.sampled_from(["halt", "redact", "warn", "left_out"])))


CONTEXTS = st.builds(
    ScopedContext, status=st.just("ok"), targets=st.lists(TEXT, max_size=2), at_date=st.dates(), digest=TEXT,
    blocks=st.lists(BLOCKS, max_size=3), definitions=st.lists(DEFINITIONS, max_size=2),
    overrides=st.lists(notices(), max_size=2), trace_id=st.one_of(st.none(), TEXT),
    warnings=st.lists(
        st.builds(ContextWarning, kind=TEXT, message=TEXT, urn=st.one_of(st.none(), TEXT), untold=TEXT), max_size=2
    ),
    omitted=st.lists(st.builds(Omitted, urn=TEXT, reason=TEXT), max_size=2), message=TEXT,
    prevails_over=st.lists(
        st.builds(
            PrevailsOver, urn=TEXT, heading=TEXT, path=TEXT, in_force=st.booleans(), by=TEXT, reference=TEXT,
            applies_to=st.lists(TEXT, max_size=2),
        ),
        max_size=2,
    ),
)  # fmt: skip


@requirement("P1")
@given(CONTEXTS)
def test_the_digest_is_of_all_that_is_said_as_canonical_json(context: ScopedContext) -> None:
    # `untold` repeats words of the message; who prevails over nothing keeps the digest of before.
    said = context.model_dump(
        mode="json", exclude={"digest": True, "how_read": True, "trace_id": True, "warnings": {"__all__": {"untold"}}}
    )
    if not context.prevails_over:
        del said["prevails_over"]
    canonical = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert context_digest(context) == hashlib.sha256(canonical.encode()).hexdigest()
