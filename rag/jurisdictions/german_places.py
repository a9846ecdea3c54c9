"""Places named without a number of their own law: "dieses Titels", "der vorstehende Absatz", "Abschnitt 3"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.ingest.formats.german import read_heading
from rag.ingest.nodes import ParsedNode
from rag.jurisdictions.base import FoundReference, ReferenceContext, ReferencePart
from rag.jurisdictions.german_acts import read_act

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
_THIS = re.compile(rf"(?<!\w)[Dd]ies(?:es|er|em|en|e(?=\s+(?:Verordnung|Satzung)))\s{{1,4}}(?:{_KINDS})(?![\w-])")
_ORDINAL = (
    r"(?:[Ee]rste|[Zz]weite|[Dd]ritte|[Vv]ierte|[Ff]ünfte|[Ss]echste|[Ss]iebe?n?te|[Aa]chte|[Nn]eunte|[Zz]ehnte|"
    r"[Ee]lfte|[Zz]wölfte)[nsmr]?"
)
_NUMBERED = re.compile(
    rf"(?<![\w-])(?:(?P<ordinal>{_ORDINAL})\s{{1,4}})?(?P<kind>{'|'.join(_CONTAINERS.values())})(?:\s{{1,4}}"
    r"(?P<number>\d{1,3}[a-z]?|[IVXL]{1,6}[a-z]?)(?![\w/]|\.\d))?(?![\w-])"
)
_BEFORE = re.compile(
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
    if len(nodes) == 1:
        parts = (ReferencePart(start, end, nodes[0].urn),)
    else:
        parts = (ReferencePart(start, end, nodes[0].urn, "start"), ReferencePart(start, end, nodes[-1].urn, "end"))
    return FoundReference(start, end, text[start:end], parts, "relative", confident=True)


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
    for one in here.index.chain(here.node)[1:]:
        found = here.index.numbered(kind, number, one)
        if found is not None:
            return found
    return None
