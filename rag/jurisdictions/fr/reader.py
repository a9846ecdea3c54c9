"""Finds French references in a text and reads them as units and a law, before anything is resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rag.jurisdictions.fr.laws import SHORT_NAME, NamedLaw, law_at
from rag.jurisdictions.fr.text import CARDINALS
from rag.jurisdictions.fr.units import (
    ARTICLE_NUMBER,
    ARTICLE_WORD,
    CONTAINER_WORD,
    LETTERED_NUMBER,
    LINES_AHEAD,
    LIST_GOES_ON,
    POINT_AHEAD,
    POINT_LEAD,
    Unit,
    Which,
    article_list,
    container_unit,
    line_unit,
    neighbour,
    point_unit,
)
from rag.law.patterns import lazy, verbose

_POINTING: dict[str, Which] = {"present": "present", "meme": "same", "son": "his", "sa": "his", "ses": "his",
                               "leur": "his", "leurs": "his", "ce": "this", "cet": "this", "cette": "this",
                               "precedent": "previous"}  # fmt: skip
_POINTER = r"(?P<pointer>(?i:presente?s?|memes?|son|sa|ses|leurs?|cet?|cette|precedente?s?|[a-z]{0,3}dite?s?))\s{1,3}"
_POINTS = lazy(r"(?i:pre[sc]|meme|son|sa|ses|leur|ce|[a-z]{0,3}dit)")
_COUNT = rf"(?:(?P<count>(?i:{'|'.join(CARDINALS)}))\s{{1,3}})?"
_NATURE_WORD = r"(?i:code|loi|ordonnance|decret)"
_POINTED = lazy(
    rf"(?:{_POINTER})?{_COUNT}(?:(?P<article>(?i:articles?))|(?P<line>(?i:alineas?))|(?P<container>{CONTAINER_WORD})"
    rf"|(?P<law>{_NATURE_WORD}s?))(?![\w-])\s{{0,3}}"
)
_LAW_START = (
    rf"(?:{_NATURE_WORD}s?|(?i:arrete|nouveau\scode|livre\sdes\sproc|annexe\s(?:IV|I{{1,3}}|[1-4])\s(?:au|du)))"
    r"(?![\w-])(?=\s)"
)
_EXTERNAL = (
    r"ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:[0-9]{4}:[A-Z0-9.]{1,25}(?<!\.)"
    r"|(?i:pourvois?)\s(?:n\s?(?i:°|os?)\s?)?[A-Z]?\s?[0-9]{2}-[0-9]{2}\.[0-9]{3}"
)
# One look-behind for all: a trigger begins a word, so that most places of a text are left after one test.
_START = verbose(rf"""
    (?<![\w-]) (?=[A-Za-z0-9])
    (?: (?P<external> (?:{_EXTERNAL})(?!\w))
    # "le présent article", "ses deux alinéas", "la même loi"
    | {_POINTER} {_COUNT} (?:(?i:articles?|alineas?)|{CONTAINER_WORD}|{_NATURE_WORD}) (?![\w-])
    | (?P<article> (?i:articles?|arts?\.?) (?=[\s.0-9]))
    # "son premier alinéa", "ses 1° et 2°"
    | (?P<owned> (?<!') (?i:son|sa|ses|leurs?) \s (?={LINES_AHEAD}|[0-9]{{1,3}}°))
    # "deux alinéas précédents"
    | (?P<counted> (?i:{'|'.join(CARDINALS)}) \s (?=(?i:articles|alineas)\s(?i:prec|suiv|qui)))
    | (?P<law> (?<!'){_LAW_START} | (?<=')(?i:ordonnance|arrete)(?=\s))
    # "C. civ., art. 1240", "CPI L. 111-1"
    | (?P<short> (?<![.']) (?=[CLN](?![a-z]{{3}})|c[.a-z]) (?:{SHORT_NAME.pattern})
      (?=\s?[,:(-]?\s?(?i:arts?|articles?|[LRD])[\s.0-9]))
    | (?P<line> {LINES_AHEAD} | (?i:alineas?|als?\.)\s{{0,2}}(?=[0-9]))
    | (?P<container> {CONTAINER_WORD} (?=\s{{1,3}}(?:[IVXLC0-9]|(?i:pre|lim|uni))))
    # "au 1°", "du II"
    | (?P<point> (?<!'){POINT_LEAD}{POINT_AHEAD})
    # "L. 111-1", "R.* 133-1", without its word
    | (?P<number> (?<![.']) (?:L\.?\s?O|[LRD]) \s?\.?\s? (?:\*\s?){{0,2}} (?=[0-9]{{1,5}}-[0-9]))
    | (?P<neighbour> (?i:alineas?) \s (?=(?i:prec|suiv|qui)))
    )
""")  # fmt: skip
_OF = lazy(
    r"\s{0,2}(?:,\s{0,2})?(?P<of>(?i:de\sla(?:dite)?\s|de\sl'|dudit\s|desdite?s\s|du\s|des\s|de\s|d'))\s{0,2}",
)
_NEXT_TO = lazy(r" {0,2}[,(]? {0,2}")
_BEFORE_ARTICLE = lazy(
    r" {0,2}[,:(-]? {0,2}(?:(?i:en|dans|a|et|notamment)\s(?:son|ses|l')\s?)?(?=(?i:arts?|articles?)[\s.0-9])"
)
_BEFORE_NUMBER = lazy(r" {0,2}[,:-]? {0,2}(?=(?:L\.?\s?O|[LRD])\s?\.?\s?\*?\s?[0-9])")
_CLOSING = lazy(r"\s?\)")
_SAME_LIST = lazy(
    r"\s{0,2}(?:,\s?(?i:et|ou|ainsi\sque|puis)?|(?i:et|ou|ainsi\sque))\s{0,2}"
    r"(?i:(?:(?:a|de|par|dans|sur|selon|ainsi\squ')\s?)?(?:l'|la\s|les?\s|aux?\s|du\s|des\s)?)\s{0,2}",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Reading:
    """One reference: its units from the inside out, and the law they are of.

    `law_which` says how a law is meant that is not named ("le présent code"). `inherited` marks units or a law that a
    later member of the same list gave.
    """

    start: int
    end: int
    units: list[Unit]
    law: NamedLaw | None = None
    law_which: Which = ""
    law_nature: str = ""
    inherited: bool = False
    external: bool = False  # law without an address, found by its own form
    bare_units: list[Unit] = field(default_factory=lambda: [])  # the units before others were inherited

    @property
    def has_law(self) -> bool:
        """Whether the words say which law it is."""
        return self.law is not None or bool(self.law_which)


def read_references(text: str) -> list[Reading]:
    """All references of a folded text in order, without overlap; each character is read once."""
    readings = list(_each(text))
    for before, after in zip(reversed(readings[:-1]), reversed(readings[1:]), strict=True):
        if after.start - before.end < 40 and _SAME_LIST.fullmatch(text, before.end, after.start):
            _inherit(before, after)
    return readings


def _each(text: str) -> Iterator[Reading]:
    position = 0
    while (start := _START.search(text, position)) is not None:
        one = _read(text, start)
        position = max(one.end if one is not None else 0, start.start() + 1)
        if one is not None:
            yield one


def _inherit(before: Reading, after: Reading) -> None:
    """Give a list's member what only its end says: "au I et au 1° du II de l'article 5", "article 1 et article "
    "2 du code"."""
    kinds = [unit.kind for unit in before.units]
    if before.external or after.external or before.has_law or not kinds:
        return
    outer = before.units[-1]
    if outer.kind in ("line", "phrase", "point") and not outer.which:
        place = next((at for at, unit in enumerate(after.units) if unit.kind == "article"), None)
        if place:
            before.bare_units = list(before.units)
            before.units += after.units[place:]
            before.law, before.law_which, before.law_nature = after.law, after.law_which, after.law_nature
            before.inherited = True
    elif outer.kind == "article" and not outer.which and after.law is not None:
        others = [item.number for unit in after.units if unit.kind == "article" for item in unit.items]
        # "L. 112-9 et aux articles 9 à 12 de l'ordonnance": numbers of another kind are not of that law.
        if others and others[0][:1].isdigit() == outer.items[0].number[:1].isdigit():
            before.law, before.inherited = after.law, True


def _read(text: str, start: re.Match[str]) -> Reading | None:
    at, group = start.start(), start.lastgroup or ""
    if group == "external":
        return Reading(at, start.end(), [], external=True)
    if group in ("law", "short"):
        return _law_first(text, at)
    if group == "number":
        number = LETTERED_NUMBER.match(text, at)
        items, end = article_list(text, at, plural=True) if number is not None else ([], at)
        return _onward(text, Reading(at, end, [Unit(at, end, "article", items)])) if items else None
    if group in ("point", "point_this"):
        unit = point_unit(text, start.end(), present=start["point_this"] is not None)
        reading = _onward(text, Reading(unit.start, unit.end, [unit])) if unit is not None else None
        # A letter alone is a word more often than a point: "ceux qui les a reçus", "dû à".
        lone = reading is not None and len(reading.units) == 1 and text[reading.start : reading.end].isalpha()
        return None if reading is not None and lone and text[reading.start].islower() else reading
    if group == "container" and text[at].isupper() and (at == 0 or text[at - 1] == "\n"):
        return None  # "Titre II" alone in a line or a table's row is a heading
    if group == "owned":
        unit = line_unit(text, start.end()) or point_unit(text, start.end())
        unit = replace(unit, which="his") if unit is not None else None
    else:
        unit = _unit(text, at)
    if unit is not None:
        return _onward(text, Reading(unit.start, unit.end, [unit]))
    return _pointed_law(text, at)


def _unit(text: str, at: int) -> Unit | None:
    """The unit that begins here with a noun, an ordinal, a count or a pointing word."""
    pointed = _POINTED.match(text, at)
    if pointed is None or pointed["law"]:
        return _article(text, at, "") or line_unit(text, at) or container_unit(text, at)
    which = _which(pointed["pointer"])
    noun = pointed.start("article" if pointed["article"] else "line" if pointed["line"] else "container")
    count = CARDINALS.get((pointed["count"] or "").lower(), 1)
    if pointed["container"]:
        unit = container_unit(text, noun)
        if unit is None and which in ("present", "same", "this"):
            level = pointed["container"].lower().rstrip("s")
            unit = Unit(at, pointed.end("container"), "container", [], level, which)
        elif unit is not None and pointed["pointer"]:
            unit = replace(unit, start=at, which=which)
        return unit
    beside = neighbour(text, pointed.end())
    plural = (pointed["article"] or pointed["line"]).lower().endswith("s")
    kind = "article" if pointed["article"] else "line"
    if beside is not None or which in ("previous", "next"):
        way, end = beside if beside is not None else (which, pointed.end("article" if kind == "article" else "line"))
        return Unit(at, end, kind, [], which=way, count=count if count > 1 or not plural else 0)
    if pointed["article"]:
        return _article(text, noun, which, at)
    unit = line_unit(text, noun)
    if unit is not None:
        return replace(unit, start=at, which=which)
    return Unit(at, pointed.end("line"), "line", [], which=which) if which in ("present", "same", "this") else None


def _which(pointer: str | None) -> Which:
    word = (pointer or "").lower().rstrip("s")
    if not word:
        return ""
    if word in ("se", "sa") or word == "son":
        return "his"
    if word.startswith("present"):
        return "present"
    return "same" if word.removesuffix("e").endswith("dit") else _POINTING.get(word, "previous")


def _article(text: str, at: int, which: Which, start: int | None = None) -> Unit | None:
    begin = at if start is None else start
    word = ARTICLE_WORD.match(text, at)
    if word is None:
        return None
    items, end = article_list(text, word.end(), plural=word["plural"] is not None)
    # "article 6, I, 2 et 3": the numbers behind a numeral of the article may be its points.
    pointed = bool(items) and items[-1].steps[-1:] != () and items[-1].steps[-1].style in ("roman", "degree")
    if items and not word["plural"] and not pointed and LIST_GOES_ON.match(text, end):
        # "article 1240 et 1241 du code civil" is written too; before a law's name the second number is no count.
        longer, after = article_list(text, word.end(), plural=True)
        if len(longer) > len(items) and _names_law(text, after):
            items, end = longer, after
    if items:
        return Unit(begin, end, "article", items, which=which)
    end = at + len(word[0].rstrip())
    return Unit(begin, end, "article", [], which=which) if which in ("present", "same", "this") else None


def _names_law(text: str, at: int) -> bool:
    """Whether the name of a known law stands here, with or without "du"."""
    joint = _OF.match(text, at) or _NEXT_TO.match(text, at)
    law = law_at(text, joint.end()) if joint is not None and joint.end() > at else None
    return law is not None and law.name is not None and bool(law.name.urn)


def _onward(text: str, reading: Reading) -> Reading | None:
    """Read the units around the first, and the law."""
    while True:
        outer = reading.units[-1]
        if outer.kind == "article" and not outer.which:
            return _with_law(text, reading)
        joint = _OF.match(text, reading.end)
        if joint is None:
            return _with_law(text, reading)
        unit = _outer(text, joint)
        if unit is None or not _fits(reading.units[-1], unit):
            return _with_law(text, reading)
        reading.units.append(unit)
        reading.end = unit.end


def _outer(text: str, joint: re.Match[str]) -> Unit | None:
    at = joint.end()
    said = "dit" in joint["of"].lower()
    unit = point_unit(text, at) if _POINT_AHEAD.match(text, at) else _unit(text, at)
    if unit is None and (pointed := _POINTED_POINT.match(text, at)) and _POINT_AHEAD.match(text, pointed.end()):
        unit = point_unit(text, pointed.end(), present=pointed["present"] is not None)
        unit = replace(unit, which="same") if unit is not None and not pointed["present"] else unit
    if unit is None and said and (noun := _POINTED.match(text, at)) and noun["article"]:
        return Unit(at, noun.end("article"), "article", [], which="same")
    return replace(unit, which="same") if unit is not None and said and not unit.which else unit


_POINT_AHEAD = lazy(POINT_AHEAD)
_POINTED_POINT = lazy(r"(?i:(?P<present>presents?)|memes?)\s{1,2}")


def _fits(inner: Unit, outer: Unit) -> bool:
    """Whether the outer unit can hold the inner one; "section 2 de l'article" is no such thing."""
    if inner.kind == "container":
        return outer.kind == "container"
    if inner.kind == "article":
        return outer.kind == "container"
    return outer.kind != "phrase" or inner.kind != "phrase"


def _with_law(text: str, reading: Reading) -> Reading:
    """Read the law behind the units, if one is named."""
    joint = _OF.match(text, reading.end)
    if joint is not None:
        said = "dit" in joint["of"].lower()
        pointed = _law_pointer(text, joint.end(), said=said)
        if pointed is not None:
            reading.law_which, reading.law_nature, reading.end = pointed
            return reading
        outer = _outer(text, joint) if reading.units[-1].kind == "article" else None
        if outer is not None and outer.kind == "container" and outer.which != "":
            # "l'article 5 du présent chapitre" is of this law.
            reading.law_which, reading.end = "present", outer.end
            return reading
        law = law_at(text, joint.end())
        if law is not None:
            reading.law, reading.end = law, law.end
            return reading
    if reading.units[-1].kind == "article":
        near = _NEXT_TO.match(text, reading.end)
        at = near.end() if near is not None else reading.end
        law = law_at(text, at) if at > reading.end else None
        if law is not None and law.name is not None and (law.name.urn or law.name.others) and not law.taken_up:
            closed = _CLOSING.match(text, law.end) if near is not None and "(" in near[0] else None
            reading.law, reading.end = law, closed.end() if closed is not None else law.end
    return reading


def _law_pointer(text: str, at: int, *, said: bool = False) -> tuple[Which, str, int] | None:
    """ "présent code", "même loi", "cette ordonnance" at an offset: how it is meant, its nature and its end."""
    pointed = _POINTED.match(text, at) if said or _POINTS.match(text, at) else None
    if pointed is None or not pointed["law"] or pointed["count"]:
        return None
    if not pointed["pointer"] and not said:
        return None
    which = _which(pointed["pointer"]) if pointed["pointer"] else "same"
    if which not in ("present", "same", "this"):
        return None
    return which, pointed["law"].lower().rstrip("s"), pointed.end("law")


def _pointed_law(text: str, at: int) -> Reading | None:
    pointed = _law_pointer(text, at)
    if pointed is None:
        return _law_first(text, at)
    which, nature, end = pointed
    return Reading(at, end, [], law_which=which, law_nature=nature)


def _law_first(text: str, at: int) -> Reading | None:
    """A law, with the articles that follow its name ("Code civil, art. 1240") or alone."""
    law = law_at(text, at)
    if law is None:
        return None
    reading = Reading(at, law.end, [], law)
    joint = _BEFORE_ARTICLE.match(text, law.end)
    if joint is None and law.nature == "code":
        joint = _BEFORE_NUMBER.match(text, law.end)
    if joint is not None:
        word = ARTICLE_WORD.match(text, joint.end())
        begin = word.end() if word is not None else joint.end()
        if ARTICLE_NUMBER.match(text, begin):
            items, end = article_list(text, begin, plural=word is None or word["plural"] is not None)
            # "la loi n° 1, l'article 5 du code civil": the article has a law of its own.
            own = _OF.match(text, end)
            if items and not (own and (law_at(text, own.end()) or _law_pointer(text, own.end()))):
                reading.units, reading.end = [Unit(joint.end(), end, "article", items)], end
                closed = _CLOSING.match(text, end) if "(" in joint[0] else None
                reading.end = closed.end() if closed is not None else end
    known = law.name is not None and bool(law.name.urn)
    dated = law.nature in ("loi", "ordonnance", "decret", "arrete") and any(
        letter.isdigit() for letter in text[at : law.end]
    )
    return reading if reading.units or known or dated or law.taken_up else None
