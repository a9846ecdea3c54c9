"""What courts and federal law did to a node at a date: patterns against the node and everything above it. Pure but
for one look-up; a look-up that fails raises, and so stops the answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import permutations

from psycopg.rows import class_row

from retrieval.model import HALTING_STATUSES, OverrideNotice
from retrieval.nodes import Connection
from retrieval.paths import JURISDICTION_ALIASES, canonical_urn, pattern_matches, pattern_prefix
from retrieval.queries import QUERIES

# Every code that a corpus may have written for a jurisdiction, beside each other code for the same: patterns and nodes
# need not be spelled alike.
JURISDICTION_SPELLINGS = sorted(
    (code, other)
    for code, other in permutations({*JURISDICTION_ALIASES, *JURISDICTION_ALIASES.values()}, 2)
    if JURISDICTION_ALIASES.get(code, code) == JURISDICTION_ALIASES.get(other, other)
)
_OTHER_CODES: dict[str, list[str]] = {
    code: [other for each, other in JURISDICTION_SPELLINGS if each == code] for code, _ in JURISDICTION_SPELLINGS
}
_ALIASED = tuple(f"urn:lex:{code}" for code in JURISDICTION_ALIASES)  # how a URN that may need another spelling begins


@dataclass(frozen=True, slots=True)
class Override:
    """A court's override in effect at the date."""

    id: int
    urn_pattern: str
    status: str
    severity: str
    court: str
    court_citation: str
    message: str
    effective_from: date | None
    effective_to: date | None

    @property
    def halts(self) -> bool:
        """Whether no answer may rest on what it names."""
        return self.status in HALTING_STATUSES

    def notice(self, urn: str, action: str) -> OverrideNotice:
        """The override as a reader sees it."""
        return OverrideNotice.model_validate({
            "urn": urn, "urn_pattern": self.urn_pattern, "status": self.status, "severity": self.severity,
            "court": self.court, "court_citation": self.court_citation, "message": self.message,
            "effective_from": self.effective_from, "effective_to": self.effective_to, "action": action,
        })  # fmt: skip

    def sentence(self) -> str:
        """The warning that stands where the text was."""
        since = f", effective {self.effective_from.isoformat()}" if self.effective_from else ""
        message = f" {self.message}" if self.message else ""
        return f"{self.status} by {self.court}, {self.court_citation}{since}.{message}"


@dataclass(frozen=True, slots=True)
class Preemption:
    """A federal rule recorded as overlapping a state rule."""

    id: int
    federal_pattern: str
    state_pattern: str
    kind: str
    note: str
    authority: str
    effective_from: date | None
    effective_to: date | None


def look_up_keys(urns: Iterable[str], known: Collection[str] = frozenset()) -> set[str]:
    """All keys under which a pattern that covers one of these URNs can be filed.

    Args:
        urns: of stored nodes.
        known: keys that this made for other URNs; they are left out.

    Returns:
        The URNs, their jurisdictions spelled canonically, and all that they begin with, up to patterns that cover all
        corpora of a jurisdiction, or all jurisdictions.
    """
    keys: set[str] = set()
    for urn in urns:
        key = canonical_urn(urn) if urn.startswith(_ALIASED) else urn
        while key not in keys and key not in known and ":" in key:
            keys.add(key)
            key = key.rpartition(":")[0]
    return keys


def overrides_for(conn: Connection, chains: dict[str, list[str]], at_date: date | None) -> dict[str, list[Override]]:
    """Overrides in effect for each node, looked up for them alone.

    Args:
        chains: node URN -> its own URN and those of all its ancestors.
        at_date: the date; None for what was or will be in effect at any.

    Returns:
        Node URN -> overrides, halting ones first; only nodes that have any.
    """
    keys = sorted(look_up_keys({urn for chain in chains.values() for urn in chain}))
    with conn.cursor(row_factory=class_row(Override)) as cursor:
        rows = cursor.execute(QUERIES["find_overrides"], {"prefixes": keys, "at_date": at_date}).fetchall()
    covering = covering_overrides(rows, (urn for chain in chains.values() for urn in chain))
    return {urn: found for urn, chain in chains.items() if (found := overrides_along(covering, chain))}


def covering_overrides(rows: Iterable[Override], urns: Iterable[str]) -> dict[str, list[Override]]:
    """Which overrides cover which URNs by their patterns. Pure.

    Args:
        rows: overrides in effect at one date.
        urns: of stored nodes.

    Returns:
        URN -> overrides; only URNs that have any.
    """
    known = set(urns)
    found: dict[str, list[Override]] = {}
    for row in rows:
        # Most of the URNs fail by this, which costs a tenth of taking the pattern apart.
        prefixes = spellings(pattern_prefix(row.urn_pattern))
        for urn in known:
            if urn.startswith(prefixes) and covers(row.urn_pattern, urn):
                found.setdefault(urn, []).append(row)
    return found


def overrides_along(covering: Mapping[str, Sequence[Override]], chain: Iterable[str]) -> list[Override]:
    """The overrides of a node, halting ones first, given which cover each URN of it and of its ancestors. Pure."""
    found = {override.id: override for urn in chain for override in covering.get(urn, ())}
    return sorted(found.values(), key=_override_order)


def matching_preemptions(rows: Iterable[Preemption], line: Iterable[str]) -> list[Preemption]:
    """Of preemptions in effect at one date, those that cover one of these URNs, in order. Pure."""
    urns = list(line)
    return sorted((row for row in rows if any(covers(row.state_pattern, urn) for urn in urns)), key=_preemption_order)


# By what they say and not by number: two stores that were told the same in another order answer the same.
def _override_order(law: Override) -> tuple[object, ...]:
    dates = (law.effective_from or date.min, law.effective_to or date.max)
    return (not law.halts, law.urn_pattern, law.status, law.severity, law.court, law.court_citation, law.message, dates)


def _preemption_order(law: Preemption) -> tuple[object, ...]:
    dates = (law.effective_from or date.min, law.effective_to or date.max)
    return law.federal_pattern, law.state_pattern, law.kind, law.note, law.authority, dates


def covers(pattern: str, urn: str) -> bool:
    """Whether a pattern covers a URN in any of its spellings."""
    return any(pattern_matches(pattern, spelling) for spelling in spellings(urn))


def spellings(urn: str) -> tuple[str, ...]:
    """All spellings of a stored URN, or of the beginning of one, as corpora and patterns may have it."""
    parts = urn.split(":", 3)
    others = _OTHER_CODES.get(parts[2], ()) if len(parts) > 2 else ()
    return (urn, *(":".join([*parts[:2], code, *parts[3:]]) for code in others))
