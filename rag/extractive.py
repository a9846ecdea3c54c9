"""Answers without a model: whole sentences of C(R), chosen by the words they share with the question.

It never paraphrases and never infers. Where no sentence has enough of the question's words, it offers nothing, and
the engine refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from rag.draft import Draft, DraftCitation, DraftClaim
from rag.sentences import split_sentences
from rag.verification_tokens import stem
from retrieval.model import Block, ScopedContext
from retrieval.synonyms import SynonymHit, normalise_phrase

LABEL = "Extractive answer: verbatim sentences of the law, chosen by word overlap. No language model was used."
ENOUGH = 0.45  # share of the question's words, weighted by rarity, that a sentence must have
SENTENCES = 3
DEFINITIONS = 4
_NEAR = 0.7  # further sentences must come this close to the best one
_OPEN = (":", "—", "-", ",")
_WORD = re.compile(r"\w+")
# Words of questions that say nothing of the matter asked about.
_IDLE_WORDS = """
a about above after all also am an and any are as at be been being but by can could did do does doing don for from get
gets got had has have having he her here him his how i if in into is it its just let me my never no not of on one only
or our out own please she should so some still such t tell than that the their them then there they this to too told up
us was we were what when where whether which while who whom whose why will with without would you your yours ever law
legal rule rules right rights
"""
_IDLE = frozenset(_IDLE_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Need:
    """One thing asked about: a word of the question or a phrase with its statutory terms."""

    weight: float
    forms: tuple[frozenset[str], ...]  # any of these sets of stems meets it


def draft_extractive(
    context: ScopedContext,
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float],
    language: str,
) -> Draft:
    """Choose sentences that answer.

    Args:
        context: an assembled context.
        question: what was asked.
        synonyms: colloquial phrases of the question with their statutory terms.
        rarity: the question's words with their inverse document frequency in the law searched. A rare word that
            no sentence has weighs against an answer, so that a question about something else is refused. Empty
            where the question only names a provision: then its own first sentences are the answer.
        language: of the law.

    Returns:
        Claims whose text is the cited sentence; none where nothing is close enough.
    """
    if not rarity:
        return _beginning(context, language)
    needs = _needs(question, synonyms, rarity)
    total = sum(need.weight for need in needs)
    if not total:
        return Draft(claims=())
    headings = {block.urn: block.heading for block in context.blocks}
    scored: list[tuple[float, int, Block, str]] = []
    for position, block in enumerate(context.blocks):
        if block.role != "rule" or not block.text:
            continue
        around = _stems(" ".join((block.heading, headings.get(block.parent_urn or "", ""), block.lead_in)))
        for start, end in split_sentences(block.text, language):
            if block.text[start:end].rstrip().endswith(_OPEN):
                continue  # a lead-in says nothing without what follows it
            own = _stems(block.text[start:end])
            score = sum(need.weight * _met(need, own, around) for need in needs) / total
            scored.append((round(score, 6), position, block, block.text[start:end]))
    scored.sort(key=lambda one: (-one[0], one[1]))
    if not scored or scored[0][0] < ENOUGH:
        return Draft(claims=())
    best = scored[0][0]
    chosen = [one for one in scored[:SENTENCES] if one[0] >= max(ENOUGH, best * _NEAR)]
    claims = [_claim(block, sentence) for _, _, block, sentence in chosen]
    claims.extend(_definitions(context, [sentence for *_, sentence in chosen], language))
    return Draft(claims=tuple(dict.fromkeys(claims)))


def _beginning(context: ScopedContext, language: str) -> Draft:
    sentences = (
        (block, block.text[start:end])
        for block in context.blocks
        if block.role == "rule" and block.text
        for start, end in split_sentences(block.text, language)
    )
    return Draft(claims=tuple(_claim(block, sentence) for block, sentence in islice(sentences, SENTENCES)))


def _needs(question: str, synonyms: Sequence[SynonymHit], rarity: Mapping[str, float]) -> list[_Need]:
    needs: dict[str, _Need] = {}
    covered: set[str] = set()
    for phrase in dict.fromkeys(one.phrase for one in synonyms if not one.is_urn):
        targets = [one.target for one in synonyms if one.phrase == phrase]
        forms = tuple(_stems(text) for text in (phrase, *targets))
        words = _WORD.findall(phrase)
        needs[phrase] = _Need(max((rarity.get(word, 1.0) for word in words), default=1.0), forms)
        covered.update(_stems(phrase))
    for word in _WORD.findall(normalise_phrase(question)):
        one = stem(word)
        if word in rarity and word not in _IDLE and one not in covered:
            needs.setdefault(one, _Need(rarity[word], (frozenset({one}),)))
    return list(needs.values())


def _met(need: _Need, own: frozenset[str], around: frozenset[str]) -> float:
    """1 where the sentence has the words, half where only its lead-in and headings complete them."""
    if any(form <= own for form in need.forms):
        return 1.0
    return 0.5 if any(form and form <= own | around for form in need.forms) else 0.0


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text.lower()))


def _claim(block: Block, sentence: str) -> DraftClaim:
    parts = (block.lead_in, sentence, block.flush)
    return DraftClaim(" ".join(part for part in parts if part), (DraftCitation(block.urn, sentence),))


def _definitions(context: ScopedContext, sentences: Sequence[str], language: str) -> list[DraftClaim]:
    """What the defined terms in the chosen sentences mean, in the order the terms appear."""
    text = " ".join(sentences).lower()
    blocks = {block.urn: block for block in context.blocks if block.role == "definition" and block.text}
    found: list[tuple[int, str, Block]] = []
    for one in context.definitions:
        match = re.search(rf"\b{re.escape(one.term.lower())}(?:e?s)?\b", text)
        if match and one.urn in blocks:
            found.append((match.start(), one.urn, blocks[one.urn]))
    claims: list[DraftClaim] = []
    for _, _, block in sorted(found, key=lambda one: (one[0], one[1]))[:DEFINITIONS]:
        spans = split_sentences(block.text, language)
        if spans and not block.text[spans[0][0] : spans[0][1]].rstrip().endswith(_OPEN):
            claims.append(_claim(block, block.text[spans[0][0] : spans[0][1]]))
    return claims
