"""What all American jurisdictions share: finding references in a text and turning them into URNs.

A module describes its codes (`CodeName`) and overrides the few methods in which its law differs.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

from rag.jurisdictions.grammar.kernel import (
    OTHER,
    UNREAD,
    CountryLaw,
    Exists,
    Item,
    Reading,
    Target,
    Unit,
    below,
    corpus_of,
    existence,
    mark_starts,
    plain_number,
    range_ends,
    read_list,
    reference_of,
)
from rag.jurisdictions.us.own import CodeName, own_code, starts_with_own
from rag.law.designators import Path, continue_path, read_designators
from rag.law.jurisdiction import (
    FoundReference,
    RangeEnd,
    ReferenceContext,
    ReferencePart,
    edition_named,
    queries_of_references,
)
from rag.law.numerals import NUMBER_WORDS, SPOKEN, spoken_number
from rag.law.patterns import lazy, verbose
from retrieval.tag_query import TagQuery

# The words and signs of American references.

PARAGRAPH_WORDS = (
    "subsection", "sub-subparagraph", "subparagraph", "paragraph", "subclause", "clause", "subitem", "item",
    "subdivision", "division", r"subs?\.", r"pars?\.",
)  # fmt: skip
CONTAINER_WORDS = (
    "subtitle", "title", "subchapter", "chapter", "subpart", "part", "subarticle", "article", "division", "appendix",
    "supplement",
)  # fmt: skip
PARAGRAPH = "|".join(PARAGRAPH_WORDS)
CONTAINER = "|".join(CONTAINER_WORDS)
SECTION_SIGN = r"§{1,2}|sections?\b|secs?\.|(?-i:ss?\.)"  # "s. 83.49" in small letters: "S. 256" is a bill
# New York and Minnesota count subdivisions, Nevada subsections: "subdivision two of this section", "subsection 2".
WORDS = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
COUNTED = rf"(?:\d{{1,3}}|{WORDS})(?:-[a-z])?(?![\w(-])"
# Virginia has "subsection A", "subdivision A 2", New York "paragraph a of this subdivision": a small letter stands
# before what it lies in or at the end of a clause, which "paragraph a person" does not.
LETTERED = (
    r"(?-i:[A-Z](?![\w’'(-])|[a-z](?![\w’'(-])(?=\s?(?:[,;.:)]|\Z)|\s(?:of|and|or|to|through|above|below|hereof)\b))"
    r"(?:\s\d{1,2}(?![\w(%-]|\.\d))?"
)
# Washington's "(b) of this subsection" has no word for the paragraph.
BARE_PATH = r"\([A-Za-z0-9]{1,4}\)(?:\s?\([A-Za-z0-9]{1,4}\)){0,3}"
BARE = rf"(?={BARE_PATH}(?:(?:,|,?\s(?:and|or|through))\s{BARE_PATH}){{0,4}}\sof\sthis\s(?:sub)?section\b)\("
LETTERED_WORDS = "subsection|subdivision|subparagraph|paragraph|clause"
# Where a reference can begin, but for the names of codes.
STARTS = (
    rf"§{{1,2}}\s*(?=\d)|(?<![\w-])(?:sections?|secs?\.|(?-i:ss?\.))\s+(?=\d|{SPOKEN})|(?<![\w-])rules?\s+(?=\d)"
    rf"|(?<![\w-])(?:{PARAGRAPH})s?\s?(?=\()|(?<![\w-])(?:subdivision|subsection)s?\s(?={COUNTED})|{BARE}"
    rf"|(?<![\w-])(?:{LETTERED_WORDS})s?\s(?={LETTERED})"
    rf"|(?<![\w-])(?:{CONTAINER})s?\s+(?=[0-9A-Z]+\b|{SPOKEN})"
    rf"|(?<![\w-])this\s+(?:code\s+(?=section))?(?:section|rule|{PARAGRAPH}|{CONTAINER})\b"
    r"|(?<![\w-])th(?:is\s+(?:act|ordinance|charter|compact)|ese\s+rules)\b"
)

NUMBER = lazy(
    r"\d[0-9A-Za-z]*(?:(?:[.:–-]|[–-]\.)[0-9A-Za-z]+){0,6}(?:(?:\([A-Za-z0-9]{1,4}\)){1,3}-\d+[A-Z]{0,2}(?!\w))?"
)
CONTAINER_NUMBER = lazy(r"(?:\d+[A-Z]{0,2}(?:\.\d{1,4}[A-Z]?){0,3}|[IVXLC]+|[A-Z]{1,2})(?:-[0-9A-Z]+)?(?![\w’'-]|\.\d)")
SEPARATOR = verbose(rf"""
    # "sections 206 (except subsection (d)) and 207", "206 [repealed], 207"
    (?: \s? \[(?:repealed|omitted|reserved|transferred)\]
    | \s \((?:except|other[ ]than|but[ ]not|relating[ ]to|with[ ]the[ ]exception[ ]of)\b
      (?:[^()]|\([^()]{{1,12}}\)){{1,160}} \) )?
    \s*
    (?: (?P<range> through | to | – | — | (?<=\))-(?=[(\d]) )
    | [,;] \s* (?:and/or|and|or)? (?=[\s(§])
    | (?:and/or|and|or|&) (?=[\s(§]) )
    \s*
    # a word again: "§ 5 and section 6"
    (?P<word> (?: §{{1,2}} | (?:code\s+)?sections?\b | rules?\b | (?:{PARAGRAPH})s?\b ) \s* )?
""", re.IGNORECASE)  # fmt: skip
OF = lazy(r"(?:\s{0,3},?\s{1,3}of|\s{1,3}(?:in|under))\s+(?:the\s+)?(?=[§\w])", re.IGNORECASE)
COMMA_TITLE = lazy(r"\s*,\s*(?=title\s+\d)", re.IGNORECASE)
COMMA_PART = lazy(
    r"\s{0,3},?\s{0,3}(?:(?P<subpart>subp(?:art|t\.?)s?)|(?P<part>p(?:art|t\.?)s?)|(?P<appendix>app(?:endix|\.))|"
    r"(?P<supplement>supp(?:lement|\.)))\s{1,3}(?=[0-9A-Z])",
    re.IGNORECASE,
)
TO_PART = lazy(r"\s{1,3}to\s{1,3}(?=(?:sub)?parts?\s{1,3}[0-9A-Z])", re.IGNORECASE)
SECTION_WORD = lazy(rf"(?:code\s+(?=section))?(?:{SECTION_SIGN})\s*", re.IGNORECASE)
RULE_WORD = lazy(r"rules?\s+(?=\d)", re.IGNORECASE)  # where a law's sections are rules
PARAGRAPH_WORD = lazy(rf"(?P<word>{PARAGRAPH})(?P<plural>s?)(?=\s?\()", re.IGNORECASE)
CONTAINER_WORD = lazy(rf"(?P<word>{CONTAINER})(?P<plural>s?)\s+", re.IGNORECASE)
THIS = verbose(rf"""
    this\s+ (?:code\s+(?=section))? (?P<word> section | rule | {PARAGRAPH} | {CONTAINER} )\b
    # Colorado names the number of what it stands in: "this part 5", "this article 12".
    (?: (?: (?<=part) | (?<=title) | (?<=article) | (?<=chapter) ) \s+ \d{{1,3}}(?:\.\d{{1,2}})?[A-Z]?
        (?! [\w%(-] | \.\d | \s(?:days?|years?|months?|percent)\b ) )?
""", re.IGNORECASE)  # fmt: skip
PLAIN_WORD = lazy(
    rf"(?:(?P<counted>subdivision|subsection)s?\s(?={COUNTED})|(?P<lettered>{LETTERED_WORDS})s?\s(?={LETTERED}))",
    re.IGNORECASE,
)
PLAIN = lazy(rf"{COUNTED}|{LETTERED}", re.IGNORECASE)
PLAIN_JOINT = lazy(r"(?:,|,?\s(?:and|or|(?P<range>through|to)))\s", re.IGNORECASE)
# Minnesota's "section 504.178, subdivision 2, paragraph (b)".
COMMA_SUBDIVISION = lazy(rf",\s{{1,2}}(?:subdivision|subd\.)\s(?={COUNTED})", re.IGNORECASE)
COMMA_PARAGRAPH = lazy(r",\s{1,2}(?:paragraph|clause)\s(?=\()", re.IGNORECASE)
BARE_START = lazy(BARE, re.IGNORECASE)
WHOLE = lazy(
    r"this\s+(?P<word>act|code(?!\s+section)|law|ordinance|charter|compact)\b|these\s+(?P<rules>rules)\b", re.IGNORECASE
)
THIS_DEFINITION = lazy(r"this\s+definition\b", re.IGNORECASE)
UNREADABLE = lazy(r"(?:this|such|that|said)\s+\w+", re.IGNORECASE)
# A number after a list separator that counts something is no section: "section 5 and 10 days".
COUNTS = lazy(
    r"\s*(?:%|percent\b|days?\b|years?\b|months?\b|weeks?\b|hours?\b|per\b|U\.?\s?S\.?\s?C\b|C\.?\s?F\.?\s?R\b|"
    r"Comp\b|Stat\b|F\.|Fed\b|DCR\b|DCMR\b|CMR\b|D\.C\.)",
    re.IGNORECASE,
)
OTHER_LAW_ENDS = frozenset({
    "Act", "Acts", "Agreement", "Amendments", "Charter", "Code", "Constitution", "Convention", "Law", "Laws", "Manual",
    "Order", "Ordinance", "Plan", "Regulation", "Regulations", "Resolution", "Rules", "Statutes", "Treaty",
})  # fmt: skip
OTHER_LAW_WORD = lazy(r"[ ,]{0,2}([A-Z][\w.’'&-]*|of|and|for|the|to|in|on|with|by|\d{4}\b|\d+-\d+)(?=\W|$)")
NAMED_TITLE = lazy(r",?\s+(?:at\s+)?(?=(?:§|sections?\b)\s*\d)", re.IGNORECASE)


# A section of a numbered ordinance, as history notes of a local code name it: "Ord. 987 § 3", "Ord. No. 2019-4, § 1".
_ORDINANCE = (
    r"\bOrd(?:inance|s?\.)\s(?:Nos?\.\s?)?\d[\d-]{0,9}[A-Z]?,?\s§{1,2}\s?\d[\w-]{0,8}(?:\.\d{1,4}){0,3}"
    r"(?:\s?\(\w{1,3}\)){0,3}"
)
_CODED = lazy(r"\d+(?:[.-]\d+){2,}")  # numbers of sections within a chapter of a code, which nothing else has


ReadCode = Callable[[str, int], tuple[str, int] | None]  # (text, position) -> (URN prefix of a named code, end)


class Reader:
    """Reads references of one text at known starts.

    `named_code` recognises "United States Code" and its like after "of".
    """

    def __init__(
        self,
        named_code: ReadCode,
        exists: Callable[[str, Path], bool] | None = None,
        own: tuple[re.Pattern[str], str] | None = None,
        *,
        rules: bool = False,
    ) -> None:
        self._named_code = named_code
        self._rules = rules  # whether the sections of the document are rules
        self._own = own  # what finds the name of the code that the text is part of, and its URN prefix
        self._exists = exists  # (section number or "", path) -> whether the document has it
        # (offset, level) of what was read as a member of a list that no "and" closes
        self._unclosed: set[tuple[int, str]] = set()

    def items(
        self, text: str, position: int, level: str, *, plural: bool, coded: str | None = None
    ) -> tuple[list[Item], int]:
        """Read a list of sections (`section`), designators (`paragraph`) or container numbers (any other level).

        `coded` is the section word right behind a code's name (empty for none), None where no code is before the
        list: in "42 U.S.C. § 1983 and section 5 of the lease" only the first section is the code's.
        """
        items: list[Item] = []
        pending: RangeEnd = ""
        at = position
        word_given = plural
        word = ""
        open_from = 0  # the first member that bare commas join, as long as no "and" closes the list
        starts: list[int] = []
        begin = position + (text[position : position + 1] == " ")  # some level words leave their space, as lists do not
        while (item := self._item(text, at, level, items, numbers_allowed=word_given)) is not None:
            if word and coded is not None and _begins_another(text, item.end, word, coded):
                break
            item.range = pending
            items.append(item)
            starts.append(at)
            if coded is None and (begin, level) in self._unclosed:
                break  # "§ 5, § 6, § 7, ..." to its end without "and" was read before: not once more from each member
            separator = SEPARATOR.match(text, item.end)
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
        if open_from:
            for start, item in zip(starts[open_from:], items[open_from:], strict=True):
                alone = self._item(text, start, level, [], numbers_allowed=True)
                if alone is not None and (alone.number, alone.path) == (item.number, item.path):
                    self._unclosed.add((start, level))  # the list that begins there ends as this one does
            del items[open_from:]
        mark_starts(items)
        return items, items[-1].end if items else position

    @staticmethod
    def _same_level(word: str | None, level: str) -> bool:
        if not word:
            return True
        is_section = word.strip()[0] == "§" or word.split()[-1].lower().rstrip("s") in ("section", "rule")
        return is_section == (level == "section")

    def _item(self, text: str, at: int, level: str, before: list[Item], *, numbers_allowed: bool) -> Item | None:
        if level not in ("section", "paragraph"):
            number = _number(CONTAINER_NUMBER, text, at)
            if number is None or (before and not numbers_allowed) or COUNTS.match(text, number[1]):
                return None
            return Item(at, number[1], number[0])
        number = _number(NUMBER, text, at) if level == "section" else None
        if number is not None:
            # "§ 42-3502.05 and 42-3502.06" is a list in all but its sign; "section 5 and 10" need not be one.
            marked = numbers_allowed or not number[0].isdigit()
            if (before and not marked) or COUNTS.match(text, number[1]):
                return None
            path, end = read_designators(text, number[1])
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
            joint = OF.match(text, position) or COMMA_TITLE.match(text, position)
            joint = joint or (TO_PART.match(text, position) if level in ("appendix", "supplement") else None)
            if joint is not None and (here := THIS_DEFINITION.match(text, joint.end())):
                return units, here.end()  # the paragraphs around say which is meant
            if joint is None and self._own is not None and (suffix := self._own[0].match(text, position + 1)):
                return [*units, Unit("code", self._own[1])], suffix.end()  # "chapter 59.12 RCW"
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
            if unit.level == "code" and level == "paragraph" and text[position : position + 1] == " ":
                # "paragraph (2) of 17 U.S.C. § 110": the section follows the name of its code.
                section = self.unit(text, position + 1) if self._section_word(text, position + 1) else None
                if section is not None:
                    units.append(section[0])
                    position = section[1]
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
        if (this := THIS.match(text, at)) and self._known_word(this["word"]):
            path, end = read_designators(text, this.end())
            return Unit("this", this["word"].lower(), path), end
        if whole := WHOLE.match(text, at):
            return Unit("whole", (whole["word"] or whole["rules"]).lower()), whole.end()
        if UNREADABLE.match(text, at):
            return Unit("unreadable"), at
        if plain := PLAIN_WORD.match(text, at):
            items = _plain_items(text, plain.end())
            return (Unit(_plain_level(plain), "", items[0].path), items[0].end) if len(items) == 1 else None
        if word := PARAGRAPH_WORD.match(text, at):
            path, end = read_designators(text, word.end())
            return (Unit(word["word"].lower(), "", path), end) if path else None
        if (word := self._section_word(text, at)) and (number := _number(NUMBER, text, word.end())):
            path, end = read_designators(text, number[1])
            return Unit("section", number[0], path), end
        if (word := CONTAINER_WORD.match(text, at)) and (number := _number(CONTAINER_NUMBER, text, word.end())):
            return Unit(word["word"].lower(), number[0]), number[1]
        end = other_law(text, at)
        return (Unit("other"), end) if end is not None else None

    def _section_word(self, text: str, at: int) -> re.Match[str] | None:
        return SECTION_WORD.match(text, at) or (RULE_WORD.match(text, at) if self._rules else None)

    def _known_word(self, word: str) -> bool:
        """Whether "this rule" is a provision of the document."""
        return self._rules or word.lower() != "rule"

    def reading(self, text: str, at: int) -> Reading | None:
        """Read the reference that begins at this offset with a section, paragraph or container word, or "this"."""
        if whole := WHOLE.match(text, at):
            item = Item(at, whole.end(), (whole["word"] or whole["rules"]).lower())
            return Reading(at, whole.end(), "whole", [item], word="whole")
        if this := THIS.match(text, at):
            if not self._known_word(this["word"]):
                return None
            path, end = read_designators(text, this.end())
            level = "paragraph" if path else "this"
            item = Item(at, end, "" if path else this["word"].lower(), path)
            units = [Unit("this", "section")] if path else []
            return Reading(at, end, level, [item], units, word=this["word"].lower())
        if word := PARAGRAPH_WORD.match(text, at):
            items, end = self.items(text, word.end(), "paragraph", plural=True)
            return self._with_units(text, at, end, "paragraph", word["word"].lower(), items)
        if plain := PLAIN_WORD.match(text, at):
            items = _plain_items(text, plain.end())
            return self._with_units(text, at, items[-1].end, "paragraph", _plain_level(plain), items)
        if BARE_START.match(text, at):
            items, end = self.items(text, at, "paragraph", plural=True)
            return self._with_units(text, at, end, "paragraph", "paragraph", items)
        if word := self._section_word(text, at):
            plural = word[0].split()[-1].lower().rstrip(".") in ("§§", "sections", "secs", "ss", "rules")
            items, end = self.items(text, word.end(), "section", plural=plural)
            return self._with_units(text, at, end, "section", "section", items)
        if word := CONTAINER_WORD.match(text, at):
            level = word["word"].lower()
            items, end = self.items(text, word.end(), level, plural=bool(word["plural"]))
            return self._with_units(text, at, end, level, level, items)
        return None

    def owned(self, text: str, at: int, numbers: int) -> Reading | None:
        """Read the sections behind the initials of the document's own code: "RCW 59.18.057 or 59.18.283"."""
        items, end = self.items(text, numbers, "section", plural=True)
        return self._with_units(text, at, end, "section", "section", items)

    def _with_units(self, text: str, at: int, end: int, level: str, word: str, items: list[Item]) -> Reading | None:
        if not items:
            return None
        if level == "section" and not items[-1].path:
            end = _subdivided(text, items)
        units, end = self.units(text, end, level)
        reading = Reading(at, end, level, items, units, word=word)
        # "Title VII, 42 U.S.C. § 2000e": titles of codes have Arabic numbers.
        if level != "title" or len(items) > 1 or not items[0].number[0].isdigit():
            return reading
        named = self._named_code(text, end)
        if named is not None and not units:
            units, end = [Unit("code", named[0])], named[1]
            reading = Reading(at, end, level, items, units, word=word)
        # "title 17, United States Code, section 106" names the same as "section 106 of title 17".
        joint = NAMED_TITLE.match(text, end)
        section = SECTION_WORD.match(text, joint.end()) if joint else None
        if section is None:
            return reading
        sections, end = self.items(text, section.end(), "section", plural=section[0].strip() in ("§§", "sections"))
        return Reading(at, end, "section", sections, [Unit("title", items[0].number), *units], word="section")

    def comma_units(self, text: str, position: int) -> tuple[Item | None, str, int]:
        """Read ", subpart B" after a part: the smaller unit follows the larger one. Returns (item, its word, end)."""
        joint = COMMA_PART.match(text, position)
        number = CONTAINER_NUMBER.match(text, joint.end()) if joint else None
        if joint is None or number is None:
            return None, "", position
        return Item(number.start(), number.end(), number[0]), joint.lastgroup or "", number.end()


def _subdivided(text: str, items: list[Item]) -> int:
    """Add to the last section the subdivision and paragraph that follow it after commas; the offset after them."""
    last = items[-1]
    joint = COMMA_SUBDIVISION.match(text, last.end)
    found = _plain_items(text, joint.end()) if joint is not None else []
    if len(found) != 1:
        return last.end
    path, end = found[0].path, found[0].end
    if paragraph := COMMA_PARAGRAPH.match(text, end):
        smaller, end = read_designators(text, paragraph.end())
        path = (*path, *smaller)
    last.path, last.end = path, end
    return end


def _plain_items(text: str, position: int) -> list[Item]:
    """The members of "subdivisions one, two and 2-a" or "subsections A through C"; a number in words is one in digits.

    A number behind a letter is a level below it: "subdivision A 2".
    """
    return read_list(text, position, _plain_item, PLAIN_JOINT)


def _plain_item(text: str, at: int, before: Sequence[Item], joint: re.Match[str] | None) -> Item | None:
    number = PLAIN.match(text, at)
    if number is None:
        return None
    written, *smaller = number[0].split()
    plain = written.lower() if len(written) > 1 or written.isdigit() else written
    first, hyphen, letter = plain.partition("-")
    plain = str(NUMBER_WORDS.get(plain, "")) or f"{NUMBER_WORDS.get(first, first)}{hyphen}{letter}"
    return Item(at, number.end(), "", (plain, *smaller))


def _plain_level(word: re.Match[str]) -> str:
    return (word["counted"] or word["lettered"]).lower()


def _number(pattern: re.Pattern[str], text: str, at: int) -> tuple[str, int] | None:
    """A number in digits or words, and the offset after it."""
    match = pattern.match(text, at)
    return (match[0], match.end()) if match is not None else spoken_number(text, at)


def _begins_another(text: str, end: int, word: str, before: str) -> bool:
    """Whether a list's member with a word of its own is of another law than the code named before the list.

    It may say so ("and § 5 of the lease"), or be spelled out where the code's own sections have a sign.
    """
    return OF.match(text, end) is not None or (word[0] != "§" and before[:1] in ("", "§"))


def other_law(text: str, position: int) -> int | None:
    """The offset after the name of another law ("Clayton Act", "Internal Revenue Code of 1986") at this offset."""
    end: int | None = None
    first = True
    for _ in range(16):  # longer names occur, but their last words do not decide whether it is a law's name
        word = OTHER_LAW_WORD.match(text, position)
        if word is None or (first and not word[1][0].isupper()):
            return end
        first = False
        position = word.end()
        name = word[1].rstrip(".’'")  # the point that ends a sentence is no part of it
        if name in OTHER_LAW_ENDS or (end is not None and name[:1].isdigit()):
            end = position = word.start(1) + len(name)
        elif end is not None and word[1] not in ("of", "No."):
            return end
    return end


# American references with their parts in another order than the grammar's, or with words around them.

NO_WORD = "a number beside the code's name, read as its section"
WORDS_AROUND = "the words around the reference are not read"

_CODE = (
    r"(?:\d{1,2}\s?(?:U\.?\s?S\.?\s?C(?:ode\b|\.|\b)(?:\s?[AS]\b\.?)?|C\.?\s?F\.?\s?R\b\.?)|"
    r"(?:D\.?\s?C\.?|District\sof\sColumbia)\s?(?:Official\s)?Code(?:\sAnn\.)?|"
    r"(?:M\.?\s?G\.?\s?L\.?|G\.\s?L\.|Mass(?:\.|achusetts)\sGen(?:\.|eral)\sLaws),?\s?(?:chapter|ch\.?|c\.?)\s?\d{1,3}[A-Z]{0,2})"
)
_WORD = r"(?P<word>§{1,2}\s?|sec(?:tion|\.)?s?\.?\s)"
_FORMS: tuple[tuple[str, str], ...] = (
    # "§ 107, 17 U.S.C.", "section 28-3904 D.C. Code"
    (rf"{_WORD}?(?P<number>\d[^§]{{0,80}}?),?\s(?P<code>{_CODE})", "{code} § {number}"),
    # "28 D.C. Code § 3904"
    (r"(?P<title>\d{1,2}[A-Z]?)\s(?P<code>D\.?\s?C\.?\s?Code(?:\sAnn\.)?),?\s(?P<word>§\s?)(?P<number>\d{3,5}(?:\.\d{2})?[^-–]{0,40})",
     "{code} § {title}-{number}"),
    # "Title 17, Section 107 of the United States Code"
    (rf"title\s(?P<title>\d{{1,2}}[A-Z]?),?\s{_WORD}(?P<number>\d[^§]{{0,60}}?)\sof\sthe\s(?P<code>[A-Z].{{2,40}})",
     "section {number} of title {title} of the {code}"),
    # "D.C. Code Title 28, Chapter 39", "D.C. Code tit. 28, ch. 39"
    (r"(?P<code>(?:D\.?\s?C\.?|District\sof\sColumbia)\s(?:Official\s)?Code),?\s(?P<word>tit(?:le|\.))\s(?P<title>\d{1,2}[A-Z]?)"
     r",?\s(?:ch(?:apter|\.))\s(?P<number>\d{1,3}[A-Z]?)", "chapter {number} of title {title} of the D.C. Code"),
    (r"(?P<code>(?:D\.?\s?C\.?|District\sof\sColumbia)\s(?:Official\s)?Code),?\s(?P<word>tit(?:le|\.))\s(?P<title>\d{1,2}[A-Z]?)"
     r",?\s(?:ch(?:apter|\.))\s(?P<chapter>\d{1,3}[A-Z]?),?\s(?:subch(?:apter|\.))\s(?P<number>[IVXL]{1,7}(?:-[A-Z])?)",
     "subchapter {number} of chapter {chapter} of title {title} of the D.C. Code"),
    (r"title\s(?P<number>\d{1,2}[A-Z]?),?\s(?:of\sthe\s)?(?P<word>)(?P<code>D\.?\s?C\.?\s(?:Official\s)?Code)",
     "title {number} of the D.C. Code"),
    # "IRC 501(c)(3)"
    (r"(?P<code>I\.?R\.?C\.?|Internal\sRevenue\sCode)\s(?P<word>)(?P<number>\d.{0,40})", "{code} § {number}"),
)  # fmt: skip
# One sign before several sections: "35 U.S.C. §101, 102", "28 U.S.C. § 1331 or 1332".
_ONE_SIGN = lazy(
    rf"(?P<code>{_CODE}),?\s?(?:§|sec(?:tion|\.))\s?(?P<list>\d{{1,5}}[a-z]?(?:\(\w{{1,4}}\)){{0,5}}"
    r"(?:(?:,\s?(?:and\s|or\s|&\s)?|\s(?:and|or|&)\s)\d{1,5}[a-z]?(?:\(\w{1,4}\)){0,5}){1,12})",
    re.IGNORECASE,
)
# Levels in words: "17 U.S.C. section 504, subsection (c), paragraph (2)", "subsection (b) of D.C. Code § 42-3502.17".
_LEVEL = r"(?:sub)?(?:section|paragraph|clause)s?\s(?:\(\w{1,5}\)){1,5}"
_LEVELS_BEHIND = lazy(rf"(?P<section>.{{4,80}}?[\w)])(?P<levels>(?:,?\s{_LEVEL}){{1,5}})", re.IGNORECASE)
_LEVELS_BEFORE = lazy(rf"(?P<levels>{_LEVEL})\sof\s(?P<section>.{{4,80}}[\w)])", re.IGNORECASE)
_BRACKETED = lazy(r"\(\w{1,5}\)")
_COMPILED = [(lazy(pattern, re.IGNORECASE), order) for pattern, order in _FORMS]
# The statutes at large print what a public law's number names already.
_PARALLEL = lazy(r",\s\d{1,3}\sStat\.\s\d{1,5}(?:,\s\d{1,5})?(?:\s\((?:1[89]|20)\d\d\))?\s?\.?\Z")
_BEFORE = lazy(r"(?:[A-Z][^\d§\[\]]{2,80},\s{1,3})?\Z")
_AFTER = lazy(r"(?:\s?\([^()\d]{2,80}\)|:\s[^\d§]{2,100})?\s?\Z")


def in_order(reference: str) -> tuple[str, str] | None:
    """A reference whose number is before its code, or that cites the same law twice; None for any other.

    Args:
        reference: the whole string, at most some hundred characters.
    """
    if several := _ONE_SIGN.fullmatch(reference):
        return f"{several['code']} §§ {re.sub(r',(?=[^ ])', ', ', several['list'])}", ""
    if worded := _LEVELS_BEHIND.fullmatch(reference) or _LEVELS_BEFORE.fullmatch(reference):
        return worded["section"] + "".join(_BRACKETED.findall(worded["levels"])), ""
    if parallel := _PARALLEL.search(reference):
        return reference[: parallel.start()], ""
    for pattern, order in _COMPILED:
        match = pattern.fullmatch(reference)
        if match is not None:
            written = order.format_map(match.groupdict())
            return written, "" if match["word"] or "title" in match.groupdict() or "title " in order else NO_WORD
    return None


def without_words_around(reference: str, found: Sequence[FoundReference]) -> tuple[str, str] | None:
    """The one reference of a string that gives it a name before or a gloss behind: "Fair use, 17 U.S.C. § 107".

    None where the rest is a sentence, holds a number, or where nothing or more than one thing is cited.
    """
    if len(found) != 1 or found[0].kind != "explicit" or not found[0].confident:
        return None
    [one] = found
    if _BEFORE.match(reference[: one.start]) is None or _AFTER.match(reference[one.end :]) is None:
        return None
    return (one.text, WORDS_AROUND) if one.text != reference else None


_AFTER_CODE = lazy(
    r",?\s{0,3}(?P<word>§{1,2}|sections?\b|secs?(?:\.|(?=\s))|s\.|"
    r"(?P<container>part|pt|subtitle|subchapter|chapter|ch)s?\b\.?)?\s{0,3}",
    re.IGNORECASE,
)
# Titles of an act between its name and the section; with divisions, sections may be numbered anew in each.
_ACT_PLACES = lazy(
    r"(?:,\s{0,3}(?P<division>div(?:ision|\.)\s)?(?:tit(?:le|\.)\s)?[IVXLC0-9A-Z]{1,6}(?=,\s{0,3}(?:§|sec|tit|div)))+",
    re.IGNORECASE,
)
_HYPHEN = lazy(r"[-–]")
# A statutory note is printed below the section and is no part of it.
_NOTE = lazy(r",?\s{1,3}(?:note\b|nt\.)", re.IGNORECASE)
# The presidential compilations in title 3 of the C.F.R. are cited by year; the year is no part.
_COMPILATION = lazy(r"\s*Comp\b")


class AmericanJurisdiction(CountryLaw, ABC):
    """Base of the American modules; `Jurisdiction` describes the members."""

    codes: tuple[CodeName, ...] = ()
    externals: tuple[str, ...] = ()  # patterns of law that is recognised and has no URN scheme
    # Names as used after "of", with the URN they stand for; `{title}` is the number that the group `title` matched.
    named_codes: tuple[tuple[str, str], ...] = ()

    def __init__(self) -> None:
        self._codes = [(lazy(code.pattern, re.IGNORECASE), code) for code in self.codes]
        self._named = [
            (lazy(rf"\s{{0,3}},?\s{{0,3}}(?:of\s+)?(?:the\s+)?(?:{pattern})", re.IGNORECASE), urn)
            for pattern, urn in self.named_codes
        ]
        codes = (f"(?P<code{i}>{one.pattern.replace('(?P<title>', '(?:')})" for i, one in enumerate(self.codes))
        externals = (*self.externals, _ORDINANCE)
        external = (f"(?P<external{i}>{pattern})" for i, pattern in enumerate(externals))
        # No start stands inside a word: most places of a text are left after one test.
        self._starts = lazy(rf"(?:(?<!\w)|(?=§))(?:{'|'.join((*codes, *external, STARTS))})", re.IGNORECASE)

    @abstractmethod
    def section_urn(self, corpus: str, number: str, within: str) -> str:
        """The URN of a section (or of a part cited like one); empty where the corpus has no such numbers.

        Args:
            corpus: the URN prefix.
            within: the URN of the unit the reference says it is in, or an empty string.
        """

    def bare_section_corpus(self, number: str) -> str:
        """The corpus of a section number that nothing else could bear; empty where the number does not tell."""
        return ""

    @abstractmethod
    def title_urn(self, number: str, code: str, here: ReferenceContext | None) -> str:
        """The URN of "title N" of a named code (`code`, may be empty); empty where there is none.

        In a document without a code's convention, a title of no named code is left to the document's own containers.
        """

    def container_urn(self, within: str, level: str, number: str) -> str:
        """The URN of a container inside another."""
        return below(within, f"{level}_{number}") if within else ""

    def bare_container(self, level: str, number: str, here: ReferenceContext) -> str:
        """The URN of a container cited without its code, not found in the document; empty where it could be any."""
        return ""

    def split(self, corpus: str, item: Item) -> list[Item]:
        """The two ends of a range that is printed like one number (`10a-10c`); else the item itself."""
        return [item]

    def doubtful(self, corpus: str, number: str) -> bool:
        """Whether a number may be a shortened range as well (`2051-83` for 2051 to 2083)."""
        return False

    def extend(self, text: str, item: Item) -> Item:
        """Read designators written in a way of this jurisdiction's own, after those in brackets."""
        return item

    # Finding

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """A reference that is the whole string, by its URN; with an edition's year, a candidate; see `Jurisdiction`."""
        read = self.find_references(reference, None)
        if found := queries_of_references(read, reference, self.language):
            return found
        turned = in_order(reference) or edition_named(reference) or without_words_around(reference, read)
        if turned is None:
            return []
        written, doubt = turned
        found = queries_of_references(self.find_references(written, None), written, self.language)
        return [
            replace(tag_query, hint="; ".join(filter(None, (tag_query.hint, doubt))) or None) for tag_query in found
        ]

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        own = own_code(here.index.title, here.index.corpus_urn) if here is not None else None
        rules = here is not None and here.index.has_level("rule")
        reader = Reader(self._named_code, self._existence(here), own, rules=rules)
        starts = self._starts
        if here is not None:
            coded = any(here.index.has_number(level, _CODED) for level in ("section", "rule"))
            starts = starts_with_own(starts, here.index.title, coded=coded)
        found: list[FoundReference] = []
        position = 0
        while (start := starts.search(text, position)) is not None:
            one = self._read(start, text, here, reader)
            position = one.end if one is not None else start.end()
            if one is not None and (here is not None or one.kind != "relative"):
                found.append(one)
        return found

    def _read(
        self, start: re.Match[str], text: str, here: ReferenceContext | None, reader: Reader
    ) -> FoundReference | None:
        group = start.lastgroup or ""
        if group.startswith("external"):
            part = ReferencePart(start.start(), start.end(), "")
            return FoundReference(start.start(), start.end(), start[0], (part,), "external", confident=True)
        if group.startswith("code"):
            return self._read_code(int(group[4:]), start.start(), text, here, reader)
        if group in ("own", "numbered"):
            reading = reader.owned(text, start.start(), start.end())
        else:
            reading = reader.reading(text, start.start())
        if reading is None:
            return None
        # "Title 17" alone, in a question, says neither which code nor that law is meant.
        if here is None and reading.level in CONTAINER_WORDS and not reading.units:
            return None
        base: Target | None = None
        for unit in reversed(reading.units):
            base = self._enter(base, unit, here)
            if not base.urn:
                break
        if reading.level == "section" and here is not None and (base is None or base.urn):
            reading.items = self._split_here(reading.items, base, here)
        if (
            group == "own"
            and here is not None
            and here.index.numbered("chapter", reading.items[0].number, here.index.root)
        ):
            reading.level = "chapter"  # "RCW 59.18"
        if base is not None and not base.urn:
            targets = [base] * len(reading.items)
        else:
            level = reading.word if reading.level == "paragraph" else reading.level
            targets = [self._enter(base, Unit(level, i.number, i.path), here) for i in reading.items]
        if group == "numbered" and here is not None:  # of another chapter, or of another law
            targets = [target if here.index.node(target.urn) else OTHER for target in targets]
        unread = not any(target.urn for target in targets)
        # "Part one of the form", "this Act" in a title of a code: words, and no reference.
        if unread and base is None and reading.level in (*CONTAINER_WORDS, "whole"):
            return None
        return _found(text, reading, targets)

    def _split_here(self, items: list[Item], base: Target | None, here: ReferenceContext) -> list[Item]:
        """Ranges of sections taken apart: "sections 30117 and 30118–30121", unless one section has that number."""
        corpus = corpus_of(base.urn) if base is not None else here.index.corpus_urn
        within = base.urn if base is not None else ""
        split: list[Item] = []
        for item in items:
            known = here.index.node(self.section_urn(corpus, item.number, within)) is not None
            split.extend([item] if known else self._known_ends(corpus, item, here) or self.split(corpus, item))
        return split

    def _known_ends(self, corpus: str, item: Item, here: ReferenceContext) -> list[Item]:
        """The ends of a range printed as one number of which the document has both: "ss. 812.012-812.037"."""
        for match in _HYPHEN.finditer(item.number) if not item.path else ():
            ends = item.number[: match.start()], item.number[match.end() :]
            if all(here.index.node(self.section_urn(corpus, end, "")) is not None for end in ends):
                return range_ends(item, *ends)
        return []

    def _read_code(
        self, index: int, at: int, text: str, here: ReferenceContext | None, reader: Reader
    ) -> FoundReference | None:
        pattern, code = self._codes[index]
        match = pattern.match(text, at)
        if match is None:
            return None
        corpus = code.corpus(match["title"].lower() if "title" in pattern.groupindex else "")
        places = _ACT_PLACES.match(text, match.end()) if code.act else None
        intro = _AFTER_CODE.match(text, places.end() if places else match.end())
        position = intro.end() if intro else match.end()
        word, container = ((intro[name] or "").lower() if intro else "" for name in ("word", "container"))
        level = "section" if container in ("", "part", "pt") else "chapter" if container == "ch" else container
        plural = word in ("§§", "sections", "parts", "pts.", "chapters", "")
        items, end = reader.items(text, position, level, plural=plural, coded=word)
        split = (one for item in items for one in self.split(corpus, self.extend(text, item)))
        items = [] if code.act and not word else [*split]
        if not items or _COMPILATION.match(text, items[0].end):
            if items or not code.alone:
                return None
            reading = Reading(at, match.end(), "code", [Item(at, match.end(), corpus)])
            return _found(text, reading, [Target(corpus, "explicit", confident=not word) if corpus else OTHER])
        reading = Reading(at, max(end, items[-1].end), level, items)
        if not corpus:
            _, end = reader.units(text, reading.end)  # "Chapter 9 of Title 40" of an old edition is all of that edition
            return _found(text, replace(reading, end=end), [OTHER] * len(items))
        base = Target(corpus, "explicit")
        if places and places["division"]:
            return _found(text, reading, [OTHER] * len(items))
        targets = [self._enter(base, Unit(level, i.number, i.path), here) for i in items]
        note = _NOTE.match(text, reading.end)
        if note or self.doubtful(corpus, items[-1].number):
            targets[-1] = replace(targets[-1], confident=False)
        if note:
            return _found(text, replace(reading, end=note.end()), targets)
        smaller, smaller_word, end = reader.comma_units(text, reading.end)
        if smaller is not None and smaller_word != "part" and targets[-1].urn:
            targets[-1] = self._enter(targets[-1], Unit(smaller_word, smaller.number), here)
            items[-1] = replace(items[-1], end=end)
            reading = replace(reading, end=end)
        return _found(text, reading, targets)

    def _named_code(self, text: str, position: int) -> tuple[str, int] | None:
        for pattern, urn in self._named:
            match = pattern.match(text, position)
            if match is not None:
                number = match["title"] if "title" in pattern.groupindex else ""
                return urn.format(title=plain_number(number)), match.end()
        return None

    # Resolving

    def _existence(self, here: ReferenceContext | None) -> Exists | None:
        corpus = here.index.corpus_urn if here is not None else ""
        return existence(here, lambda number: self.section_urn(self.bare_section_corpus(number) or corpus, number, ""))

    def _enter(self, base: Target | None, unit: Unit, here: ReferenceContext | None) -> Target:
        level = unit.level
        if level == "other":
            return OTHER
        if level == "unreadable" or (base is not None and not base.urn):
            return UNREAD
        if level == "code":
            return Target(unit.number, "explicit")
        if level == "this":
            return self._this(unit, here)
        if level == "title":
            urn = self.title_urn(unit.number, base.urn if base else "", here)
            if not urn and base is None and here is not None:
                return self._container(None, unit, here)
            return Target(urn, "explicit") if urn else OTHER
        if level == "section":
            return self._section(base, unit, here)
        if level == "whole":
            whole = here is not None and here.index.calls_itself(unit.number)
            return Target(here.index.corpus_urn, "relative") if here is not None and whole else UNREAD
        if level in CONTAINER_WORDS and not unit.path:
            return self._container(base, unit, here)
        if base is not None:
            return self._below(base, unit.path, here)
        return self._bare_paragraph(unit, here)

    def _this(self, unit: Unit, here: ReferenceContext | None) -> Target:
        if here is None:
            return UNREAD
        if unit.path:
            section = here.index.section(here.node)
            return self._below(Target(section.urn, "relative"), unit.path, here) if section else UNREAD
        node = here.index.nearest(here.node, unit.number)
        if node is None and unit.number == "division" and here.index.section(here.node) is not here.node:
            node = here.node  # Ohio calls any paragraph a division
        # A document that is one title of a code, or a part of one, may have no node of that level.
        if node is None and unit.number == "title" and self.document_urn(here.node.urn) == here.index.corpus_urn:
            return Target(here.index.corpus_urn, "relative")
        return Target(node.urn, "relative") if node is not None else UNREAD

    def _section(self, base: Target | None, unit: Unit, here: ReferenceContext | None) -> Target:
        if base is not None:
            urn = self.section_urn(corpus_of(base.urn), unit.number, base.urn)
            if not urn:
                return OTHER
            lacking = here is not None and base.kind == "relative" and here.index.node(urn) is None
            return self._below(Target(urn, base.kind, base.confident and not lacking), unit.path, here)
        corpus = self.bare_section_corpus(unit.number)
        if corpus:
            return self._below(Target(self.section_urn(corpus, unit.number, ""), "explicit"), unit.path, here)
        if here is None:
            return UNREAD
        urn = self.section_urn(here.index.corpus_urn, unit.number, "")
        if not urn:
            return OTHER
        # A bare number may be a section of an act that an earlier sentence named; only an existing one is certain.
        level = "rule" if here.index.has_level("rule") else "section"
        node = here.index.node(urn) or here.index.numbered(level, unit.number, here.index.root)
        known = Target(urn if node is None else node.urn, "relative", confident=node is not None)
        return self._below(known, unit.path, here)

    def _container(self, base: Target | None, unit: Unit, here: ReferenceContext | None) -> Target:
        if base is not None:
            parent = here.index.node(base.urn) if here else None
            node = here.index.numbered(unit.level, unit.number, parent) if here and parent else None
            urn = node.urn if node else self.container_urn(base.urn, unit.level, unit.number)
            return Target(urn, base.kind, base.confident) if urn else OTHER
        if here is None:
            return UNREAD
        above = here.index.chain(here.node)[1:]
        for parsed in above:
            node = here.index.numbered(unit.level, unit.number, parsed)
            if node is not None:
                return Target(node.urn, "relative")
        # A source that prints no numbers of its containers still tells them in their URNs.
        for parsed in above:
            node = here.index.node(below(parsed.urn, f"{unit.level}_{unit.number}"))
            if node is not None and node.level == unit.level:
                return Target(node.urn, "relative")
        urn = self.bare_container(unit.level, unit.number, here)
        return Target(urn, "relative", confident=False) if urn else UNREAD

    def _below(self, base: Target, path: Path, here: ReferenceContext | None) -> Target:
        urn = below(base.urn, *path)
        if not urn:
            return UNREAD
        node = here.index.node(urn) if here else None
        if node is not None:
            return replace(base, urn=node.urn)
        missing = here is not None and here.index.node(base.urn) is not None
        return Target(urn, base.kind, base.confident and not missing)

    def _bare_paragraph(self, unit: Unit, here: ReferenceContext | None) -> Target:
        section = here.index.section(here.node) if here else None
        if here is None or section is None:
            return UNREAD
        found = [
            node
            for parsed in here.index.chain(here.node)
            if len(parsed.urn) >= len(section.urn)
            and (node := here.index.node(below(parsed.urn, *unit.path))) is not None
            and (node.number == unit.path[-1] or node.level == unit.level)
        ]
        if not found:
            return UNREAD
        # URNs fold case, so that (b) and (B) meet in one segment; the printed designator tells them apart.
        best = min(found, key=lambda n: (n.number != unit.path[-1], n.level != unit.level))
        return Target(best.urn, "relative")


def _found(text: str, reading: Reading, targets: list[Target]) -> FoundReference:
    return reference_of(text, reading.start, reading.end, reading.items, targets)
