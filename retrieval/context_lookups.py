"""The two round trips of a scoped context, and everything they bring. The rest of C(R) is pure.

    trip 1, keyed by the rules:       what contains them and their parts; definitions in scope of terms that they can
                                      need; edges in both directions
    trip 2, keyed by what that names: the texts of definitions, exceptions and federal rules with what contains them;
                                      what courts say of all of these, and federal law of the rules

Each trip is one pipeline, whatever the number of rules; both read the caller's one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeVar

from psycopg import Cursor
from psycopg.rows import RowFactory

from retrieval.context_material import AUTHORITY, PREVAILS_OVER, YIELDS_TO, EdgeRow, Material
from retrieval.nodes import (
    CONTEXT_COLUMNS,
    Connection,
    ContextNode,
    Key,
    NodeVersion,
    document_order,
    id_array,
    id_arrays,
    name_array,
    record_row,
)
from retrieval.overrides import JURISDICTION_SPELLINGS, Override, Preemption, look_up_keys, spellings
from retrieval.paths import JURISDICTION_ALIASES
from retrieval.queries import QUERIES
from retrieval.shadowing import DefinitionVersion

Row = TypeVar("Row")


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
    material = Material(at_date, [one.in_context for one in targets])
    _first_trip(conn, material, targets, jurisdictions)
    rules = _by_jurisdiction((one.jurisdiction, one.node_id) for one in targets)
    material.index_subtrees(rules)
    for rule in material.rules:
        tree = document_order(material.below.get((rule.jurisdiction, rule.node_id), []))
        material.trees[rule.urn] = _without_notices(rule, tree)
    _drop_definitions_of_notices(material)
    material.choose()
    kept = material.kept()
    _second_trip(conn, material, rules, kept, jurisdictions)
    material.index_subtrees(_shown_whole(material, kept))
    _narrow_to_words_in_force(material, kept)
    return material


def _without_notices(rule: ContextNode, tree: Sequence[ContextNode]) -> list[ContextNode]:
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


def _drop_definitions_of_notices(material: Material) -> None:
    """Leave out what the notes on the rules seem to define."""
    kept = {node.node_id for tree in material.trees.values() for node in tree}
    notes = {
        (node.jurisdiction, node.node_id)
        for rule in material.rules
        for node in material.below.get((rule.jurisdiction, rule.node_id), ())
        if node.node_id not in kept
    }
    if notes:
        material.definitions = [one for one in material.definitions if (one.jurisdiction, one.node_id) not in notes]


def _first_trip(
    conn: Connection, material: Material, targets: Sequence[NodeVersion], jurisdictions: Sequence[str]
) -> None:
    listed = [rule for rule in targets if rule.subtree_ids]
    wide = [rule for rule in targets if not rule.subtree_ids]
    line = {one for rule in targets for one in rule.ancestor_ids} - {rule.node_id for rule in wide}
    line.update(one for rule in listed for one in rule.subtree_ids or ())
    wide.sort(key=lambda rule: (rule.jurisdiction, rule.path))
    keys: dict[str, Any] = {
        "jurisdictions": name_array(sorted({rule.jurisdiction for rule in targets})),
        "at_date": material.at_date,
        "line_ids": id_array(sorted(line)),
        "path_jurisdictions": name_array(rule.jurisdiction for rule in wide),
        "paths": name_array(rule.path for rule in wide),
    }  # fmt: skip
    of_definitions = {
        "rule_scopes": id_arrays(rule.scope_ids or () for rule in listed),
        "rule_terms": id_arrays(rule.line_terms or () for rule in listed),
        "path_above": id_arrays(
            rule.ancestor_ids for rule in sorted(wide, key=lambda one: (one.jurisdiction, one.path))
        ),
    }
    of_edges = {
        "everywhere": name_array(jurisdictions), "outward": name_array([*YIELDS_TO, *AUTHORITY]),
        "inward": name_array(PREVAILS_OVER),
    }  # fmt: skip
    with conn.pipeline():
        conn.execute(QUERIES["use_generic_plans"])
        nodes = _rows(conn, record_row(ContextNode), "find_line_nodes", keys)
        definitions = _rows(conn, record_row(DefinitionVersion), "find_context_definitions", {**keys, **of_definitions})
        edges = _rows(conn, record_row(EdgeRow), "find_context_edges", {**keys, **of_edges})
    material.add(nodes.fetchall())
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
    known = {node_id for _, node_id in material.nodes}
    beside = [one for one in chosen if _apart(one.jurisdiction, one.ancestor_ids, rules)]
    ends = [edge for edge in material.edges if edge.end_ids and not _is_at_hand(material, edge.end, rules)]
    wanted = set[int]().union(*(one.ancestor_ids for one in beside), *(one.subtree_ids for one in beside))
    wanted.update(*(edge.end_ids or () for edge in ends))
    urns = {name for one in chosen if one.reference_urn for name in spellings(one.reference_urn)}
    values: dict[str, Any] = {
        "at_date": material.at_date, "everywhere": name_array(jurisdictions),
        "jurisdictions": name_array(
            sorted({*(one.jurisdiction for one in beside), *(edge.end[0] for edge in ends if edge.end)})
        ),
        "ids": id_array(sorted(wanted - known)), "root_urns": name_array(sorted(urns)),
        "known_ids": id_array(known),
        "line_keys": name_array(look_up_keys(one.urn for one in material.nodes.values())),
        "more_keys": name_array(look_up_keys(one.urn for one in beside)),
        "codes": name_array(code for code, _ in JURISDICTION_SPELLINGS),
        "other_codes": name_array(other for _, other in JURISDICTION_SPELLINGS),
        "canonical": name_array(str(code in JURISDICTION_ALIASES) for code, _ in JURISDICTION_SPELLINGS),
    }  # fmt: skip
    with conn.pipeline():
        found = _rows(conn, _context_row, "find_context_nodes", values)
        conn.execute(QUERIES["use_custom_plans"])
    former: list[tuple[ContextNode, list[str]]] = []
    nodes: list[ContextNode] = []
    for row in found.fetchall():
        if isinstance(row, Override):
            material.overrides[row.id] = row
        elif isinstance(row, Preemption):
            material.preemptions[row.id] = row
        else:
            nodes.append(row[0])
            if row[1]:
                former.append(row)
    material.add(nodes)
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
    return {end for edge in material.edges if (end := edge.end) is not None}


def _by_jurisdiction(keys: Iterable[Key]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for jurisdiction, node_id in keys:
        found.setdefault(jurisdiction, set()).add(node_id)
    return found


def _apart(jurisdiction: str, ancestor_ids: Iterable[int], nodes: dict[str, set[int]]) -> bool:
    """Whether none of the nodes is among these."""
    return jurisdiction not in nodes or nodes[jurisdiction].isdisjoint(ancestor_ids)


def _is_at_hand(material: Material, key: Key | None, rules: dict[str, set[int]]) -> bool:
    """Whether trip 1 brought all that is shown of a node: a container's own words, or a part of a rule whole."""
    node = material.nodes.get(key) if key else None
    if node is None:
        return False
    return node.kind == "section" or not _apart(node.jurisdiction, node.ancestor_ids, rules)


def _shown_whole(material: Material, kept: Sequence[DefinitionVersion]) -> dict[str, set[int]]:
    """The nodes that stand in the context with all their parts."""
    named = (one for nodes in material.named.values() for one in nodes)
    whole = ((one.jurisdiction, one.node_id) for some in (material.rules, kept, named) for one in some)
    return _by_jurisdiction([*whole, *_far_ends(material)])


def _narrow_to_words_in_force(material: Material, kept: Sequence[DefinitionVersion]) -> None:
    """Choose anew where a definition's words at the date use less than those of all its versions do."""
    narrowed: dict[int, DefinitionVersion] = {}
    for one in kept:
        used = {term for node in material.below.get((one.jurisdiction, one.node_id), ()) for term in node.used_terms}
        if len(used) != len(one.used_terms):
            narrowed[one.id] = one._replace(used_terms=sorted(used))
    if narrowed:
        material.definitions = [narrowed.get(one.id, one) for one in material.definitions]
        material.choose()


def _rows(conn: Connection, rows: RowFactory[Row], name: str, values: Mapping[str, Any]) -> Cursor[Row]:
    """Send a look-up. Its rows come in binary: numbers, arrays and dates are read in half the time."""
    return conn.cursor(binary=True, row_factory=rows).execute(QUERIES[name], values)


def _context_row(cursor: Any) -> Any:
    """A row of `find_context_nodes`: a node with its former URNs, an override or a preemption."""
    del cursor

    def make(values: Sequence[Any]) -> tuple[ContextNode, list[str]] | Override | Preemption:
        aliases, law, said = values[CONTEXT_COLUMNS:]
        if law is None:
            return ContextNode._make(values[:CONTEXT_COLUMNS]), aliases
        said["effective_from"], said["effective_to"] = _day(said["effective_from"]), _day(said["effective_to"])
        return Override(**said) if law == "override" else Preemption(**said)

    return make


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
