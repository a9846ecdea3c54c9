"""German federal law, whatever the file: abbreviations, headings and the corpus a law is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.law.nodes import Corpus
from rag.law.patterns import lazy
from retrieval.errors import InputError
from retrieval.paths import segment, slug

PUBLISHER = "Bundesministerium der Justiz (gesetze-im-internet.de)"
LICENCE = "Amtliches Werk, gemeinfrei nach § 5 UrhG"
# Containers from the outside in, as most laws nest them; used only where a file's own nesting is cut off.
RANKS = (
    "buch", "teil", "hauptstück", "abschnitt", "unterabschnitt", "titel", "untertitel", "kapitel", "unterkapitel",
    "gruppe", "untergruppe",
)  # fmt: skip
CONTAINER_TYPES = {
    "buch": "TITLE", "titel": "TITLE", "untertitel": "TITLE", "kapitel": "CHAPTER", "unterkapitel": "CHAPTER",
}  # fmt: skip

_FOLDS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "–": "-", "‑": "-"}
)
_YEAR = lazy(r"[ _-](?:1[89]|20)\d\d\Z")
_GONE = lazy(
    r"\(?\s*(?:weggefallen|aufgehoben|gestrichen|entfallen|fortgefallen)\s*\)?[.,;]?\Z|"
    r".*\((?:weggefallen|aufgehoben)\)\Z",
    re.IGNORECASE | re.DOTALL,
)

_NUMBER = r"(?:\d+ [a-z](?![\w).])|\d+(?:\.\d+)*[a-z]{0,3}(?!\w)|[IVXLC]+(?: ?[a-z])?(?![\w.]))"
_UNIT = lazy(
    r"(?P<omitted>\(XXXX\)\s*)?(?P<sign>§§?|Art(?:ikel|\.)?)\s*"
    rf"(?P<numbers>{_NUMBER}(?:(?:\s*,\s*|\s+und\s+|\s+u\.\s+|\s+bis\s+|\s*[-–]\s*(?=\d))(?:§\s*)?{_NUMBER})*)"
    r"\s*(?:[-–:]\s+)?(?P<rest>.*)\Z",
    re.DOTALL,
)
_APPENDIX = lazy(
    r"(?P<word>Anlage|Anhang)(?:\s+(?P<number>(?:\d+(?:\.\d+)*[a-z]{0,2}|[A-Z]{1,4}\d*[a-z]?|[A-Z]-\d+)(?![\w])))?"
    r"(?P<rest>\Z|\s*\(.*|\s+[-–:]\s.*|\s+zu\s.*|\s+[^\W\d].*)",
    re.DOTALL,
)
_MATTER = lazy(
    r"(Eingangsformel|Eingangssatz|Vorspruch|Präambel|Schluss?formel|Schlußformel|Inhalts(?:verzeichnis|übersicht))\Z"
)
_CONTENTS = ("inhaltsverzeichnis", "inhaltsübersicht")
_KIND = r"(?:(?:Unter|Haupt)?(?:[Aa]bschnitt|[Tt]eil|[Bb]uch|[Tt]itel|[Kk]apitel|[Gg]ruppe)|Hauptstück|Stück)"
_KIND_FIRST = lazy(rf"(?P<kind>{_KIND})\s+(?P<number>\d+(?:\.\d+)*(?: ?[a-z])?|[IVXLC]+(?: ?[a-z])?|[A-Z])\.?\Z")
_KIND_LAST = lazy(rf"(?:(?P<number>\d+|[IVXLC]+|[A-Z])(?P<letter> ?[a-z])?\.|(?P<word>\w+))\s+(?P<kind>{_KIND})\Z")
_BARE = lazy(r"(?P<number>\d+(?:\.\d+)*|[IVXLC]+|[A-Z]{1,2}|[a-z]{1,2})(?P<letter> ?[a-z])?(?:\.|\)|(?<=\d))\Z")
_UNITS = (
    "erst", "zweit", "dritt", "viert", "fünft", "sechst", "siebent", "acht", "neunt", "zehnt", "elft", "zwölft",
    "dreizehnt", "vierzehnt", "fünfzehnt", "sechzehnt", "siebzehnt", "achtzehnt", "neunzehnt",
)  # fmt: skip
_ONES = ("ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_TENS = ("zwanzigst", "dreißigst", "vierzigst", "fünfzigst")


def _ordinals() -> dict[str, int]:
    words = {word: value for value, word in enumerate(_UNITS, start=1)} | {"siebt": 7}
    for tens, word in enumerate(_TENS, start=2):
        words[word] = 10 * tens
        words |= {f"{one}und{word}": 10 * tens + value for value, one in enumerate(_ONES, start=1)}
    return words


_ORDINALS = _ordinals()


@dataclass(frozen=True, slots=True)
class Heading:
    """What a division of a law is called.

    `kind` is `unit` (§, Artikel), `appendix`, `matter` (preamble, formulas), `contents` or `container`. `level` is the
    printed word in lower case; `number` its designator as printed ("" where it has none); `members` the numbers that
    a range such as "§§ 3 bis 6" stands for.
    """

    kind: str
    level: str
    number: str
    heading: str
    designation: str
    omitted: bool = False
    members: tuple[str, ...] = ()


def fold(text: str) -> str:
    """The text with German letters and dashes spelt in ASCII (`ä` -> `ae`)."""
    return text.translate(_FOLDS)


def compact(number: str) -> str:
    """A URN segment for a designator: lower case, German letters spelt out, no inner space (`IV a.` -> `iva`).

    Raises:
        InputError: nothing citable is left.
    """
    return segment("".join(fold(number).split()))


def is_gone(text: str) -> bool:
    """Whether the words say that a provision is repealed: "(weggefallen)" and its like."""
    return _GONE.match(text.strip()) is not None


def cited_abbreviation(abbreviation: str, title: str) -> str:
    """The abbreviation that people cite: without edition year, and EGBGB for the publisher's BGBEG."""
    plain = _YEAR.sub("", " ".join(abbreviation.replace("_", " ").split()))
    if title.startswith("Einführungsgesetz") and len(plain) > 2 and plain.endswith("EG"):
        return f"EG{plain[:-2]}"
    return plain


def law_urn(abbreviation: str) -> str:
    """The URN prefix of a law, from its abbreviation: `urn:lex:de:sgb-2`."""
    return f"urn:lex:de:{slug(fold(abbreviation))}"


def other_urns(abbreviation: str, title: str) -> list[str]:
    """URNs under which the publisher's own abbreviation would address the law; none where people cite just that."""
    plain = law_urn(cited_abbreviation(abbreviation, ""))
    return [plain] if plain != law_urn(cited_abbreviation(abbreviation, title)) else []


def law_corpus(abbreviation: str, title: str, url: str = "") -> Corpus:
    """The corpus that a German law is."""
    return Corpus(
        urn=law_urn(cited_abbreviation(abbreviation, title)), title=title, language="de",
        publisher=PUBLISHER, licence=LICENCE, url=url,
    )  # fmt: skip


def read_heading(designation: str, title: str = "") -> Heading:
    """Read a heading.

    Args:
        designation: its first line, or all of it where the source does not part number and title ("§ 1 Beginn").
        title: its second line, where the source parts them.
    """
    text = " ".join(designation.split())
    title = " ".join(title.split())
    if match := _UNIT.match(text):
        return _unit(match, title)
    if match := _APPENDIX.match(text):
        rest = match["rest"].strip().lstrip("-–: ")
        number = match["number"] or ""
        name = f"{match['word']} {number}".strip()
        return Heading("appendix", match["word"].lower(), number, _words(rest, title), name)
    if match := _MATTER.match(text):
        level = match[1].lower()
        return Heading("contents" if level in _CONTENTS else "matter", level, "", _words(match[1], title), "")
    if not title:
        text, _, title = (part.strip() for part in text.partition(" - "))
    level, number = _container(text)
    return Heading("container", level, number, title or ("" if number else text), text if title or number else "")


def _words(rest: str, title: str) -> str:
    return " ".join(part for part in (rest, title) if part)


def _unit(match: re.Match[str], title: str) -> Heading:
    level = "paragraph" if match["sign"].startswith("§") else "artikel"
    printed = re.sub(r"§\s*", "", match["numbers"])
    numbers = [re.sub(r"\s+", "", entry) for entry in re.findall(_NUMBER, printed)]
    designation = f"{match['sign']} {match['numbers']}"
    members: tuple[str, ...] = ()
    if len(numbers) > 1:
        members = tuple(_members(numbers, re.sub(_NUMBER, "#", printed)))
    return Heading(
        "unit", level, numbers[0] if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}",
        _words(match["rest"].strip(), title), designation, bool(match["omitted"]), members,
    )  # fmt: skip


def _members(numbers: list[str], pattern: str) -> list[str]:
    """All numbers that a list with ranges stands for; where a range's middle cannot be told, its ends."""
    joints = [part.strip() for part in pattern.split("#")[1:-1]]
    out = [numbers[0]]
    for joint, last in zip(joints, numbers[1:], strict=True):
        out.extend(_between(out[-1], last) if joint in ("bis", "-", "–") else ())
        out.append(last)
    return out


def _between(first: str, last: str) -> list[str]:
    ends = [re.fullmatch(r"(\d+)([a-z]?)", part) for part in (first, last)]
    if ends[0] is None or ends[1] is None:
        return []
    (low, small), (high, large) = ((int(end[1]), end[2]) for end in ends if end)
    if low == high and small and large:
        return [f"{low}{chr(code)}" for code in range(ord(small) + 1, ord(large))]
    if high - low > 5000:
        return []
    return [str(number) for number in range(low + 1, high + (1 if large else 0))]


def _container(text: str) -> tuple[str, str]:
    """Level and number of a container's designation."""
    if match := _KIND_FIRST.match(text):
        return match["kind"].lower(), match["number"]
    if match := _KIND_LAST.match(text):
        if match["number"]:
            return match["kind"].lower(), match["number"] + (match["letter"] or "")
        word = re.sub(r"e[rsnm]?\Z", "", match["word"].lower())
        value = _ORDINALS.get(word)
        return match["kind"].lower(), str(value) if value else ""
    if match := _BARE.match(text):
        return "abschnitt", match["number"] + (match["letter"] or "")
    return "abschnitt", ""


def container_segment(heading: Heading) -> str:
    """The URN segment of a container (`abschnitt_2`); words where it has no number."""
    try:
        name = compact(heading.number) if heading.number else slug(fold(heading.heading or heading.designation))
    except InputError:
        name = slug(fold(heading.heading))
    return f"{slug(fold(heading.level))}_{name}"
