"""Which elements of an HTML page a reader does not see. What is hidden never becomes text.

Seen are the attribute `hidden`, elements that are never shown (scripts, templates ...), a style attribute, and rules of
the page's own style sheet for a single class, id or element outside of media queries. Style sheets elsewhere, colours
and positions are not looked at.
"""

from __future__ import annotations

import re

from rag.ingest.formats.xml import Element

NEVER_SHOWN = frozenset(
    ("head", "script", "style", "template", "noscript", "title", "iframe", "object", "audio", "video", "canvas",
     "datalist", "source", "track", "param")
)  # fmt: skip
_CONCEALS = re.compile(
    r"(?:\A|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:[;!]|\Z)"
    r"|font-size\s*:\s*0(?:\.0*)?\s*(?:[a-z%]*)\s*(?:[;!]|\Z)|content-visibility\s*:\s*hidden)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_CONDITIONAL = re.compile(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_SIMPLE = re.compile(r"(?P<tag>[a-z][a-z0-9]*)?(?:\.(?P<class>[\w-]+)|#(?P<id>[\w-]+))?", re.IGNORECASE)


class Concealment:
    """Knows what one page hides."""

    def __init__(self, page: Element) -> None:
        self._rules: set[tuple[str, str, str]] = set()  # element, class, id; empty for any
        for style in page.iter("style"):
            sheet = _CONDITIONAL.sub("", _COMMENT.sub("", "".join(style.itertext())))
            for selectors, declarations in _RULE.findall(sheet):
                if _CONCEALS.search(declarations):
                    self._rules.update(_simple(selectors))

    def hides(self, element: Element, tag: str) -> bool:
        """Whether the element and all within it are not shown."""
        if tag in NEVER_SHOWN or element.get("hidden") is not None:
            return True
        if tag == "input" or _CONCEALS.search(element.get("style", "")):
            return True
        if not self._rules:
            return False
        classes = ["", *element.get("class", "").split()]
        names = {(a, b, c) for a in ("", tag) for b in classes for c in ("", element.get("id", ""))}
        return not self._rules.isdisjoint(names)


def _simple(selectors: str) -> set[tuple[str, str, str]]:
    """The selectors of a list that name one class, id or element."""
    found = (_SIMPLE.fullmatch(one.strip()) for one in selectors.split(","))
    parts = {((one["tag"] or "").lower(), one["class"] or "", one["id"] or "") for one in found if one}
    return parts - {("", "", "")}
