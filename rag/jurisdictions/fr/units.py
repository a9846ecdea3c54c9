"""The units of a French reference as written: article numbers, alinéas, points, containers; their lists and ranges.

All functions take folded text (`french_text.fold`). Nothing here knows which law is meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag.jurisdictions.fr.naming import article_segment
from rag.jurisdictions.fr.text import CARDINALS, ORDINAL, ordinal_value
from rag.jurisdictions.grammar.kernel import Span, mark_starts, read_list
from rag.law.patterns import lazy, verbose
from retrieval.roman import to_roman

Which = Literal["", "present", "same", "this", "his", "previous", "next"]
Style = Literal["article", "alinea", "phrase", "degree", "roman", "letter", "capital", "container"]

SUFFIX = (
    r"(?i:bis|ter|quater|quinquies|quinter|quin|sexies|septies|octies|nonies"
    r"|[a-z]{0,10}(?:decies|vicies|tricies))(?![a-z])"
)
_LETTER = r"(?:[Ll]\s?\.?\s?[Oo]|[LRDAlrda])(?![a-z])\s?\.?\s?(?:\*\s?){0,2}\.?\s?"
_DIGITS = r"[0-9]{1,5}(?:\s?-\s?[0-9]{1,4}(?![0-9])){0,6}"
# Bare numbers have no spaces around their dashes: "articles 5 - 12" would be an OCR error or a range.
_BARE = r"[0-9]{1,5}(?:-[0-9]{1,4}(?![0-9])){0,6}"
# "150-0 B bis A", "199 undecies B": a capital belongs to the number unless it is a numeral or opens a word.
_TAIL = (
    rf"(?:[\s-]{SUFFIX}(?:[\s-][0-9]{{1,2}}(?![\w°]))?)?"
    r"(?:\s(?![IVX]+(?![\w'])|(?:[UCDLN]E|DU|ET|OU|AU|LA|UN|EN|SI)(?!\w)|C[CP](?![\w]|\sdu\sc)|A\s(?:[0-9]|[LRD]\.?\s?[0-9])|M\.\s"
    r"|C\.)[A-Z]{1,2}(?![\w'°]|\.\s?[a-z]))?"
    rf"(?:[\s-]{SUFFIX}(?:\s[A-Z](?![\w'°.]))?)?"
)
_STOP = r"(?![\w°]|-[0-9]|[.:][0-9])"
ARTICLE_NUMBER = lazy(
    rf"(?:(?:{_LETTER}{_DIGITS}|{_BARE}(?!\s?(?:er|°)(?!\w))){_TAIL}{_STOP}"
    r"|(?i:1\s?er|premier|liminaire|preliminaire|unique)(?!\w))"
)
LETTERED_NUMBER = lazy(rf"{_LETTER}[0-9]{{1,5}}(?:-[0-9]{{1,4}}(?![0-9])){{1,6}}{_TAIL}{_STOP}")
ARTICLE_WORD = lazy(r"(?i:(?P<plural>articles|arts)|article|art)(?![a-z])\.?\s{0,4}")
_PREVIOUS = lazy(
    r"(?i:(?P<previous>precedente?s?|qui\sprecedent?|qui\sprecede)|(?P<next>suivante?s?|qui\ssuit|qui\ssuivent))(?!\w)"
)
_SPAN = r"(?:jusqu'a(?:u|ux)?|a|au|aux)"
LIST_GOES_ON = lazy(r"\s{0,3}(?:[,&]|(?i:et|ou|puis|a|au|aux|jusqu'a)[\s/])")
_JOINT = verbose(rf"""
    \s{{0,3}}
    (?: , \s{{0,3}} (?:(?i:et|ou|puis)\s{{1,2}})?
    | &(?:amp;)? \s{{0,2}}
    | (?i: et/ou | et | ou | (?P<range>{_SPAN}) ) \s{{1,3}}
    )
    # "et de l'article 5": a second word begins another reference
    (?: (?i: (?:de|a)\sl' | (?:de\s|a\s)?l[ae]s?\s | aux?\s | des\s | du\s | de\s )?
        (?P<word>(?i:articles?|art\.?)\s{{1,2}}) )?
""")  # fmt: skip
# A number before such a word counts something and is no article.
_MEASURE = lazy(r"\s{0,2}(?:%|€|(?i:ans?|annees?|mois|jours?|heures?|euros?|francs?|metres?|pour\scent)(?!\w))")

_QUALIFIED = lazy(r"\s\(?(?i:(?P<former>anciens?|anc\.)|nouveaux?|nouv\.)(?!\w)\)?")
_FORMER = lazy(r"(?i:anciens?)\s(?i:articles?|arts?\.?)\s{0,3}\Z")
_SPACED_DASH = lazy(r" - [0-9]{1,2}(?![\w°.-])")
# An open range: how far it goes is not said.
AND_ON = lazy(r"\s{1,2}(?i:et\s(?:suivante?s|suiv|ss|s)(?![\w-])\.?)")

# "au 1 de l'article 200": in tax law numbers go without their sign.
_UNSIGNED = r"[0-9]{1,2}(?=\s(?:(?:bis|ter)\s)?d(?:e\sl'article|u\s[IVXA-H]{1,4}\s))"
_DEGREE = rf"(?:{_UNSIGNED})|[0-9]{{1,3}}\s?°(?:\s?{SUFFIX})?(?:\s[A-Z](?![\w'.°]))?"
_ROMAN = rf"(?:XL[IVX]{{0,4}}|[IVX]{{1,7}})(?:\s{SUFFIX})?(?:\s[A-H](?![\w'.°]))?(?![\w'°]|-[0-9]{{1,4}}(?![0-9°]))"
_SMALL = r"(?:[a-z]{1,2}\)|[a-z](?:\s(?:bis|ter|quater))?(?![\w'°.)-]))"
_CAPITAL = r"[A-H](?:\s(?:bis|ter|quater))?(?![\w'°.-])"
_POINT = lazy(rf"(?P<degree>{_DEGREE})|(?P<roman>{_ROMAN})|(?P<letter>{_SMALL})|(?P<capital>{_CAPITAL})")
POINT_LEAD = r"(?i:aux?|du|des|les?|(?P<point_this>present|presents))\s{1,2}"
POINT_AHEAD = rf"(?={_DEGREE}|{_ROMAN}|{_SMALL}|{_CAPITAL})"
_POINT_JOINT = lazy(
    rf"\s{{0,2}}(?:,\s{{0,2}}(?:(?i:et|ou)\s{{1,2}})?|(?i:et/ou|et|ou|(?P<range>{_SPAN}))\s{{1,2}})"
    r"(?P<word>(?i:aux?|du|des|les?|de)\s{1,2})?"
)

_ORDINALS = rf"{ORDINAL}(?:\s{{0,2}}(?:,|et|ou|a)\s{{0,2}}{ORDINAL}){{0,30}}"
_CARDINAL = "|".join(CARDINALS)
_LINES = r"(?P<noun>alineas?|al\.|phrases?|tirets?)"
LINES_AHEAD = rf"(?:{ORDINAL}|(?i:{_CARDINAL})(?=\s(?:premi|derni|alin|phras)))"
_ORDINAL_LINES = lazy(rf"(?P<ordinals>{_ORDINALS})\s{{1,3}}(?i:{_LINES})(?![a-z])", re.IGNORECASE)
_COUNTED_LINES = lazy(
    rf"(?:(?P<count>{_CARDINAL})\s)?(?P<end>premiers|premieres|derniers|dernieres)\s(?:{_LINES})(?![a-z])",
    re.IGNORECASE,
)
_NUMBERED_LINES = lazy(r"(?i:alineas?|als?\.)\s{0,2}(?=[0-9])")
_LINE_NUMBER = lazy(r"[0-9]{1,3}(?:\s?(?:er|e)(?!\w))?(?![\w°]|-[0-9])")
_BRACKETED_POINT = lazy(r"\s?\(\s?")
_ONE_ORDINAL = lazy(rf"(?P<joint>[\s,]|et|ou|a)*?(?P<ordinal>{ORDINAL})", re.IGNORECASE)

CONTAINERS = (
    "sous-partie", "partie", "livre", "sous-titre", "titre", "sous-chapitre", "chapitre", "sous-section", "section",
    "sous-paragraphe", "paragraphe",
)  # fmt: skip
CONTAINER_WORD = rf"(?i:{'|'.join(CONTAINERS)})s?(?![\w-])"
_CONTAINER = lazy(rf"(?P<level>(?i:{'|'.join(CONTAINERS)}))s?\s{{1,3}}")
_ORDINAL_CONTAINER = lazy(rf"(?P<ordinal>{ORDINAL})\s(?P<level>(?i:{'|'.join(CONTAINERS)}))(?![\w-])")
_CONTAINER_BEGINS = frozenset(container[0] for container in CONTAINERS)
_CONTAINER_NUMBER = verbose(rf"""
    (?: (?P<word> (?i:premiere?|preliminaire|liminaire|unique) )
    | (?P<number> (?:[IVXLC]{{1,7}}|[0-9]{{1,3}}) (?:-[0-9]{{1,2}}(?![0-9])){{0,3}} )
      (?: \s? (?i:er|re)(?![a-z]) )? (?P<suffix>\s{SUFFIX})?    # Ier, III bis
    ) (?![\w'°]|-[0-9])
""")  # fmt: skip


@dataclass(slots=True, unsafe_hash=True)
class Step:
    """One unit below an article: an alinéa by its place (from 1, or -1 for the last), or a point by its segment."""

    style: Style
    segment: str = ""
    place: int = 0


@dataclass(slots=True, unsafe_hash=True)
class Item(Span):
    """One member of a list. `number` is as the store writes it: an article's segment, a container's number."""

    number: str = ""
    steps: tuple[Step, ...] = ()  # sub-units written behind an article's number; or the one unit itself
    doubtful: bool = False  # "98 - 2": a number with a dash, or two numbers
    former: bool = False  # "ancien article 1382": not the present text of this number


@dataclass(slots=True)
class Unit:
    """Units of one kind: "articles 5 et 6", "deux premiers alinéas", "1° et 2°", "titres Ier et II"."""

    start: int
    end: int
    kind: Literal["article", "line", "phrase", "point", "container"]
    items: list[Item]
    level: str = ""  # of a container
    which: Which = ""
    count: int = 1  # with which = previous or next; 0: all of them


def point_segment(printed: str) -> str:
    """The segment of a point as the store writes it: `1° bis` -> `1-bis`, `II` -> `ii`."""
    return re.sub(r"[^a-z0-9]+", "-", printed.lower().replace("°", " ")).strip("-")


def article_list(text: str, at: int, *, plural: bool) -> tuple[list[Item], int]:
    """Article numbers from an offset on, with what is written behind each; empty where none is there.

    A second "l'article" ends the list: it begins another reference, which may be of another law.
    """
    items: list[Item] = []
    end, position, ranged = at, at, False
    former = _FORMER.search(text, max(0, at - 20), at) is not None
    while (number := ARTICLE_NUMBER.match(text, position)) is not None:
        lettered = not number[0][0].isdigit() or "-" in number[0]
        if items and (_MEASURE.match(text, number.end()) or not (plural or lettered)):
            break
        qualified = _QUALIFIED.match(text, number.end())
        former = former or (qualified is not None and qualified["former"] is not None)
        steps, after = steps_behind(text, qualified.end() if qualified is not None else number.end())
        spaced = _SPACED_DASH.match(text, number.end()) if number[0].isdigit() and not steps else None
        if spaced is not None:
            after = spaced.end()
        segment = _segment(text[number.start() : after] if spaced is not None else number[0])
        items.append(
            Item(number.start(), after, segment, steps, spaced is not None, former, range="end" if ranged else "")
        )
        end = _further_points(text, items)
        if (onward := AND_ON.match(text, end)) is not None:
            items[-1].range, end = "start", onward.end()
            break
        joint = _JOINT.match(text, end)
        if joint is None or joint["word"]:
            break
        position, ranged = joint.end(), joint["range"] is not None
    mark_starts(items)
    return items, end


def _further_points(text: str, items: list[Item]) -> int:
    """Read on where the points behind a number are a list ("article 5, 1° et 2°"); returns the end."""
    while True:
        last = items[-1]
        joint = _POINT_JOINT.match(text, last.end) if last.steps else None
        if joint is None or joint["word"] is not None or last.steps[-1].style == "alinea":
            return _close(text, last)
        point = _POINT.match(text, joint.end())
        if point is None or point.lastgroup != last.steps[-1].style or point.lastgroup in ("letter", "capital"):
            return _close(text, last)
        steps = (*last.steps[:-1], _step(point))
        items.append(Item(point.start(), point.end(), last.number, steps, range="end" if joint["range"] else ""))


def _close(text: str, last: Item) -> int:
    """The end of a list of points, with the bracket that closes it."""
    closed = _CLOSED.match(text, last.end) if last.steps and "(" in text[max(0, last.end - 80) : last.end] else None
    return closed.end() if closed is not None else last.end


@lru_cache(maxsize=4096)  # a law's articles are cited again and again
def _segment(number: str) -> str:
    if number.isascii() and number.isdigit():
        return number
    plain = AROUND_DASH.sub("-", " ".join(number.split()))
    plain = re.sub(
        r"(?i)\A(l\s?\.?\s?o|[lrda])\s?\.?\s?[*\s]*\.?\s?(?=[0-9])", lambda m: re.sub(r"[\s.]", "", m[1]), plain
    )
    if re.fullmatch(r"(?i)1\s?er|premier", plain):
        return "1er"
    return article_segment(plain)


_CLOSED = lazy(r"\s?\)")
AROUND_DASH = lazy(r"\s?-\s?")
# "article 6, I, 2, de la loi": behind a numeral of the article a bare number is one of its points.
_BARE_STEP = lazy(r"([1-9][0-9]?)(?=,?\s(?:de|du|des|et|ou)\s|,?\sd'|,?\s?\Z|,\s[a-z]\))")
_OF_LAW = ("du ", "de ", "des ", "d'")
_BEHIND = lazy(r"\s{0,2}(?:,\s{0,2}|\(\s?|-\s?|\s)?")
_AL_BEHIND = lazy(rf"(?i:alinea|al\.?)\s{{0,2}}([0-9]{{1,3}}(?=(?:er|e)?(?![\w°]))|{ORDINAL})(?:er|e)?(?!\w)")
_SIGN_BEHIND = lazy(r"(?i:§{1,2}|paragraphe|par\.)\s{0,2}([0-9]{1,3})(?![\w°])")
_ORDINAL_BEHIND = lazy(rf"({ORDINAL})\s(?i:alinea)(?![a-z])")


def steps_behind(text: str, at: int) -> tuple[tuple[Step, ...], int]:
    """Sub-units written behind an article's number: ", troisième alinéa", " II, 2°", " (1°)", "-I"."""
    steps: list[Step] = []
    while at < len(text):
        gap = _BEHIND.match(text, at)
        start = gap.end() if gap is not None else at
        if text.startswith(_OF_LAW, start):
            return tuple(steps), at  # most numbers are followed by the name of their law
        glued = gap is not None and gap[0].strip() in ("", ",")
        mark = _SIGN_BEHIND.match(text, start) if start > at else None
        line = _AL_BEHIND.match(text, start) or _ORDINAL_BEHIND.match(text, start)
        point = _POINT.match(text, start) if line is None and start > at else None
        bare = _BARE_STEP.match(text, start) if steps and steps[-1].style == "roman" and glued else None
        if bare is not None:
            steps.append(Step("degree", bare[1]))
            end = bare.end()
        elif mark is not None:
            steps.append(Step("degree", mark[1]))
            end = mark.end()
        elif line is not None:
            steps.append(Step("alinea", place=ordinal_value(line[1]) if not line[1].isdigit() else int(line[1])))
            end = line.end()
        elif point is not None and not (point.lastgroup in ("letter", "capital") and ")" not in point[0] and glued):
            if steps and steps[-1].style == point.lastgroup:
                return tuple(steps), at  # "article 5, 1°, 2°" is a list that goes on
            steps.append(_step(point))
            end = point.end()
        else:
            return tuple(steps), at
        if gap is not None and "(" in gap[0]:
            closed = _CLOSED.match(text, end)
            end = closed.end() if closed is not None else end
        at = end
    return tuple(steps), at


def _step(point: re.Match[str]) -> Step:
    style: Style = "degree" if point["degree"] else "roman" if point["roman"] else "letter"
    style = "capital" if point["capital"] else style
    return Step(style, point_segment(point[0]))


def point_unit(text: str, at: int, *, present: bool = False) -> Unit | None:
    """Points from an offset on ("1° et 2°", "I à III"); all of one style."""
    items = read_list(text, at, _point, _POINT_JOINT)
    return Unit(at, items[-1].end, "point", items, which="present" if present else "") if items else None


def _point(text: str, at: int, before: Sequence[Item], _: re.Match[str] | None) -> Item | None:
    point = _POINT.match(text, at)
    if point is None or (before and point.lastgroup != before[-1].steps[-1].style):
        return None
    # A lone letter is a word more often than a list's member: "au a et a l'article 5".
    if before and point.lastgroup == "letter" and point[0] in ("a", "y"):
        return None
    return Item(point.start(), point.end(), "", (_step(point),))


def line_unit(text: str, at: int) -> Unit | None:
    """Alinéas, sentences or dashes from an offset on, by ordinals or numbers; without words before them."""
    if (ordinal := _ORDINAL_LINES.match(text, at)) is not None:
        items: list[Item] = []
        for match in _ONE_ORDINAL.finditer(text, ordinal.start("ordinals"), ordinal.end("ordinals")):
            ranged = bool(items) and re.search(r"\ba\b", text[items[-1].end : match.start("ordinal")]) is not None
            step = Step("alinea", place=ordinal_value(match["ordinal"]))
            items.append(Item(match.start("ordinal"), match.end(), "", (step,), range="end" if ranged else ""))
        mark_starts(items)
        end = ordinal.end()
        # "deuxième alinéa (1°)" says the same place twice.
        if (bracket := _BRACKETED_POINT.match(text, end)) is not None and (point := _POINT.match(text, bracket.end())):
            closed = _CLOSED.match(text, point.end())
            end = closed.end() if closed is not None else end
        items[-1].end = end
        return Unit(at, end, _line_kind(ordinal["noun"]), items)
    if (counted := _COUNTED_LINES.match(text, at)) is not None:
        count = CARDINALS.get((counted["count"] or "deux").lower(), 2)
        first = counted["end"].lower().startswith("prem")
        places = range(1, count + 1) if first else range(-count, 0)
        span = (counted.start(), counted.end())
        items = [Item(*span, "", (Step("alinea", place=place),)) for place in places]
        return Unit(at, counted.end(), _line_kind(counted["noun"]), items)
    if (numbered := _NUMBERED_LINES.match(text, at)) is not None:
        items = read_list(text, numbered.end(), _numbered_line, _POINT_JOINT)
        return Unit(at, items[-1].end, "line", items) if items and items[0].steps[0].place else None
    return None


def _line_kind(noun: str) -> Literal["line", "phrase"]:
    return "line" if noun.lower().startswith("al") else "phrase"


def _numbered_line(text: str, at: int, before: Sequence[Item], _: re.Match[str] | None) -> Item | None:
    number = _LINE_NUMBER.match(text, at)
    if number is None or (before and _MEASURE.match(text, number.end())):
        return None
    place = int(re.sub("[^0-9].*", "", number[0]))
    return Item(number.start(), number.end(), "", (Step("alinea", place=place),))


def neighbour(text: str, at: int) -> tuple[Which, int] | None:
    """The words "précédent", "qui suit" at an offset, and their end."""
    match = _PREVIOUS.match(text, at)
    return None if match is None else ("previous" if match["previous"] else "next", match.end())


def container_unit(text: str, at: int) -> Unit | None:
    """Containers by kind and number: "titres Ier, III et IV", "section 2", "chapitre préliminaire"."""
    begin = text[at : at + 1].lower()
    word = _CONTAINER.match(text, at) if begin in _CONTAINER_BEGINS else None
    ordinal = _ORDINAL_CONTAINER.match(text, at) if word is None else None
    if ordinal is not None and ordinal_value(ordinal["ordinal"]) > 0:
        number = to_roman(ordinal_value(ordinal["ordinal"])).upper()
        item = Item(ordinal.start(), ordinal.end(), number)
        return Unit(at, ordinal.end(), "container", [item], ordinal["level"].lower())
    if word is None:
        return None
    items = read_list(text, word.end(), _container, _POINT_JOINT)
    return Unit(at, items[-1].end, "container", items, word["level"].lower()) if items else None


def _container(text: str, at: int, before: Sequence[Item], joint: re.Match[str] | None) -> Item | None:
    number = _CONTAINER_NUMBER.match(text, at)
    if number is None or (joint is not None and (joint["word"] or _MEASURE.match(text, number.end()))):
        return None
    return Item(number.start(), number.end(), _container_number(number))


def _container_number(match: re.Match[str]) -> str:
    if match["word"]:
        word = match["word"].lower()
        return "I" if word.startswith("premier") else word
    return f"{match['number']}{match['suffix'] or ''}"
