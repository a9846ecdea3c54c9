"""Which elements of an HTML page a reader does not see or sees struck out. Neither becomes text.

Seen are the attribute `hidden`, elements that are never shown (scripts, templates ...), elements of deleted text, a
style attribute, and rules of the page's own style sheet for a single class, id or element outside of media queries.
Style sheets elsewhere are not looked at, and a colour only where the same rule states the background.
"""

from __future__ import annotations

import re
from typing import Literal

from rag.ingest.formats.xml import Element

NEVER_SHOWN = frozenset(
    ("head", "script", "style", "template", "noscript", "title", "iframe", "object", "audio", "video", "canvas",
     "datalist", "source", "track", "param")
)  # fmt: skip
_STRUCK = frozenset(("del", "s", "strike"))
_ZERO = r"[+-]?0*(?:\.0*)?(?:[a-z]+|%)?"
# Distances that leave every screen.
_FAR = r"-(?:(?:\d{4,}|[5-9]\d\d)(?:\.\d*)?(?:px|pt)?|\d{3,}(?:\.\d*)?(?:r?em|ex|ch|%|vw|vh|cm|in))"
_HIDING = {
    name: re.compile(pattern)
    for names, pattern in (
        ("display", "none"), ("visibility", "hidden|collapse"), ("content-visibility", "hidden"),
        ("opacity", rf"(?=[\d.]){_ZERO}"), ("font-size", rf"(?=[\d.]){_ZERO}"),
        ("left right top bottom text-indent margin-left margin-top", _FAR),
        ("clip", r"rect\((?P<edge>\d+)(?:px|em)?(?:[\s,]+(?P=edge)(?:px|em)?){3}\s*\)"),
        ("clip-path", r"inset\((?:[5-9]\d|100)(?:\.\d*)?%.*\)|circle\(0.*\)"),
        ("transform", rf"translate[xy]?\({_FAR}.*\)|scale[xy]?\(0\)"),
        ("color", r"transparent|#[0-9a-f]{3}0|#[0-9a-f]{6}00"
                  r"|(?:rgb|hsl)a?\((?:[^,/()]+,){3}\s*0*(?:\.0*)?%?\s*\)|(?:rgb|hsl)a?\([^,/()]+/\s*0*(?:\.0*)?%?\s*\)"),
    )
    for name in names.split()
}  # fmt: skip
_COLOURS = {"white": "#ffffff", "black": "#000000", "red": "#ff0000", "lime": "#00ff00", "blue": "#0000ff",
            "yellow": "#ffff00", "silver": "#c0c0c0", "gray": "#808080", "grey": "#808080"}  # fmt: skip
_RGB = re.compile(r"rgba?\((\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})\s*(?:[,/]\s*1(?:\.0*)?\s*)?\)")
_NO_COLOUR = frozenset(("", "inherit", "initial", "unset", "revert", "revert-layer", "currentcolor"))
_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_CONDITIONAL = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?:\.(?P<class>[\w-]+)|#(?P<id>[\w-]+))?", re.IGNORECASE)

Effect = Literal["hides", "strikes"]


class Concealment:
    """Knows what one page hides and strikes out."""

    def __init__(self, page: Element) -> None:
        # Per effect: element, class, id; empty for any.
        self._rules: dict[Effect, set[tuple[str, str, str]]] = {"hides": set(), "strikes": set()}
        for style in page.iter("style"):
            sheet = _CONDITIONAL.sub("", _COMMENT.sub("", "".join(style.itertext())))
            for selectors, declarations in _RULE.findall(sheet):
                for effect in _effects(declarations):
                    self._rules[effect].update(_simple(selectors))

    def hides(self, element: Element, tag: str) -> bool:
        """Whether the element and all within it are not shown."""
        if tag in NEVER_SHOWN or tag == "input" or element.get("hidden") is not None:
            return True
        return self._styled(element, tag, "hides")

    def strikes(self, element: Element, tag: str) -> bool:
        """Whether the element and all within it are deleted or struck out."""
        return tag in _STRUCK or self._styled(element, tag, "strikes")

    def _styled(self, element: Element, tag: str, effect: Effect) -> bool:
        if effect in _effects(element.get("style", "")):
            return True
        rules = self._rules[effect]
        if not rules:
            return False
        classes = ["", *element.get("class", "").split()]
        names = {(a, b, c) for a in ("", tag) for b in classes for c in ("", element.get("id", ""))}
        return not rules.isdisjoint(names)


def _effects(declarations: str) -> set[Effect]:
    """What the declarations of one rule or style attribute do to the text."""
    effects: set[Effect] = set()
    if not declarations:
        return effects
    pairs = (one.partition(":") for one in _COMMENT.sub("", declarations).lower().split(";"))
    said = {name.strip(): worth.partition("!")[0].strip() for name, _, worth in pairs}
    ground = said.get("background-color") or said.get("background", "")
    colour = _colour(said.get("color", ""))
    same = colour not in _NO_COLOUR and colour in {_colour(ground), *(_colour(one) for one in ground.split())}
    if same or any(name in _HIDING and _HIDING[name].fullmatch(worth) for name, worth in said.items()):
        effects.add("hides")
    if "line-through" in f"{said.get('text-decoration', '')} {said.get('text-decoration-line', '')}".split():
        effects.add("strikes")
    return effects


def _colour(stated: str) -> str:
    """One spelling of a colour: six hexadecimal digits where it is known how to, else as it is stated."""
    if match := _RGB.fullmatch(stated):
        return "#" + "".join(f"{int(one):02x}" for one in match.groups())
    if re.fullmatch(r"#[0-9a-f]{3}", stated):
        return "#" + "".join(2 * digit for digit in stated[1:])
    return _COLOURS.get(stated, stated)


def _simple(selectors: str) -> set[tuple[str, str, str]]:
    """The selectors of a list that name one class, id or element."""
    found = (_SIMPLE.fullmatch(one.strip()) for one in selectors.split(","))
    parts = {((one["tag"] or "").lower(), one["class"] or "", one["id"] or "") for one in found if one}
    return parts - {("", "", "")}
