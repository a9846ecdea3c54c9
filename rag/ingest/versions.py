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
        correct: the source is the same and only the parser is newer, so changes are corrections, not amendments.

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
            _take_current(plan, versions[0], known[-1], change_date, correct)
        else:
            plan.new.append(versions[0])
    for gone in history.values():
        _end(plan, gone[-1], change_date)
    return plan


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


def _take_current(plan: VersionPlan, row: NodeRow, last: StoredVersion, change_date: date, correct: bool) -> None:
    same_words = last.source_hash == row.source_hash
    if same_words and (last.valid_to is None or last.valid_to == row.valid_to):
        # The words stood before as they stand now; an earlier known start stays true.
        row.valid_from = last.valid_from
        plan.kept.append((row, last))
        return
    if correct or (row.valid_from is not None and row.valid_from == last.valid_from):
        row.valid_from = last.valid_from
        plan.deleted.append(last)
        plan.new.append(row)
        return
    dated = row.valid_from is not None and _after(row.valid_from, last.valid_from)
    start = row.valid_from if dated and row.valid_from is not None else change_date
    if last.valid_to is not None and last.valid_to > start:
        start = last.valid_to
    if not _after(start, last.valid_from) or (row.valid_to is not None and row.valid_to <= start):
        row.valid_from = last.valid_from
        plan.deleted.append(last)
    else:
        row.valid_from = start
        if last.valid_to is None or last.valid_to > start:
            plan.closed.append((last, start))
    plan.new.append(row)


def _end(plan: VersionPlan, last: StoredVersion, change_date: date) -> None:
    if last.valid_to is not None and last.valid_to <= change_date:
        return
    if _after(change_date, last.valid_from):
        plan.closed.append((last, change_date))
    else:
        plan.deleted.append(last)


def _after(later: date | None, earlier: date | None) -> bool:
    return later is not None and (earlier is None or later > earlier)
