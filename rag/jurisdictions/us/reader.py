"""Taking an American reference apart, without saying yet what it points to.

"paragraphs (1) and (2) of subsection (b) of section 106 of title 17" becomes a list of two items and the units
they lie in, innermost first. `american.py` turns that into URNs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from rag.jurisdictions.us.words import (
    BARE_START,
    COMMA_PARAGRAPH,
    COMMA_PART,
    COMMA_SUBDIVISION,
    COMMA_TITLE,
    CONTAINER_NUMBER,
    CONTAINER_WORD,
    COUNTS,
    NAMED_TITLE,
    NUMBER,
    OF,
    OTHER_LAW_ENDS,
    OTHER_LAW_WORD,
    PARAGRAPH_WORD,
    PLAIN,
    PLAIN_JOINT,
    PLAIN_WORD,
    RULE_WORD,
    SECTION_WORD,
    SEPARATOR,
    THIS,
    THIS_DEFINITION,
    TO_PART,
    UNREADABLE,
    WHOLE,
)
from rag.law.designators import Path, continue_path, read_designators
from rag.law.jurisdiction import RangeEnd
from rag.law.numerals import NUMBER_WORDS, spoken_number


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
        for first, second in pairwise(items):
            if second.range == "end" and not first.range:
                first.range = "start"
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
            return Item(at, number[1], number[0], ())
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
            item = Item(at, whole.end(), (whole["word"] or whole["rules"]).lower(), ())
            return Reading(at, whole.end(), "whole", "whole", [item])
        if this := THIS.match(text, at):
            if not self._known_word(this["word"]):
                return None
            path, end = read_designators(text, this.end())
            level = "paragraph" if path else "this"
            item = Item(at, end, "" if path else this["word"].lower(), path)
            units = [Unit("this", "section")] if path else []
            return Reading(at, end, level, this["word"].lower(), [item], units)
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
        reading = Reading(at, end, level, word, items, units)
        # "Title VII, 42 U.S.C. § 2000e": titles of codes have Arabic numbers.
        if level != "title" or len(items) > 1 or not items[0].number[0].isdigit():
            return reading
        named = self._named_code(text, end)
        if named is not None and not units:
            units, end = [Unit("code", named[0])], named[1]
            reading = Reading(at, end, level, word, items, units)
        # "title 17, United States Code, section 106" names the same as "section 106 of title 17".
        joint = NAMED_TITLE.match(text, end)
        section = SECTION_WORD.match(text, joint.end()) if joint else None
        if section is None:
            return reading
        sections, end = self.items(text, section.end(), "section", plural=section[0].strip() in ("§§", "sections"))
        return Reading(at, end, "section", "section", sections, [Unit("title", items[0].number), *units])

    def comma_units(self, text: str, position: int) -> tuple[Item | None, str, int]:
        """Read ", subpart B" after a part: the smaller unit follows the larger one. Returns (item, its word, end)."""
        joint = COMMA_PART.match(text, position)
        number = CONTAINER_NUMBER.match(text, joint.end()) if joint else None
        if joint is None or number is None:
            return None, "", position
        return Item(number.start(), number.end(), number[0], ()), joint.lastgroup or "", number.end()


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
    items: list[Item] = []
    pending: RangeEnd = ""
    while number := PLAIN.match(text, position):
        written, *smaller = number[0].split()
        plain = written.lower() if len(written) > 1 or written.isdigit() else written
        first, joint, letter = plain.partition("-")
        plain = str(NUMBER_WORDS.get(plain, "")) or f"{NUMBER_WORDS.get(first, first)}{joint}{letter}"
        items.append(Item(position, number.end(), "", (plain, *smaller), pending))
        separator = PLAIN_JOINT.match(text, number.end())
        if separator is None:
            break
        pending = "end" if separator["range"] else ""
        position = separator.end()
    for before, after in pairwise(items):
        before.range = before.range or ("start" if after.range == "end" else "")
    return items


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
        if word[1] in OTHER_LAW_ENDS or (end is not None and word[1][0].isdigit()):
            end = position
        elif end is not None and word[1] not in ("of", "No."):
            return end
    return end
