"""One section or appendix of the eCFR as nodes: paragraphs as a tree, and every other word where it stands.

What becomes of the words of a section:

* designated paragraphs are nodes; an italic caption is the heading, the words before a child are the lead-in;
* paragraphs that define terms without designator are DEFINITION nodes `def.<slug>` where the section has two or more;
  a single one is the section's own sentence, and its list is cited by the section (`100.5(a)`);
* any other paragraph without designator is lead-in before the first child, and goes on with the first of the two
  siblings it stands between; after the last designated one it is flush text where it goes on in lower case, else a
  node `p.N`;
* FP (flush paragraph) is flush text of the list it closes;
* tables (`cell | cell`), extracts, examples, headings and blocks unknown to this parser are lines of the node they
  stand in;
* NOTE and FTNT are NOTE nodes `note.N`; CITA, EDNOTE, EFFDNOT, CROSSREF and their like are annotations, not text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from rag.ingest.formats.designators import Placement, Step, outline
from rag.ingest.formats.ecfr.paragraph import (
    RESERVED,
    Defined,
    announces,
    defines,
    designators,
    ends_sentence,
    split_caption,
)
from rag.ingest.formats.ecfr.text import has_image, lines, rich
from rag.ingest.formats.tree import LEVELS_BELOW, Draft, DraftTree
from rag.ingest.formats.xml import Element, local
from rag.ingest.formats.xml_text import Rich, join, loose
from rag.law.nodes import ParsedNode
from retrieval.paths import slug

ANNOTATIONS = frozenset(
    {"CITA", "EDNOTE", "EFFDNOT", "EFFDNOTP", "CROSSREF", "SECAUTH", "PARAUTH", "AUTH", "SOURCE", "APPRO", "CFRTOC",
     "FTREF", "HEAD", "VOLUME", "STARS"}
)  # fmt: skip
_INSERTS = frozenset(
    {"EXTRACT", "EXAMPLE", "TABLE", "GPOTABLE", "BOXTXT", "IMG", "img", "GPH", "MATH", "LDRWK", "UL", "OL", "DIV",
     "AUTH", "FRP"}
)  # fmt: skip
_WHERE = re.compile(r"where\b[:,—]?", re.IGNORECASE)
_DEFINITIONS = re.compile(r"\b(?:definitions?|defined|meanings?|terms used|terminology)\b", re.IGNORECASE)
_TO_PARAGRAPH = re.compile(r"paragraph|\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str  # para, flush, insert, note
    body: Rich
    line: int | None
    heading: str = ""
    level: str = ""


def build(
    root: Draft, element: Element, *, valid_from: date | None, warnings: list[str], dotted: bool = False
) -> list[ParsedNode]:
    """The nodes of one DIV8 or DIV9 below `root`, `root` included, each with `parent_urn` None for the root.

    Args:
        root: the section's own draft; its URN prefixes all others.
        element: the DIV.
        valid_from: the first day in force of all its nodes.
        warnings: what is odd is appended here, with the URN it concerns.
        dotted: read `1.` and `A.` as designators too (appendices).
    """
    section = _Assembly(root, warnings).run(list(_blocks(element, root.urn, warnings)), dotted)
    nodes = list(section.nodes(valid_from=valid_from))
    parents = {node.parent_urn for node in nodes}
    for node in nodes:
        if RESERVED.fullmatch(node.text or node.heading) and node.urn not in parents:
            node.tags["status"] = "reserved"
    return nodes


def displayed(element: Element) -> bool:
    """Whether an authority citation is part of the text, shown after a colon as a model of how to write one."""
    before = element.getprevious()
    return local(element) == "AUTH" and before is not None and local(before) == "P" and announces(rich(before).text)


def _blocks(element: Element, urn: str, warnings: list[str]) -> Iterator[_Block]:
    if loose(element.text):
        yield _Block("insert", loose(element.text), element.sourceline)
    for child in element:
        name = local(child)
        if name not in ANNOTATIONS or displayed(child):
            if has_image(child):
                warnings.append(f"{urn}: a picture or formula has no words; its place is marked in the text")
            yield from _block(child, urn, warnings)
        if loose(child.tail):
            yield _Block("insert", loose(child.tail), child.sourceline)


def _block(child: Element, urn: str, warnings: list[str]) -> Iterator[_Block]:
    name = local(child)
    if name == "P":
        yield _Block("para", rich(child), child.sourceline)
    elif name in ("NOTE", "FTNT"):
        heading = next((rich(one).text for one in child if local(one) == "HED"), "")
        yield _Block(
            "note",
            join(lines(child, headed=False)),
            child.sourceline,
            heading,
            "footnote" if name == "FTNT" else "note",
        )
    elif name.startswith("FP"):
        yield _Block("flush", rich(child), child.sourceline)
    elif name == "DIV" and not any(local(found).upper() in ("TABLE", "GPOTABLE") for found in child.iter("*")):
        yield from _blocks(child, urn, warnings)
    else:
        body = join(lines(child))
        known = name in _INSERTS or name.startswith("HD")
        if body and not known:
            warnings.append(f"{urn}: <{name}> is unknown to this parser; its words are kept as text")
        if body:
            yield _Block("insert", body, child.sourceline)


class _Assembly(DraftTree):
    """Puts the blocks of one section into its tree."""

    def __init__(self, root: Draft, warnings: list[str]) -> None:
        super().__init__(root, warnings)
        self.cursor = root  # where words went last

    def run(self, blocks: Sequence[_Block], dotted: bool) -> Draft:
        """Place every block and return the root."""
        blocks = [block for block in blocks if block.body or block.heading]
        paragraphs = [number for number, block in enumerate(blocks) if block.kind == "para"]
        steps, defined = _steps([blocks[number].body for number in paragraphs], self.root.heading, dotted)
        placed = dict(zip(paragraphs, zip(steps, outline(steps), defined, strict=True), strict=True))
        # For each block the depth of the next level that opens after it; 0 where none does.
        upcoming, ahead = [0] * len(blocks), 0
        for number in range(len(blocks) - 1, -1, -1):
            upcoming[number] = ahead
            if number in placed and placed[number][1]:
                ahead = placed[number][1][0].depth
        last, explains = "", False
        for number, block in enumerate(blocks):
            ahead = upcoming[number]
            # "Where: N = ..." after a formula belongs to its paragraph, as do the lines that go on with it.
            above = blocks[number - 1].kind if number else ""
            explains = block.kind == "flush" and (
                explains or (above == "insert" and _WHERE.match(block.body.text) is not None)
            )
            if number in placed and placed[number][1]:
                self._open(block, *placed[number])
            elif block.kind == "insert" or explains:
                self._put(self.cursor, block.body)
            elif block.kind == "note":
                self._note(block, ahead)
            else:
                self._loose(block, ahead, last)
            last = block.body.text
        return self.root

    def _last(self, draft: Draft) -> Draft:
        """The draft, or its nearest ancestor that can still take words without moving them before later ones."""
        spine = [self.root]
        while spine[-1].children and not spine[-1].after:
            spine.append(spine[-1].children[-1])
        if any(one is draft for one in spine):
            return draft
        return next(one for one in reversed(self.path) if any(one is other for other in spine))

    def _put(self, draft: Draft, words: Rich) -> None:
        draft = self._last(draft)
        (draft.after if draft.children else draft.before).append(words)
        self.cursor = draft

    def _open(self, block: _Block, step: Step, placements: tuple[Placement, ...], defined: Defined | None) -> None:
        body = block.body
        for position, placement in enumerate(placements):
            parent = self.path[placement.depth - 1]
            following = placements[position + 1] if position + 1 < len(placements) else None
            stop = step.designators[following.index].start if following else len(body.text)
            start, structure = 0, LEVELS_BELOW[min(placement.depth, len(LEVELS_BELOW)) - 1]
            if placement.index >= 0:
                token = step.designators[placement.index]
                start = token.end
                if not position and not defined and token.start:
                    self._put(parent, body.cut(0, token.start))
                key = token.label if token.last == token.label else f"{token.label}-{token.last}"
                draft = self.child(parent, key, structure, "paragraph", block.line)
                if placement.anomaly and "~" not in draft.number:
                    self.warnings.append(f"{draft.urn}: its designator is out of sequence ({placement.anomaly})")
                caption, after = split_caption(body.cut(0, stop), start)
                if caption:
                    draft.heading, start = caption, after
            elif defined:
                draft = self.child(parent, f"def.{slug(defined.term)}", "DEFINITION", "paragraph", block.line)
                draft.level = "definition"
                draft.heading, start = body.text[: defined.start].strip(), defined.start
            else:
                draft = self.child(parent, parent.numbered(), "PARAGRAPH", "paragraph", block.line)
            self.path = [*self.path[: placement.depth], draft]
            self.cursor = draft
            words = body.cut(start, stop)
            if words:
                draft.before.append(words)

    def _note(self, block: _Block, ahead: int) -> None:
        if ahead:
            parent = self.path[min(ahead, len(self.path) - 1)]
        elif block.level == "footnote":
            parent = self.cursor
        else:
            parent = self.path[min(1, len(self.path) - 1)] if _TO_PARAGRAPH.search(block.heading) else self.root
        parent = self._last(parent)
        draft = self.child(parent, parent.numbered("note"), "NOTE", "paragraph", block.line)
        draft.level, draft.heading = block.level, block.heading
        draft.before.append(block.body)

    def _loose(self, block: _Block, ahead: int, last: str) -> None:
        """Words without designator: lead-in, continuation, flush text, or a node of their own."""
        body, leaf = block.body, self.path[-1]
        continues = body.text[:1].islower()
        holder = self.path[max(1, len(self.path) - 2)] if len(self.path) > 1 else self.root
        if (len(self.path) == 1 and not self.root.children) or ahead >= len(self.path):
            self._put(leaf, body)
        elif ahead:
            # Between two siblings the words belong to the first of them.
            self._put(holder if continues and len(self.path) - 2 > ahead else self.path[ahead], body)
        elif announces(last) or (not continues and last and not ends_sentence(last)) or leaf.number.startswith("p."):
            open_end = announces(last) or not ends_sentence(last) or continues
            self._put(self.cursor, body) if open_end else self._paragraph(block)
        elif continues:
            self._put(self.path[-2] if len(self.path) > 1 else self.root, body)
        elif block.kind == "flush":
            self._flush(body)
        elif leaf.structure_type == "DEFINITION" and _DEFINITIONS.search(self.root.heading):
            self._put(leaf, body)
        else:
            self._paragraph(block)

    def _flush(self, body: Rich) -> None:
        outer = self.path[1] if len(self.path) > 1 else self.root
        self._put(self.root if not outer.children and self.root.before else outer, body)

    def _paragraph(self, block: _Block) -> None:
        draft = self.child(self.root, self.root.numbered(), "PARAGRAPH", "paragraph", block.line)
        self.path = [self.root, draft]
        self._put(draft, block.body)


def _steps(bodies: list[Rich], heading: str, dotted: bool) -> tuple[list[Step], list[Defined | None]]:
    steps: list[Step] = []
    leads = [designators(body, dotted=dotted)[:1] for body in bodies]
    bare = _DEFINITIONS.search(heading) is not None
    found = [None if lead else defines(body, bare=bare) for lead, body in zip(leads, bodies, strict=True)]
    if sum(one is not None for one in found) < 2:
        found.clear()
    last = ""
    for number, body in enumerate(bodies):
        following = leads[number + 1] if number + 1 < len(bodies) else ()
        tokens = designators(body, following=following[0].label if following else "", dotted=dotted)
        led, defined = bool(leads[number]), found[number] if found else None
        steps.append(
            Step(
                tokens,
                definition=defined is not None,
                announced=announces(last),
                introduces=not led and announces(body.text),
            )
        )
        last = body.text
    return steps, found or [None] * len(bodies)
