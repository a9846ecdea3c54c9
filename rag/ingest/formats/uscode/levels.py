"""The levels of United States Legislative Markup: their names and types, and how their numbers run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from rag.ingest.formats.uscode import text as words
from rag.ingest.formats.uscode.notes import first
from rag.ingest.formats.xml import Element, collapse, local
from rag.ingest.formats.xml_text import Rich
from rag.law.nodes import ParsedNode
from retrieval.paths import slug

RULES = frozenset({"section", "courtRule"})
LEVELS = RULES | frozenset(
    {"article", "preliminary", "title", "subtitle", "chapter", "subchapter", "part", "subpart", "division",
     "subdivision", "subarticle", "level", "appendix", "schedule", "compiledAct", "courtRules", "reorganizationPlans",
     "reorganizationPlan", "presidentialDocs", "presidentialDoc", "subsection", "paragraph", "subparagraph", "clause",
     "subclause", "item", "subitem", "subsubitem"}
)  # fmt: skip
TYPES = {
    "title": "TITLE", "subtitle": "TITLE", "chapter": "CHAPTER", "subchapter": "CHAPTER", "subsection": "SUBSECTION",
    "paragraph": "PARAGRAPH", "subparagraph": "SUBPARAGRAPH", "clause": "CLAUSE",
}  # fmt: skip
PARAGRAPHS = frozenset(
    {"subsection", "paragraph", "subparagraph", "clause", "subclause", "item", "subitem", "subsubitem"}
)
CITED = {"article": "ARTICLE", "appendix": "APPENDIX", "schedule": "APPENDIX"}
NUMBER_TAGS = {"article": "article_number", "courtRule": "rule_number", "appendix": "appendix", "schedule": "schedule"}
# Acts, rules and plans printed together in one title: each numbers its sections anew.
OWN_NUMBERS = frozenset({"compiledAct", "courtRules", "reorganizationPlan", "presidentialDoc"})
HEADERS = frozenset({"num", "heading", "subheading"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What distinguishes one kind of document from another.

    Attributes:
        root: the document's root node, not yet given its text.
        numbers: the URN below which sections are numbered.
        tags: of every section.
        law: usc, cfr or act.
        running: container levels whose numbers run through the corpus, so that their URN follows `numbers`.
        edition: the publication's date; later dates in a history are not believed.
        enacted: first day in force of every node; None where each section states its own history.
        identifier: what the publisher's identifiers in this document begin with.
        appendix: whether it is an appendix of the U.S. Code, which prints several acts.
    """

    root: ParsedNode
    numbers: str
    tags: dict[str, str]
    law: str
    running: frozenset[str]
    edition: date | None
    enacted: date | None
    identifier: str
    appendix: bool = False


def number(element: Element) -> str:
    """The designator of a level; empty where it has none."""
    num = first(element, "num")
    return "" if num is None else words.designator(num)


def level_name(element: Element) -> str:
    """The publication's own word for a level: `subchapter`, `court rule`, `subjgrp` as the eCFR has it."""
    name = local(element)
    if name != "level":
        return words.spoken(name)
    if "SUBJGRP" in (element.get("style") or ""):
        return "subjgrp"
    return words.spoken(((element.get("role") or name).split() or [name])[0])


class Survey:
    """What has to be known of all levels before the first URN is given.

    Attributes:
        numbers: how often each section, and each container whose number runs through the corpus, occurs by URN.
        holding: the levels that hold sections.

    Args:
        read: the words of an element.
    """

    def __init__(self, plan: Plan, read: Callable[[Element], Rich]) -> None:
        self.numbers: Counter[str] = Counter()
        self.holding: set[Element] = set()
        self._plan, self._read = plan, read

    def add(self, elements: list[Element]) -> None:
        """Survey these levels and all below them."""
        waiting = [(element, self._plan.numbers) for element in elements]
        while waiting:
            element, base = waiting.pop()
            name = local(element)
            if name not in LEVELS or name in PARAGRAPHS:
                continue
            own = words.citable(number(element))
            if name in RULES or name == "article":
                held = element.getparent()
                while held is not None and held not in self.holding:
                    self.holding.add(held)
                    held = held.getparent()
            if name in RULES:
                self.numbers[f"{base}:{own}"] += 1
                continue
            if name in self._plan.running:
                self.numbers[f"{base}:{name}_{own}"] += 1
            below = f"{base}:{self.segment(element)}" if self.restarts(element, base) else base
            waiting.extend((child, below) for child in element)

    def restarts(self, element: Element, numbers: str) -> bool:
        """Whether the sections inside a level are numbered anew; `numbers` is the URN they would be counted below."""
        outermost = self._plan.appendix and numbers == self._plan.numbers
        return local(element) in OWN_NUMBERS or (outermost and local(element) == "level")

    def heading(self, element: Element) -> str:
        """The heading of a level, subheadings included; empty where it has none."""
        parts = [self._read(part).text for part in element if local(part) in ("heading", "subheading")]
        return words.heading_text(collapse(" ".join(parts)))

    def segment(self, element: Element) -> str:
        """The URN segment of a container: its level and number, or the words of its heading."""
        own = words.citable(number(element)) or slug(self.heading(element) or "unnamed")
        return f"{slug(level_name(element))}_{own}"
