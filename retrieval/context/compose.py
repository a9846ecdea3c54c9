"""C(R): a rule and everything that governs it at a date, assembled deterministically.

    targets -> ancestors and subtrees, definitions in scope, edges, preemption, overrides      (first round trip)
            -> shadowing in Python: per term the closest scope
            -> texts of definitions, exceptions and federal rules, overrides on them           (second)
            -> halt, redact, warn -> canonical order -> budget -> digest                       (pure)

Everything happens on the caller's connection, in its one read-only snapshot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import date

from retrieval.context import blocks as needs
from retrieval.context.blocks import (
    RANK,
    BlockDraft,
    Surroundings,
    definition_priority,
    fit_budget,
    number_blocks,
    sentence_goes_on,
    surroundings,
)
from retrieval.context.choice import Choice
from retrieval.context.lookups import look_up, named_by
from retrieval.context.material import (
    APPLIES,
    AUTHORITY,
    IN_PART,
    LIMITS_RULES,
    MAY_DEFINE,
    MAY_LIMIT,
    REACH,
    READ_BY,
    YIELDS_TO,
    EdgeRow,
    Material,
)
from retrieval.context.overrides import Override, covering_overrides, matching_preemptions, overrides_along
from retrieval.context.shadowing import ADDITIONS, DefinitionVersion
from retrieval.model import (
    BY_RULES,
    HALT_MESSAGE,
    Block,
    ContextWarning,
    DefinitionInScope,
    Limiting,
    Omitted,
    OverrideNotice,
    PrevailsOver,
    ScopedContext,
    context_digest,
    trusted,
)
from retrieval.nodes import Connection, ContextNode, Key, NodeVersion
from retrieval.references.grammars import Grammars
from retrieval.standing import gone_since
from retrieval.uncertain_dates import uncertain_dates

# What becomes of the material on its way to blocks. Pure.

_NAMED = 8  # provisions that a warning names
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")  # of a provision, as the last part of its URN has it
_PARTS = re.compile(r"(\d+)")  # of a URN, so that section 9 stands before section 10
_LONG_WORD = 4  # characters of the shortest word that is looked for in a rule
_WITH_WORDS = ("rule", "definition", "exception")  # blocks whose words need their meaning
_SAY_NO_MEANING = ("ancestor", "possible_exception")  # blocks that are not shown as what says what words mean
_SAID = 200  # characters of a provision's words that a line on it repeats
_POSSIBLE = 3  # provisions that may limit a rule and are shown; the others are named
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
    unsure: set[str] = field(default_factory=set[str])  # URNs of blocks that are there as a model's reading alone
    prevails_over: dict[tuple[str, str], PrevailsOver] = field(
        default_factory=dict[tuple[str, str], PrevailsOver]
    )  # by what says so and what yields
    _definitions: dict[tuple[str, str, str], DefinitionDraft] = field(
        default_factory=dict[tuple[str, str, str], DefinitionDraft]
    )  # by term, URN and scope
    _likely: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])  # term and URN
    _surroundings: dict[tuple[str | int, ...], Surroundings] = field(
        default_factory=dict[tuple[str | int, ...], Surroundings]
    )  # by the nodes above, which siblings have in common
    _models: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])  # by term and URN
    _guessed: dict[str, set[str]] = field(default_factory=dict[str, set[str]])  # by URN: terms of learned readers

    def __post_init__(self) -> None:
        for edge in self.material.edges:
            source = self.material.nodes.get(edge.source) if edge.kind == MAY_DEFINE else None
            if source is not None and edge.model:
                self._models[edge.reference.lower(), source.urn] = edge.model
            elif source is not None:
                self._guessed.setdefault(source.urn, set()).add(edge.reference.lower())

    def read_by(self, definition: DefinitionVersion) -> str:
        """The language model that read a definition; empty where code did."""
        return self._models.get((definition.term.lower(), definition.urn), "")

    def may_be_rival(self, definition: DefinitionVersion) -> bool:
        """Whether what adds to a meaning may be another one: it says itself what it governs, or only its likeness to
        definitions tells that it is one, and not how it relates to others. A provision of many such is an index."""
        if definition.relation != "includes" or self.read_by(definition):
            return False
        return not definition.inferred or self._guessed.get(definition.urn) == {definition.term.lower()}

    def put(self, node: ContextNode, role: str, rule: str, reason: str, priority: int, group: str) -> None:
        """Give a node a block, or let the one it has apply to one more rule.

        Blocks of one group, such as a definition and its paragraphs, stay or go together.
        """
        draft = self.drafts.get(node.urn)
        if draft is None:
            draft = self.drafts[node.urn] = self._around(node).draft(node, role, reason, priority, group)
            draft.applies_to.append(rule)
            return
        taken = role == "exception" and node.urn in self.unsure  # a certain exception goes before a model's reading
        if role != draft.role and (RANK[role] < RANK[draft.role] or taken):
            old = draft
            draft = self.drafts[node.urn] = self._around(node).draft(node, role, reason, priority, group)
            draft.applies_to, draft.priority, draft.group = old.applies_to, old.priority, old.group
        if priority < draft.priority:
            draft.priority, draft.group = priority, group
        if rule not in draft.applies_to:
            draft.applies_to.append(rule)

    def _around(self, node: ContextNode) -> Surroundings:
        key, above = (node.jurisdiction, *node.ancestor_ids[:-1]), self.material.above(node)
        found = self._surroundings.get(key)
        if found is None:
            found = surroundings(above)
            if found.lead_in:
                parted = [place for place, part in enumerate(above) if self.material.follows_its_list(part)]
                found = surroundings(above, parted[-1]) if parted else found
            self._surroundings[key] = found
        return found._replace(lead_in="") if found.lead_in and self.material.follows_its_list(node) else found

    def define(self, choice: Choice) -> None:
        """Note that a choice's definitions apply to the node that uses their term."""
        shadows = [definition.urn for definition in choice.binding.shadowed]
        for definition in choice.binding.kept:
            self._note(definition, shadows, choice.user.urn, choice.depth)

    def follow(self, choice: Choice, definition: DefinitionVersion, urn: str) -> None:
        """Note that a definition which only points elsewhere leads to the entry at a URN, one step and no further."""
        self._note(definition._replace(urn=urn, relation=REFERENCED), [], choice.user.urn, choice.depth + 1)

    def _note(self, definition: DefinitionVersion, shadows: list[str], user: str, depth: int) -> None:
        key = (definition.term.lower(), definition.urn, definition.scope_urn)
        known = self._definitions.get(key)
        if known is None:
            self._definitions[key] = DefinitionDraft(definition, shadows, [user], depth)
            return
        known.depth = min(known.depth, depth)
        if user not in known.applies_to:
            known.applies_to.append(user)

    def is_likely(self, term: str, urn: str, rule: str) -> bool:
        """Whether a term that a node may define is one that it defines for a rule or a part of it; then that is marked
        as likely."""
        key, users = (term.lower(), urn), {node.urn for node in self.material.trees[rule]}
        found = [
            draft for known, draft in self._definitions.items()
            if known[:2] == key and not users.isdisjoint(draft.applies_to)
        ]  # fmt: skip
        self._likely.update(key for draft in found if draft.definition.inferred)
        return key in self._likely

    def definitions(self, shown: set[str]) -> list[DefinitionInScope]:
        """One entry per term, definition and scope, of definitions that have one of these URNs."""
        found = [(key, draft) for key, draft in self._definitions.items() if key[1] in shown]
        found.sort(key=lambda pair: (pair[1].depth, *pair[0]))
        return [
            trusted(DefinitionInScope, {
                "term": draft.definition.term, "urn": draft.definition.urn, "scope_urn": draft.definition.scope_urn,
                "applies_to": draft.applies_to, "shadows": [*draft.shadows], "relation": draft.definition.relation,
                "inferred": draft.definition.inferred, "phrase": draft.definition.phrase, "depth": draft.depth,
                "likely": key[:2] in self._likely, "read_by": self.read_by(draft.definition),
            })
            for key, draft in found
        ]  # fmt: skip


# Blocks of the definitions that a scoped context needs. Pure.

_QUOTED = 160  # characters of a pointer's words that a warning repeats


def put_definitions(scope: Scope, rules: Sequence[ContextNode]) -> None:
    """Give the definitions that the rules' words need their blocks, and what those only point to."""
    chosen = [choice for rule in rules for choice in scope.material.choices[rule.urn]]
    for choice in chosen:
        _put_choice(scope, choice)
        if choice.used and len(choice.binding.kept) > 1:
            _warn_of_conflict(scope, choice)
        if choice.used and choice.binding.void:
            _warn_of_void(scope, choice)
    _put_referenced(scope, [choice for choice in chosen if choice.used])
    _warn_of_law_elsewhere(scope, rules, [choice for choice in chosen if choice.used])


def _put_choice(scope: Scope, choice: Choice) -> None:
    binding, depth, rule = choice.binding, choice.depth, choice.user
    scope.define(choice)
    for definition in binding.kept if choice.used else ():
        reason = f"defines “{definition.term}”, " + ("used by the rule" if depth == 0 else "used by a definition")
        if model := scope.read_by(definition):
            reason += f"; as {model} read it, which is not certain"
        for node in scope.material.meaning(definition):
            if not model:
                scope.unsure.discard(node.urn)
            elif node.urn not in scope.drafts:
                scope.unsure.add(node.urn)
            scope.put(node, "definition", rule.urn, reason, definition_priority(depth), definition.urn)
    for definition in binding.void if choice.used else ():
        # Its words are taken out with those of everything that the override covers.
        for node in scope.material.meaning(definition):
            reason = f"would define “{definition.term}” if it were not halted"
            scope.put(node, "definition", rule.urn, reason, definition_priority(depth), definition.urn)


def _warn_of_void(scope: Scope, choice: Choice) -> None:
    """Say that a definition which a court halted governs nothing, and what gives the term its meaning now."""
    void, kept = choice.binding.void, choice.binding.kept
    struck = ", ".join(dict.fromkeys(definition.urn for definition in void))
    message = f"“{void[0].term}” is not defined for {choice.user.urn} by {struck}: a court halted that text. "
    if meanings := [definition.urn for definition in kept if definition.relation not in ADDITIONS]:
        message += f"The next closest definition governs: {', '.join(dict.fromkeys(meanings))}."
    else:
        message += "No other definition in the store gives the term a meaning: what it means here is uncertain."
    scope.warnings.append(ContextWarning(kind="void_definition", message=message, urn=choice.user.urn))


def _warn_of_conflict(scope: Scope, choice: Choice) -> None:
    """Say that a term has several meanings of which none is closer than the others.

    Two that say the same, one that points to the other and one that stands inside the other are not in conflict.
    """
    kept = choice.binding.kept
    meanings = [definition for definition in kept if definition.relation not in ADDITIONS]
    if not meanings:
        return
    scope_id = meanings[0].scope_id
    rivals = [other for other in kept if other.scope_id == scope_id and scope.may_be_rival(other)]
    told: dict[str, str] = {}  # words -> the first URN that has them
    for definition in (*meanings, *rivals):
        others = [other for other in meanings if other is not definition]
        within = any(other.node_id in definition.ancestor_ids for other in others)
        pointed = definition.reference_urn
        if not within and not (pointed and any(f"{other.urn}:".startswith(f"{pointed}:") for other in others)):
            tree = scope.material.meaning(definition)
            told.setdefault(" ".join(word for node in tree for word in node.text.casefold().split()), definition.urn)
    if len(told) > 1:
        adding = [definition.urn for definition in rivals if definition.urn in told.values()]
        message = (
            f"“{meanings[0].term}” has {len(told)} meanings that govern {choice.user.urn} alike, and none replaces "
            f"another: {', '.join(told.values())}."
        )
        if adding:
            message += f" What {', '.join(adding)} says may only add to the other."
        scope.warnings.append(ContextWarning(kind="conflicting_definitions", message=message, urn=choice.user.urn))


def _put_referenced(scope: Scope, chosen: Sequence[Choice]) -> None:
    """Definitions that only point elsewhere bring the entry of their term there, or a warning where to see."""
    pointers = [
        (definition.reference_urn, choice, definition)
        for choice in chosen
        for definition in choice.binding.kept
        if definition.reference_urn or definition.relation == "reference"
    ]
    for urn, choice, definition in sorted(pointers, key=lambda pointer: pointer[0]):
        versions = [version for version in scope.material.versions(urn) if version.kind != "section"] if urn else []
        node = next((version for version in versions if version.urn == urn), None)
        if node is None:
            if urn:
                reason = f"gives the meaning of “{definition.term}” but is not in the store in force"
                scope.omitted.append(Omitted(urn=urn, reason=reason))
            cited = scope.material.elsewhere.get((definition.jurisdiction, definition.node_id), ())
            named = f" ({_listed(cited)})" if cited else ""
            _warn_of_pointer(scope, choice, definition, f"to law that is not in the store{named}")
            continue
        tree = scope.material.below[(node.jurisdiction, node.node_id)]
        entry = _entry(scope.material, node, tree, definition)
        if entry is None:
            _warn_of_pointer(scope, choice, definition, f"to {urn}, which has no entry of the term: see there")
            continue
        scope.follow(choice, definition, entry.urn)
        reason = f"gives the meaning of “{definition.term}” by reference"
        priority, group = definition_priority(choice.depth + 1), f"{urn} {definition.normalised_term}"
        for part in tree:
            if entry.node_id in part.ancestor_ids:
                scope.put(part, "definition", choice.user.urn, reason, priority, group)


def _warn_of_pointer(scope: Scope, choice: Choice, definition: DefinitionVersion, where: str) -> None:
    node = scope.material.nodes.get((definition.jurisdiction, definition.node_id))
    text = node.text if node is not None else ""
    place = max(0, text.casefold().find(definition.term.casefold()))
    words = " ".join(text[place : place + _QUOTED].split())
    message = f"The meaning of “{definition.term}” is not in this context. {definition.urn} points {where}: “{words}”."
    scope.warnings.append(ContextWarning(kind="definition_elsewhere", message=message, urn=choice.user.urn))


def _warn_of_law_elsewhere(scope: Scope, rules: Sequence[ContextNode], chosen: Sequence[Choice]) -> None:
    """Say which rules speak of law that is not in the store, and once which definitions: not all is there they mean."""
    for rule in rules:
        keys = [(node.jurisdiction, node.node_id) for node in scope.material.trees[rule.urn] if rule.kind != "section"]
        cited = dict.fromkeys(reference for key in keys for reference in scope.material.elsewhere.get(key, ()))
        if cited:
            message = f"{rule.urn} speaks of law that is not in the store: {_listed(_each_once(cited))}."
            scope.warnings.append(ContextWarning(kind="law_elsewhere", message=message, urn=rule.urn))
    terms_of: dict[tuple[str, ...], dict[str, None]] = {}  # what is cited -> the terms whose definitions do
    for choice in chosen:
        for definition in choice.binding.kept:
            if definition.relation == "reference":
                continue  # its pointer is told by itself
            meant = [(node.jurisdiction, node.node_id) for node in scope.material.meaning(definition)]
            if cited := _each_once(reference for key in meant for reference in scope.material.elsewhere.get(key, ())):
                terms_of.setdefault(tuple(cited), {})[f"“{definition.term}”"] = None
    if terms_of:
        told = [f"{', '.join(terms)} ({_listed(cited)})" for cited, terms in terms_of.items()]
        message = f"Definitions speak of law that is not in the store: {_listed(told)}."
        scope.warnings.append(ContextWarning(kind="law_elsewhere", message=message))


def _each_once(references: Iterable[str]) -> list[str]:
    """References without those that another one's words contain, whatever their case and signs: `14 DCMR §§ 308`."""
    first: dict[str, str] = {}
    for reference in references:
        first.setdefault(f" {' '.join(_WORD.findall(reference.casefold()))} ", reference)
    return [reference for key, reference in first.items() if not any(key in other for other in first if other != key)]


def _listed(names: Iterable[str]) -> str:
    """The first of some names, and how many more there are."""
    found = [*names]
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    return f"{', '.join(found[:_NAMED])}{more}"


def _entry(
    material: Material, target: ContextNode, tree: list[ContextNode], pointer: DefinitionVersion
) -> ContextNode | None:
    """The entry of a pointer's term in what it points to: the node that defines it, or one whose heading names it.

    A paragraph that a pointer names is the entry itself; a whole section is not.
    """
    term = pointer.normalised_term
    defining = [node for node in tree if (term, node.urn) in material.entries and node.node_id != pointer.node_id]
    headed = [node for node in tree if term in node.heading.casefold()]
    above = material.above(target)
    exact = [target] if above and above[-1].kind != "section" else []
    for found in (defining, headed, exact):
        if found:
            return min(found, key=lambda node: (-len(node.ancestor_ids), node.path))
    return None


# Exceptions, enabling authority and overlapping federal law of a scoped context. Pure.


def put_related(scope: Scope, rules: Sequence[ContextNode]) -> None:
    """Exceptions in both directions, on the rules and what contains them, and enabling authority."""
    material = scope.material

    def order(edge: EdgeRow) -> tuple[str, ...]:
        # By words and URNs, not by id: the order in which documents were ingested must not show.
        source = material.nodes.get(edge.source)
        return source.urn if source else "", edge.kind, edge.reference, edge.target_urn

    edges = sorted(material.edges, key=order)
    for rule in rules if edges else ():
        line = {(node.jurisdiction, node.node_id) for node in (*material.chain(rule), *material.trees[rule.urn])}
        # Editorial notes below the rule are no part of it, and no exception to it either.
        inside = line | {(node.jurisdiction, node.node_id) for node in material.below[rule.jurisdiction, rule.node_id]}
        subject = _subject(material, rule)
        outward = [edge for edge in edges if edge.outward and edge.source in line and edge.target not in line]
        ranges: dict[tuple[Key, str], list[ContextNode]] = {}  # what the rule yields to by a range alone, by its words
        numbered = _ranges(outward)
        for edge in outward:
            target = material.nodes.get(edge.target) if edge.target else None
            key = (edge.source, edge.reference)
            if edge.by_name:
                _name_overridden(scope, rule, edge, target)
            elif target is not None and key in numbered and not _is_named_in(material, subject, target):
                ranges.setdefault(key, []).append(target)
            else:
                _put_target(scope, rule, edge)
        meanings = _meanings(material, rule)
        read = {edge.source for edge in edges if edge.model and edge.kind == MAY_LIMIT and edge.target in line}
        general: dict[str, EdgeRow] = {}  # by URN: what prevails over a whole container, and is not about the rule
        possible: dict[str, EdgeRow] = {}  # by URN
        for edge in edges:
            if edge.outward or edge.target not in line | meanings or edge.source in inside or edge.kind == MAY_DEFINE:
                continue
            source = material.nodes.get(edge.source)
            if source is None:
                continue  # its words are not in force at the date
            if edge.kind == MAY_LIMIT:
                known = possible.get(source.urn)
                possible[source.urn] = edge if known is None or _doubt(edge) < _doubt(known) else known
            elif (
                (edge.unshared and edge.source not in read)
                or _is_beside_the_point(material, rule, subject, edge)
                or (edge.kind not in REACH and any(node.urn in general for node in material.above(source)))
            ):
                general.setdefault(source.urn, edge)
            else:
                _put_source(scope, rule, edge, source)
        _tell_ranges(scope, rule, ranges)
        _tell_general(scope, rule, [edge for urn, edge in general.items() if urn not in scope.drafts])
        _put_possible(scope, rule, {urn: edge for urn, edge in possible.items() if urn not in scope.drafts})
        _warn_of_unread(scope, rule, [edge for edge in edges if edge.kind == MAY_DEFINE and edge.target in line])
    _warn_of_law_in_limits(scope)


def _name_overridden(scope: Scope, rule: ContextNode, edge: EdgeRow, target: ContextNode | None) -> None:
    """Name what a rule, a part of it or what contains it prevails over."""
    urn, by = target.urn if target is not None else edge.target_urn, scope.material.nodes[edge.source].urn
    known = scope.prevails_over.get((by, urn))
    if known is not None:
        known.applies_to.extend([] if rule.urn in known.applies_to else [rule.urn])
    elif urn:
        headed = [node for node in scope.material.chain(target) if node.heading] if target is not None else []
        scope.prevails_over[by, urn] = PrevailsOver(
            urn=urn,
            heading=headed[-1].heading if headed else "",
            path=" > ".join(node.heading for node in headed[:-1]),
            in_force=target is not None,
            by=by,
            reference=edge.reference,
            applies_to=[rule.urn],
        )


def _ranges(edges: Iterable[EdgeRow]) -> set[tuple[Key, str]]:
    """The sources and words of references that a rule yields to and that name some of their targets by number, and
    others by what lies between."""
    targets: dict[tuple[Key, str], set[str]] = {}
    for edge in edges:
        if edge.kind in YIELDS_TO and edge.target_urn:
            targets.setdefault((edge.source, edge.reference), set()).add(edge.target_urn.rpartition(":")[2])
    return {
        key for key, numbers in targets.items()
        if 0 < len(numbers.intersection(_NUMBER.findall(key[1].casefold()))) < len(numbers)
    }  # fmt: skip


def _tell_ranges(scope: Scope, rule: ContextNode, ranges: Mapping[tuple[Key, str], Sequence[ContextNode]]) -> None:
    """Say of what a rule yields to by a range alone, and is not about the rule, what it begins with."""
    for (_, reference), targets in ranges.items():
        told = [_told(scope.material, target) for target in targets if target.urn not in scope.drafts]
        if told:
            says = "provision" if len(told) == 1 else "provisions"
            message = f"{rule.urn} yields to {len(told)} more {says} of “{reference}”: {'; '.join(told)}."
            scope.warnings.append(ContextWarning(kind="general_exceptions", message=message, urn=rule.urn))


def _told(material: Material, node: ContextNode, words: str = "") -> str:
    """A provision's URN, heading and what it says with its parts, around some words of it or at its beginning."""
    parts = {part.urn: part.text for part in (node, *material.below.get((node.jurisdiction, node.node_id), ()))}
    said = " ".join(word for text in parts.values() for word in text.split())
    wanted = " ".join(words.split())
    place = max(0, said.find(wanted))
    start = max(0, place - _SAID // 2)
    if start:  # at a space, where the script has any
        start = said.find(" ", start, place) + 1 or start
    end = start + _SAID
    if end < len(said):
        end = max(said.rfind(" ", place + len(wanted), end), 0) or end
    heading = f" ({node.heading})" if node.heading else ""
    more = " …" if end < len(said) else ""
    return f"{node.urn}{heading}: “{'… ' if start else ''}{said[start:end]}{more}”"


def _tell_general(scope: Scope, rule: ContextNode, edges: Sequence[EdgeRow]) -> None:
    """Say of what prevails over all of a container, and is not about a rule, in its own words what it says: all of a
    container in one line."""
    of_container: dict[str, list[str]] = {}  # heading or URN of the container -> provisions with their words
    for edge in edges:
        source, container = scope.material.nodes[edge.source], scope.material.nodes.get(edge.target or edge.source)
        name = container.heading or container.urn if container is not None else ""
        of_container.setdefault(name, []).append(_told(scope.material, source, edge.reference))
    for container, told in of_container.items():
        says = "provision elsewhere says" if len(told) == 1 else "provisions elsewhere say"
        message = (
            f"{len(told)} {says} where all of “{container}” does not apply or what it leaves alone: {'; '.join(told)}."
        )
        scope.warnings.append(ContextWarning(kind="general_exceptions", message=message, urn=rule.urn))


def _warn_of_law_in_limits(scope: Scope) -> None:
    """Say once which provisions that limit the rules speak of law that is not in the store."""
    told = {
        draft.node.urn: _listed(_each_once(cited))
        for draft in scope.drafts.values()
        if draft.role in ("exception", "possible_exception")
        and (cited := scope.material.elsewhere.get((draft.node.jurisdiction, draft.node.node_id)))
    }
    if told:
        named = _listed([f"{urn} ({cited})" for urn, cited in told.items()])
        message = f"What limits the rules speaks of law that is not in the store: {named}."
        scope.warnings.append(ContextWarning(kind="law_elsewhere", message=message))


def _put_possible(scope: Scope, rule: ContextNode, possible: dict[str, EdgeRow]) -> None:
    """Show what limits a rule as a language model read it, and the first provisions of which code thinks that they may
    limit it; say of all of them that nothing says so for certain, and name those that a reading does not share."""
    read = {urn: edge for urn, edge in possible.items() if edge.model}
    guessed = {urn: edge for urn, edge in possible.items() if not edge.model and not edge.unshared}
    unshared = {urn: edge for urn, edge in possible.items() if edge.unshared}
    for edge in [*read.values(), *[*guessed.values()][:_POSSIBLE]]:
        _put_source(scope, rule, edge, scope.material.nodes[edge.source])
    if read:
        models = ", ".join(sorted({edge.model for edge in read.values()}))
        message = f"{_listed(read)} may limit {rule.urn}: a language model ({models}) read it so, which is not certain."
        scope.warnings.append(ContextWarning(kind="possible_exceptions", message=message, urn=rule.urn))
    if guessed:
        message = (
            f"{_listed(guessed)} may limit {rule.urn}, which is not certain: the words seem to be about it and to "
            "take something from it."
        )
        scope.warnings.append(ContextWarning(kind="possible_exceptions", message=message, urn=rule.urn))
    if unshared:
        models = ", ".join(sorted({edge.unshared for edge in unshared.values()}))
        message = (
            f"{_listed(unshared)} may limit {rule.urn}, which is not certain: the words seem to be about it, but a "
            f"language model ({models}) that read them does not say so. Not shown here."
        )
        scope.warnings.append(ContextWarning(kind="possible_exceptions", message=message, urn=rule.urn))


def _meanings(material: Material, rule: ContextNode) -> set[Key]:
    """What says what a rule's words mean, with its parts and the provision that it is in."""
    kept = [definition for choice in material.choices[rule.urn] if choice.used for definition in choice.binding.kept]
    keys = {
        (definition.jurisdiction, node_id)
        for definition in kept
        for node_id in (*definition.ancestor_ids, *definition.subtree_ids)
    }
    return {key for key in keys if (node := material.nodes.get(key)) is not None and node.kind != "section"}


def _doubt(edge: EdgeRow) -> int:
    """How doubtful a possible limit is beside others: what a model read, what code guesses, what only code does."""
    return 0 if edge.model else 2 if edge.unshared else 1


def _warn_of_unread(scope: Scope, rule: ContextNode, edges: Sequence[EdgeRow]) -> None:
    """Say which provisions around a rule seem to say what its words mean, and were read as no definition."""
    shown = [draft.node.text for draft in scope.drafts.values() if draft.role in _WITH_WORDS] if edges else []
    words = " ".join(shown).casefold()
    found: dict[str, None] = {}
    likely: dict[str, dict[str, None]] = {}  # by the language model that read them; empty where code did
    for edge in edges:
        source = scope.material.nodes.get(edge.source)
        if source is not None and scope.is_likely(edge.reference, source.urn, rule.urn):
            likely.setdefault(edge.model, {})[f"“{edge.reference}” ({source.urn})"] = None
        draft = scope.drafts.get(source.urn) if source is not None else None
        if source is None or (draft is not None and draft.role not in _SAY_NO_MEANING):
            continue
        if edge.model:
            continue  # a definition that these words do not need
        if any(stem in words for stem in _stems(edge.reference)):
            found[f"“{edge.reference}” ({source.urn})"] = None
    for model, definitions in sorted(likely.items()):
        said = "in no known form, and likely ones by their likeness to others"
        if model:
            said = f"not certain: a language model ({model}) read them"
        message = f"These definitions are {said}: {_listed(definitions)}."
        scope.warnings.append(ContextWarning(kind="likely_definitions", message=message, urn=rule.urn))
    if found:
        message = f"What these provisions say of the meaning of words was not read as a definition: {_listed(found)}."
        scope.warnings.append(ContextWarning(kind="unread_definitions", message=message, urn=rule.urn))


def _stems(words: str) -> Iterable[str]:
    """The beginnings of the longer words; words of a script without spaces as they are."""
    for word in words.casefold().split():
        if not word.isascii() and len(word) > 1 and word[0] > "\u3000":
            yield word
        elif len(word) >= _LONG_WORD:
            yield word[: max(_LONG_WORD, min(8, len(word) - 1))]


def _is_beside_the_point(material: Material, rule: ContextNode, subject: frozenset[str], edge: EdgeRow) -> bool:
    """Whether an exception to a whole container ("nothing in this title", "notwithstanding this title") is about
    something else than the rule.

    Where half of the words of the rule's headings are not in it, one is that sets the container aside for a matter of
    its own or leaves something else alone, but for what the first part leaves alone, where general provisions stand;
    and one by which the container does not apply, of a part that neither holds the rule nor is the first. Any is that
    uses defined terms and none of the rule's, but for what a provision in the first part or in no part leaves out of
    the container. What says to whom it applies at all never is.
    """
    container, source = material.nodes.get(edge.target) if edge.target else None, material.nodes.get(edge.source)
    if container is None or source is None or container.kind != "section" or container.node_id == rule.node_id:
        return False
    if edge.kind in APPLIES:
        return False
    own = {term for node in (*_headed(material, rule), *material.trees[rule.urn]) for term in node.used_terms}
    other = {term for node in _with_parts(material, source) for term in node.used_terms}
    part = _part_of(material, container, source)
    first = part is not None and part.ordinal == 0
    if edge.kind in REACH:
        if (
            part is not None
            and part.kind == "section"
            and not first
            and part is not _part_of(material, container, rule)
        ):
            return not _is_named_in(material, subject, source)
        if part is not None and (first or part.kind != "section"):
            return False
    # A provision of the first part that uses none of the law's terms is about all of the law.
    elif not (first and not (edge.kind == "notwithstanding" and other)) and not _is_named_in(material, subject, source):
        return True
    return bool(own) and bool(other) and own.isdisjoint(other)


def _part_of(material: Material, container: ContextNode, node: ContextNode) -> ContextNode | None:
    """What of a container holds a node, right below it; None where the container does not hold the node."""
    return next((above for above in material.chain(node) if container.node_id in above.ancestor_ids[:-1]), None)


def _headed(material: Material, node: ContextNode) -> list[ContextNode]:
    """A provision with what it is a part of, up to the whole provision."""
    return [above for above in material.chain(node) if above.kind != "section"]


def _with_parts(material: Material, node: ContextNode) -> list[ContextNode]:
    """A provision with what it is a part of and its own parts."""
    return [*_headed(material, node), *material.below.get((node.jurisdiction, node.node_id), ())]


def _subject(material: Material, rule: ContextNode) -> frozenset[str]:
    """The stems of the words of a rule's headings."""
    return frozenset(stem for node in _headed(material, rule) for stem in _stems(node.heading))


def _is_named_in(material: Material, subject: frozenset[str], other: ContextNode) -> bool:
    """Whether half of the words of a rule's headings are in another provision; of a rule without headings nothing says
    that they are not."""
    words = " ".join(f"{node.heading} {node.text}" for node in _with_parts(material, other)).casefold()
    return 2 * sum(stem in words for stem in subject) >= len(subject)


def _put_source(scope: Scope, rule: ContextNode, edge: EdgeRow, source: ContextNode) -> None:
    role, priority = "exception", _priority(scope, rule, edge.target, source)
    reason = f"{edge.kind.replace('_', ' ')}: “{edge.reference}” there names the rule or what contains it"
    if edge.kind == MAY_LIMIT:
        role, priority = "possible_exception", needs.POSSIBLE
        reason = f"may limit the rule, which is not certain: it says “{edge.reference}”"
        if edge.model:
            priority = needs.READ
            reason = f"limits the rule, as {edge.model} read it, which is not certain: it says “{edge.reference}”"
    # A container prevails by its own words; the provisions below it are not repeated here.
    tree = [source] if source.kind == "section" else scope.material.below[edge.source]
    children = [part for part in tree if part.parent_id == source.node_id]
    whole = sentence_goes_on(source, children)
    for part in tree:
        if whole or part is source:
            scope.put(part, role, rule.urn, reason, priority, source.urn)
        else:
            below = f"stands below an exception: {reason}"
            scope.put(part, role, rule.urn, below, needs.BESIDE_WORDS, f"{source.urn} below")


def _priority(scope: Scope, rule: ContextNode, named: Key | None, other: ContextNode) -> int:
    """How much the rule needs an exception, by what of the rule's line it is tied to and where it stands itself."""
    chain = scope.material.chain(rule)
    above = next((ancestor for ancestor in chain[:-1] if (ancestor.jurisdiction, ancestor.node_id) == named), None)
    if above is None:
        return needs.NAMES_RULE
    if above.kind != "section":
        return needs.NAMES_ABOVE
    within = above.jurisdiction == other.jurisdiction and above.node_id in other.ancestor_ids
    return needs.NAMES_ABOVE if within and above is not chain[0] else needs.NAMES_CONTAINER


def _put_target(scope: Scope, rule: ContextNode, edge: EdgeRow) -> None:
    authority = edge.kind in AUTHORITY
    role = "authority" if authority else "exception"
    reason = f"enabling authority: “{edge.reference}”" if authority else f"the rule yields to it: “{edge.reference}”"
    target = scope.material.nodes.get(edge.target) if edge.target else None
    if target is None or edge.target is None:
        if edge.target_urn and edge.kind in YIELDS_TO:
            missing = "is referred to as an exception but is not in the store in force at the date"
            scope.omitted.append(Omitted(urn=edge.target_urn, reason=missing))
        elif edge.kind in YIELDS_TO:
            source = scope.material.nodes.get(edge.source)
            where = source.urn if source is not None else rule.urn
            message = f"{where} yields to law that is not in the store: “{edge.reference}”."
            scope.warnings.append(ContextWarning(kind="exception_elsewhere", message=message, urn=rule.urn))
        return
    priority = needs.AUTHORITY if authority else _priority(scope, rule, edge.source, target)
    if target.kind == "section":
        reason = f"{reason}; named as a whole, its provisions are not repeated here"
        scope.put(target, role, rule.urn, reason, priority, target.urn)
        return
    for part in scope.material.below[edge.target]:
        scope.put(part, role, rule.urn, reason, priority, target.urn)


def put_federal(scope: Scope, rules: Sequence[ContextNode]) -> None:
    """Federal rules that overlap a rule, a part of it or what contains it: a warning with both URNs, and the text."""
    material = scope.material
    for rule in rules if material.preemptions else ():
        line = [node.urn for node in (*material.chain(rule), *material.trees[rule.urn])]
        for preemption in matching_preemptions(material.preemptions.values(), line):
            message = (
                f"Supremacy Clause Warning: {preemption.federal_pattern} may preempt {rule.urn} ({preemption.kind})."
            )
            literal = named_by(preemption.federal_pattern)
            alone = "" if literal else "The texts of what this pattern names are not in the context."
            message = " ".join(part for part in (message, preemption.note, preemption.authority, alone) if part)
            versions = material.versions(literal) if literal else []
            untold = "" if versions else preemption.federal_pattern
            scope.warnings.append(ContextWarning(kind="preemption", message=message, urn=rule.urn, untold=untold))
            for node in _whole(scope, versions):
                reason = f"federal rule that overlaps: {preemption.kind} preemption"
                scope.put(node, "federal", rule.urn, reason, needs.FEDERAL, literal)
            if literal and not versions:
                missing = "the overlapping federal rule is not in the store in force at the date"
                scope.omitted.append(Omitted(urn=preemption.federal_pattern, reason=missing))


def _whole(scope: Scope, versions: Sequence[ContextNode]) -> Sequence[ContextNode]:
    """The nodes with all their parts; a container stands for itself where nothing else was named."""
    keys: list[Key] = [(version.jurisdiction, version.node_id) for version in versions if version.kind != "section"]
    return [part for key in keys for part in scope.material.below[key]] or versions


OVER_BUDGET = "left out to fit the token budget"


def assemble(
    conn: Connection,
    targets: Sequence[NodeVersion],
    at_date: date,
    *,
    jurisdictions: Sequence[str],
    budget_tokens: int,
    asked: AbstractSet[str] | None = None,
) -> ScopedContext:
    """Assemble the scoped context of one or more rules in two round trips, whatever their number.

    Args:
        conn: a read connection; its transaction is the snapshot.
        targets: the rules, first-ranked first, each the version in force at the date.
        at_date: the date of everything.
        jurisdictions: all jurisdictions of the store, for edges that come from elsewhere.
        budget_tokens: size limit; blocks are left out whole, and listed.
        asked: URNs of the rules and laws that the request is about, and did not only find; None for all rules.

    Returns:
        The context. `halted` when a rule that is asked about is under a halting override; `insufficient` when every
        rule is, and none is asked about.
    """
    material = look_up(conn, targets, at_date, jurisdictions=jurisdictions)
    return compose(material, budget_tokens=budget_tokens, asked=asked)


def compose(material: Material, *, budget_tokens: int, asked: AbstractSet[str] | None = None) -> ScopedContext:
    """The scoped context that some material amounts to. Pure.

    Args:
        material: what `look_up` read.
    """
    scope, targets = Scope(material), material.rules
    overrides = _overrides(material) if material.overrides else {}
    halted = [target for target in targets if _halting(overrides, target.urn)]
    for rule in halted:
        # What is asked about may be the rule, or the void law that contains it.
        struck = (node.urn for node in material.chain(rule) if _halting(overrides, node.urn))
        if asked is None or not asked.isdisjoint(struck):
            return _halt(targets, material.at_date, rule, overrides)
    left_out = [_halting(overrides, rule.urn)[0].notice(rule.urn, "left_out") for rule in halted]
    rules = [target for target in targets if target not in halted]
    for rule in halted:
        # A rule that was merely found says nothing about the others; that it is there and void is said all the same.
        message = f"{rule.urn} is left out: {_halting(overrides, rule.urn)[0].sentence()}"
        scope.warnings.append(ContextWarning(kind="override", message=message, urn=rule.urn))
        scope.omitted.append(Omitted(urn=rule.urn, reason="halted by a court override"))
    if not rules:
        return _all_left_out(scope, targets, left_out)
    for rule in rules:
        _put_rule(scope, rule)
    _warn_of_unknown_start(scope, rules)
    put_definitions(scope, rules)
    put_related(scope, rules)
    put_federal(scope, rules)
    notices = [*left_out, *_apply_overrides(scope, overrides)]
    budget = fit_budget(list(scope.drafts.values()), budget_tokens, [rule.urn for rule in rules])
    for draft in budget.dropped:
        scope.omitted.append(Omitted(urn=draft.node.urn, reason=OVER_BUDGET))
    if budget.exceeded:
        message = f"The rule alone is estimated at {budget.tokens} tokens, above the budget of {budget_tokens}."
        scope.warnings.append(ContextWarning(kind="budget", message=message))
    return _finish(scope, rules, notices, number_blocks(budget.kept, [rule.urn for rule in rules]))


def _put_rule(scope: Scope, rule: ContextNode) -> None:
    for node in scope.material.chain(rule)[:-1]:
        scope.put(node, "ancestor", rule.urn, "contains the rule", 0, node.urn)
    for node in scope.material.trees[rule.urn]:
        reason = "the rule" if node.node_id == rule.node_id else "part of the rule"
        scope.put(node, "rule", rule.urn, reason, 0, rule.urn)


def _warn_of_unknown_start(scope: Scope, rules: Sequence[ContextNode]) -> None:
    """Say once of each document whose text in force has no first day that nobody knows it, and how it is read."""
    roots = {(root := scope.material.chain(rule)[0]).urn: root for rule in rules if rule.valid_from is None}
    for urn, root in roots.items():
        name = f"“{root.heading}”" if root.heading else urn
        message = f"{name} does not say since when its text is in force: it is read as in force at every earlier date."
        scope.warnings.append(ContextWarning(kind="unknown_start", message=message, urn=urn))


def _overrides(material: Material) -> dict[str, list[Override]]:
    """Overrides of nodes and of what contains them, by the node's URN."""
    nodes = material.nodes.values()
    covering = covering_overrides(material.overrides.values(), (node.urn for node in nodes))
    covered = {node.node_id for node in nodes if node.urn in covering}
    touched = (node for node in nodes if not covered.isdisjoint(node.ancestor_ids))
    return {
        node.urn: overrides_along(covering, (ancestor.urn for ancestor in material.chain(node))) for node in touched
    }


def _halting(overrides: dict[str, list[Override]], urn: str) -> list[Override]:
    return [override for override in overrides.get(urn, []) if override.halts]


def _apply_overrides(scope: Scope, overrides: dict[str, list[Override]]) -> list[OverrideNotice]:
    """Redact what a court struck down, warn of the rest; the redacted URN leaves the allow-list with its text.

    An override of a container is told at the uppermost node of the context that it covers, and nowhere below it.
    """
    notices: list[OverrideNotice] = []
    covered = overrides.keys() & scope.drafts.keys()
    for urn in sorted(covered):
        draft = scope.drafts[urn]
        above = {node.urn for node in scope.material.chain(draft.node)} & covered - {urn}
        told = {override.id for ancestor in above for override in overrides[ancestor]}
        for override in overrides[urn]:
            if override.id in told:
                continue
            notices.append(override.notice(urn, "redact" if override.halts else "warn"))
            message = f"{urn}: {override.sentence()}"
            scope.warnings.append(ContextWarning(kind="override", message=message, urn=urn))
        if _halting(overrides, urn):
            draft.redact(_halting(overrides, urn)[0].sentence())
    return notices


def _halt(
    targets: Sequence[ContextNode], at_date: date, rule: ContextNode, overrides: dict[str, list[Override]]
) -> ScopedContext:
    found = overrides[rule.urn]
    context = ScopedContext(
        status="halted",
        targets=[target.urn for target in targets],
        at_date=at_date,
        digest="",
        blocks=[],
        definitions=[],
        overrides=[override.notice(rule.urn, "halt" if override.halts else "warn") for override in found],
        warnings=[],
        omitted=[],
        message=f"{HALT_MESSAGE} {rule.urn}: {found[0].sentence()}",
    )
    return context.model_copy(update={"digest": context_digest(context)})


def _all_left_out(scope: Scope, targets: Sequence[ContextNode], notices: list[OverrideNotice]) -> ScopedContext:
    """Nothing to answer from: all that was found is under halting overrides, and nobody asked about it."""
    named = " ".join(warning.message for warning in scope.warnings)
    context = ScopedContext(
        status="insufficient",
        targets=[target.urn for target in targets],
        at_date=scope.material.at_date,
        digest="",
        blocks=[],
        definitions=[],
        overrides=notices,
        warnings=scope.warnings,
        omitted=scope.omitted,
        message=f"All that matches the question is void or enjoined. {named}",
    )
    return context.model_copy(update={"digest": context_digest(context)})


def _finish(
    scope: Scope, targets: Sequence[ContextNode], notices: list[OverrideNotice], blocks: list[Block]
) -> ScopedContext:
    definitions = scope.definitions({block.urn for block in blocks})
    shown = [scope.drafts[block.urn].node for block in blocks]
    scope.warnings += uncertain_dates(shown, scope.material.at_date)
    inferred: dict[str, dict[str, None]] = {}
    for definition in definitions:
        if definition.inferred and not definition.read_by:
            inferred.setdefault(definition.phrase, {})[f"“{definition.term}”"] = None
    silent = inferred.pop("", None)
    if silent:
        message = (
            "That these definitions govern the rule is inferred from where they stand; no phrase in them says so: "
            f"{', '.join(silent)}."
        )
        scope.warnings.append(ContextWarning(kind="inferred_scope", message=message))
    for phrase, terms in inferred.items():
        say = "says" if len(terms) == 1 else "say"
        message = f"{', '.join(terms)} {say} “{phrase}”, and which provisions that means is inferred."
        scope.warnings.append(ContextWarning(kind="inferred_scope", message=message))
    context = ScopedContext(
        status="ok",
        targets=[target.urn for target in targets],
        at_date=scope.material.at_date,
        digest="",
        blocks=blocks,
        definitions=definitions,
        overrides=notices,
        warnings=list(dict.fromkeys(scope.warnings)),
        omitted=sorted(dict.fromkeys(scope.omitted), key=lambda omission: (omission.urn, omission.reason)),
        prevails_over=_overridden(scope, blocks),
        how_read=_how_read(scope.material, targets),
    )
    return context.model_copy(update={"digest": context_digest(context)}).with_limiting(_limiting(scope, blocks))


def _limiting(scope: Scope, blocks: Sequence[Block]) -> list[Limiting]:
    """What limits provisions of one section, as the edges between them say: where that is a whole rule, its parts are
    blocks of it alike, and their roles do not say what they are to each other."""
    place = {block.urn: number for number, block in enumerate(blocks) if block.role != "warning"}
    found: dict[Limiting, None] = {}
    for edge in scope.material.edges:
        if edge.kind not in LIMITS_RULES or edge.by_name or edge.unshared:
            continue
        yields = edge.kind in YIELDS_TO
        limited, by = (
            scope.material.nodes.get(key) if key is not None else None
            for key in ((edge.source, edge.target) if yields else (edge.target, edge.source))
        )
        if limited is None or by is None or limited.urn not in place or by.urn not in place:
            continue
        sections = [[part.urn for part in _headed(scope.material, node)[:1]] for node in (limited, by)]
        if by.node_id not in limited.ancestor_ids and sections[0] and sections[0] == sections[1]:
            words = "" if yields else edge.reference
            found[Limiting(limited.urn, by.urn, words, edge.kind != MAY_LIMIT)] = None
    return sorted(found, key=lambda one: (place[one.limited], place[one.by], not one.certain, one.words))


def _overridden(scope: Scope, blocks: Sequence[Block]) -> list[PrevailsOver]:
    """What the rules prevail over, in the order of the blocks that say so; none where a court struck down the words."""
    place = {block.urn: number for number, block in enumerate(blocks) if block.role != "warning"}

    def order(one: PrevailsOver) -> tuple[int, list[tuple[int, str]]]:
        return place[one.by], [(int(part), "") if part.isdecimal() else (-1, part) for part in _PARTS.split(one.urn)]

    return sorted((one for one in scope.prevails_over.values() if one.by in place), key=order)


def _how_read(material: Material, rules: Sequence[ContextNode]) -> str:
    """How the laws of some rules were read: by rules alone, or by language models as well, and which of them."""
    read: dict[str, list[EdgeRow]] = {}  # URN of a law -> what models have read it
    for rule in rules:
        root = material.chain(rule)[0]
        key = root.jurisdiction, root.node_id
        read[root.urn] = [edge for edge in material.edges if edge.kind == READ_BY and edge.source == key]
    if not any(read.values()):
        return BY_RULES
    models = sorted({edge.model for edges in read.values() for edge in edges})
    parts = " a part of" if any(edge.reference == IN_PART for edges in read.values() for edge in edges) else ""
    said = (
        f"Definitions and exceptions: found by rules, and by a language model ({', '.join(models)}) that read{parts} "
    )
    said += "this law" if all(read.values()) else _listed(urn for urn, edges in read.items() if edges)
    unread = [urn for urn, edges in read.items() if not edges]
    return f"{said}; no model has read {_listed(unread)}." if unread else f"{said}. What it alone found is marked."


def assemble_read(
    conn: Connection,
    grammars: Grammars,
    targets: Sequence[NodeVersion],
    at_date: date,
    *,
    jurisdictions: Sequence[str],
    budget_tokens: int,
    asked: AbstractSet[str] | None = None,
    first_whole: bool = False,
) -> ScopedContext:
    """`assemble`, with warnings for repealed provisions and for law that no module of its jurisdiction reads.

    A context without definitions says "none apply" only where they were looked for. With `first_whole` the last
    rules give way where the budget leaves something out, until it has room for all that the others need or one is left.
    """
    material = look_up(conn, targets, at_date, jurisdictions=jurisdictions)
    context = compose(material, budget_tokens=budget_tokens, asked=asked)
    if first_whole:
        ranked = context.targets  # without what a court struck down
        for most in range(len(ranked) - 1, 0, -1):
            if not any(omitted.reason == OVER_BUDGET for omitted in context.omitted):
                break
            targets = [target for target in targets if target.urn not in ranked[most:]]
            fewer = replace(material, rules=[rule for rule in material.rules if rule.urn not in ranked[most:]])
            context = compose(fewer, budget_tokens=budget_tokens, asked=asked)
    places = dict.fromkeys((target.jurisdiction, target.language) for target in targets)
    notes = [grammars.reading_note(code, language) for code, language in places]
    warnings = [ContextWarning(kind="reading", message=f"{note[0].upper()}{note[1:]}.") for note in notes if note]
    for target in targets:
        if said := gone_since(target.urn, target):
            message = f"{said} What the store has in its place is no law."
            warnings.append(ContextWarning(kind="repealed", message=message, urn=target.urn))
    if not warnings:
        return context
    how_read = "" if any(notes) and context.how_read == BY_RULES else context.how_read  # the warning says it
    said = context.model_copy(update={"warnings": [*context.warnings, *warnings], "how_read": how_read})
    return said.model_copy(update={"digest": context_digest(said)})
