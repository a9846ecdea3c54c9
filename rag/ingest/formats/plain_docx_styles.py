"""What Word computes instead of storing: a paragraph's heading rank and the number printed before it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from rag.ingest.formats.xml import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"heading (\d)")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_MOST_STYLES = 50  # of a chain of styles that rest on each other; a cycle has no end


def value(element: Element | None, path: str) -> str | None:
    """The `w:val` of a descendant; None where there is none, empty where it states none."""
    found = element.find(path) if element is not None else None
    return None if found is None else found.get(f"{W}val", "")


def counted(text: str | None, default: int) -> int:
    """A number as an attribute states it; the default where it states none that a document can mean."""
    return int(text) if text is not None and re.fullmatch(r"[0-9]{1,6}", text) else default


def switched_on(element: Element | None, path: str) -> bool:
    """Whether a property such as `w:vanish` is set: present without a value that takes it back."""
    return value(element, path) not in (None, "0", "false", "off", "none")


class Styles:
    """Look-ups in `styles.xml`; a style answers from those it rests on."""

    def __init__(self, root: Element | None) -> None:
        found = [] if root is None else root.findall(f"{W}style")
        self._by_id = {one.get(f"{W}styleId", ""): one for one in found}
        self._default = next(
            (one.get(f"{W}styleId", "") for one in found
             if one.get(f"{W}type") == "paragraph" and one.get(f"{W}default") in ("1", "true")), ""
        )  # fmt: skip

    def chain(self, style: str | None) -> list[Element]:
        """The style and those it rests on, nearest first; the default paragraph style where none is named."""
        out: list[Element] = []
        name: str | None = style or self._default
        while name in self._by_id and len(out) < _MOST_STYLES:
            out.append(self._by_id[name])
            name = value(out[-1], f"{W}basedOn")
        return out

    def level(self, paragraph: Element) -> int:
        """The rank of a paragraph as a heading, from 1, the document's title first; 0 for other text."""
        properties = paragraph.find(f"{W}pPr")
        direct = value(properties, f"{W}outlineLvl")
        if counted(direct, 9) < 9:
            return counted(direct, 9) + 2
        for one in self.chain(value(properties, f"{W}pStyle")):
            name = (value(one, f"{W}name") or "").lower()
            if name == "title":
                return 1
            if match := _HEADING.fullmatch(name):
                return int(match[1]) + 1
            outline = value(one, f"{W}pPr/{W}outlineLvl")
            if counted(outline, 9) < 9:
                return counted(outline, 9) + 2
        return 0

    def hides(self, run: Element) -> bool:
        """Whether a run's text is hidden, by itself or by a style."""
        return self._is_on(run, "vanish")

    def strikes(self, run: Element) -> bool:
        """Whether a run's text is struck out, by itself or by a style."""
        return self._is_on(run, "strike") or self._is_on(run, "dstrike")

    def is_white(self, run: Element) -> bool:
        """Whether a run's text is white and nothing says that its background is not."""
        colour = next((found for one in self._properties(run) if (found := value(one, f"{W}color")) is not None), "")
        shaded = any(
            one.find(f"{W}{name}") is not None for one in self._properties(run) for name in ("shd", "highlight")
        )
        around = any(one.find(f"{one.tag}Pr/{W}shd") is not None for one in run.iterancestors(f"{W}p", f"{W}tc"))
        return colour.upper() == "FFFFFF" and not shaded and not around

    def _is_on(self, run: Element, name: str) -> bool:
        said = next((one for one in self._properties(run) if one.find(f"{W}{name}") is not None), None)
        return said is not None and switched_on(said, f"{W}{name}")

    def _properties(self, run: Element) -> Iterator[Element]:
        """What is said of a run, nearest first: by itself, its character style, its paragraph's style."""
        direct = run.find(f"{W}rPr")
        if direct is not None:
            yield direct
        paragraph = next(run.iterancestors(f"{W}p"), None)
        named = value(direct, f"{W}rStyle")
        styles = [*(self.chain(named) if named else ()), *self.chain(value(paragraph, f"{W}pPr/{W}pStyle"))]
        yield from (found for one in styles if (found := one.find(f"{W}rPr")) is not None)


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str


class Numbering:
    """Counts the paragraphs of numbered lists as Word does: `label` is to be asked once for each, in order."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()
        self.unread: Counter[str] = Counter()  # forms of numbers that are shown as digits instead
        abstract = (
            {} if root is None else {one.get(f"{W}abstractNumId"): one for one in root.findall(f"{W}abstractNum")}
        )
        self._lists: dict[str, str] = {}
        self._levels: dict[str, dict[int, _Level]] = {}
        self._restarts: dict[tuple[str, int], int] = {}
        for one in [] if root is None else root.findall(f"{W}num"):
            number, key = one.get(f"{W}numId", ""), value(one, f"{W}abstractNumId") or ""
            self._lists[number] = key
            base = abstract.get(key)
            self._levels[number] = {} if base is None else _levels(base.findall(f"{W}lvl"))
            for change in one.findall(f"{W}lvlOverride"):
                level = counted(change.get(f"{W}ilvl"), 0)
                self._levels[number].update(_levels(change.findall(f"{W}lvl")))
                start = value(change, f"{W}startOverride")
                if start is not None:
                    self._restarts[number, level] = counted(start, 1)

    def label(self, paragraph: Element) -> str:
        """The number or bullet printed before a paragraph, with a space after it; empty where it has none."""
        place = self._place(paragraph)
        if place is None:
            return ""
        number, depth = place
        levels = self._levels.get(number, {})
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(self._lists[number], {})
        if (number, depth) in self._restarts and (number, depth) not in self._begun:
            counts[depth] = self._restarts[number, depth] - 1
        self._begun.add((number, depth))
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [one for one in counts if one > depth]:
            del counts[deeper]
        if level.form == "bullet":
            return "- "
        if level.form == "none":
            return ""

        def printed(match: re.Match[str]) -> str:
            at = int(match[1]) - 1
            other = levels.get(at, level)
            return self._number(counts.get(at, other.start), other.form)

        label = re.sub(r"%([1-9])", printed, level.text).strip()
        return f"{label} " if label else ""

    def _place(self, paragraph: Element) -> tuple[str, int] | None:
        properties = paragraph.find(f"{W}pPr")
        sources = [properties, *(one.find(f"{W}pPr") for one in self._styles.chain(value(properties, f"{W}pStyle")))]
        depth = next((found for one in sources if (found := value(one, f"{W}numPr/{W}ilvl"))), "0")
        number = next((found for one in sources if (found := value(one, f"{W}numPr/{W}numId"))), "0")
        return (number, counted(depth, 0)) if number in self._levels else None

    def _number(self, count: int, form: str) -> str:
        if form in ("lowerLetter", "upperLetter") and count > 0:
            letter = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
            return letter.upper() if form[0] == "u" else letter
        if form in ("lowerRoman", "upperRoman") and 0 < count < 4000:
            roman = ""
            for worth, sign in _ROMAN:
                roman += sign * (count // worth)
                count %= worth
            return roman.upper() if form[0] == "u" else roman
        if form == "decimalZero":
            return f"{count:02d}"
        if form not in ("decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman"):
            self.unread[form] += 1
        return str(count)


def _levels(found: list[Element]) -> dict[int, _Level]:
    return {
        counted(one.get(f"{W}ilvl"), 0): _Level(
            counted(value(one, f"{W}start"), 1), value(one, f"{W}numFmt") or "decimal", value(one, f"{W}lvlText") or ""
        )
        for one in found
    }
