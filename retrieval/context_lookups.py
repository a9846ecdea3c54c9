"""The two round trips of a scoped context, and everything they bring. The rest of C(R) is pure.

    trip 1, keyed by the rules:       what contains them and their parts; definitions in scope of terms that they can
                                      need; edges in both directions
    trip 2, keyed by what that names: the texts of definitions, exceptions and federal rules with what contains them;
                                      what courts say of all of these, and federal law of the rules

Each trip is one pipeline, whatever the number of rules; both read the caller's one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from retrieval.context_choice import Choice, Definitions, choose
from retrieval.nodes import NODE_COLUMNS, Connection, Key, NodeVersion, document_order, id_array, name_array, record_row
from retrieval.overrides import JURISDICTION_SPELLINGS, Override, Preemption, look_up_keys, spellings
from retrieval.queries import QUERIES
from retrieval.shadowing import DefinitionVersion

# Edges by what they do to the rule: it yields to the target; where its power comes from; the source prevails over it.
YIELDS_TO = ("subject_to",)
AUTHORITY = ("enabled_by",)
PREVAILS_OVER = ("notwithstanding", "disapplies", "excepts")


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

    @property
    def source(self) -> Key:
        """The node whose words make the relation."""
        return self.jurisdiction, self.source_id

    @property
    def target(self) -> Key | None:
        """The node they name; None where it is not in the store."""
        return None if self.target_id is None else (self.target_jurisdiction, self.target_id)


@dataclass(slots=True)
class Material:
    """Everything that the store says about some rules at a date."""

    at_date: date
    nodes: dict[Key, NodeVersion] = field(default_factory=dict[Key, NodeVersion])
    below: dict[Key, list[NodeVersion]] = field(default_factory=dict[Key, list[NodeVersion]])  # whole subtrees, by root
    trees: dict[str, list[NodeVersion]] = field(default_factory=dict[str, list[NodeVersion]])  # by rule; document order
    named: dict[str, list[NodeVersion]] = field(default_factory=dict[str, list[NodeVersion]])  # by URN or former URN
    definitions: list[DefinitionVersion] = field(default_factory=list[DefinitionVersion])
    choices: dict[str, list[Choice]] = field(default_factory=dict[str, list[Choice]])  # by rule
    edges: list[EdgeRow] = field(default_factory=list[EdgeRow])
    overrides: dict[int, Override] = field(default_factory=dict[int, Override])
    preemptions: dict[int, Preemption] = field(default_factory=dict[int, Preemption])
    _above: dict[tuple[str | int, ...], list[NodeVersion]] = field(
        default_factory=dict[tuple[str | int, ...], list[NodeVersion]]
    )  # what siblings have in common

    def add(self, node: NodeVersion) -> None:
        """Take in a node that was read."""
        self.nodes[(node.jurisdiction, node.node_id)] = node
        self._above.clear()

    def chain(self, node: NodeVersion) -> list[NodeVersion]:
        """The node's ancestors in force, root first, and itself."""
        jurisdiction, siblings = node.jurisdiction, (node.jurisdiction, *node.ancestor_ids[:-1])
        above = self._above.get(siblings)
        if above is None:
            keys = ((jurisdiction, one) for one in node.ancestor_ids[:-1])
            above = self._above[siblings] = [self.nodes[key] for key in keys if key in self.nodes]
        own = self.nodes.get((jurisdiction, node.node_id))
        return above if own is None else [*above, own]

    def versions(self, urn: str) -> list[NodeVersion]:
        """The versions in force of the nodes that trip 2 was asked for under a URN, whatever its spelling."""
        found = {id(one): one for spelling in spellings(urn) for one in self.named.get(spelling, ())}
        return list(found.values())


def look_up(
    conn: Connection, targets: Sequence[NodeVersion], at_date: date, *, jurisdictions: Sequence[str]
) -> Material:
    """Read all that C(R) of some rules is made of.

    Args:
        conn: a read connection; its transaction is the snapshot of both trips.
        targets: the rules, each the version in force at the date.
        at_date: the date of everything.
        jurisdictions: all jurisdictions of the store, for edges that come from elsewhere.

    Returns:
        The material. Definitions and their texts can be more than the words in force need: `choices` says which
        are meant.
    """
    material = Material(at_date)
    _first_trip(conn, material, targets, jurisdictions)
    rules = _by_jurisdiction((one.jurisdiction, one.node_id) for one in targets)
    _index_subtrees(material, rules)
    for rule in targets:
        tree = document_order(material.below.get((rule.jurisdiction, rule.node_id), []))
        material.trees[rule.urn] = _without_notices(rule, tree)
    _drop_definitions_of_notices(material, targets)
    material.choices = _choices(material, targets)
    kept = _kept(material)
    _second_trip(conn, material, rules, kept, jurisdictions)
    _index_subtrees(material, _shown_whole(material, targets, kept))
    _narrow_to_words_in_force(material, targets, kept)
    return material


def _without_notices(rule: NodeVersion, tree: Sequence[NodeVersion]) -> list[NodeVersion]:
    """A rule's nodes but for the publisher's notes on them, which are no part of its text.

    What a container holds directly is no note on a provision: official commentary stands in a supplement of its own.
    """
    if rule.kind == "notice":
        return [*tree]
    kinds = {node.node_id: node.kind for node in tree}
    notes = {
        node.node_id
        for node in tree
        if node.kind == "notice" and kinds.get(node.parent_id or 0, "section") not in ("section", "notice")
    }
    return [node for node in tree if notes.isdisjoint(node.ancestor_ids)]


def _drop_definitions_of_notices(material: Material, targets: Sequence[NodeVersion]) -> None:
    """Leave out what the notes on the rules seem to define."""
    kept = {node.node_id for tree in material.trees.values() for node in tree}
    notes = {
        (node.jurisdiction, node.node_id)
        for rule in targets
        for node in material.below.get((rule.jurisdiction, rule.node_id), ())
        if node.node_id not in kept
    }
    if notes:
        material.definitions = [one for one in material.definitions if (one.jurisdiction, one.node_id) not in notes]


def _first_trip(
    conn: Connection, material: Material, targets: Sequence[NodeVersion], jurisdictions: Sequence[str]
) -> None:
    above = {one for rule in targets for one in rule.ancestor_ids} - {rule.node_id for rule in targets}
    keys: dict[str, Any] = {
        "jurisdictions": sorted({rule.jurisdiction for rule in targets}), "at_date": material.at_date,
        "above_ids": id_array(above), **_subtrees((rule.jurisdiction, rule.path) for rule in targets),
    }  # fmt: skip
    of_edges = {
        "everywhere": list(jurisdictions), "outward": [*YIELDS_TO, *AUTHORITY], "inward": list(PREVAILS_OVER)
    }  # fmt: skip
    with conn.pipeline():
        conn.execute(QUERIES["use_generic_plans"])
        nodes = conn.cursor(row_factory=record_row(NodeVersion)).execute(QUERIES["find_line_nodes"], keys)
        definitions = conn.cursor(row_factory=record_row(DefinitionVersion)).execute(
            QUERIES["find_context_definitions"], keys
        )
        edges = conn.cursor(row_factory=record_row(EdgeRow)).execute(
            QUERIES["find_context_edges"], {**keys, **of_edges}
        )
    for node in nodes.fetchall():
        material.add(node)
    material.definitions = definitions.fetchall()
    material.edges = edges.fetchall()


def _second_trip(
    conn: Connection,
    material: Material,
    rules: dict[str, set[int]],
    chosen: Sequence[DefinitionVersion],
    jurisdictions: Sequence[str],
) -> None:
    """Texts that trip 1 names, with what contains them, and the law of courts. What a rule holds is there already."""
    line = [one.urn for one in material.nodes.values()]
    beside = [one for one in chosen if _apart(one.jurisdiction, one.ancestor_ids, rules)]
    kept = _by_jurisdiction((one.jurisdiction, one.node_id) for one in beside)
    outermost = [one for one in beside if _apart(one.jurisdiction, one.ancestor_ids[:-1], kept)]
    parents = {(one.jurisdiction, *one.ancestor_ids[:-1]) for one in outermost}
    above = {(jurisdiction, node_id) for jurisdiction, *ids in parents for node_id in ids}
    ends = [end for end in _far_ends(material) if not _is_at_hand(material, end, rules)]
    missing = sorted(above - material.nodes.keys())
    urns = {name for one in chosen if one.reference_urn for name in spellings(one.reference_urn)}
    values: dict[str, Any] = {
        "at_date": material.at_date, "jurisdictions": sorted({jurisdiction for jurisdiction, _ in ends}),
        "everywhere": list(jurisdictions),
        "above_jurisdictions": name_array(jurisdiction for jurisdiction, _ in missing),
        "above_ids": id_array(node_id for _, node_id in missing),
        **_subtrees((one.jurisdiction, one.path) for one in outermost),
        "root_ids": id_array(node_id for _, node_id in ends), "root_urns": name_array(sorted(urns)),
        "known_ids": id_array(node_id for _, node_id in material.nodes),
        "line_keys": name_array(look_up_keys(line)),
        "more_keys": name_array(look_up_keys(one.urn for one in beside)),
        "codes": name_array(code for code, _ in JURISDICTION_SPELLINGS),
        "other_codes": name_array(other for _, other in JURISDICTION_SPELLINGS),
    }  # fmt: skip
    with conn.pipeline():
        found = conn.cursor(row_factory=_context_row).execute(QUERIES["find_context_nodes"], values)
        conn.execute(QUERIES["use_custom_plans"])
    former: list[tuple[NodeVersion, list[str]]] = []
    for row in found.fetchall():
        if isinstance(row, Override):
            material.overrides[row.id] = row
        elif isinstance(row, Preemption):
            material.preemptions[row.id] = row
        else:
            material.add(row[0])
            if row[1]:
                former.append(row)
    asked = {*urns, *(name for one in material.preemptions.values() for name in _names(one))}
    if asked:
        for node, names in [*former, *((node, [node.urn]) for node in material.nodes.values())]:
            for name in asked.intersection(names):
                material.named.setdefault(name, []).append(node)


def _names(preemption: Preemption) -> tuple[str, ...]:
    literal = named_by(preemption.federal_pattern)
    return spellings(literal) if literal else ()


def named_by(pattern: str) -> str:
    """The URN of the one node that a federal pattern names; empty for one with `*`, or over all corpora."""
    return pattern if "*" not in pattern and pattern.count(":") >= 3 else ""


def _far_ends(material: Material) -> set[Key]:
    """The nodes at the other end of the rules' edges."""
    return {end for edge in material.edges if (end := edge.target if edge.outward else edge.source) is not None}


def _by_jurisdiction(keys: Iterable[Key]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for jurisdiction, node_id in keys:
        found.setdefault(jurisdiction, set()).add(node_id)
    return found


def _apart(jurisdiction: str, ancestor_ids: Iterable[int], nodes: dict[str, set[int]]) -> bool:
    """Whether none of the nodes is among these."""
    return jurisdiction not in nodes or nodes[jurisdiction].isdisjoint(ancestor_ids)


def _is_at_hand(material: Material, key: Key, rules: dict[str, set[int]]) -> bool:
    """Whether trip 1 brought all that is shown of a node: a container's own words, or a part of a rule whole."""
    node = material.nodes.get(key)
    if node is None:
        return False
    return node.kind == "section" or not _apart(node.jurisdiction, node.ancestor_ids, rules)


def _shown_whole(
    material: Material, targets: Sequence[NodeVersion], kept: Sequence[DefinitionVersion]
) -> dict[str, set[int]]:
    """The nodes that stand in the context with all their parts."""
    named = (one for nodes in material.named.values() for one in nodes)
    whole = ((one.jurisdiction, one.node_id) for some in (targets, kept, named) for one in some)
    return _by_jurisdiction([*whole, *_far_ends(material)])


def _kept(material: Material) -> list[DefinitionVersion]:
    choices = (choice for found in material.choices.values() for choice in found)
    return list({one.id: one for choice in choices for one in choice.binding.kept}.values())


def _index_subtrees(material: Material, roots: dict[str, set[int]]) -> None:
    below: dict[Key, list[NodeVersion]] = {}
    for node in material.nodes.values():
        if node.jurisdiction in roots:
            for one in roots[node.jurisdiction].intersection(node.ancestor_ids):
                below.setdefault((node.jurisdiction, one), []).append(node)
    material.below = below


def _choices(material: Material, targets: Sequence[NodeVersion]) -> dict[str, list[Choice]]:
    definitions = Definitions(material.definitions)
    return {rule.urn: choose(rule, material.chain(rule), material.trees[rule.urn], definitions) for rule in targets}


def _narrow_to_words_in_force(
    material: Material, targets: Sequence[NodeVersion], kept: Sequence[DefinitionVersion]
) -> None:
    """Choose anew where a definition's words at the date use less than those of all its versions do."""
    narrowed: dict[int, DefinitionVersion] = {}
    for one in kept:
        used = {term for node in material.below.get((one.jurisdiction, one.node_id), ()) for term in node.used_terms}
        if len(used) != len(one.used_terms):
            narrowed[one.id] = one._replace(used_terms=sorted(used))
    if narrowed:
        material.definitions = [narrowed.get(one.id, one) for one in material.definitions]
        material.choices = _choices(material, targets)


def _subtrees(roots: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Parameters for whole subtrees given as (jurisdiction, citation path)."""
    pairs = sorted(set(roots))
    return {
        "path_jurisdictions": name_array(jurisdiction for jurisdiction, _ in pairs),
        "paths": name_array(path for _, path in pairs),
    }


def _context_row(cursor: Any) -> Any:
    """A row of `find_context_nodes`: a node with its former URNs, an override or a preemption."""
    del cursor

    def make(values: Sequence[Any]) -> tuple[NodeVersion, list[str]] | Override | Preemption:
        aliases, law, said = values[NODE_COLUMNS:]
        if law is None:
            return NodeVersion._make(values[:NODE_COLUMNS]), aliases
        said["effective_from"], said["effective_to"] = _day(said["effective_from"]), _day(said["effective_to"])
        return Override(**said) if law == "override" else Preemption(**said)

    return make


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
