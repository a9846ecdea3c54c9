"""The words of a question: what full-text search makes of them, how rare they are, and the phrases they stand in.

One look-up reads all that the lexical leg, the synonym leg and an extractive answer need to know of a question's words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import NamedTuple

from retrieval.entry_points.bm25 import Word
from retrieval.entry_points.phrases import normalise_phrase
from retrieval.entry_points.synonyms import SynonymHit, phrase_frequency, standing
from retrieval.languages import (
    SearchWords,
    is_idle,
    says_something,
    search_words,
    text_search_config,
    without_idle_words,
)
from retrieval.nodes import Connection, record_row
from retrieval.queries import QUERIES

# Words that the law never uses, led back to those that it does: other forms of the word, and the parts of a compound.
# A stemmer leaves "gekündigt", "Kündigung" and "Mietkaution" three strangers. What is tried here are endings and
# prefixes of a language; whether a form is a word is decided by the law's own words.

_SHORTEST = 4  # signs of a stem, and of a compound's last part
_SHORTEST_FIRST = 3  # signs of a compound's first part: "Erb", "Bau"
_SHORTEST_COMPOUND = 8
_LONGEST = 60  # signs of a word that is looked at; longer ones are none that people say


def other_forms(lexeme: str, language: str) -> list[str]:
    """Lexemes that may be the same word in another form, sorted; none for a language whose endings are not known.

    Args:
        lexeme: as full-text search has it: a stem without accents.
        language: ISO 639-1.
    """
    search = search_words(language)
    if not search.derived or not _is_word(lexeme):
        return []
    stems = {stem for base in (lexeme, *_bases(lexeme, search)) for stem in (base, *_without_marks(base, search))}
    return sorted({stem + ending for stem in stems for ending in ("", *search.derived)} - {lexeme})


def possible_parts(lexeme: str, language: str) -> list[str]:
    """Lexemes that may be a part of a compound, sorted; none where a language writes its compounds as several words."""
    search = search_words(language)
    if not search.links or not _is_word(lexeme) or len(lexeme) < _SHORTEST_COMPOUND:
        return []
    return sorted({part for pair in _pairs(lexeme, search) for options in pair for part in options})


def parts_of(lexeme: str, language: str, known: Collection[str]) -> list[str]:
    """The two parts of a compound that the law uses; empty where it has no such two.

    Of several ways to part it, the one whose shorter part is longest: "Eigentums-wohnung" and not "Eigen-tumswohnung".

    Args:
        lexeme: as full-text search has it.
        language: ISO 639-1.
        known: those of `possible_parts` that the law uses.
    """
    if not possible_parts(lexeme, language):
        return []
    best: list[str] = []
    for first, last in _pairs(lexeme, search_words(language)):
        found = [next((part for part in options if part in known), "") for options in (first, last)]
        if all(found) and (not best or min(map(len, found)) > min(map(len, best))):
            best = found
    return best


def _is_word(lexeme: str) -> bool:
    return lexeme.isalpha() and _SHORTEST <= len(lexeme) <= _LONGEST


def _bases(lexeme: str, search: SearchWords) -> list[str]:
    return [
        lexeme.removesuffix(ending)
        for ending in search.inflected
        if lexeme.endswith(ending) and len(lexeme) - len(ending) >= _SHORTEST
    ]


def _without_marks(stem: str, search: SearchWords) -> Iterator[str]:
    """A German stem without the "ge" of its participle or the "zu" of its infinitive, behind a separable prefix too."""
    for prefix in ("", *sorted(prefix for prefix in search.separable if stem.startswith(prefix))):
        rest = stem[len(prefix) :]
        for mark in search.marks if prefix else search.marks[:1]:
            if rest.startswith(mark) and len(rest) - len(mark) >= _SHORTEST:
                yield prefix + rest[len(mark) :]


def _pairs(lexeme: str, search: SearchWords) -> Iterator[tuple[list[str], list[str]]]:
    """Each way to part a compound in two: the forms that its first part may have, and its last."""
    for at in range(_SHORTEST_FIRST, len(lexeme) - _SHORTEST + 1):
        head, tail = lexeme[:at], lexeme[at:]
        heads = [head.removesuffix(link) for link in ("", *search.links) if head.endswith(link)]
        first = dict.fromkeys(
            form for part in heads for form in _part_forms(part, search) if len(form) >= _SHORTEST_FIRST
        )
        yield list(first), [form for form in _part_forms(tail, search) if len(form) >= _SHORTEST]


def _part_forms(part: str, search: SearchWords) -> list[str]:
    return [part.removesuffix(ending) for ending in ("", *search.part_endings) if part.endswith(ending)]


MAX_WORDS = 64  # a longer question is cut for the lexical leg, and the result says so
_SYNONYM_WEIGHT = 1.0
# Of another form of a word, of which the better of the two counts; 0.5 to 0.8 do as well.
_KIN_WEIGHT = 0.5
_MOST_COMPOUNDS = 500  # with words that the law never uses alone, the commonest, that are taken apart
_FAINT_WEIGHT = 0.3  # of a word by which people ask, and which makes no pair

Lexemes = list[tuple[str, list[int]]]  # a text's lexemes, in order, and where each stands in it


class _Row(NamedTuple):
    text: int  # which of the texts asked for, from 0
    lexeme: str
    places: list[int]
    frequency: int
    nodes: float
    words: float
    faint: bool


@dataclass(frozen=True, slots=True)
class Phrase:
    """The lexemes of a statutory term, in one order and at fixed distances."""

    name: str  # what it stands for in the question; phrases of one name are alternatives
    weight: float
    lexemes: Sequence[tuple[int, str]]  # distance from the first lexeme in words, lexeme; at least one


class Matter(NamedTuple):
    """One lexeme of the question, and how much it says: its inverse document frequency in the law searched."""

    lexeme: str
    weight: float


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """What the law searched knows of a question's words.

    Attributes:
        words: those that the lexical leg searches: the question's own and those of its statutory terms.
        expanded: statutory terms brought words in.
        frequencies: lexeme -> nodes that hold it, at least 1; of all `words`.
        phrases: what the synonym leg looks for.
        rarity: word of the question -> inverse document frequency, without words that search ignores or the law never
            uses.
        nodes: nodes of the law searched that have words.
        unknown: words of the question that search takes up and this law never uses.
        matters: what the question says, for telling how much of it a node has.
        average_length: words of a node.
    """

    words: list[Word]
    expanded: bool
    frequencies: Mapping[str, int]
    phrases: list[Phrase]
    rarity: Mapping[str, float]
    nodes: float
    average_length: float
    unknown: Sequence[str] = ()
    matters: Sequence[Matter] = ()


def read_question_words(
    conn: Connection,
    question: str,
    synonyms: Sequence[SynonymHit],
    *,
    language: str,
    jurisdictions: Sequence[str],
    with_kin: bool = False,
) -> QuestionWords:
    """Read what the law searched knows of a question's words and of the statutory terms that its phrases stand for.

    A word that this law never uses is looked for in its other forms and in its parts, with one more look-up for all,
    and where it has none in the compounds that the law makes with it.

    Args:
        question: what was asked; words beyond the first `MAX_WORDS` are not looked at.
        synonyms: statutory terms of its phrases; nodes are passed over.
        language: of the law searched.
        jurisdictions: of the law searched.
        with_kin: whether other forms of words that the law does use are searched beside them. Where vectors are
            compared these know as much: English questions lose by it what French ones gain (0052).
    """
    terms = [synonym for synonym in synonyms if not synonym.is_urn]
    said, singles = sorted({term.phrase for term in terms}), question_words(question, language)
    faint = " ".join(sorted(search_words(language).faint))
    texts = [searched_text(question, language), *(term.target for term in terms), *said, *singles]
    found: list[Lexemes] = [[] for _ in texts]
    frequencies: dict[str, int] = {}
    values = {
        "texts": texts,
        "faint": faint,
        "config": text_search_config(language),
        "jurisdictions": list(jurisdictions),
        "language": language,
    }
    with conn.cursor(binary=True, row_factory=record_row(_Row)) as cursor:
        rows = cursor.execute(QUERIES["find_question_words"], values).fetchall()
    nodes, length = (rows[0].nodes, rows[0].words) if rows else (0.0, 0.0)
    for row in rows:
        found[row.text].append((row.lexeme, row.places))
        if row.frequency > 0:
            frequencies[row.lexeme] = row.frequency
    rarity = {one: inverse_frequency(count, nodes) for one, count in frequencies.items()}
    own, *others = found
    own = [pair for pair in own if says_something(pair[0], language)] or own
    faint_words = {row.lexeme for row in rows if row.faint}
    strange = [one for one, _ in own if one not in rarity]
    common = [one for one, _ in own if one in rarity and one not in faint_words] if with_kin else []
    led = _led_back(conn, strange, common, language=language, jurisdictions=jurisdictions)
    for lexeme, frequency in led.frequencies.items():
        frequencies[lexeme], rarity[lexeme] = frequency, inverse_frequency(frequency, nodes)
    own = led.applied_to(own)
    ends = len(terms), len(terms) + len(said)
    spoken = dict(zip(said, others[ends[0] : ends[1]], strict=True))
    apt = _apt(terms, others[: ends[0]], spoken, frequencies, nodes)
    weighed = _weighed(own, faint_words, apt)
    most = max((rarity[one] for one, _ in own if one in rarity), default=1.0)
    words = [Word(one, weight * rarity[one], places) for one, weight, places in weighed if one in rarity]
    searched = {word.lexeme for word in words}
    kin = [
        Word(one, _KIN_WEIGHT * min(rarity[one], rarity.get(word, rarity[one])), [], word)
        for one, word in led.kin.items()
        if one not in searched
    ]
    return QuestionWords(
        words=[*words, *kin],
        expanded=bool(apt),
        frequencies={word.lexeme: frequencies[word.lexeme] for word in (*words, *kin)},
        phrases=[_phrase(one, lexemes, frequencies, nodes) for one, lexemes in apt],
        rarity={
            word: min(rarity[one] for one, _ in lexemes if one in rarity)
            for word, lexemes in zip(singles, others[ends[1] :], strict=True)
            if any(one in rarity for one, _ in lexemes)
        },
        nodes=nodes,
        average_length=length / max(nodes, 1.0),
        unknown=[
            word
            for word, lexemes in zip(singles, others[ends[1] :], strict=True)
            if lexemes and not any(one in rarity for one, _ in lexemes)
        ],
        # A word that this law never uses says as much as its rarest one.
        matters=[Matter(one, rarity.get(one, most)) for one, _ in own if one not in faint_words],
    )


class _LedBack(NamedTuple):
    """What the law searched has in place of the question's words, and beside them."""

    words: Mapping[str, Sequence[str]]  # a word that it never uses -> those that it is a form or a compound of
    kin: Mapping[str, str]  # another form of a word, or a compound with one that the law never uses alone -> that word
    frequencies: Mapping[str, int]

    def applied_to(self, own: Lexemes) -> Lexemes:
        """The question's lexemes with those words in the places of the others, in order."""
        places: dict[str, set[int]] = {}
        for lexeme, at in own:
            for word in self.words.get(lexeme) or [lexeme]:
                places.setdefault(word, set()).update(at)
        return [(one, sorted(at)) for one, at in sorted(places.items())]


def _led_back(
    conn: Connection, strange: Sequence[str], common: Sequence[str], *, language: str, jurisdictions: Sequence[str]
) -> _LedBack:
    """Look up other words for those that the law never uses (`strange`) and for some that it does (`common`)."""
    forms = {word: other_forms(word, language) for word in (*strange, *common)}
    parts = {word: possible_parts(word, language) for word in strange}
    inside = [word for word in strange if search_words(language).links and _is_word(word)]
    sought = {lexeme for lists in (forms, parts) for group in lists.values() for lexeme in group}
    if not sought and not inside:
        return _LedBack({}, {}, {})
    values = {"jurisdictions": list(jurisdictions), "language": language}

    def known_of(lexemes: Collection[str], inside: Sequence[str]) -> dict[str, int]:
        asked = {**values, "lexemes": sorted(lexemes), "inside": inside}
        return dict(conn.execute(QUERIES["find_question_forms"], asked).fetchall())

    known = known_of(sought, inside)
    words: dict[str, list[str]] = {}
    kin: dict[str, str] = {}
    for word in strange:
        words[word] = [form for form in forms[word] if form in known] or parts_of(word, language, known)
    lone = [word for word in inside if not words[word]]
    long = [text for text in known if any(text.startswith(word) or text.endswith(word) for word in lone)]
    long = nsmallest(_MOST_COMPOUNDS, long, key=lambda text: (-known[text], text))
    beside = known_of({part for word in long for part in possible_parts(word, language)}, []) if long else {}
    for word in lone:
        kin |= {text: word for text in sorted(long) if word in parts_of(text, language, {*beside, word})}
    for word in common:
        kin |= {form: word for form in forms[word] if form in known and form not in kin}
    used = {lexeme for found in words.values() for lexeme in found} | kin.keys()
    return _LedBack(words, kin, {lexeme: known[lexeme] for lexeme in sorted(used)})


def inverse_frequency(frequency: float, nodes: float) -> float:
    """Inverse document frequency of a word that `frequency` of `nodes` nodes hold, above 0."""
    return math.log(1 + (max(nodes - frequency, 0.0) + 0.5) / (frequency + 0.5))


def _apt(
    terms: Sequence[SynonymHit],
    lexemes_of: Sequence[Lexemes],
    spoken: Mapping[str, Lexemes],
    frequency: Mapping[str, int],
    nodes: float,
) -> list[tuple[SynonymHit, Lexemes]]:
    """The terms that stand for their phrases in the law searched, weighed by how far they do, with their lexemes."""
    found: list[tuple[SynonymHit, Lexemes]] = []
    for one, lexemes in zip(terms, lexemes_of, strict=True):
        said = [frequency.get(lexeme, 0) for lexeme, _ in spoken[one.phrase]]
        share = 1.0 if one.by_model else standing(said, nodes)  # the law is meant to say what a model names
        if lexemes and share > 0:
            found.append((replace(one, weight=one.weight * share), lexemes))
    return found


def _weighed(
    own: Lexemes, faint: set[str], terms: Sequence[tuple[SynonymHit, Lexemes]]
) -> list[tuple[str, float, list[int]]]:
    """Each lexeme searched, its weight, and where it stands in the question."""
    # The renderings of one phrase are alternatives: together they weigh as one.
    alternatives = Counter(one.phrase for one, _ in terms)
    weights = {lexeme: 1.0 for lexeme, _ in own}
    for term, lexemes in terms:
        weight = _SYNONYM_WEIGHT * min(term.weight, 1.5) / math.sqrt(alternatives[term.phrase])
        for lexeme, _ in lexemes:
            weights[lexeme] = max(weights.get(lexeme, 0.0), weight)
    places = dict(own)
    return [
        (one, weight * (_FAINT_WEIGHT if one in faint else 1.0), [] if one in faint else places.get(one, []))
        for one, weight in sorted(weights.items())
    ]


def _phrase(term: SynonymHit, lexemes: Lexemes, frequencies: Mapping[str, int], nodes: float) -> Phrase:
    """A term as it is looked for; the rarer, the more it says."""
    holding = phrase_frequency([frequencies.get(one, 0) for one, _ in lexemes])
    weight = term.weight * inverse_frequency(holding, nodes) / inverse_frequency(0.0, nodes)
    placed = sorted((place, lexeme) for lexeme, places in lexemes for place in places)
    return Phrase(term.phrase, weight, [(place - placed[0][0], lexeme) for place, lexeme in placed])


def question_words(question: str, language: str) -> list[str]:
    """The words of a question that the legs look at, each once, sorted; "l'acte" and "doit-il" are two each."""
    said = normalise_phrase(" ".join(question.split()[:MAX_WORDS]))
    for pattern in search_words(language).joined:
        said = pattern.sub(" ", said)
    return sorted(set(said.split()))


def searched_text(question: str, language: str) -> str:
    """A question without its idle words, else as it was written: full-text search reads "4.3(1)" and hyphens itself."""
    return " ".join(without_idle_words(question.split()[:MAX_WORDS], language))


def searched_words(question: str, language: str) -> list[str]:
    """The words of a question that the lexical leg looks for, in order; all of them where none says anything."""
    words = normalise_phrase(" ".join(question.split()[:MAX_WORDS])).split()
    return [word for word in words if not is_idle(word, language)] or words
