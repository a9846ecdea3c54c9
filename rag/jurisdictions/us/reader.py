"""Taking an American reference apart, without saying yet what it points to.

"paragraphs (1) and (2) of subsection (b) of section 106 of title 17" becomes a list of two items and the units
they lie in, innermost first. `american.py` turns that into URNs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag.jurisdictions.grammar.kernel import Item, Reading, Unit, mark_starts, read_list
from rag.law.designators import Path, continue_path, read_designators
from rag.law.jurisdiction import RangeEnd
from rag.law.numerals import NUMBER_WORDS, SPOKEN, spoken_number
from rag.law.patterns import lazy, verbose

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

        `coded` is the section word right behind a code's name (empty for none), None where no code stands before the
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
