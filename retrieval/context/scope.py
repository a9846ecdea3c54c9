"""What becomes of the material of one scoped context on its way to blocks. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from retrieval.context.blocks import RANK, BlockDraft, Surroundings, surroundings
from retrieval.context.choice import Choice
from retrieval.context.material import Material
from retrieval.context.shadowing import DefinitionVersion
from retrieval.model import ContextWarning, DefinitionInScope, Omitted, trusted
from retrieval.nodes import ContextNode

REFERENCED = "referenced"  # the relation of an entry that governs only because a definition in scope points to it


@dataclass(slots=True)
class DefinitionDraft:
    """A definition on its way into the context, with all the rules that it applies to so far."""

    definition: DefinitionVersion
    shadows: list[str]
    applies_to: list[str]
    depth: int


@dataclass(slots=True)
class Scope:
    """What was made of the material so far."""

    material: Material
    drafts: dict[str, BlockDraft] = field(default_factory=dict[str, BlockDraft])  # by URN
    warnings: list[ContextWarning] = field(default_factory=list[ContextWarning])
    omitted: list[Omitted] = field(default_factory=list[Omitted])
    _definitions: dict[tuple[str, str, str], DefinitionDraft] = field(
        default_factory=dict[tuple[str, str, str], DefinitionDraft]
    )  # by term, URN and scope
    _surroundings: dict[tuple[str | int, ...], Surroundings] = field(
        default_factory=dict[tuple[str | int, ...], Surroundings]
    )  # by the nodes above, which siblings have in common

    def put(self, node: ContextNode, role: str, rule: str, reason: str, priority: int, group: str) -> None:
        """Give a node a block, or let the one it has apply to one more rule.

        Blocks of one group, such as a definition and its paragraphs, stay or go together.
        """
        draft = self.drafts.get(node.urn)
        if draft is None:
            draft = self.drafts[node.urn] = self._around(node).draft(node, role, reason, priority, group)
            draft.applies_to.append(rule)
            return
        if role != draft.role and RANK[role] < RANK[draft.role]:
            old = draft
            draft = self.drafts[node.urn] = self._around(node).draft(node, role, reason, priority, group)
            draft.applies_to, draft.priority, draft.group = old.applies_to, old.priority, old.group
        if priority < draft.priority:
            draft.priority, draft.group = priority, group
        if rule not in draft.applies_to:
            draft.applies_to.append(rule)

    def _around(self, node: ContextNode) -> Surroundings:
        key = (node.jurisdiction, *node.ancestor_ids[:-1])
        found = self._surroundings.get(key)
        if found is None:
            found = self._surroundings[key] = surroundings(self.material.above(node))
        return found

    def define(self, choice: Choice) -> None:
        """Note that a choice's definitions apply to the node that uses their term."""
        shadows = [one.urn for one in choice.binding.shadowed]
        for one in choice.binding.kept:
            self._note(one, shadows, choice.user.urn, choice.depth)

    def follow(self, choice: Choice, definition: DefinitionVersion, urn: str) -> None:
        """Note that a definition which only points elsewhere leads to the entry at a URN, one step and no further."""
        self._note(definition._replace(urn=urn, relation=REFERENCED), [], choice.user.urn, choice.depth + 1)

    def _note(self, one: DefinitionVersion, shadows: list[str], user: str, depth: int) -> None:
        key = (one.term.lower(), one.urn, one.scope_urn)
        known = self._definitions.get(key)
        if known is None:
            self._definitions[key] = DefinitionDraft(one, shadows, [user], depth)
            return
        known.depth = min(known.depth, depth)
        if user not in known.applies_to:
            known.applies_to.append(user)

    def definitions(self, shown: set[str]) -> list[DefinitionInScope]:
        """One entry per term, definition and scope, of definitions that have one of these URNs."""
        found = [(key, draft) for key, draft in self._definitions.items() if key[1] in shown]
        found.sort(key=lambda pair: (pair[1].depth, *pair[0]))
        return [
            trusted(DefinitionInScope, {
                "term": one.definition.term, "urn": one.definition.urn, "scope_urn": one.definition.scope_urn,
                "applies_to": one.applies_to, "shadows": [*one.shadows], "relation": one.definition.relation,
                "inferred": one.definition.inferred, "phrase": one.definition.phrase, "depth": one.depth,
            })
            for _, one in found
        ]  # fmt: skip
