"""Answers without a model: whole sentences of C(R), chosen by the words they share with the question, and by whether
they hold what it asks for: an amount, a time, a permission, a duty, a person.

It never paraphrases and never infers. Where no sentence has enough of the question's words, it offers nothing, and
the engine refuses.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from rag.answering.answer import NO_MODEL
from rag.answering.extractive.clauses import LACKS, MATTER, Asked, asked_of, takes_up
from rag.answering.extractive.kinds import counted_things, wants_of, worth
from rag.answering.extractive.matter import LEAST, MEANS, Need, met, named_needs
from rag.answering.lists import opened, whole
from rag.answering.meanings import governing
from rag.jurisdictions.citing import cited_as
from rag.languages.base import Language, Want
from rag.languages.registry import language_of, term_rules
from rag.languages.sentences import sentences_of, split_at, split_sentences
from rag.languages.stems import WORD, stems_of
from rag.law.term_uses import TermIndex
from rag.verification.draft import Draft, DraftClaim
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.model import Block, ScopedContext
from retrieval.paths import parse_urn

LABEL = f"Extractive answer: verbatim sentences of the law, chosen by word overlap. {NO_MODEL}"
NOTHING_NEAR = "Not sure: no sentence of the rules found has enough words of the question."
CAREFUL = "It may be about something else; read it as a place to look."
ENOUGH = 0.45  # share of the question's words, weighted by rarity, that a sentence must have
NAMED_WORDS = 8  # words of a question that are named one by one
CLAUSE_LEAST = 3  # a clause that asks about fewer things is too little to answer by itself
SENTENCES = 3
_COMPARED = 12  # sentences, best first, that are compared with the question clause by clause
_ALL_READ = 100  # sentences of a block that are all read for the kind of answer that they give
LONGEST_RULE = 4_000  # characters that are told of a provision that was only named
DEFINITIONS = 4
LONGEST_LIST = 2_000  # characters of a sentence or a meaning with its list; a longer one is for the context to tell
_AS_GOOD = 0.85  # a rule whose best sentence comes this close to the best one may be the one that governs the case
_NEAR = 0.7  # further sentences must come this close to the best one
_QUOTES = "“”\"‘’'«»‹›„‚「」『』"
_OPEN = (":", "—", "-", ",")
_HEADLINE = 120  # characters of a line that may be a headline
_ENDS = re.compile(r"[.!?:;,…。！？：；、—-][\W]*\Z")
_UNCOUNTED = 0.75  # what a sentence is worth that does not name the thing whose amount is asked for
_EXPLAINS = 0.8  # what a recital's sentence is worth, which explains a rule and is none
_AMENDS = 0.4  # and one that only tells how another text is amended: less than enough
MOST_QUESTIONS = 8  # that one sentence of a scenario is read as


@dataclass(frozen=True, slots=True)
class Scored:
    """A sentence with its score and the rank of its rule among the entry points, 0 being the first."""

    score: float
    rank: int
    position: int
    block: Block
    sentence: str
    opened: DraftClaim | None = None  # the list that it opens, whole
    has_enough: bool = False  # of the question's words


def draft_extractive(
    context: ScopedContext,
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float] | None,
    language: str,
    unknown: Sequence[str] = (),
    *,
    any_rule: bool = False,
    request: str = "",
) -> Draft:
    """Choose sentences that answer.

    Args:
        synonyms: colloquial phrases of the question with their statutory terms.
        rarity: the question's words with their inverse document frequency in the law searched, words that this law
            never uses left out. A rare word that no sentence has weighs against an answer, so that a question about
            something else is refused. None where the question only names a provision: then its own first sentences
            are the answer.
        unknown: words of the question that this law never uses.
        any_rule: whether the rule that answers best is chosen; else the one that was found first.
        request: the question with the provisions that it names, where `question` is without them.

    Returns:
        Claims whose text is the cited sentence, all of the rule found first; none where nothing of it is close enough.
    """
    if rarity is None:
        return _beginning(context, language)
    scored = scored_sentences(context, question, synonyms, rarity, language, unknown)
    # Recitals explain: an article that was found behind one is the rule.
    rules_found = [scored_block for scored_block in scored if not is_recital(scored_block.block.urn)]
    best = max(rules_found, key=lambda one: (one.score if any_rule else 0.0, -one.rank), default=None)
    first = best.rank if best is not None else 0
    asked = asked_of(question, synonyms, rarity, unknown, language, request)

    def told(one: Scored, *, taking_up: bool = False) -> DraftClaim:
        sentence = in_company(one.block, one.sentence, language, taking_up=taking_up)
        return one.opened or whole(one.block, sentence, context.blocks, language)

    def read(one: Scored) -> tuple[Scored, DraftClaim, str]:
        """A sentence as it is told, and what it lacks: with those that its noun takes up where it needs them."""
        claim, more = told(one), told(one, taking_up=True)
        lack = min((part.lacks(claim.text) for part in asked), key=LACKS.index, default=LACKS[-1])
        if lack == MATTER and more.text.endswith(claim.text) and more.text != claim.text:
            before = more.text.removesuffix(claim.text)
            if not all(part.lacks(claim.text, before) for part in asked):
                return one, more, ""
        return one, claim, lack

    ranked = _ranked([scored_block for scored_block in scored if scored_block.rank == first])
    # Sentences that say all of it come alone: what limits them is added, and the others are about something else.
    readings = [read(one) for one in ranked[:_COMPARED]]
    full = [one for one, _, lack in readings if not lack]
    as_told = {(one.block.urn, one.sentence): claim for one, claim, _ in readings}
    chosen = full[:SENTENCES] or _near(ranked)
    if not chosen:
        return Draft((), unsure=NOTHING_NEAR)
    unsure = ""
    if not full and asked:
        why = readings[0][2]
        if why == MATTER:
            missing = min((part.missing(told(ranked[0]).text) for part in asked), key=len)
            why = f"{MATTER}; the nearest lacks {listed(missing)}"
        unsure = f"Not sure: {why}. {CAREFUL}"
    others = _ranked([one for one in scored if one.rank != first])[:_COMPARED] if full and not unsure else []
    alone = bool(full) and all(lack == MATTER for _, _, lack in map(read, others))
    if not unsure and (rival := _rival(scored, [as_told[one.block.urn, one.sentence].text for one in full], asked)):
        unsure = f"Not sure: {cited_as(rival) or rival} is as near and gives another figure. {CAREFUL}"
    claims: list[DraftClaim] = []
    for scored_block in chosen:
        said = as_told[scored_block.block.urn, scored_block.sentence]
        if scored_block.opened is None or not any(_within(claim, said) for claim in claims):  # an item answers better
            claims.append(said)
    claims = [claim for claim in claims if not any(_within(claim, other) for other in claims)]
    claims.extend(_definitions(context, chosen, language))
    return Draft.of_claims(dict.fromkeys(claims), others=_nearly_as_good(scored, chosen), unsure=unsure, alone=alone)


def scored_sentences(
    context: ScopedContext,
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float],
    language: str,
    unknown: Sequence[str] = (),
    roles: Collection[str] = ("rule",),
) -> list[Scored]:
    """Every sentence of the rules of a context with its score, in the order of the context; see `draft_extractive`.

    With other `roles` those of the blocks that have them.
    """
    known = language_of(language)
    asked = _asked(question, synonyms, rarity, known)
    # Who types one word asks about that one thing; of a longer question one word says too little.
    told = {word for synonym in synonyms if synonym.weight >= MEANS for word in WORD.findall(synonym.phrase)}
    least = 1 if len(asked[0]) == 1 and not set(unknown) - known.idle - told else LEAST
    wants = wants_of(question, language)
    things = [stems for stems in counted_things(question, known) if stems & stems_of(" ".join(rarity), known)]
    ranks = {urn: rank for rank, urn in enumerate(context.targets)}
    headings = {block.urn: block.heading for block in context.blocks}
    scored: list[Scored] = []
    for position, block in enumerate(context.blocks):
        if block.role not in roles or not block.text:
            continue
        around = stems_of(" ".join((block.heading, headings.get(block.parent_urn or "", ""), block.lead_in)), known)
        rank = min((ranks.get(urn, len(ranks)) for urn in block.applies_to), default=len(ranks))
        before_list = block.sides[0].rstrip()
        found: list[Scored] = []
        for sentence in answering_sentences(block, language):
            opens = before_list.endswith(sentence.rstrip()) and opened(block, sentence, context.blocks)
            listing = whole(block, sentence, context.blocks, language) if opens else None
            listed = listing.text if listing is not None else ""
            # A lead-in says nothing without what follows it; it answers where it has the words, with its whole list.
            if len(listed) > LONGEST_LIST or (listing is None and sentence.rstrip().endswith(_OPEN)):
                continue
            own, near = stems_of(sentence, known), around | stems_of(listed, known)
            score = max((_coverage(needs, own, near, least) for needs in asked), default=0.0)
            has_enough = score >= ENOUGH
            if has_enough:
                score *= 1.0 if all(thing & (own | near) for thing in things) else _UNCOUNTED
                score *= _EXPLAINS if is_recital(block.urn) else 1.0
                score *= _AMENDS if known.limits.amending.search(sentence) else 1.0
            found.append(Scored(round(score, 6), rank, position, block, sentence, listing, has_enough))
        scored += _weighed(found, wants, language)
    return scored


def _weighed(found: Sequence[Scored], wants: frozenset[Want], language: str) -> list[Scored]:
    """The sentences of one block, those with enough of the question's words scored by the kind of answer they give too.

    To find that out a sentence is read word by word. Of a block of thousands only as many are read as it takes to know
    the best, since what a sentence is worth never raises its score.
    """
    out = [*found]
    best: list[float] = []
    ranked = sorted((place for place, one in enumerate(found) if one.has_enough), key=lambda at: -found[at].score)
    for read, place in enumerate(ranked):
        one = found[place]
        if read >= _ALL_READ and best[-1] >= one.score:
            break
        said = one.opened.text if one.opened is not None else one.sentence
        out[place] = replace(one, score=round(one.score * worth(said, wants, language), 6))
        best = sorted((*best, out[place].score), reverse=True)[:SENTENCES]
    return out


def _nearly_as_good(scored: Sequence[Scored], chosen: Sequence[Scored]) -> tuple[str, ...]:
    """The best sentence's place in each rule that answers nearly as well as those chosen, and none of whose is."""
    told = {choice.rank for choice in chosen}
    best: dict[int, Scored] = {}
    for candidate in scored:
        near = candidate.score >= ENOUGH and candidate.score >= chosen[0].score * _AS_GOOD
        if (
            near
            and candidate.rank not in told
            and (candidate.rank not in best or candidate.score > best[candidate.rank].score)
        ):
            best[candidate.rank] = candidate
    return tuple(best[rank].block.urn for rank in sorted(best))


def in_company(block: Block, sentence: str, language: str, *, taking_up: bool = False) -> str:
    """A sentence, with those before it that it leans on: "But it may not" says nothing by itself.

    With `taking_up` those too whose noun it takes up; see `clauses.takes_up`.
    """
    known = language_of(language)
    phrases = known.limits
    side = next((side for side in block.sides if sentence in side), sentence)
    sentences = block_sentences(block, language)
    if len(side) < len(block.text):  # else all are of it, and to look for each takes minutes in a provision of 6 MB
        sentences = [text for text in sentences if text in side]
    first = last = sentences.index(sentence)
    while first and (
        phrases.leans.search(sentences[first])
        or phrases.changes.search(sentences[first])
        or (taking_up and takes_up(sentences[first], sentences[first - 1], known))
    ):
        first -= 1
    return side[side.index(sentences[first]) : side.index(sentence) + len(sentences[last])]


def _within(claim: DraftClaim, other: DraftClaim) -> bool:
    """Whether another claim says this one and more: a longer part of the block, or the list that it is an item of."""
    return claim.text != other.text and all(
        any(mine.urn == theirs.urn and mine.quote in theirs.quote for theirs in other.citations)
        for mine in claim.citations
    )


def _rival(scored: Sequence[Scored], served: Sequence[str], asked: Sequence[Asked]) -> str:
    """The URN of a provision that may answer instead, with another figure of the kind asked for; empty without one."""
    for one in scored:
        if any(one.sentence in text for text in served):
            continue
        text = " ".join((one.block.lead_in, one.sentence))
        if any(part.is_rivalled(served, text) for part in asked):
            return one.block.urn
    return ""


def _ranked(scored: Sequence[Scored]) -> list[Scored]:
    """The sentences that have enough of the question, best first."""
    kept = (one for one in scored if one.score >= ENOUGH)
    return sorted(kept, key=lambda one: (-one.score, one.position))


def _near(ranked: Sequence[Scored]) -> list[Scored]:
    """The best sentences, those that come near the first."""
    return [one for one in ranked[:SENTENCES] if one.score >= ranked[0].score * _NEAR]


def _asked(
    question: str, synonyms: Sequence[SynonymHit], rarity: Mapping[str, float], language: Language
) -> list[list[Need]]:
    """What the whole question asks, each sentence of it, and each clause that says enough by itself.

    A scenario tells more than it asks; what it tells must not weigh against the answer.
    """
    whole = [question[start:end] for start, end in split_sentences(question, language.code)]
    words = language.questions
    sentences = [part for word in whole for part in (word, *words.joined.split(word)[: MOST_QUESTIONS + 1])]
    clauses = [clause for sentence in whole for clause in words.clauses.split(sentence)]
    needs = [_needs(part, synonyms, rarity, language) for part in dict.fromkeys((question, *sentences))]
    inner = (_needs(clause, synonyms, rarity, language) for clause in clauses if clause not in sentences)
    return [*needs, *(group for group in inner if len(group) >= CLAUSE_LEAST)]


def _coverage(needs: Sequence[Need], own: frozenset[str], around: frozenset[str], least: int) -> float:
    """The share of what is asked that a sentence has; 0 where it meets fewer than `least` things."""
    total = sum(need.weight for need in needs)
    shares = [met(need, own, around) for need in needs]
    if sum(need.things for need, one in zip(needs, shares, strict=True) if one > 0) < least or not total:
        return 0.0
    return sum(need.weight * share for need, share in zip(needs, shares, strict=True)) / total


def _beginning(context: ScopedContext, language: str) -> Draft:
    """The rules of a context in the order of the law, as many of their sentences as there is room for."""
    claims: list[DraftClaim] = []
    openings: list[DraftClaim] = []
    left: dict[str, None] = {}
    for block in context.blocks:
        if block.role != "rule" or not block.text:
            continue
        for sentence in answering_sentences(block, language) if not left else ():
            said = whole(block, sentence, context.blocks, language)
            if said in claims or any(_within(said, other) for other in claims):
                continue
            if said.text.rstrip().endswith(_OPEN):  # a lead-in says nothing without the items that are in other nodes
                openings.append(said)
            elif claims and sum(len(claim.text) for claim in claims) + len(said.text) > LONGEST_RULE:
                left[block.urn] = None
                break
            else:
                claims.append(said)
        told = any(citation.urn == block.urn for claim in claims for citation in claim.citations)
        left |= {block.urn: None} if left and not told else {}
    return Draft.of_claims(claims or openings, left=tuple(left))


def _needs(
    question: str, synonyms: Sequence[SynonymHit], rarity: Mapping[str, float], language: Language
) -> list[Need]:
    return list(named_needs(question, synonyms, rarity, language).values())


def _definitions(context: ScopedContext, chosen: Sequence[Scored], language: str) -> list[DraftClaim]:
    """What the defined terms in the chosen sentences mean there, in the order the terms appear.

    A meaning that is in a list comes with all of it. An entry that only points to where the meaning is given says
    nothing by itself and is no claim.
    """
    # A section that defines its own terms has them as parts of the rule.
    blocks = {block.urn: block for block in context.blocks if block.role in ("definition", "rule") and block.text}
    comparing = term_rules(language)
    found: dict[tuple[str, str], Block] = {}  # by term and URN
    for choice in chosen:
        entries: dict[str, dict[str, Block]] = {}
        for definition in governing(context, choice.block):
            if definition.urn in blocks:
                term = comparing.normalise(definition.term)
                entries.setdefault(term, {})[definition.urn] = blocks[definition.urn]
        for _, _, term in TermIndex(entries, comparing).find(choice.sentence):
            found.update(((term, urn), block) for urn, block in sorted(entries[term].items()))
    claims: list[DraftClaim] = []
    for (term, _), block in islice(found.items(), DEFINITIONS):
        sentences = answering_sentences(block, language)  # a chunk begins with its headline
        own = TermIndex((term,), comparing)
        naming = (sentence for sentence in sentences if own.find(sentence, heading=True))
        first = next(naming, next(iter(sentences), ""))
        if not first:
            continue
        said = whole(block, first, context.blocks, language)
        # An entry of which only its term is its own, or whose list is not in the context, says no meaning.
        if said.text.rstrip().endswith(_OPEN) or comparing.normalise(said.text) == term:
            continue
        if len(said.text) <= LONGEST_LIST:
            claims.append(said)
    return claims


def listed(words: Sequence[str]) -> str:
    """Words in quotes, the first eight, and how many more there are."""
    more = f" and {len(words) - NAMED_WORDS} more" if len(words) > NAMED_WORDS else ""
    return ", ".join(f"“{word}”" for word in words[:NAMED_WORDS]) + more


def is_recital(urn: str) -> bool:
    """Whether a URN is a recital's, of an act of the European Union or one made like it: `...:rec.54`."""
    return any(part.startswith("rec.") for part in parse_urn(urn).segments)


def answering_sentences(block: Block, language: str) -> list[str]:
    """A block's sentences without headlines: short lines of their own that end without a mark, where others do not.

    A plain document's title is in its text; it has the question's words and says nothing.
    """
    sentences = block_sentences(block, language)
    lines = {line.strip() for line in block.text.split("\n")}
    kept = [
        sentence
        for sentence in sentences
        if _ENDS.search(sentence) or len(sentence) > _HEADLINE or sentence.strip() not in lines
    ]
    return kept if any(_ENDS.search(candidate) for candidate in kept) else sentences


def block_sentences(block: Block, language: str) -> list[str]:
    """A block's sentences; none runs from its lead-in into the words after its list."""
    breaks = sentence_breaks(block)
    return [
        block.text[start:end]
        for span in sentences_of(block.text, language)
        for start, end in split_at(block.text, span, breaks)
    ]


def sentence_breaks(block: Block) -> tuple[int, ...]:
    """Offsets in a block's text that no sentence runs across: a lead-in and the words after its list are one text, but
    not one sentence.
    """
    return () if block.after_children is None else (block.after_children,)


# --- the answer to a question for what a term means: the sentence that defines it, of each definition found -----------


def draft_meaning(context: ScopedContext, term: str, language: str) -> Draft:
    """The defining sentence of each rule of a context, whole with its list.

    Args:
        context: its targets are nodes that define the term.
        term: normalised.
        language: of the law.
    """
    claims: list[DraftClaim] = []
    for rule in dict.fromkeys(context.targets):
        own = [block for block in context.blocks if block.role == "rule" and block.text and _lies_in(block.urn, rule)]
        defining = ((block, text) for block in own if (text := _defining(block, term, language)))
        block, sentence = next(defining, (None, ""))
        if block is not None:
            claims.append(whole(block, sentence, context.blocks, language))
    return Draft.of_claims(dict.fromkeys(claims))


def _lies_in(urn: str, rule: str) -> bool:
    return f"{urn}:".startswith(f"{rule}:")


def _defining(block: Block, term: str, language: str) -> str:
    """The sentence of a block that defines the term, else the first that names it, else the first.

    One that defines a term has it in quotation marks, or begins as definitions do.
    """
    sentences = answering_sentences(block, language)
    index, defines = TermIndex((term,), term_rules(language)), language_of(language).lists.defines
    uses = {sentence: index.find(sentence, heading=True) for sentence in sentences}
    naming = [sentence for sentence in sentences if uses[sentence]]
    quoting = [one for one in naming if any(_quoted(one, start, end) for start, end, _ in uses[one])]
    defining = [one for one in naming if defines.search(one)]
    return next(iter([*quoting, *defining, *naming, *sentences]), "")


def _quoted(text: str, start: int, end: int) -> bool:
    before, after = text[:start].rstrip()[-1:], text[end:].lstrip()[:1]
    return bool(before and after) and before in _QUOTES and after in _QUOTES
