"""Finding what a node of German law defines: terms in brackets, in quotation marks, in lists, and by "ist" and "sind".

"Als X gilt" says what counts as X; other fictions and presumptions ("gilt als genehmigt", "wird vermutet") define
nothing. A definition without a phrase governs the whole
law, what only adds to one ("sind auch") its own part of it; both are marked as inferred.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

from rag.languages.de.forms import (
    Hit,
    belongs,
    bracket_terms,
    copula,
    counted,
    had,
    headed_list,
    inverted,
    is_listed,
    manner,
    present,
    understood,
)
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CONTAINER_TYPES, Definition, ParsedNode
from rag.law.passages import Citation, Passage
from rag.law.term_uses import TermRules

_SENTENCE = re.compile(
    r"(?<=[.!?;])(?<!Abs\.)(?<!Nr\.)(?<!Nrn\.)(?<!Art\.)(?<!\bS\.)(?<!Buchst\.)(?<!BGBl\.)(?<!\b\d\.)(?<!\b\d\d\.)(?<!B\.)"
    r"\s+(?=[A-ZÄÖÜ§„“\"(])|\n"
)
_BRACKET = re.compile(
    r"(?:(?<=[\w“\"])|(?<=,)(?=\s\((?i:im\s+folgenden|nachfolgend|nachstehend|kurz)\b))\s\(([^()\n]{3,80})\)"
)
_GENERAL = re.compile(r"\bAllgemeine[rsn]?\b|\bBegriffsbestimmung(?:en)?\b")  # in the heading of a container
_QUOTED = re.compile(r"[„“\"]([^„“”\"\n]{2,90})[“”\"]")
_BEFORE_TERM = re.compile(
    r"[\s„“\"0-9.()a-h]*(?:(?:der|die|das)\s+)?(?:(?:Ausdr[uü]cke?|Begriffe?|Bezeichnung(?:en)?|Worte?|Wörter)\s+)?",
    re.IGNORECASE,
)
_QUOTED_VERB = re.compile(
    r"\s*(?:,|im\s+Sinne\b[^,;.:]{3,80}?)?\s*(?:ist|sind|bedeutet|bedeuten|bezeichnet|bezeichnen|meint|umfasst)\b"
)
# "Im Sinne dieses Gesetzes bedeutet „Vermieter“ auch ...".
_VERB_FIRST = re.compile(
    r"\bim\s+Sinne\b[^,;.:„“]{3,80}?\b(?:bedeute[nt]|bezeichne[nt]|bezeichnet|umfass(?:t|en))\s+"
    r"(?:(?:der|die|das)\s+)?(?:(?:Begriff|Ausdruck|Bezeichnung|Wort)\s+)?\Z",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"(?:im\s+Sinne?|Zwecke?n?|in\s+diese[mr]\s+\w+|bei\s+der\s+Anwendung|für\s+diese[sn]?\s+\w+)\b[^.;]{0,160}?"
    r"\b(?:ist|sind|bedeute[nt]|bezeichne[nt]|bezeichnet\s+der\s+Ausdruck|Begriffsbestimmungen|Begriffe?|Ausdr[uü]cke?)\b[^.;]{0,60}:?\s*\Z"
    r"|\bSinne?\b[^.;]{3,120}?\b(?:gilt|gelten)\s+als\s*:\s*\Z"
    r"|\bes\s+bezeichne[nt]\s+(?:(?:die|der)\s+)?(?:Begriffe?|Ausdr[uü]cke?)\s*:?\s*\Z"
    r"|\b(?:gelten|werden)\s+(?:die\s+)?folgenden?\s+(?:Begriffs)?(?:[Bb]estimmungen|[Dd]efinitionen)\b[^.;]{0,20}:?\s*\Z",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:(?:ist|sind)\s+(?:eine?\s+)?)?[„“\"]?(?P<term>[A-ZÄÖÜa-zäöü][^:„“”\"\n.;,()]{2,80}?)[“”\"]?"
    r"(?:(?:\s\([^()\n]{2,80}\))?\s*:(?:\s+(?P<also>auch\b)|\s|\Z)|\s+(?:ist|sind|bedeutet|bezeichnet|bezeichnen)[\s,])"
)
_PHRASE = re.compile(
    r"(?:im\s+Sinne?|für\s+(?:die\s+)?Zwecke|zum\s+Zwecke?|für)(?:\s+(?:von|des|der))?\s*\Z"
    r"|(?:\A|[.;:]\s|\n)in\s+\Z",
    re.IGNORECASE,
)
_THE_LAW = re.compile(
    r"im\s+Sinne?\s+(?:des|der)\s+(?:Gesetzes|Verordnung)(?!\w)"
    r"|(?:im\s+Sinne?|\bin|für\s+(?:die\s+)?Zwecke|bei\s+der\s+Anwendung)\s+diese[rsmn]\s+(?:Bundes|Landes|Stammes)?"
    r"(?:gesetz(?:buch)?(?:e?s)?|verordnung|ordnung)(?!\w)", re.IGNORECASE
)  # fmt: skip
_JOINT = re.compile(r"\s{0,3}(?:,|und|oder|sowie|,\s?(?:und|oder|sowie))\s(?:(?:von|des|der|nach|in)\s){0,2}")
_ACRONYM = re.compile(r"\s\([A-ZÄÖÜ][\w-]{1,9}\)\Z")
_DEFINING = re.compile(r"\bBegriffsbestimmung(?:en)?\b|\ABegriffe\b|\bDefinition(?:en)?\b")
_SHARED = re.compile(r"\b(?:Allgemeine[rsn]?|Gemeinsame[rsn]?|Einleitende|Begriffsbestimmung(?:en)?)\b")
_BY_REFERENCE = re.compile(r"\bim\s+Sinne\s+(?:von\s+|des\s+|der\s+)?\Z", re.IGNORECASE)
_EVERYWHERE = 3  # a bracket in so many provisions is an aside
_EVERYDAY = 7  # a word so short, used before it is defined, is also an everyday word


@lru_cache(maxsize=64)  # one text is asked for once for each way of defining
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Character spans of the sentences of a German text; points of abbreviations and of ordinals end none."""
    starts, ends = [0], list[int]()
    for match in _SENTENCE.finditer(text):
        ends.append(match.start())
        starts.append(match.end())
    ends.append(len(text))
    return tuple((start, end) for start, end in zip(starts, ends, strict=True) if start < end)


class GermanDefinitions:
    """Finds the definitions of one document; asked node by node in document order."""

    def __init__(self, index: DocumentIndex, terms: TermRules, passage_of: Callable[[str], Passage]) -> None:
        self._index = index
        self._terms = terms
        self._passage_of = passage_of
        self._defined: dict[str, dict[str, str]] = {}  # section URN -> normalised term -> where it is first defined
        self._places: dict[str, set[str]] = {}  # normalised bracket -> URNs of the sections it stands in
        self._seen: set[str] = set()  # words of the nodes before the one asked for
        for node in index.tree.nodes:
            for match in _BRACKET.finditer(node.text):
                self._places.setdefault(terms.normalise(match[1]), set()).add(self._section(node).urn)

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes, each with its scope."""
        node = passage.node
        if node.structure_type in ("NOTE", "ROOT") or node.kind == "decision":
            return []
        section = self._section(node)
        known = self._defined.setdefault(section.urn, {})
        above = {unit.urn for unit in self._index.chain(node)}
        out: list[Definition] = []
        for hit in sorted(self._hits(passage), key=lambda one: one.start):
            plain = self._terms.normalise(hit.term)
            # What adds to a term or takes from it, further on in its provision, is said there and nowhere else.
            elsewhere = hit.relation in ("includes", "excludes") and known.get(plain, node.urn) not in above
            if not plain or (plain in known and not elsewhere):
                continue
            known.setdefault(plain, node.urn)
            out.extend(self._scoped(passage, hit, section, plain))
        self._seen.update(word for word in re.findall(r"[A-ZÄÖÜ][a-zäöüß]{2,8}(?!\w)", node.text))
        return out

    def _section(self, node: ParsedNode) -> ParsedNode:
        return self._index.section(node) or node

    # Scope

    def _scoped(self, passage: Passage, hit: Hit, section: ParsedNode, plain: str) -> Iterator[Definition]:
        relation, reference = self._relation(passage, hit)
        urns, phrase = ((), "") if hit.bracket else self._phrase(passage, hit.start, hit.end)
        if not urns and not hit.bracket:
            for unit in self._index.chain(passage.node)[1:]:
                lead = self._passage_of(unit.urn)
                urns, phrase = self._phrase(lead, 0, len(unit.intro_text)) if unit.intro_text else ((), "")
                if urns or unit is section:
                    break
        inferred = not urns
        if inferred:
            urns = (self._default(hit, section, plain),)
        for urn in urns:
            yield Definition(hit.term, passage.node.urn, urn, relation, inferred, phrase, reference)

    def _phrase(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str]:
        """The nodes that a scope phrase in a span names, and its words."""
        text = passage.text
        if match := _THE_LAW.search(text, start, end):
            return (self._index.root.urn,), match[0]
        urns: list[str] = []
        words, last = "", -1
        for citation in _cited(passage, start, end):
            lead = _PHRASE.search(text[max(start, citation.whole_start - 40) : citation.whole_start])
            node = self._index.node(citation.urn) if citation.urn else None
            # "Im Sinne dieses Kapitels und von § 2" names both.
            joined = last >= 0 and _JOINT.fullmatch(text, last, max(last, citation.whole_start)) is not None
            if node is None or not (lead or joined or (urns and citation.whole_end == last)):
                continue
            last = citation.whole_end
            words = words or (lead[0] if lead else "") + text[citation.whole_start : citation.whole_end]
            if citation.range == "end" and urns:
                urns.extend(self._between(urns[-1], node))
            urns.append(node.urn)
        return tuple(dict.fromkeys(urns)), words

    def _between(self, first: str, last: ParsedNode) -> list[str]:
        order = [node.urn for node in self._index.tree.nodes if node.level == last.level]
        if first not in order:
            return []
        return order[order.index(first) + 1 : order.index(last.urn)]

    def _default(self, hit: Hit, section: ParsedNode, plain: str) -> str:
        """The whole law; for a term that other provisions define too, or for an everyday word, a smaller part."""
        if hit.bracket and len(self._places.get(plain, ())) > 1:
            return section.urn
        if hit.relation == "includes":
            return self._part_of(section)
        everyday = " " not in plain and len(plain) <= _EVERYDAY and hit.term in self._seen
        if hit.bracket and everyday:
            containers = [unit for unit in self._index.chain(section)[1:] if unit.structure_type in CONTAINER_TYPES]
            return containers[0].urn if containers else section.urn
        return self._division(section) if not hit.bracket else self._index.root.urn

    def _division(self, section: ParsedNode) -> str:
        """The law; of one of several sections of definitions the division it stands in, if that is a special one."""
        above = [unit for unit in self._index.chain(section)[1:] if unit.structure_type in CONTAINER_TYPES]
        division = above[-2] if len(above) > 1 else None  # the outermost below the law
        if division is None or not _DEFINING.search(section.heading) or _SHARED.search(division.heading):
            return self._index.root.urn
        others = (node for node in self._index.tree.nodes if _DEFINING.search(node.heading) and node is not section)
        elsewhere = any(division not in self._index.chain(other) and self._section(other) is other for other in others)
        return division.urn if elsewhere else self._index.root.urn

    def _part_of(self, section: ParsedNode) -> str:
        """What an addition to a definition governs: its container, or all that a container of general rules opens."""
        above = [unit for unit in self._index.chain(section)[1:] if unit is not self._index.root]
        containers = [unit for unit in above if unit.structure_type in CONTAINER_TYPES]
        general = [container for container in containers if _GENERAL.search(container.heading)]
        if general:
            return general[-1].parent_urn or self._index.root.urn
        return containers[0].urn if containers else section.urn

    def _relation(self, passage: Passage, hit: Hit) -> tuple[str, str]:
        """`reference` where the meaning is only said to be that of a provision."""
        if hit.bracket or hit.relation != "means":
            return hit.relation, ""
        _, end = _sentence_at(passage.text, hit.start)
        for citation in _cited(passage, hit.end, min(end, hit.end + 60)):
            before = passage.text[hit.end : citation.whole_start]
            if _BY_REFERENCE.search(before) and end - citation.whole_end <= 2:
                return "reference", citation.urn
        return "means", ""

    # Ways of defining

    def _hits(self, passage: Passage) -> Iterator[Hit]:
        text, node = passage.text, passage.node
        parent = self._index.tree.parent(node)
        listed = (
            parent is not None and bool(parent.intro_text) and _LEAD_IN.search(parent.intro_text[-300:]) is not None
        )
        yield from self._quoted(text, listed=listed)
        if listed and (match := _LISTED.match(text)) is not None and is_listed(match["term"]):
            yield Hit(match["term"].strip(), match.start(), match.end(), "includes" if match["also"] else "means")
        children = self._index.tree.children(node.urn)
        heading = self._section(node).heading
        persons = any(re.match(r"wer\b", child.text) for child in children)
        named: list[Hit] = []
        for start, end in sentences(text):
            named.extend(copula(text, start, end, heading, [child.text for child in children]))
            named.extend(had(text, start, end, heading))
            named.extend(manner(text, start, end, has_list=persons))
            named.extend(counted(text, start, end))
            named.extend(understood(text, start, end))
            named.extend(inverted(text, start, end))
            named.extend(belongs(text, start, end, heading))
            named.extend(present(text, start, end, heading))
        yield from named
        if children:
            yield from headed_list(node.intro_text, heading)
        for match in _BRACKET.finditer(text):
            inside = any(name.start < match.start() < name.end for name in named)  # only both forms of a term's word
            if not inside and len(self._places.get(self._terms.normalise(match[1]), ())) < _EVERYWHERE:
                yield from (Hit(term, match.start(1), match.end(1), bracket=True) for term in bracket_terms(match[1]))

    def _quoted(self, text: str, *, listed: bool) -> Iterator[Hit]:
        for match in _QUOTED.finditer(text):
            verb = _QUOTED_VERB.match(text, match.end())
            led = _VERB_FIRST.search(text, max(0, match.start() - 160), match.start())
            first = listed and _BEFORE_TERM.fullmatch(text, 0, match.start()) is not None
            if (verb or first or led) and len(match[1].split()) <= 8 and any(char.isalpha() for char in match[1]):
                start = led.start() if led else match.start()
                also = "includes" if led and text[match.end() :].lstrip().startswith("auch ") else "means"
                term = _ACRONYM.sub("", match[1].strip(" ,;:"))
                yield Hit(term, start, verb.end() if verb else match.end(), also)


def _sentence_at(text: str, position: int) -> tuple[int, int]:
    spans = sentences(text)
    return spans[max(0, bisect_right(spans, position, key=lambda span: span[0]) - 1)] if spans else (0, len(text))


def _cited(passage: Passage, start: int, end: int) -> tuple[Citation, ...]:
    """The citations whose reference begins in a span."""
    first, last = (bisect_left(passage.citations, at, key=lambda one: one.whole_start) for at in (start, end))
    return passage.citations[first:last]
