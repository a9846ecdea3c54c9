"""What the look-ups of a scoped context bring: nodes, definitions, edges, overrides and preemptions. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from retrieval.context.blocks import ends_sentence
from retrieval.context.choice import Choice, Definitions, choose
from retrieval.context.overrides import Override, Preemption, covering_overrides, spellings
from retrieval.context.shadowing import DefinitionVersion
from retrieval.nodes import ContextNode, Key

# Edges by what they do to the rule: it yields to the target; where its power comes from; the source prevails over it.
YIELDS_TO = ("subject_to",)
AUTHORITY = ("enabled_by",)
# What the rule prevails over by its own words is told by name alone.
TOLD_BY_NAME = ("notwithstanding",)
# Of these, the source says to whom or what a law or a part of it applies or does not apply.
APPLIES = ("applies", "confines")
REACH = (*APPLIES, "disapplies")
# (`excepts` and `confines` are what `limits` and `applies` were called; files and law ingested before have them.)
LIMITS = ("limits", "excepts")
PREVAILS = ("notwithstanding", *LIMITS)
PREVAILS_OVER = (*PREVAILS, *REACH)
# The source mentions the rule in words that may limit it, and nothing says for certain that it does: a learned reader
# of the program thinks so, or a language model, which the edge names.
MAY_LIMIT = "may_limit"
LIMITS_RULES = (*YIELDS_TO, *PREVAILS_OVER, MAY_LIMIT)  # what brings exceptions, and what may be some
# The source seems to say what words mean (the reference), and no definition was read of it.
MAY_DEFINE = "may_define"
# Language models have read the law of the source, its root; the reference says where only in part.
READ_BY = "read_by"
IN_PART = "in part"


# The last segment of a part without a number of its own: `al.4`, the fourth alinéa.
_BY_PLACE = re.compile(r":[a-z]+\.\d+\Z")


class EdgeRow(NamedTuple):
    """A relation between nodes; `target_id` is None where the target is not in the store."""

    outward: bool  # it starts at the rule, a part of it or what contains it; else it ends there
    jurisdiction: str
    source_id: int
    kind: str
    reference: str
    target_jurisdiction: str
    target_urn: str
    target_id: int | None
    end_ids: Sequence[int] | None  # what is shown of the end elsewhere, by node id; None where it is not in force
    model: str  # the language model that read it; empty where code did
    unshared: str  # the language model that read its source and did not have what code guesses; else empty

    @property
    def source(self) -> Key:
        """The node whose words make the relation."""
        return self.jurisdiction, self.source_id

    @property
    def target(self) -> Key | None:
        """The node they name; None where it is not in the store."""
        return None if self.target_id is None else (self.target_jurisdiction, self.target_id)

    @property
    def end(self) -> Key | None:
        """The node elsewhere; None where it is not in the store."""
        return self.target if self.outward else self.source

    @property
    def by_name(self) -> bool:
        """Whether the rule prevails over the other end, of which no words are shown."""
        return self.outward and self.kind in TOLD_BY_NAME

    @property
    def shown_ids(self) -> Sequence[int]:
        """`end_ids` without the parts of what is told by name."""
        ids = self.end_ids or ()
        return ids[: ids.index(self.target_id) + 1] if ids and self.by_name and self.target_id is not None else ids


@dataclass(slots=True)
class Material:
    """Everything that the store says about some rules at a date."""

    at_date: date
    rules: Sequence[ContextNode] = ()  # first-ranked first
    nodes: dict[Key, ContextNode] = field(default_factory=dict[Key, ContextNode])
    below: dict[Key, list[ContextNode]] = field(default_factory=dict[Key, list[ContextNode]])  # whole subtrees, by root
    trees: dict[str, list[ContextNode]] = field(default_factory=dict[str, list[ContextNode]])  # by rule; document order
    named: dict[str, list[ContextNode]] = field(default_factory=dict[str, list[ContextNode]])  # by URN or former URN
    entries: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])  # terms and nodes that `named` define
    definitions: list[DefinitionVersion] = field(default_factory=list[DefinitionVersion])
    meanings: dict[int, list[ContextNode]] = field(default_factory=dict[int, list[ContextNode]])  # by definition's id
    void: set[int] = field(default_factory=set[int])  # ids of definitions that courts struck down
    choices: dict[str, list[Choice]] = field(default_factory=dict[str, list[Choice]])  # by rule
    edges: list[EdgeRow] = field(default_factory=list[EdgeRow])
    elsewhere: dict[Key, list[str]] = field(default_factory=dict[Key, list[str]])  # what nodes cite and no store has
    overrides: dict[int, Override] = field(default_factory=dict[int, Override])
    preemptions: dict[int, Preemption] = field(default_factory=dict[int, Preemption])
    _above: dict[tuple[str | int, ...], list[ContextNode]] = field(
        default_factory=dict[tuple[str | int, ...], list[ContextNode]]
    )  # what siblings have in common
    _parts: dict[tuple[str | int, ...], list[ContextNode]] = field(
        default_factory=dict[tuple[str | int, ...], list[ContextNode]]
    )  # by what they are parts of, in their order; empty until they are needed

    def add(self, nodes: Iterable[ContextNode]) -> None:
        """Take in nodes that were read."""
        self.nodes.update(((node.jurisdiction, node.node_id), node) for node in nodes)
        self._above.clear()
        self._parts.clear()
        self.meanings.clear()

    def chain(self, node: ContextNode) -> list[ContextNode]:
        """The node's ancestors in force, root first, and itself."""
        own = self.nodes.get((node.jurisdiction, node.node_id))
        above = self.above(node)
        return above if own is None else [*above, own]

    def above(self, node: ContextNode) -> list[ContextNode]:
        """The node's ancestors in force, root first."""
        jurisdiction, ids = node.jurisdiction, node.ancestor_ids[:-1]
        siblings = (jurisdiction, *ids)
        found = self._above.get(siblings)
        if found is None:
            keys = [(jurisdiction, id_) for id_ in ids]
            found = self._above[siblings] = [self.nodes[key] for key in keys if key in self.nodes]
        return found

    def follows_its_list(self, node: ContextNode) -> bool:
        """Whether a node begins a sentence after a list, and does not continue what opens the list.

        It is called by its place (`al.4`), and the parts before it by what they are numbered with (`1`, `2`), the last
        of which ends its sentence. Of parts that the context does not need nothing is known.
        """
        if _BY_PLACE.search(node.urn) is None or node.text[:1].islower():
            return False
        beside = self._parts_of((node.jurisdiction, *node.ancestor_ids[:-1]))
        place = bisect_left(beside, node.ordinal, key=lambda part: part.ordinal)
        if not place or _BY_PLACE.search(beside[0].urn):
            return False
        last = beside[place - 1]
        while not last.content_text and (parts := self._parts_of((last.jurisdiction, *last.ancestor_ids))):
            last = parts[-1]
        return ends_sentence(last)

    def _parts_of(self, line: tuple[str | int, ...]) -> list[ContextNode]:
        """The nodes right below the one at the end of a line, in their order."""
        if not self._parts:
            for node in sorted(self.nodes.values(), key=lambda node: node.ordinal):
                self._parts.setdefault((node.jurisdiction, *node.ancestor_ids[:-1]), []).append(node)
        return self._parts.get(line, [])

    def versions(self, urn: str) -> list[ContextNode]:
        """The versions in force of the nodes that trip 2 was asked for under a URN, whatever its spelling."""
        found = {node.id: node for spelling in spellings(urn) for node in self.named.get(spelling, ())}
        return list(found.values())

    def list_below(self, key: Key, ids: Sequence[int]) -> None:
        """List the nodes below one, itself included, that is known to have no other parts than these.

        Args:
            ids: node ids of itself, its parts and perhaps more, over all versions.
        """
        if key in self.below:
            return
        nodes = self.nodes
        if len(ids) == 1:  # itself
            self.below[key] = [nodes[key]] if key in nodes else []
            return
        jurisdiction, root = key
        found = [nodes.get((jurisdiction, id_)) for id_ in ids]
        self.below[key] = [node for node in found if node is not None and root in node.ancestor_ids]

    def meaning(self, definition: DefinitionVersion) -> list[ContextNode]:
        """The nodes in force that a definition's words are: its node with its parts, but for those that are apart."""
        known = self.meanings.get(definition.id)
        if known is None:
            jurisdiction, root = definition.jurisdiction, definition.node_id
            found = [self.nodes.get((jurisdiction, id_)) for id_ in definition.subtree_ids]
            known = [node for node in found if node is not None and root in node.ancestor_ids]
            self.meanings[definition.id] = known
        return known

    def index_subtrees(self, roots: Iterable[Key]) -> None:
        """List the nodes below each of these, whose parts nothing names."""
        wanted = {key for key in roots if key not in self.below}
        for (jurisdiction, _), node in self.nodes.items() if wanted else ():
            for id_ in node.ancestor_ids:
                if (jurisdiction, id_) in wanted:
                    self.below.setdefault((jurisdiction, id_), []).append(node)

    def choose(self) -> None:
        """Choose the definitions that each rule's words need."""
        definitions = Definitions(self.definitions, self.void)
        self.choices = {
            rule.urn: choose(rule, self.chain(rule), self.trees[rule.urn], definitions) for rule in self.rules
        }  # fmt: skip

    def kept(self) -> list[DefinitionVersion]:
        """The definitions that were chosen for words that use them, each once; what courts struck down is no choice."""
        choices = (choice for found in self.choices.values() for choice in found if choice.used)
        return list({definition.id: definition for choice in choices for definition in choice.binding.kept}.values())

    def strike(self) -> bool:
        """Leave out of the choice what halting overrides cover, and choose anew.

        Returns:
            Whether there was any such definition among those chosen.
        """
        if not any(override.halts for override in self.overrides.values()):
            return False
        chosen = [
            definition for found in self.choices.values() for choice in found for definition in choice.binding.kept
        ]
        struck = {definition.id for definition in chosen if self._is_struck(definition)}
        if struck:
            self.void |= struck
            self.choose()
        return bool(struck)

    def _is_struck(self, definition: DefinitionVersion) -> bool:
        node = self.nodes.get((definition.jurisdiction, definition.node_id))
        if node is None:
            return False
        halting = [override for override in self.overrides.values() if override.halts]
        return bool(covering_overrides(halting, (above.urn for above in self.chain(node))))
