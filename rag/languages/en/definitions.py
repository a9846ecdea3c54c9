"""Finding what a node defines: quoted, marked, unquoted and inline terms, index entries and references.

Mark-up and quotation marks are evidence, not proof: a term counts where a defining verb, a defining bracket, a
dash or a list of definitions goes with it. What the text only adds to a term already defined is not a new one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from itertools import chain, takewhile

from rag.languages.en.rules import ENGLISH_WORDS as WORDS
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import CITING_TYPES, Definition, ParsedNode
from rag.law.openings import prepared
from rag.law.passages import Passage, clause_end, clause_start
from rag.law.phrases import DefinitionPhrases
from rag.law.scope_defaults import Way, is_list_of_terms, is_named_after
from rag.law.scope_windows import Window, sentence_at, sentence_spans
from rag.law.scopes import ScopeFinder
from rag.law.term_uses import Sense, TermRules

# Terms that nothing sets apart: at the start of a paragraph of definitions, after "the term", or in the caption.

_MAX_WORDS = 8  # a longer opening is a clause, not a term
_LISTED_WORDS = 14  # the same in a list of definitions
_MAX_NOUN = 5  # words of a term before "means to"
_MAX_CAPTION = 12  # words of a paragraph that is a caption alone
# A designator that the source left in the text: "(a)", "1.".
_DESIGNATOR = re.compile(r"(?:\([0-9A-Za-z]{1,5}\)|[0-9A-Za-z]{1,3}[.)])\s+")
_ALIAS = re.compile(r"\s*\(\s*(?:hereinafter|hereafter|herein)\b[^()]*\)\Z", re.IGNORECASE)  # defined in passing
_MEMBERS = re.compile(r",\s+(?:and\s+)?|\s+and\s+")  # "ammunition, rifle and pistol"
_STOP = " .:—–-"


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where terms are defined. Offsets are into the text; `inline`: in passing, inside another sentence;
    `condition`: by saying what is one, "is a T if"."""

    terms: tuple[str, ...]
    relation: str  # means, includes, excludes, reference
    start: int
    verb_start: int
    verb_end: int
    inline: bool = False
    condition: bool = False


def relation_of(match: re.Match[str]) -> str:
    """What a match of a defining verb says: the name of its group."""
    return next(name for name in ("reference", "excludes", "means", "includes") if match[name])


class UnmarkedTerms:
    """Finds terms that only their place shows to be defined."""

    def __init__(self, index: DocumentIndex, phrases: DefinitionPhrases) -> None:
        self._index = index
        self._phrases = phrases
        self._conditions = prepared(tuple(pattern for _, pattern in phrases.unquoted_condition))
        self._headed_conditions = prepared((
            phrases.headed_condition, phrases.headed_designation, phrases.headed_copula, phrases.headed_denial,
        ))  # fmt: skip

    def hits(self, passage: Passage, *, listed: bool, alone: bool) -> list[Hit]:
        """The terms without marks that a passage defines.

        Args:
            passage: the node and its text.
            listed: the node is in a list of definitions.
            alone: no marked term was found in it.
        """
        node, text = passage.node, passage.text
        found = self._captioned(node, text) or self._headed(node, text) if alone else None
        if found is None and alone:
            found = self._heads_a_list(node, text)
        if found is not None:
            return [found]
        if self._in_list(node) and (found := self._thing(node, text)) is not None:
            return [found]
        openings = self._openings(text, listed=listed)
        if not openings and (node.structure_type == "DEFINITION" or self._in_list(node)):
            openings = self._lower(text)
        if not alone:
            return openings
        known = {opening.verb_start for opening in openings}
        return [*openings, *(hit for hit in self._termed(text) if hit.verb_start not in known)]

    def _captioned(self, node: ParsedNode, text: str) -> Hit | None:
        """The term that a caption names: "Rack. The term means ..."."""
        phrases = self._phrases
        if caption := phrases.caption_verb.match(text):
            owner = node if node.heading else self._index.tree.parent(node)
            heading = ""
            if owner is not None and owner.structure_type not in ("ROOT", "TITLE"):
                heading = owner.heading.rstrip(_STOP)
            words = text[: caption.end()].lower().split()
            if heading and words[0] in ("the", "this", "term") and not phrases.heading.search(heading):
                return Hit((heading,), relation_of(caption), 0, caption.start(), caption.end())
        if node.heading and (node.structure_type == "DEFINITION" or self._is_meaning(node, text)):
            return Hit((node.heading.rstrip(_STOP),), "means", 0, 0, 0)
        return None

    def _is_meaning(self, node: ParsedNode, text: str) -> bool:
        """Whether a captioned paragraph of a section of definitions only says what its caption is: "Seller. A person
        who sells". What has a verb of its own rules."""
        parent = self._index.tree.parent(node)
        section = self._index.section(node)
        if section is None or parent is not section or not self._phrases.heading.search(section.heading):
            return False
        refused = (self._phrases.caption_general, self._phrases.finite)
        if len(node.heading.split()) > _MAX_WORDS or any(pattern.search(node.heading) for pattern in refused):
            return False
        end = next((stop for _, stop in sentence_spans(text)), len(text))
        words = self._phrases.relative_clause.sub(" ", text[:end])
        return self._phrases.thing_begins.match(words) is not None and not self._phrases.finite.search(words)

    def conditions(self, passage: Passage, known: list[Hit]) -> list[Hit]:
        """The terms without marks that a sentence gives a meaning by a condition, but for those of known hits.

        "is for the purposes of this Act a T if", or "is a T if" below a heading that names T.
        """
        text = passage.text
        section = self._index.section(passage.node)
        matches = [
            (self._phrases.unquoted_condition[number][0], match) for number, match in self._conditions.matches(text)
        ]
        if section is not None and section.heading:
            defines = self._phrases.heading.search(section.heading) is not None
            conditions, designations, copulas, denials = self._headed_conditions.each(text)
            # "A deposit is any advance of money"; "is a" counts where the heading says that it defines.
            copulas = (copula for copula in copulas if defines or copula["genus"] in ("any", "that", "every", "all"))
            named = chain(conditions, designations, copulas)
            matches.extend(("means", name) for name in named if is_named_after(section, name["term"], self._phrases))
            matches.extend(("excludes", no) for no in denials if is_named_after(section, no["term"], self._phrases))
        places = {entry.verb_start for entry in known}
        return [
            Hit((match["term"],), relation, match.start(), match.start("term"), match.end(), condition=True)
            for relation, match in matches
            if match.start("term") not in places and not self._phrases.unquoted_refused.search(match["term"])
        ]

    def _headed(self, node: ParsedNode, text: str) -> Hit | None:
        """The term that the heading names and the text begins with: "Race. Race includes ..."."""
        section = self._index.section(node)
        heading = (node.heading or (section.heading if section is not None else "")).rstrip(_STOP)
        if not heading or not text.casefold().startswith(heading.casefold() + " "):
            return None
        verb = self._phrases.caption_verb.match(text, len(heading) + 1)
        if verb is None or verb["subject"] is not None or not self._phrases.unquoted_verb.match(text, verb.start()):
            return None
        return Hit((text[: len(heading)],), relation_of(verb), 0, verb.start(), verb.end())

    def _in_list(self, node: ParsedNode) -> bool:
        """Whether the words right above introduce a list of definitions."""
        parent = self._index.tree.parent(node)
        return parent is not None and self._phrases.listed_lead.search(parent.intro_text[-200:]) is not None

    def _thing(self, node: ParsedNode, text: str) -> Hit | None:
        """What an item of a list of definitions says a thing is: "A dwelling is any building", "Abut. To share"."""
        number = _DESIGNATOR.match(text)
        start = number.end() if number else 0
        parent = self._index.tree.parent(node)
        if parent is None or parent.intro_text.rstrip()[-1:] not in (":", "—", "–", "-"):
            return None
        captions = self._phrases.captions_follow.search(parent.intro_text) is not None
        match = self._phrases.listed_thing.match(text, start) or (
            self._phrases.listed_caption.match(text, start) if captions else None
        )
        if match is None or self._phrases.unquoted_refused.search(match["term"]):
            return None
        return Hit(split_head(match["term"], plural=False), "means", match.start("term"), match.end(), match.end())

    def _lower(self, text: str) -> list[Hit]:
        """A term in lower case that an item of a list of definitions begins with: "acquire includes ..."."""
        number = _DESIGNATOR.match(text)
        match = self._phrases.unquoted_lower.match(text, number.end() if number else 0)
        if match is None or self._phrases.unquoted_refused.search(match["term"]):
            return []
        if match["term"].split()[0] in WORDS.determiners:
            return []
        verb = match["verb"].lower()
        plural = verb in ("mean", "include") or verb.startswith("have")
        relation = self._relation(match["verb"])
        return [
            Hit(
                split_head(match["term"], plural=plural),
                relation,
                match.start("term"),
                match.start("verb"),
                match.end("verb"),
            )
        ]

    def _heads_a_list(self, node: ParsedNode, text: str) -> Hit | None:
        """The term that is all the text of a node whose first child says "The term means"."""
        children = self._index.tree.children(node.urn)
        term = text.strip(_STOP)
        if not children or not term[:1].isupper() or len(term.split()) > _MAX_CAPTION or node.heading:
            return None
        first = self._phrases.caption_verb.match(children[0].text)
        if first is None or first["subject"] is None or re.search(r"[.;:,“”\"]", term):
            return None
        return Hit(split_head(term, plural=True), relation_of(first), 0, len(text), len(text))

    def _termed(self, text: str) -> list[Hit]:
        return [
            Hit((match["term"],), self._relation(match["verb"]), match.start("term"), match.start("verb"), match.end())
            for match in self._phrases.termed.finditer(text)
            if not self._phrases.unquoted_refused.search(match["term"]) and len(match["term"].split()) <= _MAX_WORDS
        ]

    def _openings(self, text: str, *, listed: bool) -> list[Hit]:
        """The terms that a text begins with; in a list of definitions those that a later sentence begins with too."""
        found: list[Hit] = []
        number = _DESIGNATOR.match(text)
        first = number.end() if number else 0
        starts = [first, *(start for start, _ in sentence_spans(text) if start > first)] if listed else [first]
        for start in starts:
            hit = self._opening(text, start, first=start == first, listed=listed)
            if hit is not None and (start == first or hit.relation in ("means", "reference")):
                found.append(hit)
        return found

    def _opening(self, text: str, start: int, *, first: bool, listed: bool) -> Hit | None:
        phrases = self._phrases
        match = (phrases.unquoted_listed if listed else phrases.unquoted).match(text, start)
        if match is None or phrases.caption_refused.match(text, start):
            return None
        verb, relation = match["verb"], self._relation(match["verb"])
        # "refers to" and "includes" open many sentences that define nothing.
        defines = relation == "reference" or phrases.plain_verb.match(verb) is not None
        strict = not listed or not first or not defines
        refused = phrases.unquoted_refused if strict else phrases.listed_refused
        term = _ALIAS.sub("", phrases.qualifier.sub("", match["term"]))
        words = term.split()
        if not words or refused.search(term) or len(words) > (_MAX_WORDS if strict else _LISTED_WORDS):
            return None
        led = match.start("term") > start
        if strict and not led and words[0].lower() in WORDS.determiners:
            return None
        if all(word.lower() in WORDS.determiners for word in words):
            return None
        # "deceptive means to collect" has the noun.
        if len(words) > _MAX_NOUN and phrases.noun_after.match(text, match.end("verb")):
            return None
        if not (phrases.listed_verb if listed else phrases.unquoted_verb).match(verb):
            return None
        plural = verb.lower() in ("mean", "include") or verb.lower().startswith("have")
        return Hit(
            split_head(term, plural=plural), relation, match.start("term"), match.start("verb"), match.end("verb")
        )

    def _relation(self, words: str) -> str:
        verb = self._phrases.verb.match(words)
        return relation_of(verb) if verb is not None else "means"


def split_head(term: str, *, plural: bool) -> tuple[str, ...]:
    """Split a compound head into the terms it names.

    At "and" for a plural verb; at "or" before a short form ("Notice of Intent or NOI", "Privacy Act or Act") and
    between sides of two words or more that begin or end alike. "X and other Ys" are Ys too.
    """
    first, joint, rest = term.partition(" and other ")
    if joint:
        return (term, rest)
    if plural and term.count(" and ") == 1:
        return tuple(part.strip(" ,") for part in _MEMBERS.split(term))
    first, joint, rest = term.partition(" or ")
    if joint and " or " not in rest and "," not in term:
        left, right = first.split(), rest.split()
        short = rest.isupper() or [word.lower() for word in left[-len(right) :]] == [word.lower() for word in right]
        alike = min(len(left), len(right)) > 1 and (left[0].lower() == right[0].lower() or left[-1] == right[-1])
        if short or alike:
            return (first, rest)
    return (term,)


# Where a text defines a term: quoted and marked terms with their verb, terms in brackets, what a thing is called.

QUOTED = re.compile(
    r"‘‘([^‘’“”\"\n]{1,120})’’|“([^“”\n]{1,120})[”\"]|\"([^“”\"\n]{1,120})[”\"]|(?<![\w’])‘((?:[^‘’“”\n]|’(?=\w)){1,120})’(?!\w)|“([^“”’\n]{1,120})’(?=\s+\w)"
    r"|(?<![\w'’])'([^'\n“”‘’\"]{1,80})'(?!\w)"
)
MAX_GAP = 160  # characters between a term and its verb
_LONG_GAP = 300  # the same where commas enclose what is between them
# Brackets and stops inside numbers ("1.03"), which end no sentence.
_NO_STOPS = re.compile(
    r"\([^()]{0,80}\)|(?<=\w)\.(?=\w)"
    # and what a relative clause says of the thing: "the “rate” at which a person is employed shall ..."
    r"|\s(?:at|by|in|on|for|to|from|of) wh(?:ich|om)\b[^.;:,“”\"]{1,60}"
)
_AS = re.compile(r"\bas\s\Z")
_NEXT = re.compile(r"(?<=[.;—\n])\s*(?:and|but)\s+\Z")  # "; and “family”, in relation to a child, includes"
_JOINED = re.compile(r",\s+and\s+\Z")  # "“supply” means ..., and “owner”, in relation to a supply, means"
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
            hit = self._with_verb(passage.node, text, group, following, goes_on=bool(hits))
            if hit is not None:
                hits.append(self._contrasted(text, groups[:position], hit))
        hits = _without_caption(hits, text)
        hits.extend(self._inline(text, hits))
        hits.extend(self._called(text, hits))
        listed = self._listed(passage.node)
        hits.extend(self._unmarked.conditions(passage, hits))
        opened = any(hit.start < 20 and not hit.inline for hit in hits)
        if not hits or (listed and not opened):
            hits.extend(self._unmarked.hits(passage, listed=listed, alone=not hits))
        return sorted(hits, key=lambda one: one.start)

    def _with_verb(
        self, node: ParsedNode, text: str, group: list[_Span], following: int, *, goes_on: bool
    ) -> Hit | None:
        """The definition that a group of terms makes with its verb; `goes_on`: others of the text are before it."""
        phrases = self._phrases
        start, end = group[0].start, group[-1].end
        # What is set in italics may be a compound head: "Act or FMLA".
        terms = tuple(t for hit in group for t in ((hit.term,) if hit.quoted else split_head(hit.term, plural=False)))
        before = text[max(0, start - 120) : start]
        if phrases.amending.search(before) or phrases.requoted.search(before):
            return None
        verb = phrases.verb.match(text, end)
        # `T (or "U") means` closes what is in the group; in `T (hereinafter "U") means` the verb is T's.
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
        if (opens or _opens_sentence(text, start) or (goes_on and _JOINED.search(before))) and not caption:
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
        opening = next((group for group in near if _opens_sentence(text, group[0].start)), None)
        if opening is None or not self._phrases.gap_contrast.match(text[opening[-1].end : hit.start]):
            return hit
        return replace(hit, terms=tuple(span.term for span in opening), start=opening[0].start)

    def _inline(self, text: str, hits: list[Hit]) -> list[Hit]:
        found: list[Hit] = []
        if "(" not in text:
            return found
        for match in self._phrases.inline.finditer(text):
            if any(hit.start <= match.start("terms") < hit.verb_end for hit in hits):
                continue
            terms = tuple(text_of(one) for one in QUOTED.finditer(match["terms"]))
            if not any(self._phrases.called_clause.search(term) for term in terms):
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
            (self._phrases.referred, "means", False), (self._phrases.included, "means", False),
            (self._phrases.applied, "reference", False),
        )  # fmt: skip
        for pattern, relation, inline in ways:
            for match in pattern.finditer(text):
                if any(hit.start <= match.start("terms") < hit.verb_end for hit in (*hits, *found)):
                    continue
                terms = tuple(text_of(one) for one in QUOTED.finditer(match["terms"]))
                if terms and not any(self._phrases.called_clause.search(term) for term in terms):
                    found.append(Hit(terms, relation, match.start(), match.end(), match.end(), inline=inline))
        return found

    def _introduced(self, node: ParsedNode) -> bool:
        """Whether the words right above introduce a list of definitions."""
        parent = self._index.tree.parent(node)
        return parent is not None and self._phrases.listed_lead.search(parent.intro_text[-200:]) is not None

    def _listed(self, node: ParsedNode) -> bool:
        """Whether the node is in a list of definitions: by the lead-in right above, or by a heading."""
        parent = self._index.tree.parent(node)
        if self._introduced(node):
            return True
        for unit in self._index.chain(node):
            if self._phrases.heading.search(unit.heading) or is_list_of_terms(unit, self._index, self._phrases):
                return True
            if unit.structure_type in CITING_TYPES:
                break
        return parent is not None and self._phrases.heading.search(parent.heading) is not None


def _without_caption(hits: list[Hit], text: str) -> list[Hit]:
    """The hits without a caption that the text repeats with its verb: "Fee. As used in this part, fee means"."""
    first = hits[0] if hits else None
    captioned = first is not None and first.start == 0 and first.verb_start == first.verb_end
    if first is None or not captioned or not set(".:—").intersection(text[first.verb_end - 1 : first.verb_end + 1]):
        return hits
    named = {term.casefold().strip(" .:—") for term in first.terms}
    said = (term.casefold().strip(" .,") for hit in hits[1:] for term in hit.terms)
    return hits[1:] if named.intersection(said) else hits


def _spans(passage: Passage) -> list[_Span]:
    text = passage.text
    spans = [_Span(match.start(), match.end(), text_of(match), quoted=True) for match in QUOTED.finditer(text)]
    for mark in passage.node.marks:
        if mark.kind not in ("italic", "term"):
            continue
        if any(span.start < mark.end and mark.start < span.end for span in spans):
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
    return next(group for group in match.groups() if group is not None)


def _opens_sentence(text: str, start: int) -> bool:
    before = _NEXT.sub("", _NUMBER.sub("", text[max(0, start - 12) : start])).rstrip(" (“")
    return not before or before[-1] in ".;:—\n"


_ACRONYM = re.compile(r"\s*\(\s*[“\"]?([A-Z][a-z]{0,3}[A-Z&][A-Za-z&-]{0,8})[”\"]?\s*\)\s*\Z")
_TRANSLATION = re.compile(r"\s*[(（][^()（）A-Za-z]*[^\W\d_A-Za-z][^()（）A-Za-z]*[)）]\Z")  # "act (作為)"
_INDEX_ENTRY = re.compile(r"(?:\A|\n|(?<=\. ))[“\"]([^“”\"\n]{1,120})[”\"][.,:]*\s*(?=(?:§|[Ss]ections?)\s)")
_BRACKET = re.compile(r"\s*\((?:[^()]|\((?:[^()]|\([^()]{1,12}\)){1,160}\)){1,400}\)")
_OUTSIDE = re.compile(
    r",?\s(?:other than|except(?: for| in)?|apart from)\s[^.;:]{1,60}"
)  # after "for purposes of this act"
_LONGEST_TERM = 14  # longer quoted runs are sentences, not terms


class EnglishDefinitions:
    """Finds the definitions of one document in English, node by node in document order."""

    def __init__(self, index: DocumentIndex, phrases: DefinitionPhrases, scopes: ScopeFinder, terms: TermRules) -> None:
        self._index = index
        self._phrases = phrases
        self._hits = HitFinder(index, phrases)
        self._scopes = scopes
        self._terms = terms
        self._defined: dict[str, set[str]] = {}  # node URN -> normalised terms it defines
        self._senses = index.document.senses

    def definitions(self, passage: Passage) -> list[Definition]:
        """The definitions that this node makes."""
        out: list[Definition] = []
        entries = self._index_entries(passage)
        hits = [] if entries else self._hits.hits(passage)
        for position, hit in enumerate(hits):
            out.extend(self._from_hit(passage, hit, hits[position - 1].verb_end if position else 0))
        for term, start, reference in entries:
            scope = self._scopes.scope(passage, (Window(0, start, sentence=True),))
            found = self._pointed_at(term, reference) or [(passage.node.urn, "reference", reference)]
            out.extend(
                Definition(term, node_urn, urn, relation, scope.inferred, scope.phrase, target)
                for node_urn, relation, target in found
                for urn in scope.urns
            )
        return out

    def scope_said(self, passage: Passage, start: int, end: int) -> tuple[tuple[str, ...], str, bool]:
        """See `DefinitionFinder`."""
        scope = self._scopes.said(passage, Window(start, end, sentence=True))
        return (scope.urns, scope.phrase, scope.inferred) if scope is not None else ((), "", True)

    def _pointed_at(self, term: str, reference: str) -> list[tuple[str, str, str]]:
        """The definitions of a term in the provision that an index names: node, relation, and its own reference.

        The index says that they hold for its own unit too; a term then has one entry there, and not two.
        """
        target = self._index.node(reference) if reference else None
        plain = self._terms.normalise(term)
        found: list[tuple[str, str, str]] = []
        for node in self._index.tree.subtree(target) if target is not None else ():
            passage = self._scopes.passage(node.urn)
            for hit in self._hits.hits(passage):
                terms = (self._terms.normalise(variant) for written in hit.terms for variant in _variants(written))
                if plain in terms:
                    found.append((node.urn, *self._relation(passage, hit)))
        return found

    # From a hit to definitions

    def _from_hit(self, passage: Passage, hit: Hit, after: int) -> list[Definition]:
        """The definitions that a hit makes; `after` is where the meaning of the one before it begins."""
        relation, reference = self._relation(passage, hit)
        known = [self._defined.setdefault(unit.urn, set()) for unit in self._index.chain(passage.node)]
        terms: list[str] = []
        for term in (variant for written in hit.terms for variant in _variants(written)):
            plain = self._terms.normalise(term)
            if not _is_term(term, plain) or plain in known[0] or self._phrases.term_refused.match(plain):
                continue
            # A limb that adds to or takes from a term defined here or above belongs to that definition.
            if (relation in ("includes", "excludes") or hit.inline) and any(plain in entry for entry in known):
                continue
            terms.append(term)
            known[0].add(plain)
        if not terms:
            return []
        if not hit.inline and (senses := self._senses_of(passage, hit)):
            for term in terms:
                self._senses.setdefault(self._terms.normalise(term), set()).update(senses)
        sentence, _ = sentence_at(passage.text, hit.start)
        whole = hit.inline or hit.condition
        between = Window(hit.start, hit.verb_end if whole else hit.verb_start, sentence=False)
        # "In subsection (3) “gift” means ..., and in this section “donor” means ...": each has its own.
        nearest = (Window(after, hit.start, sentence=False, adjacent=True),) if sentence < after < hit.start else ()
        windows = (between,) if hit.inline else (*nearest, Window(sentence, hit.start, sentence=True), between)
        way: Way = "passing" if hit.inline else "condition" if hit.condition else "plain"
        _, ends = sentence_at(passage.text, hit.start)
        outside = _OUTSIDE.search(passage.text, hit.verb_end, ends) if hit.condition else None
        bracket = outside or _BRACKET.match(passage.text, hit.verb_end)
        aside = Window(bracket.start(), bracket.end(), sentence=False) if bracket is not None else None
        # A phrase that opens an earlier sentence of the paragraph goes on governing the following ones.
        before = 0 if hit.inline else sentence
        scope = self._scopes.scope(passage, windows, way, term=terms[0], aside=aside, after=before)
        start = hit.start if not whole else sentence
        if hit.inline and passage.text[hit.start : hit.start + 1] == "(":
            start = clause_start(passage.text, hit.start)
        words = (start, clause_end(passage.text, hit.verb_end) if hit.inline else None)
        return [
            Definition(term, passage.node.urn, urn, relation, scope.inferred, scope.phrase, reference, words=words)
            for term in terms
            for urn in scope.urns
        ]

    def _defines_verb(self, passage: Passage, hit: Hit) -> bool:
        """Whether what is meant is an action: "means to transfer", "To T means", or a first item "to transfer"."""
        text, node = passage.text, passage.node
        if self._phrases.verb_term.search(text, max(0, hit.start - 8), hit.start):
            return True
        if self._phrases.verb_meant.match(text, hit.verb_end):
            return True
        children = self._index.tree.children(node.urn) if node.intro_text[hit.verb_end :].strip(" ,:—–-") == "" else ()
        return bool(children) and self._phrases.verb_meant.match(children[0].text) is not None

    def _senses_of(self, passage: Passage, hit: Hit) -> set[Sense]:
        if self._defines_verb(passage, hit):
            return {Sense.ACTION}
        text = passage.text
        if self._phrases.corresponding.fullmatch(text[hit.verb_start : hit.verb_end].strip(" ,")):
            return {Sense.ACTION, Sense.EITHER}
        if self._phrases.bare_meant.match(text, hit.verb_end):
            return {Sense.PERHAPS}
        gerunds = all(term.isalpha() and term.endswith("ing") for term in hit.terms)
        if gerunds and self._phrases.gerund_meant.match(text, hit.verb_end):
            return {Sense.GERUND}
        # A participle that a participle explains: `"prescribed" means prescribed by order`.
        said = self._phrases.state_meant.match(text, hit.verb_end)
        participles = all(self._phrases.participle.fullmatch(term) for term in hit.terms)
        return {Sense.STATE} if said is not None and participles else set()

    def _relation(self, passage: Passage, hit: Hit) -> tuple[str, str]:
        if hit.relation not in ("reference", "means"):
            return hit.relation, ""
        _, end = sentence_at(passage.text, hit.verb_start)
        citations = passage.citations
        first = bisect_left(citations, hit.verb_end, key=lambda citation: citation.start)
        cited = citations[first] if first < len(citations) and citations[first].start < end else None
        words = passage.text[hit.verb_end : cited.whole_start] if cited else ""
        if hit.relation == "reference":
            # "has the following meaning:" and a meaning given by another law's bare name have no provision to fetch.
            followed = cited is not None and len(words) <= MAX_GAP
            if cited is None and passage.text[hit.verb_end :].lstrip()[:1] in (".", ";", ""):
                return "means", ""  # `"lease" and "tenancy" have the same meaning`
            return (
                ("reference", cited.urn if cited and followed else "")
                if followed or not _colon(passage, hit)
                else ("means", "")
            )
        points_only = (
            cited is not None
            and len(words) <= 80
            and self._phrases.by_reference.search(words) is not None
            and not self._phrases.says_more.search(words)
        )
        if cited is not None and points_only and end - cited.whole_end <= 2:
            return "reference", cited.urn
        return "means", ""

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


def _colon(passage: Passage, hit: Hit) -> bool:
    return passage.text[hit.verb_end : hit.verb_end + 3].lstrip()[:1] in (
        ":",
        "—",
        "",
    ) or passage.text.rstrip().endswith(":")


def _variants(term: str) -> list[str]:
    """The term without an acronym in brackets, and the acronym."""
    plain = _TRANSLATION.sub("", term.strip().strip(",.;: "))
    acronym = _ACRONYM.search(plain)
    return [plain] if acronym is None else [plain[: acronym.start()].strip(), acronym[1]]


def _is_term(term: str, plain: str) -> bool:
    return bool(plain) and any(char.isalpha() for char in plain) and len(term.split()) <= _LONGEST_TERM
