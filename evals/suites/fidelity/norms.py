"""Norms: whole sentences of a section with their lead-in and flush text, each with the context it is cited from."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evals.law import Law, context_of
from rag.answering.synthesis import evidence_of
from rag.languages.operators import primary_language
from rag.languages.sentences import split_sentences
from rag.languages.text import count_words, is_plain
from rag.verification.draft import DraftCitation, DraftClaim
from rag.verification.model import Evidence, EvidenceBlock
from retrieval.model import ScopedContext

MIN_WORDS = 6
_MODAL = {
    "en": re.compile(r"\b(?:shall|may|must)\b"),
    "fr": re.compile(r"\b(?:doit|doivent|peut|peuvent)\b"),
    "de": re.compile(r"\b(?:muss|müssen|darf|dürfen|kann|können|soll|sollen)\b"),
}
_WHOLE = re.compile(r"[.;!?。][\"'”’»)\]]*\Z")
_OPEN_ITEM = re.compile(r"[;,]\s*(?:and/or|and|or)?\s*\Z")
_ITEM_CASE = re.compile(r"\W*(?:if|when|where|in (?:the )?(?:case|event))\b", re.IGNORECASE)
_ITEM_OR = re.compile(r"[;,]\s*or\s*\Z")
_ITEM_AND = re.compile(r"[;,]\s*and\s*\Z")
# The duty's own verb, and at most a few words to the colon: no permission and no condition comes between.
_DUTY = re.compile(
    r"(?<!\bno )(?<!\bnot )\b(?:shall|must) (?!not\b)(?!if\b)\w+"
    r"(?: (?!may\b|if\b|when\b|where\b|that\b|unless\b)\w+){0,6}"
    r"\s?[:\-–—―]\s*\Z"
)
_NOTHING = re.compile(r"\W*(?:no|nothing|none|neither)\b", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:if|when|where|unless|(?:all|each|both) of the following[\w\s]{0,40})\W*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Norm:
    """A true claim: `text` says what `sentence` of `block` says, with what goes before and after it in its list."""

    text: str
    sentence: str
    block: EvidenceBlock
    evidence: Evidence
    outside: str  # a URN of the same corpus that is not in the evidence; empty where there is none

    @property
    def claim(self) -> DraftClaim:
        """The norm, cited by its sentence."""
        return DraftClaim(self.text, (DraftCitation(self.block.urn, self.sentence),))

    @property
    def orders(self) -> bool:
        """Whether it says, in a language whose operators are read, that something shall, may or must be."""
        modal = _MODAL.get(primary_language(self.evidence.language))
        return modal is not None and modal.search(self.text) is not None

    @property
    def stands_for_a_list(self) -> bool:
        """Whether it is one item of a list whose items hold only as alternatives of a duty, or only together.

        Said alone it says more, or less, than the law; only the law's own words may state it.
        """
        lead_in = self.block.lead_in
        opens = self.text.startswith(" ".join(lead_in.split()))
        if not lead_in or not opens or _WHOLE.search(lead_in) or _NOTHING.match(lead_in):
            return False
        items = [other.text for other in self.evidence.blocks if other.lead_in == lead_in]
        if all(_ITEM_CASE.match(item) for item in items):
            return False  # "If notice was given, within 24 hours; if not, within 30 days": each is right in its case
        if any(_ITEM_AND.search(item) for item in items):
            return _TOGETHER.search(lead_in) is not None
        return _DUTY.search(lead_in) is not None and any(_ITEM_OR.search(item) for item in items)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One drawn section with its context, and the norms of it."""

    context: ScopedContext
    evidence: Evidence
    norms: tuple[Norm, ...]


def draw(law: Law, rng: random.Random) -> Iterator[Drawn]:
    """Every section once, in random order, each beside a second one as another entry point would put it.

    A norm is a whole sentence of at least six words without an address. Sections that have none are not given.
    """
    order = list(range(len(law.sections)))
    rng.shuffle(order)
    for position, index in enumerate(order):
        section = law.sections[index]
        companion = law.sections[order[position - 1]]
        beyond = law.sections[order[(position - 2) % len(order)]]
        pair = [section] if companion is section else [section, companion]
        context = context_of(pair)
        evidence = evidence_of(context, section.language)
        known = {block.urn for block in evidence.blocks}
        outside = beyond.urn if beyond.urn not in known else ""
        own = {draft.node.urn for draft in section.drafts if draft.role == "rule"}
        blocks = [block for block in evidence.blocks if block.urn in own]
        norms = tuple(
            Norm(text, sentence, block, evidence, outside)
            for block in blocks
            for text, sentence in _norms_of(block, section.language)
        )
        if norms:
            yield Drawn(context, evidence, norms)


def _norms_of(block: EvidenceBlock, language: str) -> Iterator[tuple[str, str]]:
    """The norms of one block: text and sentence."""
    spans = split_sentences(block.text, language)
    for position, (start, end) in enumerate(spans):
        if any(start < place < end for place in block.breaks):
            continue  # its two ends, whose list stands in other nodes, are no sentence
        sentence = block.text[start:end]
        last = position == len(spans) - 1
        item = bool(block.lead_in) and last
        if not _WHOLE.search(sentence) and not (item and _OPEN_ITEM.search(sentence)):
            continue
        lead_in = block.lead_in if position == 0 else ""
        flush = block.flush if last else ""
        body = _OPEN_ITEM.sub("" if flush else ".", sentence) if item else sentence
        text = " ".join(" ".join((lead_in, body, flush)).split())
        # The law's own addresses never leave in a claim, so such a sentence is no truth-known case.
        if not is_plain(text):
            continue
        if count_words(sentence) >= MIN_WORDS:
            yield text, sentence


def first_norms(drawn: Sequence[Drawn]) -> list[Norm]:
    """One norm of every drawn section before any section's second: cases from as many sections as there are."""
    most = max((len(one.norms) for one in drawn), default=0)
    return [one.norms[place] for place in range(most) for one in drawn if place < len(one.norms)]
