"""Taking apart references that name provisions by words: "paragraph 3(1) of Schedule 2 to the X Act 1990".

British and European Union law cite alike: a word and a number, smaller units before larger ones ("point (a) of
Article 6(1)") or after them ("Sch 2, para 3(1)"), and a law at the end. A `Grammar` holds the words; `statutory.py`
turns what is read into URNs. Every repetition is bounded, so that reading is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rag.jurisdictions.grammar.kernel import Exists, Item, Law, Reading, Unit, read_list
from rag.law.designators import Path, continue_path, read_designators
from rag.law.numerals import NUMBER_WORDS, WORD_NUMBER
from rag.law.patterns import lazy, verbose

# A word begins after no letter, and after an apostrophe only where that ends an article: "l’article".
_BEGIN = r"(?<![\w./-])(?:(?<![’'])|(?<=\b[lLdD][’']))"
_END = r"(?:(?<=\.)|(?![^\W\d_]))"
UNIT_NUMBER = lazy(
    r"[A-Z]{0,2}\d{1,4}(?:[A-Z]{1,3}|bis|ter|quater|[a-z]{1,2})?(?:\.\d{1,3}[A-Z]{0,2})?(?![\w/%]|[.,:]\d)"
)
# "6.1.f" in law whose article numbers have no point.
_POINTED = lazy(
    r"(?P<number>\d{1,4}[a-z]{0,2})\.(?P<paragraph>\d{1,3})(?:\.?(?:\((?P<closed>[a-z])\)|(?P<point>[a-z])\)?(?!\w)))?(?![\w/%]|[.,:]\d)"
)
_HYPHENED = lazy(r"\d{1,4}-\d{1,4}[A-Z]{0,2}(?![\w/%])")  # Australian tax law's "section 4-25"
CONTAINER_NUMBER = lazy(
    r"(?:\d{1,3}[A-Z]{,3}(?:\.\d\d?A?)?(?:-[A-Z]{1,3})?|[IVXLC]{1,7}[A-Z]?|[A-Z]{1,2}\d{,2}"
    r"|One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten)(?![\w’'/%]|\.\d)"  # "Part Three, Title II"
)
_BARE = lazy(r"\d{1,3}[A-Za-z]{0,2}(?![\w/%]|[.,:]\d)")
_FIRST = frozenset({"1er", "1re"})  # the first of a French list
# "point a" ends a clause or is before what it lies in; "point a finger" does not.
_LETTER = lazy(r"[a-z](?!\w)(?=\s{0,3}(?:[,;.]|\Z|(?:of|and|or|to|du|de|der|des|und|et)\b|[A-Z]))")
_CLOSED = lazy(r"(?:[a-z]{1,2}|[ivx]{1,5}|\d{1,2})\)")
_SEPARATOR = verbose(r"""
    # "Parts 3, 6 (except sections 24 and 25(1)) and 6B"
    (?: \s \((?:except|other[ ]than|apart[ ]from|excluding|but[ ]not|save[ ]for)\b
        (?:[^()]|\([^()]{1,12}\)){1,120} \) )?
    \s{0,3}
    (?: (?P<range> \b(?:to|through|bis|à|al)\b | [-–—] )
    | , (?: \s{0,3} (?:and|or|et|ou|und|oder|sowie)\b )?
    | \b(?:and|or|et|ou|und|oder|sowie|y|e)\b
    | & )
    \s{0,3}
""")  # fmt: skip
# After a singular word a further number has to look like one of the list: "section 5 and 10 days" has one member.
_LIST_GOES_ON = lazy(r"\s{0,3}(?:[(,;.)]|\Z|(?:of|to|and|or|above|below|in|du|de|der|des|et|und)\b)")
_COUNTS = lazy(r"\s{0,3}(?:%|per\s?cent|days?\b|weeks?\b|months?\b|years?\b|hours?\b|euros?\b|pounds\b)", re.I)
_THEREOF = lazy(r"\s{1,3}(?:thereof|of\s{1,3}it)\b")
_PLACE = lazy(r"\s{1,3}(?:above|below|hereof|hereto)\b")
_DESCENT = lazy(r"\s{0,3},?\s{0,3}")
_ASCENT = verbose(r"""
    (?: \s{1,3} (?:above|below) )? (?: \s{1,3} \([^()\n]{3,120}\) )?
    \s{0,3} ,? \s{1,3} (?: (?:of|in|from|des|der|zu|zur|zum|du|de|van|del|della)\b | (?P<to>to\b) ) ,?
    (?: \s{1,3} (?:the|la|le|les|das|die|dem)\b | \s{1,3} l[’'] )? \s{0,3}
    | \s{1,3} (?:of|de) \s{1,3} l[’']
""")  # fmt: skip
# "subsection (2) below, in this Act": the comma ends the reference.
_BEGINS_CLAUSE = lazy(r",\s{1,3}(?:in\b|from\b)")
_ADJACENT = lazy(r"(?P<comma>\s{0,3},)?\s{1,3}")
_SHARED = lazy(r"\s{1,3}(?:of|to|in),\s{1,3}(?:and|or)\s{1,3}(?:(?:under|by|in|of)\s{1,3})?")
_ALIKE = lazy(r"\s{0,3},?\s{1,3}(?:and|or|et|ou|und|oder)\s{1,3}(?:in\s|of\s|under\s)?")
# Designators inserted between others, which British acts have: "(za)", "(ba)", "(iia)".
_INSERTED = lazy(r"\s?\(((?:z[a-z]|[b-hj-np-y][a-c]|[ivx]{1,4}z?[a-c]))\)")
_NUMERAL = lazy(r"[ivx]+")
_NO_NUMERAL = lazy(r"[a-hj-uwyz]")
_LEFT_OVER = lazy(r"\([^()\s]{1,6}\)")
# "of that definition", "of each section", "of the Charter of X": what these lie in cannot be told.
UNREADABLE = lazy(
    r"(?i:(?:the\s{1,3})?(?:definition|entry|table|that|those|such|said|which|each|any|every)\b)|(?:the\s{1,3})?[A-Z]"
)
MAX_UNITS = 8


ReadLaw = Callable[[str, int], tuple[Law, int] | None]  # (text, position) -> (the law named there, end)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of a family of law. No pattern has a group."""

    words: Mapping[str, str]  # level -> pattern of its written words
    units: frozenset[str]  # levels numbered through the whole law
    annexes: Mapping[str, str]  # level -> its word in URNs
    containers: frozenset[str]
    descents: Mapping[str, frozenset[str]]  # level -> smaller levels that may follow it
    this: str  # before a level or a kind of act, for what the text is in
    that: str  # the same for what was named last
    acts: str  # kinds of act, as "this Regulation" names them
    counted: frozenset[str]  # levels that have no designators and are counted: "second subparagraph"
    ordinals: Mapping[str, int]  # pattern of an ordinal -> its number
    neighbours: Mapping[str, str]  # pattern -> `before` or `after`, for "the preceding section"
    pointed: bool  # "6.1" is paragraph 1 of unit 6, since the units' own numbers have no point
    below_only: str  # words of a point that count right after a larger unit only: "Art. 4 no. 7"
    singular: str  # words after which a further number has to look like one of the list


def read_path(text: str, position: int) -> tuple[Path, int]:
    """A run of bracketed designators, inserted ones included; see `read_designators`."""
    path: list[str] = []
    while True:
        found, position = read_designators(text, position)
        path.extend(found)
        inserted = _INSERTED.match(text, position)
        if inserted is None:
            return tuple(path), position
        path.append(inserted[1])
        position = inserted.end()


class Reader:
    """Reads references of one grammar at known starts."""

    def __init__(self, grammar: Grammar) -> None:
        plain = "|".join(grammar.words.values())
        levels = "|".join(f"(?P<{level}>{words})" for level, words in grammar.words.items())
        act = rf"(?P<act>{grammar.acts})\b"
        ranks = "|".join(f"(?P<rank{number}>{words})" for words, number in grammar.ordinals.items())
        self._grammar = grammar
        self._word = lazy(rf"(?:{levels}){_END}\s{{0,3}}(?=[(\dA-Za-z])", re.I)
        self._this = lazy(rf"(?:{grammar.this})\s{{1,3}}(?:(?-i:{act})|(?:{levels})\b)", re.I)
        self._that = lazy(rf"(?:{grammar.that})\s{{1,3}}(?:(?-i:{act})|(?:{levels})\b(?!\s{{1,3}}\d))", re.I)
        ranked = {*grammar.counted, *grammar.annexes}
        named = "|".join(f"(?P<{level}>{words})" for level, words in grammar.words.items() if level in ranked)
        self._ordinal = lazy(rf"(?:{ranks})\s{{1,3}}(?:{named})\b", re.I)
        self._level_name = lazy(rf"(?:{plain})(?!\w)", re.I)
        sides = "|".join(f"(?P<near{side}>{words})" for words, side in grammar.neighbours.items())
        near = "|".join(grammar.neighbours)
        self._neighbour = lazy(rf"(?:{sides})\s{{1,3}}(?:{levels})(?<!s)(?!\w)", re.I)
        self._below_only = lazy(rf"(?:{grammar.below_only})\s?(?=\d)", re.I) if grammar.below_only else None
        self._singular = lazy(rf"(?:{grammar.singular})\s*\Z", re.I)
        ordinals = "|".join(grammar.ordinals)
        self._pointing = lazy(rf"(?:{grammar.this}|{grammar.that}|{near}|{ordinals})\s", re.I)
        counted = "|".join(words for level, words in grammar.words.items() if level in ranked)
        self.starts = (
            rf"{_BEGIN}(?i:(?:{plain}){_END}\s{{0,3}}(?=[(\dA-Za-z])|(?:{grammar.this})\s{{1,3}}"
            rf"(?:(?-i:{grammar.acts})\b|(?:{plain})\b)|(?:{grammar.that})\s{{1,3}}"
            # "Regulations may provide that section 2 is not to apply" names section 2.
            rf"(?:(?-i:{grammar.acts})\b|(?:{plain})\b(?!\s{{1,3}}\d))|(?:{near})\s{{1,3}}(?:{plain})(?!\w)|"
            rf"(?:{ordinals})\s{{1,3}}(?:{counted})\b)"
        )

    def reading(self, text: str, at: int, read_law: ReadLaw, exists: Exists | None = None) -> Reading | None:
        """Read the reference that begins at this offset; None where none does."""
        reading = self._head(text, at, exists)
        if reading is None:
            return None
        self._descend(text, reading)
        self._ascend(text, reading, read_law, inside=exists is not None)
        if reading.law is None and not reading.unread and (shared := _SHARED.match(text, reading.end)):
            # "section 9 of, or Schedule 1 to, the X Act 1990": both lie in the act named at the end.
            other = self._head(text, shared.end())
            if other is not None:
                self._descend(text, other)
                self._ascend(text, other, read_law)
                reading.law = other.law
            reading.unread = reading.law is None
        elif reading.law is None and not reading.units and (joint := _ALIKE.match(text, reading.end)):
            # "Article 25 or Article 26 of Directive 95/46/EC": the law of the second is likely that of the first.
            other = self._head(text, joint.end())
            if other is not None and other.level == reading.level:
                self._descend(text, other)
                self._ascend(text, other, read_law)
                if other.law is not None and not other.units:
                    reading.law = replace(other.law, certain=False)
        return reading

    def after_law(self, text: str, at: int, bare: str = "") -> Reading | None:
        """Read the provision that follows the name of its law: ", s. 1" after "Theft Act 1968".

        Args:
            at: the offset after the law's name.
            bare: the level of a number without a word, where the law is cited so ("CPR 3.4").
        """
        joint = _DESCENT.match(text, at)
        position = joint.end() if joint else at
        if self._this.match(text, position) or self._that.match(text, position):
            return None
        reading = self._head(text, position)
        if reading is None and bare and (items := self._items(text, position, bare, "", None)):
            reading = Reading(at, items[-1].end, bare, items)
        if reading is not None:
            self._descend(text, reading)
        return reading

    def _head(self, text: str, at: int, exists: Exists | None = None) -> Reading | None:
        if word := self._word.match(text, at):
            level = self._level(word)
            items = self._items(text, word.end(), level, word[0], exists)
            if items:
                return Reading(at, items[-1].end, level, items)
        if not self._pointing.match(text, at):
            return None
        for role, pattern in (("this", self._this), ("that", self._that)):
            if match := pattern.match(text, at):
                level = "act" if match["act"] else self._level(match)
                glued = level != "act" and text[match.end() : match.end() + 1] == "("
                path, end = read_path(text, match.end()) if glued else ((), match.end())
                word = match["act"].lower() if match["act"] else ""
                return Reading(at, end, f"{role} {level}", [Item(at, end, word, path)])
        if match := self._neighbour.match(text, at):
            name = next(name for name, found in match.groupdict().items() if name.startswith("near") and found)
            return Reading(at, match.end(), f"{name[4:]} {self._level(match)}", [Item(at, match.end())])
        if match := self._ordinal.match(text, at):
            level = self._level(match)
            rank = next(name for name, found in match.groupdict().items() if name.startswith("rank") and found)[4:]
            return Reading(at, match.end(), level, [Item(at, match.end(), rank, (f"~{rank}",))])
        return None

    @staticmethod
    def _level(match: re.Match[str]) -> str:
        # The level is the last group of every pattern that has one.
        return match.lastgroup or ""

    def _items(self, text: str, at: int, level: str, word: str, exists: Exists | None) -> list[Item]:
        alone = self._singular.fullmatch(word) is not None

        def member(text: str, at: int, before: Sequence[Item], joint: re.Match[str] | None) -> Item | None:
            item = self._item(text, at, level, before, exists)
            if item is None or joint is None:
                return item
            ended = alone and self._ends(text, at, item, exists, ranged=bool(joint["range"]))
            return None if ended or _COUNTS.match(text, item.end) else item

        return read_list(text, at, member, _SEPARATOR)

    def _ends(self, text: str, at: int, item: Item, exists: Exists | None, *, ranged: bool) -> bool:
        """Whether a further number after a singular word is none of the list."""
        if (ranged and text[at] == "(") or _LIST_GOES_ON.match(text, item.end):
            return False
        return not self._known_member(text, at, item, exists)

    @staticmethod
    def _known_member(text: str, at: int, item: Item, exists: Exists | None) -> bool:
        """Whether a member is numbered as one that the document has; letters may enumerate the sentence itself."""
        numbered = text[at] == "(" and item.path[-1:] != () and item.path[-1].isdigit()
        return numbered and exists is not None and exists(item.number, item.path)

    def _item(self, text: str, at: int, level: str, before: Sequence[Item], exists: Exists | None) -> Item | None:
        grammar = self._grammar
        if level in grammar.units or level == "recital":
            if grammar.pointed and (point := _POINTED.match(text, at)):
                path = (point["paragraph"], *(part for part in (point["closed"], point["point"]) if part))
                smaller, end = read_path(text, point.end())
                return Item(at, end, point["number"], (*path, *smaller))
            number = UNIT_NUMBER.match(text, at)
            hyphened = _HYPHENED.match(text, at)
            if hyphened is not None and exists is not None and exists(hyphened[0], ()):
                number = hyphened
            if number is None and level == "recital" and not before:
                path, end = read_path(text, at)
                return Item(at, end, path[0]) if len(path) == 1 else None
            if number is not None:
                path, end = read_path(text, number.end())
                return Item(at, end, "1" if number[0] in _FIRST else number[0], path)
            word = WORD_NUMBER.match(text, at)
            if word is not None and _LIST_GOES_ON.match(text, word.end()):
                path, end = read_path(text, word.end())
                return Item(at, end, str(NUMBER_WORDS[word[0]]), path)
            if not before or not before[-1].path:
                return None
            return self._continued(text, at, before[-1], exists)
        if level in grammar.containers or level in grammar.annexes:
            number = CONTAINER_NUMBER.match(text, at)
            return Item(at, number.end(), number[0]) if number else None
        if bare := _BARE.match(text, at):
            written = "1" if bare[0] in _FIRST else bare[0]
            if level in grammar.counted:
                return Item(at, bare.end(), written, (f"~{written}",))
            path, end = read_path(text, bare.end())
            return Item(at, end, "", (written, *path))
        closed = _CLOSED.match(text, at) or (_LETTER.match(text, at) if level == "point" else None)
        if closed is not None:
            return Item(at, closed.end(), "", (closed[0].rstrip(")"),))
        path, end = read_path(text, at)
        if not path:
            return None
        return self._continued(text, at, before[-1], exists) if before else Item(at, end, "", path)

    def _continued(self, text: str, at: int, last: Item, exists: Exists | None) -> Item | None:
        path, end = read_path(text, at)
        known = None if exists is None else partial(exists, last.number)
        if not path or not last.path:
            return None
        full = continue_path(last.path, path, known)
        if len(last.path) > 1 and _NUMERAL.fullmatch(last.path[-1]) and _NO_NUMERAL.fullmatch(path[0]):
            # After (a)(ii) a "(d)" continues the letters; as a numeral it would be 500.
            full = continue_path(last.path[:-1], path, known) or full
        return Item(at, end, last.number, full) if full else None

    # What the items lie in

    def _descend(self, text: str, reading: Reading) -> None:
        """Smaller units after larger ones: "Sch 2, para 3(1)" reads like "para 3(1) of Sch 2"."""
        for _ in range(MAX_UNITS):
            smaller = self._grammar.descents.get(reading.level, frozenset[str]())
            joint = _DESCENT.match(text, reading.end) if smaller and len(reading.items) == 1 else None
            if joint is None or joint.end() == len(text):
                return
            named = self._word.match(text, joint.end()) or self._ordinal.match(text, joint.end())
            inner = self._head(text, joint.end()) if named else self._point_below(text, joint.end())
            if inner is None or inner.level not in smaller:
                return
            [item] = reading.items
            reading.units.insert(0, Unit(reading.level, item.number, item.path))
            reading.level, reading.items, reading.end = inner.level, inner.items, inner.end

    def _point_below(self, text: str, at: int) -> Reading | None:
        """A point by a word that opens no reference of its own."""
        word = self._below_only.match(text, at) if self._below_only else None
        items = self._items(text, word.end(), "point", word[0], None) if word else []
        return Reading(at, items[-1].end, "point", items) if items else None

    def _ascend(self, text: str, reading: Reading, read_law: ReadLaw, *, inside: bool = False) -> None:
        """Larger units after smaller ones, and the law at the end; `inside` a law a bare number may be its own."""
        if reading.level in ("this act", "that act") or reading.end == len(text):
            return
        # A designator that cannot be read would leave a wrong provision behind.
        reading.unread = reading.unread or _LEFT_OVER.match(text, reading.end) is not None
        for _ in range(MAX_UNITS):
            joint = _ASCENT.match(text, reading.end)
            if joint is None or (joint["to"] and not self._takes_to(reading)) or _BEGINS_CLAUSE.search(joint[0]):
                break
            unit = self._unit(text, joint.end())
            if unit is None and (law := read_law(text, joint.end())):
                reading.law, reading.end = law
                return
            if unit is None:
                unknown = UNREADABLE.match(text, joint.end()) or self._level_name.match(text, joint.end())
                reading.unread = joint[0].strip()[:2] != "in" and unknown is not None
                break
            outer, reading.end = unit
            reading.units.append(outer)
            if outer.level in ("this act", "that act"):
                return
        if not reading.unread and (joint := _ADJACENT.match(text, reading.end)) and joint.end() > reading.end:
            law = read_law(text, joint.end())
            # "art 6, GDPR art 7": the law heads what follows it.
            if law and law[0].role == "named" and not (joint["comma"] and self._word.match(text, law[1] + 1)):
                # "under section 5, Directive 95/46/EC is applied": the comma may end the reference.
                sure = law[0].certain and not (inside and joint["comma"])
                reading.law, reading.end = replace(law[0], certain=sure), law[1]
        if place := _PLACE.match(text, reading.end):
            reading.end = place.end()
        reading.unread = reading.unread or _THEREOF.match(text, reading.end) is not None

    def _takes_to(self, reading: Reading) -> bool:
        levels = {reading.level, *(unit.level for unit in reading.units)}
        return bool(levels & (self._grammar.annexes.keys() | self._grammar.containers))

    def _unit(self, text: str, at: int) -> tuple[Unit, int] | None:
        head = self._head(text, at)
        if head is None:
            return None
        [item, *others] = head.items  # "paragraph 1 of Articles 5 and 6" names two; only one can hold the items
        return None if others else (Unit(head.level, item.number, item.path), head.end)
