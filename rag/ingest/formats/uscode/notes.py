"""What is beside the words of a level: history, status, authority and the notes a reader has to know of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from lxml import etree

from rag.ingest.formats.ecfr.xml import dates
from rag.ingest.formats.uscode.cites import urn_of
from rag.ingest.formats.xml import Element, collapse, local, plain

_TOPICS = {
    "prospectiveAmendment": "prospective_amendment",
    "effectiveDate": "effective_date_note",
    "effectiveDateOfAmendment": "effective_date_note",
    "constitutionality": "constitutionality_note",
}
_STUB = re.compile(
    r"\W*(repealed|reserved|omitted|transferred|renumbered|redesignated|abrogated|rescinded|vacant|expired|deleted)\b",
    re.IGNORECASE,
)
_AMENDS = re.compile(r"\W*(omitted|amends?|amended|repeals?|repealed)\b", re.IGNORECASE)
_PUBLIC_LAW = re.compile(r"\b(?:Pub\. L\.|P\.L\.|Public Law) (\d{1,3})[-‐-―](\d{1,4})\b")
_EDITORIAL = ("cross reference", "editorial note", "effective date")


def first(element: Element, name: str) -> Element | None:
    """The first child of that name."""
    return next((part for part in element if local(part) == name), None)


def history_dates(element: Element) -> list[date]:
    """Every day that the history of a level names; for a stub, the days in its heading."""
    found = [part for part in element.iter(etree.Element) if local(part) in ("sourceCredit", "source")]
    own = [part for part in found if _nearest_level(part) is element]
    if not own and element.get("status"):
        own = [part for part in element if local(part) == "heading"]
    return [day for part in own for day in stated_dates(part)]


def credits(element: Element) -> Iterator[tuple[str, str, date | None]]:
    """What the credit of a level says of each act: its words, the URN of the place in it, or nothing, and its day.

    Acts are parted by semicolons. One that only continues the act before it (`§ 101(a), (b)`) is part of that.
    """
    for part in element.iter(etree.Element):
        if local(part) != "sourceCredit" or _nearest_level(part) is not element:
            continue
        addresses: list[tuple[str, str]] = [(plain(ref), ref.get("href", "")) for ref in part.iter("{*}ref")]
        for words in re.split(r";\s+", plain(part).strip(" .()")):
            words = words.rpartition(", as ")[2]  # `ch. 814, § 206, as added Pub. L. 100-690`: the later act made it
            if not (days := dates(words)):
                continue
            named = [urn for said, href in addresses if said in words and (urn := urn_of(href))]
            law = _PUBLIC_LAW.search(words)
            yield words, named[0] if named else f"urn:lex:us:pl-{law[1]}-{law[2]}" if law else "", days[0]


def history_elsewhere(element: Element) -> bool:
    """Whether a note of the C.F.R. says that the history of a level is listed in another publication."""
    found = (part for part in element.iter(etree.Element) if local(part) == "editorialNote")
    return any(_nearest_level(part) is element and "citations affecting" in plain(part) for part in found)


def stated_dates(element: Element) -> list[date]:
    """Every day in an element, marked as such or only printed; an impossible one is left out."""
    marked = [found.get("date", "") for found in element.iter(etree.Element) if local(found) == "date"]
    days: list[date] = []
    for text in marked:
        days.extend(dates(text))
    return days or dates(plain(element))


def _nearest_level(part: Element) -> Element | None:
    """The level that a credit belongs to: it may be in the level's text."""
    held = part.getparent()
    while held is not None and local(held) in ("content", "chapeau", "continuation", "p", "text"):
        held = held.getparent()
    return held


def status(element: Element, heading: str, *, words: bool) -> str:
    """What became of a level: the publisher's status, else what its heading says where it has no words."""
    stated = collapse(element.get("status") or "").lower()
    if stated:
        return stated
    if "reserved" in (element.get("role") or "").split():
        return "reserved"
    if words:
        return ""
    match = _STUB.match(heading)
    if match is None:
        match = next(
            (one for text in editorial(element) if (one := re.match(r"\W*(omitted|repealed)\b", text, re.I))), None
        )
    return match[1].lower() if match else ""


def editorial(element: Element) -> Iterator[str]:
    """The words of editorial notes directly in a level that say what became of it."""
    for part in element:
        if local(part) == "editorialNote" and part.get("role") != "uscRef" and _AMENDS.match(plain(part)):
            yield plain(part).strip("[] ")


def flags(element: Element) -> dict[str, str]:
    """Tags for what the notes of a level say of its validity, and for where an act's section is codified."""
    found: dict[str, str] = {}
    codified: list[str] = []
    for part in element:
        name = local(part)
        notes = part if name == "notes" else (part,) if name == "note" else ()
        for note in notes:
            tag = _TOPICS.get(note.get("topic") or "")
            if tag:
                found[tag] = "true"
        if name == "editorialNote" and part.get("role") == "uscRef":
            codified.extend(urn_of(ref.get("href", "")) for ref in part if local(ref) == "ref")
    if places := [urn for urn in dict.fromkeys(codified) if urn]:
        found["codified_at"] = " ".join(places)
    return found


def authorities(element: Element) -> Iterator[tuple[str, list[str]]]:
    """Authority statements of a level: the whole, and its single statements."""
    for part in element.iter(etree.Element):
        if local(part) == "authority" and _nearest_level(part) is element:
            label = first(part, "heading")
            text = plain(part)
            text = text.removeprefix(plain(label)).strip() if label is not None else text
            if text:
                yield text, [part for part in re.split(r";\s+", text.strip(" .()")) if part]


def is_rule_note(element: Element) -> bool:
    """Whether a note of the C.F.R. is the agency's own, and so law: a footnote or note to the text."""
    name = local(element)
    if name in ("footnote", "endnote"):
        return True
    if name != "note" or element.get("role") == "approval" or element.get("topic"):
        return False
    label = first(element, "heading")
    return label is None or not plain(label).lower().startswith(_EDITORIAL)
