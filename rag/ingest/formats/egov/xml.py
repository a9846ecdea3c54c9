"""Japanese law in the standard law XML of e-Gov: one file is one law in one edition.

A file is the bare `Law` element, as bulk downloads have it, or an answer of the e-Gov interface that wraps one.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lxml import etree

from rag.ingest.formats.base import Source
from rag.ingest.formats.egov.ids import LawIdentity, find_law, identify
from rag.ingest.formats.egov.text import Words
from rag.ingest.formats.xml import Element, collapse, local, read_xml
from rag.jurisdictions.jp.kanji import NUMERAL, article_designators, designator, law_number
from rag.law.nodes import ParsedDocument, ParsedNode, node_text
from retrieval.errors import IngestError

# From the elements of one e-Gov law to nodes: containers, articles, paragraphs, items, appended tables.

_CONTAINERS = {"Part": "PART", "Chapter": "CHAPTER", "Section": "PART", "Subsection": "PART", "Division": "PART"}
# What the appended parts are called; also the first half of their URN segment.
_APPENDED = {
    "AppdxTable": "table", "AppdxNote": "note", "AppdxStyle": "style", "AppdxFormat": "format", "AppdxFig": "fig",
    "Appdx": "appdx", "SupplProvisionAppdxTable": "table", "SupplProvisionAppdxStyle": "style",
    "SupplProvisionAppdx": "appdx",
}  # fmt: skip
_NOTES = {"Remarks": "remarks", "SupplNote": "note"}
_NUMBERED = re.compile(r"Paragraph|Item|Subitem\d+|Class")
_LEVELS = {"Paragraph": "PARAGRAPH", "Item": "ITEM", "Class": "SUBPARAGRAPH"}
_NUM = re.compile(r"[1-9]\d*(?:_\d+)*(?::[1-9]\d*(?:_\d+)*)?\Z", re.ASCII)
_TITLE = re.compile(rf"第({NUMERAL})[編章節款目]((?:の{NUMERAL})*)\s*")
_TABLE_TITLE = re.compile(rf"第({NUMERAL})[号表図]?((?:の{NUMERAL})*)")
_BRACKETS = re.compile(r"[（(](.*)[）)]\Z", re.DOTALL)
_DELETED = re.compile(r"(?:第\S*\s)?削除。?\Z")
MAX_RANGE = 1000


@dataclass(frozen=True, slots=True)
class _Place:
    """Where children stand: their parent, what their URNs begin with, and whether the parent is a container."""

    parent: ParsedNode
    base: str  # of articles and of paragraphs that stand in no article
    supplementary: dict[str, str]  # tags that tell a supplementary provision's articles from the law's own
    container: bool = True


class LawTree:
    """Reads the body of one law. `nodes`, `warnings` and `words.left_out` are its results."""

    def __init__(self, identity: LawIdentity, name: str) -> None:
        self.nodes: list[ParsedNode] = []
        self.warnings: list[str] = []
        self.words = Words()
        self._name = name
        self._identity = identity
        self._seen: dict[str, int | None] = {}
        self._unnumbered_below: Counter[str] = Counter()
        self._again: Counter[str] = Counter()
        self._ranges: list[tuple[ParsedNode, str, str]] = []
        # The law's URN as its number alone gives it, where the law id holds more; see `LawIdentity.aliases`.
        self._plain = next((one for one in identity.aliases if one.startswith("urn:lex:")), "")

    def read(self, body: Element) -> None:
        """Read a LawBody into the law's root node and all below.

        Raises:
            IngestError: an article or a container without a number.
        """
        identity = self._identity
        root = ParsedNode(
            identity.corpus.urn, None, "ROOT", "law", identity.law_id, identity.title, kind="section",
            tags=dict(identity.tags), aliases=list(identity.aliases), line=body.sourceline,
        )  # fmt: skip
        self._seen[root.urn] = root.line
        self.nodes.append(root)
        self._body(body, _Place(root, root.urn, {}))
        for node, base, ends in self._ranges:
            node.aliases.extend(self._members(node, base, ends))

    def _body(self, element: Element, place: _Place) -> None:
        """Give the parent its lead-in and flush text, and read what stands between them in order."""
        node = place.parent
        own = {f"{local(element)}{part}" for part in ("Title", "Num", "Caption", "Label")} | {"LawTitle"}
        if local(element) in _APPENDED:
            own.add("RelatedArticleNum")  # part of its heading
        items = list(self._items(element, own))
        places = [index for index, item in enumerate(items) if not isinstance(item, str)]
        first, last = (places[0], places[-1]) if places else (len(items), len(items))
        lead = "\n".join(item for item in items[:first] if isinstance(item, str))
        flush = "\n".join(item for item in items[last + 1 :] if isinstance(item, str))
        node.intro_text, node.content_text = (lead, flush) if places else ("", lead)
        waiting: list[str] = []
        for item in items[first : last + 1]:
            if isinstance(item, str):
                waiting.append(item)
                continue
            if waiting:
                self._loose(waiting, item, place)
                waiting = []
            self._child(item, place)

    def _items(self, element: Element, own: set[str]) -> Iterator[Element | str]:
        """Lines of text and the elements that become nodes, in order."""
        yield from _stray(element.text)
        for child in element:
            name = local(child)
            if name in ("MainProvision", "TableStruct", "NoteStruct", "StyleStruct", "FormatStruct", "FigStruct"):
                if name == "MainProvision" and child.get("Extract") == "true":
                    self.nodes[0].tags["extract"] = "true"
                yield from self._items(child, set())
            elif _is_node(name):
                yield child
            elif name not in own:
                yield from self.words.lines(child)
            yield from _stray(child.tail)

    def _child(self, element: Element, place: _Place) -> None:
        name = local(element)
        if name in _CONTAINERS:
            self._container(element, place)
        elif name == "Article":
            self._article(element, place)
        elif name == "SupplProvision":
            self._supplementary(element, place)
        elif name == "Preamble":
            self._preamble(element, place)
        elif name in _APPENDED:
            self._appended(element, place)
        elif name in _NOTES:
            self._note(element, place)
        else:
            self._numbered(element, place)

    def _container(self, element: Element, place: _Place) -> None:
        name = local(element)
        printed = self._own(element, "Title")
        title = _TITLE.match(printed)
        number = designator(title[1] + title[2]) if title else None
        number = self._number(element, [number] if number else [], f"{name.lower()}_")
        heading = printed[title.end() :] if title else printed
        last = f"{name.lower()}_{number}"
        # Citations pass over nothing here: 第九章第二節 names both, so the URN does too.
        urn = f"{place.parent.urn if place.container else place.base}:{last}"
        node = self._add(element, place, urn, _CONTAINERS[name], name.lower(), number, heading, kind="section")
        if _DELETED.match(printed):
            node.tags["status"] = "repealed"
        self._body(element, replace(place, parent=node))
        self._range(node, number, f"{urn.rpartition(':')[0]}:{name.lower()}_")

    def _article(self, element: Element, place: _Place) -> None:
        printed = article_designators(self._own(element, "Title"))
        number = self._number(element, printed, "")
        caption = self._own(element, "Caption")
        urn = f"{place.base}:{number}"
        node = self._add(element, place, urn, "ARTICLE", "article", number, _unbracketed(caption))
        plain = number.replace("..", ":")
        key = "supplementary_article_number" if place.supplementary else "article_number"
        node.tags |= {key: plain, "code": self._identity.title, **place.supplementary}
        self._body(element, replace(place, parent=node, base=node.urn, container=False))
        self._repealed(node)
        self._range(node, number, f"{place.base}:")

    def _supplementary(self, element: Element, place: _Place) -> None:
        amending = collapse(element.get("AmendLawNum", ""))
        read = law_number(amending) if amending else None
        own = f"sup.{read.slug}" if read else "sup"
        if amending and read is None:
            own = f"sup.n{1 + sum(node.level == 'supplementary' for node in self.nodes)}"
            self._warn(f"the amending law's number is of no known kind; the provision is kept as {own}", element)
        heading = self._own(element, "Label")
        node = self._add(element, place, f"{place.parent.urn}:{own}", "PART", "supplementary", own, heading,
                         kind="section")  # fmt: skip
        tags = {"supplementary_provision": amending or "original"}
        node.tags |= tags | ({"promulgated": read.promulgated.isoformat()} if read and read.promulgated else {})
        if element.get("Extract") == "true":
            node.tags["extract"] = "true"
        self._body(element, _Place(node, node.urn, tags))

    def _preamble(self, element: Element, place: _Place) -> None:
        node = self._add(element, place, f"{place.base}:preamble", "ARTICLE", "preamble", "preamble", "")
        node.tags["code"] = self._identity.title
        self._body(element, replace(place, parent=node, base=node.urn, container=False))

    def _appended(self, element: Element, place: _Place) -> None:
        level, heading = _APPENDED[local(element)], self._own(element, "Title")
        title = _TABLE_TITLE.search(unicodedata.normalize("NFKC", heading).partition("(")[0])
        number = designator(title[1] + title[2]) if title else _from_num(element.get("Num", ""))
        related = self._own(element, "", "RelatedArticleNum")
        own = f"{level}.{number}" if number else level
        node = self._add(element, place, f"{place.base}:{own}", "APPENDIX", f"appended {level}", own, heading + related)
        node.tags |= {"code": self._identity.title, **place.supplementary}
        self._body(element, replace(place, parent=node, base=node.urn, container=False))
        self._repealed(node)

    def _note(self, element: Element, place: _Place) -> None:
        level, label = _NOTES[local(element)], self._own(element, "Label")
        node = self._add(element, place, f"{place.parent.urn}:{level}", "NOTE", level, level, label)
        self._body(element, replace(place, parent=node, base=node.urn, container=False))

    def _numbered(self, element: Element, place: _Place) -> None:
        """A paragraph, an item, or an item below it."""
        name = local(element)
        printed = self._own(element, "Num" if name == "Paragraph" else "Title")
        read, given = designator(printed), _from_num(element.get("Num", ""))
        if printed and read is None and given and ".." not in given:
            self._warn(f"the designator of {place.parent.urn}:{given} cannot be read; its Num is used", element)
        if read and given and read[0].isdecimal() and read != given:
            self._warn(f"{place.parent.urn}:{read} has another number in its attribute Num", element)
        number = read or given or ""
        own = (f"class.{number}" if name == "Class" else number) if number else self._unnumbered(place)
        kind = _LEVELS.get(name, "CLAUSE")
        if place.container:
            kind = "ARTICLE"  # nothing above it is cited as one rule
        caption = _unbracketed(self._own(element, "Caption"))
        base = place.base if place.container else place.parent.urn
        node = self._add(element, place, f"{base}:{own}", kind, name.lower(), number or own, caption)
        if place.container:
            key = "supplementary_paragraph_number" if place.supplementary else "paragraph_number"
            node.tags |= {key: number, "code": self._identity.title, **place.supplementary}
        else:
            # What a reference to a law known by its title alone is found by: 第九条第一項 is 9:1.
            below = node.urn.removeprefix(f"{self._identity.corpus.urn}:")
            node.tags |= {"provision": below, "code": self._identity.title}
        self._body(element, replace(place, parent=node, base=node.urn, container=False))
        self._repealed(node)
        self._range(node, number, f"{base}:")

    def _loose(self, lines: list[str], before: Element, place: _Place) -> None:
        """Words between two children: an unnumbered paragraph, so that nothing changes its place."""
        own = self._unnumbered(place)
        node = self._add(before, place, f"{place.parent.urn}:{own}", "SUBPARAGRAPH", "text", own, "")
        node.content_text = "\n".join(lines)

    def _unnumbered(self, place: _Place) -> str:
        self._unnumbered_below[place.parent.urn] += 1
        return f"p.{self._unnumbered_below[place.parent.urn]}"

    def _add(
        self, element: Element, place: _Place, urn: str, structure: str, level: str, number: str, heading: str, *,
        kind: str = "legislation",
    ) -> ParsedNode:  # fmt: skip
        suffix = ""
        if urn in self._seen:
            self._again[urn] += 1
            suffix = f"~{self._again[urn] + 1}"
            self._warn(f"a second {urn} (first at line {self._seen[urn]}) is kept as {urn}{suffix}", element)
        node = ParsedNode(
            urn + suffix, place.parent.urn, structure, level, number + suffix, heading, kind=kind,
            line=element.sourceline,
        )  # fmt: skip
        if suffix:
            node.tags["duplicate_of"] = urn
        if element.get("Delete") == "true":
            node.tags["status"] = "repealed"
        if element.get("Hide") == "true":
            node.tags["hidden"] = "true"
        if self._plain:
            node.aliases.append(node.urn.replace(self._identity.corpus.urn, self._plain, 1))
        self._seen[node.urn] = node.line
        self.nodes.append(node)
        return node

    def _number(self, element: Element, printed: list[str], what: str) -> str:
        """The number to cite by: the printed one, which the attribute must not contradict without a word."""
        given = _from_num(element.get("Num", ""))
        shown = printed[0] if printed else given
        if len(printed) > 1:
            shown = f"{printed[0]}..{printed[-1]}"
        if shown is None:
            raise IngestError(
                f"a {local(element).lower()} without a number to cite it by", file=self._name, line=element.sourceline
            )
        if given and given != shown:
            self._warn(f"{what}{shown} has another number in its attribute Num", element)
        return shown

    def _range(self, node: ParsedNode, number: str, base: str) -> None:
        if ".." in number:
            self._ranges.append((node, base, number))

    def _members(self, node: ParsedNode, base: str, ends: str) -> list[str]:
        """URNs of the provisions that one node stands for, none of which is a node of its own."""
        low, _, high = (end.split("-") for end in (ends.partition("..")))
        first, last = int(low[-1]), int(high[-1])
        if low[:-1] != high[:-1] or not 0 <= last - first < MAX_RANGE:
            self.warnings.append(f"{self._name}:{node.line}: {node.urn}: only the ends of the range resolve to it")
            names = ["-".join(low), "-".join(high)]
        else:
            names = ["-".join((*low[:-1], str(one))) for one in range(first, last + 1)]
        return [urn for urn in (f"{base}{name}" for name in names) if urn not in self._seen]

    def _repealed(self, node: ParsedNode) -> None:
        """Mark a node whose only word, its own or its paragraphs', is 削除 (deleted)."""
        at = next(index for index in range(len(self.nodes) - 1, -1, -1) if self.nodes[index] is node)
        words = [text for one in self.nodes[at:] if (text := node_text(one.intro_text, one.content_text))]
        if words and all(_DELETED.match(text) for text in words):
            node.tags["status"] = "repealed"

    def _own(self, element: Element, part: str, name: str = "") -> str:
        """The text of an element's own title, number, caption or label."""
        wanted = name or f"{local(element)}{part}"
        return "".join(self.words.text(child) for child in element if local(child) == wanted)

    def _warn(self, message: str, element: Element) -> None:
        self.warnings.append(f"{self._name}:{element.sourceline}: {message}")


def _is_node(name: str) -> bool:
    return (
        name in _CONTAINERS or name in _APPENDED or name in _NOTES or name in ("Article", "SupplProvision", "Preamble")
    ) or _NUMBERED.fullmatch(name) is not None  # fmt: skip


def _stray(text: str | None) -> Iterator[str]:
    if text and text.strip():
        yield collapse(text)


def _unbracketed(caption: str) -> str:
    match = _BRACKETS.match(caption)
    return match[1] if match else caption


def _from_num(num: str) -> str | None:
    """The attribute Num as a URN segment: `2_3` is `2-3`, the range `121:122` is `121..122`."""
    num = num.strip()
    return num.replace("_", "-").replace(":", "..") if _NUM.match(num) else None


_WRAPPERS = (b"DataRoot", b"law_data_response", b"lawdata_response")
# The schema's own nesting ends below half of this.
MAX_DEPTH = 80

_ROOT = re.compile(rb"\A(?:\xef\xbb\xbf)?(?>\s+|<\?.*?\?>|<!--.*?-->)*+<([A-Za-z_][\w.-]*+)([^>]*)>", re.DOTALL)
_LAW_ATTRIBUTE = re.compile(rb"\s(?:LawType|Era)\s*=")
_LIST = re.compile(rb"<(?:LawNameListInfo|Category|laws|total_count)\b")


class EgovXml:
    """Format `egov_xml`."""

    name = "egov_xml"
    version = 3

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root element is a `Law` with an era or a law type, or an e-Gov answer that may wrap one."""
        root = _ROOT.match(head)
        if root is None:
            return False
        if root[1] == b"Law":
            return _LAW_ATTRIBUTE.search(root[2]) is not None
        return root[1] in _WRAPPERS and not self.skips(path, head)

    def skips(self, path: Path, head: bytes) -> str:
        """Why an answer of the e-Gov interface is no law: it is a list of laws. Empty for every other file."""
        root = _ROOT.match(head)
        listed = root is not None and root[1] in (b"DataRoot", b"laws_response") and _LIST.search(head, root.end())
        return "a list of laws from the e-Gov interface, not a law" if listed else ""

    def parts(self, path: Path, root: Path) -> tuple[Path, ...]:
        """Always empty: a law is one file."""
        return ()

    def parse(self, source: Source) -> ParsedDocument:
        """Read a law.

        Returns:
            Its nodes; the root is the law itself. `edition_date` is the day its text came into force, and
            nodes end with the day the law was repealed, where the file says so. Warnings name
            the file and line, and sum up what was left out on purpose.

        Raises:
            IngestError: not readable as XML, no law or several, no law id, nested too deeply, or an article or a
                container without a number.
        """
        root = read_xml(source.path, name=source.name)
        law = find_law(root, source.name)
        _check_depth(law, source.name)
        identity = identify(root, law, source.name)
        tree = LawTree(identity, source.name)
        body = next(one for one in law if local(one) == "LawBody")
        if any(text and text.strip() for text in (law.text, *(one.tail for one in law), body.text)):
            raise IngestError("has words outside the law's title and provisions", file=source.name, line=law.sourceline)
        tree.read(body)
        for node in tree.nodes:
            node.valid_to = identity.repealed_on
        warnings = [*identity.warnings, *tree.warnings]
        if tree.words.left_out:
            counts = ", ".join(f"{count} {what}" for what, count in sorted(tree.words.left_out.items()))
            warnings.append(f"{source.name}: left out on purpose: {counts}")
        return ParsedDocument(
            identity.corpus, tree.nodes, source.name, self.name, source.sha256(), self.version,
            edition_date=identity.edition, warnings=warnings,
        )  # fmt: skip


def _check_depth(law: Element, name: str) -> None:
    depth = 0
    for event, element in etree.iterwalk(law, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise IngestError(f"nested deeper than {MAX_DEPTH} elements", file=name, line=element.sourceline)
