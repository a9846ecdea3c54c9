"""A German law as nodes: the divisions a format has read become containers, §§, Absätze, Nummern, Buchstaben."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace

from rag.ingest.formats.german.blocks import (
    Block,
    Division,
    Listing,
    Paragraph,
    Table,
    all_divisions,
    first_line,
    text_lines,
)
from rag.ingest.formats.history import day_of, made
from rag.ingest.formats.tree import LEVELS_BELOW, TreeBuilder
from rag.ingest.formats.xml import MAX_NESTING
from rag.jurisdictions.de.naming import CONTAINER_TYPES, Heading, compact, container_segment, is_gone
from rag.law.nodes import Corpus, Link, ParsedNode
from retrieval.errors import InputError

_ABSATZ = re.compile(r"\((\d{1,3}[a-z]{0,2})\)(?:\s*(?:u\.|und|bis|,|-|–)\s*\((\d{1,3}[a-z]{0,2})\))?\s*")
_CAPTION = re.compile(r"(\([A-ZÄÖÜ][^()]*\))\s*(?=[a-zäöü§\d])")
_EDITORIAL = re.compile(r"\(\+\+\+.*?\+\+\+\)", re.DOTALL)
# "§ 1357 Abs. 1: Mit GG vereinbar", printed below that very §.
_OWN_NOTE = re.compile(r"(?:§§?|Art(?:ikel|\.)?)\s*(\d+[a-z]{0,3}|[IVXLC]+)(?!\w)(?:[^.:]|\.(?=\s|\d)){0,60}?:\s")
# What made, changed or ended a provision: "Art. 13 Abs. 3: Eingef. durch Art. 1 G v. 26.3.1998 I 610 mWv 1.4.1998".
_HISTORY = re.compile(
    r"""(?:§§?|Art(?:ikel|\.)?)\s*(?:\d+[a-z]{0,3}|[IVXLC]+)(?P<places>(?:\s(?:Abs|Nr|Buchst)\.\s\w{1,4}){0,3}):\s
        (?P<said>Eingef|Geänd|Neugef|IdF|Aufgeh|Weggef)[a-zß]*\.?\s(?:d(?:urch|\.)|gem\.)\s
        (?P<act>.{0,60}?\bv\.\s(?P<day>\d{1,2}\.\d{1,2}\.\d{4})\sI{1,3}\s\d{1,5})
        (?:\sm(?:it\s)?W(?:irkung\s)?v(?:om)?\.?\s(?P<effect>\d{1,2}\.\d{1,2}\.\d{4}))?""",
    re.VERBOSE,
)
_HAPPENED = {
    "Eingef": "created_by", "Geänd": "amended_by", "Neugef": "amended_by", "IdF": "amended_by", "Aufgeh": "repealed_by",
    "Weggef": "repealed_by",
}  # fmt: skip
_PLACEHOLDER = re.compile(r"[-–]+\Z")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where paragraphs of one parent stand: how deep, and whether directly under a § (then "nr.5", not "5")."""

    depth: int
    direct: bool = False


class LawTree(TreeBuilder):
    """Builds the nodes of one law.

    Args:
        code: the abbreviation for tags.
        root: tags of the root node.
    """

    def __init__(self, corpus: Corpus, code: str, source: str, root: dict[str, str], aliases: list[str]) -> None:
        super().__init__(source)
        self._code = code
        self._left_out: Counter[str] = Counter()
        self._unnumbered: Counter[tuple[str, str]] = Counter()
        self._members: list[tuple[str, ParsedNode]] = []
        self._main = "paragraph"
        self._root = ParsedNode(
            urn=corpus.urn, parent_urn=None, structure_type="ROOT", level="gesetz", number=code,
            heading=corpus.title, tags={"code": code, **root}, aliases=aliases, line=1,
        )  # fmt: skip
        self._append(self._root)

    def read(self, divisions: list[Division], front: list[Block]) -> None:
        """Fill `nodes` and `warnings`.

        Args:
            divisions: the law's outermost divisions.
            front: what is before the first of them.

        Raises:
            IngestError: there is no text at all, or lists are nested too deep.
        """
        front = self._without_editorial(front, self._root, "")
        if not divisions and not front:
            raise self._error("holds no provision", None)
        self._main = next(
            (division.heading.level for division in all_divisions(divisions) if division.heading.kind == "unit"),
            "paragraph",
        )
        if front and divisions:
            self._note(self._root, front)
        elif front:
            divisions = [Division(Heading("matter", "text", "", "", ""), None, front)]
        for division in divisions:
            self._division(division, self._root, self._root.urn, nested=False)
        for urn, node in self._members:
            if urn not in self._seen:
                self._seen[urn] = node
                node.aliases.append(urn)
        self.warnings.extend(f"left out: {count} {what}" for what, count in sorted(self._left_out.items()) if count)

    def _division(self, division: Division, parent: ParsedNode, base: str, *, nested: bool) -> None:
        heading = division.heading
        if heading.kind == "container":
            self._container(division, parent, base, nested=nested)
            return
        if heading.kind == "contents":
            self._left_out["tables of contents"] += 1
            for child in division.children:
                self._division(child, parent, base, nested=nested)
            return
        kind = {"unit": "ARTICLE" if heading.level == "artikel" else "SECTION", "appendix": "APPENDIX"}
        urn, suffix = self._free(f"{base}:{self._unit_segment(heading, nested=nested)}", division.line)
        node = ParsedNode(
            urn=urn, parent_urn=parent.urn, structure_type=kind.get(heading.kind, "SECTION"), level=heading.level,
            number=(heading.number or urn.rpartition(":")[2].partition("~")[0]) + suffix, heading=heading.heading,
            tags={"code": self._code}, line=division.line,
        )  # fmt: skip
        if heading.designation:
            node.tags["designation"] = heading.designation
        if heading.kind == "unit":
            # "§ 1" of an Artikel is no "§ 1" of the law, so it carries the Artikel's number too.
            inherited = parent.tags.get("article_number", "") if nested else ""
            node.tags |= {"article_number": inherited} if inherited else {}
            key = "article_number" if heading.level == "artikel" else "paragraph"
            # "§ 1" of an Anlage must not be found where "§ 1" of the law is asked for.
            appended = nested and base.rpartition(":")[2].startswith(("anlage", "anhang"))
            node.tags[f"appendix_{key}" if appended else key] = heading.number
        self._append(node)
        self._members.extend(
            (f"{base}:{self._unit_segment(replace(heading, number=member), nested=nested)}", node)
            for member in heading.members
        )
        blocks = self._without_editorial(division.blocks, node, heading.number)
        if is_gone(heading.heading) or (len(blocks) == 1 and _says_gone(blocks[0])):
            node.tags["status"] = "repealed"
        elif heading.omitted and not blocks:
            node.tags["status"] = "omitted"
        blocks = self._without_placeholder(blocks, node)
        self._unit_body(node, blocks, appendix=heading.kind == "appendix")
        if division.notes:
            self._note(node, division.notes)
        for child in division.children:
            self._division(child, node, node.urn, nested=True)

    def _unit_segment(self, heading: Heading, *, nested: bool) -> str:
        if heading.kind == "unit":
            number = compact(heading.number)
            # Articles below §§, or the law's rarer kind beside its main one, would else take each other's URNs.
            if not nested and heading.level == self._main:
                return number
            return f"{'art' if heading.level == 'artikel' else 'par'}.{number}"
        word = compact(heading.level)
        return f"{word}.{compact(heading.number)}" if heading.number else word

    def _container(self, division: Division, parent: ParsedNode, base: str, *, nested: bool) -> None:
        heading = division.heading
        urn, suffix = self._free(f"{parent.urn}:{container_segment(heading)}", division.line)
        node = ParsedNode(
            urn=urn, parent_urn=parent.urn, structure_type=CONTAINER_TYPES.get(heading.level, "PART"),
            level=heading.level, number=(heading.number or container_segment(heading).partition("_")[2]) + suffix,
            heading=heading.heading, kind="section", line=division.line,
        )  # fmt: skip
        if heading.designation:
            node.tags["designation"] = heading.designation
        if is_gone(heading.heading):
            node.tags["status"] = "repealed"
        self._append(node)
        blocks = self._without_placeholder(self._without_editorial(division.blocks, node, heading.number), node)
        node.intro_text = "\n".join(text_lines(blocks))
        if division.notes:
            self._note(node, division.notes)
        for child in division.children:
            self._division(child, node, base, nested=nested)

    def history(self) -> list[Link]:
        """What the publisher's notes say made, changed or ended the provisions that were read, each dated."""
        known = {node.urn: node for node in self.nodes}
        links: list[Link] = []
        for node in self.nodes:
            beside = node.level == "hinweis"
            base = (node.parent_urn or "") if beside else node.urn
            for match in _HISTORY.finditer(node.text if beside else node.tags.get("editorial_note", "")):
                places = re.findall(r"(Abs|Nr|Buchst)\.\s(\w+)", match["places"])
                direct = [f"nr.{name}" if word == "Nr" and not at else name for at, (word, name) in enumerate(places)]
                urn = ":".join((base, *(compact(name) for name in direct)))
                day = day_of(*reversed((match["effect"] or match["day"]).split(".")))
                if urn in known:  # else it is a paragraph that is printed with others as one
                    links.append(made(urn, _HAPPENED[match["said"]], match["act"], day=day))
        return links

    def _note(self, parent: ParsedNode, blocks: list[Block]) -> None:
        self._append(ParsedNode(
            urn=f"{parent.urn}:hinweis.1", parent_urn=parent.urn, structure_type="NOTE", level="hinweis", number="1",
            content_text="\n".join(text_lines(blocks)), kind="notice", line=first_line(blocks[0]),
        ))  # fmt: skip

    def _without_editorial(self, blocks: list[Block], node: ParsedNode, number: str) -> list[Block]:
        """The blocks without the publisher's notes on courts and commencement; a provision keeps these as a tag."""
        kept: list[Block] = []
        notes: list[str] = []
        for position, block in enumerate(blocks):
            text = block.text if isinstance(block, Paragraph) else ""
            if text.startswith("(+++") or (position and (own := _OWN_NOTE.match(text)) and own[1] == number):
                notes.append(text)
            elif isinstance(block, Paragraph) and "(+++" in text:
                notes.extend(_EDITORIAL.findall(text))
                rest = " ".join(_EDITORIAL.sub(" ", text).split())
                kept.extend([replace(block, text=rest)] if rest else [])
            else:
                kept.append(block)
        self._left_out["editorial notes"] += len(notes)
        if notes and node is not self._root:
            node.tags["editorial_note"] = "\n".join(notes)
        return kept

    def _without_placeholder(self, blocks: list[Block], node: ParsedNode) -> list[Block]:
        """The blocks, or none where they are the dash that the publisher prints for a repealed provision."""
        if len(blocks) == 1 and isinstance(blocks[0], Paragraph) and _PLACEHOLDER.match(blocks[0].text):
            self._left_out["dashes in place of a repealed provision"] += 1
            node.tags.setdefault("status", "repealed")
            return []
        return blocks

    def _unit_body(self, node: ParsedNode, blocks: list[Block], *, appendix: bool) -> None:
        own: list[Block] = []
        groups: list[tuple[str, str, list[Block]]] = []
        for block in blocks:
            if opened := _absatz(block):
                groups.append((opened[0], opened[1], [Paragraph(opened[2], first_line(block))]))
            else:
                (groups[-1][2] if groups else own).append(block)
        labels = [label for label, _, _ in groups]
        if appendix and len(set(labels)) < len(labels):
            # An annex that counts anew under headings of its own has no Absätze that could be cited.
            self.warnings.append(f"{node.urn}: paragraph numbers repeat; kept as running text")
            own, groups = blocks, []
        self._fill(node, own, _Place(1, direct=True), more=bool(groups))
        for label, last, part in groups:
            child = self._child(node, "absatz", f"{label}-{last}" if last else label, 0, first_line(part[0]))
            if last:
                self._members.extend((f"{node.urn}:{part}", child) for part in (label, last))
            self._fill(child, part, _Place(1))

    def _child(
        self, parent: ParsedNode, level: str, number: str, depth: int, line: int | None, name: str = ""
    ) -> ParsedNode:
        urn, suffix = self._free(f"{parent.urn}:{name or compact(number)}", line)
        return self._append(ParsedNode(
            urn=urn, parent_urn=parent.urn, structure_type=LEVELS_BELOW[min(depth, len(LEVELS_BELOW) - 1)], level=level,
            number=number + suffix, line=line,
        ))  # fmt: skip

    def _fill(self, node: ParsedNode, blocks: list[Block], place: _Place, *, more: bool = False) -> None:
        """Put blocks into a node: words before its lists, the lists as children, words after them.

        Args:
            more: further children follow, so that words after the last list are no flush text.
        """
        if place.depth > MAX_NESTING:
            raise self._error(f"lists are nested deeper than {MAX_NESTING}", node.line)
        split = next((index for index, one in enumerate(blocks) if not isinstance(one, Paragraph)), len(blocks))
        lead = "\n".join(text_lines(blocks[:split]))
        rest = blocks[split:]
        if not rest and not more:
            node.content_text = lead
            if is_gone(lead):
                node.tags.setdefault("status", "repealed")
            return
        node.intro_text = lead
        pending: list[Block] = []
        parent = node
        for block in rest:
            if isinstance(block, Paragraph):
                pending.append(block)
                continue
            if pending:
                parent, words = self._words_between(node, pending, place.depth)
                pending = []
                if isinstance(block, Listing) and _goes_on(block):
                    # The list only paused; what it hangs on is still the node's own lead-in.
                    parent.content_text, parent = words, node
                else:
                    parent.intro_text = words
            if isinstance(block, Table):
                self._table(parent, block, place.depth)
            else:
                self._list(parent, block, place)
        if pending and more:
            rest_node, rest_node.content_text = self._words_between(node, pending, place.depth)
        else:
            node.content_text = "\n".join(text_lines(pending))

    def _words_between(self, node: ParsedNode, blocks: list[Block], depth: int) -> tuple[ParsedNode, str]:
        """A child for words between a node's lists, still without them; and the words."""
        number = str(self._next(node, "text") + 1)
        child = self._child(node, "textteil", number, depth, first_line(blocks[0]), f"text.{number}")
        return child, "\n".join(text_lines(blocks))

    def _next(self, node: ParsedNode, what: str) -> int:
        """One more than the node has of what has no number of its own."""
        self._unnumbered[(node.urn, what)] += 1
        return self._unnumbered[(node.urn, what)]

    def _table(self, parent: ParsedNode, table: Table, depth: int) -> None:
        number = str(self._next(parent, "tabelle"))
        node = self._child(parent, "tabelle", number, depth, table.line, f"tabelle.{number}")
        node.structure_type = "TABLE"
        node.content_text = "\n".join(table.rows)

    def _list(self, parent: ParsedNode, listing: Listing, place: _Place) -> None:
        single = any(re.fullmatch(r"[a-z]\)?", item.marker) for item in listing.items)
        labels = [item.marker.strip().strip("()").rstrip(".)") for item in listing.items]
        levels = [_item_level(label, single=single) for label in labels]
        names = [
            "" if level == "spiegelstrich" else f"{'nr.' * (place.direct and label[0].isdigit())}{compact(label)}"
            for label, level in zip(labels, levels, strict=True)
        ]
        for item, label, level, name in zip(listing.items, labels, levels, names, strict=True):
            if name:
                child = self._child(parent, level, label, place.depth, item.line, name)
            else:
                number = str(self._next(parent, "strich"))
                child = self._child(parent, level, number, place.depth, item.line, f"strich.{number}")
            self._fill(child, _captioned(child, item.blocks), _Place(place.depth + 1))


def _absatz(block: Block) -> tuple[str, str, str] | None:
    """Number of the Absatz that a paragraph opens, the last one where it stands for several, and its words."""
    match = _ABSATZ.match(block.text) if isinstance(block, Paragraph) else None
    if match is None:
        return None
    words = match.string[match.end() :]
    if match[2] and not is_gone(words):
        return match[1], "", match.string[match.end(1) + 1 :].strip()
    return match[1], match[2] or "", words


def _says_gone(block: Block) -> bool:
    return isinstance(block, Paragraph) and is_gone(block.text)


def _captioned(node: ParsedNode, blocks: list[Block]) -> list[Block]:
    """The blocks without the caption in brackets that opens an item; the caption becomes the node's heading."""
    first = blocks[0] if blocks else None
    if not isinstance(first, Paragraph) or is_gone(first.text):
        return blocks
    if len(blocks) > 1 and re.fullmatch(r"\([^()]*\)", first.text):
        node.heading = first.text
        return blocks[1:]
    match = _CAPTION.match(first.text)
    if match is None:
        return blocks
    node.heading = match[1]
    return [replace(first, text=first.text[match.end() :]), *blocks[1:]]


def _item_level(label: str, *, single: bool) -> str:
    if not label or not any(char.isalnum() for char in label):
        return "spiegelstrich"
    if not label.isascii() and not _citable(label):
        return "spiegelstrich"
    if label[0].isdigit():
        return "nummer"
    if single or len(set(label)) > 1 or len(label) == 1:
        return "buchstabe"
    return {2: "doppelbuchstabe", 3: "dreifachbuchstabe"}.get(len(label), "buchstabe")


def _citable(label: str) -> bool:
    try:
        return bool(compact(label))
    except InputError:
        return False


def _goes_on(listing: Listing) -> bool:
    """Whether a list continues one that is before it, by its first designator."""
    label = listing.items[0].marker.strip("(.) ").lower()
    return label.isalnum() and label not in ("1", "a", "aa", "aaa", "i")
