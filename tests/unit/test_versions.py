"""What a new parse changes: the stored timeline against a model that only knows what was said of which days."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.nodes import ParsedNode
from rag.ingest.rows import NodeRow
from rag.ingest.versions import StoredVersion, VersionPlan, plan_versions

FIRST = date(2020, 1, 1)
URNS = ("urn:lex:us:x:1", "urn:lex:us:x:2")
Versions = list[tuple[date | None, date | None, str]]


def row(urn: str, words: str, valid_from: date | None = None, valid_to: date | None = None) -> NodeRow:
    node = ParsedNode(urn, None, "SECTION", "section", valid_from=valid_from, valid_to=valid_to, content_text=words)
    return NodeRow(node, "root.us.x", 0, valid_from, valid_to, urn, "", "", "", words, [], words, words)


@dataclass
class Store:
    """Applies plans as the writer does, and refuses what the exclusion constraint refuses."""

    versions: list[StoredVersion] = field(default_factory=list)
    ids: int = 0

    def ingest(self, rows: list[NodeRow], day: date, correct: bool = False) -> VersionPlan:
        self.versions.sort(key=lambda one: (one.urn, one.valid_from or date.min))
        plan = plan_versions(rows, list(self.versions), change_date=day, correct=correct)
        gone = {one.id for one in plan.deleted}
        self.versions = [one for one in self.versions if one.id not in gone]
        for version, end in plan.closed:
            version.valid_to = end
        for new, version in plan.kept:
            version.valid_from, version.valid_to = new.valid_from, new.valid_to
        for new in plan.new:
            self.ids += 1
            self.versions.append(StoredVersion(
                self.ids, 1, new.node.urn, new.valid_from, new.valid_to, new.source_hash, "", "", 0, [], 1, []
            ))  # fmt: skip
        return plan

    def of(self, urn: str) -> Versions:
        found = [(one.valid_from, one.valid_to, one.source_hash) for one in self.versions if one.urn == urn]
        return sorted(found, key=lambda one: one[0] or date.min)

    def text(self, urn: str, at: date) -> str | None:
        found = [
            words for start, end, words in self.of(urn)
            if (start is None or start <= at) and (end is None or at < end)
        ]  # fmt: skip
        assert len(found) < 2, "two versions are in force at once"
        return found[0] if found else None

    def check(self) -> None:
        for urn in URNS:
            versions = self.of(urn)
            for start, end, _ in versions:
                assert start is None or end is None or start < end
            for (_, end, _), (start, _, _) in pairwise(versions):
                assert end is not None
                assert start is not None
                assert end <= start


DAYS = [FIRST + timedelta(days=n) for n in range(-2, 30)]
editions = st.lists(
    st.tuples(st.integers(0, 3), st.dictionaries(st.sampled_from(URNS), st.sampled_from("ABC"), max_size=2)),
    min_size=1,
    max_size=7,
)


@given(editions)
def test_undated_editions_leave_the_text_that_each_day_was_told(changes: list[tuple[int, dict[str, str]]]) -> None:
    store, day = Store(), FIRST
    told: dict[str, dict[date, str | None]] = {urn: dict.fromkeys(DAYS) for urn in URNS}
    for number, (step, edition) in enumerate(changes):
        day += timedelta(days=step)
        store.ingest([row(urn, words) for urn, words in edition.items()], day)
        store.check()
        # What the first edition shows without a date has always stood there, as far as anyone knows.
        empty = number == 0 or not any(told[urn][one] for urn in URNS for one in DAYS)
        for urn in URNS:
            told[urn].update((one, edition.get(urn)) for one in DAYS if one >= day or empty)
        assert {urn: {one: store.text(urn, one) for one in DAYS} for urn in URNS} == told


dates = st.one_of(st.none(), st.sampled_from(DAYS))


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(
            st.integers(-3, 3), st.booleans(),
            st.lists(st.tuples(st.sampled_from("ABC"), dates, dates), min_size=0, max_size=3),
        ),
        min_size=1, max_size=5,
    )
)  # fmt: skip
def test_no_sequence_of_dated_sources_makes_versions_overlap(changes) -> None:
    store, day, urn = Store(), FIRST, URNS[0]
    for step, correct, given_versions in changes:
        day += timedelta(days=step)
        versions = [one for one in given_versions if one[1] is None or one[2] is None or one[1] < one[2]]
        versions.sort(key=lambda one: one[1] or date.min)
        apart: Versions = []
        for words, start, end in versions:
            if not apart or (apart[-1][1] is not None and start is not None and apart[-1][1] <= start):
                apart.append((start, end, words))
        kept = list(store.versions)
        before = [(one.valid_from, one.valid_to) for one in kept]
        rows = [row(urn, words, start, end) for start, end, words in apart]
        store.ingest(rows, day, correct)
        if any(one.valid_from and one.valid_to and one.valid_from >= one.valid_to for one in rows):
            # Such a source contradicts the store; the writer refuses it, so the store stays as it was.
            store.versions = kept
            for one, (start, end) in zip(kept, before, strict=True):
                one.valid_from, one.valid_to = start, end
            continue
        store.check()
        for start, end, words in apart if len(apart) > 1 else []:
            assert (start, end, words) in store.of(urn)


@given(editions)
def test_the_same_edition_again_changes_nothing(changes: list[tuple[int, dict[str, str]]]) -> None:
    store, day = Store(), FIRST
    for step, edition in changes:
        day += timedelta(days=step)
        for again in range(2):
            plan = store.ingest([row(urn, words) for urn, words in edition.items()], day + timedelta(days=again))
            if again:
                assert (plan.new, plan.closed, plan.deleted) == ([], [], [])
        day += timedelta(days=1)


def d(year: int) -> date:
    return date(year, 1, 1)


@pytest.mark.parametrize(
    ("stored", "given_row", "correct", "becomes"),
    [
        # Other words: the source's date, else the day of the change.
        ([(None, None, "A")], ("B", None, None), False, [(None, d(2026), "A"), (d(2026), None, "B")]),
        ([(d(2000), None, "A")], ("B", d(2010), None), False, [(d(2000), d(2010), "A"), (d(2010), None, "B")]),
        # The source speaks of the stored version itself: it was misread or misprinted.
        ([(d(2000), None, "A")], ("B", d(2000), None), False, [(d(2000), None, "B")]),
        ([(d(2000), None, "A")], ("B", None, d(2010)), False, [(d(2000), d(2010), "B")]),
        ([(d(2000), None, "A")], ("B", None, None), True, [(d(2000), None, "B")]),
        # Same words: the earliest known start, the source's end.
        ([(d(2000), None, "A")], ("A", d(2010), d(2030)), False, [(d(2000), d(2030), "A")]),
        ([(d(2010), None, "A")], ("A", d(2000), None), False, [(d(2000), None, "A")]),
        ([(None, d(2005), "A"), (d(2010), None, "B")], ("B", d(2000), None), False,
         [(None, d(2005), "A"), (d(2010), None, "B")]),
        ([(None, None, "A")], ("A", d(2010), None), False, [(None, None, "A")]),
        # An end that was lifted before it came; words that came back after it had.
        ([(d(2000), d(2030), "A")], ("A", None, None), False, [(d(2000), None, "A")]),
        ([(d(2000), d(2010), "A")], ("A", None, None), False, [(d(2000), d(2010), "A"), (d(2026), None, "A")]),
        ([(d(2000), d(2010), "A")], ("A", d(2015), None), False, [(d(2000), d(2010), "A"), (d(2015), None, "A")]),
        # A version that would only have begun later gives way to what is said of today.
        ([(None, d(2030), "A"), (d(2030), None, "B")], ("C", None, None), False,
         [(None, d(2026), "A"), (d(2026), None, "C")]),
        # A removed node is closed, whatever was still to come; what only an older parser saw goes.
        ([(None, None, "A")], None, False, [(None, d(2026), "A")]),
        ([(None, d(2030), "A"), (d(2030), None, "B")], None, False, [(None, d(2026), "A")]),
        ([(None, d(2010), "A")], None, False, [(None, d(2010), "A")]),
        ([(None, None, "A")], None, True, []),
        ([(None, d(2010), "A")], None, True, [(None, d(2010), "A")]),
    ],
)  # fmt: skip
def test_one_row_against_what_is_stored(
    stored: Versions, given_row: tuple[str, date | None, date | None] | None, correct: bool, becomes: Versions
) -> None:
    store = Store()
    store.ids = len(stored)
    store.versions = [
        StoredVersion(n, 1, URNS[0], start, end, words, "", "", 0, [], 1, [])
        for n, (start, end, words) in enumerate(stored, start=1)
    ]
    store.ingest([row(URNS[0], *given_row)] if given_row else [], d(2026), correct)
    assert store.of(URNS[0]) == becomes
    store.check()
