"""The addresses of legislation.gov.uk and ours: types of law, URIs of laws and provisions, designators."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.law.designators import annex_segment, container_segment
from rag.law.patterns import lazy
from retrieval.errors import InputError
from retrieval.paths import segment

SITE = "http://www.legislation.gov.uk"

# DocumentMainType and Citation/@Class -> the code that the publisher's addresses use.
TYPE_CODES = {
    "UnitedKingdomPublicGeneralAct": "ukpga", "UnitedKingdomLocalAct": "ukla",
    "UnitedKingdomPrivateOrPersonalAct": "ukppa", "GreatBritainAct": "apgb", "GreatBritainLocalAct": "gbla",
    "GreatBritainPrivateOrPersonalAct": "gbppa", "EnglandAct": "aep", "IrelandAct": "aip", "ScottishOldAct": "aosp",
    "ScottishAct": "asp", "WelshParliamentAct": "asc", "WelshNationalAssemblyAct": "anaw",
    "WelshAssemblyMeasure": "mwa", "NorthernIrelandAct": "nia", "NorthernIrelandAssemblyMeasure": "mnia",
    "NorthernIrelandParliamentAct": "apni", "UnitedKingdomChurchMeasure": "ukcm",
    "UnitedKingdomStatutoryInstrument": "uksi", "ScottishStatutoryInstrument": "ssi",
    "WelshStatutoryInstrument": "wsi", "NorthernIrelandStatutoryRule": "nisr",
    "NorthernIrelandOrderInCouncil": "nisi", "UnitedKingdomChurchInstrument": "ukci",
    "UnitedKingdomMinisterialDirection": "ukmd", "UnitedKingdomMinisterialOrder": "ukmo",
    "UnitedKingdomStatutoryRuleOrOrder": "uksro", "NorthernIrelandStatutoryRuleOrOrder": "nisro",
    "UnitedKingdomDraftStatutoryInstrument": "ukdsi", "ScottishDraftStatutoryInstrument": "sdsi",
    "NorthernIrelandDraftStatutoryRule": "nidsr", "NorthernIrelandDraftOrderInCouncil": "nidsi",
    "EuropeanUnionRegulation": "eur", "EuropeanUnionDecision": "eudn", "EuropeanUnionDirective": "eudr",
    "EuropeanUnionTreaty": "eut",
}  # fmt: skip

CITING_WORDS = frozenset({"section", "article", "regulation", "rule", "paragraph", "order", "direction"})
_CONTAINER_WORDS = frozenset({"part", "chapter", "title", "group", "crossheading"})
_ANNEX_WORDS = {"schedule": "sch", "annex": "annex", "appendix": "appendix"}

_SITE_PATH = lazy(r"https?://(?:www\.)?legislation\.gov\.uk/(?:id/)?([^?#]*)", re.IGNORECASE)
_EU_PATH = lazy(r"european/(regulation|directive|decision)/(\d{4})/0*(\d{1,4})\Z", re.IGNORECASE)
_EU_LETTERS = {"regulation": "r", "directive": "l", "decision": "d"}
_CELEX = lazy(r"urn:lex:eu:3(?P<year>\d{4})(?P<letter>[rld])(?P<number>\d{4})(?P<place>(?::.+)?)\Z")
_KEPT = {"r": "eur", "l": "eudr", "d": "eudn"}
# What an address may end in that says which text is meant, not which provision.
_VERSION = lazy(
    r"(?:\d{4}-\d\d-\d\d|enacted|made|adopted|created|prospective|revision|welsh|england|wales|scotland|ni"
    r"|[ews](?:\+[ewsni.]+)*|data\.\w+|contents|note)\Z",
    re.IGNORECASE,
)
_MONARCH = lazy(r"[A-Za-z]+\d*\Z")
_LEADING_WORD = lazy(
    r"(?:section|article|regulation|rule|paragraph|schedule|annex|appendix|part|chapter|title|group|form"
    r"|recital)s?\b\.?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Address:
    """A law's address taken apart. `law` is `ukpga-1996-31`; `path` what follows, without date and version."""

    law: str
    path: tuple[str, ...]

    @property
    def urn(self) -> str:
        """The URN; empty where a part of the path has no citable character."""
        try:
            return ":".join(("urn:lex:gb", self.law, *path_segments(self.path)))
        except InputError:
            return ""


def read_uri(uri: str) -> Address | None:
    """Take an address of legislation.gov.uk apart, identifier or document; None for any other address.

    Laws addressed by regnal year (`ukpga/Geo6/12-13-14/30`) keep it: `ukpga-geo6-12-13-14-30`.
    """
    match = _SITE_PATH.match(uri.strip())
    parts = [part for part in match[1].split("/") if part] if match else []
    if len(parts) < 3 or parts[0].lower() not in TYPE_CODES.values():
        return None
    size = 4 if _MONARCH.match(parts[1]) and len(parts) > 3 else 3
    rest = parts[size:]
    while rest and _VERSION.match(rest[-1]) and not (len(rest) > 1 and _is_number_of(rest[-2], rest[-1])):
        rest.pop()
    try:
        return Address("-".join(segment(part) for part in parts[:size]), tuple(rest))
    except InputError:
        return None


def _is_number_of(word: str, last: str) -> bool:
    # "schedule/1/paragraph/2/e" ends in a paragraph and "section/3/e+w" in a territory.
    return not re.search(r"[+.]|\d{4}-|\w{4}", last) and word.lower() not in ("introduction", "body", "schedules")


def target_urn(uri: str, kind: str = "", year: str = "", number: str = "") -> str:
    """Our URN for what a citation points at; empty where it has none.

    Args:
        uri: the publisher's address, possibly empty.
        kind: the citation's Class.
        year: its calendar year, which stands for a regnal one in the address.
        number: its number in the series.
    """
    found = _SITE_PATH.match(uri.strip())
    european = _EU_PATH.match(found[1]) if found else None
    if european:
        return f"urn:lex:eu:3{european[2]}{_EU_LETTERS[european[1].lower()]}{int(european[3]):04d}"
    address = read_uri(uri)
    code = TYPE_CODES.get(kind, "")
    if code and year.isdigit() and number.lstrip("0").isdigit() and (address is None or address.law.startswith(code)):
        address = Address(f"{code}-{year}-{number.lstrip('0')}", address.path if address else ())
    return address.urn if address else ""


def kept_urn(urn: str) -> str:
    """The URN of a provision of the Union's law as the United Kingdom keeps it; empty where it is none."""
    act = _CELEX.match(urn)
    return f"urn:lex:gb:{_KEPT[act['letter']]}-{act['year']}-{int(act['number'])}{act['place']}" if act else ""


def path_segments(path: tuple[str, ...]) -> list[str]:
    """The URN segments of a provision's path: `schedule/1/paragraph/2/a` -> `sch.1 2 a`.

    Raises:
        InputError: a part has no letter or digit.
    """
    out: list[str] = []
    position = 0
    while position < len(path):
        word, position = path[position].lower(), position + 1
        following = path[position] if position < len(path) else ""
        plain = following.lower()
        if word in _ANNEX_WORDS:
            bare = not following or plain in CITING_WORDS | _CONTAINER_WORDS
            out.append(annex_segment(_ANNEX_WORDS[word], "" if bare else following))
            position += not bare
        elif word in _CONTAINER_WORDS and following:
            out.append(container_segment(word, following))
            position += 1
        elif word not in CITING_WORDS:
            out.append(segment(word))
    return out


def annex_kind(printed: str) -> tuple[str, str, str]:
    """Level word, URN word and number of what a schedule's Number prints: `FIRST SCHEDULE` -> schedule, sch, FIRST."""
    text = printed.strip()
    word = next((annex_word for annex_word in _ANNEX_WORDS if annex_word in text.lower()), "schedule")
    return word, _ANNEX_WORDS[word], re.sub(rf"\b(?:the|{word}s?)\b", "", text, flags=re.IGNORECASE).strip(" .—–-")


def bare_number(printed: str) -> str:
    """A designator without its word and brackets: `Article 3` -> `3`, `(a)` -> `a`, `1.—` -> `1`."""
    text = _LEADING_WORD.sub("", printed.strip(), count=1) or printed
    return text.strip().strip("()[]").strip(" .—–-:,")
