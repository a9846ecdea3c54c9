"""Families of words made from one another: retaliate, retaliation, retaliatory; kündigen, Kündigung; payer, paiement.

An answer that says "retaliatory" does not lack the word "retaliate". A family is told by what remains of a stem without
its ending, so it is a guess, and is used only where the words of an answer are weighed, never to find or change one.
"""

from __future__ import annotations

from collections.abc import Iterable

SHORTEST = 4  # signs that remain; shorter remains are shared by words that have nothing in common
_ENDINGS = {
    "en": """ization isation ation ition ator atory atori ative ativ able abl ible ibl ance anc ence enc ment ement
        iment ion ory ori ive iv ant ent ate at ee er or al ial ual ary ari ure ur ing ship ness iti ity ti age ag
        is e i""",
    "de": """ungen ung erin innen nisse nis schaften schaft barkeit bar lichkeit lich igkeit ig heiten heit keiten keit
        haft isch ende end er en et st te t n e""",
    "fr": """issement ements ement ments ment ations ation itions ition ions ion atrices atrice ateurs ateur eurs eur
        euse rices rice ances ance anc ences ence enc ables able abl ibles ible ibl ages age ives ive iv ifs if ités
        ité aires aire air elles elle els el ales ale aux al ées ée és é ants ante ant er ir re ent ez it s e i""",
}
_ORDERED = {
    language: sorted(set(words.split()), key=lambda one: (-len(one), one)) for language, words in _ENDINGS.items()
}
_WITHOUT_MARKS = str.maketrans("äöüéèêàâîïôûç", "aoueeeaaiiouc")


def family(stem: str, language: str) -> str:
    """What a word shares with its family: the stem without its longest known ending; the stem where none is known.

    Args:
        stem: in lower case.
        language: of the word, ISO 639-1.
    """
    rest = stem.removeprefix("ge") if language == "de" and len(stem) > SHORTEST + 2 else stem
    for ending in _ORDERED.get(language, ()):
        if rest.endswith(ending) and len(rest) - len(ending) >= SHORTEST:
            rest = rest[: -len(ending)]
            break
    if len(rest) > SHORTEST and rest[-1] in "yie":  # employ, employer
        rest = rest[:-1]
    return rest.translate(_WITHOUT_MARKS)


def families(stems: Iterable[str], language: str) -> frozenset[str]:
    """The families of some stems."""
    return frozenset(family(one, language) for one in stems)
