"""The two round trips of a scoped context, and everything they bring. The rest of C(R) is pure.

    trip 1, keyed by the rules:       what contains them and their parts; definitions in scope of terms that they can
                                      need; edges in both directions
    trip 2, keyed by what that names: the texts of definitions, exceptions and federal rules with what contains them;
                                      what courts say of all of these, and federal law of the rules

Where a court struck down a definition, trip 2 is made again for what governs in its place. Each trip is one pipeline,
whatever the number of rules; both read the caller's one snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, LiteralString, NamedTuple

from retrieval.cluster import send_each, use_plans
from retrieval.context.material import (
    AUTHORITY,
    LIMITS_RULES,
    MAY_DEFINE,
    MAY_LIMIT,
    PREVAILS_OVER,
    READ_BY,
    TOLD_BY_NAME,
    YIELDS_TO,
    EdgeRow,
    Material,
)
from retrieval.context.overrides import JURISDICTION_SPELLINGS, Override, Preemption, look_up_keys, spellings
from retrieval.context.shadowing import DefinitionVersion
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
from retrieval.paths import JURISDICTION_ALIASES
from retrieval.queries import QUERIES

_SPELLED = {
    "codes": name_array(code for code, _ in JURISDICTION_SPELLINGS),
    "other_codes": name_array(other for _, other in JURISDICTION_SPELLINGS),
    "aliases": name_array(JURISDICTION_ALIASES), "canonical": name_array(JURISDICTION_ALIASES.values()),
}  # fmt: skip


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
    material = Material(at_date, [rule.in_context for rule in targets])
    line_keys = _first_trip(conn, material, targets, jurisdictions)
    for target in targets:
        if target.subtree_ids:
            material.list_below((target.jurisdiction, target.node_id), target.subtree_ids)
    material.index_subtrees((rule.jurisdiction, rule.node_id) for rule in material.rules)
    for rule in material.rules:
        tree = document_order(material.below.get((rule.jurisdiction, rule.node_id), []))
        material.trees[rule.urn] = _without_notices(rule, tree)
    _drop_definitions_of_notices(material)
    material.choose()
    kept = material.kept()
    _second_trip(conn, material, kept, jurisdictions, line_keys)
    while material.strike():
        kept = [*{definition.id: definition for definition in (*kept, *material.kept())}.values()]
        _second_trip(conn, material, kept, jurisdictions, line_keys)
    _list_what_is_shown(material)
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
        material.definitions = [
            definition
            for definition in material.definitions
            if (definition.jurisdiction, definition.node_id) not in notes
        ]


def _first_trip(
    conn: Connection, material: Material, targets: Sequence[NodeVersion], jurisdictions: Sequence[str]
) -> set[str]:
    """What contains the rules, their parts, and what else their documents have for them.

    Returns:
        The keys of patterns that name a rule, what contains it or a part of it.
    """
    listed = [rule for rule in targets if _is_listed(rule)]
    wide = sorted((rule for rule in targets if not _is_listed(rule)), key=lambda rule: (rule.jurisdiction, rule.path))
    line = {id_ for rule in targets for id_ in rule.ancestor_ids} - {rule.node_id for rule in wide}
    line.update(id_ for rule in listed for id_ in rule.subtree_ids or ())
    beside = set[int]().union(*(rule.context_ids or () for rule in listed)) - line
    keys: dict[str, Any] = {
        "jurisdictions": name_array(sorted({rule.jurisdiction for rule in targets})),
        "at_date": material.at_date,
        "line_ids": id_array(line),
        "path_jurisdictions": name_array(rule.jurisdiction for rule in wide),
        "paths": name_array(rule.path for rule in wide),
    }  # fmt: skip
    find_definitions, of_definitions = _definition_keys(listed, wide)
    of_edges = {
        "everywhere": name_array(jurisdictions), "beside_ids": id_array(beside),
        "outward": name_array([*YIELDS_TO, *TOLD_BY_NAME, *AUTHORITY, READ_BY]),
        "inward": name_array([*PREVAILS_OVER, MAY_LIMIT, MAY_DEFINE]),
    }  # fmt: skip
    with conn.pipeline():
        use_plans(conn, "generic")
        by_ids = {**keys, "node_ids": id_array(line | beside)}
        nodes = send_each(conn, QUERIES["find_line_nodes"], by_ids, rows=record_row(ContextNode), binary=True)
        definitions = send_each(
            conn, find_definitions, {**keys, **of_definitions}, rows=record_row(DefinitionVersion), binary=True
        )
        edges = send_each(
            conn, QUERIES["find_context_edges"], {**keys, **of_edges}, rows=record_row(EdgeRow), binary=True
        )
    found = nodes.fetchall()
    material.add(found)
    material.definitions = definitions.fetchall()
    material.edges = edges.fetchall()
    # A container's parts are read by their path, and another rule's definitions can be among them.
    line_nodes = found if wide else [node for node in found if node.node_id not in beside]
    return look_up_keys(node.urn for node in line_nodes)


def _is_listed(rule: NodeVersion) -> bool:
    """Whether a rule has the keys of its context; a container has none, nor a part whose rule is not there."""
    return bool(rule.subtree_ids) and rule.line_terms is not None


def _definition_keys(
    listed: Sequence[NodeVersion], wide: Sequence[NodeVersion]
) -> tuple[LiteralString, dict[str, Any]]:
    """The statement that finds the definitions of the rules, and its keys beside those that all look-ups have."""
    if wide:
        return QUERIES["find_wide_definitions"], {
            "rule_scopes": id_arrays(rule.scope_ids or () for rule in listed),
            "rule_terms": id_arrays(rule.line_terms or () for rule in listed),
            "path_above": id_arrays(rule.ancestor_ids for rule in wide),
        }
    terms: dict[int, set[int]] = {}
    for rule in listed:
        for scope in rule.scope_ids or ():
            terms.setdefault(scope, set()).update(rule.line_terms or ())
    return QUERIES["find_context_definitions"], {"scopes": id_array(terms), "scope_terms": id_arrays(terms.values())}


def _second_trip(
    conn: Connection,
    material: Material,
    chosen: Sequence[DefinitionVersion],
    jurisdictions: Sequence[str],
    line_keys: set[str],
) -> None:
    """Texts that trip 1 names and did not bring, with what contains them, and the law of courts.

    What a rule holds is there already, and so are the definitions of its own document.
    """
    known = {node_id for _, node_id in material.nodes}
    rules = _by_jurisdiction((rule.jurisdiction, rule.node_id) for rule in material.rules)
    beside = [definition for definition in chosen if _apart(definition.jurisdiction, definition.ancestor_ids, rules)]
    ends = [edge for edge in material.edges if edge.end_ids and not _is_at_hand(material, edge.end, rules)]
    wanted = set[int]().union(
        *(definition.ancestor_ids for definition in beside), *(definition.subtree_ids for definition in beside)
    )
    wanted.update(*(edge.shown_ids for edge in ends))
    speaking = {node_id for definition in chosen for node_id in (definition.node_id, *definition.subtree_ids)}
    told = [rule for rule in material.rules if rule.kind != "section"]
    speaking.update(node.node_id for rule in told for node in material.trees[rule.urn])
    limiting = [edge for edge in material.edges if edge.kind in LIMITS_RULES and not edge.by_name]
    limits = [(edge.end, edge.end_ids) for edge in limiting if edge.end is not None]
    speaking.update(id_ for end, below in limits for id_ in (end[1], *(below or ())))
    urns = {name for definition in chosen if definition.reference_urn for name in spellings(definition.reference_urn)}
    pointing = {definition.normalised_term for definition in chosen if definition.reference_urn}
    citing = {
        *(definition.jurisdiction for definition in chosen), *(rule.jurisdiction for rule in told),
        *(end[0] for end, _ in limits),
    }  # fmt: skip
    values: dict[str, Any] = {
        "at_date": material.at_date, "everywhere": name_array(jurisdictions),
        "jurisdictions": name_array(
            sorted({*(definition.jurisdiction for definition in beside), *(edge.end[0] for edge in ends if edge.end)})
        ),
        "ids": id_array(wanted - known), "root_urns": name_array(urns),
        "known_ids": id_array(known if urns else ()), "line_keys": name_array(line_keys),
        "more_keys": name_array(look_up_keys((node.urn for node in material.nodes.values()), line_keys)),
        "citing": name_array(sorted(citing if speaking else ())), "citing_ids": id_array(speaking),
        "terms": sorted(pointing), **_SPELLED,
    }  # fmt: skip
    with conn.pipeline():
        # Look-ups come in binary: numbers, arrays and dates are read in half the time.
        found = send_each(
            conn,
            QUERIES["find_context_nodes"],
            values,
            rows=_context_row,
            by=("everywhere", "jurisdictions", "citing"),
            binary=True,
        )
        use_plans(conn, "custom")
    cites: set[Cited] = set()
    material.entries = set()
    former: list[tuple[ContextNode, list[str]]] = []
    nodes: list[ContextNode] = []
    for row in found.fetchall():
        if isinstance(row, Override):
            material.overrides[row.id] = row
        elif isinstance(row, Preemption):
            material.preemptions[row.id] = row
        elif isinstance(row, Cited):
            cites.add(row)
        elif isinstance(row, Entry):
            material.entries.add(row)
        else:
            nodes.append(row[0])
            if row[1]:
                former.append(row)
    material.add(nodes)
    asked = {*urns, *(name for preemption in material.preemptions.values() for name in _names(preemption))}
    if asked:
        for node, names in [*former, *((node, [node.urn]) for node in material.nodes.values() if node.urn in asked)]:
            for name in asked.intersection(names):
                material.named.setdefault(name, []).append(node)
    for jurisdiction, source, reference, target, model in sorted(cites):
        node = material.nodes.get((jurisdiction, source))
        around = [above.urn for above in material.chain(node) if above.kind != "section"] if node is not None else []
        if not any(target == urn or target.startswith(f"{urn}:") for urn in around):  # else a part of its own provision
            said = f"{reference} (as read by {model})" if model else reference
            material.elsewhere.setdefault((jurisdiction, source), []).append(said)


def _names(preemption: Preemption) -> tuple[str, ...]:
    literal = named_by(preemption.federal_pattern)
    return spellings(literal) if literal else ()


def named_by(pattern: str) -> str:
    """The URN of the one node that a federal pattern names; empty for one with `*`, or over all corpora."""
    return pattern if "*" not in pattern and pattern.count(":") >= 3 else ""


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


def _list_what_is_shown(material: Material) -> None:
    """List the parts of what stands in the context whole beside the definitions: what edges and references name."""
    for edge in material.edges:
        if edge.end is not None and edge.end_ids is not None and not edge.by_name:
            material.list_below(edge.end, edge.end_ids)
    material.index_subtrees((node.jurisdiction, node.node_id) for nodes in material.named.values() for node in nodes)


def _narrow_to_words_in_force(material: Material, kept: Sequence[DefinitionVersion]) -> None:
    """Choose anew where a definition's words at the date use less than those of all its versions do."""
    narrowed: dict[int, DefinitionVersion] = {}
    for definition in kept:
        shown = material.meaning(definition)
        if len(shown) == 1 and len(shown[0].used_terms) == len(definition.used_terms):
            continue  # as most definitions are
        used = {term for node in shown for term in node.used_terms}.intersection(definition.used_terms)
        if len(used) != len(definition.used_terms):
            narrowed[definition.id] = definition._replace(used_terms=sorted(used))
    if narrowed:
        material.definitions = [narrowed.get(definition.id, definition) for definition in material.definitions]
        material.choose()


class Cited(NamedTuple):
    """What a node cites that is not in the store."""

    jurisdiction: str
    source_id: int
    reference: str
    target_urn: str  # as the grammar reads it; may be empty
    model: str  # the language model that read it; empty where code did


class Entry(NamedTuple):
    """A definition of a term in provisions that are said to give its meaning."""

    term: str  # normalised
    urn: str


def _context_row(cursor: Any) -> Any:
    """A row of `find_context_nodes`: a node with its former URNs, or what is said of nodes."""
    del cursor

    def make(values: Sequence[Any]) -> tuple[ContextNode, list[str]] | Override | Preemption | Cited | Entry:
        aliases, law, said = values[CONTEXT_COLUMNS:]
        if law is None:
            return ContextNode._make(values[:CONTEXT_COLUMNS]), aliases
        if law == "cites":
            return Cited(*said)
        if law == "entry":
            return Entry(*said)
        said["effective_from"], said["effective_to"] = _day(said["effective_from"]), _day(said["effective_to"])
        return Override(**said) if law == "override" else Preemption(**said)

    return make


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
