"""A plain document that numbers its provisions, as the tree that its numbers tell.

`numbering` says which lines are counted and which of them are provisions; here they become parts and provisions, and
`outline` places what is counted below a provision.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase

from rag.ingest.formats.base import plain_ascii
from rag.ingest.formats.designators import Designator, Step, outline
from rag.ingest.formats.plain.blocks import Block
from rag.ingest.formats.plain.lines import is_title
from rag.ingest.formats.plain.numbering import AMENDED, Counted, count, is_divided, is_head
from rag.ingest.formats.plain.signs import (
    ANNEXES,
    BRACKETED,
    KANA,
    MOST_WORDS,
    SIGN,
    Line,
    goes_on,
    is_caption,
    read_sign,
)
from rag.ingest.formats.xml import MAX_NESTING
from rag.languages.registry import names_a_kind
from rag.law.designators import annex_segment, container_segment
from rag.law.nodes import ParsedNode
from retrieval.paths import segment, slug
from retrieval.references.law_words import tells

MOST = 20_000  # characters of one provision; the search index has limits
_MOST_OF_ONE = 2_000  # lines of a provision: placing one takes a millisecond
_LEAST_WORDED = 3
LEAST_SHARE = 0.6  # of the characters that lie in numbered provisions
_OPEN = re.compile(r"[:：;；,，—–-]\s*\Z")
# "Deposit. The tenant pays": a caption that goes on as a sentence on its line.
_CAPTION = re.compile(r"(?P<caption>[^\W\d_][^.:;!?]{1,60})\.\s+(?=[^\s\d])")
_SEGMENTS = {"schedule": "sch"}  # as references to published law spell it
# A paragraph that says which acts made and amended what is above it: "(Ord. 987 § 2, 2011; Ord. 1102 § 1, 2019)".
_HISTORY = re.compile(
    r"\((?:Ord(?:inance|s?\.)\s|Prior\scode|Added\s|Amended\s|Code\s(?:19|20)\d\d)[^()]*(?:\([^()]*\)[^()]*)*\)"
)
_INSERTED = re.compile(r"(?P<number>\d+)(?:(?P<letter>[A-Z])|[\s-]?(?P<latin>bis|ter|quater|quinquies))")
_LATIN = ("", "bis", "ter", "quater", "quinquies")
_FIRST = frozenset(("1", "a", "i", "A"))  # of a list
_IROHA = "イロハニホヘトチリヌルヲワカヨタレソツネナラム"
# What a law of the language calls what it counts: the unit behind "§", then the levels below it.
_LEVELS = {
    "de": ("paragraph", ("absatz", "nr", "buchst", "buchst", "buchst")),
    "fr": ("article", ("point",) * 5),
    "ja": ("article", ("paragraph", "item", "subitem", "subitem", "subitem")),
}
_PLAIN_LEVELS = ("section", ("subsection", "paragraph", "subparagraph", "clause", "item"))
_STRUCTURE = ("SUBSECTION", "PARAGRAPH", "SUBPARAGRAPH", "CLAUSE", "ITEM")


@dataclass(slots=True)
class _Unit:
    """A provision, or a part of the document that holds provisions, while it is read."""

    structure: str
    level: str
    number: str
    name: str  # its URN segment
    heading: str = ""
    page: int = 0
    last_page: int = 0
    words: list[str] = field(default_factory=list[str])  # its lines as printed, with those of its parts
    lead: list[str] = field(default_factory=list[str])
    flush: list[str] = field(default_factory=list[str])
    children: list[_Unit] = field(default_factory=list["_Unit"])
    lines: list[Line] = field(default_factory=list[Line])  # of a provision, before `outline` has placed them
    worded: bool = False  # whether a word is before its number: 第三条
    is_flat: bool = False  # cited by its own number alone, whatever it is in: 1.3.1
    history: str = ""  # which acts made and amended it, as the document prints that below it

    def size(self) -> int:
        """Characters of its own words and of everything in it."""
        own = sum(map(len, (self.heading, *self.lead, *self.flush))) + sum(len(line.text) for line in self.lines)
        return own + sum(child.size() for child in self.children)


def read_numbered(blocks: Sequence[Block], root: ParsedNode, language: str, *, titled: bool) -> list[ParsedNode] | None:
    """The provisions of a document in order, without its root; None where its numbers do not tell a structure.

    Args:
        blocks: in reading order, none empty.
        root: of the document; what is before its first provision becomes its lead-in.
        language: ISO 639-1, for the names of levels.
        titled: whether somebody stated the title that the root has. One that was found in the text ("Town of Brook")
            gives way to a line before the first number that says what the document is ("Skating Rink Ordinance").
    """
    known = titled or (names_a_kind(root.heading, language) and tells(root.heading))
    for alike in (False, True):
        counted = count(blocks, language, heading=root.heading if known else "", alike=alike)
        read = _read(counted, root, language) if counted is not None else None
        if counted is not None and read is not None:
            nodes, before = read
            if counted.title:
                root.heading = counted.title
            elif not titled and any(root.heading == line.text for line in counted.lines if line.number):
                # No title: its first heading is a provision's.
                root.heading = before.pop(0) if before and is_caption(before[0]) else root.number
            root.intro_text = "\n".join(text for text in before if text.casefold() != root.heading.casefold())
            return nodes
    return None


def _read(counted: Counted, root: ParsedNode, language: str) -> tuple[list[ParsedNode], list[str]] | None:
    """The nodes and the words before them; None where numbers hold too little of the document, or a limit is passed."""
    units, before = _units(counted, language)
    held = sum(map(_held, units))
    # What articles are enacted for may be long; a list within a letter is no law.
    around = 0 if counted.word and len(counted.tops) >= _LEAST_WORDED else sum(map(len, before))
    if held < LEAST_SHARE * (held + around):
        return None
    if any(len(inner.lines) > _MOST_OF_ONE for unit in units for inner in _all(unit)):
        return None
    for unit in units:
        _place(unit, language)
    nodes = [node for unit in units for node in _nodes(unit, root.urn, root.urn)]
    if any(len(node.text) > MOST for node in nodes) or len({node.urn for node in nodes}) < len(nodes):
        return None
    return nodes, before


def own_names(root: ParsedNode, slug: str, language: str) -> list[str]:
    """What a document is called as a whole; see `retrieval/references/law_names.py` for its provisions.

    A short title stands in brackets below the title: "(Hallensatzung)".
    """
    bracketed = (match[1] for line in root.intro_text.split("\n") if (match := BRACKETED.fullmatch(line)))
    titles = (root.heading, *(words for words in bracketed if names_a_kind(words, language)))
    return list(dict.fromkeys((*(" ".join(title.casefold().removeprefix("the ").split()) for title in titles), slug)))


# --- the tree --------------------------------------------------------------------------------------------------------


def _units(counted: Counted, language: str) -> tuple[list[_Unit], list[str]]:
    """The parts and provisions of a document, with their lines not yet placed, and what is before them."""
    lines, tops, decimals, word = counted.lines, counted.tops, counted.decimals, counted.word
    starts = set(tops)
    rank = max((lines[place].heading for place in tops), default=0)
    before: list[str] = []
    found: list[_Unit] = []
    parts: list[tuple[str, _Unit]] = []  # the open parts, outermost first, by what they are called
    current: _Unit | None = None
    headed = Counter[str]()  # parts by name, of which one that is there again is another
    numbered: dict[str, _Unit] = {}  # what decimal numbers may divide, by its number
    restarted = len({lines[place].number for place in tops}) < len(tops)
    names = Counter(
        (line.word, line.number)
        for place, line in enumerate(lines)
        if line.word and _is_part(line, word, rank, tops, place)
    )
    for place, (line, following) in enumerate(zip(lines, (*lines[1:], None), strict=True)):
        if place in starts and place not in decimals:
            current = _provision(line, _level_of(word, language), following)
            numbered = {line.number: current}
            if restarted and parts:
                current.name = f"{parts[-1][1].name}:{current.name}"
            (parts[-1][1].children if parts else found).append(current)
        elif place in decimals:
            owner = numbered.get(decimals[place])
            current = numbered[line.number] = _provision(line, "clause" if word != "clause" else "subclause", following)
            if owner is None:
                (parts[-1][1].children if parts else found).append(current)
                continue
            owner.children.append(current)
            if is_divided(owner.number):
                current.structure, current.is_flat = "SUBSECTION", True
            else:
                owner.structure = "CHAPTER"
                owner.lead += [inner.text for inner in owner.lines]
                owner.lines = []
        elif place > counted.front and _is_part(line, word, rank, tops, place):
            numbered = {}
            kind = line.word or "crossheading"
            while len(parts) >= MAX_NESTING or any(name == kind for name, _ in parts):
                parts.pop()
            if line.word in ANNEXES:
                parts = []
            part = _part(line, language)
            if kind == "crossheading" and line.heading == rank:
                part.structure = "SECTION"  # "Fees" beside "1. Noise": what it holds is counted within it
            if parts and names[line.word, line.number] > 1:
                part.name = f"{parts[-1][1].name}:{part.name}"
            headed[part.name] += 1
            if (again := headed[part.name]) > 1:
                part.name, part.number = f"{part.name}-{again}", f"{part.number}-{again}"
            (parts[-1][1].children if parts else found).append(part)
            parts.append((kind, part))
            # What an annex has in parts is placed as its own is.
            current = part if parts[0][0] in ANNEXES or part.structure == "SECTION" else None
        elif current is not None:
            current.lines.append(line)
        elif parts:
            parts[-1][1].lead.append(line.text)
        else:
            before.append(line.text)
    return [unit for unit in found if unit.children or unit.lines or unit.lead or unit.heading], before


def _is_part(line: Line, word: str, rank: int, tops: Sequence[int], place: int) -> bool:
    """Whether a line begins a part: counted by another word than the provisions, or a heading above theirs."""
    if line.word in ANNEXES:
        return place > tops[0]
    if line.word and line.word != word:
        return is_head(line)
    if line.number or not line.heading > 0 or not place:
        return False
    return ((line.heading < rank or not rank) and place < tops[-1]) or (line.heading == rank and place > tops[0])


def _part(line: Line, language: str) -> _Unit:
    heading = line.caption or line.rest
    if not line.word:
        number = slug(_folded(line.text, language), limit=80)
        return _Unit("PART", "crossheading", number, container_segment("crossheading", number), line.text, line.page)
    if line.word == "supplementary":
        name = "sup" if line.number == "original" else f"sup.{line.number}"
        return _Unit("PART", line.word, name, name, line.text, line.page)
    if line.word in ANNEXES:
        return _Unit(
            "APPENDIX",
            line.word,
            line.number,
            annex_segment(_SEGMENTS.get(line.word, line.word), line.number),
            heading,
            line.page,
        )
    structure = "TITLE" if line.word == "title" else "CHAPTER" if line.word == "chapter" else "PART"
    name = container_segment(_folded(line.word, language), _folded(line.number, language))
    return _Unit(structure, line.word, line.number, name, heading, line.page)


def _folded(text: str, language: str) -> str:
    """The text in letters that URNs have, as the other formats spell them."""
    if language == "de":
        from rag.jurisdictions.de.naming import fold

        text = fold(text)
    return plain_ascii(text)


def _level_of(word: str, language: str) -> str:
    own, _ = _LEVELS.get(language, _PLAIN_LEVELS)
    return own if word in ("", "section") else word


def _provision(line: Line, level: str, following: Line | None) -> _Unit:
    unit = _Unit(
        "ARTICLE" if level in ("article", "artikel") else "SECTION",
        level,
        line.number,
        segment(line.number.replace("*", "").replace(" ", "-")),
        page=line.page,
        worded=bool(line.word) and not line.outlined,
        history=line.note,
    )
    caption = _CAPTION.match(line.rest)
    unit.heading = line.caption
    titled = caption is not None and (line.captioned or is_title(caption["caption"]))
    captioned = not titled and is_caption(line.rest) and not goes_on(line.rest, following)
    captioned = captioned and SIGN.match(line.rest) is None
    if not unit.heading and (line.heading or captioned):
        unit.heading = line.rest.rstrip(".")
    elif caption is not None and titled:
        unit.heading = caption["caption"]
        unit.lines.append(_inner(line, line.rest[caption.end() :], alone=False))
    elif line.rest:
        unit.lines.append(_inner(line, line.rest, alone=line.alone and line.captioned))
    return unit


def _inner(line: Line, text: str, *, alone: bool) -> Line:
    """What is behind the number, or the caption, of a provision on its line: "3. Standards. (a) Each lamp shall"."""
    inner = Line(text, 0, line.page, line.last_page, opens=True, alone=alone)
    match = SIGN.match(text)
    if match is not None and (match["word"] or "").strip() in ("", "§"):
        read_sign(inner, match)
        if inner.word:
            inner.word, inner.mark = "", "()"  # "Art. 2. § 1er. La collecte"
    return inner


def _all(unit: _Unit) -> Iterator[_Unit]:
    yield unit
    for child in unit.children:
        yield from _all(child)


def _held(unit: _Unit) -> int:
    """Characters that are a provision's without doubt: of a bare item of a list not the paragraphs behind it."""
    if unit.heading or unit.children:
        return unit.size()
    return sum(len(line.text) for at, line in enumerate(unit.lines) if not at or line.number or not line.opens)


# --- below a provision -----------------------------------------------------------------------------------------------


def _place(unit: _Unit, language: str) -> None:
    """Give each line of a provision its place below it."""
    divisions, unit.children = unit.children, []
    for child in divisions:
        _place(child, language)
    _place_lines(unit, language)
    unit.children += divisions


def _place_lines(unit: _Unit, language: str) -> None:
    notes = [line for line in unit.lines if not line.number and _is_history(line.text)]
    unit.history = "\n".join(filter(None, (unit.history, *(line.text for line in notes))))
    unit.lines = [line for line in unit.lines if line not in notes]
    if not unit.lines:
        return
    unit.lines = [each for line in unit.lines for each in _with_first_part(line)]
    first = unit.lines[0]
    if (
        not unit.heading
        and len(unit.lines) > 1
        and first.alone
        and not first.number
        and len(first.text.split()) <= MOST_WORDS
    ):
        unit.heading = first.text.rstrip(".")
        del unit.lines[0]
    elif language == "ja" and not first.number and (unit.worded or _counts_from_two(unit.lines)):
        first.number, first.mark, first.rest = "1", ".", first.text  # the first paragraph is printed without its number
    steps: list[Step] = []
    announced = False
    order = KANA if any(line.kana == KANA[0] for line in unit.lines) else _IROHA
    doubled = any(line.number == "aa" and line.mark == "." for line in unit.lines)
    for line in unit.lines:
        marked = (
            (_designator(line, order, doubled=doubled),) if line.number and not line.word and line.mark != "1.1" else ()
        )
        steps.append(Step(marked, announced=announced))
        announced = bool(_OPEN.search(line.text))
    stack: list[_Unit] = [unit]
    outlined = outline(steps)
    last = max((at for at, placed in enumerate(outlined) if placed), default=-1)
    for at, (line, placed) in enumerate(zip(unit.lines, outlined, strict=True)):
        if placed:
            del stack[placed[0].depth :]
            stack.append(_child(stack, line, language))
        elif at > last and last >= 0 and line.opens and (stack[-1].lead or stack[-1].children):
            unit.flush.append(line.text)
        else:
            stack[-1].lead.append(line.text)
        for above in stack:
            above.last_page = max(above.last_page, line.last_page)
            above.words.append(line.text)
    unit.lines = []
    _join_ambiguous(unit)


def _join_ambiguous(unit: _Unit) -> None:
    """Make a provision's words one text where two of its parts have the same number: "(a)" would name either."""
    for child in unit.children:
        _join_ambiguous(child)
    names = [child.name for child in unit.children]
    if len(set(names)) < len(names):
        unit.lead, unit.flush, unit.children = list(unit.words), [], []


def _letter(kana: str, order: str) -> str:
    """The letter at the place of a kana in its order; empty without one, or where there are no so many letters."""
    at = order.find(kana) if kana else -1
    return ascii_lowercase[at] if 0 <= at < len(ascii_lowercase) else ""


def _designator(line: Line, order: str, *, doubled: bool) -> Designator:
    """The number of a line as it is placed in a sequence: what was inserted behind 2 is 2-1, be it 2A or 2 bis.

    `doubled` says that "aa)", "bb)" are counted in the provision, as German law does below its letters.
    """
    if doubled and len(line.number) == 2 and line.number[0] == line.number[1] and line.number.isalpha():
        return Designator(line.number[0], mark="aa")
    if letter := _letter(line.kana, order):
        return Designator(letter, mark=line.mark)
    if (match := _INSERTED.fullmatch(line.number)) is None:
        return Designator(line.number, mark=line.mark)
    place = ascii_uppercase.index(match["letter"]) + 1 if match["letter"] else _LATIN.index(match["latin"])
    return Designator(f"{match['number']}-{place}", mark=line.mark)


def _with_first_part(line: Line) -> Iterator[Line]:
    """A line, and apart from it the first part that begins right behind its number: "2.—(1) The length"."""
    if line.number and not line.word and (match := SIGN.match(line.rest)) and match["bracket"] in _FIRST:
        inner = _inner(line, line.rest, alone=False)
        line.rest = ""
        yield line
        line = inner
    yield line


def _is_history(text: str) -> bool:
    bracketed = BRACKETED.fullmatch(text)
    return _HISTORY.fullmatch(text) is not None or (bracketed is not None and bool(AMENDED.match(bracketed[1])))


def _counts_from_two(lines: Sequence[Line]) -> bool:
    numbers = [line.number for line in lines if line.mark == "."]
    return "2" in numbers and "1" not in numbers


def _child(stack: Sequence[_Unit], line: Line, language: str) -> _Unit:
    _, names = _LEVELS.get(language, _PLAIN_LEVELS)
    depth = min(len(stack) - 1, len(names) - 1)
    level = names[depth]
    if language == "de":
        level = "absatz" if line.mark == "()" and line.number.isdigit() else "nr" if line.number.isdigit() else "buchst"
    name = f"nr.{line.number}" if level == "nr" and len(stack) == 1 else segment(line.number)
    lead = [line.rest] if line.rest else []
    child = _Unit(_STRUCTURE[depth], level, line.number, name, line.caption, page=line.page, lead=lead)
    stack[-1].children.append(child)
    return child


def _nodes(unit: _Unit, parent: str, base: str) -> Iterator[ParsedNode]:
    """The unit and what is in it as nodes, depth first. Parts are no part of the URN of the provisions in them."""
    own = f"{base}:{unit.name}"
    lead, flush = "\n".join(unit.lead), "\n".join(unit.flush)
    if not unit.children:
        lead, flush = "", "\n".join(text for text in (lead, flush) if text)
    container = unit.structure in ("PART", "CHAPTER", "TITLE") and unit.level != "supplementary"
    tags = {"page": str(unit.page)} if unit.page else {}
    if unit.last_page > unit.page:
        tags["last_page"] = str(unit.last_page)
    if unit.history:
        tags["history"] = unit.history
    yield ParsedNode(
        own, parent, unit.structure, unit.level, unit.number, unit.heading, lead, flush,
        kind="section" if container else "legislation", tags=tags,
    )  # fmt: skip
    for child in unit.children:
        yield from _nodes(child, own, base if container or child.is_flat else own)
