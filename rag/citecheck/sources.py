"""The law that a text's quotes and claims are compared with: read when it is asked for, each provision once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice

from rag.answering.synthesis import evidence_of
from rag.citecheck.compare import Passage, find_in
from rag.citecheck.deadline import NO_DEADLINE, Deadline
from rag.citecheck.words import Element
from rag.law.nodes import CITING_TYPES
from rag.store.database import Connection
from rag.verification.model import Evidence
from retrieval.context.compose import assemble
from retrieval.entry_points.legs import find_entry_points
from retrieval.entry_points.lexical import Filters
from retrieval.model import ScopedContext
from retrieval.nodes import NodeVersion, document_order, nodes_by_ids, stored_jurisdictions, subtrees

CONTAINERS = frozenset({"ROOT", "TITLE", "PART", "CHAPTER"})
_BUDGET_TOKENS = 1_000_000  # the rule and its surroundings whole: nothing that a text may quote is left out
_MAX_SEARCHES = 40  # searches of the whole store for words that are not where the text says
_MAX_STATEMENTS = 200  # and for statements that their provision does not speak of
_CANDIDATES = 10
_GROUP = 32  # provisions that are read together


@dataclass(frozen=True, slots=True, eq=False)
class Provision:
    """One provision as texts are compared with it.

    `own` holds its words and those of its parts, `around` those of the whole section it lies in, which is `section`.
    `struck` are URNs whose text an override takes away.
    """

    rule: NodeVersion
    section: NodeVersion
    context: ScopedContext
    evidence: Evidence
    own: Passage
    around: Passage
    struck: frozenset[str]
    headings: tuple[tuple[str, str], ...]  # URN and heading of the rule, its parts and what contains it


@dataclass(frozen=True, slots=True)
class Section:
    """A provision of the store that search found: its words with those of its parts, and their headings."""

    rule: NodeVersion
    words: Passage
    headings: str


class Sources:
    """Provisions and searches in one snapshot.

    Args:
        at_date: of searches; provisions come in the version that was resolved.
        expected: the versions that will be asked for and their dates, in that order; they are read in groups.
        deadline: looked at before anything is read from the store.
    """

    def __init__(
        self,
        conn: Connection,
        at_date: date,
        expected: Sequence[tuple[NodeVersion, date]] = (),
        deadline: Deadline = NO_DEADLINE,
    ) -> None:
        self._conn = conn
        self._deadline = deadline
        self._expected = {_key(*pair): pair for pair in expected if pair[0].structure_type not in CONTAINERS}
        self._at_date = at_date
        self._jurisdictions = stored_jurisdictions(conn)
        self._known: dict[tuple[str, int, date], Provision] = {}
        self._read: dict[tuple[str, int, date], tuple[Sequence[NodeVersion], Sequence[NodeVersion]]] = {}
        self._searched = self._looked_for = 0

    @property
    def searches_left(self) -> int:
        """How many more searches of the whole store are made."""
        return _MAX_SEARCHES - self._searched

    @property
    def statements_left(self) -> int:
        """How many more statements are looked for in the whole store."""
        return _MAX_STATEMENTS - self._looked_for

    def provision(self, rule: NodeVersion, at_date: date) -> Provision | None:
        """A provision with its words; None for a container, which is too much to compare one sentence with.

        Raises:
            DeadlineReached: it was not read yet, and no time is left.
        """
        if rule.structure_type in CONTAINERS:
            return None
        key = _key(rule, at_date)
        if key not in self._known:
            self._deadline.check()
            if key not in self._read:
                waiting = (one for known, one in self._expected.items() if known != key and one[1] == at_date)
                self._load([rule, *(version for version, _ in islice(waiting, _GROUP - 1))], at_date)
            self._known[key] = self._provision(rule, *self._read.pop(key), at_date)
        return self._known[key]

    def _load(self, rules: Sequence[NodeVersion], at_date: date) -> None:
        """Read what contains some rules, and the sections that they lie in."""
        ids = {(rule.jurisdiction, number) for rule in rules for number in rule.ancestor_ids}
        known = {
            (node_version.jurisdiction, node_version.node_id): node_version
            for node_version in nodes_by_ids(self._conn, ids, at_date)
        }
        chains = [[one for id_ in rule.ancestor_ids if (one := known.get((rule.jurisdiction, id_)))] for rule in rules]
        sections = [_section(rule, above) for rule, above in zip(rules, chains, strict=True)]
        within: dict[tuple[str, int], list[NodeVersion]] = {}
        for node in subtrees(self._conn, {(section.jurisdiction, section.path) for section in sections}, at_date):
            for id_ in node.ancestor_ids:
                within.setdefault((node.jurisdiction, id_), []).append(node)
        for rule, above, section in zip(rules, chains, sections, strict=True):
            nodes = document_order(within.get((section.jurisdiction, section.node_id), []))
            self._read[_key(rule, at_date)] = (above, nodes)
            self._expected.pop(_key(rule, at_date), None)

    def _provision(
        self, rule: NodeVersion, above: Sequence[NodeVersion], nodes: Sequence[NodeVersion], at_date: date
    ) -> Provision:
        context = assemble(self._conn, [rule], at_date, jurisdictions=self._jurisdictions, budget_tokens=_BUDGET_TOKENS)
        inside = [node for node in nodes if rule.node_id in node.ancestor_ids]
        return Provision(
            rule=rule,
            section=_section(rule, above),
            context=context,
            evidence=evidence_of(context, rule.language),
            own=_passage(inside or [rule]),
            around=_passage(nodes or [rule]),
            headings=tuple((version.urn, version.heading) for version in (rule, *inside, *above)),
            struck=frozenset(block.urn for block in context.blocks if block.role == "warning"),
        )

    def speaking_of(self, statement: str, rule: NodeVersion) -> tuple[list[Section], dict[str, float]]:
        """The sections that search finds for a statement, best first, and the rarity of its words in that law.

        Args:
            statement: as a question.
            rule: what it cites; its jurisdiction and language are searched.

        Returns:
            Sections other than containers, and word -> inverse document frequency, of words that this law uses.

        Raises:
            DeadlineReached: no time is left.
        """
        self._deadline.check()
        self._looked_for += 1
        filters = Filters((rule.jurisdiction,), rule.language, self._at_date)
        found = find_entry_points(self._conn, statement, filters, mode="keyword", limit=_CANDIDATES)
        rules = [point.rule for point in found.points if point.rule.structure_type not in CONTAINERS]
        nodes = subtrees(self._conn, {(rule.jurisdiction, rule.path) for rule in rules}, self._at_date) if rules else []
        sections = [
            Section(
                rule, _passage(document_order([node for node in nodes if _within(node, rule)])), _headings(nodes, rule)
            )
            for rule in rules
        ]
        return sections, dict(found.rarity or {})

    def elsewhere(self, elements: Sequence[Element], words: str, language: str) -> list[str]:
        """The provisions of the store, other than containers, that have a quotation's words; by search, so not all.

        Args:
            words: the same as a question.

        Raises:
            DeadlineReached: no time is left.
        """
        self._deadline.check()
        self._searched += 1
        filters = Filters(tuple(self._jurisdictions), language, self._at_date)
        points = find_entry_points(self._conn, words, filters, mode="keyword", limit=_CANDIDATES).points
        found: dict[str, None] = {}
        for rule in (point.rule for point in points):
            if rule.structure_type in CONTAINERS:
                continue
            nodes = document_order(subtrees(self._conn, [(rule.jurisdiction, rule.path)], self._at_date))
            passage = _passage(nodes)
            place = find_in(passage, elements)
            if place is not None:
                found[passage.urns[passage.words[place.runs[0].first].node]] = None
        return list(found)


def with_lead_ins(provision: Provision) -> Provision:
    """A provision whose own words include those of the sentences that it continues: `(a)` with what `(4)` begins."""
    rule = provision.rule.urn
    around = zip(provision.around.urns, provision.around.texts, strict=True)
    pieces = [(urn, text) for urn, text in around if _in_line(urn, rule)]
    return replace(provision, own=Passage.of(pieces)) if pieces else provision


def _in_line(urn: str, other: str) -> bool:
    """Whether one of two nodes is the other or contains it."""
    return f"{urn}:".startswith(f"{other}:") or f"{other}:".startswith(f"{urn}:")


def _section(rule: NodeVersion, above: Sequence[NodeVersion]) -> NodeVersion:
    """The section that a rule lies in, or is; the rule itself where nothing above it is cited as one."""
    citing = (node_version for node_version in above if node_version.structure_type in CITING_TYPES)
    return max(citing, key=lambda one: len(one.ancestor_ids), default=rule)


def _within(node: NodeVersion, rule: NodeVersion) -> bool:
    same = node.jurisdiction == rule.jurisdiction
    return same and (node.node_id == rule.node_id or rule.node_id in node.ancestor_ids)


def _headings(nodes: Sequence[NodeVersion], rule: NodeVersion) -> str:
    return " ".join(node.heading for node in nodes if node.heading and _within(node, rule))


def _key(rule: NodeVersion, at_date: date) -> tuple[str, int, date]:
    return rule.jurisdiction, rule.id, at_date


def _passage(nodes: Sequence[NodeVersion]) -> Passage:
    """Nodes with children as the publication has them: their lead-in before the children, the rest after them."""
    pieces: list[tuple[str, str]] = []
    waiting: list[NodeVersion] = []

    def close(until: NodeVersion | None) -> None:
        while waiting and (until is None or waiting[-1].node_id not in until.ancestor_ids):
            parent = waiting.pop()
            pieces.append((parent.urn, parent.content_text))

    for node in nodes:
        close(node)
        if node.after_children is None:
            pieces.append((node.urn, node.text))
        else:
            pieces.append((node.urn, node.intro_text))
            waiting.append(node)
    close(None)
    return Passage.of([piece for piece in pieces if piece[1].strip()])
