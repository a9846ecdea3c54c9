"""Where a text defines a term: quoted and marked terms with their verb, terms in brackets, what a thing is called.

Mark-up and quotation marks are evidence, not proof: a term counts where a defining verb, a defining bracket, a
dash or a list of definitions goes with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile

from rag.ingest.citations import Passage
from rag.ingest.nodes import CITING_TYPES, ParsedNode
from rag.ingest.unmarked_terms import Hit, UnmarkedTerms, relation_of, split_head
from rag.jurisdictions.base import DocumentIndex
from rag.jurisdictions.phrases import DefinitionPhrases

QUOTED = re.compile(
    r"‘‘([^‘’“”\"\n]{1,120})’’|“([^“”\n]{1,120})[”\"]|\"([^“”\"\n]{1,120})[”\"]|(?<![\w’])‘((?:[^‘’“”\n]|’(?=\w)){1,120})’(?!\w)|“([^“”’\n]{1,120})’(?=\s+\w)"
)
MAX_GAP = 160  # characters between a term and its verb
_LONG_GAP = 300  # the same where commas enclose what stands between them
# Brackets and stops inside numbers ("1.03"), which end no sentence.
_NO_STOPS = re.compile(
    r"\([^()]{0,80}\)|(?<=\w)\.(?=\w)"
    # and what a relative clause says of the thing: "the “rate” at which a person is employed shall ..."
    r"|\s(?:at|by|in|on|for|to|from|of) wh(?:ich|om)\b[^.;:,“”\"]{1,60}"
)
_AS = re.compile(r"\bas\s\Z")
_NEXT = re.compile(r"(?<=[.;—\n])\s*(?:and|but)\s+\Z")  # "; and “family”, in relation to a child, includes"
_SENTENCE = re.compile(r"\s+[A-Z]")
_NUMBER = re.compile(r"\(\w{1,4}\)\s*\Z")


@dataclass(frozen=True, slots=True)
class _Span:
    start: int  # of the mark or quotation, quotation marks included
    end: int
    term: str
    quoted: bool


class HitFinder:
    """Finds what the nodes of one document define, as the words stand."""

    def __init__(self, index: DocumentIndex, phrases: DefinitionPhrases) -> None:
        self._index = index
        self._phrases = phrases
        self._unmarked = UnmarkedTerms(index, phrases)

    def hits(self, passage: Passage) -> list[Hit]:
        """The terms that a passage defines, in its order."""
        text = passage.text
        hits: list[Hit] = []
        groups = _groups(_spans(passage), text, self._phrases)
        for position, group in enumerate(groups):
            following = groups[position + 1][0].start if position + 1 < len(groups) else len(text)
            hit = self._with_verb(passage.node, text, group, following)
            if hit is not None:
                hits.append(self._contrasted(text, groups[:position], hit))
        hits = _without_caption(hits, text)
        hits.extend(self._inline(text, hits))
        hits.extend(self._called(text, hits))
        listed = self._listed(passage.node)
        hits.extend(self._unmarked.conditions(passage, hits))
        opened = any(one.start < 20 and not one.inline for one in hits)
        if not hits or (listed and not opened):
            hits.extend(self._unmarked.hits(passage, listed=listed, alone=not hits))
        return sorted(hits, key=lambda one: one.start)

    def _with_verb(self, node: ParsedNode, text: str, group: list[_Span], following: int) -> Hit | None:
        phrases = self._phrases
        start, end = group[0].start, group[-1].end
        # What is set in italics may be a compound head: "Act or FMLA".
        terms = tuple(t for one in group for t in ((one.term,) if one.quoted else split_head(one.term, plural=False)))
        before = text[max(0, start - 120) : start]
        if phrases.amending.search(before) or phrases.requoted.search(before):
            return None
        verb = phrases.verb.match(text, end)
        # `T (or "U") means` closes what stands in the group; in `T (hereinafter "U") means` the verb is T's.
        aside = text[end : end + 1] == ")" and "(" not in text[group[0].end : group[-1].start]
        if verb is not None and not aside:
            # "a crime under state law (as “state” is defined in section 5)" tells what this sentence means.
            passing = verb["reference"] is not None and _AS.search(before) is not None
            return Hit(terms, relation_of(verb), start, verb.start(), verb.end(), inline=passing)
        if verb is not None and text.rfind("(", 0, start) > text.rfind(")", 0, start):
            return None  # `"worker" (except in the phrase "shop worker") means`
        led = phrases.term_lead.search(before) is not None
        at_start = not before.strip(" \n(") or before.endswith("\n") or led
        opens = at_start or (phrases.article.fullmatch(before) is not None)
        listed = opens and self._listed(node)
        led_copula = (listed or phrases.copula_lead.search(before)) and phrases.copula.match(text, end)
        if led_copula or (listed and group[-1].quoted and phrases.listed_copula.match(text, end)):
            return Hit(terms, "means", start, end, end)
        caption = not group[-1].quoted and (group[-1].term + text[end : end + 1]).rstrip()[-1:] in ".:—"
        if caption and start == 0 and self._introduced(node):
            return Hit(terms, "means", start, end, end)  # "Absorption. The point at which ..."
        if (opens or _opens_sentence(text, start)) and not caption:
            limit = min(following, end + MAX_GAP)
            later = phrases.later_verb.search(text, end, limit)
            if later is not None and not phrases.gap_refused.search(_NO_STOPS.sub(" ", text[end : later.start()])):
                return Hit(terms, self._later_relation(text, end, later), start, later.start(), later.end())
            if (later := self._after_commas(text, group[-1], end)) is not None:
                return Hit(terms, self._later_relation(text, end, later), start, later.start(), later.end())
        if listed and group[-1].quoted and (pointer := phrases.pointer.match(text, end)) is not None:
            return Hit(terms, "reference", start, end, pointer.end())
        # `"Oral communication." Any oral communication uttered by a person.`
        stopped = group[-1].quoted and text[end - 2 : end - 1] == "."
        if at_start and stopped and self._introduced(node) and _SENTENCE.match(text, end):
            return Hit(terms, "means", start, end, end)
        apart = before.rstrip().endswith(";")
        if (
            group[-1].quoted
            and (opens or apart)
            and self._introduced(node)
            and phrases.meaning_follows.match(text, end)
        ):
            return Hit(terms, "means", start, end, end)
        children = self._index.tree.children(node.urn)
        rest = (node.intro_text[end:] if children and end <= len(node.intro_text) else text[end:]).strip()
        short = len(rest) <= MAX_GAP and rest.endswith("—") and not phrases.gap_refused.search(rest)
        if children and opens and (rest.strip(" ,:—–-") == "" or (listed and short)):
            first = phrases.caption_verb.match(children[0].text)
            dashed = rest != ""
            if first is not None or dashed:
                return Hit(terms, relation_of(first) if first else "means", start, len(text), len(text))
        return None

    def _later_relation(self, text: str, end: int, later: re.Match[str]) -> str:
        """What a verb says that words separate from its term: these may deny it."""
        relation = relation_of(later)
        denied = relation in ("means", "includes") and self._phrases.negated.search(text, end, later.start())
        return "excludes" if denied else relation

    def _after_commas(self, text: str, span: _Span, end: int) -> re.Match[str] | None:
        """The verb after words that commas or brackets enclose, whatever these say: `"T", where ..., means`."""
        opened = text[end : end + 2].strip()[:1] in (",", "(") or span.term.endswith(",")
        later = self._phrases.later_verb.search(text, end, end + _LONG_GAP) if opened else None
        while later is not None and text[: later.start()].rstrip()[-1:] not in (",", ")"):
            later = self._phrases.later_verb.search(text, later.end(), end + _LONG_GAP)
        if later is None or re.search(r"[.;“”\"]", _NO_STOPS.sub(" ", text[end : later.start()])):
            return None
        return later

    def _contrasted(self, text: str, before: list[list[_Span]], hit: Hit) -> Hit:
        """Give the verb to the term that opens the sentence: in `"A", as distinguished from "B", means` it is A's."""
        near = takewhile(lambda one: hit.start - one[-1].end <= MAX_GAP, reversed(before))
        opening = next((one for one in near if _opens_sentence(text, one[0].start)), None)
        if opening is None or not self._phrases.gap_contrast.match(text[opening[-1].end : hit.start]):
            return hit
        return replace(hit, terms=tuple(one.term for one in opening), start=opening[0].start)

    def _inline(self, text: str, hits: list[Hit]) -> list[Hit]:
        found: list[Hit] = []
        if "(" not in text:
            return found
        for match in self._phrases.inline.finditer(text):
            if any(one.start <= match.start("terms") < one.verb_end for one in hits):
                continue
            terms = tuple(text_of(one) for one in QUOTED.finditer(match["terms"]))
            if not any(self._phrases.called_clause.search(one) for one in terms):
                found.append(Hit(terms, "means", match.start(), match.end(), match.end(), inline=True))
        found.extend(
            Hit((match["term"],), "means", match.start(), match.end(), match.end(), inline=True)
            for match in self._phrases.inline_plain.finditer(text)
        )
        return found

    def _called(self, text: str, hits: list[Hit]) -> list[Hit]:
        """The term that a thing is called: `is referred to in this section as a "T"`, `is a "T" if`."""
        found: list[Hit] = []
        if not any(sign in text for sign in '“"‘'):
            return found
        ways = (
            (self._phrases.called, "means", True), (self._phrases.condition, "means", False),
            (self._phrases.applied, "reference", False),
        )  # fmt: skip
        for pattern, relation, inline in ways:
            for match in pattern.finditer(text):
                if any(one.start <= match.start("terms") < one.verb_end for one in (*hits, *found)):
                    continue
                terms = tuple(text_of(one) for one in QUOTED.finditer(match["terms"]))
                if terms and not any(self._phrases.called_clause.search(one) for one in terms):
                    found.append(Hit(terms, relation, match.start(), match.end(), match.end(), inline=inline))
        return found

    def _introduced(self, node: ParsedNode) -> bool:
        """Whether the words right above introduce a list of definitions."""
        parent = self._index.tree.parent(node)
        return parent is not None and self._phrases.listed_lead.search(parent.intro_text[-200:]) is not None

    def _listed(self, node: ParsedNode) -> bool:
        """Whether the node stands in a list of definitions: by the lead-in right above, or by a heading."""
        parent = self._index.tree.parent(node)
        if self._introduced(node):
            return True
        for one in self._index.chain(node):
            if self._phrases.heading.search(one.heading):
                return True
            if one.structure_type in CITING_TYPES:
                break
        return parent is not None and self._phrases.heading.search(parent.heading) is not None


def _without_caption(hits: list[Hit], text: str) -> list[Hit]:
    """The hits without a caption that the text repeats with its verb: "Fee. As used in this part, fee means"."""
    first = hits[0] if hits else None
    captioned = first is not None and first.start == 0 and first.verb_start == first.verb_end
    if first is None or not captioned or not set(".:—").intersection(text[first.verb_end - 1 : first.verb_end + 1]):
        return hits
    named = {term.casefold().strip(" .:—") for term in first.terms}
    said = (term.casefold().strip(" .,") for one in hits[1:] for term in one.terms)
    return hits[1:] if named.intersection(said) else hits


def _spans(passage: Passage) -> list[_Span]:
    text = passage.text
    spans = [_Span(match.start(), match.end(), text_of(match), quoted=True) for match in QUOTED.finditer(text)]
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


def text_of(match: re.Match[str]) -> str:
    """The words of the one group that matched."""
    return next(one for one in match.groups() if one is not None)


def _opens_sentence(text: str, start: int) -> bool:
    before = _NEXT.sub("", _NUMBER.sub("", text[max(0, start - 12) : start])).rstrip(" (“")
    return not before or before[-1] in ".;:—\n"
