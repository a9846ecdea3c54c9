"""Taking an American reference apart, without saying yet what it points to.

"paragraphs (1) and (2) of subsection (b) of section 106 of title 17" becomes a list of two items and the units
they lie in, innermost first. `american.py` turns that into URNs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from rag.jurisdictions.base import RangeEnd
from rag.jurisdictions.designators import Path, continue_path, read_designators
from rag.jurisdictions.number_words import NUMBER_WORDS

PARAGRAPH_WORDS = (
    "subsection", "sub-subparagraph", "subparagraph", "paragraph", "subclause", "clause", "subitem", "item",
    "subdivision", "division", r"subs?\.", r"pars?\.",
)  # fmt: skip
CONTAINER_WORDS = (
    "subtitle", "title", "subchapter", "chapter", "subpart", "part", "subarticle", "article", "division", "appendix",
    "supplement",
)  # fmt: skip
_PARAGRAPH = "|".join(PARAGRAPH_WORDS)
_CONTAINER = "|".join(CONTAINER_WORDS)
_SECTION_SIGN = r"§{1,2}|sections?\b|secs?\.|(?-i:ss?\.)"  # "s. 83.49" in small letters: "S. 256" is a bill
# New York and Minnesota count subdivisions: "subdivision two of this section", "subdivision 2".
_WORDS = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_COUNTED = rf"(?:\d{{1,3}}|{_WORDS})(?:-[a-z])?(?![\w(-])"
# Washington's "(b) of this subsection" has no word for the paragraph.
_BARE_PATH = r"\([A-Za-z0-9]{1,4}\)(?:\s?\([A-Za-z0-9]{1,4}\)){0,3}"
_BARE = rf"(?={_BARE_PATH}(?:(?:,|,?\s(?:and|or|through))\s{_BARE_PATH}){{0,4}}\sof\sthis\s(?:sub)?section\b)\("
# Where a reference can begin, but for the names of codes.
STARTS = (
    rf"§{{1,2}}\s*(?=\d)|(?<![\w-])(?:sections?|secs?\.|(?-i:ss?\.))\s+(?=\d)"
    rf"|(?<![\w-])(?:{_PARAGRAPH})s?\s?(?=\()|(?<![\w-])subdivisions?\s(?={_COUNTED})|{_BARE}"
    rf"|(?<![\w-])(?:{_CONTAINER})s?\s+(?=[0-9A-Z]+\b)"
    rf"|(?<![\w-])this\s+(?:code\s+(?=section))?(?:section|{_PARAGRAPH}|{_CONTAINER})\b"
)

NUMBER = re.compile(
    r"\d[0-9A-Za-z]*(?:(?:[.:–-]|[–-]\.)[0-9A-Za-z]+){0,6}(?:(?:\([A-Za-z0-9]{1,4}\)){1,3}-\d+[A-Z]{0,2}(?!\w))?"
)
CONTAINER_NUMBER = re.compile(r"(?:\d+[A-Z]{0,2}|[IVXLC]+|[A-Z]{1,2})(?:-[0-9A-Z]+)?(?![\w’'-]|\.\d)")
_SEPARATOR = re.compile(
    r"(?:\s?\[(?:repealed|omitted|reserved|transferred)\]"
    # "sections 206 (except subsection (d)) and 207"
    r"|\s\((?:except|other than|but not|relating to|with the exception of)\b(?:[^()]|\([^()]{1,12}\)){1,160}\))?\s*"
    r"(?:(?P<range>through|to|–|—|(?<=\))-(?=[(\d]))|[,;]\s*(?:and/or|and|or)?(?=[\s(§])|(?:and/or|and|or|&)(?=[\s(§]))\s*"
    rf"(?P<word>(?:§{{1,2}}|sections?\b|(?:{_PARAGRAPH})s?\b)\s*)?",
    re.IGNORECASE,
)
_OF = re.compile(r"(?:\s{0,3},?\s{1,3}of|\s{1,3}(?:in|under))\s+(?:the\s+)?(?=[§\w])", re.IGNORECASE)
_COMMA_TITLE = re.compile(r"\s*,\s*(?=title\s+\d)", re.IGNORECASE)
_COMMA_PART = re.compile(
    r"\s{0,3},?\s{0,3}(?:(?P<subpart>subp(?:art|t\.?)s?)|(?P<part>p(?:art|t\.?)s?)|(?P<appendix>app(?:endix|\.))|"
    r"(?P<supplement>supp(?:lement|\.)))\s{1,3}(?=[0-9A-Z])",
    re.IGNORECASE,
)
_TO_PART = re.compile(r"\s{1,3}to\s{1,3}(?=(?:sub)?parts?\s{1,3}[0-9A-Z])", re.IGNORECASE)
SECTION_WORD = re.compile(rf"(?:{_SECTION_SIGN})\s*", re.IGNORECASE)
PARAGRAPH_WORD = re.compile(rf"(?P<word>{_PARAGRAPH})(?P<plural>s?)(?=\s?\()", re.IGNORECASE)
CONTAINER_WORD = re.compile(rf"(?P<word>{_CONTAINER})(?P<plural>s?)\s+", re.IGNORECASE)
THIS = re.compile(rf"this\s+(?:code\s+(?=section))?(?P<word>section|{_PARAGRAPH}|{_CONTAINER})\b", re.IGNORECASE)
_SUBDIVISION_WORD = re.compile(rf"subdivisions?\s(?={_COUNTED})", re.IGNORECASE)
_SUBDIVISION = re.compile(_COUNTED, re.IGNORECASE)
_SUBDIVISION_JOINT = re.compile(r"(?:,|,?\s(?:and|or))\s", re.IGNORECASE)
# Minnesota's "section 504.178, subdivision 2, paragraph (b)".
_COMMA_SUBDIVISION = re.compile(rf",\s{{1,2}}(?:subdivision|subd\.)\s(?={_COUNTED})", re.IGNORECASE)
_COMMA_PARAGRAPH = re.compile(r",\s{1,2}(?:paragraph|clause)\s(?=\()", re.IGNORECASE)
_BARE_START = re.compile(_BARE, re.IGNORECASE)
_WHOLE = re.compile(r"this\s+(?P<word>act|code(?!\s+section)|law|ordinance|charter|compact)\b", re.IGNORECASE)
_THIS_DEFINITION = re.compile(r"this\s+definition\b", re.IGNORECASE)
_UNREADABLE = re.compile(r"(?:this|such|that|said)\s+\w+", re.IGNORECASE)
# A number after a list separator that counts something is no section: "section 5 and 10 days".
_COUNTS = re.compile(
    r"\s*(?:%|percent\b|days?\b|years?\b|months?\b|weeks?\b|hours?\b|per\b|U\.?\s?S\.?\s?C\b|C\.?\s?F\.?\s?R\b|"
    r"Comp\b|Stat\b|F\.|Fed\b|DCR\b|DCMR\b|CMR\b|D\.C\.)",
    re.IGNORECASE,
)
_OTHER_LAW_ENDS = frozenset({
    "Act", "Acts", "Agreement", "Amendments", "Charter", "Code", "Constitution", "Convention", "Law", "Laws", "Manual",
    "Order", "Ordinance", "Plan", "Regulation", "Regulations", "Resolution", "Rules", "Statutes", "Treaty",
})  # fmt: skip
_OTHER_LAW_WORD = re.compile(r"[ ,]{0,2}([A-Z][\w.’'&-]*|of|and|for|the|to|in|on|with|by|\d{4}\b|\d+-\d+)(?=\W|$)")
_OWN_NAME = re.compile(r"(?:[A-Z][\w.’'&-]*\s)?[A-Z][\w.’'&-]*\s(?:Code|Statutes|Laws)\Z")
_NAMED_TITLE = re.compile(r",?\s+(?:at\s+)?(?=(?:§|sections?\b)\s*\d)", re.IGNORECASE)


@dataclass(slots=True, unsafe_hash=True)
class Unit:
    """What items lie in. `level`: `section`, a paragraph or container word, `this`, `code`, `other`, `unreadable`."""

    level: str
    number: str = ""  # of a section or container; for `this` the level word; for `code` the URN prefix
    path: Path = ()


@dataclass(slots=True)
class Item:
    """One member of a list: a section with designators, a container number, or designators alone."""

    start: int
    end: int
    number: str
    path: Path
    range: RangeEnd = ""


@dataclass(slots=True)
class Reading:
    """A reference taken apart. `level` is what the items are: `section`, `paragraph`, a container word or `this`."""

    start: int
    end: int
    level: str
    word: str = ""  # the level word as printed, lower case, singular
    items: list[Item] = field(default_factory=lambda: [])
    units: list[Unit] = field(default_factory=lambda: [])


ReadCode = Callable[[str, int], tuple[str, int] | None]  # (text, position) -> (URN prefix of a named code, end)


class Reader:
    """Reads references at known starts. `named_code` recognises "United States Code" and its like after "of"."""

    def __init__(
        self,
        named_code: ReadCode,
        exists: Callable[[str, Path], bool] | None = None,
        own: tuple[re.Pattern[str], str] | None = None,
    ) -> None:
        self._named_code = named_code
        self._own = own  # what finds the name of the code that the text is part of, and its URN prefix
        self._exists = exists  # (section number or "", path) -> whether the document has it

    def items(
        self, text: str, position: int, level: str, *, plural: bool, coded: str | None = None
    ) -> tuple[list[Item], int]:
        """Read a list of sections (`section`), designators (`paragraph`) or container numbers (any other level).

        `coded` is the section word right behind a code's name (empty for none), None where no code stands before the
        list: in "42 U.S.C. § 1983 and section 5 of the lease" only the first section is the code's.
        """
        items: list[Item] = []
        pending: RangeEnd = ""
        at = position
        word_given = plural
        word = ""
        open_from = 0  # the first member that bare commas join, as long as no "and" closes the list
        while (item := self._item(text, at, level, items, numbers_allowed=word_given)) is not None:
            if word and coded is not None and _begins_another(text, item.end, word, coded):
                break
            item.range = pending
            items.append(item)
            separator = _SEPARATOR.match(text, item.end)
            if separator is None or not self._same_level(separator["word"], level):
                break
            pending = ""
            if separator["range"]:
                pending = "end"
            word = (separator["word"] or "").strip()
            word_given = plural or bool(word)
            bare = separator[0].removesuffix(separator["word"] or "").strip() == ","
            open_from = (open_from or len(items)) if word and bare and coded is None else 0
            at = separator.end()
        # "Notwithstanding § 5, § 6 applies": the comma ends the reference.
        del items[open_from or len(items) :]
        for first, second in pairwise(items):
            if second.range == "end" and not first.range:
                first.range = "start"
        return items, items[-1].end if items else position

    @staticmethod
    def _same_level(word: str | None, level: str) -> bool:
        if not word:
            return True
        is_section = word.strip()[0] == "§" or word.strip().lower() in ("section", "sections")
        return is_section == (level == "section")

    def _item(self, text: str, at: int, level: str, before: list[Item], *, numbers_allowed: bool) -> Item | None:
        if level not in ("section", "paragraph"):
            number = CONTAINER_NUMBER.match(text, at)
            if number is None or (before and not numbers_allowed) or _COUNTS.match(text, number.end()):
                return None
            return Item(at, number.end(), number[0], ())
        number = NUMBER.match(text, at) if level == "section" else None
        if number is not None:
            # "§ 42-3502.05 and 42-3502.06" is a list in all but its sign; "section 5 and 10" need not be one.
            marked = numbers_allowed or not number[0].isdigit()
            if (before and not marked) or _COUNTS.match(text, number.end()):
                return None
            path, end = read_designators(text, number.end())
            return Item(at, end, number[0], path)
        path, end = read_designators(text, at)
        if not path or (level == "section" and not before):
            return None
        if not before:
            return Item(at, end, "", path)
        last = before[-1]
        if not last.path:
            return None
        full = continue_path(last.path, path, self._known(last.number))
        return None if full is None else Item(at, end, last.number, full)

    def _known(self, number: str) -> Callable[[Path], bool] | None:
        exists = self._exists
        if exists is None:
            return None

        def known(path: Path) -> bool:
            return exists(number, path)

        return known

    def units(self, text: str, position: int, level: str = "") -> tuple[list[Unit], int]:
        """Read "of subsection (b) of section 106" and its like, innermost first; appendices are "to" a part."""
        units: list[Unit] = []
        while True:
            joint = _OF.match(text, position) or _COMMA_TITLE.match(text, position)
            joint = joint or (_TO_PART.match(text, position) if level in ("appendix", "supplement") else None)
            if joint is not None and (here := _THIS_DEFINITION.match(text, joint.end())):
                return units, here.end()  # the paragraphs around say which is meant
            if joint is None:
                named = self._named_code(text, position)
                if named is not None and units and units[-1].level == "title":
                    units.append(Unit("code", named[0]))
                    position = named[1]
                return units, position
            read = self.unit(text, joint.end())
            if read is None:
                return units, position
            unit, position = read
            units.append(unit)
            if unit.level in ("other", "code", "unreadable", "whole"):
                return units, position

    def unit(self, text: str, at: int) -> tuple[Unit, int] | None:
        """Read one unit at this offset; None where none begins."""
        named = self._named_code(text, at)
        if named is not None:
            return Unit("code", named[0]), named[1]
        if self._own is not None and (name := self._own[0].match(text, at)):
            return Unit("code", self._own[1]), name.end()
        if this := THIS.match(text, at):
            path, end = read_designators(text, this.end())
            return Unit("this", this["word"].lower(), path), end
        if whole := _WHOLE.match(text, at):
            return Unit("whole", whole["word"].lower()), whole.end()
        if _UNREADABLE.match(text, at):
            return Unit("unreadable"), at
        if subdivision := _SUBDIVISION_WORD.match(text, at):
            items = _subdivisions(text, subdivision.end())
            return (Unit("subdivision", "", items[0].path), items[0].end) if len(items) == 1 else None
        if word := PARAGRAPH_WORD.match(text, at):
            path, end = read_designators(text, word.end())
            return (Unit(word["word"].lower(), "", path), end) if path else None
        if (word := SECTION_WORD.match(text, at)) and (number := NUMBER.match(text, word.end())):
            path, end = read_designators(text, number.end())
            return Unit("section", number[0], path), end
        if (word := CONTAINER_WORD.match(text, at)) and (number := CONTAINER_NUMBER.match(text, word.end())):
            return Unit(word["word"].lower(), number[0]), number.end()
        end = other_law(text, at)
        return (Unit("other"), end) if end is not None else None

    def reading(self, text: str, at: int) -> Reading | None:
        """Read the reference that begins at this offset with a section, paragraph or container word, or "this"."""
        if this := THIS.match(text, at):
            path, end = read_designators(text, this.end())
            level = "paragraph" if path else "this"
            item = Item(at, end, "" if path else this["word"].lower(), path)
            units = [Unit("this", "section")] if path else []
            return Reading(at, end, level, this["word"].lower(), [item], units)
        if word := PARAGRAPH_WORD.match(text, at):
            items, end = self.items(text, word.end(), "paragraph", plural=True)
            return self._with_units(text, at, end, "paragraph", word["word"].lower(), items)
        if word := _SUBDIVISION_WORD.match(text, at):
            items = _subdivisions(text, word.end())
            return self._with_units(text, at, items[-1].end, "paragraph", "subdivision", items)
        if _BARE_START.match(text, at):
            items, end = self.items(text, at, "paragraph", plural=True)
            return self._with_units(text, at, end, "paragraph", "paragraph", items)
        if word := SECTION_WORD.match(text, at):
            plural = word[0].startswith("§§") or word[0].strip().lower().rstrip(".") in ("sections", "secs", "ss")
            items, end = self.items(text, word.end(), "section", plural=plural)
            return self._with_units(text, at, end, "section", "section", items)
        if word := CONTAINER_WORD.match(text, at):
            level = word["word"].lower()
            items, end = self.items(text, word.end(), level, plural=bool(word["plural"]))
            return self._with_units(text, at, end, level, level, items)
        return None

    def _with_units(self, text: str, at: int, end: int, level: str, word: str, items: list[Item]) -> Reading | None:
        if not items:
            return None
        if level == "section" and not items[-1].path:
            end = _subdivided(text, items)
        units, end = self.units(text, end, level)
        reading = Reading(at, end, level, word, items, units)
        # "Title VII, 42 U.S.C. § 2000e": titles of codes have Arabic numbers.
        if level != "title" or len(items) > 1 or not items[0].number[0].isdigit():
            return reading
        named = self._named_code(text, end)
        if named is not None and not units:
            units, end = [Unit("code", named[0])], named[1]
            reading = Reading(at, end, level, word, items, units)
        # "title 17, United States Code, section 106" names the same as "section 106 of title 17".
        joint = _NAMED_TITLE.match(text, end)
        section = SECTION_WORD.match(text, joint.end()) if joint else None
        if section is None:
            return reading
        sections, end = self.items(text, section.end(), "section", plural=section[0].strip() in ("§§", "sections"))
        return Reading(at, end, "section", "section", sections, [Unit("title", items[0].number), *units])

    def comma_units(self, text: str, position: int) -> tuple[Item | None, str, int]:
        """Read ", subpart B" after a part: the smaller unit follows the larger one. Returns (item, its word, end)."""
        joint = _COMMA_PART.match(text, position)
        number = CONTAINER_NUMBER.match(text, joint.end()) if joint else None
        if joint is None or number is None:
            return None, "", position
        return Item(number.start(), number.end(), number[0], ()), joint.lastgroup or "", number.end()


@lru_cache(maxsize=64)
def own_code(title: str, corpus: str) -> tuple[re.Pattern[str], str] | None:
    """What finds the name by which a code's sections speak of it, "Revised Code" in the Ohio Revised Code.

    Args:
        title: of the corpus.
        corpus: its URN prefix, which is given back beside the pattern.
    """
    name = _OWN_NAME.search(title)
    if name is None:
        return None
    *first, word, kind = (re.escape(one) for one in name[0].split())
    shorter = f"(?:{first[0]}\\s)?" if first else ""
    return re.compile(rf"(?:the\s)?{shorter}{word}\s{kind}(?!\s(?:of|and)\b)(?!\w)"), corpus


def _subdivided(text: str, items: list[Item]) -> int:
    """Add to the last section the subdivision and paragraph that follow it after commas; the offset after them."""
    last = items[-1]
    joint = _COMMA_SUBDIVISION.match(text, last.end)
    found = _subdivisions(text, joint.end()) if joint is not None else []
    if len(found) != 1:
        return last.end
    path, end = found[0].path, found[0].end
    if paragraph := _COMMA_PARAGRAPH.match(text, end):
        smaller, end = read_designators(text, paragraph.end())
        path = (*path, *smaller)
    last.path, last.end = path, end
    return end


def _subdivisions(text: str, position: int) -> list[Item]:
    """The members of "subdivisions one, two and 2-a"; a number in words is one in digits."""
    items: list[Item] = []
    while number := _SUBDIVISION.match(text, position):
        written, joint, letter = number[0].lower().partition("-")
        if number[0].lower() in NUMBER_WORDS:
            written, joint, letter = str(NUMBER_WORDS[number[0].lower()]), "", ""
        plain = f"{NUMBER_WORDS.get(written, written)}{joint}{letter}"
        items.append(Item(position, number.end(), "", (plain,)))
        separator = _SUBDIVISION_JOINT.match(text, number.end())
        if separator is None:
            break
        position = separator.end()
    return items


def _begins_another(text: str, end: int, word: str, before: str) -> bool:
    """Whether a list's member with a word of its own is of another law than the code named before the list.

    It may say so ("and § 5 of the lease"), or be spelled out where the code's own sections have a sign.
    """
    return _OF.match(text, end) is not None or (word[0] != "§" and before[:1] in ("", "§"))


def other_law(text: str, position: int) -> int | None:
    """The offset after the name of another law ("Clayton Act", "Internal Revenue Code of 1986") at this offset."""
    end: int | None = None
    first = True
    for _ in range(16):  # longer names occur, but their last words do not decide whether it is a law's name
        word = _OTHER_LAW_WORD.match(text, position)
        if word is None or (first and not word[1][0].isupper()):
            return end
        first = False
        position = word.end()
        if word[1] in _OTHER_LAW_ENDS or (end is not None and word[1][0].isdigit()):
            end = position
        elif end is not None and word[1] not in ("of", "No."):
            return end
    return end
