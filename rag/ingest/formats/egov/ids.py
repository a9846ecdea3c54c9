"""Which law an e-Gov file holds: its law id, number, title and edition.

A law id is era, year, kind, a category and the number. The category (who introduced the bill, which ministry) stands
in no attribute of the law, so the id is taken from where it is written out, and checked against the attributes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePath

from rag.ingest.formats.egov.text import Words
from rag.ingest.formats.xml import Element, collapse, local
from rag.jurisdictions.jp.kanji import ERA_NAMES, LawNumber, law_number, western_year
from rag.law.nodes import Corpus
from retrieval.errors import IngestError

_LAW_ID = (
    r"[1-5]\d{2}(?:CONSTITUTION|(?:AC|CO|IO|DF|DT|DH)\d{10}|M[0-9A-F]{8}\d{3}|RJNJ\d{8}|RPMD\d{8}|R[0-9A-F]{8}\d{3})"
)
_REVISION = re.compile(rf"({_LAW_ID})(?:_(\d{{8}})_(\w{{3,20}}))?\Z", re.ASCII)
_KINDS = {
    "Constitution": ("CONSTITUTION",),
    "Act": ("AC", "DF", "DT", "DH"),
    "CabinetOrder": ("CO", "DF", "DT", "DH"),
    "ImperialOrder": ("IO",),
    "MinisterialOrdinance": ("M",),
    "Rule": ("R", "RJNJ", "RPMD"),
    "Misc": ("CONSTITUTION", "AC", "CO", "IO", "DF", "DT", "DH", "M", "RJNJ", "RPMD", "R"),
}
# Kinds whose id can be written from the attributes where no category but the usual one is likely.
_UNCATEGORISED = frozenset({"AC", "CO", "IO", "DF", "DT", "DH"})
_NO_AMENDMENT = re.compile(r"0+\Z")
_ID_ELEMENTS = ("{*}LawId", "{*}law_id", "{*}law_revision_id")
_REPEALS = {
    "repeal": "repealed", "expire": "expired", "lossofeffectiveness": "expired", "suspend": "suspended",
}  # fmt: skip
_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})\Z", re.ASCII)


@dataclass(slots=True)
class LawIdentity:
    """One law as one file names it."""

    law_id: str
    title: str
    number: str  # as printed: 昭和二十七年法律第二百三十一号
    kind: str  # of its law id: AC, CO, IO, M, R ...
    language: str
    edition: date | None = None
    repealed_on: date | None = None
    tags: dict[str, str] = field(default_factory=dict[str, str])
    aliases: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])

    @property
    def corpus(self) -> Corpus:
        """The law as a corpus of its own."""
        return Corpus(
            urn=f"urn:lex:jp:{self.law_id.lower()}", title=self.title, language=self.language,
            publisher="Digital Agency of Japan (e-Gov)",
            licence="Not subject to copyright (Copyright Act of Japan, article 13)",
            url=f"https://laws.e-gov.go.jp/law/{self.law_id}",
        )  # fmt: skip


def find_law(root: Element, name: str) -> Element:
    """The law in a file: its root element, or the only one that an answer of the e-Gov interface wraps.

    Raises:
        IngestError: none, or several.
    """
    laws = [root] if local(root) == "Law" else [one for one in root.iter("{*}Law") if _wrapped(one)]
    if len(laws) != 1:
        raise IngestError(f"holds {len(laws)} laws; a document is one law", file=name, line=root.sourceline)
    return laws[0]


def _wrapped(law: Element) -> bool:
    return all(local(one) != "Law" for one in law.iterancestors())


def identify(root: Element, law: Element, name: str) -> LawIdentity:
    """Read which law it is, and which edition.

    The law id is the one that the file's wrapper states, or the one in the file's name where that agrees with the
    law's own attributes, or the one that the attributes give.

    Raises:
        IngestError: attributes missing, contradicted by the printed law number or the stated id, or a law whose id
            holds the code of a ministry that nothing in the file states.
    """

    def refused(cause: str) -> IngestError:
        return IngestError(cause, file=name, line=law.sourceline)

    era, year, kind = ERA_NAMES.get(law.get("Era", "")), law.get("Year", ""), law.get("LawType", "")
    if era is None or not re.fullmatch(r"\d{1,2}", year, re.ASCII) or kind not in _KINDS:
        raise refused("the law's attributes Era, Year and LawType do not name a law")
    num = law.get("Num", "")
    digits = int(num) if re.fullmatch(r"\d{1,6}", num, re.ASCII) else None
    words = Words()
    body = next((one for one in law if local(one) == "LawBody"), None)
    if body is None:
        raise refused("the law has no LawBody")
    printed = next((words.text(one) for one in law if local(one) == "LawNum"), "")
    heading = next((one for one in body if local(one) == "LawTitle"), None)
    title = "" if heading is None else words.text(heading)
    read = law_number(printed) if printed else None
    if read and ((read.era, read.year) != (era, int(year)) or (read.number or digits) != (digits or read.number)):
        raise refused("the printed law number and the law's attributes name different laws")
    found = LawIdentity("", title or printed, printed, "", law.get("Lang") or "ja")
    prefix = f"{era}{int(year):02d}"
    stated = _stated(root, law)
    if not all(_agrees(match[1], prefix, kind, digits) for match in stated):
        raise refused("the law id that the file states does not fit the law's attributes")
    by_name = _REVISION.match(PurePath(name).stem.split(".")[0])
    if by_name and not _agrees(by_name[1], prefix, kind, digits):
        found.warnings.append(f"{name}: the law id in the file's name is not that of the law inside; it is not used")
        by_name = None
    ids = [match[1] for match in (*stated, *([by_name] if by_name else []))]
    found.law_id = ids[0] if ids else _derived(prefix, kind, digits, read)
    if not found.law_id:
        raise refused("its law id cannot be told from the file: name the file as e-Gov does (law id first)")
    if not ids and kind == "Act":
        found.warnings.append(
            f"{name}: the law id is written from the law's attributes; the digit that says who introduced the bill is "
            "taken as 0"
        )
    found.kind = next(code for code in _KINDS["Misc"] if found.law_id[3:].startswith(code))
    _describe(found, law, heading, prefix, digits)
    _set_edition(found, root, law, [*stated, *([by_name] if by_name else [])])
    return found


def _stated(root: Element, law: Element) -> list[re.Match[str]]:
    """Law ids and revision ids that the law's attribute or a wrapper around the law writes out."""
    texts = [law.get("LawId", ""), *(one.text or "" for one in root.iter(*_ID_ELEMENTS))]
    written = (_REVISION.match(collapse(text)) for text in texts)
    return [match for match in written if match]


def _agrees(law_id: str, prefix: str, kind: str, digits: int | None) -> bool:
    rest = law_id[3:]
    known = any(rest.startswith(code) for code in _KINDS[kind])
    counted = not rest.startswith(("CONSTITUTION", "RJNJ", "RPMD")) and digits is not None
    return law_id.startswith(prefix) and known and (not counted or int(law_id[-3:]) == digits)


def _derived(prefix: str, kind: str, digits: int | None, read: LawNumber | None) -> str:
    """The id that the attributes give; empty where they cannot, for a ministry's code stands in none of them."""
    if kind == "Constitution":
        return f"{prefix}CONSTITUTION"
    code = read.kind if read and read.kind in _KINDS[kind] else _KINDS[kind][0]
    return f"{prefix}{code}{digits:010d}" if code in _UNCATEGORISED and digits is not None and digits < 1000 else ""


def _describe(found: LawIdentity, law: Element, heading: Element | None, prefix: str, digits: int | None) -> None:
    found.tags = {"code": found.title, "law_id": found.law_id, "law_type": law.get("LawType", "")}
    if found.number:
        found.tags["law_number"] = found.number
    month, day = law.get("PromulgateMonth", ""), law.get("PromulgateDay", "")
    promulgated = _date(western_year(int(prefix[0]), int(prefix[1:])), month, day)
    if promulgated:
        found.tags["promulgated"] = promulgated.isoformat()
    abbreviated = "" if heading is None else heading.get("Abbrev", "")
    short = [collapse(one) for one in re.split("[,，、;；]", abbreviated)]
    if any(short):
        found.tags["abbreviation"] = ", ".join(one for one in short if one)
    names = [found.law_id, found.number, *short]
    if found.kind in _UNCATEGORISED and digits is not None:
        # What a reader makes of the law number alone, who cannot know the category either.
        plain = f"{found.law_id[:5]}{digits:010d}"
        names.extend([] if plain == found.law_id else [f"urn:lex:jp:{plain.lower()}"])
    found.aliases = list(dict.fromkeys(one for one in names if one))


def _date(year: int, month: str, day: str) -> date | None:
    # Before 1873 the months are lunar.
    if year < 1873 or not (month.isdecimal() and day.isdecimal()):
        return None
    try:
        return date(year, int(month), int(day))
    except ValueError:
        return None


def _set_edition(found: LawIdentity, root: Element, law: Element, stated: list[re.Match[str]]) -> None:
    """The day this text came into force: in the revision's id, or stated by a wrapper."""
    for match in stated:
        if match[2]:
            found.edition = found.edition or _date(int(match[2][:4]), match[2][4:6], match[2][6:])
            found.aliases.append(match[0])
            if not _NO_AMENDMENT.match(match[3]):
                found.tags["amended_by"] = match[3]
    dates = [_stated_date(text) for text in _texts(root, law, "EnforcementDate", "amendment_enforcement_date")]
    found.edition = found.edition or next((one for one in dates if one), None)
    repeals = [text.lower() for text in _texts(root, law, "RepealType", "repeal_status")]
    status = next((_REPEALS[one] for one in repeals if one in _REPEALS), "")
    if status:
        found.tags["status"] = status
        ends = [_stated_date(text) for text in _texts(root, law, "RepealDate", "repeal_date")]
        # A law that is suspended still stands.
        found.repealed_on = None if status == "suspended" else next((one for one in ends if one), None)
        if found.repealed_on is None and status != "suspended":
            found.warnings.append(f"{found.law_id}: the law is {status}, but the file does not say since when")
    if found.edition is None:
        found.warnings.append(f"{found.law_id}: neither the file nor its name says when this text came into force")
    found.aliases = list(dict.fromkeys(found.aliases))


def _texts(root: Element, law: Element, attribute: str, element: str) -> list[str]:
    """What the law's attribute and the wrapper's elements say of one thing."""
    return [law.get(attribute, "").strip(), *(collapse(one.text or "") for one in root.iter(f"{{*}}{element}"))]


def _stated_date(text: str) -> date | None:
    match = _DATE.match(text)
    return _date(int(match[1]), match[2], match[3]) if match else None
