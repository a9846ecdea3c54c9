"""The eCFR in XML: a title of the Code of Federal Regulations, as GPO's bulk data or ecfr.gov's versioner publish it.

Both shapes nest DIV1 (title) to DIV9 (appendix) with the level's name in TYPE; levels are skipped freely. A title in
several volumes repeats its upper levels in every volume: they are one node here. The title node is the corpus itself.

What becomes of the words of a section:

* designated paragraphs are nodes; an italic caption is the heading, the words before a child are the lead-in;
* paragraphs that define terms without designator are DEFINITION nodes `def.<slug>` where the section has two or more;
  a single one is the section's own sentence, and its list is cited by the section (`100.5(a)`);
* any other paragraph without designator is lead-in before the first child, and goes on with the first of the two
  siblings it is between; after the last designated one it is flush text where it goes on in lower case, else a
  node `p.N`;
* FP (flush paragraph) is flush text of the list it closes;
* tables (`cell | cell`), extracts, examples, headings and blocks unknown to this parser are lines of the node they
  are in;
* NOTE and FTNT are NOTE nodes `note.N`; CITA, EDNOTE, EFFDNOT, CROSSREF and their like are annotations, not text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import ClassVar

from rag.ingest.formats.base import FileFormat, Source
from rag.ingest.formats.designators import Designator, Placement, Step, outline, readings
from rag.ingest.formats.history import MONTHS, day_of
from rag.ingest.formats.tree import LEVELS_BELOW, Draft, DraftTree, NodesByParent
from rag.ingest.formats.xml import Element, local, read_xml
from rag.ingest.formats.xml_text import IMAGE, Rich, Writer, join, loose
from rag.law.nodes import Corpus, Link, Mark, ParsedDocument, ParsedNode, node_text
from retrieval.errors import IngestError
from retrieval.paths import segment, slug

# Mixed content of an eCFR element as plain text with its italic spans; the words of blocks, tables and notes.
# Kept as printed: superscripts and fractions (`<SU>`, `<FR>`) are plain text where they are, with the white space of
# the source. A picture has no words: `[image]` marks its place. What can be read of a formula in a line is written
# `[formula: ...]`. The caller warns of both.

_IMAGES = frozenset({"img", "GID", "GRAPHIC", "MATH"})
_ITALIC_E = frozenset({"03", "7462", "8052"})  # GPO typeface codes for italic
_BLOCKS = frozenset(
    {"TABLE", "THEAD", "TBODY", "TFOOT", "GPOTABLE", "BOXHD", "TR", "ROW", "DIV", "EXTRACT", "NOTE", "EXAMPLE", "P",
     "PSPACE", "HED", "FTNT", "TTITLE", "TNOTE", "TDESC", "CAPTION", "LI", "UL", "OL", "FRP"}
)  # fmt: skip


def has_image(element: Element) -> bool:
    """Whether something in the element is a picture and has no words."""
    return any(local(found) in _IMAGES for found in element.iter("*"))


class _Writer(Writer):
    ROLES: ClassVar = {
        **dict.fromkeys(("I", "i", "EM", "em", "E"), "face"),
        **dict.fromkeys(("BR", "br"), "apart"),
        **dict.fromkeys(_IMAGES, "image"),
        "SU": "raised",
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._italic = False

    def special(self, element: Element, role: str) -> None:
        name, italic = local(element), self._italic
        following = element.getnext()
        if role == "image":
            words = " ".join("".join(element.itertext()).split())
            self.gap = self.gap or " "
            self.put(f"[formula: {words}]" if words else IMAGE)
            self.gap = " "
            return
        if role == "face":
            self._italic = name != "E" or element.get("T") in _ITALIC_E or (italic and element.get("T") != "01")
        elif following is not None and local(following) == "FTREF":  # a footnote's number is no part of the word
            self.gap = self.gap or " "
        self.inside(element)
        self._italic = italic

    def put(self, piece: str) -> None:
        """Adjacent italic words with only white space between them are one span."""
        before = self.size
        super().put(piece)
        if self._italic:
            goes_on = bool(self.marks) and self.marks[-1].end == before
            start = self.marks.pop().start if goes_on else self.size - len(piece)
            self.marks.append(Mark(start, self.size, "italic"))


def rich(element: Element) -> Rich:
    """All text of an element, its own typeface included."""
    return _Writer().read(element, whole=True)


def lines(element: Element, *, headed: bool = True) -> list[Rich]:
    """The words of a block with structure of its own, one entry a line.

    A table's rows are `cell | cell`; a heading and its paragraph (`<HED>` and `<PSPACE>`) are one line; every other
    block is a line, and so are words loose between blocks.

    Args:
        headed: whether its `<HED>` is part of the words; a note's is its heading instead.
    """
    if local(element) in ("TR", "ROW", "BOXHD") and not any(loose(cell.tail) for cell in element):
        return [join((loose(element.text), *(rich(cell) for cell in element)), " | ")]
    if not any(_is_block(child) for child in element):
        own = rich(element)
        return [own] if own else []
    out = [loose(element.text)]
    heading = Rich()
    for child in element:
        if local(child) == "HED":
            heading = rich(child) if headed else Rich()
        else:
            found = lines(child) if _is_block(child) else [rich(child)]
            out.extend([join((heading, found[0]), " "), *found[1:]] if found else [])
            heading = Rich() if found else heading
        if loose(child.tail):
            out.extend((heading, loose(child.tail)))
            heading = Rich()
    return [line for line in (*out, heading) if line]


def _is_block(element: Element) -> bool:
    name = local(element)
    return name.upper() in _BLOCKS or name.startswith(("FP", "HD"))


# One section or appendix of the eCFR as nodes: paragraphs as a tree, and every other word where it stands.

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


# What one printed paragraph of the C.F.R. says about itself: its designators, its caption, the term it defines.

_ONE = r"\(\s*([0-9]{1,3}(?:-[0-9]{1,2})?|[a-z]{1,7}(?:-[0-9]{1,2})?|[A-Z]{1,7}(?:-[0-9]{1,2})?)\s*\)"
_TOKEN = re.compile(rf"\s*{_ONE}")
_RANGE = re.compile(rf"\s*{_ONE}\s*(?:-|–|—|through|to|and|,)\s*{_ONE}(?=\s*\[)")
_DOTTED = re.compile(r"([0-9]{1,2}|[A-Z]|[IVX]{1,5}|[a-z]|[ivx]{1,5})\.\s+(?=\S)")
# Words of a caption that is not in italics, up to a designator that opens a list in the same paragraph.
_PLAIN_CAPTION = re.compile(rf"\s*([^().;:—]{{1,120}}?)(?:\.|:|—|–)\s*(?={_ONE})")
_INLINE_FIRST = re.compile(rf"([\w,:;—–]+)\s*{_ONE}\s+(\w+)")
# Words around a designator that is a reference and not the start of a list.
_REFERRING = frozenset(
    {"paragraph", "paragraphs", "subparagraph", "section", "sections", "subsection", "clause", "clauses", "item",
     "part", "under", "in", "of", "and", "or", "see", "with", "by", "to"}
)  # fmt: skip
_REFERRED = frozenset(["of", "above", "below", "and", "or", "through", "to"])
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|[A-Za-z]{1,2}|sec|seq|par|pars|secs|stat|supp|art|vol|pub|App)$", re.ASCII
)
_FIRSTS = frozenset({"1", "a", "A", "i", "I"})
_SECONDS = {"2": "1", "b": "a", "B": "A", "ii": "i", "II": "I"}

_AFTER_CAPTION = re.compile(r"\s*(?:[A-Z0-9“\"‘'$§(\[—–]|$)")
_DEFINING = (
    r"(?:means?|includes?|(?:does|do) not include|ha(?:s|ve) the (?:same )?meanings?|ha(?:s|ve) the definitions?"
    r"|refers? (?:only )?to|(?:is|are) defined|shall (?:mean|include|have the (?:same )?meaning))\b"
)
_GAP = r"(?:(?!\b(?:shall|must|may|who|is|are)\b)[^.;:]){0,160}?"
_VERB = re.compile(rf"[\"”’]?{_GAP}\b(?={_DEFINING})|[\"”’]?\s*(?={_DEFINING})")
_LEAD = re.compile(
    r"(?:(?:For (?:the )?purposes? of|As used in|When used in|In this) [^,“\"]{1,100}, )?"
    r"(?:[Tt]he (?:term|phrase|word)s? )?"
)
_BARE_TERM = re.compile(
    rf"(?!(?:This|These|Those|It|Such|That|Each|If|For|In|As|When|Where|No|Any|All)\b)[A-Z][^.;:“”\"]{{0,100}}?\s(?={_DEFINING})"
)
RESERVED = re.compile(r"(?:\[[A-Za-z ,-]*reserved\]|reserved)\.?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Defined:
    """A paragraph that defines a term: the term as printed, and where the definition's own sentence starts."""

    term: str
    start: int


def announces(text: str) -> bool:
    """Whether the words leave the reader waiting for a list: they end in a colon or a dash."""
    return text.rstrip().endswith((":", "—", "–", "-"))


def ends_sentence(text: str) -> bool:
    """Whether the words end a sentence."""
    return re.search(r"[.!?\]][”\"’')\d]*\s*$", text) is not None


def designators(paragraph: Rich, *, following: str = "", dotted: bool = False) -> tuple[Designator, ...]:
    """The designators that may open levels at the start of a paragraph, in order, with their offsets.

    Args:
        paragraph: the whole paragraph.
        following: the label that the next paragraph starts with. A `(1)` in mid-sentence opens a list only where
            the next paragraph starts with `(2)`.
        dotted: accept `1.`, `A.`, `I.` at the start, as appendices have them.
    """
    text = paragraph.text
    found: list[Designator] = []
    first = _range(paragraph) or _token(paragraph, 0)
    if first is None and dotted and (match := _DOTTED.match(text)) and readings(match[1]):
        found.append(Designator(match[1], match[1], refuse=3.0, mark=".", start=0, end=match.end()))
    elif first is None:
        return _inline(paragraph, 0, following)
    else:
        found.append(first)
    while True:
        position = found[-1].end
        token = _token(paragraph, position, refuse=6.0)
        if token is None:
            caption, start = split_caption(paragraph, position)
            token = _token(paragraph, start, refuse=4.0) if caption else _after_plain_caption(paragraph, position)
        if token is None:
            break
        found.append(token)
    return (*found, *_inline(paragraph, found[-1].end, following))


def _italic_at(paragraph: Rich, position: int) -> tuple[int, int] | None:
    """The italic span that covers this character."""
    return next(((mark.start, mark.end) for mark in paragraph.marks if mark.start <= position < mark.end), None)


def _token(paragraph: Rich, position: int, *, refuse: float = 8.0) -> Designator | None:
    match = _TOKEN.match(paragraph.text, position)
    if match is None or not readings(match[1]):
        return None
    italic = _italic_at(paragraph, match.start(1)) is not None
    return Designator(match[1], match[1], italic, refuse, start=match.start(), end=match.end())


def _range(paragraph: Rich) -> Designator | None:
    match = _RANGE.match(paragraph.text)
    if match is None or not readings(match[1]) or not readings(match[2]):
        return None
    italic = _italic_at(paragraph, match.start(1)) is not None
    return Designator(match[1], match[2], italic, start=match.start(), end=match.end())


def _after_plain_caption(paragraph: Rich, position: int) -> Designator | None:
    match = _PLAIN_CAPTION.match(paragraph.text, position)
    if match is None or match[2] not in _FIRSTS or _ABBREVIATED.search(match[1]):
        return None
    second = next(label for label, one in _SECONDS.items() if one == match[2])
    if f"({second})" in paragraph.text[match.end() :]:  # the whole list is in this paragraph: a sentence, not levels
        return None
    return _token(paragraph, match.end(), refuse=1.0)


def _inline(paragraph: Rich, position: int, following: str) -> tuple[Designator, ...]:
    wanted = _SECONDS.get(following)
    if wanted is None or f"({following})" in paragraph.text:
        return ()
    hits = [match for match in _INLINE_FIRST.finditer(paragraph.text, position) if match[2] == wanted]
    if len(hits) != 1 or hits[0][1].lower() in _REFERRING or hits[0][3] in _REFERRED:
        return ()
    token = _token(paragraph, hits[0].end(1), refuse=0.5)
    return (token,) if token else ()


def split_caption(paragraph: Rich, start: int) -> tuple[str, int]:
    """The italic caption at `start` and where the text after it goes on; empty and `start` where there is none.

    A caption ends in a full stop, colon or dash, or is the whole paragraph. Where one italic run holds a caption and
    the term that a sentence starts with (`Party committee. Party committee` means), only its first sentence is one.
    """
    text = paragraph.text
    begin = start + len(text[start:]) - len(text[start:].lstrip())
    span = _italic_at(paragraph, begin)
    if span is None or (span[0] < begin and text[span[0] : begin].strip("( )")):
        return "", start
    end = span[1]
    run = text[begin:end]
    if not run or RESERVED.fullmatch(run):
        return "", start
    stop = re.match(r"[.:?!]+", text[end:])
    if stop and not run.endswith((".", ":")):
        end += stop.end()
        run = text[begin:end]
    dash = re.match(r"\s*[—–]\s*", text[end:])
    if dash:
        return run.rstrip("—–"), end + dash.end()
    if run.endswith(("—", "–")):
        return run.rstrip("—– "), end
    if end == len(text):
        return run, end
    if run.endswith((".", ":", "?", "!")) and _AFTER_CAPTION.match(text, end):
        return run, end
    for match in re.finditer(r"[.:]\s+", run):
        left = run[: match.start()]
        repeated = run[match.end() :].lower().startswith(left.lower())
        if repeated or (len(left.split()[-1]) > 2 and re.search(r"[A-Za-z][a-z]{3}", left)):
            return run[: match.start() + 1], begin + match.end()
    return "", start


def defines(paragraph: Rich, *, bare: bool) -> Defined | None:
    """The term a paragraph without designator defines, if it does.

    Args:
        paragraph: the whole paragraph.
        bare: also accept a term without italics or quotation marks, as sections headed "Definitions" print it.
    """
    text = paragraph.text
    caption, start = split_caption(paragraph, 0)
    if caption and start >= len(text):
        # "Person with disabilities:" among definitions is the term of the list that follows.
        return Defined(text.rstrip(": "), 0) if bare and text.endswith(":") else None
    lead = _LEAD.match(text, start)
    begin = lead.end() if lead else start
    opened = text[begin : begin + 1] in ("“", '"', "‘")
    span = _italic_at(paragraph, begin + opened)
    if span is not None:
        end = span[1]
    elif opened and (closing := re.search(r"[”\"’]", text[begin + 1 :])):
        end = begin + 1 + closing.start()
    else:
        match = _BARE_TERM.match(text, begin) if bare else None
        return Defined(text[begin : match.end()].strip(), start) if match else None
    verb = _VERB.match(text, end)
    if verb is None:
        return None
    return Defined(text[begin : verb.end()].strip(' “”"‘’,'), start)


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
        heading = next((rich(element).text for element in child if local(element) == "HED"), "")
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
        return next(draft for draft in reversed(self.path) if any(draft is other for other in spine))

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
    if sum(defined is not None for defined in found) < 2:
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


_ROOT = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*"
    rb"<(?:DLPSTEXTCLASS|ECFR|DIV[1-9]\s[^>]*\bTYPE=\"(?:TITLE|SUBTITLE|CHAPTER|SUBCHAP|PART|SUBPART|SUBJGRP|SECTION|APPENDIX)\")",
    re.DOTALL,
)
_DIV = re.compile(r"DIV[1-9]\Z")
# TYPE -> structure type and the publication's own word for the level.
_CONTAINERS = {
    "TITLE": ("TITLE", "title"),
    "SUBTITLE": ("TITLE", "subtitle"),
    "CHAPTER": ("CHAPTER", "chapter"),
    "SUBCHAP": ("CHAPTER", "subchapter"),
    "PART": ("PART", "part"),
    "SUBPART": ("PART", "subpart"),
    "SUBJGRP": ("PART", "subjgrp"),
}
_IN_TITLE = frozenset({"subtitle", "chapter", "part"})  # their numbers are unique in a title
_WORDS = r"(?:SUBTITLE|TITLE|SUBCHAPTER|CHAPTER|SUBPARTS?|PARTS?)"
_CONTAINER_HEAD = re.compile(
    rf"{_WORDS}S?\s+[^\s—]+?\s*(?:—|–|--|:|-(?=\s)|(?=\[)|\Z)\s*(.*)", re.IGNORECASE | re.DOTALL
)
_VOLUME = re.compile(r"\s*--\s*Volume\s+\d+\s*\Z", re.IGNORECASE)
_CONTINUED = re.compile(r"\s*\(CONTINUED\)", re.IGNORECASE)
_TITLE_NUMBER = re.compile(r"Title\s+(\d+)\b", re.IGNORECASE)
_DATE = re.compile(
    rf"\b({'|'.join(MONTHS)})[a-z]*\.?\s+(\d{{1,2}}),\s*(\d{{4}})\b|\b(\d{{4}})-(\d\d)-(\d\d)\b", re.IGNORECASE
)
_APPENDIX = re.compile(
    r"(appendix|appendices|supplement|exhibit|attachment|schedule|table|figure|form|annex)e?s?\s+([A-Z0-9][A-Z0-9.-]*)"
    r"(.*?)(?:\s*,?\s+(?:to|of)\s+part\s+\S+)?\s*\Z",
    re.IGNORECASE,
)


class EcfrXml(FileFormat):
    """Format `ecfr_xml`: one file is one title, or one part of it downloaded alone."""

    name = "ecfr_xml"
    version = 5

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether the root element is `DLPSTEXTCLASS`, `ECFR` or a DIV with one of the eCFR's level names."""
        return _ROOT.match(head) is not None

    def read(self, source: Source) -> ParsedDocument:
        """Read a title.

        Returns:
            Its nodes, one Link `enabled_by` per authority statement, and warnings that name the URN they concern.

        Raises:
            IngestError: not readable as XML, no title number, a section number used twice, or an unknown level.
        """
        root = read_xml(source.path, name=source.name)
        return _Title(root, source).document()


def dates(text: str) -> list[date]:
    """Every date in the words of a history note (`Sept. 29, 1976`, `2022-12-29`); an impossible one is left out."""
    found = (
        day_of(iso_year or year, iso_month or month, iso_day or day)
        for month, day, year, iso_year, iso_month, iso_day in _DATE.findall(text)
    )
    return [day for day in found if day is not None]


class _Title:
    """One run over one file."""

    def __init__(self, root: Element, source: Source) -> None:
        self.source = source
        self.tops = [root] if _DIV.match(local(root)) else _tops(root)
        if not self.tops:
            raise IngestError("no DIV1 to DIV9 in it: not a title of the eCFR", file=source.name)
        self.number = self._title_number(root)
        self.urn = f"urn:lex:us:{self.number}cfr"
        stated = [found for element in root.iter("AMDDATE") for found in dates(rich(element).text)]
        self.edition = max(stated, default=None)
        self.nodes = NodesByParent()
        self.volume: dict[str, int] = {}  # the DIV1 a container was last seen in
        self.links: list[Link] = []
        self.warnings: list[str] = []

    def document(self) -> ParsedDocument:
        title = ParsedNode(self.urn, None, "TITLE", "title", self.number, kind="section", line=self.tops[0].sourceline)
        title.tags = {"code": "CFR", "title": self.number}
        self.nodes.add(title)
        for volume, top in enumerate(self.tops):
            if top.get("TYPE") == "TITLE":
                heading = _heading(top)
                title.heading = title.heading or heading
                self._status(title, top)
                self._inside(top, title, volume, None)
            else:
                self._div(top, title, volume, None)
        name = f"Code of Federal Regulations, Title {self.number}"
        corpus = Corpus(
            self.urn, f"{name} ({title.heading})" if title.heading else name, "en",
            publisher="Office of the Federal Register; Government Publishing Office",
            licence="Public domain (17 U.S.C. 105)", url=f"https://www.ecfr.gov/current/title-{self.number}",
        )  # fmt: skip
        if self.edition is None:
            self.warnings.append(f"{self.urn}: the file states no amendment date (AMDDATE)")
        return ParsedDocument(
            corpus, self.nodes.in_order(self.urn), self.source.name, EcfrXml.name, self.source.sha256(),
            EcfrXml.version, edition_date=self.edition, links=self.links, warnings=self.warnings,
        )  # fmt: skip

    def _title_number(self, root: Element) -> str:
        """From NODE, the title's own heading, the bulk header, or the versioner's metadata, in that order.

        DIV1's N comes last: in the bulk files it counts volumes.
        """
        stated: list[str] = []
        for top in self.tops:
            node = (top.get("NODE") or "").partition(":")
            head = _TITLE_NUMBER.match(_head(top)) if top.get("TYPE") == "TITLE" else None
            meta = re.search(r"title-(\d+)", top.get("hierarchy_metadata") or "")
            heading = head[1] if head else ""
            stated.extend(part for part in (node[0] if node[1] else "", heading, meta[1] if meta else "") if part)
        stated = stated or [rich(found).text for found in root.iter("IDNO") if found.get("TYPE") == "title"]
        stated = stated or [top.get("N") or "" for top in self.tops if top.get("TYPE") == "TITLE"]
        numbers = {
            str(int(statement)) if statement.isdecimal() and statement.isascii() else statement for statement in stated
        }
        if len(numbers) != 1 or not re.fullmatch(r"[1-9]\d{0,2}", next(iter(numbers))):
            cause = (
                "states several title numbers" if len(numbers) > 1 else "does not say which title of the C.F.R. it is"
            )
            raise IngestError(f"the file {cause}", file=self.source.name, line=self.tops[0].sourceline)
        return next(iter(numbers))

    def _div(self, element: Element, parent: ParsedNode, volume: int, since: date | None) -> None:
        kind = element.get("TYPE") or ""
        if kind in ("SECTION", "APPENDIX"):
            self._rule(element, parent, since, appendix=kind == "APPENDIX")
        elif kind in _CONTAINERS and kind != "TITLE":
            self._container(element, parent, volume, since)
        else:
            raise IngestError(
                f'<{local(element)} TYPE="{kind}"> is no level this parser knows',
                file=self.source.name, line=element.sourceline,
            )  # fmt: skip

    def _container(self, element: Element, parent: ParsedNode, volume: int, since: date | None) -> None:
        structure, level = _CONTAINERS[element.get("TYPE") or ""]
        heading = _heading(element)
        printed = _printed(element) if level != "subjgrp" else slug(heading)
        last = f"{level}_{segment(printed) if printed.strip(' .§[]()') else slug(heading)}"
        urn = f"{self.urn if level in _IN_TITLE else parent.urn}:{last}"
        known = self.nodes.get(urn)
        if known is not None and self.volume[urn] < volume and known.parent_urn == parent.urn:
            node = known  # goes on in the next volume
        else:
            free = self._free(urn, parent)
            suffix = free.rpartition("~")[2] if free.rpartition(":")[2] != last else ""
            node = ParsedNode(
                free, parent.urn, structure, level, f"{printed}~{suffix}" if suffix else printed, heading,
                kind="section", line=element.sourceline,
            )  # fmt: skip
            if level == "part":
                node.tags = {"code": "CFR", "title": self.number, "part": printed}
            self.nodes.add(node)
        self.volume[node.urn] = volume
        self._status(node, element)
        self._inside(element, node, volume, since)

    def _free(self, urn: str, parent: ParsedNode) -> str:
        free, count = self.nodes.free(urn)
        if count > 1:
            self.warnings.append(f"{free}: its number occurs {count} times (under {parent.urn})")
        return free

    def _inside(self, element: Element, node: ParsedNode, volume: int, since: date | None) -> None:
        """The content of a container: levels below, authority and source, and whatever words are there."""
        own = [day for child in element if local(child) == "SOURCE" for day in self._past(rich(child).text, node.urn)]
        since = max(own, default=since)
        self._words(node, loose(element.text).text)
        for child in element:
            name = local(child)
            if _DIV.match(name):
                self._div(child, node, volume, since)
            elif name == "SOURCE":
                node.tags["source_note"] = _without_label(child)
            elif name == "AUTH":
                self._authority(child, node)
            elif name in ("NOTE", "FTNT"):
                self._note(child, node)
            elif name not in ANNOTATIONS:
                self._words(node, "\n".join(line.text for line in lines(child)))
            self._words(node, loose(child.tail).text)

    def _words(self, node: ParsedNode, words: str) -> None:
        """Words directly in a container: its lead-in before the first level below, else its flush text."""
        if self.nodes.below(node.urn):
            node.content_text = node_text(node.content_text, words)
        else:
            node.intro_text = node_text(node.intro_text, words)

    def _note(self, element: Element, node: ParsedNode) -> None:
        count = sum(child.level == "note" for child in self.nodes.below(node.urn)) + 1
        heading = next((rich(child).text for child in element if local(child) == "HED"), "")
        words = "\n".join(line.text for line in lines(element, headed=False))
        note = ParsedNode(f"{node.urn}:note.{count}", node.urn, "NOTE", "note", f"note.{count}", heading)
        note.content_text, note.line = words, element.sourceline
        self.nodes.add(note)

    def _authority(self, element: Element, node: ParsedNode) -> None:
        words = _without_label(element)
        node.tags["authority"] = words
        for statement in re.split(r";\s+", words.rstrip(" .")):
            if statement:
                targets = _statutes(statement) or [""]
                self.links.extend(Link(node.urn, "enabled_by", statement, target) for target in targets)

    def _rule(self, element: Element, parent: ParsedNode, since: date | None, *, appendix: bool) -> None:
        printed = _printed(element)
        head = _head(element)
        if appendix:
            urn, level, number = _appendix_place(parent.urn, printed or head)
            heading = re.sub(rf"\A{re.escape(printed)}\s*[—–-]*\s*", "", head) if printed else head
            urn = self._free(urn, parent)
            number += urn[urn.rindex("~") :] if "~" in urn.rpartition(":")[2] else ""
            draft = Draft(urn, number, "APPENDIX", level, heading or head, element.sourceline)
        else:
            number = printed or _number_of(head)
            if not re.search(r"[A-Za-z0-9]", number):
                raise IngestError("a section without a number", file=self.source.name, line=element.sourceline)
            urn = f"{self.urn}:{segment(number)}"
            if urn in self.nodes:
                raise IngestError(
                    f"section {number} occurs twice in one edition", file=self.source.name, line=element.sourceline
                )
            draft = Draft(urn, number, "SECTION", "section", _after_number(head, number), element.sourceline)
        valid_from = self._valid_from(element, urn, since)
        nodes = build(draft, element, valid_from=valid_from, warnings=self.warnings, dotted=appendix)
        first = nodes[0]
        first.parent_urn = parent.urn
        part = self._part(parent) or (number.partition(".")[0] if not appendix else "")
        first.tags |= {"code": "CFR", "title": self.number} | ({} if appendix else {"section_number": number})
        if part:
            first.tags["part"] = part
        if RESERVED.fullmatch(first.heading) and not first.text:
            first.tags["status"] = "reserved"
        for child in element:
            if local(child) in ("AUTH", "SECAUTH", "PARAUTH") and not displayed(child):
                self._authority(child, first)
        for node in nodes:
            self.nodes.add(node)

    def _part(self, node: ParsedNode) -> str:
        current: ParsedNode | None = node
        while current is not None and current.level != "part":
            current = self.nodes[current.parent_urn] if current.parent_urn else None
        return current.tags["part"] if current else ""

    def _valid_from(self, element: Element, urn: str, since: date | None) -> date | None:
        """The latest date of the amendment history: when the Federal Register published it, which is the nearest thing
        to a first day in force that the eCFR states. None where a note says that the history is elsewhere."""
        if any(local(child) == "EDNOTE" and "citations affecting" in rich(child).text for child in element):
            return None
        history = [found for child in element if local(child) == "CITA" for found in self._past(rich(child).text, urn)]
        return max(history, default=since)

    def _past(self, text: str, urn: str) -> list[date]:
        found = dates(text)
        if self.edition is None:
            return found
        late = [day for day in found if day > self.edition]
        if late:
            self.warnings.append(f"{urn}: its history names {max(late)}, after the edition of {self.edition}; left out")
        return [day for day in found if day <= self.edition]

    def _status(self, node: ParsedNode, element: Element) -> None:
        if RESERVED.search(_head(element)) and re.search(r"\[[^\]]*reserved\]\s*\Z", _head(element), re.IGNORECASE):
            node.tags["status"] = "reserved"


def _tops(root: Element) -> list[Element]:
    """The outermost DIVs: one a volume, or the part that was downloaded."""
    found: list[Element] = []
    waiting = [root]
    while waiting:
        current = waiting.pop()
        if _DIV.match(local(current)):
            found.append(current)
        else:
            waiting.extend(reversed(current))
    return found


def _head(element: Element) -> str:
    return next((rich(child).text for child in element if local(child) == "HEAD"), "")


def _heading(element: Element) -> str:
    head = _CONTINUED.sub("", _VOLUME.sub("", _head(element)))
    match = _CONTAINER_HEAD.fullmatch(head)
    # "PART 7KITES", a dash lost, has no words after its number; then all of it is the heading.
    counted = match is not None and (match[1].strip() or _printed(element).casefold() in head.casefold().split())
    return match[1].strip() if match is not None and counted else head


def _printed(element: Element) -> str:
    number = re.sub(r"[‐‑–—]", "-", element.get("N") or "")
    return re.sub(r"\s+", " ", number).strip(" §")


def _number_of(head: str) -> str:
    match = re.match(r"§+\s*(\S+)", head)
    return re.sub(r"[‐‑–—]", "-", match[1]).rstrip(".") if match else ""


def _after_number(head: str, number: str) -> str:
    """A section's heading without the section sign and its number."""
    spaced = r"\s*".join("[-‐‑–—]" if char == "-" else re.escape(char) for char in number if not char.isspace())
    match = re.match(rf"§*\s*{spaced}(?![0-9A-Za-z])\.?\s*[—–]?\s*", head) or re.match(r"§+\s*\S+\s*", head)
    return head[match.end() :] if match else head


def _appendix_place(parent: str, printed: str) -> tuple[str, str, str]:
    """URN, level and number of an appendix: `appendix_a`, `appendix_a-to-subpart-g`, `supplement_i`, `table_1`."""
    match = _APPENDIX.match(printed)
    if match is None:
        return f"{parent}:appendix_{slug(printed)}", "appendix", slug(printed)
    level = match[1].lower() if match[1].lower() != "appendices" else "appendix"
    rest = slug(match[3]) if re.search(r"[A-Za-z0-9]", match[3]) else ""
    key = f"{segment(match[2])}-{rest}" if rest else segment(match[2])
    return f"{parent}:{level}_{key}", level, match[2] if not rest else key


def _statutes(statement: str) -> list[str]:
    """The URNs of all that an authority statement cites: "52 U.S.C. 30102(e), (g), and 30111(a)(8)" cites three."""
    from rag.jurisdictions.us.federal import JURISDICTION  # loaded where a regulation has an authority

    found = JURISDICTION.find_references(statement, None)
    return list(dict.fromkeys(urn for reference in found if reference.confident for urn in reference.urns))


def _without_label(element: Element) -> str:
    """The words of AUTH or SOURCE without their `Authority:`."""
    return " ".join(rich(child).text for child in element if local(child) != "HED") or rich(element).text
