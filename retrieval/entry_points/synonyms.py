"""The bridge from everyday words to statutory terms: phrases of a question looked up in `legal_synonyms`.

Both sides are compared by the stems of their words, articles and possessives left out, so that "kicks me out" is found
by "kick me out", and "kept my deposits" by "kept the deposit". Of phrases one inside another, the longest is used. The
words of a phrase of two may stand apart or turned round, a little less surely: "gibt die Kaution nicht zurück".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from retrieval.entry_points.phrases import COMPOUNDING, UNSPACED, PhraseWord, phrase_words, spoken_text, stem_dictionary
from retrieval.entry_points.phrases import normalise_phrase as normalise_phrase
from retrieval.languages import is_idle
from retrieval.nodes import Connection
from retrieval.paths import is_urn
from retrieval.queries import QUERIES

LONGEST_PHRASE = 8  # words that a phrase is compared by
APART = 4  # words from the first to the last word of a phrase of two that stand apart, at most
_APART_WEIGHT = 0.75  # chosen on the colloquial questions, where 0.5 and 4 to 7 words do about as well
_BETWEEN = " … "  # in the name of a phrase whose words stand apart
_COMPOUND_WEIGHT = 0.7  # of a phrase that is only the end of a word: a "Hotelzimmer" is less surely a "Zimmer"
# Share of the nodes searched from which on the law says a word itself: a synonym of it counts half there and, where it
# would count less than a tenth, not at all. Chosen with the next constant on half of ObliQA dev and the colloquial dev
# questions (`python -m evals retrieval`).
_OWN_WORD, _LEAST_STANDING = 0.02, 0.1
_SEVERAL_WORDS = 0.05  # of the nodes that hold the rarest word of a phrase, how many hold the phrase, roughly
_SHORTEST_END = 4  # signs of a stem; shorter ends are found in too many words


@dataclass(frozen=True, slots=True)
class SynonymHit:
    """A colloquial phrase of the question, as it stands there, and what the law calls it: a term, or a node's URN."""

    phrase: str
    target: str
    weight: float
    by_model: bool = False  # a model named the term for the whole question

    @property
    def is_urn(self) -> bool:
        """Whether the target is a node."""
        return is_urn(self.target)

    def __str__(self) -> str:
        """As a trace shows it: the boost is the weight that the thesaurus gives."""
        return f"{self.phrase} -> {self.target} (weight {self.weight:g})"


def named_by_model(term: str) -> SynonymHit:
    """A statutory term that a model named for a question."""
    return SynonymHit(term, term, 1.0, by_model=True)


class PhraseMatch(NamedTuple):
    """A recorded phrase found in a question: words or signs `first` to `first + size - 1` of it."""

    first: int
    size: int
    cut: int  # signs before the phrase in its word, where it is the end of a compound; else 0
    target: str
    weight: float
    jurisdiction: str  # empty: of every jurisdiction
    apart: bool = False  # two words that stand apart or turned round: only the first and the last of the run
    phrase: str = ""  # as it is recorded


def find_synonyms(conn: Connection, question: str, *, language: str, jurisdictions: Sequence[str]) -> list[SynonymHit]:
    """Statutory terms for the question's phrases, in the order of the question, the longest phrase first.

    Args:
        language: of the law searched; phrases of other languages are not looked at.
        jurisdictions: of the law searched; phrases of what these lie in, and of every jurisdiction, apply too, and
            give way to one's own.
    """
    values: dict[str, object] = {"language": language, "jurisdictions": with_enclosing(jurisdictions)}
    if language in UNSPACED:
        text = spoken_text(question)
        rows = conn.execute(QUERIES["find_synonyms_inside"], {**values, "text": text}).fetchall()
        return [
            SynonymHit(
                text[phrase_match.first : phrase_match.first + phrase_match.size],
                phrase_match.target,
                phrase_match.weight,
            )
            for phrase_match in longest_first(PhraseMatch(*row) for row in rows)
        ]
    words = phrase_words(question, language)
    said = normalise_phrase(question).split()
    rows = conn.execute(
        QUERIES["find_synonyms"],
        {
            **values,
            "words": [word.word for word in words],
            "dictionary": stem_dictionary(language),
            "longest": LONGEST_PHRASE,
            "compounds": language in COMPOUNDING,
            "shortest": _SHORTEST_END,
            "apart": APART,
        },
    ).fetchall()
    matches = [
        phrase_match for phrase_match in map(PhraseMatch._make, rows) if _says_something(phrase_match, words, language)
    ]
    hits = [
        _hit_of(phrase_match, words, said)
        for phrase_match in longest_first(match for match in matches if not match.apart)
    ]
    told = {hit.target for hit in hits}
    apart = longest_first(match for match in matches if match.apart and match.target not in told)
    hits += [_hit_of(phrase_match, words, said) for phrase_match in apart]
    return list({(hit.phrase, hit.target): hit for hit in hits}.values())


def _says_something(one: PhraseMatch, words: Sequence[PhraseWord], language: str) -> bool:
    """Whether a match is more than the stem of an idle word: "war" is no "Ware", unless somebody recorded just that."""
    said = words[one.first].word
    return one.size > 1 or one.phrase == said or not is_idle(said, language)


def _hit_of(one: PhraseMatch, words: Sequence[PhraseWord], said: Sequence[str]) -> SynonymHit:
    places = [word.place for word in words[one.first : one.first + one.size]]
    if one.apart:
        ends = said[places[0]], said[places[-1]]
        return SynonymHit(_BETWEEN.join(ends), one.target, round(one.weight * _APART_WEIGHT, 3))
    weight = round(one.weight * _COMPOUND_WEIGHT, 3) if one.cut else one.weight
    return SynonymHit(" ".join(said[places[0] : places[-1] + 1]), one.target, weight)


def standing(said: Sequence[int], nodes: float) -> float:
    """How far statutory terms stand for a phrase in the law searched.

    Law that uses a word all the time means what it says: where "regulator" stands in every fourth provision, who asks
    about the regulator is not helped by "supervisory authority".

    Args:
        said: of each word of the phrase, how many nodes hold it; without the words that search ignores.
        nodes: of the law searched.

    Returns:
        1 where the law never uses the phrase, less the more often it does, 0 where next to nothing remains.
    """
    share = 1 / (1 + (phrase_frequency(said) / max(nodes, 1.0) / _OWN_WORD) ** 2)
    return share if share >= _LEAST_STANDING else 0.0


def phrase_frequency(said: Sequence[int]) -> float:
    """About how many nodes hold a phrase, of whose words so many nodes hold each; to count them is too dear."""
    return min(said, default=0) * (_SEVERAL_WORDS if len(said) > 1 else 1.0)


def with_enclosing(jurisdictions: Iterable[str]) -> list[str]:
    """Jurisdictions with all that they lie in, sorted: `us-dc` brings `us`, whose everyday words hold there too."""
    parts = [jurisdiction.split("-") for jurisdiction in jurisdictions]
    return sorted({"-".join(part[:size]) for part in parts for size in range(1, len(part) + 1)})


def longest_first(matches: Iterable[PhraseMatch]) -> list[PhraseMatch]:
    """The matches to use: none that lies inside a longer one, and of one term the jurisdiction's own weight.

    A whole word goes before the end of a compound, a longer end before a shorter one.

    Returns:
        The matches by their place in the question, longer ones first, then the heavier and by target.
    """
    best: dict[tuple[int, int, int, str], PhraseMatch] = {}
    for match in matches:
        key = (match.first, match.size, match.cut, match.target)
        known = best.get(key)
        if known is None or (_nearness(match), match.weight) > (_nearness(known), known.weight):
            best[key] = match
    spans = {
        (phrase_match.first, phrase_match.first + phrase_match.size): phrase_match.cut
        for phrase_match in sorted(best.values(), key=lambda one: -one.cut)
    }
    used: dict[tuple[int, int], int] = {}
    reached = -1  # by a span that begins where this one does, or before it
    for first, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end > reached:
            used[first, end], reached = spans[first, end], end
    kept = [
        phrase_match
        for phrase_match in best.values()
        if used.get((phrase_match.first, phrase_match.first + phrase_match.size)) == phrase_match.cut
    ]
    return sorted(kept, key=lambda one: (one.first, -one.size, -one.weight, one.target))


def _nearness(one: PhraseMatch) -> int:
    """How closely a phrase's jurisdiction says where it applies: 0 for all, 1 for a country, 2 for a state of it."""
    return len(one.jurisdiction.split("-")) if one.jurisdiction else 0
