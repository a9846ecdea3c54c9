"""What a language model read in a law: the windows that it is shown, what is kept of its replies, and what that adds.

A model proposes. An item is kept where the law's own words bear it out: its quotation is in the provision, the window
has its provisions, and the law uses its term. It becomes edges and definitions that name the model (`MODEL`); contexts
mark them as read by it and never give them as certain. What code reads by itself stands, and takes precedence. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rag.ingest.annotation import term_uses
from rag.languages.registry import term_rules
from rag.languages.text import count_words, locate
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Definition, Link, ParsedDocument, ParsedNode
from rag.law.term_uses import TermIndex, TermRules
from rag.models.law_reading import (
    WHOLE,
    DefinitionItem,
    Items,
    LawItem,
    LimitItem,
    ReadingPrompt,
    Relation,
    reading_prompt,
)
from retrieval.providers.embedding import estimated_tokens

MODEL = "model"  # the property of an edge that a model read; its value names the model
WINDOW_TOKENS = 12_000  # of the law's words in one call, estimated
_WINDOW_NODES = 400
_REPEATED_TOKENS = 1_500  # most of a section of definitions that every window repeats
_LEAST_WORDS = 2  # of a quotation
_LONGEST_TERM = 120  # characters
_ADDITIONS = ("includes", "excludes")
_GUESSES = ("may_limit", "may_define")


@dataclass(frozen=True, slots=True)
class Window:
    """Provisions of a law that are read together.

    Attributes:
        nodes: those that have a number, from 1 on in this order.
        own: URNs of those that no other window has; the others are headings above and definitions.
        prompt: what a model is sent.
    """

    nodes: tuple[ParsedNode, ...]
    own: frozenset[str]
    prompt: ReadingPrompt


@dataclass(frozen=True, slots=True)
class Read:
    """A window with what a model listed for it."""

    window: Window
    items: Items
    model: str


@dataclass(slots=True)
class Applied:
    """How many edges and definitions readings added, and how many guesses of the learned readers went."""

    limits: int = 0
    definitions: int = 0
    other_laws: int = 0
    dropped_guesses: int = 0


class LawWindows:
    """The windows of one document, and what its words bear out of a reply."""

    def __init__(self, document: ParsedDocument) -> None:
        self.document = document
        current: dict[str, ParsedNode] = {}  # of a node with several versions the last to begin
        for node in document.nodes:
            known = current.get(node.urn)
            if known is None or (
                node.valid_from is not None and (known.valid_from or node.valid_from) <= node.valid_from
            ):
                current[node.urn] = node
        self._nodes = list(current.values())
        self._index = DocumentIndex(document if len(current) == len(document.nodes) else _only(document, self._nodes))
        self.rules: TermRules = term_rules(document.corpus.language)

    def windows(self) -> list[Window]:
        """The windows, in the order of the law; none of what is no legislation."""
        if not any(node.kind == "legislation" for node in self._nodes[1:]):
            return []
        root = self._nodes[0]
        tokens = {node.urn: estimated_tokens(f"{node.heading}\n{node.text}") for node in self._nodes}
        sizes: dict[str, tuple[int, int]] = {}  # of subtrees: tokens and nodes
        for node in reversed(self._nodes):
            below = [sizes[part.urn] for part in self._index.tree.children(node.urn)]
            sizes[node.urn] = tokens[node.urn] + sum(size for size, _ in below), 1 + sum(count for _, count in below)
        parts = list(self._packed(self._index.tree.children(root.urn), sizes))
        repeated = self._definitions_section(sizes) if len(parts) > 1 else frozenset[str]()
        seen = set[str]()
        windows: list[Window] = []
        for units in parts:
            own = {node.urn for unit in units for node in self._index.tree.subtree(unit)}
            own |= {above.urn for unit in units for above in self._index.chain(unit) if above is not root or root.text}
            nodes = tuple(node for node in self._nodes if node.urn in own or node.urn in repeated)
            windows.append(Window(nodes, frozenset(own - seen), self._prompt(nodes)))
            seen |= own
        return windows

    def _packed(self, units: Sequence[ParsedNode], sizes: Mapping[str, tuple[int, int]]) -> Iterator[list[ParsedNode]]:
        """Units in groups that fit a window; one that does not fit is taken apart."""
        group, tokens, count = list[ParsedNode](), 0, 0
        for unit in units:
            size, nodes = sizes[unit.urn]
            if group and (tokens + size > WINDOW_TOKENS or count + nodes > _WINDOW_NODES):
                yield group
                group, tokens, count = [], 0, 0
            parts = self._index.tree.children(unit.urn)
            if parts and (size > WINDOW_TOKENS or nodes > _WINDOW_NODES):
                yield from self._packed(parts, sizes)
                continue
            group, tokens, count = [*group, unit], tokens + size, count + nodes
        if group:
            yield group

    def _definitions_section(self, sizes: Mapping[str, tuple[int, int]]) -> frozenset[str]:
        """The URNs of the section with most of the definitions that code read, where it is small."""
        read = _read_by_models(self.document.links)
        places = Counter[str]()
        for definition in self.document.definitions:
            node = self._index.node(definition.node_urn)
            section = self._index.section(node) if node is not None else None
            if section is not None and _key(definition) not in read:
                places[section.urn] += 1
        for urn, _ in sorted(places.items(), key=lambda place: (-place[1], place[0]))[:1]:
            if sizes[urn][0] <= _REPEATED_TOKENS:
                return frozenset(node.urn for node in self._index.tree.subtree(self._index.tree.by_urn[urn]))
        return frozenset()

    def _prompt(self, nodes: Sequence[ParsedNode]) -> ReadingPrompt:
        lines = list[str]()
        for number, node in enumerate(nodes, start=1):
            depth = "  " * (len(self._index.chain(node)) - 2)
            name = f"{node.level} {node.number or node.urn.rpartition(':')[2]}"
            heading = f" — {' '.join(node.heading.split())}" if node.heading else ""
            lines.append(f"{depth}[{number}] {name}{heading}")
            lines += [f"{depth}{line.strip()}" for line in node.text.splitlines() if line.strip()]
        corpus, root = self.document.corpus, self._nodes[0]
        titles = dict.fromkeys(" ".join(title.split()) for title in (corpus.title, root.heading) if title)
        return reading_prompt(", ".join(titles), corpus.language, "\n".join(lines), len(nodes))

    # What is kept.

    def checked(self, window: Window, items: Items) -> tuple[Items, dict[str, int]]:
        """What of some items the law bears out, and how many were dropped for which reason."""
        dropped = Counter[str]()
        limits = [self._limit(window, item, dropped) for item in items.limits]
        laws = [item for item in items.other_laws if self._is_law(window, item, dropped)]
        definitions = [self._definition(window, item, dropped) for item in items.definitions]
        return (
            Items(
                limits=tuple(dict.fromkeys(item for item in limits if item is not None)),
                definitions=tuple(dict.fromkeys(item for item in definitions if item is not None)),
                other_laws=tuple(dict.fromkeys(laws)),
            ),
            dict(sorted(dropped.items())),
        )

    def _node(self, window: Window, number: int) -> ParsedNode | None:
        """The provision of a number; the law's root for the law as a whole."""
        if number == WHOLE:
            return self._nodes[0]
        return window.nodes[number - 1] if 0 < number <= len(window.nodes) else None

    def _bears_out(self, window: Window, number: int, quote: str, dropped: Counter[str]) -> ParsedNode | None:
        """The provision of a number if it has a quotation word by word."""
        node = self._node(window, number) if number != WHOLE else None
        if node is None:
            dropped["unknown provision"] += 1
        elif count_words(quote) < _LEAST_WORDS or not locate(quote, node.text):
            dropped["not in the provision"] += 1
        else:
            return node
        return None

    def _limit(self, window: Window, item: LimitItem, dropped: Counter[str]) -> LimitItem | None:
        source = self._bears_out(window, item.limiting, item.quote, dropped)
        if source is None:
            return None
        limited = list[int]()
        for number in dict.fromkeys(item.limited):
            target = self._node(window, number)
            if target is None:
                dropped["unknown provision"] += 1
            elif source in self._index.chain(target):
                dropped["limits itself"] += 1
            else:
                limited.append(number)
        return item.model_copy(update={"limited": tuple(limited)}) if limited else None

    def _definition(self, window: Window, item: DefinitionItem, dropped: Counter[str]) -> DefinitionItem | None:
        node = self._bears_out(window, item.provision, item.quote, dropped)
        if node is None:
            return None
        term = self.rules.normalise(item.term)
        scopes = [number for number in dict.fromkeys(item.scope) if self._node(window, number) is not None]
        if len(scopes) < len(item.scope) or not scopes:
            dropped["unknown provision"] += 1
            return None
        parent = self._index.tree.parent(node)
        said = "\n".join((node.heading, node.text, parent.heading if parent else "", parent.text if parent else ""))
        if (
            not any(char.isalnum() for char in term)
            or len(term) > _LONGEST_TERM
            or not (locate(item.term, said) or TermIndex((term,), self.rules).find(said))
        ):
            dropped["term not in the provision"] += 1
            return None
        forms = tuple(form for form in dict.fromkeys(item.forms) if self._is_form(form, term))
        units = [unit for number in scopes if (unit := self._node(window, number)) is not None]
        if not self._is_used(node, term, forms, units):
            dropped["term not used"] += 1
            return None
        return item.model_copy(update={"scope": tuple(scopes), "forms": forms})

    def _is_form(self, form: str, term: str) -> bool:
        plain = self.rules.normalise(form)
        return bool(plain) and plain != term and len(plain) <= _LONGEST_TERM and any(map(str.isalpha, plain))

    def _is_used(self, node: ParsedNode, term: str, forms: Sequence[str], scopes: Sequence[ParsedNode]) -> bool:
        """Whether a provision in a scope uses a term besides the words that define it."""
        terms = TermIndex((term, *map(self.rules.normalise, forms)), self.rules)
        for unit in scopes:
            for user in self._index.tree.subtree(unit):
                if len(terms.find(user.text)) > (user is node):
                    return True
        return False

    def _is_law(self, window: Window, item: LawItem, dropped: Counter[str]) -> bool:
        node = self._bears_out(window, item.provision, item.quote, dropped)
        if node is None:
            return False
        if not locate(item.name, node.text):
            dropped["name not in the provision"] += 1
            return False
        return True

    # What it adds.

    def apply(self, readings: Sequence[Read]) -> Applied:
        """Add to the document what readings of its windows bear out; what they were checked for is checked again.

        What an earlier call added is taken out first. In provisions that were read, guesses of the learned readers that
        no reading shares are taken out too.
        """
        self._forget()
        applied = Applied()
        if not readings:
            return applied
        document, rules = self.document, self.rules
        own = {urn for read in readings for urn in read.window.own}
        likely = self._likely()
        certain = [definition for definition in document.definitions if _key(definition) not in likely]
        meanings: dict[str, list[Definition]] = {}
        for definition in certain:
            meanings.setdefault(rules.normalise(definition.term), []).append(definition)
        before = len(document.links) + len(document.definitions)
        document.definitions[:] = [
            definition for definition in document.definitions
            if _key(definition) not in likely or definition.node_urn not in own
        ]  # fmt: skip
        document.links[:] = [link for link in document.links if link.kind not in _GUESSES or link.source_urn not in own]
        applied.dropped_guesses = before - len(document.links) - len(document.definitions)
        links: dict[tuple[str, ...], Link] = {}
        added: dict[tuple[str, str, str], Definition] = {}
        forms: dict[str, dict[str, list[ParsedNode]]] = {}  # other form -> term -> nodes in whose parts it is the term
        for read in readings:
            kept, _ = self.checked(read.window, read.items)
            for link in self._links(read, kept):
                words = link.reference if link.kind == "may_cite" else ""
                links.setdefault((link.source_urn, link.kind, link.target_urn, words), link)
            for item in kept.definitions:
                for definition in self._definitions(read.window, item, meanings):
                    term = rules.normalise(definition.term)
                    key = (definition.node_urn, term, definition.scope_urn)
                    if key in added:
                        continue
                    added[key] = definition
                    noted = Link(
                        definition.node_urn, "may_define", definition.term, definition.scope_urn, {MODEL: read.model}
                    )
                    links[*key, noted.kind] = noted
                    scope = self._index.tree.by_urn[definition.scope_urn]
                    for form in item.forms:
                        forms.setdefault(rules.normalise(form), {}).setdefault(term, []).append(scope)
        document.definitions.extend(added.values())
        document.links.extend(links.values())
        self._note_uses({term for _, term, _ in added}, forms)
        applied.definitions = len(added)
        kinds = Counter(link.kind for link in links.values())
        applied.limits, applied.other_laws = kinds["may_limit"], kinds["may_cite"]
        return applied

    def _forget(self) -> None:
        """Take out what an earlier reading added."""
        document = self.document
        noted = _read_by_models(document.links)
        document.definitions[:] = [definition for definition in document.definitions if _key(definition) not in noted]
        document.links[:] = [link for link in document.links if MODEL not in link.properties]

    def _likely(self) -> set[tuple[str, str, str]]:
        """Keys of the definitions that the learned reader of definitions gave."""
        noted = {(link.source_urn, link.reference, link.target_urn)
                 for link in self.document.links if link.kind == "may_define"}  # fmt: skip
        return {_key(definition) for definition in self.document.definitions if definition.inferred} & noted

    def _links(self, read: Read, kept: Items) -> Iterator[Link]:
        for item in kept.limits:
            source = read.window.nodes[item.limiting - 1]
            said = self._place(source, item.quote)
            for number in item.limited:
                target = self._node(read.window, number)
                if target is not None:
                    yield self._link(source, "may_limit", said, target.urn, {MODEL: read.model, "says": item.kind})
        cited = {(link.source_urn, link.reference) for link in self.document.links if link.kind == "cites"}
        for item in kept.other_laws:
            source = read.window.nodes[item.provision - 1]
            said = self._place(source, item.name)
            name = source.text[said[0] : said[1]]
            if not any(urn == source.urn and name in reference for urn, reference in cited):
                yield self._link(source, "may_cite", said, "", {MODEL: read.model, "external": "true"})

    def _place(self, node: ParsedNode, quote: str) -> tuple[int, int]:
        return locate(quote, node.text)[0]

    def _link(
        self, source: ParsedNode, kind: str, said: tuple[int, int], target: str, properties: dict[str, str]
    ) -> Link:
        start, end = said
        words = " ".join(source.text[start:end].split())
        return Link(source.urn, kind, words, target, {"start": str(start), "end": str(end), **properties})

    def _definitions(
        self, window: Window, item: DefinitionItem, meanings: Mapping[str, Sequence[Definition]]
    ) -> Iterator[Definition]:
        """The definitions of an item, one for each scope; none where code read the same.

        Where code only inferred from its place that a definition governs less, what a model read of its scope is added.
        A meaning that code read is never displaced: what a model read of a narrower scope only adds to it, and another
        meaning of the same scope stands beside it, which contexts tell as a conflict.
        """
        node = window.nodes[item.provision - 1]
        known = meanings.get(self.rules.normalise(item.term), ())
        section = self._index.section(node) or node
        same = [
            definition
            for definition in known
            if section in self._index.chain(self._index.tree.by_urn[definition.node_urn])
        ]
        for number in item.scope:
            scope = self._node(window, number)
            if scope is None:
                continue
            line = {unit.urn for unit in self._index.chain(scope)}
            stated = (not definition.inferred or bool(definition.phrase) for definition in same)
            if any(stated) or any(definition.scope_urn in line for definition in same):
                continue
            wider = line - {scope.urn}
            meant = any(definition.scope_urn in wider and definition.relation not in _ADDITIONS for definition in known)
            relation: Relation = "includes" if meant and item.relation not in _ADDITIONS else item.relation
            yield Definition(item.term, node.urn, scope.urn, relation, inferred=True)

    def _note_uses(self, terms: set[str], forms: Mapping[str, Mapping[str, Sequence[ParsedNode]]]) -> None:
        """Note which provisions use the new terms, in the forms of the language and in those that were read."""
        document = self.document
        found: dict[str, set[str]] = {}
        if terms:
            for use in term_uses(document, self._index, self.rules, terms):
                found.setdefault(use.node_urn, set()).add(use.term)
        index = TermIndex(forms, self.rules)
        for node in self._nodes if forms else ():
            line = {unit.urn for unit in self._index.chain(node)}
            for _, _, form in index.find(node.text):
                for term, scopes in forms[form].items():
                    if any(scope.urn in line for scope in scopes):
                        found.setdefault(node.urn, set()).add(term)
        for urn, used in found.items():
            document.used_terms[urn] = sorted(used.union(document.used_terms.get(urn, ())))
        for place, definition in enumerate(document.definitions):
            if definition.used_terms is not None and (used := found.get(definition.node_urn)):
                both = tuple(sorted(used.union(definition.used_terms)))
                document.definitions[place] = replace(definition, used_terms=both)


def _key(definition: Definition) -> tuple[str, str, str]:
    return definition.node_urn, definition.term, definition.scope_urn


def _read_by_models(links: Iterable[Link]) -> set[tuple[str, str]]:
    return {
        (link.source_urn, link.reference) for link in links if link.kind == "may_define" and MODEL in link.properties
    }


def _only(document: ParsedDocument, nodes: list[ParsedNode]) -> ParsedDocument:
    return replace(document, nodes=nodes)
