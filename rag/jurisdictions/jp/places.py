"""Places in Japanese law: a provision by its units, and what stands around the place of a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from weakref import WeakKeyDictionary

from rag.jurisdictions.jp.grammar import BOXES, ORDER, Item, Level, Units
from rag.jurisdictions.jp.kanji import law_number
from rag.jurisdictions.jp.laws import OWN, Law, law_of_number
from rag.law.jurisdiction import DocumentIndex, ReferenceContext, ReferenceKind
from rag.law.nodes import ParsedNode

_RANKS = {level: rank for rank, level in enumerate(ORDER)}


@dataclass(slots=True, unsafe_hash=True)
class Place:
    """A provision: the URN of the law or the supplementary provision it stands in, and its units below that.

    `base` is empty where the law has no URN here.
    """

    law: Law
    base: str
    units: Units = ()

    @property
    def urn(self) -> str:
        """The URN; an item named without its paragraph stands in the only one, which is the first."""
        if not self.base:
            return ""
        out = [self.base]
        for level, value in self.units:
            if level == "item" and self._skips_paragraph():
                out.append("1")
            out.append(f"{level}.{value}" if level in ("table", "style") and value else value or level)
        return ":".join(out)

    def _skips_paragraph(self) -> bool:
        levels = {level for level, _ in self.units}
        return "art" in levels and "par" not in levels

    def cut(self, level: Level) -> Place:
        """The place without the unit of a level and what lies below it."""
        return replace(self, units=tuple([one for one in self.units if _RANKS[one[0]] < _RANKS[level]]))

    def up_to(self, level: Level) -> Place | None:
        """The unit of a level that this place is or lies in."""
        if all(one != level for one, _ in self.units):
            return None
        return Place(self.law, self.base, tuple([one for one in self.units if _RANKS[one[0]] <= _RANKS[level]]))


@dataclass(slots=True, unsafe_hash=True)
class Target:
    """What an item was read as; two places where it names a run (前三項)."""

    places: tuple[Place, ...]
    kind: ReferenceKind
    confident: bool = True


UNREAD = Target((), "relative", confident=False)
NOWHERE = Law("external", certain=False)
# Articles count on through all containers of a law; the lists are made once for each document.
_ARTICLES: WeakKeyDictionary[DocumentIndex, dict[str, list[ParsedNode]]] = WeakKeyDictionary()
_NUMBER = re.compile(r"(?:\A|\.\.)(\d{1,9})")  # both ends of a range, without branches
_LEVELS: dict[str, Level] = {"article": "art", "paragraph": "par", "item": "item"}


class Surroundings:
    """Reads what a text says of the provisions around its own place.

    Args:
        here: the place.
    """

    def __init__(self, here: ReferenceContext) -> None:
        self._index = here.index
        self._node = here.node
        self.law, self.own_urns = _law_at(here)
        self.corpus_urn = here.index.corpus_urn

    def near(self, item: Item) -> Target:
        """前条, 次項, この章, 前三号: by the order of the nodes around this place."""
        if item.of == "sup":
            node = next((one for one in self._index.chain(self._node) if one.level == "supplementary"), None)
            return self._at((node,)) if node else UNREAD
        level = {"art": "article", "par": "paragraph", "item": "item"}.get(item.of, "")
        if item.of == "container":
            level = item.units[0][1]
        own = self._around(level)
        if item.head == "次" and item.of == "item" and item.count != 1:
            # 次の各号: the items of this very paragraph.
            own = self._around("paragraph")
            return self._at((own,)) if own else UNREAD
        if own is None:
            return UNREAD
        if item.head == "この":
            return self._below(own, item)
        order = self._order(own)
        at = order.index(own)
        run = order[:at] if item.head == "前" else order[at + 1 :]
        if item.head == "前" and item.count != 1:
            run = run[-item.count :] if item.count else run
            complete = bool(run) and (item.count == 0 or len(run) == item.count) and _follow([*run, own])
            return self._at((run[0], run[-1]) if len(run) > 1 else tuple(run)) if complete else UNREAD
        if not run or not _follow([run[-1], own] if item.head == "前" else [own, run[0]]):
            return UNREAD
        return self._below(run[-1] if item.head == "前" else run[0], item)

    def _around(self, level: str) -> ParsedNode | None:
        """The node itself or its nearest ancestor of a level, by the publication's own name for it."""
        return next((one for one in self._index.chain(self._node) if one.level == level), None)

    def _order(self, node: ParsedNode) -> list[ParsedNode]:
        """The units of a node's kind that count on with it: articles through all chapters, others in their parent."""
        if node.level != "article":
            return [one for one in self._index.tree.children(node.parent_urn or "") if one.level == node.level]
        known = _ARTICLES.get(self._index)
        if known is None:
            known = _ARTICLES[self._index] = {}
            for one in self._index.tree.nodes:
                if one.level == "article":
                    known.setdefault(one.urn.rpartition(":")[0], []).append(one)
        return known[node.urn.rpartition(":")[0]]

    def _below(self, node: ParsedNode, item: Item) -> Target:
        """A unit below a node found by its place."""
        if item.of == "container":
            boxes = ":".join(value for _, value in item.units[1:])
            return self._at_urn(f"{node.urn}:{boxes}" if boxes else node.urn)
        place = self._place_of(node)
        return self.checked(replace(place, units=(*place.units, *item.units)), "relative")

    def container(self, item: Item) -> Target:
        """第三章第二節: in the nearest container that has such a one."""
        if self.law.urn != self.corpus_urn:
            return Target((Place(self.law, ""),), "external", confident=False)
        boxes = ":".join(value for _, value in item.units)
        for one in self._index.chain(self._node):
            if self._index.node(f"{one.urn}:{boxes}") is not None:
                return self._at_urn(f"{one.urn}:{boxes}")
        level = item.units[-1][1].partition("_")[0]
        number = item.units[-1][1].partition("_")[2]
        only = self._index.numbered(level, number, self._index.root) if len(item.units) == 1 else None
        return self._at((only,)) if only else UNREAD

    def appended(self, item: Item) -> Target:
        """別表第一; 別表 alone is the only one of the law."""
        place = Place(OWN, self.corpus_urn, item.units)
        if self._index.node(place.urn) is None and not item.units[0][1]:
            same = [one for one in self._index.tree.nodes if one.level == f"appended {item.of}"]
            return self._at((same[0],)) if len(same) == 1 else UNREAD
        return self.checked(place, "explicit")

    def supplement(self, item: Item) -> str:
        """The URN of a supplementary provision of no named law: the one this place stands in, or the law's own."""
        inside = next((one for one in self._index.chain(self._node) if one.level == "supplementary"), None)
        if inside is not None and not item.amending:
            return inside.urn
        return supplement_urn(self.corpus_urn, item)

    def from_here(self, item: Item) -> Target:
        """第二項, 第三号: of the article or the paragraph around this place."""
        above = self._place_of(self._node).cut(item.of)
        if item.of == "item" and above.up_to("par") is None:
            return UNREAD
        return self.checked(replace(above, units=(*above.units, *item.units)), "relative")

    def _place_of(self, node: ParsedNode) -> Place:
        """The place of a node, by the levels it lies in."""
        units: list[tuple[Level, str]] = []
        base = node.urn
        for one in self._index.chain(node):
            if one.level in _LEVELS or one.level.startswith("subitem"):
                units.insert(0, (_LEVELS.get(one.level, "sub"), one.urn.rpartition(":")[2]))
                base = one.urn.rpartition(":")[0]
        return Place(OWN, base, tuple(units))

    def _at(self, nodes: tuple[ParsedNode, ...]) -> Target:
        places = tuple(self._place_of(one) if one.level in _LEVELS else Place(OWN, one.urn, ()) for one in nodes)
        return Target(places, "relative")

    def _at_urn(self, urn: str) -> Target:
        node = self._index.node(urn)
        return self._at((node,)) if node else UNREAD

    def _is_extract(self, place: Place) -> bool:
        """Whether a place lies in a supplementary provision of which only a part is printed."""
        node = self._index.node(place.base)
        return (
            node is not None
            and node.level == "supplementary"
            and (node.tags.get("extract") == "true" or "抄" in node.heading)
        )

    def checked(self, place: Place, kind: ReferenceKind, confident: bool = True) -> Target:
        """The target, uncertain where it should be a node of this document and is none."""
        if f"{place.base}:".startswith(f"{self.corpus_urn}:"):
            node = self._index.node(place.urn)
            confident = confident and (node is not None or self._is_extract(place))
        return Target((place,), kind if place.base else "external", confident)


def _follow(nodes: list[ParsedNode]) -> bool:
    """Whether no number is missing between nodes: of an amending law's provisions only some may be printed."""
    numbers = [[int(end) for end in _NUMBER.findall(node.number)] for node in nodes]
    return all(not before or not after or after[0] - before[-1] in (0, 1) for before, after in pairwise(numbers))


def supplement_urn(law: str, item: Item) -> str:
    """The URN of a law's supplementary provision: its own, or that of the amending law which an item names."""
    number = law_number(item.amending.replace(" ", "")) if item.amending else None
    return f"{law}:sup.{number.slug}" if number is not None else f"{law}:sup"


def below(item: Item, place: Place) -> Place | None:
    """The place of a bare paragraph or item that opens the bracket after a coarser provision."""
    if item.head or item.of not in ("par", "item") or not place.units:
        return None
    finer = ORDER.index(item.of) > ORDER.index(place.units[-1][0])
    return replace(place, units=(*place.units, *item.units)) if finer and place.up_to("art") else None


def inherited(item: Item, before: Target) -> Place | None:
    """The place of an item that goes on with a list: it takes over what lies above its own level."""
    place = before.places[-1]
    if item.of == "art":
        return replace(place, units=item.units) if place.up_to("art") is not None else None
    if item.of in ("par", "item", "sub") and place.up_to(item.of) is not None:
        above = place.cut(item.of)
        return replace(above, units=(*above.units, *item.units))
    if item.of in ("table", "style") and place.up_to(item.of) is not None:
        return replace(place, units=item.units)
    if item.of == "container" and place.up_to("container") is not None:
        kind = item.units[0][1].partition("_")[0]
        above = [one for one in place.units if BOXES.index(one[1].partition("_")[0]) < BOXES.index(kind)]
        return replace(place, units=(*above, *item.units))
    return None


def _law_at(here: ReferenceContext) -> tuple[Law, frozenset[str]]:
    """The law that この法律 and a bare 第三条 speak of at a place, and all URNs of the law of its document.

    A supplementary provision of an amending law speaks of that law, not of the one it is printed with.
    """
    root = here.index.root
    own = frozenset((here.index.corpus_urn, *(alias for alias in root.aliases if alias.startswith("urn:lex:"))))
    inside = next((one for one in here.index.chain(here.node) if one.level == "supplementary"), None)
    amending = inside.tags.get("supplementary_provision", "original") if inside else "original"
    if amending == "original":
        return Law("own", root.heading, here.index.corpus_urn), own
    return law_of_number(amending) or NOWHERE, own
