"""Words that the law never uses, led back to those that it does: other forms of the word, and the parts of a compound.

A stemmer leaves "gekündigt", "Kündigung" and "Mietkaution" three strangers. What is tried here are endings and prefixes
of a language; whether a form is a word is decided by the law's own words. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from retrieval.entry_points.phrases import COMPOUNDING

_SHORTEST = 4  # signs of a stem, and of a compound's last part
_SHORTEST_FIRST = 3  # signs of a compound's first part: "Erb", "Bau"
_SHORTEST_COMPOUND = 8
_LONGEST = 60  # signs of a word that is looked at; longer ones are none that people say


@dataclass(frozen=True, slots=True)
class _Endings:
    """What a language puts at the end of a stem, without accents and as its stemmer leaves it."""

    inflected: tuple[str, ...]  # taken off
    derived: tuple[str, ...]  # put on


def _listed(inflected: str, derived: str) -> _Endings:
    return _Endings(tuple(inflected.split()), ("", *derived.split()))


_ENDINGS = {
    "de": _listed(
        "test tet tes ten te et est st t e en ung er nis lich ig",
        "t et ung er end lich ig schaft nis bar in erin te ter e en",
    ),
    "fr": _listed(
        "aient erent ons ont ait ais ues ue us u is it i er r ent e ation ement eur ag ion anc",
        "eur ric ation tion ion ement ment ag ant anc abl r u ur ier i iti heriti e",
    ),
    "en": _listed(
        "ment er or al age ag ur ant anc",
        "er or ment al ag age ship ant anc ure ur abl e ee ation ion ic ication i",
    ),
}
_LINKS = ("", "s", "es", "n", "en", "er", "e", "ns")  # between the parts of a compound
_PART_ENDINGS = ("", "en", "ung", "e", "er", "n", "s", "es", "ern")  # a part's own, which its stem does not have
_SEPARABLE = """
zusammen zuruck herunter heraus hinaus herein hinein voraus vorbei weiter wieder unter uber durch davon daran dazu
fest frei fort nach raus rein heran her hin los mit ein auf aus bei vor weg ab an um zu
"""
_PREFIXES = frozenset(_SEPARABLE.split())


def other_forms(lexeme: str, language: str) -> list[str]:
    """Lexemes that may be the same word in another form, sorted; none for a language whose endings are not known.

    Args:
        lexeme: as full-text search has it: a stem without accents.
        language: ISO 639-1.
    """
    endings = _ENDINGS.get(language)
    if endings is None or not _is_word(lexeme):
        return []
    stems = {
        stem for base in (lexeme, *_bases(lexeme, endings)) for stem in (base, *_without_participle(base, language))
    }
    return sorted({stem + one for stem in stems for one in endings.derived} - {lexeme})


def possible_parts(lexeme: str, language: str) -> list[str]:
    """Lexemes that may be a part of a compound, sorted; none where a language writes its compounds as several words."""
    if language not in COMPOUNDING or not _is_word(lexeme) or len(lexeme) < _SHORTEST_COMPOUND:
        return []
    return sorted({one for pair in _pairs(lexeme) for options in pair for one in options})


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
    for first, last in _pairs(lexeme):
        found = [next((one for one in options if one in known), "") for options in (first, last)]
        if all(found) and (not best or min(map(len, found)) > min(map(len, best))):
            best = found
    return best


def _is_word(lexeme: str) -> bool:
    return lexeme.isalpha() and _SHORTEST <= len(lexeme) <= _LONGEST


def _bases(lexeme: str, endings: _Endings) -> list[str]:
    return [
        lexeme.removesuffix(one)
        for one in endings.inflected
        if lexeme.endswith(one) and len(lexeme) - len(one) >= _SHORTEST
    ]


def _without_participle(stem: str, language: str) -> Iterator[str]:
    """A German stem without the "ge" of its participle or the "zu" of its infinitive, behind a separable prefix too."""
    if language != "de":
        return
    for prefix in ("", *sorted(one for one in _PREFIXES if stem.startswith(one))):
        rest = stem[len(prefix) :]
        for mark in ("ge", "zu") if prefix else ("ge",):
            if rest.startswith(mark) and len(rest) - len(mark) >= _SHORTEST:
                yield prefix + rest[len(mark) :]


def _pairs(lexeme: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each way to part a compound in two: the forms that its first part may have, and its last."""
    for at in range(_SHORTEST_FIRST, len(lexeme) - _SHORTEST + 1):
        head, tail = lexeme[:at], lexeme[at:]
        heads = [head.removesuffix(link) for link in _LINKS if head.endswith(link)]
        first = dict.fromkeys(form for one in heads for form in _part_forms(one) if len(form) >= _SHORTEST_FIRST)
        yield list(first), [form for form in _part_forms(tail) if len(form) >= _SHORTEST]


def _part_forms(part: str) -> list[str]:
    return [part.removesuffix(one) for one in _PART_ENDINGS if part.endswith(one)]
