"""What an edition of a document changes in the store: which versions stay, are redated, go or begin. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date

from rag.ingest.writing.editions import UNKNOWN_DAY, Dating, History, Key, Showing, Shown, Span, merged
from rag.ingest.writing.rows import NodeRow


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
    kind: str = ""
    subtree_ids: list[int] = field(default_factory=list[int])
    line_terms: list[int] = field(default_factory=list[int])
    scope_ids: list[int] = field(default_factory=list[int])
    context_ids: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class VersionPlan:
    """What to write. Rows carry their validity in `valid_from` and `valid_to`.

    `kept` pairs rows of the edition with the versions that hold their words, where no later edition shows these too;
    `redated` are other versions whose validity changes; `copied` are stored words that hold once more, at another time.
    """

    new: list[NodeRow] = field(default_factory=list[NodeRow])
    kept: list[tuple[NodeRow, StoredVersion]] = field(default_factory=list[tuple[NodeRow, StoredVersion]])
    redated: list[tuple[StoredVersion, Span]] = field(default_factory=list[tuple[StoredVersion, Span]])
    copied: list[tuple[StoredVersion, Span]] = field(default_factory=list[tuple[StoredVersion, Span]])
    deleted: list[StoredVersion] = field(default_factory=list[StoredVersion])
    used_terms: list[tuple[StoredVersion, list[int]]] = field(default_factory=list[tuple[StoredVersion, list[int]]])
    unplaced: list[str] = field(default_factory=list[str])  # URNs with words of which nothing says when they began
    missing: list[str] = field(default_factory=list[str])  # URNs with words in force that only an edition's file has
    following: Key | None = None  # the edition after this one
    timelines: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])  # empty for a first edition
    changed: list[str] = field(default_factory=list[str])  # URNs whose history changed


def shown_by_urn(rows: list[NodeRow]) -> dict[str, Shown]:
    """What the edition of these rows shows of each node."""
    found: dict[str, list[Showing]] = {}
    for row in rows:
        found.setdefault(row.node.urn, []).append(Showing(row.source_hash, row.valid_from, row.valid_to))
    return {urn: merged(showings) for urn, showings in found.items()}


def plan_versions(
    rows: list[NodeRow], stored: list[StoredVersion], history: History, key: Key, dating: Dating
) -> VersionPlan:
    """Put an edition into its document's history, and compare what is then in force with the store.

    Args:
        rows: all rows of the edition.
        stored: all stored versions of the document.
        history: what the editions in the store show; this one is added to it.
        key: the edition's. One with the same key gives way: its file or its parser was corrected.
        dating: what its day rests on.

    Returns:
        The plan.
    """
    plan = VersionPlan()
    plan.following, plan.changed = history.add(key, dating, shown_by_urn(rows))
    known: dict[str, list[StoredVersion]] = {}
    for version in stored:
        known.setdefault(version.urn, []).append(version)
    given = {(row.node.urn, row.source_hash): row for row in rows}
    is_first = not stored and len(history.editions) == 1
    for urn in dict.fromkeys([*(row.node.urn for row in rows), *known, *plan.changed]):
        row = _only_row(given, urn, history) if is_first else None
        if row is not None:
            plan.new.append(_told(row, UNKNOWN_DAY if dating == "nodes" else key.day))
        else:
            _plan_node(plan, urn, known.get(urn, []), given, history, key)
    return plan


def _only_row(given: dict[tuple[str, str], NodeRow], urn: str, history: History) -> NodeRow | None:
    """The row of a node that the first edition shows once, with dates that stand for themselves.

    Its timeline is that row, so that most nodes of a new document need not be compared with anything.
    """
    shown = history.steps[urn][0].shown
    row = given.get((urn, shown[0].source_hash)) if len(shown) == 1 else None
    if row is None or (row.valid_from, row.valid_to) != (shown[0].valid_from, shown[0].valid_to):
        return None
    return None if row.valid_from == UNKNOWN_DAY or row.valid_to == date.max else row


def _told(row: NodeRow, day: date) -> NodeRow:
    """A row that is all of its node's timeline, with what its bounds rest on."""
    if row.valid_from is not None:
        row.from_basis = "stated"
    elif day > UNKNOWN_DAY and (row.valid_to is None or day < row.valid_to):
        row.uncertain = ((None, day),)
    elif day > UNKNOWN_DAY:
        row.uncertain = ((None, row.valid_to),)
    row.to_basis = "unknown" if row.valid_to is None else "stated"
    return row


def _plan_node(
    plan: VersionPlan,
    urn: str,
    known: list[StoredVersion],
    given: dict[tuple[str, str], NodeRow],
    history: History,
    key: Key,
) -> None:
    spans = plan.timelines[urn] = history.timeline(urn)
    pairs = list(_matched(spans, known))
    kept = {version.id: version for _, version in pairs if version is not None}
    plan.deleted.extend(version for version in known if version.id not in kept)
    for span, version in pairs:
        row = given.get((urn, span.source_hash))
        origin = next((version for version in kept.values() if version.source_hash == span.source_hash), None)
        if version is not None:
            _keep(plan, span, version, row, history, key)
        elif row is not None:
            plan.new.append(_dated(row, span))
        elif origin is not None:
            plan.copied.append((origin, span))
        else:
            plan.missing.append(urn)
    if history.unplaced(urn) - {span.source_hash for span in spans}:
        plan.unplaced.append(urn)


def _keep(
    plan: VersionPlan, span: Span, version: StoredVersion, row: NodeRow | None, history: History, key: Key
) -> None:
    """A version that stays. Its place is that of the last edition that shows it, its terms are those of all."""
    terms = version.used_terms
    if row is not None:
        others = terms if history.shown_elsewhere(version.urn, span.source_hash, key) else []
        terms = sorted({*others, *row.used_terms})
        if span.last == key:
            plan.kept.append((replace(_dated(row, span), used_terms=terms), version))
            return
    if (version.valid_from, version.valid_to) != (span.valid_from, span.valid_to):
        plan.redated.append((version, span))
    if terms != version.used_terms:
        plan.used_terms.append((version, terms))


def _dated(row: NodeRow, span: Span) -> NodeRow:
    return replace(
        row, valid_from=span.valid_from, valid_to=span.valid_to, from_basis=span.from_basis, to_basis=span.to_basis,
        uncertain=span.uncertain,
    )  # fmt: skip


def _matched(spans: list[Span], known: list[StoredVersion]) -> Iterator[tuple[Span, StoredVersion | None]]:
    """Each span with a stored version that has its words at a time they share."""
    free = list(known)
    for span in spans:
        found = next(
            (version for version in free if version.source_hash == span.source_hash and _meet(span, version)), None
        )
        if found is not None:
            free.remove(found)
        yield span, found


def _meet(span: Span, version: StoredVersion) -> bool:
    return not (_before(span.valid_to, version.valid_from) or _before(version.valid_to, span.valid_from))


def _before(end: date | None, start: date | None) -> bool:
    return end is not None and start is not None and end <= start
