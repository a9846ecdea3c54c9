"""From Japanese provisions as written to URNs: in the law they name, or from the place they are in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise

from rag.jurisdictions.grammar.kernel import Law, Span, Target, of_document, reference_of
from rag.jurisdictions.jp.kanji import law_number
from rag.jurisdictions.jp.laws import OWN, law_of_number
from rag.jurisdictions.jp.reader import BOXES, ORDER, Item, Level, Units
from rag.languages.ja.script import Brackets
from rag.law.jurisdiction import DocumentIndex, FoundReference, ReferenceContext, ReferenceKind
from rag.law.nodes import ParsedNode
from rag.law.patterns import lazy

# A provision by its units, and what stands around the place of a text.

_RANKS = {level: rank for rank, level in enumerate(ORDER)}


@dataclass(slots=True, unsafe_hash=True)
class Place:
    """A provision: the URN of the law or the supplementary provision it is in, and its units below that.

    `base` is empty where the law has no URN here.
    """

    law: Law
    base: str
    units: Units = ()

    @property
    def urn(self) -> str:
        """The URN; an item named without its paragraph is in the only one, which is the first."""
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
        return replace(self, units=tuple([unit for unit in self.units if _RANKS[unit[0]] < _RANKS[level]]))

    def up_to(self, level: Level) -> Place | None:
        """The unit of a level that this place is or lies in."""
        if all(one != level for one, _ in self.units):
            return None
        return Place(self.law, self.base, tuple([unit for unit in self.units if _RANKS[unit[0]] <= _RANKS[level]]))


@dataclass(slots=True, unsafe_hash=True)
class Places:
    """What an item was read as; two places where it names a run (前三項)."""

    places: tuple[Place, ...]
    kind: ReferenceKind
    confident: bool = True


_UNREAD = Places((), "relative", confident=False)
_NOWHERE = Law(certain=False, role="external")
_NUMBER = lazy(r"(?:\A|\.\.)(\d{1,9})")  # both ends of a range, without branches
_LEVELS: dict[str, Level] = {"article": "art", "paragraph": "par", "item": "item"}


@of_document
def _articles(index: DocumentIndex) -> dict[str, list[ParsedNode]]:
    """The articles of a document, which count on through all its containers, by what their URNs begin with."""
    found: dict[str, list[ParsedNode]] = {}
    for node in index.tree.nodes:
        if node.level == "article":
            found.setdefault(node.urn.rpartition(":")[0], []).append(node)
    return found


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

    def near(self, item: Item) -> Places:
        """前条, 次項, この章, 前三号: by the order of the nodes around this place."""
        if item.of == "sup":
            node = next((node for node in self._index.chain(self._node) if node.level == "supplementary"), None)
            return self._at((node,)) if node else _UNREAD
        level = {"art": "article", "par": "paragraph", "item": "item"}.get(item.of, "")
        if item.of == "container":
            level = item.units[0][1]
        own = self._around(level)
        if item.head == "次" and item.of == "item" and item.count != 1:
            # 次の各号: the items of this very paragraph.
            own = self._around("paragraph")
            return self._at((own,)) if own else _UNREAD
        if own is None:
            return _UNREAD
        if item.head == "この":
            return self._below(own, item)
        order = self._order(own)
        at = order.index(own)
        run = order[:at] if item.head == "前" else order[at + 1 :]
        if item.head == "前" and item.count != 1:
            run = run[-item.count :] if item.count else run
            complete = bool(run) and (item.count == 0 or len(run) == item.count) and _follow([*run, own])
            return self._at((run[0], run[-1]) if len(run) > 1 else tuple(run)) if complete else _UNREAD
        if not run or not _follow([run[-1], own] if item.head == "前" else [own, run[0]]):
            return _UNREAD
        return self._below(run[-1] if item.head == "前" else run[0], item)

    def _around(self, level: str) -> ParsedNode | None:
        """The node itself or its nearest ancestor of a level, by the publication's own name for it."""
        return next((node for node in self._index.chain(self._node) if node.level == level), None)

    def _order(self, node: ParsedNode) -> list[ParsedNode]:
        """The units of a node's kind that count on with it: articles through all chapters, others in their parent."""
        if node.level != "article":
            return [child for child in self._index.tree.children(node.parent_urn or "") if child.level == node.level]
        return _articles(self._index)[node.urn.rpartition(":")[0]]

    def _below(self, node: ParsedNode, item: Item) -> Places:
        """A unit below a node found by its place."""
        if item.of == "container":
            boxes = ":".join(value for _, value in item.units[1:])
            return self._at_urn(f"{node.urn}:{boxes}" if boxes else node.urn)
        place = self._place_of(node)
        return self.checked(replace(place, units=(*place.units, *item.units)), "relative")

    def container(self, item: Item) -> Places:
        """第三章第二節: in the nearest container that has such a one."""
        if self.law.urn != self.corpus_urn:
            return Places((Place(self.law, ""),), "external", confident=False)
        boxes = ":".join(value for _, value in item.units)
        for node in self._index.chain(self._node):
            if self._index.node(f"{node.urn}:{boxes}") is not None:
                return self._at_urn(f"{node.urn}:{boxes}")
        level = item.units[-1][1].partition("_")[0]
        number = item.units[-1][1].partition("_")[2]
        only = self._index.numbered(level, number, self._index.root) if len(item.units) == 1 else None
        return self._at((only,)) if only else _UNREAD

    def appended(self, item: Item) -> Places:
        """別表第一; 別表 alone is the only one of the law."""
        place = Place(OWN, self.corpus_urn, item.units)
        if self._index.node(place.urn) is None and not item.units[0][1]:
            same = [node for node in self._index.tree.nodes if node.level == f"appended {item.of}"]
            return self._at((same[0],)) if len(same) == 1 else _UNREAD
        return self.checked(place, "explicit")

    def supplement(self, item: Item) -> str:
        """The URN of a supplementary provision of no named law: the one this place is in, or the law's own."""
        inside = next((node for node in self._index.chain(self._node) if node.level == "supplementary"), None)
        if inside is not None and not item.amending:
            return inside.urn
        return supplement_urn(self.corpus_urn, item)

    def from_here(self, item: Item) -> Places:
        """第二項, 第三号: of the article or the paragraph around this place."""
        above = self._place_of(self._node).cut(item.of)
        if item.of == "item" and above.up_to("par") is None:
            return _UNREAD
        return self.checked(replace(above, units=(*above.units, *item.units)), "relative")

    def _place_of(self, node: ParsedNode) -> Place:
        """The place of a node, by the levels it lies in."""
        units: list[tuple[Level, str]] = []
        base = node.urn
        for parsed in self._index.chain(node):
            if parsed.level in _LEVELS or parsed.level.startswith("subitem"):
                units.insert(0, (_LEVELS.get(parsed.level, "sub"), parsed.urn.rpartition(":")[2]))
                base = parsed.urn.rpartition(":")[0]
        return Place(OWN, base, tuple(units))

    def _at(self, nodes: tuple[ParsedNode, ...]) -> Places:
        places = tuple(self._place_of(node) if node.level in _LEVELS else Place(OWN, node.urn, ()) for node in nodes)
        return Places(places, "relative")

    def _at_urn(self, urn: str) -> Places:
        node = self._index.node(urn)
        return self._at((node,)) if node else _UNREAD

    def _is_extract(self, place: Place) -> bool:
        """Whether a place lies in a supplementary provision of which only a part is printed."""
        node = self._index.node(place.base)
        return (
            node is not None
            and node.level == "supplementary"
            and (node.tags.get("extract") == "true" or "抄" in node.heading)
        )

    def checked(self, place: Place, kind: ReferenceKind, confident: bool = True) -> Places:
        """The target, uncertain where it should be a node of this document and is none."""
        if f"{place.base}:".startswith(f"{self.corpus_urn}:"):
            node = self._index.node(place.urn)
            confident = confident and (node is not None or self._is_extract(place))
        return Places((place,), kind if place.base else "external", confident)


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


def inherited(item: Item, before: Places) -> Place | None:
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
        above = [unit for unit in place.units if BOXES.index(unit[1].partition("_")[0]) < BOXES.index(kind)]
        return replace(place, units=(*above, *item.units))
    return None


def _law_at(here: ReferenceContext) -> tuple[Law, frozenset[str]]:
    """The law that この法律 and a bare 第三条 speak of at a place, and all URNs of the law of its document.

    A supplementary provision of an amending law speaks of that law, not of the one it is printed with.
    """
    root = here.index.root
    own = frozenset((here.index.corpus_urn, *(alias for alias in root.aliases if alias.startswith("urn:lex:"))))
    inside = next((node for node in here.index.chain(here.node) if node.level == "supplementary"), None)
    amending = inside.tags.get("supplementary_provision", "original") if inside else "original"
    if amending == "original":
        return Law(here.index.corpus_urn, root.heading, role="own"), own
    return law_of_number(amending) or _NOWHERE, own


@dataclass(slots=True)
class _State:
    """What 同法, 同条, 同項 and 同号 speak of."""

    law: Law | None = None
    # With whether the reading was certain; `inner` was named in a bracket that is closed again.
    places: dict[Level, tuple[Place, bool]] = field(default_factory=lambda: {})
    inner: dict[Level, tuple[Place, bool]] = field(default_factory=lambda: {})

    def copy(self) -> _State:
        return _State(self.law, dict(self.places), dict(self.inner))


class Resolver:
    """Resolves the items of one text.

    Args:
        here: the place the text is in; None for a question.
        brackets: of the text; what a bracket names is not what 同項 after it speaks of.
    """

    def __init__(self, here: ReferenceContext | None, brackets: Brackets) -> None:
        self._here = Surroundings(here) if here is not None else None
        self._brackets = brackets
        self._state = _State()
        self._outer: list[tuple[int, _State]] = []  # end of an open bracket, and the state around it
        self._next_bracket = 0
        self._amends = False

    def references(self, text: str, items: list[Item]) -> list[FoundReference]:
        """The references that the items are, in order; lists and ranges are one reference each.

        Args:
            text: the text as it is, of the same length as the folded one.
            items: as `japanese_reader.items` gives them.
        """
        self._amends = "改正規定" in text
        targets = self.targets(items)
        groups: list[list[int]] = []
        for index, item in enumerate(items):
            if index and item.joined == index - 1 and not item.apart:
                groups[-1].append(index)
            else:
                groups.append([index])
        found = (self._reference(text, [(items[at], targets[at]) for at in group]) for group in groups)
        return [reference for reference in found if reference is not None]

    def targets(self, items: list[Item]) -> list[Places]:
        """What each item was read as, in order; ask once for one text."""
        targets: list[Places] = []
        for item in items:
            self._enter(item.start)
            before = targets[item.joined] if item.joined >= 0 else None
            around = targets[item.within] if item.within >= 0 else None
            targets.append(self._read(item, before, around))
            self._remember(item, targets[-1])
        return targets

    def _reference(self, text: str, group: list[tuple[Item, Places]]) -> FoundReference | None:
        kept = [(item, target) for item, target in group if self._is_shown(item, target)]
        if not kept:
            return None
        spans: list[Span] = []
        targets: list[Target] = []
        for item, places in kept:
            urns = [place.urn for place in places.places] or [""]
            targets += [Target(urn, places.kind, places.confident) for urn in urns]
            ends = (Span(item.start, item.end, range="start"), Span(item.start, item.end, range="end"))
            spans += ends if len(urns) == 2 else [item]
        return reference_of(text, kept[0][0].start, kept[-1][0].end, spans, targets)

    def _is_shown(self, item: Item, target: Places) -> bool:
        if item.of == "law" and item.naming is not None and item.naming.end == item.end and not target.places:
            return False
        if not item.ordinal and item.naming is None and not target.places:
            return False  # "adds four articles"
        # What is in quotation marks is words of another provision: 「前項」とあるのは「次項」とする.
        if item.quoted and (item.naming is None or item.naming.law.role == "own"):
            return False
        return self._here is not None or target.kind != "relative"

    # State

    def _enter(self, start: int) -> None:
        """Open and close the brackets up to a place."""
        pairs = self._brackets.pairs
        while self._next_bracket < len(pairs) and pairs[self._next_bracket][0] < start:
            first, last = pairs[self._next_bracket]
            self._leave(first)
            self._outer.append((last, self._state))
            self._state = self._state.copy()
            self._next_bracket += 1
        self._leave(start)

    def _leave(self, start: int) -> None:
        while self._outer and self._outer[-1][0] < start:
            _, outer = self._outer.pop()
            outer.inner = dict(self._state.places)
            # A law is named once, often in brackets after its own words.
            outer.law = self._state.law or outer.law
            self._state = outer

    def _remember(self, item: Item, target: Places) -> None:
        if item.quoted:
            return
        if item.naming is not None:
            self._state.law = item.naming.law
        if item.of == "law":
            return
        place = target.places[-1] if target.places else Place(_NOWHERE, "", item.units)
        # 同項 speaks of the last paragraph named, whatever article was named since.
        levels: tuple[Level, ...] = ("container", "art", "par", "item")
        for level in levels:
            # 第二項 of this article names no article: 同条 speaks of the one named before.
            if level == item.of or any(one == level for one, _ in item.units):
                self._state.places[level] = place, target.confident

    # Reading

    def _read(self, item: Item, before: Places | None, around: Places | None) -> Places:
        if item.head in ("前", "次") or (item.head == "この" and item.of != "law"):
            return self._here.near(item) if self._here is not None else _UNREAD
        if item.head == "同" and item.of != "law":
            return self._same(item)
        law = self._named(item)
        if item.of == "law":
            return self._whole_law(item, law)
        if law is None and before is not None and before.places:
            other = before.places[-1].law
            if item.of == "sup" and other.role != "own" and other.urn:
                # A law's article and 附則 in one list: most likely that law's.
                return self._checked(Place(other, supplement_urn(other.urn, item), item.units[1:]), "explicit", False)
            place = inherited(item, before)
            if place is not None:
                return self._checked(place, before.kind, before.confident)
        if law is None and around is not None and around.places and (place := below(item, around.places[-1])):
            return self._checked(place, around.kind, around.confident)
        if law is None:
            return self._unnamed(item)
        if not law.urn:
            return Places((Place(law, "", item.units),), "external", law.certain)
        base = supplement_urn(law.urn, item) if item.of == "sup" else law.urn
        units = item.units[1:] if item.of == "sup" else item.units
        sure = item.of != "container" and not (item.of in ("table", "style") and not item.units[0][1])
        # 附則第二項 of a law has the URN of 附則第二条 of one whose supplementary provision has articles.
        sure = sure and not (item.of == "sup" and units[:1] and units[0][0] == "par")
        return self._checked(Place(law, base, units), "explicit", law.certain and sure)

    def _named(self, item: Item) -> Law | None:
        """The law that an item names; own law by the URN it has here. None where it names none."""
        if item.same_law or (item.head == "同" and item.of == "law"):
            return self._state.law or _NOWHERE
        if item.head == "この" and item.of == "law":
            return self._here.law if self._here is not None else None
        law = item.naming.law if item.naming else None
        if law is not None and law.role == "own":
            return replace(self._here.law, certain=law.certain) if self._here is not None else None
        if law is not None and self._here is not None and law.urn in self._here.own_urns:
            return replace(law, urn=self._here.corpus_urn)
        return law

    def _whole_law(self, item: Item, law: Law | None) -> Places:
        if law is None or law is _NOWHERE:
            return _UNREAD
        kind: ReferenceKind = "relative" if item.head == "この" else "explicit" if law.urn else "external"
        return Places((Place(law, law.urn),), kind, law.certain)

    def _unnamed(self, item: Item) -> Places:
        """A provision of the law that the text is in."""
        here = self._here
        if here is None or not item.ordinal:
            return _UNREAD
        if item.of == "sup":
            return here.checked(Place(OWN, here.supplement(item), item.units[1:]), "explicit")
        if item.of == "container":
            return here.container(item)
        if item.of in ("table", "style"):
            return here.appended(item)
        # An amending law's dates of entry into force speak of the law it amends, too.
        sure = here.law.urn == here.corpus_urn or not self._amends
        if item.of == "art":
            return here.checked(Place(here.law, here.law.urn, item.units), "explicit", sure)
        target = here.from_here(item)
        return replace(target, confident=target.confident and sure)

    def _same(self, item: Item) -> Places:
        """同条第二項: the last article named, and a unit of it."""
        named = self._state.places.get(item.of)
        last = named or self._state.inner.get(item.of)
        if last is None:
            return _UNREAD
        place, confident = last[0].up_to(item.of) or last[0], last[1] and named is not None
        if item.of == "container":
            return Places((place,), "relative", confident) if len(item.units) == 1 else _UNREAD
        kind: ReferenceKind = "relative"
        if self._here is None:
            kind = "explicit" if place.base else "external" if place.law is not _NOWHERE else "relative"
        elif not place.base:
            kind = "external"
        return self._checked(replace(place, units=(*place.units, *item.units)), kind, confident and place.law.certain)

    def _checked(self, place: Place, kind: ReferenceKind, confident: bool = True) -> Places:
        if self._here is not None:
            return self._here.checked(place, kind, confident)
        return Places((place,), kind if place.base else "external", confident)
