"""What a question asks for, word by word: its matter, what each word weighs, and how far a text meets it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.answering.extractive.kinds import asking_words
from rag.languages.base import Kind, Language
from rag.languages.operators import read_in
from rag.languages.sentences import split_sentences
from rag.languages.stems import WORD, asked_runs, stems_of, unspaced
from retrieval.entry_points.phrases import phrase_words
from retrieval.entry_points.synonyms import SynonymHit, normalise_phrase

LEAST = 2  # things asked about that it must have, where a question names more than one
MEANS = 0.8  # a thesaurus entry of less weight is a matter near by, and an answer about it may be about something else
_ONE_SIGN = 0.5  # weight of a single kanji, which other words are written with


@dataclass(frozen=True, slots=True)
class Need:
    """One thing asked about: a word of the question or a phrase with its statutory terms."""

    weight: float
    # Any of these sets of stems meets it; how much a statutory term means the word, as the thesaurus has it.
    forms: tuple[tuple[frozenset[str], float], ...]
    things: int = 1  # how many words of the question it stands for


@dataclass(frozen=True, slots=True)
class Matter:
    """What a question asks about.

    Attributes:
        parts: the sentences that ask as one text, and where none does each sentence, with the needs of each; without
            those that name too little by themselves, as "Can he?" does.
        whole: the needs of all sentences.
        asks: whether a sentence asks.
    """

    parts: tuple[tuple[str, Mapping[str, Need]], ...]
    whole: Mapping[str, Need]
    asks: bool


def asked_about(
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float],
    unknown: Sequence[str],
    language: Language,
) -> Matter:
    """The words of what asks, and where nothing does, those of each sentence, for a scenario tells more than it asks.

    Args:
        unknown: words that the law searched never uses; they weigh as much as its rarest.
    """
    most = max(rarity.values(), default=1.0)
    known = frozenset(word for word in rarity if word.isalpha())
    weights = {**rarity, **{word: most for word in unknown if word not in language.search.faint}}
    sentences = [question[start:end] for start, end in split_sentences(question, language.code)]
    asks = " ".join(sentence for sentence in sentences if sentence.rstrip().endswith(("?", "？")))
    found: list[tuple[str, dict[str, Need]]] = []
    for text in (*((asks,) if asks else sentences), question):
        # A name that the law itself uses, such as a court's, is asked about; one that it does not is the asker's own.
        needs = named_needs(text, synonyms, weights, language, known)
        beside = language.questions.courtesy | _measuring(text, language)
        found.append((text, {name: need for name, need in needs.items() if name not in beside}))
    *parts, (_, whole) = found
    return Matter(tuple(part for part in parts if len(part[1]) >= LEAST), whole, bool(asks))


def _measuring(text: str, language: Language) -> frozenset[str]:
    """The words of a text that measure time or compare, which are no matter: the law may count a week in days."""
    times = language.questions.times

    def measures(word: str) -> bool:
        reading = read_in(language.code, word)
        return bool(reading.sequence(Kind.COMPARATOR)) or not times.isdisjoint(reading.sequence(Kind.UNIT))

    return frozenset(word for word in WORD.findall(text.lower()) if measures(word))


def named_needs(
    question: str,
    synonyms: Sequence[SynonymHit],
    rarity: Mapping[str, float],
    language: Language,
    names: frozenset[str] = frozenset(),
) -> dict[str, Need]:
    """Phrases that have a statutory term, and the other words, each weighing as much as it is rare, as first said.

    Words with a capital inside a sentence are facts of the case and no words of the matter, but for those in `names`.
    """
    needs: dict[str, Need] = {}
    stems: set[str] = set()
    covered: set[str] = set()
    text = f" {normalise_phrase(question)} "
    facts, idle = asking_words(question, language), language.idle
    asks = (way.search(question.strip()) for way in language.questions.asks.values())
    asking = {normalise_phrase(match[0]) for match in asks if match}  # "until when"
    said_in = (synonym.phrase for synonym in synonyms if not synonym.is_urn)
    for phrase in dict.fromkeys(
        sentence for sentence in said_in if (sentence if unspaced(sentence) else f" {sentence}") in text
    ):
        if phrase in asking or facts.intersection(
            WORD.findall(phrase)
        ):  # "wie lange": what it asks for is weighed by itself
            continue
        # What the question says besides is asked about by itself, and does not stand for this phrase too.
        besides = stems_of(text, language) - stems_of(phrase, language)
        terms = [
            (stems_of(synonym.target, language), min(synonym.weight, 1.0))
            for synonym in synonyms
            if synonym.phrase == phrase
        ]
        targets = [(target, weight) for target, weight in terms if not target <= besides]
        words = [one.word for one in phrase_words(phrase, language.code)]  # "the lessor's" without its ending
        said = " ".join(word for word in words if word not in idle) or phrase
        # A phrase stands for all its words, and weighs what they weigh.
        words = [rarity[word] for word in WORD.findall(said) if word in rarity and word not in idle]
        weight = sum(words) or max((rarity.get(word, 1.0) for word in WORD.findall(phrase)), default=1.0)
        needs[phrase] = Need(weight, ((stems_of(said, language), 1.0), *targets), max(1, len(words)))
        covered.update(stems_of(phrase, language))
    if language.questions.names_by_capital:
        facts |= _names_and_figures(question) - names
    for word in WORD.findall(text):
        one = language.stem(word)
        if (
            word in rarity
            and word not in facts
            and word not in idle
            and not unspaced(word)
            and one not in covered | stems
        ):
            needs[word] = Need(rarity[word], ((frozenset({one}), 1.0),))
            stems.add(one)
    for run in asked_runs(question, language):
        if not stems_of(run, language) <= covered:
            needs[run] = Need(1.0 if len(run) > 1 else _ONE_SIGN, ((stems_of(run, language), 1.0),))
    return needs


def _names_and_figures(question: str) -> frozenset[str]:
    """Words that state a fact of the case: names inside a sentence, and numbers. No law is missing for lack of them."""
    words = re.findall(r"(?<![.!?\n])[ \t]+([^\W\d_][\w'’-]*)|(\d[\d.,]*)", question)
    names = {part.lower() for name, _ in words if name[:1].isupper() for part in WORD.findall(name)}
    return frozenset(names | {part for _, figure in words for part in WORD.findall(figure)})


def met(need: Need, own: frozenset[str], around: frozenset[str]) -> float:
    """How much of a need a sentence meets: all with the words themselves, less with a term that means them less, and
    half of it where only lead-in and headings complete them.
    """
    itself = _met(need, own)
    return itself if itself > 0.5 else max(itself, 0.5 * _met(need, own | around))


def _met(need: Need, words: frozenset[str]) -> float:
    found = [(form, weight) for form, weight in need.forms if form and form <= words]
    if not found:
        return 0.0
    asked = need.forms[0][0]
    if not stands_for(asked, [form for form, _ in need.forms[1:]], [form for form, _ in found]):
        return 0.0
    return (1.0 + max(weight for _, weight in found)) / 2  # a term for something near by is half the thing at least


def stands_for(phrase: frozenset[str], terms: Sequence[frozenset[str]], met: Sequence[frozenset[str]]) -> bool:
    """Whether the terms met stand for all of a phrase: "interest on a deposit" is no deposit, and no interest alone."""
    parts = [group & phrase for group in met]
    return not all(parts) or frozenset[str]().union(*parts) >= frozenset[str]().union(
        *(term & phrase for term in terms)
    )
