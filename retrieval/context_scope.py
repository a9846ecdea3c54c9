"""What the look-ups of one scoped context gather before it becomes blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from retrieval.context_blocks import BlockDraft, draft_block
from retrieval.model import ContextWarning, DefinitionInScope, Omitted
from retrieval.nodes import Connection, NodeVersion, nodes_by_ids

Key = tuple[str, int]  # jurisdiction, node id


@dataclass(slots=True)
class Scope:
    """What the look-ups gathered, before it becomes blocks."""

    at_date: date
    nodes: dict[Key, NodeVersion] = field(default_factory=dict[Key, NodeVersion])
    drafts: dict[str, BlockDraft] = field(default_factory=dict[str, BlockDraft])  # by URN
    definitions: list[DefinitionInScope] = field(default_factory=list[DefinitionInScope])
    warnings: list[ContextWarning] = field(default_factory=list[ContextWarning])
    omitted: list[Omitted] = field(default_factory=list[Omitted])

    def chain(self, node: NodeVersion) -> list[NodeVersion]:
        """The node's ancestors in force, root first, and itself."""
        keys = ((node.jurisdiction, one) for one in node.ancestor_ids)
        return [self.nodes[key] for key in keys if key in self.nodes]

    def add(self, nodes: Iterable[NodeVersion]) -> None:
        """Make nodes known."""
        for node in nodes:
            self.nodes[(node.jurisdiction, node.node_id)] = node

    def know(self, conn: Connection, nodes: Iterable[NodeVersion]) -> None:
        """Make nodes and all their ancestors known; one look-up for what is not known yet."""
        nodes = list(nodes)
        self.add(nodes)
        above = {(node.jurisdiction, one) for node in nodes for one in node.ancestor_ids}
        self.add(nodes_by_ids(conn, above - self.nodes.keys(), self.at_date))

    def put(self, node: NodeVersion, role: str, rule: str, reason: str, priority: int, group: str) -> None:
        """Give a node a block, or let the one it has apply to one more rule.

        Blocks of one group, such as a definition and its paragraphs, stay or go together.
        """
        draft = self.drafts.get(node.urn)
        if draft is None or draft.rank(role) < draft.rank(draft.role):
            old = draft
            draft = draft_block(node, self.chain(node), role, reason, priority, group)
            if old is not None:
                draft.applies_to, draft.priority, draft.group = old.applies_to, old.priority, old.group
            self.drafts[node.urn] = draft
        if priority < draft.priority:
            draft.priority, draft.group = priority, group
        if rule not in draft.applies_to:
            draft.applies_to.append(rule)
