"""Terms that nothing sets apart: at the start of a paragraph of definitions, after "the term", or in the caption."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.languages.en.rules import ENGLISH_WORDS as WORDS
from rag.law.jurisdiction import DocumentIndex
from rag.law.nodes import ParsedNode
from rag.law.passages import Passage
from rag.law.phrases import DefinitionPhrases
from rag.law.scope_defaults import is_named_after
from rag.law.scope_windows import sentence_spans

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

    def hits(self, passage: Passage, *, listed: bool, alone: bool) -> list[Hit]:
        """The terms without marks that a passage defines.

        Args:
            passage: the node and its text.
            listed: the node stands in a list of definitions.
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
        return [*openings, *(one for one in self._termed(text) if one.verb_start not in known)]

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
            (relation, match)
            for relation, pattern in self._phrases.unquoted_condition
            for match in pattern.finditer(text)
        ]
        if section is not None and section.heading:
            defines = self._phrases.heading.search(section.heading) is not None
            named = [
                *self._phrases.headed_condition.finditer(text),
                # "A deposit is any advance of money"; "is a" counts where the heading says that it defines.
                *(
                    match
                    for match in self._phrases.headed_copula.finditer(passage.text)
                    if defines or match["genus"] == "any"
                ),
            ]
            matches.extend(("means", name) for name in named if is_named_after(section, name["term"], self._phrases))
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
            Hit((match["term"],), self._relation(match["verb"]), match.start(), match.start("verb"), match.end())
            for match in self._phrases.termed.finditer(text)
            if not self._phrases.unquoted_refused.search(match["term"])
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
