"""Addresses of the publishers (`/us/usc/t17/s106/1/A`) as URNs, and the sections that a range of numbers names."""

from __future__ import annotations

import re

from retrieval.paths import urn_below

_DASHES = re.compile("[\u2010-\u2015\u2212]")
_USC = re.compile(r"/us/usc/t(\d{1,2}[A-Za-z]?)((?:/.+)?)\Z", re.ASCII)
_CFR = re.compile(r"/us/cfr/t(\d{1,2})((?:/.+)?)\Z", re.ASCII)
_LAW = re.compile(r"/us/(pl|sComp|pvtl)/(\d{1,3})/(\d{1,4})((?:/.+)?)\Z", re.ASCII)
_SECTION = re.compile(r"s(\(?\d[0-9A-Za-z.()-]*)\Z", re.ASCII)
_PLACE = re.compile(r"(st|sch|ch|spt|sp|pt|sd|d|art|p|t)([0-9IVXLCDM]+[A-Za-z0-9-]*|[A-Z][A-Za-z0-9-]*)\Z", re.ASCII)
_LEVELS = {
    "t": "title", "st": "subtitle", "ch": "chapter", "sch": "subchapter", "pt": "part", "p": "part", "spt": "subpart",
    "sp": "subpart", "d": "division", "sd": "subdivision", "art": "article",
}  # fmt: skip
_DESIGNATOR = re.compile(r"[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*\Z", re.ASCII)
# Levels whose numbers run through a whole title, so that their URN is short.
_SHORT = {"usc": frozenset({"chapter"}), "cfr": frozenset({"subtitle", "chapter", "part"})}

_RANGE = re.compile(r"(\d+)([A-Za-z]?)\s*(?:to|through|-|\.\.\.)\s*(\d+)([A-Za-z]?)\Z", re.ASCII)
_LISTED = re.compile(r"\d+[0-9A-Za-z.-]*\Z", re.ASCII)
MAX_RANGE = 1000  # sections; a longer range is addressed by its ends


def urn_of(href: str) -> str:
    """The URN that a publisher's address names.

    Args:
        href: `/us/usc/t17/s106/1/A`, `/us/cfr/t27/p40/spCa`, `/us/pl/94/553/tI/s101`; typographic dashes are read
            as hyphens.

    Returns:
        The URN; empty for what has none here (Statutes at Large, acts by date, bills, notes, ranges).
    """
    path = _DASHES.sub("-", href.strip()).rstrip("/")
    if usc := _USC.match(path):
        return _below(f"urn:lex:us:{usc[1].lower()}usc", usc[2], "usc")
    if cfr := _CFR.match(path):
        return _below(f"urn:lex:us:{cfr[1]}cfr", cfr[2], "cfr")
    if law := _LAW.match(path):
        kind = "pvtl" if law[1] == "pvtl" else "pl"
        return _below(f"urn:lex:us:{kind}-{law[2]}-{law[3]}", law[4], "law")
    return ""


def _below(corpus: str, rest: str, code: str) -> str:
    places = rest.strip("/").split("/") if rest else []
    urn, division = corpus, False
    for index, place in enumerate(places):
        section = _SECTION.match(place)
        if section:
            # Sections of an act with divisions may be numbered anew in each: not certain, so no target.
            return "" if division else _designated(corpus, [section[1], *places[index + 1 :]])
        container = _PLACE.match(place)
        if container is None:
            return ""
        level = _LEVELS[container[1]]
        division = division or (code == "law" and level == "division")
        base = corpus if level in _SHORT.get(code, ()) else urn
        urn = f"{base}:{level}_{container[2].lower()}"
    return urn_below(urn)


def _designated(corpus: str, designators: list[str]) -> str:
    number = designators[0].strip("()")
    ends = _RANGE.match(number)
    if ends is not None and int(ends[1]) < int(ends[3]) and bool(ends[2]) <= bool(ends[4]):
        return ""  # `151-158` and `10a-12c` are ranges, unlike `80a-90`; an address names one provision
    if (
        "..." in number
        or number.endswith(("nt", "prec"))
        or not all(_DESIGNATOR.match(designator) for designator in designators[1:])
    ):
        return ""
    return urn_below(corpus, number, *designators[1:])


def sections_of(number: str) -> list[str]:
    """The single sections that a number such as `143 to 146`, `63a to 63d` or `61, 62` names; empty for one section.

    A range whose ends differ in more than one place (`71 to 90a`) gives the numbers in between and both ends.
    """
    found: list[str] = []
    parts = [part for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", number) if part]
    for part in parts:
        match = _RANGE.match(part)
        if match is None or (part.count("-") and " " not in part):
            if not _LISTED.match(part):
                return []
            found.append(part)
        else:
            found.extend(_between(match))
    return list(dict.fromkeys(found)) if len(found) > 1 else []


def _between(match: re.Match[str]) -> list[str]:
    first, first_letter, last, last_letter = int(match[1]), match[2], int(match[3]), match[4]
    ends = [f"{first}{first_letter}", f"{last}{last_letter}"]
    if first == last and first_letter and first_letter.islower() == last_letter.islower() and last_letter:
        return [f"{first}{chr(code)}" for code in range(ord(first_letter), ord(last_letter) + 1)] or ends
    if first < last and last - first <= MAX_RANGE:
        return [
            ends[0],
            *(str(number) for number in range(first + 1, last)),
            *([str(last)] if last_letter else []),
            ends[1],
        ]
    return ends
