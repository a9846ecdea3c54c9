"""Words that the law never uses, led back to those that it does: other forms of the word, and the parts of a compound.

A stemmer leaves "gekündigt", "Kündigung" and "Mietkaution" three strangers. What is tried here are endings and prefixes
of a language; whether a form is a word is decided by the law's own words. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from retrieval.languages import SearchWords, search_words

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
