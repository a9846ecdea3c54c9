"""Reading the name of a law at a place of a French text: a code, a numbered or named law, or law that is not ours.

All functions take folded text (`french_text.fold`) and an offset at which the name would begin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from rag.jurisdictions.fr.names import (
    ABBREVIATIONS,
    BY_YEAR,
    CODES,
    CONSTITUTIONAL,
    DATED_LAWS,
    NAMED_LAWS,
    OTHER_TITLES,
    LawName,
)
from rag.jurisdictions.fr.naming import JURISDICTION_URN
from rag.jurisdictions.fr.text import WRITTEN_DATE, fold
from rag.law.patterns import lazy, verbose

_WORD = lazy(r"[a-z0-9]+")
_BETWEEN = lazy(r"[\s',()-]{1,3}")


@dataclass(slots=True)
class _Branch:
    next: dict[str, _Branch] = field(default_factory=lambda: {})
    key: str = ""  # a name that ends here


class _Names:
    """Names found word by word, the longest first, whatever the spaces, capitals and accents."""

    def __init__(self, names: Iterable[str]) -> None:
        self._root = _Branch()
        for name in names:
            branch = self._root
            for word in _WORD.findall(fold(name).text.lower()):
                branch = branch.next.setdefault(word, _Branch())
            branch.key = name

    def at(self, text: str, position: int) -> tuple[str, int] | None:
        """The longest name that begins here, and its end."""
        branch, best = self._root, None
        # No name is longer; the slice keeps the search off the rest of the text.
        low = text[position : position + 140].lower()
        word = _WORD.match(low)
        while word is not None and (following := branch.next.get(word[0])) is not None:
            branch = following
            if branch.key:
                best = (branch.key, position + word.end())
            gap = _BETWEEN.match(low, word.end())
            word = _WORD.match(low, gap.end()) if gap is not None else None
        return best


_TITLES: Mapping[str, LawName] = {**CODES, **OTHER_TITLES, **CONSTITUTIONAL, **BY_YEAR}
_BY_TITLE = _Names(_TITLES)
_BY_NAME = _Names(NAMED_LAWS)
_BY_SHORT = {re.sub(r"[.\s]", "", fold(one).text.lower()): law for one, law in ABBREVIATIONS.items()}


def _short_pattern(written: str) -> str:
    plain = fold(written).text
    if "." not in plain:
        return r"\.?".join(plain)
    return r"\s?".join(re.escape(item).replace(r"\.", r"\.?") for item in plain.split())


_SHORTS = "|".join(_short_pattern(abbreviation) for abbreviation in sorted(ABBREVIATIONS, key=len, reverse=True))
SHORT_NAME = lazy(rf"(?i:{_SHORTS})(?![\w'-])\.?")
# What makes a code of the same name another one, and what only may.
_OTHER_CODE = lazy(
    r"\s{1,3}(?i:locale?|communautaire|europeen|monegasque|suisse|allemand|belge|luxembourgeois|italien|espagnol"
    r"|portugais|neerlandais|autrichien|anglais|marocain|algerien|tunisien|senegalais|ivoirien|malgache|libanais|turc"
    r"|quebecois|canadien|annamite|polynesien|de\s(?:l'union|monaco)|du\s(?:quebec|bas-canada|canada|senegal|maroc)"
    r"|de\sla\s(?:nouvelle-caledonie|polynesie)|de\slouisiane)(?!\w)"
)
_TERRITORY = lazy(r"\s{1,3}(?i:applicable\s(?:a|au|aux|en|dans|sur))(?!\w)")
_UNKNOWN_CODE = lazy(
    r"(?i:code)(?=\s)(?:\s{1,2}(?!de\s|du\s|des\s|d'|est\s|qui\s|dont\s|que\s|sont\s|en\s|et\s|ou\s)[a-z]{3,20})?"
    r"(?:\s{1,2}(?:et\s)?(?:de\sla\s|de\sl'|de\s|du\s|des\s|d')[\w-]{2,30}){0,5}",
    re.IGNORECASE,
)
_CODE_OF = lazy(r"(?i:code)\s{1,2}(?i:de\s|du\s|des\s|d'|[a-z]{2,20}(?:al|el|if|ique|aire|ier|ain|eux)(?:\s|\Z))")
_NATURES = r"(?i:loi|ordonnance|decret-loi|decret|arrete)"
_FORM = (
    r"(?:\s{1,2}(?i:organique|constitutionnelle|interministeriel|ministeriel|prefectoral|de\sfinances"
    r"(?:\srectificative)?(?:\spour\s[0-9]{4})?|de\sfinancement\sde\sla\ssecurite\ssociale(?:\spour\s[0-9]{4})?))?"
)
_NUMBERED = verbose(rf"""
    (?P<nature>{_NATURES}) s? {_FORM} \s{{0,3}}
    (?: (?P<sign>n) \s? (?i:°|os?|r)? \.? \s{{0,3}} )?          # n°, nos, nr.
    (?P<number> [0-9]{{2,4}}\s?-\s?[0-9]{{1,5}} | (?<![0-9])(?<=[n°or.\s])[0-9]{{1,6}} ) (?![\w-]) (?!\.[0-9])
    (?: ,? \s{{1,3}} (?:du\s{{1,3}})? (?P<date>{WRITTEN_DATE}) )?
""")  # fmt: skip
_DATED = lazy(rf"(?P<nature>{_NATURES}){_FORM}\s{{1,3}}du\s{{1,3}}(?P<date>{WRITTEN_DATE})")
_OF_DATE = lazy(rf"\s{{1,3}}du\s{{1,3}}{WRITTEN_DATE}")
_NAMED = lazy(r"(?i:loi)\s{1,3}(?i:dite?\s{1,3})?\"?\s?")
_PLAIN_NATURE = lazy(
    rf"(?P<nature>{_NATURES}|(?i:code|livre\sdes\sprocedures\sfiscales|constitution|reglement))(?![\w-]){_FORM}"
)
_TAKEN_UP = lazy(r"\s{1,3}(?i:precitee?|susvisee?|susmentionnee?|susditee?|ci-dessus\s(?:mentionnee?|visee?))(?!\w)")
_ANNEX = lazy(r"(?i:annexe)\s{1,2}(?P<number>IV|I{1,3}|[1-4])\s{1,2}(?i:au|du|,)\s{1,2}")
# Nouns of law that has no address here; what follows them is theirs.
_FOREIGN = verbose(rf"""
    (?i: reglements? | directives? | conventions? | traites? | accords? | protocoles? | statuts? | charte | concordat
    | pacte | arretes? | circulaires? | instructions? | deliberations? | decisions? | avenants? | contrats?
    | cahiers?\sdes\scharges | recommandations? | normes? | avis | annexes? | lois? | ordonnances? | decrets?(?:-lois?)?
    | constitution | acte | preambule | declaration | deliberation ) (?![\w-])
    (?: \s{{1,2}} \([A-Za-z, ]{{2,16}}\) )?                   # (UE), (CE)
    (?: \s{{1,2}} (?:n\s?°?\s?)? [0-9][\w./-]{{0,20}} )?        # n° 2016/679
    (?: \s{{1,2}} du \s{{1,2}} {WRITTEN_DATE} )?
""")  # fmt: skip
_NEAR_END = 80  # characters that are compared with what was read before
_LIL = lazy(r"(?i:rgpd|dsgvo|gdpr|tfue|tue|cedh|csdh|cesdh|cesdhlf)(?!\w)")


@dataclass(slots=True, unsafe_hash=True)
class NamedLaw:
    """A law's name in a text. `name` is None for "la loi precitee": the nature tells which one is meant."""

    start: int
    end: int
    name: LawName | None
    nature: str
    taken_up: bool = False  # "précitée": only a law that was named before is meant


def law_at(text: str, at: int) -> NamedLaw | None:
    """The law whose name begins here; None where none does."""
    if len(text) - at > _NEAR_END:
        return _law_at(text, at)
    law = _at_start(text[at:])
    return NamedLaw(law.start + at, law.end + at, law.name, law.nature, law.taken_up) if law is not None else None


@lru_cache(maxsize=4096)  # what a reference ends with is the name of a law, and few are cited again and again
def _at_start(text: str) -> NamedLaw | None:
    return _law_at(text, 0)


def _law_at(text: str, at: int) -> NamedLaw | None:
    return _annexed(text, at) or _code(text, at) or _law(text, at) or _short(text, at) or _foreign(text, at)


def _named(at: int, end: int, law: LawName) -> NamedLaw:
    return NamedLaw(at, end, law, law.nature)


def other_law(at: int, end: int, nature: str) -> NamedLaw:
    """A law that is recognised and has no address."""
    return NamedLaw(at, end, LawName("", nature), nature)


def _annexed(text: str, at: int) -> NamedLaw | None:
    annex = _ANNEX.match(text, at)
    law = _code(text, annex.end()) or _short(text, annex.end()) if annex is not None else None
    if annex is None or law is None:
        return None
    arabic = {"I": "1", "II": "2", "III": "3", "IV": "4"}.get(annex["number"], annex["number"])
    known = CODES.get(f"{law.name.title}, annexe {arabic}") if law.name is not None else None
    return _named(at, law.end, known) if known is not None else other_law(at, law.end, "annexe")


def _code(text: str, at: int) -> NamedLaw | None:
    found = _BY_TITLE.at(text, at)
    if found is None:
        unknown = _UNKNOWN_CODE.match(text, at) if _CODE_OF.match(text, at) else None
        return other_law(at, unknown.end(), "code") if unknown is not None else None
    name, end = found
    law = _TITLES[name]
    if (other := _OTHER_CODE.match(text, end)) is not None:
        return _named(at, other.end(), LawName("", law.nature, text[at : other.end()]))
    if law.nature == "constitution" and (dated := _OF_DATE.match(text, end)):
        return other_law(at, dated.end(), law.nature)
    unsure = _TERRITORY.match(text, end) is not None
    return _named(at, end, replace(law, sure=False) if unsure else law)


def _law(text: str, at: int) -> NamedLaw | None:
    numbered = _NUMBERED.match(text, at)
    if numbered is not None and (numbered["sign"] or "-" in numbered["number"]):
        nature = numbered["nature"].lower()
        number = law_number(numbered["number"])
        urn = f"{JURISDICTION_URN}:{nature}-{number}" if nature in ("loi", "ordonnance", "decret") else ""
        return NamedLaw(at, numbered.end(), LawName(urn, nature, "", number if urn else ""), nature)
    named = _NAMED.match(text, at)
    if named is not None and (found := _BY_NAME.at(text, named.end())) is not None:
        name, end = found
        capital = text[named.end() : named.end() + 1].isupper()
        if name != "notre" or capital:  # "la loi notre" is no French, "la loi, notre ..." is
            urns = [f"{JURISDICTION_URN}:loi-{number}" for number in NAMED_LAWS[name]]
            law = LawName(urns[0], "loi", "", NAMED_LAWS[name][0], len(urns) == 1, tuple(urns[1:]))
            return _named(at, end + (text[end : end + 1] == '"'), law)
    dated = _DATED.match(text, at)
    if dated is not None:
        nature, taken_up = dated["nature"].lower(), _TAKEN_UP.match(text, dated.end())
        day = " ".join(dated["date"].lower().replace("1er", "1").split())
        law = DATED_LAWS.get((nature, day)) or LawName("", nature, dated[0])
        end = taken_up.end() if taken_up is not None else dated.end()
        return NamedLaw(at, end, law, nature, taken_up is not None)
    plain = _PLAIN_NATURE.match(text, at)
    taken_up = _TAKEN_UP.match(text, plain.end()) if plain is not None else None
    if plain is not None and taken_up is not None:
        return NamedLaw(at, taken_up.end(), None, plain["nature"].lower(), taken_up=True)
    return None


def law_number(printed: str) -> str:
    """The number of a law in one spelling: four-digit years before 2000 have two digits in the official number."""
    number = re.sub(r"\s", "", printed)
    return number[2:] if re.match("19[4-9][0-9]-", number) else number


def _short(text: str, at: int) -> NamedLaw | None:
    short = SHORT_NAME.match(text, at)
    if short is not None:
        law = _BY_SHORT[re.sub(r"[.\s]", "", short[0].lower())]
        return _named(at, short.end(), law)
    union = _LIL.match(text, at)
    return other_law(at, union.end(), "traite") if union is not None else None


def _foreign(text: str, at: int) -> NamedLaw | None:
    foreign = _FOREIGN.match(text, at)
    return other_law(at, foreign.end(), foreign[0].split()[0].lower()) if foreign is not None else None
