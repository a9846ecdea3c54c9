"""From Japanese provisions as written to URNs: in the law they name, or from the place they stand in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rag.jurisdictions.jp.grammar import Item, Level
from rag.jurisdictions.jp.laws import OWN, Law
from rag.jurisdictions.jp.places import NOWHERE, UNREAD, Place, Surroundings, Target, below, inherited, supplement_urn
from rag.jurisdictions.jp.reader import Brackets
from rag.law.jurisdiction import FoundReference, ReferenceContext, ReferenceKind, ReferencePart


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
        here: the place the text stands in; None for a question.
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
        return [one for one in found if one is not None]

    def targets(self, items: list[Item]) -> list[Target]:
        """What each item was read as, in order; ask once for one text."""
        targets: list[Target] = []
        for item in items:
            self._enter(item.start)
            before = targets[item.joined] if item.joined >= 0 else None
            around = targets[item.within] if item.within >= 0 else None
            targets.append(self._read(item, before, around))
            self._remember(item, targets[-1])
        return targets

    def _reference(self, text: str, group: list[tuple[Item, Target]]) -> FoundReference | None:
        kept = [(item, target) for item, target in group if self._is_shown(item, target)]
        if not kept:
            return None
        parts: list[ReferencePart] = []
        for item, target in kept:
            urns = [one.urn for one in target.places] or [""]
            if len(urns) == 2:
                parts.append(ReferencePart(item.start, item.end, urns[0], "start"))
                parts.append(ReferencePart(item.start, item.end, urns[1], "end"))
            else:
                parts.append(ReferencePart(item.start, item.end, urns[0], item.range))
        start, end = kept[0][0].start, kept[-1][0].end
        kinds = {target.kind for _, target in kept}
        kind: ReferenceKind = "relative" if "relative" in kinds else "explicit" if "explicit" in kinds else "external"
        confident = all(target.confident for _, target in kept)
        return FoundReference(start, end, text[start:end], tuple(parts), kind, confident)

    def _is_shown(self, item: Item, target: Target) -> bool:
        if item.of == "law" and item.naming is not None and item.naming.end == item.end and not target.places:
            return False
        if not item.ordinal and item.naming is None and not target.places:
            return False  # "adds four articles"
        # What stands in quotation marks is words of another provision: 「前項」とあるのは「次項」とする.
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

    def _remember(self, item: Item, target: Target) -> None:
        if item.quoted:
            return
        if item.naming is not None:
            self._state.law = item.naming.law
        if item.of == "law":
            return
        place = target.places[-1] if target.places else Place(NOWHERE, "", item.units)
        # 同項 speaks of the last paragraph named, whatever article was named since.
        levels: tuple[Level, ...] = ("container", "art", "par", "item")
        for level in levels:
            # 第二項 of this article names no article: 同条 speaks of the one named before.
            if level == item.of or any(one == level for one, _ in item.units):
                self._state.places[level] = place, target.confident

    # Reading

    def _read(self, item: Item, before: Target | None, around: Target | None) -> Target:
        if item.head in ("前", "次") or (item.head == "この" and item.of != "law"):
            return self._here.near(item) if self._here is not None else UNREAD
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
            return Target((Place(law, "", item.units),), "external", law.certain)
        base = supplement_urn(law.urn, item) if item.of == "sup" else law.urn
        units = item.units[1:] if item.of == "sup" else item.units
        sure = item.of != "container" and not (item.of in ("table", "style") and not item.units[0][1])
        # 附則第二項 of a law has the URN of 附則第二条 of one whose supplementary provision has articles.
        sure = sure and not (item.of == "sup" and units[:1] and units[0][0] == "par")
        return self._checked(Place(law, base, units), "explicit", law.certain and sure)

    def _named(self, item: Item) -> Law | None:
        """The law that an item names; own law by the URN it has here. None where it names none."""
        if item.same_law or (item.head == "同" and item.of == "law"):
            return self._state.law or NOWHERE
        if item.head == "この" and item.of == "law":
            return self._here.law if self._here is not None else None
        law = item.naming.law if item.naming else None
        if law is not None and law.role == "own":
            return replace(self._here.law, certain=law.certain) if self._here is not None else None
        if law is not None and self._here is not None and law.urn in self._here.own_urns:
            return replace(law, urn=self._here.corpus_urn)
        return law

    def _whole_law(self, item: Item, law: Law | None) -> Target:
        if law is None or law is NOWHERE:
            return UNREAD
        kind: ReferenceKind = "relative" if item.head == "この" else "explicit" if law.urn else "external"
        return Target((Place(law, law.urn),), kind, law.certain)

    def _unnamed(self, item: Item) -> Target:
        """A provision of the law that the text stands in."""
        here = self._here
        if here is None or not item.ordinal:
            return UNREAD
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

    def _same(self, item: Item) -> Target:
        """同条第二項: the last article named, and a unit of it."""
        named = self._state.places.get(item.of)
        last = named or self._state.inner.get(item.of)
        if last is None:
            return UNREAD
        place, confident = last[0].up_to(item.of) or last[0], last[1] and named is not None
        if item.of == "container":
            return Target((place,), "relative", confident) if len(item.units) == 1 else UNREAD
        kind: ReferenceKind = "relative"
        if self._here is None:
            kind = "explicit" if place.base else "external" if place.law is not NOWHERE else "relative"
        elif not place.base:
            kind = "external"
        return self._checked(replace(place, units=(*place.units, *item.units)), kind, confident and place.law.certain)

    def _checked(self, place: Place, kind: ReferenceKind, confident: bool = True) -> Target:
        if self._here is not None:
            return self._here.checked(place, kind, confident)
        return Target((place,), kind if place.base else "external", confident)
