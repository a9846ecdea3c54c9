"""Answers without a model: whole sentences of C(R), chosen by the words they share with the question, and by whether
they hold what it asks for: an amount, a time, a permission, a duty, a person.

It never paraphrases and never infers. Where no sentence has enough of the question's words, it offers nothing, and
the engine refuses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from rag.draft import Draft, DraftCitation, DraftClaim
from rag.question_needs import asking_words, counted_things, wants_of, worth
from rag.sentences import split_at, split_sentences
from rag.verification_tokens import stem
from retrieval.languages import IDLE_WORDS
from retrieval.model import Block, ScopedContext
from retrieval.synonyms import SynonymHit, normalise_phrase

LABEL = "Extractive answer: verbatim sentences of the law, chosen by word overlap. No language model was used."
ENOUGH = 0.45  # share of the question's words, weighted by rarity, that a sentence must have
LEAST = 2  # things asked about that it must have, where a question names more than one
CLAUSE_LEAST = 3  # a clause that asks about fewer things is too little to answer by itself
SENTENCES = 3
_LOOKED_AT = 20  # first sentences of a provision that was only named
DEFINITIONS = 4
_NEAR = 0.7  # further sentences must come this close to the best one
_OPEN = (":", "—", "-", ",")
_NAMES_BY_CAPITAL = frozenset({"en", "fr", "es", "it", "nl", "pt"})  # in German every noun has a capital
WORD = re.compile(r"\w+")
_CLAUSES = re.compile(r",|;|\b(?:even though|although|though|because|but|since|while|whereas)\b", re.IGNORECASE)
# Two questions in one: "who appoints it and when does that take effect?"
_JOINED = re.compile(
    r"[,;]?\s(?:and|et|und)\s(?=(?:wh\w+|how|may|must|can|do|does|is|are|qui|que|quel\w*|quand|combien|comment|"
    r"wer|wem|wen|was|wann|wie|wo)\b)",
    re.IGNORECASE,
)
_HEADLINE = 120  # characters of a line that may be a headline
_ENDS = re.compile(r"[.!?:;,…。！？：；、—-][\W]*\Z")
_UNCOUNTED = 0.75  # what a sentence is worth that does not name the thing whose amount is asked for
MOST_QUESTIONS = 8  # that one sentence of a scenario is read as
# How a sentence begins that is understood only with the one before it. "It is unlawful" and "this section" are not.
_LEANS = re.compile(
    r"""\A\W*(?:
        (?:but|however|nevertheless|moreover|otherwise|likewise|they|he|she|such)
        | if\s(?:so|not) | in\s(?:that|such|this)\s(?:case|event) | it(?!\s(?:is|shall\sbe)\b)
        | (?:this|that|these|those)(?=\s(?:is|are|does|do|shall|may|must)\b)
        | toutefois | cependant | néanmoins | ils?(?!\s(?:est|y|peut|ne\speut)\b) | elles? | celui-ci | celle-ci
        | dans\sce\scas | à\sdéfaut
        | jedoch | dies(?=\s(?:gilt|ist)\b) | das\sgleiche | in\sdiesem\sfall | in\sdiesen\sfällen | andernfalls
    )\b | \A(?:ただし|この場合)""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Scored:
    """A sentence with its score and the rank of its rule among the entry points, 0 being the first."""

    score: float
    rank: int
    position: int
    block: Block
    sentence: str


@dataclass(frozen=True, slots=True)
class Need:
    """One thing asked about: a word of the question or a phrase with its statutory terms."""

    weight: float
    # Any of these sets of stems meets it; how much a statutory term means the word, as the thesaurus has it.
    forms: tuple[tuple[frozenset[str], float], ...]


def draft_extractive(
    context: ScopedContext,
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float] | None,
    language: str,
    unknown: Sequence[str] = (),
) -> Draft:
    """Choose sentences that answer.

    Args:
        context: an assembled context.
        question: what was asked.
        synonyms: colloquial phrases of the question with their statutory terms.
        rarity: the question's words with their inverse document frequency in the law searched, words that this law
            never uses left out. A rare word that no sentence has weighs against an answer, so that a question about
            something else is refused. None where the question only names a provision: then its own first sentences
            are the answer.
        language: of the law.
        unknown: words of the question that this law never uses.

    Returns:
        Claims whose text is the cited sentence; none where nothing is close enough.
    """
    if rarity is None:
        return _beginning(context, language)
    asked = _asked(question, synonyms, rarity, language)
    # Who types one word asks about that one thing; of a longer question one word says too little.
    least = 1 if len(asked[0]) == 1 and not set(unknown) - IDLE_WORDS else LEAST
    wants = wants_of(question, language)
    things = [one for one in counted_things(question) if one & stems_of(" ".join(rarity))]
    ranks = {urn: rank for rank, urn in enumerate(context.targets)}
    headings = {block.urn: block.heading for block in context.blocks}
    scored: list[_Scored] = []
    for position, block in enumerate(context.blocks):
        if block.role != "rule" or not block.text:
            continue
        around = stems_of(" ".join((block.heading, headings.get(block.parent_urn or "", ""), block.lead_in)))
        for sentence in answering_sentences(block, language):
            if not sentence.rstrip().endswith(_OPEN):  # a lead-in says nothing without what follows it
                own = stems_of(sentence)
                score = max((_coverage(needs, own, around, least) for needs in asked), default=0.0)
                rank = min((ranks.get(urn, len(ranks)) for urn in block.applies_to), default=len(ranks))
                if score >= ENOUGH:
                    score *= worth(sentence, wants, language)
                    score *= 1.0 if all(one & (own | around) for one in things) else _UNCOUNTED
                scored.append(_Scored(round(score, 6), rank, position, block, sentence))
    chosen = _chosen(scored)
    if not chosen:
        return Draft(claims=())
    claims = [claim_of(one.block, _in_company(one.block, one.sentence, language)) for one in chosen]
    claims = [one for one in claims if not any(_within(one, other) for other in claims)]
    rules = {urn for one in chosen for urn in one.block.applies_to}
    claims.extend(_definitions(context, rules, [one.sentence for one in chosen], language))
    return Draft(claims=tuple(dict.fromkeys(claims)))


def _in_company(block: Block, sentence: str, language: str) -> str:
    """A sentence, with those before it that it leans on: "But it may not" says nothing by itself."""
    side = next((one for one in block.sides if sentence in one), sentence)
    sentences = [one for one in block_sentences(block, language) if one in side]
    first = last = sentences.index(sentence)
    while first and _LEANS.search(sentences[first]):
        first -= 1
    return side[side.index(sentences[first]) : side.index(sentence) + len(sentences[last])]


def _within(claim: DraftClaim, other: DraftClaim) -> bool:
    """Whether another claim of the same block says this one and more."""
    mine, theirs = claim.citations[0], other.citations[0]
    return mine.urn == theirs.urn and mine.quote != theirs.quote and mine.quote in theirs.quote


def _chosen(scored: Sequence[_Scored]) -> list[_Scored]:
    """The sentences that answer, best first; a lower-ranked rule's only where it answers better than all above it."""
    best_of = {rank: max(one.score for one in scored if one.rank == rank) for rank in {one.rank for one in scored}}
    above = {rank: max((best for other, best in best_of.items() if other < rank), default=0.0) for rank in best_of}
    kept = sorted(
        (one for one in scored if one.score >= ENOUGH and one.score > above[one.rank]),
        key=lambda one: (-one.score, one.rank, one.position),
    )
    return [one for one in kept[:SENTENCES] if one.score >= kept[0].score * _NEAR]


def _asked(
    question: str, synonyms: Sequence[SynonymHit], rarity: Mapping[str, float], language: str
) -> list[list[Need]]:
    """What the whole question asks, each sentence of it, and each clause that says enough by itself.

    A scenario tells more than it asks; what it tells must not weigh against the answer.
    """
    whole = [question[start:end] for start, end in split_sentences(question, language)]
    sentences = [part for one in whole for part in (one, *_JOINED.split(one)[: MOST_QUESTIONS + 1])]
    clauses = [clause for sentence in whole for clause in _CLAUSES.split(sentence)]
    needs = [_needs(part, synonyms, rarity, language) for part in dict.fromkeys((question, *sentences))]
    inner = (_needs(clause, synonyms, rarity, language) for clause in clauses if clause not in sentences)
    return [*needs, *(one for one in inner if len(one) >= CLAUSE_LEAST)]


def _coverage(needs: Sequence[Need], own: frozenset[str], around: frozenset[str], least: int) -> float:
    """The share of what is asked that a sentence has; 0 where it meets fewer than `least` things."""
    total = sum(need.weight for need in needs)
    shares = [met(need, own, around) for need in needs]
    if sum(one > 0 for one in shares) < least or not total:
        return 0.0
    return sum(need.weight * share for need, share in zip(needs, shares, strict=True)) / total


def _beginning(context: ScopedContext, language: str) -> Draft:
    sentences = (
        (block, sentence)
        for block in context.blocks
        if block.role == "rule" and block.text
        for sentence in answering_sentences(block, language)
    )
    found = list(islice(sentences, _LOOKED_AT))
    # A lead-in says nothing without the items that stand in other nodes, and each of them comes with it.
    said = [one for one in found if not one[1].rstrip().endswith(_OPEN)] or found
    return Draft(claims=tuple(claim_of(block, sentence) for block, sentence in said[:SENTENCES]))


def _needs(question: str, synonyms: Sequence[SynonymHit], rarity: Mapping[str, float], language: str) -> list[Need]:
    return list(named_needs(question, synonyms, rarity, language).values())


def named_needs(
    question: str, synonyms: Sequence[SynonymHit], rarity: Mapping[str, float], language: str
) -> dict[str, Need]:
    """Phrases that have a statutory term, and the other words, each weighing as much as it is rare, as first said."""
    needs: dict[str, Need] = {}
    stems: set[str] = set()
    covered: set[str] = set()
    text = f" {normalise_phrase(question)} "
    facts = asking_words(question)
    for phrase in dict.fromkeys(one.phrase for one in synonyms if not one.is_urn and f" {one.phrase}" in text):
        if facts.intersection(WORD.findall(phrase)):  # "wie lange": what it asks for is weighed by itself
            continue
        targets = [(stems_of(one.target), min(one.weight, 1.0)) for one in synonyms if one.phrase == phrase]
        said = " ".join(word for word in WORD.findall(phrase) if word not in IDLE_WORDS) or phrase
        weight = max((rarity.get(word, 1.0) for word in WORD.findall(phrase)), default=1.0)
        needs[phrase] = Need(weight, ((stems_of(said), 1.0), *targets))
        covered.update(stems_of(phrase))
    if language in _NAMES_BY_CAPITAL:
        facts |= _names_and_figures(question)
    for word in WORD.findall(text):
        one = stem(word)
        if word in rarity and word not in IDLE_WORDS and word not in facts and one not in covered | stems:
            needs[word] = Need(rarity[word], ((frozenset({one}), 1.0),))
            stems.add(one)
    return needs


def _names_and_figures(question: str) -> frozenset[str]:
    """Words that state a fact of the case: names inside a sentence, and numbers. No law is missing for lack of them."""
    words = re.findall(r"(?<![.!?\n])[ \t]+([^\W\d_][\w'’-]*)|(\d[\d.,]*)", question)
    names = {part.lower() for name, _ in words if name[:1].isupper() for part in WORD.findall(name)}
    return frozenset(names | {part for _, figure in words for part in WORD.findall(figure)})


def met(need: Need, own: frozenset[str], around: frozenset[str]) -> float:
    """1 where the sentence has the words, half where only its lead-in and headings complete them."""
    if any(form <= own for form, _ in need.forms):
        return 1.0
    return 0.5 if any(form and form <= own | around for form, _ in need.forms) else 0.0


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words, in lower case."""
    return frozenset(stem(word) for word in WORD.findall(text.lower()))


def claim_of(block: Block, sentence: str) -> DraftClaim:
    """A claim that is the sentence; the block's first comes after its lead-in, its last before its flush text."""
    parts = (
        block.lead_in if block.text.startswith(sentence) else "",
        sentence,
        block.flush if block.text.rstrip().endswith(sentence.rstrip()) else "",
    )
    return DraftClaim(" ".join(part for part in parts if part), (DraftCitation(block.urn, sentence),))


def _definitions(context: ScopedContext, rules: set[str], sentences: Sequence[str], language: str) -> list[DraftClaim]:
    """What the defined terms in the chosen sentences mean for their rules, in the order the terms appear.

    An entry that only points to where the meaning is given says nothing by itself and is no claim.
    """
    text = " ".join(sentences).lower()
    blocks = {block.urn: block for block in context.blocks if block.role == "definition" and block.text}
    found: list[tuple[int, str, Block, str]] = []
    for one in context.definitions:
        if one.relation == "reference" or not rules.intersection(one.applies_to):
            continue
        match = re.search(rf"\b{re.escape(one.term.lower())}(?:e?s)?\b", text)
        if match and one.urn in blocks:
            found.append((match.start(), one.urn, blocks[one.urn], normalise_phrase(one.term)))
    claims: list[DraftClaim] = []
    for _, _, block, term in sorted(found, key=lambda one: (one[0], one[1]))[:DEFINITIONS]:
        first = next(iter(block_sentences(block, language)), "")
        # An entry of which only its term is its own, and the meaning stands in its parts, is no sentence.
        if first and not first.rstrip().endswith(_OPEN) and normalise_phrase(first) != term:
            claims.append(claim_of(block, first))
    return claims


def answering_sentences(block: Block, language: str) -> list[str]:
    """A block's sentences without headlines: short lines of their own that end without a mark, where others do not.

    A plain document's title stands in its text; it has the question's words and says nothing.
    """
    sentences = block_sentences(block, language)
    lines = {line.strip() for line in block.text.split("\n")}
    kept = [one for one in sentences if _ENDS.search(one) or len(one) > _HEADLINE or one.strip() not in lines]
    return kept if any(_ENDS.search(one) for one in kept) else sentences


def block_sentences(block: Block, language: str) -> list[str]:
    """A block's sentences; none runs from its lead-in into the words after its list."""
    breaks = sentence_breaks(block)
    return [
        block.text[start:end]
        for span in split_sentences(block.text, language)
        for start, end in split_at(block.text, span, breaks)
    ]


def sentence_breaks(block: Block) -> tuple[int, ...]:
    """Offsets in a block's text that no sentence runs across.

    A lead-in and the words after its list are one text, but not one sentence, unless the latter go on in lower case.
    """
    start = block.after_children
    return () if start is None or block.text[start : start + 1].islower() else (start,)
