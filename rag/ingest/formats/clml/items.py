"""The order inside an element of CLML: which parts are provisions of their own, and the words between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from rag.ingest.formats.clml import levels
from rag.ingest.formats.clml.text import QUOTED_BLOCKS, left_out, list_items, written
from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.formats.xml_text import Rich

# What of an element is its number and heading, and so is not among its words.
HEADERS = {
    **dict.fromkeys(levels.CONTAINERS, frozenset({"Number", "Title", "Subtitle"})),
    **dict.fromkeys(("Schedule", "Appendix", "Attachment"), frozenset({"Number", "TitleBlock", "Title"})),
    **dict.fromkeys(("Schedules", "Attachments", *levels.GROUPS), frozenset({"Title"})),
    **dict.fromkeys(("P1", *levels.NUMBERED), frozenset({"Pnumber"})),
    "Division": frozenset({"Number", "Title"}),
    "Form": frozenset({"Number"}),
}
_WRAPPERS = frozenset({f"P{level}para" for level in range(1, 8)} | {"ScheduleBody", "AppendixBody", "Body", "EUBody"})
# What is text as a whole: lists that are none of provisions are printed, and quoted text is another law's.
_OPAQUE = QUOTED_BLOCKS | {"table", "KeyList", "UnorderedList", "OrderedList"}
_OUTSIDE = {"ExplanatoryNotes": "explanatory notes", "EarlierOrders": "notes on earlier orders", "Contents": "contents"}


class Items:
    """Reads elements as sequences of provisions and text, and counts what is left out on the way.

    Args:
        footnotes: the document's footnotes by id.
        citations: the document's citations by id.
    """

    def __init__(self, footnotes: Mapping[str, Element], citations: Mapping[str, Element]) -> None:
        self.left_out: Counter[str] = Counter()
        self.designators: dict[Element, str] = {}  # of the list items that were read as provisions
        self._footnotes, self._citations = footnotes, citations

    def items(self, element: Element) -> Iterator[Element | Rich]:
        """The provisions in an element and the words between them, in order."""
        run: list[Element | str] = [element.text or ""]
        for part in self._flattened(element):
            if isinstance(part, str) or not _is_provision(part):
                run.append(part)
                continue
            text = self.render(run)
            if text.text:
                yield text
            yield part
            run = []
        text = self.render(run)
        if text.text:
            yield text

    def _flattened(self, element: Element) -> Iterator[Element | str]:
        skipped = HEADERS.get(local(element), frozenset[str]())
        for part in element:
            name = local(part)
            if name in _OUTSIDE:
                self.left_out[_OUTSIDE[name]] += 1
            elif name in skipped:
                yield ""  # headings are read as headings
            elif name in ("OrderedList", "UnorderedList") and levels.makes_nodes(part):
                self.designators.update(list_items(part))
                yield from part
            elif name in _WRAPPERS or (name not in levels.MAKERS and name not in _OPAQUE and _holds(part)):
                yield part.text or ""
                yield from self._flattened(part)
            else:
                yield part
            yield part.tail or ""

    def render(self, run: list[Element | str] | list[Element]) -> Rich:
        """The words of a run of elements and strings as one text."""
        if all(isinstance(part, str) and not part.strip() for part in run):
            return Rich()
        text = written(run, self._footnotes, self._citations)
        self.left_out.update(left_out(text))
        return text

    def header(self, element: Element, name: str) -> str:
        """The words of the direct children of this name, in one line; empty where there are none."""
        parts = [part for part in element if local(part) == name]
        return collapse(self.render(parts).text) if parts else ""


def _is_provision(part: Element) -> bool:
    return local(part) in levels.MAKERS


def _holds(element: Element) -> bool:
    """Whether provisions stand inside a wrapper that is none itself; quoted text does not count."""
    stack = list(element)
    while stack:
        part = stack.pop()
        name = local(part)
        if name in _OPAQUE:
            if name in ("UnorderedList", "OrderedList") and levels.makes_nodes(part):
                return True
            continue
        if name in levels.MAKERS:
            return True
        stack.extend(part)
    return False


def elements_by_id(root: Element, *names: str) -> dict[str, Element]:
    """The elements of these names by their id."""
    wanted = [f"{{*}}{name}" for name in names]
    return {found.get("id", ""): found for found in root.iter(*wanted) if found.get("id")}
