"""What a language model read in a law: the windows that it is shown, what is kept of its replies, and what that adds.

A model proposes. An item is kept where the law's own words bear it out: its quotation is in the provision, the window
has its provisions, and the law uses its term. It becomes edges and definitions that name the model (`MODEL`); contexts
mark them as read by it and never give them as certain. What code reads by itself stands, and takes precedence. Pure.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import pairwise

from rag.ingest.used_terms import term_uses
from rag.languages.registry import term_rules
from rag.languages.text import count_words, locate
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Definition, Link, ParsedDocument, ParsedNode
from rag.law.term_uses import NO_SENSES, Sense, Senses, TermIndex, TermRules, Token, WordTerms
from rag.models.law_reading import (
    WHOLE,
    DefinitionItem,
    Items,
    LawItem,
    LimitItem,
    ReadingPrompt,
    reading_prompt,
)
from retrieval.context.material import IN_PART, PREVAILS, READ_BY
from retrieval.providers.embedding import estimated_tokens

MODEL = "model"  # the property of an edge that a model read; its value names the model
WIDER = "wider"  # of a definition of which code inferred a wider scope than a model read: the URN of that scope
UNSHARED = "unshared"  # of a limit that code guesses and a reading of its provision does not have; names that model
WINDOW_TOKENS = 12_000  # of the law's words in one call, estimated
_WINDOW_NODES = 400
_REPEATED_TOKENS = 1_500  # most of a section of definitions that every window repeats
_OUTLINE_TOKENS = 2_000  # of what a window is told of the rest of the law
_OUTLINE_NODES = 150  # with those of a window no more numbers than a strict schema may list
_FIRST_WORDS = 60  # characters of a provision without heading, in an outline
_LEAST_WORDS = 2  # of a quotation
_LONGEST_TERM = 120  # characters
_OPENING_MARKS = ("“", "„", "«", "« ", "«\u00a0", '"', "‘", "'", "「", "『", "‹")
_SENTENCE_END = re.compile(r"[.;](?=\s)|[。；\n]")
_IN_BRACKETS = re.compile(r"\s?[(（][^()（）\n]*\d[^()（）\n]*[)）]")  # with a number, right after the name of a law


@dataclass(frozen=True, slots=True)
class Window:
    """Provisions of a law that are read together.

    Attributes:
        nodes: those that have a number, from 1 on in this order.
        own: URNs of those that no other window has; the others are headings above and definitions.
        prompt: what a model is sent.
        outline: provisions and parts outside of it that have the numbers after those, for what it says of them.
    """

    nodes: tuple[ParsedNode, ...]
    own: frozenset[str]
    prompt: ReadingPrompt
    outline: tuple[ParsedNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """A window with what a model listed for it."""

    window: Window
    items: Items
    model: str


@dataclass(slots=True)
class Applied:
    """How many edges and definitions readings added, and how many limits that code guesses they do not share."""

    limits: int = 0
    definitions: int = 0
    other_laws: int = 0


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
            outline = tuple(self._outline({node.urn for node in nodes}) if len(parts) > 1 else ())
            windows.append(Window(nodes, frozenset(own - seen), self._prompt(nodes, outline), outline))
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

    def _outline(self, given: Set[str]) -> list[ParsedNode]:
        """What is outside of a window, in the order of the law: what shares most of its parts first, the nearest first,
        and what is in a part after the part, down to provisions, as far as it fits."""
        place = {node.urn: number for number, node in enumerate(self._nodes)}
        places = [place[urn] for urn in given]

        def rank(node: ParsedNode) -> tuple[int, int, int, int]:
            chain, here = self._index.chain(node), place[node.urn]
            return (
                -sum(unit.urn in given for unit in chain), len(chain), min(abs(here - other) for other in places), here,
            )  # fmt: skip

        inside = [self._nodes[0], *(node for node in self._nodes[1:] if node.urn in given)]
        waiting = [(*rank(part), part.urn) for unit in inside for part in self._index.tree.children(unit.urn)]
        heapify(waiting)
        left, taken = _OUTLINE_TOKENS, set[str]()
        while waiting and len(taken) < _OUTLINE_NODES:
            node = self._index.tree.by_urn[heappop(waiting)[-1]]
            size = estimated_tokens(self._outlined(node))
            if node.urn in given or size > left:
                continue
            left -= size
            taken.add(node.urn)
            for part in self._index.tree.children(node.urn) if node.kind == "section" else ():
                heappush(waiting, (*rank(part), part.urn))
        return [node for node in self._nodes if node.urn in taken]

    def _outlined(self, node: ParsedNode) -> str:
        """What an outline says of a node."""
        return (
            self._named(node) if node.heading else f"{self._named(node)} — {' '.join(node.text.split())[:_FIRST_WORDS]}"
        )

    def _named(self, node: ParsedNode) -> str:
        name = f"{node.level} {node.number or node.urn.rpartition(':')[2]}"
        return f"{name} — {' '.join(node.heading.split())}" if node.heading else name

    def _prompt(self, nodes: Sequence[ParsedNode], outline: Sequence[ParsedNode]) -> ReadingPrompt:
        depths = ["  " * (len(self._index.chain(node)) - 2) for node in (*nodes, *outline)]
        provisions = [
            "\n".join(f"{depth}{line}" for line in (
                f"[{number}] {self._named(node)}", *filter(None, map(str.strip, node.text.splitlines()))
            ))
            for number, (node, depth) in enumerate(zip(nodes, depths, strict=False), start=1)
        ]  # fmt: skip
        lines = [
            f"{depth}[{number}] {self._outlined(node)}"
            for number, (node, depth) in enumerate(
                zip(outline, depths[len(nodes) :], strict=True), start=len(nodes) + 1
            )
        ]
        corpus, root = self.document.corpus, self._nodes[0]
        titles = dict.fromkeys(" ".join(title.split()) for title in (corpus.title, root.heading) if title)
        return reading_prompt(", ".join(titles), corpus.language, provisions, lines)

    # What is kept.

    def checked(self, window: Window, items: Items) -> tuple[Items, dict[str, int]]:
        """What of some items the law bears out, and how many were dropped for which reason."""
        dropped = Counter[str]()
        found = [self._limit(window, item, dropped) for item in items.limits]
        limits = tuple(dict.fromkeys(item for item in found if item is not None))
        limiting = {item.limiting for item in limits}
        laws = [item for item in items.other_laws if self._is_law(window, item, dropped)]
        definitions = [self._definition(window, item, dropped) for item in items.definitions]
        return (
            Items(
                limits=limits,
                limits_nothing=tuple(sorted(self._numbers(window).intersection(items.limits_nothing) - limiting)),
                definitions=tuple(dict.fromkeys(item for item in definitions if item is not None)),
                other_laws=tuple(dict.fromkeys(laws)),
            ),
            dict(sorted(dropped.items())),
        )

    def _numbers(self, window: Window) -> set[int]:
        """The numbers of the provisions of a window that have words."""
        return {number for number, node in enumerate(window.nodes, start=1) if node.text.strip()}

    def _node(self, window: Window, number: int) -> ParsedNode | None:
        """What a number stands for; the law's root for the law as a whole."""
        if number == WHOLE:
            return self._nodes[0]
        given = (*window.nodes, *window.outline)
        return given[number - 1] if 0 < number <= len(given) else None

    def _bears_out(
        self, window: Window, number: int, quote: str, dropped: Counter[str], *, meaning: bool = False
    ) -> ParsedNode | None:
        """The provision of a number if the window has its words, and a quotation word by word among them. Of a schedule
        that gives a meaning the heading is enough: the meaning is what it lists."""
        node = window.nodes[number - 1] if 0 < number <= len(window.nodes) else None
        if node is None:
            dropped["unknown provision"] += 1
        elif meaning and self._is_appended(node) and quote.strip() and locate(quote, f"{node.heading}\n{node.text}"):
            return node
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
        node = self._bears_out(window, item.provision, item.quote, dropped, meaning=True)
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
            or not (self._is_appended(node) or locate(item.term, said) or TermIndex((term,), self.rules).find(said))
        ):
            dropped["term not in the provision"] += 1
            return None
        forms = tuple(form for form in dict.fromkeys(item.forms) if self._is_form(form, term))
        units = [unit for number in scopes if (unit := self._node(window, number)) is not None]
        if not self._is_used(node, term, forms, units):
            dropped["term not used"] += 1
            return None
        return item.model_copy(update={"scope": tuple(scopes), "forms": forms})

    def _is_appended(self, node: ParsedNode) -> bool:
        """Whether a provision is in a schedule or an annex, which provisions with a term may point to."""
        return any(unit.structure_type == "APPENDIX" for unit in self._index.chain(node))

    def _is_form(self, form: str, term: str) -> bool:
        plain = self.rules.normalise(form)
        return bool(plain) and plain != term and len(plain) <= _LONGEST_TERM and any(map(str.isalpha, plain))

    def _is_used(self, node: ParsedNode, term: str, forms: Sequence[str], scopes: Sequence[ParsedNode]) -> bool:
        """Whether a provision in a scope uses a term besides the words that define it."""
        terms = TermIndex((term,), self.rules, self._senses(term, node))
        others = TermIndex(map(self.rules.normalise, forms), _AsGiven(self.rules))
        for unit in scopes:
            for user in self._index.tree.subtree(unit):
                places = {start for start, _, _ in (*terms.find(user.text), *others.find(user.text))}
                if len(places) > (user is node):
                    return True
        return False

    def _senses(self, term: str, node: ParsedNode) -> Mapping[str, set[Sense]]:
        """That a term is a verb where no other provision uses it as a thing: "moor includes make fast to"."""
        things = TermIndex((term,), self.rules)
        used = any(things.find(user.text) for user in self._nodes if user is not node)
        return {} if used else {term: {Sense.ACTION}}

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

        What an earlier call added is taken out first. A guess of the learned readers that a reading shares gives way to
        it. One that no reading of its provision shares stays as doubtful as it was: a weak model may have missed it. A
        limit is then noted (`UNSHARED`), so that contexts name it and do not show it.
        """
        self._forget()
        applied = Applied()
        if not readings:
            return applied
        document, rules = self.document, self.rules
        likely = self._likely()
        meanings: dict[str, list[Definition]] = {}
        for definition in document.definitions:
            if _key(definition) not in likely:
                meanings.setdefault(rules.normalise(definition.term), []).append(definition)
        links: dict[tuple[str, ...], Link] = {}
        added: dict[tuple[str, str, str], Definition] = {}
        narrowed = set[tuple[str, str, str]]()  # keys of the definitions of code of whose scope a model read less
        uses: dict[str, dict[str, list[ParsedNode]]] = {}  # other form -> term -> nodes in whose parts it is the term
        checked = [(read, self.checked(read.window, read.items)[0]) for read in readings]
        for read, kept in self._one_expression(checked):
            for link in self._links(read, kept):
                words = link.reference if link.kind == "may_cite" else ""
                links.setdefault((link.source_urn, link.kind, link.target_urn, words), link)
            for item in kept.definitions:
                term = rules.normalise(item.term)
                for form in item.forms:
                    uses.setdefault(rules.normalise(form), {}).setdefault(term, []).extend(self._units(read, item))
                for definition, wider in self._definitions(read.window, item, meanings):
                    key = (definition.node_urn, rules.normalise(definition.term), definition.scope_urn)
                    if key not in added:
                        added[key] = definition
                        properties = {MODEL: read.model}
                        if wider is not None:
                            narrowed.add(_key(wider))
                            properties[WIDER] = wider.scope_urn
                        for name, senses in self._senses(term, self._index.tree.by_urn[key[0]]).items():
                            document.senses.setdefault(name, set()).update(senses)
                        links[*key, "may_define"] = Link(key[0], "may_define", definition.term, key[2], properties)
        read_here = {(urn, term) for urn, term, _ in added}
        gone = narrowed | {key for key in likely if (key[0], rules.normalise(key[1])) in read_here}
        document.definitions[:] = [definition for definition in document.definitions if _key(definition) not in gone]
        readers = {urn: read.model for read in readings for urn in read.window.own}
        given = {urn: {node.urn for node in read.window.nodes} for read in readings for urn in read.window.own}
        limited: dict[str, set[str]] = {}  # what a model read a provision, or the parts of one, to limit
        for link in links.values():
            for unit in self._index.chain(self._index.tree.by_urn[link.source_urn]) if link.kind == "may_limit" else ():
                limited.setdefault(unit.urn, set()).add(link.target_urn)
        document.links[:] = [
            replace(link, properties={**link.properties, UNSHARED: readers[link.source_urn]})
            if link.source_urn in readers and (link.kind == "may_limit" or self._is_narrower(link, limited, given))
            else link
            for link in document.links if not self._is_shared(link, links, read_here)
        ]  # fmt: skip
        places = Counter(definition.node_urn for definition in (*document.definitions, *added.values()))
        shared = {urn for urn, number in places.items() if number > 1}
        document.definitions.extend(
            replace(definition, used_terms=()) if definition.node_urn in shared else definition
            for definition in added.values()
        )
        document.links.extend(links.values())
        document.links.extend(self._marks(readings))
        self._note_uses({term for _, term, _ in added}, uses, shared.intersection(urn for urn, _, _ in added))
        applied.definitions = len(added)
        kinds = Counter(link.kind for link in links.values())
        applied.limits, applied.other_laws = kinds["may_limit"], kinds["may_cite"]
        return applied

    def _marks(self, readings: Sequence[Read]) -> list[Link]:
        """That models read the law, and whether all of it."""
        root = self._nodes[0].urn
        seen = frozenset[str]().union(*(read.window.own for read in readings))
        extent = "" if all(node.urn in seen for node in self._nodes if node.text) else IN_PART
        models = sorted({read.model for read in readings})
        return [Link(root, READ_BY, extent, root, {MODEL: model}) for model in models]

    def _units(self, read: Read, item: DefinitionItem) -> list[ParsedNode]:
        """What an item says that its meaning governs."""
        return [unit for number in item.scope if (unit := self._node(read.window, number)) is not None]

    def _one_expression(self, checked: Sequence[tuple[Read, Items]]) -> list[tuple[Read, Items]]:
        """The same with one more item for each other form that is the term in singular or plural and that another
        provision defines: it is one more meaning of that expression, and no use of the term."""
        rules = self.rules
        places: dict[str, set[str]] = {}
        for definition in self.document.definitions:
            places.setdefault(rules.normalise(definition.term), set()).add(definition.node_urn)
        for read, kept in checked:
            for item in kept.definitions:
                places.setdefault(rules.normalise(item.term), set()).add(read.window.nodes[item.provision - 1].urn)
        found: list[tuple[Read, Items]] = []
        for read, kept in checked:
            items = list[DefinitionItem]()
            for item in kept.definitions:
                here = {read.window.nodes[item.provision - 1].urn}
                index = TermIndex((rules.normalise(item.term),), rules)
                other = [
                    form for form in item.forms
                    if places.get(rules.normalise(form), here) - here and index.find(form, heading=True)
                ]  # fmt: skip
                forms = tuple(form for form in item.forms if form not in other)
                items += [item.model_copy(update={"term": name, "forms": forms}) for name in (item.term, *other)]
            found.append((read, kept.model_copy(update={"definitions": tuple(items)})))
        return found

    def _is_narrower(self, link: Link, limited: Mapping[str, Set[str]], given: Mapping[str, Set[str]]) -> bool:
        """Whether code reads that a provision prevails over all of a container, and a model that was given all of it
        names provisions of it alone, those that its words are about."""
        container, read = self._index.node(link.target_urn), limited.get(link.source_urn)
        if link.kind not in PREVAILS or container is None or container.kind != "section" or not read:
            return False
        below = {node.urn for node in self._index.tree.subtree(container) if node.text}
        return below <= given[link.source_urn] and read.isdisjoint(unit.urn for unit in self._index.chain(container))

    def _is_shared(self, guess: Link, links: Mapping[tuple[str, ...], Link], defined: Set[tuple[str, str]]) -> bool:
        """Whether a link is a guess that a reading has too: of a limit by its provisions, of a meaning by provision and
        term, for what it governs is for the reading to say."""
        if guess.kind == "may_limit":
            return (guess.source_urn, guess.kind, guess.target_urn, "") in links
        return guess.kind == "may_define" and (guess.source_urn, self.rules.normalise(guess.reference)) in defined

    def _forget(self) -> None:
        """Take out what an earlier reading added."""
        document = self.document
        noted = _read_by_models(document.links)
        wider = {(link.source_urn, link.reference, link.target_urn): link.properties[WIDER]
                 for link in document.links if WIDER in link.properties}  # fmt: skip
        restored, kept = set[tuple[str, str, str]](), list[Definition]()
        for definition in document.definitions:
            scope = wider.get(_key(definition))
            before = definition if scope is None else replace(definition, scope_urn=scope)
            if _key(definition) in noted or _key(before) in restored:
                continue
            kept.append(before)
            if scope is not None:
                restored.add(_key(before))
        document.definitions[:] = kept
        document.links[:] = [
            replace(link, properties={name: said for name, said in link.properties.items() if name != UNSHARED})
            for link in document.links if MODEL not in link.properties
        ]  # fmt: skip

    def _likely(self) -> set[tuple[str, str, str]]:
        """Keys of the definitions that the learned reader of definitions gave."""
        noted = {(link.source_urn, link.reference, link.target_urn)
                 for link in self.document.links if link.kind == "may_define"}  # fmt: skip
        return {_key(definition) for definition in self.document.definitions if definition.inferred} & noted

    def _links(self, read: Read, kept: Items) -> Iterator[Link]:
        terms: dict[int, set[str]] = {}
        for item in kept.definitions:
            terms.setdefault(item.provision, set()).add(self.rules.normalise(item.term))
        for item in kept.limits:
            source = read.window.nodes[item.limiting - 1]
            said = self._place(source, item.quote)
            own = terms.get(item.limiting, set[str]())
            for number in item.limited:
                target = self._node(read.window, number)
                # Of two meanings of one expression each has its scope, and neither limits the other.
                if target is not None and own.isdisjoint(terms.get(number, ())):
                    yield self._link(source, "may_limit", said, target.urn, {MODEL: read.model, "says": item.kind})
        cited = {(link.source_urn, link.reference) for link in self.document.links if link.kind == "cites"}
        for item in kept.other_laws:
            source = read.window.nodes[item.provision - 1]
            start, end = self._place(source, item.name)
            number = _IN_BRACKETS.match(source.text, end)  # "(16 U.S.C. 3371)", "（昭和36年法律第223号）"
            said = start, number.end() if number is not None else end
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
    ) -> Iterator[tuple[Definition, Definition | None]]:
        """The definitions of an item, one for each scope, each with the one of code in whose place it comes; none where
        code read the same.

        Where code only inferred from its place what a definition governs, what a model read of its scope holds: a wider
        one is added, one within it comes in its place. Another meaning of the same scope stands beside it, which
        contexts tell as a conflict, and the meaning of a closer scope governs as that of any does.
        """
        node = window.nodes[item.provision - 1]
        same = [
            definition
            for definition in meanings.get(self.rules.normalise(item.term), ())
            for place in (self._index.tree.by_urn[definition.node_urn],)
            if node in self._index.chain(place) or place in self._index.chain(node)
        ]
        if any(not definition.inferred for definition in same):
            return
        for number in item.scope:
            scope = self._node(window, number)
            if scope is None:
                continue
            line = {unit.urn for unit in self._index.chain(scope)}
            around = next((definition for definition in same if definition.scope_urn in line), None)
            if around is None:
                yield Definition(item.term, node.urn, scope.urn, item.relation, inferred=True), None
            elif around.node_urn == node.urn and around.scope_urn != scope.urn and not around.phrase:
                yield replace(around, scope_urn=scope.urn), around

    def _note_uses(
        self, terms: set[str], forms: Mapping[str, Mapping[str, Sequence[ParsedNode]]], shared: Set[str]
    ) -> None:
        """Note which provisions use the new terms in the forms of the language, and any term in those that were read.
        Of the texts that define several things, `shared`, each known use is looked up again for its place.

        What one of several definitions of a text uses stands from its sentence on to that of the next.
        """
        document = self.document
        found: dict[str, set[tuple[int, str]]] = {}
        known = {urn: frozenset(document.used_terms.get(urn, ())) for urn in shared}
        if terms:
            for use in term_uses(document, self._index, self.rules, terms.union(*known.values())):
                if use.term in terms or use.term in known.get(use.node_urn, ()):
                    found.setdefault(use.node_urn, set()).add((0 if use.heading else use.start, use.term))
        defining: dict[str, dict[int, list[int]]] = {}  # URN -> where definitions of its text begin -> their places
        for place, definition in enumerate(document.definitions):
            start = self._opening(definition)
            defining.setdefault(definition.node_urn, {}).setdefault(start, []).append(place)
        own, governed = set[tuple[str, str]](), dict[str, set[str]]()
        for definition in document.definitions:
            term = self.rules.normalise(definition.term)
            own.add((definition.node_urn, term))
            governed.setdefault(term, set()).add(definition.scope_urn)
        index = TermIndex(forms, _AsGiven(self.rules))
        for node in self._nodes if forms else ():
            line = {unit.urn for unit in self._index.chain(node)}
            for start, _, form in index.find(node.text):
                if not line.isdisjoint(governed.get(form, ())):
                    continue  # it has a meaning of its own here
                for term, scopes in forms[form].items():
                    if (node.urn, term) not in own and any(scope.urn in line for scope in scopes):
                        found.setdefault(node.urn, set()).add((start, term))
        for urn, used in found.items():
            document.used_terms[urn] = sorted({*document.used_terms.get(urn, ()), *(term for _, term in used)})
            starts = sorted(defining.get(urn, ()))
            for start, following in pairwise([*starts, sys.maxsize]):
                here = {term for at, term in used if start <= at < following}
                for place in defining[urn][start]:
                    definition = document.definitions[place]
                    if definition.used_terms is not None and here:
                        both = tuple(sorted(here.union(definition.used_terms)))
                        document.definitions[place] = replace(definition, used_terms=both)

    def _opening(self, definition: Definition) -> int:
        """Where the sentence begins that defines a term: that of the term in quotation marks, else of its first use."""
        text = self._index.tree.by_urn[definition.node_urn].text
        found = [start for start, _ in locate(definition.term, text)]
        start = next((start for start in found if text[:start].endswith(_OPENING_MARKS)), found[0] if found else 0)
        return max((end.end() for end in _SENTENCE_END.finditer(text, 0, start)), default=0)


class _AsGiven(WordTerms):
    """Words compared as a language does, and each occurrence a use: the forms of a term are those that were read."""

    names_by_capital = False

    def __init__(self, rules: TermRules) -> None:
        self._rules = rules

    def normalise(self, term: str) -> str:
        """As the language has it."""
        return self._rules.normalise(term)

    def tokens(self, text: str) -> list[Token]:
        """As the language cuts them."""
        return self._rules.tokens(text)

    def is_use(
        self, text: str, tokens: Sequence[Token], first: int, last: int, *, heading: bool, senses: Senses = NO_SENSES
    ) -> bool:
        """Always."""
        return True


def _key(definition: Definition) -> tuple[str, str, str]:
    return definition.node_urn, definition.term, definition.scope_urn


def _read_by_models(links: Iterable[Link]) -> set[tuple[str, str, str]]:
    """Keys of the definitions that are there because models read them; those of code with another scope are not."""
    return {
        (link.source_urn, link.reference, link.target_urn) for link in links
        if link.kind == "may_define" and MODEL in link.properties and WIDER not in link.properties
    }  # fmt: skip


def _only(document: ParsedDocument, nodes: list[ParsedNode]) -> ParsedDocument:
    return replace(document, nodes=nodes)
