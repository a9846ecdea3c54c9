"""From a citation taken apart to URNs: in the law it names, or from the place it is in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rag.jurisdictions.de.acts import Act, read_act
from rag.jurisdictions.de.naming import compact, read_heading
from rag.jurisdictions.de.reader import LAST, TOP, Citation
from rag.jurisdictions.grammar.kernel import OTHER, UNREAD, Span, Target, Units, reference_of
from rag.law.jurisdiction import FoundReference, ReferenceContext
from rag.law.nodes import CITING_TYPES, ParsedNode
from rag.law.patterns import lazy
from retrieval.errors import InputError

UNSEEN = frozenset({"satz", "uabs"})  # finer than any node of a German law


def _level(node: ParsedNode) -> str:
    """What German law calls a node's level, whatever its publisher's format does."""
    if node.structure_type == "ARTICLE":
        return "artikel"
    if node.structure_type in CITING_TYPES:
        return "paragraph" if node.level in ("section", "paragraph") else node.level
    if node.level in ("paragraph", "subsection"):
        return "nummer" if node.urn.rpartition(":")[2].startswith("nr.") else "absatz"
    return "nummer" if node.level in ("item", "point") else node.level


def below(urn: str, *designators: str) -> str:
    """The URN of a provision below another; empty where a designator has nothing citable."""
    try:
        return ":".join((urn, *(compact(designator) for designator in designators))) if urn else ""
    except InputError:
        return ""


class Resolver:
    """Resolves the citations of one text.

    Args:
        here: the place the text is in; None for a question.
    """

    def __init__(self, here: ReferenceContext | None) -> None:
        self._here = here
        self._law = here.index.corpus_urn if here else ""
        self._article = ""  # the Artikel that a "§" of the same chain lies in: "Artikel 247 § 13 und § 13b"

    def reference(self, text: str, one: Citation) -> FoundReference | None:
        """The reference that a citation is; None where it needs a place and there is none."""
        first = one.reading.items[0].path
        if not (one.joined and first[0][0] == "§"):
            self._article = first[0][1] if first[0][0] == "artikel" and len(first) > 1 and first[1][0] == "§" else ""
        targets = [self._target(one, item.path) for item in one.reading.items]
        union = one.act is not None and one.act.role == "european"
        sure = all(item.sure and (union or not item.lettered) for item in one.reading.items)
        found = reference_of(text, one.start, one.end, one.reading.items, targets, certain=sure)
        return None if found.kind == "relative" and self._here is None else found

    def _target(self, one: Citation, path: Units) -> Target:
        act = one.act
        if act is None or act.role == "own":
            edition = act is not None and act.edition
            target = self._relative(path, explicit=act is not None and not edition)
            return replace(target, confident=target.confident and not edition)
        # "Nummer 3 der Verordnung (EU) ..." names no unit that has a URN.
        if act.role == "external" or one.reading.sign not in TOP:
            return OTHER
        return self._european(act, path) if act.role == "european" else self._german(act, path)

    def _european(self, act: Act, path: Units) -> Target:
        units = [unit for unit, _ in path]
        if units[0] != "artikel" or "§" in units:
            return OTHER
        if ("uabs", LAST) in path:
            return Target(below(act.urn, *(number for _, number in path[:2])), "explicit", confident=False)
        # The first Unterabsatz is what the number of its Absatz stands for.
        numbers = (
            f"sub.{number}" if unit == "uabs" else number
            for unit, number in path
            if unit != "satz" and (unit, number) != ("uabs", "1")
        )
        return Target(below(act.urn, *numbers), "explicit", act.sure and not act.edition)

    def _german(self, act: Act, path: Units) -> Target:
        law = act.law
        if law is None:
            return OTHER
        sign, _ = path[0]
        if sign == "§" and law.sign == "artikel" and self._article:
            sign, path = "artikel", (("artikel", self._article), *path)
        if act.sure and sign != law.sign and sign != "anlage":
            # "Art. 12 StGB" is Switzerland's; "§ 6 EGBGB" lacks its Artikel.
            return OTHER
        confident = act.sure and not act.edition
        if act.urn == self._law and self._here is not None:
            found = self._within(path, named=True)
            return Target(found.urn, "explicit", found.confident and confident) if found.urn else UNREAD
        return Target(constructed(act.urn, path), "explicit", confident and not unseen_part(path))

    def _relative(self, path: Units, *, explicit: bool) -> Target:
        if self._here is None:
            return UNREAD
        if path[0][0] in TOP:
            found = self._within(path, named=explicit)
            return Target(found.urn, "explicit" if explicit and found.urn else found.kind, found.confident)
        return self._from_here(path)

    # In the law that the text is in

    def _within(self, path: Units, *, named: bool) -> Target:
        """A §, Artikel or Anlage of this law, by what its nodes are called."""
        here = self._here
        if here is None:
            return UNREAD
        sign, number = path[0]
        if sign == "§" and self._article:
            sign, number, path = "artikel", self._article, (("artikel", self._article), *path)
        level = {"§": "paragraph", "artikel": "artikel", "anlage": "anlage"}[sign]
        short = {"§": "par", "artikel": "art", "anlage": "anlage"}[sign]
        bases = [node.urn for node in here.index.chain(here.node) if node.level in ("artikel", "anlage", "anhang")]
        wanted = [below(base, f"{short}.{number}") for base in bases]
        wanted += [
            below(self._law, number),
            below(self._law, f"{short}.{number}"),
            below(self._law, f"anhang.{number}"),
        ]
        for urn in wanted:
            node = here.index.node(urn) if urn else None
            if node is not None and (_level(node) == level or (sign == "anlage" and node.level == "anhang")):
                target = self._descend(node, path[1:])
                # An Anhang holds other law: what "Artikel 3" means there is not said.
                foreign = (
                    not named
                    and sign != "anlage"
                    and any(node.level == "anhang" for node in here.index.chain(here.node))
                )
                return replace(target, confident=target.confident and not foreign)
        levels = (_level(node) for node in here.index.tree.nodes)
        main = next((level for level in levels if level in ("paragraph", "artikel")), "paragraph")
        if level != main:
            # A law of §§ that names an Artikel means another law, and the other way round.
            return OTHER if sign != "anlage" else UNREAD
        return Target(constructed(self._law, path), "relative", confident=False)

    def _descend(self, node: ParsedNode, path: Units) -> Target:
        """Go down from a provision as far as its nodes go; a unit that should be a node and is none is uncertain."""
        here = self._here
        if here is None:
            return UNREAD
        confident = True
        second = False
        for position, (unit, value) in enumerate(path):
            if unit in UNSEEN:
                second = value not in ("1", "")
                confident = confident and not (unit == "uabs" and second)
                continue
            child = self._child(node, unit, value)
            if child is None:
                return Target(_constructed_below(node.urn, node.level, path[position:]), "relative", confident=False)
            # Where an Absatz has a list in more than one Satz, the number alone does not tell which is meant.
            if (
                unit == "nr"
                and second
                and any(child.level == "textteil" for child in here.index.tree.children(node.urn))
            ):
                confident = False
            node = child
        return Target(node.urn, "relative", confident)

    def _child(self, node: ParsedNode, unit: str, value: str) -> ParsedNode | None:
        here = self._here
        if here is None:
            return None
        level = {"§": "paragraph", "abs": "absatz", "nr": "nummer"}.get(unit, "")
        for name in {"§": (f"par.{value}",), "nr": (f"nr.{value}", value)}.get(unit, (value,)):
            child = here.index.node(below(node.urn, name))
            if child is not None and _level(child) == (level or _level(child)):
                return child
        return None

    def _from_here(self, path: Units) -> Target:
        """A unit named without its §: looked for in the provisions around this place, nearest first."""
        here = self._here
        if here is None:
            return UNREAD
        section = here.index.section(here.node)
        if section is None:
            return UNREAD
        unit = path[0][0]
        chain = [node for node in here.index.chain(here.node) if len(node.urn) >= len(section.urn)]
        if unit == "satz":
            absatz = next((node for node in chain if _level(node) == "absatz"), section)
            return self._descend(absatz, path)
        for node in [section] if unit == "abs" else chain:
            if self._child(node, unit, path[0][1]) is not None:
                return self._descend(node, path)
        # "Nummer 3" of the only other Absatz that has one.
        others = [
            child for child in here.index.tree.children(section.urn) if self._child(child, unit, path[0][1]) is not None
        ]
        return replace(self._descend(others[0], path), confident=False) if len(others) == 1 else UNREAD


def unseen_part(path: Units) -> bool:
    """Whether a Nummer of a later Satz is named (an Absatz with two lists has two of that number), or a later
    Unterabsatz, which German laws hardly ever have.
    """
    units = [unit for unit, _ in path]
    if dict(path).get("uabs", "1") != "1":
        return True
    return "satz" in units and units[-1] != "satz" and dict(path)["satz"] != "1"


def constructed(law: str, path: Units) -> str:
    """The URN of a provision of a law that is not at hand."""
    sign, number = path[0]
    return _constructed_below(below(law, f"anlage.{number}" if sign == "anlage" else number), sign, path[1:])


def _constructed_below(urn: str, level: str, path: Units) -> str:
    direct = level in ("§", "artikel", "paragraph", "anlage", "anhang")
    for unit, value in path:
        if unit in UNSEEN:
            continue
        name = f"par.{value}" if unit == "§" else f"nr.{value}" if unit == "nr" and direct else value
        urn = below(urn, name)
        direct = unit == "§"
    return urn


# Places named without a number of their own law: "dieses Titels", "der vorstehende Absatz", "Abschnitt 3".

# The written forms of a kind of unit -> the level of the nodes.
_CONTAINERS = {
    "buch": r"Buch(?:e?s|e)?|Bücher[n]?", "teil": r"Teil(?:e?s|e)?", "hauptstück": r"Hauptstück(?:e?s|e)?",
    "abschnitt": r"Abschnitt(?:e?s|e)?", "unterabschnitt": r"Unterabschnitt(?:e?s|e)?", "titel": r"Titels?",
    "untertitel": r"Untertitels?", "kapitel": r"Kapitels?", "unterkapitel": r"Unterkapitels?",
}  # fmt: skip
_UNITS = {
    "section": r"Vorschrift(?:en)?|Paragra(?:ph|f)(?:en)?|Artikels?|Anlage|Bestimmung(?:en)?",
    "absatz": r"Absatz(?:es)?",
    "gesetz": r"(?:Bundes|Landes|Stammes|Grund)?[Gg]esetz(?:es|buch(?:e?s)?)?|Verordnung|Satzung",
}
_KINDS = "|".join(f"(?P<{name}>{words})" for name, words in (_CONTAINERS | _UNITS).items())
_THIS = lazy(rf"(?<!\w)[Dd]ies(?:es|er|em|en|e(?=\s+(?:Verordnung|Satzung)))\s{{1,4}}(?:{_KINDS})(?![\w-])")
_ORDINAL = (
    r"(?:[Ee]rste|[Zz]weite|[Dd]ritte|[Vv]ierte|[Ff]ünfte|[Ss]echste|[Ss]iebe?n?te|[Aa]chte|[Nn]eunte|[Zz]ehnte|"
    r"[Ee]lfte|[Zz]wölfte)[nsmr]?"
)
_NUMBERED = lazy(
    rf"(?<![\w-])(?:(?P<ordinal>{_ORDINAL})\s{{1,4}})?(?P<kind>{'|'.join(_CONTAINERS.values())})(?:\s{{1,4}}"
    r"(?P<number>\d{1,3}[a-z]?|[IVXL]{1,6}[a-z]?)(?![\w/]|\.\d))?(?![\w-])"
)
_BEFORE = lazy(
    r"(?<!\w)(?:[Vv]orstehend|[Vv]orhergehend|[Vv]orangehend|[Vv]orig)e[nmrs]?\s{1,4}(?:(?P<absatz>Absatz(?:es)?)|"
    r"(?P<all>Absätzen?)|(?P<unit>Paragra(?:ph|f)(?:en)?|Artikels?))(?!\w)"
)


def places(text: str, here: ReferenceContext) -> Iterator[FoundReference]:
    """The places of the own law that a text names; what is not found there is left to other readings."""
    for match in _THIS.finditer(text):
        node = _this(match, here)
        if node is not None:
            yield _found(text, match.start(), match.end(), [node])
    for match in _BEFORE.finditer(text):
        nodes = _before(match, here)
        if nodes:
            yield _found(text, match.start(), match.end(), nodes)
    for match in _NUMBERED.finditer(text):
        if not match["ordinal"] and not match["number"]:
            continue
        act = read_act(text, match.end())
        if act is not None and act.role != "own":
            continue
        node = _numbered(match, here)
        if node is not None:
            yield _found(text, match.start(), match.end(), [node])


def _found(text: str, start: int, end: int, nodes: list[ParsedNode]) -> FoundReference:
    ends = [Span(start, end)] if len(nodes) == 1 else [Span(start, end, range="start"), Span(start, end, range="end")]
    targets = [Target(node.urn, "relative") for node in (nodes[0], nodes[-1])[: len(ends)]]
    return reference_of(text, start, end, ends, targets)


def _this(match: re.Match[str], here: ReferenceContext) -> ParsedNode | None:
    kind = match.lastgroup or ""
    if kind == "gesetz":
        # A Gesetz that says "diese Verordnung" speaks of one that it has named.
        title = here.index.title.casefold()
        other = match[kind] in ("Verordnung", "Satzung") and "gesetz" in title and match[kind].casefold() not in title
        return None if other else here.index.root
    node = here.index.nearest(here.node, kind)
    # The Buch that a law calls itself: "dieses Buches" in the Sozialgesetzbuch.
    if node is None and kind == "buch" and here.index.corpus_urn.startswith("urn:lex:de:sgb-"):
        return here.index.root
    return node


def _before(match: re.Match[str], here: ReferenceContext) -> list[ParsedNode]:
    """The sibling before this place, or all of them for "die vorstehenden Absätze"."""
    one = here.index.section(here.node) if match["unit"] else here.index.nearest(here.node, "absatz")
    parent = here.index.tree.parent(one) if one is not None else None
    if one is None or parent is None:
        return []
    siblings = [node for node in here.index.tree.children(parent.urn) if node.level == one.level]
    earlier = siblings[: siblings.index(one)]
    return earlier if match["all"] else earlier[-1:]


def _numbered(match: re.Match[str], here: ReferenceContext) -> ParsedNode | None:
    """The container of this kind and number, in the nearest container that has one."""
    kind = next(level for level, words in _CONTAINERS.items() if re.fullmatch(words, match["kind"]))
    number = match["number"] or ""
    if match["ordinal"]:
        number = read_heading(f"{match['ordinal'].capitalize()} {kind.capitalize()}").number
    for node in here.index.chain(here.node)[1:]:
        found = here.index.numbered(kind, number, node)
        if found is not None:
            return found
    return None
