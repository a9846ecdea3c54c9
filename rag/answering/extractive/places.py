"""Places to look: the rules found for a question, best first, each with the one sentence of it that comes nearest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import mul

from rag.answering.answer import Place
from rag.answering.citations import citation_of
from rag.answering.extractive.clauses import takes_back
from rag.answering.extractive.draft import Scored, answering_sentences, in_company, scored_sentences
from rag.answering.extractive.kinds import asking_words
from rag.answering.lists import claim_of, whole
from rag.answering.refusals import heading_over
from rag.languages.registry import language_of
from rag.languages.stems import WORD, stems_of
from retrieval.entry_points.finding import QuestionVector
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.errors import ProviderError
from retrieval.model import Block, ScopedContext
from retrieval.providers.embedding import Embedder
from retrieval.providers.packaged_embedding import PackagedEmbedder

MOST = 3
MOST_COMPARED = 12  # sentences of a rule that are compared by their meaning
# What all of the question's words in a sentence are worth beside its similarity. Of 66 rules found for questions of two
# development sets 15 show another sentence than where words that tell decide: of these 8 a better one, 3 a worse one.
WORDS = 0.25
LONGEST = 1_200  # characters of a sentence with its list; of a longer one the sentence alone is shown
_REST = 300  # characters of the sentences beside the one shown
_TURNED = 700  # the same where one takes it back
_UNSHARED = "found by a synonym or by its meaning; it shares no word with the question"
_OPEN = (":", "：", "—", "–")  # how words end that lead into a list
_NAMED = 4  # words that the question and a sentence share, as they are named

Likeness = Callable[[Sequence[str]], Sequence[float]]  # of sentences to a question: more is nearer


def places_of(
    context: ScopedContext,
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float] | None,
    language: str,
    likeness: Likeness | None = None,
    *,
    asked_on: bool = False,
) -> list[Place]:
    """The first rules of a context as places to look.

    Args:
        context: an assembled context; its targets are in the order in which they were found.
        synonyms: colloquial phrases of the question with their statutory terms.
        rarity: the question's words with their inverse document frequency; None where it only names a provision.
        likeness: how near sentences are to the question by their meaning; None where words alone are compared.
        asked_on: whether the question goes on about the rules, so that it may be about what limits them as well.

    Returns:
        At most three, in the order of the targets; a rule of which no text is in the context is left out. Of a question
        that goes on about them, the nearest provisions among the rules and their exceptions.
    """
    roles = ("rule", "exception") if asked_on else ("rule",)
    scored = scored_sentences(context, question, synonyms, rarity or {}, language, roles=roles)
    rules = list(dict.fromkeys(context.targets))
    if asked_on:
        rules = list(dict.fromkeys(one.block.urn for one in _nearest_first(scored, likeness)))
    out: list[Place] = []
    for rule in rules:
        # What is shown for one rule is not shown again for another that contains it, or that it serves.
        told = {place.urn for place in out}
        around = [
            scored_block
            for scored_block in scored
            if scored_block.block.urn not in told
            and (rule in scored_block.block.applies_to or rule == scored_block.block.urn)
        ]
        own = [scored_block for scored_block in around if f"{scored_block.block.urn}:".startswith(f"{rule}:")] or around
        if not own:
            continue
        own = _nearest_first(own, likeness)
        best, sentence, rest = _shown(own, context, language)
        heading = heading_over(context, best.block.urn)
        out.append(
            Place(
                urn=best.block.urn,
                citation=citation_of(best.block.urn, context),
                heading=heading,
                path=path_of(context, rule).removesuffix(f" > {heading}"),
                sentence=sentence,
                why=_why(question, best.sentence, rule, context, language),
                rest=rest,
            )
        )
        if len(out) == MOST:
            break
    speaking = [place for place in out if shares(place)] if asked_on else []
    return speaking or out


def shares(place: Place) -> bool:
    """Whether a place has a word of the question that tells what it is about."""
    return place.why != _UNSHARED


def likeness_to(question: QuestionVector, embedder: Embedder | None, language: str) -> Likeness | None:
    """How near sentences are to a question, by an embedder that is on this machine; None where there is none."""
    vector = question.vector
    if vector is None or not isinstance(embedder, PackagedEmbedder):
        return None
    encoder = embedder.in_language(language)

    def likeness(sentences: Sequence[str]) -> list[float]:
        try:
            vectors = encoder.embed(sentences).vectors
        except ProviderError:
            return [0.0] * len(sentences)  # in the order of their words then
        return [sum(map(mul, vector, other)) / (math.hypot(*other) or 1.0) for other in vectors]

    return likeness


def _nearest_first(scored: Sequence[Scored], likeness: Likeness | None) -> list[Scored]:
    """Sentences by their meaning below their heading and lead-in, and by the words that they share with the question.

    Where nothing is compared by meaning, by the words alone.
    """
    ranked = sorted(scored, key=lambda candidate: (-candidate.score, candidate.position))
    if likeness is None or len(ranked) == 1:
        return ranked
    compared = ranked[:MOST_COMPARED]
    texts = [(candidate.block.heading, candidate.block.lead_in, candidate.sentence) for candidate in compared]
    near = likeness([" ".join(filter(None, parts)) for parts in texts])
    worth = [nearness + WORDS * candidate.score for nearness, candidate in zip(near, compared, strict=True)]
    together = sorted(zip(worth, compared, strict=True), key=lambda pair: (-pair[0], pair[1].position))
    return [*(candidate for _, candidate in together), *ranked[MOST_COMPARED:]]


def _shown(scored: Sequence[Scored], context: ScopedContext, language: str) -> tuple[Scored, str, str]:
    """The first sentence that says something, whole with its list, or after those that it leans on, and what is beside.

    Of a list that is too long it is an item.
    """
    for one in scored:
        said = whole(one.block, one.sentence, context.blocks, language)
        if len(said.citations) == 1:
            company = in_company(one.block, one.sentence, language)
            said = whole(one.block, company, context.blocks, language)
            if len(said.text) <= LONGEST:
                return one, said.text, _beside(one.block, company, language)
        elif len(said.text) <= LONGEST:
            return one, said.text, ""
        if not one.sentence.endswith(_OPEN):
            return one, _alone(one, language), ""
    return scored[0], _alone(scored[0], language), ""


def _beside(block: Block, shown: str, language: str) -> str:
    """What a provision says behind the words shown, in whole sentences; where they are its last, what it says before.

    As much as is short, for the next sentence may be the other case; more where one takes back what is shown.
    """
    side = next((side for side in block.sides if shown in side), "")
    start, end = side.find(shown), side.find(shown) + len(shown)
    sentences, place = list[tuple[int, int]](), 0
    for sentence in answering_sentences(block, language):
        if (at := side.find(sentence, place)) >= 0:
            place = at + len(sentence)
            sentences.append((at, place))
    first = last = end
    for at, stop in (span for span in sentences if span[0] >= end):
        turned = takes_back(side[at:stop], language)
        if side[at:stop].endswith(_OPEN) or stop - end > (_TURNED if turned else _REST):
            break
        first, last = end, stop
    if last == end:
        first = last = start
        for at, stop in reversed([span for span in sentences if span[1] <= start]):
            if side[at:stop].endswith(_OPEN) or start - at > _REST:
                break
            first = at
    return side[first:last].strip()


def _alone(one: Scored, language: str) -> str:
    return claim_of(one.block, one.sentence, language).text


def path_of(context: ScopedContext, urn: str) -> str:
    """The headings of what contains a rule, outermost first: `Real Property. > Rental Housing. > Security deposits.`"""
    above = [
        block for block in context.blocks if block.role == "ancestor" and urn in block.applies_to and block.heading
    ]
    return " > ".join(block.heading for block in above)


def _why(question: str, sentence: str, rule: str, context: ScopedContext, language: str) -> str:
    known = language_of(language)
    headings = " ".join(block.heading for block in context.blocks if rule in block.applies_to and block.role == "rule")
    stems = stems_of(f"{sentence} {headings}", known)
    beside = known.idle | asking_words(question, known)
    words = dict.fromkeys(WORD.findall(question.lower()))
    asked = [word for word in words if word not in beside and not (len(word) == 1 and word.isascii())]  # "landlord's"
    shared = [word for word in asked if stems_of(word, known) & stems][:_NAMED]
    if not shared:
        return _UNSHARED
    return f"it speaks of {', '.join(shared)}"
