"""The words of the D.C. Code's XML: text and the cites in it, designators, dates of history notes, stubs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import ClassVar

from lxml import etree

from rag.ingest.formats.history import day_of
from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.formats.xml_text import Rich, Writer, has_words
from retrieval.paths import segment

NAMESPACE = "https://code.dccouncil.us/schemas/dc-library"
CORPUS_URN = "urn:lex:us-dc:code"
CODE = "D.C. Code"
NOTES = frozenset({"annotations", "annotation"})

_CODIFY_VALUE = "{https://code.dccouncil.us/schemas/codify}value"

_DATE = re.compile(
    r"\b(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\b[.,]*\s*(\d{1,2})\b[.,]*\s*(\d{4})\b"
)

_YEAR = re.compile(r"\b(?:1[2-9]|20)\d\d\b")
_ACT = re.compile(r"(D\.C\. Law|Pub\. L\.) (\d{1,3}-\d{1,4})")
_SECTION = re.compile(r"§([0-9A-Za-z.-]+)")

_STUB_WORDS = (
    r"repealed|reserved|expired|omitted|transferred|renumbered|redesignated|recodified|superseded|deleted|not funded"
)
_STUB_HEADING = re.compile(rf"\[\s*({_STUB_WORDS})\b[^\]]*\]\W*\Z", re.IGNORECASE)
_STUB_TEXT = re.compile(rf"\W*({_STUB_WORDS})\W*", re.IGNORECASE)


class _Writer(Writer):
    # `br` is in the middle of sentences here, so it parts words and not lines.
    ROLES: ClassVar = {
        **dict.fromkeys(("center", "p", "div", "li", "ul", "ol", "blockquote", "table"), "block"),
        **dict.fromkeys(("img", "image", "graphic"), "aside"),
        **dict.fromkeys(("cite", "code-cite"), "reference"),
        **dict.fromkeys(("td", "th"), "cell"),
        **dict.fromkeys(NOTES, "nothing"),
        "tr": "row", "br": "apart", "text": "apart",
    }  # fmt: skip

    def role(self, element: Element, name: str) -> str:
        codified = element.get(_CODIFY_VALUE) and name not in NOTES and not has_words(element)
        return "codified" if codified else super().role(element, name)

    def special(self, element: Element, role: str) -> None:
        self.write(element.get(_CODIFY_VALUE))

    def target(self, element: Element, role: str) -> str:
        return element.get("path", "") if element.get("doc", "") in ("", CODE) else ""


def render(element: Element) -> Rich:
    """The words of one element; a mark's target is the publisher's path, images are aside, and notes are left out.

    An empty element with a `codify:value` gives that value, as the published Code does.
    """
    return _Writer().read(element)


def contents_lines(toc: Element) -> list[Rich]:
    """The entries of a table of contents that is in the law itself, one line each."""
    lines: list[Rich] = []
    for entry in toc.iter(etree.Element):
        if local(entry) == "text":
            lines.append(render(entry))
        elif local(entry) in ("container", "section"):
            words = [render(part).text for part in entry if local(part) in ("prefix", "num", "heading")]
            lines.append(Rich(" ".join(word for word in words if word)))
    return lines


def latest_date(texts: Iterable[str]) -> date | None:
    """The latest date in history notes (`Mar. 14, 2007, D.C. Law 16-276 ...`); None where none names a day."""
    # February 30 is a misprint, not a date
    days = (day_of(year, month, day) for text in texts for month, day, year in _DATE.findall(text))
    return max((day for day in days if day is not None), default=None)


def act_of(note: Element) -> tuple[str, str, date | None]:
    """The words of a history note, the URN of the act that it names, or nothing, and its day."""
    said, doc, path = collapse("".join(note.itertext())), note.get("doc") or "", note.get("path") or ""
    act = _ACT.fullmatch(doc)
    if act is None:
        return said, "", latest_date([said])
    urn = f"urn:lex:us-dc:law-{act[2]}" if act[1] == "D.C. Law" else f"urn:lex:us:pl-{act[2]}"
    section = _SECTION.fullmatch(path)
    return said, f"{urn}:{segment(section[1])}" if section else urn, latest_date([said])


def names_an_act(act: tuple[str, str, date | None]) -> bool:
    """Whether a history note names an act; `Kilty's Rep. 251` says only where an old one is printed."""
    words, urn, day = act
    return bool(urn or day or _YEAR.search(words))


def stub_status(heading: str, text: str) -> str:
    """`repealed`, `reserved`, `not funded` ... where the heading's bracket or the whole text says so; else empty."""
    match = _STUB_HEADING.search(heading) or _STUB_TEXT.fullmatch(text)
    return match[1].lower() if match else ""


def designator(printed: str) -> str:
    """A designator without brackets, closing full stop and section sign: `(a-1)` -> `a-1`, `1.` -> `1`."""
    return collapse(re.sub(r"[()\[\]§]", "", printed)).strip(". ")


def section_path(number: str) -> str:
    """The URN segments of a section number: `42-3502.17`, and `28:1-101` for the Uniform Commercial Code.

    Raises:
        InputError: a part of it has no letters or digits.
    """
    return ":".join(segment(part) for part in number.split(":"))
