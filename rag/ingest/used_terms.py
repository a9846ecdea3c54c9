"""The uses of defined terms by the provisions of one document, and the senses that the law's own use shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import Definition, ParsedDocument, ParsedNode
from rag.law.term_uses import Sense, TermIndex, TermRules, WordPlaces


def uses_of(
    document: ParsedDocument, index: DocumentIndex, rules: TermRules, words: WordPlaces
) -> dict[str, list[TermUse]]:
    """The uses of terms by each node, with the senses that the law's own use shows; no node that uses none."""
    accordingly = _meant_accordingly(document, index, rules)
    for term in _of_sections(document, index, rules):
        document.senses.setdefault(term, set()).update((Sense.ACTION, Sense.EITHER))
    for term in _without_verb_uses(document, rules, words):
        document.senses[term].add(Sense.EITHER)
    uses = _uses_by_node(document, index, rules, words)
    used = {use.term for found in uses.values() for use in found}
    if verbs := _verbs_by_use(document, rules, used, words):
        for term in verbs:
            document.senses.setdefault(term, set()).add(Sense.ACTION)
        for urn, found in _uses_by_node(document, index, rules, words, verbs).items():
            uses.setdefault(urn, []).extend(found)
    for urn, terms in accordingly.items():
        uses.setdefault(urn, []).extend(TermUse(urn, 0, 0, term, heading=True) for term in terms)
    return uses


def _uses_by_node(
    document: ParsedDocument,
    index: DocumentIndex,
    rules: TermRules,
    words: WordPlaces,
    only: Collection[str] | None = None,
) -> dict[str, list[TermUse]]:
    speaking = {unit.urn for node in document.nodes if node.text for unit in index.chain(node)}
    silent = {node.urn for node in document.nodes} - speaking
    uses: dict[str, list[TermUse]] = {}
    for use in term_uses(document, index, rules, only, words):
        # What a heading says and the text below it does not is a matter, and no word of the rule.
        if not use.heading or use.node_urn in silent:
            uses.setdefault(use.node_urn, []).append(use)
    return uses


_SPACE = 80  # characters before a term among which the last one that is no white space is looked for


def names_by_capital(document: ParsedDocument, rules: TermRules, words: WordPlaces) -> set[str]:
    """Terms that a law writes with a capital where it need not: "Minister", and never "minister".

    Its sentences or the list of its terms show it; where sentences write the word small more often, the capital says
    nothing.
    """
    if not rules.names_by_capital:
        return set()
    nodes = {node.urn: node for node in document.nodes}
    written: dict[str, set[bool]] = {}  # normalised term -> whether it has been written with a capital
    opening: dict[str, set[bool]] = {}  # the same of terms that open a node, by what contains it
    places: dict[str, str] = {}  # normalised term -> what contains the node that it opens; empty inside a sentence
    for definition in document.definitions:
        node, term = nodes[definition.node_urn], rules.normalise(definition.term)
        capital = definition.term[:1].isupper()
        written.setdefault(term, set()).add(capital)
        first = next((at for at, char in enumerate(node.text) if char.isalpha()), len(node.text))
        opens = node.text.find(definition.term, 0, first + len(definition.term)) >= 0
        if opens:
            opening.setdefault(node.parent_urn or "", set()).add(capital)
        places[term] = (node.parent_urn or "") if opens else ""
    candidates = {term for term, capitals in written.items() if capitals == {True}}
    # How often the sentences of the law write a term with a capital, and how often small.
    capitals, small = dict.fromkeys(candidates, 0), dict.fromkeys(candidates, 0)
    own = {(rules.normalise(definition.term), definition.node_urn) for definition in document.definitions}
    terms = words.index(candidates, document.senses)
    for node in with_words(document, words, terms):
        for start, _, term in terms.find(node.text):
            if node.text[start].islower():
                small[term] += (term, node.urn) not in own  # "Minister: the minister who has charge of health"
            elif (sign := node.text[max(0, start - _SPACE) : start].rstrip()[-1:]).isalpha() or sign == ",":
                capitals[term] += 1
    listed = {term for term, place in places.items() if opening.get(place, set[bool]()) == {True, False} or not place}
    return {term for term in candidates if capitals[term] >= max(small[term], term not in listed)}


def _of_sections(document: ParsedDocument, index: DocumentIndex, rules: TermRules) -> set[str]:
    """Single words that are defined for sections alone, which say so: in these any form of the word is meant.

    "In this section “transfer” includes a letting" beside "shall not transfer a plot". What has a sense keeps it, and a
    word such as "recording" is the thing.
    """
    found: dict[str, bool] = {}
    for definition in document.definitions:
        term = rules.normalise(definition.term)
        scope = index.node(definition.scope_urn)
        small = scope is not None and index.section(scope) is not None and not definition.inferred
        found[term] = found.get(term, True) and small and term not in document.senses
    return {term for term, small in found.items() if small and term.isalpha() and not term.endswith("ing")}


def _meant_accordingly(document: ParsedDocument, index: DocumentIndex, rules: TermRules) -> dict[str, set[str]]:
    """The term that each definition leans on which only says "is to be read accordingly": the one before it."""
    out: dict[str, set[str]] = {}
    before = ("", "")  # the last term and its section
    for definition in document.definitions:
        term, section = rules.normalise(definition.term), section_of(definition, index)
        place = section.urn if section is not None else ""
        if Sense.EITHER in document.senses.get(term, ()) and before[1] == place and before[0] != term:
            out.setdefault(definition.node_urn, set()).add(before[0])
        else:
            before = (term, place)
    return out


def _without_verb_uses(document: ParsedDocument, rules: TermRules, words: WordPlaces) -> set[str]:
    """Terms defined as verbs that no rule of the law uses as one: "To stake money" defines the bet that is "taken"."""
    verbs = {term for term, senses in document.senses.items() if Sense.ACTION in senses}
    own = {(rules.normalise(definition.term), definition.node_urn) for definition in document.definitions}
    terms = words.index(verbs, document.senses)
    for node in with_words(document, words, terms):
        verbs -= {term for _, _, term in terms.find(node.text) if (term, node.urn) not in own}
    return verbs


def _verbs_by_use(document: ParsedDocument, rules: TermRules, things: set[str], words: WordPlaces) -> set[str]:
    """Terms that may be verbs, which no provision uses as a thing and some use so: `"promote" includes organise`."""
    own: dict[str, set[str]] = {}
    for definition in document.definitions:
        own.setdefault(rules.normalise(definition.term), set()).add(definition.node_urn)
    unused = {term for term in own.keys() - things if Sense.PERHAPS in document.senses.get(term, ())}
    terms = words.index(unused, dict.fromkeys(unused, frozenset((Sense.ACTION,))))
    nodes = with_words(document, words, terms)
    return {term for node in nodes for _, _, term in terms.find(node.text) if node.urn not in own[term]}


def with_words(document: ParsedDocument, words: WordPlaces, terms: TermIndex) -> list[ParsedNode]:
    """The nodes whose texts can use one of the terms, in document order."""
    return [document.nodes[number] for number in words.of(terms)]


@dataclass(frozen=True, slots=True)
class TermUse:
    """One use of a defined term: offsets into the node's text, or into its heading."""

    node_urn: str
    start: int
    end: int
    term: str  # normalised
    heading: bool


def term_uses(
    document: ParsedDocument,
    index: DocumentIndex,
    rules: TermRules,
    only: Collection[str] | None = None,
    words: WordPlaces | None = None,
) -> Iterator[TermUse]:
    """Every use of a defined term in its scope, node by node in document order; `only`: of some terms.

    `words` are those of the nodes' texts, where they are known already. A term is not used by the paragraph that
    defines it, nor by that paragraph's own parts.
    """
    by_scope: dict[str, dict[str, set[str]]] = {}  # scope URN -> normalised term -> URNs of defining nodes
    normalised = [(rules.normalise(definition.term), definition) for definition in document.definitions]
    meant = {term for term, definition in normalised if definition.relation not in ("includes", "excludes")}
    for term, definition in normalised:
        if only is not None and term not in only:
            continue
        own = by_scope.setdefault(definition.scope_urn, {}).setdefault(term, set())
        # A term is used by the words that only say where it is defined, or that add to what another provision says.
        adds = definition.relation in ("includes", "excludes") and term in meant
        own |= {definition.node_urn} if definition.relation != "reference" and not adds else set()
    words = words or WordPlaces((node.text for node in document.nodes), rules)
    terms = words.index((term for found in by_scope.values() for term in found), document.senses)
    speaking = {node.urn for node in with_words(document, words, terms)}
    in_scope: dict[str, frozenset[str]] = {}
    for node in document.nodes:
        wider = in_scope.get(node.parent_urn or "", frozenset[str]())
        own = by_scope.get(node.urn)
        allowed = in_scope[node.urn] = wider | own.keys() if own else wider
        if not allowed:
            continue
        chain = index.chain(node)
        above = {ancestor.urn for ancestor in chain}
        for heading, text in ((False, node.text if node.urn in speaking else ""), (True, node.heading)):
            for start, end, term in terms.find(text, allowed, heading=heading):
                if not _is_own(term, chain, above, by_scope):
                    yield TermUse(node.urn, start, end, term, heading)


def _is_own(
    term: str, chain: tuple[ParsedNode, ...], above: set[str], by_scope: dict[str, dict[str, set[str]]]
) -> bool:
    """Whether the definition that governs a term here stands in the node itself or in one it is part of."""
    governing = next(
        (found[term] for ancestor in chain if term in (found := by_scope.get(ancestor.urn, {}))), set[str]()
    )
    return bool(governing) and governing <= above


def section_of(definition: Definition, index: DocumentIndex) -> ParsedNode | None:
    """The section that a definition is read from, if it is inside one."""
    node = index.node(definition.node_urn)
    return index.section(node) if node is not None else None
