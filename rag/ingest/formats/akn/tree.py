"""The structure of an Akoma Ntoso document as drafts: which element is a container, a citing unit or a paragraph.

Publishers use the standard's names freely (a `section` holds articles in Italy, `hcontainer` is anything its name
says), so what an element is follows from what it holds. Addresses are given afterwards, when all numbers are known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rag.ingest.formats.akn.text import Words, attribute, designator
from rag.ingest.formats.xml import MAX_NESTING, Element, collapse, local
from rag.ingest.formats.xml_text import Rich, has_words, join, loose
from retrieval.errors import IngestError

CONTAINER, UNIT, INSIDE, NOTE = "container", "unit", "inside", "note"

_HIERARCHY = frozenset(
    {"alinea", "article", "book", "chapter", "clause", "crossHeading", "division", "hcontainer", "indent", "level",
     "list", "paragraph", "part", "point", "proviso", "recital", "rule", "section", "subchapter", "subclause",
     "subdivision", "sublist", "subparagraph", "subpart", "subrule", "subsection", "subtitle", "title", "tome",
     "transitional", "citation"}
)  # fmt: skip
_TRANSPARENT = frozenset(
    {"content", "intro", "wrapUp", "body", "mainBody", "judgmentBody", "recitals", "citations", "attachments",
     "components", "blockList", "list", "sublist"}
)  # fmt: skip
_STAGES = frozenset({"introduction", "background", "arguments", "remedies", "motivation", "decision"})
_HEADERS = frozenset({"num", "heading", "subheading"})
_CONTAINER_WORDS = frozenset(
    {"book", "tome", "title", "subtitle", "part", "subpart", "chapter", "subchapter", "division", "subdivision",
     "crossheading", "schedules"}
)  # fmt: skip
_UNIT_WORDS = frozenset({"article", "section", "rule", "regulation"})
_APPENDICES = frozenset({"schedule", "annex", "appendix", "attachment"})
_SHORT_NUMBER = re.compile(r"\d+[A-Za-z]{0,2}|[IVXLC]+|[A-Z]")
_LAWMAKER_LEVEL = re.compile(r"para(\d)\Z")


@dataclass(slots=True)
class Draft:
    """One node before it has an address.

    `name` is the level in the publication's word; `own` an address segment where the number is none;
    `appendix` opens a numbering of its own; `source` carries id, status and period.
    """

    role: str
    name: str
    number: str = ""
    own: str = ""
    heading: Rich = field(default_factory=Rich)
    lead: Rich = field(default_factory=Rich)
    flush: Rich = field(default_factory=Rich)
    children: list[Draft] = field(default_factory=list["Draft"])
    appendix: bool = False
    source: Element | None = None
    line: int | None = None
    printed: str = ""


class TreeReader:
    """Turns elements into drafts.

    Args:
        decision: the document is a judgment: its words outside paragraphs are paragraphs too.
    """

    def __init__(self, words: Words, name: str, *, decision: bool) -> None:
        self._words, self._name, self._decision = words, name, decision
        self.warnings: list[str] = []

    def read(self, document: Element) -> list[Draft]:
        """The drafts of a document element's parts, in order.

        Raises:
            IngestError: nested too deep, or the document has no body.
        """
        drafts: list[Draft] = []
        bodies = 0
        for part in document:
            name = local(part)
            if name == "meta":
                continue
            if name == "coverPage" and not self._decision:
                # A bill's cover repeats the title and the headings as a table of contents.
                self._words.left_out["cover page"] += bool(len(part))
            elif name in ("coverPage", "header", "preface", "preamble", "conclusions"):
                drafts.extend(self._front(part, name))
            elif name in ("attachments", "components"):
                drafts.extend(self.attached(part))
            elif name in ("body", "mainBody", "judgmentBody"):
                bodies += 1
                drafts.extend(self._body(part))
            elif has_words(part):
                raise IngestError(f"the element {name} is not expected here", file=self._name, line=part.sourceline)
        if not bodies:
            raise IngestError("the document has no body", file=self._name, line=document.sourceline)
        return drafts

    def _front(self, part: Element, name: str) -> list[Draft]:
        """Preface, preamble, header or conclusions: one unit, with recitals and headed notes below it."""
        draft = Draft(UNIT, name.lower(), own=name.lower(), source=part, line=part.sourceline)
        if name in ("preamble", "conclusions"):
            self._fill(draft, part, 1)
        else:
            draft.lead = self._words.render(part)
        if name == "conclusions":
            self._note_conclusions(draft)
        return [draft] if draft.lead.text or draft.children or draft.flush.text or draft.lead.aside else []

    def _note_conclusions(self, draft: Draft) -> None:
        # Explanatory notes say of themselves that they are no part of the instrument.
        for child in draft.children:
            if not child.number and child.heading.text:
                child.role = NOTE

    def _body(self, part: Element) -> list[Draft]:
        stages = [child for child in part if local(child) in _STAGES]
        if len(stages) < 2:
            return self._loose_children(part, 0, inside=False)
        drafts: list[Draft] = []
        for child in part:
            if local(child) in _STAGES:
                name = local(child)
                draft = Draft(CONTAINER, name, own=name, source=child, line=child.sourceline)
                draft.children = self._loose_children(child, 1, inside=False)
                drafts.append(draft)
            else:
                drafts.extend(self._loose_children(part, 0, inside=False, only=child))
        return drafts

    def attached(self, part: Element) -> list[Draft]:
        """The drafts of an `attachments` or `components` element; one that is in another file is a warning.

        Raises:
            IngestError: one has no body.
        """
        return [draft for child in part for draft in self._attachment(child)]

    def _attachment(self, element: Element) -> list[Draft]:
        """A schedule or annex with metadata of its own: its numbers begin anew."""
        inner = next((child for child in element if local(child) not in (*_HEADERS, "meta", "componentRef")), None)
        if inner is None:
            self.warnings.append(f"line {element.sourceline}: the words of an {local(element)} are in another file")
            return []
        word = (attribute(inner, "name") or local(element)).lower()
        heads = self._headings(element)
        first = next((self._words.render(child).text for child in element if local(child) == "heading"), "")
        number = heads.number or designator(first)
        number = number if heads.number or _SHORT_NUMBER.fullmatch(number) else ""
        draft = Draft(
            UNIT, word, number=number, heading=heads.heading, appendix=True, source=element, line=element.sourceline,
            printed=heads.printed,
        )  # fmt: skip
        draft.children = self.read(inner)
        return [draft]

    def _loose_children(
        self, element: Element, depth: int, *, inside: bool, only: Element | None = None
    ) -> list[Draft]:  # fmt: skip
        source = self._items(element) if only is None else self._of_child(only)
        drafts: list[Draft] = []
        for item in _runs(source):
            if isinstance(item, Rich):
                drafts.append(self._text(item, element))
                continue
            draft = self._draft(item, inside, depth + 1)
            # A wrapper without number or heading adds nothing to an address, nor to what its children say.
            bare = draft.role == CONTAINER and not draft.number and draft.heading == Rich() and draft.lead == Rich()
            drafts.extend(draft.children if bare and not _is_dated(item) else [draft])
        return drafts

    def _text(self, text: Rich, near: Element) -> Draft:
        return Draft(UNIT, "paragraph", lead=text, line=near.sourceline)

    def _draft(self, element: Element, inside: bool, depth: int) -> Draft:
        if depth > MAX_NESTING:
            raise IngestError(f"nested deeper than {MAX_NESTING} levels", file=self._name, line=element.sourceline)
        draft = self._headings(element)
        draft.name, draft.source, draft.line = _word(element), element, element.sourceline
        if local(element) == "crossHeading":
            draft.role, draft.heading = CONTAINER, self._words.render(element)
            return draft
        if draft.name == "definition" and not draft.number:
            term = next((found for found in element.iter("{*}def", "{*}term") if has_words(found)), None)
            draft.own = f"def {collapse(''.join(term.itertext()))}" if term is not None else ""
        if draft.name in ("recital", "citation"):
            draft.own = f"{draft.name[:3]} {draft.number}" if draft.number else ""
        if not inside and draft.name in _APPENDICES:
            draft.role, draft.appendix = UNIT, True
        elif inside:
            draft.role = INSIDE
        else:
            draft.role = CONTAINER if self._holds_units(element, draft) else UNIT
        self._fill(draft, element, depth)
        return draft

    def _holds_units(self, element: Element, draft: Draft) -> bool:
        below = [child for child in _hierarchy_below(element) if child is not element]
        if not below:
            return draft.name == "crossheading" and not any(local(child) == "content" for child in element)
        if draft.name in _CONTAINER_WORDS or any(_word(element) in _UNIT_WORDS for element in below):
            return True
        if draft.name in _UNIT_WORDS:
            return False
        if local(element) in ("hcontainer", "level"):
            return not draft.number or (self._decision and bool(draft.heading.text))
        return False

    def _headings(self, element: Element) -> Draft:
        numbers: list[Rich] = []
        headings: list[Rich] = []
        for part in element:
            if (name := local(part)) in _HEADERS:
                (numbers if name == "num" else headings).append(self._words.render(part))
        number, heading = join(numbers, " "), join(headings, " ")
        # A note on the number is a note on the provision.
        heading = Rich(collapse(heading.text), (), (*number.aside, *heading.aside))
        plain_number = designator(number.text)
        if number.text and not plain_number and re.search(r"[^\W_]", number.text):
            printed = re.sub(r"[^\w]+", " ", number.text).strip().lower()
            plain_number = "" if printed in _APPENDICES or printed == _word(element) else printed
        return Draft(INSIDE, "", number=plain_number, heading=heading, printed=number.text)

    def _fill(self, draft: Draft, element: Element, depth: int) -> None:
        """Lead-in, children and flush text, in the order of the words."""
        if draft.role == CONTAINER or draft.appendix:
            drafts = self._loose_children(element, depth, inside=False)
            if len(drafts) == 1 and drafts[0].source is None:
                draft.lead = drafts[0].lead
            elif drafts and drafts[0].source is None and not self._decision:
                draft.lead, draft.children = drafts[0].lead, drafts[1:]
            else:
                draft.children = drafts
            return
        items = list(_runs(self._items(element)))
        places = [index for index, item in enumerate(items) if not isinstance(item, Rich)]
        first, last = (places[0], places[-1]) if places else (len(items), len(items) - 1)
        draft.lead = join(item for item in items[:first] if isinstance(item, Rich))
        draft.flush = join(item for item in items[last + 1 :] if isinstance(item, Rich))
        for item in items[first : last + 1]:
            if isinstance(item, Rich):
                draft.children.append(Draft(INSIDE, "paragraph", lead=item, line=element.sourceline))
            else:
                draft.children.append(self._draft(item, True, depth + 1))

    def _items(self, element: Element) -> Iterator[Rich | Element]:
        """An element's own words and the elements below it that are nodes, in order."""
        yield loose(element.text)
        for child in element:
            yield from self._of_child(child)
            yield loose(child.tail)

    def _of_child(self, child: Element) -> Iterator[Rich | Element]:
        name = local(child)
        if name in _HEADERS:
            return
        if name == "componentRef":
            self.warnings.append(f"line {child.sourceline}: a component of the law is in another file")
        elif name == "blockList" and not any(local(item) == "item" and _numbered(item) for item in child):
            yield self._words.render(child, whole=True)
        elif (name in _TRANSPARENT or name in _STAGES) and not _first(child, "num") and not _first(child, "heading"):
            yield from self._items(child)
        elif name in _HIERARCHY or name == "item" or (name == "blockContainer" and _is_headed(child)):
            yield child
        else:
            yield self._words.render(child, whole=True)


def _runs(items: Iterable[Rich | Element]) -> Iterator[Rich | Element]:
    """Texts that follow each other as one."""
    run: list[Rich] = []
    for item in items:
        if isinstance(item, Rich):
            run.append(item)
            continue
        if (joined := join(run)).text or joined.aside:
            yield joined
        run = []
        yield item
    if (joined := join(run)).text or joined.aside:
        yield joined


def _hierarchy_below(element: Element) -> Iterator[Element]:
    """The hierarchical elements of the law itself: quoted ones are another's."""
    for part in element:
        name = local(part)
        if name in _HIERARCHY:
            yield part
            yield from _hierarchy_below(part)
        elif name in _TRANSPARENT:
            yield from _hierarchy_below(part)


def _word(element: Element) -> str:
    name = local(element)
    if name in ("hcontainer", "level"):
        word = element.get("name", "").strip().lower()
        if not word and (match := _LAWMAKER_LEVEL.match(element.get("class", ""))):
            # The UK's drafting tool numbers its paragraphs' levels in the class.
            return "sub-" * (int(match[1]) - 1) + "paragraph"
        return word or name
    return name.lower()


def _is_dated(element: Element) -> bool:
    return any(element.get(key) for key in ("period", "start", "end", "status"))


def _first(element: Element, name: str) -> bool:
    return any(local(part) == name for part in element)


def _numbered(element: Element) -> bool:
    return any(local(part) == "num" and designator("".join(part.itertext())) for part in element)


def _is_headed(container: Element) -> bool:
    return _numbered(container) or any(local(part) == "heading" and has_words(part) for part in container)


def ids(element: Element | None) -> str:
    """The id that references name an element by; empty where it has none."""
    return "" if element is None else element.get("eId", "") or element.get("id", "")
