"""What a reader must be told of an extractive answer that has little of what was asked.

Sentences are chosen by the words they share with the question, so one that shares two common words can be offered for
a question about something else. The fewer of the question's words it has, the less it may pass for an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rag.answering.answer import Place
from rag.answering.extractive.draft import CAREFUL, is_recital, listed
from rag.answering.extractive.kinds import asking_words, not_given
from rag.answering.extractive.matter import LEAST, MEANS, Need, asked_about, stands_for
from rag.jurisdictions.citing import cited_as
from rag.languages.base import Language, Want
from rag.languages.registry import language_of
from rag.languages.sentences import split_sentences
from rag.languages.stems import families, family, stems_of, telling_stems, unspaced
from retrieval.entry_points.synonyms import SynonymHit
from retrieval.model import ContextWarning, ScopedContext

SAID = 0.85  # share of the question's words, weighted by rarity, that an answer has without a word about the others
STORY = 0.6  # the same share of the whole story, where one sentence of it asks
ANSWERS = 0.3  # the share that it needs to be served at all; words that the law never uses count among them
LITTLE = 0.2  # share of the first sentence's words below which one or two shared words say little
_NAMED_PARTS = 8
_FIGURES = {Want.AMOUNT: "an amount", Want.TIME: "a time"}  # an answer to these holds a figure or a moment


def weak_match(
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float],
    unknown: Sequence[str],
    language: str,
    answer: Sequence[str],
    around: str,
) -> tuple[float, str]:
    """How much of what was asked an extractive answer has.

    Args:
        synonyms: colloquial phrases of the question with their statutory terms.
        rarity: the question's words with their inverse document frequency in the law searched.
        unknown: words of the question that this law never uses; they weigh as much as its rarest.
        answer: the sentences to be served, best first; at least one.
        around: the headings under which they stand.

    Returns:
        The share of the question's words that the answer has, 0 to 1, weighted by rarity, and what a reader must be
        told; nothing where it has enough.
    """
    known = language_of(language)
    said, above = stems_of(" ".join(answer), known), stems_of(around, known)
    matter = asked_about(question, synonyms, rarity, unknown, known)
    parts, whole, asks = [part for _, part in matter.parts], matter.whole, matter.asks
    # A claim ends with the sentence that answers; those before it are there because it leans on them.
    first = [answer[0][start:end] for start, end in split_sentences(answer[0], language)][-1]
    found = [_compared(part, said, above, first, known, SAID) for part in parts or [whole]]
    share, told = max(found, key=lambda one: one[0])
    if asks and parts and not told:
        told = _compared(whole, said, above, first, known, STORY)[1]
    plain = [known.limits.reference.sub(" ", sentence) for sentence in answer]
    if unspaced(question) and not told:
        told = f"the question's words were compared character by character, whatever their weight. {CAREFUL}"
    lacking = [kind for want, kind in _FIGURES.items() if not_given(want, question, plain, language)]
    if lacking:
        told = f"the question asks for {lacking[0]}, and nothing shown here gives one. {CAREFUL}"
    return share, f"Not sure: {told}" if told else ""


def places_match(
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float],
    unknown: Sequence[str],
    language: str,
    places: Sequence[Place],
) -> tuple[bool, str]:
    """Whether the first of some places has every word of the question, and what a reader must be told of what all lack.

    The arguments but `places` are those of `weak_match`.
    """

    def compared(some: Sequence[Place]) -> tuple[float, str]:
        around = " ".join(text for place in some for text in (place.path, place.heading))
        return weak_match(question, synonyms, rarity, unknown, language, [place.sentence for place in some], around)

    known = asking_words(question, language_of(language)).issuperset(unknown)
    return known and compared(places[:1])[0] >= 1, compared(places)[1]


def other_rules(urns: Sequence[str], context: ScopedContext) -> ContextWarning | None:
    """A warning that names provisions which answer nearly as well and are not told; None where there are none."""
    if not urns:
        return None
    headings = {block.urn: block.heading for block in context.blocks}
    named = ", ".join(f"{urn} ({headings[urn]})" if headings.get(urn) else urn for urn in urns)
    message = f"These have nearly as many words of the question, and may govern the case instead: {named}."
    return ContextWarning(kind="other_rules", message=f"{message} Read them too.")


def parts_left(urns: Sequence[str]) -> ContextWarning | None:
    """A warning that names the parts of a provision asked for which are not told; None where all are."""
    if not urns:
        return None
    more = f" and {len(urns) - _NAMED_PARTS} more" if len(urns) > _NAMED_PARTS else ""
    named = ", ".join(cited_as(urn) or urn for urn in urns[:_NAMED_PARTS])
    message = f"It is longer than is told here. Left out: {named}{more}."
    return ContextWarning(
        kind="parts_left", message=f"{message} Read all of it with `lexscope document` or get_document."
    )


def recitals(urns: Iterable[str]) -> ContextWarning | None:
    """A warning that names the recitals among cited provisions; None where there are none."""
    found = list(dict.fromkeys(urn for urn in urns if is_recital(urn)))
    if not found:
        return None
    message = (
        f"Recitals explain the articles of an act and lay down no rule: {', '.join(found)}. Read the articles too."
    )
    return ContextWarning(kind="recital", message=message)


def _compared(
    matter: Mapping[str, Need],
    said: frozenset[str],
    above: frozenset[str],
    first: str,
    language: Language,
    enough: float,
) -> tuple[float, str]:
    """The share of some words of the question that an answer has, and what to say of the others below the share enough.

    What only comes near a word is enough to be served, and not enough to be served without a word. Nor is it enough
    for the word that weighs most to be in a heading: of a section "Votes; proxies" few sentences are on proxies.
    """
    total = sum(need.weight for need in matter.values()) or 1.0
    own = said | above
    kin, kin_said = families(own, language), families(said, language)

    def has(need: Need, least: float, *, in_sentences: bool = False) -> bool:
        words, related = (said, kin_said) if in_sentences else (own, kin)
        forms = [form for form, weight in need.forms if weight >= least]
        met = [form for form in forms if all(word in words or family(word, language) in related for word in form)]
        return bool(met) and (not least or stands_for(need.forms[0][0], forms[1:], met))

    lost = sum(need.weight for need in matter.values() if not has(need, 0.0))
    heaviest = max(matter, key=lambda one: matter[one].weight, default="")
    missing = {
        name: need.weight for name, need in matter.items() if not has(need, MEANS, in_sentences=name == heaviest)
    }
    share = 1 - lost / total
    if 1 - sum(missing.values()) / total < enough:
        return (
            share,
            f"no sentence shown here has these words of the question: {listed([*missing])}. {CAREFUL}",
        )
    shared = [name for name in matter if name not in missing]
    if shared and len(shared) <= LEAST and len(shared) < LITTLE * len(telling_stems(first, language)):
        return share, f"what is shown here shares little with the question: {listed(shared)}. {CAREFUL}"
    return share, ""
