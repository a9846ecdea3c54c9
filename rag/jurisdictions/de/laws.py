"""Names of German laws: the abbreviations that people cite, their full names, and law that is not German federal law.

The table is open: an abbreviation that is not in it is read as one, but never with certainty.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag.jurisdictions.de.naming import law_urn
from rag.jurisdictions.tables import laws_of
from retrieval.roman import roman_value, to_roman

Sign = Literal["§", "artikel", "anlage"]

_WORDS = laws_of("de").words
# Law of other countries, treaties, former law and contract terms that German texts cite in the same form.
FOREIGN = frozenset(_WORDS["foreign"])
# Courts, reporters and the like: capitals after a number that name no law.
NOT_LAWS = frozenset(_WORDS["no_law"])
# Laws of the Länder bear the federal abbreviation with the Land behind it: "VwVfG NRW".
_LAND = (
    r"NRW|NW|BW|BWG?|BY|Bay|BE|Bln|BB|Bbg|Brdbg|HB|Brem|HH|Hmb|HE|Hess|MV|M-V|NI|Nds|ND|RP|RLP|RhPf|SL|Saar|SN|Sachs|"
    r"ST|LSA|SH|S-H|TH|Thür|Baden-Württemberg|Bayern|Berlin|Brandenburg|Bremen|Hamburg|Hessen|Niedersachsen|Saarland|"
    r"Sachsen|Thüringen|DDR|Österreich|österr\.|Schweiz|schweiz\.|Liechtenstein|Südtirol|Luxemburg|AT|CH"
)


_IDS = {entry.abbreviations[0]: entry.id for entry in laws_of("de").laws if entry.abbreviations}


@lru_cache(maxsize=4096)
def _urn_of(code: str) -> str:
    return f"urn:lex:de:{_IDS[code]}" if _IDS.get(code) else law_urn(code)


@dataclass(frozen=True, slots=True)
class Law:
    """A German law. `code` is the abbreviation that the nodes' tag `code` has; `sign` is what it counts."""

    code: str
    sign: Sign

    @property
    def urn(self) -> str:
        """The URN prefix."""
        return _urn_of(self.code)


def _known_laws() -> tuple[dict[str, Law], dict[str, Law], list[tuple[str, Law]]]:
    """The laws of `laws.toml` by abbreviation and by English name, and their full names."""
    laws: dict[str, Law] = {}
    other: dict[str, Law] = {}
    english: dict[str, Law] = {}
    names: list[tuple[str, Law]] = []
    for entry in laws_of("de").laws:
        code, *others = entry.abbreviations or (entry.title,)
        law = laws[code] = Law(code, "artikel" if entry.counts == "Artikel" else "§")
        other.update(dict.fromkeys(others, law))
        english.update(dict.fromkeys(entry.english, law))
        names.extend((name, law) for name in (entry.title, *entry.names) if name != code)
    return laws | other, english, names


LAWS, ENGLISH, _NAMES = _known_laws()
# Spelling in other capitals ("bgb", "STGB") is accepted where it is no German word.
_FOLDED = {code.casefold(): law for code, law in LAWS.items() if code not in ("WEG", "AO")}


def _pattern(name: str) -> str:
    """A full name in any case of the declension, with old and new spelling."""
    head = next((item for item in name.split() if re.search(r"(?:gesetz|buch|ordnung)\Z", item, re.IGNORECASE)), "")
    words = [
        re.escape(word).replace("ss", "(?:ss|ß)").replace(r"\~", "[srnm]?") + ("(?:e?s|e)?" if word == head else "")
        for word in name.split()
    ]
    return r"\s{1,4}".join(words)


# By their first letters, longest first: each place of a text is compared with the few that begin like it.
_BY_NAME: dict[str, list[tuple[re.Pattern[str], Law]]] = defaultdict(list)
for _name, _law in sorted(_NAMES, key=lambda pair: -len(pair[0])):
    _BY_NAME[_name[:2]].append((re.compile(rf"{_pattern(_name)}(?![\w-])"), _law))
_ABBREVIATION = re.compile(r"[A-ZÄÖÜ][A-Za-zÄÖÜäöüß]{1,15}(?:[-/][A-Z][A-Za-zÄÖÜäöüß]{0,15})?(?![\w-])")
_LOOSE = re.compile(r"[A-Za-zÄÖÜäöüß]{2,12}(?![\w-])")
_LAND_AFTER = re.compile(rf"(?:\s{{1,3}}|[-/])\(?(?:{_LAND})\)?(?![\w-])")
_OTHER_STATE = re.compile(
    r"\s{1,3}(?:der\s{1,3}(?:Deutschen\s{1,3}Demokratischen|Republik)|(?:für\s{1,3})?(?:das|den|die|des)\s{1,3}"
    r"(?:Land|Freistaat|Freie)|des\s{1,3}(?:Landes|Freistaates?|Kantons|Fürstentums))(?!\w)"
)
_SGB = re.compile(r"SGB(?:\s{0,3}[-‐–]?\s{0,3}(?P<book>[IVX]{1,5}|\d{1,2}))?(?!\w)")
_ORDINALS = ("Erst", "Zweit", "Dritt", "Viert", "Fünft", "Sechst", "Siebt", "Acht", "Neunt", "Zehnt", "Elft", "Zwölft")
_SGB_NAME = re.compile(
    r"(?:(?P<word>" + "|".join(_ORDINALS) + r"|Siebent|Vierzehnt)(?:e[snmr]?)?|(?P<digit>\d{1,2})\.)\s{1,4}"
    r"Buch(?:e?s)?\s{1,4}(?:des\s{1,4})?(?:Sozialgesetzbuch(?:e?s)?|\(?SGB\)?)(?!\w)"
    r"|Sozialgesetzbuch(?:e?s)?(?:\s{0,3}\(SGB\))?\s{1,3}[-–]?\s{0,2}(?:(?P<roman>[IVX]{1,5}|\d{1,2})(?!\w)|"
    r"(?P<last>" + "|".join(_ORDINALS) + r"|Siebent|Vierzehnt)e[snmr]?\s{1,4}Buch(?:e?s)?(?!\w))"
)
_BOOKS = (*range(1, 13), 14)
SGB_BOOKS = tuple(to_roman(book).upper() for book in _BOOKS)


@dataclass(slots=True, unsafe_hash=True)
class Named:
    """A law as named in a text.

    `law` is None where the words name law without a URN scheme, or none that is known; `sure` is False for an
    abbreviation that is not in the table (then `law` is what it would be).
    """

    end: int
    law: Law | None
    sure: bool = True


def _book(text: str) -> Law | None:
    """The book of the Sozialgesetzbuch with this number or ordinal; None where there is none."""
    stem = "Siebt" if text == "Siebent" else text
    number = int(text) if text.isdecimal() and text.isascii() else roman_value(text)
    if not number:
        number = 14 if stem == "Vierzehnt" else _ORDINALS.index(stem) + 1 if stem in _ORDINALS else 0
    return Law(f"SGB {number}", "§") if number in _BOOKS else None


def read_abbreviation(text: str, position: int, *, loose: bool = False) -> Named | None:
    """Read an abbreviation of a law at a place.

    Args:
        loose: accept known ones in other capitals ("bgb").

    Returns:
        None where there is none.
    """
    if match := _SGB.match(text, position):
        law = _book(match["book"]) if match["book"] else None
        return Named(match.end(), law, sure=law is not None)
    match = _ABBREVIATION.match(text, position)
    if match is not None:
        found = _token(match[0])
        if found is None and "/" in match[0]:
            found = _token(match[0].partition("/")[0])
        if found is not None:
            after = _LAND_AFTER.match(text, match.end())
            if after is not None or match[0].endswith("-DDR"):
                return Named(after.end() if after else match.end(), None)
            law, sure = found
            return Named(match.end(), law, sure)
    match = _LOOSE.match(text, position) if loose else None
    if match is not None and match[0].casefold() in _FOLDED:
        return Named(match.end(), _FOLDED[match[0].casefold()])
    return None


def _token(token: str) -> tuple[Law | None, bool] | None:
    if token in LAWS:
        return LAWS[token], True
    if token in FOREIGN:
        return None, True
    if token in NOT_LAWS:
        return None
    capitals = sum(char.isupper() for char in token)
    # Words in capitals are headings; an abbreviation mixes them, or is short.
    if capitals < 2 or (capitals == len(token) and len(token) > 6) or len(token) > 16 or "-" in token:
        return None
    if token.casefold() in _FOLDED:
        return _FOLDED[token.casefold()], True
    return Law(token, "§"), False


def read_name(text: str, position: int) -> Named | None:
    """Read the full name of a known law at a place; None where there is none."""
    if not text[position : position + 1].isalnum():
        return None
    if match := _SGB_NAME.match(text, position):
        law = _book(match["word"] or match["digit"] or match["roman"] or match["last"])
        return Named(match.end(), law, sure=law is not None)
    for pattern, law in _BY_NAME.get(text[position : position + 2], ()):
        if match := pattern.match(text, position):
            other = _OTHER_STATE.match(text, match.end()) or _LAND_AFTER.match(text, match.end())
            return Named(match.end(), None if other else law)
    return None
