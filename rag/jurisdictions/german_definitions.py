"""Finding what a node of German law defines: terms in brackets, in quotation marks, in lists, and by "ist" and "sind".

Fictions and presumptions ("gilt als", "wird vermutet") define nothing. A definition without a phrase governs the whole
law, and is marked as inferred.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from rag.ingest.citations import Citation, Passage
from rag.ingest.nodes import CONTAINER_TYPES, Definition, ParsedNode
from rag.ingest.term_uses import TermRules
from rag.jurisdictions.base import DocumentIndex


def _words(text: str) -> list[str]:
    return text.split()


_SENTENCE = re.compile(
    r"(?<=[.!?;])(?<!Abs\.)(?<!Nr\.)(?<!Nrn\.)(?<!Art\.)(?<!\bS\.)(?<!Buchst\.)(?<!BGBl\.)(?<!\b\d\.)(?<!\b\d\d\.)(?<!B\.)"
    r"\s+(?=[A-ZÄÖÜ§„“\"(])|\n"
)
_BRACKET = re.compile(r"(?<=[\w“\"])\s\(([^()\n]{3,80})\)")
_LED = re.compile(r"(?:im\s+Folgenden|nachfolgend|kurz|nachstehend)(?:\s+(?:als|auch))?\s*:?\s*", re.IGNORECASE)
_QUOTES = '„“”"‚‘’»«'
# What a bracket may begin with and still be no term: a reference, an aside, an example.
_ASIDE = re.compile(
    r"(?:§|Art\b|Artikel|Abs|Absatz|Absätze|Satz|Nr|Nummern?|Buchst|Anlage|Anhang|BGBl|ABl|RGBl|Verordnung\s*\(|vgl|siehe|"
    r"z\.\s?B|d\.\s?h|auch|insbesondere|einschließlich|oder|und|sowie|mit|ohne|vom|von|nach|im|in|für|bei|zum|zur|je|mindestens|"
    r"höchstens|ausgenommen|außer|weggefallen|aufgehoben|gestrichen|sog|etwa|beispielsweise|soweit|wenn|Muster|Stand)(?![\w-])",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"[a-zäöüß]{4,30}(?:lich|ig|bar|sam|haft|los|weise)\Z")
_INFLECTED = re.compile(r"[a-zäöüß-]{3,40}e[rsnm]?\Z")
_NOUN = re.compile(r"[A-ZÄÖÜ][a-zäöüß-]{2,}")
_STOP = frozenset(
    _words(
        """
    In Im Bei Auf Zu Zur Zum Mit Von Vor Nach Aus An Bis Während Abweichend Unbeschadet Auch Maßgebend Zuständig
    Ausgenommen Keine Kein Dies Dieser Diese Dieses Er Sie Es So Das Der Die Dem Den Des Wer Was Wenn Ist Sind
    Soweit Sofern Hierbei Dabei Für Gegen Durch Über Unter Um Ob Ferner Dasselbe Gleiches Entsprechendes
    Voraussetzung Voraussetzungen Erforderlich Anzuwenden Zulässig Insoweit Hat Haben Wird Werden Als Alle Jede
    Jeder Jedes Solche Weitere Beide Am Vom Beim Satz Absatz Nicht Sein Ihre Seine Zwischen Zweck Ziel Gegenstand
    Grundlage Folge Berechtigt Verpflichtet Gleichgestellt Neben Jedoch Allerdings Gleichwohl Ebenso Nichtig
    Unwirksam Wirksam Angemessen Wählbar Streitig
    """
    )
)
_COPULA = re.compile(
    r"(?:Eine?\s+(?=\w))?(?P<term>(?:[a-zäöüß]{3,40}e[rs]?\s){0,2}[A-ZÄÖÜ][\wäöüß-]{1,60}(?:\s[\wäöüß-]{2,60}){0,5}?)"
    r"(?P<sense>\s+im\s+Sinne\s+(?:von\s+)?[^,;.:\n]{3,80}?)?\s+(?P<verb>ist|sind)(?:\s+(?P<also>auch))?"
    r"(?:,?\s+(?P<genus>(?:nur\s+)?(?:der|die|das|jede[rsnm]?|eine?|alle|sämtliche|wer|derjenige|diejenigen|solche|[a-zäöüß]{4,30}e(?=\s[A-ZÄÖÜ])))\b|(?P<list>:?\s*(?=\n|\Z))|\b)"
)
_RELATIVE = re.compile(
    r",\s(?:die|der|das|den|dem|deren|dessen|wer|welche[rsnm]?|(?:bei|mit|für|in|auf|durch|an|aus|zu|von|nach)\s(?:der|dem|denen|"
    r"die|das|deren|welche[rnm])|soweit|wenn|um)\b"
)
_DUTY = re.compile(
    r"\b(?:zu\s+\w{3,}n|\w{2,}zu\w{3,}n|nicht\s+anzuwenden|anzuwenden|verpflichtet|berechtigt|unwirksam|nichtig)\s*[.;]?\Z"
)
_PREDICATE = re.compile(r"(?:ig|lich|bar|(?<!sc)haft|sam|los|isch|berechtigt|verpflichtet|messen)\Z")
_IN_TERM = frozenset(
    _words(
        """
    hat haben kann können wird werden soll sollen muss müssen darf dürfen ist sind war nicht wenn so gilt gelten
    bedarf nach durch gegen mit für bei auf aus in im von zu zum zur an am sich es er sie nur auch
    """
    )
)
_QUOTED = re.compile(r"[„“\"]([^„“”\"\n]{2,90})[“”\"]")
_QUOTED_VERB = re.compile(
    r"\s*(?:,|im\s+Sinne\b[^,;.:]{3,80}?)?\s*(?:ist|sind|bedeutet|bedeuten|bezeichnet|bezeichnen|meint|umfasst)\b"
)
_LEAD_IN = re.compile(
    r"(?:im\s+Sinne|Zwecke?n?|in\s+diese[mr]\s+\w+|bei\s+der\s+Anwendung|für\s+diese[sn]?\s+\w+)\b[^.;]{0,160}?"
    r"\b(?:ist|sind|bedeute[nt]|bezeichne[nt]|bezeichnet\s+der\s+Ausdruck|Begriffsbestimmungen|Begriffe?|Ausdr[uü]cke?)\b[^.;]{0,60}:?\s*\Z"
    r"|\b(?:gelten|werden)\s+(?:die\s+)?folgenden?\s+(?:Begriffs)?(?:[Bb]estimmungen|[Dd]efinitionen)\b[^.;]{0,20}:?\s*\Z",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"(?:(?:ist|sind)\s+(?:eine?\s+)?)?[„“\"]?(?P<term>[A-ZÄÖÜa-zäöü][^:„“”\"\n.;,()]{2,80}?)[“”\"]?"
    r"(?:\s*:\s|\s+(?:ist|sind|bedeutet|bezeichnet|bezeichnen)[\s,])"
)
_PHRASE = re.compile(
    r"(?:im\s+Sinne|für\s+(?:die\s+)?Zwecke|zum\s+Zwecke?|für)(?:\s+(?:von|des|der))?\s*\Z", re.IGNORECASE
)
_THE_LAW = re.compile(r"im\s+Sinne\s+(?:des|der)\s+(?:Gesetzes|Verordnung)(?!\w)", re.IGNORECASE)
_BY_REFERENCE = re.compile(r"\bim\s+Sinne\s+(?:von\s+|des\s+|der\s+)?\Z", re.IGNORECASE)
_EVERYWHERE = 3  # a bracket in so many provisions is an aside
_EVERYDAY = 7  # a word so short, used before it is defined, is also an everyday word


@dataclass(frozen=True, slots=True)
class _Hit:
    term: str
    start: int
    end: int  # of the words that may hold a scope phrase
    relation: str = "means"
    bracket: bool = False


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
        self._defined: dict[str, set[str]] = {}  # section URN -> normalised terms it defines
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
        known = self._defined.setdefault(section.urn, set())
        out: list[Definition] = []
        for hit in sorted(self._hits(passage), key=lambda one: one.start):
            plain = self._terms.normalise(hit.term)
            if not plain or plain in known:
                continue
            known.add(plain)
            out.extend(self._scoped(passage, hit, section, plain))
        self._seen.update(word for word in re.findall(r"[A-ZÄÖÜ][a-zäöüß]{2,8}(?!\w)", node.text))
        return out

    def _section(self, node: ParsedNode) -> ParsedNode:
        return self._index.section(node) or node

    # Scope

    def _scoped(self, passage: Passage, hit: _Hit, section: ParsedNode, plain: str) -> Iterator[Definition]:
        relation, reference = self._relation(passage, hit)
        urns, phrase = ((), "") if hit.bracket else self._phrase(passage, hit.start, hit.end)
        if not urns and not hit.bracket:
            for one in self._index.chain(passage.node)[1:]:
                lead = self._passage_of(one.urn)
                urns, phrase = self._phrase(lead, 0, len(one.intro_text)) if one.intro_text else ((), "")
                if urns or one is section:
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
        words = ""
        for citation in _cited(passage, start, end):
            lead = _PHRASE.search(text[max(start, citation.whole_start - 40) : citation.whole_start])
            node = self._index.node(citation.urn) if citation.urn else None
            if lead is None or node is None:
                continue
            words = words or lead[0] + text[citation.whole_start : citation.whole_end]
            if citation.range == "end" and urns:
                urns.extend(self._between(urns[-1], node))
            urns.append(node.urn)
        return tuple(dict.fromkeys(urns)), words

    def _between(self, first: str, last: ParsedNode) -> list[str]:
        order = [one.urn for one in self._index.tree.nodes if one.level == last.level]
        if first not in order:
            return []
        return order[order.index(first) + 1 : order.index(last.urn)]

    def _default(self, hit: _Hit, section: ParsedNode, plain: str) -> str:
        """The whole law; for a term that other provisions define too, or for an everyday word, a smaller part."""
        if hit.bracket and len(self._places.get(plain, ())) > 1:
            return section.urn
        everyday = " " not in plain and len(plain) <= _EVERYDAY and hit.term in self._seen
        if hit.bracket and everyday:
            containers = [one for one in self._index.chain(section)[1:] if one.structure_type in CONTAINER_TYPES]
            return containers[0].urn if containers else section.urn
        return self._index.root.urn

    def _relation(self, passage: Passage, hit: _Hit) -> tuple[str, str]:
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

    def _hits(self, passage: Passage) -> Iterator[_Hit]:
        text, node = passage.text, passage.node
        parent = self._index.tree.parent(node)
        listed = (
            parent is not None and bool(parent.intro_text) and _LEAD_IN.search(parent.intro_text[-300:]) is not None
        )
        yield from self._quoted(text, listed=listed)
        if listed and (match := _LISTED.match(text)) is not None and _is_listed(match["term"]):
            yield _Hit(match["term"].strip(), match.start(), match.end())
        for start, end in sentences(text):
            yield from _copula(text, start, end, has_list=bool(self._index.tree.children(node.urn)))
        for match in _BRACKET.finditer(text):
            if len(self._places.get(self._terms.normalise(match[1]), ())) < _EVERYWHERE:
                yield from (_Hit(term, match.start(1), match.end(1), bracket=True) for term in _bracket_terms(match[1]))

    def _quoted(self, text: str, *, listed: bool) -> Iterator[_Hit]:
        for match in _QUOTED.finditer(text):
            verb = _QUOTED_VERB.match(text, match.end())
            first = listed and not text[: match.start()].strip(' \n„“"0123456789.()abcdefgh')
            if (verb or first) and len(match[1].split()) <= 8 and any(char.isalpha() for char in match[1]):
                yield _Hit(match[1].strip(" ,;:"), match.start(), verb.end() if verb else match.end())


def _sentence_at(text: str, position: int) -> tuple[int, int]:
    spans = sentences(text)
    return spans[max(0, bisect_right(spans, position, key=lambda span: span[0]) - 1)] if spans else (0, len(text))


def _cited(passage: Passage, start: int, end: int) -> tuple[Citation, ...]:
    """The citations whose reference begins in a span."""
    first, last = (bisect_left(passage.citations, at, key=lambda one: one.whole_start) for at in (start, end))
    return passage.citations[first:last]


def _copula(text: str, start: int, end: int, *, has_list: bool) -> Iterator[_Hit]:
    """ "Verbraucher ist jede natürliche Person, die ...", "Sachen im Sinne des Gesetzes sind ..."."""
    match = _COPULA.match(text, start, end)
    if match is None:
        return
    words = match["term"].split()
    # A lone word that ends like an adjective, or one before small words, is a predicate: "Angemessen ist ...".
    noun = not _PREDICATE.search(words[0]) if len(words) == 1 else any(_NOUN.match(word) for word in words[1:])
    if words[0] in _STOP or any(word in _IN_TERM for word in words) or not noun:
        return
    rest = text[match.end() : end]
    if re.match(r"\s*(?:nicht|kein)", rest) or _DUTY.search(rest):
        return
    wer = (match["genus"] or "").endswith("wer")
    defines = match["genus"] is not None and (wer or _RELATIVE.search(rest) is not None)
    if match["sense"] or defines or (match["list"] is not None and match["sense"] and has_list):
        relation = "includes" if match["also"] else "means"
        for term in match["term"].split(" und ") if match["verb"] == "sind" else [match["term"]]:
            yield _Hit(term, match.start("term"), match.end("verb"), relation)


def _is_listed(term: str) -> bool:
    return len(term.split()) <= 8 and not any(
        word in _IN_TERM - {"von", "zu", "für", "mit", "im", "in"} for word in term.split()
    )


def _bracket_terms(content: str) -> list[str]:
    """The terms that a bracket holds; none where one of its parts is none ("Tag, Monat und Jahr")."""
    led = _LED.match(content)
    parts = [one.strip(_QUOTES + " ") for one in content[led.end() if led else 0 :].split(",")]
    return parts if all(_is_bracketed(one) for one in parts) else []


def _is_bracketed(term: str) -> bool:
    words = term.split()
    if not 1 <= len(words) <= 5 or _ASIDE.match(term) or re.search(r"[\d§=/:;+%…]", term):
        return False
    if len(words) == 1:
        noun = len(term) > 4 and _NOUN.match(term) is not None and sum(char.isupper() for char in term) == 1
        return noun or _ADVERB.match(term) is not None
    # The noun stands first, or after its adjectives.
    before = takewhile(lambda word: word[0].islower(), words)
    return all(_INFLECTED.match(word) or _ADVERB.match(word) for word in before) and any(
        _NOUN.match(word) for word in words
    )
