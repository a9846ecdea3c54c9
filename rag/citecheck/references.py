"""The references of a text: what the grammars of all jurisdictions, the form of a URN and names of documents find."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol

from rag.citecheck.deadline import NO_DEADLINE, Deadline, DeadlineReached
from rag.jurisdictions.registry import jurisdiction_for
from rag.law.jurisdiction import FoundReference, RangeEnd, ReferencePart
from rag.store.database import Connection
from retrieval.errors import InputError
from retrieval.paths import parse_urn, urns_in, without_urns
from retrieval.references.hits import named_urns
from retrieval.references.law_names import LawNames, law_names
from retrieval.references.parts import NAMED, POINT, named_part, place_of
from retrieval.tag_query import TagQuery

# Characters that a grammar reads at once. A longer text is read in windows, between which the deadline is looked at;
# what leans on words of another window ("that Act", a name defined there) is then read as if these were not there.
WINDOW = 100_000
_OVERLAP = 2_000  # characters of the next window that are read with one, for references that begin right before its end
# What looks like a reference although no grammar read it: it is named, so that silence is no approval.
_LOOKS_LIKE_ONE = re.compile(
    r"""§{1,2}\s?\d[\w.:-]*(?:\s?\(\w{1,5}\))*
      | \b(?:section|sections|article|articles|artikel|art\.|rule|regulation|chapter|part)\s\d[\w.:-]*(?:\(\w{1,5}\))*
      | \b\d{1,4}\s[A-Z][\w'’]*(?:(?:\.\s?|\s)[A-Z][\w'’]*){0,3}\.?\s?(?:[23]d\s)?\s?§?\s?\d{1,5}\b
      | \b\d{4}\sWL\s\d+ | \[\d{4}\]\s(?:[A-Z][A-Za-z]*\s){1,3}\d+
      | \b\d{1,4}\s[A-Z][\w'’]*(?:(?:\.\s?|\s)[\w'’]+){0,3}?\.?,?\sat\s\d{1,5}\b
      | \b(?:[Ii]d|[Ii]bid|[Ee]bd)\.(?:\sat\s\d+)? | \b(?:supra|ibidem|a\.\s?a\.\s?O\.|op\.\scit\.)
      | 第[0-9０-９〇一二三四五六七八九十百千]+条(?:の[0-9０-９一二三四五六七八九十]+)?""",
    re.VERBOSE,
)

# Words around a reference that name a text which is no longer, or was never yet, the law: "35 U.S.C. § 102 (pre-AIA)".
_EARLIER_BEFORE = re.compile(
    r"(?<![\w-])(?:former(?:ly)?|pre-[A-Z][\w-]{1,20}|superseded|repealed|proposed|draft|ancien|ehemalige[rn]?)\s\Z"
)
_EARLIER_AFTER = re.compile(
    r",?\s{0,2}(?:\(\s?(?:pre-\w|former|repealed|superseded|proposed|as\s(?:originally\s)?enacted|as\s(?:it\sstood|in\sforce"
    r"\sbefore)|abrogée?\b|ancien)|as\s(?:originally\senacted|it\sstood|in\sforce\sbefore|proposed)\b)"
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a provision that a text has cited before, named by itself: `subsection (b)`, `Abs. 2`.

    Attributes:
        of: where the mention of that provision begins.
        names: of the part and of what it lies in, from the outside: `("a", "1")`; empty for the provision itself.
        below: whether it is one of the section's own parts, on whatever level the mention is.
        within: names of the part that was named last, which this one may lie in or stand beside.
    """

    of: int
    names: tuple[str, ...]
    below: bool
    within: tuple[str, ...] = ()

    def urns(self, urn: str) -> list[str]:
        """What it may be by the URN of the provision cited before, the likeliest first; empty without such a URN."""
        try:
            parsed = parse_urn(urn)
        except InputError:
            return []
        law, segments = parsed.law, parsed.place
        # The URN of a section has one segment, or two in a code that is cited by titles.
        sections = [segments[:size] for size in (1, 2) if len(segments) >= size]
        if not self.names:
            places = [segments]
        elif self.below:
            places = [(*section, *self.names) for section in sections]
        else:
            around = [*((*section, *self.within) for section in sections if self.within), segments]
            places = [place for pair in around for place in _beside_or_below(pair, self.names)]
        return list(dict.fromkeys(":".join((law, *place)) for place in places))


def _beside_or_below(place: tuple[str, ...], names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Where a part may be that is named after another: beside that or what contains it, or in it."""
    sizes = range(len(place) - 1, 0, -1)
    alike = [size for size in sizes if place[size].isdigit() == names[0].isdigit()]
    yield from ((*place[:size], *names) for size in alike)
    yield (*place, *names)
    yield from ((*place[:size], *names) for size in sizes if size not in alike)


@dataclass(frozen=True, slots=True)
class Mention:
    """One provision that a text names.

    `urns` are the URNs that the words may mean: one as a rule, several where grammars differ, none where the law has
    no URN scheme. `words` is the whole reference that the provision is part of, and `whole_*` its place.
    """

    start: int
    end: int
    urns: tuple[str, ...]
    words: str
    whole_start: int
    whole_end: int
    confident: bool = True
    alone: bool = True  # the only provision of its reference
    by_itself: str = ""  # of one of several that have no URN: the words of the whole reference for it alone
    range: RangeEnd = ""
    note: str = ""  # how it was read, where it leans on another reference
    assumed: bool = False  # read so only where the store has it
    part: Part | None = None  # what is named is a part of another mention's provision
    whole: str = (
        ""  # of `urns` the provision of which a part is named: read where the store has no such part, as a guess
    )
    case: str = ""  # the name that the text gives the decision: `Roe v. Wade`
    edition: int | None = None  # the year of a code's edition that is named with it
    guessed: bool = False  # its law is one of the jurisdiction that is asked for, which the text does not name

    @property
    def names_no_law(self) -> bool:
        """Whether a grammar knew its law by the form of the number alone: "§ 42-3502.17"."""
        return bool(self.urns) and not self.confident and _BARE.fullmatch(self.words) is not None


@dataclass(slots=True, unsafe_hash=True)
class ByName(FoundReference):
    """A reference by the name of a document of the store; what a grammar reads with confidence goes before it."""


class Reads(Protocol):
    """What finds references in a text: the grammar of a jurisdiction, the names of plain documents."""

    def find_references(self, text: str, here: None) -> Sequence[FoundReference]:
        """All references of a text in order, without overlap."""
        ...


def find_mentions(
    text: str, grammars: Sequence[Reads], deadline: Deadline = NO_DEADLINE, *, window: int = WINDOW
) -> tuple[list[Mention], int]:
    """All provisions that a text names, in order. Where readings overlap, the one that says most stands.

    A reading with a URN goes before one without, a certain one before a guess, a longer one before a shorter. Two
    equally good readings of the same words are kept together as one mention with both URNs.

    Args:
        deadline: looked at before each grammar reads a window.
        window: characters that a grammar reads at once; more than the overlap of two.

    Returns:
        The mentions, and up to which character the text was read: its length, unless the deadline came first.
    """
    # Grammars would read the number inside a URN once more.
    masked = without_urns(text)
    readings, read_to = _readings(masked, grammars, deadline, window)
    mentions = [
        Mention(start, end, (urn,), text[start:end], start, end) for start, end, urn in urns_in(text) if end <= read_to
    ]
    for group in _chosen(readings):
        mentions += _mentions(group)
    mentions = [replace(mention, confident=False) if _is_earlier(text, mention) else mention for mention in mentions]
    mentions = [replace(mention, edition=_edition(text, mention), case=_case(text, mention)) for mention in mentions]
    return sorted(mentions, key=lambda one: (one.start, one.end)), read_to


def _readings(
    text: str, grammars: Sequence[Reads], deadline: Deadline, window: int
) -> tuple[list[FoundReference], int]:
    """What each grammar reads in a text, and up to where all of them read it."""
    found: list[FoundReference] = []
    start = floor = 0
    while start < len(text):
        end = _break(text, start + window)
        until = _break(text, end + _OVERLAP)
        try:
            read = [
                reference
                for grammar in grammars
                for reference in _read_window(text[start:until], grammar, start, deadline)
            ]
        except DeadlineReached:
            return [reference for reference in found if reference.end <= start], start
        # What begins in the next window is read there; what ends with this one may go on, and what begins within a
        # reference of the last one is a part of that.
        read = [
            reference
            for reference in read
            if floor <= reference.start < end and (reference.end < until or until == len(text))
        ]
        found += read
        floor = max((reference.end for reference in read), default=floor)
        start = end
    return found, len(text)


def _read_window(text: str, grammar: Reads, offset: int, deadline: Deadline) -> Iterable[FoundReference]:
    deadline.check()
    # No reference goes on from one paragraph to the next, where a number is that of the next paragraph.
    found = grammar.find_references(_PARAGRAPH.sub(lambda gap: "\ufffc" * (len(gap[0]) - 1) + "\n", text), None)
    return found if offset == 0 else (_moved(reference, offset) for reference in found)


def _moved(one: FoundReference, by: int) -> FoundReference:
    parts = tuple(replace(part, start=part.start + by, end=part.end + by) for part in one.parts)
    return replace(one, start=one.start + by, end=one.end + by, parts=parts)


def _break(text: str, at: int) -> int:
    """The end of a paragraph, else of a line, else of a word at or shortly before an offset; the text's end past it."""
    if at >= len(text):
        return len(text)
    low = at - _OVERLAP // 2
    for mark in ("\n\n", "\n", " "):
        if (place := text.rfind(mark, low, at)) >= 0:
            return place + len(mark)
    return at


def _is_earlier(text: str, one: Mention) -> bool:
    """Whether the words around a reference say that not the law in force is meant."""
    before = text[max(0, one.whole_start - 40) : one.whole_start]
    return bool(_EARLIER_BEFORE.search(before) or _EARLIER_AFTER.match(text, one.whole_end))


# "42 U.S.C. § 1983 (2018)", "(West 2015)", "(2012 & Supp. V 2017)": the first year is the edition's.
_EDITION = re.compile(r",?\s?\((?:[A-Z][\w.&’' ]{0,30}\s)?((?:1[789]|20)\d\d)(?:\s(?:ed\.|&\s?Supp\.)[^()\n]{0,30})?\)")


def _edition(text: str, one: Mention) -> int | None:
    """The year of a code's edition in brackets after a section; the year after a decision is part of its name."""
    match = _EDITION.match(text, one.whole_end) if one.urns else None
    return int(match[1]) if match else None


# A name right before a citation: "Roe v. Wade, 410 U.S. 113", "In re Gault, 387 U.S. 1", "Pepper v Hart [1992] UKHL 3".
_NAME_WORD = r"(?:(?:[A-Z][\w'’&.-]*|of|the|and|for|ex|rel\.|de|la|&),?\s)"
_CASE = re.compile(
    rf"(?:{_NAME_WORD}{{0,8}}[A-Z][\w'’&.-]*,?\svs?\.?\s{_NAME_WORD}{{0,8}}[A-Z][\w'’&.-]*|\b(?:In\sre|Ex\sparte)\s{_NAME_WORD}{{0,4}}[A-Z][\w'’&.-]*)"
    r"[,;:]?\s{1,2}\Z"
)
_SIGNALS = re.compile(r"\A(?:(?:See|Cf\.|But|In|Under|Accord|Compare|As|also|e\.g\.),?\s)+(?!re\s)")


def _case(text: str, one: Mention) -> str:
    """The name that a text gives right before the citation of a decision; empty where it gives none."""
    match = _CASE.search(text, max(0, one.whole_start - _NAMED_WITHIN), one.whole_start)
    return _SIGNALS.sub("", match[0]).rstrip(" ,;:") if match else ""


def _rank(one: FoundReference) -> tuple[bool, bool, bool, int, int]:
    return (not one.urns, not one.confident, isinstance(one, ByName), one.start - one.end, one.start)


def _chosen(readings: Sequence[FoundReference]) -> list[list[FoundReference]]:
    """Readings that do not overlap, best first, each with those of the same words that say something else."""
    taken: dict[int, list[FoundReference]] = {}
    chosen: list[list[FoundReference]] = []
    for reading in sorted(readings, key=_rank):
        held = next((taken[at] for at in range(reading.start, reading.end) if at in taken), None)
        if held is None:
            group = [reading]
            chosen.append(group)
            taken.update(dict.fromkeys(range(reading.start, reading.end), group))
        elif (held[0].start, held[0].end) == (reading.start, reading.end) and _rank(reading)[:3] == _rank(held[0])[:3]:
            held.append(reading)
    return chosen


def _mentions(group: Sequence[FoundReference]) -> list[Mention]:
    first = group[0]
    alone = len(first.parts) == 1
    others = [reference for reference in group[1:] if len(reference.parts) == len(first.parts)]
    found: list[Mention] = []
    for index, part in enumerate(first.parts):
        urns = dict.fromkeys(reference.parts[index].urn for reference in (first, *others) if reference.parts[index].urn)
        start, end = (first.start, first.end) if alone else (part.start, part.end)
        mention = Mention(
            start, end, tuple(urns), first.text, first.start, first.end, first.confident, alone, part.range
        )
        found.append(mention if urns or alone else replace(mention, by_itself=_by_itself(first, index)))
    return found


def _by_itself(reference: FoundReference, index: int) -> str:
    """A reference to several provisions as one to one of them: "Act 2003, s 1(2)" of "Act 2003, s 1(1) and (2)"."""
    spans = [(part.start - reference.start, part.end - reference.start) for part in reference.parts]
    said = [reference.text[start:end] for start, end in spans[: index + 1]]
    section = next((words.partition("(")[0] for words in reversed(said) if not words.startswith("(")), "")
    own = section + said[-1] if said[-1].startswith("(") else said[-1]
    return reference.text[: spans[0][0]] + own + reference.text[spans[-1][1] :]


def find_unread(text: str, mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    """Spans that look like references and overlap none that was read, in order."""
    covered = bytearray(len(text))
    for mention in mentions:
        covered[mention.whole_start : mention.whole_end] = b"\x01" * (mention.whole_end - mention.whole_start)
    begins = {mention.whole_start for mention in mentions}
    ends = {mention.whole_end for mention in mentions}
    return [
        (match.start(), match.end())
        for match in _LOOKS_LIKE_ONE.finditer(text)
        if not any(covered[match.start() : match.end()]) and not _belongs(text, match, begins, ends)
    ]


def _belongs(text: str, match: re.Match[str], begins: set[int], ends: set[int]) -> bool:
    """Whether `Id.` introduces a reference that was read, or `supra` follows one."""
    if match[0].lower().startswith(("id", "ibid", "ebd")):
        return any(
            at in begins and not text[match.end() : at].strip(" ,") for at in range(match.end(), match.end() + 4)
        )
    near = range(match.start() - 2, match.start() + 1)
    return match[0] == "supra" and any(at in ends and not text[at : match.start()].strip(" ,") for at in near)


# References that lean on another one of the same text: `Id.`, `Smith, supra`, and a bare `§ 12`. Pure.

# Possessive: `§ 12 of the lease` is not `§ 1`. A Roman number behind a dash is a point: `art. 8-I-1°`.
_SECTION = r"\d(?:[\w:~]|-(?!(?-i:[IVX]{1,6})(?!\w)))*+(?:\.\d(?:[\w~]|-(?!(?-i:[IVX]{1,6})(?!\w)))*+)*+"
_PARTS = r"(?:\s?\((?:\d{1,3}|[A-Za-z]{1,5})\))*+"
_ID = re.compile(
    rf"\b(?:[Ii]d|[Ii]bid|[Ee]bd)\.(?:,?\s(?:at\s)?§\s?(?P<section>{_SECTION})(?P<parts>{_PARTS})"
    rf"|,?\s(?:at\s)?(?P<below>\((?:\d{{1,3}}|[A-Za-z]{{1,5}})\){_PARTS})|,?\sat\s(?P<page>\d[\d–-]*))?"
)
_REPORTED = re.compile(r"(?P<volume>\d{1,4})\s(?P<reporter>[A-Z][^,()]{0,30}?)\s(?P<page>\d{1,5})\b")
_SHORT = re.compile(
    r"(?P<volume>\d{1,4})\s(?P<reporter>[A-Z][\w.'’\s]{0,30}?),?\sat\s(?P<page>\d{1,5})(?:[-–]\d{1,5})?\b"
)
_SUPRA = re.compile(
    r"(?P<name>[A-Z][\w'’&-]+(?:\s(?:v\.\s)?[A-Z][\w'’&-]+){0,3}),?\ssupra\b(?:\s(?:note|n\.)\s\d+)?(?:,?\sat\s\d[\d–-]*)?"
)
# How a text names a provision of a law that it has named before: "s. 44(2)", "reg. 10", "article L. 311-2, alinéa 1er",
# "§ 546a Abs. 2". A reference of one kind of unit is one of a law that was cited by the same.
_NAMES_OF_LAWS = "Act|Regulations?|Order|Rules|Code|Ordinance|Directive|Convention|Measure"
_CALLED = re.compile(rf"\b(?P<name>{_NAMES_OF_LAWS})\b(?:\s\([^()]{{1,60}}\))*(?:,?\s(?P<year>\d{{4}}))?\b")
_UNITS = {
    "section": r"§|(?-i:ss?\b)\.?|sec\.|sections?\b",  # a capital "S. 2" is a German sentence
    "regulation": r"regs?\b\.?|regulations?\b",
    "article": r"arts?\.|articles?\b|artikels?\b|(?-i:(?=[LRD]\.\s?\d{1,4}-\d))",  # "L. 523-1" tells by itself
    "clause": r"cl\.|clauses?\b|klauseln?\b|ziff\.|ziffern?\b",
    "rule": r"rules?\b",
    # "TFMC 12.44.100": a section that is numbered within a chapter of a code.
    "code": r"(?-i:[A-Z]{2,6}\b)(?=\s(?:§\s?)?\d{1,3}(?:[.-]\d{1,4}){2,}(?!\d))(?:\s§)?",
}
_UNIT_NAMES = re.compile(
    "|".join(rf"(?P<{name}>(?<![\w§])(?:{words}))" for name, words in _UNITS.items()), re.IGNORECASE
)
# Parts that are named by words, or by a Roman number or a degree sign: "alinéa 1er", "Abs. 2 Satz 1", "III, 1°".
_PART = named_part(f"{NAMED}|satz") + r"(?:\s(?:satz|s\.)\s?\d{1,2}\b)?"
_OF_LAW = r"(?!\s?(?:of|de|du|des|der|von|vom)\b)"
_NUMBERED = rf"(?:{_UNIT_NAMES.pattern})\s?(?P<place>(?:[LRD]\.?\s?\*?\s?)?{_SECTION})"
_BARE = re.compile(rf"{_NUMBERED}(?P<parts>{_PARTS}(?:{_PART})*+){_OF_LAW}", re.IGNORECASE)
_BARE_POINTED = re.compile(rf"{_NUMBERED}(?P<parts>{_PARTS}(?:{_PART}|{POINT})*+){_OF_LAW}", re.IGNORECASE)
# Of the law that is given alone: elsewhere "paragraph 2" is a part of what was cited before.
_BARE_PARAGRAPH = re.compile(
    rf"(?<![\w§])(?:paras?\.?|paragraphs?|bye-?laws?)\s(?P<place>{_SECTION})(?P<parts>{_PARTS})(?!\s(?:of|to|in)\b)",
    re.IGNORECASE,
)
_KANJI_NUMBER = r"[0-9０-９〇一二三四五六七八九十百千]{1,8}"
_BARE_JAPANESE = re.compile(
    rf"(?:(?:この|本|同)?(?:条例|規則|規程|要綱|法)\s?)?第(?P<article>{_KANJI_NUMBER})条(?:の(?P<branch>{_KANJI_NUMBER}))?"
    rf"(?:第(?P<paragraph>{_KANJI_NUMBER})項)?(?:第(?P<item>{_KANJI_NUMBER})号)?"
)
_BARE_OF = re.compile(
    rf"(?:{_UNIT_NAMES.pattern})\s?(?P<place>{_SECTION})(?P<parts>{_PARTS}),?\s(?:of|to|in)\s(?:the|that|this|those)\s"
    rf"(?P<name>(?:\d{{4}}\s)?(?:{_NAMES_OF_LAWS}))\Z",
    re.IGNORECASE,
)
_BARE_PLACE = re.compile(
    rf"(?:(?:{'|'.join(_UNITS.values())})\s?{_SECTION}{_PARTS})(?=,?\s(?:of|to|in)\s(?:the|that)\s[A-Z])"
    rf"|(?<=\d,\s)(?:{'|'.join(_UNITS.values())})\s?{_SECTION}{_PARTS}\Z",
    re.IGNORECASE,
)
# A part of a provision cited before, or that provision again: "subsection (b)", "Abs. 2", "(same subsection)".
_SAME = (
    r"(?:the\s)?(?:same|said)\s(?:(?:sub)?section|article|paragraph|regulation|provision)|"
    r"même\s(?:article|alinéa)"
)
_NUMBER = rf"(?:\(\w{{1,5}}\){_PARTS}|\d{{1,2}}[a-z]?(?:er|re|e|ème)?\b(?:\(\w{{1,5}}\){_PARTS})?)"
_PART_ALONE = re.compile(
    rf"(?<=\()(?:{_SAME})(?=[);,])|(?<![\w§])(?:satz\s\d{{1,2}}\b"
    rf"|(?P<parts>(?:(?P<below>sub-?sections?|subs\.|abs\.|absatz(?:es)?|alinéas?|al\.)|(?:sub-?)?para(?:graphs?|s?\.))"
    rf"\s?{_NUMBER})(?:\s(?:satz|s\.)\s?\d{{1,2}}\b)?)(?!\s?(?:of|du|de\sla|des|der|von|vom)\b)",
    re.IGNORECASE,
)
_SENTENCE_ENDS = re.compile(r"(?<!\b[A-Z])(?<!\bNo)(?<!\b[Aa]rt)[.!?][)\"”“»]*\s+[(\"„“«]?(?:[^\W\d_a-zà-ÿ]|§)|\n\s*\n")
# The same right before a reference that begins the next one ("... comes first. 11 C.F.R. § 2.4(a)"). A word of three
# letters may be an abbreviation ("vgl. § 5").
_ENDS_RIGHT_BEFORE = re.compile(r"(?:\w{4}|[)\]\"”“»])[.!?][)\"”“»]{0,2}\s{1,4}\Z")
_LONGEST_END = 12  # characters of that
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_REACH = 2_000  # characters that `Id.` looks back over
_NAMED_WITHIN = 160  # characters before a citation in which its name stands
_IN_QUOTES = 12  # references before `Id.` of which some may be inside a quotation
_LOOKED_AT = 200  # earlier references that `supra` may mean
LEADING_WORDS = 3  # at most before a reference that its sentence, or a clause of it, begins with
_APART_BEFORE = (",", ";", ":", "(", "[", "—", "–")
_APART_AFTER = (",", ";", ":", ")", "]", "—", "–", ".", "")


def stands_apart(text: str, mention: Mention, floor: int) -> bool:
    """Whether a reference stands apart from the words of the sentence that begins at a place, as citations do."""
    before = text[floor : mention.whole_start].rstrip()
    after = text[mention.whole_end : mention.whole_end + 2].lstrip()[:1]
    return (not before or before[-1] in _APART_BEFORE) and after in _APART_AFTER


def with_back_references(
    text: str,
    mentions: Sequence[Mention],
    unread: Sequence[tuple[int, int]],
    deadline: Deadline = NO_DEADLINE,
    *,
    quoted: Sequence[tuple[int, int]] = (),
    law: str = "",
) -> list[Mention]:
    """The mentions of a text with those that lean on them, in order.

    Args:
        mentions: what the grammars read in it, in order.
        unread: spans that look like references and were not read, in order.
        deadline: what leans on another reference stays unread after it.
        quoted: where quotations begin and end, in order; `Id.` means nothing inside one.
        law: URN of the law that sections cited by number alone are of, where the text names none.
    """
    return _Reader(text, mentions, [start for start, _ in unread], quoted, law).read(deadline)


class _Reader:
    """One text, read once from its beginning; a text of nothing but short forms takes time in proportion to it."""

    def __init__(
        self,
        text: str,
        mentions: Sequence[Mention],
        unread: Sequence[int],
        quoted: Sequence[tuple[int, int]],
        given: str,
    ) -> None:
        self._text = text
        self._given = given
        self._quoted = quoted
        self._unread = unread
        self._mentions = mentions
        self._found: list[Mention] = []  # those that begin at or before the place that is read, in order
        self._breaks = [match.start() for match in _PARAGRAPH.finditer(text)]
        self._begins = [match.end() - 1 for match in _SENTENCE_ENDS.finditer(text)]  # of sentences
        # The last references that lean on no other one, each with the text in which the name that it stands behind is.
        self._named: deque[tuple[Mention, str]] = deque(maxlen=_LOOKED_AT)
        # By unit, the last paragraph that cited a law by it, and the laws that it cited so: those that the unit means.
        self._cited: dict[str, tuple[int, set[str]]] = {unit: (-1, set()) for unit in _UNITS}
        laws = {law for mention in mentions if not mention.names_no_law and (law := _law(mention))}
        self._only_law = laws.pop() if len(laws) == 1 else ""
        self._places: dict[str, set[str]] = {}  # law -> the sections cited of it, and the parts that these are in
        # What a text names whole before it cites anything is what it is about: "Dates under the Police Act 2000".
        self._subject = _whole_law(mentions[0]) if mentions else ""
        self._called: dict[str, str] = {}  # what the name of a law ends with -> the law cited last by such a name
        self._by_paragraph = False  # whether the text cites its law by paragraphs
        self._topic: Mention | None = None  # the provision that parts named by themselves belong to
        # Decisions cited in full, by volume and reporter, with their first pages.
        self._reported: dict[tuple[str, str], list[tuple[int, Mention]]] = {}
        self._whole_end = 0  # of the last reference that is no such part

    def read(self, deadline: Deadline) -> list[Mention]:
        passed = 0
        for start in self._short_forms():
            if deadline.passed():
                break
            while passed < len(self._mentions) and self._mentions[passed].start <= start:
                self._add(self._mentions[passed])
                passed += 1
            one = self._back(start) or self._page(start) or self._supra(start) or self._bare(start) or self._part(start)
            if one is not None and not (self._found and self._found[-1].whole_end > one.start):
                self._add(one)
        for mention in self._mentions[passed:]:
            self._add(mention)
        return self._found

    def _short_forms(self) -> list[int]:
        """Where what may lean on another reference begins, in order."""
        if not self._mentions and not self._given:
            return [*self._unread]
        forms = (_BARE, _PART_ALONE, _BARE_PARAGRAPH, _BARE_JAPANESE)
        found = {match.start() for form in forms for match in form.finditer(self._text)}
        begins = [mention.whole_start for mention in self._mentions]
        ends = [*accumulate((mention.whole_end for mention in self._mentions), max)]
        free = (at for at in found if not (index := bisect_right(begins, at)) or ends[index - 1] <= at)
        return sorted({*self._unread, *free})

    def _add(self, one: Mention) -> None:
        one = self._of_the_act(one)
        # The first reference of a sentence: what it refers to later is what the law there speaks of.
        if one.part is None:
            last, start = self._whole_end, one.whole_start
            if (
                self._topic is None
                or _SENTENCE_ENDS.search(self._text, last, start)
                or _ENDS_RIGHT_BEFORE.search(self._text, max(last, start - _LONGEST_END), start)
            ):
                self._topic = one
            self._whole_end = one.whole_end
        self._found.append(one)
        if not one.note:
            self._named.append((one, self._text[max(0, one.whole_start - _NAMED_WITHIN) : one.whole_start]))
        if not one.note and not one.urns and (cited := _REPORTED.match(one.words)):
            self._reported.setdefault(_volume(cited), []).append((int(cited["page"]), one))
        law = "" if one.note or one.names_no_law else _law(one)
        self._call(one.words, law or ("" if one.note else _whole_law(one)))
        if not law:
            return
        if one.urns:
            section = parse_urn(one.urns[0]).place[0]
            self._places.setdefault(law, set()).update((section, _part_of_title(section)))
        paragraph, unit = bisect_right(self._breaks, one.start), _unit(one.words)
        for each in _UNITS if not unit else (unit,):
            known, laws = self._cited[each]
            self._cited[each] = paragraph, {law} if known != paragraph else laws | {law}

    def _call(self, words: str, law: str) -> None:
        """Keep what a text may call a law that it names by some words: `the Act`, and with its year, `the 1949 Act`,
        where that tells it from the other laws that the text names.
        """
        for match in _CALLED.finditer(words) if law else ():
            name = match["name"].lower().rstrip("s")
            self._called[name] = law
            if match["year"]:
                dated = f"{match['year']} {name}"
                known = self._called.setdefault(dated, law)
                same = len({_told(one).removeprefix("the ") for one in (known, law)}) == 1
                self._called[dated] = law if same else ""

    def _of_the_act(self, one: Mention) -> Mention:
        """`regulation 16 of the Regulations`: of the law that the text has named in full by that word."""
        said = one.words if one.alone else one.by_itself
        match = None if one.urns or one.note else _BARE_OF.match(said)
        law = self._called.get(match["name"].lower().rstrip("s"), "") if match else ""
        if match is None or not law:
            return one
        place = _BARE.match(said[: match.end("parts")])
        if place is None:
            return one
        read = _made(law, place, place["place"], f"Read as a provision of {_told(law)}, the law that the text cites.")
        return replace(read, start=one.start, end=one.end, whole_start=one.whole_start, whole_end=one.whole_end)

    def _back(self, start: int) -> Mention | None:
        """`Id.`: the reference right before it, or another section of the same law."""
        match = _ID.match(self._text, start)
        if match is None or not self._found:
            return None
        own = [mention for mention in self._found[-_IN_QUOTES:] if not self._is_quoted(mention)]
        if not own:
            return None
        at = self._cited_last(start, own)
        last = own[at]
        several = at > 0 and own[at - 1].whole_start == last.whole_start
        since = self._unread[bisect_left(self._unread, last.whole_end) : bisect_left(self._unread, start)]
        unread = not {mention.start for mention in own[at + 1 :]}.issuperset(since)
        if several or unread or start - last.whole_end > _REACH:
            return None
        law = _law(last)
        if match["section"]:
            return _made(law, match, match["section"], f"`Id.` was read as {_told(law)}.") if law else None
        if match["below"]:
            if not law:
                return None
            part = Part(last.part.of if last.part else last.start, _part_names(match["below"]), below=True)
            note = f"`Id.` was read as {last.words}, and this as a part of its section."
            start, end = match.span()
            return Mention(start, end, (), match[0], start, end, note=note, assumed=True, part=part)
        if match["page"] and law:
            return None  # a section has no pages, so something else is meant
        page = "; the page was not checked" if match["page"] else ""
        return _again(last, match, f"`Id.` was read as {last.words}{page}.")

    def _cited_last(self, start: int, own: Sequence[Mention]) -> int:
        """Which of some references `Id.` at a place means: the last one but for those that the sentence before it only
        speaks of. "One work is excepted under section 408(f). Id." cites what the sentence before that one cites, in
        the same paragraph.
        """
        text, floor = self._text, max(0, start - _REACH)
        begins = [floor, *self._begins[bisect_right(self._begins, floor) : bisect_right(self._begins, start)]]
        alone = begins[-1] >= start
        begin = begins[-2] if alone and len(begins) > 1 else begins[0] if alone else begins[-1]
        spoken = [mention.whole_start >= begin and not stands_apart(text, mention, begin) for mention in own]
        if alone:  # "Section 74 lets her leave. Id.": what it begins with
            spoken = [
                one and len(text[begin : mention.whole_start].split()) > LEADING_WORDS
                for one, mention in zip(spoken, own, strict=True)
            ]
        if not spoken[-1]:
            return len(own) - 1
        paragraph = bisect_right(self._breaks, own[-1].whole_start)
        for at in range(len(own) - 1, -1, -1):
            one = own[at]
            if bisect_right(self._breaks, one.whole_start) != paragraph:
                break
            opens = begins[max(0, bisect_right(begins, one.whole_start) - 1)]
            leads = one.whole_start < begin and len(text[opens : one.whole_start].split()) <= LEADING_WORDS
            if leads or (not spoken[at] and stands_apart(text, one, opens)):
                return at
        return len(own) - 1

    def _is_quoted(self, mention: Mention) -> bool:
        at = bisect_right(self._quoted, mention.whole_start, key=lambda span: span[0]) - 1
        return at >= 0 and mention.whole_end <= self._quoted[at][1]

    def _page(self, start: int) -> Mention | None:
        """`347 U.S. at 490`: the decision of that volume which begins last before the page."""
        match = _SHORT.match(self._text, start)
        if match is None:
            return None
        before = [(page, one) for page, one in self._reported.get(_volume(match), ()) if page <= int(match["page"])]
        if not before:
            return None
        one = max(before, key=lambda pair: pair[0])[1]
        return _again(one, match, f"Read as {one.words}; the page was not checked.")

    def _supra(self, start: int) -> Mention | None:
        """`Smith, supra, at 5`: the one earlier reference that stands after this name."""
        text = self._text
        begin, end = max(0, start - _NAMED_WITHIN), start + _NAMED_WITHIN
        if text.find("supra", begin, end) < 0:
            return None
        match = next(
            (match for match in _SUPRA.finditer(text, begin, end) if match.start() <= start < match.end()), None
        )
        if match is None:
            return None
        name = match["name"]
        earlier = [(one, before) for one, before in self._named if name in before and one.start < match.start()]
        named = [one for one, before in earlier if _ends_with_name(before, name)]
        if len({mention.words for mention in named}) != 1:
            return None
        return _again(named[0], match, f"`supra` was read as {named[0].words}; a page was not checked.")

    def _bare(self, start: int) -> Mention | None:
        """`§ 12`, `s. 12(1)`: of the law that the text cites by the same unit, last or there alone."""
        match = _BARE.match(self._text, start)
        if match is None:
            return self._bare_paragraph(start) or self._bare_japanese(start)
        unit = _unit(match[0])
        laws = self._cited[unit][1] if unit else set[str]()
        if len(laws) > 1:
            # `§ 9008.5(b)` beside 11 C.F.R. and 52 U.S.C.: of the law of which the text has cited this section or part.
            number = match["place"].lower()
            laws = {law for law in laws if {number, _part_of_title(number)} & self._places.get(law, set())}
        law = next(iter(laws)) if len(laws) == 1 else ("§" in match[0] and self._only_law) or self._subject
        cited = law or self._given
        if cited and unit in ("section", "article") and _language(cited) not in ("", "en"):
            match = _BARE_POINTED.match(self._text, start)
        if not cited or match is None:
            return None
        if not law:
            note = f"Read as a provision of {cited}: the text names no law, and of those asked for it fits best."
            return replace(_made(cited, match, match["place"], note), guessed=True)
        return _made(
            law, match, match["place"], f"Read as a provision of {_told(law)}, the law that the text cites there."
        )

    def _bare_paragraph(self, start: int) -> Mention | None:
        """`para 24(2)` of a law that is cited by paragraphs: no provision of another kind is cited before it."""
        match, law = _BARE_PARAGRAPH.match(self._text, start), self._given or self._subject
        whole = self._topic is None or _is_whole_law(self._topic)
        if match is None or not law or not (whole or self._by_paragraph):
            return None
        self._by_paragraph = True
        if self._given:
            note = f"Read as a provision of {law}: the text names no law, and of those asked for it fits best."
            return replace(_made(law, match, match["place"], note), guessed=True)
        note = f"Read as a provision of {_told(law)}, the law that the text cites."
        return _made(law, match, match["place"], note)

    def _bare_japanese(self, start: int) -> Mention | None:
        """`条例第八条第二項` of the law that is given; beside a law that the text names a grammar reads it."""
        match = _BARE_JAPANESE.match(self._text, start) if self._given else None
        if match is None:
            return None
        from rag.jurisdictions.jp.kanji import kanji_number  # for Japanese texts only

        article, branch, paragraph, item = (str(kanji_number(number)) if number else "" for number in match.groups())
        within = [paragraph or "1"] if paragraph or item else []
        urn = ":".join((self._given, article + (f"-{branch}" if branch else ""), *within, *([item] if item else [])))
        note = f"Read as a provision of {self._given}: the text names no law, and of those asked for it fits best."
        begin, end = match.span()
        return Mention(begin, end, (urn,), match[0], begin, end, note=note, assumed=True, guessed=True)

    def _part(self, start: int) -> Mention | None:
        """`subsection (b)`, `Abs. 2`, `(same subsection)`: of the provision that the text is about."""
        match, topic = _PART_ALONE.match(self._text, start), self._topic
        if match is None or topic is None or not _law(topic):
            return None
        last = self._found[-1]
        if start - last.whole_end > _REACH:
            return None
        within = last.part.names if last.part is not None else ()
        if not match["parts"]:
            whole = last if last.part is not None or match[0][:4].lower() != "satz" else topic
            part = Part(whole.part.of, within, whole.part.below) if whole.part else Part(whole.start, (), below=False)
            words = whole.words
        else:
            part = Part(topic.start, _part_names(match["parts"]), bool(match["below"]), within)
            words = topic.words
        end = match.end()
        note = f"Read as a part of {words}." if match["parts"] else f"Read as {words}."
        return Mention(start, end, (), match[0], start, end, note=note, assumed=True, part=part)


def _ends_with_name(text: str, name: str) -> bool:
    """Whether the last clause of a text has a name, as words of their own."""
    at = text.rfind(name)
    before, after = text[at - 1 : at] if at else "", text[at + len(name) :]
    return at >= 0 and not (before.isalnum() or after[:1].isalnum() or ";" in after or "\n" in after)


def _volume(match: re.Match[str]) -> tuple[str, str]:
    """Volume and reporter, however its abbreviation is spaced."""
    return match["volume"], "".join(char for char in match["reporter"].casefold() if char.isalnum())


def _part_of_title(section: str) -> str:
    """`9008.` of section 9008.5, which is in part 9008; the number itself where it names no part."""
    part, dot, _ = section.partition(".")
    return part + dot


def _told(law: str) -> str:
    return law.replace("{}", "").strip(" ,").removeprefix("of ")


def _unit(words: str) -> str:
    """By which kind of unit some words name a provision; empty where they name none."""
    match = _UNIT_NAMES.search(words)
    return (match.lastgroup or "") if match else ""


def _whole_law(mention: Mention) -> str:
    """The law that a mention names whole, as `_law` names one; empty where it names a provision or something else."""
    if mention.urns:
        return mention.urns[0] if _is_whole_law(mention) else ""
    named = mention.alone and not _unit(mention.words) and not _REPORTED.match(mention.words)
    return f"{{}} of the {mention.words}" if named else ""


_IS_PROVISION = re.compile(r"(?:[a-z]+_)?[lrd]?\d")  # `part_1071` is a container


def _law(mention: Mention) -> str:
    """The law that a mention with one reading names a section of: its URN, or the words of a reference to it with
    `{}` for the place in it, where only the store knows the law's URN; empty for a decision.
    """
    if not mention.urns and mention.alone:
        place = _BARE_PLACE.search(mention.words)
        return f"{mention.words[: place.start()]}{{}}{mention.words[place.end() :]}" if place else ""
    if len(mention.urns) != 1 and not (mention.urns and mention.assumed):
        return ""
    try:
        urn = parse_urn(mention.urns[0])
    except InputError:
        return ""
    return urn.law if urn.place and _IS_PROVISION.match(urn.place[0]) else ""


_PART_NUMBER = re.compile(
    r"(?P<alinea>al[^\d]{0,6})?(?<![a-z0-9])(?P<number>\d{1,3}[a-d]?)(?=\b|er|re|e|ème)|\(\s?(?P<letter>\w+)\s?\)", re.I
)


def _made(law: str, match: re.Match[str], place: str, note: str) -> Mention:
    """A mention of another section of a law, as `_law` names it."""
    start, end = match.span()
    if "{}" in law:
        words = law.replace("{}", match[0])
        return Mention(start, end, (), words, start, end, note=note, assumed=True)
    number = re.sub(r"[\s*]|(?<=^[lrd])\.", "", place.lower()).rstrip(".:-")
    read = place_of(number, match["parts"])
    whole = ":".join((law, number))
    spelled = [":".join((whole, *parts)) for parts in read.spelled()]
    urns = spelled if _language(law) == "de" or read.pointed else spelled[:1]
    return Mention(
        start, end, (*urns, *([whole] if read.pointed else [])), match[0], start, end, note=note, assumed=True,
        whole=whole if read.pointed else "",
    )  # fmt: skip


def _language(law: str) -> str:
    """The language of the country of a law that `_law` names by its URN; empty of one that it names by words."""
    return "" if "{}" in law else jurisdiction_for(parse_urn(law).jurisdiction).language


def _part_names(words: str) -> tuple[str, ...]:
    """The segments of a URN that some words name: `Abs. 2` is `2`, `alinéa 1er` is `al.1`, `(a)(1)` is `a`, `1`."""
    return tuple(
        f"{'al.' if match['alinea'] else ''}{match['number'] or match['letter']}"
        for match in _PART_NUMBER.finditer(words.lower())
    )


def _again(one: Mention, match: re.Match[str], note: str) -> Mention:
    """The same provision, named at another place."""
    start, end = match.span()
    return replace(
        one, start=start, end=end, whole_start=start, whole_end=end, alone=True, range="", note=note, case=""
    )


# Whole laws that a text names right behind a place in them which no grammar read: "Art. 4 no. 7 GDPR". Pure.

_BEFORE = 80  # characters
_UNIT = r"(?:art(?:icles?|ikels?n?|ículos?)|arts?\.?|sections?|sec\.?|ss?\.?|recitals?|rec\.|§{1,2})"
_BELOW = (
    r"(?:\(\s?\w{1,4}\s?\)|(?:no|nos|nr|n°|paras?|paragraphs?|paragraphes?|par|abs|absatz|al|alinéas?|lit|let|lettre|"
    r"points?|pt|satz|sentences?|s|sub-?paras?|sub-?paragraphs?|uabs|unterabs|ziff|ziffer|buchst)\b\.?\s?\(?\w{1,4}\)?|"
    r"[a-z]\b\)?|ff?\.|et\sseq\.?|et\ss\.?)"
)
_JOINT = r"(?:,?\s{0,2}(?:(?:and|or|et|ou|und|oder)\b|[-–—/&])?\s{0,2})"
# A number with a unit's word before it, or with a part's designator behind it, right before the name of the law.
_PLACE = re.compile(
    rf"(?<![\w.(§])(?:{_UNIT}\s?\d{{1,4}}[a-z]{{0,2}}(?>{_JOINT}(?:{_BELOW}|\d{{1,4}}\b)){{0,6}}+|\d{{1,4}}[a-z]?(?>\s?{_BELOW}){{1,6}}+)"
    r",?\s{0,2}(?:(?:of\s(?:the\s)?|der\s|des\s|du\s|de\sla\s))?\Z",
    re.IGNORECASE,
)


def with_places_before(text: str, mentions: Sequence[Mention], deadline: Deadline = NO_DEADLINE) -> list[Mention]:
    """The mentions, those of a whole law with the place that stands right before its name.

    Where the law's grammar reads place and name as one reference, that stands; else the law's name is no certain
    reading, since a part of it is meant.

    Args:
        deadline: after it the mentions are left as they are, and nothing may be concluded from them.
    """
    found: list[Mention] = []
    ended = 0
    for mention in mentions:
        read = not deadline.passed() and _is_whole_law(mention)
        found.append(_with_place(text, mention, ended) if read else mention)
        ended = max(ended, mention.whole_end)
    return found


def _is_whole_law(one: Mention) -> bool:
    if len(one.urns) != 1 or not one.alone or one.note:
        return False
    try:
        return not parse_urn(one.urns[0]).place
    except InputError:
        return False


def _with_place(text: str, one: Mention, floor: int) -> Mention:
    """A whole law with the place before it, if one stands there, behind what was read before."""
    place = _PLACE.search(text, max(floor, one.whole_start - _BEFORE), one.whole_start)
    if place is None:
        return one
    law = one.urns[0]
    words = " ".join(text[place.start() : one.whole_end].split())
    queries = jurisdiction_for(parse_urn(law).jurisdiction).tag_queries(words)
    urns = [urn for urn in named_urns(queries) if urn.startswith(f"{law}:")]
    whole = replace(one, start=place.start(), whole_start=place.start(), words=text[place.start() : one.whole_end])
    if len(queries) == 1 and len(urns) == 1:
        return replace(whole, urns=(urns[0],), confident=one.confident and queries[0].hint is None)
    return replace(whole, confident=False, note=f"The place before the name of {law} was not read.")


class OwnDocuments:
    """Finds references to documents of the store by their names (contracts, house rules, laws that no grammar knows); a
    reader of references beside the grammars.
    """

    code = "named"

    def __init__(self, names: LawNames) -> None:
        self._names = names

    def within(self, jurisdictions: Container[str]) -> list[str]:
        """The URNs of these documents that are law of some jurisdictions."""
        return [urn for urn in self._names.urns if parse_urn(urn).jurisdiction in jurisdictions]

    def find_references(self, text: str, here: None) -> list[FoundReference]:
        """The references of a text to provisions of these documents, in order; see `LawNames.written_in`."""
        found: list[FoundReference] = []
        for one in self._names.written_in(text):
            parts = tuple(ReferencePart(start, end, urn) for start, end, urn in one.parts)
            plain = all(":doc:" in part.urn for part in parts)  # no grammar knows a contract
            kind = FoundReference if plain else ByName
            found.append(kind(one.start, one.end, text[one.start : one.end], parts, "explicit", confident=one.certain))
        return found

    def tag_queries(self, reference: str) -> list[TagQuery]:
        """The readings of a whole string."""
        return self._names.tag_queries(reference)


def own_documents(conn: Connection, jurisdictions: Sequence[str]) -> OwnDocuments:
    """What finds the documents of the store that number their provisions; of more than `MOST`, none."""
    return OwnDocuments(law_names(conn, jurisdictions))
