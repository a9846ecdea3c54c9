"""Law that a German text names after a number and that is not a known German law: acts of the European Union,
"dieses Gesetz", unknown laws by their full name, and editions other than the present one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag.jurisdictions.de.laws import Law, read_abbreviation, read_name

Role = Literal["german", "unknown", "external", "european", "own"]

_GAP = re.compile(r"(?P<comma>\s{0,3},)?\s{0,4}(?P<article>(?:des|der|dem|den|vom|zum|d\.)\s{1,4})?")
_OWN = re.compile(
    r"(?:dies(?:es|er|em)|des\s{1,3}vorliegenden|der\s{1,3}vorliegenden)\s{1,4}(?:(?:Bundes|Landes|Stammes)?[Gg]esetz(?:es|buch(?:e?s)?)?|"
    r"Grundgesetz(?:es)?|Verordnung|Ordnung|Buch(?:e?s)?|Satzung|Einführungsgesetz(?:es)?)(?![\w-])"
)
_EU_ACT = re.compile(
    r"(?:(?:Delegierten?|Durchführungs)[ -]?)?(?P<kind>[Vv]erordnung|[Rr]ichtlinie|[Bb]eschluss(?:es)?|"
    r"[Rr]ahmenbeschluss(?:es)?)\s{1,3}(?:\((?:EU|EG|EWG|EU,\s?Euratom|EG,\s?Euratom|Euratom)\)\s{0,3})?(?P<old>Nr\.\s{0,3})?"
    r"(?P<first>\d{1,4})/(?P<second>\d{1,4})(?:/(?P<body>EU|EG|EWG|Euratom|JI))?(?![\w/])"
)
# An act named without an article; `read_act` at its start reads it.
ACT_ALONE = r"(?<!\w)(?:[Vv]erordnung|[Rr]ichtlinie)\s{1,3}(?:\((?:EU|EG|EWG)\)\s{0,3})?(?:Nr\.\s{0,3})?(?=\d{1,4}/\d)"
_GDPR = re.compile(r"(?:EU-)?DS-?GVO(?![\w-])|Datenschutz-?Grundverordnung(?![\w-])")
_TREATY = re.compile(r"(?:AEUV|EUV|EGV|EMRK|GRCh|EU-?GRCh(?:arta)?)(?![\w-])")
_WORD = re.compile(r"[A-Za-zÄÖÜäöüß][\wäöüß]{0,60}(?:-[\wäöüß]{1,60}){0,4}")
_WORD_SPACE = re.compile(r"-?\s{1,3}")
_STATUTE = re.compile(r"\w{4}(?:gesetz(?:buch)?|ordnung)(?:e?s)?\Z")
_LAW_WORD = re.compile(
    r"(?:[Gg]esetz(?:buch)?|(?<!An)(?<!an)(?<!Zu)(?<!Ein)(?<!Unter)(?<!Haus)(?<!Rang)(?:[Vv]er|\w[a-z])?[Oo]rdnung|"
    r"[Kk]odex|[Ss]taatsvertrag|Einigungsvertrag|[Üü]bereinkommen|[Aa]bkommen|[Kk]onvention|[Vv]erfassung|[Ss]tatut|"
    r"[Rr]ichtlinie|[Vv]erwaltungsvorschrift)(?:e?s|e|en|n)?\Z"
)
# Nouns in -ordnung that are no law.
_NO_LAW = re.compile(r"\A(?:Anordnung|Zuordnung|Einordnung|Unterordnung|Abordnung|Beiordnung|Rangordnung|Überordnung)")
_ADJECTIVE = re.compile(r"(?:\w{2,60}(?:en|er|es|e)|\d{1,2}\.)\Z")
_OTHER_EDITION = re.compile(
    r"\s{0,3},?\s{0,2}\(?(?:a\.\s?F\b\.?|aF(?!\w)|alte[rn]?\s{1,3}Fassung|n\.\s?F\b\.?|nF(?!\w)|i\.\s?d\.\s?F\.|idF(?!\w)|"
    r"in\s{1,3}der\s{1,3}(?:(?:bis|vor|ab|seit|vom|am)\s[^.;]{0,20}(?:\.[^.;]{1,30}){0,3}?\s)?(?:[a-zäöü]{3,12}\s{1,3}){0,2}"
    r"Fassung(?!\w)|-E(?!\w)|(?<=\()(?:alt|neu)\)|"
    r"(?:19|20)\d\d(?![\w./]))"
)
_EDITION_BEGINS = frozenset("anAiI-12")
_SHORT = 80  # characters behind a number that are compared with what was read before
_PUBLISHED = re.compile(r"\s{1,3}vom\s{1,3}\d{1,2}\.\s{0,3}(?:\w{3,9}|\d{1,2}\.)\s{0,3}\d{4}")


@dataclass(slots=True, unsafe_hash=True)
class Act:
    """The law that a citation names. `urn` is its prefix, empty for external law and for `own`."""

    end: int
    role: Role
    law: Law | None = None
    urn: str = ""
    sure: bool = True
    edition: bool = False  # another edition than the present one is named


def read_act(text: str, position: int, *, loose: bool = False) -> Act | None:
    """Read the law named at the end of a citation.

    Args:
        loose: accept known abbreviations in other capitals.

    Returns:
        None where no law is named there; then the citation is of the law it is in.
    """
    if len(text) - position > _SHORT:
        return _read_act(text, position, loose)
    act = _read_tail(text[position:], loose)
    if act is None:
        return None
    return Act(act.end + position, act.role, act.law, act.urn, act.sure, act.edition)


@lru_cache(maxsize=4096)  # what a reference ends with is the name of a law, and few are cited again and again
def _read_tail(text: str, loose: bool) -> Act | None:
    return _read_act(text, 0, loose)


def _read_act(text: str, position: int, loose: bool) -> Act | None:
    behind = text[position : position + 6].lstrip(" ,(\n\u00a0")[:1]
    edition = _OTHER_EDITION.match(text, position) if behind in _EDITION_BEGINS else None
    early = edition is not None and not edition[0].strip().isdigit()
    if edition is not None and early:
        position = edition.end()
    gap = _GAP.match(text, position)
    if gap is None:
        return None
    at = gap.end()
    if match := _OWN.match(text, at):
        return Act(match.end(), "own")
    if not gap["comma"]:
        european = _european(text, at)
        if european is not None:
            return european
    named = read_name(text, at) or read_abbreviation(text, at, loose=loose and not gap["article"])
    following = text[named.end : named.end + 6].lstrip() if named is not None else ""
    # After a comma an unknown abbreviation, or one that a "§" follows, belongs to what comes next.
    if named is not None and gap["comma"] and (not named.sure or following.startswith(("§", "Art"))):
        return None
    if named is None and early:
        return Act(edition.end() if edition else position, "own", edition=True)
    if named is None:
        return None if gap["comma"] and not gap["article"] else _unknown_name(text, at, bool(gap["article"]))
    if named.law is None:
        return Act(named.end, "external")
    later = _OTHER_EDITION.match(text, named.end)
    end = later.end() if later else named.end
    role: Role = "german" if named.sure else "unknown"
    return Act(end, role, named.law, named.law.urn, named.sure, edition=early or later is not None)


def _european(text: str, at: int) -> Act | None:
    begin = text[at : at + 1]
    if begin in "DE" and (match := _GDPR.match(text, at)):
        return Act(match.end(), "european", urn="urn:lex:eu:32016r0679")
    if begin in "AEG" and (match := _TREATY.match(text, at)):
        return Act(match.end(), "external")
    match = _EU_ACT.match(text, at) if begin in "DVRBvrb" else None
    if match is None:
        return None
    first, second = match["first"], match["second"]
    regulation = match["kind"].lower() == "verordnung"
    if not regulation and match["kind"].lower() != "richtlinie":
        return Act(match.end(), "external")
    # Before 2015 regulations were numbered number/year, with "Nr."; directives always year/number.
    year, number = (second, first) if match["old"] else (first, second)
    if len(year) == 2 and year >= "52":
        year = f"19{year}"
    if len(year) != 4 or not 1952 <= int(year) <= 2100:
        return Act(match.end(), "external")
    return Act(match.end(), "european", urn=f"urn:lex:eu:3{year}{'r' if regulation else 'l'}{int(number):04d}")


def _unknown_name(text: str, at: int, article: bool) -> Act | None:
    """A law by a full name that is not in the table: adjectives, then a noun such as Wertpapiererwerbsgesetz."""
    position = at
    for _ in range(5 if article else 1):
        match = _WORD.match(text, position)
        if match is None:
            return None
        word = match[0]
        # Without an article only a statute's name right after the number is one: "§ 5 Grundsteuergesetz".
        names = _LAW_WORD if article else _STATUTE
        if word[0].isupper() and names.search(word) and not _NO_LAW.match(word):
            date = _PUBLISHED.match(text, match.end())
            return Act(date.end() if date else match.end(), "external")
        space = _WORD_SPACE.match(text, match.end())
        if space is None or not (word == "und" or space[0][0] == "-" or _ADJECTIVE.match(word)):
            return None
        position = space.end()
    return None
