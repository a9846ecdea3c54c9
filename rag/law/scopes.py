"""Which node a definition governs: an explicit phrase where there is one, otherwise a marked default."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice, takewhile

from rag.law.jurisdiction import DocumentIndex, Jurisdiction, RangeEnd, ReferenceContext
from rag.law.nodes import ParsedNode
from rag.law.passages import Citation, Passage
from rag.law.patterns import lazy
from rag.law.phrases import DefinitionPhrases
from rag.law.scope_defaults import WHOLE_LAW, WHOLE_LAW_IN_PASSING, ScopeDefaults, Way
from rag.law.scope_windows import Scope, Window, sentence_spans

__all__ = ["MAX_REST", "WHOLE_LAW", "WHOLE_LAW_IN_PASSING", "ScopeFinder", "rest_of"]

_TREATIES = frozenset({"convention", "treaty", "protocol", "agreement", "covenant"})  # a schedule may be one
_OWN_PART = lazy(
    r"\b(?:subsection|(?:sub)?paragraph|subdivision|clause)s?\s?\((?![^.;]*\b(?:section|article|rule|regulation|schedule)s?\s\d)",
    re.IGNORECASE,
)
_INTRODUCING = (":", "—", "–")
MAX_REST = 60  # nodes that may stand for a scope of which a part is excepted
_OWN_CONTAINER = lazy(r"\bthis (?P<unit>(?:sub)?(?:chapter|title|article|part|division))\b", re.IGNORECASE)
_OPENING = 60  # characters at the start of a sentence in which a scope phrase stands
_MAX_SENTENCE = 400  # characters; a longer sentence states law, not where definitions apply


def rest_of(index: DocumentIndex, urn: str, excepted: set[str]) -> list[str]:
    """The nodes that cover a node's subtree but for what is excepted; all are nodes of the document."""
    holders = {holder.urn for out in excepted if (node := index.node(out)) for holder in index.chain(node)}
    if urn in excepted or urn not in holders:
        return [] if urn in excepted else [urn]
    return [rest for child in index.tree.children(urn) for rest in rest_of(index, child.urn, excepted)]


class ScopeFinder:
    """Finds scopes for the definitions of one document."""

    def __init__(
        self,
        index: DocumentIndex,
        jurisdiction: Jurisdiction,
        phrases: DefinitionPhrases,
        passage_of: Callable[[str], Passage],
    ) -> None:
        self._index = index
        self._jurisdiction = jurisdiction
        self._phrases = phrases
        self._passage_of = passage_of
        self._defaults = ScopeDefaults(index, jurisdiction, phrases)
        self._lead_ins: dict[str, Scope | None] = {}
        self._sections: dict[str, Scope | None] = {}
        self._headings: dict[str, Scope | None] = {}
        # Of each node's text by the number of its sentences: what those say that open with a scope phrase.
        self._openings: dict[str, list[tuple[Scope | None, str]]] = {}
        self._stated: dict[str, Scope] | None = None

    def passage(self, urn: str) -> Passage:
        """The passage of any node of the document."""
        return self._passage_of(urn)

    def scope(
        self,
        passage: Passage,
        windows: tuple[Window, ...],
        way: Way = "plain",
        *,
        term: str = "",
        aside: Window | None = None,
        after: int = 0,
    ) -> Scope:
        """The scope of a definition.

        Args:
            windows: spans of the node's text that can hold the definition's own scope phrase: what is in its
                sentence before the term, and between term and verb.
            way: how the term is defined; in passing, without a phrase, its own or a lead-in's, it governs its section.
            term: what is defined; without a phrase the heading that names it matters.
            aside: words behind the verb that may take something out: "means (except in section 5)".
            after: where the definition's own sentence begins; a phrase that opens one before it goes on governing.
        """
        scope = self._stated_or_inferred(passage, windows, way, term, after)
        # What an earlier sentence leaves out, it leaves out of its own term.
        return self._without_excepted(passage, (*windows, aside) if aside is not None else windows, scope)

    def said(self, passage: Passage, window: Window) -> Scope | None:
        """The scope that a phrase in a span of a text gives, or in the words that introduce it; None without one.

        Without nodes where the phrase names what the document does not have.
        """
        found, missing = self._in_text(passage, window)
        section = self._index.section(passage.node)
        for ancestor in self._index.chain(passage.node)[1:] if found is None and not missing else ():
            found = self._lead_in(ancestor)
            if found is not None or ancestor is section:
                break
        return found or (Scope((), missing, inferred=True) if missing else None)

    def _stated_or_inferred(
        self, passage: Passage, windows: tuple[Window, ...], way: Way, term: str, after: int
    ) -> Scope:
        node = passage.node
        missing = ""
        for window in windows:
            found, missing_here = self._in_text(passage, window)
            if found is not None:
                return found
            missing = missing or missing_here
        found, missing_here = self._opened_before(passage, after)
        if found is not None:
            return found
        missing = missing or missing_here
        # "for purposes of subpart I" that the document does not have: what is above is no more than a guess then.
        doubtful = missing != "" and not (
            self._phrases.scope_unit_missing.search(missing) or self._phrases.scope_place.match(missing)
        )
        section = self._index.section(node)
        for ancestor in self._index.chain(node)[1:]:
            found = self._lead_in(ancestor)
            if found is not None and found.urns:
                return replace(found, phrase=missing, inferred=True) if doubtful else found
            missing = missing or (found.phrase if found else "")
            if ancestor is section:
                break
        if way != "passing":
            for ancestor in self._index.chain(node):
                found = self._heading(ancestor)
                if found is not None and not self._defaults.names_another(ancestor, term):
                    return replace(found, phrase=missing, inferred=True) if doubtful else found
                if ancestor is section:
                    break
            if section is not None and (found := self._section_sentence(section)) is not None:
                return replace(found, phrase=missing, inferred=True) if doubtful else found
            for ancestor in self._index.chain(section)[1:] if section is not None else ():
                if (found := self._of_definitions_in().get(ancestor.urn)) is not None:
                    return found
        unit = self._defaults.unit(node, section, way, term)
        if section is not None and _OWN_PART.search(missing):
            unit = section  # "for purposes of subsection (a)(2)", which was not found
        elif section is not None and (own := _OWN_CONTAINER.search(missing)) and self._is_whole(own["unit"], section):
            # "As used in this chapter" in an act that prints no chapter: it is the chapter.
            unit = self._index.root if self._index.root.level != "title" else unit
        small = any(self._phrases.scope_small.search(passage.text, clause.start, clause.end) for clause in windows)
        if node.kind == "chunk" and not small:
            unit = self._index.root  # where its sections begin and end is not known
        return Scope((unit.urn,), missing, inferred=True)

    def _is_whole(self, unit: str, section: ParsedNode) -> bool:
        """Whether "this chapter" is all of a document in which the section is: no part of it is called so."""
        return section.parent_urn == self._index.root.urn or not self._index.has_level(unit.lower())

    def _opened_before(self, passage: Passage, after: int) -> tuple[Scope | None, str]:
        """The scope phrase that opens the nearest sentence before an offset, as `_in_text` tells it."""
        spans = sentence_spans(passage.text)
        known = self._openings.setdefault(passage.node.urn, [(None, "")])
        count = bisect_left(spans, after, key=lambda span: span[0])
        while len(known) <= count:  # each sentence is read once, however many definitions follow it
            start, end = spans[len(known) - 1]
            found, missing = self._in_text(passage, Window(start, min(end, start + _OPENING), sentence=True))
            before, missing_before = known[-1]
            known.append((found or before, missing or missing_before))
        return known[count]

    def _in_text(self, passage: Passage, window: Window) -> tuple[Scope | None, str]:
        """The scope phrase in a span; second, the words of one that names a unit the document does not have."""
        phrases, text = self._phrases, passage.text
        wholes: set[int] = set()
        citations = passage.citations
        first = bisect_left(citations, window.start, key=lambda one: one.start)
        for position in range(first, len(citations)):
            citation = citations[position]
            start = citation.whole_start
            if start >= window.end:
                break
            if start < window.start or start in wholes:
                continue
            wholes.add(start)
            following = phrases.scope_following.search(text[window.start : start])
            end = self._list_from(passage, position)[-1].whole_end
            lead = self._lead(text, window, start, end) if following is None else following.start() + window.start
            if lead < 0:
                continue
            words = text[lead : citation.whole_end].strip(' ,(”"')
            urns, sure = self._resolved(passage, position)
            sure = sure and phrases.scope_goes_on.match(text, end) is None
            if following is None and (outer := self._divided(passage.node, urns)) is not None:
                return Scope((outer.urn,), words, inferred=True), ""
            if urns and following is not None:
                return self._following(passage.node, urns, words), ""
            return (Scope(urns, words, inferred=not sure), "") if urns else (None, words)
        for match in phrases.whole_law.finditer(text, window.start, window.end):
            following = phrases.scope_following.search(text[window.start : match.start()])
            lead = (
                self._lead(text, window, match.start(), match.end())
                if following is None
                else window.start + following.start()
            )
            named = match["unit"] or match.groupdict().get("only") or ""
            unit = self._whole(passage.node, named.lower(), match[0]) if lead >= 0 else None
            if unit is not None:
                words = text[lead : match.end()].strip(" ,(")
                whole = (unit.urn,)
                return (Scope(whole, words) if following is None else self._following(passage.node, whole, words)), ""
        if window.adjacent:
            return None, ""
        vague = phrases.scope_unread.search(text, window.start, window.end)
        if (
            vague is None
            and window.sentence
            and (purpose := phrases.scope_anaphora.match(text, window.start, window.end))
        ):
            return Scope(((self._index.section(passage.node) or passage.node).urn,), purpose[0], inferred=True), ""
        if vague is not None:
            # "The first subparagraph" lies in what stands here; "this clause" may be any part of the section.
            unit = passage.node if vague["near"] else self._index.section(passage.node) or passage.node
            return Scope((unit.urn,), vague[0], inferred=True), ""
        unit = phrases.scope_unit_missing.search(text, window.start, window.end)
        return None, unit[0] if unit else ""

    def _divided(self, node: ParsedNode, urns: tuple[str, ...]) -> ParsedNode | None:
        """Clause 5, where a clause 5.1 of a contract speaks of "this clause" and may mean either."""
        parent = self._index.tree.parent(node)
        if urns != (node.urn,) or node.level not in ("clause", "subclause") or parent is None:
            return None
        return parent if node.number.startswith(f"{parent.number}.") else None

    def _following(self, node: ParsedNode, units: tuple[str, ...], words: str) -> Scope:
        """The scope "the following provisions of this Act": the section and what comes after it in the units named."""
        section = self._index.section(node) or node
        urns = [section.urn]
        for ancestor in takewhile(lambda above: above.urn not in units, self._index.chain(section)):
            siblings = [child.urn for child in self._index.tree.children(ancestor.parent_urn or "")]
            urns.extend(siblings[siblings.index(ancestor.urn) + 1 :] if ancestor.urn in siblings else [])
        return Scope(tuple(urns), words) if len(urns) <= MAX_REST else Scope(units, words, inferred=True)

    def _lead(self, text: str, window: Window, start: int, end: int) -> int:
        """Where the words begin that make the unit named from `start` to `end` a scope; -1 where there are none."""
        before = text[window.start : start]
        near = self._phrases.scope_adjacent.fullmatch(text, end, window.end) is not None
        if window.adjacent and not near:
            return -1
        # "In this chapter," gives a scope at the start of a sentence, right before the term or its list, and between
        # term and verb, nowhere else.
        scope_start = self._phrases.scope_start
        bare = scope_start.match(before) if window.sentence else scope_start.search(before)
        if bare is None and near:
            bare = self._phrases.scope_near.search(before)
        lead = self._phrases.scope_lead.search(before) or (bare if bare and bare.end() == len(before) else None)
        return window.start + lead.start() if lead is not None else -1

    def _whole(self, node: ParsedNode, unit: str, words: str) -> ParsedNode | None:
        """What "this Act" is: the document that is one, a treaty also the schedule that sets it out; else None.

        "These rules" are the whole of a document whose sections are rules; "this rule" is one of them.
        """
        root = self._index.root
        if words.lower().startswith("the ") and unit in ("schedule", "annex", "appendix"):
            found = [node for node in self._index.tree.nodes if node.structure_type == "APPENDIX"]
            return found[0] if len(found) == 1 else None
        if root.structure_type != "ROOT":
            return None
        if unit in _TREATIES and not self._index.calls_itself(unit):
            above = self._index.chain(node)[1:]
            return next((ancestor for ancestor in above if ancestor.structure_type == "APPENDIX"), root)
        section = self._index.section(node)
        many = section is not None and section.level == unit and words.lower().startswith("these")
        if section is not None and section.level == unit and not many:
            return section
        own = self._index.own
        if own is not None and not words.lower().startswith("these") and own.is_one_of_many(unit, self._index.title):
            return None
        return root if many or self._index.calls_itself(unit) else None

    def _without_excepted(self, passage: Passage, windows: tuple[Window, ...], scope: Scope) -> Scope:
        """A scope without the provisions that "except as used in section 5" leaves out.

        Where too many nodes would have to stand for the rest, the scope stays whole and is marked as inferred.
        """
        text, excepted, words = passage.text, set[str](), ""
        for position, citation in enumerate(passage.citations):
            for window in windows:
                start = citation.whole_start
                if not window.start <= start < window.end:
                    continue
                lead = self._phrases.scope_except.search(text[window.start : start])
                if lead is not None:
                    excepted.update(self._resolved(passage, position)[0])
                    words = words or text[window.start + lead.start() : citation.whole_end]
        if not excepted:
            return scope
        phrase = f"{scope.phrase}, {words}" if scope.phrase else words
        rest = tuple(urn for governed in scope.urns for urn in rest_of(self._index, governed, excepted))
        if not 0 < len(rest) <= MAX_REST:
            return Scope(scope.urns, phrase, inferred=True)
        return Scope(rest, phrase, scope.inferred)

    def _resolved(self, passage: Passage, position: int) -> tuple[tuple[str, ...], bool]:
        """The nodes that one list of citations names, and whether these are all: a range needs both its ends."""
        return self._expanded((item.urn, item.range) for item in self._list_from(passage, position))

    def _list_from(self, passage: Passage, position: int) -> list[Citation]:
        """The citation at a position and those that its list goes on with."""
        cited: list[Citation] = []
        for citation in islice(passage.citations, position, None):
            if cited and citation.whole_start != cited[-1].whole_start:
                joint = self._phrases.list_joint.fullmatch(passage.text, cited[-1].whole_end, citation.whole_start)
                if joint is None:
                    break
            cited.append(citation)
        return cited

    def _expanded(self, cited: Iterable[tuple[str, RangeEnd]]) -> tuple[tuple[str, ...], bool]:
        """The document's nodes of a list of URNs, ranges expanded by the order of the nodes, and whether all are."""
        urns: list[str] = []
        sure, opened = True, False
        for urn, end in cited:
            node = self._index.node(urn) if urn else None
            sure = sure and (node is not None or not end) and (end != "end" or opened)
            opened = node is not None and end == "start"
            if node is None:
                continue
            if end == "end" and urns:
                urns.extend(between.urn for between in self._index.between(urns[-1], node))
            urns.append(node.urn)
        return tuple(dict.fromkeys(urns)), sure

    def _lead_in(self, node: ParsedNode) -> Scope | None:
        """The scope that a node's lead-in gives to definitions below it; without URNs where its unit is missing."""
        if node.urn not in self._lead_ins:
            self._lead_ins[node.urn] = self._read_lead_in(node)
        return self._lead_ins[node.urn]

    def _read_lead_in(self, node: ParsedNode) -> Scope | None:
        text = node.intro_text
        if not text or not self._phrases.lead_in.search(text):
            return None
        passage = self._passage_of(node.urn)
        missing = ""
        for start, end in reversed([span for span in sentence_spans(text) if span[1] - span[0] <= _MAX_SENTENCE]):
            if not self._phrases.lead_in.search(text, start, end) or self._phrases.lead_clause.match(text, start, end):
                continue
            window = Window(start, end, sentence=True)
            found, words = self._in_text(passage, window)
            if found is not None:
                return self._without_excepted(passage, (window,), found)
            missing = missing or words
        return Scope((), missing) if missing else None

    def _heading(self, node: ParsedNode) -> Scope | None:
        if node.urn not in self._headings:
            self._headings[node.urn] = self._read_heading(node)
        return self._headings[node.urn]

    def _read_heading(self, node: ParsedNode) -> Scope | None:
        if not self._phrases.heading.search(node.heading):
            return None
        for found in self._jurisdiction.find_references(node.heading, ReferenceContext(node, self._index)):
            lead = self._phrases.scope_heading.search(node.heading[: found.start])
            start = lead.start() if lead is not None else found.start
            if lead is None and not (start == 0 and node.heading[found.end : found.end + 1] == ":"):
                continue
            urns, sure = self._expanded((part.urn, part.range) for part in found.parts)
            if urns:
                return Scope(urns, node.heading[start : found.end], inferred=not sure)
        return None

    def _section_sentence(self, section: ParsedNode) -> Scope | None:
        """The scope that a sentence anywhere in the section gives: "the definitions in this section apply to ..."."""
        if section.urn not in self._sections:
            self._sections[section.urn] = self._read_section(section)
        return self._sections[section.urn]

    def _read_section(self, section: ParsedNode) -> Scope | None:
        for node in self._index.tree.subtree(section):
            passage = self._passage_of(node.urn)
            if not any(self._phrases.scope_lead.search(passage.text[: c.whole_start]) for c in passage.citations):
                continue
            # What introduces a list of its own says nothing of the definitions beside it.
            introduces = node is not section and bool(self._index.tree.children(node.urn))
            for start, end in sentence_spans(passage.text):
                sentence = passage.text[start:end]
                led = sentence.rstrip()[-1:] in _INTRODUCING
                if led and (introduces or self._phrases.lead_clause.match(sentence)):
                    continue
                if len(sentence) > _MAX_SENTENCE or "“" in sentence or '"' in sentence:
                    continue
                if not self._phrases.scope_sentence.search(sentence) or self._defines(node, start, end):
                    continue
                window = Window(start, end, sentence=True)
                found, _ = self._in_text(passage, window)
                # "For purposes of paragraph (b)" in one paragraph says nothing about the definitions of another.
                if found is not None and all(self._governs(urn, section) for urn in found.urns):
                    return self._without_excepted(passage, (window,), found)
        return None

    def _of_definitions_in(self) -> dict[str, Scope]:
        """By a container's URN, what a sentence somewhere says that the definitions in it govern."""
        if self._stated is None:
            self._stated = {}
            for node in self._index.tree.nodes:
                if "definition" not in node.text.lower():
                    continue
                passage = self._passage_of(node.urn)
                for position, citation in enumerate(passage.citations):
                    if not self._phrases.definitions_in.search(passage.text[: citation.whole_start]):
                        continue
                    place = self._index.node(citation.urn) if citation.urn else None
                    end = next(
                        (last for first, last in sentence_spans(passage.text) if first <= citation.start < last), 0
                    )
                    if place is None or self._list_from(passage, position)[-1] is not citation:
                        continue
                    found, _ = self._in_text(passage, Window(citation.whole_end, end, sentence=False))
                    if found is not None:
                        self._stated.setdefault(place.urn, found)
        return self._stated

    def _defines(self, node: ParsedNode, start: int, end: int) -> bool:
        """Whether a sentence gives a term its meaning: its scope is that term's alone."""
        sentence = node.text[start:end]
        if self._phrases.termed.search(sentence) is not None:
            return True
        marked = any(mark.kind in ("italic", "term") and start <= mark.start < end for mark in node.marks)
        return marked and self._phrases.later_verb.search(sentence) is not None

    def _governs(self, urn: str, section: ParsedNode) -> bool:
        return any(ancestor.urn == urn for ancestor in self._index.chain(section))
