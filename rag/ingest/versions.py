"""What a new parse of a document changes: which versions stay, end, go or begin. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from rag.ingest.rows import NodeRow


@dataclass(slots=True)
class StoredVersion:
    """A stored version, as far as a comparison needs it."""

    id: int
    node_id: int
    urn: str
    valid_from: date | None
    valid_to: date | None
    source_hash: str
    search_hash: str
    path: str
    ordinal: int
    ancestor_ids: list[int]
    rule_id: int
    used_terms: list[int]


@dataclass(slots=True)
class VersionPlan:
    """What to write. `kept` pairs new rows with the versions that already hold their words."""

    new: list[NodeRow] = field(default_factory=list[NodeRow])
    kept: list[tuple[NodeRow, StoredVersion]] = field(default_factory=list[tuple[NodeRow, StoredVersion]])
    closed: list[tuple[StoredVersion, date]] = field(default_factory=list[tuple[StoredVersion, date]])
    deleted: list[StoredVersion] = field(default_factory=list[StoredVersion])


def plan_versions(rows: list[NodeRow], stored: list[StoredVersion], *, change_date: date, correct: bool) -> VersionPlan:
    """Compare a parse with the store.

    Args:
        rows: all rows of the new parse.
        stored: all stored versions of the document.
        change_date: when a change takes effect whose source gives no date of its own.
        correct: the source is the same and only the parser is newer, so changes are corrections, not amendments:
            other words replace the last version, and a node that is not seen any more never was there.

    Returns:
        The plan. Rows that get new validity carry it in `valid_from` and `valid_to`.
    """
    plan = VersionPlan()
    history: dict[str, list[StoredVersion]] = {}
    for version in stored:
        history.setdefault(version.urn, []).append(version)
    given: dict[str, list[NodeRow]] = {}
    for row in rows:
        given.setdefault(row.node.urn, []).append(row)
    for urn, versions in given.items():
        known = history.pop(urn, [])
        if len(versions) > 1:
            _take_whole_history(plan, versions, known)
        elif known:
            _take_current(plan, versions[0], known, change_date, correct)
        else:
            if stored and not correct:
                _begin(versions[0], change_date)
            plan.new.append(versions[0])
    for gone in history.values():
        if correct and gone[-1].valid_to is None:
            plan.deleted.append(gone[-1])  # only the older parser saw it there; it never was law
        else:
            _end(plan, gone, change_date)
    return plan


def _begin(row: NodeRow, change_date: date) -> None:
    """A node that an earlier edition of the document did not have came with the change, unless the source dates it."""
    if row.valid_from is None and (row.valid_to is None or row.valid_to > change_date):
        row.valid_from = change_date


def _take_whole_history(plan: VersionPlan, given: list[NodeRow], known: list[StoredVersion]) -> None:
    """A source with several versions of one node is the authority on all of them."""
    left = {(one.valid_from, one.valid_to, one.source_hash): one for one in known}
    for row in given:
        same = left.pop((row.valid_from, row.valid_to, row.source_hash), None)
        if same is None:
            plan.new.append(row)
        else:
            plan.kept.append((row, same))
    plan.deleted.extend(left.values())


def _take_current(
    plan: VersionPlan, row: NodeRow, known: list[StoredVersion], change_date: date, correct: bool
) -> None:
    last = known[-1]
    if last.source_hash == row.source_hash and _goes_on(row, last, change_date):
        row.valid_from = _earliest_start(row, known)
        plan.kept.append((row, last))
        return
    start = row.valid_from if row.valid_from is not None and _after(row.valid_from, last.valid_from) else change_date
    speaks_of_last = row.valid_from is not None and row.valid_from == last.valid_from
    if correct or speaks_of_last or (row.valid_to is not None and row.valid_to <= start):
        row.valid_from = _earliest_start(row, known)
        plan.deleted.append(last)
    else:
        row.valid_from = start
        _end(plan, known, start)
    plan.new.append(row)


def _goes_on(row: NodeRow, last: StoredVersion, change_date: date) -> bool:
    """Whether words that are the same are the same version: it has not ended, or the source repeats its end."""
    if last.valid_to is None or last.valid_to == row.valid_to:
        return True
    return last.valid_to > change_date and not (row.valid_from is not None and row.valid_from >= last.valid_to)


def _earliest_start(row: NodeRow, known: list[StoredVersion]) -> date | None:
    """When the words of the last version began: what was known before stays true, an earlier date is better news."""
    last = known[-1]
    if row.valid_from is None or last.valid_from is None or row.valid_from >= last.valid_from:
        return last.valid_from
    before = known[-2].valid_to if len(known) > 1 else row.valid_from
    return row.valid_from if before is not None and before <= row.valid_from else last.valid_from


def _end(plan: VersionPlan, known: list[StoredVersion], day: date) -> None:
    """Let nothing of a node be in force from a day on; versions that would only begin then never do."""
    for version in reversed(known):
        if version.valid_from is not None and version.valid_from >= day:
            plan.deleted.append(version)
            continue
        if version.valid_to is None or version.valid_to > day:
            plan.closed.append((version, day))
        return


def _after(later: date, earlier: date | None) -> bool:
    return earlier is None or later > earlier
