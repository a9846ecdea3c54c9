"""Annotation: definitions with their scope, references, exceptions and used terms of one parsed document.

Pure: it reads the nodes and fills the document's lists. The words it looks for are the jurisdiction's.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from rag.ingest.annexes import with_annexes
from rag.ingest.likely_definitions import read_likely
from rag.ingest.limits import LimitFinder, limit_model
from rag.jurisdictions.by_language import annotating, reading_note
from rag.languages.base import DefinitionFinder, LanguageRules
from rag.languages.registry import checked_finder, known_language, language_rules
from rag.languages.sentences import INNER_STOP, with_inner_stops
from rag.law.entries import Reading, with_entries
from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import CONTAINER_TYPES, Definition, Link, ParsedDocument, ParsedNode
from rag.law.openings import prepared
from rag.law.passages import Citation, Passage, after_number, read_passage, unknown_numbers
from rag.law.phrases import CountsAs, ExceptionKind, ExceptionPhrase, LinkPhrases, ListPhrase
from rag.law.scopes import MAX_REST, rest_of
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

    Args:
        definitions: of one document.
        index: of that document.
        rules: how its terms are compared.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for place, definition in enumerate(definitions):
        if definition.relation == "means":
            groups.setdefault((rules.normalise(definition.term), definition.scope_urn), []).append(place)
    out = list(definitions)
    for (_, scope), places in groups.items():
        sections = {place: _section(definitions[place], index) for place in places}
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
        section = _section(definition, index)
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
        term, section = rules.normalise(definition.term), _section(definition, index)
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
        section = _section(definition, index)
        passing = definition.words is not None and definition.words[1] is not None
        alone = counts[term] == 1 and (" " in term or not code)
        if passing and definition.inferred and not definition.phrase and section is not None and alone:
            wanted[term] = place, section
    if not wanted:
        return document.definitions
    out = list(document.definitions)
    users: dict[str, list[ParsedNode]] = {}
    found = words.index(wanted, document.senses)
    for node in _with_words(document, words, found):
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


def _section(definition: Definition, index: DocumentIndex) -> ParsedNode | None:
    node = index.node(definition.node_urn)
    return index.section(node) if node is not None else None


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


def annotate(document: ParsedDocument, jurisdiction: Jurisdiction) -> None:
    """Fill `definitions`, `links` and `used_terms` of a document.

    Links that the parser found are kept. Law of a jurisdiction without a module is read by the rules of its language;
    where that is not known either, nothing is looked for. A warning says so. Annotating twice adds everything twice.

    Args:
        document: at least its root node; `nodes` in document order.
        jurisdiction: the module that knows this law's words.
    """
    language = document.corpus.language
    if note := reading_note(jurisdiction, language):
        document.warnings.append(note)
    rules, reader = language_rules(language), annotating(jurisdiction, language)
    if rules is None or reader is None:
        return
    jurisdiction = reader
    whole = DocumentIndex(document)
    links = LinkFinder(whole, jurisdiction, rules.links)
    read = {node.urn: read_passage(node, whole, jurisdiction) for node in document.nodes}
    reading = with_entries(document, rules.lists)
    index = DocumentIndex(reading.document) if reading.changed else whole
    passages = {
        node.urn: read_passage(node, index, jurisdiction) if node.urn in reading.changed else read[node.urn]
        for node in reading.document.nodes
    }
    for node in document.nodes:
        document.links.extend(links.heading_links(read_passage(node, whole, jurisdiction, heading=True)))
        document.links.extend(links.links(read[node.urn]))
    document.warnings.extend(_dangling(document, whole))
    finder = checked_finder(rules.definition_finder(index, jurisdiction, passages.__getitem__), language)
    words = WordPlaces((node.text for node in reading.document.nodes), rules.terms)
    _define(reading, index, rules, finder, passages, words)
    if (spoken := known_language(language)) is not None and (model := limit_model(spoken.code)) is not None:
        telling = (link for link in document.links if link.kind not in ("cites", "may_define"))
        stated = {(link.source_urn, link.target_urn) for link in telling}
        noted = {(link.source_urn, link.reference) for link in document.links if link.kind == "may_define"}
        defining = {
            urn
            for definition in document.definitions
            if ((urn := reading.origins.get(definition.node_urn, definition.node_urn)), definition.term) not in noted
        }  # for certain
        document.links.extend(LimitFinder(whole, spoken, model, read, defining).links(stated))
    uses = _uses(reading.document, index, rules.terms, words)
    origin = reading.origins
    cut = {*origin, *origin.values()}
    document.definitions[:] = [
        replace(
            definition,
            node_urn=origin.get(definition.node_urn, definition.node_urn),
            scope_urn=origin.get(definition.scope_urn, definition.scope_urn),
            reference_urn=origin.get(definition.reference_urn, definition.reference_urn),
            used_terms=terms,
            apart=apart,
            words=None,
        )
        for definition, terms, apart in zip(
            document.definitions,
            _own_terms(document.definitions, index, uses, cut),
            _apart(document.definitions, index, rules.terms, reading.origins),
            strict=True,
        )
    ]
    document.definitions[:] = _without_doubles(document.definitions, rules.terms)
    for urn, found in uses.items():
        known = document.used_terms.get(origin.get(urn, urn), ())
        document.used_terms[origin.get(urn, urn)] = sorted({*known, *(use.term for use in found)})


_OWN_FORMAT = "lexjsonl"  # in which people write law of their own
_DANGLING_NAMED = 3  # provisions that a warning names


def _dangling(document: ParsedDocument, index: DocumentIndex) -> Iterator[str]:
    """A warning where law of one's own that is one document cites provisions of its own that are not in it.

    What a publisher has printed so is for nobody to put right who ingests it.
    """
    if index.root.urn != index.corpus_urn or not (index.counts_itself or document.format == _OWN_FORMAT):
        return
    own, missing = f"{index.root.urn}:", list[str]()
    for link in document.links:
        if link.target_urn.startswith(own) and index.node(link.target_urn) is None:
            number, *below = link.target_urn.removeprefix(own).split(":")
            missing.append(number + "".join(f"({part})" for part in below))
        elif not link.target_urn and "external" not in link.properties:
            missing += unknown_numbers(link.reference, index)
    if missing:
        named = list(dict.fromkeys(missing))
        more = ", ..." if len(named) > _DANGLING_NAMED else ""
        said = "1 reference is" if len(missing) == 1 else f"{len(missing)} references are"
        yield f"{said} to provisions that the document does not have: {', '.join(named[:_DANGLING_NAMED])}{more}"


def _apart(
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


def _own_terms(
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


def _define(
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
    document.definitions[:] = _without_doubles(document.definitions, rules.terms)
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
    for term in _names(document, rules.terms, words):
        document.senses.setdefault(term, set()).add(Sense.NAME)


def _uses(
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
        for text in (passages[node.urn].text[max(0, citation.whole_start - _MAX_CLAUSE) : citation.whole_start],)
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


_SPACE = 80  # characters before a term among which the last one that is no white space is looked for


def _names(document: ParsedDocument, rules: TermRules, words: WordPlaces) -> set[str]:
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
    for node in _with_words(document, words, terms):
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
        term, section = rules.normalise(definition.term), _section(definition, index)
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
    for node in _with_words(document, words, terms):
        verbs -= {term for _, _, term in terms.find(node.text) if (term, node.urn) not in own}
    return verbs


def _verbs_by_use(document: ParsedDocument, rules: TermRules, things: set[str], words: WordPlaces) -> set[str]:
    """Terms that may be verbs, which no provision uses as a thing and some use so: `"promote" includes organise`."""
    own: dict[str, set[str]] = {}
    for definition in document.definitions:
        own.setdefault(rules.normalise(definition.term), set()).add(definition.node_urn)
    unused = {term for term in own.keys() - things if Sense.PERHAPS in document.senses.get(term, ())}
    terms = words.index(unused, dict.fromkeys(unused, frozenset((Sense.ACTION,))))
    nodes = _with_words(document, words, terms)
    return {term for node in nodes for _, _, term in terms.find(node.text) if node.urn not in own[term]}


def _with_words(document: ParsedDocument, words: WordPlaces, terms: TermIndex) -> list[ParsedNode]:
    """The nodes whose texts can use one of the terms, in document order."""
    return [document.nodes[number] for number in words.of(terms)]


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
    for node in _with_words(document, words, terms):
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
                stop = _CLAUSE_END.search(node.text, end)
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


def _without_doubles(definitions: list[Definition], rules: TermRules) -> list[Definition]:
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
    speaking = {node.urn for node in _with_words(document, words, terms)}
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


# Edges from a node to what it cites, and how it relates to it, see `ExceptionPhrase`.
# The source is the provision whose words they are, but for what these say of a third one: "Section 5 has effect subject
# to section 8" relates sections 5 and 8 too, wherever it stands.

_MAX_GAP = 90  # characters between an excepting phrase and its reference
_CONFINED = CONTAINER_TYPES | {"ROOT", "APPENDIX"}
_MANY_LAWS = frozenset(("title", "code"))
_OPENING_GAP = 3  # between "has effect" and "subject to"
_MAX_COUNTED = 300  # characters of a sentence before a term as which something counts
_MAX_JOINT = 120  # characters between two references of one list, remarks in brackets included
_MAX_CLAUSE = 200  # characters before an excepting phrase in which its subject and verb stand
_OPENING = re.compile(r"\s*[:—–]")  # between words that introduce a list and its first item
# The number of an item and the word that joins it to the one before.
_ITEM = re.compile(r"\s*(?:(?:and|or|und|oder|sowie|et|ou)\s+)?(?:(?:\(?\w{1,4}\)|\d{1,3}\.|[•–-])\s*)?")
_SENTENCE_END = re.compile(r"\.(?:\s|\Z)")
_SENTENCE_START = re.compile(r"(?<=\w[.;])\s+(?=\S)|\n(?=\S)")
_CLAUSE_END = re.compile(r"[.;](?=\s|\Z)|[。；]|\n")
# Where a sentence begins, also after a provision's number; none begins after an abbreviation ("art. L. 131").
_NUMBERED = re.compile(r"\s*(?:[IVX]{1,5}\.?\s?[–—-]|\(\w{1,4}\)|\d{1,3}\.)\s")
_COUNTED_FROM = re.compile(r"[\s。；](?:(?<=\w{3}[.;]\s)\s*(?=[A-ZÀ-Ý„“«\"(])(?![LRDA]\.)|(?<=[。；\n]))")
_QUOTED = re.compile(r"\A\s*“[^”]*\Z|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|\"[^\"\n]*\"")
_LONGEST_CLAUSE = 300  # characters on either side of a reference in which its clause ends
_LONGEST_QUESTION = 600  # characters before words in which a clause that they are in can begin
_LAST_MEMBER = re.compile(r"\A[^,]*?\s(?:or|and|oder|und|ou|et)\s")  # of a list that commas part
_FEW = 2  # what is told of a provision, and provisions in which a term counts as another
# A provision that no grammar could read, by its unit and number ("the next subsection of"): the reference after it is
# not what the words govern.
_UNREAD = re.compile(
    r"(?:\b(?i:art\.|sec\.|(?:sub-?|sous-)?(?:articles?|sections?|paragra(?:ph|phe)s?|chap(?:ter|itre)s?|parts?|tit(?:le|re)s?"
    r"|divisions?|clauses?)|alinéas?|livres?|books?|rules?|regulations?|schedules?|annex(?:es?)?|appendi(?:x|ces)"
    r"|artikels?|absatz(?:es)?|abs\.|nummer|nr\.|kapitels?)\s{1,2}|§{1,2}\s{0,2})"
    r"(?:\d|[IVXLC]+\b|[A-Z]\b|(?i:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b)"
    r"|\b(?i:next|last|preceding|succeeding|following|other)\s(?:\w+\s){0,2}(?:sub-?)?(?i:section|paragraph|clause|article|chapter|part)s?\s(?:of|in)\s"
)  # fmt: skip


def _stem(noun: str) -> str:
    """What a noun has in common with its verb: "affichage" with "affiche", "notice" with "notify"."""
    return noun.casefold()[: max(4, min(8, len(noun) - 2 - (len(noun) > 7)))]


def _introduces(words: str, end: int) -> bool:
    """Whether a list follows what ends there: nothing more stands between."""
    return not words[end:].strip(" :—–-\n")


def _said(match: re.Match[str]) -> str:
    """The words of a phrase; where the verb stands far from them, with it."""
    verb = match.groupdict().get("verb")
    return f"{match[0]}…{verb}" if verb else match[0]


def _said_without_reference(node: ParsedNode, kind: ExceptionKind, found: re.Match[str], target: str) -> Link:
    span = {"start": str(found.start()), "end": str(found.end())}
    said = {"phrase": found[0], "phrase_start": span["start"], "phrase_end": span["end"]}
    return Link(node.urn, kind, found[0], target, {**span, **said})


class _Places:
    """Finds citations by where their references stand; a node may have thousands of them and of phrases."""

    def __init__(self, citations: Sequence[Citation]) -> None:
        # One reference may hold others, so neither starts nor ends need be in order; these are.
        self._starts = list(accumulate((citation.whole_start for citation in citations), max))
        self._ends = list(accumulate((citation.whole_end for citation in reversed(citations)), min))[::-1]

    def first_from(self, place: int) -> int | None:
        """The position of the first citation whose reference begins at a place or after it."""
        position = bisect_left(self._starts, place)
        return position if position < len(self._starts) else None

    def last_up_to(self, place: int) -> int | None:
        """The position of the last citation whose reference has ended at a place."""
        position = bisect_right(self._ends, place) - 1
        return position if position >= 0 else None


class LinkFinder:
    """Finds the links of one document's nodes."""

    def __init__(self, index: DocumentIndex, jurisdiction: Jurisdiction, phrases: LinkPhrases) -> None:
        self._index = index
        self._jurisdiction = jurisdiction
        self._phrases = phrases
        self._excepting = prepared(tuple(phrase.pattern for phrase in phrases.exceptions))
        self._listing = prepared(tuple(phrase.pattern for phrase in phrases.lists))

    def links(self, passage: Passage) -> list[Link]:
        """The node's links: one for each target and kind, in the order of the text.

        A citation that an excepting phrase governs becomes the exception and not also a plain citation. Plain
        citations of the node itself or of its ancestors are left out: they are in every context of the node anyway.
        """
        stopped = with_inner_stops(passage.text, self._index.document.corpus.language)
        found = self._links(replace(passage, text=stopped) if stopped != passage.text else passage)
        if stopped == passage.text:
            return found
        return [
            replace(
                link,
                reference=link.reference.replace(INNER_STOP, "."),
                properties={name: value.replace(INNER_STOP, ".") for name, value in link.properties.items()},
            )
            for link in found
        ]

    def _links(self, passage: Passage) -> list[Link]:
        # A decision says what law does not apply to its parties, an example to those in it; neither limits any.
        example = self._is_example(passage.node)
        governed = self._exceptions(passage) if passage.node.kind != "decision" and not example else {}
        above = {ancestor.urn for ancestor in self._index.chain(passage.node)}
        links: list[Link] = []
        seen: set[tuple[str, str, str]] = set()
        for position, citation in enumerate(passage.citations):
            kind, phrase, start, end = governed.get(position, ("cites", "", 0, 0))
            target = citation.urn if kind == "cites" else self._known(citation.urn)
            if kind == "subject_to" and target in above and self._covers(passage.text[max(0, end - _MAX_GAP) : end]):
                continue
            if kind == "applies" and not (target in above and self._is_law_or_part(target)):
                kind, phrase = "cites", ""
            if target == passage.node.urn or (kind == "cites" and target in above):
                continue
            key = (kind, target, "" if target else citation.reference)
            if key in seen:
                continue
            seen.add(key)
            properties = self._properties(citation)
            if phrase and end:
                properties |= {"phrase": phrase, "phrase_start": str(start), "phrase_end": str(end)}
            elif phrase:  # it stands in the words that introduce the list
                properties["lead_phrase"] = phrase
            if kind == "cites" or not target:
                links.append(Link(passage.node.urn, kind, citation.reference, target, properties))
                continue
            lifts = kind == "limits" and self._lifts_duties(passage.text, start, end)
            thing = self._phrases.thing_under
            found = thing.search(passage.text[end : citation.whole_start]) if thing is not None and lifts else None
            stem = _stem(found["need"]) if found is not None else ""
            for urn in self._duties_below(target, stem) if lifts else self._governs(passage, position, target, end):
                if (kind, urn, "") not in seen or urn == target:
                    seen.add((kind, urn, ""))
                    links.append(Link(passage.node.urn, kind, citation.reference, urn, properties))
        if example:
            return [*links, *self._named_laws(passage)]
        links += self._said_of_the_subject(passage)
        return [
            *links,
            *self._said_of_the_one_before(passage, links),
            *self._said_of_others(passage, links),
            *self._opposed(passage),
            *self._named_laws(passage),
        ]

    def _is_example(self, node: ParsedNode) -> bool:
        """Whether a provision is a worked example by its heading or first words, or a part of one."""
        begins, line = self._phrases.example, self._index.chain(node)
        return begins is not None and any(begins.match(words) for part in line for words in (part.heading, part.text))

    def _named_laws(self, passage: Passage) -> Iterator[Link]:
        """Other laws that are named as a whole and that no grammar resolves: "within the meaning of the Kite Act"."""
        pattern = self._phrases.named_law
        known: set[str] = set()
        for found in pattern.finditer(passage.text) if pattern is not None else ():
            start, end, name = *found.span("name"), found["name"]
            cited = any(one.whole_start < end and start < one.whole_end for one in passage.citations)
            if not cited and name not in known and name.casefold() not in self._index.title.casefold():
                known.add(name)
                properties = {"start": str(start), "end": str(end), "external": "true"}
                yield Link(passage.node.urn, "cites", name, "", properties)

    def _is_law_or_part(self, urn: str) -> bool:
        """Whether a node is a law, or a part of one above its sections; a title of a code is many laws."""
        node = self._index.node(urn)
        return node is not None and node.structure_type in _CONFINED and node.level not in _MANY_LAWS

    def _said_of_the_one_before(self, passage: Passage, links: list[Link]) -> Iterator[Link]:
        """What a provision takes out of the one before it in its section without naming it: "This does not apply"."""
        anaphora, node = self._phrases.anaphora, passage.node
        found = anaphora.match(passage.text, after_number(passage.text)) if anaphora is not None else None
        parent = self._index.tree.parent(node)
        if found is None or parent is None or parent.structure_type in CONTAINER_TYPES or node.kind == "decision":
            return
        before = self._before(node)
        if before is None or before.level != node.level:
            return  # an item of a list that the words before this one introduce
        if all((link.kind, link.target_urn) != ("limits", before.urn) for link in links):
            yield _said_without_reference(node, "limits", found, before.urn)

    def _opposed(self, passage: Passage) -> Iterator[Link]:
        """What the first words of a section take out of the section before it: "However, the Minister may"."""
        opposes, node = self._phrases.opposes, passage.node
        found = opposes.match(passage.text, after_number(passage.text)) if opposes is not None else None
        section = self._index.section(node) if found is not None else None
        if found is None or section is None:
            return
        first = next((unit for unit in self._index.tree.subtree(section) if unit.text), None)
        before = self._before(section) if first is node else None
        if before is not None and before.structure_type == section.structure_type:
            yield _said_without_reference(node, "limits", found, before.urn)

    def _before(self, node: ParsedNode) -> ParsedNode | None:
        """The sibling before a node."""
        parent = self._index.tree.parent(node)
        siblings = self._index.tree.children(parent.urn) if parent is not None else ()
        return next((one for one, other in pairwise(siblings) if other is node), None)

    def _said_of_the_subject(self, passage: Passage) -> Iterator[Link]:
        """What a sentence takes out of force by a pronoun: "This Act applies to lifts. It does not apply to hoists"."""
        pronoun, subject = self._phrases.pronoun, self._phrases.subject
        for found in pronoun.finditer(passage.text) if pronoun is not None and subject is not None else ():
            before, text = passage, passage.text[: found.start()].rstrip()
            if after_number(passage.text) >= len(text):
                sibling = self._before(passage.node)
                if sibling is None or not sibling.text:
                    continue
                before = read_passage(sibling, self._index, self._jurisdiction)
                text = before.text.rstrip()
            opening = after_number(before.text)
            start = max((end.end() for end in _SENTENCE_START.finditer(text, opening)), default=opening)
            for citation in before.citations:
                about = subject is not None and subject.fullmatch(before.text, start, max(start, citation.whole_start))
                if not about or start > citation.whole_start or self._index.node(citation.urn) is None:
                    continue
                said = (one for one in passage.citations if found.start() <= one.whole_start < found.end())
                out = {one.urn for one in said if one.urn}
                rest = rest_of(self._index, citation.urn, out) if out else [citation.urn]
                for urn in rest if len(rest) <= MAX_REST else [citation.urn]:
                    if urn != passage.node.urn:
                        yield _said_without_reference(passage.node, "disapplies", found, urn)

    def _said_of_others(self, passage: Passage, links: list[Link]) -> Iterator[Link]:
        """What provisions of this document yield to by the words of this node."""
        for yielding, to in pairwise(links):
            if (yielding.kind, to.kind) != ("limits", "subject_to"):
                continue
            ended, begun = yielding.properties.get("phrase_end"), to.properties.get("phrase_start")
            other = self._index.node(yielding.target_urn)
            if other is not None and ended and begun and 0 <= int(begun) - int(ended) <= _OPENING_GAP:
                yield Link(other.urn, to.kind, to.reference, to.target_urn, {"stated_in": passage.node.urn})

    def heading_links(self, passage: Passage) -> list[Link]:
        """What the node's heading cites, with `place = heading`; offsets are into the heading."""
        known: set[str] = set()
        links: list[Link] = []
        for citation in passage.citations:
            if citation.urn and citation.urn not in known:
                known.add(citation.urn)
                properties = {**self._properties(citation), "place": "heading"}
                links.append(Link(passage.node.urn, "cites", citation.reference, citation.urn, properties))
        return links

    def _properties(self, citation: Citation) -> dict[str, str]:
        properties = {"start": str(citation.start), "end": str(citation.end)}
        if citation.range:
            properties["range"] = citation.range
        if citation.kind == "external":
            properties["external"] = "true"
        if not citation.confident:
            properties["confident"] = "false"
        if citation.urn and self._is_missing(citation.urn):
            properties["exists"] = "false"
        return properties

    def _governs(self, passage: Passage, position: int, target: str, phrase_end: int) -> Iterator[str]:
        """What an exception to a target governs: all of a range up to it, and nothing that its sentence carves out.

        "Sections 3 to 6, except section 5", "this Act, other than section 4", "前三条".
        """
        citation, node = passage.citations[position], self._index.node(target)
        if node is None:
            yield target
            return
        before = passage.citations[position - 1] if position else None
        governed = [node]
        if citation.range == "end" and before is not None and before.range == "start":
            governed = [*self._index.between(before.urn, node), node]
        carved = self._carved(passage, position)
        for parsed in governed:
            if parsed.urn in carved:
                continue
            rest = rest_of(self._index, parsed.urn, carved) if carved else (parsed.urn,)
            yield from rest if len(rest) <= MAX_REST else (parsed.urn,)

    def _lifts_duties(self, text: str, start: int, end: int) -> bool:
        """Whether the sentence around a phrase only lifts prohibitions and duties: "nothing in this Part prevents"."""
        lifts, stop = self._phrases.lifts_duties, _CLAUSE_END.search(text, end)
        sentence = text[max(0, start - _MAX_CLAUSE) : stop.start() if stop else len(text)]
        return lifts is not None and lifts.search(sentence) is not None

    def _duties_below(self, target: str, stem: str) -> Iterator[str]:
        """The provisions of a container that ask for a thing, by its stem; the container where none is named."""
        node, duty = self._index.node(target), self._phrases.duty
        if not stem or node is None or duty is None or node.structure_type not in _CONFINED:
            yield target
            return
        sections = [unit for unit in self._index.tree.subtree(node) if self._index.section(unit) is unit]
        asking = [
            unit.urn
            for unit in sections
            if any(duty.search(part.text) and stem in part.text.casefold() for part in self._index.tree.subtree(unit))
        ]
        yield from asking if 0 < len(asking) < len(sections) <= MAX_REST else (target,)

    def _carved(self, passage: Passage, position: int) -> set[str]:
        """What the words right after a citation, or after the list that it is in, take out of it."""
        carve = self._phrases.carve
        if carve is None:
            return set()
        last = self._list_from(passage, position)[-1]
        end = passage.citations[last].whole_end
        stop = _CLAUSE_END.search(passage.text, end, end + _LONGEST_CLAUSE)
        limit = stop.start() if stop is not None else end + _LONGEST_CLAUSE
        ends = [end + found.end() for found in carve.finditer(passage.text[end : limit + _LONGEST_CLAUSE])]
        first = last + 1  # what is carved out of a later one is not of this
        start = passage.citations[first].whole_start if ends and first < len(passage.citations) else limit + 1
        if start > limit or not any(0 <= start - found <= _OPENING_GAP for found in ends):
            return set()
        members = (passage.citations[at] for at in self._list_from(passage, first))
        return {member.urn for member in members if member.urn}

    def _known(self, urn: str) -> str:
        """The provision of this document that has the words of a part which the source does not set apart.

        "Subsection (1) of section 3" is in section 3, also where that is one paragraph of text.
        """
        if not urn or not self._is_missing(urn):
            return urn
        above = self._index.node(urn.rpartition(":")[0])
        while above is None and urn.count(":") > self._index.corpus_urn.count(":") + 1:
            urn = urn.rpartition(":")[0]
            above = self._index.node(urn)
        if above is None or self._index.section(above) is None or self._index.tree.children(above.urn):
            return urn
        return above.urn

    def _is_missing(self, urn: str) -> bool:
        """Whether a target belongs to this document and is not in it; nothing is known about other documents."""
        if self._index.node(urn) is not None:
            return False
        if self._jurisdiction.document_urn(urn) == self._index.root.urn:
            return True
        parent = urn.rpartition(":")[0]
        return parent != self._index.corpus_urn and self._index.node(parent) is not None

    def _exceptions(self, passage: Passage) -> dict[int, tuple[str, str, int, int]]:
        """For the position of each governed citation: kind, phrase, and the phrase's span."""
        governed: dict[int, tuple[str, str, int, int]] = {}
        if not passage.citations:
            return governed
        places = _Places(passage.citations)
        # Spans of phrases, in order; none overlaps another. What stands in quotation marks says nothing here: "in
        # subsection (1) omit “, subject to section 5,”".
        taken = [quoted.span() for quoted in _QUOTED.finditer(passage.text)]
        for number, match in self._excepting.matches(passage.text):
            phrase = self._phrases.exceptions[number]
            following = bisect_left(taken, (match.end(),))
            if following and match.start() < taken[following - 1][1]:
                continue
            if self._is_asked(passage.text, match.start()):
                continue
            positions = self._governed(passage, places, phrase, match)
            new = [place for place in positions if place not in governed]
            if not new:
                continue
            insort(taken, match.span())
            for position in new:
                governed[position] = (phrase.kind, _said(match), match.start(), match.end())
        for position, said in self._listed(passage):
            governed.setdefault(position, said)
        return governed

    def _listed(self, passage: Passage) -> Iterator[tuple[int, tuple[str, str, int, int]]]:
        """Citations that are items of a list whose introducing words except them: in the node's own text, or as a part
        of the node that the words stand in."""
        parent = self._index.tree.parent(passage.node)
        intro = passage.node.intro_text
        for phrase, matches in zip(self._phrases.lists, self._listing.each(passage.text), strict=True):
            above = phrase.pattern.search(parent.intro_text) if parent is not None else None
            if parent is not None and above is not None and _introduces(parent.intro_text, above.end()):
                for position in self._items(passage, phrase, 0, 0):
                    yield position, (phrase.kind, above[0], 0, 0)
            for match in matches:
                opening = _OPENING.match(passage.text, match.end())
                if opening is None:
                    continue
                stop = _SENTENCE_END.search(passage.text, opening.end())
                end = stop.start() if stop else len(passage.text)
                if match.start() < len(intro):
                    end = min(end, len(intro))
                for position in self._items(passage, phrase, opening.end(), end):
                    yield position, (phrase.kind, match[0], match.start(), match.end())

    def _items(self, passage: Passage, phrase: ListPhrase, start: int, end: int) -> Iterator[int]:
        """The citations that items begin with, and what each item's own list goes on with; `end` 0: one item only."""
        reached = start
        for position, citation in enumerate(passage.citations):
            if citation.whole_start < reached or (end and citation.whole_end > end):
                continue
            signs = ";,\n" if end else ""
            opening = max([start, *(passage.text.rfind(sign, reached, citation.whole_start) + 1 for sign in signs)])
            item = _ITEM.match(passage.text, opening, citation.whole_start)
            if item is None or not phrase.gap.fullmatch(passage.text, item.end(), citation.whole_start):
                if not end:
                    return  # the item begins with other words: what it cites later is not the item
                continue
            found = self._list_from(passage, position)
            yield from found
            if not end:
                return
            reached = passage.citations[found[-1]].whole_end

    def _governed(self, passage: Passage, places: _Places, phrase: ExceptionPhrase, match: re.Match[str]) -> list[int]:
        text, citations = passage.text, passage.citations
        if phrase.side == "after":
            if self._phrases.no_target.match(text, match.end()) or self._describes(passage, phrase, match.start()):
                return []
            first = places.first_from(match.end())
            if first is None or citations[first].whole_start - match.end() > _MAX_GAP:
                return []
            opening = citations[first].whole_start
            if not phrase.gap.fullmatch(text, match.end(), opening) or _UNREAD.search(text, match.end(), opening):
                return []
            if self._only_empowers(passage, opening):
                return []
            positions = self._list_from(passage, first)
            modified = phrase.modifies is not None and (
                phrase.modifies[0].search(text[max(0, match.start() - _MAX_CLAUSE) : match.start()])
                and phrase.modifies[1].match(text, citations[positions[-1]].whole_end)
            )
            return [] if modified else positions
        end = self._before_aside(text, match.start())
        last = places.last_up_to(end)
        if last is None or not phrase.gap.fullmatch(text, citations[last].whole_end, end):
            return []
        positions = self._list_up_to(passage, last)
        opening = citations[positions[0]].whole_start
        if phrase.described is not None and phrase.described.search(text[max(0, opening - _MAX_CLAUSE) : opening]):
            return []
        if self._only_empowers(passage, opening):
            return []
        before = text[max(0, opening - _MAX_CLAUSE) : opening]
        return [] if not phrase.of_thing and self._is_in_clause(before) else positions

    def _is_in_clause(self, before: str) -> bool:
        """Whether the words before a reference put it into a clause that says which thing or case is meant."""
        thing = self._phrases.governed_thing
        clause = self._phrases.governed_clause.search(before[-60:]) is not None
        return clause and (thing is None or thing.search(before) is None)

    def _covers(self, words: str) -> bool:
        """Whether words say that the unit around them governs something: "operators subject to this part"."""
        return self._phrases.coverage is not None and self._phrases.coverage.search(words) is not None

    def _before_aside(self, text: str, place: int) -> int:
        """Where the words before a place end when a clause in commas is left out: "Part 2, except section 5, does"."""
        aside = self._phrases.aside
        start = max(0, place - _MAX_CLAUSE)
        found = aside.search(text[start:place]) if aside is not None else None
        return start + found.start() if found is not None else place

    def _only_empowers(self, passage: Passage, place: int) -> bool:
        """Whether the words up to a reference only give a power to make rules that may say so."""
        empowers, parent = self._phrases.empowers, self._index.tree.parent(passage.node)
        if empowers is None:
            return False
        before = passage.text[max(0, place - _MAX_CLAUSE) : place]
        lead = parent.intro_text[-_MAX_CLAUSE:] if parent is not None else ""  # of the list that the node is an item of
        return empowers.search(f"{lead} {before}") is not None

    def _is_asked(self, text: str, place: int) -> bool:
        """Whether the clause at a place says what is asked, and holds nothing: "to determine whether it is subject to".

        It ends with its sentence or at a comma, but for one before the last member of a list.
        """
        if self._phrases.asks is None:
            return False
        start = max(0, place - _LONGEST_QUESTION)
        start = max([start, *(end.end() for end in _CLAUSE_END.finditer(text, start, place))])
        opening = max((found.end() for found in self._phrases.asks.finditer(text, start, place)), default=None)
        if opening is None:
            return False
        first, _, rest = text[opening:place].lstrip(" ,").rpartition(",")
        return not first or _LAST_MEMBER.match(rest) is not None

    def _describes(self, passage: Passage, phrase: ExceptionPhrase, start: int) -> bool:
        """Whether an excepting phrase only describes a thing: "persons who are not subject to section 5"."""
        before = passage.text[max(0, start - _MAX_CLAUSE) : start]
        if not before.strip():
            parent = self._index.tree.parent(passage.node)
            before = parent.intro_text[-_MAX_CLAUSE:].rstrip(" :—–-") + " " if parent and parent.intro_text else ""
        stated = phrase.predicate is None or phrase.predicate.search(before) is not None
        return not stated or (phrase.described is not None and phrase.described.search(before) is not None)

    def _list_from(self, passage: Passage, first: int) -> list[int]:
        """The citation and those that the same list goes on with.

        After bare commas they count where ", and" closes the list: "Despite section 5, section 6 applies" has one.
        """
        comma = self._phrases.list_comma
        positions, pending, opened = [first], list[int](), False
        for position in range(first + 1, len(passage.citations)):
            before, after = passage.citations[position - 1], passage.citations[position]
            between = passage.text[before.whole_end : after.whole_start]
            if self._joined(passage, position - 1, position):
                opened = opened and (before.whole_start == after.whole_start or not between.startswith(","))
            elif comma is not None and comma.fullmatch(between):
                opened = True
            else:
                break
            pending.append(position)
            if not opened:
                positions += pending
                pending.clear()
        return positions

    def _list_up_to(self, passage: Passage, last: int) -> list[int]:
        positions = [last]
        while True:
            # A bracket between two members may cite what it takes out of the first: 第二条（第三項を除く。）及び第四条.
            before = range(positions[-1] - 1, max(-1, positions[-1] - 4), -1)
            found = next((place for place in before if self._joined(passage, place, positions[-1])), None)
            if found is None:
                return positions[::-1]
            positions.append(found)

    def _joined(self, passage: Passage, before: int, after: int) -> bool:
        first, second = passage.citations[before], passage.citations[after]
        if first.whole_start == second.whole_start:
            return True
        between = passage.text[first.whole_end : second.whole_start]
        return len(between) < _MAX_JOINT and self._phrases.list_joint.fullmatch(between) is not None
