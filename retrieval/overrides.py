"""What courts and federal law did to a node at a date: patterns against the node and everything above it. Pure but
for the two look-ups; a look-up that fails raises, and so stops the answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from psycopg.rows import class_row

from retrieval.model import HALTING_STATUSES, OverrideNotice
from retrieval.nodes import Connection
from retrieval.paths import parse_urn, pattern_matches, urn_spellings
from retrieval.queries import QUERIES


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


def look_up_keys(urns: Iterable[str]) -> list[str]:
    """All keys under which a pattern that covers one of these URNs can be filed."""
    keys: set[str] = set()
    for urn in urns:
        for spelling in urn_spellings(parse_urn(urn)):
            keys.update(parse_urn(spelling).prefixes)
            keys.add(spelling.rpartition(":")[0])
    # Patterns may cover all corpora of a jurisdiction, or all jurisdictions.
    keys.update(":".join(key.split(":")[:3]) for key in list(keys))
    keys.add("urn:lex")
    return sorted(keys)


def overrides_for(conn: Connection, chains: dict[str, list[str]], at_date: date) -> dict[str, list[Override]]:
    """Overrides in effect for each node.

    Args:
        conn: a read connection.
        chains: node URN -> its own URN and those of all its ancestors.
        at_date: the date.

    Returns:
        Node URN -> overrides, halting ones first; only nodes that have any.
    """
    keys = look_up_keys({urn for chain in chains.values() for urn in chain})
    with conn.cursor(row_factory=class_row(Override)) as cursor:
        rows = cursor.execute(QUERIES["find_overrides"], {"prefixes": keys, "at_date": at_date}).fetchall()
    found: dict[str, list[Override]] = {}
    for urn, chain in chains.items():
        hits = [row for row in rows if any(covers(row.urn_pattern, one) for one in chain)]
        if hits:
            found[urn] = sorted(hits, key=_override_order)
    return found


def preemptions_for(conn: Connection, chain: list[str], at_date: date) -> list[Preemption]:
    """Federal rules that overlap a rule, given the URNs of the rule and its ancestors."""
    values = {"prefixes": look_up_keys(chain), "at_date": at_date}
    with conn.cursor(row_factory=class_row(Preemption)) as cursor:
        rows = cursor.execute(QUERIES["find_preemption"], values).fetchall()
    return sorted((row for row in rows if any(covers(row.state_pattern, one) for one in chain)), key=_preemption_order)


# By what they say and not by number: two stores that were told the same in another order answer the same.
def _override_order(one: Override) -> tuple[object, ...]:
    dates = (one.effective_from or date.min, one.effective_to or date.max)
    return (not one.halts, one.urn_pattern, one.status, one.severity, one.court, one.court_citation, one.message, dates)


def _preemption_order(one: Preemption) -> tuple[object, ...]:
    dates = (one.effective_from or date.min, one.effective_to or date.max)
    return one.federal_pattern, one.state_pattern, one.kind, one.note, one.authority, dates


def covers(pattern: str, urn: str) -> bool:
    """Whether a pattern covers a URN in any of its spellings."""
    return any(pattern_matches(pattern, spelling) for spelling in urn_spellings(parse_urn(urn)))
