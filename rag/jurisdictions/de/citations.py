"""All citations of a German text with the law that each names: chains share the law at their end."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from rag.jurisdictions.de.acts import Act, read_act
from rag.jurisdictions.de.laws import read_abbreviation
from rag.jurisdictions.de.reader import WORDS, Reading, read_citation

_SIGNS = re.compile(
    r"(?P<par>§{1,4}\s{0,4}(?=\d)|(?<!\w)Paragra(?:ph|f)(?:en|s)?\s{1,4}(?=\d))"
    r"|(?<![\w.])(?P<art>Art(?:ikel[ns]?|\.)?\s{0,4}(?=\d))"
    r"|(?<![\w-])(?P<annex>(?:Anlagen?|Anhangs?)\s{1,3}(?=\d))",
    re.IGNORECASE,
)
_SMALLER = re.compile(rf"(?<![\w-])(?P<smaller>(?:{WORDS})\s{{0,4}}(?=[\d(]|[a-z]{{1,2}}(?!\w)))", re.IGNORECASE)
_ANY = re.compile(f"{_SIGNS.pattern}|{_SMALLER.pattern}", re.IGNORECASE)
_INSIDE = re.compile(
    r"\s{1,4}(?:(?:des|der|von|in|zu|zum|aus)\s{1,4}){0,2}(?=§|Art|Abs|Satz|Nummer|Nr|Anlage|Anhang)", re.IGNORECASE
)
_BEFORE = re.compile(r"(?<![\w./-])([A-ZÄÖÜ][\wÄÖÜäöüß/]{1,12}(?:\s[IVX]{1,5})?),?\s{1,3}\Z")
_CHAIN = re.compile(
    r"\s{0,4}\)?,?\s{0,4}(?:(?:und|oder|sowie|bzw\.|beziehungsweise|bis|auch|jeweils|;|/|,|(?:auch\s{1,3})?in\s{1,3}Verbindung"
    r"\s{1,3}mit|i\.\s?V\.\s?m\.|iVm)\s{0,4}){0,3}(?:(?:des|der|den|dem|nach|mit|zu|auch|gemäß|von)\s{1,4}){0,2}",
    re.IGNORECASE,
)
_LOOK_BACK = 24


@dataclass(slots=True)
class Citation:
    """One citation: its units, the law it names (None: the law it stands in), and whether the chain gave it that."""

    start: int
    end: int
    reading: Reading
    act: Act | None
    inherited: bool = False
    joined: bool = False  # only joints stand between the citation before and this one


def citations(text: str, *, smaller: bool, loose: bool = False) -> list[Citation]:
    """The citations of a text in order.

    Args:
        text: any text.
        smaller: also those that name only a unit of the provision they stand in ("Absatz 2").
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
