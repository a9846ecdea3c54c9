"""Finding what a node defines: quoted, marked, unquoted and inline terms, index entries and references.

Mark-up and quotation marks are evidence, not proof: a term counts where a defining verb, a defining bracket, a
dash or a list of definitions goes with it. What the text only adds to a term already defined is not a new one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile

from rag.ingest.citations import Passage
from rag.ingest.nodes import Definition, ParsedNode
from rag.ingest.scopes import ScopeFinder, Window, sentence_at, sentence_spans
from rag.ingest.term_uses import TermRules
from rag.jurisdictions.base import DocumentIndex
from rag.jurisdictions.english import ENGLISH_WORDS as WORDS
from rag.jurisdictions.phrases import DefinitionPhrases

_QUOTED = re.compile(
    r"“([^“”\n]{1,120})[”\"]|\"([^“”\"\n]{1,120})[”\"]|(?<![\w’])‘([^‘’“”\n]{1,120})’(?!\w)|“([^“”’\n]{1,120})’(?=\s+\w)"
)
_ACRONYM = re.compile(r"\s*\(\s*[“\"]?([A-Z][A-Za-z&-]{1,9})[”\"]?\s*\)\s*\Z")
_INDEX_ENTRY = re.compile(r"(?:\A|\n|(?<=\. ))[“\"]([^“”\"\n]{1,120})[”\"][.,:]*\s*(?=(?:§|[Ss]ections?)\s)")
_MAX_GAP = 160  # characters between a term and its verb
_OPENING = 60  # characters at the start of a sentence in which a scope phrase stands
_MAX_WORDS = 14  # longer quoted runs are sentences, not terms


@dataclass(frozen=True, slots=True)
class _Span:
    start: int  # of the mark or quotation, quotation marks included
    end: int
    term: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class _Hit:
    terms: tuple[str, ...]
    relation: str
    start: int
    verb_start: int
    verb_end: int
    inline: bool = False


class EnglishDefinitions:
    """Finds the definitions of one document in English, node by node in document order."""

    def __init__(self, index: DocumentIndex, phrases: DefinitionPhrases, scopes: ScopeFinder, terms: TermRules) -> None:
        self._index = index
        self._phrases = phrases
        self._scopes = scopes
        self._terms = terms
        self._defined: dict[str, set[str]] = {}  # node URN -> normalised terms it defines

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes."""
        out: list[Definition] = []
        entries = self._index_entries(passage)
        hits = [] if entries else self._hits(passage)
        for hit in hits:
            out.extend(self._from_hit(passage, hit))
        for term, start, reference in entries:
            scope = self._scopes.scope(passage, (Window(0, start, sentence=True),))
            out.extend(
                Definition(term, passage.node.urn, urn, "reference", scope.inferred, scope.phrase, reference)
                for urn in scope.urns
            )
        return out

    # From a hit to definitions

    def _from_hit(self, passage: Passage, hit: _Hit) -> list[Definition]:
        relation, reference = self._relation(passage, hit)
        known = [self._defined.setdefault(one.urn, set()) for one in self._index.chain(passage.node)]
        terms: list[str] = []
        for term in (variant for written in hit.terms for variant in _variants(written)):
            plain = self._terms.normalise(term)
            if not _is_term(term, plain) or plain in known[0] or self._phrases.term_refused.match(plain):
                continue
            # A limb that adds to or takes from a term defined here or above belongs to that definition.
            if (relation in ("includes", "excludes") or hit.inline) and any(plain in one for one in known):
                continue
            terms.append(term)
            known[0].add(plain)
        if not terms:
            return []
        sentence, _ = sentence_at(passage.text, hit.start)
        between = Window(hit.start, hit.verb_end if hit.inline else hit.verb_start, sentence=False)
        # A phrase that opens an earlier sentence of the paragraph goes on governing the following ones.
        before = [span for span in sentence_spans(passage.text) if span[0] < sentence]
        earlier = [Window(start, min(end, start + _OPENING), sentence=True) for start, end in before]
        own = (Window(sentence, hit.start, sentence=True), between, *reversed(earlier))
        windows = (between,) if hit.inline else own
        scope = self._scopes.scope(passage, windows, inline=hit.inline)
        return [
            Definition(term, passage.node.urn, urn, relation, scope.inferred, scope.phrase, reference)
            for term in terms
            for urn in scope.urns
        ]

    def _relation(self, passage: Passage, hit: _Hit) -> tuple[str, str]:
        if hit.relation not in ("reference", "means"):
            return hit.relation, ""
        _, end = sentence_at(passage.text, hit.verb_start)
        cited = next((c for c in passage.citations if hit.verb_end <= c.start < end), None)
        words = passage.text[hit.verb_end : cited.whole_start] if cited else ""
        if hit.relation == "reference":
            # "has the following meaning:" and a meaning given by another law's bare name have no provision to fetch.
            followed = cited is not None and len(words) <= _MAX_GAP
            return (
                ("reference", cited.urn if cited and followed else "")
                if followed or not _colon(passage, hit)
                else ("means", "")
            )
        points_only = cited is not None and len(words) <= 80 and self._phrases.by_reference.search(words) is not None
        if cited is not None and points_only and end - cited.whole_end <= 2:
            return "reference", cited.urn
        return "means", ""

    # Hits

    def _hits(self, passage: Passage) -> list[_Hit]:
        text = passage.text
        hits: list[_Hit] = []
        groups = _groups(_spans(passage), text, self._phrases)
        for position, group in enumerate(groups):
            following = groups[position + 1][0].start if position + 1 < len(groups) else len(text)
            hit = self._with_verb(passage.node, text, group, following)
            if hit is not None:
                hits.append(self._contrasted(text, groups[:position], hit))
        hits.extend(self._inline(text, hits))
        if not hits:
            hits.extend(self._without_marks(passage))
        return sorted(hits, key=lambda one: one.start)

    def _with_verb(self, node: ParsedNode, text: str, group: list[_Span], following: int) -> _Hit | None:
        phrases = self._phrases
        start, end = group[0].start, group[-1].end
        terms = tuple(one.term for one in group)
        before = text[max(0, start - 120) : start]
        if phrases.amending.search(before):
            return None
        verb = phrases.verb.match(text, end)
        if verb is not None:
            return _Hit(terms, _group(verb), start, verb.start(), verb.end())
        led = phrases.term_lead.search(before) is not None
        at_start = not before.strip(" \n(") or before.endswith("\n") or led
        if phrases.copula_lead.search(before) and phrases.copula.match(text, end):
            return _Hit(terms, "means", start, end, end)
        caption = not group[-1].quoted and group[-1].term.rstrip()[-1:] in ".:—"
        if (at_start or _opens_sentence(text, start)) and not caption:
            limit = min(following, end + _MAX_GAP)
            later = phrases.later_verb.search(text, end, limit)
            if later is not None and not phrases.gap_refused.search(text, end, later.start()):
                return _Hit(terms, _group(later), start, later.start(), later.end())
        children = self._index.tree.children(node.urn)
        if children and at_start and text[end:].strip(" ,:—–-") == "":
            first = phrases.caption_verb.match(children[0].text)
            dashed = text[end:].strip() != ""
            if first is not None or dashed:
                return _Hit(terms, _group(first) if first else "means", start, len(text), len(text))
        return None

    def _contrasted(self, text: str, before: list[list[_Span]], hit: _Hit) -> _Hit:
        """Give the verb to the term that opens the sentence: in `"A", as distinguished from "B", means` it is A's."""
        near = takewhile(lambda one: hit.start - one[-1].end <= _MAX_GAP, reversed(before))
        opening = next((one for one in near if _opens_sentence(text, one[0].start)), None)
        if opening is None or not self._phrases.gap_contrast.match(text[opening[-1].end : hit.start]):
            return hit
        return replace(hit, terms=tuple(one.term for one in opening), start=opening[0].start)

    def _inline(self, text: str, hits: list[_Hit]) -> list[_Hit]:
        found: list[_Hit] = []
        if "(" not in text:
            return found
        for match in self._phrases.inline.finditer(text):
            if any(one.start <= match.start("terms") < one.verb_end for one in hits):
                continue
            terms = tuple(_text_of(one) for one in _QUOTED.finditer(match["terms"]))
            found.append(_Hit(terms, "means", match.start(), match.end(), match.end(), inline=True))
        return found

    def _without_marks(self, passage: Passage) -> list[_Hit]:
        """Unquoted terms: at the start of a text, in a list of definitions, or named by the caption."""
        phrases, node, text = self._phrases, passage.node, passage.text
        parent = self._index.tree.parent(node)
        listed = parent is not None and bool(
            phrases.lead_in.search(parent.intro_text[-200:]) or phrases.heading.search(parent.heading)
        )
        if caption := phrases.caption_verb.match(text):
            owner = node if node.heading else parent
            heading = (
                owner.heading.rstrip(" .:—–-")
                if owner is not None and owner.structure_type not in ("ROOT", "TITLE")
                else ""
            )
            words = text[: caption.end()].lower().split()
            if heading and words[0] in ("the", "this", "term") and not phrases.heading.search(heading):
                return [_Hit((heading,), _group(caption), 0, caption.start(), caption.end())]
        if node.structure_type == "DEFINITION" and node.heading:
            return [_Hit((node.heading.rstrip(" .:—–-"),), "means", 0, 0, 0)]
        termed = [
            _Hit((match["term"],), self._verb_relation(match["verb"]), match.start(), match.start("verb"), match.end())
            for match in phrases.termed.finditer(text)
            if not phrases.unquoted_refused.search(match["term"])
        ]
        if termed:
            return termed
        match = phrases.unquoted.match(text) or (phrases.unquoted_listed.match(text) if listed else None)
        if match is None or phrases.unquoted_refused.search(match["term"]) or len(match["term"].split()) > 8:
            return []
        if match["term"].split()[0].lower() in WORDS.determiners and not listed:
            return []
        if not phrases.unquoted_verb.match(match["verb"]):
            return []
        plural = match["verb"].lower() in ("mean", "include") or match["verb"].lower().startswith("have")
        relation = self._verb_relation(match["verb"])
        terms = _split_unquoted(match["term"], plural=plural)
        return [_Hit(terms, relation, 0, match.start("verb"), match.end("verb"))]

    def _verb_relation(self, words: str) -> str:
        verb = self._phrases.verb.match(words)
        return _group(verb) if verb is not None else "means"

    # Index lists

    def _index_entries(self, passage: Passage) -> list[tuple[str, int, str]]:
        """Entries of a list of terms defined elsewhere: (term, offset, URN of the defining provision)."""
        text = passage.text
        first = _INDEX_ENTRY.search(text)
        if first is None:
            return []
        parent = self._index.tree.parent(passage.node)
        intro = text[: first.start()] or (parent.intro_text if parent else "")
        if not self._phrases.index_intro.search(intro):
            return []
        entries: list[tuple[str, int, str]] = []
        for match in _INDEX_ENTRY.finditer(text):
            cited = next((c for c in passage.citations if c.whole_start >= match.end() - 1), None)
            line_end = text.find("\n", match.end())
            inside = cited is not None and (line_end < 0 or cited.start < line_end)
            entries.append((match[1].strip(" .,"), first.start(), cited.urn if cited is not None and inside else ""))
        return entries


def _spans(passage: Passage) -> list[_Span]:
    text = passage.text
    spans = [_Span(match.start(), match.end(), _text_of(match), quoted=True) for match in _QUOTED.finditer(text)]
    for mark in passage.node.marks:
        if mark.kind not in ("italic", "term"):
            continue
        if any(one.start < mark.end and mark.start < one.end for one in spans):
            continue
        # A caption and the term it repeats can share one italic run: "Fee. Fee".
        words = text[mark.start : mark.end]
        spans.append(_Span(mark.start, mark.end, words.rpartition(". ")[2], quoted=mark.kind == "term"))
    return sorted(spans, key=lambda one: one.start)


def _groups(spans: list[_Span], text: str, phrases: DefinitionPhrases) -> list[list[_Span]]:
    """Terms joined by "and", "or" and commas share one verb."""
    groups: list[list[_Span]] = []
    for span in spans:
        if groups and phrases.joint.fullmatch(text, groups[-1][-1].end, span.start):
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def _text_of(match: re.Match[str]) -> str:
    return next(one for one in match.groups() if one is not None)


def _group(match: re.Match[str]) -> str:
    return next(name for name in ("reference", "excludes", "means", "includes") if match[name])


def _colon(passage: Passage, hit: _Hit) -> bool:
    return passage.text[hit.verb_end : hit.verb_end + 3].lstrip()[:1] in (
        ":",
        "—",
        "",
    ) or passage.text.rstrip().endswith(":")


def _opens_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - 8) : start].rstrip(" (“")
    return not before or before[-1] in ".;:—\n"


def _variants(term: str) -> list[str]:
    """The term without an acronym in brackets, and the acronym."""
    plain = term.strip().strip(",.;: ")
    acronym = _ACRONYM.search(plain)
    return [plain] if acronym is None else [plain[: acronym.start()].strip(), acronym[1]]


def _is_term(term: str, plain: str) -> bool:
    return bool(plain) and any(char.isalpha() for char in plain) and len(term.split()) <= _MAX_WORDS


def _split_unquoted(term: str, *, plural: bool) -> tuple[str, ...]:
    """Split a compound head: at "and" for a plural verb, at "or" only between sides of two words or more."""
    for joint, allowed in ((" and ", plural), (" or ", True)):
        sides = [one.strip(" ,") for one in term.split(joint)]
        if allowed and len(sides) == 2 and (joint == " and " or all(len(one.split()) > 1 for one in sides)):
            return tuple(sides)
    return (term,)
