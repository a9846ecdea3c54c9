"""Edges from a provision to what it cites, and how it relates to it, see `ExceptionPhrase`.

The source is the provision whose words they are, but for what these say of a third one: "Section 5 has effect subject
to section 8" relates sections 5 and 8 too, wherever it stands.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from rag.languages.sentences import INNER_STOP, with_inner_stops
from rag.law.jurisdiction import DocumentIndex, Jurisdiction
from rag.law.nodes import CONTAINER_TYPES, Link, ParsedNode
from rag.law.openings import prepared
from rag.law.passages import Citation, Passage, after_number, read_passage
from rag.law.phrases import ExceptionKind, ExceptionPhrase, LinkPhrases, ListPhrase
from rag.law.scopes import MAX_REST, rest_of

_MAX_GAP = 90  # characters between an excepting phrase and its reference
_CONFINED = CONTAINER_TYPES | {"ROOT", "APPENDIX"}
_MANY_LAWS = frozenset(("title", "code"))
_OPENING_GAP = 3  # between "has effect" and "subject to"
_MAX_JOINT = 120  # characters between two references of one list, remarks in brackets included
MAX_CLAUSE = 200  # characters before an excepting phrase in which its subject and verb stand
_OPENING = re.compile(r"\s*[:—–]")  # between words that introduce a list and its first item
# The number of an item and the word that joins it to the one before.
_ITEM = re.compile(r"\s*(?:(?:and|or|und|oder|sowie|et|ou)\s+)?(?:(?:\(?\w{1,4}\)|\d{1,3}\.|[•–-])\s*)?")
_SENTENCE_END = re.compile(r"\.(?:\s|\Z)")
_SENTENCE_START = re.compile(r"(?<=\w[.;])\s+(?=\S)|\n(?=\S)")
CLAUSE_END = re.compile(r"[.;](?=\s|\Z)|[。；]|\n")
_QUOTED = re.compile(r"\A\s*“[^”]*\Z|“[^”]*”|„[^“”]*[“”]|«[^»]*»|「[^」]*」|\"[^\"\n]*\"")
_LONGEST_CLAUSE = 300  # characters on either side of a reference in which its clause ends
_LONGEST_QUESTION = 600  # characters before words in which a clause that they are in can begin
_LAST_MEMBER = re.compile(r"\A[^,]*?\s(?:or|and|oder|und|ou|et)\s")  # of a list that commas part
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
        lifts, stop = self._phrases.lifts_duties, CLAUSE_END.search(text, end)
        sentence = text[max(0, start - MAX_CLAUSE) : stop.start() if stop else len(text)]
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
        stop = CLAUSE_END.search(passage.text, end, end + _LONGEST_CLAUSE)
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
                phrase.modifies[0].search(text[max(0, match.start() - MAX_CLAUSE) : match.start()])
                and phrase.modifies[1].match(text, citations[positions[-1]].whole_end)
            )
            return [] if modified else positions
        end = self._before_aside(text, match.start())
        last = places.last_up_to(end)
        if last is None or not phrase.gap.fullmatch(text, citations[last].whole_end, end):
            return []
        positions = self._list_up_to(passage, last)
        opening = citations[positions[0]].whole_start
        if phrase.described is not None and phrase.described.search(text[max(0, opening - MAX_CLAUSE) : opening]):
            return []
        if self._only_empowers(passage, opening):
            return []
        before = text[max(0, opening - MAX_CLAUSE) : opening]
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
        start = max(0, place - MAX_CLAUSE)
        found = aside.search(text[start:place]) if aside is not None else None
        return start + found.start() if found is not None else place

    def _only_empowers(self, passage: Passage, place: int) -> bool:
        """Whether the words up to a reference only give a power to make rules that may say so."""
        empowers, parent = self._phrases.empowers, self._index.tree.parent(passage.node)
        if empowers is None:
            return False
        before = passage.text[max(0, place - MAX_CLAUSE) : place]
        lead = parent.intro_text[-MAX_CLAUSE:] if parent is not None else ""  # of the list that the node is an item of
        return empowers.search(f"{lead} {before}") is not None

    def _is_asked(self, text: str, place: int) -> bool:
        """Whether the clause at a place says what is asked, and holds nothing: "to determine whether it is subject to".

        It ends with its sentence or at a comma, but for one before the last member of a list.
        """
        if self._phrases.asks is None:
            return False
        start = max(0, place - _LONGEST_QUESTION)
        start = max([start, *(end.end() for end in CLAUSE_END.finditer(text, start, place))])
        opening = max((found.end() for found in self._phrases.asks.finditer(text, start, place)), default=None)
        if opening is None:
            return False
        first, _, rest = text[opening:place].lstrip(" ,").rpartition(",")
        return not first or _LAST_MEMBER.match(rest) is not None

    def _describes(self, passage: Passage, phrase: ExceptionPhrase, start: int) -> bool:
        """Whether an excepting phrase only describes a thing: "persons who are not subject to section 5"."""
        before = passage.text[max(0, start - MAX_CLAUSE) : start]
        if not before.strip():
            parent = self._index.tree.parent(passage.node)
            before = parent.intro_text[-MAX_CLAUSE:].rstrip(" :—–-") + " " if parent and parent.intro_text else ""
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
