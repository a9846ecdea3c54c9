"""Finding German citations and taking them apart, without saying yet what they point to.

"§ 123 Abs. 1 S. 2, 3 Nr. 4" becomes two items, each with its whole path. Every step consumes text and looks at a
bounded stretch of it, so that reading is linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rag.jurisdictions.de.acts import Act, read_act
from rag.jurisdictions.de.laws import read_abbreviation
from rag.jurisdictions.grammar.kernel import Span, Units, read_list
from rag.law.patterns import lazy, verbose
from retrieval.roman import roman_value

# Units below a § or Artikel, from the outside in; `satz` and finer ones are no nodes, a German Unterabsatz neither.
RANKS = {"artikel": 0, "anlage": 0, "§": 1, "abs": 2, "uabs": 3, "satz": 4, "nr": 5, "buchst": 6, "doppel": 7}
TOP = frozenset({"artikel", "§", "anlage"})
LAST = "last"  # the number of "letzter Unterabsatz"

_WORDS = {
    "abs": r"Abs(?:\.|(?:atz(?:es)?|ätzen?)(?!\w)|(?=\s?[\d(]))",
    "uabs": r"Unterabs(?:\.|(?:atz(?:es)?|ätzen?)(?!\w))|UAbs\.?(?=\s?\d)",
    "satz": r"Satz(?:es)?\b|Sätzen?\b|(?-i:S\.)(?=\s?\d)",
    "nr": r"Nrn?\.|Nrn?(?=\s\d)|Nummern?\b|Ziff\.|Ziffern?\b|(?-i:Z\.?)(?=\s\d)",
    "doppel": r"Doppelbuchstaben?\b|Doppelbuchst\.",
    "buchst": r"Buchst\.|Buchstaben?\b|(?-i:lit\.?)(?=\s?[a-z]\b)|Bst\.",
}
# Words that can open a citation of their own; "S." alone is a page, "Z" a zone, and an Unterabsatz lies in an Absatz.
_ONLY_INSIDE = (r"|(?-i:S\.)(?=\s?\d)", r"|(?-i:Z\.?)(?=\s\d)")
WORDS = "|".join(
    words.replace(_ONLY_INSIDE[0], "").replace(_ONLY_INSIDE[1], "") for unit, words in _WORDS.items() if unit != "uabs"
)
_UNIT = lazy(r"\s{0,4}(?:" + "|".join(f"(?P<{k}>{v})" for k, v in _WORDS.items()) + r")\s{0,4}", re.IGNORECASE)
_UNIT_BEGINS = frozenset("asnzdblu")
_VALUES = {
    "abs": lazy(r"\(?(?:(\d{1,3}[a-z]{0,2})|([IVX]{1,5}))(?!\w)\)?"),
    "uabs": lazy(r"(\d{1,3})(?!\w)"),
    "satz": lazy(r"(\d{1,3})(?!\w)"),
    "nr": lazy(r"(\d{1,4})(?=[a-z]\))|(\d{1,4}(?:\.\d{1,3}){0,3}[a-z]{0,3})(?!\w|/\d)"),
    "buchst": lazy(r"([a-z]{1,3})(?![\w.])\)?|([a-z])(?=\.)"),
    "doppel": lazy(r"([a-z]{2})(?![\w.])\)?"),
}
NUMBER = lazy(r"(\d{1,4}(?:(?!ff)[a-z]{1,2}(?![a-z0-9])|\s[a-eg-z](?![\w.)-])|(?=ff\b)|(?![a-z0-9])))(?!\.\d|[/%]\d?)")
_BARE = lazy(r"(\d{1,4}[a-z]{0,2})(?![a-z0-9]|\.\d|/\d)")
_LETTER = lazy(r"([a-z])\)?(?![\w.)])")
_ROMAN = lazy(r"\s{1,2}([IVX]{1,5})([a-z]?)(?![\w.-])(?:\s([1-9]\d?)(?![\w.,/]|\s?[.)]))?")
_ROMAN_ALONE = lazy(r"([IVX]{1,5})(?![\w.-])")
_BRACKET = lazy(r"\s?\(([1-9]\d?[a-z]?)\)")
_MOST_ROMAN = 15
# Finer than a Satz: read over, since no node is so fine.
_FINE = verbose(r"""
    \s{0,3} ,? \s{0,3}
    # "2. Halbsatz", "erste Alternative"
    (?: (?:\d\.|erste[rnsm]?|zweite[rnsm]?|dritte[rnsm]?|vierte[rnsm]?|letzte[rnsm]?) \s{0,3}
        (?:Halbsatz(?:es)?|Halbs\.|HS\.?|Hs\.?|Alternative|Alt\.?|Variante|Var\.?|Fall(?:es)?|Spiegelstrich(?:s)?)
        (?!\w)
    # "Alt. 2", "Rn. 5"
    | (?:Halbsatz(?:es)?|Halbs\.|HS\.?|Alternative|Alt\.|Variante|Var\.|Fall|Spiegelstrich|Rn\.|Rdnr\.|Rdn\.)
        \s{0,3} \d{1,3}(?!\w)
    )
""", re.IGNORECASE)  # fmt: skip
_RANKED = lazy(
    r"\s{0,3},?\s{0,3}(?:(?P<digit>\d)\.|(?P<word>erst|zweit|dritt|viert|fünft|letzt)e[rnsm]?)\s{0,3}"
    r"(?:Unterabs(?:atz(?:es)?(?!\w)|\.)|UAbs\.?(?!\w))",
    re.IGNORECASE,
)
_NEAR = 30  # characters of an ordinal and its word
_RANK_WORDS = {"erst": "1", "zweit": "2", "dritt": "3", "viert": "4", "fünft": "5", "letzt": LAST}
# "Art. 6 I f DSGVO", "Art. 6 I 1 f": the letter of an act of the Union. In German law "§ 7 I a" may be Absatz 1a.
_BARE_LETTER = lazy(r"\s([a-z])\)?(?=\s[A-Z(])(?!\s(?:I|V|X)\b)")
_ITEM_LETTER = lazy(r"\s?([a-z]{1,2})\)")
_OPEN = lazy(r"\s{0,2}(?:ff\.?|f\.)(?!\w)")
_JOINT = verbose(r"""
    \s{0,4}
    (?: (?P<range> bis(?:\s{1,3}zu)?(?!\w) | [-–—](?=\s?(?:\d|Abs|Nr)) )
    # "in Verbindung mit": the next number is one of a § again
    | (?P<with> ,? \s{0,3}
        (?: (?:jeweils\s{1,3})? (?:auch\s{1,3})? in\s{1,3}Verbindung\s{1,3}mit
        | (?:auch\s)? i\.\s?V\.\s?m\.
        | (?:auch\s)? iVm\b ) )
    | , \s{0,3} (?:und|oder|sowie|bzw\.|beziehungsweise)? (?!\w)
    | (?:und|u\.|oder|od\.|sowie|bzw\.|beziehungsweise) (?!\w)
    | [/;&] (?=\s?(?:\d|Abs|Nr|S\.))
    )
    \s{0,4} (?: auch\s{1,2} | jeweils\s{1,2} | nach\s{1,2}(?=Abs|Satz|Nummer|Nr) )?
""")  # fmt: skip
# A bare number that counts something, or begins a date, is no member of a list.
_COUNTED = verbose(r"""
    \s{0,3}
    (?: % | € | v\.\s?H\.
    | (?:Prozent|Tag|Woche|Monat|Jahr|Stunde|Minute|Euro|EUR|Person|Million|Milliarde|Mio|Quadratmeter|Kilometer
        |km|m²|Uhr)
    | \.\s{0,2} (?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|\d)
    )
""")  # fmt: skip
_NESTED = lazy(r"\s{0,3},?\s{0,3}§{1,2}\s{0,4}(?=\d)")
_FEW = 20  # no law has so many Absätze or Sätze that a list names them beyond this by number alone


@dataclass(slots=True)
class Item(Span):
    """One cited provision: the units it is in and itself, as (unit, number), outermost first."""

    path: Units
    sure: bool = True
    lettered: bool = False  # ends with a letter without a word, which acts of the Union alone are cited by


@dataclass(slots=True)
class Reading:
    """What follows one "§" or "Artikel", or a smaller unit without one; the items may be of several levels."""

    start: int
    end: int
    items: list[Item] = field(default_factory=lambda: [])
    more: bool = False  # "ff.": and the following

    @property
    def sign(self) -> str:
        """The outermost unit of the first item."""
        return self.items[0].path[0][0] if self.items else ""


def read_citation(text: str, start: int, position: int, unit: str, *, plural: bool) -> Reading:
    """Read the units that begin at a place.

    Args:
        start: where the citation begins, its sign included.
        position: where its first number should stand.
        unit: the unit of that number.
        plural: the sign says that several follow ("§§").

    Returns:
        A reading without items where no number follows.
    """
    reading = Reading(start, position)

    def member(text: str, at: int, before: Sequence[Item], joint: re.Match[str] | None) -> Item | None:
        if joint is None:
            value, end = _value(text, at, unit)
            return _item(text, reading, start, ((unit, value),), end, sure=True) if value else None
        comma, top = joint[0].strip() == ",", joint["with"] is not None
        found = _member(text, at, before[-1], plural=plural, top=top, comma=comma)
        if found is None:
            return None
        path, begin, end, sure = found
        return _item(text, reading, begin, path, end, sure=sure)

    reading.items = read_list(text, position, member, _JOINT)
    if reading.items:
        reading.end = reading.items[-1].end
    return reading


def _item(text: str, reading: Reading, start: int, path: Units, end: int, *, sure: bool) -> Item:
    """The item with what is below its last unit without a joint."""
    path, end = _below(text, path, end)
    letter = _BARE_LETTER.match(text, end) if _takes_letter(text, path, end) else None
    if letter is not None:
        path, end = (*path, ("buchst", letter[1])), letter.end()
    more = _OPEN.match(text, end)
    if more is not None:
        reading.more = True
        end = more.end()
    return Item(start, end, path, sure, letter is not None)


def _takes_letter(text: str, path: Units, end: int) -> bool:
    """Whether a lone letter can be the next unit: after an Absatz written as a numeral, of an Artikel."""
    units = [unit for unit, _ in path]
    numeral = text[end - 1] in "IVX" or (units[-1] == "satz" and text[end - 3 : end - 2] in ("I", "V", "X"))
    return numeral and units[0] == "artikel" and units[-1] in ("abs", "satz") and "abs" in units


def _below(text: str, path: Units, end: int) -> tuple[Units, int]:
    """Read the smaller units that follow the last one of a path."""
    if path[-1][0] in TOP:
        path, end = _below_number(text, path, end)
    units = list(path)
    while True:
        if fine := _FINE.match(text, end):
            end = fine.end()
            continue
        # Most citations have no Unterabsatz, and the pattern of its ordinals costs as much as all the rest.
        near = text[end : end + _NEAR]
        if ("nterabs" in near or "UAbs" in near) and (ranked := _RANKED.match(text, end)) and "uabs" not in dict(units):
            units.append(("uabs", ranked["digit"] or _RANK_WORDS[ranked["word"].lower()]))
            end = ranked.end()
            continue
        unit, position = _unit(text, end)
        # "Satz 1 Nr. 2 Satz 3": the second Satz is one of the Nummer's, and finer than any node.
        again = unit in dict(units)
        value, after = _value(text, position, unit) if unit and (not again or unit == "satz") else ("", position)
        if not value:
            return tuple(units), end
        if not again:
            units.append((unit, value))
        end = after
        if unit == "nr" and (letter := _ITEM_LETTER.match(text, end)):
            units.append(("buchst", letter[1]))
            end = letter.end()


def _below_number(text: str, path: Units, end: int) -> tuple[Units, int]:
    """The short forms right after the number of a § or Artikel: "Artikel 247 § 6", "§ 823 I 1", "§ 823 (1)"."""
    if (
        path[-1][0] == "artikel"
        and (nested := _NESTED.match(text, end))
        and (number := NUMBER.match(text, nested.end()))
    ):
        return _below_number(text, (*path, ("§", _plain(number[1]))), number.end())
    match = _ROMAN.match(text, end)
    if match is not None and (absatz := roman_value(match[1], _MOST_ROMAN)):
        path = (*path, ("abs", f"{absatz}{match[2]}"))
        return ((*path, ("satz", match[3])), match.end()) if match[3] else (path, match.end())
    match = _BRACKET.match(text, end)
    return ((*path, ("abs", match[1])), match.end()) if match else (path, end)


def _unit(text: str, position: int) -> tuple[str, int]:
    begin = text[position : position + 5].lstrip()[:1].lower()
    if begin not in _UNIT_BEGINS:
        return "", position
    match = _UNIT.match(text, position)
    return (match.lastgroup or "", match.end()) if match else ("", position)


def _value(text: str, position: int, unit: str) -> tuple[str, int]:
    match = (NUMBER if unit in TOP else _VALUES[unit]).match(text, position)
    if match is None:
        return "", position
    value = _plain(next(group for group in match.groups() if group))
    if value[0] in "IVX":
        number = roman_value(value, _MOST_ROMAN)
        return (str(number), match.end()) if number else ("", position)
    return value, match.end()


def _plain(number: str) -> str:
    return "".join(number.split())


def _member(
    text: str, position: int, previous: Item, *, plural: bool, top: bool, comma: bool
) -> tuple[Units, int, int, bool] | None:
    """Read one more member of a list: its path, where it begins and ends, and whether the reading is sure."""
    unit, after = _unit(text, position)
    if unit and len(previous.path) == 1 and previous.path[0][0] in TOP and not comma:
        return None  # "§ 218 und Absatz 4": who names a whole § means another one's Absatz
    if unit:
        value, end = _value(text, after, unit)
        if not value:
            return None
        at = position + len(text[position:after]) - len(text[position:after].lstrip())
        return (*_above(previous.path, unit), (unit, value)), at, end, True
    last = previous.path[-1][0]
    if last in ("buchst", "doppel"):
        match = _LETTER.match(text, position) if last == "buchst" else _VALUES["doppel"].match(text, position)
        if match is not None:
            return (*previous.path[:-1], (last, match[1])), position, match.end(), True
    roman = _ROMAN_ALONE.match(text, position) if "abs" in dict(previous.path) else None
    if roman is not None and (number := roman_value(roman[1], _MOST_ROMAN)):
        return (*_above(previous.path, "abs"), ("abs", str(number))), position, roman.end(), True
    match = _BARE.match(text, position)
    if match is None or _COUNTED.match(text, match.end()):
        return None
    # "Art. 1 Abs. 1, 3" does not say whether Artikel 3 or Absatz 3 is meant.
    several = plural or (comma and previous.path[0][0] == "artikel" and previous.path[-1][0] == "abs")
    level, sure = _level(text, match, previous.path, plural=several, top=top)
    depth = next(i for i, (one, _) in enumerate(previous.path) if one == level)
    return (*previous.path[:depth], (level, match[1])), position, match.end(), sure


def _above(path: Units, unit: str) -> Units:
    """The part of a path that a further member of this unit shares."""
    known = next((i for i, (one, _) in enumerate(path) if one == unit), None)
    if known is not None:
        return path[:known]
    return tuple(pair for pair in path if RANKS[pair[0]] < RANKS[unit])


def _level(text: str, match: re.Match[str], path: Units, *, plural: bool, top: bool) -> tuple[str, bool]:
    """The unit of a bare number in a list, by what follows it and by its size."""
    units = [unit for unit, _ in path]
    first = next((unit for unit in reversed(units) if unit in TOP), "")
    last = units[-1] if units[-1] not in ("buchst", "doppel") else next(
        (unit for unit in reversed(units) if unit not in ("buchst", "doppel")), units[0]
    )  # fmt: skip
    if top and first:
        return first, True
    following, _ = _unit(text, match.end())
    if following in units[1:]:
        return units[units.index(following) - 1], True
    if first and last not in TOP and following and RANKS[following] <= RANKS[last]:
        return first, True
    if not first or last in TOP:
        return last, True
    number = _digits(match[1])
    above = _digits(dict(path)[first])
    if last in ("abs", "satz") and number > _FEW:
        return first, True
    # "§§ 437 Nr. 3, 280 I": no list of numbers leaps so far.
    if last == "nr" and number > max(99, 5 * _digits(dict(path)["nr"])):
        return first, plural
    # "§§ 1 Abs. 1, 2": the second number may be a § as well as an Absatz.
    if plural and number > above:
        return (first, True) if last == "nr" and number > _FEW else (last, False)
    return last, True


def _digits(number: str) -> int:
    match = re.match(r"\d+", number)
    return int(match[0]) if match else 0


# All citations of a text with the law that each names: chains share the law at their end.

_SIGNS = lazy(
    r"(?P<par>§{1,4}\s{0,4}(?=\d)|(?<!\w)Paragra(?:ph|f)(?:en|s)?\s{1,4}(?=\d))"
    r"|(?<![\w.])(?P<art>Art(?:ikel[ns]?|\.)?\s{0,4}(?=\d))"
    r"|(?<![\w-])(?P<annex>(?:Anlagen?|Anhangs?)\s{1,3}(?=\d))",
    re.IGNORECASE,
)
_SMALLER = lazy(rf"(?<![\w-])(?P<smaller>(?:{WORDS})\s{{0,4}}(?=[\d(]|[a-z]{{1,2}}(?!\w)))", re.IGNORECASE)
_ANY = lazy(f"{_SIGNS.pattern}|{_SMALLER.pattern}", re.IGNORECASE)
_INSIDE = lazy(
    r"\s{1,4}(?:(?:des|der|von|in|zu|zum|aus)\s{1,4}){0,2}(?=§|Art|Abs|Satz|Nummer|Nr|Anlage|Anhang)", re.IGNORECASE
)
_BEFORE = lazy(r"(?<![\w./-])([A-ZÄÖÜ][\wÄÖÜäöüß/]{1,12}(?:\s[IVX]{1,5})?),?\s{1,3}\Z")
_CHAIN = verbose(r"""
    \s{0,4} \)? ,? \s{0,4}
    (?: (?: und | oder | sowie | bzw\. | beziehungsweise | bis | auch | jeweils | ; | / | ,
        | (?:auch\s{1,3})? in\s{1,3}Verbindung\s{1,3}mit | i\.\s?V\.\s?m\. | iVm ) \s{0,4} ){0,3}
    (?: (?:des|der|den|dem|nach|mit|zu|auch|gemäß|von) \s{1,4} ){0,2}
""", re.IGNORECASE)  # fmt: skip
_LOOK_BACK = 24


@dataclass(slots=True)
class Citation:
    """One citation: its units, the law it names (None: the law it is in), and whether the chain gave it that."""

    start: int
    end: int
    reading: Reading
    act: Act | None
    inherited: bool = False
    joined: bool = False  # only joints are between the citation before and this one


def citations(text: str, *, smaller: bool, loose: bool = False) -> list[Citation]:
    """The citations of a text in order.

    Args:
        smaller: also those that name only a unit of the provision they are in ("Absatz 2").
        loose: accept known abbreviations in other capitals ("bgb").
    """
    starts = _ANY if smaller else _SIGNS
    found: list[Citation] = []
    position = 0
    while (start := starts.search(text, position)) is not None:
        one = _citation(text, start, loose=loose)
        if one is None:
            position = start.end()
            continue
        if found:
            _name_before(text, one, found[-1].end)
        else:
            _name_before(text, one, 0)
        found.append(one)
        position = one.end
    _share(text, found)
    return found


def _citation(text: str, start: re.Match[str], *, loose: bool) -> Citation | None:
    reading = _reading(text, start)
    if not reading.items:
        return None
    inner = [item.path for item in reading.items]
    # "Absatz 1 Satz 2 des § 9": the larger unit follows.
    for _ in range(3):
        joint = _INSIDE.match(text, reading.end)
        following = _ANY.match(text, joint.end()) if joint and reading.sign not in ("§", "artikel", "anlage") else None
        if following is None or (following["smaller"] and not joint):
            break
        outer = _reading(text, following)
        if not outer.items or len(outer.items) > 1:
            break
        base = outer.items[0].path
        if any(unit == own for unit, _ in base for path in inner for own, _ in path):
            break
        inner = [(*base, *path) for path in inner]
        for item, path in zip(reading.items, inner, strict=True):
            item.path = path
        reading.end, reading.more = outer.end, reading.more or outer.more
    act = read_act(text, reading.end, loose=loose)
    return Citation(start.start(), act.end if act else reading.end, reading, act)


def _reading(text: str, start: re.Match[str]) -> Reading:
    if start["par"]:
        word = start["par"]
        plural = word.startswith("§§") or word.strip().lower().endswith("en")
        return read_citation(text, start.start(), start.end(), "§", plural=plural)
    if start["art"] or start["annex"]:
        plural = start.group().strip().lower() in ("artikeln", "anlagen")
        return read_citation(text, start.start(), start.end(), "artikel" if start["art"] else "anlage", plural=plural)
    word = start.group().strip().lower()
    unit = next(
        unit
        for unit, heads in (("abs", ("abs",)), ("satz", ("satz", "sätz", "s.")), ("doppel", ("doppel",)),
                            ("buchst", ("buch", "lit", "bst")), ("nr", ("n", "z")))
        if word.startswith(heads)
    )  # fmt: skip
    return read_citation(text, start.start(), start.end(), unit, plural=False)


def _name_before(text: str, one: Citation, known: int) -> None:
    """Take the law written before the number, as headnotes do ("BGB § 823"), where none follows it."""
    if one.act is not None or one.reading.sign not in ("§", "artikel"):
        return
    window = max(known, one.start - _LOOK_BACK)
    match = _BEFORE.search(text[window : one.start])
    if match is None:
        return
    begin = window + match.start(1)
    named = read_abbreviation(text, begin)
    if named is not None and named.sure and named.end == window + match.end(1):
        role = "german" if named.law else "external"
        one.act = Act(named.end, role, named.law, named.law.urn if named.law else "")
        one.start = begin


def _share(text: str, found: list[Citation]) -> None:
    """Give each citation of a chain without a law of its own the law that the chain ends with."""
    for before, after in pairwise(found):
        gap = text[before.end : min(after.start, before.end + 80)]
        after.joined = before.act is None and after.start - before.end < 80 and _CHAIN.fullmatch(gap) is not None
    for before, after in zip(reversed(found[:-1]), reversed(found[1:]), strict=True):
        if before.act is None and after.joined and after.act is not None and _same_count(before, after):
            before.act, before.inherited = after.act, True


def _same_count(before: Citation, after: Citation) -> bool:
    """Whether both count alike: "§ 491 und Artikel 247 des ..." names the law of the Artikel only."""
    if before.reading.sign == after.reading.sign:
        return True
    first = before.reading.items[0].path
    nested = len(first) > 1 and first[0][0] == "artikel" and first[1][0] == "§"
    return (
        nested
        and after.reading.sign == "§"
        and (after.act is None or after.act.law is None or after.act.law.sign == "artikel")
    )
