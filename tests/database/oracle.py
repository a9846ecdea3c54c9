"""A second, brute-force reading of what C(R) is: loops over plain records, no SQL, nothing shared with the engine.

It also draws the random bodies of law that the two readings are compared on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date

import law
from hypothesis import strategies as st
from law import Span

from rag.law.nodes import Definition, Link, ParsedDocument

STATE = "urn:lex:us-dc:tc"
FEDERAL = "urn:lex:us:fc"
A, B, E = date(2000, 1, 1), date(2010, 1, 1), date(2020, 1, 1)
HISTORIES: list[list[Span]] = [
    [(None, None)], [(None, None)], [(A, None)], [(A, B)], [(A, B), (B, None)], [(B, E)], [(None, B), (E, None)],
    [(A, B), (B, E), (E, None)],
]  # fmt: skip
DATES = [
    date(1999, 12, 31), A, date(2009, 12, 31), B, date(2015, 6, 1), date(2019, 12, 31), E, date(2025, 1, 1)
]  # fmt: skip
TERMS = ["alpha", "beta", "gamma", "delta"]
RANKS = ("rule", "ancestor", "definition", "exception", "authority", "federal", "warning")


def holds(span: Span, at: date) -> bool:
    return (span[0] is None or span[0] <= at) and (span[1] is None or at < span[1])


@dataclass
class Def:
    term: str
    urn: str
    scope: str
    relation: str
    spans: list[Span]  # of the versions that define it


@dataclass
class Edge:
    source: str
    kind: str
    target: str
    reference: str
    spans: list[Span]


@dataclass
class Order:
    """A court's override."""

    pattern: str
    status: str
    span: Span


@dataclass
class Overlap:
    """A federal rule that overlaps."""

    federal: str
    pattern: str
    span: Span


@dataclass
class Law:
    """Everything there is, by URN in document order."""

    history: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])
    used: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    definitions: list[Def] = field(default_factory=list[Def])
    edges: list[Edge] = field(default_factory=list[Edge])
    orders: list[Order] = field(default_factory=list[Order])
    overlaps: list[Overlap] = field(default_factory=list[Overlap])

    # --- reading ---

    def version(self, urn: str, at: date) -> Span | None:
        return next((span for span in self.history.get(urn, []) if holds(span, at)), None)

    def above(self, urn: str, at: date) -> list[str]:
        """Ancestors in force, root first."""
        return [name for name in self.history if urn.startswith(f"{name}:") and self.version(name, at)]

    def tree(self, urn: str, at: date) -> list[str]:
        """The node and everything below it in force."""
        return [name for name in self.history if f"{name}:".startswith(f"{urn}:") and self.version(name, at)]

    def words(self, urn: str) -> list[str]:
        return self.used.get(urn, [])

    def documents(self) -> list[ParsedDocument]:
        """One document a title."""
        found: list[ParsedDocument] = []
        titles = [urn for urn in self.history if urn.count(":") == 4]
        for title in titles:
            urns = [urn for urn in self.history if f"{urn}:".startswith(f"{title}:")]
            nodes = [
                law.node(urn, text_of(self, urn, span), valid_from=span[0], valid_to=span[1])
                for urn in urns
                for span in self.history[urn]
            ]
            inside = set(urns)
            found.append(
                law.document(
                    nodes,
                    [
                        Definition(definition.term, definition.urn, definition.scope, definition.relation)
                        for definition in self.definitions
                        if definition.urn in inside
                    ],
                    [
                        Link(edge.source, edge.kind, edge.reference, edge.target)
                        for edge in self.edges
                        if edge.source in inside
                    ],
                    {urn: words for urn, words in self.used.items() if urn in inside},
                )
            )
        return found


def text_of(law_: Law, urn: str, span: Span) -> str:
    """A version's words: its own name, and the terms and references that this version has."""
    words = [f"Words of {urn} from {span[0]}."]
    words += [
        f"“{definition.term}” is defined."
        for definition in law_.definitions
        if definition.urn == urn and span in definition.spans
    ]
    words += [f"See {edge.reference}." for edge in law_.edges if edge.source == urn and span in edge.spans]
    return " ".join(words)


def covers(pattern: str, urn: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))) + "(:.*)?", urn) is not None


@dataclass
class Expected:
    """What the engine must say of a rule at a date."""

    halted: bool
    roles: dict[str, str] = field(default_factory=dict[str, str])  # URN -> role
    kept: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])  # term, URN, scope
    shadowed: dict[tuple[str, str, str], list[set[str]]] = field(
        default_factory=dict[tuple[str, str, str], list[set[str]]]
    )
    redacted: set[str] = field(default_factory=set[str])
    warned: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])  # URN, pattern
    federal: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])  # federal pattern, rule
    omitted: set[str] = field(default_factory=set[str])
    over: set[tuple[str, str, bool]] = field(
        default_factory=set[tuple[str, str, bool]]
    )  # what says so, what yields to it, whether that is in force
    general: set[str] = field(default_factory=set[str])  # exceptions to a whole container that are named in one line


def is_halted(law_: Law, urn: str, at: date) -> bool:
    """Whether a court halted a node or what contains it."""
    halting = [order for order in law_.orders if holds(order.span, at) and order.status in ("VOID", "ENJOINED")]
    return any(covers(order.pattern, each) for order in halting for each in [*law_.above(urn, at), urn])


def binding(law_: Law, term: str, user: str, at: date) -> tuple[list[Def], list[Def], list[Def]]:
    """What a term means where a node uses it: kept, shadowed and halted definitions, closest scope first."""
    in_scope = [
        definition for definition in law_.definitions
        if definition.term == term and f"{user}:".startswith(f"{definition.scope}:")
        and started(law_, definition, at) is not None
    ]  # fmt: skip
    depths = sorted({definition.scope.count(":") for definition in in_scope}, reverse=True)
    kept: list[Def] = []
    void: list[Def] = []
    for depth in depths:
        every = [definition for definition in in_scope if definition.scope.count(":") == depth]
        level = [definition for definition in every if not is_halted(law_, definition.urn, at)]
        void += [definition for definition in every if definition not in level]
        meanings = [definition for definition in level if definition.relation not in ("includes", "excludes")]
        kept += [definition for definition in level if definition.relation in ("includes", "excludes")]
        if meanings:
            kept += {meaning.urn: meaning for meaning in reversed(meanings)}.values()
            break
    return (
        kept,
        [definition for definition in in_scope if not any(definition is other for other in [*kept, *void])],
        void,
    )


def started(law_: Law, definition: Def, at: date) -> int | None:
    """The day that the defining version began; None where none is in force."""
    span = law_.version(definition.urn, at)
    if span is None or span not in definition.spans:
        return None
    return span[0].toordinal() if span[0] else 0


def expect(law_: Law, rule: str, at: date) -> Expected:
    """C(R) by brute force."""
    tree, above = law_.tree(rule, at), law_.above(rule, at)
    striking = [order for order in law_.orders if holds(order.span, at)]
    halting = [order for order in striking if order.status in ("VOID", "ENJOINED")]
    if any(covers(order.pattern, urn) for order in halting for urn in [*above, rule]):
        return Expected(halted=True)
    out = Expected(halted=False)
    line = [*above, *tree]

    def give(urn: str, role: str) -> None:
        old = out.roles.get(urn)
        out.roles[urn] = min((old or role, role), key=RANKS.index)

    for urn in above:
        give(urn, "ancestor")
    for urn in tree:
        give(urn, "rule")
    for user, term in sorted(users(law_, rule, tree, above, at)):
        keep_definitions(law_, out, give, user, term, at)
    for edge in law_.edges:
        span = law_.version(edge.source, at)
        if span is None or span not in edge.spans:
            continue
        if edge.kind == "subject_to" and edge.source in line and edge.target not in line:
            if law_.version(edge.target, at) is None:
                out.omitted.add(edge.target)
            else:
                for urn in whole(law_, edge.target, at):
                    give(urn, "exception")
        if edge.kind == "notwithstanding" and edge.source in line and edge.target not in line:
            out.over.add((edge.source, edge.target, law_.version(edge.target, at) is not None))
        if edge.kind == "notwithstanding" and edge.target in line and edge.source not in line:
            if beside_the_point(law_, rule, edge, at):
                out.general.add(edge.source)
                continue
            for urn in whole(law_, edge.source, at):
                give(urn, "exception")
    for overlap in law_.overlaps:
        if holds(overlap.span, at) and any(covers(overlap.pattern, urn) for urn in line):
            out.federal.add((overlap.federal, rule))
            for urn in whole(law_, overlap.federal, at):
                give(urn, "federal")
            if law_.version(overlap.federal, at) is None:
                out.omitted.add(overlap.federal)
    keep_defined(law_, out, rule, tree, above, at)
    for urn in list(out.roles):
        chain = [*law_.above(urn, at), urn]
        hits = [order for order in striking if any(covers(order.pattern, each) for each in chain)]
        # What an order does to a whole container is told at the uppermost node that is shown.
        told = [each for each in chain[:-1] if each in out.roles]
        out.warned.update(
            (urn, hit.pattern) for hit in hits if not any(covers_within(law_, hit, each, at) for each in told)
        )
        if any(hit in halting for hit in hits):
            out.redacted.add(urn)
            out.roles[urn] = "warning"
    out.over = {each for each in out.over if each[0] not in out.redacted}
    return out


def beside_the_point(law_: Law, rule: str, edge: Edge, at: date) -> bool:
    """Whether an exception to a whole title or the code is about other terms than the rule."""
    if edge.target.count(":") > 4 or edge.target == rule:
        return False

    def terms(urn: str) -> set[str]:
        section = [place for place in law_.above(urn, at) if place.count(":") > 4]
        return {term for place in (*section, *law_.tree(urn, at)) for term in law_.words(place)}

    own = terms(rule) if rule.count(":") > 4 else {term for urn in law_.tree(rule, at) for term in law_.words(urn)}
    other = terms(edge.source) if edge.source.count(":") > 4 else set(law_.words(edge.source))
    return bool(own) and bool(other) and own.isdisjoint(other)


def covers_within(law_: Law, order: Order, urn: str, at: date) -> bool:
    """Whether an order covers a node or what contains it."""
    return any(covers(order.pattern, each) for each in (*law_.above(urn, at), urn))


def whole(law_: Law, urn: str, at: date) -> list[str]:
    """A provision with all its parts; of a title only the title, since it would be a whole book."""
    if law_.version(urn, at) is None:
        return []
    return [urn] if urn.count(":") <= 4 else law_.tree(urn, at)


def users(law_: Law, rule: str, tree: list[str], above: list[str], at: date) -> set[tuple[str, str]]:
    """(node, term): a term counts as used by the innermost part that defines it for itself, else by the rule."""
    found = {(rule, term) for urn in above if urn.count(":") > 4 for term in law_.words(urn)}
    for urn in tree:
        for term in law_.words(urn):
            inside = [place for place in [*law_.above(urn, at), urn] if place in tree and place != rule]
            own = [
                urn for urn in inside
                if any(d.scope == urn and d.term == term and started(law_, d, at) is not None for d in law_.definitions)
            ]  # fmt: skip
            found.add((own[-1] if own else rule, term))
    return found


def keep_definitions(law_: Law, out: Expected, give: object, user: str, term: str, at: date) -> None:
    """What a used term needs, and what the words of that need in turn."""
    waiting, seen = [term], set[str]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        kept, shadowed, void = binding(law_, one, user, at)
        for definition in void:
            for urn in law_.tree(definition.urn, at):
                give(urn, "definition")  # pyright: ignore[reportCallIssue]
        for definition in kept:
            key = (definition.term, definition.urn, definition.scope)
            out.kept.add(key)
            out.shadowed.setdefault(key, []).append({other.urn for other in shadowed})
            for urn in law_.tree(definition.urn, at):
                give(urn, "definition")  # pyright: ignore[reportCallIssue]
                waiting.extend(law_.words(urn))


def keep_defined(law_: Law, out: Expected, rule: str, tree: list[str], above: list[str], at: date) -> None:
    """What a term means that the rule's own words define for it or for a part: named where its node is shown anyway."""
    for entry in law_.definitions:
        around = entry.urn in tree or (entry.urn in above and entry.urn.count(":") > 4)
        user = entry.scope if entry.scope in tree else rule
        if not around or started(law_, entry, at) is None or not f"{user}:".startswith(f"{entry.scope}:"):
            continue
        kept, shadowed, _ = binding(law_, entry.term, user, at)
        for definition in kept:
            if definition.urn in out.roles:
                key = (definition.term, definition.urn, definition.scope)
                out.kept.add(key)
                out.shadowed.setdefault(key, []).append({other.urn for other in shadowed})


# --- random law -----------------------------------------------------------------------------------------------------


@st.composite
def bodies_of_law(draw: st.DrawFn) -> Law:
    """A small state code and a smaller federal one with everything that a context is made of."""
    out = Law()
    out.history[STATE] = out.history[FEDERAL] = [(None, None)]
    histories = st.sampled_from(HISTORIES)

    def grow(parent: str, depth: int, most: int) -> None:
        for number in range(1, draw(st.integers(1 if depth < 2 else 0, most)) + 1):
            urn = f"{parent}:{number}"
            out.history[urn] = draw(histories) if depth else [(None, None)]
            if depth < 3:
                grow(urn, depth + 1, 2)

    grow(STATE, 0, 2)
    grow(FEDERAL, 0, 1)
    state = [urn for urn in out.history if urn.startswith(f"{STATE}:")]
    leaves = [urn for urn in state if urn.count(":") > 4]
    anywhere = st.sampled_from([urn for urn in out.history if urn.count(":") > 3])
    for urn in state:
        out.used[urn] = draw(st.lists(st.sampled_from(TERMS), unique=True, max_size=2))
    for _ in range(draw(st.integers(0, 6))):
        urn = draw(st.sampled_from(leaves))
        title = ":".join(urn.split(":")[:5])
        scopes = [STATE, *(name for name in state if f"{name}:".startswith(f"{title}:"))]
        out.definitions.append(Def(
            draw(st.sampled_from(TERMS)), urn, draw(st.sampled_from(scopes)),
            draw(st.sampled_from(["means", "means", "includes"])), [],
        ))  # fmt: skip
    for number in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["subject_to", "notwithstanding"]))
        out.edges.append(Edge(draw(st.sampled_from(state)), kind, draw(anywhere), f"reference {number}", []))
    for definition in [*out.definitions, *out.edges]:
        definition.spans = attached(draw, out, definition)
    spans = st.sampled_from([(None, None), (A, None), (None, B), (B, E)])
    for _ in range(draw(st.integers(0, 2))):
        pattern = draw(st.one_of(anywhere, anywhere.map(lambda urn: f"{urn.rpartition(':')[0]}:*")))
        out.orders.append(Order(pattern, draw(st.sampled_from(["VOID", "ENJOINED", "STAYED"])), draw(spans)))
    for _ in range(draw(st.integers(0, 2))):
        federal = draw(st.sampled_from([urn for urn in out.history if urn.startswith(f"{FEDERAL}:1")]))
        out.overlaps.append(Overlap(federal, draw(st.sampled_from(state)), draw(spans)))
    return out


def attached(draw: st.DrawFn, out: Law, one: Def | Edge) -> list[Span]:
    """The versions whose words have a definition or reference; what one version of a node defines, another may not."""
    history = out.history[one.urn if isinstance(one, Def) else one.source]
    same = [
        other for other in out.definitions
        if isinstance(one, Def) and other is not one and (other.term, other.urn) == (one.term, one.urn) and other.spans
    ]  # fmt: skip
    if same:
        return same[0].spans  # one word in one text: both readings of it hang on the same versions
    return draw(st.lists(st.sampled_from(history), min_size=1, unique=True)) if len(history) > 1 else history
