"""What an edition changes: the stored timeline against what the editions say of each day, whatever their order."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from itertools import islice, pairwise, permutations

import pytest
from edition_oracle import DAYS, URNS, Edition, File, Row, Timeline, files, timelines
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rag.ingest.writing.editions import Dating, History, Key, Showing, merged, overlapping
from rag.ingest.writing.rows import NodeRow, StoredVersion, VersionPlan, plan_versions
from rag.law.nodes import ParsedNode

U = URNS[0]


def rows_of(edition: Edition) -> list[NodeRow]:
    out: list[NodeRow] = []
    for urn, periods in edition.items():
        for words, start, end in periods:
            node = ParsedNode(urn, None, "SECTION", "section", valid_from=start, valid_to=end, content_text=words)
            out.append(NodeRow(node, "root.us.x", 0, start, end, urn, "", "", "", words, [], words, words))
    return out


@dataclass
class Store:
    """Applies plans as the writer does: words come from the edition at hand or from a version that is there."""

    versions: list[StoredVersion] = field(default_factory=list[StoredVersion])
    history: History = field(default_factory=History)
    ids: int = 0

    def ingest(self, edition: Edition, day: date, source: str = "", dating: Dating = "own") -> VersionPlan:
        self.versions.sort(key=lambda one: (one.urn, one.valid_from or date.min))
        key = Key(dating != "none", day, source)
        plan = plan_versions(rows_of(edition), list(self.versions), self.history, key, dating)
        there = {version.id for version in self.versions}
        gone = {version.id for version in plan.deleted}
        self.versions = [version for version in self.versions if version.id not in gone]
        for version, span in plan.redated:
            version.valid_from, version.valid_to = span.valid_from, span.valid_to
        for row, version in plan.kept:
            assert version.source_hash == row.source_hash
            version.valid_from, version.valid_to = row.valid_from, row.valid_to
        for version, span in plan.copied:
            assert version.id in there - gone
            self._add(version.urn, span.valid_from, span.valid_to, version.source_hash)
        for row in plan.new:
            self._add(row.node.urn, row.valid_from, row.valid_to, row.source_hash)
        self.check()
        return plan

    def read(self, file: File) -> VersionPlan:
        _, day, name = file.key
        return self.ingest(file.shows, day, name, file.dating)

    def _add(self, urn: str, start: date | None, end: date | None, words: str) -> None:
        self.ids += 1
        self.versions.append(StoredVersion(self.ids, 1, urn, start, end, words, "", "", 0, [], 1, []))

    def of(self, urn: str) -> list[Row]:
        found = [
            (version.source_hash, version.valid_from, version.valid_to)
            for version in self.versions
            if version.urn == urn
        ]
        return sorted(found, key=lambda one: one[1] or date.min)

    def timelines(self) -> dict[str, Timeline]:
        return {urn: {day: self._text(urn, day) for day in DAYS} for urn in URNS}

    def _text(self, urn: str, at: date) -> str | None:
        found = [
            words for words, start, end in self.of(urn)
            if (start is None or start <= at) and (end is None or at < end)
        ]  # fmt: skip
        assert len(found) < 2, "two versions are in force at once"
        return found[0] if found else None

    def check(self) -> None:
        for urn in URNS:
            for _, start, end in self.of(urn):
                assert start is None or end is None or start < end
            for (words, _, end), (next_words, start, _) in pairwise(self.of(urn)):
                assert end is not None
                assert start is not None
                assert end < start or (end == start and words != next_words), "one version in two pieces"


@settings(max_examples=60)
@given(files)
def test_every_order_of_ingest_leaves_what_the_editions_say_of_each_day(given_files: list[File]) -> None:
    told = timelines(given_files)
    stored: list[dict[str, list[Row]]] = []
    for order in islice(permutations(given_files), 6):
        store = Store()
        for file in order:
            assert store.read(file).missing == []
        assert store.timelines() == told
        stored.append({urn: store.of(urn) for urn in URNS})
    assert all(entry == stored[0] for entry in stored)


@settings(max_examples=30)
@given(files, st.data())
def test_an_edition_again_changes_nothing(given_files: list[File], data: st.DataObject) -> None:
    store = Store()
    for file in data.draw(st.permutations(given_files)):
        store.read(file)
    before = [(version.id, version.valid_from, version.valid_to) for version in store.versions]
    for file in given_files:
        plan = store.read(file)
        assert (plan.new, plan.redated, plan.copied, plan.deleted, plan.changed) == ([], [], [], [], [])
    assert sorted((version.id, version.valid_from, version.valid_to) for version in store.versions) == sorted(before)


@settings(max_examples=30)
@given(files, files, st.data())
def test_a_corrected_edition_leaves_what_it_would_have_left_from_the_start(
    given_files: list[File], others: list[File], data: st.DataObject
) -> None:
    wrong = data.draw(st.sampled_from(given_files))
    correction = File(wrong.name, wrong.own or DAYS[5], others[0].shows)
    if wrong.own is None:
        given_files = [*given_files, correction]  # another day, so another edition
        wrong = correction
    assume(len({file.key for file in given_files}) == len(given_files))  # one key is one edition
    corrected = [correction if file is wrong else file for file in given_files]
    store, fresh = Store(), Store()
    for file in given_files:
        store.read(file)
    plan = store.read(correction)
    if plan.missing:  # words that were nowhere in force are so now: the report asks for the other editions
        for file in corrected:
            store.read(file)
    for file in corrected:
        fresh.read(file)
    assert store.timelines() == fresh.timelines() == timelines(corrected)


@settings(max_examples=30)
@given(files)
def test_what_a_bound_rests_on_is_said_of_each(given_files: list[File]) -> None:
    store = Store()
    for file in given_files:
        store.read(file)
    own = {file.name for file in given_files if file.own}
    for urn in URNS:
        stated = {day for file in given_files for _, *days in file.shows.get(urn, []) for day in days}
        for span in store.history.timeline(urn):
            for basis, day in ((span.from_basis, span.valid_from), (span.to_basis, span.valid_to)):
                assert (basis == "unknown") == (day is None)
                assert (basis == "stated") == (day is not None and day in stated)
            if span.valid_from is None and span.last.source in own:
                assert span.uncertain
                assert span.uncertain[0][0] is None


def d(year: int) -> date:
    return date(year, 1, 1)


@pytest.mark.parametrize(("dating", "basis"), [("own", "edition"), ("given", "stated")])
def test_a_change_on_the_day_of_an_edition_is_stated_where_whoever_ingests_it_gives_that_day(
    dating: Dating, basis: str
) -> None:
    store = Store()
    store.ingest({U: [("A", None, None)]}, d(2011), "a")
    store.ingest({U: [("B", None, None)]}, d(2016), "b", dating)
    before, after = store.history.timeline(U)
    assert (before.valid_to, before.to_basis) == (after.valid_from, after.from_basis) == (d(2016), basis)


@pytest.mark.parametrize(
    ("given_editions", "becomes"),
    [
        # What the first edition shows has always been there; other words begin with theirs.
        ({2011: [("A", None, None)]}, [("A", None, None)]),
        ({2011: [("A", None, None)], 2016: [("B", None, None)]}, [("A", None, d(2016)), ("B", d(2016), None)]),
        # The same words go on, whatever lies between, unless an edition lacks the node.
        ({2011: [("A", None, None)], 2016: [("A", None, None)]}, [("A", None, None)]),
        ({2011: [("A", None, None)], 2016: [], 2022: [("A", None, None)]},
         [("A", None, d(2016)), ("A", d(2022), None)]),
        ({2011: [("A", None, None)], 2016: [("B", None, None)], 2022: [("A", None, None)]},
         [("A", None, d(2016)), ("B", d(2016), d(2022)), ("A", d(2022), None)]),
        # A node that the first edition lacks begins with the one that brings it.
        ({2011: [], 2016: [("A", None, None)]}, [("A", d(2016), None)]),
        # The source's own dates come before the edition's.
        ({2011: [("A", None, None)], 2016: [("B", d(2014), None)]}, [("A", None, d(2014)), ("B", d(2014), None)]),
        ({2011: [("A", d(2000), None)], 2016: [("B", d(2018), None)]}, [("A", d(2000), d(2016)), ("B", d(2018), None)]),
        ({2011: [("A", d(2000), d(2030))], 2016: [("A", None, None)]}, [("A", d(2000), None)]),
        ({2011: [("A", d(2000), d(2010))], 2016: [("A", None, None)]},
         [("A", d(2000), d(2010)), ("A", d(2016), None)]),
        ({2011: [("A", d(2010), None)], 2016: [("A", d(2000), None)]}, [("A", d(2000), None)]),
        ({2011: [("A", d(2000), None)], 2016: [("A", d(2010), d(2030))]}, [("A", d(2000), d(2030))]),
        # The later edition speaks of the earlier one's time itself: that was misread or misprinted.
        ({2011: [("A", d(2000), None)], 2016: [("B", d(2000), None)]}, [("B", d(2000), None)]),
        # It says that the words had ended, and not when they began.
        ({2011: [("A", None, None)], 2016: [("B", None, d(2014))]}, [("A", None, d(2014))]),
        # A version that would only have begun later gives way to what is said of a later day.
        ({2011: [("A", None, d(2030)), ("B", d(2030), None)], 2016: [("C", None, None)]},
         [("A", None, d(2016)), ("C", d(2016), None)]),
        ({2011: [("A", None, d(2030)), ("B", d(2030), None)], 2016: []}, [("A", None, d(2016))]),
        ({2011: [], 2016: [("A", None, d(2005)), ("A", d(2005), None)]}, [("A", d(2016), None)]),
        # A source with a history is the authority on it.
        ({2011: [("Z", None, None)], 2016: [("A", d(2000), d(2005)), ("B", d(2008), None)]},
         [("Z", None, d(2000)), ("A", d(2000), d(2005)), ("B", d(2008), None)]),
    ],
)  # fmt: skip
def test_what_editions_of_one_node_come_to(given_editions: dict[int, list[Row]], becomes: list[Row]) -> None:
    for order in permutations(given_editions):
        store = Store()
        for year in order:
            store.ingest({U: given_editions[year]}, d(year))
        assert store.of(U) == becomes


def test_a_corrected_source_or_parser_replaces_the_words_of_its_edition_only() -> None:
    store = Store()
    for year, words in ((2011, "A"), (2016, "m1sread")):
        store.ingest({U: [(words, None, None)], URNS[1]: [(words, None, None)]}, d(year))
    store.ingest({U: [("B", None, None)]}, d(2016))
    assert store.of(U) == [("A", None, d(2016)), ("B", d(2016), None)]
    assert store.of(URNS[1]) == [("A", None, d(2016))]


def test_words_that_only_an_edition_s_file_still_has_are_asked_for() -> None:
    store = Store()
    store.ingest({U: [("A", d(2000), None)]}, d(2011))
    store.ingest({U: [("B", d(2000), None)]}, d(2016))
    assert store.ingest({U: [("B", d(2014), None)]}, d(2016)).missing == [U]
    store.ingest({U: [("A", d(2000), None)]}, d(2011))
    assert store.of(U) == [("A", d(2000), d(2014)), ("B", d(2014), None)]


def test_words_without_a_place_in_time_are_named() -> None:
    store = Store()
    store.ingest({U: [("B", None, d(2014))]}, d(2016))
    assert store.of(U) == [("B", None, d(2014))]
    assert store.ingest({U: [("A", None, None)]}, d(2011)).unplaced == [U]


def test_a_version_keeps_its_id_and_the_place_of_the_last_edition_that_shows_it() -> None:
    store = Store()
    store.ingest({U: [("A", None, None)]}, d(2022))
    assert store.ingest({U: [("A", None, None)]}, d(2011)).kept == []
    assert len(store.ingest({U: [("A", None, None)]}, d(2026)).kept) == 1
    assert store.ids == 1


@pytest.mark.parametrize(
    ("periods", "wrong"),
    [
        ([(None, None), (None, None)], True),
        ([(None, d(2000)), (None, d(2005))], True),
        ([(d(2000), None), (d(2005), None)], True),
        ([(d(2000), d(2006)), (d(2005), None)], True),
        ([(d(2005), None), (None, d(2005))], False),
        ([(None, d(2005)), (d(2006), None)], False),
    ],
)
def test_versions_of_one_edition_that_overlap_are_found(
    periods: list[tuple[date | None, date | None]], wrong: bool
) -> None:
    shown = merged(Showing(f"{n}", start, end) for n, (start, end) in enumerate(periods))
    assert (overlapping(shown) is not None) is wrong
