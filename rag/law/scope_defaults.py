"""What a definition governs that no phrase gives a scope: by the kind of publication, headings and its place."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Literal

from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import CITING_TYPES, CONTAINER_TYPES, ParsedNode
from rag.law.patterns import lazy
from rag.law.phrases import DefinitionPhrases

# Main levels that are no level of a document but the whole of it: of headed definitions, and of all there are.
WHOLE_LAW = "law"
WHOLE_LAW_IN_PASSING = "law, for terms defined in passing too"
_DESIGNATOR = lazy(r"\d+[a-z]*|[ivxlcdm]+|[a-z]{1,2}", re.IGNORECASE)  # of a Part, not a crossheading's words
_BODY = lazy(r"(?:the )?[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")
_STOP = " .:—–-"
_QUOTES = '“”"‘’'
# How a term is defined: by a verb or mark of its own, by what is one ("is a T if"), inside another sentence.
Way = Literal["plain", "condition", "passing"]
_LEAST_TERMS, _SHARE = 2, 1.5  # of the items of such a list, two and two thirds define
_DEEP = 3  # levels below the section from which on a definition in passing is its subsection's


def is_named_after(section: ParsedNode, term: str, phrases: DefinitionPhrases) -> bool:
    """Whether a section's heading is a term and no more, in the singular or plural: "Meaning of “kite”", "Kites"."""
    heading = section.heading.rstrip(_STOP).casefold()
    plain = term.casefold()
    heading = heading.removesuffix(" defined").removesuffix(" etc").rstrip(_STOP)
    return phrases.headed_term.sub("", heading, count=1).strip(_QUOTES) in {
        plain, f"{plain}s", f"{plain}es", f"{plain[:-1]}ies"
    }  # fmt: skip


def is_list_of_terms(section: ParsedNode, index: DocumentIndex, phrases: DefinitionPhrases) -> bool:
    """Whether a section says nothing but what terms mean, whatever its heading: "What do I need to know?"."""
    if section.text or section.structure_type not in CITING_TYPES:
        return False
    items = index.tree.children(section.urn)
    defining = sum(phrases.defining_item.match(item.text) is not None for item in items)
    return defining >= _LEAST_TERMS and _SHARE * defining >= len(items)


class ScopeDefaults:
    """Infers scopes for the definitions of one document."""

    def __init__(self, index: DocumentIndex, jurisdiction: Jurisdiction, phrases: DefinitionPhrases) -> None:
        self._index = index
        self._jurisdiction = jurisdiction
        self._phrases = phrases
        self._wholes: dict[str, ParsedNode] = {}

    def unit(self, node: ParsedNode, section: ParsedNode | None, way: Way, term: str) -> ParsedNode:
        """The node that a definition governs.

        Args:
            section: the citing level it is or lies in; None where it is in a container itself.
            way: how the term is defined.
            term: what is defined; a heading that names it matters.
        """
        if section is None:
            return node
        main, inline = self._main_level(), way == "passing"
        if main == WHOLE_LAW_IN_PASSING:
            defined = not inline and self._phrases.heading.search(section.heading) is not None
            return self._whole(section) if defined else self._schedule(section) or self._index.root
        if main == WHOLE_LAW and inline and node.structure_type != "NOTE" and _BODY.fullmatch(term):
            # "A body shall be set up (“the Board”)": whatever the law says of it, it calls it so.
            return self._schedule(section) or self._index.root
        if main == WHOLE_LAW and not inline and is_named_after(section, term, self._phrases):
            # "Exempt toys. A toy is an exempt toy if ...": other sections speak of it without saying more.
            return self._schedule(section) or self._index.root
        inner = [ancestor for ancestor in self._index.chain(section)[1:] if self._may_govern(ancestor, section, main)]
        if way == "condition" and node is section and is_named_after(section, term, self._phrases):
            # "Sidewalk. A sidewalk is that part of a street": the section has nothing else to say.
            return inner[0] if inner else section if self._index.root.level == "title" else self._index.root
        if inline or not self._headed(node, section, inner, main, term):
            caption = None if inline else self._caption(node, section)
            if caption is None:
                return self._in_passing(node, section, main)
            opens = inner and caption.parent_urn == section.urn and self._is_general(section, inner[0])
            # "(4) Definitions" inside a subsection is that subsection's.
            return inner[0] if opens else self._index.tree.parent(caption) or section
        if main == WHOLE_LAW:
            return self._whole(section)
        alone = not main and self._index.root.urn == self._index.corpus_urn
        if alone and self._first_section(self._index.root) is section:
            # A title that is a law of its own, and not one of a code's.
            return self._index.root
        if not inner:
            return self._index.root if self._index.root.level != "title" else section
        early = [ancestor for ancestor in inner if self._among_first(section, ancestor)]
        unit = next((ancestor for ancestor in inner if ancestor.level == main), None)
        if unit is None:
            unit = early[-1] if early else inner[0]
        elif unit not in early and not self._phrases.heading.search(unit.heading):
            unit = inner[0]
        # Definitions in a "Definitions" or "General provisions" container are made for what that container opens.
        while self._phrases.general_heading.search(unit.heading) and (unit is not inner[-1] or alone):
            if unit is inner[-1]:
                return self._index.root  # "1. Definitions" of a contract, whose clauses are 1.1 and 1.2
            unit = inner[inner.index(unit) + 1]
        return unit

    def _main_level(self) -> str:
        corpus = self._index.corpus_urn
        return next((level for end, level in self._jurisdiction.main_levels.items() if corpus.endswith(end)), "")

    def _may_govern(self, container: ParsedNode, section: ParsedNode, main: str) -> bool:
        """Whether a container is one that definitions are made for without saying so.

        A title or document is not, unless it is the level that the corpus is divided into; a subtitle is not where it
        only groups chapters.
        """
        if container.structure_type not in CONTAINER_TYPES:
            return False
        if container is self._index.root:
            return container.level == main
        groups = container.level == "subtitle" and self._index.tree.parent(section) is not container
        return not groups

    def _headed(self, node: ParsedNode, section: ParsedNode, inner: list[ParsedNode], main: str, term: str) -> bool:
        """Whether headings say that the term is defined for more than its section.

        In a container of definitions whose sections have headings of their own, it is the one that its section names.
        """
        heading = self._phrases.heading
        if heading.search(section.heading):
            return not self.names_another(section, term)
        if is_list_of_terms(section, self._index, self._phrases):
            return True
        if main == WHOLE_LAW and self._phrases.general_heading.search(section.heading):
            return self._caption(node, section) is not None or self._heads_list(node, section)
        named = not section.heading or term.lower() in section.heading.lower()
        return named and any(heading.search(ancestor.heading) for ancestor in inner)

    def names_another(self, section: ParsedNode, term: str) -> bool:
        """Whether a section's heading says whose meaning it gives, and it is not this term's: "Meaning of “kite”"."""
        named = self._phrases.headed_term.match(section.heading)
        rest = section.heading[named.end() :].casefold() if named is not None else ""
        return bool(rest) and term.casefold() not in rest and not self._phrases.headed_generic.search(rest)

    def _heads_list(self, node: ParsedNode, section: ParsedNode) -> bool:
        """Whether the node is an item of a list of terms: "In this Act—"."""
        parent = self._index.tree.parent(node)
        return (
            parent is not None and node is not section and self._phrases.lead_in.search(parent.intro_text) is not None
        )

    def _caption(self, node: ParsedNode, section: ParsedNode) -> ParsedNode | None:
        """The paragraph captioned "Definitions" that the node is or lies in, below its section."""
        below = takewhile(lambda ancestor: ancestor is not section, self._index.chain(node))
        return next((ancestor for ancestor in below if self._phrases.heading.search(ancestor.heading)), None)

    def _whole(self, section: ParsedNode) -> ParsedNode:
        """The document, or its schedule: a schedule's definitions are its own.

        Of several sections of definitions, one that a Part or Chapter ends with is that container's.
        """
        if section.urn not in self._wholes:
            self._wholes[section.urn] = self._find_whole(section)
        return self._wholes[section.urn]

    def _find_whole(self, section: ParsedNode) -> ParsedNode:
        above = self._index.chain(section)[1:]
        schedule = self._schedule(section)
        if schedule is not None:
            return schedule
        divisions = (
            ancestor
            for ancestor in above
            if ancestor.structure_type in CONTAINER_TYPES and _DESIGNATOR.fullmatch(ancestor.number)
        )
        container = next(divisions, self._index.root)
        rules = [node for node in self._index.tree.subtree(container) if self._index.section(node) is node]
        limited = container is not self._index.root and not self._phrases.general_heading.search(container.heading)
        ends = limited and rules[-1] is section and len(rules) > 1 and not self._ends_law(section)
        return container if ends and self._defines_elsewhere(container) else self._index.root

    def _ends_law(self, section: ParsedNode) -> bool:
        """Whether nothing but schedules follows a section: it then ends the law, and not just its last Part."""
        nodes = self._index.tree.nodes
        after = nodes[next(place for place, node in enumerate(nodes) if node is section) :]
        rules = (node for node in after if self._index.section(node) is node and node is not section)
        return all(rule.structure_type == "APPENDIX" or self._schedule(rule) is not None for rule in rules)

    def _schedule(self, section: ParsedNode) -> ParsedNode | None:
        return next(
            (ancestor for ancestor in self._index.chain(section)[1:] if ancestor.structure_type == "APPENDIX"), None
        )

    def _defines_elsewhere(self, container: ParsedNode) -> bool:
        """Whether a section of definitions is outside a container."""
        inside = {part.urn for part in self._index.tree.subtree(container)}
        return any(
            node.urn not in inside and self._index.section(node) is node and self._phrases.heading.search(node.heading)
            for node in self._index.tree.nodes
        )

    def _in_passing(self, node: ParsedNode, section: ParsedNode, main: str) -> ParsedNode:
        """What a term defined among rules governs: its section, deep inside a statute's section the subsection."""
        below = list(takewhile(lambda ancestor: ancestor is not section, self._index.chain(node)))
        return below[-1] if len(below) >= _DEEP and not main else section

    def _is_general(self, section: ParsedNode, container: ParsedNode) -> bool:
        """Whether a section with a paragraph of definitions is one of general provisions, or opens its container."""
        return self._phrases.general_heading.search(section.heading) is not None or (
            self._first_section(container) is section
        )

    def _first_section(self, container: ParsedNode) -> ParsedNode | None:
        nodes = self._index.tree.subtree(container)
        return next((node for node in nodes if self._index.section(node) is node), None)

    def _among_first(self, section: ParsedNode, container: ParsedNode) -> bool:
        seen = 0
        for part in self._index.tree.subtree(container):
            if part is section:
                return True
            if self._index.section(part) is part:
                seen += 1
                if seen == 3:
                    return False
        return False
