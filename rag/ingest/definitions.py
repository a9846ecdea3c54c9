"""The definitions of one document: which are read, what they govern, and what provisions add to them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from rag.ingest.links import CLAUSE_END, MAX_CLAUSE
from rag.ingest.used_terms import TermUse, names_by_capital, section_of, with_words
from rag.languages.base import DefinitionFinder, Language, LanguageRules
from rag.languages.definition_reader import (
    Likely,
    Surroundings,
    Weights,
    is_worth_reading,
    likely_terms,
    sentences,
    stems,
)
from rag.languages.registry import known_language
from rag.languages.stems import unspaced
from rag.law.entries import Reading
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CONTAINER_TYPES, Definition, Link, ParsedDocument, ParsedNode
from rag.law.passages import Passage
from rag.law.phrases import CountsAs
from rag.law.term_uses import Sense, TermIndex, TermRules, WordPlaces

# Several definitions of one term in one law that no phrase gives a scope: each governs its own part.
_DEFINING = re.compile(r"defin|définition|\bdéfini|begriff|interpretation|meaning|glossary|定義", re.IGNORECASE)
_GENERAL = re.compile(r"\bgeneral\b|preliminary|allgemein|gemeinsame|généra|préliminaire|communes|総則", re.IGNORECASE)


def without_competition(definitions: list[Definition], index: DocumentIndex, rules: TermRules) -> list[Definition]:
    """The definitions, none of which governs by its place alone what another one governs too.

    Of meanings of a term with one scope, one that a phrase gives it keeps it, and the others are their sections' alone.
    Else the only one in a section of definitions keeps it, else the only one among general provisions, and the others
    govern the largest unit that holds no other. Additions to a meaning ("includes") compete with nothing, nor do
    meanings of one section with each other.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for place, definition in enumerate(definitions):
        if definition.relation == "means":
            groups.setdefault((rules.normalise(definition.term), definition.scope_urn), []).append(place)
    out = list(definitions)
    for (_, scope), places in groups.items():
        sections = {place: section_of(definitions[place], index) for place in places}
        if len({unit.urn for unit in sections.values() if unit is not None}) < 2 or None in sections.values():
            continue
        known = {place: unit for place, unit in sections.items() if unit is not None}
        said = [_unit_named(definitions[place]) for place in known]
        stated = {
            section.urn
            for place, section in known.items()
            if not definitions[place].inferred
            # "In this part" of a law that prints no part: both say the same of where they hold.
            or ((unit := _unit_named(definitions[place])) and said.count(unit) > 1)
        }
        if stated:
            beside = {unit.parent_urn for unit in known.values() if unit.urn in stated}
            stated |= {unit.urn for unit in known.values() if _only_defines(unit, beside, index)}
        keeper = "" if stated else _keeper(known, index)
        for place, section in known.items():
            if definitions[place].inferred and section.urn not in (keeper, *stated):
                others = [unit for unit in known.values() if unit is not section]
                unit = section.urn if stated else _alone(section, others, scope, index)
                out[place] = replace(definitions[place], scope_urn=unit)
    return out


def with_additions(definitions: list[Definition], index: DocumentIndex, rules: TermRules) -> list[Definition]:
    """The definitions, of which one that adds to a meaning of its section governs what that meaning does.

    "The term X does not include" without a phrase, beside "for the purposes of this chapter the term X means". Where
    the scope of the meaning is inferred, so is that of the addition.
    """
    meanings: dict[tuple[str, str], set[str]] = {}
    everywhere: dict[str, set[str]] = {}  # the same of the whole law, by term
    keys: list[tuple[str, str]] = []
    for definition in definitions:
        section = section_of(definition, index)
        keys.append((rules.normalise(definition.term), section.urn if section is not None else definition.node_urn))
        if definition.relation == "means":
            meanings.setdefault(keys[-1], set()).add(definition.scope_urn)
            everywhere.setdefault(keys[-1][0], set()).add(definition.scope_urn)
    out: list[Definition] = []
    for definition, key in zip(definitions, keys, strict=True):
        scopes = meanings.get(key) or everywhere.get(key[0], set[str]())
        if key not in meanings and not any(node.urn in scopes for node in _above(definition, index)):
            scopes = set[str]()
        adds = (
            definition.inferred
            and not definition.phrase
            and definition.relation in ("includes", "excludes")
            and len(scopes) == 1
        )
        if adds:
            definition = replace(definition, scope_urn=next(iter(scopes)))
        out.append(definition)
    return out


def _under_one_name(definitions: list[Definition], index: DocumentIndex, rules: TermRules) -> list[Definition]:
    """The definitions, under one name where terms of two sections are forms of one another.

    "Markttage im Sinne dieser Satzung sind" in one section and "In dieser Satzung ist Markttag" in another give one
    expression a meaning, which the first names. Two that stand in one section are two expressions, and of one that no
    words give a scope it is not known that it is meant elsewhere.
    """
    first: dict[str, Definition] = {}  # by normalised term
    sections: dict[str, set[str]] = {}
    inferred = {rules.normalise(definition.term) for definition in definitions if definition.inferred}
    for definition in definitions:
        term, section = rules.normalise(definition.term), section_of(definition, index)
        if term not in inferred:
            first.setdefault(term, definition)
            sections.setdefault(term, set()).add(section.urn if section is not None else definition.node_urn)
    terms, order = TermIndex(first, rules), {term: place for place, term in enumerate(first)}
    forms = {
        term: {
            name
            for start, end, name in terms.find(definition.term, heading=True)
            if name != term and rules.normalise(definition.term[start:end]) == term
        }
        for term, definition in first.items()
    }
    names: dict[str, str] = {}  # normalised term -> the one whose name it bears
    for term in first:
        same = [
            name for name in forms[term]
            if names.get(name) == name and term in forms[name] and sections[name].isdisjoint(sections[term])
        ]  # fmt: skip
        names[term] = min(same, key=order.__getitem__, default=term)
    return [
        definition if names.get(term, term) == term else replace(definition, term=first[names[term]].term)
        for definition in definitions
        for term in (rules.normalise(definition.term),)
    ]


def _with_wider_names(
    document: ParsedDocument, index: DocumentIndex, rules: TermRules, words: WordPlaces
) -> list[Definition]:
    """The definitions, of which a name given in passing governs the provisions that use it elsewhere.

    "(a “closure order”)" in one section, "while a closure order is in effect" in the next, where no other definition
    gives the words a meaning. The scope is the smallest container that has both, and is marked as inferred. In a title
    of a code a single word is an ordinary one elsewhere.
    """
    terms = [rules.normalise(definition.term) for definition in document.definitions]
    counts = Counter(terms)
    code = index.root.level == "title"
    wanted: dict[str, tuple[int, ParsedNode]] = {}
    for place, (term, definition) in enumerate(zip(terms, document.definitions, strict=True)):
        section = section_of(definition, index)
        passing = definition.words is not None and definition.words[1] is not None
        alone = counts[term] == 1 and (" " in term or not code)
        if passing and definition.inferred and not definition.phrase and section is not None and alone:
            wanted[term] = place, section
    if not wanted:
        return document.definitions
    out = list(document.definitions)
    users: dict[str, list[ParsedNode]] = {}
    found = words.index(wanted, document.senses)
    for node in with_words(document, words, found):
        for _, _, term in found.find(node.text):
            users.setdefault(term, []).append(node)
    for term, (place, section) in wanted.items():
        above = [unit.urn for unit in index.chain(section)]
        for unit in index.chain(section)[1:]:
            others = [user for user in users.get(term, ()) if section not in index.chain(user)]
            if any(unit in index.chain(user) for user in others):
                if unit is not index.root or not code:
                    scope = max(
                        above.index(unit.urn), above.index(out[place].scope_urn) if out[place].scope_urn in above else 0
                    )
                    out[place] = replace(out[place], scope_urn=above[scope])
                break
    return out


def _above(definition: Definition, index: DocumentIndex) -> Sequence[ParsedNode]:
    node = index.node(definition.node_urn)
    return index.chain(node) if node is not None else ()


def _unit_named(definition: Definition) -> str:
    """The last two words of a scope phrase: "this part"."""
    return " ".join(definition.phrase.casefold().split()[-2:])


def _keeper(known: dict[int, ParsedNode], index: DocumentIndex) -> str:
    """The section whose meaning keeps the scope by its headings; empty where none is before the others."""
    for words in (_DEFINING, _GENERAL):
        found = {unit.urn for unit in known.values() if any(words.search(text) for text in _headings(unit, index))}
        if len(found) == 1:
            return found.pop()
    return ""


def _only_defines(section: ParsedNode, beside: set[str | None], index: DocumentIndex) -> bool:
    """Whether a section governs others or nothing: one of a container of definitions, or a section of them beside
    one that says what it governs."""
    headed = _DEFINING.search(section.heading) is not None and section.parent_urn in beside
    return headed or any(_DEFINING.search(text) for text in _headings(section, index) if text != section.heading)


def _headings(section: ParsedNode, index: DocumentIndex) -> Iterator[str]:
    return (ancestor.heading for ancestor in index.chain(section) if ancestor is not index.root)


def _alone(section: ParsedNode, others: list[ParsedNode], scope: str, index: DocumentIndex) -> str:
    """The largest unit of a section, within a scope, that holds none of the others."""
    taken = {ancestor.urn for other in others for ancestor in index.chain(other)}
    best = section
    for ancestor in index.chain(section)[1:]:
        if ancestor.urn in taken or ancestor.urn == scope or ancestor.structure_type not in CONTAINER_TYPES:
            break
        best = ancestor
    return best.urn


def parts_apart(
    definitions: Sequence[Definition], index: DocumentIndex, rules: TermRules, origins: Mapping[str, str]
) -> list[tuple[str, ...]]:
    """For each definition the parts of its node that are none of its words: "(g) Affiliated committee" below "Political
    committee means ..."."""
    defined: dict[str, set[str]] = {}  # what each node defines otherwise than in passing
    for definition in definitions:
        if definition.relation in ("means", "reference") and (definition.words is None or definition.words[1] is None):
            defined.setdefault(definition.node_urn, set()).add(rules.normalise(definition.term))
    lone: set[str] = set()  # parts with a caption, which most of their siblings lack
    for node in index.tree.nodes:
        parts = index.tree.children(node.urn)
        captioned = [part.urn for part in parts if part.heading]
        lone.update(captioned if 2 * len(captioned) < len(parts) else ())
    candidates: dict[str, list[ParsedNode]] = {}  # by the defining node's URN
    for urn in {definition.node_urn for definition in definitions}:
        node = index.tree.by_urn[urn]
        parts = index.tree.subtree(node) if node.kind != "section" else ()
        candidates[urn] = [
            part
            for part in parts
            if part is not node and part.urn not in origins and (part.urn in defined or part.urn in lone)
        ]
    found: list[tuple[str, ...]] = []
    for definition in definitions:
        term, others = rules.normalise(definition.term), dict[str, None]()
        for part in candidates[definition.node_urn]:
            named = term in defined[part.urn] if part.urn in defined else term in part.heading.casefold()
            if not named and not any(unit.urn in others for unit in index.chain(part)):
                others[part.urn] = None
        found.append(tuple(others))
    return found


def own_terms(
    definitions: Sequence[Definition], index: DocumentIndex, uses: Mapping[str, Sequence[TermUse]], cut: set[str]
) -> list[tuple[str, ...] | None]:
    """The terms that each definition's own words use; None where these are all that its node and its parts use.

    One of several in a text has its own words, and one made in passing the words that it names.
    """
    starts: dict[str, list[int]] = {}
    for definition in definitions:
        if definition.words is not None and definition.words[1] is None:
            starts.setdefault(definition.node_urn, []).append(definition.words[0])
    for places in starts.values():
        places.sort()
    matters = {urn: {use.term for use in found if use.heading} for urn, found in uses.items()}
    ordered = {urn: sorted(found, key=lambda use: use.start) for urn, found in uses.items()}
    found: list[tuple[str, ...] | None] = []
    for definition in definitions:
        node = index.tree.by_urn[definition.node_urn]
        start, end = definition.words or (0, None)
        places = starts.get(node.urn, [])
        after = bisect_right(places, start)
        following = end if end is not None else places[after] if after < len(places) else None
        begins = places[0] if places else 0
        if following is None and (definition.words is None or start == begins):
            own = {use.term for part in index.tree.subtree(node) for use in uses.get(part.urn, ())}
            found.append(tuple(sorted(own)) if node.urn in cut else None)
            continue
        parts = [part for part in index.tree.subtree(node) if part is not node] if following is None else []
        lead = 0 if start == begins and end is None else start
        last = following if following is not None else len(node.text)
        known = ordered.get(node.urn, [])
        first, stop = (bisect_left(known, at, key=lambda use: use.start) for at in (lead, last))
        own = matters.get(node.urn, set[str]()).union(use.term for use in known[first:stop])
        found.append(tuple(sorted(own | {use.term for part in parts for use in uses.get(part.urn, ())})))
    return found


def define(
    reading: Reading,
    index: DocumentIndex,
    rules: LanguageRules,
    finder: DefinitionFinder,
    passages: dict[str, Passage],
    words: WordPlaces,
) -> None:
    """Fill a document's definitions and senses, and the edges from what may be one."""
    document = reading.document
    comments = commentary(document, index)
    for node in document.nodes:
        if node.urn not in comments and not is_editorial(node):
            document.definitions.extend(finder.definitions(passages[node.urn]))
    document.definitions[:] = without_doubles(document.definitions, rules.terms)
    document.definitions[:] = _under_one_name(document.definitions, index, rules.terms)
    document.definitions[:] = with_annexes(document.definitions, index, rules.terms, passages)
    document.definitions[:] = without_competition(document.definitions, index, rules.terms)
    document.definitions[:] = with_additions(document.definitions, index, rules.terms)
    document.definitions[:] = _with_wider_names(document, index, rules.terms, words)
    document.definitions.extend(_counted(document, index, rules, finder, passages, comments, words))
    if rules.links.meaning_at is not None:
        document.definitions.extend(_at_place_of_use(document, index, rules, passages))
    known = known_language(document.corpus.language)
    if known is not None and known.defining is not None:
        skipped = {node.urn for node in document.nodes if node.kind == "decision" or is_editorial(node)} | comments
        likely, edges = read_likely(index, known, known.defining(), rules.terms, finder, passages, skipped)
        document.definitions.extend(likely)
        document.links.extend(
            replace(
                edge,
                source_urn=reading.origins.get(edge.source_urn, edge.source_urn),
                target_urn=reading.origins.get(edge.target_urn, edge.target_urn),
            )
            for edge in edges
        )
    document.links.extend(_unread_meanings(document, index, rules, passages, comments))
    document.definitions.extend(_for_comments(document, index))
    for term in names_by_capital(document, rules.terms, words):
        document.senses.setdefault(term, set()).add(Sense.NAME)


def _at_place_of_use(
    document: ParsedDocument, index: DocumentIndex, rules: LanguageRules, passages: dict[str, Passage]
) -> list[Definition]:
    """Definitions that a provision names where it uses their term: "a record, as defined in section 6(b)". They govern
    it, over the definition that would."""
    between = rules.links.meaning_at
    places = [
        (node, citation.urn, text[: match.start()], match[0].strip(" ,("))
        for node in document.nodes
        for citation in passages[node.urn].citations
        if between is not None and index.node(citation.urn) is not None
        for text in (passages[node.urn].text[max(0, citation.whole_start - MAX_CLAUSE) : citation.whole_start],)
        if (match := between.search(text)) is not None
    ]
    if not places:
        return []
    of_term: dict[str, dict[str, Definition]] = {}  # by the scope's URN
    inside: dict[tuple[str, str], Definition] = {}  # the first of a term in a provision
    for definition in document.definitions:
        term = rules.terms.normalise(definition.term)
        if definition.relation not in ("includes", "excludes"):  # what adds to a meaning governs in no one's place
            of_term.setdefault(term, {}).setdefault(definition.scope_urn, definition)
        for unit in index.chain(index.tree.by_urn[definition.node_urn]):
            inside.setdefault((term, unit.urn), definition)
    terms = TermIndex({term for term, _ in inside}, rules.terms, document.senses)
    out: list[Definition] = []
    for node, target, before, phrase in places:
        named = index.node(target)
        for _, end, term in terms.find(before):
            entry = inside.get((term, named.urn)) if named is not None and end == len(before) else None
            scopes = of_term.get(term, {})
            governing = next((scopes[unit.urn] for unit in index.chain(node) if unit.urn in scopes), None)
            if entry is not None and (governing is None or governing.node_urn != entry.node_urn):
                out.append(replace(entry, scope_urn=node.urn, inferred=False, phrase=phrase))
    return out


_MAX_COUNTED = 300  # characters of a sentence before a term as which something counts
# Where a sentence begins, also after a provision's number; none begins after an abbreviation ("art. L. 131").
_NUMBERED = re.compile(r"\s*(?:[IVX]{1,5}\.?\s?[–—-]|\(\w{1,4}\)|\d{1,3}\.)\s")
_COUNTED_FROM = re.compile(r"[\s。；](?:(?<=\w{3}[.;]\s)\s*(?=[A-ZÀ-Ý„“«\"(])(?![LRDA]\.)|(?<=[。；\n]))")
_FEW = 2  # what is told of a provision, and provisions in which a term counts as another


def _counted(
    document: ParsedDocument,
    index: DocumentIndex,
    rules: LanguageRules,
    finder: DefinitionFinder,
    passages: Mapping[str, Passage],
    comments: Collection[str],
    words: WordPlaces,
) -> list[Definition]:
    """What provisions add to the meaning of a term that another one defines, or take from it.

    "For the purposes of this Part a crane is to be treated as a vehicle", "A hotel is not a lodging house". Without a
    phrase they govern their own section; what stands beside the definition, and what a few provisions take from a
    term, governs what the definition does.
    """
    counting = rules.links.counting
    if counting is None:
        return []
    meant: dict[str, list[Definition]] = {}
    own: set[tuple[str, str]] = set()
    for definition in document.definitions:
        term = rules.terms.normalise(definition.term)
        own.add((term, definition.node_urn))
        if definition.relation not in ("includes", "excludes"):
            meant.setdefault(term, []).append(definition)
    terms = words.index(meant, document.senses)
    out: list[Definition] = []
    silent: dict[str, list[tuple[ParsedNode, Definition, str]]] = {}  # by term, of those without a phrase
    for node in with_words(document, words, terms):
        if node.urn in comments or is_editorial(node) or node.kind == "decision" or not counting.search(node.text):
            continue
        for start, end, term in terms.find(node.text):
            found = _counts(node.text, start, end, rules.links.counts)
            # What is inside a definition is a part of it.
            if found is None or any((term, unit.urn) in own for unit in (node, *index.chain(node))):
                continue
            counts, sentence = found
            urns, phrase, guess = finder.scope_said(passages[node.urn], sentence, start)
            if not urns and not phrase:
                stop = CLAUSE_END.search(node.text, end)
                last = stop.start() if stop is not None else len(node.text)
                urns, phrase, guess = finder.scope_said(passages[node.urn], end, last)
            own.add((term, node.urn))
            first = meant[term][0]
            if urns:
                out += [Definition(first.term, node.urn, urn, counts.relation, guess, phrase) for urn in urns]
                continue
            above = {unit.urn for unit in index.chain(node)}
            governing = {one.scope_urn: one for one in meant[term] if one.scope_urn in above}
            if not counts.scoped and not phrase:
                silent.setdefault(term, []).extend((node, one, counts.relation) for one in governing.values())
            elif phrase:
                out.append(
                    Definition(first.term, node.urn, (index.section(node) or node).urn, counts.relation, True, phrase)
                )
    for term, found in silent.items():
        few = len({node.urn for node, _, _ in found}) <= _FEW
        for node, one, relation in found:
            section = index.section(node) or node
            beside = any(section in index.chain(index.tree.by_urn[other.node_urn]) for other in meant[term])
            wide = beside or (few and relation == "excludes")
            scope = one.scope_urn if wide else section.urn
            out.append(Definition(one.term, node.urn, scope, relation, one.inferred or not wide))
    return out


def _counts(text: str, start: int, end: int, ways: Sequence[CountsAs]) -> tuple[CountsAs, int] | None:
    """How the words around a term make something else count as it, and where their sentence begins; None if not."""
    low = max(0, start - _MAX_COUNTED)
    opening = _NUMBERED.match(text, 0, start) if not low else None
    begins = opening.end() if opening is not None else low
    for match in _COUNTED_FROM.finditer(text, begins, start):
        begins = match.end()
    for way in ways:
        if (way.after is None or way.after.match(text, end)) and way.before.search(text[begins:start]):
            return way, begins
    return None


def _unread_meanings(
    document: ParsedDocument,
    index: DocumentIndex,
    rules: LanguageRules,
    passages: Mapping[str, Passage],
    comments: Collection[str],
) -> list[Link]:
    """Sentences that seem to say what words mean, in provisions of which no definition was read: edges `may_define`.

    The reference is the words whose meaning it may be, the target what contains the section. A provision that limits
    another one says what applies, and not what words mean.
    """
    pattern = rules.links.speaks_of_meaning
    if pattern is None:
        return []
    own = {definition.node_urn for definition in document.definitions}
    defining = {unit.urn for urn in own for unit in index.chain(index.tree.by_urn[urn])}
    limiting = {link.source_urn for link in document.links if link.kind != "cites"}
    out: list[Link] = []
    for node in document.nodes:
        section = index.section(node)
        around = index.tree.parent(section) if section is not None else None
        if around is None or node.kind == "decision" or is_editorial(node):
            continue
        if node.urn in defining or node.urn in limiting or node.urn in comments:
            continue
        if not own.isdisjoint(unit.urn for unit in index.chain(node)):
            continue
        said = (
            next(word for word in found.groups() if word).strip() for found in pattern.finditer(passages[node.urn].text)
        )
        out += [Link(node.urn, "may_define", words, around.urn) for words in [*dict.fromkeys(said)][:_FEW]]
    return out


def is_editorial(node: ParsedNode) -> bool:
    """Whether a node is the publisher's note: it is no law and defines nothing, in whatever language it is written.

    A note that the law itself makes, such as guidance or a note to a paragraph, is not of the kind `notice`.
    """
    return node.structure_type == "NOTE" and node.kind == "notice"


def commentary(document: ParsedDocument, index: DocumentIndex) -> set[str]:
    """The nodes in which the publisher comments on the document's own law, by the links `interprets` of its parser.

    "The term X includes ..." in a comment elaborates what the law has defined; it is no second definition.
    """
    sources = {link.source_urn for link in document.links if link.kind == "interprets" and index.node(link.target_urn)}
    heads = [node for node in document.nodes if node.urn in sources]
    return {node.urn for head in heads for node in index.tree.subtree(head)}


def without_doubles(definitions: list[Definition], rules: TermRules) -> list[Definition]:
    """One definition for each term, node and scope; an inferred scope gives way to one that a phrase states."""
    places = [(rules.normalise(definition.term), definition.node_urn) for definition in definitions]
    stated = {place for place, definition in zip(places, definitions, strict=True) if not definition.inferred}
    kept: dict[tuple[str, str, str], Definition] = {}
    for place, definition in zip(places, definitions, strict=True):
        if not definition.inferred or place not in stated:
            kept.setdefault((*place, definition.scope_urn), definition)
    return list(kept.values())


def _for_comments(document: ParsedDocument, index: DocumentIndex) -> list[Definition]:
    """The definitions that govern a provision once more, for the comments on it: these stand elsewhere in the tree."""
    out: list[Definition] = []
    given: set[tuple[int, str]] = set()
    for link in document.links:
        target, comment = index.node(link.target_urn), index.node(link.source_urn)
        if link.kind != "interprets" or target is None or comment is None:
            continue
        interpreted = {ancestor.urn for ancestor in index.chain(target)}
        above = {ancestor.urn for ancestor in index.chain(comment)}
        for number, definition in enumerate(document.definitions):
            covered = definition.scope_urn in above or any((number, urn) in given for urn in above)
            if definition.scope_urn in interpreted and not covered:
                given.add((number, comment.urn))
                out.append(replace(definition, scope_urn=comment.urn))
    return out


# Definitions whose meaning an annex of their law gives: "an area whose bounds are set out in table 1 to this part". An
# annex is named by the word that its publisher calls it ("schedule", "anlage", 別表), and by its number where it has
# one; no list of such words is needed.

_NUMBER = re.compile(r"(?:\d+[a-z]?|[a-z]|[ivxl]+)(?![^\W_])", re.IGNORECASE)
_FOLLOWING = re.compile(r"\s{1,3}(?:[A-Za-z]{1,2}[.°]\s{0,2})?(?P<number>\d+[a-z]?|[IVXL]+|[A-Z])\b")
_PART = re.compile(r"(?<![\w.])(\d+[a-z]?)[.°)]?\s{1,2}(?:[^\W\d_]+['’]?\s{0,2}){1,2}\Z", re.IGNORECASE)
_LABEL = re.compile(r"[^\W\d_]+(?=\s?[(（])|[^\W\d_]+\Z")  # what a heading in a script without spaces begins with
_LONGEST = 4_000  # characters of an annex that is shown whole with a definition


def with_annexes(
    definitions: Sequence[Definition], index: DocumentIndex, rules: TermRules, passages: Mapping[str, Passage]
) -> list[Definition]:
    """The definitions, those that name an annex with what they point to, and an entry of their term in a short one.

    What such an annex says of the term in no known scope is that meaning, and no other one.

    Args:
        definitions: of the document, with the places of their words.
    """
    annexes: dict[str, list[ParsedNode]] = {}  # by the word for them
    for node in index.document.nodes:
        if node.structure_type == "APPENDIX" and (word := _word(node)):
            annexes.setdefault(word, []).append(node)
    if not annexes:
        return [*definitions]
    names = [(word, _pattern(word)) for word in sorted(annexes, key=lambda word: (-len(word), word))]
    starts: dict[str, list[int]] = {}
    for definition in definitions:
        if definition.words is not None:
            starts.setdefault(definition.node_urn, []).append(definition.words[0])
    pointed = [
        None if definition.reference_urn else _named(definition, starts, annexes, names, index, passages)
        for definition in definitions
    ]
    given = {
        (rules.normalise(definition.term), part.urn)
        for definition, annex in zip(definitions, pointed, strict=True)
        for part in (index.tree.subtree(annex) if annex is not None else ())
    }
    out: list[Definition] = []
    for definition, annex in zip(definitions, pointed, strict=True):
        if annex is None:
            if not definition.inferred or (rules.normalise(definition.term), definition.node_urn) not in given:
                out.append(definition)
            continue
        out.append(replace(definition, reference_urn=annex.urn))
        if sum(len(part.text) for part in index.tree.subtree(annex)) <= _LONGEST:
            entry = Definition(
                definition.term, annex.urn, annex.urn, "includes", definition.inferred, definition.phrase
            )
            out.append(entry)
    return out


def _named(
    definition: Definition,
    starts: Mapping[str, Sequence[int]],
    annexes: Mapping[str, Sequence[ParsedNode]],
    names: Sequence[tuple[str, re.Pattern[str]]],
    index: DocumentIndex,
    passages: Mapping[str, Passage],
) -> ParsedNode | None:
    """The annex that a definition's own words name; None where they name none of what contains the definition."""
    node = index.tree.by_urn[definition.node_urn]
    above = {unit.urn for unit in index.chain(node)}
    start, end = definition.words or (0, None)
    text = passages[node.urn].text
    last = min([at for at in starts.get(node.urn, ()) if at > start], default=len(text)) if end is None else end
    parts = [part for part in index.tree.children(node.urn) if last == len(text)]
    for urn, words in [(node.urn, text[start:last]), *((part.urn, passages[part.urn].text) for part in parts)]:
        shift = start if urn == node.urn else 0
        for word, found in ((word, found) for word, name in names for found in name.finditer(_folded(words))):
            number = _FOLLOWING.match(words, found.end())
            wanted = number["number"].lower() if number is not None else ""
            cited = [
                citation for citation in passages[urn].citations
                if citation.whole_start <= found.start() + shift < citation.whole_end
            ]  # fmt: skip
            if any(citation.kind != "relative" and index.node(citation.urn) is None for citation in cited):
                continue  # of another law
            of_unit = [annex for annex in annexes[word] if annex.parent_urn in above]
            same = [annex for annex in of_unit if _number(annex) == wanted] if wanted else of_unit
            if len(same) == 1 and same[0].urn not in above:
                return _part(same[0], words[: found.start()], index)
    return None


def _part(annex: ParsedNode, before: str, index: DocumentIndex) -> ParsedNode:
    """The part of an annex that words name right before it, "paragraph 1 of the Schedule"; else the annex."""
    number = _PART.search(before)
    parts = index.tree.children(annex.urn) if number is not None else ()
    return next((part for part in parts if number is not None and part.number.lower() == number[1].lower()), annex)


def _word(annex: ParsedNode) -> str:
    """The word that an annex is called by: its level, or where no spaces part words what its heading begins with."""
    label = _LABEL.match(annex.heading) if unspaced(annex.heading) else None
    return _folded(label[0] if label is not None and unspaced(label[0]) else annex.level.rpartition(" ")[2])


def _number(annex: ParsedNode) -> str:
    found = _NUMBER.match(annex.number)
    return found[0].lower() if found is not None else ""


def _pattern(word: str) -> re.Pattern[str]:
    """A word in singular or plural; of a script without spaces anywhere."""
    return re.compile(re.escape(word) if unspaced(word) else rf"\b{re.escape(word)}(?:e?[sn]?)\b")


def _folded(text: str) -> str:
    """Small letters without accents, as many as there were."""
    return "".join(unicodedata.normalize("NFD", char)[0].lower()[:1] or char for char in text)


# Definitions in forms that no pattern knows, by the language's learned reader; they are marked, and never certain. A
# sentence in which a definition was read by its form is not read again. What the reader is sure of becomes a definition
# with an inferred scope and an edge `may_define` that tells so with every context; of what it is less sure, the edge
# alone is left.

_WITHIN = 15  # provisions after one in which its words are looked for
_WHOLE = 400  # nodes of a law all of which a definition without a phrase governs
_MANY_LAWS = ("title", "code")
# "Livre Ier : Dispositions": the number of a heading before a colon is no term.
_NUMERAL = re.compile(r"(?:\d+|(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3}))\s?(?:er|re|ère|e|°)?")


class LikelyDefinitions:
    """Reads the nodes of one document."""

    def __init__(self, index: DocumentIndex, weights: Weights) -> None:
        self._index, self._weights = index, weights
        self._nodes = index.document.nodes
        self._places = {node.urn: place for place, node in enumerate(self._nodes)}
        self._known: dict[int, frozenset[str]] = {}  # the stems of a node, by its place

    def _stems(self, place: int) -> frozenset[str]:
        if place not in self._known:
            self._known[place] = stems(self._nodes[place].text)
        return self._known[place]

    def surroundings(self, node: ParsedNode) -> Surroundings:
        """What stands around a node's text."""
        parent, section = self._index.tree.parent(node), self._index.section(node)
        headings = dict.fromkeys((node.heading, section.heading if section is not None else ""))
        first = self._places[node.urn] + 1

        def following(word: str) -> int:
            return sum(word in self._stems(at) for at in range(first, min(first + _WITHIN, len(self._nodes))))

        return Surroundings(parent.intro_text if parent is not None else "", " ".join(headings), following)

    def terms(
        self, passage: Passage, known: Sequence[Definition], amending: re.Pattern[str]
    ) -> Iterator[tuple[tuple[int, int], Likely]]:
        """The terms that a node likely defines, each with its sentence.

        Args:
            passage: the node and its text.
            known: what it defines by form.
            amending: matches in a sentence that changes the words of another act, and defines nothing here.
        """
        if any(definition.words is None for definition in known):
            return
        starts = [definition.words[0] for definition in known if definition.words is not None]
        text, around = passage.text, None
        for start, end in sentences(text):
            if not is_worth_reading(text, start, end, self._weights) or any(start <= at < end for at in starts):
                continue
            if amending.search(text, start, end):
                continue
            around = around or self.surroundings(passage.node)
            for found in likely_terms(text, start, end, around, self._weights):
                if _NUMERAL.fullmatch(text, found.start, found.end) is None:
                    yield (start, end), found


def read_likely(
    index: DocumentIndex,
    language: Language,
    weights: Weights,
    rules: TermRules,
    finder: DefinitionFinder,
    passages: Mapping[str, Passage],
    skipped: Collection[str],
) -> tuple[list[Definition], list[Link]]:
    """The definitions that a document likely makes beside those that it has, and their edges.

    Args:
        index: of a document whose definitions by form are read.
        language: that it is written in.
        weights: of the language's reader.
        finder: of its language, for what scope phrases say.
        skipped: URNs of nodes that define nothing.
    """
    reader = LikelyDefinitions(index, weights)
    own: dict[str, list[Definition]] = {}
    meant: set[str] = set()
    for definition in index.document.definitions:
        own.setdefault(definition.node_urn, []).append(definition)
        meant.add(rules.normalise(definition.term))
    definitions: list[Definition] = []
    links: list[Link] = []
    for node in index.document.nodes:
        if not node.text or node.urn in skipped or node.structure_type in ("NOTE", "TABLE", "ROOT"):
            continue
        here = own.get(node.urn, [])
        named = {rules.normalise(definition.term) for definition in here}
        for (start, end), likely in reader.terms(passages[node.urn], here, language.limits.amending):
            term = node.text[likely.start : likely.end]
            plain = rules.normalise(term)
            if plain in named or not any(char.isalpha() for char in plain):
                continue
            named.add(plain)
            around = index.tree.parent(index.section(node) or node)
            if likely.margin < weights.sure:
                links += [Link(node.urn, "may_define", term, around.urn)] if around is not None else []
                continue
            urns, phrase = _scope(index, node, finder, passages, start, end)
            links += [Link(node.urn, "may_define", term, urn) for urn in urns]
            # Beside a meaning that a form tells, or one before it, this one may only add to it.
            relation = "includes" if plain in meant else "means"
            definitions += [
                Definition(term, node.urn, urn, relation, True, phrase, words=(start, None)) for urn in urns
            ]
            meant.add(plain)
    return definitions, links


def _scope(
    index: DocumentIndex,
    node: ParsedNode,
    finder: DefinitionFinder,
    passages: Mapping[str, Passage],
    start: int,
    end: int,
) -> tuple[tuple[str, ...], str]:
    """What a definition governs: what its sentence or the words above say, else its law or its section's container."""
    urns, phrase, _ = finder.scope_said(passages[node.urn], start, end)
    section = index.section(node)
    for unit in index.chain(node)[1:] if not urns else ():
        if unit.intro_text:
            urns, phrase, _ = finder.scope_said(passages[unit.urn], 0, len(unit.intro_text))
        if urns or unit is section:
            break
    if urns:
        return urns, phrase
    around = index.tree.parent(section or node)
    whole = len(index.tree.nodes) <= _WHOLE and index.root.level not in _MANY_LAWS
    return (index.root.urn if around is None or whole else around.urn,), ""
