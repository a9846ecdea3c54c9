"""References to provisions named by words, resolved to URNs: what British and European Union law have in common.

A module gives the `Grammar` of its words and recognises its laws; see `gb.py` and `eu.py`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from rag.jurisdictions.grammar.kernel import (
    OTHER,
    UNREAD,
    CountryLaw,
    Law,
    Reading,
    Target,
    Unit,
    below,
    corpus_of,
    existence,
    reference_of,
    stands_before,
)
from rag.jurisdictions.grammar.provisions import Grammar, Reader
from rag.law.designators import annex_segment, container_segment
from rag.law.jurisdiction import FoundReference, ReferenceContext, ReferenceKind, ReferencePart
from rag.law.nodes import CONTAINER_TYPES, ParsedNode
from rag.law.patterns import lazy
from retrieval.errors import InputError
from retrieval.paths import MAX_URN_LENGTH
from retrieval.tag_query import TagQuery

# Where a reference stands: what a passage has named so far, and what its words say a reference lies in.

# After the name of a law: "(see sections 3 and 4", "(which limits the width of the reference in section 46".
_OF_LAST = lazy(r"\s?\((?:(?P<sure>see)|which\b[^()]{0,160}?)\s{1,3}\Z")
# Lines below "in that Schedule—" begin with its parts.
_OF_SCHEDULE = lazy(r"\bin\sthat\s(?i:schedule)\s?[—–:-][^:]{0,600}\n\Z")
_REACH = 700
_CHANGED_BY = lazy(
    r"(?:amended|repealed|replaced|supplemented|inserted|substituted|implemented|modifi[ée]e?|geändert|remplac[ée]e?)\s"
    r"(?:by|par|durch)\s(?:(?:the|la|le|l[’']|die|Council|Commission)\s){0,2}\Z",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Passage:
    """What reading one text has to remember. `ambient` is the law whose text the passage amends, if any."""

    here: ReferenceContext | None
    law: Law | None = None  # the last one named
    law_end: int = -1  # the offset after its name, and after what of it was cited
    last: dict[str, Target] = field(default_factory=lambda: {})  # level -> the last provision of it
    ambient: Law | None = None


@dataclass(slots=True, unsafe_hash=True)
class Cited:
    """A reference with what it was read from."""

    reference: FoundReference
    reading: Reading | None
    law: Law | None


def of_last(text: str, reading: Reading, passage: Passage, *, container: bool) -> Target | None:
    """What the words before say a reference lies in: the law just named, or the schedule; None where nothing.

    Args:
        reading: a reference that names no law.
        passage: what the text has named before it.
        container: whether the reference is to a part or chapter.
    """
    law = passage.law
    if law is not None and 0 <= passage.law_end <= reading.start:
        joint = _OF_LAST.fullmatch(text, passage.law_end, reading.start)
        if joint is not None:
            return Target(law.urn, "explicit", law.certain and bool(joint["sure"])) if law.urn else OTHER
    schedule = passage.last.get("schedule")
    if schedule is None or reading.units or not container:
        return None
    return schedule if stands_before(_OF_SCHEDULE, text, reading.start, _REACH) else None


def in_passing(text: str, begin: int, end: int) -> bool:
    """Whether a law is only named as one that changed another: what follows a comma then is that other one's.

    "Directive 2002/58/EC, as amended by Directive 2009/136/EC, Article 5(3)".
    """
    return text[end : end + 1] == "," and stands_before(_CHANGED_BY, text, begin, 40) is not None


def whole_law(text: str, law: Law, begin: int, end: int) -> Cited:
    """A law cited as a whole, by the words between two offsets."""
    kind: ReferenceKind = "explicit" if law.urn else "external"
    part = ReferencePart(begin, end, law.urn)
    return Cited(FoundReference(begin, end, text[begin:end], (part,), kind, law.certain), None, law)


def heads_schedule(text: str, reading: Reading, passage: Passage) -> bool:
    """Whether a reference is the line at the head of a schedule that says which provision of its law it belongs to."""
    here = passage.here
    alone = reading.start == 0 and reading.law is None and text[reading.end : reading.end + 1] in ("", "\n")
    return alone and here is not None and here.node.structure_type == "APPENDIX"


def segments_of(unit: Unit) -> list[str]:
    """URN segments of a path. A sentence and a first unnumbered subparagraph are words of what they are in."""
    if unit.level == "sentence":
        return []
    counted, passed = ("indent", "") if unit.level == "indent" else ("sub", "~1")
    return [f"{counted}.{name[1:]}" if name[0] == "~" else name for name in unit.path if name != passed]


def section_first(unit: Unit, here: ReferenceContext) -> Target:
    """A provision that begins with its section's number, as Canada and Australia cite: "subsection 180(1)"."""
    node = here.index.node(below(here.index.corpus_urn, *unit.path)) if len(unit.path) > 1 else None
    return Target(node.urn, "relative") if node is not None else UNREAD


def neighbour_of(level: str, step: int, passage: Passage) -> Target:
    """The provision before or after the one the text is in, by the order of the nodes."""
    here = passage.here
    node = here.index.nearest(here.node, level) if here else None
    section = here.index.section(here.node) if here else None
    if here is None or node is None or section is None:
        return UNREAD
    nodes = here.index.tree.nodes if node is section else here.index.tree.children(node.parent_urn or "")
    alike = [parsed for parsed in nodes if parsed.level == node.level and parsed.structure_type == node.structure_type]
    position = alike.index(node) + step
    return Target(alike[position].urn, "relative") if 0 <= position < len(alike) else UNREAD


def repeated(unit: Unit, here: ReferenceContext) -> ParsedNode | None:
    """The unit of this number in the nearest container: in some laws every part begins at 1 again."""
    for parsed in here.index.chain(here.node)[1:]:
        node = here.index.numbered(unit.level, unit.number, parsed)
        if node is not None:
            return node
    return None


_LAW_DEPTH = 3  # colons of a law's URN: `urn:lex:eu:32016r0679`


class StatutoryJurisdiction(CountryLaw, ABC):
    """Base of the modules; `Jurisdiction` describes the members."""

    def __init__(self, grammar: Grammar, law_starts: str) -> None:
        self._grammar = grammar
        self._reader = Reader(grammar)
        self._unit_start = lazy(self._reader.starts)
        # No start stands inside a word: most places of a text are left after one test.
        self._starts = lazy(rf"(?:(?<!\w)|(?=[\[(§]))(?:(?P<law>{law_starts})|(?P<unit>{self._reader.starts}))")

    # What a module defines

    @abstractmethod
    def law_at(self, text: str, at: int, passage: Passage) -> tuple[Law, int] | None:
        """The law named at this offset, as after "section 1 of the", with the offset after its name."""

    @abstractmethod
    def cited_law(self, text: str, match: re.Match[str], floor: int, passage: Passage) -> tuple[Law, int, int] | None:
        """The law, decision or report at a match of `law_starts`: what it is, where it begins (>= floor) and ends."""

    def called_laws(self, text: str, passage: Passage) -> list[tuple[int, int, Law]]:
        """Begin, end and law of every name in a text that only its document makes a law's name."""
        return []

    def ambient_law(self, text: str, passage: Passage) -> Law | None:
        """The law whose text a passage amends, so that a bare "section 5" in it is a section of that law."""
        return None

    def bare_level(self, law: Law) -> str:
        """The level of a number that follows a law's name without a word; empty where laws are not cited so."""
        return ""

    def has_units(self, urn: str, level: str) -> bool:
        """Whether a law of this kind can have units of this level: acts have no articles."""
        return True

    @abstractmethod
    def tag_queries(self, reference: str) -> list[TagQuery]:
        """See `Jurisdiction`."""

    # Finding

    def find_references(self, text: str, here: ReferenceContext | None) -> list[FoundReference]:
        """All references of a text in order; see `Jurisdiction`."""
        return [cited.reference for cited in self.cited(text, here)]

    def cited(self, text: str, here: ReferenceContext | None) -> list[Cited]:
        """All references of a text in order, with what they were read from."""
        passage = Passage(here)
        called = iter(())
        if here is not None:
            passage.ambient = self.ambient_law(text, passage)
            called = iter(self.called_laws(text, passage))
        name = next(called, None)
        found: list[Cited] = []
        floor = 0
        start = self._starts.search(text)
        while start is not None or name is not None:
            if name is not None and (start is None or name[0] < start.start()):
                begin, end, law = name
                name = next(called, None)
                if begin >= floor:
                    passage.law, passage.law_end, floor = law, end, end
                    found.append(whole_law(text, law, begin, end))
                    start = self._starts.search(text, floor) if start is not None and start.start() < floor else start
                continue
            if start is None:
                break
            one = self._law(text, start, floor, passage) if start["law"] else None
            if one is None and self._unit_start.match(text, start.start()):
                one = self._unit(text, start.start(), passage)
            position = max(start.end(), start.start() + 1)
            if one is not None:
                position = floor = max(one.reference.end, start.start() + 1)
                if here is not None or one.reference.kind != "relative":
                    found.append(one)
            start = self._starts.search(text, position)
        return found

    def _law(self, text: str, start: re.Match[str], floor: int, passage: Passage) -> Cited | None:
        read = self.cited_law(text, start, floor, passage)
        if read is None:
            return None
        law, begin, end = read
        passage.law, passage.law_end = law, end
        reading = self._reader.after_law(text, end, self.bare_level(law)) if law.role == "named" else None
        if reading is not None and self._has(law, reading) and not in_passing(text, begin, end):
            reading.start, reading.law = begin, law
            return self._cited(text, reading, passage)
        return whole_law(text, law, begin, end)

    def _has(self, law: Law, reading: Reading) -> bool:
        return not law.urn or reading.level not in self._grammar.units or self.has_units(law.urn, reading.level)

    def _unit(self, text: str, at: int, passage: Passage) -> Cited | None:
        def read_law(where: str, position: int) -> tuple[Law, int] | None:
            return self.law_at(where, position, passage)

        own = passage.here.index.corpus_urn if passage.here else ""
        exists = existence(passage.here, lambda number: below(own, number))
        reading = self._reader.reading(text, at, read_law, exists)
        if reading is None:
            return None
        cited = self._cited(text, reading, passage)
        # "that part of the compensation": the words of a level in everyday use.
        # "Clause 5" is mostly one of a contract or a bill, unless the document has clauses.
        everyday = reading.level.startswith(("this ", "that ", "clause")) and not cited.reference.urns
        return None if everyday else cited

    def _cited(self, text: str, reading: Reading, passage: Passage) -> Cited:
        if reading.law is not None and reading.law.role == "named":
            passage.law, passage.law_end = reading.law, reading.end
        targets = self._targets(text, reading, passage)
        found = reference_of(text, reading.start, reading.end, reading.items, targets)
        return Cited(found, reading, reading.law)

    # Resolving

    def _targets(self, text: str, reading: Reading, passage: Passage) -> list[Target]:
        law = reading.law
        if reading.unread or (law is not None and law.role == "unread"):
            return [UNREAD if law is None else OTHER] * len(reading.items)
        base: Target | None = None
        doubt = False
        container = reading.level in self._grammar.containers
        if law is not None:
            base = Target(law.urn, "explicit", law.certain) if law.urn else OTHER
        elif (last := of_last(text, reading, passage, container=container)) is not None:
            base = last
        elif passage.ambient is not None and reading.level.split(" ")[0] not in ("this", "before", "after"):
            ambient = passage.ambient
            own = any(unit.level.startswith("this ") for unit in reading.units) or heads_schedule(
                text, reading, passage
            )
            if ambient.urn and not own:
                base = Target(ambient.urn, "relative", confident=False)
            doubt = not ambient.urn and not own
        for unit in reversed(reading.units):
            base = self._enter(base, unit, passage)
            self._remember(base, unit, passage)
        targets: list[Target] = []
        for item in reading.items:
            unit = Unit(reading.level, item.number, item.path)
            targets.append(self._enter(base, unit, passage))
            self._remember(targets[-1], unit, passage)
        if not doubt:
            return targets
        # Which law is amended was not said: provisions that this one has may be meant, others are not its own.
        index = passage.here.index if passage.here else None
        ours = index is not None and all(target.urn and index.node(target.urn) is not None for target in targets)
        return [replace(target, confident=False) for target in targets] if ours else [UNREAD] * len(targets)

    def _remember(self, target: Target, unit: Unit, passage: Passage) -> None:
        """Keep what "that section" and "that subsection" will mean: each level by its own part of the URN."""
        if passage.here is None or " " in unit.level:
            return  # without a place "that section" is not read
        passage.last[unit.level] = target
        if unit.level not in self._grammar.units:
            return
        below_unit = ("subsection", "paragraph") if unit.level == "section" else ("paragraph", "subparagraph")
        for name in below_unit:
            passage.last[name] = UNREAD
        if not target.urn:
            return
        segments = target.urn.split(":")
        for depth, name in enumerate((unit.level, *below_unit)):
            if depth <= len(unit.path):
                kept = segments[: len(segments) - len(unit.path) + depth]
                passage.last[name] = Target(":".join(kept), target.kind, target.confident)

    def _enter(self, base: Target | None, unit: Unit, passage: Passage) -> Target:
        if base is not None and not base.urn:
            return base
        level = unit.level
        if " " in level:
            role, _, level = level.partition(" ")
            if role == "that":
                return self._that(level, unit, passage)
            if role == "this":
                return self._this(level, unit, passage)
            return neighbour_of(level, -1 if role == "before" else 1, passage)
        if base is None and passage.here is None:
            return UNREAD
        if level in self._grammar.units or level == "recital":
            return self._whole_law_unit(base, unit, passage)
        if level in self._grammar.annexes:
            return self._annex(base, unit, passage)
        if level in self._grammar.containers:
            return self._container(base, unit, passage)
        return self._paragraph(base, unit, passage)

    def _this(self, level: str, unit: Unit, passage: Passage) -> Target:
        here = passage.here
        if here is None:
            return UNREAD
        if level == "act":
            section = here.index.section(here.node)
            # "This Regulation" is one of these Regulations, where sections are called so.
            own = section is not None and section.level == unit.number
            return Target(section.urn if section is not None and own else here.index.corpus_urn, "relative")
        node = here.index.nearest(here.node, level)
        # "This Subdivision" is no subsection where the source does not have its level.
        if node is None or (level in self._grammar.containers and node.structure_type not in CONTAINER_TYPES):
            return UNREAD
        return self._below(Target(node.urn, "relative"), unit, passage)

    def _that(self, level: str, unit: Unit, passage: Passage) -> Target:
        if level == "act":
            law = passage.law
            if law is None or not law.urn:
                return OTHER if law is not None else UNREAD
            return Target(law.urn, "explicit", law.certain)
        last = passage.last.get(level, UNREAD)
        return self._below(replace(last, kind="relative"), unit, passage) if last.urn else UNREAD

    def _whole_law_unit(self, base: Target | None, unit: Unit, passage: Passage) -> Target:
        own = [f"rec.{unit.number}"] if unit.level == "recital" else [unit.number]
        if base is not None and not self.has_units(base.urn, unit.level):
            return UNREAD
        if base is not None:
            index = passage.here.index if passage.here else None
            within = index.node(base.urn) if index is not None else None
            # In some laws every part begins at 1 again.
            if index is not None and within is not None and within is not index.root:
                if (node := index.numbered(unit.level, unit.number, within)) is not None:
                    return self._below(Target(node.urn, base.kind, base.confident), replace(unit, number=""), passage)
                root = self._annex_of(base.urn) or index.corpus_urn
            else:
                whole = base.urn.count(":") == _LAW_DEPTH
                root = base.urn if whole else self._annex_of(base.urn) or corpus_of(base.urn)
            return self._checked(Target(below(root, *own, *unit.path), base.kind, base.confident), unit, passage)
        here = passage.here
        if here is None:
            return UNREAD
        node = here.index.node(below(here.index.corpus_urn, *own)) or repeated(unit, here)
        if node is None:
            if here.index.root.urn == here.index.corpus_urn:
                return UNREAD  # a section that this law does not have is one of another law
            return Target(below(here.index.corpus_urn, *own, *unit.path), "relative", confident=False)
        # A source that knows no level but "section" prints regulations as such; their own title tells what they are.
        if node.level != unit.level and not (node.level == "section" and here.index.calls_itself(unit.level)):
            return UNREAD
        return self._below(Target(node.urn, "relative"), unit, passage)

    def _annex(self, base: Target | None, unit: Unit, passage: Passage) -> Target:
        number = unit.number if not unit.path else str(unit.path[0]).strip("~")
        here = passage.here
        law = corpus_of(base.urn) if base is not None else here.index.corpus_urn if here else ""
        try:
            urn = f"{law}:{annex_segment(self._grammar.annexes[unit.level], number)}"
        except InputError:
            return UNREAD
        kind = base.kind if base is not None else "relative"
        return self._checked(Target(urn, kind, base is None or base.confident), replace(unit, path=()), passage)

    def _container(self, base: Target | None, unit: Unit, passage: Passage) -> Target:
        here = passage.here
        if base is None:
            if here is None:
                return UNREAD
            for parsed in here.index.chain(here.node)[1:]:
                node = here.index.numbered(unit.level, unit.number, parsed)
                if node is not None:
                    return Target(node.urn, "relative")
            return UNREAD
        within = here.index.node(base.urn) if here else None
        node = here.index.numbered(unit.level, unit.number, within) if here and within else None
        if node is not None:
            return replace(base, urn=node.urn)
        try:
            urn = f"{base.urn}:{container_segment(unit.level, unit.number)}"
        except InputError:
            return UNREAD
        # Chapters are in parts, which the reference does not name; titles and parts are in the law itself.
        sure = within is None and (unit.level in ("part", "title") or ":" in base.urn[len(corpus_of(base.urn)) :])
        return Target(urn, base.kind, base.confident and sure)

    def _paragraph(self, base: Target | None, unit: Unit, passage: Passage) -> Target:
        if base is not None:
            segments = base.urn.split(":")
            # Paragraphs are numbered through a schedule, whatever part of it they are in; annexes begin again.
            while len(segments) > 4 and "_" in segments[-1]:
                segments.pop()
            if len(segments) == 4:
                return UNREAD  # laws have sections before they have paragraphs
            sure = base.confident and (base.urn.count(":") < len(segments) or segments[4][:6] != "annex.")
            return self._below(Target(":".join(segments), base.kind, sure), unit, passage)
        here = passage.here
        section = here.index.section(here.node) if here else None
        if here is None or section is None:
            return UNREAD
        if unit.level in self._grammar.counted:
            whole = next(node for node in here.index.chain(here.node) if node is section or node.level == "paragraph")
            return self._below(Target(whole.urn, "relative"), unit, passage)
        annex = next((node for node in here.index.chain(here.node) if node.structure_type == "APPENDIX"), None)
        floor = annex if annex is not None and unit.level == "paragraph" and unit.path[0][0].isdigit() else section
        segments = segments_of(unit)
        found = [
            node
            for parsed in here.index.chain(here.node)
            if len(parsed.urn) >= len(floor.urn) and (node := here.index.node(below(parsed.urn, *segments))) is not None
        ]
        if not found:
            return section_first(unit, here) if annex is None else UNREAD
        best = min(found, key=lambda one: (unit.path[-1] != one.number, one.level != unit.level))
        # The same words can name a paragraph of the section and one of a smaller unit: the level's name decides.
        return Target(best.urn, "relative", len({node.urn for node in found}) == 1 or best.level == unit.level)

    def _below(self, base: Target, unit: Unit, passage: Passage) -> Target:
        urn = below(base.urn, *segments_of(unit))
        return self._checked(Target(urn, base.kind, base.confident), unit, passage)

    def _checked(self, target: Target, unit: Unit, passage: Passage) -> Target:
        """The target by the URN of its node; not certain where its document is at hand and has no such node."""
        if not target.urn or len(target.urn) > MAX_URN_LENGTH:
            return UNREAD
        here = passage.here
        if here is None:
            return target
        node = here.index.node(target.urn)
        if node is not None:
            return Target(node.urn, target.kind, target.confident)
        root = here.index.root.urn
        missing = bool(root) and (target.urn == root or target.urn.startswith(f"{root}:"))
        return Target(target.urn, target.kind, False) if missing and target.confident else target

    def _annex_of(self, urn: str) -> str:
        """The annex or schedule that a URN lies in; empty where it is of the body."""
        segments = urn.split(":")
        names = tuple(self._grammar.annexes.values())
        inside = len(segments) > 4 and segments[4].split(".")[0] in names
        return ":".join(segments[:5]) if inside else ""
